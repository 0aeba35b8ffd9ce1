//! Code that the benchmarks share. The benchmarks themselves are in `benches/`.

pub mod before;
pub mod limit;
pub mod llvm;
pub mod pieces;
pub mod text_limit;

use std::path::PathBuf;

use isadl::isa::Isa;
use isadl::source::SourceMap;

/// RV32I: the base instructions of `spec/riscv` in its first generation.
///
/// # Panics
///
/// If the files are not there, or have errors.
pub fn rv32i() -> Isa {
    let folder = isadl_tests::root().join("spec/riscv");
    let files = ["isa.isa", "rv_i.isa"].map(|file| folder.join(file));
    let map = SourceMap::read(&files).expect("they are readable");
    let family = isadl::compile(&map).family.expect("they have no errors");
    family.generation("RV32").expect("it is a generation").clone()
}

/// The median of a finished benchmark in nanoseconds, as criterion wrote it in this run.
pub fn median(read: impl Fn(&str) -> Option<f64>, group: &str, function: &str) -> Option<f64> {
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
