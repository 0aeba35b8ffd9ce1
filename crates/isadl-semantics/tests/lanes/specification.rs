//! A specification of programs of machines with lanes.

use std::fmt::Write;

/// How many lanes there are.
pub(super) const LANES: usize = 4;

/// The programs of one specification; its opcodes have seven bits.
pub(super) const BATCH: usize = 120;

/// The operands that are registers of each lane.
pub(super) const OWN: [&str; 3] = ["vd", "va", "vb"];

/// The operands that are registers of all lanes.
pub(super) const SHARED: [&str; 3] = ["sd", "sa", "sb"];

/// A specification with an opcode for each program.
pub(super) fn specification<'t>(programs: impl Iterator<Item = &'t str>) -> String {
    let mut text = String::from(
        "__DefIsa RANDOM<32>\n    Semantics<checked>;\n__DefRegFile V<8, 4>\n__DefRegFile S<8, 4>\n\
         __DefRegFile EXEC<4, 1>\n__DefRegFile MASK<4, 1>\n__DefOperandType Own<2>\n    v[0..3] = 0 : V;\n\
         __DefOperandType Shared<2>\n    s[0..3] = 0 : S;\n__DefGroup ALL : []\n  __Encoding\n    \
         field[31:30] Own vd; field[29:28] Own va; field[27:26] Own vb;\n    \
         field[25:24] Shared sd; field[23:22] Shared sa; field[21:20] Shared sb; zero[19:7];\n  \
         __OperandInfo\n    Operands<vd, va, vb, sd, sa, sb>;\n  __Semantics\n```isa\n\
         lanes V = 4\nlet active = EXEC\n```\n__DefInstructions : [ALL]\n",
    );
    for (number, program) in programs.enumerate() {
        let _ =
            writeln!(text, "    ///= {program}\n    OP{number} \"op{number}\" [6:0] == {number};");
    }
    text
}

/// The same without programs, where nobody minds their errors.
pub(super) fn as_prose(text: &str) -> String {
    text.replace("Semantics<checked>", "Semantics<prose>").replace(
        "Operands<vd, va, vb, sd, sa, sb>",
        "Operands<inout vd, in va, in vb, inout sd, in sa, in sb>",
    )
}
