//! Differences between generations: groups equal items, and joins tables cell by cell.

use isadl_ir::isa::Generations;

/// A variant of an item, with the generations that have it.
#[derive(Debug, Clone)]
pub(super) struct Variant<T> {
    pub(super) generations: Generations,
    pub(super) is: T,
}

/// Groups equal items, in order of first appearance.
pub(super) fn group<T: PartialEq>(
    items: impl IntoIterator<Item = (Generations, T)>,
) -> Vec<Variant<T>> {
    let mut variants: Vec<Variant<T>> = Vec::new();
    for (generations, is) in items {
        match variants.iter_mut().find(|variant| variant.is == is) {
            Some(variant) => variant.generations = variant.generations.union(generations),
            None => variants.push(Variant { generations, is }),
        }
    }
    variants
}

/// The generations of all variants.
pub(super) fn union<T>(variants: &[Variant<T>]) -> Generations {
    let sets = variants.iter().map(|variant| variant.generations);
    sets.fold(Generations::default(), Generations::union)
}

type Row = Vec<String>;

/// Joins the variants of a table into one. Rows correspond if their cells `key` are equal; cells that differ name the
/// generations of each content. `label` names generations.
pub(super) fn join(
    variants: &[Variant<Vec<Row>>],
    key: usize,
    label: impl Fn(Generations) -> String,
) -> Vec<Row> {
    let all = union(variants);
    let mut joined: Vec<(Row, Vec<Variant<Row>>)> = Vec::new();
    for variant in variants {
        let mut after = 0;
        for (index, row) in variant.is.iter().enumerate() {
            let id = identity(&variant.is, index, key);
            let found = joined.iter().position(|(other, _)| *other == id);
            let at = found.unwrap_or_else(|| {
                joined.insert(after, (id, Vec::new()));
                after
            });
            joined[at].1.push(Variant { generations: variant.generations, is: row.clone() });
            after = at + 1;
        }
    }
    joined.iter().map(|(_, rows)| join_row(rows, key, all, &label)).collect()
}

/// The key of a row, and its index among the rows with this key.
fn identity(rows: &[Row], index: usize, key: usize) -> Row {
    let before = rows[..index].iter().filter(|row| row[key] == rows[index][key]).count();
    vec![rows[index][key].clone(), before.to_string()]
}

fn join_row(
    rows: &[Variant<Row>],
    key: usize,
    all: Generations,
    label: &impl Fn(Generations) -> String,
) -> Row {
    let present = union(rows);
    let columns = rows.first().map_or(0, |row| row.is.len());
    let cell = |column: usize| {
        let cells = rows.iter().map(|row| (row.generations, row.is[column].clone()));
        let cells = group(cells);
        match cells.as_slice() {
            [alone] if column == key && present != all => {
                format!("{} ({})", alone.is, label(present))
            }
            [alone] => alone.is.clone(),
            several => items(several, label),
        }
    };
    (0..columns).map(cell).collect()
}

/// Joins cells that differ: lists of items separated by commas, each item once, with its
/// generations if they are not all.
fn items(cells: &[Variant<String>], label: &impl Fn(Generations) -> String) -> String {
    let all = union(cells);
    let mut items: Vec<Variant<&str>> = Vec::new();
    for cell in cells {
        let text = if cell.is.is_empty() { "none" } else { &cell.is };
        let find = |items: &[Variant<&str>], item: &str| items.iter().position(|o| o.is == item);
        // A new item comes after the preceding item, or before the first known item.
        let first = text.split(", ").find_map(|item| find(&items, item));
        let mut after = first.unwrap_or(items.len());
        for item in text.split(", ") {
            let at = find(&items, item).unwrap_or_else(|| {
                items.insert(after, Variant { generations: Generations::default(), is: item });
                after
            });
            items[at].generations = items[at].generations.union(cell.generations);
            after = at + 1;
        }
    }
    let text = |item: &Variant<&str>| match item.generations == all {
        true => item.is.to_string(),
        false => format!("{} ({})", item.is, label(item.generations)),
    };
    items.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Variant, join};
    use isadl_ir::isa::Generations;

    #[test]
    fn cells_that_differ_say_whose_they_are() {
        let row = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect::<Vec<_>>();
        let old = vec![row(&["1", "op"]), row(&["2", "gone"]), row(&["3", "rd"])];
        let new = vec![row(&["1", "op"]), row(&["4", "rd"]), row(&["5", "new"])];
        let variants = [
            Variant { generations: Generations::one(0), is: old },
            Variant { generations: Generations::one(1), is: new },
        ];
        let joined = join(&variants, 1, |set| format!("G{}", set.first()));
        let expected =
            [["1", "op"], ["2", "gone (G0)"], ["3 (G0), 4 (G1)", "rd"], ["5", "new (G1)"]];
        assert_eq!(joined, expected);
    }
}
