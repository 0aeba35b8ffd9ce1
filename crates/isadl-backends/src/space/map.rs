//! Opcode maps: the fields that all opcodes of a group fix and that distinguish them.

use std::collections::BTreeMap;

use isadl_ir::isa::{Binding, Bits, Isa, NameId, OpcodeId};

/// The widest field whose values each have a cell.
const MAX_WIDTH: u32 = 16;

/// A field that all opcodes of a group fix, at the same bits.
pub(crate) struct Selector {
    pub(crate) name: NameId,
    pub(crate) bits: Bits,
    /// The opcodes of each value.
    pub(crate) values: BTreeMap<u64, Vec<OpcodeId>>,
}

impl Selector {
    /// The bits that it covers.
    pub(crate) fn mask(&self) -> u128 {
        self.bits.mask()
    }

    fn is_at(&self, other: &Selector) -> bool {
        (self.name, &self.bits) == (other.name, &other.bits)
    }
}

/// The opcodes of a group in one generation. Forms with a literal are left out, because they share the number of the
/// form without one.
pub(crate) fn members(isa: &Isa, group: &str) -> Vec<OpcodeId> {
    let Some(group) = isa.groups().iter().position(|other| other.name == group) else {
        return Vec::new();
    };
    let is_member = |id: &OpcodeId| isa.opcode(*id).groups.iter().any(|g| g.index() == group);
    let is_plain = |id: &OpcodeId| !isa.opcode(*id).has_literal();
    isa.opcode_ids().filter(is_member).filter(is_plain).collect()
}

/// The opcode map of a group in one generation.
pub(crate) struct Map {
    pub(crate) members: Vec<OpcodeId>,
    /// The field of the rows and columns.
    pub(crate) main: Selector,
    /// A field that distinguishes opcodes that the first does not.
    pub(crate) second: Option<Selector>,
}

impl Map {
    /// The map of a group, if a field distinguishes its opcodes.
    pub(crate) fn new(isa: &Isa, group: &str) -> Option<Map> {
        let members = members(isa, group);
        let mut selectors = selectors(isa, &members).into_iter();
        let main = selectors.next()?;
        let splits = |other: &Selector| main.values.values().any(|ids| is_split(ids, other));
        let second = selectors.find(splits);
        Some(Map { members, main, second })
    }

    /// The number of its opcodes.
    pub(crate) fn size(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn has(&self, id: OpcodeId) -> bool {
        self.members.contains(&id)
    }

    /// Its fields.
    pub(crate) fn selectors(&self) -> impl Iterator<Item = &Selector> {
        [&self.main].into_iter().chain(&self.second)
    }

    /// Whether it shows everything that the map of another group shows: it has the other group's opcodes and fields,
    /// and none of its opcodes uses a value that is free in the other group.
    pub(crate) fn tells(&self, isa: &Isa, other: &Map) -> bool {
        let (mask, value) = shared(isa, &other.members);
        let mask = mask & !self.main.mask();
        let shows = |wanted: &Selector| self.selectors().any(|own| own.is_at(wanted));
        let agrees = |id: &OpcodeId| {
            let opcode = isa.opcode(*id);
            (opcode.value ^ value) & mask & opcode.mask == 0
        };
        other.members.iter().all(|id| self.has(*id))
            && other.selectors().all(shows)
            && self.members.iter().all(agrees)
    }
}

/// The fields that distinguish the opcodes, the best field first.
fn selectors(isa: &Isa, members: &[OpcodeId]) -> Vec<Selector> {
    let Some(first) = members.first() else { return Vec::new() };
    let candidates = isa.opcode(*first).encoded();
    let mut selectors: Vec<Selector> = candidates
        .filter_map(|field| {
            let mut values: BTreeMap<u64, Vec<OpcodeId>> = BTreeMap::new();
            for id in members {
                let own = isa.opcode(*id).field(field.name)?;
                let Binding::Fixed(raw) = own.binding else { return None };
                if own.bits != field.bits {
                    return None;
                }
                values.entry(raw).or_default().push(*id);
            }
            let tells = values.len() > 1 && field.width() <= MAX_WIDTH;
            tells.then(|| Selector { name: field.name, bits: field.bits.clone(), values })
        })
        .collect();
    selectors
        .sort_by_key(|selector| (std::cmp::Reverse(selector.values.len()), selector.bits.lsb()));
    selectors
}

/// The bits that all opcodes fix to the same values, and these values.
pub(crate) fn shared(isa: &Isa, members: &[OpcodeId]) -> (u128, u128) {
    let fixed = members.iter().map(|id| (isa.opcode(*id).mask, isa.opcode(*id).value));
    let both = |(mask, value): (u128, u128), (other, bits): (u128, u128)| {
        let mask = mask & other & !(value ^ bits);
        (mask, value & mask)
    };
    fixed.reduce(both).unwrap_or_default()
}

/// Whether the opcodes of a value have several values of the other field.
fn is_split(ids: &[OpcodeId], other: &Selector) -> bool {
    other.values.values().filter(|others| ids.iter().any(|id| others.contains(id))).count() > 1
}
