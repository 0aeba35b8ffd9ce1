//! The pages of groups: their descriptions, operations and opcode maps.

use std::collections::BTreeSet;

use isadl_ir::isa::{Isa, OpcodeId, Origin, SectionKind};

use super::book::Book;
use super::opcode_maps::OpcodeMaps;
use super::operation::Operation;
use super::page_text::PageText;
use super::page_writer::PageWriter;
use super::pages::{Kind, PageAnchor, relative};
use super::sections::section;
use super::text::{Table, code, plain, plural, word};
use super::view::NAME;
use super::{maps, notation, programs, prose, sections, variants};
use crate::space::{self, Map, Space};

/// The group with a name in one generation.
fn group<'i>(isa: &'i Isa, name: &str) -> Option<(usize, &'i isadl_ir::isa::Group)> {
    isa.groups().iter().enumerate().find(|(_, group)| group.name == name)
}

/// The groups with a page to which the forms of an operation belong. Groups that contain another of these groups are
/// left out.
pub(super) fn of_operation<'b>(book: &'b Book<'_>, name: &str) -> Vec<&'b str> {
    let mut names: Vec<&str> = Vec::new();
    for isa in book.isas() {
        let optypes = isa.optypes().iter().filter(|optype| optype.name == name);
        let opcodes = optypes.flat_map(|optype| &optype.opcodes);
        let groups = opcodes.flat_map(|id| &isa.opcode(*id).groups);
        let groups: BTreeSet<usize> = groups.map(|id| id.index()).collect();
        let shown = groups.into_iter().filter(|id| book.has_group(&isa.groups()[*id].name));
        let shown: Vec<usize> = shown.collect();
        let above: BTreeSet<usize> = shown.iter().flat_map(|id| above(isa, *id)).collect();
        for id in shown.iter().filter(|id| !above.contains(id)) {
            let name = isa.groups()[*id].name.as_str();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The groups that a group is part of, directly or not.
fn above(isa: &Isa, index: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![index];
    while let Some(index) = open.pop() {
        for parent in &isa.groups()[index].parents {
            if found.insert(parent.index()) {
                open.push(parent.index());
            }
        }
    }
    found
}

/// The nearest groups with a page above a group, and the groups without a page in between.
fn parents(book: &Book<'_>, isa: &Isa, index: usize) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let (mut shown, mut hidden) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![index];
    while let Some(index) = open.pop() {
        for parent in isa.groups()[index].parents.iter().map(|parent| parent.index()) {
            if book.has_group(&isa.groups()[parent].name) {
                shown.insert(parent);
            } else if hidden.insert(parent) {
                open.push(parent);
            }
        }
    }
    (shown, hidden)
}

/// The operations of a group, including the operations of its subgroups.
pub(super) fn operations<'o, 'b>(
    book: &Book<'_>,
    name: &str,
    operations: &'o [Operation<'b>],
) -> Vec<&'o Operation<'b>> {
    let has = |operation: &&Operation<'_>| {
        book.isas().iter().any(|isa| {
            let Some((index, _)) = group(isa, name) else { return false };
            let optype = isa.optypes().iter().find(|optype| optype.name == operation.name);
            let opcodes = optype.map_or(&[][..], |optype| optype.opcodes.as_slice());
            opcodes.iter().any(|id| isa.opcode(*id).groups.iter().any(|g| g.index() == index))
        })
    };
    operations.iter().filter(has).collect()
}

/// Summarizes a group in one sentence.
pub(super) fn summary(book: &Book<'_>, name: &str, page: &str) -> String {
    if book.isas().iter().any(|isa| notation::is_root(isa, name)) {
        return "All operations.".to_string();
    }
    let mut texts = book
        .isas()
        .iter()
        .filter_map(|isa| Some(section(&group(isa, name)?.1.prose, SectionKind::Description)));
    let text = prose::summary(&texts.find(|text| !text.is_empty()).unwrap_or_default());
    book.context(page).linked(&text)
}

/// Writes the page of a group.
pub(super) fn write(
    book: &Book<'_>,
    (name, maps): (&str, &OpcodeMaps<'_>),
    all: &[Operation<'_>],
    writer: &mut PageWriter,
) {
    let page = book.pages.get(Kind::Group, name).map_or("", PageAnchor::path);
    let programs = programs::of_group(book, name, page);
    let mut text = PageText::from(&format!("# Group {}\n\n", word(name)));
    let is_root = book.isas().iter().any(|isa| notation::is_root(isa, name));
    for kind in SectionKind::ALL {
        let prose = book.variants(|isa| Some(section(&group(isa, name)?.1.prose, kind)));
        if is_root && kind == SectionKind::Description {
            let link = relative(page, super::pages::NOTATION);
            text += &format!(
                "All operations. What they have in common is on the page [Notation]({link}).\n\n"
            );
        } else if kind == SectionKind::Examples {
            for variant in prose.iter().filter(|variant| !variant.is.is_empty()) {
                let is_own = |isa: &Isa, id: OpcodeId| {
                    let own = group(isa, name).map(|(index, _)| index);
                    isa.opcode(id).groups.iter().any(|group| Some(group.index()) == own)
                };
                text += &book.examples(page, &variant.is, &is_own);
            }
        } else if kind == SectionKind::Semantics && !programs.is_empty() {
            let rest = book.variants(|isa| {
                let prose = section(&group(isa, name)?.1.prose, kind);
                Some(sections::without_programs(&prose))
            });
            text += &book.prose(page, 1, &rest);
        } else {
            text += &book.prose(page, 1, &prose);
        }
    }
    let has_map = maps.own().contains(&name);
    let maps = if has_map { String::new() } else { map_links(book, (name, maps), page) };
    text += &relations(book, (name, maps), page);
    text += &fields(book, name, page);
    text += programs;
    if has_map {
        text += &opcode_map(book, name, page, writer);
    }
    if is_root {
        let link = relative(page, "operations.md");
        text += &format!("Its operations are in the list of [operations by group]({link}).\n");
        return writer.page(page, name, 1, text);
    }
    let members = operations(book, name, all);
    let mut table = Table::new(&["Operation", "Summary", "Forms", "Generations"]);
    for operation in &members {
        table.row(row(book, operation, page));
    }
    text += &format!("## {}\n\n{}", plural(members.len(), "operation"), table.render());
    writer.page(page, name, 1, text);
}

/// A row of an index.
pub(super) fn row(book: &Book<'_>, operation: &Operation<'_>, page: &str) -> Vec<String> {
    let sets: Vec<_> = operation.forms.iter().flat_map(|form| form.variants.clone()).collect();
    vec![
        book.link(Kind::Optype, operation.name, page),
        operation.summary(page),
        operation.forms.len().to_string(),
        book.generations(variants::union(&sets)),
    ]
}

fn relations(book: &Book<'_>, (name, maps): (&str, String), page: &str) -> String {
    let mut parents: Vec<String> = Vec::new();
    let mut children: Vec<String> = Vec::new();
    let add = |list: &mut Vec<String>, name: &str| {
        let link = book.link(Kind::Group, name, page);
        if !list.contains(&link) {
            list.push(link);
        }
    };
    for isa in book.isas() {
        let Some((index, _)) = group(isa, name) else { continue };
        for parent in self::parents(book, isa, index).0 {
            add(&mut parents, &isa.groups()[parent].name);
        }
        for (other, below) in isa.groups().iter().enumerate() {
            if book.has_group(&below.name) && self::parents(book, isa, other).0.contains(&index) {
                add(&mut children, &below.name);
            }
        }
    }
    let mut table = Table::new(&["Property", "Value"]);
    let source = book.sources.links(Kind::Group, name, page);
    let sets = book.variants(|isa| group(isa, name).map(|_| ()));
    let generations = book.label(variants::union(&sets));
    let facts = [
        ("Belongs to", parents.join(", ")),
        ("Groups below", children.join(", ")),
        ("Opcode map", maps),
        ("Generations", generations),
        ("Source", source),
    ];
    for (what, value) in facts {
        if !value.is_empty() {
            table.row(vec![what.to_string(), value]);
        }
    }
    format!("{}\n", table.render())
}

/// The fields that are declared by the group, or by groups without a page that contain it.
fn fields(book: &Book<'_>, name: &str, page: &str) -> String {
    let rows = book.variants(|isa| {
        let (index, _) = group(isa, name)?;
        let (_, hidden) = parents(book, isa, index);
        let is_own = |id: usize| id == index || hidden.contains(&id);
        let mut rows: Vec<(u32, Vec<String>)> = Vec::new();
        let fields = |opcode| isa.opcode(opcode).fields.iter().map(move |field| (opcode, field));
        for (opcode, field) in isa.opcode_ids().flat_map(fields) {
            let is_member = isa.opcode(opcode).groups.iter().any(|id| id.index() == index);
            if !is_member || !matches!(field.origin, Origin::Group(id) if is_own(id.index())) {
                continue;
            }
            let ty = book.link(Kind::Type, &isa.ty(field.ty).name, page);
            let place = isa.numbering(isa.opcode(opcode)).bits(&field.bits);
            let row = vec![place, code(isa.name_of(field.name)), ty];
            if !rows.iter().any(|(_, known)| *known == row) {
                rows.push((field.lsb(), row));
            }
        }
        rows.sort_by_key(|(lsb, _)| std::cmp::Reverse(*lsb));
        Some(rows.into_iter().map(|(_, row)| row).collect::<Vec<_>>())
    });
    let mut table = Table::new(&["Bits", "Field", "Type"]);
    for row in variants::join(&rows, NAME, |set| book.names(set)) {
        table.row(row);
    }
    if table.is_empty() {
        return String::new();
    }
    format!(
        "## Fields\n\nThe group declares these fields for its operations:\n\n{}\n",
        table.render()
    )
}

/// Links to the opcode maps that contain the operations of a group.
pub(super) fn map_links(
    book: &Book<'_>,
    (name, maps): (&str, &OpcodeMaps<'_>),
    page: &str,
) -> String {
    let link = |map: &str| map_link(book, map, page);
    maps.of(name).into_iter().map(link).collect::<Vec<_>>().join(", ")
}

/// A link to the opcode map of a group.
pub(super) fn map_link(book: &Book<'_>, name: &str, page: &str) -> String {
    let link = book.pages.get(Kind::Group, name).map(|place| place.from(page)).unwrap_or_default();
    format!("[{}]({link}#opcode-map)", word(name))
}

/// The opcode map of each generation with a picture; equal maps appear once.
fn opcode_map(book: &Book<'_>, name: &str, page: &str, writer: &mut PageWriter) -> String {
    let maps = book.variants(|isa| {
        let map = Map::new(isa, name)?;
        let space = Space { generations: Vec::new(), ..space::space(isa, name, &map) };
        let text = maps::text(book, isa, (&map, &space), page);
        // In a part of an instruction set, the space that other groups take is unknown.
        Some((text, (!isa.is_part()).then_some(space)))
    });
    let mut text = String::from("## Opcode map\n\n");
    for variant in maps {
        let label = book.label(variant.generations);
        if !label.is_empty() {
            text += &format!("### {label}\n\n");
        }
        let (tables, space) = variant.is;
        text += &tables;
        if let Some(space) = space {
            let names = book.family.first().generation_names(variant.generations);
            let generations = names.map(str::to_string).collect();
            let picture = writer.map_picture(&Space { generations, ..space });
            let picture = relative(page, &format!("svg/{picture}.svg"));
            let alt = plain(&format!("Encoding space of {name}: taken, reserved and free values"));
            text += &format!("![{alt}]({picture})\n\n");
        }
    }
    text
}
