//! `isadl gen`: files written atomically and only when they change, stale ones reported, wrong
//! input leaving everything as it was; and that every choice of parts compiles without warnings.

use std::path::PathBuf;
use std::process::Command;

use isadl::isa::Isa;
use isadl::source::SourceMap;
use isadl_codegen::output::{Change, Difference, Output, write_file};
use isadl_codegen::rust::{Constructors, Emit, Options, Parts, Views, generate};
use isadl_tests::{isadl, root, simt};

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
    let mut output = Output::default();
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
    assert_eq!(now.diff(&folder.0).expect("readable"), expected);
    now.write(&folder.0).expect("writable");
    assert_eq!(now.diff(&folder.0).expect("readable"), []);
    assert!(!at("old.rs").exists());
}

/// Compiles a generated crate with warnings as errors.
fn assert_compiles(isa: &Isa, options: &Options, name: &str) {
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
    let (isa, all) = (simt(), Options::default());
    for bits in 0..16 {
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
    assert_compiles(&isadl_tests::empty(), &all, "empty");
}

fn group(name: &str) -> Isa {
    let map = SourceMap::read(&[root().join("spec/simt")]).expect("spec/simt is readable");
    let family = isadl::compile(&map).family.expect("spec/simt has no errors");
    isadl_tests::group(family, name)
}

#[test]
fn a_group_has_its_opcodes_under_their_numbers() {
    let (part, whole) = (group("XU"), simt());
    let number = |isa: &Isa, name: &str| {
        isa.opcodes().iter().find(|opcode| opcode.name == name).map(|opcode| opcode.number)
    };
    let first = &part.opcodes()[0];
    assert!(part.opcodes().iter().all(|o| number(&whole, &o.name) == Some(o.number)));
    assert_eq!(number(&part, "IADD_RR"), None);
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
    let base = ["gen", "--target", "rust", "--out", "out", spec];
    let check = ["gen", "--target", "rust", "--out", "out", "--check", spec];
    assert_eq!(isadl(&folder.0, &check).0, Some(1), "everything is missing");
    assert!(!folder.0.join("out").exists(), "--check writes nothing");
    assert_eq!(isadl(&folder.0, &base).0, Some(0));
    assert_eq!(isadl(&folder.0, &check).0, Some(0));
    let lib = folder.0.join("out/src/lib.rs");
    let before = std::fs::metadata(&lib).and_then(|data| data.modified()).expect("readable");
    assert_eq!(isadl(&folder.0, &base).0, Some(0));
    assert_eq!(std::fs::metadata(&lib).and_then(|data| data.modified()).expect("readable"), before);
    std::fs::write(folder.0.join("out/src/extra.rs"), "").expect("writable");
    let (status, errors) = isadl(&folder.0, &check);
    assert_eq!(status, Some(1));
    assert!(errors.contains("extra.rs is left over"), "{errors}");

    std::fs::write(folder.0.join("broken.isa"), "__DefIsa BROKEN<8>\n__DefGroup G : [NOWHERE]\n")
        .expect("writable");
    let (status, errors) =
        isadl(&folder.0, &["gen", "--target", "rust", "--out", "other", "broken.isa"]);
    assert_eq!(status, Some(1));
    assert!(errors.contains("E0203") && errors.contains("nothing generated"), "{errors}");
    assert!(!folder.0.join("other").exists(), "nothing is half-written");
    let group = ["gen", "--target", "rust", "--out", "other", "--group", "NOWHERE", spec];
    assert_eq!(isadl(&folder.0, &group).0, Some(2));
    assert_eq!(isadl(&folder.0, &["gen", "--target", "cobol", spec]).0, Some(2));
}

#[test]
fn the_command_writes_one_module_and_tells_figures() {
    let folder = Folder::new("module");
    let spec = root().join("tests/fixtures/odd");
    let spec = spec.to_str().expect("a path in UTF-8");
    let run = |target: &str, more: &[&str]| {
        isadl(&folder.0, &[&["gen", "--target", target, "--out", "out"], more, &[spec]].concat())
    };
    for name in ["fn", "a b", "", "1"] {
        let (status, message) = run("rust", &["--module", name]);
        assert_eq!(status, Some(2), "{message}");
        assert!(message.contains("cannot be the name of a module"), "{message}");
    }
    assert_eq!(run("markdown", &["--module", "odd"]).0, Some(2), "a manual is no module");
    assert_eq!(run("rust", &["--generation", "NONE"]).0, Some(2), "there is no such generation");
    assert!(!folder.0.join("out").exists(), "wrong usage writes nothing");
    let (status, message) = run("rust", &["--module", "odd", "--stats"]);
    assert_eq!(status, Some(0), "{message}");
    let opcodes = odd::Opcode::ALL.len();
    let bytes = std::fs::read(folder.0.join("out/odd.rs")).expect("it was written").len();
    assert!(message.contains(&format!("ODD: {opcodes} opcodes;")), "{message}");
    assert!(message.contains(&format!(" ms, {bytes} bytes in 1 files")), "{message}");
}
