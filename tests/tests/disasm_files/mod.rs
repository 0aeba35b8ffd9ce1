//! Machine code in files as lines: programs and Debian's C library against llvm-objdump 19; the output of the command;
//! arbitrary bytes.

mod any;
mod command;
mod libc;
mod programs;
mod unknown;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use isadl::engine::{Engine, TextOptions};
use isadl_asm::disasm::{Code, Line};

use crate::asm_files::run;

/// The text of an instruction at an address, and the addresses in it.
fn text(engine: &Engine<'_>, line: &Line<'_>) -> Option<(String, Vec<u64>)> {
    let Line::Inst(address, _, inst) = *line else { return None };
    let (mut text, mut targets) = (String::new(), Vec::new());
    let note = |target| {
        targets.push(target);
        None::<(&str, u64)>
    };
    engine.append_text_at(inst, TextOptions::at(address), note, &mut text);
    Some((text, targets))
}

/// The text of an instruction with the names of its addresses, as llvm-objdump writes them, and whether an address is
/// in a section.
fn named(
    code: &Code<'_>,
    (engine, index): (&Engine<'_>, usize),
    line: &Line<'_>,
) -> Option<(String, bool)> {
    let (mut text, targets) = self::text(engine, line)?;
    let mut is_named = false;
    for target in targets {
        let mut sections = code.sections.iter();
        is_named |= sections.any(|own| target.wrapping_sub(own.address) < own.size);
        text += &match code.name_of(index, target) {
            Some((name, 0)) => format!(" <{name}>"),
            Some((name, offset)) => format!(" <{name}+{offset:#x}>"),
            None => String::new(),
        };
    }
    Some((text, is_named))
}

/// llvm-objdump's output for a file: texts by their addresses.
fn by_llvm(file: &Path, arguments: &[&str]) -> BTreeMap<u64, String> {
    let options = ["-d", "--no-show-raw-insn", "--no-print-imm-hex", "--disassemble-zeroes"];
    let mut command = Command::new("llvm-objdump-19");
    let printed = run(command.args(options).args(arguments).arg(file));
    let line = |line: &str| {
        //   2101b0:      \tmov\tx0, #0       // =0x0
        let (address, rest) = line.split_once(": ")?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        let (_, text) = rest.split_once('\t')?;
        let text = text.split(" //").next()?;
        Some((address, text.split_whitespace().collect::<Vec<_>>().join(" ")))
    };
    String::from_utf8_lossy(&printed).lines().filter_map(line).collect()
}
