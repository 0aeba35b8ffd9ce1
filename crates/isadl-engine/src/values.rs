//! What operands are: one list of kinds for every instruction set.

use super::bits::sign_extend;
use super::computed;
use super::decode::RowId;
use super::encode;
use super::expr::{data_bits, eval};
use super::fields::get;
use super::image::{INDIRECT, Image, OF_FILE, OF_MEMORY, Operand, slice};
use super::image_flow::Effect;
use super::image_values::{
    Access, DISTANCE, ENTRY_FLOAT, ENTRY_INTEGERS, ENTRY_LITERAL, ENTRY_ONES, ENTRY_REGISTERS,
    ENTRY_SPECIAL, ENTRY_ZEROS, Entry, FLOAT, NUMBER, Number, ONLY_PART, PACKED, PARTS, Part,
};
use super::set::UNKNOWN;
use super::word::Word;

/// The value of an operand or of a part, by the numbers of the image.
#[derive(Debug, Clone, Copy)]
pub enum Value<'v, 'a> {
    /// Consecutive registers of a file.
    Registers {
        /// The file.
        file: u32,
        /// The number of the first.
        first: u32,
        /// How many.
        count: u32,
    },
    /// A register of a file whose number is in another register.
    Indirect {
        /// The file.
        file: u32,
        /// The register with the number.
        base: Bits<'v, 'a>,
        /// The number added to it.
        offset: i128,
    },
    /// A name among registers that reads as zeros or ones, and discards what is written.
    Constant {
        /// The file that it belongs to.
        file: u32,
        /// The name.
        name: &'a str,
        /// Whether it reads as ones.
        is_ones: bool,
    },
    /// A special register.
    Special(u32),
    /// An integer, scaled and computed as it is written.
    Integer(i128),
    /// The distance to an address.
    Distance(i128),
    /// A floating-point number.
    Float {
        /// Its encoding.
        bits: u64,
        /// Bits of the exponent.
        exponent: u8,
        /// Bits of the fraction.
        fraction: u8,
    },
    /// Several numbers in one field: its bits.
    Packed(u64),
    /// A value that has a name; empty if it is not written.
    Name(&'a str),
    /// Several parts.
    Parts(Parts<'v, 'a>),
    /// Memory that is accessed, by the parts of its address.
    Memory(Parts<'v, 'a>),
}

/// The word of an instruction with its tables.
#[derive(Clone, Copy)]
struct Inst<'v, 'a> {
    image: &'v Image<'a>,
    row: RowId,
    word: Word,
}

/// The bits of a value of a type.
#[derive(Clone, Copy)]
pub struct Bits<'v, 'a> {
    inst: Inst<'v, 'a>,
    ty: u32,
    raw: u64,
}

impl<'v, 'a> Bits<'v, 'a> {
    /// The bits of a field of a type, given by its lowest bit and its number of bits.
    pub(crate) fn of_field(
        image: &'v Image<'a>,
        (row, word): (RowId, Word),
        (lsb, width): (u16, u8),
        ty: u16,
    ) -> Bits<'v, 'a> {
        Inst { image, row, word }.field(lsb, width, ty)
    }

    /// The value.
    #[must_use]
    pub fn value(self) -> Value<'v, 'a> {
        self.of_width(1)
    }

    /// The value of an operand with so many bits of data.
    fn of_width(self, width: u16) -> Value<'v, 'a> {
        let values = &self.inst.image.values;
        // Each step leads to another type of finitely many, unless the tables are wrong.
        let mut of = self;
        for _ in values.types {
            let ty = &values.types[of.ty as usize];
            of = match ty.kind {
                NUMBER => {
                    return number(of.inst.image, &values.numbers[ty.list.0 as usize], of.raw);
                }
                PARTS => return Value::Parts(of.parts(slice(values.parts, ty.list))),
                ONLY_PART => of.part(&values.parts[ty.list.0 as usize]),
                _ => match find(slice(values.entries, ty.list), of.raw) {
                    Some(entry) if entry.kind == ENTRY_LITERAL => match of.inst.literal() {
                        Some(literal) => literal,
                        None => return Value::Name(""),
                    },
                    Some(entry) => return of.entry(entry, width),
                    None if ty.others == 0 => return Value::Name(""),
                    None => Bits { ty: ty.others - 1, ..of },
                },
            };
        }
        Value::Name("")
    }

    fn parts(self, parts: &'a [Part]) -> Parts<'v, 'a> {
        Parts { of: self, parts }
    }

    /// The bits of a part.
    fn part(self, part: &Part) -> Bits<'v, 'a> {
        let pieces = slice(self.inst.image.values.pieces, part.pieces).iter();
        let raw =
            pieces.fold(0, |raw, piece| raw | (self.raw >> piece.lsb & piece.mask) << piece.shift);
        Bits { ty: part.ty, raw, ..self }
    }

    /// The value of an entry, which is not a literal.
    fn entry(self, entry: &Entry, width: u16) -> Value<'v, 'a> {
        let values = &self.inst.image.values;
        let position = self.raw - entry.value;
        let name = values.name(entry.name);
        match entry.kind {
            ENTRY_REGISTERS => {
                let number = (entry.first as u32).wrapping_add(position as u32);
                let (file, first) =
                    (&values.files[entry.of as usize], number - number % entry.align);
                let needed = u32::from(width).div_ceil(file.width.max(1)).max(1);
                // Registers end with their file.
                let left = file.count.saturating_sub(first).max(1);
                Value::Registers { file: file.number, first, count: needed.min(left) }
            }
            ENTRY_SPECIAL => Value::Special(entry.of),
            ENTRY_ZEROS | ENTRY_ONES => {
                let file = values.files[entry.of as usize].number;
                Value::Constant { file, name, is_ones: entry.kind == ENTRY_ONES }
            }
            ENTRY_INTEGERS => Value::Integer(
                i128::from(entry.first) + i128::from(entry.step) * i128::from(position),
            ),
            ENTRY_FLOAT => {
                let (at, exponent, fraction) = match width {
                    16 => (0, 5, 10),
                    32 => (1, 8, 23),
                    64 => (2, 11, 52),
                    _ => return Value::Name(name),
                };
                Value::Float { bits: values.floats[entry.of as usize + at], exponent, fraction }
            }
            _ => Value::Name(name),
        }
    }
}

impl core::fmt::Debug for Bits<'_, '_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.value().fmt(f)
    }
}

impl<'v, 'a> Inst<'v, 'a> {
    /// The bits of a field of a type.
    fn field(self, lsb: u16, width: u8, ty: u16) -> Bits<'v, 'a> {
        Bits { inst: self, ty: ty.into(), raw: get(self.image, self.word, lsb, width) }
    }

    /// The field of a name, given by its number plus 1.
    fn named(self, number: u16) -> Option<Bits<'v, 'a>> {
        let field = encode::field(self.image, self.row, number.checked_sub(1)?)?;
        Some(self.field(field.lsb, field.width, field.ty))
    }

    fn literal(self) -> Option<Bits<'v, 'a>> {
        self.named(*self.image.values.literals.get(self.row.get() as usize)?)
    }
}

/// The entry that has a value.
fn find(entries: &[Entry], raw: u64) -> Option<&Entry> {
    let at = entries.partition_point(|entry| entry.value <= raw);
    let entry = entries.get(at.checked_sub(1)?)?;
    (raw - entry.value <= entry.more).then_some(entry)
}

/// The number that the bits of a field are.
fn number<'v, 'a>(image: &Image<'_>, of: &Number, raw: u64) -> Value<'v, 'a> {
    let bits = match of.computed {
        0 => raw,
        computed => computed::number(image, computed, raw),
    };
    let integer = match (of.computed, of.is_signed) {
        // Computed numbers are in two's complement with 64 bits.
        (1.., true) => i128::from(bits as i64),
        (0, true) => i128::from(sign_extend(raw, of.width.into())),
        (_, false) => i128::from(bits),
    };
    let integer = integer * i128::from(of.scale) + i128::from(of.bias);
    match of.kind {
        FLOAT => Value::Float { bits, exponent: of.exponent, fraction: of.fraction },
        PACKED => Value::Packed(raw),
        DISTANCE => Value::Distance(integer),
        _ => Value::Integer(integer),
    }
}

/// The parts of an operand, in the order of their definition.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'v, 'a> {
    of: Bits<'v, 'a>,
    parts: &'a [Part],
}

impl<'v, 'a> Iterator for Parts<'v, 'a> {
    type Item = (&'a str, Value<'v, 'a>);

    fn next(&mut self) -> Option<(&'a str, Value<'v, 'a>)> {
        let (part, rest) = self.parts.split_first()?;
        self.parts = rest;
        Some((self.of.inst.image.values.name(part.name), self.of.part(part).value()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.parts.len(), Some(self.parts.len()))
    }
}

impl ExactSizeIterator for Parts<'_, '_> {}

/// The operands of a row.
#[must_use]
pub fn operands<'a>(image: &Image<'a>, row: RowId) -> &'a [Operand] {
    slice(image.words.operands, image.words.rows[row.get() as usize].operands)
}

/// The value of an operand of an instruction.
#[must_use]
pub fn value<'v, 'a>(
    image: &'v Image<'a>,
    row: RowId,
    word: Word,
    operand: &Operand,
) -> Value<'v, 'a> {
    let inst = Inst { image, row, word };
    let of_field = || inst.field(operand.lsb, operand.width, operand.ty);
    let file = || &image.values.files[operand.file as usize];
    match operand.place {
        OF_FILE => Value::Registers { file: file().number, first: 0, count: file().count },
        INDIRECT => {
            let offset = match inst.named(operand.offset).map(Bits::value) {
                Some(Value::Integer(offset) | Value::Distance(offset)) => offset,
                _ => 0,
            };
            Value::Indirect { file: file().number, base: of_field(), offset }
        }
        place => match of_field().of_width(data_bits(image, operand.data, word)) {
            Value::Parts(parts) if place == OF_MEMORY => Value::Memory(parts),
            value => value,
        },
    }
}

/// The number of accessed bits of memory, given by the bits of its operand and the types that the operand may have; 0 if the
/// instruction set does not say it.
#[must_use]
pub fn memory_width(
    image: &Image<'_>,
    row: RowId,
    word: Word,
    (types, raw): (&[u16], u64),
    effect: Effect,
) -> u16 {
    let values = &image.values;
    let happens =
        |own: &Access| own.condition == 0 || eval(image, UNKNOWN, own.condition, word) != 0;
    let is_it = |own: &&Access| {
        (if effect.reads() { own.is_read } else { own.is_written })
            && types.contains(&own.ty)
            && get(image, word, own.lsb, own.width) == raw
            && happens(own)
    };
    let accesses = slice(values.accesses, values.accesses_of[row.get() as usize]).iter();
    accesses.filter(is_it).map(|own| data_bits(image, own.data, word)).max().unwrap_or(0)
}
