//! The cost of compiling generated code: `cargo bench -p isadl-bench --bench compile`.
//!
//! Measures `cargo check` of a crate that uses `isa!` for the GPU's instruction set, compared with a crate that
//! contains the committed crate's source. Also measures crates of synthetic instruction sets, with the peak memory of
//! the compiler (Linux only). Times are the best of several runs of the compiler on this crate alone. Finally it builds
//! a program with two of these crates and times how they decode.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use isadl_bench::{is_trial, sized};
use isadl_codegen::rust::{Constructors, Options, generate};
use isadl_test_support::{root, synthetic};

/// Runs of each measurement, and in a trial.
const RUNS: [usize; 2] = [5, 1];

/// Opcodes of the synthetic instruction sets: for measuring, and in a trial.
const SIZES: &[usize] = &[1_000, 3_000, 10_000];
const TRIED_SIZES: &[usize] = &[30];

/// Opcodes of the instruction sets whose decoders are compared: as many as SIMT has, and many. The second number is for
/// a trial.
const DECODED: [[usize; 2]; 2] = [[167, 20], [10_000, 40]];

fn main() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile");
    macro_against_crate(&folder);
    println!(
        "\ncompiling the crate of a synthetic instruction set (bound 6 s and 1 GB for 10,000):"
    );
    for opcodes in if is_trial() { TRIED_SIZES } else { SIZES } {
        synthetic_crate(&folder, *opcodes);
    }
    println!("\ndecoding by crates of synthetic instruction sets (bound 2.5):");
    decode_by_size(&folder.join("decode"));
}

/// The program that times decoders: words of all opcodes in random order, and a block of them over and over.
const DECODE: &str = r#"
use std::hint::black_box;
use std::time::Instant;

const WORDS: usize = 10_000;
const BLOCK: usize = 1_000;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

macro_rules! decoder {
    ($name:ident) => {
        fn $name() -> [f64; 2] {
            use $name::{Inst, Opcode};
            let mut random = Random(7);
            let mut words = Vec::new();
            while words.len() < WORDS {
                let info = Opcode::ALL[(random.next() >> 32) as usize % Opcode::ALL.len()].info();
                let word = u128::from(random.next()) << 64 | u128::from(random.next());
                let word = word & !info.mask | info.value;
                if Inst::decode_word(word).is_ok() {
                    words.push(word);
                }
            }
            let block: Vec<u128> = words[..BLOCK].iter().copied().cycle().take(WORDS).collect();
            [words, block].map(|words| {
                let run = || {
                    let start = Instant::now();
                    let sum = black_box(&words).iter().fold(0u64, |sum, word| {
                        match Inst::decode_word(*word) {
                            Ok(inst) => sum.wrapping_add(inst.opcode() as u64),
                            Err(_) => sum ^ 1,
                        }
                    });
                    black_box(sum);
                    start.elapsed().as_secs_f64() / WORDS as f64 * 1e9
                };
                (0..1000).map(|_| run()).fold(f64::MAX, f64::min)
            })
        }
    };
}

decoder!(few);
decoder!(many);

fn main() {
    let (few, many) = (few(), many());
    for (at, order) in ["random", "block"].into_iter().enumerate() {
        let ratio = many[at] / few[at];
        println!("  {order}: {ratio:.2}; {:.2} ns against {:.2} ns", many[at], few[at]);
    }
}
"#;

/// Builds and runs a program that decodes words of instruction sets of two sizes.
fn decode_by_size(folder: &Path) {
    let names = ["few", "many"];
    let decoded = DECODED.map(|[measured, tried]| sized(measured, tried));
    for (name, opcodes) in names.into_iter().zip(decoded) {
        let text = synthetic::specification(opcodes);
        let (_, compilation) = isadl_test_support::compile(&[("synthetic.isa", &text)]);
        let isa = compilation.family.expect("the specification has no errors").merged();
        let krate = folder.join(name);
        // Files that were changed by hand are not written again.
        let _ = std::fs::remove_dir_all(&krate);
        generate(&isa, &Options::default()).write(&krate).expect("writable");
        // Two packages with the same name cannot be in one program.
        library(folder, name, "");
    }
    let dependencies = names.map(|name| format!("{name} = {{ path = \"../{name}\" }}\n")).concat();
    let program = library(folder, "program", &format!("[dependencies]\n{dependencies}"));
    let runs = format!("0..{}", sized(1000, 1));
    write(&program.join("src/main.rs"), &DECODE.replace("0..1000", &runs));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let profile = if is_trial() { "dev" } else { "release" };
    let status = Command::new(cargo)
        .args(["run", "-q", "--offline", "--profile", profile])
        .env("CARGO_TARGET_DIR", program.join("target"))
        .current_dir(program)
        .status();
    assert!(status.expect("cargo runs").success());
}

/// Copies a folder with its contents.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("it is committed") {
        let path = entry.expect("readable").path();
        let target = to.join(path.file_name().expect("files have names"));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(std::fs::copy(&path, &target).expect("writable")),
        }
    }
}

/// The same crate, by the macro and by files.
fn macro_against_crate(folder: &Path) {
    let spec = root().join("spec/simt").display().to_string();
    let macros = root().join("isadl-macros").display().to_string();
    let dependency = format!("[dependencies]\nisadl-macros = {{ path = {macros:?} }}\n");
    let by_macro = library(folder, "by_macro", &dependency);
    write(&by_macro.join("src/lib.rs"), &format!("#![no_std]\nisadl_macros::isa!({spec:?});\n"));
    let by_files = library(folder, "by_files", "");
    copy(&root().join("generated/simt/src"), &by_files.join("src"));
    let [by_macro, by_files] = [by_macro, by_files].map(|krate| best(|| checked(&krate)));
    println!(
        "cargo check with `isa!` {:.2} s, with the committed source {:.2} s: {:.2} s more (bound 1.5)",
        by_macro.as_secs_f64(),
        by_files.as_secs_f64(),
        by_macro.as_secs_f64() - by_files.as_secs_f64(),
    );
}

/// The time that `cargo check` takes for a crate when its own code has changed.
fn checked(krate: &Path) -> Duration {
    check(krate);
    let library = krate.join("src/lib.rs");
    let text = std::fs::read_to_string(&library).expect("readable");
    write(&library, &text);
    let start = Instant::now();
    check(krate);
    start.elapsed()
}

/// The build folder of a crate. A trial shares the build folder of the macro's users in tests, who build the same
/// packages.
fn target(krate: &Path) -> PathBuf {
    let tests = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tests/trybuild");
    if is_trial() { tests } else { krate.join("target") }
}

fn check(krate: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["check", "-q", "--offline"])
        .env("CARGO_TARGET_DIR", target(krate))
        .env("CARGO_INCREMENTAL", if is_trial() { "0" } else { "1" })
        .current_dir(krate)
        .status();
    assert!(status.expect("cargo runs").success());
}

/// Compiles a specification with a number of opcodes, and the crate generated from it.
fn synthetic_crate(folder: &Path, opcodes: usize) {
    let text = synthetic::specification(opcodes);
    let start = Instant::now();
    let (_, compilation) = isadl_test_support::compile(&[("synthetic.isa", &text)]);
    let isa = compilation.family.expect("the specification has no errors").merged();
    let checking = start.elapsed();
    println!(
        "{opcodes} opcodes, specification of {} bytes, checked in {}:",
        text.len(),
        seconds(checking)
    );
    for constructors in [Constructors::PerOpcode, Constructors::None] {
        let krate = folder.join(format!("synthetic_{opcodes}"));
        let options = Options { constructors, ..Options::default() };
        let start = Instant::now();
        let output = generate(&isa, &options);
        let generating = start.elapsed();
        output.write(&krate).expect("writable");
        let start = Instant::now();
        let peak = compile(&krate);
        println!(
            "  {constructors:?}: generated in {}, {} bytes; compiled in {}, peak {}",
            seconds(generating),
            output.bytes(),
            seconds(start.elapsed()),
            peak.map_or("unknown".to_string(), |kib| format!("{:.2} GB", kib as f64 / 1e6)),
        );
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Checks a crate by the compiler alone; returns its peak memory in KiB, if the system reports it.
fn compile(krate: &Path) -> Option<u64> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut child = Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "-o"])
        .arg(krate.join("out.rmeta"))
        .arg(krate.join("src/lib.rs"))
        .stderr(Stdio::inherit())
        .spawn()
        .expect("rustc runs");
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = None;
    while child.try_wait().expect("it can be waited for").is_none() {
        peak = peak_of(&status).or(peak);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(child.wait().expect("it ended").success());
    peak
}

/// The peak memory of a process in KiB.
fn peak_of(status: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn best(measure: impl Fn() -> Duration) -> Duration {
    (0..sized(RUNS[0], RUNS[1])).map(|_| measure()).min().unwrap_or_default()
}

/// A crate of its own workspace, without source.
fn library(folder: &Path, name: &str, dependencies: &str) -> PathBuf {
    let krate = folder.join(name);
    write(
        &krate.join("Cargo.toml"),
        &format!(
            "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n{dependencies}\n[workspace]\n"
        ),
    );
    std::fs::create_dir_all(krate.join("src")).expect("writable");
    std::fs::copy(root().join("Cargo.lock"), krate.join("Cargo.lock")).expect("writable");
    krate
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("files are in folders")).expect("writable");
    std::fs::write(path, text).expect("writable");
}
