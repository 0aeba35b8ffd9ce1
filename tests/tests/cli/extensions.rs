//! `--extensions` of commands that look at specifications.

use isadl_test_support::root;

use super::{folder, run, status, stderr, stdout};

const PATH: &str = "../extensions";

/// The fixture with a part of its text replaced.
fn changed(name: &str, from: &str, to: &str) -> super::Folder {
    let path = root().join("tests/fixtures/extensions/isa.isa");
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    assert!(text.contains(from), "{from}");
    folder(name, &[("isa.isa", text.replace(from, to).as_bytes())])
}

#[test]
fn unknown_extensions_and_sets_that_are_not_allowed_are_wrong_usage() {
    for command in
        [&["check"][..], &["prove"], &["dump", "ast"], &["dump", "model"], &["dump", "isa"]]
    {
        let with = |set: &'static str| [command, &["--extensions", set, PATH]].concat();
        assert_eq!(status(&with("Zcmq")), Some(2), "{command:?}");
        let text = stderr(&with("Zcmq"));
        assert!(text.contains("`Zcmq` is not an extension; did you mean `Zcmp`?"), "{text}");
        let text = stderr(&with("gc,Zcmp"));
        assert!(text.contains("these extensions are not allowed together"), "{text}");
        assert_eq!(status(&with("gc")), Some(0), "{command:?}");
    }
    let diff = ["diff", "--extensions", "Zcmq", PATH, PATH];
    assert_eq!(status(&diff), Some(2));
    assert!(stderr(&diff).contains("did you mean `Zcmp`?"));
}

#[test]
fn only_what_a_set_has_is_checked_and_proven() {
    let open = changed("sets", "    Requires<Zcmp or Zcmt> = Zca and not Zcd;\n", "");
    let path = open.0.to_str().expect("a path in UTF-8");
    for command in ["check", "prove"] {
        assert_eq!(status(&[command, path]), Some(1));
        assert_eq!(status(&[command, "--extensions", "gc", path]), Some(0));
        assert_eq!(status(&[command, "--extensions", "small", path]), Some(0));
        let both = [command, "--extensions", "gc,Zcmp", "--format", "short", path];
        assert_eq!(status(&both), Some(1));
        let text = run(&both);
        let text = String::from_utf8_lossy(&text.stderr).into_owned();
        assert!(text.contains("E0701") && text.contains("`C_FSDSP` and `CM_PUSH`"), "{text}");
        assert!(!text.contains("CM_JT"), "{text}");
    }
    let summary = stdout(&["check", "--extensions", "gc", path]);
    assert!(summary.contains("7 opcodes; 0 errors, 0 warnings"), "{summary}");
}

#[test]
fn stages_and_versions_have_what_a_set_has() {
    let dumped = |set: &str, stage: &str| stdout(&["dump", stage, "--extensions", set, PATH]);
    for stage in ["ast", "model", "isa"] {
        let (gc, small) = (dumped("gc", stage), dumped("small", stage));
        assert!(gc.contains("C_FSDSP") && !gc.contains("CM_PUSH"), "{gc}");
        assert!(small.contains("CM_PUSH") && !small.contains("C_FSDSP"), "{small}");
    }
    // Without a set, items that need extensions name them.
    let all = stdout(&["dump", "isa", PATH]);
    assert!(
        all.contains("\n  in Zca and Zcmp\n") && !dumped("small", "isa").contains("\n  in "),
        "{all}"
    );
    let new = changed("versions", "fixed[15:9] == 0x50;", "fixed[15:9] == 0x51;");
    let path = new.0.to_str().expect("a path in UTF-8");
    let deny =
        |set: &'static str| status(&["diff", "--deny", "all", "--extensions", set, PATH, path]);
    assert_eq!(deny("gc"), Some(0));
    assert_eq!(deny("small"), Some(1));
}
