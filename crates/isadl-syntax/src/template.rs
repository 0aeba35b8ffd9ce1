//! Templates: the lines of a `__Syntax` fence, which show the forms of an operation to readers.
//!
//! A line is a form, `IADD.X Rd{, pu}, {-}Ra, SrcB $sched ;`, or lists the values of a
//! placeholder, `.itype = {.S32*, .U32}`.

use crate::ast::Ident;
use crate::source::Span;
use isadl_base::vocabulary::Symbol;

/// The content of a line.
#[derive(Debug)]
pub enum Line<'s> {
    /// A form.
    Form(Form<'s>),
    /// The values of a placeholder.
    Values(Values<'s>),
}

/// A form of an operation.
#[derive(Debug)]
pub struct Form<'s> {
    /// The first word, before any dot.
    pub head: Ident<'s>,
    /// The dotted parts after it: the rest of the mnemonic, then modifiers.
    pub dotted: Vec<Item<'s>>,
    /// The places of operands.
    pub places: Vec<PlaceItem<'s>>,
    /// The control fields, without `$`.
    pub controls: Vec<Ident<'s>>,
    /// The whole line without its comment.
    pub span: Span,
}

/// A name behind a dot.
#[derive(Debug, Clone, Copy)]
pub struct Item<'s> {
    /// The name, without the dot.
    pub name: Ident<'s>,
    /// Whether it is in braces.
    pub is_optional: bool,
}

/// The place of an operand.
#[derive(Debug)]
pub struct PlaceItem<'s> {
    /// The name of the operand.
    pub name: Ident<'s>,
    /// Whether it is in braces.
    pub is_optional: bool,
    /// The marks before it.
    pub marks: Vec<(Symbol, Span)>,
    /// The attributes behind it.
    pub suffixes: Vec<Item<'s>>,
}

/// The values that a placeholder stands for.
#[derive(Debug)]
pub struct Values<'s> {
    /// The placeholder.
    pub name: Ident<'s>,
    /// The values.
    pub values: Vec<(Ident<'s>, IsDefault)>,
}

/// Whether a value bears the star.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IsDefault {
    /// It is the default.
    Yes,
    /// It is another value.
    No,
}

/// An unreadable part of a line.
#[derive(Debug)]
pub struct Unreadable {
    /// The place of the mistake.
    pub span: Span,
    /// What is wrong there.
    pub why: &'static str,
}

/// Reads a line that is not blank and no comment.
pub fn parse(line: Ident<'_>) -> Result<Line<'_>, Unreadable> {
    let tokens = tokens(line)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    if tokens.iter().any(|token| token.kind == Kind::Equals) {
        return parser.values().map(Line::Values);
    }
    let content = line.text.split("//").next().unwrap_or_default().trim_end();
    let span = piece(line, 0, content.len()).span;
    parser.form(span).map(Line::Form)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    Comma,
    End,
    Star,
    Equals,
    Mark(Symbol),
    /// A name behind a dot.
    Dotted,
    /// A name behind `$`.
    Control,
    Word,
}

#[derive(Debug, Clone, Copy)]
struct Token<'s> {
    kind: Kind,
    /// Without the dot or `$` before it.
    text: Ident<'s>,
}

fn tokens(line: Ident<'_>) -> Result<Vec<Token<'_>>, Unreadable> {
    let content = line.text.split("//").next().unwrap_or_default();
    let bytes = content.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let kind = match bytes[at] {
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'{' => Kind::Open,
            b'}' => Kind::Close,
            b',' => Kind::Comma,
            b';' => Kind::End,
            b'*' => Kind::Star,
            b'=' => Kind::Equals,
            b'!' => Kind::Mark(Symbol::Not),
            b'-' => Kind::Mark(Symbol::Negate),
            b'~' => Kind::Mark(Symbol::Complement),
            b'|' => Kind::Mark(Symbol::Absolute),
            b'.' => Kind::Dotted,
            b'$' => Kind::Control,
            byte if is_word(byte) => Kind::Word,
            _ => {
                let length = content[at..].chars().next().map_or(1, char::len_utf8);
                let span = piece(line, at, at + length).span;
                return Err(Unreadable {
                    span,
                    why: "this character has no meaning in a template",
                });
            }
        };
        let skipped = usize::from(matches!(kind, Kind::Dotted | Kind::Control));
        let start = at + skipped;
        let is_glued = !content[..at].contains([' ', '\t']) && !has_braces(&tokens);
        let end = match kind {
            Kind::Dotted | Kind::Word if is_glued => start + head_length(&content[start..]),
            Kind::Dotted | Kind::Control => start + word_length(&bytes[start..]),
            Kind::Word => start + operand_length(&bytes[start..]),
            _ => at + 1,
        };
        if end == start {
            let span = piece(line, at, at + 1).span;
            return Err(Unreadable { span, why: "a name must follow" });
        }
        tokens.push(Token { kind, text: piece(line, start, end) });
        at = end;
    }
    Ok(tokens)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether an optional part has begun.
fn has_braces(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| token.kind == Kind::Open)
}

/// The length of a part of the mnemonic up to a dot: words, and fields in braces. A dot that nothing follows belongs to
/// it.
fn head_length(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let word = word_length(rest.as_bytes());
        let field = rest.strip_prefix('{').map_or(0, |name| word_length(name.as_bytes()));
        at += match word {
            0 if field > 0 && rest[field + 1..].starts_with('}') => field + 2,
            0 => break,
            _ => word,
        };
    }
    let after = text[at..].strip_prefix('.');
    let is_end = after.is_some_and(|after| !after.starts_with(|c: char| is_head(c)));
    if is_end && at > 0 { at + 1 } else { at }
}

fn is_head(c: char) -> bool {
    c == '{' || u8::try_from(c).is_ok_and(is_word)
}

fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_word(**byte)).count()
}

/// A word with the brackets that follow it: `R[URb{+SImm9}]`.
fn operand_length(bytes: &[u8]) -> usize {
    let word = word_length(bytes);
    if bytes.get(word) != Some(&b'[') {
        return word;
    }
    bytes.iter().position(|byte| *byte == b']').map_or(word, |close| close + 1)
}

fn piece(line: Ident<'_>, start: usize, end: usize) -> Ident<'_> {
    let base = line.span.start;
    let span = Span { start: base + start as u32, end: base + end as u32, ..line.span };
    Ident { text: &line.text[start..end], span }
}

struct Parser<'t, 's> {
    tokens: &'t [Token<'s>],
    at: usize,
    /// Braces that are open.
    depth: usize,
}

impl<'s> Parser<'_, 's> {
    fn next(&mut self) -> Option<Token<'s>> {
        let token = self.tokens.get(self.at).copied()?;
        self.at += 1;
        match token.kind {
            Kind::Open => self.depth += 1,
            Kind::Close => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        Some(token)
    }

    fn form(&mut self, span: Span) -> Result<Form<'s>, Unreadable> {
        let Some(Token { kind: Kind::Word, text: head }) = self.next() else {
            return Err(Unreadable { span, why: "a template begins with a mnemonic" });
        };
        let mut form =
            Form { head, dotted: Vec::new(), places: Vec::new(), controls: Vec::new(), span };
        let mut marks = Vec::new();
        while let Some(token) = self.next() {
            let item = Item { name: token.text, is_optional: self.depth > 0 };
            match token.kind {
                Kind::Open | Kind::Close | Kind::Comma | Kind::End => {}
                Kind::Star | Kind::Equals => {
                    let why = "this has no meaning in the form of an operation";
                    return Err(Unreadable { span: token.text.span, why });
                }
                Kind::Mark(symbol) => marks.push((symbol, token.text.span)),
                Kind::Control => form.controls.push(token.text),
                Kind::Dotted => match form.places.last_mut() {
                    None => form.dotted.push(item),
                    Some(place) => place.suffixes.push(item),
                },
                Kind::Word => {
                    // A bar that closes the previous operand was read as a mark of this operand.
                    let marks = std::mem::take(&mut marks);
                    let (name, is_optional) = (item.name, item.is_optional);
                    form.places.push(PlaceItem { name, is_optional, marks, suffixes: Vec::new() });
                }
            }
            if matches!(token.kind, Kind::Comma) {
                marks.clear();
            }
        }
        if self.depth > 0 {
            return Err(Unreadable { span, why: "a brace is not closed" });
        }
        Ok(form)
    }

    fn values(&mut self) -> Result<Values<'s>, Unreadable> {
        let whole = self.tokens[0].text.span.to(self.tokens[self.tokens.len() - 1].text.span);
        let unreadable = |span| Unreadable { span, why: "the form is `.name = {.A*, .B}`" };
        let name = match self.next() {
            Some(Token { kind: Kind::Dotted, text }) => text,
            Some(token) => {
                let why = "the name of a placeholder has a dot before it: `.name = {.A*, .B}`";
                return Err(Unreadable { span: token.text.span, why });
            }
            None => return Err(unreadable(whole)),
        };
        let mut values: Vec<(Ident<'s>, IsDefault)> = Vec::new();
        while let Some(token) = self.next() {
            match (token.kind, values.last_mut()) {
                (Kind::Dotted, _) => values.push((token.text, IsDefault::No)),
                (Kind::Star, Some(value)) => value.1 = IsDefault::Yes,
                (Kind::Equals | Kind::Open | Kind::Close | Kind::Comma | Kind::End, _) => {}
                _ => return Err(unreadable(token.text.span)),
            }
        }
        Ok(Values { name, values })
    }
}
