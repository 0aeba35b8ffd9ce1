//! The instruction set of a command, in its compiled form: read from a file that `isadl compile` wrote, from the cache, or made of
//! the specification.

use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use isadl::engine::Loaded;
use isadl::isa::{ExtensionSet, Family, Isa, SelectionKind, UnknownSelection};
use isadl::semantics::{Texts, ir};
use isadl::source::{LOCK_FILE, SourceMap, specification_files};
use isadl_compiled::{CompiledSet, Contents, ReadError, is_compiled};
use isadl_project::Project;

use super::{Compiled, cache, compiled};
use crate::args::Spec;
use crate::{Failure, Outcome, check, project, report};

/// Files in the folder of a specification that commands read besides it.
const BESIDE: [&str; 2] = [MACROS, DEBUGGER];

/// The file of an instruction set with macros of its own.
pub(crate) const MACROS: &str = "macros.s";

/// The file with the registers that debuggers see.
pub(crate) const DEBUGGER: &str = "debugger.toml";

/// What a command does with an instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// It reads and writes words and texts.
    Words,
    /// It executes programs, too.
    Programs,
}

/// The instruction set of a command.
pub(crate) struct Opened<'s> {
    spec: &'s Spec,
    /// The folder, the files, or the compiled file.
    paths: Vec<PathBuf>,
    set: CompiledSet,
}

impl<'s> Opened<'s> {
    /// Reads the instruction set that the options name. Errors in a specification are reported; warnings are left to `check`.
    pub(crate) fn new(spec: &'s Spec, needs: Needs) -> Result<Opened<'s>, Failure> {
        if spec.paths.iter().any(|path| check::is_input(path)) {
            return Err(Failure::Usage("--spec cannot be standard input".to_string()));
        }
        if let [path] = spec.paths.as_slice()
            && let Some(bytes) = compiled_file(path)?
        {
            let set = CompiledSet::read(bytes).map_err(|error| refused(path, &error))?;
            // Only one set is opened in a run.
            let _ = FOREIGN.set(path.clone());
            return Ok(Opened { spec, paths: vec![path.clone()], set });
        }
        let paths = super::set(&spec.paths, "--spec")?;
        let set = of_text(&paths, needs)?;
        Ok(Opened { spec, paths, set })
    }

    /// The number of the requested generation, among those that differ.
    pub(crate) fn generation(&self) -> Result<usize, Failure> {
        let of_project =
            |project: &Project, path: &Path| project.generation(path).map(str::to_string);
        let name = match &self.spec.generation {
            Some(name) => Some(name.clone()),
            None => self.settings(of_project)?,
        };
        let summary = self.set.summary();
        let Some(name) = name else {
            if summary.describes.len() == 1 {
                return Ok(0);
            }
            let (own, known) = (&summary.name, summary.generations.join(", "));
            return Err(Failure::Usage(format!(
                "{own} has several generations: choose one by --generation: {known}"
            )));
        };
        summary.find(&name).ok_or_else(|| {
            let (kind, known) = (SelectionKind::Generation, summary.generations.clone());
            Failure::Usage(UnknownSelection { kind, name, known }.to_string())
        })
    }

    /// The requested set of extensions, or the default set.
    pub(crate) fn extensions(&self, isa: &Isa) -> Result<ExtensionSet, Failure> {
        let known = isa.extensions();
        let of_project =
            |project: &Project, path: &Path| project.extensions(path).map(<[_]>::to_vec);
        let names = match &self.spec.extensions {
            Some(names) => Some(names.clone()),
            None => self.settings(of_project)?,
        };
        match names {
            Some(names) => known.set_of(&names).map_err(|error| Failure::Usage(error.to_string())),
            None => Ok(known.default),
        }
    }

    /// The settings in `isadl.toml` for the instruction set.
    fn settings<T>(
        &self,
        of: impl FnOnce(&Project, &Path) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let Some(path) = self.paths.first() else { return Ok(None) };
        Ok(project::of(path)?.and_then(|project| of(&project, path)))
    }

    /// The requested generation with its tables.
    pub(crate) fn loaded(&self) -> Result<Loaded, Failure> {
        self.done(self.set.loaded(self.generation()?))
    }

    /// All generations.
    pub(crate) fn family(&self) -> Result<Family, Failure> {
        self.done(self.set.family())
    }

    /// The programs of the requested generation.
    pub(crate) fn programs(&self, isa: &Isa) -> Result<ir::Programs, Failure> {
        self.done(self.set.programs(isa, self.generation()?))
    }

    /// The texts of the programs of the requested generation.
    pub(crate) fn texts(&self, isa: &Isa) -> Result<Texts, Failure> {
        self.done(self.set.texts(isa, self.generation()?))
    }

    /// The files of the specification.
    pub(crate) fn sources(&self) -> Result<SourceMap, Failure> {
        self.done(self.set.sources())
    }

    /// Another file of the specification's folder, with its path.
    pub(crate) fn beside(&self, name: &str) -> Result<Option<(PathBuf, Vec<u8>)>, Failure> {
        let content = self.done(self.set.beside(name))?;
        let folder = self.paths.first().cloned().unwrap_or_default();
        Ok(content.map(|content| (folder.join(name), content)))
    }

    /// The files that were read, which no output may replace.
    pub(crate) fn inputs(&self) -> Result<Vec<PathBuf>, Failure> {
        inputs(&self.paths)
    }

    fn done<T>(&self, result: Result<T, ReadError>) -> Result<T, Failure> {
        let path = self.paths.first().map_or(Path::new(""), |path| path);
        result.map_err(|error| refused(path, &error))
    }
}

/// The compiled set that the user named. Sums say that it is as somebody wrote it, not that `isadl compile` was that.
static FOREIGN: OnceLock<PathBuf> = OnceLock::new();

/// Runs a command. If tables of a compiled set that the user named lead nowhere, the set is refused.
pub(crate) fn guarded(command: impl FnOnce() -> Outcome) -> Outcome {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if FOREIGN.get().is_none() {
            report(info);
        }
    }));
    // Nothing is used after a panic but the path.
    match (catch_unwind(AssertUnwindSafe(command)), FOREIGN.get()) {
        (Ok(outcome), _) => outcome,
        (Err(_), Some(path)) => Err(refused(path, &ReadError::Forged)),
        (Err(panic), None) => resume_unwind(panic),
    }
}

/// What a file contains, if it is a compiled instruction set.
fn compiled_file(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    if !path.is_file() {
        return Ok(None);
    }
    let named = |error| Failure::Usage(format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(named)?;
    let mut bytes = Vec::new();
    // No text begins as a compiled set does, however long it is.
    file.by_ref().take(64).read_to_end(&mut bytes).map_err(named)?;
    let is_named = path.extension().is_some_and(|extension| extension == EXTENSION);
    if !is_compiled(&bytes) && !is_named {
        return Ok(None);
    }
    file.read_to_end(&mut bytes).map_err(named)?;
    Ok(Some(bytes))
}

/// The extension of compiled instruction sets.
pub(crate) const EXTENSION: &str = "isac";

fn refused(path: &Path, error: &ReadError) -> Failure {
    report::complain(&format!("{}: {error}", path.display()));
    Failure::Input
}

/// The files that are read of an instruction set at some paths.
pub(crate) fn inputs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut inputs = specification_files(paths)?;
    inputs.extend(paths.iter().cloned());
    let own = BESIDE.into_iter().chain([LOCK_FILE]);
    inputs.extend(own.flat_map(|name| paths.iter().map(move |path| path.join(name))));
    Ok(inputs)
}

/// The compiled form of a specification, from the cache if it is there.
fn of_text(paths: &[PathBuf], needs: Needs) -> Result<CompiledSet, Failure> {
    let sources = SourceMap::read(paths)?;
    let beside = beside(paths)?;
    let key = cache::Key::of(&sources, &beside);
    if let Some(set) = key.as_ref().and_then(|key| key.find(needs)) {
        return Ok(set);
    }
    let bytes = written(&compiled(sources)?, &beside, needs)?;
    if let Some(key) = key {
        key.keep(needs, &bytes);
    }
    CompiledSet::read(bytes).map_err(|error| Failure::Usage(error.to_string()))
}

/// The compiled form of a specification as a file.
pub(crate) fn file(paths: &[PathBuf]) -> Result<Vec<u8>, Failure> {
    written(&super::read(paths)?, &beside(paths)?, Needs::Programs)
}

fn written(
    compiled: &Compiled,
    beside: &[(String, Vec<u8>)],
    needs: Needs,
) -> Result<Vec<u8>, Failure> {
    let contents = Contents {
        family: &compiled.family,
        programs: &compiled.programs,
        is_executable: needs == Needs::Programs,
        sources: &compiled.sources,
        beside,
    };
    contents.write().map_err(|error| Failure::Usage(error.to_string()))
}

/// The files in the folder of a specification that commands read besides it.
fn beside(paths: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let all = paths.iter().flat_map(|path| BESIDE.map(|name| (name, path.join(name))));
    let files = all.filter(|(_, path)| path.is_file());
    let read = |(name, path): (&str, PathBuf)| {
        let content = std::fs::read(&path)
            .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        Ok((name.to_string(), content))
    };
    files.map(read).collect()
}
