//! Code as text, for people.

use std::fmt;

use isadl_ir::isa::Isa;

use super::{Code, Label, Op, Over, Place, Region, Step, ValueId};

/// Code with the names of an instruction set.
///
/// A line is a step: `%3:32 = add %1 %2` is a value of 32 bits, `write rd %3` writes it.
pub struct Shown<'c> {
    /// The instruction set.
    pub isa: &'c Isa,
    /// The code.
    pub code: &'c Code,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.region(f, &self.code.body, 0)
    }
}

/// A value as it is named.
struct Named(ValueId);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0.index())
    }
}

fn list(values: &[ValueId]) -> String {
    values.iter().map(|value| format!(" {}", Named(*value))).collect()
}

/// `AddSigned` as `add signed`.
fn words(name: impl fmt::Debug) -> String {
    let mut text = String::new();
    for letter in format!("{name:?}").chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

impl Shown<'_> {
    fn region(&self, f: &mut fmt::Formatter<'_>, region: &Region, depth: usize) -> fmt::Result {
        region.steps.iter().try_for_each(|step| self.step(f, step, depth))
    }

    fn defined(&self, value: ValueId) -> String {
        format!("{}:{}", Named(value), self.code.width(value))
    }

    fn step(&self, f: &mut fmt::Formatter<'_>, step: &Step, depth: usize) -> fmt::Result {
        let indent = "    ".repeat(depth);
        write!(f, "{indent}")?;
        match step {
            Step::Compute(value) => {
                writeln!(f, "{} = {}", self.defined(*value), self.op(self.code.op(*value)))
            }
            Step::Write { place, mask, value } => {
                let mask = mask.map(|mask| format!(" where {}", Named(mask))).unwrap_or_default();
                writeln!(f, "write {} {}{mask}", self.place(place), Named(*value))
            }
            Step::Store { memory, address, value } => {
                writeln!(f, "store {memory} {} {}", Named(*address), Named(*value))
            }
            Step::Jump(target) => writeln!(f, "jump {}", Named(*target)),
            Step::Lanes(lanes) => writeln!(f, "lanes {}", Named(*lanes)),
            Step::If { condition, yes, no, merges } => {
                writeln!(f, "if {}", Named(*condition))?;
                self.region(f, yes, depth + 1)?;
                if !no.steps.is_empty() {
                    writeln!(f, "{indent}else")?;
                    self.region(f, no, depth + 1)?;
                }
                for merge in merges {
                    let arm = |value: Option<ValueId>| {
                        value.map_or_else(|| "-".to_string(), |value| Named(value).to_string())
                    };
                    let (yes, no) = (arm(merge.yes), arm(merge.no));
                    writeln!(f, "{indent}{} = merge {yes} {no}", self.defined(merge.after))?;
                }
                Ok(())
            }
            Step::Loop { over, number, carried, body } => {
                let over = match over {
                    Over::Range { first, last, is_signed } => {
                        let sign = if *is_signed { " signed" } else { "" };
                        format!("{} to {}{sign}", Named(*first), Named(*last))
                    }
                    Over::Ones(of) => format!("ones of {}", Named(*of)),
                };
                writeln!(f, "for {} in {over}", self.defined(*number))?;
                for one in carried {
                    let (inside, before) = (self.defined(one.inside), Named(one.before));
                    writeln!(f, "{indent}    {inside} = first {before}, then {}", Named(one.next))?;
                }
                self.region(f, body, depth + 1)?;
                carried.iter().try_for_each(|one| {
                    writeln!(
                        f,
                        "{indent}{} = last of {}",
                        self.defined(one.after),
                        Named(one.inside)
                    )
                })
            }
            Step::Atomic(body) => {
                writeln!(f, "atomic")?;
                self.region(f, body, depth + 1)
            }
            Step::Labelled { word, label, body } => {
                match label {
                    Label::Word(label) => writeln!(f, "{word} {label}")?,
                    Label::Value(value) => writeln!(f, "{word} {}", Named(*value))?,
                }
                self.region(f, body, depth + 1)
            }
            Step::Trap { name, arguments } => writeln!(f, "trap {name}{}", list(arguments)),
            Step::Unpredictable => writeln!(f, "unpredictable"),
            Step::Commit => writeln!(f, "commit"),
        }
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Operand { field, part, .. } => {
                let part = part.map(|part| format!(".{part}")).unwrap_or_default();
                format!("{}{part}", self.isa.name_of(*field))
            }
            Place::State(name) => name.clone(),
            Place::OfLane { place, lane } => {
                format!("{} of lane {}", self.place(place), Named(*lane))
            }
            Place::Register { file, number } => {
                format!("{}[{}]", self.isa.reg_files()[file.index()].name, Named(*number))
            }
            Place::Group { field, offset } => {
                format!("{} + {}", self.isa.name_of(*field), Named(*offset))
            }
        }
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Constant(value) => value.to_string(),
            Op::Field(field) => format!("field {}", self.isa.name_of(*field)),
            Op::FieldBits(field) => format!("bits {}", self.isa.name_of(*field)),
            Op::Has(condition) => {
                format!("has {}", self.isa.extensions().needs(condition))
            }
            Op::Pc => "pc".to_string(),
            Op::Next => "next".to_string(),
            Op::Read(place) => format!("read {}", self.place(place)),
            Op::Load { memory, address, is_reserving } => {
                let reserve = if *is_reserving { " and reserve" } else { "" };
                format!("load {memory} {}{reserve}", Named(*address))
            }
            Op::StoreConditional { memory, address, value } => {
                format!("store if reserved {memory} {} {}", Named(*address), Named(*value))
            }
            Op::Extern { name, arguments, .. } => format!("call {name}{}", list(arguments)),
            Op::Float { operation, arguments, settings, raises } => {
                let settings = settings
                    .iter()
                    .map(|(setting, value)| format!(" {} = {}", setting.name(), Named(*value)));
                let raises = if *raises { " raises" } else { "" };
                let settings: String = settings.collect();
                format!("{operation}{}{settings}{raises}", list(arguments))
            }
            Op::Raised => "raised".to_string(),
            Op::Lane => "lane".to_string(),
            Op::Active => "active".to_string(),
            Op::Ballot(of) => format!("ballot {}", Named(*of)),
            Op::Unknown => "unknown".to_string(),
            Op::Any { first, last } => format!("any {} {}", Named(*first), Named(*last)),
            Op::Unary(op, of) => format!("{} {}", words(op), Named(*of)),
            Op::Binary(op, a, b) => format!("{} {} {}", words(op), Named(*a), Named(*b)),
            Op::Extend { of, is_signed } => {
                let sign = if *is_signed { "signs" } else { "zeros" };
                format!("extend {sign} {}", Named(*of))
            }
            Op::Extract { of, low } => format!("extract {low} {}", Named(*of)),
            Op::Concat(parts) => format!("concat{}", list(parts)),
            Op::Select { condition, yes, no } => {
                format!("select {} {} {}", Named(*condition), Named(*yes), Named(*no))
            }
            Op::Merge => "merge".to_string(),
            Op::Carried => "carried".to_string(),
            Op::Number => "number".to_string(),
        }
    }
}
