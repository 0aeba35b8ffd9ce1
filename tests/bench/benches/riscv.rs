//! Compares the decoding of RISC-V with riscv-decode: the committed crate, which takes sets of extensions, and a crate of
//! RV64GC alone.
//!
//! `cargo bench -p isadl-bench --bench riscv`; the ratios are printed at the end. The words are the code of the C library,
//! where Debian's `libc6-riscv64-cross` is installed: all of them, those of 4 bytes, and those of 2 bytes. riscv-decode
//! refuses most of the latter, which is counted; it is timed with them, and without.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput};
use isadl_bench::{print_ratio, sized};
use isadl_peers::{riscv_decode, rv64gc};
use object::{Object, ObjectSection};
use riscv::{Extensions, Generation};

/// The C library for RV64 of Debian's cross compiler.
const LIBRARY: &str = "/usr/riscv64-linux-gnu/lib/libc.so.6";

/// The decoders, and the bound of the ratio to the last of them: of all words, and of those of 4 bytes.
const DECODERS: [(&str, [&str; 2]); 3] =
    [("most", ["0.6", "0.45"]), ("gc", ["0.6", "0.45"]), ("rv64gc", ["0.4", "0.3"])];

const PEER: &str = "riscv-decode";

/// The words of the C library's code; `None` if it is not installed.
fn library() -> Option<Vec<u32>> {
    let file = std::fs::read(Path::new(LIBRARY)).ok()?;
    let file = object::File::parse(file.as_slice()).ok()?;
    let mut rest = file.section_by_name(".text")?.data().ok()?;
    let mut words = Vec::new();
    while let Some((first, _)) = rest.split_first_chunk::<4>() {
        let word = u32::from_le_bytes(*first);
        // The lowest bits say how long an instruction is.
        let (word, length) = if word & 3 == 3 { (word, 4) } else { (word & 0xffff, 2) };
        words.push(word);
        rest = &rest[length..];
    }
    words.truncate(sized(usize::MAX, 1000));
    Some(words)
}

fn with(extensions: Extensions, word: u32) -> Option<riscv::Inst> {
    riscv::Inst::decode_word(Generation::RV64, extensions, word).ok()
}

fn alone(word: u32) -> Option<rv64gc::Inst> {
    rv64gc::Inst::decode_word(word).ok()
}

fn peer(word: u32) -> Option<riscv_decode::Instruction> {
    riscv_decode::decode(word).ok()
}

/// Times all decoders with a set of words.
fn bench(criterion: &mut Criterion, set: &str, words: &[u32]) {
    let mut group = criterion.benchmark_group(format!("riscv_{set}"));
    group.throughput(Throughput::Elements(words.len() as u64));
    macro_rules! time {
        ($name:expr, $decode:expr) => {
            group.bench_function($name, |bencher| {
                bencher.iter(|| {
                    for word in words {
                        black_box($decode(black_box(*word)));
                    }
                });
            });
        };
    }
    time!("most", |word| with(Extensions::MOST, word));
    time!("gc", |word| with(Extensions::GC, word));
    time!("rv64gc", alone);
    time!(PEER, peer);
    group.finish();
}

/// Prints the ratios of a set of words; `bound` is the place of their bounds.
fn print_ratios(set: &str, words: usize, bound: usize) {
    let median = |function: &str| {
        let read = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).ok()?;
            value["median"]["point_estimate"].as_f64()
        };
        let group = format!("riscv_{set}");
        isadl_bench::median(read, &group, function).map(|time| time / words as f64)
    };
    for (decoder, bounds) in DECODERS {
        let what = format!("{set}, {decoder} / {PEER}");
        print_ratio(&what, median(decoder), median(PEER), bounds[bound]);
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let Some(words) = library() else {
        println!("skipped: {LIBRARY} is not installed");
        return;
    };
    let refused = |name: &str, is_taken: &dyn Fn(u32) -> bool| {
        let refused = words.iter().filter(|word| !is_taken(**word)).count();
        println!("{name} refuses {refused} of {} words", words.len());
    };
    refused("most", &|word| with(Extensions::MOST, word).is_some());
    refused("rv64gc", &|word| alone(word).is_some());
    refused(PEER, &|word| peer(word).is_some());
    let select = |is_wanted: &dyn Fn(u32) -> bool| {
        words.iter().copied().filter(|word| is_wanted(*word)).collect::<Vec<u32>>()
    };
    let is_known = |word: u32| peer(word).is_some();
    let sets = [
        ("libc", words.clone(), 0),
        ("known", select(&is_known), 0),
        ("four_bytes", select(&|word| word & 3 == 3 && is_known(word)), 1),
        ("two_bytes", select(&|word| word & 3 != 3 && is_known(word)), 0),
    ];
    for (set, words, _) in &sets {
        bench(&mut criterion, set, words);
    }
    criterion.final_summary();
    println!("\nnanoseconds a word, and ratios:");
    for (set, words, bound) in &sets {
        print_ratios(set, words.len(), *bound);
    }
}
