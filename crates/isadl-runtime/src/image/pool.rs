//! The names of an image, by their numbers.

use super::shared::Shared;

/// Names, each once; the first is empty.
#[derive(Debug)]
pub(super) struct Pool {
    names: Shared<String>,
}

impl Pool {
    pub(super) fn new() -> Pool {
        let mut names = Shared::default();
        names.add(String::new());
        Pool { names }
    }

    /// The number of a name.
    pub(super) fn add(&mut self, name: &str) -> u32 {
        self.names.add(name.to_string()) as u32
    }

    /// The name of a number.
    pub(super) fn name(&self, number: u32) -> &str {
        &self.names.list()[number as usize]
    }

    /// All names, concatenated, and the end of each.
    pub(super) fn into_strings(self) -> (String, Vec<u32>) {
        let mut strings = String::new();
        let end = |name: &String| {
            strings += name;
            strings.len() as u32
        };
        let ends = self.names.list().iter().map(end).collect();
        (strings, ends)
    }
}
