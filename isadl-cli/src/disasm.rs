//! `isadl disasm`: bytes as text.

use std::cell::Cell;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use isadl::engine::{Engine, Loaded, Style};
use isadl::hex::{HexError, write_bytes};
use isadl::visible::visible_line;

use crate::args::Disasm;
use crate::lines::is_gone;
use crate::{Failure, Outcome, lines, spec};

pub(crate) fn run(options: &Disasm) -> Outcome {
    let loaded = Loaded::new(spec::load(&options.spec)?);
    let set = spec::extensions(&options.spec, loaded.isa())?;
    let engine = loaded.engine().with_extensions(set);
    let names = match &options.names {
        Some(name) => loaded.isa().find_name_set(name),
        None => Ok(0),
    };
    let names = names.map_err(|error| Failure::Usage(format!("--names: {error}")))? as u32;
    let printer = Printer { engine, style: Style { names, is_plain: options.no_aliases } };
    match &options.binary {
        Some(path) => binary(&printer, path, options.address),
        None => {
            let address = Cell::new(options.address);
            lines::answer(&options.lines, |line, answer| {
                let word = printer.engine.read_hex(line).map_err(|error| error.to_string())?;
                let at = address.get();
                let length = printer.engine.length(word).unwrap_or(0) as u64;
                address.set(at.map(|at| at.wrapping_add(length)));
                printer.text(word, at, answer)
            })
        }
    }
}

/// How instructions are printed.
struct Printer<'e> {
    engine: Engine<'e>,
    style: Style,
}

impl Printer<'_> {
    /// Appends the text of a word, at an address if one is known.
    fn text(&self, word: u128, address: Option<u64>, answer: &mut Vec<u8>) -> Result<(), String> {
        let engine = &self.engine;
        let inst = engine.decode(word).map_err(|error| engine.reason(word, error))?;
        match address {
            None => engine.append_text_with(inst, self.style, answer),
            Some(address) => {
                let mut text = String::new();
                let none = |_| None::<(&str, u64)>;
                engine.append_text_at(inst, (address, self.style), none, &mut text);
                answer.extend_from_slice(text.as_bytes());
            }
        }
        if let Some(rule) = engine.advice(inst) {
            let rule = engine.isa().rule(rule);
            let advice = format!("  // decodes only: {} ({})", rule.message, rule.kind);
            answer.extend_from_slice(advice.as_bytes());
        }
        Ok(())
    }
}

/// Prints one line per instruction of a file: offset or address, bytes, text. Continues after illegal words.
fn binary(printer: &Printer<'_>, path: &Path, address: Option<u64>) -> Outcome {
    let engine = &printer.engine;
    let mut bytes = Vec::new();
    lines::open(path)?
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut failed = false;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let here = address.map(|address| address.wrapping_add(at as u64));
        let (length, answer) = first(printer, rest, here);
        failed |= answer.is_err();
        let answer = answer.unwrap_or_else(|error| format!("error: {error}"));
        let hex = write_bytes(&rest[..length]);
        let width = engine.isa().bytes() * 3 - 1;
        let (answer, place) = (visible_line(&answer), here.unwrap_or(at as u64));
        if is_gone(writeln!(out, "{place:08x}:  {hex:width$}  {answer}"))? {
            break;
        }
        at += length;
    }
    is_gone(out.flush())?;
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// The instruction at the start of `bytes`, and the number of bytes to skip.
fn first(
    printer: &Printer<'_>,
    bytes: &[u8],
    address: Option<u64>,
) -> (usize, Result<String, String>) {
    let (word, length) = printer.engine.first_word(bytes);
    if length > bytes.len() {
        let (found, needed) = (bytes.len(), length);
        return (found, Err(HexError::Truncated { found, needed }.to_string()));
    }
    let mut answer = Vec::new();
    let text = printer.text(word, address, &mut answer);
    (length, text.map(|()| String::from_utf8_lossy(&answer).into_owned()))
}
