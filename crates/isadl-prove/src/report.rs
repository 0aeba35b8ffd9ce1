//! The results of a proof about an instruction set.

/// The results for one generation, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// The name of the instruction set.
    pub isa: String,
    /// The generations, if the instruction set declares some.
    pub generations: Vec<String>,
    /// Its opcodes; a form with a literal counts as an opcode.
    pub opcodes: u64,
    /// Pairs of opcodes.
    pub pairs: u64,
    /// Pairs in which one opcode is a special case of the other.
    pub special_pairs: u64,
    /// Pairs whose shared words are all illegal for one opcode, or belong to a special case.
    pub value_pairs: u64,
    /// Pairs that no set of extensions has together.
    pub exclusive_pairs: u64,
    /// Pairs that share a legal word.
    pub conflicts: u64,
    /// Pairs that remain undecided.
    pub pairs_left: u64,
    /// Opcodes with a legal word of their own.
    pub alive: u64,
    /// Rules, as they are written.
    pub rules: u64,
    /// Rules that forbid a word that no other rule, type or special case takes.
    pub useful_rules: u64,
    /// Values of fields with their own words: values of enumerations and operands.
    pub values: u64,
    /// Pairs of mnemonics of two opcodes that begin with the same word, so that they may share a text.
    pub text_pairs: u64,
    /// Pairs of opcodes with a reported shared text.
    pub texts_shared: u64,
    /// Findings of texts that are not read back.
    pub texts_lost: u64,
    /// Pairs and opcodes of whose texts it remains open whether they are shared, or read back.
    pub texts_open: u64,
    /// Questions that exceeded the budget.
    pub open: u64,
    /// Questions that needed a search.
    pub questions: u64,
    /// Operators that were evaluated for them.
    pub operators: u64,
}

impl Proof {
    /// The pairs that differ in a bit that both fix.
    pub fn bit_pairs(&self) -> u64 {
        let others = [
            self.special_pairs,
            self.value_pairs,
            self.exclusive_pairs,
            self.conflicts,
            self.pairs_left,
        ];
        self.pairs.saturating_sub(others.iter().sum())
    }

    /// Whether every question was decided.
    pub fn is_complete(&self) -> bool {
        self.open == 0 && self.pairs_left == 0 && self.texts_open == 0
    }
}
