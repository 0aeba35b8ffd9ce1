//! Entries of operand types.

use pest::iterators::Pair;

use super::build::{Parts, string};
use super::{Context, Rule};
use crate::ast::*;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use isadl_base::vocabulary::LITERAL;

pub(super) fn operand_entry<'s>(
    context: &Context<'s>,
    span: Span,
    pair: Pair<'s, Rule>,
) -> Result<OperandEntry<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    let meaning = parts.take_one()?;
    let meaning = match meaning.as_rule() {
        Rule::constant => constant(context, meaning)?,
        _ => named(context, meaning)?,
    };
    let value = parts.int()?;
    let mut entry = OperandEntry {
        span,
        meaning,
        value,
        file: None,
        spelling: None,
        also: Vec::new(),
        align: None,
        classes: Vec::new(),
        guard: None,
    };
    for pair in parts {
        match pair.as_rule() {
            Rule::align => entry.align = Some(Parts::of(context, pair).int()?),
            Rule::string => entry.spelling = Some(string(context, pair)),
            Rule::also_names => {
                entry.also = Parts::of(context, pair)
                    .map(|pair| named(context, pair))
                    .collect::<Result<_, _>>()?;
            }
            Rule::classes => {
                entry.classes = Parts::of(context, pair).map(|pair| context.ident(&pair)).collect();
            }
            _ => {
                let mut parts = Parts::of(context, pair);
                let file = parts.ident()?;
                let role = parts.next().map(|pair| register_role(context, pair)).transpose()?;
                add_file(&mut entry, file, role)?;
            }
        }
    }
    Ok(entry)
}

fn constant<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<OperandMeaning<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    let first = parts.take_one()?;
    if first.as_rule() == Rule::float {
        return Ok(OperandMeaning::Float(context.ident(&first)));
    }
    let first = context.int(&first)?;
    let last = parts.next().map_or(Ok(first), |pair| context.int(&pair))?;
    Ok(OperandMeaning::Integers { first, last })
}

fn named<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<OperandMeaning<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    let name = parts.ident()?;
    let Some(run) = parts.next() else {
        return Ok(match name.text {
            LITERAL => OperandMeaning::Literal(name),
            _ => OperandMeaning::Named { name, role: None },
        });
    };
    let mut parts = Parts::of(context, run);
    let (first, last) = (parts.int()?, parts.int()?);
    let step = parts.next().map(|pair| context.int(&pair)).transpose()?;
    Ok(OperandMeaning::Run { name, first, last, step, registers: None })
}

fn register_role<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<(RegisterRole, Span), Diagnostic> {
    let span = context.span(&pair);
    let mut parts = Parts::of(context, pair);
    let part = parts.take_one()?;
    let role = match (part.as_rule(), part.as_str()) {
        (Rule::int, _) => {
            let first = context.int(&part)?;
            match parts.next() {
                Some(last) => RegisterRole::Range(first, context.int(&last)?),
                None => RegisterRole::Index(first),
            }
        }
        (_, "zero") => RegisterRole::Zero,
        (_, "one") => RegisterRole::One,
        (_, word) => {
            return Err(Diagnostic::new(
                Code::E0101,
                format!("expected `zero`, `one` or `[number]`, found `{word}`"),
                span,
            )
            .with_suggestion(word, ["zero", "one"]));
        }
    };
    Ok((role, span))
}

/// Stores the part after the colon: for a name, the word `none` is not a
/// register file.
fn add_file<'s>(
    entry: &mut OperandEntry<'s>,
    file: Ident<'s>,
    given: Option<(RegisterRole, Span)>,
) -> Result<(), Diagnostic> {
    let nothing = file.text == "none";
    match (&mut entry.meaning, given) {
        (OperandMeaning::Named { .. }, Some((_, span))) if nothing => {
            return Err(Diagnostic::new(Code::E0101, "`none` cannot have a role", span)
                .with_help("name a register file instead, or remove the role"));
        }
        (OperandMeaning::Run { registers, .. }, Some((RegisterRole::Range(first, last), _))) => {
            *registers = Some((first, last));
        }
        (OperandMeaning::Named { .. }, Some((RegisterRole::Range(..), span))) => {
            return Err(Diagnostic::new(
                Code::E0101,
                "one name is given to several registers",
                span,
            )
            .with_help("name a range of registers, such as `a[0..7]`, or write one number"));
        }
        (OperandMeaning::Named { role, .. }, _) if nothing => *role = Some(RegisterRole::Nothing),
        (OperandMeaning::Named { role, .. }, given) => *role = given.map(|(role, _)| role),
        (OperandMeaning::Run { .. }, Some((_, span))) => {
            return Err(Diagnostic::new(
                Code::E0101,
                "a range of registers cannot have a role",
                span,
            )
            .with_help("write a separate statement for the register"));
        }
        // Anything after a constant is wrong, which is reported when it is resolved.
        _ => {}
    }
    let is_constant =
        matches!(entry.meaning, OperandMeaning::Integers { .. } | OperandMeaning::Float(_));
    entry.file = Some(file).filter(|_| !nothing || is_constant);
    Ok(())
}
