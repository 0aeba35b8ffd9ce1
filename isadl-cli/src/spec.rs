//! The one instruction set that a command works with.

use isadl::isa::Isa;
use isadl::source::SourceMap;

use crate::args::{Input, Spec};
use crate::{Failure, check, report};

/// Compiles the instruction set. What is wrong with it is shown; warnings are left to `check`.
pub(crate) fn load(spec: &Spec) -> Result<Isa, Failure> {
    let sets = check::sets(&spec.paths)?;
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
    let Some(isa) = compilation.isa else {
        report::diagnostics(&compilation.diagnostics, &sources, &Input::of(&set.paths))?;
        return Err(Failure::Input);
    };
    match &spec.generation {
        Some(name) if !isa.generations().contains(name) => Err(unknown_generation(&isa, name)),
        _ => Ok(isa),
    }
}

fn unknown_generation(isa: &Isa, name: &str) -> Failure {
    Failure::Usage(match isa.generations() {
        [] => format!("`{name}` is no generation: {} has none", isa.name()),
        known => {
            format!("`{name}` is no generation of {}; there are {}", isa.name(), known.join(", "))
        }
    })
}
