//! `isadl disasm`: bytes as text.

use std::io::{BufWriter, Write};
use std::path::Path;

use isadl::hex::{HexError, write_bytes};
use isadl::isa::Isa;

use crate::args::Disasm;
use crate::lines::is_gone;
use crate::{Failure, Outcome, lines, spec};

pub(crate) fn run(options: &Disasm) -> Outcome {
    let isa = spec::load(&options.spec)?;
    match &options.binary {
        Some(path) => binary(&isa, path),
        None => lines::answer(|line| {
            let word = isa.read_hex(line).map_err(|error| error.to_string())?;
            text(&isa, word)
        }),
    }
}

fn text(isa: &Isa, word: u128) -> Result<String, String> {
    let inst = isa.decode(word).map_err(|error| isa.reason(word, error))?;
    Ok(isa.text(inst))
}

/// A line for each instruction of a file: offset, bytes, text. Wrong words do not end it.
fn binary(isa: &Isa, path: &Path) -> Outcome {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut failed = false;
    let needed = isa.bytes();
    for (index, bytes) in bytes.chunks(needed).enumerate() {
        let mut word = [0; 16];
        word[..bytes.len()].copy_from_slice(bytes);
        let answer = match bytes.len() {
            found if found < needed => Err(HexError::Truncated { found, needed }.to_string()),
            _ => text(isa, u128::from_le_bytes(word)),
        };
        failed |= answer.is_err();
        let answer = answer.unwrap_or_else(|error| format!("error: {error}"));
        let hex = write_bytes(bytes);
        let width = needed * 3 - 1;
        if is_gone(writeln!(out, "{:08x}:  {hex:width$}  {answer}", index * needed))? {
            break;
        }
    }
    is_gone(out.flush())?;
    if failed { Err(Failure::Input) } else { Ok(()) }
}
