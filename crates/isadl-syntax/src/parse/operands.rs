//! From pest's pairs to the statements of `__OperandInfo` that list operands or texts.

use pest::iterators::Pair;

use super::build::{Parts, string, value};
use super::expr::expr;
use super::{Context, Rule};
use crate::ast::{
    Access, Expr, Ident, Indirect, Made, Match, Memory, Numbered, OperandRef, OperandStatementKind,
};
use crate::diagnostic::{Code, Diagnostic, Old};
use crate::source::Span;

pub(super) fn texts<'s>(
    context: &Context<'s>,
    keyword: &str,
    pair: Pair<'s, Rule>,
) -> Result<OperandStatementKind<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let texts: Vec<Ident<'s>> = parts.map(|pair| string(context, pair)).collect();
    match (keyword, texts.as_slice()) {
        ("Suffix", [suffix]) => Ok(OperandStatementKind::Suffix(*suffix)),
        ("Suffix", [_, second, ..]) => {
            Err(Diagnostic::new(Code::E0101, "`Suffix` takes a single text", second.span))
        }
        _ => Ok(OperandStatementKind::Mnemonic(texts)),
    }
}

/// `Print<never>`: its place.
pub(super) fn never<'s>(context: &Context<'s>, pair: Pair<'s, Rule>) -> Result<Span, Diagnostic> {
    let span = context.locate(pair.as_str().trim_end());
    let mut parts = Parts::of(context, pair);
    if parts.is_next(Rule::keyword) {
        parts.take_one()?;
    }
    let word = parts.ident()?;
    if word.text == "never" {
        return Ok(span);
    }
    let message = format!("expected `never`, found `{}`", word.text);
    Err(Diagnostic::new(Code::E0101, message, word.span).with_suggestion(word.text, ["never"]))
}

/// `Operand<name> = "…"`, `Operand<name> : type = expression` or `Modifier<name> = "…"`
pub(super) fn template<'s>(
    context: &Context<'s>,
    keyword: &str,
    pair: Pair<'s, Rule>,
) -> Result<OperandStatementKind<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let name = parts.ident()?;
    let pair = parts.take_one()?;
    if keyword == "Modifier" {
        let span = context.span(&pair);
        return match pair.as_rule() {
            Rule::string => Ok(OperandStatementKind::Modifier(name, string(context, pair))),
            _ => Err(Diagnostic::new(Code::E0101, "a modifier cannot be computed", span)
                .with_help("write its text with fields in braces, `= \"…{field}\"`")),
        };
    }
    let made = match pair.as_rule() {
        Rule::string => Made::Text(string(context, pair)),
        _ => Made::Computed {
            ty: context.ident(&pair),
            value: Box::new(expr(parts.take_one()?, context)?),
        },
    };
    Ok(OperandStatementKind::Template(name, made))
}

/// `Short<opcode> : field = value, …`
pub(super) fn short<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<OperandStatementKind<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    short_of(context, parts)
}

/// Parses the rest of a `Short` statement.
pub(super) fn short_of<'s>(
    context: &Context<'s>,
    mut parts: Parts<'_, 's>,
) -> Result<OperandStatementKind<'s>, Diagnostic> {
    let of = parts.ident()?;
    let item = |pair| {
        let mut parts = Parts::of(context, pair);
        Ok((parts.ident()?, value(context, parts.take_one()?)?))
    };
    let given = parts.map(item).collect::<Result<_, Diagnostic>>()?;
    Ok(OperandStatementKind::Short { of, given })
}

/// `Bitwidth<operand> = expression`
pub(super) fn width<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<OperandStatementKind<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    Ok(OperandStatementKind::Bitwidth(parts.ident()?, expr(parts.take_one()?, context)?))
}

/// `Loads<operand if condition> = expression` or `Stores<…>`
pub(super) fn memory<'s>(
    context: &Context<'s>,
    keyword: &str,
    pair: Pair<'s, Rule>,
) -> Result<OperandStatementKind<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let operand = parts.ident()?;
    let condition = condition(context, &mut parts)?;
    let width = expr(parts.take_one()?, context)?;
    let is_store = keyword == "Stores";
    Ok(OperandStatementKind::Memory(Box::new(Memory { is_store, operand, condition, width })))
}

/// The condition after `if`, if present.
fn condition<'s>(
    context: &Context<'s>,
    parts: &mut Parts<'_, 's>,
) -> Result<Option<Expr<'s>>, Diagnostic> {
    if !parts.is_next(Rule::when) {
        return Ok(None);
    }
    parts.take_one()?;
    Ok(Some(expr(parts.take_one()?, context)?))
}

/// `Reads` or `Writes`.
pub(super) fn use_list<'s>(
    context: &Context<'s>,
    keyword: &str,
    pair: Pair<'s, Rule>,
) -> Result<OperandStatementKind<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let item = |pair| {
        let mut parts = Parts::of(context, pair);
        let operand = operand_ref(context, parts.take_one()?)?;
        Ok(Access { operand, condition: condition(context, &mut parts)? })
    };
    let list = parts.map(item).collect::<Result<_, Diagnostic>>()?;
    Ok(match keyword {
        "Reads" => OperandStatementKind::Reads(list),
        _ => OperandStatementKind::Writes(list),
    })
}

/// The condition of a row, equivalent to `Match`.
pub(super) fn row_if<'s>(
    context: &Context<'s>,
    span: Span,
    pair: Pair<'s, Rule>,
) -> Result<Match<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let condition = expr(parts.take_one()?, context)?;
    Ok(Match { span, message: None, condition, guard: None })
}

/// `Order` in a row.
pub(super) fn row_order<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<OperandStatementKind<'s>, Diagnostic> {
    let parts = Parts::of(context, pair);
    let list = parts.map(|pair| operand_ref(context, pair)).collect::<Result<_, _>>()?;
    Ok(OperandStatementKind::Order(list))
}

pub(super) fn operand_list<'s>(
    context: &Context<'s>,
    keyword: &str,
    pair: Pair<'s, Rule>,
) -> Result<OperandStatementKind<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let mut list: Vec<_> =
        parts.map(|pair| operand_ref(context, pair)).collect::<Result<_, _>>()?;
    list.shrink_to_fit();
    Ok(match keyword {
        "InList" => OperandStatementKind::InList(list),
        "OutList" => OperandStatementKind::OutList(list),
        "Partial" => OperandStatementKind::Partial(list),
        _ => OperandStatementKind::Order(list),
    })
}

/// Parses `Operands`: all lists, and the widths that it gives.
pub(super) fn operands<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<Vec<OperandStatementKind<'s>>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let (mut inputs, mut outputs, mut order) = (Vec::new(), Vec::new(), Vec::new());
    let mut widths = Vec::new();
    for item in parts {
        let mut access = "";
        for pair in Parts::of(context, item) {
            match pair.as_rule() {
                Rule::access => access = pair.as_str(),
                Rule::operand_ref => order.push(operand_ref(context, pair)?),
                _ => match order.last() {
                    Some(OperandRef::Name(name)) => {
                        let width = expr(pair, context)?;
                        widths.push(OperandStatementKind::Bitwidth(*name, width));
                    }
                    other => {
                        let message = "an indirect operand cannot have a width";
                        let span = context.span(&pair);
                        let start = other.map_or(span.start, |operand| operand.span().end);
                        return Err(Diagnostic::new(Code::E0101, message, span).with_removal(
                            "remove the `:` and the width",
                            Old::Span(Span { start, ..span }),
                        ));
                    }
                },
            }
        }
        let Some(operand) = order.last() else { continue };
        if access.starts_with("in") {
            inputs.push(operand.clone());
        }
        if access.ends_with("out") {
            outputs.push(operand.clone());
        }
    }
    let lists = [
        OperandStatementKind::InList(inputs),
        OperandStatementKind::OutList(outputs),
        OperandStatementKind::Order(order),
    ];
    Ok(lists.into_iter().chain(widths).collect())
}

fn operand_ref<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<OperandRef<'s>, Diagnostic> {
    let span = context.span(&pair);
    let inner = Parts::of(context, pair).take_one()?;
    if !matches!(inner.as_rule(), Rule::indirect | Rule::numbered) {
        return Ok(OperandRef::Name(context.ident(&inner)));
    }
    let is_numbered = inner.as_rule() == Rule::numbered;
    let mut parts = Parts::of(context, inner);
    if is_numbered {
        let (file, number) = (parts.ident()?, parts.int()?);
        return Ok(OperandRef::Numbered(Box::new(Numbered { span, file, number })));
    }
    Ok(OperandRef::Indirect(Box::new(Indirect {
        span,
        prefix: parts.ident()?,
        base: parts.ident()?,
        offset: parts.next().map(|pair| context.ident(&pair)),
    })))
}
