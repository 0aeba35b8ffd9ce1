//! W0317: a name set that prints every value like another name set.

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old};
use crate::isa::{Type, TypeKind};
use crate::model::Model;

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let Some(header) = &model.isa else { return };
    let most = model.types.iter().map(|ty| most_names(&ty.ty)).max().unwrap_or(1);
    for name in header.name_sets.iter().skip(most) {
        let message = format!("name set `{}` gives no value a name of its own", name.text);
        let note = match most {
            1 => "every value has one name".to_string(),
            _ => format!("no value has more than {most} names"),
        };
        diagnostics.push(
            Diagnostic::new(Code::W0317, message, name.span).with_note(note).with_removal(
                "remove the set, or give values another name: `fp = 8 : GPR[8] also x8;`",
                Old::Entry(name.span),
            ),
        );
    }
}

/// The most names that a value of a type has.
fn most_names(ty: &Type) -> usize {
    let others = match &ty.kind {
        TypeKind::BitField(values) => values.iter().map(|value| value.also.len()).max(),
        _ => ty.entries().iter().map(|entry| entry.also.len()).max(),
    };
    1 + others.unwrap_or(0)
}
