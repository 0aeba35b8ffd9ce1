//! `as "…"` of the values of an operand type: one spelling, or the spellings of a range of names, with their numbers in
//! braces.

use super::operand::MAX_APART;
use crate::ast::{Ident, OperandEntry, OperandMeaning};

/// The largest number that is added to the number of a name.
const MAX_ADDED: i128 = 1 << 16;

/// Why a spelling is none.
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) help: Option<&'static str>,
}

impl Fault {
    fn new(message: &str, help: Option<&'static str>) -> Fault {
        Fault { message: message.to_string(), help }
    }
}

/// A piece of the spelling of a range of names.
enum Piece<'a> {
    Text(&'a str),
    /// The number of the name, and what is added to it.
    Number(i128),
}

/// The spellings of an entry: one for each of its values. `None` if it has none.
pub(super) fn spellings(given: &OperandEntry<'_>) -> Option<Result<Vec<String>, Fault>> {
    let spelling = given.spelling?;
    Some(match given.meaning {
        OperandMeaning::Named { .. } => one(spelling).map(|text| vec![text]),
        OperandMeaning::Run { .. } => of_range(&given.meaning, spelling),
        OperandMeaning::Integers { .. } | OperandMeaning::Float(_) | OperandMeaning::Literal(_) => {
            Err(Fault::new("constants and literals do not have a spelling", None))
        }
    })
}

fn one(spelling: Ident<'_>) -> Result<String, Fault> {
    check(spelling.text)?;
    Ok(spelling.text.to_string())
}

fn of_range(range: &OperandMeaning<'_>, spelling: Ident<'_>) -> Result<Vec<String>, Fault> {
    let pieces = pieces(spelling.text)?;
    let OperandMeaning::Run { first, last, step, .. } = range else { return Ok(Vec::new()) };
    let by = step.map_or(1, |step| step.value.max(1));
    let numbers = (0..=MAX_APART).map(|at| first.value + at * by);
    let text = |number: i128| -> String {
        let piece = |piece: &Piece<'_>| match piece {
            Piece::Text(text) => (*text).to_string(),
            Piece::Number(added) => (number + added).to_string(),
        };
        pieces.iter().map(piece).collect()
    };
    check(&text(first.value))?;
    Ok(numbers.take_while(|number| *number <= last.value).map(text).collect())
}

/// The pieces of the spelling of a range: texts, `{}` and `{+n}`.
fn pieces(spelling: &str) -> Result<Vec<Piece<'_>>, Fault> {
    let help =
        "write `{}` where the number of a name is, and `{+n}` for a number that is greater by n";
    let mut pieces = Vec::new();
    let mut rest = spelling;
    while let Some((before, after)) = rest.split_once('{') {
        pieces.push(Piece::Text(before));
        let inside = after.split_once('}').and_then(|(inside, after)| {
            rest = after;
            added(inside)
        });
        let Some(added) = inside else {
            return Err(Fault::new("braces enclose nothing, or `+` and a number", Some(help)));
        };
        pieces.push(Piece::Number(added));
    }
    if pieces.is_empty() {
        return Err(Fault::new("all names of the range would have this spelling", Some(help)));
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

/// What is added to the number of a name between braces.
fn added(inside: &str) -> Option<i128> {
    if inside.is_empty() {
        return Some(0);
    }
    let digits = inside.strip_prefix('+')?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|number| is_number && (1..=MAX_ADDED).contains(number))
}

/// Refuses what cannot be read as an operand: text that begins like a number is read as one, and text with a comma as two
/// operands.
fn check(text: &str) -> Result<(), Fault> {
    let is_number = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    if !text.is_empty() && !is_number && text.bytes().all(|b| b.is_ascii_graphic() && b != b',') {
        return Ok(());
    }
    let message = match text {
        "" => "an empty text cannot be read as an operand".to_string(),
        text => format!("`{text}` cannot be read as an operand"),
    };
    let help = "begin with anything but a digit, and write printable ASCII characters without commas and spaces";
    Err(Fault { message, help: Some(help) })
}
