//! Reads the file from disk and reports its errors.

use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use isadl::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl::levels::{Levels, LintGroup};
use isadl::source::{SourceMap, Span};

use crate::file::{Lints, Project};
use crate::output::Unused;

/// The name of the file.
pub const FILE_NAME: &str = "isadl.toml";

/// The errors of a file, with its text.
#[derive(Debug)]
pub struct Problem {
    /// The text of the file.
    pub sources: SourceMap,
    /// The errors.
    pub diagnostics: Diagnostics,
}

/// The nearest `isadl.toml`: in the folder, or in one of its parents.
pub fn find(start: &Path) -> Option<PathBuf> {
    let has_parents = start.components().any(|part| part == Component::ParentDir);
    let start = if has_parents { start.canonicalize().ok()? } else { start.to_path_buf() };
    let is_there = |folder: PathBuf| Some(folder.join(FILE_NAME)).filter(|file| file.is_file());
    if let Some(found) = start.ancestors().map(Path::to_path_buf).find_map(is_there) {
        return Some(found);
    }
    // Folders above the current folder have no names in a relative path.
    let depth = std::env::current_dir().ok().filter(|_| start.is_relative())?.ancestors().count();
    (1..depth).map(|steps| PathBuf::from_iter(std::iter::repeat_n("..", steps))).find_map(is_there)
}

/// The lint levels that the project of an instruction set chooses, by the set's folder or file. Returns no levels if
/// the settings have errors, which are reported elsewhere.
pub fn levels_of(set: &Path) -> Levels {
    let project = find(set).and_then(|file| read(&file).ok()?.ok());
    project.map_or_else(Levels::default, |project| project.levels(set))
}

/// Reads a file.
///
/// # Errors
///
/// If it cannot be read. Faults in it are [`Problem`]s.
pub fn read(path: &Path) -> io::Result<Result<Project, Box<Problem>>> {
    let bytes = std::fs::read(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let name = path.display().to_string().replace('\\', "/");
    Ok(parse(name, bytes).map(|project| Project { folder, ..project }))
}

/// The settings in a text; the name is for diagnostics.
///
/// # Errors
///
/// If it is not UTF-8 or TOML, or has unknown keys or values. An empty text is a project without settings.
pub fn parse(name: String, bytes: Vec<u8>) -> Result<Project, Box<Problem>> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Project::default());
    }
    let mut sources = SourceMap::new();
    let file = sources.add(name, bytes);
    let text = sources.file(file).text();
    let span =
        |range: Range<usize>| Span { file, start: range.start as u32, end: range.end as u32 };
    let mut diagnostics = sources.problems().clone();
    let mut project = Project::default();
    if !diagnostics.has_errors() {
        match toml::from_str::<Project>(text) {
            Ok(read) => {
                project = read;
                checks(&project, &mut |diagnostic| diagnostics.push(diagnostic), &span);
            }
            Err(error) => {
                let place = span(error.span().unwrap_or(0..0));
                diagnostics.push(
                    Diagnostic::new(Code::E0004, error.message().replace('\n', ", "), place)
                        .with_help("docs/project.md describes the keys of `isadl.toml`"),
                );
            }
        }
    }
    diagnostics.finish();
    if diagnostics.has_errors() {
        Err(Box::new(Problem { sources, diagnostics }))
    } else {
        Ok(project)
    }
}

/// Checks constraints that the types of the file do not express.
fn checks(
    project: &Project,
    report: &mut impl FnMut(Diagnostic),
    span: &impl Fn(Range<usize>) -> Span,
) {
    lints(&project.lints, report, span);
    for spec in &project.specs {
        lints(&spec.get_ref().lints, report, span);
        for output in &spec.get_ref().outputs {
            let target = output.get_ref().target.as_str();
            for Unused { key, targets } in output.get_ref().unused() {
                let of: Vec<&str> = targets.iter().map(|target| target.as_str()).collect();
                let of = of.join("` and `");
                let message = format!("`{key}` applies to the target `{of}`, not to `{target}`");
                let help = format!("remove `{key}`");
                report(Diagnostic::new(Code::E0004, message, span(output.span())).with_help(help));
            }
        }
    }
}

fn lints(lints: &Lints, report: &mut impl FnMut(Diagnostic), span: &impl Fn(Range<usize>) -> Span) {
    for (name, level) in lints {
        if let Err(error) = Levels::default().set(name.get_ref(), (*level).into()) {
            let groups = LintGroup::ALL.iter().map(|group| group.as_str());
            let codes = Code::ALL.iter().filter(|code| code.group().is_some());
            let known = groups.chain(["warnings"]).chain(codes.map(|code| code.as_str()));
            report(
                Diagnostic::new(Code::E0004, error.to_string(), span(name.span()))
                    .with_suggestion(name.get_ref(), known),
            );
        }
    }
}
