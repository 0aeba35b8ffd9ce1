//! Opcode maps: the used and free values of the fixed fields of a group.

use std::collections::{BTreeMap, BTreeSet};

use isadl::isa::{Binding, Bits, Isa, NameId, OpcodeId, TypeKind};

use super::book::Book;
use super::pages::Kind;
use super::text::{Table, code};

/// The widest field whose values each have a cell.
const MAX_WIDTH: u32 = 16;

/// The maximum number of operations of other groups in a cell.
const MAX_OTHERS: usize = 2;

/// The number of cells in a row, for short names and for long ones.
const COLUMNS: [(usize, u64); 3] = [(8, 16), (14, 8), (usize::MAX, 4)];

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

    /// Its name and bits.
    fn title(&self, isa: &Isa) -> String {
        format!("{} {}", code(isa.name_of(self.name)), self.bits)
    }
}

/// The opcodes of a group in one generation, without forms with a literal, which share the number of
/// the form without.
pub(super) fn members(isa: &Isa, group: &str) -> Vec<OpcodeId> {
    let Some(group) = isa.groups().iter().position(|other| other.name == group) else {
        return Vec::new();
    };
    let is_member = |id: &OpcodeId| isa.opcode(*id).groups.iter().any(|g| g.index() == group);
    let is_plain = |id: &OpcodeId| isa.opcode(*id).literal.is_none();
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
    pub(super) fn size(&self) -> usize {
        self.members.len()
    }

    pub(super) fn has(&self, id: OpcodeId) -> bool {
        self.members.contains(&id)
    }

    fn selectors(&self) -> impl Iterator<Item = &Selector> {
        [&self.main].into_iter().chain(&self.second)
    }

    /// The fields that it shows.
    pub(super) fn fields(&self, isa: &Isa) -> String {
        self.selectors().map(|selector| selector.title(isa)).collect::<Vec<_>>().join(", ")
    }

    /// Whether it shows everything that the map of another group does: it has those opcodes and
    /// fields, and none of its opcodes uses a value that is free in the other group.
    pub(super) fn tells(&self, isa: &Isa, other: &Map) -> bool {
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

    /// The map as tables.
    pub(super) fn text(&self, book: &Book<'_>, isa: &Isa, page: &str) -> String {
        let others = others(isa, &self.members, &self.main);
        let mut text = grid(book, isa, (&self.main, &others), page);
        if let Some(second) = &self.second {
            text += &matrix(book, isa, (&self.main, second), page);
        }
        text
    }
}

/// The fields that distinguish the opcodes, the best one first.
fn selectors(isa: &Isa, members: &[OpcodeId]) -> Vec<Selector> {
    let Some(first) = members.first() else { return Vec::new() };
    let candidates = isa.opcode(*first).fields.iter();
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

/// The opcodes outside the group that have words with the fixed bits shared by all its members,
/// by the value of the field.
fn others(isa: &Isa, members: &[OpcodeId], selector: &Selector) -> BTreeMap<u64, Vec<OpcodeId>> {
    let (mask, value) = shared(isa, members);
    let field = selector.mask();
    let mask = mask & !field;
    let mut others: BTreeMap<u64, Vec<OpcodeId>> = BTreeMap::new();
    for id in isa.opcode_ids().filter(|id| !members.contains(id)) {
        let opcode = isa.opcode(id);
        let is_apart = opcode.literal.is_some() || (opcode.value ^ value) & mask & opcode.mask != 0;
        // An opcode that leaves bits of the field open does not belong to a single cell.
        if !is_apart && opcode.mask & field == field {
            let raw = selector.bits.extract(opcode.value);
            others.entry(raw).or_default().push(id);
        }
    }
    others
}

/// Whether the opcodes of one value have several values of the other field.
fn is_split(ids: &[OpcodeId], other: &Selector) -> bool {
    other.values.values().filter(|others| ids.iter().any(|id| others.contains(id))).count() > 1
}

/// All values of a field in rows of cells; empty rows are only in the list of free values.
fn grid(
    book: &Book<'_>,
    isa: &Isa,
    (selector, others): (&Selector, &BTreeMap<u64, Vec<OpcodeId>>),
    page: &str,
) -> String {
    let count = 1_u64 << selector.bits.width();
    let longest = selector.values.values().flat_map(|ids| names(isa, ids)).map(str::len).max();
    let longest = longest.unwrap_or(0);
    let columns = COLUMNS.iter().find(|(length, _)| longest <= *length).map_or(4, |(_, n)| *n);
    let columns = columns.min(count);
    let mut head = vec![selector.title(isa)];
    head.extend((0..columns).map(|column| format!("+{column:x}")));
    let mut table = Table::new(&head);
    for row in 0..count / columns {
        let start = row * columns;
        let is_used = selector.values.range(start..start + columns).next().is_some();
        if !is_used {
            continue;
        }
        let mut cells = vec![format!("**0x{start:02x}**")];
        cells.extend((start..start + columns).map(|raw| {
            let ids = selector.values.get(&raw).map_or(&[][..], Vec::as_slice);
            let link = |name| book.link(Kind::Optype, name, page);
            if let Some(taken) = others.get(&raw).filter(|_| ids.is_empty()) {
                let links = names(isa, taken).into_iter().map(|name| format!("*{}*", link(name)));
                return links.take(MAX_OTHERS).collect::<Vec<_>>().join(", ");
            }
            let links = names(isa, ids).into_iter().map(link);
            links.collect::<Vec<_>>().join(", ")
        }));
        table.row(cells);
    }
    let mut taken: BTreeSet<u64> = selector.values.keys().copied().collect();
    let own = taken.len();
    taken.extend(others.keys());
    let free = free(&taken, count);
    let used = taken.len() as u64;
    let note = match free.is_empty() {
        true => "No value is free.".to_string(),
        false if isa.is_part() => format!(
            "{used} of {count} values are used here; other groups, which may use more, are not in \
             this manual."
        ),
        false => format!("{} of {count} values are free: {free}.", count - used),
    };
    let others = match taken.len() > own {
        true => " Operations in *italics* belong to other groups.",
        false => "",
    };
    format!("{}\n{note}{others}\n\n", table.render_whole())
}

/// The free values as ranges.
fn free(taken: &BTreeSet<u64>, count: u64) -> String {
    let mut ranges: Vec<String> = Vec::new();
    let mut next = 0;
    for used in taken.iter().copied().chain([count]) {
        match used - next {
            0 => {}
            1 => ranges.push(format!("0x{next:02x}")),
            _ => ranges.push(format!("0x{next:02x} to 0x{:02x}", used - 1)),
        }
        next = used + 1;
    }
    ranges.join(", ")
}

/// The optypes of opcodes, each once.
fn names<'i>(isa: &'i Isa, ids: &[OpcodeId]) -> Vec<&'i str> {
    let mut names: Vec<&str> = Vec::new();
    for id in ids {
        let name = isa.optypes()[isa.opcode(*id).optypes[0].index()].name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The values of a second field that occur with the values of the first.
fn matrix(
    book: &Book<'_>,
    isa: &Isa,
    (main, second): (&Selector, &Selector),
    page: &str,
) -> String {
    let columns: BTreeSet<u64> = second.values.keys().copied().collect();
    let ty =
        main.values.values().flatten().next().and_then(|id| isa.opcode(*id).field(second.name));
    let label = |raw: u64| {
        let named = ty.and_then(|field| match &isa.ty(field.ty).kind {
            TypeKind::BitField(values) => values.iter().find(|value| value.value == raw),
            _ => None,
        });
        named.map_or(format!("0x{raw:x}"), |value| format!("{} {raw:x}", code(&value.name)))
    };
    let mut head = vec![format!("{} by {}", code(isa.name_of(main.name)), second.title(isa))];
    head.extend(columns.iter().map(|raw| label(*raw)));
    let mut table = Table::new(&head);
    for (raw, ids) in &main.values {
        let links: Vec<String> =
            names(isa, ids).into_iter().map(|name| book.link(Kind::Optype, name, page)).collect();
        let mut row = vec![format!("**0x{raw:02x}** {}", links.join(", "))];
        row.extend(columns.iter().map(|column| {
            let of_both = ids.iter().filter(|id| second.values[column].contains(id));
            let links = of_both.map(|id| {
                let place = book.pages.get(Kind::Opcode, &isa.opcode(*id).name);
                place.map_or("✓".to_string(), |place| format!("[✓]({})", place.from(page)))
            });
            links.collect::<Vec<_>>().join(" ")
        }));
        table.row(row);
    }
    let free = (1_u64 << second.bits.width()) - columns.len() as u64;
    let note = if free > 0 && !isa.is_part() {
        format!("\n{free} values of the second field are not used.\n")
    } else {
        String::new()
    };
    format!("{}{note}\n", table.render_whole())
}
