//! Floating-point operations by the arithmetic of the host, where it gives the same as software.

use isadl::semantics::float::near::{self, Double, Half, Near, Real, Single};
use isadl::semantics::float::{Format, Function, Operation, Order, Setting};

use crate::lanes;
use crate::micro::{Micro, More, SettingValue};
use crate::node::{Call, FELL, Node, Nodes, go_on};
use crate::ops::{self, extra};
use crate::slots::{RAISED, Slot, Slots, get, set};
use crate::state::Core;

/// Stores the result, or falls back to software.
#[inline(always)]
fn end(slots: &mut Slots, core: &mut Core, node: &Node, nodes: Nodes<'_>, result: Near) -> u64 {
    if !result.is_it {
        return extra(slots, core, node, nodes);
    }
    set(slots, node.d, result.bits);
    slots[usize::from(RAISED)] |= u64::from(result.is_inexact);
    go_on(slots, core, nodes)
}

/// An encoding, or that with the opposite sign.
#[inline(always)]
fn signed<T: Real>(bits: u64, is_minus: bool) -> u64 {
    if is_minus { T::opposite(bits) } else { bits }
}

/// The square root. A root that is exact has the operand as its square.
#[inline(always)]
fn rooted<T: Real>(bits: u64) -> Near {
    let (number, is_it) = T::wide(bits);
    let root = T::of_wide(number.sqrt());
    let square = T::product(root.bits, root.bits);
    let is_inexact = square.is_inexact | (square.bits != bits) & (number != 0.0);
    let is_it = is_it & root.is_it & square.is_it & (number >= 0.0);
    Near { is_inexact, is_it, ..root }
}

macro_rules! operations {
    ($($name:ident($($flag:ident)*) = |$a:ident, $b:ident, $c:ident| $result:expr;)*) => {$(
        fn $name<T: Real $(, const $flag: bool)*>(
            slots: &mut Slots,
            core: &mut Core,
            nodes: Nodes<'_>,
        ) -> u64 {
            let Some(node) = nodes.as_slice().first() else { return FELL };
            let ($a, $b, $c) = (get(slots, node.a), get(slots, node.b), get(slots, node.c));
            let mut result: Near = $result;
            result.is_it &= get(slots, node.n as Slot) == 0;
            end(slots, core, node, nodes, result)
        }
    )*};
}

operations! {
    sum(A B) = |a, b, _c| T::sum(signed::<T>(a, A), signed::<T>(b, B));
    product(A) = |a, b, _c| T::product(signed::<T>(a, A), b);
    fused(A C) = |a, b, c| T::fused(signed::<T>(a, A), b, signed::<T>(c, C));
    quotient() = |a, b, _c| T::quotient(a, b);
    root() = |a, _b, _c| rooted::<T>(a);
}

fn compare<T: Real, const ORDER: usize>(
    slots: &mut Slots,
    core: &mut Core,
    nodes: Nodes<'_>,
) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    let (a, b) = (get(slots, node.a), get(slots, node.b));
    let result = match ORDER {
        0 => near::less::<T>(a, b),
        1 => near::less_or_equal::<T>(a, b),
        _ => near::equal::<T>(a, b),
    };
    end(slots, core, node, nodes, result)
}

/// Converts an integer of `b` bits if the result is exact.
fn from_integer<T: Real, const SIGNED: bool>(
    slots: &mut Slots,
    core: &mut Core,
    nodes: Nodes<'_>,
) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    let width = u32::from(node.b & 127);
    let mut result = near::from_integer::<T>(get(slots, node.a), width, SIGNED);
    result.is_it &= !result.is_inexact;
    end(slots, core, node, nodes, result)
}

/// Converts to an integer of `b` bits, rounding towards zero.
fn to_integer<T: Real, const SIGNED: bool>(
    slots: &mut Slots,
    core: &mut Core,
    nodes: Nodes<'_>,
) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    let width = u32::from(node.b & 127);
    let result = near::to_integer::<T>(get(slots, node.a), width, SIGNED);
    end(slots, core, node, nodes, result)
}

/// Converts to another format.
fn convert<T: Real, To: Real>(slots: &mut Slots, core: &mut Core, nodes: Nodes<'_>) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    let mut result = near::converted::<T, To>(get(slots, node.a));
    result.is_it &= !result.is_inexact || get(slots, node.n as Slot) == 0;
    end(slots, core, node, nodes, result)
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
    let is_of = |format: Format| operation.from.iter().all(|from| *from == format);
    let from = match operation.function {
        Function::FromInteger { .. } => operation.to,
        _ => *operation.from.first()?,
    };
    if !is_of(from) {
        return None;
    }
    match from {
        Format::BINARY16 => of_format::<Half>(operation, settings),
        Format::BINARY32 => of_format::<Single>(operation, settings),
        Format::BINARY64 => of_format::<Double>(operation, settings),
        _ => None,
    }
}

/// The function for an operation on a format.
fn of_format<T: Real>(operation: &Operation, settings: &[(Setting, SettingValue)]) -> Option<Call> {
    let mode = settings.iter().find(|(setting, _)| *setting == Setting::Rounding);
    let is_known = |number: u8| match mode {
        Some((_, SettingValue::Known(known))) => *known == number,
        Some((_, SettingValue::Slot(_))) => false,
        None => number == 0,
    };
    let may_be_nearest = is_known(0) || matches!(mode, Some((_, SettingValue::Slot(_))));
    // These do not depend on the rounding mode, or need another one.
    match operation.function {
        Function::ToInteger { is_signed, .. } if is_known(TO_ZERO) => {
            return Some(match is_signed {
                true => to_integer::<T, true>,
                false => to_integer::<T, false>,
            });
        }
        Function::FromInteger { is_signed, .. } => {
            return Some(match is_signed {
                true => from_integer::<T, true>,
                false => from_integer::<T, false>,
            });
        }
        Function::Compare { order, .. } => return Some(of_order::<T>(order)),
        Function::Convert
            if may_be_nearest || operation.to.fraction() > operation.from[0].fraction() =>
        {
            return Some(match operation.to {
                Format::BINARY16 => convert::<T, Half>,
                Format::BINARY32 => convert::<T, Single>,
                Format::BINARY64 => convert::<T, Double>,
                _ => return None,
            });
        }
        _ if !may_be_nearest => return None,
        _ => {}
    }
    if operation.to == operation.from[0] { of_function::<T>(operation.function) } else { None }
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
