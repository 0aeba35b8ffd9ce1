//! Records what was tried of earlier opcodes, so that a large instruction set is tried piece by piece.

use std::collections::HashSet;

use crate::isa::{Field, FieldRole, NameId, Opcode, Symbol};

/// Up to this number of opcodes, each opcode of an instruction set is tried by itself.
const SMALL: usize = 16;

/// Limit on instructions that are tried even if their pieces were tried before.
const FULL: usize = 4096;

/// A written field and its syntax: its type, the type of its operand, its role, and the value for which it is left out.
pub(super) type FieldSyntaxKey = [u64; 4];

/// The pieces that were tried, alone and before others.
pub(super) struct Covered {
    left: usize,
    seen: HashSet<(usize, FieldSyntaxKey, Option<FieldSyntaxKey>)>,
}

impl Covered {
    /// Creates an empty record for an instruction set of `opcodes` opcodes.
    pub(super) fn new(opcodes: usize) -> Covered {
        let left = if opcodes <= SMALL { FULL } else { 0 };
        Covered { left, seen: HashSet::new() }
    }

    /// Whether each opcode is tried by itself.
    pub(super) fn is_small(&self) -> bool {
        self.left > 0
    }

    /// Counts an instruction that is tried.
    pub(super) fn count(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Whether a piece is to be tried among the others of a base, alone or before another piece.
    pub(super) fn is_open(
        &mut self,
        base: usize,
        piece: FieldSyntaxKey,
        next: Option<FieldSyntaxKey>,
    ) -> bool {
        self.seen.insert((base, piece, next)) || self.left > 0
    }
}

/// How a field of an opcode is written.
pub(super) fn piece(opcode: &Opcode, field: &Field) -> FieldSyntaxKey {
    let ty = |name: NameId| opcode.field(name).map_or(u64::MAX, |field| field.ty.index() as u64);
    let syntax = &opcode.syntax;
    let (role, of) = match field.role {
        FieldRole::Operand => (0, u64::MAX),
        FieldRole::Part { of } => (9, ty(of)),
        FieldRole::Modifier => (1, syntax.modifiers.len() as u64),
        FieldRole::Control => (2, u64::MAX),
        FieldRole::Mnemonic => (10, u64::MAX),
        FieldRole::Attribute { of } => {
            let operands = syntax.guard.iter().chain(&syntax.operands);
            let mut marks = operands.flat_map(|operand| &operand.marks);
            let mark = marks.find(|mark| mark.field == field.name);
            let kind = mark.map_or(3, |mark| match mark.symbol {
                Symbol::Not => 4,
                Symbol::Negate => 5 + u64::from(mark.call.is_some()),
                Symbol::Complement => 7,
                Symbol::Absolute => 8,
            });
            (kind, ty(of))
        }
    };
    let modifiers = syntax.modifiers.iter();
    let mut own = modifiers.filter(|modifier| modifier.field == field.name);
    let absent = own.next().and_then(|modifier| modifier.absent).map_or(0, |raw| raw + 1);
    [field.ty.index() as u64, of, role, absent]
}
