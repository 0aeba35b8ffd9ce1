//! Conditions over the fields of the instruction word: what a program's conditions say about the word alone.

use std::collections::HashMap;

use isadl_base::vocabulary::{BinaryOp, Function, UnaryOp};
use isadl_ir::isa::{Expr as FieldExpr, Isa, Meaning, NameId, Opcode, Reading, TypeKind};

use crate::interval::Interval;
use crate::program::{Builtin, Expr, ExprKind, LocalId};

/// The largest magnitude of numbers in conditions, far from the 128 bits at which their arithmetic wraps.
const MAX_MAGNITUDE: i128 = 1 << 100;

/// The names whose values are known from the word: an expression over fields, or a number.
pub(crate) type Known = HashMap<LocalId, Option<FieldExpr>>;

/// When something happens.
#[derive(Debug, Clone, PartialEq)]
pub struct When {
    /// Holds for every word for which it may happen; `None` if that may be any word.
    pub necessary: Option<FieldExpr>,
    /// Whether it happens for all of these words, whatever registers and memory contain.
    pub is_certain: bool,
}

impl When {
    /// Always.
    pub(crate) fn always() -> When {
        When { necessary: None, is_certain: true }
    }

    /// When both hold.
    pub(crate) fn and(&self, other: When) -> When {
        let necessary = match (self.necessary.clone(), other.necessary) {
            (Some(a), Some(b)) => Some(both(a, b)),
            (a, b) => a.or(b),
        };
        When { necessary, is_certain: self.is_certain && other.is_certain }
    }

    /// When one of both holds.
    fn or(self, other: When) -> When {
        let necessary = self.necessary.zip(other.necessary).map(|(a, b)| either(a, b));
        When { necessary, is_certain: self.is_certain && other.is_certain }
    }
}

/// `a and b`, unless one decides it.
pub(crate) fn both(a: FieldExpr, b: FieldExpr) -> FieldExpr {
    binary(BinaryOp::And, a, b)
}

/// `a or b`, unless one decides it.
pub(crate) fn either(a: FieldExpr, b: FieldExpr) -> FieldExpr {
    binary(BinaryOp::Or, a, b)
}

/// `not a`, unless it is known.
pub(crate) fn negated(a: FieldExpr) -> FieldExpr {
    match a {
        FieldExpr::Int(value) => FieldExpr::Int((value == 0).into()),
        a => FieldExpr::Unary(UnaryOp::Not, Box::new(a)),
    }
}

/// An operator, evaluated if its operands are numbers.
pub(crate) fn binary(op: BinaryOp, a: FieldExpr, b: FieldExpr) -> FieldExpr {
    match (op, &a, &b) {
        (BinaryOp::And, FieldExpr::Int(0), _) | (BinaryOp::And, _, FieldExpr::Int(0)) => {
            FieldExpr::Int(0)
        }
        (BinaryOp::Or, FieldExpr::Int(1), _) | (BinaryOp::Or, _, FieldExpr::Int(1)) => {
            FieldExpr::Int(1)
        }
        (BinaryOp::And, FieldExpr::Int(1), _) | (BinaryOp::Or, FieldExpr::Int(0), _) => b,
        (BinaryOp::And, _, FieldExpr::Int(1)) | (BinaryOp::Or, _, FieldExpr::Int(0)) => a,
        (op, FieldExpr::Int(x), FieldExpr::Int(y)) => {
            FieldExpr::Int(isadl_ir::isa::eval_binary(op, *x, *y))
        }
        _ => FieldExpr::Binary(op, Box::new(a), Box::new(b)),
    }
}

fn call(function: Function, arguments: Vec<FieldExpr>) -> FieldExpr {
    match (function, arguments.as_slice()) {
        (Function::If, [FieldExpr::Int(condition), yes, no]) => {
            if *condition != 0 {
                yes.clone()
            } else {
                no.clone()
            }
        }
        _ => FieldExpr::Call(function, arguments),
    }
}

/// Reads expressions of an opcode's program as expressions over fields.
pub(crate) struct Fields<'f> {
    pub(crate) isa: &'f Isa,
    pub(crate) opcode: &'f Opcode,
}

impl Fields<'_> {
    /// What a condition, or its opposite, says about the word.
    pub(crate) fn when(&self, condition: &Expr, holds: bool, known: &Known) -> When {
        if let Some(value) = condition.value() {
            let is_met = (value != 0) == holds;
            return When { necessary: (!is_met).then_some(FieldExpr::Int(0)), is_certain: true };
        }
        if let Some(expr) = self.expr(condition, known) {
            let necessary = if holds { expr } else { negated(expr) };
            return When { necessary: Some(necessary), is_certain: true };
        }
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.when(inner, !holds, known),
            ExprKind::Binary(BinaryOp::And, a, b) if holds => {
                self.when(a, true, known).and(self.when(b, true, known))
            }
            ExprKind::Binary(BinaryOp::Or, a, b) if !holds => {
                self.when(a, false, known).and(self.when(b, false, known))
            }
            ExprKind::Binary(BinaryOp::And, a, b) => {
                self.when(a, false, known).or(self.when(b, false, known))
            }
            ExprKind::Binary(BinaryOp::Or, a, b) => {
                self.when(a, true, known).or(self.when(b, true, known))
            }
            _ => When { necessary: None, is_certain: false },
        }
    }

    /// The expression over fields that an expression is; `None` if it depends on anything else.
    pub(crate) fn expr(&self, expr: &Expr, known: &Known) -> Option<FieldExpr> {
        let limits = Interval::between(-MAX_MAGNITUDE, MAX_MAGNITUDE);
        if let ExprKind::Int(value) = expr.kind {
            return Some(FieldExpr::Int(value));
        }
        if !expr.range.is_within(limits) {
            return None;
        }
        if let (Some(value), true) = (expr.value(), is_pure(expr)) {
            return Some(FieldExpr::Int(value));
        }
        Some(match &expr.kind {
            ExprKind::Local(local) => known.get(local)?.clone()?,
            ExprKind::Field(field) => self.field(*field)?,
            ExprKind::FieldBits(field) => FieldExpr::Field(*field, Reading::Unsigned),
            ExprKind::Has(condition) => FieldExpr::Extensions(condition.clone()),
            ExprKind::Unary(UnaryOp::Not, of) => negated(self.expr(of, known)?),
            ExprKind::Unary(op, of) => match self.expr(of, known)? {
                FieldExpr::Int(value) => {
                    FieldExpr::Int(if *op == UnaryOp::Neg { -value } else { !value })
                }
                of => FieldExpr::Unary(*op, Box::new(of)),
            },
            ExprKind::Binary(op, a, b) => binary(*op, self.expr(a, known)?, self.expr(b, known)?),
            ExprKind::Choice(parts) => {
                let parts =
                    parts.iter().map(|part| self.expr(part, known)).collect::<Option<Vec<_>>>()?;
                call(Function::If, parts)
            }
            ExprKind::Slice { of, low, width } if *width <= 100 => {
                self.bits(self.expr(of, known)?, *low, *width)
            }
            ExprKind::Concat(parts) => {
                let mut whole = FieldExpr::Int(0);
                for part in parts {
                    let width = FieldExpr::Int(part.width()?.into());
                    whole = binary(
                        BinaryOp::BitOr,
                        binary(BinaryOp::Shl, whole, width),
                        self.expr(part, known)?,
                    );
                }
                whole
            }
            ExprKind::Builtin(Builtin::Exact, of) => self.expr(of.first()?, known)?,
            ExprKind::Builtin(Builtin::Signed, of) => {
                let of = of.first()?;
                let sign = FieldExpr::Int(1i128.checked_shl(of.width()? - 1)?);
                let flipped = binary(BinaryOp::BitXor, self.expr(of, known)?, sign.clone());
                binary(BinaryOp::Sub, flipped, sign)
            }
            ExprKind::Builtin(function @ (Builtin::Min | Builtin::Max), of) => {
                let [a, b] = of.as_slice() else { return None };
                let (a, b) = (self.expr(a, known)?, self.expr(b, known)?);
                let op = if *function == Builtin::Min { BinaryOp::Le } else { BinaryOp::Ge };
                call(Function::If, vec![binary(op, a.clone(), b.clone()), a, b])
            }
            ExprKind::Inline { bindings, value } => {
                let mut known = known.clone();
                for binding in bindings {
                    if let crate::program::StatementKind::Bind { local, value } = &binding.kind {
                        let value = self.expr(value, &known);
                        known.insert(*local, value);
                    }
                }
                self.expr(value, &known)?
            }
            _ => return None,
        })
    }

    fn bits(&self, of: FieldExpr, low: u32, width: u32) -> FieldExpr {
        let shifted = binary(BinaryOp::Shr, of, FieldExpr::Int(low.into()));
        binary(BinaryOp::BitAnd, shifted, FieldExpr::Int((1 << width) - 1))
    }

    /// The number in a field.
    fn field(&self, name: NameId) -> Option<FieldExpr> {
        let field = self.opcode.field(name)?;
        match &self.isa.ty(field.ty).kind {
            TypeKind::BitField(_) => Some(FieldExpr::Field(name, Reading::Unsigned)),
            TypeKind::Immediate(immediate) => {
                let bits = FieldExpr::Field(name, immediate.reading());
                if let Some(computed) = &immediate.computed {
                    return Some(computed.expr.with_field(&bits));
                }
                let scaled = match immediate.scale {
                    1 => bits,
                    scale => binary(BinaryOp::Mul, bits, FieldExpr::Int(scale.into())),
                };
                Some(match immediate.bias {
                    0 => scaled,
                    bias => binary(BinaryOp::Add, scaled, FieldExpr::Int(bias.into())),
                })
            }
            TypeKind::Operand(entries) => {
                // The entry is the last that begins at or below the bits.
                let bits = FieldExpr::Field(name, Reading::Unsigned);
                let mut entries: Vec<_> = entries.iter().collect();
                entries.sort_by_key(|entry| entry.value);
                entries.into_iter().try_fold(FieldExpr::Int(0), |before, entry| {
                    let Meaning::Integers { first, step } = entry.meaning else { return None };
                    let position =
                        binary(BinaryOp::Sub, bits.clone(), FieldExpr::Int(entry.value.into()));
                    let distance = binary(BinaryOp::Mul, position, FieldExpr::Int(step.into()));
                    let value = binary(BinaryOp::Add, distance, FieldExpr::Int(first.into()));
                    let is_here =
                        binary(BinaryOp::Ge, bits.clone(), FieldExpr::Int(entry.value.into()));
                    Some(call(Function::If, vec![is_here, value, before]))
                })
            }
            TypeKind::Composite(_) => None,
        }
    }
}

/// Whether an expression reads neither registers nor memory.
fn is_pure(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Field(_) | ExprKind::FieldBits(_) | ExprKind::Local(_) => true,
        ExprKind::Unary(_, of) => is_pure(of),
        ExprKind::Binary(_, a, b) => is_pure(a) && is_pure(b),
        ExprKind::Builtin(_, of) => of.iter().all(is_pure),
        ExprKind::Slice { of, .. } => is_pure(of),
        _ => false,
    }
}

/// The condition that one of several effects may happen; `None` if one may happen for every word.
pub(crate) fn any_of<'e>(effects: impl Iterator<Item = &'e When>) -> Option<FieldExpr> {
    let mut all: Option<FieldExpr> = None;
    for when in effects {
        let own = when.necessary.clone()?;
        all = Some(match all {
            None => own,
            Some(known) => either(known, own),
        });
    }
    Some(all.unwrap_or(FieldExpr::Int(0)))
}

/// A condition and the choice of fields that it is for.
pub(crate) fn with_choice(when: &When, chosen: &std::collections::BTreeMap<NameId, u64>) -> When {
    let mut found = when.clone();
    for (name, raw) in chosen {
        let is_it = binary(
            BinaryOp::Eq,
            FieldExpr::Field(*name, isadl_ir::isa::Reading::Unsigned),
            FieldExpr::Int((*raw).into()),
        );
        found.necessary = Some(match found.necessary {
            None => is_it,
            Some(known) => both(is_it, known),
        });
    }
    found
}
