//! E1009: opcodes that no set of extensions has. E1011: opcodes whose guards together are too large. E1012: defaults
//! that some sets lack.

use std::collections::BTreeMap;

use super::Context;
use super::defaults::declared;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::extensions::too_many_cases;
use crate::isa::{Binding, ExtensionCondition, OpcodeId, find_set_of, needed};
use crate::source::Span;

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    for id in dead(context) {
        let layer = context.layer(id);
        let names = context.model.names_of_guards();
        let chain = layer.chain.iter().map(|id| context.model.layer(*id));
        let guards: Vec<_> = chain.filter_map(|layer| layer.guard).collect();
        let generation = context.isa.describes().first();
        let each = guards.iter().map(|guard| names.presence(&guard.condition, generation));
        let together =
            each.into_iter().try_fold(ExtensionCondition::always(), |all, one| all.and(&one?));
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

/// Reports defaults that some sets with an opcode lack: they would not be values there.
pub(super) fn check_defaults(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let isa = context.isa;
    let allowed = isa.extensions().conditions();
    // A fault that many opcodes inherit is one finding.
    let mut found: BTreeMap<Span, Diagnostic> = BTreeMap::new();
    for id in isa.opcode_ids() {
        let opcode = isa.opcode(id);
        for field in opcode.encoded() {
            let Binding::Default(raw) = field.binding else { continue };
            let ty = isa.ty(field.ty);
            for requires in needed(isa.types(), field.ty, raw) {
                let Some(lacks) = requires.not() else { continue };
                let all: Vec<&ExtensionCondition> =
                    allowed.iter().chain([&opcode.requires, &lacks]).collect();
                let name = isa.name_of(field.name);
                let (Some(Some(set)), Some(declared)) =
                    (find_set_of(&all), declared(context, id, name))
                else {
                    continue;
                };
                let span = declared.ast.binding.map_or(declared.ast.span, |own| own.value.span());
                found.entry(span).or_insert_with(|| {
                    let message = format!("some sets of extensions lack the default of `{name}`");
                    let needs = isa.extensions().needs(requires);
                    Diagnostic::new(Code::E1012, message, span)
                        .with_note(format!("`{}` needs {needs}", isa.value_text(ty, raw)))
                        .with_note(format!(
                            "an allowed set that has `{}`: {}",
                            opcode.name,
                            isa.extensions().text_of(set)
                        ))
                        .with_help("choose a default that all sets have, or guard the opcode too")
                });
            }
        }
    }
    found.into_values().for_each(|finding| diagnostics.push(finding));
}

/// The opcodes that no set has.
pub(super) fn dead(context: &Context<'_, '_>) -> Vec<OpcodeId> {
    let allowed = context.isa.extensions().conditions();
    let is_dead = |id: &OpcodeId| {
        let requires = &context.isa.opcode(*id).requires;
        let all: Vec<&ExtensionCondition> = allowed.iter().chain([requires]).collect();
        !requires.is_always() && find_set_of(&all) == Some(None)
    };
    context.isa.opcode_ids().filter(is_dead).collect()
}
