//! Assembly by brute force: the inverse of printing; and which words mean the same.

use std::collections::HashMap;

use isadl::isa::{Isa, LiteralForm, Meaning, Opcode, OpcodeId, Type, TypeKind};

use super::{Instruction, Verdict, decode, entry, gathered, number, print, significant};

/// The words that each canonical text is printed for: all words of a small instruction set.
#[derive(Debug, Default)]
pub struct Readings {
    by_text: HashMap<String, Vec<u128>>,
}

impl Readings {
    /// The words below `end` that are legal, have no bits without meaning, and may be made.
    pub fn below(isa: &Isa, end: u128) -> Readings {
        let mut readings = Readings::default();
        (0..end).for_each(|word| {
            let Verdict::Legal { opcode, advice: None } = decode(isa, word) else { return };
            let opcode = &isa.opcodes()[opcode.index()];
            if significant(opcode, word) == word {
                readings.add(print::print(isa, opcode, word), word);
            }
        });
        readings
    }

    /// Adds a text of a word.
    pub fn add(&mut self, text: String, word: u128) {
        self.by_text.entry(text).or_default().push(word);
    }

    /// The words that are printed so.
    pub fn of(&self, text: &str) -> &[u128] {
        self.by_text.get(text).map_or(&[], Vec::as_slice)
    }
}

/// Whether two words are the same instruction. Apart from equal words, this covers numbers between aligned registers,
/// which stand for the register below them, and a literal with the bits of a constant.
pub fn is_same(isa: &Isa, (a, word): (OpcodeId, u128), (b, other): (OpcodeId, u128)) -> bool {
    let (form, plain) = (&isa.opcodes()[a.index()], &isa.opcodes()[b.index()]);
    if a != b {
        return is_constant(isa, (form, word), (plain, other));
    }
    form.fields.iter().all(|field| {
        let ty = &isa.types()[field.ty.index()];
        let raw = |word| gathered(word, &field.bits);
        stands_for(isa, ty, raw(word)) == stands_for(isa, ty, raw(other))
    })
}

/// Whether the literals of a form are the constants, or literals, that another form of the opcode has.
fn is_constant(isa: &Isa, one: (&Opcode, u128), (plain, other): (&Opcode, u128)) -> bool {
    let (form, word) = one;
    let is_alike = |names: &LiteralForm| {
        let literal = form.fields.iter().find(|field| field.name == names.literal)?;
        let raw = gathered(word, &literal.bits);
        let mut literals = plain.literals.iter();
        if let Some(same) = literals.find(|other| other.selector == names.selector) {
            return Some(Instruction::new(isa, plain, other).raw(same.literal) == raw);
        }
        let selector = plain.fields.iter().find(|field| field.name == names.selector)?;
        let number = &isa.types()[literal.ty.index()].kind;
        let ty = &isa.types()[selector.ty.index()];
        let TypeKind::Immediate(number) = number else { return None };
        let TypeKind::Operand(entries) = &ty.kind else { return None };
        let constant = number::constant(entries, raw, literal.width(), number)?;
        let inst = Instruction::new(isa, plain, other);
        Some(constant == print::plain_value(inst, ty, inst.raw(selector.name)))
    };
    let is_fewer = plain.literals.len() < form.literals.len();
    form.name == plain.name
        && is_fewer
        && form.literals.iter().all(|own| is_alike(own) == Some(true))
}

/// The values that a value stands for: the aligned value of each part.
fn stands_for(isa: &Isa, ty: &Type, raw: u64) -> Vec<u64> {
    match &ty.kind {
        TypeKind::Operand(_) => match entry(ty, raw) {
            Some((entry, position)) => match &entry.meaning {
                Meaning::Registers { first, align, .. } => {
                    let number = u64::from(*first) + position;
                    vec![entry.value, number - number % u64::from(*align)]
                }
                _ => vec![raw],
            },
            None => vec![raw],
        },
        TypeKind::Composite(composite) => {
            let parts = composite.parts.iter().flat_map(|part| {
                let ty = &isa.types()[part.ty.index()];
                stands_for(isa, ty, gathered(raw.into(), &part.bits))
            });
            parts.collect()
        }
        TypeKind::Immediate(immediate) => vec![number::computed(raw, immediate)],
        TypeKind::BitField(_) => vec![raw],
    }
}
