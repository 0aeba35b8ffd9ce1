//! The page on the assembler: its files are assembled, and its commands print the output that it shows. `BLESS=1`
//! rewrites the output.

use isadl_test_support::{golden, root};

use crate::tutorial::session;

const PAGE: &str = "docs/assembler.md";

#[test]
fn a_reader_sees_what_the_page_shows() {
    let page = std::fs::read_to_string(root().join(PAGE)).expect("the page is readable");
    let folder = super::folder("page");
    copy_specification(&folder.join("riscv"));
    let mut written = String::new();
    let mut lines = page.lines();
    let mut commands = 0;
    while let Some(line) = lines.next() {
        written += &format!("{line}\n");
        let Some(kind) = line.strip_prefix("```") else { continue };
        let block = lines.by_ref().take_while(|line| *line != "```");
        let block: String = block.map(|line| format!("{line}\n")).collect();
        if let Some(name) = kind.strip_prefix("asm ") {
            std::fs::write(folder.join(name), &block).expect("writable");
        }
        let block = match kind {
            "console" => {
                commands += 1;
                session(&folder, &block)
            }
            _ => block,
        };
        written += &format!("{block}```\n");
    }
    assert_eq!(commands, 4);
    assert!(std::fs::read(folder.join("sum.o")).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")));
    let _ = std::fs::remove_dir_all(folder);
    golden(&root().join(PAGE), &written);
}

fn copy_specification(to: &std::path::Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(root().join("spec/riscv")).expect("readable") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|ending| ending == "isa" || ending == "s") {
            std::fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("copied");
        }
    }
}
