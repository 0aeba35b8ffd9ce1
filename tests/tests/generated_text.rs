//! Text of generated crates against the oracle's text, for two instruction sets: the same text for every opcode with
//! random field values, the same word for every line, errors at the same position. The share of `cargo test` is small;
//! `ISADL_WORDS=1000000` with `--release` is the long run.

use isadl_test_support::lines::{examples, fixtures, mutated};
use isadl_test_support::{Random, Set, count, odd, oracle, simt, words};

/// How many random instructions a test tries.
fn tries() -> u64 {
    count("ISADL_WORDS", 20_000) as u64
}

/// The tests of one generated crate.
macro_rules! suite {
    ($krate:ident, $isa:expr) => {
        mod $krate {
            use super::*;
            use std::fmt::Write;

            #[test]
            fn every_instruction_has_the_oracles_text() {
                let isa = $isa;
                let mut random = Random::new(5);
                let mut buffer = [0u8; 2 * ::$krate::TEXT_ROOM];
                for _ in 0..tries() / isa.opcodes().len() as u64 + 1 {
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
                    inst.tokens(|kind, text| tokens.push((format!("{kind:?}"), text.to_string())));
                    let expected = isa.tokens(ours).into_iter();
                    let expected: Vec<_> =
                        expected.map(|(kind, text)| (format!("{kind:?}"), text)).collect();
                    assert_eq!(tokens, expected, "{text}");
                    assert!(inst.append_to(&mut [0; 8], 0).is_none());
                    assert!(inst.append_to(&mut [0; 4096], 5000).is_none());
                    if let Ok(parsed) = text.parse::<::$krate::Inst>() {
                        assert_eq!(parsed.text().as_str(), text);
                    }
                }
            }

            #[test]
            fn every_line_is_read_as_at_run_time() {
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
                let times = tries() / lines.len() as u64 + 1;
                let mut assembled = 0u64;
                for line in &lines {
                    compare(&isa, line);
                    for _ in 0..times {
                        assembled += u64::from(compare(&isa, &mutated(line, &mut random)));
                    }
                }
                assert!(assembled > tries() / 100, "only {assembled} mutated lines assembled");
            }

            /// Whether the message at run time is about what the generated assembler found. The
            /// message may list more than one thing that would fit.
            fn is_reason(kind: ::$krate::ParseErrorKind, message: &str) -> bool {
                use ::$krate::ParseErrorKind as Kind;
                let has = |part: &str| message.contains(part);
                let expected = message.starts_with("expected ");
                match kind {
                    Kind::UnknownMnemonic => has("mnemonic"),
                    Kind::Expected("the name of a control field") => {
                        expected && has("`$") || has("is given twice")
                    }
                    Kind::Expected("`,` and another number") => expected && has("`,` and "),
                    // At run time they may be listed.
                    Kind::Expected("an integer") => expected,
                    Kind::Expected(text) => has(text),
                    // Of opcodes that fail at one place, the message names the wrong registers of
                    // one before what another expects.
                    Kind::ExpectedValue(_) => expected || has(" registers are `"),
                    Kind::ExpectedModifier => expected || has("modifier") || has("must be before"),
                    Kind::ExpectedRegisters(count) => {
                        expected && has("[") || has(&format!("{count} registers"))
                    }
                    _ if format!("{kind:?}") == "NotMultiple" => {
                        has("is not a multiple of") || has("is not a value")
                    }
                    _ if format!("{kind:?}") == "NotEncoded" => has("can be encoded"),
                    Kind::OutOfRange => has("out of range") || has("does not fit"),
                    Kind::NotRepresentable => has("does not fit") || has("the nearest is"),
                    Kind::Unfit => ["cannot have th", "without default", "different values"]
                        .iter()
                        .any(|part| has(part)),
                    Kind::Rule(rule) => has(rule.message()),
                    Kind::Ambiguous(_) => has("more than one opcode fits"),
                    _ => false,
                }
            }

            /// Checks that both assemblers agree on a line; returns whether it is an instruction.
            fn compare(isa: &Set, line: &str) -> bool {
                match (isa.assemble(line), ::$krate::Inst::parse(line)) {
                    (Ok(ours), Ok(theirs)) => {
                        assert_eq!(ours.word, u128::from(theirs.word()), "`{line}`");
                        true
                    }
                    (Err(ours), Err(theirs)) => {
                        let column = line[..theirs.offset].chars().count() + 1;
                        assert_eq!(ours.column, column, "`{line}`: {ours}; {theirs}");
                        let is_reason = is_reason(theirs.kind, &ours.message);
                        assert!(is_reason, "`{line}`: {ours}; {theirs}");
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

#[test]
fn values_are_printed_by_sets_of_names() {
    use ::odd::{Inst, NameSet, TextOptions};

    let isa = odd();
    let mut random = Random::new(11);
    let mut differ = 0;
    for id in isa.opcode_ids() {
        for _ in 0..tries() / 100 {
            let ours = words::instruction(isa, id, &mut random).expect("a legal word");
            let inst = Inst::decode_word(ours.word as ::odd::Word).expect("a legal word");
            assert_eq!(inst.text_with(TextOptions::new()).as_str(), inst.text().as_str());
            for (at, set) in NameSet::ALL.iter().enumerate() {
                let text = inst.text_with(TextOptions::new().names(*set));
                let wanted = oracle::print_names(isa, isa.opcode(ours.opcode), ours.word, at);
                assert_eq!(text.as_str(), wanted, "word 0x{:x}", ours.word);
                differ += usize::from(text.as_str() != inst.text().as_str());
                if let Ok(read) = Inst::parse(inst.text().as_str()) {
                    assert_eq!(Inst::parse(text.as_str()), Ok(read), "{text:?}");
                }
            }
        }
    }
    assert!(differ > 0);
    let names: Vec<&str> = NameSet::ALL.iter().map(|set| set.name()).collect();
    assert_eq!(names, ["usual", "numeric"]);
}
