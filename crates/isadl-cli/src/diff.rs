//! `isadl diff`: the differences between two versions or generations of a specification.

use std::path::PathBuf;

use isadl::isa::{Selection, SelectionKind, UnknownSelection};
use isadl_codegen::diff::{self, Report, Side};

use crate::args::{Class, Diff, Explained};
use crate::spec::Compiled;
use crate::{Failure, Outcome, git, report, spec};

pub(crate) fn run(options: &Diff) -> Outcome {
    let found = compare(options)?;
    report::print(&match options.format {
        Explained::Human => isadl::visible::visible(&diff::text(&found)).into_owned(),
        Explained::Json => diff::json(&found),
    })?;
    let denied = |class: &diff::Class| {
        options.deny.iter().any(|deny| of(*deny).is_none_or(|deny| deny == *class))
    };
    let is_denied = diff::Class::ALL.iter().filter(|c| denied(c)).any(|c| found.count(*c) > 0);
    if is_denied { Err(Failure::Input) } else { Ok(()) }
}

/// The class that an argument names; `None` for all.
fn of(class: Class) -> Option<diff::Class> {
    match class {
        Class::Encoding => Some(diff::Class::Encoding),
        Class::Legality => Some(diff::Class::Legality),
        Class::Text => Some(diff::Class::Text),
        Class::Flow => Some(diff::Class::Flow),
        Class::Semantics => Some(diff::Class::Semantics),
        Class::Interface => Some(diff::Class::Interface),
        Class::Documentation => Some(diff::Class::Documentation),
        Class::All => None,
    }
}

fn compare(options: &Diff) -> Result<Report, Failure> {
    if let Some(names) = &options.generations {
        return generations(options, names);
    }
    let (old, new) = match (&options.against, options.paths.as_slice()) {
        (Some(revision), _) => {
            let path = one(options)?;
            let old = git::sources(revision, &path)?;
            (fixed(options, spec::compiled(old)?)?, fixed(options, spec::read(&[path])?)?)
        }
        (None, [old, new]) => {
            let read = |path: &PathBuf| {
                fixed(options, spec::read(&[spec::only_set(std::slice::from_ref(path))?])?)
            };
            (read(old)?, read(new)?)
        }
        (None, _) => {
            return Err(Failure::Usage(
                "name two versions, or one and `--against REV` or `--generations A..B`".to_string(),
            ));
        }
    };
    Ok(diff::versions(side(&old), side(&new)))
}

/// A version as implementations with the requested extensions have it.
fn fixed(options: &Diff, read: Compiled) -> Result<Compiled, Failure> {
    let extensions = options.fixed.extensions.clone();
    let selection = Selection { extensions, ..Selection::default() };
    let selected = read.family.select(&selection);
    let family = selected.map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(Compiled { family, ..read })
}

fn side(read: &Compiled) -> Side<'_> {
    Side { family: &read.family, programs: &read.programs, sources: &read.sources }
}

/// The path of the only version that is named.
fn one(options: &Diff) -> Result<PathBuf, Failure> {
    match options.paths.as_slice() {
        [] => spec::only_set(&[]),
        [path] => spec::only_set(std::slice::from_ref(path)),
        _ => Err(Failure::Usage(
            "name only the new version with `--against` or `--generations`".to_string(),
        )),
    }
}

fn generations(options: &Diff, names: &[String; 2]) -> Result<Report, Failure> {
    let read = fixed(options, spec::read(&[one(options)?])?)?;
    let known = read.family.generations().to_vec();
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        let kind = SelectionKind::Generation;
        let unknown = UnknownSelection { kind, name: name.clone(), known };
        return Err(Failure::Usage(unknown.to_string()));
    }
    let compared = diff::of_generations(side(&read), [&names[0], &names[1]]);
    // Both were declared, so each is described.
    Ok(compared.unwrap_or_default())
}
