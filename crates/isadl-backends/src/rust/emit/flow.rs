//! Emits the engine's data flow tables as constants.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use isadl_engine::image_flow::{Flows, Item};

use super::dense::{list, short, table};

/// `flow_tables.rs` of a generated crate.
pub(in crate::rust) fn tables(flows: &Flows<'_>) -> String {
    let tables = [
        table("The flow of each row.", "OF_ROW", "u32", flows.of_row),
        table("Flows.", "FLOWS", "Flow", flows.flows),
        items(flows.items),
        table("Fields whose values are looked up.", "LOOKUPS", "Lookup", flows.lookups),
        table("The runs of these values.", "RUNS", "Run", flows.runs),
        table("Words whose guard is always true.", "GUARDS", "Pattern", flows.guards),
    ];
    let Flows {
        reach,
        room,
        has_masks,
        has_others,
        has_conditions,
        has_compared,
        has_unknown,
        has_special,
        has_memory,
        has_wide_memory,
        ..
    } = flows;
    format!(
        "{}//! What instructions read and write as tables; their rows are described in \
         `engine/image_flow.rs`.\n\
         #![allow(dead_code, unused_imports, clippy::all)]\n\
         use super::engine::image::{{Pattern, Width}};\nuse super::engine::image_flow::*;\n\n\
         {}\
         /// All tables.\n\
         pub(crate) const ALL: Flows<'static> = Flows {{ of_row: &OF_ROW, flows: &FLOWS, \
         items: &ITEMS, lookups: &LOOKUPS, runs: &RUNS, guards: &GUARDS, reach: {reach}, \
         room: {room}, has_masks: {has_masks}, has_others: {has_others}, \
         has_conditions: {has_conditions}, \
         has_compared: {has_compared}, has_unknown: {has_unknown}, has_special: {has_special}, \
         has_memory: {has_memory}, has_wide_memory: {has_wide_memory} }};\n",
        crate::rust::HEADER,
        tables.concat(),
    )
}

/// The items of flows, concatenated. Few items are distinct: each is written once.
fn items(items: &[Item]) -> String {
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
    text + "\n" + &list("Their items.", "ITEMS", "Item", items.len(), names)
}
