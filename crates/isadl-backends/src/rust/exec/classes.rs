//! Numbers as Rust expressions: their types, and how one becomes another. Numbers of at most 64 bits are `u64`, of at most 128 `u128`, and wider
//! ones arrays of `u64` with the lowest first; bits above the width are 0.

use isadl_ir::isa::Bits;

/// The Rust type of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Small,
    Double,
    /// As many pieces of 64 bits.
    Wide(usize),
}

impl Class {
    pub(super) fn of(width: u32) -> Class {
        match width {
            ..=64 => Class::Small,
            65..=128 => Class::Double,
            _ => Class::Wide(width.div_ceil(64) as usize),
        }
    }

    /// The name of the type.
    pub(super) fn name(self) -> String {
        match self {
            Class::Small => "u64".to_string(),
            Class::Double => "u128".to_string(),
            Class::Wide(pieces) => format!("[u64; {pieces}]"),
        }
    }

    /// How many pieces of 64 bits it has.
    pub(super) fn count(self) -> usize {
        match self {
            Class::Small => 1,
            Class::Double => 2,
            Class::Wide(pieces) => pieces,
        }
    }
}

/// A number with as many bits as given, all 1.
pub(super) fn ones(bits: u32) -> u128 {
    match bits {
        0 => 0,
        1..128 => (1 << bits) - 1,
        _ => u128::MAX,
    }
}

/// A number as a literal of a class.
pub(super) fn literal(value: u128, width: u32) -> String {
    let value = value & ones(width);
    let text = if value < 10 { value.to_string() } else { format!("{value:#x}") };
    match Class::of(width) {
        Class::Wide(_) => text,
        class => format!("{text}_{}", class.name()),
    }
}

/// A number in two's complement as an expression of the class of a width.
pub(super) fn constant(number: i128, width: u32) -> String {
    let Class::Wide(pieces) = Class::of(width) else { return literal(number as u128, width) };
    let all = (0..pieces).map(|at| format!("{:#x}", (number >> (64 * at).min(127)) as u64));
    masked(&format!("[{}]", all.collect::<Vec<_>>().join(", ")), width)
}

/// A zero, as an expression of a class.
pub(super) fn zero(class: Class) -> String {
    match class {
        Class::Wide(pieces) => format!("[0_u64; {pieces}]"),
        class => format!("0_{}", class.name()),
    }
}

/// The lowest bits of an expression, which may have others.
pub(super) fn masked(expr: &str, width: u32) -> String {
    match width {
        64 | 128 => expr.to_string(),
        129.. => format!("wide::masked({}, {width})", bare(expr)),
        _ => format!("({expr} & {})", literal(ones(width), width)),
    }
}

/// An expression of a class in another; bits that it has no room for are lost.
pub(super) fn convert(expr: &str, from: Class, to: Class) -> String {
    match (from, to) {
        _ if from == to => expr.to_string(),
        (Class::Small, Class::Double) => format!("u128::from({})", bare(expr)),
        (Class::Double, Class::Small) => format!("({expr} as u64)"),
        (Class::Wide(_), Class::Small) => format!("({expr})[0]"),
        (Class::Wide(_), Class::Double) => format!("wide::to_u128({})", bare(expr)),
        (_, Class::Wide(to)) => {
            let array = match from {
                Class::Small => format!("[{expr}]"),
                Class::Double => format!("wide::of_u128({})", bare(expr)),
                Class::Wide(_) => expr.to_string(),
            };
            format!("wide::resized::<{}, {to}>({array})", from.count())
        }
        (Class::Small, Class::Small) | (Class::Double, Class::Double) => expr.to_string(),
    }
}

/// An expression without parentheses around it. For every superfluous pair the compiler copies the file, to warn of it.
pub(super) fn bare(expr: &str) -> &str {
    let Some(inner) = expr.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return expr;
    };
    let mut depth = 0_i32;
    for byte in inner.bytes() {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        if depth < 0 {
            return expr;
        }
    }
    bare(inner)
}

/// A number in two's complement: an expression of type `i64` or `i128`.
pub(super) fn signed(expr: &str, width: u32) -> String {
    match width {
        8 | 16 | 32 => format!("({expr} as i{width} as i64)"),
        64 => format!("({expr} as i64)"),
        ..64 => format!("((({expr} << {0}_u32) as i64) >> {0}_u32)", 64 - width),
        128 => format!("({expr} as i128)"),
        _ => format!("((({expr} << {0}_u32) as i128) >> {0}_u32)", 128 - width),
    }
}

/// The bits of a field, as an expression of the word `w`.
pub(super) fn raw_bits(bits: &Bits) -> String {
    let places = bits.places().map(|(at, run)| {
        let piece = match run.lsb {
            0 => format!("(w as u64 & {:#x}_u64)", ones(run.width)),
            lsb => format!("((w >> {lsb}_u32) as u64 & {:#x}_u64)", ones(run.width)),
        };
        if at == 0 { piece } else { format!("{piece} << {at}_u32") }
    });
    let all: Vec<String> = places.collect();
    match all.as_slice() {
        [only] => only.clone(),
        _ => format!("({})", all.join(" | ")),
    }
}

/// A signed integer of at most 128 bits, given by an expression of such a type, in some bits.
pub(super) fn integer(expr: &str, width: u32) -> String {
    match Class::of(width) {
        Class::Small => masked(&format!("({expr} as u64)"), width),
        Class::Double => masked(&format!("({expr} as i128 as u128)"), width),
        class @ Class::Wide(_) => {
            let own = convert(&format!("({expr} as i128 as u128)"), Class::Double, class);
            format!("wide::extended({own}, 128, {width})")
        }
    }
}
