//! `isadl dump`: a stage of the compilation as text.

use std::path::PathBuf;

use isadl::diagnostic::Diagnostics;
use isadl::prove::Effort;
use isadl::visible::visible;
use isadl::{dump, parse, resolve};

use crate::args::{Dump, Stage};
use crate::{Failure, Outcome, check, project, report};

pub(crate) fn run(options: &Dump) -> Outcome {
    let mut failed = false;
    for set in check::sets(&options.input.paths)? {
        let text = match options.stage {
            Stage::Ast | Stage::Model => early(&set.paths, options, &mut failed)?,
            Stage::Isa => {
                let how = (Effort::Check, &options.fixed);
                let (_, compilation) = check::compile_with(&set.paths, &options.input, how)?;
                failed |= compilation.diagnostics.has_errors();
                let isas = compilation.family.iter().flat_map(|family| family.isas());
                isas.map(dump::isa).collect()
            }
        };
        report::print(&visible(&text))?;
    }
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// A stage before the checks: printed as far as possible, with the problems found so far.
fn early(paths: &[PathBuf], options: &Dump, failed: &mut bool) -> Result<String, Failure> {
    let sources = &check::read(paths)?;
    let mut diagnostics: Diagnostics = sources.problems().clone();
    let files = parse::parse(sources, &mut diagnostics);
    let files = match &options.fixed.extensions {
        Some(names) => {
            isadl::trees_for(&files, names).map_err(|error| Failure::Usage(error.to_string()))?
        }
        None => files,
    };
    let text = match options.stage {
        Stage::Ast => dump::ast(sources, &files),
        _ => dump::model(&resolve::resolve(sources, &files, &mut diagnostics)),
    };
    diagnostics.finish();
    diagnostics.apply(&project::levels(&options.input, paths)?);
    report::diagnostics(&diagnostics, sources, &options.input)?;
    *failed |= diagnostics.has_errors();
    Ok(text)
}
