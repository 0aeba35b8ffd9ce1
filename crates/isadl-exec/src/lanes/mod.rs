//! Machines whose lanes do each instruction together.
//!
//! An instruction is translated as if there was one lane. Then the slots whose values may differ between lanes become blocks of slots,
//! and each micro-operation that has such an operand is done for all lanes before the next ([`spread`]): by a loop over numbers
//! ([`each`]), or, if it is a rare one, lane by lane in the slots of one lane ([`together`]).

mod each;
mod spread;
mod together;

pub(crate) use each::call;
pub(crate) use spread::spread;
pub(crate) use together::execute;
