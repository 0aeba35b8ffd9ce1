//! Programs after checking: every name resolved, every expression with its type and bounds.
//!
//! Invariants: what is stored fits by the storing rule; indexes are inside; divisors are not 0; a condition is 0 or 1. Functions,
//! views, wrappers and `match` are gone: their meaning is written out.

use std::collections::BTreeSet;

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{ExtensionCondition, NameId, RegFileId, TypeId};

use crate::float::{Format, Operation, Setting};
use crate::interval::Interval;

/// The type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A number from 0 to 2^n - 1 whose number of bits is known.
    Bits(u32),
    /// An exact integer.
    Integer,
    /// A value of an enumeration.
    Enumeration(TypeId),
    /// A floating-point number: its encoding.
    Float(Format),
    /// What a setting of floating-point arithmetic may be.
    Mode(Setting),
}

impl Type {
    /// The number of bits of the values that are stored; 0 if it is not known.
    pub(crate) fn width(self) -> u32 {
        match self {
            Type::Bits(width) => width,
            Type::Float(format) => format.width(),
            Type::Integer | Type::Enumeration(_) | Type::Mode(_) => 0,
        }
    }
}

/// A local name, an index into [`Program::locals`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub(crate) u32);

impl LocalId {
    /// The index into [`Program::locals`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A local name.
#[derive(Debug, Clone)]
pub struct Local {
    /// How it is written.
    pub name: String,
    /// Where it is bound.
    pub span: Span,
    /// Its type.
    pub ty: Type,
    /// Its values.
    pub range: Interval,
    /// Whether it changes: a `var`.
    pub is_variable: bool,
}

/// A checked program, for one choice of the fields that decide widths.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Its statements.
    pub statements: Vec<Statement>,
    /// Its local names.
    pub locals: Vec<Local>,
    /// The lanes that do it together, if there are several.
    pub lanes: Option<Lanes>,
}

/// Lanes that do each instruction together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lanes {
    /// How many there are.
    pub count: u32,
    /// The files of which each has registers of its own.
    pub files: BTreeSet<RegFileId>,
}

/// A statement and its location.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Where it is written; inside a function, the place there.
    pub span: Span,
    /// What it does.
    pub kind: StatementKind,
}

/// The kinds of statements.
#[derive(Debug, Clone)]
pub enum StatementKind {
    /// A name gets a value, for the first time unless it is a variable. The value is stored in the bits of the name, if its type
    /// has a width.
    Bind {
        /// The name.
        local: LocalId,
        /// The value.
        value: Expr,
    },
    /// Some bits of a variable change.
    BindBits {
        /// The variable.
        local: LocalId,
        /// The lowest bit.
        low: Expr,
        /// How many bits; `None` if `high` gives the last.
        bits: Bits,
        /// The value, of which the lowest bits are taken.
        value: Expr,
    },
    /// Bits of a register are written at the end of the instruction. The value is stored in them.
    Write {
        /// The register.
        place: Place,
        /// The lowest bit and the number of bits; `None` for all.
        bits: Option<(Expr, Bits)>,
        /// The value.
        value: Expr,
    },
    /// Memory is written.
    Store {
        /// The memory, an index among the memories.
        memory: usize,
        /// The address.
        address: Expr,
        /// The number of bits.
        width: u32,
        /// The value.
        value: Expr,
    },
    /// From here on, only those of the lanes take part whose bits are 1.
    Lanes(Expr),
    /// Execution goes on at an address.
    Jump {
        /// The address.
        target: Expr,
    },
    /// One of two lists of statements.
    If {
        /// The condition.
        condition: Expr,
        /// If it holds.
        yes: Vec<Statement>,
        /// If it does not.
        no: Vec<Statement>,
    },
    /// A loop over integers.
    For {
        /// The variable.
        local: LocalId,
        /// Its values.
        range: Range,
        /// The body.
        body: Vec<Statement>,
    },
    /// The accesses to memory inside are one step.
    Atomic(Vec<Statement>),
    /// The accesses to memory inside have a label.
    Labelled {
        /// `ordered` or `access`.
        word: String,
        /// The label: the name of a value, or an expression over fields.
        label: Label,
        /// The statements.
        body: Vec<Statement>,
    },
    /// The instruction ends with a trap.
    Trap {
        /// The name of the trap.
        name: String,
        /// The values that it reports.
        arguments: Vec<Expr>,
    },
    /// Anything may happen.
    Unpredictable,
    /// The writes so far take effect.
    Commit,
    /// A call for its effects.
    Do(Expr),
}

/// The label of accesses to memory.
#[derive(Debug, Clone)]
pub enum Label {
    /// A word.
    Word(String),
    /// A field whose value is the label.
    Value(Expr),
}

/// How many bits.
#[derive(Debug, Clone)]
pub enum Bits {
    /// This many.
    Count(u32),
    /// Up to this bit.
    UpTo(Box<Expr>),
}

/// The values of a loop.
#[derive(Debug, Clone)]
pub enum Range {
    /// From the first to the last; none if the first is larger.
    Between(Expr, Expr),
    /// The numbers of the bits that are 1.
    Bits(Expr),
}

/// A register that is read or written.
#[derive(Debug, Clone)]
pub enum Place {
    /// The register, or several, that the field of an operand denotes.
    Operand {
        /// The field.
        field: NameId,
        /// The part of the composite in the field that denotes it.
        part: Option<usize>,
        /// How many bits the program sees.
        width: u32,
        /// Whether the machine keeps what it denotes, so that reading it may do something.
        is_external: bool,
    },
    /// A register outside of files, which the machine keeps.
    State {
        /// Its name.
        name: String,
        /// Its number of bits.
        width: u32,
    },
    /// A register of a file.
    Register {
        /// The file.
        file: RegFileId,
        /// Its number.
        number: Box<Expr>,
    },
    /// A register of the group that an operand begins. After the last register of the file comes the first.
    Group {
        /// The field of the operand.
        field: NameId,
        /// How many registers after that of the operand.
        offset: Box<Expr>,
        /// The number of bits of a register.
        width: u32,
    },
    /// A register as another lane has it, whether that takes part or not.
    OfLane {
        /// The register.
        place: Box<Place>,
        /// The number of the lane.
        lane: Box<Expr>,
    },
}

/// An expression with its type, bounds and location.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Its bounds.
    pub range: Interval,
    /// Where it is written.
    pub span: Span,
    /// Whether the author has shown that the value may have a sign: it contains `signed(…)`, an operand with sign, a name.
    pub is_signed: bool,
    /// Whether it is used as it is: a name, or `exact(…)`.
    pub is_exact: bool,
}

/// The kinds of expressions.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// An integer.
    Int(i128),
    /// A local name that does not change.
    Local(LocalId),
    /// A variable, as it is at this moment.
    Variable(LocalId),
    /// The number or value in a field of the instruction word.
    Field(NameId),
    /// The bits of a field of the instruction word.
    FieldBits(NameId),
    /// Whether the implementation has extensions.
    Has(ExtensionCondition),
    /// A register.
    Read(Place),
    /// Memory.
    Load {
        /// The memory, an index among the memories.
        memory: usize,
        /// The address.
        address: Box<Expr>,
        /// The number of bits.
        width: u32,
        /// Whether the address is reserved.
        is_reserving: bool,
    },
    /// A store that is done only while a reservation lasts; 1 if it was done.
    StoreConditional {
        /// The memory, an index among the memories.
        memory: usize,
        /// The address.
        address: Box<Expr>,
        /// The number of bits.
        width: u32,
        /// The value.
        value: Box<Expr>,
    },
    /// The number of the lane that computes.
    Lane,
    /// The lanes that take part, as bits.
    Active,
    /// A bit for each lane: whether it takes part and the condition holds there.
    Ballot(Box<Expr>),
    /// The address of the instruction.
    Pc,
    /// The address of the following instruction.
    Next,
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator; `and` and `or` evaluate their right side only if it matters.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// One of two values.
    Choice(Box<[Expr; 3]>),
    /// Parts side by side, the first at the top.
    Concat(Vec<Expr>),
    /// A part for each integer from the first to the last, in either direction; the first at the top.
    Repeat {
        /// The part.
        item: Box<Expr>,
        /// The integer.
        local: LocalId,
        /// The first integer.
        first: i128,
        /// The last integer.
        last: i128,
    },
    /// Some bits, at a known place.
    Slice {
        /// The whole.
        of: Box<Expr>,
        /// The lowest bit.
        low: u32,
        /// The number of bits.
        width: u32,
    },
    /// Some bits, at a place that is computed.
    Part {
        /// The whole.
        of: Box<Expr>,
        /// The lowest bit.
        low: Box<Expr>,
        /// The number of bits.
        bits: Bits,
    },
    /// A function of the language.
    Builtin(Builtin, Vec<Expr>),
    /// An operation on floating-point numbers.
    Float {
        /// Which.
        operation: Operation,
        /// Its operands.
        arguments: Vec<Expr>,
        /// What else decides its result.
        settings: Vec<(Setting, Expr)>,
        /// Whether the flags that it raises matter: they are remembered until the end of the instruction.
        raises: bool,
    },
    /// The flags that operations on floating-point numbers have raised in this instruction: see [`isadl_float::Flags::bits`].
    Raised,
    /// All values of a loop in one.
    Fold {
        /// How they are joined.
        fold: Fold,
        /// The value for each integer.
        item: Box<Expr>,
        /// The integer.
        local: LocalId,
        /// The integers.
        range: Box<Range>,
        /// The integers that count, if not all.
        condition: Option<Box<Expr>>,
    },
    /// A function of the instruction set: names are bound, then the value is computed.
    Inline {
        /// What gives the names values: [`StatementKind::Bind`] and `BindBits`, also in branches and loops.
        bindings: Vec<Statement>,
        /// The value.
        value: Box<Expr>,
    },
    /// A function that the machine provides.
    Extern {
        /// Its name.
        name: String,
        /// The arguments, each stored in the bits of its parameter.
        arguments: Vec<Expr>,
        /// What it does beside.
        effects: ExternEffects,
    },
    /// Any value of the type.
    Unknown,
    /// Any integer between two.
    Any(Box<[Expr; 2]>),
}

/// What an external function does besides its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExternEffects {
    /// It may read memory.
    pub reads_memory: bool,
    /// It may write memory.
    pub writes_memory: bool,
    /// It may end the instruction with a trap.
    pub may_trap: bool,
    /// The same arguments give the same result, and nothing else happens.
    pub is_pure: bool,
}

/// Functions of the language on integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `signed(x)`: the bits of x in two's complement.
    Signed,
    /// `use(x)`: x matters to the machine alone; the result is 0.
    Use,
    /// `exact(x)`: x, compared and shifted as it is.
    Exact,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
    /// `mod(a, n)`: the remainder that is never negative.
    Mod,
    /// `abs(x)`
    Abs,
    /// `count(x)`: the number of bits that are 1.
    Count,
    /// `leading_zeros(x)`
    LeadingZeros,
    /// `trailing_zeros(x)`
    TrailingZeros,
    /// `repeat(x, n)`: x, n times side by side.
    Repeat,
    /// `reverse(x)`: the bits in the opposite order.
    Reverse,
    /// `rotate_left(x, n)`
    RotateLeft,
    /// `rotate_right(x, n)`
    RotateRight,
    /// `carryless(a, b)`: the product without carries.
    Carryless,
}

/// How the values of a loop are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    /// The sum; 0 of none.
    Sum,
    /// Bitwise and; -1 of none.
    And,
    /// Bitwise or; 0 of none.
    Or,
    /// Bitwise exclusive or; 0 of none.
    Xor,
    /// The least; there is at least one.
    Min,
    /// The largest; there is at least one.
    Max,
}

impl Expr {
    /// The number of bits, if it is known.
    pub fn width(&self) -> Option<u32> {
        match self.ty {
            Type::Bits(width) => Some(width),
            _ => None,
        }
    }

    /// The format, if it is a floating-point number.
    pub fn format(&self) -> Option<Format> {
        match self.ty {
            Type::Float(format) => Some(format),
            _ => None,
        }
    }

    /// The integer, if it is a constant.
    pub fn value(&self) -> Option<i128> {
        self.range.value()
    }
}
