//! Printing steps for mnemonics with fields in them, and for value names that need a search.

use super::step::{MAX_LONE_BITS, Step, literal};
use super::steps::Builder;
use crate::isa::{Inst, MnemonicPiece, NameId, TypeKind};

impl Builder<'_> {
    /// The mnemonic up to its first field, and the steps that write the rest of it.
    pub(super) fn mnemonic(&self) -> (String, Vec<Step>) {
        let syntax = &self.opcode.syntax;
        let Some(pieces) = syntax.pieces.first() else {
            return (syntax.mnemonic.clone(), Vec::new());
        };
        let (mut first, mut steps) = (String::new(), Vec::new());
        for piece in pieces {
            match piece {
                MnemonicPiece::Text(text) if steps.is_empty() => first += text,
                MnemonicPiece::Text(text) => steps.push(literal(text)),
                MnemonicPiece::Field(name) => steps.extend(self.in_mnemonic(*name)),
            }
        }
        (first, steps)
    }

    /// The step that writes a field of the mnemonic.
    fn in_mnemonic(&self, name: NameId) -> Option<Step> {
        let field = self.opcode.field(name)?;
        let ty = self.isa.ty(field.ty);
        let text = |inst: Inst| self.isa.value_text(ty, field.extract(inst.word));
        let choice = self.choice(field.mask(), MAX_LONE_BITS, text);
        choice.or_else(|| match ty.kind {
            TypeKind::BitField(_) => self.name(name, ""),
            _ => Some(Step::Number { field: field.bits.clone(), ty: field.ty, format: None }),
        })
    }

    /// The name of a modifier's value with its sign, by a search.
    pub(super) fn name(&self, field: NameId, sign: &'static str) -> Option<Step> {
        let field = self.opcode.field(field)?;
        let bits = field.bits.clone();
        Some(Step::Value { field: bits, ty: field.ty, operand: None, sign })
    }
}
