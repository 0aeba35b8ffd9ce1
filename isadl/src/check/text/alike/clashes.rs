//! W0911: two opcodes with instructions that have the same text; and instructions whose text the assembler reads as
//! another opcode.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::leads::Leads;
use super::{Found, Mode, Named, Texts};
use crate::check::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::TextOptions;
use crate::isa::{Inst, OpcodeId};

/// The findings about texts that opcodes share.
#[derive(Debug, Default)]
pub(in crate::check::text) struct Clashes {
    /// Opcodes that share a text with another.
    pub(in crate::check::text) opcodes: Vec<OpcodeId>,
    /// Instructions whose text is read as another opcode.
    pub(in crate::check::text) misread: Vec<Inst>,
    /// Undecided pairs.
    pub(in crate::check::text) open: Vec<[OpcodeId; 2]>,
    /// Pairs that share the first word of a mnemonic.
    pub(in crate::check::text) pairs: u64,
}

/// How an assembler chooses among opcodes that a line fits: by the dots in the mnemonic, the most first, then by width and
/// literal.
type Rank = (std::cmp::Reverse<usize>, u32, bool);

/// Opcodes whose texts are alike, and that an assembler prefers alike.
struct Class {
    shape: usize,
    rank: Rank,
    members: Vec<Named>,
}

impl Texts<'_> {
    /// Reports opcodes that share a text, each with the first such before it.
    pub(in crate::check::text) fn clashes(
        &mut self,
        context: &Context<'_, '_>,
        diagnostics: &mut Diagnostics,
    ) -> Clashes {
        let isa = self.isa;
        let mut by_word: BTreeMap<String, Vec<Named>> = BTreeMap::new();
        for id in isa.opcode_ids().take(self.forms.plain()) {
            let mut seen = HashSet::new();
            for (number, mnemonic) in self.mnemonics[id.index()].iter().enumerate() {
                // A duplicate name has its own finding and shares nothing with itself.
                if !seen.insert((mnemonic.text.as_str(), mnemonic.fields)) {
                    continue;
                }
                by_word.entry(self.first_word((id, number))).or_default().push((id, number));
            }
        }
        let mut found = Clashes::default();
        let mut told: HashSet<[OpcodeId; 2]> = HashSet::new();
        for group in by_word.values().filter(|group| group.len() > 1) {
            let mut classes: Vec<Class> = Vec::new();
            let mut known: HashMap<(usize, Rank), usize> = HashMap::new();
            let mut leads = Leads::default();
            let mut before: HashMap<OpcodeId, Vec<Named>> = HashMap::new();
            for (count, later) in group.iter().enumerate() {
                let (shape, rank) = (self.shape(*later), self.rank(*later));
                let own = before.entry(later.0).or_default();
                let apart = own.iter().filter(|other| self.are_apart(**other, *later)).count();
                found.pairs += (count - own.len() + apart) as u64;
                own.push(*later);
                let mut is_told = false;
                let lead = self.lead(*later);
                for class in leads.candidates(&lead) {
                    let class = &classes[class];
                    if !self.may_begin_alike(class.members[0], *later) {
                        continue;
                    }
                    self.misread_among((class, shape), *later, rank, &mut found);
                    if is_told || class.rank != rank || !self.may_share(class, (*later, shape)) {
                        continue;
                    }
                    let others = self.others(&class.members, *later);
                    let others = others.filter(|other| !told.contains(&[other.0, later.0]));
                    let others: Vec<Named> = others.collect();
                    let shared = others.into_iter().find_map(|earlier| {
                        let shared = self.shared([earlier, *later], &mut found)?;
                        Some((earlier, shared))
                    });
                    if let Some((earlier, (text, named))) = shared {
                        let ids = [earlier.0, later.0];
                        is_told = true;
                        told.insert(ids);
                        found.opcodes.extend(ids);
                        let mnemonic = &self.mnemonic(named).text;
                        diagnostics.push(finding(context, ids, (&text, mnemonic)));
                    }
                }
                let class = *known.entry((shape, rank)).or_insert_with(|| {
                    classes.push(Class { shape, rank, members: Vec::new() });
                    leads.add(lead.clone());
                    classes.len() - 1
                });
                classes[class].members.push(*later);
            }
        }
        found.open.sort_unstable();
        found.open.dedup();
        found
    }

    /// The members of a class of other opcodes, or with other values of the fields in the mnemonic.
    fn others(&self, members: &[Named], later: Named) -> impl Iterator<Item = Named> {
        let is_other = move |member: &Named| member.0 != later.0 || self.are_apart(*member, later);
        members.iter().copied().filter(is_other)
    }

    /// Whether two opcodes are forms of the same opcode, with and without literals.
    fn are_forms(&self, [a, b]: [Named; 2]) -> bool {
        a.0 != b.0 && self.isa.opcode(a.0).name == self.isa.opcode(b.0).name
    }

    fn are_printed(&self, pair: [Named; 2]) -> bool {
        pair.iter().all(|named| self.mnemonic(*named).is_printed)
    }

    fn rank(&self, named: Named) -> Rank {
        let opcode = self.isa.opcode(named.0);
        let dots = self.mnemonic(named).text.bytes().filter(|byte| *byte == b'.').count();
        (std::cmp::Reverse(dots), opcode.width, opcode.has_literal())
    }

    /// Whether opcodes of a class can share a text with another opcode, ignoring the constraints on their words.
    fn may_share(&mut self, class: &Class, (later, shape): (Named, usize)) -> bool {
        let first = class.members[0];
        let of = |(a, a_shape): (Named, usize), (b, b_shape): (Named, usize), texts: &mut Self| {
            let mode = if texts.are_printed([a, b]) { Mode::Printed } else { Mode::Read };
            texts.may_be(([a_shape, b_shape], [a, b]), mode) != [false, false]
        };
        of((first, class.shape), (later, shape), self)
            || of((later, shape), (first, class.shape), self)
            || class
                .members
                .iter()
                .any(|member| self.mnemonic(*member).is_printed != self.mnemonic(first).is_printed)
    }

    /// Looks for texts of an opcode that are read as an opcode of a class, and the reverse.
    fn misread_among(
        &mut self,
        (class, shape): (&Class, usize),
        later: Named,
        rank: Rank,
        found: &mut Clashes,
    ) {
        let first = class.members[0];
        let is_likely = match class.rank.cmp(&rank) {
            Ordering::Equal => false,
            Ordering::Less => self.may_be(([shape, class.shape], [later, first]), Mode::Read)[0],
            Ordering::Greater => self.may_be(([class.shape, shape], [first, later]), Mode::Read)[0],
        };
        let others: Vec<Named> = match is_likely {
            true => self.others(&class.members, later).collect(),
            false => Vec::new(),
        };
        for earlier in others {
            let pair = match class.rank < rank {
                true => [later, earlier],
                false => [earlier, later],
            };
            if !found.misread.iter().any(|inst| inst.opcode == pair[0].0) {
                let inst = self.misread(pair, found);
                found.misread.extend(inst);
            }
        }
    }

    /// A line that two opcodes fit equally well, and the opcode and mnemonic that it is written for.
    fn shared(&mut self, pair: [Named; 2], clashes: &mut Clashes) -> Option<(String, Named)> {
        let [a, b] = pair;
        if self.are_forms(pair) {
            return None;
        }
        if self.are_printed(pair) {
            return self.printed(pair, clashes);
        }
        // The meaning of a line with a mnemonic that is not printed is decided by reading it.
        let is_unprinted = |pair: &[Named; 2]| !self.mnemonic(pair[0]).is_printed;
        let sides: Vec<[Named; 2]> = [[a, b], [b, a]].into_iter().filter(is_unprinted).collect();
        for pair in sides {
            let writer = self.writer(pair[0]);
            let mut text = String::new();
            let mut confirm = |words: [u128; 2]| {
                text = writer.line(words[0]);
                let engine = writer.engine.having(writer.inst(words[0]));
                match engine.assemble_with(&text, TextOptions::PLAIN) {
                    Ok(read) => !writer.is_own(read),
                    Err(error) => error.is_ambiguous,
                }
            };
            match self.ask(pair, Mode::Read, &mut confirm) {
                Found::Words(_) => return Some((text, pair[0])),
                Found::Open => clashes.open.push([a.0.min(b.0), a.0.max(b.0)]),
                Found::None => {}
            }
        }
        None
    }

    /// A text that instructions of two opcodes are printed as.
    fn printed(&mut self, pair: [Named; 2], clashes: &mut Clashes) -> Option<(String, Named)> {
        let engine = self.engine;
        let ids = pair.map(|named| named.0);
        let text = |side: usize, words: [u128; 2]| {
            engine.own_text(Inst { opcode: ids[side], word: words[side] })
        };
        let isa = self.isa;
        let mut confirm = |words| isa.folded(&text(0, words)) == isa.folded(&text(1, words));
        match self.ask(pair, Mode::Printed, &mut confirm) {
            Found::Words(words) => Some((text(0, words), pair[0])),
            Found::Open => {
                clashes.open.push(ids);
                None
            }
            Found::None => None,
        }
    }

    /// An instruction of the first opcode whose text is read as the second opcode.
    fn misread(&mut self, pair: [Named; 2], clashes: &mut Clashes) -> Option<Inst> {
        let [a, b] = pair;
        // A literal with the bits of a constant is read as the constant, as intended.
        if !self.mnemonic(a).is_printed || self.are_forms(pair) {
            return None;
        }
        let writer = self.writer(a);
        let mut confirm = |words: [u128; 2]| {
            let engine = writer.engine.having(writer.inst(words[0]));
            let read = engine.read_with(&writer.line(words[0]), TextOptions::PLAIN);
            read.is_none_or(|read| !writer.is_own(read))
        };
        match self.ask(pair, Mode::Read, &mut confirm) {
            Found::Words(words) => Some(writer.inst(words[0])),
            Found::Open => {
                clashes.open.push([a.0.min(b.0), a.0.max(b.0)]);
                None
            }
            Found::None => None,
        }
    }
}

fn finding(
    context: &Context<'_, '_>,
    [first, second]: [OpcodeId; 2],
    (text, mnemonic): (&str, &str),
) -> Diagnostic {
    let (a, b) = (context.layer(first).name, context.layer(second).name);
    if first == second {
        let message = format!("`{text}` stands for two instructions of `{}`", a.text);
        return Diagnostic::new(Code::W0911, message, a.span)
            .with_label("several values of the fields in its mnemonic give this text")
            .with_note("the text cannot be assembled: more than one instruction fits")
            .with_help("give the values other spellings by `as`, or write a field as a modifier");
    }
    let is_printed = |id| {
        let mut own = context.isa.mnemonics(context.isa.opcode(id)).into_iter();
        own.any(|own| own.is_printed && own.text == mnemonic)
    };
    let (label, why) = match (is_printed(first), is_printed(second)) {
        (true, true) => (
            "prints the same text as the other",
            "the text cannot be assembled: more than one opcode fits",
        ),
        _ => (
            "may be written like the other",
            "both have this mnemonic or alias; a line can be assembled only if it is the printed text of one of them",
        ),
    };
    let message = format!("`{text}` is an instruction of `{}` and of `{}`", a.text, b.text);
    Diagnostic::new(Code::W0911, message, b.span)
        .with_label(label)
        .with_related(a.span, "the other opcode")
        .with_note(why)
}
