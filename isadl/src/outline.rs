//! The outline of a specification: where its items are written.

use crate::ast::{
    Definition, DefinitionKind, File, Layer, OperandStatementKind, OperandType, Rule,
};
use crate::isa::outline::{self, About, Item, ItemKind, Outline};
use crate::opcode_lock::Numbers;
use crate::source::{SourceMap, Span};

/// The outline of all definitions, whichever generations have them.
pub(crate) fn outline(sources: &SourceMap, files: &[File<'_>], numbers: &Numbers) -> Outline {
    let definitions = files.iter().flat_map(|file| &file.definitions);
    Outline {
        definitions: definitions.map(|one| definition(sources, one)).collect(),
        numbers: numbers.places().map(|(name, span)| (name.to_string(), span)).collect(),
    }
}

fn definition(sources: &SourceMap, written: &Definition<'_>) -> outline::Definition {
    let mut items = Vec::new();
    let kind = match &written.kind {
        DefinitionKind::Isa(_) => outline::DefinitionKind::Isa,
        DefinitionKind::RegFile(_) => outline::DefinitionKind::RegFile,
        DefinitionKind::Environment(_) => outline::DefinitionKind::Environment,
        DefinitionKind::Group(layer) => layered(layer, &mut items, outline::DefinitionKind::Group),
        DefinitionKind::Optype(layer) => {
            layered(layer, &mut items, outline::DefinitionKind::Optype)
        }
        DefinitionKind::Opcode(layer) => {
            layered(layer, &mut items, outline::DefinitionKind::Opcode)
        }
        DefinitionKind::Alias(layer) => layered(layer, &mut items, outline::DefinitionKind::Alias),
        DefinitionKind::BitFieldType(_)
        | DefinitionKind::OperandType(_)
        | DefinitionKind::Composite(_)
        | DefinitionKind::Immediate(_) => {
            values(sources, &written.kind, &mut items);
            outline::DefinitionKind::Type
        }
    };
    items.extend(written.prose.iter().map(|section| Item {
        kind: ItemKind::Section(section.kind),
        number: None,
        span: section.heading,
    }));
    let name = written.name;
    outline::Definition { kind, name: name.text.to_string(), span: name.span, items }
}

fn item(kind: ItemKind, number: Option<i128>, span: Span) -> Item {
    Item { kind, number, span }
}

/// The values of a type, and the parts of a composite.
fn values(sources: &SourceMap, of: &DefinitionKind<'_>, items: &mut Vec<Item>) {
    match of {
        DefinitionKind::BitFieldType(ty) => items.extend(ty.enumerators.iter().map(|value| {
            let kind = ItemKind::Value(value.name.text.to_string());
            item(kind, value.value.map(|int| int.value), value.name.span)
        })),
        DefinitionKind::OperandType(ty) => entries(sources, ty, items),
        DefinitionKind::Composite(ty) => items.extend(ty.parts.iter().map(|part| {
            let kind = ItemKind::Field(part.name.text.to_string());
            item(kind, Some(part.bits.low()), part.span)
        })),
        _ => {}
    }
}

fn entries(sources: &SourceMap, ty: &OperandType<'_>, items: &mut Vec<Item>) {
    items.extend(ty.entries.iter().map(|entry| {
        let text = sources.text(entry.span);
        let written = text.split(['=', '[']).next().unwrap_or(text).trim();
        item(ItemKind::Value(written.to_string()), Some(entry.value.value), entry.span)
    }));
}

/// Adds the statements of a layer; returns its kind.
fn layered(
    layer: &Layer<'_>,
    items: &mut Vec<Item>,
    kind: outline::DefinitionKind,
) -> outline::DefinitionKind {
    items.extend(layer.fields.iter().map(|field| {
        let kind = ItemKind::Field(field.name.text.to_string());
        item(kind, Some(field.bits.low()), field.span)
    }));
    items.extend(layer.fixes.iter().map(|fix| {
        let kind = ItemKind::Field(fix.name.text.to_string());
        item(kind, None, fix.span)
    }));
    items.extend(layer.rules.iter().map(|one| item(ItemKind::Rule(rule(one)), None, one.span)));
    items.extend(layer.operand_info.iter().flat_map(|statement| {
        let abouts = abouts(&statement.kind).iter();
        abouts.map(|about| item(ItemKind::Statement(*about), None, statement.span))
    }));
    kind
}

fn rule(rule: &Rule<'_>) -> outline::Rule {
    let end = rule.guard.as_ref().map_or(rule.span.end, |guard| guard.span.start);
    outline::Rule {
        kind: rule.kind.text.to_string(),
        message: rule.message.text.to_string(),
        condition: Span { start: rule.message.span.end, end, ..rule.span },
    }
}

/// The subjects of a statement on operands.
fn abouts(kind: &OperandStatementKind<'_>) -> &'static [About] {
    match kind {
        OperandStatementKind::InList(_) | OperandStatementKind::OutList(_) => {
            &[About::Flow, About::Operands]
        }
        OperandStatementKind::Reads(_)
        | OperandStatementKind::Writes(_)
        | OperandStatementKind::Partial(_)
        | OperandStatementKind::Flow { .. }
        | OperandStatementKind::Mask(..)
        | OperandStatementKind::Memory(_)
        | OperandStatementKind::Bitwidth(..) => &[About::Flow],
        OperandStatementKind::Order(_)
        | OperandStatementKind::Guard(_)
        | OperandStatementKind::Template(..)
        | OperandStatementKind::Short { .. }
        | OperandStatementKind::AsmFormat { .. } => &[About::Operands],
        OperandStatementKind::Mnemonic(_) | OperandStatementKind::Suffix(_) => &[About::Mnemonic],
        OperandStatementKind::ModiOrder(_) | OperandStatementKind::Modifier(..) => {
            &[About::Modifiers]
        }
    }
}
