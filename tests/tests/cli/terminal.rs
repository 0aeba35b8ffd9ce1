//! Sources, file names and lines of input cannot act on the terminal.

use serde_json::Value;

use super::text::run;
use super::{folder, stderr, stdout};

/// Escape sequences, a bell, a carriage return, bidirectional marks.
const NASTY: [&str; 6] =
    ["\x1b[31m", "\x07", "a\rb", "\u{202e}", "\u{2066}\u{200b}", "\u{9b}2J\x7f"];

fn assert_harmless(text: &[u8]) {
    let text = str::from_utf8(text).expect("output is UTF-8");
    let is_nasty =
        |c: char| c.is_control() && !matches!(c, '\n') || ('\u{2000}'..'\u{2070}').contains(&c);
    assert!(!text.contains(is_nasty), "{text:?}");
}

#[test]
fn diagnostics_show_what_terminals_act_on() {
    for nasty in NASTY {
        let text = format!(
            "__DefIsa A<8>\n__DefGroup G : [\n__DefGroup H : [N{nasty}X]\n__DefGr{nasty}oup I : []\n\
             __DefOptype O : [H]\n  __Syntax\n    {nasty}\n  __{nasty}\n"
        );
        let name = format!("x{nasty}.isa");
        let specs = folder("nasty", &[(name.as_str(), text.as_bytes())]);
        let path = specs.0.to_str().expect("a path in UTF-8");
        for format in ["human", "short", "json"] {
            let output = super::run(&["check", "--format", format, path]);
            assert_eq!(output.status.code(), Some(1));
            let found = [output.stdout, output.stderr].concat();
            assert!(found.len() > 100);
            assert_harmless(&found);
        }
        // JSON has the characters nevertheless.
        let json = stdout(&["check", "--format", "json", path]);
        let first: Value =
            serde_json::from_str(json.lines().next().expect("a line")).expect("JSON");
        let file = first["spans"][0]["file_name"].as_str().expect("a name");
        assert!(file.ends_with(&name), "{file:?}");
        for stage in ["ast", "model"] {
            let output = super::run(&["dump", stage, path]);
            assert_harmless(&[output.stdout, output.stderr].concat());
        }
        assert_harmless(&super::run(&["check", &specs.0.join(nasty).display().to_string()]).stderr);
        assert_harmless(&super::run(&["explain", nasty]).stderr);
    }
}

#[test]
fn marks_stay_under_what_they_mark() {
    let text = "__DefIsa A<8>\n__DefGroup G : []\n__DefOptype O : [G]\n__DefOpcode P : [O]\n  __Exception\n\
                EncodingError<Bad, \"\x1b\u{202e}\u{e0041}é\"> = nowhere == 1;\n";
    let with = |text: &str| {
        let specs = folder("marks", &[("x.isa", text.as_bytes())]);
        let path = specs.0.join("x.isa");
        stderr(&["check", path.to_str().expect("a path in UTF-8")])
    };
    let plain = with(&text.replace(['\x1b', '\u{202e}', '\u{e0041}'], "x"));
    let shown = with(text);
    let marks = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains('^') || line.contains("x.isa:"));
        lines.map(|line| line.split(" :").next().unwrap_or_default().to_string()).collect()
    };
    assert!(shown.contains("<Bad, \"␛\u{fffd}\u{fffd}é\">"), "{shown}");
    assert!(marks(&shown).len() > 1, "{shown}");
    assert_eq!(marks(&shown), marks(&plain));
}

#[test]
fn lines_and_words_are_answered_harmlessly() {
    for nasty in NASTY {
        let line = format!("IADD {nasty} R0\n{nasty}\nIADD R0, R1, R2{nasty}\n");
        for command in ["asm", "disasm"] {
            let output = run(&[command, "--spec", "spec/simt"], line.as_bytes());
            assert_eq!(output.status.code(), Some(1));
            assert!(!output.stdout.is_empty());
            assert_harmless(&[output.stdout, output.stderr].concat());
        }
        for word in [format!("0x{nasty}"), format!("00 {nasty}"), nasty.to_string()] {
            let output = run(&["decode", "--spec", "spec/simt", &word], b"");
            assert_eq!(output.status.code(), Some(2), "{word:?}");
            assert_harmless(&[output.stdout, output.stderr].concat());
        }
    }
}

#[test]
fn rules_and_spellings_are_shown_harmlessly() {
    let spec = "__DefIsa A<8>\n__DefBitFieldType T<4>\n    X = 0 as \"\x1b[31m\u{202e}\";\n    Y = 1;\n\
                __DefGroup G : []\n__DefOptype O : [G]\n  __Encoding\n    field<4, 4> T t;\n\
                __DefOpcode P : [O]\n  __Encoding\n    field<0, 4> T op == Y;\n  __Exception\n\
                EncodingError<Bad, \"\x1b[31m\u{202e} message\"> = t == \"Y\";\n";
    let specs = folder("rules", &[("x.isa", spec.as_bytes())]);
    let path = specs.0.to_str().expect("a path in UTF-8");
    for word in ["01", "11", "21", "ff"] {
        let lines = run(&["disasm", "--spec", path], word.as_bytes());
        assert_harmless(&[lines.stdout, lines.stderr].concat());
        for format in ["human", "json"] {
            let output = run(&["decode", "--format", format, "--spec", path, word], b"");
            assert!(output.stdout.len() > 20, "{}", String::from_utf8_lossy(&output.stderr));
            assert_harmless(&[output.stdout, output.stderr].concat());
        }
    }
    for stage in ["ast", "model", "isa"] {
        let output = run(&["dump", stage, path], b"");
        assert_harmless(&[output.stdout, output.stderr].concat());
    }
}

/// The output of a command on a terminal.
#[cfg(unix)]
fn on_terminal(command: &str) -> Option<String> {
    let made = std::process::Command::new("script")
        .args(["-qec", command, "/dev/null"])
        .current_dir(isadl_test_support::root())
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    made.status.success().then(|| String::from_utf8_lossy(&made.stdout).into_owned())
}

/// Progress of long work is shown on terminals, and removed afterwards; nothing is written to a pipe.
#[cfg(unix)]
#[test]
fn progress_is_for_terminals() {
    let binary = super::binary().display().to_string();
    // A proof takes several times as long as a check. It is tried for machines on which a check takes less than a
    // second.
    for (command, verb) in [("check", "checking"), ("prove", "proving")] {
        let start = std::time::Instant::now();
        let Some(text) = on_terminal(&format!("{binary} {command} spec/a64")) else {
            println!("skipped: `script` of util-linux is not there");
            return;
        };
        let is_quick = start.elapsed() < std::time::Duration::from_millis(1300);
        if is_quick && command == "check" {
            continue;
        }
        let shown = format!("{verb} spec/a64");
        assert!(text.contains(&shown), "{text:?}");
        // The last thing that is done to its line is to clear it.
        let after = text.rsplit(&shown).next().unwrap_or_default();
        assert!(after.contains("\x1b[2K"), "{after:?}");
        let piped = std::process::Command::new(&binary)
            .args([command, "spec/a64"])
            .current_dir(isadl_test_support::root())
            .output()
            .expect("the binary runs");
        let piped = [piped.stdout, piped.stderr].concat();
        assert!(!String::from_utf8_lossy(&piped).contains(&shown));
        break;
    }
    let quick = on_terminal(&format!("{binary} check tests/fixtures/cli/clean.isa"));
    assert!(!quick.expect("it ran before").contains("checking"));
}
