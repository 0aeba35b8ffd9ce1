//! The aliases of an operation: other texts of some of its instructions.

use isadl_ir::isa::{Alias, Binding, Generations, Isa, Opcode};

use super::operation::Operation;
use super::text::{Table, code};
use crate::wording::{expressions, syntax, values};

/// An alias in words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AliasText {
    /// How it is written.
    syntax: String,
    /// How the opcode is written.
    plain: String,
    /// Which instructions it is for.
    meant: Vec<String>,
    is_printed: bool,
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

impl Operation<'_> {
    /// The table of its aliases; empty if there are none.
    pub(super) fn aliases(&self) -> String {
        let mut aliases: Vec<(&AliasText, Generations)> = Vec::new();
        for view in self.forms.iter().flat_map(|form| form.plain()) {
            for alias in &view.is.aliases {
                match aliases.iter_mut().find(|(known, _)| *known == alias) {
                    Some((_, known)) => *known = known.union(view.generations),
                    None => aliases.push((alias, view.generations)),
                }
            }
        }
        if aliases.is_empty() {
            return String::new();
        }
        let mut table = Table::new(&["Alias", "Instruction", "Where", "Generations", "Note"]);
        for (alias, generations) in &aliases {
            let note = if alias.is_printed { "" } else { "only read" };
            table.row(vec![
                code(&alias.syntax),
                code(&alias.plain),
                alias.meant.join(", "),
                self.book.generations(*generations),
                note.to_string(),
            ]);
        }
        format!(
            "## Aliases\n\nThe first one that fits is printed, unless aliases are switched off.\n\n{}\n",
            table.render()
        )
    }
}
