//! Runs the cases of V in qemu: one program with a block of code for each case, and a handler for illegal instructions.

use std::fmt::Write;
use std::process::{Command, Stdio};

use isadl::isa::Isa;

use super::changes;
use super::choices::has_own_mode;
use super::vectors::{BUFFER_BYTES, Case, files};

/// The address of the first case's state, the distance to the next, and the places in it.
const STATE: u64 = 0x2000_0000;
const STATE_BYTES: u64 = 4096;
const AFTER: u64 = 256;
const TRAPPED: u64 = 512;
/// The control registers, before and after.
const CONTROL: u64 = 520;
const CONTROL_AFTER: u64 = 576;
const VECTORS: u64 = 768;
const VECTORS_AFTER: u64 = 1280;
const FLOATS: u64 = 1792;
pub(super) const BUFFER: u64 = 2048;
const FLOATS_AFTER: u64 = 2560;

/// The bytes of the code of a case.
const CODE: u64 = 0x1000_0000;
const CODE_BYTES: u64 = 2048;

/// The numbers of the control registers, in the order of the state.
const CONTROLS: [(&str, u32); 7] = [
    ("vl", 0xc20),
    ("vtype", 0xc21),
    ("vxsat", 9),
    ("vxrm", 10),
    ("vstart", 8),
    ("frm", 2),
    ("fflags", 1),
];

/// Where the state of a case is.
pub(super) fn state(number: u64) -> u64 {
    STATE + number * STATE_BYTES
}

/// What changed in each case; `None` if qemu or the compiler is not installed.
pub(super) fn run(isa: &Isa, cases: &[Case]) -> Option<Vec<String>> {
    let is_there = |program: &str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok()
    };
    if !is_there("qemu-riscv64") || !is_there("riscv64-linux-gnu-gcc") {
        return None;
    }
    let folder = std::env::temp_dir().join(format!("isadl-semantics-v-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let (source, program) = (folder.join("cases.S"), folder.join("cases"));
    std::fs::write(&source, assembly(isa, cases)).expect("writable");
    let built = Command::new("riscv64-linux-gnu-gcc")
        .args(["-march=rv64gc", "-mabi=lp64d", "-nostdlib", "-static", "-Wl,--no-relax"])
        .arg("-Wl,--build-id=none")
        .arg(format!("-Wl,--section-start=.cases={CODE:#x}"))
        .arg(format!("-Wl,--section-start=.states={STATE:#x}"))
        .arg("-o")
        .args([&program, &source])
        .output()
        .expect("gcc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new("qemu-riscv64")
        .args(["-cpu", "rv64,v=true,vlen=128"])
        .arg(&program)
        .output()
        .expect("qemu runs");
    assert!(
        output.status.success(),
        "qemu: {:?} {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(output.stdout.len() as u64, cases.len() as u64 * STATE_BYTES, "all states");
    let states = output.stdout.chunks(STATE_BYTES as usize);
    Some(cases.iter().zip(states).map(|(case, state)| after(isa, case, state)).collect())
}

fn after(isa: &Isa, case: &Case, state: &[u8]) -> String {
    let double = |at: u64| {
        let bytes = &state[at as usize..at as usize + 8];
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    };
    if double(TRAPPED) == 1 {
        return "trap".to_string();
    }
    let mut after = case.before.clone();
    for number in 1..31u64 {
        after.file(isa, "X")[number as usize] = double(AFTER + 8 * number).into();
    }
    for number in 0..32u64 {
        after.file(isa, "F")[number as usize] = double(FLOATS_AFTER + 8 * number).into();
        let [low, high] = [0, 8].map(|half| double(VECTORS_AFTER + 16 * number + half));
        after.file(isa, "V")[number as usize] = u128::from(high) << 64 | u128::from(low);
    }
    for (at, (name, _)) in CONTROLS.iter().enumerate() {
        after.file(isa, name)[0] = double(CONTROL_AFTER + 8 * at as u64).into();
    }
    after.buffer = state[BUFFER as usize..(BUFFER + BUFFER_BYTES) as usize].to_vec();
    changes(&files(isa), &case.before, &after, false)
}

/// All vector registers from or to a place in the state: `vl8re8.v` or `vs8r.v`, with `x30` as the address.
fn move_vectors(text: &mut String, place: u64, word: u32) {
    let _ = writeln!(text, "li x30, {place}\nadd x30, x30, x31");
    for first in [0, 8, 16, 24] {
        let _ = writeln!(text, ".4byte {:#x}\naddi x30, x30, 128", word | 30 << 15 | first << 7);
    }
}

fn assembly(isa: &Isa, cases: &[Case]) -> String {
    let mut text = String::from(
        ".option norvc\n.globl _start\n.section .cases, \"ax\"\n\
         _start: la a0, stack\nli a1, 0\nli a7, 132\necall\n\
         la a1, action\nli a0, 4\nli a2, 0\nli a3, 8\nli a7, 134\necall\nj c0\n\
         handler: ld t0, 176(a2)\naddi t0, t0, 4\nsd t0, 176(a2)\n\
         ld t0, 424(a2)\nli t1, 1\n",
    );
    // The registers of the interrupted code are behind its address.
    let _ = writeln!(text, "sd t1, {TRAPPED}(t0)\nret");
    for (number, case) in cases.iter().enumerate() {
        let _ = writeln!(text, ".org {}", (number as u64 + 1) * CODE_BYTES);
        let _ = writeln!(text, "c{number}: li x31, {:#x}", state(number as u64));
        move_vectors(&mut text, VECTORS, 0xe280_0007);
        let _ = writeln!(text, "ld x29, {CONTROL}(x31)\nld x28, {}(x31)", CONTROL + 8);
        // vsetvl x0, x29, x28
        let _ = writeln!(text, ".4byte {:#x}", 0x8000_7057u32 | 28 << 20 | 29 << 15);
        for (at, (_, csr)) in CONTROLS.iter().enumerate().skip(2) {
            let _ = writeln!(text, "ld x29, {}(x31)\ncsrw {csr}, x29", CONTROL + 8 * at as u64);
        }
        for register in 0..32 {
            let _ = writeln!(text, "fld f{register}, {}(x31)", FLOATS + 8 * register);
        }
        for register in 1..31 {
            let _ = writeln!(text, "ld x{register}, {}(x31)", 8 * register);
        }
        if has_own_mode(case.word) {
            // qemu 7.2 stops with an error at such a word, unless `frm` is in use already.
            let _ = writeln!(text, "fcvt.s.w f0, x0\nfld f0, {FLOATS}(x31)");
        }
        let _ = writeln!(text, ".4byte {:#x}", case.word);
        for register in 1..31 {
            let _ = writeln!(text, "sd x{register}, {}(x31)", AFTER + 8 * register);
        }
        for (at, (_, csr)) in CONTROLS.iter().enumerate() {
            let place = CONTROL_AFTER + 8 * at as u64;
            let _ = writeln!(text, "csrr x29, {csr}\nsd x29, {place}(x31)");
        }
        move_vectors(&mut text, VECTORS_AFTER, 0xe280_0027);
        let _ = writeln!(text, "li x30, {FLOATS_AFTER}\nadd x30, x30, x31");
        for register in 0..32 {
            let _ = writeln!(text, "fsd f{register}, {}(x30)", 8 * register);
        }
        let _ = writeln!(text, "j c{}", number + 1);
    }
    let bytes = cases.len() as u64 * STATE_BYTES;
    let _ = writeln!(text, ".org {}", (cases.len() as u64 + 1) * CODE_BYTES);
    // As much as the system takes at once.
    let _ = writeln!(
        text,
        "c{}: li s0, {STATE}\nli s1, {bytes}\n1: li a7, 64\nli a0, 1\nmv a1, s0\nmv a2, s1\necall\n\
         add s0, s0, a0\nsub s1, s1, a0\nbnez s1, 1b\nli a7, 93\nli a0, 0\necall",
        cases.len()
    );
    // The handler has information, and a stack of its own, since `sp` is random.
    let _ = writeln!(
        text,
        ".section .data\n.balign 16\naction: .8byte handler, 0x08000004, 0\n\
         stack: .8byte space, 0, 65536\n.balign 16\nspace: .zero 65536"
    );
    let _ = writeln!(text, ".section .states, \"aw\"");
    for (number, case) in cases.iter().enumerate() {
        states(&mut text, isa, number as u64, case);
    }
    text
}

/// The state of a case before it.
fn states(text: &mut String, isa: &Isa, number: u64, case: &Case) {
    let mut before = case.before.clone();
    let at = |text: &mut String, place: u64| {
        let _ = writeln!(text, ".org {}", number * STATE_BYTES + place);
    };
    at(text, 0);
    for register in before.file(isa, "X") {
        let _ = writeln!(text, ".8byte {register:#x}");
    }
    at(text, CONTROL);
    for (name, _) in CONTROLS {
        let _ = writeln!(text, ".8byte {:#x}", before.file(isa, name)[0]);
    }
    at(text, VECTORS);
    for register in before.file(isa, "V") {
        let (low, high) = (*register as u64, (*register >> 64) as u64);
        let _ = writeln!(text, ".8byte {low:#x}, {high:#x}");
    }
    at(text, FLOATS);
    for register in before.file(isa, "F") {
        let _ = writeln!(text, ".8byte {register:#x}");
    }
    at(text, BUFFER);
    let bytes: Vec<String> = before.buffer.iter().map(u8::to_string).collect();
    let _ = writeln!(text, ".byte {}", bytes.join(", "));
    at(text, STATE_BYTES);
}
