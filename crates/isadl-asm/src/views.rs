//! Views of `.loc`: how many statements of the source were before at the same address.
//!
//! No other part of `.loc` is kept. Debuggers use these numbers, which gcc writes into its own tables, to distinguish
//! locations at the same address.

use crate::assembler::Assembler;
use crate::expand::Statement;
use crate::expr::{Expr, Op};
use crate::sections::Tail;
use crate::symbols::{Definition, FragmentOffset};
use crate::text::name;

impl Assembler<'_, '_> {
    /// `.loc file line column … view symbol`
    pub(crate) fn loc(&mut self, statement: &Statement, start: usize) {
        let here = self.here();
        let rest = &statement.as_str()[start..];
        let asked = rest.find("view ").map(|at| rest[at + "view ".len()..].trim());
        let before = match asked.is_some_and(|asked| asked.starts_with("-0")) {
            true => None,
            false => self.views.remove(&self.current),
        };
        let view = before.map_or(Expr::Number(0), |(place, view)| self.view(place, here, view));
        self.views.insert(self.current, (here, view.clone()));
        let word = name(asked.unwrap_or_default());
        if word.is_empty() || word.as_bytes()[0].is_ascii_digit() {
            return;
        }
        let mut symbols = self.symbols.borrow_mut();
        let id = symbols.intern(word);
        let symbol = symbols.get_mut(id);
        if symbol.is_defined() {
            let before = symbol.loc;
            drop(symbols);
            let loc = statement.loc(0, statement.as_str().len());
            self.defined_twice(word, loc, before);
            return;
        }
        symbol.definition = Definition::Value(view, false);
        symbol.loc = Some(statement.loc(0, statement.as_str().len()));
    }

    /// The view of a location, given the previous location and its view.
    fn view(&self, before: FragmentOffset, here: FragmentOffset, view: Expr) -> Expr {
        let next = match view {
            Expr::Number(number) => Expr::Number(number + 1),
            // It already depends on gaps; further views at the same address are not distinguished.
            _ => Expr::Number(1),
        };
        if before == here {
            return next;
        }
        let section = self.section();
        let between = before.fragment as usize..here.fragment as usize;
        let is_farther = |at: usize| {
            let has_bytes =
                section.length(at) > if at == between.start { before.offset.into() } else { 0 };
            has_bytes || matches!(section.fragments[at].tail, Tail::Relax(_) | Tail::Leb { .. })
        };
        if between.is_empty() || here.offset > 0 || between.clone().any(is_farther) {
            return Expr::Number(0);
        }
        // Alignment and space may have no bytes.
        let is_same = Expr::Binary(
            Op::Eq,
            Box::new((Expr::FragmentOffset(here), Expr::FragmentOffset(before))),
        );
        Expr::Binary(Op::Mul, Box::new((Expr::Unary(b'-', Box::new(is_same)), next)))
    }
}
