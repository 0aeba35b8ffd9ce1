//! Describes an alias of an opcode in words.

use isadl_ir::isa::{Alias, Binding, Isa, Opcode};

use super::text::code;
use crate::wording::{expressions, syntax, values};

/// An alias in words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AliasText {
    /// How it is written.
    pub(super) syntax: String,
    /// How the opcode is written.
    pub(super) plain: String,
    /// Which instructions it is for.
    pub(super) meant: Vec<String>,
    /// Whether it is printed, or only read.
    pub(super) is_printed: bool,
}

/// An alias of an opcode.
pub(super) fn alias(isa: &Isa, opcode: &Opcode, alias: &Alias) -> AliasText {
    let is_open = |name| {
        let own = opcode.field(name);
        own.is_some_and(|field| !matches!(field.binding, Binding::Fixed(_)))
    };
    let fixed = alias.form.encoded().filter_map(|field| match field.binding {
        Binding::Fixed(raw) if is_open(field.name) => {
            let value = values::value(isa, isa.ty(field.ty), raw);
            Some(format!("{} is {value}", code(isa.name_of(field.name))))
        }
        _ => None,
    });
    let computed = alias.form.composite_operands.iter().filter_map(|view| {
        let value = code(&expressions::text(isa, opcode, isa.expr(view.value?)));
        Some(format!("{} is {value}", code(isa.name_of(view.name))))
    });
    // The condition also covers fields that follow from other fields.
    let condition = alias.condition.map(|id| code(&expressions::text(isa, opcode, isa.expr(id))));
    let needed = (alias.form.requires != opcode.requires)
        .then(|| format!("with {}", code(&isa.extensions().condition(&alias.form.requires))));
    AliasText {
        syntax: syntax::line(isa, &alias.form),
        plain: syntax::line(isa, opcode),
        meant: fixed.chain(condition).chain(computed).chain(needed).collect(),
        is_printed: alias.is_printed,
    }
}
