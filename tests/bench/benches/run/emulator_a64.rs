//! Generated code that executes A64.

use isadl_bench::process::{Process, Stop};

isadl_macros::isa!(mod base = "../../spec/a64", extensions = "RCPC", emit = [decode, exec]);

use base::Inst;
use base::exec::{Fetch, Machine, Runner, State, Trap};

/// A machine.
pub(crate) struct Emulator {
    x: [u64; 32],
    sp: u64,
    v: [u128; 32],
    fpcr: u64,
    fpsr: u64,
    nzcv: [u64; 4],
    thread: u64,
    pc: u64,
    pub(crate) process: Process,
}

impl Emulator {
    /// A machine before the first instruction of a static program with an argument.
    pub(crate) fn load(file: &[u8], argument: &str) -> Emulator {
        let (process, pc, sp) = Process::load(file, argument);
        let (x, v, nzcv) = ([0; 32], [0; 32], [0; 4]);
        Emulator { x, sp, v, fpcr: 0, fpsr: 0, nzcv, thread: 0, pc, process }
    }

    /// Executes the program to its end; how many instructions it had.
    pub(crate) fn run(&mut self) -> u64 {
        let mut runner = Runner::new();
        let mut all = 0;
        loop {
            let (count, stop) = runner.run(self, u64::MAX);
            all += count;
            match stop {
                Some(Stop::Trap(Trap::SupervisorCall(_))) if matches!(self.x[8], 93 | 94) => {
                    return all;
                }
                Some(Stop::Trap(Trap::SupervisorCall(_))) => {
                    let arguments = [self.x[0], self.x[1], self.x[2]];
                    self.x[0] = self.process.called(self.x[8], arguments);
                }
                other => panic!("{other:?} at {:#x}", self.pc),
            }
            self.pc += 4;
            all += 1;
        }
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
        self.x[usize::from(number % 32)]
    }

    #[inline(always)]
    fn set_x(&mut self, number: u16, value: u64) {
        self.x[usize::from(number % 32)] = value;
    }

    #[inline(always)]
    fn sp(&self, _: u16) -> u64 {
        self.sp
    }

    #[inline(always)]
    fn set_sp(&mut self, _: u16, value: u64) {
        self.sp = value;
    }

    #[inline(always)]
    fn v(&self, number: u16) -> u128 {
        self.v[usize::from(number % 32)]
    }

    #[inline(always)]
    fn set_v(&mut self, number: u16, value: u128) {
        self.v[usize::from(number % 32)] = value;
    }

    #[inline(always)]
    fn fpcr(&self, _: u16) -> u64 {
        self.fpcr
    }

    #[inline(always)]
    fn set_fpcr(&mut self, _: u16, value: u64) {
        self.fpcr = value;
    }

    #[inline(always)]
    fn fpsr(&self, _: u16) -> u64 {
        self.fpsr
    }

    #[inline(always)]
    fn set_fpsr(&mut self, _: u16, value: u64) {
        self.fpsr = value;
    }

    #[inline(always)]
    fn nzcv(&self, number: u16) -> u64 {
        self.nzcv[usize::from(number % 4)]
    }

    #[inline(always)]
    fn set_nzcv(&mut self, number: u16, value: u64) {
        self.nzcv[usize::from(number % 4)] = value;
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

    /// As in `linux.isa` of the specification.
    fn state(&self, state: State) -> u64 {
        match state {
            State::TPIDR_EL0 => self.thread,
            State::DCZID_EL0 => 0x10,
            State::CTR_EL0 => 0xb444_c004,
            State::MPIDR_EL1 => 0x8000_0000,
            _ => 0,
        }
    }

    fn set_state(&mut self, state: State, value: u64) {
        if state == State::TPIDR_EL0 {
            self.thread = value;
        }
    }

    fn clear_reservation(&mut self) -> Result<(), Stop<Trap>> {
        self.process.reserve(None);
        Ok(())
    }

    fn fetch_again(&mut self, _: u64) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn hint(&mut self, _: u64) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn order_data(&mut self, _: u64) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn restore_state(&mut self, _: u64) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn set_state_2(&mut self, _: u64, _: u64) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn synchronize_data(&mut self, _: u64) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn system(&mut self, _: u64, _: u64, _: u64, _: u64, _: u64) -> Result<(), Stop<Trap>> {
        Ok(())
    }

    fn system_result(&mut self, _: u64, _: u64, _: u64, _: u64) -> Result<u64, Stop<Trap>> {
        Ok(0)
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
