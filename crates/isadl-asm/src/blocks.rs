//! Directives that control which statements are read: conditions, macros, repetitions, files.

use isadl::diagnostic::Code;

use crate::assembler::Assembler;
use crate::expand::{Fault, MACROS, Statement};
use crate::expr::{Evaluator, Unplaced};
use crate::text::{Loc, Text, name, original, parts, readable, string_end};

/// Largest file that is included.
const MAX_FILE: u64 = 1 << 28;

impl Assembler<'_, '_> {
    /// Reads a directive in a skipped condition: only its effect on blocks matters.
    pub(crate) fn skipped(&mut self, statement: &Statement, word: &str, operands: usize) {
        if self.condition_directive(statement, word, operands) {
            return;
        }
        if MACROS.contains(&word) {
            let defined = self.expander.skip_macro(statement);
            self.checked(defined);
        }
    }

    pub(crate) fn checked(&mut self, result: Result<(), Fault>) {
        if let Err(fault) = result {
            self.fault(fault);
        }
    }

    /// Reads a directive that begins or ends a condition; returns whether it is such a directive.
    pub(crate) fn condition_directive(
        &mut self,
        statement: &Statement,
        word: &str,
        operands: usize,
    ) -> bool {
        let loc = || statement.loc(0, statement.as_str().len());
        let result = match word {
            word if word.starts_with(".if") => {
                let is_active = self.expander.is_active();
                let holds = is_active && self.condition(statement, word, operands);
                self.expander.begin_if(loc(), holds)
            }
            word if !word.starts_with(".e") => return false,
            ".else" => self.expander.begin_else(loc(), None),
            ".endif" => self.expander.end_if(loc()),
            ".elseif" | ".elsif" => {
                let is_requested = self.expander.asks_again();
                let holds = is_requested && self.condition(statement, ".if", operands);
                self.expander.begin_else(loc(), Some(holds))
            }
            _ => return false,
        };
        self.checked(result);
        true
    }

    /// Reads another block directive; returns whether it is such a directive.
    pub(crate) fn block(&mut self, statement: &Statement, word: &str, operands: usize) -> bool {
        let text = statement.as_str();
        let loc = statement.loc(0, text.len());
        let rest = &text[operands..];
        let result = match word {
            word if MACROS.contains(&word) => self.expander.define(statement, operands),
            ".endm" | ".endmacro" | ".endr" => {
                self.error(Code::E1105, loc, format!("`{word}` does not close a block"));
                Ok(())
            }
            ".altmacro" | ".noaltmacro" => {
                self.expander.is_alternate = word == ".altmacro";
                Ok(())
            }
            ".exitm" => {
                if !self.expander.exit_macro() {
                    self.error(Code::E1105, loc, "`.exitm` outside of a macro");
                }
                Ok(())
            }
            ".purgem" => {
                if !self.expander.forget_macro(rest.trim()) {
                    self.error(Code::E1103, loc, format!("macro `{}` is not defined", rest.trim()));
                }
                Ok(())
            }
            ".rept" | ".rep" => {
                let count = self.count(statement, operands).unwrap_or(0);
                self.expander.repeat(loc, count)
            }
            ".irp" | ".irep" => self.expander.repeat_with(loc, rest, false),
            ".irpc" | ".irepc" => self.expander.repeat_with(loc, rest, true),
            ".include" => {
                self.include(statement, operands);
                Ok(())
            }
            _ => return false,
        };
        self.checked(result);
        true
    }

    /// Whether a condition holds; errors are reported.
    fn condition(&mut self, statement: &Statement, word: &str, operands: usize) -> bool {
        let text = statement.as_str();
        let rest = &text[operands..];
        let is_defined = |assembler: &Self| {
            let symbols = assembler.symbols.borrow();
            symbols.find(name(rest)).is_some_and(|id| symbols.get(id).is_defined())
        };
        let same = || {
            let both = parts(rest);
            let part = |at: usize| both.get(at).map_or("", |(_, part)| part.trim_matches('"'));
            part(0) == part(1)
        };
        match word {
            ".ifdef" => is_defined(self),
            ".ifndef" | ".ifnotdef" => !is_defined(self),
            ".ifb" => rest.trim().is_empty(),
            ".ifnb" => !rest.trim().is_empty(),
            ".ifc" | ".ifeqs" => same(),
            ".ifnc" | ".ifnes" => !same(),
            ".ifknown" => {
                let Some((expr, _)) = self.whole_expression(statement, operands) else {
                    return false;
                };
                let here = self.here();
                let symbols = self.symbols.borrow();
                Evaluator::new(&symbols, Unplaced, Some(here)).number(&expr).is_ok()
            }
            ".ifshort" => self.has_shorter(rest.trim()),
            ".iflinker" => self.for_linker,
            ".ifgeneration" => {
                let isa = self.engine.isa();
                isa.generation_names(isa.describes()).any(|known| known == rest.trim())
            }
            ".ifextension" => {
                let known = &self.engine.isa().extensions().names;
                let at = known.iter().position(|known| known == rest.trim());
                at.is_some_and(|at| self.engine.extensions() >> at & 1 != 0)
            }
            ".if" | ".ifne" | ".ifeq" | ".ifgt" | ".ifge" | ".iflt" | ".ifle" => {
                let Some((expr, _)) = self.whole_expression(statement, operands) else {
                    return false;
                };
                let loc = statement.loc(operands, text.len());
                let Some(number) = self.number_of(&expr, loc) else { return false };
                match word {
                    ".ifeq" => number == 0,
                    ".ifgt" => number > 0,
                    ".ifge" => number >= 0,
                    ".iflt" => number < 0,
                    ".ifle" => number <= 0,
                    _ => number != 0,
                }
            }
            _ => {
                let loc = statement.loc(0, word.len());
                self.error(Code::E1102, loc, format!("unknown condition `{word}`"));
                false
            }
        }
    }

    /// A number that is not negative.
    fn count(&mut self, statement: &Statement, operands: usize) -> Option<u64> {
        let (expr, _) = self.whole_expression(statement, operands)?;
        let loc = statement.loc(operands, statement.as_str().len());
        let here = self.here();
        let number = Evaluator::new(&self.symbols.borrow(), Unplaced, Some(here)).number(&expr);
        match number {
            Ok(number) => match u64::try_from(number) {
                Ok(number) => Some(number),
                Err(_) => {
                    self.error(Code::E1104, loc, format!("{number} is negative"));
                    None
                }
            },
            Err(error) => {
                self.no_value(error, loc);
                None
            }
        }
    }

    /// The bytes of a string in quotes, and where it ends; errors are reported.
    pub(crate) fn string(
        &mut self,
        statement: &Statement,
        start: usize,
    ) -> Option<(Vec<u8>, usize)> {
        let text = &statement.as_str()[start..];
        let bytes = text.as_bytes();
        let end = string_end(bytes, 0);
        if bytes.first() != Some(&b'"') || end < 2 || bytes[end - 1] != b'"' {
            let loc = statement.loc(start, start + text.len().min(1));
            self.error(Code::E1102, loc, "expected a string in double quotes");
            return None;
        }
        let (mut out, mut at) = (Vec::new(), 1);
        while at < end - 1 {
            if bytes[at] != b'\\' {
                let length = text[at..end - 1].find('\\').unwrap_or(end - 1 - at);
                out.extend(original(&text[at..at + length]));
                at += length;
                continue;
            }
            let letter = bytes[at + 1];
            let octal = bytes[at + 1..end - 1].iter().take(3);
            let octal = octal.take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            let value = |digits: &str, radix| u32::from_str_radix(digits, radix).unwrap_or(0) as u8;
            if octal > 0 {
                out.push(value(&text[at + 1..at + 1 + octal], 8));
                at += 1 + octal;
            } else if matches!(letter, b'x' | b'X') {
                let digits = bytes[at + 2..end - 1].iter().take_while(|b| b.is_ascii_hexdigit());
                let count = digits.count();
                let last = &text[(at + 2).max((at + 2 + count).saturating_sub(2))..at + 2 + count];
                out.push(value(last, 16));
                at += 2 + count;
            } else {
                let length = text[at + 1..].chars().next().map_or(1, char::len_utf8);
                match crate::expr::escape(letter) {
                    Some(byte) => out.push(byte),
                    None => out.extend(original(&text[at + 1..at + 1 + length])),
                }
                at += 1 + length;
            }
        }
        Some((out, start + end))
    }

    /// The bytes of a file that a statement names.
    pub(crate) fn named_file(
        &mut self,
        statement: &Statement,
        operands: usize,
    ) -> Option<(String, Vec<u8>, Loc)> {
        let (path, end) = self.string(statement, operands)?;
        let loc = statement.loc(operands, end);
        let path = String::from_utf8_lossy(&path).into_owned();
        if self.options.closed {
            self.error(Code::E1102, loc, format!("the file `{path}` cannot be read here"));
            return None;
        }
        let own = self.sources.file(loc.span.file).name().to_string();
        let own = std::path::Path::new(&own).parent().map(std::path::Path::to_path_buf);
        let folders = own.into_iter().chain(self.options.folders.iter().cloned());
        let found = folders.map(|folder| folder.join(&path)).find(|path| path.is_file());
        let Some(found) = found else {
            self.error(Code::E1102, loc, format!("the file `{path}` is not found"));
            return None;
        };
        let is_large = std::fs::metadata(&found).is_ok_and(|known| known.len() > MAX_FILE);
        if is_large {
            self.error(Code::E1106, loc, format!("the file `{path}` is larger than 256 MiB"));
            return None;
        }
        match std::fs::read(&found) {
            Ok(bytes) => {
                let name = found.display().to_string();
                self.inputs.push(found);
                Some((name, bytes, loc))
            }
            Err(error) => {
                self.error(Code::E1102, loc, format!("the file `{path}` cannot be read: {error}"));
                None
            }
        }
    }

    fn include(&mut self, statement: &Statement, operands: usize) {
        let Some((path, bytes, loc)) = self.named_file(statement, operands) else { return };
        let id = self.sources.add(path, readable(bytes));
        let source = self.sources.file(id);
        let start = (source.text().len() - source.content().len()) as u32;
        let text = Text::of_file(id, start, source.content(), self.expander.scanner());
        let opened = self.expander.open(text, Some(loc));
        self.checked(opened);
    }
}
