//! Programs of `guests` in the executor of `isadl-exec` and in qemu, in turns: how much of qemu's speed it has.
//!
//! `cargo bench -p isadl-bench --bench run [PART OF A NAME…]`. They are compiled with gcc for RV64 and A64 (`-O2 -static`). The specification is
//! loaded before; what is measured of the executor is the program from its first instruction to its end, translation included, and of qemu its
//! whole process. Both must print the same. Generated code executes them, too. `warps` are instructions of 32 lanes; nothing is compared with them. `fused` is a million fused multiplications and additions a round, eight to a loop; before it, `isadl-float` alone
//! does some.

mod emulator_a64;
mod fused;
mod warp;

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

use isadl::isa::RegFileId;
use isadl::source::SourceMap;
use isadl_bench::emulator::Emulator;
use isadl_bench::guest::{self, Guest};
use isadl_bench::sized;
use isadl_exec::linux::Settings;
use isadl_exec::{Event, Process, Spec, Stop};
use isadl_test_support::root;
use warp::Warp;

/// The programs, and their rounds for measuring, which take qemu about half a second.
const GUESTS: [(&str, usize); 5] =
    [("sieve", 30), ("digest", 60_000), ("records", 1_500_000), ("matrix", 100), ("fused", 20)];

/// How often each is measured, and in a trial; the shortest time counts.
const RUNS: [usize; 2] = [3, 1];

/// Bytes of memory of a program.
const MEMORY: u64 = 256 << 20;

struct Machine {
    name: &'static str,
    spec: &'static str,
    generation: &'static str,
    compiler: &'static str,
    emulator: &'static str,
    /// The part of qemu's speed that is wanted on average.
    aim: f64,
    /// Executes a program with an argument by generated code: its instructions, and what it prints.
    generated: fn(&[u8], &str) -> (u64, Vec<u8>),
    /// The part of qemu's speed that is wanted of it.
    generated_aim: f64,
}

const MACHINES: [Machine; 2] = [
    Machine {
        name: "RV64",
        spec: "spec/riscv",
        generation: "RV64",
        compiler: "riscv64-linux-gnu-gcc",
        emulator: "qemu-riscv64",
        aim: 0.16,
        generated: |file, rounds| {
            let mut emulator = Emulator::load(file, rounds);
            (emulator.run(), emulator.process.output)
        },
        generated_aim: 0.20,
    },
    Machine {
        name: "A64",
        spec: "spec/a64",
        generation: "",
        compiler: "aarch64-linux-gnu-gcc",
        emulator: "qemu-aarch64",
        aim: 0.12,
        generated: |file, rounds| {
            let mut emulator = emulator_a64::Emulator::load(file, rounds);
            (emulator.run(), emulator.process.output)
        },
        generated_aim: 0.15,
    },
];

fn spec(machine: &Machine) -> Rc<Spec> {
    let map = SourceMap::read(&[root().join(machine.spec)]).expect("it is readable");
    let mut compilation = isadl::compile(&map);
    let family = compilation.family.expect("no errors");
    let isas = family.isas();
    let wanted = family.generation(machine.generation).unwrap_or_else(|| family.first());
    let index = isas.iter().position(|isa| std::ptr::eq(isa, wanted)).expect("one of them");
    let programs = compilation.semantics.swap_remove(index);
    Rc::new(Spec::new(isas[index].clone(), programs))
}

/// What a program writes.
#[derive(Clone, Default)]
struct Output(Rc<RefCell<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Executes a program: its time, its instructions, and what it prints.
fn executed(spec: &Rc<Spec>, path: &Path, rounds: &str) -> (Duration, u64, Vec<u8>) {
    let file = std::fs::read(path).expect("readable");
    let environment = &spec.isa().environments()[0];
    let output = Output::default();
    let settings = Settings { output: Box::new(output.clone()), ..Settings::default() };
    let args = [b"guest".to_vec(), rounds.as_bytes().to_vec()];
    let start = Instant::now();
    let process = Process::load(spec, environment, &file, &args, (settings, MEMORY));
    let mut process = process.unwrap_or_else(|error| panic!("{error}"));
    let event = process.run(u64::MAX);
    let time = start.elapsed();
    assert_eq!(event, Event::Exit(0), "at {:#x}", process.machine().pc());
    let written = output.0.borrow().clone();
    (time, process.machine().count(), written)
}

fn in_qemu(machine: &Machine, path: &Path, rounds: &str) -> (Duration, Vec<u8>) {
    let start = Instant::now();
    let ran = Command::new(machine.emulator).arg(path).arg(rounds).output().expect("it runs");
    (start.elapsed(), ran.stdout)
}

fn compile(machine: &Machine, name: &str, folder: &Path) -> Option<PathBuf> {
    let source = root().join("tests/bench/guests").join(name).with_extension("c");
    let path = folder.join(format!("{name}.{}", machine.name));
    let mut command = Command::new(machine.compiler);
    let command = command.args(["-O2", "-static", "-o"]).arg(&path).arg(source).arg("-lm");
    command.status().is_ok_and(|status| status.success()).then_some(path)
}

/// The same by generated code.
fn generated(machine: &Machine, path: &Path, rounds: &str) -> (Duration, u64, Vec<u8>) {
    let file = std::fs::read(path).expect("readable");
    let start = Instant::now();
    let (count, output) = (machine.generated)(&file, rounds);
    (start.elapsed(), count, output)
}

/// Measures generated code; the part of qemu's speed.
fn measured_generated(machine: &Machine, name: &str, path: &Path, rounds: usize) -> f64 {
    let rounds = sized(rounds, 1).to_string();
    let (mut ours, mut theirs, mut count) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..sized(RUNS[0], RUNS[1]) {
        let (time, instructions, output) = generated(machine, path, &rounds);
        (ours, count) = (ours.min(time), instructions);
        let (time, expected) = in_qemu(machine, path, &rounds);
        theirs = theirs.min(time);
        assert_eq!(output, expected, "{name}");
    }
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    let rate = count as f64 / ours.as_secs_f64() / 1e6;
    println!(
        "{:5} {:8} {rate:5.0} million a second by generated code, {ratio:.3} of qemu",
        machine.name,
        format!("{name}:")
    );
    ratio
}

/// Measures a program; the part of qemu's speed.
fn measured(machine: &Machine, spec: &Rc<Spec>, name: &str, path: &Path, rounds: usize) -> f64 {
    let rounds = sized(rounds, 1).to_string();
    let (mut ours, mut theirs, mut count) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..sized(RUNS[0], RUNS[1]) {
        let (time, instructions, output) = executed(spec, path, &rounds);
        (ours, count) = (ours.min(time), instructions);
        let (time, expected) = in_qemu(machine, path, &rounds);
        theirs = theirs.min(time);
        assert_eq!(output, expected, "{name} on {}", machine.name);
    }
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    let rate = count as f64 / ours.as_secs_f64() / 1e6;
    let (name, machine) = (format!("{name}:"), machine.name);
    println!(
        "{machine:5} {name:8} {count:>11} instructions, {rate:5.0} million a second, {ratio:.3} of qemu"
    );
    if name == "fused:" {
        let each = ours.as_secs_f64() * 1e9 / (1e6 * rounds.parse::<f64>().unwrap_or(1.0));
        println!("{machine:5} fused:   {each:.1} ns for each, with its part of the loop");
    }
    ratio
}

/// What registers of lanes are at the beginning: halves near 1, and zeros.
fn half(number: usize, lane: usize) -> u32 {
    match number {
        ..4 => 0x3c01_3c00 + 0x0011_0007 * (lane + 4 * number) as u32,
        _ => 0,
    }
}

/// Measures instructions of whole warps: by the executor, and by generated code.
fn warps() {
    for ((name, guest), aim) in guest::SIMT.into_iter().zip([100, 4]) {
        let mut machine = guest.row();
        let file = RegFileId::new(0);
        for (lane, number) in (0..32).flat_map(|lane| (0..4).map(move |number| (lane, number))) {
            let value = half(number, lane).into();
            machine.set_register_of_lane(file, number as u32, lane, &[value]);
        }
        let (rounds, mut best) = (sized(2000, 2), Duration::MAX);
        for _ in 0..rounds {
            let start = Instant::now();
            Guest::begin(&mut machine);
            assert_eq!(machine.run(Guest::ROW), Stop::Fuel, "at {:#x}", machine.pc());
            best = best.min(start.elapsed());
        }
        let mut warp = Warp::new(&guest.row_code(), half);
        let generated = warp.run(rounds);
        for (number, lane) in (0..8).flat_map(|number| (0..32).map(move |lane| (number, lane))) {
            let expected = machine.register_of_lane(file, number as u32, lane)[0];
            assert_eq!(u64::from(warp.register(number, lane)), expected, "R{number}@{lane}");
        }
        let rate = |time: Duration| Guest::ROW as f64 / time.as_secs_f64() / 1e6;
        println!(
            "SIMT  {name}: {:.1} million warps a second, {:.1} by generated code (aim {aim})",
            rate(best),
            rate(generated)
        );
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|own| own != "--bench").collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|own| name.contains(own));
    if is_wanted("fused") {
        fused::fused();
    }
    if is_wanted("warps") {
        warps();
    }
    let folder = std::env::temp_dir().join(format!("isadl-bench-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    for machine in &MACHINES {
        let is_there = |program| Command::new(program).arg("--version").output().is_ok();
        if !is_there(machine.compiler) || !is_there(machine.emulator) {
            println!("{} or {} is not installed: skipped", machine.compiler, machine.emulator);
            continue;
        }
        let spec = spec(machine);
        let (mut ratios, mut others) = (Vec::new(), Vec::new());
        for (name, rounds) in GUESTS.into_iter().filter(|(name, _)| is_wanted(name)) {
            let path = compile(machine, name, &folder).expect("it compiles");
            let ratio = measured(machine, &spec, name, &path, rounds);
            if name != "fused" {
                ratios.push(ratio);
            }
            others.push((name, measured_generated(machine, name, &path, rounds)));
        }
        if !ratios.is_empty() {
            let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
            println!("{:5} mean: {mean:.3} of qemu's speed (aim {})", machine.name, machine.aim);
        }
        others.retain(|(name, _)| *name != "fused");
        if !others.is_empty() {
            let mean = others.iter().map(|(_, ratio)| ratio).sum::<f64>() / others.len() as f64;
            println!(
                "{:5} mean: {mean:.3} of qemu's speed by generated code (aim {})",
                machine.name, machine.generated_aim
            );
        }
    }
    let _ = std::fs::remove_dir_all(folder);
}
