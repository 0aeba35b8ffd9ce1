//! Directives that say how functions save registers: `.cfi_…`.

use isadl::diagnostic::Code;

use crate::assembler::Assembler;
use crate::data::leb128;
use crate::expand::Statement;
use crate::frames::{Encoded, Frame, FrameRules, Step};
use crate::text::{Loc, parts};
use crate::tree::at_place;

/// The encoding of a pointer that is left out.
const OMITTED: i64 = 0xff;

/// The operands of a directive: where each is, and its text.
type Operands<'t> = Vec<(usize, &'t str)>;

impl Assembler<'_, '_> {
    /// Reads a directive about frames; returns whether it is such a directive.
    pub(crate) fn frame_directive(
        &mut self,
        statement: &Statement,
        word: &str,
        start: usize,
    ) -> bool {
        let text = statement.as_str();
        let loc = statement.loc(0, text.len());
        let given = parts(&text[start..]).into_iter();
        let given: Operands<'_> = given.map(|(at, part)| (start + at, part)).collect();
        match word {
            ".frame_rules" => drop(self.frame_rules(statement, &given)),
            ".frame_registers" => drop(self.frame_registers(statement, &given)),
            ".cfi_sections" => {
                let names = given.iter().map(|(_, name)| name.trim_matches('"').to_string());
                self.frames.sections = Some(names.collect());
            }
            ".cfi_startproc" => self.begin_frame(&given, loc),
            word if word.starts_with(".cfi_") => match self.frames.rules {
                Some(rules) => drop(self.in_frame(statement, (&word[5..], &given), rules)),
                None => self.without_frames(loc),
            },
            _ => return false,
        }
        true
    }

    fn without_frames(&mut self, loc: Loc) {
        let message = "`.cfi_…` has no effect: no `.frame_rules` describe the machine";
        self.warn_once(Code::W1109, loc, message.to_string());
    }

    /// `.frame_rules version, code, data, return, register`, and perhaps `, offset`
    fn frame_rules(&mut self, statement: &Statement, given: &Operands<'_>) -> Option<()> {
        let loc = statement.loc(0, statement.as_str().len());
        if !(5..=6).contains(&given.len()) {
            let message = "expected a version, two factors, two registers, and perhaps an offset";
            self.error(Code::E1102, loc, message);
            return None;
        }
        let version = self.frame_number(statement, given[0])?;
        let code = self.frame_number(statement, given[1])?;
        let data = self.frame_number(statement, given[2])?;
        let return_register = self.frame_register(statement, given[3])?;
        let first = self.frame_register(statement, given[4])?;
        let offset = match given.get(5) {
            Some(part) => Some(self.frame_number(statement, *part)?),
            None => None,
        };
        if code < 1 || data == 0 {
            self.error(Code::E1104, loc, "factors must not be 0");
            return None;
        }
        self.frames.rules = Some(FrameRules {
            version: version as u8,
            code: code as u64,
            data,
            return_register,
            first: (first, offset),
        });
        Some(())
    }

    /// `.frame_registers first, names…`: the numbers of registers, which follow each other.
    fn frame_registers(&mut self, statement: &Statement, given: &Operands<'_>) -> Option<()> {
        let (first, names) = given.split_first()?;
        let first = self.frame_number(statement, *first)?;
        for (number, (_, name)) in (first as u64..).zip(names) {
            self.frames.registers.insert(name.to_ascii_lowercase(), number);
        }
        Some(())
    }

    fn begin_frame(&mut self, given: &Operands<'_>, loc: Loc) {
        let Some(rules) = self.frames.rules else { return self.without_frames(loc) };
        if self.frames.is_open {
            let message = "`.cfi_startproc` before the `.cfi_endproc` of the function before";
            return self.error(Code::E1105, loc, message);
        }
        self.frames.is_open = true;
        let start = self.here();
        self.frames.all.push(Frame {
            start,
            end: None,
            is_simple: given.first().is_some_and(|(_, word)| *word == "simple"),
            is_signal: false,
            letters: String::new(),
            personality: None,
            lsda: None,
            return_register: rules.return_register,
            steps: Vec::new(),
            loc,
            offset: rules.first.1.unwrap_or(0),
            remembered: Vec::new(),
        });
    }

    /// A directive within a function.
    fn in_frame(
        &mut self,
        statement: &Statement,
        (word, given): (&str, &Operands<'_>),
        rules: FrameRules,
    ) -> Option<()> {
        let loc = statement.loc(0, statement.as_str().len());
        let here = self.here();
        let is_open = self.frames.is_open;
        let last = self.frames.all.last().filter(|_| is_open);
        let Some(offset) = last.filter(|last| last.start.section == here.section) else {
            let message = format!("`.cfi_{word}` outside of a function");
            self.error(Code::E1105, loc, message);
            return None;
        };
        let offset = offset.offset;
        match word {
            "endproc" => {
                self.frames.is_open = false;
                self.frame().end = Some(here);
            }
            "signal_frame" => self.frame().is_signal = true,
            "augmentation" => {
                let (letters, _) = self.string(statement, given.first()?.0)?;
                self.frame().letters = String::from_utf8_lossy(&letters).into_owned();
            }
            "personality" => self.frame().personality = self.frame_pointer(statement, given)?,
            "lsda" => self.frame().lsda = self.frame_pointer(statement, given)?,
            "return_column" => {
                self.frame().return_register = self.frame_register(statement, *given.first()?)?;
            }
            "label" => {
                let name = given.first()?.1.to_string();
                self.label(statement, (given.first()?.0, &name), name.len());
            }
            _ => return self.frame_step(statement, (word, given), (rules, offset)),
        }
        Some(())
    }

    /// A directive that changes a rule.
    fn frame_step(
        &mut self,
        statement: &Statement,
        (word, given): (&str, &Operands<'_>),
        (rules, offset): (FrameRules, i64),
    ) -> Option<()> {
        let loc = statement.loc(0, statement.as_str().len());
        let expected = match word {
            "remember_state" | "restore_state" | "window_save" | "negate_ra_state" => 0,
            "def_cfa_register" | "def_cfa_offset" | "adjust_cfa_offset" => 1,
            "def_cfa" | "offset" | "rel_offset" | "val_offset" | "register" => 2,
            "restore" | "undefined" | "same_value" | "escape" => given.len().max(1),
            _ => {
                self.error(Code::E1102, loc, format!("unknown directive `.cfi_{word}`"));
                return None;
            }
        };
        if given.len() != expected {
            let message = format!("expected {expected} operands, found {}", given.len());
            self.error(Code::E1102, loc, message);
            return None;
        }
        match word {
            "remember_state" => {
                self.frame().remembered.push(offset);
                self.step(vec![0x0a], false);
            }
            "restore_state" => {
                let frame = self.frame();
                frame.offset = frame.remembered.pop().unwrap_or(offset);
                self.step(vec![0x0b], true);
            }
            // Two names of one number.
            "window_save" | "negate_ra_state" => self.step(vec![0x2d], true),
            "def_cfa" => {
                let register = self.frame_register(statement, given[0])?;
                let offset = self.frame_number(statement, given[1])?;
                self.frame().offset = offset;
                self.step(def_cfa(register, offset, rules.data), true);
            }
            "def_cfa_register" => {
                let register = self.frame_register(statement, given[0])?;
                self.step([vec![0x0d], unsigned(register)].concat(), true);
            }
            "def_cfa_offset" | "adjust_cfa_offset" => {
                let number = self.frame_number(statement, given[0])?;
                let base = if word == "def_cfa_offset" { 0 } else { offset };
                let number = number.wrapping_add(base);
                self.frame().offset = number;
                self.step(def_offset(number, rules.data), true);
            }
            "offset" | "rel_offset" | "val_offset" => {
                let register = self.frame_register(statement, given[0])?;
                let number = self.frame_number(statement, given[1])?;
                let base = if word == "rel_offset" { offset } else { 0 };
                let number = number.wrapping_sub(base);
                if number % rules.data != 0 {
                    let message = format!("{number} is not a multiple of {}", rules.data);
                    self.error(Code::E1104, loc, message);
                    return None;
                }
                self.step(saved(register, number / rules.data, word == "val_offset"), true);
            }
            "register" => {
                let first = self.frame_register(statement, given[0])?;
                let second = self.frame_register(statement, given[1])?;
                self.step([vec![0x09], unsigned(first), unsigned(second)].concat(), true);
            }
            "escape" => {
                let mut bytes = Vec::new();
                for part in given {
                    bytes.push(self.frame_number(statement, *part)? as u8);
                }
                self.step(bytes, false);
            }
            _ => {
                for part in given {
                    let register = self.frame_register(statement, *part)?;
                    self.step(of_register(word, register), true);
                }
            }
        }
        Some(())
    }

    /// The function that is open.
    fn frame(&mut self) -> &mut Frame {
        let last = self.frames.all.len() - 1;
        &mut self.frames.all[last]
    }

    fn step(&mut self, bytes: Vec<u8>, is_rule: bool) {
        let place = self.here();
        self.frame().steps.push(Step { place, bytes, is_rule });
    }

    fn frame_number(&mut self, statement: &Statement, (at, text): (usize, &str)) -> Option<i64> {
        let (expr, _) = self.expression(statement, at)?;
        self.number_of(&expr, statement.loc(at, at + text.len()))
    }

    /// The number of a register, which may have a name.
    fn frame_register(&mut self, statement: &Statement, (at, text): (usize, &str)) -> Option<u64> {
        if let Some(number) = self.frames.registers.get(&text.to_ascii_lowercase()) {
            return Some(*number);
        }
        let number = self.frame_number(statement, (at, text))?;
        if number < 0 {
            let loc = statement.loc(at, at + text.len());
            self.error(Code::E1104, loc, format!("{number} is not a register"));
            return None;
        }
        Some(number as u64)
    }

    /// `encoding, expression`; no pointer if the encoding says so.
    fn frame_pointer(
        &mut self,
        statement: &Statement,
        given: &Operands<'_>,
    ) -> Option<Option<Encoded>> {
        let loc = statement.loc(0, statement.as_str().len());
        let encoding = self.frame_number(statement, *given.first()?)?;
        if encoding == OMITTED {
            return Some(None);
        }
        let Some((at, _)) = given.get(1) else {
            self.error(Code::E1102, loc, "expected an encoding and an address");
            return None;
        };
        let (expr, _) = self.expression(statement, *at)?;
        let expr = at_place(expr, self.here());
        self.mark_used(&expr, loc);
        Some(Some((encoding as u8, expr)))
    }
}

fn unsigned(number: u64) -> Vec<u8> {
    leb128(number as i64, false, 1)
}

/// The rule for the address of the frame. Negative offsets are factored.
pub(crate) fn def_cfa(register: u64, offset: i64, data: i64) -> Vec<u8> {
    match offset < 0 {
        true => [vec![0x12], unsigned(register), leb128(offset / data, true, 1)].concat(),
        false => [vec![0x0c], unsigned(register), unsigned(offset as u64)].concat(),
    }
}

fn def_offset(offset: i64, data: i64) -> Vec<u8> {
    match offset < 0 {
        true => [vec![0x13], leb128(offset / data, true, 1)].concat(),
        false => [vec![0x0e], unsigned(offset as u64)].concat(),
    }
}

/// The rule for a register that is saved in the frame, or whose value is an address there.
fn saved(register: u64, factored: i64, is_value: bool) -> Vec<u8> {
    let code = match (is_value, factored < 0) {
        (true, true) => 0x15,
        (true, false) => 0x14,
        (false, true) => 0x11,
        (false, false) if register < 0x40 => {
            return [vec![0x80 | register as u8], unsigned(factored as u64)].concat();
        }
        (false, false) => 0x05,
    };
    [vec![code], unsigned(register), leb128(factored, factored < 0, 1)].concat()
}

/// A rule that only names a register.
fn of_register(word: &str, register: u64) -> Vec<u8> {
    let code = match word {
        "restore" if register < 0x40 => return vec![0xc0 | register as u8],
        "restore" => 0x06,
        "undefined" => 0x07,
        _ => 0x08,
    };
    [vec![code], unsigned(register)].concat()
}
