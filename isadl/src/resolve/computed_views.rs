//! Operands that are computed from fields: `Operand<shift> : Amount = 63 - imms;`.
//!
//! Such an operand is a number or name for each value of the bits of its fields. The type of these is made
//! here, so that everything else meets a field like others. Codes: E0519.

use std::collections::HashSet;

use super::Resolver;
use super::views::Roles;
use crate::ast::{self, BinaryOp, Ident};
use crate::isa::{
    Binding, Computed, Enumerator, Expr, FieldRole, Immediate, MAX_COMPUTED_BITS, NameId, Number,
    NumberFormat, Reading, TypeId, TypeKind, low_bits,
};
use crate::model::{CompositeOperand, FieldId, LayerId};

/// An operand while it is made.
struct Subject<'a> {
    layer: LayerId,
    name: Ident<'a>,
    ty: Ident<'a>,
    given: &'a ast::Expr<'a>,
}

/// The value of the operand for each value of the bits of its fields.
struct Values {
    /// The fields, the first with the highest bits.
    parts: Vec<FieldId>,
    width: u32,
    /// The computed value, over the fields.
    of_fields: Expr,
    /// The computed value, over the bits of all fields as one number.
    of_bits: Expr,
}

impl Values {
    fn at(&self, raw: u64) -> i128 {
        self.of_bits.eval(&|_, reading| reading.integer(raw, self.width))
    }

    fn all(&self) -> impl Iterator<Item = (u64, i128)> {
        (0..1 << self.width).map(|raw| (raw, self.at(raw)))
    }
}

impl<'a> Resolver<'a, '_> {
    /// Makes an operand that is computed; `fixed` are the values of fields that are fixed, and `written` all that
    /// `Order` names.
    pub(super) fn computed_view(
        &mut self,
        layer: LayerId,
        roles: &mut Roles,
        (name, ty, given): (Ident<'a>, Ident<'a>, &'a ast::Expr<'a>),
        (fixed, written_names): (&[(NameId, u64)], &HashSet<&str>),
    ) -> Option<()> {
        let subject = Subject { layer, name, ty, given };
        if let Some(field) = self.model.find_field_text(layer, name.text) {
            let first = self.model.field(field).ast.span;
            let message = format!("`{}` is both a field and a computed operand", name.text);
            self.wrong_view(name.span, message, |d| d.with_related(first, "the field is here"));
            return None;
        }
        let (written, expr) = (self.type_of(ty), self.expr(layer, given));
        self.model.included.extend(written);
        let (written, expr) = (written?, expr?);
        let values = self.values_of_fields(&subject, roles, expr, fixed)?;
        let (kind, condition) = self.computed_kind(&subject, written, &values)?;
        let of = self.model.names.intern(name.text);
        for part in &values.parts {
            let field = self.model.field(*part).name;
            let Some(at) = self.model.position(layer, field) else { continue };
            if written_names.contains(self.model.names.text(field)) {
                // It is an operand of its own besides.
                continue;
            }
            roles.fields[at] = Some(FieldRole::Part { of });
        }
        let fields = values.parts.iter().filter_map(|part| {
            let field = self.model.field(*part);
            Some((field.ast.name.text.to_string(), field.ty?))
        });
        let fields = fields.collect();
        // The type determines which values exist.
        let alike = format!("{kind:?} {}", subject.ty.text);
        let ty = self.view_type(name, fields, alike, (values.width, kind));
        let value = Some(self.model.exprs.intern(values.of_fields.clone()));
        roles.composite_operands.push(CompositeOperand {
            name: of,
            ty,
            parts: values.parts,
            fixed: None,
            value,
            is_modifier: false,
        });
        roles.conditions.extend(condition.map(|condition| self.model.exprs.intern(condition)));
        Some(())
    }

    /// The fields of an operand, and the value computed from their bits.
    fn values_of_fields(
        &mut self,
        subject: &Subject<'a>,
        roles: &Roles,
        expr: Expr,
        fixed: &[(NameId, u64)],
    ) -> Option<Values> {
        let span = subject.given.span;
        let of_fields =
            expr.given(&|name, reading| self.known(subject.layer, fixed, name, reading));
        let mut parts = Vec::new();
        for name in of_fields.fields() {
            let at = self.model.position(subject.layer, name)?;
            let field = self.model.layer(subject.layer).fields[at];
            let wrong = match roles.fields[at]? {
                FieldRole::Control => "a control field, which is written after all operands",
                _ if self.model.field(field).is_literal() => "a literal",
                _ => {
                    parts.push(field);
                    continue;
                }
            };
            let text = self.model.field(field).ast.name.text;
            let message = format!("`{text}` cannot be part of an operand");
            self.wrong_view(span, message, |d| d.with_note(format!("it is {wrong}")));
            return None;
        }
        let width: u32 = parts.iter().map(|part| self.model.field(*part).width()).sum();
        let bits = parts.iter().fold(0, |bits, part| bits | self.model.field(*part).mask());
        let message = if parts.is_empty() {
            format!("operand `{}` is not computed from any field", subject.name.text)
        } else if bits.count_ones() < width {
            "an operand cannot be computed from fields that share bits".to_string()
        } else if width > MAX_COMPUTED_BITS {
            format!(
                "the fields of a computed operand have {width} bits; at most {MAX_COMPUTED_BITS} are possible"
            )
        } else {
            let mut lsb = width;
            let places = parts.iter().map(|part| {
                let field = self.model.field(*part);
                lsb -= field.width();
                (field.name, lsb, field.width())
            });
            let places: Vec<(NameId, u32, u32)> = places.collect();
            let of_bits = of_fields.with_fields(&|name, reading| {
                let (_, lsb, width) = places.iter().find(|place| place.0 == name)?;
                Some(bits_at(*lsb, *width, reading))
            });
            return Some(Values { parts, width, of_fields, of_bits });
        };
        self.wrong_view(span, message, |d| d);
        None
    }

    /// The integer of a field that is fixed.
    fn known(
        &self,
        layer: LayerId,
        fixed: &[(NameId, u64)],
        name: NameId,
        reading: Reading,
    ) -> Option<i128> {
        let at = self.model.position(layer, name)?;
        let field = self.model.field(self.model.layer(layer).fields[at]);
        let given = fixed.iter().find(|(other, _)| *other == name).map(|(_, raw)| *raw);
        let raw = given.or(match field.binding {
            Some(Binding::Fixed(raw)) => Some(raw),
            _ => None,
        });
        raw.map(|raw| reading.integer(raw, field.width()))
    }

    /// The kind of the values, and the condition under which there is a value, if not always.
    fn computed_kind(
        &mut self,
        subject: &Subject<'a>,
        written: TypeId,
        values: &Values,
    ) -> Option<(TypeKind, Option<Expr>)> {
        let known = self.model.ty(written).clone();
        if self.model.types[written.index()].has_gaps {
            return None;
        }
        let (kind, lacks) = match &known.kind {
            TypeKind::Immediate(of) if of.is_integer() && of.relative.is_none() => {
                let is_value =
                    |value| of.bits_of(value, known.width).is_some_and(|raw| !of.excepts(raw));
                let lacks = runs(values.all().filter(|(_, value)| !is_value(*value)));
                (TypeKind::Immediate(computed_number((of, known.width), values, &lacks)), lacks)
            }
            TypeKind::BitField(list) => {
                let named = |value: i128| list.iter().find(|one| i128::from(one.value) == value);
                let own = values.all().filter_map(|(raw, value)| {
                    Some(Enumerator { value: raw, ..named(value)?.clone() })
                });
                let own: Vec<Enumerator> = own.collect();
                if let Some(twice) = own
                    .iter()
                    .enumerate()
                    .find(|(at, one)| own[..*at].iter().any(|o| o.name == one.name))
                {
                    let message =
                        format!("two values of the fields give the name `{}`", twice.1.name);
                    self.wrong_view(subject.given.span, message, |d| {
                        d.with_help("compute a different name from each value of the fields, or compute numbers")
                    });
                    return None;
                }
                let lacks = runs(values.all().filter(|(_, value)| named(*value).is_none()));
                (TypeKind::BitField(own), lacks)
            }
            _ => {
                let message = format!("values of `{}` cannot be computed", known.name);
                self.wrong_view(subject.ty.span, message, |d| {
                    d.with_note("only integers that are not distances, and values of bit-fields, can be computed")
                });
                return None;
            }
        };
        let Some((first, _)) = lacks.first().copied() else { return Some((kind, None)) };
        let is_alias = self.model.layer(subject.layer).alias_of.is_some();
        if lacks == [(0, 1 << values.width)] || !is_alias {
            let value = values.at(first);
            let message = format!("{value} is not a value of `{}`", known.name);
            let of = if values.parts.len() == 1 { "the field has" } else { "the fields have" };
            self.wrong_view(subject.given.span, message, |d| {
                d.with_note(format!("it is computed where {of} the bits {first:#x}")).with_help(
                    "every instruction needs a text; only an alias may leave out some instructions",
                )
            });
            return None;
        }
        let raw = self.raw(values);
        Some((kind, Some(outside(&raw, &lacks))))
    }

    /// The bits of all fields as one number.
    fn raw(&self, values: &Values) -> Expr {
        let join = |high: Option<Expr>, part: &FieldId| {
            let field = self.model.field(*part);
            let own = Expr::Field(field.name, Reading::Unsigned);
            Some(match high {
                None => own,
                Some(high) => {
                    let width = Box::new(Expr::Int(field.width().into()));
                    let high = Expr::Binary(BinaryOp::Shl, Box::new(high), width);
                    Expr::Binary(BinaryOp::BitOr, Box::new(high), Box::new(own))
                }
            })
        };
        values.parts.iter().fold(None, join).unwrap_or(Expr::Int(0))
    }
}

/// The numbers of an operand, written like the numbers of a type of the given width.
fn computed_number(
    (of, width): (&Immediate, u32),
    values: &Values,
    lacks: &[(u64, u128)],
) -> Immediate {
    let format = |number| NumberFormat { number, lanes: 1 };
    let mut number = Immediate::new(format(Number::Unsigned), of.print);
    number.prefix = of.prefix.clone();
    if let Some((scale, bias)) = line(values) {
        (number.scale, number.bias) = (scale, bias);
        return number;
    }
    if of.range(width).0 < 0 {
        number.number = format(Number::Signed);
    }
    let expr = values.of_bits.clone();
    // INVARIANT: a value that is not lacking is a value of the type, so it is a number of 64 bits.
    number.computed = Computed::of(expr, values.width, number.number, lacks).ok().map(Box::new);
    number
}

/// The number of some of the bits of all fields.
fn bits_at(lsb: u32, width: u32, reading: Reading) -> Expr {
    let with = |op, left, by: i128| Expr::Binary(op, Box::new(left), Box::new(Expr::Int(by)));
    let all = Expr::Field(NameId::new(0), Reading::Unsigned);
    let shifted = if lsb == 0 { all } else { with(BinaryOp::Shr, all, lsb.into()) };
    let own = with(BinaryOp::BitAnd, shifted, low_bits(width) as i128);
    match reading {
        Reading::Unsigned => own,
        Reading::Signed => {
            let sign = 1 << (width - 1);
            with(BinaryOp::Sub, with(BinaryOp::BitXor, own, sign), sign)
        }
    }
}

/// The scale and bias of values that rise or fall evenly.
fn line(values: &Values) -> Option<(i64, i64)> {
    let bias = values.at(0);
    let scale = values.at(1) - bias;
    let is_even = values.all().all(|(raw, value)| value == bias + scale * i128::from(raw));
    let (scale, bias) = (i64::try_from(scale).ok()?, i64::try_from(bias).ok()?);
    (is_even && scale != 0).then_some((scale, bias))
}

/// Ascending numbers as half-open ranges.
fn runs(raws: impl Iterator<Item = (u64, i128)>) -> Vec<(u64, u128)> {
    let mut found: Vec<(u64, u128)> = Vec::new();
    for (raw, _) in raws {
        match found.last_mut().filter(|last| last.1 == raw.into()) {
            Some(last) => last.1 += 1,
            None => found.push((raw, u128::from(raw) + 1)),
        }
    }
    found
}

/// The condition that a number is in none of the ranges.
fn outside(number: &Expr, ranges: &[(u64, u128)]) -> Expr {
    let compare = |op, with: u128| {
        Expr::Binary(op, Box::new(number.clone()), Box::new(Expr::Int(with as i128)))
    };
    let both = |op, a, b| Expr::Binary(op, Box::new(a), Box::new(b));
    let apart = ranges.iter().map(|(first, end)| {
        let below = compare(BinaryOp::Lt, (*first).into());
        both(BinaryOp::Or, below, compare(BinaryOp::Ge, *end))
    });
    super::exprs::all_of(apart.collect())
}
