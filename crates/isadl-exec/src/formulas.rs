//! Micro-operations that only compute.
//!
//! Each is a [`Formula`] over at most three numbers. It is executed for one number, or for those of all lanes: see [`Calls`].

use crate::micro::{Binary, Form, Kind};
use crate::node::{Call, Node};

/// A function for each formula.
pub(crate) trait Calls {
    fn of<F: Formula>() -> Call;
}

/// A micro-operation that computes a number of the numbers in its slots.
pub(crate) trait Formula {
    /// How many of `a`, `b` and `c` it reads.
    const OPERANDS: usize;

    fn value(node: &Node, a: u64, b: u64, c: u64) -> u64;
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

pub(crate) const DOUBLE: usize = 0;
pub(crate) const WORD: usize = 1;
const WORD_SIGNED: usize = 2;

/// A binary operation on two slots.
struct OfSlots<const OP: usize, const FORM: usize>;
/// The same with a number on the right side.
struct OfNumber<const OP: usize, const FORM: usize>;

impl<const OP: usize, const FORM: usize> Formula for OfSlots<OP, FORM> {
    const OPERANDS: usize = 2;

    #[inline(always)]
    fn value(_: &Node, a: u64, b: u64, _: u64) -> u64 {
        computed::<OP, FORM>(a, b)
    }
}

impl<const OP: usize, const FORM: usize> Formula for OfNumber<OP, FORM> {
    const OPERANDS: usize = 1;

    #[inline(always)]
    fn value(node: &Node, a: u64, _: u64, _: u64) -> u64 {
        computed::<OP, FORM>(a, node.n)
    }
}

macro_rules! formulas {
    ($($name:ident<$operands:literal> = |$node:ident, $a:ident, $b:ident, $c:ident| $value:expr;)*) => {$(
        struct $name;

        impl Formula for $name {
            const OPERANDS: usize = $operands;

            #[inline(always)]
            fn value($node: &Node, $a: u64, $b: u64, $c: u64) -> u64 {
                $value
            }
        }
    )*};
}

formulas! {
    Constant<0> = |node, _a, _b, _c| node.n;
    Same<1> = |_node, a, _b, _c| a;
    SomeBits<1> = |node, a, _b, _c| a >> (node.c & 63) & node.n;
    SignedBits<1> = |node, a, _b, _c| ((a << (node.b & 63)) as i64 >> (node.c & 63)) as u64;
    Beside<2> = |node, a, b, _c| a | b << (node.c & 63);
    Insert<2> = |node, a, b, _c| a & !node.n | b & node.n;
    Select<3> = |_node, a, b, c| if a != 0 { b } else { c };
    Table<1> = |node, a, _b, _c| node.n >> (8 * (a & 7)) & 0xff;
    Count<1> = |_node, a, _b, _c| a.count_ones().into();
    LeadingZeros<1> = |node, a, _b, _c| {
        (a.leading_zeros() + u32::from(node.c)).wrapping_sub(64).into()
    };
    TrailingZeros<1> = |node, a, _b, _c| a.trailing_zeros().min(node.c.into()).into();
    Reverse<1> = |node, a, _b, _c| a.reverse_bits() >> ((64 - node.c) & 63);
}

/// Calls a macro for the number of every binary operation.
macro_rules! of_form {
    ($calls:ident, $formula:ident, $op:expr, $form:expr) => {
        match $form {
            Form::Double => of_all!($calls, $formula, $op, DOUBLE),
            Form::Word => of_all!($calls, $formula, $op, WORD),
            Form::WordSigned => of_all!($calls, $formula, $op, WORD_SIGNED),
        }
    };
}

macro_rules! of_all {
    ($calls:ident, $formula:ident, $op:expr, $form:ident) => {
        of_numbers!($calls, $formula, $op, $form; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
    };
}

macro_rules! of_numbers {
    ($calls:ident, $formula:ident, $op:expr, $form:ident; $($number:literal)*) => {
        match $op as usize {
            $($number => $calls::of::<$formula<$number, $form>>(),)*
            // INVARIANT: these are the numbers of all operations.
            _ => unreachable!("an operation without a number"),
        }
    };
}

/// The function of a micro-operation, if it only computes.
pub(crate) fn call<C: Calls>(kind: Kind) -> Option<Call> {
    Some(match kind {
        Kind::Binary { op, form, is_immediate: false } => of_form!(C, OfSlots, op, form),
        Kind::Binary { op, form, is_immediate: true } => of_form!(C, OfNumber, op, form),
        Kind::Number => C::of::<Constant>(),
        Kind::Copy => C::of::<Same>(),
        Kind::Bits => C::of::<SomeBits>(),
        Kind::SignedBits => C::of::<SignedBits>(),
        Kind::Beside => C::of::<Beside>(),
        Kind::Insert => C::of::<Insert>(),
        Kind::Select => C::of::<Select>(),
        Kind::Table => C::of::<Table>(),
        Kind::Count => C::of::<Count>(),
        Kind::LeadingZeros => C::of::<LeadingZeros>(),
        Kind::TrailingZeros => C::of::<TrailingZeros>(),
        Kind::Reverse => C::of::<Reverse>(),
        _ => return None,
    })
}
