//! Operands that are lists of elements, and what is done with each.

use isadl_base::vocabulary::BinaryOp;
use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{Entry, Meaning, NameId, RegFileId, TypeKind};

use super::Checker;
use super::bits::Position;
use crate::interval::{Interval, MAX_BITS};
use crate::program::{Bits, Expr, ExprKind, Place, Range, Statement, StatementKind, Type};
use crate::syntax::ast::{self, Declaration, Name};

/// How many bits each element has, and where the elements are, as declared.
type Declared<'c, 's> = (&'c ast::Expr<'s>, Option<&'c ast::Extent<'s>>);

/// How an operand consists of elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elements {
    /// Bits of one.
    width: u32,
    /// How many there are.
    count: u32,
    /// The bit of the operand that they begin at.
    first: u32,
    /// How many of them a register has, if they continue in the registers that follow.
    in_register: Option<u32>,
}

impl Elements {
    /// The number of bits of an element.
    pub(super) fn width(self) -> u32 {
        self.width
    }
}

impl<'c, 's> Checker<'c, 's, '_> {
    /// The nearest declaration about an operand that a step finds.
    pub(super) fn about_operand<T>(
        &self,
        id: NameId,
        step: impl Fn(&'c Declaration<'s>) -> Option<T>,
    ) -> Option<(Name<'s>, T)> {
        let found =
            self.about_field(id).filter_map(|(name, declaration)| Some((name, step(declaration)?)));
        found.last()
    }

    /// The declarations about an operand, and its name there; the nearest is the last.
    pub(super) fn about_field(
        &self,
        id: NameId,
    ) -> impl Iterator<Item = (Name<'s>, &'c Declaration<'s>)> {
        let about = self.context.scopes.about(self.context.layer);
        about.filter_map(move |declaration| {
            let names = declaration.operands().iter();
            let name = names.copied().find(|name| self.field_of(name.text) == Some(id))?;
            Some((name, declaration))
        })
    }

    /// The declared elements of an operand: how many bits each has, and where they are.
    fn declared_elements(&self, id: NameId) -> Option<(Name<'s>, Declared<'c, 's>)> {
        self.about_operand(id, |declaration| match declaration {
            Declaration::Elements { width, extent, .. } => Some((width, extent.as_ref())),
            _ => None,
        })
    }

    /// The number of bits of an operand up to the end of its elements, if it is declared.
    pub(super) fn width_of_elements(&mut self, id: NameId, span: Span) -> Option<Option<u32>> {
        let (name, (_, extent)) = self.declared_elements(id)?;
        let ast::Extent::Bits(written, from) = extent? else { return None };
        let all = self.outside(name, span, |checker| checker.width(written));
        let first = self.first_bit(name, extent, span);
        let (Some(all), Some(first), Some(own)) =
            (all, first, self.width_without_elements(id, span))
        else {
            return Some(None);
        };
        let end = first + all;
        if end <= own {
            return Some(Some(end));
        }
        let (elements, help) = match from {
            Some(_) => (
                format!("its elements are bits {first} to {}", end - 1),
                "the elements lie in the operand: `elements rd = 8 in 64 from 64`",
            ),
            None => (
                format!("its elements together {all}"),
                "leave out `in`: then the elements fill the operand",
            ),
        };
        let message = format!("`{}` has {own} bits; {elements}", name.text);
        self.error(Code::E1230, written.span, message, help);
        Some(None)
    }

    /// The bit of an operand that its elements begin at.
    fn first_bit(
        &mut self,
        name: Name<'s>,
        extent: Option<&'c ast::Extent<'s>>,
        span: Span,
    ) -> Option<u32> {
        let Some(ast::Extent::Bits(_, Some(written))) = extent else { return Some(0) };
        let what = "the bit that elements begin at";
        let first = self.outside(name, span, |checker| checker.constant(written, what))?;
        let found = u32::try_from(first).ok().filter(|first| *first < MAX_BITS);
        if found.is_none() {
            let help = format!("write a number from 0 to {}", MAX_BITS - 1);
            self.error(Code::E1230, written.span, format!("no operand has a bit {first}"), help);
        }
        found
    }

    /// The elements of an operand, if it has some; `None` outside after a report.
    pub(super) fn elements(&mut self, id: NameId, span: Span) -> Option<Option<Elements>> {
        let Some((name, (width, extent))) = self.declared_elements(id) else { return Some(None) };
        let first = self.first_bit(name, extent, span)?;
        let all = self.operand_width(id, span)? - first;
        let bits = self.outside(name, span, |checker| checker.width(width))?;
        if !all.is_multiple_of(bits) {
            let message = format!("`{}` has {all} bits; its elements have {bits}", name.text);
            let help = "say how many bits all of them have: `elements rd = 8 in 64`";
            self.error(Code::E1230, width.span, message, help);
            return None;
        }
        let own = all / bits;
        let Some(ast::Extent::Registers(registers)) = extent else {
            return Some(Some(Elements { width: bits, count: own, first, in_register: None }));
        };
        let what = "a number of registers";
        let count = self.outside(name, span, |checker| checker.constant(registers, what))?;
        let file = self.file_of_group(id, all);
        let known = file.filter(|file| (1..=i128::from(*file)).contains(&count));
        if known.is_none() {
            let message = format!("`{}` is not the first of {count} registers", name.text);
            let help =
                "groups are for operands that are whole registers of one file, which has as many";
            self.error(Code::E1230, registers.span, message, help);
            return None;
        }
        let count = own * count as u32;
        Some(Some(Elements { width: bits, count, first, in_register: Some(own) }))
    }

    /// The number of registers of the file that an operand is a whole register of.
    fn file_of_group(&self, id: NameId, width: u32) -> Option<u32> {
        let isa = self.context.isa;
        let ty = isa.ty(self.context.opcode.field(id)?.ty);
        let TypeKind::Operand(entries) = &ty.kind else { return None };
        let is_register = |entry: &Entry| {
            matches!(entry.meaning, Meaning::Registers { .. } | Meaning::Register { .. })
        };
        let mut files: Vec<RegFileId> = super::files_of(&ty.kind).collect();
        files.dedup();
        let ([file], true) = (files.as_slice(), entries.iter().all(is_register)) else {
            return None;
        };
        let file = &isa.reg_files()[file.index()];
        (file.width == width).then_some(file.count)
    }

    /// The operand with elements that an expression is the name of.
    pub(super) fn list(&mut self, of: &'c ast::Expr<'s>) -> Option<Option<(NameId, Elements)>> {
        let Some(name) = of.as_name().filter(|name| self.find_bound(name.text).is_none()) else {
            return Some(None);
        };
        let Some(id) = self.field_of(name.text) else { return Some(None) };
        Some(self.elements(id, of.span)?.map(|elements| (id, elements)))
    }

    /// The element of an operand that `each` is at.
    pub(super) fn current_element(
        &mut self,
        id: NameId,
        elements: Elements,
        span: Span,
    ) -> Option<Expr> {
        let index = self.element_number(id, elements, span)?;
        self.element(id, elements, index, span)
    }

    /// The number of the element that `each` is at.
    pub(super) fn element_number(
        &mut self,
        id: NameId,
        elements: Elements,
        span: Span,
    ) -> Option<Expr> {
        let Some(local) = self.element else {
            let name = self.context.isa.name_of(id);
            let message = format!("`{name}` is a list of {} elements", elements.count);
            let help = format!("write `each` before the statement, or an index: `{name}[0]`");
            self.error(Code::E1230, span, message, help);
            return None;
        };
        let index = self.read_local(local, span);
        // A function may name an operand with fewer elements.
        self.element_is_inside(id, elements, &index)?;
        Some(index)
    }

    /// Checks that an operand has an element.
    pub(super) fn element_is_inside(
        &mut self,
        id: NameId,
        elements: Elements,
        index: &Expr,
    ) -> Option<()> {
        let last = i128::from(elements.count) - 1;
        if index.range.is_within(Interval::between(0, last)) {
            return Some(());
        }
        let message = format!("`{}` has elements 0 to {last}", self.context.isa.name_of(id));
        let found = Diagnostic::new(Code::E1209, message, index.span);
        let found = found.with_label(index.range.to_string());
        self.report(
            found.with_help(format!("test the number before, or write `… % {}`", last + 1)),
        );
        None
    }

    /// An element of an operand as a value.
    pub(super) fn element(
        &mut self,
        id: NameId,
        elements: Elements,
        index: Expr,
        span: Span,
    ) -> Option<Expr> {
        self.element_is_inside(id, elements, &index)?;
        let whole = self.contents(id, span)?;
        let (width, all) = (elements.width, whole.width().unwrap_or(1));
        let (whole, (low, bits)) = match whole.kind {
            ExprKind::Read(place) => {
                let (place, position) = self.element_place(place, elements, index, span);
                (self.make_bits(ExprKind::Read(place), all, span), position)
            }
            _ => {
                let low = self.computed(BinaryOp::Mul, index, width.into(), span);
                (whole, (low, Bits::Count(width)))
            }
        };
        let position = match low.value().and_then(|low| u32::try_from(low).ok()) {
            Some(low) => Position::Fixed(low, width),
            None => Position::Computed(low, bits),
        };
        let found = self.bits_at(whole, position, span);
        let found = self.as_declared(id, found)?;
        self.applied(id, found)
    }

    /// Where an element is: its register, the lowest bit, and the number of bits.
    fn element_place(
        &mut self,
        place: Place,
        elements: Elements,
        index: Expr,
        span: Span,
    ) -> (Place, (Expr, Bits)) {
        let width = i128::from(elements.width);
        let bits = Bits::Count(elements.width);
        let (Place::Operand { field, width: register, .. }, Some(count)) =
            (&place, elements.in_register)
        else {
            let low = self.computed(BinaryOp::Mul, index, width, span);
            return (place, (self.computed(BinaryOp::Add, low, elements.first.into(), span), bits));
        };
        let count = i128::from(count);
        let offset = Box::new(self.computed(BinaryOp::Div, index.clone(), count, span));
        let inside = self.computed(BinaryOp::Rem, index, count, span);
        let low = self.computed(BinaryOp::Mul, inside, width, span);
        (Place::Group { field: *field, offset, width: *register }, (low, bits))
    }

    /// The sum, product, quotient or remainder of a number that is not negative and a constant.
    fn computed(&mut self, op: BinaryOp, a: Expr, b: i128, span: Span) -> Expr {
        if (op, b) == (BinaryOp::Add, 0) {
            return a;
        }
        let other = Interval::one(b);
        let range = match op {
            BinaryOp::Add => a.range + other,
            BinaryOp::Mul => a.range * other,
            BinaryOp::Div => a.range / other,
            _ => a.range % other,
        };
        if let Some(value) = range.value() {
            return self.int(value, span);
        }
        let b = Box::new(self.int(b, span));
        self.make(ExprKind::Binary(op, Box::new(a), b), Type::Integer, range, span)
    }

    /// An element of an operand as a place that is written, and its number of bits.
    pub(super) fn element_target(
        &mut self,
        id: NameId,
        name: Name<'s>,
        elements: Elements,
        index: Expr,
    ) -> Option<(Place, (Expr, Bits), u32)> {
        self.element_is_inside(id, elements, &index)?;
        let (place, _) = self.operand_target(id, name)?;
        let (place, position) = self.element_place(place, elements, index, name.span);
        Some((place, position, elements.width))
    }

    /// The value of reading an operand or an element, by its `apply`.
    pub(super) fn applied(&mut self, id: NameId, read: Expr) -> Option<Expr> {
        let declared = self.about_operand(id, |declaration| match declaration {
            Declaration::Apply { value, .. } => Some(value),
            _ => None,
        });
        let Some((name, value)) = declared else { return Some(read) };
        let span = read.span;
        let (binding, value) = self.outside(name, span, |checker| {
            let local = checker.bind_parameter(name, read.ty, read.range)?;
            let format = read.format();
            let binding = Statement { span, kind: StatementKind::Bind { local, value: read } };
            checker.format = format;
            let found = checker.expr(value)?;
            let found = match format {
                Some(format) => {
                    checker.is_of_format(&found, format, "the operand")?;
                    found
                }
                // Bits may be the encoding of a number.
                None if found.format().is_some() => found,
                None => checker.as_number(found, value.span)?,
            };
            Some((binding, found))
        })?;
        let (ty, range, is_signed) = (value.ty, value.range, value.is_signed);
        let kind = ExprKind::Inline { bindings: vec![binding], value: Box::new(value) };
        Some(Expr { kind, ty, range, span, is_signed, is_exact: false })
    }

    /// `each name { … }`
    pub(super) fn each(
        &mut self,
        name: Option<Name<'s>>,
        range: Option<&'c ast::Range<'s>>,
        body: &'c ast::Block<'s>,
        span: Span,
    ) -> Option<Vec<Statement>> {
        if self.element.is_some() {
            let help = "write the inner one with an index: `for i in 0 .. 3 { … }`";
            self.error(Code::E1230, span, "`each` inside of `each`", help);
            return None;
        }
        let (range, values) = match range {
            Some(range) => self.loop_range(range)?,
            None => {
                let last = i128::from(self.count_of(body, span)?) - 1;
                let range = Range::Between(self.int(0, span), self.int(last, span));
                (range, Interval::between(0, last))
            }
        };
        let (local, body) = self.in_block(|checker| {
            let local = match name {
                Some(name) => checker.bind(name, Type::Integer, values, false)?,
                None => checker.add_temporary(Type::Integer, values, span),
            };
            checker.uses[local.index()] = true;
            checker.element = Some(local);
            let body = checker.sequence(&body.statements).0;
            checker.element = None;
            Some((local, body))
        })?;
        Some(vec![Statement { span, kind: StatementKind::For { local, range, body } }])
    }

    /// The number of elements that the operands without an index in a block have.
    fn count_of(&mut self, body: &'c ast::Block<'s>, span: Span) -> Option<u32> {
        let mut names = Names { checker: self, found: Vec::new(), seen: Vec::new(), body: 0 };
        names.block(body);
        let found = names.found;
        let mut first: Option<(Name<'s>, u32)> = None;
        for name in found {
            let Some(id) = self.field_of(name.text) else { continue };
            let Some(elements) = self.elements(id, name.span)? else { continue };
            match first {
                None => first = Some((name, elements.count)),
                Some((other, count)) if count != elements.count => {
                    let message = format!(
                        "`{}` has {} elements, `{}` {count}",
                        name.text, elements.count, other.text
                    );
                    let found = Diagnostic::new(Code::E1230, message, name.span)
                        .with_related(other.span, format!("{count} elements"));
                    self.report(found.with_help(format!(
                        "say which element: `each i {{ … {}[i] … }}`",
                        name.text
                    )));
                    return None;
                }
                Some(_) => {}
            }
        }
        if first.is_none() {
            let help =
                "name an operand without an index, and declare its elements: `elements rd = 8`";
            self.error(Code::E1230, span, "no operand in `each` has elements", help);
        }
        first.map(|(_, count)| count)
    }
}

/// Finds the operands without an index in a text, and in what it uses.
struct Names<'n, 'c, 's, 'd> {
    checker: &'n Checker<'c, 's, 'd>,
    found: Vec<Name<'s>>,
    /// The declarations that were looked at, or are.
    seen: Vec<&'s str>,
    /// How many texts stand for `body` around the one that is looked at.
    body: usize,
}

impl<'c, 's> Names<'_, 'c, 's, '_> {
    fn block(&mut self, block: &'c ast::Block<'s>) {
        self.statements(&block.statements);
    }

    fn statements(&mut self, statements: &'c [ast::Statement<'s>]) {
        for statement in statements {
            statement.expressions().into_iter().for_each(|expr| self.expr(expr));
            statement.blocks().into_iter().for_each(|block| self.block(block));
        }
    }

    fn expr(&mut self, expr: &'c ast::Expr<'s>) {
        match &expr.kind {
            ast::ExprKind::Name(text) => self.name(Name { text, span: expr.span }),
            ast::ExprKind::Index { of, indices } if of.as_name().is_some() => {
                indices.iter().for_each(|index| self.expr(index));
            }
            ast::ExprKind::Body => {
                let programs = &self.checker.context.chain.programs;
                let inner = programs.get(self.checker.body + self.body + 1).copied();
                self.body += 1;
                self.statements(inner.unwrap_or_default());
                self.body -= 1;
            }
            ast::ExprKind::Call { function, arguments } => {
                self.name(*function);
                // These functions are about the encoding of the whole operand.
                if !matches!(function.text, "bits" | "same_register" | "whole") {
                    arguments.iter().for_each(|argument| self.expr(argument));
                }
            }
            _ => expr.parts().into_iter().for_each(|part| self.expr(part)),
        }
    }

    /// A name: an operand, or something declared that may use operands.
    fn name(&mut self, name: Name<'s>) {
        if self.checker.field_of(name.text).is_some() {
            self.found.push(name);
            return;
        }
        let declared = self.checker.context.chain.names.get(name.text).copied();
        let Some(declared) = declared.filter(|_| !self.seen.contains(&name.text)) else { return };
        self.seen.push(name.text);
        match declared {
            Declaration::Let { value, .. }
            | Declaration::Const { value, .. }
            | Declaration::View { value, .. } => self.expr(value),
            Declaration::Function(function) => {
                let before = self.found.len();
                self.block(&function.body);
                let is_own = |name: &Name<'s>| {
                    function.parameters.iter().any(|parameter| parameter.name.text == name.text)
                };
                let own = self.found.split_off(before);
                self.found.extend(own.into_iter().filter(|name| !is_own(name)));
            }
            _ => {}
        }
    }
}
