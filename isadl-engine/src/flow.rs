//! What an instruction reads and writes.
//!
//! A use is packed into 64 bits while it is looked for: an item's use by the value 0 with the value of
//! the item's field added. So a use that is there already is found by comparing numbers.

use core::fmt;
use core::iter::FusedIterator;

use super::bits::{extract, halves};
use super::decode::RowId;
use super::expr::data_bits;
use super::image::{Tables, slice};
use super::image_flow::{
    COUNT, EFFECT, Item, MASK, MAX_REACH, MEMORY, OF, PLAIN, REGISTERS, SPECIAL, UNKNOWN, VALUE,
    WIDE_MEMORY,
};
use super::word::Word;

/// What an instruction does to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Reads it.
    Read,
    /// Reads it, unless its guard forbids.
    ConditionalRead,
    /// Writes it.
    Write,
    /// Writes it, unless its guard forbids; or a part of it.
    ConditionalWrite,
    /// Reads and writes it.
    ReadWrite,
    /// Reads it, and writes it unless its guard forbids; or a part of it.
    ReadConditionalWrite,
}

impl Effect {
    /// Whether it may be read.
    #[inline]
    #[must_use]
    pub const fn reads(self) -> bool {
        !matches!(self, Effect::Write | Effect::ConditionalWrite)
    }

    /// Whether it may be written.
    #[inline]
    #[must_use]
    pub const fn writes(self) -> bool {
        !matches!(self, Effect::Read | Effect::ConditionalRead)
    }

    /// Whether nothing of what was there before is left.
    #[inline]
    #[must_use]
    pub const fn overwrites(self) -> bool {
        matches!(self, Effect::Write | Effect::ReadWrite)
    }

    /// What it is in words, such as `conditional write`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::ConditionalRead => "conditional read",
            Effect::Write => "write",
            Effect::ConditionalWrite => "conditional write",
            Effect::ReadWrite => "read and write",
            Effect::ReadConditionalWrite => "read and conditional write",
        }
    }

    /// The effect of a number.
    #[inline(always)]
    const fn of(number: u64) -> Effect {
        match number {
            0 => Effect::Read,
            1 => Effect::ConditionalRead,
            2 => Effect::Write,
            3 => Effect::ConditionalWrite,
            4 => Effect::ReadWrite,
            _ => Effect::ReadConditionalWrite,
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Something that instructions read and write, by the numbers of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Registers of a file, one after another.
    Registers {
        /// The file.
        file: u16,
        /// Number of the first.
        first: u16,
        /// How many, at least one.
        count: u16,
    },
    /// One register of the file, or some; the instruction does not say which.
    Unknown {
        /// The file.
        file: u16,
    },
    /// A special register.
    Special(u16),
    /// What a composite operand addresses.
    Memory {
        /// The type of the operand.
        ty: u16,
        /// The bits of the operand.
        raw: u64,
    },
}

/// What an instruction does to one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Use {
    /// The resource.
    pub resource: Resource,
    /// What is done to it.
    pub effect: Effect,
}

/// A set of effects, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effects(u8);

impl Effects {
    /// All effects that read.
    pub const READS: Effects = Effects(0b11_0011);
    /// All effects that write.
    pub const WRITES: Effects = Effects(0b11_1100);
    /// All effects.
    pub const ALL: Effects = Effects(0b11_1111);

    /// Whether the effect of a packed use is one of them.
    #[inline(always)]
    const fn have(self, packed: u64) -> bool {
        self.0 >> (packed >> EFFECT & 7) & 1 != 0
    }
}

/// What no use is packed as.
const NOTHING: u64 = u64::MAX;

/// What an instruction reads and writes, in the order in which the specification says so, each once.
#[derive(Clone)]
pub struct Uses<'a, T> {
    tables: T,
    parts: Parts,
    /// The numbers of the items that are left.
    list: &'a [u32],
    /// All of them.
    all: &'a [u32],
    /// Whether the guard may forbid the instruction, as a number.
    guarded: usize,
    /// The effects that are asked for.
    wanted: Effects,
    /// The last uses, the latest first.
    before: [u64; MAX_REACH],
    /// Bits of the mask of the item before that are to come.
    bits: u32,
    /// The use of the lowest bit of this mask.
    base: u64,
}

/// A word by parts of 64 bits that begin at bits 0, 32 and 64, so that a field of 32 bits is within one
/// of them.
#[derive(Clone, Copy)]
struct Parts([u64; 4]);

impl Parts {
    #[inline(always)]
    const fn of(word: Word) -> Parts {
        let (low, high) = halves(word);
        Parts([low, low >> 32 | high << 32, high, 0])
    }

    #[inline(always)]
    const fn word(self) -> Word {
        super::bits::from_halves(self.0[0], self.0[2])
    }

    /// The bits of the field of an item.
    #[inline(always)]
    const fn raw(&self, item: &Item) -> u32 {
        let part = if Word::BITS > 64 { self.0[item.window as usize & 3] } else { self.0[0] };
        (part >> (item.shift & 63)) as u32 & item.mask
    }
}

/// What the instruction of a row reads and writes, as far as effects are wanted.
#[inline(always)]
#[must_use]
pub fn uses<'a, T: Tables<'a>>(tables: T, row: RowId, word: Word, wanted: Effects) -> Uses<'a, T> {
    let flows = &tables.image().flows;
    let flow = &flows.flows[flows.of_row[row.get() as usize] as usize];
    let (all, guarded) = if word & flow.usual.mask == flow.usual.value {
        (slice(flows.lists, flow.usual_items), 0)
    } else {
        let guards = slice(flows.guards, flow.guards);
        let is_guarded = guards.iter().all(|guard| word & guard.mask != guard.value);
        (slice(flows.lists, flow.items), usize::from(is_guarded))
    };
    Uses {
        tables,
        parts: Parts::of(word),
        list: all,
        all,
        guarded,
        wanted,
        before: [NOTHING; MAX_REACH],
        bits: 0,
        base: 0,
    }
}

impl<'a, T: Tables<'a>> Uses<'a, T> {
    /// The next use, packed.
    #[inline(always)]
    fn packed(&mut self) -> Option<u64> {
        let flows = &self.tables.image().flows;
        loop {
            if flows.has_masks && self.bits != 0 {
                let packed = self.base + ((self.bits.trailing_zeros() as u64) << VALUE);
                self.bits &= self.bits - 1;
                if flows.has_compared && self.is_repeated(packed) {
                    continue;
                }
                return Some(packed);
            }
            let (first, list) = self.list.split_first()?;
            let item = &flows.items[*first as usize];
            let base = item.uses[self.guarded];
            self.list = list;
            if self.wanted != Effects::ALL && !self.wanted.have(base) {
                continue;
            }
            let raw = self.parts.raw(item);
            let mut packed = base.wrapping_add(u64::from(raw) << VALUE);
            if item.kind == PLAIN {
                if raw.wrapping_sub(item.first) > item.more {
                    continue;
                }
            } else if flows.has_masks && item.kind == MASK {
                (self.bits, self.base) = (raw, base);
                continue;
            } else if flows.has_lookups {
                packed = looked_up(self.tables, self.parts.word(), item, base);
                if packed == NOTHING {
                    continue;
                }
            }
            if self.is_remembered(packed)
                || flows.has_compared && item.is_compared && self.is_repeated(packed)
            {
                continue;
            }
            return Some(packed);
        }
    }

    /// Whether a use is one of those that are remembered, as it is from then on.
    #[inline(always)]
    fn is_remembered(&mut self, packed: u64) -> bool {
        let reach = (self.tables.image().flows.reach as usize).min(MAX_REACH);
        let before = &mut self.before[..reach];
        let is_known = before.contains(&packed);
        let mut last = packed;
        before.iter_mut().for_each(|before| core::mem::swap(before, &mut last));
        is_known
    }

    /// Whether some item before the last one is the same use.
    #[cold]
    fn is_repeated(&self, packed: u64) -> bool {
        let (word, flows) = (self.parts.word(), &self.tables.image().flows);
        let found = unpacked(self.tables, word, packed);
        let before = self.all.len() - self.list.len() - 1;
        self.all[..before].iter().any(|number| {
            let item = &flows.items[*number as usize];
            let (base, raw) = (item.uses[self.guarded], self.parts.raw(item));
            let at = |position: u32| base.wrapping_add(u64::from(position) << VALUE);
            let packed = match item.kind {
                PLAIN if raw.wrapping_sub(item.first) > item.more => NOTHING,
                PLAIN => at(raw),
                MASK => {
                    let mut bits = (0..u32::BITS).filter(|bit| raw >> bit & 1 != 0);
                    return bits.any(|bit| at(bit) == packed);
                }
                _ => looked_up(self.tables, word, item, base),
            };
            packed != NOTHING && unpacked(self.tables, word, packed) == found
        })
    }
}

/// The use that was packed.
#[inline(always)]
fn unpacked<'a, T: Tables<'a>>(tables: T, word: Word, packed: u64) -> Use {
    let of = (packed >> OF) as u16;
    let resource = match packed as u32 & 7 {
        REGISTERS => Resource::Registers {
            file: of,
            first: (packed >> VALUE) as u16,
            count: (packed >> COUNT) as u16,
        },
        UNKNOWN => Resource::Unknown { file: of },
        SPECIAL => Resource::Special(of),
        MEMORY => Resource::Memory { ty: of, raw: packed >> VALUE },
        _ => {
            let lookup = &tables.image().flows.lookups[(packed >> VALUE) as usize];
            Resource::Memory { ty: of, raw: extract(word, lookup.lsb.into(), lookup.width.into()) }
        }
    };
    Use { resource, effect: Effect::of(packed >> EFFECT & 7) }
}

/// The use that an item is whose values are looked up, packed; [`NOTHING`] if it is none.
#[inline(never)]
fn looked_up<'a, T: Tables<'a>>(tables: T, word: Word, item: &Item, base: u64) -> u64 {
    let image = tables.image();
    let lookup = &image.flows.lookups[item.first as usize];
    let raw = extract(word, lookup.lsb.into(), lookup.width.into());
    let runs = slice(image.flows.runs, lookup.runs);
    let Some(run) = runs.iter().find(|run| raw.wrapping_sub(run.value) <= run.more) else {
        return NOTHING;
    };
    let position = raw - run.value;
    let head = base | u64::from(run.head);
    match run.head & 7 {
        REGISTERS => {
            let number = u32::from(run.number) + position as u32;
            let number = number - number % run.align;
            let registers = match lookup.data.expr {
                0 => run.registers,
                _ => data_bits(image, lookup.data, word).div_ceil(run.registers),
            };
            let count =
                u32::from(registers).min(u32::from(run.limit).saturating_sub(number)).max(1);
            head | u64::from(number) << VALUE | u64::from(count) << COUNT
        }
        MEMORY => head | position << VALUE,
        WIDE_MEMORY => head | u64::from(item.first) << VALUE,
        _ => head,
    }
}

impl<'a, T: Tables<'a>> Iterator for Uses<'a, T> {
    type Item = Use;

    #[inline(always)]
    fn next(&mut self) -> Option<Use> {
        let packed = self.packed()?;
        Some(unpacked(self.tables, self.parts.word(), packed))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.tables.image().flows.room as usize))
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, Use) -> B>(mut self, init: B, mut f: F) -> B {
        let mut state = init;
        while let Some(packed) = self.packed() {
            state = f(state, unpacked(self.tables, self.parts.word(), packed));
        }
        state
    }
}

impl<'a, T: Tables<'a>> FusedIterator for Uses<'a, T> {}

impl<'a, T: Tables<'a>> fmt::Debug for Uses<'a, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
