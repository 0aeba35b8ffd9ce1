//! Sets of extensions.

/// A set of extensions, one bit each, in order of declaration. In a generated crate whose instruction set
/// has no extensions, or a fixed set of them, it is `()`.
pub type Set = u64;

/// A set of extensions, where it is known.
pub type KnownSet = Option<Set>;

/// No set in particular: what only some sets have is not there.
pub const UNKNOWN: KnownSet = None;

/// A set that is known.
#[inline(always)]
#[must_use]
pub const fn known(set: Set) -> KnownSet {
    Some(set)
}

/// Whether a set has some extensions and lacks others; of a set that is not known, whether every set does.
#[inline(always)]
#[must_use]
pub const fn has_known(set: KnownSet, needed: u64, excluded: u64) -> bool {
    match set {
        Some(set) => has(set, needed, excluded),
        None => needed | excluded == 0,
    }
}

/// Whether a set has some extensions and lacks others.
#[inline(always)]
#[must_use]
pub const fn has(set: Set, needed: u64, excluded: u64) -> bool {
    set & needed == needed && set & excluded == 0
}
