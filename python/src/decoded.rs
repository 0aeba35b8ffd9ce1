//! Many instructions: one after another, and as arrays.

use isadl::engine::Engine;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::instruction::Instruction;
use crate::set::InstructionSet;

/// In the place of the number of an opcode: no instruction.
const NONE: u32 = u32::MAX;

/// An iterator over the instructions of bytes.
#[pyclass(module = "isadl")]
pub(crate) struct Disassembly {
    set: Py<InstructionSet>,
    data: Py<PyBytes>,
    address: Option<u64>,
    at: usize,
}

impl Disassembly {
    pub(crate) fn new(
        set: Py<InstructionSet>,
        data: Py<PyBytes>,
        address: Option<u64>,
    ) -> Disassembly {
        Disassembly { set, data, address, at: 0 }
    }
}

#[pymethods]
impl Disassembly {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, python: Python<'_>) -> Option<Instruction> {
        let rest = self.data.as_bytes(python).get(self.at..).filter(|rest| !rest.is_empty())?;
        let engine = self.set.get().set.engine();
        let address = self.address.map(|address| address.wrapping_add(self.at as u64));
        let (inst, word, length) = match engine.decode_bytes(rest) {
            Ok((inst, length)) => (Some(inst), inst.word, length),
            Err(_) => {
                let word = engine.isa().word_layout().word(rest);
                (None, word, unknown(engine, word).min(rest.len()))
            }
        };
        self.at += length;
        Some(Instruction::new(self.set.clone_ref(python), inst, word, address, length))
    }
}

/// The number of bytes after which decoding goes on behind a word that is no instruction.
fn unknown(engine: &Engine<'_>, word: u128) -> usize {
    engine.length(word).unwrap_or_else(|| engine.isa().shortest()).max(1)
}

/// All instructions of bytes as arrays: see `isadl.pyi`.
#[pyclass(frozen, module = "isadl")]
pub(crate) struct Decoded {
    #[pyo3(get)]
    offsets: Py<PyAny>,
    #[pyo3(get)]
    opcodes: Py<PyAny>,
    #[pyo3(get)]
    lengths: Py<PyAny>,
    count: usize,
}

impl Decoded {
    pub(crate) fn of(python: Python<'_>, engine: &Engine<'_>, data: &[u8]) -> PyResult<Decoded> {
        let (offsets, opcodes, lengths) = python.detach(|| arrays(engine, data));
        let count = lengths.len();
        Ok(Decoded {
            offsets: view(python, &offsets, "Q")?,
            opcodes: view(python, &opcodes, "I")?,
            lengths: view(python, &lengths, "B")?,
            count,
        })
    }
}

/// The columns of [`Decoded`], numbers as this machine has them in memory.
fn arrays(engine: &Engine<'_>, data: &[u8]) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let count = data.len() / engine.isa().shortest().max(1);
    let mut offsets = Vec::with_capacity(8 * count);
    let mut opcodes = Vec::with_capacity(4 * count);
    let mut lengths = Vec::with_capacity(count);
    let mut at = 0;
    while at < data.len() {
        let rest = &data[at..];
        let (opcode, length) = match engine.decode_bytes(rest) {
            Ok((inst, length)) => (inst.opcode.index() as u32, length),
            Err(_) => {
                let word = engine.isa().word_layout().word(rest);
                (NONE, unknown(engine, word).min(rest.len()))
            }
        };
        offsets.extend_from_slice(&(at as u64).to_ne_bytes());
        opcodes.extend_from_slice(&opcode.to_ne_bytes());
        lengths.push(length as u8);
        at += length;
    }
    (offsets, opcodes, lengths)
}

/// A `memoryview` of bytes as numbers of a format of the module `struct`.
fn view(python: Python<'_>, content: &[u8], format: &str) -> PyResult<Py<PyAny>> {
    let content = PyBytes::new(python, content);
    let view = python.import("builtins")?.call_method1("memoryview", (content,))?;
    Ok(view.call_method1("cast", (format,))?.unbind())
}

#[pymethods]
impl Decoded {
    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        format!("<Decoded {} instructions>", self.count)
    }
}
