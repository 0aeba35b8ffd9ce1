//! Access to the memory of the program: every pointer is checked, and every length is limited.

use super::errno::Errno;
use crate::memory::{Access, Memory, PAGE};

/// The most bytes of a path, with the zero at its end.
const MAX_PATH: u64 = 4096;

/// The memory of a program, and the size of its words.
pub(super) struct Guest<'m> {
    pub(super) memory: &'m mut Memory,
    /// Bytes in a word: 4 or 8.
    pub(super) word: u32,
}

impl Guest<'_> {
    /// How many bytes from an address on an access is allowed for, at most `length`.
    pub(super) fn allowed(&self, address: u64, length: u64, access: Access) -> u64 {
        let end = address.saturating_add(length).min(self.memory.end());
        let mut at = address;
        while at < end && self.memory.access(at).allows(access) {
            at = (at | (PAGE - 1)).saturating_add(1);
        }
        at.min(end).saturating_sub(address)
    }

    /// The readable bytes at an address, at most `length`.
    ///
    /// # Errors
    ///
    /// If there is none, and some are wanted.
    pub(super) fn readable(&self, address: u64, length: u64) -> Result<&[u8], Errno> {
        let allowed = self.allowed(address, length, Access::READ);
        if allowed == 0 && length > 0 {
            return Err(Errno::FAULT);
        }
        self.bytes(address, allowed)
    }

    /// How many bytes can be written at an address, at most `length`.
    ///
    /// # Errors
    ///
    /// If there is none, and some are wanted.
    pub(super) fn writable(&self, address: u64, length: u64) -> Result<u64, Errno> {
        match self.allowed(address, length, Access::WRITE) {
            0 if length > 0 => Err(Errno::FAULT),
            allowed => Ok(allowed),
        }
    }

    pub(super) fn bytes(&self, address: u64, length: u64) -> Result<&[u8], Errno> {
        self.memory.bytes(address, length, Access::READ).map_err(|_| Errno::FAULT)
    }

    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        self.memory.write(address, bytes).map_err(|_| Errno::FAULT)
    }

    pub(super) fn u32(&self, address: u64) -> Result<u32, Errno> {
        let bytes = self.bytes(address, 4)?;
        Ok(bytes.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte)))
    }

    pub(super) fn u64(&self, address: u64) -> Result<u64, Errno> {
        self.number(address, 8)
    }

    /// A word without a sign.
    pub(super) fn word(&self, address: u64) -> Result<u64, Errno> {
        self.number(address, self.word)
    }

    fn number(&self, address: u64, size: u32) -> Result<u64, Errno> {
        let bytes = self.bytes(address, size.into())?;
        Ok(bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
    }

    /// A text that ends with a zero, without it.
    pub(super) fn path(&self, address: u64) -> Result<Vec<u8>, Errno> {
        let bytes = self.readable(address, MAX_PATH)?;
        match bytes.iter().position(|byte| *byte == 0) {
            Some(end) => Ok(bytes[..end].to_vec()),
            None if (bytes.len() as u64) < MAX_PATH => Err(Errno::FAULT),
            None => Err(Errno::NAMETOOLONG),
        }
    }
}

/// A structure that is written to memory, field by field.
pub(super) struct Record {
    bytes: Vec<u8>,
    word: u32,
}

impl Record {
    /// A structure of a program whose words have so many bytes.
    pub(super) fn new(word: u32) -> Record {
        Record { bytes: Vec::new(), word }
    }

    pub(super) fn u16(mut self, value: u16) -> Record {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    pub(super) fn u32(mut self, value: u32) -> Record {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    pub(super) fn u64(mut self, value: u64) -> Record {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// A word. Of a larger number it has the lower half.
    pub(super) fn word(mut self, value: u64) -> Record {
        self.bytes.extend(&value.to_le_bytes()[..self.word as usize]);
        self
    }

    /// A text in a field of fixed length, with at least one zero after it.
    pub(super) fn text(mut self, text: &str, length: usize) -> Record {
        let end = self.bytes.len() + length;
        self.bytes.extend(text.bytes().take(length.saturating_sub(1)));
        self.bytes.resize(end, 0);
        self
    }

    /// Zeros up to an offset.
    pub(super) fn up_to(mut self, offset: usize) -> Record {
        self.bytes.resize(offset, 0);
        self
    }

    pub(super) fn write(&self, guest: &mut Guest<'_>, address: u64) -> Result<(), Errno> {
        guest.write(address, &self.bytes)
    }
}
