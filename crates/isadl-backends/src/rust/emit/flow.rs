//! Emits the engine's data flow tables as constants.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use isadl_engine::image_flow::{Flows, Item};

use super::dense::{list, short};
use super::part::{Part, emit};

/// `flow_tables.rs` of a generated crate.
pub(in crate::rust) fn tables(flows: &Flows<'_>) -> String {
    let mut part = Part::default();
    emit!(part of flows => Flows {
        rows of_row("u32", "The flow of each row."),
        rows flows("Flow", "Flows."),
        items items,
        rows lookups("Lookup", "Fields whose values are looked up."),
        rows runs("Run", "The runs of these values."),
        rows guards("Pattern", "Words whose guard is always true."),
        value reach,
        value room,
        value has_masks,
        value has_others,
        value has_conditions,
        value has_compared,
        value has_unknown,
        value has_special,
        value has_memory,
        value has_wide_memory,
    });
    format!(
        "{}//! What instructions read and write as tables; their rows are described in \
         `engine/image_flow.rs`.\n\
         #![allow(dead_code, unused_imports, clippy::all)]\n\
         use super::engine::image::{{Pattern, Width}};\nuse super::engine::image_flow::*;\n\n\
         {}",
        crate::rust::HEADER,
        part.line("ALL", "Flows"),
    )
}

impl Part {
    /// The items of flows, concatenated. Few items are distinct: each is written once.
    fn items(&mut self, column: &str, items: &[Item]) {
        let mut numbers: BTreeMap<&Item, usize> = BTreeMap::new();
        let mut text = String::new();
        for item in items {
            let next = numbers.len();
            numbers.entry(item).or_insert_with(|| {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "const I{next}: Item = {};", short(&format!("{item:?}")));
                next
            });
        }
        let names = items.iter().map(|item| format!("I{}", numbers[item]));
        let list = list("Their items.", "ITEMS", "Item", items.len(), names);
        self.item(column, &(text + "\n" + &list), "&ITEMS");
    }
}
