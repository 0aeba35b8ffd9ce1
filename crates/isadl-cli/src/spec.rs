//! The instruction set that a command works with.

use std::path::{Path, PathBuf};

use isadl::isa::{ExtensionSet, Family, Isa, SelectionKind, UnknownSelection};
use isadl::semantics::Checked;
use isadl::source::SourceMap;
use isadl_project::Project;

use crate::args::{Input, Spec};
use crate::{Failure, check, progress, project, report};

/// Compiles the instruction set, for one generation.
pub(crate) fn load(spec: &Spec) -> Result<Isa, Failure> {
    let family = family(spec)?;
    let index = generation(spec, &family)?;
    Ok(family.isas()[index].clone())
}

/// A specification without errors.
pub(crate) struct Compiled {
    pub(crate) sources: SourceMap,
    pub(crate) family: Family,
    /// The programs of each generation.
    pub(crate) programs: Vec<Checked>,
}

/// Compiles the instruction set. Errors are reported; warnings are left to `check`.
pub(crate) fn family(spec: &Spec) -> Result<Family, Failure> {
    Ok(whole(spec)?.family)
}

/// Compiles the instruction set, with its programs.
pub(crate) fn whole(spec: &Spec) -> Result<Compiled, Failure> {
    if spec.paths.iter().any(|path| check::is_input(path)) {
        return Err(Failure::Usage("--spec cannot be standard input".to_string()));
    }
    read(&paths(spec)?)
}

/// The folder or files of the instruction set.
pub(crate) fn paths(spec: &Spec) -> Result<Vec<PathBuf>, Failure> {
    set(&spec.paths, "--spec")
}

/// The settings in `isadl.toml` for the instruction set.
fn settings<T>(
    spec: &Spec,
    of: impl FnOnce(&Project, &Path) -> Option<T>,
) -> Result<Option<T>, Failure> {
    let paths = paths(spec)?;
    let Some(path) = paths.first() else { return Ok(None) };
    Ok(project::of(path)?.and_then(|project| of(&project, path)))
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
        return Err(Failure::Usage("a version cannot be standard input".to_string()));
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

/// The index of the instruction set of the requested generation.
pub(crate) fn generation(spec: &Spec, family: &Family) -> Result<usize, Failure> {
    let of_project = |project: &Project, path: &Path| project.generation(path).map(str::to_string);
    let name = match &spec.generation {
        Some(name) => Some(name.clone()),
        None => settings(spec, of_project)?,
    };
    let Some(name) = name else {
        return if family.isas().len() > 1 { Err(no_generation(family.first())) } else { Ok(0) };
    };
    let found = family.generation(&name);
    let index = found.and_then(|isa| family.isas().iter().position(|one| std::ptr::eq(one, isa)));
    index.ok_or_else(|| {
        let known = family.generations().to_vec();
        let kind = SelectionKind::Generation;
        Failure::Usage(UnknownSelection { kind, name, known }.to_string())
    })
}

/// The requested set of extensions, or the default set.
pub(crate) fn extensions(spec: &Spec, isa: &Isa) -> Result<ExtensionSet, Failure> {
    let known = isa.extensions();
    let of_project = |project: &Project, path: &Path| project.extensions(path).map(<[_]>::to_vec);
    let names = match &spec.extensions {
        Some(names) => Some(names.clone()),
        None => settings(spec, of_project)?,
    };
    match names {
        Some(names) => known.set_of(&names).map_err(|error| Failure::Usage(error.to_string())),
        None => Ok(known.default),
    }
}

fn no_generation(isa: &Isa) -> Failure {
    let known = isa.generations().join(", ");
    Failure::Usage(format!(
        "{} has several generations: choose one by --generation: {known}",
        isa.name()
    ))
}
