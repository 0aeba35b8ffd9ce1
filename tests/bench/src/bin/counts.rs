//! Counts the instructions that the processor executes for one word, line or specification, and compares
//! them with `counts.txt`: `cargo run --profile bench -p isadl-bench --bin counts`.
//!
//! Unlike times, counts are nearly the same on a loaded machine and on other machines, so they can decide whether a
//! change lands. They differ with the version of Rust and with the processor's architecture. The counts of `check` also
//! vary by less than a percent from run to run, because hash maps have random seeds. More than 5 % above the recorded
//! count is a failure; a decrease by as much is reported. `BLESS=1` rewrites the file.
//!
//! CI builds it with the profile `long`, as its other long runs, and compares with `counts-checked.txt`: those counts include
//! checks for overflows.

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode};

use isadl::image::OwnedImage;
use isadl::isa::Isa;
use isadl::source::SourceMap;
use isadl_bench::before;
use isadl_bench::emulator::Emulator;
use isadl_bench::guest;
use isadl_compiled::{CompiledSet, Contents};
use isadl_engine::decode::decode;
use isadl_engine::target::Target;
use isadl_exec::Stop;
use isadl_test_support::source_map;
use isadl_test_support::synthetic::{aliases_and_rules, one_mnemonic};
use isadl_test_support::{Random, bless, root};

isadl_macros::isa!(
    mod rv32i = ["../../spec/riscv/isa.isa", "../../spec/riscv/rv_i.isa"],
    generations = ["RV32"],
    emit = [decode]
);

/// A measurement: its name, the number of items, and the work on the first few of them.
struct Measure {
    name: &'static str,
    item: &'static str,
    items: usize,
    run: fn(usize),
}

const MEASURES: [Measure; 20] = [
    Measure { name: "decode RV32I", item: "word", items: 2000, run: decode_rv32i },
    Measure { name: "decode SIMT", item: "word", items: 2000, run: decode_simt },
    Measure { name: BEFORE, item: "word", items: 2000, run: decode_simt_before },
    Measure { name: "decode GCN", item: "word", items: 2000, run: decode_gcn },
    Measure { name: "decode A64", item: "word", items: 2000, run: decode_a64 },
    Measure { name: "run-time RV32I", item: "word", items: 2_000_000, run: run_time_rv32i },
    Measure { name: "run-time SIMT", item: "word", items: 2_000_000, run: run_time_simt },
    Measure { name: "text SIMT", item: "text", items: 1000, run: text_simt },
    Measure { name: "text GCN", item: "text", items: 1000, run: text_gcn },
    Measure { name: "text A64", item: "text", items: 1000, run: text_a64 },
    Measure { name: "assemble SIMT", item: "line", items: 500, run: assemble_simt },
    Measure { name: "assemble GCN", item: "line", items: 500, run: assemble_gcn },
    Measure { name: "uses SIMT", item: "instruction", items: 1000, run: uses_simt },
    Measure { name: "execute RV64", item: "instruction", items: 1_000_000, run: execute_rv64 },
    Measure { name: "generated RV64", item: "instruction", items: 1_000_000, run: generated_rv64 },
    Measure { name: "check spec/simt", item: "run", items: 1, run: check_simt },
    Measure { name: "check spec/gcn", item: "run", items: 1, run: check_gcn },
    Measure { name: "read compiled GCN", item: "set", items: 4, run: read_compiled },
    Measure { name: "check one mnemonic", item: "run", items: 1, run: check_one_mnemonic },
    Measure { name: "check aliases and rules", item: "run", items: 1, run: check_aliases },
];

/// How much more than recorded is a failure, and how much less is told.
const TOLERANCE: f64 = 0.05;

/// The decoder of SIMT that was generated before the engine existed, and the fraction of its instructions that the
/// engine may execute.
const BEFORE: &str = "before the engine";
const SIMT_BOUND: f64 = 0.7;

const GENERATION: gcn::Generation = gcn::Generation::GCN1_4;

/// Random instructions; the work is done on them over and over.
const DISTINCT: usize = 500;

/// Works on `count` items, in whole rounds, and uses the results.
fn each<T: Copy>(items: &[T], count: usize, work: impl Fn(T) -> Option<u64>) {
    assert!(items.len() == DISTINCT && count.is_multiple_of(DISTINCT));
    let mut sum = 0u64;
    for _ in 0..count / DISTINCT {
        for item in black_box(items) {
            sum = match work(*item) {
                Some(found) => sum.wrapping_add(found),
                None => sum ^ 1,
            };
        }
    }
    black_box(sum);
}

fn random_of<T: Copy>(all: &[T], random: &mut Random) -> T {
    all[random.below(all.len() as u64) as usize]
}

fn rv32i_words() -> Vec<u32> {
    let mut random = Random::new(7);
    let word = |_| {
        let info = random_of(rv32i::Opcode::ALL, &mut random).info();
        random.next_u64() as u32 & !info.mask | info.value
    };
    (0..DISTINCT).map(word).collect()
}

fn simt_insts() -> Vec<simt::Inst> {
    let mut random = Random::new(7);
    let inst = || {
        let info = random_of(simt::Opcode::ALL, &mut random).info();
        simt::Inst::decode_word(random.next_u128() & !info.mask | info.value)
    };
    std::iter::repeat_with(inst).flatten().take(DISTINCT).collect()
}

fn gcn_insts() -> Vec<gcn::Inst> {
    let mut random = Random::new(7);
    let inst = || {
        let info = random_of(gcn::Opcode::ALL, &mut random).info_in(GENERATION)?;
        gcn::Inst::decode_word(GENERATION, random.next_u64() & !info.mask | info.value).ok()
    };
    std::iter::repeat_with(inst).flatten().take(DISTINCT).collect()
}

/// Words that gcc generated from C.
fn a64_words() -> Vec<u32> {
    isadl_bench::compiled_a64().into_iter().take(DISTINCT).collect()
}

fn decode_rv32i(count: usize) {
    let words = rv32i_words();
    each(&words, count, |word| {
        rv32i::Inst::decode_word(word).ok().map(|inst| inst.opcode() as u64)
    });
}

fn decode_simt(count: usize) {
    let words: Vec<u128> = simt_insts().iter().map(|inst| inst.word()).collect();
    each(&words, count, |word| simt::Inst::decode_word(word).ok().map(|inst| inst.opcode() as u64));
}

fn decode_simt_before(count: usize) {
    let words: Vec<u128> = simt_insts().iter().map(|inst| inst.word()).collect();
    each(&words, count, |word| {
        before::Inst::decode_word(word).ok().map(|inst| inst.opcode() as u64)
    });
}

fn decode_gcn(count: usize) {
    let words: Vec<u64> = gcn_insts().iter().map(|inst| inst.word()).collect();
    each(&words, count, |word| {
        gcn::Inst::decode_word(GENERATION, word).ok().map(|inst| inst.opcode() as u64)
    });
}

fn decode_a64(count: usize) {
    each(&a64_words(), count, |word| {
        a64::Inst::decode_word(a64::Extensions::DEFAULT, word).ok().map(|inst| inst.opcode() as u64)
    });
}

/// Decodes by an image that is loaded at run time.
fn run_time(isa: &Isa, words: &[u128], count: usize) {
    let owned = OwnedImage::of(isa);
    let image = black_box(owned.view());
    each(words, count, |word| {
        let (row, _) = decode(&image, Target::new(0, 0), word)?;
        Some(image.words.rows[row.get() as usize].opcode.into())
    });
}

fn run_time_rv32i(count: usize) {
    let isa = isadl_bench::rv32i();
    let words: Vec<u128> = rv32i_words().into_iter().map(u128::from).collect();
    run_time(&isa, &words, count);
}

fn run_time_simt(count: usize) {
    let words: Vec<u128> = simt_insts().iter().map(|inst| inst.word()).collect();
    run_time(isadl_test_support::simt(), &words, count);
}

fn text_simt(count: usize) {
    each(&simt_insts(), count, |inst| {
        let mut text = [0; simt::TEXT_ROOM];
        let len = inst.append_to(&mut text, 0)?;
        Some(black_box(&text)[0] as u64 + len as u64)
    });
}

fn text_a64(count: usize) {
    let insts: Vec<a64::Inst> = a64_words()
        .into_iter()
        .flat_map(|word| a64::Inst::decode_word(a64::Extensions::DEFAULT, word).ok())
        .collect();
    each(&insts, count, |inst| {
        let mut text = [0; a64::TEXT_ROOM];
        let len = inst.append_to(&mut text, 0)?;
        Some(black_box(&text)[0] as u64 + len as u64)
    });
}

fn text_gcn(count: usize) {
    each(&gcn_insts(), count, |inst| {
        let mut text = [0; gcn::TEXT_ROOM];
        let len = inst.append_to(&mut text, 0)?;
        Some(black_box(&text)[0] as u64 + len as u64)
    });
}

fn assemble_simt(count: usize) {
    let lines: Vec<String> = simt_insts().iter().map(simt::Inst::to_string).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    each(&lines, count, |line| simt::Inst::parse(line).ok().map(|inst| inst.word() as u64));
}

fn assemble_gcn(count: usize) {
    let lines: Vec<String> = gcn_insts().iter().map(gcn::Inst::to_string).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    each(&lines, count, |line| gcn::Inst::parse(GENERATION, line).ok().map(|inst| inst.word()));
}

fn uses_simt(count: usize) {
    each(&simt_insts(), count, |inst| {
        let sum = inst.uses().fold(0, |sum: u64, found| match found.resource {
            simt::Resource::Registers { file, first, count } => {
                sum.rotate_left(5) ^ u64::from(first) << 8 ^ u64::from(count) << 4 ^ file as u64
            }
            _ => sum ^ found.effect as u64,
        });
        Some(sum)
    });
}

/// Executes instructions of a program; their translation counts, too.
fn execute_rv64(count: usize) {
    let mut machine = guest::RV64.machine();
    assert_eq!(machine.run(count as u64), Stop::Fuel, "at {:#x}", machine.pc());
    black_box(machine.pc());
}

/// The same by generated code.
fn generated_rv64(count: usize) {
    let (bytes, address) = guest::RV64.code();
    let mut emulator = Emulator::new(&bytes, address);
    emulator.execute(count as u64);
    black_box(emulator);
}

fn check(folder: &str, count: usize) {
    let map = SourceMap::read(&[root().join(folder)]).expect("the specification is readable");
    check_map(&map, count);
}

fn check_map(map: &SourceMap, count: usize) {
    for _ in 0..count {
        let compilation = isadl::compile(map);
        assert!(black_box(&compilation).family.is_some(), "the specification has errors");
    }
}

/// Many opcodes of one kind: work per pair of them would dominate the count.
fn check_one_mnemonic(count: usize) {
    let text = one_mnemonic(500, ("k#({n})", "p"));
    check_map(&source_map(&[("many.isa", text)]), count);
}

fn check_aliases(count: usize) {
    let text = aliases_and_rules(300, 200);
    check_map(&source_map(&[("many.isa", text)]), count);
}

fn check_simt(count: usize) {
    check("spec/simt", count);
}

fn check_gcn(count: usize) {
    check("spec/gcn", count);
}

/// Reads the tables of a compiled set, as a command does before its first word.
fn read_compiled(count: usize) {
    let sources = SourceMap::read(&[root().join("spec/gcn")]).expect("the specification");
    let compilation = isadl::compile(&sources);
    let family = compilation.family.expect("no errors");
    let contents = Contents {
        family: &family,
        programs: &compilation.semantics,
        is_executable: false,
        sources: &sources,
        beside: &[],
    };
    let bytes = contents.write().expect("a file");
    for _ in 0..count {
        let set = CompiledSet::read(black_box(&bytes).clone()).expect("a set");
        black_box(set.loaded(0).expect("tables"));
    }
}

/// The instructions that this program executes for the setup of a measure and a number of items.
fn count(measure: &Measure, items: usize) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([measure.name, &items.to_string()])
        .env("LC_ALL", "C")
        .output()
        .ok()?;
    let log = String::from_utf8_lossy(&output.stderr);
    let collected = log.lines().find_map(|line| line.split_once("Collected : "));
    collected.filter(|_| output.status.success())?.1.split_whitespace().next()?.parse().ok()
}

/// The instructions for one item.
fn count_each(measure: &Measure) -> Option<f64> {
    let (all, none) = (count(measure, measure.items)?, count(measure, 0)?);
    Some(all.saturating_sub(none) as f64 / measure.items as f64)
}

/// The recorded count of a measure.
fn recorded(text: &str, name: &str) -> Option<f64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))?;
    value.split_whitespace().next()?.parse().ok()
}

/// Measures everything and compares it with the recorded counts.
fn compare() -> Option<bool> {
    let (profile, file) = match cfg!(debug_assertions) {
        true => ("long", "counts-checked.txt"),
        false => ("bench", "counts.txt"),
    };
    let path = &Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let mut new = format!(
        "# Instructions executed, by `cargo run --profile {profile} -p isadl-bench --bin counts` (x86-64);\n\
         # BLESS=1 rewrites this file.\n",
    );
    let (mut is_good, mut simt) = (true, 0.0);
    println!("{:17} {:>13} {:>13} {:>7}", "", "recorded", "now", "ratio");
    for measure in &MEASURES {
        let (name, count) = (measure.name, count_each(measure)?);
        let _ = writeln!(new, "{name}: {count:.1} per {}", measure.item);
        let Some(before) = recorded(&old, name) else {
            println!("{name:17} {:>13} {count:13.1}         not recorded", "-");
            is_good = false;
            continue;
        };
        let ratio = count / before;
        let verdict = match ratio - 1.0 {
            more if more > TOLERANCE => "  too much",
            less if less < -TOLERANCE => "  less: BLESS=1 records it",
            _ => "",
        };
        is_good &= ratio - 1.0 <= TOLERANCE;
        println!("{name:17} {before:13.1} {count:13.1} {ratio:7.3}{verdict}");
        if name == "decode SIMT" {
            simt = count;
        }
        if name == BEFORE {
            let ratio = simt / count;
            println!("{:17} {:13} {:13} {ratio:7.3}  SIMT / before (aim {SIMT_BOUND})", "", "", "");
        }
    }
    if bless() {
        std::fs::write(path, new).ok()?;
        return Some(true);
    }
    Some(is_good)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [name, items] = arguments.as_slice() {
        let measure = MEASURES.iter().find(|measure| measure.name == name);
        let (Some(measure), Ok(items)) = (measure, items.parse()) else {
            eprintln!("usage: counts [MEASURE ITEMS]");
            return ExitCode::from(2);
        };
        (measure.run)(items);
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: valgrind is not installed, nothing counts instructions");
        return ExitCode::SUCCESS;
    }
    match compare() {
        Some(true) => ExitCode::SUCCESS,
        Some(false) => {
            eprintln!("more instructions than recorded; BLESS=1 records what is meant to be");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("valgrind did not run the program");
            ExitCode::FAILURE
        }
    }
}
