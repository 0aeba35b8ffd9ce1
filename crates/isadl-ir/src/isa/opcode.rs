//! Opcodes: their fields, operands, reads and writes.

use super::{
    Bits, ExprId, ExtensionCondition, FlowControl, Generations, GroupId, Immediate, Isa, NameId,
    OptypeId, Point, Prose, RegFileId, RuleId, SpecialCase, Syntax, TypeId, TypeKind,
};

/// One form of an operation: an instruction with fixed bits. A form with a literal is a separate
/// opcode with the same name.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Opcode {
    /// Its name.
    pub name: String,
    /// Its number, which stays when opcodes are added.
    pub number: u16,
    /// The generations that have it in this form.
    pub generations: Generations,
    /// The sets of extensions that have it.
    pub requires: ExtensionCondition,
    /// Bits in the instruction.
    pub width: u32,
    /// The bits of a word that belong to the instruction: the lowest or the highest, whichever the first bytes in
    /// memory fill.
    pub width_mask: u128,
    /// The operands that are a literal, if it is a form of an opcode that is shorter without one. Their literals are fields
    /// over the same bits.
    pub literals: Vec<LiteralForm>,
    /// The optypes that the opcode belongs to; the first is the principal optype.
    pub optypes: Vec<OptypeId>,
    /// All groups it belongs to, starting at the root.
    pub groups: Vec<GroupId>,
    /// The bits that are fixed.
    pub mask: u128,
    /// Their values.
    pub value: u128,
    /// The fixed bits that are reserved: no field or value has them, they must be zero.
    pub reserved: u128,
    /// The bits that a field covers.
    pub significant: u128,
    /// The bits that are declared to be ignored.
    pub ignored: u128,
    /// The bits that the encoder writes into ignored bits.
    pub written: u128,
    /// Its fields by the lowest number of their bits; among them the views.
    pub fields: Vec<Field>,
    /// Its operands that are composed of several fields. Each has a field of its own, whose bits are the bits of these
    /// fields.
    pub composite_operands: Vec<CompositeOperand>,
    /// Its operands in assembly order.
    pub operands: Vec<Operand>,
    /// The register files that it reads or writes without mentioning them in assembly text.
    pub implicit: Vec<Operand>,
    /// The resources that it reads and writes.
    pub flow: Vec<FlowItem>,
    /// Its control flow: the first class whose condition holds applies. Without a class, execution continues with the
    /// next instruction.
    pub classes: Vec<FlowClass>,
    /// How it is written.
    pub syntax: Syntax,
    /// The rules a word must not break.
    pub rules: Vec<RuleId>,
    /// Whether conditions of `Match` decide which words with its fixed bits belong to it. A rule then states that they
    /// are met.
    pub has_match: bool,
    /// The opcodes that match some of its words. Opcodes that fix no bits beyond its width come first; among these,
    /// opcodes with more fixed bits come first.
    pub special_cases: Vec<SpecialCase>,
    /// The long encoding of its instructions, if it is a compressed encoding.
    pub short: Option<Short>,
    /// Other texts for some of its words, in order of definition.
    pub aliases: Vec<Alias>,
    /// Its own prose.
    pub prose: Vec<Prose>,
}

/// The long encoding of an opcode's instructions.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Short {
    /// The name of the opcode of the long encoding.
    pub of: String,
    /// The source of each field of the long encoding.
    pub moves: Vec<Move>,
    /// The extension sets in which this is a compressed encoding; always, if every set that has the opcode qualifies.
    pub requires: ExtensionCondition,
}

/// The source of a field of the long encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Move {
    /// The field of the long encoding.
    pub to: NameId,
    /// Its bits.
    pub is: Moved,
}

/// The bits of a field of the long encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Moved {
    /// Always the same.
    Bits(u64),
    /// `value * factor + offset`, from a field of the compressed encoding.
    Line {
        /// The field of the compressed encoding.
        from: NameId,
        /// Whether its bits are a number in two's complement.
        is_signed: bool,
        /// The factor.
        factor: i64,
        /// The offset.
        offset: i64,
    },
    /// Bits from a list, selected by the bits of a field of the compressed encoding.
    Listed {
        /// The field of the compressed encoding.
        from: NameId,
        /// Pairs of compressed field bits and long field bits, in ascending order of the compressed bits.
        pairs: Vec<(u64, u64)>,
    },
}

/// A class of flow of control, and which instructions are of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FlowClass {
    /// Where execution goes.
    pub class: FlowControl,
    /// Holds for the instructions of the class, if not for all.
    pub condition: Option<ExprId>,
}

/// Another text for some words of an opcode.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Alias {
    /// The opcode in the form of the alias: with the alias's name, fixed bits, and syntax.
    pub form: Opcode,
    /// Fields whose bits are computed from other fields, with their expressions, in order of evaluation.
    pub equal: Vec<(NameId, ExprId)>,
    /// Holds for the words that are meant, if not for all that have the bits.
    pub condition: Option<ExprId>,
    /// Whether it is printed, and not only read.
    pub is_printed: bool,
}

impl Opcode {
    /// The long encoding, if this is a compressed encoding in some set of extensions.
    pub fn shorter(&self) -> Option<&Short> {
        self.short.as_ref().filter(|short| !short.requires.is_never())
    }

    /// The field with a name.
    pub fn field(&self, name: NameId) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Says which generations have it, and its aliases with it.
    pub(crate) fn set_generations(&mut self, generations: Generations) {
        self.generations = generations;
        self.aliases.iter_mut().for_each(|alias| alias.form.generations = generations);
    }

    /// The operand with a name that is made of fields.
    pub fn composite_operand(&self, name: NameId) -> Option<&CompositeOperand> {
        self.composite_operands.iter().find(|view| view.name == name)
    }

    /// Its fields without views. Every bit that a field covers belongs to a field in this list.
    pub fn encoded(&self) -> impl DoubleEndedIterator<Item = &Field> + Clone {
        self.fields.iter().filter(|field| self.composite_operand(field.name).is_none())
    }

    /// The bits that no statement mentions: a decoder ignores them, an encoder writes 0.
    pub fn unstated(&self) -> u128 {
        self.width_mask & !(self.significant | self.mask | self.ignored)
    }

    /// The bits of the word that an instruction keeps: field bits, and bits fixed as 1. Other bits always follow
    /// [`Opcode::base`].
    pub fn kept(&self) -> u128 {
        self.significant | self.value
    }

    /// Whether a field has neither a value of its own nor a place in the text, so that no text is read as the form.
    pub fn is_unwritable(&self) -> bool {
        let syntax = &self.syntax;
        let is_written = |field: &Field| {
            let is_operand = |name: NameId| {
                self.operands.iter().any(|operand| match operand.place {
                    OperandLocation::Field(other) => other == name,
                    OperandLocation::Indirect { base, offset, .. } => {
                        base == name || offset == Some(name)
                    }
                    OperandLocation::File(_) => false,
                })
            };
            let is_modifier = |name: NameId| syntax.modifiers.iter().any(|m| m.field == name);
            match field.role {
                FieldRole::Operand => is_operand(field.name),
                FieldRole::Attribute { of } => is_operand(of),
                FieldRole::Part { of } => is_operand(of) || is_modifier(of),
                FieldRole::Modifier => is_modifier(field.name),
                FieldRole::Mnemonic => self.mnemonic_fields().any(|other| other.name == field.name),
                FieldRole::Control => true,
            }
        };
        self.encoded().any(|field| field.binding == Binding::Required && !is_written(field))
    }

    /// Whether it is a form with a literal.
    pub fn has_literal(&self) -> bool {
        !self.literals.is_empty()
    }

    /// Whether a field is a literal.
    pub fn is_literal(&self, name: NameId) -> bool {
        self.selector_of(name).is_some()
    }

    /// The field that announces a literal.
    pub fn selector_of(&self, literal: NameId) -> Option<NameId> {
        self.literals.iter().find(|form| form.literal == literal).map(|form| form.selector)
    }

    /// The literal that a field announces.
    pub fn literal_of(&self, selector: NameId) -> Option<NameId> {
        self.literals.iter().find(|form| form.selector == selector).map(|form| form.literal)
    }

    /// The word of the instruction that a word is: bits that are ignored are as an encoder writes them.
    pub fn canonical(&self, word: u128) -> u128 {
        word & self.kept() | self.written
    }

    /// The bits of an instruction that no field holds.
    pub fn base(&self) -> u128 {
        self.value | self.written
    }

    /// The index in [`Opcode::special_cases`] of the special case that a word of the opcode belongs to, or begins.
    pub fn special_case(&self, word: u128) -> Option<usize> {
        self.special_cases.iter().position(|case| case.begins_with(word, self.width_mask))
    }
}

impl Isa {
    /// The bits of an opcode that are distances, with their types, in the order of its operands.
    pub fn distances(&self, opcode: &Opcode) -> Vec<(Bits, TypeId)> {
        self.numbers_where(opcode, |immediate| immediate.relative.is_some())
    }

    /// The byte offset at which object files record the relocations of a field.
    ///
    /// A field that is whole bytes has its own offset, and so has a field whose distances begin there (`here`). Other
    /// relocations use the offset of the instruction.
    pub fn relocation_offset(&self, bits: &Bits, immediate: &Immediate) -> usize {
        let order = self.word_layout();
        let is_here = immediate.relative.is_some_and(|base| base.from == Point::Here);
        let whole = bits.as_one().and_then(|_| order.whole_bytes(bits.mask()));
        let here = is_here.then(|| order.first_byte(bits.mask()));
        whole.or(here).unwrap_or(0)
    }

    /// The numbers of an opcode whose types have some property. Returns their bits and types, in the order of the
    /// operands.
    pub fn numbers_where(
        &self,
        opcode: &Opcode,
        has: impl Fn(&Immediate) -> bool,
    ) -> Vec<(Bits, TypeId)> {
        let mut found: Vec<(Bits, TypeId)> = Vec::new();
        let of_operand = |operand: &Operand| match operand.place {
            OperandLocation::Field(name) => opcode.field(name),
            OperandLocation::File(_) | OperandLocation::Indirect { .. } => None,
        };
        let shown = opcode.operands.iter().filter_map(of_operand);
        for field in shown.chain(&opcode.fields) {
            let mut add = |bits: Bits, ty: TypeId| {
                let is_one = matches!(&self.ty(ty).kind, TypeKind::Immediate(own) if has(own));
                if is_one && found.iter().all(|(known, _)| *known != bits) {
                    found.push((bits, ty));
                }
            };
            match &self.ty(field.ty).kind {
                TypeKind::Composite(composite) => composite
                    .parts
                    .iter()
                    .for_each(|part| add(part.bits.within(&field.bits), part.ty)),
                _ => add(field.bits.clone(), field.ty),
            }
        }
        found
    }
}

/// An operand made of fields.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CompositeOperand {
    /// Its name.
    pub name: NameId,
    /// The fields, in the order of the parts of its type, the first with the highest bits.
    pub parts: Vec<NameId>,
    /// The computed value, if the operand is written as a value and not as its parts.
    pub value: Option<ExprId>,
}

impl CompositeOperand {
    /// Whether its value is computed from a single field, so that the value determines the field.
    pub fn is_value(&self) -> bool {
        self.value.is_some() && self.parts.len() == 1
    }
}

/// An operand that is a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LiteralForm {
    /// The field that announces the literal.
    pub selector: NameId,
    /// The field that contains it.
    pub literal: NameId,
}

/// A field of an opcode.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Field {
    /// Its name.
    pub name: NameId,
    /// Its type.
    pub ty: TypeId,
    /// Its bits, 1 to 64.
    pub bits: Bits,
    /// Its role in the instruction.
    pub role: FieldRole,
    /// The source of its value.
    pub binding: Binding,
    /// The definition that declares it.
    pub origin: Origin,
}

impl Field {
    /// The bits it covers.
    #[inline]
    pub fn mask(&self) -> u128 {
        self.bits.mask()
    }

    /// The lowest bit it covers.
    pub fn lsb(&self) -> u32 {
        self.bits.lsb()
    }

    /// The number of bits it covers.
    pub fn width(&self) -> u32 {
        self.bits.width()
    }

    /// Its value in a word.
    #[inline]
    pub fn extract(&self, word: u128) -> u64 {
        self.bits.extract(word)
    }

    /// Returns `word` with the field set to `raw`, truncated to the field's width.
    #[inline]
    pub fn insert(&self, word: u128, raw: u64) -> u128 {
        word & !self.mask() | self.bits.place(raw)
    }
}

/// The definition that declares a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Origin {
    /// A group that the opcode belongs to.
    Group(GroupId),
    /// An optype of the opcode.
    Optype(OptypeId),
    /// The opcode itself.
    Opcode,
}

/// The role of a field in the instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FieldRole {
    /// A register, immediate or composite among the operands.
    Operand,
    /// A property of an operand.
    Attribute {
        /// The operand.
        of: NameId,
    },
    /// A field of an operand that is composed of fields.
    Part {
        /// The operand.
        of: NameId,
    },
    /// A value written after the mnemonic.
    Modifier,
    /// A value written in the mnemonic.
    Mnemonic,
    /// Neither operand nor modifier: controls how the instruction is issued.
    Control,
}

/// The source of a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Binding {
    /// It must be given.
    Required,
    /// This value, unless another is given.
    Default(u64),
    /// The encoding always has this value.
    Fixed(u64),
}

/// An operand in assembly order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Operand {
    /// Its location.
    pub place: OperandLocation,
    /// Whether it is read or written.
    pub access: Access,
    /// The number of data bits in it, if known.
    pub width: Option<ExprId>,
}

/// Something that an opcode reads or writes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FlowItem {
    /// Its location.
    pub place: FlowPlace,
    /// Whether it is read or written.
    pub access: Access,
    /// The number of data bits in it, if known.
    pub width: Option<ExprId>,
    /// Whether a write changes only a part of it.
    pub is_partial: bool,
    /// Whether it is the guard, which decides whether the instruction takes effect.
    pub is_guard: bool,
    /// Whether it happens regardless of the guard, as for the guard itself and control fields.
    pub is_always: bool,
    /// The words in which it happens; all words if there is no condition.
    pub condition: Option<ExprId>,
}

/// A place that an opcode reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FlowPlace {
    /// The register or value that the field selects.
    Field(NameId),
    /// The register that a part of the composite in a field selects.
    Part {
        /// The field.
        field: NameId,
        /// The index of the part in [`Composite::parts`](super::Composite::parts).
        part: usize,
    },
    /// A whole register file.
    File(RegFileId),
    /// A register that does not depend on fields.
    Register {
        /// Its file.
        file: RegFileId,
        /// Its number.
        number: u32,
    },
    /// The register of `file` whose number is the register in `base` plus an offset.
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

/// The place of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum OperandLocation {
    /// The register or value that the field selects.
    Field(NameId),
    /// A whole register file.
    File(RegFileId),
    /// The register of `file` whose number is the register in `base` plus `offset`.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Access {
    /// Neither list names it, as for an immediate that only selects.
    None,
    /// `InList` names it.
    Read,
    /// `OutList` names it.
    Write,
    /// Both lists name it.
    ReadWrite,
}

impl Access {
    /// Whether it is read.
    pub fn reads(self) -> bool {
        matches!(self, Access::Read | Access::ReadWrite)
    }

    /// Whether it is written.
    pub fn writes(self) -> bool {
        matches!(self, Access::Write | Access::ReadWrite)
    }
}
