//! Instructions of whole warps in the executor: registers of 32 lanes, a guard, and what the definitions say of each lane.

use std::rc::Rc;

use isadl::isa::{Binding, Isa, Meaning, OpcodeId, RegFileId, TypeKind};
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Machine, Spec, Stop};

use super::oracle::Case;
use super::warp::LANES;
use super::{Random, case, word};

/// The code is in a memory of its own.
const CODE: usize = 1;
const CONSTANTS: u64 = 1 << 22;

/// The results of an operation in one of the lanes that take part; `None` for what may be anything.
type Results<'r> = &'r dyn Fn(&[Case], u32, usize) -> Vec<(&'static str, Option<u64>)>;

/// What an operand denotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Register {
    Of(RegFileId, u32),
    Constant(u64),
}

pub(super) struct Executor {
    spec: Rc<Spec>,
    machine: Machine,
}

impl Executor {
    pub(super) fn new() -> Executor {
        let (isa, programs) = super::compiled();
        let spec = Rc::new(Spec::new(isa, programs));
        let mut memories = Vec::new();
        for size in [CONSTANTS + 4096, 4096] {
            let mut memory = Memory::new(0, size);
            memory.protect(0..size, Access::ALL).expect("inside");
            memories.push(memory);
        }
        let mut machine = Machine::new(Rc::clone(&spec), memories).expect("few registers");
        machine.set_code(CODE);
        Executor { spec, machine }
    }

    fn isa(&self) -> &Isa {
        self.spec.isa()
    }

    /// The operands of a word; `None` if one of them is the last register of its file.
    fn operands(&self, id: OpcodeId, word: u128) -> Option<Vec<(String, Register)>> {
        let isa = self.isa();
        let mut all: Vec<(String, Register)> = Vec::new();
        for field in &isa.opcode(id).fields {
            let ty = isa.ty(field.ty);
            let TypeKind::Operand(_) = &ty.kind else { continue };
            let (entry, position) = ty.entry(field.extract(word))?;
            // Barriers have no values.
            if matches!(&entry.meaning, Meaning::Registers { file, .. } | Meaning::Register { file, .. }
                if isa.reg_files()[file.index()].name == "SB")
            {
                continue;
            }
            let register = match &entry.meaning {
                Meaning::Registers { file, first, .. } => {
                    Register::Of(*file, first + position as u32)
                }
                Meaning::Register { file, number, .. } => Register::Of(*file, *number),
                Meaning::Constant { bits, .. } => {
                    let is_one = *bits == isadl::isa::ConstantBits::One;
                    Register::Constant(if is_one { 1 } else { 0 })
                }
                _ => continue,
            };
            // The last register of a file has none after it.
            if matches!(register, Register::Of(file, number)
                if self.width(file) > 1 && number + 1 >= isa.reg_files()[file.index()].count)
            {
                return None;
            }
            all.push((isa.name_of(field.name).to_string(), register));
        }
        Some(all)
    }

    /// The lowest bits of a register and of the one after it.
    fn pair(&self, file: RegFileId, number: u32, lane: usize) -> u64 {
        let bits = self.isa().reg_files()[file.index()].width;
        let of = |number| self.machine.register_of_lane(file, number, lane)[0];
        if bits == 1 { of(number) } else { of(number + 1) << 32 | of(number) }
    }

    /// Executes a random word of an opcode; how many results of lanes were compared.
    pub(super) fn compare(
        &mut self,
        id: OpcodeId,
        random: &mut Random,
        register: fn(&mut Random) -> u64,
        results: Results<'_>,
    ) -> usize {
        let opcode = self.isa().opcode(id).clone();
        let mut word = word(self.isa(), &opcode, random);
        let free = opcode.fields.iter().filter(|field| !matches!(field.binding, Binding::Fixed(_)));
        for field in free {
            if let TypeKind::Operand(_) = self.isa().ty(field.ty).kind {
                word |= field.bits.place(random.next() & (u64::MAX >> (64 - field.width())));
            }
        }
        if super::is_refused(self.isa(), &opcode, word) {
            return 0;
        }
        let Some(mut operands) = self.operands(id, word) else { return 0 };
        let mut cases: Vec<Case> =
            (0..LANES).map(|_| case(self.isa(), &opcode, word, random, register)).collect();
        // All lanes share these.
        let constant = cases[0].constant;
        for (lane, case) in cases.iter_mut().enumerate() {
            case.constant = constant;
            self.set(case, lane, &operands);
        }
        for (lane, case) in cases.iter_mut().enumerate() {
            self.get(case, lane, &operands);
        }
        for field in &opcode.fields {
            if matches!(self.spec.isa().ty(field.ty).kind, TypeKind::Composite(_)) {
                let address = field.extract(word) & (CONSTANTS - 1);
                let memory = self.machine.memory(0).expect("a memory");
                memory.write(address, &constant.to_le_bytes()).expect("inside");
            }
        }
        // An instruction may use these by itself.
        let predicates = self.predicates();
        operands.extend(predicates.map(|(name, file, number)| (name, Register::Of(file, number))));
        let guards = super::warp::guards(&cases);
        let launched = random.next() as u32 | random.next() as u32;
        let active = launched & guards;
        self.run(word, launched);
        let mut count = 0;
        for lane in (0..LANES).filter(|lane| active >> lane & 1 == 1) {
            let results = results(&cases, active, lane);
            if !self.are_apart(&results, &operands) {
                continue;
            }
            for (name, wanted) in results {
                let known = operands.iter().find(|(own, _)| own == name);
                let (Some((_, Register::Of(file, number))), Some(wanted)) = (known, wanted) else {
                    continue;
                };
                let found = self.pair(*file, *number, lane);
                let found = if wanted >> 32 == 0 { found & 0xffff_ffff } else { found };
                let what = format!("{} {word:#x} {active:#x} lane {lane} {name}", opcode.name);
                assert_eq!(found, wanted, "{what} {:#x?}", cases[lane]);
                count += 1;
            }
        }
        // Lanes that do not take part keep what they have.
        for lane in (0..LANES).filter(|lane| active >> lane & 1 == 0) {
            for (name, register) in &operands {
                if let Register::Of(file, number) = *register
                    && self.machine.is_of_lanes(file)
                {
                    let what = format!("{} {word:#x} {active:#x} lane {lane} {name}", opcode.name);
                    let own = self.pair(file, number, lane);
                    assert_eq!(own, cases[lane].registers[name], "{what}");
                }
            }
        }
        count
    }

    fn width(&self, file: RegFileId) -> u32 {
        self.isa().reg_files()[file.index()].width
    }

    /// The predicates, which an instruction may use beside its operands.
    fn predicates(&self) -> impl Iterator<Item = (String, RegFileId, u32)> + use<> {
        let mut files = self.isa().reg_files().iter();
        let file = RegFileId::new(files.position(|file| file.name == "PR").expect("predicates"));
        (0..7).map(move |number| (format!("PR{number}"), file, number))
    }

    /// Sets the registers of a lane.
    fn set(&mut self, case: &Case, lane: usize, operands: &[(String, Register)]) {
        for (name, file, number) in self.predicates() {
            self.machine.set_register_of_lane(file, number, lane, &[case.registers[&name]]);
        }
        for (name, register) in operands {
            let Register::Of(file, number) = *register else { continue };
            // What lanes share is set once.
            if lane > 0 && !self.machine.is_of_lanes(file) {
                continue;
            }
            let value = case.registers[name];
            self.machine.set_register_of_lane(file, number, lane, &[value]);
            if self.width(file) > 1 {
                self.machine.set_register_of_lane(file, number + 1, lane, &[value >> 32]);
            }
        }
    }

    /// What a lane has in its registers, some of which are several operands.
    fn get(&self, case: &mut Case, lane: usize, operands: &[(String, Register)]) {
        for (name, file, number) in self.predicates() {
            let value = self.machine.register_of_lane(file, number, lane)[0];
            case.registers.insert(name, value);
        }
        for (name, register) in operands {
            let value = match *register {
                Register::Constant(value) => value,
                Register::Of(file, number) => self.pair(file, number, lane),
            };
            case.registers.insert(name.clone(), value);
        }
    }

    /// Whether no two results are in one register, or next to each other.
    fn are_apart(
        &self,
        results: &[(&'static str, Option<u64>)],
        operands: &[(String, Register)],
    ) -> bool {
        let places = results.iter().filter_map(|(name, _)| {
            operands.iter().find_map(|(own, register)| (own == name).then_some(*register))
        });
        let places: Vec<Register> = places.collect();
        let meet = |one: &Register, other: &Register| match (*one, *other) {
            (Register::Of(file, number), Register::Of(own, known)) => {
                let reach = if self.width(file) > 1 { 2 } else { 1 };
                file == own && number.abs_diff(known) < reach
            }
            _ => false,
        };
        let mut pairs = places.iter().enumerate();
        pairs.all(|(at, one)| !places[at + 1..].iter().any(|other| meet(one, other)))
    }

    fn run(&mut self, word: u128, launched: u32) {
        self.machine.set_launched(launched.into());
        let memory = self.machine.memory(CODE).expect("a memory");
        memory.write(0, &word.to_le_bytes()).expect("inside");
        self.machine.set_pc(0);
        assert_eq!(self.machine.run(1), Stop::Fuel, "{word:#x}");
    }
}
