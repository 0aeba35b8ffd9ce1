//! `isadl compile`, `--spec` with what it wrote, and the cache.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use isadl_test_support::root;

use super::{Folder, binary, folder};

/// Runs the binary in a folder, with a cache folder; an empty name is no cache.
fn run(folder: &Folder, cache: &str, arguments: &[&str]) -> Output {
    let cache = match cache {
        "" => PathBuf::new(),
        name => folder.0.join(name),
    };
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(&folder.0).env("ISADL_CACHE", cache);
    command.output().expect("the binary runs")
}

fn status(folder: &Folder, arguments: &[&str]) -> Option<i32> {
    run(folder, "", arguments).status.code()
}

/// What a command printed, which must succeed.
fn shown(folder: &Folder, cache: &str, arguments: &[&str]) -> String {
    let output = run(folder, cache, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with the toy machine and a program.
fn toy(name: &str) -> Folder {
    let toy = root().join("tests/fixtures/cli/toy");
    let entries = std::fs::read_dir(&toy).expect("a folder");
    let files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
            (format!("toy/{name}"), std::fs::read(&path).expect("readable"))
        })
        .chain([
            ("own.s".to_string(), b"set r1, 7\nset r2, 1\nadd r2, r2, r1\n".to_vec()),
            ("toy/macros.s".to_string(), b".macro seven reg\nset \\reg, 7\n.endm\n".to_vec()),
            ("macro.s".to_string(), b"seven r3\n".to_vec()),
        ])
        .collect();
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    folder(name, &files)
}

fn names(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).into_iter().flatten();
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.expect("an entry"))).collect();
    names.sort();
    names
}

#[test]
fn commands_do_the_same_with_a_compiled_set() {
    let files = toy("compiled");
    assert_eq!(shown(&files, "", &["compile", "toy"]), "");
    assert!(files.0.join("toy.isac").is_file());
    shown(&files, "", &["asm", "--spec", "toy", "--emit", "raw", "-o", "a.bin", "own.s"]);
    let commands: [&[&str]; 6] = [
        &["disasm", "--binary", "a.bin"],
        &["asm", "--emit", "listing", "-o", "-", "own.s"],
        &["asm", "--emit", "listing", "-o", "-", "macro.s"],
        &["decode", "0x0107"],
        &["space", "--format", "json"],
        &["run", "--regs", "--until", "0x10006", "--trace", "own.s"],
    ];
    for command in commands {
        let with = |spec: &str| {
            let output =
                run(&files, "", &[&command[..1], &["--spec", spec], &command[1..]].concat());
            (output.status.code(), String::from_utf8(output.stdout.clone()), errors(&output))
        };
        let (text, compiled) = (with("toy"), with("toy.isac"));
        assert_eq!(text, compiled, "{command:?}");
        assert!(matches!(text.0, Some(0 | 1)), "{text:?}");
        assert!(text.1.as_ref().is_ok_and(|out| !out.is_empty()), "{text:?}");
    }
}

#[test]
fn a_set_of_several_generations_keeps_them() {
    let files = folder("compiled-generations", &[("x", b"")]);
    let spec = root().join("spec/gcn");
    let spec = spec.to_str().expect("a path in UTF-8");
    shown(&files, "", &["compile", spec, "-o", "g.isac"]);
    let without = run(&files, "", &["decode", "--spec", "g.isac", "0"]);
    assert_eq!(without.status.code(), Some(2));
    assert!(errors(&without).contains("choose one by --generation: GCN1_0, GCN1_1, GCN1_2"));
    for generation in ["GCN1_0", "GCN1_2"] {
        let word = ["--generation", generation, "0x02000501"];
        let of = |spec: &str| shown(&files, "", &[&["decode", "--spec", spec][..], &word].concat());
        assert_eq!(of(spec), of("g.isac"));
    }
    let unknown = run(&files, "", &["decode", "--spec", "g.isac", "--generation", "X", "0"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(errors(&unknown).contains("`X` is not a generation"));
}

#[test]
fn damaged_sets_are_refused() {
    let files = toy("damaged");
    shown(&files, "", &["compile", "toy", "-o", "own.isac"]);
    let whole = std::fs::read(files.0.join("own.isac")).expect("readable");
    let mut changed = whole.clone();
    let last = changed.len() - 1;
    changed[last / 2] ^= 1;
    let mut other = whole.clone();
    other[11] = b'9';
    let cases: [(&str, &[u8], &str); 5] = [
        ("short.isac", &whole[..last], "cut off"),
        ("changed.isac", &changed, "the file is damaged"),
        ("other.isac", &other, "compile the specification again"),
        ("empty.isac", b"", "not a compiled instruction set"),
        ("text.isac", b"__DefIsa X<8>\n", "not a compiled instruction set"),
    ];
    for (name, bytes, message) in cases {
        std::fs::write(files.0.join(name), bytes).expect("writable");
        let output = run(&files, "", &["run", "--coverage", "c.json", "--spec", name, "own.s"]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let errors = errors(&output);
        assert!(errors.starts_with(&format!("error: {name}: ")), "{errors}");
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn what_is_compiled_and_where_is_checked() {
    let files = toy("compile-usage");
    std::fs::write(files.0.join("bad.isa"), "__DefIsa X<8>\n__DefOpcode A : [ALL]\n").expect("ok");
    assert_eq!(status(&files, &["compile", "bad.isa"]), Some(1));
    assert!(!files.0.join("bad.isac").exists());
    assert_eq!(status(&files, &["compile", "nowhere"]), Some(2));
    let name = names(&files.0.join("toy")).into_iter().find(|name| name.ends_with(".isa"));
    let own = format!("toy/{}", name.expect("a file"));
    let before = std::fs::read(files.0.join(&own)).expect("readable");
    assert_eq!(status(&files, &["compile", "toy", "-o", &own]), Some(1));
    assert_eq!(std::fs::read(files.0.join(&own)).expect("readable"), before);
    assert_eq!(status(&files, &["compile", "toy", "-o", "toy/macros.s"]), Some(1));
    assert_eq!(status(&files, &["compile", "-"]), Some(2));
    shown(&files, "", &["compile", "toy", "-o", "t.isac"]);
    let replaced = run(&files, "", &["asm", "--spec", "t.isac", "-o", "t.isac", "own.s"]);
    assert_eq!(replaced.status.code(), Some(1), "{}", errors(&replaced));
}

#[test]
fn a_specification_is_compiled_once() {
    let files = toy("cache");
    let cache = files.0.join("kept");
    let trace = ["run", "--until", "0x10006", "--regs", "--spec", "toy", "own.s"];
    let decode = ["decode", "--spec", "toy", "0x0107"];
    let first = run(&files, "kept", &decode);
    let own = names(&cache);
    assert_eq!(own.len(), 1, "{own:?}");
    assert_eq!(run(&files, "kept", &decode), first);
    assert_eq!(names(&cache), own);
    let executed = shown(&files, "kept", &trace);
    assert_eq!(names(&cache).len(), 2, "with programs");
    assert_eq!(shown(&files, "kept", &trace), executed);
    assert_eq!(run(&files, "", &decode), first, "without a cache");

    // Damage is noticed, and mended.
    let path = cache.join(&own[0]);
    let whole = std::fs::read(&path).expect("readable");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("writable");
    assert_eq!(run(&files, "kept", &decode), first);
    assert!(std::fs::read(&path).expect("readable") == whole);

    // Bytes that are not UTF-8 are an error, even if a text with U+FFFD in their place is kept.
    let other = files.0.join("other.isa");
    let clean = std::fs::read(root().join("tests/fixtures/cli/clean.isa")).expect("readable");
    let decode_other = ["space", "--spec", "other.isa"];
    std::fs::write(&other, [&clean[..], "// \u{fffd}\n".as_bytes()].concat()).expect("writable");
    shown(&files, "kept", &decode_other);
    std::fs::write(&other, [&clean[..], b"// \xff\n"].concat()).expect("writable");
    assert_eq!(run(&files, "kept", &decode_other).status.code(), Some(1));

    // Another text is another specification.
    let name = names(&files.0.join("toy")).into_iter().find(|name| name.ends_with(".isa"));
    let spec = files.0.join("toy").join(name.expect("a file"));
    let text = std::fs::read_to_string(&spec).expect("readable");
    std::fs::write(&spec, text.replace("\"add\"", "\"plus\"")).expect("writable");
    let output = run(&files, "kept", &trace);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("`add`"), "{}", errors(&output));
}

#[test]
fn files_of_others_stay_in_the_cache_folder() {
    let files = toy("cache-others");
    let cache = files.0.join("kept");
    std::fs::create_dir(&cache).expect("a folder");
    // A file of many bytes that takes no room on the disk.
    let name = "0123456789abcdef0123456789abcdef.isac";
    let old = std::fs::File::create(cache.join(name)).expect("writable");
    old.set_len(300 << 20).expect("writable");
    old.set_modified(std::time::UNIX_EPOCH).expect("a time");
    std::fs::write(cache.join("thesis.isac"), b"all my work").expect("writable");
    shown(&files, "kept", &["space", "--spec", "toy"]);
    let left = names(&cache);
    assert!(left.contains(&"thesis.isac".to_string()), "{left:?}");
    assert!(!left.contains(&name.to_string()) && left.len() == 2, "{left:?}");
    // A cache that cannot be written is none.
    std::fs::write(files.0.join("file"), b"").expect("writable");
    shown(&files, "file", &["space", "--spec", "toy"]);
}
