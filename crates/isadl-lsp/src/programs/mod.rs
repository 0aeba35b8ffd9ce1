//! What editors offer in programs: what instructions do.

pub(crate) mod complete;
pub(crate) mod hover;
pub(crate) mod rename;
mod resolve;
