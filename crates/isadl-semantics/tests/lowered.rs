//! The intermediate representation of whole specifications: every program has one, and it has no more bits than are needed.

use std::path::Path;

use isadl::isa::Isa;
use isadl::semantics::Checked;
use isadl::semantics::ir::{self, Code, Region, Step};
use isadl::source::SourceMap;

/// The generations of a folder, each with its programs.
fn compiled(folder: &str) -> Vec<(Isa, Checked)> {
    let mut sources = SourceMap::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(folder).expect("the specification is readable");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ext| ext == "isa")) {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        sources.add(name, std::fs::read(path).expect("readable"));
    }
    let compilation = isadl::compile(&sources);
    let isas = compilation.family.expect("no errors").isas().to_vec();
    isas.into_iter().zip(compilation.semantics).collect()
}

/// Calls a function with the code of every program; returns how many there are.
fn each(isa: &Isa, programs: &Checked, mut step: impl FnMut(&str, &Code)) -> usize {
    let mut count = 0;
    for id in isa.opcode_ids() {
        let opcode = isa.opcode(id);
        for instance in &programs.opcodes[id.index()] {
            for build in [ir::build, ir::build_short] {
                step(&opcode.name, &build(isa, opcode, &instance.program));
            }
            count += 1;
        }
    }
    count
}

/// The bits of the widest register that is written.
fn written(code: &Code, region: &Region) -> u32 {
    let steps = region.steps.iter().map(|step| match step {
        Step::Write { value, .. } => code.width(*value),
        Step::If { yes, no, .. } => written(code, yes).max(written(code, no)),
        Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => {
            written(code, body)
        }
        _ => 0,
    });
    steps.max().unwrap_or(0)
}

#[test]
fn every_program_is_lowered() {
    for (folder, least) in [
        ("spec/riscv", 700),
        ("spec/a64", 600),
        ("spec/gcn", 100),
        ("tests/fixtures/machines/avr", 80),
    ] {
        for (isa, programs) in compiled(folder) {
            let (mut values, mut wide) = (0, 0);
            let count = each(&isa, &programs, |name, code| {
                let shown = ir::Shown { isa: &isa, code };
                code.verify().unwrap_or_else(|fault| panic!("{folder} {name}: {fault}\n{shown}"));
                values += code.values.len();
                // Elements of vectors are shifted out of their registers.
                let registers =
                    code.values.iter().filter(|value| matches!(value.op, ir::Op::Read(_)));
                let read = registers.map(|value| value.width).max().unwrap_or(0);
                let most = read.max(written(code, &code.body)).max(64);
                wide += code.values.iter().filter(|value| value.width > most).count();
            });
            println!(
                "{folder} {}: {count} programs, {values} values, {wide} wider than registers",
                isa.generation_names(isa.describes()).collect::<Vec<_>>().join(" ")
            );
            assert!(count >= least, "{folder}: {count} programs");
            assert!(
                wide * 20 < values,
                "{folder}: {wide} of {values} values are wider than registers"
            );
        }
    }
}

/// The code of an opcode of RV64 in lines.
fn lines(isa: &Isa, programs: &Checked, opcode: &str) -> Vec<String> {
    let id = isa.find_opcode(opcode).expect("an opcode");
    let instance = &programs.opcodes[id.index()][0];
    let code = ir::build(isa, isa.opcode(id), &instance.program);
    ir::Shown { isa, code: &code }.to_string().lines().map(str::to_string).collect()
}

/// A number that registers decide may be named in programs, and wherever these lead to.
#[test]
fn numbers_that_registers_decide_are_found_in_declarations() {
    for (declarations, program) in [
        ("", "rd = ra[size - 1:0]"),
        ("apply ra = ra[size - 1:0]", "rd = ra"),
        ("apply ra = cut(ra)\nfn cut(x : bits(n)) : bits(size) = x[size - 1:0]", "rd = ra"),
        ("elements rd, ra = size", "each rd = ~ra"),
        (
            "elements rd, ra = size\nnumber rd, ra = float(size / 4, size - size / 4 - 1)",
            "each rd = -ra",
        ),
        (
            "number rd, ra = float(32)\nfloat rounding = size == 8 ? up : down",
            "rd = round(ra + ra)",
        ),
        (
            "float nan = size == 8 ? first : canonical",
            "rd = to_bits(sum(ra))\nfn sum(x : bits(32)) = round(from_bits(x, float(32)) + 1.0)",
        ),
    ] {
        // A function stands with the declarations.
        let (program, own) = program.split_once("\n").unwrap_or((program, ""));
        let text = format!(
            "__DefIsa T<32>\n    Semantics<checked>;\n__DefRegFile R<32, 4>\n__DefRegFile TYPE<2, 1>\n__DefOperandType Reg<2>\n    \
             r[0..3] = 0 : R;\n__DefGroup ALL : []\n  __Encoding\n    zero[31:4]; field[3:2] Reg rd; field[1:0] Reg ra;\n  \
             __OperandInfo\n    Operands<rd, ra>;\n  __Semantics\n```isa\nextern trap BadType\nnarrow R = zeros\n\
             let size : 8 | 16 = 8 << TYPE else trap BadType\n{declarations}\n{own}\n```\n__DefInstructions : [ALL]\n    \
             ///= {program}\n    OP \"op\";\n"
        );
        let mut sources = SourceMap::new();
        sources.add("a.isa", text.into_bytes());
        let mut found = isadl::compile(&sources);
        let messages: Vec<&str> =
            found.diagnostics.iter().map(|found| found.message.as_str()).collect();
        let Some(family) = found.family else { panic!("{declarations}: {messages:?}") };
        let code = lines(&family.isas()[0], &found.semantics.pop().expect("a generation"), "OP");
        let code = code.join("\n");
        assert!(code.contains("trap BadType"), "{declarations}:\n{code}");
        assert!(code.matches("write rd").count() >= 2, "{declarations}:\n{code}");
    }
}

#[test]
fn sums_have_the_bits_of_their_places() {
    let (isa, programs) = compiled("spec/riscv").pop().expect("a generation");
    let of = |opcode: &str| lines(&isa, &programs, opcode);
    let add = ["%0:64 = read rs1", "%1:64 = read rs2", "%2:64 = add %0 %1", "write rd %2"];
    assert_eq!(of("ADD"), add);
    let addw = [
        "%0:32 = read rs1",
        "%1:32 = read rs2",
        "%2:32 = add %0 %1",
        "%3:64 = extend signs %2",
        "write rd %3",
    ];
    assert_eq!(of("ADDW"), addw);
    // The upper half of a product needs the whole.
    let mulhu = of("MULHU");
    assert!(mulhu.contains(&"%4:128 = mul %1 %3".to_string()), "{mulhu:#?}");
    let sltiu = of("SLTIU");
    assert!(sltiu.iter().any(|line| line.contains("less unsigned")), "{sltiu:#?}");
}
