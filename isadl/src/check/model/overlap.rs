//! E0401: fields that share bits, in one definition or between a child and its chain.
//!
//! A layer answers for its own fields; those of two parents clash at the child that joins them.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::model::{FieldId, LayerId, Model};

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    for id in model.layer_ids() {
        check_layer(model, id, diagnostics);
    }
}

fn check_layer(model: &Model<'_>, id: LayerId, diagnostics: &mut Diagnostics) {
    let layer = model.layer(id);
    let mut taken: u128 = 0;
    for (position, field) in layer.fields.iter().enumerate() {
        let mask = model.field(*field).mask();
        if taken & mask == 0 {
            taken |= mask;
            continue;
        }
        let before =
            layer.fields[..position].iter().find(|other| model.field(**other).mask() & mask != 0);
        let Some(other) = before.copied() else { continue };
        // What an ancestor declares was reported there, unless two parents meet here.
        let own = model.field(*field).layer == id;
        let joined = layer.parents.iter().all(|parent| {
            let fields = &model.layer(*parent).fields;
            !(fields.contains(field) && fields.contains(&other))
        });
        if own || joined {
            diagnostics.push(overlap(model, id, *field, other));
        }
    }
}

fn overlap(model: &Model<'_>, id: LayerId, field: FieldId, other: FieldId) -> Diagnostic {
    let (a, b) = (model.field(field), model.field(other));
    let shared = a.mask() & b.mask();
    let bits = bits(shared);
    let message =
        format!("fields `{}` and `{}` overlap in {bits}", a.ast.name.text, b.ast.name.text);
    let place = |field: &crate::model::Field<'_>| {
        let (lsb, width) = (field.ast.lsb.value, field.ast.width.value);
        format!("`{}` covers bits {}:{lsb}", field.ast.name.text, lsb + width - 1)
    };
    let own = a.layer == id;
    let span = if own { a.ast.span } else { model.layer(id).header };
    let mut diagnostic = Diagnostic::new(Code::E0401, message, span);
    diagnostic = if own {
        diagnostic.with_label(place(a))
    } else {
        diagnostic.with_label("two parents meet here").with_related(a.ast.span, place(a))
    };
    let from = model.layer(b.layer).name.text;
    let inherited =
        if b.layer == id { String::new() } else { format!(", inherited from `{from}`") };
    diagnostic
        .with_related(b.ast.span, format!("{}{inherited}", place(b)))
        .with_help("move one of the two, or narrow it")
}

fn bits(mask: u128) -> String {
    let (low, high) = (mask.trailing_zeros(), 127 - mask.leading_zeros());
    if low == high { format!("bit {low}") } else { format!("bits {high}:{low}") }
}
