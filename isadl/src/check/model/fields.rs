//! Each field by itself: E0402 (leaves the word), E0403 (no width), E0404 (unlike its type).

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::model::{Field, Model};

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    for field in &model.fields {
        diagnostics_of(model, field)
            .into_iter()
            .for_each(|diagnostic| diagnostics.push(diagnostic));
    }
}

fn diagnostics_of(model: &Model<'_>, field: &Field<'_>) -> Option<Diagnostic> {
    let (lsb, width) = (field.ast.lsb, field.ast.width);
    let name = field.ast.name.text;
    if width.value == 0 {
        return Some(
            Diagnostic::new(Code::E0403, format!("field `{name}` has no bits"), width.span)
                .with_help("a field is written `field<lowest bit, number of bits>`"),
        );
    }
    let word = model.word_width(field.layer);
    if lsb.value + width.value > i128::from(word) {
        return Some(
            Diagnostic::new(
                Code::E0402,
                format!("field `{name}` leaves the instruction word"),
                lsb.span.to(width.span),
            )
            .with_label(format!("bits {}:{}", lsb.value + width.value - 1, lsb.value))
            .with_note(format!("the word has bits {}:0", word - 1)),
        );
    }
    let ty = &model.types[field.ty?.index()];
    if i128::from(ty.ty.width) != width.value {
        let message = format!(
            "field `{name}` has {} bits, but `{}` has {}",
            width.value, ty.ty.name, ty.ty.width
        );
        return Some(
            Diagnostic::new(Code::E0404, message, width.span)
                .with_related(ty.name.span, "the type is defined here"),
        );
    }
    None
}
