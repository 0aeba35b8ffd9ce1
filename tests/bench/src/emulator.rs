//! Generated code that executes RV64: a machine with flat memory, and what static programs need of Linux.

use std::io::Write;

isadl_macros::isa!(
    mod rv64 = "../../spec/riscv",
    generations = ["RV64"],
    extensions = "gc",
    emit = [decode, exec]
);

use rv64::Inst;
use rv64::exec::{Fetch, Machine, Runner, State, Trap};

/// The address of the memory.
const BASE: u64 = 0x1_0000;
/// The first address of memory that programs ask for.
const MAPPED: u64 = BASE + (128 << 20);
/// The address behind the memory.
const END: u64 = BASE + (256 << 20);

/// Why an instruction does not end.
#[derive(Debug)]
pub enum Stop {
    /// An access outside of the memory, or no instruction.
    Fault(u64),
    /// A trap.
    Trap(Trap),
}

/// A machine.
pub struct Emulator {
    x: [u64; 64],
    f: [u64; 64],
    frm: u64,
    fflags: u64,
    pc: u64,
    memory: Vec<u8>,
    reserved: u64,
    /// The end of the data, and of what was mapped.
    ends: [u64; 2],
    /// What the program wrote.
    pub output: Vec<u8>,
}

impl Emulator {
    /// A machine with bytes at an address, where execution begins.
    pub fn new(bytes: &[u8], address: u64) -> Emulator {
        let mut emulator = Emulator {
            x: [0; 64],
            f: [0; 64],
            frm: 0,
            fflags: 0,
            pc: address,
            memory: vec![0; (END - BASE) as usize],
            reserved: u64::MAX,
            ends: [0, MAPPED],
            output: Vec::new(),
        };
        emulator.put(address, bytes);
        emulator
    }

    /// A machine before the first instruction of a static program with an argument.
    ///
    /// # Panics
    ///
    /// If the file is no such program.
    pub fn load(file: &[u8], argument: &str) -> Emulator {
        let number = |at: usize| u64::from_le_bytes(*file[at..].first_chunk().expect("a number"));
        let short = |at: usize| u16::from_le_bytes(*file[at..].first_chunk().expect("a number"));
        let mut emulator = Emulator::new(&[], BASE);
        emulator.pc = number(24);
        let (headers, count) = (number(32), short(56));
        for at in (0..u64::from(count)).map(|at| (headers + at * 56) as usize) {
            // PT_LOAD: System V ABI, chapter 5, "Program header".
            if file[at..at + 4] == [1, 0, 0, 0] {
                let (offset, address) = (number(at + 8) as usize, number(at + 16));
                emulator.put(address, &file[offset..offset + number(at + 32) as usize]);
                emulator.ends[0] = (address + number(at + 40)).next_multiple_of(4096);
            }
        }
        let stack = END - 8192;
        let texts = stack + 1024;
        emulator.put(texts, b"guest\0");
        emulator.put(texts + 16, argument.as_bytes());
        // Arguments, no environment, and the auxiliary vector: headers, their size and number, the size of pages, random bytes.
        let headers = [3, BASE + headers, 4, 56, 5, count.into(), 6, 4096, 25, texts + 64, 0, 0];
        let words = [2, texts, texts + 16, 0, 0].into_iter().chain(headers);
        for (at, word) in words.enumerate() {
            emulator.put(stack + 8 * at as u64, &word.to_le_bytes());
        }
        emulator.x[2] = stack;
        emulator
    }

    fn put(&mut self, address: u64, bytes: &[u8]) {
        self.memory[(address - BASE) as usize..][..bytes.len()].copy_from_slice(bytes);
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
                Some(Stop::Trap(Trap::EnvironmentCall)) => self.x[10] = self.called(),
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

    /// The result of a call of Linux: numbers of `include/uapi/asm-generic/unistd.h`.
    fn called(&mut self) -> u64 {
        let error = |number: i64| -number as u64;
        let [_, text, length] = [self.x[10], self.x[11], self.x[12]];
        match self.x[17] {
            // write
            64 => {
                let bytes = &self.memory[(text - BASE) as usize..][..length as usize];
                self.output.write_all(bytes).expect("it grows");
                length
            }
            // brk
            214 => {
                self.ends[0] = self.ends[0].max(self.x[10]);
                self.ends[0]
            }
            // mmap
            222 => {
                let at = self.ends[1];
                self.ends[1] = (at + text).next_multiple_of(4096);
                at
            }
            // ioctl, readlinkat, newfstatat
            29 | 78 | 79 | 80 => error(25),
            // set_tid_address, set_robust_list, munmap, mprotect, rseq, prlimit64, getrandom
            96 | 99 | 215 | 226 | 259 | 261 | 278 => 0,
            _ => error(38),
        }
    }
}

impl Machine for Emulator {
    type Stop = Stop;

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
    fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Stop> {
        let rest = self.memory.get(address.wrapping_sub(BASE) as usize..);
        rest.and_then(|rest| rest.first_chunk()).copied().ok_or(Stop::Fault(address))
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Stop> {
        let rest = self.memory.get_mut(address.wrapping_sub(BASE) as usize..);
        let to = rest.and_then(|rest| rest.first_chunk_mut()).ok_or(Stop::Fault(address))?;
        *to = bytes;
        Ok(())
    }

    fn load_reserved<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Stop> {
        self.reserved = address;
        self.load(address)
    }

    fn store_conditional<const N: usize>(
        &mut self,
        address: u64,
        bytes: [u8; N],
    ) -> Result<bool, Stop> {
        let is_reserved = std::mem::replace(&mut self.reserved, u64::MAX) == address;
        if is_reserved {
            self.store(address, bytes)?;
        }
        Ok(is_reserved)
    }

    fn state(&self, _: State) -> u64 {
        0
    }

    fn set_state(&mut self, _: State, _: u64) {}

    fn fence(&mut self, _: u64, _: u64) -> Result<(), Stop> {
        Ok(())
    }

    fn fence_instructions(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    fn fence_translations(&mut self, _: u64, _: u64, _: u64, _: u64) -> Result<(), Stop> {
        Ok(())
    }

    fn fence_tso(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    fn wait_for_interrupt(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    fn trap(&mut self, trap: Trap) -> Stop {
        Stop::Trap(trap)
    }
}

impl Fetch for Emulator {
    fn fetch(&mut self, address: u64) -> Result<Inst, Stop> {
        let rest = self.memory.get(address.wrapping_sub(BASE) as usize..).unwrap_or_default();
        let bytes = &rest[..rest.len().min(4)];
        Inst::decode(bytes).map(|(inst, _)| inst).map_err(|_| Stop::Fault(address))
    }
}
