//! `isadl compile`: a specification as one file that is read in milliseconds.

use std::path::PathBuf;

use isadl::source::{LOCK_FILE, specification_files};
use isadl_codegen::output::write_named;

use crate::args::Compile;
use crate::{Failure, Outcome, report, spec};

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
    let mut inputs = specification_files(&paths)?;
    inputs.push(paths[0].join(LOCK_FILE));
    let is_own = |input: &&PathBuf| same_file::is_same_file(input, &out).unwrap_or(false);
    if let Some(input) = inputs.iter().find(is_own) {
        let (out, input) = (out.display(), input.display());
        let message = format!("the output `{out}` would replace the input `{input}`");
        report::complain(&format!("{message}; name another file with `--out`"));
        return Err(Failure::Input);
    }
    write_named(&out, &bytes)?;
    Ok(())
}
