//! Operations on floating-point numbers, as programs and the intermediate representation have them.

use std::fmt;

pub use isadl_float::near;
pub use isadl_float::{Flags as RaisedFlags, Format, Function, Order, Setting};

/// An operation: encodings or an integer in, an encoding, an integer or a bit out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Operation {
    /// What is computed.
    pub function: Function,
    /// The formats of the operands.
    pub from: Vec<Format>,
    /// The format of the result; for other results, that of the first operand.
    pub to: Format,
}

impl Operation {
    /// The number of bits of the result.
    pub fn width(&self) -> u32 {
        self.borrowed().width()
    }

    /// Whether it can be computed of so many operands.
    pub fn takes(&self, count: usize) -> bool {
        let needed = self.function.operands();
        let is_integer = matches!(self.function, Function::FromInteger { .. });
        let width = match self.function {
            Function::FromInteger { width, .. } | Function::ToInteger { width, .. } => width,
            _ => 1,
        };
        (1..=64).contains(&width)
            && (needed..=needed + 1).contains(&count)
            && (is_integer || self.from.len() == needed)
    }

    /// Computes the result, as [`isadl_float::Operation::evaluate`] does.
    ///
    /// # Panics
    ///
    /// If there are fewer operands than the function has.
    pub fn evaluate(&self, operands: &[u64], settings: &[(Setting, usize)]) -> (u64, RaisedFlags) {
        self.borrowed().evaluate(operands, settings)
    }

    fn borrowed(&self) -> isadl_float::Operation<'_> {
        isadl_float::Operation { function: self.function, from: &self.from, to: self.to }
    }
}

/// A format as a type: `float(32)`.
pub fn written(format: Format) -> String {
    match Format::interchange(format.width()) {
        Some(own) if own == format => format!("float({})", format.width()),
        _ => format!("float({}, {})", format.exponent(), format.fraction()),
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |is_minus: bool| if is_minus { "-" } else { "" };
        match self.function {
            Function::Sum { is_minus: [a, b] } => write!(f, "sum {}a {}b", sign(a), sign(b))?,
            Function::Product { is_minus } => write!(f, "product {}", sign(is_minus))?,
            Function::Fused { is_minus: [product, addend], is_addend_first } => {
                let order = if is_addend_first { "addend first" } else { "product first" };
                write!(f, "fused {}product {}addend {order}", sign(product), sign(addend))?;
            }
            Function::Quotient => f.write_str("quotient")?,
            Function::Root => f.write_str("root")?,
            Function::Convert => f.write_str("convert")?,
            Function::FromInteger { width, is_signed } => {
                write!(f, "from {width} bits, signed {is_signed}")?;
            }
            Function::ToInteger { width, is_signed } => {
                write!(f, "to {width} bits, signed {is_signed}")?;
            }
            Function::ToIntegral { is_exact } => write!(f, "to integral, exact {is_exact}")?,
            Function::Compare { order, is_signaling } => {
                write!(f, "compare {order:?}, signaling {is_signaling}")?;
            }
            Function::Minimum(extremum) => write!(f, "minimum {extremum:?}")?,
            Function::Maximum(extremum) => write!(f, "maximum {extremum:?}")?,
        }
        let format = |format: &Format| format!("{}.{}", format.exponent(), format.fraction());
        let from: Vec<String> = self.from.iter().map(format).collect();
        write!(f, " ({} to {})", from.join(", "), format(&self.to))
    }
}
