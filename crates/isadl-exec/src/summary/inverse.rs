//! The branch on the opposite condition: found by what programs do, not by a list.

use isadl::isa::{Inst, Opcode, TypeKind};

use super::build;
use super::terms::Terms;
use crate::spec::Spec;

/// The most values of a field that are tried.
const MOST_VALUES: u64 = 32;

impl Spec {
    /// The instruction with the same operands that jumps to the same target exactly if a conditional branch does not, and does everything else
    /// alike. It differs in the opcode, or in one field without operands of registers, such as a condition. `None` if there is none.
    pub fn inverted(&self, inst: Inst) -> Option<Inst> {
        let own = self.isa().opcode(inst.opcode);
        self.candidates(inst, own).find(|other| self.are_opposites(inst, *other))
    }

    /// Instructions that may be the opposite of another.
    fn candidates<'c>(&'c self, inst: Inst, own: &'c Opcode) -> impl Iterator<Item = Inst> + 'c {
        let isa = self.isa();
        let opcodes = isa.opcode_ids().filter(move |id| {
            let other = isa.opcode(*id);
            *id != inst.opcode && (other.mask, other.width) == (own.mask, own.width)
        });
        let opcodes = opcodes
            .map(move |id| Inst { opcode: id, word: inst.word & !own.mask | isa.opcode(id).value });
        let fields = own.fields.iter().filter(|field| field.mask() & own.mask == 0);
        let chosen = fields.filter(|field| matches!(isa.ty(field.ty).kind, TypeKind::BitField(_)));
        let values = chosen.flat_map(move |field| {
            let count = 1u64 << field.width().min(63);
            (0..count.min(MOST_VALUES))
                .map(move |raw| Inst { word: field.insert(inst.word, raw), ..inst })
        });
        let is_legal =
            move |other: &Inst| *other != inst && self.engine().decode(other.word) == Ok(*other);
        opcodes.chain(values).filter(is_legal)
    }

    /// Whether one of two instructions jumps exactly if the other does not.
    fn are_opposites(&self, one: Inst, other: Inst) -> bool {
        let mut terms = Terms::default();
        let mut both = Vec::new();
        for inst in [one, other] {
            let Some((_, code)) = self.code(inst) else { return false };
            let summary = build::summary(self.isa(), self.extensions(), code, (inst, 0), terms);
            terms = summary.terms.clone();
            both.push(summary);
        }
        let [one, other] = both.as_slice() else { return false };
        let ([own], [opposite]) = (one.jumps(), other.jumps()) else { return false };
        let is_conditional = terms.value_of(own.condition).is_none();
        is_conditional
            && terms.not(own.condition) == opposite.condition
            && own.target == opposite.target
            && [one, other].iter().all(|summary| summary.is_complete())
            && one.writes() == other.writes()
            && one.accesses() == other.accesses()
            && one.stops() == other.stops()
    }
}
