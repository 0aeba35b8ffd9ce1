//! Generated code that executes instructions of a whole warp of SIMT.

use std::time::{Duration, Instant};

isadl_macros::isa!(
    mod warps = "../../spec/simt",
    groups = ["IALU", "HALU"],
    emit = [decode, exec]
);

use warps::exec::{Fetch, LANES, Machine, Runner, Trap};
use warps::{Inst, Word};

/// A warp before a row of instructions.
pub(crate) struct Warp {
    gpr: Vec<[u32; LANES]>,
    pr: Vec<[u8; LANES]>,
    ur: [u64; 64],
    upr: [u64; 8],
    pc: u64,
    insts: Vec<Inst>,
}

/// Why a warp does not go on.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The last instruction is done.
    End,
    /// An instruction accesses memory.
    Memory,
}

impl Warp {
    /// A warp with words of 16 bytes, and registers as given by their numbers and lanes.
    ///
    /// # Panics
    ///
    /// If one is no instruction.
    pub(crate) fn new(bytes: &[u8], register: impl Fn(usize, usize) -> u32) -> Warp {
        let insts = bytes.chunks_exact(16).map(|bytes| {
            let word = Word::from_le_bytes(*bytes.first_chunk().expect("16 bytes"));
            Inst::decode_word(word).expect("an instruction")
        });
        let gpr = (0..256).map(|number| match number {
            255 => [0; LANES],
            _ => std::array::from_fn(|lane| register(number, lane)),
        });
        let (insts, gpr) = (insts.collect(), gpr.collect());
        Warp { gpr, pr: vec![[0; LANES]; 8], ur: [0; 64], upr: [0; 8], pc: 0, insts }
    }

    /// Executes the instructions from the first to the last, several times; the shortest time. They are translated once.
    ///
    /// # Panics
    ///
    /// If one stops.
    pub(crate) fn run(&mut self, rounds: usize) -> Duration {
        let mut runner = Runner::new();
        let rounds = (0..rounds).map(|_| {
            let start = Instant::now();
            self.pc = 0;
            let (_, stop) = runner.run(self, u64::MAX);
            assert!(matches!(stop, Some(Stop::End)), "{stop:?} at {}", self.pc);
            start.elapsed()
        });
        rounds.min().unwrap_or_default()
    }

    /// A register in a lane.
    pub(crate) fn register(&self, number: usize, lane: usize) -> u32 {
        self.gpr[number][lane]
    }
}

impl Machine for Warp {
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
    fn gpr(&self, number: u16) -> &[u32; LANES] {
        &self.gpr[usize::from(number)]
    }

    #[inline(always)]
    fn gpr_mut(&mut self, number: u16) -> &mut [u32; LANES] {
        &mut self.gpr[usize::from(number)]
    }

    #[inline(always)]
    fn pr(&self, number: u16) -> &[u8; LANES] {
        &self.pr[usize::from(number)]
    }

    #[inline(always)]
    fn pr_mut(&mut self, number: u16) -> &mut [u8; LANES] {
        &mut self.pr[usize::from(number)]
    }

    fn ur(&self, number: u16) -> u64 {
        self.ur[usize::from(number)]
    }

    fn set_ur(&mut self, number: u16, value: u64) {
        self.ur[usize::from(number)] = value;
    }

    fn upr(&self, number: u16) -> u64 {
        self.upr[usize::from(number)]
    }

    fn set_upr(&mut self, number: u16, value: u64) {
        self.upr[usize::from(number)] = value;
    }

    fn load<const N: usize>(&mut self, _: u64) -> Result<[u8; N], Stop> {
        Err(Stop::Memory)
    }

    fn store<const N: usize>(&mut self, _: u64, _: [u8; N]) -> Result<(), Stop> {
        Err(Stop::Memory)
    }

    fn trap(&mut self, trap: Trap) -> Stop {
        panic!("{trap}")
    }
}

impl Fetch for Warp {
    fn fetch(&mut self, address: u64) -> Result<Inst, Stop> {
        self.insts.get((address / 16) as usize).copied().ok_or(Stop::End)
    }
}
