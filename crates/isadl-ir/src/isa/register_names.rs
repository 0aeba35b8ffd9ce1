//! Names of registers, as assembly text has them.

use std::collections::BTreeMap;

use super::{Entry, Isa, Meaning, RegFileId, Register, Type, TypeKind};

/// The names of an instruction set's registers.
#[derive(Debug, Clone)]
pub struct RegisterNames<'i> {
    isa: &'i Isa,
    shown: BTreeMap<(RegFileId, u32), String>,
}

/// The register that a value of an operand type denotes, if it is a single one.
fn register(entry: &Entry, raw: u64) -> Option<Register> {
    match &entry.meaning {
        Meaning::Registers { file, first, align: 1, .. } => {
            let number = *first + entry.position(raw)? as u32;
            Some(Register { file: *file, number })
        }
        Meaning::Register { file, number, .. } => Some(Register { file: *file, number: *number }),
        _ => None,
    }
}

/// Values of a type whose meanings may be registers.
fn values(ty: &Type) -> impl Iterator<Item = (u64, Register)> {
    let entries = match &ty.kind {
        TypeKind::Operand(entries) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().flat_map(|entry| {
        let raws = entry.value..entry.value + entry.count.min(4096);
        raws.filter_map(move |raw| Some((raw, register(entry, raw)?)))
    })
}

impl<'i> RegisterNames<'i> {
    /// The names of the registers of an instruction set.
    pub fn of(isa: &'i Isa) -> RegisterNames<'i> {
        let mut shown = BTreeMap::new();
        for ty in isa.types() {
            for (raw, register) in values(ty) {
                let name = || isa.value_text(ty, raw);
                shown.entry((register.file, register.number)).or_insert_with(name);
            }
        }
        RegisterNames { isa, shown }
    }

    /// How a register is written: by the name that operands have for it, else by its file and number.
    pub fn name(&self, register: Register) -> String {
        if let Some(name) = self.shown.get(&(register.file, register.number)) {
            return name.clone();
        }
        let file = &self.isa.reg_files()[register.file.index()];
        match file.count {
            1 => file.name.clone(),
            _ => format!("{}[{}]", file.name, register.number),
        }
    }

    /// The register with a name: one that some operand has for it, the name of a file with one register, or `FILE[number]`.
    pub fn find(&self, name: &str) -> Option<Register> {
        let files = self.isa.reg_files().iter().enumerate();
        for (at, file) in files {
            let rest = name.strip_prefix(file.name.as_str());
            let inside = rest.and_then(|rest| rest.strip_prefix('[')?.strip_suffix(']'));
            let number = match rest {
                Some("") if file.count == 1 => Some(0),
                _ => inside.and_then(|number| number.parse().ok()),
            };
            if let Some(number) = number.filter(|number| *number < file.count) {
                return Some(Register { file: RegFileId::new(at), number });
            }
        }
        let name = self.isa.folded(name);
        self.isa.types().iter().find_map(|ty| {
            let (entry, raw) = ty.named(&name)?;
            register(entry, raw)
        })
    }

    /// All registers that have names in operands, or files of their own.
    pub fn all(&self) -> impl Iterator<Item = Register> + '_ {
        self.isa.reg_files().iter().enumerate().flat_map(|(at, file)| {
            let file_id = RegFileId::new(at);
            (0..file.count).map(move |number| Register { file: file_id, number })
        })
    }
}
