//! `spec/riscv` compared with llvm-mc 19 on the same words and texts.
//!
//! `tests/fixtures/riscv/llvm.tsv` is recorded (its first line is the command); all other words are
//! compared with llvm-mc if it is installed, and skipped otherwise.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use isadl::engine::{Inst, TextOptions};
use isadl_test_support::llvm::Llvm;
use isadl_test_support::llvm_riscv::{
    self, ASSEMBLED, DIFFERENCES, Extensions, MOST, SMALL, Style, arguments,
};
use isadl_test_support::{Random, Set, Sets};

/// Both generations with a set of extensions, compared with llvm-mc with the same.
struct Compared {
    extensions: Extensions,
    family: &'static Sets,
}

static COMPARED: LazyLock<[Compared; 2]> = LazyLock::new(|| {
    [MOST, SMALL].map(|extensions| Compared {
        family: isadl_test_support::riscv_with(extensions.names),
        extensions,
    })
});

const GENERATIONS: [&str; 2] = ["RV32", "RV64"];

/// Each generation with each set of extensions.
fn targets() -> impl Iterator<Item = (&'static str, &'static Extensions, &'static Set)> {
    COMPARED.iter().flat_map(|compared| {
        GENERATIONS.map(|generation| (generation, &compared.extensions, compared.isa(generation)))
    })
}

impl Compared {
    fn isa(&self, generation: &str) -> &Set {
        let found = self.family.generation(generation);
        found.unwrap_or_else(|| panic!("no generation {generation}"))
    }
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
        Style::Numeric => {
            let names = isa.find_name_set("numeric").expect("RISC-V has this set") as u32;
            let mut text = Vec::new();
            let style = TextOptions { names, ..TextOptions::default() };
            isa.engine().append_text_with(inst, style, &mut text);
            String::from_utf8(text).expect("texts are UTF-8")
        }
    }
}

/// Words of 32 bits: arbitrary words, and legal words with up to three inverted bits. In many of them, registers are
/// equal or zero, as aliases require.
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

/// This project's result for a word.
fn decoded(isa: &Set, word: u32) -> Option<Inst> {
    let bytes = word.to_le_bytes();
    let length = llvm_riscv::length(word).expect("a word of 16 or 32 bits");
    isa.engine().decode_bytes(&bytes[..length]).ok().map(|(inst, taken)| {
        assert_eq!(taken, length, "{word:08x}");
        inst
    })
}

/// Compares texts of words; returns how many are legal.
fn compare(isa: &Set, style: Style, words: &[u32], theirs: &[Option<String>]) -> usize {
    let generation: String = isa.generation_names(isa.describes()).collect();
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
    for (generation, extensions, isa) in targets() {
        for style in [Style::Plain, Style::Aliases, Style::Numeric] {
            let theirs = llvm.disassemble_riscv(generation, extensions.llvm, style, &words);
            assert!(compare(isa, style, &words, &theirs) > 25_000);
        }
    }
}

#[test]
fn random_words_agree_with_llvm() {
    let Some(llvm) = llvm() else { return };
    let count = isadl_test_support::count("ISADL_WORDS", 20_000).min(2_000_000);
    for (generation, extensions, isa) in targets() {
        for style in [Style::Plain, Style::Aliases, Style::Numeric] {
            let words = random_words(isa, 0x5c1 + count as u64, count);
            let theirs = llvm.disassemble_riscv(generation, extensions.llvm, style, &words);
            let legal = compare(isa, style, &words, &theirs);
            assert!(legal * 3 > words.len(), "too few of the words are legal");
        }
    }
}

/// The words that long instructions begin with are not instructions.
#[test]
fn longer_words_are_illegal() {
    for (_, _, isa) in targets() {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            let word = random.next_u64() as u32 | 0x1f;
            assert!(isa.engine().decode(word.into()).is_err(), "{word:08x}");
        }
    }
}

/// The encoding that a text names: the instruction's own, or its long encoding, whose text it then has.
fn named(isa: &Set, style: Style, inst: Inst) -> Inst {
    match style {
        Style::Plain => inst,
        Style::Aliases | Style::Numeric => isa.engine().long(inst).unwrap_or(inst),
    }
}

/// The assembler's result for the text of an instruction: the named instruction in its shortest encoding, unless a rule
/// refuses it.
fn expected(isa: &Set, style: Style, inst: Inst) -> Option<Inst> {
    let named = named(isa, style, inst);
    isa.engine().advice(named).is_none().then(|| isa.engine().shortest(named))
}

/// A text assembles to its instruction, in the encoding that it names and in the shortest encoding.
#[test]
fn texts_assemble_to_their_words() {
    let count = isadl_test_support::count("ISADL_WORDS", 20_000).min(200_000);
    for (generation, _, isa) in targets() {
        let engine = isa.engine();
        let long = random_words(isa, 0x7e7 + count as u64, count);
        let words = short_words().into_iter().chain(long);
        let made: Vec<Inst> = words.filter_map(|word| decoded(isa, word)).collect();
        for style in [Style::Plain, Style::Aliases, Style::Numeric] {
            let mut wrong = Vec::new();
            for inst in &made {
                let text = text(isa, style, *inst);
                let found = (
                    engine.assemble_with(&text, TextOptions::PLAIN).ok(),
                    isa.assemble(&text).ok(),
                );
                let named = named(isa, style, *inst);
                let is_made = engine.advice(named).is_none();
                let shortest = expected(isa, style, *inst);
                if found != (is_made.then_some(named), shortest) {
                    wrong.push(format!("{generation} {:08x}: {text}: {found:?}", inst.word));
                }
                // The text of a word assembles to the word, or to another word with the same long encoding.
                let Some(shortest) = shortest.filter(|_| engine.advice(*inst).is_none()) else {
                    continue;
                };
                let width = |inst: Inst| isa.opcode(inst.opcode).width;
                let is_same = engine.long(shortest) == engine.long(*inst) || shortest == *inst;
                let is_shorter = engine.long(shortest) == Some(*inst);
                if !(is_same && width(shortest) == width(*inst) || is_shorter) {
                    wrong.push(format!("{generation} {:08x}: {text}: {shortest:?}", inst.word));
                }
            }
            println!("{generation}: {} texts, {} differ", made.len(), wrong.len());
            assert!(
                wrong.is_empty(),
                "{}:\n{}",
                wrong.len(),
                wrong[..wrong.len().min(40)].join("\n")
            );
        }
    }
}

/// llvm-mc makes the same of these texts, or refuses them, too. Without instructions of 16 bits it makes the encoding
/// that a text names.
#[test]
fn texts_mean_the_same_to_llvm() {
    let Some(llvm) = llvm() else { return };
    let count = isadl_test_support::count("ISADL_WORDS", 20_000).min(200_000);
    for (generation, extensions, isa) in targets() {
        let long = random_words(isa, 0x7e7 + count as u64, count);
        let cases = [
            (short_words(), extensions.llvm, Style::Plain),
            (short_words(), extensions.llvm, Style::Aliases),
            (long.clone(), extensions.llvm, Style::Aliases),
            (long.clone(), extensions.long, Style::Plain),
            (long, extensions.long, Style::Aliases),
        ];
        for (words, names, style) in cases {
            let made: Vec<Inst> = words.iter().filter_map(|word| decoded(isa, *word)).collect();
            let texts: Vec<String> = made.iter().map(|inst| text(isa, style, *inst)).collect();
            let bytes = |inst: Inst| inst.word.to_le_bytes()[..isa.length(inst.word)].to_vec();
            let theirs = llvm.assemble_riscv(generation, names, &texts);
            let (mut wrong, mut known) = (Vec::new(), BTreeMap::<&str, usize>::new());
            for ((inst, text), theirs) in made.iter().zip(&texts).zip(theirs) {
                let ours = match names == extensions.long {
                    true => Some(*inst).filter(|inst| isa.engine().advice(*inst).is_none()),
                    false => expected(isa, style, *inst),
                };
                let ours = ours.map(bytes);
                let theirs = theirs.ok();
                if ours == theirs {
                    continue;
                }
                let difference = ASSEMBLED.iter().find(|difference| {
                    (difference.explains)(text, ours.as_deref(), theirs.as_deref())
                });
                match difference {
                    Some(difference) => *known.entry(difference.name).or_default() += 1,
                    None => {
                        wrong.push(format!("{generation} {text}: {ours:02x?}, llvm: {theirs:02x?}"))
                    }
                }
            }
            println!("{generation}: {} texts, {} differ {known:?}", texts.len(), wrong.len());
            assert!(
                wrong.is_empty(),
                "{}:\n{}",
                wrong.len(),
                wrong[..wrong.len().min(40)].join("\n")
            );
        }
    }
}

/// The recorded words, two for each opcode: a legal word, and a word with an inverted bit.
#[test]
fn recorded_words_agree() {
    let path = isadl_test_support::root().join("tests/fixtures/riscv/llvm.tsv");
    if isadl_test_support::bless() {
        let llvm = llvm().expect("llvm-mc 19 records the words");
        let command = arguments("RV64", MOST.llvm, Style::Plain, "--disassemble").join(" ");
        let mut text = format!("# Made by llvm-mc-19 {command}, and riscv32 for RV32.\n");
        for generation in GENERATIONS {
            let isa = COMPARED[0].isa(generation);
            let mut random = Random::new(0x4ec);
            let mut words = Vec::new();
            for opcode in isa.opcodes() {
                let word = random.next_u64() as u32 & !(opcode.mask as u32) | opcode.value as u32;
                let word = if opcode.width == 16 { word & 0xffff } else { word };
                words.extend([word, word ^ 1 << (2 + random.below(u64::from(opcode.width) - 2))]);
            }
            words.retain(|word| llvm_riscv::length(*word).is_some());
            for (word, theirs) in words.iter().zip(llvm.disassemble_riscv(
                generation,
                MOST.llvm,
                Style::Plain,
                &words,
            )) {
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
        compare(COMPARED[0].isa(generation), Style::Plain, &words, &theirs);
    }
}
