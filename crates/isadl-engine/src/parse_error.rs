//! Why a text is not an instruction.

use super::decode::RowId;

/// The maximum number of steps of a search.
pub(crate) const MAX_STEPS: u32 = 10_000;

/// Why a text is not an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseError {
    /// The position in the text, in bytes.
    pub offset: usize,
    /// The fault.
    pub reason: Reason,
    /// The part of the instruction that could not be read.
    pub part: Part,
    /// The row that could be read furthest.
    pub closest: Option<RowId>,
}

/// A part of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// No operand: the mnemonic, modifiers, control fields, or all of it.
    General,
    /// The guard.
    Guard,
    /// The operand at this position of the row's form.
    Operand(u16),
}

/// The integers that an operand accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    /// Whether their bits are in two's complement.
    pub is_signed: bool,
    /// Bits of an integer.
    pub bits: u8,
    /// Their row in [`Texts::notations`](super::image_text::Texts).
    pub notation: u16,
}

/// The fault of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The text does not begin with a known mnemonic.
    UnknownMnemonic,
    /// Only other sets of extensions have the mnemonic. The error names one of its rows.
    Absent,
    /// Only other generations have the mnemonic.
    OtherGeneration,
    /// This was expected, in words.
    Expected(&'static str),
    /// The name of this number was expected.
    ExpectedName(u32),
    /// A value of the type of this number was expected.
    ExpectedValue(u32),
    /// An integer was expected.
    ExpectedInteger(Numbers),
    /// The row does not have this modifier.
    UnknownModifier,
    /// The row has this modifier only once.
    RepeatedModifier,
    /// The modifier must come before other modifiers.
    MisplacedModifier,
    /// The modifier of this position must be written.
    MissingModifier(u16),
    /// The attribute of this position was expected after the operand.
    ExpectedSuffix(u16),
    /// The name of a control field that was not given yet was expected.
    ExpectedControl,
    /// This number of registers was expected, to hold the operand's bits.
    ExpectedRegisters(u16),
    /// The number of the first register must be a multiple of this.
    Misaligned(u32),
    /// An integer is out of range.
    OutOfRange(Numbers),
    /// An integer is not a multiple of the scale.
    NotMultiple(Numbers),
    /// A number cannot be encoded.
    NotEncoded,
    /// An address is out of reach: the integers are the possible distances.
    OutOfReach(Numbers),
    /// The value of a relocation depends on the address of the instruction.
    NoAddress,
    /// Only linkers know the value of a relocation.
    Linker,
    /// The value contradicts an earlier text for the same bits.
    NotAgain,
    /// A pattern has more bits than this.
    TooWide(u8),
    /// A number is too large or too small for its format.
    NotRepresentable {
        /// Bits of the exponent.
        exponent: u8,
        /// Bits of the fraction.
        fraction: u8,
    },
    /// The opcode has other bits there.
    Unfit,
    /// A field has no default and no text.
    Unwritable,
    /// The field of this name has a value that it cannot have.
    IllegalValue(u16),
    /// The rule of this number forbids it.
    Rule(u16),
    /// With these values the word belongs to another opcode: the number of its name.
    SpecialCase(u16),
    /// This row fits as well.
    Ambiguous(RowId),
}

/// How far reading came, and why it stopped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure {
    pub(crate) at: usize,
    pub(crate) reason: Reason,
    pub(crate) part: Part,
}

impl Failure {
    /// Whether it concerns the instruction as a whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.weight() == 2
    }

    fn weight(&self) -> u8 {
        match self.reason {
            Reason::Unfit
            | Reason::Unwritable
            | Reason::IllegalValue(_)
            | Reason::Rule(_)
            | Reason::SpecialCase(_) => 2,
            Reason::Misaligned(_)
            | Reason::OutOfRange(_)
            | Reason::NotMultiple(_)
            | Reason::OutOfReach(_)
            | Reason::NoAddress
            | Reason::Linker
            | Reason::TooWide(_)
            | Reason::NotAgain
            | Reason::NotRepresentable { .. } => 1,
            _ => 0,
        }
    }

    /// Orders failures for reporting: the furthest in the text wins. At one position, a fault of the text that is there
    /// is more informative than an expectation of another opcode.
    pub(crate) fn rank(&self) -> (usize, u8) {
        (self.at, self.weight())
    }

    /// The failure in a part of the instruction.
    pub(crate) fn within(self, part: Part) -> Failure {
        Failure { part, ..self }
    }

    /// The error for a row or for the line.
    pub(crate) fn error(self, closest: Option<RowId>) -> ParseError {
        ParseError { offset: self.at, reason: self.reason, part: self.part, closest }
    }
}

pub(crate) fn fail<R>(at: usize, reason: Reason) -> Result<R, Failure> {
    Err(Failure { at, reason, part: Part::General })
}

pub(crate) fn expected<R>(at: usize, text: &'static str) -> Result<R, Failure> {
    fail(at, Reason::Expected(text))
}
