//! Disassembles a file by a specification that is loaded at run time.
//!
//! `cargo run -p isadl --example disassemble -- spec/simt program.bin`

use std::io::Write;
use std::path::PathBuf;

use isadl::engine::DecodeError;
use isadl::engine::Loaded;
use isadl::source::SourceMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(specification), Some(program)) = (arguments.next(), arguments.next()) else {
        return Err("usage: disassemble SPECIFICATION FILE".into());
    };
    let sources = SourceMap::read(&[specification])?;
    let compilation = isadl::compile(&sources);
    let Some(isa) = compilation.into_isa() else {
        return Err("the specification has errors; `isadl check` shows them".into());
    };
    let loaded = Loaded::new(isa);
    let engine = loaded.engine();
    let bytes = std::fs::read(program)?;
    let mut out = std::io::stdout().lock();
    let mut line = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        line.clear();
        let length = match engine.decode_bytes(&bytes[at..]) {
            Ok((inst, length)) => {
                engine.append_text(inst, &mut line);
                length
            }
            Err(DecodeError::Truncated { .. }) => {
                line.extend_from_slice(b"(the file ends within an instruction)");
                bytes.len() - at
            }
            Err(error) => {
                let (word, length) = engine.first_word(&bytes[at..]);
                line.extend_from_slice(engine.reason(word, error).as_bytes());
                length
            }
        };
        write!(out, "{at:08x}  ")?;
        out.write_all(&line)?;
        out.write_all(b"\n")?;
        at += length;
    }
    Ok(())
}
