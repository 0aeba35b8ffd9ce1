//! The expansion of the macro: the module, files for the compiler to watch, warnings, or errors.

use isadl_codegen::builder::{BuildError, Finding};
use isadl_codegen::rust::ModuleHead;
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
        Err(error) => return failure(request, &error.to_string()),
    };
    tokens.extend(answer.warnings.iter().map(|finding| warning(request, finding)));
    tokens
}

/// The errors in the macro's input.
pub(crate) fn problems(problems: &[Problem]) -> TokenStream {
    problems.iter().map(|problem| compile_error(problem.span, &problem.message)).collect()
}

/// Errors, and an empty module: that the module is missing is not another error.
pub(crate) fn with_empty_module(request: &Request, errors: TokenStream) -> TokenStream {
    let named = request.settings.module().filter(|(_, name)| ModuleHead::can_name(name));
    let Some((visibility, name)) = named else { return errors };
    let module = format!("#[allow(unused)] {visibility} mod {name} {{}}");
    let module = module.parse::<TokenStream>().unwrap_or_default();
    let span = request.span();
    errors.into_iter().chain(module.into_iter().map(|token| spanned(token, span))).collect()
}

/// The reason why there is no module.
pub(crate) fn refusal(request: &Request, error: &BuildError) -> TokenStream {
    let BuildError::Specification(findings) = error else {
        return failure(request, &error.to_string());
    };
    let all = findings.iter().map(|finding| match finding.severity {
        isadl::diagnostic::Severity::Error => {
            compile_error(span(request, finding), &shown(finding))
        }
        _ => warning(request, finding),
    });
    all.collect()
}

/// An error about the whole specification.
pub(crate) fn failure(request: &Request, message: &str) -> TokenStream {
    compile_error(request.span(), message)
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
fn warning(request: &Request, finding: &Finding) -> TokenStream {
    let message = Literal::string(&shown(finding));
    let text = format!(
        "const _: () = {{ #[deprecated(note = {message})] \
         #[allow(non_upper_case_globals)] const specification: () = (); specification }};"
    );
    let span = span(request, finding);
    let tokens = text.parse::<TokenStream>().unwrap_or_default();
    tokens.into_iter().map(|token| spanned(token, span)).collect()
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
