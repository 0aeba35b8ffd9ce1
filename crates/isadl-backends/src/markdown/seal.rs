//! The seal on every page: a renderer never takes text of a specification for HTML or code.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

/// How mdBook reads Markdown.
pub(super) fn reading() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
}

/// Escapes markup that no page may contain: raw HTML, links that run code, and single tildes,
/// which are marks of operands. Generated text does not contain any, so all of it comes from the
/// specification.
pub(super) fn seal(text: &str) -> String {
    let mut text = text.to_string();
    // Each round escapes at least one character.
    loop {
        let found = offences(&text);
        if found.is_empty() {
            return text;
        }
        for (at, replacement) in found.into_iter().rev() {
            text.replace_range(at..at + replacement.taken, replacement.text);
        }
    }
}

#[derive(Clone, Copy)]
struct Replacement {
    taken: usize,
    text: &'static str,
}

fn offences(text: &str) -> BTreeMap<usize, Replacement> {
    let mut found = BTreeMap::new();
    let mut in_html = false;
    for (event, range) in Parser::new_ext(text, reading()).into_offset_iter() {
        let escape = Replacement { taken: 0, text: "\\" };
        let html = Replacement { taken: 1, text: "&lt;" };
        let open = text[range.clone()].find('<').map(|at| range.start + at);
        match event {
            // The content of a block of HTML is parsed again when the block is escaped.
            Event::Start(Tag::HtmlBlock) => {
                in_html = true;
                let starts = line_starts(&text[range.clone()]).into_iter();
                found.extend(starts.map(|at| (range.start + at, html)));
            }
            Event::End(pulldown_cmark::TagEnd::HtmlBlock) => in_html = false,
            Event::InlineHtml(_) | Event::Html(_) if !in_html => {
                found.extend(open.map(|at| (at, html)));
            }
            Event::Start(Tag::Link { dest_url, link_type, .. }) if !is_harmless(&dest_url) => {
                match link_type {
                    LinkType::Autolink | LinkType::Email => found.extend(open.map(|at| (at, html))),
                    _ => {
                        found.insert(range.start, escape);
                    }
                }
            }
            Event::Start(Tag::Image { dest_url, .. }) if !is_harmless(&dest_url) => {
                found.insert(range.start + 1, escape);
            }
            Event::Start(Tag::Strikethrough) if !text[range.clone()].starts_with("~~") => {
                found.insert(range.start, escape);
            }
            _ => {}
        }
    }
    found
}

/// The positions in a block of HTML that must be escaped: the start, and lines that begin with `<`. It stops at text
/// that may be code once the block is escaped.
fn line_starts(block: &str) -> Vec<usize> {
    let mut found: Vec<usize> = block.find('<').into_iter().collect();
    let mut start = 0;
    for (index, line) in block.split_inclusive('\n').enumerate() {
        let content = line.trim_start();
        let indent = line.len() - content.len();
        if index > 0 && (content.starts_with("```") || indent > 3) {
            break;
        }
        if index > 0 && content.starts_with('<') {
            found.push(start + indent);
        }
        start += line.len();
    }
    found
}

/// Whether a link is safe to follow: it is a path, or leads to another site.
fn is_harmless(url: &str) -> bool {
    let known = ["http://", "https://", "mailto:"];
    let lower = url.trim().to_lowercase();
    let scheme = lower.split(['/', '?', '#']).next().unwrap_or_default();
    !scheme.contains(':') || known.iter().any(|known| lower.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::seal;

    #[test]
    fn no_html_is_left() {
        assert_eq!(seal("a <b>c</b> `<b>` a < b\n"), "a &lt;b>c&lt;/b> `<b>` a < b\n");
        let block = "<script>\nx `<i>`\n\n</script>\n";
        assert_eq!(seal(block), "&lt;script>\nx `<i>`\n\n&lt;/script>\n");
        assert_eq!(seal("<!-- x\n-->\n"), "&lt;!-- x\n-->\n");
        assert_eq!(seal("~Ra, ~Rb~ ~~x~~"), "\\~Ra, \\~Rb~ ~~x~~");
    }

    #[test]
    fn many_lines_of_html_take_no_time() {
        let text = "<div>\n".repeat(20_000);
        assert_eq!(seal(&text), text.replace('<', "&lt;"));
    }

    #[test]
    fn links_run_nothing() {
        assert_eq!(seal("[a](javascript:b)"), "\\[a](javascript:b)");
        assert_eq!(seal("![a](data:b) <https://a.b>"), "!\\[a](data:b) <https://a.b>");
        assert_eq!(seal("<javascript:a>"), "&lt;javascript:a>");
        assert_eq!(seal("[a](b.md#c)"), "[a](b.md#c)");
    }
}
