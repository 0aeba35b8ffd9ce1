//! `// isadl: allow(W0303, reason)`: findings that a specification accepts. Codes: W0114, W0115.
//!
//! At the end of a line, the comment applies to that line. On a line of its own, it applies to the statement, row or
//! definition after it. Prose has no comments, so findings in prose are accepted before the definition.

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old, Severity};
use crate::levels::LintGroup;
use crate::parse::{self, GrammarSegment, SegmentKind};
use crate::prove::Effort;
use crate::source::{FileId, SourceMap, Span};

/// The start of such a comment, after `//`.
const MARK: &str = "isadl:";

/// A comment that accepts findings.
struct Allow {
    /// The comment without its slashes.
    span: Span,
    /// The comment with them.
    comment: Span,
    what: What,
    /// The bytes in which findings are accepted.
    place: Range<u32>,
    is_used: bool,
}

/// The accepted findings.
enum What {
    Code(Code),
    Group(LintGroup),
}

impl What {
    fn includes(&self, code: Code) -> bool {
        match self {
            What::Code(own) => *own == code,
            What::Group(group) => code.group() == Some(*group),
        }
    }
}

/// Drops the findings that comments accept. If all findings are known, comments that accept none are reported. A longer
/// search decides what a comment accepts as open.
pub(crate) fn apply(
    sources: &SourceMap,
    (is_complete, effort): (bool, Effort),
    found: &mut Diagnostics,
) {
    let files = sources.specification().filter(|id| sources.file(*id).text().contains(MARK));
    let mut wrong = Diagnostics::default();
    let mut allows: Vec<Allow> = files.flat_map(|id| of_file(sources, id, &mut wrong)).collect();
    if allows.is_empty() && wrong.is_empty() {
        return;
    }
    found.retain(|finding| {
        let span = finding.primary.span;
        let is_it = |allow: &&mut Allow| {
            allow.span.file == span.file
                && allow.place.contains(&span.start)
                && finding.severity != Severity::Error
                && allow.what.includes(finding.code)
        };
        let accepted = allows.iter_mut().filter(is_it).map(|allow| allow.is_used = true).count();
        accepted == 0
    });
    if is_complete && !found.has_errors() {
        let is_decided = |allow: &Allow| effort == Effort::Full && allow.what.includes(Code::W0708);
        for allow in allows.iter().filter(|allow| !allow.is_used && !is_decided(allow)) {
            let finding =
                Diagnostic::new(Code::W0115, "this comment accepts no finding", allow.span)
                    .with_note("no finding of this code is reported where the comment applies")
                    .with_removal("remove the comment", Old::Line(allow.comment))
                    .certainly();
            found.push(finding);
        }
    }
    found.extend(wrong);
    found.finish();
}

/// The comments of a file.
fn of_file(sources: &SourceMap, id: FileId, wrong: &mut Diagnostics) -> Vec<Allow> {
    let text = sources.file(id).text();
    let pieces = parse::pieces(sources, id, &mut Diagnostics::default());
    let mut allows = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let comment = line.find("//").map(|at| (at, &line[at + 2..]));
        if let Some((at, comment)) = comment
            && comment.trim_start().starts_with(MARK)
            && let Some(place) = place(text, &pieces, (start..end, at))
        {
            let said = comment.trim();
            let first = start + at + 2 + (comment.len() - comment.trim_start().len());
            let span = Span { file: id, start: first as u32, end: (first + said.len()) as u32 };
            match what(said) {
                Ok(what) => {
                    let comment = Span { start: (start + at) as u32, ..span };
                    allows.push(Allow { span, comment, what, place, is_used: false });
                }
                Err(why) => wrong.push(malformed(span, why)),
            }
        }
        start = end;
    }
    allows
}

/// The bytes that a comment in a line is about; `None` for prose.
fn place(
    text: &str,
    pieces: &[GrammarSegment],
    (line, comment): (Range<usize>, usize),
) -> Option<Range<u32>> {
    let is_own = text[line.start..line.start + comment].trim().is_empty();
    if !is_own {
        let first = pieces.iter().flat_map(tokens);
        let is_code = first.clone().any(|span| line.contains(&(span.start as usize)));
        return is_code.then_some(line.start as u32..line.end as u32);
    }
    // Other comments may be between.
    let is_text = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    let mut at = line.end;
    for next in text[line.end..].split_inclusive('\n') {
        if is_text(&next) {
            break;
        }
        at += next.len();
    }
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let index = pieces.iter().position(|piece| (at..end).contains(&(piece.start() as usize)))?;
    let is_header = |piece: &GrammarSegment| {
        matches!(piece, GrammarSegment::Tokens { kind: SegmentKind::Header, .. })
    };
    if is_header(&pieces[index]) {
        let next = pieces[index + 1..].iter().find(|piece| is_header(piece));
        return Some(at as u32..next.map_or(text.len() as u32, GrammarSegment::start));
    }
    if !is_statements(pieces, index) {
        return None;
    }
    let last = tokens(&pieces[index]).last().map_or(end as u32, |span| span.end);
    Some(at as u32..last.max(end as u32))
}

/// Whether a piece is where lines between statements are comments.
fn is_statements(pieces: &[GrammarSegment], index: usize) -> bool {
    let before = pieces[..index].iter().rev().find_map(|piece| match piece {
        GrammarSegment::Heading(_, kind) => Some(Some(*kind)),
        GrammarSegment::Tokens { kind: SegmentKind::Header, .. } => Some(None),
        GrammarSegment::Tokens { .. } => None,
    });
    match before.flatten() {
        None => matches!(pieces[index], GrammarSegment::Tokens { .. }),
        Some(kind) => kind.is_statements(),
    }
}

fn tokens(piece: &GrammarSegment) -> impl Iterator<Item = Span> + Clone {
    let tokens = match piece {
        GrammarSegment::Tokens { tokens, .. } => tokens.as_slice(),
        GrammarSegment::Heading(..) => &[],
    };
    tokens.iter().map(|token| token.span)
}

/// Parses the findings that a comment accepts.
fn what(said: &str) -> Result<What, String> {
    let rest = said.strip_prefix(MARK).unwrap_or_default().trim();
    let inner = rest.strip_prefix("allow").map(str::trim_start);
    let inner = inner.and_then(|inner| inner.strip_prefix('(')?.strip_suffix(')'));
    let Some(inner) = inner else { return Err("it does not say `allow(…)`".to_string()) };
    let (name, reason) = inner.split_once(',').unwrap_or((inner, ""));
    let name = name.trim();
    if reason.trim().is_empty() {
        return Err("it does not give a reason".to_string());
    }
    if let Some(group) = LintGroup::ALL.iter().find(|group| group.as_str() == name) {
        return Ok(What::Group(*group));
    }
    match name.parse::<Code>() {
        Ok(code) if code.group().is_none() => Err(format!("`{name}` is an error")),
        Ok(code) => Ok(What::Code(code)),
        Err(()) => Err(format!("`{name}` is not a lint")),
    }
}

fn malformed(span: Span, why: String) -> Diagnostic {
    Diagnostic::new(Code::W0114, "this comment accepts nothing", span)
        .with_label(why)
        .with_help("write `// isadl: allow(W0303, the reason)`, with the code or group of a lint")
}
