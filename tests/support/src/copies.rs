//! Many copies of an instruction set under fresh names, to measure how work grows with size.

use std::collections::BTreeSet;

/// `count` copies of the files of an instruction set as one instruction set. The file that contains `__DefIsa` is not
/// copied. Each copy of the other files gets its own names and a root group that fixes a number in bits 119:112, which
/// are control fields in the original.
pub fn copies(texts: &[(String, String)], count: usize) -> Vec<(String, String)> {
    assert!(count <= 256, "the number of the copy has 8 bits");
    let is_base = |text: &str| text.lines().any(|line| line.starts_with("__DefIsa"));
    // Groups beside the root belong to the copies, wherever they are.
    let mut parts: Vec<(String, String)> = Vec::new();
    for (name, text) in texts {
        match groups_of_base(text).filter(|_| is_base(text)) {
            Some(at) => {
                parts.push((name.clone(), text[..at].to_string()));
                parts.push((format!("groups_{name}"), text[at..].to_string()));
            }
            None => parts.push((name.clone(), text.clone())),
        }
    }
    let texts = parts.as_slice();
    let mut names: BTreeSet<&str> = BTreeSet::from(["ALL"]);
    for (_, text) in texts.iter().filter(|(_, text)| !is_base(text)) {
        names.extend(text.lines().filter_map(defined_name));
    }
    let mut out = Vec::new();
    for (name, text) in texts {
        if is_base(text) {
            out.push((name.clone(), text.clone()));
            continue;
        }
        for copy in 0..count {
            out.push((format!("{copy}_{name}"), renamed(text, &names, copy)));
        }
    }
    let root = |copy: usize| {
        format!(
            "__DefGroup ALL_{copy} : []\n  __Encoding\n    field<112, 8> UImm8 copy == {copy};\n"
        )
    };
    out.push(("roots".to_string(), (0..count).map(root).collect()));
    out
}

/// Where the first group but the root begins.
fn groups_of_base(text: &str) -> Option<usize> {
    let is_group = |at: &usize| !text[at + 1..].starts_with("__DefGroup ALL ");
    text.match_indices("\n__DefGroup ").map(|(at, _)| at).find(is_group).map(|at| at + 1)
}

/// The name that a header line defines.
fn defined_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("__Def")?.split_once(' ')?.1.trim_start();
    Some(&rest[..word_length(rest)])
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// The text with the names of a copy: in headers, and as types of fields.
fn renamed(text: &str, names: &BTreeSet<&str>, copy: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        if line.starts_with("__Def") {
            out += &renamed_words(line, names, copy, usize::MAX);
        } else if let Some(at) = line.find('>').filter(|_| line.trim_start().starts_with("field<"))
        {
            out += &line[..=at];
            out += &renamed_words(&line[at + 1..], names, copy, 1);
        } else {
            out += line;
        }
    }
    out
}

/// The first `limit` words of a text, those among `names` with the number of the copy.
fn renamed_words(text: &str, names: &BTreeSet<&str>, copy: usize, limit: usize) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut words = 0;
    while !rest.is_empty() && words < limit {
        let length = word_length(rest);
        if length == 0 {
            let other = rest.chars().next().map_or(1, char::len_utf8);
            out += &rest[..other];
            rest = &rest[other..];
            continue;
        }
        let (word, behind) = rest.split_at(length);
        out += word;
        if names.contains(word) {
            out += &format!("_{copy}");
        }
        words += 1;
        rest = behind;
    }
    out + rest
}
