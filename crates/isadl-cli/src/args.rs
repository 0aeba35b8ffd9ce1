//! The arguments of the command line.

mod generate;
mod run;

use std::cell::RefCell;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use generate::Gen;
pub(crate) use run::{Run, Value};

/// Compiler for descriptions of instruction sets.
#[derive(Parser)]
#[command(name = "isadl", version, propagate_version = true)]
pub(crate) struct Arguments {
    /// When to use colour; `auto` depends on the terminal and NO_COLOR.
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
    /// Make a folder with a small instruction set that checks, generates and passes its tests.
    New(New),
    /// Check specifications.
    Check(Check),
    /// Prove that encodings are sound, and report the results and the methods. Searches longer than `check`.
    Prove(Prove),
    /// Compile a specification to one file, which `--spec` reads in milliseconds.
    Compile(Compile),
    /// Format specifications: indentation, spaces, columns. Prose and comments do not change.
    Fmt(Fmt),
    /// Generate code from specifications.
    Gen(Gen),
    /// Print a stage of the compilation.
    Dump(Dump),
    /// Pin the numbers of opcodes in `opcodes.lock`.
    Lock(Lock),
    /// Assemble one instruction per line to its bytes.
    Asm(Asm),
    /// Disassemble an ELF file, a binary file, or the bytes of one instruction per line.
    Disasm(Disasm),
    /// Execute a program: a static ELF file, or assembly files.
    Run(Run),
    /// Explain one word: its bits, its fields, and why it is illegal.
    Decode(Decode),
    /// Compare two versions or generations of a specification.
    Diff(Diff),
    /// Show the taken, reserved and free parts of the encoding.
    Space(Space),
    /// Serve a page to a browser on this machine: specifications, words, programs, the encoding space, the manual.
    Serve(Serve),
    /// Run the language server for an editor, over standard input and output.
    Lsp,
    /// Explain the code of a diagnostic or difference.
    Explain {
        /// The code or group, such as E0401, D104 or `text`; without a code, all are listed.
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
pub(crate) struct New {
    /// The folder, which does not exist yet; its name becomes the name of the instruction set and of its crate.
    #[arg(value_name = "NAME")]
    pub(crate) path: PathBuf,
}

#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) fixed: Fixed,
    /// Apply the suggestions that are certain, in the files themselves; report the remaining findings.
    #[arg(long)]
    pub(crate) fix: bool,
    /// Check again whenever a file changes, until the program is ended.
    #[arg(long, conflicts_with = "fix")]
    pub(crate) watch: bool,
}

#[derive(Args)]
pub(crate) struct Prove {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) fixed: Fixed,
}

/// Compiles a specification to one file with its tables, texts, programs and sources. Commands with `--spec` read it instead of the
/// specification, in milliseconds. It is for the version of isadl that wrote it.
#[derive(Args)]
#[command(after_help = "Example:
  $ isadl compile spec/a64
  $ echo '20 00 02 8b' | isadl disasm --spec a64.isac
  add x0, x1, x2")]
pub(crate) struct Compile {
    /// The folder or file of the instruction set. The default is the path in `isadl.toml`, or `spec`.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// The file to write. The default is the name of the folder with the extension `isac`, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Fmt {
    /// Folders or files, as for `check`. `-` is standard input, which is written to standard output.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Change nothing: print the names of files with another layout, and fail if there are any.
    #[arg(long)]
    pub(crate) check: bool,
    /// Change nothing: print the changes, and fail if there are any.
    #[arg(long, conflicts_with = "check")]
    pub(crate) diff: bool,
}

/// The set of extensions that specifications are restricted to.
#[derive(Args, Default)]
pub(crate) struct Fixed {
    /// Restrict specifications to implementations with these extensions, given by names of extensions and sets. Implied
    /// extensions are added. Without this option, all allowed sets are considered.
    #[arg(long, value_delimiter = ',', value_name = "EXTENSIONS")]
    pub(crate) extensions: Option<Vec<String>>,
}

/// The input, and how to report findings.
#[derive(Args)]
pub(crate) struct Input {
    /// Folders or files. A folder of `*.isa` files is one instruction set, with its subfolders except subfolders that
    /// have a `__DefIsa` of their own. A folder of such folders is several instruction sets. Files named together are
    /// one instruction set. `-` is standard input. The default is the paths in `isadl.toml`, or `spec`.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How diagnostics are printed; `json` prints one object per line on standard output, `sarif` a log of the whole
    /// run, and `github` commands of its workflows.
    #[arg(long, default_value = "human")]
    pub(crate) format: Format,
    /// Do not show this lint: a code, a group such as `text`, or all `warnings`.
    #[arg(short = 'A', long = "allow", value_name = "LINT")]
    pub(crate) allow: Vec<String>,
    /// Show this lint as a warning; `isadl explain` lists lints, groups and their levels.
    #[arg(short = 'W', long = "warn", value_name = "LINT")]
    pub(crate) warn: Vec<String>,
    /// Treat this lint as an error.
    #[arg(short = 'D', long = "deny", value_name = "LINT")]
    pub(crate) deny: Vec<String>,
    /// Stop printing after this many errors.
    #[arg(long, value_name = "N")]
    pub(crate) max_errors: Option<usize>,
    /// The findings so far, for formats that are a single document.
    #[arg(skip)]
    pub(crate) collected: RefCell<Vec<serde_json::Value>>,
}

impl Input {
    /// The input with these paths and no options.
    pub(crate) fn of(paths: &[PathBuf]) -> Input {
        Input {
            paths: paths.to_vec(),
            format: Format::Human,
            allow: Vec::new(),
            warn: Vec::new(),
            deny: Vec::new(),
            max_errors: None,
            collected: RefCell::default(),
        }
    }
}

/// How diagnostics are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Short,
    Json,
    Sarif,
    Github,
}

impl Format {
    /// Whether standard output is for machines alone.
    pub(crate) fn is_data(self) -> bool {
        matches!(self, Format::Json | Format::Sarif)
    }
}

#[derive(Args)]
pub(crate) struct Serve {
    /// Folders or files, as for `check`. Nothing else is read, and nothing is written. The default is the paths in
    /// `isadl.toml`, or `spec`.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The port. The default is 4732, or any free port if 4732 is taken.
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Open the page in the browser.
    #[arg(long)]
    pub(crate) open: bool,
}

#[derive(Args)]
pub(crate) struct Dump {
    /// The stage.
    pub(crate) stage: Stage,
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) fixed: Fixed,
}

/// A stage of the compilation.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Stage {
    /// The syntax trees.
    Ast,
    /// Definitions with inherited fields.
    Model,
    /// Opcodes with masks, fields and operands.
    Isa,
}

#[derive(Args)]
pub(crate) struct Lock {
    /// The folders of specifications. The default is the paths in `isadl.toml`, or `spec`.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

/// The instruction set to work with.
#[derive(Args)]
pub(crate) struct Spec {
    /// The folder or file of the instruction set, or what `isadl compile` made of it; repeat the option for further files. The
    /// default is the path in `isadl.toml`, or `spec`.
    #[arg(long = "spec", value_name = "DIR")]
    pub(crate) paths: Vec<PathBuf>,
    /// The generation, if the instruction set has several; overrides the generation in `isadl.toml`.
    #[arg(long, value_name = "NAME")]
    pub(crate) generation: Option<String>,
    /// The extensions, by names of extensions and sets, instead of the default set. Implied extensions are added.
    #[arg(long, value_delimiter = ',', value_name = "EXTENSIONS")]
    pub(crate) extensions: Option<Vec<String>>,
}

/// Assembles files as a single file: labels, directives and macros as described in docs/assembler.md. The result is an
/// ELF object if the specification describes object files, otherwise a raw binary.
///
/// With `--lines`, or without files, reads one instruction per line, and writes one line for each: the bytes in memory
/// order, two digits each, or `error: column N: …`. A `;` may end the instruction and a `//` comment may follow; a line
/// without an instruction is an error. The exit status is 1 if any line is an error.
#[derive(Args)]
#[command(after_help = "Example:
  $ echo 'IADD R0, R1, -R2 ;' | isadl asm --spec spec/simt
  00 75 00 01 02 00 00 00 00 00 00 00 3e 1c 00 00")]
pub(crate) struct Asm {
    #[command(flatten)]
    pub(crate) spec: Spec,
    /// The files to assemble; `-` is standard input, which is answered line by line.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Read one instruction per line of a file, and answer each line.
    #[arg(long)]
    pub(crate) lines: bool,
    /// Use the encoding that each line names, even if a shorter encoding exists.
    #[arg(long)]
    pub(crate) exact: bool,
    /// The address of the first instruction, `0x…` or decimal. With `--lines`, distances are
    /// written as target addresses.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) address: Option<u64>,
    /// The output to write.
    #[arg(long)]
    pub(crate) emit: Option<Output>,
    /// The file to write; `-` is standard output. The default is the name of the first file with another
    /// extension.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// A folder to search for included files, after the folder of the including file.
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// A symbol and its value.
    #[arg(long = "define", value_name = "NAME=NUMBER", value_parser = definition)]
    pub(crate) symbols: Vec<(String, i64)>,
    /// How diagnostics are printed; `json` prints one object per line on standard output.
    #[arg(long, default_value = "human")]
    pub(crate) format: Format,
    /// Stop printing after this many errors.
    #[arg(long, value_name = "N")]
    pub(crate) max_errors: Option<usize>,
}

/// The output of `asm`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// A relocatable ELF object.
    Elf,
    /// The bytes in memory.
    Raw,
    /// Intel HEX.
    Hex,
    /// Addresses, bytes, and the source.
    Listing,
}

/// A symbol and its value.
fn definition(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let (is_negative, digits) = match value.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value),
    };
    let number = address(digits).map_err(|_| format!("`{value}` is not a number of 64 bits"))?;
    let number = number as i64;
    Ok((name.to_string(), if is_negative { number.wrapping_neg() } else { number }))
}

/// Disassembles an ELF file, a binary file, or lines.
///
/// An ELF file is recognized by its first bytes. For an ELF file, prints the sections that the processor may execute:
/// labels, and for each instruction its address, bytes and text, with the names of the addresses in it. In other files
/// each line is the bytes of one instruction, and is answered by its text, or `error: …`. Bytes are in memory order,
/// two hexadecimal digits each, with or without spaces between them. The exit status is 1 if any bytes are not an
/// instruction.
#[derive(Args)]
#[command(after_help = "Examples:
  $ echo 00 75 00 01 02 00 00 00 00 00 00 00 3e 1c 00 00 | isadl disasm --spec spec/simt
  IADD R0, R1, -R2
  $ isadl disasm --spec spec/riscv --generation RV64 program
  $ isadl disasm --spec spec/a64 --reloc file.o
  $ isadl disasm --spec spec/simt --binary kernel.bin")]
pub(crate) struct Disasm {
    #[command(flatten)]
    pub(crate) spec: Spec,
    /// The input file; `-` is standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) lines: PathBuf,
    /// Disassemble this binary file instead: prints one line per instruction, with offset, bytes and text. `-` is
    /// standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "lines")]
    pub(crate) binary: Option<PathBuf>,
    /// In an ELF file, disassemble this section instead; repeat the option for further sections.
    #[arg(long = "section", value_name = "NAME", conflicts_with = "binary")]
    pub(crate) sections: Vec<String>,
    /// Leave out everything before this address, or offset, `0x…` or decimal.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) start: Option<u64>,
    /// Leave out everything at this address, or offset, and after it.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) stop: Option<u64>,
    /// In an ELF file, print relocations: the number of the relocation, its syntax in operands, the symbol.
    #[arg(long, conflicts_with = "binary")]
    pub(crate) reloc: bool,
    /// In a linked ELF file, print lines of source files before the instructions that come from them, as far as the file has a table
    /// of lines.
    #[arg(long, conflicts_with = "binary")]
    pub(crate) source: bool,
    /// Print each instruction as its opcode is written, not as an alias of it.
    #[arg(long)]
    pub(crate) no_aliases: bool,
    /// The address of the first instruction, `0x…` or decimal: distances are printed as the addresses that they
    /// name, and with `--binary` addresses are printed instead of offsets.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) address: Option<u64>,
    /// Print values with this name set, one of the `NameSets` of the instruction set.
    #[arg(long, value_name = "SET")]
    pub(crate) names: Option<String>,
}

/// An address, as an argument.
fn address(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = match digits {
        Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None => text.parse().ok(),
    };
    number.ok_or_else(|| "an address is a number of 64 bits, such as 0x1000".to_string())
}

/// Explains one word: a picture of its bits, its fields with their values and declarations, its text, its reads and
/// writes, its place in the manual, and why it is illegal. For an unknown word, shows the nearest opcodes. The exit
/// status is 1 if the word is not a legal instruction.
#[derive(Args)]
#[command(after_help = "Examples:
  $ isadl decode --spec spec/simt 0x1c3e000000000000000201007500
  $ isadl decode --spec spec/simt 00 75 00 01 02 00 00 00 00 00 00 00 3e 1c 00 00
  $ isadl decode --spec spec/simt --format json 0x1c3e000000000000000201007500")]
pub(crate) struct Decode {
    #[command(flatten)]
    pub(crate) spec: Spec,
    /// The output format; `json` prints one object, whose keys are described in crates/isadl-cli/README.md.
    #[arg(long, default_value = "human")]
    pub(crate) format: Explained,
    /// The word: a number `0x…`, or bytes in memory order, as several arguments or with
    /// spaces or colons between them.
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,
}

/// How an answer is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Explained {
    Human,
    Json,
}

/// Compares two versions of a specification, and reports the differences, strict classes first: the encoding, legal
/// words, assembly text, data flow, the interface of generated code, prose. The exit status is 1 if a class that
/// `--deny` names has differences, or if a version has errors.
#[derive(Args)]
#[command(after_help = "Examples:
  $ isadl diff old/simt spec/simt
  $ isadl diff --against main --deny encoding,legality spec/simt
  $ isadl diff --generations GCN1_2..GCN1_4 spec/gcn")]
pub(crate) struct Diff {
    /// The old and the new version, each a folder or file; with `--against` or `--generations` only the new version, by
    /// default `spec`.
    #[arg(value_name = "PATH", num_args = 0..=2)]
    pub(crate) paths: Vec<PathBuf>,
    /// Compare with the version of this revision, which is read through git.
    #[arg(long, value_name = "REV", conflicts_with = "generations")]
    pub(crate) against: Option<String>,
    /// Compare two generations of one version.
    #[arg(long, value_name = "A..B", value_parser = two_generations)]
    pub(crate) generations: Option<[String; 2]>,
    #[command(flatten)]
    pub(crate) fixed: Fixed,
    /// The classes whose differences make the exit status 1.
    #[arg(long, value_delimiter = ',', value_name = "CLASSES")]
    pub(crate) deny: Vec<Class>,
    /// The output format; `json` prints one object; docs/diff.md links to its schema.
    #[arg(long, default_value = "human")]
    pub(crate) format: Explained,
}

/// A class of differences.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Class {
    /// A word means something else, or nothing.
    Encoding,
    /// A word became legal or illegal.
    Legality,
    /// An instruction has another text, or a line assembles to another word.
    Text,
    /// An instruction reads or writes something else.
    Flow,
    /// An instruction does something else.
    Semantics,
    /// Code that uses the generated Rust code has to change.
    Interface,
    /// Prose changed.
    Documentation,
    /// Any class.
    All,
}

fn two_generations(text: &str) -> Result<[String; 2], String> {
    match text.split_once("..") {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => {
            Ok([old.to_string(), new.to_string()])
        }
        _ => Err("write two generations, such as `OLD..NEW`".to_string()),
    }
}

/// Shows which values are taken, have a name but no opcode (reserved), or are free. The values belong to the fields
/// that distinguish the opcodes of a group, as in the opcode maps of the manual.
#[derive(Args)]
#[command(after_help = "Examples:
  $ isadl space --spec spec/simt
  $ isadl space --spec spec/gcn --generation GCN1_4 --group VOP2 --find 20
  $ isadl space --spec spec/simt --format svg > space.svg")]
pub(crate) struct Space {
    #[command(flatten)]
    pub(crate) spec: Spec,
    /// Show only these groups.
    #[arg(long = "group", value_delimiter = ',', value_name = "GROUPS")]
    pub(crate) groups: Vec<String>,
    /// List only free values that leave at least this many bits for operands: room for new opcodes.
    #[arg(long, value_name = "BITS")]
    pub(crate) find: Option<u32>,
    /// The output format.
    #[arg(long, default_value = "human")]
    pub(crate) format: Pictured,
}

/// How the encoding space is shown.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pictured {
    /// As text.
    Human,
    /// As one object; docs/space.md links to its schema.
    Json,
    /// As a picture.
    Svg,
}
