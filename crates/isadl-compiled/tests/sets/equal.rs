//! Every part of every specification is read as it was written.

use std::sync::Arc;

use isadl::engine::Loaded;
use isadl::isa::{Family, Isa};
use isadl::semantics::ir;
use isadl_compiled::CompiledSet;

use crate::{compiled, written};

/// An instruction set as text. The outline, which is not stored, is long, and ends it.
fn shown(isa: &Isa) -> String {
    let text = format!("{isa:?}");
    text.split_once(", outline: ").map_or(text.clone(), |(own, _)| own.to_string())
}

fn is_read_as_written(folder: &str) {
    let (sources, compilation) = compiled(folder);
    let set = CompiledSet::read(written(&sources, &compilation, true)).expect("a set");
    let family = compilation.family.expect("no errors");
    assert!(set.is_whole());
    assert_eq!(set.summary().name, family.first().name());
    assert_eq!(set.summary().describes.len(), family.isas().len());
    let read = set.family().expect("all generations");
    for (index, (isa, checked)) in family.isas().iter().zip(&compilation.semantics).enumerate() {
        assert_eq!(shown(isa), shown(&read.isas()[index]), "{folder}, generation {index}");
        let loaded = set.loaded(index).expect("tables");
        assert_eq!(shown(isa), shown(loaded.isa()));
        let made = Loaded::new(isa.clone());
        assert_eq!(format!("{:?}", made.image()), format!("{:?}", loaded.image()), "{folder}");
        let programs = set.programs(isa, index).expect("programs");
        assert!(programs == ir::Programs::of(isa, checked), "{folder}, generation {index}");
        let texts = set.texts(isa, index).expect("texts");
        assert_eq!(format!("{:?}", checked.texts), format!("{texts:?}"));
        for name in isa.generation_names(isa.describes()) {
            assert_eq!(set.summary().find(name), Some(index));
        }
    }
    let files = set.sources().expect("files");
    assert_eq!(files.ids().count(), sources.ids().count());
    for id in sources.ids() {
        assert_eq!(files.file(id).name(), sources.file(id).name());
        assert_eq!(files.file(id).text(), sources.file(id).text());
    }
    assert_eq!(set.beside("macros.s"), Ok(Some(b".macro m\n.endm\n".to_vec())));
    assert_eq!(set.beside("macros"), Ok(None));
}

#[test]
fn simt_is_read_as_written() {
    is_read_as_written("spec/simt");
}

#[test]
fn gcn_is_read_as_written() {
    is_read_as_written("spec/gcn");
}

#[test]
fn riscv_is_read_as_written() {
    is_read_as_written("spec/riscv");
}

#[test]
fn a64_is_read_as_written() {
    is_read_as_written("spec/a64");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let (sources, compilation) = compiled("spec/simt");
    let (again, same) = compiled("spec/simt");
    assert!(written(&sources, &compilation, true) == written(&again, &same, true));
}

#[test]
fn programs_are_stored_if_they_are_wanted() {
    let (sources, compilation) = compiled("spec/simt");
    let set = CompiledSet::read(written(&sources, &compilation, false)).expect("a set");
    let isa = set.isa(0).expect("an instruction set");
    assert!(!set.has_programs());
    assert_eq!(set.programs(&isa, 0).expect_err("none").to_string(), "the file has no programs");
    assert!(set.texts(&isa, 0).is_ok());
}

#[test]
fn a_set_outlives_what_it_was_made_of() {
    let (sources, compilation) = compiled("spec/simt");
    let set = Arc::new(CompiledSet::read(written(&sources, &compilation, true)).expect("a set"));
    drop((sources, compilation));
    let other = Arc::clone(&set);
    let family = std::thread::spawn(move || other.family().map(Family::into_first));
    let isa = family.join().expect("no panic").expect("a family");
    assert_eq!(isa.name(), set.summary().name);
}
