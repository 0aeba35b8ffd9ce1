//! Determines which opcodes can share a text at all, by the beginnings of their first operands. This avoids comparing
//! thousands of opcodes under one mnemonic pairwise.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::items::Role;
use super::kinds::Kind;
use super::{Named, Texts};

/// The possible beginnings of a text's operands.
#[derive(Clone)]
pub(super) enum Lead {
    /// The text consists only of operands, none optional; the kind gives the beginnings of the first.
    Operand(Rc<Kind>),
    /// There are no operands.
    Nothing,
    /// It is not known.
    Any,
}

/// So few texts are compared each with each: words of operands are very many.
const FEW: usize = 32;

/// Texts indexed by the beginnings of their operands, unless they are few.
#[derive(Default)]
pub(super) struct Leads {
    leads: Vec<Lead>,
    /// How many of them are in the lists.
    listed: usize,
    any: Vec<usize>,
    nothing: Vec<usize>,
    /// Texts whose first words are known, by these words.
    by_head: Lists,
    /// The other texts by their beginnings, and all texts by their beginnings.
    others: Lists,
    all: Lists,
}

type Lists = HashMap<String, Vec<usize>>;

impl Leads {
    /// Adds the next text; texts are numbered from 0.
    pub(super) fn add(&mut self, lead: Lead) {
        self.leads.push(lead);
        if self.leads.len() > FEW {
            (self.listed..self.leads.len()).for_each(|at| self.list(at));
            self.listed = self.leads.len();
        }
    }

    fn list(&mut self, at: usize) {
        match &self.leads[at] {
            Lead::Any => self.any.push(at),
            Lead::Nothing => self.nothing.push(at),
            Lead::Operand(kind) => {
                match kind.heads() {
                    Some(heads) => add(&mut self.by_head, heads, at),
                    None => add(&mut self.others, kind.leads(), at),
                }
                add(&mut self.all, kind.leads(), at);
            }
        }
    }

    /// The numbers of texts that can equal a text with this lead, in order.
    pub(super) fn candidates(&self, lead: &Lead) -> Vec<usize> {
        let mut found: BTreeSet<usize> = self.any.iter().copied().collect();
        match lead {
            _ if self.leads.len() <= FEW => return (0..self.leads.len()).collect(),
            Lead::Any => return (0..self.leads.len()).collect(),
            Lead::Nothing => found.extend(&self.nothing),
            Lead::Operand(kind) => {
                let mut take = |lists: &Lists, words: &HashSet<String>| {
                    found.extend(words.iter().filter_map(|word| lists.get(word)).flatten());
                };
                match kind.heads() {
                    Some(heads) => {
                        take(&self.by_head, heads);
                        take(&self.others, kind.leads());
                    }
                    None => take(&self.all, kind.leads()),
                }
            }
        }
        found.into_iter().collect()
    }
}

fn add(lists: &mut Lists, words: &HashSet<String>, at: usize) {
    for word in words {
        match lists.get_mut(word) {
            Some(list) => list.push(at),
            None => drop(lists.insert(word.clone(), vec![at])),
        }
    }
}

/// The opcodes and aliases of an instruction set by the first words of their mnemonics.
pub(super) type ByWord = HashMap<String, Rivals>;

/// Opcodes and aliases with the same first word. The beginnings of their operands are computed on demand.
#[derive(Default)]
pub(super) struct Rivals {
    list: Vec<Named>,
    leads: Option<Leads>,
}

impl Texts<'_> {
    /// The possible beginnings of the operands of an opcode under a mnemonic.
    pub(super) fn lead(&mut self, named: Named) -> Lead {
        let items = self.maker.items(named.0);
        let is_plain = items.iter().all(|item| {
            let is_there = item.left_out.is_empty() && item.absent.is_none();
            matches!(item.role, Role::Operand(_)) && is_there && !item.kind.is_list
        });
        match items.first() {
            _ if !is_plain => Lead::Any,
            Some(first) => Lead::Operand(Rc::clone(&first.kind)),
            None => Lead::Nothing,
        }
    }

    /// The first word of a mnemonic: of texts that may be alike it is the same.
    pub(super) fn first_word(&self, named: Named) -> String {
        let text = &self.mnemonic(named).text;
        self.isa.folded(text.split('.').next().unwrap_or_default()).into_owned()
    }

    /// All opcodes and aliases that can share a text with this one, in the order of their numbers.
    pub(super) fn rivals(&mut self, named: Named) -> Vec<Named> {
        let mut all = self.by_word.take().unwrap_or_else(|| self.all_by_word());
        let lead = self.lead(named);
        let found = all.get_mut(&self.first_word(named)).map(|rivals| {
            let leads = rivals.leads.get_or_insert_with(|| {
                let mut leads = Leads::default();
                rivals.list.iter().for_each(|other| leads.add(self.lead(*other)));
                leads
            });
            leads.candidates(&lead).into_iter().map(|at| rivals.list[at]).collect()
        });
        self.by_word = Some(all);
        found.unwrap_or_default()
    }

    fn all_by_word(&self) -> ByWord {
        let mut all = ByWord::new();
        for id in self.isa.opcode_ids() {
            for number in 0..self.mnemonics[id.index()].len() {
                let rivals: &mut Rivals = all.entry(self.first_word((id, number))).or_default();
                rivals.list.push((id, number));
            }
        }
        all
    }
}
