//! Expressions as text, with names for values and without redundant parentheses.

use isadl_ir::isa::{Expr, Isa, NameId, Opcode, Reading, Type, TypeKind};
use isadl_syntax::ast::BinaryOp;

/// An expression over the fields of an opcode.
pub(crate) fn text(isa: &Isa, opcode: &Opcode, expr: &Expr) -> String {
    FieldNames { of: Some((isa, opcode)), names: &[] }.text(expr)
}

/// An expression whose only field is the bits of a value.
pub(crate) fn text_of_bits(expr: &Expr) -> String {
    FieldNames { of: None, names: &["bits"] }.text(expr)
}

/// The value of a relocation.
pub(crate) fn text_of_address(expr: &Expr) -> String {
    FieldNames { of: None, names: &["value", "start"] }.text(expr)
}

struct FieldNames<'p> {
    /// The opcode that has the fields, if any.
    of: Option<(&'p Isa, &'p Opcode)>,
    /// Otherwise, the names of the fields.
    names: &'p [&'p str],
}

impl FieldNames<'_> {
    fn text(&self, expr: &Expr) -> String {
        if let Some(name) = self.scaled(expr).or_else(|| self.computed(expr)) {
            return self.name(name);
        }
        match expr {
            Expr::Int(value) => value.to_string(),
            Expr::Field(name, Reading::Unsigned) if self.has_value(*name) => {
                format!("bits({})", self.name(*name))
            }
            Expr::Field(name, _) => self.name(*name),
            Expr::Unary(op, inner) => format!("{}{}", op.symbol(), self.inner(inner, u8::MAX)),
            Expr::Extensions(presence) => {
                self.of.map_or(String::new(), |(isa, _)| isa.extensions().condition(presence))
            }
            Expr::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|one| self.text(one)).collect();
                format!("{}({})", function.name(), arguments.join(", "))
            }
            Expr::Binary(op, left, right) => {
                let named = match (&**left, &**right) {
                    (Expr::Field(name, _), Expr::Int(value)) if is_equality(*op) => {
                        self.named(*name, *value)
                    }
                    _ => None,
                };
                let (own, symbol) = (level(*op), op.symbol());
                let right = named.unwrap_or_else(|| self.inner(right, own + 1));
                format!("{} {symbol} {right}", self.inner(left, own))
            }
        }
    }

    fn name(&self, name: NameId) -> String {
        let other = self.names.get(name.index()).copied().unwrap_or_default();
        self.of.map_or(other, |(isa, _)| isa.name_of(name)).to_string()
    }

    /// The type of a field.
    fn ty(&self, name: NameId) -> Option<&Type> {
        let (isa, opcode) = self.of?;
        Some(isa.ty(opcode.field(name)?.ty))
    }

    /// Whether the value of a field is not its bits.
    fn has_value(&self, name: NameId) -> bool {
        self.ty(name).is_some_and(|ty| match &ty.kind {
            TypeKind::Immediate(of) => of.reading() == Reading::Signed || of.is_scaled(),
            _ => false,
        })
    }

    /// The field whose computed value is this expression.
    fn computed(&self, expr: &Expr) -> Option<NameId> {
        let [name] = expr.fields()[..] else { return None };
        let TypeKind::Immediate(of) = &self.ty(name)?.kind else { return None };
        of.is_computed_by(expr, name).then_some(name)
    }

    /// The field whose value is this expression, if the value differs from the number in the field's bits.
    fn scaled(&self, expr: &Expr) -> Option<NameId> {
        let (inner, bias) = match expr {
            Expr::Binary(BinaryOp::Add, inner, bias) => match &**bias {
                Expr::Int(bias) => (&**inner, *bias),
                _ => return None,
            },
            whole => (whole, 0),
        };
        let (inner, scale) = match inner {
            Expr::Binary(BinaryOp::Mul, inner, scale) => match &**scale {
                Expr::Int(scale) => (&**inner, *scale),
                _ => return None,
            },
            whole => (whole, 1),
        };
        let Expr::Field(name, reading) = inner else { return None };
        let TypeKind::Immediate(of) = &self.ty(*name)?.kind else { return None };
        let is_it = of.is_scaled()
            && of.computed.is_none()
            && (i128::from(of.scale), i128::from(of.bias), of.reading()) == (scale, bias, *reading);
        is_it.then_some(*name)
    }

    /// An operand of an operator of a level.
    fn inner(&self, expr: &Expr, outer: u8) -> String {
        let text = self.text(expr);
        let needs = match expr {
            Expr::Int(value) => *value < 0,
            Expr::Field(..) | Expr::Call(..) => false,
            Expr::Unary(..) => outer == u8::MAX && self.computed(expr).is_none(),
            Expr::Extensions(presence) => presence.terms().len() > 1,
            Expr::Binary(..) if self.scaled(expr).is_some() => false,
            Expr::Binary(..) if self.computed(expr).is_some() => false,
            Expr::Binary(op, ..) => level(*op) < outer,
        };
        if needs { format!("({text})") } else { text }
    }

    /// The name of a value of a field.
    fn named(&self, name: NameId, value: i128) -> Option<String> {
        let raw = u64::try_from(value).ok()?;
        let name = match &self.ty(name)?.kind {
            TypeKind::BitField(values) => {
                values.iter().find(|value| value.value == raw).map(|value| value.name.clone())
            }
            TypeKind::Operand(entries) => {
                entries.iter().find_map(|entry| Some(entry.name_at(entry.position(raw)?)))
            }
            _ => None,
        };
        Some(format!("\"{}\"", name?))
    }
}

fn is_equality(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne)
}

/// How strongly an operator binds.
fn level(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 0,
        BinaryOp::And => 1,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            2
        }
        BinaryOp::BitOr => 3,
        BinaryOp::BitXor => 4,
        BinaryOp::BitAnd => 5,
        BinaryOp::Shl | BinaryOp::Shr => 6,
        BinaryOp::Add | BinaryOp::Sub => 7,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 8,
    }
}
