//! Hover text for the name under the pointer, and inlay hints.

use lsp_types as lsp;

use crate::compiled::Compiled;
use crate::index::{DefId, Index};
use crate::programs::{self, hover::Types};
use crate::symbols::{Def, Space};

/// The most values of a type that are listed.
const MOST_VALUES: usize = 40;

/// The hover text for the name at a position.
pub(crate) fn hover(
    index: &Index,
    compiled: Option<&Compiled>,
    (file, at): (usize, usize),
) -> Option<lsp::Hover> {
    let types = programs::hover::types(index, compiled, (file, at));
    let named = index.at(file, at);
    let (value, place) = match &named {
        Some((found, place)) => {
            let mut value = match found.as_slice() {
                [] => programs::hover::word(index, file, at).unwrap_or_default(),
                found => all_described(index, compiled, found),
            };
            let text = &index.files[file].text.text;
            let is_type = |types: &Types| {
                types.place.start == place.start && is_about(text, types, place.end)
            };
            if let Some(types) = types.filter(is_type) {
                value = format!("{value}\n\n{}", types.text).trim_start().to_string();
            }
            (value, place.start..place.end)
        }
        None => types.map(|types| (types.text, types.place))?,
    };
    (!value.is_empty()).then(|| lsp::Hover {
        contents: lsp::HoverContents::Markup(lsp::MarkupContent {
            kind: lsp::MarkupKind::Markdown,
            value,
        }),
        range: Some(index.files[file].text.range(place)),
    })
}

/// Whether types belong to a name: to the name alone, or to the call, indexing or assignment that begins with it.
fn is_about(text: &str, types: &Types, end: usize) -> bool {
    let after = text[end..].trim_start();
    let is_assigned = after.starts_with('=') && !after.starts_with("==");
    types.place.end == end || is_assigned || after.starts_with(['(', '['])
}

fn all_described(index: &Index, compiled: Option<&Compiled>, found: &[DefId]) -> String {
    let mut value = described(index, compiled, found[0]);
    for other in found.iter().skip(1).take(2) {
        value += "\n\n---\n\n";
        value += &head(index.def(*other));
    }
    value
}

fn head(def: &Def) -> String {
    let head = def.head.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("```isadl\n{head}\n```")
}

fn described(index: &Index, compiled: Option<&Compiled>, id: DefId) -> String {
    let def = index.def(id);
    let mut text = head(def);
    let owner = def.owner.map(|owner| index.def((id.0, owner)));
    if let Some(owner) = owner {
        text += &format!("\n\n{} of `{}`", kind(def), owner.name);
    }
    if def.is_made {
        text += &format!("\n\n{}", made_of(index, def));
    }
    if !def.doc.is_empty() {
        text += &format!("\n\n{}", def.doc);
    }
    match def.space {
        Space::Layer => {
            if let Some(picture) = compiled.and_then(|compiled| compiled.picture(&def.name)) {
                text += &format!("\n\n{picture}");
            } else {
                text += &fields(index, id);
            }
        }
        Space::Type => text += &values(index, &def.name),
        Space::Field => {
            if let Some(ty) = &def.ty {
                let of_type = index.named(Space::Type, ty).first().map(|id| index.def(*id));
                let doc = of_type.map_or("", |def| def.doc.as_str());
                if !doc.is_empty() {
                    text += &format!("\n\n`{ty}`: {doc}");
                }
                text += &values(index, ty);
            }
        }
        _ => {}
    }
    text
}

/// The entries that a form is made of, with their documentation.
fn made_of(index: &Index, def: &Def) -> String {
    let mut text = format!("`{}` is made of", def.name);
    for name in &def.parents {
        let entry = index.named(Space::Layer, name).first().map(|id| index.def(*id));
        let doc = entry.and_then(|entry| entry.doc.lines().next()).filter(|doc| !doc.is_empty());
        text += &format!("\n- `{name}`{}", doc.map(|doc| format!(": {doc}")).unwrap_or_default());
    }
    text
}

fn kind(def: &Def) -> &'static str {
    match def.space {
        Space::Value => "Value",
        Space::Condition => "Extension or generation",
        Space::Local => match def.keyword.as_str() {
            "variable" => "Variable",
            "loop" => "Variable of a loop",
            "parameter" => "Parameter",
            "width" => "Width of an argument",
            _ => "Local name",
        },
        Space::Declaration => match def.keyword.as_str() {
            "const" => "Constant",
            "let" => "Named expression",
            "fn" => "Function",
            "view" => "View",
            "extern memory" => "Memory",
            "extern trap" => "Trap",
            _ => "State of the machine",
        },
        _ if def.keyword == "operand" => "Operand",
        _ if def.keyword == "modifier" => "Modifier",
        _ if def.keyword == "call" => "Call",
        _ => "Field",
    }
}

/// The fields of a definition, including inherited fields.
fn fields(index: &Index, id: DefId) -> String {
    let mut text = String::new();
    for field in index.fields_in_scope(id) {
        let def = index.def(field);
        let from = def.owner.map_or("", |owner| index.def((field.0, owner)).name.as_str());
        let head = def.head.split_whitespace().collect::<Vec<_>>().join(" ");
        text += &format!("\n- `{head}` ({from})");
    }
    if text.is_empty() { text } else { format!("\n\nFields:\n{text}") }
}

/// The values of a type.
fn values(index: &Index, ty: &str) -> String {
    let values = index.values(ty);
    if values.is_empty() {
        return String::new();
    }
    let names: Vec<String> =
        values.iter().take(MOST_VALUES).map(|id| format!("`{}`", index.def(*id).name)).collect();
    let more = if values.len() > MOST_VALUES { ", …" } else { "" };
    format!("\n\nValues: {}{more}", names.join(", "))
}

/// How many bits fields have, and how many bits of opcodes are free.
pub(crate) fn hints(
    index: &Index,
    compiled: Option<&Compiled>,
    file: usize,
    within: std::ops::Range<usize>,
) -> Vec<lsp::InlayHint> {
    let of = &index.files[file];
    let defs = of.symbols.defs.iter();
    let here = defs.filter(|def| within.contains(&def.span.start) && !def.is_made);
    here.filter_map(|def| {
        let (at, label) = match (def.space, def.keyword.as_str()) {
            (Space::Field, "field" | "control" | "literal") => {
                let end = def.head.find(['>', ']'])?;
                (def.whole.start + end + 1, bits(&def.head[..=end])?)
            }
            (Space::Layer, "__DefOpcode") => {
                let (free, of_all) = compiled?.free_bits(&def.name)?;
                let label = format!("{free} of {of_all} bits free");
                (def.span.end, Some(label).filter(|_| free > 0)?)
            }
            _ => return None,
        };
        Some(lsp::InlayHint {
            position: of.text.position(at),
            label: lsp::InlayHintLabel::String(label),
            kind: Some(lsp::InlayHintKind::TYPE),
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        })
    })
    .collect()
}

/// `field<8, 4>` is bits `11:8`; `field[31, 7:4]` has `5 bits`.
fn bits(text: &str) -> Option<String> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    if let Some((_, inner)) = text.split_once('<') {
        let (lsb, width) = inner.trim_end_matches('>').split_once(',')?;
        let (lsb, width) = (number(lsb)?, number(width)?.checked_sub(1)?);
        let high = lsb.checked_add(width)?;
        return Some(if width == 0 { format!("{lsb}") } else { format!("{high}:{lsb}") });
    }
    let (_, inner) = text.split_once('[')?;
    let width = inner.trim_end_matches(']').split(',').map(|piece| match piece.split_once(':') {
        Some((a, b)) => Some(number(a)?.abs_diff(number(b)?) + 1),
        None => number(piece).map(|_| 1),
    });
    let width: u32 = width.sum::<Option<u32>>()?;
    Some(if width == 1 { "1 bit".to_string() } else { format!("{width} bits") })
}

/// An instruction above each opcode, as a word and as text.
pub(crate) fn lenses(index: &Index, compiled: &Compiled, file: usize) -> Vec<lsp::CodeLens> {
    let of = &index.files[file];
    let is_opcode = |def: &&Def| def.space == Space::Layer && def.keyword == "__DefOpcode";
    let opcodes = of.symbols.defs.iter().filter(is_opcode);
    opcodes
        .filter_map(|def| {
            let (word, text) = compiled.example(&def.name)?;
            Some(lsp::CodeLens {
                range: of.text.range(def.span.clone()),
                command: Some(lsp::Command {
                    title: format!("{word}  {text}"),
                    command: String::new(),
                    arguments: None,
                }),
                data: None,
            })
        })
        .collect()
}
