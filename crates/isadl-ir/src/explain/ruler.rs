//! A picture of a word: its bits in rows, divided into fields.

use std::collections::BTreeMap;

use super::DecodedWord;
use crate::isa::{Isa, NameId, Run};

/// Bits in a row.
const ROW: u32 = 32;

/// Bits between two numbers above a row.
const STEP: u32 = 8;

/// The letters that replace names that do not fit, in order.
const KEYS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// The picture of a word, with the letters of fields whose names do not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruler {
    /// Lines of the picture.
    pub lines: Vec<String>,
    /// The letters of fields.
    pub keys: BTreeMap<NameId, char>,
}

/// A run of bits in a row: a field, or bits that no field covers.
#[derive(Clone)]
struct Segment {
    high: u32,
    low: u32,
    name: Option<NameId>,
    /// For a field in pieces: the bits of its value in this segment, such as `[10:5]`.
    piece: Option<String>,
}

impl Segment {
    /// The name of its field, with the bits of its value that are here if it is in pieces.
    fn label(&self, isa: &Isa) -> Option<String> {
        let name = isa.name_of(self.name?);
        Some(format!("{name}{}", self.piece.as_deref().unwrap_or_default()))
    }

    /// Characters between its borders.
    fn room(&self) -> usize {
        (self.high - self.low) as usize * 2 + 1
    }
}

impl DecodedWord {
    /// The word's bits in rows of 32, the highest first, divided into fields. Names of fields are below, or letters if
    /// the names do not fit.
    pub fn ruler(&self, isa: &Isa, word: u128) -> Ruler {
        let opcode = isa.opcode(self.inst.opcode);
        let numbering = isa.numbering(opcode);
        let (lowest, word) = (isa.word_layout().lowest(opcode.width), numbering.number(word));
        let rows: Vec<Vec<Segment>> =
            rows(opcode.width).map(|row| self.segments(isa, row, lowest)).collect();
        let keys = keys(isa, rows.iter().flatten());
        let number = |bit: u32| numbering.ends(Run { lsb: lowest + bit, width: 1 }).0;
        let mut lines = Vec::new();
        for row in &rows {
            lines.extend([numbers(row, &number), bits(row, word), labels(row, isa, &keys)]);
        }
        Ruler { lines, keys }
    }

    /// The segments of a row. Bit numbers are relative to the instruction, which begins at bit `lowest` of the word.
    fn segments(&self, isa: &Isa, (high, low): (u32, u32), lowest: u32) -> Vec<Segment> {
        let field_at = |bit: u32| {
            let bit = lowest + bit;
            let part = self.fields.iter().find(|part| part.field.mask() >> bit & 1 == 1)?;
            let piece = isa.piece_of(&part.field, bit).map(|piece| piece.bits_of_value);
            Some((part.field.name, piece))
        };
        let mut segments: Vec<Segment> = Vec::new();
        for bit in (low..=high).rev() {
            let (name, piece) = field_at(bit).unzip();
            let piece = piece.flatten();
            match segments.last_mut() {
                Some(last) if last.name == name && last.piece == piece => last.low = bit,
                _ => segments.push(Segment { high: bit, low: bit, name, piece }),
            }
        }
        segments
    }
}

/// The highest and the lowest bit of each row.
fn rows(width: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..width.div_ceil(ROW)).rev().map(move |row| ((row * ROW + ROW).min(width) - 1, row * ROW))
}

/// Letters for the fields whose names do not fit in any of their segments.
fn keys<'s>(isa: &Isa, segments: impl Iterator<Item = &'s Segment>) -> BTreeMap<NameId, char> {
    let mut keys = BTreeMap::new();
    let mut letters = KEYS.chars();
    for segment in segments {
        let Some((name, label)) = segment.name.zip(segment.label(isa)) else { continue };
        if label.chars().count() > segment.room() && !keys.contains_key(&name) {
            keys.insert(name, letters.next().unwrap_or('*'));
        }
    }
    keys
}

/// The numbers of every eighth bit, each above its bit.
fn numbers(row: &[Segment], number: &impl Fn(u32) -> u32) -> String {
    let (Some(first), Some(last)) = (row.first(), row.last()) else { return String::new() };
    let mut line = String::new();
    for bit in (last.low..=first.high).rev().filter(|bit| (bit + 1).is_multiple_of(STEP)) {
        let column = (first.high - bit) as usize * 2 + 1;
        line += &" ".repeat(column.saturating_sub(line.len()));
        line += &number(bit).to_string();
    }
    let lowest = number(last.low).to_string();
    let end = (first.high - last.low) as usize * 2 + 2;
    let space = end.saturating_sub(line.len() + lowest.len());
    // There may be no room for the last number.
    if space > 0 { line + &" ".repeat(space) + &lowest } else { line }
}

fn bits(row: &[Segment], word: u128) -> String {
    let mut line = String::new();
    for segment in row {
        for bit in (segment.low..=segment.high).rev() {
            line.push(if bit == segment.high { '│' } else { ' ' });
            line.push(if word >> bit & 1 == 1 { '1' } else { '0' });
        }
    }
    line + "│"
}

fn labels(row: &[Segment], isa: &Isa, keys: &BTreeMap<NameId, char>) -> String {
    let mut line = String::new();
    for segment in row {
        let label = match segment.name.zip(segment.label(isa)) {
            Some((_, label)) if label.chars().count() <= segment.room() => label,
            Some((name, _)) => keys.get(&name).map_or(String::new(), char::to_string),
            None => "-".repeat(segment.room()),
        };
        line.push('│');
        line += &label;
        line += &" ".repeat(segment.room().saturating_sub(label.chars().count()));
    }
    line + "│"
}
