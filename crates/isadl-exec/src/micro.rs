//! Micro-operations: what an instruction becomes when it is translated.
//!
//! Operands are slots, and everything that the instruction word and its address decide is a number in the micro-operation.

use isadl::semantics::float::{Operation, Setting};

use crate::slots::Slot;

/// An operation on two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    /// Shifts by a distance modulo the number of bits.
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    /// Shifts by any distance.
    FarLeft,
    FarRight,
    FarRightSigned,
    RotateLeft,
    MulHighUnsigned,
    MulHighSigned,
    MulHighMixed,
    DivUnsigned,
    RemUnsigned,
    DivSigned,
    RemSigned,
    Equal,
    NotEqual,
    LessUnsigned,
    NotLessUnsigned,
    LessSigned,
    NotLessSigned,
    /// The lowest 64 bits of the product without carries, and the others.
    Carryless,
    CarrylessHigh,
    /// The carry of a sum.
    Carry,
    /// Whether a sum or difference of signed numbers overflows.
    OverflowAdd,
    OverflowSub,
}

impl Binary {
    /// Whether the result is a bit that says how the operands compare.
    pub(crate) fn is_comparison(self) -> bool {
        (Binary::Equal as u8..=Binary::NotLessSigned as u8).contains(&(self as u8))
    }

    /// Whether the result is a bit.
    pub(crate) fn is_truth(self) -> bool {
        self.is_comparison()
            || matches!(self, Binary::Carry | Binary::OverflowAdd | Binary::OverflowSub)
    }

    /// Whether the operands may change places.
    pub(crate) fn commutes(self) -> bool {
        matches!(
            self,
            Binary::Add
                | Binary::Mul
                | Binary::And
                | Binary::Or
                | Binary::Xor
                | Binary::MulHighUnsigned
                | Binary::MulHighSigned
                | Binary::Equal
                | Binary::NotEqual
                | Binary::Carryless
                | Binary::CarrylessHigh
                | Binary::Carry
                | Binary::OverflowAdd
        )
    }

    /// The comparison that holds exactly if this one does not.
    pub(crate) fn opposite(self) -> Binary {
        match self {
            Binary::Equal => Binary::NotEqual,
            Binary::NotEqual => Binary::Equal,
            Binary::LessUnsigned => Binary::NotLessUnsigned,
            Binary::NotLessUnsigned => Binary::LessUnsigned,
            Binary::LessSigned => Binary::NotLessSigned,
            _ => Binary::LessSigned,
        }
    }
}

/// How many bits operations work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    /// All 64.
    Double,
    /// The lowest 32 of each operand; the result has zeros above.
    Word,
    /// As above; the result has copies of its highest bit above.
    WordSigned,
}

/// What a micro-operation does. Letters are its operands; `n` is its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `d = a op b`, with `n` instead of `b` if it is immediate.
    Binary {
        op: Binary,
        form: Form,
        is_immediate: bool,
    },
    /// `d = n`
    Number,
    /// `d = a`
    Copy,
    /// `d = (a >> c) & n`
    Bits,
    /// `d = ((a << b) as i64) >> c`, with zeros below.
    SignedBits,
    /// `d = a | b << c`
    Beside,
    /// `d = a & !n | b & n`
    Insert,
    /// `d = a != 0 ? b : c`
    Select,
    /// `d =` byte `a` of `n`, where `a` is at most 7.
    Table,
    /// Counts of ones, of zeros above and below, and the opposite order, of `c` bits.
    Count,
    LeadingZeros,
    TrailingZeros,
    Reverse,
    /// `d =` memory at `a + n`; `c` is the number of the instruction in its block.
    Load {
        bytes: u8,
        is_signed: bool,
    },
    /// Memory at `a + n` `= b`; `c` as above, `d` as [`set_left`] says.
    Store {
        bytes: u8,
    },
    /// Goes on at the target of the block if `a op b`, or `a op n`; else behind the block.
    Branch {
        op: Binary,
        form: Form,
        is_immediate: bool,
    },
    /// Goes on at the target of the block.
    Goto,
    /// Goes on at the address in `a`.
    Jump,
    /// What [`More`] says; `c` is the number of the instruction in its block, `d` as [`set_left`] says if it may store.
    More,
}

/// A micro-operation.
#[derive(Debug, Clone)]
pub(crate) struct Micro {
    pub(crate) kind: Kind,
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    pub(crate) n: u64,
    pub(crate) more: Option<Box<More>>,
}

/// Consecutive slots that have a number together, the lowest bits first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) first: Slot,
    /// Bits of the number; those above in its last slot are 0.
    pub(crate) bits: u32,
}

/// Operations on numbers of any width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wide {
    Unary(isadl::semantics::ir::UnaryOp),
    Binary(isadl::semantics::ir::BinaryOp),
}

/// What is rare, or needs more than four operands.
#[derive(Debug, Clone)]
pub(crate) enum More {
    /// Does one of two lists.
    If {
        condition: Slot,
        yes: Vec<Micro>,
        no: Vec<Micro>,
    },
    /// Does a list for each number from one to another.
    Range {
        first: Run,
        last: Run,
        is_signed: bool,
        number: Run,
        body: Vec<Micro>,
    },
    /// Does a list for the number of each bit that is 1.
    Ones {
        of: Run,
        number: Run,
        body: Vec<Micro>,
    },
    /// An operation on numbers of more than 64 bits.
    Wide {
        op: Wide,
        result: Run,
        operands: Vec<Run>,
    },
    /// Memory of any number of bytes, or beside the first memory.
    Load {
        memory: usize,
        address: Slot,
        result: Run,
        is_reserving: bool,
    },
    Store {
        memory: usize,
        address: Slot,
        value: Run,
    },
    /// `result` is whether the value was stored.
    StoreConditional {
        memory: usize,
        address: Slot,
        value: Run,
        result: Slot,
    },
    /// A register whose number is computed: `registers` of `bits` from slot `first` on.
    ReadRegister {
        first: Slot,
        registers: u32,
        bits: u32,
        number: Slot,
        result: Run,
    },
    /// Writes the bits of `mask`, or all.
    WriteRegister {
        first: Slot,
        registers: u32,
        bits: u32,
        number: Slot,
        value: Run,
        mask: Option<Run>,
    },
    /// A number and `step` times the instructions that ended before this one, modulo 2^64.
    Elapsed {
        from: Slot,
        step: u64,
        result: Slot,
    },
    /// Many slots.
    CopyAll {
        from: Slot,
        to: Slot,
        count: usize,
    },
    Float {
        operation: Operation,
        arguments: Vec<Slot>,
        settings: Vec<(Setting, SettingValue)>,
        raises: bool,
        result: Slot,
    },
    /// A function of the machine; the result has no bits if it has none.
    Call {
        name: String,
        arguments: Vec<Run>,
        result: Run,
    },
    /// Any number in a range.
    Any {
        first: Run,
        last: Run,
        result: Run,
    },
    /// A bit for each lane that takes part: whether the condition holds there.
    Ballot {
        condition: Slot,
        result: Slot,
    },
    /// From here on, only those lanes take part.
    TakePart {
        lanes: Slot,
    },
    /// A register as a lane has it.
    ReadLane {
        from: Slot,
        lane: Slot,
        result: Slot,
    },
    /// Writes some bits of a register of a lane.
    WriteLane {
        to: Slot,
        lane: Slot,
        value: Slot,
        mask: u64,
    },
    /// Writes a register in all lanes, whether they take part or not.
    WriteAll {
        from: Slot,
        to: Slot,
    },
    /// What lanes do together: see [`crate::lanes`].
    Lanes(Lanes),
    /// The instruction ends.
    Trap {
        name: String,
        arguments: Vec<Run>,
    },
    Unpredictable,
    /// The instruction cannot be executed.
    Halt(crate::state::Halt),
    /// Counts that a branch of a program was taken.
    Taken(crate::state::Taken),
}

/// Micro-operations of several lanes. Operands that lanes have of their own are blocks of slots.
#[derive(Debug, Clone)]
pub(crate) enum Lanes {
    /// What the micro-operation is of the operands of each lane. Only lanes that take part get a result that is a register.
    Each {
        /// Whether `a`, `b` and `c` are blocks.
        are_blocks: [bool; 3],
        is_register: bool,
    },
    /// Lanes do micro-operations one after the other, each with its own values in the slots of one lane.
    Single {
        body: Vec<Micro>,
        /// The slots, and the blocks that they are of.
        before: Vec<(Slot, Slot)>,
        /// The same for results.
        after: Vec<(Slot, Slot)>,
        /// Whether only lanes that take part do it.
        has_effect: bool,
    },
    /// Done once, if a lane takes part.
    Once {
        body: Vec<Micro>,
    },
    /// One list for the lanes where a bit is 1, another for the rest.
    If {
        condition: Slot,
        yes: Vec<Micro>,
        no: Vec<Micro>,
    },
    Ballot {
        condition: Slot,
        is_block: bool,
        result: Slot,
    },
    /// Each lane reads the register of the lane whose number it has.
    Gather {
        from: Slot,
        lane: Slot,
        result: Slot,
    },
    /// All read the register of one lane.
    Pick {
        from: Slot,
        lane: Slot,
        result: Slot,
    },
    /// Copies a block.
    Copy {
        from: Slot,
        to: Slot,
    },
    /// Writes some bits of the register of one lane.
    Put {
        to: Slot,
        lane: Slot,
        value: Slot,
        mask: u64,
    },
}

/// What decides a floating-point operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingValue {
    Known(u8),
    Slot(Slot),
}

impl Micro {
    pub(crate) fn new(kind: Kind) -> Micro {
        Micro { kind, d: 0, a: 0, b: 0, c: 0, n: 0, more: None }
    }

    pub(crate) fn more(more: More, at: Slot) -> Micro {
        Micro { c: at, more: Some(Box::new(more)), ..Micro::new(Kind::More) }
    }

    /// Whether it writes the slot `d` and nothing else.
    pub(crate) fn has_result(&self) -> bool {
        !matches!(
            self.kind,
            Kind::Store { .. } | Kind::Branch { .. } | Kind::Goto | Kind::Jump | Kind::More
        )
    }

    /// The slots that it reads, except those of [`More`].
    pub(crate) fn reads(&self) -> [Option<Slot>; 3] {
        let (a, b, c) = (Some(self.a), Some(self.b), Some(self.c));
        match self.kind {
            Kind::Binary { is_immediate: true, .. } | Kind::Branch { is_immediate: true, .. } => {
                [a, None, None]
            }
            Kind::Binary { .. } | Kind::Branch { .. } => [a, b, None],
            Kind::Number | Kind::Goto | Kind::More => [None; 3],
            Kind::Copy
            | Kind::Bits
            | Kind::SignedBits
            | Kind::Table
            | Kind::Count
            | Kind::LeadingZeros
            | Kind::TrailingZeros
            | Kind::Reverse
            | Kind::Load { .. }
            | Kind::Jump => [a, None, None],
            Kind::Beside | Kind::Insert | Kind::Store { .. } => [a, b, None],
            Kind::Select => [a, b, c],
        }
    }

    /// Whether it may change a memory.
    pub(crate) fn may_store(&self) -> bool {
        match (self.kind, self.more.as_deref()) {
            (Kind::Store { .. }, _) => true,
            (Kind::More, Some(more)) => matches!(
                more,
                More::Store { .. }
                    | More::StoreConditional { .. }
                    | More::Call { .. }
                    | More::If { .. }
                    | More::Range { .. }
                    | More::Ones { .. }
                    | More::Lanes(Lanes::Single { .. } | Lanes::Once { .. } | Lanes::If { .. })
            ),
            _ => false,
        }
    }

    /// Whether execution may end at it: then what comes after has not happened.
    pub(crate) fn may_stop(&self) -> bool {
        match self.kind {
            Kind::Load { .. } | Kind::Store { .. } | Kind::More => true,
            _ => !self.has_result(),
        }
    }
}

/// Notes in those that may store how many follow until the instruction ends, and one more: 0 is in those of branches and loops, where
/// the micro-operation that has the list says it. `ends` are the numbers of micro-operations up to the end of each instruction.
pub(crate) fn set_left(micros: &mut [Micro], ends: &[usize]) {
    let mut first = 0;
    for end in ends {
        for (at, micro) in micros[first..*end].iter_mut().enumerate() {
            if micro.may_store() {
                micro.d = (end - first - at) as Slot;
            }
        }
        first = *end;
    }
}
