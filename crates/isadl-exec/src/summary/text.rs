//! Terms as text.

use std::fmt;

use isadl::isa::RegisterNames;
use isadl::semantics::ir::{BinaryOp, UnaryOp};

use super::Summary;
use super::terms::{Location, Node, Term};

/// A term as text: `a0 + 8`. Operations are written as in programs, with parentheses around those inside of others.
#[derive(Clone, Copy)]
pub struct Shown<'s> {
    pub(super) summary: &'s Summary,
    pub(super) names: &'s RegisterNames<'s>,
    pub(super) term: Term,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.term(f, self.term, false)
    }
}

impl Shown<'_> {
    fn inner(&self, f: &mut fmt::Formatter<'_>, term: Term) -> fmt::Result {
        self.term(f, term, true)
    }

    /// A term, in parentheses if it is an operation inside of another.
    fn term(&self, f: &mut fmt::Formatter<'_>, term: Term, is_inside: bool) -> fmt::Result {
        let terms = &self.summary.terms;
        let width = terms.width(term);
        match terms.node(term) {
            Node::Constant(value) => number(f, *value),
            Node::Read(location) => self.location(f, location),
            Node::Loaded(access) => write!(f, "load({access})"),
            Node::Unknown(_) => f.write_str("?"),
            Node::Unary(op, of) => {
                f.write_str(match op {
                    UnaryOp::Not if width == 1 => "not ",
                    UnaryOp::Not => "~",
                    UnaryOp::Neg => "-",
                    UnaryOp::Count => "count ",
                    UnaryOp::LeadingZeros => "leading_zeros ",
                    UnaryOp::TrailingZeros => "trailing_zeros ",
                    UnaryOp::Reverse => "reverse ",
                })?;
                self.inner(f, *of)
            }
            Node::Binary(op, a, b) => self.binary(f, *op, (*a, *b), is_inside),
            Node::Extend { of, is_signed } => {
                f.write_str(if *is_signed { "signed(" } else { "zeros(" })?;
                self.term(f, *of, false)?;
                write!(f, ", {width})")
            }
            Node::Extract { of, low } => {
                self.inner(f, *of)?;
                write!(f, "[{}:{low}]", low + width - 1)
            }
            Node::Concat(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    f.write_str(if at == 0 { "{" } else { ", " })?;
                    self.term(f, *part, false)?;
                }
                f.write_str("}")
            }
            Node::Select { condition, yes, no } => {
                f.write_str(if is_inside { "(" } else { "" })?;
                self.inner(f, *condition)?;
                f.write_str(" ? ")?;
                self.inner(f, *yes)?;
                f.write_str(" : ")?;
                self.inner(f, *no)?;
                f.write_str(if is_inside { ")" } else { "" })
            }
        }
    }

    fn binary(
        &self,
        f: &mut fmt::Formatter<'_>,
        op: BinaryOp,
        (a, b): (Term, Term),
        is_inside: bool,
    ) -> fmt::Result {
        use BinaryOp::{
            Add, And, Carryless, DivSigned, DivUnsigned, Equal, LessSigned, LessUnsigned, Mul, Or,
            RemSigned, RemUnsigned, RotateLeft, Shl, ShrSigns, ShrZeros, Sub, Xor,
        };
        let terms = &self.summary.terms;
        let word = match op {
            Add => "+",
            Sub => "-",
            Mul => "*",
            And => "&",
            Or => "|",
            Xor => "^",
            Shl => "<<",
            ShrZeros => ">>",
            ShrSigns => ">>signed",
            DivUnsigned => "/",
            DivSigned => "/signed",
            RemUnsigned => "%",
            RemSigned => "%signed",
            RotateLeft => "rotate_left",
            Carryless => "carryless *",
            Equal => "==",
            LessUnsigned => "<",
            LessSigned => "<signed",
        };
        f.write_str(if is_inside { "(" } else { "" })?;
        self.inner(f, a)?;
        let bits = terms.width(a);
        match (op, terms.value_of(b)) {
            // A sum with the highest bit is a difference for people.
            (Add, Some(value)) if bits <= 128 && value >> (bits - 1) != 0 => {
                f.write_str(" - ")?;
                number(f, crate::lower::known::lowest(value.wrapping_neg(), bits))?;
            }
            _ => {
                write!(f, " {word} ")?;
                self.inner(f, b)?;
            }
        }
        f.write_str(if is_inside { ")" } else { "" })
    }

    fn location(&self, f: &mut fmt::Formatter<'_>, location: &Location) -> fmt::Result {
        match location {
            Location::Register(register) => f.write_str(&self.names.name(*register)),
            Location::Kept(name) => f.write_str(name),
        }
    }
}

/// A number: small ones decimal.
fn number(f: &mut fmt::Formatter<'_>, value: u128) -> fmt::Result {
    match value {
        0..10 => write!(f, "{value}"),
        _ => write!(f, "{value:#x}"),
    }
}
