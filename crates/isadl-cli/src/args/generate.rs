//! The arguments of `isadl gen`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use isadl_project::{Part, SourceLinks, Target};

use super::Input;

#[derive(Args)]
pub(crate) struct Gen {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The output to generate. The default is the outputs in `isadl.toml`.
    #[arg(long, value_parser = target())]
    target: Option<Target>,
    /// The folder of the crate; with several instruction sets, the folder of their crates. The default is `generated/`
    /// and the name of the crate or instruction set.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing; report files that are stale, missing or left over, and exit with status 1 if
    /// there are any.
    #[arg(long)]
    pub(crate) check: bool,
    /// Replace files in the way that isadl did not generate, or that were changed since then.
    /// Without this option, such files are never replaced or removed.
    #[arg(long, conflicts_with = "check")]
    pub(crate) force: bool,
    /// The parts to generate, instead of all.
    #[arg(long, value_delimiter = ',', num_args = 1, value_name = "PARTS", value_parser = part())]
    emit: Option<Vec<Part>>,
    /// Select only the opcodes of these groups.
    #[arg(long = "group", value_delimiter = ',', value_name = "GROUPS")]
    groups: Vec<String>,
    /// Select only these generations. If they do not differ, the generated crate does not
    /// distinguish generations.
    #[arg(long = "generation", value_delimiter = ',', value_name = "GENERATIONS")]
    generations: Vec<String>,
    /// Fix the extensions, by names of extensions and sets: the output has only their opcodes, and generated code has
    /// no parameter for extensions. Implied extensions are added.
    #[arg(long, value_delimiter = ',', value_name = "EXTENSIONS")]
    extensions: Option<Vec<String>>,
    /// Write a single module with this name, for another crate to include. It is the code that the
    /// macro `isa!` expands to.
    #[arg(long, value_name = "NAME")]
    module: Option<String>,
    /// Name the crate, instead of using the name of the instruction set: this distinguishes crates of one specification
    /// with different options.
    #[arg(long, value_name = "NAME", conflicts_with = "module")]
    crate_name: Option<String>,
    /// Print the time that each step took, and the size of its result.
    #[arg(long)]
    pub(crate) stats: bool,
    /// Leave out the constructors of opcodes.
    #[arg(long)]
    no_constructors: bool,
    /// Add a typed view per optype, for exhaustive matching.
    #[arg(long)]
    views: bool,
    /// Implement the traits of `isadl-traits`, for tools that work with any instruction set. A crate
    /// gets a feature `traits` for it; a module needs the package in any case.
    #[arg(long)]
    traits: bool,
    /// Let serde store instructions, opcodes and so on. A crate gets a feature `serde` for it; a module needs the package
    /// in any case, with its feature `derive`.
    #[arg(long)]
    serde: bool,
    /// The folder of the package `isadl-traits`, for crates that do not take it from a registry.
    #[arg(long, value_name = "DIR", requires = "traits")]
    traits_path: Option<PathBuf>,
    /// The target of links to definitions in a manual: `none` for no links, or an address that the names of source
    /// files are appended to, such as a repository. Without this option, links lead to the files.
    #[arg(long, value_name = "none|URL")]
    source_links: Option<SourceLinks>,
    /// Give every group a page of the manual, not only groups with a description.
    #[arg(long)]
    all_groups: bool,
}

impl Gen {
    /// The output that the options request, if they name a target.
    pub(crate) fn wanted(&self) -> Option<isadl_project::Output> {
        let target = self.target?;
        Some(isadl_project::Output {
            target,
            out: self.out.clone(),
            groups: self.groups.clone(),
            generations: self.generations.clone(),
            extensions: self.extensions.clone(),
            emit: self.emit.clone(),
            module: self.module.clone(),
            crate_name: self.crate_name.clone(),
            constructors: !self.no_constructors,
            views: self.views,
            traits: self.traits,
            serde: self.serde,
            traits_path: self.traits_path.clone(),
            source_links: self.source_links.clone(),
            all_groups: self.all_groups,
        })
    }

    /// The given options about a single output, as written.
    pub(crate) fn about_output(&self) -> Vec<&'static str> {
        let options = [
            ("--out", self.out.is_some()),
            ("--emit", self.emit.is_some()),
            ("--group", !self.groups.is_empty()),
            ("--generation", !self.generations.is_empty()),
            ("--extensions", self.extensions.is_some()),
            ("--module", self.module.is_some()),
            ("--crate-name", self.crate_name.is_some()),
            ("--no-constructors", self.no_constructors),
            ("--views", self.views),
            ("--traits", self.traits),
            ("--serde", self.serde),
            ("--traits-path", self.traits_path.is_some()),
            ("--source-links", self.source_links.is_some()),
            ("--all-groups", self.all_groups),
        ];
        options.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}

/// The targets, by name.
fn target() -> impl TypedValueParser<Value = Target> {
    let values = Target::ALL.iter().map(|one| (one.as_str(), one.title()));
    named(values, |name| Target::ALL.iter().copied().find(|one| one.as_str() == name))
}

/// The parts of generated code, by name.
fn part() -> impl TypedValueParser<Value = Part> {
    let values = Part::ALL.iter().map(|one| (one.as_str(), one.title()));
    named(values, |name| Part::ALL.iter().copied().find(|one| one.as_str() == name))
}

fn named<T: Clone + Send + Sync + 'static>(
    values: impl Iterator<Item = (&'static str, &'static str)>,
    find: impl Fn(&str) -> Option<T> + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T> {
    let values = values.map(|(name, title)| PossibleValue::new(name).help(title));
    PossibleValuesParser::new(values).try_map(move |name| find(&name).ok_or("an unknown name"))
}
