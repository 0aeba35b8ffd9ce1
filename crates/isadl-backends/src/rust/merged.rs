//! Merges types of the same name that differ by generation into one Rust type with the values of all of them.
//!
//! A value has a *code*: the bits of a field, where all generations with a value of these bits agree. Other values have
//! codes above all field values. Only enumerations and operand types are merged; other types that differ each have
//! their own Rust type.

use std::collections::{BTreeMap, BTreeSet};

use isadl_ir::isa::{
    Composite, Entry, Enumerator, Generations, Isa, Meaning, OpcodeId, OtherName, Part, RegFileId,
    Type, TypeId, TypeKind,
};

/// Widest operand type whose values are compared one by one, in bits.
const MAX_BITS: u32 = 16;

/// Widest enumeration, in bits.
const MAX_ENUMERATION_BITS: u32 = 32;

/// Several types that share a Rust type.
pub(super) struct MergedType {
    /// The type with codes in the place of field values.
    pub(super) ty: Type,
    pub(super) variants: Vec<Variant>,
}

/// The type of some generations.
pub(super) struct Variant {
    /// The types that have these values.
    pub(super) types: Vec<TypeId>,
    pub(super) generations: Generations,
    pub(super) width: u32,
    pub(super) runs: Vec<Run>,
}

/// Consecutive field values and their codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) raw: u64,
    pub(super) code: u64,
    pub(super) count: u64,
}

/// The types that share a Rust type.
#[derive(Default)]
pub(super) struct MergedTypes {
    /// The type that represents a merged type.
    pub(super) canonical: BTreeMap<TypeId, TypeId>,
    /// The merged types whose fields hold different bits in different generations.
    pub(super) merged: BTreeMap<TypeId, MergedType>,
    /// The merged types whose fields hold the same bits, but whose names differ between generations.
    pub(super) whole: BTreeMap<TypeId, Type>,
}

/// Finds the types that can share a Rust type among the types that the selected opcodes use.
pub(super) fn merged_types(isa: &Isa, selected: &[OpcodeId], used: &[TypeId]) -> MergedTypes {
    let composite = |id: &TypeId| match &isa.ty(*id).kind {
        TypeKind::Composite(composite) => Some(composite),
        _ => None,
    };
    let is_part = |id: &TypeId| {
        isa.types().iter().any(|ty| match &ty.kind {
            TypeKind::Composite(composite) => composite.parts.iter().any(|part| part.ty == *id),
            _ => false,
        })
    };
    let mut named: BTreeMap<&str, Vec<TypeId>> = BTreeMap::new();
    for id in used {
        named.entry(&isa.ty(*id).name).or_default().push(*id);
    }
    let mut types = MergedTypes::default();
    let several = || named.values().filter(|ids| ids.len() > 1);
    let is_composite = |ids: &&Vec<TypeId>| ids.iter().any(|id| composite(id).is_some());
    for ids in several().filter(|ids| !is_composite(ids)) {
        let Some(of_name) = merge(isa, selected, ids) else { continue };
        // Every value of a part's bits is a value of its type, in any generation.
        if of_name.variants.len() > 1 && ids.iter().any(is_part) {
            continue;
        }
        types.canonical.extend(ids.iter().map(|id| (*id, ids[0])));
        if of_name.variants.len() > 1 {
            types.merged.insert(ids[0], of_name);
        } else if of_name.ty != *isa.ty(ids[0]) {
            types.whole.insert(ids[0], of_name.ty);
        }
    }
    // Composites are merged if their parts are.
    for ids in several().filter(is_composite) {
        let composites: Option<Vec<Composite>> = ids
            .iter()
            .map(|id| Some(with_canonical_parts(composite(id)?, &types.canonical)))
            .collect();
        let widths_agree = ids.iter().all(|id| isa.ty(*id).width == isa.ty(ids[0]).width);
        let is_one = composites.is_some_and(|all| all.iter().all(|other| *other == all[0]));
        if is_one && widths_agree {
            types.canonical.extend(ids.iter().map(|id| (*id, ids[0])));
        }
    }
    types
}

/// The composite with parts of the canonical types.
fn with_canonical_parts(composite: &Composite, canonical: &BTreeMap<TypeId, TypeId>) -> Composite {
    let parts = composite.parts.iter().map(|part| {
        let ty = canonical.get(&part.ty).copied().unwrap_or(part.ty);
        Part { ty, ..part.clone() }
    });
    Composite { parts: parts.collect(), ..composite.clone() }
}

/// Merges the types of a name, if possible.
fn merge(isa: &Isa, selected: &[OpcodeId], ids: &[TypeId]) -> Option<MergedType> {
    let types: Vec<&Type> = ids.iter().map(|id| isa.ty(*id)).collect();
    if types[0].otherwise.is_some() {
        return with_others(isa, ids, &types);
    }
    let values: Option<Vec<Vec<Value>>> = types.iter().map(|ty| values(isa, ty)).collect();
    let values = match values {
        Some(values) => values,
        None => return numbers_alike(&types).then(|| alone(types[0], ids)),
    };
    let is_enumeration = |ty: &&Type| matches!(ty.kind, TypeKind::BitField(_));
    if types.iter().any(|ty| is_enumeration(ty) != is_enumeration(&types[0])) {
        return None;
    }
    let codes = codes(&values);
    let mut variants: Vec<Variant> = Vec::new();
    for ((id, ty), values) in ids.iter().zip(&types).zip(&values) {
        let generations = generations_of(isa, selected, *id);
        let runs = runs(values, &codes);
        match variants.iter_mut().find(|known| known.runs == runs && known.width == ty.width) {
            Some(known) => {
                known.types.push(*id);
                known.generations = known.generations.union(generations);
            }
            None => {
                variants.push(Variant { types: vec![*id], generations, width: ty.width, runs });
            }
        }
    }
    if variants.len() == 1 {
        return Some(alone(types[0], ids));
    }
    Some(MergedType { ty: union(isa, types[0], &values, &codes), variants })
}

/// Merges types with the same legal values whose values without a name have another syntax. The result has all names,
/// provided that each name has the same value in all types that have it.
fn with_others(isa: &Isa, ids: &[TypeId], types: &[&Type]) -> Option<MergedType> {
    let first = types[0];
    let is_alike = |ty: &&&Type| {
        let same = std::mem::discriminant(&ty.kind) == std::mem::discriminant(&first.kind);
        same && (ty.width, &ty.otherwise) == (first.width, &first.otherwise)
            && ty.reserved_values() == first.reserved_values()
    };
    if types.iter().filter(is_alike).count() < types.len() {
        return None;
    }
    let values: Option<Vec<Vec<Value>>> = types.iter().map(|ty| values(isa, ty)).collect();
    let values = values?;
    let mut codes: BTreeMap<&Key, u64> = BTreeMap::new();
    let mut keys: BTreeMap<u64, &Key> = BTreeMap::new();
    for value in values.iter().flatten() {
        let is_same = *codes.entry(&value.key).or_insert(value.raw) == value.raw
            && *keys.entry(value.raw).or_insert(&value.key) == &value.key;
        if !is_same {
            return None;
        }
    }
    let mut union = union(isa, first, &values, &codes);
    union.width = first.width;
    union.otherwise = first.otherwise.clone();
    Some(alone(&union, ids))
}

/// Types that differ only in their prose.
fn alone(ty: &Type, ids: &[TypeId]) -> MergedType {
    let variant = Variant {
        types: ids.to_vec(),
        generations: Generations::default(),
        width: ty.width,
        runs: Vec::new(),
    };
    MergedType { ty: ty.clone(), variants: vec![variant] }
}

/// Whether types of numbers or composites are the same but for prose.
fn numbers_alike(types: &[&Type]) -> bool {
    types.iter().all(|ty| ty.width == types[0].width && ty.kind == types[0].kind)
}

/// The generations in which some field has a type.
fn generations_of(isa: &Isa, selected: &[OpcodeId], ty: TypeId) -> Generations {
    let opcodes = selected.iter().map(|id| isa.opcode(*id));
    let opcodes = opcodes.filter(|opcode| opcode.fields.iter().any(|field| field.ty == ty));
    opcodes.fold(Generations::default(), |all, opcode| all.union(opcode.generations))
}

/// The meaning of a value; equal in all types that have the value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Enumerator(String),
    /// A register of a run, with the name of its file and its number before it is aligned.
    Register(String, String, u64),
    /// Any other meaning, by its syntax and its content.
    Other(String, Option<(String, u32)>),
}

/// A value of a type: its meaning, the field value, and its definition.
struct Value {
    key: Key,
    raw: u64,
    definition: Definition,
}

enum Definition {
    Enumerator(Enumerator),
    Entry(Entry),
}

/// The values of an enumeration or of an operand type that is not too wide.
fn values(isa: &Isa, ty: &Type) -> Option<Vec<Value>> {
    match &ty.kind {
        TypeKind::BitField(list) if ty.width <= MAX_ENUMERATION_BITS => {
            Some(list.iter().map(enumerator).collect())
        }
        TypeKind::Operand(entries) if ty.width <= MAX_BITS => {
            let positions = |entry: &Entry| -> Vec<Value> {
                (0..entry.count).map(|position| entry_value(isa, entry, position)).collect()
            };
            Some(entries.iter().flat_map(positions).collect())
        }
        _ => None,
    }
}

fn enumerator(value: &Enumerator) -> Value {
    Value {
        key: Key::Enumerator(value.name.clone()),
        raw: value.value,
        definition: Definition::Enumerator(value.clone()),
    }
}

/// One value of an entry, as an entry of its own.
fn entry_value(isa: &Isa, entry: &Entry, position: u64) -> Value {
    let name = entry.name_at(position);
    let file_name = |file: &RegFileId| isa.reg_files()[file.index()].name.clone();
    let (key, meaning) = match &entry.meaning {
        Meaning::Registers { file, prefix, first, align } => {
            let number = u64::from(*first) + position;
            let meaning = Meaning::Registers {
                file: *file,
                prefix: prefix.clone(),
                first: number as u32,
                align: *align,
            };
            let own = if *align > 1 { format!("{prefix}/{align}") } else { prefix.clone() };
            (Key::Register(file_name(file), own, number), meaning)
        }
        Meaning::Integers { first, step } => {
            let first = first + step * position as i64;
            (Key::Other(name, None), Meaning::Integers { first, step: *step })
        }
        Meaning::Register { file, number, .. } => {
            (Key::Other(name, Some((file_name(file), *number))), entry.meaning.clone())
        }
        Meaning::Constant { file, .. } => {
            (Key::Other(name, Some((file_name(file), u32::MAX))), entry.meaning.clone())
        }
        other => (Key::Other(name, None), other.clone()),
    };
    let raw = entry.value + position;
    let classes = entry.classes.clone();
    let also = entry.also.iter().map(|other| OtherName {
        first: other.first.map(|first| first + position as u32),
        ..other.clone()
    });
    let also = also.collect();
    let spelling = entry.spelling.clone();
    let entry = Entry { value: raw, count: 1, meaning, spelling, also, classes };
    let definition = Definition::Entry(entry);
    Value { key, raw, definition }
}

/// The code of each value: its bits where no type has another value of these bits, else a number above all bits.
fn codes(types: &[Vec<Value>]) -> BTreeMap<&Key, u64> {
    let mut keys: BTreeMap<u64, BTreeSet<&Key>> = BTreeMap::new();
    for value in types.iter().flatten() {
        keys.entry(value.raw).or_default().insert(&value.key);
    }
    let mut codes: BTreeMap<&Key, u64> = BTreeMap::new();
    for (raw, keys) in &keys {
        if let (Some(key), 1) = (keys.first(), keys.len()) {
            codes.entry(key).or_insert(*raw);
        }
    }
    let mut next = keys.last_key_value().map_or(0, |(raw, _)| raw + 1);
    // In the order of the first type that has them, so that runs stay runs.
    for value in types.iter().flatten() {
        codes.entry(&value.key).or_insert_with(|| {
            next += 1;
            next - 1
        });
    }
    codes
}

/// The field values of a type with their codes. If a value has several names, the first name comes first; the others
/// are at the end, where only a search for their code finds them.
fn runs(values: &[Value], codes: &BTreeMap<&Key, u64>) -> Vec<Run> {
    let mut pairs: BTreeMap<u64, u64> = BTreeMap::new();
    let mut others = Vec::new();
    for value in values {
        let code = codes[&value.key];
        if *pairs.entry(value.raw).or_insert(code) != code {
            others.push(Run { raw: value.raw, code, count: 1 });
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    for (raw, code) in pairs {
        match runs.last_mut() {
            Some(run) if run.raw + run.count == raw && run.code + run.count == code => {
                run.count += 1;
            }
            _ => runs.push(Run { raw, code, count: 1 }),
        }
    }
    runs.extend(others);
    runs
}

/// The type of all values, by their codes.
fn union(isa: &Isa, first: &Type, types: &[Vec<Value>], codes: &BTreeMap<&Key, u64>) -> Type {
    let mut by_code: BTreeMap<u64, &Definition> = BTreeMap::new();
    for value in types.iter().flatten() {
        by_code.entry(codes[&value.key]).or_insert(&value.definition);
    }
    let last = by_code.last_key_value().map_or(0, |(code, _)| *code);
    let width = (64 - last.leading_zeros()).max(1);
    let kind = match first.kind {
        TypeKind::BitField(_) => TypeKind::BitField(enumerators(&by_code)),
        _ => TypeKind::Operand(entries(isa, &by_code)),
    };
    Type::new(first.name.clone(), width, kind, first.description.clone())
}

fn enumerators(by_code: &BTreeMap<u64, &Definition>) -> Vec<Enumerator> {
    let list = by_code.iter().filter_map(|(code, definition)| match definition {
        Definition::Enumerator(value) => Some(Enumerator { value: *code, ..value.clone() }),
        Definition::Entry(_) => None,
    });
    list.collect()
}

/// Entries by code; consecutive entries are merged.
fn entries(isa: &Isa, by_code: &BTreeMap<u64, &Definition>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (code, definition) in by_code {
        let Definition::Entry(entry) = definition else { continue };
        let entry = Entry { value: *code, ..(*entry).clone() };
        match entries.last_mut() {
            Some(last) if last.value + last.count == entry.value && goes_on(isa, last, &entry) => {
                last.count += 1;
            }
            _ => entries.push(entry),
        }
    }
    entries
}

/// Whether an entry of a single value continues another entry.
fn goes_on(isa: &Isa, last: &Entry, next: &Entry) -> bool {
    let name = |file: &RegFileId| &isa.reg_files()[file.index()].name;
    let continues = |last_name: &OtherName, next_name: &OtherName| {
        let number = last_name.first.map(|first| u64::from(first) + last.count);
        last_name.text == next_name.text && number == next_name.first.map(u64::from)
    };
    let is_same = last.also.len() == next.also.len()
        && last.also.iter().zip(&next.also).all(|(last, next)| continues(last, next));
    if !is_same {
        return false;
    }
    match (&last.meaning, &next.meaning) {
        (
            Meaning::Registers { file, prefix, first, align },
            Meaning::Registers { file: next_file, prefix: next_prefix, first: next, align: other },
        ) => {
            (name(file), prefix, align) == (name(next_file), next_prefix, other)
                && u64::from(*first) + last.count == u64::from(*next)
        }
        (Meaning::Integers { first, step }, Meaning::Integers { first: next, step: other }) => {
            step == other && first + step * last.count as i64 == *next
        }
        _ => false,
    }
}
