//! Follows a program with the word of one instruction, without knowing any register.

use std::collections::BTreeMap;

use isadl::isa::{ExtensionSet, Inst, Isa, NameId, Register};
use isadl::semantics::ir::{Code, Op, Place, Region, Step, ValueId};

use super::terms::{Location, Term, Terms};
use super::{Access, Jump, Stop, Summary, Write};
use crate::fields::{Denoted, Fields};
use crate::slots::wraps;

/// What an instruction at an address does. Terms that there are already keep their numbers.
pub(super) fn summary(
    isa: &Isa,
    extensions: ExtensionSet,
    code: &Code,
    (inst, address): (Inst, u64),
    mut terms: Terms,
) -> Summary {
    let following = address.wrapping_add(u64::from(isa.opcode(inst.opcode).width) / 8);
    let (yes, next) = (terms.constant(1, 1), terms.constant(following.into(), 64));
    let mut run = Run {
        isa,
        extensions,
        code,
        fields: Fields::of(isa, inst),
        addresses: (address, following),
        values: vec![None; code.values.len()],
        kept: kept_widths(code, &Fields::of(isa, inst)),
        now: BTreeMap::new(),
        pending: BTreeMap::new(),
        path: yes,
        alive: yes,
        jumps: Vec::new(),
        accesses: Vec::new(),
        stops: Vec::new(),
        is_complete: true,
        terms,
    };
    run.region(&code.body);
    run.finish(following, next)
}

struct Run<'i> {
    isa: &'i Isa,
    extensions: ExtensionSet,
    code: &'i Code,
    fields: Fields<'i>,
    /// Those of the instruction and of the following one.
    addresses: (u64, u64),
    values: Vec<Option<Term>>,
    /// The bits of registers outside of files.
    kept: BTreeMap<String, u32>,
    terms: Terms,
    /// What reads yield, where it is not what was there before the instruction.
    now: BTreeMap<Location, Term>,
    /// What locations will be at the next commit.
    pending: BTreeMap<Location, Term>,
    /// When the current step is reached.
    path: Term,
    /// When nothing has stopped the instruction.
    alive: Term,
    jumps: Vec<Jump>,
    accesses: Vec<Access>,
    stops: Vec<Stop>,
    is_complete: bool,
}

/// What a place is for an instruction word.
enum Found {
    /// A register of a file with its following ones, or a register outside of files.
    Location(Location),
    /// A constant: what is written to it is discarded.
    Constant(Option<i128>),
    /// A register that the word does not decide.
    Unknown,
}

impl Run<'_> {
    fn finish(mut self, following: u64, next: Term) -> Summary {
        self.commit();
        let mut writes = Vec::new();
        for (location, value) in std::mem::take(&mut self.now) {
            let width = self.width_of(&location);
            let before = self.terms.read(location.clone(), width);
            if value != before {
                writes.push(Write { location, value });
            }
        }
        let jumps = self.jumps.iter();
        let next = jumps.fold(next, |next, jump| {
            let target = self.terms.extract(jump.target, 0, 64.min(self.terms.width(jump.target)));
            let target = self.terms.extend(target, false, 64);
            self.terms.select(jump.condition, target, next)
        });
        Summary {
            terms: self.terms,
            writes,
            accesses: self.accesses,
            stops: self.stops,
            jumps: self.jumps,
            next,
            following,
            is_complete: self.is_complete,
        }
    }

    /// When the current step takes place.
    fn condition(&mut self) -> Term {
        self.terms.both(self.path, self.alive)
    }

    fn region(&mut self, region: &Region) {
        region.steps.iter().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Compute(id) => {
                self.value(*id);
            }
            Step::Write { place, mask, value } => self.write(place, *mask, *value),
            Step::Store { memory, address, value } => {
                let stored = self.value(*value);
                let bits = self.code.width(*value);
                self.access(*memory, *address, bits, Some(stored));
            }
            Step::Jump(target) => {
                let target = self.value(*target);
                let condition = self.condition();
                self.jumps.push(Jump { target, condition });
            }
            Step::If { condition, yes, no, merges } => {
                let condition = self.value(*condition);
                match self.terms.value_of(condition) {
                    Some(0) => self.region(no),
                    Some(_) => self.region(yes),
                    None => self.either(condition, yes, no),
                }
                for merge in merges {
                    let (yes, no) =
                        (merge.yes.map(|id| self.value(id)), merge.no.map(|id| self.value(id)));
                    let merged = match (self.terms.value_of(condition), yes, no) {
                        (Some(0), _, Some(one)) | (Some(_), Some(one), _) => one,
                        (None, Some(yes), Some(no)) => self.terms.select(condition, yes, no),
                        // The program ends on the other way.
                        (_, Some(one), None) | (_, None, Some(one)) => one,
                        _ => self.terms.unknown(self.code.width(merge.after)),
                    };
                    self.values[merge.after.index()] = Some(merged);
                }
            }
            Step::Loop { number, carried, body, .. } => {
                let carried = carried.iter().flat_map(|one| [one.inside, one.after]);
                self.repeated(carried.chain([*number]), body);
            }
            Step::Atomic(body) | Step::Labelled { body, .. } => self.region(body),
            Step::Trap { name, .. } => self.stop(Some(name.clone())),
            Step::Unpredictable => self.stop(None),
            Step::Lanes(id) => {
                self.value(*id);
                self.is_complete = false;
            }
            Step::Commit => self.commit(),
        }
    }

    /// Both regions of a condition that is not known.
    fn either(&mut self, condition: Term, yes: &Region, no: &Region) {
        let path = self.path;
        self.path = self.terms.both(path, condition);
        self.region(yes);
        let not = self.terms.not(condition);
        self.path = self.terms.both(path, not);
        self.region(no);
        self.path = path;
    }

    /// The region of a loop, once: what it makes of values that change, and of registers, is not known.
    fn repeated(&mut self, changing: impl Iterator<Item = ValueId>, body: &Region) {
        for id in changing {
            self.values[id.index()] = Some(self.terms.unknown(self.code.width(id)));
        }
        self.is_complete = false;
        let (path, before) = (self.path, self.pending.clone());
        self.path = self.terms.unknown(1);
        self.region(body);
        self.path = path;
        for (location, value) in &mut self.pending {
            if before.get(location) != Some(value) {
                *value = self.terms.unknown(self.terms.width(*value));
            }
        }
    }

    fn stop(&mut self, trap: Option<String>) {
        let condition = self.condition();
        if self.terms.value_of(condition) == Some(0) {
            return;
        }
        self.stops.push(Stop { trap, condition });
        let goes_on = self.terms.not(self.path);
        self.alive = self.terms.both(self.alive, goes_on);
    }

    fn access(
        &mut self,
        memory: usize,
        address: ValueId,
        bits: u32,
        stored: Option<Term>,
    ) -> usize {
        let address = self.value(address);
        let condition = self.condition();
        self.accesses.push(Access { memory, address, bits, stored, condition });
        self.accesses.len() - 1
    }

    /// The writes so far take effect.
    fn commit(&mut self) {
        if self.terms.value_of(self.path) != Some(1) {
            // They do on some ways only.
            self.is_complete = false;
        }
        self.now.append(&mut self.pending);
    }

    fn value(&mut self, id: ValueId) -> Term {
        if let Some(known) = self.values[id.index()] {
            return known;
        }
        let found = self.computed(id, self.code.width(id));
        self.values[id.index()] = Some(found);
        found
    }

    fn computed(&mut self, id: ValueId, width: u32) -> Term {
        let code = self.code;
        match code.op(id) {
            Op::Constant(value) => self.number(Some(*value), width),
            Op::Field(name) => self.number(self.fields.number(*name), width),
            Op::FieldBits(name) => self.number(self.fields.bits(*name).map(i128::from), width),
            Op::Has(condition) => {
                self.terms.constant(condition.holds(self.extensions).into(), width)
            }
            Op::Pc => self.terms.constant(self.addresses.0.into(), width),
            Op::Next => self.terms.constant(self.addresses.1.into(), width),
            Op::Read(place) => self.read(place, width),
            Op::Load { memory, address, .. } => {
                let access = self.access(*memory, *address, width, None);
                self.terms.loaded(access, width)
            }
            Op::StoreConditional { memory, address, value } => {
                let stored = self.value(*value);
                let bits = code.width(*value);
                self.access(*memory, *address, bits, Some(stored));
                // Whether the reservation lasts is not known, and so whether it stores.
                self.is_complete = false;
                self.terms.unknown(width)
            }
            Op::Extern { effects, .. } => {
                self.is_complete &= effects.is_pure;
                self.terms.unknown(width)
            }
            Op::Unary(op, of) => {
                let of = self.value(*of);
                self.terms.unary(*op, of, width)
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (self.value(*a), self.value(*b));
                self.terms.binary(*op, a, b, width)
            }
            Op::Extend { of, is_signed } => {
                let of = self.value(*of);
                self.terms.extend(of, *is_signed, width)
            }
            Op::Extract { of, low } => {
                let of = self.value(*of);
                self.terms.extract(of, *low, width)
            }
            Op::Concat(parts) => {
                let parts: Vec<Term> = parts.iter().map(|part| self.value(*part)).collect();
                self.terms.concat(&parts)
            }
            Op::Select { condition, yes, no } => {
                let condition = self.value(*condition);
                let (yes, no) = (self.value(*yes), self.value(*no));
                self.terms.select(condition, yes, no)
            }
            Op::Lane
            | Op::Active
            | Op::Ballot(_)
            | Op::Float { .. }
            | Op::Raised
            | Op::Unknown
            | Op::Any { .. }
            | Op::Merge
            | Op::Carried
            | Op::Number => self.terms.unknown(width),
        }
    }

    fn number(&mut self, value: Option<i128>, width: u32) -> Term {
        match value.filter(|value| width <= 128 || *value == 0) {
            Some(value) => self.terms.constant(value as u128, width),
            None => self.terms.unknown(width),
        }
    }

    fn find(&mut self, place: &Place, width: u32) -> Found {
        match place {
            Place::Operand { field, part, .. } => self.operand(*field, *part, width),
            Place::State(name) => Found::Location(Location::Kept(name.clone())),
            Place::Register { file, number } => {
                let number = self.value(*number);
                match self.terms.value_of(number).and_then(|number| u32::try_from(number).ok()) {
                    Some(number) => {
                        Found::Location(Location::Register(Register { file: *file, number }))
                    }
                    None => Found::Unknown,
                }
            }
            Place::Group { field, offset } => {
                let offset = self.value(*offset);
                let offset = self.terms.value_of(offset).and_then(|by| u64::try_from(by).ok());
                match (self.fields.denoted(*field, None), offset) {
                    (Some(Denoted::Register(file, first)), Some(offset)) => {
                        let count = u64::from(self.isa.reg_files()[file.index()].count);
                        let number = (u64::from(first).wrapping_add(offset) % count) as u32;
                        Found::Location(Location::Register(Register { file, number }))
                    }
                    _ => Found::Unknown,
                }
            }
            // Of which lane is known only to the lanes.
            Place::OfLane { .. } => Found::Unknown,
        }
    }

    fn operand(&self, field: NameId, part: Option<usize>, width: u32) -> Found {
        match self.fields.denoted(field, part) {
            Some(Denoted::Register(file, number)) => {
                Found::Location(Location::Register(Register { file, number }))
            }
            Some(Denoted::Constant(meaning, position)) => {
                Found::Constant(meaning.constant(position, width))
            }
            Some(Denoted::Kept(name)) => Found::Location(Location::Kept(name)),
            None => Found::Unknown,
        }
    }

    /// The bits of a location.
    fn width_of(&self, location: &Location) -> u32 {
        match location {
            Location::Register(Register { file, .. }) => self.isa.reg_files()[file.index()].width,
            Location::Kept(name) => self.kept.get(name).copied().unwrap_or(64),
        }
    }

    /// The location after so many others; `None` if that always reads as 0.
    fn following(&self, first: &Location, by: u32) -> Option<Location> {
        match first {
            Location::Register(Register { file, number }) => {
                let number = number.checked_add(by)?;
                let count = self.isa.reg_files()[file.index()].count;
                let is_there = number < count || wraps(self.isa, *file);
                is_there
                    .then(|| Location::Register(Register { file: *file, number: number % count }))
            }
            Location::Kept(_) => (by == 0).then(|| first.clone()),
        }
    }

    fn read(&mut self, place: &Place, width: u32) -> Term {
        let first = match self.find(place, width) {
            Found::Location(location) => location,
            Found::Constant(value) => return self.number(value, width),
            Found::Unknown => return self.terms.unknown(width),
        };
        let own = self.width_of(&first);
        let mut parts = Vec::new();
        for at in 0..width.div_ceil(own) {
            let value = match self.following(&first, at) {
                Some(location) => self.current(&location),
                None => self.terms.constant(0, own),
            };
            parts.push(self.terms.extract(value, 0, own.min(width - at * own)));
        }
        parts.reverse();
        self.terms.concat(&parts)
    }

    /// What reading a location yields.
    fn current(&mut self, location: &Location) -> Term {
        let width = self.width_of(location);
        match self.now.get(location) {
            Some(value) => *value,
            None => self.terms.read(location.clone(), width),
        }
    }

    fn write(&mut self, place: &Place, mask: Option<ValueId>, value: ValueId) {
        let width = self.code.width(value);
        let found = self.find(place, width);
        let (value, mask) = (self.value(value), mask.map(|mask| self.value(mask)));
        let first = match found {
            Found::Location(location) => location,
            Found::Constant(_) => return,
            Found::Unknown => {
                self.is_complete = false;
                return;
            }
        };
        let own = self.width_of(&first);
        for at in 0..width.div_ceil(own) {
            let Some(location) = self.following(&first, at) else { continue };
            let (low, bits) = (at * own, own.min(width - at * own));
            let part = self.terms.extract(value, low, bits);
            let mask = mask.map(|mask| self.terms.extract(mask, low, bits));
            self.write_part(location, part, mask);
        }
    }

    /// Writes the lowest bits of a location, of these those of a mask.
    fn write_part(&mut self, location: Location, value: Term, mask: Option<Term>) {
        use isadl::semantics::ir::BinaryOp::{And, Or};
        let (own, bits) = (self.width_of(&location), self.terms.width(value));
        let old = match self.pending.get(&location) {
            Some(pending) => *pending,
            None => self.current(&location),
        };
        let value = match mask {
            None => value,
            Some(mask) => {
                let kept = self.terms.not(mask);
                let below = self.terms.extract(old, 0, bits);
                let kept = self.terms.binary(And, below, kept, bits);
                let value = self.terms.binary(And, value, mask, bits);
                self.terms.binary(Or, kept, value, bits)
            }
        };
        let whole = match bits < own {
            true => {
                let above = self.terms.extract(old, bits, own - bits);
                self.terms.concat(&[above, value])
            }
            false => value,
        };
        let new = self.terms.select(self.path, whole, old);
        self.pending.insert(location, new);
    }
}

/// The most bits that a program reads or writes of each register outside of files.
fn kept_widths(code: &Code, fields: &Fields<'_>) -> BTreeMap<String, u32> {
    let mut widths = BTreeMap::new();
    let mut note = |place: &Place, width: u32| {
        let name = match place {
            Place::State(name) => name.clone(),
            Place::Operand { field, part, .. } => match fields.denoted(*field, *part) {
                Some(Denoted::Kept(name)) => name,
                _ => return,
            },
            _ => return,
        };
        let known: &mut u32 = widths.entry(name).or_default();
        *known = width.max(*known);
    };
    for id in code.ids() {
        if let Op::Read(place) = code.op(id) {
            note(place, code.width(id));
        }
    }
    written(&code.body, &mut |place, value| note(place, code.width(value)));
    widths
}

/// Calls a function with everything that a region writes.
fn written(region: &Region, each: &mut impl FnMut(&Place, ValueId)) {
    for step in &region.steps {
        match step {
            Step::Write { place, value, .. } => each(place, *value),
            Step::If { yes, no, .. } => {
                written(yes, each);
                written(no, each);
            }
            Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => {
                written(body, each);
            }
            _ => {}
        }
    }
}
