//! Statements of `__Encoding` other than fields, and of `__Exception`.

use pest::iterators::Pair;

use super::build::{Parts, string, value};
use super::expr::expr;
use super::guard::Guarded;
use super::{Context, Rule};
use crate::ast::{
    self, Bits, Fix as FixedField, FixedTo, Match, Notation, Range, Reserved, ReservedKind,
    RuleScope, Treatment, Unstated,
};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn reserved<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
    guard: Guarded<'s>,
) -> Result<Reserved<'s>, Diagnostic> {
    let kind = match pair.as_rule() {
        Rule::fixed_bits => ReservedKind::Fixed,
        Rule::ignored_bits => ReservedKind::Ignored,
        _ => ReservedKind::Zero,
    };
    let span = context.locate(pair.as_str().trim_end());
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let bits = bits(context, &mut parts)?;
    let value = parts.find(|pair| pair.as_rule() == Rule::int);
    let value = value.map(|pair| context.int(&pair)).transpose()?;
    Ok(Reserved { span, kind, bits, value, guard })
}

/// Bits in angle or square brackets.
pub(super) fn bits<'s>(
    context: &Context<'s>,
    parts: &mut Parts<'_, 's>,
) -> Result<Bits, Diagnostic> {
    if !parts.is_next(Rule::open_bracket) {
        let (lsb, width) = (parts.int()?, parts.int()?);
        let notation = Notation::Angle { lsb, width };
        return Ok(Bits { span: lsb.span.to(width.span), notation });
    }
    let mut ranges: Vec<Range> = Vec::new();
    // A comma, or the bracket, is before each range.
    while !parts.is_next(Rule::close_bracket) {
        let pair = parts.take_one()?;
        let range = range(context, pair)?;
        let shared = |other: &&Range| {
            other.low.value <= range.high.value && range.low.value <= other.high.value
        };
        if let Some(first) = ranges.iter().find(shared) {
            let (low, high) =
                (range.low.value.max(first.low.value), range.high.value.min(first.high.value));
            let bits = match range.is_rising {
                _ if low == high => format!("bit {low}"),
                true => format!("bits {low}:{high}"),
                false => format!("bits {high}:{low}"),
            };
            let message = format!("{bits} given twice");
            return Err(Diagnostic::new(Code::E0418, message, range.span)
                .with_related(first.span, "first given here")
                .with_help("give each bit once, the most significant piece first"));
        }
        ranges.push(range);
    }
    let ends = ranges.first().zip(ranges.last());
    let span = ends.map_or(parts.span, |(first, last)| first.span.to(last.span));
    Ok(Bits { span, notation: Notation::Square(ranges) })
}

/// Two ends, or one bit.
fn range<'s>(context: &Context<'s>, pair: Pair<'s, Rule>) -> Result<Range, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    let first = parts.int()?;
    let last = parts.next().map_or(Ok(first), |pair| context.int(&pair))?;
    let is_rising = first.value < last.value;
    let (high, low) = if is_rising { (last, first) } else { (first, last) };
    Ok(Range { span: first.span.to(last.span), high, low, is_rising })
}

/// `Match = condition`, or `Match<"message"> = condition`
pub(super) fn condition<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
    guard: Guarded<'s>,
) -> Result<Match<'s>, Diagnostic> {
    let span = context.locate(pair.as_str().trim_end());
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let (first, second) = (parts.take_one()?, parts.next());
    let (message, condition) = match second {
        Some(condition) => (Some(string(context, first)), condition),
        None => (None, first),
    };
    Ok(Match { span, message, condition: expr(condition, context)?, guard })
}

/// A statement of `__Exception`, which begins with `keyword`.
pub(super) fn rule<'s>(
    context: &Context<'s>,
    keyword: &str,
    pair: Pair<'s, Rule>,
    guard: Guarded<'s>,
) -> Result<ast::Rule<'s>, Diagnostic> {
    let span = context.locate(pair.as_str().trim_end());
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let kind = parts.ident()?;
    let message = string(context, parts.take_one()?);
    let condition = expr(parts.take_one()?, context)?;
    let scope = match keyword {
        "AssemblerError" => RuleScope::Assembler,
        _ => RuleScope::Word,
    };
    Ok(ast::Rule { span, scope, kind, message, condition, guard })
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
) -> Result<FixedField<'s>, Diagnostic> {
    let span = context.locate(pair.as_str().trim_end());
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let name = parts.ident()?;
    parts.take_one()?;
    let value = fixed_to(context, parts.take_one()?)?;
    Ok(FixedField { span, name, value, guard })
}

/// The fixed value of a field: a value or an expression.
pub(super) fn fixed_to<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<FixedTo<'s>, Diagnostic> {
    Ok(match pair.as_rule() {
        Rule::expr => FixedTo::Computed(Box::new(expr(pair, context)?)),
        _ => FixedTo::Value(value(context, pair)?),
    })
}
