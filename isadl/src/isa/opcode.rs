//! Opcodes: their fields, operands, and what they read and write.

use super::{
    ExprId, Generations, GroupId, NameId, OptypeId, Prose, RegFileId, RuleId, SpecialCase, Syntax,
    TypeId, low_bits,
};

/// One form of an operation: an instruction with fixed bits. A form with a literal is one of its
/// own under the same name.
#[derive(Debug, Clone, PartialEq)]
pub struct Opcode {
    /// Its name.
    pub name: String,
    /// Its number, which stays when opcodes are added.
    pub number: u16,
    /// The generations that have it so.
    pub generations: Generations,
    /// Bits in the instruction, from bit 0 on.
    pub width: u32,
    /// The literal that makes it a form of its own of an opcode that is shorter without.
    pub literal: Option<LiteralForm>,
    /// The optypes it belongs to; the first is the principal one.
    pub optypes: Vec<OptypeId>,
    /// All groups it belongs to, from the root on.
    pub groups: Vec<GroupId>,
    /// The bits that are fixed.
    pub mask: u128,
    /// Their values.
    pub value: u128,
    /// The bits that a field covers.
    pub significant: u128,
    /// The bits that are said to be ignored.
    pub ignored: u128,
    /// Its fields by rising lowest bit.
    pub fields: Vec<Field>,
    /// Its operands in assembly order.
    pub operands: Vec<Operand>,
    /// The register files that it reads or writes without showing them in assembly text.
    pub implicit: Vec<Operand>,
    /// What it reads and writes.
    pub flow: Vec<FlowItem>,
    /// How it is written.
    pub syntax: Syntax,
    /// The rules a word must not break.
    pub rules: Vec<RuleId>,
    /// The opcodes that take some of its words: first those that fix no bits beyond its width, and
    /// of these the one with the most fixed bits.
    pub special_cases: Vec<SpecialCase>,
    /// Its own prose.
    pub prose: Vec<Prose>,
}

impl Opcode {
    /// The field of a name.
    pub fn field(&self, name: NameId) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The bits that no statement mentions: a decoder ignores them, an encoder writes 0.
    pub fn unstated(&self) -> u128 {
        low_bits(self.width) & !(self.significant | self.mask | self.ignored)
    }

    /// The index in [`Opcode::special_cases`] of the one that a word of the opcode belongs to, or
    /// begins.
    pub fn special_case(&self, word: u128) -> Option<usize> {
        self.special_cases.iter().position(|case| case.begins_with(word, self.width))
    }
}

/// An operand that is a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiteralForm {
    /// The field that says so.
    pub selector: NameId,
    /// The field that holds it.
    pub literal: NameId,
}

/// A field of an opcode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: NameId,
    /// Its type.
    pub ty: TypeId,
    /// Lowest bit.
    pub lsb: u32,
    /// Number of bits, 1 to 64.
    pub width: u32,
    /// What it is to the instruction.
    pub role: FieldRole,
    /// Where its value comes from.
    pub binding: Binding,
    /// The definition that declares it.
    pub origin: Origin,
}

impl Field {
    /// The bits it covers.
    pub fn mask(&self) -> u128 {
        low_bits(self.width) << self.lsb
    }

    /// Its value in a word.
    pub fn extract(&self, word: u128) -> u64 {
        (word >> self.lsb & low_bits(self.width)) as u64
    }

    /// `word` with the field set to `raw`, of which only the field's width is used.
    pub fn insert(&self, word: u128, raw: u64) -> u128 {
        word & !self.mask() | (u128::from(raw) << self.lsb & self.mask())
    }
}

/// The definition that declares a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A group that the opcode belongs to.
    Group(GroupId),
    /// An optype of the opcode.
    Optype(OptypeId),
    /// The opcode itself.
    Opcode,
}

/// What a field is to the instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldRole {
    /// A register, immediate or composite among the operands.
    Operand,
    /// A property of an operand.
    Attribute {
        /// The operand.
        of: NameId,
    },
    /// A value written behind the mnemonic.
    Modifier,
    /// Neither operand nor modifier: says how to issue the instruction.
    Control,
}

/// Where the value of a field comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binding {
    /// It must be given.
    Required,
    /// This, unless it is given.
    Default(u64),
    /// The encoding has this and nothing else.
    Fixed(u64),
}

/// An operand in assembly order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// What it is.
    pub place: Place,
    /// Whether it is read or written.
    pub access: Access,
    /// Bits of data in it, where known.
    pub width: Option<ExprId>,
}

/// Something that an opcode reads or writes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowItem {
    /// What it is.
    pub place: FlowPlace,
    /// Whether it is read or written.
    pub access: Access,
    /// Bits of data in it, where known.
    pub width: Option<ExprId>,
    /// Whether a write leaves a part of it as it was.
    pub is_partial: bool,
    /// Whether it is the guard, which decides on what is done.
    pub is_guard: bool,
    /// Whether it is done whatever the guard says: by the guard itself, and by control fields.
    pub is_always: bool,
}

/// What an opcode reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowPlace {
    /// What the field says.
    Field(NameId),
    /// What a part of the composite in a field says.
    Part {
        /// The field.
        field: NameId,
        /// The index of the part in [`Composite::parts`](super::Composite::parts).
        part: usize,
    },
    /// A whole register file.
    File(RegFileId),
    /// The register of `file` that the register in `base`, plus an offset, numbers.
    Indirect {
        /// The file of the register meant.
        file: RegFileId,
        /// The field of the register that holds the number.
        base: NameId,
    },
    /// The registers of `file` whose bits are set in the field, bit 0 for register 0.
    Mask {
        /// The field.
        field: NameId,
        /// The file.
        file: RegFileId,
    },
}

/// What an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// What the field says.
    Field(NameId),
    /// A whole register file.
    File(RegFileId),
    /// The register of `file` that the register in `base`, plus `offset`, numbers.
    Indirect {
        /// The file of the register meant.
        file: RegFileId,
        /// The field of the register that holds the number.
        base: NameId,
        /// The field of the immediate that is added.
        offset: Option<NameId>,
    },
}

/// Whether an operand is read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Neither list names it: an immediate that only selects.
    None,
    /// `InList` names it.
    Read,
    /// `OutList` names it.
    Write,
    /// Both lists name it.
    ReadWrite,
}
