//! How files are assembled.

use std::path::PathBuf;

use crate::sections::MAX_BYTES;

/// How files are assembled.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Folders in which `.include` and `.incbin` look for files, after the folder of the including file.
    pub folders: Vec<PathBuf>,
    /// Whether statements may not name files: `.include` and `.incbin` are errors then.
    pub closed: bool,
    /// Symbols that have values from the beginning.
    pub symbols: Vec<(String, i64)>,
    /// Whether instructions keep their written encodings, even if shorter encodings exist.
    pub exact: bool,
    /// Whether the places of statements are kept, for a listing.
    pub listing: bool,
    /// How much is assembled at most.
    pub limits: Limits,
}

/// How much is assembled at most, for programs from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Limit on the bytes of all sections.
    pub bytes: u64,
    /// Limit on statements, counting each repetition.
    pub statements: u64,
}

impl Default for Limits {
    /// As much as a file can have.
    fn default() -> Limits {
        Limits { bytes: MAX_BYTES, statements: u64::MAX }
    }
}
