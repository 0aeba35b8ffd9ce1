//! A client that speaks the protocol.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
}

pub(crate) fn frame(command: &[u8]) -> Vec<u8> {
    let sum = command.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    [b"$", command, format!("#{sum:02x}").as_bytes()].concat()
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let mut byte = [0];
        self.stream.read_exact(&mut byte).unwrap();
        byte[0]
    }

    /// The next answer, with its repetitions written out, acknowledged.
    pub(crate) fn answer(&mut self) -> String {
        while self.byte() != b'$' {}
        let (mut raw, mut text) = (Vec::new(), String::new());
        loop {
            let byte = self.byte();
            if byte == b'#' {
                break;
            }
            match raw.last() {
                Some(b'*') => {
                    let last = text.chars().next_back().unwrap();
                    text.extend((0..byte - 29).map(|_| last));
                }
                _ if byte == b'*' => {}
                _ => text.push(char::from(byte)),
            }
            raw.push(byte);
        }
        let sum = [b'#', self.byte(), self.byte()];
        assert!(frame(&raw).ends_with(&sum), "{text}");
        self.send(b"+");
        text
    }

    /// Sends a command and gets its answer.
    pub(crate) fn ask(&mut self, command: &str) -> String {
        self.send(&frame(command.as_bytes()));
        self.answer()
    }
}
