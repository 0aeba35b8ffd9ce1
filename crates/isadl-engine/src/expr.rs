//! Values of expressions: 128-bit integers that wrap; a division by 0 gives 0, and so does a shift by
//! a negative number or by 128 and more; comparisons and logical operators give 0 or 1.

use super::bits::{low_bits, sign_extend};
use super::fields::get;
use super::image::{Expr, Image, Width};
use super::set::{KnownSet, UNKNOWN, has_known};
use super::word::Word;

/// A number in [`Words::numbers`](super::image::Words::numbers).
pub const NUMBER: u8 = 0;
/// A field without a sign.
pub const UNSIGNED: u8 = 1;
/// A field in two's complement.
pub const SIGNED: u8 = 2;
/// `-a`.
pub const NEG: u8 = 3;
/// `!a`.
pub const NOT: u8 = 4;
/// `a || b`.
pub const OR: u8 = 5;
/// `a && b`.
pub const AND: u8 = 6;
/// `a == b`.
pub const EQ: u8 = 7;
/// `a != b`.
pub const NE: u8 = 8;
/// `a < b`.
pub const LT: u8 = 9;
/// `a <= b`.
pub const LE: u8 = 10;
/// `a > b`.
pub const GT: u8 = 11;
/// `a >= b`.
pub const GE: u8 = 12;
/// `a | b`.
pub const BIT_OR: u8 = 13;
/// `a & b`.
pub const BIT_AND: u8 = 14;
/// `a << b`.
pub const SHL: u8 = 15;
/// `a >> b`.
pub const SHR: u8 = 16;
/// `a + b`.
pub const ADD: u8 = 17;
/// `a - b`.
pub const SUB: u8 = 18;
/// `a * b`.
pub const MUL: u8 = 19;
/// `a / b`.
pub const DIV: u8 = 20;

/// `a ^ b`.
pub const BIT_XOR: u8 = 21;
/// `a % b`.
pub const REM: u8 = 22;
/// `~a`.
pub const BIT_NOT: u8 = 23;
/// `a` if a condition holds, else `b`: the condition, and a [`PAIR`].
pub const IF: u8 = 24;
/// The lowest bits of a number rotated right: the number, and a [`PAIR`] of how far and how many bits.
pub const ROR: u8 = 25;
/// The lowest bits of a number several times: the number, and a [`PAIR`] of how many bits and how often.
pub const REPEAT: u8 = 26;
/// How many of the lowest bits are 0 above the highest 1: a number, and how many bits.
pub const CLZ: u8 = 27;
/// Two operands of another node.
pub const PAIR: u8 = 28;

/// Whether the set of extensions has those of the lower half of a number, and lacks those of the upper half.
pub const HAS: u8 = 29;

/// Whether a truth table has bits of the word: the number of a condition.
pub const LOOKUP: u8 = 30;

/// The value of an expression in a word. Its operands come before it in the table, so this ends.
#[must_use]
pub const fn eval(image: &Image<'_>, set: KnownSet, index: u32, word: Word) -> i128 {
    let node = &image.words.exprs[index as usize];
    match node.op {
        NEG => operand(image, set, node.left, word).wrapping_neg(),
        NOT => (operand(image, set, node.left, word) == 0) as i128,
        // The right operand matters only sometimes.
        OR => {
            (operand(image, set, node.left, word) != 0
                || operand(image, set, node.right, word) != 0) as i128
        }
        AND => {
            (operand(image, set, node.left, word) != 0
                && operand(image, set, node.right, word) != 0) as i128
        }
        NUMBER | UNSIGNED | SIGNED => operand(image, set, index, word),
        BIT_NOT => !operand(image, set, node.left, word),
        HAS => {
            let bits = image.words.numbers[node.left as usize];
            has_known(set, bits as u64, (bits >> 64) as u64) as i128
        }
        IF | ROR | REPEAT | CLZ => function(image, set, node, word),
        LOOKUP => is_in(image, node.left, word) as i128,
        op => {
            binary(op, operand(image, set, node.left, word), operand(image, set, node.right, word))
        }
    }
}

/// The value of an expression whose fields are two numbers of 64 bits: the first at bit 0, the other above it.
#[must_use]
pub const fn eval_numbers(image: &Image<'_>, index: u32, numbers: (i64, i64)) -> i128 {
    let node = &image.words.exprs[index as usize];
    if node.op == NUMBER {
        return image.words.numbers[node.left as usize];
    }
    if node.op == SIGNED || node.op == UNSIGNED {
        return if node.left == 0 { numbers.0 as i128 } else { numbers.1 as i128 };
    }
    let left = eval_numbers(image, node.left, numbers);
    match node.op {
        NEG => left.wrapping_neg(),
        NOT => (left == 0) as i128,
        BIT_NOT => !left,
        IF | ROR | REPEAT => {
            let pair = &image.words.exprs[node.right as usize];
            let a = eval_numbers(image, pair.left, numbers);
            let b = eval_numbers(image, pair.right, numbers);
            match node.op {
                IF if left != 0 => a,
                IF => b,
                ROR => rotated(left, a, b),
                _ => repeated(left, a, b),
            }
        }
        op => combined(op, left, eval_numbers(image, node.right, numbers)),
    }
}

/// Most nodes of a sequence.
pub const MAX_SEQUENCE: usize = 48;

/// The value of the last of some nodes, each of which comes after its operands and names these by their places in the
/// sequence. The only field are the lowest bits of `bits`. What several nodes refer to is computed once.
pub(crate) const fn eval_sequence(image: &Image<'_>, nodes: &[Expr], bits: u64) -> i128 {
    let mut values = [0i128; MAX_SEQUENCE];
    let (mut at, mut last) = (0, 0);
    while at < nodes.len() && at < MAX_SEQUENCE {
        let node = &nodes[at];
        last = match node.op {
            NUMBER => image.words.numbers[node.left as usize],
            UNSIGNED => (bits & low_bits(node.right)) as i128,
            SIGNED => sign_extend(bits & low_bits(node.right), node.right) as i128,
            PAIR => 0,
            _ => node_value(nodes, node, &values),
        };
        values[at] = last;
        at += 1;
    }
    last
}

/// The value of a node of a sequence that is not a leaf.
#[inline(always)]
const fn node_value(nodes: &[Expr], node: &Expr, values: &[i128; MAX_SEQUENCE]) -> i128 {
    let left = values[node.left as usize];
    match node.op {
        NEG => left.wrapping_neg(),
        NOT => (left == 0) as i128,
        BIT_NOT => !left,
        IF | ROR | REPEAT => {
            let pair = &nodes[node.right as usize];
            let (a, b) = (values[pair.left as usize], values[pair.right as usize]);
            match node.op {
                IF if left != 0 => a,
                IF => b,
                ROR => rotated(left, a, b),
                _ => repeated(left, a, b),
            }
        }
        op => combined(op, left, values[node.right as usize]),
    }
}

/// The value of an operator with two operands that are known.
#[inline(always)]
const fn combined(op: u8, left: i128, right: i128) -> i128 {
    match op {
        OR => (left != 0 || right != 0) as i128,
        AND => (left != 0 && right != 0) as i128,
        CLZ => leading_zeros(left, right),
        op => binary(op, left, right),
    }
}

/// The value of an operand; most are numbers and fields, for which nothing is called.
#[inline(always)]
const fn operand(image: &Image<'_>, set: KnownSet, index: u32, word: Word) -> i128 {
    let node = &image.words.exprs[index as usize];
    match node.op {
        NUMBER => image.words.numbers[node.left as usize],
        UNSIGNED => get(image, word, node.left as u16, node.right as u8) as i128,
        SIGNED => {
            sign_extend(get(image, word, node.left as u16, node.right as u8), node.right) as i128
        }
        _ => eval(image, set, index, word),
    }
}

/// Whether the truth table of a condition has the bits of a word.
#[inline]
pub(crate) const fn is_in(image: &Image<'_>, condition: u32, word: Word) -> bool {
    let words = &image.words;
    let condition = &words.conditions[condition as usize];
    let bit = condition.gather.index(word);
    words.truth[condition.first as usize + bit / 64] >> (bit % 64) & 1 != 0
}

/// The value of a function.
#[inline(never)]
const fn function(image: &Image<'_>, set: KnownSet, node: &Expr, word: Word) -> i128 {
    let first = operand(image, set, node.left, word);
    if node.op == CLZ {
        return leading_zeros(first, operand(image, set, node.right, word));
    }
    let pair = &image.words.exprs[node.right as usize];
    if node.op == IF {
        return operand(image, set, if first != 0 { pair.left } else { pair.right }, word);
    }
    let (a, b) = (operand(image, set, pair.left, word), operand(image, set, pair.right, word));
    if node.op == ROR { rotated(first, a, b) } else { repeated(first, a, b) }
}

/// The lowest `width` bits of a number rotated right.
const fn rotated(x: i128, by: i128, width: i128) -> i128 {
    if width < 1 || width > 128 {
        return 0;
    }
    let rest = remainder(by, width);
    let by = if rest < 0 { rest + width } else { rest };
    let x = lowest(x, width);
    let up = if by == 0 { 0 } else { x << (width - by) };
    lowest((x >> by | up) as i128, width) as i128
}

/// The lowest `width` bits of a number, `count` times side by side.
const fn repeated(x: i128, width: i128, count: i128) -> i128 {
    if width < 1 || width > 128 {
        return 0;
    }
    let (x, mut all, mut place, mut left) = (lowest(x, width), 0, 0, count);
    while place < 128 && left > 0 {
        all |= x << place;
        place += width;
        left -= 1;
    }
    all as i128
}

/// How many of the lowest `width` bits of a number are 0 above the highest 1.
const fn leading_zeros(x: i128, width: i128) -> i128 {
    if width < 1 || width > 128 {
        return 0;
    }
    lowest(x, width).leading_zeros() as i128 - (128 - width)
}

/// The lowest bits of a number, 1 to 128.
const fn lowest(x: i128, width: i128) -> u128 {
    x as u128 & u128::MAX >> (128 - width)
}

const fn binary(op: u8, a: i128, b: i128) -> i128 {
    let shifts = b >= 0 && b < 128;
    match op {
        EQ => (a == b) as i128,
        NE => (a != b) as i128,
        LT => (a < b) as i128,
        LE => (a <= b) as i128,
        GT => (a > b) as i128,
        GE => (a >= b) as i128,
        BIT_OR => a | b,
        BIT_XOR => a ^ b,
        BIT_AND => a & b,
        SHL if shifts => a << b,
        SHR if shifts => a >> b,
        ADD => a.wrapping_add(b),
        SUB => a.wrapping_sub(b),
        MUL => a.wrapping_mul(b),
        DIV if b != 0 => quotient(a, b),
        REM if b != 0 => remainder(a, b),
        _ => 0,
    }
}

/// `a / b`, which wraps. Numbers of 64 bits are divided fast. Longer ones are so rare that a program should not contain
/// the compiler's division of 128 bits for them.
#[must_use]
pub const fn quotient(a: i128, b: i128) -> i128 {
    if a as i64 as i128 == a && b as i64 as i128 == b && b != -1 {
        return (a as i64 / b as i64) as i128;
    }
    let (mut rest, divisor) = (a.unsigned_abs(), b.unsigned_abs());
    let mut quotient = 0u128;
    let shift = divisor.leading_zeros() as i32 - rest.leading_zeros() as i32;
    let mut at = shift;
    while at >= 0 {
        if divisor << at <= rest {
            rest -= divisor << at;
            quotient |= 1 << at;
        }
        at -= 1;
    }
    if (a < 0) != (b < 0) { (quotient as i128).wrapping_neg() } else { quotient as i128 }
}

/// What `a / b` leaves, with the sign of `a`.
#[must_use]
pub const fn remainder(a: i128, b: i128) -> i128 {
    a.wrapping_sub(quotient(a, b).wrapping_mul(b))
}

/// Bits of data in an operand: at least 0, at most those that a `u16` holds.
#[must_use]
pub const fn data_bits(image: &Image<'_>, width: Width, word: Word) -> u16 {
    if width.expr == 0 {
        return width.bits;
    }
    let bits = eval(image, UNKNOWN, width.expr, word);
    if bits < 0 {
        0
    } else if bits > u16::MAX as i128 {
        u16::MAX
    } else {
        bits as u16
    }
}
