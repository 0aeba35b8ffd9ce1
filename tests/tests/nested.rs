//! Cargo on separate workspaces. They share a build folder, so that common dependencies
//! are compiled once.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder for files of tests.
pub(crate) fn scratch() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("downstream")
}

/// The build folder: trybuild also compiles the macro's users there.
fn target() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    folder.parent().unwrap_or(folder).join("tests/trybuild")
}

/// The folder of the programs of nested builds.
pub(crate) fn programs() -> PathBuf {
    target().join("debug")
}

/// Cargo in a folder.
pub(crate) fn cargo(folder: &Path) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // As in trybuild: builds are shared only if their settings are the same.
    command.current_dir(folder).env("CARGO_TARGET_DIR", target()).env("CARGO_INCREMENTAL", "0");
    command
}
