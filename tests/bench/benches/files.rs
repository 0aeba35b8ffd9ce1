//! Assembles files of a million lines to an object with `isadl-asm` and with llvm-mc 19, in turns. For RISC-V and A64,
//! the lines are output of gcc (`gcc -O2 -S` of the ten files of the tests, repeated with other labels). For RISC-V,
//! there are also random instructions, few of which occur twice, and a tenth as many lines of `li` with random numbers.
//!
//! `cargo bench -p isadl-bench --bench files [PART OF A NAME…]`; the seconds and their ratio are printed. The specification is loaded
//! before, and its macros are read each time; llvm-mc is a process of its own.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use isadl::engine::{Engine, Loaded};
use isadl::source::SourceMap;
use isadl_asm::{Options, Purpose, assemble, output};
use isadl_bench::sized;
use isadl_test_support::{Random, family, root};

/// Lines of a file: for measuring, and in a trial.
const LINES: [usize; 2] = [1_000_000, 4000];

/// How often each is measured, and in a trial; the shortest time counts.
const RUNS: [usize; 2] = [5, 1];

fn lines() -> usize {
    sized(LINES[0], LINES[1])
}

/// Arithmetic, loads, stores, branches to labels near, and data.
fn random_text() -> String {
    let mut random = Random::new(16);
    let mut below = move |count: usize| random.next_u128() as usize % count;
    let mut text = String::from(".text\n");
    for line in 0..lines() {
        let label = line / 20;
        if line % 20 == 0 {
            let _ = writeln!(text, "l{label}:");
            continue;
        }
        let [a, b, c] = [below(8), below(8), below(8)];
        let near = (label + below(20)).saturating_sub(10).min(lines() / 20 - 1);
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

/// `li` of random 64-bit numbers, for which a macro finds the shortest sequence.
fn li_text() -> String {
    let mut random = Random::new(64);
    let mut text = String::from(".text\n");
    for _ in 0..lines() / 10 {
        let _ = writeln!(text, "    li a0, {:#x}", random.next_u128() as u64);
    }
    text
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// The output of gcc in a folder, repeated up to a million lines. Each copy has its own names.
fn compiled_text(folder: &str) -> String {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|own| own == "s"));
    paths.sort();
    let texts: Vec<String> =
        paths.iter().map(|path| std::fs::read_to_string(path).expect("readable")).collect();
    let (mut text, mut made) = (String::new(), 0);
    for (copy, own) in texts.iter().cycle().enumerate() {
        if made >= lines() {
            break;
        }
        made += own.lines().count();
        renamed(own, copy, &mut text);
    }
    text
}

fn renamed(text: &str, copy: usize, out: &mut String) {
    let defined = |line: &str| {
        let label = line.split_once(':').map(|(label, _)| label.to_string());
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or_default();
        let named = matches!(word, ".comm" | ".set" | ".local")
            .then(|| rest.split(',').next().unwrap_or_default().trim().to_string());
        label.or(named)
    };
    let names: HashSet<String> = text.lines().filter_map(defined).collect();
    for line in text.lines() {
        // gcc writes this once for each file.
        if line.contains(".attribute") {
            continue;
        }
        let (mut rest, mut is_first) = (line, line.starts_with('\t'));
        while let Some(start) = rest.find(is_name) {
            let length = rest[start..].find(|c| !is_name(c)).unwrap_or(rest.len() - start);
            let word = &rest[start..start + length];
            out.push_str(&rest[..start + length]);
            if !is_first && names.contains(word) {
                let _ = write!(out, "_{copy}");
            }
            is_first = false;
            rest = &rest[start + length..];
        }
        out.push_str(rest);
        out.push('\n');
    }
}

/// A machine and how llvm-mc is told of it.
struct Machine {
    spec: &'static str,
    generation: Option<&'static str>,
    extensions: &'static [&'static str],
    llvm: &'static [&'static str],
}

const RISCV: Machine = Machine {
    spec: "spec/riscv",
    generation: Some("RV64"),
    extensions: &["gc"],
    llvm: &["--triple=riscv64", "--mattr=+m,+a,+f,+d,+c,-relax"],
};

const A64: Machine = Machine {
    spec: "spec/a64",
    generation: None,
    extensions: &[],
    llvm: &["--triple=aarch64", "--mattr=+lse"],
};

fn timed(run: &dyn Fn()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn assembled(engine: &Engine<'_>, spec: &str, (input, out): (&Path, &Path)) {
    let mut sources = SourceMap::new();
    let macros = root().join(spec).join("macros.s");
    let files = [macros.as_path(), input];
    let files = files.map(|path| {
        sources.add(path.display().to_string(), std::fs::read(path).expect("readable"))
    });
    let (options, purpose) = (Options::default(), Purpose::Linker);
    let (object, _) = assemble(engine, &mut sources, &files, &options, purpose);
    let object = object.expect("no errors");
    let bytes = output::elf(&object, engine.isa(), engine.extensions()).expect("an ELF file");
    std::fs::write(out, bytes).expect("writable");
}

fn measured(name: &str, of: &Machine, text: &str) {
    let family = family(of.spec);
    let isa = of.generation.and_then(|name| family.generation(name));
    let isa = isa.unwrap_or_else(|| family.first()).clone();
    let names: Vec<String> = of.extensions.iter().map(|name| name.to_string()).collect();
    let known = isa.extensions();
    let set = if names.is_empty() { known.default } else { known.set_of(&names).expect("a set") };
    let loaded = Loaded::new(isa);
    let engine = loaded.engine().with_extensions(set);
    let folder = std::env::temp_dir().join(format!("isadl-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let (input, out) = (folder.join("million.s"), folder.join("million.o"));
    std::fs::write(&input, text).expect("writable");
    let llvm = || {
        let mut command = Command::new("llvm-mc-19");
        let command = command.args(of.llvm).arg("--filetype=obj").arg(&input).arg("-o").arg(&out);
        command.status().is_ok_and(|status| status.success())
    };
    let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
    let has_llvm = llvm();
    for _ in 0..sized(RUNS[0], RUNS[1]) {
        ours = ours.min(timed(&|| assembled(&engine, of.spec, (&input, &out))));
        if has_llvm {
            theirs = theirs.min(timed(&|| {
                let _ = llvm();
            }));
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    let lines = text.lines().count();
    let rate = lines as f64 / ours.as_secs_f64() / 1e6;
    println!(
        "{name}: isadl-asm {:.2} s for {lines} lines, {rate:.2} million a second",
        ours.as_secs_f64()
    );
    match has_llvm {
        true => println!(
            "    llvm-mc 19 {:.2} s; isadl-asm takes {:.2} of that",
            theirs.as_secs_f64(),
            ours.as_secs_f64() / theirs.as_secs_f64()
        ),
        false => println!("    llvm-mc-19 is not installed: nothing to compare with"),
    }
}

fn main() {
    type Row = (&'static str, Machine, fn() -> String);
    let rows: [Row; 4] = [
        ("RISC-V, random", RISCV, random_text),
        ("RISC-V, gcc", RISCV, || compiled_text("tests/fixtures/asm/gcc/riscv64gc")),
        ("RISC-V, li of random numbers", RISCV, li_text),
        ("A64, gcc", A64, || compiled_text("tests/fixtures/asm/gcc/aarch64")),
    ];
    let wanted: Vec<String> = std::env::args().skip(1).filter(|own| own != "--bench").collect();
    for (name, machine, text) in rows {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part)) {
            measured(name, &machine, &text());
        }
    }
}
