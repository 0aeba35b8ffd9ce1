//! The modifiers of a line: each dotted word is given to one of the opcode's modifiers, so that all
//! that must be written are.

use super::cursor::{Detail, Failure, expected_of, wrong};
use super::expected::{self, add};
use super::line::Word;
use super::operand::{Reader, Values};
use crate::isa::{Isa, ModifierStyle, ModifierSyntax, NameId, Opcode};

/// Most steps in search of the fields that modifiers are meant for.
const MODIFIER_STEPS: usize = 10_000;

/// The modifiers of an opcode.
pub(super) struct Modifiers<'m> {
    pub(super) isa: &'m Isa,
    pub(super) opcode: &'m Opcode,
    pub(super) detail: Detail,
}

impl Modifiers<'_> {
    /// The values of all modifiers: of those written, and of those that are not.
    pub(super) fn read(&self, words: &[Word<'_>], end: usize) -> Result<Values, Failure> {
        let modifiers = &self.opcode.syntax.modifiers;
        // For each word the modifiers that have it as a value.
        let mut meanings: Vec<Vec<(usize, u64)>> = Vec::new();
        for word in words {
            let meaning = |(index, name): (usize, NameId)| {
                let field = self.opcode.field(name)?;
                Some((index, self.isa.ty(field.ty).spelled(word.text)?.value))
            };
            let fields = modifiers.iter().map(|modifier| modifier.field).enumerate();
            let found: Vec<(usize, u64)> = fields.filter_map(meaning).collect();
            if found.is_empty() {
                return expected_of(word.at, self.all_spellings());
            }
            meanings.push(found);
        }
        let mut chosen = vec![None; modifiers.len()];
        let mut steps = MODIFIER_STEPS;
        if !self.assign(&meanings, None, &mut chosen, &mut steps) {
            return self.not_assigned(words, &meanings, end);
        }
        let value = |(modifier, chosen): (&ModifierSyntax, Option<u64>)| {
            Some((modifier.field, chosen.or(modifier.absent)?))
        };
        Ok(modifiers.iter().zip(chosen).filter_map(value).collect())
    }

    /// Gives each word to the first modifier that it can be meant for, so that all that must be
    /// written are.
    fn assign(
        &self,
        meanings: &[Vec<(usize, u64)>],
        last_rank: Option<u32>,
        chosen: &mut [Option<u64>],
        steps: &mut usize,
    ) -> bool {
        *steps = steps.saturating_sub(1);
        let modifiers = &self.opcode.syntax.modifiers;
        let Some((first, rest)) = meanings.split_first() else {
            return chosen.iter().zip(modifiers).all(|(c, m)| c.is_some() || m.absent.is_some());
        };
        for (index, raw) in first {
            let rank = modifiers[*index].rank;
            let is_in_order = rank.is_none() || last_rank.is_none() || rank > last_rank;
            if chosen[*index].is_some() || !is_in_order || *steps == 0 {
                continue;
            }
            chosen[*index] = Some(*raw);
            if self.assign(rest, rank.or(last_rank), chosen, steps) {
                return true;
            }
            chosen[*index] = None;
        }
        false
    }

    /// Says why words do not fit together: one is too many, or one is missing.
    fn not_assigned<T>(
        &self,
        words: &[Word<'_>],
        meanings: &[Vec<(usize, u64)>],
        end: usize,
    ) -> Result<T, Failure> {
        let modifiers = &self.opcode.syntax.modifiers;
        let dot = expected::sign(self.isa.modifiers);
        let mut chosen = vec![false; modifiers.len()];
        let mut last_rank = None;
        for (word, meaning) in words.iter().zip(meanings) {
            let open = meaning.iter().map(|(index, _)| *index).find(|index| {
                let rank = modifiers[*index].rank;
                !chosen[*index] && (rank.is_none() || last_rank.is_none() || rank > last_rank)
            });
            let Some(index) = open else {
                let message = match meaning.iter().all(|(index, _)| chosen[*index]) {
                    true => format!("`{dot}{}` is one modifier too many", word.text),
                    false => format!("`{dot}{}` must stand before others", word.text),
                };
                return wrong(word.at, message);
            };
            chosen[index] = true;
            last_rank = modifiers[index].rank.or(last_rank);
        }
        let missing = modifiers.iter().zip(&chosen).find(|(m, c)| !**c && m.absent.is_none());
        let spellings = missing.map_or(Vec::new(), |(modifier, _)| self.spellings(modifier));
        wrong(end, format!("a modifier is missing: {}", expected::any_of(spellings)))
    }

    fn spellings(&self, modifier: &ModifierSyntax) -> Vec<String> {
        let Modifiers { isa, opcode, detail } = *self;
        Reader { isa, opcode, modifiers: &[], detail }.spellings(modifier, isa.modifiers)
    }

    fn all_spellings(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for modifier in &self.opcode.syntax.modifiers {
            add(&mut names, self.spellings(modifier));
        }
        if names.is_empty() {
            names.push(match self.isa.modifiers {
                ModifierStyle::Dots => "a space".to_string(),
                ModifierStyle::Words => "the end".to_string(),
            });
        }
        names
    }
}
