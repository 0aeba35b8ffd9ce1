//! From pest's pairs to the formats of numbers, and the statements of immediates.

use pest::iterators::Pair;

use super::build::{Parts, refuse_second, string};
use super::expr::expr;
use super::{Context, Rule};
use crate::ast::{Ident, Immediate, Int, Number, NumberFormat, Relocation};
use crate::diagnostic::Diagnostic;

/// An immediate without statements.
pub(super) fn immediate<'s>(width: Int) -> Immediate<'s> {
    Immediate {
        width,
        number: None,
        either: None,
        print: None,
        scale: None,
        bias: None,
        value: None,
        canonical: None,
        except: None,
        relative: None,
        relocations: Vec::new(),
        digits: None,
        prefix: None,
    }
}

/// Adds a statement to an immediate.
pub(super) fn statement<'s>(
    context: &Context<'s>,
    ty: &mut Immediate<'s>,
    pair: Pair<'s, Rule>,
) -> Result<(), Diagnostic> {
    let rule = pair.as_rule();
    let mut parts = Parts::of(context, pair);
    let keyword = parts.ident()?;
    let given = match rule {
        Rule::number => ty.number.is_some(),
        Rule::print => ty.print.is_some(),
        Rule::scaling => scaling(ty, keyword).is_some(),
        Rule::computed => ty.value.is_some(),
        Rule::canonical => ty.canonical.is_some(),
        Rule::excepted => ty.except.is_some(),
        Rule::relative => ty.relative.is_some(),
        // There may be several.
        Rule::relocation => false,
        _ => ty.prefix.is_some(),
    };
    refuse_second(given, keyword)?;
    match rule {
        Rule::number => {
            ty.number = Some(number_format(context, parts.take_one()?)?);
            ty.either = parts.next().map(|pair| number_format(context, pair)).transpose()?;
        }
        Rule::print => ty.print = Some(parts.ident()?),
        Rule::scaling => *scaling(ty, keyword) = Some(parts.int()?),
        Rule::computed => ty.value = Some(Box::new(expr(parts.take_one()?, context)?)),
        Rule::canonical => ty.canonical = Some(parts.ident()?),
        Rule::excepted => ty.except = Some(expr(parts.take_one()?, context)?),
        Rule::relative => ty.relative = Some(Box::new(expr(parts.take_one()?, context)?)),
        Rule::relocation => ty.relocations.push(relocation(context, keyword, parts)?),
        _ => ty.prefix = Some(string(context, parts.take_one()?)),
    }
    Ok(())
}

/// The property that an integer statement sets.
fn scaling<'t>(ty: &'t mut Immediate<'_>, keyword: Ident<'_>) -> &'t mut Option<Int> {
    match keyword.text {
        "Bias" => &mut ty.bias,
        "Digits" => &mut ty.digits,
        _ => &mut ty.scale,
    }
}

/// A relocation, after its keyword.
fn relocation<'s>(
    context: &Context<'s>,
    keyword: Ident<'s>,
    mut parts: Parts<'_, 's>,
) -> Result<Relocation<'s>, Diagnostic> {
    let first = parts.take_one()?;
    let (name, number) = match first.as_rule() {
        Rule::string => (Some(string(context, first)), parts.int()?),
        _ => (None, context.int(&first)?),
    };
    let mut next = parts.next();
    let of = match next.take() {
        Some(pair) if pair.as_rule() == Rule::string => {
            next = parts.next();
            Some(string(context, pair))
        }
        other => {
            next = other;
            None
        }
    };
    let value = next.map(|pair| expr(pair, context)).transpose()?;
    Ok(Relocation { keyword, name, number, of, value })
}

pub(super) fn number_format<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<NumberFormat, Diagnostic> {
    let span = context.span(&pair);
    let mut format = NumberFormat { span, number: Number::Unsigned, lanes: Int { value: 1, span } };
    for pair in Parts::of(context, pair) {
        match pair.as_rule() {
            Rule::unsigned => format.number = Number::Unsigned,
            Rule::signed => format.number = Number::Signed,
            Rule::lanes => format.lanes = Parts::of(context, pair).int()?,
            _ => {
                let mut parts = Parts::of(context, pair);
                format.number = Number::Float { exponent: parts.int()?, fraction: parts.int()? };
            }
        }
    }
    Ok(format)
}
