//! The address that an instruction accesses first: its program runs on a machine that only reads registers, and stops at the access.

use std::fmt::Write;

use isadl_ir::isa::Isa;

use super::classes::{Class, zero};
use super::shared::Shared;
use crate::rust::plan::Plan;

/// The machine, and the function that runs on it. Each lane has addresses of its own, so instruction sets of lanes have neither.
pub(super) fn emit(plan: &Plan<'_>, shared: &Shared<'_>, isa: &Isa, is_only: bool) -> String {
    if shared.lanes.is_some() || shared.spaces.is_empty() {
        return String::new();
    }
    let has_spaces = shared.spaces.len() > 1;
    let mut text = types(shared, has_spaces);
    text += "impl<F: Fn(Read) -> u128> Machine for Probe<F> {\n    type Stop = Option<Accessed>;\n\n    \
             fn pc(&self) -> u64 {\n        self.pc\n    }\n\n    \
             fn set_pc(&mut self, _: u64) {}\n\n";
    text += &registers(plan, shared, isa);
    text += &memory(shared, has_spaces);
    if shared.has_states {
        text += "    fn state(&self, state: State) -> u64 {\n        (self.read)(Read::State(state)) as u64\n    }\n\n    \
                 fn set_state(&mut self, _: State, _: u64) {\n        self.is_lost.set(true);\n    }\n\n";
    }
    for function in shared.functions.values() {
        let arguments = function.arguments.iter();
        let arguments: String = arguments.map(|class| format!(", _: {}", class.name())).collect();
        let result = function.result.map_or("()".to_string(), Class::name);
        let _ = write!(
            text,
            "    fn {}(&mut self{arguments}) -> Result<{result}, Self::Stop> {{\n        Err(None)\n    }}\n\n",
            function.ident
        );
    }
    if shared.has_extensions {
        text += "    fn extensions(&self) -> super::super::Extensions {\n        super::super::Extensions::DEFAULT\n    }\n\n";
    }
    text += "    fn trap(&mut self, _: Trap) -> Self::Stop {\n        None\n    }\n}\n\n";
    text += FUNCTION;
    if is_only {
        text += METHOD;
    }
    text
}

fn types(shared: &Shared<'_>, has_spaces: bool) -> String {
    let derives = "#[derive(Debug, Clone, Copy, PartialEq, Eq)]\n";
    let state = match shared.has_states {
        true => "    /// A register outside of files.\n    State(State),\n",
        false => "",
    };
    let space = match has_spaces {
        true => "    /// The memory.\n    pub space: Space,\n",
        false => "",
    };
    format!(
        "/// What an instruction reads before it accesses memory.\n{derives}pub enum Read {{\n    \
         /// A register of a file.\n    Register(super::super::Register),\n{state}}}\n\n\
         /// An access to memory.\n{derives}pub struct Accessed {{\n{space}    \
         /// The first address.\n    pub address: u64,\n    /// How many bytes.\n    pub bytes: usize,\n    \
         /// Whether it is a store.\n    pub is_store: bool,\n}}\n\n\
         /// A machine on which instructions stop where they access memory.\nstruct Probe<F> {{\n    pc: u64,\n    read: F,\n    \
         /// Whether a register was written, or has more bits than are asked for.\n    is_lost: core::cell::Cell<bool>,\n}}\n\n"
    )
}

fn registers(plan: &Plan<'_>, shared: &Shared<'_>, isa: &Isa) -> String {
    let mut text = String::new();
    for id in &shared.used {
        let (file, name) = (&isa.reg_files()[id.index()], &shared.files[id.index()]);
        let class = Class::of(file.width);
        let ty = class.name();
        let of_crate = plan.isa.reg_files().iter().position(|own| own.name == file.name);
        let value = match (class, of_crate) {
            (Class::Small | Class::Double, Some(at)) => {
                let ident = &plan.reg_files[at];
                let constant = match isa.has_constant(*id) {
                    true => format!(
                        "if number == {} {{\n            return 0;\n        }}\n        ",
                        file.count
                    ),
                    false => String::new(),
                };
                format!(
                    "{constant}let register = super::super::Register {{ file: super::super::RegFile::{ident}, number }};\n        \
                     (self.read)(Read::Register(register)) as {ty}"
                )
            }
            _ => format!("self.is_lost.set(true);\n        {}", zero(class)),
        };
        let _ = write!(
            text,
            "    fn {name}(&self, number: u16) -> {ty} {{\n        {value}\n    }}\n\n    \
             fn set_{name}(&mut self, _: u16, _: {ty}) {{\n        self.is_lost.set(true);\n    }}\n\n"
        );
    }
    text
}

fn memory(shared: &Shared<'_>, has_spaces: bool) -> String {
    let (argument, field) = match has_spaces {
        true => ("space: Space, ", "space, "),
        false => ("", ""),
    };
    let access = |is_store: bool| {
        format!("Err(Some(Accessed {{ {field}address, bytes: N, is_store: {is_store} }}))")
    };
    let method = |name: &str, more: &str, result: &str, is_store: bool| {
        format!(
            "    fn {name}<const N: usize>(&mut self, {argument}address: u64{more}) -> Result<{result}, Self::Stop> {{\n        {}\n    }}\n\n",
            access(is_store)
        )
    };
    let bytes = ", _: [u8; N]";
    let mut text = method("load", "", "[u8; N]", false) + &method("store", bytes, "()", true);
    if shared.reserves {
        text += &method("load_reserved", "", "[u8; N]", false);
        text += &method("store_conditional", bytes, "bool", true);
    }
    text
}

const FUNCTION: &str = "\
/// The memory that an instruction accesses first, if it is at an address and registers have the values that a function gives. The function is
/// asked for all that the instruction reads before; values that do not matter to the address may be anything.
///
/// `None` if the instruction accesses no memory or stops before, if a function of the machine or a register of more than 128 bits has part in
/// it, and if the instruction writes registers before. The extensions are those of the default set.
pub fn effective_address(inst: Inst, pc: u64, read: impl Fn(Read) -> u128) -> Option<Accessed> {
    let mut probe = Probe { pc, read, is_lost: core::cell::Cell::new(false) };
    let accessed = execute(inst, &mut probe).err().flatten();
    accessed.filter(|_| !probe.is_lost.get())
}

";

const METHOD: &str = "\
impl Inst {
    /// The memory that it accesses first: see [`effective_address`].
    pub fn effective_address(self, pc: u64, read: impl Fn(Read) -> u128) -> Option<Accessed> {
        effective_address(self, pc, read)
    }
}

";
