//! The Rust backend: a `no_std` crate without dependencies.
//!
//! `plan.rs` decides; the other modules print one generated file each. Tables are the default shape: content that grows
//! with the number of opcodes is data. Code is written once, or once per distinct field name and type.

mod bits;
mod coding;
mod construct;
mod control;
mod decided;
mod decode;
mod docs;
mod emit;
mod encode;
mod error;
#[cfg(feature = "exec")]
mod exec;
mod extensions;
mod field_info;
mod flow;
mod generic;
mod getters;
mod inst;
mod items;
mod layout;
mod manifest;
mod merged;
mod module;
mod name_lists;
mod names;
mod numbers;
mod opcode;
mod open;
mod operands;
mod parse;
mod plan;
mod registers;
mod serialize;
mod stand_in;
mod stream;
mod tables;
mod target;
mod text;
mod traits;
mod types;
mod views;
mod whole;

use isadl_engine::Part;
use isadl_ir::isa::Merged;
use quote::quote;

use crate::output::Output;
#[cfg(feature = "exec")]
pub use exec::{Behaviour, NoPrograms, Refused};
use layout::file;
use module::Code;
pub use module::{Module, ModuleHead};
use plan::Plan;
pub use stand_in::StandIn;

/// Options for the generated code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Which parts.
    pub parts: Parts,
    /// Whether each opcode gets a constructor.
    pub constructors: Constructors,
    /// Whether each optype gets a typed view.
    pub views: Views,
    /// Whether instructions implement the traits of `isadl-traits`.
    pub traits: Traits,
    /// Whether serde stores instructions, opcodes and so on.
    pub serde: Serde,
    /// The folder of the package `isadl-traits`, relative to the crate; by default the package comes from the registry.
    pub traits_path: Option<String>,
    /// The name of the crate. The default is the name of the instruction set in lower case. A module has its name in
    /// its [`ModuleHead`].
    pub crate_name: Option<String>,
}

/// Whether a crate can have a name.
pub fn can_name_crate(name: &str) -> bool {
    names::is_crate_name(name)
}

/// Which parts to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// From words to instructions.
    pub decode: Emit,
    /// From operands to instructions.
    pub encode: Emit,
    /// From instructions to assembly text, and back where there is also a decoder and an encoder.
    pub text: Emit,
    /// The reads and writes of instructions.
    pub flow: Emit,
}

impl Parts {
    /// Whether text is read.
    fn parses(self) -> bool {
        [self.decode, self.encode, self.text] == [Emit::Yes; 3]
    }
}

/// Whether a part is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emit {
    /// It is.
    Yes,
    /// It is not.
    No,
}

/// Whether each opcode gets a constructor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constructors {
    /// `Inst::iadd_rr(rd, ra, rb)`.
    PerOpcode,
    /// None; instructions are made by decoding or from raw values.
    None,
}

/// Whether each optype gets a typed view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Views {
    /// A type an optype, and an enum of them.
    PerOptype,
    /// None.
    None,
}

/// Whether instructions implement the traits of `isadl-traits`, with which tools support any instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traits {
    /// They do. A generated crate depends on `isadl-traits` if its feature `traits` is on; a crate
    /// with a generated module has to depend on it.
    Implemented,
    /// They do not.
    None,
}

/// Whether serde stores instructions, opcodes and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Serde {
    /// It does. A generated crate depends on `serde` if its feature `serde` is on; a crate with a generated module has
    /// to depend on it, with its feature `derive`.
    Implemented,
    /// It does not.
    None,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            parts: Parts { decode: Emit::Yes, encode: Emit::Yes, text: Emit::Yes, flow: Emit::Yes },
            constructors: Constructors::PerOpcode,
            views: Views::None,
            traits: Traits::None,
            serde: Serde::None,
            traits_path: None,
            crate_name: None,
        }
    }
}

/// Names that types must not have: items that the modules take from the crate's root, and other names used beside the
/// types. Items that are reached through their own module give way to types instead; `manifest.rs` lists them.
const RESERVED_ITEMS: &[&str] = &[
    "Access",
    "Binding",
    "Clone",
    "DecodeError",
    "EncodeError",
    "ExactSizeIterator",
    "Field",
    "FieldInfo",
    "FieldList",
    "FieldRole",
    "FromStr",
    "FusedIterator",
    "Target",
    "Inst",
    "Iterator",
    "Opcode",
    "OpcodeInfo",
    "Operand",
    "OperandInfo",
    "OperandList",
    "OperandPlace",
    "OperandValue",
    "OperandWidth",
    "Operands",
    "Option",
    "NotAValue",
    "OutOfRange",
    "ParseNameError",
    "RegFile",
    "Register",
    "Result",
    "Rule",
    "Self",
    "Word",
];

/// Generates a crate.
pub fn generate(isa: &Merged, options: &Options) -> Output {
    generated(isa, options, |_, _| {})
}

/// Generates a crate that executes instructions, too; returns the opcodes that it does not execute.
#[cfg(feature = "exec")]
pub fn generate_executing(
    isa: &Merged,
    options: &Options,
    behaviour: Behaviour<'_>,
) -> (Output, Vec<Refused>) {
    let mut refused = Vec::new();
    let output = generated(isa, options, |plan, code| {
        code.add_source("exec", exec::emit(plan, behaviour, &mut refused));
    });
    (output, refused)
}

fn generated(isa: &Merged, options: &Options, more: impl FnOnce(&Plan<'_>, &mut Code)) -> Output {
    let plan = whole::plan(isa);
    let mut code = code(&plan, options);
    more(&plan, &mut code);
    if options.traits == Traits::Implemented {
        let traits = traits::emit(&plan, options);
        code.add("traits", quote!(#![cfg(feature = "traits")] #traits));
    }
    if options.serde == Serde::Implemented {
        let serialize = serialize::emit(&plan);
        code.add("serialize", quote!(#![cfg(feature = "serde")] #serialize));
    }
    let mut output = Output::recorded("rust");
    output.add("Cargo.toml", manifest::cargo_toml(&plan, options));
    output.add("README.md", manifest::readme(&plan, options));
    output.add("rustfmt.toml", manifest::rustfmt_toml());
    output.add("src/lib.rs", file(manifest::lib(&plan, options, &code)));
    for module in code.modules {
        for (path, text) in module.source.files(module.name) {
            output.add(format!("src/{path}"), text);
        }
    }
    output
}

/// Generates the same code as a single module, for another crate.
pub fn module(isa: &Merged, options: &Options, head: ModuleHead) -> Module {
    module_with(isa, options, head, |_, _| {})
}

/// Generates a module that executes instructions, too; returns the opcodes that it does not execute.
#[cfg(feature = "exec")]
pub fn module_executing(
    isa: &Merged,
    options: &Options,
    head: ModuleHead,
    behaviour: Behaviour<'_>,
) -> (Module, Vec<Refused>) {
    let mut refused = Vec::new();
    let module = module_with(isa, options, head, |plan, code| {
        code.add_source("exec", exec::emit(plan, behaviour, &mut refused));
    });
    (module, refused)
}

fn module_with(
    isa: &Merged,
    options: &Options,
    head: ModuleHead,
    more: impl FnOnce(&Plan<'_>, &mut Code),
) -> Module {
    let plan = whole::plan(isa);
    let mut code = code(&plan, options);
    more(&plan, &mut code);
    if options.traits == Traits::Implemented {
        code.add("traits", traits::emit(&plan, options));
    }
    if options.serde == Serde::Implemented {
        code.add("serialize", serialize::emit(&plan));
    }
    Module::new(head, &plan, manifest::about(&plan), code)
}

/// The name of the module or crate of an instruction set, unless another is given.
pub fn name(isa: &Merged) -> String {
    manifest::default_name(isa.items())
}

/// The modules of the code, and the items beside them.
fn code(plan: &Plan<'_>, options: &Options) -> Code {
    let mut code = Code::new(manifest::items(plan, options));
    let parts = options.parts;
    code.add("types", types::emit(plan));
    code.add("opcode", opcode::emit(plan));
    code.add_text("tables", tables::emit(plan));
    code.add("inst", inst::emit(plan, options));
    code.add("operands", operands::emit(plan));
    code.add("error", error::emit(plan));
    engine(plan, parts, &mut code);
    code.add_text("image", emit::image(&plan.image, parts));
    if parts.decode == Emit::Yes {
        code.add("stream", stream::emit(plan));
    }
    rare_modules(plan, options, &mut code);
    if parts.text == Emit::Yes {
        code.add_text("text_tables", emit::texts(&plan.image.texts.view()));
        code.add("text", text::emit(plan));
    }
    if parts.flow == Emit::Yes {
        code.add_text("flow_tables", emit::flow_tables(&plan.image.flows.view()));
        code.add("flow", flow::emit(plan));
        code.add_text("value_tables", emit::values(&plan.image.values.view()));
        code.add_public("generic", generic::emit(plan));
    }
    if parts.parses() {
        code.add_text("parse_tables", emit::lines(&plan.image.lines.view()));
        code.add("parse", parse::emit(plan));
    }
    if parts.encode == Emit::Yes && options.constructors == Constructors::PerOpcode {
        code.add("construct", construct::emit(plan));
    }
    if options.views == Views::PerOptype {
        code.add_public("views", views::emit(plan));
    }
    for module in manifest::public_modules(plan, options) {
        code.publish(module);
    }
    code
}

/// The modules that only some instruction sets need.
fn rare_modules(plan: &Plan<'_>, options: &Options, code: &mut Code) {
    if !plan.generations.is_empty() {
        code.add("generation", opcode::generation(plan));
    }
    if plan.has_extensions() {
        code.add("extensions", extensions::emit(plan));
    }
    if control::Has::of(plan).any() {
        code.add("control", control::emit(plan, options.parts));
    }
    if !plan.merged.is_empty() {
        code.add_text("variant", include_str!("embedded/variant.rs").to_string());
    }
    if plan.has_bytes(options.parts) {
        code.add_text("bytes", include_str!("embedded/bytes.rs").to_string());
    }
}

/// The engine's own files, as they are but for the comment of generated files.
fn engine(plan: &Plan<'_>, parts: Parts, code: &mut Code) {
    let is_needed = |part: Part| match part {
        Part::Words => true,
        Part::Text => parts.text == Emit::Yes,
        Part::Flow => parts.flow == Emit::Yes,
        Part::Lines => parts.parses(),
    };
    let word = format!(
        "{HEADER}//! The type of instruction words.\n\n\
         /// An instruction word; bit 0 is the least significant.\n\
         pub type Word = u{};\n",
        plan.word_bits()
    );
    let files = isadl_engine::SOURCES.iter().filter(|source| is_needed(source.part));
    let files = files.map(|source| (source.module, format!("{HEADER}{}", embedded(source.text))));
    let mut modules: Vec<(&'static str, String)> = files.collect();
    modules.push(("word", word));
    modules.push(("set", set(plan)));
    modules.sort_unstable();
    let head = "//! The engine of isadl, which works by the tables in `image.rs`.\n\
                #![allow(dead_code, unreachable_pub, unused_imports, unused_macros, clippy::all)]\n\n";
    code.add_modules(module::ENGINE, head.to_string(), modules);
}

/// A file of the engine as a generated crate contains it: without the lines that say how it is stored in files.
fn embedded(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.contains("feature = \"serde\"")).collect()
}

/// The type of sets of extensions: nothing where there are none.
fn set(plan: &Plan<'_>) -> String {
    let own = match plan.has_extensions() {
        true => isadl_engine::SET.split_once("\n\n").map_or("", |(_, own)| own),
        false => NO_SETS,
    };
    format!("{HEADER}//! Sets of extensions.\n\n{own}")
}

/// Sets of extensions where there are none.
const NO_SETS: &str = "\
/// A set of extensions.
pub type Set = ();

/// A set of extensions, where it is known.
pub type KnownSet = ();

/// No set in particular.
pub const UNKNOWN: KnownSet = ();

/// A set that is known.
#[inline(always)]
pub const fn known(_set: Set) -> KnownSet {}

/// Whether a set has some extensions and lacks others.
#[inline(always)]
pub const fn has_known(_set: KnownSet, _needed: u64, _excluded: u64) -> bool {
    true
}

/// Whether a set has some extensions and lacks others.
#[inline(always)]
pub const fn has(_set: Set, _needed: u64, _excluded: u64) -> bool {
    true
}
";

/// The first line of every generated file.
const HEADER: &str = "// Generated by isadl from a specification; edit that instead.\n\n";
