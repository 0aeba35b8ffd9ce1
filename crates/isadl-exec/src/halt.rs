//! Why instructions do not end, in words.

use crate::state::{Halt, Refusal};

impl Halt {
    /// Why the instruction did not end, where memories have these names.
    pub fn reason(&self, memories: &[String]) -> String {
        match self {
            Halt::Fault { memory, fault } => {
                let name = match memories {
                    [_] | [] => String::new(),
                    all => all.get(*memory).map(|name| format!(" of {name}")).unwrap_or_default(),
                };
                format!("{} at address {:#x}{name} is not allowed", fault.access, fault.address)
            }
            Halt::Trap { name, arguments } if arguments.is_empty() => format!("trap {name}"),
            Halt::Trap { name, arguments } => {
                let all: Vec<String> = arguments.iter().map(|value| hexadecimal(value)).collect();
                format!("trap {name}({})", all.join(", "))
            }
            Halt::Unpredictable => "anything may happen".to_string(),
            Halt::Refused(Refusal::Illegal) => "no instruction".to_string(),
            Halt::Refused(Refusal::NoProgram(opcode)) => format!("{opcode} has no program"),
            Halt::Refused(Refusal::Unsupported(opcode, what)) => {
                format!("{opcode} cannot be executed: {what}")
            }
            Halt::NoFunction(name) => format!("nothing provides the function `{name}`"),
            Halt::NoMemory => "there is no such memory".to_string(),
            Halt::End => "the end".to_string(),
            Halt::TooLong => "a loop inside of the instruction takes too long".to_string(),
        }
    }
}

/// A number in pieces of 64 bits, in hexadecimal.
pub fn hexadecimal(pieces: &[u64]) -> String {
    let mut digits: String = pieces.iter().rev().map(|piece| format!("{piece:016x}")).collect();
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    digits.drain(..zeros.min(digits.len() - 1));
    format!("0x{digits}")
}
