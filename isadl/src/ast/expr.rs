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
    /// `function(x, y)`
    Call(Ident<'s>, Vec<Expr<'s>>),
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Neg,
    /// `~`
    BitNot,
}

impl UnaryOp {
    /// The operator as written, with a blank where one is needed.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Not => "not ",
            UnaryOp::Neg => "-",
            UnaryOp::BitNot => "~",
        }
    }
}

/// Functions of expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// `if(condition, a, b)`: `a` if the condition holds, else `b`.
    If,
    /// `ror(x, n, width)`: the lowest `width` bits of `x`, rotated right by `n`.
    Ror,
    /// `repeat(x, width, n)`: the lowest `width` bits of `x`, `n` times side by side.
    Repeat,
    /// `clz(x, width)`: how many of the lowest `width` bits of `x` are 0 above the highest 1.
    Clz,
}

impl Function {
    /// All of them.
    pub const ALL: [Function; 4] = [Function::If, Function::Ror, Function::Repeat, Function::Clz];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Function::If => "if",
            Function::Ror => "ror",
            Function::Repeat => "repeat",
            Function::Clz => "clz",
        }
    }

    /// The names of its arguments.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Function::If => &["condition", "a", "b"],
            Function::Ror => &["x", "n", "width"],
            Function::Repeat => &["x", "width", "n"],
            Function::Clz => &["x", "width"],
        }
    }
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
    BitXor,
    BitAnd,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
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
            BinaryOp::BitXor => "^",
            BinaryOp::BitAnd => "&",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
        }
    }
}
