//! Where values are: all registers, and the values of instructions, in one array of numbers of 64 bits.
//!
//! An index has 16 bits and the array 2^16 slots, so no access is checked. A register takes as many slots as it has pieces of 64 bits, the
//! lowest first; bits that it does not have are 0.

use std::collections::BTreeMap;

use isadl::isa::{Entry, Isa, Meaning, RegFileId, TypeKind};

/// A slot.
pub(crate) type Slot = u16;

/// How many there are.
pub(crate) const SLOTS: usize = 1 << 16;

/// The array.
pub(crate) type Slots = [u64; SLOTS];

/// Always 0.
pub(crate) const ZERO: Slot = 0;
/// The flags that the floating-point operations of an instruction raise.
pub(crate) const RAISED: Slot = 1;
/// The address at which an instruction goes on, if it computes whether it jumps.
pub(crate) const TARGET: Slot = 2;

const FIRST: usize = 8;

/// Slots for registers that are outside of files.
const KEPT: usize = 2048;

/// The least number of slots for values.
const VALUES: usize = 8192;

/// Pieces of 64 bits.
pub(crate) fn pieces(bits: u32) -> usize {
    bits.div_ceil(64) as usize
}

/// Whether an operand may be a constant of a register file, such as a register that is always 0.
fn has_constant(isa: &Isa, file: RegFileId) -> bool {
    let is_it =
        |entry: &Entry| matches!(entry.meaning, Meaning::Constant { file: own, .. } if own == file);
    isa.types().iter().any(|ty| match &ty.kind {
        TypeKind::Operand(entries) => entries.iter().any(is_it),
        _ => false,
    })
}

/// The slots of registers.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// For each register file, its first slot.
    files: Vec<Slot>,
    /// For each register file, whether the first register follows the last.
    wraps: Vec<bool>,
    /// Registers outside of files, which exist when something names them.
    kept: BTreeMap<String, Slot>,
    next_kept: usize,
    /// The first slot for values.
    values: usize,
}

impl Layout {
    /// The slots of an instruction set's registers; `None` if it has too many.
    pub(crate) fn of(isa: &Isa) -> Option<Layout> {
        let mut next = FIRST;
        let mut files = Vec::new();
        for file in isa.reg_files() {
            files.push(Slot::try_from(next).ok()?);
            next += pieces(file.width) * file.count as usize;
        }
        let values = next + KEPT;
        let wraps = isa.reg_files().iter().enumerate();
        let wraps = wraps
            .map(|(at, file)| file.count > 1 && !has_constant(isa, RegFileId::new(at)))
            .collect();
        (values + VALUES <= SLOTS).then_some(Layout {
            files,
            wraps,
            kept: BTreeMap::new(),
            next_kept: next,
            values,
        })
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
