//! `isadl diff`: every kind of difference, planted in a small specification; renames; one cause, one
//! finding; the generations of `spec/gcn`; the command with its formats and exit statuses.

mod cases;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use isadl::semantics::Checked;
use isadl::source::SourceMap;
use isadl_codegen::diff::{self, Class, Finding, Kind, Report, Side};
use isadl_test_support::{Compiled, source_map};
use serde_json::Value;

use cases::{BASE, CASES, LOCK, OF_PROGRAMS, OF_WIDTHS, PROGRAMS, REVERSED, WIDTHS};

struct Version {
    sources: SourceMap,
    family: isadl::isa::Family,
    programs: Vec<Checked>,
}

fn version(name: &str, text: &str) -> Version {
    let mut sources = source_map(&[(name, text)]);
    sources.add_lock("opcodes.lock", LOCK.into());
    let compilation = isadl::compile(&sources);
    let errors: Vec<String> = compilation.diagnostics.iter().map(|d| d.message.clone()).collect();
    let family = compilation.family.unwrap_or_else(|| panic!("{errors:?} of {name}:\n{text}"));
    Version { sources, family, programs: compilation.semantics }
}

fn side(version: &Version) -> Side<'_> {
    Side { family: &version.family, programs: &version.programs, sources: &version.sources }
}

fn changed(base: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(base.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

fn codes(report: &Report) -> BTreeSet<&'static str> {
    report.findings().map(|(finding, _)| finding.kind.code()).collect()
}

fn compare(old: &str, new: &str) -> Report {
    diff::versions(side(&version("old.isa", old)), side(&version("new.isa", new)))
}

#[test]
fn every_planted_change_gives_its_codes_and_no_others() {
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    let forwards = CASES.iter().map(|case| (case, BASE, true));
    let back = REVERSED.iter().map(|case| (case, BASE, false));
    let of_widths = OF_WIDTHS.iter().map(|case| (case, WIDTHS, true));
    for (case, base, is_forwards) in forwards.chain(back).chain(of_widths) {
        let text = changed(base, case.changes);
        let report = if is_forwards { compare(base, &text) } else { compare(&text, base) };
        let found = codes(&report);
        if found != case.codes.iter().copied().collect() {
            wrong.push(format!("{:?}: {found:?}\n{}", case.changes, diff::text(&report)));
        }
        seen.extend(found);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let of_programs = compare(PROGRAMS, &changed(PROGRAMS, OF_PROGRAMS[0].0));
    seen.extend(codes(&of_programs));
    let never: Vec<&str> =
        Kind::ALL.iter().map(|kind| kind.code()).filter(|code| !seen.contains(code)).collect();
    assert!(never.is_empty(), "no case gives {never:?}");
}

#[test]
fn behaviour_is_compared_by_what_programs_mean() {
    for (changes, expected) in OF_PROGRAMS {
        let text = changed(PROGRAMS, changes);
        for (old, new) in [(PROGRAMS, text.as_str()), (&text, PROGRAMS)] {
            let report = compare(old, new);
            let found = report.findings().filter(|(found, _)| found.kind == Kind::Behaviour);
            let found: Vec<String> = found
                .map(|(found, affected)| {
                    let opcodes: Vec<&str> = affected.opcodes.iter().map(String::as_str).collect();
                    format!("{}: {}", found.item, opcodes.join(", "))
                })
                .collect();
            assert_eq!(found, *expected, "{changes:?}\n{}", diff::text(&report));
            assert_eq!(report.count(Class::Semantics), found.len());
        }
    }
    // The finding has the lines that differ, and where they are.
    let text = changed(PROGRAMS, &[("rd = twice(body)", "rd = ~twice(body)")]);
    let report = compare(PROGRAMS, &text);
    let (finding, _) = only(&report, "D701");
    let said = [&finding.was, &finding.is].map(|said| said.as_deref());
    assert_eq!(said, [Some("rd = twice(body)"), Some("rd = ~twice(body)")]);
    assert!(finding.old.as_ref().is_some_and(|place| place.file == "old.isa" && place.line > 1));
    let shown = diff::text(&report);
    let expected = "semantics\n  D701 the program of group `BINARY` means something else\n";
    assert!(shown.starts_with(expected) && shown.contains("in 2 opcodes: ADD, SUB"), "{shown}");
}

#[test]
fn every_code_is_explained_and_in_the_range_of_its_class() {
    for kind in Kind::ALL {
        assert!(!kind.explanation().is_empty(), "codes.md has no section for {kind}");
    }
    // Each class has a digit of its own, and strict classes come first.
    let digits = Kind::ALL.iter().map(|kind| (kind.class(), kind.code().as_bytes()[1]));
    let digits: BTreeSet<(Class, u8)> = digits.collect();
    assert_eq!(digits.iter().map(|(class, _)| *class).collect::<Vec<_>>(), Class::ALL);
    assert_eq!(digits.iter().map(|(_, digit)| digit).collect::<BTreeSet<_>>().len(), 7);
    assert!(Kind::ALL.is_sorted_by_key(|kind| kind.class()));
    assert_eq!(diff::CODES.matches("\n### D").count(), Kind::ALL.len());
}

#[test]
fn a_specification_does_not_differ_from_itself() {
    for name in ["spec/simt", "spec/gcn", "spec/riscv", "spec/a64", "tests/fixtures/odd"] {
        let Compiled { sources, sets, programs } = isadl_test_support::compiled(name);
        let side = Side { family: sets, programs, sources };
        let report = diff::versions(side, side);
        assert!(report.is_empty(), "{name}: {}", diff::text(&report));
        assert_eq!(diff::text(&report), "no differences\n");
    }
}

fn only<'r>(report: &'r Report, code: &str) -> (&'r Finding, Vec<&'r str>) {
    let mut found = report.findings().filter(|(finding, _)| finding.kind.code() == code);
    let (finding, affected) = found.next().expect("a finding");
    assert!(found.next().is_none(), "{}", diff::text(report));
    (finding, affected.opcodes.iter().map(String::as_str).collect())
}

/// A finding has both lines, values in words, and all opcodes and generations that it affects.
#[test]
fn one_cause_is_one_finding() {
    let line = |text: &str, part: &str| {
        1 + text.lines().position(|line| line.contains(part)).expect("a line")
    };
    let text = changed(
        BASE,
        &[
            ("Mode mode = plain", "Mode mode = wide"),
            ("A demonstration.", "A demonstration\nof two lines."),
        ],
    );
    let report = compare(BASE, &text);
    let (finding, opcodes) = only(&report, "D306");
    assert_eq!(opcodes, ["ADD_A", "SUB_A"]);
    assert_eq!(finding.item, "field `mode`");
    let said = (finding.was.as_deref(), finding.is.as_deref());
    assert_eq!(said, (Some("default `plain`"), Some("default `wide`")));
    let place = finding.old.as_ref().expect("a place");
    assert_eq!((place.file.as_str(), place.line), ("old.isa", line(BASE, "Mode mode")));
    let place = finding.new.as_ref().expect("a place");
    assert_eq!((place.file.as_str(), place.line), ("new.isa", line(&text, "Mode mode")));
    let affected = report.findings().find(|(f, _)| f.kind == Kind::Default).expect("it").1;
    assert!(affected.generations.iter().eq(["FIRST", "SECOND"]));

    let report = compare(BASE, &changed(BASE, &[("MUL = 3", "MUL = 4")]));
    let (finding, opcodes) = only(&report, "D109");
    assert_eq!(opcodes, ["ADD_A", "LOAD_A", "SUB_A"]);
    assert_eq!(finding.item, "value `MUL` of type `Op`");
    assert_eq!(
        (finding.was.as_deref(), finding.is.as_deref()),
        (Some("`MUL` = 3"), Some("`MUL` = 4"))
    );
    let place = finding.old.as_ref().expect("a place");
    assert_eq!(place.line, line(BASE, "MUL = 3"));
}

/// A change of one generation is reported for that one.
#[test]
fn differences_name_their_generations() {
    let text = changed(BASE, &[("    half;\n", "    half @[FIRST];\n")]);
    let report = compare(BASE, &text);
    assert!(codes(&report).contains("D202"), "{}", diff::text(&report));
    let (_, affected) = report.findings().next().expect("a finding");
    assert!(affected.generations.iter().eq(["SECOND"]), "{affected:?}");
    let compared = version("new.isa", &text);
    let report = diff::of_generations(side(&compared), ["FIRST", "SECOND"]).expect("generations");
    assert_eq!(codes(&report), BTreeSet::from(["D202"]));
    assert!(diff::of_generations(side(&compared), ["FIRST", "THIRD"]).is_none());
}

/// The opcodes that the report says are new or gone are exactly those that one generation alone has.
#[test]
fn the_generations_of_gcn_differ_in_the_opcodes_that_they_have() {
    let Compiled { sources, sets: family, .. } = isadl_test_support::compiled("spec/gcn");
    let names = family.generations().to_vec();
    let mut total = 0;
    for [old, new] in names.iter().flat_map(|a| names.iter().map(move |b| [a, b])) {
        let side = Side { family, programs: &[], sources };
        let report = diff::of_generations(side, [old, new]).expect("generations");
        let of = |name: &str| -> BTreeSet<&str> {
            let isa = family.generation(name).expect("a generation");
            isa.opcodes().iter().map(|opcode| opcode.name.as_str()).collect()
        };
        let told = |wanted: Kind| -> BTreeSet<&str> {
            let found = report.findings().filter(|(finding, _)| finding.kind == wanted);
            found.flat_map(|(_, affected)| affected.opcodes.iter().map(String::as_str)).collect()
        };
        let (olds, news) = (of(old), of(new));
        assert_eq!(told(Kind::OpcodeRemoved), olds.difference(&news).copied().collect());
        assert_eq!(told(Kind::OpcodeAdded), news.difference(&olds).copied().collect());
        assert_eq!(report.is_empty(), old == new, "{old} {new}");
        total += report.findings().len();
    }
    assert!(total > 100, "{total}");
    let side = Side { family, programs: &[], sources };
    let report = diff::of_generations(side, ["GCN1_2", "GCN1_4"]).expect("generations");
    // Known facts: GCN1_4 has additions without a carry, and `ttmp0` has moved.
    let text = diff::text(&report);
    assert!(text.contains("D201 opcode `V_ADD_NC_U32_E32` is new"), "{text}");
    assert!(text.contains("was `ttmp0` = 0x70 ("), "{text}");
    assert!(text.contains("is  `ttmp0` = 0x6c ("), "{text}");
}

/// A folder that is removed with its contents.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("isadl-diff-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("writable");
    }

    fn git(&self, arguments: &[&str]) {
        let output = Command::new("git").args(arguments).current_dir(&self.0).output();
        let output = output.expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(super::cli::binary())
        .arg("diff")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the binary runs")
}

#[test]
fn the_command_compares_versions_on_disk_and_through_git() {
    let folder = Folder::new("git");
    let at = folder.0.as_path();
    folder.write("set/demo.isa", BASE);
    folder.write("set/opcodes.lock", LOCK);
    folder.git(&["init", "-q"]);
    folder.git(&["add", "."]);
    let who = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
    folder.git(&[&who[..], &["commit", "-q", "-m", "Add"]].concat());
    folder.write("set/demo.isa", &changed(BASE, &[("count > 3", "count > 4")]));
    folder.write("old/demo.isa", BASE);
    folder.write("old/opcodes.lock", LOCK);

    let text = |output: &Output| String::from_utf8(output.stdout.clone()).expect("UTF-8");
    let through_git = run(at, &["--against", "HEAD", "set"]);
    let errors = String::from_utf8_lossy(&through_git.stderr).into_owned();
    assert_eq!(through_git.status.code(), Some(0), "{errors}");
    let shown = text(&through_git);
    assert!(shown.contains("D206 rule \"too wide\""), "{shown}");
    assert!(shown.contains("(HEAD:set/demo.isa:"), "{shown}");
    assert!(shown.ends_with("1 difference: 1 legality\n"), "{shown}");
    // The file alone, from within its folder, is the same.
    let inside = run(&at.join("set"), &["--against", "HEAD", "demo.isa"]);
    assert!(text(&inside).contains("(HEAD:demo.isa:"), "{}", text(&inside));
    let on_disk = run(at, &["old", "set"]);
    assert_eq!(text(&on_disk).replace("old/demo.isa", "HEAD:set/demo.isa"), shown);

    for (deny, status) in
        [("encoding", 0), ("legality", 1), ("text,legality", 1), ("all", 1), ("documentation", 0)]
    {
        let output = run(at, &["--against", "HEAD", "set", "--deny", deny]);
        assert_eq!(output.status.code(), Some(status), "{deny}");
        assert_eq!(text(&output), shown);
    }
    folder.write("broken/demo.isa", "__DefIsa BROKEN<8>\n\n__DefOptype X : [NONE]\n");
    for (arguments, status) in [
        (&["old", "broken"][..], 1),
        (&["old"], 2),
        (&["old", "set", "old"], 2),
        (&["--against", "nothing", "set"], 2),
        (&["--against", "HEAD", "old"], 2),
        (&["--against", "--help", "set"], 2),
        (&["--against", "HEAD", "old", "set"], 2),
        (&["--generations", "FIRST", "set"], 2),
        (&["--generations", "FIRST..THIRD", "set"], 2),
        (&["--generations", "FIRST..SECOND", "--against", "HEAD", "set"], 2),
        (&["--deny", "everything", "old", "set"], 2),
        (&["old", "nowhere"], 2),
        (&["old", "-"], 2),
        (&["--generations", "FIRST..SECOND", "set"], 0),
    ] {
        let output = run(at, arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {errors}");
        assert_eq!(output.stdout.is_empty(), status != 0, "{arguments:?}");
    }
}

/// The word that shows a change of a condition breaks the rule of only one version.
#[test]
fn a_changed_condition_comes_with_a_word() {
    for (condition, of_new, of_old) in [
        ("mode == \"wide\" and count > 4", false, true),
        ("mode == \"wide\" and count > 2", true, false),
        ("count > 3", true, false),
        ("mode == \"wide\" and count < 4", true, true),
    ] {
        let change = [("mode == \"wide\" and count > 3", condition)];
        let text = changed(BASE, &change);
        let report = compare(BASE, &text);
        let (_, affected) = report.findings().next().expect("a difference");
        let witness = affected.witness.as_deref().expect("a word");
        let digits = witness.split_once("0x").and_then(|(_, rest)| rest.split(' ').next());
        let word = u128::from_str_radix(digits.expect("a number"), 16).expect("a number");
        let is_refused = |text: &str| {
            let Version { family, .. } = version("demo.isa", text);
            let isa = isadl_test_support::Set::from(family.first().clone());
            matches!(isa.decode(word), Err(isadl::engine::DecodeError::Rule { .. }))
        };
        let (by_old, by_new) = (is_refused(BASE), is_refused(&text));
        assert_ne!(by_old, by_new, "{condition}: {witness}");
        let version = if by_new { "new" } else { "old" };
        assert!(witness.ends_with(&format!("breaks only the {version} rule")), "{witness}");
        assert!(if by_new { of_new } else { of_old }, "{condition}: {witness}");
        assert!(diff::text(&report).contains(witness));
    }
}

#[test]
fn json_has_the_keys_of_its_schema() {
    let report =
        compare(BASE, &changed(BASE, &[("count > 3", "count > 4"), ("MUL = 3", "MUL = 4")]));
    let found: Value = serde_json::from_str(&diff::json(&report)).expect("JSON");
    let schema: Value = serde_json::from_str(diff::SCHEMA).expect("JSON");
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    assert_eq!(keys(&found), keys(&schema["properties"]));
    let difference = &found["differences"][0];
    assert_eq!(keys(difference), keys(&schema["$defs"]["difference"]["properties"]));
    assert_eq!(keys(&difference["old"]), keys(&schema["$defs"]["version"]["properties"]));
    assert_eq!(difference["code"], "D109");
    assert_eq!(difference["old"]["place"]["file"], "old.isa");
    assert_eq!(found["counts"]["legality"], 1);
    let classes: Vec<&str> = Class::ALL.iter().map(|class| class.as_str()).collect();
    assert_eq!(schema["$defs"]["class"]["enum"], Value::from(classes));
    // The text and the order do not depend on a hash map.
    let again =
        compare(BASE, &changed(BASE, &[("count > 3", "count > 4"), ("MUL = 3", "MUL = 4")]));
    assert_eq!(diff::json(&again), diff::json(&report));
}

#[test]
fn codes_of_differences_are_explained() {
    let explain = |name: &str| {
        let output = Command::new(super::cli::binary()).args(["explain", name]).output();
        String::from_utf8(output.expect("the binary runs").stdout).expect("UTF-8")
    };
    assert!(explain("d104").contains("A field is at other bits of the word"));
    let output = Command::new(super::cli::binary()).arg("explain").output().expect("it runs");
    let all = String::from_utf8(output.stdout).expect("UTF-8");
    for kind in Kind::ALL {
        assert!(all.contains(&format!("  {kind}  ")), "{kind}");
    }
}
