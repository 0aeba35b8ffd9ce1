//! Expressions of rules and of widths.

use super::word::Ident;
use crate::span::Span;
use isadl_base::vocabulary::{BinaryOp, UnaryOp};

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
    /// `function(x, y)`
    Call(Ident<'s>, Vec<Expr<'s>>),
}
