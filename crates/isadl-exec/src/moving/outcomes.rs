//! What an instruction makes of its address, and of a register whose value is known: the addresses that it accesses, jumps
//! to and writes into registers. All other registers and all memory are unknown.

use isadl::isa::{ExtensionSet, Inst, Isa, Meaning, NameId, Opcode, RegFileId};
use isadl::semantics::ir::{Code, Op, Over, Place, Region, Step, ValueId};

use crate::fields::{Denoted, Fields};
use crate::lower::known::{binary, lowest, signed, unary};

/// A register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Register {
    pub(super) file: RegFileId,
    pub(super) number: u32,
}

/// What an instruction is executed with.
#[derive(Clone, Copy)]
pub(super) struct At<'i> {
    pub(super) isa: &'i Isa,
    pub(super) extensions: ExtensionSet,
    pub(super) inst: Inst,
    pub(super) address: u64,
    /// A register that is known, and its value. Without it, what depends on the address of the instruction is followed.
    pub(super) known: Option<(Register, u128)>,
}

/// An effect of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// Memory at an address is accessed.
    Access(u64),
    /// Execution goes on at an address.
    Jump(u64),
    /// A register has a value.
    Write(u128),
    /// Memory has a value.
    Store(u128),
    /// A jump to an address that does not depend on what is followed.
    Fixed(u64),
    /// What is followed becomes something that is not known.
    Lost,
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    value: Option<u128>,
    /// Whether it depends on what is followed.
    follows: bool,
}

const UNKNOWN: Found = Found { value: None, follows: false };
const LOST: Found = Found { value: None, follows: true };

/// The effects of an instruction that depend on what is followed, in the order of its program.
pub(super) fn outcomes(code: &Code, at: At<'_>) -> Vec<Outcome> {
    let opcode = at.isa.opcode(at.inst.opcode);
    let values = vec![None; code.values.len()];
    let mut run = Run { code, at, opcode, values, found: Vec::new() };
    run.region(&code.body);
    run.found
}

struct Run<'i> {
    code: &'i Code,
    at: At<'i>,
    opcode: &'i Opcode,
    values: Vec<Option<Found>>,
    found: Vec<Outcome>,
}

impl Run<'_> {
    fn region(&mut self, region: &Region) {
        region.steps.iter().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Compute(id) => {
                self.value(*id);
                match self.code.op(*id) {
                    Op::Load { address, .. } => self.access(*address),
                    Op::StoreConditional { address, value, .. } => {
                        self.access(*address);
                        self.note(*value, Outcome::Store);
                    }
                    _ => {}
                }
            }
            // Constants discard what is written.
            Step::Write { place, .. } if self.is_constant(place) => {}
            Step::Write { place, mask, value } => {
                // A register whose number depends on what is followed.
                let mut numbers = Vec::new();
                place.operands(&mut |id| numbers.push(id));
                let all = numbers.iter().chain(mask);
                if all.into_iter().any(|id| self.value(*id).follows) {
                    self.found.push(Outcome::Lost);
                }
                self.note(*value, Outcome::Write);
            }
            Step::Store { address, value, .. } => {
                self.access(*address);
                self.note(*value, Outcome::Store);
            }
            Step::Jump(target) => match self.value(*target) {
                Found { value: Some(value), follows: true } => {
                    self.found.push(Outcome::Jump(value as u64));
                }
                Found { value: Some(value), follows: false } => {
                    self.found.push(Outcome::Fixed(value as u64));
                }
                Found { value: None, follows } => {
                    self.found.extend(follows.then_some(Outcome::Lost));
                }
            },
            Step::If { condition, yes, no, merges } => {
                let condition = self.value(*condition);
                if condition == LOST {
                    self.found.push(Outcome::Lost);
                }
                if condition.value != Some(0) {
                    self.region(yes);
                }
                if condition.value.is_none_or(|value| value == 0) {
                    self.region(no);
                }
                for merge in merges {
                    let of = |run: &mut Self, id: Option<ValueId>| id.map(|id| run.value(id));
                    let merged = match condition.value {
                        Some(0) => of(self, merge.no),
                        Some(_) => of(self, merge.yes),
                        None => match (of(self, merge.yes), of(self, merge.no)) {
                            (Some(yes), Some(no)) => Some(either(yes, no)),
                            (one, other) => one.or(other),
                        },
                    };
                    self.values[merge.after.index()] = Some(merged.unwrap_or(UNKNOWN));
                }
            }
            Step::Loop { over, number, carried, body } => {
                let over = match over {
                    Over::Range { first, last, .. } => {
                        self.value(*first).follows || self.value(*last).follows
                    }
                    Over::Ones(of) => self.value(*of).follows,
                };
                // Whatever a loop makes of it is not known.
                let follows = carried.iter().any(|one| self.value(one.before).follows) || over;
                let found = Found { value: None, follows };
                self.values[number.index()] = Some(Found { value: None, follows: over });
                for one in carried {
                    self.values[one.inside.index()] = Some(found);
                    self.values[one.after.index()] = Some(found);
                }
                self.region(body);
                let grows = carried.iter().any(|one| self.value(one.next).follows);
                if grows && !follows {
                    self.found.push(Outcome::Lost);
                }
            }
            Step::Atomic(body) | Step::Labelled { body, .. } => self.region(body),
            Step::Trap { arguments, .. } => {
                arguments.iter().for_each(|id| self.note(*id, Outcome::Write));
            }
            Step::Lanes(id) => {
                if self.value(*id).follows {
                    self.found.push(Outcome::Lost);
                }
            }
            Step::Unpredictable | Step::Commit => {}
        }
    }

    fn access(&mut self, address: ValueId) {
        self.note(address, |value| Outcome::Access(value as u64));
    }

    /// Notes what is made of a value, if it depends on what is followed.
    fn note(&mut self, id: ValueId, outcome: impl Fn(u128) -> Outcome) {
        match self.value(id) {
            Found { value: Some(value), follows: true } => self.found.push(outcome(value)),
            Found { value: None, follows: true } => self.found.push(Outcome::Lost),
            Found { follows: false, .. } => {}
        }
    }

    fn value(&mut self, id: ValueId) -> Found {
        if let Some(found) = self.values[id.index()] {
            return found;
        }
        let width = self.code.width(id);
        let mut found = self.computed(id, width);
        found.value = found.value.filter(|_| width <= 128).map(|value| lowest(value, width));
        self.values[id.index()] = Some(found);
        found
    }

    fn computed(&mut self, id: ValueId, width: u32) -> Found {
        let known = |value: Option<u128>| Found { value, follows: false };
        let own = Found { value: None, follows: self.at.known.is_none() };
        match self.code.op(id) {
            Op::Constant(value) => known(Some(*value as u128)),
            Op::Field(name) => known(self.fields().number(*name).map(|value| value as u128)),
            Op::FieldBits(name) => known(self.fields().bits(*name).map(u128::from)),
            Op::Has(condition) => known(Some(condition.holds(self.at.extensions).into())),
            Op::Pc => Found { value: Some(self.at.address.into()), ..own },
            Op::Next => {
                let next = self.at.address.wrapping_add(u64::from(self.opcode.width) / 8);
                Found { value: Some(next.into()), ..own }
            }
            Op::Read(place) => self.read(place, width),
            Op::Unary(op, of) => {
                let (bits, of) = (self.code.width(*of), self.value(*of));
                let value = of.value.filter(|_| bits <= 128).map(|value| unary(*op, value, bits));
                Found { value, ..of }
            }
            Op::Binary(op, a, b) => {
                let bits = self.code.width(*a);
                let (a, b) = (self.value(*a), self.value(*b));
                let both = a.value.zip(b.value).filter(|_| bits <= 64 || width <= 128);
                let value = both.and_then(|(a, b)| binary(*op, a, b, bits));
                Found { value, follows: a.follows || b.follows }
            }
            Op::Extend { of, is_signed } => {
                let (bits, of) = (self.code.width(*of), self.value(*of));
                let extended = |value| match is_signed {
                    true => signed(value, bits) as u128,
                    false => value,
                };
                Found { value: of.value.map(extended), ..of }
            }
            Op::Extract { of, low } => {
                let of = self.value(*of);
                let value = of.value.map(|value| value.checked_shr(*low).unwrap_or(0));
                Found { value, ..of }
            }
            Op::Concat(parts) => {
                let mut all = Found { value: Some(0), follows: false };
                for part in parts {
                    let (bits, found) = (self.code.width(*part), self.value(*part));
                    let below = all.value.zip(found.value);
                    all.value = below.map(|(all, one)| all.checked_shl(bits).unwrap_or(0) | one);
                    all.follows |= found.follows;
                }
                all
            }
            Op::Select { condition, yes, no } => {
                let condition = self.value(*condition);
                let chosen = match condition.value {
                    Some(0) => self.value(*no),
                    Some(_) => self.value(*yes),
                    None => either(self.value(*yes), self.value(*no)),
                };
                match condition.follows && condition.value.is_none() {
                    true => LOST,
                    false => chosen,
                }
            }
            // What memory holds does not depend on what is followed.
            Op::Load { .. } | Op::StoreConditional { .. } => UNKNOWN,
            other => {
                let mut all = Vec::new();
                other.operands(|id| all.push(id));
                let follows = all.into_iter().any(|id| self.value(id).follows);
                if follows && other.has_effect() {
                    self.found.push(Outcome::Lost);
                }
                Found { value: None, follows }
            }
        }
    }

    fn read(&mut self, place: &Place, width: u32) -> Found {
        let Some((known, value)) = self.at.known else { return UNKNOWN };
        let bits = self.at.isa.reg_files()[known.file.index()].width;
        match place {
            Place::Operand { field, part, .. } => match self.register(*field, *part) {
                Some(read) if read.file == known.file && read.number == known.number => {
                    if width <= bits { Found { value: Some(value), follows: true } } else { LOST }
                }
                // Several registers, one of which may be the one.
                Some(read) if read.file == known.file && width > bits => {
                    let count = width.div_ceil(bits);
                    let is_in = known.number.wrapping_sub(read.number) < count;
                    if is_in { LOST } else { UNKNOWN }
                }
                _ => UNKNOWN,
            },
            Place::State(_) => UNKNOWN,
            Place::Register { file, number } if *file == known.file => {
                let number = self.value(*number).value;
                match number {
                    Some(number) if number == u128::from(known.number) && width <= bits => {
                        Found { value: Some(value), follows: true }
                    }
                    Some(number) if width <= bits && number != u128::from(known.number) => UNKNOWN,
                    _ => LOST,
                }
            }
            Place::Register { .. } => UNKNOWN,
            Place::Group { field, .. } => match self.register(*field, None) {
                Some(first) if first.file != known.file => UNKNOWN,
                _ => LOST,
            },
            Place::OfLane { place, .. } => self.read(place, width),
        }
    }

    fn fields(&self) -> Fields<'_> {
        Fields::of(self.at.isa, self.at.inst)
    }

    fn is_constant(&self, place: &Place) -> bool {
        let Place::Operand { field, part, .. } = place else { return false };
        let denoted = self.fields().denoted(*field, *part);
        matches!(denoted, Some(Denoted::Constant(Meaning::Constant { .. }, _)))
    }

    /// The register that an operand denotes.
    fn register(&self, name: NameId, part: Option<usize>) -> Option<Register> {
        match self.fields().denoted(name, part)? {
            Denoted::Register(file, number) => Some(Register { file, number }),
            _ => None,
        }
    }
}

/// A value that is one of two.
fn either(one: Found, other: Found) -> Found {
    Found {
        value: one.value.filter(|_| one.value == other.value),
        follows: one.follows || other.follows,
    }
}

/// Whether a program uses the address of its instruction.
pub(super) fn uses_address(code: &Code) -> bool {
    code.ids().any(|id| matches!(code.op(id), Op::Pc))
}
