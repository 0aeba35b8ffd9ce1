//! Specifications of any size: as many opcodes as are asked for, that share types and field names as
//! those of a real instruction set do.

use std::fmt::Write;

/// Operations differ in which of these fields they have, besides those of all: statements and names
/// of the operands among them.
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

/// A specification of so many opcodes, at most 2^14.
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
