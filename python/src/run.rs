//! Programs that are executed.

use std::cell::RefCell;
use std::rc::Rc;

use isadl::isa::Register;
use isadl_bindings::{Program, Start};
use isadl_exec::Event;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failures::RunError;
use crate::instruction::Instruction;
use crate::set::InstructionSet;

/// Instructions between two looks at whether Python was interrupted.
const SLICE: u64 = 1 << 20;

/// A program while it is executed: see `isadl.pyi`.
#[pyclass(unsendable, module = "isadl")]
pub(crate) struct State {
    set: Py<InstructionSet>,
    program: Rc<RefCell<Program>>,
}

impl State {
    fn register_named(&self, name: &str) -> PyResult<Register> {
        let found = self.program.borrow().register(name);
        found.ok_or_else(|| PyKeyError::new_err(format!("no register `{name}`")))
    }
}

#[pymethods]
impl State {
    #[getter]
    fn pc(&self) -> u64 {
        self.program.borrow_mut().process.machine().pc()
    }

    #[setter]
    fn set_pc(&self, pc: u64) {
        self.program.borrow_mut().process.machine().set_pc(pc);
    }

    /// The number of instructions that were executed.
    #[getter]
    fn count(&self) -> u64 {
        self.program.borrow_mut().process.machine().count()
    }

    /// The instruction that is next.
    #[getter]
    fn instruction(&self, python: Python<'_>) -> Option<Instruction> {
        let process = &mut self.program.borrow_mut().process;
        let pc = process.machine().pc();
        let (inst, length) = process.machine().decode(pc).ok()?;
        let set = self.set.clone_ref(python);
        Some(Instruction::new(set, Some(inst), inst.word, Some(pc), length as usize))
    }

    /// The value of a register.
    fn register<'py>(&self, python: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let register = self.register_named(name)?;
        let pieces =
            self.program.borrow_mut().process.machine().register(register.file, register.number);
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
        self.program.borrow_mut().process.machine().set_register(
            register.file,
            register.number,
            &pieces,
        );
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
        let process = &mut self.program.borrow_mut().process;
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
        let process = &mut self.program.borrow_mut().process;
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
    program: Rc<RefCell<Program>>,
}

#[pymethods]
impl Result {
    #[getter]
    fn stdout<'py>(&self, python: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(python, &self.program.borrow().output())
    }

    #[getter]
    fn stderr<'py>(&self, python: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(python, &self.program.borrow().errors())
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
    file: &[u8],
    start: &Start,
    fuel: Option<u64>,
    hook: Option<Bound<'_, PyAny>>,
) -> PyResult<Result> {
    let python = of.py();
    let program = Program::load(&of.get().set, file, start).map_err(RunError::new_err)?;
    let program = Rc::new(RefCell::new(program));
    let state = Py::new(python, State { set: of.clone().unbind(), program: Rc::clone(&program) })?;
    let mut left = fuel.unwrap_or(u64::MAX);
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
            Some(_) => program.borrow_mut().process.step(),
            None => program.borrow_mut().process.run(slice),
        };
        left = left.saturating_sub(slice);
        match event {
            Event::Fuel => python.check_signals()?,
            Event::Exit(status) => break (Some(status), None),
            Event::Halt(halt) => break (None, Some(program.borrow_mut().reason(&halt))),
        }
    };
    Ok(Result { status, reason, state, program })
}
