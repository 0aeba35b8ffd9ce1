//! Executes programs by the description of their instruction set.

mod block;
mod environment;
mod fields;
mod formulas;
mod halt;
mod host;
mod lanes;
pub mod linux;
pub mod load;
mod lower;
mod machine;
pub mod memory;
mod micro;
mod more;
pub mod moving;
mod node;
mod ops;
mod optimize;
mod process;
mod programs;
mod reads;
mod slots;
mod spec;
mod state;
pub mod summary;
mod wide;

pub use halt::hexadecimal;
pub use machine::{Machine, TooManyRegisters};
pub use process::{Event, Process, furnish, memory as program_memory};
pub use programs::Prepared;
pub use spec::{Branch, Spec};
pub use state::{Accessed, Functions, Halt, Refusal, Stop, Surroundings, Taken};
