//! The tutorial: its specification is compiled piece by piece as a reader writes it, and its commands print the output
//! that it shows. `BLESS=1` rewrites the output, and the specification that its Rust code uses.

use std::path::Path;
use std::process::Command;

use isadl_test_support::{golden, root};

use super::cli::binary;

const PAGE: &str = "docs/tutorial.md";

/// The output of the commands in a console block, each after its line.
pub(super) fn session(folder: &Path, block: &str) -> String {
    let mut shown = String::new();
    for line in block.lines().filter(|line| line.starts_with("$ ")) {
        let programs = binary().parent().expect("the binary is in a folder");
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
        let output = Command::new("sh")
            .args(["-c", &format!("{} 2>&1", &line[2..])])
            .current_dir(folder)
            .env("PATH", path)
            .output()
            .expect("a shell runs");
        shown += &format!("{line}\n{}", String::from_utf8_lossy(&output.stdout));
    }
    shown
}

#[test]
fn a_reader_sees_what_the_tutorial_shows() {
    let page = std::fs::read_to_string(root().join(PAGE)).expect("the tutorial is readable");
    let folder = root().join("target/tmp/tutorial");
    std::fs::create_dir_all(folder.join("toy")).expect("a folder");
    let file = folder.join("toy/toy.isa");
    let (mut written, mut specification, mut mistake) =
        (String::new(), String::new(), String::new());
    let mut lines = page.lines();
    let mut blocks = 0;
    while let Some(line) = lines.next() {
        written += &format!("{line}\n");
        // A block that contains fences has longer ones.
        let kind = line.trim_start_matches('`');
        let fence = &line[..line.len() - kind.len()];
        if fence.len() < 3 {
            continue;
        }
        let block: String = lines
            .by_ref()
            .take_while(|line| *line != fence)
            .map(|line| format!("{line}\n"))
            .collect();
        match kind {
            "isa" => specification += &format!("{block}\n"),
            "isa,mistake" => mistake = block.clone(),
            "console" => {
                let text = specification.clone() + &std::mem::take(&mut mistake);
                std::fs::write(&file, text).expect("the folder is writable");
                written += &session(&folder, &block);
                blocks += 1;
            }
            _ => {}
        }
        if kind != "console" {
            written += &block;
        }
        written += &format!("{fence}\n");
    }
    assert!(blocks > 5 && mistake.is_empty(), "{blocks} console blocks");
    golden(&root().join(PAGE), &written);
    golden(&root().join("tests/fixtures/tutorial/toy.isa"), &specification);
}
