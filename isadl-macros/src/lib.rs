//! The macro `isa!` will stand here: a thin shell around `isadl` and `isadl-codegen`.
