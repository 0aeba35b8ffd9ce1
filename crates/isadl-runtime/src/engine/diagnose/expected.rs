//! Describes expected text for error messages.

use std::collections::HashSet;

use crate::isa::{
    Composite, CompositeSegment, Entry, Enumerator, Isa, Meaning, ModifierStyle, Number,
    NumberFormat, Type, TypeKind, low_bits,
};

/// Number of names that are spelled out; further names are counted.
const MAX_NAMES: usize = 8;

/// Bytes of names that are spelled out; further names are counted.
const MAX_LENGTH: usize = 120;

/// Number of values of a type that are examined individually.
const MAX_LISTED: usize = 32;

/// The values of a type; `width` is the number of bits of data in it.
pub(super) fn values(isa: &Isa, ty: &Type, width: i128) -> Vec<String> {
    let mut values = names(isa, ty, width);
    if let Some(other) = &ty.otherwise {
        values.extend(self::values(isa, isa.ty(other.ty), width));
    }
    values
}

fn names(isa: &Isa, ty: &Type, width: i128) -> Vec<String> {
    match &ty.kind {
        TypeKind::BitField(_) => modifier(ty, ModifierStyle::Words),
        TypeKind::Operand(entries) if entries.len() > MAX_LISTED => {
            let first = entry(isa, &entries[0], width);
            vec![format!("a value of `{}`, which has {} such as {first}", ty.name, entries.len())]
        }
        TypeKind::Operand(entries) => {
            entries.iter().map(|entry| self::entry(isa, entry, width)).collect()
        }
        TypeKind::Immediate(immediate) if immediate.is_scaled() => vec![integer(ty)],
        TypeKind::Immediate(immediate) if immediate.reads_either => {
            vec![format!("an integer from {}", either(ty.width))]
        }
        TypeKind::Immediate(immediate) => vec![numbers(immediate.number, ty.width)],
        TypeKind::Composite(composite) => match isa.plain_text(ty) {
            Some(text) => vec![format!("`{text}`")],
            None => vec![format!("`{}`", shape(composite, &composite.format))],
        },
    }
}

/// An integer of a type with a scale, or whose values are computed: these are listed if they are few.
pub(super) fn integer(ty: &Type) -> String {
    let TypeKind::Immediate(immediate) = &ty.kind else { return "an integer".to_string() };
    let integers = immediate.computed_integers();
    let (low, high) = immediate.range(ty.width);
    match integers.len() {
        0 => format!("an integer from {}", immediate.range_in_words(ty.width)),
        1..=MAX_NAMES => any_of(integers.iter().map(i128::to_string).collect()),
        count => format!("one of {count} integers from {low} to {high}"),
    }
}

/// How a composite is written, with the names of its parts.
fn shape(composite: &Composite, pieces: &[CompositeSegment]) -> String {
    let piece = |piece: &CompositeSegment| match piece {
        CompositeSegment::Text(text) => text.clone(),
        CompositeSegment::Part(part) => composite.parts[*part].name.clone(),
        CompositeSegment::Next(part, by) => format!("{}+{by}", composite.parts[*part].name),
        CompositeSegment::Otherwise { .. } => String::new(),
        CompositeSegment::Optional { pieces, .. } => format!("{{{}}}", shape(composite, pieces)),
    };
    pieces.iter().map(piece).collect()
}

/// The spellings of a modifier.
pub(super) fn modifier(ty: &Type, style: ModifierStyle) -> Vec<String> {
    let values = match &ty.kind {
        TypeKind::BitField(values) => values,
        TypeKind::Composite(composite) => {
            return vec![format!("`{}`", shape(composite, &composite.format))];
        }
        TypeKind::Operand(_) | TypeKind::Immediate(_) => return Vec::new(),
    };
    let mut names = values.iter().filter(|value| !value.spelling.is_empty());
    let name = |value: &Enumerator| format!("`{}{}`", sign(style), value.spelling);
    match names.next() {
        Some(first) if values.len() > MAX_LISTED => {
            let (count, first) = (values.len(), name(first));
            vec![format!("a value of `{}`, which has {count} such as {first}", ty.name)]
        }
        first => first.into_iter().chain(names).map(name).collect(),
    }
}

/// The quoted sign before a modifier.
fn sign(style: ModifierStyle) -> &'static str {
    match style {
        ModifierStyle::Dots => ".",
        ModifierStyle::Words => "",
    }
}

fn entry(isa: &Isa, entry: &Entry, width: i128) -> String {
    match &entry.meaning {
        Meaning::Registers { file, prefix, first, .. } => {
            let registers = isa.registers_in(*file, width);
            if registers > 1 {
                let last = first + registers - 1;
                return format!("{registers} registers such as `{prefix}[{first}:{last}]`");
            }
            run(entry)
        }
        Meaning::Integers { .. } => run(entry),
        _ => format!("`{}`", entry.text_at(0)),
    }
}

fn run(entry: &Entry) -> String {
    let first = entry.text_at(0);
    match entry.count {
        1 => format!("`{first}`"),
        count => format!("`{first}` to `{}`", entry.text_at(count - 1)),
    }
}

/// Numbers side by side, in `width` bits together.
pub(super) fn numbers(format: NumberFormat, width: u32) -> String {
    let lanes = format.lanes;
    let number = match format.number {
        Number::Float { .. } if lanes == 1 => "a number".to_string(),
        Number::Float { .. } => "numbers".to_string(),
        number => {
            let (low, high) = range(number == Number::Signed, width / lanes);
            let what = if lanes == 1 { "an integer" } else { "integers" };
            format!("{what} from {low} to {high}")
        }
    };
    if lanes == 1 { number } else { format!("{lanes} {number}") }
}

/// The least and the greatest integer of `bits` bits.
pub(super) fn range(is_signed: bool, bits: u32) -> (i128, i128) {
    match is_signed {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, low_bits(bits) as i128),
    }
}

/// The integers of `bits` bits that are read as signed or unsigned.
pub(super) fn either(bits: u32) -> String {
    format!("{} to {}", range(true, bits).0, range(false, bits).1)
}

/// Formats `a, b or c`; names beyond the limits are counted.
pub(super) fn any_of(mut names: Vec<String>) -> String {
    let mut length = 0;
    let fits = |name: &&String| {
        length += name.len();
        length <= MAX_LENGTH
    };
    let fitting = names.iter().take_while(fits).count();
    if names.len() > MAX_NAMES || fitting < names.len() {
        let spelled = fitting.clamp(1, MAX_NAMES - 1);
        let more = names.len() - spelled;
        names.truncate(spelled);
        if more > 0 {
            names.push(format!("{more} other{}", if more == 1 { "" } else { "s" }));
        }
    }
    match names.as_slice() {
        [] => "nothing".to_string(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Each text once, in the order of their first occurrence.
pub(super) fn distinct(mut texts: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::with_capacity(texts.len());
    let mut is_new =
        texts.iter().map(|text| seen.insert(text.as_str())).collect::<Vec<_>>().into_iter();
    texts.retain(|_| is_new.next() == Some(true));
    texts
}
