//! Sample words of an opcode, chosen by its syntax: each piece of text with its values, and adjacent pieces with
//! combinations of their values.

use std::collections::HashSet;

use super::covered::{Covered, FieldSyntaxKey, piece};
use crate::engine::Engine;
use crate::isa::{
    Binding, Bits, Composite, Entry, Inst, Isa, Meaning, ModifierStyle, NameId, Number,
    NumberFormat, Opcode, OpcodeId, OperandLocation, OperandSyntax, Type, TypeKind, low_bits,
};
use crate::prove::{Partial, Wanted, Word, Words};

/// Limit on the values of a type that are tried one by one.
const MAX_VALUES: usize = 16;

/// Limit on the values of a type that are combined with values of a neighbour, in a large instruction set.
const MAX_TOGETHER: usize = 2;

/// Widest composites whose values are all tried.
const MAX_WIDTH: u32 = 6;

/// Limit on the tried numbers between aligned registers.
const MAX_BETWEEN: u64 = 8;

/// Limit on the combinations of values that are tried in search of words that no rule forbids.
const MAX_SEARCHED: usize = 64;

/// A field that is written, and values of it.
pub(super) struct Choice {
    pub(super) field: NameId,
    pub(super) values: Vec<u64>,
    piece: FieldSyntaxKey,
}

/// The sample of an opcode.
pub(super) struct Sample<'i> {
    engine: &'i Engine<'i>,
    isa: &'i Isa,
    id: OpcodeId,
    /// The fixed bits, and the defaults of fields.
    defaults: u128,
    /// In the order of the text.
    pub(super) choices: Vec<Choice>,
    words: &'i Words<'i>,
    /// The bits of the fields that keep their defaults.
    told: u128,
}

impl<'i> Sample<'i> {
    /// The sample of an opcode, with the fields in `told` at their defaults; `None` if one of these fields has no
    /// default.
    pub(super) fn new(
        (engine, words): (&'i Engine<'i>, &'i Words<'i>),
        id: OpcodeId,
        told: &HashSet<NameId>,
    ) -> Option<Sample<'i>> {
        let isa = engine.isa();
        let opcode = isa.opcode(id);
        let mut defaults = opcode.value;
        for field in &opcode.fields {
            match field.binding {
                Binding::Default(raw) => defaults = field.insert(defaults, raw),
                Binding::Required if told.contains(&field.name) => return None,
                Binding::Required | Binding::Fixed(_) => {}
            }
        }
        let choices = in_order(isa, opcode)
            .into_iter()
            .filter(|name| !told.contains(name))
            .filter_map(|name| {
                let field = opcode.field(name)?;
                let mut values = match field.binding {
                    Binding::Fixed(_) => return None,
                    // The omitted value comes first.
                    Binding::Default(raw) => vec![raw],
                    Binding::Required => Vec::new(),
                };
                values.extend(values_of(isa, isa.ty(field.ty)));
                let mut seen = HashSet::new();
                values.retain(|raw| seen.insert(*raw));
                Some(Choice { field: name, values, piece: piece(opcode, field) })
            })
            .collect();
        let kept = opcode.fields.iter().filter(|field| told.contains(&field.name));
        let told = kept.fold(0, |bits, field| bits | field.mask());
        Some(Sample { engine, isa, id, defaults, choices, words, told })
    }

    /// The fields that keep their defaults, with these.
    pub(super) fn told(&self) -> Partial {
        Partial { known: self.told, value: self.defaults & self.told }
    }

    /// The word with the field of a choice set to a value, if it is an instruction of the opcode.
    pub(super) fn with(&self, inst: Inst, choice: &Choice, raw: u64) -> Option<Inst> {
        self.legal(self.set(inst.word, choice, raw))
    }

    fn set(&self, word: u128, choice: &Choice, raw: u64) -> u128 {
        let field = self.isa.opcode(self.id).field(choice.field);
        field.map_or(word, |field| field.insert(word, raw))
    }

    /// The instruction in a word, if it belongs to the opcode and an assembler generates it.
    fn legal(&self, word: u128) -> Option<Inst> {
        let any = Inst { opcode: self.id, word: 0 };
        let inst = self.engine.having(any).decode(word).ok()?;
        (inst.opcode == self.id && self.engine.advice(inst).is_none()).then_some(inst)
    }

    /// An instruction of the opcode with a value in one field and any values in the others.
    fn proven(&self, choice: &Choice, raw: u64) -> Option<u128> {
        let field = self.isa.opcode(self.id).field(choice.field)?;
        self.find(field.mask(), field.insert(0, raw))
    }

    /// An instruction of the opcode with these bits, and the defaults that are kept.
    fn find(&self, mask: u128, value: u128) -> Option<u128> {
        let (mask, value) = (mask | self.told, value | self.defaults & self.told);
        match self.words.find(self.id, Wanted { mask, value, breaks: None }) {
            Word::Found(word) => Some(word),
            Word::Impossible | Word::Undecided => None,
        }
    }

    /// The first result of `found` for an instruction of the sample. Skips instructions that were covered before.
    pub(super) fn first<T>(
        &self,
        covered: &mut Covered,
        mut found: impl FnMut(Inst) -> Option<T>,
    ) -> Option<T> {
        let mut seen: HashSet<u128> = HashSet::new();
        let mut try_word = |covered: &mut Covered, word: u128| {
            let inst = seen.insert(word).then(|| self.legal(word)).flatten()?;
            covered.count();
            found(inst)
        };
        let bases = self.bases(covered.is_small());
        if let Some(first) = bases.iter().find_map(|base| try_word(covered, *base)) {
            return Some(first);
        }
        for (turn, base) in bases.iter().enumerate() {
            for (at, choice) in self.choices.iter().enumerate() {
                let words = choice.values.iter().map(|raw| self.set(*base, choice, *raw));
                // A value that the base cannot have is tried with others, in a small instruction set.
                let is_sought = turn == 0 && covered.is_small();
                let else_proven = |raw: &u64| {
                    let word = self.set(*base, choice, *raw);
                    let is_sought = is_sought && self.legal(word).is_none();
                    is_sought.then(|| self.proven(choice, *raw)).flatten().unwrap_or(word)
                };
                let alone = choice.values.iter().map(else_proven);
                if covered.is_open(turn, choice.piece, None)
                    && let Some(first) = alone.clone().find_map(|word| try_word(covered, word))
                {
                    return Some(first);
                }
                let Some(next) = self.choices.get(at + 1) else { continue };
                if !covered.is_open(turn, choice.piece, Some(next.piece)) {
                    continue;
                }
                let most = if covered.is_small() { MAX_VALUES } else { MAX_TOGETHER };
                for word in words.take(most) {
                    let mut others = next.values.iter().take(most);
                    let first =
                        others.find_map(|raw| try_word(covered, self.set(word, next, *raw)));
                    if first.is_some() {
                        return first;
                    }
                }
            }
        }
        None
    }

    /// Words from which the other sample words are made: all optional pieces are left out, or none. A small instruction
    /// set gets a complete search.
    fn bases(&self, is_small: bool) -> Vec<u128> {
        let nth = |n: usize| {
            self.choices.iter().fold(self.defaults, |word, choice| {
                let raw = choice.values.get(n).or(choice.values.last());
                raw.map_or(word, |raw| self.set(word, choice, *raw))
            })
        };
        let mut bases: Vec<u128> = [0, 1].map(nth).to_vec();
        if bases.iter().all(|word| self.legal(*word).is_none()) {
            let proven = || is_small.then(|| self.find(0, 0)).flatten();
            bases.extend(self.search().or_else(proven));
        }
        bases
    }

    /// A word that no rule forbids, which is mostly found without a proof: fields take their values in turn,
    /// each at a pace of its own.
    fn search(&self) -> Option<u128> {
        let word = |turn: usize| {
            let choices = self.choices.iter().enumerate();
            choices.fold(self.defaults, |word, (at, choice)| {
                let raw = choice.values.get((turn / (at + 1)) % choice.values.len().max(1));
                raw.map_or(word, |raw| self.set(word, choice, *raw))
            })
        };
        (1..MAX_SEARCHED).map(word).find(|word| self.legal(*word).is_some())
    }
}

/// The fields of an opcode in written order.
fn in_order(isa: &Isa, opcode: &Opcode) -> Vec<NameId> {
    let syntax = &opcode.syntax;
    let mut names: Vec<NameId> = Vec::new();
    let operand = |operand: &OperandSyntax| -> Vec<NameId> {
        let marks = operand.marks.iter().map(|mark| mark.field);
        let core = match operand.place(opcode) {
            OperandLocation::Field(name) => vec![name],
            OperandLocation::File(_) => Vec::new(),
            OperandLocation::Indirect { base, offset, .. } => {
                [base].into_iter().chain(offset).collect()
            }
        };
        let suffixes = operand.suffixes.iter().map(|suffix| suffix.field);
        marks.chain(core).chain(suffixes).collect()
    };
    let modifiers = || syntax.modifiers.iter().map(|modifier| modifier.field);
    names.extend(syntax.guard.iter().flat_map(operand));
    names.extend(opcode.mnemonic_fields().map(|field| field.name));
    if isa.modifiers() == ModifierStyle::Dots {
        names.extend(modifiers());
    }
    names.extend(syntax.operands.iter().flat_map(operand));
    if isa.modifiers() == ModifierStyle::Words {
        names.extend(modifiers());
    }
    names.extend(syntax.controls.iter().map(|control| control.field));
    names
}

/// Values of a type that show how it is written.
pub(in crate::check::text) fn values_of(isa: &Isa, ty: &Type) -> Vec<u64> {
    let mut values: Vec<u64> = match &ty.kind {
        TypeKind::BitField(list) => list.iter().map(|value| value.value).collect(),
        TypeKind::Operand(list) => {
            let entries = list.iter().filter(|entry| entry.meaning != Meaning::Literal);
            entries.flat_map(of_entry).collect()
        }
        TypeKind::Immediate(immediate) => {
            let mut values = numbers(ty.width, immediate.number);
            // The first and the last legal value next to reserved values.
            for (first, end) in immediate.reserved_values.iter().take(MAX_BETWEEN as usize) {
                values.extend(first.checked_sub(1));
                values.extend(u64::try_from(*end));
            }
            values.retain(|raw| ty.is_legal(*raw));
            values
        }
        TypeKind::Composite(_) if ty.width <= MAX_WIDTH => {
            return (0..1 << ty.width).collect();
        }
        TypeKind::Composite(composite) => of_parts(isa, composite),
    };
    if let Some(other) = &ty.otherwise {
        let others = values_of(isa, isa.ty(other.ty));
        values.extend(others.into_iter().filter(|raw| !ty.is_named(*raw) && ty.is_legal(*raw)));
        for (first, end) in ty.others().into_iter().take(MAX_BETWEEN as usize) {
            values.extend([first, (end - 1) as u64]);
        }
        values.sort_unstable();
        values.dedup();
    }
    if values.len() > MAX_VALUES {
        let last = values.split_off(values.len() - MAX_VALUES / 2);
        values.truncate(MAX_VALUES / 2);
        values.extend(last);
    }
    values
}

/// Values of all parts, together and against each other.
fn of_parts(isa: &Isa, composite: &Composite) -> Vec<u64> {
    let parts = composite.parts.iter();
    let parts: Vec<(&Bits, Vec<u64>)> =
        parts.map(|part| (&part.bits, values_of(isa, isa.ty(part.ty)))).collect();
    let count = parts.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let word = |turn: usize, step: usize| {
        parts.iter().enumerate().fold(0, |word, (at, (bits, values))| {
            word | bits.place(values[(turn + at * step) % values.len().max(1)]) as u64
        })
    };
    (0..count).flat_map(|turn| [0, 1].map(|step| word(turn, step))).collect()
}

/// The ends of an entry; also numbers between registers that are aligned, which mean others.
fn of_entry(entry: &Entry) -> Vec<u64> {
    let between = match entry.meaning {
        Meaning::Registers { align, .. } if align > 1 => MAX_BETWEEN.min(entry.count),
        _ => 1,
    };
    let mut values: Vec<u64> = (0..between).map(|at| entry.value + at).collect();
    values.push(entry.value + (entry.count - 1));
    values
}

/// The ends of a number's range, and values that are not numbers.
fn numbers(width: u32, format: NumberFormat) -> Vec<u64> {
    let all = low_bits(width) as u64;
    let mut values = vec![0, 1, all / 2, all / 2 + 1, all];
    if let Number::Float { exponent, fraction } = format.number {
        let infinity = ((1u64 << exponent) - 1) << fraction;
        let one = ((1u64 << (exponent - 1)) - 1) << fraction;
        values.extend([infinity, infinity | 1, one, one - 1, one | 1 << (exponent + fraction)]);
    }
    values.retain(|raw| *raw <= all);
    values
}
