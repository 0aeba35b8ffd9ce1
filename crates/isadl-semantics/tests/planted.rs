//! Contradictions between programs and lists, planted in RISC-V and AVR: each is found, and nothing else is.

use std::path::{Path, PathBuf};

use isadl::diagnostic::{Code, Diagnostic};
use isadl::source::SourceMap;

/// A change of a specification, and what must be found: the code, and words of the message.
struct Planted {
    file: &'static str,
    from: &'static str,
    to: &'static str,
    code: Code,
    words: &'static [&'static str],
}

const fn planted(
    file: &'static str,
    from: &'static str,
    to: &'static str,
    code: Code,
    words: &'static [&'static str],
) -> Planted {
    Planted { file, from, to, code, words }
}

#[rustfmt::skip]
const RISCV: &[Planted] = &[
    // A register that is not read, not written, or read and not declared.
    planted("rv_i.isa", "///= rd = rs1 + rs2", "///= rd = rs1 + 2", Code::E1222, &["`ADD`", "read `rs2`"]),
    planted("rv_i.isa", "///= rd = rs1 - rs2", "///= use(rs1 - rs2)", Code::E1222, &["`SUB`", "write `rd`"]),
    planted("rv_i.isa", "///= rd = rs1 ^ rs2", "///= rd = rs1 ^ rs2 ^ X[5]", Code::E1221, &["`XOR`", "reads `X[5]`"]),
    planted("rv_i.isa", "///= rd = rs1 | rs2", "///= rd = rs1 | rs2; X[6] = rs1", Code::E1221, &["`OR`", "writes `X[6]`"]),
    planted("rv_m.isa", "///= rd = (rs1 * rs2) >> XLEN", "///= rd = ((rs1 * rs2) >> XLEN) ^ rd", Code::E1221, &["`MULHU`", "reads `rd`"]),
    // A number that is not used, and a part of a register.
    planted("rv_i.isa", "///= rd = rs1 ^ imm", "///= rd = rs1 ^ 1", Code::E1222, &["`XORI`", "read `imm`"]),
    planted("rv_i.isa", "///= rd = rs1 << shamt", "///= rd[7:0] = (rs1 << shamt)[7:0]", Code::E1221, &["`SLLI`", "only some bits of `rd`"]),
    // Memory of another width, none, and more.
    planted("rv_i.isa", "signed(memory[base + offset][31:0])", "signed(memory[base + offset][15:0])", Code::E1223, &["`LW`", "16 bits"]),
    planted("rv_i.isa", "///= rd = signed(memory[base + offset][15:0])", "///= rd = base + offset", Code::E1223, &["`LH`", "does not make"]),
    planted("rv_i.isa", "///= rd = memory[base + offset][7:0]", "///= rd = memory[base + offset][7:0]; memory[base][7:0] = 0", Code::E1223, &["`LBU`", "stores 8 bits"]),
    // Jumps that always happen, never, to a computed place, or in the wrong instruction.
    planted("rv_i.isa", "///= if rs1 == rs2 { pc = pc + offset }", "///= use(rs1 + rs2); pc = pc + offset", Code::E1224, &["`BEQ`", "always jumps"]),
    planted("rv_i.isa", "///= if rs1 != rs2 { pc = pc + offset }", "///= use(rs1 + rs2 + offset)", Code::E1224, &["`BNE`", "does not"]),
    planted("rv_i.isa", "///= if rs1 < rs2 { pc = pc + offset }", "///= if rs1 < rs2 { pc = rs1 + offset }", Code::E1224, &["`BLTU`", "from registers or memory"]),
    planted("rv_i.isa", "///= rd = rs1 & imm", "///= rd = rs1 & imm; pc = pc + 8", Code::E1224, &["`ANDI`", "jumps"]),
    // Conditions: of a list that is too wide, and of a program that is reversed.
    planted("rv_zicsr.isa", "Operands<out rd, in csr, in rs1>; Writes<csr if rs1 != \"zero\">;", "Operands<out rd, inout csr, in rs1>;", Code::W1225, &["`CSRRS`", "write `csr`"]),
    planted("rv_zicsr.isa", "if imm != 0 { csr = old | imm }", "if imm == 0 { csr = old | imm }", Code::E1221, &["`CSRRSI`", "writes `csr`"]),
    planted("rv_zcmp.isa", "X[9] if kind == 0 and bits(list) >= 6", "X[9] if kind == 0 and bits(list) >= 7", Code::E1221, &["reads `X[9]`"]),
    planted("rv_zcmp.isa", "Writes<X[10], X[11]>;", "Writes<X[10]>;", Code::E1221, &["`CM_MVA01S`", "writes `X[11]`"]),
];

#[rustfmt::skip]
const AVR: &[Planted] = &[
    planted("avr.isa", "Operands<inout rd, in rr>; Writes<SREG[0], SREG[1], SREG[2], SREG[3], SREG[4], SREG[5]>;", "Operands<inout rd, in rr>; Writes<SREG[0], SREG[1], SREG[2], SREG[3], SREG[4]>;", Code::E1221, &["writes `SREG[5]`"]),
    planted("avr.isa", "Reads<SREG[0] if s == 0, SREG[1] if s == 1", "Reads<SREG[0] if s == 0, SREG[1] if s == 2", Code::E1221, &["reads `SREG[1]`"]),
    planted("avr.isa", "///= {rd, logic_flags} = combined((~rd)[7:0]); C = 1", "///= {rd, logic_flags} = combined((~rd)[7:0])", Code::E1222, &["`COM`", "write `SREG[0]`"]),
    planted("avr.isa", "R[27] if bits(at) >= 13", "R[27] if bits(at) >= 14", Code::E1221, &["writes `R[27]`"]),
    planted("avr.isa", "Mnemonic<\"bld\">; Operands<inout rd, b>;", "Mnemonic<\"bld\">; Operands<out rd, b>;", Code::E1221, &["`BLD`", "only some bits of `rd`"]),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// The findings in a specification with these changes.
fn findings(name: &str, changes: &[Planted]) -> Vec<Diagnostic> {
    let entries = std::fs::read_dir(folder(name)).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let mut sources = SourceMap::new();
    let mut left: Vec<&Planted> = changes.iter().collect();
    for path in paths {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let Ok(mut text) = std::fs::read_to_string(&path) else { continue };
        left.retain(|change| {
            let is_here = change.file == name && text.contains(change.from);
            if is_here {
                text = text.replacen(change.from, change.to, 1);
            }
            !is_here
        });
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("isa") => sources.add(name, text.into_bytes()),
            Some("lock") => sources.add_lock(name, text.into_bytes()),
            _ => continue,
        };
    }
    assert!(left.is_empty(), "`{}` is not in {}", left[0].from, left[0].file);
    isadl::compile(&sources).diagnostics.iter().cloned().collect()
}

fn is_found(planted: &Planted, found: &Diagnostic) -> bool {
    found.code == planted.code && planted.words.iter().all(|word| found.message.contains(word))
}

fn all_are_found(name: &str, changes: &[Planted]) {
    let found = findings(name, changes);
    for planted in changes {
        let is_there = found.iter().any(|found| is_found(planted, found));
        assert!(is_there, "not found: {} {:?}", planted.code, planted.words);
    }
    // Nothing is found in programs that were not changed.
    let opcodes: Vec<&str> = changes
        .iter()
        .filter_map(|planted| planted.words.iter().find(|word| word.starts_with('`')).copied())
        .collect();
    let others: Vec<&Diagnostic> = found
        .iter()
        .filter(|found| !changes.iter().any(|planted| is_found(planted, found)))
        .filter(|found| !opcodes.iter().any(|opcode| found.message.starts_with(opcode)))
        // The lists of groups belong to several opcodes.
        .filter(|found| {
            !["SREG", "R[27]", "X[9]", "CSRRC"].iter().any(|word| found.message.contains(word))
        })
        .collect();
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn nothing_is_found_where_nothing_is_planted() {
    for name in ["spec/riscv", "tests/fixtures/machines/avr"] {
        let found = findings(name, &[]);
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[test]
fn contradictions_in_riscv_are_found() {
    all_are_found("spec/riscv", RISCV);
}

#[test]
fn contradictions_in_avr_are_found() {
    all_are_found("tests/fixtures/machines/avr", AVR);
}

/// A register that a statement names is shown there, and not where the lists are.
#[test]
fn declarations_are_shown_where_they_are() {
    let found = findings("tests/fixtures/machines/avr", AVR);
    let is_of_com = |found: &&Diagnostic| found.message.starts_with("`COM` is declared to write");
    let found = found.iter().find(is_of_com).expect("a finding");
    let [place] = &found.related[..] else { panic!("one place: {found:#?}") };
    assert_eq!(place.span.end - place.span.start, "SREG[0]".len() as u32, "{found:#?}");
}
