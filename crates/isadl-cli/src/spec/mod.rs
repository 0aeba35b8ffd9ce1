//! The instruction set that a command works with: specifications that are compiled, and compiled sets that are read.

mod cache;
mod opened;

use std::path::PathBuf;

use isadl::isa::Family;
use isadl::semantics::Checked;
use isadl::source::SourceMap;

use crate::args::Input;
use crate::{Failure, check, progress, report};

pub(crate) use opened::{DEBUGGER, EXTENSION, MACROS, Needs, Opened, file, guarded, inputs};

/// A specification without errors.
pub(crate) struct Compiled {
    pub(crate) sources: SourceMap,
    pub(crate) family: Family,
    /// The programs of each generation.
    pub(crate) programs: Vec<Checked>,
}

/// The only instruction set in a folder, or of files.
fn set(paths: &[PathBuf], argument: &str) -> Result<Vec<PathBuf>, Failure> {
    let mut sets = check::sets(paths)?;
    // Subfolders may contain other instruction sets.
    if sets.iter().any(|set| set.paths == paths) {
        sets.retain(|set| set.paths == paths);
    }
    match sets.as_slice() {
        [set] => Ok(set.paths.clone()),
        _ => {
            let names = sets.iter().flat_map(|set| &set.paths).map(|p| p.display().to_string());
            Err(Failure::Usage(format!(
                "{argument} must name one instruction set, not {}: {}",
                sets.len(),
                names.collect::<Vec<_>>().join(", ")
            )))
        }
    }
}

/// The folder or file of the only instruction set at a path, or of the project.
pub(crate) fn only_set(path: &[PathBuf]) -> Result<PathBuf, Failure> {
    if path.iter().any(|path| check::is_input(path)) {
        return Err(Failure::Usage(
            "an instruction set is a folder or file here, not standard input".to_string(),
        ));
    }
    let found = set(path, "PATH")?;
    // A path is one set, or lists several sets, each with one folder or file.
    Ok(found.into_iter().next().unwrap_or_default())
}

/// Reads and compiles one instruction set.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Compiled, Failure> {
    compiled(SourceMap::read(paths)?)
}

/// Compiles one instruction set. Errors are reported; warnings are left to `check`.
pub(crate) fn compiled(sources: SourceMap) -> Result<Compiled, Failure> {
    let compilation = progress::during("reading the specification", || isadl::compile(&sources));
    let Some(family) = compilation.family else {
        report::diagnostics(&compilation.diagnostics, &sources, &Input::of(&[]))?;
        return Err(Failure::Input);
    };
    Ok(Compiled { sources, family, programs: compilation.semantics })
}
