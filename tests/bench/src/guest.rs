//! A small program in a machine of `isadl-exec`, without an operating system.

use std::rc::Rc;

use isadl::source::SourceMap;
use isadl_asm::{Options, Purpose, assemble};
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Machine, Spec};

const CODE: u64 = 0x1_0000;
const END: u64 = 0x4_0000;

/// An instruction set, and a loop without end in it that does what programs usually do: loads, stores, arithmetic, and a branch each way.
pub struct Guest {
    folder: &'static str,
    /// Those of its files that have the instructions; none for all.
    files: &'static [&'static str],
    generation: usize,
    text: &'static str,
}

/// RV64I.
pub const RV64: Guest = Guest {
    folder: "spec/riscv",
    files: &["isa.isa", "rv_i.isa", "rv64_i.isa"],
    generation: 1,
    text: "
        lui s0, 0x20
        addi s1, s0, 1024
    outer:
        addi a0, s0, 0
    inner:
        ld a2, 0(a0)
        xor a1, a1, a2
        slli a3, a1, 13
        xor a1, a1, a3
        srli a3, a1, 7
        xor a1, a1, a3
        add a2, a2, a1
        sd a2, 0(a0)
        andi a4, a1, 1
        beq a4, zero, even
        addiw a5, a5, 1
    even:
        addi a0, a0, 8
        bltu a0, s1, inner
        jal zero, outer
    ",
};

/// Instructions of a whole warp, of SIMT: sums, and products of halves that are added.
pub const SIMT: [(&str, Guest); 2] =
    [("IADD", simt("IADD R1, R0, R2 ;")), ("HFMA2", simt("HFMA2 R5, R1, R2, R3 ;"))];

const fn simt(text: &'static str) -> Guest {
    Guest { folder: "spec/simt", files: &[], generation: 0, text }
}

impl Guest {
    /// How many instructions in a row [`Guest::row`] has.
    pub const ROW: u64 = 1024;

    /// The machine before a row of the text, over and over, without a jump back.
    ///
    /// # Panics
    ///
    /// As [`Guest::machine`].
    pub fn row(&self) -> Machine {
        self.machine_of(&self.text.repeat(Guest::ROW as usize).replace(';', ";\n"))
    }

    /// The bytes of the row.
    ///
    /// # Panics
    ///
    /// As [`Guest::machine`].
    pub fn row_code(&self) -> Vec<u8> {
        let mut machine = self.row();
        let length = self.machine().spec().isa().width() as u64 / 8 * Guest::ROW;
        let memory = machine.memory(0).expect("a memory");
        memory.bytes(CODE, length, Access::READ).expect("inside").to_vec()
    }

    /// Begins again, at the first instruction.
    pub fn begin(machine: &mut Machine) {
        machine.set_pc(CODE);
    }

    /// The machine before its first instruction.
    ///
    /// # Panics
    ///
    /// If the specification has errors, or lacks an instruction of the program.
    pub fn machine(&self) -> Machine {
        self.machine_of(self.text)
    }

    /// The bytes of the text, and their address.
    ///
    /// # Panics
    ///
    /// As [`Guest::machine`].
    pub fn code(&self) -> (Vec<u8>, u64) {
        let mut machine = self.machine();
        let memory = machine.memory(0).expect("a memory");
        (memory.bytes(CODE, END - CODE, Access::READ).expect("inside").to_vec(), CODE)
    }

    fn machine_of(&self, text: &str) -> Machine {
        let folder = isadl_test_support::root().join(self.folder);
        let files: Vec<_> = match self.files {
            [] => vec![folder],
            files => files.iter().map(|file| folder.join(file)).collect(),
        };
        let map = SourceMap::read(&files).expect("they are readable");
        let mut compilation = isadl::compile(&map);
        let programs = compilation.semantics.swap_remove(self.generation);
        let isa = compilation.family.expect("no errors").isas()[self.generation].clone();
        let spec = Rc::new(Spec::new(isa, programs));
        let mut sources = SourceMap::new();
        let id = sources.add("guest.s".to_string(), text.as_bytes().to_vec());
        let (options, purpose) = (Options::default(), Purpose::Address(CODE));
        let (object, diagnostics) =
            assemble(&spec.engine(), &mut sources, &[id], &options, purpose);
        let object = object.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let mut memory = Memory::new(CODE, END - CODE);
        memory.protect(CODE..END, Access::ALL).expect("inside");
        for section in object.sections.iter().filter(|section| section.is_allocated()) {
            memory.write(section.address, &section.bytes).expect("inside");
        }
        let mut machine = Machine::new(spec, vec![memory]).expect("few registers");
        machine.set_pc(CODE);
        machine
    }
}
