//! The same instruction set with other orders of bytes, units and bits.

/// Rewrites an instruction set without a declared order: the highest byte comes first, and bits are numbered from the
/// highest. Every bit of the stream keeps its meaning, but the bits of each byte are in the opposite order: the new
/// stream has the bytes of the old stream, each mirrored.
pub fn mirrored(text: &str) -> String {
    let header_end = text.find('\n').map_or(text.len(), |at| at + 1);
    let (header, rest) = text.split_at(header_end);
    let mut found = format!("{header}    ByteOrder = big;\n    Bits = msb0;\n");
    let mut width = None;
    for line in rest.split_inclusive('\n') {
        // The parts of a composite are numbers of their own, as wide as the composite.
        if let Some(header) = line.strip_prefix("__Def") {
            let of_composite = header
                .strip_prefix("Composite")
                .and_then(|rest| rest.split_once('<')?.1.split('>').next()?.trim().parse().ok());
            width = of_composite;
        }
        found += &mirrored_line(line, width);
    }
    found
}

const KEYWORDS: [&str; 6] = ["field", "control", "literal", "zero", "fixed", "ignored"];

fn mirrored_line(line: &str, composite: Option<u32>) -> String {
    let statement = line.trim_start();
    let keyword = KEYWORDS.iter().find(|keyword| {
        statement.strip_prefix(**keyword).is_some_and(|rest| rest.starts_with(['<', '[']))
    });
    let Some(keyword) = keyword else { return line.to_string() };
    let indent = &line[..line.len() - statement.len()];
    let rest = &statement[keyword.len()..];
    let Some(end) = rest.find(['>', ']']) else { return line.to_string() };
    let number = |text: &str| -> u32 { text.trim().parse().expect("a number of a bit") };
    let bits: Vec<u32> = match rest.strip_prefix('<') {
        Some(_) => {
            let (lsb, width) = rest[1..end].split_once(',').expect("two numbers");
            let (lsb, width) = (number(lsb), number(width));
            (lsb..lsb + width).rev().collect()
        }
        None => {
            let piece = |piece: &str| {
                let (high, low) = piece.split_once(':').unwrap_or((piece, piece));
                (number(low)..=number(high)).rev().collect::<Vec<u32>>()
            };
            rest[1..end].split(',').flat_map(piece).collect()
        }
    };
    let place = |bit: &u32| composite.map_or(*bit, |width| width - 1 - bit).to_string();
    let bits: Vec<String> = bits.iter().map(place).collect();
    format!("{indent}{keyword}[{}]{}", bits.join(", "), &rest[end + 1..])
}
