//! Texts in chunks of a fixed size, which the generated printer copies whole.

use std::collections::BTreeMap;

type Chunk = Vec<u8>;

/// Tables of chunks, each once.
pub(super) struct Chunks {
    /// Bytes in a chunk: text, and its length in the last.
    size: usize,
    list: Vec<Chunk>,
    tables: BTreeMap<Vec<Chunk>, u32>,
}

impl Chunks {
    pub(super) fn new(size: usize) -> Chunks {
        Chunks { size, list: Vec::new(), tables: BTreeMap::new() }
    }

    /// The first chunks of tables that together hold the texts, one table for as many bytes of the
    /// longest as a chunk holds.
    pub(super) fn add(&mut self, texts: &[String]) -> Vec<u32> {
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        let (size, count) = (self.size, longest.div_ceil(self.size - 1).max(1));
        let table = |part| texts.iter().map(move |text| chunk(size, text, part));
        (0..count).map(|part| self.table(table(part))).collect()
    }

    /// The first chunk of a text, and how many it has one after another.
    pub(super) fn add_text(&mut self, text: &str) -> (u32, usize) {
        let (size, count) = (self.size, text.len().div_ceil(self.size - 1).max(1));
        (self.table((0..count).map(|part| chunk(size, text, part))), count)
    }

    fn table(&mut self, chunks: impl Iterator<Item = Chunk>) -> u32 {
        let table: Vec<Chunk> = chunks.collect();
        if let Some(first) = self.tables.get(&table) {
            return *first;
        }
        let first = self.list.len() as u32;
        self.list.extend(table.iter().cloned());
        self.tables.insert(table, first);
        first
    }

    /// The chunks as a byte string, 64 bytes a line.
    pub(super) fn literal(&self) -> String {
        let mut text = String::from("b\"");
        for (index, byte) in self.list.iter().flatten().enumerate() {
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
}

/// Part `part` of a text, as a chunk of `size` bytes.
fn chunk(size: usize, text: &str, part: usize) -> Chunk {
    let bytes = text.as_bytes();
    let rest = bytes.get(part * (size - 1)..).unwrap_or_default();
    let length = rest.len().min(size - 1);
    let mut chunk = vec![0; size];
    chunk[..length].copy_from_slice(&rest[..length]);
    chunk[size - 1] = length as u8;
    chunk
}
