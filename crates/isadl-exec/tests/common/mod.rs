//! Specifications that are executed.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use isadl::source::SourceMap;
use isadl_exec::Spec;

#[path = "../../../isadl-semantics/tests/common/specs.rs"]
mod specs;

/// An instruction set of `spec`, in a generation.
pub(crate) fn spec(name: &str, generation: usize) -> Rc<Spec> {
    spec_in(&format!("../../spec/{name}"), generation)
}

/// The instruction set of a folder below that of the package, in a generation.
pub(crate) fn spec_in(folder: &str, generation: usize) -> Rc<Spec> {
    let (isa, programs) = &specs::compiled(folder)[generation];
    Rc::new(Spec::new(isa.clone(), Arc::clone(programs)))
}

/// The same after a change of each file's text.
pub(crate) fn changed(
    folder: &str,
    generation: usize,
    change: impl Fn(String) -> String,
) -> Rc<Spec> {
    let mut sources = SourceMap::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "isa")) {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        sources.add(name, change(std::fs::read_to_string(path).expect("readable")).into_bytes());
    }
    let (isa, programs) = specs::finished(isadl::compile(&sources)).swap_remove(generation);
    Rc::new(Spec::new(isa, programs))
}
