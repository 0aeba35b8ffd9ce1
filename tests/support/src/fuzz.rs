//! The bodies of the fuzz targets: any bytes through the whole front end, and any lines through
//! the assembler.

use std::sync::LazyLock;

use isadl::diagnostic::{Diagnostics, Old};
use isadl::engine::{DecodeError, EncodeError, Loaded};
use isadl::format::Formatter;
use isadl::render::{Colour, Style, render};
use isadl::source::SourceMap;
use isadl::visible::visible;
use isadl::{dump, parse, resolve};

use isadl_asm::disasm::{Addresses, Code, Line};
use isadl_asm::{Options, Purpose, output};

use crate::{Random, Set, Sets, family, prelude, root, simt};

/// Words decoded for each opcode.
const WORDS: usize = 4;

/// The number of diagnostics rendered per input: rendering takes longer than finding them.
const RENDERED: usize = 100;

/// Compiles the bytes, alone and after the prelude; renders the findings, dumps every stage and
/// decodes some words. None of this may panic.
pub fn front_end(bytes: &[u8]) {
    static PRELUDE: LazyLock<String> = LazyLock::new(prelude);
    let mut alone = SourceMap::new();
    alone.add("input.isa", bytes.to_vec());
    run(&alone);
    layout(&alone);
    let mut behind = SourceMap::new();
    behind.add("prelude.isa", PRELUDE.clone().into_bytes());
    behind.add("input.isa", bytes.to_vec());
    run(&behind);
    dump_early(&behind);
}

/// The layout of a text changes white space only, and only once.
fn layout(sources: &SourceMap) {
    let format = |sources: &SourceMap| {
        let id = sources.specification().next()?;
        Formatter::new(sources).file(sources, id).ok()
    };
    let Some(made) = format(sources) else { return };
    let text = sources.file(sources.specification().next().expect("a file")).text();
    let without = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(without(&made), without(text));
    let mut again = SourceMap::new();
    again.add("input.isa", made.clone().into_bytes());
    assert_eq!(format(&again), Some(made));
}

fn run(sources: &SourceMap) {
    let compilation = isadl::compile(sources);
    assert_eq!(compilation.family.is_none(), compilation.diagnostics.has_errors());
    for diagnostic in compilation.diagnostics.iter().take(RENDERED) {
        for style in [Style::Full, Style::Short] {
            let text = render(diagnostic, sources, style, Colour::None);
            assert!(text.contains(diagnostic.code.as_str()), "a report without its code: {text}");
            assert_eq!(text, visible(&text), "a terminal would act on the report");
        }
        for fix in diagnostic.helps.iter().filter_map(|help| help.fix.as_ref()) {
            let Some(place) = isadl::fix::place(diagnostic, fix, sources) else { continue };
            let text = sources.text(place);
            assert!(!matches!(&fix.old, Old::Text(old) if old != text), "{text}");
        }
    }
    let _ = isadl::fix::fixed(sources, &compilation.diagnostics);
    let sets = compilation.family.map(Sets::from);
    for isa in sets.iter().flat_map(Sets::isas) {
        let _ = dump::isa(isa);
        decode(isa);
    }
}

/// The dumps of the stages that exist in spite of errors.
fn dump_early(sources: &SourceMap) {
    let mut diagnostics = Diagnostics::default();
    let files = parse::parse(sources, &mut diagnostics);
    let _ = dump::ast(sources, &files);
    let _ = dump::model(&resolve::resolve(sources, &files, &mut diagnostics));
}

/// RISC-V of 64 bits.
static RISCV: LazyLock<Loaded> = LazyLock::new(|| {
    Loaded::new(family("spec/riscv").generation("RV64").expect("a generation").clone())
});

/// Disassembles the bytes as an ELF file of RISC-V, and as code alone. None of this may panic; the lines of a section have its
/// bytes, one after another.
pub fn object_file(bytes: &[u8]) {
    let engine = RISCV.engine();
    let elf = Code::elf(bytes, engine.isa()).ok();
    for code in elf.into_iter().chain([Code::raw(bytes, u64::MAX - 8)]) {
        for (index, section) in code.sections.iter().enumerate() {
            let mut covered = 0;
            for line in code.lines(&engine, index, Addresses::default(), true) {
                let (address, own) = match line {
                    Line::Inst(address, own, inst) => {
                        assert_eq!(own.len(), engine.bytes_of(inst));
                        (address, own)
                    }
                    Line::Data(address, own) | Line::Unknown(address, own) => (address, own),
                    Line::Label(..) | Line::Reloc(..) => continue,
                };
                assert_eq!(address, section.address.wrapping_add(covered as u64));
                assert_eq!(own, &section.bytes[covered..covered + own.len()]);
                covered += own.len();
                let _ = code.name_of(index, address.wrapping_add(4));
                let _ = code.is_open(index, address, own.len());
            }
            assert_eq!(covered, section.bytes.len());
        }
    }
}

/// Assembles the bytes as a file of RISC-V, and writes what comes out. None of this may panic.
pub fn assembly_file(bytes: &[u8]) {
    static MACROS: LazyLock<Vec<u8>> = LazyLock::new(|| {
        std::fs::read(root().join("spec/riscv/macros.s")).expect("the macros are readable")
    });
    let engine = RISCV.engine();
    for purpose in [Purpose::Linker, Purpose::Address(0x1_0000)] {
        let mut sources = SourceMap::new();
        let ids = [("macros.s", MACROS.as_slice()), ("input.s", bytes)]
            .map(|(name, bytes)| sources.add(name, bytes.to_vec()));
        let options = Options { listing: true, ..Options::default() };
        let result = isadl_asm::assemble(&engine, &mut sources, &ids, &options, purpose);
        let (object, diagnostics) = result;
        assert_eq!(object.is_none(), diagnostics.has_errors());
        for diagnostic in diagnostics.iter().take(RENDERED) {
            let text = render(diagnostic, &sources, Style::Full, Colour::None);
            assert_eq!(text, visible(&text), "a terminal would act on the report");
        }
        let Some(object) = object else { continue };
        let _ = output::elf(&object, engine.isa(), engine.extensions()).expect("an ELF file");
        let _ = output::intel_hex(&object);
        let _ = output::listing(&object, &sources);
    }
}

/// Words of each opcode with random bits where they are not fixed, and random words.
fn decode(isa: &Set) {
    let mut random = Random::new(1);
    for opcode in isa.opcodes() {
        for _ in 0..WORDS {
            let noise = random.next_u128() & random.next_u128();
            check_word(isa, opcode.value | noise & !opcode.mask);
            check_word(isa, noise);
        }
    }
}

/// A decoded word must encode to the same word again, as far as fields cover it.
fn check_word(isa: &Set, word: u128) {
    let decoded = isa.engine().decode(word);
    // The oracle has every opcode, whatever the extensions.
    if matches!(decoded, Err(DecodeError::Absent { .. })) {
        return;
    }
    assert_eq!(decoded, isa.decode(word), "word {word:#x}");
    let Ok(inst) = decoded else { return };
    let opcode = isa.opcode(inst.opcode);
    let values: Vec<_> =
        opcode.fields.iter().map(|field| (field.name, field.extract(word))).collect();
    // A word that assemblers refuse is decoded all the same.
    let encoded = match isa.advice(inst) {
        Some(rule) => Err(EncodeError::Rule(rule)),
        None => Ok(inst),
    };
    assert_eq!(isa.encode(inst.opcode, &values), encoded, "word {word:#x}");
    assert_eq!(inst.word, word & (opcode.significant | opcode.mask));
    let _ = isa.assemble(&isa.text(inst));
}

/// Assembles each line of the bytes for SIMT. A line that assembles is printed as a text that gives
/// the same word and the same text again; any other gives a one-line error with a valid column.
pub fn assembler(bytes: &[u8]) {
    for line in String::from_utf8_lossy(bytes).split('\n') {
        check_line(simt(), line);
    }
}

fn check_line(isa: &Set, line: &str) {
    match isa.assemble(line) {
        Ok(inst) => {
            assert_eq!(isa.decode(inst.word), Ok(inst), "`{line}`");
            let text = isa.text(inst);
            assert_eq!(isa.assemble(&text), Ok(inst), "`{line}` is `{text}`");
            let mut bytes = Vec::new();
            isa.engine().append_hex(inst, &mut bytes);
            assert_eq!(isa.engine().read_hex(&bytes), Ok(inst.word), "`{line}`");
        }
        Err(error) => {
            let columns = 1..=line.chars().count() + 1;
            assert!(columns.contains(&error.column), "`{line}`: {error}");
            let text = error.to_string();
            assert!(!text.chars().any(char::is_control), "{line:?}: {text:?}");
        }
    }
}
