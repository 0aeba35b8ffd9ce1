//! Reads and writes of instructions.

pub use isadl_engine::image_control::FlowControl;
pub use isadl_engine::image_flow::Effect;

use super::{RegFileId, SpecialId, TypeId};

/// Something that instructions read and write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Consecutive registers of a file.
    Registers {
        /// The file.
        file: RegFileId,
        /// Number of the first.
        first: u32,
        /// How many.
        count: u32,
    },
    /// One or several registers of the file; the instruction does not determine which.
    Unknown {
        /// The file.
        file: RegFileId,
    },
    /// A special register.
    Special(SpecialId),
    /// Memory that a composite operand addresses, such as constant memory.
    Memory {
        /// The type.
        ty: TypeId,
        /// The value.
        raw: u64,
    },
}

/// The effect of an instruction on one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Use {
    /// The resource.
    pub resource: Resource,
    /// The effect: a read or a write, possibly conditional.
    pub effect: Effect,
}
