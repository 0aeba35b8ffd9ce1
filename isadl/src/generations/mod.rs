//! Generations: the syntax trees of each generation.
//!
//! A specification with guards is compiled once for each generation, from trees without the items that the generation
//! lacks. Later stages therefore need not know about guards.
//!
//! A layer exists in a generation if its guard admits it, its parents exist, and the values that it fixes exist. A
//! group or optype also needs an opcode there, unless it has none in any generation. A guard that depends on extensions
//! admits a generation if some set of extensions meets it there; lowering computes these sets. Codes: E1001, E1002,
//! E1003, E1004, E1007, E1011.

mod findings;
mod fixed;
mod values;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::ast::{
    Definition, DefinitionKind, Enumerator, File, Guard, GuardRange, Ident, Layer,
    OperandStatement, OperandStatementKind,
};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::extensions::{Names, too_many_cases};
use crate::isa::Generations;
use crate::source::{FileId, Span};
pub(crate) use findings::{drop_open, join};
pub(crate) use fixed::fixed;
use values::Values;

/// The trees of one generation, or of all generations if they do not differ.
pub(crate) struct Selection<'f, 's> {
    pub(crate) describes: Generations,
    pub(crate) files: Cow<'f, [File<'s>]>,
    /// The definitions that the generation lacks.
    absent: HashSet<Key<'s>>,
    /// The places that have no other definitions.
    empty: HashSet<Position>,
    /// The statements that the generation lacks, in order.
    without: Vec<Span>,
}

/// The position at which a definition begins.
type Position = (FileId, u32);

/// A definition: its position and its name, since definitions that are written together share a position.
type Key<'s> = (Position, &'s str);

/// The trees of each generation.
pub(crate) fn select<'f, 's>(
    files: &'f [File<'s>],
    diagnostics: &mut Diagnostics,
) -> Vec<Selection<'f, 's>> {
    let names = Names::of(files);
    let declared = names.generations.len();
    let has_guards = check_guards(files, &names, diagnostics);
    if declared > Generations::MAX {
        return vec![selection(files, &names, 0)];
    }
    // Without generations every guard is about extensions, or was reported.
    if !has_guards || declared == 0 {
        let describes = Generations::all(declared);
        let (absent, empty, without) = (HashSet::new(), HashSet::new(), Vec::new());
        return vec![Selection { describes, files: Cow::Borrowed(files), absent, empty, without }];
    }
    let selections: Vec<Selection<'f, 's>> =
        (0..declared).map(|index| selection(files, &names, index)).collect();
    check_presence(files, &selections, diagnostics);
    selections
}

fn definitions<'f, 's>(files: &'f [File<'s>]) -> impl Iterator<Item = &'f Definition<'s>> {
    files.iter().flat_map(|file| &file.definitions)
}

fn place(definition: &Definition<'_>) -> Position {
    (definition.header.file, definition.header.start)
}

fn key<'s>(definition: &Definition<'s>) -> Key<'s> {
    (place(definition), definition.name.text)
}

fn layer<'d, 's>(definition: &'d Definition<'s>) -> Option<&'d Layer<'s>> {
    match &definition.kind {
        DefinitionKind::Group(layer)
        | DefinitionKind::Optype(layer)
        | DefinitionKind::Opcode(layer)
        | DefinitionKind::Alias(layer) => Some(layer),
        _ => None,
    }
}

// ---- guards -------------------------------------------------------------------------------

/// A guard and the name that it is attached to.
struct Guarded<'d, 's> {
    guard: &'d Guard<'s>,
    /// The guarded item.
    item: Span,
    /// Whether it may depend on extensions.
    may_extend: bool,
}

/// The guards within a definition.
fn guards<'d, 's>(definition: &'d Definition<'s>) -> Vec<Guarded<'d, 's>> {
    fn given<'d, 's>(
        found: &mut Vec<Guarded<'d, 's>>,
        may_extend: bool,
        all: impl Iterator<Item = (&'d Option<Box<Guard<'s>>>, Span)>,
    ) {
        found.extend(all.filter_map(|(guard, item)| {
            let guard = guard.as_deref()?;
            Some(Guarded { guard, item, may_extend })
        }));
    }
    let mut found = Vec::new();
    let may_extend = layer(definition).is_some();
    given(&mut found, may_extend, [(&definition.guard, definition.header)].into_iter());
    match &definition.kind {
        DefinitionKind::Isa(isa) => {
            given(&mut found, true, isa.elf.iter().map(|fact| (&fact.guard, fact.span)));
        }
        DefinitionKind::BitFieldType(ty) => {
            let all = ty.enumerators.iter().enumerate();
            let all = all.map(|(at, e)| (&e.guard, value_span(&ty.enumerators, at)));
            given(&mut found, true, all);
            given(&mut found, false, ty.others.iter().map(|i| (&i.guard, i.name.span)));
        }
        DefinitionKind::OperandType(ty) => {
            given(&mut found, true, ty.entries.iter().map(|entry| (&entry.guard, entry.span)));
            given(&mut found, false, ty.includes.iter().map(|i| (&i.guard, i.name.span)));
            given(&mut found, false, ty.others.iter().map(|i| (&i.guard, i.name.span)));
        }
        DefinitionKind::Environment(of) => {
            given(&mut found, false, of.statements.iter().map(|one| (&one.guard, one.span)));
        }
        _ => {}
    }
    if let Some(layer) = layer(definition) {
        given(&mut found, false, layer.fields.iter().map(|field| (&field.guard, field.span)));
        given(&mut found, false, layer.reserved.iter().map(|bits| (&bits.guard, bits.span)));
        given(&mut found, false, layer.unstated.iter().map(|u| (&u.guard, u.span)));
        given(&mut found, false, layer.matches.iter().map(|m| (&m.guard, m.span)));
        given(&mut found, false, layer.fixes.iter().map(|fix| (&fix.guard, fix.span)));
        let is_short = |statement: &&OperandStatement<'s>| {
            matches!(statement.kind, OperandStatementKind::Short { .. })
        };
        let statements = || layer.operand_info.iter();
        let shorts = statements().filter(is_short);
        given(&mut found, true, shorts.map(|s| (&s.guard, s.span)));
        let others = statements().filter(|statement| !is_short(statement));
        given(&mut found, false, others.map(|s| (&s.guard, s.span)));
        given(&mut found, true, layer.rules.iter().map(|rule| (&rule.guard, rule.span)));
    }
    found
}

/// The place of a value of a bit-field type: with its name, unless the name has several values.
fn value_span(all: &[Enumerator<'_>], at: usize) -> Span {
    let Enumerator { name, value, .. } = &all[at];
    let Some(value) = value else { return name.span };
    let mut next = [at.checked_sub(1), at.checked_add(1)].into_iter().flatten();
    match next.any(|next| all.get(next).is_some_and(|next| next.name.span == name.span)) {
        true => value.span,
        false => name.span.to(value.span),
    }
}

/// Reports guards with unknown names or empty ranges, and guards that must not depend on extensions but do. Returns
/// whether generations differ.
fn check_guards(files: &[File<'_>], names: &Names<'_>, diagnostics: &mut Diagnostics) -> bool {
    let mut has_guards = false;
    if let Some(name) = names.generations.get(Generations::MAX) {
        let message = format!("more than {} generations", Generations::MAX);
        diagnostics.push(Diagnostic::new(Code::E1004, message, name.span));
    }
    let all = definitions(files).flat_map(|definition| {
        let is_type = layer(definition).is_none();
        guards(definition).into_iter().map(move |one| (is_type, one))
    });
    for (is_value, Guarded { guard, may_extend, .. }) in all {
        let ranges = guard.condition.ranges();
        let extension = ranges.iter().find(|range| names.extension_of(range).is_some());
        has_guards |= ranges.iter().any(|range| names.extension_of(range).is_none());
        if let Some(range) = extension.filter(|_| !may_extend) {
            diagnostics.push(by_extension(range));
            continue;
        }
        let mut is_whole = true;
        for range in ranges.iter().filter(|range| names.extension_of(range).is_none()) {
            is_whole &= check_range(range, names, diagnostics);
        }
        let index = 0..names.generations.len().max(1);
        let is_large = |at: usize| match names.presence(&guard.condition, at) {
            // Which sets lack a value is asked for too.
            Some(presence) => is_value && presence.not().is_none(),
            None => true,
        };
        if is_whole && index.clone().any(is_large) {
            diagnostics.push(too_many_cases(guard.span));
        }
    }
    has_guards
}

/// Reports unknown names and empty ranges. Returns whether there are none.
fn check_range(range: &GuardRange<'_>, names: &Names<'_>, diagnostics: &mut Diagnostics) -> bool {
    let mut unknown: Vec<Ident<'_>> = [range.first, range.last]
        .into_iter()
        .flatten()
        .filter(|end| names.generation(end.text).is_none())
        .collect();
    unknown.dedup_by_key(|name| name.span);
    for name in &unknown {
        diagnostics.push(no_generation(*name, names));
    }
    let end = |name: Option<Ident<'_>>| name.and_then(|name| names.generation(name.text));
    if let (Some(first), Some(last)) = (end(range.first), end(range.last))
        && last < first
    {
        let names = names.generations.iter().map(|name| name.text).collect::<Vec<_>>().join(", ");
        diagnostics.push(
            Diagnostic::new(Code::E1002, "empty range of generations", range.span)
                .with_label("the last generation is older than the first")
                .with_note(format!("the generations, oldest first, are {names}")),
        );
        return false;
    }
    unknown.is_empty()
}

fn by_extension(range: &GuardRange<'_>) -> Diagnostic {
    Diagnostic::new(Code::E1007, "this cannot differ by extension", range.span)
        .with_note("definitions of opcodes and their parents, aliases, values of types, rules and `Short` may depend on extensions; everything else on generations only")
        .with_help("write an opcode for each case, and guard these")
}

fn no_generation(name: Ident<'_>, names: &Names<'_>) -> Diagnostic {
    let known: Vec<&str> = names.generations.iter().map(|name| name.text).collect();
    if let Some(extension) = names.extension(name.text).map(|at| names.extensions[at]) {
        let message = format!("`{}` is an extension, not a generation", name.text);
        return Diagnostic::new(Code::E1001, message, name.span)
            .with_related(extension.span, "declared here")
            .with_help("only generations have an order; join extensions by `and` and `or`");
    }
    let is_plain = names.extensions.is_empty();
    let what = if is_plain { "a generation" } else { "a generation or extension" };
    let message = format!("`{}` is not {what}", name.text);
    let diagnostic = Diagnostic::new(Code::E1001, message, name.span);
    if known.is_empty() && is_plain {
        return diagnostic.with_help("declare it below `__DefIsa`: `Generations<A, B>;`");
    }
    let extensions: Vec<&str> = names.extensions.iter().map(|name| name.text).collect();
    let mut diagnostic = diagnostic;
    for (what, list) in [("generations", &known), ("extensions", &extensions)] {
        if !list.is_empty() {
            diagnostic = diagnostic.with_note(format!("the {what} are {}", list.join(", ")));
        }
    }
    diagnostic.with_suggestion(name.text, known.into_iter().chain(extensions))
}

// ---- one generation -----------------------------------------------------------------------

fn selection<'f, 's>(files: &'f [File<'s>], names: &Names<'s>, index: usize) -> Selection<'f, 's> {
    let admits = |guard: Option<&Guard<'s>>| guard.is_none_or(|guard| holds(guard, names, index));
    let mut absent: HashSet<Key<'s>> = definitions(files)
        .filter(|definition| !admits(definition.guard.as_deref()))
        .map(key)
        .collect();
    absent_layers(files, &admits, &mut absent);
    unused_layers(files, &mut absent);
    let without = definitions(files).flat_map(guards);
    let without = without.filter(|one| !admits(Some(one.guard))).map(|one| one.item);
    let mut without: Vec<Span> = without.collect();
    without.sort_unstable_by_key(|span| (span.file, span.start));
    let files = all_kept(files, &admits, &absent);
    let describes = Generations::one(index);
    let present: HashSet<Position> =
        files.iter().flat_map(|file| &file.definitions).map(place).collect();
    let empty = absent.iter().map(|(place, _)| *place).filter(|p| !present.contains(p)).collect();
    Selection { describes, files: Cow::Owned(files), absent, empty, without }
}

/// Whether a guard admits a generation, with some extensions.
fn holds(guard: &Guard<'_>, names: &Names<'_>, index: usize) -> bool {
    guard.is_lacked()
        || names.presence(&guard.condition, index).is_none_or(|presence| !presence.is_never())
}

/// The files without the items that the generation does not have.
fn all_kept<'s>(
    files: &[File<'s>],
    admits: &impl Fn(Option<&Guard<'s>>) -> bool,
    absent: &HashSet<Key<'s>>,
) -> Vec<File<'s>> {
    let lost = lost(files, absent);
    files.iter().map(|file| kept(file, admits, (absent, &lost))).collect()
}

fn kept<'s>(
    file: &File<'s>,
    admits: &impl Fn(Option<&Guard<'s>>) -> bool,
    (absent, lost): (&HashSet<Key<'s>>, &HashSet<&'s str>),
) -> File<'s> {
    let present = file.definitions.iter().filter(|d| !absent.contains(&key(d)));
    let mut definitions: Vec<Definition<'s>> = present.cloned().collect();
    for definition in &mut definitions {
        if let DefinitionKind::Alias(layer) = &mut definition.kind {
            layer.parents.retain(|parent| !lost.contains(parent.text));
        }
        match &mut definition.kind {
            DefinitionKind::Isa(isa) => isa.elf.retain(|fact| admits(fact.guard.as_deref())),
            DefinitionKind::BitFieldType(ty) => {
                ty.enumerators.retain(|enumerator| admits(enumerator.guard.as_deref()));
                ty.others.retain(|other| admits(other.guard.as_deref()));
            }
            DefinitionKind::OperandType(ty) => {
                ty.entries.retain(|entry| admits(entry.guard.as_deref()));
                ty.includes.retain(|include| admits(include.guard.as_deref()));
                ty.others.retain(|other| admits(other.guard.as_deref()));
            }
            DefinitionKind::Environment(of) => {
                of.statements.retain(|statement| admits(statement.guard.as_deref()));
            }
            DefinitionKind::Group(layer)
            | DefinitionKind::Optype(layer)
            | DefinitionKind::Opcode(layer)
            | DefinitionKind::Alias(layer) => {
                layer.fields.retain(|field| admits(field.guard.as_deref()));
                layer.reserved.retain(|bits| admits(bits.guard.as_deref()));
                layer.unstated.retain(|unstated| admits(unstated.guard.as_deref()));
                layer.matches.retain(|m| admits(m.guard.as_deref()));
                layer.fixes.retain(|fix| admits(fix.guard.as_deref()));
                layer.operand_info.retain(|statement| admits(statement.guard.as_deref()));
                layer.rules.retain(|rule| admits(rule.guard.as_deref()));
            }
            _ => {}
        }
    }
    File { id: file.id, definitions, broken: file.broken.clone() }
}

/// Adds the layers whose parents, or whose fixed values, do not all exist, until none is found.
fn absent_layers<'s>(
    files: &[File<'s>],
    admits: &impl Fn(Option<&Guard<'s>>) -> bool,
    absent: &mut HashSet<Key<'s>>,
) {
    let layers: Vec<(&Definition<'s>, &Layer<'s>)> =
        definitions(files).filter_map(|d| Some((d, layer(d)?))).collect();
    let values = Values::of(files, &layers, admits);
    loop {
        let mut known: HashMap<&str, bool> = HashMap::new();
        for (definition, _) in &layers {
            *known.entry(definition.name.text).or_default() |= !absent.contains(&key(definition));
        }
        let lacks = |definition: &Definition<'s>, layer: &Layer<'s>| {
            let mut parents = layer.parents.iter().map(|one| known.get(one.text) == Some(&false));
            let lacks_parent = match definition.kind {
                // An alias exists if any of its opcodes does.
                DefinitionKind::Alias(_) => parents.all(|lacks| lacks) && !layer.parents.is_empty(),
                _ => parents.any(|lacks| lacks),
            };
            lacks_parent || values.is_lacking((definition, layer), absent)
        };
        let found: Vec<Key<'s>> = layers
            .iter()
            .filter(|(definition, layer)| {
                !absent.contains(&key(definition)) && lacks(definition, layer)
            })
            .map(|(definition, _)| key(definition))
            .collect();
        if found.is_empty() {
            return;
        }
        absent.extend(found);
    }
}

/// Adds the groups and optypes that have opcodes only in other generations: their statements on fields of such opcodes
/// do not apply here.
fn unused_layers<'s>(files: &[File<'s>], absent: &mut HashSet<Key<'s>>) {
    let ever = with_opcodes(files, &HashSet::new());
    let now = with_opcodes(files, absent);
    let has_no_opcodes = |definition: &&Definition<'s>| {
        let is_parent =
            matches!(definition.kind, DefinitionKind::Group(_) | DefinitionKind::Optype(_));
        let name = definition.name.text;
        is_parent && ever.contains(name) && !now.contains(name)
    };
    absent.extend(definitions(files).filter(has_no_opcodes).map(key));
    let lost = lost(files, absent);
    let is_of_nothing = |definition: &&Definition<'s>| match &definition.kind {
        DefinitionKind::Alias(layer) => {
            let mut parents = layer.parents.iter();
            !layer.parents.is_empty() && parents.all(|parent| lost.contains(parent.text))
        }
        _ => false,
    };
    absent.extend(definitions(files).filter(is_of_nothing).map(key));
}

/// The names of layers whose definitions are all absent.
fn lost<'s>(files: &[File<'s>], absent: &HashSet<Key<'s>>) -> HashSet<&'s str> {
    let layers = || definitions(files).filter(|definition| layer(definition).is_some());
    let present = layers().filter(|definition| !absent.contains(&key(definition)));
    let present: HashSet<&str> = present.map(|definition| definition.name.text).collect();
    layers().map(|definition| definition.name.text).filter(|name| !present.contains(name)).collect()
}

/// The names of the layers that have opcodes if some definitions are absent.
fn with_opcodes<'s>(files: &[File<'s>], absent: &HashSet<Key<'s>>) -> HashSet<&'s str> {
    let present = definitions(files).filter(|definition| !absent.contains(&key(definition)));
    let mut parents: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut open: Vec<&str> = Vec::new();
    for definition in present {
        let Some(layer) = layer(definition) else { continue };
        let names = layer.parents.iter().map(|parent| parent.text);
        match definition.kind {
            DefinitionKind::Opcode(_) => open.extend(names),
            _ => parents.entry(definition.name.text).or_default().extend(names),
        }
    }
    let mut found = HashSet::new();
    while let Some(name) = open.pop() {
        if found.insert(name) {
            open.extend(parents.get(name).into_iter().flatten());
        }
    }
    found
}

/// Reports opcodes that do not exist in any generation, and generations without opcodes.
fn check_presence(
    files: &[File<'_>],
    selections: &[Selection<'_, '_>],
    diagnostics: &mut Diagnostics,
) {
    let opcodes = || definitions(files).filter(|d| matches!(d.kind, DefinitionKind::Opcode(_)));
    let is_empty = |selection: &Selection<'_, '_>| {
        opcodes().all(|definition| selection.absent.contains(&key(definition)))
    };
    let lacking: Vec<bool> = selections.iter().map(is_empty).collect();
    // If all of them lack opcodes, none is wrong by itself.
    let is_odd = lacking.contains(&false);
    let names =
        Names::of(files).generations.into_iter().zip(lacking).filter(|(_, lacks)| is_odd && *lacks);
    for (name, _) in names {
        let message = format!("generation `{}` does not have opcodes", name.text);
        diagnostics.push(
            Diagnostic::new(Code::W1005, message, name.span)
                .with_note(
                    "no definition of an opcode is for this generation, though others have some",
                )
                .with_help(
                    "widen the guards of opcodes or of their parents, or remove the generation",
                ),
        );
    }
    for definition in definitions(files) {
        let is_opcode = matches!(definition.kind, DefinitionKind::Opcode(_));
        if !is_opcode || selections.iter().any(|s| !s.absent.contains(&key(definition))) {
            continue;
        }
        let message = format!("opcode `{}` does not exist in any generation", definition.name.text);
        diagnostics.push(
            Diagnostic::new(Code::E1003, message, definition.header)
                .with_note("a definition exists in a generation if its guard admits the generation, and its parents and the values that it fixes exist there")
                .with_help("widen a guard, or remove the opcode"),
        );
    }
}
