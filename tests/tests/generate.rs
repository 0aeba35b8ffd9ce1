//! `isadl gen`: files are written atomically and only when they change; stale files are reported; wrong input leaves
//! everything unchanged. Every choice of parts compiles without warnings.

use std::path::{Path, PathBuf};
use std::process::Command;

use isadl::isa::{Isa, Merged};
use isadl_codegen::output::{
    Change, Difference, Existing, Obstacle, Output, write_file, write_generated,
};
use isadl_codegen::rust::{self, Constructors, Emit, ModuleHead, Options, Parts, Views, generate};
use isadl_test_support::{family, root, simt};

use crate::cli::isadl;

/// A folder of a test, empty at the start and removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("isadl-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn output(files: &[(&str, &str)]) -> Output {
    let mut output = Output::recorded("test");
    files.iter().for_each(|(path, text)| output.add(*path, text.to_string()));
    output
}

#[test]
fn files_are_written_only_when_they_change() {
    let folder = Folder::new("write");
    let path = folder.0.join("deep/file.txt");
    assert_eq!(write_file(&path, "a").expect("writable"), Change::Written);
    assert_eq!(write_file(&path, "a").expect("writable"), Change::Unchanged);
    assert_eq!(write_file(&path, "b").expect("writable"), Change::Written);
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), "b");
    let names: Vec<_> = std::fs::read_dir(folder.0.join("deep")).expect("readable").collect();
    assert_eq!(names.len(), 1, "no temporary file is left behind");
}

#[test]
fn a_failed_write_leaves_the_file_as_it_was() {
    let folder = Folder::new("fail");
    let path = folder.0.join("target");
    std::fs::create_dir(&path).expect("a folder in the way");
    std::fs::write(path.join("inside"), "kept").expect("writable");
    assert!(write_file(&path, "text").is_err());
    assert_eq!(std::fs::read_to_string(path.join("inside")).expect("readable"), "kept");
    assert_eq!(
        std::fs::read_dir(&folder.0).expect("readable").count(),
        1,
        "no temporary file is left behind"
    );
}

#[test]
fn stale_missing_and_left_over_files_are_told_apart() {
    let folder = Folder::new("diff");
    output(&[("src/a.rs", "a"), ("src/b.rs", "b"), ("src/old.rs", "o")])
        .write(&folder.0)
        .expect("writable");
    let now = output(&[("src/a.rs", "a"), ("src/b.rs", "other"), ("src/c.rs", "c")]);
    let at = |name: &str| folder.0.join("src").join(name);
    let expected = [
        (at("b.rs"), Difference::Stale),
        (at("c.rs"), Difference::Missing),
        (at("old.rs"), Difference::LeftOver),
    ];
    let found = now.diff(&folder.0).expect("readable");
    assert_eq!(found[0], (folder.0.join(".isadl-test"), Difference::Stale));
    assert_eq!(found[1..], expected);
    now.write(&folder.0).expect("writable");
    assert_eq!(now.diff(&folder.0).expect("readable"), []);
    assert!(!at("old.rs").exists());
}

/// Writes a file and the folders above it.
fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    std::fs::write(path, text).expect("writable");
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The obstacles of an output, by name.
fn obstacles(output: &Output, folder: &Path, existing: Existing) -> Vec<(String, Obstacle)> {
    let plan = output.plan(folder).expect("readable");
    let name = |path: &Path| path.strip_prefix(folder).expect("below").display().to_string();
    plan.obstacles(existing).map(|(path, found)| (name(path), found)).collect()
}

#[test]
fn files_of_the_user_are_neither_replaced_nor_removed() {
    let folder = Folder::new("user");
    let at = |name: &str| folder.0.join(name);
    for name in ["Cargo.toml", "src/a.rs", "src/mine.rs", "docs/b.json"] {
        put(&at(name), "mine");
    }
    let now = output(&[("Cargo.toml", "c"), ("src/a.rs", "a"), ("docs/b.json", "b"), ("new", "n")]);
    let mine = ["Cargo.toml", "docs/b.json", "src/a.rs"];
    let expected = mine.map(|name| (name.to_string(), Obstacle::Foreign));
    assert_eq!(obstacles(&now, &folder.0, Existing::Kept), expected);
    assert!(now.write(&folder.0).is_err());
    assert!(mine.iter().all(|name| text(&at(name)) == "mine"));
    assert!(!at("new").exists() && !at(".isadl-test").exists(), "nothing is half-written");
    assert_eq!(obstacles(&now, &folder.0, Existing::Replaced), []);
    now.plan(&folder.0).expect("readable").apply().expect("writable");
    assert_eq!((text(&at("src/a.rs")), text(&at("src/mine.rs"))), ("a".into(), "mine".into()));
    assert_eq!(now.diff(&folder.0).expect("readable"), []);
    // A generated file that replaced a user's file is removed when it is no longer generated.
    output(&[("new", "n")]).write(&folder.0).expect("writable");
    assert!(!at("src/a.rs").exists() && at("src/mine.rs").exists());
}

#[test]
fn a_changed_file_is_kept() {
    let folder = Folder::new("changed");
    let at = |name: &str| folder.0.join(name);
    output(&[("a", "1"), ("old", "1")]).write(&folder.0).expect("writable");
    put(&at("a"), "changed");
    put(&at("old"), "changed");
    let now = output(&[("a", "2")]);
    let expected = [("a".to_string(), Obstacle::Edited)];
    assert_eq!(obstacles(&now, &folder.0, Existing::Kept), expected);
    let plan = now.plan(&folder.0).expect("readable");
    assert_eq!(plan.kept(), [at("old")]);
    plan.apply().expect("writable");
    assert_eq!((text(&at("a")), text(&at("old"))), ("2".into(), "changed".into()));
    assert_eq!(now.diff(&folder.0).expect("readable"), [], "the changed file is the user's now");
    // Line ends of another system do not count as a change.
    output(&[("a", "x\ny\n")]).write(&folder.0).expect("writable");
    put(&at("a"), "x\r\ny\r\n");
    assert_eq!(obstacles(&now, &folder.0, Existing::Kept), []);
}

#[test]
fn an_interrupted_run_can_be_repeated_and_a_merge_is_understood() {
    let folder = Folder::new("interrupted");
    let at = |name: &str| folder.0.join(name);
    let (old, new) = (output(&[("a", "1"), ("b", "1")]), output(&[("a", "2"), ("b", "2")]));
    old.write(&folder.0).expect("writable");
    let theirs = text(&at(".isadl-test"));
    new.write(&folder.0).expect("writable");
    let both = text(&at(".isadl-test")) + "<<<<<<< ours\n" + &theirs + ">>>>>>> theirs\n";
    put(&at(".isadl-test"), &both);
    put(&at("a"), "1");
    let third = output(&[("a", "3"), ("b", "3")]);
    assert_eq!(obstacles(&third, &folder.0, Existing::Kept), []);
    third.write(&folder.0).expect("writable");
    assert_eq!(third.diff(&folder.0).expect("readable"), []);
    // Files outside the folder are not removed.
    put(&at("in/.isadl-test"), &theirs.replace("  a\n", "  ../a\n"));
    put(&at("a"), "1");
    output(&[]).write(&at("in")).expect("writable");
    assert_eq!(text(&at("a")), "1");
    // A file that has the name of a manifest but is not one.
    put(&at(".isadl-test"), "notes");
    assert_eq!(
        obstacles(&third, &folder.0, Existing::Replaced),
        [(".isadl-test".to_string(), Obstacle::Foreign)]
    );
}

#[test]
fn folders_in_the_way_cannot_be_forced() {
    let folder = Folder::new("folders");
    let at = |name: &str| folder.0.join(name);
    put(&at("a/inside"), "mine");
    put(&at("b"), "mine");
    let now = output(&[("a", "1"), ("b/c", "1")]);
    let expected = [("a".to_string(), Obstacle::NotFile), ("b".to_string(), Obstacle::NotFolder)];
    assert_eq!(obstacles(&now, &folder.0, Existing::Replaced), expected);
    assert!(now.write(&folder.0).is_err());
    assert_eq!((text(&at("a/inside")), text(&at("b"))), ("mine".into(), "mine".into()));
    let inside = output(&[("c", "1")]);
    assert!(inside.write(&at("b")).is_err(), "the output folder itself is a file");
}

#[cfg(unix)]
#[test]
fn links_and_read_only_files_are_kept() {
    let folder = Folder::new("links");
    let at = |name: &str| folder.0.join(name);
    put(&at("mine"), "mine");
    put(&at("same"), "1");
    let now = output(&[("out/a", "1"), ("out/b", "1"), ("out/c", "1"), ("out/d", "1")]);
    now.write(&folder.0).expect("writable");
    for (name, target) in [("a", "mine"), ("b", "nowhere"), ("c", "same")] {
        std::fs::remove_file(at("out").join(name)).expect("removable");
        std::os::unix::fs::symlink(at(target), at("out").join(name)).expect("linkable");
    }
    let data = std::fs::metadata(at("out/d")).expect("readable");
    let mut permissions = data.permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(at("out/d"), permissions).expect("allowed");
    let second = output(&[("out/a", "2"), ("out/b", "2"), ("out/c", "1"), ("out/d", "2")]);
    let expected = [("a", Obstacle::Link), ("b", Obstacle::Link), ("d", Obstacle::ReadOnly)];
    let expected = expected.map(|(name, found)| (format!("out/{name}"), found));
    assert_eq!(obstacles(&second, &folder.0, Existing::Kept), expected);
    second.plan(&folder.0).expect("readable").apply().expect("writable");
    assert_eq!((text(&at("mine")), text(&at("out/a"))), ("mine".into(), "2".into()));
    // A link that was put in the place of a generated file is not removed with it.
    std::fs::remove_file(at("out/a")).expect("removable");
    std::os::unix::fs::symlink(at("mine"), at("out/a")).expect("linkable");
    output(&[]).write(&folder.0).expect("writable");
    assert!(at("out/a").is_symlink() && !at("out/b").exists());
}

/// The beginning of generated files in Rust.
const MARK: &str = "// Generated by isadl from a specification; edit that instead.";

#[test]
fn files_are_known_by_their_own_hash_without_a_manifest() {
    let folder = Folder::new("own-hash");
    let at = |name: &str| folder.0.join(name);
    let files = |body: &str| {
        let html = MARK.replace("//", "<!doctype html>\n<!--");
        let files = [
            ("same.rs", format!("{MARK}\n\n{body}")),
            ("line_ends.rs", format!("{MARK}\n\n{body}")),
            ("edited.rs", format!("{MARK}\n\n{body}")),
            ("page.html", format!("{html} -->\n{body}")),
            ("plain.csv", body.to_string()),
        ];
        let mut output = Output::recorded("test");
        files.into_iter().for_each(|(name, text)| output.add(name, text));
        output
    };
    files("// one\n").write(&folder.0).expect("writable");
    put(&at("line_ends.rs"), &text(&at("line_ends.rs")).replace('\n', "\r\n"));
    put(&at("edited.rs"), &(text(&at("edited.rs")) + "// mine\n"));
    put(&at("old.rs"), &format!("{MARK}\n\n// before there were hashes\n"));
    let mut now = files("// two\n");
    now.add("old.rs", "// two\n".to_string());
    let (edited, old) = (("edited.rs", Obstacle::Edited), ("old.rs", Obstacle::Unknown));
    let expect = |expected: &[(&str, Obstacle)]| {
        let expected: Vec<_> = expected.iter().map(|(name, o)| (name.to_string(), *o)).collect();
        assert_eq!(obstacles(&now, &folder.0, Existing::Kept), expected);
        assert!(now.write(&folder.0).is_err());
        assert!(text(&at("edited.rs")).ends_with("// mine\n"));
    };
    expect(&[edited, old]);
    // The manifest lacks a line, or is not there at all.
    let manifest = text(&at(".isadl-test"));
    let lines = manifest.lines().filter(|line| !line.ends_with("edited.rs"));
    put(&at(".isadl-test"), &(lines.collect::<Vec<_>>().join("\n") + "\n"));
    expect(&[edited, old]);
    std::fs::remove_file(at(".isadl-test")).expect("removable");
    expect(&[edited, old, ("plain.csv", Obstacle::Foreign)]);
    // A changed hash is not the hash of the file.
    put(&at("same.rs"), &text(&at("same.rs")).replace("Hash: ", "Hash: 0"));
    expect(&[edited, old, ("plain.csv", Obstacle::Foreign), ("same.rs", Obstacle::Edited)]);
}

#[test]
fn an_edited_file_of_a_crate_or_module_is_kept_without_a_manifest() {
    let folder = Folder::new("no-manifest");
    let spec = root().join("tests/fixtures/odd");
    let spec = spec.to_str().expect("a path in UTF-8");
    let gen_all = |more: &[&str]| {
        let call = ["gen", "-W", "text", "--target", "rust", "--out", "out"];
        isadl(&folder.0, &[&call, more, &[spec]].concat())
    };
    for (options, file) in [(&[][..], "out/src/lib.rs"), (&["--module", "odd"], "out/odd.rs")] {
        assert_eq!(gen_all(options).0, Some(0));
        let _ = std::fs::remove_file(folder.0.join("out/.isadl-rust"));
        let less = [options, &["--no-constructors"]].concat();
        assert_eq!(gen_all(&less).0, Some(0), "unchanged files are replaced");
        let edited = text(&folder.0.join(file)) + "// mine\n";
        put(&folder.0.join(file), &edited);
        let _ = std::fs::remove_file(folder.0.join("out/.isadl-rust"));
        let (status, message) = gen_all(options);
        assert_eq!(status, Some(1), "{message}");
        assert!(
            message.contains(&format!("{file} was changed after it was generated")),
            "{message}"
        );
        assert_eq!(text(&folder.0.join(file)), edited);
    }
}

#[test]
fn a_single_module_is_known_by_its_hash() {
    let folder = Folder::new("first-line");
    let path = folder.0.join("simt.rs");
    let head = ModuleHead { visibility: "pub".to_string(), name: "simt".to_string() };
    let module = |head: &ModuleHead| {
        rust::module(&isadl_test_support::empty().merged(), &Options::default(), head.clone())
            .formatted()
    };
    put(&path, "fn mine() {}\n");
    assert!(write_generated(&path, &module(&head)).is_err());
    assert_eq!(text(&path), "fn mine() {}\n");
    std::fs::remove_file(&path).expect("removable");
    assert_eq!(write_generated(&path, &module(&head)).expect("writable"), Change::Written);
    let other = ModuleHead { name: "other".to_string(), ..head };
    assert_eq!(write_generated(&path, &module(&other)).expect("writable"), Change::Written);
    assert_eq!(write_generated(&path, &module(&other)).expect("writable"), Change::Unchanged);
    put(&path, &text(&path).replace("mod other", "mod mine"));
    assert!(write_generated(&path, &module(&other)).is_err());
    assert!(text(&path).contains("mod mine"));
}

#[test]
fn the_command_keeps_files_of_the_user() {
    let folder = Folder::new("keeps");
    let spec = root().join("tests/fixtures/odd");
    let spec = spec.to_str().expect("a path in UTF-8");
    let targets = [
        ("rust", ["Cargo.toml", "src/lib.rs", "src/mine.rs"]),
        ("markdown", ["docs/book.toml", "docs/src/README.md", "docs/src/guide.md"]),
        ("dataflow", ["dataflow/dataflow.csv", "dataflow/dataflow.json", "dataflow/mine.csv"]),
    ];
    for (target, files) in targets {
        files.iter().for_each(|name| put(&folder.0.join("out").join(name), "mine"));
        let call = ["gen", "-W", "text", "--target", target, "--out", "out", spec];
        let (status, message) = isadl(&folder.0, &call);
        assert_eq!(status, Some(1), "{message}");
        for (name, named) in files.iter().zip([true, true, false]) {
            let path = folder.0.join("out").join(name);
            assert_eq!(text(&path), "mine");
            assert_eq!(message.contains(&format!("out/{name} was not generated")), named);
        }
        assert_eq!(isadl(&folder.0, &[&call[..], &["--check"]].concat()).0, Some(1));
        assert_eq!(isadl(&folder.0, &[&call[..], &["--force"]].concat()).0, Some(0));
        assert_eq!(text(&folder.0.join("out").join(files[2])), "mine");
        assert_ne!(text(&folder.0.join("out").join(files[1])), "mine");
        assert_eq!(isadl(&folder.0, &call).0, Some(0));
    }
}

#[test]
fn formatting_a_workspace_changes_no_generated_file() {
    let folder = Folder::new("format");
    let output = generate(&family("spec/simt").merged(), &Options::default());
    output.write(&folder.0).expect("writable");
    let result = Command::new(env!("CARGO")).arg("fmt").current_dir(&folder.0).output();
    let result = result.expect("cargo runs");
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
    assert_eq!(output.diff(&folder.0).expect("readable"), []);
    // So does formatting a crate with a single module.
    let head = ModuleHead { visibility: "pub".to_string(), name: "simt".to_string() };
    let module = rust::module(&family("spec/simt").merged(), &Options::default(), head);
    let path = folder.0.join("simt.rs");
    write_generated(&path, &module.formatted()).expect("writable");
    let before = text(&path);
    let result = Command::new("rustfmt").args(["--edition", "2024"]).arg(&path).output();
    assert!(result.expect("rustfmt runs").status.success());
    assert!(text(&path) == before, "the module was formatted");
}

#[test]
fn two_instruction_sets_of_one_name_are_refused() {
    let folder = Folder::new("same-name");
    for name in ["a", "b"] {
        put(&folder.0.join("spec").join(name).join("x.isa"), "__DefIsa SAME<8>\n");
    }
    let (status, message) = isadl(&folder.0, &["gen", "--target", "rust", "--out", "out"]);
    assert_eq!(status, Some(1));
    assert!(message.contains("two instruction sets of the same name"), "{message}");
    assert!(!folder.0.join("out").exists());
}

/// Compiles a generated crate with warnings as errors.
fn assert_compiles(isa: &Merged, options: &Options, name: &str) {
    let folder = Folder::new(name);
    generate(isa, options).write(&folder.0).expect("writable");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let result = Command::new(rustc)
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "lib",
            "--crate-name",
            "simt",
            "--emit",
            "metadata",
            "-D",
            "warnings",
            "-o",
        ])
        .arg(folder.0.join("out.rmeta"))
        .arg(folder.0.join("src/lib.rs"))
        .output()
        .expect("rustc runs");
    assert!(result.status.success(), "{name}: {}", String::from_utf8_lossy(&result.stderr));
}

#[test]
fn every_choice_of_parts_compiles_without_warnings() {
    // A group has types and forms of all kinds; long runs take the whole.
    let isa = match isadl_test_support::count("ISADL_CRATES", 0) {
        0 => group("H_ARITH"),
        _ => family("spec/simt").merged(),
    };
    let all = Options::default();
    for bits in isadl_test_support::choices(4) {
        let part = |bit: u32| if bits >> bit & 1 == 1 { Emit::Yes } else { Emit::No };
        let parts = Parts { decode: part(0), encode: part(1), text: part(2), flow: part(3) };
        assert_compiles(&isa, &Options { parts, ..all.clone() }, &format!("parts-{bits}"));
    }
    assert_compiles(
        &isa,
        &Options { constructors: Constructors::None, ..all.clone() },
        "no-constructors",
    );
    assert_compiles(&isa, &Options { views: Views::PerOptype, ..all.clone() }, "views");
}

#[test]
fn a_group_and_nothing_compile_without_warnings() {
    let all = Options::default();
    assert_compiles(&group("H_ARITH"), &all, "group");
    assert_compiles(&isadl_test_support::empty().merged(), &all, "empty");
}

fn group(name: &str) -> Merged {
    isadl_test_support::group(family("spec/simt"), name)
}

#[test]
fn a_group_has_its_opcodes_under_their_numbers() {
    let (part, whole) = (group("XU"), simt());
    let number = |isa: &Isa, name: &str| {
        isa.opcodes().iter().find(|opcode| opcode.name == name).map(|opcode| opcode.number)
    };
    let items = part.items();
    let first = &items.opcodes()[0];
    assert!(items.opcodes().iter().all(|o| number(whole, &o.name) == Some(o.number)));
    assert_eq!(number(items, "IADD_RR"), None);
    // A number that does not follow from the one before is written.
    let output = generate(&part, &Options::default());
    let opcodes = output.get("src/opcode.rs").expect("the file is generated");
    assert!(opcodes.contains(&format!("    {} = {},\n", first.name, first.number)));
    assert!(!opcodes.contains("IADD_RR"));
}

#[test]
fn the_command_writes_checks_and_refuses() {
    let folder = Folder::new("command");
    let spec = root().join("tests/fixtures/odd");
    let spec = spec.to_str().expect("a path in UTF-8");
    // Some of its texts are ambiguous on purpose.
    let base = ["gen", "-W", "text", "--target", "rust", "--out", "out", spec];
    let check = [&base[..], &["--check"]].concat();
    assert_eq!(isadl(&folder.0, &check).0, Some(1), "everything is missing");
    assert!(!folder.0.join("out").exists(), "--check writes nothing");
    assert_eq!(isadl(&folder.0, &base).0, Some(0));
    assert_eq!(isadl(&folder.0, &check).0, Some(0));
    let lib = folder.0.join("out/src/lib.rs");
    let before = std::fs::metadata(&lib).and_then(|data| data.modified()).expect("readable");
    assert_eq!(isadl(&folder.0, &base).0, Some(0));
    assert_eq!(std::fs::metadata(&lib).and_then(|data| data.modified()).expect("readable"), before);
    let less = [&base[..], &["--no-constructors"]].concat();
    let (status, errors) = isadl(&folder.0, &[&less[..], &["--check"]].concat());
    assert_eq!(status, Some(1));
    assert!(errors.contains("construct.rs is left over"), "{errors}");

    std::fs::write(folder.0.join("broken.isa"), "__DefIsa BROKEN<8>\n__DefGroup G : [NOWHERE]\n")
        .expect("writable");
    let (status, errors) =
        isadl(&folder.0, &["gen", "--target", "rust", "--out", "other", "broken.isa"]);
    assert_eq!(status, Some(1));
    assert!(errors.contains("E0203") && errors.contains("nothing generated"), "{errors}");
    assert!(!folder.0.join("other").exists(), "nothing is half-written");
    let group = [&base[..], &["--group", "NOWHERE"]].concat();
    assert_eq!(isadl(&folder.0, &group).0, Some(2));
    assert_eq!(isadl(&folder.0, &["gen", "--target", "cobol", spec]).0, Some(2));
}

#[test]
fn two_crates_of_one_specification_have_names_of_their_own() {
    let folder = Folder::new("crate-name");
    let spec = root().join("tests/fixtures/odd");
    let spec = spec.to_str().expect("a path in UTF-8");
    let run = |more: &[&str]| {
        isadl(&folder.0, &[&["gen", "-W", "text", "--target", "rust"], more, &[spec]].concat())
    };
    assert_eq!(run(&["--crate-name", "odd-small", "--emit", "decode,encode"]).0, Some(0));
    assert_eq!(run(&[]).0, Some(0));
    let at = |name: &str| text(&folder.0.join("generated").join(name));
    assert!(at("odd-small/Cargo.toml").contains("name = \"odd-small\"\n"));
    assert!(at("odd-small/README.md").contains("# odd-small\n"));
    assert!(at("odd-small/src/lib.rs").contains("use odd_small::"));
    assert!(at("odd/Cargo.toml").contains("name = \"odd\"\n"));
    for name in ["fn", "a b", "", "1", "core", "../x"] {
        let (status, message) = run(&["--crate-name", name]);
        assert_eq!(status, Some(2), "{message}");
        assert!(message.contains("is not a valid name for a crate"), "{message}");
    }
    assert_eq!(run(&["--crate-name", "x", "--module", "y"]).0, Some(2));
    assert_eq!(run(&["--crate-name", "x", "--target", "markdown"]).0, Some(2));
    let project =
        "[[spec]]\npath = \"spec\"\n\n[[spec.output]]\ntarget = \"rust\"\ncrate-name = \"mine\"\n";
    put(&folder.0.join("isadl.toml"), project);
    put(&folder.0.join("spec/x.isa"), &text(&root().join("crates/isadl-cli/src/new/spec.isa")));
    assert_eq!(isadl(&folder.0, &["gen"]).0, Some(0));
    assert!(at("mine/Cargo.toml").contains("name = \"mine\"\n"));
    // Two instruction sets do not share a name.
    std::fs::create_dir(folder.0.join("spec/a")).expect("writable");
    std::fs::rename(folder.0.join("spec/x.isa"), folder.0.join("spec/a/x.isa")).expect("writable");
    put(&folder.0.join("spec/b/x.isa"), "__DefIsa B<8>\n");
    let (status, message) = isadl(&folder.0, &["gen"]);
    assert_eq!(status, Some(2), "{message}");
    assert!(message.contains("several instruction sets would have the name `mine`"), "{message}");
}

/// A crate that is used by path needs the traits' package by path, if no registry has the package.
#[test]
fn the_traits_of_a_crate_are_found_by_their_path() {
    let folder = Folder::new("traits-path");
    let traits = root().join("crates/isadl-traits");
    let traits = traits.to_str().expect("a path in UTF-8");
    let spec = root().join("tests/fixtures/odd");
    let spec = spec.to_str().expect("a path in UTF-8");
    let call = [
        "gen",
        "-W",
        "text",
        "--target",
        "rust",
        "--out",
        "odd",
        "--traits",
        "--traits-path",
        traits,
    ];
    assert_eq!(isadl(&folder.0, &[&call[..], &[spec]].concat()).0, Some(0));
    let manifest = "[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
                    [dependencies]\nodd = { path = \"odd\", features = [\"traits\"] }\n";
    put(&folder.0.join("Cargo.toml"), manifest);
    put(&folder.0.join("src/lib.rs"), "use odd as _;\n");
    let check = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet"])
        .current_dir(&folder.0)
        .env("CARGO_TARGET_DIR", folder.0.join("target"))
        .output()
        .expect("cargo runs");
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    let without = ["gen", "--target", "rust", "--traits-path", traits, spec];
    assert_eq!(isadl(&folder.0, &without).0, Some(2), "the path needs the traits");
}

#[test]
fn the_command_writes_one_module_and_tells_figures() {
    let folder = Folder::new("module");
    let spec = root().join("tests/fixtures/odd");
    let spec = spec.to_str().expect("a path in UTF-8");
    let run = |target: &str, more: &[&str]| {
        let call = ["gen", "-W", "text", "--target", target, "--out", "out"];
        isadl(&folder.0, &[&call, more, &[spec]].concat())
    };
    for name in ["fn", "a b", "", "1"] {
        let (status, message) = run("rust", &["--module", name]);
        assert_eq!(status, Some(2), "{message}");
        assert!(message.contains("is not a valid name for a module"), "{message}");
    }
    assert_eq!(run("markdown", &["--module", "odd"]).0, Some(2), "a manual is no module");
    assert_eq!(run("rust", &["--generation", "NONE"]).0, Some(2), "there is no such generation");
    for target in ["markdown", "dataflow"] {
        for option in [&["--views"][..], &["--no-constructors"], &["--emit", "decode"]] {
            let (status, message) = run(target, option);
            assert_eq!(status, Some(2), "{target} {option:?}");
            let expected = format!("`{}` needs `--target rust`", option[0]);
            assert!(message.contains(&expected), "{message}");
        }
        let (_, message) = run(target, &["--views", "--module", "odd"]);
        assert!(message.contains("`--module`, `--views` need `--target rust`"), "{message}");
    }
    assert!(!folder.0.join("out").exists(), "wrong usage writes nothing");
    let (status, message) = run("rust", &["--module", "odd", "--stats"]);
    assert_eq!(status, Some(0), "{message}");
    let opcodes = odd::Opcode::ALL.len();
    let bytes = std::fs::read(folder.0.join("out/odd.rs")).expect("it was written").len();
    assert!(message.contains(&format!("ODD: {opcodes} opcodes;")), "{message}");
    assert!(message.contains(&format!(" ms, {bytes} bytes in 1 files")), "{message}");
}
