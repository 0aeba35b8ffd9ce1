//! Assembly text by the interpreter: what is printed assembles to the same word, and examples
//! of everything that a line may hold.

use isadl::isa::Isa;
use isadl::source::SourceMap;
use isadl_tests::{Random, root, simt, words};

fn odd() -> Isa {
    let map =
        SourceMap::read(&[root().join("tests/fixtures/odd")]).expect("the fixture is readable");
    isadl::compile(&map).isa.expect("the fixture has no errors")
}

/// Prints random instructions of every opcode and assembles the text.
fn round_trip(isa: &Isa, times: usize) {
    let mut random = Random::new(1);
    for id in isa.opcode_ids() {
        let opcode = isa.opcode(id);
        for _ in 0..times {
            let Some(inst) = words::instruction(isa, id, &mut random) else {
                panic!("{}: no legal word found", opcode.name);
            };
            let text = isa.text(inst);
            match isa.assemble(&text) {
                Ok(back) => assert_eq!(
                    (back.opcode, back.word),
                    (inst.opcode, inst.word),
                    "`{text}` of {} became {}: `{}`",
                    opcode.name,
                    isa.opcode(back.opcode).name,
                    isa.text(back)
                ),
                Err(error) => panic!("{}, word 0x{:x}: `{text}`: {error}", opcode.name, inst.word),
            }
        }
    }
}

#[test]
fn what_is_printed_assembles_to_the_same_word() {
    round_trip(&simt(), 200);
}

/// Fields that no text shows are lost, but nothing else is.
#[test]
fn text_that_lacks_fields_is_stable() {
    let isa = odd();
    let mut random = Random::new(2);
    let mut assembled = 0;
    for id in isa.opcode_ids() {
        for _ in 0..200 {
            let inst = words::instruction(&isa, id, &mut random).expect("a legal word");
            let text = isa.text(inst);
            if let Ok(back) = isa.assemble(&text) {
                assert_eq!(isa.text(back), text);
                assembled += 1;
            }
        }
    }
    assert!(assembled > 300, "{assembled} lines assembled");
}
