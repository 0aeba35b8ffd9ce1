//! The machine as `gdbstub` sees it.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};
use gdbstub::common::Signal;
use gdbstub::stub::SingleThreadStopReason;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::single_register_access::{
    SingleRegisterAccess, SingleRegisterAccessOps,
};
use gdbstub::target::ext::base::singlethread as single;
use gdbstub::target::ext::breakpoints as breaks;
use gdbstub::target::ext::target_description_xml_override as description;
use gdbstub::target::{self, TargetError, TargetResult};

use crate::{Description, Event, Machine, Stops, Watch, WatchKind};

/// How many instructions are executed between two looks at the connection; fewer where each is checked.
const SLICE: u64 = 100_000;
const CHECKED: u64 = 10_000;
/// How many breakpoints, and how many watchpoints, a debugger may have.
const MOST: usize = 4096;
/// What a debugger is told about addresses that it cannot use: `EFAULT`.
const FAULT: u8 = 14;

/// What `gdbstub` wants to know when it is compiled. The rest comes from the description.
pub(crate) enum Any {}

impl Arch for Any {
    type Usize = u64;
    type Registers = File;
    type BreakpointKind = usize;
    type RegId = Number;
}

/// All registers, one after another.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct File {
    pc: u64,
    bytes: Vec<u8>,
}

impl Registers for File {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        self.pc
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        self.bytes.iter().for_each(|byte| write_byte(Some(*byte)));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.bytes = bytes.to_vec();
        Ok(())
    }
}

/// A register's number, of which nothing is known yet.
#[derive(Debug)]
pub(crate) struct Number(pub(crate) usize);

impl RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Number, Option<NonZeroUsize>)> {
        Some((Number(id), None))
    }

    fn to_raw_id(&self) -> Option<usize> {
        Some(self.0)
    }
}

/// What the debugger wants of the machine.
#[derive(Clone, Copy)]
enum Action {
    Continue,
    Step,
    /// Steps for as long as instructions are in this range, which ends before the second address.
    Within(u64, u64),
}

pub(crate) type Stop = SingleThreadStopReason<u64>;

/// A stop without a special reason.
pub(crate) fn signal(number: u8) -> Stop {
    Stop::SignalWithThread { tid: (), signal: Signal(number) }
}

pub(crate) struct Target<'a> {
    machine: &'a mut dyn Machine,
    sizes: Vec<usize>,
    pc: usize,
    xml: String,
    action: Action,
    steps_from_watch: bool,
    /// After a stop at a watchpoint, the instruction that touched it: the debugger believes to be there, and is going
    /// to make a step that has been made.
    stepped: Option<u64>,
    /// Breakpoints of both kinds are the same to the machine, but the debugger removes each for itself.
    software: BTreeSet<u64>,
    hardware: BTreeSet<u64>,
    stops: Stops,
}

impl<'a> Target<'a> {
    pub(crate) fn new(machine: &'a mut dyn Machine, description: &Description) -> Target<'a> {
        Target {
            machine,
            sizes: description.sizes(),
            pc: description.pc,
            xml: description.xml(),
            action: Action::Step,
            steps_from_watch: description.steps_from_watch,
            stepped: None,
            software: BTreeSet::new(),
            hardware: BTreeSet::new(),
            stops: Stops::default(),
        }
    }

    /// The size of all registers in bytes.
    pub(crate) fn size(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// Runs the machine for a while, and says why it stopped if it did.
    pub(crate) fn advance(&mut self) -> Option<Stop> {
        let stepped = self.stepped.take();
        match self.action {
            Action::Step | Action::Within(..) if stepped.is_some() => {
                Some(signal(Signal::SIGTRAP.0))
            }
            Action::Continue => {
                let event = self.machine.run(&self.stops, SLICE);
                self.stop(event)
            }
            Action::Step => Some(self.one().unwrap_or(signal(Signal::SIGTRAP.0))),
            Action::Within(start, end) => (0..CHECKED).find_map(|_| {
                if let Some(stop) = self.one() {
                    return Some(stop);
                }
                let pc = self.machine.pc();
                if self.stops.breakpoints.contains(&pc) {
                    return self.stop(Event::Breakpoint);
                }
                (!(start..end).contains(&pc)).then(|| signal(Signal::SIGTRAP.0))
            }),
        }
    }

    /// Executes one instruction, even at a breakpoint.
    fn one(&mut self) -> Option<Stop> {
        let event = if self.stops.watched.is_empty() {
            self.machine.step()
        } else {
            let breakpoints = std::mem::take(&mut self.stops.breakpoints);
            let event = self.machine.run(&self.stops, 1);
            self.stops.breakpoints = breakpoints;
            event
        };
        self.stop(event)
    }

    fn stop(&mut self, event: Event) -> Option<Stop> {
        Some(match event {
            Event::Fuel => return None,
            Event::Breakpoint if self.hardware.contains(&self.machine.pc()) => Stop::HwBreak(()),
            Event::Breakpoint => Stop::SwBreak(()),
            Event::Watch { address, kind, from } => {
                self.stepped = self.steps_from_watch.then_some(from);
                let kind = match kind {
                    WatchKind::Read => breaks::WatchKind::Read,
                    WatchKind::Write => breaks::WatchKind::Write,
                    WatchKind::Access => breaks::WatchKind::ReadWrite,
                };
                Stop::Watch { tid: (), kind, addr: address }
            }
            Event::Signal(number) => signal(number),
            Event::Exited(status) => Stop::Exited(status),
        })
    }

    /// The register that every debugger wants after a stop, so that it need not ask.
    pub(crate) fn expedited(&mut self) -> Option<(usize, Vec<u8>)> {
        let size = *self.sizes.get(self.pc)?;
        Some((self.pc, self.register(self.pc, size)))
    }

    /// A register with exactly the bytes that the debugger expects.
    fn register(&mut self, number: usize, size: usize) -> Vec<u8> {
        let mut bytes = match self.stepped {
            Some(pc) if number == self.pc => pc.to_le_bytes().to_vec(),
            _ => self.machine.read_register(number),
        };
        bytes.resize(size, 0);
        bytes
    }

    fn change(&mut self, number: usize, bytes: &[u8]) {
        if number == self.pc {
            // All registers are written at once, also those that did not change.
            if self.stepped.is_some() && self.register(number, bytes.len()) == bytes {
                return;
            }
            self.stepped = None;
        }
        self.machine.write_register(number, bytes);
    }

    fn add(&mut self, address: u64, hardware: bool) -> bool {
        let room = self.stops.breakpoints.len() < MOST;
        let own = if hardware { &mut self.hardware } else { &mut self.software };
        if room {
            own.insert(address);
            self.stops.breakpoints.insert(address);
        }
        room
    }

    fn remove(&mut self, address: u64, hardware: bool) -> bool {
        let (own, other) = match hardware {
            true => (&mut self.hardware, &self.software),
            false => (&mut self.software, &self.hardware),
        };
        own.remove(&address);
        if !other.contains(&address) {
            self.stops.breakpoints.remove(&address);
        }
        true
    }
}

fn watch(address: u64, length: u64, kind: breaks::WatchKind) -> Watch {
    let kind = match kind {
        breaks::WatchKind::Read => WatchKind::Read,
        breaks::WatchKind::Write => WatchKind::Write,
        breaks::WatchKind::ReadWrite => WatchKind::Access,
    };
    Watch { address, length, kind }
}

impl target::Target for Target<'_> {
    type Arch = Any;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Any, Infallible> {
        BaseOps::SingleThread(self)
    }

    fn use_fork_stop_reason(&self) -> bool {
        false
    }

    fn use_vfork_stop_reason(&self) -> bool {
        false
    }

    fn use_vforkdone_stop_reason(&self) -> bool {
        false
    }

    fn support_breakpoints(&mut self) -> Option<breaks::BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<description::TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }
}

impl single::SingleThreadBase for Target<'_> {
    fn read_registers(&mut self, file: &mut File) -> TargetResult<(), Self> {
        file.pc = self.machine.pc();
        for number in 0..self.sizes.len() {
            file.bytes.extend(self.register(number, self.sizes[number]));
        }
        Ok(())
    }

    fn write_registers(&mut self, file: &File) -> TargetResult<(), Self> {
        if file.bytes.len() != self.size() {
            return Err(TargetError::NonFatal);
        }
        let mut rest = &file.bytes[..];
        for number in 0..self.sizes.len() {
            let (bytes, others) = rest.split_at(self.sizes[number]);
            self.change(number, bytes);
            rest = others;
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, (), Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, address: u64, bytes: &mut [u8]) -> TargetResult<usize, Self> {
        // Ranges end at the last address.
        let most = usize::try_from(u64::MAX - address).unwrap_or(usize::MAX).saturating_add(1);
        let most = most.min(bytes.len());
        let read = self.machine.read_memory(address, &mut bytes[..most]).min(most);
        if read == 0 && most > 0 { Err(TargetError::Errno(FAULT)) } else { Ok(read) }
    }

    fn write_addrs(&mut self, address: u64, bytes: &[u8]) -> TargetResult<(), Self> {
        // A debugger asks with an empty range whether it can write binary packets.
        let Some(last) = bytes.len().checked_sub(1) else { return Ok(()) };
        let fits = address.checked_add(last as u64).is_some();
        if fits && self.machine.write_memory(address, bytes) {
            Ok(())
        } else {
            Err(TargetError::Errno(FAULT))
        }
    }

    fn support_resume(&mut self) -> Option<single::SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<()> for Target<'_> {
    fn read_register(
        &mut self,
        (): (),
        Number(number): Number,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        match self.sizes.get(number) {
            Some(&size) if (1..=buffer.len()).contains(&size) => {
                buffer[..size].copy_from_slice(&self.register(number, size));
                Ok(size)
            }
            _ => Err(TargetError::NonFatal),
        }
    }

    fn write_register(
        &mut self,
        (): (),
        Number(number): Number,
        bytes: &[u8],
    ) -> TargetResult<(), Self> {
        if self.sizes.get(number) != Some(&bytes.len()) {
            return Err(TargetError::NonFatal);
        }
        self.change(number, bytes);
        Ok(())
    }
}

/// Signals that the debugger wants the program to get are left out: the machine has no handlers.
impl single::SingleThreadResume for Target<'_> {
    fn resume(&mut self, _: Option<Signal>) -> Result<(), Infallible> {
        self.action = Action::Continue;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<single::SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<single::SingleThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }
}

impl single::SingleThreadSingleStep for Target<'_> {
    fn step(&mut self, _: Option<Signal>) -> Result<(), Infallible> {
        self.action = Action::Step;
        Ok(())
    }
}

impl single::SingleThreadRangeStepping for Target<'_> {
    fn resume_range_step(&mut self, start: u64, end: u64) -> Result<(), Infallible> {
        self.action = Action::Within(start, end);
        Ok(())
    }
}

impl breaks::Breakpoints for Target<'_> {
    fn support_sw_breakpoint(&mut self) -> Option<breaks::SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<breaks::HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<breaks::HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl breaks::SwBreakpoint for Target<'_> {
    fn add_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        Ok(self.add(address, false))
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        Ok(self.remove(address, false))
    }
}

impl breaks::HwBreakpoint for Target<'_> {
    fn add_hw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        Ok(self.add(address, true))
    }

    fn remove_hw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        Ok(self.remove(address, true))
    }
}

impl breaks::HwWatchpoint for Target<'_> {
    fn add_hw_watchpoint(
        &mut self,
        address: u64,
        length: u64,
        kind: breaks::WatchKind,
    ) -> TargetResult<bool, Self> {
        let last = length.checked_sub(1).and_then(|last| address.checked_add(last));
        let watch = watch(address, length, kind);
        if last.is_none() || self.stops.watched.len() >= MOST {
            return Ok(false);
        }
        // A packet that is sent again changes nothing.
        if !self.stops.watched.contains(&watch) {
            self.stops.watched.push(watch);
        }
        Ok(true)
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u64,
        length: u64,
        kind: breaks::WatchKind,
    ) -> TargetResult<bool, Self> {
        let watch = watch(address, length, kind);
        self.stops.watched.retain(|watched| *watched != watch);
        Ok(true)
    }
}

impl description::TargetDescriptionXmlOverride for Target<'_> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.xml.as_bytes().get(start..).unwrap_or(&[]);
        let count = rest.len().min(length).min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}
