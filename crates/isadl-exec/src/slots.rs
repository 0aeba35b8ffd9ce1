//! Where values are: all registers, and the values of instructions, in one array of numbers of 64 bits.
//!
//! An index has 16 bits and the array 2^16 slots, so no access is checked. A register takes as many slots as it has pieces of 64 bits, the
//! lowest first; bits that it does not have are 0.

use std::collections::BTreeMap;

use isadl::isa::{Isa, RegFileId};
use isadl::semantics::program::Lanes;

/// A slot.
pub(crate) type Slot = u16;

/// How many there are.
pub(crate) const SLOTS: usize = 1 << 16;

/// The array.
pub(crate) type Slots = [u64; SLOTS];

#[inline(always)]
pub(crate) fn get(slots: &Slots, slot: Slot) -> u64 {
    slots[usize::from(slot)]
}

#[inline(always)]
pub(crate) fn set(slots: &mut Slots, slot: Slot, value: u64) {
    slots[usize::from(slot)] = value;
}

/// Always 0.
pub(crate) const ZERO: Slot = 0;
/// The flags that the floating-point operations of an instruction raise.
pub(crate) const RAISED: Slot = 1;
/// The address at which an instruction goes on, if it computes whether it jumps.
pub(crate) const TARGET: Slot = 2;
/// The number of the lane.
pub(crate) const LANE: Slot = 3;
/// The lanes that take part in an instruction, as bits.
pub(crate) const ACTIVE: Slot = 4;
/// The lanes that take part in all instructions, unless these say something else.
pub(crate) const LAUNCHED: Slot = 5;

const FIRST: usize = 8;

/// Slots for registers that are outside of files.
const KEPT: usize = 2048;

/// The least number of slots for values.
const VALUES: usize = 8192;

/// Pieces of 64 bits.
pub(crate) fn pieces(bits: u32) -> usize {
    bits.div_ceil(64) as usize
}

/// The slots of registers.
///
/// Of registers that every lane has, this has the slots that they would have on a machine with one lane, and
/// [`Blocks`] where they are.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// For each register file, its first slot.
    files: Vec<Slot>,
    /// For each register file, whether the first register follows the last.
    wraps: Vec<bool>,
    /// Registers outside of files, which exist when something names them.
    kept: BTreeMap<String, Slot>,
    next_kept: usize,
    /// The first slot for values, and the one behind the last.
    values: usize,
    end: usize,
    blocks: Option<Blocks>,
}

/// Whether the first register of a file follows its last one where an operand takes several; else a constant does.
pub(crate) fn wraps(isa: &Isa, file: RegFileId) -> bool {
    isa.reg_files()[file.index()].count > 1 && !isa.has_constant(file)
}

/// Where lanes have what each has of its own: in blocks of a slot for each lane.
#[derive(Debug, Clone)]
pub(crate) struct Blocks {
    /// How many lanes there are.
    pub(crate) count: usize,
    /// For each register file that lanes have, its slots on a machine with one lane, and its first block.
    files: Vec<(std::ops::Range<usize>, usize)>,
    /// The block with the numbers of the lanes.
    numbers: usize,
    /// The first block for values.
    pub(crate) values: usize,
}

/// The most lanes.
pub(crate) const MAX_LANES: usize = 64;

/// Slots for values of one lane, where there are several.
const LANE_VALUES: usize = 4096;

impl Blocks {
    /// The block of a register that lanes have, or of the number of the lane.
    pub(crate) fn of(&self, slot: Slot) -> Option<usize> {
        let slot = usize::from(slot);
        if slot == usize::from(LANE) {
            return Some(self.numbers);
        }
        let found = self.files.iter().find(|(slots, _)| slots.contains(&slot));
        found.map(|(slots, first)| first + (slot - slots.start) * self.count)
    }
}

impl Layout {
    /// The slots of an instruction set's registers; `None` if it has too many, or too many lanes.
    pub(crate) fn of(isa: &Isa, lanes: Option<&Lanes>) -> Option<Layout> {
        let mut next = FIRST;
        let mut files = Vec::new();
        for file in isa.reg_files() {
            files.push(Slot::try_from(next).ok()?);
            next += pieces(file.width) * file.count as usize;
        }
        let values = next + KEPT;
        let wraps = (0..isa.reg_files().len()).map(|at| wraps(isa, RegFileId::new(at))).collect();
        let mut layout = Layout {
            files,
            wraps,
            kept: BTreeMap::new(),
            next_kept: next,
            values,
            end: SLOTS,
            blocks: None,
        };
        if let Some(lanes) = lanes {
            layout.end = values + LANE_VALUES;
            layout.blocks = Some(layout.blocks_of(isa, lanes)?);
        }
        (values + VALUES <= SLOTS).then_some(layout)
    }

    fn blocks_of(&self, isa: &Isa, lanes: &Lanes) -> Option<Blocks> {
        let count = lanes.count as usize;
        let mut next = self.end + count;
        let mut files = Vec::new();
        for id in &lanes.files {
            let file = &isa.reg_files()[id.index()];
            let first = usize::from(self.files[id.index()]);
            let slots = pieces(file.width) * file.count as usize;
            files.push((first..first + slots, next));
            next += slots * count;
        }
        let fits = (1..=MAX_LANES).contains(&count) && next + VALUES <= SLOTS;
        fits.then_some(Blocks { count, files, numbers: self.end, values: next })
    }

    /// Where lanes have their own registers, if there are several.
    pub(crate) fn blocks(&self) -> Option<&Blocks> {
        self.blocks.as_ref()
    }

    /// The slot behind those for values of an instruction.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// The first slot of a register of a file.
    pub(crate) fn register(&self, isa: &Isa, file: RegFileId, number: u32) -> Slot {
        let each = pieces(isa.reg_files()[file.index()].width);
        (usize::from(self.files[file.index()]) + each * number as usize) as Slot
    }

    /// The bits of a slot that registers use: 1 where they do.
    pub(crate) fn ones(&self, isa: &Isa, slot: Slot) -> u64 {
        if slot == ZERO {
            return 0;
        }
        for (first, file) in self.files.iter().zip(isa.reg_files()) {
            let each = pieces(file.width);
            let Some(at) = slot.checked_sub(*first).map(usize::from) else { continue };
            if at < each * file.count as usize {
                let bits = (file.width - 64 * (at % each) as u32).min(64);
                return u64::MAX >> (64 - bits);
            }
        }
        u64::MAX
    }

    /// The number of the register that follows a number of others, if an operand takes several; `None` if that is always 0. Behind the last
    /// register is the constant of its file, if it has one, else the first register.
    pub(crate) fn following(&self, isa: &Isa, file: RegFileId, number: u32) -> Option<u32> {
        let count = isa.reg_files()[file.index()].count;
        match number < count {
            true => Some(number),
            false => self.wraps[file.index()].then_some(number % count),
        }
    }

    /// The slot of a register outside of files, of at most 64 bits; `None` if there are too many.
    pub(crate) fn kept(&mut self, name: &str) -> Option<Slot> {
        if let Some(slot) = self.kept.get(name) {
            return Some(*slot);
        }
        if self.next_kept == self.values {
            return None;
        }
        let slot = self.next_kept as Slot;
        self.next_kept += 1;
        self.kept.insert(name.to_string(), slot);
        Some(slot)
    }

    /// The registers outside of files that something has named, with their slots.
    pub(crate) fn all_kept(&self) -> impl Iterator<Item = (&str, Slot)> {
        self.kept.iter().map(|(name, slot)| (name.as_str(), *slot))
    }

    /// The first slot for values.
    pub(crate) fn values(&self) -> Slot {
        self.values as Slot
    }
}
