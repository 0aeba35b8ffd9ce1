//! Unused definitions: W0211 (type), W0212 (definition without opcodes), W0213 (register
//! file), W0214 (field of a placeholder). A definition that a reported statement names, or may have meant, is not reported.

use std::collections::{BTreeSet, HashSet};

use crate::check::semantics;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old};
use crate::isa::{FlowPlace, Meaning, OperandLocation, TypeKind};
use crate::model::{Layer, LayerKind, Model};
use crate::source::Span;

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    types(model, diagnostics);
    layers(model, diagnostics);
    reg_files(model, diagnostics);
    placeholders(model, diagnostics);
}

fn types(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut used = vec![false; model.types.len()];
    for ty in model.fields.iter().filter_map(|field| field.ty) {
        used[ty.index()] = true;
    }
    for ty in &model.types {
        ty.ty.made_of().for_each(|ty| used[ty.index()] = true);
    }
    model.included.iter().for_each(|ty| used[ty.index()] = true);
    // A field that could not be parsed may have any type.
    let is_unresolved =
        |layer: &Layer<'_>| layer.broken.has("field") || layer.broken.has("control");
    if model.layers.iter().any(is_unresolved) {
        return;
    }
    let unused = model.types.iter().zip(used).filter(|(ty, used)| !used && !ty.is_view);
    for (ty, _) in unused {
        let name = ty.name.text;
        if model.unresolved.contains(name) {
            continue;
        }
        diagnostics.push(
            Diagnostic::new(Code::W0211, format!("type `{name}` is never used"), ty.name.span)
                .with_removal(
                    "remove the type, or use it for a field",
                    Old::Definition(ty.name.span),
                ),
        );
    }
}

fn layers(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut used = vec![false; model.layers.len()];
    for layer in model.layers.iter().filter(|layer| layer.kind == LayerKind::Opcode) {
        layer.chain.iter().for_each(|id| used[id.0 as usize] = true);
    }
    // An alias is a layer below each opcode that has it, in addition to the layer that defines it.
    let aliases = model.layers.iter().filter(|layer| layer.alias_of.is_some());
    let applied: HashSet<Span> = aliases.map(|layer| layer.header).collect();
    for (layer, used) in model.layers.iter().zip(&mut used) {
        *used |= applied.contains(&layer.header);
    }
    // A layer with a missing parent may have been meant as a child of any layer.
    let lacking = model.layers.iter().filter(|layer| layer.lacks_parent);
    let lacking: Vec<LayerKind> = lacking.map(|layer| layer.kind).collect();
    for (layer, _) in model.layers.iter().zip(used).filter(|(_, used)| !used) {
        let is_uncertain = lacking.iter().any(|kind| kind.takes(layer.kind))
            || model.unresolved.contains(layer.name.text);
        // Only the lowest layer without opcodes is reported; layers above it are a consequence.
        let is_alias = layer.kind == LayerKind::Alias;
        if layer.has_children || is_uncertain || is_alias && layer.lacks_parent {
            continue;
        }
        let help = match is_alias {
            true => "name opcodes, or groups and optypes with opcodes, or remove it",
            false => "add a `__DefOpcode` below it, or remove it",
        };
        let what = layer.kind.as_str();
        diagnostics.push(
            Diagnostic::new(
                Code::W0212,
                format!("{what} `{}` does not have any opcodes", layer.name.text),
                layer.name.span,
            )
            .with_note("it does not describe any instruction")
            .with_removal(help, Old::Definition(layer.name.span)),
        );
    }
}

fn reg_files(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut used = vec![false; model.reg_files.len()];
    for ty in &model.types {
        let TypeKind::Operand(entries) = &ty.ty.kind else { continue };
        for entry in entries {
            if let Meaning::Registers { file, .. }
            | Meaning::Register { file, .. }
            | Meaning::Constant { file, .. } = &entry.meaning
            {
                used[file.index()] = true;
            }
        }
    }
    let lists = model.opcodes.iter().flat_map(|o| [&o.inputs, &o.outputs, &o.order]);
    for place in lists.flat_map(|list| list.places.iter().flatten()) {
        if let OperandLocation::File(file) = place {
            used[file.index()] = true;
        }
    }
    for item in model.opcodes.iter().flat_map(|opcode| &opcode.flow) {
        if let FlowPlace::Mask { file, .. }
        | FlowPlace::File(file)
        | FlowPlace::Register { file, .. } = item.place
        {
            used[file.index()] = true;
        }
    }
    for register in model.environments.iter().flat_map(|one| one.made.registers()) {
        used[register.file.index()] = true;
    }
    let unused = model.reg_files.iter().zip(used).filter(|(_, used)| !used);
    let in_programs = semantics::words(model);
    let is_named = |name: &str| model.unresolved.contains(name) || in_programs.contains(name);
    for (file, _) in unused.filter(|(file, _)| !is_named(file.name.text)) {
        diagnostics.push(
            Diagnostic::new(
                Code::W0213,
                format!("register file `{}` is never used", file.name.text),
                file.name.span,
            )
            .with_removal(
                "remove it, or name it in an operand type or list",
                Old::Definition(file.name.span),
            ),
        );
    }
}

fn placeholders(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let fields: BTreeSet<&str> = model.fields.iter().map(|field| field.ast.name.text).collect();
    let given = model.isa.iter().flat_map(|isa| isa.placeholders);
    for name in given.flat_map(|placeholder| &placeholder.fields) {
        if fields.contains(name.text) || model.unresolved.contains(name.text) {
            continue;
        }
        let message = format!("no instruction has a field `{}`", name.text);
        diagnostics.push(
            Diagnostic::new(Code::W0214, message, name.span)
                .with_suggestion(name.text, &fields)
                .with_removal(
                    "remove the name from the placeholder, or correct it",
                    Old::Entry(name.span),
                ),
        );
    }
}
