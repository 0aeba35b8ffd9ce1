//! Lists the instructions of a file with their bytes, their texts, and their reads and writes, for any instruction set.
//! All but the last lines are written once, for every generated crate.
//!
//! ```console
//! $ cargo run -p isadl-tests --example list -- simt code.bin
//! $ cargo run -p isadl-tests --example list -- gcn GCN1_4 code.bin
//! ```

use std::process::ExitCode;

use isadl_traits::{Decode, Flow, Generation, Text};

/// The instructions of a stream of bytes, one per line.
pub(crate) fn listing<I: Decode + Text + Flow>(generation: I::Generation, bytes: &[u8]) -> String {
    let mut lines = String::new();
    for (offset, found) in I::stream(generation, bytes) {
        let count = found.as_ref().map_or(I::MIN_BYTES, |inst| inst.byte_count());
        let end = bytes.len().min(offset + count);
        let hex: String = bytes[offset..end].iter().map(|byte| format!("{byte:02x}")).collect();
        let text = match &found {
            Ok(inst) => inst.to_string(),
            Err(error) => format!("// {error}"),
        };
        let uses = found.iter().flat_map(|inst| inst.uses()).map(|found| found.to_string());
        let uses = uses.collect::<Vec<_>>().join(", ");
        lines += &format!("{offset:06x}  {hex:<digits$}  {text}", digits = 2 * I::MAX_BYTES);
        lines += &if uses.is_empty() { "\n".to_string() } else { format!("  // {uses}\n") };
    }
    lines
}

/// Lists a file; the generation is named where there are several.
fn list<I: Decode + Text + Flow>(arguments: &[String]) -> Result<(), String> {
    let (generation, path) = match arguments {
        [path] => ("", path),
        [generation, path] => (generation.as_str(), path),
        _ => return Err("give a file, and a generation before it if there are several".into()),
    };
    let Some(generation) = I::Generation::from_name(generation) else {
        let names = I::Generation::ALL.iter().map(|generation| generation.name());
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        return Err(match names.as_slice() {
            [] => format!("{} does not have generations", I::ISA),
            names => format!("name a generation of {}: {}", I::ISA, names.join(", ")),
        });
    };
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    print!("{}", listing::<I>(generation, &bytes));
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let listed = match arguments.split_first() {
        Some((name, rest)) if name == "simt" => list::<simt::Inst>(rest),
        Some((name, rest)) if name == "gcn" => list::<gcn::Inst>(rest),
        _ => Err("name an instruction set: simt or gcn".into()),
    };
    match listed {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}
