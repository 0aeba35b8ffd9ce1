//! Parts of `spec/riscv` are specifications of their own, without errors or warnings, and short.

use std::fs::read_to_string;

use isadl_test_support::{compile, root};

/// Compiles some files of the folder alone; returns how many lines and instructions they have.
fn alone(files: &[&str]) -> (usize, usize) {
    let text = |file: &&str| {
        let path = root().join("spec/riscv").join(file);
        (file.to_string(), read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}")))
    };
    let texts: Vec<(String, String)> = files.iter().map(text).collect();
    let borrowed: Vec<(&str, &str)> =
        texts.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let (_, compilation) = compile(&borrowed);
    let found: Vec<&str> =
        compilation.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert!(found.is_empty(), "{files:?}: {found:#?}");
    let isa = compilation.family.expect("no errors").merged();
    let mut names: Vec<&str> = isa.items().opcodes().iter().map(|opcode| &*opcode.name).collect();
    names.dedup();
    (texts.iter().map(|(_, text)| without_tests(text).lines().count()).sum(), names.len())
}

/// A text without what tests it: examples with claims, and laws.
fn without_tests(text: &str) -> String {
    let mut is_law = false;
    let is_counted = |line: &&str| {
        let line = line.trim_start().trim_start_matches("/// ");
        let was_law = is_law;
        is_law = if was_law { line.trim_end() != "```" } else { line.trim_end() == "```law" };
        !was_law && !is_law && !line.contains("//=") || line.starts_with("///=")
    };
    text.lines().filter(is_counted).map(|line| format!("{line}\n")).collect()
}

/// The lines that describe groups in a file.
fn about_groups(file: &str) -> usize {
    let text = read_to_string(root().join("spec/riscv").join(file)).expect("a file");
    let text = without_tests(&text);
    let groups = text.split("\n__Def").filter(|definition| definition.starts_with("Group "));
    let described = groups.filter_map(|group| group.split_once("\n  __Description\n"));
    let prose = described.map(|(_, rest)| rest.split("\n  __").next().unwrap_or(rest));
    prose.map(|prose| 1 + prose.trim_end().lines().count()).sum()
}

/// The lines of programs in a file: of tables, and of sections with their headings and fences.
fn of_programs(file: &str) -> usize {
    let text = read_to_string(root().join("spec/riscv").join(file)).expect("a file");
    let rows = text.lines().filter(|line| line.trim_start().starts_with("///=")).count();
    let sections = text.split("\n  __Semantics\n```isa\n").skip(1);
    let programs = sections.filter_map(|section| section.split_once("\n```"));
    rows + programs.map(|(program, _)| 3 + program.lines().count()).sum::<usize>()
}

/// RV32I: a sentence, the text, the data flow and the control flow of each of 40 instructions. Descriptions of groups
/// and programs are not counted.
#[test]
fn the_base_instructions_are_a_page_or_two() {
    let files = ["isa.isa", "rv_i.isa"];
    let (lines, count) = alone(&files);
    let groups: usize = files.iter().map(|file| about_groups(file)).sum();
    let programs: usize = files.iter().map(|file| of_programs(file)).sum();
    println!(
        "{count} instructions in {lines} lines, {groups} about groups, {programs} of programs"
    );
    assert_eq!((count, groups), (40, 16));
    assert!(lines - groups - programs <= 220 && programs <= 80, "{lines} lines");
}

#[test]
fn the_base_instructions_have_their_other_texts_alone() {
    let (_, count) = alone(&["isa.isa", "rv_i.isa", "rv_i_aliases.isa"]);
    assert_eq!(count, 40);
}

/// I, M, A, F, D, C, Zicsr and Zifencei with prose, pseudo code and other texts.
#[test]
fn general_purpose_implementations_are_described_in_2500_lines() {
    let extensions = ["rv_m", "rv_a", "rv_f", "rv_d", "rv_c", "rv_zicsr", "rv_zifencei"];
    let rest = ["isa", "rv_i", "rv_i_aliases", "rv64_i", "csr", "priv"];
    let files: Vec<String> =
        extensions.iter().chain(&rest).map(|name| format!("{name}.isa")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let (lines, count) = alone(&files);
    println!("{count} instructions in {lines} lines");
    assert!(count > 200 && lines <= 2500, "{count} instructions in {lines} lines");
}
