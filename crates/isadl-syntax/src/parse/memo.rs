//! Caches parse results of the statements in a file: many statements recur in many definitions.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use pest::iterators::Pair;

use super::{Context, Rule};
use crate::ast::Ident;
use crate::diagnostic::Diagnostic;

/// Limit on the cached statements; recurring statements are mostly among the first.
const MAX_KEPT: usize = 1 << 13;

/// A statement as it was read, and the place where: bytes from the start of the file.
type Read<'s> = (u32, Pair<'s, Rule>);

/// Statements of one file that were parsed before.
#[derive(Default)]
pub(super) struct Memo<'s> {
    known: RefCell<HashMap<(Rule, &'s str), Read<'s>>>,
    /// Distance from the cached statement to the statement being built; wraps if the latter comes first.
    shift: Cell<u32>,
}

impl Memo<'_> {
    /// The file position for a position in the pairs that are being built.
    pub(super) fn shifted(&self, place: usize) -> u32 {
        (place as u32).wrapping_add(self.shift.get())
    }
}

impl<'s> Context<'s> {
    /// Parses a statement by a rule and builds something of it, by nothing but the pair.
    pub(super) fn build<T>(
        &self,
        rule: Rule,
        text: Ident<'s>,
        build: impl FnOnce(Pair<'s, Rule>) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        // A caller that asks for tokens wants the tokens of every statement.
        if self.pieces.is_some() {
            return build(self.run(rule, text)?);
        }
        let known = self.memo.known.borrow().get(&(rule, text.text)).cloned();
        let Some((first, pair)) = known else {
            let pair = self.run(rule, text)?;
            let mut known = self.memo.known.borrow_mut();
            if known.len() < MAX_KEPT {
                known.insert((rule, text.text), (text.span.start, pair.clone()));
            }
            drop(known);
            return build(pair);
        };
        self.memo.shift.set(text.span.start.wrapping_sub(first));
        let built = build(pair);
        self.memo.shift.set(0);
        built
    }
}

#[cfg(test)]
mod tests {
    use crate::ast::DefinitionKind;
    use crate::diagnostic::Diagnostics;
    use crate::source::{SourceMap, Span};

    #[test]
    fn a_statement_that_is_there_again_has_its_own_place() {
        let group = |name| {
            format!("__DefGroup {name} : []\n  __Encoding\n    field<0, 8> Code code == 7;\n")
        };
        let mut map = SourceMap::new();
        let whole = group("A") + &group("LONG") + "\n" + &group("B");
        map.add("first.isa", whole.clone().into_bytes());
        map.add("second.isa", (String::from("// Moved.\n") + &whole).into_bytes());
        let mut diagnostics = Diagnostics::default();
        let files = super::super::parse(&map, &mut diagnostics);
        let text = |span: Span| map.text(span);
        let mut places = Vec::new();
        for definition in files.iter().flat_map(|file| &file.definitions) {
            let DefinitionKind::Group(layer) = &definition.kind else { panic!("only groups") };
            let field = &layer.fields[0];
            assert_eq!(text(field.span), "field<0, 8> Code code == 7");
            assert_eq!((text(field.type_name.span), text(field.name.span)), ("Code", "code"));
            assert!(field.span.start > definition.header.start);
            places.push(field.span);
        }
        assert_eq!(places.len(), 6);
        assert!(places.is_sorted_by(|a, b| (a.file, a.start) < (b.file, b.start)));
    }
}
