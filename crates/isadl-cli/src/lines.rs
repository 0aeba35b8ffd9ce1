//! One line of output for each line of input.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use isadl::visible::visible_line;

use crate::check::is_input;
use crate::{Failure, Outcome};

/// The number of bytes read or written at once.
const CHUNK: usize = 1 << 16;

/// A file, or standard input.
pub(crate) type Input = BufReader<Box<dyn Read>>;

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

/// Answers each line of a file with one line of standard output: the answer, or `error: ` and a message. A line ends
/// with LF or CRLF; the last line may have no line end. Answers are written before waiting for more input, so that a
/// program can use a pipe interactively.
pub(crate) fn answer(
    path: &Path,
    line: impl Fn(&[u8], &mut Vec<u8>) -> Result<(), String>,
) -> Outcome {
    answer_from(buffered(path)?, line)
}

/// Opens a file to be looked at before it is read.
pub(crate) fn buffered(path: &Path) -> Result<Input, Failure> {
    Ok(BufReader::with_capacity(CHUNK, open(path)?))
}

/// Answers each line of an opened input.
pub(crate) fn answer_from(
    mut input: Input,
    line: impl Fn(&[u8], &mut Vec<u8>) -> Result<(), String>,
) -> Outcome {
    let mut out = BufWriter::with_capacity(CHUNK, std::io::stdout().lock());
    let (mut bytes, mut answer) = (Vec::new(), Vec::new());
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
        answer.clear();
        if let Err(error) = line(text.strip_suffix(b"\r").unwrap_or(text), &mut answer) {
            failed = true;
            answer.clear();
            answer.extend_from_slice(b"error: ");
            answer.extend_from_slice(error.as_bytes());
        }
        let written = write_line(&mut out, &answer);
        if is_gone(written)? {
            break;
        }
    }
    is_gone(out.flush())?;
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// Writes a line of UTF-8, made safe for terminals.
fn write_line(out: &mut impl Write, line: &[u8]) -> std::io::Result<()> {
    // Most lines are printable ASCII, which is shown unchanged.
    match line.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        true => out.write_all(line)?,
        false => out.write_all(visible_line(&String::from_utf8_lossy(line)).as_bytes())?,
    }
    out.write_all(b"\n")
}

/// Whether the reader closed the pipe, which is not an error.
pub(crate) fn is_gone(written: std::io::Result<()>) -> Result<bool, Failure> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(true),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(false),
    }
}
