//! Instructions one after another in a stream of bytes, with their addresses.

use std::iter::FusedIterator;

use crate::isa::{DecodeError, Inst};

use super::Engine;

/// The instructions of a stream of bytes with their offsets in bytes.
///
/// Where there is none, it steps over as many bytes as the shortest instruction has, or, after
/// [`by_length`](Stream::by_length), as many as the bits there tell. It ends after the last byte.
#[derive(Debug, Clone)]
pub struct Stream<'s> {
    engine: &'s Engine<'s>,
    bytes: &'s [u8],
    offset: usize,
    base: u64,
    is_by_length: bool,
}

impl Engine<'_> {
    /// The instructions of a stream of bytes with their offsets; the first byte has the address 0.
    pub fn stream<'s>(&'s self, bytes: &'s [u8]) -> Stream<'s> {
        Stream { engine: self, bytes, offset: 0, base: 0, is_by_length: false }
    }
}

impl Stream<'_> {
    /// The same stream, whose first byte has an address.
    #[must_use]
    pub fn at(self, address: u64) -> Self {
        Stream { base: address, ..self }
    }

    /// The same stream, which steps over a word that is no instruction by the length that its first bits tell, as
    /// [`Engine::first_word`] does.
    #[must_use]
    pub fn by_length(self) -> Self {
        Stream { is_by_length: true, ..self }
    }

    /// The offset of the next instruction, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The address of the next instruction. Addresses have 64 bits and wrap.
    pub fn address(&self) -> u64 {
        self.base.wrapping_add(self.offset as u64)
    }

    /// Goes on at an offset in bytes. Behind the last byte there are no instructions.
    pub fn seek(&mut self, offset: usize) {
        self.offset = offset;
    }

    /// Goes on at an address. If it is not that of one of the bytes, or that after the last of them, nothing changes, and
    /// the answer is `false`.
    pub fn seek_address(&mut self, address: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        let is_inside = offset <= self.bytes.len() as u64;
        if is_inside {
            self.offset = offset as usize;
        }
        is_inside
    }

    /// Bytes to step over where there is no instruction.
    fn step(&self, rest: &[u8]) -> usize {
        let length = match self.is_by_length {
            true => self.engine.first_word(rest).1,
            false => self.engine.tables.shortest,
        };
        length.clamp(1, rest.len())
    }
}

impl Iterator for Stream<'_> {
    type Item = (usize, Result<Inst, DecodeError>);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.offset..).filter(|rest| !rest.is_empty())?;
        let at = self.offset;
        let decoded = self.engine.decode_bytes(rest);
        self.offset += match &decoded {
            Ok((_, length)) => *length,
            Err(_) => self.step(rest),
        };
        Some((at, decoded.map(|(inst, _)| inst)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.bytes.len().saturating_sub(self.offset);
        let isa = self.engine.isa();
        (rest.div_ceil(isa.bytes()), Some(rest.div_ceil(self.engine.tables.shortest)))
    }
}

impl FusedIterator for Stream<'_> {}
