//! Words for other tools: instructions with given bits, and words that break exactly one rule.

use super::{Answer, Effort, Partial, Prover};
use crate::isa::{Expr, ExtensionSet, Isa, Opcode, OpcodeId, RuleId, low_bits};

/// A word that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// The required bits, besides the fixed bits of the opcode.
    pub mask: u128,
    /// Their values.
    pub value: u128,
    /// The only rule that the word breaks; `None` if it breaks no rule.
    pub breaks: Option<RuleId>,
}

/// Whether there is such a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// There is such a word: this word, with 0 in all irrelevant bits.
    Found(u128),
    /// It is proven that no such word exists.
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

    /// Prepares for questions with a limited effort for each, and for all together.
    pub fn with(isa: &'i Isa, effort: Effort) -> Words<'i> {
        Words { prover: Prover::new(isa, effort) }
    }

    /// Asks for words of implementations with a set of extensions, instead of any that is allowed.
    pub fn with_extensions(mut self, set: ExtensionSet) -> Words<'i> {
        self.prover.set = Some(set);
        self
    }

    /// Finds a word with the fixed bits of an opcode that breaks only the given rule, or none.
    ///
    /// The word does not belong to a special case, and its fields have legal values. Rules for assemblers count like
    /// all others. A word that breaks a rule is not an instruction of another opcode. Bits beyond the opcode's width
    /// are 0.
    pub fn find(&self, opcode: OpcodeId, wanted: Wanted) -> Word {
        let id = opcode;
        let opcode = self.prover.isa.opcode(id);
        let width = low_bits(self.prover.isa.width());
        let bits = Partial { known: wanted.mask, value: wanted.value & wanted.mask };
        let Some(mut question) = self.prover.made(opcode, wanted.breaks).with(bits) else {
            return Word::Impossible;
        };
        if wanted.breaks.is_some() {
            let beyond = Partial { known: width & !opcode.width_mask, value: 0 };
            let Some(shortest) = question.with(beyond) else { return Word::Impossible };
            question = self
                .rivals(id)
                .fold(shortest, |question, rival| question.unlike(self.prover.own(rival)));
        }
        match self.prover.answer(&question) {
            Answer::Word(word) => Word::Found(word & width),
            Answer::None => Word::Impossible,
            Answer::Undecided => Word::Undecided,
        }
    }

    /// Finds a word with the fixed bits of an opcode and legal values that satisfies the first condition and violates
    /// the second.
    pub fn apart(&self, opcode: OpcodeId, first: &Expr, second: &Expr) -> Word {
        let opcode = self.prover.isa.opcode(opcode);
        let question = self.prover.types(opcode);
        let question = question.where_condition(opcode, first, true);
        match self.prover.answer(&question.where_condition(opcode, second, false)) {
            Answer::Word(word) => Word::Found(word & low_bits(self.prover.isa.width())),
            Answer::None => Word::Impossible,
            Answer::Undecided => Word::Undecided,
        }
    }

    /// The opcodes that a word of an opcode may belong to if it breaks a rule. One that fixes fewer bits is not among
    /// them, since special cases keep their words.
    fn rivals(&self, id: OpcodeId) -> impl Iterator<Item = &Opcode> {
        let isa = self.prover.isa;
        let opcode = isa.opcode(id);
        isa.opcodes().iter().enumerate().filter_map(move |(at, other)| {
            let shares = (other.value ^ opcode.value) & other.mask & opcode.mask == 0;
            let is_more_general =
                other.mask & opcode.mask == other.mask && other.mask != opcode.mask;
            (at != id.index() && shares && !is_more_general).then_some(other)
        })
    }
}
