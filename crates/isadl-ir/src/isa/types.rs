//! Types of fields: the meaning and names of values.
//!
//! Invariant: the entries of an operand type are disjoint; no text names two values of a type.

use isadl_engine::number::parse_float;

use super::lookup::Lookup;
use super::{Composite, ExtensionCondition, ExtensionSet, Immediate, Reading, RegFileId, TypeId};

/// The type of a field.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Type {
    /// Its name.
    pub name: String,
    /// Bits in a field of the type, 1 to 64.
    pub width: u32,
    /// The meaning of its values.
    pub kind: TypeKind,
    /// How values without a name are written; without it they are illegal.
    pub otherwise: Option<Otherwise>,
    /// The values that only some sets of extensions have, in ascending order.
    pub guarded: Vec<GuardedValues>,
    /// Its description, in Markdown.
    pub description: String,
    /// Its values in other orders, derived from `kind`.
    // Sorted again when it is read.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) lookup: Lookup,
}

/// Values of an enumerator or entry that only some sets of extensions have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GuardedValues {
    /// The first value.
    pub first: u64,
    /// The last value.
    pub last: u64,
    /// The sets that have them.
    pub requires: ExtensionCondition,
}

/// How the values of a type are written that have no name there. All values may be read so.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Otherwise {
    /// The immediate or composite that they are written as.
    pub ty: TypeId,
    /// The illegal values of that: half-open ranges, ascending and apart from each other.
    pub reserved_values: Vec<(u64, u128)>,
}

/// The kinds of types.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TypeKind {
    /// An enumeration.
    BitField(Vec<Enumerator>),
    /// Registers and constants.
    Operand(Vec<Entry>),
    /// A number.
    Immediate(Immediate),
    /// Parts that are written together.
    Composite(Composite),
}

/// A value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Enumerator {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: u64,
    /// How it is written after the dot; empty if it is never written.
    pub spelling: String,
    /// Other words that are read as it.
    pub also: Vec<String>,
    /// The number format that the value selects.
    pub format: Option<NumberFormat>,
    /// A description of the value; may be empty.
    pub doc: String,
}

/// A run of values of an operand type.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Entry {
    /// First field value.
    pub value: u64,
    /// Number of field values.
    pub count: u64,
    /// The meaning of the values.
    pub meaning: Meaning,
    /// The spelling of its single value, if it differs from the name.
    pub spelling: Option<String>,
    /// Other names that are read as its values.
    pub also: Vec<OtherName>,
    /// The classes that rules may name, `x is scalar`.
    pub classes: Vec<String>,
}

/// An additional name of a value that is read, but not printed; or the prefix of numbered register names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OtherName {
    /// The name, or the prefix before the number.
    pub text: String,
    /// The number in the name of the first value, if the names are numbered.
    pub first: Option<u32>,
}

impl OtherName {
    /// The name of the value at `position`.
    pub fn at(&self, position: u64) -> String {
        match self.first {
            Some(first) => format!("{}{}", self.text, u64::from(first) + position),
            None => self.text.clone(),
        }
    }
}

/// The meaning of an entry's values.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Meaning {
    /// Registers `prefix` + number, from `first` on.
    Registers {
        /// The register file.
        file: RegFileId,
        /// The text before the number.
        prefix: String,
        /// Number of the first.
        first: u32,
        /// Numbers are rounded down to multiples of this; 1 if each number is a register.
        align: u32,
    },
    /// One register of a file, under its own name.
    Register {
        /// The register file.
        file: RegFileId,
        /// Its name.
        name: String,
        /// Its number.
        number: u32,
    },
    /// A name in a register file that reads as zeros or ones and discards writes.
    Constant {
        /// The register file that the name belongs to.
        file: RegFileId,
        /// Its name.
        name: String,
        /// The value of every bit.
        bits: ConstantBits,
    },
    /// A special register, which is a separate resource.
    Special(String),
    /// A name for the absence of a register or constant.
    Nothing(String),
    /// Integers starting at `first`, in steps of `step` (1 or -1).
    Integers {
        /// The first.
        first: i64,
        /// 1 or -1.
        step: i64,
    },
    /// A floating-point constant, as written.
    Float(String),
    /// The operand is a literal elsewhere in the instruction.
    Literal,
}

impl Meaning {
    /// The number that every read of the operand gives, in two's complement: that of the value at a position among those with this meaning. A
    /// floating-point constant has the interchange format of `width` bits. `None` if it is no constant, or not representable.
    pub fn constant(&self, position: u64, width: u32) -> Option<i128> {
        match self {
            Meaning::Constant { bits: ConstantBits::Zero, .. } => Some(0),
            Meaning::Constant { bits: ConstantBits::One, .. } => Some(-1),
            Meaning::Integers { first, step } => {
                Some(i128::from(*first) + i128::from(*step) * i128::from(position))
            }
            Meaning::Float(text) => {
                let (exponent, fraction) = match width {
                    16 => (5, 10),
                    32 => (8, 23),
                    64 => (11, 52),
                    _ => return None,
                };
                parse_float(text, exponent, fraction).ok().map(i128::from)
            }
            _ => None,
        }
    }
}

/// The value of every bit of a constant register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ConstantBits {
    /// Zeros.
    Zero,
    /// Ones.
    One,
}

/// An address that a number is a distance from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Relative {
    /// The point that the address is computed from.
    pub from: Point,
    /// The number added to the point first.
    pub before: i64,
    /// The power of 2 that the sum is then aligned down to.
    pub align: u64,
    /// The number added last.
    pub after: i64,
}

/// An address that an instruction has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Point {
    /// The address of the instruction's first byte.
    Start,
    /// The address of the byte after the instruction.
    Next,
    /// The address of the first byte that contains a bit of the field.
    Here,
}

impl Point {
    /// Its name in specifications.
    pub fn name(self) -> &'static str {
        match self {
            Point::Start => "start",
            Point::Next => "next",
            Point::Here => "here",
        }
    }
}

impl std::fmt::Display for Relative {
    /// As a specification has it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plus = |number: i64| match number {
            0 => String::new(),
            1.. => format!(" + {number}"),
            _ => format!(" - {}", number.unsigned_abs()),
        };
        let inner = format!("{}{}", self.from.name(), plus(self.before));
        match self.align {
            1 => f.write_str(&inner)?,
            align => write!(f, "align({inner}, {align})")?,
        }
        f.write_str(&plus(self.after))
    }
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Print {
    /// In decimal.
    Decimal,
    /// In hexadecimal with lower-case letters.
    Hex,
    /// In hexadecimal with upper-case letters.
    UpperHex,
    /// In binary.
    Binary,
    /// Its bits in hexadecimal, for any number format.
    Bits,
}

/// How the bits of a number are read: `lanes` numbers side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NumberFormat {
    /// The kind of number in a lane.
    pub number: Number,
    /// Number of lanes.
    pub lanes: u32,
}

/// A kind of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Number {
    /// Unsigned integer.
    Unsigned,
    /// Integer in two's complement.
    Signed,
    /// Sign, exponent and fraction, as in IEEE 754.
    Float {
        /// Bits of the exponent.
        exponent: u32,
        /// Bits of the fraction.
        fraction: u32,
    },
}

impl Type {
    /// A type; `width` is in bits.
    pub fn new(name: String, width: u32, kind: TypeKind, description: String) -> Type {
        let lookup = Lookup::of(&kind);
        Type { name, width, kind, otherwise: None, guarded: Vec::new(), description, lookup }
    }

    /// Sorts the values of a type that was read from a file.
    #[cfg(feature = "serde")]
    pub(super) fn sort(&mut self) {
        self.lookup = Lookup::of(&self.kind);
    }

    /// The sets of extensions that have a value, if not all have it.
    pub fn requires(&self, raw: u64) -> Option<&ExtensionCondition> {
        let next = self.guarded.partition_point(|values| values.last < raw);
        let found = self.guarded.get(next).filter(|values| values.first <= raw);
        found.map(|values| &values.requires)
    }

    /// The type with all values, for every set of extensions.
    pub(super) fn in_every_set(&self) -> Type {
        Type { guarded: Vec::new(), ..self.clone() }
    }

    /// The type without the values that a set of extensions lacks.
    pub(super) fn in_set(&self, set: ExtensionSet) -> Type {
        let has = |raw: u64| self.requires(raw).is_none_or(|requires| requires.holds(set));
        let kind = match &self.kind {
            TypeKind::BitField(all) => {
                TypeKind::BitField(all.iter().filter(|one| has(one.value)).cloned().collect())
            }
            TypeKind::Operand(all) => {
                TypeKind::Operand(all.iter().filter(|one| has(one.value)).cloned().collect())
            }
            other => other.clone(),
        };
        let lookup = Lookup::of(&kind);
        Type { kind, guarded: Vec::new(), lookup, ..self.clone() }
    }

    /// Whether a value has a name in the type.
    pub fn is_named(&self, raw: u64) -> bool {
        match &self.kind {
            TypeKind::BitField(_) => self.enumerator(raw).is_some(),
            TypeKind::Operand(_) => self.entry(raw).is_some(),
            TypeKind::Immediate(_) | TypeKind::Composite(_) => false,
        }
    }

    /// Whether `raw` is a legal value of a field of the type.
    pub fn is_legal(&self, raw: u64) -> bool {
        match &self.kind {
            TypeKind::BitField(_) | TypeKind::Operand(_) => {
                let is_other = |other: &Otherwise| !is_in(&other.reserved_values, raw);
                self.is_named(raw)
                    || self.fits(raw) && self.otherwise.as_ref().is_some_and(is_other)
            }
            TypeKind::Immediate(immediate) => self.fits(raw) && !immediate.excepts(raw),
            TypeKind::Composite(_) => self.fits(raw),
        }
    }

    fn fits(&self, raw: u64) -> bool {
        self.width >= 64 || raw >> self.width == 0
    }

    /// The illegal values, as half-open ranges in ascending order.
    pub fn reserved_values(&self) -> Vec<(u64, u128)> {
        let unnamed = self.unnamed();
        match &self.otherwise {
            Some(other) => common(&unnamed, &other.reserved_values),
            None => unnamed,
        }
    }

    /// The legal values without a name, as half-open ranges in ascending order.
    pub fn others(&self) -> Vec<(u64, u128)> {
        let Some(other) = &self.otherwise else { return Vec::new() };
        let mut legal = Vec::new();
        let mut next = 0u128;
        for (first, end) in &other.reserved_values {
            legal.push((next as u64, u128::from(*first)));
            next = *end;
        }
        legal.push((next as u64, 1 << self.width));
        legal.retain(|(first, end)| u128::from(*first) < *end);
        common(&self.unnamed(), &legal)
    }

    /// The values that are reserved, unless `otherwise` gives their syntax.
    fn unnamed(&self) -> Vec<(u64, u128)> {
        let mut legal: Vec<(u64, u128)> = match &self.kind {
            TypeKind::BitField(list) => {
                list.iter().map(|e| (e.value, u128::from(e.value) + 1)).collect()
            }
            TypeKind::Operand(list) => {
                list.iter().map(|e| (e.value, u128::from(e.value) + u128::from(e.count))).collect()
            }
            TypeKind::Immediate(immediate) => return immediate.reserved_values.clone(),
            TypeKind::Composite(_) => return Vec::new(),
        };
        legal.sort_unstable();
        let mut reserved_values = Vec::new();
        let mut next: u128 = 0;
        for (start, end) in legal {
            if u128::from(start) > next {
                reserved_values.push((next as u64, u128::from(start)));
            }
            next = next.max(end);
        }
        if next < 1 << self.width {
            reserved_values.push((next as u64, 1 << self.width));
        }
        reserved_values
    }

    /// The types of its parts, and the type of values without a name.
    pub fn made_of(&self) -> impl Iterator<Item = TypeId> {
        let parts = match &self.kind {
            TypeKind::Composite(composite) => composite.parts.as_slice(),
            _ => &[],
        };
        let otherwise = self.otherwise.iter().map(|other| other.ty);
        parts.iter().map(|part| part.ty).chain(otherwise)
    }

    /// The value of the register `by` positions after the register of `raw`; `raw` itself if it is not a register.
    pub fn later(&self, raw: u64, by: u32) -> u64 {
        self.entry(raw).filter(|_| by != 0).map_or(raw, |(entry, _)| entry.later(raw, by))
    }

    /// The values of the entries of a class, first and last of each.
    pub fn ranges_of(&self, class: &str) -> impl Iterator<Item = (u64, u64)> {
        let entries = match &self.kind {
            TypeKind::Operand(entries) => entries.as_slice(),
            _ => &[],
        };
        let of_class = entries.iter().filter(move |e| e.classes.iter().any(|name| name == class));
        of_class.map(|entry| (entry.value, entry.value + (entry.count - 1)))
    }

    /// How integers of the type are read.
    pub fn reading(&self) -> Reading {
        match &self.kind {
            TypeKind::Immediate(immediate) => immediate.reading(),
            _ => Reading::Unsigned,
        }
    }

    /// The integer that bits are in an expression: for most types the bits themselves.
    pub fn integer_of(&self, raw: u64) -> i128 {
        match &self.kind {
            TypeKind::Immediate(immediate) => immediate.value(raw, self.width),
            _ => i128::from(raw),
        }
    }
}

/// Whether a value is in half-open ranges in ascending order.
pub(super) fn is_in(ranges: &[(u64, u128)], raw: u64) -> bool {
    let next = ranges.partition_point(|(_, end)| *end <= u128::from(raw));
    ranges.get(next).is_some_and(|(first, _)| *first <= raw)
}

/// The values that two lists of half-open ranges in ascending order share.
fn common(a: &[(u64, u128)], b: &[(u64, u128)]) -> Vec<(u64, u128)> {
    let mut shared = Vec::new();
    let (mut own, mut others) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(one), Some(other)) = (own.peek(), others.peek()) {
        let (first, end) = (one.0.max(other.0), one.1.min(other.1));
        if u128::from(first) < end {
            shared.push((first, end));
        }
        if one.1 < other.1 {
            own.next();
        } else {
            others.next();
        }
    }
    shared
}

impl Entry {
    /// The distance of `raw` from the first value, if the entry contains it.
    pub fn position(&self, raw: u64) -> Option<u64> {
        raw.checked_sub(self.value).filter(|position| *position < self.count)
    }

    /// The value that a specification means by `text`: one of its names, in any accepted spelling.
    pub fn find(&self, text: &str) -> Option<u64> {
        self.find_first(text).or_else(|| {
            self.also.iter().find_map(|other| {
                let position = match other.first {
                    None => 0,
                    Some(first) => {
                        let number: u64 = text.strip_prefix(other.text.as_str())?.parse().ok()?;
                        number.checked_sub(first.into())?
                    }
                };
                let is_name = position < self.count
                    && self.is_aligned(position)
                    && other.at(position) == text;
                is_name.then_some(self.value + position)
            })
        })
    }

    /// Whether the value at `position` has names: only the first register of each aligned group does.
    pub fn is_aligned(&self, position: u64) -> bool {
        match self.meaning {
            Meaning::Registers { first, align, .. } => {
                (u64::from(first) + position).is_multiple_of(align.into())
            }
            _ => true,
        }
    }

    /// The value that has this as its first name.
    fn find_first(&self, text: &str) -> Option<u64> {
        match &self.meaning {
            Meaning::Registers { prefix, first, align, .. } => {
                let digits = text.strip_prefix(prefix.as_str())?;
                let number: u64 = digits.parse().ok()?;
                // `R07` and `R+7` are not names.
                let position = number.checked_sub(u64::from(*first)).filter(|p| *p < self.count)?;
                let is_name =
                    number.to_string() == digits && number.is_multiple_of(u64::from(*align));
                is_name.then_some(self.value + position)
            }
            Meaning::Integers { first, step } => {
                let number: i128 = text.parse().ok()?;
                let position = number.checked_sub(i128::from(*first))?;
                let position = position.checked_mul(i128::from(*step))?;
                u64::try_from(position).ok().filter(|p| *p < self.count).map(|p| self.value + p)
            }
            _ => (self.name_at(0) == text).then_some(self.value),
        }
    }

    /// The value of the register `by` positions after the register of `raw`, wrapping around after the last register.
    pub fn later(&self, raw: u64, by: u32) -> u64 {
        let position = (raw - self.value).wrapping_add(by.into());
        self.value + position % self.count
    }

    /// How the value at `position` is written: by its spelling, or else its name.
    pub fn text_at(&self, position: u64) -> String {
        self.spelling.clone().unwrap_or_else(|| self.name_at(position))
    }

    /// The name of the value at `position`.
    pub fn name_at(&self, position: u64) -> String {
        match &self.meaning {
            Meaning::Registers { prefix, first, align, .. } => {
                let number = u64::from(*first) + position;
                format!("{prefix}{}", number - number % u64::from(*align))
            }
            Meaning::Register { name, .. } | Meaning::Constant { name, .. } => name.clone(),
            Meaning::Special(name) | Meaning::Nothing(name) => name.clone(),
            Meaning::Integers { first, step } => {
                (i128::from(*first) + i128::from(*step) * i128::from(position)).to_string()
            }
            Meaning::Float(text) => text.clone(),
            Meaning::Literal => isadl_base::vocabulary::LITERAL.to_string(),
        }
    }
}
