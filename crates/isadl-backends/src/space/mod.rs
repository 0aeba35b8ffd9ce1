//! The encoding space: for the fields that distinguish the opcodes of a group, the values that are taken, named but
//! unused, or free. Also finds room for new opcodes.
//!
//! The manual has an opcode map (`map.rs`) and a picture of each. Invariant: a word with a free value and with the bits
//! that all opcodes of the group share never has the fixed bits of an opcode of the generation, in any group.

mod map;
mod show;

use isadl_ir::isa::{Bits, Family, Isa, Numbering, Opcode, OpcodeId, TypeKind};

pub(crate) use map::{Map, Selector, members, shared};
pub use show::{SCHEMA, json, svg, text};

/// The maximum number of values of a second field, over all values of the first.
const MAX_SECOND: u64 = 1 << 16;

/// The encoding space of a group, in generations that have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// The generations; empty if there are none.
    pub generations: Vec<String>,
    /// The group.
    pub group: String,
    /// Bits in the shortest opcode of the group.
    pub width: u32,
    /// The numbers of its bits.
    pub numbering: Numbering,
    /// The bits that all opcodes of the group fix at the same values.
    pub mask: u128,
    /// Their values.
    pub value: u128,
    /// The field that distinguishes its opcodes.
    pub field: FieldBits,
    /// All values of the field.
    pub cells: Vec<Cell>,
    /// A second field that distinguishes opcodes with the same value.
    pub second: Option<Second>,
}

/// A further field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Second {
    /// The field.
    pub field: FieldBits,
    /// For each taken value of the first field, all values of this field.
    pub rows: Vec<(u64, Vec<Cell>)>,
}

/// A field and its bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldBits {
    /// Its name.
    pub name: String,
    /// Its bits.
    pub bits: Bits,
    /// The numbers of its bits.
    pub numbering: Numbering,
}

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The value.
    pub value: u64,
    /// Its name in the type of the field.
    pub name: Option<String>,
    /// Whether it can be given to an opcode.
    pub state: State,
    /// The opcodes that have words with it, in any group.
    pub opcodes: Vec<String>,
}

/// Whether a value can be given to an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Opcodes have words with it.
    Taken,
    /// No opcode has, but the type of the field names it.
    Reserved,
    /// No opcode has, and it has no name.
    Free,
}

impl State {
    /// All of them.
    pub const ALL: [State; 3] = [State::Taken, State::Reserved, State::Free];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Taken => "taken",
            State::Reserved => "reserved",
            State::Free => "free",
        }
    }
}

/// Room for a new opcode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The generations in which it is free; empty if there are none.
    pub generations: Vec<String>,
    /// The group.
    pub group: String,
    /// The fields and their values.
    pub fields: Vec<(FieldBits, u64)>,
    /// The numbers of their bits.
    pub numbering: Numbering,
    /// All bits that the opcode would fix.
    pub mask: u128,
    /// Their values.
    pub value: u128,
    /// The bits that are left for operands.
    pub bits: u32,
}

/// The encoding space of every group whose opcodes differ in a field.
pub fn spaces(family: &Family) -> Vec<Space> {
    let mut spaces: Vec<Space> = Vec::new();
    for isa in family.isas() {
        for group in isa.groups() {
            let Some(map) = Map::new(isa, &group.name) else { continue };
            let space = space(isa, &group.name, &map);
            let is_alike = |known: &&mut Space| {
                **known == Space { generations: known.generations.clone(), ..space.clone() }
            };
            match spaces.iter_mut().find(is_alike) {
                Some(known) => known.generations.extend(space.generations),
                None => spaces.push(space),
            }
        }
    }
    spaces
}

impl Space {
    /// The number of values in a state.
    pub fn count(&self, state: State) -> usize {
        show::count(&self.cells, state)
    }

    /// The values in a state, as first and last of each range.
    pub(crate) fn ranges(&self, state: State) -> Vec<(u64, u64)> {
        show::runs(&self.cells, state)
    }
}

/// The encoding space of a group, by its opcode map.
pub(crate) fn space(isa: &Isa, group: &str, map: &Map) -> Space {
    let (mask, value) = shared(isa, &map.members);
    let widths = map.members.iter().map(|id| isa.opcode(*id).width);
    let width = widths.min().unwrap_or(isa.width());
    // New opcodes do not share a value of the map's fields.
    let mask = mask & !map.main.mask();
    let scan = Scan { isa, mask, value: value & mask };
    let cells = scan.cells(&map.main);
    let taken = cells.iter().filter(|cell| cell.state == State::Taken).count() as u64;
    let fits = |second: &&Selector| taken << second.bits.width() <= MAX_SECOND;
    let second = map.second.as_ref().filter(fits).map(|second| Second {
        field: place(isa, second, width),
        rows: cells
            .iter()
            .filter(|cell| cell.state == State::Taken)
            .map(|cell| (cell.value, scan.with(&map.main, cell.value).cells(second)))
            .collect(),
    });
    Space {
        generations: isa.generation_names(isa.describes()).map(str::to_string).collect(),
        group: group.to_string(),
        width,
        numbering: isa.word_layout().numbering(width),
        mask,
        value: value & mask,
        field: place(isa, &map.main, width),
        cells,
        second,
    }
}

fn place(isa: &Isa, selector: &Selector, width: u32) -> FieldBits {
    FieldBits {
        name: isa.name_of(selector.name).to_string(),
        bits: selector.bits.clone(),
        numbering: isa.word_layout().numbering(width),
    }
}

/// The words with some fixed bits.
struct Scan<'i> {
    isa: &'i Isa,
    mask: u128,
    value: u128,
}

impl<'i> Scan<'i> {
    /// The words of the scan in which a field has a value.
    fn with(&self, selector: &Selector, raw: u64) -> Scan<'i> {
        let mask = self.mask | selector.mask();
        let own = selector.bits.place(raw);
        Scan { isa: self.isa, mask, value: self.value & !selector.mask() | own }
    }

    /// The opcodes that have some of the words.
    fn opcodes(&self) -> Vec<OpcodeId> {
        let has = |opcode: &Opcode| {
            let within = self.mask & opcode.mask;
            (opcode.value ^ self.value) & within == 0
        };
        self.isa.opcode_ids().filter(|id| has(self.isa.opcode(*id))).collect()
    }

    fn cells(&self, selector: &Selector) -> Vec<Cell> {
        let first = selector.values.values().flatten().next();
        let field = first.and_then(|id| self.isa.opcode(*id).field(selector.name));
        let name = |raw: u64| {
            let ty = self.isa.ty(field?.ty);
            match ty.kind {
                TypeKind::BitField(_) => ty.enumerator(raw).map(|value| value.name.clone()),
                _ => None,
            }
        };
        let cell = |value: u64| {
            let ids = self.with(selector, value).opcodes();
            let mut opcodes: Vec<String> =
                ids.iter().map(|id| self.isa.opcode(*id).name.clone()).collect();
            opcodes.dedup();
            let name = name(value);
            let state = match (opcodes.is_empty(), &name) {
                (false, _) => State::Taken,
                (true, Some(_)) => State::Reserved,
                (true, None) => State::Free,
            };
            Cell { value, name, state, opcodes }
        };
        (0..1_u64 << selector.bits.width()).map(cell).collect()
    }
}

impl FieldBits {
    fn mask(&self) -> u128 {
        self.bits.mask()
    }
}

/// The free values that leave at least `bits` bits for operands, the most bits first. If a group and its parents have
/// the same free words, only one of them proposes them.
pub fn proposals(spaces: &[Space], bits: u32) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    for space in spaces {
        let is_free = |cell: &&Cell| cell.state == State::Free;
        let base = |fields: Vec<(FieldBits, u64)>| {
            let mask = fields.iter().fold(space.mask, |mask, (place, _)| mask | place.mask());
            let value = fields.iter().fold(space.value, |value, (place, raw)| {
                value & !place.mask() | place.bits.place(*raw)
            });
            Proposal {
                generations: space.generations.clone(),
                group: space.group.clone(),
                bits: space.width - space.numbering.numbers(mask).count_ones(),
                fields,
                numbering: space.numbering,
                mask,
                value,
            }
        };
        let of_first = space.cells.iter().filter(is_free);
        let mut found: Vec<Proposal> =
            of_first.map(|cell| base(vec![(space.field.clone(), cell.value)])).collect();
        if let Some(second) = &space.second {
            for (raw, cells) in &second.rows {
                found.extend(cells.iter().filter(is_free).map(|cell| {
                    let first = (space.field.clone(), *raw);
                    base(vec![first, (second.field.clone(), cell.value)])
                }));
            }
        }
        for proposal in found.into_iter().filter(|proposal| proposal.bits >= bits) {
            let is_known = |known: &Proposal| {
                (known.mask, known.value, &known.generations)
                    == (proposal.mask, proposal.value, &proposal.generations)
            };
            if !proposals.iter().any(is_known) {
                proposals.push(proposal);
            }
        }
    }
    proposals.sort_by_key(|proposal| std::cmp::Reverse(proposal.bits));
    proposals
}
