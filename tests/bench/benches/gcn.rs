//! Decoding a million words of GCN1_4 instructions by the generated crate, compared with LLVM's C
//! disassembler.
//!
//! `cargo bench -p isadl-bench --bench gcn`; the ratios are printed at the end. LLVM's interface
//! always writes text; without libLLVM 19 (Debian: libllvm19) only the generated crate is measured.
//! Both print the same texts, which is checked first; instructions that LLVM is known to print
//! differently are left out.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use gcn::{Generation, Inst, TEXT_ROOM};
use isadl_bench::llvm::Disassembler;
use isadl_bench::{print_ratio, sized};
use isadl_test_support::{Random, Set, gcn as family, words};

/// Dwords in the buffer: for measuring, and in a trial.
const DWORDS: [usize; 2] = [1 << 20, 1 << 12];

/// Distinct instructions in the buffer, which repeats them: for measuring, and in a trial.
const DISTINCT: [usize; 2] = [50_000, 1000];

/// Consecutive random instructions of every opcode: only instructions that an assembler generates and that LLVM prints
/// in the same way.
fn buffer(isa: &Set) -> Vec<u8> {
    let mut random = Random::new(19);
    let described =
        |id: &isadl::isa::OpcodeId| !isadl_test_support::llvm::is_outside(&isa.opcode(*id).name);
    let ids: Vec<_> = isa.opcode_ids().filter(described).collect();
    let mut block = Vec::new();
    let mut made = 0;
    while made < sized(DISTINCT[0], DISTINCT[1]) {
        let id = ids[random.below(ids.len() as u64) as usize];
        // As in real code, most short forms do not have a literal.
        if isa.opcode(id).has_literal() && random.below(4) > 0 {
            continue;
        }
        let Some(inst) = words::instruction(isa, id, &mut random) else { continue };
        let text = isa.text(inst);
        if isa.assemble(&text).ok() == Some(inst) && !is_other_in_llvm(&text) {
            block.extend(&inst.word.to_le_bytes()[..isa.length(inst.word)]);
            made += 1;
        }
    }
    let blocks = (sized(DWORDS[0], DWORDS[1]) * 4).div_ceil(block.len());
    block.repeat(blocks)
}

/// Whether LLVM prints a different text, according to the known differences in `tests/support/src/llvm.rs`.
fn is_other_in_llvm(text: &str) -> bool {
    let is_16_bit_integer = ["_u16", "_i16", "_b16"].iter().any(|ty| text.contains(ty));
    text.contains(", exec") || is_16_bit_integer && text.contains('.')
}

fn decode(bytes: &[u8]) -> u64 {
    let instructions = Inst::stream(Generation::GCN1_4, bytes);
    instructions.fold(0, |sum, (_, inst)| sum ^ inst.map_or(1, |inst| inst.word()))
}

fn format(bytes: &[u8], text: &mut [u8; TEXT_ROOM]) -> usize {
    let mut length = 0;
    for (_, inst) in Inst::stream(Generation::GCN1_4, bytes) {
        if let Ok(inst) = inst {
            length += inst.append_to(text, 0).unwrap_or(0);
            black_box(&text);
        }
    }
    length
}

fn characters(llvm: &mut Disassembler, bytes: &[u8]) -> usize {
    let mut characters = 0;
    llvm.each(bytes, |text| characters += text.len());
    characters
}

/// Checks that both print the same texts, except for spaces.
fn compare(bytes: &[u8], llvm: &mut Disassembler) {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut ours = Inst::stream(Generation::GCN1_4, bytes);
    llvm.each(bytes, |theirs| {
        let inst = ours.next().and_then(|(_, inst)| inst.ok()).expect("it is an instruction");
        let theirs = std::str::from_utf8(theirs).expect("LLVM writes text");
        assert_eq!(inst.to_string(), folded(theirs), "LLVM writes another text");
    });
    assert!(ours.next().is_none());
}

fn main() {
    let family = family();
    let isa = family.generation("GCN1_4").expect("it is a generation");
    let bytes = buffer(isa);
    let count = Inst::stream(Generation::GCN1_4, &bytes).count();
    let mut text = [0; TEXT_ROOM];
    let mut llvm = Disassembler::new("gfx900");
    match &mut llvm {
        Some(llvm) => compare(&bytes, llvm),
        None => println!("libLLVM 19 is not here: nothing to compare with"),
    }
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let mut group = criterion.benchmark_group("gcn");
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function("decode", |b| b.iter(|| decode(black_box(&bytes))));
    group.bench_function("format", |b| b.iter(|| format(black_box(&bytes), &mut text)));
    if let Some(llvm) = &mut llvm {
        group.bench_function("llvm", |b| b.iter(|| characters(llvm, black_box(&bytes))));
    }
    group.finish();
    criterion.final_summary();
    let median = |function: &str| {
        let read = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).ok()?;
            value["median"]["point_estimate"].as_f64()
        };
        isadl_bench::median(read, "gcn", function).map(|time| time / count as f64)
    };
    let theirs = llvm.is_some().then(|| median("llvm")).flatten();
    println!("\nnanoseconds an instruction of {count}, ratio generated / LLVM's C disassembler:");
    print_ratio("decode and format", median("format"), theirs, "0.04, aim 0.025");
    print_ratio("decode alone, against LLVM with text", median("decode"), theirs, "0.04");
}
