//! Rules and special cases of instructions whose values are known later judge these values, and no others.

use std::path::Path;

use isadl::engine::Loaded;
use isadl::source::SourceMap;
use isadl_asm::{Object, Options, Purpose, assemble};
use isadl_test_support::root;

fn assembled(text: &str, purpose: Purpose) -> (Option<Object>, Vec<String>) {
    let path = root().join("tests/fixtures/asm/rules.isa");
    let sources = SourceMap::read(&[path]).expect("readable");
    let loaded = Loaded::new(isadl::compile(&sources).into_isa().expect("no errors"));
    let mut sources = SourceMap::new();
    let file = sources.add(Path::new("a.s").display().to_string(), text.as_bytes().to_vec());
    let options = &Options::default();
    let (object, diagnostics) = assemble(&loaded.engine(), &mut sources, &[file], options, purpose);
    (object, diagnostics.iter().map(|one| one.message.clone()).collect())
}

#[test]
fn values_are_judged_once_they_are_known() {
    let text = " set 1, label\n set 14, LATE\nlabel: set 1, 7\n .set LATE, 5\n";
    let (object, messages) = assembled(text, Purpose::Address(0x10));
    let object = object.unwrap_or_else(|| panic!("{messages:?}"));
    assert_eq!(object.sections[0].bytes, [0x11, 0x16, 0, 0x1e, 5, 0, 0x11, 7, 0]);

    let text =
        " set 1, label\n set 14, even\n set 2, right\nright:\n .set label, 2\n .set even, 4\n";
    let (object, messages) = assembled(text, Purpose::Address(0x10));
    assert!(object.is_none());
    let expected =
        ["small numbers have a shorter instruction", "the number is odd for register 14"];
    assert_eq!(messages, expected);
}

#[test]
fn values_of_linkers_are_not_judged() {
    let (object, messages) = assembled(" set 1, label\n set 14, label\n", Purpose::Linker);
    let object = object.unwrap_or_else(|| panic!("{messages:?}"));
    assert_eq!(object.sections[0].bytes, [0x11, 0, 0, 0x1e, 0, 0]);
    assert_eq!(object.sections[0].relocations.len(), 2);
}

#[test]
fn rules_about_other_fields_are_judged_at_once() {
    for purpose in [Purpose::Linker, Purpose::Address(0x10)] {
        let (object, messages) = assembled("x: set 15, x\n", purpose);
        assert!(object.is_none());
        assert_eq!(messages, ["register 15 is reserved"]);
    }
}
