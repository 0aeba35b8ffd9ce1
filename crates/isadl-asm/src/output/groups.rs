//! ELF: groups of sections, which linkers keep or leave out together.

use object::elf::{GRP_COMDAT, SHF_GROUP, SHF_INFO_LINK, SHT_RELA, SectionFlags};
use object::write::StringId;
use object::write::elf::{SectionHeader, SectionIndex, SymbolIndex, Writer};

use super::elf::Placed;
use crate::object::Object;
use crate::sections::Group;

/// A group on its way into a file.
struct Own<'o> {
    group: &'o Group,
    members: Vec<SectionIndex>,
    offset: u64,
    name: Option<StringId>,
}

/// The groups of an object.
pub(super) struct Groups<'o> {
    all: Vec<Own<'o>>,
    is_big: bool,
    is_wide: bool,
}

impl<'o> Groups<'o> {
    pub(super) fn of(object: &'o Object, (is_big, is_wide): (bool, bool)) -> Groups<'o> {
        let mut all: Vec<Own<'o>> = Vec::new();
        for group in object.sections.iter().filter_map(|own| own.attributes.group.as_ref()) {
            if all.iter().all(|own| own.group != group) {
                all.push(Own { group, members: Vec::new(), offset: 0, name: None });
            }
        }
        Groups { all, is_big, is_wide }
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Groups come before their members.
    pub(super) fn reserve_indices(&mut self, writer: &mut Writer<'o>) {
        for own in &mut self.all {
            writer.reserve_section_index();
            own.name = Some(writer.add_section_name(b".group"));
        }
    }

    /// Finds the members: sections, and their relocations after them.
    pub(super) fn reserve(&mut self, writer: &mut Writer<'o>, placed: &[Placed<'_>]) {
        for own in &mut self.all {
            let members = placed
                .iter()
                .filter(|one| one.section.attributes.group.as_ref() == Some(own.group));
            for one in members {
                own.members.push(one.index);
                own.members.extend(one.relocations.map(|_| SectionIndex(one.index.0 + 1)));
            }
            own.offset = writer.reserve_comdat(own.members.len());
        }
    }

    pub(super) fn write(&self, writer: &mut Writer<'o>) {
        for own in &self.all {
            writer.write_align(4);
            let flags = if own.group.is_unique { GRP_COMDAT.0 } else { 0 };
            for word in [flags].into_iter().chain(own.members.iter().map(|member| member.0)) {
                let bytes = if self.is_big { word.to_be_bytes() } else { word.to_le_bytes() };
                writer.write(&bytes);
            }
        }
    }

    /// The header of a member's relocations: their number, and their offset.
    pub(super) fn of_relocations(
        &self,
        (sh_name, symtab): (u32, SectionIndex),
        member: &Placed<'_>,
        (sh_offset, count): (u64, usize),
    ) -> SectionHeader {
        let (sh_entsize, sh_addralign) = if self.is_wide { (24, 8) } else { (12, 4) };
        SectionHeader {
            sh_name,
            sh_type: SHT_RELA,
            sh_flags: SectionFlags(SHF_INFO_LINK.0 | SHF_GROUP.0),
            sh_addr: 0,
            sh_offset,
            sh_size: count as u64 * sh_entsize,
            sh_link: symtab.0,
            sh_info: member.index.0,
            sh_addralign,
            sh_entsize,
        }
    }

    pub(super) fn write_headers(
        &self,
        writer: &mut Writer<'_>,
        symtab: SectionIndex,
        symbol: impl Fn(&str) -> SymbolIndex,
    ) {
        for own in &self.all {
            let Some(name) = own.name else { continue };
            let (offset, count) = (own.offset, own.members.len());
            let symbol = symbol(&own.group.signature);
            writer.write_comdat_section_header(name, symtab, symbol, offset, count);
        }
    }
}
