//! `isadl gen`: writes what a backend derives, or holds it against what is there.

use std::path::{Path, PathBuf};

use isadl::isa::Isa;
use isadl::source::instruction_sets;
use isadl_codegen::output::Output;
use isadl_codegen::rust::{self, Constructors, Options, Parts, Views};

use crate::args::{Emit, Gen, Target};
use crate::{Failure, Outcome, check, report};

pub(crate) fn run(options: &Gen) -> Outcome {
    let mut failed = false;
    let mut outputs = Vec::new();
    for paths in check::sets(&options.input.paths)? {
        let (_, compilation) = check::compile(&paths, &options.input)?;
        match compilation.isa.filter(|_| !compilation.diagnostics.has_errors()) {
            Some(isa) => outputs.push((folder(options, &isa, &paths)?, backend(options, &isa)?)),
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
        failed |= if options.check { is_stale(output, folder)? } else { write(output, folder)? };
    }
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// Where the crate of an instruction set goes: `--out` itself if the instruction set was named,
/// a folder of its name below if it was found in a folder of several.
fn folder(options: &Gen, isa: &Isa, paths: &[PathBuf]) -> Result<PathBuf, Failure> {
    let below = |out: &Path| out.join(isa.name().to_lowercase());
    let Some(out) = &options.out else { return Ok(below(Path::new("generated"))) };
    let named = |path: &PathBuf| options.input.paths.contains(path);
    let found_alone = paths.iter().all(named)
        && options.input.paths.iter().try_fold(0, |sets, path| {
            instruction_sets(path)
                .map(|found| if path.is_dir() { sets + found.len() } else { sets })
        })? <= 1;
    Ok(if found_alone { out.clone() } else { below(out) })
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
        parts: Parts { decode: emit(Emit::Decode), encode: emit(Emit::Encode) },
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
    }
}

fn write(output: &Output, folder: &Path) -> Result<bool, Failure> {
    let written = output.write(folder)?;
    let total = output.files().count();
    report::note(&format!("{}: {total} files, {} changed\n", folder.display(), written.len()));
    Ok(false)
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
