//! Operations of several kinds as values: for tools that find out at run time which they need.

use super::compare::Extremum;
use super::environment::{Environment, Flags, Flush, NanRule, NotANumber, Rounding};
use super::format::Format;
use super::number::{Class, Number};

/// An operation: encodings or an integer in, an encoding, an integer or a bit out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation<'o> {
    /// What is computed.
    pub function: Function,
    /// The formats of the operands.
    pub from: &'o [Format],
    /// The format of the result; for other results, that of the first operand.
    pub to: Format,
}

/// What an operation computes. A result in a format is rounded once. If there is one more operand than the function has, it is the
/// exponent of a power of two, by which the exact result is multiplied before it is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Function {
    /// `a + b`, either with the opposite sign.
    Sum {
        /// Whether each is subtracted.
        is_minus: [bool; 2],
    },
    /// `a * b`, or its opposite.
    Product {
        /// Whether it is the opposite.
        is_minus: bool,
    },
    /// `a * b + c`, the product or `c` with the opposite sign.
    Fused {
        /// Whether the product and `c` are subtracted.
        is_minus: [bool; 2],
        /// Whether `c` is written first: then it counts first among operands that are NaNs.
        is_addend_first: bool,
    },
    /// `a / b`
    Quotient,
    /// The square root.
    Root,
    /// The number in another format.
    Convert,
    /// The number of an integer.
    FromInteger {
        /// The bits of the integer, 1 to 64.
        width: u32,
        /// Whether it has a sign.
        is_signed: bool,
    },
    /// The nearest integer that there is.
    ToInteger {
        /// The bits of the integer, 1 to 64.
        width: u32,
        /// Whether it has a sign.
        is_signed: bool,
    },
    /// The nearest integer in the same format.
    ToIntegral {
        /// Whether the inexact flag is raised if it is another number.
        is_exact: bool,
    },
    /// Whether `a < b`, `a <= b`, `a == b`; not with a NaN.
    Compare {
        /// The comparison.
        order: Order,
        /// Whether any NaN is invalid; else signaling ones alone.
        is_signaling: bool,
    },
    /// The lesser of two.
    Minimum(Extremum),
    /// The greater of two.
    Maximum(Extremum),
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Order {
    /// `a < b`
    Less,
    /// `a <= b`
    LessOrEqual,
    /// `a == b`
    Equal,
}

/// What decides results besides the operands. The number of a value is its index among [`Setting::values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Setting {
    /// The rounding mode.
    Rounding,
    /// Which NaN a result is.
    Nan,
    /// What subnormal operands count as.
    SubnormalOperands,
    /// What becomes of subnormal results.
    SubnormalResults,
    /// When a result is tiny.
    Tininess,
    /// The integer that a NaN becomes.
    NanInteger,
}

impl Setting {
    /// All of them, in the order of their names.
    pub const ALL: [Setting; 6] = [
        Setting::Nan,
        Setting::NanInteger,
        Setting::Rounding,
        Setting::SubnormalOperands,
        Setting::SubnormalResults,
        Setting::Tininess,
    ];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Setting::Rounding => "rounding",
            Setting::Nan => "nan",
            Setting::SubnormalOperands => "subnormal_operands",
            Setting::SubnormalResults => "subnormal_results",
            Setting::Tininess => "tininess",
            Setting::NanInteger => "nan_integer",
        }
    }

    /// The names of its values; the first applies if nothing is declared.
    pub fn values(self) -> &'static [&'static str] {
        match self {
            Setting::Rounding => {
                &["nearest_even", "nearest_away", "to_zero", "up", "down", "to_odd"]
            }
            Setting::Nan => {
                &["canonical", "first", "signaling_first", "negative_canonical", "full_canonical"]
            }
            Setting::SubnormalOperands => &["kept", "zeros"],
            Setting::SubnormalResults => &["kept", "zeros", "zeros_without_inexact"],
            Setting::Tininess => &["after_rounding", "before_rounding"],
            Setting::NanInteger => &["largest", "zero", "least"],
        }
    }

    /// The setting of a name.
    pub fn find(name: &str) -> Option<Setting> {
        Setting::ALL.into_iter().find(|setting| setting.name() == name)
    }

    /// Changes an environment; `value` is the number of a value, another one counts as the first.
    pub fn apply(self, value: usize, environment: &mut Environment) {
        match self {
            Setting::Rounding => {
                environment.rounding = Rounding::ALL.get(value).copied().unwrap_or_default();
            }
            Setting::Nan => {
                environment.nan = match value {
                    1 => NanRule::First,
                    2 => NanRule::SignalingFirst,
                    _ => NanRule::Canonical,
                };
                environment.is_canonical_negative = value == 3;
                environment.is_canonical_full = value == 4;
            }
            Setting::SubnormalOperands => environment.flushes_operands = value == 1,
            Setting::SubnormalResults => {
                environment.flush = match value {
                    1 => Flush::Inexact,
                    2 => Flush::UnderflowOnly,
                    _ => Flush::Kept,
                };
            }
            Setting::Tininess => environment.is_tiny_before = value == 1,
            Setting::NanInteger => {
                environment.nan_integer = match value {
                    1 => NotANumber::Zero,
                    2 => NotANumber::Least,
                    _ => NotANumber::Largest,
                };
            }
        }
    }
}

impl Function {
    /// The number of its operands, without the exponent of a power of two.
    pub fn operands(self) -> usize {
        match self {
            Function::Fused { .. } => 3,
            Function::Sum { .. }
            | Function::Product { .. }
            | Function::Quotient
            | Function::Compare { .. }
            | Function::Minimum(_)
            | Function::Maximum(_) => 2,
            _ => 1,
        }
    }

    /// The settings that its result depends on.
    pub fn settings(self) -> &'static [Setting] {
        use Setting::{Nan, NanInteger, Rounding, SubnormalOperands, SubnormalResults, Tininess};
        match self {
            Function::Sum { .. }
            | Function::Product { .. }
            | Function::Fused { .. }
            | Function::Quotient
            | Function::Root
            | Function::Convert => &[Rounding, Nan, SubnormalOperands, SubnormalResults, Tininess],
            Function::FromInteger { .. } => &[Rounding, SubnormalResults, Tininess],
            Function::ToInteger { .. } => &[Rounding, NanInteger, SubnormalOperands],
            Function::ToIntegral { .. } => &[Rounding, Nan, SubnormalOperands],
            Function::Compare { .. } => &[SubnormalOperands],
            Function::Minimum(_) | Function::Maximum(_) => {
                &[Nan, SubnormalOperands, SubnormalResults]
            }
        }
    }
}

impl Operation<'_> {
    /// The number of bits of the result.
    pub fn width(&self) -> u32 {
        match self.function {
            Function::ToInteger { width, .. } => width,
            Function::Compare { .. } => 1,
            _ => self.to.width(),
        }
    }

    /// Computes the result of encodings, or of an integer in two's complement, and the flags that are raised. The numbers of the settings'
    /// values are given. Bits of the result above its width are 0.
    ///
    /// # Panics
    ///
    /// If there are fewer operands than the function has.
    pub fn evaluate(&self, operands: &[u64], settings: &[(Setting, usize)]) -> (u64, Flags) {
        let mut environment = Environment::default();
        for (setting, value) in settings {
            setting.apply(*value, &mut environment);
        }
        let result = self.compute(operands, &mut environment);
        (result & (u64::MAX >> (64 - self.width())), environment.flags)
    }

    fn compute(&self, operands: &[u64], environment: &mut Environment) -> u64 {
        let first = operands[0];
        let by = operands.get(self.from.len().max(1)).map_or(0, |by| *by as i32);
        match self.function {
            Function::FromInteger { width, is_signed } => {
                let number = Number::of_bits(first, width, is_signed).scaled(by);
                return self.to.pack(environment, number);
            }
            Function::ToInteger { width, is_signed } => {
                let number = self.from[0].unpack(environment, first).scaled(by);
                return environment.integer(number, width, is_signed);
            }
            Function::ToIntegral { is_exact } => {
                return self.from[0].to_integral(environment, first, is_exact);
            }
            Function::Convert => {
                let number = self.from[0].unpack(environment, first).scaled(by);
                let number = environment.converted(number);
                return self.to.pack(environment, number);
            }
            Function::Minimum(extremum) => {
                return self.to.minimum(environment, first, operands[1], extremum);
            }
            Function::Maximum(extremum) => {
                return self.to.maximum(environment, first, operands[1], extremum);
            }
            _ => {}
        }
        // A result of another format may have more bits than the operands.
        let mut fraction = self.to.fraction();
        for format in self.from {
            fraction = fraction.max(format.fraction());
        }
        let mut number = |at: usize| self.from[at].unpack(environment, operands[at]);
        let a = number(0);
        let b = if self.from.len() > 1 { number(1) } else { a };
        let c = if self.from.len() > 2 { number(2) } else { a };
        let result = match self.function {
            Function::Compare { order, is_signaling } => {
                let found = environment.order(a, b, is_signaling);
                return u64::from(found.is_some_and(|found| match order {
                    Order::Less => found.is_lt(),
                    Order::LessOrEqual => found.is_le(),
                    Order::Equal => found.is_eq(),
                }));
            }
            Function::Sum { is_minus: [x, y] } => environment.sum(opposite(a, x), opposite(b, y)),
            Function::Product { is_minus } => environment.product(opposite(a, is_minus), b),
            Function::Fused { is_minus: [x, y], is_addend_first } => {
                let (a, c) = (opposite(a, x), opposite(c, y));
                match is_addend_first {
                    true => environment.fused_addend_first(a, b, c, fraction),
                    false => environment.fused(a, b, c, fraction),
                }
            }
            Function::Quotient => environment.quotient(a, b, fraction),
            _ => environment.root(a, fraction),
        };
        self.to.pack(environment, result.scaled(by))
    }
}

/// A number with the opposite sign; a NaN stays, since it is the sum or product that is subtracted.
fn opposite(number: Number, is_minus: bool) -> Number {
    let changes = is_minus && number.class != Class::Nan;
    Number { is_negative: number.is_negative ^ changes, ..number }
}
