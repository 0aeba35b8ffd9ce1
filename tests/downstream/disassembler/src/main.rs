//! Prints a file of GPU instructions: `disassembler FILE`. Prints one instruction per line with its
//! offset; for bytes that are not an instruction, prints the reason and exits with status 1.

// The build script's module, which is named after the instruction set.
include!(concat!(env!("OUT_DIR"), "/simt.rs"));

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use simt::Inst;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [path] = arguments.as_slice() else {
        eprintln!("usage: disassembler FILE");
        return ExitCode::from(2);
    };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{}: {error}", path.to_string_lossy());
            return ExitCode::from(2);
        }
    };
    match print(&bytes, &mut BufWriter::new(io::stdout().lock())) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) | Err(_) => ExitCode::FAILURE,
    }
}

/// Prints all instructions; returns how many could not be decoded.
fn print(bytes: &[u8], out: &mut impl Write) -> io::Result<usize> {
    let mut bad = 0;
    // The stream skips bytes that are not an instruction, and continues after them.
    for (offset, decoded) in Inst::stream(bytes) {
        match decoded {
            Ok(inst) => writeln!(out, "{offset:08x}: {inst}")?,
            Err(error) => {
                bad += 1;
                writeln!(out, "{offset:08x}: // {error}")?;
            }
        }
    }
    out.flush()?;
    Ok(bad)
}
