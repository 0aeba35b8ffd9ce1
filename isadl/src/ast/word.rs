//! Pieces that every node is made of: names, integers, guards.

use crate::span::Span;

/// A name or other piece of text with its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ident<'s> {
    /// The text.
    pub text: &'s str,
    /// Its location.
    pub span: Span,
}

/// An integer with its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Int {
    /// The value, with its sign if one is allowed.
    pub value: i128,
    /// Its location.
    pub span: Span,
}

/// `@[A, B..C]`: the generations that have the guarded item.
#[derive(Debug, Clone)]
pub struct Guard<'s> {
    /// The whole guard.
    pub span: Span,
    /// Its ranges.
    pub ranges: Vec<GuardRange<'s>>,
}

/// One or several generations.
#[derive(Debug, Clone)]
pub struct GuardRange<'s> {
    /// Its location.
    pub span: Span,
    /// The first; if absent, the oldest generation.
    pub first: Option<Ident<'s>>,
    /// The last, included; if absent, the newest generation.
    pub last: Option<Ident<'s>>,
}
