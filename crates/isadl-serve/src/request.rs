//! Requests of HTTP/1.1, read within limits of size and time. Each connection carries one request.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Limit on the bytes of a request's head.
const HEAD_BYTES: usize = 32 << 10;

/// Limit on the headers of a request.
const HEADERS: usize = 64;

/// Limit on the bytes of a question.
const BODY_BYTES: usize = 64 << 20;

/// How long the head of a request may take.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long the body of a request may take.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The head of a request.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
}

/// Why a request cannot be read: the status of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unread(pub(crate) u16);

impl Head {
    #[cfg(test)]
    pub(crate) fn of(headers: &[(&str, &str)]) -> Head {
        let own = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        Head { headers: headers.iter().map(own).collect(), ..Head::default() }
    }

    /// The values of a header, by its name in lower case.
    pub(crate) fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h str> {
        let own = self.headers.iter().filter(move |(known, _)| known == name);
        own.map(|(_, value)| value.as_str())
    }

    /// The length of the body.
    fn length(&self) -> Result<usize, Unread> {
        // Bodies in chunks have no length that could be refused before they are read.
        if self.all("transfer-encoding").next().is_some() {
            return Err(Unread(411));
        }
        let mut lengths = self.all("content-length");
        let length = match (lengths.next(), lengths.next()) {
            (None, _) => return Ok(0),
            (Some(length), None) => length,
            _ => return Err(Unread(400)),
        };
        let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        match length.parse() {
            Ok(length) if is_number && length <= BODY_BYTES => Ok(length),
            _ if is_number => Err(Unread(413)),
            _ => Err(Unread(400)),
        }
    }
}

/// Reads a request. `judge` decides by its head whether the body is read.
pub(crate) fn read(
    stream: &mut TcpStream,
    judge: impl FnOnce(&Head) -> Result<(), Unread>,
) -> Result<(Head, Vec<u8>), Unread> {
    let mut bytes = Vec::new();
    let end = Instant::now() + HEAD_TIME;
    let (head, start) = loop {
        if let Some(found) = parse(&bytes)? {
            break found;
        }
        if bytes.len() >= HEAD_BYTES {
            return Err(Unread(431));
        }
        more(stream, &mut bytes, 4096, end)?;
    };
    judge(&head)?;
    let length = head.length()?;
    if head.all("expect").any(|value| value.eq_ignore_ascii_case("100-continue")) {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").map_err(|_| Unread(400))?;
    }
    let mut body = bytes.split_off(start);
    let end = Instant::now() + BODY_TIME;
    while body.len() < length {
        let left = length - body.len();
        more(stream, &mut body, left.min(1 << 16), end)?;
    }
    body.truncate(length);
    Ok((head, body))
}

/// The head in the first bytes of a request, and where it ends; `None` if more is needed.
fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, Unread> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let start = match request.parse(bytes) {
        Ok(httparse::Status::Complete(start)) => start,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Unread(431)),
        Err(_) => return Err(Unread(400)),
    };
    let header = |header: &httparse::Header<'_>| {
        (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned())
    };
    let method = request.method.unwrap_or_default().to_string();
    let path = request.path.unwrap_or_default().to_string();
    let headers = request.headers.iter().map(header).collect();
    Ok(Some((Head { method, path, headers }, start)))
}

/// Reads some bytes of a connection, before a time.
fn more(
    stream: &mut TcpStream,
    bytes: &mut Vec<u8>,
    most: usize,
    end: Instant,
) -> Result<(), Unread> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
        return Err(Unread(408));
    }
    let start = bytes.len();
    bytes.resize(start + most, 0);
    let read = stream.read(&mut bytes[start..]);
    bytes.truncate(start + *read.as_ref().unwrap_or(&0));
    match read {
        Ok(0) => Err(Unread(400)),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        Err(_) => Err(Unread(408)),
    }
}

/// Whether the other side of a connection still waits for an answer.
pub(crate) fn is_waiting(stream: &TcpStream) -> bool {
    if stream.set_nonblocking(true).is_err() {
        return false;
    }
    let waits = match stream.peek(&mut [0]) {
        Ok(length) => length > 0,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    };
    stream.set_nonblocking(false).is_ok() && waits
}
