//! The instructions of a generation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use isadl_ir::isa::{Isa, NameId, Opcode};
use isadl_semantics::ir;
use isadl_semantics::{Checked, Instance};

use super::classes::{Class, raw_bits};
use super::lane_registers::element;
use super::probe;
use super::program::program;
use super::shared::Shared;
use super::unit::Unit;
use super::{HEADER, Refused, Scope};
use crate::rust::plan::Plan;

/// The text of a module.
pub(super) struct Guest {
    pub(super) text: String,
    pub(super) has_floats: bool,
    /// Whether several lanes do instructions together.
    pub(super) has_lanes: bool,
    /// The opcodes that it does not execute.
    pub(super) refused: Vec<Refused>,
}

/// An arm of the choice of a program: the row, a condition on the word, and the type.
struct Arm {
    row: usize,
    condition: Option<String>,
    ident: String,
    /// Whether several lanes do it together.
    has_lanes: bool,
}

pub(super) fn emit(plan: &Plan<'_>, isa: &Isa, checked: &Checked, is_only: bool) -> Guest {
    let lanes = checked.lanes();
    let mut shared = Shared::new(plan.isa, isa, &checked.memories, lanes);
    let mut idents = Scope::reserving(&RESERVED);
    let (mut programs, mut arms) = (String::new(), Vec::new());
    for (row, opcode, instances) in rows(plan, isa, checked) {
        if instances.is_empty() {
            let why = "it has no program";
            shared.refused.push(Refused { opcode: opcode.name.clone(), why });
        }
        for instance in instances {
            // No loop that stays one may write registers of lanes.
            let build = if lanes.is_some() { ir::build } else { ir::build_short };
            let code = build(isa, opcode, &instance.program);
            let ident = idents.add(&opcode.name).to_string();
            let unit = Unit::new(isa, opcode, code, instance.program.lanes.as_ref(), ident);
            programs += &program(&unit, &mut shared);
            let condition = condition(opcode, &instance.chosen);
            let has_lanes = unit.lanes.is_some();
            arms.push(Arm { row, condition, ident: unit.ident.clone(), has_lanes });
        }
    }
    let mut text = format!("{HEADER}//! The instructions of {}.\n\n", generation(isa));
    text += IMPORTS;
    if shared.has_floats() {
        text += FLOAT_IMPORTS;
    }
    if let Some(lanes) = lanes {
        let _ = write!(
            text,
            "use super::lanes;\n\n/// How many lanes do each instruction together.\npub const LANES: usize = {};\n\n\
             /// A bit for each lane.\nconst ALL: u64 = lanes::all(LANES);\n\n",
            lanes.count
        );
    }
    text += &machine(&shared, isa);
    text += &enums(&shared);
    text += COMMON;
    if is_only {
        text += METHOD;
    }
    if lanes.is_some() {
        text += VARIANTS;
    }
    text += &choices(&arms);
    text += &probe::emit(plan, &shared, isa, is_only);
    if shared.has_floats() {
        text += FLOATS;
        text += &shared.float_constants();
    }
    text += &programs;
    let has_floats = shared.has_floats();
    Guest { text, has_floats, has_lanes: lanes.is_some(), refused: shared.refused }
}

/// The name of the generation that is described.
pub(super) fn generation(isa: &Isa) -> String {
    let mut names = isa.generation_names(isa.describes());
    names.next().map_or(isa.name().to_string(), str::to_string)
}

/// The rows of the generation with their programs.
fn rows<'r>(
    plan: &'r Plan<'_>,
    isa: &'r Isa,
    checked: &'r Checked,
) -> impl Iterator<Item = (usize, &'r Opcode, &'r [Instance])> {
    plan.rows.iter().enumerate().filter_map(move |(number, row)| {
        let own = plan.definition(row);
        let name = generation(isa);
        let mut names = plan.isa.generation_names(own.generations).peekable();
        if names.peek().is_some() && !names.any(|other| other == name) {
            return None;
        }
        let is_it = |opcode: &Opcode| opcode.name == own.name && opcode.literals == own.literals;
        let at = isa.opcodes().iter().position(is_it)?;
        Some((number, &isa.opcodes()[at], checked.opcodes[at].as_slice()))
    })
}

/// The condition that fields of the word `w` have values.
fn condition(opcode: &Opcode, chosen: &BTreeMap<NameId, u64>) -> Option<String> {
    let of = |(name, raw): (&NameId, &u64)| {
        let field = opcode.field(*name)?;
        Some(format!("{} == {raw}", raw_bits(&field.bits)))
    };
    let all: Vec<String> = chosen.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| all.join(" && "))
}

/// Names that types of programs must not have.
const RESERVED: [&str; 34] = [
    "Machine",
    "Fetch",
    "Program",
    "Operands",
    "Next",
    "Trap",
    "Space",
    "State",
    "Guest",
    "Runner",
    "Node",
    "Cpu",
    "Inst",
    "Word",
    "Changes",
    "Self",
    "Ok",
    "Err",
    "Some",
    "None",
    "Operation",
    "Format",
    "Function",
    "Setting",
    "Near",
    "Read",
    "Accessed",
    "Probe",
    "NONE",
    "Real",
    "Steps",
    "Usual",
    "LANES",
    "ALL",
];

const IMPORTS: &str = "\
use super::super::{Inst, Word};
use super::runner::{self, Cpu, Node, Nodes};
use super::step::{Changes, Next, Operands};
use super::{number, wide};

";

const FLOAT_IMPORTS: &str = "\
use super::float::near::{self, Near, Real};
use super::float::{Extremum, Format, Function, Operation, Order, Setting};

";

const FLOATS: &str = "\
/// A format that there is.
const fn format(exponent: u32, fraction: u32) -> Format {
    match Format::new(exponent, fraction) {
        Some(format) => format,
        None => unreachable!(),
    }
}

/// No result.
const NONE: Near = Near { bits: 0, is_inexact: false, is_it: false };

/// The host's result if it is right, else that of software. Adds the flags that the operation raises.
#[inline(always)]
fn near_or(near: Near, flags: &mut u64, software: impl FnOnce(&mut u64) -> u64) -> u64 {
    if !near.is_it {
        return software(flags);
    }
    *flags |= near.is_inexact as u64;
    near.bits
}

/// The result of an operation on floating-point numbers; the flags that it raises are added to others.
#[inline(never)]
fn evaluate(operation: &Operation<'_>, operands: &[u64], settings: &[(Setting, usize)], flags: &mut u64) -> u64 {
    let (result, raised) = operation.evaluate(operands, settings);
    *flags |= u64::from(raised.bits());
    result
}

";

/// Programs of lanes, compiled for the usual words, too.
const VARIANTS: &str = "\
/// A program of lanes.
trait Steps: Program {
    /// The bits that matter in usual words, and their values.
    const USUAL: (Word, Word);
    /// The same without those of the guard.
    const GUARDED: (Word, Word);
    /// Executes the instruction of a word at an address.
    fn steps<M: Machine>(m: &mut M, w: Word, pc: u64) -> Result<Next, M::Stop>;
}

/// A program for words of which bits are known: constants for the compiler.
struct Usual<P, const GUARDED: bool>(core::marker::PhantomData<P>);

impl<P: Steps, const GUARDED: bool> Usual<P, GUARDED> {
    const BITS: (Word, Word) = if GUARDED { P::GUARDED } else { P::USUAL };
}

impl<P: Steps, const GUARDED: bool> Program for Usual<P, GUARDED> {
    const LENGTH: u64 = P::LENGTH;
    const ENDS: bool = P::ENDS;
    const IS_LARGE: bool = true;

    #[inline(always)]
    fn operands(w: Word, pc: u64) -> Operands { P::operands(w, pc) }

    #[inline(always)]
    fn target(o: &Operands) -> u64 { P::target(o) }

    #[inline(always)]
    fn run<M: Machine>(m: &mut M, o: &Operands) -> Result<Next, M::Stop> {
        P::steps(m, word(o) & !Self::BITS.0 | Self::BITS.1, o.n[2])
    }
}

/// A program of lanes as a node.
fn node_of_lanes<P: Steps, M: Fetch>(w: Word, pc: u64) -> Node<M, Guest> {
    if w & P::USUAL.0 == P::USUAL.1 {
        node::<Usual<P, false>, M>(w, pc)
    } else if w & P::GUARDED.0 == P::GUARDED.1 {
        node::<Usual<P, true>, M>(w, pc)
    } else {
        node::<P, M>(w, pc)
    }
}

/// Executes a program of lanes.
#[inline(never)]
fn execute_apart<P: Steps, M: Machine>(w: Word, m: &mut M) -> Result<(), M::Stop> {
    if w & P::USUAL.0 == P::USUAL.1 {
        execute_as::<Usual<P, false>, M>(w, m)
    } else {
        execute_as::<P, M>(w, m)
    }
}

";

/// The trait of machines.
fn machine(shared: &Shared<'_>, isa: &Isa) -> String {
    let mut text = "\
/// The state that instructions read and change.
///
/// Registers are numbered as the specification does. The number of registers is the number of the constant zero: it is read as 0, and never
/// written.
pub trait Machine {
    /// Why an instruction does not end.
    type Stop;

    /// The address of the instruction.
    fn pc(&self) -> u64;
    /// The address of the next instruction is known.
    fn set_pc(&mut self, address: u64);
"
    .to_string();
    for id in &shared.used {
        let (file, name) = (&isa.reg_files()[id.index()], &shared.files[id.index()]);
        if shared.is_of_lanes(*id) {
            let ty = element(file.width);
            let _ = write!(
                text,
                "    /// A register of `{0}`, of {1} bits, in each lane; the number is at most {2}.\n    \
                 fn {name}(&self, number: u16) -> &[{ty}; LANES];\n    \
                 /// A register of `{0}` that is written; the number is less than {2}. Bits above {1} stay 0.\n    \
                 fn {name}_mut(&mut self, number: u16) -> &mut [{ty}; LANES];\n",
                file.name, file.width, file.count,
            );
            continue;
        }
        let ty = Class::of(file.width).name();
        let _ = write!(
            text,
            "    /// A register of `{0}`, of {1} bits; the number is at most {2}.\n    \
             fn {name}(&self, number: u16) -> {ty};\n    \
             /// Writes a register of `{0}`; the number is less than {2}.\n    \
             fn set_{name}(&mut self, number: u16, value: {ty});\n",
            file.name, file.width, file.count,
        );
    }
    let space = if shared.spaces.len() > 1 { "space: Space, " } else { "" };
    if !shared.spaces.is_empty() {
        let _ = write!(
            text,
            "    /// Bytes of a memory, the lowest address first.\n    \
             fn load<const N: usize>(&mut self, {space}address: u64) -> Result<[u8; N], Self::Stop>;\n    \
             /// Writes bytes.\n    \
             fn store<const N: usize>(&mut self, {space}address: u64, bytes: [u8; N]) -> Result<(), Self::Stop>;\n"
        );
    }
    if shared.reserves {
        let _ = write!(
            text,
            "    /// Loads, and reserves the address.\n    \
             fn load_reserved<const N: usize>(&mut self, {space}address: u64) -> Result<[u8; N], Self::Stop>;\n    \
             /// Ends a reservation, and stores if it was for this address; whether it did.\n    \
             fn store_conditional<const N: usize>(&mut self, {space}address: u64, bytes: [u8; N]) -> Result<bool, Self::Stop>;\n"
        );
    }
    if shared.has_states {
        text += "    /// A register outside of files.\n    \
                 fn state(&self, state: State) -> u64;\n    \
                 /// Writes a register outside of files.\n    \
                 fn set_state(&mut self, state: State, value: u64);\n";
    }
    for (name, function) in &shared.functions {
        let arguments: String = function
            .arguments
            .iter()
            .enumerate()
            .map(|(at, class)| format!(", a{at}: {}", class.name()))
            .collect();
        let result = function.result.map_or("()".to_string(), Class::name);
        let _ = write!(
            text,
            "    /// `extern fn {name}`\n    fn {}(&mut self{arguments}) -> Result<{result}, Self::Stop>;\n",
            function.ident
        );
    }
    if shared.lanes.is_some() {
        text += "    /// The lanes that take part in instructions that do not choose them, as bits.\n    \
                 fn launched(&self) -> u64 {\n        ALL\n    }\n";
    }
    if shared.has_extensions {
        text += "    /// The extensions that are implemented.\n    \
                 fn extensions(&self) -> super::super::Extensions;\n";
    }
    text += "    /// The instruction ends with a trap.\n    \
             fn trap(&mut self, trap: Trap) -> Self::Stop;\n}\n\n\
             /// Where instructions come from.\npub trait Fetch: Machine {\n    \
             /// The instruction at an address.\n    \
             fn fetch(&mut self, address: u64) -> Result<Inst, Self::Stop>;\n}\n\n";
    text
}

/// The types of traps, memories and registers outside of files.
fn enums(shared: &Shared<'_>) -> String {
    let derives = "#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n";
    let mut text = format!("/// Why an instruction does not end.\n{derives}pub enum Trap {{\n");
    for (name, (ident, count)) in &shared.traps {
        let numbers = match count {
            0 => String::new(),
            count => format!("({})", vec!["u128"; *count].join(", ")),
        };
        let _ = writeln!(text, "    /// `{name}`\n    {ident}{numbers},");
    }
    text += "    /// Anything may happen.\n    Unpredictable,\n";
    let refused: BTreeSet<&str> =
        shared.refused.iter().map(|refused| refused.opcode.as_str()).collect();
    let names: Vec<String> = refused.into_iter().map(|name| format!("`{name}`")).collect();
    let names = if names.is_empty() { "none".to_string() } else { names.join(", ") };
    let _ = write!(
        text,
        "    /// It is not executed. Such opcodes: {names}.\n    Unsupported,\n}}\n\n"
    );
    let names = shared.traps.iter().map(|(name, (ident, count))| {
        let numbers = if *count == 0 { "" } else { "(..)" };
        format!("Trap::{ident}{numbers} => f.write_str({name:?}),")
    });
    let own = ["Unpredictable", "Unsupported"];
    let own = own.iter().map(|name| format!("Trap::{name} => f.write_str({name:?}),"));
    text += &display("Trap", names.chain(own));
    if shared.spaces.len() > 1 {
        text += &format!("/// The memories.\n{derives}pub enum Space {{\n");
        for name in &shared.spaces {
            let _ = writeln!(text, "    /// `{name}`\n    {name},");
        }
        text += "}\n\n";
    }
    if shared.has_states {
        text += &format!("/// Registers outside of files.\n{derives}pub enum State {{\n");
        for (name, ident) in &shared.states {
            let _ = writeln!(text, "    /// `{name}`\n    {ident},");
        }
        text += "    /// One without a name: the type of the operand, and the value in it.\n    \
                 Unnamed(&'static str, u64),\n}\n\n";
        let names = shared.states.iter();
        let names = names.map(|(name, ident)| format!("State::{ident} => f.write_str({name:?}),"));
        let unnamed = "State::Unnamed(ty, value) => write!(f, \"{ty}[{value:#x}]\"),";
        text += &display("State", names.chain([unnamed.to_string()]));
    }
    text
}

/// How values of a type are written.
fn display(ty: &str, arms: impl Iterator<Item = String>) -> String {
    let arms: String = arms.map(|arm| format!("            {arm}\n")).collect();
    format!(
        "impl core::fmt::Display for {ty} {{\n    \
         fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {{\n        \
         match *self {{\n{arms}        }}\n    }}\n}}\n\n"
    )
}

const COMMON: &str = "\
/// A program.
trait Program {
    /// Bytes of the instruction.
    const LENGTH: u64;
    /// Whether it may jump.
    const ENDS: bool;
    /// Whether its frame is large, or its variables are lent.
    const IS_LARGE: bool;
    /// Values that depend only on the word and its address.
    fn operands(w: Word, pc: u64) -> Operands;
    /// Where it may jump.
    fn target(_: &Operands) -> u64 { 0 }
    /// The rest.
    fn run<M: Machine>(m: &mut M, o: &Operands) -> Result<Next, M::Stop>;
}

/// The word in the slots.
#[inline(always)]
fn word(o: &Operands) -> Word {
    ((o.n[1] as u128) << 64 | o.n[0] as u128) as Word
}

#[inline(always)]
fn execute_as<P: Program, M: Machine>(w: Word, m: &mut M) -> Result<(), M::Stop> {
    let pc = m.pc();
    let o = P::operands(w, pc);
    let to = match P::run(m, &o)? {
        Next::Following => pc.wrapping_add(P::LENGTH),
        Next::Target => P::target(&o),
        Next::To(address) => address,
    };
    m.set_pc(to);
    Ok(())
}

/// A program as a node of a block.
fn node<P: Program, M: Fetch>(w: Word, pc: u64) -> Node<M, Guest> {
    let operands = P::operands(w, pc);
    let target = P::target(&operands);
    let call = if P::IS_LARGE { run_large::<P, M> } else { run_node::<P, M> };
    Node::new(call, operands, target, P::LENGTH, P::ENDS)
}

fn run_node<P: Program, M: Fetch>(m: &mut M, core: &mut runner::Core<'_, M, Guest>, nodes: Nodes<'_, M, Guest>) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return runner::STOP };
    match P::run(m, &node.operands) {
        Ok(Next::Following) => runner::follow(m, core, nodes),
        Ok(Next::Target) => runner::take(m, core, node),
        Ok(Next::To(address)) => core.jump(node, address),
        Err(stop) => core.stop(stop, nodes.len()),
    }
}

/// The same for a program with a large frame, which is gone when the next node begins. A number is returned, since results in memory are slow.
fn run_large<P: Program, M: Fetch>(m: &mut M, core: &mut runner::Core<'_, M, Guest>, nodes: Nodes<'_, M, Guest>) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return runner::STOP };
    match ended::<P, M>(m, core, node, nodes.len()) {
        runner::FOLLOWING => runner::follow(m, core, nodes),
        runner::TARGET => runner::take(m, core, node),
        why => why,
    }
}

#[inline(never)]
fn ended<P: Program, M: Fetch>(m: &mut M, core: &mut runner::Core<'_, M, Guest>, node: &Node<M, Guest>, left: usize) -> u64 {
    match P::run(m, &node.operands) {
        Ok(Next::Following) => runner::FOLLOWING,
        Ok(Next::Target) => runner::TARGET,
        Ok(Next::To(address)) => core.jump(node, address),
        Err(stop) => core.stop(stop, left),
    }
}

/// Stops where an instruction has no program.
fn run_nothing<M: Fetch>(m: &mut M, core: &mut runner::Core<'_, M, Guest>, nodes: Nodes<'_, M, Guest>) -> u64 {
    let stop = m.trap(Trap::Unsupported);
    core.stop(stop, nodes.len())
}

/// Which instructions a runner executes.
#[derive(Debug, Clone, Copy)]
pub enum Guest {}

/// Executes instructions in blocks that are translated once.
pub type Runner<M> = runner::Runner<M, Guest>;

impl<M: Fetch> Cpu<Guest> for M {
    type Stop = M::Stop;

    #[inline]
    fn address(&self) -> u64 {
        self.pc()
    }

    #[inline]
    fn set_address(&mut self, address: u64) {
        self.set_pc(address);
    }

    fn translate(&mut self, address: u64) -> Result<Node<M, Guest>, M::Stop> {
        let inst = self.fetch(address)?;
        Ok(translated(inst, address))
    }
}

";

/// The method of instructions, if there is one instruction set.
const METHOD: &str = "\
impl Inst {
    /// Executes the instruction at the address that the machine says. Then the machine has the address of the next one; an instruction
    /// that stops has changed memory at most.
    ///
    /// # Errors
    ///
    /// If it does not end: what the machine says of a trap, or of a memory.
    pub fn execute<M: Machine>(self, machine: &mut M) -> Result<(), M::Stop> {
        execute(self, machine)
    }
}

";

/// The functions that find the program of an instruction.
fn choices(arms: &[Arm]) -> String {
    let (mut executed, mut translated) = (String::new(), String::new());
    for Arm { row, condition, ident, has_lanes } in arms {
        let guard = condition.as_ref().map_or(String::new(), |all| format!(" if {all}"));
        // Programs of lanes are long.
        let execute = if *has_lanes { "execute_apart" } else { "execute_as" };
        let _ = writeln!(executed, "        {row}{guard} => {execute}::<{ident}, M>(w, m),");
        let node = if *has_lanes { "node_of_lanes" } else { "node" };
        let _ = writeln!(translated, "        {row}{guard} => {node}::<{ident}, M>(w, pc),");
    }
    format!(
        "/// Executes an instruction at the address that the machine says. Then the machine has the address of the next one; an instruction that stops\n\
         /// has changed memory at most.\n///\n/// # Errors\n///\n/// If it does not end: what the machine says of a trap, or of a memory.\n\
         pub fn execute<M: Machine>(inst: Inst, m: &mut M) -> Result<(), M::Stop> {{\n    \
         let w = inst.word;\n    match inst.row() {{\n{executed}        \
         _ => Err(m.trap(Trap::Unsupported)),\n    }}\n}}\n\n\
         fn translated<M: Fetch>(inst: Inst, pc: u64) -> Node<M, Guest> {{\n    \
         let w = inst.word;\n    match inst.row() {{\n{translated}        \
         _ => Node::new(run_nothing::<M>, Operands::default(), 0, 0, true),\n    }}\n}}\n\n"
    )
}
