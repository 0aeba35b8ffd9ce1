//! The extensions, and the operations that need them.

use isadl_ir::isa::{Extensions, Isa, Opcode};

use super::book::Book;
use super::operation::Operation;
use super::page_writer::PageWriter;
use super::pages::Kind;
use super::text::{Table, code, word};

/// The page of the index.
pub(super) const PAGE: &str = "extensions.md";

/// The extensions, if anything depends on them.
pub(super) fn known<'b>(book: &'b Book<'_>) -> Option<&'b Extensions> {
    let is_used = book.isas().iter().any(|isa| isa.depends_on_extensions());
    is_used.then(|| book.family.first().extensions())
}

/// The extensions that the forms of an operation need; empty if every set has some form.
pub(super) fn of_operation(book: &Book<'_>, name: &str) -> String {
    let mut needs: Vec<String> = Vec::new();
    for (isa, opcode) in opcodes(book, name) {
        if opcode.requires.is_always() {
            return String::new();
        }
        let text = code(&isa.extensions().condition(&opcode.requires));
        if !needs.contains(&text) {
            needs.push(text);
        }
    }
    needs.join(" or ")
}

/// The extensions that a form needs; empty if every set has the form.
pub(super) fn of_form(book: &Book<'_>, name: &str) -> String {
    let mut found = book.isas().iter().flat_map(|isa| {
        let own = isa.opcodes().iter().filter(move |opcode| opcode.name == name);
        own.map(move |opcode| (isa, opcode))
    });
    let needs = found.find(|(_, opcode)| !opcode.requires.is_always());
    needs.map_or(String::new(), |(isa, opcode)| code(&isa.extensions().condition(&opcode.requires)))
}

/// The opcodes of an operation, in all generations.
fn opcodes<'b>(book: &'b Book<'_>, name: &'b str) -> impl Iterator<Item = (&'b Isa, &'b Opcode)> {
    book.isas().iter().flat_map(move |isa| {
        let own = isa.optypes().iter().filter(move |optype| optype.name == name);
        own.flat_map(|optype| &optype.opcodes).map(move |id| (isa, isa.opcode(*id)))
    })
}

/// The extensions, the sets, and the operations by extension.
pub(super) fn write(book: &Book<'_>, operations: &[Operation<'_>], writer: &mut PageWriter) {
    let Some(known) = known(book) else { return };
    let mut text = String::from("# Operations by extension\n\n");
    let mut sets = Table::new(&["Set", "Extensions"]);
    let names = |set: u64| known.names_of(set).map(code).collect::<Vec<_>>().join(", ");
    for (name, set) in &known.sets {
        let is_default = if *set == known.default { " (default)" } else { "" };
        sets.row(vec![format!("{}{is_default}", code(name)), names(*set)]);
    }
    if !sets.is_empty() {
        text += &format!("{}\n", sets.render());
    }
    let mut rules = String::new();
    for row in &known.implied {
        rules += &format!("- {} implies {}.\n", names(row.needed), names(row.added));
    }
    for row in &known.required {
        let (when, then) = (known.condition(&row.when), known.condition(&row.then));
        rules += &format!("- {} requires {}.\n", code(&when), code(&then));
    }
    if !rules.is_empty() {
        text += &format!("{rules}\n");
    }
    for (bit, name) in known.names.iter().enumerate() {
        let mut table = Table::new(&["Operation", "Summary", "Extensions"]);
        for operation in operations {
            let needs = |opcode: &Opcode| {
                opcode.requires.terms().iter().any(|term| term.needed >> bit & 1 == 1)
            };
            if opcodes(book, operation.name).any(|(_, opcode)| needs(opcode)) {
                table.row(vec![
                    book.link(Kind::Optype, operation.name, PAGE),
                    operation.summary(PAGE),
                    of_operation(book, operation.name),
                ]);
            }
        }
        if !table.is_empty() {
            text += &format!("## {}\n\n{}\n", word(name), table.render());
        }
    }
    writer.page(PAGE, "Operations by extension", 0, &text);
}
