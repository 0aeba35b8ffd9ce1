//! isadl for Python: see `isadl.pyi` for what there is, with its documentation.

mod decoded;
mod failures;
mod finding;
mod instruction;
mod operand;
mod run;
mod section;
mod set;

use pyo3::prelude::*;

/// Instruction sets from their description: decode, disassemble, assemble, analyse, execute.
#[pymodule]
fn isadl(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(set::load, module)?)?;
    module.add_function(wrap_pyfunction!(set::loads, module)?)?;
    module.add_function(wrap_pyfunction!(finding::check, module)?)?;
    module.add_class::<set::InstructionSet>()?;
    module.add_class::<instruction::Instruction>()?;
    module.add_class::<operand::Operand>()?;
    module.add_class::<operand::Register>()?;
    module.add_class::<operand::Use>()?;
    module.add_class::<decoded::Decoded>()?;
    module.add_class::<decoded::Disassembly>()?;
    module.add_class::<section::Section>()?;
    module.add_class::<finding::Finding>()?;
    module.add_class::<run::Result>()?;
    module.add_class::<run::State>()?;
    failures::add(module)
}
