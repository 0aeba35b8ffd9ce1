//! The connection: packets that come, and bytes that go.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use gdbstub::conn::Connection;

use crate::Error;

/// How long a client may send nothing at first.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may read nothing after there is no more room for answers.
const UNREAD: Duration = Duration::from_secs(2);
/// How long the client is waited for at the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// What a debugger sends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Packet {
    /// A command, without its frame. Its sum is right.
    Command(Vec<u8>),
    /// A command whose sum is wrong: the debugger has to send it again.
    Damaged,
    /// Ctrl-C.
    Interrupt,
}

/// Takes packets from bytes. Commands longer than the limit end the session.
struct Frames {
    limit: usize,
    command: Vec<u8>,
    place: Place,
}

enum Place {
    Between,
    Command,
    /// After `#`, with the first digit if it was there.
    Sum(Option<u8>),
}

impl Frames {
    fn push(&mut self, byte: u8) -> Result<Option<Packet>, Error> {
        match self.place {
            Place::Between => match byte {
                b'$' => self.place = Place::Command,
                3 => return Ok(Some(Packet::Interrupt)),
                b'-' => return Err(Error::Protocol("an answer was refused".into())),
                // Acknowledgements; anything else is skipped as the protocol says.
                _ => {}
            },
            Place::Command if byte == b'#' => self.place = Place::Sum(None),
            Place::Command if self.command.len() == self.limit => {
                return Err(Error::Protocol("a packet is too long".into()));
            }
            Place::Command => self.command.push(byte),
            Place::Sum(None) => self.place = Place::Sum(Some(byte)),
            Place::Sum(Some(first)) => {
                self.place = Place::Between;
                let command = std::mem::take(&mut self.command);
                let right = [first, byte].eq_ignore_ascii_case(&sum(&command));
                return Ok(Some(if right { Packet::Command(command) } else { Packet::Damaged }));
            }
        }
        Ok(None)
    }
}

/// The sum of a packet's bytes, as its two digits.
fn sum(command: &[u8]) -> [u8; 2] {
    let sum = command.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    [sum >> 4, sum & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)])
}

/// The same packet with its frame.
pub(crate) fn framed(command: &[u8]) -> Vec<u8> {
    [b"$", command, b"#", &sum(command)].concat()
}

/// What comes from the debugger.
pub(crate) struct Input {
    stream: TcpStream,
    frames: Frames,
    bytes: Box<[u8; 4096]>,
    next: usize,
    end: usize,
}

impl Input {
    /// Commands have at most `limit` bytes.
    pub(crate) fn new(stream: TcpStream, limit: usize) -> Input {
        let frames = Frames { limit, command: Vec::new(), place: Place::Between };
        Input { stream, frames, bytes: Box::new([0; 4096]), next: 0, end: 0 }
    }

    /// Waits for the next packet.
    pub(crate) fn wait(&mut self) -> Result<Packet, Error> {
        loop {
            if let Some(packet) = self.buffered()? {
                return Ok(packet);
            }
            self.fill()?;
        }
    }

    /// The next packet, if it is there.
    pub(crate) fn poll(&mut self) -> Result<Option<Packet>, Error> {
        if let Some(packet) = self.buffered()? {
            return Ok(Some(packet));
        }
        // The other half of the connection, which writes, blocks again before it is used.
        self.stream.set_nonblocking(true)?;
        let filled = self.fill();
        self.stream.set_nonblocking(false)?;
        match filled {
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
            Ok(()) => self.buffered(),
        }
    }

    fn buffered(&mut self) -> Result<Option<Packet>, Error> {
        while self.next < self.end {
            self.next += 1;
            if let Some(packet) = self.frames.push(self.bytes[self.next - 1])? {
                return Ok(Some(packet));
            }
        }
        Ok(None)
    }

    /// Reads once, after all that was read is used.
    fn fill(&mut self) -> Result<(), Error> {
        self.next = 0;
        self.end = 0;
        self.end = loop {
            match self.stream.read(&mut self.bytes[..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        if self.end == 0 { Err(Error::Closed) } else { Ok(()) }
    }

    /// Says that nothing more is sent, and waits a little until the debugger closes: a connection that is closed while there are bytes
    /// to read is reset, and the debugger might lose the last answer.
    pub(crate) fn close(mut self) {
        let start = Instant::now();
        if self.stream.shutdown(Shutdown::Write).is_err() {
            return;
        }
        while let Some(left) = FAREWELL.checked_sub(start.elapsed()).filter(|left| !left.is_zero())
        {
            let timeout = self.stream.set_read_timeout(Some(left));
            if timeout.is_err() || self.fill().is_err() {
                return;
            }
        }
    }
}

/// What goes to the debugger, sent when an answer is complete.
pub(crate) struct Output {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Output {
    pub(crate) fn new(stream: TcpStream) -> io::Result<Output> {
        stream.set_write_timeout(Some(UNREAD))?;
        stream.set_nodelay(true)?;
        Ok(Output { stream, bytes: Vec::new() })
    }
}

impl Connection for Output {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.bytes.push(byte);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let sent = self.stream.write_all(&self.bytes);
        self.bytes.clear();
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packets(bytes: &[u8]) -> Result<Vec<Packet>, Error> {
        let mut frames = Frames { limit: 8, command: Vec::new(), place: Place::Between };
        bytes.iter().filter_map(|byte| frames.push(*byte).transpose()).collect()
    }

    #[test]
    fn frames() {
        let command = |text: &str| Packet::Command(text.into());
        assert_eq!(
            packets(b"+$g#67noise\x03$#00").unwrap(),
            [command("g"), Packet::Interrupt, command("")]
        );
        assert_eq!(
            packets(b"$z#7A$z#7a$z#7b$g#6").unwrap(),
            [command("z"), command("z"), Packet::Damaged]
        );
        assert_eq!(packets(b"$12345678#a4").unwrap(), [command("12345678")]);
        assert!(packets(b"$123456789").is_err());
        assert!(packets(b"-").is_err());
        assert_eq!(framed(b"g"), b"$g#67");
    }
}
