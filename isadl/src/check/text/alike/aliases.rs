//! Whether the text of an alias is read as the word that it was printed for. The form of an alias is aligned with the
//! forms of every opcode and alias that the assembler can read the text as.

use std::cmp::Ordering;
use std::rc::Rc;

use super::items::{Item, Role};
use super::pair::{Found, Mode, Side};
use super::{Named, Texts};
use crate::engine::TextOf;
use crate::isa::{Alias, ModifierStyle, Opcode, OpcodeId};
use crate::prove::{Answer, Partial, Question};

/// An alias: its opcode, and its index among the opcode's aliases.
type AliasId = (OpcodeId, usize);

/// The order in which an assembler chooses: the most dots in the mnemonic, then width and literal, then opcodes before
/// aliases, then the first alias.
type Rank = (std::cmp::Reverse<usize>, u32, bool, usize);

/// The state of the trial of an alias.
struct Trial<'f> {
    /// Whether the text of a word is not read as it.
    fails: &'f mut dyn FnMut(u128) -> bool,
    /// Whether it has returned so.
    has_failed: bool,
    is_open: bool,
}

impl Trial<'_> {
    fn try_word(&mut self, answer: Answer) {
        match answer {
            Answer::Word(word) if (self.fails)(word) => self.has_failed = true,
            Answer::Word(_) | Answer::Undecided => self.is_open = true,
            Answer::None => {}
        }
    }

    fn is_done(&self) -> bool {
        self.has_failed
    }
}

impl<'t> Texts<'t> {
    /// Asks for a word for which an alias is printed, or which the alias means if it is only read. `None` if there is
    /// no such word.
    pub(in crate::check::text) fn alias_words(&self, (id, at): AliasId) -> Option<Question<'t>> {
        let opcode = self.isa.opcode(id);
        let alias = &opcode.aliases[at];
        let mut question = self.meant(opcode, alias, self.prover.made(opcode, None))?;
        let before = opcode.aliases[..at].iter().filter(|alias| alias.is_printed);
        // Aliases that contradict fixed bits do not matter: of thousands of aliases, most do.
        let may_meet = |earlier: &&Alias| !question.contradicts(bits_of_form(earlier));
        let before: Vec<&Alias> = before.filter(|_| alias.is_printed).filter(may_meet).collect();
        for earlier in before {
            if let Some(other) = self.meant(opcode, earlier, self.prover.free(opcode)) {
                question = question.unlike(other);
            }
        }
        Some(question)
    }

    /// A question about words that an alias means.
    fn meant(
        &self,
        opcode: &'t Opcode,
        alias: &'t Alias,
        question: Question<'t>,
    ) -> Option<Question<'t>> {
        let question = question.with(bits_of_form(alias))?.with_set(&alias.form.requires);
        Some(match alias.condition {
            Some(condition) => question.where_condition(opcode, self.isa.expr(condition), true),
            None => question,
        })
    }

    /// Whether all texts of an alias are certainly read as intended. `fails` returns whether the text of a word is not, and is
    /// asked until it is.
    pub(in crate::check::text) fn is_faithful_alias(
        &mut self,
        alias: AliasId,
        fails: &mut dyn FnMut(u128) -> bool,
    ) -> bool {
        let mut trial = Trial { fails, has_failed: false, is_open: false };
        let words = self.alias_words(alias);
        if let (Some(form), Some(words)) = (self.forms.alias(alias), words) {
            for number in 0..self.mnemonics[form.index()].len() {
                if !self.mnemonic((form, number)).is_printed {
                    continue;
                }
                if let Some(side) = self.side_of((form, number), words.clone()) {
                    self.alone(alias, &side, &mut trial);
                    self.among_others((form, number), &side, &mut trial);
                }
            }
        }
        !trial.has_failed && !trial.is_open
    }

    /// The items of a form under a mnemonic, and the words that have the mnemonic.
    fn side_of(&mut self, named: Named, words: Question<'t>) -> Option<Side<'t>> {
        let fields = self.mnemonic(named).fields;
        let question = words.with(Partial { known: fields.mask, value: fields.value })?;
        let items = self.items(named);
        Some(Side::new(named.0, self.isa.opcode(named.0), items, question))
    }

    /// Looks for texts that are not read as they are meant when they are read as the alias.
    fn alone(&mut self, (id, at): AliasId, side: &Side<'t>, trial: &mut Trial<'_>) {
        let opcode = self.isa.opcode(id);
        let alias = &opcode.aliases[at];
        let mut before = 0;
        for item in &side.items {
            let is_operand = matches!(item.role, Role::Operand(_));
            let is_head = matches!(item.role, Role::Head { .. });
            // A text that two values share is not read as both.
            trial.is_open |= !is_operand && !is_head && !item.kind.is_injective;
            // An operand that is computed from several fields follows others that have some of them.
            let own = item.own_bits(side.opcode);
            let unfaithful = match own & before {
                0 => self.linker.unfaithful(side.id, item),
                known => Rc::new(self.linker.unfaithful_after(side.id, item, known)),
            };
            before |= own;
            for raws in &unfaithful.refused {
                trial.try_word(self.word_with(side, item, raws));
            }
            for moved in &unfaithful.moved {
                match self.word_with(side, item, &moved[0]) {
                    Answer::Word(word) if self.is_same(side, item, moved) => {
                        let may_tell =
                            alias.condition.is_some() || self.matters(opcode, item, moved);
                        match (trial.fails)(word) {
                            true => trial.has_failed = true,
                            false => trial.is_open |= may_tell,
                        }
                    }
                    answer => trial.try_word(answer),
                }
                if trial.is_done() {
                    return;
                }
            }
            for bits in &item.left_out {
                self.left_out(side, (item, *bits), trial);
            }
        }
        self.unwritten(alias, side, trial);
        let is_operand = |item: &&Item| matches!(item.role, Role::Operand(_));
        let is_modifier = |item: &&Item| item.role == Role::Modifier;
        let operands: Vec<Item> = side.items.iter().filter(is_operand).cloned().collect();
        let modifiers: Vec<Item> = side.items.iter().filter(is_modifier).cloned().collect();
        // The first word may be read as an operand.
        let may_begin = operands.iter().all(|item| item.absent.is_some());
        let has_words = self.isa.modifiers() == ModifierStyle::Words;
        trial.is_open |= has_words && may_begin && !modifiers.is_empty();
        for items in [operands, modifiers] {
            if !trial.is_done() && self.may_move(side.id, &items) {
                let pair = [side.question.clone(), self.prover.free(opcode)]
                    .map(|question| Side::new(side.id, side.opcode, items.clone(), question));
                self.laid([&pair[0], &pair[1]], Mode::Again, 0, trial);
            }
        }
    }

    /// Looks for words in which an item is left out although reading gives the item another value.
    fn left_out(&self, side: &Side<'t>, (item, bits): (&Item, Partial), trial: &mut Trial<'_>) {
        let Some(question) = side.question.clone().with(bits) else { return };
        let question = match item.absent {
            Some(absent) => question.without(absent),
            None => question,
        };
        trial.try_word(self.prover.answer(&question));
    }

    /// Looks for words with bits that are neither written nor derived, and differ from the bits that are read.
    fn unwritten(&self, alias: &Alias, side: &Side<'t>, trial: &mut Trial<'_>) {
        let form = side.opcode;
        let copied = alias.equal.iter().filter_map(|(to, _)| form.field(*to));
        let known = copied.fold(form.mask, |bits, field| bits | field.mask());
        let known = form.mnemonic_fields().fold(known, |bits, field| bits | field.mask());
        let known = side.items.iter().fold(known, |bits, item| bits | item.bits(form));
        let blank = self.engine.blank(self.forms.text(side.id));
        let open = form.significant & !known;
        for bit in (0..128).filter(|bit| open >> bit & 1 == 1) {
            let other = Partial { known: 1 << bit, value: !blank & 1 << bit };
            if let Some(question) = side.question.clone().with(other) {
                trial.try_word(self.prover.answer(&question));
            }
        }
    }

    /// Looks for texts that are read as other opcodes or aliases.
    fn among_others(&mut self, named: Named, side: &Side<'t>, trial: &mut Trial<'_>) {
        let (own, rank) = (self.forms.text(named.0).opcode, self.text_rank(named));
        for other in self.rivals(named) {
            if other == named || trial.is_done() || !self.may_begin_alike(named, other) {
                continue;
            }
            let mode = match self.text_rank(other).cmp(&rank) {
                Ordering::Less => Mode::Read,
                // If several fit equally well, the assembler prefers the instruction that is printed this way.
                Ordering::Equal if self.mnemonic(other).is_printed => Mode::Printed,
                Ordering::Equal | Ordering::Greater => continue,
            };
            let TextOf { opcode: of, alias } = self.forms.text(other.0);
            let opcode = self.isa.opcode(of);
            let made = self.prover.made(opcode, None);
            let words = match alias {
                Some(at) => self.meant(opcode, &opcode.aliases[at], made),
                None => Some(made),
            };
            let read = words.and_then(|words| self.side_of(other, words));
            let Some(read) = read else { continue };
            let apart = if of == own { opcode.significant } else { 0 };
            self.laid([side, &read], mode, apart, trial);
        }
    }

    /// Looks for words of two forms that have the same text.
    fn laid(&mut self, sides: [&Side<'t>; 2], mode: Mode, apart: u128, trial: &mut Trial<'_>) {
        let [may_be, may_be_lists] = self.may_be_alike(sides, mode);
        trial.is_open |= may_be_lists || mode == Mode::Read && may_keep_bits(sides[1]);
        if !may_be && mode != Mode::Again {
            return;
        }
        let mut is_doubtful = false;
        let mut confirm = |words: [u128; 2]| {
            let fails = (trial.fails)(words[0]);
            is_doubtful |= !fails;
            fails
        };
        match self.search_apart(sides, mode, apart, &mut confirm) {
            Found::Words(_) => trial.has_failed = true,
            Found::Open => trial.is_open = true,
            Found::None => trial.is_open |= is_doubtful,
        }
    }

    fn text_rank(&self, named: Named) -> Rank {
        let TextOf { opcode: of, alias } = self.forms.text(named.0);
        let opcode = self.isa.opcode(of);
        let dots = self.mnemonic(named).text.bytes().filter(|byte| *byte == b'.').count();
        let order = alias.map_or(0, |at| at + 1);
        (std::cmp::Reverse(dots), opcode.width, opcode.has_literal(), order)
    }
}

/// The bits that an alias fixes.
fn bits_of_form(alias: &Alias) -> Partial {
    Partial { known: alias.form.mask, value: alias.form.value }
}

/// Whether an operand can leave bits unchanged that it shares with earlier operands. This is the case if the operand or
/// one of its attributes is optional.
fn may_keep_bits(side: &Side<'_>) -> bool {
    let mut seen = 0;
    side.items.iter().any(|item| {
        let own = item.own_bits(side.opcode) & !side.opcode.mask;
        let is_shared = seen & own != 0;
        seen |= own;
        let Role::Operand(at) = item.role else { return false };
        let may_be_left_out = item.absent.is_some() || item.omission.is_some();
        is_shared && (may_be_left_out || !side.opcode.syntax.operands[at].suffixes.is_empty())
    })
}
