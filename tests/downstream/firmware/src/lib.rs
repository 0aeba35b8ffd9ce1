//! Firmware that interprets the programs of a small sequencer, on a chip without an operating
//! system.
//!
//! `isa!` reads `spec/sequencer.isa` while this crate compiles. Its expansion uses only the core
//! library, does not allocate and does not contain `unsafe`.

#![no_std]

// Only the decoder: the board does not need the rest.
isadl_macros::isa!(pub mod sequencer = "spec", emit = [decode]);

use sequencer::{Counter, Inst, Level, Opcode};

/// Actions of the board for the sequencer.
pub trait Board {
    /// Switches output `output`, from 0 to 7.
    fn switch(&mut self, output: u8, is_on: bool);
    /// Waits `time` milliseconds.
    fn wait(&mut self, time: u16);
}

/// Why a program was aborted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// There is no instruction at this address, in instructions from the start.
    Illegal(usize),
    /// The program ran past its end.
    RanOut,
}

/// Runs a program of 16-bit instructions, low byte first.
pub fn run(program: &[u8], board: &mut impl Board) -> Result<(), Fault> {
    let mut counters = [0u8; 4];
    let mut at = 0;
    loop {
        let bytes = program.get(2 * at..2 * at + 2).ok_or(Fault::RanOut)?;
        let (inst, _) = Inst::decode(bytes).map_err(|_| Fault::Illegal(at))?;
        at += 1;
        if step(inst, &mut counters, &mut at, board).is_none() {
            return Ok(());
        }
    }
}

/// Executes one instruction; `None` if the program ends. The getters return the fields that the
/// opcode has.
fn step(inst: Inst, counters: &mut [u8; 4], at: &mut usize, board: &mut impl Board) -> Option<()> {
    match inst.opcode() {
        Opcode::SET => board.switch(inst.output()?.get() as u8, inst.level()? == Level::ON),
        Opcode::WAIT => board.wait(inst.time()?.get() as u16),
        Opcode::LOAD => counters[index(inst.counter()?)] = inst.count()?.get() as u8,
        Opcode::LOOP => {
            let counter = &mut counters[index(inst.counter()?)];
            *counter = counter.saturating_sub(1);
            if *counter > 0 {
                *at = inst.target()?.get() as usize;
            }
        }
        // `Opcode` may grow with the specification; an unknown opcode ends the program.
        _ => return None,
    }
    Some(())
}

fn index(counter: Counter) -> usize {
    counter.register().map_or(0, |(_, number)| usize::from(number))
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::{run, Board, Fault};
    use std::vec::Vec;

    /// Records the actions.
    #[derive(Default)]
    struct Log(Vec<(u8, u16)>);

    impl Board for Log {
        fn switch(&mut self, output: u8, is_on: bool) {
            self.0.push((output, u16::from(is_on)));
        }

        fn wait(&mut self, time: u16) {
            self.0.push((u8::MAX, time));
        }
    }

    fn bytes(words: &[u16]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_lamp_blinks_twice() {
        // load C1, 2; set 3; wait 500; set.OFF 3; loop C1, 1; stop
        let program = bytes(&[0x6102, 0x200b, 0x41f4, 0x2003, 0x8101, 0x0000]);
        let mut log = Log::default();
        assert_eq!(run(&program, &mut log), Ok(()));
        assert_eq!(log.0, [(3, 1), (255, 500), (3, 0), (3, 1), (255, 500), (3, 0)]);
    }

    #[test]
    fn what_is_no_program_is_refused() {
        let mut log = Log::default();
        assert_eq!(run(&bytes(&[0x2008, 0xe000]), &mut log), Err(Fault::Illegal(1)));
        // A wait of no time breaks a rule of the specification.
        assert_eq!(run(&bytes(&[0x4000]), &mut log), Err(Fault::Illegal(0)));
        assert_eq!(run(&bytes(&[0x2008]), &mut log), Err(Fault::RanOut));
    }
}
