//! What each micro-operation does.

use crate::memory::{Access, Memory};
use crate::micro::{Binary, Form, Kind};
use crate::more;
use crate::node::{Call, JUMPED, Node, STOPPED, TAKEN, run};
use crate::slots::{Slot, Slots};
use crate::state::Core;

#[inline(always)]
pub(crate) fn get(slots: &Slots, slot: Slot) -> u64 {
    slots[usize::from(slot)]
}

#[inline(always)]
pub(crate) fn set(slots: &mut Slots, slot: Slot, value: u64) {
    slots[usize::from(slot)] = value;
}

/// Defines a function for the results of operations on numbers of one size.
macro_rules! operation {
    ($(#[$doc:meta])* $name:ident, $unsigned:ident, $signed:ident) => {
        $(#[$doc])*
        #[inline(always)]
        fn $name(op: Binary, a: $unsigned, b: $unsigned) -> $unsigned {
            const LAST: $unsigned = $unsigned::BITS as $unsigned - 1;
            let far = |value: $unsigned| if b <= LAST { value } else { 0 };
            let near = b & LAST;
            let (x, y) = (a as $signed, b as $signed);
            match op {
                Binary::Add => a.wrapping_add(b),
                Binary::Sub => a.wrapping_sub(b),
                Binary::Mul => a.wrapping_mul(b),
                Binary::And => a & b,
                Binary::Or => a | b,
                Binary::Xor => a ^ b,
                Binary::ShiftLeft => a << near,
                Binary::ShiftRight => a >> near,
                Binary::ShiftRightSigned => (x >> near) as $unsigned,
                Binary::FarLeft => far(a << near),
                Binary::FarRight => far(a >> near),
                Binary::FarRightSigned => (x >> b.min(LAST)) as $unsigned,
                Binary::RotateLeft => a.rotate_left(near as u32),
                Binary::MulHighUnsigned => high(u128::from(a) * u128::from(b)),
                Binary::MulHighSigned => high((i128::from(x) * i128::from(y)) as u128),
                Binary::MulHighMixed => high(i128::from(x).wrapping_mul(i128::from(b)) as u128),
                Binary::DivUnsigned => a.checked_div(b).unwrap_or($unsigned::MAX),
                Binary::RemUnsigned => a.checked_rem(b).unwrap_or(a),
                Binary::DivSigned if b == 0 => $unsigned::MAX,
                Binary::DivSigned => x.wrapping_div(y) as $unsigned,
                Binary::RemSigned if b == 0 => a,
                Binary::RemSigned => x.wrapping_rem(y) as $unsigned,
                Binary::Equal => (a == b).into(),
                Binary::NotEqual => (a != b).into(),
                Binary::LessUnsigned => (a < b).into(),
                Binary::NotLessUnsigned => (a >= b).into(),
                Binary::LessSigned => (x < y).into(),
                Binary::NotLessSigned => (x >= y).into(),
                Binary::Carryless => carryless(a.into(), b.into()) as $unsigned,
                Binary::CarrylessHigh => high(carryless(a.into(), b.into())),
                Binary::Carry => a.overflowing_add(b).1.into(),
                Binary::OverflowAdd => x.overflowing_add(y).1.into(),
                Binary::OverflowSub => x.overflowing_sub(y).1.into(),
            }
        }
    };
}

/// Bits 64 and above, which only operations on 64 bits need.
fn high<T: TryFrom<u64> + Default>(product: u128) -> T {
    T::try_from((product >> 64) as u64).unwrap_or_default()
}

operation!(
    /// The result of an operation on 64 bits.
    double, u64, i64
);
operation!(
    /// The result of an operation on 32 bits.
    word, u32, i32
);

fn carryless(a: u64, b: u64) -> u128 {
    let bits = (0..64).filter(|bit| a >> bit & 1 != 0);
    bits.fold(0, |all, bit| all ^ u128::from(b) << bit)
}

/// All operations, in the order of their numbers.
const ALL: [Binary; 31] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::ShiftLeft,
    Binary::ShiftRight,
    Binary::ShiftRightSigned,
    Binary::FarLeft,
    Binary::FarRight,
    Binary::FarRightSigned,
    Binary::RotateLeft,
    Binary::MulHighUnsigned,
    Binary::MulHighSigned,
    Binary::MulHighMixed,
    Binary::DivUnsigned,
    Binary::RemUnsigned,
    Binary::DivSigned,
    Binary::RemSigned,
    Binary::Equal,
    Binary::NotEqual,
    Binary::LessUnsigned,
    Binary::NotLessUnsigned,
    Binary::LessSigned,
    Binary::NotLessSigned,
    Binary::Carryless,
    Binary::CarrylessHigh,
    Binary::Carry,
    Binary::OverflowAdd,
    Binary::OverflowSub,
];

/// The result of an operation.
pub(crate) fn result(op: Binary, form: Form, a: u64, b: u64) -> u64 {
    match form {
        Form::Double => double(op, a, b),
        Form::Word => word(op, a as u32, b as u32).into(),
        Form::WordSigned => word(op, a as u32, b as u32) as i32 as i64 as u64,
    }
}

#[inline(always)]
pub(crate) fn computed<const OP: usize, const FORM: usize>(a: u64, b: u64) -> u64 {
    let op = ALL[OP];
    match FORM {
        DOUBLE => double(op, a, b),
        WORD => word(op, a as u32, b as u32).into(),
        _ => word(op, a as u32, b as u32) as i32 as i64 as u64,
    }
}

const DOUBLE: usize = 0;
const WORD: usize = 1;
const WORD_SIGNED: usize = 2;

fn binary<const OP: usize, const FORM: usize>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
) -> u64 {
    let value = computed::<OP, FORM>(get(slots, node.a), get(slots, node.b));
    set(slots, node.d, value);
    run(slots, core, rest)
}

fn immediate<const OP: usize, const FORM: usize>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
) -> u64 {
    let value = computed::<OP, FORM>(get(slots, node.a), node.n);
    set(slots, node.d, value);
    run(slots, core, rest)
}

fn branch<const OP: usize, const FORM: usize>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
) -> u64 {
    if computed::<OP, FORM>(get(slots, node.a), get(slots, node.b)) != 0 {
        return TAKEN;
    }
    run(slots, core, rest)
}

fn branch_immediate<const OP: usize, const FORM: usize>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
) -> u64 {
    if computed::<OP, FORM>(get(slots, node.a), node.n) != 0 {
        return TAKEN;
    }
    run(slots, core, rest)
}

/// A micro-operation whose result is an expression over its operands.
macro_rules! simple {
    ($($name:ident = |$slots:ident, $node:ident| $value:expr;)*) => {
        $(fn $name($slots: &mut Slots, core: &mut Core, $node: &Node, rest: &[Node]) -> u64 {
            let value = $value;
            set($slots, $node.d, value);
            run($slots, core, rest)
        })*
    };
}

simple! {
    number = |slots, node| node.n;
    copy = |slots, node| get(slots, node.a);
    bits = |slots, node| get(slots, node.a) >> (node.c & 63) & node.n;
    signed_bits = |slots, node| ((get(slots, node.a) << (node.b & 63)) as i64 >> (node.c & 63)) as u64;
    beside = |slots, node| get(slots, node.a) | get(slots, node.b) << (node.c & 63);
    insert = |slots, node| get(slots, node.a) & !node.n | get(slots, node.b) & node.n;
    select = |slots, node| get(slots, if get(slots, node.a) != 0 { node.b } else { node.c });
    table = |slots, node| node.n >> (8 * (get(slots, node.a) & 7)) & 0xff;
    count = |slots, node| get(slots, node.a).count_ones().into();
    leading_zeros = |slots, node| {
        (get(slots, node.a).leading_zeros() + u32::from(node.c)).wrapping_sub(64).into()
    };
    trailing_zeros = |slots, node| get(slots, node.a).trailing_zeros().min(node.c.into()).into();
    reverse = |slots, node| get(slots, node.a).reverse_bits() >> ((64 - node.c) & 63);
}

/// Numbers as loads and stores have them: 1, 2, 4 or 8 bytes.
trait Number {
    const BYTES: u64;
    /// What is loaded, with zeros above.
    fn load(memory: &Memory, address: u64) -> Option<u64>;
    /// The same by the slow path.
    fn load_slowly(memory: &Memory, address: u64) -> Option<u64>;
    fn store(memory: &mut Memory, address: u64, value: u64) -> Option<()>;
    fn store_slowly(memory: &mut Memory, address: u64, value: u64) -> Option<()>;
}

macro_rules! number {
    ($($name:ident)*) => {$(
        impl Number for $name {
            const BYTES: u64 = size_of::<$name>() as u64;

            #[inline(always)]
            fn load(memory: &Memory, address: u64) -> Option<u64> {
                Some($name::from_le_bytes(memory.load(address)?).into())
            }

            fn load_slowly(memory: &Memory, address: u64) -> Option<u64> {
                let bytes = memory.bytes(address, Self::BYTES, Access::READ).ok()?;
                Some($name::from_le_bytes(*bytes.first_chunk()?).into())
            }

            #[inline(always)]
            fn store(memory: &mut Memory, address: u64, value: u64) -> Option<()> {
                memory.store(address, (value as $name).to_le_bytes())
            }

            fn store_slowly(memory: &mut Memory, address: u64, value: u64) -> Option<()> {
                memory.write(address, &(value as $name).to_le_bytes()).ok()
            }
        }
    )*};
}

number!(u8 u16 u32 u64);

/// A number with copies of its highest bit above.
#[inline(always)]
fn extended<T: Number, const SIGNED: bool>(value: u64) -> u64 {
    let up = 64 - 8 * T::BYTES;
    if SIGNED { ((value << up) as i64 >> up) as u64 } else { value }
}

fn load<T: Number, const SIGNED: bool>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
) -> u64 {
    let address = get(slots, node.a).wrapping_add(node.n);
    let Some(value) = T::load(&core.memory, address) else {
        return load_slowly::<T, SIGNED>(slots, core, node, rest);
    };
    set(slots, node.d, extended::<T, SIGNED>(value));
    run(slots, core, rest)
}

/// A load across pages, or one that is not allowed. It takes the place of the fast one, which needs no registers for it.
#[cold]
#[inline(never)]
fn load_slowly<T: Number, const SIGNED: bool>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
) -> u64 {
    let address = get(slots, node.a).wrapping_add(node.n);
    let Some(value) = T::load_slowly(&core.memory, address) else {
        return core.load_fault(0, address, T::BYTES, node.c);
    };
    set(slots, node.d, extended::<T, SIGNED>(value));
    run(slots, core, rest)
}

fn store<T: Number>(slots: &mut Slots, core: &mut Core, node: &Node, rest: &[Node]) -> u64 {
    let address = get(slots, node.a).wrapping_add(node.n);
    if T::store(&mut core.memory, address, get(slots, node.b)).is_none() {
        return store_slowly::<T>(slots, core, node, rest);
    }
    run(slots, core, rest)
}

/// A store across pages, into translated instructions, or one that is not allowed.
#[cold]
#[inline(never)]
fn store_slowly<T: Number>(slots: &mut Slots, core: &mut Core, node: &Node, rest: &[Node]) -> u64 {
    let address = get(slots, node.a).wrapping_add(node.n);
    if T::store_slowly(&mut core.memory, address, get(slots, node.b)).is_none() {
        return core.store_fault(0, address, T::BYTES, node.c);
    }
    run(slots, core, rest)
}

fn goto(_: &mut Slots, _: &mut Core, _: &Node, _: &[Node]) -> u64 {
    TAKEN
}

fn jump(slots: &mut Slots, core: &mut Core, node: &Node, _: &[Node]) -> u64 {
    core.pc = get(slots, node.a);
    JUMPED
}

pub(crate) fn extra(slots: &mut Slots, core: &mut Core, node: &Node, rest: &[Node]) -> u64 {
    let Some(extra) = &node.more else { return STOPPED };
    match more::execute(slots, core, extra, node.c) {
        crate::node::FELL => run(slots, core, rest),
        other => other,
    }
}

/// Calls a macro for the number of every binary operation.
macro_rules! of_number {
    ($op:expr, $name:ident, $form:ident; $($number:literal)*) => {
        match $op as usize {
            $($number => $name::<$number, $form>,)*
            _ => unreachable!("there are as many operations as numbers"),
        }
    };
}

macro_rules! of_form {
    ($op:expr, $form:expr, $name:ident) => {
        match $form {
            Form::Double => of_all!($op, $name, DOUBLE),
            Form::Word => of_all!($op, $name, WORD),
            Form::WordSigned => of_all!($op, $name, WORD_SIGNED),
        }
    };
}

macro_rules! of_all {
    ($op:expr, $name:ident, $form:ident) => {
        of_number!($op, $name, $form; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
    };
}

/// Functions for all binary operations.
pub(crate) trait Numbers {
    fn call<const OP: usize, const FORM: usize>() -> Call;
}

macro_rules! of_trait {
    ($op:expr, $numbers:ident, $form:ident; $($number:literal)*) => {
        match $op as usize {
            $($number => $numbers::call::<$number, $form>(),)*
            _ => unreachable!("there are as many operations as numbers"),
        }
    };
}

macro_rules! of_comparison {
    ($op:expr, $form:expr, $name:ident) => {
        match $form {
            Form::Double => of_number!($op, $name, DOUBLE; 20 21 22 23 24 25),
            Form::Word | Form::WordSigned => of_number!($op, $name, WORD; 20 21 22 23 24 25),
        }
    };
}

/// The function of a binary operation.
pub(crate) fn numbers_of<N: Numbers>(op: Binary, form: Form) -> Call {
    match form {
        Form::Double => {
            of_trait!(op, N, DOUBLE; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
        }
        Form::Word => {
            of_trait!(op, N, WORD; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
        }
        Form::WordSigned => {
            of_trait!(op, N, WORD_SIGNED; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
        }
    }
}

/// The function of a micro-operation.
pub(crate) fn call(kind: Kind) -> Call {
    match kind {
        Kind::Binary { op, form, is_immediate: false } => of_form!(op, form, binary),
        Kind::Binary { op, form, is_immediate: true } => of_form!(op, form, immediate),
        Kind::Branch { op, form, is_immediate: false } => of_comparison!(op, form, branch),
        Kind::Branch { op, form, is_immediate: true } => of_comparison!(op, form, branch_immediate),
        Kind::Number => number,
        Kind::Copy => copy,
        Kind::Bits => bits,
        Kind::SignedBits => signed_bits,
        Kind::Beside => beside,
        Kind::Insert => insert,
        Kind::Select => select,
        Kind::Table => table,
        Kind::Count => count,
        Kind::LeadingZeros => leading_zeros,
        Kind::TrailingZeros => trailing_zeros,
        Kind::Reverse => reverse,
        Kind::Load { bytes: 1, is_signed: false } => load::<u8, false>,
        Kind::Load { bytes: 2, is_signed: false } => load::<u16, false>,
        Kind::Load { bytes: 4, is_signed: false } => load::<u32, false>,
        Kind::Load { bytes: 1, is_signed: true } => load::<u8, true>,
        Kind::Load { bytes: 2, is_signed: true } => load::<u16, true>,
        Kind::Load { bytes: 4, is_signed: true } => load::<u32, true>,
        Kind::Load { .. } => load::<u64, false>,
        Kind::Store { bytes: 1 } => store::<u8>,
        Kind::Store { bytes: 2 } => store::<u16>,
        Kind::Store { bytes: 4 } => store::<u32>,
        Kind::Store { .. } => store::<u64>,
        Kind::Goto => goto,
        Kind::Jump => jump,
        Kind::More => extra,
    }
}
