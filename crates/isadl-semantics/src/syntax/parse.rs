//! The parser: statements.
//!
//! Invariant: a statement that cannot be read loses only itself, with one finding.

use isadl_diagnostics::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl_diagnostics::span::Span;

use super::ast::{
    Arm, Block, Condition, Expr, ExprKind, Guard, Match, Name, Pattern, PatternKind, Program,
    Range, Statement, StatementKind, Trap,
};
use super::token::{Line, Located, Token, tokens};

/// How deep expressions and blocks may be nested.
pub const MAX_NESTING: usize = 64;

/// Parses a program.
///
/// Everything that can be read is in the result; the rest is reported with `E1201`.
///
/// ```
/// use isadl_diagnostics::{diagnostic::Diagnostics, source::SourceMap, span::Span};
/// use isadl_semantics::syntax::{Line, parse};
///
/// let mut sources = SourceMap::new();
/// let file = sources.add("a.isa", b"rd = rs1 + imm".to_vec());
/// let text = sources.file(file).text();
/// let span = Span { file, start: 0, end: text.len() as u32 };
/// let mut diagnostics = Diagnostics::default();
/// let program = parse(&[Line { text, span }], &mut diagnostics);
/// assert_eq!(program.statements.len(), 1);
/// assert!(diagnostics.is_empty());
/// ```
pub fn parse<'s>(lines: &[Line<'s>], diagnostics: &mut Diagnostics) -> Program<'s> {
    let mut faults = Diagnostics::default();
    let tokens = tokens(lines, &mut faults);
    if tokens.is_empty() {
        return Program::default();
    }
    let mut found = Diagnostics::default();
    let mut parser = Parser::new(tokens, &mut found);
    let program = Program { statements: parser.statements(None) };
    // What the parser misses may be what is not a token.
    let reported = if faults.has_errors() { &faults } else { &found };
    diagnostics.extend(reported.iter().cloned());
    program
}

/// A fault that ends the statement.
pub(super) struct Fault(pub(super) Box<Diagnostic>);

pub(super) type Parsed<T> = Result<T, Fault>;

pub(super) struct Parser<'s, 'd> {
    tokens: Vec<Located<'s>>,
    at: usize,
    depth: usize,
    diagnostics: &'d mut Diagnostics,
}

impl<'s, 'd> Parser<'s, 'd> {
    /// A parser of tokens, of which the last is [`Token::End`].
    pub(super) fn new(
        tokens: Vec<Located<'s>>,
        diagnostics: &'d mut Diagnostics,
    ) -> Parser<'s, 'd> {
        Parser { tokens, at: 0, depth: 0, diagnostics }
    }

    // ---- tokens

    pub(super) fn next(&self) -> Token<'s> {
        self.tokens[self.at].token
    }

    /// The token after the next; line ends count.
    pub(super) fn second(&self) -> Token<'s> {
        self.tokens.get(self.at + 1).map_or(Token::End, |located| located.token)
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// From the start of a span to the end of the last token that was taken.
    pub(super) fn since(&self, start: Span) -> Span {
        let last = self.tokens[self.at.saturating_sub(1)].span;
        Span { end: last.end.max(start.end), ..start }
    }

    pub(super) fn take(&mut self) -> Located<'s> {
        let located = self.tokens[self.at];
        if located.token != Token::End {
            self.at += 1;
        }
        located
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.next(), Token::Sign(next) if next == sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.next(), Token::Name(next) if next == word)
    }

    /// Takes the sign if it is next.
    pub(super) fn accept(&mut self, sign: &str) -> bool {
        let is_next = self.is_sign(sign);
        if is_next {
            self.take();
        }
        is_next
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let is_next = self.is_word(word);
        if is_next {
            self.take();
        }
        is_next
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<Span> {
        match self.is_sign(sign) {
            true => Ok(self.take().span),
            false => Err(self.fault(format!("expected `{sign}`"))),
        }
    }

    pub(super) fn name(&mut self) -> Parsed<Name<'s>> {
        match self.next() {
            Token::Name(text) if !is_keyword(text) => Ok(Name { text, span: self.take().span }),
            Token::Name(text) => {
                Err(self
                    .fault(format!("`{text}` is a keyword and cannot be a name; expected a name")))
            }
            _ => Err(self.fault("expected a name")),
        }
    }

    /// The name of a mark or part after a point, where keywords have no meaning: `pp.not`.
    pub(super) fn member_name(&mut self) -> Parsed<Name<'s>> {
        match self.next() {
            Token::Name(text) => Ok(Name { text, span: self.take().span }),
            _ => self.name(),
        }
    }

    pub(super) fn skip_newlines(&mut self) {
        while self.next() == Token::Newline {
            self.take();
        }
    }

    /// A fault at the next token.
    pub(super) fn fault(&self, expected: impl Into<String>) -> Fault {
        let message = format!("{}, found {}", expected.into(), self.next().describe());
        Fault(Box::new(Diagnostic::new(Code::E1201, message, self.span())))
    }

    pub(super) fn fault_with(
        &self,
        message: impl Into<String>,
        span: Span,
        help: impl Into<String>,
    ) -> Fault {
        Fault(Box::new(Diagnostic::new(Code::E1201, message, span).with_help(help)))
    }

    /// Runs a step one level deeper.
    pub(super) fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_NESTING {
            let help = "give a part a name, or write a function";
            return Err(self.fault_with(
                format!("nested more than {MAX_NESTING} deep"),
                self.span(),
                help,
            ));
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    // ---- statements

    /// Statements up to a closing sign, or to the end.
    fn statements(&mut self, close: Option<&'static str>) -> Vec<Statement<'s>> {
        let mut found = Vec::new();
        loop {
            while matches!(self.next(), Token::Newline | Token::Sign(";")) {
                self.take();
            }
            let is_closed = match self.next() {
                Token::End => true,
                Token::Sign(sign) => Some(sign) == close,
                _ => false,
            };
            if is_closed {
                return found;
            }
            let start = self.at;
            match self.statement().and_then(|statement| self.ended(close).map(|()| statement)) {
                Ok(statement) => found.push(statement),
                Err(Fault(diagnostic)) => {
                    self.diagnostics.push(*diagnostic);
                    self.recover(start);
                }
            }
        }
    }

    /// Checks that a statement ends here.
    fn ended(&self, close: Option<&'static str>) -> Parsed<()> {
        let before = self.tokens[self.at - 1].token;
        match self.next() {
            Token::Newline | Token::Sign(";") | Token::End => Ok(()),
            Token::Sign(sign) if Some(sign) == close => Ok(()),
            // A block ends its statement.
            _ if before == Token::Sign("}") && !self.is_sign("=") => Ok(()),
            _ => Err(self.fault("expected the end of the statement")),
        }
    }

    /// Skips the rest of a statement that began at a token, with the blocks in it.
    fn recover(&mut self, start: usize) {
        let mut depth = self.tokens[start..self.at]
            .iter()
            .fold(0i32, |depth, located| depth + nesting(located.token));
        loop {
            let token = self.next();
            let is_end = depth <= 0 && matches!(token, Token::Newline | Token::Sign(";" | "}"));
            if token == Token::End || is_end {
                // A brace that closes nothing is skipped, so that the parser goes on.
                if self.at == start || (depth < 0 && token == Token::Sign("}")) {
                    self.take();
                }
                return;
            }
            depth += nesting(token);
            self.take();
        }
    }

    pub(super) fn block(&mut self) -> Parsed<Block<'s>> {
        self.nested(|parser| {
            let open = parser.expect("{")?;
            let statements = parser.statements(Some("}"));
            parser.expect("}")?;
            Ok(Block { span: parser.since(open), statements })
        })
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement<'s>> {
        let start = self.span();
        let kind = self.statement_kind()?;
        let guard = if self.is_sign("@[") { Some(self.guard()?) } else { None };
        Ok(Statement { span: self.since(start), kind, guard })
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind<'s>> {
        let Token::Name(word) = self.next() else { return self.assignment() };
        if let Some(declaration) = self.declaration(word)? {
            return Ok(StatementKind::Declare(declaration));
        }
        match word {
            "if" => self.conditional(),
            "match" => self.match_statement(),
            "for" => {
                self.take();
                let name = self.name()?;
                self.expect_word("in")?;
                let range = self.range()?;
                Ok(StatementKind::For { name, range, body: self.block()? })
            }
            "each" => self.each(),
            "atomic" => {
                self.take();
                Ok(StatementKind::Atomic(self.block()?))
            }
            "ordered" | "access" if self.second() == Token::Sign("(") => {
                let word = Name { text: word, span: self.take().span };
                self.expect("(")?;
                let label = self.expr()?;
                self.expect(")")?;
                Ok(StatementKind::Labelled { word, label, body: self.block()? })
            }
            "var" => {
                self.take();
                let name = self.name()?;
                self.expect(":")?;
                let ty = self.ty()?;
                self.expect("=")?;
                Ok(StatementKind::Var { name, ty, value: self.expr()? })
            }
            "trap" => {
                self.take();
                Ok(StatementKind::Trap(self.trap()?))
            }
            "unpredictable" => {
                self.take();
                Ok(StatementKind::Unpredictable)
            }
            "nothing" => {
                self.take();
                Ok(StatementKind::Nothing)
            }
            "commit" => {
                self.take();
                Ok(StatementKind::Commit)
            }
            "return" => {
                self.take();
                Ok(StatementKind::Return(self.expr()?))
            }
            _ => self.assignment(),
        }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        match self.accept_word(word) {
            true => Ok(()),
            false => Err(self.fault(format!("expected `{word}`"))),
        }
    }

    pub(super) fn trap(&mut self) -> Parsed<Trap<'s>> {
        let name = self.name()?;
        let arguments = if self.is_sign("(") { self.arguments()? } else { Vec::new() };
        Ok(Trap { name, arguments })
    }

    /// `target = value`, or an expression alone.
    fn assignment(&mut self) -> Parsed<StatementKind<'s>> {
        let target = self.expr()?;
        if self.accept("=") {
            return Ok(StatementKind::Assign { target, value: self.expr()? });
        }
        Ok(StatementKind::Value(target))
    }

    fn conditional(&mut self) -> Parsed<StatementKind<'s>> {
        let mut branches = Vec::new();
        loop {
            let keyword = self.take().span;
            let condition = self.expr()?;
            if !self.is_sign("{") {
                let help = "write `if condition { target = value }`, or `target = condition ? value : other`";
                return Err(self.fault_with("`if` has no block", self.since(keyword), help));
            }
            branches.push((condition, self.block()?));
            let before = self.at;
            self.skip_newlines();
            if !self.accept_word("else") {
                self.at = before;
                return Ok(StatementKind::If { branches, otherwise: None });
            }
            if !self.is_word("if") {
                let otherwise = Some(self.block()?);
                return Ok(StatementKind::If { branches, otherwise });
            }
        }
    }

    fn each(&mut self) -> Parsed<StatementKind<'s>> {
        let start = self.take().span;
        let is_index = matches!(self.next(), Token::Name(_))
            && matches!(self.second(), Token::Sign("{") | Token::Name("in"));
        let index = if is_index { Some(self.name()?) } else { None };
        let range = if self.accept_word("in") { Some(self.range()?) } else { None };
        if is_index || self.is_sign("{") {
            return Ok(StatementKind::Each { index, range, body: self.block()? });
        }
        let statement = self.nested(Self::statement)?;
        Ok(StatementKind::Each {
            index,
            range,
            body: Block { span: self.since(start), statements: vec![statement] },
        })
    }

    /// A `match` whose arms are blocks or statements. If all arms are expressions, it is an expression.
    fn match_statement(&mut self) -> Parsed<StatementKind<'s>> {
        let found = self.match_of(|parser| {
            if parser.is_sign("{") {
                return parser.block();
            }
            let start = parser.span();
            let statement = parser.nested(Self::statement)?;
            Ok(Block { span: parser.since(start), statements: vec![statement] })
        })?;
        let is_value = |arm: &Arm<'_, Block<'_>>| {
            matches!(arm.value.statements.as_slice(), [Statement { kind: StatementKind::Value(value), .. }]
                if !matches!(value.kind, ExprKind::Body))
        };
        if !found.arms.iter().all(is_value) || found.arms.is_empty() {
            return Ok(StatementKind::Match(found));
        }
        let span = self.since(found.keyword);
        let arm = |arm: Arm<'s, Block<'s>>| {
            let value = arm.value.statements.into_iter().next().map(|statement| statement.kind);
            let Some(StatementKind::Value(value)) = value else { return None };
            Some(Arm { span: arm.span, patterns: arm.patterns, value })
        };
        let arms = found.arms.into_iter().filter_map(arm).collect();
        let kind = ExprKind::Match(Box::new(Match {
            keyword: found.keyword,
            subjects: found.subjects,
            arms,
        }));
        Ok(StatementKind::Value(Expr { span, kind }))
    }

    /// A `match` whose arms are read by `value`.
    pub(super) fn match_of<V>(
        &mut self,
        mut value: impl FnMut(&mut Self) -> Parsed<V>,
    ) -> Parsed<Match<'s, V>> {
        let keyword = self.take().span;
        let mut subjects = vec![self.expr()?];
        while self.accept(",") {
            subjects.push(self.expr()?);
        }
        self.expect("{")?;
        let mut arms = Vec::new();
        loop {
            while matches!(self.next(), Token::Newline | Token::Sign(";")) {
                self.take();
            }
            if self.accept("}") {
                return Ok(Match { keyword, subjects, arms });
            }
            let start = self.span();
            let mut patterns = Vec::new();
            loop {
                patterns.push(self.alternatives()?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(":")?;
            self.skip_newlines();
            let value = self.nested(&mut value)?;
            arms.push(Arm { span: self.since(start), patterns, value });
            if !matches!(self.next(), Token::Newline | Token::Sign(";" | "}")) {
                return Err(self.fault("expected the end of the arm"));
            }
        }
    }

    fn alternatives(&mut self) -> Parsed<Vec<Pattern<'s>>> {
        let mut found = vec![self.pattern()?];
        while self.accept("|") {
            found.push(self.pattern()?);
        }
        Ok(found)
    }

    fn pattern(&mut self) -> Parsed<Pattern<'s>> {
        let start = self.span();
        let sign =
            if self.is_sign("-") || self.is_sign("+") { Some(self.take().token) } else { None };
        let kind = match (self.next(), sign) {
            (Token::Name("_"), None) => PatternKind::Any,
            (Token::Int(value), sign) => {
                let value = i128::try_from(value)
                    .map_err(|_| self.fault("expected a number of up to 127 bits"))?;
                PatternKind::Int(if sign == Some(Token::Sign("-")) { -value } else { value })
            }
            (Token::Name(text) | Token::Text(text), None) => PatternKind::Name(text),
            _ => return Err(self.fault("expected a pattern: a name, a number or `_`")),
        };
        self.take();
        Ok(Pattern { span: self.since(start), kind })
    }

    pub(super) fn range(&mut self) -> Parsed<Range<'s>> {
        let first = self.expr()?;
        match self.accept("..") {
            true => Ok(Range::Between(first, self.expr()?)),
            false => Ok(Range::Bits(first)),
        }
    }

    // ---- guards

    fn guard(&mut self) -> Parsed<Guard<'s>> {
        let start = self.take().span;
        let condition = self.any_of()?;
        self.expect("]")?;
        Ok(Guard { span: self.since(start), condition })
    }

    fn any_of(&mut self) -> Parsed<Condition<'s>> {
        let mut found = vec![self.all_of()?];
        while self.accept_word("or") || self.accept(",") {
            found.push(self.all_of()?);
        }
        Ok(if found.len() == 1 { found.remove(0) } else { Condition::Any(found) })
    }

    fn all_of(&mut self) -> Parsed<Condition<'s>> {
        let mut found = vec![self.term()?];
        while self.accept_word("and") {
            found.push(self.term()?);
        }
        Ok(if found.len() == 1 { found.remove(0) } else { Condition::All(found) })
    }

    fn term(&mut self) -> Parsed<Condition<'s>> {
        self.nested(|parser| {
            if parser.accept_word("not") {
                return Ok(Condition::Not(Box::new(parser.term()?)));
            }
            if parser.accept("(") {
                let inner = parser.any_of()?;
                parser.expect(")")?;
                return Ok(inner);
            }
            Ok(Condition::Name(parser.name()?))
        })
    }
}

/// How a token changes the number of open braces.
fn nesting(token: Token<'_>) -> i32 {
    match token {
        Token::Sign("{") => 1,
        Token::Sign("}") => -1,
        _ => 0,
    }
}

/// The words that cannot be names.
pub(crate) const RESERVED: [&str; 21] = [
    "and",
    "atomic",
    "body",
    "commit",
    "const",
    "each",
    "else",
    "extern",
    "fn",
    "for",
    "if",
    "in",
    "let",
    "match",
    "not",
    "nothing",
    "or",
    "return",
    "unknown",
    "unpredictable",
    "var",
];

/// Whether a word cannot be a name.
pub(crate) fn is_keyword(word: &str) -> bool {
    RESERVED.contains(&word)
}
