//! Prose of a specification as documentation comments.
//!
//! Invariant: rustdoc shows it and does nothing else with it: no text becomes a link to an item,
//! an HTML tag or a documentation test.

use isadl_ir::links::Scanner;
use proc_macro2::TokenStream;
use quote::quote;

/// Doc attributes of prose, or of a default where there is none.
pub(super) fn doc(prose: &str, default: &str) -> TokenStream {
    let text = if prose.is_empty() { default.to_string() } else { harmless(prose) };
    let lines = text.lines().map(|line| format!(" {line}"));
    quote! { #(#[doc = #lines])* }
}

/// Markdown that rustdoc takes as text.
fn harmless(prose: &str) -> String {
    let mut out = String::new();
    let mut scanner = Scanner::default();
    for line in prose.lines() {
        let trimmed = line.trim_start();
        let is_open = scanner.open().is_some();
        if !scanner.is_code(line) {
            // More than three blanks would make a block of code of it.
            let blanks = (line.len() - trimmed.len()).min(3);
            out += &line[..blanks];
            out += &harmless_line(trimmed);
        } else if !is_open && trimmed.chars().all(|c| c == '`') {
            // A fence without a language would be taken for Rust and tested.
            out += trimmed;
            out += "text";
        } else {
            out += line;
        }
        out.push('\n');
    }
    out
}

/// A line outside of fences: `[[X]]` as code, brackets and angles escaped unless in code or a
/// link.
fn harmless_line(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    let mut in_code = false;
    while let Some(c) = rest.chars().next() {
        let (head, tail) = rest.split_at(c.len_utf8());
        if !in_code
            && let Some((name, behind)) =
                rest.strip_prefix("[[").and_then(|rest| rest.split_once("]]"))
        {
            out += &format!("`{name}`");
            rest = behind;
            continue;
        }
        in_code ^= c == '`';
        let is_link =
            c == '[' && tail.split_once(']').is_some_and(|(_, behind)| behind.starts_with('('));
        if !in_code && (c == '<' || c == '[' && !is_link) {
            out.push('\\');
        }
        out += head;
        rest = tail;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_cannot_become_links_tags_or_tests() {
        assert_eq!(harmless("See [[ELECTU]]."), "See `ELECTU`.\n");
        assert_eq!(harmless("R[0:1] < `R[2:3] <b>`"), "R\\[0:1] \\< `R[2:3] <b>`\n");
        assert_eq!(harmless("[page](x.md)"), "[page](x.md)\n");
        assert_eq!(harmless("```\nfail!();\n```"), "```text\nfail!();\n```\n");
        assert_eq!(harmless("```asm\n[[X]]\n```"), "```asm\n[[X]]\n```\n");
        assert_eq!(harmless("        deep"), "   deep\n");
    }
}
