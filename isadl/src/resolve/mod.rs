//! Resolution: from syntax trees to the model.
//!
//! In order: definitions by name (here), types (`types/`), layers and their chains
//! (`layers.rs`), fields (`fields.rs`) and their values (`values.rs`), operand statements
//! (`operands.rs`, `lists.rs`, `functions.rs`), expressions (`exprs.rs`). The content of a reported
//! text is unknown, so nothing that it may define is reported as missing. Codes of this file: E0201,
//! E0202, E0206, E0207, E0208, E0304, E0305.

mod aliases;
mod computed_views;
mod control;
mod environments;
mod exprs;
mod fields;
mod fixes;
mod flow;
mod functions;
mod layers;
mod list_views;
mod lists;
mod mnemonics;
mod modifier_views;
mod operands;
mod plain_views;
mod shorts;
mod types;
mod values;
mod views;
mod word_layout;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::ast::{self, BrokenDefinition, Definition, DefinitionKind, File, Ident, Int, NameSpace};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{CommentSyntax, MAX_WORD_BITS, ModifierStyle, RegFileId, TypeId};
use crate::model::{IsaHeader, LayerId, LayerKind, Model, RegFile};
use crate::source::{SourceMap, Span};

/// Resolves all files of an instruction set together.
pub fn resolve<'a>(
    sources: &'a SourceMap,
    files: &'a [File<'a>],
    diagnostics: &mut Diagnostics,
) -> Model<'a> {
    let mut resolver = Resolver {
        sources,
        files,
        model: Model::default(),
        index: Index::default(),
        reported: HashSet::new(),
        suggestions: Suggestions { comparisons: MAX_COMPARISONS },
        guards: BTreeMap::new(),
        unit: None,
        view_types: views::ViewTypes::default(),
        diagnostics,
    };
    resolver.collect_unresolved();
    resolver.headers();
    resolver.types();
    resolver.rising_bits();
    let order = resolver.layers();
    resolver.fields(&order);
    resolver.aliases();
    resolver.operands();
    resolver.environments();
    resolver.model
}

/// Limit on the names that are compared with misspelt names. Beyond it, nothing is suggested: a text with so many
/// mistakes is not a specification.
const MAX_COMPARISONS: usize = 1 << 20;

/// The maximum number of registers in a file, and of bits in a register: both fit in 16 bits.
const MAX_REGISTERS: u32 = 65_535;

struct Resolver<'a, 'd> {
    sources: &'a SourceMap,
    files: &'a [File<'a>],
    model: Model<'a>,
    index: Index<'a>,
    /// The reported findings of statements, which are resolved in the context of many opcodes.
    reported: HashSet<(Code, Span)>,
    suggestions: Suggestions,
    /// The fields that `Guard` names: an opcode where each applies, and whether some opcode has it.
    guards: BTreeMap<Span, (LayerId, bool)>,
    /// The size of the units that instructions are made of, if it is given.
    unit: Option<Int>,
    view_types: views::ViewTypes,
    diagnostics: &'d mut Diagnostics,
}

/// The search for names that were meant.
struct Suggestions {
    /// The number of names that may still be compared.
    comparisons: usize,
}

impl Suggestions {
    fn near<S: AsRef<str>>(&mut self, name: &str, known: impl FnOnce() -> Vec<S>) -> Option<S> {
        if self.comparisons == 0 {
            return None;
        }
        let known = known();
        self.comparisons = self.comparisons.saturating_sub(known.len());
        let near = crate::suggest::nearest(name, &known)?;
        known.into_iter().find(|known| known.as_ref() == near)
    }
}

/// The first definition of each name. Types, register files and layers are separate name spaces.
#[derive(Default)]
struct Index<'a> {
    types: HashMap<&'a str, Defined<TypeId>>,
    reg_files: HashMap<&'a str, Defined<RegFileId>>,
    layers: HashMap<&'a str, Defined<LayerId>>,
    /// The register file of each prefix of register names, such as `R` in `R[0..254]`; `None` if
    /// an error in it was reported.
    prefixes: HashMap<&'a str, Option<RegFileId>>,
}

/// The definition of a name.
#[derive(Clone, Copy)]
struct Defined<Id> {
    /// `None` if it is unknown because it is defined twice, or its header is broken.
    id: Option<Id>,
    span: Span,
}

impl<'a> Resolver<'a, '_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Whether a statement causes a finding for the first time. Statements are resolved for each opcode that inherits
    /// them, but one finding is enough.
    fn is_new(&mut self, code: Code, span: Span) -> bool {
        self.reported.insert((code, span))
    }

    /// The text as it was written.
    fn written(&self, span: Span) -> &'a str {
        self.sources.text(span)
    }

    /// Adds "did you mean" with a name. Its definition is then no longer certain to be unused.
    fn suggest(
        &mut self,
        diagnostic: Diagnostic,
        name: &str,
        known: impl FnOnce(&Model<'a>) -> Vec<&'a str>,
    ) -> Diagnostic {
        let near = self.suggestions.near(name, || known(&self.model));
        self.model.unresolved.extend(near);
        match near {
            Some(near) => diagnostic.with_guess(name, near),
            None => diagnostic,
        }
    }

    /// Adds "did you mean" with the text of a value or part.
    fn suggest_value(
        &mut self,
        diagnostic: Diagnostic,
        text: &str,
        known: impl FnOnce() -> Vec<String>,
    ) -> Diagnostic {
        match self.suggestions.near(text, known) {
            Some(near) => diagnostic.with_guess(text, &near),
            None => diagnostic,
        }
    }

    fn definitions(&self) -> impl Iterator<Item = &'a Definition<'a>> + use<'a> {
        self.files.iter().flat_map(|file| &file.definitions)
    }

    /// Collects the names in texts that the parser reported.
    fn collect_unresolved(&mut self) {
        let files = self.files;
        for definition in self.definitions() {
            self.model.unresolved.extend(definition.broken.words().iter());
        }
        for broken in files.iter().flat_map(|file| &file.broken) {
            self.model.unresolved.extend(broken.words.iter());
        }
    }

    /// The names of a name space that broken headers define. A header with an unknown keyword may
    /// define a name of any name space.
    fn broken_names(&self, space: NameSpace) -> impl Iterator<Item = Ident<'a>> + use<'a> {
        let broken = self.files.iter().flat_map(|file| &file.broken);
        let belongs = move |broken: &&BrokenDefinition<'a>| broken.space.is_none_or(|s| s == space);
        broken.filter(belongs).filter_map(|broken| broken.name)
    }

    /// The instruction set's header and the register files.
    fn headers(&mut self) {
        for definition in self.definitions() {
            match &definition.kind {
                DefinitionKind::Isa(isa) => self.isa(definition, isa),
                DefinitionKind::RegFile(file) => self.reg_file(definition, file),
                _ => {}
            }
        }
        for name in self.broken_names(NameSpace::RegFiles) {
            let unknown = Defined { id: None, span: name.span };
            self.index.reg_files.entry(name.text).or_insert(unknown);
        }
        self.check_presence();
    }

    fn isa(&mut self, definition: &'a Definition<'a>, isa: &'a ast::Isa<'a>) {
        if let Some(first) = &self.model.isa {
            let diagnostic = Diagnostic::new(Code::E0207, "second `__DefIsa`", definition.header)
                .with_related(first.name.span, "the first is here")
                .with_help("keep one; files that are checked together form one instruction set");
            self.report(diagnostic);
            return;
        }
        self.unit = isa.unit.map(|(size, _)| size);
        let width = self.instruction_bits(isa.width, MAX_WORD_BITS);
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for placeholder in &isa.placeholders {
            if let Some(first) = seen.insert(placeholder.name.text, placeholder.name.span) {
                self.duplicate_name(placeholder.name, first, "among the placeholders");
            }
        }
        let lists = [
            (&isa.generations, "among the generations"),
            (&isa.name_sets, "among the sets of names"),
        ];
        for (names, what) in lists {
            let mut seen: HashMap<&str, Span> = HashMap::new();
            for name in names {
                if let Some(first) = seen.insert(name.text, name.span) {
                    self.duplicate_name(*name, first, what);
                }
            }
        }
        self.elf_facts(isa);
        self.model.isa = Some(IsaHeader {
            name: definition.name,
            width,
            generations: isa.generations.clone(),
            extensions: isa.extensions.clone(),
            name_sets: isa.name_sets.clone(),
            folds_case: isa.case.is_some_and(|word| word.text == "insensitive"),
            semantics: isa.semantics,
            has_ranges: isa.ranges.is_none_or(|word| word.text == "on"),
            modifiers: match isa.modifiers.map(|word| word.text) {
                Some("words") => ModifierStyle::Words,
                _ => ModifierStyle::Dots,
            },
            placeholders: &isa.placeholders,
            comment_syntax: comment_syntax(isa),
            padding: isa.padding,
            elf: &isa.elf,
            elf_marks: &isa.elf_marks,
            detours: &isa.detours,
            layout: word_layout::word_layout(isa, width.unwrap_or(MAX_WORD_BITS)),
            prose: &definition.prose,
        });
    }

    /// Reports facts of ELF files that are given twice; flags are joined.
    fn elf_facts(&mut self, isa: &'a ast::Isa<'a>) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let single =
            isa.elf.iter().filter(|fact| fact.name.text != "flags" && fact.guard.is_none());
        for fact in single {
            if let Some(first) = seen.insert(fact.name.text, fact.name.span) {
                let message = format!("`Elf<{}>` is given twice", fact.name.text);
                let diagnostic = Diagnostic::new(Code::E0505, message, fact.name.span)
                    .with_related(first, "the first is here");
                self.report(diagnostic);
            }
        }
    }

    fn reg_file(&mut self, definition: &'a Definition<'a>, file: &'a ast::RegFile) {
        let id = RegFileId::new(self.model.reg_files.len());
        self.define(|index| &mut index.reg_files, definition.name, id, "register file");
        let width = self.width_in(file.width, MAX_REGISTERS, "a register");
        let count = self.width_in(file.count, MAX_REGISTERS, "the number of registers in a file");
        self.model.reg_files.push(RegFile {
            name: definition.name,
            width: width.unwrap_or(MAX_REGISTERS),
            count: count.unwrap_or(MAX_REGISTERS),
            prose: &definition.prose,
        });
    }

    /// Reports a missing instruction set, unless a broken header may define it.
    fn check_presence(&mut self) {
        let may_be_broken = self
            .files
            .iter()
            .flat_map(|file| &file.broken)
            .any(|broken| matches!(broken.space, None | Some(NameSpace::Isa)));
        let Some(file) = self.sources.specification().next() else { return };
        if self.model.isa.is_some() || may_be_broken {
            return;
        }
        let defines = self.files.iter().any(|file| !file.definitions.is_empty());
        // A text without any definition was already reported.
        if defines || !self.diagnostics.has_errors() {
            let span = self.sources.start(file);
            let diagnostic = Diagnostic::new(Code::E0206, "no instruction set is defined", span)
                .with_note("one of the files must contain `__DefIsa NAME<bits>`");
            let help = match self.sources.folder() {
                Some(folder) => {
                    format!("name the folder that contains all of its files: `{folder}`")
                }
                None => {
                    "add it, or name the file that contains it on the command line too".to_string()
                }
            };
            self.report(diagnostic.with_help(help));
        }
    }

    /// Enters a name. One that is already defined is reported, and its meaning is unknown from then on.
    fn define<Id>(
        &mut self,
        table: impl for<'i> Fn(&'i mut Index<'a>) -> &'i mut HashMap<&'a str, Defined<Id>>,
        name: Ident<'a>,
        id: Id,
        what: &str,
    ) {
        let Some(first) = table(&mut self.index).get_mut(name.text) else {
            let defined = Defined { id: Some(id), span: name.span };
            table(&mut self.index).insert(name.text, defined);
            return;
        };
        first.id = None;
        let diagnostic =
            Diagnostic::new(Code::E0201, format!("`{}` is defined twice", name.text), name.span)
                .with_label(format!("second {what} with this name"))
                .with_related(first.span, "the first is here")
                .with_help("rename one of the two");
        self.model.unresolved.insert(name.text);
        self.report(diagnostic);
    }

    /// Reports a name that occurs twice; `what` describes where.
    fn duplicate_name(&mut self, name: Ident<'a>, first: Span, what: &str) {
        let message = format!("`{}` occurs twice {what}", name.text);
        let diagnostic = Diagnostic::new(Code::E0304, message, name.span)
            .with_related(first, "the first is here")
            .with_help("rename one of the two");
        self.report(diagnostic);
    }

    /// The number of bits in an instruction; reports an impossible number.
    fn instruction_bits(&mut self, width: Int, limit: u32) -> Option<u32> {
        let bits = self.width_in(width, limit, "an instruction")?;
        let unit = self.unit.map_or(8, |size| size.value as u32);
        if bits % unit == 0 {
            return Some(bits);
        }
        let message = format!("the width of an instruction must be a multiple of {unit} bits");
        let mut diagnostic = Diagnostic::new(Code::E0305, message, width.span);
        if let Some(size) = self.unit {
            diagnostic = diagnostic.with_related(size.span, "instructions are units of this size");
        }
        self.report(diagnostic.with_label(crate::diagnostic::bits(bits.into())));
        None
    }

    /// A number from 1 to `limit`; any other number is reported.
    fn width_in(&mut self, width: Int, limit: u32, what: &str) -> Option<u32> {
        let fits = u32::try_from(width.value).ok().filter(|width| (1..=limit).contains(width));
        if fits.is_none() {
            let written = self.written(width.span);
            let message = format!("{written} is out of range for {what}");
            let diagnostic = Diagnostic::new(Code::E0305, message, width.span)
                .with_label(format!("must be 1 to {limit}"));
            self.report(diagnostic);
        }
        fits
    }

    /// The type with a name; reports an undefined name.
    fn type_of(&mut self, name: Ident<'a>) -> Option<TypeId> {
        if let Some(defined) = self.index.types.get(name.text) {
            return defined.id;
        }
        let diagnostic =
            Diagnostic::new(Code::E0202, format!("type `{}` is not defined", name.text), name.span)
                .with_label("no such type");
        let known = |model: &Model<'a>| model.types.iter().map(|ty| ty.name.text).collect();
        let diagnostic = self.suggest(diagnostic, name.text, known);
        self.report(diagnostic);
        None
    }

    /// The register file with a name; reports an undefined name.
    fn reg_file_of(&mut self, name: Ident<'a>) -> Option<RegFileId> {
        if let Some(defined) = self.index.reg_files.get(name.text) {
            return defined.id;
        }
        let message = format!("register file `{}` is not defined", name.text);
        let diagnostic =
            Diagnostic::new(Code::E0208, message, name.span).with_label("no such register file");
        let known = |model: &Model<'a>| model.reg_files.iter().map(|file| file.name.text).collect();
        let diagnostic = self.suggest(diagnostic, name.text, known);
        self.report(diagnostic);
        None
    }
}

/// The signs that begin comments and end instructions in assembly.
fn comment_syntax(isa: &ast::Isa<'_>) -> CommentSyntax {
    let texts = |signs: &[Ident<'_>]| signs.iter().map(|sign| sign.text.to_string()).collect();
    CommentSyntax::new(texts(&isa.comments), texts(&isa.separators))
}

/// The kind of layer that a definition is, with its syntax tree.
fn layer_kind<'a>(kind: &'a DefinitionKind<'a>) -> Option<(LayerKind, &'a crate::ast::Layer<'a>)> {
    match kind {
        DefinitionKind::Group(layer) => Some((LayerKind::Group, layer)),
        DefinitionKind::Optype(layer) => Some((LayerKind::Optype, layer)),
        DefinitionKind::Opcode(layer) => Some((LayerKind::Opcode, layer)),
        DefinitionKind::Alias(layer) => Some((LayerKind::Alias, layer)),
        _ => None,
    }
}
