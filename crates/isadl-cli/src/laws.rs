//! Examples and laws, for `isadl check`.

use isadl::Compilation;

/// How many examples and laws were tried.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tried {
    pub(crate) examples: usize,
    pub(crate) laws: usize,
}

/// Tries the examples and laws of an instruction set without errors, and adds what does not hold to its findings.
pub(crate) fn tried(compilation: &mut Compilation) -> Tried {
    let Some(family) = &compilation.family else { return Tried::default() };
    let outcome = isadl_laws::check(family, std::mem::take(&mut compilation.semantics));
    compilation.diagnostics.extend(outcome.diagnostics);
    Tried { examples: outcome.examples, laws: outcome.laws }
}
