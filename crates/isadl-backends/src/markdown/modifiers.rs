//! Modifiers, attributes and control fields of an operation.

use isadl_ir::isa::{
    Binding, FieldRole, Isa, ModifierStyle, ModifierSyntax, Opcode, SectionKind, TypeKind,
};

use super::operation::{Operation, optype};
use super::pages::Kind;
use super::text::{Table, code};
use crate::wording::{syntax, values};

/// The maximum number of values that a cell lists.
const MAX_LISTED: usize = 20;

/// A row of the table, and the forms that have it.
struct Row {
    cells: Vec<String>,
    forms: Vec<String>,
}

impl Operation<'_> {
    /// The author's text on them, and their values.
    pub(super) fn modifiers(&self) -> String {
        let variants = self.book.variants(|isa| {
            let prose = &optype(isa, self.name)?.prose;
            Some(super::sections::section(prose, SectionKind::ModifierInfo))
        });
        let prose = self.book.prose(&self.page, 2, &variants);
        let mut rows: Vec<Row> = Vec::new();
        for isa in self.book.isas() {
            let Some(optype) = optype(isa, self.name) else { continue };
            for id in &optype.opcodes {
                self.of_opcode(isa, isa.opcode(*id), &mut rows);
            }
        }
        let mut table =
            Table::new(&["Written", "Field", "Values", "Default", "Type", "Only in forms"]);
        for mut row in rows {
            let is_all = row.forms.len() == self.forms.len();
            let forms = row.forms.iter().map(|form| code(form));
            row.cells.push(if is_all {
                String::new()
            } else {
                forms.collect::<Vec<_>>().join(", ")
            });
            table.row(row.cells);
        }
        let table = table.render();
        match prose.is_empty() && table.is_empty() {
            true => String::new(),
            false => format!("## Modifiers\n\n{prose}{table}\n"),
        }
    }

    fn of_opcode(&self, isa: &Isa, opcode: &Opcode, rows: &mut Vec<Row>) {
        let sign = match isa.modifiers() {
            ModifierStyle::Dots => ".",
            ModifierStyle::Words => "",
        };
        let mut add = |cells: Option<Vec<String>>| {
            let Some(cells) = cells else { return };
            let known = rows.iter().position(|row| row.cells == cells);
            let at = known.unwrap_or_else(|| {
                rows.push(Row { cells, forms: Vec::new() });
                rows.len() - 1
            });
            if !rows[at].forms.contains(&opcode.name) {
                rows[at].forms.push(opcode.name.clone());
            }
        };
        let syntax = &opcode.syntax;
        let part = |field| ModifierSyntax { field, rank: None, absent: None, omission: None };
        for field in opcode.mnemonic_fields() {
            add(self.row(isa, opcode, &part(field.name), "part of the mnemonic", ""));
        }
        for modifier in &syntax.modifiers {
            let Some(made) = opcode.composite_operand(modifier.field) else {
                add(self.row(isa, opcode, modifier, "modifier", sign));
                continue;
            };
            let written = code(&syntax::made_of_fields(isa, opcode, made));
            for field in &made.parts {
                add(self.row(isa, opcode, &part(*field), &written, ""));
            }
        }
        for operand in syntax.guard.iter().chain(&syntax.operands) {
            for mark in &operand.marks {
                let field = opcode.field(mark.field);
                let name = isa.name_of(mark.field);
                let (of, _) = name.split_once('.').unwrap_or((name, ""));
                let sign = mark.symbol.as_char();
                let written = match (mark.symbol, &mark.call) {
                    (isadl_ir::isa::Symbol::Absolute, _) => format!("|{of}|"),
                    (_, Some(word)) => format!("{sign}{of}, {word}({of})"),
                    _ if mark.extension.is_some() => format!("{sign}{of}, ~{of}"),
                    _ => format!("{sign}{of}"),
                };
                add(field.map(|field| {
                    let ty = isa.ty(field.ty);
                    let link = self.book.link(Kind::Type, &ty.name, &self.page);
                    vec![
                        code(&written),
                        code(name),
                        String::new(),
                        default(ty, field.binding),
                        link,
                    ]
                }));
            }
            for suffix in &operand.suffixes {
                add(self.row(isa, opcode, suffix, "attribute", "."));
            }
        }
        for control in &syntax.controls {
            let written = code(&format!("${}=", isa.name_of(control.field)));
            add(self.row(isa, opcode, control, &written, ""));
        }
    }

    fn row(
        &self,
        isa: &Isa,
        opcode: &Opcode,
        modifier: &ModifierSyntax,
        written: &str,
        sign: &str,
    ) -> Option<Vec<String>> {
        let field = opcode.field(modifier.field)?;
        if let Binding::Fixed(_) = field.binding {
            return None;
        }
        let ty = isa.ty(field.ty);
        let values = match &ty.kind {
            TypeKind::BitField(values) if values.len() <= MAX_LISTED => {
                let written = values.iter().filter(|value| !value.spelling.is_empty());
                let texts = written.map(|value| code(&format!("{sign}{}", value.spelling)));
                texts.collect::<Vec<_>>().join(", ")
            }
            _ => values::allowed(isa, ty),
        };
        let link = self.book.link(Kind::Type, &ty.name, &self.page);
        let name = code(isa.name_of(modifier.field));
        // A part of the mnemonic is always written.
        let default = match field.role {
            FieldRole::Mnemonic => String::new(),
            _ => default(ty, field.binding),
        };
        Some(vec![written.to_string(), name, values, default, link])
    }
}

/// The value that applies if none is written.
fn default(ty: &isadl_ir::isa::Type, binding: Binding) -> String {
    let Binding::Default(raw) = binding else { return String::new() };
    match &ty.kind {
        TypeKind::BitField(list) => {
            let name = list.iter().find(|value| value.value == raw).map(|value| code(&value.name));
            name.unwrap_or_else(|| values::number(raw))
        }
        TypeKind::Operand(list) => {
            let name = list.iter().find_map(|entry| Some(entry.name_at(entry.position(raw)?)));
            name.map_or(values::number(raw), |name| code(&name))
        }
        _ => values::number(raw),
    }
}
