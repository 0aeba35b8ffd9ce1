//! Values with several texts, and values without a name: printed and accepted texts.

use isadl::diagnostic::Severity;
use isadl::engine::{Loaded, TextOptions};
use isadl::isa::Isa;
use isadl_test_support::{Set, compile, prelude};

use crate::manual::{page, small};

/// A specification of an opcode with an operand `value` of type `Value<12>`, and another that writes it within a
/// template.
fn set(types: &str) -> Set {
    let reads = match types.contains("OperandType") {
        true => "\n    InList<value>;\n    Bitwidth<value> = 32;",
        false => "",
    };
    let text = format!(
        "{types}\n__DefOptype PLAIN : [ALL]\n\n__DefOpcode PLAIN_X : [PLAIN]\n  __Encoding\n    \
         field<0, 8> Code code == 1;\n    field<8, 12> Value value;\n  __OperandInfo\n    \
         Order<value>;{reads}\n\n\
         __DefOptype WITHIN : [ALL]\n\n__DefOpcode WITHIN_X : [WITHIN]\n  __Encoding\n    \
         field<0, 8> Code code == 2;\n    field[31:20] Value value;\n    field<8, 4> Reg base;\n  \
         __OperandInfo\n    Operand<address> = \"[{{base}}{{?, {{value}}}}]\";\n    \
         Order<address>;\n"
    )
    .replace("Value value;\n    field<8", "Value value = mstatus;\n    field<8");
    let (_, compilation) = compile(&[("prelude.isa", prelude()), ("values.isa", text)]);
    match compilation.family {
        Some(family) => family.into_first().into(),
        None => {
            let errors = compilation.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            panic!("{types}: {:?}", errors.map(|d| &d.message).collect::<Vec<_>>())
        }
    }
}

/// Checks that a value is printed so in both opcodes, and read from all texts.
fn is_written(isa: &Isa, loaded: &Loaded, raw: u128, printed: &str, texts: &[String]) {
    let engine = loaded.engine();
    let words = [raw << 8 | 1, raw << 20 | 3 << 8 | 2];
    let line = |text: &str| [format!("PLAIN {text}"), format!("WITHIN [R3, {text}]")];
    for (at, word) in words.into_iter().enumerate() {
        let inst = engine.decode(word).unwrap_or_else(|why| panic!("{raw} in {at}: {why:?}"));
        let expected = match (at, raw) {
            (1, 0x300) => "WITHIN [R3]".to_string(),
            _ => line(printed)[at].clone(),
        };
        assert_eq!(engine.text(inst), expected, "{}", isa.opcode(inst.opcode).name);
        for text in texts {
            let line = &line(text)[at];
            let read = engine.assemble(line).unwrap_or_else(|why| panic!("{line}: {why}"));
            assert_eq!(read, inst, "{line}");
        }
    }
}

const NAMES: [(u128, &str); 4] = [(1, "fflags"), (2, "frm"), (0x300, "mstatus"), (0x305, "mtvec")];

fn names() -> String {
    NAMES.map(|(raw, name)| format!("    {name} = {raw};\n")).concat()
}

fn name_of(raw: u128) -> Option<&'static str> {
    NAMES.iter().find(|(named, _)| *named == raw).map(|(_, name)| *name)
}

#[test]
fn values_without_a_name_are_numbers() {
    for keyword in ["OperandType", "BitFieldType"] {
        let set = set(&format!(
            "__DefImmediate Number<12>\n    Number = unsigned;\n    Print = hex;\n    \
             Except = value == 0x800 or value == 2 or value > 0xff0;\n\n\
             __Def{keyword} Value<12>\n{}    else Number;\n",
            names()
        ));
        let loaded = Loaded::new(set.clone());
        for raw in 0..1u128 << 12 {
            let is_number = raw != 0x800 && raw != 2 && raw <= 0xff0;
            let mut texts: Vec<String> = name_of(raw).map(str::to_string).into_iter().collect();
            let is_legal = is_number || !texts.is_empty();
            assert_eq!(loaded.engine().decode(raw << 8 | 1).is_ok(), is_legal, "{raw}");
            // A value with a name is legal, and read by its number all the same.
            if is_legal {
                texts.extend([format!("{raw}"), format!("0x{raw:x}"), format!("0b{raw:b}")]);
            }
            if is_legal {
                let printed = name_of(raw).map_or(format!("0x{raw:x}"), str::to_string);
                is_written(&set, &loaded, raw, &printed, &texts);
            }
        }
        let refused = ["PLAIN 0x1000", "PLAIN -1", "PLAIN 0x800", "PLAIN mstatu"];
        for line in refused {
            assert!(loaded.engine().assemble(line).is_err(), "{line}");
        }
        let unknown = loaded.engine().assemble("PLAIN mstatu").expect_err("no name").to_string();
        assert!(unknown.contains("`mtvec`") && unknown.contains("integer"), "{unknown}");
    }
}

#[test]
fn values_have_several_names() {
    let set = set("__DefOperandType Value<12>\n    zero = 0 : GPR zero also x0;\n    \
         mstatus = 0x300 : GPR[1] also ra, x1;\n    \
         a[0..3] = 8 : GPR[2..5] also x[2..5], b[1..7 step 2];\n    \
         d[0..6 step 2] = 16 : GPR also e[3..6];\n    s[0..3] = 32 : GPR also t[4..7];\n    \
         k = 48 : GPR[7] also q[5..5];\n");
    let loaded = Loaded::new(set.clone());
    let own = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    is_written(&set, &loaded, 0, "zero", &own(&["zero", "x0"]));
    is_written(&set, &loaded, 0x300, "mstatus", &own(&["mstatus", "ra", "x1"]));
    for at in 0..4u128 {
        let names = [format!("a{at}"), format!("x{}", at + 2), format!("b{}", at * 2 + 1)];
        is_written(&set, &loaded, at + 8, &names[0], &names);
        let names = [format!("d{}", at * 2), format!("e{}", at + 3)];
        is_written(&set, &loaded, at + 16, &names[0], &names);
        let names = [format!("s{at}"), format!("t{}", at + 4)];
        is_written(&set, &loaded, at + 32, &names[0], &names);
    }
    is_written(&set, &loaded, 48, "k", &own(&["k", "q5"]));
    for line in ["PLAIN q", "PLAIN d1", "PLAIN t0", "PLAIN b2", "PLAIN x6", "PLAIN e7", "PLAIN e2"]
    {
        assert!(loaded.engine().assemble(line).is_err(), "{line}");
    }
    let uses = |line: &str| {
        let inst = loaded.engine().assemble(line).expect("it is read");
        format!("{:?}", loaded.engine().uses(inst).collect::<Vec<_>>())
    };
    // The names of a register say nothing else of it.
    assert_eq!(uses("PLAIN x3"), uses("PLAIN b3"));
    assert_ne!(uses("PLAIN x3"), uses("PLAIN x4"));
}

#[test]
fn sets_of_names_choose_what_is_printed() {
    let (_, compilation) = compile(&[(
        "names.isa",
        "__DefIsa NAMES<32>\n    NameSets<abi, numeric, third>;\n    Modifiers = words;\n\n\
         __DefRegFile X<32, 32>\n\n__DefOperandType Reg<5>\n    zero = 0 : X zero also x0;\n    \
         ra = 1 : X[1] also x[1..1], link;\n    s[2..30] = 2 : X also x[2..30];\n    top = 31 : X[31];\n\n\
         __DefOperandType Pair<5>\n    s[0..31] = 0 : X also y[4..35];\n\n\
         __DefBitFieldType Cond<2>\n    EQ = 0 as \"\" also eq;\n    HS = 1 as \"hs\" also cs, uge;\n    \
         LO = 2 as \"lo\";\n\n\
         __DefBitFieldType Mode<7>\n    RNE = 0 as \"rne\" also even;\n    RTZ = 1 as \"rtz\";\n    else Parts;\n\n\
         __DefImmediate Parts<7>\n    Number = unsigned;\n\n\
         __DefImmediate Code<4>\n    Number = unsigned;\n\n__DefGroup ALL : []\n\n\
         __DefOpcode MOVE : [ALL]\n  __Encoding\n    field[3:0] Code code == 1;\n    field[8:4] Reg rd;\n    \
         field[13:9] Pair rs;\n    field[15:14] Cond cond = EQ;\n    field[22:16] Mode mode;\n    zero[31:23];\n  \
         __OperandInfo\n    Mnemonic<\"mv\">;\n    Operands<out rd : 32, in rs : 64, mode>;\n\n\
         __DefAlias TO_ZERO : [MOVE]\n  __Encoding\n    fix rd == zero;\n  __OperandInfo\n    \
         Mnemonic<\"test\">;\n",
    )]);
    let errors: Vec<_> = compilation.diagnostics.iter().map(|found| &found.message).collect();
    let isa = compilation.family.unwrap_or_else(|| panic!("{errors:?}")).into_first();
    assert_eq!(isa.find_name_set("numeric"), Ok(1));
    let unknown = isa.find_name_set("numerc").expect_err("there is none").to_string();
    assert_eq!(unknown, "`numerc` is not a set of names; did you mean `numeric`?");
    let loaded = Loaded::new(isa);
    let engine = loaded.engine();
    let texts = [
        // A name for each set, the last one where there are fewer, and nothing where nothing is written.
        ("mv ra, s[2:3], rne hs", ["mv x1, y[6:7], even cs", "mv link, y[6:7], even uge"]),
        ("mv s9, s[31:32], rtz lo", ["mv x9, y[35:36], rtz lo", "mv x9, y[35:36], rtz lo"]),
        ("mv top, s[0:1], 77", ["mv top, y[4:5], 77", "mv top, y[4:5], 77"]),
        ("test s[0:1], rne", ["test y[4:5], even", "test y[4:5], even"]),
    ];
    let text = |inst, names, is_plain| {
        let mut text = Vec::new();
        engine.append_text_with(
            inst,
            TextOptions { names, is_plain, ..TextOptions::default() },
            &mut text,
        );
        String::from_utf8(text).expect("UTF-8")
    };
    for (first, others) in texts {
        let inst = engine.assemble(first).unwrap_or_else(|why| panic!("{first}: {why}"));
        assert_eq!(text(inst, 0, false), first);
        assert_eq!(engine.text(inst), first);
        for (set, other) in (1..).zip(others) {
            assert_eq!(text(inst, set, false), other);
            assert_eq!(engine.assemble(other), Ok(inst), "{other}");
        }
        assert_eq!(text(inst, 0, true), engine.plain_text(inst));
    }
    let inst = engine.assemble("test s[0:1], rne").expect("it is read");
    assert_eq!(text(inst, 1, true), "mv x0, y[4:5], even");
}

#[test]
fn names_of_operands_have_spellings() {
    let set = set("__DefOperandType Value<12>\n    vm = 0 : GPR[0] as \"v0.t\" also masked;\n    \
         v[0..7] = 8 : GPR;\n    mstatus = 0x300 as \"m.status\";\n    up = 1 as \"down\";\n    \
         down = 2 as \"up\";\n    none = 3 : none as \"v0.t.u\";\n");
    let loaded = Loaded::new(set.clone());
    let texts = [
        (0, vec!["v0.t", "masked"]),
        (8, vec!["v0"]),
        // The default of the second opcode is its name.
        (0x300, vec!["m.status"]),
        (1, vec!["down"]),
        (2, vec!["up"]),
        (3, vec!["v0.t.u"]),
    ];
    for (raw, texts) in texts {
        let texts: Vec<String> = texts.into_iter().map(str::to_string).collect();
        is_written(&set, &loaded, raw, &texts[0], &texts);
    }
    let engine = loaded.engine();
    for line in ["PLAIN vm", "PLAIN mstatus", "PLAIN none", "PLAIN v0.x", "PLAIN v0.tt"] {
        assert!(engine.assemble(line).is_err(), "{line}");
    }
    let unknown = engine.assemble("PLAIN vm").expect_err("it is only a name").to_string();
    assert!(unknown.contains("`v0.t`"), "{unknown}");
    let uses = |line: &str| {
        let inst = engine.assemble(line).expect("it is read");
        engine.uses(inst).map(|found| format!("{found:?}")).collect::<String>()
    };
    assert_eq!(uses("PLAIN v0.t"), uses("PLAIN v0"));
    // A special register is the same, however it is written.
    assert_eq!(set.specials(), ["mstatus", "up", "down"]);
}

#[test]
fn the_first_set_of_names_has_spellings() {
    let (_, compilation) = compile(&[(
        "names.isa",
        "__DefIsa NAMES<16>\n    NameSets<usual, numeric>;\n\n__DefRegFile V<32, 4>\n\n\
         __DefOperandType Mask<2>\n    vm = 0 : V[0] as \"v0.t\" also m0;\n    all = 1 : none as \"v.all\";\n    \
         v[2..3] = 2 : V also m[2..3];\n\n__DefGroup ALL : []\n\n\
         __DefOpcode MOVE : [ALL]\n  __Encoding\n    fixed[3:0] == 1;\n    field[5:4] Mask mask;\n    \
         zero[15:6];\n  __OperandInfo\n    Mnemonic<\"mv\">;\n    Operands<in mask : 32>;\n  \
         __Exception\n    EncodingError<Second, \"not the second\"> = mask == \"v3\";\n",
    )]);
    let errors: Vec<_> = compilation.diagnostics.iter().map(|found| &found.message).collect();
    let isa = compilation.family.unwrap_or_else(|| panic!("{errors:?}")).into_first();
    let loaded = Loaded::new(isa);
    let engine = loaded.engine();
    for (first, second) in [("mv v0.t", "mv m0"), ("mv v.all", "mv v.all"), ("mv v2", "mv m2")] {
        let inst = engine.assemble(first).unwrap_or_else(|why| panic!("{first}: {why}"));
        assert_eq!(engine.text(inst), first);
        let mut text = Vec::new();
        engine.append_text_with(
            inst,
            TextOptions { names: 1, ..TextOptions::default() },
            &mut text,
        );
        assert_eq!(String::from_utf8(text).expect("UTF-8"), second);
        assert_eq!(engine.assemble(second), Ok(inst), "{second}");
    }
}

/// A text that one opcode prints and another one reads by another name is reported.
#[test]
fn other_names_are_no_texts_of_other_opcodes() {
    let text = |name: &str, width: u32| {
        format!(
            "__DefOperandType One<4>\n    r[0..3] = 0 : GPR also q[0..3];\n\n\
             __DefOperandType Other<4>\n    {name}[0..3] = 0 : GPR;\n\n\
             __DefBitFieldType First<1>\n    LOW as \"lo\" also {name}c;\n    HIGH;\n\n\
             __DefBitFieldType Second<1>\n    qc;\n    TOP;\n\n\
             __DefOptype MOVE : [ALL]\n  __OperandInfo\n    Mnemonic<\"mv\">;\n    \
             Operands<in rs : 32>;\n\n\
             __DefGroup NARROW<{width}> : [ALL]\n\n\
             __DefOpcode MOVE_A : [MOVE, NARROW]\n  __Encoding\n    field<0, 8> Code code == 1;\n    \
             field<8, 4> One rs;\n    field<12, 1> First mode;\n\n\
             __DefOpcode MOVE_B : [MOVE]\n  __Encoding\n    field<0, 8> Code code == 2;\n    \
             field<8, 4> Other rs;\n    field<16, 1> Second mode;\n"
        )
    };
    let found = |name: &str, width| {
        let files = [("prelude.isa", prelude()), ("values.isa", text(name, width))];
        let (_, compilation) = compile(&files);
        let codes = compilation.diagnostics.iter().map(|found| found.code.as_str());
        codes.filter(|code| code.starts_with("W091")).collect::<Vec<_>>()
    };
    // `mv.qc q1` is printed for the one, and read as the other, `mv.lo r1`, which is shorter.
    assert_eq!(found("q", 16), ["W0916"]);
    // If both are equally long, the line is the instruction that is printed this way.
    assert!(found("q", 32).is_empty());
    assert!(found("p", 16).is_empty());
}

#[test]
fn values_without_a_name_are_parts() {
    let set = set(&format!(
        "__DefImmediate Four<4>\n    Number = unsigned;\n\n\
         __DefComposite Number<12>\n    field<0, 4> Four a;\n    field<4, 4> Four b;\n    \
         field<8, 4> Four c;\n    Format = \"S{{c}}_C{{b}}_{{a}}\";\n\n\
         __DefOperandType Value<12>\n{}    else Number;\n",
        names()
    ));
    let loaded = Loaded::new(set.clone());
    for raw in 0..1u128 << 12 {
        let parts = format!("S{}_C{}_{}", raw >> 8, raw >> 4 & 15, raw & 15);
        let printed = name_of(raw).map_or(parts.clone(), str::to_string);
        is_written(&set, &loaded, raw, &printed, &[printed.clone(), parts]);
    }
    for line in ["PLAIN S1_C2_16", "PLAIN S1_C2", "PLAIN S1C2_3", "PLAIN 5"] {
        assert!(loaded.engine().assemble(line).is_err(), "{line}");
    }
}

#[test]
fn generated_types_read_all_names() {
    use ::odd::{Gaps, Mode, System};

    for (text, raw) in
        [("clock", 1), ("cycles", 1), ("time", 1), ("b10", 10), ("w2", 33), ("wide2", 33)]
    {
        assert_eq!(text.parse().ok(), System::from_bits(raw), "{text}");
    }
    assert_eq!(System::cycles, System::clock);
    assert_eq!(System::from_bits(10).map(|value| value.to_string()), Some("bank2".to_string()));
    assert!("b7".parse::<System>().is_err() && "w4".parse::<System>().is_err());
    assert_eq!((Gaps::kind, Mode::down), (Gaps::type_, Mode::DOWN));
}

#[test]
fn the_manual_says_how_their_names_are_written() {
    let output = small(
        "__DefOperandType Mask<1>\n    vm = 0 : GPR[0] as \"r0.t\" also masked;\n    all = 1 : none;\n\n\
         __DefOpcode SELECT : [ALL]\n  __Encoding\n    field<0, 8> Code code == 62;\n    \
         field<8, 1> Mask mask;\n  __OperandInfo\n    Operands<in mask : 32>;\n",
    );
    let mask = page(&output, "types/Mask.md");
    assert!(mask.contains("| `r0.t` (named `vm`), also `masked` |"), "{mask}");
    assert!(mask.contains("| `all` |"), "{mask}");
}
