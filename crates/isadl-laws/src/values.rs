//! Numbers of any width: pieces of 64 bits, the lowest first.

use isadl::semantics::interval::{Bound, Interval};

/// A number.
pub(crate) type Wide = Vec<u64>;

/// Pseudorandom numbers, the same in each run: SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a limit that is not 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// Any number of some bits.
    pub(crate) fn wide(&mut self, bits: u32) -> Wide {
        let pieces = (0..bits.div_ceil(64)).map(|_| self.next()).collect();
        cut(pieces, bits)
    }
}

/// The lowest bits.
pub(crate) fn cut(mut pieces: Wide, bits: u32) -> Wide {
    pieces.resize(bits.div_ceil(64) as usize, 0);
    let above = bits % 64;
    if let Some(last) = pieces.last_mut().filter(|_| above > 0) {
        *last &= u64::MAX >> (64 - above);
    }
    pieces
}

/// All ones.
pub(crate) fn ones(bits: u32) -> Wide {
    cut(vec![u64::MAX; bits.div_ceil(64) as usize], bits)
}

/// The negation, modulo the number of bits.
fn negated(value: &[u64], bits: u32) -> Wide {
    let mut carry = true;
    let pieces = value.iter().map(|piece| {
        let (sum, overflows) = (!piece).overflowing_add(carry.into());
        carry = overflows;
        sum
    });
    cut(pieces.collect(), bits)
}

/// A small number, or its negation.
fn small(value: u64, is_negative: bool, bits: u32) -> Wide {
    let mut pieces = vec![0; bits.div_ceil(64) as usize];
    pieces.first_mut().into_iter().for_each(|first| *first = value);
    if is_negative { negated(&pieces, bits) } else { cut(pieces, bits) }
}

/// One bit.
fn single(bit: u32, bits: u32) -> Wide {
    let mut pieces = vec![0; bits.div_ceil(64) as usize];
    if let Some(piece) = pieces.get_mut(bit as usize / 64) {
        *piece = 1 << (bit % 64);
    }
    pieces
}

/// How many edges a number has.
pub(crate) const EDGES: u64 = 8;

/// A value at which sums, differences and comparisons change: 0 and 1, all ones, the sign and those beside it.
pub(crate) fn edge(which: u64, bits: u32) -> Wide {
    let sign = single(bits.saturating_sub(1), bits);
    match which % EDGES {
        0 => small(0, false, bits),
        1 => small(1, false, bits),
        2 => ones(bits),
        3 => sign,
        4 => cut(sign.iter().map(|piece| !piece).collect(), bits),
        5 => small(2, true, bits),
        6 => small(2, false, bits),
        _ => {
            let mut above = sign;
            above.first_mut().into_iter().for_each(|piece| *piece |= 1);
            above
        }
    }
}

/// An edge, a small number, a single bit, the value before, or any number.
pub(crate) fn varied(random: &mut Random, bits: u32, before: Option<&Wide>) -> Wide {
    match (random.below(8), before) {
        (0 | 1, _) => edge(random.next(), bits),
        (2, _) => small(random.below(2 * u64::from(bits)), random.below(2) == 1, bits),
        (3, _) => single(random.below(bits.into()) as u32, bits),
        (4, Some(before)) => cut(before.clone(), bits),
        _ => random.wide(bits),
    }
}

/// A value that a register may have: one out of bounds becomes one inside.
pub(crate) fn within(value: Wide, range: Interval, bits: u32) -> Wide {
    let (Bound::Exact(low), Bound::Exact(high)) = (range.low, range.high) else { return value };
    let own = u128::from(value.first().copied().unwrap_or(0))
        | u128::from(value.get(1).copied().unwrap_or(0)) << 64;
    let (Ok(low), Ok(high)) = (u128::try_from(low), u128::try_from(high)) else { return value };
    if value.len() > 2 || (low..=high).contains(&own) || high < low {
        return value;
    }
    let inside = match (high - low).checked_add(1) {
        Some(count) => low + own % count,
        None => own,
    };
    cut(vec![inside as u64, (inside >> 64) as u64], bits)
}

/// Simpler numbers, the simplest first.
pub(crate) fn simpler(value: &Wide, bits: u32) -> Vec<Wide> {
    let mut found = vec![small(0, false, bits), small(1, false, bits)];
    let halved = |by: u32| {
        let all: Vec<bool> = (0..bits).map(|bit| has(value, bit)).collect();
        from_bits((0..bits).map(|bit| all.get((bit + by) as usize).copied().unwrap_or(false)))
    };
    found.extend([bits / 2, bits / 4, bits / 8, 4, 1].into_iter().filter(|by| *by > 0).map(halved));
    for bit in (0..bits).rev().filter(|bit| has(value, *bit)) {
        found.push(from_bits((0..bits).map(|own| own != bit && has(value, own))));
    }
    found.retain(|one| weight(one) < weight(value));
    found
}

/// How complicated a number is.
fn weight(value: &Wide) -> (u32, Vec<u64>) {
    (value.iter().map(|piece| piece.count_ones()).sum(), value.iter().rev().copied().collect())
}

/// Whether a bit is 1.
pub(crate) fn has(value: &[u64], bit: u32) -> bool {
    value.get(bit as usize / 64).is_some_and(|piece| piece >> (bit % 64) & 1 != 0)
}

/// The number with some bits, the lowest first.
pub(crate) fn from_bits(bits: impl Iterator<Item = bool>) -> Wide {
    let mut pieces = Vec::new();
    for (at, bit) in bits.enumerate() {
        if at % 64 == 0 {
            pieces.push(0u64);
        }
        if let Some(last) = pieces.last_mut() {
            *last |= u64::from(bit) << (at % 64);
        }
    }
    pieces
}

/// A number in hexadecimal, or one digit.
pub(crate) fn text(value: &[u64]) -> String {
    let digits: String = value.iter().rev().map(|piece| format!("{piece:016x}")).collect();
    let digits = digits.trim_start_matches('0');
    match digits.len() {
        0 => "0".to_string(),
        1 if digits.as_bytes()[0].is_ascii_digit() => digits.to_string(),
        _ => format!("0x{digits}"),
    }
}

/// The same for a number whose highest bit is a sign.
pub(crate) fn signed_text(value: &[u64], bits: u32) -> String {
    if !has(value, bits - 1) {
        return text(value);
    }
    format!("-{}", text(&negated(value, bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_around_zero_and_the_sign() {
        let all: Vec<String> = (0..EDGES).map(|which| text(&edge(which, 8))).collect();
        assert_eq!(all, ["0", "1", "0xff", "0x80", "0x7f", "0xfe", "2", "0x81"]);
        assert_eq!(text(&edge(3, 128)), "0x80000000000000000000000000000000");
        assert_eq!(text(&edge(2, 65)), "0x1ffffffffffffffff");
        assert_eq!(text(&edge(2, 1)), "1");
    }

    #[test]
    fn simpler_numbers_are_simpler() {
        for value in [edge(2, 32), edge(4, 100), edge(7, 64)] {
            let bits = if value.len() == 2 { 100 } else { 64 };
            assert!(simpler(&value, bits).iter().all(|one| weight(one) < weight(&value)));
        }
        assert!(simpler(&edge(0, 32), 32).is_empty());
    }

    #[test]
    fn signed_numbers_have_a_sign() {
        assert_eq!(signed_text(&edge(2, 33), 33), "-1");
        assert_eq!(signed_text(&edge(3, 70), 70), "-0x200000000000000000");
        assert_eq!(signed_text(&edge(4, 8), 8), "0x7f");
    }

    #[test]
    fn values_stay_within_bounds() {
        let range = Interval::between(0, 4);
        for value in 0..16 {
            let found = within(vec![value], range, 8);
            assert!(found[0] <= 4, "{found:?}");
        }
    }
}
