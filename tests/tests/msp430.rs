//! MSP430, whose instructions are one to three words with an operand in each: the relocations of operands in later words
//! are those of llvm-mc 19, and the linked code is that of ld.lld 19.
//!
//! What llvm-mc makes is recorded next to the specification; `BLESS=1` records it again where it is installed.

use std::path::Path;

use isadl::engine::Loaded;
use isadl::source::SourceMap;
use isadl_asm::{Options, Purpose, assemble};
use isadl_tests::llvm::Llvm;
use isadl_tests::{bless, family, golden, root};
use object::elf::{self, FileHeader32};
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{Endianness, Object as _, ObjectSection as _, SymbolIndex};

const FOLDER: &str = "tests/fixtures/machines/msp430";

const ARGUMENTS: [&str; 1] = ["--triple=msp430"];

fn msp430() -> Loaded {
    Loaded::new(family(FOLDER).into_first())
}

/// The relocations of an object file: offset, number, symbol and addend of each. What is in the bytes that linkers
/// write there is of no account.
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
    let options = (&Options::default(), Purpose::Linker);
    let (object, diagnostics) = assemble(&engine, &mut sources, &[file], options);
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
