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
    /// The value, with its sign if signs are allowed.
    pub value: i128,
    /// Its location.
    pub span: Span,
}

/// `@[A, B..C]`, `@[A and (X or Y)]`: the generations and extensions that have the guarded item.
#[derive(Debug, Clone)]
pub struct Guard<'s> {
    /// The whole guard.
    pub span: Span,
    /// Where the item is.
    pub condition: Condition<'s>,
}

/// A condition on generations and extensions.
#[derive(Debug, Clone)]
pub enum Condition<'s> {
    /// Some generations, or an extension.
    Range(GuardRange<'s>),
    /// `not a`
    Not(Box<Condition<'s>>),
    /// `a and b`
    All(Vec<Condition<'s>>),
    /// `a or b`, `a, b`
    Any(Vec<Condition<'s>>),
}

impl Guard<'_> {
    /// Whether a fixed set of extensions lacks the item, which is kept nevertheless.
    pub fn is_lacked(&self) -> bool {
        matches!(&self.condition, Condition::Any(list) if list.is_empty())
    }
}

impl<'s> Condition<'s> {
    /// The generations and extensions that the guard names, in order.
    pub fn ranges(&self) -> Vec<GuardRange<'s>> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(next) = open.pop() {
            match next {
                Condition::Range(range) => found.push(*range),
                Condition::Not(inner) => open.push(inner),
                Condition::All(list) | Condition::Any(list) => open.extend(list.iter().rev()),
            }
        }
        found
    }
}

/// One or several generations, or an extension.
#[derive(Debug, Clone, Copy)]
pub struct GuardRange<'s> {
    /// Its location.
    pub span: Span,
    /// The first; if absent, the oldest generation.
    pub first: Option<Ident<'s>>,
    /// The last, included; if absent, the newest generation.
    pub last: Option<Ident<'s>>,
}
