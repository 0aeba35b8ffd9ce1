//! Definitions, uses, and new names.

use std::collections::HashMap;

use lsp_types as lsp;

use crate::index::{Index, Occurrence};
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
    if found.is_empty() {
        return Err("this name is not defined in the specification".to_string());
    }
    if found.iter().any(|id| index.def(*id).is_made) {
        return Err("this name is made by `__DefForms`: change its pattern".to_string());
    }
    Ok(place)
}

/// Another name for what is named at a place: everywhere.
#[allow(clippy::mutable_key_type, reason = "the protocol's map of changes has URIs as keys")]
pub(crate) fn rename(
    index: &Index,
    (file, at): (usize, usize),
    name: &str,
) -> Result<lsp::WorkspaceEdit, String> {
    renamable(index, file, at)?;
    let (found, _) = index.at(file, at).ok_or("there is no name here")?;
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name =
        name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
    if !is_name {
        return Err(format!("`{name}` is not a name: letters, digits and `_`, not first a digit"));
    }
    let (defs, places) = index.occurrences(&found);
    for id in &defs {
        let def = index.def(*id);
        let wanted = match def.name.split_once('.') {
            Some((operand, _)) => format!("{operand}.{name}"),
            None => name.to_string(),
        };
        let others = index.named(def.space, &wanted).iter();
        let is_same_place =
            |other: &&(usize, usize)| index.def(**other).owner == def.owner && other.0 == id.0;
        let mut others = others.filter(|other| def.owner.is_none() || is_same_place(other));
        if wanted != def.name && others.next().is_some() {
            return Err(format!("`{wanted}` is defined already"));
        }
    }
    let mut changes: HashMap<lsp::Uri, Vec<lsp::TextEdit>> = HashMap::new();
    for place in &places {
        let Some(location) = location(index, place) else { continue };
        let edit = lsp::TextEdit { range: location.range, new_text: name.to_string() };
        changes.entry(location.uri).or_default().push(edit);
    }
    Ok(lsp::WorkspaceEdit { changes: Some(changes), ..Default::default() })
}
