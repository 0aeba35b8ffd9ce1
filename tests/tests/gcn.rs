//! `spec/gcn` compared with llvm-mc 19 on the same words and texts.
//!
//! The vectors in `tests/fixtures/gcn` are recorded (the first line of each file is the command);
//! the random words are compared with llvm-mc if it is installed, and skipped otherwise.

use std::path::PathBuf;

use isadl::engine::Inst;
use isadl_test_support::llvm::{self, Llvm};
use isadl_test_support::{Random, Set};

fn isa(generation: &str) -> &'static Set {
    isadl_test_support::gcn()
        .generation(generation)
        .unwrap_or_else(|| panic!("no generation {generation}"))
}

/// The rows of a recorded file, without its first two lines, as columns.
fn rows(file: &str) -> Vec<Vec<String>> {
    let path: PathBuf = isadl_test_support::root().join("tests/fixtures/gcn").join(file);
    let text = std::fs::read_to_string(&path).expect("the vectors are committed");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split('\t').map(str::to_string).collect()).collect()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2).map(|two| std::str::from_utf8(two).expect("ASCII"));
    digits.map(|two| u8::from_str_radix(two, 16).expect("hexadecimal")).collect()
}

fn encoded(isa: &Set, inst: Inst) -> Vec<u8> {
    inst.word.to_le_bytes()[..isa.length(inst.word)].to_vec()
}

/// Text with every run of spaces replaced by one space.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn recorded_vectors_assemble_and_disassemble() {
    let mut wrong = Vec::new();
    let rows = rows("vectors.tsv");
    assert!(rows.len() > 1000, "{} vectors", rows.len());
    for row in &rows {
        let [generation, text, hex] = row.as_slice() else { panic!("{row:?}") };
        let (isa, bytes) = (isa(generation), bytes_of(hex));
        match isa.assemble(text) {
            Ok(inst) if encoded(isa, inst) == bytes => {}
            other => wrong.push(format!("{generation}: {text}: {other:?}")),
        }
        match isa.engine().decode_bytes(&bytes) {
            Ok((inst, length)) if length == bytes.len() => {
                let own = isa.engine().text(inst);
                if own != folded(text) || isa.engine().advice(inst).is_some() {
                    wrong.push(format!("{generation}: {hex}: {own}, not {text}"));
                }
            }
            other => wrong.push(format!("{generation}: {hex}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// A number that has the bits of a constant is the constant, in forms without a literal too.
#[test]
fn recorded_numbers_assemble() {
    let mut wrong = Vec::new();
    let rows = rows("numbers.tsv");
    assert!(rows.len() > 100, "{} texts", rows.len());
    for row in &rows {
        let [generation, text, hex] = row.as_slice() else { panic!("{row:?}") };
        let isa = isa(generation);
        match isa.assemble(text) {
            Ok(inst) if encoded(isa, inst) == bytes_of(hex) => {}
            other => wrong.push(format!("{generation}: {text}: {other:02x?}, not {hex}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn recorded_rejections_are_refused() {
    let mut wrong = Vec::new();
    let rows = rows("rejected.tsv");
    assert!(rows.len() > 300, "{} texts", rows.len());
    for row in &rows {
        let [generation, text, reason] = row.as_slice() else { panic!("{row:?}") };
        match isa(generation).assemble(text) {
            Ok(_) => wrong.push(format!("{generation}: {text}: llvm-mc says: {reason}")),
            // The reason is worded by the specification or by this project.
            Err(error) if error.message.is_empty() || error.message == *reason => {
                wrong.push(format!("{generation}: {text}: {}", error.message));
            }
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Random words of VOP2 and VOP3 for one generation, as bytes: two dwords each.
fn random_words(isa: &Set, seed: u64, count: usize) -> Vec<u64> {
    let mut random = Random::new(seed);
    let opcodes: Vec<_> = isa.opcodes().iter().filter(|o| !llvm::is_outside(&o.name)).collect();
    let mut word = |index: usize| {
        let bits = random.next_u64();
        match index % 8 {
            // Anything that VOP2 or VOP3 may be.
            0 => bits & !(1 << 31),
            1 => bits & !0xfc00_0000 | 0xd000_0000,
            // Close to an opcode, with few of the bits set that must be zero.
            shape => {
                let opcode = opcodes[(bits >> 40) as usize % opcodes.len()];
                let (mask, value) = (opcode.mask as u64, opcode.value as u64);
                let flip = if shape == 2 { 1 << (bits % 64) } else { 0 };
                (random.next_u64() & !mask | value) ^ flip
            }
        }
    };
    (0..).map(&mut word).filter(|word| !llvm::is_foreign(*word)).take(count).collect()
}

#[test]
fn random_words_agree_with_llvm() {
    let Some(llvm) = Llvm::find() else {
        eprintln!("skipped: llvm-mc 19 is not installed");
        return;
    };
    let count = isadl_test_support::count("ISADL_WORDS", 20_000).min(1_000_000);
    for (generation, processor) in [("GCN1_2", "tonga"), ("GCN1_4", "gfx900")] {
        let isa = isa(generation);
        let words = random_words(isa, 0x9c4 + count as u64, count);
        let theirs = llvm.disassemble(processor, &words);
        let mut wrong = Vec::new();
        let mut known = [0usize; llvm::DIFFERENCES.len()];
        let (mut legal, mut advised) = (0, 0);
        for (word, theirs) in words.iter().zip(&theirs) {
            let ours = isa.engine().decode_bytes(&word.to_le_bytes()).ok();
            let ours = ours.map(|(inst, length)| (isa.engine().text(inst), length, inst));
            legal += usize::from(ours.is_some());
            advised +=
                usize::from(ours.as_ref().is_some_and(|o| isa.engine().advice(o.2).is_some()));
            let ours = ours.map(|(text, length, _)| (text, length));
            let same = match (&ours, theirs) {
                (Some((text, length)), Some(theirs)) => {
                    *text == folded(&theirs.text) && *length == theirs.length
                }
                (None, None) => true,
                _ => false,
            };
            if same {
                continue;
            }
            match llvm::known(*word, &ours, theirs) {
                Some(index) => known[index] += 1,
                None => wrong.push(format!("{generation} {word:016x}: {ours:?}, llvm: {theirs:?}")),
            }
        }
        println!("{generation}: {} words, {legal} legal, {advised} only decoded", words.len());
        for (count, (name, _)) in known.iter().zip(llvm::DIFFERENCES) {
            println!("  {count} {name}");
        }
        wrong.truncate(40);
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
        assert!(legal * 4 > words.len(), "too few of the words are legal");
    }
}

/// Our text, assembled by LLVM, gives the same bytes; LLVM refuses text that only decodes. LLVM does
/// not have a disassembler for the first two generations, so this is their only comparison.
#[test]
fn texts_assemble_in_llvm() {
    let Some(llvm) = Llvm::find() else {
        eprintln!("skipped: llvm-mc 19 is not installed");
        return;
    };
    let count = isadl_test_support::count("ISADL_WORDS", 20_000).min(200_000);
    let processors =
        [("GCN1_0", "tahiti"), ("GCN1_1", "bonaire"), ("GCN1_2", "tonga"), ("GCN1_4", "gfx900")];
    for (generation, processor) in processors {
        let isa = isa(generation);
        let words = random_words(isa, 0x515 + count as u64, count);
        let decoded =
            words.iter().filter_map(|word| isa.engine().decode_bytes(&word.to_le_bytes()).ok());
        // A text that means a shorter word belongs to another instruction.
        let (refused, made): (Vec<Inst>, Vec<Inst>) =
            decoded.map(|(inst, _)| inst).partition(|inst| isa.engine().advice(*inst).is_some());
        let is_canonical =
            |inst: &Inst| isa.assemble(&isa.engine().text(*inst)).ok() == Some(*inst);
        let made: Vec<Inst> = made.into_iter().filter(is_canonical).collect();
        assert!(made.len() * 10 > words.len(), "{} of {}", made.len(), words.len());
        let expected = made.iter().map(|inst| (*inst, Some(encoded(isa, *inst))));
        let expected: Vec<_> = expected.chain(refused.iter().map(|inst| (*inst, None))).collect();
        let texts: Vec<String> =
            expected.iter().map(|(inst, _)| isa.engine().text(*inst)).collect();
        let theirs = llvm.assemble(processor, &texts);
        let mut wrong = Vec::new();
        for (((inst, ours), text), theirs) in expected.iter().zip(&texts).zip(theirs) {
            let advice = isa.engine().advice(*inst).map(|rule| &isa.rule(rule).message);
            if theirs.clone().ok() != *ours {
                wrong.push(format!(
                    "{generation}: {text}: {ours:02x?} {advice:?}, llvm: {theirs:02x?}"
                ));
            }
        }
        println!("{generation}: {} texts, {} refused", made.len(), refused.len());
        wrong.truncate(40);
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }
}
