//! `isadl.toml`: the settings that commands take from it.

use std::path::Path;
use std::process::{Command, Output};

use super::{binary, folder};

const SETTINGS: &str = r#"
[lints]
unused = "deny"

[[spec]]
path = "isas"

[[spec]]
path = "isas/two"
generation = "NEW"
lints.unused = "allow"

[[spec.output]]
target = "rust"
out = "made/two"
emit = ["decode"]

[[spec.output]]
target = "dataflow"
out = "made/flow"
"#;

/// An instruction set with an unused type.
const ONE: &str = "__DefIsa ONE<8>\n__DefBitFieldType Unused<2>\n    A = 0;\n__DefGroup ALL : []\n__DefOpcode A : [ALL]\n  __Encoding\n    fixed<0, 8> == 1;\n";

/// One with two generations, whose words differ.
const TWO: &str = "__DefIsa TWO<8>\n    Generations<OLD, NEW>;\n\n__DefBitFieldType Unused<2>\n    A = 0;\n__DefGroup ALL : []\n__DefOpcode A : [ALL] @[OLD]\n  __Encoding\n    fixed<0, 8> == 1;\n  __Syntax\n    `A`\n__DefOpcode A : [ALL] @[NEW]\n  __Encoding\n    fixed<0, 8> == 2;\n  __Syntax\n    `A`\n";

fn run(place: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(place).env_remove("CLICOLOR_FORCE");
    command.output().expect("the binary runs")
}

fn said(made: &Output) -> String {
    String::from_utf8_lossy(&[made.stdout.clone(), made.stderr.clone()].concat()).into_owned()
}

#[test]
fn commands_take_their_settings_from_the_nearest_project() {
    let files = folder(
        "project",
        &[
            ("isadl.toml", SETTINGS.as_bytes()),
            ("isas/one/one.isa", ONE.as_bytes()),
            ("isas/two/two.isa", TWO.as_bytes()),
            ("deep/er/x.txt", b""),
        ],
    );
    // Without paths, from anywhere: each instruction set once, with its own levels.
    for place in ["", "deep/er"] {
        let made = run(&files.0.join(place), &["check"]);
        let text = said(&made);
        assert_eq!(made.status.code(), Some(1), "{text}");
        assert_eq!(text.matches("checked 1 file").count(), 2, "{text}");
        assert_eq!(text.matches("error[W02").count(), 1, "{text}");
        assert!(!text.contains("two.isa"), "{text}");
    }
    // A path brings its project along, and options come last.
    let above = files.0.parent().expect("a folder");
    let name = files.0.file_name().expect("a name").to_str().expect("UTF-8");
    let one = format!("{name}/isas/one");
    assert_eq!(run(above, &["check", &one]).status.code(), Some(1));
    assert_eq!(run(above, &["check", "-A", "unused", &one]).status.code(), Some(0));
    let two = format!("{name}/isas/two");
    assert!(said(&run(above, &["decode", "--spec", &two, "02"])).contains("A"));
    assert_eq!(run(above, &["decode", "--spec", &two, "02"]).status.code(), Some(0));
    assert_eq!(run(above, &["decode", "--spec", &two, "01"]).status.code(), Some(1));
    let old = ["decode", "--spec", &two, "--generation", "OLD", "01"];
    assert_eq!(run(above, &old).status.code(), Some(0));
    // The message names the existing generation.
    let text = said(&run(&files.0, &["asm", "--spec", "isas/two", "--generation", "X"]));
    assert!(text.contains("OLD"), "{text}");
    // Several instruction sets are not one.
    assert_eq!(run(&files.0, &["decode", "01"]).status.code(), Some(2));
}

#[test]
fn outputs_are_those_of_the_project() {
    let files = folder(
        "project_gen",
        &[
            ("isadl.toml", SETTINGS.as_bytes()),
            ("isas/one/one.isa", ONE.as_bytes()),
            ("isas/two/two.isa", TWO.as_bytes()),
        ],
    );
    let gen_in = |place: &str, more: &[&str]| run(&files.0.join(place), &[&["gen"], more].concat());
    assert_eq!(gen_in("", &["--check"]).status.code(), Some(1));
    let made = gen_in("isas", &[]);
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    let names = |path: &str| -> Vec<String> {
        let entries = std::fs::read_dir(files.0.join(path)).expect("a folder");
        let names = entries.map(|one| one.expect("an entry").file_name());
        names.map(|name| name.to_string_lossy().into_owned()).collect()
    };
    assert!(names("made/two").contains(&"Cargo.toml".to_string()));
    assert!(names("made/flow/dataflow").iter().any(|name| name.ends_with(".json")));
    assert_eq!(gen_in("", &["--check"]).status.code(), Some(0));
    assert_eq!(gen_in("", &["--check", "isas/two"]).status.code(), Some(0));
    // Unlisted outputs are not generated.
    let none = gen_in("", &["isas/one"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(said(&none).contains("--target"));
    // Options about a single output require a named output.
    let option = gen_in("", &["--traits"]);
    assert_eq!(option.status.code(), Some(2));
    assert!(said(&option).contains("`--traits` needs `--target`"), "{}", said(&option));
}

#[test]
fn two_outputs_of_a_kind_do_not_overwrite_each_other() {
    let twice = format!("{SETTINGS}\n[[spec.output]]\ntarget = \"rust\"\nout = \"made/two\"\n");
    let files = folder(
        "project_twice",
        &[("isadl.toml", twice.as_bytes()), ("isas/two/two.isa", TWO.as_bytes())],
    );
    let made = run(&files.0, &["gen"]);
    assert_eq!(made.status.code(), Some(1));
    assert!(said(&made).contains("two outputs of the same target"), "{}", said(&made));
    assert!(!files.0.join("made").exists());
}

#[test]
fn mistakes_in_the_file_are_diagnostics() {
    let broken =
        "[lints]\nunusde = \"deny\"\n\n[[spec]]\npath = \"isas\"\nlints.E0101 = \"warn\"\n";
    let files = folder(
        "project_broken",
        &[("isadl.toml", broken.as_bytes()), ("isas/one.isa", ONE.as_bytes())],
    );
    for arguments in [&["check"][..], &["gen"], &["decode", "01"], &["fmt", "--check"], &["lock"]] {
        let made = run(&files.0, arguments);
        let text = said(&made);
        assert_eq!(made.status.code(), Some(1), "{arguments:?}: {text}");
        assert_eq!(text.matches("error[E0004]").count(), 2, "{text}");
        assert!(
            text.contains("isadl.toml:2:1") && text.contains("did you mean `unused`?"),
            "{text}"
        );
    }
}
