//! `isadl gen`: writes the output of a backend, or compares it with the existing files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use isadl::isa::Family;
use isadl::source::SourceMap;
use isadl_codegen::output::{Existing, Output, Plan};
use isadl_codegen::rust::{self, Constructors, ModuleHead, Options, Parts, Traits, Views};
use isadl_codegen::{dataflow, markdown, vectors};

use crate::args::{Emit, Gen, Links, Target};
use crate::check::Origin;
use crate::{Failure, Outcome, check, report};

pub(crate) fn run(options: &Gen) -> Outcome {
    check_usage(options)?;
    let mut failed = false;
    let mut outputs = Vec::new();
    let sets = check::sets(&options.input.paths)?;
    let alone = sets.len() == 1 && sets.iter().all(|set| set.origin == Origin::Named);
    for set in &sets {
        let mut clock = Clock::start();
        let (sources, compilation) = check::compile(&set.paths, &options.input)?;
        let checking = clock.lap();
        match compilation.family.filter(|_| !compilation.diagnostics.has_errors()) {
            Some(family) => {
                let selected = family.select(&options.selection());
                let family = selected.map_err(|unknown| Failure::Usage(unknown.to_string()))?;
                let name = family.first().name().to_lowercase();
                // A single named instruction set goes to `--out` itself.
                let folder = match &options.out {
                    Some(out) if alone => out.clone(),
                    Some(out) => out.join(name),
                    None => Path::new("generated").join(name),
                };
                let output = backend(options, &family, (&sources, &folder));
                if options.stats {
                    stats(&family, [checking, clock.lap()], &output);
                }
                outputs.push((folder, output));
            }
            None => {
                report::complain(&format!(
                    "nothing generated: {}",
                    check::totals(&compilation.diagnostics)
                ));
                failed = true;
            }
        }
    }
    // Errors in one instruction set leave the output of all unchanged.
    if failed {
        return Err(Failure::Input);
    }
    check_folders(&outputs)?;
    if options.check {
        for (folder, output) in &outputs {
            failed |= is_stale(output, folder)?;
        }
        return if failed { Err(Failure::Input) } else { Ok(()) };
    }
    let existing = if options.force { Existing::Replaced } else { Existing::Kept };
    write(&outputs, existing)
}

/// Refuses two instruction sets that would overwrite each other.
fn check_folders(outputs: &[(PathBuf, Output)]) -> Outcome {
    let mut taken = BTreeSet::new();
    for (folder, _) in outputs {
        if !taken.insert(folder) {
            report::complain(&format!(
                "nothing generated: {} would contain two instruction sets of the same name; \
                 generate them one by one with --out",
                folder.display()
            ));
            return Err(Failure::Input);
        }
    }
    Ok(())
}

/// Generates the output of the target; `place` is the source and the destination.
fn backend(options: &Gen, family: &Family, place: (&SourceMap, &Path)) -> Output {
    match options.target {
        Target::Rust => code(options, family),
        Target::Dataflow => dataflow::generate(&family.merged()),
        Target::Vectors => {
            let (output, coverage) = vectors::generate(family);
            report::note(&format!("{}: {coverage}\n", family.first().name()));
            output
        }
        Target::Markdown => markdown::generate(family, place.0, &manual(options, place)),
        Target::Html => markdown::html(family, place.0, &manual(options, place)),
    }
}

/// The options of a manual.
fn manual(options: &Gen, (sources, folder): (&SourceMap, &Path)) -> markdown::Options {
    let links = match &options.source_links {
        None => markdown::SourceLinks::Relative,
        Some(Links::Off) => markdown::SourceLinks::Off,
        Some(Links::Url(url)) => markdown::SourceLinks::Url(url.clone()),
    };
    let groups = match options.all_groups {
        true => markdown::Groups::All,
        false => markdown::Groups::Documented,
    };
    markdown::Options { links, groups, ..markdown::Options::new(sources, folder) }
}

/// Refuses options that the target does not use.
fn check_usage(options: &Gen) -> Outcome {
    let for_rust = [
        ("--emit", options.emit.is_some()),
        ("--module", options.module.is_some()),
        ("--no-constructors", options.no_constructors),
        ("--views", options.views),
        ("--traits", options.traits),
    ];
    let for_manuals =
        [("--source-links", options.source_links.is_some()), ("--all-groups", options.all_groups)];
    let is_manual = matches!(options.target, Target::Markdown | Target::Html);
    refuse(&for_rust, options.target == Target::Rust, "`--target rust`")?;
    refuse(&for_manuals, is_manual, "`--target markdown` or `--target html`")?;
    let Some(name) = &options.module else { return Ok(()) };
    match ModuleHead::can_name(name) {
        true => Ok(()),
        false => Err(Failure::Usage(format!("`{name}` is not a valid name for a module"))),
    }
}

/// Refuses options that are given, unless the target has them.
fn refuse(options: &[(&str, bool)], has_them: bool, target: &str) -> Outcome {
    let given = options.iter().filter(|(_, is_given)| *is_given && !has_them);
    let given: Vec<String> = given.map(|(name, _)| format!("`{name}`")).collect();
    match given.as_slice() {
        [] => Ok(()),
        [one] => Err(Failure::Usage(format!("{one} needs {target}"))),
        several => Err(Failure::Usage(format!("{} need {target}", several.join(", ")))),
    }
}

/// Generates a crate, or a module for another one.
fn code(options: &Gen, family: &Family) -> Output {
    let (isa, chosen) = (family.merged(), chosen(options));
    let Some(name) = &options.module else { return rust::generate(&isa, &chosen) };
    let head = ModuleHead { visibility: "pub".to_string(), name: name.clone() };
    let mut output = Output::default();
    output.add(format!("{name}.rs"), rust::module(&isa, &chosen, head).formatted());
    output
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
fn chosen(options: &Gen) -> Options {
    let is_wanted = |part| options.emit.as_ref().is_none_or(|parts| parts.contains(&part));
    let emit = |part| if is_wanted(part) { rust::Emit::Yes } else { rust::Emit::No };
    Options {
        parts: Parts {
            decode: emit(Emit::Decode),
            encode: emit(Emit::Encode),
            text: emit(Emit::Text),
            flow: emit(Emit::Flow),
        },
        constructors: if options.no_constructors {
            Constructors::None
        } else {
            Constructors::PerOpcode
        },
        views: if options.views { Views::PerOptype } else { Views::None },
        traits: if options.traits { Traits::Implemented } else { Traits::None },
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
