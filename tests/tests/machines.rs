//! Small machines that are unlike the instruction sets of `spec/`, against llvm-mc 19.
//!
//! AVR has 65,536 first units, which are all tried. For some of them, `llvm.tsv` records llvm-mc's result for the
//! texts.

use isadl::engine::{Engine, Loaded};
use isadl::isa::Effect;
use isadl_test_support::llvm::Llvm;
use isadl_test_support::{Set, bless, family, golden, root};
use object::elf::FileHeader32;
use object::read::elf::ElfFile;
use object::{Endianness, Object, ObjectSection};

const FOLDER: &str = "tests/fixtures/machines/avr";

const ARGUMENTS: [&str; 2] = ["--triple=avr", "--mcpu=atxmega384c3"];

/// The unit after the first one, which belongs to some instructions.
const SECOND: [u8; 2] = [0x34, 0x12];

/// One in this many instructions is recorded.
const RECORDED: usize = 41;

fn avr() -> Loaded {
    Loaded::new(family(FOLDER).into_first())
}

/// The bytes and texts of all first units that are instructions; the same texts are read as the same bytes.
fn instructions(engine: &Engine<'_>) -> Vec<(Vec<u8>, String)> {
    let mut all = Vec::new();
    for first in 0..=u16::MAX {
        let bytes = [first.to_le_bytes(), SECOND].concat();
        let Ok((inst, length)) = engine.decode_bytes(&bytes) else { continue };
        let text = engine.text(inst);
        let read = engine.assemble(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(engine.bytes(read)[..length], bytes[..length], "{text}");
        all.push((bytes[..length].to_vec(), text));
    }
    all
}

/// A text as llvm-mc reads it: distances are from the next instruction, after a dot.
fn for_llvm(text: &str) -> String {
    let is_jump = ["br", "rjmp", "rcall"].iter().any(|start| text.starts_with(start));
    let (start, distance) = text.rsplit_once(' ').unwrap_or((text, ""));
    match distance.parse::<i32>() {
        Ok(distance) if is_jump => format!("{start} .{distance:+}"),
        _ => text.to_string(),
    }
}

#[test]
fn every_word_of_avr_is_what_llvm_assembles() {
    let Some(llvm) = Llvm::find() else {
        eprintln!("skipped: llvm-mc 19 is not installed");
        return;
    };
    let loaded = avr();
    let all = instructions(&loaded.engine());
    assert_eq!(all.len(), 63_981);
    let lines: String = all.iter().map(|(_, text)| for_llvm(text) + "\n").collect();
    let object = llvm.object(&ARGUMENTS, lines);
    let object = ElfFile::<FileHeader32<Endianness>>::parse(&*object).expect("an object file");
    let code = object.section_by_name(".text").and_then(|text| text.data().ok()).expect("code");
    let mut rest = code;
    for (bytes, text) in &all {
        let (theirs, after) = rest.split_at(bytes.len().min(rest.len()));
        assert_eq!(bytes, theirs, "{text}");
        rest = after;
    }
    assert!(rest.is_empty());
    if bless() {
        let mut table = format!("# llvm-mc-19 {} --filetype=obj\n", ARGUMENTS.join(" "));
        for (bytes, text) in all.iter().step_by(RECORDED) {
            table += &format!("{}\t{text}\n", isadl::hex::write_bytes(bytes));
        }
        golden(&root().join(FOLDER).join("llvm.tsv"), &table);
    }
}

#[test]
fn recorded_texts_of_avr_are_what_llvm_assembled() {
    let loaded = avr();
    let engine = loaded.engine();
    let table = std::fs::read_to_string(root().join(FOLDER).join("llvm.tsv")).expect("readable");
    let mut count = 0;
    for line in table.lines().skip(1) {
        let (bytes, text) = line.split_once('\t').expect("bytes and a text");
        let read = engine.assemble(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut hex = Vec::new();
        engine.append_hex(read, &mut hex);
        assert_eq!(String::from_utf8_lossy(&hex), bytes, "{text}");
        count += 1;
    }
    assert!(count > 1_500, "{count}");
}

/// Statements describe the reads and writes of an operand without fields.
#[test]
fn operands_without_fields_may_be_places_in_memory() {
    let avr = Set::from(family(FOLDER).into_first());
    let xch = avr.engine().assemble("xch Z, r5").expect("an instruction");
    let uses = avr.flow(xch);
    let of = |is_it: fn(Effect) -> bool| {
        let all =
            uses.iter().filter(|one| is_it(one.effect)).map(|one| avr.resource_text(one.resource));
        all.collect::<Vec<_>>()
    };
    assert_eq!(of(Effect::reads), ["R[5]", "Z", "R[30]", "R[31]"]);
    assert_eq!(of(Effect::writes), ["R[5]", "Z"]);
}
