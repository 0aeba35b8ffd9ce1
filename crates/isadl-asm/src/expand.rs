//! Expansion: turns files, macros and repetitions into one sequence of statements. The caller, who knows the symbols,
//! decides conditions.
//!
//! The lines of a block are made one by one when they are read. Skipped lines therefore cost nothing, and only lines
//! that are read count against the limit.

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

use crate::body::{Argument, Body, Lines, Names};
use crate::macros::{Macro, Special, arguments, parameters_of, words};
use crate::text::{LineScanner, Loc, Text, name};

/// Limit on texts that are open at once.
const MAX_DEPTH: usize = 100;

/// Limit on the bytes of all expansions together; each statement of a file adds to it.
const MAX_EXPANDED: u64 = 1 << 28;

/// Limit on the bytes of expansions per statement of a file; honest macros need far less.
const EXPANDED_OF_STATEMENT: u64 = 1 << 16;

/// Limit on the bytes of a line of an expansion.
const MAX_LINE: u64 = 1 << 20;

/// The cost of an expanded statement besides its bytes.
const OVERHEAD: u64 = 16;

/// Limit on the repetitions of one `.rept`.
const MAX_REPEATS: u64 = 1 << 24;

/// Directives that begin repetitions.
const REPETITIONS: &[&str] = &[".rept", ".rep", ".irp", ".irpc", ".irep", ".irepc"];

/// Directives that begin macros.
pub(crate) const MACROS: &[&str] = &[".macro", ".fallback", ".special"];

/// A statement: its text without labels is read by the caller.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) text: Rc<Text>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Statement {
    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        &self.text.text[self.start..self.end]
    }

    /// Whether a part of it is written in a file of the user.
    pub(crate) fn is_written(&self, start: usize, end: usize) -> bool {
        self.text.written(self.start + start, self.start + end).is_some()
    }

    /// The place of a part of it, in bytes.
    #[inline]
    pub(crate) fn loc(&self, start: usize, end: usize) -> Loc {
        self.text.loc(self.start + start, self.start + end)
    }
}

/// An error in a block or call, and its location.
pub(crate) struct Fault {
    pub(crate) loc: Loc,
    pub(crate) message: String,
    pub(crate) kind: FaultKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Syntax,
    Block,
    Limit,
}

/// The action at the end of a block.
#[derive(Debug)]
enum Again {
    No,
    /// The block is read this many times more.
    Times(u64),
    /// The block is read with each of these values of its parameter.
    Values(Vec<Argument>),
}

/// A block that is being read: its lines are made one by one.
#[derive(Debug)]
struct Block {
    body: Rc<Body>,
    values: Vec<Argument>,
    /// Which call it is.
    number: u64,
    /// The line that is made next.
    next: usize,
    again: Again,
    is_macro: bool,
    /// The statement that called for it, in the file of the user.
    site: isadl::source::Span,
}

#[derive(Debug)]
struct Frame {
    /// The file, or the line of the block that is read.
    text: Rc<Text>,
    at: usize,
    block: Option<Block>,
    /// How many conditions were open before it.
    conditions: usize,
}

/// A condition that is open.
#[derive(Debug)]
struct Condition {
    /// Whether its statements are read.
    is_active: bool,
    /// Whether a part of it was.
    was_active: bool,
    /// Whether the statements around it are.
    is_outer: bool,
    has_else: bool,
    loc: Loc,
}

/// The macros of a name.
#[derive(Debug, Default)]
struct Meaning {
    own: Option<Rc<Macro>>,
    /// For lines that are not instructions.
    fallback: Option<Rc<Macro>>,
    /// For some lines of the name.
    special: Vec<(Special, Rc<Macro>)>,
}

/// Produces statements one by one.
pub(crate) struct Expander {
    scanner: LineScanner,
    frames: Vec<Frame>,
    conditions: Vec<Condition>,
    macros: HashMap<String, Meaning, RandomState>,
    /// How often macros were defined or forgotten.
    changes: u64,
    calls: u64,
    /// How many of the calls were of macros whose lines depend on their number.
    numbered: u64,
    /// Bytes that expansions may still have.
    left: u64,
    /// Whether macros are read as after `.altmacro`.
    pub(crate) is_alternate: bool,
}

impl Expander {
    pub(crate) fn new(scanner: LineScanner) -> Expander {
        Expander {
            scanner,
            frames: Vec::new(),
            conditions: Vec::new(),
            macros: HashMap::default(),
            changes: 0,
            calls: 0,
            numbered: 0,
            left: MAX_EXPANDED,
            is_alternate: false,
        }
    }

    pub(crate) fn scanner(&self) -> &LineScanner {
        &self.scanner
    }

    /// Reads a text next.
    pub(crate) fn open(&mut self, text: Text, loc: Option<Loc>) -> Result<(), Fault> {
        let unclosed = text.unclosed.map(|at| text.loc(at, at + 2));
        self.push(Rc::new(text), None, loc)?;
        match unclosed {
            Some(loc) => {
                let message = "this comment is not closed".to_string();
                Err(Fault { loc, message, kind: FaultKind::Block })
            }
            None => Ok(()),
        }
    }

    fn push(
        &mut self,
        text: Rc<Text>,
        block: Option<Block>,
        loc: Option<Loc>,
    ) -> Result<(), Fault> {
        if let Some(loc) = loc.filter(|_| self.frames.len() >= MAX_DEPTH) {
            let message = format!("more than {MAX_DEPTH} files, macros and repetitions are open");
            return Err(Fault { loc, message, kind: FaultKind::Limit });
        }
        let conditions = self.conditions.len();
        self.frames.push(Frame { text, at: 0, block, conditions });
        Ok(())
    }

    /// Reads a block next, with these values of its parameters.
    fn push_block(
        &mut self,
        body: Rc<Body>,
        (values, again, is_macro): (Vec<Argument>, Again, bool),
        loc: Loc,
    ) -> Result<(), Fault> {
        let number = self.calls;
        self.calls += u64::from(is_macro);
        self.numbered += u64::from(body.has_number());
        let site = loc.site.unwrap_or(loc.span);
        let block = Block { body, values, number, next: 0, again, is_macro, site };
        self.push(Rc::new(Text::made(site)), Some(block), Some(loc))
    }

    /// Drops everything that is not read yet.
    pub(crate) fn stop(&mut self) {
        self.frames.clear();
        self.conditions.clear();
    }

    /// The next statement of any kind; skips blank statements.
    pub(crate) fn next(&mut self, faults: &mut Vec<Fault>) -> Option<Statement> {
        loop {
            if self.left == 0 {
                let message = "macros and repetitions produce too much text".to_string();
                let loc = self.frames.last().map(|frame| frame.text.loc(0, 0));
                let fault = loc.map(|loc| Fault { loc, message, kind: FaultKind::Limit });
                faults.extend(fault);
                self.stop();
                return None;
            }
            let Some(statement) = self.raw() else {
                if !self.end_text(faults) {
                    return None;
                }
                continue;
            };
            return Some(statement);
        }
    }

    /// The next statement of the text that is read; `None` at its end.
    fn raw(&mut self) -> Option<Statement> {
        let is_active = self.is_active();
        let frame = self.frames.last_mut()?;
        loop {
            let bytes = frame.text.text.as_bytes();
            while frame.at < bytes.len() {
                let (end, next) = self.scanner.statement(bytes, frame.at);
                let statement = trimmed(bytes, frame.at, end);
                frame.at = next;
                if let Some((start, end)) = statement {
                    if frame.block.is_none() {
                        let left = self.left.saturating_add(EXPANDED_OF_STATEMENT);
                        self.left = left;
                    }
                    return Some(Statement { text: frame.text.clone(), start, end });
                }
            }
            let block = frame.block.as_mut()?;
            let line = block.body.line_from(block.next, is_active)?;
            block.next = line + 1;
            let values = (block.values.as_slice(), block.number);
            block.body.make(line, values, (&mut frame.text, block.site));
            frame.at = 0;
            let length = frame.text.text.len() as u64;
            self.left = match length > MAX_LINE {
                true => 0,
                false => self.left.saturating_sub(length + OVERHEAD),
            };
            if self.left == 0 {
                return None;
            }
        }
    }

    /// Ends the text; returns whether there is another text.
    fn end_text(&mut self, faults: &mut Vec<Fault>) -> bool {
        let Some(mut frame) = self.frames.pop() else { return false };
        while self.conditions.len() > frame.conditions {
            if let Some(open) = self.conditions.pop() {
                let message = "this condition is not closed".to_string();
                faults.push(Fault { loc: open.loc, message, kind: FaultKind::Block });
            }
        }
        let Some(block) = &mut frame.block else { return true };
        let is_again = match &mut block.again {
            Again::No | Again::Times(0) => false,
            Again::Times(left) => {
                *left -= 1;
                true
            }
            Again::Values(values) => match values.pop() {
                Some(value) => {
                    block.values = vec![value];
                    true
                }
                None => false,
            },
        };
        if is_again {
            // An empty body is a statement, too.
            self.left = self.left.saturating_sub(OVERHEAD);
            block.next = 0;
            self.frames.push(frame);
        }
        true
    }

    /// Whether statements are read, or skipped by a condition.
    pub(crate) fn is_active(&self) -> bool {
        self.conditions.last().is_none_or(|condition| condition.is_active)
    }

    /// Whether the condition of an `.elseif` is asked for.
    pub(crate) fn asks_again(&self) -> bool {
        self.conditions.last().is_some_and(|last| last.is_outer && !last.was_active)
    }

    /// Opens a condition.
    pub(crate) fn begin_if(&mut self, loc: Loc, holds: bool) -> Result<(), Fault> {
        if self.conditions.len() > 10_000 {
            let message = "more than 10000 conditions are open".to_string();
            return Err(Fault { loc, message, kind: FaultKind::Limit });
        }
        let is_outer = self.is_active();
        let is_active = is_outer && holds;
        let condition =
            Condition { is_active, was_active: is_active, is_outer, has_else: false, loc };
        self.conditions.push(condition);
        Ok(())
    }

    /// Reads `.else`, or `.elseif` with the result of its condition.
    pub(crate) fn begin_else(&mut self, loc: Loc, condition: Option<bool>) -> Result<(), Fault> {
        let open = self.frames.last().map_or(0, |frame| frame.conditions);
        let last = self.conditions.get_mut(open..).and_then(|own| own.last_mut());
        let Some(last) = last.filter(|last| !last.has_else) else {
            let message = "this `.else` or `.elseif` has no open `.if`".to_string();
            return Err(Fault { loc, message, kind: FaultKind::Block });
        };
        last.has_else = condition.is_none();
        last.is_active = last.is_outer && !last.was_active && condition.unwrap_or(true);
        last.was_active |= last.is_active;
        Ok(())
    }

    /// `.endif`
    pub(crate) fn end_if(&mut self, loc: Loc) -> Result<(), Fault> {
        let open = self.frames.last().map_or(0, |frame| frame.conditions);
        if self.conditions.len() <= open {
            let message = "this `.endif` has no open `.if`".to_string();
            return Err(Fault { loc, message, kind: FaultKind::Block });
        }
        self.conditions.pop();
        Ok(())
    }

    /// How often macros were defined or forgotten.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// How many blocks were read whose lines depend on the number of their call.
    pub(crate) fn numbered(&self) -> u64 {
        self.numbered
    }

    /// How many texts are open.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The macro that a line calls. A macro for specific operands comes before the general macro of the name; the name
    /// is tried as written, then in lower case.
    pub(crate) fn find_macro(&self, name: &str, operands: &str) -> Option<Rc<Macro>> {
        let meaning = match self.macros.get(name) {
            Some(meaning) => Some(meaning),
            None if name.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                let lower = self.macros.get(name.to_ascii_lowercase().as_str());
                lower.filter(|meaning| meaning.own.is_none())
            }
            None => None,
        }?;
        let special = meaning.special.iter().find(|(special, _)| special.fits(operands));
        special.map(|(_, called)| called).or(meaning.own.as_ref()).cloned()
    }

    /// The macro of a name for lines that are not instructions.
    pub(crate) fn find_fallback(&self, name: &str) -> Option<Rc<Macro>> {
        self.macros.get(name)?.fallback.clone()
    }

    /// The names of macros.
    pub(crate) fn macro_names(&self) -> impl Iterator<Item = &str> {
        let own = self.macros.iter().filter(|(_, meaning)| meaning.own.is_some());
        own.map(|(name, _)| name.as_str())
    }

    pub(crate) fn forget_macro(&mut self, name: &str) -> bool {
        self.changes += 1;
        self.macros.get_mut(name).is_some_and(|meaning| meaning.own.take().is_some())
    }

    /// Takes the lines up to the end of a block that has begun.
    fn body(&mut self, loc: Loc, begins: &[&str], ends: &[&str]) -> Result<Lines, Fault> {
        let mut lines = Lines::default();
        let mut depth = 0;
        while let Some(statement) = self.raw() {
            let text = statement.as_str();
            let word = name(text);
            let is_one_of = |words: &[&str]| words.iter().any(|own| own.eq_ignore_ascii_case(word));
            if is_one_of(begins) {
                depth += 1;
            } else if is_one_of(ends) {
                if depth == 0 {
                    return Ok(lines);
                }
                depth -= 1;
            }
            lines.push(text, statement.loc(0, text.len()).span);
        }
        let message = format!("this block is not closed by `{}`", ends[0]);
        Err(Fault { loc, message, kind: FaultKind::Block })
    }

    /// `.macro name parameters`, `.fallback` and `.special` with the same, or `.special "text" name parameters`
    pub(crate) fn define(&mut self, statement: &Statement, rest: usize) -> Result<(), Fault> {
        let text = statement.as_str();
        let loc = statement.loc(0, text.len());
        let lines = self.body(loc, MACROS, &[".endm", ".endmacro"])?;
        let mut rest = &text[rest..];
        let is_special = text.starts_with(MACROS[2]);
        let mut special = None;
        if let Some((of, after)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'))
            && is_special
        {
            special = Some(Special::Text(of.to_string()));
            rest = after.trim_start();
        }
        let own = name(rest);
        let fault = |message: String| Fault { loc, message, kind: FaultKind::Syntax };
        if own.is_empty() {
            return Err(fault("expected the name of the macro".to_string()));
        }
        let parameters = rest[own.len()..].trim().trim_start_matches(',');
        let may_repeat = is_special && special.is_none();
        let parameters = parameters_of(parameters, may_repeat).map_err(fault)?;
        let special = if may_repeat { Special::of(&parameters) } else { special };
        let cut = match &special {
            Some(Special::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let names: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
        let body = Rc::new(Body::of(&lines, self.names(&names, true)));
        // Operands of instructions are separated by commas alone.
        let splits_blanks = text[..MACROS[0].len().min(text.len())].eq_ignore_ascii_case(MACROS[0]);
        let defined = Rc::new(Macro { parameters, body, splits_blanks, cut });
        if is_special && special.is_none() {
            let message = "expected a string in quotes, or a repeated parameter";
            return Err(fault(message.to_string()));
        }
        self.changes += 1;
        let meaning = self.macros.entry(own.to_string()).or_default();
        match special {
            Some(special) => {
                meaning.special.retain(|(other, _)| *other != special);
                meaning.special.push((special, defined));
            }
            None if text.starts_with(MACROS[1]) => meaning.fallback = Some(defined),
            None => meaning.own = Some(defined),
        }
        Ok(())
    }

    /// Passes over a macro in a part that is not read.
    pub(crate) fn skip_macro(&mut self, statement: &Statement) -> Result<(), Fault> {
        let loc = statement.loc(0, statement.as_str().len());
        self.body(loc, MACROS, &[".endm", ".endmacro"]).map(|_| ())
    }

    fn names<'n>(&self, parameters: &'n [&'n str], has_number: bool) -> Names<'n> {
        Names { parameters, has_number, is_alternate: self.is_alternate }
    }

    /// The arguments that follow in a call of a macro.
    pub(crate) fn arguments(
        &self,
        called: &Macro,
        statement: &Statement,
        (at, operands): (usize, usize),
    ) -> Result<Vec<Argument>, Fault> {
        let text = statement.as_str();
        let loc = statement.loc(at, text.len());
        let fault = |message: String| Fault { loc, message, kind: FaultKind::Syntax };
        let mut values = arguments(called, &text[operands..], self.is_alternate).map_err(fault)?;
        for value in &mut values {
            let (start, end) = (operands + value.place.0, operands + value.place.1);
            value.span = statement.text.written(statement.start + start, statement.start + end);
        }
        Ok(values)
    }

    /// Reads the body of a macro next, with the arguments that follow in its call.
    pub(crate) fn call(
        &mut self,
        called: &Macro,
        statement: &Statement,
        place: (usize, usize),
    ) -> Result<(), Fault> {
        let values = self.arguments(called, statement, place)?;
        self.enter(called, values, statement.loc(place.0, statement.as_str().len()), statement)
    }

    /// Reads the body of a macro next, with the arguments of a call.
    pub(crate) fn enter(
        &mut self,
        called: &Macro,
        values: Vec<Argument>,
        loc: Loc,
        statement: &Statement,
    ) -> Result<(), Fault> {
        let loc = Loc { span: loc.span, site: statement.text.site };
        self.push_block(called.body.clone(), (values, Again::No, true), loc)
    }

    /// `.exitm`: ends the macro that is read.
    pub(crate) fn exit_macro(&mut self) -> bool {
        let is_macro = |frame: &Frame| frame.block.as_ref().is_some_and(|block| block.is_macro);
        let Some(at) = self.frames.iter().rposition(is_macro) else { return false };
        self.conditions.truncate(self.frames[at].conditions);
        self.frames.truncate(at);
        true
    }

    /// `.rept count`
    pub(crate) fn repeat(&mut self, loc: Loc, count: u64) -> Result<(), Fault> {
        let lines = self.body(loc, REPETITIONS, &[".endr"])?;
        if count > MAX_REPEATS {
            let message = format!("{count} repetitions; at most {MAX_REPEATS} are possible");
            return Err(Fault { loc, message, kind: FaultKind::Limit });
        }
        if count == 0 {
            return Ok(());
        }
        let body = Rc::new(Body::of(&lines, self.names(&[], false)));
        self.push_block(body, (Vec::new(), Again::Times(count - 1), false), loc)
    }

    /// `.irp parameter, values` and `.irpc parameter, characters`
    pub(crate) fn repeat_with(
        &mut self,
        loc: Loc,
        text: &str,
        is_characters: bool,
    ) -> Result<(), Fault> {
        let lines = self.body(loc, REPETITIONS, &[".endr"])?;
        let parameter = name(text.trim_start_matches('\\'));
        if parameter.is_empty() {
            let message = "expected the name of the parameter".to_string();
            return Err(Fault { loc, message, kind: FaultKind::Syntax });
        }
        let rest = text.trim_start_matches('\\')[parameter.len()..].trim();
        let rest = rest.strip_prefix(',').unwrap_or(rest).trim();
        let mut values: Vec<Argument> = match is_characters {
            true => rest.trim_matches('"').chars().map(|c| Argument::of(c.to_string())).collect(),
            false => words(rest).into_iter().map(Argument::of).collect(),
        };
        values.reverse();
        // Without values, the lines are read once.
        let first = values.pop().unwrap_or_default();
        let body = Rc::new(Body::of(&lines, self.names(&[parameter], false)));
        self.push_block(body, (vec![first], Again::Values(values), false), loc)
    }
}

/// A part of a text without the blanks around it; `None` if there is nothing else.
fn trimmed(bytes: &[u8], mut start: usize, mut end: usize) -> Option<(usize, usize)> {
    while start < end && bytes[start].is_ascii_whitespace() {
        start += 1;
    }
    while start < end && bytes[end - 1].is_ascii_whitespace() {
        end -= 1;
    }
    (start < end).then_some((start, end))
}
