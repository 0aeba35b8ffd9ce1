//! The page of register files and special registers.

use isadl_ir::isa::{Isa, Meaning, TypeKind};

use super::book::Book;
use super::page_writer::PageWriter;
use super::pages::{Kind, file_heading};
use super::text::{Table, code, word};
use super::variants;
use crate::wording::values;

/// The page.
const PAGE: &str = "registers.md";

pub(super) fn write(book: &Book<'_>, writer: &mut PageWriter) {
    let mut names: Vec<&str> = Vec::new();
    for file in book.isas().iter().flat_map(|isa| isa.reg_files()) {
        if !names.contains(&file.name.as_str()) {
            names.push(&file.name);
        }
    }
    let mut text = String::from("# Registers\n\n");
    for name in &names {
        text += &format!("## {}\n\n", word(&file_heading(name)));
        text += &of_file(book, name);
    }
    let specials: Vec<_> =
        book.isas().iter().map(|isa| (isa.describes(), isa.specials().to_vec())).collect();
    let mut table = Table::new(&["Special register", "Generations"]);
    let mut known: Vec<&String> = Vec::new();
    for name in specials.iter().flat_map(|(_, names)| names) {
        if !known.contains(&name) {
            known.push(name);
            let sets = specials.iter().filter(|(_, names)| names.contains(name));
            let set = sets.fold(Default::default(), |all: isadl_ir::isa::Generations, (set, _)| {
                all.union(*set)
            });
            table.row(vec![code(name), book.label(set)]);
        }
    }
    if !table.is_empty() {
        text += &format!("## Special registers\n\n{}", table.render());
    }
    writer.page(PAGE, "Registers", 0, &text);
}

fn of_file(book: &Book<'_>, name: &str) -> String {
    let find = |isa: &'_ Isa| isa.reg_files().iter().position(|file| file.name == name);
    let descriptions = book.variants(|isa| Some(isa.reg_files()[find(isa)?].description.clone()));
    let mut text = book.prose(PAGE, 2, &descriptions);
    let rows = book.variants(|isa| {
        let index = find(isa)?;
        let file = &isa.reg_files()[index];
        let mut rows = vec![
            vec!["Registers".to_string(), file.count.to_string()],
            vec!["Bits per register".to_string(), file.width.to_string()],
        ];
        for ty in isa.types() {
            let TypeKind::Operand(entries) = &ty.kind else { continue };
            let of_file = entries.iter().filter(|entry| match &entry.meaning {
                Meaning::Registers { file, .. }
                | Meaning::Register { file, .. }
                | Meaning::Constant { file, .. } => file.index() == index,
                _ => false,
            });
            let names: Vec<String> =
                of_file.map(|entry| code(&values::entry_names(entry))).collect();
            if !names.is_empty() {
                let link = book.link(Kind::Type, &ty.name, PAGE);
                rows.push(vec![format!("Names in {link}"), names.join(", ")]);
            }
        }
        Some(rows)
    });
    let mut table = Table::new(&["Property", "Value"]);
    for row in variants::join(&rows, 0, |set| book.names(set)) {
        table.row(row);
    }
    let generations = book.label(variants::union(&rows));
    if !generations.is_empty() {
        table.row(vec!["Generations".to_string(), generations]);
    }
    let source = book.sources.links(Kind::RegFile, name, PAGE);
    if !source.is_empty() {
        table.row(vec!["Source".to_string(), source]);
    }
    text += &table.render();
    text.push('\n');
    text
}
