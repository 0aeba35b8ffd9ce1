//! Instructions to the items of sections.

use std::cell::{Cell, RefCell};

use isadl::diagnostic::{Code, Diagnostic};
use isadl::engine::Assembled;

use crate::assembler::Assembler;
use crate::definitions::mark_used;
use crate::expand::{FaultKind, Statement};
use crate::expr::{Reader, at_place};
use crate::names::{Deferred, Lookup, Pretends};
use crate::sections::{Content, Encoded, Fixup, FixupKind, Relaxed, Tail};
use crate::text::name;

impl Assembler<'_, '_> {
    /// The state that memorised lines depend on.
    pub(crate) fn age(&self) -> u64 {
        1 + self.expander.changes() + self.changes
    }

    /// Assembles a memorised line; returns whether the line was memorised.
    pub(crate) fn again(&mut self, statement: &Statement) -> bool {
        let Some(known) = self.memo.find(statement.as_str(), self.age()) else { return false };
        let section = &mut self.sections[self.current as usize];
        if self.options.listing || !section.has_room() || self.structure.is_some() {
            return false;
        }
        self.lines.put(section.here(self.current));
        section.align = section.align.max(self.unit);
        section.mark(self.current, Content::Code);
        section.bytes.extend_from_slice(known);
        true
    }

    /// Assembles an instruction; with `exact`, in its written encoding.
    pub(crate) fn instruction(&mut self, statement: &Statement, at: usize, exact: bool) {
        if self.is_in_structure(statement.loc(at, statement.as_str().len())) {
            return;
        }
        let text = &statement.as_str()[at..];
        let names = self.lookup(text, Pretends::Nothing);
        if let Some(assembled) = self.engine.try_named(text, &names) {
            let is_requested = names.is_requested.get();
            self.emit(&assembled, statement, (at, exact), is_requested);
            return;
        }
        let is_requested = names.is_requested.get();
        if is_requested && self.deferred(statement, at, false) {
            return;
        }
        let word = name(text);
        if let Some(called) = self.expander.find_fallback(word) {
            let place = (at, at + word.len());
            // Where the operands do not fit, the line is a wrong instruction.
            match self.expander.call(&called, statement, place) {
                Err(fault) if fault.kind == FaultKind::Syntax => {}
                called => {
                    self.checked(called);
                    return;
                }
            }
        }
        if is_requested && self.deferred(statement, at, true) {
            return;
        }
        let names = self.lookup(text, Pretends::Nothing);
        match self.engine.assemble_named(text, &names) {
            Ok(assembled) => self.emit(&assembled, statement, (at, exact), true),
            Err(error) => {
                let end = text.len();
                let first = text.char_indices().nth(error.column - 1).map_or(end, |(at, _)| at);
                let length = name(&text[first..]).len();
                let length = match text[first..].chars().next() {
                    Some(c) if length == 0 => c.len_utf8(),
                    _ => length,
                };
                let loc = statement.loc(at + first, at + first + length);
                let mut diagnostic = Diagnostic::new(Code::E1101, error.message.clone(), loc.span);
                if let Some(names) = error.closest_names() {
                    diagnostic = diagnostic.with_note(format!("closest: {names}"));
                }
                if !statement.is_written(at + first, at + first + length) {
                    diagnostic = diagnostic.with_note(format!("the line is `{text}`"));
                }
                self.report(diagnostic, loc);
            }
        }
    }

    /// The names in a line here.
    fn lookup<'a>(&'a self, line: &'a str, pretends: Pretends) -> Lookup<'a> {
        let (is_requested, readings) = (Cell::new(false), RefCell::default());
        let (symbols, here) = (&self.symbols, self.here());
        Lookup { symbols, here, line, pretends, is_requested, readings }
    }

    /// Keeps an instruction whose numbers are known later; returns whether the line can be such an instruction.
    fn deferred(&mut self, statement: &Statement, at: usize, all: bool) -> bool {
        let line = &statement.as_str()[at..];
        let found = Pretends::readings(all).find_map(|pretends| {
            let names = self.lookup(line, pretends);
            let assembled = self.engine.try_named(line, &names)?;
            (!assembled.has_fixups()).then(|| (assembled.inst, names.readings.into_inner()))
        });
        let Some((inst, readings)) = found else { return false };
        let loc = statement.loc(at, statement.as_str().len());
        self.note_line(loc);
        if self.is_without_bytes(loc) {
            return true;
        }
        readings.iter().for_each(|reading| self.mark_used(&reading.expr, loc));
        let here = self.here();
        self.lines.put(here);
        let (place, size, unit) = (here, self.engine.bytes_of(inst), self.unit);
        let set = self.engine.extensions();
        let deferred = Deferred { line: line.to_string(), readings, set, size };
        self.mark(Content::Code);
        let section = self.section_mut();
        section.align = section.align.max(unit);
        section.bytes.resize(section.bytes.len() + size, 0);
        section.fixups.push(Fixup { place, kind: FixupKind::Line(Box::new(deferred)), loc });
        true
    }

    /// Whether a line is an instruction with a shorter encoding than it names, and the assembler may use that encoding.
    pub(crate) fn has_shorter(&self, text: &str) -> bool {
        if self.options.exact {
            return false;
        }
        let names = self.lookup(text, Pretends::Nothing);
        let Some(assembled) = self.engine.try_named(text, &names) else { return false };
        match assembled.has_fixups() {
            true => self.engine.shorter(&assembled).is_some(),
            false => self.engine.shortest(assembled.inst) != assembled.inst,
        }
    }

    fn emit(
        &mut self,
        assembled: &Assembled,
        statement: &Statement,
        (at, exact): (usize, bool),
        has_names: bool,
    ) {
        let loc = statement.loc(at, statement.as_str().len());
        self.note_line(loc);
        let place = self.here();
        if self.is_without_bytes(loc) {
            return;
        }
        let unit = self.unit;
        self.lines.put(place);
        self.mark(Content::Code);
        let section = self.section_mut();
        section.align = section.align.max(unit);
        if !assembled.has_fixups() {
            let inst = match exact {
                true => assembled.inst,
                false => self.engine.shortest(assembled.inst),
            };
            let (bytes, length) = (self.engine.bytes(inst), self.engine.bytes_of(inst));
            self.section_mut().bytes.extend_from_slice(&bytes[..length]);
            if let Some(patch) = self.patch {
                let is_big = self.engine.isa().word_layout().is_big();
                let end = self.section().bytes.len();
                patch.apply(&mut self.section_mut().bytes[end - length..], is_big);
                return;
            }
            let is_whole = !statement.as_str()[..at].contains(':');
            if is_whole && !has_names {
                let age = self.age();
                self.memo.keep(statement.as_str(), &bytes[..length], age);
            }
            return;
        }
        let text = &statement.as_str()[at..];
        // Usually there is one value.
        let mut values = Vec::with_capacity(1);
        for fixup in self.engine.fixups(assembled) {
            let expression = &text[fixup.expression.clone()];
            let read = Reader::new(expression, &mut self.symbols.borrow_mut()).read();
            let Ok((expr, _)) = read else { continue };
            let expr = at_place(expr, place);
            mark_used(&expr, loc, &mut self.symbols.borrow_mut());
            values.push(expr);
        }
        let short = self.engine.shorter(assembled).filter(|_| !exact);
        let may_grow = !exact && self.relaxations.has(assembled.inst.opcode);
        let length = self.engine.bytes_of(assembled.inst);
        let bytes = self.engine.bytes(assembled.inst);
        let patch = self.patch;
        let section = self.section_mut();
        let long = |values| Encoded { assembled: *assembled, values, patch };
        let (chosen, next) = match short {
            None if !may_grow => {
                section.bytes.extend_from_slice(&bytes[..length]);
                section.fixups.push(Fixup { place, kind: FixupKind::Inst(long(values)), loc });
                return;
            }
            None => (long(values), None),
            Some(short) => (Encoded { assembled: short, values, patch }, Some(*assembled)),
        };
        let set = self.engine.extensions();
        let relaxed = Relaxed { chosen, next, over: None, may_grow, set, loc };
        self.section_mut().end_fragment(Tail::Relax(Box::new(relaxed)));
    }
}
