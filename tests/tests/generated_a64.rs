//! The generated A64 crate against the run-time engine: words, texts with and without aliases, lines, and what constructors
//! make. `ISADL_WORDS=1000000` with `--release` is the long run.

use a64::{Cond, EncodeError, Extensions, Inst, Opcode, SImm9, WReg, XReg, XRegSp};
use isadl_test_support::{Random, Set, count, first, words};

fn a64() -> &'static Set {
    first("spec/a64")
}

/// Checks that both decoders agree on bytes; returns whether they are an instruction.
fn check(bytes: &[u8]) -> bool {
    let isa = a64();
    match (isa.engine().decode_bytes(bytes), Inst::decode(Extensions::DEFAULT, bytes)) {
        (Ok((ours, length)), Ok((theirs, taken))) => {
            assert_eq!((u128::from(theirs.word()), taken), (ours.word, length));
            assert_eq!(theirs.opcode().name(), isa.opcode(ours.opcode).name);
            assert_eq!(theirs.to_string(), isa.engine().text(ours), "{bytes:02x?}");
            assert_eq!(theirs.plain_text().as_str(), isa.engine().plain_text(ours));
            match (isa.advice(ours), theirs.to_bytes()) {
                // Bits that mean nothing are written as ones.
                (None, Ok(written)) => {
                    assert_eq!(Inst::decode(Extensions::DEFAULT, &written), Ok((theirs, taken)))
                }
                (Some(rule), Err(EncodeError::Rule { rule: theirs, .. })) => {
                    assert_eq!(isa.rule(rule).message, theirs.message());
                }
                (ours, theirs) => panic!("{bytes:02x?}: {ours:?}, {theirs:?}"),
            }
            true
        }
        (Err(_), Err(_)) => false,
        (ours, theirs) => panic!("{bytes:02x?}: {ours:?}, {theirs:?}"),
    }
}

#[test]
fn words_decode_alike() {
    let mut random = Random::new(0xa64);
    let tries = count("ISADL_WORDS", 10_000);
    let mut legal = 0;
    for _ in 0..tries {
        let opcode = &a64().opcodes()[random.below(a64().opcodes().len() as u64) as usize];
        let word = random.next_u64() as u32;
        let near = word & !(opcode.mask as u32) | opcode.value as u32;
        let word = if random.below(4) == 0 { word } else { near };
        let noise = if random.below(4) == 0 { 1 << random.below(32) } else { 0 };
        let length = if random.below(16) == 0 { random.below(4) as usize } else { 4 };
        legal += usize::from(check(&(word ^ noise).to_le_bytes()[..length]));
    }
    assert!(legal > tries / 3, "{legal} legal");
}

/// A line is read alike: the text of an instruction, as it is, with a character replaced, and in capitals.
#[test]
fn lines_assemble_alike() {
    let mut random = Random::new(0xa65);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..count("ISADL_WORDS", 10_000) / 4 / a64().opcodes().len() + 1 {
        for id in a64().opcode_ids() {
            let inst = words::instruction(a64(), id, &mut random).expect("a legal word");
            for text in [a64().engine().text(inst), a64().engine().plain_text(inst)] {
                let mut damaged: Vec<char> = text.chars().collect();
                let at = random.below(damaged.len() as u64) as usize;
                damaged[at] = ['x', ',', '[', '1', ' '][random.below(5) as usize];
                let upper = text.to_uppercase();
                for line in [text, damaged.into_iter().collect(), upper] {
                    match (a64().assemble(&line), Inst::parse(Extensions::DEFAULT, &line)) {
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

#[test]
fn constructors_make_what_lines_say() {
    let offset = SImm9::new(-16).expect("it has 9 bits");
    let made = [
        Inst::add_x(XReg::x0, XReg::x1, XReg::xzr),
        Inst::ldr_x_pre(XReg::x0, XRegSp::sp, offset),
        Inst::csinc_w(WReg::w7, WReg::wzr, WReg::wzr, Cond::LO),
    ];
    for (made, line) in
        made.into_iter().zip(["add x0, x1, xzr", "ldr x0, [sp, #-16]!", "cset w7, hs"])
    {
        assert_eq!(
            (made.to_string().as_str(), Ok(made)),
            (line, Inst::parse(Extensions::DEFAULT, line))
        );
    }
    assert_eq!(Inst::parse(Extensions::DEFAULT, "ret").map(Inst::opcode), Ok(Opcode::RET));
}
