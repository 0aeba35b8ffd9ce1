//! Specifications that are changed and tried.

use std::path::{Path, PathBuf};

use isadl::diagnostic::{Code, Diagnostics};
use isadl::source::SourceMap;
use isadl_laws::Outcome;

/// The files of an instruction set of `spec`: their names and texts.
#[allow(dead_code, reason = "not every test reads specifications")]
pub(crate) fn files(name: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec").join(name);
    let entries = std::fs::read_dir(folder).expect("readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let specifications =
        paths.iter().filter(|path| path.extension().is_some_and(|end| end == "isa"));
    let file = |path: &PathBuf| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("readable"))
    };
    specifications.map(file).collect()
}

/// What the compiler finds in files, and what the trials find if that is no error.
pub(crate) fn tried(files: &[(String, String)]) -> (SourceMap, Diagnostics, Outcome) {
    let mut sources = SourceMap::new();
    for (name, text) in files {
        sources.add(name.clone(), text.clone().into_bytes());
    }
    let compilation = isadl::compile(&sources);
    let outcome = match compilation.family {
        Some(family) => isadl_laws::check(&family, compilation.semantics),
        None => Outcome::default(),
    };
    (sources, compilation.diagnostics, outcome)
}

/// The findings: their codes, and the lines that they are about.
#[allow(dead_code, reason = "not every test looks at them")]
pub(crate) fn lines(sources: &SourceMap, outcome: &Outcome) -> Vec<(Code, String)> {
    let found = outcome.diagnostics.iter().map(|found| {
        let span = found.primary.span;
        let (line, _) = sources.position(span.file, span.start);
        let text = sources.file(span.file).text().lines().nth(line - 1).unwrap_or_default();
        (found.code, text.trim().to_string())
    });
    found.collect()
}
