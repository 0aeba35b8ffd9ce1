//! Differences in the reads and writes of opcodes.

use std::collections::BTreeMap;

use isadl_ir::isa::outline::About;
use isadl_ir::isa::{Access, FlowItem, FlowPlace, Isa, Opcode};

use super::kind::Kind;
use super::opcodes::Forms;
use super::{Change, Pair};
use crate::wording::expressions;
use crate::wording::part_name;

/// How an opcode accesses each place, by the place's name.
fn accesses(isa: &Isa, opcode: &Opcode) -> BTreeMap<String, String> {
    let mut accesses: BTreeMap<String, String> = BTreeMap::new();
    for item in &opcode.flow {
        let text = accesses.entry(name(isa, opcode, item)).or_default();
        *text += if text.is_empty() { "" } else { "; " };
        *text += &access(isa, opcode, item);
    }
    accesses
}

fn name(isa: &Isa, opcode: &Opcode, item: &FlowItem) -> String {
    let file = |id: isadl_ir::isa::RegFileId| isa.reg_files()[id.index()].name.as_str();
    match item.place {
        FlowPlace::Field(name) => format!("`{}`", isa.name_of(name)),
        FlowPlace::Part { field, part } => format!("`{}`", part_name(isa, opcode, field, part)),
        FlowPlace::File(id) => format!("register file `{}`", file(id)),
        FlowPlace::Register { file: of, number } => {
            format!("register {number} of `{}`", file(of))
        }
        FlowPlace::Indirect { file: of, base } => {
            format!("the register of `{}` that `{}` numbers", file(of), isa.name_of(base))
        }
        FlowPlace::Mask { field, file: of } => {
            format!("the registers of `{}` that `{}` selects", file(of), isa.name_of(field))
        }
    }
}

fn access(isa: &Isa, opcode: &Opcode, item: &FlowItem) -> String {
    let mut text = match item.access {
        Access::None => "not accessed",
        Access::Read => "read",
        Access::Write => "written",
        Access::ReadWrite => "read and written",
    }
    .to_string();
    if let Some(width) = item.width {
        text += &format!(", bits of data: {}", expressions::text(isa, opcode, isa.expr(width)));
    }
    if item.is_partial {
        text += ", in part";
    }
    if let Some(condition) = item.condition {
        text += &format!(" if {}", expressions::text(isa, opcode, isa.expr(condition)));
    }
    if item.is_guard {
        text += ", as the guard";
    } else if item.is_always {
        text += ", whatever the guard";
    }
    text
}

/// Where execution goes after an opcode.
fn classes(isa: &Isa, opcode: &Opcode) -> String {
    let classes = opcode.classes.iter().map(|class| match class.condition {
        Some(condition) => {
            let condition = expressions::text(isa, opcode, isa.expr(condition));
            format!("`{}` if {condition}", class.class)
        }
        None => format!("`{}`", class.class),
    });
    // An opcode without classes also continues with the next instruction.
    let mut classes: Vec<String> = classes.collect();
    let next = format!("`{}`", isadl_ir::isa::FlowControl::Next);
    if opcode.classes.last().is_none_or(|last| last.condition.is_some()) {
        classes.push(next);
    }
    classes.join(", else ")
}

impl Pair<'_> {
    pub(super) fn flow(&mut self, forms: &Forms<'_>) {
        let olds = accesses(self.old, forms.was);
        let olds: BTreeMap<String, String> = olds
            .into_iter()
            .map(|(name, text)| (forms.renamed(&name), forms.renamed(&text)))
            .collect();
        let news = accesses(self.new, forms.is);
        let (was, is) = (forms.renamed(&classes(self.old, forms.was)), classes(self.new, forms.is));
        if was != is {
            let place = self.about(forms, About::Flow);
            let item = format!("flow of control of `{}`", forms.is.name);
            self.add(Kind::FlowControl, item, Change(was, is), place, &[&forms.is.name]);
        }
        let names: std::collections::BTreeSet<&String> = olds.keys().chain(news.keys()).collect();
        for name in names {
            let (was, is) = (olds.get(name), news.get(name));
            if was != is {
                let none = || "not accessed".to_string();
                let change =
                    Change(was.cloned().unwrap_or_else(none), is.cloned().unwrap_or_else(none));
                let place = self.about(forms, About::Flow);
                self.add(Kind::Flow, name.clone(), change, place, &[&forms.is.name]);
            }
        }
    }
}
