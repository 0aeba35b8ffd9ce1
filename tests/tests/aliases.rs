//! Aliases of several opcodes and groups, and fields that follow from others: which words each alias is for, word by
//! word against a condition that is stated here.

use isadl::diagnostic::Code;
use isadl::engine::Loaded;
use isadl_test_support::compile;

/// Checks that exactly the words that satisfy `is_meant` have a text that begins with `mnemonic`, and that all texts
/// are read back. Returns their number.
fn count_words(source: &str, mnemonic: &str, is_meant: impl Fn(u128) -> bool) -> usize {
    let (_, compilation) = compile(&[("aliases.isa", source)]);
    let found: Vec<_> = compilation.diagnostics.iter().map(|one| &one.message).collect();
    assert!(found.is_empty(), "{found:?}");
    let loaded = Loaded::new(compilation.family.expect("no error").into_first());
    let engine = loaded.engine();
    let mut count = 0;
    // Words of sixteen bits begin with zeros here.
    for word in 0..1u128 << engine.isa().width().min(10) {
        let Ok(inst) = engine.decode(word) else { continue };
        let text = engine.text(inst);
        let is_alias = text.split(' ').next() == Some(mnemonic);
        assert_eq!(is_alias, is_meant(word), "0x{word:x}: {text}");
        assert_eq!(engine.assemble(&text).ok(), Some(inst), "0x{word:x}: {text}");
        count += usize::from(is_alias);
    }
    count
}

/// The number that four bits are.
fn signed(bits: u128) -> i128 {
    (bits & 15) as i128 - if bits & 8 != 0 { 16 } else { 0 }
}

const OPERATIONS: &str = r#"
__DefIsa T<8>

__DefImmediate Num<4>
    Number = unsigned;

__DefBitFieldType Op<4>
    ADD;
    SUB;
    AND;

__DefGroup ALL : []
  __Encoding
    field[7:4] Op op;
    field[3:0] Num k;
  __OperandInfo
    Operands<k>;

__DefInstructions : [ALL]
    SUB "sub" op == SUB;
    ADD "add" op == ADD;
    AND "and" op == AND;
"#;

/// An opcode that an alias of a group can never match has no alias: no finding, and no constructor that always fails.
#[test]
fn opcodes_that_an_alias_cannot_have_are_left_out() {
    for condition in [r#"Match = op == "ADD";"#, "fix op == ADD;"] {
        let alias = format!(
            "__DefAlias INC : [ALL]\n  __Encoding\n    fix k == 1; {condition}\n  __OperandInfo\n    Mnemonic<\"inc\">;"
        );
        let source = format!("{OPERATIONS}\n{alias}\n");
        assert_eq!(count_words(&source, "inc", |word| word == 0x01), 1);
        let (_, compilation) = compile(&[("aliases.isa", &source)]);
        let isa = compilation.family.expect("no error").into_first();
        let with = |name: &str| isa.opcodes().iter().find(|one| one.name == name);
        let count = |name: &str| with(name).map(|opcode| opcode.aliases.len());
        assert_eq!(["ADD", "SUB", "AND"].map(count), [Some(1), Some(0), Some(0)]);
    }
}

/// A computed field of an alias becomes a condition if one of its opcodes fixes the field.
#[test]
fn a_field_that_an_opcode_fixes_is_compared() {
    let source = r#"
__DefIsa T<8>

__DefImmediate Num<2>
    Number = unsigned;

__DefGroup ALL : []
  __Encoding
    field[5:4] Num c; field[3:2] Num a; field[1:0] Num b;

__DefOpcode OPEN : [ALL]
  __Encoding
    fixed[7:6] == 1;
  __OperandInfo
    Mnemonic<"open">; Operands<c, a, b>;

__DefOpcode FIXED : [ALL]
  __Encoding
    fixed[7:6] == 2; fix a == 2;
  __OperandInfo
    Mnemonic<"fixed">; Operands<c, b>;

__DefAlias SHORT : [OPEN, FIXED]
  __Encoding
    fix a == FIX;
  __OperandInfo
    Mnemonic<"short">; Order<c, b>;
"#;
    // Texts of the two are alike, so only printed texts are compared.
    for (computed, of) in [("b + 1", 1), ("b", 0), ("2", 4)] {
        let source = source.replace("FIX;", &format!("{computed};"));
        let is_meant = |word: u128| {
            let (a, b) = (word >> 2 & 3, word & 3);
            if of == 4 { a == 2 } else { a == b + of }
        };
        let (_, compilation) = compile(&[("aliases.isa", &source)]);
        let loaded = Loaded::new(compilation.family.expect("no error").into_first());
        let engine = loaded.engine();
        for word in 0x40..0xc0u128 {
            let Ok(inst) = engine.decode(word) else { continue };
            let is_alias = engine.text(inst).starts_with("short");
            assert_eq!(is_alias, is_meant(word), "{computed}: 0x{word:x}");
        }
    }
}

/// An alias of several opcodes that none of them can have is reported.
#[test]
fn aliases_of_no_opcode_are_reported() {
    for condition in [r#"Match = op == "SUB";"#, "fix op == SUB;"] {
        let source = format!(
            "{OPERATIONS}\n__DefAlias INC : [ADD, AND]\n  __Encoding\n    {condition}\n  __OperandInfo\n    Mnemonic<\"inc\">;\n"
        );
        let (_, compilation) = compile(&[("aliases.isa", &source)]);
        let found: Vec<_> = compilation.diagnostics.iter().map(|one| one.code).collect();
        assert_eq!(found, [Code::W0917], "{condition}");
    }
}

/// Opcodes that declare fields of the same names share an alias.
#[test]
fn an_alias_has_opcodes_with_fields_of_their_own() {
    let source = r#"
__DefIsa T<16>

__DefImmediate Num<2>
    Number = unsigned;

__DefBitFieldType Name<2>
    zero; one; two; three;

__DefGroup ALL : []

__DefOpcode A : [ALL]
  __Encoding
    fixed[15:4] == 1; field[1:0] Num k; field[3:2] Num n;
  __OperandInfo
    Mnemonic<"a">; Operands<k, n>;

__DefOpcode B : [ALL]
  __Encoding
    fixed[15:4] == 2; field[3:2] Num k; field[1:0] Name n;
  __OperandInfo
    Mnemonic<"b">; Operands<k, n>;

__DefAlias NONE : [A, B]
  __Encoding
    fix k == 0;
  __OperandInfo
    Mnemonic<"none">; Order<n>;
"#;
    let is_meant = |word: u128| match word >> 4 {
        1 => word & 3 == 0,
        _ => word >> 2 & 3 == 0,
    };
    assert_eq!(count_words(source, "none", is_meant), 8);
}

/// A value computed by `fix` is the value of a field, with its sign, scale and bias, including distances. Words with
/// other bits do not belong to the alias.
#[test]
fn computed_fields_have_the_value_that_is_said() {
    let value = |scale: i128, bias: i128, bits: u128| signed(bits) * scale + bias;
    for (scale, bias) in [(1, 0), (2, 0), (4, 1), (-3, 2)] {
        for relative in ["", "Relative = start;", "Relative = next;"] {
            for (computed, expected) in [
                (
                    "b + 2",
                    Box::new(move |bits| value(scale, bias, bits) + 2) as Box<dyn Fn(u128) -> i128>,
                ),
                ("bits(b) - 3", Box::new(|bits| (bits & 15) as i128 - 3)),
                ("-b", Box::new(move |bits| -value(scale, bias, bits))),
            ] {
                let source = format!(
                    r#"
__DefIsa T<16>

__DefImmediate Number<4>
    Number = signed; Scale = {scale}; Bias = {bias}; {relative}

__DefGroup ALL : []

__DefOpcode ADD : [ALL]
  __Encoding
    fixed[15:8] == 1; field[7:4] Number a; field[3:0] Number b;
  __OperandInfo
    Mnemonic<"add">; Operands<a, b>;

__DefAlias NEXT : [ADD]
  __Encoding
    fix a == {computed};
  __OperandInfo
    Mnemonic<"next">; Order<b>;
"#
                );
                let is_meant = |word: u128| value(scale, bias, word >> 4) == expected(word);
                let meant = (0..256).filter(|word| is_meant(*word)).count();
                if meant > 0 {
                    assert_eq!(count_words(&source, "next", is_meant), meant);
                }
            }
        }
    }
}
