//! The documentation as one book for mdBook: collects pages from several places in the repository, with working links.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use isadl::diagnostic::Code;
use isadl_codegen::markdown::heading_ids;
use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::root;

/// The pages, by their file in the repository: the file in the book, and the title in the list of pages. Pages in folders are
/// below the one before.
const PAGES: [(&str, &str, &str); 24] = [
    ("README.md", "README.md", "isadl"),
    ("docs/tutorial.md", "tutorial.md", "Tutorial"),
    ("isadl/LANGUAGE.md", "language.md", "The language"),
    ("docs/gallery.md", "gallery.md", "Gallery"),
    ("spec/simt/README.md", "gallery/simt.md", "SIMT"),
    ("spec/gcn/README.md", "gallery/gcn.md", "GCN"),
    ("spec/riscv/README.md", "gallery/riscv.md", "RISC-V"),
    ("spec/a64/README.md", "gallery/a64.md", "A64"),
    ("docs/cli.md", "cli.md", "The command line"),
    ("docs/assembler.md", "assembler.md", "The assembler"),
    ("docs/rust.md", "rust.md", "Use from Rust"),
    ("docs/proofs.md", "proofs.md", "Proofs"),
    ("docs/diff.md", "diff.md", "Compare versions"),
    ("docs/vectors.md", "vectors.md", "Test vectors"),
    ("docs/space.md", "space.md", "Encoding space"),
    ("docs/serve.md", "serve.md", "The page"),
    ("docs/project.md", "project.md", "Settings of a project"),
    ("docs/ci.md", "ci.md", "In continuous integration"),
    ("editors/README.md", "editors.md", "Editors"),
    ("docs/performance.md", "performance.md", "Measurements"),
    ("STABILITY.md", "stability.md", "Stability"),
    ("CHANGELOG.md", "changelog.md", "Changelog"),
    ("CONTRIBUTING.md", "contributing.md", "Contributing"),
    ("ARCHITECTURE.md", "architecture.md", "Architecture"),
];

/// The book: its files by their paths.
pub struct Site {
    /// `book.toml`, and the pages below `src/`.
    pub files: BTreeMap<String, String>,
    /// Pictures, by their paths.
    pub images: BTreeMap<String, Vec<u8>>,
    /// Links to files of the repository that are no pages, by page. They lead to `repository`, or are text without one.
    pub outside: BTreeMap<String, BTreeSet<String>>,
}

/// Makes the book. `repository` is where files that are no pages can be seen, such as `https://example.org/isadl/blob/main`.
///
/// # Panics
///
/// If a page is not there.
pub fn site(repository: Option<&str>) -> Site {
    let mut site = Site { files: BTreeMap::new(), images: images(), outside: BTreeMap::new() };
    let mut summary = String::from("# Summary\n\n");
    for (source, page, title) in PAGES {
        let text = std::fs::read_to_string(root().join(source)).expect("a page");
        summary += &match page {
            "README.md" => format!("[{title}]({page})\n\n"),
            page if page.contains('/') => format!("  - [{title}]({page})\n"),
            page => format!("- [{title}]({page})\n"),
        };
        let (made, outside) = relinked(&text, (source, page), repository);
        site.files.insert(format!("src/{page}"), made);
        site.outside.insert(page.to_string(), outside);
    }
    codes(&mut site, &mut summary);
    site.files.insert("src/SUMMARY.md".to_string(), summary);
    site.files.insert("book.toml".to_string(), BOOK.to_string());
    site
}

/// The folder of pictures, in the repository.
const IMAGES: &str = "docs/images/";

fn images() -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(root().join(IMAGES)).expect("a folder");
    let image = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (format!("src/images/{name}"), std::fs::read(path).expect("a picture"))
    };
    entries.map(image).collect()
}

const BOOK: &str = "\
[book]
title = \"isadl\"
language = \"en\"

[build]
build-dir = \"book\"

[output.html]
no-section-label = true
smart-punctuation = false

[output.html.fold]
enable = true
level = 0
";

/// A page for each code, below a list of them.
fn codes(site: &mut Site, summary: &mut String) {
    *summary += "- [Codes](codes/README.md)\n";
    let mut list = String::from(
        "# Codes\n\nWhat `isadl explain` says of each finding.\n\n| code | what is wrong |\n|:--|:--|\n",
    );
    for code in Code::ALL {
        let name = code.as_str();
        list += &format!("| [{name}]({name}.md) | {} |\n", code.title());
        *summary += &format!("  - [{name}](codes/{name}.md)\n");
        site.files.insert(format!("src/codes/{name}.md"), code.page().to_string());
    }
    site.files.insert("src/codes/README.md".to_string(), list);
}

/// A text with the links of its place in the book, and the links that leave it.
fn relinked(
    text: &str,
    (source, own): (&str, &str),
    repository: Option<&str>,
) -> (String, BTreeSet<String>) {
    let mut outside = BTreeSet::new();
    let mut made = text.to_string();
    // Works from the end, so that earlier positions stay valid.
    for (range, link) in links(text).into_iter().rev() {
        if link.contains("://") || link.starts_with('#') || link.starts_with("mailto:") {
            continue;
        }
        let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
        let target = joined(Path::new(source).parent().unwrap_or(Path::new("")), path);
        let heading = if heading.is_empty() { String::new() } else { format!("#{heading}") };
        let piece = &text[range.clone()];
        let known = match target.strip_prefix(IMAGES) {
            Some(name) => Some(format!("images/{name}")),
            None => {
                PAGES.iter().find(|(file, _, _)| *file == target).map(|page| page.1.to_string())
            }
        };
        let replaced = match (&known, repository) {
            (Some(page), _) => {
                let up = "../".repeat(own.matches('/').count());
                relink(piece, &link, Some(&format!("{up}{page}{heading}")))
            }
            (None, Some(base)) => relink(piece, &link, Some(&format!("{base}/{target}{heading}"))),
            (None, None) => relink(piece, &link, None),
        };
        if known.is_none() {
            outside.insert(target);
        }
        made.replace_range(range, &replaced);
    }
    (made, outside)
}

/// A link with another target, or its text alone.
fn relink(piece: &str, old: &str, new: Option<&str>) -> String {
    let Some(at) = piece.rfind(&format!("]({old})")) else { return piece.to_string() };
    match new {
        Some(new) => format!("{}]({new})", &piece[..at]),
        None => piece[1..at].to_string(),
    }
}

/// The links of a text with their places.
fn links(text: &str) -> Vec<(Range<usize>, String)> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let found = events.filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some((range, dest_url.to_string()))
        }
        _ => None,
    });
    found.collect()
}

/// A path from a folder, without `..`.
fn joined(folder: &Path, path: &str) -> String {
    let folder = folder.to_string_lossy().replace('\\', "/");
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Links of the book that lead nowhere: page and link.
pub fn broken(site: &Site) -> Vec<(String, String)> {
    let pages: BTreeMap<&str, BTreeSet<String>> = site
        .files
        .iter()
        .filter_map(|(path, text)| {
            Some((path.strip_prefix("src/")?, heading_ids(text).into_iter().collect()))
        })
        .collect();
    let mut broken = Vec::new();
    for (path, text) in &site.files {
        let Some(page) = path.strip_prefix("src/") else { continue };
        for (_, link) in links(text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (target, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = match target {
                "" => page.to_string(),
                target => joined(Path::new(page).parent().unwrap_or(Path::new("")), target),
            };
            if site.images.contains_key(&format!("src/{target}")) {
                continue;
            }
            let there = pages.get(target.as_str());
            if !there.is_some_and(|known| heading.is_empty() || known.contains(heading)) {
                broken.push((page.to_string(), link.clone()));
            }
        }
    }
    broken
}
