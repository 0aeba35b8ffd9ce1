//! Published packages: each contains the necessary files and no more, and cargo packages it without warnings.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use isadl_test_support::root;

/// The published packages, by their folders.
const PACKAGES: [&str; 24] = [
    "crates/isadl-asm",
    "crates/isadl-backends",
    "crates/isadl-base",
    "crates/isadl-bindings",
    "crates/isadl-cli",
    "crates/isadl-compiled",
    "crates/isadl-diagnostics",
    "crates/isadl-engine",
    "crates/isadl-exec",
    "crates/isadl-float",
    "crates/isadl-gdb",
    "crates/isadl-ir",
    "crates/isadl-laws",
    "crates/isadl-lsp",
    "crates/isadl-project",
    "crates/isadl-prove",
    "crates/isadl-runtime",
    "crates/isadl-semantics",
    "crates/isadl-serve",
    "crates/isadl-syntax",
    "crates/isadl-traits",
    "isadl",
    "isadl-codegen",
    "isadl-macros",
];

/// The name of a package in a folder.
fn name(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// The files of every package besides `src`.
const BESIDES: [&str; 7] = [
    ".cargo_vcs_info.json",
    "Cargo.lock",
    "Cargo.toml",
    "Cargo.toml.orig",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
];

/// Standard output and error of cargo, which succeeds; without that it waits for another one.
fn cargo(arguments: &[&str]) -> (String, String) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(arguments).current_dir(root()).output();
    let output = output.expect("cargo runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("cargo writes UTF-8");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "cargo {arguments:?}: {err}");
    let is_said = |line: &&str| !line.trim_start().starts_with("Blocking waiting for");
    (out, err.lines().filter(is_said).map(|line| format!("{line}\n")).collect())
}

/// The files of a folder and those below it, relative to `base`.
fn files(base: &str, folder: &str, found: &mut BTreeSet<String>) {
    let entries = std::fs::read_dir(root().join(base).join(folder)).expect("a folder");
    for entry in entries.map(|entry| entry.expect("an entry")) {
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        match entry.file_type().expect("a type").is_dir() {
            true => files(base, &path, found),
            false => {
                found.insert(path);
            }
        }
    }
}

#[test]
fn packages_hold_their_sources_and_nothing_else() {
    for package in PACKAGES {
        let arguments = ["package", "--list", "--allow-dirty", "--offline", "-p", name(package)];
        let (listed, said) = cargo(&arguments);
        assert_eq!(said, "", "{package}");
        // Paths use the separators of the system.
        let listed: BTreeSet<String> =
            listed.lines().map(|line| line.replace(std::path::MAIN_SEPARATOR, "/")).collect();
        let mut expected = BTreeSet::from(BESIDES.map(str::to_string));
        if package == "isadl" {
            expected.insert("LANGUAGE.md".to_string());
        }
        files(package, "src", &mut expected);
        if root().join(package).join("examples").is_dir() {
            files(package, "examples", &mut expected);
        }
        // Only a checkout has a revision.
        let without = |mut list: BTreeSet<String>| {
            list.remove(".cargo_vcs_info.json");
            list
        };
        assert_eq!(without(listed), without(expected), "{package}");
    }
}

#[test]
fn only_what_is_meant_to_be_is_published() {
    let (metadata, _) = cargo(&["metadata", "--no-deps", "--format-version", "1", "--offline"]);
    let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("JSON");
    let mut published = BTreeSet::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("a name");
        if !package["publish"].is_null() {
            continue;
        }
        published.insert(name);
        for key in ["description", "documentation", "license", "readme", "rust_version"] {
            assert!(package[key].is_string(), "{name} has no {key}");
        }
        for key in ["keywords", "categories"] {
            let list = package[key].as_array().expect("a list");
            assert!((1..=5).contains(&list.len()), "{name}: {list:?}");
        }
        // Packages of the workspace are found by their version once they are published.
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            // Cargo leaves out those that only tests have, by path alone.
            let requirement = dependency["req"].as_str().expect("a requirement");
            let is_for_tests = dependency["kind"] == "dev" && dependency["path"].is_string();
            assert!(requirement != "*" || is_for_tests, "{name}: {dependency}");
        }
    }
    assert_eq!(published, BTreeSet::from(PACKAGES.map(name)));
}

#[test]
fn license_texts_are_those_of_the_root() {
    let read = |path: PathBuf| std::fs::read_to_string(&path).expect("a text");
    for package in PACKAGES {
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert_eq!(read(root().join(package).join(name)), read(root().join(name)));
        }
    }
}
