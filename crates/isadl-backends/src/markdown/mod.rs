//! The manual backend: a reference of the instruction set. It is written as Markdown that a forge can show and that
//! mdBook turns into a book, or as a single HTML file (`html/`).
//!
//! There is one page per operation, group and type (`operation_page.rs`, `forms.rs`, `groups.rs`, `types.rs`), and pages
//! that link to them (`indexes.rs`). An opcode map (`maps.rs`) is on the page of a group if it shows more than any
//! other map (`opcode_maps.rs`). Generations are compared as text: `view.rs` describes an opcode of one generation in words,
//! `variants.rs` groups and joins the descriptions. Each form has its diagram (`layout.rs`; `svg.rs`, `wavedrom.rs`).
//!
//! What opcodes do is shown as programs (`programs.rs`), which are the only HTML on pages (`page_text.rs`).
//!
//! Invariants: links lead to pages that exist (`pages.rs`). Prose cannot leave its section (`prose.rs`), and a renderer
//! never takes text of a specification for HTML (`seal.rs`). The output does not depend on the order of files or of a
//! hash map.

mod alias_text;
mod aliases;
mod book;
mod declarations;
mod differences;
mod encodings;
mod examples;
mod extensions;
mod forms;
mod groups;
mod headings;
mod html;
mod indexes;
mod layout;
mod maps;
mod modifiers;
mod notation;
mod opcode_maps;
mod operation;
mod operation_page;
mod options;
mod page_text;
mod page_writer;
mod pages;
mod programs;
mod prose;
mod registers;
mod restrictions;
mod seal;
mod sections;
mod sources;
mod svg;
mod text;
mod types;
mod variants;
mod view;
mod wavedrom;

use std::collections::{BTreeMap, BTreeSet};

use isadl_diagnostics::source::SourceMap;
use isadl_ir::isa::{Family, SectionKind};
use isadl_runtime::engine::Loaded;
use isadl_semantics::Checked;

use crate::output::Output;
use book::Book;
pub use headings::heading_ids;
pub use html::{Links, render, target, without_elements};
use opcode_maps::OpcodeMaps;
use operation::Operation;
pub use options::{Groups, Options, SourceLinks};
use page_writer::PageWriter;
pub use page_writer::{Manual, Page};
use pages::Pages;
use sources::Sources;

/// Generates the manual of an instruction set: a book below `docs/`. `programs` says what its opcodes do, in each
/// generation; `sources` is what it was compiled from.
pub fn generate(
    family: &Family,
    programs: &[Checked],
    sources: &SourceMap,
    options: &Options,
) -> Output {
    writer(family, programs, sources, options, false).finish(family.first().name())
}

/// Generates the manual as a single file, `manual.html`, that needs no other file and no network, like
/// [`generate`].
pub fn html(
    family: &Family,
    programs: &[Checked],
    sources: &SourceMap,
    options: &Options,
) -> Output {
    let writer = writer(family, programs, sources, options, true);
    html::output(family.first().name(), writer.entries(), writer.pictures())
}

/// The pages and pictures of the manual, for showing them one by one with [`render`], like [`generate`].
pub fn manual(
    family: &Family,
    programs: &[Checked],
    sources: &SourceMap,
    options: &Options,
) -> Manual {
    writer(family, programs, sources, options, false).into_manual()
}

/// The pages.
fn writer(
    family: &Family,
    programs: &[Checked],
    sources: &SourceMap,
    options: &Options,
    is_single: bool,
) -> PageWriter {
    let mut pages = Pages::new(family.isas(), options.groups);
    pages.declarations(family.isas(), programs);
    let sources = Sources::new(family.first().outline(), sources, options, is_single);
    let loaded = family.isas().iter().cloned().map(Loaded::quick).collect();
    let summaries = prose::summaries(&descriptions(family));
    let book = Book { family, programs, loaded, pages, sources, is_single, summaries };
    let names = optype_names(&book);
    let operations: Vec<Operation<'_>> =
        names.iter().map(|name| Operation::new(&book, name)).collect();
    let mut writer = PageWriter::default();
    indexes::front(&book, &operations, &mut writer);
    notation::write(&book, &mut writer);
    writer.part("Operations");
    indexes::by_group(&book, &operations, &mut writer);
    operations.iter().for_each(|operation| operation.write(&mut writer));
    indexes::by_mnemonic(&book, &operations, &mut writer);
    extensions::write(&book, &operations, &mut writer);
    writer.part("Encoding");
    encodings::write(&book, &operations, &mut writer);
    groups(&book, &operations, &mut writer);
    writer.part("Reference");
    types::write(&book, &mut writer);
    registers::write(&book, &mut writer);
    restrictions::write(&book, &mut writer);
    writer
}

/// The entry of an opcode in the manual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The path of its page below the output folder, with the heading of the form.
    pub page: String,
    /// The first sentence of its operation's description; may be empty.
    pub summary: String,
}

/// The entry in the manual of the opcode with a name.
pub fn entry(family: &Family, opcode: &str) -> Option<Entry> {
    let pages = Pages::new(family.isas(), Groups::default());
    let place = pages.get(pages::Kind::Opcode, opcode)?;
    let found = family.isas().iter().find_map(|isa| {
        let optype = isa.opcode(isa.find_opcode(opcode)?).optypes.first()?;
        Some(sections::section(&isa.optypes()[optype.index()].prose, SectionKind::Description))
    });
    let summary = prose::summary(&found.unwrap_or_default());
    // Links are names in double brackets.
    let summary = summary.replace("[[", "").replace("]]", "");
    Some(Entry { page: format!("docs/src/{}", place.from("")), summary })
}

/// The pages of groups below their index.
fn groups(book: &Book<'_>, operations: &[Operation<'_>], writer: &mut PageWriter) {
    let maps = OpcodeMaps::new(book);
    indexes::of_groups(book, &maps, operations, writer);
    for name in book.groups() {
        groups::write(book, (name, &maps), operations, writer);
    }
}

/// The descriptions of operations by name, from the first generation that has a description.
fn descriptions(family: &Family) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for optype in family.isas().iter().flat_map(|isa| isa.optypes()) {
        let text = found.entry(optype.name.clone()).or_default();
        if text.is_empty() {
            *text = sections::section(&optype.prose, SectionKind::Description);
        }
    }
    found
}

/// The names of the operations of all generations, in order of definition.
fn optype_names(book: &Book<'_>) -> Vec<String> {
    let mut known = BTreeSet::new();
    let optypes = book.isas().iter().flat_map(|isa| isa.optypes());
    let names = optypes.filter(|optype| !optype.opcodes.is_empty()).map(|optype| &optype.name);
    names.filter(|name| known.insert(name.as_str())).cloned().collect()
}
