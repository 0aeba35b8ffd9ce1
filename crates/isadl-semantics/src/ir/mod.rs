//! The intermediate representation: programs over numbers of known width.
//!
//! [`build`] makes it of a [`Program`]. Exact integers are gone: each value has the bits that its use needs, so a sum that is stored in
//! 32 bits is a sum of 32 bits. Each value is assigned once. Control is structured: branches and loops contain steps, and values that
//! depend on the way taken are merged behind them.
//!
//! Registers are read as they were before the instruction, or at the last [`Step::Commit`]; [`Step::Write`] takes effect at the end, or
//! at the next commit. Memory is accessed at once, in the order of the steps.

mod build;
mod expressions;
mod loops;
mod ops;
mod programs;
mod shrink;
mod text;
mod verify;

use isadl_diagnostics::span::Span;
use isadl_ir::isa::{ExtensionCondition, Isa, NameId, Opcode, RegFileId};

use crate::float::{Operation, Setting};
use crate::program::{ExternEffects, Program};

pub use programs::{Instance, Programs, instances};
pub use text::Shown;
pub use verify::Fault;

/// The intermediate representation of a checked program of an opcode.
///
/// # Panics
///
/// If the program is not one of the opcode.
pub fn build(isa: &Isa, opcode: &Opcode, program: &Program) -> Code {
    shrink::shrink(build::code(isa, opcode, program, loops::MOST_STEPS))
}

/// The same as [`build`], in fewer values: loops of more than four steps stay loops.
///
/// # Panics
///
/// If the program is not one of the opcode.
pub fn build_short(isa: &Isa, opcode: &Opcode, program: &Program) -> Code {
    shrink::shrink(build::code(isa, opcode, program, loops::FEW_STEPS))
}

/// A program in the intermediate representation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Code {
    /// The values, each with its definition. A value is used after it in the list, except for [`Carried::next`].
    pub values: Vec<Value>,
    /// What is done.
    pub body: Region,
}

/// A value: an index into [`Code::values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ValueId(u32);

impl ValueId {
    /// The index into [`Code::values`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The definition of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Value {
    /// How it is computed.
    pub op: Op,
    /// Its number of bits, at least 1.
    pub width: u32,
    /// The expression that it is part of.
    pub span: Span,
}

/// Steps, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Region {
    /// The steps.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Step {
    /// Computes a value.
    Compute(ValueId),
    /// Writes a register.
    Write {
        /// The register.
        place: Place,
        /// The bits that are written, as wide as the value; all without it.
        mask: Option<ValueId>,
        /// The value; bits that are not written are 0.
        value: ValueId,
    },
    /// Writes memory, as many bits as the value has.
    Store {
        /// The memory, an index among the memories.
        memory: usize,
        /// The address.
        address: ValueId,
        /// The value.
        value: ValueId,
    },
    /// From here on, only those of the lanes take part whose bits are 1.
    Lanes(ValueId),
    /// Execution goes on at an address.
    Jump(ValueId),
    /// One of two regions.
    If {
        /// The condition, 1 bit.
        condition: ValueId,
        /// If it is 1.
        yes: Region,
        /// If it is 0.
        no: Region,
        /// The values that depend on it.
        merges: Vec<Merge>,
    },
    /// A region for each of some numbers.
    Loop {
        /// The numbers.
        over: Over,
        /// The number, in the region.
        number: ValueId,
        /// The values that change.
        carried: Vec<Carried>,
        /// The region.
        body: Region,
    },
    /// The accesses to memory inside are one step.
    Atomic(Region),
    /// The accesses to memory inside have a label.
    Labelled {
        /// `ordered` or `access`.
        word: String,
        /// The label.
        label: Label,
        /// The steps.
        body: Region,
    },
    /// The instruction ends with a trap.
    Trap {
        /// The name of the trap.
        name: String,
        /// The values that it reports.
        arguments: Vec<ValueId>,
    },
    /// Anything may happen.
    Unpredictable,
    /// The writes so far take effect.
    Commit,
}

/// The label of accesses to memory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Label {
    /// A word.
    Word(String),
    /// The bits of a field.
    Value(ValueId),
}

/// A value that depends on which of two regions was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Merge {
    /// The value after both, of [`Op::Merge`].
    pub after: ValueId,
    /// What it is after the first; `None` if the program ends in it.
    pub yes: Option<ValueId>,
    /// What it is after the second; `None` if the program ends in it.
    pub no: Option<ValueId>,
}

/// A value that a loop changes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Carried {
    /// What it is before the loop.
    pub before: ValueId,
    /// What it is when a step begins, of [`Op::Carried`].
    pub inside: ValueId,
    /// What it is when the step ends.
    pub next: ValueId,
    /// What it is after the loop, of [`Op::Carried`].
    pub after: ValueId,
}

/// The numbers of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Over {
    /// From the first to the last, both included; none if the first is larger.
    Range {
        /// The first.
        first: ValueId,
        /// The last, as wide as the first.
        last: ValueId,
        /// Whether they have signs.
        is_signed: bool,
    },
    /// The numbers of the bits that are 1, in ascending order.
    Ones(ValueId),
}

/// A register.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Place {
    /// What the field of an operand denotes. The value has the lowest bits of it.
    Operand {
        /// The field.
        field: NameId,
        /// The part of the composite in the field that denotes it.
        part: Option<usize>,
        /// Whether the machine keeps what it denotes, so that reading it may do something.
        is_external: bool,
    },
    /// A register outside of files, which the machine keeps.
    State(String),
    /// A register of a file.
    Register {
        /// The file.
        file: RegFileId,
        /// Its number.
        number: ValueId,
    },
    /// A register of the group that an operand begins. After the last register of the file comes the first.
    Group {
        /// The field of the operand.
        field: NameId,
        /// How many registers after that of the operand.
        offset: ValueId,
    },
    /// A register as another lane has it.
    OfLane {
        /// The register.
        place: Box<Place>,
        /// The number of the lane.
        lane: ValueId,
    },
}

/// How a value is computed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Op {
    /// A constant, in two's complement.
    Constant(i128),
    /// The number or value in a field of the instruction word, in two's complement. Where a condition bounds it, the value has only the
    /// bits that it then needs, the lowest, also if it is computed whether the condition holds or not.
    Field(NameId),
    /// The bits of a field of the instruction word.
    FieldBits(NameId),
    /// Whether the implementation has extensions.
    Has(ExtensionCondition),
    /// The number of the lane that computes, or its lowest bits, as for fields.
    Lane,
    /// The lanes that take part, as bits.
    Active,
    /// A bit for each lane: whether it takes part, and the value, of 1 bit, is 1 there. All lanes compute it together.
    Ballot(ValueId),
    /// The address of the instruction.
    Pc,
    /// The address of the following instruction.
    Next,
    /// A register.
    Read(Place),
    /// Memory, as many bits as the value has.
    Load {
        /// The memory, an index among the memories.
        memory: usize,
        /// The address.
        address: ValueId,
        /// Whether the address is reserved.
        is_reserving: bool,
    },
    /// A store that is done only while a reservation lasts; 1 if it was done.
    StoreConditional {
        /// The memory, an index among the memories.
        memory: usize,
        /// The address.
        address: ValueId,
        /// The value.
        value: ValueId,
    },
    /// A function that the machine provides.
    Extern {
        /// Its name.
        name: String,
        /// The arguments.
        arguments: Vec<ValueId>,
        /// What it does beside.
        effects: ExternEffects,
    },
    /// An operation on floating-point numbers.
    Float {
        /// Which.
        operation: Operation,
        /// Encodings, or an integer.
        arguments: Vec<ValueId>,
        /// What else decides its result: the numbers of values.
        settings: Vec<(Setting, ValueId)>,
        /// Whether the flags that it raises are remembered until the end of the instruction.
        raises: bool,
    },
    /// The flags that were raised in this instruction: see [`crate::float::RaisedFlags::bits`].
    Raised,
    /// Any value.
    Unknown,
    /// Any value from the first to the second.
    Any {
        /// The first, as wide as the result.
        first: ValueId,
        /// The last, as wide as the result.
        last: ValueId,
    },
    /// An operation on a value.
    Unary(UnaryOp, ValueId),
    /// An operation on two values.
    Binary(BinaryOp, ValueId, ValueId),
    /// The value with more bits at the top: zeros, or copies of its highest bit.
    Extend {
        /// The value.
        of: ValueId,
        /// Whether its highest bit is copied.
        is_signed: bool,
    },
    /// As many bits of a value as the result has.
    Extract {
        /// The value.
        of: ValueId,
        /// The lowest bit.
        low: u32,
    },
    /// Values side by side, the first at the top.
    Concat(Vec<ValueId>),
    /// The first value if the condition is 1, else the second.
    Select {
        /// The condition, 1 bit.
        condition: ValueId,
        /// If it is 1.
        yes: ValueId,
        /// If it is 0.
        no: ValueId,
    },
    /// A value after a branch: see [`Merge`].
    Merge,
    /// A value in or after a loop: see [`Carried`].
    Carried,
    /// The number of a loop.
    Number,
}

/// Operations on a value. The result is as wide as the operand unless something else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UnaryOp {
    /// Every bit inverted.
    Not,
    /// The negative, modulo 2^n.
    Neg,
    /// The number of bits that are 1, in as many bits as the result has.
    Count,
    /// The number of zeros above the highest 1, in as many bits as the result has.
    LeadingZeros,
    /// The number of zeros below the lowest 1, in as many bits as the result has.
    TrailingZeros,
    /// The bits in the opposite order.
    Reverse,
}

/// Operations on two values of one width. The result has the same width, except where a variant says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BinaryOp {
    /// The sum, modulo 2^n.
    Add,
    /// The difference, modulo 2^n.
    Sub,
    /// The product, modulo 2^n.
    Mul,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shifted left by the second, a number without sign of any width; 0 if it is n or more.
    Shl,
    /// Shifted right, with zeros; 0 if the second is n or more.
    ShrZeros,
    /// Shifted right, with copies of the highest bit, however far.
    ShrSigns,
    /// The quotient of numbers without sign; all ones if the divisor is 0.
    DivUnsigned,
    /// The remainder of numbers without sign; the dividend if the divisor is 0.
    RemUnsigned,
    /// The quotient in two's complement, rounded towards zero; -1 if the divisor is 0. The program's bounds keep it inside.
    DivSigned,
    /// The remainder in two's complement, with the sign of the dividend; the dividend if the divisor is 0.
    RemSigned,
    /// Rotated left by the second, a number without sign of any width, modulo n.
    RotateLeft,
    /// The product without carries. The result has as many bits as both together.
    Carryless,
    /// Whether they are equal: 1 bit.
    Equal,
    /// Whether the first is less, without signs: 1 bit.
    LessUnsigned,
    /// Whether the first is less, in two's complement: 1 bit.
    LessSigned,
}

impl Place {
    /// Whether the machine keeps it, so that reading it may do something.
    pub fn is_external(&self) -> bool {
        match self {
            Place::State(_) => true,
            Place::Operand { is_external, .. } => *is_external,
            Place::Register { .. } | Place::Group { .. } => false,
            Place::OfLane { place, .. } => place.is_external(),
        }
    }

    /// Calls a function with each value that says which register it is.
    pub fn operands(&self, each: &mut impl FnMut(ValueId)) {
        match self {
            Place::Operand { .. } | Place::State(_) => {}
            Place::Register { number, .. } | Place::Group { offset: number, .. } => each(*number),
            Place::OfLane { place, lane } => {
                place.operands(each);
                each(*lane);
            }
        }
    }
}

impl Op {
    /// Whether computing it can be noticed, or its result depends on when it is computed.
    pub fn has_effect(&self) -> bool {
        match self {
            Op::Load { .. } | Op::StoreConditional { .. } | Op::Unknown | Op::Any { .. } => true,
            Op::Extern { effects, .. } => !effects.is_pure,
            Op::Float { raises, .. } => *raises,
            Op::Raised | Op::Active => true,
            Op::Read(place) => place.is_external(),
            _ => false,
        }
    }

    /// Calls a function with each value that it is computed of.
    pub fn operands(&self, mut each: impl FnMut(ValueId)) {
        match self {
            Op::Constant(_)
            | Op::Field(_)
            | Op::FieldBits(_)
            | Op::Has(_)
            | Op::Pc
            | Op::Next
            | Op::Unknown
            | Op::Merge
            | Op::Carried
            | Op::Number
            | Op::Raised
            | Op::Lane
            | Op::Active => {}
            Op::Read(place) => place.operands(&mut each),
            Op::Load { address, .. } => each(*address),
            Op::StoreConditional { address, value, .. } => {
                each(*address);
                each(*value);
            }
            Op::Float { arguments, settings, .. } => {
                let settings = settings.iter().map(|(_, value)| value);
                arguments.iter().chain(settings).copied().for_each(each);
            }
            Op::Extern { arguments: all, .. } | Op::Concat(all) => {
                all.iter().copied().for_each(each)
            }
            Op::Unary(_, of) | Op::Extend { of, .. } | Op::Extract { of, .. } | Op::Ballot(of) => {
                each(*of)
            }
            Op::Binary(_, a, b) | Op::Any { first: a, last: b } => {
                each(*a);
                each(*b);
            }
            Op::Select { condition, yes, no } => {
                each(*condition);
                each(*yes);
                each(*no);
            }
        }
    }
}

impl Code {
    /// All values, in the order of their definitions.
    pub fn ids(&self) -> impl Iterator<Item = ValueId> + use<> {
        (0..self.values.len() as u32).map(ValueId)
    }

    /// The number of bits of a value.
    pub fn width(&self, value: ValueId) -> u32 {
        self.values[value.index()].width
    }

    /// How a value is computed.
    pub fn op(&self, value: ValueId) -> &Op {
        &self.values[value.index()].op
    }

    /// The constant that a value is.
    pub fn constant(&self, value: ValueId) -> Option<i128> {
        match self.op(value) {
            Op::Constant(constant) => Some(*constant),
            _ => None,
        }
    }
}
