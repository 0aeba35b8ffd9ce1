//! Instructions become micro-operations: what the word and its address decide is computed, and what is left has the form of
//! [`crate::micro`].
//!
//! Values that have no effect are computed where they are first needed. Registers are written at the end of an instruction, so whatever
//! stops it before leaves them as they were.

mod in_place;
pub(crate) mod known;
mod lanes;
mod number;
mod places;
mod regions;
mod steps;
mod sums;
mod values;
mod wide;
mod writes;

use std::collections::HashMap;
use std::rc::Rc;

use isadl::isa::{ExtensionSet, Isa, NameId, Opcode};
use isadl::semantics::ir::{Code, ValueId};

use crate::environment::Kept;
use crate::fields::Fields;
use crate::micro::{Kind, Micro};
use crate::slots::{Layout, Slot};
use number::Number;
pub(crate) use steps::halted;

/// What is the same for all instructions of a program.
pub(crate) struct Context<'c> {
    pub(crate) isa: &'c Isa,
    pub(crate) extensions: ExtensionSet,
    /// What registers outside of files are made of.
    pub(crate) kept: &'c Kept,
    /// Whether branches of programs are counted.
    pub(crate) counts_branches: bool,
    /// Whether accesses to memory are noted.
    pub(crate) notes_accesses: bool,
}

/// An instruction at an address.
#[derive(Clone, Copy)]
pub(crate) struct Place<'c> {
    pub(crate) opcode: &'c Opcode,
    /// The numbers of the opcode, and of the program among those of the opcode.
    pub(crate) numbers: (u32, u32),
    pub(crate) code: &'c Code,
    pub(crate) word: u128,
    /// Its address, and that of the following instruction, as programs count.
    pub(crate) pc: u64,
    pub(crate) next: u64,
    /// Its number in its block.
    pub(crate) at: Slot,
}

/// Where execution goes on after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// At the following one.
    Next,
    /// At this address, if the branch at its end is taken, or always.
    Target(u64),
    /// It is computed, or the instruction ends the block for another reason.
    Elsewhere,
}

/// Why an instruction cannot be executed.
#[derive(Debug)]
pub(crate) struct Unsupported(pub(crate) String);

type Lowered<T> = Result<T, Unsupported>;

fn unsupported<T>(what: impl Into<String>) -> Lowered<T> {
    Err(Unsupported(what.into()))
}

/// A value: its pieces of 64 bits, the lowest first.
#[derive(Debug, Clone)]
enum Value {
    One(Number),
    Many(Rc<[Number]>),
}

impl Value {
    fn of(pieces: Vec<Number>) -> Value {
        match pieces.as_slice() {
            [one] => Value::One(*one),
            _ => Value::Many(pieces.into()),
        }
    }

    fn pieces(&self) -> &[Number] {
        match self {
            Value::One(one) => std::slice::from_ref(one),
            Value::Many(pieces) => pieces,
        }
    }

    fn piece(&self, at: usize) -> Number {
        self.pieces().get(at).copied().unwrap_or(Number::Known(0))
    }
}

/// The bits of one piece of a number.
fn bits_of_piece(bits: u32, at: usize) -> u32 {
    bits.saturating_sub(64 * at as u32).min(64)
}

/// The lowest bits.
fn ones(bits: u32) -> u64 {
    match bits {
        0 => 0,
        1..64 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

/// Translates an instruction. Micro-operations are added to `out`; the slots from `values` on are its own.
pub(crate) fn lower(
    context: &Context<'_>,
    layout: &mut Layout,
    place: Place<'_>,
    out: &mut Vec<Micro>,
) -> Lowered<After> {
    let values = layout.values();
    let mut lowering = Lowering {
        context,
        layout,
        place,
        known: vec![None; place.code.values.len()],
        values: vec![None; place.code.values.len()],
        sums: HashMap::new(),
        log: Vec::new(),
        next: values,
        out: Vec::new(),
        writes: Vec::new(),
        shadows: Vec::new(),
        jump: None,
        jumps_somewhere: false,
        is_at_top: true,
        is_over: false,
        leaves: false,
        raising: 0,
    };
    let after = lowering.instruction()?;
    let mut own = lowering.out;
    in_place::compute_in_place(&mut own, values);
    out.append(&mut own);
    Ok(after)
}

struct Lowering<'l, 'c> {
    context: &'l Context<'c>,
    layout: &'l mut Layout,
    place: Place<'l>,
    /// For each value, the number that it is known to be, if any, once that was asked.
    known: Vec<Option<Option<u128>>>,
    values: Vec<Option<Value>>,
    /// The lowest bits of sums of which no more was needed.
    sums: HashMap<ValueId, Number>,
    /// The values that were computed, in order; those of a branch are forgotten behind it.
    log: Vec<ValueId>,
    /// The first slot that is not used.
    next: Slot,
    out: Vec<Micro>,
    /// What registers will be, for each slot that is written.
    writes: Vec<writes::Write>,
    /// Copies of register files that are written at computed numbers.
    shadows: Vec<writes::Shadow>,
    /// The jump at the end.
    jump: Option<steps::Jump>,
    /// Whether some branch jumps, and the address is in a slot.
    jumps_somewhere: bool,
    /// Whether the steps are those of no branch or loop.
    is_at_top: bool,
    /// Whether the steps that follow are not reached.
    is_over: bool,
    /// Whether the instruction must be the last of its block.
    leaves: bool,
    /// How many operations that raise flags are still to come.
    raising: usize,
}

impl<'l> Lowering<'l, '_> {
    fn code(&self) -> &'l Code {
        self.place.code
    }

    fn width(&self, value: ValueId) -> u32 {
        self.code().width(value)
    }

    /// A slot of the instruction's own.
    fn fresh(&mut self) -> Lowered<Slot> {
        self.fresh_run(1)
    }

    /// Several slots in a row.
    fn fresh_run(&mut self, count: usize) -> Lowered<Slot> {
        let first = self.next;
        let next = usize::from(first) + count;
        match Slot::try_from(next) {
            Ok(next) if usize::from(next) <= self.layout.end() => {
                self.next = next;
                Ok(first)
            }
            _ => unsupported("more values than there are slots"),
        }
    }

    /// Adds a micro-operation whose result is in a slot of its own.
    fn emit(&mut self, micro: Micro) -> Lowered<Slot> {
        let d = self.fresh()?;
        self.out.push(Micro { d, ..micro });
        Ok(d)
    }

    fn copy(&mut self, to: Slot, number: Number, bits: u32) -> Lowered<()> {
        match number {
            Number::Known(n) => self.out.push(Micro { d: to, n, ..Micro::new(Kind::Number) }),
            _ => {
                let a = self.clean(number, bits)?;
                self.out.push(Micro { d: to, a, ..Micro::new(Kind::Copy) });
            }
        }
        Ok(())
    }

    /// The number in a field, with its sign.
    fn fields(&self) -> Fields<'_> {
        Fields::of_word(self.context.isa, self.place.opcode, self.place.word)
    }

    fn field_number(&self, name: NameId) -> Lowered<i128> {
        match self.fields().number(name) {
            Some(number) => Ok(number),
            None => unsupported("the number of an operand that is none"),
        }
    }
}
