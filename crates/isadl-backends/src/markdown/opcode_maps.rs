//! Which groups have an opcode map of their own, and which maps contain the operations of others.
//!
//! Most groups are part of another group whose map shows the same fields. Their own map would only repeat some of its
//! cells.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use isadl_ir::isa::{Isa, OpcodeId};

use super::book::Book;
use crate::space::{Map, members};

/// The opcode maps of the book.
pub(super) struct OpcodeMaps<'b> {
    book: &'b Book<'b>,
    /// The groups with a map, in order of definition.
    own: Vec<&'b str>,
}

/// The maps of groups in a generation.
type Maps<'b> = BTreeMap<&'b str, Map>;

impl<'b> OpcodeMaps<'b> {
    pub(super) fn new(book: &'b Book<'b>) -> OpcodeMaps<'b> {
        let names = book.groups();
        let maps = |isa: &Isa| -> Maps<'b> {
            names.iter().filter_map(|name| Some((*name, Map::new(isa, name)?))).collect()
        };
        let all: Vec<(&Isa, Maps<'b>)> = book.isas().iter().map(|isa| (isa, maps(isa))).collect();
        let kept = kept(&names, &all);
        OpcodeMaps { book, own: names.into_iter().filter(|name| kept.contains(name)).collect() }
    }

    /// The groups that have a map of their own.
    pub(super) fn own(&self) -> &[&'b str] {
        &self.own
    }

    /// The groups whose maps contain operations of a group: only itself, if it has a map.
    pub(super) fn of(&self, group: &str) -> Vec<&'b str> {
        let is_own = self.own.contains(&group);
        let has = |map: &&&str| if is_own { **map == group } else { self.share(map, group) };
        self.own.iter().filter(has).copied().collect()
    }

    /// Whether the map of a group contains operations of another.
    fn share(&self, map: &str, group: &str) -> bool {
        self.book.isas().iter().any(|isa| {
            let Some(map) = Map::new(isa, map) else { return false };
            let has = |id: &OpcodeId| map.has(*id);
            members(isa, group).iter().any(has)
        })
    }
}

/// The groups whose maps show more than the maps of larger groups.
fn kept<'b>(names: &[&'b str], all: &[(&Isa, Maps<'b>)]) -> Vec<&'b str> {
    let size = |name: &str| -> usize {
        all.iter().filter_map(|(_, maps)| maps.get(name)).map(Map::size).sum()
    };
    let tells = |other: &str, name: &str| {
        all.iter().all(|(isa, maps)| match (maps.get(other), maps.get(name)) {
            (_, None) => true,
            (Some(other), Some(own)) => other.tells(isa, own),
            (None, Some(_)) => false,
        })
    };
    let mut largest: Vec<&str> = names.iter().copied().filter(|name| size(name) > 0).collect();
    largest.sort_by_key(|name| Reverse(size(name)));
    let mut kept: Vec<&str> = Vec::new();
    for name in largest {
        if !kept.iter().any(|other| tells(other, name)) {
            kept.push(name);
        }
    }
    kept
}
