//! The programs of `spec/riscv` against qemu: random words of each opcode with a program, on random and edge values of registers.
//!
//! `riscv32.tsv` and `riscv64.tsv` have what qemu did. `BLESS=1 cargo test -p isadl-semantics --test hardware` makes them again, with
//! `qemu-riscv32` and `qemu-riscv64` 7.2 and `riscv64-linux-gnu-gcc`; where these are installed, the tests compare them with the files
//! as well.

use isadl::engine::Loaded;
use isadl::isa::{Isa, OpcodeId};
use isadl::semantics::program::{ExprKind, StatementKind};
use isadl::semantics::{Checked, Instance};

use super::evaluate::{self, Machine, Outcome};
use super::qemu::needs_new;
use super::records::{self, Row};
use super::{Random, changes, compiled, formats, is_refused, riscv_program};

/// The number of the file of integer registers.
pub(super) const X: usize = 0;

/// The number of a file.
pub(super) fn file(isa: &Isa, name: &str) -> usize {
    isa.reg_files().iter().position(|file| file.name == name).expect("a file")
}

/// The files whose changes are compared, with the names of their registers in records.
pub(super) fn shown(isa: &Isa) -> [(&'static str, usize); 3] {
    [("x", X), ("f", file(isa, "F")), ("fflags", file(isa, "fflags"))]
}

/// How often each opcode is tried, and one with floating-point numbers.
const CASES: usize = 12;
const FLOAT_CASES: usize = 30;

/// The address of the first case's state, and the distance to the next.
pub(super) const STATE: u64 = 0x2000_0000;
pub(super) const STATE_BYTES: u64 = 2048;

/// The memory of a case, from the beginning of its state: where loads and stores go.
pub(super) const BUFFER: u64 = 512;
pub(super) const BUFFER_BYTES: u64 = 256;

/// The address of the first case's code, the distance to the next, and the place of its instruction.
pub(super) const CODE: u64 = 0x1000_0000;
pub(super) const CODE_BYTES: u64 = 1024;
pub(super) const INSTRUCTION: u64 = 4 * (2 + 32 + 2 + 30);

/// Bits of a register.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Rv32,
    Rv64,
}

impl Width {
    pub(super) fn bits(self) -> u32 {
        match self {
            Width::Rv32 => 32,
            Width::Rv64 => 64,
        }
    }

    /// The bits of a register of a number.
    fn lowest(self, value: u128) -> u128 {
        value & (u128::MAX >> (128 - self.bits()))
    }
}

/// A word and the registers and memory before it.
pub(super) struct Case {
    pub(super) opcode: String,
    pub(super) word: u32,
    /// Bytes of the word.
    pub(super) size: u64,
    pub(super) before: Machine,
}

/// Whether qemu 7.2 in user mode can run an opcode by itself, and something can be seen of it.
fn can_run(isa: &Isa, id: OpcodeId, instance: &Instance) -> bool {
    let opcode = isa.opcode(id);
    let statements = &instance.program.statements;
    let stops = statements.iter().any(|one| matches!(one.kind, StatementKind::Trap { .. }));
    let mut is_outside = false;
    statements.iter().for_each(|statement| {
        statement.each_expr(&mut |expr| {
            expr.visit(&mut |part| is_outside |= matches!(part.kind, ExprKind::Extern { .. }));
        });
    });
    let needed = isa.extensions().needs(&opcode.requires);
    // `vectors` has those of V.
    let is_new = needs_new(&needed);
    // Status registers and returns from traps are the system's.
    let is_privileged =
        opcode.name.starts_with("CSR") || ["SRET", "MRET", "DRET"].contains(&opcode.name.as_str());
    !stops && !is_outside && !is_new && !is_privileged
}

fn cases(width: Width, isa: &Isa, programs: &Checked) -> Vec<Case> {
    let loaded = Loaded::new(isa.clone());
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut found = Vec::new();
    for id in isa.opcode_ids() {
        let [instance] = programs.opcodes[id.index()].as_slice() else { continue };
        if !can_run(isa, id, instance) {
            continue;
        }
        let mut made = 0;
        let wanted = if formats(instance).is_empty() { CASES } else { FLOAT_CASES };
        for _ in 0..40_000 {
            if made == wanted {
                break;
            }
            let opcode = isa.opcode(id);
            // Words of few ones have small offsets.
            let few = if random.next().is_multiple_of(2) {
                random.next() & random.next()
            } else {
                u64::MAX
            };
            let word =
                opcode.value | u128::from(random.next() & few) & opcode.width_mask & !opcode.mask;
            let Ok(inst) = loaded.engine().decode(word) else { continue };
            if inst.opcode != id || is_refused(isa, id, word) {
                continue;
            }
            let size = u64::from(opcode.width / 8);
            let state = machine(isa, &mut random, found.len() as u64, (instance, size));
            let before = narrowed(state, width);
            let outcome = evaluate::run(isa, id, instance, word, &before);
            if is_usable(&before, &outcome, size) {
                found.push(Case { opcode: opcode.name.clone(), word: word as u32, size, before });
                made += 1;
            }
        }
        assert_eq!(made, wanted, "{}: too few usable words", isa.opcode(id).name);
    }
    found
}

/// Registers of random and edge values; addresses in the buffer if the program uses memory.
fn machine(
    isa: &Isa,
    random: &mut Random,
    number: u64,
    (instance, size): (&Instance, u64),
) -> Machine {
    use isadl::semantics::effects::Resource;
    let state = STATE + number * STATE_BYTES;
    let accesses = &instance.effects.accesses;
    let uses_memory =
        accesses.iter().any(|effect| matches!(effect.resource, Resource::Memory { .. }));
    let pc = CODE + number * CODE_BYTES + INSTRUCTION;
    let mut before = Machine::new(isa, pc);
    let registers = &mut before.files[X];
    for register in &mut registers[1..31] {
        let value = match (uses_memory, random.next() % 3) {
            (true, 0 | 1) => state + BUFFER + 8 * (random.next() % (BUFFER_BYTES / 8)),
            // A target that jumps can reach.
            _ if random.next().is_multiple_of(8) => pc + size + 4,
            _ => random.register(),
        };
        *register = value.into();
    }
    registers[31] = state.into();
    let files = ["F", "fflags", "frm"].map(|name| file(isa, name));
    let formats = formats(instance);
    for register in &mut before.files[files[0]] {
        *register = floating(random, &formats).into();
    }
    before.files[files[1]][0] = u128::from((random.next() % 32) & random.next());
    before.files[files[2]][0] = (random.next() % 5).into();
    before.buffer_at = state + BUFFER;
    before.buffer = (0..BUFFER_BYTES).map(|_| random.next() as u8).collect();
    before
}

/// A register of floating-point numbers, mostly of the formats that are read, with ones above; sometimes with other bits.
fn floating(random: &mut Random, formats: &[u32]) -> u64 {
    let any = [16, 32, 64][(random.next() % 3) as usize];
    let width = match formats.len() {
        0 => any,
        count => formats[random.next() as usize % count],
    };
    match random.next() % 16 {
        0 => random.next(),
        1 => random.float(any) | u64::MAX.checked_shl(any).unwrap_or(0),
        _ => random.float(width) | u64::MAX.checked_shl(width).unwrap_or(0),
    }
}

/// A machine whose registers have a width.
fn narrowed(mut machine: Machine, width: Width) -> Machine {
    machine.files[X].iter_mut().for_each(|register| *register = width.lowest(*register));
    machine
}

/// Whether the harness can show what happens: registers are kept, memory is in the buffer, jumps go past the mark.
fn is_usable(before: &Machine, outcome: &Outcome, size: u64) -> bool {
    let Outcome::Done { after, jump, .. } = outcome else { return false };
    after.files[X][31] == before.files[X][31]
        && jump.is_none_or(|target| target == before.pc + size + 4)
}

#[test]
fn every_program_of_rv32_does_what_qemu_does() {
    does_what_qemu_does(Width::Rv32, 190);
}

#[test]
fn every_program_of_rv64_does_what_qemu_does() {
    does_what_qemu_does(Width::Rv64, 240);
}

fn does_what_qemu_does(width: Width, least: usize) {
    let (isa, programs) = compiled("riscv", usize::from(width == Width::Rv64));
    let cases = cases(width, isa, programs);
    let done = riscv_program::run(width, isa, &cases);
    let computed = |case: &Case| {
        let id = isa.find_opcode(&case.opcode).expect("an opcode");
        let instance = &programs.opcodes[id.index()][0];
        match evaluate::run(isa, id, instance, case.word.into(), &case.before) {
            Outcome::Done { after, jump } => {
                changes(&shown(isa), &case.before, &after, jump.is_some())
            }
            Outcome::Trapped | Outcome::Unusable => unreachable!("only usable cases are kept"),
        }
    };
    let rows: Vec<Row<'_>> = cases
        .iter()
        .map(|case| Row { opcode: &case.opcode, word: case.word, computed: computed(case) })
        .collect();
    let state = |at: usize| format!("{:x?}", cases[at].before.files[X]);
    let name = format!("riscv{}.tsv", width.bits());
    records::compare(&name, &rows, done.as_deref(), state, least);
}
