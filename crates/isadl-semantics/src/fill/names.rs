//! What names are in the text of a word: operands as the assembler writes them, what an `apply` makes of them, expressions with a name.

use isadl_ir::isa::{NameId, TypeKind};

use super::{Call, Fill, beside_index};
use crate::syntax::ast::{Declaration, Expr, Name, StatementKind};
use crate::texts::parsed;

/// How many names are written out inside each other.
const MAX_DEPTH: usize = 16;

impl<'f> Fill<'f> {
    /// The text of a name for which more than a register or number is written; it may need brackets.
    pub(super) fn composed(&self, name: &str) -> Option<String> {
        if let Some((outer, argument)) = self.argument(name) {
            return Some(outer.text(argument));
        }
        let Some(field) = self.field(name).map(|field| field.name) else {
            return self.meaning(name);
        };
        if self.is_inside(field) {
            return self.plain(name);
        }
        match self.is_plain(field) {
            true => self.meaning(name),
            // The author's name, if names are written out too deep: the register would not be what is read.
            false => Some(self.applied(field, &self.plain(name)?).unwrap_or(name.to_string())),
        }
    }

    /// The register or number that a name means; `None` for other names.
    pub(super) fn plain(&self, name: &str) -> Option<String> {
        let field = self.field(name)?;
        if let Some((_, register)) = self.register.filter(|(own, _)| *own == field.name) {
            return Some(register.to_string());
        }
        let (ty, raw) = (self.isa.ty(field.ty), field.extract(self.word));
        let text = match ty.enumerator(raw) {
            _ if matches!(ty.kind, TypeKind::Composite(_)) => self.meaning(name)?,
            Some(value) => value.name.clone(),
            None => self.isa.value_text(ty, raw),
        };
        // Words without a value are not instructions.
        (!text.is_empty()).then_some(text)
    }

    /// Whether an operand is its register or number: no `apply` makes something else of it, or this is inside of that.
    pub(super) fn is_plain(&self, field: NameId) -> bool {
        let is_applied = |about: &Declaration<'_>| matches!(about, Declaration::Apply { .. });
        self.is_inside(field) || !self.is_declared(field, is_applied)
    }

    /// Whether this is the text of an `apply` about an operand.
    fn is_inside(&self, field: NameId) -> bool {
        self.register.is_some_and(|(own, _)| own == field)
    }

    /// An element of a list, `ra[i]`, with what an `apply` makes of it.
    pub(super) fn element(&self, of: &Expr<'_>, indices: &[Expr<'_>]) -> Option<String> {
        let name = of.as_name()?.text;
        let field = self.field(name)?.name;
        let is_list = |about: &Declaration<'_>| matches!(about, Declaration::Elements { .. });
        if self.depth == MAX_DEPTH || self.is_plain(field) || !self.is_declared(field, is_list) {
            return None;
        }
        let indices: Vec<String> = indices.iter().map(|index| self.text(index)).collect();
        self.applied(field, &format!("{}[{}]", beside_index(self.plain(name)?), indices.join(", ")))
    }

    /// What an `apply` makes of an operand with a register.
    fn applied(&self, field: NameId, register: &str) -> Option<String> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.with_declared(field, |source, about| {
            let Declaration::Apply { value, .. } = about else { return None };
            let (depth, register) = (self.depth + 1, Some((field, register)));
            let fill = Fill { source, depth, register, call: None, ..*self };
            Some(fill.text(value))
        })
    }

    /// Whether a group declares something about an operand.
    fn is_declared(&self, field: NameId, wanted: impl Fn(&Declaration<'_>) -> bool) -> bool {
        self.with_declared(field, |_, about| wanted(about).then_some(())).is_some()
    }

    /// The result of a step on the nearest declaration about an operand for which it has one.
    fn with_declared<T>(
        &self,
        field: NameId,
        step: impl Fn(&str, &Declaration<'_>) -> Option<T>,
    ) -> Option<T> {
        self.texts.about(&self.opcode.name).rev().find_map(|source| {
            let program = parsed(source);
            let StatementKind::Declare(about) = &program.statements.first()?.kind else {
                return None;
            };
            let mut names = about.operands().iter().filter_map(|name| self.field(name.text));
            names.any(|own| own.name == field).then(|| step(source, about))?
        })
    }

    /// The argument of a parameter in a function that is written out, and the text that it is from.
    pub(super) fn argument(&self, name: &str) -> Option<(&'f Fill<'f>, &'f Expr<'f>)> {
        let call = self.call?;
        let at = call.parameters.iter().position(|parameter| parameter.name.text == name)?;
        Some((call.outer, call.arguments.get(at)?))
    }

    /// The result of a function that is called in an `apply`, if the function does nothing but choose, and the word decides which.
    pub(super) fn written_out(&self, function: Name<'_>, arguments: &[Expr<'_>]) -> Option<String> {
        if self.register.is_none() || self.depth == MAX_DEPTH {
            return None;
        }
        let source = self.texts.declared(&self.opcode.name, function.text)?;
        let program = parsed(source);
        let StatementKind::Declare(Declaration::Function(function)) =
            &program.statements.first()?.kind
        else {
            return None;
        };
        let [statement] = &function.body.statements[..] else { return None };
        let (StatementKind::Value(value) | StatementKind::Return(value)) = &statement.kind else {
            return None;
        };
        let call = Call { outer: self, parameters: &function.parameters, arguments };
        let depth = self.depth + 1;
        let fill = Fill { source, depth, register: None, call: Some(&call), ..*self };
        fill.reduced(value).map(|taken| fill.text(taken))
    }

    /// The text or the number that a `let` or `const` gives a name.
    fn meaning(&self, name: &str) -> Option<String> {
        self.with_meaning(name, |fill, value| match fill.value(value) {
            Some(value) => value.to_string(),
            None => fill.text(value),
        })
    }

    /// Does something with the expression that a `let` or `const` gives a name.
    pub(super) fn with_meaning<T>(
        &self,
        name: &str,
        step: impl FnOnce(&Fill<'_>, &Expr<'_>) -> T,
    ) -> Option<T> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        let source = self.texts.declared(&self.opcode.name, name)?;
        let program = parsed(source);
        let declaration = program.statements.first().map(|statement| &statement.kind);
        let Some(StatementKind::Declare(declaration)) = declaration else { return None };
        match declaration {
            // The value of an operand is its own, unless it is an address, which has none.
            Declaration::Let { .. } | Declaration::Const { .. } if self.has_value(name) => None,
            // The word does not decide its value.
            Declaration::Let { otherwise: Some(_), .. } => None,
            Declaration::Let { value, .. } | Declaration::Const { value, .. } => {
                let fill = Fill { source, depth: self.depth + 1, call: None, ..*self };
                Some(step(&fill, value))
            }
            _ => None,
        }
    }

    fn has_value(&self, name: &str) -> bool {
        let ty = self.field(name).map(|field| self.isa.ty(field.ty));
        ty.is_some_and(|ty| !matches!(ty.kind, TypeKind::Composite(_)))
    }
}
