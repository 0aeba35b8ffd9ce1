//! `isadl disasm`: bytes as text. Files are in `listing.rs`.

mod listing;
mod source;

use std::cell::Cell;
use std::io::{BufRead, Read};
use std::path::Path;

use isadl::engine::{Engine, TextOptions};
use isadl_asm::disasm::{Addresses, Code, SourceLines};

use crate::args::Disasm;
use crate::spec::{Needs, Opened};
use crate::{Failure, Outcome, lines, report};
use listing::Listing;
use source::Source;

/// The byte that ELF files begin with, and no line of digits.
const ELF: u8 = 0x7f;

pub(crate) fn run(options: &Disasm) -> Outcome {
    let opened = Opened::new(&options.spec, Needs::Words)?;
    let loaded = opened.loaded()?;
    let set = opened.extensions(loaded.isa())?;
    let engine = loaded.engine().with_extensions(set);
    let names = match &options.names {
        Some(name) => loaded.isa().find_name_set(name),
        None => Ok(0),
    };
    let names = names.map_err(|error| Failure::Usage(format!("--names: {error}")))? as u32;
    let printer = Printer {
        engine,
        style: TextOptions {
            names,
            is_plain: options.no_aliases,
            address: None,
            ..TextOptions::default()
        },
    };
    let range = Addresses { start: options.start.unwrap_or(0), stop: options.stop };
    if range.stop.is_some_and(|stop| range.start > stop) {
        return Err(Failure::Usage("--start is after --stop".to_string()));
    }
    if let Some(path) = &options.binary {
        let bytes = whole(lines::open(path)?, path)?;
        let code = Code::raw(&bytes, options.address.unwrap_or(0));
        let listing = Listing::new(&printer, &code, options.address.is_some(), range);
        return listing.show(&[0], false);
    }
    let mut input = lines::buffered(&options.lines)?;
    if input.fill_buf()?.first() == Some(&ELF) {
        let bytes = whole(input, &options.lines)?;
        return elf(options, &printer, &bytes, range);
    }
    let of_files = [
        ("--section", !options.sections.is_empty()),
        ("--start", options.start.is_some()),
        ("--stop", options.stop.is_some()),
        ("--reloc", options.reloc),
        ("--source", options.source),
    ];
    if let Some((name, _)) = of_files.iter().find(|(_, is_given)| *is_given) {
        let path = options.lines.display();
        return Err(Failure::Usage(format!("{name}: {path} is not an ELF file")));
    }
    let address = Cell::new(options.address);
    lines::answer_from(input, |line, answer| {
        let word = printer.engine.read_hex(line).map_err(|error| error.to_string())?;
        let at = address.get();
        let length = printer.engine.length(word).unwrap_or(0) as u64;
        address.set(at.map(|at| at.wrapping_add(length)));
        printer.text(word, at, answer)
    })
}

/// All bytes of a file.
fn whole(mut input: impl Read, path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    input
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
    Ok(bytes)
}

fn elf(options: &Disasm, printer: &Printer<'_>, bytes: &[u8], range: Addresses) -> Outcome {
    if options.address.is_some() {
        let message = "--address: an ELF file contains its own addresses";
        return Err(Failure::Usage(message.to_string()));
    }
    let code = match Code::elf(bytes, printer.engine.isa()) {
        Ok(code) => code,
        Err(error) => {
            report::complain(&format!("{}: {error}", options.lines.display()));
            return Err(Failure::Input);
        }
    };
    let all = || code.sections.iter().enumerate().filter(|(_, own)| !own.bytes.is_empty());
    let mut shown: Vec<usize> = Vec::new();
    for name in &options.sections {
        let own = all().filter(|(_, section)| section.name == *name).map(|(index, _)| index);
        let before = shown.len();
        shown.extend(own);
        if shown.len() == before {
            let names: Vec<&str> = all().map(|(_, own)| own.name.as_str()).collect();
            let names = names.join(", ");
            let message = format!("--section: no section `{name}` with bytes; there are: {names}");
            return Err(Failure::Usage(message));
        }
    }
    if options.sections.is_empty() {
        shown.extend(all().filter(|(_, section)| section.is_code).map(|(index, _)| index));
    }
    let mut listing = Listing::new(printer, &code, true, range);
    if options.source {
        if !code.is_linked {
            let message = "--source: addresses of lines are only known in linked files";
            return Err(Failure::Usage(message.to_string()));
        }
        match SourceLines::of_elf(bytes) {
            Ok(lines) => listing.source = Some(Source::new(lines)),
            Err(error) => {
                report::complain(&format!("{}: {error}", options.lines.display()));
                return Err(Failure::Input);
            }
        }
    }
    listing.show(&shown, options.reloc)
}

/// How instructions are printed.
struct Printer<'e> {
    engine: Engine<'e>,
    style: TextOptions,
}

impl Printer<'_> {
    /// Appends the text of a word, at an address if known.
    fn text(&self, word: u128, address: Option<u64>, answer: &mut Vec<u8>) -> Result<(), String> {
        let engine = &self.engine;
        let inst = engine.decode(word).map_err(|error| engine.reason(word, error))?;
        engine.append_text_with(inst, TextOptions { address, ..self.style }, answer);
        if let Some(advice) = self.advice(inst) {
            answer.extend_from_slice(advice.as_bytes());
        }
        Ok(())
    }

    /// Why assemblers refuse to produce an instruction, as a comment.
    fn advice(&self, inst: isadl::engine::Inst) -> Option<String> {
        let isa = self.engine.isa();
        let rule = isa.rule(self.engine.advice(inst)?);
        let sign = isa.comment_syntax().comments().next().unwrap_or_default();
        Some(format!("  {sign} decodes only: {} ({})", rule.message, rule.kind))
    }
}
