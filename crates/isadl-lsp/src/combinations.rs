//! Names that definitions of forms make of others.

use std::collections::HashSet;

/// The most opcodes that a definition of forms makes, as in the language.
const MAX_FORMS: usize = 1 << 16;

/// The combinations of the entries of lists; the last list changes fastest. None if there are too many.
pub(crate) fn combinations(lists: &[Vec<String>]) -> Vec<Vec<String>> {
    let count = lists.iter().try_fold(1usize, |count, list| count.checked_mul(list.len()));
    let combination = |index: usize| {
        let mut rest = index;
        let mut entries: Vec<String> = Vec::new();
        for list in lists.iter().rev() {
            entries.push(list[rest % list.len()].clone());
            rest /= list.len();
        }
        entries.reverse();
        entries
    };
    (0..count.filter(|count| *count <= MAX_FORMS).unwrap_or(0)).map(combination).collect()
}

/// The name that a pattern makes of entries.
pub(crate) fn made(pattern: &str, entries: &[String]) -> String {
    entries
        .iter()
        .enumerate()
        .fold(pattern.to_string(), |name, (at, entry)| name.replace(&format!("{{{at}}}"), entry))
}

/// The lists that a pattern refers to; `None` if the text is not a pattern.
fn slots(pattern: &str) -> Option<HashSet<usize>> {
    let mut slots = HashSet::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('{') {
        let end = at + rest[at..].find('}')?;
        slots.insert(rest[at + 1..end].parse().ok()?);
        rest = &rest[end + 1..];
    }
    (!rest.contains('}')).then_some(slots)
}

/// Why a text cannot be the pattern in the place of another.
pub(crate) fn refused_pattern(old: &str, new: &str) -> Option<String> {
    let has = slots(old).unwrap_or_default();
    match slots(new) {
        Some(slots) if slots == has => None,
        _ => Some(format!("`{new}` does not show the same lists as `{old}`")),
    }
}
