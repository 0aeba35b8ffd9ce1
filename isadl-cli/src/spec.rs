//! The instruction set that a command works with.

use isadl::isa::{Family, Isa, SelectionKind, UnknownSelection};
use isadl::source::SourceMap;

use crate::args::{Input, Spec};
use crate::{Failure, check, report};

/// Compiles the instruction set, for one of its generations.
pub(crate) fn load(spec: &Spec) -> Result<Isa, Failure> {
    let family = family(spec)?;
    let index = generation(spec, &family)?;
    Ok(family.isas()[index].clone())
}

/// Compiles the instruction set. Errors are reported; warnings are left to `check`.
pub(crate) fn family(spec: &Spec) -> Result<Family, Failure> {
    if spec.paths.iter().any(|path| check::is_input(path)) {
        return Err(Failure::Usage("--spec cannot be standard input".to_string()));
    }
    let mut sets = check::sets(&spec.paths)?;
    // Subfolders may contain other instruction sets.
    if sets.iter().any(|set| set.paths == spec.paths) {
        sets.retain(|set| set.paths == spec.paths);
    }
    let [set] = sets.as_slice() else {
        let names = sets.iter().flat_map(|set| &set.paths).map(|path| path.display().to_string());
        let names: Vec<String> = names.collect();
        return Err(Failure::Usage(format!(
            "--spec must name one instruction set, not {}: {}",
            sets.len(),
            names.join(", ")
        )));
    };
    let sources = SourceMap::read(&set.paths)?;
    let compilation = isadl::compile(&sources);
    let Some(family) = compilation.family else {
        report::diagnostics(&compilation.diagnostics, &sources, &Input::of(&set.paths))?;
        return Err(Failure::Input);
    };
    Ok(family)
}

/// The index of the instruction set of the requested generation.
pub(crate) fn generation(spec: &Spec, family: &Family) -> Result<usize, Failure> {
    let Some(name) = &spec.generation else {
        return if family.isas().len() > 1 { Err(no_generation(family.first())) } else { Ok(0) };
    };
    let found = family.generation(name);
    let index = found.and_then(|isa| family.isas().iter().position(|one| std::ptr::eq(one, isa)));
    index.ok_or_else(|| {
        let known = family.generations().to_vec();
        let kind = SelectionKind::Generation;
        Failure::Usage(UnknownSelection { kind, name: name.clone(), known }.to_string())
    })
}

fn no_generation(isa: &Isa) -> Failure {
    let known = isa.generations().join(", ");
    Failure::Usage(format!(
        "{} has several generations: choose one by --generation: {known}",
        isa.name()
    ))
}
