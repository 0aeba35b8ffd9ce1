//! Expressions as trees over numbers, symbols and places.

/// A symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolId(pub(crate) u32);

/// A place in a section before its fragments have addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) section: u32,
    pub(crate) fragment: u32,
    /// Bytes after the beginning of the fragment.
    pub(crate) offset: u32,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expr {
    Number(i64),
    Symbol(SymbolId),
    /// The place where it is written.
    Here,
    /// A place.
    Place(Place),
    Unary(u8, Box<Expr>),
    Binary(Op, Box<(Expr, Expr)>),
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    LogicAnd,
    LogicOr,
}
