//! The parser: declarations and types.

use super::ast::{
    Block, Declaration, ExprKind, Extent, Function, Name, Parameter, Statement, StatementKind,
    Type, TypeKind,
};
use super::parse::{Parsed, Parser};
use super::token::Token;

/// The words for the bits above a result.
pub(crate) const RESTS: [&str; 4] = ["kept", "ones", "signs", "zeros"];

impl<'s> Parser<'s, '_> {
    /// A declaration, if a statement that begins with this word is one.
    pub(super) fn declaration(&mut self, word: &str) -> Parsed<Option<Declaration<'s>>> {
        let is_before_name = matches!(self.second(), Token::Name(_));
        match word {
            "let" => self.binding().map(Some),
            "const" => {
                self.take();
                let name = self.name()?;
                self.expect("=")?;
                Ok(Some(Declaration::Const { name, value: self.expr()? }))
            }
            "fn" => self.function().map(Some),
            "extern" => self.external().map(Some),
            "view" if is_before_name => self.view().map(Some),
            "range" if is_before_name => self.state_range().map(Some),
            "narrow" if is_before_name => {
                self.take();
                let name = self.name()?;
                self.expect("=")?;
                Ok(Some(Declaration::Narrow { name, rest: self.name()? }))
            }
            "elements" if is_before_name => self.elements().map(Some),
            "number" if is_before_name => {
                self.take();
                let names = self.names()?;
                self.expect("=")?;
                Ok(Some(Declaration::Number { names, format: self.ty()? }))
            }
            "float" if is_before_name => self.setting().map(Some),
            "lanes" if is_before_name => {
                self.take();
                let names = self.names()?;
                self.expect("=")?;
                Ok(Some(Declaration::Lanes { names, count: self.expr()? }))
            }
            "apply" if is_before_name => {
                self.take();
                let name = self.name()?;
                self.expect("=")?;
                Ok(Some(Declaration::Apply { name, value: self.expr()? }))
            }
            _ => Ok(None),
        }
    }

    fn elements(&mut self) -> Parsed<Declaration<'s>> {
        self.take();
        let names = self.names()?;
        self.expect("=")?;
        let width = self.expr()?;
        if !self.accept_word("in") {
            return Ok(Declaration::Elements { names, width, extent: None });
        }
        let count = self.expr()?;
        let extent = match self.accept_word("registers") {
            true => Extent::Registers(count),
            false if self.accept_word("from") => Extent::Bits(count, Some(self.expr()?)),
            false => Extent::Bits(count, None),
        };
        Ok(Declaration::Elements { names, width, extent: Some(extent) })
    }

    fn setting(&mut self) -> Parsed<Declaration<'s>> {
        self.take();
        let name = self.name()?;
        if name.text == "flags" && self.is_sign("{") {
            return Ok(Declaration::Flags { name, body: self.block()? });
        }
        self.expect("=")?;
        Ok(Declaration::Setting { name, value: self.expr()? })
    }

    /// One or more names with commas.
    fn names(&mut self) -> Parsed<Vec<Name<'s>>> {
        let mut found = vec![self.name()?];
        while self.accept(",") {
            found.push(self.name()?);
        }
        Ok(found)
    }

    fn binding(&mut self) -> Parsed<Declaration<'s>> {
        self.take();
        let name = self.name()?;
        let mut values = Vec::new();
        if self.accept(":") {
            // The bar separates the values; it is no operator here.
            values.push(self.unary()?);
            while self.accept("|") {
                values.push(self.unary()?);
            }
        }
        self.expect("=")?;
        let value = self.expr()?;
        let mut otherwise = None;
        if !values.is_empty() && self.accept_word("else") {
            if !self.accept_word("trap") {
                return Err(self.fault("expected `trap`"));
            }
            otherwise = Some(self.trap()?);
        }
        Ok(Declaration::Let { name, values, value, otherwise })
    }

    fn function(&mut self) -> Parsed<Declaration<'s>> {
        self.take();
        let name = self.name()?;
        let parameters = self.parameters()?;
        let result = if self.accept(":") { Some(self.ty()?) } else { None };
        if self.is_sign("{") {
            return Ok(Declaration::Function(Function {
                name,
                parameters,
                result,
                body: self.block()?,
            }));
        }
        let start = self.expect("=")?;
        let value = self.expr()?;
        let span = value.span;
        let statement = Statement { span, kind: StatementKind::Return(value), guard: None };
        let body = Block { span: self.since(start), statements: vec![statement] };
        Ok(Declaration::Function(Function { name, parameters, result, body }))
    }

    fn external(&mut self) -> Parsed<Declaration<'s>> {
        self.take();
        if self.accept_word("trap") {
            let name = self.name()?;
            let parameters = if self.is_sign("(") { self.parameters()? } else { Vec::new() };
            return Ok(Declaration::Trap { name, parameters });
        }
        if self.accept_word("memory") {
            let name = self.name()?;
            self.expect("[")?;
            let address = self.ty()?;
            self.expect("]")?;
            return Ok(Declaration::Memory { name, address });
        }
        if self.second() == Token::Sign(":") {
            let name = self.name()?;
            self.expect(":")?;
            return Ok(Declaration::State { name, ty: self.ty()? });
        }
        if !self.accept_word("fn") {
            return Err(self.fault("expected `fn`, `trap`, `memory`, or a name with its type"));
        }
        let name = self.name()?;
        let parameters = self.parameters()?;
        let result = if self.accept(":") { Some(self.ty()?) } else { None };
        let mut effects = Vec::new();
        while let Token::Name(text) = self.next() {
            effects.push(Name { text, span: self.take().span });
            self.accept(",");
        }
        Ok(Declaration::Extern { name, parameters, result, effects })
    }

    fn view(&mut self) -> Parsed<Declaration<'s>> {
        self.take();
        let name = self.name()?;
        let width = match self.accept(":") {
            true => Some(match self.ty()?.kind {
                TypeKind::Bits(width) => *width,
                _ => return Err(self.fault("expected `bits(n)` as the type of a view")),
            }),
            false => None,
        };
        self.expect("=")?;
        Ok(Declaration::View { name, width, value: self.expr()? })
    }

    fn state_range(&mut self) -> Parsed<Declaration<'s>> {
        self.take();
        let name = self.name()?;
        self.expect("=")?;
        let first = self.expr()?;
        self.expect("..")?;
        Ok(Declaration::Range { name, first, last: self.expr()? })
    }

    fn parameters(&mut self) -> Parsed<Vec<Parameter<'s>>> {
        self.expect("(")?;
        let mut found = Vec::new();
        while !self.accept(")") {
            let name = self.name()?;
            let ty = if self.accept(":") { Some(self.ty()?) } else { None };
            found.push(Parameter { name, ty });
            if !self.accept(",") && !self.is_sign(")") {
                return Err(self.fault("expected `,` or `)`"));
            }
        }
        Ok(found)
    }

    pub(super) fn ty(&mut self) -> Parsed<Type<'s>> {
        let start = self.span();
        let name = self.name()?;
        let kind = match name.text {
            "bit" => TypeKind::Bit,
            "float" => {
                self.expect("(")?;
                let mut parts = vec![self.expr()?];
                if self.accept(",") {
                    parts.push(self.expr()?);
                }
                self.expect(")")?;
                TypeKind::Float(parts)
            }
            "bits" => {
                self.expect("(")?;
                let width = self.expr()?;
                self.expect(")")?;
                TypeKind::Bits(Box::new(width))
            }
            other => TypeKind::Named(other),
        };
        Ok(Type { span: self.since(start), kind })
    }
}

impl StatementKind<'_> {
    /// Whether the statement is the word `body` alone.
    pub fn is_body(&self) -> bool {
        matches!(self, StatementKind::Value(value) if matches!(value.kind, ExprKind::Body))
    }
}
