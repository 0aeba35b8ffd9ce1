//! The Rust backend: a `no_std` crate without dependencies.
//!
//! `plan.rs` decides, the other modules print, one generated file each. Tables are the default
//! shape: what grows with the number of opcodes is data, code is written once, or once per
//! distinct field name and type.

mod construct;
mod decode;
mod docs;
mod emit;
mod encode;
mod exprs;
mod flow;
mod getters;
mod inst;
mod key;
mod layout;
mod legacy;
mod manifest;
mod merged;
mod module;
mod names;
mod number;
mod opcode;
mod operands;
mod plan;
mod tables;
mod text;
mod types;
mod views;

use isadl::isa::Isa;

use crate::output::Output;
use flow::FlowPlan;
use layout::file;
use module::Code;
pub use module::{Module, ModuleHead};
use plan::Plan;

/// What to generate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Which parts.
    pub parts: Parts,
    /// Whether each opcode gets a constructor.
    pub constructors: Constructors,
    /// Whether each optype gets a typed view.
    pub views: Views,
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
    /// What instructions read and write.
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

impl Default for Options {
    fn default() -> Options {
        Options {
            parts: Parts { decode: Emit::Yes, encode: Emit::Yes, text: Emit::Yes, flow: Emit::Yes },
            constructors: Constructors::PerOpcode,
            views: Views::None,
        }
    }
}

/// Names that types must not have: items that the modules take from the crate's root, and what
/// else is used beside the types. Items that are reached through a module of their own give way to
/// types instead; `manifest.rs` lists them.
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
    "OutOfRange",
    "ParseNameError",
    "RegFile",
    "Register",
    "Result",
    "Rule",
    "Self",
    "Some",
    "None",
    "Ok",
    "Err",
    "Word",
];

/// The parser of assembly text, of which only the tables are generated.
const PARSER: &[(&str, &str)] = &[
    ("parse", include_str!("embedded/parse.rs")),
    ("parse_line", include_str!("embedded/parse_line.rs")),
    ("parse_attempt", include_str!("embedded/parse_attempt.rs")),
    ("parse_modifiers", include_str!("embedded/parse_modifiers.rs")),
    ("parse_operand", include_str!("embedded/parse_operand.rs")),
    ("parse_value", include_str!("embedded/parse_value.rs")),
    ("parse_integer", include_str!("embedded/parse_integer.rs")),
    ("parse_cursor", include_str!("embedded/parse_cursor.rs")),
];

/// Generates a crate.
pub fn generate(isa: &Isa, options: &Options) -> Output {
    let plan = Plan::new(isa, options.parts);
    let code = code(&plan, options);
    let mut output = Output::recorded("rust");
    output.add("Cargo.toml", manifest::cargo_toml(&plan));
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

/// Generates the same code as one module, for someone else's crate.
pub fn module(isa: &Isa, options: &Options, head: ModuleHead) -> Module {
    let plan = Plan::new(isa, options.parts);
    Module::new(head, &plan, code(&plan, options))
}

/// The name of the module or crate of an instruction set, unless another is given.
pub fn name(isa: &Isa) -> String {
    manifest::crate_name(isa)
}

/// The modules of the code, and what stands beside them.
fn code(plan: &Plan<'_>, options: &Options) -> Code {
    let mut code = Code::new(manifest::items(plan, options));
    let parts = options.parts;
    code.add("types", types::emit(plan));
    code.add("opcode", opcode::emit(plan));
    let legacy = legacy::emit(plan);
    let attributes = quote::quote! {
        //! The data.

        #![allow(dead_code, unused_imports, unused_parens, clippy::all)]
        #legacy
    };
    code.add_text("tables", file(attributes) + &tables::emit(plan));
    code.add("inst", inst::emit(plan, options));
    code.add("operands", operands::emit(plan));
    code.add_text("error", embedded(plan, include_str!("embedded/error.rs")));
    engine(plan, &mut code);
    code.add(
        "support",
        quote::quote!(
            //! Fields of words.
            #![allow(unused_imports)]
            pub(crate) use super::engine::bits::*;
        ),
    );
    code.add_text("image", emit::image(&plan.image));
    if parts.decode == Emit::Yes {
        code.add_text("stream", embedded(plan, include_str!("embedded/stream.rs")));
    }
    rare_modules(plan, options, &mut code);
    if parts.text == Emit::Yes {
        code.add("text_tables", text::printer(plan));
        code.add_text("text", embedded(plan, include_str!("embedded/text.rs")));
        code.add_text("number", without_tests(include_str!("number.rs")));
    }
    if parts.flow == Emit::Yes {
        code.add("flow_tables", flow::emit(plan));
        code.add_text("flow", embedded(plan, include_str!("embedded/flow.rs")));
    }
    if parts.parses() {
        code.add("parse_tables", text::parser(plan));
        for (name, text) in PARSER {
            code.add_text(name, embedded(plan, text));
        }
        code.add_text("key", without_tests(include_str!("key.rs")));
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
    if !plan.merged.is_empty() {
        code.add_text("variant", include_str!("embedded/variant.rs").to_string());
    }
    if plan.has_bytes(options.parts) {
        code.add_text("bytes", include_str!("embedded/bytes.rs").to_string());
    }
}

/// The engine's own files, as they are.
fn engine(plan: &Plan<'_>, code: &mut Code) {
    let word = format!(
        "{HEADER}//! The type of instruction words.\n\n\
         /// An instruction word; bit 0 is the least significant.\n\
         pub type Word = u{};\n",
        plan.word_bits()
    );
    let files = isadl_engine::SOURCES.iter().map(|source| (source.module, source.text.to_string()));
    let mut modules: Vec<(&'static str, String)> = files.collect();
    modules.push(("word", word));
    modules.sort_unstable();
    let head = "//! The engine of isadl, which works by the tables in `image.rs`.\n\
                #![allow(dead_code, unreachable_pub, unused_imports, unused_macros, clippy::all)]\n\n";
    code.add_modules("engine", head.to_string(), modules);
}

/// A file that needs no tokens. What stands between `// if` with a condition and `// else` or
/// `// end` is for instruction sets for which it holds, what stands between `// else` and `// end`
/// for the others. Choices do not nest.
fn embedded(plan: &Plan<'_>, text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_kept = true;
    for line in text.lines() {
        match line.trim_start() {
            "// else" => is_kept = !is_kept,
            "// end" => is_kept = true,
            trimmed => match trimmed.strip_prefix("// if ") {
                Some(condition) => is_kept = holds(plan, condition),
                // What is left out leaves no second blank line.
                None if trimmed.is_empty() && kept.ends_with("\n\n") => {}
                None if is_kept => {
                    kept += line;
                    kept.push('\n');
                }
                None => {}
            },
        }
    }
    kept
}

/// The conditions of embedded files.
fn holds(plan: &Plan<'_>, condition: &str) -> bool {
    match condition {
        "generations" => !plan.generations.is_empty(),
        "ranks" => plan.has_ranks(),
        "words" => plan.has_words(),
        "aligned" => plan.has_aligned(),
        "bits" => plan.has_bits(),
        "rare" => plan.has_rare_text(),
        "guards" => plan.isa.opcodes().iter().any(|opcode| opcode.syntax.guard.is_some()),
        "narrow" => plan.word_bits() <= 64,
        "wide" => plan.has_long_texts(),
        "tables" | "rows" => true,
        "assembler rules" => plan.has_assembler_rules(),
        "specials" => plan.has_specials(),
        "masks" => plan.flows.iter().any(FlowPlan::has_mask),
        "memory" => plan.has_memory(),
        "other resources" => plan.has_specials() || plan.has_memory(),
        "lists" => plan.flows.iter().any(FlowPlan::has_lists),
        "shared" => plan.has_shared_bits(),
        "widths" => plan.varies_width(),
        "uniform" => !plan.varies_width(),
        // A misspelled condition is a fault of this crate, which the generated code shows.
        _ => false,
    }
}

/// The first line of every generated file.
const HEADER: &str = "// Generated by isadl from a specification; edit that instead.\n\n";

/// The embedded support code without its unit tests, which stay here.
fn without_tests(text: &str) -> String {
    let code = text.split("\n#[cfg(test)]").next().unwrap_or(text);
    HEADER.to_string() + code
}
