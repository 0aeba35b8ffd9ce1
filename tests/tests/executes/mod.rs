//! Generated code that executes instructions, against the executor of `isadl-exec`: the same instructions of the same random states.
//!
//! A generated module and a machine for it are compiled; the program reads instructions and registers from its input and prints what has
//! changed. `ISADL_WORDS` is about the number of instructions of each instruction set.

mod chained;
mod machine;
mod numbers;
mod of_lanes;
mod oracle;
mod programs;
mod registers;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use isadl::isa::{Family, Isa, Selection};
use isadl::semantics::Checked;
use isadl::source::SourceMap;
use isadl_codegen::rust::{
    Behaviour, Constructors, Emit, ModuleHead, Options, Parts, module_executing,
};
use isadl_test_support::{Random, count, root};

use crate::cli::isadl;

/// A specification, checked.
struct Set {
    family: Family,
    programs: Vec<Checked>,
}

impl Set {
    fn read(path: &str) -> Set {
        let map = SourceMap::read(&[root().join(path)]).expect("readable");
        let compilation = isadl::compile(&map);
        let family = compilation.family.unwrap_or_else(|| panic!("{path} has errors"));
        Set { family, programs: compilation.semantics }
    }

    /// A text of which some programs have errors: these have no behaviour.
    fn of_text(text: &str) -> Set {
        Set::of_texts(text, &text.replace("Semantics<checked>", "Semantics<prose>"))
    }

    /// The same, with the text as prose.
    fn of_texts(text: &str, prose: &str) -> Set {
        let compiled = |text: &str| {
            let mut map = SourceMap::new();
            map.add("set.isa", text.as_bytes().to_vec());
            isadl::compile(&map)
        };
        let checked = compiled(text);
        let family = checked.family.or_else(|| compiled(prose).family);
        Set { family: family.expect("only programs have errors"), programs: checked.semantics }
    }

    /// A generation, or all, with some groups and extensions, or all.
    fn part(&self, generation: &str, groups: &[&str], extensions: &[&str]) -> Family {
        let names = |all: &[&str]| all.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let generations: &[&str] = if generation.is_empty() { &[] } else { &[generation] };
        let selection = Selection {
            groups: names(groups),
            generations: names(generations),
            extensions: Some(names(extensions)).filter(|all| !all.is_empty()),
        };
        self.family.clone().select(&selection).expect("all is known")
    }

    /// The module of a generation, or of all, for some groups and extensions.
    fn module(&self, generation: &str, groups: &[&str], extensions: &[&str]) -> String {
        let part = self.part(generation, groups, extensions);
        let parts = Parts { decode: Emit::Yes, encode: Emit::No, text: Emit::No, flow: Emit::No };
        let options = Options { parts, constructors: Constructors::None, ..Options::default() };
        let head = ModuleHead { visibility: String::new(), name: "set".to_string() };
        let behaviour = Behaviour { isas: self.family.isas(), programs: &self.programs };
        module_executing(&part.merged(), &options, head, behaviour).0.plain()
    }
}

/// Compiles a program; the path of its folder and of the program.
fn compiled(name: &str, text: &str) -> (PathBuf, PathBuf) {
    let folder = std::env::temp_dir().join(format!("isadl-executes-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("writable");
    let (source, binary) = (folder.join("main.rs"), folder.join("main"));
    std::fs::write(&source, text).expect("writable");
    let rustc = std::env::var_os("RUSTC").map_or(PathBuf::from("rustc"), PathBuf::from);
    let result = Command::new(rustc)
        .args(["--edition", "2024", "--crate-name", "machine", "-C", "debuginfo=0"])
        .args(["-C", "opt-level=0", "-C", "debug-assertions=on", "-o"])
        .arg(&binary)
        .arg(&source)
        .output()
        .expect("rustc runs");
    let messages = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success(), "{messages}");
    (folder, binary)
}

/// What the program prints for the cases.
fn printed(binary: &Path, folder: &Path, cases: &str) -> Vec<String> {
    let input = folder.join("cases");
    std::fs::write(&input, cases).expect("writable");
    let run = Command::new(binary)
        .stdin(std::fs::File::open(&input).expect("readable"))
        .stderr(Stdio::piped())
        .output()
        .expect("it runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("text").lines().map(str::to_string).collect()
}

/// Compares instructions of a generation.
fn compare(set: Set, generation: &str, groups: &[&str], extensions: &[&str]) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let module = set.module(generation, groups, extensions);
    let isas = set.family.isas();
    let index = isas.iter().position(|isa| is_generation(isa, generation)).expect("it is there");
    let isa = isas[index].clone();
    let text = machine::program(&isa, &set.programs[index], &module);
    let (folder, binary) = compiled(&NUMBER.fetch_add(1, Ordering::Relaxed).to_string(), &text);
    let part = set.part(generation, groups, extensions);
    let names: Vec<String> =
        part.first().opcodes().iter().map(|opcode| opcode.name.clone()).collect();
    let mut programs = set.programs;
    let oracle = oracle::Oracle::new(isa, programs.swap_remove(index));
    let mut random = Random::new(7);
    // Each case of lanes has thousands of registers.
    let most = if oracle.has_lanes() { 1_000 } else { 4_000 };
    let cases = oracle.cases(&names, count("ISADL_WORDS", most), &mut random);
    let input: String = cases.iter().map(|case| case.line()).collect();
    let lines = printed(&binary, &folder, &input);
    assert_eq!(lines.len(), cases.len());
    let (mut wrong, mut illegal) = (Vec::new(), 0);
    for (case, line) in cases.iter().zip(&lines) {
        if line == "illegal" {
            illegal += 1;
            continue;
        }
        let expected = oracle.result(case);
        if *line != expected {
            wrong.push(format!("{}\n  is  {line}\n  not {expected}", oracle.text(case)));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong.iter().take(12).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(20 * illegal <= cases.len(), "{illegal} of {} are illegal", cases.len());
    std::fs::remove_dir_all(&folder).expect("removable");
}

fn is_generation(isa: &Isa, name: &str) -> bool {
    name.is_empty() || isa.generation_names(isa.describes()).any(|own| own == name)
}

/// Groups of A64 with all kinds of instructions that compile in a few seconds.
const A64_GROUPS: [&str; 21] = [
    "COMPARE_AND_BRANCH",
    "TEST_AND_BRANCH",
    "ADD_IMM",
    "LOGICAL_IMM",
    "WIDE",
    "BITFIELD",
    "EXTRACT",
    "LOGICAL",
    "ADD_SHIFTED",
    "ADD_EXTENDED",
    "ONE_SOURCE",
    "TWO_SOURCES",
    "MULTIPLY",
    "LOAD",
    "STORE",
    "LITERAL",
    "LOAD_TWO",
    "STORE_TWO",
    "FP_1",
    "CONVERT",
    "SIZED",
];

#[test]
fn a64_does_what_the_executor_does() {
    compare(Set::read("spec/a64"), "", &A64_GROUPS, &[]);
}

#[test]
fn avr_does_what_the_executor_does() {
    compare(Set::read("tests/fixtures/machines/avr"), "", &[], &[]);
}

#[test]
fn riscv_does_what_the_executor_does() {
    compare(
        Set::read("spec/riscv"),
        "RV64",
        &[],
        &["M", "A", "F", "D", "C", "Zba", "Zbb", "Zbc", "Zbs", "Zfh"],
    );
}

/// Copies of registers, masks and flags: files that are written at computed numbers.
#[test]
fn riscv_vectors_do_what_the_executor_does() {
    compare(
        Set::read("spec/riscv"),
        "RV64",
        &["VSET", "OPIVX_COPY", "OPIVIM", "OPFVFM", "OPMVV_ADD"],
        &["F", "D", "V"],
    );
}

#[test]
fn simt_does_what_the_executor_does() {
    compare(Set::read("spec/simt"), "", &[], &[]);
}

/// Words without marks have a program of their own, with and without a guard.
#[test]
fn words_without_marks_are_usual() {
    let set = Set::read("spec/simt");
    let module = set.module("", &[], &[]);
    let isa = isadl_test_support::Set::from(set.family.first().clone());
    let of = |line: &str, name: &str, bits: &str| {
        let word = isa.assemble(line).expect("an instruction").word;
        let steps = &module[module.find(&format!("impl Steps for {name} ")).expect("a program")..];
        let own = &steps[steps.find(bits).expect("bits") + bits.len()..];
        let mut numbers = own[..own.find(')').expect("it ends")].split(", ");
        let mut number = || {
            let text = numbers.next().expect("a number").trim_start_matches("0x");
            u128::from_str_radix(text, 16).expect("a number")
        };
        let (mask, value) = (number(), number());
        assert_ne!(mask, 0);
        word & mask == value
    };
    let (usual, guarded) = ("const USUAL: (Word, Word) = (", "const GUARDED: (Word, Word) = (");
    assert!(of("IADD R0, R1, R2 ;", "IADD_RR", usual));
    assert!(!of("@P0 IADD R0, R1, R2 ;", "IADD_RR", usual));
    assert!(of("@P0 IADD R0, R1, R2 ;", "IADD_RR", guarded));
    assert!(!of("IADD R0, R1, -R2 ;", "IADD_RR", guarded));
}

/// Lanes with memory, traps and flags.
#[test]
fn lanes_do_what_the_executor_does() {
    compare(Set::read("crates/isadl-exec/tests/machines"), "", &[], &[]);
}

#[test]
fn gcn_does_what_the_executor_does() {
    // The others are much the same, and come with more words.
    let is_long = std::env::var_os("ISADL_WORDS").is_some();
    for generation in if is_long { &["GCN1_4", "GCN1_0", "GCN1_2"][..] } else { &["GCN1_4"] } {
        compare(Set::read("spec/gcn"), generation, &[], &[]);
    }
}

/// Operands of several files, constants, writes that wait for the end of an instruction.
#[test]
fn awkward_operands_do_what_the_executor_does() {
    compare(Set::of_text(include_str!("awkward.isa")), "", &[], &[]);
}

/// Every operation on registers of some widths.
#[test]
fn widths_do_what_the_executor_does() {
    for width in [7, 33, 64, 100, 192] {
        let programs = programs::of_width(width);
        compare(Set::of_text(&programs), "", &[], &[]);
    }
}

/// The same in four lanes: loops whose numbers differ, and what they carry.
#[test]
fn widths_of_lanes_do_what_the_executor_does() {
    let lanes = "  __Semantics\n```isa\nlanes R = 4\n```\n__DefInstructions";
    for width in [7, 33, 64, 100, 192] {
        let text = programs::of_width(width).replace("__DefInstructions", lanes);
        compare(Set::of_text(&text), "", &[], &[]);
    }
}

/// Batches of random programs. Each is compiled, which takes seconds, so that long runs have few as well.
fn batches() -> std::ops::Range<u64> {
    0..count("ISADL_SETS", 3).min(12) as u64
}

#[test]
fn random_programs_do_what_the_executor_does() {
    for batch in batches() {
        compare(Set::of_text(&programs::random_programs(batch)), "", &[], &[]);
    }
}

#[test]
fn random_programs_of_lanes_do_what_the_executor_does() {
    for batch in batches() {
        let (text, prose) = of_lanes::random_programs(batch);
        compare(Set::of_texts(&text, &prose), "", &[], &[]);
    }
}

#[test]
fn the_command_says_what_is_not_executed() {
    let folder =
        std::env::temp_dir().join(format!("isadl-executes-{}-command", std::process::id()));
    std::fs::create_dir_all(&folder).expect("writable");
    let generate = |spec: &str| {
        let arguments = ["gen", spec, "--target", "rust", "--emit", "decode,exec", "--out", "out"];
        isadl(&folder, &arguments)
    };
    // A program, an opcode without one, and a program that generated code has no form for.
    let text = "__DefIsa TOY<8>\n    Semantics<checked>;\n__DefRegFile R<8, 4>\n\
                __DefOperandType Reg<2>\n    r[0..3] = 0 : R;\n__DefGroup ALL : []\n  __Encoding\n    \
                field[7:6] Reg rd; zero[5:4];\n  __OperandInfo\n    Operands<inout rd>;\n\
                __DefInstructions : [ALL]\n    ///= rd = (rd + 1)[7:0]\n    INC \"inc\" [3:0] == 0;\n    \
                ///= if rd[0] { rd = 2; commit }; rd = 1\n    HALF \"half\" [3:0] == 1;\n    \
                NONE \"none\" [3:0] == 2;\n";
    let prose = text.replace("    Semantics<checked>;\n", "").replace("///= ", "/// ");
    std::fs::write(folder.join("toy.isa"), prose).expect("writable");
    let refused =
        "error: nothing generated: the part `exec` of TOY: no instruction has a program\n";
    assert_eq!(generate("toy.isa"), (Some(1), refused.to_string()));
    assert!(!folder.join("out").exists());
    std::fs::write(folder.join("toy.isa"), text).expect("writable");
    let (status, said) = generate("toy.isa");
    assert_eq!(status, Some(0), "{said}");
    for line in [
        "TOY: the part `exec` does not execute `HALF`: `commit` is in a branch\n",
        "TOY: the part `exec` does not execute `NONE`: it has no program\n",
    ] {
        assert!(said.contains(line), "{said}");
    }
    std::fs::remove_dir_all(&folder).expect("removable");
}
