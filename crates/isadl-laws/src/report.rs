//! What is reported about examples and laws.

use std::collections::BTreeSet;

use isadl::diagnostic::{Code, Diagnostic};
use isadl::isa::{Register, RegisterNames};
use isadl::semantics::trials::{ClaimKind, Trial};
use isadl::source::Span;
use isadl_exec::{Halt, Refusal};

use crate::bench::{Bench, Failure, Loaded, MEMORY};
use crate::registers::Uses;
use crate::values::{Wide, signed_text, text};

/// The most registers that a note lists.
const LISTED: usize = 12;

/// The most instructions that a finding lists.
const LISTED_STEPS: usize = 12;

/// Reports an instruction set that no machine can hold.
pub(crate) fn too_large(span: Span) -> Diagnostic {
    let message = "examples and laws cannot be tried: there are too many registers or lanes";
    Diagnostic::new(Code::E1236, message, span).with_help("write the claims as comments: `// …`")
}

/// Reports an example or law that cannot be executed.
pub(crate) fn cannot_be_tried(trial: &Trial, why: &str) -> Diagnostic {
    let what = what(trial);
    Diagnostic::new(Code::E1236, format!("the {what} cannot be tried: {why}"), trial.span)
        .with_help("write the claims as comments: `// …`")
}

fn what(trial: &Trial) -> &'static str {
    if trial.is_law { "law" } else { "example" }
}

/// Why instructions did not end, without numbers.
pub(crate) fn ended_text(halt: &Halt) -> String {
    match halt {
        Halt::Trap { name, .. } => format!("`trap {name}`"),
        Halt::Fault { fault, .. } => format!("{} at an address without memory", fault.access),
        Halt::Unpredictable => "`unpredictable`".to_string(),
        Halt::TooLong => "too many steps".to_string(),
        Halt::Refused(Refusal::Unsupported(_, what)) => format!("this needs {what}"),
        Halt::Refused(_) => "something that is no instruction".to_string(),
        Halt::NoFunction(name) => format!("nothing provides the function `{name}`"),
        Halt::NoMemory | Halt::End => "no memory".to_string(),
    }
}

/// Repeats an attempt, and says what happens.
pub(crate) struct Reporter<'r, 't> {
    bench: &'r mut Bench,
    loaded: &'r Loaded<'t>,
}

/// An instruction of an attempt: its number, and the registers that it changed.
type Step = (usize, Vec<(Register, Wide)>);

impl<'r, 't> Reporter<'r, 't> {
    /// Registers are as at the beginning of the attempt.
    pub(crate) fn new(bench: &'r mut Bench, loaded: &'r Loaded<'t>) -> Reporter<'r, 't> {
        Reporter { bench, loaded }
    }

    fn trial(&self) -> &'t Trial {
        self.loaded.trial
    }

    /// Reports instructions that do not end.
    pub(crate) fn ended(mut self, halt: &Halt) -> Diagnostic {
        if Bench::is_missing(halt) {
            return cannot_be_tried(self.trial(), &ended_text(halt));
        }
        let span = self.trial().claims.first().map_or(self.trial().span, |claim| claim.span);
        let message = format!("the instruction ends with {}", ended_text(halt));
        let mut found = Diagnostic::new(Code::E1234, message, span);
        found = self.state(found, 0);
        match halt {
            Halt::Trap { name, .. } => found.with_help(format!("claim it: `trap {name}`")),
            Halt::Fault { fault, .. } => {
                let note = format!(
                    "the address is {:#x}; memory has the addresses 0 to {:#x}",
                    fault.address,
                    MEMORY - 1
                );
                found.with_note(note).with_help("give the registers of the address other values")
            }
            _ => found.with_help("give registers other values, or correct the program"),
        }
    }

    /// Reports a law that no state tests.
    pub(crate) fn never(self, halt: &Halt, states: u64) -> Diagnostic {
        let message = "the law is never tried: its instructions do not get to their end";
        let note = format!("of {states} states, most end with {}", ended_text(halt));
        let help = "give registers values before the colon: `//= R1 = 0x100: …`";
        Diagnostic::new(Code::E1236, message, self.trial().span).with_note(note).with_help(help)
    }

    /// Reports a claim that does not hold.
    pub(crate) fn failure(mut self, failure: &Failure) -> Diagnostic {
        let trial = self.trial();
        let Some(claim) = trial.claims.get(failure.claim) else {
            return cannot_be_tried(trial, "a claim is missing");
        };
        let code = if trial.is_law { Code::E1235 } else { Code::E1234 };
        let message = match (&claim.kind, &failure.halt) {
            (ClaimKind::Trap(name), Some(halt)) => {
                format!("the trap is not `{name}`, but {}", ended_text(halt))
            }
            (ClaimKind::Trap(name), None) => format!("there is no trap `{name}`"),
            _ if trial.is_law => "the law does not hold".to_string(),
            _ => "the instruction does something else".to_string(),
        };
        let found = self.state(Diagnostic::new(code, message, claim.span), failure.lane);
        let mut found = self.steps(found, failure.lane);
        if let ClaimKind::Holds { sides, .. } = &claim.kind
            && let Some(label) = self.sides(sides, failure.lane)
        {
            found = found.with_label(label);
        }
        let names: BTreeSet<&str> =
            trial.instructions.iter().map(|inst| self.opcode(*inst)).collect();
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let verb = if names.len() == 1 { "the program of" } else { "the programs of" };
        found.with_help(format!("correct the claim, or {verb} {}", names.join(", ")))
    }

    fn opcode(&self, inst: isadl::isa::Inst) -> &str {
        &self.bench.spec().isa().opcode(inst.opcode).name
    }

    /// Notes the values before the first instruction.
    fn state(&mut self, found: Diagnostic, lane: usize) -> Diagnostic {
        if self.bench.begin(self.loaded).is_err() {
            return found;
        }
        let values: Vec<(Register, Wide)> = self
            .loaded
            .registers
            .read
            .iter()
            .map(|one| (*one, self.bench.get(*one, lane)))
            .collect();
        let found = match self.loaded.registers.read.iter().any(|one| self.bench.lanes(*one) > 1) {
            true => found.with_note(format!("in lane {lane}")),
            false => found,
        };
        match values.is_empty() {
            true => found,
            false => found.with_note(format!("before: {}", self.listed(&values))),
        }
    }

    fn listed(&self, values: &[(Register, Wide)]) -> String {
        let names = RegisterNames::of(self.bench.spec().isa());
        let shown = values.iter().take(LISTED);
        let shown =
            shown.map(|(register, value)| format!("{} = {}", names.name(*register), text(value)));
        let mut shown: Vec<String> = shown.collect();
        if values.len() > LISTED {
            shown.push("…".to_string());
        }
        shown.join(", ")
    }

    /// Says what each instruction computes.
    fn steps(&mut self, mut found: Diagnostic, lane: usize) -> Diagnostic {
        if self.bench.begin(self.loaded).is_err() {
            return found;
        }
        let most = if self.trial().is_law { LISTED_STEPS } else { 1 };
        for _ in 0..most {
            let Some(at) = self.bench.next(self.loaded) else { break };
            let inst = self.trial().instructions[at];
            let written = Uses::of(self.bench.spec(), inst).written;
            let goes_on = self.bench.step(self.loaded);
            let changed: Vec<(Register, Wide)> =
                written.into_iter().map(|one| (one, self.bench.get(one, lane))).collect();
            found = self.step(found, (at, changed));
            if !matches!(goes_on, Ok(true)) {
                break;
            }
        }
        self.bench.note_pc();
        found
    }

    fn step(&self, found: Diagnostic, (at, changed): Step) -> Diagnostic {
        match self.trial().lines.get(at) {
            Some(line) if !changed.is_empty() => found.with_related(*line, self.listed(&changed)),
            _ => found,
        }
    }

    /// The sides of a comparison in words.
    fn sides(
        &mut self,
        sides: &[(isadl::semantics::trials::Side, isadl::semantics::program::Program)],
        lane: usize,
    ) -> Option<String> {
        let mut shown = Vec::new();
        for (side, program) in sides {
            let value = self.bench.side((side, program), (self.loaded, lane))?;
            shown.push(match side.is_signed {
                true => signed_text(&value, side.width),
                false => text(&value),
            });
        }
        match shown.as_slice() {
            [left, right] => Some(format!("the left side is {left}, the right side {right}")),
            _ => None,
        }
    }
}
