//! Links in prose: `[[NAME]]` links to the page of the item with this name.
//!
//! This is the only definition of links, for the check and for all renderers of prose. Code, between
//! backticks or in a fence, does not contain links.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use isadl_base::fences::{Fences, Part};

use crate::isa::Isa;

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link<'t> {
    /// Its bytes, with the brackets.
    pub range: Range<usize>,
    /// The name that it refers to.
    pub name: &'t str,
}

/// The links in a text.
pub fn links(text: &str) -> Vec<Link<'_>> {
    let mut scanner = Scanner::default();
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        found.extend(
            scanner.line(line).into_iter().map(|link| Link {
                range: start + link.range.start..start + link.range.end,
                ..link
            }),
        );
        start += line.len();
    }
    found
}

/// Reads a text line by line; it remembers whether a fence is open.
#[derive(Debug, Default)]
pub struct Scanner {
    fences: Fences,
}

impl Scanner {
    /// The links of the next line.
    pub fn line<'t>(&mut self, line: &'t str) -> Vec<Link<'t>> {
        if self.is_code(line) { Vec::new() } else { of_line(line) }
    }

    /// Whether the next line opens, closes or is inside a fence.
    pub fn is_code(&mut self, line: &str) -> bool {
        self.fences.line(line) != Part::Outside
    }

    /// The number of backticks of the fence that is open after the lines so far.
    pub fn open(&self) -> Option<usize> {
        self.fences.open()
    }
}

fn of_line(line: &str) -> Vec<Link<'_>> {
    let bytes = line.as_bytes();
    let mut links = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        at += match bytes[at] {
            b'\\' => 2,
            b'`' => code_length(&line[at..]),
            b'[' => match link_at(line, at) {
                Some(link) => {
                    let length = link.range.len();
                    links.push(link);
                    length
                }
                None => 1,
            },
            _ => 1,
        };
    }
    links
}

/// The length of a run of backticks with the code that it encloses; the length of the run alone if it is not closed.
fn code_length(text: &str) -> usize {
    let run = |text: &str| text.bytes().take_while(|byte| *byte == b'`').count();
    let open = run(text);
    let mut at = open;
    while let Some(next) = text[at..].find('`') {
        let close = run(&text[at + next..]);
        at += next + close;
        if close == open {
            return at;
        }
    }
    open
}

fn link_at(line: &str, at: usize) -> Option<Link<'_>> {
    let inner = line[at..].strip_prefix("[[")?;
    let name = &inner[..inner.find("]]")?];
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let range = at..at + name.len() + 4;
    (starts && name.chars().all(is_part)).then_some(Link { range, name })
}

impl Isa {
    /// The names that links may use: of operations and their forms, mnemonics, groups, types and
    /// register files.
    pub fn link_names(&self) -> HashSet<Cow<'_, str>> {
        let mut names: HashSet<Cow<'_, str>> = HashSet::new();
        names.extend(self.optypes.iter().map(|optype| optype.name.as_str().into()));
        names.extend(self.opcodes.iter().map(|opcode| opcode.name.as_str().into()));
        let mnemonics = self.opcodes.iter().flat_map(|opcode| self.mnemonics(opcode));
        names.extend(mnemonics.map(|mnemonic| mnemonic.text.into()));
        names.extend(self.groups.iter().map(|group| group.name.as_str().into()));
        names.extend(self.types.iter().map(|ty| ty.name.as_str().into()));
        names.extend(self.reg_files.iter().map(|file| file.name.as_str().into()));
        names
    }
}

#[cfg(test)]
mod tests {
    use super::links;

    fn names(text: &str) -> Vec<&str> {
        links(text).into_iter().map(|link| link.name).collect()
    }

    #[test]
    fn links_are_outside_code() {
        let text = "[[A]] `[[B]]` ``x ` [[C]]`` ` [[D]]\n```c\n[[E]]\n```\n[[F]], \\[[G]]";
        assert_eq!(names(text), ["A", "D", "F"]);
        let at = links("乘[[IMAD]]").remove(0).range;
        assert_eq!(&"乘[[IMAD]]"[at], "[[IMAD]]");
    }

    #[test]
    fn only_names_are_links() {
        assert!(names("[[1, 2], [3]] [[]] [[a b]] [[").is_empty());
        assert_eq!(names("[[[X]]] [[IMAD.WIDE]]"), ["X", "IMAD.WIDE"]);
    }
}
