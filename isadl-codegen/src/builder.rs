//! From a specification to a Rust module, for build scripts and for the macro `isa!`.
//!
//! ```no_run
//! // build.rs
//! isadl_codegen::Builder::new("spec").build();
//! ```
//!
//! and in the crate, with the name of the instruction set in lower case:
//!
//! ```ignore
//! include!(concat!(env!("OUT_DIR"), "/simt.rs"));
//! ```

use std::fmt;
use std::io;
use std::path::PathBuf;

use isadl::diagnostic::{Diagnostic, Severity};
use isadl::isa::{Selection, SetError};
use isadl::levels::{Level, Levels};
use isadl::render::{Colour, Style, render};
use isadl::source::{SourceMap, instruction_sets};
use isadl::visible::visible_line;

use crate::output::write_generated;
use crate::rust::{self, Module, ModuleHead, Options, StandIn};

/// Generates the Rust module of a specification.
#[derive(Debug)]
pub struct Builder {
    specification: Specification,
    /// The name of the module, if given.
    name: Option<String>,
    visibility: String,
    selection: Selection,
    options: Options,
    #[cfg(feature = "exec")]
    executes: bool,
    levels: Levels,
}

/// The source of a specification.
#[derive(Debug)]
enum Specification {
    /// A folder, or files.
    Paths(Vec<PathBuf>),
    /// Texts.
    Texts(SourceMap),
}

/// The result of compiling a specification.
pub struct Generated {
    /// The name of the module.
    pub name: String,
    /// The module: a single item.
    pub module: Module,
    /// The source files of the module.
    pub files: Vec<PathBuf>,
    /// Warnings, except allowed warnings.
    pub warnings: Vec<Finding>,
}

/// A diagnostic as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Error or warning.
    pub severity: Severity,
    /// One line: location, severity, code, message.
    pub line: String,
    /// The full text, with excerpts of the source.
    pub text: String,
    /// Line and column where the problem begins, both from 1; the column counts characters.
    pub place: (usize, usize),
}

/// The reason why a specification could not be compiled.
#[derive(Debug)]
pub enum BuildError {
    /// A file cannot be read or written; the error names it.
    Io(io::Error),
    /// The path contains several instruction sets, in these folders.
    Several(PathBuf, Vec<PathBuf>),
    /// The specification has errors; the findings include warnings.
    Specification(Vec<Finding>),
    /// A group, generation or extension does not exist, or extensions are not allowed together.
    Selection(SetError),
    /// A name is not valid for a lint or a module.
    Name(String),
    /// Code that executes instructions is wanted, and there are no programs.
    #[cfg(feature = "exec")]
    NoPrograms(rust::NoPrograms),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Io(error) => error.fmt(f),
            BuildError::Several(path, found) => {
                let found: Vec<String> = found.iter().map(|f| f.display().to_string()).collect();
                write!(f, "{} contains several instruction sets; name one of ", path.display())?;
                f.write_str(&found.join(", "))
            }
            BuildError::Specification(findings) => {
                let texts: Vec<&str> =
                    findings.iter().map(|finding| finding.text.as_str()).collect();
                f.write_str(&texts.join("\n"))
            }
            BuildError::Selection(unknown) => unknown.fmt(f),
            BuildError::Name(message) => f.write_str(message),
            #[cfg(feature = "exec")]
            BuildError::NoPrograms(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}

impl Builder {
    /// A builder for a folder of `*.isa` files, or a single file. A path is relative to the working
    /// folder, which for a build script is the folder of its crate.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Builder {
        Builder::of(Specification::Paths(vec![path.into()]))
    }

    /// Creates a builder for files that together form one instruction set.
    #[must_use]
    pub fn files(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Builder {
        Builder::of(Specification::Paths(paths.into_iter().map(Into::into).collect()))
    }

    /// A builder for texts.
    #[must_use]
    pub fn texts(sources: SourceMap) -> Builder {
        Builder::of(Specification::Texts(sources))
    }

    fn of(specification: Specification) -> Builder {
        Builder {
            specification,
            name: None,
            visibility: "pub".to_string(),
            selection: Selection::default(),
            options: Options::default(),
            #[cfg(feature = "exec")]
            executes: false,
            levels: Levels::default(),
        }
    }

    /// Sets the name of the module. The default is the name of the instruction set in lower case.
    #[must_use]
    pub fn module(mut self, name: impl Into<String>) -> Builder {
        self.name = Some(name.into());
        self
    }

    /// Sets the visibility of the module, such as `pub(crate)`; by default it is `pub`.
    #[must_use]
    pub fn visibility(mut self, visibility: impl Into<String>) -> Builder {
        self.visibility = visibility.into();
        self
    }

    /// Selects only the opcodes of these groups.
    #[must_use]
    pub fn groups(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Builder {
        self.selection.groups = names.into_iter().map(Into::into).collect();
        self
    }

    /// Selects only these generations.
    #[must_use]
    pub fn generations(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Builder {
        self.selection.generations = names.into_iter().map(Into::into).collect();
        self
    }

    /// Fixes the extensions, by names of extensions and sets with commas between them: the code has only opcodes
    /// of these, and no parameter for extensions.
    #[must_use]
    pub fn extensions(mut self, names: impl AsRef<str>) -> Builder {
        let names = names.as_ref().split(',').map(|name| name.trim().to_string());
        self.selection.extensions = Some(names.collect());
        self
    }

    /// Sets which parts are generated, and how.
    #[must_use]
    pub fn options(mut self, options: Options) -> Builder {
        self.options = options;
        self
    }

    /// Whether the code executes instructions, too: the part `exec`.
    #[cfg(feature = "exec")]
    #[must_use]
    pub fn executes(mut self, is_wanted: bool) -> Builder {
        self.executes = is_wanted;
        self
    }

    /// Does not show a lint: a code such as `W0911`, a group such as `text`, or all `warnings`.
    pub fn allow(self, lint: &str) -> Result<Builder, BuildError> {
        self.level(lint, Level::Allow)
    }

    /// Shows a lint as a warning, even if it is an error by default.
    pub fn warn(self, lint: &str) -> Result<Builder, BuildError> {
        self.level(lint, Level::Warn)
    }

    /// Treats a lint as an error.
    pub fn deny(self, lint: &str) -> Result<Builder, BuildError> {
        self.level(lint, Level::Deny)
    }

    fn level(mut self, lint: &str, level: Level) -> Result<Builder, BuildError> {
        self.levels.set(lint, level).map_err(|error| BuildError::Name(error.to_string()))?;
        Ok(self)
    }

    /// Checks the specification and generates the module.
    pub fn generate(mut self) -> Result<Generated, BuildError> {
        self.name = self.name.map(module_name).transpose()?;
        let (sources, files) = match self.specification {
            Specification::Texts(sources) => (sources, Vec::new()),
            Specification::Paths(paths) => read(&paths)?,
        };
        let mut compilation = isadl::compile(&sources);
        compilation.diagnostics.apply(&self.levels);
        let has_errors = compilation.diagnostics.has_errors();
        let findings = compilation.diagnostics.iter().map(|d| finding(d, &sources));
        let findings: Vec<Finding> = findings.collect();
        let Some(family) = compilation.family.filter(|_| !has_errors) else {
            return Err(BuildError::Specification(findings));
        };
        let part = family.clone().select(&self.selection).map_err(BuildError::Selection)?;
        let isa = part.merged();
        let name = match self.name {
            Some(name) => name,
            None => module_name(rust::name(&isa))?,
        };
        let head = ModuleHead { visibility: self.visibility, name: name.clone() };
        #[cfg(feature = "exec")]
        let module = match self.executes {
            true => {
                let programs = &compilation.semantics;
                let behaviour = rust::Behaviour { isas: family.isas(), programs };
                behaviour.check().map_err(BuildError::NoPrograms)?;
                // Its documentation says which opcodes it does not execute.
                rust::module_executing(&isa, &self.options, head, behaviour).0
            }
            false => rust::module(&isa, &self.options, head),
        };
        #[cfg(not(feature = "exec"))]
        let module = rust::module(&isa, &self.options, head);
        Ok(Generated { name, module, files, warnings: findings })
    }

    /// The names that the module has, as far as the specification can be parsed: for when it has errors.
    pub fn stand_in(&self) -> StandIn {
        match &self.specification {
            Specification::Texts(sources) => StandIn::of(sources),
            Specification::Paths(paths) => {
                read(paths).map_or(StandIn::default(), |(sources, _)| StandIn::of(&sources))
            }
        }
    }

    /// For build scripts: writes the module to a file of its name in `OUT_DIR`, tells cargo its
    /// dependencies, and shows diagnostics as warnings and errors of cargo. Ends the process with
    /// status 1 if the module cannot be generated.
    pub fn build(self) {
        self.watch();
        match self.generate().and_then(|generated| generated.write_to_out_dir()) {
            Ok(warnings) => {
                warnings.iter().for_each(|warning| println!("cargo::warning={}", warning.line));
            }
            Err(error) => {
                complain(&error);
                std::process::exit(1);
            }
        }
    }

    /// Tells cargo which files and folders to watch.
    fn watch(&self) {
        let Specification::Paths(paths) = &self.specification else { return };
        paths.iter().for_each(|path| println!("cargo::rerun-if-changed={}", path.display()));
    }
}

impl Generated {
    /// Writes the module, and returns the warnings.
    fn write_to_out_dir(self) -> Result<Vec<Finding>, BuildError> {
        let folder = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
            BuildError::Name("OUT_DIR is not set: this is for build scripts".to_string())
        })?;
        let path = folder.join(format!("{}.rs", self.name));
        write_generated(&path, &self.module.formatted()).map_err(BuildError::Io)?;
        Ok(self.warnings)
    }
}

/// Shows an error as cargo does: one line per finding, followed by the excerpts.
fn complain(error: &BuildError) {
    let BuildError::Specification(findings) = error else {
        println!("cargo::error={}", visible_line(&error.to_string().replace('\n', " ")));
        return;
    };
    for finding in findings {
        println!("cargo::{}={}", finding.severity.as_str(), finding.line);
    }
    eprintln!("{error}");
}

/// The name, if it is valid for a module.
fn module_name(name: String) -> Result<String, BuildError> {
    match ModuleHead::can_name(&name) {
        true => Ok(name),
        false => Err(BuildError::Name(format!(
            "`{name}` is not a valid name for a module; choose another"
        ))),
    }
}

/// Reads the files of the single instruction set that the paths name.
fn read(paths: &[PathBuf]) -> Result<(SourceMap, Vec<PathBuf>), BuildError> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        let found = instruction_sets(path).map_err(BuildError::Io)?;
        match found.as_slice() {
            [alone] => files.push(alone.clone()),
            // Subfolders may contain other instruction sets.
            _ if found.contains(path) => files.push(path.clone()),
            _ => return Err(BuildError::Several(path.clone(), found)),
        }
    }
    let sources = SourceMap::read(&files).map_err(BuildError::Io)?;
    let read = sources.ids().map(|id| PathBuf::from(sources.file(id).name())).collect();
    Ok((sources, read))
}

fn finding(diagnostic: &Diagnostic, sources: &SourceMap) -> Finding {
    let show = |style| render(diagnostic, sources, style, Colour::None);
    let span = diagnostic.primary.span;
    Finding {
        severity: diagnostic.severity,
        line: show(Style::Short).trim_end().to_string(),
        text: show(Style::Full),
        place: sources.position(span.file, span.start),
    }
}
