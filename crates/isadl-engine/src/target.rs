//! What words and lines are read for.

use super::image::{Image, Span, slice};
use super::set::{KnownSet, Set, has, has_known};

/// A generation and a set of extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The number of the generation; 0 where there are none.
    pub generation: usize,
    /// The extensions that there are.
    pub set: Set,
}

impl Target {
    /// A generation and a set of extensions.
    #[inline(always)]
    #[must_use]
    pub const fn new(generation: usize, set: Set) -> Target {
        Target { generation, set }
    }
}

/// Whether a set of extensions has a row.
#[inline(always)]
#[must_use]
pub const fn is_there(image: &Image<'_>, set: Set, row: usize) -> bool {
    let presence = image.words.presence;
    presence.is_empty() || meets(image, set, presence[row])
}

/// Whether every set of extensions meets one of a list of terms.
#[inline]
#[must_use]
pub const fn is_always(image: &Image<'_>, terms: Span) -> bool {
    let terms = slice(image.words.terms, terms);
    let mut at = 0;
    while at < terms.len() {
        if terms[at].needed | terms[at].excluded == 0 {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether a set of extensions that may not be known meets one of a list of terms.
#[inline]
#[must_use]
pub const fn meets_known(image: &Image<'_>, set: KnownSet, terms: Span) -> bool {
    let terms = slice(image.words.terms, terms);
    let mut at = 0;
    while at < terms.len() {
        if has_known(set, terms[at].needed, terms[at].excluded) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether a set of extensions meets one of a list of terms.
#[inline]
#[must_use]
pub const fn meets(image: &Image<'_>, set: Set, terms: Span) -> bool {
    let terms = slice(image.words.terms, terms);
    let mut at = 0;
    while at < terms.len() {
        if has(set, terms[at].needed, terms[at].excluded) {
            return true;
        }
        at += 1;
    }
    false
}
