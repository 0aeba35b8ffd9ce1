//! E1233: an environment names a trap, a memory or a register of the machine that no program declares.

use std::collections::BTreeSet;

use isadl_semantics::Checked;

use super::Context;
use crate::ast::Ident;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Meaning, TypeKind};

pub(super) fn check(context: &Context<'_, '_>, checked: &Checked, diagnostics: &mut Diagnostics) {
    let registers = kept_registers(context, checked);
    let known = |names: &[String]| names.iter().cloned().collect::<BTreeSet<String>>();
    let (traps, memories) = (known(&checked.traps), known(&checked.memories));
    for environment in &context.model.environments {
        if let Some(name) = environment.trap {
            let help = format!("declare it in the program of a group: `extern trap {}`", name.text);
            let message = format!("no program declares a trap `{}`", name.text);
            unknown(name, message, &traps, &help, diagnostics);
        }
        if let Some(name) = environment.code {
            let text = name.text;
            let help = format!("declare it in the program of a group: `extern memory {text}[…]`");
            let message = format!("no program declares a memory `{text}`");
            unknown(name, message, &memories, &help, diagnostics);
        }
        for name in &environment.kept {
            let message = format!("`{}` is not a register that the machine keeps", name.text);
            let help = "name a register without a file, of an operand type that programs declare by `extern`, or a register that they declare themselves";
            unknown(*name, message, &registers, help, diagnostics);
        }
    }
}

/// Reports a name that is none of those which programs declare.
fn unknown(
    name: Ident<'_>,
    message: String,
    known: &BTreeSet<String>,
    help: &str,
    diagnostics: &mut Diagnostics,
) {
    if known.contains(name.text) {
        return;
    }
    let found = Diagnostic::new(Code::E1233, message, name.span);
    diagnostics.push(found.with_suggestion(name.text, known).with_help(help));
}

/// The registers that the machine keeps: those that programs declare, and the special ones of types that they declare.
fn kept_registers(context: &Context<'_, '_>, checked: &Checked) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for state in &checked.states {
        let ty = context.isa.types().iter().find(|ty| ty.name == *state);
        let Some(ty) = ty else {
            found.insert(state.clone());
            continue;
        };
        let TypeKind::Operand(entries) = &ty.kind else { continue };
        found.extend(entries.iter().filter_map(|entry| match &entry.meaning {
            Meaning::Special(name) => Some(name.clone()),
            _ => None,
        }));
    }
    found
}
