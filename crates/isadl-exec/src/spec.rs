//! An instruction set that can be executed: its engine, and its programs in the intermediate representation.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use isadl::engine::Loaded;
use isadl::isa::{ExtensionSet, Inst, Isa, NameId, OpcodeId};
use isadl::semantics::Checked;
use isadl::semantics::ir::{self, Code, Region, Step, ValueId};
use isadl::semantics::program::Lanes;
use isadl::source::Span;

/// An instruction set with its programs. Clones share them.
#[derive(Clone)]
pub struct Spec {
    loaded: Rc<Loaded>,
    programs: Rc<Checked>,
    /// For each opcode, the code of its programs, made when it is first needed.
    codes: Rc<[OnceCell<Vec<Instance>>]>,
    extensions: Option<ExtensionSet>,
}

/// A branch of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The number of the program among those of its opcode, and of the branch in it.
    pub numbers: (u32, u32),
    /// The condition, or the loop.
    pub span: Span,
    /// `if`, `else` or `for`.
    pub side: &'static str,
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
        let (loaded, programs) = (Rc::new(Loaded::new(isa)), Rc::new(programs));
        Spec { loaded, programs, codes, extensions: None }
    }

    /// The same for implementations with a set of extensions.
    #[must_use]
    pub fn with_extensions(self, set: ExtensionSet) -> Spec {
        Spec { extensions: Some(set), ..self }
    }

    /// The instruction set.
    pub fn isa(&self) -> &Isa {
        self.loaded.isa()
    }

    /// Its engine.
    pub fn engine(&self) -> isadl::engine::Engine<'_> {
        let engine = self.loaded.engine();
        match self.extensions {
            Some(set) => engine.with_extensions(set),
            None => engine,
        }
    }

    /// The lanes that do each instruction together, if there are several.
    pub fn lanes(&self) -> Option<&Lanes> {
        self.programs.lanes()
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

    /// The number of the program of an instruction among those of its opcode, and its code; `None` if the opcode has no program.
    pub(crate) fn code(&self, inst: Inst) -> Option<(u32, &Code)> {
        let opcode = self.isa().opcode(inst.opcode);
        let has = |(name, raw): (&NameId, &u64)| {
            opcode.field(*name).is_some_and(|field| field.extract(inst.word) == *raw)
        };
        let instances = self.instances(inst.opcode);
        let at = instances.iter().position(|instance| instance.chosen.iter().all(has))?;
        Some((at as u32, &instances[at].code))
    }

    fn instances(&self, id: OpcodeId) -> &[Instance] {
        self.codes[id.index()].get_or_init(|| {
            let of = |one: &isadl::semantics::Instance| Instance {
                chosen: one.chosen.clone(),
                code: ir::build(self.isa(), self.isa().opcode(id), &one.program),
            };
            self.programs.opcodes[id.index()].iter().map(of).collect()
        })
    }

    /// The branches of all programs of an opcode.
    pub fn branches(&self, id: OpcodeId) -> Vec<Branch> {
        let mut found = Vec::new();
        for (instance, own) in self.instances(id).iter().enumerate() {
            branches(&own.code, &own.code.body, instance as u32, &mut found);
        }
        found
    }

    /// All extensions that programs may use.
    pub(crate) fn extensions(&self) -> ExtensionSet {
        self.engine().extensions()
    }
}

fn branches(code: &Code, region: &Region, instance: u32, found: &mut Vec<Branch>) {
    let branch = |id: ValueId, side, number: u32| Branch {
        numbers: (instance, 2 * id.index() as u32 + number),
        span: code.values[id.index()].span,
        side,
    };
    for step in &region.steps {
        match step {
            Step::If { condition, yes, no, .. } => {
                found.extend([branch(*condition, "if", 0), branch(*condition, "else", 1)]);
                branches(code, yes, instance, found);
                branches(code, no, instance, found);
            }
            Step::Loop { number, body, .. } => {
                found.push(branch(*number, "for", 0));
                branches(code, body, instance, found);
            }
            Step::Atomic(body) | Step::Labelled { body, .. } => {
                branches(code, body, instance, found);
            }
            _ => {}
        }
    }
}
