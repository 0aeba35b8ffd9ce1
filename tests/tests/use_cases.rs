//! The smallest instruction sets that users reported, each a class of faults: they have no findings, and all texts of
//! instructions of up to 16 bits are read back.

use isadl::engine::{DecodeError, Loaded};
use isadl_test_support::{compile, family, root};

use crate::cli::isadl;

#[test]
fn reported_instruction_sets_have_no_findings() {
    let folder = root().join("tests/fixtures/use");
    let files = std::fs::read_dir(&folder).expect("the folder is there");
    let mut names: Vec<String> = files
        .map(|file| file.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        let (status, output) = isadl(&folder, &["check", "-D", "warnings", &name]);
        assert_eq!(status, Some(0), "{name}: {output}");
        let loaded = Loaded::new(family(&format!("tests/fixtures/use/{name}")).into_first());
        let engine = loaded.engine();
        let width = engine.isa().width();
        for word in 0..if width > 16 { 0 } else { 1u128 << width } {
            let Ok(inst) = engine.decode(word) else { continue };
            let text = engine.text(inst);
            assert_eq!(engine.assemble(&text).ok(), Some(inst), "{name}: {text}");
        }
    }
}

/// A `Match` message explains the fault of a word to decoders and assemblers.
#[test]
fn what_match_says_is_told() {
    let source = r#"
__DefIsa T<8>

__DefImmediate Num<4>
    Number = unsigned;

__DefGroup ALL : []

__DefOpcode COUNT : [ALL]
  __Encoding
    fixed[7:4] == 1; field[3:0] Num n;
    Match<"counts begin at 3"> = n > 2;
    Match = n < 14; Match = n != 13;
  __OperandInfo
    Mnemonic<"count">; Operands<n>;
"#;
    let (_, compilation) = compile(&[("match.isa", source)]);
    let loaded = Loaded::new(compilation.family.expect("no error").into_first());
    let engine = loaded.engine();
    for n in 0..16u128 {
        let message = match n {
            0..3 => Some("counts begin at 3"),
            13.. => Some("the word does not meet the conditions of `Match`"),
            _ => None,
        };
        let read = engine.assemble(&format!("count {n}"));
        assert_eq!(read.err().map(|error| error.message).as_deref(), message, "{n}");
        let rule = match engine.decode(0x10 | n) {
            Err(DecodeError::Rule { rule, .. }) => Some(engine.isa().rule(rule).message.as_str()),
            found => found.err().map(|_| "another reason"),
        };
        assert_eq!(rule, message, "{n}");
    }
}

/// Integers of either sign are read as the same bits; everything else has the sign that is named first.
#[test]
fn integers_are_read_with_either_sign() {
    let loaded = Loaded::new(family("tests/fixtures/use/either_sign.isa").into_first());
    let engine = loaded.engine();
    for value in -40..80i64 {
        let read = |line: String| engine.assemble(&line).ok().map(|inst| inst.word);
        let bits = (-32..64).contains(&value).then_some(value as u128 & 63);
        let first = bits.map(|bits| 0x1000 | bits << 6);
        assert_eq!(read(format!("set {value}, #0")), first, "{value}");
        assert_eq!(read(format!("set 0, {value}")), bits.map(|bits| 0x1000 | bits), "{value}");
    }
    let inst = engine.assemble("set -2, #62").expect("an instruction");
    assert_eq!(engine.text(inst), "set 62, #-2");
}
