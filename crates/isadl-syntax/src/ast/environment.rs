//! What surrounds programs: the calls of an operating system, and the registers that they use.

use super::word::{Guard, Ident, Int};
use crate::span::Span;

/// What surrounds programs.
#[derive(Debug, Clone, Default)]
pub struct Environment<'s> {
    /// Its statements, in order.
    pub statements: Vec<EnvironmentStatement<'s>>,
}

/// A statement of an environment.
#[derive(Debug, Clone)]
pub struct EnvironmentStatement<'s> {
    /// The whole statement.
    pub span: Span,
    /// Its first word.
    pub keyword: Ident<'s>,
    /// What it says.
    pub kind: EnvironmentStatementKind<'s>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// What a statement of an environment says.
#[derive(Debug, Clone)]
pub enum EnvironmentStatementKind<'s> {
    /// `Trap = name`: the trap that calls the environment.
    Trap(Ident<'s>),
    /// `Code = name`: the memory of instructions.
    Code(Ident<'s>),
    /// `Number = register`, `Result = register`, `Stack = register`.
    Register(EnvironmentRegister, RegisterRange<'s>),
    /// `Arguments = registers`.
    Arguments(Vec<RegisterRange<'s>>),
    /// `Register<name> = registers`: what a register that the machine keeps is made of.
    Composed {
        /// The register.
        name: Ident<'s>,
        /// Its parts, the highest first.
        parts: Vec<RegisterPart<'s>>,
    },
    /// `Initial<name> = number`: what a register that the machine keeps begins with.
    Initial {
        /// The register.
        name: Ident<'s>,
        /// The number.
        value: Int,
    },
    /// `Counter<name> = number`: by how much a register that the machine keeps grows with each instruction.
    Counter {
        /// The register.
        name: Ident<'s>,
        /// The number.
        step: Int,
    },
    /// `Call<name> = number`: the number of a call.
    Call {
        /// The name of the call.
        name: Ident<'s>,
        /// Its number.
        number: Int,
    },
}

/// What a single register is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvironmentRegister {
    /// It has the number of the call.
    Number,
    /// It gets the result of the call.
    Result,
    /// It begins as the stack pointer.
    Stack,
}

/// Registers, or some bits of each.
#[derive(Debug, Clone, Copy)]
pub struct RegisterPart<'s> {
    /// The registers.
    pub range: RegisterRange<'s>,
    /// The highest and the lowest bit; all bits if absent.
    pub bits: Option<(Int, Int)>,
}

/// Registers of a file: the only one, one with a number, or several.
#[derive(Debug, Clone, Copy)]
pub struct RegisterRange<'s> {
    /// All of it.
    pub span: Span,
    /// The register file.
    pub file: Ident<'s>,
    /// The numbers of the first and the last register.
    pub numbers: Option<(Int, Int)>,
}
