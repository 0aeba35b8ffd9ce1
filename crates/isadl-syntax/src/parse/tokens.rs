//! The tokens of headers and statements, as the grammar has them: for the formatter and for editors.
//!
//! Invariant: the tokens of a text are disjoint and in order, and everything between them is white space, comments
//! and semicolons.

use pest::iterators::Pair;

use super::Rule;
use crate::ast::{Ident, SectionKind};
use crate::source::Span;

/// A piece of a file that the grammar knows.
#[derive(Debug, Clone)]
pub enum GrammarSegment {
    /// A header, a statement, or a guard at the end of a header or statement.
    Tokens {
        /// Its kind.
        kind: SegmentKind,
        /// Its tokens, in order.
        tokens: Vec<Token>,
    },
    /// The line that opens a section.
    Heading(Span, SectionKind),
}

impl GrammarSegment {
    /// The start position, in bytes.
    pub fn start(&self) -> u32 {
        match self {
            GrammarSegment::Tokens { tokens, .. } => {
                tokens.first().map_or(0, |token| token.span.start)
            }
            GrammarSegment::Heading(span, _) => span.start,
        }
    }
}

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentKind {
    /// The header of a definition; a definition of forms, which is only that.
    Header,
    /// A field of an encoding or composite.
    Field,
    /// A value of a bit-field type, or an entry of an operand type.
    Entry,
    /// A row of a table.
    Row,
    /// A guard; it belongs to the piece before it.
    Guard,
    /// Another statement.
    Statement,
}

/// A word, number, text or sign.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    /// Where it is.
    pub span: Span,
    /// Its kind.
    pub kind: TokenKind,
    /// Whether a space is before it, unless it is the first of its line.
    pub is_spaced: bool,
    /// Which column begins with it, where lines of the same kind are aligned.
    pub column: Option<u8>,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word of the language.
    Keyword,
    /// A name that the specification defines.
    Name,
    /// A number.
    Number,
    /// A quoted string.
    Text,
    /// A function of expressions.
    Function,
    /// Punctuation and operators.
    Sign,
}

/// A token with its place in the grammar.
struct Leaf {
    span: Span,
    /// `None` for words that only the rule around them knows.
    rule: Option<Rule>,
    parent: Rule,
    kind: TokenKind,
}

/// The tokens of a text that a rule has read.
pub(super) fn piece(rule: Rule, text: Ident<'_>, pair: Pair<'_, Rule>) -> GrammarSegment {
    let mut leaves = Leaves { text, at: 0, list: Vec::new() };
    leaves.add(pair, rule);
    leaves.between(text.text.len(), rule);
    let list = leaves.list;
    let kind = kind(rule);
    let mut columns = Columns { kind, last: None };
    let tokens = list.iter().enumerate().map(|(at, leaf)| Token {
        span: leaf.span,
        kind: leaf.kind,
        is_spaced: at.checked_sub(1).is_none_or(|before| is_spaced(&list[before], leaf)),
        column: columns.of(at, leaf),
    });
    GrammarSegment::Tokens { kind, tokens: tokens.collect() }
}

/// The kind of piece that a rule reads.
fn kind(rule: Rule) -> SegmentKind {
    match rule {
        Rule::isa_header
        | Rule::reg_file_header
        | Rule::type_header
        | Rule::group_header
        | Rule::table_header
        | Rule::alias_table_header
        | Rule::forms_header
        | Rule::layer_header
        | Rule::environment_header => SegmentKind::Header,
        Rule::field | Rule::literal_field => SegmentKind::Field,
        Rule::enumerator | Rule::operand_entry => SegmentKind::Entry,
        Rule::row | Rule::alias_row => SegmentKind::Row,
        Rule::guard => SegmentKind::Guard,
        _ => SegmentKind::Statement,
    }
}

/// Collects the tokens of a text.
struct Leaves<'s> {
    text: Ident<'s>,
    /// The position in the text up to which tokens are known.
    at: usize,
    list: Vec<Leaf>,
}

impl Leaves<'_> {
    fn add(&mut self, pair: Pair<'_, Rule>, parent: Rule) {
        let rule = pair.as_rule();
        let start = pair.as_span().start();
        self.between(start, parent);
        let mut inner = pair.clone().into_inner().peekable();
        if rule == Rule::string || inner.peek().is_none() && !is_made_of_words(rule) {
            let end = start + pair.as_str().trim_end().len();
            self.push(start..end, Some(rule), parent, token_kind(rule));
            return;
        }
        inner.for_each(|pair| self.add(pair, rule));
        self.between(pair.as_span().start() + pair.as_str().trim_end().len(), rule);
    }

    fn push(
        &mut self,
        range: std::ops::Range<usize>,
        rule: Option<Rule>,
        parent: Rule,
        kind: TokenKind,
    ) {
        let base = self.text.span.start;
        self.at = range.end;
        if !range.is_empty() {
            let (start, end) = (base + range.start as u32, base + range.end as u32);
            let span = Span { start, end, ..self.text.span };
            self.list.push(Leaf { span, rule, parent, kind });
        }
    }

    /// Adds the words and signs up to a position that do not have rules of their own.
    fn between(&mut self, end: usize, parent: Rule) {
        while self.at < end {
            let rest = &self.text.text[self.at..end];
            let comment = rest.starts_with("//").then(|| rest.find('\n').unwrap_or(rest.len()));
            let first = rest.chars().next().unwrap_or(' ');
            if let Some(length) = comment {
                self.at += length;
            } else if first.is_whitespace() {
                self.at += first.len_utf8();
            } else {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let kind = if length > 0 { TokenKind::Keyword } else { TokenKind::Sign };
                let length = length.max(first.len_utf8());
                self.push(self.at..self.at + length, None, parent, kind);
            }
        }
    }
}

/// Whether a rule without inner rules consists of more than one word.
fn is_made_of_words(rule: Rule) -> bool {
    matches!(rule, Rule::row_order | Rule::row_short | Rule::guard_range)
}

fn token_kind(rule: Rule) -> TokenKind {
    match rule {
        Rule::keyword
        | Rule::unsigned
        | Rule::signed
        | Rule::access
        | Rule::when
        | Rule::except
        | Rule::forms_word
        | Rule::times
        | Rule::not
        | Rule::and
        | Rule::or
        | Rule::is => TokenKind::Keyword,
        Rule::ident | Rule::dotted | Rule::enum_name | Rule::pattern => TokenKind::Name,
        Rule::int | Rule::signed_int | Rule::float => TokenKind::Number,
        Rule::string => TokenKind::Text,
        Rule::function => TokenKind::Function,
        _ => TokenKind::Sign,
    }
}

/// Whether a space is between two tokens.
fn is_spaced(before: &Leaf, this: &Leaf) -> bool {
    let joins = [Rule::open_angle, Rule::open_bracket, Rule::open_paren, Rule::at];
    let prefixes = [Rule::neg, Rule::bit_not, Rule::dots, Rule::upto];
    let is_range = before.rule == Some(Rule::colon) && before.parent == Rule::bit_range;
    let is_joined = is_range
        || before.rule.is_some_and(|rule| joins.contains(&rule) || prefixes.contains(&rule));
    let is_close = match (this.rule, this.parent) {
        (Some(Rule::close_angle | Rule::close_bracket | Rule::close_paren), _) => true,
        (Some(Rule::comma | Rule::dots | Rule::open_angle), _) => true,
        (Some(Rule::upto), _) => before.rule == Some(Rule::ident),
        (Some(Rule::colon), of) => of == Rule::bit_range,
        (Some(Rule::open_bracket), of) => is_after_name(of),
        (Some(Rule::open_paren), of) => {
            before.rule == Some(Rule::function) || of == Rule::asm_format
        }
        _ => false,
    };
    !is_joined && !is_close
}

/// Whether an opening bracket follows the preceding text without a space.
fn is_after_name(of: Rule) -> bool {
    matches!(
        of,
        Rule::field
            | Rule::literal_field
            | Rule::reserved
            | Rule::fixed_bits
            | Rule::ignored_bits
            | Rule::numbered
            | Rule::indirect
            | Rule::run
            | Rule::register
            | Rule::register_range
            | Rule::register_part
            | Rule::role
    )
}

/// Finds the tokens that columns begin with.
struct Columns {
    kind: SegmentKind,
    last: Option<u8>,
}

impl Columns {
    fn of(&mut self, at: usize, leaf: &Leaf) -> Option<u8> {
        let next = self.last.map_or(0, |last| last + 1);
        let column = match (self.kind, leaf.rule, leaf.parent) {
            // Type, name, value.
            (SegmentKind::Field, Some(Rule::ident), Rule::field | Rule::literal_field) => {
                (next == 0).then_some(0)
            }
            (SegmentKind::Field, Some(Rule::dotted), _) => (next == 1).then_some(1),
            (SegmentKind::Field, Some(Rule::fixed | Rule::default | Rule::colon), of) => {
                (of != Rule::bit_range).then_some(2)
            }
            (SegmentKind::Entry, Some(Rule::equals), _) => (next == 0).then_some(0),
            // Parents, mnemonics, values.
            (SegmentKind::Row, Some(Rule::colon), Rule::row_of) => Some(0),
            (SegmentKind::Row, Some(Rule::string), _) => (next <= 1).then_some(1),
            (SegmentKind::Row, _, Rule::row_value | Rule::alias_value) if at > 0 => {
                (next <= 2).then_some(2)
            }
            _ => None,
        };
        self.last = column.or(self.last);
        column
    }
}
