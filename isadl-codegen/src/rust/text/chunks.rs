//! Texts in chunks of a fixed size, which the generated printer copies whole.

use std::collections::BTreeMap;

/// Bytes in a chunk: text, and its length in the last.
pub(super) const CHUNK: usize = 16;

/// Bytes of text that a chunk holds.
pub(super) const CHUNK_TEXT: usize = CHUNK - 1;

type Chunk = [u8; CHUNK];

/// Tables of chunks, each once.
#[derive(Default)]
pub(super) struct Chunks {
    list: Vec<Chunk>,
    tables: BTreeMap<Vec<Chunk>, u32>,
}

impl Chunks {
    /// The first chunks of tables that together hold the texts, one table for each `CHUNK_TEXT`
    /// bytes of the longest.
    pub(super) fn add(&mut self, texts: &[String]) -> Vec<u32> {
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        let count = longest.div_ceil(CHUNK_TEXT).max(1);
        (0..count).map(|part| self.table(texts.iter().map(|text| chunk(text, part)))).collect()
    }

    /// The first chunk of a text, and how many it has one after another.
    pub(super) fn add_text(&mut self, text: &str) -> (u32, usize) {
        let count = text.len().div_ceil(CHUNK_TEXT).max(1);
        (self.table((0..count).map(|part| chunk(text, part))), count)
    }

    fn table(&mut self, chunks: impl Iterator<Item = Chunk>) -> u32 {
        let table: Vec<Chunk> = chunks.collect();
        if let Some(first) = self.tables.get(&table) {
            return *first;
        }
        let first = self.list.len() as u32;
        self.list.extend(&table);
        self.tables.insert(table, first);
        first
    }

    /// The chunks as a byte string, four of them a line.
    pub(super) fn literal(&self) -> String {
        let mut text = String::from("b\"");
        for (index, byte) in self.list.iter().flatten().enumerate() {
            if index % (4 * CHUNK) == 0 {
                text += "\\\n    ";
            }
            match byte {
                // Space at the start of a continued line would be skipped.
                b' ' if index % (4 * CHUNK) == 0 => text += "\\x20",
                0 => text += "\\0",
                b'"' | b'\\' => text.extend(['\\', char::from(*byte)]),
                0x20..=0x7e => text.push(char::from(*byte)),
                _ => text += &format!("\\x{byte:02x}"),
            }
        }
        text + "\""
    }
}

/// Part `part` of a text.
fn chunk(text: &str, part: usize) -> Chunk {
    let bytes = text.as_bytes();
    let rest = bytes.get(part * CHUNK_TEXT..).unwrap_or_default();
    let length = rest.len().min(CHUNK_TEXT);
    let mut chunk = [0; CHUNK];
    chunk[..length].copy_from_slice(&rest[..length]);
    chunk[CHUNK_TEXT] = length as u8;
    chunk
}
