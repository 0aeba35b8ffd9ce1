//! One line of output for each line of input.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use isadl::visible::visible_line;

use crate::check::is_input;
use crate::{Failure, Outcome};

/// The number of bytes read or written at once.
const CHUNK: usize = 1 << 16;

/// Opens a file; `-` is standard input.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if is_input(path) {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(Failure::Usage(format!("{}: {error}", path.display()))),
    }
}

/// Answers each line of a file with one line of standard output: the answer, or
/// `error: ` and a message. A line ends with LF or CRLF, except that the last one may have no line
/// end. Answers are written before waiting for more input, so that a program can use a pipe
/// interactively.
pub(crate) fn answer(path: &Path, line: impl Fn(&[u8]) -> Result<String, String>) -> Outcome {
    let mut input = BufReader::with_capacity(CHUNK, open(path)?);
    let mut out = BufWriter::with_capacity(CHUNK, std::io::stdout().lock());
    let mut bytes = Vec::new();
    let mut failed = false;
    loop {
        if input.buffer().is_empty() && is_gone(out.flush())? {
            break;
        }
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let answer = line(text.strip_suffix(b"\r").unwrap_or(text));
        failed |= answer.is_err();
        let written = match answer {
            Ok(answer) => writeln!(out, "{}", visible_line(&answer)),
            Err(error) => writeln!(out, "error: {}", visible_line(&error)),
        };
        if is_gone(written)? {
            break;
        }
    }
    is_gone(out.flush())?;
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// Whether the reader closed the pipe, which is not an error.
pub(crate) fn is_gone(written: std::io::Result<()>) -> Result<bool, Failure> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(true),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(false),
    }
}
