//! Files with machine code.

use isadl::isa::Isa;
use object::read::elf::{ElfFile, FileHeader, Sym as _};
use object::{
    Endianness, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags,
    RelocationTarget, SectionFlags, SectionIndex, elf,
};

use super::names::{Name, Names};

/// A file with machine code.
#[derive(Debug)]
pub struct Code<'d> {
    /// Its sections in memory, in the order of the file.
    pub sections: Vec<CodeSection<'d>>,
    pub(super) names: Names,
    /// Whether addresses are known. In a file that was not linked, each section begins at 0.
    pub is_linked: bool,
}

/// A section of memory.
#[derive(Debug)]
pub struct CodeSection<'d> {
    /// Its name; empty for bytes alone.
    pub name: String,
    /// The address of its first byte.
    pub address: u64,
    /// Bytes in memory.
    pub size: u64,
    /// Its bytes; none if all are 0 and the file does not have them.
    pub bytes: &'d [u8],
    /// Whether the processor may execute it.
    pub is_code: bool,
    /// The relocations that linkers resolve, by ascending offset.
    pub relocations: Vec<CodeReloc>,
}

/// A relocation that a linker resolves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeReloc {
    /// Where, in bytes from the beginning of the section.
    pub offset: u64,
    /// The number of the relocation in ELF files.
    pub number: u32,
    /// The name of the symbol or section; empty without a symbol.
    pub symbol: String,
    /// The number added to its address.
    pub addend: i64,
}

impl<'d> Code<'d> {
    /// Whether bytes are an ELF file.
    pub fn is_elf(bytes: &[u8]) -> bool {
        bytes.starts_with(&elf::ELFMAG)
    }

    /// Bytes alone, from an address on.
    pub fn raw(bytes: &'d [u8], address: u64) -> Code<'d> {
        let (name, relocations, size) = (String::new(), Vec::new(), bytes.len() as u64);
        let section = CodeSection { name, address, size, bytes, is_code: true, relocations };
        Code { sections: vec![section], names: Names::default(), is_linked: true }
    }

    /// Reads an ELF file, of 32 or 64 bits and either order of bytes. Instructions are in the order of the specification.
    ///
    /// # Errors
    ///
    /// Where the file is not whole, or is for another machine than the specification says.
    pub fn elf(bytes: &'d [u8], isa: &Isa) -> Result<Code<'d>, String> {
        match bytes.get(4) {
            Some(1) => read::<elf::FileHeader32<Endianness>>(bytes, isa),
            _ => read::<elf::FileHeader64<Endianness>>(bytes, isa),
        }
    }
}

fn read<'d, H: FileHeader<Endian = Endianness>>(
    bytes: &'d [u8],
    isa: &Isa,
) -> Result<Code<'d>, String> {
    let whole =
        |error: object::read::Error| format!("the ELF file is malformed or incomplete: {error}");
    let file = ElfFile::<H>::parse(bytes).map_err(whole)?;
    let machine = file.elf_header().e_machine(file.endian()).0;
    if let Some(own) = isa.elf().machine().filter(|own| *own != machine) {
        let name = isa.name();
        return Err(format!("the file is for machine {machine}, and {name} is machine {own}"));
    }
    let is_linked = file.elf_header().e_type(file.endian()) != elf::ET_REL;
    let mut names = Names::new(isa.elf().marks.clone());
    let mut sections = Vec::new();
    let mut places = Vec::new();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
        // Thread-local storage is elsewhere in memory.
        let is_of_threads = sh_flags.0 & elf::SHF_TLS.0 != 0;
        if sh_flags.0 & elf::SHF_ALLOC.0 == 0 || is_of_threads || section.size() == 0 {
            continue;
        }
        places.push((section.index(), sections.len()));
        sections.push(CodeSection {
            name: String::from_utf8_lossy(section.name_bytes().map_err(whole)?).into_owned(),
            address: section.address(),
            size: section.size(),
            bytes: section.data().map_err(whole)?,
            is_code: sh_flags.0 & elf::SHF_EXECINSTR.0 != 0,
            relocations: Vec::new(),
        });
    }
    let place =
        |index: SectionIndex| places.iter().find(|(own, _)| *own == index).map(|(_, place)| *place);
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        let Some(section) = symbol.section_index().and_then(place) else { continue };
        let (kind, name) = (symbol.elf_symbol().st_type().0, symbol.name_bytes().unwrap_or(b""));
        // Sections and files have names of their own.
        let is_place =
            kind != elf::STT_SECTION.0 && kind != elf::STT_FILE.0 && kind != elf::STT_TLS.0;
        if name.is_empty() || !is_place {
            continue;
        }
        let text = String::from_utf8_lossy(name).into_owned();
        let rank = if kind > elf::STT_FUNC.0 { 0 } else { kind };
        names.add((section, symbol.address()), Name { text, rank }, symbol.is_local());
    }
    names.finish();
    for section in file.sections() {
        let Some(at) = place(section.index()) else { continue };
        let mut found = Vec::new();
        for (offset, one) in section.relocations() {
            let RelocationFlags::Elf { r_type } = one.flags() else { continue };
            let symbol = match one.target() {
                RelocationTarget::Symbol(index) => named(&file, index),
                _ => String::new(),
            };
            found.push(CodeReloc { offset, number: r_type.0, symbol, addend: one.addend() });
        }
        found.sort_by_key(|one| one.offset);
        sections[at].relocations = found;
    }
    Ok(Code { sections, names, is_linked })
}

/// The name of a symbol, or of its section.
fn named<H: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'_, H>,
    index: object::SymbolIndex,
) -> String {
    let Ok(symbol) = file.symbol_by_index(index) else { return String::new() };
    let own = symbol.name_bytes().ok().filter(|name| !name.is_empty());
    let section = || {
        let section = file.section_by_index(symbol.section_index()?).ok()?;
        section.name_bytes().ok()
    };
    String::from_utf8_lossy(own.or_else(section).unwrap_or(b"")).into_owned()
}
