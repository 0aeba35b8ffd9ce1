//! Tables that are made once all places are known: bytes with references, appended to sections.

use isadl::isa::Isa;

use crate::assembler::Unit;
use crate::data::{data_bytes, leb128};
use crate::offsets::Layout;
use crate::sections::{Attributes, Fixup, FixupKind, Section};
use crate::symbols::FragmentOffset;
use crate::text::Loc;
use crate::tree::{Expr, Op};

/// The bytes of a table, and the references in it.
#[derive(Debug)]
pub(crate) struct Table<'i> {
    isa: &'i Isa,
    /// The end of the section when the table is appended.
    place: FragmentOffset,
    section_size: u64,
    pub(crate) bytes: Vec<u8>,
    fixups: Vec<Fixup>,
}

impl<'i> Table<'i> {
    /// An empty table at the end of a section, which is made if there is none.
    pub(crate) fn new(
        isa: &'i Isa,
        (unit, layout): (&mut Unit, &mut Layout),
        (name, attributes, align): (&str, Attributes, u64),
    ) -> Table<'i> {
        let known = unit.sections.iter().position(|own| own.name == name);
        let index = known.unwrap_or_else(|| {
            unit.sections.push(Section::new(name, attributes));
            layout.starts.push(vec![0, 0]);
            unit.sections.len() - 1
        });
        let section = &mut unit.sections[index];
        section.align = section.align.max(align);
        let place = section.here(index as u32);
        Table {
            isa,
            place,
            section_size: layout.size(index),
            bytes: Vec::new(),
            fixups: Vec::new(),
        }
    }

    /// Appends it to its section.
    pub(crate) fn finish(self, unit: &mut Unit, layout: &mut Layout) {
        let index = self.place.section as usize;
        let section = &mut unit.sections[index];
        section.bytes.extend_from_slice(&self.bytes);
        section.fixups.extend(self.fixups);
        if let Some(end) = layout.starts[index].last_mut() {
            *end += self.bytes.len() as u64;
        }
    }

    /// The offset of its end in the section.
    pub(crate) fn offset(&self) -> u64 {
        self.section_size + self.bytes.len() as u64
    }

    /// Its end.
    pub(crate) fn here(&self) -> FragmentOffset {
        self.at(self.bytes.len())
    }

    fn at(&self, at: usize) -> FragmentOffset {
        FragmentOffset { offset: self.place.offset + at as u32, ..self.place }
    }

    pub(crate) fn number(&mut self, number: u64, size: u8) {
        let bytes = data_bytes(self.isa, number, size);
        self.bytes.extend_from_slice(&bytes[..size.into()]);
    }

    pub(crate) fn unsigned(&mut self, number: u64) {
        self.bytes.extend(leb128(number as i64, false, 1));
    }

    pub(crate) fn signed(&mut self, number: i64) {
        self.bytes.extend(leb128(number, true, 1));
    }

    pub(crate) fn string(&mut self, text: &str) {
        self.bytes.extend(crate::text::original(text));
        self.bytes.push(0);
    }

    /// An address, or its distance from here.
    pub(crate) fn address(&mut self, expr: Expr, (size, is_distance): (u8, bool), loc: Loc) {
        let place = self.here();
        let expr = match is_distance {
            true => Expr::Binary(Op::Sub, Box::new((expr, Expr::FragmentOffset(place)))),
            false => expr,
        };
        self.bytes.resize(self.bytes.len() + usize::from(size), 0);
        self.fixups.push(Fixup { place, kind: FixupKind::Data(size, expr), loc });
    }

    /// Begins a part with its length before it.
    pub(crate) fn begin(&mut self) -> usize {
        self.number(0, 4);
        self.bytes.len()
    }

    /// Ends a part that began here.
    pub(crate) fn end(&mut self, start: usize) {
        let length = (self.bytes.len() - start) as u64;
        let bytes = data_bytes(self.isa, length, 4);
        self.bytes[start - 4..start].copy_from_slice(&bytes[..4]);
    }

    /// Fills the section up to a multiple.
    pub(crate) fn align(&mut self, to: u64) {
        let missing = self.offset().next_multiple_of(to) - self.offset();
        self.bytes.resize(self.bytes.len() + missing as usize, 0);
    }
}
