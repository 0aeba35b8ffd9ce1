//! The served instruction sets, and the reasons for refusing a request.

use std::fmt;
use std::path::PathBuf;

/// An instruction set that is served.
#[derive(Debug, Clone)]
pub struct Set {
    /// Its folder or files.
    pub paths: Vec<PathBuf>,
    /// The file of macros that its programs may use.
    pub macros: Option<PathBuf>,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}
