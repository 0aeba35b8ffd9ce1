//! The lowered form: an instruction set of which everything is known and checked.
//!
//! Only [`crate::compile`] makes an [`Isa`], so whoever holds one needs no error path.
//!
//! Bits: bit 0 is the least significant of the instruction word; a field is given by its lowest
//! bit and its width; words are little-endian in memory. Ranges are half-open in code and
//! `hi:lo` in documents.

pub use crate::ast::SectionKind;
use crate::ast::{BinaryOp, UnaryOp};
use crate::tree::Tree;

/// Widest instruction, in bits.
pub const MAX_WORD_BITS: u32 = 128;

/// Widest field, in bits.
pub const MAX_FIELD_BITS: u32 = 64;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The index into the vector of its kind.
            pub fn index(self) -> usize {
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

/// An instruction set.
#[derive(Debug)]
pub struct Isa {
    pub(crate) name: String,
    pub(crate) width: u32,
    pub(crate) generations: Vec<String>,
    pub(crate) description: String,
    pub(crate) reg_files: Vec<RegFile>,
    pub(crate) types: Vec<Type>,
    pub(crate) names: Vec<String>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) groups: Vec<Group>,
    pub(crate) optypes: Vec<Optype>,
    pub(crate) opcodes: Vec<Opcode>,
    pub(crate) tree: Tree,
}

impl Isa {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bits in an instruction.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Bytes in an instruction.
    pub fn bytes(&self) -> usize {
        self.width as usize / 8
    }

    /// Names of its generations; none if there is only one.
    pub fn generations(&self) -> &[String] {
        &self.generations
    }

    /// What it is, in Markdown.
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

    /// The structure that finds the opcode of a word.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// A tree for some of the opcodes.
    pub fn tree_of(&self, selected: &[OpcodeId]) -> Tree {
        Tree::build(&self.opcodes, selected, self.width)
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

    /// The opcode of a name.
    pub fn find_opcode(&self, name: &str) -> Option<OpcodeId> {
        self.opcode_ids().find(|id| self.opcode(*id).name == name)
    }
}

/// A register file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegFile {
    /// Its name, which in a list of operands stands for the whole file.
    pub name: String,
    /// Bits in a register.
    pub width: u32,
    /// Number of registers.
    pub count: u32,
    /// What it is, in Markdown.
    pub description: String,
}

/// The type of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    /// Its name.
    pub name: String,
    /// Bits in a field of the type, 1 to 64.
    pub width: u32,
    /// What values mean.
    pub kind: TypeKind,
    /// What it is, in Markdown.
    pub description: String,
}

/// The kinds of types.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeKind {
    /// An enumeration.
    BitField(Vec<Enumerator>),
    /// Registers and constants.
    Operand(Vec<Entry>),
    /// A number.
    Immediate(Immediate),
    /// Parts that are written together.
    Composite(Composite),
}

/// A value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enumerator {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: u64,
    /// How it is written behind the dot; empty if it is never written.
    pub spelling: String,
    /// The number format that it selects.
    pub format: Option<NumberFormat>,
    /// What it means; may be empty.
    pub doc: String,
}

/// A run of values of an operand type.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// First field value.
    pub value: u64,
    /// Number of field values.
    pub count: u64,
    /// What they mean.
    pub meaning: Meaning,
}

/// What the values of an entry mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// Registers `prefix` + number, from `first` on.
    Registers {
        /// The register file.
        file: RegFileId,
        /// What stands before the number.
        prefix: String,
        /// Number of the first.
        first: u32,
    },
    /// One register of a file under a name of its own.
    Register {
        /// The register file.
        file: RegFileId,
        /// Its name.
        name: String,
        /// Its number.
        number: u32,
    },
    /// A name of a file that reads as zeros or ones; a write to it is lost.
    Constant {
        /// The register file that it belongs to.
        file: RegFileId,
        /// Its name.
        name: String,
        /// What every bit reads as.
        bits: ConstantBits,
    },
    /// A special register, a resource of its own.
    Special(String),
    /// A name that stands for nothing.
    Nothing(String),
    /// Integers from `first` on, by steps of `step` (1 or -1).
    Integers {
        /// The first.
        first: i64,
        /// 1 or -1.
        step: i64,
    },
    /// A floating-point constant, as written.
    Float(String),
}

/// What every bit of a constant register reads as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstantBits {
    /// Zeros.
    Zero,
    /// Ones.
    One,
}

/// A type of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Immediate {
    /// How its bits are read.
    pub number: NumberFormat,
    /// How an integer is written.
    pub print: Print,
}

/// How an integer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Print {
    /// In decimal.
    Decimal,
    /// In hexadecimal.
    Hex,
}

/// How the bits of a number are read: `lanes` numbers side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberFormat {
    /// What a lane holds.
    pub number: Number,
    /// Number of lanes.
    pub lanes: u32,
}

/// A kind of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// Unsigned integer.
    Unsigned,
    /// Integer in two's complement.
    Signed,
    /// Sign, exponent and fraction, as in IEEE 754.
    Float {
        /// Bits of the exponent.
        exponent: u32,
        /// Bits of the fraction.
        fraction: u32,
    },
}

/// A type made of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composite {
    /// Its parts, in order of definition.
    pub parts: Vec<Part>,
    /// How it is written.
    pub format: Vec<Piece>,
}

/// A part of a composite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Lowest bit within the composite.
    pub lsb: u32,
    /// Its type.
    pub ty: TypeId,
}

/// A piece of the way a composite is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stands.
    Text(String),
    /// The part of an index.
    Part(usize),
}

impl Type {
    /// Whether a field of the type may hold `raw`.
    pub fn is_legal(&self, raw: u64) -> bool {
        match &self.kind {
            TypeKind::BitField(enumerators) => enumerators.iter().any(|e| e.value == raw),
            TypeKind::Operand(entries) => entries.iter().any(|e| e.position(raw).is_some()),
            TypeKind::Immediate(_) | TypeKind::Composite(_) => {
                self.width >= 64 || raw >> self.width == 0
            }
        }
    }

    /// The illegal values, as half-open ranges in rising order.
    pub fn holes(&self) -> Vec<(u64, u128)> {
        let mut legal: Vec<(u64, u128)> = match &self.kind {
            TypeKind::BitField(list) => {
                list.iter().map(|e| (e.value, u128::from(e.value) + 1)).collect()
            }
            TypeKind::Operand(list) => {
                list.iter().map(|e| (e.value, u128::from(e.value) + u128::from(e.count))).collect()
            }
            TypeKind::Immediate(_) | TypeKind::Composite(_) => return Vec::new(),
        };
        legal.sort_unstable();
        let mut holes = Vec::new();
        let mut next: u128 = 0;
        for (start, end) in legal {
            if u128::from(start) > next {
                holes.push((next as u64, u128::from(start)));
            }
            next = next.max(end);
        }
        if next < 1 << self.width {
            holes.push((next as u64, 1 << self.width));
        }
        holes
    }

    /// How integers of the type are read.
    pub fn reading(&self) -> Reading {
        match &self.kind {
            TypeKind::Immediate(Immediate {
                number: NumberFormat { number: Number::Signed, lanes: 1 },
                ..
            }) => Reading::Signed,
            _ => Reading::Unsigned,
        }
    }
}

impl Entry {
    /// How far `raw` is from the first value, if the entry holds it.
    pub fn position(&self, raw: u64) -> Option<u64> {
        raw.checked_sub(self.value).filter(|position| *position < self.count)
    }

    /// The value that `text` names.
    pub fn find(&self, text: &str) -> Option<u64> {
        match &self.meaning {
            Meaning::Registers { prefix, first, .. } => {
                let digits = text.strip_prefix(prefix.as_str())?;
                let number: u64 = digits.parse().ok()?;
                // `R07` and `R+7` are no names.
                let position = number.checked_sub(u64::from(*first)).filter(|p| *p < self.count)?;
                (number.to_string() == digits).then_some(self.value + position)
            }
            Meaning::Integers { first, step } => {
                let number: i128 = text.parse().ok()?;
                let position = (number - i128::from(*first)) * i128::from(*step);
                u64::try_from(position).ok().filter(|p| *p < self.count).map(|p| self.value + p)
            }
            _ => (self.name_at(0) == text).then_some(self.value),
        }
    }

    /// The name of the value at `position`.
    pub fn name_at(&self, position: u64) -> String {
        match &self.meaning {
            Meaning::Registers { prefix, first, .. } => {
                format!("{prefix}{}", u64::from(*first) + position)
            }
            Meaning::Register { name, .. } | Meaning::Constant { name, .. } => name.clone(),
            Meaning::Special(name) | Meaning::Nothing(name) => name.clone(),
            Meaning::Integers { first, step } => {
                (i128::from(*first) + i128::from(*step) * i128::from(position)).to_string()
            }
            Meaning::Float(text) => text.clone(),
        }
    }
}

/// How the bits of a field become an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reading {
    /// As they are.
    Unsigned,
    /// In two's complement.
    Signed,
}

/// A checked expression over the fields of an instruction. Arithmetic is on 128-bit integers
/// and wraps; a division by zero gives 0; a shift by a negative number or by 128 and more gives
/// 0; comparisons and `and`, `or`, `not` give 0 or 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A number.
    Int(i128),
    /// The value of a field.
    Field(NameId, Reading),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The fields that occur, without repetition, in order of appearance.
    pub fn fields(&self) -> Vec<NameId> {
        let mut names = Vec::new();
        self.collect_fields(&mut names);
        names
    }

    fn collect_fields(&self, into: &mut Vec<NameId>) {
        match self {
            Expr::Int(_) => {}
            Expr::Field(name, _) => {
                if !into.contains(name) {
                    into.push(*name);
                }
            }
            Expr::Unary(_, operand) => operand.collect_fields(into),
            Expr::Binary(_, left, right) => {
                left.collect_fields(into);
                right.collect_fields(into);
            }
        }
    }

    /// The value, with `field` giving the integers of fields.
    pub fn eval(&self, field: &impl Fn(NameId, Reading) -> i128) -> i128 {
        match self {
            Expr::Int(value) => *value,
            Expr::Field(name, reading) => field(*name, *reading),
            Expr::Unary(UnaryOp::Neg, operand) => operand.eval(field).wrapping_neg(),
            Expr::Unary(UnaryOp::Not, operand) => i128::from(operand.eval(field) == 0),
            Expr::Binary(op, left, right) => eval_binary(*op, left.eval(field), right.eval(field)),
        }
    }
}

fn eval_binary(op: BinaryOp, a: i128, b: i128) -> i128 {
    let shift = u32::try_from(b).ok().filter(|shift| *shift < 128);
    match op {
        BinaryOp::Or => i128::from(a != 0 || b != 0),
        BinaryOp::And => i128::from(a != 0 && b != 0),
        BinaryOp::Eq => i128::from(a == b),
        BinaryOp::Ne => i128::from(a != b),
        BinaryOp::Lt => i128::from(a < b),
        BinaryOp::Le => i128::from(a <= b),
        BinaryOp::Gt => i128::from(a > b),
        BinaryOp::Ge => i128::from(a >= b),
        BinaryOp::BitOr => a | b,
        BinaryOp::BitAnd => a & b,
        BinaryOp::Shl => shift.map_or(0, |shift| a << shift),
        BinaryOp::Shr => shift.map_or(0, |shift| a >> shift),
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div => a.checked_div(b).unwrap_or(0),
    }
}

/// A word for which the condition holds is illegal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The kind of error.
    pub kind: String,
    /// The message.
    pub message: String,
    /// Holds for illegal words.
    pub condition: ExprId,
}

/// A group.
#[derive(Debug)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The groups it belongs to.
    pub parents: Vec<GroupId>,
    /// Its prose.
    pub prose: Vec<Prose>,
}

/// An operation, in all its forms.
#[derive(Debug)]
pub struct Optype {
    /// Its name.
    pub name: String,
    /// What stands before the first modifier in assembly text.
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
pub struct Prose {
    /// Which section.
    pub kind: SectionKind,
    /// Markdown.
    pub text: String,
}

/// One form of an operation: an instruction with fixed bits.
#[derive(Debug)]
pub struct Opcode {
    /// Its name.
    pub name: String,
    /// Its number, which stays when opcodes are added.
    pub number: u16,
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
    /// Its fields by rising lowest bit.
    pub fields: Vec<Field>,
    /// Its operands in assembly order.
    pub operands: Vec<Operand>,
    /// How fields are written.
    pub formats: Vec<AsmFormat>,
    /// Modifiers whose order is given.
    pub modi_order: Vec<NameId>,
    /// The rules a word must not break.
    pub rules: Vec<RuleId>,
    /// Its own prose.
    pub prose: Vec<Prose>,
}

impl Opcode {
    /// The field of a name.
    pub fn field(&self, name: NameId) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
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

/// The lowest `width` bits set; `width` is at most 128.
pub fn low_bits(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
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

/// How a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsmFormat {
    /// The field.
    pub field: NameId,
    /// By what.
    pub function: Function,
}

/// The functions of `AsmFormat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// `CvtINegX(x.neg, ext)`: `-`, or `~` when the modifier is `X`.
    CvtINegX {
        /// The modifier.
        ext: NameId,
    },
    /// `CvtFImm(v, fmt)`: a floating-point number in the format that the modifier selects.
    CvtFImm {
        /// The modifier.
        format: NameId,
    },
}
