//! A second definition of the language: words decoded, printed and assembled by following
//! `LANGUAGE.md` word by word, without tables and without speed.
//!
//! This code only uses the facts that an [`Isa`] states about itself. It does not use the decoders, printers and
//! assemblers under test, nor the searches of `Type`.

mod assemble;
mod decode;
mod encode;
mod flow;
mod number;
mod operands;
mod print;

pub use assemble::{Readings, is_same};
pub use decode::{Verdict, breaks, candidates, decode, find, holds, significant, verdict};
pub use encode::encode;
pub use flow::{Data, data, flow_control, uses};
pub use operands::{memory_width, operands};
use print::Names;
pub use print::{
    mnemonic, mnemonics, print, print_at, print_names, print_plain, print_plain_names, print_with,
};

use isadl::ast::{BinaryOp, Function, UnaryOp};
use isadl::isa::{
    Bits, Entry, Enumerator, Expr, Field, Isa, NameId, Opcode, Reading, RegFileId, Type, TypeKind,
};

/// An instruction: an opcode and a word of it.
#[derive(Clone, Copy)]
struct Instruction<'i> {
    isa: &'i Isa,
    opcode: &'i Opcode,
    word: u128,
    /// Which of its names each value is written by.
    names: Names,
    /// Where it is, if that is known, and how many bits it has.
    address: Option<(u64, u32)>,
}

impl<'i> Instruction<'i> {
    /// An instruction at no known address.
    fn new(isa: &'i Isa, opcode: &'i Opcode, word: u128) -> Instruction<'i> {
        Instruction { isa, opcode, word, names: Names::Printed, address: None }
    }

    fn field(self, name: NameId) -> Option<&'i Field> {
        self.opcode.fields.iter().find(|field| field.name == name)
    }

    /// The bits of a field; 0 where the opcode does not have it.
    fn raw(self, name: NameId) -> u64 {
        self.field(name).map_or(0, |field| gathered(self.word, &field.bits))
    }

    fn type_of(self, field: &Field) -> &'i Type {
        &self.isa.types()[field.ty.index()]
    }

    /// The value of an expression.
    fn value(self, expr: &Expr) -> i128 {
        value(expr, &|name, reading| {
            let width = self.field(name).map_or(1, |field| field.width());
            number::read(self.raw(name), width, reading)
        })
    }

    /// The number of registers of a file that hold `bits` bits.
    fn registers(self, file: RegFileId, bits: i128) -> u64 {
        let one = i128::from(self.isa.reg_files()[file.index()].width);
        let mut count = 1;
        while i128::from(count) * one < bits {
            count += 1;
        }
        count
    }
}

/// The value of an expression over integers.
fn value(expr: &Expr, field: &dyn Fn(NameId, Reading) -> i128) -> i128 {
    let of = |expr: &Expr| value(expr, field);
    match expr {
        Expr::Int(value) => *value,
        Expr::Field(name, reading) => field(*name, *reading),
        Expr::Unary(UnaryOp::Neg, operand) => of(operand).wrapping_neg(),
        Expr::Unary(UnaryOp::Not, operand) => i128::from(of(operand) == 0),
        Expr::Unary(UnaryOp::BitNot, operand) => -1 - of(operand),
        Expr::Binary(op, left, right) => binary(*op, of(left), of(right)),
        // The set is unknown: only a condition that always holds counts as met.
        Expr::Extensions(presence) => i128::from(presence.is_always()),
        Expr::Call(function, arguments) => {
            let arguments: Vec<i128> = arguments.iter().map(of).collect();
            call(*function, &arguments)
        }
    }
}

/// The functions of expressions, bit by bit.
fn call(function: Function, arguments: &[i128]) -> i128 {
    let bit = |x: i128, at: i128| x >> at & 1 == 1;
    let set = |bits: &mut dyn Iterator<Item = i128>| bits.fold(0i128, |all, at| all | 1 << at);
    match (function, arguments) {
        (Function::If, [condition, a, b]) => {
            if *condition == 0 {
                *b
            } else {
                *a
            }
        }
        (Function::Ror, [.., width]) | (Function::Repeat | Function::Clz, [_, width, ..])
            if !(1..=128).contains(width) =>
        {
            0
        }
        (Function::Ror, [x, by, width]) => {
            let from = |at: &i128| bit(*x, (at + by.rem_euclid(*width)) % width);
            set(&mut (0..*width).filter(from))
        }
        (Function::Repeat, [x, width, count]) => {
            set(&mut (0..128).filter(|at| at / width < *count && bit(*x, at % width)))
        }
        (Function::Clz, [x, width]) => {
            (0..*width).rev().take_while(|at| !bit(*x, *at)).count() as i128
        }
        _ => panic!("{function:?} has {} arguments", arguments.len()),
    }
}

/// The operators of expressions, as the table of the language has them.
fn binary(op: BinaryOp, a: i128, b: i128) -> i128 {
    let truth = i128::from;
    match op {
        BinaryOp::Or => truth(a != 0 || b != 0),
        BinaryOp::And => truth(a != 0 && b != 0),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Lt => truth(a < b),
        BinaryOp::Le => truth(a <= b),
        BinaryOp::Gt => truth(a > b),
        BinaryOp::Ge => truth(a >= b),
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => (a | b) - (a & b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::Shl | BinaryOp::Shr if !(0..128).contains(&b) => 0,
        BinaryOp::Shl => a << b,
        BinaryOp::Shr => a >> b,
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div if b == 0 => 0,
        BinaryOp::Div => a.wrapping_div(b),
        BinaryOp::Rem if b == 0 => 0,
        BinaryOp::Rem => a.wrapping_sub(a.wrapping_div(b).wrapping_mul(b)),
    }
}

/// The bits of a word that hold a number, the least significant first.
fn positions(bits: &Bits) -> Vec<u32> {
    let mut pieces: Vec<_> = bits.pieces().collect();
    pieces.reverse();
    pieces.into_iter().flat_map(|piece| piece.lsb..piece.lsb + piece.width).collect()
}

/// The number in these bits of a word.
fn gathered(word: u128, bits: &Bits) -> u64 {
    let bit = |(at, bit): (usize, u32)| ((word >> bit & 1) as u64) << at;
    positions(bits).into_iter().enumerate().map(bit).sum()
}

/// Bits of a word, from `lsb` on.
fn bits(word: u128, lsb: u32, width: u32) -> u64 {
    (0..width).filter(|bit| word >> (lsb + bit) & 1 == 1).fold(0, |bits, bit| bits | 1 << bit)
}

/// The value of a bit-field type: the first that was defined, where several are equal.
fn enumerator(ty: &Type, raw: u64) -> Option<&Enumerator> {
    let TypeKind::BitField(values) = &ty.kind else { return None };
    values.iter().find(|value| value.value == raw)
}

/// The entry of an operand type that has a value, and how far the value is from its first.
fn entry(ty: &Type, raw: u64) -> Option<(&Entry, u64)> {
    let TypeKind::Operand(entries) = &ty.kind else { return None };
    let holds = |entry: &&Entry| entry.value <= raw && raw - entry.value < entry.count;
    entries.iter().find(holds).map(|entry| (entry, raw - entry.value))
}
