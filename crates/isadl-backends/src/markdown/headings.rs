//! The headings of a page, and how links name them.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::pages::anchors;
use super::seal::reading;

/// The anchors that renderers of Markdown give to the headings of a page, in order.
pub fn heading_ids(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for event in Parser::new_ext(text, reading()) {
        match (event, &mut open) {
            (Event::Start(Tag::Heading { .. }), _) => open = Some(String::new()),
            (Event::End(TagEnd::Heading(_)), _) => found.extend(open.take()),
            (Event::Text(text) | Event::Code(text), Some(open)) => *open += &text,
            _ => {}
        }
    }
    anchors(found.into_iter())
}
