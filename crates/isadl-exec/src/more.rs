//! Micro-operations that are rare, or have more than a few operands.

use isadl::semantics::float::Setting;

use crate::lanes;
use crate::memory::Access;
use crate::micro::{More, Run, SettingValue};
use crate::node::{Extra, FELL, STOPPED, run};
use crate::slots::{ACTIVE, RAISED, Slot, Slots, get, pieces};
use crate::state::{Accessed, Core, Halt};
use crate::wide;

/// The slots of a run.
fn range(run: Run) -> std::ops::Range<usize> {
    let first = usize::from(run.first);
    first..first + pieces(run.bits)
}

/// A number in two's complement, of at most 64 bits.
fn number(slots: &Slots, run: Run, is_signed: bool) -> i128 {
    let value = get(slots, run.first);
    let up = 64 - run.bits.min(64);
    if is_signed { ((value << up) as i64 >> up).into() } else { value.into() }
}

/// Does what a node says beside its operands. `at` is the number of the instruction in its block.
pub(crate) fn execute(slots: &mut Slots, core: &mut Core, extra: &Extra, at: Slot) -> u64 {
    match &extra.more {
        More::If { condition, .. } => {
            let list = if get(slots, *condition) != 0 { 0 } else { 1 };
            run(slots, core, &extra.lists[list])
        }
        More::Range { first, last, is_signed, number: own, .. } => {
            let last = number(slots, *last, *is_signed);
            let mut next = number(slots, *first, *is_signed);
            while next <= last {
                if !core.turn() {
                    return core.halt(Halt::TooLong, at);
                }
                slots[usize::from(own.first)] = next as u64 & mask(own.bits);
                match run(slots, core, &extra.lists[0]) {
                    FELL => next += 1,
                    other => return other,
                }
            }
            FELL
        }
        More::Ones { of, number: own, .. } => {
            let ones: Vec<u64> = slots[range(*of)].to_vec();
            for bit in 0..of.bits {
                if ones[(bit / 64) as usize] >> (bit % 64) & 1 == 0 {
                    continue;
                }
                slots[usize::from(own.first)] = u64::from(bit) & mask(own.bits);
                match run(slots, core, &extra.lists[0]) {
                    FELL => {}
                    other => return other,
                }
            }
            FELL
        }
        More::Wide { op, result, operands } => {
            let all: Vec<(&[u64], u32)> =
                operands.iter().map(|run| (&slots[range(*run)], run.bits)).collect();
            let found = wide::compute(*op, &all, result.bits);
            slots[range(*result)].copy_from_slice(&found);
            FELL
        }
        More::Load { memory, address, result, is_reserving } => {
            let (address, bytes) = (get(slots, *address), u64::from(result.bits / 8));
            core.note(*memory, address, bytes, false);
            let Some(from) = core.memory_of(*memory) else { return core.halt(Halt::NoMemory, at) };
            if result.bits == 128
                && !is_reserving
                && let Some(found) = from.load::<16>(address)
            {
                let found = u128::from_le_bytes(found);
                slots[usize::from(result.first)] = found as u64;
                slots[usize::from(result.first) + 1] = (found >> 64) as u64;
                return FELL;
            }
            let Ok(found) = from.bytes(address, bytes, Access::READ) else {
                return core.load_fault(*memory, address, bytes, at);
            };
            for (slot, bytes) in slots[range(*result)].iter_mut().zip(found.chunks(8)) {
                let mut all = [0; 8];
                all[..bytes.len()].copy_from_slice(bytes);
                *slot = u64::from_le_bytes(all);
            }
            if *is_reserving {
                core.reserved = Some((*memory, address));
            }
            FELL
        }
        More::Store { memory, address, value } => {
            store(slots, core, *memory, get(slots, *address), *value, at)
        }
        More::StoreConditional { memory, address, value, result } => {
            let address = get(slots, *address);
            let is_reserved = core.reserved.take() == Some((*memory, address));
            if is_reserved {
                let done = store(slots, core, *memory, address, *value, at);
                if done != FELL {
                    return done;
                }
            }
            slots[usize::from(*result)] = is_reserved.into();
            FELL
        }
        More::ReadRegister { first, registers, bits, number, result } => {
            let number = get(slots, *number) % u64::from(*registers);
            let from = usize::from(*first) + pieces(*bits) * number as usize;
            slots.copy_within(from..from + pieces(*bits), usize::from(result.first));
            FELL
        }
        More::WriteRegister { first, registers, bits, number, value, mask: written } => {
            let number = get(slots, *number) % u64::from(*registers);
            let to = usize::from(*first) + pieces(*bits) * number as usize;
            for piece in 0..pieces(*bits) {
                let of = |run: Run| match piece < pieces(run.bits) {
                    true => slots[usize::from(run.first) + piece],
                    false => 0,
                };
                let written = written.map_or(u64::MAX, of);
                slots[to + piece] = slots[to + piece] & !written | of(*value) & written;
            }
            FELL
        }
        More::Elapsed { from, step, result } => {
            let count = core.count.wrapping_add(u64::from(at));
            let elapsed = step.wrapping_mul(count);
            slots[usize::from(*result)] = get(slots, *from).wrapping_add(elapsed);
            FELL
        }
        More::CopyAll { from, to, count } => {
            let from = usize::from(*from);
            slots.copy_within(from..from + count, usize::from(*to));
            FELL
        }
        More::Float { operation, arguments, settings, raises, result } => {
            // Loops, as this is done often and iterators are not always inlined.
            let mut values = [0; 4];
            for (at, slot) in arguments.iter().enumerate().take(values.len()) {
                values[at] = get(slots, *slot);
            }
            let mut own = [(Setting::Rounding, 0); Setting::ALL.len()];
            for (at, (setting, value)) in settings.iter().enumerate().take(own.len()) {
                let value = match value {
                    SettingValue::Known(value) => usize::from(*value),
                    SettingValue::Slot(slot) => get(slots, *slot) as usize,
                };
                own[at] = (*setting, value);
            }
            let count = arguments.len().min(values.len());
            let (value, flags) = operation.evaluate(&values[..count], &own[..settings.len()]);
            slots[usize::from(*result)] = value;
            if *raises {
                slots[usize::from(RAISED)] |= u64::from(flags.bits());
            }
            FELL
        }
        More::Call { name, arguments, result } => {
            let all: Vec<Vec<u64>> =
                arguments.iter().map(|run| slots[range(*run)].to_vec()).collect();
            match core.call(name, &all, result.bits) {
                Some(found) => {
                    for (at, slot) in slots[range(*result)].iter_mut().enumerate() {
                        let bits = result.bits - 64 * at as u32;
                        *slot = found.get(at).copied().unwrap_or(0) & mask(bits);
                    }
                    FELL
                }
                None => core.halt(Halt::NoFunction(name.clone()), at),
            }
        }
        More::Any { first: _, last, result } => {
            slots.copy_within(range(*last), usize::from(result.first));
            FELL
        }
        More::TakePart { lanes } => {
            slots[usize::from(ACTIVE)] &= get(slots, *lanes);
            FELL
        }
        More::Lanes(what) => lanes::execute(slots, core, what, &extra.lists),
        // These become [`More::Lanes`] where there are lanes, and are made nowhere else.
        More::Ballot { .. }
        | More::ReadLane { .. }
        | More::WriteLane { .. }
        | More::WriteAll { .. } => core.halt(Halt::Unpredictable, at),
        More::Trap { name, arguments } => {
            let arguments = arguments.iter().map(|run| slots[range(*run)].to_vec()).collect();
            core.halt(Halt::Trap { name: name.clone(), arguments }, at)
        }
        More::Unpredictable => core.halt(Halt::Unpredictable, at),
        More::Halt(halt) => core.halt(halt.clone(), at),
        More::Taken(taken) => {
            core.taken.insert(*taken);
            FELL
        }
    }
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn store(slots: &Slots, core: &mut Core, memory: usize, address: u64, value: Run, at: Slot) -> u64 {
    core.note(memory, address, u64::from(value.bits / 8), true);
    let Some(to) = core.memory_of_mut(memory) else { return core.halt(Halt::NoMemory, at) };
    let pieces = &slots[range(value)];
    if let ([low, high], 128) = (pieces, value.bits)
        && to.store(address, (u128::from(*high) << 64 | u128::from(*low)).to_le_bytes()).is_some()
    {
        return FELL;
    }
    let mut bytes: Vec<u8> = pieces.iter().flat_map(|one| one.to_le_bytes()).collect();
    bytes.truncate(value.bits as usize / 8);
    match to.write(address, &bytes) {
        Ok(()) => FELL,
        Err(_) => core.store_fault(memory, address, bytes.len() as u64, at),
    }
}

/// The result of [`execute`] if the instruction cannot go on.
impl Core {
    pub(crate) fn halt(&mut self, halt: Halt, at: Slot) -> u64 {
        self.halted = Some((halt, at));
        STOPPED
    }

    /// Notes an access, if that is wanted.
    fn note(&mut self, memory: usize, address: u64, bytes: u64, is_store: bool) {
        if let Some(accesses) = &mut self.accesses {
            accesses.push(Accessed { memory, address, bytes, is_store });
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn load_fault(&mut self, memory: usize, address: u64, bytes: u64, at: Slot) -> u64 {
        self.fault(memory, address, bytes, Access::READ, at)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn store_fault(&mut self, memory: usize, address: u64, bytes: u64, at: Slot) -> u64 {
        self.fault(memory, address, bytes, Access::WRITE, at)
    }

    fn fault(&mut self, memory: usize, address: u64, bytes: u64, access: Access, at: Slot) -> u64 {
        match self.memory_of(memory) {
            Some(of) => {
                let fault = of.fault(address, bytes, access);
                self.halt(Halt::Fault { memory, fault }, at)
            }
            None => self.halt(Halt::NoMemory, at),
        }
    }
}
