//! `isadl gen`: writes the output of a backend, or compares it with the existing files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use isadl::isa::{Family, Selection};
use isadl::semantics::Checked;
use isadl::source::SourceMap;
use isadl_codegen::output::{Existing, Output, Plan};
use isadl_codegen::paths::relative;
use isadl_codegen::rust::{
    self, Behaviour, Constructors, ModuleHead, Options, Parts, Refused, Serde, Traits, Views,
};
use isadl_codegen::{dataflow, markdown, vectors};
use isadl_project::{Output as Wanted, Part, SourceLinks, Target, Unused};

use crate::args::Gen;
use crate::jobs::{Job, OutputFolder, jobs};
use crate::{Failure, Outcome, check, progress, report};

pub(crate) fn run(options: &Gen) -> Outcome {
    let jobs = jobs(options)?;
    for (wanted, _) in jobs.iter().flat_map(|job| &job.outputs) {
        check_usage(wanted)?;
    }
    check_crate_names(&jobs)?;
    let mut failed = false;
    let mut outputs = Vec::new();
    let mut folders = Folders::default();
    for (at, job) in jobs.iter().enumerate() {
        match generated(options, job)? {
            Some(made) => {
                for (target, folder, output) in made {
                    folders.take(&folder, (at, target));
                    outputs.push((folder, output));
                }
            }
            None => failed = true,
        }
    }
    // Errors in one instruction set leave the output of all sets unchanged.
    if failed {
        return Err(Failure::Input);
    }
    folders.check()?;
    if options.check {
        for (folder, output) in &outputs {
            failed |= is_stale(output, folder)?;
        }
        return if failed { Err(Failure::Input) } else { Ok(()) };
    }
    let existing = if options.force { Existing::Replaced } else { Existing::Kept };
    write(&outputs, existing)
}

/// An output and its folder.
type Made = (Target, PathBuf, Output);

/// The outputs of an instruction set; `None` if it has errors, which are reported.
fn generated(options: &Gen, job: &Job) -> Result<Option<Vec<Made>>, Failure> {
    let mut clock = Clock::start();
    let (sources, compilation) = check::compile(&job.paths, &options.input)?;
    let mut checking = clock.lap();
    let programs = compilation.semantics;
    let Some(family) = compilation.family.filter(|_| !compilation.diagnostics.has_errors()) else {
        let totals = check::totals(&compilation.diagnostics);
        report::complain(&format!("nothing generated: {totals}"));
        return Ok(None);
    };
    let whole = &family;
    let mut made = Vec::new();
    for (wanted, place) in &job.outputs {
        check_behaviour(wanted, whole, &programs)?;
        let part;
        let family = match selection(wanted) {
            all if all == Selection::default() => &family,
            selection => {
                let selected = family.clone().select(&selection);
                part = selected.map_err(|unknown| Failure::Usage(unknown.to_string()))?;
                &part
            }
        };
        let folder = folder(wanted, place, family);
        let what =
            format!("generating {} of {}", wanted.target.as_str(), progress::names(&job.paths));
        let (output, said) = progress::during(&what, || {
            let behaviour = Behaviour { isas: whole.isas(), programs: &programs };
            backend(wanted, family, behaviour, (&sources, &folder), &place.base)
        });
        if let Some(said) = said {
            report::note(&said);
        }
        if options.stats {
            stats(family, [std::mem::take(&mut checking), clock.lap()], &output);
        }
        made.push((wanted.target, folder, output));
    }
    Ok(Some(made))
}

/// The selected part of the instruction set.
fn selection(wanted: &Wanted) -> Selection {
    Selection {
        groups: wanted.groups.clone(),
        generations: wanted.generations.clone(),
        extensions: wanted.extensions.clone(),
    }
}

/// The folder of an output.
fn folder(wanted: &Wanted, place: &OutputFolder, family: &Family) -> PathBuf {
    let own = || family.first().name().to_lowercase();
    let name = wanted.crate_name.clone().unwrap_or_else(own);
    place.base.join(match &wanted.out {
        // A single named instruction set goes to the folder itself.
        Some(out) if place.is_alone => out.clone(),
        Some(out) => out.join(name),
        None => Path::new("generated").join(name),
    })
}

/// Records which outputs are in which folder.
#[derive(Default)]
struct Folders {
    taken: BTreeMap<PathBuf, Vec<(usize, Target)>>,
    /// Folders of outputs that would overwrite each other.
    twice: BTreeSet<PathBuf>,
}

impl Folders {
    /// Records an output, by the number of its instruction set and its target. Outputs of one instruction set have
    /// files of different names.
    fn take(&mut self, folder: &Path, (set, target): (usize, Target)) {
        let there = self.taken.entry(folder.to_path_buf()).or_default();
        if there.iter().any(|(other, kind)| *other != set || *kind == target) {
            self.twice.insert(folder.to_path_buf());
        }
        there.push((set, target));
    }

    /// Refuses outputs that would overwrite each other.
    fn check(&self) -> Outcome {
        let Some(folder) = self.twice.first() else { return Ok(()) };
        let sets: BTreeSet<usize> = self.taken[folder].iter().map(|(set, _)| *set).collect();
        let what = if sets.len() > 1 {
            "two instruction sets of the same name; generate them one by one with --out"
        } else {
            "two outputs of the same target; give one of them another `out`"
        };
        let folder = folder.display();
        report::complain(&format!("nothing generated: {folder} would contain {what}"));
        Err(Failure::Input)
    }
}

/// Generates the output of the target, and the messages about it. `place` is the source and the destination, and `base`
/// the folder that paths in options start from.
fn backend(
    wanted: &Wanted,
    family: &Family,
    behaviour: Behaviour<'_>,
    place: (&SourceMap, &Path),
    base: &Path,
) -> (Output, Option<String>) {
    let programs = behaviour.programs;
    let output = match wanted.target {
        Target::Rust => return code(wanted, family, behaviour, base, place.1),
        Target::Dataflow => dataflow::generate(&family.merged()),
        Target::Vectors => {
            let (output, coverage) = vectors::generate(family);
            return (output, Some(format!("{}: {coverage}\n", family.first().name())));
        }
        Target::Markdown => markdown::generate(family, programs, place.0, &manual(wanted, place)),
        Target::Html => markdown::html(family, programs, place.0, &manual(wanted, place)),
    };
    (output, None)
}

/// The options of a manual.
fn manual(wanted: &Wanted, (sources, folder): (&SourceMap, &Path)) -> markdown::Options {
    let links = match &wanted.source_links {
        None => markdown::SourceLinks::Relative,
        Some(SourceLinks::Off) => markdown::SourceLinks::Off,
        Some(SourceLinks::Url(url)) => markdown::SourceLinks::Url(url.clone()),
    };
    let groups = match wanted.all_groups {
        true => markdown::Groups::All,
        false => markdown::Groups::Documented,
    };
    markdown::Options { links, groups, ..markdown::Options::new(sources, folder) }
}

/// Refuses options that the target does not use, and names that modules cannot have.
fn check_usage(wanted: &Wanted) -> Outcome {
    let unused = wanted.unused();
    if let Some(Unused { targets, .. }) = unused.first() {
        let of_them = unused.iter().filter(|one| one.targets == *targets).map(|one| one.key);
        let options = of_them.map(|key| match key {
            "constructors" => "`--no-constructors`".to_string(),
            key => format!("`--{key}`"),
        });
        let options: Vec<String> = options.collect();
        let verb = if options.len() == 1 { "needs" } else { "need" };
        let targets = targets.iter().map(|target| format!("`--target {}`", target.as_str()));
        let targets = targets.collect::<Vec<_>>().join(" or ");
        return Err(Failure::Usage(format!("{} {verb} {targets}", options.join(", "))));
    }
    match (&wanted.module, &wanted.crate_name) {
        (Some(_), Some(name)) => Err(Failure::Usage(format!(
            "a module is not a crate, so it cannot have the crate name `{name}`"
        ))),
        (Some(name), None) if !ModuleHead::can_name(name) => {
            Err(Failure::Usage(format!("`{name}` is not a valid name for a module")))
        }
        (None, Some(name)) if !rust::can_name_crate(name) => {
            Err(Failure::Usage(format!("`{name}` is not a valid name for a crate")))
        }
        _ => Ok(()),
    }
}

/// Refuses one crate name for several instruction sets.
fn check_crate_names(jobs: &[Job]) -> Outcome {
    let mut taken = BTreeMap::new();
    for (at, job) in jobs.iter().enumerate() {
        for name in job.outputs.iter().filter_map(|(wanted, _)| wanted.crate_name.as_ref()) {
            if *taken.entry(name).or_insert(at) != at {
                return Err(Failure::Usage(format!(
                    "crates of several instruction sets would have the name `{name}`; generate them one by one"
                )));
            }
        }
    }
    Ok(())
}

/// Whether code that executes instructions is wanted.
fn executes(wanted: &Wanted) -> bool {
    wanted.emit.as_ref().is_some_and(|parts| parts.contains(&Part::Exec))
}

/// Refuses to execute what generated code cannot.
fn check_behaviour(wanted: &Wanted, family: &Family, programs: &[Checked]) -> Outcome {
    if !executes(wanted) {
        return Ok(());
    }
    let behaviour = Behaviour { isas: family.isas(), programs };
    behaviour.check().map_err(|why| {
        let name = family.first().name();
        report::complain(&format!("nothing generated: the part `exec` of {name}: {why}"));
        Failure::Input
    })
}

/// Generates a crate, or a module for another crate, and a message about it.
fn code(
    wanted: &Wanted,
    family: &Family,
    behaviour: Behaviour<'_>,
    base: &Path,
    folder: &Path,
) -> (Output, Option<String>) {
    let (isa, mut chosen) = (family.merged(), chosen(wanted));
    let path = wanted.traits_path.as_ref();
    chosen.traits_path = path.and_then(|path| relative(folder, &base.join(path)));
    let Some(name) = &wanted.module else {
        return match executes(wanted) {
            true => {
                let (output, refused) = rust::generate_executing(&isa, &chosen, behaviour);
                (output, not_executed(isa.name(), &refused))
            }
            false => (rust::generate(&isa, &chosen), None),
        };
    };
    let head = ModuleHead { visibility: "pub".to_string(), name: name.clone() };
    let (module, said) = match executes(wanted) {
        true => {
            let (module, refused) = rust::module_executing(&isa, &chosen, head, behaviour);
            (module, not_executed(isa.name(), &refused))
        }
        false => (rust::module(&isa, &chosen, head), None),
    };
    let mut output = Output::default();
    output.add(format!("{name}.rs"), module.formatted());
    (output, said)
}

/// Says which opcodes generated code does not execute, if there are some.
fn not_executed(name: &str, refused: &[Refused]) -> Option<String> {
    let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for Refused { opcode, why } in refused {
        reasons.entry(why).or_default().insert(opcode);
    }
    let lines = reasons.iter().map(|(why, opcodes)| {
        let opcodes: Vec<String> = opcodes.iter().map(|opcode| format!("`{opcode}`")).collect();
        format!("{name}: the part `exec` does not execute {}: {why}\n", opcodes.join(", "))
    });
    let text: String = lines.collect();
    (!text.is_empty()).then_some(text)
}

/// Measures the time between calls.
struct Clock(Instant);

impl Clock {
    fn start() -> Clock {
        Clock(Instant::now())
    }

    /// The time since the last call.
    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.0, now))
    }
}

/// Prints the time and the size of the output of an instruction set.
fn stats(family: &Family, [checking, generating]: [Duration; 2], output: &Output) {
    // An opcode may have several variants, for generations and for literals.
    let opcodes = family.isas().iter().flat_map(|isa| isa.opcodes());
    let names: BTreeSet<&str> = opcodes.map(|opcode| opcode.name.as_str()).collect();
    report::note(&format!(
        "{}: {} opcodes; read and checked in {:.1} ms, generated in {:.1} ms, {} bytes in {} files\n",
        family.first().name(),
        names.len(),
        checking.as_secs_f64() * 1e3,
        generating.as_secs_f64() * 1e3,
        output.bytes(),
        output.files().count(),
    ));
}

/// The options of the Rust backend.
fn chosen(wanted: &Wanted) -> Options {
    let is_wanted = |part| wanted.emit.as_ref().is_none_or(|parts| parts.contains(&part));
    let emit = |part| if is_wanted(part) { rust::Emit::Yes } else { rust::Emit::No };
    Options {
        parts: Parts {
            decode: emit(Part::Decode),
            encode: emit(Part::Encode),
            text: emit(Part::Text),
            flow: emit(Part::Flow),
        },
        constructors: match wanted.constructors {
            true => Constructors::PerOpcode,
            false => Constructors::None,
        },
        views: if wanted.views { Views::PerOptype } else { Views::None },
        traits: if wanted.traits { Traits::Implemented } else { Traits::None },
        serde: if wanted.serde { Serde::Implemented } else { Serde::None },
        traits_path: None,
        crate_name: wanted.crate_name.clone(),
    }
}

/// Writes all outputs, or none if a file that was not generated is in the way.
fn write(outputs: &[(PathBuf, Output)], existing: Existing) -> Outcome {
    let mut plans = Vec::new();
    for (folder, output) in outputs {
        plans.push(output.plan(folder)?);
    }
    check_obstacles(&plans, existing)?;
    for (plan, (folder, output)) in plans.into_iter().zip(outputs) {
        for path in plan.kept() {
            report::note(&format!(
                "kept {}: it is no longer generated, but it was changed\n",
                path.display()
            ));
        }
        let changed = plan.apply()?.len();
        let total = output.files().count();
        report::note(&format!("{}: {total} files, {changed} changed\n", folder.display()));
    }
    Ok(())
}

/// Lists everything that is in the way.
fn check_obstacles(plans: &[Plan<'_>], existing: Existing) -> Outcome {
    let found: Vec<_> = plans.iter().flat_map(|plan| plan.obstacles(existing)).collect();
    if found.is_empty() {
        return Ok(());
    }
    let mut message = "nothing was written, because these files are in the way:\n".to_string();
    for (path, obstacle) in &found {
        message += &format!("  {} {}\n", path.display(), obstacle.as_str());
    }
    message += match found.iter().any(|(_, obstacle)| obstacle.is_replaceable()) {
        true => "move them away, choose another folder with --out, or replace them with --force",
        false => "move them away, or choose another folder with --out",
    };
    report::complain(&message);
    Err(Failure::Input)
}

fn is_stale(output: &Output, folder: &Path) -> Result<bool, Failure> {
    let differences = output.diff(folder)?;
    for (path, difference) in &differences {
        let message = format!("{} {}; run `isadl gen`", path.display(), difference.as_str());
        report::complain(&message);
    }
    Ok(!differences.is_empty())
}
