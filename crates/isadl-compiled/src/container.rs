//! The file: a head that names the version, a list of parts with their sums, and the parts.
//!
//! All numbers are little-endian. The head is [`MAGIC`], the length of the version in one byte, and the version; then the number of
//! parts, 32 bits, and the sum of the list. An entry of the list has the kind and the generation of a part, 32 bits each, its length,
//! 64 bits, and its sum. The parts follow in the order of the list. A sum is XXH3 of 128 bits.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_128;

use crate::error::ReadError;
use crate::version::VERSION;

/// The first bytes. No text begins so, and a file that was copied as text is not one.
const MAGIC: &[u8; 10] = b"\x7fISADL\r\n\x1a\n";

/// Bytes of an entry of the list.
const ENTRY: usize = 4 + 4 + 8 + 16;

/// The kinds of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The generations.
    Summary,
    /// The lowered form of a generation.
    Isa,
    /// The tables of a generation.
    Image,
    /// The texts of the programs of a generation.
    Texts,
    /// The programs of a generation.
    Programs,
    /// The source files.
    Sources,
    /// Other files of the specification's folder.
    Beside,
}

impl Kind {
    const ALL: [Kind; 7] = [
        Kind::Summary,
        Kind::Isa,
        Kind::Image,
        Kind::Texts,
        Kind::Programs,
        Kind::Sources,
        Kind::Beside,
    ];

    /// Its name in messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Summary => "list of generations",
            Kind::Isa => "definitions",
            Kind::Image => "tables",
            Kind::Texts => "texts of programs",
            Kind::Programs => "programs",
            Kind::Sources => "source files",
            Kind::Beside => "files beside the specification",
        }
    }
}

/// Where a part is.
#[derive(Debug, Clone)]
struct Entry {
    kind: Kind,
    generation: usize,
    range: Range<usize>,
    sum: u128,
}

/// Whether bytes begin as a compiled instruction set does, of any version.
pub fn is_compiled(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Puts parts together.
pub(crate) fn join(parts: &[(Kind, usize, Vec<u8>)]) -> Vec<u8> {
    let mut list = Vec::with_capacity(parts.len() * ENTRY);
    for (kind, generation, bytes) in parts {
        list.extend((*kind as u32).to_le_bytes());
        list.extend((*generation as u32).to_le_bytes());
        list.extend((bytes.len() as u64).to_le_bytes());
        list.extend(xxh3_128(bytes).to_le_bytes());
    }
    let mut file = MAGIC.to_vec();
    file.push(VERSION.len() as u8);
    file.extend(VERSION.as_bytes());
    file.extend((parts.len() as u32).to_le_bytes());
    file.extend(xxh3_128(&list).to_le_bytes());
    file.extend(list);
    file.extend(parts.iter().flat_map(|(_, _, bytes)| bytes));
    file
}

/// The parts of a file, whose sums are compared when they are read.
#[derive(Debug)]
pub(crate) struct Parts {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

impl Parts {
    /// Reads the list.
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Parts, ReadError> {
        let mut rest = Rest { bytes: &bytes };
        if rest.take(MAGIC.len()).ok() != Some(MAGIC) {
            return Err(ReadError::NotCompiled);
        }
        let [length] = rest.array::<1>()?;
        let written = String::from_utf8_lossy(rest.take(length.into())?);
        if written != VERSION {
            return Err(ReadError::Version { written: written.into_owned() });
        }
        let count = u32::from_le_bytes(rest.array()?) as usize;
        let sum = u128::from_le_bytes(rest.array()?);
        let list = rest.take(count.checked_mul(ENTRY).ok_or(ReadError::Length)?)?;
        if xxh3_128(list) != sum {
            return Err(ReadError::Damaged { part: "list of parts" });
        }
        let start = bytes.len() - rest.bytes.len();
        let entries = entries(list, start)?;
        if entries.last().map_or(start, |last| last.range.end) != bytes.len() {
            return Err(ReadError::Length);
        }
        Ok(Parts { bytes, entries })
    }

    /// Whether all parts have their sums.
    pub(crate) fn is_whole(&self) -> bool {
        let is_own = |entry: &Entry| xxh3_128(&self.bytes[entry.range.clone()]) == entry.sum;
        self.entries.iter().all(is_own)
    }

    /// Whether there is a part.
    pub(crate) fn has(&self, kind: Kind, generation: usize) -> bool {
        self.find(kind, generation).is_some()
    }

    fn find(&self, kind: Kind, generation: usize) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.kind == kind && entry.generation == generation)
    }

    /// The bytes of a part.
    pub(crate) fn part(&self, kind: Kind, generation: usize) -> Result<&[u8], ReadError> {
        let part = kind.name();
        let entry = self.find(kind, generation).ok_or(ReadError::Absent { part })?;
        let bytes = &self.bytes[entry.range.clone()];
        if xxh3_128(bytes) == entry.sum { Ok(bytes) } else { Err(ReadError::Damaged { part }) }
    }
}

/// The entries of a list whose parts begin at a position; each begins where the one before it ends.
fn entries(list: &[u8], mut start: usize) -> Result<Vec<Entry>, ReadError> {
    let mut rest = Rest { bytes: list };
    let mut entries = Vec::new();
    while !rest.bytes.is_empty() {
        let kind = u32::from_le_bytes(rest.array()?) as usize;
        let kind = Kind::ALL.get(kind).ok_or(ReadError::Damaged { part: "list of parts" })?;
        let generation = u32::from_le_bytes(rest.array()?) as usize;
        let length = usize::try_from(u64::from_le_bytes(rest.array()?));
        let end = length.ok().and_then(|length| start.checked_add(length));
        let end = end.ok_or(ReadError::Length)?;
        let sum = u128::from_le_bytes(rest.array()?);
        entries.push(Entry { kind: *kind, generation, range: start..end, sum });
        start = end;
    }
    Ok(entries)
}

/// The bytes that are not read yet.
struct Rest<'b> {
    bytes: &'b [u8],
}

impl<'b> Rest<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], ReadError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(ReadError::Length)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }
}
