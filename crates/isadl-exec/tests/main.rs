//! One program, so that each specification is compiled once: the large ones take seconds.

mod avr;
mod blocks;
#[path = "../../isadl-semantics/tests/common/vectors.rs"]
mod choices;
mod common;
mod counters;
mod guest;
mod hostile;
mod lanes;
mod linux;
mod load;
#[path = "../../isadl-semantics/tests/common/qemu.rs"]
mod qemu;
#[path = "../../isadl-semantics/tests/common/random.rs"]
mod random;
mod summary;
mod sweep;
mod traps;
#[path = "../../isadl-semantics/tests/common/values.rs"]
mod values;
