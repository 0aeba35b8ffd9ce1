//! Rows that tables store once, however often they are referenced.

use std::collections::BTreeMap;

use isadl_engine::image::Span;

/// Values, each once, in order of first appearance.
#[derive(Debug)]
pub(super) struct Shared<T> {
    list: Vec<T>,
    index: BTreeMap<T, usize>,
}

impl<T> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared { list: Vec::new(), index: BTreeMap::new() }
    }
}

impl<T: Ord + Clone> Shared<T> {
    /// The index of a value, which is added if it is new.
    pub(super) fn add(&mut self, value: T) -> usize {
        let next = self.list.len();
        *self.index.entry(value.clone()).or_insert_with(|| {
            self.list.push(value);
            next
        })
    }

    /// The values.
    pub(super) fn into_list(self) -> Vec<T> {
        self.list
    }

    /// The values.
    pub(super) fn list(&self) -> &[T] {
        &self.list
    }
}

/// Sequences of rows, concatenated in one list; equal sequences are stored once.
#[derive(Debug)]
pub(super) struct Slices<T> {
    rows: Vec<T>,
    first: BTreeMap<Vec<T>, u32>,
}

impl<T> Default for Slices<T> {
    fn default() -> Slices<T> {
        Slices { rows: Vec::new(), first: BTreeMap::new() }
    }
}

impl<T: Clone + Ord> Slices<T> {
    /// Where a sequence of rows is.
    pub(super) fn add(&mut self, rows: Vec<T>) -> Span {
        let count = rows.len() as u32;
        if count == 0 {
            return (0, 0);
        }
        let next = self.rows.len() as u32;
        let first = *self.first.entry(rows).or_insert_with_key(|rows| {
            self.rows.extend(rows.iter().cloned());
            next
        });
        (first, count)
    }

    /// The rows.
    pub(super) fn into_rows(self) -> Vec<T> {
        self.rows
    }

    /// The rows.
    pub(super) fn rows(&self) -> &[T] {
        &self.rows
    }
}
