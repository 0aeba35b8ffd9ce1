//! `isadl new`: the project that it creates passes all checks.

use std::process::Command;

use isadl_test_support::root;

use super::{binary, folder, run, status};
use crate::nested::cargo;

#[test]
fn a_new_instruction_set_checks_generates_and_passes_its_tests() {
    let place = folder("new", &[("there/file", b"")]);
    let path = place.0.join("mini");
    let made = run(&["new", path.to_str().expect("a path in UTF-8")]);
    assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
    for arguments in [
        &["check", "-D", "warnings"][..],
        &["prove"],
        &["fmt", "--check"],
        &["gen", "--target", "rust", "--check"],
        &["gen", "--target", "markdown"],
        &["decode", "--spec", "spec", "0x0298"],
    ] {
        let ran = Command::new(binary()).args(arguments).current_dir(&path).output();
        let ran = ran.expect("the binary runs");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(0), "{arguments:?}: {said}");
    }
    // The README shows the created files.
    let readme = std::fs::read_to_string(root().join("README.md")).expect("readable");
    let spec = std::fs::read_to_string(path.join("spec/mini.isa")).expect("readable");
    let after = |text: &str, mark: &str| text.split_once(mark).expect("it is there").1.to_string();
    let shown = after(&readme, "```text\n__DefOpcode LOAD");
    let shown = shown.split_once("```").expect("it ends").0;
    assert!(spec.contains(shown), "{shown}");
    let decode = ["decode", "--spec", "spec", "0x2288"];
    let ran = Command::new(binary()).args(decode).current_dir(&path).output();
    let printed = String::from_utf8(ran.expect("the binary runs").stdout).expect("UTF-8");
    let shown = after(&readme, "$ isadl decode --spec spec 0x2288\n");
    assert!(printed.starts_with(shown.split_once("```").expect("it ends").0), "{printed}");
    // It also shows a mistake.
    let mistaken = spec.replace("AND \"and\" [2:0] == 2;", "AND \"and\" [2:0] == 1;");
    assert_ne!(mistaken, spec);
    std::fs::write(path.join("spec/mini.isa"), mistaken).expect("writable");
    let ran = Command::new(binary()).arg("check").current_dir(&path).output();
    let printed = String::from_utf8(ran.expect("the binary runs").stderr).expect("UTF-8");
    let shown = after(&readme, "```text\nerror[");
    let shown = shown.split_once("```").expect("it ends").0;
    assert_eq!(printed.split_once("error[").expect("an error").1.trim_end(), shown.trim_end());
    std::fs::write(path.join("spec/mini.isa"), &spec).expect("writable");
    let tested = cargo(&path).args(["test", "--offline", "--quiet"]).output().expect("cargo runs");
    let said = String::from_utf8_lossy(&tested.stdout);
    assert!(tested.status.success() && said.contains("2 passed"), "{said}");
    // The second time, a file is in the way; and not every name is allowed.
    for name in ["mini", "there", "no-name", "Upper", "fn", "test", "9", ""] {
        let path = place.0.join(name);
        assert_eq!(status(&["new", path.to_str().expect("a path in UTF-8")]), Some(2), "{name}");
    }
    assert_eq!(std::fs::read_dir(place.0.join("there")).expect("a folder").count(), 1);
}
