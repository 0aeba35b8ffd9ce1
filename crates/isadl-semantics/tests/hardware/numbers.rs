//! Operations on exact integers, as `LANGUAGE.md` defines them.

use isadl::semantics::program::{Builtin, Fold};
use num_bigint::BigInt;

pub(super) fn power(bits: u32) -> BigInt {
    BigInt::from(1) << bits
}

/// The lowest bits of a number in two's complement.
pub(super) fn lowest(value: &BigInt, bits: u32) -> BigInt {
    let rest = value % power(bits);
    if rest < BigInt::ZERO { rest + power(bits) } else { rest }
}

pub(super) fn small(value: &BigInt) -> u32 {
    u32::try_from(value).expect("a small number that is not negative")
}

pub(super) fn double(value: &BigInt) -> u64 {
    u64::try_from(lowest(value, 64)).expect("64 bits")
}

pub(super) fn truth(value: bool) -> BigInt {
    BigInt::from(u8::from(value))
}

pub(super) fn folded(fold: Fold, values: Vec<BigInt>) -> BigInt {
    let values = values.into_iter();
    match fold {
        Fold::Sum => values.sum(),
        Fold::And => values.fold(BigInt::from(-1), |all, value| all & value),
        Fold::Or => values.fold(BigInt::ZERO, |all, value| all | value),
        Fold::Xor => values.fold(BigInt::ZERO, |all, value| all ^ value),
        Fold::Min => values.min().expect("at least one value"),
        Fold::Max => values.max().expect("at least one value"),
    }
}

pub(super) fn builtin(function: Builtin, values: &[BigInt], width: u32) -> BigInt {
    let first = &values[0];
    let bit = |at: u32| lowest(&(first >> at), 1);
    let rotated = |left: u32| {
        let left = left % width;
        lowest(&((first << left) | (first >> (width - left))), width)
    };
    match function {
        Builtin::Signed if bit(width - 1) != BigInt::ZERO => first - power(width),
        Builtin::Signed | Builtin::Exact => first.clone(),
        Builtin::Use => BigInt::ZERO,
        Builtin::Min => first.min(&values[1]).clone(),
        Builtin::Max => first.max(&values[1]).clone(),
        Builtin::Mod => lowest(first, 0) + (first % &values[1] + &values[1]) % &values[1],
        Builtin::Abs => {
            if *first < BigInt::ZERO {
                -first
            } else {
                first.clone()
            }
        }
        Builtin::Count => (0..width).map(bit).sum(),
        Builtin::LeadingZeros => {
            BigInt::from((0..width).rev().take_while(|at| bit(*at) == BigInt::ZERO).count())
        }
        Builtin::TrailingZeros => {
            BigInt::from((0..width).take_while(|at| bit(*at) == BigInt::ZERO).count())
        }
        Builtin::Repeat => {
            (0..small(&values[1])).fold(BigInt::ZERO, |all, _| (all << width) + first)
        }
        Builtin::Reverse => (0..width).fold(BigInt::ZERO, |all, at| (all << 1) + bit(at)),
        Builtin::RotateLeft => rotated(small(&(&values[1] % width))),
        Builtin::RotateRight => rotated(width - small(&(&values[1] % width))),
        Builtin::Carryless => {
            let bits = (0..width).filter(|at| bit(*at) != BigInt::ZERO);
            bits.fold(BigInt::ZERO, |all, at| all ^ (&values[1] << at))
        }
    }
}
