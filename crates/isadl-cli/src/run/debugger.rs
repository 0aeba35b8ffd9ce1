//! `--gdb PORT`: the program is executed as a debugger says.

use std::net::{Ipv4Addr, TcpListener};

use isadl_exec::memory::Access;
use isadl_exec::{Event as Happened, Halt, Process};
use isadl_gdb::{End as Left, Event, Machine, Stops, Watch};

use super::End;
use super::registers::{Seen, description};
use crate::spec::{DEBUGGER, Opened};
use crate::{Failure, report};

/// A program as a debugger sees it.
struct Debugged<'p> {
    process: &'p mut Process,
    registers: Vec<Seen>,
}

/// Executes a program as a debugger says, until either of them ends.
pub(super) fn serve(opened: &Opened<'_>, port: u16, process: &mut Process) -> Result<End, Failure> {
    let isa = process.machine().spec().isa().clone();
    let (description, registers) = description(&isa, opened.beside(DEBUGGER)?)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let address = listener.local_addr()?;
    report::note(&format!("waiting for a debugger: target remote {address}\n"));
    let mut debugged = Debugged { process, registers };
    match isadl_gdb::serve(&mut debugged, &description, listener) {
        Ok(Left::Exited(status)) => Ok(End::Exit(status.into())),
        Ok(Left::Killed) => Ok(End::Killed),
        // The program goes on alone.
        Ok(Left::Detached) => Ok(match process.run(u64::MAX) {
            Happened::Exit(status) => End::Exit(status),
            Happened::Halt(Halt::End) => End::Until,
            Happened::Halt(halt) => End::Halt(halt),
            Happened::Fuel => End::Fuel,
        }),
        Err(error) => {
            report::complain(&error.to_string());
            Err(Failure::Input)
        }
    }
}

/// The lowest bytes of a number in pieces.
fn bytes(pieces: &[u64], bits: u32) -> Vec<u8> {
    let mut all: Vec<u8> = pieces.iter().flat_map(|piece| piece.to_le_bytes()).collect();
    all.resize(bits as usize / 8, 0);
    all
}

fn pieces(bytes: &[u8]) -> Vec<u64> {
    let number = |chunk: &[u8]| chunk.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
    bytes.chunks(8).map(number).collect()
}

fn ones(bits: u32) -> u64 {
    u64::MAX.checked_shl(bits).map_or(u64::MAX, |above| !above)
}

impl Machine for Debugged<'_> {
    fn read_register(&mut self, number: usize) -> Vec<u8> {
        let seen = &self.registers[number];
        let machine = self.process.machine();
        let bits = seen.bits();
        match seen {
            Seen::Of(register, _) => bytes(&machine.register(register.file, register.number), bits),
            Seen::Zero(_) => bytes(&[0], bits),
            Seen::Pc(_) => bytes(&[machine.pc()], bits),
            Seen::Made(_, parts) => {
                let value = parts.iter().fold(0, |all, (register, own, low)| {
                    let part = machine.register(register.file, register.number)[0] & ones(*own);
                    all | part.checked_shl(*low).unwrap_or(0)
                });
                bytes(&[value], bits)
            }
        }
    }

    fn write_register(&mut self, number: usize, bytes: &[u8]) {
        let value = pieces(bytes);
        let machine = self.process.machine();
        match &self.registers[number] {
            Seen::Of(register, _) => machine.set_register(register.file, register.number, &value),
            Seen::Zero(_) => {}
            Seen::Pc(_) => machine.set_pc(value.first().copied().unwrap_or(0)),
            Seen::Made(_, parts) => {
                for (register, own, low) in parts {
                    let all = value.first().copied().unwrap_or(0);
                    let part = all.checked_shr(*low).unwrap_or(0) & ones(*own);
                    machine.set_register(register.file, register.number, &[part]);
                }
            }
        }
    }

    fn pc(&mut self) -> u64 {
        self.process.machine().pc()
    }

    fn read_memory(&mut self, address: u64, bytes: &mut [u8]) -> usize {
        let Some(memory) = self.process.machine().memory(0) else { return 0 };
        for (at, byte) in bytes.iter_mut().enumerate() {
            let from = memory.bytes(address.wrapping_add(at as u64), 1, Access::NONE);
            match from.ok().and_then(<[u8]>::first) {
                Some(found) => *byte = *found,
                None => return at,
            }
        }
        bytes.len()
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> bool {
        let memory = self.process.machine().memory(0);
        memory.is_some_and(|memory| memory.write_anyway(address, bytes).is_ok())
    }

    fn step(&mut self) -> Event {
        event(self.process.step())
    }

    fn run(&mut self, stops: &Stops, count: u64) -> Event {
        if stops.breakpoints.is_empty() && stops.watched.is_empty() {
            return event(self.process.run(count));
        }
        self.process.machine().set_notes_accesses(!stops.watched.is_empty());
        let mut found = Event::Fuel;
        for _ in 0..count {
            let pc = self.pc();
            if stops.breakpoints.contains(&pc) {
                found = Event::Breakpoint;
                break;
            }
            self.process.machine().take_accesses();
            found = event(self.process.step());
            if let Some(watch) = self.watched(stops, pc).filter(|_| found == Event::Fuel) {
                found = watch;
            }
            if found != Event::Fuel {
                break;
            }
        }
        self.process.machine().set_notes_accesses(false);
        found
    }
}

impl Debugged<'_> {
    /// Whether the instruction that was executed last, from an address, touched what is watched.
    fn watched(&mut self, stops: &Stops, from: u64) -> Option<Event> {
        if stops.watched.is_empty() {
            return None;
        }
        let accesses = self.process.machine().take_accesses();
        accesses.iter().find_map(|access| {
            let touched = |watch: &Watch| {
                let address = watch.touched(access.address, access.bytes, access.is_store)?;
                Some(Event::Watch { address, kind: watch.kind, from })
            };
            stops.watched.iter().find_map(touched)
        })
    }
}

/// What a debugger is told about the end of an instruction; signals have gdb's numbers.
fn event(happened: Happened) -> Event {
    match happened {
        Happened::Fuel => Event::Fuel,
        Happened::Exit(status) => Event::Exited(status as u8),
        Happened::Halt(Halt::End) => Event::Exited(0),
        Happened::Halt(Halt::Fault { .. } | Halt::NoMemory) => Event::Signal(11),
        Happened::Halt(Halt::Trap { .. }) => Event::Signal(5),
        Happened::Halt(_) => Event::Signal(4),
    }
}
