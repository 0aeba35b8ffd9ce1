//! Faults that are planted in the programs of specifications: an example or a law reports each.
//!
//! All faults of a specification are planted at once, since compiling takes longer than trying. Each has a line of its own that must be
//! reported.

mod common;

use common::{files, lines, tried};
use isadl::diagnostic::Code;

/// A fault: the file, its text before and after, the code, and a part of the line that is reported.
type Fault = (&'static str, &'static str, &'static str, Code, &'static str);

/// Plants faults in an instruction set, and sees that each is found.
fn found(name: &str, faults: &[Fault]) {
    let mut files = files(name);
    for (file, from, to, ..) in faults {
        let (_, text) =
            files.iter_mut().find(|(name, _)| name == file).expect("a file of this name");
        assert_eq!(text.matches(from).count(), 1, "{name}/{file}: `{from}`");
        *text = text.replace(from, to);
    }
    let (sources, compiled, outcome) = tried(&files);
    assert!(!compiled.has_errors(), "{name}: {:?}", compiled.iter().next());
    let found = lines(&sources, &outcome);
    for (_, _, to, code, line) in faults {
        let is_found = found.iter().any(|(own, text)| own == code && text.contains(line));
        assert!(is_found, "{name}: `{to}` is not found by {code} in `{line}`: {found:#?}");
    }
}

#[test]
fn faults_of_simt_are_found() {
    found(
        "simt",
        &[
            // The carry of the sources: `>` instead of `>=`.
            (
                "ialu.isa",
                "if ext == X { pu = t[32] }",
                "if ext == X { pu = t > 0x100000000 }",
                Code::E1235,
                "{R1, R0} == ({R3, R2} + {R5, R4})[63:0]",
            ),
            (
                "ialu.isa",
                "t = integer(ra) * integer(SrcB)\nrd = lohi == LO ? t[31:0] : t[63:32]",
                "t = integer(ra) * SrcB\nrd = lohi == LO ? t[31:0] : t[63:32]",
                Code::E1235,
                "{R1, R0} = signed(R2) * signed(R3)",
            ),
            (
                "ialu.isa",
                "rd = pp ? ra : SrcB",
                "rd = pp ? SrcB : ra",
                Code::E1234,
                "SEL R0, R1, 0x1, P0",
            ),
            (
                "ialu.isa",
                "    U8: min(max(x, 0), 255)\n    S16: min(max(x, -32768), 32767)",
                "    U8: min(max(x, 0), 255)\n    S16: min(max(x, -32768), 32768)",
                Code::E1234,
                "I2I.S16 R0, R1",
            ),
            ("xu.isa", "rd = ~SrcB\n", "rd = SrcB\n", Code::E1234, "BREV R2, 0xFF"),
            (
                "sync.isa",
                "    BFLY: lane ^ b",
                "    BFLY: lane",
                Code::E1234,
                "SHFL.BFLY P0, R4, R3, 1, 0x181F",
            ),
        ],
    );
}

#[test]
fn faults_of_gcn_are_found() {
    found(
        "gcn",
        &[
            (
                "carry.isa",
                "sum = src0 + src1 + carry_in[lane]\nvdst",
                "sum = src0 + src1 + carry_in[0]\nvdst",
                Code::E1235,
                "{v1, v0} = {v3, v2} + {v5, v4}",
            ),
            (
                "carry.isa",
                "difference = src0 - src1 - carry_in[lane]",
                "difference = src1 - src0 - carry_in[lane]",
                Code::E1235,
                "{v1, v0} = {v3, v2} - {v5, v4}",
            ),
            (
                "integer.isa",
                "vdst = signed(src0[23:0]) * signed(src1[23:0]) >> 32",
                "vdst = signed(src0[23:0]) * signed(src1[23:0]) >> 31",
                Code::E1235,
                "{v1, v0} = signed(v2[23:0]) * signed(v3[23:0])",
            ),
        ],
    );
}

#[test]
fn faults_of_risc_v_are_found() {
    found(
        "riscv",
        &[
            (
                "rv_i.isa",
                "rd = signed(rs1) < signed(rs2)",
                "rd = rs1 < rs2",
                Code::E1234,
                "slt a0, a1, a2",
            ),
            (
                "rv_i.isa",
                "rd = signed(rs1) >> rs2 % XLEN",
                "rd = rs1 >> rs2 % XLEN",
                Code::E1234,
                "sra a0, a1, a2",
            ),
            (
                "rv_m.isa",
                "rd = (signed(rs1) * rs2) >> XLEN",
                "rd = (signed(rs1) * signed(rs2)) >> XLEN",
                Code::E1235,
                "{a1, a0} = signed(a2) * a3",
            ),
            (
                "rv_m.isa",
                "rd = rs2 == 0 ? rs1 : rs1 % rs2",
                "rd = rs2 == 0 ? 0 : rs1 % rs2",
                Code::E1234,
                "remu a0, a1, a2",
            ),
            (
                "rv_zbb.isa",
                "///= rd = rotate_left(rs1, rs2 % XLEN)",
                "///= rd = rotate_left(rs1, rs2 % 16)",
                Code::E1235,
                "a0 == a1",
            ),
        ],
    );
}

#[test]
fn faults_of_a64_are_found() {
    found(
        "a64",
        &[
            (
                "dp_register.isa",
                "///= {rd, nzcv} = add_with_carry(rn, ~with_shift(rm, amount), 1)",
                "///= {rd, nzcv} = add_with_carry(rn, ~with_shift(rm, amount), 0)",
                Code::E1234,
                "subs x0, x1, x2",
            ),
            (
                "dp_register.isa",
                "///= rd = reverse(rn)",
                "///= rd = rotate_left(rn, 1)",
                Code::E1234,
                "rbit x0, x1",
            ),
            (
                "branch.isa",
                "if holds(cond) { pc = pc + target }",
                "if holds(cond) { pc = pc + target + 4 }",
                Code::E1234,
                "beq",
            ),
        ],
    );
}

/// Without faults, nothing is found: the specifications hold what they say.
#[test]
fn specifications_hold_what_they_say() {
    for (name, examples, laws) in
        [("simt", 40, 13), ("gcn", 18, 12), ("riscv", 30, 16), ("a64", 30, 14)]
    {
        let (sources, _, outcome) = tried(&files(name));
        assert_eq!(lines(&sources, &outcome), [], "{name}");
        assert!(outcome.examples >= examples, "{name}: {} examples", outcome.examples);
        assert!(outcome.laws >= laws, "{name}: {} laws", outcome.laws);
    }
}
