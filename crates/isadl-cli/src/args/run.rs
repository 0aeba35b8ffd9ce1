//! The arguments of `isadl run`.

use std::path::PathBuf;

use clap::Args;

use super::{Spec, address};

/// Executes a program with the instructions that a specification describes.
///
/// A program is a static ELF file, or one or more assembly files. Assembly files start at `_start`, or at the first instruction. The
/// environment of the specification, such as Linux, answers system calls. A program can read files below `--root` only, and write none.
///
/// The exit status is that of the program. It is 124 if the program used up its fuel, 125 if an instruction could not be completed, 130
/// after Ctrl-C, and 0 at `--until`.
#[derive(Args)]
#[command(after_help = "Example:
  $ isadl run --spec spec/riscv --generation RV64 hello.s
  hello")]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) spec: Spec,
    /// The program: an ELF file, or assembly files.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The arguments of the program.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<std::ffi::OsString>,
    /// The environment, if the specification describes several.
    #[arg(long, value_name = "NAME")]
    pub(crate) environment: Option<String>,
    /// The folder that the program takes for the root of all files. It can only read there.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Bytes of memory, also with `K`, `M` or `G` behind the number.
    #[arg(long, value_name = "BYTES", default_value = "256M", value_parser = bytes)]
    pub(crate) memory: u64,
    /// End after this many instructions.
    #[arg(long, value_name = "N")]
    pub(crate) fuel: Option<u64>,
    /// End before the instruction at this address.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) until: Option<u64>,
    /// A register and its value at the beginning; `lane` is the number of each lane.
    #[arg(long, value_name = "REGISTER=NUMBER", value_parser = setting)]
    pub(crate) set: Vec<(String, Value)>,
    /// How many lanes take part, if the instruction set has lanes; all by default.
    #[arg(long, value_name = "N")]
    pub(crate) lanes: Option<usize>,
    /// Print the registers at the end, except those that are 0.
    #[arg(long)]
    pub(crate) regs: bool,
    /// Print each instruction on standard error, with the values that it reads and writes.
    #[arg(long)]
    pub(crate) trace: bool,
    /// Write which opcodes, values of fields and branches of programs were executed, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage: Option<PathBuf>,
    /// Wait for a debugger on this port of the local machine, and execute as it says; 0 is any free port.
    #[arg(long, value_name = "PORT", conflicts_with_all = ["trace", "coverage", "fuel", "until"])]
    pub(crate) gdb: Option<u16>,
    /// Time begins at 0, and passes with each look at it, so that every run is the same.
    #[arg(long)]
    pub(crate) fixed_clock: bool,
}

/// A number of bytes.
fn bytes(text: &str) -> Result<u64, String> {
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let unit = units.into_iter().find(|(letter, _)| text.ends_with(*letter));
    let (digits, shift) =
        unit.map_or((text, 0), |(letter, shift)| (text.trim_end_matches(letter), shift));
    let number: u64 = digits.parse().map_err(|_| "must be a number of bytes".to_string())?;
    let most = 1 << 40;
    number
        .checked_shl(shift)
        .filter(|bytes| bytes >> shift == number && *bytes <= most)
        .ok_or_else(|| "must be at most 1024G".to_string())
}

/// What a register is at the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(i128),
    /// The number of each lane.
    Lane,
}

/// The name of a register and a number.
fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, number) = text.split_once('=').ok_or("must be REGISTER=NUMBER")?;
    if number == "lane" {
        return Ok((name.to_string(), Value::Lane));
    }
    let (digits, is_negative) = match number.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (number, false),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).map(|value| value as i128),
        None => digits.parse(),
    };
    let value: i128 = value.map_err(|_| format!("`{number}` is no number"))?;
    let value = if is_negative { value.wrapping_neg() } else { value };
    Ok((name.to_string(), Value::Number(value)))
}
