//! Texts in chunks of a fixed size, which the printer copies whole.

use std::collections::{BTreeMap, HashMap};

use super::step::Texts;
use super::step_cache::MAX_KNOWN;
use isadl_engine::image::Span;
use isadl_engine::image_text::{CHUNK, IS_LONG, LONG_CHUNK};

type Chunk = [u8; CHUNK];
type LongChunk = [u8; LONG_CHUNK];

/// Tables of chunks, each once.
pub(super) struct Chunks {
    /// Bytes of text that a chunk stands for.
    room: usize,
    pub(super) list: Vec<Chunk>,
    tables: BTreeMap<Vec<Chunk>, u32>,
    /// The tables of texts that were added before, by their addresses.
    added: HashMap<usize, (Texts, Vec<u32>)>,
    pub(super) long: Vec<LongChunk>,
    long_ones: BTreeMap<LongChunk, u32>,
}

impl Chunks {
    /// `room` is the number of bytes of text per chunk, at most the bytes of a long chunk.
    pub(super) fn new(room: usize) -> Chunks {
        Chunks {
            room,
            list: Vec::new(),
            tables: BTreeMap::new(),
            added: HashMap::new(),
            long: Vec::new(),
            long_ones: BTreeMap::new(),
        }
    }

    /// Adds tables that together hold the texts, and returns their first chunks. Each table holds one chunk of every
    /// text.
    pub(super) fn add(&mut self, texts: &Texts) -> Vec<u32> {
        if let Some((_, tables)) = self.added.get(&texts.address()) {
            return tables.clone();
        }
        let count = texts.longest.div_ceil(self.room).max(1);
        let mut tables = Vec::with_capacity(count);
        for part in 0..count {
            let chunks = texts.list().iter().map(|text| self.chunk(text, part)).collect();
            tables.push(self.table(chunks));
        }
        if self.added.len() >= MAX_KNOWN {
            self.added.clear();
        }
        // The texts are kept, so that no others get their address.
        self.added.insert(texts.address(), (texts.clone(), tables.clone()));
        tables
    }

    /// The chunks of a text.
    pub(super) fn add_text(&mut self, text: &str) -> Span {
        let count = text.len().div_ceil(self.room).max(1);
        let chunks = (0..count).map(|part| self.chunk(text, part)).collect();
        (self.table(chunks), count as u32)
    }

    /// The long chunks of a text.
    pub(super) fn add_long(&mut self, text: &[u8]) -> Span {
        let first = self.long.len() as u32;
        let parts: Vec<LongChunk> = match text {
            [] => vec![filled(text)],
            _ => text.chunks(LONG_CHUNK - 1).map(filled).collect(),
        };
        match self.long_ones.get(&parts[0]).filter(|_| parts.len() == 1) {
            Some(known) => (*known, 1),
            None => {
                self.long_ones.entry(parts[0]).or_insert(first);
                self.long.extend(&parts);
                (first, parts.len() as u32)
            }
        }
    }

    /// Part `at` of a text; a long part is given by its number.
    fn chunk(&mut self, text: &str, at: usize) -> Chunk {
        let bytes = text.as_bytes().get(at * self.room..).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(self.room)];
        if bytes.len() < CHUNK {
            return filled(bytes);
        }
        let (number, _) = self.add_long(bytes);
        let mut chunk = [0; CHUNK];
        chunk[..4].copy_from_slice(&number.to_le_bytes());
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
}

/// Bytes of text with their number in the last.
fn filled<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut chunk = [0; N];
    chunk[..bytes.len()].copy_from_slice(bytes);
    chunk[N - 1] = bytes.len() as u8;
    chunk
}
