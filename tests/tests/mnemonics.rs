//! Fields in mnemonics: small specifications against llvm-mc 19, on recorded and random words of every mnemonic; errors
//! for lines that are not instructions; name sets; and generated code.
//!
//! The recorded texts are in `tests/fixtures/mnemonics`; their first lines are the commands.

use std::collections::BTreeSet;

use isadl::engine::{Loaded, TextOptions, TokenKind};
use isadl_test_support::compared::Compared;
use isadl_test_support::compile;
use isadl_test_support::llvm::Llvm;

static COMPARED: [Compared; 2] = [
    Compared {
        name: "power",
        folder: "mnemonics",
        arguments: &["--triple=powerpc64-unknown-unknown", "--ppc-asm-full-reg-names"],
    },
    Compared { name: "a64", folder: "mnemonics", arguments: &["--triple=aarch64", "--mattr=+lse"] },
];

#[test]
fn recorded_instructions_are_those_of_llvm() {
    COMPARED.iter().for_each(|compared| compared.check_recorded(2));
}

#[test]
fn random_instructions_are_those_of_llvm() {
    let Some(llvm) = Llvm::find() else {
        eprintln!("skipped: llvm-mc 19 is not installed");
        return;
    };
    COMPARED.iter().for_each(|compared| compared.check_random(&llvm, (2, 20)));
}

/// An instruction set with values in mnemonics that only some sets of extensions have.
const GUARDED: &str = r#"__DefIsa GUARDED<16>
    Extensions<A, B>;
    Set<both> = A, B;
    Set<first> = A;
    DefaultSet<both>;
    NameSets<long, short>;
    Case = insensitive;

__DefRegFile GPR<32, 8>

__DefOperandType Reg<3>
    r[0..7] = 0 : GPR;

__DefBitFieldType Condition<2>
    EQ as "Equal" also e;
    NE as "Unequal" also u;
    LT = 2 @[B] as "Less" also l;

__DefImmediate Step<2>
    Number = unsigned;
    Bias = 1;

__DefGroup ALL : []

__DefOpcode BRANCH : [ALL]
  __Encoding
    fixed[3:0] == 1;
    field[5:4] Condition condition;
    field[8:6] Reg ra;
    field[10:9] Step step;
    zero[15:11];
  __OperandInfo
    Mnemonic<"B{step}.{condition}">;
    Operands<in ra : 32>;

// The mnemonic of another one, with more dots, is not taken for a value.
__DefOpcode OTHER : [ALL]
  __Encoding
    fixed[3:0] == 2;
    field[8:6] Reg ra;
    zero[5:4];
    zero[15:9];
  __OperandInfo
    Mnemonic<"B.Less.x">;
    Operands<in ra : 32>;
"#;

fn guarded() -> Loaded {
    let (_, compilation) = compile(&[("guarded.isa", GUARDED)]);
    Loaded::new(compilation.family.expect("it is compiled").into_first())
}

#[test]
fn values_of_absent_extensions_are_no_mnemonics() {
    let loaded = guarded();
    let set = |name: &str| loaded.isa().extensions().set_of(&[name.to_string()]).expect("a set");
    let (first, both) = (set("first"), set("both"));
    let engine = |set| loaded.engine().with_extensions(set);
    let line = "b3.less r2";
    let inst = engine(both).assemble(line).expect("the set has it");
    assert_eq!(engine(both).text(inst), "B3.Less r2");
    let error = engine(first).assemble(line).expect_err("the set lacks it");
    assert_eq!(error.message, "`B3.Less` needs extension B");
    assert_eq!(error.column, 1);
    assert!(engine(first).decode(inst.word).is_err());
    let unknown = |line: &str| engine(both).assemble(line).expect_err("no mnemonic").message;
    assert_eq!(unknown("b3.lass r2"), "unknown mnemonic `b3.lass`; did you mean `B3.Less`?");
    assert_eq!(unknown("b5 r2"), "unknown mnemonic `b5`");
}

#[test]
fn names_of_sets_and_any_case_are_read() {
    let loaded = guarded();
    let engine = loaded.engine();
    for (line, long, short) in [
        ("b1.equal r0", "B1.Equal r0", "B1.e r0"),
        ("B4.UNEQUAL R7", "B4.Unequal r7", "B4.u r7"),
        ("b2.L r1", "B2.Less r1", "B2.l r1"),
    ] {
        let inst = engine.assemble(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(engine.text(inst), long);
        let mut text = Vec::new();
        engine.append_text_with(
            inst,
            TextOptions { names: 1, ..TextOptions::default() },
            &mut text,
        );
        assert_eq!(String::from_utf8_lossy(&text), short);
        for printed in [long, short] {
            assert_eq!(engine.assemble(printed), Ok(inst));
            let mut pieces = Vec::new();
            engine.tokens(inst, printed, |kind, piece| pieces.push((kind, piece)));
            let mnemonic = printed.split(' ').next().expect("a word");
            assert_eq!(pieces[0], (TokenKind::Mnemonic, mnemonic));
        }
    }
}

/// The mnemonics of an instruction set say all that they say once.
#[test]
fn every_choice_of_values_is_one_mnemonic() {
    let loaded = COMPARED[1].loaded();
    let isa = loaded.isa();
    let count = |name: &str| {
        let opcode = &isa.opcode(isa.find_opcode(name).expect("an opcode"));
        let all = isa.mnemonics(opcode);
        let printed: BTreeSet<u128> =
            all.iter().filter(|m| m.is_printed).map(|m| m.fields.value).collect();
        (all.len(), printed.len())
    };
    // Sixteen conditions; two of them have two names.
    assert_eq!(count("B_COND"), (18, 16));
    assert_eq!(count("LOAD_AND_WORDS"), (8 * 2 * 2 * 4, 8 * 2 * 2 * 4));
    // Its size is fixed.
    assert_eq!(count("LOAD_AND_DOUBLES"), (8 * 2 * 2, 8 * 2 * 2));
    assert_eq!(count("ADC"), (2, 2));
}

mod generated {
    use isadl_traits::Instruction;
    use odd::{Inst, Opcode, TokenKind};

    fn parse(line: &str) -> Inst {
        Inst::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    #[test]
    fn mnemonics_have_the_values_of_their_fields() {
        assert_eq!(Opcode::WHEN_X.mnemonic(), "if.{condition}_{step}{over}{record}");
        for (line, text, mnemonic) in [
            ("if.hs_2o. r1", "if.hs_2o. r1", "if.hs_2o."),
            ("when.cs_3 r0", "if.hs_3 r0", "if.hs_3"),
            ("if.al_0. r4", "if.al_0. r4", "if.al_0."),
            ("if.eq_1o r4", "if.eq_1o r4", "if.eq_1o"),
            ("at2. r4", "at2. r4", "if.eq_2."),
            ("if.eq_3o r4", "at3o r4", "if.eq_3o"),
        ] {
            let inst = parse(line);
            assert_eq!(inst.text().as_str(), text);
            assert_eq!(inst.mnemonic(), mnemonic);
            assert_eq!(Instruction::mnemonic(inst), mnemonic);
            let mut pieces = Vec::new();
            inst.tokens(|kind, piece| pieces.push((kind, piece.to_string())));
            let printed = text.split(' ').next().expect("a word").to_string();
            assert_eq!(pieces[0], (TokenKind::Mnemonic, printed));
        }
        assert_eq!(parse("move r1, pc").mnemonic(), "move");
        for line in ["if.hs_4 r1", "if.hs_2.. r1", "if.hs r1", "if_2 r1", "at1 r4", "if.hs_2.o r1"]
        {
            assert!(Inst::parse(line).is_err(), "{line}");
        }
    }
}
