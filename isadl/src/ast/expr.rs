//! Expressions of rules and of widths.

use super::word::Ident;
use crate::span::Span;

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr<'s> {
    /// Its location.
    pub span: Span,
    /// Its kind.
    pub kind: ExprKind<'s>,
}

/// The kinds of expressions.
#[derive(Debug, Clone)]
pub enum ExprKind<'s> {
    /// An integer.
    Int(i128),
    /// An enumerator or register, in quotes; the text is without them.
    Str(&'s str),
    /// A field, perhaps dotted.
    Field(&'s str),
    /// `field is class`
    Is(Ident<'s>, Ident<'s>),
    /// `not x`, `-x`
    Unary(UnaryOp, Box<Expr<'s>>),
    /// `x op y`
    Binary(BinaryOp, Box<Expr<'s>>, Box<Expr<'s>>),
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Neg,
}

/// Infix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is its symbol, see `symbol`")]
pub enum BinaryOp {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    BitOr,
    BitAnd,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Or => "or",
            BinaryOp::And => "and",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::BitOr => "|",
            BinaryOp::BitAnd => "&",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
        }
    }
}
