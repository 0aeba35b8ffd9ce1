//! The front end: one instruction set as a whole process, and how time and memory grow with
//! its copies.
//!
//! `cargo bench -p isadl-bench --bench front_end`. Reads the source files with the base file if
//! `ISADL_SEEDS` names their folder, else the project's own edition in `spec/simt`.

use std::hint::black_box;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use criterion::Criterion;
use isadl_bench::print_ratio;
use isadl_tests::{copies, root, seeds, source_map};

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

/// The release binary; it is built here, because a benchmark cannot depend on it.
fn binary() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "-q", "-p", "isadl-cli"])
        .current_dir(root())
        .status();
    assert!(built.is_ok_and(|status| status.success()), "isadl-cli builds");
    root().join("target/release/isadl")
}

fn bench_process(criterion: &mut Criterion) {
    let (binary, paths) = (binary(), paths());
    let run = |arguments: &[&str], files: &[PathBuf]| {
        let mut command = Command::new(&binary);
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
    for count in COPIES {
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

/// The peak memory of this process in bytes, as Linux tells it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Run as a process of its own: compiles copies from files and prints the peak memory.
fn child(folder: &str) {
    let sources =
        isadl::source::SourceMap::read(&[PathBuf::from(folder)]).expect("the folder is readable");
    let compilation = isadl::compile(&sources);
    assert!(compilation.family.is_some());
    println!("{}", peak_memory().unwrap_or(0));
}

fn print_memory() {
    for count in COPIES {
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
    print_memory();
}
