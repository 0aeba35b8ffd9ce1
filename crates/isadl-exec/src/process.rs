//! A program in its environment: a machine whose traps call an operating system.

use std::rc::Rc;

use isadl::isa::{Environment, Isa, KeptValue, Register};

use crate::linux::{Linux, Outcome, Settings};
use crate::load::{Error, Image, LOWEST, load};
use crate::machine::Machine;
use crate::memory::Memory;
use crate::spec::Spec;
use crate::state::{Functions, Halt, Stop, Surroundings};

/// The memory of a program, from [`LOWEST`] on: as many bytes as are wanted, but no more than addresses reach.
///
/// # Errors
///
/// If the system does not have them.
pub fn memory(isa: &Isa, bytes: u64) -> Result<Memory, Error> {
    let reach = u64::MAX >> (64 - isa.elf().class());
    let bytes = bytes.min(reach - LOWEST);
    let has_them =
        usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    match has_them {
        true => Ok(Memory::new(LOWEST, bytes)),
        false => Err(Error::new(format!("there are no {bytes} bytes of memory"))),
    }
}

/// Why a process does not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The number of instructions was reached.
    Fuel,
    /// The program ended with a status.
    Exit(i32),
    /// An instruction did not end, and this is none that calls the environment.
    Halt(Halt),
}

/// A program that runs.
pub struct Process {
    machine: Machine,
    linux: Linux,
    environment: Environment,
    image: Image,
    /// The number of its memory.
    memory: usize,
}

/// Functions that have no result order and announce, which a program that is alone on its machine cannot notice. The others are missing.
struct Announcements;

impl Functions for Announcements {
    fn call(
        &mut self,
        _: &str,
        _: &[Vec<u64>],
        bits: u32,
        _: &mut dyn Surroundings,
    ) -> Option<Vec<u64>> {
        (bits == 0).then(Vec::new)
    }
}

/// Gives a machine what an environment says about the registers that it keeps, and the functions that programs announce something with.
pub fn furnish(machine: &mut Machine, environment: &Environment) {
    machine.set_functions(Box::new(Announcements));
    for kept in &environment.kept {
        match &kept.value {
            KeptValue::Registers(parts) => machine.set_parts(&kept.name, parts.clone()),
            KeptValue::Initial(value) => machine.set_kept(&kept.name, *value),
            KeptValue::Counter(step) => machine.set_counter(&kept.name, *step),
        }
    }
}

impl Process {
    /// Loads a static ELF program, and makes its stack. The first argument is its name; `memory` is the number of bytes that it has.
    ///
    /// # Errors
    ///
    /// If the file is no such program for this instruction set, or does not fit, or the instruction set cannot be executed.
    pub fn load(
        spec: &Rc<Spec>,
        environment: &Environment,
        file: &[u8],
        args: &[Vec<u8>],
        (settings, memory): (Settings, u64),
    ) -> Result<Process, Error> {
        let mut own = self::memory(spec.isa(), memory)?;
        let image = load(file, spec.isa(), &mut own)?;
        Process::start(spec, environment, (own, image), args, settings)
    }

    /// Starts a program that was loaded.
    ///
    /// # Errors
    ///
    /// If there is no room for the stack, or the instruction set cannot be executed.
    pub fn start(
        spec: &Rc<Spec>,
        environment: &Environment,
        (mut memory, image): (Memory, Image),
        args: &[Vec<u8>],
        settings: Settings,
    ) -> Result<Process, Error> {
        let mut linux = Linux::new(settings);
        let stack = linux.start(&mut memory, &image, args)?;
        let mut memories: Vec<Memory> = spec.memories().iter().map(|_| Memory::new(0, 0)).collect();
        let code = environment.code.as_ref();
        let code = code.and_then(|name| spec.memories().iter().position(|own| own == name));
        let code = code.unwrap_or(0);
        match memories.get_mut(code) {
            Some(own) => *own = memory,
            None => memories.push(memory),
        }
        let mut machine = Machine::new(Rc::clone(spec), memories).map_err(|_| {
            Error::new("the instruction set has more registers or lanes than can be executed")
        })?;
        machine.set_code(code);
        furnish(&mut machine, environment);
        if let Some(register) = environment.stack {
            machine.set_register(register.file, register.number, &[stack]);
        }
        machine.set_pc(image.entry);
        let environment = environment.clone();
        Ok(Process { machine, linux, environment, image, memory: code })
    }

    /// The machine.
    pub fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// The program as it was loaded, with its symbols.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Executes at most a number of instructions.
    pub fn run(&mut self, fuel: u64) -> Event {
        let end = self.machine.count().saturating_add(fuel);
        loop {
            let left = end - self.machine.count().min(end);
            match self.machine.run(left) {
                Stop::Fuel => return Event::Fuel,
                Stop::Halt { halt, next } => {
                    if let Some(event) = self.called(halt, next) {
                        return event;
                    }
                }
            }
        }
    }

    /// Executes one instruction.
    pub fn step(&mut self) -> Event {
        match self.machine.step() {
            Stop::Fuel => Event::Fuel,
            Stop::Halt { halt, next } => self.called(halt, next).unwrap_or(Event::Fuel),
        }
    }

    /// Does a call of the environment, if an instruction stopped for that.
    fn called(&mut self, halt: Halt, next: u64) -> Option<Event> {
        let is_call = match (&halt, &self.environment.call) {
            (Halt::Trap { name, .. }, Some(call)) => name == call,
            _ => false,
        };
        if !is_call {
            return Some(Event::Halt(halt));
        }
        let of = |machine: &Machine, register: Register| {
            machine.register(register.file, register.number)[0]
        };
        let number = self.environment.number.map_or(0, |register| of(&self.machine, register));
        let mut arguments = [0; 6];
        for (argument, register) in arguments.iter_mut().zip(&self.environment.arguments) {
            *argument = of(&self.machine, *register);
        }
        let name = self.environment.call_name(number);
        let Some(memory) = self.machine.memory(self.memory) else {
            return Some(Event::Halt(Halt::NoMemory));
        };
        match self.linux.call(name, &arguments, memory) {
            Outcome::Exit(status) => return Some(Event::Exit(status)),
            Outcome::Value(value) => {
                if let Some(register) = self.environment.result {
                    self.machine.set_register(register.file, register.number, &[value as u64]);
                }
            }
        }
        self.machine.resume(next);
        None
    }
}
