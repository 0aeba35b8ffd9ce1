//! Compares the examples of the edition in `spec/simt` with the examples of the source files. Each example of a source
//! is also an example in our edition, as the same instruction. Otherwise, a row of the table `Examples that differ` in
//! `spec/simt/README.md` quotes it.

use std::collections::BTreeMap;

use isadl::isa::SectionKind;
use isadl_test_support::{Set, compile, root, seed_texts, simt};

/// The instructions in the examples of each operation, without comments.
fn examples(isa: &Set) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for optype in isa.optypes() {
        let sections = optype.prose.iter().filter(|prose| prose.kind == SectionKind::Examples);
        let lines = sections.flat_map(|prose| prose.text.split("```").skip(1).step_by(2));
        // The instructions of laws are no examples.
        let lines = lines.filter(|block| !block.starts_with("law"));
        let lines = lines.flat_map(|block| block.lines().skip(1));
        let lines = lines.map(|line| line.split("//").next().unwrap_or_default());
        let lines = lines.map(|line| line.split(';').next().unwrap_or_default().trim());
        let lines = lines.filter(|line| !line.is_empty()).map(squeeze);
        found.entry(optype.name.clone()).or_default().extend(lines);
    }
    found
}

/// A line with single spaces, and one after each comma.
fn squeeze(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ").replace(" ,", ",").replace(", ", ",").replace(',', ", ").trim_end().to_string()
}

/// The rows of the table: operation and example of the source.
fn rows(readme: &str) -> Vec<(String, String)> {
    let table = readme.lines().skip_while(|line| *line != "## Examples that differ").skip(1);
    let lines =
        table.take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let line = line.replace(r"\|", "\u{1}");
        let cells: Vec<String> =
            line.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect();
        let [_, name, source, _ours, reason, _] = cells.as_slice() else {
            panic!("a row has four cells: {line}");
        };
        assert!(!reason.is_empty(), "a row needs a reason: {line}");
        (name.trim_matches('`').to_string(), squeeze(source.trim_matches('`')))
    };
    lines.skip(2).map(cells).collect()
}

/// The examples of a source that are missing from ours.
fn lacking(source: &Set, ours: &Set) -> Vec<(String, String)> {
    let edition = examples(ours);
    let mut lacking = Vec::new();
    for (name, lines) in examples(source) {
        let known = edition.get(&name).map_or(&[][..], Vec::as_slice);
        let words: Vec<u128> =
            known.iter().filter_map(|line| Some(ours.assemble(line).ok()?.word)).collect();
        let is_known = |line: &String| {
            ours.assemble(line).is_ok_and(|inst| words.contains(&inst.word)) || known.contains(line)
        };
        let gone = lines.into_iter().filter(|line| !is_known(line));
        lacking.extend(gone.map(|line| (name.clone(), line)));
    }
    lacking
}

#[test]
fn examples_of_the_source_files_are_kept_or_listed() {
    let Some(texts) = seed_texts() else { return };
    let source = compile(&texts).1.into_isa().expect("the source files have no errors").into();
    let readme = std::fs::read_to_string(root().join("spec/simt/README.md"));
    let rows = rows(&readme.expect("the README is readable"));
    let lacking = lacking(&source, simt());
    let unlisted: Vec<_> = lacking.iter().filter(|found| !rows.contains(found)).collect();
    let unused: Vec<_> = rows.iter().filter(|row| !lacking.contains(row)).collect();
    assert!(
        unlisted.is_empty() && unused.is_empty(),
        "not in the table: {unlisted:#?}\nrows without a difference: {unused:#?}"
    );
}

#[test]
fn a_changed_example_is_noticed() {
    let ours = simt();
    assert_eq!(lacking(ours, ours), []);
    let read = |name: &str| {
        let path = root().join("spec/simt").join(name);
        (name.to_string(), std::fs::read_to_string(path).expect("the edition is readable"))
    };
    let mut files: Vec<(String, String)> = std::fs::read_dir(root().join("spec/simt"))
        .expect("a folder")
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .filter(|name| name.ends_with(".isa"))
        .map(|name| read(&name))
        .collect();
    let line = "IMAD.WIDE.U32 R[0:1], R7, 0x114514, -R[4:5]";
    let changed = line.replace("0x114514", "0x114515");
    files.iter_mut().for_each(|(_, text)| *text = text.replace(line, &changed));
    let other = compile(&files).1.into_isa().expect("no errors").into();
    assert_eq!(lacking(ours, &other), [("IMAD_WIDE".to_string(), line.to_string())]);
}
