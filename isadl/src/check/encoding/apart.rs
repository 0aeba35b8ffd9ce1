//! Proposes how to separate two opcodes that share a word (E0701): a field and a value. Restricting the field in one of
//! the opcodes separates them. Every proposal is proven.

use super::Context;
use crate::isa::{Field, FieldRole, Meaning, OpcodeId, TypeKind};
use crate::prove::{Answer, Effort, Partial, Prover, Question};

/// The maximum number of values that are tried per field.
const MAX_VALUES: usize = 256;

/// Limit on evaluated operators per conflict.
const PER_CONFLICT: u64 = 1 << 18;

/// Operators that may be evaluated for all conflicts.
const IN_TOTAL: u64 = 1 << 22;

/// Proposes restrictions.
pub(super) struct Apart<'c, 'a> {
    context: &'c Context<'c, 'a>,
    /// A prover of its own: the effort for proposals must not leave a check undecided.
    prover: Prover<'c>,
}

/// A field of an opcode that can lose a value, or keep only one.
struct Candidate<'c> {
    id: OpcodeId,
    other: OpcodeId,
    field: &'c Field,
    /// Whether only the other opcode has the field.
    is_missing: bool,
}

/// A restriction of a field's values.
#[derive(Clone, Copy)]
enum Restriction {
    /// Only this value.
    Only(u64),
    /// All values except this one.
    Not(u64),
}

/// Makes a restriction from a value.
type Kind = fn(u64) -> Restriction;

impl<'c, 'a> Apart<'c, 'a> {
    pub(super) fn new(context: &'c Context<'c, 'a>) -> Apart<'c, 'a> {
        Apart { context, prover: Prover::new(context.isa, Effort::Check) }
    }

    /// Proposes in words how to restrict one of two opcodes. It uses the smallest field for which this is possible, and
    /// returns `None` if none is found with little effort.
    pub(super) fn proposal(&self, first: OpcodeId, second: OpcodeId) -> Option<String> {
        let end = (self.prover.spent() + PER_CONFLICT).min(IN_TOTAL);
        let mut candidates = self.candidates(second, first);
        candidates.extend(self.candidates(first, second));
        candidates.sort_by_key(|candidate| (candidate.field.width(), candidate.field.lsb()));
        let is_operand = |candidate: &Candidate<'_>| {
            matches!(candidate.field.role, FieldRole::Operand | FieldRole::Part { .. })
        };
        // An operand with a single value is hardly intended.
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

    /// The open fields of an opcode, and fixed fields of the other opcode in bits that this opcode does not mention.
    fn candidates(&self, id: OpcodeId, other: OpcodeId) -> Vec<Candidate<'c>> {
        let isa = self.context.isa;
        let (opcode, rival) = (isa.opcode(id), isa.opcode(other));
        let is_open = |field: &&Field| field.mask() & !opcode.mask != 0;
        let open = opcode.encoded().filter(is_open).filter(|field| !opcode.is_literal(field.name));
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
        // A register can have several values; its name belongs to only one of them.
        let is_named = |raw: &u64| match &ty.kind {
            TypeKind::Operand(_) => ty.entry(*raw).is_some_and(|(entry, position)| {
                entry.meaning != Meaning::Literal
                    && entry.find(&entry.name_at(position)) == Some(*raw)
            }),
            // Among several encodings of a number, the lowest is written.
            TypeKind::Immediate(of) if of.is_integer() => {
                let computed = of.computed.as_ref();
                ty.is_legal(*raw)
                    && computed.is_none_or(|of| of.find(of.number(*raw)) == Some(*raw))
            }
            _ => ty.is_legal(*raw),
        };
        values.into_iter().filter(is_named).collect()
    }

    /// Whether a restriction separates the two opcodes, leaves the restricted opcode some words, and takes no words
    /// from other opcodes.
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

/// Whether some bits include all of the others, and at least one more.
fn has_more(bits: u128, others: u128) -> bool {
    bits & others == others && bits != others
}
