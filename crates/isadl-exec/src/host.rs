//! Floating-point operations on the host's hardware, which is several times faster than software.
//!
//! In binary32 and binary64 with rounding to nearest, the host gives the same result as software if operands and result stay away from
//! the limits of the exponent range. Such an operation can only raise the inexact flag, and the rounding error says whether it does.
//! All other cases are computed in software.

use isadl::semantics::float::{Format, Function, Operation, Order, Setting};

use crate::lanes;
use crate::micro::{Micro, More, SettingValue};
use crate::node::{Call, Node, run};
use crate::ops::{self, extra};
use crate::slots::{RAISED, Slot, Slots, get, set};
use crate::state::Core;

/// A result, and whether it is inexact.
type Rounded<T> = (T, bool);

/// A floating-point type of the host. For operands from [`Real::of`], rounding errors are representable and computed exactly.
trait Real: Copy + PartialOrd {
    /// Integers up to this one are all representable.
    const INTEGERS: u64;

    /// Decodes a number that is zero or has a moderate exponent: no step of an operation overflows or underflows.
    fn of(bits: u64) -> Option<Self>;
    fn bits(self) -> u64;
    fn of_integer(integer: i64) -> Self;
    /// Rounds towards zero and saturates at the limits of 64 bits.
    fn integer(self) -> i64;
    fn opposite(self, is_minus: bool) -> Self;
    fn sum(self, other: Self) -> Rounded<Self>;
    fn product(self, other: Self) -> Rounded<Self>;
    fn fused(self, by: Self, plus: Self) -> Rounded<Self>;
    fn quotient(self, other: Self) -> Option<Rounded<Self>>;
    fn root(self) -> Option<Rounded<Self>>;
}

macro_rules! real {
    ($real:ident, $bits:ident, $fraction:literal, $bias:literal, $distance:literal) => {
        impl Real for $real {
            const INTEGERS: u64 = 1 << ($fraction + 1);

            #[inline(always)]
            fn of(bits: u64) -> Option<$real> {
                let magnitude = bits & ($bits::MAX >> 1) as u64;
                let from_least = (magnitude >> $fraction).wrapping_sub($bias - $distance);
                let is_near = from_least <= 2 * $distance || magnitude == 0;
                is_near.then(|| $real::from_bits(bits as $bits))
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits().into()
            }

            #[inline(always)]
            fn of_integer(integer: i64) -> $real {
                integer as $real
            }

            #[inline(always)]
            fn integer(self) -> i64 {
                self as i64
            }

            #[inline(always)]
            fn opposite(self, is_minus: bool) -> $real {
                if is_minus { -self } else { self }
            }

            /// Computes the error with Knuth's two-sum (The Art of Computer Programming, volume 2, 4.2.2, theorem B).
            #[inline(always)]
            fn sum(self, other: $real) -> Rounded<$real> {
                let (sum, error) = two_sum(self, other);
                (sum, error != 0.0)
            }

            #[inline(always)]
            fn product(self, other: $real) -> Rounded<$real> {
                let product = self * other;
                (product, self.mul_add(other, -product) != 0.0)
            }

            /// Computes the error as Boldo and Muller do (Exact and Approximated Error of the FMA, 2011, algorithm 5).
            #[inline(always)]
            fn fused(self, by: $real, plus: $real) -> Rounded<$real> {
                let fused = self.mul_add(by, plus);
                let product = self * by;
                let below = self.mul_add(by, -product);
                let (high, low) = two_sum(plus, below);
                let (top, middle) = two_sum(product, high);
                let error = (top - fused) + middle;
                (fused, error != -low)
            }

            #[inline(always)]
            fn quotient(self, other: $real) -> Option<Rounded<$real>> {
                let quotient = self / other;
                let is_inexact = quotient.mul_add(other, -self) != 0.0;
                (other != 0.0).then_some((quotient, is_inexact))
            }

            #[inline(always)]
            fn root(self) -> Option<Rounded<$real>> {
                let root = self.sqrt();
                (self >= 0.0).then(|| (root, root.mul_add(root, -self) != 0.0))
            }
        }
    };
}

// These exponents leave room for products, and for the last bits of differences after cancellation.
real!(f64, u64, 52, 1023, 400);
real!(f32, u32, 23, 127, 40);

/// The rounded sum of two numbers, and its rounding error.
#[inline(always)]
fn two_sum<T: Copy + std::ops::Add<Output = T> + std::ops::Sub<Output = T>>(a: T, b: T) -> (T, T) {
    let sum = a + b;
    let rest = sum - a;
    (sum, (a - (sum - rest)) + (b - rest))
}

/// Stores the result, or falls back to software if there is none.
#[inline(always)]
fn end<T: Real>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
    result: Option<Rounded<T>>,
) -> u64 {
    match result {
        Some((value, is_inexact)) => end_with(slots, core, node, rest, (value.bits(), is_inexact)),
        None => extra(slots, core, node, rest),
    }
}

#[inline(always)]
fn end_with(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
    (value, is_inexact): (u64, bool),
) -> u64 {
    set(slots, node.d, value);
    slots[usize::from(RAISED)] |= u64::from(is_inexact);
    run(slots, core, rest)
}

/// An operand as a number of type `T`.
macro_rules! operand {
    ($slots:ident, $node:ident, $letter:ident) => {
        T::of(get($slots, $node.$letter))
    };
}

macro_rules! operations {
    ($($name:ident($($flag:ident)*) = |$slots:ident, $node:ident| $result:expr;)*) => {$(
        fn $name<T: Real $(, const $flag: bool)*>(
            $slots: &mut Slots,
            core: &mut Core,
            $node: &Node,
            rest: &[Node],
        ) -> u64 {
            let is_nearest = get($slots, $node.n as Slot) == 0;
            let result = if is_nearest { (|| $result)() } else { None };
            end::<T>($slots, core, $node, rest, result)
        }
    )*};
}

operations! {
    sum(A B) = |slots, node| {
        let (a, b) = (operand!(slots, node, a)?, operand!(slots, node, b)?);
        Some(a.opposite(A).sum(b.opposite(B)))
    };
    product(A) = |slots, node| {
        let (a, b) = (operand!(slots, node, a)?, operand!(slots, node, b)?);
        Some(a.opposite(A).product(b))
    };
    fused(A C) = |slots, node| {
        let (a, b) = (operand!(slots, node, a)?, operand!(slots, node, b)?);
        Some(a.opposite(A).fused(b, operand!(slots, node, c)?.opposite(C)))
    };
    quotient() = |slots, node| operand!(slots, node, a)?.quotient(operand!(slots, node, b)?);
    root() = |slots, node| operand!(slots, node, a)?.root();
}

fn compare<T: Real, const ORDER: usize>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
) -> u64 {
    let (Some(a), Some(b)) = (operand!(slots, node, a), operand!(slots, node, b)) else {
        return extra(slots, core, node, rest);
    };
    let holds = match ORDER {
        0 => a < b,
        1 => a <= b,
        _ => a == b,
    };
    end_with(slots, core, node, rest, (holds.into(), false))
}

/// Converts an integer of `b` bits if the result is exact.
fn from_integer<T: Real, const SIGNED: bool>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
) -> u64 {
    let bits = get(slots, node.a);
    let up = 64 - u32::from(node.b & 127);
    let integer = if SIGNED { (bits << up) as i64 >> up } else { bits as i64 };
    let is_number = integer.unsigned_abs() <= T::INTEGERS && (SIGNED || integer >= 0);
    end(slots, core, node, rest, is_number.then(|| (T::of_integer(integer), false)))
}

/// Converts to an integer of `b` bits, rounding towards zero.
fn to_integer<T: Real, const SIGNED: bool>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
) -> u64 {
    let Some(number) = operand!(slots, node, a) else { return extra(slots, core, node, rest) };
    let integer = number.integer();
    let (width, magnitude) = (u32::from(node.b & 127), integer.unsigned_abs());
    let fits = magnitude <= T::INTEGERS
        && magnitude.checked_shr(width - u32::from(SIGNED)).unwrap_or(0) == 0
        && (SIGNED || number >= T::of_integer(0));
    if !fits {
        return extra(slots, core, node, rest);
    }
    let result = integer as u64 & (u64::MAX >> (64 - width));
    end_with(slots, core, node, rest, (result, T::of_integer(integer) != number))
}

/// Converts binary32 to binary64.
fn widen(slots: &mut Slots, core: &mut Core, node: &Node, rest: &[Node]) -> u64 {
    let number = f32::of(get(slots, node.a));
    end(slots, core, node, rest, number.map(|number| (f64::from(number), false)))
}

/// Converts binary64 to binary32.
fn narrow(slots: &mut Slots, core: &mut Core, node: &Node, rest: &[Node]) -> u64 {
    let is_nearest = get(slots, node.n as Slot) == 0;
    let number = f64::of(get(slots, node.a)).filter(|_| is_nearest);
    end(slots, core, node, rest, number.and_then(narrowed))
}

fn narrowed(number: f64) -> Option<Rounded<f32>> {
    let short = f32::of(Real::bits(number as f32))?;
    // A number that becomes zero underflows.
    (short != 0.0 || number == 0.0).then_some((short, f64::from(short) != number))
}

/// The function of a micro-operation.
pub(crate) fn call(micro: &Micro) -> Call {
    if let Some(call) = lanes::call(micro) {
        return call;
    }
    let host = match micro.more.as_deref() {
        // One more operand multiplies by a power of two.
        Some(More::Float { operation, arguments, settings, raises: true, .. })
            if arguments.len() == operation.from.len().max(1) =>
        {
            of(operation, settings)
        }
        _ => None,
    };
    host.unwrap_or_else(|| ops::call(micro))
}

/// The function for an operation that the host supports.
fn of(operation: &Operation, settings: &[(Setting, SettingValue)]) -> Option<Call> {
    let mode = settings.iter().find(|(setting, _)| *setting == Setting::Rounding);
    let is_known = |number: u8| match mode {
        Some((_, SettingValue::Known(known))) => *known == number,
        Some((_, SettingValue::Slot(_))) => false,
        None => number == 0,
    };
    let may_be_nearest = is_known(0) || matches!(mode, Some((_, SettingValue::Slot(_))));
    let formats = [Format::BINARY32, Format::BINARY64];
    let is_of = |format: Format| operation.from.iter().all(|from| *from == format);
    // These do not depend on the rounding mode, or need another one.
    match operation.function {
        Function::ToInteger { is_signed, .. } if is_known(TO_ZERO) => {
            return match (formats.map(is_of), is_signed) {
                ([true, _], true) => Some(to_integer::<f32, true>),
                ([true, _], false) => Some(to_integer::<f32, false>),
                ([_, true], true) => Some(to_integer::<f64, true>),
                ([_, true], false) => Some(to_integer::<f64, false>),
                _ => None,
            };
        }
        Function::FromInteger { is_signed, .. } => {
            return match (formats.map(|format| operation.to == format), is_signed) {
                ([true, _], true) => Some(from_integer::<f32, true>),
                ([true, _], false) => Some(from_integer::<f32, false>),
                ([_, true], true) => Some(from_integer::<f64, true>),
                ([_, true], false) => Some(from_integer::<f64, false>),
                _ => None,
            };
        }
        Function::Convert if operation.to == Format::BINARY64 && is_of(Format::BINARY32) => {
            return Some(widen);
        }
        Function::Convert if operation.to == Format::BINARY32 && is_of(Format::BINARY64) => {
            return may_be_nearest.then_some(narrow);
        }
        Function::Compare { order, .. } => {
            return match formats.map(is_of) {
                [true, _] => Some(of_order::<f32>(order)),
                [_, true] => Some(of_order::<f64>(order)),
                _ => None,
            };
        }
        _ if !may_be_nearest => return None,
        _ => {}
    }
    match formats.map(|format| is_of(format) && operation.to == format) {
        [true, _] => of_function::<f32>(operation.function),
        [_, true] => of_function::<f64>(operation.function),
        _ => None,
    }
}

/// The number of rounding towards zero.
const TO_ZERO: u8 = 2;

fn of_order<T: Real>(order: Order) -> Call {
    match order {
        Order::Less => compare::<T, 0>,
        Order::LessOrEqual => compare::<T, 1>,
        Order::Equal => compare::<T, 2>,
    }
}

fn of_function<T: Real>(function: Function) -> Option<Call> {
    Some(match function {
        Function::Sum { is_minus: [false, false] } => sum::<T, false, false>,
        Function::Sum { is_minus: [false, true] } => sum::<T, false, true>,
        Function::Sum { is_minus: [true, false] } => sum::<T, true, false>,
        Function::Sum { is_minus: [true, true] } => sum::<T, true, true>,
        Function::Product { is_minus: false } => product::<T, false>,
        Function::Product { is_minus: true } => product::<T, true>,
        Function::Fused { is_minus: [false, false], .. } => fused::<T, false, false>,
        Function::Fused { is_minus: [false, true], .. } => fused::<T, false, true>,
        Function::Fused { is_minus: [true, false], .. } => fused::<T, true, false>,
        Function::Fused { is_minus: [true, true], .. } => fused::<T, true, true>,
        Function::Quotient => quotient::<T>,
        Function::Root => root::<T>,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random number; the exponent is often close to the limits that [`Real::of`] accepts.
    fn bits<T: Real>(random: &mut u64, fraction: u32, bias: u64, distance: u64) -> u64 {
        let mut next = || {
            *random =
                random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            random.rotate_left(31)
        };
        let exponent = match next() % 4 {
            0 => bias - distance + next() % 3,
            1 => bias + distance - next() % 3,
            _ => bias - 3 + next() % 8,
        };
        // Numbers with few set bits often give exact results.
        let ones = if next() % 2 == 0 { next() & next() & next() } else { next() };
        let ones = if next() % 2 == 0 { ones << (fraction / 2) } else { ones };
        let fraction_bits = ones & ((1 << fraction) - 1);
        let sign = next() & ((bias << 1 | 1) + 1);
        let number = sign << fraction | exponent << fraction | fraction_bits;
        if next() % 32 == 0 { sign << fraction } else { number }
    }

    fn check<T: Real>(format: Format, fraction: u32, bias: u64, distance: u64) {
        let mut random = 1;
        let mut next = || bits::<T>(&mut random, fraction, bias, distance);
        let mut exact = 0;
        for _ in 0..200_000 {
            let (x, y, z) = (next(), next(), next());
            let (Some(a), Some(b), Some(c)) = (T::of(x), T::of(y), T::of(z)) else {
                unreachable!("the exponents are moderate")
            };
            let all = [
                (Function::Sum { is_minus: [false; 2] }, Some(a.sum(b))),
                (Function::Product { is_minus: false }, Some(a.product(b))),
                (
                    Function::Fused { is_minus: [false; 2], is_addend_first: false },
                    Some(a.fused(b, c)),
                ),
                (Function::Quotient, a.quotient(b)),
                (Function::Root, a.root()),
            ];
            for (function, result) in all {
                let Some((result, is_inexact)) = result else { continue };
                let from = vec![format; 3];
                let operation = Operation { function, from, to: format };
                let (expected, flags) = operation.evaluate(&[x, y, z], &[]);
                let found = (result.bits(), u8::from(is_inexact));
                assert_eq!(found, (expected, flags.bits()), "{function:?} {x:#x} {y:#x} {z:#x}");
                exact += u32::from(!is_inexact);
            }
        }
        assert!((50_000..800_000).contains(&exact), "{exact} exact results");
    }

    #[test]
    fn narrow_numbers_and_flags_are_those_of_software() {
        let (mut random, mut done) = (1, 0);
        for distance in [8, 40, 150, 400] {
            for _ in 0..20_000 {
                let x = bits::<f64>(&mut random, 52, 1023, distance);
                let Some((short, is_inexact)) = f64::of(x).and_then(narrowed) else { continue };
                let from = vec![Format::BINARY64];
                let operation =
                    Operation { function: Function::Convert, from, to: Format::BINARY32 };
                let (expected, flags) = operation.evaluate(&[x], &[]);
                let found = (Real::bits(short), u8::from(is_inexact));
                assert_eq!(found, (expected, flags.bits()), "{x:#x}");
                done += 1;
            }
        }
        assert!(done > 30_000, "{done} conversions");
    }

    #[test]
    fn results_and_flags_are_those_of_software() {
        check::<f64>(Format::BINARY64, 52, 1023, 400);
        check::<f32>(Format::BINARY32, 23, 127, 40);
    }
}
