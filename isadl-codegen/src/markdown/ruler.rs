//! A layout as text: rows of 32 bits, the highest first, with the fixed bits.
//!
//! The counterpart of `isadl::explain`'s picture of a word: a form does not have a single word, but
//! bits that all of its words share.

use super::layout::{Layout, Segment};

/// Bits in a row.
const ROW: u32 = 32;

/// The picture; `mask` contains the fixed bits and `value` their values.
pub(super) fn lines(layout: &Layout, mask: u128, value: u128) -> String {
    let fits = |segment: &Segment| segment.name.chars().count() <= room(segment);
    let keys = layout.keys(ROW, fits);
    let mut text = String::new();
    for row in layout.rows(ROW) {
        let label = |segment: &Segment| {
            let key = keys.iter().find(|(name, _)| *name == segment.name && !fits(segment));
            key.map_or(segment.name.clone(), |(_, key)| key.to_string())
        };
        text += &numbers(layout, &row);
        text += &boxes(&row, |segment| {
            let bits = (segment.lsb..=segment.high()).rev();
            let bit = |bit: u32| match (mask >> bit & 1, value >> bit & 1) {
                (1, 1) => '1',
                (1, _) => '0',
                _ if segment.name.is_empty() => '-',
                _ => '.',
            };
            bits.map(|at| bit(at).to_string()).collect::<Vec<_>>().join(" ")
        });
        text += &boxes(&row, label);
    }
    let position = |name: &str| {
        let parts = layout.segments.iter().filter(|segment| segment.name == name);
        parts.map(|part| layout.bits(part)).collect::<Vec<_>>().join(",")
    };
    for line in keys.chunks(4) {
        let key = |(name, key): &(String, char)| format!("{key} {name} {}", position(name));
        text += &line.iter().map(key).collect::<Vec<_>>().join("   ");
        text.push('\n');
    }
    text
}

/// Characters between the borders of a segment.
fn room(segment: &Segment) -> usize {
    segment.width as usize * 2 - 1
}

fn boxes(row: &[Segment], text: impl Fn(&Segment) -> String) -> String {
    let mut line = String::new();
    for segment in row {
        let text = text(segment);
        line.push('│');
        line += &text;
        line += &" ".repeat(room(segment).saturating_sub(text.chars().count()));
    }
    line + "│\n"
}

/// The number of the highest bit of each segment above it, if there is room.
fn numbers(layout: &Layout, row: &[Segment]) -> String {
    let high = row.first().map_or(0, Segment::high);
    let mut line = String::new();
    for segment in row {
        let column = (high - segment.high()) as usize * 2 + 1;
        if line.is_empty() || line.len() < column {
            line += &" ".repeat(column.saturating_sub(line.len()));
            line += &layout.ends(segment).0.to_string();
        }
    }
    line + "\n"
}
