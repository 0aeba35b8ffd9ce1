//! What an instruction reads and writes.
//!
//! Uses are packed into 64 bits for comparison: an item's use by the value 0, plus the value of the item's field. Equal
//! uses are equal numbers.

use core::fmt;
use core::iter::FusedIterator;
use core::slice::Iter;

use super::bits::{from_halves, halves};
use super::decode::RowId;
use super::expr::{data_bits, eval};
use super::fields::get;
use super::image::{Tables, slice};
pub use super::image_flow::Effect;
use super::image_flow::{
    COUNT, EFFECT, Item, KIND, MASK, MAX_REACH, MEMORY, OF, OTHER, PLAIN, REGISTERS, SPECIAL,
    UNKNOWN, WHEN, WIDE_MEMORY,
};
use super::set;
use super::word::Word;

/// Something that instructions read and write, by the numbers of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Registers of a file, one after another.
    Registers {
        /// The file.
        file: u32,
        /// Number of the first.
        first: u16,
        /// How many, at least one.
        count: u16,
    },
    /// One or several registers of the file; the instruction does not say which.
    Unknown {
        /// The file.
        file: u32,
    },
    /// A special register.
    Special(u32),
    /// What a composite operand addresses.
    Memory {
        /// The type of the operand.
        ty: u32,
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

/// A set of effects, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effects(u8);

impl Effects {
    /// All effects that read.
    pub const READS: Effects = Effects(0b11_0011);
    /// All effects that write.
    pub const WRITES: Effects = Effects(0b11_1100);
    /// All effects.
    pub const ALL: Effects = Effects(0b11_1111);

    /// Whether an effect is one of them.
    #[inline(always)]
    const fn have(self, effect: Effect) -> bool {
        self.0 >> effect as u8 & 1 != 0
    }
}

/// A number that is not a packed use.
const NOTHING: u64 = u64::MAX;

/// The uses of an instruction, in the order of the specification, each once.
#[derive(Clone)]
pub struct Uses<'a, T> {
    tables: T,
    // The halves of the word, not in an array: that would keep the whole iterator in memory.
    low: u64,
    high: u64,
    /// The items that are left.
    items: Iter<'a, Item>,
    /// All of them.
    all: &'a [Item],
    /// Whether the guard may forbid the instruction.
    is_guarded: bool,
    /// The requested effects.
    wanted: Effects,
    /// The last uses, packed.
    before: Before,
    /// The remaining bits of the current mask.
    bits: u32,
    /// The item of this mask.
    mask: Option<&'a Item>,
}

/// The last uses, packed, the latest first.
#[derive(Clone, Copy)]
struct Before([u64; MAX_REACH]);

impl Before {
    /// Whether a use is among the recent uses; remembers it.
    #[inline(always)]
    fn have(&mut self, reach: u8, packed: u64) -> bool {
        let [a, b, c, d] = self.0;
        self.0 = [packed, a, b, c];
        reach > 0 && a == packed
            || reach > 1 && b == packed
            || reach > 2 && c == packed
            || reach > 3 && d == packed
    }
}

/// The bits of the field of an item.
#[inline(always)]
const fn raw(item: &Item, low: u64, high: u64) -> u32 {
    let half = if Word::BITS > 64 && item.lsb & 64 != 0 { high } else { low };
    (half >> (item.lsb & 63)) as u32 & item.mask
}

/// The uses of an instruction of a row with the requested effects.
#[inline(always)]
#[must_use]
pub fn uses<'a, T: Tables<'a>>(tables: T, row: RowId, word: Word, wanted: Effects) -> Uses<'a, T> {
    let flows = &tables.image().flows;
    let flow = &flows.flows[flows.of_row[row.get() as usize] as usize];
    let (items, is_guarded) = if word & flow.usual.mask == flow.usual.value {
        (slice(flows.items, flow.usual_items), false)
    } else {
        let guards = slice(flows.guards, flow.guards);
        let is_guarded = guards.iter().all(|guard| word & guard.mask != guard.value);
        (slice(flows.items, flow.items), is_guarded)
    };
    let (low, high) = halves(word);
    let before = Before([NOTHING; MAX_REACH]);
    let (all, items) = (items, items.iter());
    Uses { tables, low, high, items, all, is_guarded, wanted, before, bits: 0, mask: None }
}

impl<'a, T: Tables<'a>> Uses<'a, T> {
    /// Whether an item before the last one is the same use.
    #[inline(always)]
    fn is_repeated(&self, packed: u64) -> bool {
        let before = &self.all[..self.all.len() - self.items.len() - 1];
        is_among(self.tables, before, self.is_guarded, self.word(), packed)
    }

    #[inline(always)]
    fn word(&self) -> Word {
        from_halves(self.low, self.high)
    }

    /// Whether uses with an effect are not requested.
    #[inline(always)]
    fn leaves_out(&self, effect: Effect) -> bool {
        self.wanted != Effects::ALL && !self.wanted.have(effect)
    }

    /// The use by a value of an item that stands for registers, if it is requested and new.
    #[inline(always)]
    fn of_registers(&mut self, item: &Item, raw: u32) -> Option<Use> {
        let flows = &self.tables.image().flows;
        let guarded = usize::from(self.is_guarded);
        let packed = item.uses[guarded].wrapping_add(raw.into());
        if self.leaves_out(item.effects[guarded])
            || self.before.have(flows.reach, packed)
            || flows.has_compared && item.is_compared && self.is_repeated(packed)
        {
            return None;
        }
        Some(registers(item, packed, guarded))
    }

    /// The use by the lowest remaining bit of a mask, if it is new.
    #[inline(always)]
    fn of_mask(&mut self, item: &Item) -> Option<Use> {
        let guarded = usize::from(self.is_guarded);
        let packed = item.uses[guarded] + self.bits.trailing_zeros() as u64;
        self.bits &= self.bits - 1;
        if self.tables.image().flows.has_compared && item.is_compared && self.is_repeated(packed) {
            return None;
        }
        Some(registers(item, packed, guarded))
    }

    /// The use by an item that is not plain registers or a mask. Skips items whose condition does not hold.
    #[inline(always)]
    fn of_other(&mut self, item: &Item) -> Option<Use> {
        let flows = &self.tables.image().flows;
        if flows.has_conditions && item.kind == WHEN {
            if !holds(self.tables, item, self.low, self.high) {
                pass(&mut self.items, item);
            }
            return None;
        }
        let guarded = usize::from(self.is_guarded);
        if self.leaves_out(item.effects[guarded]) {
            return None;
        }
        let packed = other(self.tables, item, item.uses[guarded], self.word());
        if packed == NOTHING
            || self.before.have(flows.reach, packed)
            || flows.has_compared && item.is_compared && self.is_repeated(packed)
        {
            return None;
        }
        Some(unpacked(self.tables, self.word(), packed))
    }
}

/// Whether a condition holds in a word.
#[inline(never)]
fn holds<'a, T: Tables<'a>>(tables: T, item: &Item, low: u64, high: u64) -> bool {
    eval(tables.image(), set::UNKNOWN, item.uses[0] as u32, from_halves(low, high)) != 0
}

/// Skips the items that need a condition.
#[inline(always)]
fn pass(items: &mut Iter<'_, Item>, condition: &Item) {
    let rest = items.as_slice();
    *items = rest[rest.len().min(condition.count.into())..].iter();
}

/// The registers of a use that was packed.
#[inline(always)]
const fn registers(item: &Item, packed: u64, guarded: usize) -> Use {
    let resource = Resource::Registers { file: item.file, first: packed as u16, count: item.count };
    Use { resource, effect: item.effects[guarded] }
}

/// Whether one of some items is a use. A reference to the iterator would keep it in memory.
#[cold]
fn is_among<'a, T: Tables<'a>>(
    tables: T,
    items: &[Item],
    is_guarded: bool,
    word: Word,
    packed: u64,
) -> bool {
    let found = unpacked(tables, word, packed);
    let (low, high) = halves(word);
    let has_conditions = tables.image().flows.has_conditions;
    let mut items = items.iter();
    while let Some(item) = items.next() {
        if has_conditions && item.kind == WHEN {
            if !holds(tables, item, low, high) {
                pass(&mut items, item);
            }
            continue;
        }
        let (base, raw) = (item.uses[usize::from(is_guarded)], raw(item, low, high));
        let at = |position: u32| base.wrapping_add(position.into());
        let known = match item.kind {
            PLAIN if raw.wrapping_sub(item.first) > item.more => NOTHING,
            PLAIN => at(raw),
            MASK => {
                let mut bits = (0..u32::BITS).filter(|bit| raw >> bit & 1 != 0);
                match bits.any(|bit| at(bit) == packed) {
                    true => packed,
                    false => NOTHING,
                }
            }
            _ => other(tables, item, base, word),
        };
        if known != NOTHING && unpacked(tables, word, known) == found {
            return true;
        }
    }
    false
}

/// The use that was packed.
#[inline(always)]
fn unpacked<'a, T: Tables<'a>>(tables: T, word: Word, packed: u64) -> Use {
    let flows = &tables.image().flows;
    let of = (packed >> OF) as u32 & ((1 << (EFFECT - OF)) - 1);
    let kind = (packed >> KIND) as u8;
    let resource = if flows.has_unknown && kind == UNKNOWN {
        Resource::Unknown { file: of }
    } else if flows.has_special && kind == SPECIAL {
        Resource::Special(of)
    } else if flows.has_memory && kind == MEMORY {
        Resource::Memory { ty: of, raw: packed as u32 as u64 }
    } else if flows.has_wide_memory && kind == WIDE_MEMORY {
        let image = tables.image();
        let lookup = &image.flows.lookups[packed as u32 as usize];
        Resource::Memory { ty: of, raw: get(image, word, lookup.lsb, lookup.width) }
    } else {
        Resource::Registers { file: of, first: packed as u16, count: (packed >> COUNT) as u16 }
    };
    Use { resource, effect: Effect::of(packed >> EFFECT & 7) }
}

/// The use by an item that is not plain registers or a mask, packed; [`NOTHING`] if it is none.
#[inline(always)]
fn other<'a, T: Tables<'a>>(tables: T, item: &Item, base: u64, word: Word) -> u64 {
    if item.kind == OTHER {
        let (low, high) = halves(word);
        return base + u64::from(raw(item, low, high));
    }
    looked_up(tables, base, word)
}

/// The use by an item whose values are looked up.
#[inline(never)]
fn looked_up<'a, T: Tables<'a>>(tables: T, base: u64, word: Word) -> u64 {
    let image = tables.image();
    let number = base as u32;
    let lookup = &image.flows.lookups[number as usize];
    let raw = get(image, word, lookup.lsb, lookup.width);
    let runs = slice(image.flows.runs, lookup.runs);
    let Some(run) = runs.iter().find(|run| raw.wrapping_sub(run.value) <= run.more) else {
        return NOTHING;
    };
    let position = raw - run.value;
    let head = base & !u64::from(number) | u64::from(run.kind) << KIND | u64::from(run.of) << OF;
    match run.kind {
        REGISTERS => {
            let number = u32::from(run.number) + position as u32;
            let number = number - number % run.align;
            let registers = match lookup.data.expr {
                0 => run.registers,
                _ => data_bits(image, lookup.data, word).div_ceil(run.registers),
            };
            let left = u32::from(run.limit).saturating_sub(number);
            head | u64::from(number) | u64::from(u32::from(registers).min(left).max(1)) << COUNT
        }
        MEMORY => head | position,
        WIDE_MEMORY => head | u64::from(number),
        _ => head,
    }
}

impl<'a, T: Tables<'a>> Iterator for Uses<'a, T> {
    type Item = Use;

    #[inline(always)]
    fn next(&mut self) -> Option<Use> {
        let flows = &self.tables.image().flows;
        let guarded = usize::from(self.is_guarded);
        loop {
            if let (true, Some(item)) = (flows.has_masks && self.bits != 0, self.mask) {
                match self.of_mask(item) {
                    Some(found) => return Some(found),
                    None => continue,
                }
            }
            let item = self.items.next()?;
            let raw = raw(item, self.low, self.high);
            if raw.wrapping_sub(item.first) <= item.more {
                match self.of_registers(item, raw) {
                    Some(found) => return Some(found),
                    None => continue,
                }
            }
            if flows.has_masks && item.kind == MASK {
                if !self.leaves_out(item.effects[guarded]) {
                    (self.bits, self.mask) = (raw, Some(item));
                }
            } else if flows.has_others && item.kind != PLAIN {
                if let Some(found) = self.of_other(item) {
                    return Some(found);
                }
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.tables.image().flows.room as usize))
    }

    /// The same, item by item. This is faster if all uses are taken, because each mask is visited once.
    #[inline(always)]
    fn fold<B, F: FnMut(B, Use) -> B>(mut self, init: B, mut f: F) -> B {
        let flows = &self.tables.image().flows;
        let guarded = usize::from(self.is_guarded);
        let mut state = init;
        while let (true, Some(item)) = (flows.has_masks && self.bits != 0, self.mask) {
            if let Some(found) = self.of_mask(item) {
                state = f(state, found);
            }
        }
        while let Some(item) = self.items.next() {
            let raw = raw(item, self.low, self.high);
            if raw.wrapping_sub(item.first) <= item.more {
                if let Some(found) = self.of_registers(item, raw) {
                    state = f(state, found);
                }
            } else if flows.has_masks && item.kind == MASK {
                self.bits = if self.leaves_out(item.effects[guarded]) { 0 } else { raw };
                while self.bits != 0 {
                    if let Some(found) = self.of_mask(item) {
                        state = f(state, found);
                    }
                }
            } else if flows.has_others && item.kind != PLAIN {
                if let Some(found) = self.of_other(item) {
                    state = f(state, found);
                }
            }
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
