//! The manual as pages of HTML, made as they are asked for.

use std::collections::BTreeMap;
use std::fmt::Write;

use isadl::isa::Family;
use isadl::source::SourceMap;
use isadl_codegen::markdown;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};

/// The folder of the pages in the output of the backend.
const FOLDER: &str = "docs/src/";

/// Most pages that a search finds.
const MOST_FOUND: usize = 60;

/// The pages of a manual and the files that they show.
pub(crate) struct Manual {
    files: BTreeMap<String, String>,
}

/// A page in which words occur.
pub(crate) struct Hit {
    pub(crate) page: String,
    pub(crate) title: String,
    /// The first line with one of the words.
    pub(crate) line: String,
}

impl Manual {
    pub(crate) fn new(family: &Family, sources: &SourceMap) -> Manual {
        let made = markdown::generate(family, sources, &markdown::Options::default());
        let files = made.files().filter_map(|(path, text)| {
            let path = path.to_str()?.replace('\\', "/");
            Some((path.strip_prefix(FOLDER)?.to_string(), text.to_string()))
        });
        Manual { files: files.collect() }
    }

    /// A page as HTML; `None` if there is no such page. Links to other pages are `page:NAME#HEADING`, pictures are in it.
    pub(crate) fn page(&self, name: &str) -> Option<String> {
        let text = self.files.get(name).filter(|_| name.ends_with(".md"))?;
        Some(rendered(text, |link| self.resolved(name, link)))
    }

    /// The pages in which all words of a text occur: those with one in the title first.
    pub(crate) fn search(&self, text: &str) -> Vec<Hit> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Vec::new();
        }
        let pages =
            self.files.iter().filter(|(name, _)| name.ends_with(".md") && *name != "SUMMARY.md");
        let mut hits: Vec<(usize, Hit)> = pages
            .filter_map(|(page, text)| {
                let lower = text.to_lowercase();
                if !words.iter().all(|word| lower.contains(word.as_str())) {
                    return None;
                }
                let title = text.lines().next().unwrap_or_default().trim_start_matches('#').trim();
                let has = |line: &str| {
                    words.iter().any(|word| line.to_lowercase().contains(word.as_str()))
                };
                let line = text.lines().skip(1).find(|line| has(line)).unwrap_or_default();
                let lower = title.to_lowercase();
                let rank = match words.iter().filter(|word| lower.contains(word.as_str())).count() {
                    _ if words.contains(&lower) => 0,
                    0 => 2,
                    _ => 1,
                };
                let (page, title, line) = (page.clone(), title.to_string(), line.to_string());
                Some((rank, Hit { page, title, line }))
            })
            .collect();
        hits.sort_by_key(|(rank, _)| *rank);
        hits.into_iter().take(MOST_FOUND).map(|(_, hit)| hit).collect()
    }

    /// What a link of a page means here.
    fn resolved(&self, page: &str, link: &str) -> Option<String> {
        // Addresses of other kinds may be programs.
        if ["http://", "https://", "mailto:"].iter().any(|start| link.starts_with(start)) {
            return Some(link.to_string());
        }
        let (path, heading) = link.split_once('#').map_or((link, ""), |(path, rest)| (path, rest));
        let mut parts: Vec<&str> = page.split('/').collect();
        if !path.is_empty() {
            parts.pop();
            for part in path.split('/') {
                match part {
                    ".." => drop(parts.pop()),
                    "." | "" => {}
                    part => parts.push(part),
                }
            }
        }
        let target = parts.join("/");
        let file = self.files.get(&target)?;
        match target.rsplit('.').next() {
            Some("svg") => Some(picture(file)),
            Some("md") => Some(format!("page:{target}#{heading}")),
            _ => None,
        }
    }
}

/// A picture within a page.
fn picture(svg: &str) -> String {
    let mut link = String::from("data:image/svg+xml,");
    for byte in svg.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => link.push(byte as char),
            // Writing to a string cannot fail.
            _ => drop(write!(link, "%{byte:02X}")),
        }
    }
    link
}

/// Markdown as HTML, with links as `resolve` has them; HTML in it is shown as text.
pub(crate) fn rendered(text: &str, resolve: impl Fn(&str) -> Option<String>) -> String {
    let mut ids = markdown::heading_ids(text).into_iter();
    let link = |url: CowStr<'_>| resolve(&url).unwrap_or_default().into();
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).map(|event| match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: link(dest_url), title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Image { link_type, dest_url: link(dest_url), title, id })
        }
        Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
            Event::Start(Tag::Heading { level, id: ids.next().map(CowStr::from), classes, attrs })
        }
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        other => other,
    });
    let mut page = String::new();
    html::push_html(&mut page, events);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_pictures_and_other_sites() {
        let file = |name: &str| (name.to_string(), "<svg/>".to_string());
        let manual = Manual { files: ["a.md", "ops/b.md", "svg/c.svg", "d.json"].map(file).into() };
        let resolved = |link| manual.resolved("ops/b.md", link);
        assert_eq!(resolved("../a.md#x").as_deref(), Some("page:a.md#x"));
        assert_eq!(resolved("#x").as_deref(), Some("page:ops/b.md#x"));
        assert_eq!(resolved("../svg/c.svg").as_deref(), Some("data:image/svg+xml,%3Csvg%2F%3E"));
        assert_eq!(resolved("https://x/y").as_deref(), Some("https://x/y"));
        for nowhere in ["../d.json", "c.md", "../x/a.md", "javascript://%0ax", "data:text/html,x"] {
            assert_eq!(resolved(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn html_in_prose_is_text_and_headings_can_be_linked() {
        let page =
            rendered("# A `B` c!\n\n# A B c\n\n<script>x</script>\n\n[y](z) <b>w</b>\n", |link| {
                Some(format!("page:{link}"))
            });
        assert!(page.contains("<h1 id=\"a-b-c\">") && page.contains("\"a-b-c-1\""), "{page}");
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
        assert!(page.contains("href=\"page:z\"") && page.contains("&lt;b&gt;w"), "{page}");
    }
}
