//! How instructions are written, in texts that are printed and in lines that are assembled.

use isadl_engine::format::TextFormat;
use isadl_engine::print::Style;

use crate::isa::OpcodeId;

/// A text of an opcode: its own, or that of one of its aliases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOf {
    /// The opcode.
    pub opcode: OpcodeId,
    /// The alias, an index into [`Opcode::aliases`](crate::isa::Opcode::aliases).
    pub alias: Option<usize>,
}

/// How an instruction is written, where not in its canonical text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// Whether an instruction keeps its own encoding: it is printed by the text of this encoding and without aliases, and
    /// a line is assembled in the encoding that it names. Otherwise it is printed in its longest encoding and assembled
    /// in its shortest.
    pub is_plain: bool,
    /// The set of names that values are printed by, an index into [`Isa::name_sets`](crate::isa::Isa::name_sets). Lines
    /// may have the names of any set.
    pub names: u32,
    /// The address of the instruction, if distances are written as the addresses that they name.
    pub address: Option<u64>,
    /// The appearance of texts: radix, case, blanks. Lines are read in any appearance.
    pub format: TextFormat,
}

impl TextOptions {
    /// In its own encoding and without aliases.
    pub const PLAIN: TextOptions =
        TextOptions { is_plain: true, names: 0, address: None, format: TextFormat::new() };

    /// With the addresses that an instruction at an address names.
    pub const fn at(address: u64) -> TextOptions {
        TextOptions { is_plain: false, names: 0, address: Some(address), format: TextFormat::new() }
    }

    /// In an appearance.
    pub const fn formatted(format: TextFormat) -> TextOptions {
        TextOptions { is_plain: false, names: 0, address: None, format }
    }

    pub(super) const fn style(self) -> Style {
        Style { names: self.names, is_plain: self.is_plain }
    }
}
