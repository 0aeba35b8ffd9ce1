//! Damaged programs: whatever the text, the compiler reports something or accepts it, and does not fail.

#[path = "common/random.rs"]
mod random;

use std::path::Path;

use isadl::source::SourceMap;
use random::Random;

/// Words and signs that programs are made of, and some that they are not.
const WORDS: [&str; 60] = [
    "rd",
    "rr",
    "k",
    "SREG",
    "SREG[0]",
    "R[31]",
    "data",
    "code",
    "pc",
    "next",
    "SP",
    "at",
    "X_UP",
    "C",
    "Z",
    "added",
    "subtracted",
    "signed(",
    "count(",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "+:",
    ":",
    "?",
    "..",
    "=",
    "==",
    "<",
    ">>",
    "<<",
    "/",
    "%",
    "-",
    "~",
    "not",
    "and",
    "or",
    "if",
    "else",
    "match",
    "for",
    "in",
    "var",
    "trap",
    "body",
    "unknown",
    "return",
    "0",
    "1",
    "31",
    "0xffffffff",
    "99999999999",
    ";",
    ",",
    "@[",
    "\"r1\"",
];

/// The text with some words of its programs deleted, doubled, exchanged or replaced.
fn damaged(text: &str, random: &mut Random) -> String {
    let mut in_program = false;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let is_fence = line.starts_with("```");
        let is_row = line.trim_start().starts_with("///=");
        if is_fence {
            in_program = line == "```isa";
        }
        if is_fence || !(in_program || is_row) || random.below(30) != 0 {
            lines.push(line.to_string());
            continue;
        }
        let (start, program) =
            if is_row { line.split_at(line.find('=').unwrap_or(0) + 1) } else { ("", line) };
        let mut words: Vec<&str> =
            program.split_inclusive([' ', '[', ']', '(', ')', ',']).collect();
        let at = random.below(words.len());
        match random.below(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at]),
            2 => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
            3 => words.insert(at, WORDS[random.below(WORDS.len())]),
            _ => words[at] = WORDS[random.below(WORDS.len())],
        }
        lines.push(format!("{start}{}", words.join(" ")));
    }
    lines.join("\n")
}

#[test]
fn damaged_programs_are_reported() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/machines/avr/avr.isa");
    let text = std::fs::read_to_string(path).expect("the fixture is readable");
    let count = std::env::var("ISADL_SETS").ok().and_then(|sets| sets.parse().ok()).unwrap_or(60);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut findings, mut sound) = (0, 0);
    for _ in 0..count {
        let mut sources = SourceMap::new();
        sources.add("avr.isa", damaged(&text, &mut random).into_bytes());
        let compilation = isadl::compile(&sources);
        findings += compilation.diagnostics.iter().count();
        sound += usize::from(compilation.family.is_some());
    }
    println!("{findings} findings in {count} texts; {sound} were accepted");
    assert!(findings > count, "only {findings} findings");
}
