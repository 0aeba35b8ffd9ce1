//! Operands and their lists: E0502 (required operand missing from `Order`), E0503 (lists
//! disagree), E0508 (no `Order` at all).
//!
//! Immediates need not be listed as read. An indirect operand is a single entry of `Order`, which
//! also covers its register and offset. Nothing is reported as missing from a list that has gaps.

use std::collections::{BTreeMap, HashSet};

use crate::ast::{self, Fixed, OperandRef};
use crate::check::semantics::is_derived;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old, names};
use crate::isa::{Access, FieldRole, FlowItem, FlowPlace, NameId, OperandLocation, TypeKind};
use crate::model::{CompositeOperand, Field, LayerKind, List, Model, Opcode};
use crate::source::Span;

/// The maximum number of missing operands of one `Order` that are shown as related places.
const PLACES_TOLD: usize = 8;

/// The operands missing from `Order` statements, by the statement's place: its keyword, the opcodes
/// that inherit it, and their fields.
type Missing<'m> = BTreeMap<Span, (&'static str, Vec<(&'m str, Vec<&'m Field<'m>>)>)>;

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut missing = Missing::new();
    let is_opcode = |opcode: &&Opcode<'_>| model.layer(opcode.layer).kind == LayerKind::Opcode;
    let is_short = |opcode: &Opcode<'_>| opcode.order.keyword("Order") != "Order";
    let has_short = model.opcodes.iter().any(is_short);
    for opcode in model.opcodes.iter().filter(is_opcode) {
        let Some(order) = opcode.order.statement else {
            no_order(model, opcode, has_short, diagnostics);
            continue;
        };
        if !opcode.order.has_gaps {
            let fields = unwritten(model, opcode);
            if !fields.is_empty() {
                let name = model.layer(opcode.layer).name.text;
                let keyword = opcode.order.keyword("Order");
                missing.entry(order.span).or_insert((keyword, Vec::new())).1.push((name, fields));
            }
            let lists = [(&opcode.inputs, "InList"), (&opcode.outputs, "OutList")];
            for (list, own) in lists {
                let word = list.keyword(own);
                listed_but_not_ordered(model, opcode, (list, word), order.span, diagnostics);
            }
        }
        let has_gaps = opcode.inputs.has_gaps || opcode.outputs.has_gaps;
        if !has_gaps && !is_derived(model, opcode) {
            ordered_but_not_listed(model, opcode, diagnostics);
        }
    }
    for (order, (keyword, opcodes)) in missing {
        diagnostics.push(absent((order, keyword), &opcodes));
    }
}

/// The operand fields of an opcode.
fn operands<'m>(
    model: &'m Model<'_>,
    opcode: &'m Opcode<'_>,
) -> impl Iterator<Item = &'m Field<'m>> {
    let fields = model.layer(opcode.layer).fields.iter().zip(&opcode.roles);
    let operands = fields.filter(|(_, role)| **role == Some(FieldRole::Operand));
    // A literal is written in place of its operand.
    operands.map(|(id, _)| model.field(*id)).filter(|field| !field.is_literal())
}

/// Reports an opcode whose operands are in no list; `has_short` is true if other opcodes have `Operands`.
fn no_order(
    model: &Model<'_>,
    opcode: &Opcode<'_>,
    has_short: bool,
    diagnostics: &mut Diagnostics,
) {
    let layer = model.layer(opcode.layer);
    let names: Vec<&str> = operands(model, opcode)
        .filter(|f| !is_fixed(model, opcode, f))
        .map(|field| field.ast.name.text)
        .collect();
    if names.is_empty() || opcode.order.has_gaps {
        return;
    }
    let has_lists = opcode.inputs.statement.is_some() || opcode.outputs.statement.is_some();
    let (keyword, article, more) = match has_short && !has_lists {
        true => {
            ("Operands", "", ", with `in`, `out` or `inout` before each that is read or written")
        }
        false => ("Order", "an ", ""),
    };
    let name = layer.name.text;
    let message = format!("opcode `{name}` has operands but does not have {article}`{keyword}`");
    let statement = format!("{keyword}<{}>;", names.join(", "));
    let help = format!("add `{statement}` to `__OperandInfo`{more}");
    let found = Diagnostic::new(Code::E0508, message, layer.name.span)
        .with_note(format!("`{keyword}` says in which order operands are written in assembly"))
        .with_change(
            help,
            Old::Section(layer.name.span, "__OperandInfo"),
            format!("\n    {statement}"),
        );
    diagnostics.push(found);
}

fn is_fixed(model: &Model<'_>, opcode: &Opcode<'_>, field: &Field<'_>) -> bool {
    let is_fixed = |binding: ast::Binding<'_>| binding.fixed == Fixed::Yes;
    field.ast.binding.is_some_and(is_fixed) || has_fix(model, opcode, field)
}

/// Whether a value is fixed outside the declaration, correctly or not.
fn has_fix(model: &Model<'_>, opcode: &Opcode<'_>, field: &Field<'_>) -> bool {
    let chain = model.layer(opcode.layer).chain.iter();
    let mut fixes = chain.flat_map(|id| &model.layer(*id).ast.fixes);
    fixes.any(|fix| fix.name.text == field.ast.name.text)
}

fn is_immediate(model: &Model<'_>, field: &Field<'_>) -> bool {
    let is_number =
        |kind: &TypeKind| matches!(kind, TypeKind::Immediate(_) | TypeKind::BitField(_));
    field.ty.is_none_or(|ty| is_number(&model.ty(ty).kind))
}

/// The names in `Order`, including those inside indirect operands.
fn written(model: &Model<'_>, opcode: &Opcode<'_>) -> HashSet<NameId> {
    let names = opcode.operands.iter().flat_map(|operand| match operand.place {
        OperandLocation::Field(name) => [Some(name), None],
        OperandLocation::File(_) => [None, None],
        OperandLocation::Indirect { base, offset, .. } => [Some(base), offset],
    });
    let names: Vec<NameId> = names.flatten().collect();
    let views = opcode.composite_operands.iter().filter(|view| names.contains(&view.name));
    let parts = views.flat_map(|view| &view.parts).map(|field| model.field(*field).name);
    parts.chain(names.iter().copied()).collect()
}

/// The operands that must be in `Order` but are not.
fn unwritten<'m>(model: &'m Model<'_>, opcode: &'m Opcode<'_>) -> Vec<&'m Field<'m>> {
    let written = written(model, opcode);
    operands(model, opcode)
        .filter(|field| field.ast.binding.is_none() && !has_fix(model, opcode, field))
        .filter(|field| !written.contains(&field.name))
        .collect()
}

/// A single finding for an `Order`, however many operands of however many opcodes are missing.
fn absent((order, keyword): (Span, &str), opcodes: &[(&str, Vec<&Field<'_>>)]) -> Diagnostic {
    let mut missing: Vec<&str> = Vec::new();
    let mut seen = HashSet::new();
    let mut places = Vec::new();
    for (opcode, fields) in opcodes {
        for field in fields {
            let name = field.ast.name.text;
            if seen.insert(field.ast.span) {
                places.push((field.ast.span, *opcode));
                if !missing.contains(&name) {
                    missing.push(name);
                }
            }
        }
    }
    let more = missing.len().saturating_sub(PLACES_TOLD);
    let told = names(&missing[..missing.len() - more]);
    let more = if more == 0 { String::new() } else { format!(" and {more} others") };
    let (what, verb) = if missing.len() == 1 { ("operand", "is") } else { ("operands", "are") };
    let of = match opcodes {
        [(opcode, _)] => format!("of `{opcode}` "),
        _ => format!("of {} opcodes ", opcodes.len()),
    };
    let message = format!("{what} {told}{more} {of}{verb} not in `{keyword}`");
    let mut diagnostic = Diagnostic::new(Code::E0502, message, order)
        .with_help(format!("add the missing operand to `{keyword}`, or give it a default"));
    for (span, opcode) in places.into_iter().take(PLACES_TOLD) {
        let why = format!("has no default, so it must be written in `{opcode}`");
        diagnostic = diagnostic.with_related(span, why);
    }
    diagnostic
}

fn listed_but_not_ordered(
    model: &Model<'_>,
    opcode: &Opcode<'_>,
    (list, word): (&List<'_>, &str),
    order: Span,
    diagnostics: &mut Diagnostics,
) {
    let written = written(model, opcode);
    let ordered = opcode.order.keyword("Order");
    for (operand, place) in list.entries().iter().zip(&list.places) {
        let (OperandRef::Name(name), Some(place)) = (operand, place) else { continue };
        let may_be_absent = match place {
            OperandLocation::Field(id) => {
                let field = model.find_field(opcode.layer, *id).map(|id| model.field(id));
                // A required operand was reported as missing from `Order`.
                let is_free = |field: &Field<'_>| {
                    field.ast.binding.is_none()
                        || is_immediate(model, field)
                        || is_fixed(model, opcode, field)
                };
                written.contains(id) || field.is_none_or(is_free)
            }
            // A register file that is not in `Order` is read or written implicitly.
            OperandLocation::File(_) => true,
            place => opcode.operands.iter().any(|operand| operand.place == *place),
        };
        if may_be_absent {
            continue;
        }
        diagnostics.push(
            Diagnostic::new(
                Code::E0503,
                format!("`{}` is in `{word}` but not in `{ordered}`", name.text),
                name.span,
            )
            .with_related(order, "this is the order of the operands")
            .with_removal(
                format!("add `{}` to `{ordered}`, or remove it here", name.text),
                Old::Entry(name.span),
            ),
        );
    }
}

/// Reports operands that are neither read nor written.
pub(in crate::check) fn ordered_but_not_listed(
    model: &Model<'_>,
    opcode: &Opcode<'_>,
    diagnostics: &mut Diagnostics,
) {
    let entries = opcode.order.entries().iter().zip(&opcode.order.places);
    let known = entries.filter_map(|(operand, place)| Some((operand, (*place)?)));
    for ((operand, place), resolved) in known.zip(&opcode.operands) {
        let OperandRef::Name(name) = operand else { continue };
        let field = match place {
            OperandLocation::Field(id) => {
                model.find_field(opcode.layer, id).map(|id| model.field(id))
            }
            _ => None,
        };
        let is_view = |view: &CompositeOperand| OperandLocation::Field(view.name) == place;
        // `Reads` and `Writes` say in which words it is read or written.
        let is_conditional = |item: &FlowItem| match (item.place, place) {
            (FlowPlace::Field(own), OperandLocation::Field(id)) => {
                own == id && item.access != Access::None
            }
            _ => false,
        };
        if resolved.access != Access::None
            || opcode.flow.iter().any(is_conditional)
            || field.is_some_and(|field| is_immediate(model, field))
            || opcode.composite_operands.iter().any(is_view)
        {
            continue;
        }
        let note = "every operand except an immediate is read or written";
        let (message, help) = unlisted(opcode, name.text);
        let mut diagnostic =
            Diagnostic::new(Code::E0503, message, name.span).with_note(note).with_help(help);
        let lists =
            [(&opcode.inputs, "the operands read"), (&opcode.outputs, "the operands written")];
        let order = opcode.order.statement.map(|order| order.span);
        for (list, text) in lists {
            if let Some(statement) = list.statement.filter(|list| Some(list.span) != order) {
                diagnostic = diagnostic.with_related(statement.span, text);
            }
        }
        diagnostics.push(diagnostic);
    }
}

/// The problem of an operand that is only in the order, and the fix.
fn unlisted(opcode: &Opcode<'_>, name: &str) -> (String, String) {
    let order = opcode.order.keyword("Order");
    let (read, written) = (opcode.inputs.keyword("InList"), opcode.outputs.keyword("OutList"));
    let neither = format!("`{name}` is neither read nor written");
    if read == written && read == order {
        (neither, "write `in`, `out` or `inout` before it".to_string())
    } else if read == written {
        let message = format!("`{name}` is in `{order}`, but not in `{read}`");
        (message, format!("add `{name}` to `{read}`"))
    } else if read == order || written == order {
        let other = if read == order { written } else { read };
        (neither, format!("mark it as read or written in `{order}` or `{other}`"))
    } else {
        let message =
            format!("`{name}` is in `{order}`, but neither in `{read}` nor in `{written}`");
        (message, format!("add `{name}` to the list it belongs to"))
    }
}
