//! The lowered form: an instruction set that is fully known and checked.
//!
//! An [`Isa`] is made by [`Isa::seal`] alone, which checks that its parts fit together; lowering is what calls it. So users
//! of an `Isa` do not need an error path.
//!
//! Bits: bit 0 is the least significant of the instruction word; a field is given by its lowest
//! bit and its width; words are little-endian in memory. Ranges are half-open in code and
//! `hi:lo` in documents.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

mod bits;
mod comment_syntax;
mod composite;
mod computed;
mod data_flow;
mod elf;
mod environment;
mod expr;
mod extensions;
mod family;
mod immediate;
mod inst;
mod lookup;
mod merged;
mod mnemonic;
mod names;
mod opcode;
pub mod outline;
mod piece;
mod register_names;
mod relocation;
mod seal;
mod select;
mod sets;
mod special;
mod syntax;
mod types;
mod uses;
mod word_layout;

pub use bits::{Bits, Run};
pub use comment_syntax::CommentSyntax;
pub use composite::{Composite, CompositeSegment, Part};
pub use computed::OutOfRange;
pub use computed::{Computed, MAX_COMPUTED_BITS};
pub use data_flow::{DataFlow, DerivedItem};
pub use elf::{Elf, ElfFact, Relaxation};
pub use environment::{Environment, Kept, KeptValue, Register, RegisterPart};
pub use expr::{Expr, Reading};
pub use expr::{eval_binary, eval_call};
pub use extensions::{ExtensionCondition, ExtensionSet, Extensions, Implied, Required, Term};
pub use family::Family;
pub use immediate::Immediate;
pub use inst::{DecodeError, EncodeError, Inst};
pub use isadl_base::vocabulary::{LITERAL, RuleScope, SectionKind, Symbol};
pub use merged::Merged;
pub use mnemonic::{MAX_NAMES, Mnemonic, MnemonicPiece};
pub use opcode::{
    Access, Alias, Binding, CompositeOperand, Field, FieldRole, FlowClass, FlowItem, FlowPlace,
    LiteralForm, Move, Moved, Opcode, Operand, OperandLocation, Origin, Short,
};
pub use outline::Outline;
pub use piece::FieldPiece;
pub use register_names::RegisterNames;
pub use relocation::{Pair, Relocation, Written};
pub use seal::{IsaParts, Misfit};
pub use select::{Selection, SelectionKind, SetError, UnknownSelection};
pub use sets::{Coexistence, find_set, find_set_of, needed};
pub use special::SpecialCase;
pub use special::{fill_in as fill_in_special_cases, fixes_more, is_special_case};
pub use syntax::{Attribute, ModifierSyntax, Omission, OperandSyntax, Syntax};
pub use types::{
    ConstantBits, Entry, Enumerator, GuardedValues, Meaning, Number, NumberFormat, OtherName,
    Otherwise, Point, Print, Relative, Type, TypeKind,
};
pub use uses::{Effect, FlowControl, Resource, Use};
pub use word_layout::{Numbering, WordLayout};
pub use word_layout::{bit_ranges, range_text};

/// The width of the widest possible instruction, in bits.
pub const MAX_WORD_BITS: u32 = 128;

/// The width of the widest possible field, in bits.
pub const MAX_FIELD_BITS: u32 = 64;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The number of the item at an index of the vector of its kind.
            pub const fn new(index: usize) -> $name {
                $name(index as u32)
            }

            /// The index into the vector of its kind.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A register file, an index into [`Isa::reg_files`].
    RegFileId;
    /// A type, an index into [`Isa::types`].
    TypeId;
    /// A special register, an index into [`Isa::specials`].
    SpecialId;
    /// A field name, an index into [`Isa::names`].
    NameId;
    /// An expression, an index into [`Isa::exprs`].
    ExprId;
    /// A rule, an index into [`Isa::rules`].
    RuleId;
    /// A group, an index into [`Isa::groups`].
    GroupId;
    /// An optype, an index into [`Isa::optypes`].
    OptypeId;
    /// An opcode, an index into [`Isa::opcodes`].
    OpcodeId;
}

/// An instruction set, of a single generation or of several generations that are alike.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
// What is read is sealed: see `seal.rs`.
#[cfg_attr(feature = "serde", serde(remote = "Self"))]
pub struct Isa {
    pub(crate) name: String,
    pub(crate) width: u32,
    pub(crate) generations: Vec<String>,
    pub(crate) describes: Generations,
    pub(crate) extensions: Extensions,
    pub(crate) name_sets: Vec<String>,
    /// The index of the name set that values are printed with.
    pub(crate) shown_names: usize,
    pub(crate) modifiers: ModifierStyle,
    /// Names in templates, and the fields whose operands they stand for.
    pub(crate) placeholders: Vec<(String, Vec<String>)>,
    pub(crate) comment_syntax: CommentSyntax,
    pub(crate) elf: Elf,
    pub(crate) environments: Vec<Environment>,
    pub(crate) layout: WordLayout,
    pub(crate) folds_case: bool,
    pub(crate) has_ranges: bool,
    pub(crate) description: String,
    pub(crate) reg_files: Vec<RegFile>,
    pub(crate) types: Vec<Type>,
    pub(crate) specials: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) groups: Vec<Group>,
    pub(crate) optypes: Vec<Optype>,
    pub(crate) opcodes: Vec<Opcode>,
    /// The mnemonics that only other generations have, with these generations.
    pub(crate) elsewhere: BTreeMap<String, Generations>,
    /// Whether opcodes were left out.
    pub(crate) is_part: bool,
    /// Not stored: it is of use with the source files alone.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) outline: Arc<Outline>,
}

impl Isa {
    /// The opcodes and the forms of their aliases: everything that is written in its own way.
    pub fn texts(&self) -> impl Iterator<Item = &Opcode> {
        let forms = self.opcodes.iter().flat_map(|opcode| &opcode.aliases);
        self.opcodes.iter().chain(forms.map(|alias| &alias.form))
    }

    /// The instruction set with the forms of all aliases as opcodes after the others; `None` if there are no
    /// aliases.
    pub fn with_alias_forms(&self) -> Option<Isa> {
        let forms = self.opcodes.iter().flat_map(|opcode| &opcode.aliases);
        let forms: Vec<Opcode> = forms.map(|alias| alias.form.clone()).collect();
        (!forms.is_empty()).then(|| {
            let mut isa = self.clone();
            isa.opcodes.extend(forms);
            isa
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bits in the widest instruction.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Bytes in the widest instruction.
    pub fn bytes(&self) -> usize {
        self.width as usize / 8
    }

    /// Whether a name in templates stands for the operand of a field.
    pub fn stands_for(&self, name: &str, field: &str) -> bool {
        self.stand_ins(name).any(|known| known == field)
    }

    /// The fields for whose operands a name in templates may stand.
    pub fn stand_ins(&self, name: &str) -> impl Iterator<Item = &str> {
        let of_name = self.placeholders.iter().filter(move |(known, _)| known == name);
        of_name.flat_map(|(_, fields)| fields).map(String::as_str)
    }

    /// Names of all declared generations.
    pub fn generations(&self) -> &[String] {
        &self.generations
    }

    /// The set of names by which values are printed, an index into [`Isa::name_sets`].
    pub fn shown_names(&self) -> usize {
        self.shown_names
    }

    /// The generations that have a mnemonic, if only others than these have it.
    pub fn elsewhere(&self, mnemonic: &str) -> Option<Generations> {
        self.elsewhere.get(mnemonic).copied()
    }

    /// Its extensions.
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// The generations that this instruction set describes.
    pub fn describes(&self) -> Generations {
        self.describes
    }

    /// Names of the generations of a set.
    pub fn generation_names(&self, set: Generations) -> impl Iterator<Item = &str> {
        let named = self.generations.iter().enumerate();
        named.filter(move |(index, _)| set.contains(*index)).map(|(_, name)| name.as_str())
    }

    /// The labels of the first, second, … name set; empty if the instruction set does not declare any.
    pub fn name_sets(&self) -> &[String] {
        &self.name_sets
    }

    /// How modifiers are written.
    pub fn modifiers(&self) -> ModifierStyle {
        self.modifiers
    }

    /// The signs that begin comments and end instructions in assembly lines.
    pub fn comment_syntax(&self) -> &CommentSyntax {
        &self.comment_syntax
    }

    /// Properties of its object files.
    pub fn elf(&self) -> &Elf {
        &self.elf
    }

    /// What its programs can run in. If several generations are merged, environments of one name may occur several times.
    pub fn environments(&self) -> &[Environment] {
        &self.environments
    }

    /// Whether assembly lines are read without regard to case.
    pub fn folds_case(&self) -> bool {
        self.folds_case
    }

    /// Whether an operand of several registers is written as a range. Otherwise it is written by the name of its first
    /// register.
    pub fn has_ranges(&self) -> bool {
        self.has_ranges
    }

    /// The number of data bits in an operand, if its text depends on it: several registers hold it.
    /// The operand is an index into [`Opcode::operands`].
    pub fn written_width(&self, opcode: &Opcode, operand: usize) -> Option<ExprId> {
        opcode.operands[operand].width.filter(|_| self.has_ranges)
    }

    /// A text as assembly lines are compared: in lower case, if case does not matter.
    pub fn folded<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.folds_case { text.to_ascii_lowercase().into() } else { text.into() }
    }

    /// The order of bytes, units and bits.
    pub fn word_layout(&self) -> WordLayout {
        self.layout
    }

    /// The instruction as a number: its word without bits that only other instructions have.
    pub fn number_of(&self, inst: Inst) -> u128 {
        self.numbering(self.opcode(inst.opcode)).number(inst.word)
    }

    /// How the bits of an opcode are numbered.
    pub fn numbering(&self, opcode: &Opcode) -> Numbering {
        self.layout.numbering(opcode.width)
    }

    /// Its description, in Markdown.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Its register files.
    pub fn reg_files(&self) -> &[RegFile] {
        &self.reg_files
    }

    /// Its types, in order of definition.
    pub fn types(&self) -> &[Type] {
        &self.types
    }

    /// The ids of its types.
    pub fn type_ids(&self) -> impl ExactSizeIterator<Item = TypeId> + use<> {
        (0..self.types.len() as u32).map(TypeId)
    }

    /// The distinct names of special registers, in order of first appearance.
    pub fn specials(&self) -> &[String] {
        &self.specials
    }

    /// The distinct names of its fields, in order of first appearance.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The distinct expressions of its rules and widths.
    pub fn exprs(&self) -> &[Expr] {
        &self.exprs
    }

    /// Its rules.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Its groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Its optypes.
    pub fn optypes(&self) -> &[Optype] {
        &self.optypes
    }

    /// Its opcodes, in order of definition.
    pub fn opcodes(&self) -> &[Opcode] {
        &self.opcodes
    }

    /// The ids of its opcodes.
    pub fn opcode_ids(&self) -> impl ExactSizeIterator<Item = OpcodeId> + use<> {
        (0..self.opcodes.len() as u32).map(OpcodeId)
    }

    /// Where its items are written.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Whether it is a selection of groups. Unknown words can then belong to excluded opcodes.
    pub fn is_part(&self) -> bool {
        self.is_part
    }

    /// A type.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    /// A field name.
    pub fn name_of(&self, id: NameId) -> &str {
        &self.names[id.index()]
    }

    /// An opcode.
    pub fn opcode(&self, id: OpcodeId) -> &Opcode {
        &self.opcodes[id.index()]
    }

    /// A rule.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// A part of the composite in a field, as if it were a field of its own; `None` if the field's
    /// type is not a composite, or has fewer parts.
    pub fn part(&self, field: &Field, part: usize) -> Option<Field> {
        let TypeKind::Composite(composite) = &self.ty(field.ty).kind else { return None };
        let part = composite.parts.get(part)?;
        let raw = |raw: u64| part.bits.extract(raw.into());
        let binding = match field.binding {
            Binding::Required => Binding::Required,
            Binding::Default(value) => Binding::Default(raw(value)),
            Binding::Fixed(value) => Binding::Fixed(raw(value)),
        };
        let bits = part.bits.within(&field.bits);
        Some(Field { ty: part.ty, bits, binding, ..field.clone() })
    }

    /// The opcode with a name.
    pub fn find_opcode(&self, name: &str) -> Option<OpcodeId> {
        self.opcode_ids().find(|id| self.opcode(*id).name == name)
    }
}

/// A set of generations, by their index among the declared generations. An instruction set without declared generations
/// has only the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Generations(u64);

impl Generations {
    /// The maximum number of generations of an instruction set.
    pub const MAX: usize = 64;

    /// One generation; `index` is below [`Generations::MAX`].
    pub fn one(index: usize) -> Generations {
        Generations(1 << index)
    }

    /// A set of the first `count` generations, at least one of them.
    pub fn all(count: usize) -> Generations {
        Generations(low_bits(count.clamp(1, Generations::MAX) as u32) as u64)
    }

    /// Whether the set contains a generation.
    pub fn contains(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }

    /// The generations in both sets.
    pub fn union(self, other: Generations) -> Generations {
        Generations(self.0 | other.0)
    }

    /// The index of the first.
    pub fn first(self) -> usize {
        self.0.trailing_zeros() as usize
    }

    /// One bit per generation, the lowest for the first.
    pub fn bits(self) -> u64 {
        self.0
    }
}

/// How modifiers are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ModifierStyle {
    /// After the mnemonic, each after a dot.
    #[default]
    Dots,
    /// After the operands, each after a space.
    Words,
}

impl ModifierStyle {
    /// The text before a modifier.
    pub fn sign(self) -> char {
        match self {
            ModifierStyle::Dots => '.',
            ModifierStyle::Words => ' ',
        }
    }
}

/// A register file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RegFile {
    /// Its name, which means the whole file in a list of operands.
    pub name: String,
    /// Bits in a register.
    pub width: u32,
    /// Number of registers.
    pub count: u32,
    /// Its description, in Markdown.
    pub description: String,
}

/// The origin of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RuleOrigin {
    /// An `__Exception` statement, or a consequence of other statements.
    Rule,
    /// `Match`: words that break it are none of the opcode.
    Match,
    /// The guard of a value, and nothing else: it needs extensions.
    Value,
}

/// A rule that refuses words for which its condition holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rule {
    /// Who refuses the word.
    pub scope: RuleScope,
    /// The kind of error.
    pub kind: String,
    /// The message.
    pub message: String,
    /// Holds for words that are refused.
    pub condition: ExprId,
    /// The statement that the rule was made of.
    pub origin: RuleOrigin,
}

/// A group.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The groups it belongs to.
    pub parents: Vec<GroupId>,
    /// Its prose.
    pub prose: Vec<Prose>,
}

/// An operation, in all its forms.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Optype {
    /// Its name.
    pub name: String,
    /// The text before the first modifier in assembly.
    pub mnemonic: String,
    /// The groups it belongs to directly.
    pub groups: Vec<GroupId>,
    /// Its opcodes.
    pub opcodes: Vec<OpcodeId>,
    /// Its prose.
    pub prose: Vec<Prose>,
}

/// A section of prose.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Prose {
    /// Which section.
    pub kind: SectionKind,
    /// Markdown.
    pub text: String,
}

/// The lowest `width` bits set; `width` is at most 128.
pub fn low_bits(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}
