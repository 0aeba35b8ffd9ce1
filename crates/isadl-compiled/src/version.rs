//! The version of files.

/// The version that reads what it wrote. After the sign is the number of the format, which grows whenever a stored type changes between
/// two releases.
pub(crate) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+2");
