//! The generated GCN crate against the oracle and the run-time engine, in each of its generations: words, lengths,
//! errors, values, texts, lines, streams. The share of `cargo test` is small;
//! `ISADL_WORDS=1000000` with `--release` is the long run.

use gcn::{Field, Generation, Inst, Opcode};
use isadl::engine::{DecodeError, EncodeError};
use isadl::isa::{Binding, NameId, OpcodeId, low_bits};
use isadl_test_support::lines::{examples, mutated};
use isadl_test_support::{Random, Set, count, words};

/// The generations of the crate with the instruction sets of the same names.
fn generations() -> impl Iterator<Item = (Generation, &'static Set)> {
    assert_eq!(Generation::ALL.len(), 4);
    Generation::ALL.iter().map(|generation| {
        (
            *generation,
            isadl_test_support::gcn()
                .generation(generation.name())
                .expect("the names are those of the family"),
        )
    })
}

fn tries() -> u64 {
    count("ISADL_WORDS", 10_000) as u64 / 4
}

fn field(isa: &Set, name: NameId) -> Field {
    let name = isa.name_of(name);
    *Field::ALL.iter().find(|field| field.name() == name).expect("the crate has the field")
}

fn opcode(isa: &Set, id: OpcodeId) -> Opcode {
    Opcode::try_from(isa.opcode(id).number).expect("the crate has the opcode")
}

/// A word that is likely to be near an instruction.
fn near_instruction(isa: &Set, random: &mut Random) -> u64 {
    let opcode = &isa.opcodes()[random.below(isa.opcodes().len() as u64) as usize];
    let word = random.next_u64() & !(opcode.mask as u64) | opcode.value as u64;
    let noise = random.next_u64() & random.next_u64() & random.next_u64();
    if random.below(8) == 0 { word ^ (opcode.mask as u64 & noise) } else { word }
}

/// Checks that both decoders agree on the bytes; returns whether they are an instruction.
fn check(generation: Generation, isa: &Set, bytes: &[u8]) -> bool {
    let theirs = Inst::decode(generation, bytes);
    match (isa.decode_bytes(bytes), theirs) {
        (Ok((ours, length)), Ok((theirs, their_length))) => {
            assert_eq!((length, opcode(isa, ours.opcode)), (their_length, theirs.opcode()));
            assert_eq!(ours.word, u128::from(theirs.word()), "{bytes:02x?}");
            assert!(theirs.is_in(generation));
            assert_eq!(theirs.len(), length);
            assert_eq!(theirs.info().width as usize, length * 8);
            let advice = isa.advice(ours).map(|rule| isa.rule(rule).message.as_str());
            assert_eq!(theirs.broken_rule().map(|rule| rule.message()), advice);
            match theirs.to_bytes() {
                Ok(again) => {
                    assert!(advice.is_none());
                    assert_eq!(Inst::decode(generation, &again), Ok((theirs, length)));
                }
                Err(gcn::EncodeError::Rule { rule, .. }) => {
                    assert_eq!(Some(rule.message()), advice);
                }
                Err(error) => panic!("{error}"),
            }
            true
        }
        (Err(DecodeError::Unknown), Err(gcn::DecodeError::Unknown)) => false,
        (
            Err(DecodeError::Truncated { needed }),
            Err(gcn::DecodeError::Truncated { needed: theirs }),
        ) => {
            assert_eq!(needed, theirs);
            false
        }
        (
            Err(DecodeError::IllegalValue { opcode: id, field: name }),
            Err(gcn::DecodeError::IllegalValue { opcode: theirs, field: their_field }),
        ) => {
            assert_eq!((opcode(isa, id), field(isa, name)), (theirs, their_field));
            false
        }
        (
            Err(DecodeError::Rule { opcode: id, rule }),
            Err(gcn::DecodeError::Rule { opcode: theirs, rule: their_rule }),
        ) => {
            let rule = isa.rule(rule);
            assert_eq!(opcode(isa, id), theirs);
            assert_eq!(
                (rule.kind.as_str(), rule.message.as_str()),
                (their_rule.kind(), their_rule.message())
            );
            false
        }
        (ours, theirs) => panic!("{} {bytes:02x?}: {ours:?}, {theirs:?}", generation.name()),
    }
}

#[test]
fn decoders_agree_on_random_bytes() {
    for (generation, isa) in generations() {
        let mut random = Random::new(1);
        let mut legal = 0;
        for _ in 0..tries() {
            let word = match random.below(4) {
                0 => random.next_u64(),
                _ => near_instruction(isa, &mut random),
            };
            let length = if random.below(8) == 0 { random.below(8) as usize } else { 8 };
            legal += u64::from(check(generation, isa, &word.to_le_bytes()[..length]));
        }
        assert!(legal > tries() / 4, "{}: {legal} legal", generation.name());
    }
}

#[test]
fn every_opcode_is_built_of_values() {
    for (generation, isa) in generations() {
        let mut random = Random::new(2);
        for id in isa.opcode_ids().filter(|id| !isa.opcode(*id).has_literal()) {
            let definition = isa.opcode(id);
            let mut legal = 0;
            for _ in 0..64 {
                let value = |known: &isadl::isa::Field, random: &mut Random| match known.binding {
                    Binding::Fixed(raw) => raw,
                    _ => loop {
                        let raw = random.next_u64() & low_bits(known.width()) as u64;
                        if isa.ty(known.ty).is_legal(raw) {
                            break raw;
                        }
                    },
                };
                let chosen: Vec<(NameId, u64)> =
                    definition.fields.iter().map(|f| (f.name, value(f, &mut random))).collect();
                let theirs: Vec<(Field, u64)> =
                    chosen.iter().map(|(name, raw)| (field(isa, *name), *raw)).collect();
                let built = Inst::from_values(generation, opcode(isa, id), &theirs);
                match (isa.encode(id, &chosen), built.and_then(Inst::to_word)) {
                    (Ok(inst), Ok(word)) => {
                        legal += 1;
                        assert_eq!(inst.word, u128::from(word));
                    }
                    (
                        Err(EncodeError::Rule(rule)),
                        Err(gcn::EncodeError::Rule { rule: theirs, .. }),
                    ) => {
                        assert_eq!(isa.rule(rule).message, theirs.message());
                    }
                    (
                        Err(EncodeError::SpecialCase(case)),
                        Err(gcn::EncodeError::SpecialCase { other, .. }),
                    ) => assert_eq!(definition.special_cases[case].name, other),
                    (ours, theirs) => panic!("{}: {ours:?}, {theirs:?}", definition.name),
                }
            }
            let refuses_all = isadl_test_support::llvm::is_outside(&definition.name);
            assert_eq!(legal == 0, refuses_all, "{}", definition.name);
        }
    }
}

#[test]
fn texts_are_the_oracles() {
    for (generation, isa) in generations() {
        let mut random = Random::new(3);
        let mut buffer = [0u8; 2 * gcn::TEXT_ROOM];
        for _ in 0..tries() / isa.opcodes().len() as u64 + 1 {
            for id in isa.opcode_ids() {
                let Some(ours) = words::instruction(isa, id, &mut random) else { continue };
                let text = isa.text(ours);
                let inst = Inst::decode_word(generation, ours.word as u64).expect("a legal word");
                assert_eq!(inst.to_string(), text, "{:x}", ours.word);
                let end = inst.append_to(&mut buffer, 7).expect("there is room");
                assert_eq!(&buffer[7..end], text.as_bytes());
                let mut kinds = Vec::new();
                inst.tokens(|kind, text| kinds.push((format!("{kind:?}"), text.to_string())));
                let expected = isa.tokens(ours).into_iter();
                let expected: Vec<_> =
                    expected.map(|(kind, text)| (format!("{kind:?}"), text)).collect();
                assert_eq!(kinds, expected, "{text}");
                compare(generation, isa, &text);
            }
        }
    }
}

/// Checks that both assemblers agree on a line; returns whether it is an instruction.
fn compare(generation: Generation, isa: &Set, line: &str) -> bool {
    match (isa.assemble(line), Inst::parse(generation, line)) {
        (Ok(ours), Ok(theirs)) => {
            assert_eq!(ours.word, u128::from(theirs.word()), "`{line}`");
            assert_eq!(theirs.len(), isa.length(ours.word));
            true
        }
        (Err(ours), Err(theirs)) => {
            let column = line[..theirs.offset].chars().count() + 1;
            assert_eq!(ours.column, column, "{} `{line}`: {ours}; {theirs}", generation.name());
            false
        }
        (ours, theirs) => panic!("{} `{line}`: {ours:?}, {theirs:?}", generation.name()),
    }
}

#[test]
fn lines_are_read_as_at_run_time() {
    for (generation, isa) in generations() {
        let mut random = Random::new(4);
        let mut lines = examples(isa);
        for id in isa.opcode_ids() {
            let inst = words::instruction(isa, id, &mut random);
            lines.extend(inst.map(|inst| isa.text(inst)));
        }
        // Without the ending that names the encoding.
        let bare = lines.iter().map(|line| line.replacen("_e32", "", 1).replacen("_e64", "", 1));
        lines = lines.iter().cloned().chain(bare).collect();
        let times = tries() / lines.len() as u64 + 1;
        let mut assembled = 0;
        for line in &lines {
            assembled += u64::from(compare(generation, isa, line));
            for _ in 0..times {
                compare(generation, isa, &mutated(line, &mut random));
            }
        }
        assert!(assembled > lines.len() as u64 / 2, "only {assembled} of {} lines", lines.len());
    }
}

/// Numbers in place of every operand: those with the bits of a constant of some format, and
/// others.
#[test]
fn numbers_are_read_as_at_run_time() {
    const NUMBERS: [&str; 14] = [
        "0x3e22f983",
        "neg(0x3e22f983)",
        "|0x3f800000|",
        "1065353216",
        "-1082130432",
        "0xfffffff0",
        "0xffffffef",
        "0x3118",
        "neg(0x3c00)",
        "0xffff",
        "0.1591549431",
        "0.0",
        "0x3f800001",
        "0x100000000",
    ];
    for (generation, isa) in generations() {
        let mut random = Random::new(5);
        let (mut assembled, mut refused) = (0u64, 0u64);
        for id in isa.opcode_ids() {
            let Some(inst) = words::instruction(isa, id, &mut random) else { continue };
            let text = isa.text(inst);
            let pieces: Vec<&str> = text.split(", ").collect();
            for (place, number) in (1..pieces.len()).flat_map(|at| NUMBERS.map(|n| (at, n))) {
                let mut pieces = pieces.clone();
                pieces[place] = number;
                let line = pieces.join(", ");
                let bare = line.replacen("_e32", "", 1).replacen("_e64", "", 1);
                for line in [line, bare] {
                    match compare(generation, isa, &line) {
                        true => assembled += 1,
                        false => refused += 1,
                    }
                }
            }
        }
        assert!(assembled > 500 && refused > 500, "{assembled} lines, {refused} refused");
    }
}

#[test]
fn streams_step_by_the_length_of_instructions() {
    for (generation, isa) in generations() {
        let mut random = Random::new(5);
        let bytes: Vec<u8> =
            (0..2000).flat_map(|_| near_instruction(isa, &mut random).to_le_bytes()).collect();
        let mut at = 0;
        for (offset, found) in Inst::stream(generation, &bytes) {
            assert_eq!(offset, at);
            assert_eq!(found, Inst::decode(generation, &bytes[at..]).map(|(inst, _)| inst));
            at += match found {
                Ok(inst) => inst.len(),
                Err(_) => 4.min(bytes.len() - at),
            };
        }
        assert_eq!(at, bytes.len());
    }
}

/// One variant per name; its forms list the generations in which they exist.
#[test]
fn opcodes_have_their_forms() {
    for known in Opcode::ALL {
        assert!(!known.forms().is_empty(), "{known}");
        for (generation, isa) in generations() {
            let ours = isa.find_opcode(known.name()).map(|id| isa.opcode(id));
            let theirs = known.info_in(generation);
            assert_eq!(ours.is_some(), theirs.is_some(), "{known} in {}", generation.name());
            let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
            assert_eq!((theirs.mask, theirs.value), (ours.mask as u64, ours.value as u64));
            assert_eq!(u32::from(theirs.width), ours.width);
            assert!(theirs.generations.contains(&generation.name()));
        }
    }
    let names: usize = isadl_test_support::gcn()
        .merged()
        .items()
        .opcodes()
        .iter()
        .map(|o| &o.name)
        .collect::<std::collections::BTreeSet<_>>()
        .len();
    assert_eq!(Opcode::ALL.len(), names);
}
