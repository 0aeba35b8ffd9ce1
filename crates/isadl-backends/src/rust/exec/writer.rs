//! The state of writing the code of one program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use isadl_semantics::ir::{Label, Op, Over, Place, Region, Step, ValueId};

use super::classes::{Class, convert};
use super::shared::Shared;
use super::unit::{Delay, Target, Unit, has_effect, is_pure};
use super::warp::Warp;

/// The most slots of [`Operands`] for numbers, and for small numbers.
pub(super) const NUMBERS: usize = 3;
pub(super) const SMALL: usize = 8;

/// The depth of expressions from which values get names.
const DEEP: u32 = 10;

/// How the code gets values that depend only on the instruction word and its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// From slots, which are filled when the instruction is translated.
    Slots,
    /// It computes it from the word and the address.
    Word,
}

pub(super) struct Writer<'w, 's> {
    pub(super) unit: &'w Unit<'w>,
    pub(super) shared: &'w mut Shared<'s>,
    pub(super) mode: Mode,
    /// How often each value is used.
    pub(super) uses: Vec<u32>,
    /// The depth of the expression of each value that has no name.
    pub(super) depth: Vec<u32>,
    pub(super) named: BTreeSet<ValueId>,
    /// The expressions of the slots.
    pub(super) numbers: Vec<String>,
    pub(super) small: Vec<String>,
    /// The fixed values that these expressions name.
    pub(super) needed: BTreeSet<ValueId>,
    /// The fixed values in slots.
    pub(super) filled: BTreeMap<ValueId, String>,
    /// There are not enough slots.
    pub(super) is_full: bool,
    pub(super) delays: BTreeMap<Target, Delay>,
    /// Statements for the end of the instruction.
    pub(super) pending: Vec<String>,
    /// Files that are written through a copy.
    pub(super) copies: BTreeSet<usize>,
    /// Declarations at the beginning.
    pub(super) head: String,
    pub(super) text: String,
    pub(super) indent: usize,
    /// How deep the step is in branches and loops.
    pub(super) nesting: usize,
    pub(super) jumps: bool,
    /// The only target of jumps, which is computed apart.
    pub(super) target: Option<ValueId>,
    pub(super) latches: usize,
    /// What lanes do at this place.
    pub(super) warp: Warp,
    pub(super) raises: bool,
    /// Whether it computes with floating-point numbers.
    pub(super) has_floats: bool,
    /// Why the program cannot be written.
    pub(super) refused: Option<&'static str>,
}

impl<'w, 's> Writer<'w, 's> {
    pub(super) fn new(
        unit: &'w Unit<'w>,
        shared: &'w mut Shared<'s>,
        mode: Mode,
    ) -> Writer<'w, 's> {
        let count = unit.code.values.len();
        Writer {
            unit,
            shared,
            mode,
            uses: vec![0; count],
            depth: vec![0; count],
            named: BTreeSet::new(),
            numbers: Vec::new(),
            small: Vec::new(),
            needed: BTreeSet::new(),
            filled: BTreeMap::new(),
            is_full: false,
            delays: unit.delays(),
            pending: Vec::new(),
            copies: BTreeSet::new(),
            head: String::new(),
            text: String::new(),
            indent: 2,
            nesting: 0,
            jumps: false,
            target: None,
            latches: 0,
            warp: Warp::default(),
            raises: false,
            has_floats: false,
            refused: None,
        }
    }

    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{:1$}{2}", "", 4 * self.indent, line.as_ref());
    }

    pub(super) fn refuse(&mut self, why: &'static str) {
        self.refused.get_or_insert(why);
    }

    /// Counts the uses of values in a region.
    pub(super) fn count_uses(&mut self, region: &Region) {
        for step in &region.steps {
            self.count_step(step);
        }
    }

    /// Counts the uses of values in a step.
    pub(super) fn count_step(&mut self, step: &Step) {
        match step {
            Step::Compute(id) => {
                if !is_pure(self.unit.code.op(*id)) && has_effect(self.unit.code.op(*id)) {
                    self.count_operands(*id);
                }
            }
            Step::Write { place, mask, value } => {
                self.count_place(place);
                mask.iter().for_each(|mask| self.count(*mask));
                self.count(*value);
            }
            Step::Store { address, value, .. } => {
                self.count(*address);
                self.count(*value);
            }
            Step::Lanes(lanes) => self.count(*lanes),
            Step::Jump(target) if self.target == Some(*target) => {}
            Step::Jump(target) => self.count(*target),
            Step::If { condition, yes, no, merges } => {
                self.count(*condition);
                self.count_uses(yes);
                self.count_uses(no);
                for merge in merges {
                    merge.yes.iter().chain(&merge.no).for_each(|id| self.count(*id));
                }
            }
            Step::Loop { over, carried, body, .. } => {
                match over {
                    Over::Range { first, last, .. } => {
                        self.count(*first);
                        self.count(*last);
                    }
                    Over::Ones(of) => self.count(*of),
                }
                for one in carried {
                    self.count(one.before);
                    self.count(one.next);
                }
                self.count_uses(body);
            }
            Step::Atomic(body) => self.count_uses(body),
            Step::Labelled { label: Label::Value(_) | Label::Word(_), body, .. } => {
                self.count_uses(body);
            }
            Step::Trap { arguments, .. } => arguments.iter().for_each(|id| self.count(*id)),
            Step::Unpredictable | Step::Commit => {}
        }
    }

    fn count_place(&mut self, place: &Place) {
        let mut all = Vec::new();
        place.operands(&mut |id| all.push(id));
        all.into_iter().for_each(|id| self.count(id));
    }

    /// Counts a use. The first use of a value also counts its operands.
    pub(super) fn count(&mut self, id: ValueId) {
        self.uses[id.index()] += 1;
        if self.uses[id.index()] == 1 && self.is_inline(id) {
            // An effect counts its own operands.
            let op = self.unit.code.op(id);
            if is_pure(op) || !has_effect(op) {
                self.count_operands(id);
            }
        }
    }

    pub(super) fn count_operands(&mut self, id: ValueId) {
        let mut all = Vec::new();
        self.unit.code.op(id).operands(|operand| all.push(operand));
        all.into_iter().for_each(|id| self.count(id));
    }

    /// Whether an expression computes a value where it is used.
    pub(super) fn is_inline(&self, id: ValueId) -> bool {
        !self.named.contains(&id) && !self.warp.saved.contains(&id) && !self.is_filled(id)
    }

    /// Whether a value is in a slot.
    pub(super) fn is_filled(&self, id: ValueId) -> bool {
        self.mode == Mode::Slots
            && self.unit.is_fixed(id)
            && !matches!(self.unit.code.op(id), Op::Constant(_))
    }

    /// Whether a pure value gets a name: it is used several times, or its expression would be deep.
    pub(super) fn gets_name(&mut self, id: ValueId) -> bool {
        let op = self.unit.code.op(id);
        if matches!(op, Op::Constant(_) | Op::Unknown) {
            return false;
        }
        let mut depth = 0;
        op.operands(|operand| {
            let own = if self.named.contains(&operand) { 0 } else { self.depth[operand.index()] };
            depth = depth.max(own + 1);
        });
        self.depth[id.index()] = depth;
        self.uses[id.index()] > 1 || depth > DEEP
    }

    /// A slot for the number of a register, given as an expression over the word.
    pub(super) fn number_slot(&mut self, expr: String) -> String {
        if self.mode == Mode::Word {
            return format!("({expr})");
        }
        let at = match self.small.iter().position(|own| *own == expr) {
            Some(at) => at,
            None => {
                self.small.push(expr);
                self.small.len() - 1
            }
        };
        self.is_full |= at >= SMALL;
        format!("o.r[{at}]")
    }

    /// A fixed value as an expression of type `u64` for a slot; it has a name where the slots are filled.
    pub(super) fn fixed(&mut self, id: ValueId) -> String {
        if self.mode == Mode::Word {
            return self.expr_as(id, Class::Small);
        }
        self.needed.insert(id);
        convert(&format!("v{}", id.index()), Class::of(self.unit.width(id)), Class::Small)
    }

    /// The slot of a value that is fixed.
    pub(super) fn value_slot(&mut self, id: ValueId) -> String {
        if let Some(slot) = self.filled.get(&id) {
            return slot.clone();
        }
        let width = self.unit.width(id);
        let expr = self.fixed(id);
        let slot = match width {
            ..=16 if self.small.len() < SMALL => {
                self.small.push(format!("{expr} as u16"));
                format!("u64::from(o.r[{}])", self.small.len() - 1)
            }
            ..=64 => {
                self.numbers.push(expr);
                self.is_full |= self.numbers.len() > NUMBERS;
                format!("o.n[{}]", self.numbers.len() - 1)
            }
            _ => {
                self.is_full = true;
                "0".to_string()
            }
        };
        self.filled.insert(id, slot.clone());
        slot
    }
}
