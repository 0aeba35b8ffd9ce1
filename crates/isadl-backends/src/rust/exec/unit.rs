//! A program, the values that are known when an instruction is translated, and the time when each register may be written.

use std::collections::{BTreeMap, BTreeSet};

use isadl_ir::isa::{Field, Isa, NameId, Opcode, RegFileId};
use isadl_semantics::ir::{Code, Op, Place, Region, Step, ValueId};
use isadl_semantics::program;

use super::places::{Operand, operand};
use super::varying::Lanes;

/// The program of an opcode, for one choice of the fields that decide widths.
pub(super) struct Unit<'u> {
    pub(super) isa: &'u Isa,
    pub(super) opcode: &'u Opcode,
    pub(super) code: Code,
    /// The name of its type.
    pub(super) ident: String,
    /// For each value, whether the instruction word and its address decide it.
    fixed: Vec<bool>,
    /// If several lanes do it together: what each has of its own.
    pub(super) lanes: Option<Lanes>,
}

/// When a write takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Delay {
    /// Nothing: no later step reads the file or stops.
    None,
    /// The end of the instruction, where the writes are done in their order.
    End,
    /// The same, in a copy of the file, since numbers are computed or the write is in a loop.
    Copy,
}

/// The target of a write: a file, or the registers outside of files.
pub(super) type Target = Option<RegFileId>;

impl<'u> Unit<'u> {
    pub(super) fn new(
        isa: &'u Isa,
        opcode: &'u Opcode,
        code: Code,
        lanes: Option<&program::Lanes>,
        ident: String,
    ) -> Unit<'u> {
        let mut fixed = vec![false; code.values.len()];
        for (at, value) in code.values.iter().enumerate() {
            let mut all = value.width <= 128;
            value.op.operands(|operand| all &= fixed[operand.index()]);
            fixed[at] = all && is_computed(&value.op);
        }
        let mut unit = Unit { isa, opcode, code, ident, fixed, lanes: None };
        unit.lanes = lanes.map(|lanes| Lanes::of(&unit, lanes));
        unit
    }

    /// A field of the opcode.
    pub(super) fn field(&self, name: NameId) -> &'u Field {
        // INVARIANT: programs name the fields of their opcode.
        self.opcode.field(name).unwrap_or_else(|| unreachable!("a field of another opcode"))
    }

    /// Whether the instruction word and its address decide a value.
    pub(super) fn is_fixed(&self, id: ValueId) -> bool {
        self.fixed[id.index()]
    }

    /// Whether lanes may have different values.
    pub(super) fn is_varying(&self, id: ValueId) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| lanes.is_varying(id))
    }

    pub(super) fn width(&self, id: ValueId) -> u32 {
        self.code.width(id)
    }

    /// The files that a place may be in.
    pub(super) fn targets(&self, place: &Place) -> Vec<Target> {
        match place {
            Place::Operand { field, part, .. } => match operand(self, *field, *part) {
                Operand::Numbered { file, .. } => vec![Some(file)],
                Operand::Several(choices) => {
                    choices.iter().filter_map(|choice| choice.target()).collect()
                }
            },
            Place::State(_) => vec![None],
            Place::Register { file, .. } => vec![Some(*file)],
            Place::Group { field, .. } => match operand(self, *field, None) {
                Operand::Numbered { file, .. } => vec![Some(file)],
                Operand::Several(_) => Vec::new(),
            },
            Place::OfLane { place, .. } => self.targets(place),
        }
    }

    /// When the writes of each file are done.
    pub(super) fn delays(&self) -> BTreeMap<Target, Delay> {
        let mut delays = BTreeMap::new();
        let mut later = Later::default();
        self.delays_in(&self.code.body, &mut later, Nesting::None, &mut delays);
        // Writes keep their order: targets that one operand may denote wait for the same.
        let mut together = Vec::new();
        self.shared_targets(&self.code.body, &mut together);
        loop {
            let before = delays.clone();
            for targets in &together {
                let longest = targets.iter().filter_map(|target| delays.get(target)).max().copied();
                let Some(longest) = longest else { continue };
                delays.extend(targets.iter().map(|target| (*target, longest)));
            }
            if delays == before {
                return delays;
            }
        }
    }

    /// The targets of each write that has several.
    fn shared_targets(&self, region: &Region, found: &mut Vec<Vec<Target>>) {
        for step in &region.steps {
            match step {
                Step::Write { place, .. } => {
                    let targets = self.targets(place);
                    if targets.len() > 1 {
                        found.push(targets);
                    }
                }
                Step::If { yes, no, .. } => {
                    self.shared_targets(yes, found);
                    self.shared_targets(no, found);
                }
                Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => {
                    self.shared_targets(body, found);
                }
                _ => {}
            }
        }
    }

    /// Goes through the steps from the last to the first.
    fn delays_in(
        &self,
        region: &Region,
        later: &mut Later,
        nesting: Nesting,
        delays: &mut BTreeMap<Target, Delay>,
    ) {
        for step in region.steps.iter().rev() {
            match step {
                Step::Write { place, .. } => {
                    for target in self.targets(place) {
                        let needed = self.delay(place, target, later, nesting);
                        let delay = delays.entry(target).or_insert(Delay::None);
                        *delay = needed.max(*delay);
                    }
                }
                Step::If { yes, no, .. } => {
                    let mut other = later.clone();
                    let inner = nesting.max(Nesting::Branch);
                    self.delays_in(yes, later, inner, delays);
                    self.delays_in(no, &mut other, inner, delays);
                    later.add(&other);
                }
                Step::Loop { body, .. } => {
                    // The steps of the next turn are later, too.
                    later.add(&self.effects(body));
                    self.delays_in(body, later, Nesting::Loop, delays);
                }
                Step::Atomic(body) | Step::Labelled { body, .. } => {
                    self.delays_in(body, later, nesting, delays);
                }
                // Writes are done here.
                Step::Commit => *later = Later::default(),
                _ => {}
            }
            if !matches!(step, Step::If { .. } | Step::Loop { .. }) {
                self.note(step, later);
            }
        }
    }

    fn delay(&self, place: &Place, target: Target, later: &Later, nesting: Nesting) -> Delay {
        if !later.stops && !later.reads.contains(&target) {
            return Delay::None;
        }
        let is_computed = match place {
            Place::Register { number, .. } => !self.is_fixed(*number),
            Place::Group { offset, .. } => !self.is_fixed(*offset),
            _ => false,
        };
        let needs_copy = target.is_some() && (is_computed || nesting == Nesting::Loop);
        if needs_copy { Delay::Copy } else { Delay::End }
    }

    /// Everything that a region does.
    fn effects(&self, region: &Region) -> Later {
        let mut all = Later::default();
        for step in &region.steps {
            match step {
                Step::If { yes, no, .. } => {
                    all.add(&self.effects(yes));
                    all.add(&self.effects(no));
                }
                Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => {
                    all.add(&self.effects(body));
                }
                _ => self.note(step, &mut all),
            }
        }
        all
    }

    fn note(&self, step: &Step, later: &mut Later) {
        match step {
            Step::Compute(id) => match self.code.op(*id) {
                Op::Read(place) => later.reads.extend(self.targets(place)),
                Op::Load { .. } | Op::StoreConditional { .. } | Op::Extern { .. } => {
                    later.stops = true;
                }
                _ => {}
            },
            Step::Store { .. } | Step::Trap { .. } | Step::Unpredictable => later.stops = true,
            _ => {}
        }
    }
}

/// Whether an operation computes its result of its operands, or takes it from the word and the address.
fn is_computed(op: &Op) -> bool {
    matches!(
        op,
        Op::Constant(_)
            | Op::Field(_)
            | Op::FieldBits(_)
            | Op::Pc
            | Op::Next
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Extend { .. }
            | Op::Extract { .. }
            | Op::Concat(_)
            | Op::Select { .. }
    )
}

/// Whether an operation is computed where its result is used, without being noticed.
pub(super) fn is_pure(op: &Op) -> bool {
    is_computed(op) || matches!(op, Op::Has(_) | Op::Unknown | Op::Any { .. })
}

/// Whether an operation does something that can be noticed, even if its result is unused.
pub(super) fn has_effect(op: &Op) -> bool {
    match op {
        Op::Load { .. } | Op::StoreConditional { .. } | Op::Extern { .. } => true,
        Op::Float { raises, .. } => *raises,
        Op::Read(place) => place.is_external(),
        _ => false,
    }
}

/// Where a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nesting {
    None,
    Branch,
    Loop,
}

/// Events that may follow a step before writes take effect.
#[derive(Debug, Clone, Default)]
struct Later {
    /// The instruction may stop.
    stops: bool,
    /// These targets are read.
    reads: BTreeSet<Target>,
}

impl Later {
    fn add(&mut self, other: &Later) {
        self.stops |= other.stops;
        self.reads.extend(other.reads.iter().copied());
    }
}
