//! A machine in a known state, with the instructions and claims of one example or law.

use std::collections::BTreeSet;
use std::rc::Rc;

use isadl::isa::{Environment, Inst, RegFileId, Register};
use isadl::semantics::interval::Interval;
use isadl::semantics::trials::{ClaimKind, FAILED, NEW_PC, Side, Trial};
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Accessed, Halt, Machine, Prepared, Refusal, Spec, Stop, furnish};

use crate::registers::Registers;
use crate::values::{Random, Wide, from_bits, has, ones};

/// The bytes of each memory, from address 0 on.
pub(crate) const MEMORY: u64 = 0x1_0000;

/// Where the instructions are.
const ORIGIN: u64 = 0x8000;

/// The most instructions of an attempt at a law.
const FUEL: usize = 1000;

/// The most turns of loops inside of an instruction.
const TURNS: u64 = 1 << 14;

/// What the distinct values of registers and memory begin with.
const SEED: u64 = 0x0015_ad11;

/// A machine, and where its instructions are.
pub(crate) struct Bench {
    machine: Machine,
    spec: Rc<Spec>,
    /// The memory of instructions.
    code: usize,
    environment: Environment,
    /// The registers that do not have the values of the beginning; `None` if that may be any.
    changed: Option<BTreeSet<Register>>,
}

/// An example or a law on a bench.
pub(crate) struct Loaded<'t> {
    pub(crate) trial: &'t Trial,
    given: Prepared,
    before: Prepared,
    verdicts: Vec<Option<Prepared>>,
    end: u64,
    pub(crate) registers: Registers,
}

/// How an attempt went.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// All claims hold.
    Holds,
    /// The instructions do not end, and no claim says so.
    Ended(Halt),
    /// A claim does not hold.
    Fails(Failure),
}

/// A claim that does not hold.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The number of the claim.
    pub(crate) claim: usize,
    /// The first lane in which it does not hold, or 0.
    pub(crate) lane: usize,
    /// Why the instructions did not end, if they did not.
    pub(crate) halt: Option<Halt>,
}

/// The value of a register, in one lane or in all.
pub(crate) type State = Vec<Vec<Wide>>;

impl Bench {
    /// A machine; `None` if the instruction set has more registers than a machine can hold.
    pub(crate) fn new(spec: &Rc<Spec>, environment: &Environment) -> Option<Bench> {
        let memories = spec.memories().len().max(1);
        let code = environment.code.as_ref();
        let code = code.and_then(|name| spec.memories().iter().position(|own| own == name));
        let all = (0..memories).map(|number| {
            let mut memory = Memory::new(0, MEMORY);
            // INVARIANT: the range is that of the memory.
            let _ = memory.protect(0..MEMORY, Access::ALL);
            fill(&mut memory, number, 0..MEMORY);
            memory
        });
        let mut machine = Machine::new(Rc::clone(spec), all.collect()).ok()?;
        let code = code.unwrap_or(0);
        machine.set_code(code);
        machine.set_notes_accesses(true);
        machine.set_most_turns(TURNS);
        let (spec, environment) = (Rc::clone(spec), environment.clone());
        Some(Bench { machine, spec, code, environment, changed: None })
    }

    pub(crate) fn spec(&self) -> &Rc<Spec> {
        &self.spec
    }

    /// Puts an example or a law on the bench. The error says why it cannot be tried.
    pub(crate) fn load<'t>(&mut self, trial: &'t Trial) -> Result<Loaded<'t>, String> {
        let without = trial.instructions.iter().find(|inst| !self.spec.has_program(inst.opcode));
        if let Some(inst) = without {
            let name = &self.spec.isa().opcode(inst.opcode).name;
            return Err(format!("`{name}` has no program"));
        }
        let registers = Registers::of(&self.spec, trial);
        self.reset(trial, &registers);
        let end = self.place(&trial.instructions)?;
        let addresses = (ORIGIN, end);
        let given = self.machine.prepare(&trial.given, addresses)?;
        let before = self.machine.prepare(&trial.before, addresses)?;
        let mut verdicts = Vec::new();
        for claim in &trial.claims {
            verdicts.push(match &claim.kind {
                ClaimKind::Holds { verdict, .. } => Some(self.machine.prepare(verdict, addresses)?),
                ClaimKind::Trap(_) => None,
            });
        }
        Ok(Loaded { trial, given, before, verdicts, end, registers })
    }

    fn registers_of(&self, file: RegFileId) -> u32 {
        self.spec.isa().reg_files()[file.index()].count
    }

    /// The number of bits of a register.
    pub(crate) fn width(&self, register: Register) -> u32 {
        self.spec.isa().reg_files()[register.file.index()].width
    }

    /// Gives registers their values at the beginning: distinct ones, but 0 to the only register of a file, and ones to those that decide which
    /// lanes take part. Only registers that may have changed are looked at.
    pub(crate) fn reset(&mut self, trial: &Trial, registers: &Registers) {
        let kept: Vec<String> = self.machine.all_kept().keys().map(ToString::to_string).collect();
        kept.iter().for_each(|name| self.machine.set_kept(name, 0));
        furnish(&mut self.machine, &self.environment);
        let own = registers.changed.as_ref().map(|own| own | &trial.active);
        let now = own.as_ref().zip(self.changed.as_ref()).map(|(own, before)| own | before);
        match now {
            Some(some) => {
                some.into_iter().for_each(|register| self.reset_register(trial, register))
            }
            None => self.reset_all(trial),
        }
        self.changed = own;
    }

    fn reset_all(&mut self, trial: &Trial) {
        for at in 0..self.spec.isa().reg_files().len() {
            let file = RegFileId::new(at);
            let numbers = 0..self.registers_of(file);
            numbers.for_each(|number| self.reset_register(trial, Register { file, number }));
        }
    }

    fn reset_register(&mut self, trial: &Trial, register: Register) {
        let (file, number) = (register.file.index() as u64, u64::from(register.number));
        let (width, count) = (self.width(register), self.registers_of(register.file));
        for lane in 0..self.lanes(register) {
            let seed = SEED ^ file << 40 ^ number << 16 ^ lane as u64;
            let value = match count {
                _ if trial.active.contains(&register) => ones(width),
                1 => Wide::new(),
                _ => self.within(trial, register, Random::new(seed).wide(width)),
            };
            self.set(register, lane, &value);
        }
    }

    /// A value that a register may have.
    pub(crate) fn within(&self, trial: &Trial, register: Register, value: Wide) -> Wide {
        let bits = self.width(register);
        let range = trial.ranges.get(register.file.index()).copied();
        crate::values::within(value, range.unwrap_or(Interval::unsigned(bits)), bits)
    }

    /// Puts instructions into memory, and returns the address behind them.
    fn place(&mut self, instructions: &[Inst]) -> Result<u64, String> {
        let engine = self.spec.engine();
        let mut bytes = Vec::new();
        for inst in instructions {
            let count = engine.bytes_of(*inst);
            bytes.extend_from_slice(&engine.bytes(*inst)[..count.min(16)]);
        }
        let end = ORIGIN + bytes.len() as u64;
        let memory = self.machine.memory(self.code);
        let written = memory.map(|memory| memory.write_anyway(ORIGIN, &bytes).is_ok());
        // What was translated before is forgotten.
        self.machine.set_code(self.code);
        match written {
            Some(true) => Ok(end),
            _ => Err("the instructions do not fit into memory".to_string()),
        }
    }

    /// How many lanes have registers of their own that are varied.
    pub(crate) fn lanes(&self, register: Register) -> usize {
        if self.machine.is_of_lanes(register.file) { self.machine.lanes() } else { 1 }
    }

    pub(crate) fn get(&self, register: Register, lane: usize) -> Wide {
        let lane = if self.machine.is_of_lanes(register.file) { lane } else { 0 };
        self.machine.register_of_lane(register.file, register.number, lane)
    }

    fn set(&mut self, register: Register, lane: usize, value: &[u64]) {
        let Register { file, number } = register;
        self.machine.set_register_of_lane(file, number, lane, value);
    }

    /// Sets registers; a single value is that of all lanes.
    pub(crate) fn set_state(&mut self, registers: &[Register], state: &State) {
        for (register, values) in registers.iter().zip(state) {
            for lane in 0..self.lanes(*register) {
                let value = values.get(lane).or(values.first());
                value.into_iter().for_each(|value| self.set(*register, lane, value));
            }
        }
    }

    /// Gives what is given, and remembers old values.
    pub(crate) fn begin(&mut self, loaded: &Loaded<'_>) -> Result<(), Halt> {
        self.restore();
        self.machine.set_pc(ORIGIN);
        self.machine.execute(&loaded.given)?;
        self.machine.execute(&loaded.before)
    }

    /// Executes the next instruction; whether there is another.
    pub(crate) fn step(&mut self, loaded: &Loaded<'_>) -> Result<bool, Halt> {
        match self.machine.step() {
            Stop::Fuel => Ok((ORIGIN..loaded.end).contains(&self.machine.pc())),
            Stop::Halt { halt, .. } => Err(halt),
        }
    }

    /// The instructions that were executed so far.
    pub(crate) fn count(&self) -> u64 {
        self.machine.count()
    }

    /// The number of the instruction that is next.
    pub(crate) fn next(&self, loaded: &Loaded<'_>) -> Option<usize> {
        let engine = self.spec.engine();
        let mut at = ORIGIN;
        loaded.trial.instructions.iter().position(|inst| {
            let own = at;
            at += engine.bytes_of(*inst) as u64;
            own == self.machine.pc()
        })
    }

    /// One attempt, from the state that registers have.
    pub(crate) fn attempt(&mut self, loaded: &Loaded<'_>) -> Verdict {
        if let Err(halt) = self.begin(loaded) {
            return Verdict::Ended(halt);
        }
        let halt = self.run(loaded).err();
        let verdict = self.verdict(loaded, halt);
        self.restore();
        verdict
    }

    /// Executes the instruction of an example, or those of a law until execution leaves them.
    fn run(&mut self, loaded: &Loaded<'_>) -> Result<(), Halt> {
        if !loaded.trial.is_law {
            return self.step(loaded).map(|_| ());
        }
        for _ in 0..FUEL {
            if !self.step(loaded)? {
                return Ok(());
            }
        }
        Err(Halt::TooLong)
    }

    fn verdict(&mut self, loaded: &Loaded<'_>, halt: Option<Halt>) -> Verdict {
        let claims = loaded.trial.claims.iter().zip(&loaded.verdicts).enumerate();
        let pc = self.machine.pc();
        self.machine.set_kept(NEW_PC, pc);
        let trapped = match &halt {
            Some(Halt::Trap { name, .. }) => Some(name.as_str()),
            _ => None,
        };
        let is_claimed = loaded.trial.claims.iter().any(|claim| match &claim.kind {
            ClaimKind::Trap(name) => trapped.is_none_or(|trapped| trapped == name),
            ClaimKind::Holds { .. } => false,
        });
        if let Some(halt) = halt.clone().filter(|_| trapped.is_none() || !is_claimed) {
            return Verdict::Ended(halt);
        }
        for (at, (claim, verdict)) in claims {
            let lanes = match (&claim.kind, verdict) {
                (ClaimKind::Trap(name), _) => u64::from(trapped != Some(name)),
                (_, Some(verdict)) => {
                    self.machine.set_kept(FAILED, 0);
                    if let Err(halt) = self.machine.execute(verdict) {
                        return Verdict::Ended(halt);
                    }
                    self.machine.kept(FAILED)
                }
                (_, None) => 0,
            };
            if lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                return Verdict::Fails(Failure { claim: at, lane, halt });
            }
        }
        Verdict::Holds
    }

    /// A side of a claim, in a lane; `None` if it cannot be computed.
    pub(crate) fn side(
        &mut self,
        (side, program): (&Side, &isadl::semantics::program::Program),
        (loaded, lane): (&Loaded<'_>, usize),
    ) -> Option<Wide> {
        let prepared = self.machine.prepare(program, (ORIGIN, loaded.end)).ok()?;
        self.machine.execute(&prepared).ok()?;
        let mut piece = |at: u32| self.machine.kept(&side.register(at));
        if !side.differs {
            return Some((0..side.width.div_ceil(64)).map(&mut piece).collect());
        }
        let bits: Vec<u64> = (0..side.width).map(piece).collect();
        Some(from_bits(bits.iter().map(|lanes| has(&[*lanes], lane as u32))))
    }

    /// Says where the instructions went, to claims.
    pub(crate) fn note_pc(&mut self) {
        let pc = self.machine.pc();
        self.machine.set_kept(NEW_PC, pc);
    }

    /// Undoes what was stored.
    fn restore(&mut self) {
        for Accessed { memory: number, address, bytes, is_store } in self.machine.take_accesses() {
            if let Some(memory) = self.machine.memory(number).filter(|_| is_store) {
                fill(memory, number, address..address.saturating_add(bytes).min(MEMORY));
            }
        }
    }

    /// Whether the machine misses something that a program needs.
    pub(crate) fn is_missing(halt: &Halt) -> bool {
        matches!(halt, Halt::Refused(Refusal::Unsupported(..)) | Halt::NoFunction(_))
    }
}

/// Gives bytes of a memory their distinct values.
fn fill(memory: &mut Memory, number: usize, range: std::ops::Range<u64>) {
    let first = range.start & !7;
    let words = (first..range.end).step_by(8);
    let seed = |word: u64| SEED ^ word << 8 ^ (number as u64) << 48;
    let bytes: Vec<u8> =
        words.flat_map(|word| Random::new(seed(word)).next().to_le_bytes()).collect();
    let skipped = (range.start - first) as usize;
    let length = (range.end.saturating_sub(range.start)) as usize;
    if let Some(bytes) = bytes.get(skipped..).and_then(|rest| rest.get(..length)) {
        let _ = memory.write_anyway(range.start, bytes);
    }
}
