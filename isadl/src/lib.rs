//! The front end of a description language for instruction sets.
//!
//! One direction, one type a stage; a later type is the proof of the checks before it:
//!
//! ```text
//! SourceMap ─parse→ ast::File ─resolve→ model::Model ─lower→ isa::Isa
//!            spans, names      ids, widths, types     masks, values, tree
//! ```
//!
//! [`compile`] runs all of it. The language is described in `LANGUAGE.md`.
//!
//! ```
//! let mut sources = isadl::source::SourceMap::new();
//! sources.add("tiny.isa", b"
//! __DefIsa TINY<8>
//! __DefImmediate Code<4>
//!     Number = unsigned;
//! __DefGroup ALL : []
//! __DefOptype NOP : [ALL]
//! __DefOpcode NOP_X : [NOP]
//!   __Encoding
//!     field<0, 4> Code code == 7;
//! ".to_vec());
//! let compilation = isadl::compile(&sources);
//! let isa = compilation.into_isa().expect("no errors");
//! assert_eq!(isa.opcodes()[0].mask, 0xf);
//! assert!(isa.decode(0x27).is_ok());
//! assert!(isa.decode(0x28).is_err());
//! ```

pub mod ast;
pub mod broken;
mod check;
pub mod diagnostic;
pub mod dump;
pub mod explain;
pub mod hex;
pub mod interpret;
pub mod isa;
mod lower;
pub mod model;
pub mod numbers;
pub mod parse;
mod prose;
pub mod render;
pub mod resolve;
pub mod source;
mod suggest;
pub mod text;
pub mod tree;

use diagnostic::Diagnostics;
use isa::{Family, Generations, Isa};
use source::SourceMap;

/// What came of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The instruction set in all generations; there exactly when no error was found.
    pub family: Option<Family>,
    /// Everything found, in order of place.
    pub diagnostics: Diagnostics,
    /// How much was read.
    pub counts: Counts,
}

impl Compilation {
    /// The instruction set of the first generation.
    pub fn into_isa(self) -> Option<Isa> {
        self.family.map(Family::into_first)
    }
}

/// How many definitions of each kind were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files.
    pub files: usize,
    /// Types of all kinds.
    pub types: usize,
    /// Groups.
    pub groups: usize,
    /// Optypes.
    pub optypes: usize,
    /// Opcodes.
    pub opcodes: usize,
}

/// Compiles the files of one instruction set. Never panics, whatever the files hold.
pub fn compile(sources: &SourceMap) -> Compilation {
    let mut diagnostics = sources.problems().clone();
    let files = parse::parse(sources, &mut diagnostics);
    let model = resolve::resolve(sources, &files, &mut diagnostics);
    check::model(&model, &mut diagnostics);
    let mut numbers = numbers::Numbers::read(sources, &mut diagnostics);
    numbers.complete(&files, &mut diagnostics);
    let mut isa = None;
    if !diagnostics.has_errors() {
        isa = lower::lower(&model, &numbers, Generations::all(1));
        if let Some(isa) = &isa {
            check::encoding(isa, &model, &mut diagnostics);
            if !diagnostics.has_errors() {
                check::text(isa, &model, &mut diagnostics);
            }
        }
    }
    diagnostics.finish();
    Compilation {
        family: Family::new(isa.into_iter().filter(|_| !diagnostics.has_errors()).collect()),
        counts: counts(sources, &model),
        diagnostics,
    }
}

fn counts(sources: &SourceMap, model: &model::Model<'_>) -> Counts {
    use model::LayerKind;
    let layers = |kind: LayerKind| model.layers.iter().filter(|layer| layer.kind == kind).count();
    Counts {
        files: sources.specification().count(),
        types: model.types.len(),
        groups: layers(LayerKind::Group),
        optypes: layers(LayerKind::Optype),
        opcodes: layers(LayerKind::Opcode),
    }
}
