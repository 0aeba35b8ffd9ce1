//! Directives about what linkers make of names: versions, weak references, relocations.

use isadl::diagnostic::Code;

use crate::assembler::Assembler;
use crate::expand::Statement;
use crate::expr::Expr;
use crate::symbols::{Definition, SymbolId, Version};
use crate::text::{name, parts};

impl Assembler<'_, '_> {
    /// Reads a directive about names; returns whether it is such a directive.
    pub(crate) fn name_directive(
        &mut self,
        statement: &Statement,
        word: &str,
        start: usize,
    ) -> bool {
        match word {
            ".symver" => self.symver(statement, start),
            ".weakref" => self.weakref(statement, start),
            ".st_other" => self.st_other(statement, start),
            ".relocation" => self.relocation(statement, start),
            ".thread_local" => self.thread_local(statement, start),
            _ => return false,
        }
        true
    }

    /// `.symver name, name@VERSION`, and perhaps `local`, `hidden` or `remove`
    fn symver(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let given = parts(&text[start..]);
        let loc = statement.loc(start, text.len());
        let [(_, own), (_, versioned), rest @ ..] = given.as_slice() else {
            return self.error(Code::E1102, loc, "expected a name and a name with a version");
        };
        let own = own.trim_matches('"');
        let versioned = versioned.trim_matches('"');
        let is_right = versioned.split_once('@').is_some_and(|(before, after)| {
            !before.is_empty() && !after.trim_start_matches('@').is_empty()
        });
        if !is_right || own.is_empty() {
            return self.error(Code::E1102, loc, "expected a name and `name@VERSION`");
        }
        let keeps = match rest.first().map_or("", |rest| rest.1) {
            "" => Version::Alias,
            "remove" => Version::Renamed,
            "local" => Version::Local,
            "hidden" => Version::Hidden,
            other => {
                let message = format!("expected `local`, `hidden` or `remove`, found `{other}`");
                return self.error(Code::E1102, loc, message);
            }
        };
        let mut symbols = self.symbols.borrow_mut();
        let id = symbols.intern(own);
        symbols.versions.push((id, versioned.into(), keeps));
    }

    /// `.weakref alias, target`: names that only occur through aliases are weak.
    fn weakref(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let given = parts(&text[start..]);
        let loc = statement.loc(start, text.len());
        let [(_, alias), (_, target)] = given.as_slice() else {
            return self.error(Code::E1102, loc, "expected an alias and a name");
        };
        let mut symbols = self.symbols.borrow_mut();
        let (id, target) = (symbols.intern(alias), symbols.intern(target));
        let symbol = symbols.get_mut(id);
        if symbol.is_defined() && !symbol.is_weak_alias {
            let before = symbol.loc;
            drop(symbols);
            return self.defined_twice(alias, loc, before);
        }
        symbol.definition = Definition::Value(Expr::Symbol(target), false);
        (symbol.is_weak_alias, symbol.loc) = (true, Some(loc));
    }

    /// `.st_other name, bits`: what processors say of a symbol in ELF files besides its visibility.
    fn st_other(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let given = parts(&text[start..]);
        let loc = statement.loc(start, text.len());
        let [(_, own), (at, _)] = given.as_slice() else {
            return self.error(Code::E1102, loc, "expected a name and a number");
        };
        let Some((bits, _)) = self.expression(statement, start + at) else { return };
        let Some(bits) = self.number_of(&bits, loc) else { return };
        // The lowest two bits are the visibility.
        let Ok(bits) = u8::try_from(bits & !3) else {
            return self.error(Code::E1104, loc, format!("{bits} does not fit into 8 bits"));
        };
        let mut symbols = self.symbols.borrow_mut();
        let id: SymbolId = symbols.intern(own);
        symbols.get_mut(id).other |= bits;
        symbols.mark_used(id, loc);
    }

    /// `.relocation NAME, number`: a name for `.reloc`.
    fn relocation(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let given = parts(&text[start..]);
        let loc = statement.loc(start, text.len());
        let [(_, own), (at, _)] = given.as_slice() else {
            return self.error(Code::E1102, loc, "expected a name and a number");
        };
        let Some((number, _)) = self.expression(statement, start + at) else { return };
        let Some(number) = self.number_of(&number, loc) else { return };
        self.relocation_names.insert(own.to_string(), number as u32);
    }

    /// `.thread_local first, last`: relocations with these numbers are of thread-local symbols.
    fn thread_local(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let loc = statement.loc(start, text.len());
        let mut numbers = Vec::new();
        for (at, _) in parts(&text[start..]) {
            let Some((number, _)) = self.expression(statement, start + at) else { return };
            let Some(number) = self.number_of(&number, loc) else { return };
            numbers.push(number as u32);
        }
        let [first, last] = numbers.as_slice() else {
            return self.error(Code::E1102, loc, "expected the first and the last number");
        };
        self.thread_local.push(*first..=*last);
    }

    /// The number of a relocation, which may have a name; errors are reported.
    pub(crate) fn relocation_number(
        &mut self,
        statement: &Statement,
        (at, text): (usize, &str),
    ) -> Option<u32> {
        let loc = statement.loc(at, at + text.len());
        let own = name(text);
        // Names that mean the same for all machines.
        let general = own.strip_prefix("BFD_RELOC_").and_then(|bits| match bits {
            "NONE" => Some(0),
            bits => self.engine.isa().elf().relocation(&format!("abs{bits}")),
        });
        if let Some(number) = self.relocation_names.get(own).copied().or(general) {
            return Some(number);
        }
        if own.is_empty() || !own.as_bytes()[0].is_ascii_digit() {
            let message = format!("unknown relocation `{own}`");
            self.error(Code::E1102, loc, message);
            return None;
        }
        let (expr, _) = self.expression(statement, at)?;
        let number = self.number_of(&expr, loc)?;
        let Ok(number) = u32::try_from(number) else {
            self.error(Code::E1104, loc, format!("{number} is not the number of a relocation"));
            return None;
        };
        Some(number)
    }
}
