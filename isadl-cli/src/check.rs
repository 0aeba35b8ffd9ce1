//! `isadl check`, and the reading of instruction sets that other commands share.

use std::path::PathBuf;

use isadl::Compilation;
use isadl::diagnostic::{Diagnostics, Severity};
use isadl::source::{SourceMap, instruction_sets};

use crate::args::{Check, Format, Input};
use crate::{Failure, Outcome, report};

pub(crate) fn run(options: &Check) -> Outcome {
    let mut failed = false;
    for paths in sets(&options.input.paths)? {
        let (_, compilation) = compile(&paths, &options.input)?;
        let summary = summary(&compilation);
        match options.input.format {
            Format::Json => report::note(&summary),
            Format::Human | Format::Short => report::print(&summary)?,
        }
        failed |= compilation.diagnostics.has_errors();
    }
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// The paths of each instruction set that the arguments name: every folder holds its own, the
/// files together are one.
pub(crate) fn sets(paths: &[PathBuf]) -> Result<Vec<Vec<PathBuf>>, Failure> {
    let mut sets = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            sets.extend(instruction_sets(path)?.into_iter().map(|set| vec![set]));
        } else {
            files.extend(instruction_sets(path)?);
        }
    }
    if !files.is_empty() {
        sets.push(files);
    }
    Ok(sets)
}

/// Compiles one instruction set and shows what was found.
pub(crate) fn compile(
    paths: &[PathBuf],
    input: &Input,
) -> Result<(SourceMap, Compilation), Failure> {
    let levels = input.levels()?;
    let sources = SourceMap::read(paths)?;
    let mut compilation = isadl::compile(&sources);
    compilation.diagnostics.apply(&levels);
    report::diagnostics(&compilation.diagnostics, &sources, input)?;
    Ok((sources, compilation))
}

fn summary(compilation: &Compilation) -> String {
    let counts = compilation.counts;
    format!(
        "checked {}: {}, {}, {}, {}; {}\n",
        plural(counts.files, "file"),
        plural(counts.types, "type"),
        plural(counts.groups, "group"),
        plural(counts.optypes, "optype"),
        plural(counts.opcodes, "opcode"),
        totals(&compilation.diagnostics),
    )
}

/// `2 errors, 1 warning`
pub(crate) fn totals(diagnostics: &Diagnostics) -> String {
    let count = |severity| diagnostics.count(severity);
    format!(
        "{}, {}",
        plural(count(Severity::Error), "error"),
        plural(count(Severity::Warning), "warning")
    )
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
