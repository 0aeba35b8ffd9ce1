//! Rust.
