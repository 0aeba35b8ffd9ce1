//! Statements of `__DefEnvironment`.

use pest::iterators::Pair;

use super::build::Parts;
use super::guard::Guarded;
use super::{Context, Rule};
use crate::ast::{
    EnvironmentRegister, EnvironmentStatement, EnvironmentStatementKind, RegisterPart,
    RegisterRange,
};
use crate::diagnostic::Diagnostic;
use crate::suggest::nearest;

/// A statement of an environment.
pub(super) fn statement<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
    guard: Guarded<'s>,
) -> Result<EnvironmentStatement<'s>, Diagnostic> {
    let span = context.span(&pair);
    let rule = pair.as_rule();
    let mut parts = Parts::of(context, pair);
    let keyword = parts.ident()?;
    // A misspelt word was reported: the nearest counts.
    let is = |word: &str, other: &[&str]| {
        let known = [word].into_iter().chain(other.iter().copied());
        nearest(keyword.text, known).as_deref() == Some(word)
    };
    let kind = match rule {
        Rule::setting if is("Code", &["Trap"]) => EnvironmentStatementKind::Code(parts.ident()?),
        Rule::setting => EnvironmentStatementKind::Trap(parts.ident()?),
        Rule::one_register => {
            let role = match () {
                () if is("Number", &["Result", "Stack"]) => EnvironmentRegister::Number,
                () if is("Result", &["Number", "Stack"]) => EnvironmentRegister::Result,
                () => EnvironmentRegister::Stack,
            };
            EnvironmentStatementKind::Register(role, range(context, parts.take_one()?)?)
        }
        Rule::registers => EnvironmentStatementKind::Arguments(ranges(context, parts)?),
        Rule::composed => {
            let name = parts.ident()?;
            let parts = parts.map(|pair| part(context, pair)).collect::<Result<_, _>>()?;
            EnvironmentStatementKind::Composed { name, parts }
        }
        _ => {
            let (name, number) = (parts.ident()?, parts.int()?);
            match () {
                () if is("Initial", &["Counter", "Call"]) => {
                    EnvironmentStatementKind::Initial { name, value: number }
                }
                () if is("Counter", &["Initial", "Call"]) => {
                    EnvironmentStatementKind::Counter { name, step: number }
                }
                () => EnvironmentStatementKind::Call { name, number },
            }
        }
    };
    Ok(EnvironmentStatement { span, keyword, kind, guard })
}

fn ranges<'s>(
    context: &Context<'s>,
    parts: Parts<'_, 's>,
) -> Result<Vec<RegisterRange<'s>>, Diagnostic> {
    parts.map(|pair| range(context, pair)).collect()
}

fn part<'s>(context: &Context<'s>, pair: Pair<'s, Rule>) -> Result<RegisterPart<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    let range = range(context, parts.take_one()?)?;
    let Some(bits) = parts.next() else { return Ok(RegisterPart { range, bits: None }) };
    let mut bits = Parts::of(context, bits);
    let high = bits.int()?;
    let low = bits.next().map(|pair| context.int(&pair)).transpose()?;
    Ok(RegisterPart { range, bits: Some((high, low.unwrap_or(high))) })
}

fn range<'s>(context: &Context<'s>, pair: Pair<'s, Rule>) -> Result<RegisterRange<'s>, Diagnostic> {
    let span = context.locate(pair.as_str().trim_end());
    let mut parts = Parts::of(context, pair);
    let file = parts.ident()?;
    let first = parts.next().map(|pair| context.int(&pair)).transpose()?;
    let last = parts.next().map(|pair| context.int(&pair)).transpose()?;
    Ok(RegisterRange { span, file, numbers: first.map(|first| (first, last.unwrap_or(first))) })
}
