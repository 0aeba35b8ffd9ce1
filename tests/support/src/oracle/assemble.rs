//! Assembly by brute force: the inverse of printing; and which words mean the same.

use std::collections::HashMap;

use isadl::isa::{Isa, Meaning, Opcode, OpcodeId, Type, TypeKind};

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
        return is_constant(isa, (form, word), (plain, other)) == Some(true);
    }
    form.fields.iter().all(|field| {
        let ty = &isa.types()[field.ty.index()];
        let raw = |word| gathered(word, &field.bits);
        stands_for(isa, ty, raw(word)) == stands_for(isa, ty, raw(other))
    })
}

/// Whether the literal of a form is the constant that the form without has.
fn is_constant(
    isa: &Isa,
    (form, word): (&Opcode, u128),
    (plain, other): (&Opcode, u128),
) -> Option<bool> {
    let names = form.literal?;
    let literal = form.fields.iter().find(|field| field.name == names.literal)?;
    let selector = plain.fields.iter().find(|field| field.name == names.selector)?;
    let TypeKind::Immediate(number) = &isa.types()[literal.ty.index()].kind else { return None };
    let ty = &isa.types()[selector.ty.index()];
    let TypeKind::Operand(entries) = &ty.kind else { return None };
    let raw = gathered(word, &literal.bits);
    let constant = number::constant(entries, raw, literal.width(), number)?;
    let inst = Instruction::new(isa, plain, other);
    let written = print::plain_value(inst, ty, inst.raw(selector.name));
    Some(form.name == plain.name && plain.literal.is_none() && constant == written)
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
