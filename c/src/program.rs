//! Programs that are executed.

use std::ffi::c_char;

use isadl::isa::Register;
use isadl_bindings::{Program, Start};
use isadl_exec::Event;
use isadl_exec::memory::Access;

use crate::text::fill;
use crate::{argument, bytes_of, failed, guarded, isadl_set, isadl_status, text_of};

/// A program that is executed. One thread at a time uses it.
#[allow(non_camel_case_types)]
pub struct isadl_program(Program);

/// How a program begins.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct isadl_start {
    /// Its arguments without its own name; may be null if there are none.
    pub args: *const *const c_char,
    /// How many arguments.
    pub arg_count: usize,
    /// The environment that it runs in, or null if the specification describes one.
    pub environment: *const c_char,
    /// The bytes of its memory; 0 for 256 MiB.
    pub memory: u64,
}

/// Why a program does not go on.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum isadl_event {
    /// It executed as many instructions as were asked for, and can go on.
    Fuel,
    /// It left with a status.
    Exit,
    /// A trap, or behaviour that the specification leaves open; `isadl_message` says why and where.
    Halt,
}

/// The memory of a program, if the start does not say another.
const MEMORY: u64 = 256 << 20;

/// Loads a static ELF program. It can open no file, and what it writes is kept. `start` may be null. `isadl_program_close` closes it.
///
/// # Safety
///
/// The set is open; there are `length` bytes; texts end in a zero; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_program_open(
    set: *const isadl_set,
    file: *const u8,
    length: usize,
    start: *const isadl_start,
    out: *mut *mut isadl_program,
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let (set, file) = unsafe { (set.as_ref(), bytes_of(file, length)) };
        let set = argument(set, "the set")?;
        argument((!out.is_null()).then_some(()), "`out`")?;
        // SAFETY: as the caller promises.
        let start = unsafe { start_of(start.as_ref()) }?;
        let program = Program::load(&set.0, file, &start);
        let program = program.map_err(|why| failed(isadl_status::File, why))?;
        // SAFETY: as the caller promises.
        unsafe { *out = Box::into_raw(Box::new(isadl_program(program))) };
        Ok(())
    })
}

/// # Safety
///
/// Texts end in a zero, and there are as many arguments as are said.
unsafe fn start_of(start: Option<&isadl_start>) -> Result<Start, isadl_status> {
    let Some(start) = start else {
        return Ok(Start { args: Vec::new(), environment: None, memory: MEMORY });
    };
    let args = match start.args.is_null() {
        true => &[][..],
        // SAFETY: as the caller promises.
        false => unsafe { std::slice::from_raw_parts(start.args, start.arg_count) },
    };
    // SAFETY: as the caller promises.
    let text = |text: &*const c_char| argument(unsafe { text_of(*text) }, "an argument");
    let args: Result<Vec<&str>, isadl_status> = args.iter().map(text).collect();
    let environment = match start.environment.is_null() {
        true => None,
        false => Some(text(&start.environment)?.to_string()),
    };
    Ok(Start {
        args: args?.into_iter().map(str::to_string).collect(),
        environment,
        memory: if start.memory == 0 { MEMORY } else { start.memory },
    })
}

/// Closes a program; nothing happens with null.
///
/// # Safety
///
/// It is not closed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_program_close(program: *mut isadl_program) {
    if !program.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(program) });
    }
}

/// Executes at most `fuel` instructions. `event` says why they end, and `exit_status` the status with which the program left; it may be
/// null. With 1 for `fuel`, the caller sees every state.
///
/// # Safety
///
/// The program is open; `event` can be written; `exit_status` is null or can be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_program_run(
    program: *mut isadl_program,
    fuel: u64,
    event: *mut isadl_event,
    exit_status: *mut i32,
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let (program, event, exit_status) =
            unsafe { (program.as_mut(), event.as_mut(), exit_status.as_mut()) };
        let (program, event) = (argument(program, "the program")?, argument(event, "`event`")?);
        let found = match fuel {
            1 => program.0.process.step(),
            _ => program.0.process.run(fuel),
        };
        *event = match found {
            Event::Fuel => isadl_event::Fuel,
            Event::Exit(left) => {
                if let Some(status) = exit_status {
                    *status = left;
                }
                isadl_event::Exit
            }
            Event::Halt(halt) => {
                // The call succeeded: the message is what it found.
                let _ = failed(isadl_status::Ok, program.0.reason(&halt));
                isadl_event::Halt
            }
        };
        Ok(())
    })
}

/// The address of the next instruction.
///
/// # Safety
///
/// The program is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_program_pc(program: *mut isadl_program) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { program.as_mut() }.map_or(0, |program| program.0.process.machine().pc())
}

/// The number of instructions that were executed.
///
/// # Safety
///
/// The program is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_program_count(program: *mut isadl_program) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { program.as_mut() }.map_or(0, |program| program.0.process.machine().count())
}

fn register(program: &Program, name: Option<&str>) -> Result<Register, isadl_status> {
    let name = argument(name, "the name")?;
    let why = || failed(isadl_status::Argument, format!("there is no register `{name}`"));
    program.register(name).ok_or_else(why)
}

/// Reads a register by its name, such as `x3`, `sp` or `X[3]`: `count` pieces of 64 bits, the lowest first, zeros beyond its width.
///
/// # Safety
///
/// The program is open; the name ends in a zero; `count` pieces can be written to `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_program_register(
    program: *mut isadl_program,
    name: *const c_char,
    out: *mut u64,
    count: usize,
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let (program, name) = unsafe { (program.as_mut(), text_of(name)) };
        let program = argument(program, "the program")?;
        argument((!out.is_null()).then_some(()), "`out`")?;
        let found = register(&program.0, name)?;
        let pieces = program.0.process.machine().register(found.file, found.number);
        for at in 0..count {
            // SAFETY: as the caller promises.
            unsafe { *out.add(at) = pieces.get(at).copied().unwrap_or(0) };
        }
        Ok(())
    })
}

/// Sets a register by its name, from `count` pieces of 64 bits, the lowest first; bits beyond its width are dropped.
///
/// # Safety
///
/// The program is open; the name ends in a zero; there are `count` pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_program_set_register(
    program: *mut isadl_program,
    name: *const c_char,
    pieces: *const u64,
    count: usize,
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let (program, name) = unsafe { (program.as_mut(), text_of(name)) };
        let program = argument(program, "the program")?;
        argument((!pieces.is_null()).then_some(()), "the value")?;
        let found = register(&program.0, name)?;
        // SAFETY: as the caller promises.
        let given = unsafe { std::slice::from_raw_parts(pieces, count) };
        let files = program.0.process.machine().spec().isa().reg_files();
        let bits = files[found.file.index()].width as usize;
        let piece = |at: usize| {
            let value = given.get(at).copied().unwrap_or(0);
            let room = bits - 64 * at;
            if room < 64 { value & ((1 << room) - 1) } else { value }
        };
        let pieces: Vec<u64> = (0..bits.div_ceil(64)).map(piece).collect();
        program.0.process.machine().set_register(found.file, found.number, &pieces);
        Ok(())
    })
}

/// Reads bytes of a memory; 0 is the first that the specification declares.
///
/// # Safety
///
/// The program is open; `out` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_program_read(
    program: *mut isadl_program,
    memory: usize,
    address: u64,
    out: *mut u8,
    length: usize,
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let program = argument(unsafe { program.as_mut() }, "the program")?;
        argument((!out.is_null()).then_some(()), "`out`")?;
        let found = argument(program.0.process.machine().memory(memory), "the memory")?;
        let bytes = found
            .bytes(address, length as u64, Access::NONE)
            .map_err(|fault| nowhere(fault.address))?;
        // SAFETY: as the caller promises.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), out, length) };
        Ok(())
    })
}

/// Changes bytes of a memory.
///
/// # Safety
///
/// The program is open; there are `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_program_write(
    program: *mut isadl_program,
    memory: usize,
    address: u64,
    bytes: *const u8,
    length: usize,
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let (program, bytes) = unsafe { (program.as_mut(), bytes_of(bytes, length)) };
        let program = argument(program, "the program")?;
        let found = argument(program.0.process.machine().memory(memory), "the memory")?;
        found.write_anyway(address, bytes).map_err(|fault| nowhere(fault.address))
    })
}

fn nowhere(address: u64) -> isadl_status {
    failed(isadl_status::Argument, format!("there is no memory at {address:#x}"))
}

/// What a program wrote to its standard output (1) or standard error (2).
///
/// # Safety
///
/// The program is open; `buffer` has `capacity` bytes, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_program_output(
    program: *const isadl_program,
    stream: i32,
    buffer: *mut c_char,
    capacity: usize,
) -> usize {
    // SAFETY: as the caller promises.
    let program = unsafe { program.as_ref() };
    let written = match stream {
        1 => program.map(|program| program.0.output()),
        2 => program.map(|program| program.0.errors()),
        _ => None,
    };
    // SAFETY: as the caller promises.
    unsafe { fill(&written.unwrap_or_default(), buffer, capacity) }
}
