//! Object files as text, for comparing the objects of two assemblers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader as _, Rela as _, SectionHeader as _, Sym as _};

/// Sections with bytes, relocations and symbols that linkers see. Names of local symbols are left out: relocations tell the
/// places that they name.
pub(super) fn summary(bytes: &[u8]) -> String {
    let header = FileHeader64::<Endianness>::parse(bytes).expect("an ELF file");
    let endian = header.endian().expect("an order of bytes");
    let sections = header.sections(endian, bytes).expect("sections");
    let symbols = sections.symbols(endian, bytes, elf::SHT_SYMTAB).expect("symbols");
    let section_name = |index: usize| {
        let section = sections.iter().nth(index).expect("a section");
        let name = sections.section_name(endian, section).expect("a name");
        String::from_utf8_lossy(name).into_owned()
    };
    let named = |index: usize, addend: i64| {
        if index == 0 {
            return format!("nothing + {addend}");
        }
        let symbol = symbols.symbol(object::SymbolIndex(index)).expect("a symbol");
        let name = String::from_utf8_lossy(symbols.symbol_name(endian, symbol).expect("a name"));
        let place = symbol.st_shndx(endian).0;
        match symbol.st_bind() == elf::STB_LOCAL && place < 0xff00 {
            true => {
                let offset = symbol.st_value(endian).wrapping_add_signed(addend);
                format!("{}+{offset:#x}", section_name(place.into()))
            }
            false => format!("{name} + {addend}"),
        }
    };
    let mut text =
        format!("machine {} flags {:#x}\n", header.e_machine(endian).0, header.e_flags(endian).0);
    for (index, section) in sections.iter().enumerate() {
        let is_memory = section.sh_flags(endian).0 & elf::SHF_ALLOC.0 != 0;
        if !is_memory || section.sh_size(endian) == 0 {
            continue;
        }
        let (flags, size) = (section.sh_flags(endian).0, section.sh_size(endian));
        let (align, kind) = (section.sh_addralign(endian), section.sh_type(endian).0);
        let _ = writeln!(
            text,
            "section {} type {kind} flags {flags:#x} align {align} size {size}",
            section_name(index)
        );
        if flags & elf::SHF_LINK_ORDER.0 != 0 {
            let link = section_name(section.sh_link(endian) as usize);
            let _ = writeln!(text, "  linked to {link}");
        }
        let data = section.data(endian, bytes).expect("bytes");
        for line in data.chunks(32) {
            let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = writeln!(text, "  {}", hex.concat());
        }
        for other in sections.iter() {
            let found = other.rela(endian, bytes).expect("relocations");
            let Some((all, _)) = found.filter(|_| other.sh_info(endian) as usize == index) else {
                continue;
            };
            let mut lines: Vec<(u64, String)> = Vec::new();
            for one in all {
                let (sym, kind) = (one.r_sym(endian, false), one.r_type(endian, false).0);
                let (offset, addend) = (one.r_offset(endian), one.r_addend(endian));
                let name = named(sym as usize, addend);
                lines.push((offset, format!("  relocation {offset:#x} type {kind} {name}\n")));
            }
            lines.sort_by_key(|line| line.0);
            text.extend(lines.into_iter().map(|line| line.1));
        }
    }
    text + &globals((endian, &symbols), section_name)
}

type Symbols<'d> = object::read::elf::SymbolTable<'d, FileHeader64<Endianness>>;

fn globals(
    (endian, symbols): (Endianness, &Symbols<'_>),
    section_name: impl Fn(usize) -> String,
) -> String {
    let mut lines = Vec::new();
    for symbol in symbols.symbols() {
        if symbol.st_bind() == elf::STB_LOCAL {
            continue;
        }
        let name = symbols.symbol_name(endian, symbol).expect("a name");
        let place = match symbol.st_shndx(endian).0 {
            0 => "undefined".to_string(),
            0xfff1 => "absolute".to_string(),
            0xfff2 => "common".to_string(),
            index => section_name(index.into()),
        };
        lines.push(format!(
            "symbol {} {place} {:#x} size {} info {:#x} other {:#x}\n",
            String::from_utf8_lossy(name),
            symbol.st_value(endian),
            symbol.st_size(endian),
            symbol.st_info().0,
            symbol.st_other().0,
        ));
    }
    lines.sort();
    lines.concat()
}

/// The bytes of sections by their names.
pub(super) fn sections(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let header = FileHeader64::<Endianness>::parse(bytes).expect("an ELF file");
    let endian = header.endian().expect("an order of bytes");
    let sections = header.sections(endian, bytes).expect("sections");
    let own = sections.iter().map(|section| {
        let name = sections.section_name(endian, section).expect("a name");
        let data = section.data(endian, bytes).expect("bytes");
        (String::from_utf8_lossy(name).into_owned(), data.to_vec())
    });
    own.collect()
}

/// The offsets of all symbols by their names.
pub(super) fn labels(bytes: &[u8]) -> BTreeMap<String, u64> {
    let header = FileHeader64::<Endianness>::parse(bytes).expect("an ELF file");
    let endian = header.endian().expect("an order of bytes");
    let sections = header.sections(endian, bytes).expect("sections");
    let symbols = sections.symbols(endian, bytes, elf::SHT_SYMTAB).expect("symbols");
    let own = symbols.symbols().iter().map(|symbol| {
        let name = symbols.symbol_name(endian, symbol).expect("a name");
        (String::from_utf8_lossy(name).into_owned(), symbol.st_value(endian))
    });
    own.collect()
}
