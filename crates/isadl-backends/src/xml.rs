//! Text within pictures and pages, which are XML and HTML.

/// A text as XML has it.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Text between the quotes of an attribute, or of an element.
#[cfg(feature = "markdown")]
pub(crate) fn attribute(text: &str) -> String {
    escape(text).replace('"', "&quot;").replace('\'', "&#39;")
}
