//! Code that the benchmarks share. The benchmarks themselves are in `benches/`.

pub mod before;
pub mod emulator;
pub mod guest;
pub mod limit;
pub mod llvm;
pub mod process;
pub mod text_limit;
pub mod text_segments;

use std::path::PathBuf;

use isadl::isa::Isa;
use isadl::source::SourceMap;

/// Whether benchmarks are only tried: `cargo bench` passes `--bench`, and `cargo test --benches` does not.
pub fn is_trial() -> bool {
    !std::env::args().any(|argument| argument == "--bench")
}

/// A number of items: the first one for measuring, the second one for trials.
pub fn sized(measured: usize, tried: usize) -> usize {
    if is_trial() { tried } else { measured }
}

/// RV32I: the base instructions of `spec/riscv` in its first generation.
///
/// # Panics
///
/// If the files are not there, or have errors.
pub fn rv32i() -> Isa {
    let folder = isadl_test_support::root().join("spec/riscv");
    let files = ["isa.isa", "rv_i.isa"].map(|file| folder.join(file));
    let map = SourceMap::read(&files).expect("they are readable");
    let family = isadl::compile(&map).family.expect("they have no errors");
    family.generation("RV32").expect("it is a generation").clone()
}

/// The lines of a fixture of A64 without its comments.
///
/// # Panics
///
/// If the file is not there.
pub fn a64_lines(file: &str) -> Vec<String> {
    let text =
        std::fs::read_to_string(isadl_test_support::root().join("tests/fixtures/a64").join(file));
    let text = text.expect("the fixture is readable");
    text.lines().filter(|line| !line.starts_with('#')).map(String::from).collect()
}

/// Words of A64 that gcc made of C.
///
/// # Panics
///
/// If the fixture is not there, or has something else than words.
pub fn compiled_a64() -> Vec<u32> {
    let word = |text: &str| u32::from_str_radix(text, 16).expect("a word in hexadecimal");
    let lines = a64_lines("compiled.txt");
    lines.iter().flat_map(|line| line.split(' ').map(word)).collect()
}

/// The median of a finished benchmark in nanoseconds, as criterion wrote it in this run.
pub fn median(read: impl Fn(&str) -> Option<f64>, group: &str, function: &str) -> Option<f64> {
    // Files of earlier runs do not belong to this run.
    if is_trial() {
        return None;
    }
    let path = folder().join(group).join(function).join("new/estimates.json");
    read(&std::fs::read_to_string(path).ok()?)
}

/// Where criterion keeps its results.
fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    target.unwrap_or_else(|| here.join("../../target")).join("criterion")
}

/// Prints a ratio of two medians with its bound.
pub fn print_ratio(what: &str, ours: Option<f64>, theirs: Option<f64>, bound: &str) {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => {
            println!(
                "{what}: {:.2} (bound {bound}); {ours:.2} ns against {theirs:.2} ns",
                ours / theirs
            );
        }
        _ => println!("{what}: not measured in this run"),
    }
}
