//! `isadl compile`: a specification as one file that is read in milliseconds.

use std::path::PathBuf;

use isadl_codegen::output::write_named;

use crate::args::Compile;
use crate::{Outcome, rewrite, spec};

pub(crate) fn run(options: &Compile) -> Outcome {
    let path = spec::only_set(options.path.as_slice())?;
    let paths = [path];
    let bytes = spec::file(&paths)?;
    let own = || {
        let folder = paths[0].canonicalize().unwrap_or_else(|_| paths[0].clone());
        let name = folder.file_stem().unwrap_or_default();
        PathBuf::from(name).with_extension(spec::EXTENSION)
    };
    let out = options.out.clone().unwrap_or_else(own);
    rewrite::replaces_none(&out, &spec::inputs(&paths)?)?;
    write_named(&out, &bytes)?;
    Ok(())
}
