//! The front end: one instruction set as a whole process, how time and memory grow with its
//! copies, and how time grows with specifications that are large in one way.
//!
//! `cargo bench -p isadl-bench --bench front_end`. Reads the source files with the base file if
//! `ISADL_SEEDS` names their folder, else the project's own edition in `spec/simt`.

use std::cell::LazyCell;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use criterion::{Criterion, SamplingMode};
use isadl::diagnostic::Severity;
use isadl::engine::{Engine, Loaded};
use isadl::prove::{Effort, Proof};
use isadl::source::SourceMap;
use isadl_bench::{is_trial, print_ratio, sized};
use isadl_test_support::synthetic::{LARGE, Large};
use isadl_test_support::{copies, root, seeds, source_map};

/// Memory as in the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The files of one instruction set.
fn paths() -> Vec<PathBuf> {
    let base = root().join("spec/simt/base.isa");
    let own =
        ["halu", "ialu", "sync", "xu"].map(|name| root().join(format!("spec/simt/{name}.isa")));
    let mut paths = seeds().unwrap_or_else(|| own.to_vec());
    paths.push(base);
    paths
}

fn texts() -> Vec<(String, String)> {
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (
            name,
            std::fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        )
    };
    paths().into_iter().map(read).collect()
}

/// The release binary, or in a trial the binary of the profile `dev`. It is built here, because a benchmark cannot
/// depend on it.
fn binary() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let (profile, folder) = if is_trial() { ("dev", "debug") } else { ("release", "release") };
    let built = Command::new(cargo)
        .args(["build", "--profile", profile, "-q", "-p", "isadl-cli"])
        .current_dir(root())
        .status();
    assert!(built.is_ok_and(|status| status.success()), "isadl-cli builds");
    root().join("target").join(folder).join("isadl")
}

fn bench_process(criterion: &mut Criterion) {
    // Built only if a benchmark of the group runs.
    let (binary, paths) = (LazyCell::new(binary), paths());
    let run = |arguments: &[&str], files: &[PathBuf]| {
        let mut command = Command::new(&*binary);
        command.args(arguments).args(files).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().is_ok_and(|status| status.success()));
    };
    let mut group = criterion.benchmark_group("process");
    group.bench_function("check", |bencher| bencher.iter(|| run(&["check", "-W", "text"], &paths)));
    group.bench_function("nothing", |bencher| bencher.iter(|| run(&["--version"], &[])));
    group.finish();
}

fn bench_copies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("copies");
    group.sample_size(10);
    for count in copies_of_one() {
        let texts = copies::copies(&texts(), count);
        group.bench_function(count.to_string(), |bencher| {
            bencher.iter(|| {
                let compilation = isadl::compile(black_box(&source_map(&texts)));
                assert_eq!(
                    compilation.into_isa().map(|isa| isa.opcodes().len()),
                    Some(count * 167)
                );
            });
        });
    }
    group.finish();
}

const COPIES: [usize; 3] = [1, 10, 100];

/// The numbers of copies that are measured; a trial has no large numbers.
fn copies_of_one() -> impl Iterator<Item = usize> {
    COPIES.into_iter().filter(|count| *count <= sized(usize::MAX, 1))
}

/// Size of the large specifications in a trial: without optimization, more takes minutes.
const TRIED: usize = 16;

/// Everything that `isadl prove` does, with reading and the other checks.
fn bench_proofs(criterion: &mut Criterion) {
    let folder = |name: &str| SourceMap::read(&[root().join(name)]).expect("readable files");
    let copies = copies::copies(&texts(), sized(100, 2));
    let sets = [
        ("simt", folder("spec/simt")),
        ("gcn", folder("spec/gcn")),
        ("copies", source_map(&copies)),
    ];
    let mut group = criterion.benchmark_group("proofs");
    group.sample_size(10);
    for (name, sources) in &sets {
        group.bench_function(*name, |bencher| {
            bencher.iter(|| {
                let compilation = isadl::compile_with(black_box(sources), Effort::Full);
                assert!(compilation.family.is_some());
                assert!(compilation.proofs.iter().all(Proof::is_complete));
            });
        });
    }
    group.finish();
}

/// The time an editor waits after each change: for the findings before any question about words, and for all findings.
fn bench_editor(criterion: &mut Criterion) {
    let opcodes = isadl_test_support::synthetic::specification(sized(10_000, TRIED));
    let sets = [("simt", source_map(&texts())), ("opcodes", source_map(&[("o.isa", opcodes)]))];
    let mut group = criterion.benchmark_group("editor");
    group.sample_size(10);
    for (name, sources) in &sets {
        group.bench_function(format!("{name}-early"), |bencher| {
            bencher.iter(|| isadl::early_findings(black_box(sources)).count(Severity::Error));
        });
        group.bench_function(format!("{name}-all"), |bencher| {
            bencher.iter(|| isadl::compile(black_box(sources)).diagnostics.count(Severity::Error));
        });
    }
    group.finish();
}

/// Each large specification, and the same kind of specification at half its size.
fn bench_large(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("large");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
    for large in &LARGE {
        let size = large.size.min(sized(usize::MAX, TRIED));
        for (part, size) in [("whole", size), ("half", size / 2)] {
            let sources = source_map(&[("large.isa", (large.specification)(size))]);
            let mut isa = None;
            group.bench_function(large_function(large, "check", part), |bencher| {
                bencher.iter(|| {
                    let compilation = isadl::compile(black_box(&sources));
                    assert_eq!(compilation.counts.opcodes, (large.opcodes)(size));
                    isa = compilation.into_isa();
                });
            });
            let lines = (large.lines)(size);
            let Some(isa) = isa.filter(|_| !lines.is_empty()) else { continue };
            let loaded = Loaded::new(isa);
            let engine = loaded.engine();
            group.bench_function(large_function(large, "lines", part), |bencher| {
                bencher.iter(|| there_and_back(&engine, black_box(&lines), large.wrong));
            });
        }
    }
    group.finish();
}

fn large_function(large: &Large, step: &str, part: &str) -> String {
    format!("{}-{step}-{part}", large.name)
}

/// Assembles lines, decodes and prints their words, then assembles an invalid line.
fn there_and_back(engine: &Engine<'_>, lines: &[String], wrong: &str) {
    for line in lines {
        let word = engine.assemble(line).expect("the line is an instruction").word;
        let inst = engine.decode(word).expect("what is assembled decodes");
        assert_eq!(engine.text(inst), *line);
    }
    assert!(engine.assemble(wrong).is_err());
}

/// The peak memory of this process in bytes, as reported by Linux.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Run as a separate process: compiles copies from files and prints the peak memory.
fn child(folder: &str) {
    let sources =
        isadl::source::SourceMap::read(&[PathBuf::from(folder)]).expect("the folder is readable");
    let compilation = isadl::compile(&sources);
    assert!(compilation.family.is_some());
    println!("{}", peak_memory().unwrap_or(0));
}

fn print_memory() {
    for count in copies_of_one() {
        let folder =
            std::env::temp_dir().join(format!("isadl-bench-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let mut bytes = 0;
        for (name, text) in copies::copies(&texts(), count) {
            bytes += text.len();
            std::fs::write(folder.join(name.replace(".txt", "") + ".isa"), text)
                .expect("a temporary file");
        }
        let this = std::env::current_exe().expect("this program's path");
        let output =
            Command::new(this).arg("--peak-memory").arg(&folder).output().expect("a child process");
        let peak: f64 = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or(f64::NAN);
        println!(
            "{count} copies: {:.1} MB of text, peak memory {:.1} MB, {:.1} x the text (bound 10 at 100 copies)",
            bytes as f64 / 1e6,
            peak / 1e6,
            peak / bytes as f64
        );
        std::fs::remove_dir_all(&folder).expect("the temporary folder");
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, folder] = arguments.as_slice()
        && flag == "--peak-memory"
    {
        child(folder);
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    bench_process(&mut criterion);
    bench_copies(&mut criterion);
    bench_proofs(&mut criterion);
    bench_editor(&mut criterion);
    bench_large(&mut criterion);
    criterion.final_summary();
    let median = |group: &str, function: &str| {
        let read = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).ok()?;
            value["median"]["point_estimate"].as_f64()
        };
        isadl_bench::median(read, group, function)
    };
    println!();
    let (check, nothing) = (median("process", "check"), median("process", "nothing"));
    print_ratio(
        "check of one instruction set / start of a process",
        check,
        nothing,
        "under 50 ms, aim 20",
    );
    let per_opcode =
        |count: usize| median("copies", &count.to_string()).map(|time| time / (count * 167) as f64);
    print_ratio("time an opcode, 10 copies / 1", per_opcode(10), per_opcode(1), "1.3");
    print_ratio("time an opcode, 100 copies / 1", per_opcode(100), per_opcode(1), "1.3");
    let whole_second = Some(1e9);
    for (name, bound) in
        [("simt", "0.2"), ("gcn", "0.2, four generations"), ("copies", "5, 16,700 opcodes")]
    {
        let what = format!("full proof of {name} / a second");
        print_ratio(&what, median("proofs", name), whole_second, bound);
    }
    for (name, part, second) in [
        ("simt", "early", "0.1"),
        ("simt", "all", "0.1"),
        ("opcodes", "early", "0.5, 10,000 opcodes"),
        ("opcodes", "all", "0.5, 10,000 opcodes"),
    ] {
        let what = format!("{part} findings of {name} / a second");
        print_ratio(&what, median("editor", &format!("{name}-{part}")), whole_second, second);
    }
    for large in &LARGE {
        let of = |step: &str, part: &str| median("large", &large_function(large, step, part));
        for step in ["check", "lines"] {
            let (whole, half) = (of(step, "whole"), of(step, "half"));
            if whole.is_some() || step == "check" {
                let what = format!("{step} of {} / half of it", large.name);
                print_ratio(&what, whole, half, "2.5; 4 is quadratic");
            }
        }
    }
    print_memory();
}
