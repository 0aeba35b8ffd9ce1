//! A compiled set is read as it was written, and other bytes are refused.

mod damaged;
mod equal;
mod forged;

use std::path::Path;

use isadl::Compilation;
use isadl::source::SourceMap;
use isadl_compiled::Contents;

/// A folder of the repository, compiled.
fn compiled(folder: &str) -> (SourceMap, Compilation) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let sources = SourceMap::read(&[path]).expect("a specification");
    let compilation = isadl::compile(&sources);
    assert!(compilation.family.is_some(), "{folder} has errors");
    (sources, compilation)
}

/// What is written of it.
fn written(sources: &SourceMap, compilation: &Compilation, is_executable: bool) -> Vec<u8> {
    let beside = [("macros.s".to_string(), b".macro m\n.endm\n".to_vec())];
    let contents = Contents {
        family: compilation.family.as_ref().expect("no errors"),
        programs: &compilation.semantics,
        is_executable,
        sources,
        beside: &beside,
    };
    contents.write().expect("bytes")
}
