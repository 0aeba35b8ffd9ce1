//! The pages of types, and their index.

use isadl_ir::isa::{Composite, Entry, Enumerator, Immediate, Isa, Type, TypeKind};

use super::book::Book;
use super::page_writer::PageWriter;
use super::pages::{Kind, PageAnchor};
use super::text::{Table, code, one_line, plural, word};
use super::variants;
use crate::wording::values;

/// The kinds of types, in the order of the index.
const KINDS: [&str; 4] = ["Operand types", "Bit-field types", "Immediates", "Composites"];

fn kind(ty: &Type) -> usize {
    match ty.kind {
        TypeKind::Operand(_) => 0,
        TypeKind::BitField(_) => 1,
        TypeKind::Immediate(_) => 2,
        TypeKind::Composite(_) => 3,
    }
}

fn find<'i>(isa: &'i Isa, name: &str) -> Option<&'i Type> {
    isa.types().iter().find(|ty| ty.name == name)
}

/// Writes the index and all pages.
pub(super) fn write(book: &Book<'_>, writer: &mut PageWriter) {
    let mut names: Vec<(usize, &str)> = Vec::new();
    for ty in book.isas().iter().flat_map(|isa| isa.told_types()) {
        if !names.iter().any(|(_, name)| *name == ty.name) {
            names.push((kind(ty), &ty.name));
        }
    }
    names.sort_by_key(|(kind, name)| (*kind, name.to_lowercase()));
    let page = "types.md";
    let mut text =
        String::from("# Types\n\nThe type of a field defines the meaning of its values.\n\n");
    for (index, title) in KINDS.iter().enumerate() {
        let mut table = Table::new(&["Type", "Bits", "Description", "Generations"]);
        for (_, name) in names.iter().filter(|(kind, _)| *kind == index) {
            let sets = book.variants(|isa| find(isa, name).map(|_| ()));
            let first = book.isas().iter().find_map(|isa| find(isa, name));
            let Some(ty) = first else { continue };
            let widths = book.variants(|isa| Some(find(isa, name)?.width));
            let widths: Vec<String> = widths.iter().map(|width| width.is.to_string()).collect();
            let summary = super::prose::summary(&ty.description);
            table.row(vec![
                book.link(Kind::Type, name, page),
                widths.join(", "),
                book.context(page).linked(&summary),
                book.generations(variants::union(&sets)),
            ]);
        }
        if !table.is_empty() {
            text += &format!("## {title}\n\n{}\n", table.render());
        }
    }
    writer.page(page, "Types", 0, &text);
    for (_, name) in &names {
        write_type(book, name, writer);
    }
}

fn write_type(book: &Book<'_>, name: &str, writer: &mut PageWriter) {
    let page = book.pages.get(Kind::Type, name).map_or("", PageAnchor::path);
    let mut text = format!("# Type {}\n\n", word(name));
    let descriptions = book.variants(|isa| Some(find(isa, name)?.description.clone()));
    text += &book.prose(page, 1, &descriptions);
    let bodies = book.variants(|isa| Some(body(book, isa, find(isa, name)?, page)));
    for variant in &bodies {
        let label = book.label(variant.generations);
        if !label.is_empty() {
            text += &format!("## {label}\n\n");
        }
        text += &variant.is;
    }
    text += &used_by(book, name, page);
    let source = book.sources.links(Kind::Type, name, page);
    if !source.is_empty() {
        text += &format!("Source: {source}.\n");
    }
    writer.page(page, name, 1, &text);
}

/// Describes the type in one generation.
fn body(book: &Book<'_>, isa: &Isa, ty: &Type, page: &str) -> String {
    let width = plural(ty.width as usize, "bit");
    match &ty.kind {
        TypeKind::BitField(values) => {
            format!(
                "An enumeration of {width}.\n\n{}\n{}{}{}",
                enumerators(book, isa, ty, values, page),
                name_sets(isa, ty),
                otherwise(book, isa, ty, page),
                free(ty)
            )
        }
        TypeKind::Operand(list) => {
            format!(
                "Registers and constants, encoded in {width}.\n\n{}\n{}{}{}",
                entries(isa, ty, list),
                name_sets(isa, ty),
                otherwise(book, isa, ty, page),
                free(ty)
            )
        }
        TypeKind::Immediate(immediate) => {
            format!("{}\n\n", number(isa, ty, immediate, &width))
        }
        TypeKind::Composite(composite) => {
            format!(
                "Parts of {width} in total that are written together.\n\n{}\n",
                parts(book, isa, composite, page)
            )
        }
    }
}

/// The condition on sets of extensions that have a value; empty if all sets have it.
fn needed(isa: &Isa, ty: &Type, raw: u64) -> String {
    ty.requires(raw).map_or(String::new(), |requires| code(&isa.extensions().condition(requires)))
}

fn enumerators(book: &Book<'_>, isa: &Isa, ty: &Type, values: &[Enumerator], page: &str) -> String {
    let head = ["Value", "Name", "Written", "Number format", "Extensions", "Meaning"];
    let mut table = Table::new(&head);
    for value in values {
        let written = match value.spelling.as_str() {
            "" => "never".to_string(),
            spelling if spelling == value.name => String::new(),
            spelling => code(spelling),
        };
        let others = value.also.iter().map(|other| code(other)).collect();
        let written = with_others(written, others);
        let format = value.format.map_or(String::new(), values::format_name);
        let doc = book.context(page).linked(&one_line(&value.doc));
        let (number, needed) = (values::number(value.value), needed(isa, ty, value.value));
        table.row(vec![number, code(&value.name), written, format, needed, doc]);
    }
    table.render()
}

/// Describes the name sets of values, if the instruction set has any.
fn name_sets(isa: &Isa, ty: &Type) -> String {
    if isa.name_sets().is_empty() || !ty.has_other_names() {
        return String::new();
    }
    let sets: Vec<String> = isa.name_sets().iter().map(|name| code(name)).collect();
    format!("The names of a value are, in this order, those of the sets {}.\n\n", sets.join(", "))
}

/// The spelling of a value, and the other spellings that are read as it.
fn with_others(written: String, others: Vec<String>) -> String {
    match (written.is_empty(), others.as_slice()) {
        (_, []) => written,
        (true, others) => format!("also {}", others.join(", ")),
        (false, others) => format!("{written}, also {}", others.join(", ")),
    }
}

fn entries(isa: &Isa, ty: &Type, entries: &[Entry]) -> String {
    let mut table = Table::new(&["Values", "Written", "Meaning", "Classes", "Extensions"]);
    let mut entries: Vec<&Entry> = entries.iter().collect();
    entries.sort_by_key(|entry| entry.value);
    for entry in entries {
        let last = entry.value + (entry.count - 1);
        let range = match entry.count {
            1 => entry.value.to_string(),
            _ => format!("{}–{last}", entry.value),
        };
        let classes = entry.classes.iter().map(|class| code(class)).collect::<Vec<_>>();
        let others = entry.also.iter().map(|other| match entry.count {
            1 => code(&other.at(0)),
            count => code(&format!("{}..{}", other.at(0), other.at(count - 1))),
        });
        let name = code(&values::entry_names(entry));
        let written = match &entry.spelling {
            Some(spelling) => format!("{} (named {name})", code(spelling)),
            None => name,
        };
        let names = with_others(written, others.collect());
        let (meaning, needed) = (values::meaning(isa, entry), needed(isa, ty, entry.value));
        table.row(vec![range, names, meaning, classes.join(", "), needed]);
    }
    table.render()
}

/// How values without a name are written.
fn otherwise(book: &Book<'_>, isa: &Isa, ty: &Type, page: &str) -> String {
    let Some(other) = &ty.otherwise else { return String::new() };
    let link = book.link(Kind::Type, &isa.ty(other.ty).name, page);
    format!("Other values are written as {link}; all may be.\n\n")
}

/// The values without a meaning.
fn free(ty: &Type) -> String {
    let range = |(first, end): &(u64, u128)| match end - u128::from(*first) {
        1 => first.to_string(),
        _ => format!("{first}–{}", end - 1),
    };
    let reserved_values: Vec<String> = ty.reserved_values().iter().map(range).collect();
    match reserved_values.is_empty() {
        true => String::new(),
        false => format!("Illegal values: {}.\n\n", reserved_values.join(", ")),
    }
}

fn number(isa: &Isa, ty: &Type, immediate: &Immediate, width: &str) -> String {
    let print = values::print_name(immediate.print);
    let mut text = format!("A number of {width}: {}.", values::format_name(immediate.number));
    if let Some(scale) = values::scale_name(immediate) {
        text += &format!(" Its value is {scale}.");
    }
    if let Some(base) = immediate.relative {
        text += &format!(" It is a distance from {}.", values::base_name(base));
    }
    if immediate.is_scaled() || !immediate.reserved_values.is_empty() {
        text += &format!(" The values are {}.", values::numbers(isa, ty, immediate));
    }
    text += &format!(" It is printed {print}");
    if let Some(digits) = values::digits(immediate) {
        text += &format!(" {digits}");
    }
    if !immediate.prefix.is_empty() {
        text += &format!(", after {}", code(&immediate.prefix));
    }
    if immediate.reads_either {
        text += ", and read with either sign";
    }
    text + "." + &relocations(immediate)
}

/// The relocations of a type, in a table.
fn relocations(immediate: &Immediate) -> String {
    if immediate.relocations.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["Relocation", "Number", "Gives"]);
    for relocation in &immediate.relocations {
        let (written, gives) = values::relocation(relocation, immediate.relative.is_some());
        table.row(vec![code(&written), relocation.number.to_string(), gives]);
    }
    let of = "Its values may be made of addresses: `value`, and `start`, that of the instruction.";
    format!("\n\n{of}\n\n{}", table.render())
}

fn parts(book: &Book<'_>, isa: &Isa, composite: &Composite, page: &str) -> String {
    let mut table = Table::new(&["Bits", "Part", "Type", "Allowed values"]);
    let format = composite.format_text();
    for part in &composite.parts {
        let ty = isa.ty(part.ty);
        table.row(vec![
            isa.word_layout()
                .numbering_of(composite.parts.iter().map(|part| part.bits.width()).sum())
                .bits(&part.bits),
            code(&part.name),
            book.link(Kind::Type, &ty.name, page),
            values::allowed(isa, ty),
        ]);
    }
    format!("Written {}.\n\n{}", code(&format), table.render())
}

/// The operations with a field of the type.
fn used_by(book: &Book<'_>, name: &str, page: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for isa in book.isas() {
        let is_it = |field: &isadl_ir::isa::Field| isa.ty(field.ty).name == name;
        for opcode in isa.opcodes().iter().filter(|opcode| opcode.fields.iter().any(is_it)) {
            for optype in &opcode.optypes {
                let name = isa.optypes()[optype.index()].name.as_str();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    let mut all: Vec<&str> =
        book.isas().iter().flat_map(|isa| isa.optypes()).map(|o| o.name.as_str()).collect();
    all.sort_unstable();
    all.dedup();
    match names.len() {
        0 => String::new(),
        count if count == all.len() && count > 8 => "Used by all operations.\n\n".to_string(),
        _ => {
            names.sort_unstable();
            let links = names.iter().map(|name| book.link(Kind::Optype, name, page));
            format!("Used by {}.\n\n", links.collect::<Vec<_>>().join(", "))
        }
    }
}
