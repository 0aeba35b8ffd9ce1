//! The result of assembly: sections with their bytes, symbols, and relocations for linkers.

use std::path::PathBuf;

use isadl::source::Span;

use crate::sections::Attributes;
use crate::symbols::{Binding, SymbolKind, Visibility};

/// An assembled file.
#[derive(Debug, Clone, Default)]
pub struct Object {
    /// Its sections, in the order of their first use.
    pub sections: Vec<ObjectSection>,
    /// Its symbols.
    pub symbols: Vec<ObjectSymbol>,
    /// The names of its source files.
    pub files: Vec<String>,
    /// The files that `.include` and `.incbin` read.
    pub inputs: Vec<PathBuf>,
}

/// A section.
#[derive(Debug, Clone)]
pub struct ObjectSection {
    /// Its name.
    pub name: String,
    pub(crate) attributes: Attributes,
    /// The section that it is linked to, as its index in [`Object::sections`].
    pub(crate) link: Option<usize>,
    /// The alignment of its address, a power of 2.
    pub align: u64,
    /// Its address; 0 if a linker chooses it.
    pub address: u64,
    /// Number of bytes in memory.
    pub size: u64,
    /// Its bytes; none if all are 0 and files do not have them.
    pub bytes: Vec<u8>,
    /// The relocations that linkers resolve, by ascending offset.
    pub relocations: Vec<Relocation>,
    /// The offsets of statements, where a listing was asked for.
    pub lines: Vec<(u64, Span)>,
}

impl ObjectSection {
    /// Whether it is in the memory of the running program.
    pub fn is_allocated(&self) -> bool {
        self.attributes.is_allocated
    }

    /// Whether it has instructions.
    pub fn is_code(&self) -> bool {
        self.attributes.is_code
    }
}

/// A number that a linker writes into a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// Where, in bytes from the beginning of the section.
    pub offset: u64,
    /// Its number in ELF files.
    pub number: u32,
    /// The symbol, as its index in [`Object::symbols`].
    pub symbol: Option<usize>,
    /// The number added to the address of the symbol.
    pub addend: i64,
}

/// Where a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolPlace {
    /// In another file.
    Undefined,
    /// It is a number.
    Absolute(u64),
    /// In memory that linkers provide: size and alignment.
    Common(u64, u64),
    /// In a section, at an offset in bytes from its beginning.
    Section(usize, u64),
}

/// A symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectSymbol {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: SymbolPlace,
    /// Number of bytes that it names; 0 if unknown.
    pub size: u64,
    /// Who sees it.
    pub binding: Binding,
    /// The kind of the named item.
    pub kind: SymbolKind,
    /// Who sees it once the file is linked.
    pub visibility: Visibility,
    /// What processors say of it in ELF files: bits of `st_other` above the visibility.
    pub other: u8,
}

impl ObjectSymbol {
    /// A place that only this file knows.
    pub(crate) fn label(name: String, (place, kind): (SymbolPlace, SymbolKind)) -> ObjectSymbol {
        let visibility = Visibility::Default;
        ObjectSymbol { name, place, size: 0, binding: Binding::Local, kind, visibility, other: 0 }
    }
}
