//! `isadl gen`: writes what a backend derives, or holds it against what is there.

use std::path::Path;

use isadl::isa::Family;
use isadl::source::SourceMap;
use isadl_codegen::output::Output;
use isadl_codegen::rust::{self, Constructors, Options, Parts, Views};
use isadl_codegen::{dataflow, markdown};

use crate::args::{Emit, Gen, Target};
use crate::check::Origin;
use crate::{Failure, Outcome, check, report};

pub(crate) fn run(options: &Gen) -> Outcome {
    let mut failed = false;
    let mut outputs = Vec::new();
    let sets = check::sets(&options.input.paths)?;
    let alone = sets.len() == 1 && sets.iter().all(|set| set.origin == Origin::Named);
    for set in &sets {
        let (sources, compilation) = check::compile(&set.paths, &options.input)?;
        match compilation.family.filter(|_| !compilation.diagnostics.has_errors()) {
            Some(family) => {
                let selected = family.select(&options.selection());
                let family = selected.map_err(|unknown| Failure::Usage(unknown.to_string()))?;
                let name = family.first().name().to_lowercase();
                // An instruction set that was named alone goes to `--out` itself.
                let folder = match &options.out {
                    Some(out) if alone => out.clone(),
                    Some(out) => out.join(name),
                    None => Path::new("generated").join(name),
                };
                let output = backend(options, &family, (&sources, &folder));
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
    // Errors in one instruction set leave the output of all as it was.
    if failed {
        return Err(Failure::Input);
    }
    for (folder, output) in &outputs {
        if options.check {
            failed |= is_stale(output, folder)?;
        } else {
            write(output, folder)?;
        }
    }
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// What the target makes of an instruction set; `place` is where it comes from and where it goes.
fn backend(options: &Gen, family: &Family, place: (&SourceMap, &Path)) -> Output {
    match options.target {
        Target::Rust => rust::generate(&family.merged(), &chosen(options)),
        Target::Dataflow => dataflow::generate(&family.merged()),
        Target::Markdown => {
            let (sources, folder) = place;
            markdown::generate(family, sources, &markdown::Options::new(sources, folder))
        }
    }
}

/// The options of the Rust backend.
fn chosen(options: &Gen) -> Options {
    let emit = |part| if options.emit.contains(&part) { rust::Emit::Yes } else { rust::Emit::No };
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
    }
}

fn write(output: &Output, folder: &Path) -> Outcome {
    let written = output.write(folder)?;
    let total = output.files().count();
    report::note(&format!("{}: {total} files, {} changed\n", folder.display(), written.len()));
    Ok(())
}

fn is_stale(output: &Output, folder: &Path) -> Result<bool, Failure> {
    let differences = output.diff(folder)?;
    for (path, difference) in &differences {
        report::complain(&format!(
            "{} is {}; run `isadl gen`",
            path.display(),
            difference.as_str()
        ));
    }
    Ok(!differences.is_empty())
}
