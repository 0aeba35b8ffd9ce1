//! The steps by which opcodes are printed, as they are decided.

use std::rc::Rc;

use crate::isa::TypeId;

/// Bits of a word: the lowest and their number.
pub(super) type Run = (u32, u32);

/// Texts of a choice, which opcodes share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Texts {
    list: Rc<[String]>,
    /// Bytes of the longest.
    pub(super) longest: usize,
}

impl Texts {
    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    /// What is the same for copies of these texts, while one of them exists.
    pub(super) fn address(&self) -> usize {
        self.list.as_ptr() as usize
    }
}

impl FromIterator<String> for Texts {
    fn from_iter<I: IntoIterator<Item = String>>(texts: I) -> Texts {
        let list: Rc<[String]> = texts.into_iter().collect();
        let longest = list.iter().map(String::len).max().unwrap_or(0);
        Texts { list, longest }
    }
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// One of the texts, by runs of bits; the later ones count more.
    Choice { runs: [Run; 3], texts: Texts },
    /// A number; the format is the type's, or selected by the bits of a modifier.
    Number { field: Run, ty: TypeId, format: Option<(Run, TypeId)> },
    /// A number after a register, with its sign; nothing for 0.
    Offset { field: Run, ty: TypeId },
    /// A name with its sign, by a search for its entry; nothing for a value without a name.
    Value { field: Run, ty: TypeId, operand: Option<usize>, sign: &'static str },
    /// Passes over steps where the word has these bits.
    Skip { mask: u128, value: u128, steps: usize },
    /// A constant, where the bits are those of one; then steps are passed over. The constants by
    /// rising bits.
    Constant { field: Run, constants: Vec<(u64, String)>, steps: usize },
    /// Passes over steps unless the bits are in one of the ranges, both ends included.
    Call { field: Run, ranges: Vec<(u64, u64)>, steps: usize },
    /// The operands begin, each with a comma before it.
    Join,
    /// They end; the first comma is made a space.
    Joined,
}

/// How many of the steps that follow may be passed over.
pub(super) fn passed(step: &Step) -> Option<usize> {
    match step {
        Step::Skip { steps, .. } | Step::Constant { steps, .. } | Step::Call { steps, .. } => {
            Some(*steps)
        }
        _ => None,
    }
}
