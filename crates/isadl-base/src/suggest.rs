//! "Did you mean": the nearest known name.

use std::cmp::Reverse;

/// The known name nearest to `name`, if it is near enough to be meant: at most a third of the
/// characters differ. Of equally near names it is the one that begins like it for longest, and of those the first.
pub fn nearest(name: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    // Very long names are not compared: that would take long and is unlikely to help.
    if name.len() > MAX_LENGTH {
        return None;
    }
    let chars: Vec<char> = name.chars().collect();
    let letters = letters(name);
    let mut limit = (chars.len() / 3).max(1);
    let mut best: Option<(Near, String)> = None;
    for candidate in known {
        let candidate = candidate.as_ref();
        // A letter that occurs in only one of them costs one edit. The edit may replace a letter of the other.
        let unlike = (self::letters(candidate) ^ letters).count_ones() as usize;
        let distance = if candidate.eq_ignore_ascii_case(name) {
            0
        } else if unlike > 2 * limit || candidate.len() > MAX_LENGTH {
            continue;
        } else {
            edit_distance(&chars, candidate, limit)
        };
        let near = (distance, Reverse(common_start(name, candidate)));
        if distance <= limit && best.as_ref().is_none_or(|(nearest, _)| near < *nearest) {
            // From now on, only names at least as near as the best name so far matter.
            limit = distance;
            best = Some((near, candidate.to_string()));
        }
    }
    best.map(|(_, name)| name)
}

/// How near a name is: edits, and how many characters are the same from the start.
type Near = (usize, Reverse<usize>);

/// How many characters two names have in common before they differ, in any case.
fn common_start(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
}

/// Whether `nearest` is the only candidate: it differs in one position, or in case only, and every other word has at
/// least two more differences.
pub fn is_only(word: &str, known: &[&str]) -> bool {
    let Some(near) = nearest(word, known) else { return false };
    let folded = word.to_lowercase();
    let chars: Vec<char> = folded.chars().collect();
    let distance = |other: &str| edit_distance(&chars, &other.to_lowercase(), 3);
    let others = known.iter().filter(|other| **other != near);
    word.len() > 3 && distance(&near) <= 1 && others.into_iter().all(|other| distance(other) > 2)
}

/// The longest name that is compared with others, in bytes.
const MAX_LENGTH: usize = 100;

/// The set of bytes of a name, folded to 64.
fn letters(name: &str) -> u64 {
    name.bytes().fold(0, |set, byte| set | 1 << (byte % 64))
}

/// Optimal string alignment distance; anything above `limit` may be returned as `limit + 1`.
fn edit_distance(a: &[char], b: &str, limit: usize) -> usize {
    let length = b.chars().count();
    if a.len().abs_diff(length) > limit {
        return limit + 1;
    }
    // Rows of the last three characters of `a`; no name is longer than `MAX_LENGTH`.
    let mut rows = [[0u8; MAX_LENGTH + 1]; 3];
    let mut chars = ['\0'; MAX_LENGTH];
    chars.iter_mut().zip(b.chars()).for_each(|(place, c)| *place = c);
    let b = &chars[..length];
    rows[0].iter_mut().zip(0..).take(length + 1).for_each(|(cell, j)| *cell = j);
    for i in 1..=a.len() {
        let (row, last, before) = (i % 3, (i + 2) % 3, (i + 1) % 3);
        rows[row][0] = i as u8;
        let mut least = i as u8;
        for j in 1..=length {
            let substitution = rows[last][j - 1] + u8::from(a[i - 1] != b[j - 1]);
            let mut cost = substitution.min(rows[last][j] + 1).min(rows[row][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(rows[before][j - 2] + 1);
            }
            rows[row][j] = cost;
            least = least.min(cost);
        }
        // A transposition looks back two rows, and costs one.
        if usize::from(least) > limit + 1 {
            return limit + 1;
        }
    }
    rows[a.len() % 3][length].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_transposed_and_misspelt_names() {
        assert_eq!(nearest("Perd", ["Reg", "Pred", "UPred"]).as_deref(), Some("Pred"));
        assert_eq!(nearest("SImn32", ["SImm9", "SImm32"]).as_deref(), Some("SImm32"));
        assert_eq!(nearest("inlist", ["OutList", "InList"]).as_deref(), Some("InList"));
    }

    #[test]
    fn of_names_as_near_it_is_the_one_that_begins_alike() {
        assert_eq!(nearest("ldrr", ["ld1r", "ldr", "str"]).as_deref(), Some("ldr"));
        assert_eq!(nearest("addd", ["fadd", "add"]).as_deref(), Some("add"));
    }

    #[test]
    fn keeps_silent_when_nothing_is_near() {
        assert_eq!(nearest("Quux", ["Reg", "Pred"]), None);
    }
}
