//! Lines of assembly text to try.

use isadl::isa::{Isa, SectionKind};

use crate::{Random, root};

/// The lines inside the fences of an instruction set's examples.
pub fn examples(isa: &Isa) -> Vec<String> {
    let mut lines = Vec::new();
    let prose = isa.optypes().iter().flat_map(|optype| &optype.prose);
    for section in prose.filter(|section| section.kind == SectionKind::Examples) {
        let mut within = false;
        for line in section.text.lines() {
            if line.trim_start().starts_with("```") {
                within = !within;
            } else if within && !line.trim().is_empty() && !line.trim_start().starts_with("//") {
                lines.push(line.to_string());
            }
        }
    }
    lines
}

/// The lines of the fixtures of the assembler, which are of SIMT: other assemblers refuse them.
pub fn fixtures() -> Vec<String> {
    let read = |name: &str| {
        let path = root().join("tests/fixtures/text").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let texts = [read("lines.txt"), read("errors.txt")];
    // The expected result of a line follows it, indented.
    let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with("    "));
    lines.map(str::to_string).collect()
}

/// A line with a random change: a byte changed or repeated, or a piece duplicated or removed.
pub fn mutated(line: &str, random: &mut Random) -> String {
    const BYTES: &[u8] = b" .,;@!-~|[]:$=+xRPUc019fzZ_/e";
    let mut bytes = line.as_bytes().to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        let byte = BYTES[random.below(BYTES.len() as u64) as usize];
        match random.below(5) {
            0 if at < bytes.len() => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            // More digits than fit in a number.
            3 => drop(bytes.splice(at..at, std::iter::repeat_n(byte, 24))),
            _ => {
                let end = (at + random.below(5) as usize).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() as u64 + 1) as usize;
                bytes.splice(to..to, piece);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
