//! The manual as pages of HTML, made as they are asked for.

use std::collections::BTreeMap;
use std::fmt::Write;

use isadl::isa::Family;
use isadl::semantics::Checked;
use isadl::source::SourceMap;
use isadl_codegen::markdown::{self, Links, render};

/// Limit on the pages that a search finds.
const MOST_FOUND: usize = 60;

/// The pages of a manual and their pictures.
pub(crate) struct Manual {
    pages: BTreeMap<String, Shown>,
    pictures: BTreeMap<String, String>,
}

/// A page of the manual.
struct Shown {
    title: String,
    text: String,
    /// The text that is searched.
    words: String,
}

impl Shown {
    fn new(title: String, text: String) -> Shown {
        Shown { title, words: markdown::without_elements(&text), text }
    }
}

/// A page that contains the words.
pub(crate) struct Hit {
    pub(crate) page: String,
    pub(crate) title: String,
    /// The first line that contains a word.
    pub(crate) line: String,
}

impl Manual {
    pub(crate) fn new(family: &Family, programs: &[Checked], sources: &SourceMap) -> Manual {
        let made = markdown::manual(family, programs, sources, &markdown::Options::default());
        let pages = made.pages.into_iter();
        let pages = pages.map(|page| (page.path, Shown::new(page.title, page.text)));
        Manual { pages: pages.collect(), pictures: made.pictures }
    }

    /// A page as HTML; `None` if there is no such page. Links to other pages are `page:NAME#HEADING`, pictures are in it.
    pub(crate) fn page(&self, name: &str) -> Option<String> {
        let shown = self.pages.get(name)?;
        Some(render(&shown.text, &Places { manual: self, page: name }))
    }

    /// The pages that contain all words of a text, starting with pages that have a word in the title.
    pub(crate) fn search(&self, text: &str) -> Vec<Hit> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Vec::new();
        }
        let pages = self.pages.iter();
        let mut hits: Vec<(usize, Hit)> = pages
            .filter_map(|(page, Shown { title, words: text, .. })| {
                let lower = text.to_lowercase();
                if !words.iter().all(|word| lower.contains(word.as_str())) {
                    return None;
                }
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
                let (page, title, line) = (page.clone(), title.clone(), line.to_string());
                Some((rank, Hit { page, title, line }))
            })
            .collect();
        hits.sort_by_key(|(rank, _)| *rank);
        hits.into_iter().take(MOST_FOUND).map(|(_, hit)| hit).collect()
    }
}

/// Resolves the addresses on a page.
struct Places<'m> {
    manual: &'m Manual,
    page: &'m str,
}

impl Links for Places<'_> {
    fn id(&self, id: &str) -> String {
        id.to_string()
    }

    fn link(&self, url: &str) -> Option<String> {
        // Addresses of other kinds may be programs.
        if ["http://", "https://", "mailto:"].iter().any(|start| url.starts_with(start)) {
            return Some(url.to_string());
        }
        let (path, heading) = markdown::target(self.page, url)?;
        self.manual.pages.get(&path).map(|_| format!("page:{path}#{heading}"))
    }

    fn picture(&self, url: &str, title: &str) -> Option<String> {
        let (path, _) = markdown::target(self.page, url)?;
        let svg = self.manual.pictures.get(path.strip_prefix("svg/")?.strip_suffix(".svg")?)?;
        Some(format!("<img alt=\"{title}\" src=\"{}\">", address(svg)))
    }
}

/// Text without links and pictures.
pub(crate) struct Alone;

impl Links for Alone {
    fn id(&self, id: &str) -> String {
        id.to_string()
    }

    fn link(&self, _url: &str) -> Option<String> {
        None
    }

    fn picture(&self, _url: &str, _title: &str) -> Option<String> {
        None
    }
}

/// A picture as the address of itself.
fn address(svg: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_pictures_and_other_sites() {
        let page = |name: &str| (name.to_string(), Shown::new("A".to_string(), String::new()));
        let pictures = [("c".to_string(), "<svg/>".to_string())].into();
        let manual = Manual { pages: ["a.md", "ops/b.md"].map(page).into(), pictures };
        let places = Places { manual: &manual, page: "ops/b.md" };
        assert_eq!(places.link("../a.md#x").as_deref(), Some("page:a.md#x"));
        assert_eq!(places.link("#x").as_deref(), Some("page:ops/b.md#x"));
        assert_eq!(places.link("https://x/y").as_deref(), Some("https://x/y"));
        for nowhere in ["../d.json", "c.md", "../x/a.md", "javascript://%0ax", "data:text/html,x"] {
            assert_eq!(places.link(nowhere), None, "{nowhere}");
        }
        let picture = places.picture("../svg/c.svg", "a &quot;b&quot;").expect("it is there");
        assert_eq!(
            picture,
            "<img alt=\"a &quot;b&quot;\" src=\"data:image/svg+xml,%3Csvg%2F%3E\">"
        );
        assert_eq!(places.picture("../svg/d.svg", ""), None);
    }
}
