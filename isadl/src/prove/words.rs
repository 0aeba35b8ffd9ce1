//! Words that tools ask for: instructions with given bits, and words that break one rule alone.

use super::{Answer, Effort, Partial, Prover};
use crate::isa::{Isa, OpcodeId, RuleId};

/// A word that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// The bits that it must have, besides those that its opcode fixes.
    pub mask: u128,
    /// Their values.
    pub value: u128,
    /// The only rule that it breaks; without one, it breaks none.
    pub breaks: Option<RuleId>,
}

/// Whether there is such a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// There is: this one, with 0 in all bits that do not matter.
    Found(u128),
    /// It was proved that there is none.
    Impossible,
    /// The search would take too long.
    Undecided,
}

/// Finds words of the opcodes of an instruction set.
///
/// ```
/// use isadl::prove::{Wanted, Word, Words};
///
/// # let mut sources = isadl::source::SourceMap::new();
/// # sources.add("tiny.isa", b"
/// # __DefIsa TINY<8>
/// # __DefImmediate Code<4>
/// #     Number = unsigned;
/// # __DefGroup ALL : []
/// # __DefOptype SKIP : [ALL]
/// # __DefOpcode SKIP_X : [SKIP]
/// #   __Encoding
/// #     field<0, 4> Code code == 7;
/// #     field<4, 4> Code count;
/// #   __OperandInfo
/// #     Order<count>;
/// #   __Exception
/// #     EncodingError<Far, \"too far\"> = count > 9;
/// # ".to_vec());
/// let isa = isadl::compile(&sources).into_isa().expect("no errors");
/// let opcode = isa.find_opcode("SKIP_X").expect("an opcode");
/// let words = Words::new(&isa);
/// let high = Wanted { mask: 0x80, value: 0x80, breaks: None };
/// assert_eq!(words.find(opcode, high), Word::Found(0x87));
/// let rule = isa.opcode(opcode).rules[0];
/// assert_eq!(words.find(opcode, Wanted { breaks: Some(rule), ..high }), Word::Found(0xa7));
/// let higher = Wanted { mask: 0xc0, value: 0xc0, breaks: None };
/// assert_eq!(words.find(opcode, higher), Word::Impossible);
/// ```
pub struct Words<'i> {
    prover: Prover<'i>,
}

impl<'i> Words<'i> {
    /// Prepares for questions about an instruction set.
    pub fn new(isa: &'i Isa) -> Words<'i> {
        Words::with(isa, Effort::Full)
    }

    /// Prepares for questions of which each may take only so much effort, and all together.
    pub fn with(isa: &'i Isa, effort: Effort) -> Words<'i> {
        Words { prover: Prover::new(isa, effort) }
    }

    /// Finds a word with the fixed bits of an opcode, not of its special cases, whose fields have legal
    /// values, and that breaks no rule of the opcode but the given one. Rules for assemblers count like
    /// all others.
    pub fn find(&self, opcode: OpcodeId, wanted: Wanted) -> Word {
        let opcode = self.prover.isa.opcode(opcode);
        let bits = Partial { known: wanted.mask, value: wanted.value & wanted.mask };
        let Some(question) = self.prover.made(opcode, wanted.breaks).with(bits) else {
            return Word::Impossible;
        };
        match self.prover.answer(&question) {
            Answer::Word(word) => Word::Found(word),
            Answer::None => Word::Impossible,
            Answer::Undecided => Word::Undecided,
        }
    }
}
