//! New names of forms after a change of their components.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::combinations::made;
use crate::index::{DefId, Index, Occurrence};
use crate::lookup::Lookup;
use crate::symbols::Space;

/// The change: a component of names, or the pattern at a position.
pub(crate) enum Change<'c> {
    Entry { old: &'c str, new: &'c str },
    Pattern { file: usize, span: &'c Range<usize>, new: &'c str },
}

impl Change<'_> {
    /// The name that a pattern makes of entries after the change.
    fn made(&self, file: usize, span: &Range<usize>, pattern: &str, entries: &[String]) -> String {
        match self {
            Change::Entry { old, new } => {
                let change = |entry: &String| {
                    if entry == old { new.to_string() } else { entry.clone() }
                };
                made(pattern, &entries.iter().map(change).collect::<Vec<_>>())
            }
            Change::Pattern { file: of, span: place, new } if (*of, *place) == (file, span) => {
                made(new, entries)
            }
            Change::Pattern { .. } => made(pattern, entries),
        }
    }
}

/// The positions of generated names, with the names after a change.
pub(crate) fn changed(
    index: &Index,
    change: &Change<'_>,
) -> Result<Vec<(Occurrence, String)>, String> {
    let names = new_names(index, change)?;
    let mut places = Vec::new();
    for (file, of) in index.files.iter().enumerate() {
        for of in &of.symbols.uses {
            let new = match &of.lookup {
                Lookup::Layer => names.get(of.name.as_str()).cloned(),
                Lookup::Excepted { pattern, entries } => {
                    let text = index.files[file].text.get(pattern.clone());
                    Some(change.made(file, pattern, text, entries)).filter(|new| *new != of.name)
                }
                _ => None,
            };
            let place = Occurrence { file, start: of.span.start, end: of.span.end };
            places.extend(new.map(|new| (place, new)));
        }
    }
    Ok(places)
}

/// The new names of forms. Fails if another definition has such a name, or if one of several definitions of a name
/// changes.
fn new_names<'i>(
    index: &'i Index,
    change: &Change<'_>,
) -> Result<HashMap<&'i str, String>, String> {
    let mut names: HashMap<&str, String> = HashMap::new();
    let mut changed: HashSet<DefId> = HashSet::new();
    for (id, def) in index.defs().filter(|(_, def)| def.is_made) {
        let pattern = index.files[id.0].text.get(def.span.clone());
        let new = change.made(id.0, &def.span, pattern, &def.parents);
        if new != def.name {
            changed.insert(id);
            names.insert(&def.name, new);
        }
    }
    let mut taken: HashSet<&str> = HashSet::new();
    for (old, new) in &names {
        let others =
            |name: &str| index.named(Space::Layer, name).iter().any(|id| !changed.contains(id));
        if others(old) {
            return Err(format!(
                "`{old}` is defined elsewhere too, so that its uses cannot be told apart"
            ));
        }
        if others(new) || !taken.insert(new) {
            return Err(format!("`{new}`, which `{old}` would be, is defined already"));
        }
    }
    Ok(names)
}
