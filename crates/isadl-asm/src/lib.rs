//! Assembles whole files for any instruction set that isadl describes.
//!
//! Each stage has its own type.
//!
//! - Source text becomes statements (`text.rs`); files, macros and repetitions deliver them one by one (`expand.rs`,
//!   `macros.rs`).
//! - Statements become items of sections (`assembler.rs`, `blocks.rs`, `directives.rs`, `data.rs`, `places.rs`,
//!   `pools.rs`). An item is known bytes, or an item whose size or value is known later (`sections.rs`).
//! - Layout assigns all offsets (`layout.rs`).
//! - Tables of frames and lines are appended, since nothing depends on their sizes (`frame_table.rs`, `line_table.rs`).
//! - Resolution makes an [`Object`] from the result, including relocations for linkers (`resolve.rs`).
//! - The object is written as a raw binary, Intel HEX, a listing, or an ELF object (`output/`).
//!
//! ```
//! use isadl::engine::Loaded;
//! use isadl::source::SourceMap;
//! use isadl_asm::{Options, Purpose, assemble, output};
//!
//! # let mut specification = SourceMap::new();
//! # specification.add("tiny.isa", b"
//! # __DefIsa TINY<16>
//! # __DefImmediate Code<8>
//! #     Number = unsigned;
//! # __DefImmediate Distance<8>
//! #     Number = signed;
//! #     Relative = next;
//! # __DefGroup ALL : []
//! # __DefOpcode JUMP : [ALL]
//! #   __Encoding
//! #     field<0, 8> Code code == 7;
//! #     field<8, 8> Distance distance;
//! #   __OperandInfo
//! #     Mnemonic<\"jump\">;
//! #     Operands<distance>;
//! # ".to_vec());
//! let isa = isadl::compile(&specification).into_isa().expect("no errors");
//! let loaded = Loaded::new(isa);
//! let mut sources = SourceMap::new();
//! let file = sources.add("loop.s", b"start: jump start\n .byte 1 + 2\n".to_vec());
//! let (options, purpose) = (Options::default(), Purpose::Address(0x100));
//! let (object, diagnostics) =
//!     assemble(&loaded.engine(), &mut sources, &[file], &options, purpose);
//! let object = object.ok_or(diagnostics.iter().count()).expect("no errors");
//! assert_eq!(output::raw(&object), [7, 0xfe, 3]);
//! ```
//!
//! [`disasm`] goes the other way, from files with machine code to lines.
//!
//! This crate contains no facts of an instruction set: comments, registers, relocations and facts of object files come
//! from the specification.

mod alternate;
mod architecture;
mod architectures;
mod assembler;
mod blocks;
mod body;
mod calls;
mod cfi;
mod collect;
mod data;
mod definitions;
mod directives;
pub mod disasm;
mod expand;
mod expr;
mod frame_table;
mod frames;
mod functions;
mod instructions;
mod layout;
mod line_table;
mod lines;
mod links;
mod macros;
mod memo;
mod names;
mod no_values;
mod nops;
mod notes;
mod object;
mod offsets;
mod options;
pub mod output;
mod own_words;
mod padding;
mod places;
mod pools;
mod resolve;
mod sections;
mod sizes;
mod structures;
mod subsections;
mod symbols;
mod tables;
mod text;
mod told;
mod tree;
mod views;
mod words;

pub use object::{Object, ObjectSection, ObjectSymbol, Relocation, SymbolPlace};
pub use options::{Limits, Options};
pub use symbols::{Binding, SymbolKind, Visibility};
pub use text::readable;

use isadl::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl::engine::Engine;
use isadl::source::{FileId, SourceMap};

use assembler::{Assembler, Unit};
use layout::Placer;
use offsets::Layout;
use resolve::{Bases, Resolver};
use sizes::Sizes;
use text::{LineScanner, Text};

/// The purpose of assembling a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A linker: symbols of other files may be used, and sections have no addresses.
    Linker,
    /// Memory: sections follow each other from this address.
    Address(u64),
}

/// Assembles files as a single file: first the macros of the instruction set, if it has any, then the user's files.
/// `sources` contains only assembly files; included files are added to it.
///
/// Returns the object, unless there are errors, and the diagnostics.
pub fn assemble(
    engine: &Engine<'_>,
    sources: &mut SourceMap,
    files: &[FileId],
    options: &Options,
    purpose: Purpose,
) -> (Option<Object>, Diagnostics) {
    let scanner = LineScanner::new(engine.isa().comment_syntax());
    let mut texts = Vec::new();
    for file in files {
        let source = sources.file(*file);
        let start = (source.text().len() - source.content().len()) as u32;
        texts.push(Text::of_file(*file, start, source.content(), &scanner));
    }
    let for_linker = purpose == Purpose::Linker;
    let mut assembler = Assembler::new(engine.clone(), sources, (options, for_linker));
    texts.into_iter().for_each(|text| assembler.read(text));
    assembler.put_pools();
    let (mut unit, mut diagnostics) = assembler.finish();
    // An empty file is none that lacks something.
    let unread = sources.problems().iter().filter(|problem| problem.code != Code::E0002);
    unread.for_each(|problem| diagnostics.push(problem.clone()));
    let relaxations = &engine.relaxations();
    let sizes = Sizes::new(engine);
    let mut placer =
        Placer { engine, relaxations, for_linker, sizes, diagnostics: &mut diagnostics };
    let mut layout = placer.place(&mut unit);
    if diagnostics.has_errors() && has_no_layout(&diagnostics) {
        return (None, sorted(diagnostics));
    }
    if for_linker {
        frame_table::write(engine.isa(), (&mut unit, &mut layout), &mut diagnostics);
        line_table::write(engine.isa(), (&mut unit, &mut layout));
    }
    let written = unit.sections.iter().enumerate().filter(|(_, own)| !own.attributes.is_empty);
    let bytes = written.fold(0, |all: u64, (index, _)| all.saturating_add(layout.size(index)));
    if bytes > options.limits.bytes {
        let message =
            format!("the program has {bytes} bytes; the maximum is {}", options.limits.bytes);
        if let Some(file) = files.last() {
            diagnostics.push(Diagnostic::new(Code::E1106, message, sources.start(*file)));
        }
        return (None, sorted(diagnostics));
    }
    let bases = match purpose {
        Purpose::Linker => Bases::Linker,
        Purpose::Address(first) => Bases::Fixed(addresses(&unit, &layout, first)),
    };
    let (unit, layout) = (&unit, &layout);
    let mut resolver = Resolver::new(engine, (unit, layout), bases, &mut diagnostics);
    let sections = resolver.resolve();
    let object = resolver.object(sections);
    let object = Some(object).filter(|_| !diagnostics.has_errors());
    (object, sorted(diagnostics))
}

fn sorted(mut diagnostics: Diagnostics) -> Diagnostics {
    diagnostics.finish();
    diagnostics
}

/// Whether the file is larger than the limit, or an item has no valid offset.
fn has_no_layout(diagnostics: &Diagnostics) -> bool {
    diagnostics.iter().any(|one: &Diagnostic| matches!(one.code, Code::E1106 | Code::E1108))
}

/// The addresses of consecutive sections; sections with bytes come first.
fn addresses(unit: &Unit, layout: &Layout, first: u64) -> Vec<u64> {
    let mut addresses = vec![0; unit.sections.len()];
    let mut at = first;
    for is_empty in [false, true] {
        for (index, section) in unit.sections.iter().enumerate() {
            let own = &section.attributes;
            if own.is_empty != is_empty || !own.is_allocated || layout.size(index) == 0 {
                continue;
            }
            at = at.wrapping_add(section.align - 1) & section.align.wrapping_neg();
            addresses[index] = at;
            at = at.wrapping_add(layout.size(index));
        }
    }
    addresses
}
