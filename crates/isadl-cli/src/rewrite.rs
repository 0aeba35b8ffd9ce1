//! Writing files that may be the user's: `isadl fmt` and `isadl check --fix` write all of their files, or none; outputs never replace inputs.

use std::path::{Path, PathBuf};

use isadl_codegen::output::{is_read_only, write_file};

use crate::{Failure, Outcome, report};

/// A file and its new text.
pub(crate) struct Rewrite {
    /// The path where the file was found.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Writes files that were found at or below the paths that the user named. Writes nothing if a file is read-only, or is
/// a link out of its folder.
pub(crate) fn rewrite(files: &[Rewrite], named: &[PathBuf]) -> Outcome {
    let mut targets = Vec::new();
    let mut obstacles = Vec::new();
    for file in files {
        // The target of a link is replaced, and not the link.
        let target = file.path.canonicalize()?;
        match obstacle(&file.path, &target, named)? {
            Some(obstacle) => obstacles.push(format!("  {} {obstacle}\n", file.path.display())),
            None => targets.push((target, &file.text)),
        }
    }
    if !obstacles.is_empty() {
        report::complain(&format!("nothing was written:\n{}", obstacles.concat().trim_end()));
        return Err(Failure::Input);
    }
    for (target, text) in targets {
        write_file(&target, text)?;
    }
    Ok(())
}

/// Why a file must not be written: the end of a sentence that begins with its path.
fn obstacle(path: &Path, target: &Path, named: &[PathBuf]) -> Result<Option<String>, Failure> {
    if is_read_only(target) {
        return Ok(Some("is read-only".to_string()));
    }
    let root = named.iter().find(|root| root.is_dir() && path.starts_with(root));
    let root = root.map(PathBuf::as_path).or(path.parent()).unwrap_or(Path::new(""));
    let folder = if root == Path::new("") { Path::new(".") } else { root };
    let is_within = target.starts_with(folder.canonicalize()?);
    Ok((!is_within)
        .then(|| format!("leads to {}, which is outside {}", target.display(), folder.display())))
}

/// Refuses an output that would replace a file that was read.
pub(crate) fn replaces_none(output: &Path, inputs: &[PathBuf]) -> Outcome {
    let is_it = |input: &&PathBuf| same_file::is_same_file(input, output).unwrap_or(false);
    let Some(input) = inputs.iter().find(is_it) else { return Ok(()) };
    let (output, input) = (output.display(), input.display());
    let message = format!("the output `{output}` would replace the input `{input}`");
    report::complain(&format!("{message}; name another file with `--out`"));
    Err(Failure::Input)
}
