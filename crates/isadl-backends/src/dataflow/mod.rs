//! The data-flow backend: the reads and writes of every opcode, as JSON with a schema and as CSV.
//!
//! A row is an access of an opcode in the generations that share it. Rows are in order of opcode numbers. Within an
//! opcode, they are in the order of its specification. They do not depend on the order of files or of a hash map.

use std::borrow::Cow;

use isadl_ir::isa::{
    Access, FlowItem, FlowPlace, Isa, Meaning, Merged, Opcode, RegFileId, TypeId, TypeKind,
};
use serde::Serialize;

use crate::output::Output;
use crate::wording::width::widths;
use crate::wording::{expressions, part_name};

/// The schema of `dataflow.json`, JSON Schema 2020-12.
pub const SCHEMA: &str = include_str!("dataflow.schema.json");

/// Generates the tables of an instruction set.
pub fn generate(isa: &Merged) -> Output {
    let table = table(isa.items());
    let mut output = Output::recorded("dataflow");
    output.add("dataflow/dataflow.json", json(&table));
    output.add("dataflow/dataflow.csv", csv(&table));
    output.add("dataflow/dataflow.schema.json", SCHEMA.to_string());
    output
}

#[derive(Serialize)]
struct Table<'i> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    isa: &'i str,
    generations: &'i [String],
    register_files: Vec<File<'i>>,
    special_registers: &'i [String],
    opcodes: Vec<OpcodeRow<'i>>,
}

#[derive(Serialize)]
struct File<'i> {
    name: &'i str,
    /// Bits in a register.
    width: u32,
    count: u32,
}

#[derive(Serialize)]
struct OpcodeRow<'i> {
    name: &'i str,
    number: u16,
    mnemonic: &'i str,
    generations: Vec<&'i str>,
    /// Whether it is the form with a literal.
    literal: bool,
    guard: Option<Cow<'i, str>>,
    accesses: Vec<AccessRow<'i>>,
}

#[derive(Serialize)]
struct AccessRow<'i> {
    /// The field, the part of a composite, or the register file.
    operand: Cow<'i, str>,
    role: &'static str,
    resource: &'static str,
    /// The register files that the operand may belong to.
    files: Vec<&'i str>,
    /// The special registers that the access can refer to.
    specials: Vec<&'i str>,
    #[serde(rename = "type")]
    ty: Option<&'i str>,
    access: &'static str,
    /// Whether it depends on the guard.
    conditional: bool,
    partial: bool,
    /// For which words it happens.
    #[serde(rename = "if")]
    condition: Option<String>,
    /// All possible numbers of data bits; empty if they are not given.
    widths: Vec<u32>,
}

fn table(isa: &Isa) -> Table<'_> {
    let mut opcodes: Vec<&Opcode> = isa.opcodes().iter().collect();
    opcodes.sort_by_key(|opcode| (opcode.number, opcode.generations.first(), opcode.width));
    Table {
        schema: "dataflow.schema.json",
        isa: isa.name(),
        generations: isa.generations(),
        register_files: isa
            .reg_files()
            .iter()
            .map(|file| File { name: &file.name, width: file.width, count: file.count })
            .collect(),
        special_registers: isa.specials(),
        opcodes: opcodes.into_iter().map(|opcode| opcode_row(isa, opcode)).collect(),
    }
}

fn opcode_row<'i>(isa: &'i Isa, opcode: &'i Opcode) -> OpcodeRow<'i> {
    let guard = opcode.flow.iter().find(|item| item.is_guard);
    OpcodeRow {
        name: &opcode.name,
        number: opcode.number,
        mnemonic: &opcode.syntax.mnemonic,
        generations: isa.generation_names(opcode.generations).collect(),
        literal: opcode.has_literal(),
        guard: guard.map(|item| operand_name(isa, opcode, item)),
        accesses: opcode.flow.iter().map(|item| access_row(isa, opcode, item)).collect(),
    }
}

fn access_row<'i>(isa: &'i Isa, opcode: &'i Opcode, item: &FlowItem) -> AccessRow<'i> {
    let ty = match item.place {
        FlowPlace::Field(name) => opcode.field(name).map(|field| field.ty),
        FlowPlace::Part { field, part } => {
            opcode.field(field).and_then(|field| isa.part(field, part)).map(|part| part.ty)
        }
        _ => None,
    };
    let is_shown = opcode.operands.iter().any(|operand| match item.place {
        FlowPlace::Field(name) | FlowPlace::Part { field: name, .. } => {
            let views = opcode.composite_operands.iter().filter(|view| view.parts.contains(&name));
            let mut names = views.map(|view| view.name).chain([name]);
            names.any(|name| operand.place == isadl_ir::isa::OperandLocation::Field(name))
        }
        FlowPlace::File(file) => operand.place == isadl_ir::isa::OperandLocation::File(file),
        FlowPlace::Register { .. } => false,
        FlowPlace::Indirect { .. } => true,
        FlowPlace::Mask { .. } => false,
    });
    let is_control = matches!(
        item.place,
        FlowPlace::Field(name)
            | FlowPlace::Part { field: name, .. }
            | FlowPlace::Mask { field: name, .. }
            if opcode.field(name).is_some_and(|f| f.role == isadl_ir::isa::FieldRole::Control)
    );
    let role = match (item.is_guard, is_control, is_shown) {
        (true, _, _) => "guard",
        (_, true, _) => "control",
        (_, _, true) => "operand",
        _ => "implicit",
    };
    let has_guard = opcode.flow.iter().any(|item| item.is_guard);
    AccessRow {
        operand: operand_name(isa, opcode, item),
        role,
        resource: resource(isa, item.place, ty),
        files: files(isa, item.place, ty),
        specials: ty.map_or(Vec::new(), |ty| specials(isa, ty)),
        ty: ty.map(|ty| isa.ty(ty).name.as_str()),
        access: match item.access {
            Access::None | Access::Read => "read",
            Access::Write => "write",
            Access::ReadWrite => "read-write",
        },
        conditional: has_guard && !item.is_always,
        partial: item.is_partial,
        condition: item
            .condition
            .map(|condition| expressions::text(isa, opcode, isa.expr(condition))),
        widths: widths(isa, opcode, item),
    }
}

fn operand_name<'i>(isa: &'i Isa, opcode: &Opcode, item: &FlowItem) -> Cow<'i, str> {
    match item.place {
        FlowPlace::Field(name) | FlowPlace::Mask { field: name, .. } => isa.name_of(name).into(),
        FlowPlace::Part { field, part } => part_name(isa, opcode, field, part).into(),
        FlowPlace::File(file) => isa.reg_files()[file.index()].name.as_str().into(),
        FlowPlace::Register { file, number } => {
            format!("{}[{number}]", isa.reg_files()[file.index()].name).into()
        }
        FlowPlace::Indirect { base, .. } => isa.name_of(base).into(),
    }
}

fn resource(isa: &Isa, place: FlowPlace, ty: Option<TypeId>) -> &'static str {
    match (place, ty.map(|ty| &isa.ty(ty).kind)) {
        (FlowPlace::Field(_), Some(TypeKind::Composite(_))) => "memory",
        (FlowPlace::Field(_) | FlowPlace::Part { .. }, _) => "registers",
        (FlowPlace::File(_), _) => "file",
        (FlowPlace::Register { .. }, _) => "registers",
        (FlowPlace::Indirect { .. }, _) => "some register",
        (FlowPlace::Mask { .. }, _) => "registers by mask",
    }
}

fn files(isa: &Isa, place: FlowPlace, ty: Option<TypeId>) -> Vec<&str> {
    let name = |file: RegFileId| isa.reg_files()[file.index()].name.as_str();
    match place {
        FlowPlace::File(file)
        | FlowPlace::Register { file, .. }
        | FlowPlace::Indirect { file, .. }
        | FlowPlace::Mask { file, .. } => vec![name(file)],
        FlowPlace::Field(_) | FlowPlace::Part { .. } => {
            let mut names: Vec<&str> = Vec::new();
            for meaning in ty.into_iter().flat_map(|ty| meanings(isa, ty)) {
                if let Meaning::Registers { file, .. } | Meaning::Register { file, .. } = meaning
                    && !names.contains(&name(*file))
                {
                    names.push(name(*file));
                }
            }
            names
        }
    }
}

fn specials(isa: &Isa, ty: TypeId) -> Vec<&str> {
    let special = |meaning: &'_ Meaning| match meaning {
        Meaning::Special(name) => isa.specials().iter().find(|known| *known == name),
        _ => None,
    };
    meanings(isa, ty).filter_map(special).map(String::as_str).collect()
}

fn meanings(isa: &Isa, ty: TypeId) -> impl Iterator<Item = &Meaning> {
    let entries = match &isa.ty(ty).kind {
        TypeKind::Operand(entries) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().map(|entry| &entry.meaning)
}

fn json(table: &Table<'_>) -> String {
    // Strings and numbers always serialize.
    serde_json::to_string_pretty(table).unwrap_or_default() + "\n"
}

/// One row per access; the first line names the columns.
fn csv(table: &Table<'_>) -> String {
    let mut text = String::from(
        "opcode,number,literal,generations,mnemonic,operand,role,resource,files,specials,access,conditional,partial,widths,if\n",
    );
    for opcode in &table.opcodes {
        for access in &opcode.accesses {
            let widths: Vec<String> = access.widths.iter().map(u32::to_string).collect();
            let number = opcode.number.to_string();
            let condition = access.condition.as_deref().map_or(String::new(), quoted);
            let columns: [&str; 15] = [
                opcode.name,
                &number,
                yes_no(opcode.literal),
                &opcode.generations.join(" "),
                opcode.mnemonic,
                &access.operand,
                access.role,
                access.resource,
                &access.files.join(" "),
                &access.specials.join(" "),
                access.access,
                yes_no(access.conditional),
                yes_no(access.partial),
                &widths.join(" "),
                &condition,
            ];
            // Names do not contain commas or quotes.
            text += &columns.join(",");
            text.push('\n');
        }
    }
    text
}

/// A text that may contain commas and quotes, as CSV writes it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn yes_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}
