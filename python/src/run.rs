//! Programs that are executed.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use isadl::isa::{Environment, Register, RegisterNames};
use isadl_exec::linux::Settings;
use isadl_exec::{Event, Halt, Process};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failures::RunError;
use crate::instruction::Instruction;
use crate::set::InstructionSet;

/// Instructions between two looks at whether Python was interrupted.
const SLICE: u64 = 1 << 20;

/// How a program is executed.
pub(crate) struct Options {
    pub(crate) args: Vec<String>,
    pub(crate) environment: Option<String>,
    pub(crate) fuel: Option<u64>,
    pub(crate) memory: u64,
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

/// A program while it is executed: see `isadl.pyi`.
#[pyclass(unsendable, module = "isadl")]
pub(crate) struct State {
    set: Py<InstructionSet>,
    process: Rc<RefCell<Process>>,
}

impl State {
    fn register_named(&self, name: &str) -> PyResult<Register> {
        let names = RegisterNames::of(self.set.get().set.isa());
        names.find(name).ok_or_else(|| PyKeyError::new_err(format!("no register `{name}`")))
    }
}

#[pymethods]
impl State {
    #[getter]
    fn pc(&self) -> u64 {
        self.process.borrow_mut().machine().pc()
    }

    #[setter]
    fn set_pc(&self, pc: u64) {
        self.process.borrow_mut().machine().set_pc(pc);
    }

    /// The number of instructions that were executed.
    #[getter]
    fn count(&self) -> u64 {
        self.process.borrow_mut().machine().count()
    }

    /// The instruction that is next.
    #[getter]
    fn instruction(&self, python: Python<'_>) -> Option<Instruction> {
        let mut process = self.process.borrow_mut();
        let pc = process.machine().pc();
        let (inst, length) = process.machine().decode(pc).ok()?;
        let set = self.set.clone_ref(python);
        Some(Instruction::new(set, Some(inst), inst.word, Some(pc), length as usize))
    }

    /// The value of a register.
    fn register<'py>(&self, python: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let register = self.register_named(name)?;
        let pieces = self.process.borrow_mut().machine().register(register.file, register.number);
        let bytes: Vec<u8> = pieces.iter().flat_map(|piece| piece.to_le_bytes()).collect();
        let int = python.import("builtins")?.getattr("int")?;
        int.call_method1("from_bytes", (PyBytes::new(python, &bytes), "little"))
    }

    /// Sets a register.
    fn set_register(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let register = self.register_named(name)?;
        let bits = self.set.get().set.isa().reg_files()[register.file.index()].width as usize;
        let mask = value.py().eval(
            c"lambda n, bits: (n & (1 << bits) - 1).to_bytes((bits + 63) // 64 * 8, 'little')",
            None,
            None,
        )?;
        let bytes: Vec<u8> = mask.call1((value, bits))?.extract()?;
        let pieces: Vec<u64> = bytes
            .chunks(8)
            .map(|chunk| chunk.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
            .collect();
        self.process.borrow_mut().machine().set_register(register.file, register.number, &pieces);
        Ok(())
    }

    /// Bytes of memory.
    #[pyo3(signature = (address, length, memory=0))]
    fn read<'py>(
        &self,
        python: Python<'py>,
        address: u64,
        length: u64,
        memory: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut process = self.process.borrow_mut();
        let found = process.machine().memory(memory);
        let found = found.ok_or_else(|| PyValueError::new_err("there is no such memory"))?;
        match found.bytes(address, length, isadl_exec::memory::Access::NONE) {
            Ok(bytes) => Ok(PyBytes::new(python, bytes)),
            Err(fault) => Err(PyValueError::new_err(format!("no memory at {:#x}", fault.address))),
        }
    }

    /// Changes bytes of memory.
    #[pyo3(signature = (address, content, memory=0))]
    fn write(&self, address: u64, content: &[u8], memory: usize) -> PyResult<()> {
        let mut process = self.process.borrow_mut();
        let found = process.machine().memory(memory);
        let found = found.ok_or_else(|| PyValueError::new_err("there is no such memory"))?;
        found
            .write_anyway(address, content)
            .map_err(|fault| PyValueError::new_err(format!("no memory at {:#x}", fault.address)))
    }
}

/// How a program ended: see `isadl.pyi`.
#[pyclass(unsendable, module = "isadl")]
pub(crate) struct Result {
    /// The status that the program left with.
    #[pyo3(get)]
    status: Option<i32>,
    /// Why it ended otherwise.
    #[pyo3(get)]
    reason: Option<String>,
    #[pyo3(get)]
    state: Py<State>,
    output: Written,
    errors: Written,
}

#[pymethods]
impl Result {
    #[getter]
    fn stdout<'py>(&self, python: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(python, &self.output.0.borrow())
    }

    #[getter]
    fn stderr<'py>(&self, python: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(python, &self.errors.0.borrow())
    }

    fn __repr__(&self) -> String {
        match (&self.status, &self.reason) {
            (Some(status), _) => format!("<Result status {status}>"),
            (None, reason) => format!("<Result {}>", reason.as_deref().unwrap_or_default()),
        }
    }
}

/// Executes a static ELF program.
pub(crate) fn execute(
    of: &Bound<'_, InstructionSet>,
    program: &[u8],
    options: &Options,
    hook: Option<Bound<'_, PyAny>>,
) -> PyResult<Result> {
    let (python, set) = (of.py(), &of.get().set);
    let refused = |message: String| RunError::new_err(message);
    let spec = Rc::new(set.spec().map_err(|error| refused(error.to_string()))?);
    let all = spec.isa().environments();
    let environment = Environment::chosen(all, options.environment.as_deref()).map_err(refused)?;
    let (output, errors) = (Written::default(), Written::default());
    let settings = Settings {
        word: spec.isa().elf().class() / 8,
        input: Box::new(io::empty()),
        output: Box::new(output.clone()),
        errors: Box::new(errors.clone()),
        machine: spec.isa().name().to_lowercase(),
        ..Settings::default()
    };
    let args: Vec<Vec<u8>> = std::iter::once("program".to_string())
        .chain(options.args.iter().cloned())
        .map(String::into_bytes)
        .collect();
    let process = Process::load(&spec, &environment, program, &args, (settings, options.memory));
    let process = process.map_err(|error| refused(error.to_string()))?;
    let process = Rc::new(RefCell::new(process));
    let state = Py::new(python, State { set: of.clone().unbind(), process: Rc::clone(&process) })?;
    let mut left = options.fuel.unwrap_or(u64::MAX);
    let (status, reason) = loop {
        if left == 0 {
            break (None, Some("out of fuel".to_string()));
        }
        let slice = if hook.is_some() { 1 } else { SLICE.min(left) };
        if let Some(hook) = &hook {
            let answer = hook.call1((state.clone_ref(python),))?;
            if !answer.is_none() && !answer.is_truthy()? {
                break (None, Some("the hook ended it".to_string()));
            }
        }
        let event = match hook {
            Some(_) => process.borrow_mut().step(),
            None => process.borrow_mut().run(slice),
        };
        left = left.saturating_sub(slice);
        match event {
            Event::Fuel => python.check_signals()?,
            Event::Exit(status) => break (Some(status), None),
            Event::Halt(halt) => break (None, Some(said(&halt, spec.memories(), &process))),
        }
    };
    Ok(Result { status, reason, state, output, errors })
}

fn said(halt: &Halt, memories: &[String], process: &RefCell<Process>) -> String {
    let pc = process.borrow_mut().machine().pc();
    format!("{} at {pc:#x}", halt.reason(memories))
}
