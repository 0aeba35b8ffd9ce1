//! Expansion: files, macros and repetitions to one sequence of statements. Conditions are decided by the
//! caller, who knows the symbols.

use std::collections::HashMap;
use std::rc::Rc;

use crate::macros::{Body, Macro, Special, arguments, parameters_of, substitute, unquoted, words};
use crate::text::{Loc, Signs, Text, name};

/// Most texts that are open at once.
const MAX_DEPTH: usize = 100;

/// Most bytes that expansions may have together.
const MAX_EXPANDED: usize = 1 << 28;

/// Most statements of expansions together.
const MAX_STATEMENTS: u64 = 1 << 24;

/// Most repetitions of one `.rept`.
const MAX_REPEATS: u64 = 1 << 24;

/// What begins macros.
pub(crate) const MACROS: &[&str] = &[".macro", ".fallback", ".special"];

/// A statement: its text without labels is read by the caller.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) text: Rc<Text>,
    pub(crate) line: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Statement {
    pub(crate) fn as_str(&self) -> &str {
        &self.text.text[self.start..self.end]
    }

    /// The place of a part of it, in bytes.
    pub(crate) fn loc(&self, start: usize, end: usize) -> Loc {
        self.text.loc(self.line, self.start + start, self.start + end)
    }
}

/// What is wrong with a block or call, and where.
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

/// What to do at the end of a text.
#[derive(Debug)]
enum Again {
    No,
    /// The text is read so many times more.
    Times(u64),
    /// The body is read with each of these values of a parameter.
    Values(Rc<Body>, String, Vec<String>),
}

#[derive(Debug)]
struct Frame {
    text: Rc<Text>,
    at: usize,
    line: usize,
    again: Again,
    is_macro: bool,
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

/// Gives statements one after another.
pub(crate) struct Expander {
    signs: Signs,
    frames: Vec<Frame>,
    conditions: Vec<Condition>,
    macros: HashMap<String, Rc<Macro>>,
    /// Macros for lines that are no instructions.
    fallbacks: HashMap<String, Rc<Macro>>,
    /// Macros for some lines of their names.
    specials: HashMap<String, Vec<(Special, Rc<Macro>)>>,
    calls: u64,
    expanded: usize,
    /// Statements that expansions may still have.
    left: u64,
}

impl Expander {
    pub(crate) fn new(signs: Signs) -> Expander {
        Expander {
            signs,
            frames: Vec::new(),
            conditions: Vec::new(),
            macros: HashMap::new(),
            fallbacks: HashMap::new(),
            specials: HashMap::new(),
            calls: 0,
            expanded: 0,
            left: MAX_STATEMENTS,
        }
    }

    pub(crate) fn signs(&self) -> &Signs {
        &self.signs
    }

    /// Reads a text next.
    pub(crate) fn open(&mut self, text: Text, loc: Option<Loc>) -> Result<(), Fault> {
        self.push(Rc::new(text), Again::No, false, loc)
    }

    fn push(
        &mut self,
        text: Rc<Text>,
        again: Again,
        is_macro: bool,
        loc: Option<Loc>,
    ) -> Result<(), Fault> {
        if let Some(loc) = loc.filter(|_| self.frames.len() >= MAX_DEPTH) {
            let message = format!("more than {MAX_DEPTH} files, macros and repetitions are open");
            return Err(Fault { loc, message, kind: FaultKind::Limit });
        }
        let conditions = self.conditions.len();
        self.frames.push(Frame { text, at: 0, line: 0, again, is_macro, conditions });
        Ok(())
    }

    /// Drops everything that is not read yet.
    pub(crate) fn stop(&mut self) {
        self.frames.clear();
        self.conditions.clear();
    }

    /// The next statement that is read, whatever it is; blank ones are left out.
    pub(crate) fn next(&mut self, faults: &mut Vec<Fault>) -> Option<Statement> {
        loop {
            if self.left == 0 || self.expanded > MAX_EXPANDED {
                let message = "macros and repetitions make too many statements".to_string();
                let loc = self.frames.last().map(|frame| frame.text.loc(frame.line, 0, 0));
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
        let frame = self.frames.last_mut()?;
        let bytes = frame.text.text.as_bytes();
        if !frame.text.is_exact() {
            self.left = self.left.saturating_sub(1);
        }
        while frame.at < bytes.len() {
            let (start, line) = (frame.at, frame.line);
            let (end, next, is_line) = self.signs.statement(bytes, start);
            frame.at = next;
            frame.line += usize::from(is_line);
            let first = bytes[start..end].iter().position(|byte| !byte.is_ascii_whitespace());
            if let Some(first) = first {
                let blank = bytes[..end].iter().rev();
                let after = blank.take_while(|byte| byte.is_ascii_whitespace()).count();
                let text = frame.text.clone();
                return Some(Statement { text, line, start: start + first, end: end - after });
            }
        }
        None
    }

    /// Ends the text; whether there is another one.
    fn end_text(&mut self, faults: &mut Vec<Fault>) -> bool {
        let Some(mut frame) = self.frames.pop() else { return false };
        while self.conditions.len() > frame.conditions {
            if let Some(open) = self.conditions.pop() {
                let message = "this condition is not closed".to_string();
                faults.push(Fault { loc: open.loc, message, kind: FaultKind::Block });
            }
        }
        match &mut frame.again {
            Again::No => {}
            Again::Times(0) => {}
            Again::Times(left) => {
                *left -= 1;
                (frame.at, frame.line) = (0, 0);
                self.frames.push(frame);
            }
            Again::Values(body, parameter, values) => {
                if let Some(value) = values.pop() {
                    let site = frame.text.site;
                    let text = substitute(&body.text, |name, out| {
                        let is_own = name == parameter;
                        if is_own {
                            out.push_str(&value);
                        }
                        is_own
                    });
                    self.expanded += text.len();
                    let first = body.lines.first().copied();
                    if let Some(site) = site.or(first) {
                        frame.text = Rc::new(Text::made(text, body.lines.clone(), site));
                    }
                    (frame.at, frame.line) = (0, 0);
                    self.frames.push(frame);
                }
            }
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

    /// `.else`, or `.elseif` with what its condition says.
    pub(crate) fn begin_else(&mut self, loc: Loc, condition: Option<bool>) -> Result<(), Fault> {
        let open = self.frames.last().map_or(0, |frame| frame.conditions);
        let last = self.conditions.get_mut(open..).and_then(|own| own.last_mut());
        let Some(last) = last.filter(|last| !last.has_else) else {
            let message = "there is no condition that this belongs to".to_string();
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
            let message = "there is no condition that this closes".to_string();
            return Err(Fault { loc, message, kind: FaultKind::Block });
        }
        self.conditions.pop();
        Ok(())
    }

    /// The macro of a name.
    pub(crate) fn find_macro(&self, name: &str) -> Option<&Rc<Macro>> {
        self.macros.get(name)
    }

    /// The macro of a name for lines that are no instructions.
    pub(crate) fn find_fallback(&self, name: &str) -> Option<&Rc<Macro>> {
        self.fallbacks.get(name)
    }

    /// The macro of a name, in small letters or as it is, for lines with such operands.
    pub(crate) fn find_special(&self, name: &str, operands: &str) -> Option<&Rc<Macro>> {
        if self.specials.is_empty() {
            return None;
        }
        let all = match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            false => self.specials.get(name),
            true => {
                let own = self.specials.get(name);
                own.or_else(|| self.specials.get(name.to_ascii_lowercase().as_str()))
            }
        }?;
        all.iter().find(|(special, _)| special.fits(operands)).map(|(_, called)| called)
    }

    /// The names of macros.
    pub(crate) fn macro_names(&self) -> impl Iterator<Item = &str> {
        self.macros.keys().map(String::as_str)
    }

    pub(crate) fn forget_macro(&mut self, name: &str) -> bool {
        self.macros.remove(name).is_some()
    }

    /// Takes the lines up to the end of a block that has begun.
    fn body(&mut self, loc: Loc, begins: &[&str], ends: &[&str]) -> Result<Body, Fault> {
        let mut body = Body::default();
        let mut depth = 0;
        while let Some(statement) = self.raw() {
            let text = statement.as_str();
            let word = name(text);
            if begins.contains(&word) {
                depth += 1;
            } else if ends.contains(&word) {
                if depth == 0 {
                    return Ok(body);
                }
                depth -= 1;
            }
            body.text.push_str(text);
            body.text.push('\n');
            body.lines.push(statement.loc(0, text.len()).span);
        }
        let message = format!("this block is not closed by `{}`", ends[0]);
        Err(Fault { loc, message, kind: FaultKind::Block })
    }

    /// `.macro name parameters`, `.fallback` and `.special` with the same, or `.special "text" name parameters`
    pub(crate) fn define(&mut self, statement: &Statement, rest: usize) -> Result<(), Fault> {
        let text = statement.as_str();
        let loc = statement.loc(0, text.len());
        let body = self.body(loc, MACROS, &[".endm", ".endmacro"])?;
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
        let defined = Rc::new(Macro { parameters, body, cut });
        let own = own.to_string();
        match special {
            Some(special) => {
                let all = self.specials.entry(own).or_default();
                all.retain(|(other, _)| *other != special);
                all.push((special, defined));
            }
            None if is_special => {
                let message = "expected a text in quotes, or a parameter that is there twice";
                return Err(fault(message.to_string()));
            }
            None if text.starts_with(MACROS[1]) => {
                self.fallbacks.insert(own, defined);
            }
            None => {
                self.macros.insert(own, defined);
            }
        }
        Ok(())
    }

    /// Passes over a macro in a part that is not read.
    pub(crate) fn skip_macro(&mut self, statement: &Statement) -> Result<(), Fault> {
        let loc = statement.loc(0, statement.as_str().len());
        self.body(loc, MACROS, &[".endm", ".endmacro"]).map(|_| ())
    }

    /// Reads the body of a macro next, with these arguments.
    pub(crate) fn call(&mut self, called: &Rc<Macro>, loc: Loc, text: &str) -> Result<(), Fault> {
        let fault = |message: String| Fault { loc, message, kind: FaultKind::Syntax };
        let values = arguments(called, text).map_err(fault)?;
        let number = self.calls;
        self.calls += 1;
        let parameters = &called.parameters;
        let text = substitute(&called.body.text, |name, out| {
            if name == "@" {
                out.push_str(&number.to_string());
                return true;
            }
            let found = parameters.iter().position(|parameter| parameter.name == name);
            found.is_some_and(|index| {
                out.push_str(&values[index]);
                true
            })
        });
        self.expanded += text.len();
        if self.expanded > MAX_EXPANDED {
            let message = "macros make more than 256 MiB of text".to_string();
            return Err(Fault { loc, message, kind: FaultKind::Limit });
        }
        let site = loc.site.unwrap_or(loc.span);
        let text = Rc::new(Text::made(text, called.body.lines.clone(), site));
        self.push(text, Again::No, true, Some(loc))
    }

    /// `.exitm`: ends the macro that is read.
    pub(crate) fn exit_macro(&mut self) -> bool {
        let Some(at) = self.frames.iter().rposition(|frame| frame.is_macro) else { return false };
        self.conditions.truncate(self.frames[at].conditions);
        self.frames.truncate(at);
        true
    }

    /// `.rept count`
    pub(crate) fn repeat(&mut self, loc: Loc, count: u64) -> Result<(), Fault> {
        let body = self.body(loc, &[".rept", ".irp", ".irpc"], &[".endr"])?;
        if count > MAX_REPEATS {
            let message = format!("{count} repetitions; at most {MAX_REPEATS} are possible");
            return Err(Fault { loc, message, kind: FaultKind::Limit });
        }
        if count == 0 {
            return Ok(());
        }
        self.expanded += body.text.len();
        let text = Text::made(body.text, body.lines, loc.site.unwrap_or(loc.span));
        self.push(Rc::new(text), Again::Times(count - 1), false, Some(loc))
    }

    /// `.irp parameter, values` and `.irpc parameter, characters`
    pub(crate) fn repeat_with(
        &mut self,
        loc: Loc,
        text: &str,
        is_characters: bool,
    ) -> Result<(), Fault> {
        let body = self.body(loc, &[".rept", ".irp", ".irpc"], &[".endr"])?;
        let parameter = name(text.trim_start_matches('\\'));
        if parameter.is_empty() {
            let message = "expected the name of the parameter".to_string();
            return Err(Fault { loc, message, kind: FaultKind::Syntax });
        }
        let rest = text.trim_start_matches('\\')[parameter.len()..].trim();
        let rest = rest.strip_prefix(',').unwrap_or(rest).trim();
        let mut values: Vec<String> = match is_characters {
            true => rest.trim_matches('"').chars().map(String::from).collect(),
            false => words(rest).into_iter().map(unquoted).collect(),
        };
        values.reverse();
        let text = Text::made(String::new(), Vec::new(), loc.site.unwrap_or(loc.span));
        let again = Again::Values(Rc::new(body), parameter.to_string(), values);
        self.push(Rc::new(text), again, false, Some(loc))
    }
}
