//! Programs that are executed.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use isadl::isa::{Environment, Register, RegisterNames};
use isadl_exec::linux::Settings;
use isadl_exec::{Halt, Process, Spec};

use crate::set::Set;

/// How a program begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Its arguments, without its own name.
    pub args: Vec<String>,
    /// The environment that it runs in, if the specification describes several.
    pub environment: Option<String>,
    /// The bytes of its memory.
    pub memory: u64,
}

/// A program that is executed. It can open no file, and what it writes is kept.
pub struct Program {
    /// The program and its machine.
    pub process: Process,
    spec: Rc<Spec>,
    output: Written,
    errors: Written,
}

/// What a program wrote.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Program {
    /// Loads a static ELF program.
    ///
    /// # Errors
    ///
    /// If the specification has no programs or no such environment, or the file is not a program for it. The error is a
    /// message.
    pub fn load(set: &Set, file: &[u8], start: &Start) -> Result<Program, String> {
        let spec = Rc::new(set.spec().map_err(|error| error.to_string())?);
        let all = spec.isa().environments();
        let environment = Environment::chosen(all, start.environment.as_deref())?;
        let (output, errors) = (Written::default(), Written::default());
        let settings = Settings {
            word: spec.isa().elf().class() / 8,
            input: Box::new(io::empty()),
            output: Box::new(output.clone()),
            errors: Box::new(errors.clone()),
            machine: spec.isa().name().to_lowercase(),
            ..Settings::default()
        };
        let args = std::iter::once("program".to_string()).chain(start.args.iter().cloned());
        let args: Vec<Vec<u8>> = args.map(String::into_bytes).collect();
        let process = Process::load(&spec, &environment, file, &args, (settings, start.memory));
        let process = process.map_err(|error| error.to_string())?;
        Ok(Program { process, spec, output, errors })
    }

    /// Why it ended, and where.
    pub fn reason(&mut self, halt: &Halt) -> String {
        let pc = self.process.machine().pc();
        format!("{} at {pc:#x}", halt.reason(self.spec.memories()))
    }

    /// The register with a name, such as `x3`, `sp` or `X[3]`.
    pub fn register(&self, name: &str) -> Option<Register> {
        RegisterNames::of(self.spec.isa()).find(name)
    }

    /// What it wrote to its standard output.
    pub fn output(&self) -> Vec<u8> {
        self.output.0.borrow().clone()
    }

    /// What it wrote to its standard error.
    pub fn errors(&self) -> Vec<u8> {
        self.errors.0.borrow().clone()
    }
}
