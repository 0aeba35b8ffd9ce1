//! An instruction set that can be executed: its engine, and its programs in the intermediate representation.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use isadl::engine::Loaded;
use isadl::isa::{ExtensionSet, Inst, Isa, NameId, OpcodeId};
use isadl::semantics::Checked;
use isadl::semantics::ir::{self, Code, Instance, Region, Step, ValueId};
use isadl::semantics::program::Lanes;
use isadl::source::Span;

/// An instruction set with its programs. Clones share them.
#[derive(Clone)]
pub struct Spec {
    loaded: Rc<Loaded>,
    programs: Rc<Programs>,
    extensions: Option<ExtensionSet>,
}

enum Programs {
    /// As checking gives them. The code of each opcode is made when it is first needed.
    Checked(Arc<Checked>, Vec<OnceCell<Vec<Instance>>>),
    /// As a compiled instruction set has them.
    Built(ir::Programs),
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

impl Spec {
    /// The instruction set of a generation, and its programs, as [`isadl::compile`] gives them. Threads may share the
    /// programs.
    pub fn new(isa: Isa, programs: impl Into<Arc<Checked>>) -> Spec {
        Spec::checked_of(Loaded::new(isa), programs.into())
    }

    /// The same in less time: decoding may take longer, as with [`Loaded::quick`].
    pub fn quick(isa: Isa, programs: impl Into<Arc<Checked>>) -> Spec {
        Spec::checked_of(Loaded::quick(isa), programs.into())
    }

    fn checked_of(loaded: Loaded, programs: Arc<Checked>) -> Spec {
        let codes = loaded.isa().opcodes().iter().map(|_| OnceCell::new()).collect();
        Spec::of(loaded, Programs::Checked(programs, codes))
    }

    /// An instruction set and its programs, as a compiled instruction set has them.
    pub fn built(loaded: Loaded, programs: ir::Programs) -> Spec {
        Spec::of(loaded, Programs::Built(programs))
    }

    fn of(loaded: Loaded, programs: Programs) -> Spec {
        Spec { loaded: Rc::new(loaded), programs: Rc::new(programs), extensions: None }
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
        match &*self.programs {
            Programs::Checked(checked, _) => checked.lanes(),
            Programs::Built(built) => built.lanes.as_ref(),
        }
    }

    /// The programs as they were checked; `None` for a compiled instruction set.
    pub fn checked(&self) -> Option<&Checked> {
        match &*self.programs {
            Programs::Checked(checked, _) => Some(checked),
            Programs::Built(_) => None,
        }
    }

    /// The names of the memories; the first is that of most accesses.
    pub fn memories(&self) -> &[String] {
        match &*self.programs {
            Programs::Checked(checked, _) => &checked.memories,
            Programs::Built(built) => &built.memories,
        }
    }

    /// Whether an opcode has a program.
    pub fn has_program(&self, opcode: OpcodeId) -> bool {
        match &*self.programs {
            Programs::Checked(checked, _) => !checked.opcodes[opcode.index()].is_empty(),
            Programs::Built(built) => !built.opcodes[opcode.index()].is_empty(),
        }
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
        match &*self.programs {
            Programs::Checked(checked, codes) => {
                codes[id.index()].get_or_init(|| ir::instances(self.isa(), checked, id))
            }
            Programs::Built(built) => &built.opcodes[id.index()],
        }
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
