//! Types of values in generated code: numbers that are not their bits, and values without a name.

/// Numbers that are not their bits: the types take and give values.
mod values {
    use odd::{Distance, Inst, Times};

    #[test]
    fn immediates_are_made_of_values() {
        for value in -20..=20 {
            let is_value = value % 2 == 0 && (-16..=14).contains(&value) && value != 0;
            let distance = Distance::new(value);
            assert_eq!(distance.is_ok(), is_value, "{value}");
            assert!(distance.is_err() || distance.map(|d| i128::from(d.get())) == Ok(value));
            let times = Times::new(value).map(|times| i128::from(times.get()));
            assert_eq!(times.ok(), Some(value).filter(|value| (1..=8).contains(value)));
        }
        assert_eq!(Distance::new(-2).map(Distance::bits), Ok(15));
        assert_eq!(Distance::from_bits(0), None);
        assert_eq!(Distance::from_bits(16), None);
        let error = Distance::new(7).expect_err("it is odd").to_string();
        assert_eq!(error, "not a value: these are among -16 to 14 in steps of 2");
    }

    #[test]
    fn constructors_getters_and_texts_have_values() {
        let (by, times) = (Distance::new(-6).expect("a value"), Times::new(2).expect("a value"));
        let inst = Inst::skip_x(by).with_times(times).expect("legal");
        assert_eq!(inst.to_string(), "skip #-6, 0x2");
        assert_eq!(inst.by_distance().map(Distance::get), Some(-6));
        assert_eq!("skip -6, 2".parse(), Ok(inst));
        let kind = |line: &str| line.parse::<Inst>().expect_err("it is wrong").kind;
        assert_eq!(kind("skip 7, 2"), odd::ParseErrorKind::NotMultiple);
        assert_eq!(kind("skip 16, 2"), odd::ParseErrorKind::OutOfRange);
        assert_eq!(kind("skip 0, 2"), odd::ParseErrorKind::Unfit);
        assert!(matches!(kind("skip 12, 2"), odd::ParseErrorKind::Rule(_)));
    }
}

/// Numbers that are computed: the types find the bits of a value.
mod computed {
    use odd::{Constant, Inst, ParseErrorKind, Power};

    #[test]
    fn types_are_made_of_numbers() {
        for value in -5..=9000 {
            let is_value = value == -1 || value == 0 || value > 0 && (value & (value - 1)) == 0;
            let power = Power::new(value);
            assert_eq!(power.is_ok(), is_value && value <= 4096, "{value}");
            assert!(power.is_err() || power.map(|power| i128::from(power.get())) == Ok(value));
        }
        assert_eq!(Power::new(-1).map(Power::bits), Ok(15));
        assert_eq!(Power::from_bits(14), None);
        let half = Constant::from_number(1.5f32.to_bits().into()).expect("a number");
        assert_eq!(half.bits(), 1);
        // 14 and 15 are one number; the lower is taken.
        let last = Constant::from_bits(15).expect("a value").number();
        assert_eq!(Constant::from_number(last).map(Constant::bits), Some(14));
        assert_eq!(Constant::from_number(1.25f32.to_bits().into()), None);
    }

    #[test]
    fn constructors_getters_and_texts_have_values() {
        let factor = Constant::from_number(2f32.to_bits().into()).expect("a number");
        let by = Power::new(16).expect("a number");
        let inst = Inst::scale_x(by).with_factor(factor).expect("legal");
        assert_eq!(inst.to_string(), "scale 0x10, #2");
        assert_eq!("scale 16, 2".parse(), Ok(inst));
        assert_eq!(inst.by_power().map(Power::get), Some(16));
        let kind = |line: &str| line.parse::<Inst>().expect_err("it is wrong").kind;
        assert_eq!(kind("scale 17, #1"), ParseErrorKind::NotEncoded);
        assert_eq!(kind("scale 16, #1.25"), ParseErrorKind::NotEncoded);
        assert!(matches!(kind("scale 1024, #1"), ParseErrorKind::Rule(_)));
    }
}

/// Operands that are computed from fields: constructors of aliases take the values.
mod operands {
    use odd::{EncodeError, End, FromTop, Inst, Opcode, Uns4};

    #[test]
    fn aliases_are_made_of_their_values() {
        let uns4 = |value: i128| Uns4::new(value).expect("a value");
        let plain = Inst::part_x(uns4(0), uns4(6));
        let upto = Inst::upto(End::new(7).expect("a value")).expect("seven");
        assert_eq!((upto, upto.to_string().as_str()), (plain, "upto 7"));
        let one = Inst::one(FromTop::new(3).expect("a value"));
        assert_eq!((one.word(), one.to_string().as_str()), (part(12, 12), "one 3"));
        let two = Inst::two(uns4(9)).expect("two in a row");
        assert_eq!((two.word(), two.to_string().as_str()), (part(9, 10), "two 9"));
        // The fields of an operand of several are given.
        let some = Inst::some(uns4(3), uns4(7)).expect("a part");
        assert_eq!((some.word(), some.to_string().as_str()), (part(3, 7), "some 3, 5"));
        // Values outside the alias are refused, and not made into another instruction.
        let refused = |alias| EncodeError::Alias { opcode: Opcode::PART_X, alias };
        assert_eq!(Inst::two(uns4(15)), Err(refused("two")));
        assert_eq!(refused("two").to_string(), "PART_X: two is not for these values");
        for (first, last) in (0..16).flat_map(|first| (0..16).map(move |last| (first, last))) {
            let built = Inst::some(uns4(first), uns4(last));
            let is_meant = (-1..15).contains(&(last - first));
            assert_eq!(
                built.map(Inst::word),
                if is_meant { Ok(part(first, last)) } else { Err(refused("some")) }
            );
        }
    }

    fn part(first: i128, last: i128) -> u32 {
        let uns4 = |value| Uns4::new(value).expect("a value");
        Inst::part_x(uns4(first), uns4(last)).word()
    }

    #[test]
    fn each_pair_has_one_text() {
        for (first, last) in (0..16).flat_map(|first| (0..16).map(move |last| (first, last))) {
            let word = part(first, last);
            let text = Inst::decode_word(word).expect("an instruction").to_string();
            let expected = match last - first {
                _ if first == 0 && last < 15 => format!("upto {}", last + 1),
                0 => format!("one {}", 15 - first),
                1 => format!("two {first}"),
                by if (-1..15).contains(&by) => format!("some {first}, {}", by + 1),
                _ => format!("part {first}, {last}"),
            };
            assert_eq!(text, expected);
            assert_eq!(text.parse::<Inst>().map(|read| read.word()), Ok(word), "{text}");
        }
        assert!("some 3, 14".parse::<Inst>().is_err());
        assert!("two 15".parse::<Inst>().is_err());
    }
}

/// Values without a name: the types hold them too.
mod others {
    use odd::{Inst, Mode, System};

    #[test]
    fn types_hold_values_without_a_name() {
        for bits in 0..1 << 9 {
            // Numbers below -200 have no name either.
            let is_legal = !(256..312).contains(&bits) || [0x100, 0x110].contains(&bits);
            let value = System::from_bits(bits);
            assert_eq!(value.is_some(), is_legal, "{bits}");
            let Some(value) = value else { continue };
            assert_eq!(value.bits(), bits);
            let text = value.to_string();
            let number = if bits < 256 { bits as i64 } else { bits as i64 - 512 };
            let sign = if number < 0 { "-" } else { "" };
            let expected = match bits {
                1 => "clock".to_string(),
                8..=13 => format!("bank{}", bits - 8),
                32..=34 => format!("wide{}", (bits - 32) * 2),
                0x100 => "status".to_string(),
                0x110 => "clock.t".to_string(),
                _ => format!("#{sign}{:#x}", number.unsigned_abs()),
            };
            assert_eq!(text, expected);
            assert_eq!(value.is_named(), !text.starts_with('#'));
            assert_eq!(text.parse(), Ok(value));
            if ![0x100, 0x110].contains(&bits) {
                assert_eq!(number.to_string().parse(), Ok(value));
            }
        }
        assert!("#0x200".parse::<System>().is_err() && "".parse::<System>().is_err());
        assert!("#0x+2".parse::<System>().is_err() && "--2".parse::<System>().is_err());
        assert_eq!(System::clock.bits(), 1);
        // The constant has the name, the text has the spelling.
        assert_eq!((System::mask.bits(), System::mask), (0x110, System::masked));
        assert_eq!(System::mask.to_string(), "clock.t");
        for text in ["clock.t", "masked"] {
            assert_eq!(text.parse(), Ok(System::mask), "{text}");
        }
        assert!("mask".parse::<System>().is_err());
    }

    #[test]
    fn enumerations_with_other_values_are_not_closed() {
        assert_eq!(Mode::VALUES, [Mode::NEAR, Mode::DOWN]);
        assert_eq!((Mode::DOWN.name(), Mode::DOWN.spelling()), ("DOWN", "rdn"));
        let other = Mode::from_bits(13).expect("it is legal");
        assert!(!other.is_named() && Mode::NEAR.is_named());
        assert_eq!((other.name(), other.to_string().as_str()), ("", "0xd"));
        assert_eq!(Mode::from_bits(16), None);
    }

    #[test]
    fn instructions_have_values_without_a_name() {
        let register = System::from_bits(511).expect("it is legal");
        let inst = Inst::system_x(register);
        assert_eq!(inst.to_string(), "system #-0x1");
        assert_eq!(inst.register(), Some(register));
        let inst = inst.with_mode(Mode::from_bits(13).expect("it is legal")).expect("legal");
        assert_eq!(inst.to_string(), "system #-0x1, m3_1");
        assert_eq!("system -1, m3_1".parse(), Ok(inst));
        let named = "system clock, rne".parse::<Inst>().expect("it is one");
        assert_eq!("system 1, m0_0".parse(), Ok(named));
        assert_eq!(named.to_string(), "system clock, rne");
        assert!("system 1, m0_4".parse::<Inst>().is_err());
    }
}
