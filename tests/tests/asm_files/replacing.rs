//! Files that the command writes: never over its input, and never half of a file.

use std::path::Path;
use std::process::{Command, Output};

use super::folder;
use crate::cli::binary;
use isadl_test_support::root;

fn copied(to: &Path) {
    let spec = root().join("tests/fixtures/machines/avr");
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(spec).expect("readable") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|own| own == "isa") {
            std::fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("copied");
        }
    }
    std::fs::write(to.join("macros.s"), ".macro skip\n nop\n .endm\n").expect("writable");
}

fn asm(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.args(["asm", "--spec", "spec"]).args(arguments).current_dir(folder);
    command.output().expect("the binary runs")
}

#[test]
fn no_input_is_replaced() {
    let folder = folder("replacing");
    copied(&folder.join("spec"));
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("writable");
    write("a.hex", " .include \"b.inc\"\n .incbin \"c.bin\"\n skip\n");
    write("b.inc", " nop\n");
    write("c.bin", "12");
    std::fs::hard_link(folder.join("a.hex"), folder.join("hard")).expect("a link");
    #[cfg(unix)]
    std::os::unix::fs::symlink("b.inc", folder.join("soft")).expect("a link");
    let isa = std::fs::read_dir(folder.join("spec")).expect("readable");
    let isa = isa
        .map(|entry| entry.expect("readable").path())
        .find(|path| path.extension().is_some_and(|own| own == "isa"));
    let isa = isa.expect("a specification").display().to_string();
    let mut outputs = vec!["b.inc", "./c.bin", "spec/../a.hex", "hard", "spec/macros.s", &isa];
    if cfg!(unix) {
        outputs.push("soft");
    }
    let read = |name: &str| std::fs::read(folder.join(name)).expect("readable");
    for output in outputs {
        let before = read(output);
        let found = asm(&folder, &["a.hex", "--emit", "raw", "--out", output]);
        assert_eq!(found.status.code(), Some(1), "{output}");
        let message = String::from_utf8_lossy(&found.stderr).into_owned();
        assert!(message.contains("would replace the input"), "{output}: {message}");
        assert_eq!(read(output), before, "{output}");
    }
    // The name derived from the source's name is the source.
    let before = read("a.hex");
    assert_eq!(asm(&folder, &["a.hex", "--emit", "hex"]).status.code(), Some(1));
    assert_eq!(read("a.hex"), before);
    assert_eq!(asm(&folder, &["a.hex", "--emit", "raw"]).status.code(), Some(0));
    assert_eq!(read("a.bin"), [0, 0, b'1', b'2', 0, 0]);
    let _ = std::fs::remove_dir_all(folder);
}

#[cfg(unix)]
#[test]
fn outputs_are_whole_or_what_they_were() {
    let folder = folder("whole");
    copied(&folder.join("spec"));
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("writable");
    let read = |name: &str| std::fs::read(folder.join(name)).expect("readable");
    write("a.s", " .rept 100000\n nop\n .endr\n");
    write("old.bin", "what was there before");
    // The system ends a program that writes more than this many blocks into a file.
    let script = "ulimit -f 8; exec \"$0\" asm --spec spec a.s --emit raw --out old.bin";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(binary()).current_dir(&folder);
    assert!(!command.output().expect("a shell").status.success());
    assert_eq!(read("old.bin"), b"what was there before");

    write("a.s", " nop\n");
    std::os::unix::fs::symlink("made.bin", folder.join("link")).expect("a link");
    let status = |out: &str| asm(&folder, &["a.s", "--emit", "raw", "--out", out]).status.code();
    for _ in 0..2 {
        // The link stays a link.
        assert_eq!(status("link"), Some(0));
        assert!(folder.join("link").is_symlink());
        assert_eq!(read("made.bin"), [0, 0]);
        write("made.bin", "other");
    }
    assert_eq!(status("/dev/null"), Some(0));
    assert_eq!(status("missing/a.bin"), Some(2));
    assert!(!folder.join("missing").exists());
    let mut rights = std::fs::metadata(folder.join("old.bin")).expect("there").permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(folder.join("old.bin"), rights).expect("ours");
    assert_eq!(status("old.bin"), Some(2));
    assert_eq!(read("old.bin"), b"what was there before");
    // A file that is the same is not written.
    assert_eq!(status("made.bin"), Some(0));
    let time = || std::fs::metadata(folder.join("made.bin")).and_then(|data| data.modified());
    let before = time().expect("a time");
    assert_eq!(status("made.bin"), Some(0));
    assert_eq!(time().expect("a time"), before);
    let _ = std::fs::remove_dir_all(folder);
}
