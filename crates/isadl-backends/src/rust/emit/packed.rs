//! Packs tables whose rows differ only in numbers and names into one byte string. To the compiler, this is a single
//! token, while a literal is some ten expressions in as many of its passes. A crate of 1,500 opcodes has 300,000 of
//! them, which took a third of the time of `cargo check`.

use std::fmt::Debug;

use super::dense::{short, string_of_bytes};

/// Tables with fewer rows are written as they are, which is easier to read.
const LEAST_ROWS: usize = 32;

/// Rows of fewer pieces are numbers, or pairs of them.
const LEAST_PIECES: usize = 6;

/// Emits a static array, if its rows have the same form and are many.
pub(super) fn table<T: Debug>(doc: &str, name: &str, ty: &str, rows: &[T]) -> Option<String> {
    if rows.len() < LEAST_ROWS {
        return None;
    }
    let pieces: Vec<Vec<DebugSegment>> =
        rows.iter().map(|row| pieces(&format!("{row:?}"))).collect();
    let pieces: Option<Vec<&[DebugSegment]>> =
        pieces.iter().map(|row| same_form(row, &pieces[0]).then_some(&row[..])).collect();
    let pieces = pieces?;
    let columns: Vec<Column> = (0..pieces[0].len()).map(|at| Column::of(&pieces, at)).collect();
    let stride: usize = columns.iter().map(|column| column.bytes).sum();
    let (first, count) = (short(&format!("{:?}", rows[0])), rows.len());
    if stride == 0 {
        let rows = format!("[{first}; {count}]");
        return Some(format!("/// {doc}\npub(crate) static {name}: [{ty}; {count}] = {rows};\n\n"));
    }
    // The compiler reads a plain number faster than it executes code that reads the number.
    if columns.len() < LEAST_PIECES {
        return None;
    }
    let packed = pieces.iter().map(|row| {
        let values = row.iter().zip(&columns);
        values.flat_map(|(piece, column)| column.packed(piece)).collect()
    });
    let packed: Vec<Vec<u8>> = packed.collect();
    let mut place = 0;
    let row: String = columns.iter().map(|column| column.expression(&mut place)).collect();
    let names = (0..stride).map(|at| format!("b{at}")).collect::<Vec<_>>().join(", ");
    let bytes = string_of_bytes(&packed);
    Some(format!(
        "/// {doc}\npub(crate) static {name}: [{ty}; {count}] = {{\n    \
             let (bytes, _) = b\"{bytes}\".as_chunks::<{stride}>();\n    \
             let (mut rows, mut row) = ([{first}; {count}], 0);\n    \
             while row < {count} {{\n        \
                 let [{names}] = bytes[row];\n        \
                 rows[row] = {row};\n        \
                 row += 1;\n    \
             }}\n    \
             rows\n\
         }};\n\n"
    ))
}

/// A piece of the text of a row.
#[derive(Debug, PartialEq, Eq)]
enum DebugSegment {
    /// Text that is the same in each row.
    Fixed(String),
    Number(i128),
    /// `false` and `true` are 0 and 1.
    Bool(bool),
    /// A name that nothing follows in parentheses: a constant.
    Name(String),
}

/// The pieces of the output of `Debug`.
fn pieces(text: &str) -> Vec<DebugSegment> {
    let mut found = Vec::new();
    let mut fixed = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = rest.trim_start_matches(is_word);
        let (word, after) = rest.split_at(rest.len() - word.len());
        let piece = match word {
            "" => None,
            "true" | "false" => Some(DebugSegment::Bool(word == "true")),
            _ if after.starts_with(['(', '{', ' ']) => None,
            _ => match word.parse::<i128>() {
                Ok(number) if fixed.ends_with('-') => {
                    fixed.pop();
                    Some(DebugSegment::Number(-number))
                }
                Ok(number) => Some(DebugSegment::Number(number)),
                Err(_) if first.is_ascii_digit() => None,
                Err(_) => Some(DebugSegment::Name(word.to_string())),
            },
        };
        match piece {
            Some(piece) => {
                found.extend([DebugSegment::Fixed(std::mem::take(&mut fixed)), piece]);
                rest = after;
            }
            None => {
                let len = word.len().max(first.len_utf8());
                fixed += &rest[..len];
                rest = &rest[len..];
            }
        }
    }
    found.push(DebugSegment::Fixed(fixed));
    found
}

/// Whether rows differ only in values of the same kind. Quoted texts are values of no kind.
fn same_form(row: &[DebugSegment], first: &[DebugSegment]) -> bool {
    let is_alike = |(piece, first): (&DebugSegment, &DebugSegment)| match (piece, first) {
        (DebugSegment::Fixed(text), DebugSegment::Fixed(first)) => {
            text == first && !text.contains('"')
        }
        _ => std::mem::discriminant(piece) == std::mem::discriminant(first),
    };
    row.len() == first.len() && row.iter().zip(first).all(is_alike)
}

/// The pieces at one position of all rows.
struct Column {
    /// Bytes in each row; none if all rows have the same.
    bytes: usize,
    kind: Kind,
}

enum Kind {
    Same(String),
    Number,
    Bool,
    /// The number of a name.
    Name(Vec<String>),
}

impl Column {
    fn of(rows: &[&[DebugSegment]], at: usize) -> Column {
        let first = &rows[0][at];
        if rows.iter().all(|row| row[at] == *first) {
            return Column { bytes: 0, kind: Kind::Same(short(&first.text())) };
        }
        match first {
            DebugSegment::Fixed(_) | DebugSegment::Bool(_) => Column { bytes: 1, kind: Kind::Bool },
            DebugSegment::Number(_) => {
                let bytes = rows.iter().map(|row| row[at].bytes()).max();
                Column { bytes: bytes.unwrap_or_default(), kind: Kind::Number }
            }
            DebugSegment::Name(_) => {
                let mut names: Vec<String> = rows.iter().map(|row| row[at].text()).collect();
                names.sort();
                names.dedup();
                let bytes = DebugSegment::Number(names.len() as i128).bytes();
                Column { bytes, kind: Kind::Name(names) }
            }
        }
    }

    /// The bytes of a value, the lowest first.
    fn packed(&self, piece: &DebugSegment) -> Vec<u8> {
        let number = match (piece, &self.kind) {
            (DebugSegment::Number(number), _) => *number,
            (DebugSegment::Bool(value), _) => i128::from(*value),
            // INVARIANT: the column was made of this name too.
            (DebugSegment::Name(name), Kind::Name(names)) => {
                names.binary_search(name).unwrap_or_default() as i128
            }
            _ => 0,
        };
        number.to_le_bytes()[..self.bytes].to_vec()
    }

    /// The expression that reads the value, starting at byte `place` of a row.
    fn expression(&self, place: &mut usize) -> String {
        let bytes = *place..*place + self.bytes;
        *place = bytes.end;
        let names = bytes.map(|at| format!("b{at}")).collect::<Vec<_>>().join(", ");
        let zeros = |width: usize| ", 0".repeat(width - self.bytes);
        let number = match self.bytes {
            0 | 1 => names,
            2 => format!("u16::from_le_bytes([{names}])"),
            3 | 4 => format!("u32::from_le_bytes([{names}{}])", zeros(4)),
            5..=8 => format!("u64::from_le_bytes([{names}{}])", zeros(8)),
            _ => format!("u128::from_le_bytes([{names}{}])", zeros(16)),
        };
        match &self.kind {
            Kind::Same(text) => text.clone(),
            Kind::Number => format!("{number} as _"),
            Kind::Bool => format!("{number} != 0"),
            Kind::Name(names) => format!("[{}][{number} as usize]", names.join(", ")),
        }
    }
}

impl DebugSegment {
    fn text(&self) -> String {
        match self {
            DebugSegment::Fixed(text) | DebugSegment::Name(text) => text.clone(),
            DebugSegment::Number(number) => number.to_string(),
            DebugSegment::Bool(value) => value.to_string(),
        }
    }

    /// Bytes that hold a number; all of them if it is negative, so that any type takes it.
    fn bytes(&self) -> usize {
        match self {
            DebugSegment::Number(number @ 1..) => (number.ilog2() as usize / 8) + 1,
            DebugSegment::Number(0) => 1,
            _ => size_of::<i128>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_columns_of_bytes() {
        let rows: Vec<(u32, bool, i8)> = (0..40).map(|n| (n * 300, n % 2 == 1, -1)).collect();
        let text = table("", "T", "()", &rows).expect("rows of one form");
        let row = "rows[row] = (u16::from_le_bytes([b0, b1]) as _,b2 != 0,-1);";
        assert!(text.contains(row) && text.contains("let [b0, b1, b2] = bytes[row];"), "{text}");
        assert!(
            text.contains("[(0,false,-1); 40]") && text.contains("\\0\\0\\0,\\x01\\x01"),
            "{text}"
        );
    }

    #[test]
    fn equal_rows_are_one() {
        let text = table("", "T", "(u8, u8)", &[(1, 2); 40]).expect("rows of one form");
        assert!(text.contains("static T: [(u8, u8); 40] = [(1,2); 40];"), "{text}");
    }

    #[test]
    fn other_rows_are_not_packed() {
        let rows: Vec<(u32, bool, i8)> = (0..9).map(|n| (n * 300, n % 2 == 1, -1)).collect();
        assert_eq!(table("", "T", "()", &rows), None, "they are few");
        let texts: Vec<(u32, bool, &str)> = (0..40).map(|n| (n, n % 2 == 1, "a")).collect();
        assert_eq!(table("", "T", "()", &texts), None, "they have texts");
        let forms: Vec<(Option<u8>, u8, u8)> =
            (0..40).map(|n| ((n > 1).then_some(n), n, n)).collect();
        assert_eq!(table("", "T", "()", &forms), None, "they have two forms");
        assert_eq!(table("", "T", "()", &(0..40).collect::<Vec<u32>>()), None, "they are numbers");
    }
}
