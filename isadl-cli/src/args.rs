//! The arguments of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use isadl::isa::Selection;
use isadl::levels::{Level, Levels};

use crate::Failure;

/// One description of an instruction set, everything else derived.
#[derive(Parser)]
#[command(name = "isadl", version, propagate_version = true)]
pub(crate) struct Arguments {
    /// When to use colour; `auto` follows the terminal and NO_COLOR.
    #[arg(long = "color", global = true, default_value = "auto", value_name = "WHEN")]
    pub(crate) colour: Colour,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colour.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Colour {
    Auto,
    Always,
    Never,
}

impl Colour {
    /// Applies the choice to all output of the process.
    pub(crate) fn write_global(self) {
        let choice = match self {
            Colour::Auto => anstream::ColorChoice::Auto,
            Colour::Always => anstream::ColorChoice::AlwaysAnsi,
            Colour::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check specifications.
    Check(Check),
    /// Generate code from specifications.
    Gen(Gen),
    /// Print a stage of the compilation.
    Dump(Dump),
    /// Pin the numbers of opcodes in `opcodes.lock`.
    Lock(Lock),
    /// Assemble: one instruction per line to its bytes.
    Asm(Asm),
    /// Disassemble: the bytes of one instruction per line, or a file of bytes, to text.
    Disasm(Disasm),
    /// Explain one word: its bits, its fields, and what is wrong with it.
    Decode(Decode),
    /// Explain the code of a diagnostic.
    Explain {
        /// The code or group, such as E0401 or `text`; all of them are listed without one.
        code: Option<String>,
    },
    /// Print shell completions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,
}

/// What to read, and how to show what was found in it.
#[derive(Args)]
pub(crate) struct Input {
    /// A folder of `*.isa` files is one instruction set, with its subfolders but for those that
    /// have a `__DefIsa` of their own; a folder of such folders is several, files named together
    /// are one. `-` is standard input.
    #[arg(default_value = "spec", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How diagnostics are printed; `json` prints an object a line on standard output.
    #[arg(long, default_value = "human")]
    pub(crate) format: Format,
    /// Do not show this lint: a code, a group such as `text`, or all `warnings`.
    #[arg(short = 'A', long = "allow", value_name = "LINT")]
    allow: Vec<String>,
    /// Show this lint as a warning; `isadl explain` lists lints, groups and their levels.
    #[arg(short = 'W', long = "warn", value_name = "LINT")]
    warn: Vec<String>,
    /// Treat this lint as an error.
    #[arg(short = 'D', long = "deny", value_name = "LINT")]
    deny: Vec<String>,
    /// Stop printing after this many errors.
    #[arg(long, value_name = "N")]
    pub(crate) max_errors: Option<usize>,
}

impl Input {
    /// The input of these paths without any option.
    pub(crate) fn of(paths: &[PathBuf]) -> Input {
        Input {
            paths: paths.to_vec(),
            format: Format::Human,
            allow: Vec::new(),
            warn: Vec::new(),
            deny: Vec::new(),
            max_errors: None,
        }
    }

    /// The levels that the options ask for; the strictest of one lint wins.
    pub(crate) fn levels(&self) -> Result<Levels, Failure> {
        let mut levels = Levels::default();
        for (codes, level) in
            [(&self.allow, Level::Allow), (&self.warn, Level::Warn), (&self.deny, Level::Deny)]
        {
            for name in codes {
                levels.set(name, level).map_err(|error| Failure::Usage(error.to_string()))?;
            }
        }
        Ok(levels)
    }
}

/// How diagnostics are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Short,
    Json,
}

#[derive(Args)]
pub(crate) struct Gen {
    #[command(flatten)]
    pub(crate) input: Input,
    /// What to generate.
    #[arg(long)]
    pub(crate) target: Target,
    /// The folder of the crate; with several instruction sets, the folder of their crates.
    /// Without it, `generated/` and the name of the instruction set.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write nothing; report what is stale, missing or left over, and exit with 1 if anything is.
    #[arg(long)]
    pub(crate) check: bool,
    /// Replace files that isadl did not generate, or that were changed since. Nothing else that is
    /// not generated is ever replaced or removed.
    #[arg(long, conflicts_with = "check")]
    pub(crate) force: bool,
    /// The parts to generate; all without it.
    #[arg(long, value_delimiter = ',', num_args = 1, value_name = "PARTS")]
    pub(crate) emit: Option<Vec<Emit>>,
    /// Only the opcodes of these groups.
    #[arg(long = "group", value_delimiter = ',', value_name = "GROUPS")]
    groups: Vec<String>,
    /// Only these generations. What is left of one that differs from none needs no name in the
    /// generated crate.
    #[arg(long = "generation", value_delimiter = ',', value_name = "GENERATIONS")]
    generations: Vec<String>,
    /// Write one module of this name, for another crate to include: what the macro `isa!` expands
    /// to.
    #[arg(long, value_name = "NAME")]
    pub(crate) module: Option<String>,
    /// Tell how long each step took and what came out of it.
    #[arg(long)]
    pub(crate) stats: bool,
    /// Leave out the constructors, one an opcode.
    #[arg(long)]
    pub(crate) no_constructors: bool,
    /// Add a typed view an optype, for exhaustive matching.
    #[arg(long)]
    pub(crate) views: bool,
}

impl Gen {
    /// The part of the instruction set that is wanted.
    pub(crate) fn selection(&self) -> Selection {
        Selection { groups: self.groups.clone(), generations: self.generations.clone() }
    }
}

/// What to generate.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// A Rust crate.
    Rust,
    /// What every opcode reads and writes, as JSON and CSV.
    Dataflow,
    /// The manual, as Markdown and a book.
    Markdown,
}

/// A part of the generated code.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// From words to instructions.
    Decode,
    /// From operands to instructions.
    Encode,
    /// From instructions to text, and back with the two others.
    Text,
    /// What instructions read and write.
    Flow,
}

#[derive(Args)]
pub(crate) struct Dump {
    /// The stage.
    pub(crate) stage: Stage,
    #[command(flatten)]
    pub(crate) input: Input,
}

/// A stage of the compilation.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Stage {
    /// The syntax trees.
    Ast,
    /// Definitions with what they inherit.
    Model,
    /// Opcodes with masks, fields and operands.
    Isa,
    /// The decision tree.
    Tree,
}

#[derive(Args)]
pub(crate) struct Lock {
    /// The folders of specifications.
    #[arg(default_value = "spec", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

/// The instruction set to work with.
#[derive(Args)]
pub(crate) struct Spec {
    /// The folder or file of the instruction set; again for each further file of it.
    #[arg(long = "spec", default_value = "spec", value_name = "DIR")]
    pub(crate) paths: Vec<PathBuf>,
    /// The generation, if the instruction set has several.
    #[arg(long, value_name = "NAME")]
    pub(crate) generation: Option<String>,
}

/// Reads one instruction per line, and writes one line for each: the bytes in
/// the order of memory, two digits each, or `error: column N: …`. A `;` may end the instruction
/// and a `//` comment may follow; a line without instruction is an error. Exit status: 1 if any
/// line is an error.
#[derive(Args)]
#[command(after_help = "Example:
  $ echo 'IADD R0, R1, -R2 ;' | isadl asm --spec spec/simt
  00 75 00 01 02 00 00 00 00 00 00 00 3e 1c 00 00")]
pub(crate) struct Asm {
    #[command(flatten)]
    pub(crate) spec: Spec,
    /// The file of lines; `-` is standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) lines: PathBuf,
}

/// Reads the bytes of one instruction per line, and writes one line for each:
/// the text, or `error: …`. Bytes are in the order of memory, two hexadecimal digits each, with
/// or without blanks between them. Exit status: 1 if any line is an error.
#[derive(Args)]
#[command(after_help = "Examples:
  $ echo 00 75 00 01 02 00 00 00 00 00 00 00 3e 1c 00 00 | isadl disasm --spec spec/simt
  IADD R0, R1, -R2
  $ isadl disasm --spec spec/simt --binary kernel.bin")]
pub(crate) struct Disasm {
    #[command(flatten)]
    pub(crate) spec: Spec,
    /// The file of lines; `-` is standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) lines: PathBuf,
    /// Disassemble this file of bytes instead: a line for each instruction with offset, bytes and
    /// text. `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "lines")]
    pub(crate) binary: Option<PathBuf>,
}

/// Explains one word: a picture of its bits, its fields with their values and where they are
/// declared, its text, what it reads and writes, where the manual describes it, and what makes it
/// illegal; for an unknown word, the nearest opcodes. Exit status: 1 if the word is not a legal
/// instruction.
#[derive(Args)]
#[command(after_help = "Examples:
  $ isadl decode --spec spec/simt 0x1c3e000000000000000201007500
  $ isadl decode --spec spec/simt 00 75 00 01 02 00 00 00 00 00 00 00 3e 1c 00 00
  $ isadl decode --spec spec/simt --format json 0x1c3e000000000000000201007500")]
pub(crate) struct Decode {
    #[command(flatten)]
    pub(crate) spec: Spec,
    /// How the word is explained; `json` prints one object, whose keys the README describes.
    #[arg(long, default_value = "human")]
    pub(crate) format: Explained,
    /// The word: a number `0x…`, or bytes in the order of memory, as several arguments or with
    /// blanks or colons between them.
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,
}

/// How a word is explained.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Explained {
    Human,
    Json,
}
