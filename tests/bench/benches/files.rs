//! A file of a million lines of RISC-V, assembled to an object by `isadl-asm` and by llvm-mc 19, in turns.
//!
//! `cargo bench -p isadl-bench --bench files`; the seconds and their ratio are printed. The specification is loaded
//! before; llvm-mc is a process of its own.

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use isadl::engine::Loaded;
use isadl::source::SourceMap;
use isadl_asm::{Options, Purpose, assemble, output};
use isadl_tests::{Random, family};

const LINES: usize = 1_000_000;

/// How often each is measured; the shortest time counts.
const RUNS: usize = 5;

/// Arithmetic, loads, stores, branches to labels near, and data.
fn text() -> String {
    let mut random = Random::new(16);
    let mut below = move |count: usize| random.next_u128() as usize % count;
    let mut text = String::from(".text\n");
    for line in 0..LINES {
        let label = line / 20;
        if line % 20 == 0 {
            let _ = writeln!(text, "l{label}:");
            continue;
        }
        let [a, b, c] = [below(8), below(8), below(8)];
        let near = (label + below(20)).saturating_sub(10).min(LINES / 20 - 1);
        let _ = match below(20) {
            0..7 => writeln!(text, "    sub a{a}, a{b}, s{c}"),
            7..11 => writeln!(text, "    addi a{a}, a{b}, {}", below(4096) as i32 - 2048),
            11..15 => writeln!(text, "    lw a{a}, {}(s{c})", below(500) * 4),
            15..18 => writeln!(text, "    bne a{a}, a{b}, l{near}"),
            18 => writeln!(text, "    j l{near}"),
            _ => writeln!(text, "    .word {}", below(1 << 32)),
        };
    }
    text
}

fn main() {
    let text = text();
    let family = family("spec/riscv");
    let isa = family.generation("RV64").expect("a generation").clone();
    let set = isa.extensions().set_of(&["gc".to_string()]).expect("a set");
    let loaded = Loaded::new(isa);
    let engine = loaded.engine().with_extensions(set);
    let folder = std::env::temp_dir().join(format!("isadl-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let (input, out) = (folder.join("million.s"), folder.join("million.o"));
    std::fs::write(&input, &text).expect("writable");
    let own = || {
        let mut sources = SourceMap::new();
        let file = sources.add("million.s", std::fs::read(&input).expect("readable"));
        let options = (&Options::default(), Purpose::Linker);
        let (object, _) = assemble(&engine, &mut sources, &[file], options);
        let object = object.expect("no errors");
        let bytes = output::elf(&object, engine.isa(), set).expect("an ELF file");
        std::fs::write(&out, bytes).expect("writable");
    };
    let llvm = || {
        let mut command = Command::new("llvm-mc-19");
        let command = command.args(["--triple=riscv64", "--mattr=+m,+a,+f,+d,+c,-relax"]);
        let status = command.arg("--filetype=obj").arg(&input).arg("-o").arg(&out).status();
        status.is_ok_and(|status| status.success())
    };
    let timed = |run: &dyn Fn()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
    let has_llvm = llvm();
    for _ in 0..RUNS {
        ours = ours.min(timed(&own));
        if has_llvm {
            theirs = theirs.min(timed(&|| {
                let _ = llvm();
            }));
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    println!("isadl-asm: {:.2} s for {LINES} lines", ours.as_secs_f64());
    match has_llvm {
        true => println!(
            "llvm-mc 19: {:.2} s; isadl-asm takes {:.2} of that",
            theirs.as_secs_f64(),
            ours.as_secs_f64() / theirs.as_secs_f64()
        ),
        false => println!("llvm-mc-19 is not installed: nothing to compare with"),
    }
}
