//! Sections: fragments of known bytes, each followed by something whose size is found by layout.

use isadl::engine::Assembled;
use isadl::isa::{ExtensionSet, Inst};

use crate::expr::Expr;
use crate::names::Deferred;
use crate::symbols::{FragmentOffset, SymbolId};
use crate::text::Loc;

/// Limit on the bytes of a section.
pub(crate) const MAX_BYTES: u64 = 1 << 30;

/// The variable part after the bytes of a fragment.
#[derive(Debug)]
pub(crate) enum Tail {
    /// Nothing.
    None,
    /// Bytes up to a multiple of a power of 2, unless there are more than `most`.
    Align { to: u64, most: u64, fill: Fill, loc: Loc },
    /// Bytes up to a distance from the beginning of the section.
    Org { to: Expr, fill: u8, loc: Loc },
    /// Copies of a number; an expression gives the count.
    Repeat { count: Expr, size: u8, value: u64, loc: Loc },
    /// A number as bytes of 7 bits, signed or unsigned. Layout raises `length`, and never lowers it.
    Leb { value: Expr, is_signed: bool, length: usize, loc: Loc },
    /// An instruction of several sizes.
    Relax(Box<Relaxed>),
}

impl Tail {
    /// Whether its size is given by an expression, and can rise and fall.
    pub(crate) fn is_variable(&self) -> bool {
        match self {
            Tail::Repeat { count, .. } => !matches!(count, Expr::Number(_)),
            Tail::Org { to, .. } => !matches!(to, Expr::Number(_)),
            _ => false,
        }
    }

    /// The statement that makes it.
    pub(crate) fn loc(&self) -> Option<Loc> {
        match self {
            Tail::None => None,
            Tail::Align { loc, .. }
            | Tail::Org { loc, .. }
            | Tail::Repeat { loc, .. }
            | Tail::Leb { loc, .. } => Some(*loc),
            Tail::Relax(relaxed) => Some(relaxed.loc),
        }
    }
}

/// The contents of alignment gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Instructions that do nothing, of implementations with a set of extensions.
    Code(ExtensionSet),
    /// Copies of a number with a size in bytes.
    Value(u64, u8),
}

/// An instruction that is as short as layout allows.
#[derive(Debug)]
pub(crate) struct Relaxed {
    pub(crate) chosen: Encoded,
    /// The next encoding if the chosen encoding does not reach.
    pub(crate) next: Option<Assembled>,
    /// A branch before it, which is on the opposite condition.
    pub(crate) over: Option<Inst>,
    /// Whether it can be relaxed to an inverse branch over a jump.
    pub(crate) may_grow: bool,
    /// The extensions of its target.
    pub(crate) set: ExtensionSet,
    pub(crate) loc: Loc,
}

/// Bits of an instruction that are written over its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patch {
    pub(crate) mask: u64,
    pub(crate) value: u64,
}

impl Patch {
    /// Writes the bits over the bytes of an instruction.
    pub(crate) fn apply(self, bytes: &mut [u8], is_big: bool) {
        let count = bytes.len();
        for (at, byte) in bytes.iter_mut().enumerate().take(8) {
            let index = if is_big { count - 1 - at } else { at };
            let shift = 8 * index as u32;
            let part = |number: u64| number.checked_shr(shift).unwrap_or(0) as u8;
            *byte = *byte & !part(self.mask) | part(self.value) & part(self.mask);
        }
    }
}

/// An instruction with the values of the fields that are not known yet.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) assembled: Assembled,
    pub(crate) values: Vec<Expr>,
    pub(crate) patch: Option<Patch>,
}

/// Something that is written once addresses are known.
#[derive(Debug)]
pub(crate) struct Fixup {
    pub(crate) place: FragmentOffset,
    pub(crate) kind: FixupKind,
    pub(crate) loc: Loc,
}

#[derive(Debug)]
pub(crate) enum FixupKind {
    /// A number with a size in bytes.
    Data(u8, Expr),
    /// The fields of an instruction.
    Inst(Encoded),
    /// An instruction with numbers that were not known.
    Line(Box<Deferred>),
    /// A relocation that was asked for.
    Reloc(u32, Expr),
}

/// A fragment: its first byte in the section, and the variable part after its bytes.
#[derive(Debug)]
pub(crate) struct Fragment {
    pub(crate) start: u64,
    pub(crate) tail: Tail,
}

/// Attributes of a section from its name or its flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) is_allocated: bool,
    pub(crate) is_writable: bool,
    pub(crate) is_code: bool,
    pub(crate) is_thread_local: bool,
    /// It holds constants of this size, or strings, which linkers merge.
    pub(crate) merges: bool,
    pub(crate) strings: bool,
    pub(crate) entry_size: u64,
    /// It has no bytes in files.
    pub(crate) is_empty: bool,
    /// The type in ELF files, unless the other attributes imply it.
    pub(crate) elf_type: u32,
    /// Other flags in ELF files.
    pub(crate) elf_flags: u64,
    /// The group with which it is linked or left out.
    pub(crate) group: Option<Group>,
    /// The symbol of the section that it is linked to.
    pub(crate) link: Option<String>,
}

/// A group of sections.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Group {
    /// The symbol that identifies the group.
    pub(crate) signature: String,
    /// Whether linkers keep only one of several such groups.
    pub(crate) is_unique: bool,
}

/// A section.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) attributes: Attributes,
    /// The section that it is a part of, and its number there.
    pub(crate) part: Option<(u32, i64)>,
    pub(crate) align: u64,
    /// The bytes of all fragments, without the variable parts after them.
    pub(crate) bytes: Vec<u8>,
    pub(crate) fragments: Vec<Fragment>,
    pub(crate) fixups: Vec<Fixup>,
    /// Where statements begin, for listings.
    pub(crate) lines: Vec<(FragmentOffset, Loc)>,
    /// Where code begins, or data.
    pub(crate) marks: Vec<(FragmentOffset, Content)>,
}

/// The kind of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Code,
    Data,
}

impl Section {
    pub(crate) fn new(name: &str, attributes: Attributes) -> Section {
        let first = Fragment { start: 0, tail: Tail::None };
        Section {
            name: name.to_string(),
            attributes,
            part: None,
            align: 1,
            bytes: Vec::new(),
            fragments: vec![first],
            fixups: Vec::new(),
            lines: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// The location after its current contents.
    pub(crate) fn here(&self, section: u32) -> FragmentOffset {
        let fragment = self.fragments.len() - 1;
        let offset = self.bytes.len() as u64 - self.fragments[fragment].start;
        FragmentOffset { section, fragment: fragment as u32, offset: offset as u32 }
    }

    /// Records the kind of content that follows, if it differs from the previous kind.
    #[inline]
    pub(crate) fn mark(&mut self, section: u32, content: Content) {
        if self.marks.last().is_none_or(|(_, before)| *before != content) {
            self.marks.push((self.here(section), content));
        }
    }

    /// Whether bytes may follow.
    pub(crate) fn has_room(&self) -> bool {
        !self.attributes.is_empty && self.bytes.len() as u64 <= MAX_BYTES
    }

    /// How many statements have a size that may rise and fall.
    pub(crate) fn variable_sizes(&self) -> usize {
        self.fragments.iter().filter(|fragment| fragment.tail.is_variable()).count()
    }

    /// Ends the fragment.
    pub(crate) fn end_fragment(&mut self, tail: Tail) {
        if let Some(last) = self.fragments.last_mut() {
            last.tail = tail;
        }
        self.fragments.push(Fragment { start: self.bytes.len() as u64, tail: Tail::None });
    }

    /// Bytes of a fragment before its tail.
    pub(crate) fn length(&self, fragment: usize) -> u64 {
        let next = self.fragments.get(fragment + 1);
        next.map_or(self.bytes.len() as u64, |next| next.start) - self.fragments[fragment].start
    }
}

impl Attributes {
    /// No flags.
    pub(crate) const NONE: Attributes = Attributes {
        is_allocated: false,
        is_writable: false,
        is_code: false,
        is_thread_local: false,
        merges: false,
        strings: false,
        entry_size: 0,
        is_empty: false,
        elf_type: 0,
        elf_flags: 0,
        group: None,
        link: None,
    };

    /// The attributes of a section whose name has its usual meaning.
    pub(crate) fn of_name(name: &str) -> Attributes {
        let is = |prefix: &str| {
            name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let data = Attributes { is_allocated: true, ..Attributes::NONE };
        let writable = Attributes { is_writable: true, ..data.clone() };
        if is(".text") || is(".init") || is(".fini") {
            return Attributes { is_code: true, ..data };
        }
        if is(".data") || is(".sdata") {
            return writable;
        }
        if is(".bss") || is(".sbss") {
            return Attributes { is_empty: true, ..writable };
        }
        if is(".tdata") {
            return Attributes { is_thread_local: true, ..writable };
        }
        if is(".tbss") {
            return Attributes { is_thread_local: true, is_empty: true, ..writable };
        }
        if is(".rodata") || is(".rodata1") || is(".srodata") || is(".eh_frame") {
            return data;
        }
        let array = |elf_type| Attributes { elf_type, ..writable.clone() };
        if is(".init_array") {
            return array(14);
        }
        if is(".fini_array") {
            return array(15);
        }
        if is(".preinit_array") {
            return array(16);
        }
        // Linkers look for this one by its name.
        if is(".note") && name != ".note.GNU-stack" {
            return Attributes { elf_type: 7, ..Attributes::NONE };
        }
        Attributes::NONE
    }
}

/// A value of a pool.
#[derive(Debug)]
pub(crate) struct Literal {
    pub(crate) symbol: SymbolId,
    pub(crate) size: u8,
    pub(crate) value: Expr,
    pub(crate) loc: Loc,
}

/// Attributes of the file for linkers.
#[derive(Debug)]
pub(crate) struct FileAttributes {
    pub(crate) section: String,
    pub(crate) elf_type: u32,
    pub(crate) vendor: String,
    /// Tags with their values as bytes.
    pub(crate) values: Vec<(u64, Vec<u8>)>,
    /// The tag whose value is the name of the architecture, unless the file states it.
    pub(crate) of_architecture: Option<u64>,
}
