//! Sections of ELF files.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A section: see `isadl.pyi`.
#[pyclass(frozen, module = "isadl")]
pub(crate) struct Section(pub(crate) isadl_bindings::Section);

#[pymethods]
impl Section {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn address(&self) -> u64 {
        self.0.address
    }

    #[getter]
    fn is_code(&self) -> bool {
        self.0.is_code
    }

    #[getter]
    fn symbols(&self) -> Vec<(u64, String)> {
        self.0.symbols.clone()
    }

    #[getter]
    fn data<'py>(&self, python: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(python, &self.0.bytes)
    }

    fn __repr__(&self) -> String {
        let own = &self.0;
        format!("<Section {} at {:#x}, {} bytes>", own.name, own.address, own.bytes.len())
    }
}
