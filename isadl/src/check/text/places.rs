//! W0905: a place of a template that no opcode has as operand.

use std::collections::HashSet;

use super::templates::Templates;
use super::{Context, Findings};
use crate::diagnostic::{Code, Diagnostic, names};
use crate::isa::{Isa, OperandLocation};

/// Operands that a note names.
const NAMES_TOLD: usize = 12;

pub(super) fn check(
    context: &Context<'_, '_>,
    templates: &Templates<'_, '_>,
    findings: &mut Findings,
) {
    let places = templates.forms.iter().flat_map(|shown| &shown.form.places);
    for place in places.filter(|place| !templates.is_operand(place)) {
        let name = place.name.text;
        if findings.repeats(name, Code::W0905, place.name.span) {
            continue;
        }
        let message = format!("no opcode of `{}` has an operand `{name}`", templates.optype.name);
        let known = operands(context.isa, templates);
        let found = Diagnostic::new(Code::W0905, message, place.name.span)
            .with_note(match known.as_slice() {
                [] => "none has operands".to_string(),
                known => format!("operands are {}", names(&known[..known.len().min(NAMES_TOLD)])),
            })
            .with_suggestion(name, &known);
        findings.add(name, found);
    }
}

/// The names of all operands, each once.
fn operands(isa: &Isa, templates: &Templates<'_, '_>) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for opcode in templates.opcodes(isa) {
        let places = opcode.syntax.operands.iter().map(|operand| operand.place(opcode));
        names.extend(places.filter(|place| seen.insert(*place)).map(|place| name(isa, place)));
    }
    names
}

/// An operand as `Order` names it.
pub(super) fn name(isa: &Isa, place: OperandLocation) -> String {
    match place {
        OperandLocation::Field(name) => isa.name_of(name).to_string(),
        OperandLocation::File(file) => isa.reg_files()[file.index()].name.clone(),
        OperandLocation::Indirect { file, base, offset } => {
            let offset = offset.map_or(String::new(), |name| format!(", {}", isa.name_of(name)));
            format!("{}[{}{offset}]", isa.prefix(file), isa.name_of(base))
        }
    }
}
