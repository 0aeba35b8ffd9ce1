//! A machine: registers, memory, and the translation of instructions.

mod run;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use isadl::isa::{DecodeError, Inst, RegFileId, RegisterPart};

use crate::block::{Block, NONE};
use crate::environment::Kept;
use crate::host;
use crate::lanes;
use crate::lower::{self, After, Context, Place};
use crate::memory::{Access, Fault, Memory};
use crate::micro::{self, Micro};
use crate::node::{self, List, STOPPED};
use crate::optimize;
use crate::slots::{LANE, LAUNCHED, Layout, SLOTS, Slot, Slots, pieces};
use crate::spec::Spec;
use crate::state::{Accessed, Core, Functions, Halt, Refusal, TURNS, Taken};

/// The most instructions of a block.
const BLOCK: usize = 64;

/// A block with this many micro-operations gets no further instruction: without optimization, each takes space on the stack.
const MICROS: usize = 1024;

/// The most micro-operations of all blocks, so that a program that jumps everywhere does not fill memory: some 200 MB.
const NODES: usize = 1 << 22;

/// Entries of the cache of addresses.
const CACHE: usize = 4096;

/// A machine that executes an instruction set.
pub struct Machine {
    spec: Rc<Spec>,
    layout: Layout,
    kept: Kept,
    slots: Box<Slots>,
    core: Core,
    blocks: Vec<Block>,
    /// The blocks by the addresses of their first instructions.
    known: HashMap<u64, u32>,
    /// Addresses and blocks that were looked up.
    cache: Box<[(u64, u32)]>,
    /// Blocks of one instruction.
    single: HashMap<u64, u32>,
    /// How many micro-operations all blocks have.
    nodes: usize,
    counts_branches: bool,
    notes_accesses: bool,
    /// Addresses at which execution ends.
    ends: BTreeSet<u64>,
}

/// There are more registers, or lanes, than a machine can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooManyRegisters;

impl Machine {
    /// A machine whose registers are 0, with memories in the order of [`Spec::memories`].
    ///
    /// # Errors
    ///
    /// If the instruction set has more registers than the machine can hold, 2^16 numbers of 64 bits less those for values, or more than 64 lanes.
    pub fn new(spec: Rc<Spec>, memories: Vec<Memory>) -> Result<Machine, TooManyRegisters> {
        let layout = Layout::of(spec.isa(), spec.lanes()).ok_or(TooManyRegisters)?;
        let slots: Box<Slots> = match vec![0; SLOTS].into_boxed_slice().try_into() {
            Ok(slots) => slots,
            // INVARIANT: the length is that of the array.
            Err(_) => unreachable!("there are as many slots as were made"),
        };
        let mut memories = memories.into_iter();
        let memory = memories.next().unwrap_or_else(|| Memory::new(0, 0));
        let core = Core {
            memory,
            others: memories.collect(),
            code: 0,
            pc: 0,
            is_stale: false,
            count: 0,
            halted: None,
            reserved: None,
            taken: BTreeSet::new(),
            functions: None,
            accesses: None,
            turns: TURNS,
            most_turns: TURNS,
            lane_count: layout.blocks().map_or(1, |blocks| blocks.count),
            lanes: u64::MAX >> (64 - layout.blocks().map_or(1, |blocks| blocks.count)),
        };
        let mut machine = Machine {
            spec,
            layout,
            kept: Kept::default(),
            slots,
            core,
            blocks: Vec::new(),
            known: HashMap::new(),
            cache: vec![(u64::MAX, NONE); CACHE].into_boxed_slice(),
            single: HashMap::new(),
            nodes: 0,
            counts_branches: false,
            notes_accesses: false,
            ends: BTreeSet::new(),
        };
        machine.number_lanes();
        machine.set_launched(u64::MAX);
        Ok(machine)
    }

    /// Gives each lane its number.
    fn number_lanes(&mut self) {
        let Some(first) = self.layout.blocks().and_then(|blocks| blocks.of(LANE)) else { return };
        for lane in 0..self.core.lane_count {
            self.slots[first + lane] = lane as u64;
        }
    }

    /// How many lanes do each instruction together; 1 for most machines.
    pub fn lanes(&self) -> usize {
        self.core.lane_count
    }

    /// Which lanes take part in instructions that do not say it themselves, as bits.
    pub fn set_launched(&mut self, lanes: u64) {
        self.slots[usize::from(LAUNCHED)] = lanes & self.core.lanes;
    }

    /// Whether each lane has registers of a file.
    pub fn is_of_lanes(&self, file: RegFileId) -> bool {
        let first = self.layout.register(self.spec.isa(), file, 0);
        self.layout.blocks().is_some_and(|blocks| blocks.of(first).is_some())
    }

    /// A register of a file as a lane has it, as [`Machine::register`] gives it.
    ///
    /// # Panics
    ///
    /// If the file has no such register, or the machine no such lane.
    pub fn register_of_lane(&self, file: RegFileId, number: u32, lane: usize) -> Vec<u64> {
        let (first, count) = self.slots_of(file, number);
        assert!(lane < self.core.lane_count, "there are {} lanes", self.core.lane_count);
        (first..first + count).map(|slot| self.slots[self.place(slot, lane)]).collect()
    }

    /// Sets a register of a file in a lane, as [`Machine::set_register`] does.
    ///
    /// # Panics
    ///
    /// If the file has no such register, or the machine no such lane.
    pub fn set_register_of_lane(
        &mut self,
        file: RegFileId,
        number: u32,
        lane: usize,
        value: &[u64],
    ) {
        let width = self.spec.isa().reg_files()[file.index()].width;
        let (first, count) = self.slots_of(file, number);
        assert!(lane < self.core.lane_count, "there are {} lanes", self.core.lane_count);
        for at in 0..count {
            let bits = (width - 64 * at as u32).min(64);
            let piece = value.get(at).copied().unwrap_or(0);
            let place = self.place(first + at, lane);
            self.slots[place] = piece & (u64::MAX >> (64 - bits));
        }
    }

    /// Where a lane has a slot of a register.
    fn place(&self, slot: usize, lane: usize) -> usize {
        let block = self.layout.blocks().and_then(|blocks| blocks.of(slot as Slot));
        block.map_or(slot, |block| block + lane)
    }

    /// The instruction set.
    pub fn spec(&self) -> &Rc<Spec> {
        &self.spec
    }

    /// The functions that the specification expects of the machine.
    pub fn set_functions(&mut self, functions: Box<dyn Functions>) {
        self.core.functions = Some(functions);
    }

    /// Says that a register outside of files is made of bits of registers, the highest first.
    pub fn set_parts(&mut self, name: &str, parts: Vec<RegisterPart>) {
        self.kept.insert(name, parts);
        self.forget();
    }

    /// Says that a register outside of files grows by a number with each instruction.
    pub fn set_counter(&mut self, name: &str, step: u64) {
        self.kept.count(name, step);
        self.forget();
    }

    /// The number of the memory that has the instructions; the first at the beginning.
    pub fn set_code(&mut self, memory: usize) {
        self.core.code = memory;
        self.forget();
    }

    /// How many turns the loops inside of one instruction may take; 2^24 at the beginning.
    pub fn set_most_turns(&mut self, turns: u64) {
        self.core.most_turns = turns;
    }

    /// Addresses before whose instructions execution halts, with [`Halt::End`].
    pub fn set_ends(&mut self, ends: BTreeSet<u64>) {
        self.ends = ends;
        self.forget();
    }

    /// Whether branches of programs are counted, for [`Machine::taken`].
    pub fn set_counts_branches(&mut self, counts: bool) {
        if self.counts_branches != counts {
            self.counts_branches = counts;
            self.forget();
        }
    }

    /// Whether accesses to memory are noted, for [`Machine::take_accesses`].
    pub fn set_notes_accesses(&mut self, notes: bool) {
        if self.notes_accesses != notes {
            self.notes_accesses = notes;
            self.core.accesses = notes.then(Vec::new);
            self.forget();
        }
    }

    /// The accesses to memory since the last call, in their order.
    pub fn take_accesses(&mut self) -> Vec<Accessed> {
        self.core.accesses.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The branches of programs that were taken.
    pub fn taken(&self) -> &BTreeSet<Taken> {
        &self.core.taken
    }

    /// A memory.
    pub fn memory(&mut self, number: usize) -> Option<&mut Memory> {
        self.core.memory_of_mut(number)
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> u64 {
        self.core.pc
    }

    /// Sets the address of the next instruction.
    pub fn set_pc(&mut self, pc: u64) {
        self.core.pc = pc;
    }

    /// Says that the instruction that stopped has ended: execution goes on at an address.
    pub fn resume(&mut self, pc: u64) {
        self.core.count += 1;
        self.core.pc = pc;
    }

    /// The instructions that ended.
    pub fn count(&self) -> u64 {
        self.core.count
    }

    /// A register of a file, in pieces of 64 bits, the lowest first; that of the first lane if there are several.
    ///
    /// # Panics
    ///
    /// If the file has no such register.
    pub fn register(&self, file: RegFileId, number: u32) -> Vec<u64> {
        self.register_of_lane(file, number, 0)
    }

    /// Sets a register of a file to pieces of 64 bits, the lowest first, in all lanes. Missing pieces are 0, and bits that it does not have are lost.
    ///
    /// # Panics
    ///
    /// If the file has no such register.
    pub fn set_register(&mut self, file: RegFileId, number: u32, value: &[u64]) {
        for lane in 0..self.core.lane_count {
            self.set_register_of_lane(file, number, lane, value);
        }
    }

    fn slots_of(&self, file: RegFileId, number: u32) -> (usize, usize) {
        let isa = self.spec.isa();
        let all = &isa.reg_files()[file.index()];
        assert!(number < all.count, "{} has {} registers", all.name, all.count);
        (self.layout.register(isa, file, number).into(), pieces(all.width))
    }

    /// A register outside of files.
    pub fn kept(&mut self, name: &str) -> u64 {
        let elapsed = self.elapsed(name);
        let begun = self.layout.kept(name).map_or(0, |slot| self.slots[usize::from(slot)]);
        begun.wrapping_add(elapsed)
    }

    /// Sets a register outside of files.
    pub fn set_kept(&mut self, name: &str, value: u64) {
        let elapsed = self.elapsed(name);
        if let Some(slot) = self.layout.kept(name) {
            self.slots[usize::from(slot)] = value.wrapping_sub(elapsed);
        }
    }

    /// By how much a register outside of files has grown.
    fn elapsed(&self, name: &str) -> u64 {
        self.kept.step(name).wrapping_mul(self.core.count)
    }

    /// The registers outside of files that programs have named so far, with their values.
    pub fn all_kept(&self) -> BTreeMap<&str, u64> {
        let value = |name, slot| self.slots[usize::from(slot)].wrapping_add(self.elapsed(name));
        self.layout.all_kept().map(|(name, slot)| (name, value(name, slot))).collect()
    }

    /// Forgets translated instructions.
    #[cold]
    fn forget(&mut self) {
        if let Some(memory) = self.core.memory_of_mut(self.core.code) {
            memory.take_rewritten();
        }
        self.core.is_stale = false;
        self.nodes = 0;
        self.blocks.clear();
        self.known.clear();
        self.single.clear();
        self.cache.fill((u64::MAX, NONE));
    }

    /// Translates a block.
    fn add_block(&mut self, pc: u64, most: usize) -> u32 {
        let block = self.translate(pc, most);
        self.nodes += block.nodes.len() + 1;
        self.core.is_stale |= self.nodes > NODES;
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }

    /// The instruction at an address, and its number of bytes.
    pub fn decode(&self, pc: u64) -> Result<(Inst, u64), Halt> {
        let Some(memory) = self.core.memory_of(self.core.code) else { return Err(Halt::NoMemory) };
        let most = self.spec.isa().bytes() as u64;
        // The last instruction of a page may be shorter than others.
        let mut fault = Fault { address: pc, access: Access::EXECUTE };
        for length in (1..=most).rev() {
            let bytes = match memory.bytes(pc, length, Access::EXECUTE) {
                Ok(bytes) => bytes,
                Err(found) => {
                    fault = found;
                    continue;
                }
            };
            match self.spec.engine().decode_bytes(bytes) {
                Ok((inst, length)) => return Ok((inst, length as u64)),
                Err(DecodeError::Truncated { .. }) if length < most => break,
                Err(_) => return Err(Halt::Refused(Refusal::Illegal)),
            }
        }
        Err(Halt::Fault { memory: self.core.code, fault })
    }

    /// Translates instructions from an address on.
    fn translate(&mut self, pc: u64, most: usize) -> Block {
        let spec = Rc::clone(&self.spec);
        let mut micros: Vec<Micro> = Vec::new();
        // Behind the micro-operations of each instruction.
        let mut ends = Vec::new();
        let mut addresses = vec![pc];
        let mut target = None;
        let mut at = pc;
        for number in 0..most {
            if self.ends.contains(&at) {
                micros.push(lower::halted(Halt::End, number as Slot));
                addresses.push(at);
                break;
            }
            let decoded = self.decode(at);
            // What is no instruction may become one, too.
            let longest = spec.isa().bytes() as u64;
            let length = decoded.as_ref().map_or(longest, |(_, length)| *length);
            if let Some(memory) = self.core.memory_of_mut(self.core.code) {
                memory.set_translated(at..at.saturating_add(length));
            }
            let inst = match decoded {
                Ok((inst, _)) => inst,
                // It is reported when it is reached.
                Err(halt) => {
                    micros.push(lower::halted(halt, number as Slot));
                    addresses.push(at);
                    break;
                }
            };
            let next = at.wrapping_add(length);
            let after = self.lower(&spec, inst, (at, next), number as Slot, &mut micros);
            addresses.push(next);
            ends.push(micros.len());
            at = next;
            match after {
                After::Next if micros.len() < MICROS => {}
                After::Next => break,
                After::Target(to) => {
                    target = Some(to);
                    break;
                }
                After::Elsewhere => break,
            }
        }
        // What lanes do is made of each instruction by itself, since registers are written in some of them only.
        if self.layout.blocks().is_none() {
            self.optimize(&mut micros, &mut ends);
        }
        micro::set_left(&mut micros, &ends);
        Block::new(List::new(micros, host::call), addresses, target)
    }

    fn lower(
        &mut self,
        spec: &Spec,
        inst: Inst,
        (pc, next): (u64, u64),
        at: Slot,
        micros: &mut Vec<Micro>,
    ) -> After {
        let opcode = spec.isa().opcode(inst.opcode);
        let Some((instance, code)) = spec.code(inst) else {
            let refusal = Refusal::NoProgram(opcode.name.clone());
            micros.push(lower::halted(Halt::Refused(refusal), at));
            return After::Elsewhere;
        };
        let numbers = (inst.opcode.index() as u32, instance);
        let place = Place { opcode, numbers, code, word: inst.word, pc, next, at };
        match self.translated(spec, place) {
            Ok((own, after)) => {
                micros.extend(own);
                after
            }
            Err(what) => {
                let refusal = Refusal::Unsupported(opcode.name.clone(), what);
                micros.push(lower::halted(Halt::Refused(refusal), at));
                After::Elsewhere
            }
        }
    }

    /// The micro-operations of an instruction or program, and where execution goes on.
    pub(crate) fn translated(
        &mut self,
        spec: &Spec,
        place: Place<'_>,
    ) -> Result<(Vec<Micro>, After), String> {
        let context = Context {
            isa: spec.isa(),
            extensions: spec.extensions(),
            kept: &self.kept,
            counts_branches: self.counts_branches,
            notes_accesses: self.notes_accesses,
        };
        let mut own = Vec::new();
        let after = lower::lower(&context, &mut self.layout, place, &mut own);
        let after = after.map_err(|what| what.0)?;
        let Some(blocks) = self.layout.blocks() else { return Ok((own, after)) };
        self.optimize(&mut own, &mut []);
        let own = lanes::spread(own, blocks).map_err(|what| what.0.to_string())?;
        Ok((own, after))
    }

    /// Executes a block that is no instruction: registers change, but not the address of the next instruction.
    pub(crate) fn execute_block(&mut self, block: &Block) -> Result<(), Halt> {
        self.core.turns = self.core.most_turns;
        let pc = self.core.pc;
        let why = node::run(&mut self.slots, &mut self.core, &block.nodes);
        self.core.pc = pc;
        match (why, self.core.halted.take()) {
            (STOPPED, halted) => Err(halted.map_or(Halt::Unpredictable, |(halt, _)| halt)),
            _ => Ok(()),
        }
    }

    fn optimize(&self, micros: &mut Vec<Micro>, ends: &mut [usize]) {
        let (layout, isa) = (&self.layout, self.spec.isa());
        optimize::optimize(micros, ends, layout.values(), |slot| layout.ones(isa, slot));
    }
}
