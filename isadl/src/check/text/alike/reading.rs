//! Whether the texts of an opcode are read as the words that they were printed for.

use std::collections::HashMap;
use std::rc::Rc;

use super::Texts;
use super::items::{Item, Role};
use super::kinds::Kind;
use super::pair::{Found, Mode, Side};
use crate::check::text::readback::alike;
use crate::isa::{Expr, Inst, Opcode, OpcodeId};
use crate::prove::{Answer, Partial, Question};

/// The verdict on an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check::text) enum Reading {
    /// Every text is read as its word, or as an equivalent word.
    Faithful,
    /// The text of this instruction is not.
    Failing(Inst),
    /// It was not decided.
    Open,
}

/// Texts of a kind of operand that are not read as the values that they are printed for.
#[derive(Debug, Default)]
pub(super) struct Unfaithful {
    /// Values whose text is refused.
    pub(super) refused: Vec<Rc<[u64]>>,
    /// Values that are read as others.
    pub(super) moved: Vec<[Rc<[u64]>; 2]>,
}

/// Unfaithful values by kind of operand.
pub(super) type UnfaithfulValues = HashMap<usize, Rc<Unfaithful>>;

impl<'t> Texts<'t> {
    /// Whether the texts of an opcode's words with some bits are read as intended. `fails` returns whether the text of
    /// an instruction is not.
    pub(in crate::check::text) fn reading(
        &mut self,
        id: OpcodeId,
        told: Partial,
        fails: &mut dyn FnMut(Inst) -> bool,
    ) -> Reading {
        let whole = self.whole(id);
        let Some(question) = whole.question.clone().with(told) else { return Reading::Faithful };
        let side = Side::new(id, whole.opcode, whole.items.clone(), question);
        let inst = |word| Inst { opcode: id, word };
        let mut is_open = false;
        let (mut moved, mut chosen): (Vec<Item>, Vec<Item>) = (Vec::new(), Vec::new());
        for item in side.items.iter().filter(|item| item.is_parsed()) {
            let unfaithful = self.linker.unfaithful(id, item);
            if unfaithful.moved.iter().any(|moved| self.matters(side.opcode, item, moved)) {
                moved.push(item.clone());
                chosen.extend(is_computed(side.opcode, item).then(|| item.clone()));
            }
            let others = unfaithful.moved.iter().filter(|moved| !self.is_same(&side, item, moved));
            let others = others.map(|[from, _]| from);
            for raws in unfaithful.refused.iter().chain(others) {
                match self.word_with(&side, item, raws) {
                    Answer::Word(word) if fails(inst(word)) => return Reading::Failing(inst(word)),
                    Answer::Undecided => is_open = true,
                    Answer::Word(_) | Answer::None => {}
                }
            }
        }
        for ([own, read], mode) in self.searches(&side, &moved) {
            let mut confirm = |words: [u128; 2]| fails(inst(words[0]));
            match self.search([&own, &read], mode, &mut confirm) {
                Found::Words(words) => return Reading::Failing(inst(words[0])),
                Found::Open => is_open = true,
                Found::None => {}
            }
        }
        if !chosen.is_empty() {
            match self.among_encodings(&side, &chosen, fails) {
                Reading::Failing(inst) => return Reading::Failing(inst),
                Reading::Open => is_open = true,
                Reading::Faithful => {}
            }
        }
        if is_open { Reading::Open } else { Reading::Faithful }
    }

    /// Looks for two legal words that differ only in the fields of computed operands and have the same numbers. The
    /// text of both is read as only one of the words.
    fn among_encodings(
        &mut self,
        side: &Side<'t>,
        items: &[Item],
        fails: &mut dyn FnMut(Inst) -> bool,
    ) -> Reading {
        let (id, opcode) = (side.id, side.opcode);
        let made = self.prover.made(opcode, None);
        let [own, read] =
            [&side.question, &made].map(|of| Side::new(id, opcode, items.to_vec(), of.clone()));
        let apart = items.iter().fold(0, |bits, item| bits | item.own_bits(opcode));
        let mut failing = None;
        let mut confirm = |words: [u128; 2]| {
            let mut insts = words.into_iter().map(|word| Inst { opcode: id, word });
            failing = insts.find(|inst| fails(*inst));
            failing.is_some()
        };
        let found = self.search_apart([&own, &read], Mode::Chosen, apart, &mut confirm);
        match (failing, found) {
            (Some(inst), _) => Reading::Failing(inst),
            (None, Found::Open) => Reading::Open,
            (None, Found::Words(_) | Found::None) => Reading::Faithful,
        }
    }

    /// The searches for an opcode: items that are read as other items, and words with `moved` items that are read as
    /// words that no assembler generates.
    fn searches(&mut self, side: &Side<'t>, moved: &[Item]) -> Vec<([Side<'t>; 2], Mode)> {
        let (id, opcode) = (side.id, side.opcode);
        let pair = |items: &[Item], read: &Question<'t>| {
            [&side.question, read].map(|of| Side::new(id, opcode, items.to_vec(), of.clone()))
        };
        let mut searches = Vec::new();
        let is_operand = |item: &&Item| matches!(item.role, Role::Operand(_));
        let is_modifier = |item: &&Item| item.role == Role::Modifier;
        let operands: Vec<Item> = side.items.iter().filter(is_operand).cloned().collect();
        let modifiers: Vec<Item> = side.items.iter().filter(is_modifier).cloned().collect();
        for items in [operands, modifiers] {
            if self.may_move(id, &items) {
                searches.push((pair(&items, &self.prover.free(opcode)), Mode::Again));
            }
        }
        if !moved.is_empty() {
            let broken = self.prover.broken(opcode);
            searches.extend(broken.iter().map(|read| (pair(moved, read), Mode::Mapped)));
        }
        searches
    }

    /// Whether a rule or special case can distinguish the written and the read word when a single item is misread.
    pub(super) fn matters(&self, opcode: &Opcode, item: &Item, moved: &[Rc<[u64]>; 2]) -> bool {
        let [from, to] = [&moved[0], &moved[1]].map(|raws| item.word(opcode, raws));
        // Rules name the fields of an operand that is made of several.
        let given = |condition: &Expr, bits: Partial| {
            condition.given(&|name, reading| {
                let field = opcode.field(name).filter(|field| field.mask() & !bits.known == 0)?;
                Some(reading.integer(field.extract(bits.value), field.width()))
            })
        };
        let changed = from.value ^ to.value;
        let mut rules = opcode.rules.iter().map(|id| self.isa.expr(self.isa.rule(*id).condition));
        let is_partly = |condition: &Expr| {
            let mut fields = condition.fields().into_iter().filter_map(|name| opcode.field(name));
            fields.any(|field| field.mask() & changed != 0 && field.mask() & !from.known != 0)
        };
        rules
            .any(|condition| is_partly(condition) || given(condition, from) != given(condition, to))
            || opcode.special_cases.iter().any(|case| case.mask & changed != 0)
    }

    /// Whether the read word means the same as the written word, as with numbers between aligned registers.
    pub(super) fn is_same(
        &self,
        side: &Side<'t>,
        item: &Item,
        [from, to]: &[Rc<[u64]>; 2],
    ) -> bool {
        let [from, to] = [from, to].map(|raws| item.word(side.opcode, raws).value);
        // A number computed from fields means the same as these fields.
        let parts =
            item.fields.iter().flat_map(|name| match side.opcode.composite_operand(*name) {
                Some(view) if view.value.is_some() => view.parts.clone(),
                _ => vec![*name],
            });
        let mut fields = parts.filter_map(|name| side.opcode.field(name));
        fields.all(|field| alike(self.isa, field.ty, field.extract(from), field.extract(to)))
    }

    /// A word of an opcode in which an item is written with these values.
    pub(super) fn word_with(&self, side: &Side<'t>, item: &Item, raws: &[u64]) -> Answer {
        let bits = item.word(side.opcode, raws);
        let Some(mut question) = side.question.clone().with(bits) else { return Answer::None };
        if let Some(omission) = item.omission {
            question = question.without(Partial { known: omission.mask, value: omission.value });
        }
        self.prover.answer(&question)
    }

    /// Whether an item can be read as another item: as an optional operand before it, or as an optional modifier
    /// anywhere.
    pub(super) fn may_move(&mut self, id: OpcodeId, items: &[Item]) -> bool {
        let places = items.iter().enumerate();
        let absent = places.filter(|(_, item)| item.absent.is_some());
        let pairs = absent.flat_map(|(at, item)| {
            let first = if item.role == Role::Modifier { 0 } else { at + 1 };
            let others =
                items.iter().enumerate().skip(first).filter(move |(other, _)| *other != at);
            others.map(move |(_, other)| (other, item))
        });
        let pairs: Vec<(&Item, &Item)> = pairs.collect();
        pairs.into_iter().any(|(a, b)| self.linker.read(&a.kind, id, b).may_hold())
    }
}

/// Whether an operand is computed from fields.
fn is_computed(opcode: &Opcode, item: &Item) -> bool {
    let mut views =
        item.fields[..item.own].iter().filter_map(|name| opcode.composite_operand(*name));
    views.any(|view| view.value.is_some())
}

/// Finds the values of a kind that are not read back. `again` reads the text of some values and adds the values that it
/// reads, or returns false if the text is refused.
pub(super) fn examine(
    kind: &Kind,
    mut again: impl FnMut(&[u64], &str, &mut Vec<u64>) -> bool,
) -> Unfaithful {
    let mut found = Unfaithful::default();
    let mut read = Vec::new();
    for text in kind.texts.iter().filter(|text| !text.text.is_empty()) {
        read.clear();
        match again(&text.raws, &text.text, &mut read) {
            false => found.refused.push(text.raws.as_slice().into()),
            true if read != text.raws => {
                found.moved.push([text.raws.as_slice().into(), read.as_slice().into()]);
            }
            true => {}
        }
    }
    found
}
