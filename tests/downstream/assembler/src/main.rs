//! Assembles a file of GCN instructions: `assembler GENERATION FILE OUTPUT`, one instruction per line.
//! All lines with mistakes are reported at once, and then no output is written.

// All generations are in one module: the generation is an argument, not a separate build.
isadl_macros::isa!(mod gcn = "../../../spec/gcn");

use std::process::ExitCode;

use gcn::{Generation, Inst};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [generation, source, output] = arguments.as_slice() else {
        eprintln!("usage: assembler GENERATION FILE OUTPUT");
        return ExitCode::from(2);
    };
    let Some(generation) = Generation::ALL.iter().find(|known| known.name() == generation) else {
        let known: Vec<&str> = Generation::ALL.iter().map(|known| known.name()).collect();
        eprintln!("`{generation}` is not a generation; the generations are {}", known.join(", "));
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(source) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{source}: {error}");
            return ExitCode::from(2);
        }
    };
    match assemble(*generation, &text) {
        Ok(bytes) => match std::fs::write(output, bytes) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{output}: {error}");
                ExitCode::from(2)
            }
        },
        Err(mistakes) => {
            mistakes.iter().for_each(|(line, message)| eprintln!("{source}:{line}: {message}"));
            ExitCode::FAILURE
        }
    }
}

/// The bytes of all lines, or the mistakes with their lines. A `;` begins a comment.
fn assemble(generation: Generation, text: &str) -> Result<Vec<u8>, Vec<(usize, String)>> {
    let mut bytes = Vec::new();
    let mut mistakes = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split(';').next().unwrap_or_default().trim_end();
        if line.trim_start().is_empty() {
            continue;
        }
        match encode(generation, line) {
            Ok(encoded) => bytes.extend_from_slice(&encoded),
            Err(error) => mistakes.push((index + 1, error.to_string())),
        }
    }
    if mistakes.is_empty() { Ok(bytes) } else { Err(mistakes) }
}

/// The bytes of one instruction: 4 or 8. Texts and encodings have errors of their own.
fn encode(generation: Generation, line: &str) -> Result<gcn::Bytes, Box<dyn std::error::Error>> {
    Ok(Inst::parse(generation, line)?.to_bytes()?)
}
