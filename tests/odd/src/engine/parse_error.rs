//! Why a text is not an instruction.

use super::decode::RowId;

/// Most steps in search of what is meant.
pub(crate) const MAX_STEPS: u32 = 10_000;

/// Why a text is not an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseError<'a> {
    /// Byte of the text.
    pub offset: usize,
    /// What is wrong there.
    pub reason: Reason<'a>,
    /// The row of which the most could be read.
    pub closest: Option<RowId>,
}

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason<'a> {
    /// No mnemonic is known that the text begins with.
    UnknownMnemonic,
    /// Only other generations have the mnemonic that the text begins with.
    OtherGeneration,
    /// This text was expected.
    Expected(&'a str),
    /// A value of the type of this number was expected.
    ExpectedValue(u32),
    /// A modifier that the instruction has was expected.
    ExpectedModifier,
    /// Registers that hold the operand's bits were expected: so many.
    ExpectedRegisters(u16),
    /// The number of the first register must be a multiple of this.
    Misaligned(u32),
    /// An integer is out of range.
    OutOfRange,
    /// A number is too large or too small for its format.
    NotRepresentable,
    /// The opcode has other bits there.
    Unfit,
    /// The rule of this number forbids it.
    Rule(u16),
    /// With these values the word is that of another opcode: the number of its name.
    SpecialCase(u16),
    /// This row fits as well.
    Ambiguous(RowId),
}

/// How far a reading came, and why not further.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure<'a> {
    pub(crate) at: usize,
    pub(crate) reason: Reason<'a>,
}

impl Failure<'_> {
    /// Whether it concerns the instruction as a whole.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.reason, Reason::Unfit | Reason::Rule(_))
    }

    /// Orders failures by which of them is reported: the one that is furthest in the text; at one
    /// place, what is wrong with what is there says more than what another opcode expects there.
    pub(crate) fn rank(&self) -> (usize, u8) {
        let weight = match self.reason {
            Reason::Unfit | Reason::Rule(_) => 2,
            Reason::Misaligned(_) | Reason::OutOfRange | Reason::NotRepresentable => 1,
            _ => 0,
        };
        (self.at, weight)
    }
}

pub(crate) fn fail<'a, R>(at: usize, reason: Reason<'a>) -> Result<R, Failure<'a>> {
    Err(Failure { at, reason })
}

pub(crate) fn expected<'a, R>(at: usize, text: &'a str) -> Result<R, Failure<'a>> {
    fail(at, Reason::Expected(text))
}
