//! The text of this crate, for generated crates.

/// The modules, each with its text; they name each other by `crate`. What the crate makes public is in the last.
pub const SOURCES: &[(&str, &str)] = &[
    ("arithmetic", include_str!("arithmetic.rs")),
    ("compare", include_str!("compare.rs")),
    ("convert", include_str!("convert.rs")),
    ("environment", include_str!("environment.rs")),
    ("format", include_str!("format.rs")),
    ("number", include_str!("number.rs")),
    ("operation", include_str!("operation.rs")),
];
