//! Sections of ELF files.

use isadl_asm::disasm::Code;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A section: see `isadl.pyi`.
#[pyclass(frozen, module = "isadl")]
pub(crate) struct Section {
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    address: u64,
    #[pyo3(get)]
    is_code: bool,
    bytes: Vec<u8>,
    #[pyo3(get)]
    symbols: Vec<(u64, String)>,
}

impl Section {
    /// The sections of a file that have bytes.
    pub(crate) fn all(code: &Code<'_>) -> Vec<Section> {
        let own = code.sections.iter().enumerate().filter(|(_, one)| !one.bytes.is_empty());
        own.map(|(index, one)| Section {
            name: one.name.clone(),
            address: one.address,
            is_code: one.is_code,
            bytes: one.bytes.to_vec(),
            symbols: code.symbols(index).map(|(at, name)| (at, name.to_string())).collect(),
        })
        .collect()
    }
}

#[pymethods]
impl Section {
    #[getter]
    fn data<'py>(&self, python: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(python, &self.bytes)
    }

    fn __repr__(&self) -> String {
        format!("<Section {} at {:#x}, {} bytes>", self.name, self.address, self.bytes.len())
    }
}
