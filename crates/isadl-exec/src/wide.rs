//! Operations on numbers of any width, in pieces of 64 bits, the lowest first.

use isadl::semantics::ir::{BinaryOp, UnaryOp};

use crate::micro::Wide;
use crate::slots::pieces;

type Pieces = Vec<u64>;

/// The result of an operation, with zeros above its bits.
pub(crate) fn compute(op: Wide, operands: &[(&[u64], u32)], width: u32) -> Pieces {
    let mut found = match (op, operands) {
        (Wide::Unary(op), [(of, bits)]) => unary(op, of, *bits),
        (Wide::Binary(op), [(a, bits), (b, _)]) => binary(op, a, b, *bits),
        _ => Vec::new(),
    };
    found.resize(pieces(width), 0);
    cut(&mut found, width);
    found
}

/// Clears the bits above.
fn cut(value: &mut [u64], bits: u32) {
    let rest = bits % 64;
    if rest != 0
        && let Some(last) = value.get_mut(pieces(bits) - 1)
    {
        *last &= (1 << rest) - 1;
    }
}

fn bit(value: &[u64], at: u32) -> bool {
    value.get((at / 64) as usize).is_some_and(|piece| piece >> (at % 64) & 1 != 0)
}

fn unary(op: UnaryOp, of: &[u64], bits: u32) -> Pieces {
    let zeros_above = || {
        let top = of.iter().rev().position(|piece| *piece != 0);
        top.map_or(bits, |skipped| {
            let at = of.len() - 1 - skipped;
            bits - 64 * at as u32 - (64 - of[at].leading_zeros())
        })
    };
    match op {
        UnaryOp::Not => of.iter().map(|piece| !piece).collect(),
        UnaryOp::Neg => sum(&[0].repeat(of.len()), of, true),
        UnaryOp::Count => vec![of.iter().map(|piece| u64::from(piece.count_ones())).sum()],
        UnaryOp::LeadingZeros => vec![zeros_above().into()],
        UnaryOp::TrailingZeros => {
            let low = of.iter().position(|piece| *piece != 0);
            vec![low.map_or(bits, |at| 64 * at as u32 + of[at].trailing_zeros()).into()]
        }
        UnaryOp::Reverse => {
            let mut all = vec![0; of.len()];
            for at in (0..bits).filter(|at| bit(of, *at)) {
                let to = bits - 1 - at;
                all[(to / 64) as usize] |= 1 << (to % 64);
            }
            all
        }
    }
}

fn sum(a: &[u64], b: &[u64], is_difference: bool) -> Pieces {
    let mut carry = is_difference;
    let mut all = Vec::with_capacity(a.len());
    for (at, x) in a.iter().enumerate() {
        let y = b.get(at).copied().unwrap_or(0);
        let y = if is_difference { !y } else { y };
        let (first, one) = x.overflowing_add(y);
        let (second, two) = first.overflowing_add(carry.into());
        carry = one || two;
        all.push(second);
    }
    all
}

fn product(a: &[u64], b: &[u64]) -> Pieces {
    let mut all = vec![0_u64; a.len()];
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, y) in b.iter().enumerate().take(a.len() - i) {
            let term = u128::from(*x) * u128::from(*y) + u128::from(all[i + j]) + carry;
            all[i + j] = term as u64;
            carry = term >> 64;
        }
    }
    all
}

/// Shifted left by a distance, or right if it is less than 0; zeros come in.
fn shifted(a: &[u64], distance: i64) -> Pieces {
    let (whole, rest) = (distance.div_euclid(64), distance.rem_euclid(64) as u32);
    let of = |at: i64| usize::try_from(at).ok().and_then(|at| a.get(at)).copied().unwrap_or(0);
    let piece = |at: i64| {
        let (low, high) = (of(at - whole - 1), of(at - whole));
        if rest == 0 { high } else { high << rest | low >> (64 - rest) }
    };
    (0..a.len() as i64).map(piece).collect()
}

/// A distance, at most a number of bits.
fn distance(b: &[u64], bits: u32) -> i64 {
    let is_far = b.iter().skip(1).any(|piece| *piece != 0) || b[0] > u64::from(bits);
    if is_far { bits.into() } else { b[0] as i64 }
}

/// The same number in two's complement, with copies of its sign up to whole pieces.
fn with_signs(a: &[u64], bits: u32) -> Pieces {
    let mut all = a.to_vec();
    if bit(a, bits - 1)
        && !bits.is_multiple_of(64)
        && let Some(last) = all.last_mut()
    {
        *last |= u64::MAX << (bits % 64);
    }
    all
}

fn is_less(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// Quotient and remainder of numbers without sign; all ones and the dividend if the divisor is 0.
fn divided(a: &[u64], b: &[u64], bits: u32) -> (Pieces, Pieces) {
    if b.iter().all(|piece| *piece == 0) {
        return (vec![u64::MAX; a.len()], a.to_vec());
    }
    let (mut quotient, mut rest) = (vec![0; a.len()], vec![0; a.len() + 1]);
    let mut divisor = b.to_vec();
    divisor.resize(a.len() + 1, 0);
    for at in (0..bits).rev() {
        rest = shifted(&rest, 1);
        rest[0] |= u64::from(bit(a, at));
        if !is_less(&rest, &divisor) {
            rest = sum(&rest, &divisor, true);
            quotient[(at / 64) as usize] |= 1 << (at % 64);
        }
    }
    rest.truncate(a.len());
    (quotient, rest)
}

fn negative(a: &[u64]) -> Pieces {
    sum(&vec![0; a.len()], a, true)
}

fn binary(op: BinaryOp, a: &[u64], b: &[u64], bits: u32) -> Pieces {
    let piecewise = |f: fn(u64, u64) -> u64| a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect();
    let truth = |value: bool| vec![value.into()];
    let is_negative = |value: &[u64]| bit(value, bits - 1);
    match op {
        BinaryOp::Add => sum(a, b, false),
        BinaryOp::Sub => sum(a, b, true),
        BinaryOp::Mul => product(a, b),
        BinaryOp::And => piecewise(|x, y| x & y),
        BinaryOp::Or => piecewise(|x, y| x | y),
        BinaryOp::Xor => piecewise(|x, y| x ^ y),
        BinaryOp::Shl => shifted(a, distance(b, bits)),
        BinaryOp::ShrZeros => shifted(a, -distance(b, bits)),
        BinaryOp::ShrSigns => {
            let by = distance(b, bits);
            let all = shifted(&with_signs(a, bits), -by);
            match is_negative(a) {
                false => all,
                true => {
                    let ones = vec![u64::MAX; a.len()];
                    let above = shifted(&ones, 64 * a.len() as i64 - by);
                    all.iter().zip(above).map(|(x, y)| x | y).collect()
                }
            }
        }
        BinaryOp::DivUnsigned => divided(a, b, bits).0,
        BinaryOp::RemUnsigned => divided(a, b, bits).1,
        BinaryOp::DivSigned | BinaryOp::RemSigned => {
            let size = |value: &[u64]| {
                let whole = with_signs(value, bits);
                if is_negative(value) { negative(&whole) } else { whole }
            };
            let (quotient, rest) = divided(&size(a), &size(b), 64 * a.len() as u32);
            let is_zero = b.iter().all(|piece| *piece == 0);
            match op {
                BinaryOp::DivSigned if is_zero => vec![u64::MAX; a.len()],
                BinaryOp::DivSigned if is_negative(a) != is_negative(b) => negative(&quotient),
                BinaryOp::DivSigned => quotient,
                _ if is_zero => a.to_vec(),
                _ if is_negative(a) => negative(&rest),
                _ => rest,
            }
        }
        BinaryOp::RotateLeft => {
            let (_, by) = divided(b, &widened(bits.into(), b.len()), 64 * b.len() as u32);
            let by = by[0] as i64;
            let (left, right) = (shifted(a, by), shifted(a, by - i64::from(bits)));
            left.iter().zip(right).map(|(x, y)| x | y).collect()
        }
        BinaryOp::Carryless => {
            let mut all = vec![0; 2 * a.len()];
            let mut term = a.to_vec();
            term.resize(all.len(), 0);
            for at in (0..bits).filter(|at| bit(b, *at)) {
                let moved = shifted(&term, at.into());
                all.iter_mut().zip(moved).for_each(|(x, y)| *x ^= y);
            }
            all
        }
        BinaryOp::Equal => truth(a == b),
        BinaryOp::LessUnsigned => truth(is_less(a, b)),
        BinaryOp::LessSigned => truth(match (is_negative(a), is_negative(b)) {
            (true, false) => true,
            (false, true) => false,
            _ => is_less(a, b),
        }),
    }
}

fn widened(value: u64, count: usize) -> Pieces {
    let mut all = vec![0; count];
    all[0] = value;
    all
}
