//! isadl for C and C++: `include/isadl.h` is made of this file's functions and types.

mod files;
mod findings;
mod operands;
mod program;
mod text;

use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use isadl::engine::{DecodeError, FlowControl, TextOptions};
use isadl::isa::{Inst, OpcodeId};
use isadl_bindings::{Choice, OpenError, Set};

pub use files::{isadl_elf, isadl_owned_bytes, isadl_section, isadl_symbol};
pub use findings::{isadl_finding, isadl_findings};
pub use operands::{
    isadl_access, isadl_operand, isadl_operand_kind, isadl_operands, isadl_use, isadl_use_kind,
    isadl_uses,
};
pub use program::{isadl_event, isadl_program, isadl_start};
use text::fill;

/// An instruction set of one generation, with one set of extensions.
#[allow(non_camel_case_types)]
pub struct isadl_set(Set);

/// How a call ended.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum isadl_status {
    /// Success.
    Ok,
    /// A pointer is null, or a text is not UTF-8.
    Argument,
    /// A file cannot be read, or is not of the kind that it should be.
    File,
    /// The specification has errors, or a compiled one is damaged.
    Specification,
    /// There is no such generation or extension, or several generations and none is chosen.
    Choice,
    /// The bytes are not an instruction.
    Unknown,
    /// The bytes end within an instruction.
    Truncated,
    /// The line is not an instruction, or the program has errors.
    Line,
    /// A fault of this library.
    Fault,
}

/// An instruction.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct isadl_inst {
    /// Its word: bits 0 to 63, and 64 to 127.
    pub word: [u64; 2],
    /// The number of its opcode, below `isadl_opcode_count`.
    pub opcode: u32,
    /// Its bytes.
    pub length: u32,
}

/// Where execution goes after an instruction.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum isadl_flow {
    /// To the following instruction.
    Next,
    /// Elsewhere.
    Branch,
    /// Elsewhere, or to the following instruction.
    Conditional,
    /// Elsewhere, and back later.
    Call,
    /// Back to the caller.
    Return,
    /// To an address in a register or memory.
    Indirect,
    /// The same, and back later.
    IndirectCall,
    /// To the system, and back later or not.
    Trap,
    /// To the system, and back later.
    SystemCall,
    /// To the system, for good.
    Abort,
}

thread_local! {
    /// Why the last call of this thread failed.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Remembers why a call failed.
fn failed(status: isadl_status, message: impl Into<String>) -> isadl_status {
    MESSAGE.with_borrow_mut(|last| *last = message.into());
    status
}

/// Calls a function whose panics must not reach C.
fn guarded(call: impl FnOnce() -> Result<(), isadl_status>) -> isadl_status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => isadl_status::Ok,
        Ok(Err(status)) => status,
        Err(_) => failed(isadl_status::Fault, "a fault of isadl"),
    }
}

fn argument<T>(found: Option<T>, what: &str) -> Result<T, isadl_status> {
    found.ok_or_else(|| failed(isadl_status::Argument, format!("{what} is null or not UTF-8")))
}

/// A text of C; `None` if it is null or not UTF-8.
///
/// # Safety
///
/// It is null, or ends in a zero.
unsafe fn text_of<'t>(text: *const c_char) -> Option<&'t str> {
    // SAFETY: as the caller promises.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })?.to_str().ok()
}

/// Bytes of C; none if they are null.
///
/// # Safety
///
/// They are null, or as many as their length says.
unsafe fn bytes_of<'b>(bytes: *const u8, length: usize) -> &'b [u8] {
    // SAFETY: as the caller promises.
    if bytes.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(bytes, length) } }
}

/// An instruction of a set; `None` if no call of it gave it.
fn known(set: &Set, inst: &isadl_inst) -> Option<Inst> {
    let opcode = inst.opcode as usize;
    let word = u128::from(inst.word[0]) | u128::from(inst.word[1]) << 64;
    (opcode < set.isa().opcodes().len()).then(|| Inst { opcode: OpcodeId::new(opcode), word })
}

fn given(set: &Set, inst: Inst) -> isadl_inst {
    isadl_inst {
        word: [inst.word as u64, (inst.word >> 64) as u64],
        opcode: inst.opcode.index() as u32,
        length: set.isa().opcode(inst.opcode).width / 8,
    }
}

/// # Safety
///
/// As that of `isadl_open`.
unsafe fn choice(
    generation: *const c_char,
    extensions: *const c_char,
) -> Result<Choice, isadl_status> {
    // SAFETY: as the caller promises.
    let text = |text: *const c_char, what| match text.is_null() {
        true => Ok(None),
        false => argument(unsafe { text_of(text) }, what).map(Some),
    };
    let list = |names: &str| names.split(',').map(|name| name.trim().to_string()).collect();
    Ok(Choice {
        generation: text(generation, "the generation")?.map(str::to_string),
        extensions: text(extensions, "the list of extensions")?.map(list),
    })
}

/// # Safety
///
/// `out` can be written.
unsafe fn opened(
    set: Result<Set, OpenError>,
    out: *mut *mut isadl_set,
) -> Result<(), isadl_status> {
    let set = set.map_err(|error| {
        let status = match &error {
            OpenError::File(_) => isadl_status::File,
            OpenError::Errors(_) | OpenError::Compiled(_) => isadl_status::Specification,
            OpenError::Choice(_) => isadl_status::Choice,
        };
        failed(status, error.to_string())
    })?;
    // SAFETY: as the caller promises.
    unsafe { *out = Box::into_raw(Box::new(isadl_set(set))) };
    Ok(())
}

/// Opens a folder of specification files, a file, or a compiled instruction set.
///
/// `generation` is null if the instruction set has one, or several that do not differ. `extensions` is null for the default set, or has
/// names of extensions and of sets with commas between them. The set is written to `out`, and closed by `isadl_close`.
///
/// # Safety
///
/// Texts end in a zero; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_open(
    path: *const c_char,
    generation: *const c_char,
    extensions: *const c_char,
    out: *mut *mut isadl_set,
) -> isadl_status {
    guarded(|| {
        argument((!out.is_null()).then_some(()), "`out`")?;
        // SAFETY: as the caller promises.
        unsafe {
            let path = argument(text_of(path), "the path")?;
            let choice = choice(generation, extensions)?;
            opened(Set::open(&[PathBuf::from(path)], &choice), out)
        }
    })
}

/// Opens the bytes of a compiled instruction set. The caller may free them afterwards. See `isadl_open`.
///
/// # Safety
///
/// Texts end in a zero; there are `length` bytes; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_open_bytes(
    bytes: *const u8,
    length: usize,
    generation: *const c_char,
    extensions: *const c_char,
    out: *mut *mut isadl_set,
) -> isadl_status {
    guarded(|| {
        argument((!out.is_null()).then_some(()), "`out`")?;
        // SAFETY: as the caller promises.
        unsafe {
            let choice = choice(generation, extensions)?;
            opened(Set::of_bytes(bytes_of(bytes, length).to_vec(), &choice), out)
        }
    })
}

/// Closes a set; nothing happens with null.
///
/// # Safety
///
/// It was opened, is not closed yet, and not used by another thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_close(set: *mut isadl_set) {
    if !set.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(set) });
    }
}

/// The reason for the last failure in this thread. For a specification with errors, it is the list of all findings.
///
/// # Safety
///
/// `buffer` has `capacity` bytes, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_message(buffer: *mut c_char, capacity: usize) -> usize {
    // SAFETY: as the caller promises.
    MESSAGE.with_borrow(|last| unsafe { fill(last.as_bytes(), buffer, capacity) })
}

/// The name of an instruction set.
///
/// # Safety
///
/// The set is open; `buffer` has `capacity` bytes, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_name(
    set: *const isadl_set,
    buffer: *mut c_char,
    capacity: usize,
) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        let name = set.as_ref().map_or("", |set| set.0.isa().name());
        fill(name.as_bytes(), buffer, capacity)
    }
}

/// The number of opcodes.
///
/// # Safety
///
/// The set is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_opcode_count(set: *const isadl_set) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { set.as_ref() }.map_or(0, |set| set.0.isa().opcodes().len() as u32)
}

/// The name of an opcode; empty if there is none of this number.
///
/// # Safety
///
/// The set is open; `buffer` has `capacity` bytes, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_opcode_name(
    set: *const isadl_set,
    opcode: u32,
    buffer: *mut c_char,
    capacity: usize,
) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        let known = set.as_ref().and_then(|set| set.0.isa().opcodes().get(opcode as usize));
        fill(known.map_or("", |known| &known.name).as_bytes(), buffer, capacity)
    }
}

/// The name of a register file; empty if there is none of this number.
///
/// # Safety
///
/// The set is open; `buffer` has `capacity` bytes, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_register_file_name(
    set: *const isadl_set,
    file: u32,
    buffer: *mut c_char,
    capacity: usize,
) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        let known = set.as_ref().and_then(|set| set.0.isa().reg_files().get(file as usize));
        fill(known.map_or("", |known| &known.name).as_bytes(), buffer, capacity)
    }
}

/// Decodes the instruction at the start of bytes. Nothing is allocated.
///
/// If there is none, `out->length` is the number of bytes after which decoding may go on, and `isadl_reason` says why.
///
/// # Safety
///
/// The set is open; there are `length` bytes; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_decode(
    set: *const isadl_set,
    bytes: *const u8,
    length: usize,
    out: *mut isadl_inst,
) -> isadl_status {
    // SAFETY: as the caller promises.
    let (Some(set), Some(out)) = (unsafe { set.as_ref() }, unsafe { out.as_mut() }) else {
        return isadl_status::Argument;
    };
    // SAFETY: as the caller promises.
    let bytes = unsafe { bytes_of(bytes, length) };
    let decode = || {
        let engine = set.0.engine();
        let (status, word) = match engine.decode_bytes(bytes) {
            Ok((inst, _)) => {
                *out = given(&set.0, inst);
                return Ok(());
            }
            Err(DecodeError::Truncated { .. }) => (isadl_status::Truncated, 0),
            Err(_) => (isadl_status::Unknown, engine.isa().word_layout().word(bytes)),
        };
        let next = engine.length(word).unwrap_or_else(|| engine.isa().shortest());
        let length = next.max(1).min(bytes.len()) as u32;
        *out = isadl_inst { word: [word as u64, (word >> 64) as u64], opcode: u32::MAX, length };
        Err(status)
    };
    guarded(decode)
}

/// Why bytes are not an instruction; empty if they are.
///
/// # Safety
///
/// The set is open; there are `length` bytes; `buffer` has `capacity` bytes, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_reason(
    set: *const isadl_set,
    bytes: *const u8,
    length: usize,
    buffer: *mut c_char,
    capacity: usize,
) -> usize {
    // SAFETY: as the caller promises.
    let (set, bytes) = unsafe { (set.as_ref(), bytes_of(bytes, length)) };
    let reason = || {
        let engine = set.map(|set| set.0.engine())?;
        let error = engine.decode_bytes(bytes).err()?;
        Some(engine.reason(engine.isa().word_layout().word(bytes), error))
    };
    let reason = catch_unwind(AssertUnwindSafe(reason)).ok().flatten().unwrap_or_default();
    // SAFETY: as the caller promises.
    unsafe { fill(reason.as_bytes(), buffer, capacity) }
}

/// The text of an instruction. With an address, distances are written as the addresses that they lead to; `address` may be null.
///
/// # Safety
///
/// The set is open; pointers are null or can be read; `buffer` has `capacity` bytes, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_text(
    set: *const isadl_set,
    inst: *const isadl_inst,
    address: *const u64,
    buffer: *mut c_char,
    capacity: usize,
) -> usize {
    // SAFETY: as the caller promises.
    let (set, inst, address) = unsafe { (set.as_ref(), inst.as_ref(), address.as_ref()) };
    let text = || {
        let set = &set?.0;
        let (inst, mut text) = (known(set, inst?)?, Vec::new());
        let options = TextOptions { address: address.copied(), ..TextOptions::default() };
        set.engine().append_text_with(inst, options, &mut text);
        Some(text)
    };
    let text = catch_unwind(AssertUnwindSafe(text)).ok().flatten().unwrap_or_default();
    // SAFETY: as the caller promises.
    unsafe { fill(&text, buffer, capacity) }
}

/// Assembles a line, in its shortest encoding. `address` is the address of the instruction, or null.
///
/// # Safety
///
/// The set is open; the line ends in a zero; `address` is null or can be read; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_assemble(
    set: *const isadl_set,
    line: *const c_char,
    address: *const u64,
    out: *mut isadl_inst,
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let (set, line, address, out) =
            unsafe { (set.as_ref(), text_of(line), address.as_ref(), out.as_mut()) };
        let (set, line) = (argument(set, "the set")?, argument(line, "the line")?);
        let out = argument(out, "`out`")?;
        let options = TextOptions { address: address.copied(), ..TextOptions::default() };
        let inst = set.0.engine().assemble_with(line, options);
        let inst = inst.map_err(|error| failed(isadl_status::Line, error.to_string()))?;
        *out = given(&set.0, inst);
        Ok(())
    })
}

/// The bytes of an instruction in memory: `inst->length` of them, zeros after them.
///
/// # Safety
///
/// The set is open; `inst` can be read; `out` has 16 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_bytes(
    set: *const isadl_set,
    inst: *const isadl_inst,
    out: *mut [u8; 16],
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let (set, inst, out) = unsafe { (set.as_ref(), inst.as_ref(), out.as_mut()) };
        let set = &argument(set, "the set")?.0;
        let inst = argument(inst.and_then(|inst| known(set, inst)), "the instruction")?;
        *argument(out, "`out`")? = set.engine().bytes(inst);
        Ok(())
    })
}

/// Where execution goes after an instruction.
///
/// # Safety
///
/// The set is open; `inst` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_flow_of(
    set: *const isadl_set,
    inst: *const isadl_inst,
) -> isadl_flow {
    // SAFETY: as the caller promises.
    let (set, inst) = unsafe { (set.as_ref(), inst.as_ref()) };
    let flow = || Some(set?.0.engine().flow_control(known(&set?.0, inst?)?));
    match catch_unwind(AssertUnwindSafe(flow)).ok().flatten() {
        Some(FlowControl::Branch) => isadl_flow::Branch,
        Some(FlowControl::Conditional) => isadl_flow::Conditional,
        Some(FlowControl::Call) => isadl_flow::Call,
        Some(FlowControl::Return) => isadl_flow::Return,
        Some(FlowControl::Indirect) => isadl_flow::Indirect,
        Some(FlowControl::IndirectCall) => isadl_flow::IndirectCall,
        Some(FlowControl::Trap) => isadl_flow::Trap,
        Some(FlowControl::SystemCall) => isadl_flow::SystemCall,
        Some(FlowControl::Abort) => isadl_flow::Abort,
        _ => isadl_flow::Next,
    }
}

/// The first address that an instruction at an address names. Returns whether there is one.
///
/// # Safety
///
/// The set is open; `inst` can be read, `out` written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_target(
    set: *const isadl_set,
    inst: *const isadl_inst,
    address: u64,
    out: *mut u64,
) -> bool {
    // SAFETY: as the caller promises.
    let (set, inst, out) = unsafe { (set.as_ref(), inst.as_ref(), out.as_mut()) };
    let target = || set?.0.engine().target(known(&set?.0, inst?)?, address);
    match (catch_unwind(AssertUnwindSafe(target)).ok().flatten(), out) {
        (Some(target), Some(out)) => {
            *out = target;
            true
        }
        _ => false,
    }
}
