//! Findings of a check.

use std::path::PathBuf;

use pyo3::prelude::*;

/// A finding: see `isadl.pyi`.
#[pyclass(frozen, module = "isadl")]
pub(crate) struct Finding(pub(crate) isadl_bindings::Finding);

#[pymethods]
impl Finding {
    #[getter]
    fn code(&self) -> &'static str {
        self.0.code
    }

    #[getter]
    fn is_error(&self) -> bool {
        self.0.is_error
    }

    #[getter]
    fn message(&self) -> &str {
        &self.0.message
    }

    #[getter]
    fn file(&self) -> &str {
        &self.0.file
    }

    #[getter]
    fn line(&self) -> usize {
        self.0.line
    }

    #[getter]
    fn column(&self) -> usize {
        self.0.column
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    #[getter]
    fn helps(&self) -> Vec<String> {
        self.0.helps.clone()
    }

    fn __str__(&self) -> &str {
        &self.0.rendered
    }

    fn __repr__(&self) -> String {
        let own = &self.0;
        format!("<{} {}:{}:{}: {}>", own.code, own.file, own.line, own.column, own.message)
    }
}

/// Checks a folder of specification files, or files.
#[pyfunction]
#[pyo3(signature = (*paths))]
pub(crate) fn check(python: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Vec<Finding>> {
    let found = python.detach(|| isadl_bindings::check(&paths))?;
    Ok(found.into_iter().map(Finding).collect())
}
