//! Questions about two words at once: each word satisfies its own question, and some of their bits are equal.

use super::search::search;
use super::{Answer, Budget, Partial, Prover, Question};

/// The words of two questions, and the bits that they have in common.
pub struct Joint<'q> {
    /// The questions, one for each word.
    pub sides: [Question<'q>; 2],
    /// A bit of the first word and the bit of the second that equals it.
    pub linked: Vec<[u32; 2]>,
}

/// The answer to two questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Both {
    /// There are such words.
    Words([u128; 2]),
    /// There are none.
    None,
    /// The budget did not suffice.
    Undecided,
}

impl Prover<'_> {
    /// Answers two questions whose words have bits in common.
    pub(crate) fn both(&self, joint: &Joint<'_>) -> Both {
        self.within_budget(|budget| {
            let fixed = [joint.sides[0].fixed, joint.sides[1].fixed];
            from(joint, fixed, budget)
        })
    }
}

impl Prover<'_> {
    /// Answers two questions whose words have bits in common. If `apart` has bits, the words differ in at least one of
    /// these bits.
    pub fn both_apart(&self, joint: &Joint<'_>, apart: u128) -> Both {
        if apart == 0 {
            return self.both(joint);
        }
        let mut is_undecided = false;
        let bits = (0..128).filter(|bit| apart >> bit & 1 == 1);
        for (bit, value) in bits.flat_map(|bit| [(bit, false), (bit, true)]) {
            let side = |side: usize, value: bool| {
                let bits = Partial { known: 0, value: 0 }.with(bit, value);
                joint.sides[side].clone().with(bits)
            };
            let (Some(a), Some(b)) = (side(0, value), side(1, !value)) else { continue };
            match self.both(&Joint { sides: [a, b], linked: joint.linked.clone() }) {
                Both::None => {}
                Both::Undecided => is_undecided = true,
                found => return found,
            }
        }
        if is_undecided { Both::Undecided } else { Both::None }
    }
}

/// Decides the common bits that constraints depend on, one by one, then each word by itself.
fn from(joint: &Joint<'_>, fixed: [Partial; 2], budget: &mut Budget) -> Both {
    let Some(fixed) = agreed(joint, fixed) else { return Both::None };
    let mut linked = [0; 2];
    for link in &joint.linked {
        linked[0] |= 1u128 << link[0];
        linked[1] |= 1u128 << link[1];
    }
    // The constraint that depends on the fewest bits fails first.
    let mut open: Option<(u32, usize, u128)> = None;
    for (side, (question, bits)) in joint.sides.iter().zip(fixed).enumerate() {
        for constraint in &question.constraints {
            if budget.take(constraint.operators()).is_none() {
                return Both::Undecided;
            }
            match constraint.truth(bits) {
                Some(true) => {}
                Some(false) => return Both::None,
                None => {
                    let unknown = constraint.support() & !bits.known;
                    let count = unknown.count_ones();
                    let is_fewer = open.is_none_or(|(fewest, ..)| count < fewest);
                    if unknown & linked[side] != 0 && is_fewer {
                        open = Some((count, side, unknown));
                    }
                }
            }
        }
    }
    let found = open.and_then(|(_, side, unknown)| {
        joint.linked.iter().find(|link| unknown >> link[side] & 1 == 1)
    });
    let Some(link) = found else { return apart(joint, fixed, budget) };
    let mut is_undecided = false;
    for value in [false, true] {
        let next = [0, 1].map(|side| fixed[side].with(link[side], value));
        match from(joint, next, budget) {
            Both::None => {}
            Both::Undecided => is_undecided = true,
            found => return found,
        }
    }
    if is_undecided { Both::Undecided } else { Both::None }
}

/// Each word by itself; bits in common that are left are 0.
fn apart(joint: &Joint<'_>, mut fixed: [Partial; 2], budget: &mut Budget) -> Both {
    for link in &joint.linked {
        for (side, bits) in fixed.iter_mut().enumerate() {
            if bits.known >> link[side] & 1 == 0 {
                *bits = bits.with(link[side], false);
            }
        }
    }
    let mut words = [0; 2];
    for ((question, bits), word) in joint.sides.iter().zip(fixed).zip(&mut words) {
        match search(bits, &question.constraints, budget) {
            Answer::Word(found) => *word = found,
            Answer::None => return Both::None,
            Answer::Undecided => return Both::Undecided,
        }
    }
    Both::Words(words)
}

/// Copies bits that are known on one side to the other side; `None` if they differ.
fn agreed(joint: &Joint<'_>, mut fixed: [Partial; 2]) -> Option<[Partial; 2]> {
    // A bit can be linked with several bits, so known values propagate.
    loop {
        let before = fixed;
        for link in &joint.linked {
            let value = |side: usize| {
                let bits: Partial = fixed[side];
                (bits.known >> link[side] & 1 == 1).then_some(bits.value >> link[side] & 1 == 1)
            };
            match (value(0), value(1)) {
                (Some(a), Some(b)) if a != b => return None,
                (Some(a), None) => fixed[1] = fixed[1].with(link[1], a),
                (None, Some(b)) => fixed[0] = fixed[0].with(link[0], b),
                _ => {}
            }
        }
        if fixed == before {
            return Some(fixed);
        }
    }
}
