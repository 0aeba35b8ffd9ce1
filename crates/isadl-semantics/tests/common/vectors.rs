//! Choices of tests for RISC-V's vector unit: types of elements, registers, and what is particular to words.

use crate::random::Random;

/// A type of elements and a length, `vtype` and `vl`, for registers of `vlen` bits.
pub(crate) fn configuration(random: &mut Random, vlen: u64) -> (u64, u64) {
    loop {
        let (sew, lmul) = (random.next() % 4, (random.next() % 7) as i64 - 3);
        if sew as i64 > lmul + 3 {
            continue;
        }
        let most = (vlen << (lmul + 3)) / (64 << sew);
        let vl = match random.next() % 4 {
            0 => most,
            1 => random.next() % 2,
            _ => random.next() % (most + 1),
        };
        let agnostic = random.next() % 4;
        return (agnostic << 6 | sew << 3 | (lmul & 7) as u64, vl.min(most));
    }
}

/// Random bits of a word, in which registers are often the first of groups.
pub(crate) fn bits(random: &mut Random) -> u64 {
    let few = match random.next() % 4 {
        0 => u64::MAX,
        1 => !0x0031_8180,
        2 => !0x0073_8380,
        _ => !0x0010_8080,
    };
    random.next() & few
}

/// Whether a word computes with floating-point numbers.
pub(crate) fn is_float(word: u32) -> bool {
    word & 0x7f == 0x57 && matches!(word >> 12 & 7, 1 | 5)
}

/// Whether a word is a conversion with a rounding mode of its own: towards zero, or to odd.
pub(crate) fn has_own_mode(word: u32) -> bool {
    let kind = word >> 15 & 7;
    is_float(word) && word >> 26 == 0x12 && (kind >= 6 || word >> 15 & 31 == 0x15)
}
