//! Runs the cases in qemu: one program with a block of code for each case.

use std::fmt::Write;
use std::process::{Command, Stdio};

use isadl::isa::Isa;

use super::changes;
use super::riscv::{
    BUFFER, BUFFER_BYTES, CODE, CODE_BYTES, Case, INSTRUCTION, STATE, STATE_BYTES, Width, X, file,
    shown,
};

/// Extensions of the processor besides those that every one has.
const EXTENSIONS: &str = "zba=true,zbb=true,zbc=true,zbs=true,Zfh=true";

/// What changed in each case; `None` if qemu or the compiler is not installed.
pub(super) fn run(width: Width, isa: &Isa, cases: &[Case]) -> Option<Vec<String>> {
    let bits = width.bits();
    let qemu = format!("qemu-riscv{bits}");
    let is_there = |program: &str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok()
    };
    if !is_there(&qemu) || !is_there("riscv64-linux-gnu-gcc") {
        return None;
    }
    let folder =
        std::env::temp_dir().join(format!("isadl-semantics-rv{bits}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let (source, program) = (folder.join("cases.S"), folder.join("cases"));
    std::fs::write(&source, assembly(width, isa, cases)).expect("writable");
    let places = [
        format!("-Wl,--section-start=.cases={CODE:#x}"),
        format!("-Wl,--section-start=.states={STATE:#x}"),
    ];
    let built = Command::new("riscv64-linux-gnu-gcc")
        .args(match width {
            Width::Rv32 => ["-march=rv32gc", "-mabi=ilp32d"],
            Width::Rv64 => ["-march=rv64gc", "-mabi=lp64d"],
        })
        .args(["-nostdlib", "-static", "-Wl,--no-relax", "-Wl,--build-id=none"])
        .args(places)
        .arg("-o")
        .args([&program, &source])
        .output()
        .expect("gcc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let cpu = format!("rv{bits},{EXTENSIONS}");
    let output =
        Command::new(&qemu).args(["-cpu", &cpu]).arg(&program).output().expect("qemu runs");
    assert!(
        output.status.success(),
        "qemu: {:?} {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(
        output.stdout.len() as u64,
        cases.len() as u64 * STATE_BYTES,
        "the states of all cases"
    );
    let states = output.stdout.chunks(STATE_BYTES as usize);
    Some(cases.iter().zip(states).map(|(case, state)| after(isa, case, state)).collect())
}

/// The registers of a case are at the beginning of its state, those after it behind them, then the mark, then the buffer.
const AFTER: u64 = 256;
const MARK: u64 = 504;

/// Behind the buffer: floating-point registers, then flags and rounding mode; after all of them what they are afterwards.
const FLOATS: u64 = 1024;
const STATUS: u64 = 8 * 32;
const FLOATS_AFTER: u64 = FLOATS + 512;

fn after(isa: &Isa, case: &Case, state: &[u8]) -> String {
    let double = |at: u64| {
        let bytes = &state[at as usize..at as usize + 8];
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    };
    let mut after = case.before.clone();
    for (number, register) in after.files[X].iter_mut().enumerate().take(31).skip(1) {
        *register = double(AFTER + 8 * number as u64).into();
    }
    let [f, flags, _] = ["F", "fflags", "frm"].map(|name| file(isa, name));
    for (number, register) in after.files[f].iter_mut().enumerate() {
        *register = double(FLOATS_AFTER + 8 * number as u64).into();
    }
    after.files[flags][0] = u128::from(double(FLOATS_AFTER + STATUS) & 31);
    after.buffer = state[BUFFER as usize..(BUFFER + BUFFER_BYTES) as usize].to_vec();
    changes(&shown(isa), &case.before, &after, double(MARK) == 1)
}

fn assembly(width: Width, isa: &Isa, cases: &[Case]) -> String {
    // The upper halves of places in the state stay 0 in RV32.
    let (load, store, add) = match width {
        Width::Rv32 => ("lw", "sw", "addi"),
        Width::Rv64 => ("ld", "sd", "addiw"),
    };
    let mut text = String::from(".option norvc\n.globl _start\n.section .cases, \"ax\"\n_start:\n");
    let at = |name: &str, number: usize| format!("{name}{number}");
    for (number, case) in cases.iter().enumerate() {
        let state = case.before.files[X][31];
        let _ = writeln!(text, ".org {}", number as u64 * CODE_BYTES);
        // Two instructions, whatever the address.
        let _ = writeln!(
            text,
            "{}: lui x31, {}\n{add} x31, x31, {}",
            at("c", number),
            (state + 0x800) >> 12,
            low(state)
        );
        for register in 0..32 {
            let _ = writeln!(text, "fld f{register}, {}(x31)", FLOATS + 8 * register);
        }
        let _ = writeln!(text, "lw x1, {}(x31)\ncsrw fcsr, x1", FLOATS + STATUS);
        for register in 1..31 {
            let _ = writeln!(text, "{load} x{register}, {}(x31)", 8 * register);
        }
        let _ = writeln!(text, ".org {}", number as u64 * CODE_BYTES + INSTRUCTION);
        match case.size {
            2 => writeln!(text, ".2byte {:#x}", case.word).expect("a string"),
            _ => writeln!(text, ".4byte {:#x}", case.word).expect("a string"),
        }
        // A jump goes past this, and the mark stays.
        let _ = writeln!(text, "{store} x0, {MARK}(x31)");
        for register in 1..31 {
            let _ = writeln!(text, "{store} x{register}, {}(x31)", AFTER + 8 * register);
        }
        for register in 0..32 {
            let _ = writeln!(text, "fsd f{register}, {}(x31)", FLOATS_AFTER + 8 * register);
        }
        let _ = writeln!(text, "csrr x1, fcsr\nsw x1, {}(x31)", FLOATS_AFTER + STATUS);
        let _ = writeln!(text, "j {}", at("c", number + 1));
    }
    let bytes = cases.len() as u64 * STATE_BYTES;
    let _ = writeln!(text, ".org {}", cases.len() as u64 * CODE_BYTES);
    let _ = writeln!(
        text,
        "{}: li a7, 64\nli a0, 1\nli a1, {STATE}\nli a2, {bytes}\necall\nbnez a0, 1f\n1: li a7, 93\nli a0, 0\necall",
        at("c", cases.len())
    );
    let _ = writeln!(text, ".section .states, \"aw\"");
    let [f, flags, mode] = ["F", "fflags", "frm"].map(|name| file(isa, name));
    for case in cases {
        for register in &case.before.files[X] {
            let _ = writeln!(text, ".8byte {register:#x}");
        }
        let _ = writeln!(text, ".zero {}\n.8byte 1", MARK - 256);
        for byte in &case.before.buffer {
            let _ = writeln!(text, ".byte {byte}");
        }
        let _ = writeln!(text, ".zero {}", FLOATS - BUFFER - BUFFER_BYTES);
        for register in &case.before.files[f] {
            let _ = writeln!(text, ".8byte {register:#x}");
        }
        let status = case.before.files[mode][0] << 5 | case.before.files[flags][0];
        let _ = writeln!(text, ".8byte {status:#x}\n.zero {}", STATE_BYTES - FLOATS - STATUS - 8);
    }
    text
}

/// The lowest 12 bits of an address, with their sign.
fn low(address: u128) -> i64 {
    let low = (address & 0xfff) as i64;
    if low >= 0x800 { low - 0x1000 } else { low }
}
