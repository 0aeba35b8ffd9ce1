//! Relaxation of out-of-range branches: the inverse branch skips a jump to the target.

use isadl_engine::decode::RowId;
use isadl_engine::image_control::UNNAMED;
use isadl_engine::names::{self, MAX_FIXUPS};
use isadl_engine::relocation;

use crate::isa::{Opcode, OpcodeId, Relaxation};

use super::named::Assembled;
use super::{Engine, Inst, TextOptions};

/// Why a relaxation is not possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRelaxable {
    /// The faulty part of the statement: an opcode (0 or 1), or the jump (2).
    pub part: usize,
    /// The message.
    pub message: String,
}

/// The relaxation of one branch.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// The branch on the opposite condition.
    over: OpcodeId,
    /// The distance field of both branches.
    distance: (u16, u8),
    jump: Inst,
    /// The distance field of the jump.
    place: (u16, u8),
    /// The relocation of the jump's distance field.
    relocation: Option<u32>,
}

/// The relaxations of all branches that have one.
#[derive(Debug)]
pub struct Relaxations {
    of: Vec<Option<Way>>,
}

impl Relaxations {
    /// Whether the instructions of an opcode can be relaxed.
    pub fn has(&self, opcode: OpcodeId) -> bool {
        self.of[opcode.index()].is_some()
    }

    /// Returns the inverse branch over the jump, and the jump with its unknown distance field.
    pub fn take(&self, engine: &Engine<'_>, assembled: &Assembled) -> Option<(Inst, Assembled)> {
        let inst = assembled.inst;
        let way = self.of[inst.opcode.index()]?;
        let [fixup] = &assembled.fixups[..assembled.count] else { return None };
        if fixup.field != way.distance {
            return None;
        }
        let over = way.over(engine, inst)?;
        let mut fixups = [*fixup; MAX_FIXUPS];
        fixups[0] = names::Fixup { relocation: way.relocation, field: way.place, ..*fixup };
        Some((over, Assembled { inst: way.jump, fixups, count: 1 }))
    }

    /// Returns the inverse branch over the jump, and the jump, whose target is not its own yet, in place of a branch.
    pub fn detour(&self, engine: &Engine<'_>, inst: Inst) -> Option<(Inst, Inst)> {
        let way = self.of[inst.opcode.index()]?;
        Some((way.over(engine, inst)?, way.jump))
    }
}

impl Way {
    /// The branch on the opposite condition, which skips the jump.
    fn over(&self, engine: &Engine<'_>, inst: Inst) -> Option<Inst> {
        let (own, other) = (engine.isa().opcode(inst.opcode), engine.isa().opcode(self.over));
        let over = Inst { opcode: self.over, word: inst.word & !own.mask | other.value };
        engine.shortest_over(over, self)
    }
}

impl Engine<'_> {
    /// Collects the relaxations of all branches.
    pub fn relaxations(&self) -> Relaxations {
        let isa = self.isa();
        let mut of = vec![None; isa.opcodes().len()];
        for relaxation in &isa.elf().relaxations {
            for (opcode, way) in self.ways(relaxation).into_iter().flatten() {
                of[opcode.index()] = Some(way);
            }
        }
        Relaxations { of }
    }

    /// Returns the fault of a relaxation; `None` if this generation does not have its opcodes.
    pub fn relaxation_fault(&self, relaxation: &Relaxation) -> Option<NotRelaxable> {
        self.ways(relaxation).err()
    }

    fn ways(&self, relaxation: &Relaxation) -> Result<Vec<(OpcodeId, Way)>, NotRelaxable> {
        let isa = self.isa();
        let found = relaxation.opcodes.each_ref().map(|name| {
            let is_it = |id: &OpcodeId| {
                let opcode = isa.opcode(*id);
                opcode.name == *name && !opcode.has_literal()
            };
            isa.opcode_ids().find(is_it)
        });
        let [Some(one), Some(other)] = found else { return Ok(Vec::new()) };
        let fault = |part: usize, message: String| NotRelaxable { part, message };
        let place = |id: OpcodeId| relocation::first_distance(&self.image, self.row(id));
        let missing = |part: usize, id: OpcodeId| {
            fault(part, format!("`{}` has no distance", isa.opcode(id).name))
        };
        let distance = place(one).ok_or_else(|| missing(0, one))?;
        place(other).ok_or_else(|| missing(1, other))?;
        if !is_alike(isa.opcode(one), isa.opcode(other)) {
            let [one, other] = &relaxation.opcodes;
            return Err(fault(1, format!("`{other}` does not have the fields of `{one}`")));
        }
        let near = relocation::reach(&self.image, self.row(one), distance);
        let (jump, place) = self.jump(relaxation, near)?;
        let relocation = self.unnamed(self.row(jump.opcode));
        let way = |over| Way { over, distance, jump, place, relocation };
        Ok(vec![(one, way(other)), (other, way(one))])
    }

    /// The jump and its distance field, if the jump reaches farther than the branches.
    fn jump(
        &self,
        relaxation: &Relaxation,
        near: Option<(i128, i128)>,
    ) -> Result<(Inst, (u16, u8)), NotRelaxable> {
        let fault = |message: String| NotRelaxable { part: 2, message };
        let jump = self
            .assemble_with(&relaxation.jump, TextOptions::PLAIN)
            .map_err(|error| fault(error.message))?;
        let row = self.row(jump.opcode);
        let place = relocation::first_distance(&self.image, row);
        let far = place.and_then(|place| relocation::reach(&self.image, row, place));
        let is_farther = near.zip(far).is_some_and(|(near, far)| far.0 < near.0 && far.1 > near.1);
        place.filter(|_| is_farther).map(|place| (jump, place)).ok_or_else(|| {
            fault(format!("`{}` does not reach farther than the branches", relaxation.jump))
        })
    }

    pub(super) fn row(&self, id: OpcodeId) -> RowId {
        self.tables.row_of[id.index()]
    }

    /// The relocation of operands of a row that are addresses.
    fn unnamed(&self, row: RowId) -> Option<u32> {
        let control = &self.image.control;
        let own = relocation::relocations(&self.image, row).find(|(_, one)| one.form == UNNAMED)?.1;
        let at = control.relocations.iter().position(|one| std::ptr::eq(one, own))?;
        Some(at as u32)
    }

    /// A branch to the instruction after the jump that follows it, in its shortest encoding.
    fn shortest_over(&self, over: Inst, way: &Way) -> Option<Inst> {
        let jump = self.bytes_of(way.jump);
        let to = |length: usize| {
            let place = ((length + jump) as u64, 0);
            let row = self.row(over.opcode);
            let word = relocation::set_distance(&self.image, (row, over.word), way.distance, place)
                .ok()?;
            Some(Inst { word, ..over })
        };
        let long = to(self.bytes_of(over))?;
        let length = self.bytes_of(self.shortest(long));
        let short = self.shortest(to(length)?);
        Some(if self.bytes_of(short) == length { short } else { long })
    }
}

/// Whether two opcodes have the same fields at the same places.
fn is_alike(one: &Opcode, other: &Opcode) -> bool {
    let has_same = one
        .fields
        .iter()
        .zip(&other.fields)
        .all(|(a, b)| (a.name, &a.bits, a.ty) == (b.name, &b.bits, b.ty));
    one.width == other.width
        && one.mask == other.mask
        && one.fields.len() == other.fields.len()
        && has_same
}
