//! The lines of a section.

use std::collections::VecDeque;

use isadl::engine::Engine;
use isadl::isa::Inst;

use super::file::{Code, CodeReloc, CodeSection};

/// A line of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line<'c> {
    /// A name of the place that follows.
    Label(u64, &'c str),
    /// An instruction with its bytes.
    Inst(u64, &'c [u8], Inst),
    /// Bytes that the file declares as data, at most as many as the longest instruction has.
    Data(u64, &'c [u8]),
    /// Bytes that are not an instruction. Their number is the length of instructions with the same first bits, or the
    /// rest of the bytes.
    Unknown(u64, &'c [u8]),
    /// A relocation in the preceding line, which begins at the address.
    Reloc(u64, &'c CodeReloc),
}

/// Addresses from one up to another, by default all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Addresses {
    /// The first.
    pub start: u64,
    /// The first after them; `None` if all others belong to them.
    pub stop: Option<u64>,
}

/// An iterator over the lines of a section.
pub struct Lines<'c, 'e> {
    code: &'c Code<'c>,
    engine: &'c Engine<'e>,
    index: usize,
    /// The offset of the next line, and the end of the last line, in bytes from the beginning.
    at: usize,
    end: usize,
    has_relocations: bool,
    ready: VecDeque<Line<'c>>,
}

impl Code<'_> {
    /// The lines of a section, given by its number, at some addresses. Includes relocations on request.
    pub fn lines<'c, 'e>(
        &'c self,
        engine: &'c Engine<'e>,
        index: usize,
        Addresses { start, stop }: Addresses,
        has_relocations: bool,
    ) -> Lines<'c, 'e> {
        let section = &self.sections[index];
        let length = section.bytes.len();
        let offset = |address: u64| {
            let offset = address.saturating_sub(section.address);
            usize::try_from(offset).unwrap_or(usize::MAX).min(length)
        };
        let (at, end) = (offset(start), stop.map_or(length, offset));
        let ready = VecDeque::new();
        Lines { code: self, engine, index, at, end, has_relocations, ready }
    }

    /// Whether something is left to linkers in bytes of a section.
    pub fn is_open(&self, index: usize, address: u64, length: usize) -> bool {
        let Some(section) = self.sections.get(index).filter(|_| !self.is_linked) else {
            return false;
        };
        let first = section.relocations.partition_point(|one| one.offset < address);
        let found = section.relocations.get(first);
        found.is_some_and(|one| one.offset - address < length as u64)
    }

    /// The symbols of a section with their addresses, in order of addresses.
    pub fn symbols(&self, index: usize) -> impl Iterator<Item = (u64, &str)> {
        self.names.of_section(index).map(|(address, name)| (address, name.text.as_str()))
    }

    /// The name of an address in a section, and the distance from the named location in bytes. In a linked file, the
    /// address can be in another section.
    pub fn name_of(&self, index: usize, address: u64) -> Option<(&str, u64)> {
        let is_in = |section: &CodeSection<'_>| {
            let offset = address.checked_sub(section.address);
            offset.is_some_and(|offset| offset < section.size)
        };
        let own = self.sections.get(index).is_some_and(is_in);
        let section = match own || !self.is_linked {
            true => index,
            false => self.sections.iter().position(is_in)?,
        };
        if let Some(found) = self.names.before((section, address)) {
            return Some(found);
        }
        let section = self.sections.get(section)?;
        let offset = address.checked_sub(section.address)?;
        Some((section.name.as_str(), offset)).filter(|(name, _)| !name.is_empty())
    }
}

impl<'c> Lines<'c, '_> {
    /// Reads the line at the current position, at most up to the next named location.
    fn read(&self, section: &'c CodeSection<'c>) -> Line<'c> {
        let address = section.address.wrapping_add(self.at as u64);
        let place = (self.index, address);
        let rest = section.bytes.get(self.at..).unwrap_or_default();
        let next = self.code.names.next(place).map(|next| next - address);
        let length = next.and_then(|length| usize::try_from(length).ok()).unwrap_or(usize::MAX);
        let rest = &rest[..length.min(rest.len())];
        if self.code.names.is_data(place) {
            return Line::Data(address, &rest[..rest.len().min(self.engine.isa().bytes())]);
        }
        let (word, length) = self.engine.first_word(rest);
        let length = length.max(1);
        if length > rest.len() {
            return Line::Unknown(address, rest);
        }
        match self.engine.decode(word) {
            Ok(inst) => Line::Inst(address, &rest[..length], inst),
            Err(_) => Line::Unknown(address, &rest[..length]),
        }
    }
}

impl<'c> Iterator for Lines<'c, '_> {
    type Item = Line<'c>;

    fn next(&mut self) -> Option<Line<'c>> {
        if let Some(line) = self.ready.pop_front() {
            return Some(line);
        }
        if self.at >= self.end {
            return None;
        }
        let code = self.code;
        let section = &code.sections[self.index];
        let address = section.address.wrapping_add(self.at as u64);
        let labels = code.names.at((self.index, address));
        self.ready.extend(labels.map(|name| Line::Label(address, &name.text)));
        let line = self.read(section);
        let from = self.at as u64;
        self.at += match &line {
            Line::Inst(_, bytes, _) | Line::Data(_, bytes) | Line::Unknown(_, bytes) => bytes.len(),
            Line::Label(..) | Line::Reloc(..) => 0,
        };
        self.ready.push_back(line);
        if self.has_relocations {
            let all = &section.relocations;
            // Relocations of linked files have addresses.
            let base = if code.is_linked { section.address } else { 0 };
            let (from, to) = (base.wrapping_add(from), base.wrapping_add(self.at as u64));
            let first = all.partition_point(|one| one.offset < from);
            let own = all[first..].iter().take_while(|one| one.offset < to);
            self.ready.extend(own.map(|one| Line::Reloc(address, one)));
        }
        self.ready.pop_front()
    }
}
