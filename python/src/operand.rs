//! Operands, registers, uses.

use isadl::engine::{Effect, Engine, Operand as Known, Part, Resource, Value};
use isadl::isa::{Access, Inst, Isa, RegFileId};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Consecutive registers of a file: see `isadl.pyi`.
#[pyclass(frozen, eq, hash, module = "isadl")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Register {
    #[pyo3(get)]
    file: String,
    #[pyo3(get)]
    number: u32,
    #[pyo3(get)]
    count: u32,
}

impl Register {
    fn of(isa: &Isa, file: RegFileId, number: u32, count: u32) -> Register {
        Register { file: isa.reg_files()[file.index()].name.clone(), number, count }
    }
}

#[pymethods]
impl Register {
    fn __repr__(&self) -> String {
        match self.count {
            1 => format!("{}[{}]", self.file, self.number),
            count => format!("{}[{}:{}]", self.file, self.number, self.number + count - 1),
        }
    }
}

/// An operand: see `isadl.pyi`.
#[pyclass(frozen, module = "isadl")]
pub(crate) struct Operand {
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    text: String,
    #[pyo3(get)]
    width: Option<u32>,
    access: Access,
    value: Owned,
}

/// A value without references.
enum Owned {
    Register(Register),
    Indirect(Register, Box<Owned>, i128),
    Integer(&'static str, i128),
    Float(u64, u32, u32),
    Name(&'static str, String),
    Parts(&'static str, Vec<(String, Owned)>),
}

impl Owned {
    fn of(isa: &Isa, value: Value<'_>) -> Owned {
        let parts = |parts: Vec<Part<'_>>| {
            let own = parts.into_iter();
            own.map(|part| (part.name.to_string(), Owned::of(isa, part.value))).collect()
        };
        match value {
            Value::Registers { file, first, count } => {
                Owned::Register(Register::of(isa, file, first, count))
            }
            Value::Indirect { file, base, offset } => {
                let file = Register::of(isa, file, 0, 0);
                Owned::Indirect(file, Box::new(Owned::of(isa, *base)), offset)
            }
            Value::Special(id) => Owned::Name("special", isa.specials()[id.index()].clone()),
            Value::Constant { name, .. } => Owned::Name("constant", name.to_string()),
            Value::Integer(number) => Owned::Integer("integer", number),
            Value::Distance(number) => Owned::Integer("distance", number),
            Value::Packed(bits) => Owned::Integer("packed", bits.into()),
            Value::Float { bits, exponent, fraction } => Owned::Float(bits, exponent, fraction),
            Value::Name(name) => Owned::Name("name", name.to_string()),
            Value::Parts(all) => Owned::Parts("parts", parts(all)),
            Value::Memory(all) => Owned::Parts("memory", parts(all)),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Owned::Register(_) => "register",
            Owned::Indirect(..) => "indirect",
            Owned::Float(..) => "float",
            Owned::Integer(kind, _) | Owned::Name(kind, _) | Owned::Parts(kind, ..) => kind,
        }
    }

    fn object<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Owned::Register(register) => register.clone().into_bound_py_any(python),
            Owned::Indirect(file, base, offset) => {
                (file.file.clone(), base.object(python)?, *offset).into_bound_py_any(python)
            }
            Owned::Integer(_, number) => number.into_bound_py_any(python),
            Owned::Float(bits, exponent, fraction) => {
                number(*bits, *exponent, *fraction).into_bound_py_any(python)
            }
            Owned::Name(_, name) => name.into_bound_py_any(python),
            Owned::Parts(_, parts) => {
                let all = PyDict::new(python);
                for (name, part) in parts {
                    all.set_item(name, part.object(python)?)?;
                }
                Ok(all.into_any())
            }
        }
    }
}

/// The number that an encoding stands for, in a format of up to 11 bits of exponent and 52 of fraction.
fn number(bits: u64, exponent: u32, fraction: u32) -> f64 {
    let sign = if bits >> (exponent + fraction) & 1 == 1 { -1.0 } else { 1.0 };
    let highest = (1_u64 << exponent) - 1;
    let (power, rest) = (bits >> fraction & highest, bits & ((1 << fraction) - 1));
    let part = rest as f64 / (1_u64 << fraction) as f64;
    let bias = (highest >> 1) as i32;
    sign * match power {
        0 => part * 2_f64.powi(1 - bias),
        power if power == highest && rest == 0 => f64::INFINITY,
        power if power == highest => f64::NAN,
        power => (1.0 + part) * 2_f64.powi(power as i32 - bias),
    }
}

impl Operand {
    pub(crate) fn of(isa: &Isa, known: Known<'_>, text: String) -> Operand {
        Operand {
            name: known.name.to_string(),
            text,
            width: known.width,
            access: known.access,
            value: Owned::of(isa, known.value),
        }
    }
}

#[pymethods]
impl Operand {
    #[getter]
    fn kind(&self) -> &'static str {
        self.value.kind()
    }

    #[getter]
    fn value<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value.object(python)
    }

    #[getter]
    fn is_read(&self) -> bool {
        self.access.reads()
    }

    #[getter]
    fn is_written(&self) -> bool {
        self.access.writes()
    }

    fn __repr__(&self) -> String {
        format!("<Operand {}: {} {}>", self.name, self.kind(), self.text)
    }
}

/// Something that an instruction reads or writes: see `isadl.pyi`.
#[pyclass(frozen, module = "isadl")]
pub(crate) struct Use {
    #[pyo3(get)]
    text: String,
    #[pyo3(get)]
    is_certain: bool,
    #[pyo3(get)]
    register: Option<Register>,
    #[pyo3(get)]
    memory_width: Option<u32>,
    kind: &'static str,
}

impl Use {
    pub(crate) fn of(engine: &Engine<'_>, inst: Inst, used: &isadl::isa::Use) -> Use {
        let isa = engine.isa();
        let (kind, register) = match used.resource {
            Resource::Registers { file, first, count } => {
                ("register", Some(Register::of(isa, file, first, count)))
            }
            Resource::Unknown { .. } => ("unknown", None),
            Resource::Special(_) => ("special", None),
            Resource::Memory { .. } => ("memory", None),
        };
        let is_certain = !matches!(
            used.effect,
            Effect::ConditionalRead | Effect::ConditionalWrite | Effect::ReadConditionalWrite
        );
        let memory_width = engine.memory_width(inst, used);
        Use { text: isa.resource_text(used.resource), is_certain, register, memory_width, kind }
    }
}

#[pymethods]
impl Use {
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        let certainly = if self.is_certain { "" } else { "perhaps " };
        format!("<Use {certainly}{}>", self.text)
    }
}
