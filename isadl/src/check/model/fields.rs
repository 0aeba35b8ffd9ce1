//! Checks of single fields: E0402 (exceeds the word), E0403 (no bits), E0404 (width differs from
//! its type's).

use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Fix, bits};
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
            let message = format!("field `{name}` has no bits");
            let diagnostic = Diagnostic::new(Code::E0403, message, lsb.span.to(width.span));
            match as_high_and_low(model, field) {
                Some(range) => with_range(diagnostic, field, range),
                None => {
                    diagnostic.with_help("a field is written `field<lowest bit, number of bits>`")
                }
            }
        }
        Misplaced::Outside(word) => {
            let message = format!("field `{name}` exceeds the instruction word");
            let (first, last) = (lsb.value, lsb.value + width.value - 1);
            let label =
                if first == last { format!("bit {first}") } else { format!("bits {last}:{first}") };
            let diagnostic = Diagnostic::new(Code::E0402, message, lsb.span.to(width.span))
                .with_label(label)
                .with_note(format!("the word has bits {}:0", word - 1));
            match as_high_and_low(model, field) {
                Some(range) => with_range(diagnostic, field, range),
                None => with_highest_place(diagnostic, field, word),
            }
        }
        Misplaced::UnlikeType(ty) => {
            let ty = &model.types[ty.index()];
            let given = bits(u64::try_from(width.value).unwrap_or(u64::MAX));
            let message = format!(
                "field `{name}` has {given}, but its type `{}` has {}",
                ty.ty.name, ty.ty.width
            );
            let own = ty.ty.width;
            let diagnostic = Diagnostic::new(Code::E0404, message, lsb.span.to(width.span))
                .with_related(ty.name.span, "the type is defined here");
            let diagnostic = diagnostic.with_fix(
                format!("write `field<{}, {own}>`, or use a type of {given}", lsb.value),
                place_fix(field, (lsb.value, own.into())),
            );
            match as_high_and_low(model, field) {
                Some(range) => with_range(diagnostic, field, range),
                None => diagnostic,
            }
        }
    })
}

/// The lowest bit and the width of a field whose numbers seem to be its highest and lowest bit:
/// read like this they fit its type and the word.
fn as_high_and_low(model: &Model<'_>, field: &Field<'_>) -> Option<(i128, i128)> {
    let (high, low) = (field.ast.lsb.value, field.ast.width.value);
    let width = high.checked_sub(low)?.checked_add(1)?;
    let word = model.isa.as_ref().and_then(|isa| isa.width)?;
    let own = model.types[field.ty?.index()].width?;
    (width == i128::from(own) && high < word.into()).then_some((low, width))
}

fn with_range(diagnostic: Diagnostic, field: &Field<'_>, (lsb, width): (i128, i128)) -> Diagnostic {
    let (high, low) = (field.ast.lsb.value, field.ast.width.value);
    diagnostic.with_note("a field is written `field<lowest bit, number of bits>`").with_fix(
        format!("bits {high}:{low} are `field<{lsb}, {width}>`"),
        place_fix(field, (lsb, width)),
    )
}

/// Proposes the highest position in the word at which the field fits.
fn with_highest_place(diagnostic: Diagnostic, field: &Field<'_>, word: u32) -> Diagnostic {
    let width = field.ast.width.value;
    match i128::from(word).checked_sub(width).filter(|lsb| *lsb >= 0) {
        Some(lsb) => diagnostic.with_fix(
            format!("the highest position for it is `field<{lsb}, {width}>`"),
            place_fix(field, (lsb, width)),
        ),
        None => diagnostic.with_help("make the field narrower, or the instruction wider"),
    }
}

/// Replaces the position and width of a field.
fn place_fix(field: &Field<'_>, (lsb, width): (i128, i128)) -> Fix {
    let old = format!("{}, {}", field.ast.lsb.value, field.ast.width.value);
    Fix { old, new: format!("{lsb}, {width}"), certainty: Certainty::Guess }
}
