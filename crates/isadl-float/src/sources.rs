//! The text of this crate, for generated crates.

/// The modules, each with its text. They name each other by `super`, and no item of the root.
pub const SOURCES: &[(&str, &str)] = &[
    ("arithmetic", include_str!("arithmetic.rs")),
    ("compare", include_str!("compare.rs")),
    ("convert", include_str!("convert.rs")),
    ("environment", include_str!("environment.rs")),
    ("format", include_str!("format.rs")),
    ("near", include_str!("near.rs")),
    ("number", include_str!("number.rs")),
    ("operation", include_str!("operation.rs")),
];
