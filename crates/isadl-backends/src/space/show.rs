//! The encoding space as text, JSON and a picture.

use serde::Serialize;

use super::{Cell, FieldBits, Proposal, Space, State};
use crate::xml::escape;

/// The schema of the JSON form, JSON Schema 2020-12.
pub const SCHEMA: &str = include_str!("space.schema.json");

/// The maximum number of opcodes that are named.
const MAX_NAMED: usize = 4;

/// The number of cells in a row of a picture, and their size.
const COLUMNS: usize = 16;
const CELL: (usize, usize) = (76, 22);

/// Colours on light and on dark pages.
const STYLE: &str = "\
text{fill:#1f2328}rect{stroke:#59636e}.b{fill:#fff;stroke:none}.taken{fill:#cfe4ff}\
.reserved{fill:#fff0b3}.free{fill:#fff}\
@media(prefers-color-scheme:dark){text{fill:#f0f3f6}rect{stroke:#8b949e}.b{fill:#0d1117;stroke:none}\
.taken{fill:#1c4a80}.reserved{fill:#665200}.free{fill:#0d1117}}";

impl FieldBits {
    /// Its name and bits.
    fn title(&self) -> String {
        format!("{} {}", self.name, self.numbering.bits(&self.bits))
    }
}

/// The name of a space: group and generations.
fn title(space: &Space) -> String {
    match space.generations.is_empty() {
        true => space.group.clone(),
        false => format!("{} in {}", space.group, space.generations.join(", ")),
    }
}

fn names(cell: &Cell) -> String {
    let shown: Vec<&str> = cell.opcodes.iter().take(MAX_NAMED).map(String::as_str).collect();
    let more = match cell.opcodes.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}

/// The values of a state, as first and last of each range.
pub(super) fn runs(cells: &[Cell], state: State) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.state == state) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cell.value => *last = cell.value,
            _ => ranges.push((cell.value, cell.value)),
        }
    }
    ranges
}

/// The values of a state as ranges.
fn ranges(cells: &[Cell], state: State) -> String {
    let texts = runs(cells, state).into_iter().map(|(first, last)| match first == last {
        true => format!("0x{first:x}"),
        false => format!("0x{first:x} to 0x{last:x}"),
    });
    texts.collect::<Vec<_>>().join(", ")
}

pub(super) fn count(cells: &[Cell], state: State) -> usize {
    cells.iter().filter(|cell| cell.state == state).count()
}

/// Each space with its values, and the proposals, if there was a question.
pub fn text(spaces: &[Space], proposals: Option<&[Proposal]>) -> String {
    if let Some(proposals) = proposals {
        let lines: String = proposals.iter().map(proposal).collect();
        return match lines.is_empty() {
            true => "there is no room for such an opcode\n".to_string(),
            false => lines,
        };
    }
    spaces.iter().map(space).collect()
}

fn space(space: &Space) -> String {
    let mut text = format!("{}, by {}\n", title(space), space.field.title());
    for cell in space.cells.iter().filter(|cell| cell.state == State::Taken) {
        text += &format!("  0x{:02x} {}\n", cell.value, names(cell));
    }
    for state in State::ALL {
        let values = match state {
            State::Taken => String::new(),
            state => ranges(&space.cells, state),
        };
        let colon = if values.is_empty() { "" } else { ": " };
        let count = count(&space.cells, state);
        text += &format!("  {count} {}{colon}{values}\n", state.as_str());
    }
    if let Some(second) = &space.second {
        text += &format!("  then by {}\n", second.field.title());
        for (raw, cells) in &second.rows {
            let taken = ranges(cells, State::Taken);
            let free = match count(cells, State::Free) {
                0 => "none free".to_string(),
                _ => format!("free {}", ranges(cells, State::Free)),
            };
            text += &format!("  0x{raw:02x} taken {taken}; {free}\n");
        }
    }
    text + "\n"
}

fn proposal(proposal: &Proposal) -> String {
    let fields = proposal.fields.iter();
    let fields: Vec<String> =
        fields.map(|(place, raw)| format!("{} == 0x{raw:x}", place.title())).collect();
    let generations = match proposal.generations.is_empty() {
        true => String::new(),
        false => format!(" in {}", proposal.generations.join(", ")),
    };
    format!(
        "{}: {}, {} bits for operands{generations}\n",
        proposal.group,
        fields.join(", "),
        proposal.bits
    )
}

#[derive(Serialize)]
struct Document<'s> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    spaces: Vec<SpaceRow<'s>>,
    proposals: Option<Vec<ProposalRow<'s>>>,
}

#[derive(Serialize)]
struct SpaceRow<'s> {
    group: &'s str,
    generations: &'s [String],
    width: u32,
    mask: String,
    value: String,
    field: FieldRow<'s>,
    values: Vec<CellRow<'s>>,
    second: Option<SecondRow<'s>>,
}

#[derive(Serialize)]
struct SecondRow<'s> {
    field: FieldRow<'s>,
    rows: Vec<RowOfSecond<'s>>,
}

#[derive(Serialize)]
struct RowOfSecond<'s> {
    first: u64,
    values: Vec<CellRow<'s>>,
}

#[derive(Serialize)]
struct FieldRow<'s> {
    name: &'s str,
    low: u32,
    width: u32,
    /// The bits of a field in pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<String>,
}

#[derive(Serialize)]
struct CellRow<'s> {
    value: u64,
    name: Option<&'s str>,
    state: &'static str,
    opcodes: &'s [String],
}

#[derive(Serialize)]
struct ProposalRow<'s> {
    group: &'s str,
    generations: &'s [String],
    fields: Vec<ValueRow<'s>>,
    mask: String,
    value: String,
    bits: u32,
}

#[derive(Serialize)]
struct ValueRow<'s> {
    #[serde(flatten)]
    field: FieldRow<'s>,
    value: u64,
}

fn field(place: &FieldBits) -> FieldRow<'_> {
    let in_pieces = place.bits.as_one().is_none();
    FieldRow {
        name: &place.name,
        low: place.numbering.low(&place.bits),
        width: place.bits.width(),
        bits: in_pieces.then(|| place.numbering.bits(&place.bits)),
    }
}

fn cells(cells: &[Cell]) -> Vec<CellRow<'_>> {
    let row = cells.iter().map(|cell| CellRow {
        value: cell.value,
        name: cell.name.as_deref(),
        state: cell.state.as_str(),
        opcodes: &cell.opcodes,
    });
    row.collect()
}

/// Formats the spaces as a single JSON object, with the proposals, if requested.
pub fn json(spaces: &[Space], proposals: Option<&[Proposal]>) -> String {
    let document = Document {
        schema: "space.schema.json",
        spaces: spaces
            .iter()
            .map(|of| SpaceRow {
                group: &of.group,
                generations: &of.generations,
                width: of.width,
                mask: format!("0x{:x}", of.numbering.number(of.mask)),
                value: format!("0x{:x}", of.numbering.number(of.value)),
                field: field(&of.field),
                values: cells(&of.cells),
                second: of.second.as_ref().map(|second| SecondRow {
                    field: field(&second.field),
                    rows: second
                        .rows
                        .iter()
                        .map(|(first, of)| RowOfSecond { first: *first, values: cells(of) })
                        .collect(),
                }),
            })
            .collect(),
        proposals: proposals.map(|proposals| {
            let row = proposals.iter().map(|of| ProposalRow {
                group: &of.group,
                generations: &of.generations,
                fields: of
                    .fields
                    .iter()
                    .map(|(place, value)| ValueRow { field: field(place), value: *value })
                    .collect(),
                mask: format!("0x{:x}", of.numbering.number(of.mask)),
                value: format!("0x{:x}", of.numbering.number(of.value)),
                bits: of.bits,
            });
            row.collect()
        }),
    };
    // Strings and numbers always serialize.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// Draws the spaces as one picture: a table of cells for each, without entirely free rows.
pub fn svg(spaces: &[Space]) -> String {
    let mut body = String::new();
    let mut top = 0;
    for space in spaces {
        top += CELL.1;
        let line = format!("{}, by {}", title(space), space.field.title());
        body += &format!("<text x=\"4\" y=\"{}\">{}</text>\n", top - 6, escape(&line));
        for row in space.cells.chunks(COLUMNS) {
            if row.iter().all(|cell| cell.state == State::Free) && row.len() == COLUMNS {
                continue;
            }
            row.iter().enumerate().for_each(|(column, one)| body += &cell(one, column, top));
            top += CELL.1;
        }
        top += CELL.1 / 2;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{top}\" viewBox=\"0 0 \
         {width} {top}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<style>{STYLE}</style>\n\
         <rect class=\"b\" width=\"{width}\" height=\"{top}\"/>\n{body}</svg>\n",
        width = COLUMNS * CELL.0
    )
}

fn cell(cell: &Cell, column: usize, top: usize) -> String {
    let (left, (width, height)) = (column * CELL.0, CELL);
    let says = match (cell.state, &cell.name) {
        (State::Taken, _) => names(cell),
        (State::Reserved, Some(name)) => format!("reserved: {name}"),
        _ => "free".to_string(),
    };
    format!(
        "<g><title>0x{value:x}: {says}</title><rect class=\"{state}\" x=\"{left}\" y=\"{top}\" \
         width=\"{width}\" height=\"{height}\"/><text x=\"{x}\" y=\"{y}\">0x{value:02x}</text></g>\n",
        value = cell.value,
        says = escape(&says),
        state = cell.state.as_str(),
        x = left + 4,
        y = top + height - 6,
    )
}
