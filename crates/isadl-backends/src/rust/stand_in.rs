//! A stand-in for the module of an instruction set with errors: a module with its names, so that their uses are not
//! reported as well.
//!
//! Each name is a type that the compiler knows to be wrong, because a constant in it is an error.
//! The compiler reports the error once, and nothing about values of such a type.

use std::collections::BTreeSet;

use isadl_diagnostics::diagnostic::Diagnostics;
use isadl_diagnostics::source::SourceMap;
use isadl_syntax::ast::DefinitionKind;
use isadl_syntax::parse::parse;

use super::manifest;
use super::names::{PRELUDE, is_identifier, type_name};

/// The types that every module has, or that some modules have. A test compares them with generated crates.
const TYPES: &[&str] = &[
    "Access",
    "Binding",
    "Bytes",
    "Case",
    "Commas",
    "DecodeError",
    "Effect",
    "EncodeError",
    "Extensions",
    "Field",
    "FieldInfo",
    "FieldList",
    "FieldRole",
    "FlowControl",
    "Formatted",
    "Generation",
    "Inst",
    "Memory",
    "NameSet",
    "NotAValue",
    "Opcode",
    "OpcodeInfo",
    "Operand",
    "OperandInfo",
    "OperandList",
    "OperandPlace",
    "OperandValue",
    "OperandWidth",
    "Operands",
    "OutOfRange",
    "ParseError",
    "ParseErrorKind",
    "ParseNameError",
    "Radix",
    "RegFile",
    "Register",
    "RelocateError",
    "Relocation",
    "Requires",
    "Resource",
    "Rule",
    "RuleScope",
    "Special",
    "SymbolStyle",
    "Text",
    "TextAt",
    "TextFormat",
    "TextOptions",
    "TokenKind",
    "Use",
    "Uses",
    "View",
    "Word",
];

/// The types of the same kind with a lifetime.
const BORROWING_TYPES: &[&str] = &["Stream"];

/// The constants.
const CONSTANTS: &[&str] = &["BYTES", "MIN_BYTES", "TEXT_ROOM", "WIDTH"];

/// The names of a module that cannot be generated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StandIn {
    module: Option<String>,
    /// The types of the specification.
    types: BTreeSet<String>,
}

impl StandIn {
    /// The names that the module of a specification has, as far as it can be parsed.
    pub fn of(sources: &SourceMap) -> StandIn {
        let files = parse(sources, &mut Diagnostics::default());
        let mut names = StandIn::default();
        for definition in files.iter().flat_map(|file| &file.definitions) {
            let name = definition.name.text;
            match definition.kind {
                DefinitionKind::Isa(_) => {
                    names.module.get_or_insert_with(|| manifest::name_of(name));
                }
                DefinitionKind::BitFieldType(_)
                | DefinitionKind::OperandType(_)
                | DefinitionKind::Immediate(_)
                | DefinitionKind::Composite(_) => drop(names.types.insert(type_name(name))),
                _ => {}
            }
        }
        names
    }

    /// The name of the module; if not given, the name of the instruction set.
    pub fn module(&self) -> Option<&str> {
        self.module.as_deref()
    }

    /// The items of the module, in two pieces. Between them the module needs a block with an error, such as
    /// `{ compile_error!("…") }`.
    pub fn items(&self) -> [String; 2] {
        let head = "mod absent {\n\
            pub struct Absent<'a, const NAME: usize, const ERROR: usize>(pub ::core::marker::PhantomData<&'a ()>);\n\
            }\n\
            type __Absent<'a, const NAME: usize> = absent::Absent<'a, NAME, ";
        let mut rest = ">;\n".to_string();
        let own = self.types.iter().map(String::as_str);
        let types: BTreeSet<&str> = TYPES.iter().copied().chain(own).collect();
        let others = [PRELUDE, BORROWING_TYPES].concat();
        let types = types.into_iter().filter(|name| is_identifier(name) && !others.contains(name));
        // The types are distinct, as a trait can be implemented for several of them.
        for (number, name) in types.chain(BORROWING_TYPES.iter().copied()).enumerate() {
            let (parameter, lifetime) = match BORROWING_TYPES.contains(&name) {
                true => ("<'a>", "'a"),
                false => ("", "'static"),
            };
            let named = format!("__Absent<{lifetime}, {number}>");
            rest += &format!("pub type {name}{parameter} = {named};\n");
        }
        for name in CONSTANTS {
            let value = "absent::Absent(::core::marker::PhantomData)";
            rest += &format!("pub const {name}: __Absent<'static, 0> = {value};\n");
        }
        [head.to_string(), rest]
    }
}
