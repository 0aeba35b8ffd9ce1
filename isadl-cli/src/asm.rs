//! `isadl asm`: lines of text as bytes.

use isadl::engine::Loaded;

use crate::args::Asm;
use crate::{Outcome, lines, spec};

pub(crate) fn run(options: &Asm) -> Outcome {
    let loaded = Loaded::new(spec::load(&options.spec)?);
    let set = spec::extensions(&options.spec, loaded.isa())?;
    let engine = loaded.engine().with_extensions(set);
    lines::answer(&options.lines, |line, answer| {
        let text = std::str::from_utf8(line).map_err(|error| {
            let before = String::from_utf8_lossy(&line[..error.valid_up_to()]);
            format!("column {}: not UTF-8", before.chars().count() + 1)
        })?;
        let inst = match options.exact {
            true => engine.assemble_exact(text),
            false => engine.assemble(text),
        };
        let inst = inst.map_err(|error| error.to_string())?;
        engine.append_hex(inst, answer);
        Ok(())
    })
}
