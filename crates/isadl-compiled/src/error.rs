//! Why a file is not read.

use std::fmt;

use crate::version::VERSION;

/// Why bytes are not a compiled instruction set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// They do not begin as one does.
    NotCompiled,
    /// Another version of isadl wrote them.
    Version {
        /// That version.
        written: String,
    },
    /// They end too early, or go on after the end.
    Length,
    /// The checksum of a part does not match.
    Damaged {
        /// The part.
        part: &'static str,
    },
    /// A part refers to something that is not there.
    Misfit {
        /// The part.
        part: &'static str,
        /// The fault.
        what: String,
    },
    /// Their checksums match, but the tables are invalid: isadl did not write them.
    Forged,
    /// They are without programs, or have fewer generations.
    Absent {
        /// The part.
        part: &'static str,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NotCompiled => f.write_str("not a compiled instruction set"),
            ReadError::Version { written } => write!(
                f,
                "written by isadl {written}, and this is {}: compile the specification again",
                VERSION
            ),
            ReadError::Length => f.write_str("the file is cut off, or has bytes after its end"),
            ReadError::Damaged { part } => write!(f, "the file is damaged: its {part}"),
            ReadError::Misfit { part, what } => {
                write!(f, "the {part} of the file do not fit: {what}")
            }
            ReadError::Forged => {
                f.write_str("not what `isadl compile` writes: its tables lead nowhere")
            }
            ReadError::Absent { part } => write!(f, "the file has no {part}"),
        }
    }
}

impl std::error::Error for ReadError {}
