//! What would tell two opcodes apart that share a word (E0701): a field and a value by which one of them could be
//! restricted so that they share none. Nothing is proposed that is not proven.

use super::Context;
use crate::isa::{Field, FieldRole, Meaning, OpcodeId, TypeKind};
use crate::prove::{Answer, Effort, Partial, Prover, Question};

/// The maximum number of values of one field that are tried.
const MAX_VALUES: usize = 256;

/// Operators that may be evaluated for one conflict.
const PER_CONFLICT: u64 = 1 << 18;

/// Operators that may be evaluated for all conflicts.
const IN_TOTAL: u64 = 1 << 22;

/// Proposes restrictions.
pub(super) struct Apart<'c, 'a> {
    context: &'c Context<'c, 'a>,
    /// Not the prover of the checks: what a proposal takes must not leave a check undecided.
    prover: Prover<'c>,
}

/// A field of an opcode that could have one value less, or only one.
struct Candidate<'c> {
    id: OpcodeId,
    other: OpcodeId,
    field: &'c Field,
    /// Whether only the other opcode has the field.
    is_missing: bool,
}

/// What the values of fields are restricted to.
#[derive(Clone, Copy)]
enum Restriction {
    /// Only this value.
    Only(u64),
    /// All values but this one.
    Not(u64),
}

/// A kind of restriction, of the value that it is about.
type Kind = fn(u64) -> Restriction;

impl<'c, 'a> Apart<'c, 'a> {
    pub(super) fn new(context: &'c Context<'c, 'a>) -> Apart<'c, 'a> {
        Apart { context, prover: Prover::new(context.isa, Effort::Check) }
    }

    /// How one of two opcodes could be restricted, in words: by the smallest field with which that is possible, if
    /// there is one and it is found with little effort.
    pub(super) fn proposal(&self, first: OpcodeId, second: OpcodeId) -> Option<String> {
        let end = (self.prover.spent() + PER_CONFLICT).min(IN_TOTAL);
        let mut candidates = self.candidates(second, first);
        candidates.extend(self.candidates(first, second));
        candidates.sort_by_key(|candidate| (candidate.field.width(), candidate.field.lsb()));
        let is_operand = |candidate: &Candidate<'_>| {
            matches!(candidate.field.role, FieldRole::Operand | FieldRole::Part { .. })
        };
        // An operand with only one value is hardly what is meant.
        let kinds: [(Kind, [bool; 2]); 3] = [
            (Restriction::Only, [true, false]),
            (Restriction::Not, [true, true]),
            (Restriction::Only, [false, true]),
        ];
        for (kind, of_operands) in kinds {
            let of_kind = |of: &&Candidate<'_>| of_operands[usize::from(is_operand(of))];
            for candidate in candidates.iter().filter(of_kind) {
                for value in self.values(candidate.field) {
                    if self.prover.spent() >= end {
                        return None;
                    }
                    if self.separates(candidate, kind(value)) {
                        return Some(self.text(candidate, kind(value)));
                    }
                }
            }
        }
        None
    }

    /// The fields of an opcode that are not fixed, and fixed ones of the other in bits that this one does not mention.
    fn candidates(&self, id: OpcodeId, other: OpcodeId) -> Vec<Candidate<'c>> {
        let isa = self.context.isa;
        let (opcode, rival) = (isa.opcode(id), isa.opcode(other));
        let is_literal =
            |field: &Field| opcode.literal.is_some_and(|form| form.literal == field.name);
        let open =
            opcode.encoded().filter(|field| field.mask() & !opcode.mask != 0 && !is_literal(field));
        let missing = rival.encoded().filter(|field| {
            field.mask() & rival.mask == field.mask()
                && field.mask() & !opcode.unstated() == 0
                && opcode.field(field.name).is_none()
        });
        let open = open.map(|field| (field, false));
        open.chain(missing.map(|field| (field, true)))
            .map(|(field, is_missing)| Candidate { id, other, field, is_missing })
            .collect()
    }

    /// The smallest values of a field.
    fn values(&self, field: &Field) -> Vec<u64> {
        let ty = self.context.isa.ty(field.ty);
        let values: Vec<u64> = match &ty.kind {
            TypeKind::BitField(list) => {
                let mut values: Vec<u64> = list.iter().map(|value| value.value).collect();
                values.sort_unstable();
                values.dedup();
                values.into_iter().take(MAX_VALUES).collect()
            }
            TypeKind::Operand(_) | TypeKind::Immediate(_) | TypeKind::Composite(_) => {
                (0..1u128 << field.width()).map(|raw| raw as u64).take(MAX_VALUES).collect()
            }
        };
        // A register may have several values, of which its name is only one.
        let is_named = |raw: &u64| match &ty.kind {
            TypeKind::Operand(_) => ty.entry(*raw).is_some_and(|(entry, position)| {
                entry.meaning != Meaning::Literal
                    && entry.find(&entry.name_at(position)) == Some(*raw)
            }),
            // Of several encodings of a number the lowest is written.
            TypeKind::Immediate(of) if of.is_integer() => {
                let computed = of.computed.as_ref();
                ty.is_legal(*raw)
                    && computed.is_none_or(|of| of.find(of.number(*raw)) == Some(*raw))
            }
            _ => ty.is_legal(*raw),
        };
        values.into_iter().filter(is_named).collect()
    }

    /// Whether the two share no word if one is restricted, which still has words then, and takes none of another.
    fn separates(&self, candidate: &Candidate<'_>, restriction: Restriction) -> bool {
        let isa = self.context.isa;
        let (opcode, other) = (isa.opcode(candidate.id), isa.opcode(candidate.other));
        let is_none = |question: Option<Question<'_>>| {
            question.is_none_or(|question| self.prover.answer(&question) == Answer::None)
        };
        let own = self.restricted(self.prover.own(opcode), candidate, restriction);
        let Some(own) = own else { return false };
        // A rule is about a field that there is, and about a number in all its encodings.
        if let Restriction::Not(value) = restriction
            && (candidate.is_missing || self.has_twins(candidate.field, value))
        {
            return false;
        }
        if !is_none(own.clone().and(self.prover.own(other)))
            || !matches!(self.prover.answer(&own), Answer::Word(_))
        {
            return false;
        }
        let Restriction::Only(value) = restriction else { return true };
        let bits =
            Partial { known: candidate.field.mask(), value: candidate.field.insert(0, value) };
        let fixed = Partial { known: opcode.mask, value: opcode.value };
        let Some(fixed) = fixed.and(bits) else { return false };
        // Its special cases remain such, or have other words.
        let stays = |mask: u128, value: u128| {
            (value ^ fixed.value) & mask & fixed.known != 0
                || mask & fixed.known == fixed.known && mask != fixed.known
        };
        // It becomes a special case only of opcodes that do not have its words.
        opcode.special_cases.iter().all(|case| stays(case.mask, case.value))
            && isa.opcodes().iter().all(|general| {
                let becomes = !std::ptr::eq(general, opcode)
                    && (general.value ^ fixed.value) & general.mask & fixed.known == 0
                    && !opcode.has_match
                    && has_more(fixed.known, general.mask)
                    && !has_more(opcode.mask, general.mask);
                !becomes || is_none(self.prover.own(general).with(fixed))
            })
    }

    /// Whether a value of a field is a number that has other encodings.
    fn has_twins(&self, field: &Field, value: u64) -> bool {
        let TypeKind::Immediate(of) = &self.context.isa.ty(field.ty).kind else { return false };
        let computed = of.computed.as_ref().filter(|_| of.is_integer());
        computed.is_some_and(|of| of.encodings(of.number(value)) > 1)
    }

    fn restricted<'q>(
        &self,
        question: Question<'q>,
        candidate: &Candidate<'_>,
        restriction: Restriction,
    ) -> Option<Question<'q>> {
        let (Restriction::Only(value) | Restriction::Not(value)) = restriction;
        let field = candidate.field;
        let bits = Partial { known: field.mask(), value: field.insert(0, value) };
        match restriction {
            Restriction::Only(_) => question.with(bits),
            Restriction::Not(_) => Some(question.without(bits)),
        }
    }

    fn text(&self, candidate: &Candidate<'_>, restriction: Restriction) -> String {
        let isa = self.context.isa;
        let opcode = &isa.opcode(candidate.id).name;
        let field = candidate.field;
        let (name, place) =
            (isa.name_of(field.name), isa.numbering(isa.opcode(candidate.id)).ranges(field.mask()));
        match restriction {
            Restriction::Only(value) if candidate.is_missing => format!(
                "for example, give `{opcode}` the field `{name}`, {place}, fixed to `{}`",
                self.value(field, value)
            ),
            Restriction::Only(value) => format!(
                "for example, fix `{name}` of `{opcode}`, {place}, to `{}`",
                self.value(field, value)
            ),
            Restriction::Not(value) => format!(
                "for example, forbid by a rule that `{name}` of `{opcode}`, {place}, is `{}`",
                self.value(field, value)
            ),
        }
    }

    /// A value as it is written after `==`.
    fn value(&self, field: &Field, raw: u64) -> String {
        let ty = self.context.isa.ty(field.ty);
        match &ty.kind {
            TypeKind::BitField(_) => ty.enumerator(raw).map(|value| value.name.clone()),
            TypeKind::Operand(_) => ty.entry(raw).map(|(entry, position)| entry.name_at(position)),
            TypeKind::Immediate(_) => Some(ty.integer_of(raw).to_string()),
            TypeKind::Composite(_) => None,
        }
        .unwrap_or_else(|| raw.to_string())
    }
}

/// Whether some bits are all of others, and at least one more.
fn has_more(bits: u128, others: u128) -> bool {
    bits & others == others && bits != others
}
