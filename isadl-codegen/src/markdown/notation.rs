//! The page on notation: how templates and diagrams are read, what all operations have in common in the author's
//! words, the functions of the pseudo code, and the control fields.
//!
//! A paragraph of the description of the group of all operations that begins with a call in code, as
//! `` `finish(x)` rounds … ``, defines a function: it gets a heading, to which the semantics of operations link.

use isadl::isa::{FieldRole, Isa, SectionKind};
use isadl::links::Scanner;

use super::book::{Book, Shelf, section};
use super::pages::Kind;
use super::prose;
use super::text::{Table, code, one_line, word};
use super::values;
use super::variants;

/// The page.
pub(super) const PAGE: &str = "notation.md";

/// The notation of templates.
const TEMPLATES: &str = "\
| Written | Means |
| :-- | :-- |
| `{…}` | optional |
| `.name`, or a word after the operands | a modifier; the table *Modifiers* lists its values |
| `{-}`, `{!}`, `{~}`, `{\\|}` | a mark before an operand, or on both sides |
| `{-/~}` | a mark that is `-` or, with a modifier, `~` |
| `$name` | a control field, `$name=value` |
";

/// How diagrams are read.
const DIAGRAMS: &str = "\
In diagrams the highest bit is at the left, and each row has 32 bits. `0` and `1` are the values of bits that all
instructions of the form share. A field without room for its name has a letter, which is explained below the rows.
";

/// The heading of a function.
pub(super) fn heading(name: &str) -> String {
    format!("Function {name}")
}

/// Whether a group is that of all operations: it is part of no other.
pub(super) fn is_root(isa: &Isa, name: &str) -> bool {
    isa.groups().iter().any(|group| group.name == name && group.parents.is_empty())
}

/// The names of functions that an instruction set defines, in order.
pub(super) fn functions(isas: &[Isa]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in isas.iter().map(common) {
        for name in paragraphs(&text).iter().filter_map(|paragraph| defined(paragraph)) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
    }
    names
}

/// What is said of all operations.
fn common(isa: &Isa) -> String {
    let roots = isa.groups().iter().filter(|group| group.parents.is_empty());
    let texts = roots.map(|group| section(&group.prose, SectionKind::Description));
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The paragraphs of a text; a fence is not cut.
fn paragraphs(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut scanner = Scanner::default();
    let mut is_open = false;
    for line in text.lines() {
        let is_code = scanner.is_code(line);
        if line.trim().is_empty() && !is_code {
            is_open = false;
            continue;
        }
        match found.last_mut().filter(|_| is_open) {
            Some(paragraph) => *paragraph += &format!("\n{line}"),
            None => found.push(line.to_string()),
        }
        is_open = true;
    }
    found
}

/// The function that a paragraph defines.
fn defined(paragraph: &str) -> Option<&str> {
    let (call, _) = paragraph.trim_start().strip_prefix('`')?.split_once('`')?;
    let (name, rest) = call.split_once('(')?;
    (is_name(name) && rest.ends_with(')')).then_some(name)
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.chars().all(is_part) && text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The functions that pseudo code calls.
pub(super) fn calls(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').filter_map(|(at, _)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let name = text[..at].rsplit(|c| !is_part(c)).next()?;
        is_name(name).then_some(name)
    })
}

/// Writes the page.
pub(super) fn write(book: &Book<'_>, shelf: &mut Shelf) {
    shelf.colour_key();
    let mut text = format!(
        "# Notation\n\n## Templates\n\n{TEMPLATES}\n## Diagrams\n\n{DIAGRAMS}\n\
         ![What the colours of diagrams mean](svg/{}.svg)\n\n",
        Shelf::COLOUR_KEY
    );
    let plain = |isa: &Isa| {
        let paragraphs = paragraphs(&common(isa)).into_iter();
        paragraphs.filter(|paragraph| defined(paragraph).is_none()).collect::<Vec<_>>().join("\n\n")
    };
    let shared = book.prose(PAGE, 2, &book.variants(|isa| Some(plain(isa))));
    if !shared.is_empty() {
        text += &format!("## All operations\n\n{shared}");
    }
    let functions = functions(book.isas());
    if !functions.is_empty() {
        text += "## Functions of the pseudo code\n\n";
    }
    for name in functions {
        let definition = book.variants(|isa| {
            let of_it = paragraphs(&common(isa)).into_iter();
            let of_it = of_it.filter(|paragraph| defined(paragraph) == Some(&name));
            Some(of_it.collect::<Vec<_>>().join("\n\n")).filter(|text| !text.is_empty())
        });
        let definition = book.prose(PAGE, 3, &definition);
        text += &format!("### {}\n\n{definition}", word(&heading(&name)));
    }
    text += &control(book);
    shelf.page(PAGE, "Notation", 0, &text);
}

/// The control fields.
fn control(book: &Book<'_>) -> String {
    let rows = book.variants(|isa| {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for opcode in isa.opcodes() {
            let fields = opcode.fields.iter().filter(|field| field.role == FieldRole::Control);
            for field in fields {
                let ty = isa.ty(field.ty);
                let row = vec![
                    isa.numbering(opcode).bits(&field.bits),
                    code(&format!("${}", isa.name_of(field.name))),
                    book.link(Kind::Type, &ty.name, PAGE),
                    values::allowed(isa, ty),
                    book.context(PAGE).linked(&one_line(&prose::summary(&ty.description))),
                ];
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
        Some(rows)
    });
    let mut table = Table::new(&["Bits", "Field", "Type", "Values", "Meaning"]);
    for row in variants::join(&rows, 1, |set| book.names(set)) {
        table.row(row);
    }
    match table.is_empty() {
        true => String::new(),
        false => format!("## Control fields\n\n{}\n", table.render()),
    }
}

#[cfg(test)]
mod tests {
    use super::{calls, defined, paragraphs};

    #[test]
    fn functions_are_defined_by_paragraphs_and_called_by_name() {
        let text = "Words.\n\n`f(x, y)` adds\nthem.\n\n```\n`g(x)`\n\n```\n`no` f(x)";
        let found: Vec<Option<&str>> = paragraphs(text)
            .iter()
            .map(|p| defined(p))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|name| name.map(|name| if name == "f" { "f" } else { "?" }))
            .collect();
        assert_eq!(found, [None, Some("f"), None]);
        assert_eq!(calls("a = f(g(1), (2)) + h (3)").collect::<Vec<_>>(), ["f", "g"]);
    }
}
