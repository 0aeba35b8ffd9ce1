//! The programs of a whole instruction set.

use std::collections::BTreeMap;

use isadl_ir::isa::{Isa, NameId, Opcode, OpcodeId};

use super::{Code, Op, Place, Region, Step, build};
use crate::checked::Checked;
use crate::program::Lanes;

/// The programs of an instruction set in the intermediate representation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Programs {
    /// The names of the memories, in order of declaration.
    pub memories: Vec<String>,
    /// The lanes that do each instruction together, if there are several.
    pub lanes: Option<Lanes>,
    /// The programs of each opcode, in the order of [`Isa::opcodes`]; none if it has no text.
    pub opcodes: Vec<Vec<Instance>>,
}

/// The program of an opcode for one choice of the fields that decide widths.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Instance {
    /// The bits of these fields, beyond those that the opcode fixes.
    pub chosen: BTreeMap<NameId, u64>,
    /// The program.
    pub code: Code,
}

impl Programs {
    /// The checked programs of an instruction set, all of them built.
    pub fn of(isa: &Isa, checked: &Checked) -> Programs {
        let all = (0..isa.opcodes().len()).map(OpcodeId::new);
        Programs {
            memories: checked.memories.clone(),
            lanes: checked.lanes().cloned(),
            opcodes: all.map(|id| instances(isa, checked, id)).collect(),
        }
    }
}

/// The most lanes whose numbers fit in a mask.
const MAX_LANES: u32 = 64;

impl Programs {
    /// Checks programs that were read from a file against their instruction set.
    ///
    /// # Errors
    ///
    /// The first opcode whose program is not one of it, and why.
    pub fn verify(&self, isa: &Isa) -> Result<(), String> {
        if self.opcodes.len() != isa.opcodes().len() {
            return Err("not one list for each opcode".to_string());
        }
        let knows = |lanes: &Lanes| {
            (1..=MAX_LANES).contains(&lanes.count)
                && lanes.files.iter().all(|file| file.index() < isa.reg_files().len())
        };
        if !self.lanes.iter().all(knows) {
            return Err("lanes of an unknown register file".to_string());
        }
        for (opcode, instances) in isa.opcodes().iter().zip(&self.opcodes) {
            for instance in instances {
                let fault = |what: &str| format!("the program of {}: {what}", opcode.name);
                instance.code.verify().map_err(|error| fault(&error.to_string()))?;
                let memories = self.memories.len();
                if !(Context { isa, opcode, memories }).knows(instance) {
                    return Err(fault("a field, register file or memory that it does not have"));
                }
            }
        }
        Ok(())
    }
}

/// What the names in a program are numbers of.
struct Context<'i> {
    isa: &'i Isa,
    opcode: &'i Opcode,
    memories: usize,
}

impl Context<'_> {
    fn knows(&self, instance: &Instance) -> bool {
        let mut fields = instance.chosen.keys();
        fields.all(|name| self.opcode.field(*name).is_some())
            && instance.code.values.iter().all(|value| self.knows_op(&value.op))
            && self.knows_region(&instance.code.body)
    }

    fn knows_op(&self, op: &Op) -> bool {
        match op {
            Op::Field(name) | Op::FieldBits(name) => self.opcode.field(*name).is_some(),
            Op::Read(place) => self.knows_place(place),
            Op::Load { memory, .. } | Op::StoreConditional { memory, .. } => {
                *memory < self.memories
            }
            _ => true,
        }
    }

    fn knows_place(&self, place: &Place) -> bool {
        match place {
            Place::Operand { field, part, .. } => {
                let field = self.opcode.field(*field);
                let has =
                    |part: usize| field.is_some_and(|field| self.isa.part(field, part).is_some());
                field.is_some() && part.is_none_or(has)
            }
            Place::State(_) => true,
            Place::Register { file, .. } => file.index() < self.isa.reg_files().len(),
            Place::Group { field, .. } => self.opcode.field(*field).is_some(),
            Place::OfLane { place, .. } => self.knows_place(place),
        }
    }

    fn knows_region(&self, region: &Region) -> bool {
        region.steps.iter().all(|step| match step {
            Step::Write { place, .. } => self.knows_place(place),
            Step::Store { memory, .. } => *memory < self.memories,
            Step::If { yes, no, .. } => self.knows_region(yes) && self.knows_region(no),
            Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => {
                self.knows_region(body)
            }
            _ => true,
        })
    }
}

/// The programs of one opcode of an instruction set.
pub fn instances(isa: &Isa, checked: &Checked, id: OpcodeId) -> Vec<Instance> {
    let of = |one: &crate::checked::Instance| Instance {
        chosen: one.chosen.clone(),
        code: build(isa, isa.opcode(id), &one.program),
    };
    checked.opcodes.get(id.index()).into_iter().flatten().map(of).collect()
}
