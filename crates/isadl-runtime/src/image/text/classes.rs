//! Classes of operands by their possible first characters, and kinds of texts that tell classes apart. Classes rule out
//! most opcodes without reading their operands.

use std::collections::{BTreeMap, BTreeSet};

use isadl_engine::image_lines::{KIND_BITS, MAX_KINDS, NO_KIND, NUMBER_KIND, OperandForm};

use super::values::stem;
use crate::isa::{CompositeSegment, Isa, Meaning, TypeId, TypeKind};

/// Limit on the sequences of kinds that are looked up for one form.
const MAX_SEQUENCES: usize = 64;

/// Classes of operands, a bit each.
#[derive(Default)]
pub(super) struct Classes {
    /// The classes that a name, without its number, may begin.
    pub(super) names: BTreeMap<String, u64>,
    /// Classes that a number can begin.
    pub(super) number: u64,
    /// Classes that any text can begin.
    pub(super) always: u64,
    /// Classes of operands that can be several numbers.
    pub(super) multiple: u64,
    classes: BTreeMap<(u8, u32, u32), u8>,
}

impl Classes {
    /// The class of an operand's possible beginnings, given its location, text and type: the text, or the beginnings of
    /// the type's values. After 64 kinds of operands, some share a class, which rules out less.
    pub(super) fn of(
        &mut self,
        isa: &Isa,
        operand: (u8, u32, u32),
        text: &str,
        ty: Option<TypeId>,
    ) -> u8 {
        if let Some(class) = self.classes.get(&operand) {
            return *class;
        }
        let class = (self.classes.len() % 64) as u8;
        self.classes.insert(operand, class);
        match ty {
            Some(ty) => self.begins(isa, ty, class),
            None => self.name(isa, text, class),
        }
        class
    }

    /// A name may begin a class.
    pub(super) fn name(&mut self, isa: &Isa, text: &str, class: u8) {
        let stem = stem(text);
        // The parser cannot classify text that does not begin with a letter.
        match stem.is_empty() {
            true => self.always |= 1 << class,
            false => *self.names.entry(isa.folded(stem).into_owned()).or_default() |= 1 << class,
        }
    }

    fn begins(&mut self, isa: &Isa, ty: TypeId, class: u8) {
        if let Some(other) = &isa.ty(ty).otherwise {
            self.begins(isa, other.ty, class);
        }
        match &isa.ty(ty).kind {
            TypeKind::Immediate(_) => self.number |= 1 << class,
            TypeKind::BitField(_) => self.always |= 1 << class,
            TypeKind::Operand(entries) => {
                for entry in entries {
                    entry.also.iter().for_each(|other| self.name(isa, &other.text, class));
                    match &entry.meaning {
                        Meaning::Registers { prefix, .. } => self.name(isa, prefix, class),
                        Meaning::Integers { .. } | Meaning::Float(_) => self.number |= 1 << class,
                        _ => self.name(isa, &entry.text_at(0), class),
                    }
                }
            }
            TypeKind::Composite(composite) => match composite.first().as_slice() {
                [CompositeSegment::Text(text)] => self.name(isa, text.trim(), class),
                _ => self.always |= 1 << class,
            },
        }
    }

    /// Whether each text belongs to the first operand that has its class. This holds if no optional operand begins like
    /// a later operand, and no number follows several.
    pub(super) fn are_told(&self, operands: &[OperandForm]) -> bool {
        let begins_like = |a: u8, b: u8| {
            let both = 1u64 << a | 1 << b;
            let shares = |classes: u64| classes & both == both;
            a == b
                || self.always & both != 0
                || shares(self.number)
                || self.names.values().any(|classes| shares(*classes))
        };
        // A text passes over an operand only up to the next that must be written.
        let next = |index: usize| {
            let later = &operands[index + 1..];
            let required = later.iter().position(|row| !row.is_optional);
            &later[..required.map_or(later.len(), |required| required + 1)]
        };
        let is_told = |(index, row): (usize, &OperandForm)| {
            !row.is_optional || next(index).iter().all(|later| !begins_like(row.class, later.class))
        };
        let begins_with_number =
            |row: &OperandForm| (self.number | self.always) >> row.class & 1 != 0;
        let is_last_number = |(index, row): (usize, &OperandForm)| {
            let shares = self.multiple >> row.class & 1 != 0;
            !shares || !operands[index + 1..].iter().any(begins_with_number)
        };
        operands.iter().enumerate().all(is_last_number) && operands.iter().enumerate().all(is_told)
    }

    /// The kinds of texts, when all names are known.
    pub(super) fn kinds(&self) -> Kinds {
        let all: BTreeSet<u64> = self.names.values().copied().collect();
        let is_most =
            |classes: &&u64| all.iter().all(|other| other == *classes || **classes & !other != 0);
        let most = all.iter().filter(is_most).filter(|classes| **classes != self.number);
        Kinds([self.number].into_iter().chain(most.copied()).collect())
    }
}

/// The kinds of texts, as sets of operands that they can begin; the first kind is numbers. A text that can begin only
/// some of the operands of another text shares its kind, which rules out less but keeps the number of kinds small.
pub(super) struct Kinds(Vec<u64>);

impl Kinds {
    /// The kind of texts that may begin operands of these classes; [`NO_KIND`] if there are too many.
    pub(super) fn of(&self, classes: u64) -> u8 {
        let kind = self.0.iter().position(|kind| classes & !kind == 0);
        kind.map(kind_at).filter(|kind| *kind < 1 << KIND_BITS).map_or(NO_KIND, |kind| kind as u8)
    }

    /// The possible sequences of kinds of operands. Each operand comes with its count of numbers. `None` if the
    /// sequences do not determine whether a form fits.
    pub(super) fn sequences(
        &self,
        classes: &Classes,
        operands: &[(&OperandForm, usize)],
    ) -> Option<Vec<u64>> {
        let pieces = operands.iter().map(|(_, lanes)| lanes).sum::<usize>();
        if pieces > MAX_KINDS || self.0.len() >= 1 << KIND_BITS {
            return None;
        }
        let mut sequences = vec![0];
        for (row, lanes) in operands {
            if classes.always >> row.class & 1 != 0 {
                return None;
            }
            let mut longer = if row.is_optional { sequences.clone() } else { Vec::new() };
            for (index, _) in self.0.iter().enumerate().filter(|(_, k)| *k >> row.class & 1 != 0) {
                let most = if index == 0 { *lanes } else { 1 };
                for sequence in &sequences {
                    let more = |all: &u64| Some(all << KIND_BITS | kind_at(index));
                    longer.extend(std::iter::successors(more(sequence), more).take(most));
                }
            }
            sequences = longer;
            if sequences.len() > MAX_SEQUENCES {
                return None;
            }
        }
        Some(sequences)
    }
}

/// The kind at a place among kinds.
fn kind_at(index: usize) -> u64 {
    index as u64 + u64::from(NUMBER_KIND)
}
