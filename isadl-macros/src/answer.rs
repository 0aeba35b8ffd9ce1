//! The expansion of the macro: the module, files for the compiler to watch, warnings, or errors.

use isadl_codegen::builder::{BuildError, Finding};
use isadl_codegen::rust::{ModuleHead, StandIn};
use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use crate::Answer;
use crate::request::{Problem, Request, Specification};

/// The module, and additional items without a name.
pub(crate) fn module(request: &Request, answer: Answer) -> TokenStream {
    let mut text = answer.module;
    for file in &answer.files {
        // This tells the compiler that the crate depends on the file.
        let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        text += &format!("const _: &[u8] = include_bytes!({:?});\n", path.display().to_string());
    }
    let mut tokens = match text.parse::<TokenStream>() {
        Ok(tokens) => tokens,
        // INVARIANT: generated code is Rust.
        Err(error) => return failure(request, &error.to_string()).tokens(),
    };
    tokens.extend(answer.warnings.iter().map(|finding| complaint(request, finding).tokens()));
    tokens
}

/// An error or a warning, and where it is shown.
pub(crate) struct Complaint {
    span: Span,
    message: String,
    is_error: bool,
}

impl From<Problem> for Complaint {
    fn from(problem: Problem) -> Complaint {
        Complaint { span: problem.span, message: problem.message, is_error: true }
    }
}

impl Complaint {
    fn tokens(self) -> TokenStream {
        match self.is_error {
            true => compile_error(self.span, &self.message),
            false => warning(self.span, &self.message),
        }
    }
}

/// Errors and warnings where there can be no module.
pub(crate) fn complaints(list: Vec<Complaint>) -> TokenStream {
    list.into_iter().map(Complaint::tokens).collect()
}

/// Errors and warnings, with a stand-in for the module that cannot be generated. The stand-in has the module's names,
/// so that uses of them are not reported too. The first error is in the module.
pub(crate) fn stand_in(
    request: &Request,
    names: &StandIn,
    mut list: Vec<Complaint>,
) -> TokenStream {
    let own = names.module().map(|name| ("pub", name));
    let given =
        request.settings.module().map(|(visibility, name)| (visibility.as_str(), name.as_str()));
    let named = given.or(own).filter(|(_, name)| ModuleHead::can_name(name));
    let first = list.iter().position(|complaint| complaint.is_error);
    let (Some((visibility, name)), Some(first)) = (named, first) else { return complaints(list) };
    let error = list.remove(first);
    let [before, after] = names.items();
    let span = request.span();
    let mut items = parsed(&before, span);
    let mut block = Group::new(Delimiter::Brace, compile_error(error.span, &error.message));
    block.set_span(span);
    items.extend([TokenTree::from(block)]);
    items.extend(parsed(&after, span));
    let mut module = parsed(&format!("#[allow(warnings)] {visibility} mod {name}"), span);
    let mut body = Group::new(Delimiter::Brace, items);
    body.set_span(span);
    module.extend([TokenTree::from(body)]);
    module.extend(complaints(list));
    module
}

/// Code as tokens with a location.
fn parsed(text: &str, span: Span) -> TokenStream {
    let tokens = text.parse::<TokenStream>().unwrap_or_default();
    tokens.into_iter().map(|token| spanned(token, span)).collect()
}

/// The reason why there is no module.
pub(crate) fn refusal(request: &Request, error: &BuildError) -> Vec<Complaint> {
    let BuildError::Specification(findings) = error else {
        return vec![failure(request, &error.to_string())];
    };
    findings.iter().map(|finding| complaint(request, finding)).collect()
}

/// An error about the whole specification.
pub(crate) fn failure(request: &Request, message: &str) -> Complaint {
    Complaint { span: request.span(), message: message.to_string(), is_error: true }
}

fn complaint(request: &Request, finding: &Finding) -> Complaint {
    let is_error = finding.severity == isadl::diagnostic::Severity::Error;
    Complaint { span: span(request, finding), message: shown(finding), is_error }
}

/// The token that a finding is about.
fn span(request: &Request, finding: &Finding) -> Span {
    match &request.specification {
        Specification::Inline(inline) => inline.span_at(finding.place),
        Specification::Paths(_) => request.span(),
    }
}

/// A finding as the message of a compiler diagnostic, which has the severity before it.
fn shown(finding: &Finding) -> String {
    let text = finding.text.trim_end();
    let own = text.strip_prefix(finding.severity.as_str()).and_then(|own| own.strip_prefix('['));
    match own.and_then(|own| own.split_once(']')) {
        Some((code, rest)) => format!("{code}{rest}"),
        None => text.to_string(),
    }
}

fn compile_error(span: Span, message: &str) -> TokenStream {
    let mut literal = Literal::string(message);
    literal.set_span(span);
    let mut arguments = Group::new(Delimiter::Brace, TokenTree::from(literal).into());
    arguments.set_span(span);
    let mut bang = Punct::new('!', Spacing::Alone);
    bang.set_span(span);
    [
        TokenTree::from(Ident::new("compile_error", span)),
        TokenTree::from(bang),
        TokenTree::from(arguments),
    ]
    .into_iter()
    .collect()
}

/// A use of a deprecated item, with a message: the only kind of warning that a macro can produce.
fn warning(span: Span, message: &str) -> TokenStream {
    let message = Literal::string(message);
    let text = format!(
        "const _: () = {{ #[deprecated(note = {message})] \
         #[allow(non_upper_case_globals)] const specification: () = (); specification }};"
    );
    parsed(&text, span)
}

/// Gives a token, and the tokens in it, a location.
fn spanned(token: TokenTree, span: Span) -> TokenTree {
    let mut token = match token {
        TokenTree::Group(group) => {
            let inside = group.stream().into_iter().map(|token| spanned(token, span)).collect();
            TokenTree::from(Group::new(group.delimiter(), inside))
        }
        token => token,
    };
    token.set_span(span);
    token
}
