//! ELF: relocatable objects.

use isadl::isa::{ExtensionSet, Isa};
use object::Endianness;
use object::elf::{
    ET_REL, FileFlags, Machine, OsAbi, RelocationType, SHF_ALLOC, SHF_EXECINSTR, SHF_GROUP,
    SHF_MERGE, SHF_STRINGS, SHF_TLS, SHF_WRITE, SHN_ABS, SHN_COMMON, SHN_UNDEF, SHT_NOBITS,
    SHT_PROGBITS, STB_GLOBAL, STB_LOCAL, STB_WEAK, STT_FILE, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE,
    STT_OBJECT, STT_SECTION, STT_TLS, STV_DEFAULT, STV_HIDDEN, STV_INTERNAL, STV_PROTECTED,
    SectionFlags, SectionType, SymbolInfo, SymbolOther,
};
use object::write::StringId;
use object::write::elf::{FileHeader, Rel, SectionHeader, SectionIndex, Sym, SymbolIndex, Writer};

use crate::object::{Object, ObjectSection, ObjectSymbol, SymbolPlace};
use crate::symbols::{Binding, SymbolKind, Visibility};

use super::groups::Groups;

/// A section on its way into a file.
pub(super) struct Placed<'o> {
    pub(super) section: &'o ObjectSection,
    name: StringId,
    pub(super) index: SectionIndex,
    offset: u64,
    pub(super) relocations: Option<(StringId, u64)>,
}

/// An object as an ELF file, for implementations with a set of extensions.
///
/// # Errors
///
/// Where the specification does not give the number of the machine, or the file cannot be written.
pub fn elf(object: &Object, isa: &Isa, set: ExtensionSet) -> Result<Vec<u8>, String> {
    let facts = isa.elf();
    let machine = facts.machine().ok_or_else(|| {
        let name = isa.name();
        format!("the specification of {name} does not describe ELF files; add `Elf<machine> = …;`")
    })?;
    let endian = if isa.word_layout().is_big() { Endianness::Big } else { Endianness::Little };
    let mut bytes = Vec::new();
    let mut writer = Writer::new(endian, facts.class() == 64, &mut bytes);
    writer.reserve_file_header();
    let names: Vec<(String, String)> = (object.sections.iter())
        .map(|section| (section.name.clone(), format!(".rela{}", section.name)))
        .collect();
    let mut placed = Vec::new();
    writer.reserve_null_section_index();
    let mut groups = Groups::of(object, (isa.word_layout().is_big(), facts.class() == 64));
    groups.reserve_indices(&mut writer);
    for (section, (name, of_relocations)) in object.sections.iter().zip(&names) {
        let index = writer.reserve_section_index();
        let name = writer.add_section_name(name.as_bytes());
        let mut own = Placed { section, name, index, offset: 0, relocations: None };
        if !section.relocations.is_empty() {
            writer.reserve_section_index();
            let name = writer.add_section_name(of_relocations.as_bytes());
            own.relocations = Some((name, 0));
        }
        placed.push(own);
    }
    for own in &mut placed {
        own.offset = writer.reserve(own.section.bytes.len() as u64, own.section.align.min(4096));
    }
    groups.reserve(&mut writer, &placed);
    let order = reserve_symbols(&mut writer, (object, &placed));
    writer.reserve_symtab_section_index();
    writer.reserve_symtab();
    if writer.symtab_shndx_needed() {
        writer.reserve_symtab_shndx_section_index();
    }
    writer.reserve_symtab_shndx();
    for own in &mut placed {
        if let Some((_, offset)) = &mut own.relocations {
            *offset = writer.reserve_relocations(own.section.relocations.len(), true);
        }
    }
    writer.reserve_strtab_section_index();
    writer.reserve_strtab().map_err(|error| error.to_string())?;
    writer.reserve_shstrtab_section_index();
    writer.reserve_shstrtab().map_err(|error| error.to_string())?;
    writer.reserve_section_headers();
    let header = FileHeader {
        os_abi: OsAbi(0),
        abi_version: 0,
        e_type: ET_REL,
        e_machine: Machine(machine),
        e_entry: 0,
        e_flags: FileFlags(facts.flags(set)),
    };
    writer.write_file_header(&header).map_err(|error| error.to_string())?;
    for own in &placed {
        writer.write_align(own.section.align.min(4096));
        writer.write(&own.section.bytes);
    }
    groups.write(&mut writer);
    write_sections(&mut writer, (object, &placed, &groups), &order);
    Ok(bytes)
}

/// A symbol with its name in the file, and its number there.
type Ordered = Vec<(usize, StringId, SymbolIndex)>;

/// Reserves the symbols, local symbols first.
fn reserve_symbols<'o>(
    writer: &mut Writer<'o>,
    (object, placed): (&'o Object, &[Placed<'_>]),
) -> (Vec<StringId>, Ordered) {
    writer.reserve_null_symbol_index();
    let mut files = Vec::new();
    for file in &object.files {
        files.push(writer.add_string(file.as_bytes()));
        writer.reserve_symbol_index(None);
    }
    let mut order = Vec::new();
    for is_local in [true, false] {
        for (index, symbol) in object.symbols.iter().enumerate() {
            if (symbol.binding == Binding::Local) == is_local {
                let name = writer.add_string(symbol.name.as_bytes());
                let section = match symbol.place {
                    SymbolPlace::Section(section, _) => Some(placed[section].index),
                    _ => None,
                };
                order.push((index, name, writer.reserve_symbol_index(section)));
            }
        }
    }
    (files, order)
}

fn write_sections(
    writer: &mut Writer<'_>,
    (object, placed, groups): (&Object, &[Placed<'_>], &Groups<'_>),
    (files, order): &(Vec<StringId>, Ordered),
) {
    writer.write_null_symbol();
    for file in files {
        writer.write_symbol(&Sym {
            st_name: writer.string_offset(Some(*file)),
            section: None,
            st_info: SymbolInfo::new(STB_LOCAL, STT_FILE),
            st_other: STV_DEFAULT.into(),
            st_shndx: SHN_ABS,
            st_value: 0,
            st_size: 0,
        });
    }
    for (index, name, _) in order {
        let name = writer.string_offset(Some(*name));
        writer.write_symbol(&symbol(&object.symbols[*index], name, placed));
    }
    writer.write_symtab_shndx();
    let mut numbers = vec![0; object.symbols.len()];
    order.iter().for_each(|(index, _, number)| numbers[*index] = number.0);
    for own in placed.iter().filter(|own| own.relocations.is_some()) {
        writer.write_align_relocation();
        for relocation in &own.section.relocations {
            writer.write_relocation(
                true,
                &Rel {
                    r_offset: relocation.offset,
                    r_sym: relocation.symbol.map_or(0, |symbol| numbers[symbol]),
                    r_type: RelocationType(relocation.number),
                    r_addend: relocation.addend,
                },
            );
        }
    }
    writer.write_strtab();
    writer.write_shstrtab();
    writer.write_null_section_header();
    let symtab = groups.count()
        + placed.len()
        + placed.iter().filter(|own| own.relocations.is_some()).count()
        + 1;
    let numbered = |name: &str| {
        let found = object.symbols.iter().position(|symbol| symbol.name == name);
        SymbolIndex(found.map_or(0, |at| numbers[at]))
    };
    groups.write_headers(writer, SectionIndex(symtab as u32), numbered);
    for own in placed {
        let name = writer.section_name_offset(Some(own.name));
        writer.write_section_header(&header(own, name, placed));
        if let Some((name, offset)) = own.relocations {
            let count = own.section.relocations.len();
            let symtab = SectionIndex(symtab as u32);
            if own.section.attributes.group.is_some() {
                let name = writer.section_name_offset(Some(name));
                let place = (offset, count);
                writer.write_section_header(&groups.of_relocations((name, symtab), own, place));
                continue;
            }
            writer.write_relocation_section_header(name, own.index, symtab, offset, count, true);
        }
    }
    let locals =
        order.iter().filter(|(index, ..)| object.symbols[*index].binding == Binding::Local);
    writer.write_symtab_section_header((1 + files.len() + locals.count()) as u32);
    writer.write_symtab_shndx_section_header();
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
}

fn symbol(symbol: &ObjectSymbol, st_name: u32, placed: &[Placed<'_>]) -> Sym {
    let binding = match symbol.binding {
        Binding::Local => STB_LOCAL,
        Binding::Global => STB_GLOBAL,
        Binding::Weak => STB_WEAK,
    };
    let kind = match symbol.kind {
        SymbolKind::None => STT_NOTYPE,
        SymbolKind::Object => STT_OBJECT,
        SymbolKind::Function => STT_FUNC,
        SymbolKind::ThreadLocal => STT_TLS,
        SymbolKind::Indirect => STT_GNU_IFUNC,
        SymbolKind::Section => STT_SECTION,
    };
    let (section, st_shndx, st_value, st_size) = match symbol.place {
        SymbolPlace::Undefined => (None, SHN_UNDEF, 0, symbol.size),
        SymbolPlace::Absolute(value) => (None, SHN_ABS, value, symbol.size),
        SymbolPlace::Common(size, align) => (None, SHN_COMMON, align, size),
        SymbolPlace::Section(index, offset) => {
            (Some(placed[index].index.0), SHN_UNDEF, offset, symbol.size)
        }
    };
    let visibility = match symbol.visibility {
        Visibility::Default => STV_DEFAULT,
        Visibility::Internal => STV_INTERNAL,
        Visibility::Hidden => STV_HIDDEN,
        Visibility::Protected => STV_PROTECTED,
    };
    Sym {
        st_name,
        section,
        st_info: SymbolInfo::new(binding, kind),
        st_other: SymbolOther(visibility.0 | symbol.other),
        st_shndx,
        st_value,
        st_size,
    }
}

fn header(own: &Placed<'_>, sh_name: u32, placed: &[Placed<'_>]) -> SectionHeader {
    let section = own.section;
    let attributes = &section.attributes;
    let flags = [
        (attributes.is_allocated, SHF_ALLOC),
        (attributes.is_writable, SHF_WRITE),
        (attributes.is_code, SHF_EXECINSTR),
        (attributes.is_thread_local, SHF_TLS),
        (attributes.merges, SHF_MERGE),
        (attributes.strings, SHF_STRINGS),
        (attributes.group.is_some(), SHF_GROUP),
    ];
    let flags = flags.iter().filter(|(has, _)| *has).fold(0, |all, (_, flag)| all | flag.0);
    SectionHeader {
        sh_name,
        sh_type: match (attributes.is_empty, attributes.elf_type) {
            (true, _) => SHT_NOBITS,
            (_, 0) => SHT_PROGBITS,
            (_, kind) => SectionType(kind),
        },
        sh_flags: SectionFlags(flags | attributes.elf_flags),
        sh_addr: 0,
        sh_offset: own.offset,
        sh_size: section.size,
        sh_link: section.link.map_or(0, |link| placed[link].index.0),
        sh_info: 0,
        sh_addralign: section.align,
        sh_entsize: attributes.entry_size,
    }
}
