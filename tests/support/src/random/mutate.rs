//! Lines with something changed.

use isadl::isa::OpcodeId;

use crate::{Random, lines};

/// A canonical text with characters changed, or its pieces swapped, dropped, doubled, or taken from
/// another text.
pub(super) fn line(text: &str, others: &[(String, OpcodeId, u128)], random: &mut Random) -> String {
    if random.below(3) == 0 {
        return lines::mutated(text, random);
    }
    let mut pieces = pieces(text);
    for _ in 0..=random.below(2) {
        let at = random.below(pieces.len() as u64) as usize;
        let to = random.below(pieces.len() as u64) as usize;
        match random.below(4) {
            0 => pieces.swap(at, to),
            1 if pieces.len() > 1 => drop(pieces.remove(at)),
            2 => pieces.insert(to, pieces[at]),
            _ => {
                let other = &others[random.below(others.len() as u64) as usize].0;
                let other = self::pieces(other);
                pieces[at] = other[random.below(other.len() as u64) as usize];
            }
        }
    }
    pieces.concat()
}

/// Words, and the texts between them.
fn pieces(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (piece, behind) = rest.split_at(end);
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// Whether the first word of a line behind its guard, up to the first blank, begins with a mnemonic.
pub(super) fn has_mnemonic(line: &str, mnemonic: &str) -> bool {
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let starts = |text: &str| text.strip_prefix(mnemonic).is_some_and(is_end);
    let line = line.trim_start();
    match line.strip_prefix('@') {
        // A guard is a word with marks; the mnemonic is the next word.
        Some(guard) => {
            let guard = guard.trim_start_matches(['!', '-', '~', '|', ' ', '\t']);
            let word = guard.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
            starts(word.trim_start())
        }
        None => starts(line),
    }
}
