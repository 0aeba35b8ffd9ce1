//! How an opcode is written in assembly text: the pieces of its canonical text, in order.
//!
//! `guard mnemonic.modifiers operands controls`. It is derived once, when an opcode is lowered; the
//! printer, the parser and every backend follow it.
//!
//! Invariant: omitted pieces can be recovered from the text. The rule: a written text belongs to the first place where
//! it fits.

use isadl_base::vocabulary::Symbol;

use super::{MnemonicPiece, NameId, Opcode, OperandLocation, TypeId};

/// How an opcode is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Syntax {
    /// The text before the first modifier; fields in it are as the specification has them, `b.{cond}`.
    pub mnemonic: String,
    /// Other mnemonics that the assembler accepts.
    pub aliases: Vec<String>,
    /// The pieces of each of [`Syntax::mnemonics`]; none if no fields are in them.
    pub pieces: Vec<Vec<MnemonicPiece>>,
    /// The operand before the mnemonic, `@P0`.
    pub guard: Option<OperandSyntax>,
    /// The modifiers after the mnemonic, or as words after the operands, in canonical order.
    pub modifiers: Vec<ModifierSyntax>,
    /// The other operands, in order.
    pub operands: Vec<OperandSyntax>,
    /// The fields that are written as `$name=value` after the operands.
    pub controls: Vec<ModifierSyntax>,
}

impl Syntax {
    /// All mnemonics that the assembler accepts, the canonical mnemonic first, as written in the specification.
    pub fn mnemonics(&self) -> impl Iterator<Item = &str> {
        [self.mnemonic.as_str()].into_iter().chain(self.aliases.iter().map(String::as_str))
    }
}

/// A modifier or control field in text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModifierSyntax {
    /// The field.
    pub field: NameId,
    /// Its position in `ModiOrder`, if given.
    pub rank: Option<u32>,
    /// The field's value when it is not written; `None` if it must be.
    pub absent: Option<u64>,
    /// The words for which the piece is omitted; `None` if it is always written.
    pub omission: Option<Omission>,
}

/// An operand in text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OperandSyntax {
    /// Its index in [`Opcode::operands`].
    pub operand: usize,
    /// The marks around it, outermost first.
    pub marks: Vec<Attribute>,
    /// The attributes that are written after it, `.H0`, in the order of their bits.
    pub suffixes: Vec<ModifierSyntax>,
    /// The modifier that selects the format of its number.
    pub format: Option<NameId>,
    /// The type whose constants replace literals of the same value.
    pub constants: Option<TypeId>,
    /// The literal type as which its numbers are parsed, to find the constants with the same
    /// bits.
    pub literal: Option<TypeId>,
    /// Whether it may be omitted.
    pub is_optional: bool,
    /// The words for which the piece is omitted; `None` if it is always written.
    pub omission: Option<Omission>,
}

impl OperandSyntax {
    /// The place of the operand.
    pub fn place(&self, opcode: &Opcode) -> OperandLocation {
        opcode.operands[self.operand].place
    }
}

/// A one-bit attribute that is written as a mark.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attribute {
    /// The field.
    pub field: NameId,
    /// The mark.
    pub symbol: Symbol,
    /// The modifier that turns the mark into `~` when it has a value that is written.
    pub extension: Option<NameId>,
    /// The word that wraps a constant, as in `neg(1)`.
    pub call: Option<String>,
}

/// Bits of a word and their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Omission {
    /// The bits.
    pub mask: u128,
    /// Their values.
    pub value: u128,
}

impl Omission {
    /// The condition that holds for every word.
    pub const ALWAYS: Omission = Omission { mask: 0, value: 0 };

    /// Whether the word has the values.
    pub fn holds(self, word: u128) -> bool {
        word & self.mask == self.value
    }

    /// The condition that both hold.
    pub fn and(self, other: Omission) -> Omission {
        Omission { mask: self.mask | other.mask, value: self.value | other.value }
    }
}
