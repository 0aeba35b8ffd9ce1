//! Where execution goes after an instruction.

use core::fmt;

/// Where execution goes after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FlowControl {
    /// On to the next instruction.
    Next,
    /// To the target.
    Branch,
    /// To the target or on to the next instruction.
    Conditional,
    /// To the target, which will return to the next instruction.
    Call,
    /// Back to where a call was.
    Return,
    /// To an address that is not in the instruction.
    Indirect,
    /// To an address that is not in the instruction, which will return to the next instruction.
    IndirectCall,
    /// To the environment, which may return to the next instruction or not, as after a breakpoint.
    Trap,
    /// To the environment, which will return to the next instruction.
    SystemCall,
    /// To the environment, which will not return.
    Abort,
}

impl FlowControl {
    /// All of them.
    pub const ALL: [FlowControl; 10] = [
        FlowControl::Next,
        FlowControl::Branch,
        FlowControl::Conditional,
        FlowControl::Call,
        FlowControl::Return,
        FlowControl::Indirect,
        FlowControl::IndirectCall,
        FlowControl::Trap,
        FlowControl::SystemCall,
        FlowControl::Abort,
    ];

    /// Its name in specifications, such as `indirect_call`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FlowControl::Next => "next",
            FlowControl::Branch => "branch",
            FlowControl::Conditional => "conditional",
            FlowControl::Call => "call",
            FlowControl::Return => "return",
            FlowControl::Indirect => "indirect",
            FlowControl::IndirectCall => "indirect_call",
            FlowControl::Trap => "trap",
            FlowControl::SystemCall => "system_call",
            FlowControl::Abort => "abort",
        }
    }

    /// Whether it goes to the environment.
    #[must_use]
    pub const fn is_trap(self) -> bool {
        matches!(self, FlowControl::Trap | FlowControl::SystemCall | FlowControl::Abort)
    }

    /// Whether execution may later go on at the next instruction.
    #[must_use]
    pub const fn may_continue(self) -> bool {
        !matches!(
            self,
            FlowControl::Branch | FlowControl::Return | FlowControl::Indirect | FlowControl::Abort
        )
    }
}

impl fmt::Display for FlowControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
