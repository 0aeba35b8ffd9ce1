//! The order of bytes, units and bits.
//!
//! Codes: E0418 (ends of a range in the wrong order).

use super::Resolver;
use crate::ast::{self, Bits, DefinitionKind, Ident, Notation, Range};
use crate::diagnostic::{Code, Diagnostic, Old};
use crate::isa::WordLayout;

/// The order of bytes, units and bits, for instructions of at most `widest` bits.
pub(super) fn word_layout(isa: &ast::Isa<'_>, widest: u32) -> WordLayout {
    let is = |given: Option<Ident<'_>>, word: &str| given.is_some_and(|given| given.text == word);
    let mut order = WordLayout::new(widest);
    if is(isa.byte_order, "big") {
        order = order.big();
    }
    if let Some((size, place)) = isa.unit {
        order = order.units(size.value as u32, place.text == "high");
    }
    if is(isa.bits, "msb0") { order.msb0() } else { order }
}

impl Resolver<'_, '_> {
    /// Reports ranges that do not begin with their most significant bit.
    pub(super) fn rising_bits(&mut self) {
        let Some(isa) = &self.model.isa else { return };
        let is_msb0 = isa.layout.is_msb0();
        let mut wrong: Vec<Range> = Vec::new();
        for definition in self.files.iter().flat_map(|file| &file.definitions) {
            each(&definition.kind, &mut |bits| {
                let Notation::Square(ranges) = &bits.notation else { return };
                let is_wrong = |range: &&Range| {
                    range.high.value != range.low.value && range.is_rising != is_msb0
                };
                wrong.extend(ranges.iter().filter(is_wrong));
            });
        }
        for range in wrong {
            if self.is_new(Code::E0418, range.span) {
                self.report(wrong_way(range, is_msb0));
            }
        }
    }
}

/// Calls a function with the bits of each statement of a definition.
fn each<'a>(kind: &'a DefinitionKind<'_>, visit: &mut impl FnMut(&'a Bits)) {
    let layer = match kind {
        DefinitionKind::Composite(composite) => {
            return composite.parts.iter().for_each(|part| visit(&part.bits));
        }
        DefinitionKind::Group(layer)
        | DefinitionKind::Optype(layer)
        | DefinitionKind::Opcode(layer)
        | DefinitionKind::Alias(layer) => layer,
        _ => return,
    };
    layer.fields.iter().for_each(|field| visit(&field.bits));
    layer.reserved.iter().for_each(|reserved| visit(&reserved.bits));
}

fn wrong_way(range: Range, is_msb0: bool) -> Diagnostic {
    let (high, low) = (range.high.value, range.low.value);
    let (message, help, old, new) = match is_msb0 {
        false => (
            "range begins with its lower bit",
            format!("the highest bit comes first: write `{high}:{low}`"),
            format!("{low}:{high}"),
            format!("{high}:{low}"),
        ),
        true => (
            "range ends with its most significant bit",
            format!("with `Bits = msb0;` bit 0 is the most significant one: write `{low}:{high}`"),
            format!("{high}:{low}"),
            format!("{low}:{high}"),
        ),
    };
    Diagnostic::new(Code::E0418, message, range.span).with_change(help, Old::Text(old), new)
}
