//! Operands that are the same in all instructions of an opcode, and therefore have no field: `Operand<hl> = "hl";`.
//!
//! Such an operand is a composite of one of the bits that the opcode fixes, so that all other code sees an ordinary
//! field. Codes: E0519.

use super::Resolver;
use super::types::format::Shape;
use super::views::Roles;
use crate::ast::{self, Ident, ReservedKind};
use crate::isa::{
    Binding, Bits, Composite, CompositeSegment, Enumerator, MAX_WORD_BITS, NameId, Part, TypeId,
    TypeKind,
};
use crate::model::{CompositeOperand, FixedBit, LayerId};
use crate::source::Span;

/// The name of the bit that such an operand has.
const PART: &str = "fixed_bit";

/// The text of an operand without fields; `None` if it has fields.
pub(super) fn plain_text(shapes: &[Shape<'_>]) -> Option<String> {
    let text = |shape: &Shape<'_>| match shape {
        Shape::Text(text) => Some(text.clone()),
        Shape::Part(_) | Shape::Next(..) | Shape::Optional(..) | Shape::List(_) => None,
    };
    shapes.iter().map(text).collect()
}

impl<'a> Resolver<'a, '_> {
    /// Makes an operand that is always written as a text.
    pub(super) fn plain_view(
        &mut self,
        layer: LayerId,
        roles: &mut Roles,
        (name, format, text): (Ident<'a>, Ident<'a>, String),
        fixed: &[(NameId, u64)],
    ) -> Option<()> {
        if text.trim().is_empty() {
            let message = format!("operand `{}` is written as nothing", name.text);
            self.wrong_view(format.span, message, |d| {
                d.with_help("write a text, with fields in braces, `{field}`")
            });
            return None;
        }
        let Some(bit) = self.fixed_bit(layer, fixed) else {
            let message = format!("operand `{}` is not made of any field", name.text);
            self.wrong_view(format.span, message, |d| {
                d.with_note("an operand without fields is possible where the opcode fixes a bit")
                    .with_help("write fields in braces, `{field}`, or fix a bit by `fixed`")
            });
            return None;
        };
        let raw = u64::from(bit.value);
        let ty = self.fixed_bit_type(name.span, raw);
        let part = Part { name: PART.to_string(), bits: Bits::one(0, 1), ty };
        // The bit is never written, and has its value where it is read.
        let bit_of = CompositeSegment::Optional {
            pieces: vec![CompositeSegment::Part(0)],
            absent: vec![(0, raw)],
        };
        let pieces = vec![CompositeSegment::Text(text), bit_of];
        let alike = format!("{pieces:?} {raw}");
        let kind = TypeKind::Composite(Composite { parts: vec![part], format: pieces });
        let ty = self.view_type(name, Vec::new(), alike, (1, kind));
        let name = self.model.names.intern(name.text);
        roles.composite_operands.push(CompositeOperand {
            name,
            ty,
            parts: Vec::new(),
            fixed: Some(bit),
            value: None,
            is_modifier: false,
        });
        Some(())
    }

    /// The type of one bit that has this value and an empty spelling.
    fn fixed_bit_type(&mut self, span: Span, value: u64) -> TypeId {
        let only = Enumerator {
            name: "Fixed".to_string(),
            value,
            spelling: String::new(),
            also: Vec::new(),
            format: None,
            doc: String::new(),
        };
        let name = Ident { text: PART, span };
        let kind = TypeKind::BitField(vec![only]);
        self.view_type(name, Vec::new(), value.to_string(), (1, kind))
    }

    /// A bit that an opcode fixes.
    fn fixed_bit(&self, layer: LayerId, fixed: &[(NameId, u64)]) -> Option<FixedBit> {
        let is_msb0 = self.model.isa.as_ref().is_some_and(|isa| isa.layout.is_msb0());
        // The least significant bit is in the last piece.
        let bit = |bits: &ast::Bits, value: u64| {
            let (low, count) = bits.pieces().last()?;
            let number = if is_msb0 { low + count - 1 } else { low };
            Some(FixedBit { number: u32::try_from(number).ok()?, value: value & 1 == 1 })
        };
        let layers = self.model.layer(layer).chain.iter();
        let outside = layers.flat_map(|id| &self.model.layer(*id).ast.reserved).filter_map(|own| {
            let value = own.value.map_or(0, |value| value.value as u64);
            (own.kind != ReservedKind::Ignored).then(|| bit(&own.bits, value))?
        });
        let fields = self.model.layer(layer).fields.iter().filter_map(|id| {
            let field = self.model.field(*id);
            let given = fixed.iter().find(|(name, _)| *name == field.name).map(|(_, raw)| *raw);
            let own = match field.binding {
                Some(Binding::Fixed(raw)) => Some(raw),
                _ => None,
            };
            let is_word = !field.is_literal();
            bit(&field.ast.bits, given.or(own).filter(|_| is_word)?)
        });
        // Bits of a literal do not exist in every form. Zeros come first, so that most have one type.
        let given =
            self.model.layer(layer).chain.iter().find_map(|id| self.model.layer(*id).ast.width);
        let widest = self.model.isa.as_ref().and_then(|isa| isa.width).unwrap_or(MAX_WORD_BITS);
        let width = given.map_or(i128::from(widest), |width| width.value);
        let bits = outside.chain(fields).filter(|bit| i128::from(bit.number) < width);
        bits.min_by_key(|bit| (bit.value, bit.number))
    }
}
