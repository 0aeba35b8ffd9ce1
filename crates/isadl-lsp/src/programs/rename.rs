//! Whether names in programs may be changed: a program must not mean something else afterwards.

use std::collections::HashSet;

use isadl::semantics::lookup::{builtin, keywords};

use crate::index::{DefId, Index, Occurrence};
use crate::symbols::Space;

/// Checks a new name for definitions that occur at some places.
pub(crate) fn allowed(
    index: &Index,
    defs: &HashSet<DefId>,
    places: &[Occurrence],
    name: &str,
) -> Result<(), String> {
    let is_in_program = |place: &Occurrence| index.program_at(place.file, place.start).is_some();
    let is_address = builtin(name).is_some_and(|builtin| builtin.signature == name);
    if (keywords().any(|word| word == name) || is_address) && places.iter().any(is_in_program) {
        return Err(format!("`{name}` is a word of programs, and no name"));
    }
    match defs.iter().any(|id| index.def(*id).name != name && is_taken(index, *id, name)) {
        true => Err(format!("`{name}` has a meaning in a program already")),
        false => Ok(()),
    }
}

/// Whether a name has a meaning in a program that sees a definition.
fn is_taken(index: &Index, id: DefId, name: &str) -> bool {
    let def = index.def(id);
    let Some(owner) = def.owner.map(|owner| (id.0, owner)) else {
        return def.space == Space::RegFile && is_defined_by_programs(index, name);
    };
    match def.space {
        Space::Local => is_taken_for_local(index, id, owner, name),
        Space::Declaration | Space::Field => {
            let spaces: &[Space] = match def.space {
                Space::Field => &[Space::Declaration, Space::Local],
                _ => &[Space::Declaration, Space::Local, Space::Field],
            };
            let is_file = !index.named(Space::RegFile, name).is_empty();
            let layers = index.chain(owner).into_iter().chain(index.heirs(owner));
            is_file && def.space == Space::Declaration
                || layers.into_iter().any(|layer| has(index, layer, spaces, name))
        }
        _ => false,
    }
}

fn is_taken_for_local(index: &Index, id: DefId, owner: DefId, name: &str) -> bool {
    let def = index.def(id);
    let is_beside = |other: DefId| {
        let other = index.def(other);
        let (start, end) =
            (def.whole.start.max(other.whole.start), def.whole.end.min(other.whole.end));
        other.name == name && start < end
    };
    if !index.meaning(name, owner).is_empty() || index.own(Space::Local, owner).any(is_beside) {
        return true;
    }
    // Programs that this one surrounds see the name.
    let reaches_body = def.in_program.as_ref().is_some_and(|of| of.reaches_body);
    let mut heirs = index.heirs(owner).into_iter().skip(1);
    reaches_body && heirs.any(|heir| has(index, heir, &[Space::Local], name))
}

/// Whether a layer has a name in one of some spaces.
fn has(index: &Index, layer: DefId, spaces: &[Space], name: &str) -> bool {
    spaces.iter().any(|space| {
        let mut own = index.own(*space, layer);
        own.any(|id| index.def(id).name == name && index.is_meant(id))
    })
}

/// Whether any program binds or declares a name.
fn is_defined_by_programs(index: &Index, name: &str) -> bool {
    let named = [Space::Declaration, Space::Local].map(|space| index.named(space, name));
    named.into_iter().flatten().any(|id| index.is_meant(*id))
}
