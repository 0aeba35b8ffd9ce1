//! `isadl disasm`: bytes as text.

use std::io::{BufWriter, Read, Write};
use std::path::Path;

use isadl::hex::{HexError, write_bytes};
use isadl::interpret::DecodeError;
use isadl::isa::Isa;
use isadl::visible::visible_line;

use crate::args::Disasm;
use crate::lines::is_gone;
use crate::{Failure, Outcome, lines, spec};

pub(crate) fn run(options: &Disasm) -> Outcome {
    let isa = spec::load(&options.spec)?;
    match &options.binary {
        Some(path) => binary(&isa, path),
        None => lines::answer(&options.lines, |line| {
            let word = isa.read_hex(line).map_err(|error| error.to_string())?;
            text(&isa, word)
        }),
    }
}

fn text(isa: &Isa, word: u128) -> Result<String, String> {
    let inst = isa.decode(word).map_err(|error| isa.reason(word, error))?;
    Ok(match isa.advice(inst) {
        None => isa.text(inst),
        Some(rule) => {
            let rule = isa.rule(rule);
            format!("{}  // decodes only: {} ({})", isa.text(inst), rule.message, rule.kind)
        }
    })
}

/// Prints one line per instruction of a file: offset, bytes, text. Continues after illegal words.
fn binary(isa: &Isa, path: &Path) -> Outcome {
    let mut bytes = Vec::new();
    lines::open(path)?
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut failed = false;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (length, answer) = first(isa, rest);
        failed |= answer.is_err();
        let answer = answer.unwrap_or_else(|error| format!("error: {error}"));
        let hex = write_bytes(&rest[..length]);
        let width = isa.bytes() * 3 - 1;
        let answer = visible_line(&answer);
        if is_gone(writeln!(out, "{at:08x}:  {hex:width$}  {answer}"))? {
            break;
        }
        at += length;
    }
    is_gone(out.flush())?;
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// The instruction at the start of `bytes`, and the number of bytes to skip.
fn first(isa: &Isa, bytes: &[u8]) -> (usize, Result<String, String>) {
    match isa.decode_bytes(bytes) {
        Ok((inst, length)) => (length, text(isa, inst.word)),
        Err(DecodeError::Truncated { needed }) => {
            let found = bytes.len();
            (found, Err(HexError::Truncated { found, needed }.to_string()))
        }
        Err(error) => {
            let (word, length) = isa.first_word(bytes);
            (length, Err(isa.reason(word, error)))
        }
    }
}
