//! Text by generated crates against the interpreter's, for two instruction sets: the same text of
//! every opcode with random field values, the same word of every line, errors at the same place.
//! The share of `cargo test` is small; `ISADL_WORDS=1000000` with `--release` is the long run.

use isadl::isa::Isa;
use isadl::source::SourceMap;
use isadl_tests::{Random, root, simt, words};

/// How many random instructions a test tries.
fn count() -> u64 {
    std::env::var("ISADL_WORDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000)
}

fn odd() -> Isa {
    let map =
        SourceMap::read(&[root().join("tests/fixtures/odd")]).expect("the fixture is readable");
    isadl::compile(&map).into_isa().expect("the fixture has no errors")
}

/// The lines inside the fences of an instruction set's examples.
fn examples(isa: &Isa) -> Vec<String> {
    let mut lines = Vec::new();
    let prose = isa.optypes().iter().flat_map(|optype| &optype.prose);
    for section in prose.filter(|section| section.kind == isadl::isa::SectionKind::Examples) {
        let mut within = false;
        for line in section.text.lines() {
            if line.trim_start().starts_with("```") {
                within = !within;
            } else if within && !line.trim().is_empty() && !line.trim_start().starts_with("//") {
                lines.push(line.to_string());
            }
        }
    }
    lines
}

/// The lines of the fixtures of the assembler, which are of SIMT: other assemblers refuse them.
fn fixtures() -> Vec<String> {
    let read = |name: &str| {
        let path = root().join("tests/fixtures/text").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let texts = [read("lines.txt"), read("errors.txt")];
    // What is expected of a line stands below it, indented.
    let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with("    "));
    lines.map(str::to_string).collect()
}

/// A line with something changed at random: a byte, a byte many times, a piece twice, a piece less.
fn mutated(line: &str, random: &mut Random) -> String {
    const BYTES: &[u8] = b" .,;@!-~|[]:$=+xRPUc019fzZ_/e";
    let mut bytes = line.as_bytes().to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        let byte = BYTES[random.below(BYTES.len() as u64) as usize];
        match random.below(5) {
            0 if at < bytes.len() => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            // More digits than numbers have room for.
            3 => drop(bytes.splice(at..at, std::iter::repeat_n(byte, 24))),
            _ => {
                let end = (at + random.below(5) as usize).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() as u64 + 1) as usize;
                bytes.splice(to..to, piece);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The tests of one generated crate.
macro_rules! suite {
    ($krate:ident, $isa:expr) => {
        mod $krate {
            use super::*;
            use std::fmt::Write;

            fn kind(kind: ::$krate::TokenKind) -> isadl::text::TokenKind {
                use isadl::text::TokenKind as Ours;
                match kind {
                    ::$krate::TokenKind::Mnemonic => Ours::Mnemonic,
                    ::$krate::TokenKind::Modifier => Ours::Modifier,
                    ::$krate::TokenKind::Register => Ours::Register,
                    ::$krate::TokenKind::Number => Ours::Number,
                    ::$krate::TokenKind::Control => Ours::Control,
                    _ => Ours::Punctuation,
                }
            }

            #[test]
            fn every_instruction_has_the_interpreters_text() {
                let isa = $isa;
                let mut random = Random::new(5);
                let mut buffer = [0u8; 2 * ::$krate::TEXT_ROOM];
                for _ in 0..count() / isa.opcodes().len() as u64 + 1 {
                    for id in isa.opcode_ids() {
                        let ours = words::instruction(&isa, id, &mut random).expect("a legal word");
                        let text = isa.text(ours);
                        let word = ours.word as ::$krate::Word;
                        let inst = ::$krate::Inst::decode_word(word).expect("a legal word");
                        assert_eq!(inst.text().as_str(), text, "word 0x{word:x}");
                        let end = inst.append_to(&mut buffer, 7).expect("there is room");
                        assert_eq!(&buffer[7..end], text.as_bytes());
                        match (isa.assemble(&text), ::$krate::Inst::parse(&text)) {
                            (Ok(ours), Ok(theirs)) => {
                                assert_eq!(ours.word, u128::from(theirs.word()))
                            }
                            (Err(_), Err(_)) => {}
                            (ours, theirs) => panic!("`{text}`: {ours:?}, {theirs:?}"),
                        }
                    }
                }
            }

            #[test]
            fn text_comes_in_all_ways() {
                let isa = $isa;
                let mut random = Random::new(6);
                for id in isa.opcode_ids() {
                    let ours = words::instruction(&isa, id, &mut random).expect("a legal word");
                    let text = isa.text(ours);
                    let inst = ::$krate::Inst::decode_word(ours.word as ::$krate::Word)
                        .expect("a legal word");
                    assert_eq!(format!("{inst}"), text);
                    assert_eq!(format!("{inst:>200}").trim_start(), text);
                    let mut written = String::new();
                    inst.write_to(&mut written).expect("a string takes all");
                    write!(written, "{:?}", inst.text()).expect("a string takes all");
                    assert_eq!(written, format!("{text}{text:?}"));
                    let mut tokens = Vec::new();
                    inst.tokens(|token, text| tokens.push((kind(token), text.to_string())));
                    let mnemonic = &isa.opcode(ours.opcode).syntax.mnemonic;
                    let expected: Vec<_> = isadl::text::tokens(&text, mnemonic)
                        .iter()
                        .map(|token| (token.kind, token.text.to_string()))
                        .collect();
                    assert_eq!(tokens, expected, "{text}");
                    assert!(inst.append_to(&mut [0; 8], 0).is_none());
                    assert!(inst.append_to(&mut [0; 4096], 5000).is_none());
                    if let Ok(parsed) = text.parse::<::$krate::Inst>() {
                        assert_eq!(parsed.text().as_str(), text);
                    }
                }
            }

            #[test]
            fn every_line_is_read_as_by_the_interpreter() {
                let isa = $isa;
                let mut random = Random::new(7);
                let mut lines = examples(&isa);
                for line in fixtures() {
                    compare(&isa, &line);
                }
                for id in isa.opcode_ids() {
                    let inst = words::instruction(&isa, id, &mut random).expect("a legal word");
                    lines.push(isa.text(inst));
                }
                let times = count() / lines.len() as u64 + 1;
                let mut assembled = 0u64;
                for line in &lines {
                    compare(&isa, line);
                    for _ in 0..times {
                        assembled += u64::from(compare(&isa, &mutated(line, &mut random)));
                    }
                }
                assert!(assembled > count() / 100, "only {assembled} mutated lines assembled");
            }

            /// Both assemblers agree on a line; tells whether it is an instruction.
            fn compare(isa: &Isa, line: &str) -> bool {
                match (isa.assemble(line), ::$krate::Inst::parse(line)) {
                    (Ok(ours), Ok(theirs)) => {
                        assert_eq!(ours.word, u128::from(theirs.word()), "`{line}`");
                        true
                    }
                    (Err(ours), Err(theirs)) => {
                        let column = line[..theirs.offset].chars().count() + 1;
                        assert_eq!(ours.column, column, "`{line}`: {ours}; {theirs}");
                        false
                    }
                    (ours, theirs) => panic!("`{line}`: {ours:?}, {theirs:?}"),
                }
            }
        }
    };
}

suite!(simt, simt());
suite!(odd, odd());
