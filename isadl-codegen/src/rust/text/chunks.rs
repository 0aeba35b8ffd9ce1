//! Texts in chunks of a fixed size, which the generated printer copies whole.

use std::collections::BTreeMap;

/// Bytes in a chunk: text, and its length in the last.
pub(in crate::rust) const CHUNK: usize = 16;

/// Bytes in a long chunk, likewise.
pub(in crate::rust) const LONG_CHUNK: usize = 32;

/// The length of a chunk whose text is the long one that its first two bytes number.
const IS_LONG: u8 = u8::MAX;

type Chunk = [u8; CHUNK];
type LongChunk = [u8; LONG_CHUNK];

/// Tables of chunks, each once.
pub(super) struct Chunks {
    /// Bytes of text that a chunk stands for.
    room: usize,
    list: Vec<Chunk>,
    tables: BTreeMap<Vec<Chunk>, u32>,
    long: Vec<LongChunk>,
    long_ones: BTreeMap<LongChunk, usize>,
}

impl Chunks {
    /// `room` is how many bytes of text a chunk stands for, at most those of a long one.
    pub(super) fn new(room: usize) -> Chunks {
        Chunks {
            room,
            list: Vec::new(),
            tables: BTreeMap::new(),
            long: Vec::new(),
            long_ones: BTreeMap::new(),
        }
    }

    /// The first chunks of tables that together hold the texts, one table for as many bytes of the
    /// longest as a chunk stands for.
    pub(super) fn add(&mut self, texts: &[String]) -> Vec<u32> {
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        let count = longest.div_ceil(self.room).max(1);
        let mut tables = Vec::with_capacity(count);
        for part in 0..count {
            let chunks = texts.iter().map(|text| self.chunk(text, part)).collect();
            tables.push(self.table(chunks));
        }
        tables
    }

    /// The first chunk of a text, and how many it has one after another.
    pub(super) fn add_text(&mut self, text: &str) -> (u32, usize) {
        let count = text.len().div_ceil(self.room).max(1);
        let chunks = (0..count).map(|part| self.chunk(text, part)).collect();
        (self.table(chunks), count)
    }

    /// The first long chunk of a text, and how many it has one after another.
    pub(super) fn add_long(&mut self, text: &str) -> (usize, usize) {
        let first = self.long.len();
        let parts: Vec<LongChunk> = (0..text.len().div_ceil(LONG_CHUNK - 1).max(1))
            .map(|p| filled(part(text, p)))
            .collect();
        match self.long_ones.get(&parts[0]).filter(|_| parts.len() == 1) {
            Some(known) => (*known, 1),
            None => {
                self.long_ones.entry(parts[0]).or_insert(first);
                self.long.extend(&parts);
                (first, parts.len())
            }
        }
    }

    /// Part `at` of a text; a long one by its number.
    fn chunk(&mut self, text: &str, at: usize) -> Chunk {
        let bytes = text.as_bytes().get(at * self.room..).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(self.room)];
        if bytes.len() < CHUNK {
            return filled(bytes);
        }
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (number, _) = self.add_long(&text);
        let mut chunk = [0; CHUNK];
        chunk[..2].copy_from_slice(&(number as u16).to_le_bytes());
        chunk[CHUNK - 1] = IS_LONG;
        chunk
    }

    fn table(&mut self, table: Vec<Chunk>) -> u32 {
        if let Some(first) = self.tables.get(&table) {
            return *first;
        }
        let first = self.list.len() as u32;
        self.list.extend(&table);
        self.tables.insert(table, first);
        first
    }

    /// The chunks as a byte string.
    pub(super) fn literal(&self) -> String {
        byte_string(self.list.iter().flatten())
    }

    /// The long chunks as a byte string.
    pub(super) fn long_literal(&self) -> String {
        byte_string(self.long.iter().flatten())
    }
}

/// Part `at` of a text in long chunks.
fn part(text: &str, at: usize) -> &[u8] {
    let rest = text.as_bytes().get(at * (LONG_CHUNK - 1)..).unwrap_or_default();
    &rest[..rest.len().min(LONG_CHUNK - 1)]
}

/// Bytes of text with their number in the last.
fn filled<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut chunk = [0; N];
    chunk[..bytes.len()].copy_from_slice(bytes);
    chunk[N - 1] = bytes.len() as u8;
    chunk
}

/// A byte string, 64 bytes a line.
fn byte_string<'b>(bytes: impl Iterator<Item = &'b u8>) -> String {
    let mut text = String::from("b\"");
    for (index, byte) in bytes.enumerate() {
        if index % 64 == 0 {
            text += "\\\n    ";
        }
        match byte {
            // Space at the start of a continued line would be skipped.
            b' ' if index % 64 == 0 => text += "\\x20",
            0 => text += "\\0",
            b'"' | b'\\' => text.extend(['\\', char::from(*byte)]),
            0x20..=0x7e => text.push(char::from(*byte)),
            _ => text += &format!("\\x{byte:02x}"),
        }
    }
    text + "\""
}
