//! Resolution: from syntax trees to the model.
//!
//! In order: definitions by name (here), types (`types.rs`), layers and their chains
//! (`layers.rs`), fields (`fields.rs`), operand statements (`operands.rs`), expressions
//! (`exprs.rs`). Codes of this file: E0201, E0202, E0206, E0207, E0208, E0305.

mod exprs;
mod fields;
mod layers;
mod operands;
mod types;

use std::collections::HashMap;

use crate::ast::{DefinitionKind, File, Ident, Int};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{MAX_FIELD_BITS, MAX_WORD_BITS, RegFileId, TypeId};
use crate::model::{IsaHeader, LayerId, LayerKind, Model, RegFile};
use crate::source::{SourceMap, Span};

/// Resolves all files of an instruction set together.
pub fn resolve<'a>(
    sources: &SourceMap,
    files: &'a [File<'a>],
    diagnostics: &mut Diagnostics,
) -> Model<'a> {
    let mut resolver = Resolver { model: Model::default(), index: Index::default(), diagnostics };
    resolver.headers(sources, files);
    resolver.types(files);
    resolver.layers(files);
    resolver.fields();
    resolver.operands();
    resolver.model
}

struct Resolver<'a, 'd> {
    model: Model<'a>,
    index: Index<'a>,
    diagnostics: &'d mut Diagnostics,
}

/// Where names were first defined. Types, register files and layers have names of their own.
#[derive(Default)]
struct Index<'a> {
    types: HashMap<&'a str, (TypeId, Span)>,
    reg_files: HashMap<&'a str, (RegFileId, Span)>,
    layers: HashMap<&'a str, (LayerId, Span)>,
    /// The register file behind each prefix of register names, as `R` of `R[0..254]`.
    prefixes: HashMap<&'a str, RegFileId>,
}

impl<'a> Resolver<'a, '_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The instruction set's header and the register files.
    fn headers(&mut self, sources: &SourceMap, files: &'a [File<'a>]) {
        for definition in files.iter().flat_map(|file| &file.definitions) {
            match &definition.kind {
                DefinitionKind::Isa(isa) => {
                    if let Some(first) = &self.model.isa {
                        let diagnostic = Diagnostic::new(
                            Code::E0207,
                            "second `__DefIsa`",
                            definition.header,
                        )
                        .with_related(first.name.span, "the first is here")
                        .with_help(
                            "keep one; the files that are checked together are one instruction set",
                        );
                        self.report(diagnostic);
                        continue;
                    }
                    let width = self.width_in(isa.width, MAX_WORD_BITS, "an instruction");
                    if width % 8 != 0 {
                        let diagnostic = Diagnostic::new(
                            Code::E0305,
                            "an instruction must be whole bytes",
                            isa.width.span,
                        );
                        self.report(diagnostic.with_label(format!("{width} bits")));
                    }
                    let header = IsaHeader {
                        name: definition.name,
                        width,
                        generations: isa.generations.clone(),
                        prose: &definition.prose,
                    };
                    self.model.isa = Some(header);
                }
                DefinitionKind::RegFile(file) => {
                    let id = RegFileId(self.model.reg_files.len() as u32);
                    if !self.define(
                        |index| &mut index.reg_files,
                        definition.name,
                        id,
                        "register file",
                    ) {
                        continue;
                    }
                    let width = self.width_in(file.width, 1 << 16, "a register");
                    let count =
                        self.width_in(file.count, 1 << 16, "the number of registers in a file");
                    let prose = &definition.prose;
                    self.model.reg_files.push(RegFile {
                        name: definition.name,
                        width,
                        count,
                        prose,
                    });
                }
                _ => {}
            }
        }
        if self.model.isa.is_none()
            && let Some(file) = sources.specification().next()
        {
            let defines = files.iter().any(|file| !file.definitions.is_empty());
            let span = Span { file, start: 0, end: 0 };
            let diagnostic = Diagnostic::new(Code::E0206, "no instruction set is defined", span)
                .with_note("one of the files must hold `__DefIsa NAME<bits>`")
                .with_help("add it, or name the file that holds it on the command line too");
            // A text that defines nothing at all was reported for that already.
            if defines || self.diagnostics.count(crate::diagnostic::Severity::Error) == 0 {
                self.report(diagnostic);
            }
        }
    }

    /// Enters a name; `false` (and reported) if it is taken.
    fn define<Id>(
        &mut self,
        table: impl for<'i> Fn(&'i mut Index<'a>) -> &'i mut HashMap<&'a str, (Id, Span)>,
        name: Ident<'a>,
        id: Id,
        what: &str,
    ) -> bool {
        let table = table(&mut self.index);
        if let Some((_, first)) = table.get(name.text) {
            let diagnostic = Diagnostic::new(
                Code::E0201,
                format!("`{}` is defined twice", name.text),
                name.span,
            )
            .with_label(format!("second {what} of this name"))
            .with_related(*first, "the first is here")
            .with_help("rename one of the two");
            self.report(diagnostic);
            return false;
        }
        table.insert(name.text, (id, name.span));
        true
    }

    /// A count of bits from 1 to `limit`; another is reported and replaced by the nearest.
    fn width_in(&mut self, width: Int, limit: u32, what: &str) -> u32 {
        let clamped = width.value.clamp(1, i128::from(limit));
        if clamped != width.value {
            let diagnostic = Diagnostic::new(
                Code::E0305,
                format!("{} is out of range for {what}", width.value),
                width.span,
            )
            .with_label(format!("must be 1 to {limit}"));
            self.report(diagnostic);
        }
        clamped as u32
    }

    fn type_width(&mut self, width: Int) -> u32 {
        self.width_in(width, MAX_FIELD_BITS, "a type's width in bits")
    }

    /// The type of a name; an undefined one is reported.
    fn type_of(&mut self, name: Ident<'a>) -> Option<TypeId> {
        if let Some((id, _)) = self.index.types.get(name.text) {
            return Some(*id);
        }
        let mut known: Vec<&str> = self.index.types.keys().copied().collect();
        known.sort_unstable();
        let diagnostic =
            Diagnostic::new(Code::E0202, format!("type `{}` is not defined", name.text), name.span)
                .with_label("no such type")
                .with_suggestion(name.text, known);
        self.report(diagnostic);
        None
    }

    /// The register file of a name; an undefined one is reported.
    fn reg_file_of(&mut self, name: Ident<'a>) -> Option<RegFileId> {
        if let Some((id, _)) = self.index.reg_files.get(name.text) {
            return Some(*id);
        }
        let known: Vec<&str> = self.model.reg_files.iter().map(|file| file.name.text).collect();
        let diagnostic = Diagnostic::new(
            Code::E0208,
            format!("register file `{}` is not defined", name.text),
            name.span,
        )
        .with_label("no such register file")
        .with_suggestion(name.text, known);
        self.report(diagnostic);
        None
    }
}

/// The kind of layer a definition is, with what was written.
fn layer_kind<'a>(kind: &'a DefinitionKind<'a>) -> Option<(LayerKind, &'a crate::ast::Layer<'a>)> {
    match kind {
        DefinitionKind::Group(layer) => Some((LayerKind::Group, layer)),
        DefinitionKind::Optype(layer) => Some((LayerKind::Optype, layer)),
        DefinitionKind::Opcode(layer) => Some((LayerKind::Opcode, layer)),
        _ => None,
    }
}
