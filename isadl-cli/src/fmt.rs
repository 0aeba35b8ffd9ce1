//! `isadl fmt`: the usual layout of specifications.

use std::path::{Path, PathBuf};

use isadl::diagnostic::Diagnostics;
use isadl::format::format;
use isadl::source::{SourceMap, specification_files};
use isadl_codegen::output::write_file;
use similar::TextDiff;

use crate::args::{Fmt, Input};
use crate::{Failure, Outcome, check, report};

pub(crate) fn run(options: &Fmt) -> Outcome {
    let mut files = Vec::new();
    for set in check::sets(&options.paths)? {
        let (input, paths): (Vec<PathBuf>, Vec<PathBuf>) =
            set.paths.into_iter().partition(|path| check::is_input(path));
        files.extend(input);
        files.extend(specification_files(&paths)?);
    }
    let (mut failed, mut changed) = (false, 0);
    for path in &files {
        match file(path, options)? {
            Laid::Broken => failed = true,
            Laid::Same => {}
            Laid::Changed => changed += 1,
        }
    }
    let only_looks = options.check || options.diff;
    if changed > 0 && only_looks {
        let (noun, verb) = if changed == 1 { ("file", "has") } else { ("files", "have") };
        report::note(&format!("{changed} {noun} {verb} another layout\n"));
    }
    if failed || changed > 0 && only_looks { Err(Failure::Input) } else { Ok(()) }
}

/// What became of a file.
enum Laid {
    /// It has errors of syntax, which were reported.
    Broken,
    /// It had the usual layout.
    Same,
    /// It had another.
    Changed,
}

fn file(path: &Path, options: &Fmt) -> Result<Laid, Failure> {
    let sources = check::read(&[path.to_path_buf()])?;
    let Some(id) = sources.specification().next() else { return Ok(Laid::Same) };
    let made = match sources.problems().has_errors() {
        true => Err(sources.problems().clone()),
        false => format(&sources, id),
    };
    let made = match made {
        Ok(made) => made,
        Err(found) => {
            complain(&found, &sources)?;
            return Ok(Laid::Broken);
        }
    };
    let (name, before) = (sources.file(id).name(), sources.file(id).text());
    let is_same = before == made;
    if options.diff {
        if !is_same {
            let diff = TextDiff::from_lines(before, &made);
            report::print(&diff.unified_diff().header(name, name).to_string())?;
        }
    } else if options.check {
        report::print(&if is_same { String::new() } else { format!("{name}\n") })?;
    } else if check::is_input(path) {
        report::print(&made)?;
        return Ok(Laid::Same);
    } else if !is_same {
        // What a link leads to is replaced, and not the link.
        write_file(&path.canonicalize()?, &made)?;
    }
    Ok(if is_same { Laid::Same } else { Laid::Changed })
}

fn complain(found: &Diagnostics, sources: &SourceMap) -> Outcome {
    report::diagnostics(found, sources, &Input::of(&[]))
}
