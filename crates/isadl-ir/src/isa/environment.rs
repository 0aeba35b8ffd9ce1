//! What surrounds the programs of an instruction set: calls, and the registers that they use.

use super::RegFileId;

/// What programs run in: an operating system, or a bare machine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Environment {
    /// Its name.
    pub name: String,
    /// Its description, in Markdown.
    pub description: String,
    /// The trap that calls the environment.
    pub call: Option<String>,
    /// The register that has the number of the call.
    pub number: Option<Register>,
    /// The registers of the arguments, the first argument first.
    pub arguments: Vec<Register>,
    /// The register that gets the result.
    pub result: Option<Register>,
    /// The register that begins as the stack pointer.
    pub stack: Option<Register>,
    /// The memory that instructions are in; needed only if there are several memories.
    pub code: Option<String>,
    /// The registers that the machine keeps, each once.
    pub kept: Vec<Kept>,
    /// The names and numbers of calls; no name and no number occurs twice.
    pub calls: Vec<(String, u64)>,
}

impl Environment {
    /// The environment of a name, or the only one; one without calls if there is none.
    ///
    /// # Errors
    ///
    /// A message if the name is unknown, or missing where there are several.
    pub fn chosen(all: &[Environment], name: Option<&str>) -> Result<Environment, String> {
        match (name, all) {
            (None, [only]) => return Ok(only.clone()),
            (None, []) => return Ok(Environment::bare()),
            _ => {}
        }
        let found = all.iter().find(|one| Some(one.name.as_str()) == name);
        found.cloned().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
            let name = name.unwrap_or("none is chosen");
            format!("unknown environment: {name}; known are: {}", known.join(", "))
        })
    }

    /// One that provides nothing.
    pub fn bare() -> Environment {
        Environment {
            name: String::new(),
            description: String::new(),
            call: None,
            number: None,
            arguments: Vec::new(),
            result: None,
            stack: None,
            code: None,
            kept: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// The name of the call with a number.
    pub fn call_name(&self, number: u64) -> Option<&str> {
        self.calls.iter().find(|(_, own)| *own == number).map(|(name, _)| name.as_str())
    }

    /// The registers that it names.
    pub fn registers(&self) -> impl Iterator<Item = Register> {
        let single = [self.number, self.result, self.stack].into_iter().flatten();
        let arguments = self.arguments.iter().copied();
        single.chain(arguments).chain(self.parts().map(|part| part.register))
    }

    /// The parts of the registers that the machine keeps.
    pub(super) fn parts(&self) -> impl Iterator<Item = &RegisterPart> {
        self.kept.iter().flat_map(|kept| match &kept.value {
            KeptValue::Registers(parts) => parts.as_slice(),
            KeptValue::Initial(_) | KeptValue::Counter(_) => &[],
        })
    }

    /// The same with other register files.
    pub(super) fn with_files(&self, file: impl Fn(RegFileId) -> RegFileId) -> Environment {
        let register = |of: Register| Register { file: file(of.file), ..of };
        let part =
            |part: &RegisterPart| RegisterPart { register: register(part.register), ..*part };
        let kept = |kept: &Kept| Kept {
            name: kept.name.clone(),
            value: match &kept.value {
                KeptValue::Registers(parts) => {
                    KeptValue::Registers(parts.iter().map(part).collect())
                }
                KeptValue::Initial(_) | KeptValue::Counter(_) => kept.value.clone(),
            },
        };
        Environment {
            number: self.number.map(register),
            arguments: self.arguments.iter().copied().map(register).collect(),
            result: self.result.map(register),
            stack: self.stack.map(register),
            kept: self.kept.iter().map(kept).collect(),
            ..self.clone()
        }
    }
}

/// A register of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Register {
    /// The file.
    pub file: RegFileId,
    /// Its number there.
    pub number: u32,
}

/// Bits of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RegisterPart {
    /// The register.
    pub register: Register,
    /// The lowest of the bits.
    pub low: u32,
    /// How many bits, at least one.
    pub width: u32,
}

/// A register that the machine keeps: a special register, or state outside of files.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// What it is made of, or begins with.
    pub value: KeptValue,
}

/// What a register that the machine keeps is made of, or begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum KeptValue {
    /// The number that it begins with.
    Initial(u64),
    /// By how much it grows with each instruction, beginning with 0.
    Counter(u64),
    /// The bits that it is made of, the highest first. The other bits of these registers stay when it is written.
    Registers(Vec<RegisterPart>),
}
