//! `spec/riscv` compared with llvm-mc 19 on the same words and texts.
//!
//! `tests/fixtures/riscv/llvm.tsv` is recorded (its first line is the command); all other words are
//! compared with llvm-mc if it is installed, and skipped otherwise.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use isadl::engine::Inst;
use isadl_tests::llvm::Llvm;
use isadl_tests::llvm_riscv::{self, DIFFERENCES, EXTENSIONS, Style, WITHOUT_C, arguments};
use isadl_tests::{Random, Set, Sets};

static FAMILY: LazyLock<Sets> = LazyLock::new(isadl_tests::riscv);

const GENERATIONS: [&str; 2] = ["RV32", "RV64"];

fn isa(generation: &str) -> &'static Set {
    FAMILY.generation(generation).unwrap_or_else(|| panic!("no generation {generation}"))
}

fn llvm() -> Option<Llvm> {
    let llvm = Llvm::find();
    if llvm.is_none() {
        eprintln!("skipped: llvm-mc 19 is not installed");
    }
    llvm
}

/// The text of an instruction.
fn text(isa: &Set, style: Style, inst: Inst) -> String {
    match style {
        Style::Plain => isa.engine().plain_text(inst),
        Style::Aliases => isa.engine().text(inst),
    }
}

/// Words of 32 bits: of any kind, and legal ones with up to three bits inverted. In many of them
/// registers are equal or zero, as aliases want it.
fn random_words(isa: &Set, seed: u64, count: usize) -> Vec<u32> {
    let mut random = Random::new(seed);
    let opcodes: Vec<_> = isa.opcodes().iter().filter(|opcode| opcode.width == 32).collect();
    let mut word = |index: usize| {
        let mut bits = random.next_u64() as u32;
        match random.below(8) {
            0 => bits &= random.next_u64() as u32,
            1 => bits = bits & !(0x1f << 15) | (bits >> 20 & 0x1f) << 15,
            2 => bits = bits & !(0x1f << 7) | (bits >> 15 & 0x1f) << 7,
            3 => bits &= !(0x1f << [7, 15, 20][random.below(3) as usize]),
            _ => {}
        }
        if index.is_multiple_of(4) {
            return bits | 3;
        }
        let opcode = opcodes[random.below(opcodes.len() as u64) as usize];
        let mut word = bits & !(opcode.mask as u32) | opcode.value as u32;
        for _ in 0..random.below(4) {
            word ^= 1 << random.below(32);
        }
        word
    };
    let is_4_bytes = |word: &u32| llvm_riscv::length(*word) == Some(4);
    (0..).map(&mut word).filter(is_4_bytes).take(count).collect()
}

/// All words of 16 bits.
fn short_words() -> Vec<u32> {
    (0..0x1_0000).filter(|word| llvm_riscv::length(*word) == Some(2)).collect()
}

/// What this project says of a word.
fn decoded(isa: &Set, word: u32) -> Option<Inst> {
    let bytes = word.to_le_bytes();
    let length = llvm_riscv::length(word).expect("a word of 16 or 32 bits");
    isa.engine().decode_bytes(&bytes[..length]).ok().map(|(inst, taken)| {
        assert_eq!(taken, length, "{word:08x}");
        inst
    })
}

/// Compares texts of words; returns how many are legal.
fn compare(generation: &str, style: Style, words: &[u32], theirs: &[Option<String>]) -> usize {
    let isa = isa(generation);
    let mut wrong = Vec::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut legal = 0;
    for (word, theirs) in words.iter().zip(theirs) {
        let ours = decoded(isa, *word).map(|inst| text(isa, style, inst));
        legal += usize::from(ours.is_some());
        if ours == *theirs {
            continue;
        }
        let difference = DIFFERENCES
            .iter()
            .find(|difference| (difference.explains)(*word, ours.as_deref(), theirs.as_deref()));
        match difference {
            Some(difference) => *known.entry(difference.name).or_default() += 1,
            None => wrong.push(format!("{generation} {word:08x}: {ours:?}, llvm: {theirs:?}")),
        }
    }
    println!("{generation}: {} words, {legal} legal, {} differ", words.len(), wrong.len());
    for (name, count) in known {
        println!("  {count} {name}");
    }
    let count = wrong.len();
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{count}:\n{}", wrong.join("\n"));
    legal
}

#[test]
fn short_words_agree_with_llvm() {
    let Some(llvm) = llvm() else { return };
    let words = short_words();
    for generation in GENERATIONS {
        let theirs = llvm.disassemble_riscv(generation, Style::Plain, &words);
        assert!(compare(generation, Style::Plain, &words, &theirs) > 40_000);
    }
}

#[test]
fn random_words_agree_with_llvm() {
    let Some(llvm) = llvm() else { return };
    let count = isadl_tests::count("ISADL_WORDS", 20_000).min(2_000_000);
    for generation in GENERATIONS {
        for style in [Style::Plain, Style::Aliases] {
            let words = random_words(isa(generation), 0x5c1 + count as u64, count);
            let theirs = llvm.disassemble_riscv(generation, style, &words);
            let legal = compare(generation, style, &words, &theirs);
            assert!(legal * 3 > words.len(), "too few of the words are legal");
        }
    }
}

/// The words that long instructions begin with are not instructions.
#[test]
fn longer_words_are_illegal() {
    for generation in GENERATIONS {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            let word = random.next_u64() as u32 | 0x1f;
            assert!(isa(generation).engine().decode(word.into()).is_err(), "{word:08x}");
        }
    }
}

/// A text assembles to its word, here and in llvm-mc, or is refused by both.
#[test]
fn texts_assemble_to_their_words() {
    let llvm = llvm();
    let count = isadl_tests::count("ISADL_WORDS", 20_000).min(200_000);
    for generation in GENERATIONS {
        let isa = isa(generation);
        let long = random_words(isa, 0x7e7 + count as u64, count);
        let cases = [
            (short_words(), EXTENSIONS, Style::Plain),
            (long.clone(), WITHOUT_C, Style::Plain),
            (long, WITHOUT_C, Style::Aliases),
        ];
        for (words, extensions, style) in cases {
            let made: Vec<Inst> = words.iter().filter_map(|word| decoded(isa, *word)).collect();
            let texts: Vec<String> = made.iter().map(|inst| text(isa, style, *inst)).collect();
            let bytes = |inst: &Inst| inst.word.to_le_bytes()[..isa.length(inst.word)].to_vec();
            let theirs =
                llvm.as_ref().map(|llvm| llvm.assemble_riscv(generation, extensions, &texts));
            let mut wrong = Vec::new();
            for (index, (inst, text)) in made.iter().zip(&texts).enumerate() {
                let is_refused = isa.engine().advice(*inst).is_some();
                let expected = (!is_refused).then_some(*inst);
                let own = isa.assemble(text);
                if own.clone().ok() != expected {
                    wrong.push(format!("{generation} {:08x}: {text}: {own:?}", inst.word));
                }
                let Some(theirs) = theirs.as_ref().map(|theirs| &theirs[index]) else { continue };
                if theirs.clone().ok() != expected.as_ref().map(bytes) {
                    wrong.push(format!(
                        "{generation} {:08x}: {text}: llvm: {theirs:02x?}",
                        inst.word
                    ));
                }
            }
            println!("{generation}: {} texts, {} differ", texts.len(), wrong.len());
            let count = wrong.len();
            wrong.truncate(40);
            assert!(wrong.is_empty(), "{count}:\n{}", wrong.join("\n"));
        }
    }
}

/// The recorded words, two for each opcode: a legal one, and one with a bit inverted.
#[test]
fn recorded_words_agree() {
    let path = isadl_tests::root().join("tests/fixtures/riscv/llvm.tsv");
    if isadl_tests::bless() {
        let llvm = llvm().expect("llvm-mc 19 records the words");
        let command = arguments("RV64", EXTENSIONS, Style::Plain, "--disassemble").join(" ");
        let mut text = format!("# Made by llvm-mc-19 {command}, and riscv32 for RV32.\n");
        for generation in GENERATIONS {
            let isa = isa(generation);
            let mut random = Random::new(0x4ec);
            let mut words = Vec::new();
            for opcode in isa.opcodes() {
                let word = random.next_u64() as u32 & !(opcode.mask as u32) | opcode.value as u32;
                let word = if opcode.width == 16 { word & 0xffff } else { word };
                words.extend([word, word ^ 1 << (2 + random.below(u64::from(opcode.width) - 2))]);
            }
            words.retain(|word| llvm_riscv::length(*word).is_some());
            for (word, theirs) in
                words.iter().zip(llvm.disassemble_riscv(generation, Style::Plain, &words))
            {
                let theirs = theirs.as_deref().unwrap_or("-");
                text += &format!("{generation}\t{word:08x}\t{theirs}\n");
            }
        }
        std::fs::write(&path, text).expect("writable");
    }
    let text = std::fs::read_to_string(&path).expect("the vectors are committed");
    for generation in GENERATIONS {
        let rows = text.lines().filter(|line| line.starts_with(generation));
        let (words, theirs): (Vec<u32>, Vec<Option<String>>) = rows
            .map(|row| {
                let columns: Vec<&str> = row.split('\t').collect();
                let [_, word, text] = columns[..] else { panic!("{row}") };
                let word = u32::from_str_radix(word, 16).expect("a word");
                (word, (text != "-").then(|| text.to_string()))
            })
            .unzip();
        assert!(words.len() > 1500, "{} words", words.len());
        compare(generation, Style::Plain, &words, &theirs);
    }
}
