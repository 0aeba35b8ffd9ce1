//! `isadl gen`: writes what a backend derives, or holds it against what is there.

use std::path::Path;

use isadl::isa::Isa;
use isadl_codegen::dataflow;
use isadl_codegen::output::Output;
use isadl_codegen::rust::{self, Constructors, Options, Parts, Views};

use crate::args::{Emit, Gen, Target};
use crate::check::Origin;
use crate::{Failure, Outcome, check, report};

pub(crate) fn run(options: &Gen) -> Outcome {
    let mut failed = false;
    let mut outputs = Vec::new();
    let sets = check::sets(&options.input.paths)?;
    let alone = sets.len() == 1 && sets.iter().all(|set| set.origin == Origin::Named);
    for set in &sets {
        let (_, compilation) = check::compile(&set.paths, &options.input)?;
        match compilation.family.filter(|_| !compilation.diagnostics.has_errors()) {
            Some(family) => {
                let isa = family.merged();
                let name = isa.name().to_lowercase();
                // An instruction set that was named alone goes to `--out` itself.
                let folder = match &options.out {
                    Some(out) if alone => out.clone(),
                    Some(out) => out.join(name),
                    None => Path::new("generated").join(name),
                };
                outputs.push((folder, backend(options, &isa)?));
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

fn backend(options: &Gen, isa: &Isa) -> Result<Output, Failure> {
    let known: Vec<&str> = isa.groups().iter().map(|group| group.name.as_str()).collect();
    if let Some(unknown) = options.groups.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Failure::Usage(format!(
            "`{unknown}` is no group; the groups are {}",
            known.join(", ")
        )));
    }
    let emit = |part| if options.emit.contains(&part) { rust::Emit::Yes } else { rust::Emit::No };
    let chosen = Options {
        parts: Parts {
            decode: emit(Emit::Decode),
            encode: emit(Emit::Encode),
            text: emit(Emit::Text),
        },
        groups: options.groups.clone(),
        constructors: if options.no_constructors {
            Constructors::None
        } else {
            Constructors::PerOpcode
        },
        views: if options.views { Views::PerOptype } else { Views::None },
    };
    match options.target {
        Target::Rust => Ok(rust::generate(isa, &chosen)),
        Target::Dataflow => Ok(dataflow::generate(isa)),
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
