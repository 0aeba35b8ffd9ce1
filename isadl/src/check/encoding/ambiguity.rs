//! E0701: two opcodes share a legal word. The finding shows such a word.
//!
//! Two opcodes share a word under three conditions: the word has the fixed bits of both, it is legal for both by types
//! and rules, and no special case of either takes it. An opcode whose fixed bits strictly contain another's is a
//! special case of it and takes precedence. `apart.rs` proposes a change that separates the opcodes. Undecided
//! questions within the budget are reported as W0708.

use std::collections::BTreeMap;

use super::apart::Apart;
use super::{Context, open, prover_word};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, names};
use crate::engine::{Engine, Tables};
use crate::isa::{Coexistence, Inst, Opcode, OpcodeId, fixes_more, is_special_case};
use crate::model::{Field, LayerId};
use crate::prove::{Answer, Proof, Prover, sharing};
use crate::source::Span;

/// The maximum number of fields of one opcode that are shown.
const MAX_FIELDS: usize = 3;

/// The maximum number of other opcodes that one finding names.
const MAX_NAMED: usize = 8;

/// The maximum number of conflicts of one opcode that are looked for.
const MAX_CONFLICTS: usize = 64;

pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) {
    let opcodes = context.isa.opcodes();
    let mut overlapping: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut together = Coexistence::of(context.isa);
    sharing(opcodes, &mut |first, second| {
        let (a, b) = (&opcodes[first], &opcodes[second]);
        // An opcode without fixed bits is a separate error.
        if a.mask == 0 || b.mask == 0 {
            return;
        }
        if !together.may(&a.requires, &b.requires) {
            proof.exclusive_pairs += 1;
        } else if is_special_case(a, b) || is_special_case(b, a) {
            proof.special_pairs += 1;
        } else {
            overlapping.entry(second).or_default().push(first);
        }
    });
    let count = opcodes.len() as u64;
    proof.pairs = count * count.saturating_sub(1) / 2;
    // The forms of an opcode, with and without a literal, share a finding.
    let mut found: BTreeMap<LayerId, (OpcodeId, Vec<(OpcodeId, u128)>)> = BTreeMap::new();
    for (second, mut others) in overlapping {
        others.sort_unstable();
        let later = OpcodeId::new(second);
        let mut conflicts = Vec::new();
        for first in others {
            let earlier = OpcodeId::new(first);
            if conflicts.len() == MAX_CONFLICTS {
                proof.pairs_left += 1;
                continue;
            }
            match shared_word(prover, &opcodes[first], &opcodes[second]) {
                Answer::None => proof.value_pairs += 1,
                Answer::Word(word) => conflicts.push((earlier, word)),
                Answer::Undecided => {
                    proof.pairs_left += 1;
                    diagnostics.push(not_proven(context, prover, earlier, later));
                }
            }
        }
        proof.conflicts += conflicts.len() as u64;
        if !conflicts.is_empty() {
            let of_name = found.entry(context.opcodes[later.index()].layer);
            of_name.or_insert((later, Vec::new())).1.extend(conflicts);
        }
    }
    if found.is_empty() {
        return;
    }
    let tables = Tables::quick(context.isa);
    let engine = Engine::new(context.isa, &tables);
    let apart = Apart::new(context);
    for (later, conflicts) in found.values() {
        let proposal = apart.proposal(conflicts[0].0, *later);
        let found = ambiguous(context, &engine, *later, conflicts);
        diagnostics.push(proposal.into_iter().fold(found, Diagnostic::with_help));
    }
}

/// A word that is legal for both, and outside the special cases of both.
fn shared_word(prover: &Prover<'_>, a: &Opcode, b: &Opcode) -> Answer {
    match prover.own(a).and(prover.own(b)) {
        Some(question) => prover.answer(&question),
        None => Answer::None,
    }
}

/// Reports the conflicts of an opcode with earlier opcodes, each with a word: the first is shown, the others are named.
fn ambiguous(
    context: &Context<'_, '_>,
    engine: &Engine<'_>,
    second: OpcodeId,
    conflicts: &[(OpcodeId, u128)],
) -> Diagnostic {
    let (first, found) = conflicts[0];
    let (witness, set) = prover_word(context, found);
    let (a, b) = (context.isa.opcode(first), context.isa.opcode(second));
    let digits = context.isa.bytes() * 2;
    let both = context.isa.word_layout().numbering(a.width.max(b.width));
    let message = format!("opcodes `{}` and `{}` share a word", a.name, b.name);
    let diagnostic = Diagnostic::new(Code::E0701, message, context.layer(second).name.span)
        .with_label("cannot be distinguished from the other opcode")
        .with_related(context.layer(first).name.span, "the other opcode");
    let diagnostic = with_fields(context, (second, b), a, diagnostic);
    let text = |opcode: OpcodeId| {
        let word = context.isa.opcode(opcode).canonical(witness);
        engine.own_text(Inst { opcode, word })
    };
    let mut diagnostic = with_fields(context, (first, a), b, diagnostic)
        .with_note(format!(
            "the word {} is legal for both: as `{}` it is `{}`, as `{}` it is `{}`",
            context.isa.word_layout().shown(a.width.max(b.width), witness),
            a.name,
            text(first),
            b.name,
            text(second)
        ))
        .with_note(format!(
            "`{}` fixes the bits 0x{:0digits$x}, `{}` the bits 0x{:0digits$x}",
            a.name,
            both.number(a.mask),
            b.name,
            both.number(b.mask)
        ))
        .with_help(
            "fix one field to different values, let one opcode fix all bits that the other fixes, and \
             more, or exclude such words of one of them by a type or a rule",
        );
    for (special, general) in [(a, b), (b, a)] {
        if special.has_match && fixes_more(special, general) {
            diagnostic = of_match(special, general, diagnostic);
        }
    }
    if let Some(set) = set {
        diagnostic = diagnostic.with_note(set).with_help(
            "if no implementation has both, say so: `Requires<A> = not B;` in `__DefIsa`",
        );
    }
    let mut others: Vec<&str> =
        conflicts[1..].iter().map(|(id, _)| context.isa.opcode(*id).name.as_str()).collect();
    others.dedup();
    others.retain(|name| *name != a.name);
    if !others.is_empty() {
        let more = others.len().saturating_sub(MAX_NAMED);
        others.truncate(MAX_NAMED);
        let more = if more > 0 { format!(" and with {more} more") } else { String::new() };
        diagnostic = diagnostic.with_note(format!(
            "`{}` also shares words with {}{more}",
            b.name,
            names(&others)
        ));
    }
    diagnostic
}

/// Explains why an opcode that fixes more bits than another is not a special case of it.
fn of_match(special: &Opcode, general: &Opcode, diagnostic: Diagnostic) -> Diagnostic {
    let (special, general) = (&special.name, &general.name);
    diagnostic
        .with_note(format!(
            "`{special}` fixes more bits than `{general}`, but an opcode with `Match` is never a special case"
        ))
        .with_help(format!(
            "leave out `Match` if `{special}` has all words with its fixed bits; otherwise say by `Match` of \
             `{general}` which words are not its own"
        ))
}

/// Whether two opcodes share a word remains open.
fn not_proven(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    first: OpcodeId,
    second: OpcodeId,
) -> Diagnostic {
    let (a, b) = (context.isa.opcode(first), context.isa.opcode(second));
    let message =
        format!("it is not proven that `{}` and `{}` do not share a word", a.name, b.name);
    let diagnostic = Diagnostic::new(Code::W0708, message, context.layer(second).name.span)
        .with_related(context.layer(first).name.span, "the other opcode");
    open::explain(context, prover, &[first, second], diagnostic)
}

/// Shows the fields that an opcode fixes in bits that the other leaves free: if the other fixed them
/// to another value, the two would not share a word.
fn with_fields(
    context: &Context<'_, '_>,
    (id, opcode): (OpcodeId, &Opcode),
    other: &Opcode,
    mut diagnostic: Diagnostic,
) -> Diagnostic {
    let only_here = opcode.mask & !other.mask;
    // If two opcodes fix the same bits to the same values, these values are all that can be shown.
    let wanted = if opcode.mask == other.mask { opcode.mask } else { only_here };
    let layer = context.layer(id);
    let fields = layer.fields.iter().map(|id| context.model.field(*id));
    let telling = fields.filter(|field| {
        !field.is_literal() && field.mask() & wanted != 0 && field.mask() & opcode.mask != 0
    });
    // A value may be given outside the field's declaration.
    let fixes = || layer.chain.iter().flat_map(|id| &context.model.layer(*id).ast.fixes);
    let place = |field: &Field<'_>| {
        let fix = fixes().find(|fix| fix.name.text == field.ast.name.text);
        fix.map_or(field.ast.span, |fix| fix.span)
    };
    let spans: Vec<Span> = telling.map(place).collect();
    let text = match opcode.mask == other.mask {
        true => format!("`{}` fixes the same value here", opcode.name),
        false => format!("only `{}` fixes this", opcode.name),
    };
    for span in spans.into_iter().take(MAX_FIELDS) {
        if diagnostic.related.iter().all(|label| label.span != span) {
            diagnostic = diagnostic.with_related(span, text.clone());
        }
    }
    diagnostic
}
