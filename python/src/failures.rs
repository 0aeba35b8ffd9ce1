//! Exceptions.

use isadl_bindings::OpenError;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::finding::Finding;

create_exception!(isadl, IsadlError, PyException, "What this package raises.");
create_exception!(isadl, SpecError, IsadlError, "A specification has errors: `findings` has them.");
create_exception!(isadl, DecodeError, IsadlError, "Bytes are not an instruction.");
create_exception!(isadl, AssemblyError, IsadlError, "A line or program does not assemble.");
create_exception!(isadl, RunError, IsadlError, "A program cannot be executed.");

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let python = module.py();
    module.add("IsadlError", python.get_type::<IsadlError>())?;
    module.add("SpecError", python.get_type::<SpecError>())?;
    module.add("DecodeError", python.get_type::<DecodeError>())?;
    module.add("AssemblyError", python.get_type::<AssemblyError>())?;
    module.add("RunError", python.get_type::<RunError>())
}

/// The exception for an instruction set that is not opened.
pub(crate) fn opening(python: Python<'_>, error: OpenError) -> PyErr {
    let message = error.to_string();
    match error {
        OpenError::File(error) => PyOSError::new_err(error.to_string()),
        OpenError::Choice(_) => PyValueError::new_err(message),
        OpenError::Compiled(_) => SpecError::new_err(message),
        OpenError::Errors(findings) => {
            let raised = SpecError::new_err(message);
            let findings: Vec<Finding> = findings.into_iter().map(Finding).collect();
            match raised.value(python).setattr("findings", findings) {
                Ok(()) => raised,
                Err(error) => error,
            }
        }
    }
}
