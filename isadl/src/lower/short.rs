//! How the fields of a longer encoding follow from those of a shorter one.
//!
//! The values of two fields belong together if they mean the same: the same register, or the same number. Such
//! pairs are a line, `bits * factor + offset`, or the opcodes do not fit.

use crate::isa::{Immediate, Meaning, Move, Presence, Short, Type, TypeKind, low_bits};
use crate::model::{self, Model, Source};

/// Widest field of a shorter encoding.
const MAX_WIDTH: u32 = 16;

/// The longer encoding of an opcode, if its fields can be told from those of the opcode.
pub(super) fn short(model: &Model<'_>, opcode: &model::Opcode<'_>) -> Option<Short> {
    let given = opcode.short.as_ref()?;
    let find = |layer, name| {
        let field = model.field(model.find_field(layer, name)?);
        Some(model.ty(field.ty?))
    };
    let moves = given.fields.iter().map(|(to, source)| {
        let from = match source {
            Source::Value(raw) => {
                let offset = *raw as i64;
                return Some(Move { to: *to, from: None, is_signed: false, factor: 0, offset });
            }
            Source::Field(from) => *from,
        };
        let (long, short) = (find(given.of, *to)?, find(opcode.layer, from)?);
        let (is_signed, factor, offset) = line(short, long)?;
        Some(Move { to: *to, from: Some(from), is_signed, factor, offset })
    });
    let of = model.layer(given.of).name.text.to_string();
    let requires = Presence::always();
    Some(Short { of, moves: moves.collect::<Option<_>>()?, requires })
}

/// The line of the pairs of values that mean the same.
fn line(short: &Type, long: &Type) -> Option<(bool, i64, i64)> {
    if short.width > MAX_WIDTH {
        return (short.kind == long.kind && short.width == long.width).then_some((false, 1, 0));
    }
    let values = (0..1u64 << short.width).filter(|raw| short.is_legal(*raw));
    let pairs: Vec<(u64, u64)> =
        values.map(|raw| Some((raw, same(short, raw, long)?))).collect::<Option<_>>()?;
    [false, true].into_iter().find_map(|is_signed| {
        let points: Vec<(i64, i64)> = pairs
            .iter()
            .map(|(a, b)| (read(*a, short.width, is_signed), read(*b, long.width, is_signed)))
            .collect();
        let (first, second) = (points.first()?, points.get(1).or(points.first())?);
        let (dx, dy) = (second.0 - first.0, second.1 - first.1);
        let factor = if dx == 0 { 0 } else { (dy % dx == 0).then_some(dy / dx)? };
        let offset = first.1 - first.0 * factor;
        let is_line = points.iter().all(|(x, y)| x * factor + offset == *y);
        is_line.then_some((is_signed, factor, offset))
    })
}

fn read(raw: u64, width: u32, is_signed: bool) -> i64 {
    let sign = if is_signed { 1i64 << (width - 1) } else { 0 };
    (raw as i64 ^ sign).wrapping_sub(sign)
}

/// What a value means, as far as two types can have it.
#[derive(PartialEq)]
enum Means {
    Register(usize, u64),
    Number(i128),
    Name(String),
}

fn means(ty: &Type, raw: u64) -> Option<Means> {
    match &ty.kind {
        TypeKind::Immediate(immediate) => number(immediate, raw, ty.width).map(Means::Number),
        TypeKind::BitField(_) => Some(Means::Name(ty.enumerator(raw)?.name.clone())),
        TypeKind::Operand(_) => {
            let (entry, position) = ty.entry(raw)?;
            Some(match &entry.meaning {
                Meaning::Registers { file, first, align: 1, .. } => {
                    Means::Register(file.index(), u64::from(*first) + position)
                }
                Meaning::Register { file, number, .. } => {
                    Means::Register(file.index(), (*number).into())
                }
                Meaning::Integers { first, step } => {
                    Means::Number(i128::from(*first) + i128::from(*step) * i128::from(position))
                }
                _ => Means::Name(entry.name_at(position)),
            })
        }
        TypeKind::Composite(_) => None,
    }
}

fn number(immediate: &Immediate, raw: u64, width: u32) -> Option<i128> {
    immediate.is_integer().then(|| immediate.value(raw, width))
}

/// The value of `long` that means what a value of `short` does.
fn same(short: &Type, raw: u64, long: &Type) -> Option<u64> {
    let wanted = means(short, raw)?;
    if let (Means::Number(value), TypeKind::Immediate(immediate)) = (&wanted, &long.kind) {
        // A number that is not one of the other type's may be one with the same bits.
        let bits = immediate.bits_of(*value, long.width);
        let all = low_bits(long.width) as i128;
        let pattern = || (*value > 0 && *value <= all).then_some(*value as u64);
        return bits.or_else(pattern);
    }
    if long.width > MAX_WIDTH {
        return None;
    }
    (0..1u64 << long.width).find(|other| means(long, *other).as_ref() == Some(&wanted))
}
