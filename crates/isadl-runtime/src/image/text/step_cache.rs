//! Steps that were made before: most opcodes have operands and control fields that others have too.

use std::cell::RefCell;
use std::collections::HashMap;

use super::step::Step;
use crate::isa::{Bits, ExprId, ModifierSyntax, NameId, OperandLocation, OperandSyntax, TypeId};

/// Limit on kept pieces, and on kept tables of their texts. Opcodes that share them are near each other, and the texts
/// take memory.
pub(super) const MAX_KNOWN: usize = 256;

/// The steps of pieces by all that they depend on.
#[derive(Debug, Default)]
pub(super) struct StepCache {
    steps: RefCell<HashMap<Key, Vec<Step>>>,
}

/// A piece of text.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Segment {
    /// An operand with the text before it, its location, and its data bits.
    Operand(&'static str, OperandSyntax, OperandLocation, Option<ExprId>),
    /// All modifiers.
    Modifiers(Vec<ModifierSyntax>),
    /// A control field.
    Control(ModifierSyntax),
}

/// Everything that the steps of a piece depend on.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) piece: Segment,
    /// Its fields: name, bits, type.
    pub(super) fields: Vec<(NameId, Bits, TypeId)>,
    /// Its bits, the subset that the opcode fixes, and the values of the fixed bits.
    pub(super) fixed: (u128, u128, u128),
}

impl StepCache {
    /// The steps of a piece, which are made unless they are known.
    pub(super) fn steps(&self, key: Key, make: impl FnOnce() -> Vec<Step>) -> Vec<Step> {
        if let Some(steps) = self.steps.borrow().get(&key) {
            return steps.clone();
        }
        let steps = make();
        let mut known = self.steps.borrow_mut();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, steps.clone());
        steps
    }
}
