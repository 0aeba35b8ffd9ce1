//! Numbers that differ from their bits: scale, bias, exceptions and prefix of immediates, checked value by value.

use isadl::isa::{Family, TypeKind};
use isadl::source::SourceMap;
use isadl_codegen::diff::{self, Side};
use isadl_test_support::{Set, compile, prelude};

/// A specification with one type `Number<width>` and an opcode with a field of it.
fn specification(width: u32, body: &str, rule: &str) -> (SourceMap, Family) {
    let text = format!(
        "__DefImmediate Number<{width}>\n    {body}\n\n__DefOptype USE : [ALL]\n\n\
         __DefOpcode USE_X : [USE]\n  __Encoding\n    field<0, 8> Code code == 1;\n    \
         field<8, {width}> Number number;\n  __OperandInfo\n    InList<number>;\n    \
         Order<number>;\n{rule}"
    );
    let wide = prelude().replace("__DefIsa DEMO<32>", "__DefIsa DEMO<64>");
    let (sources, compilation) = compile(&[("prelude.isa", wide), ("number.isa", text)]);
    match compilation.family {
        Some(family) => (sources, family),
        None => panic!("{body}: {:?}", compilation.diagnostics),
    }
}

/// The same as an instruction set.
fn set(width: u32, body: &str, rule: &str) -> Set {
    specification(width, body, rule).1.into_first().into()
}

/// Whether bits are a legal value.
fn is_legal(set: &Set, bits: u64) -> bool {
    let ty = set.types().iter().find(|ty| ty.name == "Number").expect("it is defined");
    ty.is_legal(bits)
}

#[test]
fn excepted_values_are_those_for_which_the_condition_holds() {
    let signed = |bits: u64, width: u32| (bits << (64 - width)) as i64 >> (64 - width);
    type Condition = fn(i64, u64) -> bool;
    let conditions: [(&str, Condition); 9] = [
        ("value == 0", |value, _| value == 0),
        ("value > -3 and value <= 4", |value, _| value > -3 && value <= 4),
        ("bits % 3 == 1", |_, bits| bits % 3 == 1),
        ("value * value == 16", |value, _| value * value == 16),
        ("bits & 5 == 4 or value == -1", |value, bits| bits & 5 == 4 || value == -1),
        ("not (bits >> 2 == 1)", |_, bits| bits >> 2 != 1),
        ("bits ^ 9 < 6", |_, bits| bits ^ 9 < 6),
        ("clz(bits, 8) == 3", |_, bits| bits << 56 >> 56 != 0 && (bits as u8).leading_zeros() == 3),
        ("if(value < 0, bits, value) / 4 == 2", |value, bits| {
            (if value < 0 { bits } else { value as u64 }) / 4 == 2
        }),
    ];
    for (condition, holds) in conditions {
        for (width, scale, bias) in [(4, 1, 0), (7, 2, 0), (8, -1, 5), (10, 4, -3), (16, 1, 0)] {
            let body = format!(
                "Number = signed;\n    Scale = {scale};\n    Bias = {bias};\n    \
                 Except = {condition};"
            );
            let reserved_values: Vec<bool> = (0..1 << width)
                .map(|bits| holds(signed(bits, width) * scale + bias, bits))
                .collect();
            if !reserved_values.contains(&true) || !reserved_values.contains(&false) {
                continue;
            }
            let set = set(width, &body, "");
            for (bits, is_reserved) in reserved_values.iter().enumerate() {
                assert_eq!(is_legal(&set, bits as u64), !is_reserved, "{body}: {bits}");
            }
        }
    }
}

/// Ranges of wide types are found without looking at each value.
#[test]
fn wide_types_have_exceptions() {
    let body =
        "Number = signed;\n    Except = value < -1000000000000 or value == 7 or value > 3000;";
    let set = set(48, body, "");
    let ty = set.types().iter().find(|ty| ty.name == "Number").expect("it is defined");
    let least = (-1_000_000_000_000i64) as u64 & 0xffff_ffff_ffff;
    assert_eq!(ty.reserved_values(), [(7, 8), (3001, u128::from(least))]);
    assert!(
        matches!(&ty.kind, TypeKind::Immediate(number) if number.reserved_values == ty.reserved_values())
    );
}

/// The integer that a text is, for every integer around those that bits hold.
#[test]
fn every_value_is_printed_and_read_and_no_other() {
    for (number, low) in [("unsigned", 0i64), ("signed", -16)] {
        for (scale, bias) in [(1, 0), (2, 0), (4, 3), (-1, 31), (3, -7), (-8, 0)] {
            for (print, prefix) in [("decimal", ""), ("hex", "#"), ("HEX", "=:"), ("binary", "%")] {
                let given = if prefix.is_empty() {
                    String::new()
                } else {
                    format!("Prefix = \"{prefix}\";")
                };
                let body = format!(
                    "Number = {number};\n    Print = {print};\n    Scale = {scale};\n    \
                     Bias = {bias};\n    {given}"
                );
                let set = set(5, &body, "");
                let values: Vec<i64> = (low..low + 32).map(|bits| bits * scale + bias).collect();
                for value in -300i64..300 {
                    let (sign, magnitude) = (if value < 0 { "-" } else { "" }, value.abs());
                    let digits = match print {
                        "decimal" => format!("{magnitude}"),
                        "hex" => format!("0x{magnitude:x}"),
                        "HEX" => format!("0x{magnitude:X}"),
                        _ => format!("0b{magnitude:b}"),
                    };
                    let bits = values.iter().position(|known| *known == value);
                    let texts = [
                        format!("USE {prefix}{sign}{digits}"),
                        format!("USE {value}"),
                        format!("USE {prefix} {value}"),
                        format!("USE  {sign} 0x{magnitude:x}"),
                    ];
                    for text in &texts {
                        let found = set.assemble(text).ok().map(|inst| inst.word >> 8);
                        // Without a scale numbers in hexadecimal may be patterns of bits.
                        let is_pattern = (scale, bias, low) == (1, 0, -16)
                            && (16..32).contains(&value)
                            && text.contains("0x") | text.contains("0b");
                        let bits = bits.map(|at| (low + at as i64) as u128 & 31);
                        let expected = if is_pattern { Some(value as u128) } else { bits };
                        assert_eq!(found, expected, "{body}: {text}");
                    }
                    if bits.is_some() {
                        let inst = set.assemble(&texts[0]).expect("it is read");
                        assert_eq!(set.text(inst), texts[0], "{body}");
                    }
                }
            }
        }
    }
}

#[test]
fn errors_say_which_values_there_are() {
    let branch = set(
        12,
        "Number = signed;\n    Scale = 2;\n    Bias = 0;\n    Prefix = \"#\";\n    \
         Except = value == 0;",
        "",
    );
    let odd = set(4, "Number = unsigned;\n    Scale = 4;\n    Bias = 3;", "");
    let cases = [
        (&branch, "USE 7", "`7` is not a multiple of 2"),
        (&branch, "USE #-3", "`-3` is not a multiple of 2"),
        (&branch, "USE 4096", "`4096` is out of range: the values are -4096 to 4094 in steps of 2"),
        (&branch, "USE -4097", "out of range: the values are -4096 to 4094 in steps of 2"),
        (&branch, "USE 4095", "out of range: the values are -4096 to 4094 in steps of 2"),
        (&branch, "USE 99999999999999999999", "out of range"),
        (&branch, "USE 0", "`USE_X` cannot have this value of `number`: #0 is not allowed"),
        (&branch, "USE R1", "expected an integer from -4096 to 4094 in steps of 2"),
        (&odd, "USE 8", "`8` is not a value: these are 3 to 63 in steps of 4"),
        (&odd, "USE 2", "out of range: the values are 3 to 63 in steps of 4"),
    ];
    for (set, line, expected) in cases {
        let error = set.assemble(line).expect_err("it is wrong").to_string();
        assert!(error.contains(expected), "{line}: {error}");
    }
}

/// In rules a field is its value, and `bits` gives the bits.
#[test]
fn rules_are_about_values() {
    let rule =
        "  __Exception\n    EncodingError<Far, \"far\"> = number > 6 or bits(number) == 3;\n";
    let set = set(4, "Number = signed;\n    Scale = 4;\n    Bias = -2;", rule);
    for bits in 0u128..16 {
        let value = ((bits << 4) as u8 as i8 >> 4) as i32 * 4 - 2;
        let is_legal = value <= 6 && bits != 3;
        assert_eq!(set.engine().decode(bits << 8 | 1).is_ok(), is_legal, "{value}");
    }
}

/// The values of a number are compared; changes of legality are reported value by value.
#[test]
fn values_of_versions_are_compared() {
    let base = specification(4, "Number = unsigned;", "");
    let cases: [(&str, &[&str]); 7] = [
        ("Scale = 2;", &["D110"]),
        ("Bias = -1;", &["D110"]),
        ("Relative = next - 4;", &["D110"]),
        ("Except = value == 9;", &["D202"]),
        ("Except = value > 9 and value != 12;", &["D202", "D202"]),
        ("Prefix = \"#\";", &["D307"]),
        ("Prefix = \"#\";\n    Except = bits == 5;", &["D202", "D307"]),
    ];
    for (more, expected) in cases {
        let new = specification(4, &format!("Number = unsigned;\n    {more}"), "");
        let [old, new] =
            [&base, &new].map(|(sources, family)| Side { family, programs: &[], sources });
        let codes = |old, new| -> Vec<String> {
            let report = diff::versions(old, new);
            report.findings().map(|(finding, _)| finding.kind.code().to_string()).collect()
        };
        assert_eq!(codes(old, new), expected, "{more}");
        let back: Vec<String> = expected.iter().map(|code| code.replace("D202", "D203")).collect();
        assert_eq!(codes(new, old), back, "{more}");
        let text = diff::text(&diff::versions(old, new));
        if more.contains("12") {
            for value in ["value `10 to 11` of type `Number`", "value `13 to 15` of type `Number`"]
            {
                assert!(text.contains(value), "{text}");
            }
        }
    }
}
