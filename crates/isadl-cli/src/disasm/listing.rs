//! Lines of files: address or offset, bytes, text; in colours on terminals.

use std::io::{BufWriter, StdoutLock, Write};

use isadl::engine::{Inst, TextOptions, TokenKind};
use isadl::hex::{HexError, write_bytes};
use isadl::visible::visible_line;
use isadl_asm::disasm::{Addresses, Code, CodeReloc, Line};

use super::Printer;
use super::source::Source;
use crate::lines::is_gone;
use crate::{Failure, Outcome};

/// A file on its way to standard output.
pub(super) struct Listing<'a> {
    printer: &'a Printer<'a>,
    code: &'a Code<'a>,
    /// Whether distances are printed as addresses.
    has_addresses: bool,
    range: Addresses,
    has_colours: bool,
    /// Lines of source files, if they are printed.
    pub(super) source: Option<Source>,
}

/// A part of the output with a colour of its own.
#[derive(Clone, Copy)]
enum Part {
    Token(TokenKind),
    Address,
    Name,
    Comment,
    Error,
}

impl Part {
    /// The colour, as terminals number it.
    fn code(self) -> Option<&'static str> {
        Some(match self {
            Part::Token(TokenKind::Mnemonic) => "1",
            Part::Token(TokenKind::Modifier) => "36",
            Part::Token(TokenKind::Register) => "32",
            Part::Token(TokenKind::Number) => "33",
            Part::Token(TokenKind::Control) => "35",
            Part::Token(_) => return None,
            Part::Address | Part::Comment => "2",
            Part::Name => "34",
            Part::Error => "1;31",
        })
    }
}

impl<'a> Listing<'a> {
    pub(super) fn new(
        printer: &'a Printer<'a>,
        code: &'a Code<'a>,
        has_addresses: bool,
        range: Addresses,
    ) -> Listing<'a> {
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        let has_colours = choice != anstream::ColorChoice::Never;
        Listing { printer, code, has_addresses, range, has_colours, source: None }
    }

    /// Prints sections. Continues after bytes that are not an instruction.
    pub(super) fn show(&self, sections: &[usize], has_relocations: bool) -> Outcome {
        let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
        let mut failed = false;
        for (count, index) in sections.iter().enumerate() {
            let name = &self.code.sections[*index].name;
            let mut head = String::new();
            if !name.is_empty() {
                let blank = if count > 0 { "\n" } else { "" };
                head = format!("{blank}section {}\n", self.paint(Part::Name, name));
            }
            let lines = self.code.lines(&self.printer.engine, *index, self.range, has_relocations);
            for line in lines {
                let of_source = match (&self.source, &line) {
                    (Some(source), Line::Inst(address, ..)) => source.next(*address),
                    _ => None,
                };
                if let Some(text) = of_source {
                    let syntax = self.printer.engine.isa().comment_syntax();
                    let sign = syntax.comments().next().unwrap_or("//");
                    let text = self.paint(Part::Comment, &format!("{sign} {text}"));
                    if is_gone(writeln!(out, "{head}{text}"))? {
                        return self.finish(out, failed);
                    }
                    head.clear();
                }
                failed |= matches!(line, Line::Unknown(..));
                if self.write(&mut out, &head, (*index, &line))? {
                    return self.finish(out, failed);
                }
                head.clear();
            }
        }
        self.finish(out, failed)
    }

    fn finish(&self, mut out: BufWriter<StdoutLock<'_>>, failed: bool) -> Outcome {
        is_gone(out.flush())?;
        if failed { Err(Failure::Input) } else { Ok(()) }
    }

    /// Writes a line; whether the reader is gone.
    fn write(
        &self,
        out: &mut impl Write,
        head: &str,
        (index, line): (usize, &Line<'_>),
    ) -> Result<bool, Failure> {
        let (address, bytes, text) = match *line {
            Line::Label(address, name) => {
                let place = self.paint(Part::Address, &format!("{address:08x}"));
                let name = self.paint(Part::Name, &format!("<{name}>"));
                return is_gone(writeln!(out, "{head}{place} {name}:"));
            }
            Line::Inst(address, bytes, inst) => {
                (address, bytes, self.inst(inst, (index, address, bytes.len())))
            }
            Line::Data(address, bytes) => (address, bytes, data(bytes)),
            Line::Unknown(address, bytes) => {
                let reason = format!("error: {}", self.reason(bytes));
                (address, bytes, self.paint(Part::Error, &reason))
            }
            Line::Reloc(start, one) => (one.offset, &[][..], self.relocation(one, (index, start))),
        };
        let width = self.printer.engine.isa().bytes() * 3 - 1;
        let hex = format!("{:width$}", write_bytes(bytes));
        let place = self.paint(Part::Address, &format!("{address:08x}:"));
        let hex = self.paint(Part::Address, &hex);
        is_gone(writeln!(out, "{head}{place}  {hex}  {text}"))
    }

    /// A text that is safe for terminals, in its colour.
    fn paint(&self, part: Part, text: &str) -> String {
        let text = visible_line(text);
        match part.code().filter(|_| self.has_colours) {
            Some(code) => format!("\x1b[{code}m{text}\x1b[0m"),
            None => text.into_owned(),
        }
    }

    /// The text of an instruction, with the names of its addresses.
    fn inst(&self, inst: Inst, (index, address, length): (usize, u64, usize)) -> String {
        let Printer { engine, style } = self.printer;
        let (mut text, mut targets) = (String::new(), Vec::new());
        if self.has_addresses {
            let note = |target| {
                targets.push(target);
                None::<(&str, u64)>
            };
            let style = TextOptions { address: Some(address), ..*style };
            engine.append_text_at(inst, style, note, &mut text);
        } else {
            text = engine.text_with(inst, *style);
        }
        let mut line = match self.has_colours {
            false => visible_line(&text).into_owned(),
            true => {
                let mut line = String::new();
                engine.tokens(inst, &text, |kind, piece| {
                    line += &self.paint(Part::Token(kind), piece);
                });
                line
            }
        };
        if !self.code.is_open(index, address, length) {
            let names = targets.into_iter().filter_map(|target| self.code.name_of(index, target));
            for name in names {
                let name = match name {
                    (name, 0) => format!("<{name}>"),
                    (name, offset) => format!("<{name}+{offset:#x}>"),
                };
                line += &format!(" {}", self.paint(Part::Name, &name));
            }
        }
        if let Some(advice) = self.printer.advice(inst) {
            line += &self.paint(Part::Comment, &advice);
        }
        line
    }

    /// Describes a relocation: its number, its syntax in operands, and its symbol.
    fn relocation(&self, one: &CodeReloc, (index, start): (usize, u64)) -> String {
        let engine = &self.printer.engine;
        let section = &self.code.sections[index];
        // Relocations of linked files have addresses.
        let base = if self.code.is_linked { 0 } else { section.address };
        let offset = one.offset.wrapping_add(base).wrapping_sub(start);
        let bytes = usize::try_from(start.wrapping_sub(section.address))
            .ok()
            .and_then(|at| section.bytes.get(at..));
        let inst = bytes.and_then(|bytes| engine.decode(engine.first_word(bytes).0).ok());
        let mut known = inst.into_iter().flat_map(|inst| engine.relocations(inst));
        let name = known
            .find(|known| (known.number, known.offset) == (one.number, offset))
            .map(|known| known.name);
        let name = name.filter(|name| !name.is_empty());
        let name = name.map_or(String::new(), |name| format!(" {name}"));
        let addend = match one.addend {
            0 => String::new(),
            addend if addend < 0 => format!("-{:#x}", addend.unsigned_abs()),
            addend => format!("+{addend:#x}"),
        };
        let text = format!("relocation {}{name} {}{addend}", one.number, one.symbol);
        self.paint(Part::Comment, &text)
    }

    /// Why bytes are not an instruction.
    fn reason(&self, bytes: &[u8]) -> String {
        let engine = &self.printer.engine;
        let (word, needed) = engine.first_word(bytes);
        let found = bytes.len();
        if needed > found {
            return HexError::Truncated { found, needed }.to_string();
        }
        match engine.decode(word) {
            Ok(_) => String::new(),
            Err(error) => engine.reason(word, error),
        }
    }
}

/// Bytes as a directive.
fn data(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
    format!(".byte {}", bytes.join(", "))
}
