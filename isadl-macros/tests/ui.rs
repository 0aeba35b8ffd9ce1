//! Tests the output of the macro for users: errors of every kind with their locations. Also tests that warnings and odd
//! names compile. `TRYBUILD=overwrite` writes the expected texts.

use std::path::Path;

/// Copies a folder with its contents.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("readable") {
        let path = entry.expect("readable").path();
        let to = to.join(path.file_name().expect("entries have names"));
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(std::fs::copy(&path, &to).expect("writable")),
        }
    }
}

#[test]
fn the_macro_tells_what_is_wrong() {
    // The crate that trybuild makes, from whose manifest paths are seen.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.parent().expect("a folder").join("tests/trybuild/isadl-macros");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/specs"), &folder.join("specs"));
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    cases.pass("tests/ui/pass/*.rs");
}
