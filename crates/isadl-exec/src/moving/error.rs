//! Why code cannot be moved.

use std::fmt;

/// The first instruction that cannot be moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveError {
    /// Its address, where the code is.
    pub address: u64,
    /// Its text; empty if there is no instruction.
    pub text: String,
    /// Why.
    pub fault: Fault,
}

/// Why an instruction cannot be moved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The bytes there are no instruction.
    NoInstruction {
        /// Why.
        reason: String,
    },
    /// It overlaps another block, before or after the move.
    Overlap,
    /// It does not reach its target, in any encoding that the specification has for it.
    OutOfReach {
        /// Where the target is after the move.
        target: u64,
        /// Where the instruction is after the move.
        address: u64,
        /// The least and the greatest distance that the last of the encodings has, in bytes.
        reach: (i128, i128),
    },
    /// Its target is in a block, but no instruction begins there.
    Inside {
        /// The target, where the code is.
        target: u64,
    },
    /// It uses its own address in a way that is not understood.
    Position {
        /// In which.
        reason: &'static str,
    },
    /// It makes an address together with another instruction, which cannot follow.
    Pair {
        /// The address of the other instruction, where the code is.
        other: u64,
        /// Why.
        reason: &'static str,
    },
    /// With the new distance it would be another instruction, or none.
    Illegal,
    /// A rule of the specification forbids the new distance.
    Rule {
        /// The rule.
        reason: String,
    },
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}: ", self.address)?;
        if !self.text.is_empty() {
            write!(f, "`{}`: ", self.text)?;
        }
        self.fault.fmt(f)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoInstruction { reason } => write!(f, "this is no instruction: {reason}"),
            Fault::Overlap => f.write_str("another block has the same addresses"),
            Fault::OutOfReach { target, address, reach } => {
                let distance = i128::from(target.wrapping_sub(*address) as i64);
                let (low, high) = reach;
                write!(
                    f,
                    "moved to {address:#x}, its target {target:#x} is {distance} bytes away; "
                )?;
                write!(f, "it reaches from {low} to {high}")
            }
            Fault::Inside { target } => {
                write!(
                    f,
                    "its target {target:#x} moves too, but is not the start of an instruction"
                )
            }
            Fault::Position { reason } => f.write_str(reason),
            Fault::Pair { other, reason } => {
                write!(
                    f,
                    "it makes an address together with the instruction at {other:#x}: {reason}"
                )
            }
            Fault::Illegal => {
                f.write_str("with the new distance it is another instruction, or none")
            }
            Fault::Rule { reason } => write!(f, "with the new distance it breaks a rule: {reason}"),
        }
    }
}

impl std::error::Error for MoveError {}
