//! Instruction sets.

use std::path::PathBuf;

use isadl::engine::TextOptions;
use isadl_bindings::{Choice, Set, Start};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::decoded::{Decoded, Disassembly};
use crate::failures::{AssemblyError, DecodeError, opening};
use crate::instruction::Instruction;
use crate::run;
use crate::section::Section;

/// An instruction set: see `isadl.pyi`.
#[pyclass(frozen, module = "isadl")]
pub(crate) struct InstructionSet {
    pub(crate) set: Set,
}

/// Opens a folder of specification files, files, or what `isadl compile` wrote.
#[pyfunction]
#[pyo3(signature = (*paths, generation=None, extensions=None))]
pub(crate) fn load(
    python: Python<'_>,
    paths: Vec<PathBuf>,
    generation: Option<String>,
    extensions: Option<Vec<String>>,
) -> PyResult<InstructionSet> {
    let choice = Choice { generation, extensions };
    let set = python.detach(|| Set::open(&paths, &choice));
    set.map(|set| InstructionSet { set }).map_err(|error| opening(python, error))
}

/// Opens the text of a specification, or the bytes of a compiled one.
#[pyfunction]
#[pyo3(signature = (content, generation=None, extensions=None))]
pub(crate) fn loads(
    python: Python<'_>,
    content: &Bound<'_, PyAny>,
    generation: Option<String>,
    extensions: Option<Vec<String>>,
) -> PyResult<InstructionSet> {
    let choice = Choice { generation, extensions };
    let set = match content.cast::<PyBytes>() {
        Ok(bytes) => Set::of_bytes(bytes.as_bytes().to_vec(), &choice),
        Err(_) => {
            let text: String = content.extract()?;
            python.detach(|| Set::of_text(&[("<text>", &text)], &choice))
        }
    };
    set.map(|set| InstructionSet { set }).map_err(|error| opening(python, error))
}

#[pymethods]
impl InstructionSet {
    #[getter]
    fn name(&self) -> &str {
        self.set.isa().name()
    }

    #[getter]
    fn generations(&self) -> Vec<String> {
        self.set.generations().to_vec()
    }

    #[getter]
    fn generation(&self) -> Vec<String> {
        let isa = self.set.isa();
        isa.generation_names(isa.describes()).map(str::to_string).collect()
    }

    #[getter]
    fn opcodes(&self) -> Vec<String> {
        self.set.isa().opcodes().iter().map(|opcode| opcode.name.clone()).collect()
    }

    /// The names and numbers of registers of each file.
    #[getter]
    fn register_files<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(python);
        for file in self.set.isa().reg_files() {
            files.set_item(&file.name, (file.count, file.width))?;
        }
        Ok(files)
    }

    fn __repr__(&self) -> String {
        format!("<InstructionSet {}>", self.set.isa().name())
    }

    /// The instruction at the start of bytes.
    #[pyo3(signature = (data, address=None))]
    fn decode(slf: &Bound<'_, Self>, data: &[u8], address: Option<u64>) -> PyResult<Instruction> {
        let engine = slf.get().set.engine();
        match engine.decode_bytes(data) {
            Ok((inst, length)) => {
                Ok(Instruction::new(slf.clone().unbind(), Some(inst), inst.word, address, length))
            }
            Err(error) => {
                let word = engine.isa().word_layout().word(data);
                Err(DecodeError::new_err(engine.reason(word, error)))
            }
        }
    }

    /// The instruction of a word.
    #[pyo3(signature = (word, address=None))]
    fn decode_word(
        slf: &Bound<'_, Self>,
        word: u128,
        address: Option<u64>,
    ) -> PyResult<Instruction> {
        let engine = slf.get().set.engine();
        let inst = engine
            .decode(word)
            .map_err(|error| DecodeError::new_err(engine.reason(word, error)))?;
        let length = engine.isa().opcode(inst.opcode).width as usize / 8;
        Ok(Instruction::new(slf.clone().unbind(), Some(inst), inst.word, address, length))
    }

    /// The instructions of bytes, one after another, made when they are asked for.
    #[pyo3(signature = (data, address=None))]
    fn disassemble(
        slf: &Bound<'_, Self>,
        data: Bound<'_, PyBytes>,
        address: Option<u64>,
    ) -> Disassembly {
        Disassembly::new(slf.clone().unbind(), data.unbind(), address)
    }

    /// All instructions of bytes as arrays.
    fn decode_all(&self, python: Python<'_>, data: &[u8]) -> PyResult<Decoded> {
        Decoded::of(python, self.set.engine(), data)
    }

    /// A line as an instruction.
    #[pyo3(signature = (line, address=None))]
    fn assemble(slf: &Bound<'_, Self>, line: &str, address: Option<u64>) -> PyResult<Instruction> {
        let engine = slf.get().set.engine();
        let options = TextOptions { address, ..TextOptions::default() };
        let inst = engine
            .assemble_with(line, options)
            .map_err(|error| AssemblyError::new_err(error.to_string()))?;
        let length = engine.isa().opcode(inst.opcode).width as usize / 8;
        Ok(Instruction::new(slf.clone().unbind(), Some(inst), inst.word, address, length))
    }

    /// A program as an ELF object, or with an address as bytes.
    #[pyo3(signature = (text, address=None, name="<text>"))]
    fn assemble_program<'py>(
        &self,
        python: Python<'py>,
        text: &str,
        address: Option<u64>,
        name: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = isadl_bindings::assemble_program(&self.set, name, text, address);
        Ok(PyBytes::new(python, &bytes.map_err(AssemblyError::new_err)?))
    }

    /// The code sections of an ELF file.
    fn sections(&self, data: &[u8]) -> PyResult<Vec<Section>> {
        let found = isadl_bindings::sections(&self.set, data).map_err(PyValueError::new_err)?;
        Ok(found.into_iter().map(Section).collect())
    }

    /// What the bits of a word mean, as `isadl decode --format json` prints it.
    fn explain<'py>(&self, python: Python<'py>, word: u128) -> PyResult<Bound<'py, PyAny>> {
        let explained = self.set.explain(word);
        let text = explained.map_err(PyValueError::new_err)?;
        python.import("json")?.call_method1("loads", (text,))
    }

    /// Executes a program.
    #[pyo3(signature = (program, args=Vec::new(), *, environment=None, fuel=None, hook=None, memory=256 << 20))]
    fn run(
        slf: &Bound<'_, Self>,
        program: &[u8],
        args: Vec<String>,
        environment: Option<String>,
        fuel: Option<u64>,
        hook: Option<Bound<'_, PyAny>>,
        memory: u64,
    ) -> PyResult<run::Result> {
        let start = Start { args, environment, memory };
        run::execute(slf, program, &start, fuel, hook)
    }
}
