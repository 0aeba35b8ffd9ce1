//! An instruction set that can be executed: its engine, and its programs in the intermediate representation.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use isadl::engine::Loaded;
use isadl::isa::{ExtensionSet, Inst, Isa, NameId, OpcodeId};
use isadl::semantics::Checked;
use isadl::semantics::ir::{self, Code};

/// An instruction set with its programs.
pub struct Spec {
    loaded: Loaded,
    programs: Checked,
    /// For each opcode, the code of its programs, made when it is first needed.
    codes: Vec<OnceCell<Vec<Instance>>>,
}

/// The code of a program, for words that have some fields.
struct Instance {
    chosen: BTreeMap<NameId, u64>,
    code: Code,
}

impl Spec {
    /// The instruction set of a generation, and its programs, as [`isadl::compile`] gives them.
    pub fn new(isa: Isa, programs: Checked) -> Spec {
        let codes = isa.opcodes().iter().map(|_| OnceCell::new()).collect();
        Spec { loaded: Loaded::new(isa), programs, codes }
    }

    /// The instruction set.
    pub fn isa(&self) -> &Isa {
        self.loaded.isa()
    }

    /// Its engine.
    pub fn engine(&self) -> isadl::engine::Engine<'_> {
        self.loaded.engine()
    }

    /// Its programs.
    pub fn programs(&self) -> &Checked {
        &self.programs
    }

    /// The names of the memories; the first is that of most accesses.
    pub fn memories(&self) -> &[String] {
        &self.programs.memories
    }

    /// Whether an opcode has a program.
    pub fn has_program(&self, opcode: OpcodeId) -> bool {
        !self.programs.opcodes[opcode.index()].is_empty()
    }

    /// The code of an instruction; `None` if its opcode has no program.
    pub(crate) fn code(&self, inst: Inst) -> Option<&Code> {
        let opcode = self.isa().opcode(inst.opcode);
        let instances = self.codes[inst.opcode.index()].get_or_init(|| {
            let of = |one: &isadl::semantics::Instance| Instance {
                chosen: one.chosen.clone(),
                code: ir::build(self.isa(), opcode, &one.program),
            };
            self.programs.opcodes[inst.opcode.index()].iter().map(of).collect()
        });
        let has = |(name, raw): (&NameId, &u64)| {
            opcode.field(*name).is_some_and(|field| field.extract(inst.word) == *raw)
        };
        let found = instances.iter().find(|instance| instance.chosen.iter().all(has));
        found.map(|instance| &instance.code)
    }

    /// All extensions that programs may use.
    pub(crate) fn extensions(&self) -> ExtensionSet {
        self.engine().extensions()
    }
}
