//! `.struct` and `.offset`: layouts of memory that is elsewhere. Labels are numbers there, and nothing is written.

use isadl::diagnostic::Code;

use crate::assembler::Assembler;
use crate::expand::Statement;
use crate::expr::Expr;
use crate::symbols::FragmentOffset;
use crate::text::{Loc, parts};
use crate::tree::with_here;
use crate::words::data_size;

impl Assembler<'_, '_> {
    /// Reads `.struct offset`, `.offset offset`, or a directive inside of a structure; returns whether it is one. A directive that
    /// goes to a section ends the structure.
    pub(crate) fn structure_directive(
        &mut self,
        statement: &Statement,
        (at, word): (usize, &str),
        start: usize,
    ) -> bool {
        let loc = statement.loc(at, statement.as_str().len());
        if matches!(word, ".struct" | ".offset") {
            let first = match start == statement.as_str().len() {
                true => Some(0),
                false => self.known_number(statement, start),
            };
            self.structure = first.or(Some(0));
            return true;
        }
        let Some(offset) = self.structure else { return false };
        let after = match word {
            ".text" | ".data" | ".bss" | ".rodata" | ".section" | ".pushsection"
            | ".subsection" => {
                self.structure = None;
                return false;
            }
            // The section before is still the one that statements go to.
            ".previous" | ".popsection" => {
                self.structure = None;
                return word == ".previous";
            }
            ".space" | ".skip" | ".zero" => {
                self.known_number(statement, start).and_then(|size| offset.checked_add(size))
            }
            ".org" => self.known_number(statement, start),
            ".balign" | ".align" | ".p2align" => self
                .known_number(statement, start)
                .and_then(|to| rounded(offset, to, word == ".balign")),
            word => match data_size(word) {
                Some(size) => self
                    .count_of_zeros(statement, start)
                    .and_then(|count| offset.checked_add(count * i64::from(size))),
                None => return false,
            },
        };
        match after {
            Some(after) => self.structure = Some(after),
            None => self.error(Code::E1104, loc, "expected a number of bytes"),
        }
        true
    }

    /// The number at a byte of a statement; errors are reported.
    fn known_number(&mut self, statement: &Statement, start: usize) -> Option<i64> {
        let (expr, end) = self.expression(statement, start)?;
        self.number_of(&expr, statement.loc(start, end))
    }

    /// How many numbers follow, all of them 0, which only leave room; errors are reported.
    fn count_of_zeros(&mut self, statement: &Statement, start: usize) -> Option<i64> {
        let given = parts(&statement.as_str()[start..]);
        for (at, part) in &given {
            if self.known_number(statement, start + at)? != 0 {
                let loc = statement.loc(start + at, start + at + part.len());
                self.error(Code::E1102, loc, "a structure has no values");
            }
        }
        Some(given.len() as i64)
    }

    /// Reports a directive that wrote something into the section before the structure.
    pub(crate) fn check_structure(&mut self, before: FragmentOffset, loc: Loc) {
        let here = self.here();
        if self.structure.is_some() && here.section == before.section && here != before {
            self.error(Code::E1102, loc, "a structure has no bytes");
        }
    }

    /// Reports an instruction inside of a structure; returns whether it is.
    pub(crate) fn is_in_structure(&mut self, loc: Loc) -> bool {
        let is_inside = self.structure.is_some();
        if is_inside {
            self.error(Code::E1102, loc, "a structure has no instructions");
        }
        is_inside
    }

    /// An expression in which the current place is a number, if a structure is read.
    pub(crate) fn in_structure(&self, expr: Expr) -> Expr {
        match self.structure {
            Some(offset) => with_here(expr, &Expr::Number(offset)),
            None => expr,
        }
    }
}

/// An offset, rounded up to an alignment.
fn rounded(offset: i64, to: i64, is_number: bool) -> Option<i64> {
    let to = match is_number {
        true => to.max(1),
        false => 1i64.checked_shl(u32::try_from(to).ok()?).filter(|to| *to > 0)?,
    };
    let is_power = to.count_ones() == 1;
    is_power.then(|| offset.checked_add(to - 1)).flatten().map(|offset| offset & -to)
}
