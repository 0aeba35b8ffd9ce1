//! Derives undeclared data flow and flow of control from the program.

use std::collections::BTreeMap;

use isadl_ir::isa::{
    Access, DataFlow, DerivedItem, Expr as FieldExpr, FlowControl, FlowPlace, NameId, Operand,
    OperandLocation, RegFileId, TypeKind,
};

use super::Comparison;
use crate::condition::any_of;
use crate::condition::{When, both, either, negated};
use crate::effects::{Effect, Resource};

/// Accesses to memory at an operand: when each happens, and its width.
type Accesses<'e> = Vec<(&'e When, u32)>;

impl Comparison<'_, '_> {
    /// Whether the flow of control is derived, too.
    pub(super) fn has_derived_classes(&self) -> bool {
        self.is_derived && self.opcode.classes.is_empty()
    }

    /// The data flow and flow of control of the program.
    pub(crate) fn data_flow(&self) -> DataFlow {
        let mut items = self.registers();
        let operands = self.opcode.operands.iter();
        let operands = operands.map(|operand| (operand.place, self.access(operand, &items)));
        let operands = operands.filter(|(_, access)| *access != Access::None).collect();
        items.extend(self.places_in_memory());
        DataFlow { items, operands, classes: self.has_derived_classes().then(|| self.classes()) }
    }

    /// The words in which something happens: a condition, or all of them. `None` if there are none.
    fn words(&self, happens: Option<FieldExpr>) -> Option<Option<FieldExpr>> {
        let Some(condition) = happens else { return Some(None) };
        if self.is_always(&condition) {
            return Some(None);
        }
        self.word(&condition).map(|_| Some(condition))
    }

    // ---- registers

    /// The reads and writes of registers: of operands, in their order, and then of others.
    fn registers(&self) -> Vec<DerivedItem> {
        let mut places: Vec<FlowPlace> = self
            .effects
            .accesses
            .iter()
            .filter_map(|effect| self.place(&effect.resource))
            .collect();
        places.sort_by_key(|place| (self.position(*place), *place));
        places.dedup();
        places.into_iter().flat_map(|place| self.accesses(place)).collect()
    }

    /// Where an operand is in the order of the text; others follow.
    fn position(&self, place: FlowPlace) -> usize {
        let field = match place {
            FlowPlace::Field(field) | FlowPlace::Part { field, .. } => field,
            _ => return usize::MAX,
        };
        let is_it = |operand: &Operand| match operand.place {
            OperandLocation::Field(name) => {
                let parts = self.opcode.composite_operand(name).map(|view| view.parts.as_slice());
                name == field || parts.is_some_and(|parts| parts.contains(&field))
            }
            _ => false,
        };
        self.opcode.operands.iter().position(is_it).unwrap_or(usize::MAX - 1)
    }

    fn place(&self, resource: &Resource) -> Option<FlowPlace> {
        if self.is_constant(resource) {
            return None;
        }
        match resource {
            Resource::Operand { field, part: None } => Some(FlowPlace::Field(*field)),
            Resource::Operand { field, part: Some(part) } => {
                Some(FlowPlace::Part { field: *field, part: *part })
            }
            Resource::Register { file, number } => {
                let count = self.isa.reg_files()[file.index()].count;
                Some(match number.filter(|_| count > 1) {
                    Some(number) => FlowPlace::Register { file: *file, number },
                    None => self.indirect(*file).unwrap_or(FlowPlace::File(*file)),
                })
            }
            Resource::State(_) | Resource::Value(_) | Resource::Memory { .. } => None,
        }
    }

    /// The operand for registers of a file whose numbers are computed.
    fn indirect(&self, file: RegFileId) -> Option<FlowPlace> {
        self.opcode.operands.iter().find_map(|operand| match operand.place {
            OperandLocation::Indirect { file: own, base, .. } if own == file => {
                Some(FlowPlace::Indirect { file, base })
            }
            _ => None,
        })
    }

    /// The reads and writes of one place.
    fn accesses(&self, place: FlowPlace) -> Vec<DerivedItem> {
        let of = |is_write: bool| {
            let accesses = self.effects.accesses.iter();
            accesses.filter(move |effect| {
                effect.is_write == is_write && self.place(&effect.resource) == Some(place)
            })
        };
        let words = |is_write: bool| {
            of(is_write).next()?;
            self.words(any_of(of(is_write).map(|effect| &effect.when)))
        };
        let is_partial = of(true).all(|effect| effect.is_partial);
        let item = |access: Access, condition: Option<FieldExpr>| DerivedItem {
            place,
            access,
            width: None,
            is_partial: is_partial && access != Access::Read,
            condition,
        };
        match (words(false), words(true)) {
            // A read and a write in the same words are one entry.
            (Some(read), Some(written)) if self.are_same(&read, &written) => {
                vec![item(Access::ReadWrite, read)]
            }
            (read, written) => {
                let read = read.map(|condition| item(Access::Read, condition));
                let written = written.map(|condition| item(Access::Write, condition));
                read.into_iter().chain(written).collect()
            }
        }
    }

    /// Whether two conditions hold for the same words.
    fn are_same(&self, a: &Option<FieldExpr>, b: &Option<FieldExpr>) -> bool {
        let differ = |a: &FieldExpr, b: &FieldExpr| both(a.clone(), negated(b.clone()));
        match (a, b) {
            _ if a == b => true,
            (Some(a), Some(b)) => self.is_always(&negated(either(differ(a, b), differ(b, a)))),
            _ => false,
        }
    }

    /// Whether an operand is read or written in every word.
    fn access(&self, operand: &Operand, items: &[DerivedItem]) -> Access {
        let place = match operand.place {
            OperandLocation::Field(name) => FlowPlace::Field(name),
            OperandLocation::File(file) => FlowPlace::File(file),
            OperandLocation::Indirect { file, base, .. } => FlowPlace::Indirect { file, base },
        };
        let is_number = |name: NameId| {
            let field = self.opcode.field(name);
            field.is_some_and(|field| matches!(self.isa.ty(field.ty).kind, TypeKind::Immediate(_)))
        };
        if let FlowPlace::Field(name) = place
            && is_number(name)
        {
            let is_it = |effect: &Effect| effect.resource == Resource::Value(name);
            let is_used = self.effects.accesses.iter().any(is_it);
            return if is_used { Access::Read } else { Access::None };
        }
        let own = |item: &&DerivedItem| item.place == place && item.condition.is_none();
        let own: Vec<Access> = items.iter().filter(own).map(|item| item.access).collect();
        match own.as_slice() {
            [] => Access::None,
            [access] => *access,
            _ => Access::ReadWrite,
        }
    }

    // ---- memory

    /// The places in memory that operands give.
    fn places_in_memory(&self) -> Vec<DerivedItem> {
        let mut found: BTreeMap<(usize, NameId), [Accesses<'_>; 2]> = BTreeMap::new();
        for effect in &self.effects.accesses {
            let Resource::Memory { width, address, .. } = &effect.resource else { continue };
            let Some(operand) = self.operand_of(address) else { continue };
            let position = self.position(FlowPlace::Field(operand));
            let all = found.entry((position, operand)).or_default();
            all[usize::from(effect.is_write)].push((&effect.when, *width));
        }
        let mut items = Vec::new();
        for ((_, operand), [loads, stores]) in found {
            let (loads, stores) = (self.summed(loads), self.summed(stores));
            let item = |access: Access, (width, condition): (u32, Option<FieldExpr>)| DerivedItem {
                place: FlowPlace::Field(operand),
                access,
                width: Some(width),
                is_partial: false,
                condition,
            };
            let in_both = |place: &&(u32, Option<FieldExpr>)| stores.contains(place);
            for place in &loads {
                let access = if in_both(&place) { Access::ReadWrite } else { Access::Read };
                items.push(item(access, place.clone()));
            }
            let only = stores.iter().filter(|place| !loads.contains(place));
            items.extend(only.map(|place| item(Access::Write, place.clone())));
        }
        items
    }

    /// Accesses that happen together are one, as wide as all of them.
    fn summed(&self, accesses: Accesses<'_>) -> Vec<(u32, Option<FieldExpr>)> {
        let mut sums: Vec<(&When, u32)> = Vec::new();
        for (when, width) in accesses {
            match sums.iter_mut().find(|(known, _)| *known == when) {
                Some((_, sum)) => *sum += width,
                None => sums.push((when, width)),
            }
        }
        let with_words = |(when, width): (&When, u32)| {
            self.words(when.necessary.clone()).map(|condition| (width, condition))
        };
        let mut found: Vec<(u32, Option<FieldExpr>)> =
            sums.into_iter().filter_map(with_words).collect();
        // Whether one of several accesses of a width happens may depend on registers.
        found.dedup();
        found
    }

    /// The operand that gives an address: the one with the most of the fields that the address is computed of.
    fn operand_of(&self, address: &[NameId]) -> Option<NameId> {
        let views = self.opcode.composite_operands.iter();
        let views = views.filter(|view| view.value.is_none());
        let views = views.map(|view| (view.name, view.parts.clone()));
        let fields = self
            .opcode
            .encoded()
            .filter(|field| matches!(self.isa.ty(field.ty).kind, TypeKind::Composite(_)));
        let fields = fields.map(|field| (field.name, vec![field.name]));
        let candidates: Vec<(NameId, Vec<NameId>)> = views.chain(fields).collect();
        let shared = |parts: &[NameId]| parts.iter().filter(|part| address.contains(part)).count();
        let best = candidates.iter().rev().max_by_key(|(_, parts)| shared(parts))?;
        let is_it = match address {
            // An address without fields belongs to the only operand without fields.
            [] => candidates.len() == 1 && best.1.is_empty(),
            _ => shared(&best.1) > 0,
        };
        is_it.then_some(best.0)
    }

    // ---- flow of control

    /// The classes of the jumps and traps.
    fn classes(&self) -> Vec<(FlowControl, Option<FieldExpr>)> {
        let jumps = self.effects.jumps.iter().map(|jump| {
            let class = match (jump.is_direct, jump.when.is_certain) {
                (true, true) => FlowControl::Branch,
                (true, false) => FlowControl::Conditional,
                (false, _) => FlowControl::Indirect,
            };
            (class, &jump.when)
        });
        let traps = self.effects.traps.iter().filter(|when| when.is_certain);
        let traps = traps.map(|when| (FlowControl::Trap, when));
        let mut found: Vec<(FlowControl, Option<FieldExpr>)> = Vec::new();
        for (class, when) in traps.chain(jumps) {
            let Some(condition) = self.words(when.necessary.clone()) else { continue };
            if found.iter().any(|(_, known)| known.is_none()) {
                break;
            }
            if !found.contains(&(class, condition.clone())) {
                found.push((class, condition));
            }
        }
        found
    }
}
