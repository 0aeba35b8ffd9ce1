//! Sets of extensions.

/// A set of extensions, one bit each, in order of declaration. In a generated crate whose instruction set
/// has no extensions, or a fixed set of them, it is `()`.
pub type Set = u64;

/// Whether a set has some extensions and lacks others.
#[inline(always)]
#[must_use]
pub const fn has(set: Set, needed: u64, excluded: u64) -> bool {
    set & needed == needed && set & excluded == 0
}
