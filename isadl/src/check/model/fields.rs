//! Each field by itself: E0402 (leaves the word), E0403 (no width), E0404 (unlike its type).

use crate::diagnostic::{Code, Diagnostic, Diagnostics, bits};
use crate::model::{Field, Misplaced, Model};

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    for field in &model.fields {
        if let Some(diagnostic) = diagnostic_of(model, field) {
            diagnostics.push(diagnostic);
        }
    }
}

fn diagnostic_of(model: &Model<'_>, field: &Field<'_>) -> Option<Diagnostic> {
    let (lsb, width) = (field.ast.lsb, field.ast.width);
    let name = field.ast.name.text;
    Some(match model.misplaced(field)? {
        Misplaced::Empty => {
            Diagnostic::new(Code::E0403, format!("field `{name}` has no bits"), width.span)
                .with_help("a field is written `field<lowest bit, number of bits>`")
        }
        Misplaced::Outside(word) => {
            let message = format!("field `{name}` leaves the instruction word");
            let (first, last) = (lsb.value, lsb.value + width.value - 1);
            let label =
                if first == last { format!("bit {first}") } else { format!("bits {last}:{first}") };
            Diagnostic::new(Code::E0402, message, lsb.span.to(width.span))
                .with_label(label)
                .with_note(format!("the word has bits {}:0", word - 1))
        }
        Misplaced::UnlikeType(ty) => {
            let ty = &model.types[ty.index()];
            let given = bits(u64::try_from(width.value).unwrap_or(u64::MAX));
            let message =
                format!("field `{name}` has {given}, but `{}` has {}", ty.ty.name, ty.ty.width);
            Diagnostic::new(Code::E0404, message, width.span)
                .with_related(ty.name.span, "the type is defined here")
        }
    })
}
