//! The addresses in branches and jumps of `spec/riscv`, against llvm-objdump 19's output for an object.
//!
//! `tests/fixtures/riscv/addresses.txt` is recorded with `BLESS=1`: generation, address, word, text. Where LLVM is
//! installed, the file is compared with its output.

use std::io::Write;
use std::process::{Command, Stdio};

use isadl::engine::TextOptions;
use isadl_test_support::llvm::Llvm;
use isadl_test_support::llvm_riscv::{MOST, folded};
use isadl_test_support::{Random, Set, Sets, root, words};

const GENERATIONS: [&str; 2] = ["RV32", "RV64"];

/// The address of the first instruction.
const START: u64 = 0x4000_0000;

/// Words of each opcode that names an address.
const SAMPLES: usize = 20;

fn family() -> &'static Sets {
    isadl_test_support::riscv_with(MOST.names)
}

fn generation<'f>(family: &'f Sets, name: &str) -> &'f Set {
    family.generation(name).unwrap_or_else(|| panic!("no generation {name}"))
}

/// Words of instructions that name an address, each with its digits.
fn sample(isa: &Set) -> Vec<String> {
    let mut random = Random::new(0xadd);
    let mut digits = Vec::new();
    for id in isa.opcode_ids() {
        for _ in 0..SAMPLES {
            let inst = words::instruction(isa, id, &mut random).expect("a legal word");
            if isa.engine().target(inst, START).is_some() {
                let width = isa.length(inst.word) * 2;
                digits.push(format!("{:0width$x}", inst.word));
            }
        }
    }
    digits
}

/// The instruction of the generated crate.
fn generated(name: &str, word: u128) -> riscv::Inst {
    let extensions = MOST.names.join(",").parse().expect("they are known");
    let generation = riscv::Generation::ALL.iter().find(|generation| generation.name() == name);
    let generation = *generation.expect("a generation");
    let bytes = word.to_le_bytes();
    let (inst, _) =
        riscv::Inst::decode(generation, extensions, &bytes[..4]).expect("an instruction");
    inst
}

/// llvm-objdump's output for words, with their addresses.
fn printed(generation: &str, digits: &[String]) -> Vec<String> {
    let target = [
        format!("--triple=riscv{}", &generation[2..]),
        // Relaxation would leave relocations instead of addresses.
        format!("--mattr={},-relax", MOST.llvm),
    ];
    let object = std::env::temp_dir().join(format!("isadl-{}-{generation}.o", std::process::id()));
    let mut assembler = Command::new("llvm-mc-19")
        .args(&target)
        .args(["-filetype=obj", "-o"])
        .arg(&object)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let line = |digits: &String| format!(".insn {}, 0x{digits}\n", digits.len() / 2);
    let source: String = digits.iter().map(line).collect();
    let mut input = assembler.stdin.take().expect("a pipe");
    input.write_all(format!(".text\n{source}").as_bytes()).expect("it reads");
    drop(input);
    assert!(assembler.wait().expect("it ends").success());
    let printed = Command::new("llvm-objdump-19")
        .args(&target)
        .args(["-d", &format!("--adjust-vma={START:#x}")])
        .arg(&object)
        .output()
        .expect("it runs");
    std::fs::remove_file(&object).expect("it was made");
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let mut lines = Vec::new();
    for line in printed.lines() {
        // 40000000: 0000006f  j 0x40000000 <.text>
        let Some((address, rest)) = line.split_once(": ") else { continue };
        let (_, text) = rest.split_once('\t').expect("a text after the bytes");
        let text = text.split(" <").next().unwrap_or_default();
        let digits = &digits[lines.len()];
        lines.push(format!("{generation} {} {digits} {}", address.trim(), folded(text)));
    }
    assert_eq!(lines.len(), digits.len(), "{printed}");
    lines
}

fn has_objdump() -> bool {
    let output = Command::new("llvm-objdump-19").arg("--version").output();
    Llvm::find().is_some() && output.is_ok_and(|output| output.status.success())
}

#[test]
fn addresses_are_those_of_llvm() {
    let family = family();
    let path = root().join("tests/fixtures/riscv/addresses.txt");
    if isadl_test_support::bless() {
        let mut text = format!(
            "# Made by llvm-mc-19 -filetype=obj and llvm-objdump-19 -d --mattr={}.\n",
            MOST.llvm
        );
        for name in GENERATIONS {
            for line in printed(name, &sample(generation(family, name))) {
                text += &format!("{line}\n");
            }
        }
        std::fs::write(&path, text).expect("writable");
    }
    let recorded = std::fs::read_to_string(&path).expect("they are recorded");
    let lines: Vec<&str> = recorded.lines().filter(|line| !line.starts_with('#')).collect();
    for line in &lines {
        let [name, address, digits, text] = line.splitn(4, ' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let address = u64::from_str_radix(address, 16).expect("an address");
        let engine = generation(family, name).engine();
        let word = u128::from_str_radix(digits, 16).expect("a word");
        let inst = engine.decode(word).unwrap_or_else(|error| panic!("{line}: {error:?}"));
        let mut own = String::new();
        engine.append_text_at(inst, TextOptions::at(address), |_| None::<(&str, u64)>, &mut own);
        assert_eq!(own, text, "{line}");
        let generated = generated(name, word);
        let text_at = generated.text_at(address, |_| None::<(&str, u64)>);
        assert_eq!(text_at.to_string(), text, "{line}");
        let last = text.rsplit("0x").next().and_then(|digits| u64::from_str_radix(digits, 16).ok());
        assert_eq!(engine.target(inst, address), last, "{line}");
        // The text assembles to the word, or to a compressed encoding.
        let read = engine
            .assemble_with(text, TextOptions::at(address))
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        let named = engine.long(inst).unwrap_or(inst);
        assert_eq!(read, engine.shortest(named), "{line}");
    }
    assert!(lines.len() > 2 * 10 * SAMPLES, "{} lines", lines.len());
    println!("{} lines", lines.len());
}

/// Where LLVM is installed, the recorded texts are compared with its output.
#[test]
fn recorded_addresses_are_what_llvm_prints() {
    if !has_objdump() {
        println!("skipped: llvm-mc-19 and llvm-objdump-19 are not installed");
        return;
    }
    let path = root().join("tests/fixtures/riscv/addresses.txt");
    let recorded = std::fs::read_to_string(&path).expect("they are recorded");
    for name in GENERATIONS {
        let known: Vec<&str> = recorded.lines().filter(|line| line.starts_with(name)).collect();
        let digits = known.iter().map(|line| line.split(' ').nth(2).expect("a word").to_string());
        let digits: Vec<String> = digits.collect();
        assert_eq!(printed(name, &digits), known);
    }
}
