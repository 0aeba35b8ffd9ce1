//! `isadl decode`: explains one word.

mod human;

use isadl::explain::DecodedWord;
use isadl_codegen::word::{Word, object, read};

use crate::args::{Decode, Explained};
use crate::spec::{Needs, Opened};
use crate::{Failure, Outcome, json, report};

pub(crate) fn run(options: &Decode) -> Outcome {
    let opened = Opened::new(&options.spec, Needs::Words)?;
    let (family, loaded) = (opened.family()?, opened.loaded()?);
    let isa = loaded.isa();
    let (set, texts) = (opened.extensions(isa)?, opened.texts(isa)?);
    let engine = loaded.engine().with_extensions(set);
    let word = read(&engine, &options.words.join(" ")).map_err(Failure::Usage)?;
    let explained = Word::new(engine, isa, &family, Some(&texts), word);
    report::print(&match options.format {
        Explained::Human => human::show(&explained),
        Explained::Json => json::line(&object(&explained))?,
    })?;
    if explained.known().is_some_and(DecodedWord::is_legal) { Ok(()) } else { Err(Failure::Input) }
}
