//! Names that all programs of an instruction set share: methods of the machine, traps, floating-point operations.

use std::collections::{BTreeMap, BTreeSet};

use isadl_ir::isa::{ExtensionCondition, Immediate, Isa, RegFileId};
use isadl_runtime::image;
use isadl_semantics::float::Operation;
use isadl_semantics::program::Lanes;

use super::Refused;
use super::classes::Class;
use crate::rust::names::{PRELUDE, Scope, type_name};

/// A function that the machine provides.
pub(super) struct Function {
    pub(super) ident: String,
    pub(super) arguments: Vec<Class>,
    /// That of its result, if some program uses it.
    pub(super) result: Option<Class>,
}

pub(super) struct Shared<'s> {
    /// The instruction set of all generations, whose tables the crate has.
    image_isa: &'s Isa,
    pub(super) files: Vec<String>,
    /// The files that some program uses.
    pub(super) used: BTreeSet<RegFileId>,
    /// Whether the first register follows the last; else the constant zero.
    wraps: Vec<bool>,
    counts: Vec<u32>,
    /// The number of lanes, and the files of which each lane has registers.
    pub(super) lanes: Option<Lanes>,
    pub(super) spaces: Vec<String>,
    pub(super) states: BTreeMap<String, String>,
    /// Whether there are registers outside of files, with a name or without.
    pub(super) has_states: bool,
    state_names: Scope,
    /// The traps, and how many numbers each reports.
    pub(super) traps: BTreeMap<String, (String, usize)>,
    trap_names: Scope,
    pub(super) functions: BTreeMap<String, Function>,
    function_names: Scope,
    operations: Vec<Operation>,
    pub(super) reserves: bool,
    pub(super) has_extensions: bool,
    /// The opcodes whose programs could not be written.
    pub(super) refused: Vec<Refused>,
}

impl<'s> Shared<'s> {
    pub(super) fn new(
        image_isa: &'s Isa,
        isa: &Isa,
        memories: &[String],
        lanes: Option<&Lanes>,
    ) -> Shared<'s> {
        let mut methods = Scope::reserving(&METHODS);
        let files = isa.reg_files().iter().map(|file| {
            let own = methods.add(&file.name.to_lowercase()).to_string();
            // A keyword is no name of a method.
            let own = own.strip_prefix("r#").map_or(own.clone(), |name| format!("{name}_file"));
            methods.add(&format!("set_{own}"));
            methods.add(&format!("{own}_mut"));
            own
        });
        let files: Vec<String> = files.collect();
        let mut spaces = Scope::reserving(&[]);
        let spaces = memories.iter().map(|name| spaces.add(&type_name(name)).to_string());
        Shared {
            image_isa,
            files,
            used: BTreeSet::new(),
            wraps: isa
                .reg_files()
                .iter()
                .enumerate()
                .map(|(at, file)| file.count > 1 && !isa.has_constant(RegFileId::new(at)))
                .collect(),
            counts: isa.reg_files().iter().map(|file| file.count).collect(),
            lanes: lanes.cloned(),
            spaces: spaces.collect(),
            states: BTreeMap::new(),
            has_states: false,
            state_names: Scope::reserving(&[&["Unnamed"], PRELUDE].concat()),
            traps: BTreeMap::new(),
            trap_names: Scope::reserving(&[&["Unpredictable", "Unsupported"], PRELUDE].concat()),
            functions: BTreeMap::new(),
            function_names: methods,
            operations: Vec::new(),
            reserves: false,
            has_extensions: false,
            refused: Vec::new(),
        }
    }

    /// The name of the methods of a file.
    pub(super) fn file(&mut self, file: RegFileId) -> &str {
        self.used.insert(file);
        &self.files[file.index()]
    }

    /// Whether each lane has registers of a file.
    pub(super) fn is_of_lanes(&self, file: RegFileId) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| lanes.files.contains(&file))
    }

    /// The number of a register that follows another, as an expression.
    pub(super) fn following(&self, file: RegFileId, number: &str, at: u32) -> String {
        let count = self.counts[file.index()];
        match self.wraps[file.index()] {
            true => format!("(({number}) + {at}) % {count}"),
            false => format!("(({number}) + {at}).min({count})"),
        }
    }

    /// The first arguments of an access to a memory.
    pub(super) fn space(&self, number: usize) -> String {
        match self.spaces.as_slice() {
            [] | [_] => String::new(),
            all => format!("Space::{}, ", all.get(number).map_or("Unknown", String::as_str)),
        }
    }

    /// A register outside of files without a name; the value of the operand is `raw`.
    pub(super) fn unnamed(&mut self, ty: &str) -> String {
        self.has_states = true;
        format!("State::Unnamed({ty:?}, raw)")
    }

    pub(super) fn state(&mut self, name: &str) -> String {
        self.has_states = true;
        let names = &mut self.state_names;
        let mut of = |name: &str| names.add(&type_name(name)).to_string();
        let ident = self.states.entry(name.to_string()).or_insert_with_key(|name| of(name));
        format!("State::{ident}")
    }

    pub(super) fn trap(&mut self, name: &str, arguments: &[String]) -> String {
        let names = &mut self.trap_names;
        let (ident, count) = self
            .traps
            .entry(name.to_string())
            .or_insert_with_key(|name| (names.add(&type_name(name)).to_string(), arguments.len()));
        *count = (*count).max(arguments.len());
        match arguments {
            [] => format!("Trap::{ident}"),
            all => format!("Trap::{ident}({})", all.join(", ")),
        }
    }

    pub(super) fn function(
        &mut self,
        name: &str,
        arguments: Vec<Class>,
        result: Option<Class>,
    ) -> String {
        let names = &mut self.function_names;
        let function = self.functions.entry(name.to_string()).or_insert_with_key(|name| Function {
            ident: names.add(&heck::ToSnakeCase::to_snake_case(name.as_str())).to_string(),
            arguments,
            result: None,
        });
        function.result = function.result.max(result);
        function.ident.clone()
    }

    pub(super) fn operation(&mut self, operation: &Operation) -> String {
        let at = match self.operations.iter().position(|own| own == operation) {
            Some(at) => at,
            None => {
                self.operations.push(operation.clone());
                self.operations.len() - 1
            }
        };
        format!("FLOAT_{at}")
    }

    /// The constants of the operations on floating-point numbers.
    pub(super) fn float_constants(&self) -> String {
        let format = |format: &isadl_semantics::float::Format| {
            format!("format({}, {})", format.exponent(), format.fraction())
        };
        let constant = |(at, operation): (usize, &Operation)| {
            let from: Vec<String> = operation.from.iter().map(format).collect();
            let (function, to) = (function_text(operation), format(&operation.to));
            format!(
                "/// {operation}\nconst FLOAT_{at}: Operation<'static> = Operation {{ function: {function}, from: &[{}], to: {to} }};\n",
                from.join(", ")
            )
        };
        self.operations.iter().enumerate().map(constant).collect()
    }

    pub(super) fn has_floats(&self) -> bool {
        !self.operations.is_empty()
    }

    /// The number of a computed immediate in the tables of the crate.
    pub(super) fn computed(&self, immediate: &Immediate) -> Option<u16> {
        image::computed_number(self.image_isa, immediate)
    }

    /// Whether the implementation has extensions.
    pub(super) fn extensions(&mut self, condition: &ExtensionCondition) -> String {
        self.has_extensions = true;
        let terms = condition.terms().iter().map(|term| {
            format!(
                "m.extensions().bits() & {:#x} == {:#x}",
                term.needed | term.excluded,
                term.needed
            )
        });
        let all: Vec<String> = terms.collect();
        match all.is_empty() {
            true => "0_u64".to_string(),
            false => format!("u64::from({})", all.join(" || ")),
        }
    }
}

/// Methods of the machine that every instruction set has.
const METHODS: [&str; 13] = [
    "pc",
    "set_pc",
    "load",
    "store",
    "load_reserved",
    "store_conditional",
    "trap",
    "state",
    "set_state",
    "extensions",
    "launched",
    "fetch",
    "new",
];

/// A function as an expression.
fn function_text(operation: &Operation) -> String {
    format!("Function::{:?}", operation.function)
        .replace("order: ", "order: Order::")
        .replace("Minimum(", "Minimum(Extremum::")
        .replace("Maximum(", "Maximum(Extremum::")
}
