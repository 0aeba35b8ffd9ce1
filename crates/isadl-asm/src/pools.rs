//! Pools of literals: values that instructions load, which are after the code.

use isadl::diagnostic::Code;

use crate::assembler::Assembler;
use crate::expand::Statement;
use crate::expr::{Evaluator, Expr, Unplaced, at_place};
use crate::sections::{Content, Fixup, FixupKind, Literal};
use crate::symbols::Definition;
use crate::text::parts;

impl Assembler<'_, '_> {
    /// Reads `.literal name, size, value`: names a value in the pool of the section. Equal values are stored once.
    pub(crate) fn literal(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let loc = statement.loc(start, text.len());
        let given = parts(&text[start..]);
        let [(at, word), (_, size), (value, _)] = given.as_slice() else {
            self.error(Code::E1102, loc, "expected a name, a number of bytes, and a value");
            return;
        };
        let Some(size) = size.parse::<u8>().ok().filter(|size| matches!(size, 1 | 2 | 4 | 8))
        else {
            self.error(Code::E1102, loc, "a literal has 1, 2, 4 or 8 bytes");
            return;
        };
        let Some((expr, _)) = self.whole_expression(statement, start + value) else { return };
        let here = self.here();
        let expr = at_place(expr, here);
        let known = Evaluator::new(&self.symbols.borrow(), Unplaced, Some(here)).number(&expr);
        let expr = known.map_or(expr, Expr::Number);
        self.mark_used(&expr, loc);
        let pool = self.pools.entry(self.current).or_default();
        let same = pool.iter().find(|other| other.size == size && other.value == expr);
        let same = same.map(|other| other.symbol);
        let mut symbols = self.symbols.borrow_mut();
        let symbol = symbols.intern(word);
        if symbols.get(symbol).is_defined() {
            let before = symbols.get(symbol).loc;
            drop(symbols);
            self.defined_twice(word, statement.loc(start + at, start + at + word.len()), before);
            return;
        }
        match same {
            Some(same) => {
                let own = symbols.get_mut(symbol);
                own.definition = Definition::Value(Expr::Symbol(same), false);
                own.loc = Some(loc);
            }
            None => pool.push(Literal { symbol, size, value: expr, loc }),
        }
    }

    /// `.ltorg`: the literals of the section so far are here.
    pub(crate) fn put_pool(&mut self) {
        let Some(pool) = self.pools.remove(&self.current) else { return };
        for Literal { symbol, size, value, loc } in pool {
            self.align(size.into(), (Some((0, 1)), None), loc);
            if self.is_without_bytes(loc) {
                return;
            }
            self.mark(Content::Data);
            let here = self.here();
            let mut symbols = self.symbols.borrow_mut();
            let own = symbols.get_mut(symbol);
            if own.is_defined() {
                let (word, before) = (own.name.to_string(), own.loc);
                drop(symbols);
                self.defined_twice(&word, loc, before);
                continue;
            }
            (own.definition, own.loc) = (Definition::Label(here), Some(loc));
            drop(symbols);
            let bytes = &mut self.section_mut().bytes;
            bytes.resize(bytes.len() + usize::from(size), 0);
            let kind = FixupKind::Data(size, value);
            self.section_mut().fixups.push(Fixup { place: here, kind, loc });
        }
    }

    /// Appends the remaining pools to their sections.
    pub(crate) fn put_pools(&mut self) {
        for index in 0..self.sections.len() as u32 {
            self.current = index;
            self.put_pool();
        }
    }
}
