//! Specifications of any size. Some have a given number of opcodes that share types and field names like the opcodes of
//! a real instruction set; others are large in only one way.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::Random;

/// Operations differ in which of these fields they have, besides the common fields. Each entry has the statements, and
/// the names of the operands.
const VARIANTS: &[(&str, &str)] = &[
    ("    field<32, 8> Reg rb;\n", "ra, rb"),
    ("    field<32, 32> Imm32 imm;\n", "ra, imm"),
    (
        "    field<32, 8> Reg rb;\n    field<64, 8> Reg rc;\n    field<75, 1> Sign rc.neg = False;\n",
        "ra, rb, rc",
    ),
    ("    field<32, 8> Reg rb;\n    field<84, 3> Pred pp;\n", "ra, rb, pp"),
];

/// Types, and the group whose fields all opcodes have: opcode, guard, destination, first source with
/// its mark, and modifiers.
const BASE: &str = "\
__DefIsa SYNTHETIC<128>

__DefRegFile GPR<32, 255>

__DefRegFile PRED<1, 7>

__DefOperandType Reg<8>
    R[0..254] = 0 : GPR;
    RZ = 255 : GPR zero;

__DefOperandType Pred<3>
    P[0..6] = 0 : PRED;
    PT = 7 : PRED one;

__DefBitFieldType Sign<1>
    False;
    True;

__DefBitFieldType Round<2>
    RN;
    RM;
    RP;
    RZ;

__DefBitFieldType Size<3>
    U8;
    S8;
    U16;
    S16;
    U32;

__DefImmediate Imm32<32>
    Number = signed;

__DefImmediate Wait<4>
    Number = unsigned;

__DefGroup ALL : []
  __Encoding
    field<12, 3> Pred pg = PT;
    field<15, 1> Sign pg.not = False;
    field<16, 8> Reg rd;
    field<24, 8> Reg ra;
    field<72, 1> Sign ra.neg = False;
    field<73, 2> Round rnd = RN;
    field<76, 3> Size size = U32;
    control<105, 4> Wait wait = 0;
";

/// A specification with a number of opcodes, at most 2^14.
pub fn specification(opcodes: usize) -> String {
    let mut text = BASE.to_string();
    text += "\n__DefBitFieldType Low<6>\n";
    (0..64usize).for_each(|value| {
        let _ = writeln!(text, "    L{value};");
    });
    text += "\n__DefBitFieldType High<2>\n    H0;\n    H1;\n    H2;\n    H3;\n";
    for number in 0..opcodes {
        let (fields, operands) = VARIANTS[number % VARIANTS.len()];
        let widths: String =
            ["rd"].into_iter().chain(operands.split(", ")).fold(String::new(), |widths, name| {
                let bits = if name == "pp" { 1 } else { 32 };
                match name {
                    "imm" => widths,
                    name => widths + &format!("    Bitwidth<{name}> = {bits};\n"),
                }
            });
        let _ = write!(
            text,
            "\n__DefOptype OP{number} : [ALL]\n\n__DefOpcode OP{number}_X : [OP{number}]\n  __Encoding\n    \
             field<0, 6> Low low == L{};\n    field<6, 6> Low middle == L{};\n    field<110, 2> High high == H{};\n{fields}  __OperandInfo\n    \
             OutList<rd>;\n    InList<{operands}>;\n    Order<rd, {operands}>;\n{widths}",
            number & 63,
            number >> 6 & 63,
            number >> 12,
        );
    }
    text
}

/// A specification that is large in one way, to find steps whose work is quadratic in it.
pub struct Large {
    /// The kind of item that it has many of.
    pub name: &'static str,
    /// The measured size.
    pub size: usize,
    /// Generates the specification of a size.
    pub specification: fn(usize) -> String,
    /// Its number of opcodes.
    pub opcodes: fn(usize) -> usize,
    /// Lines that assemble, each printed as it is written; none if the specification has errors.
    pub lines: fn(usize) -> Vec<String>,
    /// A line that does not assemble.
    pub wrong: &'static str,
}

/// All cases that were quadratic, or could be.
pub const LARGE: [Large; 7] = [
    Large {
        name: "shared-mnemonic",
        size: 300,
        specification: shared_mnemonic,
        opcodes: |size| size,
        lines: |size| (0..16).map(|n| format!("op px{n}y, px{}y", size * 13 - 1 - n)).collect(),
        wrong: "op px1y, rx1y",
    },
    Large {
        name: "shared-names",
        size: 300,
        specification: shared_names,
        opcodes: |size| size,
        // Half of the names of the first type are in no other.
        lines: |_| (0..16).map(|n| format!("op n{n}x, n{}x", 2047 - n)).collect(),
        wrong: "op n1x, m1x",
    },
    Large {
        name: "enumeration",
        size: 1 << 16,
        specification: enumeration,
        opcodes: |_| 1,
        // One value is forbidden, and it is among the first.
        lines: |size| (size - size / 20..size).map(|n| format!("op.name{n}")).collect(),
        wrong: "op.name7x",
    },
    Large {
        name: "comparisons",
        size: 60,
        specification: comparisons,
        opcodes: |_| 1,
        lines: |_| (0..100).map(|n| format!("op {n}")).collect(),
        wrong: "op 65536",
    },
    Large {
        name: "arithmetic",
        size: 60,
        specification: arithmetic,
        opcodes: |_| 1,
        lines: |_| (0..100).map(|n| format!("op {n}")).collect(),
        wrong: "op 65536",
    },
    Large {
        name: "overlaps",
        size: 200,
        specification: overlaps,
        opcodes: |size| OVERLAP_GROUPS * (size + 1),
        lines: |_| Vec::new(),
        wrong: "",
    },
    Large {
        name: "constants",
        size: 1 << 20,
        specification: constants,
        opcodes: |_| 1,
        lines: |size| vec!["op R7".to_string(), format!("op {}", (size - 1) * 3 + 1)],
        wrong: "op 2",
    },
];

/// Definitions before the opcodes: an instruction set of a number of bits, and the type of the field
/// that fixes the opcode.
fn opening(text: &mut String, width: u32, code: u32) {
    let _ = write!(
        text,
        "__DefIsa LARGE<{width}>\n\n__DefRegFile G<32, 8>\n\n__DefImmediate Code<{code}>\n    \
         Number = unsigned;\n\n__DefGroup ALL : []\n\n__DefOptype op : [ALL]\n\n"
    );
}

/// Opcodes of one mnemonic whose two operands have types of 13 names for each opcode, at most
/// 2^12. The first has two operands of one type. All others come in two kinds, so that many are
/// written alike.
fn shared_mnemonic(opcodes: usize) -> String {
    let mut text = String::new();
    opening(&mut text, 64, 16);
    for ty in ["P", "Q"] {
        let _ = writeln!(text, "__DefOperandType {ty}<12>");
        for value in 0..opcodes * 13 {
            let _ = writeln!(text, "    {}x{value}y = {value};", ty.to_lowercase());
        }
        text += "\n";
    }
    for number in 0..opcodes {
        let (a, b) = match number {
            0 => ("P", "P"),
            _ if number % 2 == 0 => ("Q", "P"),
            _ => ("P", "Q"),
        };
        let _ = write!(
            text,
            "__DefOpcode O{number} : [op]\n  __Encoding\n    field<0, 16> Code code == {number};\n    \
             field<16, 12> {a} a;\n    field<28, 12> {b} b;\n    zero<40, 24>;\n  __OperandInfo\n    \
             InList<a, b>;\n    Order<a, b>;\n    Bitwidth<a> = 32;\n    Bitwidth<b> = 32;\n\n"
        );
    }
    text
}

/// The number of types in [`shared_names`].
const SHARING_TYPES: usize = 18;

/// Opcodes of one mnemonic, at most 18 x 18, each with two operands of other types than the others. Each type has 4,096 names, and half
/// of them are also in the next.
fn shared_names(opcodes: usize) -> String {
    let mut text = String::new();
    opening(&mut text, 64, 16);
    for ty in 0..SHARING_TYPES {
        let _ = writeln!(text, "__DefOperandType T{ty}<12>");
        for value in 0..1 << 12 {
            let _ = writeln!(text, "    n{}x = {value};", ty * (1 << 11) + value);
        }
        text += "\n";
    }
    for number in 0..opcodes {
        let (a, b) = (number / SHARING_TYPES, number % SHARING_TYPES);
        let _ = write!(
            text,
            "__DefOpcode O{number} : [op]\n  __Encoding\n    field<0, 16> Code code == {number};\n    \
             field<16, 12> T{a} a;\n    field<28, 12> T{b} b;\n    zero<40, 24>;\n  __OperandInfo\n    \
             InList<a, b>;\n    Order<a, b>;\n    Bitwidth<a> = 32;\n    Bitwidth<b> = 32;\n\n"
        );
    }
    text
}

/// An enumeration with a number of names, at most 2^16, and a rule that forbids one name.
fn enumeration(names: usize) -> String {
    let mut text = String::new();
    opening(&mut text, 32, 8);
    text += "__DefBitFieldType Name<16>\n";
    for value in 0..names {
        let _ = writeln!(text, "    name{value} = {value};");
    }
    text += "\n__DefOpcode O : [op]\n  __Encoding\n    field<0, 8> Code code == 1;\n    \
             field<8, 16> Name name;\n    zero<24, 8>;\n  __Exception\n    \
             EncodingError<Seven, \"seven is reserved\"> = name == \"name7\";\n";
    text
}

/// One opcode with a 16-bit number, and a number of rules on it.
fn rules(count: usize, mut rule: impl FnMut() -> String) -> String {
    let mut text = String::new();
    opening(&mut text, 32, 8);
    text += "__DefImmediate Value<16>\n    Number = unsigned;\n\n__DefOpcode O : [op]\n  \
             __Encoding\n    field<0, 8> Code code == 1;\n    field<8, 16> Value v;\n    \
             zero<24, 8>;\n  __OperandInfo\n    InList<v>;\n    Order<v>;\n  __Exception\n";
    for number in 0..count {
        let _ = writeln!(text, "    EncodingError<X{number}, \"forbidden\"> = {};", rule());
    }
    text
}

/// Rules that each compare a field with 200 numbers above 255.
fn comparisons(count: usize) -> String {
    let mut random = Random::new(1);
    rules(count, || {
        let values = (0..200).map(|_| format!("v == {}", 256 + random.below(0xff00)));
        values.collect::<Vec<_>>().join(" or ")
    })
}

/// Rules that each compute with a field in 397 steps, and allow values below 256.
fn arithmetic(count: usize) -> String {
    let mut random = Random::new(2);
    rules(count, || {
        let mut rule = "v > 255 and v".to_string();
        for _ in 0..397 {
            let operator = ["+", "-", "*", "&", "|"][random.below(5) as usize];
            let _ = write!(rule, "{operator}{}", 1 + random.below(99));
        }
        rule + " == 5"
    })
}

/// The number of opcodes with special cases in [`overlaps`].
const OVERLAP_GROUPS: usize = 40;

/// Opcodes that each have a number of special cases, which fix three random bits: few pairs of these
/// can be distinguished.
fn overlaps(cases: usize) -> String {
    let mut random = Random::new(3);
    let mut text = String::new();
    opening(&mut text, 64, 16);
    text += "__DefImmediate Bit<1>\n    Number = unsigned;\n\n";
    for group in 0..OVERLAP_GROUPS {
        let bits: String =
            (0..32).map(|bit| format!("    field<{}, 1> Bit b{bit};\n", 16 + bit)).collect();
        let order: Vec<String> = (0..32).map(|bit| format!("b{bit}")).collect();
        let _ = write!(
            text,
            "__DefOptype g{group} : [ALL]\n\n__DefOpcode G{group} : [g{group}]\n  __Encoding\n    \
             field<0, 16> Code code == {group};\n{bits}  __OperandInfo\n    Order<{}>;\n\n",
            order.join(", ")
        );
        let mut fixed: BTreeSet<BTreeMap<u64, u64>> = BTreeSet::new();
        while fixed.len() < cases {
            let case: BTreeMap<u64, u64> =
                (0..3).map(|_| (random.below(32), random.below(2))).collect();
            if case.len() == 3 {
                fixed.insert(case);
            }
        }
        for (number, case) in fixed.into_iter().enumerate() {
            let _ = write!(
                text,
                "__DefOptype g{group}s{number} : [ALL]\n\n__DefOpcode G{group}S{number} : \
                 [g{group}s{number}]\n  __Encoding\n    field<0, 16> Code code == {group};\n"
            );
            for (bit, value) in case {
                let _ = writeln!(text, "    field<{}, 1> Bit b{bit} == {value};", 16 + bit);
            }
            text += "\n";
        }
    }
    text
}

/// An operand type with a number of constants, at most 2^20, each in its own statement.
fn constants(count: usize) -> String {
    let mut text = String::new();
    opening(&mut text, 32, 8);
    text += "__DefOperandType Value<21>\n    R[0..7] = 0 : G;\n";
    for number in 0..count {
        let _ = writeln!(text, "    const {} = {};", number * 3 + 1, number + 8);
    }
    text += "\n__DefOpcode O : [op]\n  __Encoding\n    field<0, 8> Code code == 1;\n    \
             field<8, 21> Value a;\n    zero<29, 3>;\n  __OperandInfo\n    InList<a>;\n    \
             Order<a>;\n    Bitwidth<a> = 32;\n";
    text
}

/// Opcodes under one mnemonic, distinguished by the text of an operand, in which `#` is the number of the opcode.
/// `order` is the order of the operands in text.
pub fn one_mnemonic(count: usize, (operand, order): (&str, &str)) -> String {
    let head =
        "__DefIsa T<32>\n__DefImmediate N<16>\n    Number = unsigned;\n__DefGroup ALL : []\n";
    let opcode = |at: usize| {
        let operand = operand.replace('#', &at.to_string());
        format!(
            "__DefOpcode P{at} : [ALL]\n  __Encoding\n    fixed[31:16] == {at};\n    field[15:0] N n;\n  \
             __OperandInfo\n    Mnemonic<\"m\">;\n    Operand<p> = \"{operand}\";\n    Order<{order}>;\n"
        )
    };
    head.to_string() + &(0..count).map(opcode).collect::<String>()
}

/// An opcode with aliases under one mnemonic, told apart by the text of an operand, and with rules.
pub fn aliases_and_rules(aliases: usize, rules: usize) -> String {
    let rule =
        |at: usize| format!("    EncodingError<E{at}, \"no {at}\"> = n == {};\n", 3 * at + 1);
    let alias = |at: usize| {
        format!(
            "__DefAlias A{at} : [P]\n  __Encoding\n    fix n == {};\n  __OperandInfo\n    \
             Mnemonic<\"al\">;\n    Operand<q> = \"k{at}\";\n    Order<q>;\n",
            3 * at
        )
    };
    let exceptions = if rules > 0 { "  __Exception\n" } else { "" };
    let rules: String = (0..rules).map(rule).collect();
    let aliases: String = (0..aliases).map(alias).collect();
    format!(
        "__DefIsa T<32>\n__DefImmediate N<16>\n    Number = unsigned;\n__DefGroup ALL : []\n\
         __DefOpcode P : [ALL]\n  __Encoding\n    fixed[31:16] == 1;\n    field[15:0] N n;\n  __OperandInfo\n    \
         Mnemonic<\"p\">;\n    Operands<n>;\n{exceptions}{rules}{aliases}"
    )
}
