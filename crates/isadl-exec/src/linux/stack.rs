//! What is on the stack of a program when it begins: arguments, variables, and what it needs to know of the system.
//!
//! From the stack pointer on: the number of arguments, pointers to them, 0, pointers to variables, 0, pairs of words (the auxiliary
//! vector), and above these the texts.

use std::ops::Range;

use super::{Linux, USER};
use crate::load::{Error, Image};
use crate::memory::{Access, Memory, PAGE};

// `include/uapi/linux/auxvec.h`.
const AT_NULL: u64 = 0;
const AT_PHDR: u64 = 3;
const AT_PHENT: u64 = 4;
const AT_PHNUM: u64 = 5;
const AT_PAGESZ: u64 = 6;
const AT_BASE: u64 = 7;
const AT_FLAGS: u64 = 8;
const AT_ENTRY: u64 = 9;
const AT_UID: u64 = 11;
const AT_EUID: u64 = 12;
const AT_GID: u64 = 13;
const AT_EGID: u64 = 14;
const AT_HWCAP: u64 = 16;
const AT_CLKTCK: u64 = 17;
const AT_SECURE: u64 = 23;
const AT_RANDOM: u64 = 25;
const AT_EXECFN: u64 = 31;

/// The addresses of the stack: the highest of the memory.
pub(super) fn range(memory: &Memory, image: &Image, size: u64) -> Result<Range<u64>, Error> {
    let size = size.max(PAGE).checked_next_multiple_of(PAGE);
    let start = size.and_then(|size| memory.end().checked_sub(size));
    // A page stays free below it.
    let start = start.filter(|start| start.checked_sub(PAGE).is_some_and(|end| end >= image.end));
    match start {
        Some(start) if start >= memory.start() => Ok(start..memory.end()),
        _ => Err(Error::new("the memory is too small for the program and its stack")),
    }
}

/// The path of a program, as it sees it.
pub(super) fn path(args: &[Vec<u8>]) -> Vec<u8> {
    let name = args.first().map_or(&b"program"[..], Vec::as_slice);
    match name.starts_with(b"/") {
        true => name.to_vec(),
        false => [b"/", name].concat(),
    }
}

/// Makes the stack of a program, and returns the stack pointer.
pub(super) fn make(
    linux: &mut Linux,
    memory: &mut Memory,
    image: &Image,
    args: &[Vec<u8>],
    stack: Range<u64>,
) -> Result<u64, Error> {
    let settings = &linux.settings;
    if args.iter().chain(&settings.variables).any(|text| text.contains(&0)) {
        return Err(Error::new("an argument contains a zero byte"));
    }
    let outside = |_| Error::new("the stack does not fit into memory");
    memory.protect(stack.clone(), Access::READ_WRITE).map_err(outside)?;
    let mut texts = Texts { end: stack.end - 16, start: stack.start, parts: Vec::new() };
    let name = texts.text(&linux.executable)?;
    let arguments =
        args.iter().map(|text| texts.text(text)).collect::<Result<Vec<u64>, Error>>()?;
    let variables = settings.variables.iter().map(|text| texts.text(text));
    let variables = variables.collect::<Result<Vec<u64>, Error>>()?;
    let random = texts.add(linux.random.bytes(16))?;
    let settings = &linux.settings;
    let user = u64::from(USER);
    let mut pairs = vec![
        (AT_PAGESZ, PAGE),
        (AT_BASE, 0),
        (AT_FLAGS, 0),
        (AT_ENTRY, image.entry),
        (AT_UID, user),
        (AT_EUID, user),
        (AT_GID, user),
        (AT_EGID, user),
        (AT_HWCAP, settings.capabilities),
        (AT_CLKTCK, 100),
        (AT_SECURE, 0),
        (AT_RANDOM, random),
        (AT_EXECFN, name),
        (AT_NULL, 0),
    ];
    if let Some(headers) = image.headers {
        let of_headers =
            [(AT_PHDR, headers), (AT_PHENT, image.header_size), (AT_PHNUM, image.header_count)];
        pairs.splice(0..0, of_headers);
    }
    let mut words = vec![args.len() as u64];
    words.extend(arguments.into_iter().chain([0]).chain(variables).chain([0]));
    words.extend(pairs.into_iter().flat_map(|(key, value)| [key, value]));
    let word = settings.word as usize;
    let bytes: Vec<u8> =
        words.iter().flat_map(|value| value.to_le_bytes().into_iter().take(word)).collect();
    let pointer = texts.end.checked_sub(bytes.len() as u64).map(|at| at & !15);
    let pointer = pointer.filter(|at| *at >= stack.start).ok_or_else(too_large)?;
    texts.parts.push((pointer, bytes));
    for (address, bytes) in texts.parts {
        memory.write(address, &bytes).map_err(outside)?;
    }
    Ok(pointer)
}

fn too_large() -> Error {
    Error::new("the arguments are too large for the stack")
}

/// The texts at the top of a stack.
struct Texts {
    /// Where the last one begins.
    end: u64,
    /// Where the stack begins.
    start: u64,
    parts: Vec<(u64, Vec<u8>)>,
}

impl Texts {
    /// Adds bytes below the others, and returns their address.
    fn add(&mut self, bytes: Vec<u8>) -> Result<u64, Error> {
        let at = self.end.checked_sub(bytes.len() as u64).filter(|at| *at >= self.start);
        self.end = at.ok_or_else(too_large)?;
        self.parts.push((self.end, bytes));
        Ok(self.end)
    }

    /// Adds a text with a zero at its end.
    fn text(&mut self, text: &[u8]) -> Result<u64, Error> {
        self.add([text, &[0]].concat())
    }
}
