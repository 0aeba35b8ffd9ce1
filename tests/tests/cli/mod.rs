//! The real binary: exit statuses, formats, levels, dumps; assembly text in `text.rs`.

mod compile;
mod extensions;
mod files;
mod layout;
mod machines;
mod new;
mod project;
mod prove;
mod run;
mod terminal;
mod text;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use isadl_test_support::{golden, root};
use serde_json::Value;

/// The binary, built once: a test cannot depend on a binary of another package.
pub(crate) fn binary() -> &'static PathBuf {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let built = Command::new(env!("CARGO"))
            // With the tests of the whole workspace: alone, its dependencies would have other features, and be compiled again.
            .args(["build", "-q", "--workspace", "--bin", "isadl", "--test", "all"])
            .arg("--message-format=json")
            .current_dir(root())
            .output()
            .expect("cargo runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let messages = String::from_utf8_lossy(&built.stdout).into_owned();
        let mut executable = messages.lines().filter_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let is_it = message["target"]["name"] == "isadl";
            message["executable"].as_str().filter(|_| is_it).map(PathBuf::from)
        });
        executable.next_back().expect("cargo names the binary")
    })
}

/// Runs the binary from a folder; returns its exit status and its standard error.
pub(crate) fn isadl(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(binary()).args(arguments).current_dir(folder).output();
    let output = output.expect("the binary runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Runs the binary among the fixtures, so that messages name files as short as can be.
fn run(arguments: &[&str]) -> Output {
    Command::new(binary())
        .args(arguments)
        .current_dir(root().join("tests/fixtures/cli"))
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("the binary runs")
}

fn status(arguments: &[&str]) -> Option<i32> {
    run(arguments).status.code()
}

fn stdout(arguments: &[&str]) -> String {
    String::from_utf8(run(arguments).stdout).expect("output is UTF-8")
}

fn stderr(arguments: &[&str]) -> String {
    String::from_utf8(run(arguments).stderr).expect("output is UTF-8")
}

#[test]
fn the_exit_status_tells_clean_from_errors_from_wrong_usage() {
    assert_eq!(status(&["check", "clean.isa"]), Some(0));
    assert_eq!(status(&["check", "broken.isa"]), Some(1));
    for usage in [
        &["check", "nowhere.isa"][..],
        &["check", "--no-such-option"],
        &["check", "--format", "xml", "clean.isa"],
        &["check", "-A", "E9999", "clean.isa"],
        &["check", "-A", "E0401", "clean.isa"],
        &["check", "-W", "W9999", "clean.isa"],
        &["check", "-W", "E0401", "clean.isa"],
        &["check", "-D", "nonsense", "clean.isa"],
        &["check", "clean.isa", "nowhere.isa"],
        &["check", "--max-errors", "many", "clean.isa"],
        &["explain", "E9999"],
        &["asm", "--spec", "nowhere.isa"],
        &["disasm", "--spec", "clean.isa", "--binary", "nowhere.bin"],
        &["decode", "--spec", "clean.isa"],
        &["dump", "nonsense", "clean.isa"],
        &["no-such-command"],
        &[],
    ] {
        assert_eq!(status(usage), Some(2), "{usage:?}");
    }
    assert!(stderr(&["check", "nowhere.isa"]).contains("nowhere.isa"));
}

#[test]
fn levels_turn_warnings_into_errors_and_silence() {
    let warns = root().join("tests/fixtures/odd/odd.isa");
    let warns = warns.to_str().expect("a path in UTF-8");
    // Texts are tests, so the group is an error by default.
    assert_eq!(status(&["check", warns]), Some(1));
    let told = "lints of the group `text` are errors by default; `-W text` makes them warnings";
    assert_eq!(stderr(&["check", warns]).matches(told).count(), 1);
    assert!(!stderr(&["check", "-D", "text", warns]).contains(told));
    let lowered =
        |levels: &[&'static str]| status(&[&["check", "-W", "text"], levels, &[warns]].concat());
    assert_eq!(lowered(&[]), Some(0));
    assert!(stderr(&["check", "-W", "text", warns]).contains("warning[W0911]"));
    assert_eq!(lowered(&["-D", "W0911"]), Some(1), "a code is nearer than its group");
    assert_eq!(lowered(&["-D", "warnings"]), Some(1));
    assert_eq!(lowered(&["-D", "W0303"]), Some(1));
    assert_eq!(lowered(&["-D", "w0303"]), Some(1));
    assert_eq!(lowered(&["-D", "suspicious"]), Some(1));
    let others = ["-A", "text", warns];
    let with = |levels: &[&'static str]| status(&[&["check"], levels, &others].concat());
    assert_eq!(with(&["-D", "warnings", "-A", "W0303"]), Some(0));
    assert!(!stderr(&["check", "-A", "W0303", warns]).contains("W0303"));
    assert_eq!(with(&["-D", "warnings", "-W", "W0303"]), Some(0));
}

/// A specification whose upper bits are free.
const ROOMY: &[u8] = b"__DefIsa ROOMY<8>
__DefImmediate Code<4>
    Number = unsigned;
__DefGroup ALL : []
__DefOptype NOP : [ALL]
__DefOpcode NOP_X : [NOP]
  __Encoding
    field<0, 4> Code code == 7;
";

#[test]
fn what_is_allowed_by_default_is_shown_counted_and_refused_as_asked() {
    let specs = folder("notes", &[("roomy.isa", ROOMY)]);
    let path = specs.0.to_str().expect("a path in UTF-8");
    let short = |level: &str| {
        let output = run(&["check", "--format", "short", level, "W0703", path]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), text, String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (exit, text, summary) = short("-W");
    assert!(
        text.contains("warning[W0703]") && summary.ends_with("0 errors, 1 warning\n"),
        "{text}"
    );
    assert_eq!(exit, Some(0));
    let (exit, text, summary) = short("-D");
    assert!(text.contains("error[W0703]") && summary.ends_with("1 error, 0 warnings\n"), "{text}");
    assert_eq!(exit, Some(1));
    let (exit, text, _) = short("-A");
    assert_eq!((exit, text.as_str()), (Some(0), ""));
    let plain = run(&["check", "--format", "short", "-D", "warnings", path]);
    assert_eq!((plain.status.code(), plain.stderr.as_slice()), (Some(0), &b""[..]));
    let group = stderr(&["check", "--format", "short", "-W", "bits", path]);
    assert!(group.contains("W0703") && group.contains("W0707"), "{group}");
    // The specification itself can request it.
    let asking = [ROOMY, b"    Unstated = warn;\n"].concat();
    let specs = folder("asking", &[("roomy.isa", &asking)]);
    let path = specs.0.to_str().expect("a path in UTF-8");
    let text = stderr(&["check", "--format", "short", path]);
    assert!(text.contains("warning[W0707]") && !text.contains("W0703"), "{text}");
    assert_eq!(status(&["check", "-D", "warnings", path]), Some(1));
    assert_eq!(status(&["check", "-D", "bits", path]), Some(1));
    assert_eq!(stderr(&["check", "-A", "bits", path]), "");
}

#[test]
fn lints_and_their_groups_are_listed() {
    let all = stdout(&["explain"]);
    for line in [
        "text (deny by default): mistakes in examples, templates and other text, which are tests",
        "  W0901  example that does not assemble",
        "errors, whose level cannot be changed",
        "  E0401  fields overlap",
    ] {
        assert!(all.lines().any(|other| other == line), "{line}");
    }
    let group = stdout(&["explain", "text"]);
    assert!(all.contains(&group) && !group.contains("W0703"), "{group}");
    assert_eq!(status(&["explain", "nonsense"]), Some(2));
}

#[test]
fn people_read_excerpts_and_one_line_each() {
    let folder = root().join("tests/fixtures/cli");
    golden(&folder.join("human.txt"), &stderr(&["check", "broken.isa"]));
    golden(&folder.join("short.txt"), &stderr(&["check", "--format", "short", "broken.isa"]));
    let summary = "checked 1 file: 2 types, 1 group, 1 optype, 1 opcode; 2 errors, 1 warning\n";
    assert_eq!(stdout(&["check", "broken.isa"]), summary);
    assert_eq!(stdout(&["check", "--format", "short", "broken.isa"]), summary);
}

#[test]
fn max_errors_limits_what_is_printed_and_not_what_is_counted() {
    let limited = ["check", "--max-errors", "1", "--format", "short", "broken.isa"];
    let text = stderr(&limited);
    assert_eq!(text.matches("error[").count(), 1, "{text}");
    assert!(text.contains("not shown (--max-errors 1)"), "{text}");
    assert!(stdout(&limited).contains("2 errors"));
}

#[test]
fn machines_read_an_object_a_line_on_standard_output() {
    let text = stdout(&["check", "--format", "json", "broken.isa"]);
    let messages: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    let codes: Vec<&str> =
        messages.iter().filter_map(|message| message["code"]["code"].as_str()).collect();
    assert_eq!(codes, ["W0211", "E0401", "E0202"]);
    let source =
        std::fs::read_to_string(root().join("tests/fixtures/cli/broken.isa")).expect("readable");
    let (last, found) = messages.split_last().expect("there is a summary");
    assert_eq!((&last["level"], &last["code"]), (&Value::from("note"), &Value::Null));
    assert_eq!((&last["counts"]["errors"], &last["counts"]["warnings"]), (&2.into(), &1.into()));
    for message in found {
        assert_eq!(message["$message_type"], "diagnostic");
        assert!(message.get("counts").is_none());
        assert!(["error", "warning"].contains(&message["level"].as_str().unwrap_or("")));
        assert!(
            message["rendered"]
                .as_str()
                .is_some_and(|text| text.contains("broken.isa") && !text.contains('\x1b'))
        );
        assert!(message["children"].is_array());
        let spans = message["spans"].as_array().expect("a list of spans");
        assert_eq!(spans.iter().filter(|span| span["is_primary"] == true).count(), 1);
        for span in spans {
            let number = |name: &str| span[name].as_u64().expect("a number") as usize;
            assert_eq!(span["file_name"], "broken.isa");
            let before = &source[..number("byte_start")];
            assert_eq!(number("line_start"), before.matches('\n').count() + 1);
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            assert_eq!(number("column_start"), before[line_start..].chars().count() + 1);
            assert!(
                number("byte_end") >= number("byte_start")
                    && number("line_end") >= number("line_start")
            );
            assert!(number("column_end") >= 1 && span.get("label").is_some());
        }
    }
    assert!(stderr(&["check", "--format", "json", "broken.isa"]).starts_with("checked 1 file"));
}

#[test]
fn a_check_tells_machines_how_many_opcodes_have_programs() {
    let counts = |path: &Path| -> Value {
        let text = stdout(&["check", "--format", "json", path.to_str().expect("UTF-8")]);
        let last = text.lines().last().expect("there is a summary");
        serde_json::from_str::<Value>(last).expect("an object")["counts"].clone()
    };
    let tutorial = counts(&root().join("tests/fixtures/tutorial/toy.isa"));
    assert_eq!(tutorial["files"], 1);
    let [opcodes, programs] = ["opcodes", "programs"].map(|key| tutorial[key].as_u64());
    assert!(programs > Some(0) && programs < opcodes, "{tutorial}");
    let (simt, riscv) = (counts(&root().join("spec/simt")), counts(&root().join("spec/riscv")));
    assert!(simt["programs"].as_u64() > Some(150), "{simt}");
    assert!(riscv["programs"].as_u64() > Some(150), "{riscv}");
}

#[test]
fn tools_for_rustc_read_diagnostics_and_apply_fixes() {
    use cargo_metadata::diagnostic::{Applicability, Diagnostic, DiagnosticLevel};

    let text = "__DefIsa A<8>\n__DefBitFieldType Op<8>\n    NOP;\n    HALT;\n__DefGroup ALL : []\n\
                __DefOptype halt : [ALLL]\n__DefOpcode HALT : [halt]\n  __Encoding\n\
                    field<0, 8> Opp op == HALT // é\n";
    let specs = folder("fixes", &[("x.isa", text.as_bytes())]);
    let path = specs.0.join("x.isa");
    let path = path.to_str().expect("a path in UTF-8");
    let read = || -> Vec<Diagnostic> {
        let text = stdout(&["check", "--format", "json", path]);
        let message = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        let mut found: Vec<Diagnostic> = text.lines().map(message).collect();
        let summary = found.pop().expect("a check ends with a summary");
        assert!(summary.level == DiagnosticLevel::Note && summary.spans.is_empty());
        found
    };
    let found = read();
    let codes = found.iter().map(|found| found.code.as_ref().map(|code| code.code.as_str()));
    assert_eq!(codes.collect::<Vec<_>>(), [Some("E0203"), Some("E0202"), Some("E0102")]);
    let mut fixes = Vec::new();
    for diagnostic in &found {
        assert_eq!(diagnostic.level, DiagnosticLevel::Error);
        let [primary] = diagnostic.spans.as_slice() else { panic!("{diagnostic:?}") };
        assert!(primary.is_primary && primary.file_name == path);
        let [line] = primary.text.as_slice() else { panic!("{primary:?}") };
        assert_eq!(Some(line.text.as_str()), text.lines().nth(primary.line_start - 1));
        assert_eq!(
            (line.highlight_start, line.highlight_end),
            (primary.column_start, primary.column_end)
        );
        for child in &diagnostic.children {
            fixes.extend(child.spans.iter().map(|span| {
                assert_eq!(child.level, DiagnosticLevel::Help);
                let new = span.suggested_replacement.clone().expect("a replacement");
                (span.byte_start as usize, span.byte_end as usize, new, span)
            }));
        }
    }
    let told: Vec<_> = fixes
        .iter()
        .map(|(_, _, new, span)| (new.as_str(), &span.suggestion_applicability))
        .collect();
    let (guess, certain) =
        (Some(Applicability::MaybeIncorrect), Some(Applicability::MachineApplicable));
    assert_eq!(told, [("ALL", &guess), ("Op", &guess), (";", &certain)]);
    // After all fixes the file is free of errors.
    let mut fixed = text.to_string();
    fixes.sort_by_key(|(start, ..)| std::cmp::Reverse(*start));
    fixes.iter().for_each(|(start, end, new, _)| fixed.replace_range(*start..*end, new));
    std::fs::write(path, &fixed).expect("writable");
    assert_eq!(status(&["check", path]), Some(0), "{fixed}");
    assert!(read().iter().all(|found| found.level != DiagnosticLevel::Error));
}

#[test]
fn every_fixture_can_be_read_by_tools_for_rustc() {
    use cargo_metadata::diagnostic::Diagnostic;

    let entries = std::fs::read_dir(root().join("tests/diagnostics")).expect("readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let mut count = 0;
    for path in paths.iter().filter(|path| path.is_file()) {
        let output = run(&["check", "--format", "json", path.to_str().expect("UTF-8")]);
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let found: Diagnostic =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            for span in found.spans.iter().chain(found.children.iter().flat_map(|c| &c.spans)) {
                assert_eq!(span.text.len(), span.line_end - span.line_start + 1, "{span:?}");
            }
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn colour_follows_the_option_and_no_color() {
    let coloured = |output: Output| output.stderr.contains(&b'\x1b');
    assert!(coloured(run(&["check", "--color", "always", "broken.isa"])));
    assert!(!coloured(run(&["check", "--color", "never", "broken.isa"])));
    assert!(!coloured(run(&["check", "broken.isa"])), "a pipe is no terminal");
    let mut command = Command::new(binary());
    command.args(["check", "broken.isa"]).current_dir(root().join("tests/fixtures/cli"));
    command.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1");
    assert!(!coloured(command.output().expect("the binary runs")), "NO_COLOR wins");
}

#[test]
fn every_stage_can_be_printed() {
    let folder = root().join("tests/fixtures/cli");
    golden(&folder.join("isa.txt"), &stdout(&["dump", "isa", "clean.isa"]));
    golden(&folder.join("model.txt"), &stdout(&["dump", "model", "clean.isa"]));
    golden(&folder.join("ast.txt"), &stdout(&["dump", "ast", "clean.isa"]));
    golden(&folder.join("ast_odd.txt"), &stdout(&["dump", "ast", "../odd/odd.isa"]));
    assert_eq!(status(&["dump", "isa", "broken.isa"]), Some(1));
    assert_eq!(status(&["dump", "model", "broken.isa"]), Some(1));
}

#[test]
fn codes_are_explained() {
    let page = stdout(&["explain", "e0401"]);
    assert!(page.starts_with("# E0401: fields overlap"), "{page}");
    assert!(stdout(&["man"]).contains(".TH isadl"));
    assert!(stdout(&["completions", "bash"]).contains("_isadl"));
}

/// A folder of a test, removed at its end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn folder(name: &str, files: &[(&str, &[u8])]) -> Folder {
    let path = std::env::temp_dir().join(format!("isadl-cli-{name}-{}", std::process::id()));
    for (name, bytes) in files {
        let file = path.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a temporary folder");
        std::fs::write(file, bytes).expect("a temporary file");
    }
    Folder(path)
}

#[test]
fn a_folder_of_folders_is_several_instruction_sets() {
    let clean = std::fs::read(root().join("tests/fixtures/cli/clean.isa")).expect("readable");
    let specs = folder(
        "several",
        &[("b/x.isa", &clean), ("a/x.isa", &clean), ("a/notes.txt", b"no"), ("c/notes.txt", b"")],
    );
    let path = specs.0.to_str().expect("a path in UTF-8");
    let text = stdout(&["check", path]);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.lines().all(|line| line.starts_with("checked 1 file: 2 types")), "{text}");
    assert_eq!(
        status(&["check", specs.0.join("c").to_str().expect("a path in UTF-8")]),
        Some(2),
        "no `*.isa` in it"
    );
}

#[test]
fn files_named_together_are_one_in_any_order_whatever_their_ending() {
    let clean =
        std::fs::read_to_string(root().join("tests/fixtures/cli/clean.isa")).expect("readable");
    let (types, layers) =
        clean.split_at(clean.find("__DefGroup").expect("the fixture has a group"));
    let specs =
        folder("together", &[("types.txt", types.as_bytes()), ("layers", layers.as_bytes())]);
    let path = |name: &str| specs.0.join(name).to_str().expect("a path in UTF-8").to_string();
    let (first, second) = (path("types.txt"), path("layers"));
    let forth = run(&["dump", "isa", &first, &second]);
    let back = run(&["dump", "isa", &second, &first]);
    assert_eq!(forth.status.code(), Some(0));
    assert_eq!((forth.stdout, forth.stderr), (back.stdout, back.stderr));
    assert!(stdout(&["check", &first, &second]).starts_with("checked 2 files: 2 types, 1 group"));
}

#[test]
fn bytes_that_are_no_text_and_empty_files_are_reported() {
    let clean = std::fs::read(root().join("tests/fixtures/cli/clean.isa")).expect("readable");
    let latin = [&clean[..], b"// caf\xe9\n"].concat();
    let specs = folder("bytes", &[("latin.isa", &latin), ("empty.isa", b" \n")]);
    let text = stderr(&["check", "--format", "short", specs.0.to_str().expect("a path in UTF-8")]);
    assert!(text.contains("error[E0001]") && text.contains("error[E0002]"), "{text}");
    assert_eq!(text.matches("error[").count(), 2, "{text}");
}

#[test]
fn numbers_are_pinned_and_stay() {
    let clean =
        std::fs::read_to_string(root().join("tests/fixtures/cli/clean.isa")).expect("readable");
    let specs = folder("lock", &[("x.isa", clean.as_bytes())]);
    let path = specs.0.to_str().expect("a path in UTF-8");
    let lock = specs.0.join("opcodes.lock");
    assert_eq!(status(&["lock", path]), Some(0));
    let before = std::fs::read_to_string(&lock).expect("the numbers are written");
    assert!(before.ends_with("NOP_X = 0\nNOP_Y = 1\n"), "{before}");
    let reordered = clean.replace("NOP_X :", "NOP_Z :");
    std::fs::write(specs.0.join("x.isa"), reordered).expect("writable");
    assert!(stderr(&["check", path]).contains("W0802"));
    assert_eq!(status(&["lock", path]), Some(0));
    let after = std::fs::read_to_string(&lock).expect("the numbers are written");
    assert_eq!(after, before + "NOP_Z = 2\n", "the number of a removed opcode is not given again");
    std::fs::write(&lock, "NOP_Z = 1\nNOP_Y = 1\nnonsense\n").expect("writable");
    let text = stderr(&["check", "--format", "short", path]);
    assert_eq!(text.matches("error[E0801]").count(), 2, "{text}");
}

#[test]
fn a_file_that_pins_nothing_is_not_taken_for_one_that_does() {
    let clean = std::fs::read(root().join("tests/fixtures/cli/clean.isa")).expect("readable");
    let specs = folder("lock-foreign", &[("x.isa", &clean), ("opcodes.lock", b"# my notes\n")]);
    let path = specs.0.to_str().expect("a path in UTF-8");
    let lock = specs.0.join("opcodes.lock");
    assert_eq!(status(&["lock", path]), Some(1));
    assert!(stderr(&["lock", path]).contains("opcodes.lock does not pin opcode numbers"));
    assert_eq!(std::fs::read_to_string(&lock).expect("readable"), "# my notes\n");
    // Numbers that a person wrote are numbers.
    std::fs::write(&lock, "NOP_X = 7 # first\n").expect("writable");
    assert_eq!(status(&["lock", path]), Some(0));
    let text = std::fs::read_to_string(&lock).expect("readable");
    assert_eq!(text, "NOP_X = 7 # first\nNOP_Y = 8\n");
    std::fs::remove_file(&lock).expect("removable");
    std::fs::create_dir(&lock).expect("creatable");
    assert_eq!(status(&["lock", path]), Some(1));
    assert!(lock.is_dir());
}

/// The source files have mistakes in their templates and examples, which are errors by default.
#[test]
fn the_source_files_are_clean_but_for_their_texts() {
    let Some(seeds) = isadl_test_support::seeds() else { return };
    let base = root().join("spec/simt/base.isa");
    let files: Vec<String> =
        seeds.iter().chain([&base]).map(|path| path.display().to_string()).collect();
    let with = |levels: &[&str]| {
        let files = files.iter().map(String::as_str);
        let call: Vec<&str> =
            ["check"].into_iter().chain(levels.iter().copied()).chain(files).collect();
        status(&call)
    };
    assert_eq!(with(&[]), Some(1));
    assert_eq!(with(&["-W", "text"]), Some(0));
}
