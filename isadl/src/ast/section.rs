//! Sections of prose.

use super::word::Ident;
use crate::span::Span;

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

/// The sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the section of its name")]
pub enum SectionKind {
    Encoding,
    OperandInfo,
    Exception,
    Syntax,
    Description,
    ModifierInfo,
    Semantics,
    Examples,
    Simulation,
}

impl SectionKind {
    /// All of them.
    pub const ALL: [SectionKind; 9] = [
        SectionKind::Encoding,
        SectionKind::OperandInfo,
        SectionKind::Exception,
        SectionKind::Syntax,
        SectionKind::Description,
        SectionKind::ModifierInfo,
        SectionKind::Semantics,
        SectionKind::Examples,
        SectionKind::Simulation,
    ];

    /// Whether it has statements only, and comments.
    pub(crate) fn is_statements(self) -> bool {
        matches!(self, SectionKind::Encoding | SectionKind::Exception)
    }

    /// The line that opens the section.
    pub fn heading(self) -> &'static str {
        match self {
            SectionKind::Encoding => "__Encoding",
            SectionKind::OperandInfo => "__OperandInfo",
            SectionKind::Exception => "__Exception",
            SectionKind::Syntax => "__Syntax",
            SectionKind::Description => "__Description",
            SectionKind::ModifierInfo => "__ModifierInfo",
            SectionKind::Semantics => "__Semantics",
            SectionKind::Examples => "__Examples",
            SectionKind::Simulation => "__Simulation",
        }
    }
}
