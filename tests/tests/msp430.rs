//! MSP430, whose instructions are one to three words with an operand in each. The relocations of operands in later
//! words equal llvm-mc 19's, and the linked code equals ld.lld 19's.
//!
//! llvm-mc's results are recorded next to the specification; `BLESS=1` records them again where it is installed.

use std::path::Path;

use isadl::engine::{Loaded, RelocateError};
use isadl::source::SourceMap;
use isadl_asm::{Options, Purpose, assemble};
use isadl_test_support::llvm::Llvm;
use isadl_test_support::{bless, family, golden, root};
use object::elf::{self, FileHeader32};
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{Endianness, Object as _, ObjectSection as _, SymbolIndex};

const FOLDER: &str = "tests/fixtures/machines/msp430";

const ARGUMENTS: [&str; 1] = ["--triple=msp430"];

fn msp430() -> Loaded {
    Loaded::new(family(FOLDER).into_first())
}

/// The relocations of an object file: offset, number, symbol and addend of each. Bytes that linkers overwrite do not
/// matter.
fn summary(object: &[u8]) -> String {
    let header = FileHeader32::<Endianness>::parse(object).expect("an ELF file");
    let endian = header.endian().expect("an order of bytes");
    let sections = header.sections(endian, object).expect("sections");
    let symbols = sections.symbols(endian, object, elf::SHT_SYMTAB).expect("symbols");
    let mut text = String::new();
    for section in sections.iter() {
        let Some((all, _)) = section.rela(endian, object).expect("relocations") else { continue };
        for one in all {
            let symbol = SymbolIndex(one.r_sym(endian) as usize);
            let symbol = symbols.symbol(symbol).expect("a symbol");
            let name = symbols.symbol_name(endian, symbol).expect("a name");
            let (offset, number) = (one.r_offset.get(endian), one.r_type(endian).0);
            let addend = one.r_addend.get(endian);
            text += &format!("{offset} {number} {} {addend}\n", String::from_utf8_lossy(name));
        }
    }
    text
}

/// The object that isadl makes of a file.
fn own_object(source: &Path) -> Vec<u8> {
    let loaded = msp430();
    let engine = loaded.engine();
    let mut sources = SourceMap::new();
    let bytes = std::fs::read(source).expect("the fixture is readable");
    let file = sources.add("relocations.s".to_string(), bytes);
    let options = &Options::default();
    let (object, diagnostics) = assemble(&engine, &mut sources, &[file], options, Purpose::Linker);
    let messages: Vec<_> = diagnostics.iter().map(|one| &one.message).collect();
    let object = object.unwrap_or_else(|| panic!("{messages:?}"));
    isadl_asm::output::elf(&object, engine.isa(), engine.extensions()).expect("an ELF file")
}

/// The code that ld.lld makes of an object file; `None` if it is not installed.
fn linked(object: &[u8], name: &str) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = |end: &str| folder.join(format!("msp430-{name}.{end}")).display().to_string();
    let (object_path, linked) = (path("o"), path("out"));
    std::fs::write(&object_path, object).expect("the folder is writable");
    let places = ["-Ttext=0x4400", "--defsym=far=0x1230", "--defsym=near=0x4420"];
    let output = std::process::Command::new("ld.lld-19")
        .args([object_path.as_str(), "-o", linked.as_str(), "--image-base=0"])
        .args(places)
        .output()
        .ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(linked).expect("it was made");
    let file = object::read::elf::ElfFile::<FileHeader32<Endianness>>::parse(&*bytes);
    let file = file.expect("an ELF file");
    let code = file.section_by_name(".text").expect("code");
    Some(code.data().expect("bytes").to_vec())
}

#[test]
fn linked_code_is_what_llvm_has() {
    let source = root().join(FOLDER).join("relocations.s");
    let (Some(llvm), Some(own)) = (Llvm::find(), linked(&own_object(&source), "own")) else {
        return eprintln!("skipped: llvm-mc 19 or ld.lld 19 is not installed");
    };
    let text = std::fs::read_to_string(&source).expect("the fixture is readable");
    let theirs = linked(&llvm.object(&ARGUMENTS, text), "llvm");
    assert_eq!(Some(own), theirs);
}

#[test]
fn relocations_are_where_llvm_has_them() {
    let source = root().join(FOLDER).join("relocations.s");
    let recorded = root().join(FOLDER).join("relocations.llvm");
    if let Some(llvm) = Llvm::find() {
        let text = std::fs::read_to_string(&source).expect("the fixture is readable");
        let theirs = summary(&llvm.object(&ARGUMENTS, text));
        if bless() {
            golden(&recorded, &theirs);
        }
        assert_eq!(summary(&own_object(&source)), theirs);
    }
    let recorded = std::fs::read_to_string(recorded).expect("the fixture is readable");
    assert_eq!(summary(&own_object(&source)), recorded);
}

/// Two fields with relocations of one number are told apart by where they are.
#[test]
fn two_fields_of_one_relocation_have_their_own_values() {
    let loaded = Loaded::new(family("tests/fixtures/relocations/twice").into_first());
    let engine = loaded.engine();
    let blank = engine.assemble("copy 0, 0").expect("an instruction");
    let known: Vec<_> = engine.relocations(blank).map(|one| (one.number, one.offset)).collect();
    assert_eq!(known, [(6, 1), (6, 2)]);
    // From byte 1 of an instruction at 100 it is 9 to 110, from byte 2 it is 8.
    let word = |offset| engine.relocate(blank, 6, offset, 110, 100).map(|inst| inst.word);
    assert_eq!([word(1), word(2)], [Ok(0x00_09_01), Ok(0x08_00_01)]);
    assert_eq!(word(0), Err(RelocateError::Unknown));
    let mut sources = SourceMap::new();
    let text = "a: copy a, b\nb: copy b, a\ncopy 1, 2\n";
    let file = sources.add("twice.s".to_string(), text.as_bytes().to_vec());
    let options = &Options::default();
    let (object, _) = assemble(&engine, &mut sources, &[file], options, Purpose::Address(0));
    let object = object.expect("no errors");
    // The address of each field, and the distance to its target.
    assert_eq!(object.sections[0].bytes, [1, 0xff, 1, 1, 0xff, 0xfb, 1, 1, 2]);
}

/// The words after the first one, which belong to some instructions.
const FURTHER: [u8; 4] = [0x34, 0x12, 0x78, 0x56];

/// The bytes and texts of all first words that are instructions; the same texts are read as the same bytes.
fn instructions() -> Vec<(Vec<u8>, String)> {
    let loaded = msp430();
    let engine = loaded.engine();
    let all = (0..=u16::MAX).filter_map(|first| {
        let bytes = [&first.to_le_bytes()[..], &FURTHER].concat();
        let (inst, length) = engine.decode_bytes(&bytes).ok()?;
        let text = engine.text(inst);
        let read = engine.assemble(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(engine.bytes(read)[..length], bytes[..length], "{text}");
        Some((bytes[..length].to_vec(), text))
    });
    all.collect()
}

/// Whether llvm-mc 19 refuses to assemble an instruction that it disassembles: `push` of memory or a byte, and `mov`
/// from memory with increment to memory.
fn is_refused(text: &str) -> bool {
    let is_memory = |operand: &str| !operand.starts_with(['r', '#']);
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    match mnemonic {
        "push" => is_memory(operands),
        "push.b" => !operands.starts_with('r'),
        "mov" | "mov.b" => operands.split_once("+, ").is_some_and(|(_, to)| is_memory(to)),
        _ => false,
    }
}

/// Whether it is a call of a constant, which llvm-mc writes into a word of its own.
fn is_call_of_constant(text: &str) -> bool {
    text.strip_prefix("call #").is_some_and(|constant| constant.len() < 3)
}

#[test]
fn every_first_word_is_what_llvm_makes() {
    let all = instructions();
    assert_eq!(all.len(), 57_102);
    let Some(llvm) = Llvm::find() else {
        eprintln!("skipped: llvm-mc 19 is not installed");
        return;
    };
    let is_jump = |text: &str| text.starts_with('j');
    let (jumps, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, text)| is_jump(text));
    let words: Vec<Vec<u8>> = jumps.iter().map(|(bytes, _)| bytes.clone()).collect();
    let texts = llvm.disassemble_each(&ARGUMENTS, &words);
    assert_eq!(texts.len(), 8 << 10);
    for ((_, text), theirs) in jumps.iter().zip(texts) {
        assert_eq!(*text, theirs.replace("$+", "").replace('$', ""));
    }
    let is_read = |(_, text): &(Vec<u8>, String)| !is_refused(text) && !is_call_of_constant(text);
    let others: Vec<_> = others.into_iter().filter(is_read).collect();
    assert_eq!(others.len(), 48_399);
    let lines: String = others.iter().map(|(_, text)| text.clone() + "\n").collect();
    let object = llvm.object(&ARGUMENTS, lines);
    let object = object::read::elf::ElfFile::<FileHeader32<Endianness>>::parse(&*object)
        .expect("an object file");
    let code = object.section_by_name(".text").and_then(|text| text.data().ok()).expect("code");
    let mut rest = code;
    for (bytes, text) in &others {
        let (theirs, after) = rest.split_at(bytes.len().min(rest.len()));
        assert_eq!(bytes, theirs, "{text}");
        rest = after;
    }
    assert!(rest.is_empty());
}
