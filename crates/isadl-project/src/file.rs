//! The settings, as they are written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use isadl::levels::{Level, Levels};
use serde::Deserialize;
use toml::Spanned;

use crate::output::Output;

/// Levels by the codes of lints, their groups, or `warnings`.
pub(crate) type Lints = BTreeMap<Spanned<String>, LintLevel>;

/// The settings of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// The folder of the file, which paths in it are relative to.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The schema of this file, for editors.
    #[serde(default, rename = "$schema")]
    pub schema: Option<String>,
    /// Levels of lints: codes, groups such as `text`, or all `warnings`.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, LintLevel>"))]
    pub(crate) lints: Lints,
    /// The specifications.
    #[serde(default, rename = "spec")]
    #[cfg_attr(test, schemars(with = "Vec<Specification>"))]
    pub(crate) specs: Vec<Spanned<Specification>>,
}

/// A specification, or several in one folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Specification {
    /// The folder or file, relative to the folder of `isadl.toml`.
    pub path: PathBuf,
    /// The generation that commands use without `--generation`.
    #[serde(default)]
    pub generation: Option<String>,
    /// The extensions that commands use without `--extensions`, instead of the default set.
    #[serde(default)]
    pub extensions: Option<Vec<String>>,
    /// Levels of lints, before those of the project.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, LintLevel>"))]
    pub(crate) lints: Lints,
    /// The outputs to generate.
    #[serde(default, rename = "output")]
    #[cfg_attr(test, schemars(with = "Vec<Output>"))]
    pub(crate) outputs: Vec<Spanned<Output>>,
}

impl Specification {
    /// The outputs to generate.
    pub fn outputs(&self) -> impl Iterator<Item = &Output> {
        self.outputs.iter().map(Spanned::get_ref)
    }
}

/// What to do with a lint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LintLevel {
    /// Do not show it.
    Allow,
    /// Show it as a warning.
    Warn,
    /// Treat it as an error.
    Deny,
}

impl From<LintLevel> for Level {
    fn from(level: LintLevel) -> Level {
        match level {
            LintLevel::Allow => Level::Allow,
            LintLevel::Warn => Level::Warn,
            LintLevel::Deny => Level::Deny,
        }
    }
}

impl Project {
    /// The specifications, in the order of the file.
    pub fn specs(&self) -> impl Iterator<Item = &Specification> {
        self.specs.iter().map(Spanned::get_ref)
    }

    /// The path of a specification, relative to the current folder.
    pub fn path_of(&self, spec: &Specification) -> PathBuf {
        self.folder.join(&spec.path)
    }

    /// The levels of lints in an instruction set, by its folder or file.
    pub fn levels(&self, set: &Path) -> Levels {
        let mut levels = Levels::default();
        let specs = self.covering(set).into_iter().rev();
        let lints = std::iter::once(&self.lints).chain(specs.map(|spec| &spec.lints));
        for (name, level) in lints.flatten() {
            // Names were looked at when the file was read.
            let _ = levels.set(name.get_ref(), (*level).into());
        }
        levels
    }

    /// The generation to use for an instruction set.
    pub fn generation(&self, set: &Path) -> Option<&str> {
        self.covering(set).into_iter().find_map(|spec| spec.generation.as_deref())
    }

    /// The extensions to use for an instruction set.
    pub fn extensions(&self, set: &Path) -> Option<&[String]> {
        self.covering(set).into_iter().find_map(|spec| spec.extensions.as_deref())
    }

    /// The entries whose path contains an instruction set, the nearest first.
    fn covering(&self, set: &Path) -> Vec<&Specification> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let set = real(set);
        let specs = self.specs().map(|spec| (real(&self.path_of(spec)), spec));
        let mut found: Vec<(PathBuf, &Specification)> =
            specs.filter(|(path, _)| set.starts_with(path)).collect();
        found.sort_by_key(|(path, _)| std::cmp::Reverse(path.components().count()));
        found.into_iter().map(|(_, spec)| spec).collect()
    }
}
