//! Guards: `@[A, B..C]`, `@[A and (X or Y)]` after a header or statement.
//!
//! They are cut off before the header or statement is parsed, so that its grammar rule does not have
//! to include them.

use pest::iterators::Pair;

use super::build::Parts;
use super::split::trimmed;
use super::{Context, Rule};
use crate::ast::{Condition, Guard, GuardRange, Ident};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// An optional guard.
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
        Ok((before, Some(Box::new(self::guard(self, guard.span, pair)?))))
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

/// A guard.
pub(super) fn guard<'s>(
    context: &Context<'s>,
    span: Span,
    pair: Pair<'s, Rule>,
) -> Result<Guard<'s>, Diagnostic> {
    Ok(Guard { span, condition: condition(context, Parts::of(context, pair).take_one()?)? })
}

/// A condition on generations and extensions. The depth of nested parentheses was checked before.
pub(super) fn condition<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<Condition<'s>, Diagnostic> {
    let rule = pair.as_rule();
    if rule == Rule::guard_range {
        return Ok(Condition::Range(range(context, pair)));
    }
    let mut negations = 0usize;
    let mut list = Vec::new();
    for part in Parts::of(context, pair) {
        match part.as_rule() {
            Rule::not => negations += 1,
            Rule::guard_list | Rule::guard_any | Rule::guard_all | Rule::guard_term => {
                list.push(condition(context, part)?);
            }
            Rule::guard_range => list.push(condition(context, part)?),
            _ => {}
        }
    }
    let condition = match (list.pop(), list.is_empty()) {
        (Some(one), true) => one,
        (last, _) => {
            list.extend(last);
            if rule == Rule::guard_all { Condition::All(list) } else { Condition::Any(list) }
        }
    };
    Ok(if negations % 2 == 1 { Condition::Not(Box::new(condition)) } else { condition })
}

fn range<'s>(context: &Context<'s>, pair: Pair<'s, Rule>) -> GuardRange<'s> {
    let span = context.locate(pair.as_str().trim_end());
    let mut range = GuardRange { span, first: None, last: None };
    let mut has_dots = false;
    for part in Parts::of(context, pair) {
        match part.as_rule() {
            Rule::upto => has_dots = true,
            _ if has_dots => range.last = Some(context.ident(&part)),
            _ => range.first = Some(context.ident(&part)),
        }
    }
    if !has_dots {
        range.last = range.first;
    }
    range
}
