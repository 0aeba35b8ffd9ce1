//! W0916: an instruction whose text the assembler refuses, or reads as another instruction. Also W0911, if the text
//! fits instructions of two opcodes.
//!
//! Each opcode is printed and assembled with a sample of its words (`sample.rs`). A failure is traced to the piece of
//! text that must change (`cause.rs`). Opcodes that are written alike are tried once, if the other opcodes of their
//! mnemonics are alike too (`shape.rs`). In a large instruction set, each kind of piece is tried in one opcode
//! (`covered.rs`).

mod cause;
mod covered;
mod sample;
mod shape;

use std::collections::HashSet;

use super::Context;
use super::alike::{Clashes, Reading, Texts};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::{AsmError, Engine};
use crate::isa::{Field, Inst, Isa, LiteralForm, NameId, OpcodeId, TypeId, TypeKind};
use crate::prove::{Effort, Words};
use crate::source::Span;
use covered::Covered;
use sample::Sample;
pub(super) use sample::values_of;
use shape::Shapes;

/// Limit on the findings of an opcode.
const MAX_FOUND: usize = 4;

/// Checks that texts are read back, and returns the undecided opcodes.
///
/// `clashes` has the opcodes with reported shared texts. `misprinted` has the opcodes with examples that were reported
/// as not read back.
pub(super) fn check(
    context: &Context<'_, '_>,
    engine: &Engine<'_>,
    (texts, clashes, misprinted): (&mut Texts<'_>, &Clashes, &[OpcodeId]),
    diagnostics: &mut Diagnostics,
) -> Vec<OpcodeId> {
    let isa = context.isa;
    let words = Words::with(isa, Effort::Check);
    let reader = Reader { isa, engine, words: &words };
    let known = ReportedSpans::new(diagnostics);
    let name = |id: &OpcodeId| isa.opcode(*id).name.as_str();
    let clashing: HashSet<&str> = clashes.opcodes.iter().map(name).collect();
    let mut covered = Covered::new(isa.opcodes().len());
    let mut shapes = Shapes::new(isa);
    let mut open = Vec::new();
    for id in isa.opcode_ids().filter(|id| shapes.is_new(*id) && !misprinted.contains(id)) {
        let told = known.fields(context, id);
        let is_clashing = clashing.contains(name(&id));
        let misread = clashes.misread.iter().copied().find(|inst| inst.opcode == id);
        let tried = Tried { id, is_clashing, misread };
        let is_open = opcode(context, &reader, (tried, texts), (told, &mut covered), diagnostics);
        open.extend(is_open.then_some(id));
    }
    open
}

/// An opcode that is tried.
struct Tried {
    id: OpcodeId,
    /// Whether it was reported to share a text.
    is_clashing: bool,
    /// An instruction whose text is also the text of another opcode.
    misread: Option<Inst>,
}

/// Reported fields and types, which keep their defaults.
struct ReportedSpans {
    spans: HashSet<Span>,
}

impl ReportedSpans {
    fn new(diagnostics: &Diagnostics) -> ReportedSpans {
        let found = diagnostics.iter().filter(|found| found.code == Code::W0912);
        ReportedSpans { spans: found.map(|found| found.primary.span).collect() }
    }

    /// The fields of an opcode with a reported fault.
    fn fields(&self, context: &Context<'_, '_>, id: OpcodeId) -> HashSet<NameId> {
        if self.spans.is_empty() {
            return HashSet::new();
        }
        let (model, layer) = (context.model, context.opcodes[id.index()].layer);
        let is_known = |field: &&Field| {
            let declared = model.find_field(layer, field.name).map(|id| model.field(id));
            let declared = declared.map(|field| field.ast.name.span);
            let spans = [declared, Some(model.types[field.ty.index()].name.span)];
            spans.into_iter().flatten().any(|span| self.spans.contains(&span))
        };
        let fields = context.isa.opcode(id).fields.iter();
        fields.filter(is_known).map(|field| field.name).collect()
    }
}

/// Tries the sample of one opcode, with the fields in `told` at their defaults. It also decides the questions that the
/// sample leaves open. Failing fields then keep their defaults, to find further failures. Returns whether the opcode
/// remains undecided.
fn opcode(
    context: &Context<'_, '_>,
    reader: &Reader<'_>,
    (tried, texts): (Tried, &mut Texts<'_>),
    (mut told, covered): (HashSet<NameId>, &mut Covered),
    diagnostics: &mut Diagnostics,
) -> bool {
    let mut misread = tried.misread;
    for _ in 0..MAX_FOUND {
        let sample = Sample::new((reader.engine, reader.words), tried.id, &told);
        let Some(sample) = sample else { return false };
        let failure = |inst: Inst| {
            let failure = reader.failure(inst)?;
            (!tried.is_clashing || !failure.is_ambiguous()).then_some((inst, failure))
        };
        let mut found = misread.take().and_then(failure).or_else(|| sample.first(covered, failure));
        if found.is_none() {
            let mut fails = |inst| failure(inst).is_some();
            match texts.reading(tried.id, sample.told(), &mut fails) {
                Reading::Faithful => return false,
                Reading::Open => return true,
                Reading::Failing(inst) => found = failure(inst),
            }
        }
        let Some((inst, failure)) = found else { return false };
        let cause = cause::of(reader, &sample, inst, &failure);
        diagnostics.push(cause::finding(context, inst, &failure, cause));
        let before = told.len();
        told.extend(cause::fields(reader.isa, tried.id, cause));
        if told.len() == before {
            return false;
        }
    }
    false
}

/// The result of reading a printed instruction, if it is not the same instruction.
enum Failure {
    /// Nothing.
    Refused { text: String, error: AsmError },
    /// Another instruction.
    Other { text: String, read: Inst },
}

impl Failure {
    /// Whether two opcodes have the text.
    fn is_ambiguous(&self) -> bool {
        matches!(self, Failure::Refused { error, .. } if error.is_ambiguous)
    }
}

/// Prints and assembles.
struct Reader<'i> {
    isa: &'i Isa,
    engine: &'i Engine<'i>,
    words: &'i Words<'i>,
}

impl Reader<'_> {
    /// Prints and reads an instruction, and returns the failure, if any.
    fn failure(&self, inst: Inst) -> Option<Failure> {
        // A text printed as an alias is judged with the alias (`aliases.rs`).
        let text = self.engine.plain_text(inst);
        match self.engine.having(inst).assemble_at([inst.opcode].into_iter(), &text) {
            Ok(read) if self.means(inst, read) => None,
            Ok(read) => Some(Failure::Other { text, read }),
            Err(error) => Some(Failure::Refused { text, error }),
        }
    }

    /// Whether two instructions are equivalent. Equivalent instructions may differ in numbers that mean the same
    /// register, or in the place that holds a constant.
    fn means(&self, inst: Inst, read: Inst) -> bool {
        let is_alike = || {
            let opcode = self.isa.opcode(inst.opcode);
            opcode.fields.iter().all(|field| {
                alike(self.isa, field.ty, field.extract(inst.word), field.extract(read.word))
            })
        };
        inst == read || inst.opcode == read.opcode && is_alike() || self.is_constant(inst, read)
    }

    /// Whether a form with literals was read as another form, which has the constants that some of these are.
    fn is_constant(&self, inst: Inst, read: Inst) -> bool {
        let (form, other) = (self.isa.opcode(inst.opcode), self.isa.opcode(read.opcode));
        let is_alike = |own: &LiteralForm| {
            let literal = form.field(own.literal)?;
            let bits = literal.extract(inst.word);
            if let Some(same) = other.literal_of(own.selector) {
                return Some(other.field(same)?.extract(read.word) == bits);
            }
            let selector = other.field(own.selector)?;
            let constant = self.isa.constant_of_bits(selector.ty, literal.ty, bits)?;
            Some(constant == selector.extract(read.word))
        };
        let is_other = form.name == other.name && form.has_literal() && inst.opcode != read.opcode;
        is_other && form.literals.iter().all(|own| is_alike(own) == Some(true))
    }
}

/// Whether two values of a type are the same, or the same register or number.
pub(super) fn alike(isa: &Isa, ty: TypeId, a: u64, b: u64) -> bool {
    if a == b {
        return true;
    }
    let ty = isa.ty(ty);
    match &ty.kind {
        TypeKind::Operand(_) => match (ty.entry(a), ty.entry(b)) {
            (Some((one, at)), Some((other, place))) => {
                one == other && one.name_at(at) == other.name_at(place)
            }
            _ => false,
        },
        TypeKind::Composite(composite) => composite.parts.iter().all(|part| {
            let own = |raw: u64| part.bits.extract(raw.into());
            alike(isa, part.ty, own(a), own(b))
        }),
        TypeKind::Immediate(immediate) => immediate.is_same(a, b),
        TypeKind::BitField(_) => false,
    }
}

/// The finding of two opcodes with the same text.
fn shared(context: &Context<'_, '_>, inst: Inst, text: &str, error: &AsmError) -> Diagnostic {
    let own = context.layer(inst.opcode).name;
    let other = error.closest.iter().find(|name| *name != own.text);
    let other = other.and_then(|name| context.isa.find_opcode(name));
    let name = other.map_or(own, |other| context.layer(other).name);
    let message = format!("`{text}` is an instruction of `{}` and of `{}`", own.text, name.text);
    Diagnostic::new(Code::W0911, message, own.span)
        .with_label("prints the same text as the other")
        .with_related(name.span, "the other opcode")
        .with_note("the text cannot be assembled: more than one opcode fits")
}
