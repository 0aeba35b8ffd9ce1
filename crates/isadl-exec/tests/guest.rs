//! Assembly programs that run in qemu.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The output of an assembly program in qemu; it must exit with status 0. `sections` are names without the leading point, and addresses.
/// `None` if qemu or the compiler is not installed.
pub(crate) fn output(
    source: &str,
    sections: &[(&str, u64)],
    gcc: &[&str],
    qemu: &[&str],
) -> Option<Vec<u8>> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let is_there = |program: &str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok()
    };
    if !is_there(qemu[0]) || !is_there(gcc[0]) {
        return None;
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("isadl-guest-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let program = build(source, sections, gcc, &folder);
    let ran = Command::new(qemu[0]).args(&qemu[1..]).arg(&program).output().expect("qemu runs");
    assert!(ran.status.success(), "{:?}", ran.status);
    let _ = std::fs::remove_dir_all(&folder);
    Some(ran.stdout)
}

fn build(
    source: &str,
    sections: &[(&str, u64)],
    gcc: &[&str],
    folder: &Path,
) -> std::path::PathBuf {
    let (text, program) = (folder.join("guest.s"), folder.join("guest"));
    std::fs::write(&text, source).expect("writable");
    let built = Command::new(gcc[0])
        .args(&gcc[1..])
        .args(["-nostdlib", "-static", "-Wl,--build-id=none"])
        .args(sections.iter().map(|(name, at)| format!("-Wl,--section-start=.{name}={at:#x}")))
        .arg("-o")
        .args([&program, &text])
        .output()
        .expect("gcc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    program
}
