//! `isadl asm`: lines of text as bytes.

use std::cell::Cell;

use isadl::engine::Loaded;

use crate::args::Asm;
use crate::{Outcome, lines, spec};

pub(crate) fn run(options: &Asm) -> Outcome {
    let loaded = Loaded::new(spec::load(&options.spec)?);
    let set = spec::extensions(&options.spec, loaded.isa())?;
    let engine = loaded.engine().with_extensions(set);
    let address = Cell::new(options.address);
    lines::answer(&options.lines, |line, answer| {
        let text = std::str::from_utf8(line).map_err(|error| {
            let before = String::from_utf8_lossy(&line[..error.valid_up_to()]);
            format!("column {}: not UTF-8", before.chars().count() + 1)
        })?;
        let inst = match (options.exact, address.get()) {
            (true, Some(at)) => engine.assemble_exact_from(text, at),
            (true, None) => engine.assemble_exact(text),
            (false, Some(at)) => engine.assemble_from(text, at),
            (false, None) => engine.assemble(text),
        };
        let inst = inst.map_err(|error| error.to_string())?;
        let length = u64::from(engine.isa().opcode(inst.opcode).width / 8);
        address.set(address.get().map(|at| at.wrapping_add(length)));
        engine.append_hex(inst, answer);
        Ok(())
    })
}
