//! The syntax tree: the specification as written, with a span on every node and names as text.
//!
//! The stage between parsing and resolution. Invariant: every node's text is a slice of its source
//! file; names and values are not checked yet.

mod layer;

pub use crate::broken::{Broken, BrokenDefinition, NameSpace, Words};
pub use crate::isa::RuleScope;
use crate::source::{FileId, Span};
pub use layer::{
    Binding, Field, Fix, Fixed, Indirect, Layer, OperandRef, OperandStatement,
    OperandStatementKind, Reserved, ReservedKind, Rule, Treatment, Unstated, Value,
};

/// A name or other piece of text with its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ident<'s> {
    /// The text.
    pub text: &'s str,
    /// Its location.
    pub span: Span,
}

/// An integer with its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Int {
    /// The value, with its sign if one is allowed.
    pub value: i128,
    /// Its location.
    pub span: Span,
}

/// One source file.
#[derive(Debug, Clone)]
pub struct File<'s> {
    /// Which.
    pub id: FileId,
    /// Its definitions in order.
    pub definitions: Vec<Definition<'s>>,
    /// The definitions whose headers were reported.
    pub broken: Vec<BrokenDefinition<'s>>,
}

/// A definition: header and body.
#[derive(Debug, Clone)]
pub struct Definition<'s> {
    /// The whole header line without comment.
    pub header: Span,
    /// The name defined.
    pub name: Ident<'s>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
    /// What is defined.
    pub kind: DefinitionKind<'s>,
    /// The prose sections, in order.
    pub prose: Vec<Section<'s>>,
    /// The statements that were reported.
    pub broken: Broken<'s>,
}

impl Definition<'_> {
    /// Frees the spare capacity of its lists: a specification has tens
    /// of thousands of them.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.prose.shrink_to_fit();
        if let DefinitionKind::Group(layer)
        | DefinitionKind::Optype(layer)
        | DefinitionKind::Opcode(layer) = &mut self.kind
        {
            layer.parents.shrink_to_fit();
            layer.fields.shrink_to_fit();
            layer.reserved.shrink_to_fit();
            layer.fixes.shrink_to_fit();
            layer.unstated.shrink_to_fit();
            layer.operand_info.shrink_to_fit();
            layer.rules.shrink_to_fit();
        }
    }
}

/// `@[A, B..C]`: the generations that have the guarded item.
#[derive(Debug, Clone)]
pub struct Guard<'s> {
    /// The whole guard.
    pub span: Span,
    /// Its ranges.
    pub ranges: Vec<GuardRange<'s>>,
}

/// One or several generations.
#[derive(Debug, Clone)]
pub struct GuardRange<'s> {
    /// Its location.
    pub span: Span,
    /// The first; if absent, the oldest generation.
    pub first: Option<Ident<'s>>,
    /// The last, included; if absent, the newest generation.
    pub last: Option<Ident<'s>>,
}

/// What a definition defines.
#[derive(Debug, Clone)]
pub enum DefinitionKind<'s> {
    /// `__DefIsa`
    Isa(Isa<'s>),
    /// `__DefRegFile`
    RegFile(RegFile),
    /// `__DefBitFieldType`
    BitFieldType(BitFieldType<'s>),
    /// `__DefOperandType`
    OperandType(OperandType<'s>),
    /// `__DefImmediate`
    Immediate(Immediate<'s>),
    /// `__DefComposite`
    Composite(Composite<'s>),
    /// `__DefGroup`
    Group(Layer<'s>),
    /// `__DefOptype`
    Optype(Layer<'s>),
    /// `__DefOpcode`
    Opcode(Layer<'s>),
}

/// The instruction set.
#[derive(Debug, Clone)]
pub struct Isa<'s> {
    /// Bits in an instruction.
    pub width: Int,
    /// Names of its generations.
    pub generations: Vec<Ident<'s>>,
    /// `Modifiers = …`
    pub modifiers: Option<Ident<'s>>,
}

/// A register file.
#[derive(Debug, Clone)]
pub struct RegFile {
    /// Bits in a register.
    pub width: Int,
    /// Number of registers.
    pub count: Int,
}

/// An enumeration.
#[derive(Debug, Clone)]
pub struct BitFieldType<'s> {
    /// Bits in a field of the type.
    pub width: Int,
    /// Its values in order.
    pub enumerators: Vec<Enumerator<'s>>,
}

/// A value of an enumeration.
#[derive(Debug, Clone)]
pub struct Enumerator<'s> {
    /// Its name.
    pub name: Ident<'s>,
    /// Its value, if given.
    pub value: Option<Int>,
    /// How it is written in assembly, if that is not its name.
    pub spelling: Option<Ident<'s>>,
    /// The number format that it selects.
    pub format: Option<NumberFormat>,
    /// The `///` lines before it.
    pub doc: Vec<&'s str>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// A mapping from field values to registers and constants.
#[derive(Debug, Clone)]
pub struct OperandType<'s> {
    /// Bits in a field of the type.
    pub width: Int,
    /// The mapping, in order.
    pub entries: Vec<OperandEntry<'s>>,
    /// `include OTHER`: the types whose entries it includes.
    pub includes: Vec<Include<'s>>,
}

/// `include OTHER;`
#[derive(Debug, Clone)]
pub struct Include<'s> {
    /// The other operand type.
    pub name: Ident<'s>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// One line of an operand type.
#[derive(Debug, Clone)]
pub struct OperandEntry<'s> {
    /// The whole statement.
    pub span: Span,
    /// What the values mean.
    pub meaning: OperandMeaning<'s>,
    /// The first field value.
    pub value: Int,
    /// The register file after the colon; for a constant also the word `none`.
    pub file: Option<Ident<'s>>,
    /// `align n`: registers begin at multiples of a number.
    pub align: Option<Int>,
    /// `is a, b`: the classes that it belongs to.
    pub classes: Vec<Ident<'s>>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// What the values of an operand entry mean.
#[derive(Debug, Clone)]
pub enum OperandMeaning<'s> {
    /// `R[0..254]`: registers numbered from first to last, both included.
    Run {
        /// The prefix of their names.
        name: Ident<'s>,
        /// First number.
        first: Int,
        /// Last number.
        last: Int,
    },
    /// `RZ = 255 : GPR zero`, `m0 = 124`, `NONE = 0 : none`: one name.
    Named {
        /// The name.
        name: Ident<'s>,
        /// The word or index after the file's name.
        role: Option<RegisterRole>,
    },
    /// `const 0..64`: integers from first to last, both included, up or down.
    Integers {
        /// First integer.
        first: Int,
        /// Last integer.
        last: Int,
    },
    /// `const 0.5`: a floating-point constant, as written.
    Float(Ident<'s>),
    /// `literal`: the operand is a literal.
    Literal(Ident<'s>),
}

/// What a named register is.
#[derive(Debug, Clone, Copy)]
pub enum RegisterRole {
    /// Reads as zero; writes are discarded.
    Zero,
    /// Reads as all ones (true); writes are discarded.
    One,
    /// The absence of a register or constant.
    Nothing,
    /// A register of the file, by number.
    Index(Int),
}

/// How the bits of a number are read.
#[derive(Debug, Clone, Copy)]
pub struct NumberFormat {
    /// Its location.
    pub span: Span,
    /// The kind of number in a lane.
    pub number: Number,
    /// Number of lanes, side by side.
    pub lanes: Int,
}

/// A kind of number.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    /// Unsigned integer.
    Unsigned,
    /// Integer in two's complement.
    Signed,
    /// Sign, exponent and fraction.
    Float {
        /// Bits of the exponent.
        exponent: Int,
        /// Bits of the fraction.
        fraction: Int,
    },
}

/// A number in the instruction word.
#[derive(Debug, Clone)]
pub struct Immediate<'s> {
    /// Bits in a field of the type.
    pub width: Int,
    /// `Number = …`
    pub number: Option<NumberFormat>,
    /// `Print = …`
    pub print: Option<Ident<'s>>,
}

/// An operand made of parts.
#[derive(Debug, Clone)]
pub struct Composite<'s> {
    /// Bits in a field of the type.
    pub width: Int,
    /// Its parts; only position, type and name are used.
    pub parts: Vec<Field<'s>>,
    /// `Format = "…"`
    pub format: Option<Ident<'s>>,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr<'s> {
    /// Its location.
    pub span: Span,
    /// Its kind.
    pub kind: ExprKind<'s>,
}

/// The kinds of expressions.
#[derive(Debug, Clone)]
pub enum ExprKind<'s> {
    /// An integer.
    Int(i128),
    /// An enumerator or register, in quotes; the text is without them.
    Str(&'s str),
    /// A field, perhaps dotted.
    Field(&'s str),
    /// `field is class`
    Is(Ident<'s>, Ident<'s>),
    /// `not x`, `-x`
    Unary(UnaryOp, Box<Expr<'s>>),
    /// `x op y`
    Binary(BinaryOp, Box<Expr<'s>>, Box<Expr<'s>>),
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Neg,
}

/// Infix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is its symbol, see `symbol`")]
pub enum BinaryOp {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    BitOr,
    BitAnd,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Or => "or",
            BinaryOp::And => "and",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::BitOr => "|",
            BinaryOp::BitAnd => "&",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
        }
    }
}

/// A section of prose.
#[derive(Debug, Clone)]
pub struct Section<'s> {
    /// Which section.
    pub kind: SectionKind,
    /// The line that opens it.
    pub heading: Span,
    /// Its text without statements: runs of whole lines, in order.
    pub runs: Vec<Ident<'s>>,
}

/// The sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the section of its name")]
pub enum SectionKind {
    Encoding,
    OperandInfo,
    Exception,
    Syntax,
    Description,
    ModifierInfo,
    Semantics,
    Examples,
    Simulation,
}

impl SectionKind {
    /// All of them.
    pub const ALL: [SectionKind; 9] = [
        SectionKind::Encoding,
        SectionKind::OperandInfo,
        SectionKind::Exception,
        SectionKind::Syntax,
        SectionKind::Description,
        SectionKind::ModifierInfo,
        SectionKind::Semantics,
        SectionKind::Examples,
        SectionKind::Simulation,
    ];

    /// The line that opens the section.
    pub fn heading(self) -> &'static str {
        match self {
            SectionKind::Encoding => "__Encoding",
            SectionKind::OperandInfo => "__OperandInfo",
            SectionKind::Exception => "__Exception",
            SectionKind::Syntax => "__Syntax",
            SectionKind::Description => "__Description",
            SectionKind::ModifierInfo => "__ModifierInfo",
            SectionKind::Semantics => "__Semantics",
            SectionKind::Examples => "__Examples",
            SectionKind::Simulation => "__Simulation",
        }
    }
}
