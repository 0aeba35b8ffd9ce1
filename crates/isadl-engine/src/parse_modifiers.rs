//! The modifiers of a line: each word is given to the first modifier that has it. If a required modifier is then
//! missing, all assignments are searched.

use super::fields::set;
use super::image::{Image, Tables, slice};
use super::image_lines::{Form, Modifier};
use super::image_text::TYPE_COMPOSITE;
use super::parse_cursor::Cursor;
use super::parse_error::{Failure, MAX_STEPS, Reason, expected, fail};
use super::parse_line::{Line, OperandText, Range, find};
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
        if let Some(named) = self.names {
            named.back_to(0);
        }
        match search.assign(0, 0, 0, *word) {
            Some(found) => {
                *word = found;
                Ok(())
            }
            None => search.why(),
        }
    }

    /// Reads a word as a modifier that is made of fields.
    pub(crate) fn made_modifier(&self, slot: &Modifier, word: Range) -> Result<u64, Failure> {
        let fixups = self.names.map(|named| (named, named.count()));
        self.read_for((slot.lsb, slot.width));
        let mut cursor = Cursor { line: self, at: word.0, end: word.1, piece: &OperandText::EMPTY };
        let read = cursor.value(slot.ty, 1, None);
        let read = match read {
            Ok(_) if !cursor.is_done() => expected(cursor.at, "the end of the modifier"),
            read => read,
        };
        if let (Err(_), Some((named, count))) = (&read, fixups) {
            named.back_to(count);
        }
        read
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

    /// The value of a modifier that a word is; the word has these meanings.
    #[inline]
    fn raw(&self, slot: &Modifier, (word, meanings): (Range, &[(u32, u64)])) -> Option<u64> {
        match meanings.iter().find(|(ty, _)| *ty == slot.ty) {
            Some((_, raw)) => Some(*raw),
            None if self.is_made(slot) => self.line.made_modifier(slot, word).ok(),
            None => None,
        }
    }

    /// Whether a modifier is made of fields.
    #[inline]
    fn is_made(&self, slot: &Modifier) -> bool {
        let image = self.line.image();
        image.lines.has_made_modifiers && image.texts.types[slot.ty as usize].kind == TYPE_COMPOSITE
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
            let (at, slot, raw) =
                open.find_map(|(at, slot)| Some((at, slot, self.raw(slot, (*range, meanings))?)))?;
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
        let fixups = self.line.names.map(|named| (named, named.count()));
        for (at, slot) in self.slots.iter().enumerate() {
            if taken >> at & 1 != 0 || slot.rank != 0 && slot.rank <= rank {
                continue;
            }
            let Some(raw) = self.raw(slot, (*range, meanings)) else { continue };
            let mut next = word;
            set(image, &mut next, slot.lsb, slot.width, raw);
            let rank = if slot.rank == 0 { rank } else { slot.rank };
            if let Some(found) = self.assign(index + 1, taken | 1 << at, rank, next) {
                return Some(found);
            }
            if let Some((named, count)) = fixups {
                named.back_to(count);
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
        let fits = |slot: &Modifier, word: Range| {
            let meanings = self.meanings(word);
            self.raw(slot, (word, meanings)).is_some()
        };
        let unknown = |word: &&Range| !self.slots.iter().any(|slot| fits(slot, **word));
        if let Some(word) = self.words.iter().find(unknown) {
            let made = self.slots.iter().filter(|slot| self.is_made(slot));
            let begun = made.filter_map(|slot| self.line.made_modifier(slot, *word).err());
            // A modifier that begins like one is wrong where it goes on.
            return match begun.max_by_key(|failure| failure.at).filter(|it| it.at > word.0) {
                Some(failure) => Err(failure),
                None => fail(word.0 - sign, Reason::UnknownModifier),
            };
        }
        let (mut taken, mut rank) = (0u128, 0);
        for word in self.words {
            let mut left = self.slots.iter().enumerate();
            let mut left =
                left.by_ref().filter(|(at, slot)| taken >> at & 1 == 0 && fits(slot, *word));
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
