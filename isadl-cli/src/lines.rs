//! One line of output for each line of input.

use std::io::{BufRead, BufReader, BufWriter, Write};

use crate::{Failure, Outcome};

/// Bytes read or written at once.
const CHUNK: usize = 1 << 16;

/// Answers each line of standard input with one line of standard output: the answer, or
/// `error: ` and what is wrong. A line ends with LF or CRLF; the last one may lack it. Answers
/// are written before more input is waited for, so that a pipe can be a conversation.
pub(crate) fn answer(line: impl Fn(&[u8]) -> Result<String, String>) -> Outcome {
    let mut input = BufReader::with_capacity(CHUNK, std::io::stdin().lock());
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
            Ok(answer) => writeln!(out, "{answer}"),
            Err(error) => writeln!(out, "error: {error}"),
        };
        if is_gone(written)? {
            break;
        }
    }
    is_gone(out.flush())?;
    if failed { Err(Failure::Input) } else { Ok(()) }
}

/// Whether the reader went away, which is no error.
pub(crate) fn is_gone(written: std::io::Result<()>) -> Result<bool, Failure> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(true),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(false),
    }
}
