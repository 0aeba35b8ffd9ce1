//! What was proven of an instruction set.

/// What was proven of one generation, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// The name of the instruction set.
    pub isa: String,
    /// The generations, if the instruction set declares some.
    pub generations: Vec<String>,
    /// Its opcodes; a form with a literal is one of its own.
    pub opcodes: u64,
    /// Pairs of opcodes.
    pub pairs: u64,
    /// Those of which one is a special case of the other.
    pub special_pairs: u64,
    /// Those of which every shared word is illegal for one of them, or belongs to a special case.
    pub value_pairs: u64,
    /// Those of which no set of extensions has both.
    pub exclusive_pairs: u64,
    /// Those that share a legal word.
    pub conflicts: u64,
    /// Those for which this remains open.
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
    /// Those of opcodes of which a shared text is reported.
    pub texts_shared: u64,
    /// Findings of texts that are not read back.
    pub texts_lost: u64,
    /// Pairs and opcodes of whose texts it remains open whether they are shared, or read back.
    pub texts_open: u64,
    /// Questions for which the budget did not suffice.
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
