//! Searches for a text that belongs to two opcodes. It aligns their items in every way, chooses values that share a
//! text, and asks the prover for words with these values.

use std::rc::Rc;

use super::items::{Item, Role};
use super::kinds::bits_of;
use super::links::{Link, Linker};
use crate::isa::{ModifierStyle, Opcode, OpcodeId};
use crate::prove::{Both, Joint, Partial, Prover, Question};

/// How a text relates to the second opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Mode {
    /// The second opcode prints the text.
    Printed,
    /// The second opcode reads the text, however the second opcode prints it.
    Read,
    /// As `Read`, where the second is the first opcode, and some item is read as another.
    Again,
    /// As `Read`, where the second is the first opcode, and each item is read as itself; items that are left out of the
    /// search have the same values.
    Mapped,
    /// As `Mapped`, where numbers that are computed from fields may be read as any encoding of them.
    Chosen,
}

impl Mode {
    /// Whether each item is read as itself.
    fn is_mapped(self) -> bool {
        matches!(self, Mode::Mapped | Mode::Chosen)
    }
}

/// An opcode with its items under one mnemonic, and the constraints on its words.
pub(super) struct Side<'p> {
    pub(super) id: OpcodeId,
    pub(super) opcode: &'p Opcode,
    pub(super) items: Vec<Item>,
    pub(super) question: Question<'p>,
    /// Bits that more than one piece of text, or a condition, depends on.
    busy: u128,
}

impl<'p> Side<'p> {
    pub(super) fn new(
        id: OpcodeId,
        opcode: &'p Opcode,
        items: Vec<Item>,
        question: Question<'p>,
    ) -> Side<'p> {
        let (mut seen, mut busy) = (0, question.support());
        for item in &items {
            let bits = item.bits(opcode);
            busy |= seen & bits;
            seen |= bits;
            let omissions = item.omission.map_or(0, |omission| omission.mask);
            if omissions & !bits != 0 {
                busy |= omissions;
            }
        }
        Side { id, opcode, items, question, busy }
    }
}

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// No text is shared.
    None,
    /// Words that satisfy the question.
    Words([u128; 2]),
    /// It was not decided.
    Open,
}

/// A search for words of two opcodes.
pub(super) struct Search<'s, 'p, 'i> {
    pub(super) prover: &'p Prover<'i>,
    pub(super) linker: &'s mut Linker<'i>,
    pub(super) sides: [&'s Side<'p>; 2],
    pub(super) mode: Mode,
    /// At least one of these bits must differ, if there are any.
    pub(super) apart: u128,
    pub(super) style: ModifierStyle,
    /// The bits of the prover's words that are extensions.
    pub(super) extensions: u128,
    /// Steps that are left.
    pub(super) steps: &'s mut u64,
    /// Confirms that words are a result.
    pub(super) confirm: &'s mut dyn FnMut([u128; 2]) -> bool,
    /// Whether something was passed over.
    pub(super) is_open: bool,
}

/// The decisions made so far.
#[derive(Clone)]
struct State {
    at: [usize; 2],
    bits: [Partial; 2],
    outside: [Vec<Partial>; 2],
    linked: Vec<[u32; 2]>,
    has_operand: [bool; 2],
    /// Items of the second opcode that were read earlier than their position.
    taken: Vec<usize>,
    /// Whether items of the first opcode can be left out here. Among items left out between two written items, items of
    /// the first opcode come first.
    may_skip: bool,
    /// The item of the second opcode that must be written, because leaving out both items was tried.
    written: Option<usize>,
    /// Whether some piece was read as another.
    is_moved: bool,
}

impl Search<'_, '_, '_> {
    pub(super) fn run(&mut self) -> Found {
        let nothing = Partial { known: 0, value: 0 };
        let start = State {
            at: [0, 0],
            bits: [nothing, nothing],
            outside: [Vec::new(), Vec::new()],
            linked: self.linked(),
            has_operand: [false, false],
            taken: Vec::new(),
            may_skip: true,
            written: None,
            is_moved: false,
        };
        match self.from(start) {
            Some(words) => Found::Words(words),
            None if self.is_open => Found::Open,
            None => Found::None,
        }
    }

    /// The bits that are the same from the start.
    fn linked(&self) -> Vec<[u32; 2]> {
        // Both have the same extensions.
        let extensions = self.extensions;
        let set = (0..128).filter(|bit| extensions >> bit & 1 == 1).map(|bit| [bit; 2]);
        if !self.mode.is_mapped() {
            return set.collect();
        }
        let opcode = self.sides[0].opcode;
        let items = self.sides[0].items.iter();
        let other = items.fold(opcode.mask, |bits, item| bits | item.bits(opcode));
        let same = opcode.significant & !other;
        let own = (0..opcode.width).rev().filter(|bit| same >> bit & 1 == 1);
        own.map(|bit| [bit; 2]).chain(set).collect()
    }

    fn item(&self, side: usize, at: usize) -> Option<&Item> {
        self.sides[side].items.get(at)
    }

    fn from(&mut self, state: State) -> Option<[u128; 2]> {
        match self.steps.checked_sub(1) {
            Some(left) => *self.steps = left,
            None => {
                self.is_open = true;
                return None;
            }
        }
        let (a, b) = (self.item(0, state.at[0]).cloned(), self.item(1, state.at[1]).cloned());
        if a.is_none() && b.is_none() {
            return self.words(&state);
        }
        let is_merged = matches!((&a, &b), (Some(a), Some(b)) if self.is_merged(&state, a, b));
        if let (Some(a), Some(b)) = (&a, &b) {
            let found = match is_merged {
                true => self.merged(&state, a, b),
                false => self.matches(&state, a, b),
            };
            if found.is_some() {
                return found;
            }
        }
        if let Some(a) = a.filter(|_| state.may_skip) {
            for bits in &a.left_out {
                let mut next = state.clone();
                next.at[0] += 1;
                next.written = state.written.or(is_merged.then_some(state.at[1]));
                // An item that is read as itself is left out on both sides.
                let is_left = !self.mode.is_mapped() || {
                    next.at[1] += 1;
                    self.add(&mut next, 1, *bits)
                };
                if is_left
                    && self.add(&mut next, 0, *bits)
                    && let Some(found) = self.from(next)
                {
                    return Some(found);
                }
            }
        }
        let b = b.filter(|_| state.written != Some(state.at[1]))?;
        let is_taken = state.taken.contains(&state.at[1]);
        let nothing = [Partial { known: 0, value: 0 }];
        let ways = match self.mode {
            _ if is_taken => &nothing[..],
            Mode::Printed => &b.left_out,
            Mode::Read | Mode::Again => b.absent.as_slice(),
            Mode::Mapped | Mode::Chosen => &[],
        };
        ways.iter().find_map(|bits| {
            let mut next = State { may_skip: false, written: None, ..state.clone() };
            next.at[1] += 1;
            self.add(&mut next, 1, *bits).then(|| self.from(next)).flatten()
        })
    }

    /// Whether two items are written, and left out, for the same values.
    fn is_merged(&self, state: &State, a: &Item, b: &Item) -> bool {
        let is_role = match (a.role, b.role) {
            (Role::Operand(_), Role::Operand(_)) => self.style == ModifierStyle::Dots,
            (Role::Modifier, Role::Modifier) | (Role::Control, Role::Control) => true,
            _ => false,
        };
        let raws = |side: usize, item: &Item, bits: &Partial| -> Option<Vec<u64>> {
            let opcode = self.sides[side].opcode;
            let fields = item.fields[..item.own].iter().filter_map(|name| opcode.field(*name));
            let own = fields.clone().fold(0, |bits, field| bits | field.mask());
            (bits.known & !opcode.mask == own & !opcode.mask)
                .then(|| fields.map(|field| field.extract(bits.value | opcode.value)).collect())
        };
        let all = |side: usize, item: &Item, list: &[Partial]| {
            list.iter().map(|bits| raws(side, item, bits)).collect::<Option<Vec<_>>>()
        };
        let others = match self.mode {
            Mode::Printed => &b.left_out[..],
            Mode::Read => b.absent.as_slice(),
            Mode::Again | Mode::Mapped | Mode::Chosen => return false,
        };
        let is_taken = state.taken.contains(&state.at[1]);
        is_role
            && !is_taken
            && a.kind.number == b.kind.number
            && a.kind.is_injective
            && all(0, a, &a.left_out).is_some_and(|own| Some(own) == all(1, b, others))
    }

    /// Both items have the same values, whether they are written or not; or the second is read elsewhere.
    fn merged(&mut self, state: &State, a: &Item, b: &Item) -> Option<[u128; 2]> {
        let mut next = State { may_skip: true, written: None, ..state.clone() };
        next.at = [state.at[0] + 1, state.at[1] + 1];
        // In this style it does not matter whether there is an operand before another.
        next.has_operand = match a.role {
            Role::Operand(_) => [true, true],
            _ => next.has_operand,
        };
        if let Some(found) = self.same(next, a, b) {
            return Some(found);
        }
        let others = self.others(state, b).into_iter().filter(|at| *at != state.at[1]);
        others.collect::<Vec<_>>().into_iter().find_map(|at| self.pair(state, a, at))
    }

    /// Adds bits to a side; returns whether words are left, as far as that is seen at once.
    fn add(&self, state: &mut State, side: usize, bits: Partial) -> bool {
        let Some(both) = state.bits[side].and(bits) else { return false };
        state.bits[side] = both;
        let is_known = |outside: &Partial| {
            outside.known & !both.known == 0 && both.value & outside.known == outside.value
        };
        !state.outside[side].iter().any(is_known) && !self.sides[side].question.excludes(both)
    }

    /// Both items are written: the item of the second opcode, or another item that can be read in its place.
    fn matches(&mut self, state: &State, a: &Item, b: &Item) -> Option<[u128; 2]> {
        self.others(state, b).into_iter().find_map(|at| self.pair(state, a, at))
    }

    /// The positions of the second opcode's items that can be read here: the current item, and later items where order
    /// does not matter.
    fn others(&self, state: &State, b: &Item) -> Vec<usize> {
        let mut others = vec![state.at[1]];
        let is_any = matches!(self.mode, Mode::Read | Mode::Again);
        if is_any && matches!(b.role, Role::Modifier | Role::Control) {
            let all = self.sides[1].items.iter().enumerate().skip(state.at[1] + 1);
            others.extend(all.take_while(|(_, item)| item.role == b.role).map(|(at, _)| at));
        }
        others.retain(|at| !state.taken.contains(at));
        others
    }

    fn pair(&mut self, state: &State, a: &Item, at: usize) -> Option<[u128; 2]> {
        let b = self.item(1, at)?.clone();
        let signs = [(a, 0), (&b, 1)].map(|(item, side)| self.sign(item.role, state, side));
        (signs[0] == signs[1]).then_some(())?;
        self.written(state, a, (at, &b))
    }

    /// The sign before an item.
    fn sign(&self, role: Role, state: &State, side: usize) -> &'static str {
        match role {
            Role::Guard => "@",
            Role::Head { is_first: true } => "",
            Role::Head { is_first: false } => ".",
            Role::Modifier if self.style == ModifierStyle::Dots => ".",
            Role::Operand(_) if state.has_operand[side] => ", ",
            Role::Modifier | Role::Operand(_) | Role::Control => " ",
        }
    }

    fn written(&mut self, state: &State, a: &Item, (at, b): (usize, &Item)) -> Option<[u128; 2]> {
        let mut next = State { may_skip: true, written: None, ..state.clone() };
        next.at[0] += 1;
        match at == state.at[1] {
            true => next.at[1] += 1,
            false => next.taken.push(at),
        }
        for (side, item) in [(0, a), (1, b)] {
            next.has_operand[side] |= matches!(item.role, Role::Operand(_));
            let is_left_out = side == 0 || self.mode == Mode::Printed;
            if let Some(omission) = item.omission.filter(|_| is_left_out) {
                if omission.mask == 0 {
                    return None;
                }
                let outside = Partial { known: omission.mask, value: omission.value };
                next.outside[side].push(outside);
            }
        }
        let is_own = self.mode == Mode::Again && state.at[0] == at;
        next.is_moved |= self.mode == Mode::Again && !is_own;
        let link = match self.mode {
            _ if is_own => Rc::new(Link::Same),
            Mode::Printed => self.linker.printed(&a.kind, &b.kind),
            Mode::Mapped => self.linker.mapped(self.sides[0].id, a),
            Mode::Chosen => Linker::chosen(a),
            Mode::Read | Mode::Again => self.linker.read(&a.kind, self.sides[1].id, b),
        };
        match &*link {
            Link::Same => self.same(next, a, b),
            Link::Some { pairs, is_complete } => {
                let found = self.one_of(&next, (a, b), pairs);
                self.is_open |= found.is_none() && !is_complete;
                found
            }
        }
    }

    /// The values of both items are the same.
    fn same(&mut self, mut next: State, a: &Item, b: &Item) -> Option<[u128; 2]> {
        let opcodes = [self.sides[0].opcode, self.sides[1].opcode];
        for (first, second) in a.fields.iter().zip(&b.fields) {
            let bits = bits_of(opcodes[0], *first).into_iter().zip(bits_of(opcodes[1], *second));
            next.linked.extend(bits.map(|(a, b)| [a, b]));
        }
        self.from(next)
    }

    /// The values are one of the pairs. If nothing else depends on them, any pair will do.
    fn one_of(
        &mut self,
        next: &State,
        (a, b): (&Item, &Item),
        pairs: &[[Rc<[u64]>; 2]],
    ) -> Option<[u128; 2]> {
        let sides = self.sides;
        let is_free = a.bits(sides[0].opcode) & sides[0].busy == 0
            && b.bits(sides[1].opcode) & sides[1].busy == 0;
        for pair in pairs {
            *self.steps = self.steps.saturating_sub(1);
            let mut with = next.clone();
            let bits = [a.word(sides[0].opcode, &pair[0]), b.word(sides[1].opcode, &pair[1])];
            if self.add(&mut with, 0, bits[0]) && self.add(&mut with, 1, bits[1]) {
                let found = self.from(with);
                if found.is_some() || is_free {
                    return found;
                }
            }
        }
        None
    }

    /// Words with all that was decided.
    fn words(&mut self, state: &State) -> Option<[u128; 2]> {
        if self.mode == Mode::Again && !state.is_moved {
            return None;
        }
        let side = |side: usize| {
            let question = self.sides[side].question.clone().with(state.bits[side])?;
            let outside = state.outside[side].iter();
            Some(outside.fold(question, |question, bits| question.without(*bits)))
        };
        let joint = Joint { sides: [side(0)?, side(1)?], linked: state.linked.clone() };
        match self.prover.both_apart(&joint, self.apart) {
            Both::Words(words) if (self.confirm)(words) => Some(words),
            // Another operand can determine which encoding is meant.
            Both::Words(_) if self.mode == Mode::Chosen => {
                self.is_open = true;
                None
            }
            Both::Undecided => {
                self.is_open = true;
                None
            }
            Both::Words(_) | Both::None => None,
        }
    }
}
