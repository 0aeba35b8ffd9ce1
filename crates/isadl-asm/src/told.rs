//! Directives that say something to the user, and directives without effect.

use isadl::diagnostic::{Code, Diagnostic};

use crate::assembler::{Assembler, with_site};
use crate::expand::Statement;
use crate::text::Loc;

impl Assembler<'_, '_> {
    /// `.error "text"`, `.warning "text"`, `.print "text"`
    pub(crate) fn told(&mut self, statement: &Statement, word: &str, start: usize) {
        let loc = statement.loc(0, statement.as_str().len());
        // A macro tells its caller.
        let loc = Loc { span: loc.site.unwrap_or(loc.span), site: None };
        let text = match start < statement.as_str().len() {
            true => self.string(statement, start).map(|(bytes, _)| bytes),
            false => Some(Vec::new()),
        };
        let Some(text) = text else { return };
        let message = String::from_utf8_lossy(&text).into_owned();
        let message = if message.is_empty() { format!("`{word}` reached") } else { message };
        match word.starts_with(".err") {
            true => self.error(Code::E1102, loc, message),
            false => self.warn_once(Code::W1110, loc, message),
        }
    }

    /// Warns of a directive that is accepted without an effect, once for each word.
    pub(crate) fn without_effect(&mut self, word: &str, loc: Loc) {
        self.warn_once(Code::W1109, loc, format!("`{word}` has no effect"));
    }

    /// Warns, unless the same was said before.
    pub(crate) fn warn_once(&mut self, code: Code, loc: Loc, message: String) {
        if self.warned.insert(message.clone()) {
            self.diagnostics.push(with_site(Diagnostic::new(code, message, loc.span), loc));
        }
    }
}
