//! The choice of a generation and extensions, and errors.

use std::fmt;

use isadl_compiled::ReadError;

use crate::finding::Finding;

/// The generation and extensions to open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// The generation, if the instruction set has several that differ.
    pub generation: Option<String>,
    /// The extensions, by names of extensions and sets, instead of the default set.
    pub extensions: Option<Vec<String>>,
}

/// An error of opening an instruction set.
#[derive(Debug)]
pub enum OpenError {
    /// A file cannot be read.
    File(std::io::Error),
    /// The specification has errors; there may be warnings among them.
    Errors(Vec<Finding>),
    /// A compiled set is damaged, or of another version.
    Compiled(ReadError),
    /// The specification has no such generation or extensions, or several generations and none is chosen.
    Choice(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::File(error) => error.fmt(f),
            OpenError::Errors(findings) => {
                let texts: Vec<&str> = findings.iter().map(|one| one.rendered.as_str()).collect();
                f.write_str(texts.join("\n").trim_end())
            }
            OpenError::Compiled(error) => error.fmt(f),
            OpenError::Choice(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<std::io::Error> for OpenError {
    fn from(error: std::io::Error) -> OpenError {
        OpenError::File(error)
    }
}

impl From<ReadError> for OpenError {
    fn from(error: ReadError) -> OpenError {
        OpenError::Compiled(error)
    }
}
