//! Tries examples with claims, and laws.
//!
//! An example has one state: what it gives, and distinct values for everything else. A law is tried in many states; the result is a small
//! counterexample, if there is one. Both are found by [`isadl::compile`], and executed here.

mod bench;
mod law;
mod registers;
mod report;
mod values;

use std::collections::BTreeSet;
use std::rc::Rc;

use isadl::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl::isa::{Environment, ExtensionSet, Family, Isa};
use isadl::semantics::Checked;
use isadl::semantics::trials::Trial;
use isadl::source::Span;
use isadl_exec::Spec;

use bench::{Bench, Verdict};
use report::Reporter;

/// What trials found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Examples and laws that do not hold, or cannot be tried.
    pub diagnostics: Diagnostics,
    /// How many examples were tried.
    pub examples: usize,
    /// How many laws were tried.
    pub laws: usize,
}

/// Tries the examples and laws of all generations. `programs` has the programs of each.
///
/// ```
/// let mut sources = isadl::source::SourceMap::new();
/// sources.add("tiny.isa", b"
/// __DefIsa TINY<8>
///     Semantics<checked>;
/// __DefRegFile R<8, 4>
/// __DefOperandType Reg<2>
///     r[0..3] = 0 : R;
/// __DefGroup ALL : []
///   __Encoding
///     field[1:0] Reg rd;
///   __OperandInfo
///     Operands<rd>;
/// __DefInstructions : [ALL]
///     ///= rd = rd + 1
///     ///> inc r1 //= r1 = 255: r1 = 1
///     INC \"inc\" [7:2] == 5;
/// ".to_vec());
/// let compilation = isadl::compile(&sources);
/// let family = compilation.family.expect("no errors");
/// let outcome = isadl_laws::check(&family, compilation.semantics);
/// assert_eq!(outcome.examples, 1);
/// assert!(outcome.diagnostics.has_errors(), "the sum is 0");
/// ```
pub fn check(family: &Family, programs: Vec<Checked>) -> Outcome {
    let (mut outcome, mut known) = (Outcome::default(), Known::default());
    let are_several = family.isas().len() > 1;
    for (isa, programs) in family.isas().iter().zip(programs) {
        if programs.trials.is_empty() {
            continue;
        }
        let names: Vec<&str> = isa.generation_names(isa.describes()).collect();
        let place = are_several.then(|| format!("in {}", names.join(", ")));
        of_generation(isa, programs, (&mut outcome, &mut known), place.as_deref());
    }
    outcome.diagnostics.finish();
    outcome
}

/// What was tried or reported in an earlier generation.
#[derive(Default)]
struct Known {
    tried: BTreeSet<Span>,
    reported: BTreeSet<(Code, Span)>,
}

/// Tries the examples and laws of a generation. `place` says which, if there are several.
fn of_generation(
    isa: &Isa,
    mut programs: Checked,
    (outcome, known): (&mut Outcome, &mut Known),
    place: Option<&str>,
) {
    let trials = std::mem::take(&mut programs.trials);
    let spec = Spec::quick(isa.clone(), programs);
    let mut report = |found: Diagnostic| {
        if known.reported.insert((found.code, found.primary.span)) {
            outcome.diagnostics.push(match place {
                Some(place) => found.with_note(place),
                None => found,
            });
        }
    };
    let sets: BTreeSet<ExtensionSet> = trials.iter().map(|trial| trial.extensions).collect();
    for set in sets {
        let own = || trials.iter().filter(|trial| trial.extensions == set);
        let own = own().filter(|trial| !trial.instructions.is_empty());
        let spec = Rc::new(spec.clone().with_extensions(set));
        let Some(mut bench) = Bench::new(&spec, &environment(isa)) else {
            let first = own.map(|trial| trial.span).next();
            first.into_iter().for_each(|span| report(report::too_large(span)));
            continue;
        };
        for trial in own {
            if known.tried.insert(trial.span) {
                match trial.is_law {
                    true => outcome.laws += 1,
                    false => outcome.examples += 1,
                }
            }
            attempt(&mut bench, trial).into_iter().for_each(&mut report);
        }
    }
}

/// The environment, if there is only one.
fn environment(isa: &Isa) -> Environment {
    match isa.environments() {
        [only] => only.clone(),
        _ => Environment::bare(),
    }
}

/// Tries an example or a law.
fn attempt(bench: &mut Bench, trial: &Trial) -> Option<Diagnostic> {
    let loaded = match bench.load(trial) {
        Ok(loaded) => loaded,
        Err(why) => return Some(report::cannot_be_tried(trial, &why)),
    };
    if trial.is_law {
        return law::attempt(bench, &loaded);
    }
    let verdict = bench.attempt(&loaded);
    if !matches!(verdict, Verdict::Holds) {
        bench.reset(trial, &loaded.registers);
    }
    match verdict {
        Verdict::Holds => None,
        Verdict::Ended(halt) => Some(Reporter::new(bench, &loaded).ended(&halt)),
        Verdict::Fails(failure) => Some(Reporter::new(bench, &loaded).failure(&failure)),
    }
}
