//! Values of expressions: 128-bit integers that wrap; a division by 0 gives 0, and so does a shift by
//! a negative number or by 128 and more; comparisons and logical operators give 0 or 1.

use super::bits::sign_extend;
use super::fields::get;
use super::image::{Image, Width};
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

/// The value of an expression in a word. Its operands come before it in the table, so this ends.
#[must_use]
pub const fn eval(image: &Image<'_>, index: u32, word: Word) -> i128 {
    let node = &image.words.exprs[index as usize];
    match node.op {
        NEG => operand(image, node.left, word).wrapping_neg(),
        NOT => (operand(image, node.left, word) == 0) as i128,
        // The right operand matters only sometimes.
        OR => {
            (operand(image, node.left, word) != 0 || operand(image, node.right, word) != 0) as i128
        }
        AND => {
            (operand(image, node.left, word) != 0 && operand(image, node.right, word) != 0) as i128
        }
        NUMBER | UNSIGNED | SIGNED => operand(image, index, word),
        op => binary(op, operand(image, node.left, word), operand(image, node.right, word)),
    }
}

/// The value of an operand; most are numbers and fields, for which nothing is called.
#[inline(always)]
const fn operand(image: &Image<'_>, index: u32, word: Word) -> i128 {
    let node = &image.words.exprs[index as usize];
    match node.op {
        NUMBER => image.words.numbers[node.left as usize],
        UNSIGNED => get(image, word, node.left as u16, node.right as u8) as i128,
        SIGNED => {
            sign_extend(get(image, word, node.left as u16, node.right as u8), node.right) as i128
        }
        _ => eval(image, index, word),
    }
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
        BIT_AND => a & b,
        SHL if shifts => a << b,
        SHR if shifts => a >> b,
        ADD => a.wrapping_add(b),
        SUB => a.wrapping_sub(b),
        MUL => a.wrapping_mul(b),
        DIV if b != 0 => a.wrapping_div(b),
        _ => 0,
    }
}

/// Bits of data in an operand: at least 0, at most those that a `u16` holds.
#[must_use]
pub const fn data_bits(image: &Image<'_>, width: Width, word: Word) -> u16 {
    if width.expr == 0 {
        return width.bits;
    }
    let bits = eval(image, width.expr, word);
    if bits < 0 {
        0
    } else if bits > u16::MAX as i128 {
        u16::MAX
    } else {
        bits as u16
    }
}
