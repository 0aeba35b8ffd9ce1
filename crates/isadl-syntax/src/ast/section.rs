//! Sections of prose.

use super::word::Ident;
use crate::span::Span;
use isadl_base::vocabulary::SectionKind;

/// A section of prose.
#[derive(Debug, Clone)]
pub struct Section<'s> {
    /// Which section.
    pub kind: SectionKind,
    /// The line that opens it.
    pub heading: Span,
    /// Its text without statements: runs of whole lines, in order.
    pub runs: Vec<Ident<'s>>,
}
