//! Values with several texts, and values without a name: what is printed, and what is read.

use isadl::diagnostic::Severity;
use isadl::engine::Loaded;
use isadl::isa::Isa;
use isadl_tests::{Set, compile, prelude};

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
