//! W0312: a value of an enumeration that no word has.
//!
//! W0709: a value of an operand that no word of its opcode has, although no single rule or special case excludes it.
//!
//! A field that no rule and no special case is about has all values of its type. For the others, values are divided in
//! two again and again, until a part has no word, or all of it has words that are alike but for the field.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Context, given, open};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{
    Binding, Expr, Field, FieldRole, Opcode, OpcodeId, RuleScope, TypeId, TypeKind, low_bits,
};
use crate::prove::{Answer, Effort, Partial, Proof, Prover, Question};
use crate::source::Span;

/// The maximum number of values that one finding names.
const MAX_NAMED: usize = 4;

pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    (alive, open_rules): (&[Answer], &HashSet<Span>),
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) {
    let mut unseen = unseen(context);
    for (id, answer) in context.isa.opcode_ids().zip(alive) {
        let opcode = context.isa.opcode(id);
        if *answer == Answer::None {
            // It is refused by intent, or an error that has the same reason.
            opcode.encoded().for_each(|field| see(&mut unseen, opcode, field, &[]));
            continue;
        }
        let limited = limited_bits(context, opcode);
        let own = OnceCell::new();
        for field in opcode.encoded() {
            let is_operand = matches!(field.role, FieldRole::Operand | FieldRole::Part { .. })
                && !is_fixed(field);
            if field.mask() & limited & !opcode.mask == 0 {
                see(&mut unseen, opcode, field, &[]);
                proof.values += u64::from(is_operand);
                continue;
            }
            if !is_operand && !unseen.contains_key(&field.ty) {
                continue;
            }
            let own = own.get_or_init(|| prover.own(opcode));
            // Mostly the word that is known shows all values.
            if let Answer::Word(word) = answer
                && own.is_free(field, field.width(), *word)
            {
                see(&mut unseen, opcode, field, &[]);
                proof.values += u64::from(is_operand);
                continue;
            }
            let mut lost = Lost { prover, field, steps: steps(prover.effort()), dead: Vec::new() };
            match lost.below(own.clone(), field.width()) {
                Some(()) => {
                    see(&mut unseen, opcode, field, &lost.dead);
                    proof.values += u64::from(is_operand);
                    if is_operand {
                        diagnostics.extend(of_operand(context, prover, id, field, &lost.dead));
                    }
                }
                None => {
                    proof.open += 1;
                    // Nothing is reported of an enumeration unless all is known.
                    see(&mut unseen, opcode, field, &[]);
                    let rules = &context.opcodes[id.index()].rules;
                    if !rules.iter().any(|(rule, _)| open_rules.contains(&rule.span)) {
                        let message = format!(
                            "it is not proven that `{}` has every value of `{}`",
                            opcode.name,
                            context.isa.name_of(field.name)
                        );
                        diagnostics.push(open::not_proven(context, prover, id, message));
                    }
                }
            }
        }
    }
    for (ty, values) in unseen {
        of_type(context, ty, &values, diagnostics);
    }
}

/// How many parts of a field's values are asked for.
fn steps(effort: Effort) -> u64 {
    match effort {
        Effort::Check => 1 << 10,
        Effort::Full => 1 << 20,
    }
}

fn is_fixed(field: &Field) -> bool {
    matches!(field.binding, Binding::Fixed(_))
}

/// The values of each enumeration that some open field uses.
fn unseen(context: &Context<'_, '_>) -> BTreeMap<TypeId, BTreeSet<u64>> {
    let mut unseen = BTreeMap::new();
    let fields = context.isa.opcodes().iter().flat_map(|opcode| opcode.encoded());
    for field in fields.filter(|field| !is_fixed(field)) {
        if let TypeKind::BitField(values) = &context.isa.ty(field.ty).kind {
            unseen
                .entry(field.ty)
                .or_insert_with(|| values.iter().map(|value| value.value).collect());
        }
    }
    unseen
}

/// Records the values that a field has: the values of its type except dead values.
fn see(
    unseen: &mut BTreeMap<TypeId, BTreeSet<u64>>,
    opcode: &Opcode,
    field: &Field,
    dead: &[(u64, u64)],
) {
    let Some(values) = unseen.get_mut(&field.ty) else { return };
    let known = field.extract(opcode.mask);
    let fixed = field.extract(opcode.value);
    values.retain(|value| {
        (value ^ fixed) & known != 0 || dead.iter().any(|(a, b)| a <= value && value <= b)
    });
    if values.is_empty() {
        unseen.remove(&field.ty);
    }
}

/// The bits of fields that rules mention, and bits that special cases fix.
fn limited_bits(context: &Context<'_, '_>, opcode: &Opcode) -> u128 {
    let rules = opcode.rules.iter().map(|id| context.isa.rule(*id));
    let rules = rules.filter(|rule| rule.scope == RuleScope::Word);
    let names = rules.flat_map(|rule| context.isa.expr(rule.condition).fields());
    let fields = names.filter_map(|name| opcode.field(name)).map(Field::mask);
    let cases = opcode.special_cases.iter().map(|case| case.mask);
    fields.chain(cases).fold(0, |bits, of| bits | of)
}

/// The values of a field that no word has.
struct Lost<'p> {
    prover: &'p Prover<'p>,
    field: &'p Field,
    /// How many parts may still be asked for.
    steps: u64,
    /// First and last of each range, ascending; some are illegal by the type.
    dead: Vec<(u64, u64)>,
}

impl Lost<'_> {
    /// Adds the dead values below the fixed bits of a question, where `open` low bits of the field vary. `None` if
    /// undecided.
    fn below(&mut self, question: Question<'_>, open: u32) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        match self.prover.answer(&question) {
            Answer::Undecided => return None,
            Answer::Word(word) if open == 0 || question.is_free(self.field, open, word) => {
                return Some(());
            }
            Answer::Word(_) => {}
            Answer::None => {
                let first = question.value_of(self.field) & !(low_bits(open) as u64);
                self.add(first, first | low_bits(open) as u64);
                return Some(());
            }
        }
        let bit = self.field.bits.bit(open - 1);
        for value in [0, 1] {
            let half = Partial { known: 1 << bit, value: value << bit };
            match question.clone().with(half) {
                Some(half) => self.below(half, open - 1)?,
                // The bit is fixed to the other value.
                None => {
                    let first = question.value_of(self.field) & !(low_bits(open) as u64)
                        | (value as u64) << (open - 1);
                    self.add(first, first | low_bits(open - 1) as u64);
                }
            }
        }
        Some(())
    }

    fn add(&mut self, first: u64, last: u64) {
        match self.dead.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(first) => *end = last,
            _ => self.dead.push((first, last)),
        }
    }
}

/// The values of an operand that are lost for several reasons together.
fn of_operand(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    id: OpcodeId,
    field: &Field,
    dead: &[(u64, u64)],
) -> Diagnostics {
    let mut found = Diagnostics::default();
    let opcode = context.isa.opcode(id);
    let ty = context.isa.ty(field.ty);
    let known = (field.extract(opcode.mask), field.extract(opcode.value));
    let mut lost = Vec::new();
    let mut left = steps(prover.effort());
    for (first, last) in dead {
        for value in *first..=*last {
            left = left.saturating_sub(1);
            if left == 0 {
                break;
            }
            let is_legal = ty.is_legal(value) && (value ^ known.1) & known.0 == 0;
            if is_legal && !is_excluded(context, prover, id, field, value) {
                lost.push(value);
            }
        }
    }
    let Some(first) = lost.first() else { return found };
    let name = context.isa.name_of(field.name);
    let layer = context.layer(id);
    let text = context.isa.value_text(ty, *first);
    let count = lost.len();
    let message = format!("`{}` cannot encode some values of `{name}`", layer.name.text);
    let mut diagnostic = Diagnostic::new(Code::W0709, message, layer.name.span)
        .with_note(format!(
            "no legal word has the value `{text}`{}; several rules or special cases exclude it together",
            if count > 1 { format!(", nor {} others", count - 1) } else { String::new() }
        ))
        .with_help("if this is intended, forbid the value by its own rule; otherwise correct the rules");
    let rules = context.opcodes[id.index()].rules.iter();
    for (rule, _) in rules.filter(|(rule, _)| rule.scope == RuleScope::Word).take(MAX_NAMED) {
        diagnostic = diagnostic.with_related(rule.span, "a rule of the opcode");
    }
    found.push(diagnostic);
    found
}

/// Whether a single rule or special case takes every word with a value. Excluding the value is then its purpose.
fn is_excluded(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    id: OpcodeId,
    field: &Field,
    value: u64,
) -> bool {
    let opcode = context.isa.opcode(id);
    let bits = Partial { known: field.mask(), value: field.insert(0, value) };
    let Some(typed) = given(context, prover, id).with(bits) else { return true };
    let rules = opcode.rules.iter().map(|id| context.isa.rule(*id));
    let mut conditions = rules
        .filter(|rule| rule.scope == RuleScope::Word)
        .map(|rule| context.isa.expr(rule.condition))
        .filter(|expr: &&Expr| expr.fields().contains(&field.name));
    let is_none = |question: &Question<'_>| prover.answer(question) == Answer::None;
    is_none(&typed)
        || conditions.any(|expr| is_none(&typed.clone().where_condition(opcode, expr, false)))
        || opcode
            .special_cases
            .iter()
            .any(|case| is_none(&typed.clone().without_case(case, u128::MAX)))
}

fn of_type(
    context: &Context<'_, '_>,
    ty: TypeId,
    values: &BTreeSet<u64>,
    diagnostics: &mut Diagnostics,
) {
    let definition = &context.model.types[ty.index()];
    let TypeKind::BitField(enumerators) = &context.isa.ty(ty).kind else { return };
    for enumerator in enumerators.iter().filter(|one| values.contains(&one.value)) {
        let span = definition.values.iter().find(|name| name.text == enumerator.name);
        let span = span.map_or(definition.name.span, |name| name.span);
        let message = format!("no word has the value `{}`", enumerator.name);
        diagnostics.push(
            Diagnostic::new(Code::W0312, message, span)
                .with_note(
                    "rules, special cases and fixed values exclude it wherever its type is used",
                )
                .with_help("remove the value, or correct what excludes it"),
        );
    }
}
