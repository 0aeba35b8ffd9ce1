//! Loads static ELF executables into a memory.
//!
//! A file may contain anything: it is checked before it is used, and what it asks for is limited by its own size and by the memory.

use std::fmt;
use std::ops::Range;

use isadl::isa::Isa;
use object::read::elf::{ElfFile, FileHeader, ProgramHeader, Sym as _};
use object::{Endianness, Object as _, ObjectSymbol as _, elf};

use crate::memory::{Access, Memory, PAGE};

/// The most bytes of names that are kept of a file, and of one name. A file could name one long text very often.
const MAX_NAMES: usize = 1 << 26;
const MAX_NAME: usize = 1 << 10;

/// Why a program cannot be loaded or started: a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    /// An error with a text.
    pub fn new(text: impl Into<String>) -> Error {
        Error(text.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// The lowest address of a program: below it is nothing, so that accesses through null pointers fail.
pub const LOWEST: u64 = 0x1_0000;

/// A program in memory.
#[derive(Debug, Clone)]
pub struct Image {
    /// The address of the first instruction.
    pub entry: u64,
    /// The lowest address that it occupies.
    pub start: u64,
    /// The address behind the highest.
    pub end: u64,
    /// By how much its addresses differ from those in the file.
    pub bias: u64,
    /// Bytes in an address: 4 or 8.
    pub word: u32,
    /// The address of the program headers, if they are in memory.
    pub headers: Option<u64>,
    /// Bytes in a program header.
    pub header_size: u64,
    /// How many program headers there are.
    pub header_count: u64,
    /// Its functions and data with names, by ascending addresses.
    pub symbols: Vec<Symbol>,
}

impl Image {
    /// The symbol that an address belongs to, or the last one before it.
    pub fn symbol_at(&self, address: u64) -> Option<&Symbol> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        self.symbols[..after].last()
    }

    /// The address of the symbol with a name.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        self.symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address)
    }
}

/// A function or datum with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its address in memory.
    pub address: u64,
    /// Bytes; 0 if they are not known.
    pub size: u64,
    /// Its name.
    pub name: String,
}

/// A part of a file that is in memory.
struct Segment<'d> {
    /// Its addresses, without the bias.
    range: Range<u64>,
    /// What the file has of it; the rest is 0.
    bytes: &'d [u8],
    /// Where this is in the file.
    offset: u64,
    access: Access,
}

/// Loads a static executable, or one that may be anywhere and moves itself, for an instruction set. Nothing of the memory was used before.
///
/// # Errors
///
/// If the file is malformed, incomplete, for another machine, not executable, dynamically linked, or larger than the memory. Then some
/// of it may be in the memory.
pub fn load(bytes: &[u8], isa: &Isa, memory: &mut Memory) -> Result<Image, Error> {
    if !bytes.starts_with(&elf::ELFMAG) {
        return Err(Error::new("the file is not an ELF file"));
    }
    let own = isa.elf().class();
    let class = match bytes.get(4) {
        Some(1) => 32,
        Some(2) => 64,
        _ => return Err(Error::new("the ELF file has neither 32 nor 64 bits")),
    };
    if isa.elf().machine().is_none() {
        let text = format!("{} does not say which ELF files are for it", isa.name());
        return Err(Error::new(text));
    }
    if class != own {
        let text = format!("the file is for {class} bits, and {} has {own}", isa.name());
        return Err(Error::new(text));
    }
    match class {
        32 => read::<elf::FileHeader32<Endianness>>(bytes, isa, memory),
        _ => read::<elf::FileHeader64<Endianness>>(bytes, isa, memory),
    }
}

fn read<H: FileHeader<Endian = Endianness>>(
    bytes: &[u8],
    isa: &Isa,
    memory: &mut Memory,
) -> Result<Image, Error> {
    let malformed = |error: object::read::Error| {
        Error::new(format!("the ELF file is malformed or incomplete: {error}"))
    };
    let file = ElfFile::<H>::parse(bytes).map_err(malformed)?;
    let (header, endian) = (file.elf_header(), file.endian());
    if endian != Endianness::Little {
        return Err(Error::new("the file has the highest byte of numbers first"));
    }
    let machine = header.e_machine(endian).0;
    if let Some(own) = isa.elf().machine().filter(|own| *own != machine) {
        let text =
            format!("the file is for machine {machine}, and {} is machine {own}", isa.name());
        return Err(Error::new(text));
    }
    let is_movable = match header.e_type(endian) {
        elf::ET_EXEC => false,
        elf::ET_DYN => true,
        elf::ET_REL => return Err(Error::new("the file is an object that was not linked")),
        _ => return Err(Error::new("the file is not an executable")),
    };
    let headers = header.program_headers(endian, bytes).map_err(malformed)?;
    if headers.iter().any(|one| one.p_type(endian) == elf::PT_INTERP) {
        let text = "the program is dynamically linked; link it with `-static`";
        return Err(Error::new(text));
    }
    let segments = segments(headers, endian, bytes)?;
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
        return Err(Error::new("nothing of the file is to be loaded"));
    };
    let lowest = first.range.start & !(PAGE - 1);
    let aligned = headers.iter().filter(|one| one.p_type(endian) == elf::PT_LOAD);
    let alignments: Vec<u64> = aligned.map(|one| one.p_align(endian).into()).collect();
    let bias = if is_movable { bias(lowest, &alignments, memory)? } else { 0 };
    let range = move_by(&(lowest..last.range.end), bias)?;
    if range.start < memory.start() || range.end > memory.end() {
        return Err(Error::new(format!(
            "the program needs the addresses from {:#x} to {:#x}, and memory is from {:#x} to {:#x}",
            range.start,
            range.end,
            memory.start(),
            memory.end()
        )));
    }
    for segment in &segments {
        place(segment, bias, memory)?;
    }
    let entry = header.e_entry(endian).into().wrapping_add(bias);
    if !memory.access(entry).allows(Access::EXECUTE) {
        let text = format!("the program begins at {entry:#x}, where no instructions are");
        return Err(Error::new(text));
    }
    let word = if header.is_type_64() { 8 } else { 4 };
    Ok(Image {
        entry,
        start: range.start,
        end: range.end,
        bias,
        word,
        headers: headers_in_memory::<H>(header, headers, &segments, endian)
            .map(|address| address.wrapping_add(bias)),
        header_size: header.e_phentsize(endian).into(),
        header_count: headers.len() as u64,
        symbols: symbols(&file, bias, isa.elf().marks.as_ref()),
    })
}

/// The segments that are loaded, by ascending addresses. None is empty, and none begins before the last one ends.
fn segments<'d, P: ProgramHeader<Endian = Endianness>>(
    headers: &[P],
    endian: Endianness,
    bytes: &'d [u8],
) -> Result<Vec<Segment<'d>>, Error> {
    let mut found: Vec<Segment<'d>> = Vec::new();
    for header in headers.iter().filter(|one| one.p_type(endian) == elf::PT_LOAD) {
        let (start, size): (u64, u64) =
            (header.p_vaddr(endian).into(), header.p_memsz(endian).into());
        if size == 0 {
            continue;
        }
        let outside = || Error::new("a part of the program is not whole in the file");
        let inside = header.data(endian, bytes).map_err(|()| outside())?;
        if inside.len() as u64 > size {
            return Err(Error::new("a part of the program is larger in the file than in memory"));
        }
        let end = start.checked_add(size).filter(|end| *end < u64::MAX - PAGE);
        let end = end.ok_or_else(|| Error::new("a part of the program is beyond all addresses"))?;
        let flags = header.p_flags(endian).0;
        let allowed = [
            (elf::PF_R.0, Access::READ),
            (elf::PF_W.0, Access::WRITE),
            (elf::PF_X.0, Access::EXECUTE),
        ];
        let given = allowed.into_iter().filter(|(flag, _)| flags & flag != 0);
        let access = given.fold(Access::NONE, |all, (_, access)| all.or(access));
        let offset = header.p_offset(endian).into();
        found.push(Segment { range: start..end, bytes: inside, offset, access });
    }
    found.sort_by_key(|segment| segment.range.start);
    if found.windows(2).any(|pair| pair[0].range.end > pair[1].range.start) {
        return Err(Error::new("two parts of the program are at the same address"));
    }
    Ok(found)
}

/// By how much a file is moved that may be anywhere.
fn bias(lowest: u64, alignments: &[u64], memory: &Memory) -> Result<u64, Error> {
    if alignments.iter().any(|one| *one != 0 && !one.is_power_of_two()) {
        return Err(Error::new("the alignment of the program is not a power of two"));
    }
    let align = alignments.iter().copied().fold(PAGE, u64::max);
    let wanted = memory.start().max(LOWEST).max(lowest);
    // The distance is a multiple of the alignment.
    let distance = (wanted - lowest).checked_next_multiple_of(align);
    distance.ok_or_else(|| Error::new("the alignment of the program is too large"))
}

fn move_by(range: &Range<u64>, bias: u64) -> Result<Range<u64>, Error> {
    let moved = |at: u64| at.checked_add(bias);
    match (moved(range.start), moved(range.end)) {
        (Some(start), Some(end)) => Ok(start..end),
        _ => Err(Error::new("the program is beyond all addresses")),
    }
}

/// Writes a segment. Pages that it shares with another allow what either needs.
fn place(segment: &Segment<'_>, bias: u64, memory: &mut Memory) -> Result<(), Error> {
    let range = move_by(&segment.range, bias)?;
    let outside = |_| Error::new("the program does not fit into memory");
    let shared = [range.start, range.end - 1].map(|at| (at & !(PAGE - 1), memory.access(at)));
    memory.protect(range.clone(), segment.access).map_err(outside)?;
    for (page, before) in shared {
        memory.protect(page..page + PAGE, segment.access.or(before)).map_err(outside)?;
    }
    memory.write_anyway(range.start, segment.bytes).map_err(outside)
}

/// The address of the program headers, without the bias: what a header says, or that of the segment they are in.
fn headers_in_memory<H: FileHeader<Endian = Endianness>>(
    header: &H,
    headers: &[H::ProgramHeader],
    segments: &[Segment<'_>],
    endian: Endianness,
) -> Option<u64> {
    let said = headers.iter().find(|one| one.p_type(endian) == elf::PT_PHDR);
    if let Some(said) = said {
        return Some(said.p_vaddr(endian).into());
    }
    let offset: u64 = header.e_phoff(endian).into();
    segments.iter().find_map(|segment| {
        let inside = offset.checked_sub(segment.offset)?;
        (inside < segment.bytes.len() as u64).then(|| segment.range.start + inside)
    })
}

/// The functions and data of a file, without the marks of code and data.
fn symbols<H: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'_, H>,
    bias: u64,
    marks: Option<&[String; 2]>,
) -> Vec<Symbol> {
    let is_mark = |name: &str| marks.is_some_and(|all| all.iter().any(|one| name.starts_with(one)));
    let mut found = Vec::new();
    let mut left = MAX_NAMES;
    for symbol in file.symbols() {
        let kind = symbol.elf_symbol().st_type();
        let name = symbol.name_bytes().unwrap_or(b"");
        let is_place = [elf::STT_NOTYPE, elf::STT_OBJECT, elf::STT_FUNC].contains(&kind);
        if symbol.is_undefined() || !is_place || name.is_empty() || name.len() > MAX_NAME {
            continue;
        }
        let name = String::from_utf8_lossy(name).into_owned();
        if is_mark(&name) {
            continue;
        }
        let Some(rest) = left.checked_sub(name.len()) else { break };
        left = rest;
        let address = symbol.address().wrapping_add(bias);
        found.push(Symbol { address, size: symbol.size(), name });
    }
    found.sort_by_key(|symbol| symbol.address);
    found
}
