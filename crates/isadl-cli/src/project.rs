//! The settings of `isadl.toml`, for commands.

use std::path::{Path, PathBuf};

use isadl::levels::{Level, Levels};
use isadl_project::Project;

use crate::args::Input;
use crate::{Failure, report};

/// The project that contains a path. Errors in its file are reported.
pub(crate) fn of(path: &Path) -> Result<Option<Project>, Failure> {
    let Some(file) = isadl_project::find(path) else { return Ok(None) };
    match isadl_project::read(&file)? {
        Ok(project) => Ok(Some(project)),
        Err(problem) => {
            report::diagnostics(&problem.diagnostics, &problem.sources, &Input::of(&[]))?;
            Err(Failure::Input)
        }
    }
}

/// The project of the current folder.
pub(crate) fn here() -> Result<Option<Project>, Failure> {
    of(Path::new(""))
}

/// The paths that a command works on: the named paths, else the paths of the project, else `spec`.
pub(crate) fn paths(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let project = here()?.unwrap_or_default();
    let paths: Vec<PathBuf> = project.specs().map(|spec| project.path_of(spec)).collect();
    Ok(if paths.is_empty() { vec![PathBuf::from("spec")] } else { paths })
}

/// The levels of lints in an instruction set: the project's, then those that options choose. Of several options for one
/// lint the strictest wins.
pub(crate) fn levels(input: &Input, set: &[PathBuf]) -> Result<Levels, Failure> {
    let mut levels = match set.first() {
        Some(path) => of(path)?.map_or_else(Levels::default, |project| project.levels(path)),
        None => Levels::default(),
    };
    for (codes, level) in
        [(&input.allow, Level::Allow), (&input.warn, Level::Warn), (&input.deny, Level::Deny)]
    {
        for name in codes {
            levels.set(name, level).map_err(|error| Failure::Usage(error.to_string()))?;
        }
    }
    Ok(levels)
}
