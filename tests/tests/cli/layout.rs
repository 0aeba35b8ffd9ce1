//! `isadl fmt`: which files it changes, and what it says.

use super::{folder, run, status, stderr, stdout, text};

const CROOKED: &str =
    "__DefIsa X<8>\n__DefGroup ALL : []\n__DefOpcode A : [ALL]\n  __Encoding\n  fixed<0,8>==1;\n";
const STRAIGHT: &str = "__DefIsa X<8>\n__DefGroup ALL : []\n__DefOpcode A : [ALL]\n  __Encoding\n    fixed<0, 8> == 1;\n";

#[test]
fn files_are_replaced_only_if_their_layout_changes() {
    let files = folder(
        "fmt",
        &[
            ("a/x.isa", CROOKED.as_bytes()),
            ("a/y.isa", b"__DefGroup STRAIGHT : [ALL]\n"),
            ("b/broken.isa", b"__DefIsa X<8>\n  fixed<0,8>==1;\n"),
            ("b/utf.isa", b"// \xff\n__DefIsa   X<8>\n"),
        ],
    );
    let path = |name: &str| files.0.join(name).to_str().expect("a path in UTF-8").to_string();
    let read = |name: &str| std::fs::read(files.0.join(name)).expect("readable");
    let all = path("a");
    assert_eq!(status(&["fmt", "--check", &all]), Some(1));
    assert_eq!(stdout(&["fmt", "--check", &all]), format!("{}\n", path("a/x.isa")));
    let diff = stdout(&["fmt", "--diff", &all]);
    assert!(diff.contains("-  fixed<0,8>==1;\n+    fixed<0, 8> == 1;\n"), "{diff}");
    assert_eq!(read("a/x.isa"), CROOKED.as_bytes(), "nothing was written");
    let before = std::fs::metadata(files.0.join("a/y.isa")).and_then(|data| data.modified());
    assert_eq!(status(&["fmt", &all]), Some(0));
    assert_eq!(read("a/x.isa"), STRAIGHT.as_bytes());
    let after = std::fs::metadata(files.0.join("a/y.isa")).and_then(|data| data.modified());
    assert_eq!(before.expect("a time"), after.expect("a time"));
    assert_eq!(status(&["fmt", "--check", &all]), Some(0));
    assert_eq!(stdout(&["fmt", "--diff", &all]), "");

    // A file with errors stays as it is.
    let broken = run(&["fmt", &path("b")]);
    let said = String::from_utf8_lossy(&broken.stderr);
    assert_eq!(broken.status.code(), Some(1));
    assert!(said.contains("error[E0105]") && said.contains("utf.isa"), "{said}");
    assert_eq!(read("b/broken.isa"), b"__DefIsa X<8>\n  fixed<0,8>==1;\n");
    assert_eq!(read("b/utf.isa"), b"// \xff\n__DefIsa   X<8>\n");
    assert!(stderr(&["fmt", &path("none")]).contains("none"));
    assert_eq!(status(&["fmt", &path("none")]), Some(2));
    assert_eq!(status(&["fmt", "--check", "--diff", &all]), Some(2));
}

#[test]
fn standard_input_is_written_to_standard_output() {
    let made = text::run(&["fmt", "-"], CROOKED.as_bytes());
    assert_eq!(String::from_utf8_lossy(&made.stdout), STRAIGHT);
    assert_eq!(made.status.code(), Some(0));
    assert_eq!(text::run(&["fmt", "--check", "-"], CROOKED.as_bytes()).status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let files = folder("fmt-links", &[("real.isa", CROOKED.as_bytes())]);
    let (real, link) = (files.0.join("real.isa"), files.0.join("link.isa"));
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("allowed");
    symlink(&real, &link).expect("allowed");
    assert_eq!(status(&["fmt", link.to_str().expect("a path in UTF-8")]), Some(0));
    assert!(std::fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(std::fs::read_to_string(&real).expect("readable"), STRAIGHT);
    let mode = std::fs::metadata(&real).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

/// A specification that lacks a semicolon, which `check --fix` adds.
const UNFINISHED: &str = "__DefIsa X<8>\n__DefGroup ALL : []\n__DefOpcode A : [ALL]\n  __Encoding\n    fixed<0, 8> == 1\n";

#[cfg(unix)]
#[test]
fn read_only_files_and_files_outside_are_not_written() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    for (name, command, content) in
        [("fmt-guard", &["fmt"][..], CROOKED), ("fix-guard", &["check", "--fix"], UNFINISHED)]
    {
        let files = folder(name, &[("outside/x.isa", content.as_bytes()), ("free/notes", b"")]);
        let at = |name: &str| files.0.join(name);
        let call = |path: &str| {
            let path = at(path).to_str().expect("a path in UTF-8").to_string();
            run(&[command, &[&path]].concat())
        };
        let refused = |path: &str, reason: &str| {
            let made = call(path);
            let said = String::from_utf8_lossy(&made.stderr);
            assert_eq!(made.status.code(), Some(1), "{path}: {said}");
            assert!(said.contains("nothing was written") && said.contains(reason), "{said}");
            assert_eq!(std::fs::read_to_string(at("outside/x.isa")).expect("readable"), content);
        };
        std::fs::set_permissions(at("outside/x.isa"), PermissionsExt::from_mode(0o444))
            .expect("allowed");
        refused("outside", "x.isa is read-only");
        std::fs::set_permissions(at("outside/x.isa"), PermissionsExt::from_mode(0o644))
            .expect("allowed");
        symlink(at("outside/x.isa"), at("free/link.isa")).expect("allowed");
        refused("free", "which is outside");
        refused("free/link.isa", "which is outside");
        std::fs::remove_file(at("free/link.isa")).expect("allowed");
        symlink(at("outside"), at("free/linked")).expect("allowed");
        refused("free", "which is outside");
        call("outside");
        assert_ne!(std::fs::read_to_string(at("outside/x.isa")).expect("readable"), content);
    }
}
