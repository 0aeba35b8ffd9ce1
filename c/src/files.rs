//! Files of machine code, programs in assembly language, explanations.

use std::ffi::{CString, c_char};

use isadl_bindings::{Section, assemble_program, sections};

use crate::text::owned;
use crate::{argument, bytes_of, failed, guarded, isadl_set, isadl_status, text_of};

/// An ELF file.
#[allow(non_camel_case_types)]
pub struct isadl_elf(Vec<Own>);

/// A section with texts of C.
struct Own {
    section: Section,
    name: CString,
    symbols: Vec<CString>,
}

/// A section of an ELF file. Its name and bytes are there until the file is closed.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct isadl_section {
    /// Its name.
    pub name: *const c_char,
    /// The address of its first byte.
    pub address: u64,
    /// Whether it contains instructions.
    pub is_code: bool,
    /// Its bytes.
    pub bytes: *const u8,
    /// How many bytes.
    pub length: usize,
    /// How many symbols `isadl_elf_symbol` has of it.
    pub symbol_count: usize,
}

/// A symbol of an ELF file.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct isadl_symbol {
    /// Its name, which is there until the file is closed.
    pub name: *const c_char,
    /// Its address.
    pub address: u64,
}

/// Reads the sections of an ELF file that have bytes. The caller may free the bytes of the file afterwards; `isadl_elf_close` closes it.
///
/// # Safety
///
/// The set is open; there are `length` bytes; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_elf_open(
    set: *const isadl_set,
    file: *const u8,
    length: usize,
    out: *mut *mut isadl_elf,
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let (set, file) = unsafe { (set.as_ref(), bytes_of(file, length)) };
        let set = argument(set, "the set")?;
        argument((!out.is_null()).then_some(()), "`out`")?;
        let found = sections(&set.0, file).map_err(|why| failed(isadl_status::File, why))?;
        let own = found.into_iter().map(|section| Own {
            name: owned(&section.name),
            symbols: section.symbols.iter().map(|(_, name)| owned(name)).collect(),
            section,
        });
        // SAFETY: as the caller promises.
        unsafe { *out = Box::into_raw(Box::new(isadl_elf(own.collect()))) };
        Ok(())
    })
}

/// Closes an ELF file; nothing happens with null.
///
/// # Safety
///
/// It is not closed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_elf_close(file: *mut isadl_elf) {
    if !file.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(file) });
    }
}

/// A section, by its number from 0. Returns whether there is one.
///
/// # Safety
///
/// The file is open; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_elf_section(
    file: *const isadl_elf,
    number: usize,
    out: *mut isadl_section,
) -> bool {
    // SAFETY: as the caller promises.
    let (file, out) = unsafe { (file.as_ref(), out.as_mut()) };
    let (Some(own), Some(out)) = (file.and_then(|file| file.0.get(number)), out) else {
        return false;
    };
    *out = isadl_section {
        name: own.name.as_ptr(),
        address: own.section.address,
        is_code: own.section.is_code,
        bytes: own.section.bytes.as_ptr(),
        length: own.section.bytes.len(),
        symbol_count: own.symbols.len(),
    };
    true
}

/// A symbol of a section, by its number from 0, in order of addresses. Returns whether there is one.
///
/// # Safety
///
/// The file is open; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_elf_symbol(
    file: *const isadl_elf,
    section: usize,
    number: usize,
    out: *mut isadl_symbol,
) -> bool {
    // SAFETY: as the caller promises.
    let (file, out) = unsafe { (file.as_ref(), out.as_mut()) };
    let own = file.and_then(|file| file.0.get(section));
    let found =
        own.and_then(|own| Some((own.symbols.get(number)?, own.section.symbols.get(number)?)));
    match (found, out) {
        (Some((name, (address, _))), Some(out)) => {
            *out = isadl_symbol { name: name.as_ptr(), address: *address };
            true
        }
        _ => false,
    }
}

/// Bytes that a function made; `isadl_bytes_free` frees them.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct isadl_owned_bytes {
    /// The bytes, with a zero after the last.
    pub bytes: *mut u8,
    /// How many, without that zero.
    pub length: usize,
}

/// Gives bytes to C.
///
/// # Safety
///
/// `out` can be written.
unsafe fn give(mut bytes: Vec<u8>, out: *mut isadl_owned_bytes) {
    let length = bytes.len();
    bytes.push(0);
    let bytes = Box::into_raw(bytes.into_boxed_slice()).cast::<u8>();
    // SAFETY: as the caller promises.
    unsafe { *out = isadl_owned_bytes { bytes, length } };
}

/// Frees bytes; nothing happens with null.
///
/// # Safety
///
/// A function of this library made them, and they are not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_bytes_free(bytes: isadl_owned_bytes) {
    if !bytes.bytes.is_null() {
        let all = std::ptr::slice_from_raw_parts_mut(bytes.bytes, bytes.length + 1);
        // SAFETY: as the caller promises, and with the zero it has the length that `give` gave it.
        drop(unsafe { Box::from_raw(all) });
    }
}

/// Assembles a program: with `address` null to an ELF object for a linker, else to the bytes in memory from that address on.
///
/// `name` is the name of the file for messages. If there are errors, `isadl_message` has all of them.
///
/// # Safety
///
/// The set is open; texts end in a zero; `address` is null or can be read; `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_assemble_program(
    set: *const isadl_set,
    name: *const c_char,
    text: *const c_char,
    address: *const u64,
    out: *mut isadl_owned_bytes,
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let (set, name, text, address) =
            unsafe { (set.as_ref(), text_of(name), text_of(text), address.as_ref()) };
        let (set, name) = (argument(set, "the set")?, argument(name, "the name")?);
        let text = argument(text, "the program")?;
        argument((!out.is_null()).then_some(()), "`out`")?;
        let bytes = assemble_program(&set.0, name, text, address.copied());
        let bytes = bytes.map_err(|errors| failed(isadl_status::Line, errors))?;
        // SAFETY: as the caller promises.
        unsafe { give(bytes, out) };
        Ok(())
    })
}

/// What the bits of a word mean: the JSON that `isadl decode --format json` prints. `word` has two pieces of 64 bits, the lower first.
///
/// # Safety
///
/// The set is open; both pieces can be read, `out` written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_explain(
    set: *const isadl_set,
    word: *const u64,
    out: *mut isadl_owned_bytes,
) -> isadl_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        let (set, word) = unsafe { (set.as_ref(), word.cast::<[u64; 2]>().as_ref()) };
        let (set, [low, high]) = (argument(set, "the set")?, *argument(word, "the word")?);
        argument((!out.is_null()).then_some(()), "`out`")?;
        let text = set.0.explain(u128::from(low) | u128::from(high) << 64);
        let text = text.map_err(|why| failed(isadl_status::Specification, why))?;
        // SAFETY: as the caller promises.
        unsafe { give(text.into_bytes(), out) };
        Ok(())
    })
}
