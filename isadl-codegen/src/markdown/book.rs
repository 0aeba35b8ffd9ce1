//! The book: its pages and pictures while they are written, and the files around them.

use super::text::word;
use std::collections::{BTreeMap, BTreeSet};

use isadl::engine::Loaded;
use isadl::isa::{Family, Generations, Isa, Prose, SectionKind};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::pages::{Kind, Pages};
use super::prose::Context;
use super::sources::Sources;
use super::svg::{self, Drawing};
use super::variants::{self, Variant};
use super::{html, wavedrom};
use crate::output::Output;
use crate::space::{self, Space};

/// The data that all pages are generated from.
pub(super) struct Book<'b> {
    pub(super) family: &'b Family,
    /// The instruction set of each generation, with its assembler.
    pub(super) loaded: Vec<Loaded>,
    pub(super) pages: Pages,
    pub(super) sources: Sources,
    /// Whether all pages are in one file, with no other files beside it.
    pub(super) is_single: bool,
    /// The summaries of operations, by name.
    pub(super) summaries: BTreeMap<String, String>,
}

impl Book<'_> {
    pub(super) fn isas(&self) -> &[Isa] {
        self.family.isas()
    }

    /// The summary of an operation.
    pub(super) fn summary(&self, name: &str) -> &str {
        self.summaries.get(name).map_or("", String::as_str)
    }

    /// All generations.
    pub(super) fn all(&self) -> Generations {
        let sets = self.isas().iter().map(Isa::describes);
        sets.fold(Generations::default(), Generations::union)
    }

    /// The names of generations; empty for all generations.
    pub(super) fn label(&self, set: Generations) -> String {
        if set == self.all() { String::new() } else { self.names(set) }
    }

    /// A cell of an index: the generations of an item, if there are several generations.
    pub(super) fn generations(&self, set: Generations) -> String {
        if self.isas().len() > 1 { self.names(set) } else { String::new() }
    }

    /// The names of generations; `all` for all of them.
    pub(super) fn names(&self, set: Generations) -> String {
        let first = self.family.first();
        if set == self.all() && self.isas().len() > 1 {
            return "all".to_string();
        }
        first.generation_names(set).map(word).collect::<Vec<_>>().join(", ")
    }

    /// An item of each generation that has it, with equal ones grouped.
    pub(super) fn variants<T: PartialEq>(&self, of: impl Fn(&Isa) -> Option<T>) -> Vec<Variant<T>> {
        let isas = self.isas().iter();
        variants::group(isas.filter_map(|isa| Some((isa.describes(), of(isa)?))))
    }

    pub(super) fn context<'c>(&'c self, page: &'c str) -> Context<'c> {
        Context { pages: &self.pages, page }
    }

    /// A link to an item, or its name.
    pub(super) fn link(&self, kind: Kind, name: &str, page: &str) -> String {
        self.context(page).to(name, self.pages.get(kind, name))
    }

    /// The sections of a kind as text, one below the other; several if generations differ.
    pub(super) fn prose(&self, page: &str, level: usize, variants: &[Variant<String>]) -> String {
        let mut text = String::new();
        for variant in variants.iter().filter(|variant| !variant.is.is_empty()) {
            let label = self.label(variant.generations);
            if !label.is_empty() && variants.len() > 1 {
                text += &format!("*{label}:*\n\n");
            }
            text += &self.context(page).section(&variant.is, level);
            text.push('\n');
        }
        text
    }
}

/// The text of all sections of a kind.
pub(super) fn section(prose: &[Prose], kind: SectionKind) -> String {
    let texts = prose.iter().filter(|section| section.kind == kind).map(|s| s.text.as_str());
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The pages and pictures so far, in the order of the book.
#[derive(Default)]
pub(super) struct Shelf {
    entries: Vec<Entry>,
    /// By name.
    pictures: BTreeMap<String, String>,
    /// The diagrams for WaveDrom, by name.
    diagrams: BTreeMap<String, String>,
    names: BTreeSet<String>,
}

/// A line of the table of contents.
pub(super) enum Entry {
    /// A heading.
    Part(String),
    Page(Page),
}

/// A page.
pub(super) struct Page {
    /// The path of its file.
    pub(super) path: String,
    pub(super) title: String,
    pub(super) depth: usize,
    /// Its Markdown, in which nothing is HTML.
    pub(super) text: String,
}

impl Shelf {
    /// The name of the picture of what colours mean.
    pub(super) const COLOUR_KEY: &'static str = "colours";

    /// Adds this picture. It is the first one, so that no other has its name.
    pub(super) fn colour_key(&mut self) {
        let name = self.new_name(Shelf::COLOUR_KEY);
        self.pictures.insert(name, svg::colour_key());
    }

    /// Adds a page and its line in the table of contents.
    pub(super) fn page(&mut self, path: &str, title: &str, depth: usize, text: &str) {
        let (path, title) = (path.to_string(), title.to_string());
        self.entries.push(Entry::Page(Page { path, title, depth, text: seal(text) }));
    }

    /// Adds a heading to the table of contents.
    pub(super) fn part(&mut self, title: &str) {
        self.entries.push(Entry::Part(title.to_string()));
    }

    /// The name of a picture of a form.
    pub(super) fn picture(&mut self, drawing: &Drawing<'_>, form: &str) -> String {
        let name = self.new_name(form);
        self.pictures.insert(name.clone(), svg::picture(drawing));
        self.diagrams.insert(name.clone(), wavedrom::json(drawing.layout));
        name
    }

    /// The name of the picture of an encoding space.
    pub(super) fn map_picture(&mut self, space: &Space) -> String {
        let name = self.new_name(&format!("map-{}", space.group));
        self.pictures.insert(name.clone(), space::svg(std::slice::from_ref(space)));
        name
    }

    /// A name that no other picture has.
    fn new_name(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        let mut number = 1;
        while !self.names.insert(name.to_lowercase()) {
            number += 1;
            name = format!("{wanted}-{number}");
        }
        name
    }

    /// The finished book as Markdown.
    pub(super) fn finish(self, title: &str) -> Output {
        let mut output = Output::recorded("markdown");
        let mut summary = String::from("# Summary\n\n");
        for entry in self.entries {
            match entry {
                Entry::Part(title) => summary += &format!("\n# {title}\n\n"),
                Entry::Page(page) => {
                    let (path, indent) = (page.path, "  ".repeat(page.depth));
                    summary +=
                        &format!("{indent}- [{}]({path})\n", super::text::plain(&page.title));
                    output.add(format!("docs/src/{path}"), page.text);
                }
            }
        }
        for (name, svg) in self.pictures {
            output.add(format!("docs/src/svg/{name}.svg"), svg);
        }
        for (name, json) in self.diagrams {
            output.add(format!("docs/src/wavedrom/{name}.json"), json);
        }
        output.add("docs/src/SUMMARY.md", summary);
        output.add("docs/book.toml", config(title));
        output.add("docs/manual.css", STYLE.to_string());
        output.add("docs/.gitignore", "book/\n".to_string());
        output
    }

    /// The finished book as one file of HTML.
    pub(super) fn finish_html(self, title: &str) -> Output {
        html::output(title, &self.entries, &self.pictures)
    }
}

fn config(title: &str) -> String {
    format!(
        "# Generated by isadl from a specification; edit that instead.\n\n\
         [book]\ntitle = \"{title}\"\nlanguage = \"en\"\nsrc = \"src\"\n\n\
         [build]\nbuild-dir = \"book\"\ncreate-missing = false\n\
         # Nothing in a specification is a directive to the renderer.\n\
         use-default-preprocessors = false\n\n[preprocessor.index]\n\n\
         [output.html]\nno-section-label = true\n\
         # What a forge shows: quotes, dashes and colons stay as they are written.\n\
         smart-punctuation = false\ndefinition-lists = false\n\
         additional-css = [\"manual.css\"]\n\n[output.html.fold]\nenable = true\nlevel = 0\n"
    )
}

/// Styles for wide tables. On a narrow screen their columns keep the width of their text, up to
/// that of some words, and the tables scroll.
const STYLE: &str = "\
/* Generated by isadl. */
:root { --content-max-width: 900px; }
.content table { margin-inline: 0; }
.content th, .content td { padding: 3px 10px; }
.content td { vertical-align: top; }
/* Diagrams keep the size of their letters, and scroll. */
.content p:has(> img[src*=\"svg/\"]) { overflow-x: auto; }
.content img[src*=\"svg/\"] { max-width: none; }
@media (max-width: 700px) {
    .content table:has(th:nth-child(3)) { width: max-content; }
    .content table:has(th:nth-child(3)) td { max-width: 12em; }
}
";

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
fn seal(text: &str) -> String {
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

/// The positions in a block of HTML where it begins, and where lines begin with `<`, up to text
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
