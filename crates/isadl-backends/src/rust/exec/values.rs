//! Values as Rust expressions.

use isadl_ir::isa::{Meaning, NameId, Number, Reading, TypeKind};
use isadl_semantics::ir::{BinaryOp, Op, UnaryOp, ValueId};

use super::classes::{
    Class, bare, constant, convert, integer, literal, masked, ones, raw_bits, signed,
};
use super::writer::Writer;

impl Writer<'_, '_> {
    pub(super) fn width(&self, id: ValueId) -> u32 {
        self.unit.width(id)
    }

    fn class(&self, id: ValueId) -> Class {
        Class::of(self.width(id))
    }

    /// A value as an expression.
    pub(super) fn expr(&mut self, id: ValueId) -> String {
        if self.named.contains(&id) {
            return format!("v{}", id.index());
        }
        if self.warp.saved.contains(&id) {
            return self.saved(id);
        }
        if self.is_filled(id) {
            return self.value_slot(id);
        }
        self.computed(id)
    }

    /// A value as an expression of the class of a width.
    pub(super) fn expr_as(&mut self, id: ValueId, class: Class) -> String {
        let (expr, own) = (self.expr(id), self.class(id));
        convert(&expr, own, class)
    }

    /// A value of 1 bit as an expression of type `bool`.
    pub(super) fn condition(&mut self, id: ValueId) -> String {
        if self.is_inline(id)
            && let Some(truth) = self.truth(id)
        {
            return truth;
        }
        format!("{} != 0", self.expr(id))
    }

    /// The expression of a comparison or its opposite.
    fn truth(&mut self, id: ValueId) -> Option<String> {
        let code = &self.unit.code;
        match *code.op(id) {
            Op::Unary(UnaryOp::Not, of) if self.width(of) == 1 => {
                Some(format!("!({})", self.condition(of)))
            }
            Op::Binary(
                op @ (BinaryOp::Equal | BinaryOp::LessUnsigned | BinaryOp::LessSigned),
                a,
                b,
            ) if self.width(a) <= 128 => {
                let (x, y) = (self.expr(a), self.expr(b));
                let width = self.width(a);
                match op {
                    BinaryOp::Equal => Some(format!("{x} == {y}")),
                    BinaryOp::LessUnsigned => Some(format!("({x}) < {y}")),
                    _ => Some(format!("({}) < {}", signed(&x, width), signed(&y, width))),
                }
            }
            _ => None,
        }
    }

    /// The expression of an operation.
    pub(super) fn computed(&mut self, id: ValueId) -> String {
        let unit = self.unit;
        let width = self.width(id);
        if let Some(truth) = self.truth(id) {
            return format!("u64::from({})", bare(&truth));
        }
        match unit.code.op(id) {
            Op::Constant(value) => constant(*value, width),
            Op::Field(name) => self.field(*name, width),
            Op::FieldBits(name) => {
                convert(&raw_bits(&unit.field(*name).bits), Class::Small, Class::of(width))
            }
            Op::Has(condition) => self.shared.extensions(condition),
            Op::Pc => convert(&masked("pc", width.min(64)), Class::Small, Class::of(width)),
            Op::Next => {
                let next = format!("pc.wrapping_add({})", unit.opcode.width / 8);
                convert(&masked(&next, width.min(64)), Class::Small, Class::of(width))
            }
            Op::Raised => masked("raised", width),
            Op::Lane => {
                let lane = masked("(lane as u64)", width.min(64));
                convert(&lane, Class::Small, Class::of(width))
            }
            Op::Read(place) => self.read(place, width),
            Op::Unknown => constant(0, width),
            // Any of them may be chosen.
            Op::Any { last, .. } => self.expr(*last),
            Op::Unary(op, of) => self.unary(*op, *of, width),
            Op::Binary(op, a, b) => self.binary(*op, *a, *b, width),
            Op::Extend { of, is_signed } => self.extended(*of, *is_signed, width),
            Op::Extract { of, low } => self.extracted(*of, *low, width),
            Op::Concat(parts) => {
                let class = Class::of(width);
                let mut all = String::new();
                for part in parts {
                    let own = self.expr_as(*part, class);
                    let bits = self.width(*part);
                    all = match (all.is_empty(), class) {
                        (true, _) => own,
                        (false, Class::Wide(_)) => {
                            format!(
                                "wide::or(wide::shl({}, {bits}, {width}), {})",
                                bare(&all),
                                bare(&own)
                            )
                        }
                        (false, _) => format!("({all} << {bits}_u32 | {own})"),
                    };
                }
                all
            }
            Op::Select { condition, yes, no } => {
                let condition = self.condition(*condition);
                let (yes, no) = (self.expr(*yes), self.expr(*no));
                format!("(if {condition} {{ {} }} else {{ {} }})", bare(&yes), bare(&no))
            }
            _ => {
                self.refuse("a value is used before it is computed");
                constant(0, width)
            }
        }
    }

    /// The number in a field.
    fn field(&mut self, name: NameId, width: u32) -> String {
        let unit = self.unit;
        let field = unit.field(name);
        let (raw, ty) = (raw_bits(&field.bits), unit.isa.ty(field.ty));
        let number = match &ty.kind {
            TypeKind::Immediate(immediate) => match self.shared.computed(immediate) {
                Some(row) => {
                    let number = format!(
                        "super::super::engine::computed::number(&super::super::image::IMAGE, {row}, {})",
                        bare(&raw)
                    );
                    let bits = immediate.number_bits(0, field.width()).1;
                    match immediate.number.number {
                        Number::Signed if immediate.is_integer() => signed(&number, bits),
                        _ => number,
                    }
                }
                None if matches!(immediate.number.number, Number::Float { .. }) => raw,
                None => {
                    let own = match immediate.reading() {
                        Reading::Signed => signed(&raw, field.width()),
                        _ => format!("({raw} as i64)"),
                    };
                    let scaled = match immediate.scale {
                        1 => own,
                        scale => format!("({own}).wrapping_mul({scale})"),
                    };
                    match immediate.bias {
                        0 => scaled,
                        bias => format!("({scaled}).wrapping_add({bias})"),
                    }
                }
            },
            TypeKind::Operand(entries) => {
                let arms = entries.iter().filter_map(|entry| match entry.meaning {
                    Meaning::Integers { first, step } => Some(format!(
                        "raw @ {}..={} => {first} + {step} * (raw - {0}) as i64, ",
                        entry.value,
                        entry.value + (entry.count - 1)
                    )),
                    _ => None,
                });
                let arms: String = arms.collect();
                format!("(match {} {{ {arms}_ => 0 }})", bare(&raw))
            }
            _ => raw,
        };
        integer(&number, width)
    }

    fn unary(&mut self, op: UnaryOp, of: ValueId, width: u32) -> String {
        let bits = self.width(of);
        let x = self.expr(of);
        let class = Class::of(bits);
        if let Class::Wide(_) = class {
            let name = match op {
                UnaryOp::Not => "not",
                UnaryOp::Neg => "neg",
                UnaryOp::Count => "count",
                UnaryOp::LeadingZeros => "leading_zeros",
                UnaryOp::TrailingZeros => "trailing_zeros",
                UnaryOp::Reverse => "reverse",
            };
            return match op {
                UnaryOp::Not | UnaryOp::Neg | UnaryOp::Reverse => {
                    format!("wide::{name}({}, {bits})", bare(&x))
                }
                _ => convert(
                    &format!("wide::{name}({}, {bits})", bare(&x)),
                    Class::Small,
                    Class::of(width),
                ),
            };
        }
        let all = if class == Class::Small { 64 } else { 128 };
        let count = |expr: String| {
            convert(
                &masked(&format!("u64::from({})", bare(&expr)), width.min(64)),
                Class::Small,
                Class::of(width),
            )
        };
        match op {
            UnaryOp::Not => format!("({x} ^ {})", literal(ones(bits), bits)),
            UnaryOp::Neg => masked(&format!("({x}).wrapping_neg()"), bits),
            UnaryOp::Count => count(format!("({x}).count_ones()")),
            UnaryOp::LeadingZeros => count(format!("(({x}).leading_zeros() - {})", all - bits)),
            UnaryOp::TrailingZeros => count(format!("({x}).trailing_zeros().min({bits})")),
            UnaryOp::Reverse => format!("(({x}).reverse_bits() >> {}_u32)", all - bits),
        }
    }

    /// A distance, as a number of type `u64`; large ones may be others that are large.
    fn distance(&mut self, id: ValueId) -> String {
        let expr = self.expr(id);
        match self.class(id) {
            Class::Small => expr,
            Class::Double => format!("wide::distance({})", bare(&expr)),
            Class::Wide(_) => format!("wide::distance_of({})", bare(&expr)),
        }
    }

    /// A distance to rotate numbers of some bits: large ones matter, too.
    fn turn(&mut self, id: ValueId, bits: u32) -> String {
        let expr = self.expr(id);
        match self.class(id) {
            Class::Small => expr,
            Class::Double => format!("(({expr} % {bits}_u128) as u64)"),
            class @ Class::Wide(_) => {
                let bits = constant(bits.into(), self.width(id));
                let rest = format!("wide::remainder({}, {bits}, {})", bare(&expr), self.width(id));
                convert(&rest, class, Class::Small)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId, width: u32) -> String {
        let bits = self.width(a);
        let class = Class::of(bits);
        let result = Class::of(width);
        if let Class::Wide(_) = class {
            return self.wide_binary(op, a, b, width);
        }
        let x = self.expr(a);
        if let BinaryOp::Shl | BinaryOp::ShrZeros | BinaryOp::ShrSigns | BinaryOp::RotateLeft = op {
            return self.shifted(op, &x, bits, b);
        }
        let y = self.expr(b);
        let suffix = if class == Class::Small { "64" } else { "128" };
        let (s, t) = (signed(&x, bits), signed(&y, bits));
        let unsigned = class.name();
        match op {
            BinaryOp::Add => masked(&format!("({x}).wrapping_add({})", bare(&y)), bits),
            BinaryOp::Sub => masked(&format!("({x}).wrapping_sub({})", bare(&y)), bits),
            BinaryOp::Mul => masked(&format!("({x}).wrapping_mul({})", bare(&y)), bits),
            BinaryOp::And => format!("({x} & {y})"),
            BinaryOp::Or => format!("({x} | {y})"),
            BinaryOp::Xor => format!("({x} ^ {y})"),
            BinaryOp::DivUnsigned => {
                masked(&format!("number::quotient{suffix}({}, {})", bare(&x), bare(&y)), bits)
            }
            BinaryOp::RemUnsigned => {
                format!("number::remainder{suffix}({}, {})", bare(&x), bare(&y))
            }
            BinaryOp::DivSigned => masked(
                &format!(
                    "(number::signed_quotient{suffix}({}, {}) as {unsigned})",
                    bare(&s),
                    bare(&t)
                ),
                bits,
            ),
            BinaryOp::RemSigned => masked(
                &format!(
                    "(number::signed_remainder{suffix}({}, {}) as {unsigned})",
                    bare(&s),
                    bare(&t)
                ),
                bits,
            ),
            BinaryOp::Carryless => match (class, result) {
                (Class::Small, _) => convert(
                    &format!("number::carryless({}, {})", bare(&x), bare(&y)),
                    Class::Double,
                    result,
                ),
                _ => {
                    let pieces = result.count();
                    let (x, y) = (
                        convert(&x, class, Class::Wide(pieces)),
                        convert(&y, class, Class::Wide(pieces)),
                    );
                    format!("wide::carryless({}, {}, {width})", bare(&x), bare(&y))
                }
            },
            // INVARIANT: these are comparisons, or shifts.
            _ => {
                self.refuse("an operation is unknown");
                x
            }
        }
    }

    fn shifted(&mut self, op: BinaryOp, x: &str, bits: u32, by: ValueId) -> String {
        let class = Class::of(bits);
        let suffix = if class == Class::Small { "64" } else { "128" };
        let bits_of_by = self.width(by);
        let known = self.unit.code.constant(by).map(|by| by as u128 & ones(bits_of_by));
        let known = known.map(|known| known.min(u128::from(bits)) as u32);
        // The distance is less than the number of bits.
        let is_near = self.width(by) < 8 && ones(self.width(by)) < u128::from(bits);
        let by = match op {
            BinaryOp::RotateLeft => self.turn(by, bits),
            _ => self.distance(by),
        };
        let unsigned = class.name();
        match (op, known) {
            (BinaryOp::Shl, Some(known)) if known < bits => {
                masked(&format!("({x} << {known}_u32)"), bits)
            }
            (BinaryOp::ShrZeros, Some(known)) if known < bits => format!("({x} >> {known}_u32)"),
            (BinaryOp::Shl, _) if is_near => masked(&format!("({x} << {by})"), bits),
            (BinaryOp::ShrZeros, _) if is_near => format!("({x} >> {by})"),
            (BinaryOp::ShrSigns, _) if is_near => {
                masked(&format!("(({} >> {by}) as {unsigned})", signed(x, bits)), bits)
            }
            (BinaryOp::Shl, _) => {
                masked(&format!("number::shl{suffix}({}, {}, {bits})", bare(x), bare(&by)), bits)
            }
            (BinaryOp::ShrZeros, _) => {
                format!("number::shr{suffix}({}, {}, {bits})", bare(x), bare(&by))
            }
            (BinaryOp::ShrSigns, _) => masked(
                &format!("(({} >> ({by}).min({}_u64)) as {unsigned})", signed(x, bits), bits - 1),
                bits,
            ),
            _ => masked(&format!("number::rotl{suffix}({}, {}, {bits})", bare(x), bare(&by)), bits),
        }
    }

    fn wide_binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId, width: u32) -> String {
        let bits = self.width(a);
        let class = Class::of(bits);
        let x = self.expr(a);
        let name = match op {
            BinaryOp::Shl => "shl",
            BinaryOp::ShrZeros => "shr",
            BinaryOp::ShrSigns => "shr_signs",
            BinaryOp::RotateLeft => "rotl",
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
            BinaryOp::DivUnsigned => "quotient",
            BinaryOp::RemUnsigned => "remainder",
            BinaryOp::DivSigned => "signed_quotient",
            BinaryOp::RemSigned => "signed_remainder",
            BinaryOp::Carryless => "carryless",
            BinaryOp::Equal => "equal",
            BinaryOp::LessUnsigned => "less",
            BinaryOp::LessSigned => "signed_less",
        };
        match op {
            BinaryOp::Shl | BinaryOp::ShrZeros | BinaryOp::ShrSigns | BinaryOp::RotateLeft => {
                let by = match op {
                    BinaryOp::RotateLeft => self.turn(b, bits),
                    _ => self.distance(b),
                };
                format!("wide::{name}({}, {}, {bits})", bare(&x), bare(&by))
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                format!("wide::{name}({}, {})", bare(&x), bare(&self.expr(b)))
            }
            BinaryOp::Equal | BinaryOp::LessUnsigned => {
                format!("u64::from(wide::{name}({}, {}))", bare(&x), bare(&self.expr(b)))
            }
            BinaryOp::LessSigned => {
                format!("u64::from(wide::{name}({}, {}, {bits}))", bare(&x), bare(&self.expr(b)))
            }
            BinaryOp::Carryless => {
                let to = Class::of(width);
                let (x, y) = (convert(&x, class, to), self.expr_as(b, to));
                format!("wide::{name}({}, {}, {width})", bare(&x), bare(&y))
            }
            _ => format!("wide::{name}({}, {}, {bits})", bare(&x), bare(&self.expr(b))),
        }
    }

    fn extended(&mut self, of: ValueId, is_signed: bool, width: u32) -> String {
        let bits = self.width(of);
        let (from, to) = (Class::of(bits), Class::of(width));
        let x = self.expr(of);
        if !is_signed || bits == width {
            return convert(&x, from, to);
        }
        match (from, to) {
            (Class::Small, Class::Small) => {
                masked(&format!("({} as u64)", signed(&x, bits)), width)
            }
            (Class::Small, Class::Double) => {
                masked(&format!("({} as i128 as u128)", signed(&x, bits)), width)
            }
            (Class::Double, Class::Double) => {
                masked(&format!("({} as u128)", signed(&x, bits)), width)
            }
            _ => format!("wide::extended({}, {bits}, {width})", bare(&convert(&x, from, to))),
        }
    }

    fn extracted(&mut self, of: ValueId, low: u32, width: u32) -> String {
        let code = &self.unit.code;
        let from = self.class(of);
        let to = Class::of(width);
        // A quotient of numbers of 64 bits needs no more, but for its highest bit.
        if let (Op::Binary(op @ (BinaryOp::DivSigned | BinaryOp::RemSigned), a, b), 0, Class::Small) =
            (code.op(of), low, to)
            && self.is_inline(of)
            && let (Some(x), Some(y)) = (self.short_operand(*a), self.short_operand(*b))
        {
            let name = if *op == BinaryOp::DivSigned { "quotient" } else { "remainder" };
            return masked(
                &format!("(number::signed_{name}64({}, {}) as u64)", bare(&x), bare(&y)),
                width,
            );
        }
        let x = self.expr(of);
        let whole = self.width(of) - low == width;
        let shifted = match (from, low) {
            (_, 0) => x,
            (Class::Wide(_), _) => format!("wide::shr({}, {low}, {})", bare(&x), self.width(of)),
            _ => format!("({x} >> {low}_u32)"),
        };
        let own = convert(&shifted, from, to);
        if whole { own } else { masked(&own, width) }
    }

    /// An operand that is a number of at most 64 bits with copies of its sign above, as an expression of type `i64`.
    fn short_operand(&mut self, id: ValueId) -> Option<String> {
        if !self.is_inline(id) {
            return None;
        }
        let Op::Extend { of, is_signed: true } = *self.unit.code.op(id) else { return None };
        let bits = self.width(of);
        if bits > 64 {
            return None;
        }
        let expr = self.expr(of);
        Some(signed(&expr, bits))
    }
}
