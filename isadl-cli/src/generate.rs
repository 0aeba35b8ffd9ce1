//! `isadl gen`: writes what a backend derives, or holds it against what is there.
use crate::Outcome;
use crate::args::Gen;
pub(crate) fn run(_options: &Gen) -> Outcome {
    Ok(())
}
