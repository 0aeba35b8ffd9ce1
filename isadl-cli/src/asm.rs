//! `isadl asm`: lines of text as bytes.

use crate::args::Asm;
use crate::{Outcome, lines, spec};

pub(crate) fn run(options: &Asm) -> Outcome {
    let isa = spec::load(&options.spec)?;
    lines::answer(&options.lines, |line| {
        let text = std::str::from_utf8(line).map_err(|error| {
            let before = String::from_utf8_lossy(&line[..error.valid_up_to()]);
            format!("column {}: not UTF-8", before.chars().count() + 1)
        })?;
        let inst = isa.assemble(text).map_err(|error| error.to_string())?;
        Ok(isa.write_hex(inst.word))
    })
}
