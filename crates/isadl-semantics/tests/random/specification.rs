//! The machine of random programs.

use std::fmt::Write;

/// Registers of the machine: `rd`, `ra`, `rb`, `rc`.
pub(super) const REGISTERS: [&str; 4] = ["rd", "ra", "rb", "rc"];

/// Operands that are lists: `le` of bits, `lf` of numbers with sign. They have the numbers after the registers.
pub(super) const LISTS: [&str; 2] = ["le", "lf"];

/// Bits and number of the elements of a list.
pub(super) const ELEMENT: u32 = 2;
pub(super) const ELEMENTS: i128 = 4;

/// The number that the lowest bits of `rc` decide, by `let … else trap`.
pub(super) const DECIDED: [i128; 4] = [1, 3, 6, 3];

/// Bits of a register.
pub(super) const WIDTH: u32 = 8;

/// The programs of one specification; its opcodes have seven bits.
pub(super) const BATCH: usize = 120;

/// The specification of programs, and where each of their texts begins in it.
pub(super) fn specification<'t>(programs: impl Iterator<Item = &'t str>) -> (String, Vec<usize>) {
    let mut text = String::from(
        "__DefIsa RANDOM<32>\n    Semantics<checked>;\n__DefRegFile R<8, 8>\n__DefRegFile FLAG<1, 4>\n\
         __DefOperandType Reg<3>\n    r[0..7] = 0 : R;\n__DefImmediate Imm<4>\n    Number = signed;\n\
         __DefGroup ALL : []\n  __Encoding\n    field[31:29] Reg rd; field[28:26] Reg ra; field[25:23] Reg rb; field[22:20] Reg rc;\n    \
         field[19:17] Reg le; field[16:14] Reg lf; field[13:10] Imm imm; zero[9:7];\n  __OperandInfo\n    \
         Operands<inout rd, in ra, in rb, in rc, inout le, in lf, in imm>; Writes<FLAG>;\n  __Semantics\n```isa\n\
         elements le, lf = 2\napply lf = signed(lf)\nextern trap Never\n\
         let decided : 1 | 3 | 6 = rc[0] ? 3 : rc[1] ? 6 : 1 else trap Never\n```\n\
         __DefInstructions : [ALL]\n",
    );
    let mut places = Vec::new();
    for (number, program) in programs.enumerate() {
        text.push_str("    ///= ");
        places.push(text.len());
        text.push_str(program);
        let _ = writeln!(text, "\n    OP{number} \"op{number}\" [6:0] == {number};");
    }
    (text, places)
}
