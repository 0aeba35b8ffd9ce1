//! Statements of `__Encoding` other than fields.

use pest::iterators::Pair;

use super::build::{Parts, value};
use super::guard::Guarded;
use super::{Context, Rule};
use crate::ast::{Fix, Reserved, ReservedKind, Treatment, Unstated};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn reserved<'s>(
    context: &Context<'s>,
    keyword: &str,
    pair: Pair<'s, Rule>,
    guard: Guarded<'s>,
) -> Result<Reserved<'s>, Diagnostic> {
    let span = context.locate(pair.as_str().trim_end());
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let kind = if keyword == "zero" { ReservedKind::Zero } else { ReservedKind::Ignored };
    Ok(Reserved { span, kind, lsb: parts.int()?, width: parts.int()?, guard })
}

pub(super) fn unstated<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
    guard: Guarded<'s>,
) -> Result<Unstated<'s>, Diagnostic> {
    let span = context.locate(pair.as_str().trim_end());
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let word = parts.ident()?;
    let treatment = match word.text {
        "warn" => Treatment::Warn,
        "zero" => Treatment::Zero,
        "ignored" => Treatment::Ignored,
        _ => {
            let message = format!("expected `warn`, `zero` or `ignored`, found `{}`", word.text);
            return Err(Diagnostic::new(Code::E0101, message, word.span)
                .with_suggestion(word.text, ["warn", "zero", "ignored"]));
        }
    };
    Ok(Unstated { span, treatment, guard })
}

pub(super) fn fix<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
    guard: Guarded<'s>,
) -> Result<Fix<'s>, Diagnostic> {
    let span = context.locate(pair.as_str().trim_end());
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let name = parts.ident()?;
    parts.take_one()?;
    let value = value(context, parts.take_one()?)?;
    Ok(Fix { span, name, value, guard })
}
