//! The modifiers of a line: each word is given to the first modifier that has it. If a required modifier is then
//! missing, all assignments are searched.

use super::fields::set;
use super::image::{Image, Tables, slice};
use super::image_lines::{Form, Modifier};
use super::parse_error::{Failure, MAX_STEPS, Reason, fail};
use super::parse_line::{Line, Range, find};
use super::word::Word;

impl<'a, T: Tables<'a>> Line<'_, 'a, T> {
    pub(crate) fn modifiers(
        &self,
        form: &Form,
        dots: usize,
        word: &mut Word,
    ) -> Result<(), Failure> {
        let words = self.modifier_words(dots);
        if words.is_empty() && form.required == 0 {
            return Ok(());
        }
        let slots = slice(self.image().lines.modifiers, form.modifiers);
        let mut search = Modifiers { line: self, slots, words, steps: MAX_STEPS };
        if let Some(found) = search.first_fit(form.required, *word) {
            *word = found;
            return Ok(());
        }
        match search.assign(0, 0, 0, *word) {
            Some(found) => {
                *word = found;
                Ok(())
            }
            None => search.why(),
        }
    }
}

/// The modifiers of a line and of an opcode.
struct Modifiers<'c, 'a, T> {
    line: &'c Line<'c, 'a, T>,
    slots: &'a [Modifier],
    words: &'c [Range],
    steps: u32,
}

impl<'a, T: Tables<'a>> Modifiers<'_, 'a, T> {
    #[inline]
    fn meanings(&self, word: Range) -> &'a [(u32, u64)] {
        meanings(self.line.image(), self.line.bytes, word)
    }

    /// Gives each word to the first modifier that it can be meant for; `None` if that leaves one
    /// that must be written.
    fn first_fit(&self, required: Word, mut word: Word) -> Option<Word> {
        let image = self.line.image();
        let (mut taken, mut rank) = (0u64, 0);
        for range in self.words {
            let meanings = self.meanings(*range);
            // Beyond 64 modifiers the search takes over.
            let mut open =
                self.slots.iter().take(64).enumerate().filter(|(at, slot)| {
                    taken >> at & 1 == 0 && (slot.rank == 0 || slot.rank > rank)
                });
            let (at, slot, raw) = open.find_map(|(at, slot)| {
                let (_, raw) = meanings.iter().find(|(ty, _)| *ty == slot.ty)?;
                Some((at, slot, *raw))
            })?;
            set(image, &mut word, slot.lsb, slot.width, raw);
            taken |= 1 << at;
            rank = if slot.rank == 0 { rank } else { slot.rank };
        }
        (required & !(taken as Word) == 0).then_some(word)
    }

    /// Gives each word to the first modifier that it can be meant for, so that all that must be
    /// written are.
    fn assign(&mut self, index: usize, taken: u128, rank: u32, word: Word) -> Option<Word> {
        let Some(range) = self.words.get(index) else {
            let mut required = self.slots.iter().enumerate().filter(|(_, slot)| slot.is_required);
            return required.all(|(at, _)| taken >> at & 1 != 0).then_some(word);
        };
        self.steps = self.steps.checked_sub(1)?;
        let image = self.line.image();
        let meanings = self.meanings(*range);
        for (at, slot) in self.slots.iter().enumerate() {
            if taken >> at & 1 != 0 || slot.rank != 0 && slot.rank <= rank {
                continue;
            }
            let Some((_, raw)) = meanings.iter().find(|(ty, _)| *ty == slot.ty) else { continue };
            let mut next = word;
            set(image, &mut next, slot.lsb, slot.width, *raw);
            let rank = if slot.rank == 0 { rank } else { slot.rank };
            if let Some(found) = self.assign(index + 1, taken | 1 << at, rank, next) {
                return Some(found);
            }
        }
        None
    }

    /// The first word that no modifier is left for, or that one is missing.
    fn why<R>(&self) -> Result<R, Failure> {
        let is_word_style = self.line.image().texts.is_word_style;
        // Where modifiers are missing, and the length of the sign before each.
        let (end, sign) =
            if is_word_style { (self.line.controls.0, 0) } else { (self.line.words_end, 1) };
        let unknown = |word: &&Range| {
            let meanings = self.meanings(**word);
            !self.slots.iter().any(|slot| meanings.iter().any(|(ty, _)| *ty == slot.ty))
        };
        if let Some(word) = self.words.iter().find(unknown) {
            return fail(word.0 - sign, Reason::UnknownModifier);
        }
        let (mut taken, mut rank) = (0u128, 0);
        for word in self.words {
            let meanings = self.meanings(*word);
            let fits = |slot: &Modifier| meanings.iter().any(|(ty, _)| *ty == slot.ty);
            let mut left = self.slots.iter().enumerate();
            let mut left = left.by_ref().filter(|(at, slot)| taken >> at & 1 == 0 && fits(slot));
            let Some(first) = left.next() else {
                return fail(word.0 - sign, Reason::RepeatedModifier);
            };
            let in_order = |slot: &Modifier| slot.rank == 0 || slot.rank > rank;
            let mut open = [first].into_iter().chain(left).filter(|(_, slot)| in_order(slot));
            let Some((at, slot)) = open.next() else {
                return fail(word.0 - sign, Reason::MisplacedModifier);
            };
            taken |= 1 << at;
            rank = if slot.rank == 0 { rank } else { slot.rank };
        }
        let is_missing = |(at, slot): &(usize, &Modifier)| slot.is_required && taken >> at & 1 == 0;
        let missing = self.slots.iter().enumerate().find(is_missing);
        fail(end, missing.map_or(Reason::Unfit, |(at, _)| Reason::MissingModifier(at as u16)))
    }
}

/// The types that have a word among their spellings, each with the value.
#[inline]
pub(crate) fn meanings<'a>(image: &Image<'a>, text: &[u8], word: Range) -> &'a [(u32, u64)] {
    let lines = &image.lines;
    match find(image, &lines.spellings, text, word) {
        Some(list) => slice(lines.meanings, *list),
        None => &[],
    }
}
