//! The generated RISC-V crate against the run-time engine in both generations and with several
//! sets of extensions: words of two lengths, texts with
//! and without aliases, lines. `ISADL_WORDS=1000000` with `--release` is the long run.

use std::sync::LazyLock;

use isadl_test_support::{Random, Set, Sets, count, words};
use riscv::{EncodeError, Extensions, Field, Generation, Inst, Opcode};

/// Sets of extensions by their names, with the instruction sets of implementations that have them.
static SETS: LazyLock<Vec<(Extensions, &'static Sets)>> = LazyLock::new(|| {
    let sets: [&[&str]; 3] = [&["most"], &["Zcmp", "Zcmt", "Zbb"], &["F", "C"]];
    let set = |names: &&[&str]| {
        let extensions = names.join(",").parse().expect("they are known");
        (extensions, isadl_test_support::riscv_with(names))
    };
    sets.iter().map(set).collect()
});

/// The target for words and lines.
#[derive(Debug, Clone, Copy)]
struct Target {
    generation: Generation,
    extensions: Extensions,
    isa: &'static Set,
}

fn targets() -> impl Iterator<Item = Target> {
    assert_eq!(Generation::ALL.len(), 2);
    SETS.iter().flat_map(|(extensions, family)| {
        Generation::ALL.iter().map(|generation| Target {
            generation: *generation,
            extensions: *extensions,
            isa: family.generation(generation.name()).expect("the names are those of the family"),
        })
    })
}

/// Checks that both decoders agree on bytes; returns whether they are an instruction.
fn check(target: Target, bytes: &[u8]) -> bool {
    let Target { generation, extensions, isa } = target;
    match (isa.engine().decode_bytes(bytes), Inst::decode(generation, extensions, bytes)) {
        (Ok((ours, length)), Ok((theirs, taken))) => {
            assert_eq!((u128::from(theirs.word()), taken), (ours.word, length));
            assert_eq!(theirs.opcode().name(), isa.opcode(ours.opcode).name);
            assert_eq!(
                theirs.text_in(extensions).as_str(),
                isa.engine().text(ours),
                "{bytes:02x?}"
            );
            assert_eq!(theirs.plain_text().as_str(), isa.engine().plain_text(ours));
            match (isa.advice(ours), theirs.to_bytes()) {
                (None, Ok(written)) => assert_eq!(&*written, &bytes[..length]),
                (Some(rule), Err(EncodeError::Rule { rule: theirs, .. })) => {
                    assert_eq!(isa.rule(rule).message, theirs.message());
                }
                (ours, theirs) => panic!("{bytes:02x?}: {ours:?}, {theirs:?}"),
            }
            true
        }
        (Err(_), Err(_)) => false,
        (ours, theirs) => panic!("{} {bytes:02x?}: {ours:?}, {theirs:?}", generation.name()),
    }
}

#[test]
fn all_short_words_decode_alike() {
    for target in targets() {
        let legal = (0..=u16::MAX)
            .filter(|word| word & 3 != 3 && check(target, &word.to_le_bytes()))
            .count();
        assert!(legal > 25_000, "{legal} legal in {target:?}");
    }
}

#[test]
fn long_words_decode_alike() {
    for target in targets() {
        let isa = target.isa;
        let mut random = Random::new(81);
        let tries = count("ISADL_WORDS", 10_000);
        let mut legal = 0;
        for _ in 0..tries {
            let opcode = &isa.opcodes()[random.below(isa.opcodes().len() as u64) as usize];
            let word = random.next_u64() as u32;
            let near = word & !(opcode.mask as u32) | opcode.value as u32;
            let word = if random.below(4) == 0 { word } else { near };
            let noise = if random.below(4) == 0 { 1 << random.below(32) } else { 0 };
            let length = if random.below(16) == 0 { random.below(4) as usize } else { 4 };
            legal += usize::from(check(target, &(word ^ noise).to_le_bytes()[..length]));
        }
        assert!(legal > tries / 3, "{legal} legal in {target:?}");
    }
}

/// A line is read alike: the text of an instruction, as it is and with a character replaced.
#[test]
fn lines_assemble_alike() {
    for Target { generation, extensions, isa } in targets() {
        let mut random = Random::new(82);
        let (mut read, mut refused) = (0, 0);
        for _ in 0..count("ISADL_WORDS", 10_000) / 4 / isa.opcodes().len() + 1 {
            for id in isa.opcode_ids() {
                let inst = words::instruction(isa, id, &mut random).expect("a legal word");
                for text in [isa.engine().text(inst), isa.engine().plain_text(inst)] {
                    let mut damaged: Vec<char> = text.chars().collect();
                    let at = random.below(damaged.len() as u64) as usize;
                    damaged[at] = ['x', ',', '(', '1', ' '][random.below(5) as usize];
                    for line in [text, damaged.into_iter().collect()] {
                        match (isa.assemble(&line), Inst::parse(generation, extensions, &line)) {
                            (Ok(ours), Ok(theirs)) => {
                                assert_eq!(ours.word, u128::from(theirs.word()), "`{line}`");
                                read += 1;
                            }
                            (Err(ours), Err(theirs)) => {
                                let column = line[..theirs.offset].chars().count() + 1;
                                assert_eq!(ours.column, column, "`{line}`: {ours}; {theirs}");
                                refused += 1;
                            }
                            (ours, theirs) => panic!("`{line}`: {ours:?}, {theirs:?}"),
                        }
                    }
                }
            }
        }
        assert!(read > 300 && refused > 100, "{read} read, {refused} refused");
    }
}

/// The register files of the generations differ only in width, so both have the same operands; and
/// a field may have the name of a value of its type.
#[test]
fn constructors_are_for_both_generations() {
    use riscv::{Inactive, Lmul, Reg, Sew, Tail};
    for Target { generation, isa, .. } in targets().take(2) {
        let inst = Inst::add(generation, Reg::a0, Reg::sp, Reg::zero).expect("it is legal");
        assert_eq!(inst.to_string(), "add a0, sp, zero");
        let (sew, lmul) = (Sew::e32, Lmul::m2);
        let inst = Inst::vsetvli(generation, Reg::a0, Reg::a1, sew, lmul, Tail::ta, Inactive::ma);
        let inst = inst.expect("it is legal");
        assert_eq!(inst.opcode(), Opcode::VSETVLI);
        assert_eq!(inst.get(Field::ma), Some(1));
        assert!(isa.decode(inst.word().into()).is_ok());
    }
}

#[test]
fn an_extension_alone_decodes_its_instructions() {
    // `c.addi a0, 1`
    let (inst, _) =
        Inst::decode(Generation::RV64, Extensions::C, &[0x05, 0x05]).expect("it is compressed");
    assert_eq!(inst.opcode(), Opcode::C_ADDI);
    assert_eq!(Extensions::C, Extensions::C.closed());
    assert_eq!(Extensions::NONE | Extensions::C, "C".parse().expect("a name"));
}
