//! The front end of a description language for instruction sets.
//!
//! The stages run in one direction, with one type per stage; a later type proves that the earlier
//! checks passed:
//!
//! ```text
//! SourceMap ─parse→ ast::File ─resolve→ model::Model ─lower→ isa::Isa
//!            spans, names      ids, widths, types     masks, values
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
//!
//! let loaded = isadl::engine::Loaded::new(isa);
//! assert!(loaded.engine().decode(0x27).is_ok());
//! assert!(loaded.engine().decode(0x28).is_err());
//! ```

mod allow;
mod check;
pub mod dump;
mod extensions;
pub mod format;
mod generations;
mod lower;
pub mod model;
pub mod opcode_lock;
mod outline;
pub mod resolve;

use isadl_base::{parallel, suggest};
pub use isadl_diagnostics::{diagnostic, fix, levels, render, source, visible};
use isadl_ir::interned;
pub use isadl_ir::{explain, isa, links};
pub use isadl_prove as prove;
pub use isadl_runtime::{engine, hex, image};
pub use isadl_semantics as semantics;
pub use isadl_syntax::{ast, parse, prose};
use isadl_syntax::{form_findings, template};

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use diagnostic::{Code, Diagnostics, Severity};
use isa::{ExtensionSet, Family, Isa, SetError};
use prove::{Effort, Proof};
use source::SourceMap;

/// The result of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The instruction set in all generations; present exactly when no error was found.
    pub family: Option<Family>,
    /// All findings, in order of location.
    pub diagnostics: Diagnostics,
    /// The proof results of each generation whose model has no error.
    pub proofs: Vec<Proof>,
    /// The checked programs of each generation whose encoding has no error: what its opcodes do.
    pub semantics: Vec<semantics::Checked>,
    /// The number of definitions that were read.
    pub counts: Counts,
}

impl Compilation {
    fn without_family(counts: Counts, diagnostics: Diagnostics) -> Compilation {
        let (proofs, semantics) = (Vec::new(), Vec::new());
        Compilation { family: None, diagnostics, proofs, semantics, counts }
    }

    /// The instruction set of the first generation.
    pub fn into_isa(self) -> Option<Isa> {
        self.family.map(Family::into_first)
    }
}

/// The number of definitions of each kind that were read.
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
    /// Opcodes, by names.
    pub opcodes: usize,
    /// Opcodes whose behaviour is a checked program, by names; 0 if there are errors.
    pub programs: usize,
}

/// Compiles the files of one instruction set. Never panics, for any contents of the files.
pub fn compile(sources: &SourceMap) -> Compilation {
    compile_with(sources, Effort::Check)
}

/// Compiles the files of one instruction set for implementations with a set of extensions.
///
/// The set is given by names of extensions and sets, and includes everything that they imply. The result has all errors
/// of the reduced instruction set. It has other findings only if the whole instruction set has them too, since items
/// for other sets are not a fault.
///
/// # Errors
///
/// If a name is unknown, or an implementation does not have these extensions alone.
pub fn compile_for(
    sources: &SourceMap,
    effort: Effort,
    extensions: &[String],
) -> Result<Compilation, SetError> {
    let mut ignored = Diagnostics::default();
    let files = parse::parse(sources, &mut ignored);
    let known = extensions::resolve(&files, &mut ignored);
    let whole = compile_with(sources, Effort::Check);
    // Faults in the extensions themselves come first.
    if ignored.has_errors() || sources.is_incomplete() {
        return Ok(whole);
    }
    let set = known.set_of(extensions)?;
    let mut found = compiled(sources, effort, Some(set), &mut go_on);
    let key = |d: &diagnostic::Diagnostic| (d.code, d.primary.span, d.message.clone());
    let also: HashSet<_> = whole.diagnostics.iter().map(key).collect();
    found.diagnostics.retain(|d| d.severity == Severity::Error || also.contains(&key(d)));
    // Whether programs declare what environments name is checked with all of them.
    let of_environments = whole.diagnostics.iter().filter(|d| d.code == Code::E1233);
    found.diagnostics.extend(of_environments.cloned());
    found.family = found.family.filter(|_| !found.diagnostics.has_errors());
    Ok(found)
}

/// The syntax trees for implementations with a set of extensions, without mention of extensions; the trees may have
/// errors.
///
/// # Errors
///
/// If a name is unknown, or an implementation does not have these extensions alone.
pub fn trees_for<'s>(
    files: &[ast::File<'s>],
    extensions: &[String],
) -> Result<Vec<ast::File<'s>>, SetError> {
    let known = extensions::resolve(files, &mut Diagnostics::default());
    Ok(generations::fixed(files, known.set_of(extensions)?))
}

/// Compiles the files of one instruction set with a given effort to decide questions about its words.
pub fn compile_with(sources: &SourceMap, effort: Effort) -> Compilation {
    compiled(sources, effort, None, &mut go_on)
}

/// Finds errors in the texts, names, types and fields of one instruction set.
///
/// These are the findings before any question about words is asked, and most of the findings while writing a
/// specification. If there are errors among them, [`compile`] finds nothing else.
pub fn early_findings(sources: &SourceMap) -> Diagnostics {
    compile_in_steps(sources, |_| ControlFlow::Break(())).diagnostics
}

/// Compiles the files of one instruction set like [`compile`], with access to early findings.
///
/// Calls `early` as soon as the findings of [`early_findings`] are known. `early` receives a function that returns
/// them. If it breaks, they are the result.
pub fn compile_in_steps(
    sources: &SourceMap,
    mut early: impl FnMut(&dyn Fn() -> Diagnostics) -> ControlFlow<()>,
) -> Compilation {
    compiled(sources, Effort::Check, None, &mut early)
}

/// Passes over the early findings.
fn go_on(_: &dyn Fn() -> Diagnostics) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Compiles the files of one instruction set, for all sets of extensions or for one set.
fn compiled(
    sources: &SourceMap,
    effort: Effort,
    set: Option<ExtensionSet>,
    early: &mut dyn FnMut(&dyn Fn() -> Diagnostics) -> ControlFlow<()>,
) -> Compilation {
    let mut diagnostics = sources.problems().clone();
    let written = parse::parse(sources, &mut diagnostics);
    let mut numbers = opcode_lock::Numbers::read(sources, &mut diagnostics);
    numbers.complete(&written, &mut diagnostics);
    if sources.is_incomplete() {
        diagnostics.finish();
        let counts = counts(sources, &written);
        return Compilation::without_family(counts, diagnostics);
    }
    let files = match set {
        Some(set) => Cow::Owned(generations::fixed(&written, set)),
        None => Cow::Borrowed(written.as_slice()),
    };
    let counts = counts(sources, &files);
    let of_texts = diagnostics.clone();
    let forms = form_findings::Forms::of(&files);
    let extensions = extensions::resolve(&files, &mut diagnostics);
    let selections = generations::select(&files, &mut diagnostics);
    let finish = |found: Vec<(&generations::Selection<'_, '_>, Diagnostics)>, is_whole: bool| {
        let mut diagnostics = generations::join(&files, found);
        generations::drop_open(&files, &mut diagnostics);
        if is_part(&diagnostics) {
            diagnostics.retain(|found| found.code == Code::E0206);
            diagnostics.extend(of_texts.clone());
        }
        forms.finish(&mut diagnostics);
        forms.join(&mut diagnostics);
        allow::apply(sources, (is_whole, effort), &mut diagnostics);
        diagnostics
    };
    let models: Vec<_> = selections
        .iter()
        .map(|selection| {
            // Errors of the parser stop all stages after the model, in every generation.
            let mut found = diagnostics.clone();
            let model = resolve::resolve(sources, &selection.files, &mut found);
            check::model(&model, &mut found);
            (selection, model, found)
        })
        .collect();
    let found_early = || {
        let finished = models.iter().map(|(selection, _, found)| {
            let mut found = found.clone();
            forms.finish(&mut found);
            (*selection, found)
        });
        finish(finished.collect(), false)
    };
    if early(&found_early).is_break() {
        let diagnostics = found_early();
        return Compilation::without_family(counts, diagnostics);
    }
    let outline = Arc::new(outline::outline(sources, &written, &numbers));
    let shared = lower::Shared { numbers, extensions, outline, is_fixed: set.is_some() };
    let (mut isas, mut proofs, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let (mut semantics, mut programs) = (Vec::new(), BTreeSet::new());
    for (selection, model, mut of_generation) in models {
        let made = generation((selection, &model), &shared, effort, &mut of_generation);
        if let Some(Generation { isa, proof, programs: checked }) = made {
            let opcodes = isa.opcodes().iter().zip(&checked.opcodes);
            let with_program = opcodes.filter(|(_, instances)| !instances.is_empty());
            programs.extend(with_program.map(|(opcode, _)| opcode.name.clone()));
            isas.push(isa);
            proofs.push(proof);
            semantics.push(checked);
        }
        forms.finish(&mut of_generation);
        found.push((selection, of_generation));
    }
    let diagnostics = finish(found, true);
    let is_sound = !diagnostics.has_errors();
    let counts = Counts { programs: if is_sound { programs.len() } else { 0 }, ..counts };
    let isas = if is_sound { isas } else { Vec::new() };
    Compilation { family: Family::new(isas), proofs, semantics, counts, diagnostics }
}

/// The lowered form of the first generation, even if its encoding has errors: proofs are about this form. `None` if
/// there are earlier errors.
pub fn lowered(sources: &SourceMap) -> Option<Isa> {
    let mut diagnostics = sources.problems().clone();
    let files = parse::parse(sources, &mut diagnostics);
    let mut numbers = opcode_lock::Numbers::read(sources, &mut diagnostics);
    numbers.complete(&files, &mut diagnostics);
    let extensions = extensions::resolve(&files, &mut diagnostics);
    let selections = generations::select(&files, &mut diagnostics);
    let selection = selections.first()?;
    let model = resolve::resolve(sources, &selection.files, &mut diagnostics);
    check::model(&model, &mut diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let outline = Arc::new(outline::outline(sources, &files, &numbers));
    let shared = lower::Shared { numbers, extensions, outline, is_fixed: false };
    let lowered = lower::lower(&model, &shared, selection.describes)?;
    Some(lowered.isa)
}

/// Whether the files are only part of a specification: the instruction set is not defined, nor are
/// names that may be in the other files. All further errors are consequences of that.
fn is_part(diagnostics: &Diagnostics) -> bool {
    let has = |codes: &[Code]| diagnostics.iter().any(|found| codes.contains(&found.code));
    has(&[Code::E0206]) && has(&[Code::E0202, Code::E0203, Code::E0208])
}

/// One generation, as far as it has no errors.
struct Generation {
    isa: Isa,
    proof: Proof,
    programs: semantics::Checked,
}

/// The instruction set of one generation; `None` if there are errors.
fn generation(
    (selection, model): (&generations::Selection<'_, '_>, &model::Model<'_>),
    shared: &lower::Shared,
    effort: Effort,
    diagnostics: &mut Diagnostics,
) -> Option<Generation> {
    if diagnostics.has_errors() {
        return None;
    }
    let mut lowered = lower::lower(model, shared, selection.describes)?;
    let make = || engine::Tables::quick(&lowered.isa);
    let mut encoding = || check::encoding(&lowered, effort, diagnostics);
    // Checks of text need the lookup tables; checks of the encoding do not.
    let count = lowered.isa.opcodes().len();
    let (tables, mut proof) = match count < parallel::MIN_OPCODES {
        true => (None, encoding()),
        false => {
            let (tables, proof) = parallel::beside(count, make, encoding);
            (Some(tables), proof)
        }
    };
    let mut programs = semantics::Checked::default();
    if !diagnostics.has_errors() {
        programs = check::semantics(&lowered, effort, shared.is_fixed, diagnostics);
        for (opcode, flow) in &programs.derived {
            lowered.isa.set_data_flow(*opcode, flow);
        }
        // Tables have the data flow, too.
        let tables = tables.filter(|_| programs.derived.is_empty());
        let tables = tables.unwrap_or_else(|| engine::Tables::quick(&lowered.isa));
        let examples = check::text(&lowered, &tables, effort, &mut proof, diagnostics);
        let engine = engine::Engine::new(&lowered.isa, &tables);
        check::trials((&lowered, &engine), &examples, &mut programs.trials, diagnostics);
    }
    Some(Generation { isa: lowered.isa, proof, programs })
}

fn counts(sources: &SourceMap, files: &[ast::File<'_>]) -> Counts {
    use ast::DefinitionKind;
    let count = |is: fn(&DefinitionKind<'_>) -> bool| {
        let definitions = files.iter().flat_map(|file| &file.definitions);
        definitions.filter(|definition| is(&definition.kind)).count()
    };
    // An opcode that differs by generation has a definition for each of its variants.
    let definitions = files.iter().flat_map(|file| &file.definitions);
    let opcodes = definitions.filter(|one| matches!(one.kind, DefinitionKind::Opcode(_)));
    let opcodes = opcodes.map(|one| one.name.text);
    Counts {
        files: sources.specification().count(),
        types: count(|kind| {
            matches!(
                kind,
                DefinitionKind::BitFieldType(_)
                    | DefinitionKind::OperandType(_)
                    | DefinitionKind::Immediate(_)
                    | DefinitionKind::Composite(_)
            )
        }),
        groups: count(|kind| matches!(kind, DefinitionKind::Group(_))),
        optypes: count(|kind| matches!(kind, DefinitionKind::Optype(_))),
        opcodes: opcodes.collect::<BTreeSet<&str>>().len(),
        programs: 0,
    }
}
