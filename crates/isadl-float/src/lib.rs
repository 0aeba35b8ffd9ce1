//! Binary floating point in software, as instruction sets define it: formats of up to 64 bits, all rounding modes of IEEE 754-2019 and
//! rounding to odd, the flags of exceptions, and what differs between machines ([`Environment`]).
//!
//! Every operation has three steps: [`Format::unpack`] makes numbers of encodings, an operation on [`Number`]s is exact but for a sticky
//! bit, and [`Format::pack`] rounds once. A number knows no format, so an operation may take one format and give another.
//!
//! ```
//! use isadl_float::{Environment, Flags, Format, Rounding};
//!
//! let mut environment = Environment { rounding: Rounding::Up, ..Environment::default() };
//! let third = Format::BINARY32.divide(&mut environment, 1.0_f32.to_bits().into(), 3.0_f32.to_bits().into());
//! assert_eq!(third, 0x3eaa_aaab);
//! assert_eq!(environment.flags, Flags::INEXACT);
//! ```
//!
//! Sections are those of IEEE 754-2019.
#![no_std]

mod arithmetic;
mod compare;
mod convert;
mod environment;
mod format;
pub mod near;
mod number;
mod operation;
mod sources;
#[cfg(feature = "serde")]
mod stored;

pub use compare::Extremum;
pub use environment::{Environment, Flags, Flush, NanRule, NotANumber, Rounding};
pub use format::Format;
pub use number::{Class, Number};
pub use operation::{Function, Operation, Order, Setting};
pub use sources::SOURCES;
