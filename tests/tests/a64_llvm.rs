//! `spec/a64` compared with llvm-mc 19 on the same words and texts.
//!
//! `tests/fixtures/a64/llvm.tsv` is recorded (its first line is the command); all other words are
//! compared with llvm-mc if it is installed, and skipped otherwise.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use isadl::engine::{Inst, Loaded};
use isadl_test_support::llvm::Llvm;
use isadl_test_support::llvm_a64::{ARGUMENTS, ASSEMBLED, DIFFERENCES};
use isadl_test_support::{Random, family};

static A64: LazyLock<Loaded> = LazyLock::new(|| Loaded::new(family("spec/a64").into_first()));

fn llvm() -> Option<Llvm> {
    let llvm = Llvm::find();
    if llvm.is_none() {
        eprintln!("skipped: llvm-mc 19 is not installed");
    }
    llvm
}

/// Words of any kind, and of each opcode, with up to three bits inverted. In many of them registers are equal or 31, as
/// aliases want it.
fn random_words(seed: u64, count: usize) -> Vec<u32> {
    let mut random = Random::new(seed);
    let opcodes = A64.isa().opcodes();
    let mut word = |index: usize| {
        let mut bits = random.next_u64() as u32;
        match random.below(10) {
            0 => bits &= random.next_u64() as u32,
            1 => bits |= random.next_u64() as u32,
            2 => bits |= 0x1f << [0, 5, 10, 16][random.below(4) as usize],
            3 => bits |= 0x1f | 0x1f << 5,
            4 => bits |= 0x1f << 5 | 0x1f << 16,
            5 => bits = bits & !(0x1f << 16) | (bits >> 5 & 0x1f) << 16,
            _ => {}
        }
        if index.is_multiple_of(4) {
            return bits;
        }
        let opcode = &opcodes[random.below(opcodes.len() as u64) as usize];
        let mut word = bits & !(opcode.mask as u32) | opcode.value as u32;
        for _ in 0..random.below(4) {
            word ^= 1 << random.below(32);
        }
        word
    };
    (0..count).map(&mut word).collect()
}

/// This project's result for a word.
fn decoded(word: u32) -> Option<Inst> {
    A64.engine().decode(word.into()).ok()
}

/// Compares texts of words, including words that only llvm-mc accepts; returns how many are legal.
fn compare(words: &[u32], theirs: &[Option<String>]) -> usize {
    let mut wrong = Vec::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut legal = 0;
    for (word, theirs) in words.iter().zip(theirs) {
        let ours = decoded(*word).map(|inst| A64.engine().text(inst));
        legal += usize::from(ours.is_some());
        if ours == *theirs {
            continue;
        }
        let (ours, theirs) = (ours.as_deref(), theirs.as_deref());
        let difference = DIFFERENCES.iter().find(|one| (one.explains)(*word, ours, theirs));
        match difference {
            Some(difference) => *known.entry(difference.name).or_default() += 1,
            None => wrong.push(format!("{word:08x}: {ours:?}, llvm: {theirs:?}")),
        }
    }
    println!("{} words, {legal} legal, {} differ; known: {known:?}", words.len(), wrong.len());
    let count = wrong.len();
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{count}:\n{}", wrong.join("\n"));
    legal
}

#[test]
fn random_words_agree_with_llvm() {
    let Some(llvm) = llvm() else { return };
    let count = isadl_test_support::count("ISADL_WORDS", 40_000).min(10_000_000);
    let words = random_words(0xa64 + count as u64, count);
    let theirs = llvm.disassemble_a64(&words);
    let legal = compare(&words, &theirs);
    assert!(legal * 3 > words.len(), "too few of the words are legal");
}

/// The system registers, system instructions and hints, all of them.
#[test]
fn system_words_agree_with_llvm() {
    let Some(llvm) = llvm() else { return };
    let spaces = [0xd510_0000, 0xd530_0000].into_iter();
    let moves = spaces.flat_map(|word| (0..1 << 15).map(move |at| word | at << 5 | (at % 32)));
    let instructions =
        [0, 31].into_iter().flat_map(|rt| (0..1 << 14).map(move |at| 0xd508_0000 | at << 5 | rt));
    let others = (0..1 << 14).map(|at| 0xd500_001f | at << 5);
    let words: Vec<u32> = moves.chain(instructions).chain(others).collect();
    let legal = compare(&words, &llvm.disassemble_a64(&words));
    assert!(legal > 98_000, "{legal}");
}

/// A text assembles to its word, or to a word that has the same text.
#[test]
fn texts_assemble_to_their_words() {
    let count = isadl_test_support::count("ISADL_WORDS", 40_000).min(1_000_000);
    let engine = A64.engine();
    let mut wrong = Vec::new();
    let (mut made, mut equal) = (0, 0);
    for word in random_words(0x7e7 + count as u64, count) {
        let Some(inst) = decoded(word) else { continue };
        for text in [engine.text(inst), engine.plain_text(inst)] {
            let found = engine.assemble(&text).ok();
            if engine.advice(inst).is_some() {
                // An assembler refuses it.
                if found.is_some() {
                    wrong.push(format!("{word:08x}: {text}: {found:?}"));
                }
                continue;
            }
            made += 1;
            match found {
                Some(found) if found == inst => {}
                // Words with meaningless bits, and several encodings of one number.
                Some(found) if engine.text(found) == engine.text(inst) => equal += 1,
                _ => wrong.push(format!("{word:08x}: {text}: {found:?}")),
            }
        }
    }
    println!(
        "{made} texts, of which {equal} are those of another word, too; {} differ",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
    assert!(made * 2 > count && equal * 20 < made, "{made} texts, {equal} of other words");
}

/// llvm-mc makes the same of these texts, or refuses them, too.
#[test]
fn texts_mean_the_same_to_llvm() {
    let Some(llvm) = llvm() else { return };
    let count = isadl_test_support::count("ISADL_WORDS", 40_000).min(1_000_000);
    let engine = A64.engine();
    let words = random_words(0x7e8 + count as u64, count);
    let made: Vec<Inst> = words.iter().filter_map(|word| decoded(*word)).collect();
    let texts: Vec<String> = made.iter().map(|inst| engine.text(*inst)).collect();
    let (mut wrong, mut known) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for (text, theirs) in texts.iter().zip(llvm.assemble_a64(&texts)) {
        let ours = engine.assemble(text).ok().map(|inst| (inst.word as u32).to_le_bytes().to_vec());
        let theirs = theirs.ok();
        if ours == theirs {
            continue;
        }
        let (ours, theirs) = (ours.as_deref(), theirs.as_deref());
        match ASSEMBLED.iter().find(|one| (one.explains)(text, ours, theirs)) {
            Some(difference) => *known.entry(difference.name).or_default() += 1,
            None => wrong.push(format!("{text}: {ours:02x?}, llvm: {theirs:02x?}")),
        }
    }
    println!("{} texts, {} differ; known: {known:?}", texts.len(), wrong.len());
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// The recorded words, four for each opcode: legal words, and two words with an inverted bit.
#[test]
fn recorded_words_agree() {
    let path = isadl_test_support::root().join("tests/fixtures/a64/llvm.tsv");
    if isadl_test_support::bless() {
        let llvm = llvm().expect("llvm-mc 19 records the words");
        let mut random = Random::new(0xa64);
        let opcodes = A64.isa().opcodes().iter();
        let mut word = |mask: u128, value: u128| {
            let word = random.next_u64() as u32 & !(mask as u32) | value as u32;
            [word, word ^ 1 << random.below(32)]
        };
        let twice = opcodes.flat_map(|opcode| [opcode, opcode]);
        let words: Vec<u32> = twice.flat_map(|opcode| word(opcode.mask, opcode.value)).collect();
        let mut text = format!("# Made by llvm-mc-19 {} --disassemble.\n", ARGUMENTS.join(" "));
        for (word, theirs) in words.iter().zip(llvm.disassemble_a64(&words)) {
            text += &format!("{word:08x}\t{}\n", theirs.as_deref().unwrap_or("-"));
        }
        std::fs::write(&path, text).expect("writable");
    }
    let text = std::fs::read_to_string(&path).expect("the vectors are committed");
    let row = |row: &str| {
        let (word, text) = row.split_once('\t').expect("a word and a text");
        let word = u32::from_str_radix(word, 16).expect("a word");
        (word, (text != "-").then(|| text.to_string()))
    };
    let (words, theirs): (Vec<u32>, Vec<Option<String>>) = text.lines().skip(1).map(row).unzip();
    assert!(words.len() > 1300, "{} words", words.len());
    compare(&words, &theirs);
}
