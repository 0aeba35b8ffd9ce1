//! Compares A64 with disarm64 and yaxpeax-arm: decoding, and decoding plus printing, of the same words in one run.
//!
//! `cargo bench -p isadl-bench --bench a64`; the ratios are printed at the end. There are three sets of words: code
//! that gcc generated from some C files, the recorded words of all opcodes in random order, and the code of the C
//! library, where Debian's `libc6-arm64-cross` is installed. Words that some decoder refuses are left out, and counted.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::hint::black_box;
use std::path::Path;

use a64::{Extensions, Inst, TEXT_ROOM};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use isadl_bench::{a64_lines, compiled_a64, print_ratio, sized};
use isadl_peers::disarm64;
use isadl_peers::yaxpeax_arch::{Decoder, U8Reader};
use isadl_peers::yaxpeax_arm::armv8::a64::{InstDecoder, Instruction};
use isadl_test_support::Random;
use object::{Object, ObjectSection};

/// The C library for A64 of Debian's cross compiler.
const LIBRARY: &str = "/usr/aarch64-linux-gnu/lib/libc.so.6";

/// Bytes of a text, at most, with the end of its line.
const LINE: usize = 160;

/// Recorded words of every opcode in random order.
fn every() -> Vec<u32> {
    let word = |line: &str| u32::from_str_radix(&line[..8], 16).expect("a word in hexadecimal");
    let mut words: Vec<u32> = a64_lines("llvm.tsv").iter().map(|line| word(line)).collect();
    let mut random = Random::new(7);
    for end in (1..words.len()).rev() {
        words.swap(end, random.below(end as u64 + 1) as usize);
    }
    words
}

/// The code of the C library; `None` if it is not installed.
fn library() -> Option<Vec<u32>> {
    let file = std::fs::read(Path::new(LIBRARY)).ok()?;
    let file = object::File::parse(file.as_slice()).ok()?;
    let section = file.section_by_name(".text")?;
    let words = section.data().ok()?.chunks_exact(4);
    Some(words.map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect())
}

#[inline(always)]
fn ours(word: u32) -> Option<Inst> {
    Inst::decode_word(Extensions::DEFAULT, word).ok()
}

#[inline(always)]
fn disarm(word: u32) -> Option<disarm64::Opcode> {
    disarm64::decoder::decode(word)
}

#[inline(always)]
fn yaxpeax(word: u32) -> Option<Instruction> {
    let bytes = word.to_le_bytes();
    InstDecoder::default().decode(&mut U8Reader::new(&bytes)).ok()
}

/// The words that all decoders take, and how many each takes.
fn known_to_all(set: &str, words: Vec<u32>) -> Vec<u32> {
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    let total = words.len();
    let is_known = |word: &u32| {
        let found = [
            ("isadl", ours(*word).is_some()),
            ("disarm64", disarm(*word).is_some()),
            ("yaxpeax", yaxpeax(*word).is_some()),
        ];
        found
            .iter()
            .filter(|(_, is)| *is)
            .for_each(|(name, _)| *taken.entry(name).or_default() += 1);
        found.iter().all(|(_, is)| *is)
    };
    let mut words: Vec<u32> = words.into_iter().filter(is_known).collect();
    println!(
        "{set}: {total} words, of which decoders take {taken:?}, and all of them {}",
        words.len()
    );
    words.truncate(sized(usize::MAX, 1000));
    words
}

/// Times a decoder.
fn decode<T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    words: &[u32],
    decode: impl Fn(u32) -> Option<T>,
) {
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            for word in words {
                black_box(decode(black_box(*word)));
            }
        });
    });
}

/// Times a decoder and its printer, into one string.
fn display<T: Display>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    words: &[u32],
    decode: impl Fn(u32) -> Option<T>,
) {
    let mut out = String::with_capacity(words.len() * LINE);
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            out.clear();
            for word in black_box(words) {
                if let Some(inst) = decode(*word) {
                    let _ = writeln!(out, "{inst}");
                }
            }
            black_box(&out);
        });
    });
}

/// Times our decoder and our printer into bytes.
fn append(group: &mut BenchmarkGroup<'_, WallTime>, words: &[u32]) {
    let mut out = vec![0; words.len() * LINE + TEXT_ROOM];
    group.bench_function("append_to", |bencher| {
        bencher.iter(|| {
            let mut at = 0;
            for word in black_box(words) {
                let Some(end) = ours(*word).and_then(|inst| inst.append_to(&mut out, at)) else {
                    continue;
                };
                out[end] = b'\n';
                at = end + 1;
            }
            black_box(&out[..at]);
        });
    });
}

fn bench(criterion: &mut Criterion, set: &str, words: &[u32]) {
    let mut group = criterion.benchmark_group(format!("a64_{set}_decode"));
    group.throughput(Throughput::Elements(words.len() as u64));
    decode(&mut group, "isadl", words, ours);
    decode(&mut group, "disarm64", words, disarm);
    decode(&mut group, "yaxpeax", words, yaxpeax);
    group.finish();
    let mut group = criterion.benchmark_group(format!("a64_{set}_text"));
    group.throughput(Throughput::Elements(words.len() as u64));
    append(&mut group, words);
    display(&mut group, "isadl", words, ours);
    display(&mut group, "disarm64", words, disarm);
    display(&mut group, "yaxpeax", words, yaxpeax);
    group.finish();
}

/// Prints the ratios of one set of words.
fn print_ratios(set: &str, words: usize) {
    let median = |group: &str, function: &str| {
        let read = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).ok()?;
            value["median"]["point_estimate"].as_f64()
        };
        let group = format!("a64_{set}_{group}");
        isadl_bench::median(read, &group, function).map(|time| time / words as f64)
    };
    for (group, own, bound) in
        [("decode", "isadl", "0.5"), ("text", "append_to", "0.5"), ("text", "isadl", "0.5")]
    {
        for peer in ["disarm64", "yaxpeax"] {
            let what = format!("{set}, {group}, {own} / {peer}");
            print_ratio(&what, median(group, own), median(group, peer), bound);
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let sets = [("compiled", Some(compiled_a64())), ("every", Some(every())), ("libc", library())];
    let mut measured = Vec::new();
    for (set, words) in sets {
        let Some(words) = words else {
            println!("{set}: skipped, {LIBRARY} is not installed");
            continue;
        };
        let words = known_to_all(set, words);
        bench(&mut criterion, set, &words);
        measured.push((set, words.len()));
    }
    criterion.final_summary();
    println!("\nnanoseconds a word, and ratios:");
    measured.into_iter().for_each(|(set, words)| print_ratios(set, words));
}
