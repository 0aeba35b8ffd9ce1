//! The one instruction set that a command works with.

use isadl::isa::Isa;
use isadl::source::SourceMap;

use crate::args::{Input, Spec};
use crate::{Failure, check, report};

/// Compiles the instruction set. What is wrong with it is shown; warnings are left to `check`.
pub(crate) fn load(spec: &Spec) -> Result<Isa, Failure> {
    if spec.paths.iter().any(|path| check::is_input(path)) {
        return Err(Failure::Usage("--spec cannot be standard input".to_string()));
    }
    let mut sets = check::sets(&spec.paths)?;
    // Instruction sets in subfolders are others.
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
    match &spec.generation {
        None if family.isas().len() > 1 => Err(no_generation(family.first())),
        None => Ok(family.into_first()),
        Some(name) => match family.generation(name) {
            Some(isa) => Ok(isa.clone()),
            None => Err(unknown_generation(family.first(), name)),
        },
    }
}

fn no_generation(isa: &Isa) -> Failure {
    let known = isa.generations().join(", ");
    Failure::Usage(format!(
        "{} has several generations: give --generation, one of {known}",
        isa.name()
    ))
}

fn unknown_generation(isa: &Isa, name: &str) -> Failure {
    Failure::Usage(match isa.generations() {
        [] => format!("`{name}` is no generation: {} has none", isa.name()),
        known => {
            format!("`{name}` is no generation of {}; there are {}", isa.name(), known.join(", "))
        }
    })
}
