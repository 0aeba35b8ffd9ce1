//! The declarations of groups, and how headings call them.

use isadl_ir::isa::Isa;
use isadl_semantics::{Checked, DeclarationKind};

/// The declarations of a group in all generations, each once, in order.
pub(super) fn declared(
    isas: &[Isa],
    programs: &[Checked],
    group: &str,
) -> Vec<(DeclarationKind, String)> {
    let mut found: Vec<(DeclarationKind, String)> = Vec::new();
    for checked in isas.iter().filter_map(|isa| Checked::of(programs, isa)) {
        for declared in checked.texts.declarations(group) {
            let key = (declared.kind, declared.name);
            if !found.contains(&key) {
                found.push(key);
            }
        }
    }
    found
}

/// The kind of a declaration, as the manual writes it before the name.
pub(super) fn kind_name(kind: DeclarationKind) -> &'static str {
    match kind {
        DeclarationKind::Constant => "Constant",
        DeclarationKind::Expression => "Expression",
        DeclarationKind::Function => "Function",
        DeclarationKind::View => "View",
        DeclarationKind::ExternFunction => "Function of the machine",
        DeclarationKind::Trap => "Trap",
        DeclarationKind::Memory => "Memory",
        DeclarationKind::State => "State of the machine",
        DeclarationKind::About => "Property of",
    }
}
