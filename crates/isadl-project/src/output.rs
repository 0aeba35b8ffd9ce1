//! The outputs to generate from a specification.

use std::path::PathBuf;
use std::str::FromStr;

use serde::Deserialize;

/// An output: what to generate, and where. The command line has an option for each key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// What to generate.
    pub target: Target,
    /// The folder of the output, relative to the folder of `isadl.toml`. With several instruction sets, each gets a
    /// folder in it. The default is `generated/` and the name of the crate or instruction set.
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// Select only the opcodes of these groups.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Select only these generations.
    #[serde(default)]
    pub generations: Vec<String>,
    /// Fix the extensions, by names of extensions and sets: the output has only their opcodes.
    #[serde(default)]
    pub extensions: Option<Vec<String>>,
    /// The parts of Rust code to generate, instead of all.
    #[serde(default)]
    pub emit: Option<Vec<Part>>,
    /// A single Rust module with this name, for another crate to include.
    #[serde(default)]
    pub module: Option<String>,
    /// The name of the Rust crate. The default is the name of the instruction set in lower case.
    #[serde(default, rename = "crate-name")]
    pub crate_name: Option<String>,
    /// Whether Rust code has a constructor for each opcode.
    #[serde(default = "yes")]
    pub constructors: bool,
    /// Whether Rust code has a typed view for each optype.
    #[serde(default)]
    pub views: bool,
    /// Whether Rust code implements the traits of `isadl-traits`.
    #[serde(default)]
    pub traits: bool,
    /// Whether serde stores instructions, opcodes and so on of Rust code.
    #[serde(default)]
    pub serde: bool,
    /// The folder of the package `isadl-traits`, relative to the folder of `isadl.toml`. Without it, the package comes
    /// from the registry.
    #[serde(default, rename = "traits-path")]
    pub traits_path: Option<PathBuf>,
    /// The target of links to definitions in a manual: `none` for no links, or an address that the names of source files
    /// are appended to. Without it, links lead to the files.
    #[serde(default, rename = "source-links")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub source_links: Option<SourceLinks>,
    /// Whether every group has a page of the manual, not only groups with a description.
    #[serde(default, rename = "all-groups")]
    pub all_groups: bool,
}

/// The target of links to definitions in a manual.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum SourceLinks {
    /// No links.
    Off,
    /// The names of the files, appended to this address.
    Url(String),
}

impl FromStr for SourceLinks {
    type Err = String;

    fn from_str(text: &str) -> Result<SourceLinks, String> {
        match text {
            "none" => Ok(SourceLinks::Off),
            url if ["http://", "https://"].iter().any(|start| url.starts_with(start)) => {
                Ok(SourceLinks::Url(url.to_string()))
            }
            _ => {
                Err("write `none`, or an address that begins with `https://` or `http://`"
                    .to_string())
            }
        }
    }
}

impl TryFrom<String> for SourceLinks {
    type Error = String;

    fn try_from(text: String) -> Result<SourceLinks, String> {
        text.parse()
    }
}

/// A given key that the target does not use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unused {
    /// The key.
    pub key: &'static str,
    /// The targets that use it.
    pub targets: &'static [Target],
}

fn yes() -> bool {
    true
}

impl Output {
    /// Everything of a target, in the default folder.
    pub fn of(target: Target) -> Output {
        Output {
            target,
            out: None,
            groups: Vec::new(),
            generations: Vec::new(),
            extensions: None,
            emit: None,
            module: None,
            crate_name: None,
            constructors: true,
            views: false,
            traits: false,
            serde: false,
            traits_path: None,
            source_links: None,
            all_groups: false,
        }
    }

    /// The given keys that the target does not use.
    pub fn unused(&self) -> Vec<Unused> {
        const RUST: &[Target] = &[Target::Rust];
        const MANUALS: &[Target] = &[Target::Markdown, Target::Html];
        let keys = [
            ("emit", self.emit.is_some(), RUST),
            ("module", self.module.is_some(), RUST),
            ("crate-name", self.crate_name.is_some(), RUST),
            ("constructors", !self.constructors, RUST),
            ("views", self.views, RUST),
            ("traits", self.traits, RUST),
            ("serde", self.serde, RUST),
            ("traits-path", self.traits_path.is_some(), RUST),
            ("source-links", self.source_links.is_some(), MANUALS),
            ("all-groups", self.all_groups, MANUALS),
        ];
        keys.into_iter()
            .filter(|(_, is_given, targets)| *is_given && !targets.contains(&self.target))
            .map(|(key, _, targets)| Unused { key, targets })
            .collect()
    }
}

/// What to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// A Rust crate.
    Rust,
    /// What every opcode reads and writes, as JSON and CSV.
    Dataflow,
    /// The manual, as Markdown and a book.
    Markdown,
    /// The manual, as one file of HTML with search that needs no network.
    Html,
    /// Words that cover values, pairs of values and rules, with texts and uses, as JSON and TSV.
    Vectors,
}

impl Target {
    /// All targets.
    pub const ALL: &[Target] =
        &[Target::Rust, Target::Dataflow, Target::Markdown, Target::Html, Target::Vectors];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Target::Rust => "rust",
            Target::Dataflow => "dataflow",
            Target::Markdown => "markdown",
            Target::Html => "html",
            Target::Vectors => "vectors",
        }
    }

    /// A description of the target.
    pub fn title(self) -> &'static str {
        match self {
            Target::Rust => "A Rust crate",
            Target::Dataflow => "What every opcode reads and writes, as JSON and CSV",
            Target::Markdown => "The manual, as Markdown and a book",
            Target::Html => "The manual, as one file of HTML with search that needs no network",
            Target::Vectors => {
                "Words that cover values, pairs of values and rules, with texts and uses, as JSON and TSV"
            }
        }
    }
}

/// A part of generated Rust code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Decoding words to instructions.
    Decode,
    /// Encoding instructions from operands.
    Encode,
    /// Printing instructions and, together with the other two, assembling them.
    Text,
    /// What instructions read and write.
    Flow,
    /// Executing instructions. It is not there unless it is named.
    Exec,
}

impl Part {
    /// All parts.
    pub const ALL: &[Part] = &[Part::Decode, Part::Encode, Part::Text, Part::Flow, Part::Exec];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Decode => "decode",
            Part::Encode => "encode",
            Part::Text => "text",
            Part::Flow => "flow",
            Part::Exec => "exec",
        }
    }

    /// A description of the part.
    pub fn title(self) -> &'static str {
        match self {
            Part::Decode => "Decoding words to instructions",
            Part::Encode => "Encoding instructions from operands",
            Part::Text => "Printing instructions and, together with the other two, assembling them",
            Part::Flow => "What instructions read and write",
            Part::Exec => "Executing instructions; only if it is named",
        }
    }
}
