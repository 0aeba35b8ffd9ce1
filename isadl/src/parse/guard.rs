//! Guards: `@[A, B..C]` after a header or statement.
//!
//! They are cut off before the header or statement is parsed, so that its grammar rule does not have
//! to include them.

use super::split::trimmed;
use super::{Context, Rule, build};
use crate::ast::{Guard, Ident};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// A guard, if there is one.
pub(super) type Guarded<'s> = Option<Box<Guard<'s>>>;

impl<'s> Context<'s> {
    /// A text without the guard at its end, and the guard.
    pub(super) fn guarded(&self, text: Ident<'s>) -> Result<(Ident<'s>, Guarded<'s>), Diagnostic> {
        let Some(at) = start(text.text) else { return Ok((text, None)) };
        let (before, guard) = text.text.split_at(at);
        let middle = text.span.start + at as u32;
        let before = trimmed(Ident { text: before, span: Span { end: middle, ..text.span } });
        let guard = Ident { text: guard, span: Span { start: middle, ..text.span } };
        let pair = self.run(Rule::guard, guard)?;
        Ok((before, Some(Box::new(build::guard(self, guard.span, pair)?))))
    }
}

/// The start of the guard at the end of a text. A quoted string does not end with a bracket.
fn start(text: &str) -> Option<usize> {
    if !text.ends_with(']') {
        return None;
    }
    let at = text.rfind('@')?;
    (!text[at..].contains('"')).then_some(at)
}
