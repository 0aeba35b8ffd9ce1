//! `isadl decode`: explains one word.

mod human;

use isadl::engine::Loaded;
use isadl::explain::DecodedWord;
use isadl_codegen::word::{Word, object, read};

use crate::args::{Decode, Explained};
use crate::{Failure, Outcome, json, report, spec};

pub(crate) fn run(options: &Decode) -> Outcome {
    let spec::Compiled { family, programs, .. } = spec::whole(&options.spec)?;
    let isa = &family.isas()[spec::generation(&options.spec, &family)?];
    let loaded = Loaded::new(isa.clone());
    let set = spec::extensions(&options.spec, isa)?;
    let engine = loaded.engine().with_extensions(set);
    let word = read(&engine, &options.words.join(" ")).map_err(Failure::Usage)?;
    let explained = Word::new(engine, isa, &family, &programs, word);
    report::print(&match options.format {
        Explained::Human => human::show(&explained),
        Explained::Json => json::line(&object(&explained))?,
    })?;
    if explained.known().is_some_and(DecodedWord::is_legal) { Ok(()) } else { Err(Failure::Input) }
}
