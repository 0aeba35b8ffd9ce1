//! Constraints on a word, and whether a partial word decides them.

use std::rc::Rc;

use super::interval::{FieldRanges, Interval};
use super::{Partial, bits_of, set_of};
use crate::isa::{Expr, ExtensionCondition, Field, NameId, Opcode, Reading, low_bits};
use isadl_base::vocabulary::{BinaryOp, UnaryOp};

/// A condition on the bits of a word.
#[derive(Clone)]
pub(super) enum Constraint<'q> {
    /// The field does not have any of the illegal values: half-open ranges in ascending order.
    Legal { field: &'q Field, reserved_values: &'q [(u64, u128)] },
    /// A condition that must hold, or must fail.
    Condition(Condition<'q>),
    /// The set of extensions meets a condition.
    Extensions(&'q ExtensionCondition),
    /// At least one bit differs from this pattern.
    Outside(Partial),
    /// It does not satisfy all of these.
    Not(Rc<All<'q>>),
}

/// Bits and constraints that a word satisfies together.
pub(super) struct All<'q> {
    bits: Partial,
    constraints: Vec<Constraint<'q>>,
    fields: Vec<&'q Field>,
    support: u128,
    operators: u64,
}

impl<'q> All<'q> {
    pub(super) fn new(bits: Partial, constraints: Vec<Constraint<'q>>) -> All<'q> {
        let of_constraints = constraints.iter().map(Constraint::support);
        All {
            bits,
            fields: constraints.iter().flat_map(Constraint::fields).copied().collect(),
            support: of_constraints.fold(bits.known, |all, bits| all | bits),
            operators: 1 + constraints.iter().map(Constraint::operators).sum::<u64>(),
            constraints,
        }
    }

    fn truth(&self, word: Partial) -> Option<bool> {
        let mut truth = agreement(self.bits, word);
        for constraint in &self.constraints {
            match (truth, constraint.truth(word)) {
                (Some(false), _) | (_, Some(false)) => return Some(false),
                (_, None) => truth = None,
                (_, Some(true)) => {}
            }
        }
        truth
    }
}

/// Whether a word has some bits, if that is decided.
fn agreement(bits: Partial, word: Partial) -> Option<bool> {
    if (word.value ^ bits.value) & bits.known & word.known != 0 {
        Some(false)
    } else if bits.known & !word.known == 0 {
        Some(true)
    } else {
        None
    }
}

/// An expression over the fields of an opcode that must hold, or must fail.
#[derive(Clone)]
pub(super) struct Condition<'q> {
    expr: &'q Expr,
    fields: Rc<[&'q Field]>,
    support: u128,
    operators: u64,
    holds: bool,
}

impl<'q> Condition<'q> {
    pub(super) fn new(opcode: &'q Opcode, expr: &'q Expr, holds: bool) -> Condition<'q> {
        let names = expr.fields();
        let fields: Rc<[&Field]> = names.iter().filter_map(|name| opcode.field(*name)).collect();
        let support =
            fields.iter().fold(bits_of(expr.extensions()), |bits, field| bits | field.mask());
        Condition { expr, fields, support, operators: expr.size(), holds }
    }

    /// The bits that a word must have if the condition equates fields with constants; `None` if no word has them.
    fn required(&self) -> Option<Partial> {
        let mut bits = Partial { known: 0, value: 0 };
        self.require(self.expr, self.holds, &mut bits)?;
        Some(bits)
    }

    /// Adds the bits that an expression requires if it must hold, or must fail.
    fn require(&self, expr: &Expr, holds: bool, bits: &mut Partial) -> Option<()> {
        match (expr, holds) {
            (Expr::Unary(UnaryOp::Not, operand), _) => self.require(operand, !holds, bits),
            (Expr::Binary(BinaryOp::And, a, b), true)
            | (Expr::Binary(BinaryOp::Or, a, b), false) => {
                self.require(a, holds, bits)?;
                self.require(b, holds, bits)
            }
            (Expr::Binary(BinaryOp::Eq, a, b), true)
            | (Expr::Binary(BinaryOp::Ne, a, b), false) => {
                let (Expr::Field(name, reading), Expr::Int(value)) = (&**a, &**b) else {
                    return Some(());
                };
                let Some(field) = self.fields.iter().find(|field| field.name == *name) else {
                    return Some(());
                };
                let raw = *value as u64 & low_bits(field.width()) as u64;
                if reading.integer(raw, field.width()) != *value {
                    return None;
                }
                *bits = bits.and(Partial { known: field.mask(), value: field.insert(0, raw) })?;
                Some(())
            }
            _ => Some(()),
        }
    }
}

impl<'q> Constraint<'q> {
    /// The bits that the constraint depends on.
    pub(super) fn support(&self) -> u128 {
        match self {
            Constraint::Legal { field, .. } => field.mask(),
            Constraint::Condition(condition) => condition.support,
            Constraint::Outside(bits) => bits.known,
            Constraint::Extensions(presence) => bits_of(presence.support()),
            Constraint::Not(all) => all.support,
        }
    }

    /// Bits that every word that satisfies it has, as far as that is seen at once; `None` if there is no such word.
    pub(super) fn required(&self) -> Option<Partial> {
        match self {
            Constraint::Condition(condition) => condition.required(),
            _ => Some(Partial { known: 0, value: 0 }),
        }
    }

    /// The fields that the constraint depends on.
    pub(super) fn fields(&self) -> &[&'q Field] {
        match self {
            Constraint::Legal { field, .. } => std::slice::from_ref(field),
            Constraint::Not(all) => &all.fields,
            Constraint::Condition(condition) => &condition.fields,
            Constraint::Outside(_) | Constraint::Extensions(_) => &[],
        }
    }

    /// The number of operators needed to evaluate it.
    pub(super) fn operators(&self) -> u64 {
        match self {
            Constraint::Condition(condition) => condition.operators,
            Constraint::Not(all) => all.operators,
            Constraint::Legal { .. } | Constraint::Outside(_) | Constraint::Extensions(_) => 1,
        }
    }

    /// Whether it is satisfied, if that is decided.
    pub(super) fn truth(&self, word: Partial) -> Option<bool> {
        match self {
            Constraint::Legal { field, reserved_values } => {
                let (low, high) = range(field, word);
                let next = reserved_values.partition_point(|(_, end)| *end <= u128::from(low));
                match reserved_values.get(next) {
                    Some((first, end)) if *first <= low && u128::from(high) < *end => Some(false),
                    Some((first, _)) if *first <= high => None,
                    _ => Some(true),
                }
            }
            Constraint::Condition(Condition { expr, fields, holds, .. }) => {
                Interval::of(expr, &Fields { fields, word }).truth().map(|truth| truth == *holds)
            }
            Constraint::Extensions(presence) => meets(presence, word),
            Constraint::Outside(bits) => agreement(*bits, word).map(|agrees| !agrees),
            Constraint::Not(all) => all.truth(word).map(|truth| !truth),
        }
    }
}

/// Fields of a partial word.
struct Fields<'f, 'q> {
    fields: &'f [&'q Field],
    word: Partial,
}

impl FieldRanges for Fields<'_, '_> {
    fn field(&self, name: NameId, reading: Reading) -> Option<Interval> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        Some(Interval::of_bits(range(field, self.word), field.width(), reading))
    }

    fn meets(&self, presence: &ExtensionCondition) -> Option<bool> {
        meets(presence, self.word)
    }
}

/// Whether the extensions of a partial word meet a condition, if that is decided.
fn meets(presence: &ExtensionCondition, word: Partial) -> Option<bool> {
    let all = presence.support();
    presence.truth(set_of(word.known, all), set_of(word.value, all))
}

/// The smallest and the largest value that a field may have.
pub(super) fn range(field: &Field, word: Partial) -> (u64, u64) {
    let low = field.extract(word.value);
    let unknown = field.bits.all() & !field.extract(word.known);
    (low, low | unknown)
}
