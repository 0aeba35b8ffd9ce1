//! `isadl fmt`: the usual layout of specifications.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use isadl::diagnostic::Diagnostics;
use isadl::format::Formatter;
use isadl::source::{SourceMap, set_folder, specification_files};
use similar::TextDiff;

use crate::args::{Fmt, Input};
use crate::rewrite::{Rewrite, rewrite};
use crate::{Failure, Outcome, check, project, report};

pub(crate) fn run(options: &Fmt) -> Outcome {
    let mut files = Vec::new();
    for set in check::sets(&options.paths)? {
        let (input, paths): (Vec<PathBuf>, Vec<PathBuf>) =
            set.paths.into_iter().partition(|path| check::is_input(path));
        files.extend(input);
        files.extend(specification_files(&paths)?);
    }
    let (mut failed, mut changed) = (false, Vec::new());
    let mut formatters = Formatters::default();
    for path in files {
        match file(&path, &mut formatters, options)? {
            Laid::Broken => failed = true,
            Laid::Same => {}
            Laid::Changed(text) => changed.push(Rewrite { path, text }),
        }
    }
    if !(options.check || options.diff) {
        rewrite(&changed, &project::paths(&options.paths)?)?;
        return if failed { Err(Failure::Input) } else { Ok(()) };
    }
    if !changed.is_empty() {
        let (noun, verb) = if changed.len() == 1 { ("file", "has") } else { ("files", "have") };
        report::note(&format!("{} {noun} {verb} another layout\n", changed.len()));
    }
    if failed || !changed.is_empty() { Err(Failure::Input) } else { Ok(()) }
}

/// The result of formatting a file.
enum Laid {
    /// It has errors of syntax, which were reported.
    Broken,
    /// It had the usual layout.
    Same,
    /// The layout differed; this is the formatted text.
    Changed(String),
}

fn file(path: &Path, formatters: &mut Formatters, options: &Fmt) -> Result<Laid, Failure> {
    let sources = check::read(&[path.to_path_buf()])?;
    let Some(id) = sources.specification().next() else { return Ok(Laid::Same) };
    let made = match sources.problems().has_errors() {
        true => Err(sources.problems().clone()),
        false => formatters.of(path, &sources)?.file(&sources, id),
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
    }
    Ok(if is_same { Laid::Same } else { Laid::Changed(made) })
}

/// The formatters of the instruction sets that files belong to, by the folders of the files; a file that belongs to none has its own.
#[derive(Default)]
struct Formatters(HashMap<PathBuf, Formatter>);

impl Formatters {
    /// The formatter of a file with a text.
    fn of(&mut self, path: &Path, own: &SourceMap) -> Result<&Formatter, Failure> {
        let folder = path.parent().unwrap_or(path).to_path_buf();
        if !check::is_input(path) && self.0.contains_key(&folder) {
            return Ok(&self.0[&folder]);
        }
        let set = set_folder(path).filter(|_| !check::is_input(path));
        Ok(match set {
            Some(set) => {
                let whole = check::read(&specification_files(&[set])?)?;
                self.0.entry(folder).or_insert(Formatter::new(&whole))
            }
            None => self.0.entry(path.to_path_buf()).or_insert(Formatter::new(own)),
        })
    }
}

fn complain(found: &Diagnostics, sources: &SourceMap) -> Outcome {
    report::diagnostics(found, sources, &Input::of(&[]))
}
