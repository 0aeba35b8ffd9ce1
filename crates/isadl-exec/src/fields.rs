//! What the fields of an instruction word denote.

use isadl::isa::{Field, Inst, Isa, Meaning, NameId, Opcode, RegFileId, TypeKind};

/// An instruction word with its opcode.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'i> {
    pub(crate) isa: &'i Isa,
    pub(crate) opcode: &'i Opcode,
    word: u128,
}

impl<'i> Fields<'i> {
    pub(crate) fn of(isa: &'i Isa, inst: Inst) -> Fields<'i> {
        Fields::of_word(isa, isa.opcode(inst.opcode), inst.word)
    }

    pub(crate) fn of_word(isa: &'i Isa, opcode: &'i Opcode, word: u128) -> Fields<'i> {
        Fields { isa, opcode, word }
    }

    fn field(&self, name: NameId) -> Option<(&'i Field, u64)> {
        let field = self.opcode.field(name)?;
        Some((field, field.extract(self.word)))
    }

    /// The bits of a field.
    pub(crate) fn bits(&self, name: NameId) -> Option<u64> {
        self.field(name).map(|(_, raw)| raw)
    }

    /// The number in a field.
    pub(crate) fn number(&self, name: NameId) -> Option<i128> {
        let (field, raw) = self.field(name)?;
        let ty = self.isa.ty(field.ty);
        match &ty.kind {
            TypeKind::Immediate(immediate) => Some(immediate.encoded(raw, field.width())),
            TypeKind::Operand(_) => {
                let (entry, position) = ty.entry(raw)?;
                let Meaning::Integers { first, step } = entry.meaning else { return None };
                Some(i128::from(first) + i128::from(step) * i128::from(position))
            }
            _ => Some(raw.into()),
        }
    }

    /// What an operand, or a part of one, denotes.
    pub(crate) fn denoted(&self, name: NameId, part: Option<usize>) -> Option<Denoted<'i>> {
        let (field, mut raw) = self.field(name)?;
        let mut ty = self.isa.ty(field.ty);
        if let Some(part) = part {
            let TypeKind::Composite(composite) = &ty.kind else { return None };
            let part = composite.parts.get(part)?;
            (raw, ty) = (part.bits.extract(raw.into()), self.isa.ty(part.ty));
        }
        let unnamed = || Denoted::Kept(format!("{}[{raw:#x}]", ty.name));
        let Some((entry, position)) = ty.entry(raw) else { return Some(unnamed()) };
        Some(match &entry.meaning {
            Meaning::Registers { file, first, align, .. } => {
                let number = u64::from(*first) + position;
                Denoted::Register(*file, (number / u64::from(*align) * u64::from(*align)) as u32)
            }
            Meaning::Register { file, number, .. } => Denoted::Register(*file, *number),
            Meaning::Constant { .. } | Meaning::Integers { .. } | Meaning::Float(_) => {
                Denoted::Constant(&entry.meaning, position)
            }
            Meaning::Special(name) => Denoted::Kept(name.clone()),
            _ => unnamed(),
        })
    }
}

/// What an operand denotes.
pub(crate) enum Denoted<'i> {
    /// A register of a file, the first if it needs several.
    Register(RegFileId, u32),
    /// A constant, and its position among the values with this meaning.
    Constant(&'i Meaning, u64),
    /// A register outside of files, by its name; also bits without a meaning.
    Kept(String),
}
