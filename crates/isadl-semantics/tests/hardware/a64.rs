//! A64 against qemu. `a64.tsv` has what qemu did. `BLESS=1 cargo test -p isadl-semantics --test hardware` makes it again, with
//! `qemu-aarch64` 7.2 and `aarch64-linux-gnu-gcc`.

use std::fmt::Write;
use std::process::{Command, Stdio};

use isadl::engine::Loaded;
use isadl::isa::{Isa, OpcodeId};
use isadl::semantics::effects::Resource;
use isadl::semantics::{Checked, Instance};

use super::evaluate::{self, Machine, Outcome};
use super::qemu::{differs_a64, lacks_a64};
use super::records::{self, Row};
use super::{Random, changes, compiled, formats, instance_of, is_plain, is_refused, operands};

/// How often each opcode is tried, and one with floating-point numbers.
const CASES: usize = 12;
const FLOAT_CASES: usize = 24;

/// The address of the first case's state, and the distance to the next.
const STATE: u64 = 0x2000_0000;
const STATE_BYTES: u64 = 4096;

/// The memory of a case, from the beginning of its state: where loads and stores go.
const BUFFER: u64 = 2048;
const BUFFER_BYTES: u64 = 512;

/// Where the registers after the instruction are in a state: general registers, the stack pointer, the flags, the mark, vector
/// registers, and what floating point depends on and raises.
const AFTER: u64 = 1024;
const SP: u64 = 8 * 31;
const FLAGS: u64 = 8 * 32;
const MARK: u64 = 8 * 33;
const V: u64 = 8 * 34;
const FPCR: u64 = V + 16 * 32;
const FPSR: u64 = FPCR + 8;

/// The address of the first case's code, the distance to the next, and the place of its instruction.
const CODE: u64 = 0x1000_0000;
const CODE_BYTES: u64 = 1024;
const INSTRUCTION: u64 = 512;

struct Case {
    opcode: String,
    word: u32,
    before: Machine,
}

/// The register that holds the address of the state.
const POINTER: usize = 28;

fn file(isa: &Isa, name: &str) -> usize {
    isa.reg_files().iter().position(|file| file.name == name).expect("a file")
}

fn shown(isa: &Isa) -> [(&'static str, usize); 5] {
    let files = [("x", "X"), ("sp", "SP"), ("flag", "NZCV"), ("v", "V"), ("fpsr", "FPSR")];
    files.map(|(name, of)| (name, file(isa, of)))
}

fn machine(isa: &Isa, instance: &Instance, random: &mut Random, number: u64) -> Machine {
    let (pc, state) = (CODE + number * CODE_BYTES + INSTRUCTION, STATE + number * STATE_BYTES);
    let accesses = &instance.effects.accesses;
    let uses_memory =
        accesses.iter().any(|effect| matches!(effect.resource, Resource::Memory { .. }));
    let value = |random: &mut Random| match (uses_memory, random.next() % 8) {
        (true, 0..5) => state + BUFFER + 8 * (random.next() % (BUFFER_BYTES / 8)),
        // An index.
        (true, 5 | 6) => random.next() % 64,
        // A target that jumps can reach.
        (false, 0) => pc + 8,
        _ => random.register(),
    };
    let mut machine = Machine::new(isa, pc);
    machine.file(isa, "X").iter_mut().for_each(|register| *register = value(random).into());
    machine.file(isa, "X")[POINTER] = state.into();
    machine.file(isa, "SP")[0] = value(random).into();
    machine.file(isa, "NZCV").iter_mut().for_each(|flag| *flag = (random.next() % 2).into());
    let formats = formats(instance);
    for register in machine.file(isa, "V") {
        *register = if formats.is_empty() { vector(random) } else { numbers(random, &formats) };
    }
    // The rounding mode; subnormal numbers and NaNs are sometimes not kept.
    let control = (random.next() & 3) << 22 | u64::from(random.next().is_multiple_of(4)) << 24;
    let control = control | u64::from(random.next().is_multiple_of(3)) << 25;
    machine.file(isa, "FPCR")[0] = control.into();
    machine.file(isa, "FPSR")[0] = (random.next() & random.next() & 0x9f).into();
    machine.buffer_at = state + BUFFER;
    machine.buffer = (0..BUFFER_BYTES).map(|_| random.next() as u8).collect();
    machine
}

/// A vector whose elements are often the least and the largest numbers, or equal to others.
fn vector(random: &mut Random) -> u128 {
    let half = |random: &mut Random| match random.next() % 8 {
        0 => 0,
        1 => u64::MAX,
        2 => 0x8000_0000_8000_8080,
        3 => 0x7fff_ffff_7fff_7f7f,
        4 => 0x0101_0101_0101_0101 * (random.next() % 256),
        _ => random.next(),
    };
    u128::from(half(random)) << 64 | u128::from(half(random))
}

/// A vector of floating-point numbers of a format.
fn numbers(random: &mut Random, formats: &[u32]) -> u128 {
    let width = formats[random.next() as usize % formats.len()];
    (0..128 / width).fold(0, |all, _| all << width | u128::from(random.float(width)))
}

fn cases(isa: &Isa, programs: &Checked) -> Vec<Case> {
    let loaded = Loaded::new(isa.clone());
    let mut random = Random(0x0fed_cba9_8765_4321);
    let mut found = Vec::new();
    for id in isa.opcode_ids() {
        let instances = &programs.opcodes[id.index()];
        // The harness keeps code and memory far apart.
        if instances.is_empty()
            || !instances.iter().all(is_plain)
            || isa.opcode(id).name.ends_with("_LITERAL")
            || lacks_a64(&isa.opcode(id).name)
            || differs_a64(&isa.opcode(id).name, 0)
        {
            continue;
        }
        let first = found.len();
        let has_floats = instances.iter().any(|instance| !formats(instance).is_empty());
        let wanted = if has_floats { FLOAT_CASES } else { CASES };
        for _ in 0..60_000 {
            if found.len() == first + wanted {
                break;
            }
            found.extend(case(&loaded, programs, id, &mut random, found.len() as u64));
        }
        assert_eq!(found.len(), first + wanted, "{}: too few usable words", isa.opcode(id).name);
    }
    found
}

/// A random case of an opcode, if it is legal and the harness can show what happens.
fn case(
    loaded: &Loaded,
    programs: &Checked,
    id: OpcodeId,
    random: &mut Random,
    number: u64,
) -> Option<Case> {
    let isa = loaded.isa();
    let opcode = isa.opcode(id);
    let few =
        if random.next().is_multiple_of(2) { random.next() & random.next() } else { u64::MAX };
    let word = opcode.value | u128::from(random.next() & few) & opcode.width_mask & !opcode.mask;
    let inst = loaded.engine().decode(word).ok()?;
    if inst.opcode != id || is_refused(isa, id, word) || differs_a64(&opcode.name, word as u32) {
        return None;
    }
    let instance = instance_of(isa, programs, id, word)?;
    if wraps(isa, id, instance, word) {
        return None;
    }
    let mut before = machine(isa, instance, random, number);
    let Outcome::Done { mut after, jump } = evaluate::run(isa, id, instance, word, &before) else {
        return None;
    };
    let keeps = after.file(isa, "X")[POINTER] == before.file(isa, "X")[POINTER];
    let is_near = jump.is_none_or(|target| target == before.pc + 8);
    (keeps && is_near).then(|| Case { opcode: opcode.name.clone(), word: word as u32, before })
}

/// Whether a list of vector registers goes on from the last to the first: in the specification it ends there.
fn wraps(isa: &Isa, id: OpcodeId, instance: &Instance, word: u128) -> bool {
    let vectors = file(isa, "V");
    let (width, count) = (isa.reg_files()[vectors].width, isa.reg_files()[vectors].count);
    operands(instance).into_iter().any(|(name, bits)| {
        let field = isa.opcode(id).field(name).expect("a field");
        let first = field.extract(word) as u32;
        bits > width && first + bits / width > count
    })
}

/// What changed in each case; `None` if qemu or the compiler is not installed.
fn emulated(isa: &Isa, cases: &[Case]) -> Option<Vec<String>> {
    let is_there = |program: &str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok()
    };
    if !is_there("qemu-aarch64") || !is_there("aarch64-linux-gnu-gcc") {
        return None;
    }
    let folder = std::env::temp_dir().join(format!("isadl-semantics-a64-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let (source, program) = (folder.join("cases.S"), folder.join("cases"));
    std::fs::write(&source, assembly(isa, cases)).expect("writable");
    let places = [
        format!("-Wl,--section-start=.cases={CODE:#x}"),
        format!("-Wl,--section-start=.states={STATE:#x}"),
    ];
    let built = Command::new("aarch64-linux-gnu-gcc")
        .args(["-nostdlib", "-static", "-Wl,--build-id=none"])
        .args(places)
        .arg("-o")
        .args([&program, &source])
        .output()
        .expect("gcc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new("qemu-aarch64").arg(&program).output().expect("qemu runs");
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

fn after(isa: &Isa, case: &Case, state: &[u8]) -> String {
    let double = |at: u64| {
        let at = (AFTER + at) as usize;
        u64::from_le_bytes(state[at..at + 8].try_into().expect("eight bytes"))
    };
    let mut after = case.before.clone();
    for (number, register) in after.file(isa, "X").iter_mut().enumerate() {
        if number != POINTER {
            *register = double(8 * number as u64).into();
        }
    }
    for (number, register) in after.file(isa, "V").iter_mut().enumerate() {
        let at = V + 16 * number as u64;
        *register = u128::from(double(at + 8)) << 64 | u128::from(double(at));
    }
    after.file(isa, "SP")[0] = double(SP).into();
    after.file(isa, "FPSR")[0] = double(FPSR).into();
    for (number, flag) in after.file(isa, "NZCV").iter_mut().enumerate() {
        *flag = (double(FLAGS) >> (31 - number) & 1).into();
    }
    after.buffer = state[BUFFER as usize..(BUFFER + BUFFER_BYTES) as usize].to_vec();
    changes(&shown(isa), &case.before, &after, double(MARK) == 1)
}

fn assembly(isa: &Isa, cases: &[Case]) -> String {
    let mut text = String::from(".globl _start\n.section .cases, \"ax\"\n_start:\n");
    let pointer = format!("x{POINTER}");
    for (number, case) in cases.iter().enumerate() {
        let mut before = case.before.clone();
        let state = before.file(isa, "X")[POINTER];
        let _ = writeln!(text, ".org {}\nc{number}:", number as u64 * CODE_BYTES);
        let _ = writeln!(
            text,
            "movz {pointer}, #{}\nmovk {pointer}, #{}, lsl #16",
            state & 0xffff,
            state >> 16
        );
        let _ = writeln!(
            text,
            "ldr x0, [{pointer}, #{SP}]\nmov sp, x0\nldr x0, [{pointer}, #{FLAGS}]\nmsr nzcv, x0"
        );
        let _ = writeln!(
            text,
            "ldr x0, [{pointer}, #{FPCR}]\nmsr fpcr, x0\nldr x0, [{pointer}, #{FPSR}]\nmsr fpsr, x0"
        );
        for register in (0..31).filter(|register| *register != POINTER) {
            let _ = writeln!(text, "ldr x{register}, [{pointer}, #{}]", 8 * register);
        }
        for register in 0..32 {
            let _ = writeln!(text, "ldr q{register}, [{pointer}, #{}]", V + 16 * register);
        }
        let place = number as u64 * CODE_BYTES + INSTRUCTION;
        let _ = writeln!(text, "b i{number}\n.org {place}\ni{number}:");
        let _ = writeln!(text, ".inst {:#x}", case.word);
        // A jump goes past this, and the mark stays.
        let _ = writeln!(text, "str xzr, [{pointer}, #{}]", AFTER + MARK);
        for register in (0..31).filter(|register| *register != POINTER) {
            let _ =
                writeln!(text, "str x{register}, [{pointer}, #{}]", AFTER + 8 * register as u64);
        }
        for register in 0..32 {
            let _ = writeln!(text, "str q{register}, [{pointer}, #{}]", AFTER + V + 16 * register);
        }
        let _ = writeln!(
            text,
            "mov x0, sp\nstr x0, [{pointer}, #{}]\nmrs x0, nzcv\nstr x0, [{pointer}, #{}]",
            AFTER + SP,
            AFTER + FLAGS
        );
        let _ = writeln!(text, "mrs x0, fpsr\nstr x0, [{pointer}, #{}]", AFTER + FPSR);
        let _ = writeln!(text, "b c{}", number + 1);
    }
    let bytes = cases.len() as u64 * STATE_BYTES;
    let _ = writeln!(text, ".org {}\nc{}:", cases.len() as u64 * CODE_BYTES, cases.len());
    let _ = writeln!(
        text,
        "mov x8, #64\nmov x0, #1\nldr x1, ={STATE}\nldr x2, ={bytes}\nsvc #0\nmov x8, #93\nmov x0, #0\nsvc #0\n.ltorg"
    );
    let _ = writeln!(text, ".section .states, \"aw\"");
    for case in cases {
        let mut before = case.before.clone();
        for register in before.file(isa, "X").iter() {
            let _ = writeln!(text, ".8byte {register:#x}");
        }
        let flags = before
            .file(isa, "NZCV")
            .iter()
            .enumerate()
            .fold(0, |all, (number, flag)| all | flag << (31 - number));
        let _ = writeln!(text, ".8byte {:#x}\n.8byte {flags:#x}", before.file(isa, "SP")[0]);
        let _ = writeln!(text, ".8byte 0");
        for register in before.file(isa, "V").iter() {
            let _ = writeln!(text, ".8byte {:#x}, {:#x}", *register as u64, register >> 64);
        }
        for name in ["FPCR", "FPSR"] {
            let _ = writeln!(text, ".8byte {:#x}", before.file(isa, name)[0]);
        }
        let _ = writeln!(text, ".zero {}\n.8byte 1", AFTER + MARK - FPSR - 8);
        let _ = writeln!(text, ".zero {}", BUFFER - AFTER - MARK - 8);
        for byte in &before.buffer {
            let _ = writeln!(text, ".byte {byte}");
        }
        let _ = writeln!(text, ".zero {}", STATE_BYTES - BUFFER - BUFFER_BYTES);
    }
    text
}

#[test]
fn every_program_does_what_qemu_does() {
    let (isa, programs) = compiled("a64", 0);
    let cases = cases(isa, programs);
    let done = emulated(isa, &cases);
    let computed = |case: &Case| {
        let id = isa.find_opcode(&case.opcode).expect("an opcode");
        let instance = instance_of(isa, programs, id, case.word.into()).expect("a program");
        let outcome = evaluate::run(isa, id, instance, case.word.into(), &case.before);
        let Outcome::Done { after, jump } = outcome else {
            unreachable!("only usable cases are kept")
        };
        changes(&shown(isa), &case.before, &after, jump.is_some())
    };
    let rows: Vec<Row<'_>> = cases
        .iter()
        .map(|case| Row { opcode: &case.opcode, word: case.word, computed: computed(case) })
        .collect();
    let state = |at: usize| format!("{:x?}", cases[at].before.files);
    records::compare("a64.tsv", &rows, done.as_deref(), state, 1770);
}
