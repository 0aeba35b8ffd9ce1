//! Generated code that executes RV64.

use crate::process::{Process, Stop};

isadl_macros::isa!(
    mod rv64 = "../../spec/riscv",
    generations = ["RV64"],
    extensions = "gc",
    emit = [decode, exec]
);

use rv64::Inst;
use rv64::exec::{Fetch, Machine, Runner, State, Trap};

/// A machine.
pub struct Emulator {
    x: [u64; 64],
    f: [u64; 64],
    frm: u64,
    fflags: u64,
    pc: u64,
    /// Its memory.
    pub process: Process,
}

impl Emulator {
    fn of(process: Process, pc: u64) -> Emulator {
        Emulator { x: [0; 64], f: [0; 64], frm: 0, fflags: 0, pc, process }
    }

    /// A machine with bytes at an address, where execution begins.
    pub fn new(bytes: &[u8], address: u64) -> Emulator {
        Emulator::of(Process::new(bytes, address), address)
    }

    /// A machine before the first instruction of a static program with an argument.
    ///
    /// # Panics
    ///
    /// If the file is no such program.
    pub fn load(file: &[u8], argument: &str) -> Emulator {
        let (process, pc, stack) = Process::load(file, argument);
        let mut emulator = Emulator::of(process, pc);
        emulator.x[2] = stack;
        emulator
    }

    /// Executes the program to its end; how many instructions it had.
    ///
    /// # Panics
    ///
    /// If it stops otherwise.
    pub fn run(&mut self) -> u64 {
        let mut runner = Runner::new();
        let mut all = 0;
        loop {
            let (count, stop) = runner.run(self, u64::MAX);
            all += count;
            match stop {
                Some(Stop::Trap(Trap::EnvironmentCall)) if matches!(self.x[17], 93 | 94) => {
                    return all;
                }
                Some(Stop::Trap(Trap::EnvironmentCall)) => {
                    let arguments = [self.x[10], self.x[11], self.x[12]];
                    self.x[10] = self.process.called(self.x[17], arguments);
                }
                other => panic!("{other:?} at {:#x}", self.pc),
            }
            self.pc += 4;
            all += 1;
        }
    }

    /// Executes about as many instructions.
    ///
    /// # Panics
    ///
    /// If one stops.
    pub fn execute(&mut self, count: u64) {
        let (_, stop) = Runner::new().run(self, count);
        assert!(stop.is_none(), "{stop:?} at {:#x}", self.pc);
    }
}

impl Machine for Emulator {
    type Stop = Stop<Trap>;

    #[inline(always)]
    fn pc(&self) -> u64 {
        self.pc
    }

    #[inline(always)]
    fn set_pc(&mut self, address: u64) {
        self.pc = address;
    }

    #[inline(always)]
    fn x(&self, number: u16) -> u64 {
        self.x[usize::from(number % 64)]
    }

    #[inline(always)]
    fn set_x(&mut self, number: u16, value: u64) {
        self.x[usize::from(number % 64)] = value;
    }

    #[inline(always)]
    fn f(&self, number: u16) -> u64 {
        self.f[usize::from(number % 64)]
    }

    #[inline(always)]
    fn set_f(&mut self, number: u16, value: u64) {
        self.f[usize::from(number % 64)] = value;
    }

    fn frm(&self, _: u16) -> u64 {
        self.frm
    }

    fn set_frm(&mut self, _: u16, value: u64) {
        self.frm = value;
    }

    fn fflags(&self, _: u16) -> u64 {
        self.fflags
    }

    fn set_fflags(&mut self, _: u16, value: u64) {
        self.fflags = value;
    }

    #[inline(always)]
    fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Stop<Trap>> {
        self.process.load_bytes(address)
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Stop<Trap>> {
        self.process.store_bytes(address, bytes)
    }

    fn load_reserved<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Stop<Trap>> {
        self.process.reserve(Some(address));
        self.load(address)
    }

    fn store_conditional<const N: usize>(
        &mut self,
        address: u64,
        bytes: [u8; N],
    ) -> Result<bool, Stop<Trap>> {
        let is_reserved = self.process.take_reserved(address);
        if is_reserved {
            self.store(address, bytes)?;
        }
        Ok(is_reserved)
    }

    fn state(&self, _: State) -> u64 {
        0
    }

    fn set_state(&mut self, _: State, _: u64) {}

    fn fence(&mut self, _: u64, _: u64) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn fence_instructions(&mut self) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn fence_translations(&mut self, _: u64, _: u64, _: u64, _: u64) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn fence_tso(&mut self) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn wait_for_interrupt(&mut self) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn trap(&mut self, trap: Trap) -> Stop<Trap> {
        Stop::Trap(trap)
    }
}

impl Fetch for Emulator {
    fn fetch(&mut self, address: u64) -> Result<Inst, Stop<Trap>> {
        let rest = self.process.bytes(address);
        let bytes = &rest[..rest.len().min(4)];
        Inst::decode(bytes).map(|(inst, _)| inst).map_err(|_| Stop::Fault(address))
    }
}
