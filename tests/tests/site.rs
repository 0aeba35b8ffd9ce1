//! The documentation: every link has a target, in the repository and in the book, and figures match `spec/`.

use isadl_test_support::site::{broken, site};
use isadl_test_support::{golden, root};

use super::tutorial::session;

#[test]
fn every_link_of_the_book_leads_somewhere() {
    let made = site(None);
    assert_eq!(broken(&made), []);
    assert!(made.files.len() > 100, "{}", made.files.len());
    // Some linked files are not pages.
    let outside: Vec<&String> = made.outside.values().flatten().collect();
    assert!(outside.len() > 10, "{outside:?}");
    for path in outside {
        assert!(root().join(path).exists(), "{path}");
    }
    let linked = site(Some("https://example.org/files"));
    assert_eq!(broken(&linked), []);
    assert!(linked.files["src/gallery.md"].contains("](gallery/simt.md)"));
    assert!(!made.files["src/gallery.md"].contains("](../"));
}

#[test]
fn links_that_lead_nowhere_are_found() {
    let mut made = site(None);
    for link in ["nowhere.md", "#nowhere", "tutorial.md#nowhere", "codes/E9999.md"] {
        let page = made.files.get_mut("src/ci.md").expect("a page");
        page.push_str(&format!("\n[x]({link})\n"));
        assert_eq!(broken(&made).last(), Some(&("ci.md".to_string(), link.to_string())));
    }
    assert_eq!(broken(&made).len(), 4);
}

/// The numbers of the gallery: opcodes and lines of each instruction set.
#[test]
fn figures_of_the_gallery_are_those_of_the_specifications() {
    let gallery = std::fs::read_to_string(root().join("docs/gallery.md")).expect("the gallery");
    for name in ["simt", "gcn", "riscv", "a64"] {
        let folder = root().join("spec").join(name);
        let sources = isadl::source::SourceMap::read(&[folder]).expect("readable");
        let lines: usize =
            sources.specification().map(|id| sources.file(id).text().lines().count()).sum();
        let opcodes = isadl::compile(&sources).counts.opcodes;
        let line = gallery.lines().find(|line| line.contains(&format!("spec/{name}/README.md")));
        let cells: Vec<&str> = line.expect("a row").split('|').map(str::trim).collect();
        assert_eq!(cells[3..5], [thousands(opcodes), thousands(lines)], "{name}");
        // The other places that say how many there are.
        let readme = std::fs::read_to_string(root().join("README.md")).expect("it is there");
        let row = readme.lines().find(|line| line.starts_with(&format!("- [`spec/{name}`]")));
        let row = row.expect("a row of the README");
        let said = format!("{} opcodes", thousands(opcodes));
        assert!(name == "gcn" || row.contains(&said), "{said}: {row}");
        let manifest = root().join("generated").join(name).join("README.md");
        let crate_readme = std::fs::read_to_string(manifest).expect("it is generated");
        assert!(
            crate_readme.contains(&format!(": {opcodes} opcodes in words")),
            "{name}: {opcodes}"
        );
    }
}

/// Pages whose commands work in the repository, and how many of their blocks show output. `BLESS=1` rewrites the
/// output.
const SESSIONS: [(&str, usize); 4] =
    [("docs/proofs.md", 1), ("docs/diff.md", 1), ("docs/vectors.md", 1), ("docs/space.md", 1)];

#[test]
fn pages_show_what_commands_print() {
    let _ = std::fs::remove_dir_all(root().join("target/vectors"));
    for (path, expected) in SESSIONS {
        let page = std::fs::read_to_string(root().join(path)).expect("the page is readable");
        let (mut written, mut shown) = (String::new(), 0);
        let mut lines = page.lines();
        while let Some(line) = lines.next() {
            written += &format!("{line}\n");
            let Some(kind) = line.strip_prefix("```") else { continue };
            let block = lines.by_ref().take_while(|line| *line != "```");
            let block: String = block.map(|line| format!("{line}\n")).collect();
            // A block of commands alone names files that the reader has.
            let has_output = block.lines().any(|line| !line.starts_with("$ "));
            let is_session = kind == "console" && has_output;
            shown += usize::from(is_session);
            written += &if is_session { session(&root(), &block) } else { block };
            written += "```\n";
        }
        assert_eq!(shown, expected, "{path}");
        golden(&root().join(path), &written);
    }
}

fn thousands(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", number / 1000, number % 1000),
    }
}
