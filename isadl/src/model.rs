//! The model: definitions with their names resolved, fields inherited, values computed.
//!
//! The stage between resolution and lowering. Invariants: every id is an index into the vector of its kind. Anything
//! that could not be resolved was reported, and is `None` here or marked as having gaps, so that later checks skip it.

mod environment;

use std::collections::HashSet;

use crate::ast::{self, Ident};
pub use crate::interned::{Exprs, Names};
use crate::isa::{
    Binding, Bits, ExprId, FieldRole, FlowClass, FlowItem, MnemonicPiece, ModifierStyle, NameId,
    Operand, OperandLocation, Run, TypeId, TypeKind, low_bits,
};
use crate::source::Span;
pub use environment::Environment;

/// The longest chain of layers: a definition and its ancestors.
pub const MAX_CHAIN: usize = 64;

/// The maximum number of fields that a layer passes on. More would have to share bits, which is
/// reported in the layer that declares them.
pub const MAX_INHERITED: usize = crate::isa::MAX_WORD_BITS as usize;

/// A layer, an index into [`Model::layers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerId(pub(crate) u32);

/// A field, an index into [`Model::fields`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub(crate) u32);

/// An instruction set after resolution.
#[derive(Debug, Default)]
pub struct Model<'a> {
    /// The header, if present.
    pub isa: Option<IsaHeader<'a>>,
    /// Register files in order of definition.
    pub reg_files: Vec<RegFile<'a>>,
    /// What programs run in, in order of definition.
    pub environments: Vec<Environment<'a>>,
    /// Types in order of definition.
    pub types: Vec<Type<'a>>,
    /// The types that other types include.
    pub included: HashSet<TypeId>,
    /// Groups, optypes and opcodes in order of definition.
    pub layers: Vec<Layer<'a>>,
    /// The fields of all layers.
    pub fields: Vec<Field<'a>>,
    /// The distinct names of fields.
    pub names: Names<'a>,
    /// The distinct expressions.
    pub exprs: Exprs,
    /// The words of `CvtNegConst`.
    pub words: Vec<&'a str>,
    /// The resolved statements of each opcode, and of each layer without children.
    pub opcodes: Vec<Opcode<'a>>,
    /// Names in texts that were reported: they may use definitions that seem unused.
    pub unresolved: HashSet<&'a str>,
}

/// The header of the instruction set.
#[derive(Debug)]
pub struct IsaHeader<'a> {
    /// Its name.
    pub name: Ident<'a>,
    /// Bits in an instruction, if the number is valid.
    pub width: Option<u32>,
    /// Names of its generations.
    pub generations: Vec<Ident<'a>>,
    /// Names of its extensions.
    pub extensions: Vec<Ident<'a>>,
    /// The labels of the first, second, … name set of values.
    pub name_sets: Vec<Ident<'a>>,
    /// Whether lines are read without regard to case.
    pub folds_case: bool,
    /// Whether operands of several registers are written as ranges.
    pub has_ranges: bool,
    /// Whether pseudo code is checked, if it is said.
    pub semantics: Option<Ident<'a>>,
    /// How modifiers are written.
    pub modifiers: ModifierStyle,
    /// Names of templates that stand for operands.
    pub placeholders: &'a [ast::Placeholder<'a>],
    /// The comment and separator signs of assembly lines.
    pub comment_syntax: crate::isa::CommentSyntax,
    /// The instruction that fills gaps in code.
    pub padding: Option<Ident<'a>>,
    /// Facts of object files.
    pub elf: &'a [ast::ElfFact<'a>],
    /// Names of symbols that mark the contents after them.
    pub elf_marks: &'a [ast::ElfMark<'a>],
    /// Relaxations of branches that do not reach their targets.
    pub detours: &'a [ast::Detour<'a>],
    /// The order of bytes, units and bits.
    pub layout: crate::isa::WordLayout,
    /// Its prose.
    pub prose: &'a [ast::Section<'a>],
}

/// A register file.
#[derive(Debug)]
pub struct RegFile<'a> {
    /// Its name.
    pub name: Ident<'a>,
    /// Bits in a register.
    pub width: u32,
    /// Number of registers.
    pub count: u32,
    /// Its prose.
    pub prose: &'a [ast::Section<'a>],
}

/// A type with the locations of its parts.
#[derive(Debug)]
pub struct Type<'a> {
    /// Its name.
    pub name: Ident<'a>,
    /// The type itself.
    pub ty: crate::isa::Type,
    /// Bits in a field of the type, if the number is valid.
    pub width: Option<u32>,
    /// The names of its values, if it is an enumeration.
    pub values: Vec<Ident<'a>>,
    /// Values, first and last, with the guards that name extensions.
    pub guarded: Vec<(u64, u64, &'a ast::Guard<'a>)>,
    /// Whether values are missing here because the statements for them were reported.
    pub has_gaps: bool,
    /// Its prose.
    pub prose: &'a [ast::Section<'a>],
    /// Whether it is the type of an operand composed of fields, and not a definition.
    pub is_view: bool,
}

/// Which kind of layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerKind {
    /// `__DefGroup`
    Group,
    /// `__DefOptype`
    Optype,
    /// `__DefOpcode`
    Opcode,
    /// `__DefAlias`
    Alias,
}

impl LayerKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            LayerKind::Group => "group",
            LayerKind::Optype => "optype",
            LayerKind::Opcode => "opcode",
            LayerKind::Alias => "alias",
        }
    }

    /// The word with an indefinite article.
    pub fn indefinite(self) -> &'static str {
        match self {
            LayerKind::Group => "a group",
            LayerKind::Optype => "an optype",
            LayerKind::Opcode => "an opcode",
            LayerKind::Alias => "an alias",
        }
    }

    /// Whether a layer of this kind may inherit from a layer of another kind.
    pub fn takes(self, parent: LayerKind) -> bool {
        match parent {
            LayerKind::Group => true,
            LayerKind::Optype => matches!(self, LayerKind::Opcode | LayerKind::Alias),
            LayerKind::Opcode => self == LayerKind::Alias,
            LayerKind::Alias => false,
        }
    }

    /// The kinds of its parents in words.
    pub fn parents(self) -> &'static str {
        match self {
            LayerKind::Opcode => "an optype or a group",
            LayerKind::Alias => "an opcode, an optype or a group",
            LayerKind::Group | LayerKind::Optype => "a group",
        }
    }
}

/// A group, optype or opcode.
#[derive(Debug)]
pub struct Layer<'a> {
    /// Which of the three.
    pub kind: LayerKind,
    /// Its name.
    pub name: Ident<'a>,
    /// The header line.
    pub header: Span,
    /// The generations and extensions that have it.
    pub guard: Option<&'a ast::Guard<'a>>,
    /// The syntax tree.
    pub ast: &'a ast::Layer<'a>,
    /// Its prose.
    pub prose: &'a [ast::Section<'a>],
    /// Its statements that were reported.
    pub broken: &'a ast::Broken<'a>,
    /// The parents that exist.
    pub parents: Vec<LayerId>,
    /// Whether a parent is missing here because it was reported.
    pub lacks_parent: bool,
    /// Whether it, or an ancestor, is missing a parent or fields that were reported.
    pub is_orphan: bool,
    /// Itself and its ancestors, roots first, each once.
    pub chain: Vec<LayerId>,
    /// Its own fields, including redeclared ones.
    pub own_fields: Vec<FieldId>,
    /// The fields of its chain, without redeclared ones.
    pub fields: Vec<FieldId>,
    /// Their positions there, in the order of their names.
    pub(crate) positions: Vec<(NameId, u32)>,
    /// Whether another layer names it as a parent.
    pub has_children: bool,
    /// Whether it is an operation: an optype, or an opcode without one.
    pub is_operation: bool,
    /// For a layer of an alias: the opcode. An alias has a layer for each of its opcodes, in addition to its
    /// definition.
    pub alias_of: Option<LayerId>,
    /// For a layer of an alias: whether the alias also belongs to other opcodes.
    pub is_shared: bool,
}

/// A field with its type and value.
#[derive(Debug)]
pub struct Field<'a> {
    /// The syntax tree.
    pub ast: &'a ast::Field<'a>,
    /// The layer that declares it.
    pub layer: LayerId,
    /// Its name.
    pub name: NameId,
    /// Its type, if it exists.
    pub ty: Option<TypeId>,
    /// The value given, if it is valid.
    pub binding: Option<Binding>,
    /// The names of a literal in later operands, each where an earlier operand has its own name.
    pub later: Vec<NameId>,
}

impl Field<'_> {
    /// Whether it is the literal of operands.
    pub fn is_literal(&self) -> bool {
        !self.ast.literal_of.is_empty()
    }

    /// The numbers of its bits, in any order. Numbers that exceed the word were reported and are limited.
    pub fn bits(&self) -> Bits {
        bits(&self.ast.bits)
    }

    /// Number of bits.
    pub fn width(&self) -> u32 {
        u32::try_from(self.ast.bits.width()).unwrap_or(LIMIT).min(LIMIT)
    }

    /// The numbers of the bits it covers, as far as they lie in the widest word.
    pub fn mask(&self) -> u128 {
        mask(&self.ast.bits)
    }
}

/// The most operands that share a literal: each set of them is a form of its own.
pub const MAX_SHARING: usize = 4;

/// More than the number of any bit.
const LIMIT: u32 = 1 << 20;

/// The numbers of the bits of a statement. Numbers that exceed any word are limited.
pub fn bits(bits: &ast::Bits) -> Bits {
    let small = |number: i128| u32::try_from(number).unwrap_or(LIMIT).min(LIMIT);
    if let ast::Notation::Angle { lsb, width } = &bits.notation {
        return Bits::one(small(lsb.value), small(width.value));
    }
    let piece = |(lsb, width)| Run { lsb: small(lsb), width: small(width) };
    Bits::new(bits.pieces().map(piece))
}

/// The numbers of the bits of a statement, as far as they lie in the widest word.
pub fn mask(bits: &ast::Bits) -> u128 {
    let small = |number: i128| u32::try_from(number).unwrap_or(crate::isa::MAX_WORD_BITS);
    let piece = |(lsb, width)| low_bits(small(width)).checked_shl(small(lsb)).unwrap_or(0);
    if let ast::Notation::Angle { lsb, width } = &bits.notation {
        return piece((lsb.value, width.value));
    }
    bits.pieces().fold(0, |mask, bits| mask | piece(bits))
}

/// The resolved statements of an opcode's chain, in the context of its fields.
#[derive(Debug)]
pub struct Opcode<'a> {
    /// The layer.
    pub layer: LayerId,
    /// The role of each of its fields, in the order of [`Layer::fields`].
    pub roles: Vec<Option<FieldRole>>,
    /// Its operands that are made of fields.
    pub composite_operands: Vec<CompositeOperand>,
    /// Its operands in assembly order.
    pub operands: Vec<Operand>,
    /// Its reads and writes.
    pub flow: Vec<FlowItem>,
    /// The conditions of reads and writes that only some words have, with their locations.
    pub conditions: Vec<(Span, ExprId)>,
    /// Where execution goes, the nearest statements first.
    pub classes: Vec<FlowClass>,
    /// The operands that are read.
    pub inputs: List<'a>,
    /// The operands that are written.
    pub outputs: List<'a>,
    /// The order of the operands in text.
    pub order: List<'a>,
    /// Operands whose width is given, correctly or not.
    pub widths: Widths,
    /// How fields are written.
    pub formats: Vec<AsmFormat>,
    /// The operand that is written before the mnemonic, if it is the first.
    pub guard: Option<NameId>,
    /// Modifiers with a given order.
    pub modi_order: Vec<NameId>,
    /// The register files that are read or written, but are not in `Order`.
    pub implicit: Vec<Operand>,
    /// Its declared mnemonics, the canonical mnemonic first.
    pub mnemonics: Vec<&'a str>,
    /// The pieces of each of these; none if no fields are in them.
    pub pieces: Vec<Vec<MnemonicPiece>>,
    /// The suffix of the mnemonic.
    pub suffix: &'a str,
    /// Bits in the instruction.
    pub width: u32,
    /// The opcode whose compressed encoding it is.
    pub short: Option<Short<'a>>,
    /// The values that are fixed outside the fields' declarations.
    pub fixed: Vec<(NameId, u64)>,
    /// For an alias: fields whose bits are computed from other fields, with their expressions.
    pub equal: Vec<(NameId, ExprId)>,
    /// The conditions of `Match`, and the message for words that violate them.
    pub matches: Vec<(ExprId, Option<&'a str>)>,
    /// For an alias of several opcodes: whether this opcode has no word of it.
    pub is_never: bool,
    /// Its rules.
    pub rules: Vec<(&'a ast::Rule<'a>, ExprId)>,
}

/// An opcode is a compressed encoding of another opcode's instructions.
#[derive(Debug, Clone)]
pub struct Short<'a> {
    /// The other opcode.
    pub of: LayerId,
    /// The source of each of its fields.
    pub fields: Vec<(NameId, Source)>,
    /// The sets of extensions in which this holds.
    pub guard: Option<&'a ast::Guard<'a>>,
}

/// The source of a field of the long encoding.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    /// A field of the compressed encoding.
    Field(NameId),
    /// A value.
    Value(u64),
}

/// An operand made of fields.
#[derive(Debug, Clone)]
pub struct CompositeOperand {
    /// Its name.
    pub name: NameId,
    /// A composite of the fields, or the type of the computed value.
    pub ty: TypeId,
    /// The fields, in the order of the composite's parts: the first field has the highest bits.
    pub parts: Vec<FieldId>,
    /// Its bit, if it has no fields.
    pub fixed: Option<FixedBit>,
    /// The value that is computed from the fields, if any.
    pub value: Option<ExprId>,
    /// Whether it is a modifier, and not an operand.
    pub is_modifier: bool,
}

/// A bit that an opcode fixes.
#[derive(Debug, Clone, Copy)]
pub struct FixedBit {
    /// Its number, as statements count.
    pub number: u32,
    /// Whether it is 1.
    pub value: bool,
}

/// A list of operands.
#[derive(Debug, Default)]
pub struct List<'a> {
    /// The statement that applies.
    pub statement: Option<&'a ast::OperandStatement<'a>>,
    /// The meaning of its entries; `None` for a reported entry.
    pub places: Vec<Option<OperandLocation>>,
    /// Whether operands may be missing here, for a reason that was reported.
    pub has_gaps: bool,
}

impl<'a> List<'a> {
    /// The keyword in the text: `Operands`, or the keyword of this list.
    pub fn keyword(&self, own: &'static str) -> &'static str {
        match self.statement.is_some_and(|statement| statement.is_short) {
            true => "Operands",
            false => own,
        }
    }

    /// The entries as they were written.
    pub fn entries(&self) -> &'a [ast::OperandRef<'a>] {
        match self.statement.map(|statement| &statement.kind) {
            Some(
                ast::OperandStatementKind::InList(list)
                | ast::OperandStatementKind::OutList(list)
                | ast::OperandStatementKind::Order(list),
            ) => list,
            _ => &[],
        }
    }
}

/// Operands with a given width.
#[derive(Debug, Default)]
pub struct Widths {
    /// Their names.
    pub names: Vec<NameId>,
    /// Whether others may be missing because statements were reported.
    pub has_gaps: bool,
}

/// The problem with a field's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misplaced {
    /// It has no bits.
    Empty,
    /// It exceeds the word, which has this number of bits.
    Outside(u32),
    /// Its width differs from the width of its type.
    UnlikeType(TypeId),
}

impl Opcode<'_> {
    /// The value of a field, if given.
    pub fn binding(&self, field: &Field<'_>) -> Option<Binding> {
        let fixed = self.fixed.iter().find(|(name, _)| *name == field.name);
        fixed.map(|(_, raw)| Binding::Fixed(*raw)).or(field.binding)
    }
}

impl<'a> Model<'a> {
    /// The names that guards may use.
    pub(crate) fn names_of_guards(&self) -> crate::extensions::Names<'a> {
        self.isa.as_ref().map_or_else(Default::default, |isa| crate::extensions::Names {
            generations: isa.generations.clone(),
            extensions: isa.extensions.clone(),
        })
    }

    /// Whether the pseudo code of a layer is checked: what the nearest `Semantics` of its chain says.
    pub fn is_checked(&self, layer: &Layer<'_>) -> bool {
        let said = |id: &LayerId| self.layer(*id).ast.semantics;
        let nearest = layer.chain.iter().rev().find_map(said);
        let header = self.isa.as_ref().and_then(|isa| isa.semantics);
        nearest.or(header).is_some_and(|word| word.text == "checked")
    }

    /// A layer.
    pub fn layer(&self, id: LayerId) -> &Layer<'a> {
        &self.layers[id.0 as usize]
    }

    /// A field.
    pub fn field(&self, id: FieldId) -> &Field<'a> {
        &self.fields[id.0 as usize]
    }

    /// A type.
    pub fn ty(&self, id: TypeId) -> &crate::isa::Type {
        &self.types[id.index()].ty
    }

    /// Whether values of a type are distances from an address, or have parts that are.
    pub fn has_distances(&self, id: TypeId) -> bool {
        match &self.ty(id).kind {
            TypeKind::Immediate(immediate) => immediate.relative.is_some(),
            TypeKind::Composite(composite) => {
                composite.parts.iter().any(|part| self.has_distances(part.ty))
            }
            TypeKind::BitField(_) | TypeKind::Operand(_) => false,
        }
    }

    /// The layers that are operations, in the order of [`crate::isa::Isa::optypes`].
    pub fn operations(&self) -> impl Iterator<Item = &Layer<'a>> {
        self.layers.iter().filter(|layer| layer.is_operation)
    }

    /// The ids of all layers.
    pub fn layer_ids(&self) -> impl Iterator<Item = LayerId> + use<> {
        (0..self.layers.len() as u32).map(LayerId)
    }

    /// The field of a layer with a name.
    pub fn find_field(&self, layer: LayerId, name: NameId) -> Option<FieldId> {
        Some(self.layer(layer).fields[self.position(layer, name)?])
    }

    /// The index in [`Layer::fields`] of the field with a name.
    pub fn position(&self, layer: LayerId, name: NameId) -> Option<usize> {
        let positions = &self.layer(layer).positions;
        let index = positions.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        Some(positions[index].1 as usize)
    }

    /// The field with a name, given as text.
    pub fn find_field_text(&self, layer: LayerId, name: &str) -> Option<FieldId> {
        self.find_field(layer, self.names.get(name)?)
    }

    /// Whether a field with this name can be missing in a layer for a known reason. Either the reason was reported, or
    /// an opcode below the layer would declare the field.
    pub fn may_have_field(&self, layer: LayerId, name: &str) -> bool {
        let layer = self.layer(layer);
        layer.is_orphan
            || layer.kind != LayerKind::Opcode
            || layer.chain.iter().any(|id| self.layer(*id).broken.words().contains(name))
    }

    /// Whether bits are counted from the highest.
    pub fn is_msb0(&self) -> bool {
        self.isa.as_ref().is_some_and(|isa| isa.layout.is_msb0())
    }

    /// The problem with a field's position by itself, as far as known.
    pub fn misplaced(&self, field: &Field<'a>) -> Option<Misplaced> {
        let bits = &field.ast.bits;
        let width = bits.width();
        if width == 0 {
            return Some(Misplaced::Empty);
        }
        let word = self.isa.as_ref().and_then(|isa| isa.width);
        if let Some(word) = word.filter(|word| bits.end() > i128::from(*word)) {
            return Some(Misplaced::Outside(word));
        }
        let ty = field.ty?;
        let unlike = self.types[ty.index()].width.is_some_and(|bits| i128::from(bits) != width);
        unlike.then_some(Misplaced::UnlikeType(ty))
    }

    /// The bits that a field certainly covers: none if its position is impossible, and no more
    /// than its type has. A literal exists only in a form of its own.
    pub fn claims(&self, field: &Field<'a>) -> u128 {
        if field.is_literal() {
            return 0;
        }
        match self.misplaced(field) {
            None => field.mask(),
            Some(Misplaced::UnlikeType(ty)) => field.bits().part(0, self.ty(ty).width).mask(),
            Some(_) => 0,
        }
    }
}

/// How a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsmFormat {
    /// The field.
    pub field: NameId,
    /// The function that writes it.
    pub function: Function,
}

/// The functions of `AsmFormat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// `CvtINegX(x.neg, ext)`: `-`, or `~` when the modifier is written.
    CvtINegX {
        /// The modifier.
        ext: NameId,
    },
    /// `CvtFImm(v, fmt)`: a floating-point number in the format that the modifier selects.
    CvtFImm {
        /// The modifier.
        format: NameId,
    },
    /// `CvtNegConst(x.neg, word)`: `-`, or `word(…)` directly before a constant.
    CvtNegConst {
        /// The word, an index into [`Model::words`].
        word: usize,
    },
}
