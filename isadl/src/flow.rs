//! Data flow: the resources that an instruction reads and writes.
//!
//! What an opcode says ([`Opcode::flow`]) is resolved for one instruction: pairs of registers by
//! their width, constants left out, what a guard makes conditional. The twin of what backends
//! generate.

use crate::interpret::Inst;
use crate::isa::{
    Access, ConstantBits, Entry, Field, FlowItem, FlowPlace, Isa, Meaning, NameId, Opcode,
    RegFileId, SpecialId, Symbol, TypeId, TypeKind,
};

pub use isadl_engine::image_flow::Effect;

/// Something that instructions read and write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Registers of a file, one after another.
    Registers {
        /// The file.
        file: RegFileId,
        /// Number of the first.
        first: u32,
        /// How many.
        count: u32,
    },
    /// One register of the file, or some; the instruction does not say which.
    Unknown {
        /// The file.
        file: RegFileId,
    },
    /// A special register.
    Special(SpecialId),
    /// What a composite operand addresses, such as constant memory.
    Memory {
        /// The type.
        ty: TypeId,
        /// The value.
        raw: u64,
    },
}

/// What an instruction does to one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Use {
    /// The resource.
    pub resource: Resource,
    /// What is done to it.
    pub effect: Effect,
}

/// Whether the guard of an instruction may forbid it.
#[derive(Clone, Copy, PartialEq)]
enum Guarded {
    Yes,
    No,
}

impl Isa {
    /// What an instruction reads and writes, in the order in which its specification says so.
    /// Constants are not read, and what is written to them is lost.
    pub fn flow(&self, inst: Inst) -> Vec<Use> {
        let opcode = self.opcode(inst.opcode);
        let guarded = self.guarded(inst, opcode);
        let mut uses: Vec<Use> = Vec::new();
        let mut add = |resource: Resource, effect: Effect| {
            let found = Use { resource, effect };
            if !uses.contains(&found) {
                uses.push(found);
            }
        };
        for item in &opcode.flow {
            let guarded = if item.is_always { Guarded::No } else { guarded };
            let effect = effect(item, guarded);
            let resources = self.resources(inst, opcode, item);
            resources.into_iter().for_each(|resource| add(resource, effect));
            // The register that numbers another one, or addresses it, is read.
            if let FlowPlace::Indirect { base, .. } = item.place {
                let effect = read(guarded);
                let base = opcode.field(base).and_then(|base| self.of_field(inst, base, None));
                base.into_iter().for_each(|resource| add(resource, effect));
            }
        }
        uses
    }

    /// Whether the instruction may be forbidden by its guard: it has one that is not always true.
    fn guarded(&self, inst: Inst, opcode: &Opcode) -> Guarded {
        let Some(guard) = &opcode.syntax.guard else { return Guarded::No };
        let crate::isa::Place::Field(name) = guard.place(opcode) else { return Guarded::Yes };
        let entry = opcode.field(name).and_then(|field| self.entry(inst, field));
        let is_negated = guard
            .marks
            .iter()
            .any(|mark| mark.symbol == Symbol::Not && self.raw(inst, opcode, mark.field) != 0);
        match entry.map(|(entry, _)| &entry.meaning) {
            Some(Meaning::Constant { bits: ConstantBits::One, .. }) if !is_negated => Guarded::No,
            Some(Meaning::Constant { bits: ConstantBits::Zero, .. }) if is_negated => Guarded::No,
            _ => Guarded::Yes,
        }
    }

    fn raw(&self, inst: Inst, opcode: &Opcode, name: NameId) -> u64 {
        opcode.field(name).map_or(0, |field| field.extract(inst.word))
    }

    fn entry(&self, inst: Inst, field: &Field) -> Option<(&Entry, u64)> {
        self.ty(field.ty).entry(field.extract(inst.word))
    }

    fn resources(&self, inst: Inst, opcode: &Opcode, item: &FlowItem) -> Vec<Resource> {
        match item.place {
            FlowPlace::Field(name) => {
                let width = item.width.map(|width| {
                    self.expr(width)
                        .eval(&|name, reading| self.value(inst, name, reading).unwrap_or(0))
                });
                let field = opcode.field(name);
                field.and_then(|field| self.of_field(inst, field, width)).into_iter().collect()
            }
            FlowPlace::Part { field, part } => {
                let part = opcode.field(field).and_then(|field| self.part(field, part));
                part.and_then(|part| self.of_field(inst, &part, None)).into_iter().collect()
            }
            FlowPlace::File(file) => {
                let count = self.reg_files[file.index()].count;
                vec![Resource::Registers { file, first: 0, count }]
            }
            FlowPlace::Indirect { file, .. } => vec![Resource::Unknown { file }],
            FlowPlace::Mask { field, file } => {
                let raw = self.raw(inst, opcode, field);
                let count = self.reg_files[file.index()].count.min(64);
                let set = (0..count).filter(|bit| raw >> bit & 1 == 1);
                set.map(|first| Resource::Registers { file, first, count: 1 }).collect()
            }
        }
    }

    /// What an operand's field stands for; `None` for a constant. `width` is in bits of data.
    fn of_field(&self, inst: Inst, field: &Field, width: Option<i128>) -> Option<Resource> {
        let (ty, raw) = (field.ty, field.extract(inst.word));
        if let TypeKind::Composite(_) = self.ty(ty).kind {
            return Some(Resource::Memory { ty, raw });
        }
        let (entry, position) = self.entry(inst, field)?;
        let (file, first) = match &entry.meaning {
            Meaning::Registers { file, first, align, .. } => {
                let number = u64::from(*first) + position;
                (*file, (number - number % u64::from(*align)) as u32)
            }
            Meaning::Register { file, number, .. } => (*file, *number),
            Meaning::Special(name) => {
                let id = self.specials.iter().position(|special| special == name)?;
                return Some(Resource::Special(SpecialId(id as u32)));
            }
            Meaning::Constant { .. }
            | Meaning::Nothing(_)
            | Meaning::Integers { .. }
            | Meaning::Float(_)
            | Meaning::Literal => return None,
        };
        let wanted = width.map_or(1, |width| self.registers_in(file, width));
        let count = wanted.min(self.reg_files[file.index()].count.saturating_sub(first)).max(1);
        Some(Resource::Registers { file, first, count })
    }
}

/// What an item does where the instruction may be forbidden by its guard.
fn effect(item: &FlowItem, guarded: Guarded) -> Effect {
    let is_conditional = guarded == Guarded::Yes || item.is_partial;
    match item.access {
        Access::None | Access::Read => read(guarded),
        Access::Write if is_conditional => Effect::ConditionalWrite,
        Access::Write => Effect::Write,
        Access::ReadWrite if is_conditional => Effect::ReadConditionalWrite,
        Access::ReadWrite => Effect::ReadWrite,
    }
}

fn read(guarded: Guarded) -> Effect {
    match guarded {
        Guarded::Yes => Effect::ConditionalRead,
        Guarded::No => Effect::Read,
    }
}

impl Isa {
    /// A resource in words: `GPR[2:3]`, `some GPR`, the name of a special register, memory as its
    /// operand is written.
    pub fn resource_text(&self, resource: Resource) -> String {
        let name = |file: RegFileId| &self.reg_files[file.index()].name;
        match resource {
            Resource::Registers { file, first, count: 1 } => format!("{}[{first}]", name(file)),
            Resource::Registers { file, first, count } => {
                format!("{}[{first}:{}]", name(file), first + count - 1)
            }
            Resource::Unknown { file } => format!("some {}", name(file)),
            Resource::Special(id) => self.specials[id.index()].clone(),
            Resource::Memory { ty, raw } => {
                // Parts of composites are written alike in every instruction.
                let inst = Inst { opcode: crate::isa::OpcodeId(0), word: 0 };
                self.value_text(inst, self.ty(ty), raw)
            }
        }
    }
}
