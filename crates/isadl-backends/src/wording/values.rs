//! Values and types in words.

use isadl_ir::isa::{
    Entry, Immediate, Isa, Meaning, Number, NumberFormat, Point, Print, Relative, Relocation, Type,
    TypeKind,
};

use super::code::code;
use super::expressions;

/// The maximum number of values that a cell of a table lists.
const MAX_LISTED: usize = 10;

/// A value of a type by its name, with its number if that adds information.
pub(crate) fn value(isa: &Isa, ty: &Type, raw: u64) -> String {
    if let Some(other) = ty.otherwise.as_ref().filter(|_| !ty.is_named(raw)) {
        return value(isa, isa.ty(other.ty), raw);
    }
    match &ty.kind {
        TypeKind::BitField(values) => match values.iter().find(|value| value.value == raw) {
            Some(value) => format!("{} = {}", code(&value.name), number(raw)),
            None => number(raw),
        },
        TypeKind::Operand(entries) => {
            let name = entries.iter().find_map(|e| Some(e.name_at(e.position(raw)?)));
            name.map_or(number(raw), |name| format!("{} = {}", code(&name), number(raw)))
        }
        TypeKind::Immediate(_) => code(&isa.value_text(ty, raw)),
        TypeKind::Composite(_) => number(raw),
    }
}

/// Formats a number: decimal if it has one digit, else hexadecimal.
pub(crate) fn number(raw: u64) -> String {
    if raw < 10 { raw.to_string() } else { format!("0x{raw:x}") }
}

/// The legal values of a field of the type.
pub(crate) fn allowed(isa: &Isa, ty: &Type) -> String {
    let names = allowed_names(isa, ty);
    match &ty.otherwise {
        Some(other) => format!("{names}; otherwise {}", allowed(isa, isa.ty(other.ty))),
        None => names,
    }
}

fn allowed_names(isa: &Isa, ty: &Type) -> String {
    match &ty.kind {
        // The page of the type lists them.
        TypeKind::BitField(values) if values.len() > MAX_LISTED => "see the type".to_string(),
        TypeKind::Operand(entries) if entries.len() > MAX_LISTED => "see the type".to_string(),
        TypeKind::BitField(values) => {
            values.iter().map(|value| code(&value.name)).collect::<Vec<_>>().join(", ")
        }
        TypeKind::Operand(entries) => {
            let shown = entries.iter().map(|entry| code(&entry_names(entry)));
            shown.collect::<Vec<_>>().join(", ")
        }
        TypeKind::Immediate(immediate) => numbers(isa, ty, immediate),
        TypeKind::Composite(composite) => {
            let parts = composite.parts.iter();
            let part = |part: &isadl_ir::isa::Part| {
                format!("{}: {}", code(&part.name), allowed(isa, isa.ty(part.ty)))
            };
            parts.map(part).collect::<Vec<_>>().join("; ")
        }
    }
}

/// The most excepted values that are listed.
const MAX_EXCEPTED: usize = 8;

/// The numbers of a type.
pub(crate) fn numbers(isa: &Isa, ty: &Type, immediate: &Immediate) -> String {
    let all = match immediate.is_scaled() {
        true => immediate.range_in_words(ty.width),
        false => range(immediate.number, ty.width),
    };
    match excepted(isa, ty, immediate) {
        Some(excepted) => format!("{all}, except {excepted}"),
        None => all,
    }
}

/// The illegal values of a type of numbers, if there are some.
fn excepted(isa: &Isa, ty: &Type, immediate: &Immediate) -> Option<String> {
    let text = |raw: u64| code(&isa.value_text(ty, raw));
    let run = |(first, end): &(u64, u128)| match end - u128::from(*first) {
        1 => text(*first),
        _ => format!("{} to {}", text(*first), text((end - 1) as u64)),
    };
    match immediate.reserved_values.len() {
        0 => None,
        count if count > MAX_EXCEPTED => {
            let all: u128 =
                immediate.reserved_values.iter().map(|(first, end)| end - u128::from(*first)).sum();
            Some(format!("{all} values such as {}", run(&immediate.reserved_values[0])))
        }
        _ => Some(immediate.reserved_values.iter().map(run).collect::<Vec<_>>().join(", ")),
    }
}

/// Describes how the value of a number is computed from its bits, if it differs from them.
pub(crate) fn scale_name(immediate: &Immediate) -> Option<String> {
    if let Some(computed) = &immediate.computed {
        return Some(format!("computed by `{}`", expressions::text_of_bits(&computed.expr)));
    }
    let times = match immediate.scale {
        1 => "its bits".to_string(),
        scale => format!("{scale} × its bits"),
    };
    immediate.is_scaled().then(|| match immediate.bias {
        0 => times,
        bias if bias < 0 => format!("{times} − {}", bias.unsigned_abs()),
        bias => format!("{times} + {bias}"),
    })
}

/// The reference point of an immediate's distances.
pub(crate) fn base_name(base: Relative) -> String {
    let point = match base.from {
        Point::Start => "the address of the instruction",
        Point::Next => "the address after the instruction",
        Point::Here => "the address of the first byte of the field",
    };
    let plus = |number: i64| match number {
        0 => String::new(),
        1.. => format!(" plus {number}"),
        _ => format!(" minus {}", number.unsigned_abs()),
    };
    let align = match base.align {
        1 => String::new(),
        align => format!(", rounded down to a multiple of {align},"),
    };
    format!("{point}{}{align}{}", plus(base.before), plus(base.after))
        .trim_end_matches(',')
        .to_string()
}

/// A relocation in words: its syntax, its number, and its value.
pub(crate) fn relocation(of: &Relocation, is_distance: bool) -> (String, String) {
    let written = of.name.as_deref().and_then(|name| Relocation::example(name, "value"));
    let gives = match &of.value {
        None if let Some(pair) = &of.pair => {
            let value = expressions::text_of_address(&pair.value);
            format!("`{value}`, of `{}` at the address `value`", pair.of)
        }
        Some(value) => format!("`{}`", expressions::text_of_address(value)),
        None if of.name.is_some() => "known to linkers".to_string(),
        None if is_distance => "the distance to `value`".to_string(),
        None => "`value`".to_string(),
    };
    (written.unwrap_or_else(|| "value".to_string()), gives)
}

/// The numbers of a format.
fn range(format: NumberFormat, width: u32) -> String {
    let lanes = format.lanes.max(1);
    let width = width / lanes;
    let single = match format.number {
        Number::Unsigned => {
            let last = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
            format!("0 to {last}")
        }
        Number::Signed => {
            let half = 1_i128 << (width - 1);
            format!("{} to {}", -half, half - 1)
        }
        Number::Float { exponent, fraction } => float_name(exponent, fraction),
    };
    if lanes > 1 { format!("{lanes} × {single}") } else { single }
}

/// The name of a floating-point format.
pub(crate) fn float_name(exponent: u32, fraction: u32) -> String {
    match (exponent, fraction) {
        (5, 10) => "binary16".to_string(),
        (8, 7) => "bfloat16".to_string(),
        (8, 23) => "binary32".to_string(),
        (11, 52) => "binary64".to_string(),
        _ => format!("floating point with {exponent} bits of exponent and {fraction} of fraction"),
    }
}

/// How the numbers of a format are read.
pub(crate) fn format_name(format: NumberFormat) -> String {
    let single = match format.number {
        Number::Unsigned => "unsigned integer".to_string(),
        Number::Signed => "signed integer, two's complement".to_string(),
        Number::Float { exponent, fraction } => float_name(exponent, fraction),
    };
    if format.lanes > 1 {
        format!("{} × {single}, the highest first", format.lanes)
    } else {
        single
    }
}

/// How numbers are written.
pub(crate) fn print_name(print: Print) -> &'static str {
    match print {
        Print::Decimal => "in decimal",
        Print::Hex => "in hexadecimal, with lower-case letters",
        Print::UpperHex => "in hexadecimal, with upper-case letters",
        Print::Binary => "in binary",
        Print::Bits => "as its bits in hexadecimal",
    }
}

/// How many digits there are at least, where that is said.
pub(crate) fn digits(immediate: &Immediate) -> Option<String> {
    let place = match immediate.number.number {
        Number::Float { .. } => " after the point",
        Number::Unsigned | Number::Signed => "",
    };
    (immediate.digits > 0).then(|| format!("with at least {} digits{place}", immediate.digits))
}

/// The names of a run of values, first to last.
pub(crate) fn entry_names(entry: &Entry) -> String {
    let first = entry.name_at(0);
    if entry.count > 1 { format!("{first}..{}", entry.name_at(entry.count - 1)) } else { first }
}

/// The meaning of a run of values.
pub(crate) fn meaning(isa: &Isa, entry: &Entry) -> String {
    let file = |file: &isadl_ir::isa::RegFileId| isa.reg_files()[file.index()].name.clone();
    match &entry.meaning {
        Meaning::Registers { file: of, align, .. } => match align {
            1 => format!("registers of {}", code(&file(of))),
            align => format!("registers of {}, multiples of {align}", code(&file(of))),
        },
        Meaning::Register { file: of, number, .. } => {
            format!("register {number} of {}", code(&file(of)))
        }
        Meaning::Constant { file: of, bits, .. } => {
            let bits = match bits {
                isadl_ir::isa::ConstantBits::Zero => "zeros",
                isadl_ir::isa::ConstantBits::One => "ones",
            };
            format!("reads as {bits}, writes are discarded ({})", code(&file(of)))
        }
        Meaning::Special(_) => "special register".to_string(),
        Meaning::Nothing(_) => "nothing".to_string(),
        Meaning::Integers { .. } => "integer constants".to_string(),
        Meaning::Float(_) => "floating-point constant".to_string(),
        Meaning::Literal => "a literal follows".to_string(),
    }
}
