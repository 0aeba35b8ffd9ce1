//! Which files are read: folders and their subfolders, standard input, other encodings, large ones.

use std::time::{Duration, Instant};

use isadl_test_support::root;

use super::{Folder, folder, run, status, stderr, stdout, text};

fn clean() -> Vec<u8> {
    std::fs::read(root().join("tests/fixtures/cli/clean.isa")).expect("readable")
}

fn path(folder: &Folder, name: &str) -> String {
    folder.0.join(name).to_str().expect("a path in UTF-8").to_string()
}

/// A specification in two parts.
fn parts() -> (Vec<u8>, Vec<u8>) {
    let mut types = clean();
    let at = types.windows(10).position(|part| part == b"__DefGroup").expect("there is a group");
    let layers = types.split_off(at);
    (types, layers)
}

#[test]
fn subfolders_belong_to_their_folder_unless_they_are_other_instruction_sets() {
    let (types, layers) = parts();
    let clean = clean();
    let specs = folder(
        "subfolders",
        &[
            ("s/types.isa", &types),
            ("s/b/deep/layers.isa", &layers),
            ("s/other/x.isa", &clean),
            ("s/other/b/extra.isa", b"__DefGroup MORE : [ALL]\n"),
            ("s/.hidden/broken.isa", b"broken"),
            ("s/cache/broken.isa", b"broken"),
            ("s/cache/CACHEDIR.TAG", b""),
        ],
    );
    let text = stdout(&["check", &path(&specs, "s")]);
    let expected = "\
checked 2 files: 2 types, 1 group, 1 optype, 2 opcodes; 0 errors, 0 warnings
checked 2 files: 2 types, 2 groups, 1 optype, 2 opcodes; 0 errors, 1 warning
";
    assert_eq!(text, expected);
    // To a command on one instruction set, a folder means the folder's own set.
    let bytes = text::run(&["asm", "--spec", &path(&specs, "s")], b"");
    assert_eq!(bytes.status.code(), Some(0), "{}", String::from_utf8_lossy(&bytes.stderr));
    let built = isadl_codegen::Builder::new(specs.0.join("s")).generate().expect("no errors");
    let names = built.files.iter().map(|file| file.strip_prefix(&specs.0).expect("below"));
    let names: Vec<_> = names.map(|name| name.display().to_string()).collect();
    assert_eq!(names, ["s/b/deep/layers.isa", "s/types.isa"]);
    // An error in a subfolder is found.
    std::fs::write(specs.0.join("s/b/deep/bad.isa"), "__DefGroup BAD : [NOWHERE]\n").expect("");
    assert!(
        stderr(&["check", "--format", "short", &path(&specs, "s")]).contains("deep/bad.isa:1:")
    );
}

#[cfg(unix)]
#[test]
fn links_between_folders_end() {
    let (types, layers) = parts();
    let specs = folder("links", &[("s/types.isa", &types), ("s/b/layers.isa", &layers)]);
    for (name, target) in [("s/b/up", ".."), ("s/b/here", "."), ("s/again", "b")] {
        std::os::unix::fs::symlink(target, specs.0.join(name)).expect("linkable");
    }
    let text = stdout(&["check", &path(&specs, "s")]);
    assert!(text.starts_with("checked 2 files: 2 types, 1 group"), "{text}");
}

#[test]
fn a_part_of_a_specification_costs_one_error_that_names_the_folder() {
    for (file, folder) in [("spec/simt/ialu.isa", "spec/simt"), ("spec/gcn/float.isa", "spec/gcn")]
    {
        let file = root().join(file).to_str().expect("a path in UTF-8").to_string();
        let output = run(&["check", &file]);
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(text.matches("error[").count(), 1, "{text}");
        assert!(text.contains("E0206") && !text.contains("warning["), "{text}");
        let help = format!("name the folder that contains all of its files: `{}", root().display());
        assert!(text.contains(&help) && text.contains(&format!("{folder}`")), "{text}");
    }
    // Errors in the text itself are still found.
    let specs = folder("part", &[("x.isa", b"__DefOptype A : [NOWHERE]\n__DefOptype : [\n")]);
    let text = stderr(&["check", "--format", "short", &path(&specs, "x.isa")]);
    assert!(text.contains("E0108"), "{text}");
    assert!(!text.contains("E0203"), "{text}");
}

#[test]
fn a_dash_is_standard_input() {
    let output = text::run(&["check", "-"], &clean());
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("checked 1 file: 2 types"));
    let broken = text::run(&["check", "--format", "short", "-"], b"__DefIsa A<0>\n");
    assert_eq!(broken.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&broken.stderr).starts_with("<stdin>:1:"));
    let (types, layers) = parts();
    let specs = folder("dash", &[("types.isa", &types)]);
    let both = text::run(&["check", &path(&specs, "types.isa"), "-"], &layers);
    assert!(String::from_utf8_lossy(&both.stdout).starts_with("checked 2 files: 2 types, 1 group"));

    let simt = isadl_test_support::simt();
    let word = simt.assemble("POPC R1, R2").expect("legal").word;
    let on_simt = |arguments: &[&str], input: &[u8]| {
        let output = text::run(&[arguments, &["--spec", "spec/simt"]].concat(), input);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let hex = simt.write_hex(word) + "\n";
    assert_eq!(on_simt(&["asm", "-"], b"POPC R1, R2"), (Some(0), hex.clone()));
    let text = (Some(0), "POPC R1, R2\n".to_string());
    assert_eq!(on_simt(&["disasm", "-"], hex.as_bytes()), text);
    let (status, shown) = on_simt(&["disasm", "--binary", "-"], &word.to_le_bytes());
    assert_eq!(status, Some(0));
    assert!(shown.starts_with("00000000:  ") && shown.ends_with("  POPC R1, R2\n"), "{shown}");
    let lines = folder("lines", &[("a.s", b"POPC R1, R2\n")]);
    assert_eq!(on_simt(&["asm", "--lines", &path(&lines, "a.s")], b""), (Some(0), hex));
    assert_eq!(on_simt(&["asm", "--lines", &path(&lines, "nowhere.s")], b"").0, Some(2));
    assert_eq!(status_of_spec_dash(), Some(2), "one input cannot be two things");
}

fn status_of_spec_dash() -> Option<i32> {
    status(&["asm", "--spec", "-"])
}

#[test]
fn other_encodings_cost_one_error() {
    let text = String::from_utf8(clean()).expect("UTF-8");
    let little = || text.encode_utf16().flat_map(u16::to_le_bytes);
    let big = || text.encode_utf16().flat_map(u16::to_be_bytes);
    let wide = text.chars().flat_map(|c| u32::from(c).to_le_bytes());
    let binary = [b"\x7fELF\x02\x01\x01\0\0\0".as_slice(), &[0xff; 40], b"\n__DefIsa"].concat();
    for (bytes, message) in [
        ([0xff, 0xfe].into_iter().chain(little()).collect(), "is UTF-16, not UTF-8"),
        ([0xfe, 0xff].into_iter().chain(big()).collect(), "is UTF-16, not UTF-8"),
        (little().collect::<Vec<u8>>(), "is UTF-16, not UTF-8"),
        (big().collect(), "is UTF-16, not UTF-8"),
        ([0xff, 0xfe, 0, 0].into_iter().chain(wide).collect(), "is UTF-32, not UTF-8"),
        (binary, "is not a text"),
    ] {
        let specs = folder("encodings", &[("x.isa", &bytes)]);
        let found = stderr(&["check", &path(&specs, "x.isa")]);
        assert_eq!(found.matches("error[").count(), 1, "{found}");
        assert!(found.contains(&format!("x.isa` {message}")), "{found}");
        let help = if message.contains("UTF-8") { "save the file as UTF-8" } else { "name a text" };
        assert!(found.contains(help), "{found}");
    }
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let specs = folder("large", &[("x.isa", &clean())]);
    let large = std::fs::File::create(specs.0.join("large.isa")).expect("creatable");
    // The file is sparse, so it does not take space on the disk.
    large.set_len(3 << 30).expect("a file may have this length");
    let start = Instant::now();
    let text = stderr(&["check", &path(&specs, "large.isa")]);
    assert!(text.contains("E0003") && text.matches("error[").count() == 1, "{text}");
    let all = stderr(&["check", &path(&specs, "")]);
    assert!(all.contains("E0003") && all.matches("error[").count() == 1, "{all}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
