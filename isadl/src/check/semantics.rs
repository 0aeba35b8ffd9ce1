//! Programs that say what instructions do: collects the texts of each opcode's chain, and has them checked.

use std::collections::HashSet;

use isadl_semantics::syntax::{Line, ast::Program, parse};
use isadl_semantics::trials::Stated;
use isadl_semantics::{Checked, Declared, Layer, Subject};

use super::Context;
use crate::ast::{Access, Ident, OperandRef, OperandStatementKind, Section, SectionKind};
use crate::diagnostic::Diagnostics;
use crate::lower::Lowered;
use crate::model::{self, LayerId, LayerKind, Model};
use crate::prose;
use crate::prove::Effort;

/// Checks the programs of all opcodes, and environments against them. `is_fixed` says that extensions were left out.
pub(crate) fn semantics(
    lowered: &Lowered<'_, '_>,
    effort: Effort,
    is_fixed: bool,
    diagnostics: &mut Diagnostics,
) -> Checked {
    let context = Context::new(lowered);
    let layers = context.model.layers.iter();
    let mut layers: Vec<Layer<'_>> =
        layers.map(|layer| of_layer(&context, layer, diagnostics)).collect();
    // Laws outside of layers use the names of the first group.
    if let Some(first) = layers.first_mut() {
        let general = super::text::general(context.model);
        first.stated.extend(general.flat_map(|one| stated(one, diagnostics)));
    }
    let subjects = context.isa.opcode_ids().zip(context.opcodes);
    let subjects = subjects.map(|(opcode, from)| Subject {
        opcode,
        layer: from.layer.0 as usize,
        lists: [&from.inputs, &from.outputs]
            .into_iter()
            .find_map(|list| Some(list.statement?.span)),
        declared: additions(context.model, from.layer),
        is_derived: is_derived(context.model, from),
    });
    let subjects: Vec<Subject> = subjects.collect();
    let is_checked =
        |layer: &Layer<'_>| !layer.program.statements.is_empty() || !layer.stated.is_empty();
    let checked = match layers.iter().any(is_checked) {
        true => isadl_semantics::check(context.isa, &layers, &subjects, effort, diagnostics),
        false => Checked::default(),
    };
    without_program(&context, &subjects, &checked, diagnostics);
    // Texts that cannot be read may declare anything, and so may those that the set of extensions lacks.
    if !is_fixed && !layers.iter().any(|layer| layer.is_broken) {
        super::environments::check(&context, &checked, diagnostics);
    }
    checked
}

/// What `Reads` and `Writes` of a chain name.
fn additions(model: &Model<'_>, layer: LayerId) -> Vec<Declared> {
    let statements = model.layer(layer).chain.iter().flat_map(|id| {
        let layer = model.layer(*id);
        &layer.ast.operand_info
    });
    let entries = statements.filter_map(|statement| match &statement.kind {
        OperandStatementKind::Reads(list) => Some((list, false)),
        OperandStatementKind::Writes(list) => Some((list, true)),
        _ => None,
    });
    let declared = |entry: &Access<'_>, is_write| {
        let (name, span) = match &entry.operand {
            OperandRef::Name(name) => (name.text.to_string(), name.span),
            OperandRef::Numbered(of) => (format!("{}[{}]", of.file.text, of.number.value), of.span),
            // Which register that is, an operand says.
            OperandRef::Indirect(_) => return None,
        };
        Some(Declared { name, is_write, span })
    };
    let all = entries.flat_map(|(list, is_write)| list.iter().map(move |entry| (entry, is_write)));
    all.filter_map(|(entry, is_write)| declared(entry, is_write)).collect()
}

/// Whether an opcode takes its reads and writes from its program: it declares none, and its chain has a program.
pub(super) fn is_derived(model: &Model<'_>, opcode: &model::Opcode<'_>) -> bool {
    let lists = [&opcode.inputs, &opcode.outputs];
    let layer = model.layer(opcode.layer);
    let has_text =
        |id: &LayerId| texts(model, model.layer(*id)).iter().any(|text| !text.is_empty());
    opcode.flow.is_empty()
        && opcode.guard.is_none()
        && lists.iter().all(|list| list.entries().is_empty())
        && model.is_checked(layer)
        && layer.chain.iter().any(has_text)
}

/// Reports operands that no list names, of opcodes without a program.
fn without_program(
    context: &Context<'_, '_>,
    subjects: &[Subject],
    checked: &Checked,
    diagnostics: &mut Diagnostics,
) {
    if diagnostics.has_errors() {
        return;
    }
    let lacks = |subject: &&Subject| {
        let programs = checked.opcodes.get(subject.opcode.index());
        subject.is_derived && programs.is_none_or(Vec::is_empty)
    };
    for subject in subjects.iter().filter(lacks) {
        let from = context.opcodes[subject.opcode.index()];
        let mut found = Diagnostics::default();
        super::model::operand_lists::ordered_but_not_listed(context.model, from, &mut found);
        let layer = context.model.layer(from.layer);
        for own in found.iter() {
            let why = format!("`{}` has no program that says so", layer.name.text);
            diagnostics.push(own.clone().with_related(layer.header, why));
        }
    }
}

/// The programs of a layer, one after the other.
fn of_layer<'a>(
    context: &Context<'_, 'a>,
    layer: &model::Layer<'a>,
    diagnostics: &mut Diagnostics,
) -> Layer<'a> {
    let chain = layer.chain.iter().map(|id| id.0 as usize).collect();
    let (mut program, mut found) = (Program::default(), Diagnostics::default());
    let texts = texts(context.model, layer);
    for lines in &texts {
        program.statements.extend(parse(lines, &mut found).statements);
    }
    let is_broken = found.has_errors();
    diagnostics.extend(found.iter().cloned());
    Layer {
        name: layer.name.text.to_string(),
        header: layer.header,
        chain,
        lines: texts.concat(),
        program,
        is_broken,
        stated: if layer.alias_of.is_some() {
            Vec::new()
        } else {
            stated(layer.prose, diagnostics)
        },
    }
}

/// The examples with claims, and the laws, in some prose.
fn stated<'a>(sections: &[Section<'a>], diagnostics: &mut Diagnostics) -> Vec<Stated<'a>> {
    let line = |line: &Ident<'a>| Line { text: line.text, span: line.span };
    let mut found = Vec::new();
    for example in sections.iter().flat_map(prose::examples) {
        let (code, Some(claims)) = prose::claimed(example) else { continue };
        let code = Some(code).filter(|code| !code.text.is_empty());
        let (code, claims) = (code.iter().map(line).collect(), [line(&claims)]);
        found.extend(Stated::read((example.span, false), code, &claims, diagnostics));
    }
    for law in sections.iter().flat_map(prose::laws) {
        let code = law.instructions.iter().map(line).collect();
        let claims: Vec<Line<'a>> = law.claims.iter().map(line).collect();
        found.extend(Stated::read((law.opening, true), code, &claims, diagnostics));
    }
    found
}

/// The lines of each program of a layer.
fn texts<'a>(model: &Model<'a>, layer: &model::Layer<'a>) -> Vec<Vec<Line<'a>>> {
    // An alias is another text of an opcode, and does what the opcode does.
    if layer.kind == LayerKind::Alias {
        return Vec::new();
    }
    let is_checked = model.is_checked(layer);
    let sections = layer.prose.iter().filter(|section| section.kind == SectionKind::Semantics);
    let programs = sections.flat_map(|section| prose::programs(section, is_checked));
    let line = |line: &Ident<'a>| Line { text: line.text, span: line.span };
    programs.map(|lines| lines.iter().map(line).collect()).collect()
}

/// The words in the programs of all layers.
pub(super) fn words<'a>(model: &Model<'a>) -> HashSet<&'a str> {
    let lines = model.layers.iter().flat_map(|layer| texts(model, layer)).flatten();
    let is_sign = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    lines.flat_map(|line| line.text.split(is_sign)).collect()
}
