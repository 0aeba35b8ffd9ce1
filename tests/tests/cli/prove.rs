//! `isadl prove`, and the output of `isadl check` about questions that it leaves open.

use serde_json::Value;

use super::{run, status, stdout};

/// The object of each generation.
fn objects(arguments: &[&str]) -> Vec<Value> {
    let text = stdout(arguments);
    text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

#[test]
fn people_read_what_was_proven() {
    let text = stdout(&["prove", "../odd/odd.isa", "-A", "text"]);
    assert!(
        text.starts_with("ODD, OLD, NEW: every word is legal for at most one opcode, but not every text identifies one\n"),
        "{text}"
    );
    let has =
        |line: &str| assert!(text.lines().any(|own| own.trim_start() == line), "{line}\n{text}");
    has("105 pairs of opcodes, of which");
    has("1 share words, but types, rules or special cases exclude every legal one");
    has("0 share a legal word");
    has("15 have a legal word that no special case takes");
    has("loop of fn: 2^17 words -1100101 -------- --------");
    assert!(text.contains("\nassumptions:\n") && text.contains("\nbudget: "), "{text}");
}

#[test]
fn machines_read_an_object_for_each_generation() {
    let gcn = objects(&["prove", "--format", "json", "../../../spec/gcn"]);
    let names: Vec<&str> =
        gcn.iter().filter_map(|object| object["generations"][0].as_str()).collect();
    assert_eq!(names, ["GCN1_0", "GCN1_1", "GCN1_2", "GCN1_4"]);
    for object in &gcn {
        assert_eq!(object["proven"], true);
        let number = |name: &str| object[name].as_u64().expect("a number");
        let parts = ["apart_by_bits", "with_special_case", "apart_by_values", "in_conflict"];
        let parts: u64 = parts.iter().map(|part| number(&format!("pairs_{part}"))).sum();
        assert_eq!(parts, number("pairs"));
        let cases = object["special_cases"].as_array().expect("a list");
        assert_eq!(cases.len() as u64, number("pairs_with_special_case"));
    }
}

#[test]
fn conflicts_are_errors_and_their_number_is_told() {
    let files = ["../prelude.isa", "../../diagnostics/E0701_values.isa", "-A", "unused"];
    let arguments: Vec<&str> = ["prove", "--format", "json"].into_iter().chain(files).collect();
    assert_eq!(status(&arguments), Some(1));
    let text = stdout(&arguments);
    let last = text.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok());
    let last = last.expect("an object");
    assert_eq!((&last["proven"], &last["pairs_in_conflict"]), (&false.into(), &2.into()));
}

#[test]
fn a_check_says_what_it_leaves_open_and_can_be_told_to_refuse_it() {
    let files = ["../prelude.isa", "../../diagnostics/W0708.isa", "-A", "unused"];
    let with = |more: &[&'static str]| -> Vec<&str> {
        ["check"].iter().chain(&files).chain(more).copied().collect()
    };
    let output = run(&with(&[]));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.ends_with("left to `isadl prove`\n"), "{text}");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(status(&with(&["-D", "W0708"])), Some(1));
}

/// A comment that accepts what `check` leaves open is right where `prove` decides it.
#[test]
fn a_longer_search_leaves_comments_on_open_questions_alone() {
    let files = ["../prelude.isa", "../open_question.isa", "-A", "unused"];
    for command in ["check", "prove"] {
        let output = run(&[&[command, "-D", "warnings"], &files[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{command}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
