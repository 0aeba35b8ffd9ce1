//! `isadl run`: executes a program by its specification.
//!
//! Exit status: that of the program; 124 if `--fuel` ran out, 125 if an instruction did not end, 130 after Ctrl-C, 0 at `--until`.

mod coverage;
mod debugger;
mod image;
mod registers;
mod trace;

use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use isadl::isa::{Environment, Isa, Register, RegisterNames};
use isadl_exec::linux::{Clock, Settings};
use isadl_exec::{Event, Halt, Machine, Process, Spec, hexadecimal};

use crate::args::{Run, Value};
use crate::spec::{Needs, Opened};
use crate::{Failure, Outcome, report};

/// Instructions between two looks at whether Ctrl-C was pressed.
const SLICE: u64 = 1 << 22;

/// Why a run ended.
enum End {
    Exit(i32),
    Halt(Halt),
    Fuel,
    Until,
    Interrupted,
    /// A debugger ended it.
    Killed,
}

pub(crate) fn run(options: &Run) -> Outcome {
    let opened = Opened::new(&options.spec, Needs::Programs)?;
    let loaded = opened.loaded()?;
    let set = opened.extensions(loaded.isa())?;
    let programs = opened.programs(loaded.isa())?;
    let all = loaded.isa().environments();
    let environment =
        Environment::chosen(all, options.environment.as_deref()).map_err(Failure::Usage)?;
    let has_programs = programs.opcodes.iter().any(|own| !own.is_empty());
    let spec = Rc::new(Spec::built(loaded, programs).with_extensions(set));
    if !has_programs {
        let name = spec.isa().name();
        report::complain(&format!(
            "{name} does not say what its instructions do: it has no programs"
        ));
        return Err(Failure::Input);
    }
    let (mut process, end) = image::process((options, &opened), &spec, &environment)?;
    process.machine().set_ends(options.until.into_iter().chain(end).collect());
    set_registers(options, &spec, &mut process)?;
    set_lanes(options, &spec, &mut process)?;
    let mut tracer = trace::Tracer::new(options, &spec);
    let end = match options.gdb {
        Some(port) => debugger::serve(&opened, port, &mut process)?,
        None => execute(options, &mut tracer, &mut process)?,
    };
    if options.regs {
        report::print(&registers(&spec, &mut process))?;
    }
    if let (Some(path), Some(words)) = (&options.coverage, &tracer.executed) {
        coverage::write(path, &spec, &mut process, words, &opened.sources()?)?;
    }
    finish(options, &spec, &mut process, end)
}

/// What the program gets from outside.
fn settings(options: &Run, isa: &Isa) -> Settings {
    Settings {
        word: isa.elf().class() / 8,
        root: options.root.clone(),
        clock: if options.fixed_clock { Clock::Counter } else { Clock::Real },
        machine: isa.name().to_lowercase(),
        ..Settings::default()
    }
}

fn set_registers(options: &Run, spec: &Spec, process: &mut Process) -> Outcome {
    let names = RegisterNames::of(spec.isa());
    for (name, value) in &options.set {
        let Some(register) = names.find(name) else {
            return Err(Failure::Usage(format!("{} has no register `{name}`", spec.isa().name())));
        };
        let machine = process.machine();
        for lane in 0..machine.lanes() {
            let value = match value {
                Value::Number(number) => *number,
                Value::Lane => lane as i128,
            };
            let pieces = [value as u64, sign(value)];
            machine.set_register_of_lane(register.file, register.number, lane, &pieces);
        }
    }
    Ok(())
}

fn set_lanes(options: &Run, spec: &Spec, process: &mut Process) -> Outcome {
    let Some(lanes) = options.lanes else { return Ok(()) };
    let machine = process.machine();
    let most = machine.lanes();
    if most == 1 || lanes == 0 || lanes > most {
        let name = spec.isa().name();
        let message = match most {
            1 => format!("{name} has no lanes"),
            _ => format!("--lanes must be between 1 and {most}, the lanes of {name}"),
        };
        return Err(Failure::Usage(message));
    }
    machine.set_launched(u64::MAX >> (64 - lanes));
    Ok(())
}

/// The bits above the lowest 64.
fn sign(value: i128) -> u64 {
    (value >> 64) as u64
}

fn execute(
    options: &Run,
    tracer: &mut trace::Tracer<'_>,
    process: &mut Process,
) -> Result<End, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // Without a handler, Ctrl-C ends the program at once, which is no fault.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    if options.coverage.is_some() {
        process.machine().set_counts_branches(true);
    }
    if options.trace {
        process.machine().set_notes_accesses(true);
    }
    let is_stepped = options.trace || options.coverage.is_some();
    loop {
        let left = options.fuel.map_or(u64::MAX, |fuel| fuel - process.machine().count().min(fuel));
        if left == 0 {
            return Ok(End::Fuel);
        }
        if interrupted.load(Ordering::Relaxed) {
            return Ok(End::Interrupted);
        }
        let event = match is_stepped {
            true => tracer.step(process)?,
            false => process.run(left.min(SLICE)),
        };
        match event {
            Event::Fuel => {}
            Event::Exit(status) => return Ok(End::Exit(status)),
            Event::Halt(Halt::End) => return Ok(End::Until),
            Event::Halt(halt) => return Ok(End::Halt(halt)),
        }
    }
}

/// All registers with their values, a line for each that is not 0.
fn registers(spec: &Spec, process: &mut Process) -> String {
    let names = RegisterNames::of(spec.isa());
    let mut text = String::new();
    text.push_str(&format!("{:<12} {:#x}\n", "pc", process.machine().pc()));
    for register in names.all() {
        let value = values(process.machine(), register);
        if value != "0x0" {
            text.push_str(&format!("{:<12} {value}\n", names.name(register)));
        }
    }
    for (name, value) in process.machine().all_kept() {
        if value != 0 {
            text.push_str(&format!("{name:<12} {value:#x}\n"));
        }
    }
    text
}

/// The value of a register; those of all lanes if they differ, and have it of their own.
fn values(machine: &Machine, register: Register) -> String {
    let Register { file, number: own } = register;
    let lanes = if machine.is_of_lanes(file) { machine.lanes() } else { 1 };
    let all: Vec<String> =
        (0..lanes).map(|lane| hexadecimal(&machine.register_of_lane(file, own, lane))).collect();
    match all.iter().all(|value| *value == all[0]) {
        true => all[0].clone(),
        false => format!("[{}]", all.join(" ")),
    }
}

/// Says why the run ended, and ends with its status.
fn finish(options: &Run, spec: &Spec, process: &mut Process, end: End) -> Outcome {
    let status = match end {
        End::Exit(status) => status,
        End::Until | End::Killed => 0,
        End::Fuel => {
            report::complain(&format!(
                "out of fuel {} after {} instructions",
                place(spec, process),
                process.machine().count()
            ));
            124
        }
        End::Interrupted => {
            report::complain(&format!("interrupted {}", place(spec, process)));
            130
        }
        End::Halt(halt) => {
            report::complain(&format!("{} {}", halt.reason(spec.memories()), place(spec, process)));
            if !options.regs {
                let _ = write!(std::io::stderr(), "{}", registers(spec, process));
            }
            125
        }
    };
    std::process::exit(status)
}

/// The instruction that is next, and where it is.
fn place(spec: &Spec, process: &mut Process) -> String {
    let pc = process.machine().pc();
    let text = match process.machine().decode(pc) {
        Ok((inst, _)) => format!(" `{}`", spec.engine().text(inst)),
        Err(_) => String::new(),
    };
    let symbol = process.image().symbol_at(pc).map(|symbol| {
        let distance = pc - symbol.address;
        if distance == 0 {
            format!(" ({})", symbol.name)
        } else {
            format!(" ({}+{distance:#x})", symbol.name)
        }
    });
    format!("at {pc:#x}{}{text}", symbol.unwrap_or_default())
}
