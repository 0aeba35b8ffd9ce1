//! Definitions, uses, and new names.

use std::collections::HashMap;

use lsp_types as lsp;

use crate::combinations::refused_pattern;
use crate::index::{DefId, Index, Occurrence};
use crate::lookup::Lookup;
use crate::programs;
use crate::renamed::{self, Change};
use crate::symbols::Space;
use crate::text::uri;

pub(crate) fn location(index: &Index, place: &Occurrence) -> Option<lsp::Location> {
    let file = &index.files[place.file];
    Some(lsp::Location { uri: uri(&file.path)?, range: file.text.range(place.start..place.end) })
}

/// Where the name at a place is defined.
pub(crate) fn definition(index: &Index, file: usize, at: usize) -> Vec<lsp::Location> {
    let Some((found, _)) = index.at(file, at) else { return Vec::new() };
    let mut places: Vec<Occurrence> = found
        .iter()
        .map(|id| {
            let span = &index.def(*id).span;
            Occurrence { file: id.0, start: span.start, end: span.end }
        })
        .collect();
    places.sort();
    places.dedup();
    places.iter().filter_map(|place| location(index, place)).collect()
}

/// Where the name at a place is used.
pub(crate) fn references(
    index: &Index,
    (file, at): (usize, usize),
    with_definition: bool,
) -> Vec<lsp::Location> {
    let Some((found, _)) = index.at(file, at) else { return Vec::new() };
    let (defs, mut places) = index.occurrences(&found);
    if !with_definition {
        let is_definition = |place: &Occurrence| {
            defs.iter().any(|id| id.0 == place.file && index.def(*id).span.start == place.start)
        };
        places.retain(|place| !is_definition(place));
    }
    places.iter().filter_map(|place| location(index, place)).collect()
}

/// The uses of the name at a place in its own file.
pub(crate) fn highlights(index: &Index, file: usize, at: usize) -> Vec<lsp::DocumentHighlight> {
    let Some((found, _)) = index.at(file, at) else { return Vec::new() };
    let (_, places) = index.occurrences(&found);
    let own = places.into_iter().filter(|place| place.file == file);
    let text = &index.files[file].text;
    own.map(|place| lsp::DocumentHighlight {
        range: text.range(place.start..place.end),
        kind: None,
    })
    .collect()
}

/// The place of the name that would be changed, if it can be.
pub(crate) fn renamable(index: &Index, file: usize, at: usize) -> Result<Occurrence, String> {
    let (found, place) = index.at(file, at).ok_or("there is no name here")?;
    let Some(first) = found.first().map(|id| index.def(*id)) else {
        return Err("this name is not defined in the specification".to_string());
    };
    let text = index.files[file].text.get(place.start..place.end);
    let span = place.start..place.end;
    let made = found.iter().map(|id| (id.0, index.def(*id))).find(|(_, def)| def.is_made);
    let is_pattern = made.is_some_and(|(of, def)| of == file && def.span == span);
    let excepted = index.files[file].symbols.uses.iter().find_map(|of| match &of.lookup {
        Lookup::Excepted { entries, .. } if of.span == span => Some(entries.as_slice()),
        _ => None,
    });
    let entries = excepted.or(made.map(|(_, def)| def.parents.as_slice()));
    match entries {
        Some(entries) if !is_pattern => {
            let entries: Vec<String> = entries.iter().map(|name| format!("`{name}`")).collect();
            let of = entries.join(" and ");
            Err(format!(
                "`{text}` is made by `__DefForms` of {of}: rename one of these, or change the pattern"
            ))
        }
        // A name that only some forms have.
        Some(_) if found.iter().any(|id| !index.def(*id).is_made) => {
            Err(format!("`{}` is defined in several ways", first.name))
        }
        _ => Ok(place),
    }
}

/// Words of the language where a name may stand, which read as such.
const WORDS: &[&str] = &[
    "align", "also", "and", "as", "const", "else", "except", "if", "in", "inout", "is", "not",
    "or", "out", "step", "text",
];

/// Renames the item at a position everywhere.
pub(crate) fn rename(
    index: &Index,
    (file, at): (usize, usize),
    name: &str,
) -> Result<lsp::WorkspaceEdit, String> {
    let place = renamable(index, file, at)?;
    let (found, _) = index.at(file, at).ok_or("there is no name here")?;
    let is_pattern = found.iter().any(|id| index.def(*id).is_made);
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_' || is_pattern && "{}".contains(c);
    let is_name =
        name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
    if !is_name {
        return Err(format!("`{name}` is not a name: letters, digits and `_`, not first a digit"));
    }
    if WORDS.contains(&name) {
        return Err(format!("`{name}` is a word of the language, and no name"));
    }
    let span = place.start..place.end;
    let old = index.files[file].text.get(span.clone());
    let mut edits: Vec<(Occurrence, String)> = Vec::new();
    if is_pattern {
        if let Some(why) = refused_pattern(old, name) {
            return Err(why);
        }
        edits.push((place, name.to_string()));
        edits.extend(renamed::changed(index, &Change::Pattern { file, span: &span, new: name })?);
        return Ok(workspace_edit(index, edits));
    }
    let (defs, places) = index.occurrences(&found);
    edits.extend(places.iter().map(|place| (place.clone(), name.to_string())));
    let layer = defs.iter().map(|id| index.def(*id)).find(|def| def.space == Space::Layer);
    if let Some(layer) = layer {
        edits.extend(renamed::changed(index, &Change::Entry { old: &layer.name, new: name })?);
    }
    defs.iter().try_for_each(|id| is_free(index, *id, name))?;
    programs::rename::allowed(index, &defs, &places, name)?;
    Ok(workspace_edit(index, edits))
}

/// Whether a new name for a definition differs from the names of all definitions beside it.
fn is_free(index: &Index, id: DefId, name: &str) -> Result<(), String> {
    let def = index.def(id);
    let wanted = match def.name.split_once('.') {
        Some((operand, _)) => format!("{operand}.{name}"),
        None => name.to_string(),
    };
    let is_beside = |other: &&DefId| {
        def.owner.is_none() || index.def(**other).owner == def.owner && other.0 == id.0
    };
    let mut others = index.named(def.space, &wanted).iter().filter(is_beside);
    match wanted != def.name && others.next().is_some() {
        true => Err(format!("`{wanted}` is defined already")),
        false => Ok(()),
    }
}

#[allow(clippy::mutable_key_type, reason = "the protocol's map of changes has URIs as keys")]
fn workspace_edit(index: &Index, edits: Vec<(Occurrence, String)>) -> lsp::WorkspaceEdit {
    let mut changes: HashMap<lsp::Uri, Vec<lsp::TextEdit>> = HashMap::new();
    for (place, new_text) in edits {
        let Some(location) = location(index, &place) else { continue };
        let edit = lsp::TextEdit { range: location.range, new_text };
        changes.entry(location.uri).or_default().push(edit);
    }
    lsp::WorkspaceEdit { changes: Some(changes), ..Default::default() }
}
