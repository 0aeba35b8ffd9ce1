//! Derives the fields of a long encoding from the fields of its compressed encoding.
//!
//! The values of two fields belong together if they mean the same: the same register, or the same number. Most such
//! pairs are a line, `bits * factor + offset`; others are listed.

use crate::isa::{
    ExtensionCondition, Immediate, Meaning, Move, Moved, NameId, Short, Type, TypeKind, low_bits,
};
use crate::model::{self, Model, Source};

/// Widest field of a compressed encoding.
const MAX_WIDTH: u32 = 16;

/// A value of a compressed encoding's field that no bits of the long encoding's field mean.
pub(crate) struct Unmatched {
    /// The field of the compressed encoding.
    pub(crate) from: NameId,
    /// The field of the long encoding.
    pub(crate) to: NameId,
    /// The bits of the first; none where the types have nothing to do with each other.
    pub(crate) raw: Option<u64>,
}

/// The long encoding of an opcode, if the opcode's fields determine its fields.
pub(super) fn short(model: &Model<'_>, opcode: &model::Opcode<'_>) -> Option<Short> {
    let given = opcode.short.as_ref()?;
    let of = model.layer(given.of).name.text.to_string();
    let requires = ExtensionCondition::always();
    Some(Short { of, moves: moves(model, opcode, given).ok()?, requires })
}

/// The reason why the fields of an opcode's long encoding cannot be determined, if any.
pub(crate) fn unmatched(model: &Model<'_>, opcode: &model::Opcode<'_>) -> Option<Unmatched> {
    moves(model, opcode, opcode.short.as_ref()?).err()?
}

/// Derives the source of each field of the long encoding. An error has no reason if the types of fields are broken.
fn moves(
    model: &Model<'_>,
    opcode: &model::Opcode<'_>,
    given: &model::Short,
) -> Result<Vec<Move>, Option<Unmatched>> {
    let find = |layer, name| {
        let field = model.field(model.find_field(layer, name)?);
        Some(model.ty(field.ty?))
    };
    let one = |(to, source): &(NameId, Source)| {
        let from = match source {
            Source::Value(raw) => return Ok(Move { to: *to, is: Moved::Bits(*raw) }),
            Source::Field(from) => *from,
        };
        let types = find(given.of, *to).zip(find(opcode.layer, from));
        let (long, short) = types.ok_or(None)?;
        let is = pairs(short, long).map(|pairs| match pairs {
            None => Moved::Line { from, is_signed: false, factor: 1, offset: 0 },
            Some(pairs) => moved(from, pairs, (short, long)),
        });
        let is = is.map_err(|raw| Some(Unmatched { from, to: *to, raw }))?;
        Ok(Move { to: *to, is })
    };
    given.fields.iter().map(one).collect()
}

/// Pairs of bits of two types that mean the same, one for each legal value of the first type. `None` if the types are
/// alike, so that the bits are the same. Fails with bits that have no counterpart in the second type.
fn pairs(short: &Type, long: &Type) -> Result<Option<Vec<(u64, u64)>>, Option<u64>> {
    if short.width > MAX_WIDTH {
        let is_same = short.kind == long.kind && short.width == long.width;
        return if is_same { Ok(None) } else { Err(None) };
    }
    let values = (0..1u64 << short.width).filter(|raw| short.is_legal(*raw));
    values
        .map(|raw| Ok((raw, same(short, raw, long).ok_or(Some(raw))?)))
        .collect::<Result<_, _>>()
        .map(Some)
}

/// The most compact form of pairs of bits: a linear function, if possible.
fn moved(from: NameId, pairs: Vec<(u64, u64)>, (short, long): (&Type, &Type)) -> Moved {
    let mut lines = [false, true].into_iter();
    match lines.find_map(|is_signed| line(&pairs, (short.width, long.width), is_signed)) {
        Some((is_signed, factor, offset)) => Moved::Line { from, is_signed, factor, offset },
        None => Moved::Listed { from, pairs },
    }
}

/// The line of pairs of bits, as numbers with or without sign.
fn line(pairs: &[(u64, u64)], widths: (u32, u32), is_signed: bool) -> Option<(bool, i64, i64)> {
    let read = |raw, width| read(raw, width, is_signed);
    let points: Vec<(i64, i64)> =
        pairs.iter().map(|(a, b)| (read(*a, widths.0), read(*b, widths.1))).collect();
    let (first, second) = (points.first()?, points.get(1).or(points.first())?);
    let (dx, dy) = (second.0 - first.0, second.1.checked_sub(first.1)?);
    let factor = if dx == 0 { 0 } else { (dy % dx == 0).then_some(dy / dx)? };
    let offset = first.1.checked_sub(first.0.checked_mul(factor)?)?;
    let is_on = |(x, y): &(i64, i64)| {
        x.checked_mul(factor).and_then(|product| product.checked_add(offset)) == Some(*y)
    };
    points.iter().all(is_on).then_some((is_signed, factor, offset))
}

fn read(raw: u64, width: u32, is_signed: bool) -> i64 {
    let sign = if is_signed { 1i64 << (width - 1) } else { 0 };
    (raw as i64 ^ sign).wrapping_sub(sign)
}

/// The meaning of a value, as far as two types can share it.
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

/// The value of `long` that means the same as a value of `short`.
fn same(short: &Type, raw: u64, long: &Type) -> Option<u64> {
    let wanted = means(short, raw)?;
    if let (Means::Number(value), TypeKind::Immediate(immediate)) = (&wanted, &long.kind) {
        // A number that the other type cannot encode can still have the same bits.
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
