//! Instructions.

use isadl::engine::{Effect, FlowControl, TextOptions};
use isadl::isa::Inst;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::operand::{Operand, Use};
use crate::set::InstructionSet;

/// An instruction, or bytes that are none: see `isadl.pyi`. Everything but its place is found when it is asked for.
#[pyclass(frozen, module = "isadl")]
pub(crate) struct Instruction {
    set: Py<InstructionSet>,
    inst: Option<Inst>,
    word: u128,
    address: Option<u64>,
    length: u8,
}

impl Instruction {
    pub(crate) fn new(
        set: Py<InstructionSet>,
        inst: Option<Inst>,
        word: u128,
        address: Option<u64>,
        length: usize,
    ) -> Instruction {
        Instruction { set, inst, word, address, length: length as u8 }
    }

    fn used(&self, is_meant: impl Fn(Effect) -> bool) -> Vec<Use> {
        let engine = self.set.get().set.engine();
        let Some(inst) = self.inst else { return Vec::new() };
        let all = engine.uses(inst).filter(|one| is_meant(one.effect));
        all.map(|one| Use::of(engine, inst, &one)).collect()
    }
}

#[pymethods]
impl Instruction {
    #[getter]
    fn address(&self) -> Option<u64> {
        self.address
    }

    #[getter]
    fn length(&self) -> u8 {
        self.length
    }

    #[getter]
    fn word(&self) -> u128 {
        self.word
    }

    #[getter]
    fn bytes<'py>(&self, python: Python<'py>) -> Bound<'py, PyBytes> {
        let all = self.set.get().set.isa().word_layout().to_bytes(self.word);
        PyBytes::new(python, &all[..self.length.into()])
    }

    #[getter]
    fn is_legal(&self) -> bool {
        self.inst.is_some()
    }

    /// The name of the opcode; `None` if it is no instruction.
    #[getter]
    fn opcode(&self) -> Option<&str> {
        let isa = self.set.get().set.isa();
        Some(&isa.opcode(self.inst?.opcode).name)
    }

    /// The number of the opcode in `InstructionSet.opcodes`.
    #[getter]
    fn opcode_number(&self) -> Option<usize> {
        Some(self.inst?.opcode.index())
    }

    #[getter]
    fn text(&self) -> String {
        let engine = self.set.get().set.engine();
        let Some(inst) = self.inst else { return String::new() };
        let mut text = Vec::new();
        let options = TextOptions { address: self.address, ..TextOptions::default() };
        engine.append_text_with(inst, options, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The first word of the text.
    #[getter]
    fn mnemonic(&self) -> String {
        let text = self.text();
        text.split(' ').next().unwrap_or_default().to_string()
    }

    #[getter]
    fn operands(&self) -> Vec<Operand> {
        let engine = self.set.get().set.engine();
        let Some(inst) = self.inst else { return Vec::new() };
        let all = engine.operands(inst).into_iter().enumerate();
        all.map(|(index, operand)| {
            Operand::of(engine.isa(), operand, engine.operand_text(inst, index))
        })
        .collect()
    }

    #[getter]
    fn reads(&self) -> Vec<Use> {
        self.used(Effect::reads)
    }

    #[getter]
    fn writes(&self) -> Vec<Use> {
        self.used(Effect::writes)
    }

    /// Where execution goes afterwards.
    #[getter]
    fn flow(&self) -> &'static str {
        let engine = self.set.get().set.engine();
        self.inst.map_or("none", |inst| engine.flow_control(inst).name())
    }

    #[getter]
    fn is_branch(&self) -> bool {
        let engine = self.set.get().set.engine();
        self.inst.is_some_and(|inst| {
            let control = engine.flow_control(inst);
            control != FlowControl::Next && !control.is_trap()
        })
    }

    /// The address that it names.
    #[getter]
    fn target(&self) -> Option<u64> {
        let engine = self.set.get().set.engine();
        engine.target(self.inst?, self.address?)
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        let at = self.address.map_or(String::new(), |address| format!("{address:#x}: "));
        match self.inst {
            Some(_) => format!("<Instruction {at}{}>", self.text()),
            None => format!("<Instruction {at}no instruction>"),
        }
    }

    fn __len__(&self) -> usize {
        self.length.into()
    }

    fn __eq__(&self, other: &Instruction) -> bool {
        let own =
            |one: &Instruction| (one.set.as_ptr(), one.inst, one.word, one.address, one.length);
        own(self) == own(other)
    }

    fn __hash__(&self) -> u64 {
        self.word as u64 ^ (self.word >> 64) as u64 ^ self.address.unwrap_or(1).rotate_left(32)
    }
}
