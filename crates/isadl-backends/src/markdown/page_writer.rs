//! The pages and pictures while they are written, and the files around them.

use std::collections::{BTreeMap, BTreeSet};

use super::page_text::PageText;
use super::svg::{self, Drawing};
use super::wavedrom;
use crate::output::{MARK, Output};
use crate::space::{self, Space};

/// The pages and pictures so far, in the order of the book.
#[derive(Default)]
pub(super) struct PageWriter {
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

/// A page of the manual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The path of its file, below `docs/src` in a book.
    pub path: String,
    /// The title.
    pub title: String,
    /// How many pages it is below in the table of contents.
    pub(super) depth: usize,
    /// Its Markdown, which contains no HTML but programs: `pre`, `details`, and links in them.
    pub text: String,
}

/// The pages of a manual, in the order of the book, and their pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manual {
    /// The pages.
    pub pages: Vec<Page>,
    /// The pictures as SVG; the picture `ADD` is the file `svg/ADD.svg`.
    pub pictures: BTreeMap<String, String>,
}

impl PageWriter {
    /// The name of the picture that explains the colours.
    pub(super) const COLOUR_KEY: &'static str = "colours";

    /// Adds the picture that explains the colours. It comes first, so no other picture has its name.
    pub(super) fn colour_key(&mut self) {
        let name = self.new_name(PageWriter::COLOUR_KEY);
        self.pictures.insert(name, svg::colour_key());
    }

    /// Adds a page and its line in the table of contents.
    pub(super) fn page(
        &mut self,
        path: &str,
        title: &str,
        depth: usize,
        text: impl Into<PageText>,
    ) {
        let (path, title, text) = (path.to_string(), title.to_string(), text.into().sealed());
        self.entries.push(Entry::Page(Page { path, title, depth, text }));
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

    /// The pages and pictures.
    pub(super) fn into_manual(self) -> Manual {
        let pages = self.entries.into_iter().filter_map(|entry| match entry {
            Entry::Page(page) => Some(page),
            Entry::Part(_) => None,
        });
        Manual { pages: pages.collect(), pictures: self.pictures }
    }

    /// The table of contents, with the pages.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The pictures by name.
    pub(super) fn pictures(&self) -> &BTreeMap<String, String> {
        &self.pictures
    }
}

fn config(title: &str) -> String {
    format!(
        "# {MARK}\n\n\
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

/// Styles for wide tables. On a narrow screen, columns keep the width of their text, up to a few words, and the tables
/// scroll.
const STYLE: &str = "\
/* Generated by isadl from a specification; edit that instead. */
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
