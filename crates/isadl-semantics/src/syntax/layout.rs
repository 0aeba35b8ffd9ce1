//! The usual layout of programs: spaces between tokens, and how deep lines are indented.
//!
//! Lines are neither joined nor split, and no token changes. Invariant: the result has the tokens of the program, and the same ends
//! of statements.

use std::collections::{HashMap, HashSet};

use isadl_diagnostics::diagnostic::Diagnostics;

use super::ast::{Expr, ExprKind, Pattern, Program, Statement, StatementKind};
use super::parse::{is_keyword, parse};
use super::token::{Line, Located, Token, tokens};

/// A line in the usual layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaidLine {
    /// How many times it is indented.
    pub indent: usize,
    /// How many times a comment after it is indented.
    pub indent_after: usize,
    /// The text, with single spaces.
    pub text: String,
}

/// The lines of a program in the usual layout; `None` if the program has errors of syntax.
///
/// ```
/// use isadl_diagnostics::{source::SourceMap, span::Span};
/// use isadl_semantics::syntax::{Line, layout};
///
/// let mut sources = SourceMap::new();
/// let file = sources.add("a.isa", b"rd=x[ 7 : 0 ]+-1".to_vec());
/// let text = sources.file(file).text();
/// let span = Span { file, start: 0, end: text.len() as u32 };
/// let laid = layout(&[Line { text, span }]).expect("a program");
/// assert_eq!(laid[0].text, "rd = x[7:0] + -1");
/// ```
pub fn layout(lines: &[Line<'_>]) -> Option<Vec<LaidLine>> {
    let mut found = Diagnostics::default();
    let program = parse(lines, &mut found);
    if found.has_errors() {
        return None;
    }
    let tokens = tokens(lines, &mut found);
    let mut walk = Walk { marks: Marks::of(&program, &tokens), open: Vec::new(), before: None };
    let mut rest = tokens.as_slice();
    Some(lines.iter().map(|line| walk.line(*line, &mut rest)).collect())
}

/// The role of a token, which decides about spaces around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A name, number or text.
    Operand,
    /// A keyword.
    Word,
    /// An operator between two operands, or a colon before a type.
    Infix,
    /// An operator before its operand.
    Prefix,
    /// A sign without spaces around it.
    Tight,
    /// `(` or `{` of an expression.
    Open,
    /// `(` or `[` after the name or value that it belongs to.
    OpenAfter,
    /// `@[`
    Guard,
    /// A bracket that closes an expression.
    Close,
    /// `{` of a block
    OpenBlock,
    /// `}` of a block
    CloseBlock,
    /// `,`, `;`, or the colon after a pattern.
    Separator,
}

impl Role {
    /// Whether a prefix operator may follow: no operand ends here.
    fn is_before_operand(self) -> bool {
        !matches!(self, Role::Operand | Role::Close)
    }

    fn is_close(self) -> bool {
        matches!(self, Role::Close | Role::CloseBlock)
    }
}

/// Whether a space is between two tokens.
fn is_spaced(before: Role, after: Role) -> bool {
    use Role::{Close, CloseBlock, Guard, Open, OpenAfter, OpenBlock, Prefix, Separator, Tight};
    let is_empty = before == OpenBlock && after == CloseBlock;
    let is_tight_after = matches!(before, Open | OpenAfter | Guard | Prefix | Tight);
    !(is_empty || is_tight_after || matches!(after, Close | OpenAfter | Separator | Tight))
}

/// Facts about signs that only the syntax tree has, by position.
#[derive(Default)]
struct Marks {
    /// The braces around parts and repetitions.
    braces: HashSet<u32>,
    /// The colons of slices and arms.
    colons: HashMap<u32, Role>,
}

impl Marks {
    fn of(program: &Program<'_>, tokens: &[Located<'_>]) -> Marks {
        let mut marks = Marks::default();
        program.statements.iter().for_each(|statement| marks.statement(statement, tokens));
        marks
    }

    fn statement(&mut self, statement: &Statement<'_>, tokens: &[Located<'_>]) {
        if let StatementKind::Match(found) = &statement.kind {
            found.arms.iter().for_each(|arm| self.arm(&arm.patterns, tokens));
        }
        for expr in statement.expressions() {
            self.expr(expr, tokens);
        }
        for width in statement.types().into_iter().flat_map(|ty| ty.parts()) {
            self.expr(width, tokens);
        }
        for block in statement.blocks() {
            block.statements.iter().for_each(|inner| self.statement(inner, tokens));
        }
    }

    fn expr(&mut self, expr: &Expr<'_>, tokens: &[Located<'_>]) {
        match &expr.kind {
            ExprKind::Concat(_) | ExprKind::Repeat { .. } => {
                // The location may begin with parentheses.
                self.braces.extend(next(tokens, expr.span.start, "{"));
            }
            ExprKind::Slice { bounds, .. } => {
                let colon = next(tokens, bounds[0].span.end, ":");
                self.colons.extend(colon.map(|colon| (colon, Role::Tight)));
            }
            ExprKind::Match(found) => {
                found.arms.iter().for_each(|arm| self.arm(&arm.patterns, tokens));
            }
            _ => {}
        }
        expr.parts().into_iter().for_each(|part| self.expr(part, tokens));
    }

    fn arm(&mut self, patterns: &[Vec<Pattern<'_>>], tokens: &[Located<'_>]) {
        let last = patterns.last().and_then(|last| last.last());
        let colon = last.and_then(|last| next(tokens, last.span.end, ":"));
        self.colons.extend(colon.map(|colon| (colon, Role::Separator)));
    }
}

/// The position of the next token that is a sign.
fn next(tokens: &[Located<'_>], from: u32, sign: &str) -> Option<u32> {
    let first = tokens.partition_point(|located| located.span.start < from);
    let is_it = |located: &&Located<'_>| matches!(located.token, Token::Sign(own) if own == sign);
    tokens[first..].iter().find(is_it).map(|located| located.span.start)
}

/// Goes through the lines of a program.
struct Walk {
    marks: Marks,
    /// The open brackets, and whether each indents the following lines: the first that a line opens does.
    open: Vec<(Role, bool)>,
    /// The token before, if it belongs to the same statement or to one on the same line.
    before: Option<Role>,
}

impl Walk {
    /// Lays out a line, whose tokens are the first of the rest.
    fn line(&mut self, line: Line<'_>, rest: &mut &[Located<'_>]) -> LaidLine {
        let is_new = rest.first().is_some_and(|first| first.token == Token::Newline);
        if is_new {
            *rest = &rest[1..];
            self.before = None;
        }
        let is_own = |located: &&Located<'_>| {
            located.span.start < line.span.end
                && !matches!(located.token, Token::Newline | Token::End)
        };
        let own = &rest[..rest.iter().take_while(is_own).count()];
        *rest = &rest[own.len()..];
        let goes_on = self.before.is_some_and(|before| {
            !matches!(before, Role::OpenBlock)
                && self.open.last().is_none_or(|open| matches!(open.0, Role::OpenBlock))
        });
        let (mut text, mut end) = (String::new(), 0);
        let (mut indent, mut is_closing) = (self.indent(), true);
        let mut kept = self.open.len();
        for located in own {
            let role = self.role(located);
            is_closing &= role.is_close();
            kept = kept.min(self.open.len());
            if is_closing {
                indent = self.indent();
            }
            if text.is_empty() {
                indent += usize::from(goes_on && !is_closing);
            } else if self.before.is_some_and(|before| is_spaced(before, role)) {
                text.push(' ');
            }
            let at = |position: u32| (position - line.span.start) as usize;
            text += &line.text[at(located.span.start)..at(located.span.end)];
            end = at(located.span.end);
            self.before = Some(role);
        }
        for (at, open) in self.open[kept..].iter_mut().enumerate() {
            open.1 = at == 0;
        }
        let comment = line.text[end..].trim();
        text += if text.is_empty() || comment.is_empty() { "" } else { " " };
        text += comment;
        LaidLine { indent, indent_after: self.indent(), text }
    }

    /// The role of a token; brackets are opened and closed.
    fn role(&mut self, located: &Located<'_>) -> Role {
        let is_operand_next = self.before.is_none_or(Role::is_before_operand);
        let sign = match located.token {
            Token::Sign(sign) => sign,
            Token::Name(word) => return word_role(word, is_operand_next),
            _ => return Role::Operand,
        };
        let role = match sign {
            "(" if is_operand_next => Role::Open,
            "(" | "[" => Role::OpenAfter,
            "{" if self.marks.braces.contains(&located.span.start) => Role::Open,
            "{" => Role::OpenBlock,
            "@[" => Role::Guard,
            ")" | "]" | "}" => match self.open.pop() {
                Some((Role::OpenBlock, _)) => return Role::CloseBlock,
                _ => return Role::Close,
            },
            "," | ";" => return Role::Separator,
            "." | "@" => return Role::Tight,
            ":" => {
                let colon = self.marks.colons.get(&located.span.start);
                return colon.copied().unwrap_or(Role::Infix);
            }
            "-" | "+" | "~" if is_operand_next => return Role::Prefix,
            _ => return Role::Infix,
        };
        self.open.push((role, true));
        role
    }

    /// How many times a line is indented.
    fn indent(&self) -> usize {
        self.open.iter().filter(|open| open.1).count()
    }
}

/// The role of a word: `and` and `or` are also names of functions.
fn word_role(word: &str, is_operand_next: bool) -> Role {
    match word {
        "body" | "unknown" => Role::Operand,
        "and" | "or" if is_operand_next => Role::Operand,
        word if is_keyword(word) => Role::Word,
        _ => Role::Operand,
    }
}
