//! What is generated from a specification.

use std::path::PathBuf;

use serde::Deserialize;

/// What is generated, and where. The command line has an option for each key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// What to generate.
    pub target: Target,
    /// The folder of the output, relative to that of `isadl.toml`; for several instruction sets the folder of their
    /// folders. Without it, `generated/` and the name of the instruction set.
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// Only the opcodes of these groups.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Only these generations.
    #[serde(default)]
    pub generations: Vec<String>,
    /// Only what implementations with these extensions have: names of extensions and sets.
    #[serde(default)]
    pub extensions: Option<Vec<String>>,
    /// The parts of Rust code to generate, instead of all.
    #[serde(default)]
    pub emit: Option<Vec<Part>>,
    /// A single Rust module with this name, for another crate to include.
    #[serde(default)]
    pub module: Option<String>,
    /// Whether Rust code has a constructor for each opcode.
    #[serde(default = "yes")]
    pub constructors: bool,
    /// Whether Rust code has a typed view for each optype.
    #[serde(default)]
    pub views: bool,
    /// Whether Rust code implements the traits of `isadl-traits`.
    #[serde(default)]
    pub traits: bool,
}

fn yes() -> bool {
    true
}

impl Output {
    /// All of a target, in the usual place.
    pub fn of(target: Target) -> Output {
        Output {
            target,
            out: None,
            groups: Vec::new(),
            generations: Vec::new(),
            extensions: None,
            emit: None,
            module: None,
            constructors: true,
            views: false,
            traits: false,
        }
    }

    /// The keys that are given although the target does not use them.
    pub fn unused(&self) -> Vec<&'static str> {
        let for_rust = [
            ("emit", self.emit.is_some()),
            ("module", self.module.is_some()),
            ("constructors", !self.constructors),
            ("views", self.views),
            ("traits", self.traits),
        ];
        let is_unused = |(_, is_given): &(&str, bool)| *is_given && self.target != Target::Rust;
        for_rust.into_iter().filter(is_unused).map(|(name, _)| name).collect()
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
    /// Words that cover values, pairs of values and rules, with texts and uses, as JSON and TSV.
    Vectors,
}

impl Target {
    /// All targets.
    pub const ALL: &[Target] = &[Target::Rust, Target::Dataflow, Target::Markdown, Target::Vectors];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Target::Rust => "rust",
            Target::Dataflow => "dataflow",
            Target::Markdown => "markdown",
            Target::Vectors => "vectors",
        }
    }

    /// What it is.
    pub fn title(self) -> &'static str {
        match self {
            Target::Rust => "A Rust crate",
            Target::Dataflow => "What every opcode reads and writes, as JSON and CSV",
            Target::Markdown => "The manual, as Markdown and a book",
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
}

impl Part {
    /// All parts.
    pub const ALL: &[Part] = &[Part::Decode, Part::Encode, Part::Text, Part::Flow];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Decode => "decode",
            Part::Encode => "encode",
            Part::Text => "text",
            Part::Flow => "flow",
        }
    }

    /// What it is.
    pub fn title(self) -> &'static str {
        match self {
            Part::Decode => "Decoding words to instructions",
            Part::Encode => "Encoding instructions from operands",
            Part::Text => "Printing instructions and, together with the other two, assembling them",
            Part::Flow => "What instructions read and write",
        }
    }
}
