//! Compares generated crates with the oracle, for two instruction sets: SIMT, and a set with all features that SIMT
//! lacks. The share of `cargo test` is small; `ISADL_WORDS=10000000` with `--release` is the long run.

use isadl::engine::{DecodeError, EncodeError};
use isadl::isa::{Binding, Field, OpcodeId, Reading};
use isadl_test_support::{Random, Set, odd, simt};

/// How many random words a test tries.
fn words() -> u64 {
    isadl_test_support::count("ISADL_WORDS", 100_000) as u64
}

/// A word that is likely to be near an instruction: an opcode's fixed bits over random ones.
fn near_instruction(isa: &Set, random: &mut Random) -> u128 {
    let id = random.below(isa.opcodes().len() as u64) as usize;
    let opcode = &isa.opcodes()[id];
    let noise = random.next_u128() & random.next_u128();
    let word = (random.next_u128() & !opcode.mask) | opcode.value;
    // One in eight loses a fixed bit, so that unknown words are met too.
    if random.below(8) == 0 { word ^ (opcode.mask & noise & random.next_u128()) } else { word }
}

/// Values of a field that are worth trying: both ends of its type, its default, random ones.
fn values(isa: &Set, field: &Field, random: &mut Random) -> Vec<u64> {
    if let Binding::Fixed(raw) = field.binding {
        return vec![raw];
    }
    let ty = isa.ty(field.ty);
    let last = isadl::isa::low_bits(field.width()) as u64;
    let mut list = vec![0, 1, last / 2, last / 2 + 1, last.wrapping_sub(1), last];
    list.extend((0..6).map(|_| random.next_u64() & last));
    list.extend(
        ty.reserved_values().iter().flat_map(|(first, end)| [first.wrapping_sub(1), *end as u64]),
    );
    if let Binding::Default(raw) = field.binding {
        list.push(raw);
    }
    list.retain(|raw| *raw <= last && ty.is_legal(*raw));
    list.sort_unstable();
    list.dedup();
    list
}

/// The tests of one generated crate.
macro_rules! suite {
    ($krate:ident, $isa:expr) => {
        mod $krate {
            use super::*;

            fn field(isa: &Set, name: isadl::isa::NameId) -> ::$krate::Field {
                let name = isa.name_of(name);
                *::$krate::Field::ALL
                    .iter()
                    .find(|field| field.name() == name)
                    .expect("the crate has the field")
            }

            fn opcode(isa: &Set, id: OpcodeId) -> ::$krate::Opcode {
                ::$krate::Opcode::try_from(isa.opcode(id).number).expect("the crate has the opcode")
            }

            /// Both decoders agree on a word, and accepted words encode to themselves.
            fn check(isa: &Set, word: u128) {
                let word = word & isadl::isa::low_bits(isa.width());
                let ours = isa.decode(word);
                let theirs = ::$krate::Inst::decode_word(word as ::$krate::Word);
                match (ours, theirs) {
                    (Ok(ours), Ok(theirs)) => {
                        assert_eq!(opcode(isa, ours.opcode), theirs.opcode());
                        assert_eq!(ours.word, theirs.word() as u128);
                        assert_eq!(theirs.to_word(), Ok(theirs.word()));
                        let significant = isa.opcode(ours.opcode).significant;
                        assert_eq!(theirs.word() as u128, word & significant);
                        let bytes = theirs.to_bytes().expect("no rule is broken");
                        assert_eq!(::$krate::Inst::decode(&bytes), Ok((theirs, bytes.len())));
                        assert_eq!(
                            theirs.operands().count(),
                            isa.opcode(ours.opcode).operands.len()
                        );
                    }
                    (Err(DecodeError::Unknown), Err(::$krate::DecodeError::Unknown)) => {}
                    (
                        Err(DecodeError::IllegalValue { opcode: id, field: name }),
                        Err(::$krate::DecodeError::IllegalValue {
                            opcode: theirs,
                            field: their_field,
                        }),
                    ) => assert_eq!((opcode(isa, id), field(isa, name)), (theirs, their_field)),
                    (
                        Err(DecodeError::Rule { opcode: id, rule }),
                        Err(::$krate::DecodeError::Rule { opcode: theirs, rule: their_rule }),
                    ) => {
                        assert_eq!(opcode(isa, id), theirs);
                        let rule = isa.rule(rule);
                        assert_eq!(
                            (rule.kind.as_str(), rule.message.as_str()),
                            (their_rule.kind(), their_rule.message())
                        );
                    }
                    (ours, theirs) => {
                        panic!("0x{word:x}: oracle {ours:?}, generated {theirs:?}")
                    }
                }
            }

            #[test]
            fn decoders_agree_on_random_words() {
                let isa = $isa;
                let mut random = Random::new(1);
                let (mut accepted, total) = (0, words());
                for _ in 0..total {
                    let word = if random.below(4) == 0 {
                        random.next_u128()
                    } else {
                        near_instruction(&isa, &mut random)
                    };
                    check(&isa, word);
                    accepted += u64::from(isa.decode(word).is_ok());
                }
                assert!(
                    accepted > total / 20,
                    "only {accepted} of {total} words were instructions"
                );
            }

            /// Builds an instruction both ways and compares; returns whether it is legal.
            fn check_values(isa: &Set, id: OpcodeId, chosen: &[(isadl::isa::NameId, u64)]) -> bool {
                let theirs: Vec<(::$krate::Field, u64)> =
                    chosen.iter().map(|(name, raw)| (field(isa, *name), *raw)).collect();
                let built = ::$krate::Inst::from_values(opcode(isa, id), &theirs)
                    .expect("the values are legal");
                match isa.encode(id, chosen) {
                    Ok(inst) => {
                        let word = built.to_word().expect("no rule is broken");
                        assert_eq!(word as u128, inst.word);
                        assert_eq!(isa.find(inst.word), Some(id));
                        assert_eq!(::$krate::Inst::decode_word(word), Ok(built));
                        for (their_field, raw) in &theirs {
                            assert_eq!(built.get(*their_field), Some(*raw));
                        }
                        true
                    }
                    Err(EncodeError::Rule(rule)) => {
                        let message = isa.rule(rule).message.as_str();
                        match built.to_word() {
                            Err(::$krate::EncodeError::Rule { rule, .. }) => {
                                assert_eq!(rule.message(), message)
                            }
                            other => {
                                panic!("the rule {message:?} must refuse the word, not {other:?}")
                            }
                        }
                        false
                    }
                    Err(EncodeError::SpecialCase(case)) => {
                        let name = isa.opcode(id).special_cases[case].name.as_str();
                        match built.to_word() {
                            Err(::$krate::EncodeError::SpecialCase { other, .. }) => {
                                assert_eq!(other, name)
                            }
                            other => panic!("the word is that of {name}, not {other:?}"),
                        }
                        false
                    }
                    Err(error) => panic!("{}: {error:?}", isa.opcode(id).name),
                }
            }

            #[test]
            fn every_opcode_is_built_encoded_and_decoded() {
                let isa = $isa;
                let mut random = Random::new(2);
                for id in isa.opcode_ids() {
                    let fields = &isa.opcode(id).fields;
                    let tried: Vec<Vec<u64>> =
                        fields.iter().map(|field| values(&isa, field, &mut random)).collect();
                    let mut legal = 0;
                    let pick = |random: &mut Random| -> Vec<(isadl::isa::NameId, u64)> {
                        let choose = |(field, list): (&Field, &Vec<u64>)| {
                            (field.name, list[random.below(list.len() as u64) as usize])
                        };
                        fields.iter().zip(&tried).map(choose).collect()
                    };
                    for (position, list) in tried.iter().enumerate() {
                        for raw in list {
                            let mut chosen = pick(&mut random);
                            chosen[position].1 = *raw;
                            legal += u64::from(check_values(&isa, id, &chosen));
                        }
                    }
                    for _ in 0..words() / 2000 {
                        legal += u64::from(check_values(&isa, id, &pick(&mut random)));
                    }
                    assert!(legal > 0, "{} was never legal", isa.opcode(id).name);
                }
            }

            #[test]
            fn wrong_values_are_refused() {
                let isa = $isa;
                let mut random = Random::new(3);
                for id in isa.opcode_ids() {
                    let chosen: Vec<(isadl::isa::NameId, u64)> = isa
                        .opcode(id)
                        .fields
                        .iter()
                        .map(|field| (field.name, values(&isa, field, &mut random)[0]))
                        .collect();
                    let theirs: Vec<(::$krate::Field, u64)> =
                        chosen.iter().map(|(name, raw)| (field(&isa, *name), *raw)).collect();
                    let inst = ::$krate::Inst::from_values(opcode(&isa, id), &theirs)
                        .expect("the values are legal");
                    for known in &isa.opcode(id).fields {
                        let name = field(&isa, known.name);
                        let reserved_values = isa.ty(known.ty).reserved_values();
                        let illegal = reserved_values.first().map(|(first, _)| *first);
                        let too_large = (known.width() < 64).then(|| 1u64 << known.width());
                        for raw in illegal.into_iter().chain(too_large) {
                            let error = inst.with_raw(name, raw).expect_err("an illegal value");
                            let is_fixed = matches!(known.binding, Binding::Fixed(_));
                            let expected = if is_fixed {
                                ::$krate::EncodeError::FixedField {
                                    opcode: inst.opcode(),
                                    field: name,
                                }
                            } else {
                                ::$krate::EncodeError::IllegalValue {
                                    opcode: inst.opcode(),
                                    field: name,
                                }
                            };
                            assert_eq!(error, expected);
                        }
                        if known.binding == Binding::Required {
                            let without: Vec<_> = theirs
                                .iter()
                                .copied()
                                .filter(|(field, _)| *field != name)
                                .collect();
                            let missing = ::$krate::EncodeError::Missing {
                                opcode: inst.opcode(),
                                field: name,
                            };
                            assert_eq!(
                                ::$krate::Inst::from_values(inst.opcode(), &without),
                                Err(missing)
                            );
                        }
                    }
                    for absent in
                        ::$krate::Field::ALL.iter().filter(|field| inst.get(**field).is_none())
                    {
                        let error = ::$krate::EncodeError::NoSuchField {
                            opcode: inst.opcode(),
                            field: *absent,
                        };
                        assert_eq!(inst.with_raw(*absent, 0), Err(error));
                    }
                }
            }

            #[test]
            fn every_rule_has_a_word_that_breaks_it_and_one_that_does_not() {
                let isa = $isa;
                let mut random = Random::new(4);
                let mut seen = vec![(false, false); isa.rules().len()];
                for id in isa.opcode_ids().filter(|id| !isa.opcode(*id).rules.is_empty()) {
                    let fields = &isa.opcode(id).fields;
                    let tried: Vec<Vec<u64>> =
                        fields.iter().map(|field| values(&isa, field, &mut random)).collect();
                    for _ in 0..20_000 {
                        let chosen: Vec<_> = fields
                            .iter()
                            .zip(&tried)
                            .map(|(known, list)| {
                                (
                                    field(&isa, known.name),
                                    list[random.below(list.len() as u64) as usize],
                                )
                            })
                            .collect();
                        let inst = ::$krate::Inst::from_values(opcode(&isa, id), &chosen)
                            .expect("the values are legal");
                        match inst.to_word() {
                            Ok(_) => isa
                                .opcode(id)
                                .rules
                                .iter()
                                .for_each(|rule| seen[rule.index()].1 = true),
                            Err(::$krate::EncodeError::Rule { rule, .. }) => {
                                let known = isa
                                    .opcode(id)
                                    .rules
                                    .iter()
                                    .find(|id| isa.rule(**id).message == rule.message());
                                seen[known.expect("the opcode has the rule").index()].0 = true;
                                assert!(
                                    matches!(
                                        ::$krate::Inst::decode_word(inst.word()),
                                        Err(::$krate::DecodeError::Rule { .. })
                                    ) || isa.find(inst.word() as u128) != Some(id)
                                );
                            }
                            Err(error) => panic!("{error:?}"),
                        }
                    }
                }
                for (rule, seen) in isa.rules().iter().zip(seen) {
                    assert_eq!(seen, (true, true), "{}: broken and kept", rule.message);
                }
            }

            #[test]
            fn tables_say_what_the_specification_says() {
                let isa = $isa;
                assert_eq!(::$krate::Opcode::ALL.len(), isa.opcodes().len());
                for (id, theirs) in isa.opcode_ids().zip(::$krate::Opcode::ALL) {
                    let (ours, info) = (isa.opcode(id), theirs.info());
                    assert_eq!(*theirs as u16, ours.number);
                    assert_eq!((info.name, info.width), (ours.name.as_str(), isa.width() as u16));
                    assert_eq!((info.mask as u128, info.value as u128), (ours.mask, ours.value));
                    assert_eq!(info.significant as u128, ours.significant);
                    assert_eq!(info.rules.len(), ours.rules.len());
                    assert_eq!(info.operands.len(), ours.operands.len());
                    let fields: Vec<(&str, u8, u8, &str)> = info
                        .fields
                        .iter()
                        .map(|f| (f.field.name(), f.lsb, f.width, f.type_name))
                        .collect();
                    let expected: Vec<(&str, u8, u8, &str)> = ours
                        .fields
                        .iter()
                        .map(|f| {
                            (
                                isa.name_of(f.name),
                                f.lsb() as u8,
                                f.width() as u8,
                                isa.ty(f.ty).name.as_str(),
                            )
                        })
                        .collect();
                    assert_eq!(fields, expected);
                }
                for number in 0..=u16::MAX {
                    let known = isa.opcodes().iter().any(|opcode| opcode.number == number);
                    assert_eq!(::$krate::Opcode::try_from(number).is_ok(), known);
                }
            }

            #[test]
            fn operand_widths_follow_the_modifiers() {
                let isa = $isa;
                let mut random = Random::new(5);
                for _ in 0..words() / 20 {
                    let word = near_instruction(&isa, &mut random);
                    let (Ok(ours), Ok(theirs)) = (
                        isa.decode(word),
                        ::$krate::Inst::decode_word(word as ::$krate::Word & ::$krate::Word::MAX),
                    ) else {
                        continue;
                    };
                    for (operand, their_operand) in
                        isa.opcode(ours.opcode).operands.iter().zip(theirs.operands())
                    {
                        let Some(width) = operand.width else { continue };
                        let value =
                            |name, reading: Reading| isa.value(ours, name, reading).unwrap_or(0);
                        let bits = isa.expr(width).eval(&value);
                        assert_eq!(i128::from(their_operand.width), bits);
                    }
                }
            }

            #[test]
            fn short_bytes_are_truncated_and_streams_step_over_bad_words() {
                let isa = $isa;
                let needed = isa.bytes();
                for length in 0..needed {
                    let error = ::$krate::DecodeError::Truncated { needed };
                    assert_eq!(::$krate::Inst::decode(&vec![0; length]), Err(error));
                }
                let mut random = Random::new(6);
                let mut bytes = Vec::new();
                for _ in 0..1000 {
                    bytes.extend_from_slice(
                        &near_instruction(&isa, &mut random).to_le_bytes()[..needed],
                    );
                }
                bytes.push(0);
                let found: Vec<_> = ::$krate::Inst::stream(&bytes).collect();
                assert_eq!(found.len(), 1001);
                for (index, (offset, result)) in found[..1000].iter().enumerate() {
                    assert_eq!(*offset, index * needed);
                    assert_eq!(
                        *result,
                        ::$krate::Inst::decode(&bytes[*offset..]).map(|(inst, _)| inst)
                    );
                }
                assert_eq!(
                    found[1000],
                    (1000 * needed, Err(::$krate::DecodeError::Truncated { needed }))
                );
            }
        }
    };
}

suite!(simt, simt());
suite!(odd, odd());

/// The typed face of the SIMT crate: what a user writes.
mod typed {
    use simt::{
        Access, Bank, BoolOp, CMem, CompOp, DecodeError, EncodeError, Field, IExt, Inst, MOVW,
        Opcode, OperandValue, PModi, Pred, Reg, RegFile, Register, SImm9, SImm32, UImm17, UReg,
    };

    #[test]
    fn constructors_fill_in_defaults_and_setters_change_them() {
        let inst = Inst::iadd_rr(Reg::R1, Reg::R2, Reg::RZ);
        assert_eq!(inst.opcode(), Opcode::IADD_RR);
        assert_eq!(
            (inst.rd(), inst.ra(), inst.rb()),
            (Some(Reg::R1), Some(Reg::R2), Some(Reg::RZ))
        );
        assert_eq!((inst.pp(), inst.pp_not()), (Some(Pred::PT), Some(PModi::True)));
        let inst = inst
            .with_pu(Pred::P0)
            .and_then(|inst| inst.with_ext(IExt::X))
            .expect("IADD_RR has both");
        assert_eq!((inst.pu(), inst.ext()), (Some(Pred::P0), Some(IExt::X)));
        assert_eq!(Inst::decode_word(inst.to_word().expect("legal")), Ok(inst));
    }

    #[test]
    fn a_field_that_the_opcode_lacks_is_an_error() {
        let inst = Inst::iadd_rr(Reg::R1, Reg::R2, Reg::R3);
        assert_eq!(inst.rc(), None);
        let error = EncodeError::NoSuchField { opcode: Opcode::IADD_RR, field: Field::rc };
        assert_eq!(inst.with_rc(Reg::R0), Err(error));
        assert_eq!(inst.vb_simm32(), None);
    }

    #[test]
    fn a_broken_rule_is_reported_with_the_message_of_the_specification() {
        let value = SImm32::new(1).expect("in range");
        let wide = Inst::mov_i(Reg::R0, value).with_width(MOVW::_64).expect("MOV_I has the field");
        let Err(EncodeError::Rule { opcode, rule }) = wide.to_word() else {
            panic!("a rule forbids it")
        };
        assert_eq!((opcode, rule.kind()), (Opcode::MOV_I, "IllegalBitFieldValue"));
        assert_eq!(rule.message(), "MOV_I does not support .64 .");
        assert_eq!(Inst::decode_word(wide.word()), Err(DecodeError::Rule { opcode, rule }));
    }

    #[test]
    fn operands_come_in_assembly_order_with_role_value_and_width() {
        let inst =
            Inst::mov_r(Reg::R4, Reg::R6).with_width(MOVW::_64).expect("MOV_R has the field");
        let operands: Vec<_> = inst
            .operands()
            .map(|operand| (operand.value, operand.access(), operand.width))
            .collect();
        assert_eq!(
            operands,
            [
                (OperandValue::Pred(Pred::PT), Access::Read, 1),
                (OperandValue::Reg(Reg::R4), Access::Write, 64),
                (OperandValue::Reg(Reg::R6), Access::Read, 64),
            ]
        );
        let indirect = Inst::setgpr_u(UReg::UR2, Reg::R0)
            .with_ridx(SImm9::new(-1).expect("in range"))
            .expect("has ridx");
        let base = Some(Register { file: RegFile::UR, number: 2 });
        let value = OperandValue::Indirect { file: RegFile::GPR, base, offset: -1 };
        let operand = indirect.operands().nth(1).expect("the second operand");
        assert_eq!((operand.value, operand.access(), operand.width), (value, Access::Write, 32));
        let whole = Inst::r2p_rr(Reg::R0, Reg::R1).operands().nth(1).expect("the second operand");
        assert_eq!((whole.value, whole.access()), (OperandValue::File(RegFile::PR), Access::Write));
    }

    #[test]
    fn types_convert_to_and_from_bits_and_names() {
        assert_eq!("R254".parse(), Ok(Reg::R254));
        assert_eq!("RZ".parse(), Ok(Reg::RZ));
        for wrong in ["R255", "R01", "R", "r1", "R+1", "", "PT"] {
            assert!(wrong.parse::<Reg>().is_err(), "{wrong}");
        }
        assert_eq!(Reg::R7.to_string(), "R7");
        assert_eq!(Reg::r(254), Some(Reg::R254));
        assert_eq!(Reg::r(255), None);
        assert_eq!(Reg::RZ.register(), None);
        assert_eq!(Reg::RZ.constant_bit(), Some(false));
        assert_eq!(Pred::PT.constant_bit(), Some(true));
        assert_eq!(Reg::R9.register(), Some((RegFile::GPR, 9)));
        assert_eq!(CompOp::from_bits(6), None);
        assert_eq!(BoolOp::from_bits(1), Some(BoolOp::OR));
        assert_eq!((BoolOp::XOR.name(), BoolOp::VALUES.len()), ("XOR", 3));
        assert_eq!(simt::CWMode::C.spelling(), "CLAMP");
        assert_eq!(IExt::NoX.spelling(), "");
        assert_eq!(SImm9::new(-256).map(SImm9::get), Ok(-256));
        assert!(SImm9::new(256).is_err() && SImm9::new(-257).is_err());
        let place =
            CMem::new(UImm17::new(0x160).expect("in range"), Bank::new(3).expect("in range"));
        assert_eq!(
            (place.bank().get(), place.offset().get(), place.bits()),
            (3, 0x160, 3 << 17 | 0x160)
        );
    }

    #[test]
    fn a_constructor_is_usable_in_constants() {
        const INST: Inst = Inst::iadd_rr(Reg::R1, Reg::R2, Reg::R3);
        assert_eq!(Inst::decode_word(INST.word()), Ok(INST));
        assert_eq!(format!("{INST:?}"), format!("IADD_RR(0x{:032x})", INST.word()));
    }
}

/// Typed views, off by default and on in the crate of the awkward instruction set.
mod views {
    use odd::{Inst, Opcode, View};

    #[test]
    fn a_view_tells_the_operation() {
        let inst = Inst::from_values(Opcode::JUMP_X, &[(odd::Field::arg, 1)]).expect("legal");
        let View::Jump(jump) = inst.view() else { panic!("JUMP_X is a form of jump") };
        assert_eq!(jump.arg_imm4().get(), 1);
        assert_eq!(Inst::from(jump), inst);
    }

    /// Whether a view has what getters of its instruction have.
    macro_rules! has_the_same {
        ($view:expr, $($getter:ident)*) => {{
            let inst = Inst::from($view);
            $(assert_eq!(Some($view.$getter()), inst.$getter(), "{inst:?}");)*
        }};
    }

    #[test]
    fn a_view_has_what_getters_have() {
        let (mut random, mut seen) =
            (isadl_test_support::Random::new(35), std::collections::HashSet::new());
        for opcode in isadl_test_support::odd().opcodes() {
            for _ in 0..200 {
                let word = random.next_u128() & !opcode.mask | opcode.value;
                let Ok(inst) = Inst::decode_word(word as odd::Word) else { continue };
                seen.insert(std::mem::discriminant(&inst.view()));
                match inst.view() {
                    View::Move(it) => has_the_same!(it, code src dst gaps x_wide kind x),
                    View::Jump(it) => {
                        has_the_same!(it, code kind arg_imm4 where_pair word_2 low_code)
                    }
                    View::Table(it) => has_the_same!(it, code arg_mini get_2 opcode_2),
                    View::Branch(it) => has_the_same!(it, code kind arg_uns4),
                    View::Load(it) => has_the_same!(it, code dst kind where_address),
                    View::Skip(it) => has_the_same!(it, code kind by_distance times),
                    View::Scale(it) => has_the_same!(it, code kind by_power factor),
                    View::Part(it) => has_the_same!(it, code kind first last),
                    View::System(it) => has_the_same!(it, code kind register mode),
                    View::When(it) => has_the_same!(it, code dst kind condition over record step),
                }
            }
        }
        assert_eq!(seen.len(), 10, "every view");
    }
}
