//! Decides whether two legal words share a text, and whether a text is read as the word it was printed for. It does not
//! try words; it aligns the pieces of texts.
//!
//! A text is a row of items (`items.rs`), each with a list of texts and the values that these stand for (`kinds.rs`).
//! Links connect values of two pieces that share a text, or where one piece reads the text of the other (`links.rs`). A
//! search over all alignments of two rows (`pair.rs`) chooses values by these links and asks the prover for words. Each
//! candidate is printed and read before it is reported. Undecided questions are reported as open.

mod alias_forms;
mod aliases;
mod clashes;
mod items;
mod kinds;
mod leads;
mod links;
mod pair;
mod reading;
mod shapes;

use std::collections::HashMap;
use std::rc::Rc;

use crate::engine::Engine;
use crate::isa::{Inst, Isa, Mnemonic, ModifierStyle, NameId, Omission, OpcodeId, TypeKind};
use crate::prove::{Effort, Partial, Prover, bits_of};
pub(super) use alias_forms::AliasForms;
pub(super) use clashes::Clashes;
use items::{Item, Maker, Role};
use links::Linker;
use pair::{Found, Mode, Search, Side};
pub(super) use reading::Reading;

/// An opcode under one of its mnemonics, by the mnemonic's index in [`Isa::mnemonics`].
type Named = (OpcodeId, usize);

/// Decides questions about the texts of an instruction set.
pub(super) struct Texts<'t> {
    /// Opcodes, and after them the forms of aliases.
    isa: &'t Isa,
    forms: &'t AliasForms<'t>,
    engine: &'t Engine<'t>,
    prover: &'t Prover<'t>,
    /// The mnemonics of each opcode.
    mnemonics: Vec<Vec<Mnemonic>>,
    maker: Maker<'t>,
    linker: Linker<'t>,
    sides: HashMap<Named, Rc<Side<'t>>>,
    shapes: HashMap<Vec<[usize; 4]>, usize>,
    shape_of: HashMap<Named, usize>,
    by_word: Option<leads::ByWord>,
    /// Whether items of two shapes can be laid side by side at all.
    known: HashMap<(usize, usize, Mode), [bool; 2]>,
    /// Steps that are left for all questions.
    left: u64,
}

/// Memoizes whether the items of two rows can be aligned, starting at one item of each.
struct AlignmentMemo(Vec<Vec<Option<[bool; 2]>>>);

/// Limits on steps: per pair of opcodes, and in total.
fn budget(effort: Effort) -> (u64, u64) {
    match effort {
        Effort::Check => (1 << 14, 1 << 22),
        Effort::Full => (1 << 22, 1 << 30),
    }
}

/// Limit on the texts of a piece; each is tried.
fn most_texts(effort: Effort) -> usize {
    match effort {
        Effort::Check => 1 << 13,
        Effort::Full => 1 << 17,
    }
}

impl<'t> Texts<'t> {
    pub(super) fn new(
        engine: &'t Engine<'t>,
        prover: &'t Prover<'t>,
        forms: &'t AliasForms<'t>,
    ) -> Texts<'t> {
        let isa = forms.isa();
        Texts {
            isa,
            forms,
            engine,
            prover,
            mnemonics: isa.opcodes().iter().map(|opcode| isa.mnemonics(opcode)).collect(),
            maker: Maker::new(isa, most_texts(prover.effort())),
            linker: Linker::new(engine, forms),
            sides: HashMap::new(),
            shapes: HashMap::new(),
            shape_of: HashMap::new(),
            by_word: None,
            known: HashMap::new(),
            left: budget(prover.effort()).1,
        }
    }

    /// The items of an opcode under a mnemonic, and the words of the opcode that an assembler generates.
    fn side(&mut self, named: Named) -> Rc<Side<'t>> {
        if let Some(side) = self.sides.get(&named) {
            return Rc::clone(side);
        }
        let opcode = self.isa.opcode(named.0);
        let items = self.items(named);
        let question = self.prover.made(opcode, None);
        let Omission { mask, value } = self.mnemonic(named).fields;
        // INVARIANT: a mnemonic spells values that the opcode can have.
        let question = match question.clone().with(Partial { known: mask, value }) {
            Some(question) => question,
            None => question,
        };
        let side = Rc::new(Side::new(named.0, opcode, items, question));
        self.sides.insert(named, Rc::clone(&side));
        side
    }

    /// The items of an opcode but its mnemonic, and its words.
    fn whole(&mut self, id: OpcodeId) -> Side<'t> {
        let opcode = self.isa.opcode(id);
        let items = self.maker.items(id).to_vec();
        Side::new(id, opcode, items, self.prover.made(opcode, None))
    }

    fn items(&mut self, named: Named) -> Vec<Item> {
        let own = self.maker.items(named.0);
        let heads = self.maker.heads(&self.mnemonics[named.0.index()][named.1].text);
        let guards = own.iter().filter(|item| item.role == Role::Guard).cloned();
        let others = own.iter().filter(|item| item.role != Role::Guard).cloned();
        guards.chain(heads).chain(others).collect()
    }

    /// A number for everything that determines which items can be aligned with the items of an opcode.
    fn shape(&mut self, named: Named) -> usize {
        if let Some(shape) = self.shape_of.get(&named) {
            return *shape;
        }
        let side = self.side(named);
        let of = |item: &Item| {
            let role = match item.role {
                Role::Guard => 0,
                Role::Head { .. } => 1,
                Role::Modifier => 2,
                Role::Control => 3,
                Role::Operand(_) => 4,
            };
            [role, item.kind.number, item.left_out.len(), usize::from(item.absent.is_some())]
        };
        let key: Vec<[usize; 4]> = side.items.iter().map(of).collect();
        let next = self.shapes.len();
        let shape = *self.shapes.entry(key).or_insert(next);
        self.shape_of.insert(named, shape);
        shape
    }

    /// Asks for words of two opcodes that share a text and satisfy `confirm`.
    fn ask(
        &mut self,
        named: [Named; 2],
        mode: Mode,
        confirm: &mut dyn FnMut([u128; 2]) -> bool,
    ) -> Found {
        let shapes = named.map(|named| self.shape(named));
        let [may_be, may_be_lists] = self.may_be((shapes, named), mode);
        let sides = named.map(|named| self.side(named));
        let found = match may_be {
            true => self.search([&sides[0], &sides[1]], mode, confirm),
            false => Found::None,
        };
        // The search does not cover several numbers of one operand that are several operands of another.
        if may_be_lists && found == Found::None { Found::Open } else { found }
    }

    /// Whether items of opcodes with two shapes can be aligned. The second result allows lists of numbers to count as
    /// several items. The result is computed once per pair of shapes, from two opcodes that have them.
    fn may_be(&mut self, (shapes, named): ([usize; 2], [Named; 2]), mode: Mode) -> [bool; 2] {
        let key = (shapes[0], shapes[1], mode);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let sides = named.map(|named| self.side(named));
        let found = self.may_be_alike([&sides[0], &sides[1]], mode);
        self.known.insert(key, found);
        found
    }

    fn search(
        &mut self,
        sides: [&Side<'t>; 2],
        mode: Mode,
        confirm: &mut dyn FnMut([u128; 2]) -> bool,
    ) -> Found {
        self.search_apart(sides, mode, 0, confirm)
    }

    /// Searches for words. If `apart` has bits, the words differ in at least one of them.
    fn search_apart(
        &mut self,
        sides: [&Side<'t>; 2],
        mode: Mode,
        apart: u128,
        confirm: &mut dyn FnMut([u128; 2]) -> bool,
    ) -> Found {
        let given = budget(self.prover.effort()).0.min(self.left);
        let mut steps = given;
        let mut search = Search {
            prover: self.prover,
            linker: &mut self.linker,
            sides,
            mode,
            apart,
            style: self.isa.modifiers(),
            extensions: bits_of(self.isa.extensions().all()),
            steps: &mut steps,
            confirm,
            is_open: false,
        };
        let found = search.run();
        self.left = self.left.saturating_sub(given - steps);
        found
    }

    /// Whether the items of two opcodes can be aligned, ignoring the constraints on their words. The second result
    /// allows several numbers of one item to be several items of the other. Items that are read in any order are
    /// skipped.
    fn may_be_alike(&mut self, sides: [&Side<'t>; 2], mode: Mode) -> [bool; 2] {
        if !self.have_like_heads(sides) || !self.have_needed_words(sides, mode) {
            return [false, false];
        }
        let is_ordered = |item: &&Item| {
            mode == Mode::Printed || matches!(item.role, Role::Guard | Role::Operand(_))
        };
        let [a, b] = sides.map(|side| side.items.iter().filter(is_ordered).collect::<Vec<&Item>>());
        let id = sides[1].id;
        let known = vec![vec![None; b.len() + 1]; a.len() + 1];
        self.may_lie([&a, &b], (id, mode), [0, 0], &mut AlignmentMemo(known))
    }

    /// Like `may_be_alike`, for the items from given positions on. It looks at the first items first: most differences
    /// are there, and numbers, of which there are many, come after registers.
    fn may_lie(
        &mut self,
        items: [&[&Item]; 2],
        (id, mode): (OpcodeId, Mode),
        [p, o]: [usize; 2],
        known: &mut AlignmentMemo,
    ) -> [bool; 2] {
        if let Some(found) = known.0[p][o] {
            return found;
        }
        let [a, b] = items;
        let (own, other) = (a.get(p), b.get(o));
        let may_lack = |item: &&&Item| !item.left_out.is_empty() || item.absent.is_some();
        let numbers =
            |items: &[&Item]| items.iter().take_while(|item| item.kind.has_numbers()).count();
        let mut next: Vec<([usize; 2], bool)> = Vec::new();
        if own.is_some_and(|own| !own.left_out.is_empty()) {
            next.push(([p + 1, o], false));
        }
        if other.as_ref().is_some_and(may_lack) {
            next.push(([p, o + 1], false));
        }
        if let (Some(own), Some(other)) = (own, other)
            && self.meet(own, (id, other), mode)
        {
            next.push(([p + 1, o + 1], false));
        }
        if own.is_some_and(|own| own.kind.is_list) {
            next.extend((2..=numbers(&b[o..])).map(|count| ([p + 1, o + count], true)));
        }
        if other.is_some_and(|other| other.kind.is_list) {
            next.extend((2..=numbers(&a[p..])).map(|count| ([p + count, o + 1], true)));
        }
        // The result for the remaining items, without lists and with at least one list.
        let mut found = [own.is_none() && other.is_none(), false];
        for (at, is_list) in next {
            let rest = self.may_lie(items, (id, mode), at, known);
            found[0] |= !is_list && rest[0];
            found[1] |= rest[1] || is_list && rest[0];
        }
        known.0[p][o] = Some(found);
        found
    }

    /// Whether each word that must be written for one opcode can be a word of the other. Words are read in any order.
    fn have_needed_words(&mut self, sides: [&Side<'t>; 2], mode: Mode) -> bool {
        if mode == Mode::Printed || self.isa.modifiers() != ModifierStyle::Words {
            return true;
        }
        let [a, b] = sides;
        let words = |side: &Side<'t>| -> Vec<Item> {
            let modifiers = side.items.iter().filter(|item| item.role == Role::Modifier);
            modifiers.cloned().collect()
        };
        let (own, others) = (words(a), words(b));
        let id = b.id;
        let [a_is_plain, b_is_plain] = sides.map(|side| self.has_plain_operands(side));
        let mut may_meet = |own: &Item, other: &Item| self.meet(own, (id, other), mode);
        let mut read = others.iter().filter(|other| a_is_plain && other.absent.is_none());
        let mut written = own.iter().filter(|own| b_is_plain && own.left_out.is_empty());
        read.all(|other| own.iter().any(|own| may_meet(own, other)))
            && written.all(|own| others.iter().any(|other| may_meet(own, other)))
    }

    /// Whether an opcode has operands, and no text of them has words that could be read as modifiers.
    fn has_plain_operands(&self, side: &Side<'t>) -> bool {
        let mut operands =
            side.items.iter().filter(|item| matches!(item.role, Role::Operand(_))).peekable();
        let is_made = |name: &NameId| {
            let field = side.opcode.field(*name);
            field.is_some_and(|field| matches!(self.isa.ty(field.ty).kind, TypeKind::Composite(_)))
        };
        operands.peek().is_some() && operands.all(|item| !item.fields.iter().any(is_made))
    }

    /// Whether one mnemonic can be the beginning of the other, with modifiers for the rest.
    fn have_like_heads(&mut self, sides: [&Side<'t>; 2]) -> bool {
        let [a, b] = sides.map(|side| {
            let heads = side.items.iter().filter(|item| matches!(item.role, Role::Head { .. }));
            heads.collect::<Vec<&Item>>()
        });
        let common = a.len().min(b.len());
        let left = [(&a, sides[1]), (&b, sides[0])];
        let mut left = left.into_iter().flat_map(|(heads, other)| {
            heads.iter().skip(common).map(move |head| (&head.kind, other))
        });
        a.iter().zip(&b).all(|(a, b)| a.kind.number == b.kind.number)
            && left.all(|(head, other)| {
                let mut modifiers = other.items.iter().filter(|item| item.role == Role::Modifier);
                self.isa.modifiers() == ModifierStyle::Dots
                    && modifiers.any(|item| self.linker.printed(head, &item.kind).may_hold())
            })
    }

    fn meet(&mut self, a: &Item, (id, b): (OpcodeId, &Item), mode: Mode) -> bool {
        match mode {
            Mode::Printed => self.linker.printed(&a.kind, &b.kind).may_hold(),
            Mode::Read | Mode::Again | Mode::Mapped | Mode::Chosen => {
                self.linker.read(&a.kind, id, b).may_hold()
            }
        }
    }

    /// A mnemonic of an opcode.
    fn mnemonic(&self, (id, number): Named) -> &Mnemonic {
        &self.mnemonics[id.index()][number]
    }

    /// Whether two mnemonics of an opcode spell different values, so that each text has only one of them.
    fn are_apart(&self, a: Named, b: Named) -> bool {
        let [a, b] = [a, b].map(|named| self.mnemonic(named).fields);
        (a.value ^ b.value) & a.mask & b.mask != 0
    }

    /// Whether texts under two mnemonics can be equal: the mnemonics are the same, or one continues the other after a
    /// dot.
    fn may_begin_alike(&self, a: Named, b: Named) -> bool {
        let [a, b] = [a, b].map(|named| self.isa.folded(&self.mnemonic(named).text));
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        let rest = long.strip_prefix(short.as_ref());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || short.ends_with('.'))
    }

    /// Returns the writer of lines under a mnemonic.
    fn writer(&self, named: Named) -> Writer<'t> {
        let own = self.mnemonic(named);
        let mut all = self.mnemonics[named.0.index()].iter();
        let printed = all.find(|other| other.is_printed && other.fields == own.fields);
        let printed = printed.map_or(String::new(), |printed| printed.text.clone());
        Writer { engine: self.engine, id: named.0, own: own.clone(), printed }
    }
}

/// Writes and reads lines of an opcode under one mnemonic.
struct Writer<'t> {
    engine: &'t Engine<'t>,
    id: OpcodeId,
    own: Mnemonic,
    /// The mnemonic that is printed for the same values.
    printed: String,
}

impl Writer<'_> {
    fn inst(&self, word: u128) -> Inst {
        Inst { opcode: self.id, word }
    }

    /// The text of an instruction.
    fn line(&self, word: u128) -> String {
        let text = self.engine.own_text(self.inst(word));
        match self.own.is_printed {
            true => text,
            false => text.replacen(&self.printed, &self.own.text, 1),
        }
    }

    /// Whether the instruction that was read has the mnemonic.
    fn is_own(&self, read: Inst) -> bool {
        read.opcode == self.id && self.own.fields.holds(read.word)
    }
}
