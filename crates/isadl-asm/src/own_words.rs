//! Directives with which an instruction set describes itself: extensions, other words for operands, bits of
//! instructions.

use isadl::diagnostic::Code;

use crate::assembler::Assembler;
use crate::expand::Statement;
use crate::sections::Patch;
use crate::text::{Text, is_name, name, parts};

impl Assembler<'_, '_> {
    /// `.alias name, text`: a name that stands for a text in instructions; `.alias name` forgets it.
    pub(crate) fn alias(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let given = parts(&text[start..]);
        let loc = statement.loc(start, text.len());
        self.changes += 1;
        match given.as_slice() {
            [(_, own)] if self.aliases.remove(&own.to_ascii_lowercase()).is_some() => {}
            [(_, own)] => {
                self.error(Code::E1103, loc, format!("`{own}` stands for nothing"));
            }
            [(_, own), (_, meaning)] if !own.is_empty() && name(own) == *own => {
                let meaning = self.aliases.get(&meaning.to_ascii_lowercase()).cloned();
                let meaning = meaning.unwrap_or_else(|| given[1].1.to_string());
                self.aliases.insert(own.to_ascii_lowercase(), meaning);
            }
            _ => self.error(Code::E1102, loc, "expected a name and a text"),
        }
    }

    /// A statement with the texts that names in it stand for, if there are any. `at` is where its operands begin.
    pub(crate) fn without_aliases(&self, statement: &Statement, at: usize) -> Option<Statement> {
        if self.aliases.is_empty() {
            return None;
        }
        let text = statement.as_str();
        let loc = statement.loc(0, text.len());
        let mut made = Text::made(loc.site.unwrap_or(loc.span));
        made.begin(loc.span);
        let (mut from, mut next, mut is_changed) = (0, at, false);
        let written = |from: usize, to: usize| {
            statement.text.written(statement.start + from, statement.start + to)
        };
        while next < text.len() {
            let word = name(&text[next..]);
            let before = next.checked_sub(1).map(|before| text.as_bytes()[before]);
            if word.is_empty() || before.is_some_and(is_name) {
                next += text[next..].chars().next().map_or(1, char::len_utf8);
                continue;
            }
            // A dot ends the name of a register: `v.4s`.
            let own = word.split_once('.').map_or(word, |(own, _)| own);
            if let Some(meaning) = self.aliases.get(&own.to_ascii_lowercase()) {
                made.put(&text[from..next], written(from, next));
                made.put(meaning, None);
                from = next + own.len();
                is_changed = true;
            }
            next += word.len();
        }
        if !is_changed {
            return None;
        }
        made.put(&text[from..], written(from, text.len()));
        let end = made.text.len();
        Some(Statement { text: made.into(), start: 0, end })
    }

    /// `.patch mask, value, instruction`: an instruction whose bits of the mask are those of the value.
    pub(crate) fn patch(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let given = parts(&text[start..]);
        let loc = statement.loc(start, text.len());
        let [mask, value, (at, _), ..] = given.as_slice() else {
            return self.error(Code::E1102, loc, "expected a mask, a value and an instruction");
        };
        let mut numbers = [0; 2];
        for (number, (at, _)) in numbers.iter_mut().zip([mask, value]) {
            let Some((expr, _)) = self.expression(statement, start + at) else { return };
            let Some(found) = self.number_of(&expr, loc) else { return };
            *number = found as u64;
        }
        self.patch = Some(Patch { mask: numbers[0], value: numbers[1] });
        self.instruction(statement, start + at, true);
        self.patch = None;
    }

    /// `.extensions +NAME, -NAME`, `push` and `pop`, or the name of an architecture.
    pub(crate) fn extensions(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        for (at, part) in parts(&text[start..]) {
            let loc = statement.loc(start + at, start + at + part.len());
            let own = self.engine.extensions();
            let is_name = !part.is_empty() && !part.starts_with(['+', '-']);
            if is_name && !matches!(part, "push" | "pop") && self.go_to_architecture(part, loc) {
                continue;
            }
            let set = match (part, part.split_at_checked(1)) {
                ("push", _) => {
                    self.sets.push(own);
                    continue;
                }
                ("pop", _) => self.sets.pop(),
                (_, Some(("+", name))) => self.extensions_named(name).map(|set| own | set),
                (_, Some(("-", name))) => self.extension_named(name).map(|bit| own & !bit),
                _ => None,
            };
            let is_unknown = part.len() > 1 && part.starts_with(['+', '-']);
            match set {
                None if is_unknown && self.is_without_instructions(&part[1..]) => {}
                None if is_unknown => {
                    let message = format!("the extension `{}` is not described", &part[1..]);
                    self.warn_once(Code::W1109, loc, message);
                }
                Some(set) => {
                    self.engine = self.engine.clone().with_extensions(set);
                    self.changes += 1;
                }
                None => {
                    let message = format!("`{part}` is not a change of extensions");
                    self.error(Code::E1102, loc, message);
                }
            }
        }
    }
}
