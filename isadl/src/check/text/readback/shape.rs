//! Finds opcodes that are written alike, so that trying one of them tries all.

use std::collections::{HashMap, HashSet};

use crate::isa::{
    Attribute, Binding, Isa, ModifierSyntax, NameId, Omission, Opcode, OpcodeId, OperandLocation,
    OperandSyntax,
};

/// Limit on the other opcodes of a mnemonic that are part of an opcode's shape.
const MAX_OTHERS: usize = 64;

/// The opcodes by how they are written.
pub(super) struct Shapes<'i> {
    isa: &'i Isa,
    /// The shape of each opcode by itself: equal shapes have equal numbers.
    kinds: Vec<u64>,
    /// The opcodes by the first word of their mnemonics.
    by_word: HashMap<String, Vec<OpcodeId>>,
    /// Numbers for the rest of a mnemonic after its first word.
    endings: HashMap<&'i str, u64>,
    seen: HashSet<Vec<u64>>,
}

impl<'i> Shapes<'i> {
    pub(super) fn new(isa: &'i Isa) -> Shapes<'i> {
        let mut known: HashMap<Vec<u64>, u64> = HashMap::new();
        let mut kinds = Vec::new();
        let mut by_word: HashMap<String, Vec<OpcodeId>> = HashMap::new();
        let mut endings: HashMap<&str, u64> = HashMap::new();
        for id in isa.opcode_ids() {
            let opcode = isa.opcode(id);
            let next = known.len() as u64;
            kinds.push(*known.entry(Kind::of(opcode)).or_insert(next));
            for mnemonic in isa.mnemonics(opcode) {
                let (word, _) = divided(&mnemonic.text);
                let list = by_word.entry(isa.folded(word).into_owned()).or_default();
                if list.last() != Some(&id) {
                    list.push(id);
                }
            }
            for (_, ending) in opcode.syntax.mnemonics().map(divided) {
                let next = endings.len() as u64;
                endings.entry(ending).or_insert(next);
            }
        }
        Shapes { isa, kinds, by_word, endings, seen: HashSet::new() }
    }

    /// Whether no earlier opcode was written like this one, next to similar other opcodes.
    pub(super) fn is_new(&mut self, id: OpcodeId) -> bool {
        let (word, ending) = divided(&self.isa.opcode(id).syntax.mnemonic);
        let mut shape = vec![self.kinds[id.index()], self.endings[ending]];
        let others =
            self.by_word.get(self.isa.folded(word).as_ref()).map_or(&[][..], Vec::as_slice);
        for other in others.iter().filter(|other| **other != id).take(MAX_OTHERS) {
            shape.push(self.kinds[other.index()]);
            let known = self.isa.opcode(*other).syntax.mnemonics().map(divided);
            let endings = known.filter(|(other, _)| *other == word);
            shape.extend(endings.map(|(_, ending)| self.endings[ending]));
            shape.push(u64::MAX);
        }
        self.seen.insert(shape)
    }
}

/// The first word of a mnemonic, and the rest.
fn divided(mnemonic: &str) -> (&str, &str) {
    mnemonic.split_at(mnemonic.find('.').unwrap_or(mnemonic.len()))
}

/// All that decides how the text of an opcode is read, as numbers.
struct Kind<'o> {
    opcode: &'o Opcode,
    key: Vec<u64>,
}

impl Kind<'_> {
    fn of(opcode: &Opcode) -> Vec<u64> {
        let mut kind = Kind { opcode, key: Vec::new() };
        kind.opcode();
        kind.key
    }

    fn opcode(&mut self) {
        let (opcode, syntax) = (self.opcode, &self.opcode.syntax);
        self.key.extend([u64::from(opcode.width), u64::from(opcode.has_literal())]);
        for list in [&syntax.modifiers, &syntax.controls] {
            list.iter().for_each(|modifier| self.modifier(modifier));
            self.key.push(u64::MAX);
        }
        for control in &syntax.controls {
            self.key.push(control.field.index() as u64);
        }
        for operand in syntax.guard.iter().chain(&syntax.operands) {
            self.operand(operand);
        }
        // An opcode with aliases, or with fields in its mnemonic, is unlike all others.
        let is_unlike = !opcode.aliases.is_empty() || !syntax.pieces.is_empty();
        self.key.push(if is_unlike { u64::from(opcode.number) + 1 } else { 0 });
        self.key.push(u64::from(syntax.guard.is_some()));
        self.key.extend(opcode.rules.iter().map(|rule| rule.index() as u64));
        let terms = opcode.requires.terms().iter();
        self.key.extend(terms.flat_map(|term| [u64::MAX, term.needed, term.excluded]));
    }

    fn modifier(&mut self, modifier: &ModifierSyntax) {
        self.field(modifier.field);
        let rank = modifier.rank.map_or(0, |rank| u64::from(rank) + 1);
        self.key.extend([rank, u64::from(modifier.absent.is_some())]);
        self.key.push(modifier.absent.unwrap_or_default());
        self.omission(modifier.omission);
    }

    fn operand(&mut self, operand: &OperandSyntax) {
        let width = self.opcode.operands[operand.operand].width;
        self.key.push(width.map_or(0, |width| width.index() as u64 + 1));
        match operand.place(self.opcode) {
            OperandLocation::Field(name) => self.field(name),
            OperandLocation::File(file) => self.key.extend([u64::MAX, file.index() as u64]),
            OperandLocation::Indirect { file, base, offset } => {
                self.key.extend([u64::MAX - 1, file.index() as u64]);
                self.field(base);
                offset.into_iter().for_each(|offset| self.field(offset));
            }
        }
        operand.marks.iter().for_each(|mark| self.mark(mark));
        operand.suffixes.iter().for_each(|suffix| self.modifier(suffix));
        operand.format.into_iter().for_each(|format| self.field(format));
        let types = [operand.constants, operand.literal];
        self.key.extend(types.map(|ty| ty.map_or(0, |ty| ty.index() as u64 + 1)));
        self.key.push(u64::from(operand.is_optional));
        self.omission(operand.omission);
        self.key.push(u64::MAX);
    }

    fn mark(&mut self, mark: &Attribute) {
        self.field(mark.field);
        self.key.extend([mark.symbol as u64, u64::from(mark.call.is_some())]);
        mark.extension.into_iter().for_each(|extension| self.field(extension));
    }

    fn field(&mut self, name: NameId) {
        let Some(field) = self.opcode.field(name) else { return };
        let (kind, raw) = match field.binding {
            Binding::Required => (0, 0),
            Binding::Default(raw) => (1, raw),
            Binding::Fixed(raw) => (2, raw),
        };
        self.key.extend([field.ty.index() as u64, kind, raw]);
        // An operand made of fields may be fixed in part.
        if kind != 2 {
            let fixed = [self.opcode.mask, self.opcode.value].map(|bits| field.bits.extract(bits));
            self.key.extend(fixed);
        }
        for piece in field.bits.pieces() {
            self.key.extend([u64::from(piece.lsb), u64::from(piece.width)]);
        }
    }

    fn omission(&mut self, omission: Option<Omission>) {
        let Some(Omission { mask, value }) = omission else { return self.key.push(u64::MAX) };
        self.key.extend([mask, value].iter().flat_map(|bits| [*bits as u64, (bits >> 64) as u64]));
    }
}
