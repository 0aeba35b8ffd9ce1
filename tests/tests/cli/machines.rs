//! Findings for code hosts and editors, and suggestions that are followed.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{binary, folder, run, status, stdout, text};

const BROKEN: &str = "\
__DefIsa X<8>
__DefImmediate Code<4>
    Number = unsigned
__DefGroup ALL : []
__DefOpcode A : [ALL]
  __Encoding
    field<0, 4> Code x == 1
    zero<4, 4>
";

const TYPO: &str = "__DefIsa X<8>\n__DefGroup ALL : []\n__DefOpcode A : [ALL]\n  __Encoding\n    field<0, 8> No x;\n";

#[test]
fn suggestions_that_are_certain_are_followed_and_others_are_not() {
    let files = folder("fix", &[("a/b.isa", BROKEN.as_bytes()), ("c/typo.isa", TYPO.as_bytes())]);
    let path = |name: &str| files.0.join(name).to_str().expect("a path in UTF-8").to_string();
    let read = |name: &str| std::fs::read_to_string(files.0.join(name)).expect("readable");
    let fixed = run(&["check", "--fix", &path("a")]);
    assert_eq!(fixed.status.code(), Some(0), "{}", String::from_utf8_lossy(&fixed.stderr));
    assert!(String::from_utf8_lossy(&fixed.stderr).ends_with("b.isa: 3 suggestions\n"));
    let mended = BROKEN.replace("unsigned", "unsigned;").replace("== 1", "== 1;");
    assert_eq!(read("a/b.isa"), mended.replace("<4, 4>", "<4, 4>;"));
    assert_eq!(status(&["check", "--fix", &path("c")]), Some(1));
    assert_eq!(read("c/typo.isa"), TYPO);
    let input = text::run(&["check", "--fix", "-"], BROKEN.as_bytes());
    assert_eq!(input.status.code(), Some(2));
}

#[test]
fn github_is_told_in_commands() {
    let files = folder("github", &[("a,b:c/x.isa", TYPO.as_bytes())]);
    let path = files.0.join("a,b:c").to_str().expect("a path in UTF-8").to_string();
    let said = stdout(&["check", "--format", "github", &path]);
    let first = said.lines().next().expect("a line");
    assert!(
        first.starts_with("::error file=") && first.contains("a%2Cb%3Ac/x.isa,line=5"),
        "{said}"
    );
    let expected = ",line=5,endLine=5,col=17,endColumn=19,title=E0202::type `No` is not defined%0Ano such type";
    assert!(first.contains(expected), "{said}");
    assert!(said.lines().nth(1).expect("a line").starts_with("checked 1 file"), "{said}");
}

#[test]
fn sarif_is_one_log_of_all_instruction_sets() {
    let near = BROKEN.replace(">\n    Number = unsigned", ">\n    Number = unsigned;");
    let near = near.replace("Code x == 1\n    zero<4, 4>", "Cod x == 1;\n    zero<4, 4>;");
    let files = [("a b/x.isa", TYPO), ("c/y.isa", BROKEN), ("d/z.isa", &near)];
    let files = folder("sarif", &files.map(|(name, text)| (name, text.as_bytes())));
    let path = files.0.to_str().expect("a path in UTF-8").to_string();
    let said = stdout(&["check", "--format", "sarif", &path]);
    let log: Value = serde_json::from_str(&said).expect("one document");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("a list");
    let codes: Vec<&str> =
        results.iter().map(|result| result["ruleId"].as_str().expect("a code")).collect();
    assert_eq!(codes, ["E0202", "E0102", "E0102", "E0102", "E0202"]);
    let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
    let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().expect("a code")).collect();
    assert_eq!(ids, ["E0102", "E0202"]);
    let place = &results[0]["locations"][0]["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
    assert!(uri.ends_with("/a%20b/x.isa"), "{uri}");
    let region = &place["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&5.into(), &17.into()));
    assert_eq!(region["endColumn"], 19);
    assert_eq!(results[0]["fixes"].as_array().map(Vec::len), Some(0), "no name is near");
    let applicability = |result: &Value| result["fixes"][0]["properties"]["applicability"].clone();
    assert_eq!(applicability(&results[1]), "MachineApplicable");
    assert_eq!(applicability(&results[4]), "MaybeIncorrect");
    let replacement = &results[1]["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], ";");
    // Nothing was found: a log without results.
    let said = stdout(&["check", "--format", "sarif", "clean.isa"]);
    let log: Value = serde_json::from_str(&said).expect("one document");
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(0));
    assert_eq!(status(&["check", "--format", "sarif", "nothing here"]), Some(2));
    assert_eq!(stdout(&["check", "--format", "sarif", "nothing here"]), "");
}

#[test]
fn files_are_checked_again_when_they_change() {
    let files = folder("watch", &[("x.isa", TYPO.as_bytes())]);
    let path = files.0.join("x.isa");
    let mut process = Command::new(binary())
        .args(["check", "--watch", "--format", "short"])
        .arg(&files.0)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let mut lines = BufReader::new(process.stderr.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("it goes on").expect("UTF-8");
    assert!(next().contains("E0202"));
    assert_eq!(next(), "watching 1 file");
    std::fs::write(&path, TYPO.replace("field<0, 8> No x", "zero<0, 8>")).expect("writable");
    // A file may be seen while it is written.
    while next() != "watching 1 file" {}
    std::fs::write(files.0.join("y.isa"), "__DefGroup G : [NONE]\n").expect("writable");
    while !next().contains("y.isa") {}
    process.kill().expect("it runs");
    process.wait().expect("it ends");
    assert_eq!(status(&["check", "--watch", "-"]), Some(2));
    assert_eq!(status(&["check", "--watch", "nothing here"]), Some(2));
}

/// Characters that turn or hide text do not reach a log that people read.
#[test]
fn github_is_told_nothing_hidden() {
    let text = "__DefIsa X<8>\n__DefGroup ALL : []\n__DefOpcode A : [ALL]\n  __Encoding\n    \
                ignored<0, 8>; // \u{202e}\n  __OperandInfo\n    Mnemonic<\"a\u{202e}\u{85}\u{9b}b\">;\n";
    let files = folder("github-hidden", &[("x.isa", text.as_bytes())]);
    let path = files.0.to_str().expect("a path in UTF-8").to_string();
    let said = stdout(&["check", "--format", "github", &path]);
    assert!(said.contains("::error "), "{said}");
    let is_hidden = |c: char| c != '\n' && c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!said.contains(is_hidden), "{said:?}");
}
