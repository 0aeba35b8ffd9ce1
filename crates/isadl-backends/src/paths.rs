//! Paths between folders.

use std::path::{Component, Path, PathBuf};

/// The path of a file relative to a folder; `None` if they are on different disks.
pub fn relative(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (absolute(folder)?, absolute(file)?);
    let common = folder.iter().zip(&file).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return None;
    }
    let up = folder[common..].iter().map(|_| "..".to_string());
    Some(up.chain(file[common..].iter().cloned()).collect::<Vec<_>>().join("/"))
}

/// The parts of a path from the root, without `.` and `..`.
fn absolute(path: &Path) -> Option<Vec<String>> {
    let path: PathBuf = std::path::absolute(path).ok()?;
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop();
            }
            part => parts.push(part.as_os_str().to_string_lossy().into_owned()),
        }
    }
    Some(parts)
}
