//! Pairs of opcodes that share bits: each pair once, without a look at most of the others.

use crate::isa::Opcode;

/// Lists with at most this many pairs are compared pair by pair.
const FEW: usize = 64;

/// Visits every pair of opcodes whose fixed bits do not contradict each other.
pub fn sharing(opcodes: &[Opcode], visit: &mut impl FnMut(usize, usize)) {
    let all: Vec<usize> = (0..opcodes.len()).collect();
    Pairs { opcodes, visit }.within(&all, 0);
}

struct Pairs<'p, V> {
    opcodes: &'p [Opcode],
    visit: &'p mut V,
}

/// Opcodes that fix a bit to 0, to 1, and not at all.
type Split = [Vec<usize>; 3];

impl<V: FnMut(usize, usize)> Pairs<'_, V> {
    /// The pairs of a list. The bits in `done` do not distinguish any of its opcodes.
    fn within(&mut self, list: &[usize], done: u128) {
        let bit = match list.len() * list.len().saturating_sub(1) / 2 <= FEW {
            true => None,
            false => {
                let (zeros, ones) = self.counts(list, done);
                best(done, |bit| zeros[bit] * ones[bit])
            }
        };
        let Some(bit) = bit else {
            for (at, second) in list.iter().enumerate() {
                list[..at].iter().for_each(|first| self.pair(*first, *second));
            }
            return;
        };
        let done = done | 1 << bit;
        let [zero, one, free] = self.split(list, bit);
        for part in [&zero, &one, &free] {
            self.within(part, done);
        }
        self.across(&zero, &free, done);
        self.across(&one, &free, done);
    }

    /// Adds the pairs with one element from each list.
    fn across(&mut self, left: &[usize], right: &[usize], done: u128) {
        let bit = match left.len() * right.len() <= FEW {
            true => None,
            false => {
                let (zeros, ones) = self.counts(left, done);
                let (others, other_ones) = self.counts(right, done);
                best(done, |bit| zeros[bit] * other_ones[bit] + ones[bit] * others[bit])
            }
        };
        let Some(bit) = bit else {
            for first in left {
                right.iter().for_each(|second| self.pair(*first, *second));
            }
            return;
        };
        let done = done | 1 << bit;
        let (left, right) = (self.split(left, bit), self.split(right, bit));
        for (at, left) in left.iter().enumerate() {
            for (other, right) in right.iter().enumerate() {
                if at + other != 1 {
                    self.across(left, right, done);
                }
            }
        }
    }

    fn pair(&mut self, first: usize, second: usize) {
        let (a, b) = (&self.opcodes[first], &self.opcodes[second]);
        if (a.value ^ b.value) & a.mask & b.mask == 0 {
            (self.visit)(first.min(second), first.max(second));
        }
    }

    /// How many opcodes fix each bit to 0, and to 1.
    fn counts(&self, list: &[usize], done: u128) -> ([usize; 128], [usize; 128]) {
        let mut counts = ([0; 128], [0; 128]);
        for index in list {
            let opcode = &self.opcodes[*index];
            let mut bits = opcode.mask & !done;
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let side = if opcode.value >> bit & 1 == 0 { &mut counts.0 } else { &mut counts.1 };
                side[bit] += 1;
            }
        }
        counts
    }

    fn split(&self, list: &[usize], bit: u32) -> Split {
        let mut parts = Split::default();
        for index in list {
            let opcode = &self.opcodes[*index];
            let part = match (opcode.mask >> bit & 1, opcode.value >> bit & 1) {
                (0, _) => 2,
                (_, value) => value as usize,
            };
            parts[part].push(*index);
        }
        parts
    }
}

/// The bit that distinguishes the most pairs; `None` if no bit does.
fn best(done: u128, apart: impl Fn(usize) -> usize) -> Option<u32> {
    let open = (0..128u32).filter(|bit| done >> bit & 1 == 0);
    let best = open.map(|bit| (apart(bit as usize), std::cmp::Reverse(bit))).max();
    best.filter(|(count, _)| *count > 0).map(|(_, bit)| bit.0)
}
