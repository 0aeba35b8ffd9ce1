//! Checks of single fields: E0402 (exceeds the word), E0403 (no bits), E0404 (width differs from
//! its type's).

use crate::ast::{Bits, Notation};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old, bits};

use crate::isa::range_text;
use crate::model::{Field, Misplaced, Model};

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    for field in &model.fields {
        if let Some(diagnostic) = diagnostic_of(model, field) {
            diagnostics.push(diagnostic);
        }
    }
}

fn diagnostic_of(model: &Model<'_>, field: &Field<'_>) -> Option<Diagnostic> {
    let place = &field.ast.bits;
    let name = field.ast.name.text;
    Some(match model.misplaced(field)? {
        Misplaced::Empty => {
            let message = format!("field `{name}` has no bits");
            let diagnostic = Diagnostic::new(Code::E0403, message, place.span);
            match as_high_and_low(model, field) {
                Some(range) => with_range(diagnostic, field, range),
                None => {
                    diagnostic.with_help("a field is written `field<lowest bit, number of bits>`")
                }
            }
        }
        Misplaced::Outside(word) => {
            let message = format!("field `{name}` exceeds the instruction word");
            let diagnostic = Diagnostic::new(Code::E0402, message, place.span)
                .with_label(range(model, place))
                .with_note(word_has(model, word));
            match as_high_and_low(model, field) {
                Some(range) => with_range(diagnostic, field, range),
                None => with_highest_place(diagnostic, field, word),
            }
        }
        Misplaced::UnlikeType(ty) => {
            let ty = &model.types[ty.index()];
            let given = bits(u64::try_from(place.width()).unwrap_or(u64::MAX));
            let message = format!(
                "field `{name}` has {given}, but its type `{}` has {}",
                ty.ty.name, ty.ty.width
            );
            let own = ty.ty.width;
            let diagnostic = Diagnostic::new(Code::E0404, message, place.span)
                .with_related(ty.name.span, "the type is defined here");
            let diagnostic = match &place.notation {
                Notation::Angle { lsb, .. } => diagnostic.with_change(
                    format!("write `field<{}, {own}>`, or use a type of {given}", lsb.value),
                    bits_of(place),
                    format!("{}, {own}", lsb.value),
                ),
                Notation::Square(_) => diagnostic
                    .with_help(format!("give {}, or use a type of {given}", bits(own.into()))),
            };
            match as_high_and_low(model, field) {
                Some(range) => with_range(diagnostic, field, range),
                None => diagnostic,
            }
        }
    })
}

/// The numbers of `field<a, b>` that seem to be the highest and the lowest bit: read like this they
/// fit the field's type and the word.
fn as_high_and_low(model: &Model<'_>, field: &Field<'_>) -> Option<(i128, i128)> {
    let Notation::Angle { lsb, width } = &field.ast.bits.notation else { return None };
    let (high, low) = (lsb.value, width.value);
    let width = high.checked_sub(low)?.checked_add(1)?;
    let word = model.isa.as_ref().and_then(|isa| isa.width)?;
    let own = model.types[field.ty?.index()].width?;
    (width == i128::from(own) && high < word.into()).then_some((high, low))
}

/// Proposes square brackets.
fn with_range(diagnostic: Diagnostic, field: &Field<'_>, (high, low): (i128, i128)) -> Diagnostic {
    let width = high - low + 1;
    let place = &field.ast.bits;
    diagnostic
        .with_note("`field<lowest bit, number of bits>` is in angle brackets, `field[high:low]` in square ones")
        .with_help(format!("bits {high}:{low} are `field[{high}:{low}]`"))
        .with_change(
            format!("in angle brackets they are `field<{low}, {width}>`"),
            bits_of(place),
            format!("{low}, {width}"),
        )
}

/// Proposes the highest position in the word where the field fits.
fn with_highest_place(diagnostic: Diagnostic, field: &Field<'_>, word: u32) -> Diagnostic {
    let place = &field.ast.bits;
    let width = place.width();
    let lsb = i128::from(word).checked_sub(width).filter(|lsb| *lsb >= 0);
    match (lsb, &place.notation) {
        (Some(lsb), Notation::Angle { .. }) => diagnostic.with_change(
            format!("the highest position for it is `field<{lsb}, {width}>`"),
            bits_of(place),
            format!("{lsb}, {width}"),
        ),
        (Some(_), Notation::Square(_)) => diagnostic.with_help("use bits within the word"),
        (None, _) => diagnostic.with_help("make the field narrower, or the instruction wider"),
    }
}

/// The bits of a field in angle brackets, without these.
fn bits_of(place: &Bits) -> Old {
    Old::Text(place.to_string().trim_matches(['<', '>']).to_string())
}

/// The bits of words, in words.
pub(super) fn word_has(model: &Model<'_>, word: u32) -> String {
    format!("the word has bits {}", range_text(0, word.into(), model.is_msb0()))
}

/// The bits of a statement, in words.
pub(super) fn range(model: &Model<'_>, bits: &Bits) -> String {
    let pieces = bits.pieces().filter(|(_, width)| *width > 0);
    let text = |(low, width)| range_text(low, width, model.is_msb0());
    let text = pieces.map(text).collect::<Vec<String>>().join(", ");
    if bits.width() == 1 { format!("bit {text}") } else { format!("bits {text}") }
}
