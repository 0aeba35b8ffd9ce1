//! `spec/rdna3` against llvm-mc 19: length and text of words, and the bytes of texts.

use std::collections::BTreeMap;

use isadl::engine::{Engine, Inst, Loaded};
use isadl_test_support::llvm::{Disassembled, Llvm};
use isadl_test_support::{Random, count, family, golden, root};

/// The processor with waves of 32 and 64 lanes, in the order of the generations.
const TARGETS: [[&str; 2]; 2] = [
    ["--mcpu=gfx1100", "--mattr=+wavefrontsize32,-wavefrontsize64"],
    ["--mcpu=gfx1100", "--mattr=+wavefrontsize64,-wavefrontsize32"],
];

/// The first bits of the encodings of more than one dword.
const ENCODINGS: [u128; 8] = [0x3d, 0x37, 0x36, 0x38, 0x35, 0x33, 0x3c, 0x32];

/// Words that begin as instructions of the described encodings do, and words near the opcodes of the specification.
fn words(engine: &Engine<'_>, uniform: usize, near: usize) -> Vec<u128> {
    let mut random = Random::new(21);
    let mut any =
        || (u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())) & LONGEST;
    let mut words: Vec<u128> = Vec::new();
    for at in 0..uniform {
        let word = any();
        words.push(match ENCODINGS.get(at % 16) {
            Some(first) => word & !(0x3f << 26) | first << 26,
            None => word,
        });
    }
    for opcode in engine.isa().opcodes() {
        words.extend((0..near).map(|_| any() & !opcode.mask & LONGEST | opcode.value));
    }
    words
}

/// The bits of the longest instructions.
const LONGEST: u128 = (1 << 96) - 1;

/// LLVM's answer as we write it: counts are separated by `&`, which LLVM reads too.
fn as_written(theirs: &Disassembled) -> Disassembled {
    let text = theirs.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_list = text.starts_with("s_waitcnt ") || text.starts_with("s_waitcnt_depctr ");
    let text = if is_list { text.replace(") ", ") & ") } else { text };
    Disassembled { text, length: theirs.length }
}

/// Whether the texts differ in a literal that is a constant, which we write as the constant.
fn is_constant(engine: &Engine<'_>, inst: Inst, theirs: &str) -> bool {
    let opcode = engine.isa().opcode(inst.opcode);
    let read = engine.assemble(theirs).map(|read| engine.text(read));
    opcode.has_literal() && read == Ok(engine.text(inst))
}

/// Whether LLVM takes the next instruction for a literal: there is none in the offset of a buffer, or beside data of other lanes.
fn has_next(word: u128, text: &str) -> bool {
    let is_after = |lsb: u32| word >> lsb & 0x1ff == 0xff;
    let of_others = text.contains("_e64_dpp ") && (is_after(41) || is_after(50));
    text.starts_with("buffer_") && word >> 56 & 0xff == 0xff || of_others
}

/// Numbers that LLVM writes as the bits of a binary16 number where an integer of 16 bits is read.
const HALVES: [(&str, &str); 9] = [
    ("0.5", "0x3800"),
    ("1.0", "0x3c00"),
    ("2.0", "0x4000"),
    ("4.0", "0x4400"),
    ("-0.5", "0xb800"),
    ("-1.0", "0xbc00"),
    ("-2.0", "0xc000"),
    ("-4.0", "0xc400"),
    ("0.15915494", "0x3118"),
];

/// A text without what LLVM writes otherwise: these numbers as their bits, and ignored bits as `sext(v1)`.
fn alike(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let core = word.trim_end_matches(',');
        let core = core.strip_prefix("sext(").map_or(core, |inner| inner.trim_end_matches(')'));
        HALVES.iter().find(|(name, _)| *name == core).map_or(core, |(_, bits)| bits)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether LLVM writes a bit of state, which is no register, as the first destination.
fn is_destination_state(text: &str) -> bool {
    text.split(' ').nth(1).is_some_and(|first| first.starts_with("src_"))
}

/// The bytes of an instruction.
fn bytes(engine: &Engine<'_>, inst: Inst) -> Vec<u8> {
    let width = engine.isa().opcode(inst.opcode).width as usize / 8;
    inst.word.to_le_bytes()[..width].to_vec()
}

/// The mnemonics whose texts LLVM writes otherwise for some words: it names a version's parts, and ignores the upper bits
/// of messages that have an answer. It also reads a literal as the target of `s_swappc_b64`, and writes 32 bits as a constant of
/// 16 bits.
const KNOWN: [&str; 7] = [
    "s_version",
    "s_sendmsg",
    "s_sendmsghalt",
    "s_swappc_b64",
    "ds_swizzle_b32",
    "v_fmaak_f16",
    "v_fmamk_f16",
];

#[derive(Default)]
struct Comparison {
    same: usize,
    /// LLVM says that an operand is not valid.
    refused: usize,
    known: usize,
    others: Vec<String>,
}

impl Comparison {
    fn word(&mut self, engine: &Engine<'_>, word: u128, theirs: Option<&Disassembled>) {
        let inst = engine.decode(word).ok();
        let ours: Option<Disassembled> = inst.map(|inst| {
            let length = engine.isa().opcode(inst.opcode).width as usize / 8;
            Disassembled { text: engine.text(inst), length }
        });
        let theirs = theirs.map(as_written);
        let text = theirs.as_ref().map_or("", |theirs| theirs.text.as_str());
        let mnemonic = text.split(' ').next().unwrap_or_default();
        if ours == theirs {
            self.same += 1;
        } else if text.contains("/*") {
            self.refused += 1;
        } else if KNOWN.contains(&mnemonic)
            || has_next(word, text)
            || ours.as_ref().is_some_and(|ours| alike(&ours.text) == alike(text))
            || ours.is_none() && is_destination_state(text)
            || inst.is_some_and(|inst| is_constant(engine, inst, text))
        {
            self.known += 1;
        } else {
            self.others.push(format!("{word:#x}: {ours:?}, and LLVM: {theirs:?}"));
        }
    }
}

#[test]
fn words_are_decoded_as_llvm_decodes_them() {
    let Some(llvm) = Llvm::find() else { return println!("skipped: no llvm-mc 19") };
    let near = count("ISADL_WORDS", 20);
    let mut seen = Comparison::default();
    for (isa, target) in family("spec/rdna3").isas().iter().zip(TARGETS) {
        let loaded = Loaded::new(isa.clone());
        let engine = loaded.engine();
        for some in words(&engine, near * 1000, near).chunks(20_000) {
            let theirs = llvm.disassemble_long(&target, some, 3);
            for (word, theirs) in some.iter().zip(theirs) {
                seen.word(&engine, *word, theirs.as_ref());
            }
        }
    }
    println!(
        "{} alike, {} apart for known reasons, {} refused",
        seen.same, seen.known, seen.refused
    );
    assert_eq!(seen.others, Vec::<String>::new());
    assert!(seen.known * 500 < seen.same, "{} of {} differ", seen.known, seen.same);
    assert!(seen.refused * 50 < seen.same, "{} of {} are refused", seen.refused, seen.same);
}

/// A few words of each opcode, with LLVM's text.
fn recorded(engine: &Engine<'_>) -> String {
    let words = words(engine, 0, 1);
    let recorded = root().join("tests/fixtures/rdna/rdna3.txt");
    if let Some(llvm) = Llvm::find() {
        let theirs = llvm.disassemble_long(&TARGETS[0], &words, 3);
        let lines = words.iter().zip(theirs).filter_map(|(word, theirs)| {
            let theirs = theirs
                .filter(|theirs| !theirs.text.contains("/*") && !has_next(*word, &theirs.text))?;
            Some(format!("{word:024x} {} {}\n", theirs.length, as_written(&theirs).text))
        });
        let made = "# BLESS=1 cargo test --workspace --test all rdna3::\n".to_string();
        golden(&recorded, &(made + &lines.collect::<String>()));
    }
    std::fs::read_to_string(recorded).expect("it is recorded")
}

#[test]
fn recorded_words_have_the_texts_of_llvm() {
    let loaded = Loaded::new(family("spec/rdna3").into_first());
    let engine = loaded.engine();
    let recorded = recorded(&engine);
    for line in recorded.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().expect("a part");
        let (word, length, text) = (part(), part(), part());
        let word = u128::from_str_radix(word, 16).expect("a word");
        let inst = engine.decode(word).expect(line);
        assert_eq!(bytes(&engine, inst).len(), length.parse::<usize>().expect("bytes"), "{line}");
        if !KNOWN.contains(&text.split(' ').next().unwrap_or_default()) {
            assert_eq!(engine.text(inst), text, "{line}");
        }
    }
}

/// LLVM makes the bytes of our texts that we make of them, or refuses the text as we do.
#[test]
fn texts_are_assembled_to_the_same_bytes() {
    let Some(llvm) = Llvm::find() else { return println!("skipped: no llvm-mc 19") };
    let family = family("spec/rdna3");
    let mut others: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (isa, target) in family.isas().iter().zip(TARGETS) {
        let loaded = Loaded::new(isa.clone());
        texts_of(&loaded.engine(), &llvm, &target, &mut others);
    }
    assert_eq!(others, BTreeMap::new());
}

/// Assembles texts of all opcodes of a generation.
fn texts_of(
    engine: &Engine<'_>,
    llvm: &Llvm,
    target: &[&str],
    others: &mut BTreeMap<String, (usize, String)>,
) {
    let words = words(engine, 0, 10);
    let insts = words.iter().filter_map(|word| engine.decode(*word).ok());
    let texts: Vec<String> = insts.map(|inst| engine.text(inst)).collect();
    let made = llvm.assemble_as(target, &texts);
    for (text, made) in texts.iter().zip(made) {
        // Constants are assembled as constants.
        let ours = engine.assemble(text).map(|inst| bytes(engine, inst));
        if ours.as_ref().ok() != made.as_ref().ok() {
            let mnemonic = text.split(' ').next().unwrap_or_default().to_string();
            others.entry(mnemonic).or_insert((0, format!("{text}: {ours:02x?} {made:02x?}"))).0 +=
                1;
        }
    }
}
