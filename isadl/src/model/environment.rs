//! What programs run in.

use crate::ast::Ident;

/// What programs run in, with the locations of names that only programs give a meaning.
#[derive(Debug)]
pub struct Environment<'a> {
    /// Its name.
    pub name: Ident<'a>,
    /// The trap that calls it.
    pub trap: Option<Ident<'a>>,
    /// The memory of instructions.
    pub code: Option<Ident<'a>>,
    /// The registers that the machine keeps.
    pub kept: Vec<Ident<'a>>,
    /// The environment itself. Registers that do not exist were reported, and are absent.
    pub made: crate::isa::Environment,
}
