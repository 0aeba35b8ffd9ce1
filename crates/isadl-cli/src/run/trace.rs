//! A line for each instruction: where it is, what it is, and the values that it reads and writes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::rc::Rc;

use isadl::isa::{Effect, Inst, Register, RegisterNames, Resource};
use isadl_exec::{Accessed, Event, Process, Spec, hexadecimal};

use super::values;
use crate::Failure;
use crate::args::Run;
use crate::lines::is_gone;

/// Executes instructions one by one, and writes lines about them if that is wanted.
pub(super) struct Tracer<'t> {
    spec: &'t Rc<Spec>,
    names: RegisterNames<'t>,
    is_shown: bool,
    /// How often each word was executed, with the number of its opcode, if that is counted.
    pub(super) executed: Option<BTreeMap<(usize, u128), u64>>,
}

impl<'t> Tracer<'t> {
    pub(super) fn new(options: &Run, spec: &'t Rc<Spec>) -> Tracer<'t> {
        let executed = options.coverage.is_some().then(BTreeMap::new);
        Tracer { spec, names: RegisterNames::of(spec.isa()), is_shown: options.trace, executed }
    }

    /// Executes an instruction.
    pub(super) fn step(&mut self, process: &mut Process) -> Result<Event, Failure> {
        if !self.is_shown && self.executed.is_none() {
            return Ok(process.step());
        }
        let pc = process.machine().pc();
        let decoded = process.machine().decode(pc).ok();
        if let (Some(executed), Some((inst, _))) = (&mut self.executed, decoded) {
            *executed.entry((inst.opcode.index(), inst.word)).or_default() += 1;
        }
        if !self.is_shown {
            return Ok(process.step());
        }
        let (read, written) = decoded.map(|(inst, _)| self.registers(inst)).unwrap_or_default();
        let before: Vec<String> =
            read.iter().map(|register| self.value(process, *register)).collect();
        process.machine().take_accesses();
        let event = process.step();
        let Some((inst, _)) = decoded else { return Ok(event) };
        let mut line = format!("{pc:8x}  {:<32}", self.spec.engine().text(inst));
        for (register, value) in read.iter().zip(before) {
            line.push_str(&format!(" {}={value}", self.names.name(*register)));
        }
        let mut after = String::new();
        for access in process.machine().take_accesses() {
            let text = memory(process, access);
            let place = if access.is_store { &mut after } else { &mut line };
            place.push_str(&text);
        }
        for register in &written {
            after.push_str(&format!(
                " {}={}",
                self.names.name(*register),
                self.value(process, *register)
            ));
        }
        if !after.is_empty() {
            line.push_str(" ->");
            line.push_str(&after);
        }
        is_gone(writeln!(std::io::stderr().lock(), "{}", line.trim_end()))?;
        Ok(event)
    }

    fn value(&self, process: &mut Process, register: Register) -> String {
        values(process.machine(), register)
    }

    /// The registers that an instruction reads and writes.
    fn registers(&self, inst: Inst) -> (BTreeSet<Register>, BTreeSet<Register>) {
        let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
        let engine = self.spec.engine();
        for one in engine.uses(inst) {
            let Resource::Registers { file, first, count } = one.resource else { continue };
            let all = (first..first + count).map(|number| Register { file, number });
            if !matches!(one.effect, Effect::Write | Effect::ConditionalWrite) {
                read.extend(all.clone());
            }
            if !matches!(one.effect, Effect::Read | Effect::ConditionalRead) {
                written.extend(all);
            }
        }
        (read, written)
    }
}

/// What is in memory after an access.
fn memory(process: &mut Process, access: Accessed) -> String {
    let Accessed { memory, address, bytes, .. } = access;
    let found = process.machine().memory(memory);
    let found = found.and_then(|from| {
        from.bytes(address, bytes, isadl_exec::memory::Access::READ).ok().map(<[u8]>::to_vec)
    });
    let Some(found) = found else { return String::new() };
    let pieces: Vec<u64> = found
        .chunks(8)
        .map(|chunk| chunk.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
        .collect();
    format!(" [{address:#x}]={}", hexadecimal(&pieces))
}
