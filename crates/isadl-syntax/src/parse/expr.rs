//! Expressions: builds trees from pest's flat pairs, by precedence.
//!
//! Invariant: neither the number of operators nor the depth of a tree exceeds [`MAX_OPERATORS`], so that recursion can
//! walk and drop it.

use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::sync::LazyLock;

use super::{Context, Rule};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// The maximum nesting depth of parentheses in a statement.
pub const MAX_NESTING: usize = 64;

/// The maximum number of operators in an expression.
pub const MAX_OPERATORS: usize = 400;

/// From weakest to strongest; operators on one line have the same precedence and associate to the
/// left.
static PRECEDENCE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(left(Rule::or))
        .op(left(Rule::and))
        .op(Op::prefix(Rule::not))
        .op(left(Rule::eq)
            | left(Rule::ne)
            | left(Rule::lt)
            | left(Rule::le)
            | left(Rule::gt)
            | left(Rule::ge))
        .op(left(Rule::bit_or))
        .op(left(Rule::bit_xor))
        .op(left(Rule::bit_and))
        .op(left(Rule::shl) | left(Rule::shr))
        .op(left(Rule::add) | left(Rule::sub))
        .op(left(Rule::mul) | left(Rule::div) | left(Rule::rem))
        .op(Op::prefix(Rule::neg) | Op::prefix(Rule::bit_not))
});

/// Reports a statement whose parentheses nest too deeply for the parser.
pub(super) fn check_nesting(text: &str, span: Span) -> Option<Diagnostic> {
    if !text.contains('(') {
        return None;
    }
    let mut depth = 0usize;
    let mut quoted = false;
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            // A quote that is not closed does not extend beyond its line.
            b'\n' => quoted = false,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            let start = span.start + i as u32;
            return Some(too_deep(Span { start, end: start + 1, ..span }));
        }
    }
    None
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(Code::E0109, "expression is nested too deeply", span)
        .with_note(format!(
            "the limit is {MAX_NESTING} levels of parentheses and {MAX_OPERATORS} operators"
        ))
        .with_help("split the rule into several rules")
}

/// Builds the tree of an `expr` pair.
pub(super) fn expr<'s>(
    pair: Pair<'s, Rule>,
    context: &Context<'s>,
) -> Result<Expr<'s>, Diagnostic> {
    let operators = pair.clone().into_inner().flatten().filter(is_operator);
    if operators.count() > MAX_OPERATORS {
        return Err(too_deep(context.locate(pair.as_str().trim_end())));
    }
    tree(pair, context)
}

/// Whether a pair of an expression is an operator: neither operand nor parenthesis.
fn is_operator(pair: &Pair<'_, Rule>) -> bool {
    !matches!(
        pair.as_rule(),
        Rule::expr
            | Rule::open_paren
            | Rule::close_paren
            | Rule::comma
            | Rule::function
            | Rule::int
            | Rule::string
            | Rule::string_text
            | Rule::dotted
            | Rule::member
            | Rule::is
            | Rule::ident
    )
}

fn tree<'s>(pair: Pair<'s, Rule>, context: &Context<'s>) -> Result<Expr<'s>, Diagnostic> {
    let is_part =
        |pair: &Pair<'s, Rule>| !matches!(pair.as_rule(), Rule::open_paren | Rule::close_paren);
    PRECEDENCE
        .map_primary(|pair| primary(pair, context))
        .map_prefix(|op, operand| {
            let operand = operand?;
            let kind = match op.as_rule() {
                Rule::not => UnaryOp::Not,
                Rule::neg => UnaryOp::Neg,
                _ => UnaryOp::BitNot,
            };
            let span = context.span(&op).to(operand.span);
            Ok(Expr { span, kind: ExprKind::Unary(kind, Box::new(operand)) })
        })
        .map_infix(|left, op, right| {
            let (left, right) = (left?, right?);
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary(binary(op.as_rule()), Box::new(left), Box::new(right));
            Ok(Expr { span, kind })
        })
        .parse(pair.into_inner().filter(is_part))
}

fn primary<'s>(pair: Pair<'s, Rule>, context: &Context<'s>) -> Result<Expr<'s>, Diagnostic> {
    let span = context.span(&pair);
    let kind = match pair.as_rule() {
        Rule::expr => return tree(pair, context),
        Rule::int => ExprKind::Int(context.int(&pair)?.value),
        Rule::member => {
            let mut parts = pair.into_inner().filter(|pair| pair.as_rule() != Rule::is);
            let mut ident = || parts.next().map(|pair| context.ident(&pair));
            match (ident(), ident()) {
                (Some(field), Some(class)) => ExprKind::Is(field, class),
                _ => return Err(Diagnostic::new(Code::E0101, "expected `field is class`", span)),
            }
        }
        Rule::call => {
            let mut function = None;
            let mut arguments = Vec::new();
            for part in pair.into_inner() {
                match part.as_rule() {
                    Rule::function => function = Some(context.ident(&part)),
                    Rule::expr => arguments.push(tree(part, context)?),
                    _ => {}
                }
            }
            let missing = || Diagnostic::new(Code::E0101, "expected the name of a function", span);
            ExprKind::Call(function.ok_or_else(missing)?, arguments)
        }
        Rule::string => ExprKind::Str(pair.as_str().trim_matches('"')),
        _ => ExprKind::Field(pair.as_str()),
    };
    Ok(Expr { span, kind })
}

fn binary(rule: Rule) -> BinaryOp {
    match rule {
        Rule::or => BinaryOp::Or,
        Rule::and => BinaryOp::And,
        Rule::eq => BinaryOp::Eq,
        Rule::ne => BinaryOp::Ne,
        Rule::lt => BinaryOp::Lt,
        Rule::le => BinaryOp::Le,
        Rule::gt => BinaryOp::Gt,
        Rule::ge => BinaryOp::Ge,
        Rule::bit_or => BinaryOp::BitOr,
        Rule::bit_xor => BinaryOp::BitXor,
        Rule::bit_and => BinaryOp::BitAnd,
        Rule::shl => BinaryOp::Shl,
        Rule::shr => BinaryOp::Shr,
        Rule::add => BinaryOp::Add,
        Rule::sub => BinaryOp::Sub,
        Rule::mul => BinaryOp::Mul,
        Rule::rem => BinaryOp::Rem,
        _ => BinaryOp::Div,
    }
}
