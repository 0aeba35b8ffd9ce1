//! The trees as they are for one set of extensions: without what the set lacks, and without extensions.

use std::collections::HashSet;

use super::{absent_layers, all_kept, definitions, key, unused_layers};
use crate::ast::{Condition, Definition, DefinitionKind, File, Guard, Layer};
use crate::extensions::Names;
use crate::isa::ExtensionSet;

/// The trees of a set of extensions; guards say what they say of generations.
pub(crate) fn fixed<'s>(files: &[File<'s>], set: ExtensionSet) -> Vec<File<'s>> {
    let names = Names::of(files);
    let admits = |guard: Option<&Guard<'s>>| {
        guard.is_none_or(|guard| condition(&guard.condition, &names, set) != Left::No)
    };
    let of_guards = definitions(files).filter(|definition| !admits(definition.guard.as_deref()));
    let mut absent: HashSet<_> = of_guards.map(key).collect();
    absent_layers(files, &admits, &mut absent);
    unused_layers(files, &mut absent);
    let mut files: Vec<File<'s>> = all_kept(files, &admits, &absent);
    for definition in files.iter_mut().flat_map(|file| &mut file.definitions) {
        if let DefinitionKind::Isa(isa) = &mut definition.kind {
            (isa.extensions, isa.implies, isa.requires) = Default::default();
            (isa.sets, isa.default_set) = Default::default();
        }
        each_guard(definition, &mut |guard| {
            *guard =
                guard.take().and_then(|guard| match condition(&guard.condition, &names, set) {
                    Left::Condition(condition) => Some(Box::new(Guard { condition, ..*guard })),
                    Left::Yes | Left::No => None,
                });
        });
    }
    files
}

/// What is left of a condition.
#[derive(Debug)]
enum Left<'s> {
    Yes,
    No,
    /// A condition on generations.
    Condition(Condition<'s>),
}

impl PartialEq for Left<'_> {
    fn eq(&self, other: &Left<'_>) -> bool {
        matches!((self, other), (Left::Yes, Left::Yes) | (Left::No, Left::No))
    }
}

/// What a set leaves of a condition.
fn condition<'s>(of: &Condition<'s>, names: &Names<'s>, set: ExtensionSet) -> Left<'s> {
    match of {
        Condition::Range(range) => match names.extension_of(range) {
            Some(bit) if set >> bit & 1 == 1 => Left::Yes,
            Some(_) => Left::No,
            None => Left::Condition(of.clone()),
        },
        Condition::Not(inner) => match condition(inner, names, set) {
            Left::Yes => Left::No,
            Left::No => Left::Yes,
            Left::Condition(inner) => Left::Condition(Condition::Not(Box::new(inner))),
        },
        Condition::All(list) => joined(list, (names, set), Left::No, Condition::All),
        Condition::Any(list) => joined(list, (names, set), Left::Yes, Condition::Any),
    }
}

/// What a set leaves of conditions, of which one that is `decisive` is enough.
fn joined<'s>(
    list: &[Condition<'s>],
    (names, set): (&Names<'s>, ExtensionSet),
    decisive: Left<'s>,
    join: fn(Vec<Condition<'s>>) -> Condition<'s>,
) -> Left<'s> {
    let mut open = Vec::new();
    for one in list {
        match condition(one, names, set) {
            Left::Condition(one) => open.push(one),
            known if known == decisive => return decisive,
            _ => {}
        }
    }
    match (open.is_empty(), decisive) {
        (false, _) => Left::Condition(join(open)),
        (true, Left::No) => Left::Yes,
        (true, _) => Left::No,
    }
}

/// Calls `each` with every guard within a definition.
fn each_guard<'s>(
    definition: &mut Definition<'s>,
    each: &mut impl FnMut(&mut Option<Box<Guard<'s>>>),
) {
    each(&mut definition.guard);
    match &mut definition.kind {
        DefinitionKind::BitFieldType(ty) => {
            ty.enumerators.iter_mut().for_each(|one| each(&mut one.guard));
            ty.others.iter_mut().for_each(|one| each(&mut one.guard));
        }
        DefinitionKind::OperandType(ty) => {
            ty.entries.iter_mut().for_each(|one| each(&mut one.guard));
            ty.includes.iter_mut().for_each(|one| each(&mut one.guard));
            ty.others.iter_mut().for_each(|one| each(&mut one.guard));
        }
        DefinitionKind::Group(layer)
        | DefinitionKind::Optype(layer)
        | DefinitionKind::Opcode(layer)
        | DefinitionKind::Alias(layer) => of_layer(layer, each),
        _ => {}
    }
}

fn of_layer<'s>(layer: &mut Layer<'s>, each: &mut impl FnMut(&mut Option<Box<Guard<'s>>>)) {
    layer.fields.iter_mut().for_each(|one| each(&mut one.guard));
    layer.reserved.iter_mut().for_each(|one| each(&mut one.guard));
    layer.unstated.iter_mut().for_each(|one| each(&mut one.guard));
    layer.matches.iter_mut().for_each(|one| each(&mut one.guard));
    layer.fixes.iter_mut().for_each(|one| each(&mut one.guard));
    layer.operand_info.iter_mut().for_each(|one| each(&mut one.guard));
    layer.rules.iter_mut().for_each(|one| each(&mut one.guard));
}
