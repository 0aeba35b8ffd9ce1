//! The page on notation. It explains how to read templates and diagrams, and contains the author's words about all
//! operations, the functions of the pseudo code, and the control fields. Functions have headings, to which the
//! semantics of operations link.

use isadl_ir::isa::{FieldRole, Isa};

use super::book::Book;
use super::page_writer::PageWriter;
use super::pages::{Kind, NOTATION, function_heading};
use super::prose;
use super::sections::{common, defined, functions, paragraphs};
use super::text::{Table, code, one_line, word};
use super::variants;
use crate::wording::values;

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
A field in pieces has the bits of the operand's value in brackets, the highest first: `offset[12|10:5]` is bit 12 of `offset`,
and then bits 10 to 5.
";

/// Whether a group contains all operations: it is part of no other group.
pub(super) fn is_root(isa: &Isa, name: &str) -> bool {
    isa.groups().iter().any(|group| group.name == name && group.parents.is_empty())
}

/// Writes the page.
pub(super) fn write(book: &Book<'_>, writer: &mut PageWriter) {
    writer.colour_key();
    let mut text = format!(
        "# Notation\n\n## Templates\n\n{TEMPLATES}\n## Diagrams\n\n{DIAGRAMS}\n\
         ![What the colours of diagrams mean](svg/{}.svg)\n\n",
        PageWriter::COLOUR_KEY
    );
    let plain = |isa: &Isa| {
        let paragraphs = paragraphs(&common(isa)).into_iter();
        paragraphs.filter(|paragraph| defined(paragraph).is_none()).collect::<Vec<_>>().join("\n\n")
    };
    let shared = book.prose(NOTATION, 2, &book.variants(|isa| Some(plain(isa))));
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
        let definition = book.prose(NOTATION, 3, &definition);
        text += &format!("### {}\n\n{definition}", word(&function_heading(&name)));
    }
    text += &control(book);
    writer.page(NOTATION, "Notation", 0, &text);
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
                    book.link(Kind::Type, &ty.name, NOTATION),
                    values::allowed(isa, ty),
                    book.context(NOTATION).linked(&one_line(&prose::summary(&ty.description))),
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
