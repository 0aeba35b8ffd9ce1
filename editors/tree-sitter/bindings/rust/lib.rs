//! The grammar of isadl for tree-sitter.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_isadl() -> *const ();
}

/// The language.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_isadl) };

/// Which parts of the tree have which colour.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../queries/highlights.scm");

/// Which parts of the tree are in another language.
pub const INJECTIONS_QUERY: &str = include_str!("../../queries/injections.scm");
