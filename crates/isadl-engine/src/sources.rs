//! The text of the engine, for generated crates.

/// A file of the engine.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// The name of its module.
    pub module: &'static str,
    /// What it is needed for.
    pub part: Part,
    /// Its text.
    pub text: &'static str,
}

/// What files of the engine are needed for. All need those for words; those for lines need those for
/// text, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Everything: the tables, decoding, encoding.
    Words,
    /// Printing.
    Text,
    /// Assembling.
    Lines,
    /// Data flow.
    Flow,
}

macro_rules! sources {
    ($($part:ident: [$($module:literal),* $(,)?],)*) => {
        &[$($(Source {
            module: $module,
            part: Part::$part,
            text: include_str!(concat!($module, ".rs")),
        },)*)*]
    };
}

/// The text of the module `set` of a crate with extensions.
pub const SET: &str = include_str!("set.rs");

/// The modules of the engine but `word` and `set`, which a generated crate writes itself.
pub const SOURCES: &[Source] = sources![
    Words: ["bits", "computed", "control", "decode", "encode", "expr", "fields", "image", "image_control", "image_flow", "image_lines", "image_text", "image_values", "relocation", "rows", "target"],
    Text: ["format", "number", "print", "print_at", "short", "tokens"],
    Lines: [
        "key",
        "names",
        "parse",
        "parse_address",
        "parse_attempt",
        "parse_cursor",
        "parse_error",
        "parse_integer",
        "parse_line",
        "parse_modifiers",
        "parse_names",
        "parse_operand",
        "parse_value",
    ],
    Flow: ["flow", "lowered", "values"],
];
