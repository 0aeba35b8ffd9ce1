//! The text of the engine, for generated crates.

/// A file of the engine.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// The name of its module.
    pub module: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! sources {
    ($($module:literal),* $(,)?) => {
        &[$(Source { module: $module, text: include_str!(concat!($module, ".rs")) }),*]
    };
}

/// The modules of the engine but `word`, which a generated crate writes itself.
pub const SOURCES: &[Source] = sources!["bits", "decode", "encode", "expr", "image"];
