//! Examples with claims, and laws: instructions that are tried.

use std::collections::BTreeSet;

use isadl_diagnostics::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{ExtensionSet, Inst, Register};

use crate::interval::Interval;
use crate::program::{Program, Statement};
use crate::syntax::{Line, ast, parse_claims};

/// An example with claims, or a law, as it is written.
#[derive(Debug)]
pub struct Stated<'s> {
    /// Where it is: an example, or what opens the fence of a law.
    pub span: Span,
    /// Whether it holds for all states.
    pub is_law: bool,
    /// The lines with instructions.
    pub instructions: Vec<Line<'s>>,
    /// The claims that can be read.
    pub claims: Vec<ast::Claims<'s>>,
}

impl<'s> Stated<'s> {
    /// Reads the claims of instructions; `None` if something was reported.
    pub fn read(
        (span, is_law): (Span, bool),
        instructions: Vec<Line<'s>>,
        claims: &[Line<'s>],
        diagnostics: &mut Diagnostics,
    ) -> Option<Stated<'s>> {
        let missing = match (instructions.is_empty(), claims.is_empty()) {
            (true, _) => Some((
                "claims without an instruction",
                "write a line of assembly text before `//=`",
            )),
            (_, true) => {
                Some(("a law without a claim", "write a line with a claim: `//= R0 == R1`"))
            }
            _ => None,
        };
        if let Some((message, help)) = missing {
            diagnostics.push(Diagnostic::new(Code::E1236, message, span).with_help(help));
            return None;
        }
        let read = claims.iter().map(|line| parse_claims(*line, diagnostics));
        let read: Vec<Option<ast::Claims<'s>>> = read.collect();
        let claims = read.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Stated { span, is_law, instructions, claims })
    }
}

/// An example with claims, or a law, that can be tried.
#[derive(Debug)]
pub struct Trial {
    /// Where it is: an example, or what opens the fence of a law.
    pub span: Span,
    /// Whether it holds for all states.
    pub is_law: bool,
    /// Where its instructions are.
    pub lines: Vec<Span>,
    /// Writes what is given.
    pub given: Program,
    /// Remembers the values from before the first instruction that claims name.
    pub before: Program,
    /// What is claimed.
    pub claims: Vec<Claim>,
    /// The registers that claims read.
    pub named: BTreeSet<Register>,
    /// The registers that decide which lanes take part.
    pub active: BTreeSet<Register>,
    /// The values that the registers of each file may have.
    pub ranges: Vec<Interval>,
    /// The instructions; none if they do not assemble.
    pub instructions: Vec<Inst>,
    /// The extensions that have them.
    pub extensions: ExtensionSet,
}

/// A claim.
#[derive(Debug)]
pub struct Claim {
    /// Where it is.
    pub span: Span,
    /// What it is.
    pub kind: ClaimKind,
}

/// What is claimed.
#[derive(Debug)]
pub enum ClaimKind {
    /// The instructions end with this trap.
    Trap(String),
    /// A condition holds.
    Holds {
        /// Writes [`FAILED`]: 1 if the condition does not hold; on a machine with lanes, a bit for each lane.
        verdict: Program,
        /// The sides of a comparison, and what computes them.
        sides: Vec<(Side, Program)>,
    },
}

/// The register that says whether a claim fails.
pub const FAILED: &str = "failed";

/// The register with the address after the last instruction.
pub const NEW_PC: &str = "pc";

/// The register with a piece of 64 bits of an old value.
pub(crate) fn old_name(at: usize, piece: u32) -> String {
    format!("old {at} {piece}")
}

/// A side of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    pub(crate) name: &'static str,
    /// How many of its bits are computed.
    pub width: u32,
    /// Whether the highest is a sign.
    pub is_signed: bool,
    /// Whether lanes may have different values. If so, a register has a bit of all lanes, else 64 bits of the value.
    pub differs: bool,
    /// Where it is written.
    pub span: Span,
}

impl Side {
    /// The register that a piece of the value is written to.
    pub fn register(&self, at: u32) -> String {
        format!("{} {at}", self.name)
    }
}

impl Claim {
    /// A condition; [`Claim::complete`] makes programs of the statements.
    pub(crate) fn holds(
        span: Span,
        verdict: Vec<Statement>,
        sides: Vec<(Side, Vec<Statement>)>,
    ) -> Claim {
        let program = |statements| Program { statements, ..Program::default() };
        let sides = sides.into_iter().map(|(side, statements)| (side, program(statements)));
        let kind = ClaimKind::Holds { verdict: program(verdict), sides: sides.collect() };
        Claim { span, kind }
    }

    /// Gives programs the names that all of them share.
    pub(crate) fn complete(&mut self, program: &impl Fn(Vec<Statement>) -> Program) {
        let ClaimKind::Holds { verdict, sides } = &mut self.kind else { return };
        for own in std::iter::once(verdict).chain(sides.iter_mut().map(|(_, own)| own)) {
            *own = program(std::mem::take(&mut own.statements));
        }
    }
}
