//! Opcode maps: the values of the fixed fields of a group, which of them are taken, reserved and free.

use std::collections::{BTreeMap, BTreeSet};

use isadl_ir::isa::{Isa, OpcodeId, TypeKind};

use super::book::Book;
use super::pages::Kind;
use super::text::{Table, code};
use crate::space::{Map, Selector, Space, State, shared};

/// The maximum number of operations of other groups in a cell.
const MAX_OTHERS: usize = 2;

/// The number of cells in a row, by the length of names.
const COLUMNS: [(usize, u64); 3] = [(8, 16), (14, 8), (usize::MAX, 4)];

/// The name of a field and its bits.
fn title(isa: &Isa, selector: &Selector) -> String {
    format!("{} {}", code(isa.name_of(selector.name)), selector.bits)
}

/// The fields that a map shows.
pub(super) fn fields(isa: &Isa, map: &Map) -> String {
    map.selectors().map(|selector| title(isa, selector)).collect::<Vec<_>>().join(", ")
}

/// Renders a map as tables, with taken, reserved and free values.
pub(super) fn text(book: &Book<'_>, isa: &Isa, (map, space): (&Map, &Space), page: &str) -> String {
    let others = others(isa, &map.members, &map.main);
    let mut text = grid(book, isa, (&map.main, &others), space, page);
    if let Some(second) = &map.second {
        text += &matrix(book, isa, (&map.main, second), page);
    }
    text
}

/// Opcodes outside the group that use the group's words, by the value of the field. These words have the fixed bits
/// shared by all members.
fn others(isa: &Isa, members: &[OpcodeId], selector: &Selector) -> BTreeMap<u64, Vec<OpcodeId>> {
    let (mask, value) = shared(isa, members);
    let field = selector.mask();
    let mask = mask & !field;
    let mut others: BTreeMap<u64, Vec<OpcodeId>> = BTreeMap::new();
    for id in isa.opcode_ids().filter(|id| !members.contains(id)) {
        let opcode = isa.opcode(id);
        let is_apart = opcode.has_literal() || (opcode.value ^ value) & mask & opcode.mask != 0;
        // An opcode that leaves bits of the field open does not belong to a single cell.
        if !is_apart && opcode.mask & field == field {
            let raw = selector.bits.extract(opcode.value);
            others.entry(raw).or_default().push(id);
        }
    }
    others
}

/// All values of a field in rows of cells; empty rows are only in the list of free values.
fn grid(
    book: &Book<'_>,
    isa: &Isa,
    (selector, others): (&Selector, &BTreeMap<u64, Vec<OpcodeId>>),
    space: &Space,
    page: &str,
) -> String {
    let count = 1_u64 << selector.bits.width();
    let longest = selector.values.values().flat_map(|ids| names(isa, ids)).map(str::len).max();
    let longest = longest.unwrap_or(0);
    let columns = COLUMNS.iter().find(|(length, _)| longest <= *length).map_or(4, |(_, n)| *n);
    let columns = columns.min(count);
    let mut head = vec![title(isa, selector)];
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
    let note = match isa.is_part() {
        true => format!(
            "{} of {count} values are used here; other groups, which may use more, are not in this \
             manual.",
            space.count(State::Taken)
        ),
        false => counts(space),
    };
    let others = match others.keys().any(|raw| !selector.values.contains_key(raw)) {
        true => " Operations in *italics* belong to other groups.",
        false => "",
    };
    format!("{}\n{note}{others}\n\n", table.render_whole())
}

/// How many values are taken, reserved and free, and which are not taken.
fn counts(space: &Space) -> String {
    let total = space.cells.len();
    let mut text = format!("Of {total} values {} are taken.", space.count(State::Taken));
    for (state, means) in
        [(State::Reserved, "reserved: named, but without an operation"), (State::Free, "free")]
    {
        let is = |count: usize| if count == 1 { "is" } else { "are" };
        text += &match space.count(state) {
            0 => format!(" None is {}.", state.as_str()),
            count => format!(" {count} {} {means}: {}.", is(count), ranges(space, state)),
        };
    }
    text
}

/// The values of a state as ranges.
fn ranges(space: &Space, state: State) -> String {
    let range = |(first, last)| match first == last {
        true => format!("0x{first:02x}"),
        false => format!("0x{first:02x} to 0x{last:02x}"),
    };
    space.ranges(state).into_iter().map(range).collect::<Vec<_>>().join(", ")
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
    let mut head = vec![format!("{} by {}", code(isa.name_of(main.name)), title(isa, second))];
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
