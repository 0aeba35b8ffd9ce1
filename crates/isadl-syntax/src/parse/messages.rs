//! The wording of syntax errors: the expected text and the text found.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::statements::{Ended, StatementText};
use super::{Rule, Statements, first_word, section_of, section_statements};
use crate::ast::{Ident, SectionKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old};
use crate::source::Span;

/// The error for a text that a rule does not accept.
pub(super) fn syntax_error(rule: Rule, text: Ident<'_>, error: Error<Rule>) -> Diagnostic {
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let rest = &text.text[at..];
    if let Some(length) = unclosed_quote(rest) {
        let start = text.span.start + at as u32;
        let span = Span { start, end: start + length as u32, ..text.span };
        return Diagnostic::new(Code::E0101, "string without closing `\"`", span)
            .with_help("a quoted string ends on the line on which it begins");
    }
    let end = format!("the end of the {}", piece(rule));
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => expected_words(positives, &end),
        ErrorVariant::CustomError { message } => message.clone(),
    };
    let found = found_word(rest);
    let start = text.span.start + at as u32;
    let span = Span { start, end: start + found.len() as u32, ..text.span };
    let found = if found.is_empty() { end } else { format!("`{found}`") };
    let diagnostic =
        Diagnostic::new(Code::E0101, format!("expected {expected}, found {found}"), span)
            .with_label(format!("expected {expected}"));
    let quotes = |line: &str| line.bytes().filter(|b| *b == b'"').count();
    if text.text.lines().any(|line| quotes(line) % 2 == 1) {
        return diagnostic.with_help("a quote before or after this is not closed");
    }
    let before = text.text[..at].trim_end();
    let is_keyword = ["fixed", "zero"].contains(&last_word(before));
    match piece(rule) == "row" && is_keyword && rest.starts_with(['[', '<']) {
        true => diagnostic.with_help("in a row, write bits without a keyword: `[15:12] == 3`"),
        false => diagnostic,
    }
}

/// The word at the end of a text; empty if there is none.
fn last_word(text: &str) -> &str {
    text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The length of a quoted string whose closing quote is missing on its line.
fn unclosed_quote(text: &str) -> Option<usize> {
    let line = text.lines().next()?;
    let inner = line.strip_prefix('"')?;
    (!inner.contains('"')).then_some(line.trim_end().len())
}

/// The kind of text that a rule parses.
fn piece(rule: Rule) -> &'static str {
    match rule {
        Rule::isa_header
        | Rule::reg_file_header
        | Rule::type_header
        | Rule::group_header
        | Rule::table_header
        | Rule::alias_table_header
        | Rule::forms_header
        | Rule::layer_header
        | Rule::environment_header => "header",
        Rule::row | Rule::alias_row => "row",
        _ => "statement",
    }
}

/// The word or character at the start of a text.
fn found_word(text: &str) -> &str {
    match first_word(text) {
        "" => text.chars().next().map_or("", |c| &text[..c.len_utf8()]),
        word => word,
    }
}

fn expected_words(rules: &[Rule], end: &str) -> String {
    let is_told = |rule: &&Rule| match rule {
        // Anything that can begin an expression is described as an expression.
        Rule::int | Rule::string | Rule::dotted | Rule::member | Rule::open_paren | Rule::not => {
            !rules.contains(&Rule::neg)
        }
        Rule::float => !rules.contains(&Rule::signed_int),
        _ => true,
    };
    let told = rules.iter().filter(is_told);
    let mut words: Vec<&str> =
        told.map(|rule| if *rule == Rule::EOI { end } else { describe(*rule) }).collect();
    words.sort_unstable();
    words.dedup();
    // Operators may follow every operand, so naming them is not helpful.
    if words.contains(&"an operator") && words.len() > 3 {
        words.retain(|word| *word != "an operator");
    }
    match words.as_slice() {
        [] => "something else".to_string(),
        [word] => word.to_string(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A rule in terms of the language.
fn describe(rule: Rule) -> &'static str {
    match rule {
        Rule::keyword => "a keyword",
        Rule::ident | Rule::named | Rule::operand_ref | Rule::indirect => "a name",
        Rule::register | Rule::register_range | Rule::register_part => "a register",
        Rule::dotted | Rule::member => "a field name",
        Rule::at | Rule::guard => "`@`",
        Rule::guard_range
        | Rule::guard_list
        | Rule::guard_any
        | Rule::guard_all
        | Rule::guard_term => "a generation or extension",
        Rule::upto => "`..`",
        Rule::align => "`align`",
        Rule::also_words | Rule::also_names => "`also`",
        Rule::classes => "`is`",
        Rule::is => "an operator",
        Rule::when => "`if`",
        Rule::enum_name => "the name of a value",
        Rule::int | Rule::signed_int | Rule::bit_range => "a number",
        Rule::float => "a floating-point number",
        Rule::string | Rule::string_text => "a quoted string",
        Rule::open_angle => "`<`",
        Rule::close_angle => "`>`",
        Rule::open_bracket | Rule::run => "`[`",
        Rule::close_bracket => "`]`",
        Rule::open_paren => "`(`",
        Rule::close_paren => "`)`",
        Rule::pattern => "a name, perhaps with `{0}`",
        Rule::form_list => "`[`",
        Rule::times => "`x`",
        Rule::except => "`except`",
        Rule::code_guard => "`@`",
        Rule::code => "a number",
        Rule::row_value | Rule::alias_value => "a field name",
        Rule::operand_item => "a name",
        Rule::access => "`in`, `out`, `inout`",
        Rule::comma => "`,`",
        Rule::colon | Rule::register_file => "`:`",
        Rule::equals | Rule::default => "`=`",
        Rule::fixed => "`==`",
        Rule::binding => "`=`, `==`",
        Rule::dots => "`..`",
        Rule::role => "`zero`, `one`, `[number]`",
        Rule::constant => "`const`",
        Rule::number_format | Rule::unsigned | Rule::signed | Rule::float_format => {
            "`unsigned`, `signed` or `float<exponent, fraction>`"
        }
        Rule::lanes => "`x` and a number of lanes",
        Rule::either => "`or`",
        Rule::not
        | Rule::neg
        | Rule::bit_not
        | Rule::call
        | Rule::function
        | Rule::expr
        | Rule::primary => "an expression",
        Rule::infix
        | Rule::or
        | Rule::and
        | Rule::eq
        | Rule::ne
        | Rule::le
        | Rule::ge
        | Rule::shl
        | Rule::shr
        | Rule::lt
        | Rule::gt
        | Rule::bit_or
        | Rule::bit_xor
        | Rule::bit_and
        | Rule::add
        | Rule::sub
        | Rule::mul
        | Rule::div
        | Rule::rem => "an operator",
        _ => "a statement",
    }
}

pub(super) fn report_missing_semicolon(
    statement: &StatementText<'_>,
    diagnostics: &mut Diagnostics,
) {
    if statement.ended == Ended::Missing {
        diagnostics.push(missing_semicolon(statement.text));
    }
}

/// E0102 at the last character of a statement.
pub(super) fn missing_semicolon(statement: Ident<'_>) -> Diagnostic {
    let end = statement.span.end;
    let last = statement.text.chars().next_back().map_or(0, char::len_utf8) as u32;
    let span = Span { start: end - last, end, ..statement.span };
    Diagnostic::new(Code::E0102, "statement without `;`", span)
        .with_label("expected `;` after this")
        .with_change("end the statement with `;`", Old::Span(Span { start: end, ..span }), ";")
        .certainly()
}

/// The error for a statement whose first word does not begin any statement of its section.
pub(super) fn unknown_statement(
    statement: &StatementText<'_>,
    word: &str,
    section: SectionKind,
) -> Diagnostic {
    let heading = section.heading();
    if let Some(kind) = section_of(word) {
        return Diagnostic::new(
            Code::E0112,
            format!("`{word}` is not allowed in `{heading}`"),
            statement.text.span,
        )
        .with_help(format!("move the statement to `{}`", kind.heading()));
    }
    let known = section_statements(section);
    let names: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
    Diagnostic::new(Code::E0105, format!("unknown statement in `{heading}`"), statement.text.span)
        .with_note(format!("a statement here begins with {}", names.join(" or ")))
        .with_suggestion(word, known.iter().map(|(word, _)| word))
}

/// An error for a word that is read as the nearest known word. If no other word is near, that word is the intended one.
pub(super) fn read_as_near(error: Diagnostic, word: &str, known: Statements) -> Diagnostic {
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    error.certain_if_only(word, &names)
}

/// The error for a statement in the body of a definition without a known keyword.
pub(super) fn unknown_in_body(
    statement: &StatementText<'_>,
    word: &str,
    known: Statements,
) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(Code::E0105, "unknown statement in this definition", statement.text.span);
    if known.is_empty() {
        return diagnostic.with_note("only sections can follow this header");
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    diagnostic
        .with_note(format!("a statement here begins with `{}`", names.join("` or `")))
        .with_suggestion(word, names)
}
