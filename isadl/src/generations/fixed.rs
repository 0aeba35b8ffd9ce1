//! Reduces the trees to one set of extensions: drops items that the set lacks, and all mention of extensions.

use std::collections::HashSet;

use super::{Key, absent_layers, all_kept, definitions, key, lost, unused_layers};
use crate::ast::{Condition, Definition, DefinitionKind, File, Guard, Layer, OperandStatementKind};
use crate::extensions::Names;
use crate::isa::ExtensionSet;

/// The trees for a set of extensions. Guards keep their conditions on generations.
pub(crate) fn fixed<'s>(files: &[File<'s>], set: ExtensionSet) -> Vec<File<'s>> {
    let names = Names::of(files);
    let has = |guard: Option<&Guard<'s>>| {
        guard.is_none_or(|guard| condition(&guard.condition, &names, set) != Left::No)
    };
    let absent = absent(files, &has);
    let lost = lost(files, &absent);
    let mut files = files.to_vec();
    keep_parts(&mut files, &has);
    // Opcodes that the set lacks have no compressed encodings.
    for layer in files.iter_mut().flat_map(|file| &mut file.definitions).filter_map(layer_mut) {
        layer.operand_info.retain(|statement| match &statement.kind {
            OperandStatementKind::Short { of, .. } => !lost.contains(of.text),
            _ => true,
        });
    }
    let admits = |guard: Option<&Guard<'s>>| has(guard) || guard.is_some_and(Guard::is_lacked);
    let mut files: Vec<File<'s>> = all_kept(&files, &admits, &absent);
    for definition in files.iter_mut().flat_map(|file| &mut file.definitions) {
        if let DefinitionKind::Isa(isa) = &mut definition.kind {
            (isa.extensions, isa.implies, isa.requires) = Default::default();
            (isa.sets, isa.default_set) = Default::default();
        }
        each_guard(definition, &mut |guard| {
            let Some(known) = guard.take_if(|guard| !guard.is_lacked()) else { return };
            *guard = match condition(&known.condition, &names, set) {
                Left::Condition(condition) => Some(Box::new(Guard { condition, ..*known })),
                Left::Yes | Left::No => None,
            };
        });
    }
    files
}

/// The definitions that a set lacks.
fn absent<'s>(files: &[File<'s>], has: &impl Fn(Option<&Guard<'s>>) -> bool) -> HashSet<Key<'s>> {
    let of_guards = definitions(files).filter(|definition| !has(definition.guard.as_deref()));
    let mut absent: HashSet<_> = of_guards.map(key).collect();
    absent_layers(files, has, &mut absent);
    unused_layers(files, &mut absent);
    absent
}

/// Keeps values that a set lacks in types of composite parts: these have all values, and rules forbid some.
fn keep_parts<'s>(files: &mut [File<'s>], has: &impl Fn(Option<&Guard<'s>>) -> bool) {
    let mut names: HashSet<&str> = HashSet::new();
    for definition in definitions(files) {
        if let DefinitionKind::Composite(composite) = &definition.kind {
            names.extend(composite.parts.iter().map(|part| part.type_name.text));
        }
    }
    loop {
        let included = definitions(files).filter(|one| names.contains(one.name.text));
        let included = included.flat_map(|one| match &one.kind {
            DefinitionKind::OperandType(ty) => ty.includes.as_slice(),
            _ => &[],
        });
        let more: Vec<&str> = included.map(|include| include.name.text).collect();
        let before = names.len();
        names.extend(more);
        if names.len() == before {
            break;
        }
    }
    let lacked = |guard: &mut Option<Box<Guard<'s>>>| {
        if let Some(guard) = guard.as_mut().filter(|guard| !has(Some(guard))) {
            guard.condition = Condition::Any(Vec::new());
        }
    };
    for definition in files.iter_mut().flat_map(|file| &mut file.definitions) {
        match &mut definition.kind {
            DefinitionKind::BitFieldType(ty) if names.contains(definition.name.text) => {
                ty.enumerators.iter_mut().for_each(|one| lacked(&mut one.guard));
            }
            DefinitionKind::OperandType(ty) if names.contains(definition.name.text) => {
                ty.entries.iter_mut().for_each(|one| lacked(&mut one.guard));
            }
            _ => {}
        }
    }
}

/// The rest of a condition.
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

/// Simplifies a condition for a set of extensions.
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

/// Simplifies several conditions for a set; a condition that is `decisive` decides them all.
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
        _ => layer_mut(definition).into_iter().for_each(|layer| of_layer(layer, each)),
    }
}

fn layer_mut<'d, 's>(definition: &'d mut Definition<'s>) -> Option<&'d mut Layer<'s>> {
    match &mut definition.kind {
        DefinitionKind::Group(layer)
        | DefinitionKind::Optype(layer)
        | DefinitionKind::Opcode(layer)
        | DefinitionKind::Alias(layer) => Some(layer),
        _ => None,
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
