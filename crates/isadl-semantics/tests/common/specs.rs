//! Specifications in folders. Each is compiled once for all tests of a program: the large ones take seconds.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use isadl::isa::Isa;
use isadl::semantics::Checked;
use isadl::source::SourceMap;

/// The generations of an instruction set, and their programs.
pub(crate) type Compiled = Vec<(Isa, Arc<Checked>)>;

/// The specification of a folder, relative to that of the package.
pub(crate) fn compiled(folder: &str) -> &'static Compiled {
    static KNOWN: Mutex<BTreeMap<String, &'static OnceLock<Compiled>>> =
        Mutex::new(BTreeMap::new());
    let own: &'static OnceLock<Compiled> = {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(folder.to_string()).or_insert_with(|| Box::leak(Box::default()))
    };
    own.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let sources = SourceMap::read(&[folder]).expect("the specification is readable");
        finished(isadl::compile(&sources))
    })
}

/// What a compilation without errors found.
pub(crate) fn finished(found: isadl::Compilation) -> Compiled {
    let isadl::Compilation { family, semantics, diagnostics, .. } = found;
    let family = family.unwrap_or_else(|| {
        panic!("{:?}", diagnostics.iter().map(|found| &found.message).collect::<Vec<_>>())
    });
    let programs = semantics.into_iter().map(Arc::new);
    family.isas().iter().cloned().zip(programs).collect()
}
