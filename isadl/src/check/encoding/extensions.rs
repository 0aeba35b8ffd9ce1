//! E1009: opcodes that no set of extensions has. E1011: opcodes whose guards together are too large.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::extensions::too_many_cases;
use crate::isa::{OpcodeId, Presence, find_set_of};

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    for id in dead(context) {
        let layer = context.layer(id);
        let names = context.model.names_of_guards();
        let chain = layer.chain.iter().map(|id| context.model.layer(*id));
        let guards: Vec<_> = chain.filter_map(|layer| layer.guard).collect();
        let generation = context.isa.describes().first();
        let each = guards.iter().map(|guard| names.presence(&guard.condition, generation));
        let together = each.into_iter().try_fold(Presence::always(), |all, one| all.and(&one?));
        if together.is_none() {
            diagnostics.push(too_many_cases(layer.header));
            continue;
        }
        let message = format!("no set of extensions has the opcode `{}`", layer.name.text);
        let diagnostic = Diagnostic::new(Code::E1009, message, layer.header);
        let own = layer.guard.map(|guard| guard.span);
        let inherited = guards.iter().filter(|guard| Some(guard.span) != own);
        let diagnostic = inherited.fold(diagnostic, |diagnostic, guard| {
            diagnostic.with_related(guard.span, "the guard of a parent")
        });
        let requires = &context.isa.opcode(id).requires;
        let note = match requires.is_never() {
            true => "its guards contradict each other".to_string(),
            false => format!(
                "it needs {}, which `Implies` and `Requires` exclude",
                context.isa.extensions().condition(requires)
            ),
        };
        diagnostics.push(
            diagnostic
                .with_note(note)
                .with_help("correct a guard or a requirement, or remove the opcode"),
        );
    }
}

/// The opcodes that no set has.
pub(super) fn dead(context: &Context<'_, '_>) -> Vec<OpcodeId> {
    let allowed = context.isa.extensions().conditions();
    let is_dead = |id: &OpcodeId| {
        let requires = &context.isa.opcode(*id).requires;
        let all: Vec<&Presence> = allowed.iter().chain([requires]).collect();
        !requires.is_always() && find_set_of(&all) == Some(None)
    };
    context.isa.opcode_ids().filter(is_dead).collect()
}
