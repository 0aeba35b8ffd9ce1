//! Machines with lanes, which execute each instruction together.
//!
//! Instructions are first translated for a single lane. [`spread`] then finds the slots that can differ between lanes, replaces each by a
//! block with one slot per lane, and makes every micro-operation process all lanes before the next one starts. Common micro-operations
//! become loops over blocks ([`each`]); rare ones run lane by lane with the values of one lane in the original slots ([`together`]).

mod each;
mod spread;
mod together;

pub(crate) use each::call;
pub(crate) use spread::spread;
pub(crate) use together::execute;
