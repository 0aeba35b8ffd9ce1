//! Parses the macro's input: a specification and options.

use isadl::levels::Level;
use isadl_codegen::Builder;
use isadl_codegen::builder::BuildError;
use isadl_codegen::rust::{Constructors, Emit, Options, Parts, Serde, Traits, Views};
use proc_macro::{Delimiter, Span, TokenStream, TokenTree};

use crate::inline::{self, Inline};

/// An error in the macro's input, with its location.
pub(crate) struct Problem {
    pub(crate) span: Span,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Problem {
        Problem { span, message: message.into() }
    }
}

/// A string with its location.
pub(crate) struct Text {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// The source of the specification.
pub(crate) enum Specification {
    Paths(Vec<Text>),
    Inline(Inline),
}

/// The parsed input.
pub(crate) struct Request {
    pub(crate) specification: Specification,
    pub(crate) settings: Settings,
}

impl Request {
    /// The location for errors about the whole specification.
    pub(crate) fn span(&self) -> Span {
        match &self.specification {
            Specification::Paths(paths) => paths.first().map_or(Span::call_site(), |p| p.span),
            Specification::Inline(inline) => inline.span,
        }
    }
}

/// The options, which can be sent to another thread.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    /// Visibility and name of the module, if given.
    module: Option<(String, String)>,
    groups: Vec<String>,
    generations: Vec<String>,
    extensions: Option<String>,
    options: Options,
    /// Whether the code executes instructions.
    executes: bool,
    /// Lints and the levels chosen for them.
    levels: Vec<(String, Level)>,
}

impl Settings {
    /// Visibility and name of the module, if given.
    pub(crate) fn module(&self) -> Option<&(String, String)> {
        self.module.as_ref()
    }

    pub(crate) fn apply(self, builder: Builder) -> Result<Builder, BuildError> {
        let mut builder =
            builder.groups(self.groups).generations(self.generations).options(self.options);
        builder = builder.executes(self.executes);
        if let Some(names) = self.extensions {
            builder = builder.extensions(names);
        }
        if let Some((visibility, name)) = self.module {
            builder = builder.visibility(visibility).module(name);
        }
        self.levels.iter().try_fold(builder, |builder, (lint, level)| match level {
            Level::Allow => builder.allow(lint),
            Level::Warn => builder.warn(lint),
            Level::Deny => builder.deny(lint),
        })
    }
}

/// The names of options.
const OPTION_NAMES: [&str; 11] = [
    "groups",
    "generations",
    "extensions",
    "emit",
    "constructors",
    "views",
    "traits",
    "serde",
    "allow",
    "warn",
    "deny",
];

/// The names of options, as they are listed in errors.
const OPTIONS: &str = "`groups`, `generations`, `extensions`, `emit`, `constructors`, `views`, `traits`, `serde`, `allow`, `warn` and `deny`";

/// The parts that can be generated.
const PARTS: &str = "`decode`, `encode`, `text`, `flow` and `exec`";

impl Request {
    /// The request, unless there is no specification, and all errors in the options.
    pub(crate) fn parse(input: TokenStream) -> (Option<Request>, Vec<Problem>) {
        let mut tokens = Tokens { list: input.into_iter().collect(), at: 0 };
        let mut settings = Settings::default();
        let specification = match tokens.head(&mut settings) {
            Ok(specification) => specification,
            Err(problem) => return (None, vec![problem]),
        };
        let mut problems = Vec::new();
        while !tokens.is_at_end() {
            let option = tokens.punct(',').and_then(|()| match tokens.is_at_end() {
                true => Ok(()),
                false => tokens.option(&mut settings),
            });
            if let Err(problem) = option {
                problems.push(problem);
                tokens.skip_to(',');
            }
        }
        (Some(Request { specification, settings }), problems)
    }
}

/// The tokens of the macro's input.
struct Tokens {
    list: Vec<TokenTree>,
    at: usize,
}

impl Tokens {
    fn peek(&self) -> Option<&TokenTree> {
        self.list.get(self.at)
    }

    fn next(&mut self) -> Option<TokenTree> {
        let token = self.list.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.list.len()
    }

    /// The location of the next token, or of the last token.
    fn span(&self) -> Span {
        let token = self.peek().or(self.list.last());
        token.map_or_else(Span::call_site, TokenTree::span)
    }

    fn expected(&self, what: &str) -> Problem {
        let found = self.peek().map_or("the end".to_string(), |token| format!("`{token}`"));
        Problem::new(self.span(), format!("expected {what}, found {found}"))
    }

    fn is_ident(&self, name: &str) -> bool {
        matches!(self.peek(), Some(TokenTree::Ident(ident)) if ident.to_string() == name)
    }

    fn punct(&mut self, wanted: char) -> Result<(), Problem> {
        match self.peek() {
            Some(TokenTree::Punct(punct)) if punct.as_char() == wanted => {
                self.at += 1;
                Ok(())
            }
            _ => Err(self.expected(&format!("`{wanted}`"))),
        }
    }

    fn skip_to(&mut self, wanted: char) {
        let is_wanted =
            |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == wanted);
        while self.peek().is_some_and(|token| !is_wanted(token)) {
            self.at += 1;
        }
    }

    /// The specification, and the module's name before it.
    fn head(&mut self, settings: &mut Settings) -> Result<Specification, Problem> {
        let mut visibility = String::new();
        if self.is_ident("pub") {
            visibility = "pub".to_string();
            self.at += 1;
            if let Some(TokenTree::Group(group)) = self.peek()
                && group.delimiter() == Delimiter::Parenthesis
            {
                visibility += &group.to_string();
                self.at += 1;
            }
        }
        if self.is_ident("mod") {
            self.at += 1;
            let name = self.name("the name of the module")?;
            settings.module = Some((visibility, name.text));
            self.punct('=')?;
        } else if !visibility.is_empty() {
            return Err(self.expected("`mod`"));
        }
        self.specification()
    }

    fn specification(&mut self) -> Result<Specification, Problem> {
        let what = "the path of a specification, or a specification in braces";
        let Some(token) = self.peek().cloned() else { return Err(self.expected(what)) };
        match &token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                self.at += 1;
                Ok(Specification::Inline(inline::of_tokens(group)))
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                self.at += 1;
                let paths = list(group.stream(), group.span(), |tokens| tokens.string("a path"))?;
                match paths.is_empty() {
                    true => Err(Problem::new(token.span(), "expected the path of a file")),
                    false => Ok(Specification::Paths(paths)),
                }
            }
            TokenTree::Literal(literal) => {
                let path = self.string(what)?;
                match path.text.contains('\n') {
                    true => Ok(Specification::Inline(inline::of_literal(literal, &path.text))),
                    false => Ok(Specification::Paths(vec![path])),
                }
            }
            _ => Err(self.expected(what)),
        }
    }

    fn option(&mut self, settings: &mut Settings) -> Result<(), Problem> {
        let name = self.name("an option")?;
        let known = OPTION_NAMES.contains(&&*name.text);
        if !known {
            let message = format!("`{}` is not an option; the options are {OPTIONS}", name.text);
            return Err(Problem::new(name.span, message));
        }
        self.punct('=')?;
        match name.text.as_str() {
            "groups" => settings.groups = self.names()?,
            "generations" => settings.generations = self.names()?,
            "extensions" => {
                settings.extensions = Some(self.string("the names of extensions")?.text);
            }
            "allow" => self.levels(settings, Level::Allow)?,
            "warn" => self.levels(settings, Level::Warn)?,
            "deny" => self.levels(settings, Level::Deny)?,
            "emit" => (settings.options.parts, settings.executes) = self.parts()?,
            "constructors" => {
                let is_wanted = self.boolean()?;
                settings.options.constructors =
                    if is_wanted { Constructors::PerOpcode } else { Constructors::None };
            }
            "traits" => {
                let is_wanted = self.boolean()?;
                settings.options.traits =
                    if is_wanted { Traits::Implemented } else { Traits::None };
            }
            "serde" => {
                let is_wanted = self.boolean()?;
                settings.options.serde = if is_wanted { Serde::Implemented } else { Serde::None };
            }
            _ => {
                let is_wanted = self.boolean()?;
                settings.options.views = if is_wanted { Views::PerOptype } else { Views::None };
            }
        }
        Ok(())
    }

    fn levels(&mut self, settings: &mut Settings, level: Level) -> Result<(), Problem> {
        settings.levels.extend(self.names()?.into_iter().map(|lint| (lint, level)));
        Ok(())
    }

    /// A list of names, as words or strings.
    fn names(&mut self) -> Result<Vec<String>, Problem> {
        let texts = self.bracketed()?;
        Ok(texts.into_iter().map(|text| text.text).collect())
    }

    fn bracketed(&mut self) -> Result<Vec<Text>, Problem> {
        match self.next() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
                list(group.stream(), group.span(), |tokens| match tokens.peek() {
                    Some(TokenTree::Literal(_)) => tokens.string("a name"),
                    _ => tokens.name("a name"),
                })
            }
            _ => {
                self.at -= 1;
                Err(self.expected("a list in `[` and `]`"))
            }
        }
    }

    /// The parts, and whether the code executes instructions.
    fn parts(&mut self) -> Result<(Parts, bool), Problem> {
        let mut executes = false;
        let mut parts =
            Parts { decode: Emit::No, encode: Emit::No, text: Emit::No, flow: Emit::No };
        for name in self.bracketed()? {
            let part = match name.text.as_str() {
                "decode" => &mut parts.decode,
                "encode" => &mut parts.encode,
                "text" => &mut parts.text,
                "flow" => &mut parts.flow,
                "exec" => {
                    executes = true;
                    continue;
                }
                other => {
                    let message = format!("`{other}` is not a part; the parts are {PARTS}");
                    return Err(Problem::new(name.span, message));
                }
            };
            *part = Emit::Yes;
        }
        Ok((parts, executes))
    }

    fn boolean(&mut self) -> Result<bool, Problem> {
        match self.name("`true` or `false`") {
            Ok(name) if name.text == "true" => Ok(true),
            Ok(name) if name.text == "false" => Ok(false),
            _ => {
                self.at = self.at.saturating_sub(1);
                Err(self.expected("`true` or `false`"))
            }
        }
    }

    fn name(&mut self, what: &str) -> Result<Text, Problem> {
        match self.peek() {
            Some(TokenTree::Ident(ident)) => {
                let text = Text { span: ident.span(), text: ident.to_string() };
                self.at += 1;
                Ok(text)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A string literal, raw or with escapes.
    fn string(&mut self, what: &str) -> Result<Text, Problem> {
        if let Some(TokenTree::Literal(literal)) = self.peek()
            && let Some(text) = inline::string(&literal.to_string())
        {
            let text = Text { span: literal.span(), text };
            self.at += 1;
            return Ok(text);
        }
        Err(self.expected(what))
    }
}

/// The items between commas; a trailing comma is allowed.
fn list<T>(
    stream: TokenStream,
    span: Span,
    mut item: impl FnMut(&mut Tokens) -> Result<T, Problem>,
) -> Result<Vec<T>, Problem> {
    let mut tokens = Tokens { list: stream.into_iter().collect(), at: 0 };
    let mut items = Vec::new();
    while !tokens.is_at_end() {
        items.push(item(&mut tokens).map_err(|problem| match tokens.list.is_empty() {
            true => Problem { span, ..problem },
            false => problem,
        })?);
        if !tokens.is_at_end() {
            tokens.punct(',')?;
        }
    }
    Ok(items)
}
