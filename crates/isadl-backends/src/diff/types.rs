//! Differences of types: values by name and by number, notation, parts.

use std::collections::BTreeSet;

use isadl_ir::isa::{
    Binding, Composite, Entry, Enumerator, Immediate, Isa, Relocation, Type, TypeKind,
};

use super::kind::Kind;
use super::names::Names;
use super::places::Key;
use super::{Change, Pair};
use crate::wording::values;

/// A value of a type, or a run of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u64,
    pub(super) count: u64,
    name: String,
    meaning: String,
    classes: Vec<String>,
}

/// The values of an enumeration or operand type in order.
pub(super) fn runs(isa: &Isa, ty: &Type) -> Vec<Run> {
    let mut runs: Vec<Run> = match &ty.kind {
        TypeKind::BitField(list) => list
            .iter()
            .map(|value| Run {
                first: value.value,
                count: 1,
                name: value.name.clone(),
                meaning: String::new(),
                classes: Vec::new(),
            })
            .collect(),
        TypeKind::Operand(list) => list
            .iter()
            .map(|entry| Run {
                first: entry.value,
                count: entry.count,
                name: values::entry_names(entry),
                meaning: values::meaning(isa, entry),
                classes: entry.classes.clone(),
            })
            .collect(),
        TypeKind::Immediate(_) | TypeKind::Composite(_) => Vec::new(),
    };
    runs.sort_by_key(|run| run.first);
    runs
}

/// The name and the meaning of a value.
fn value(isa: &Isa, ty: &Type, raw: u64) -> Option<(String, String)> {
    match &ty.kind {
        TypeKind::BitField(_) => Some((ty.enumerator(raw)?.name.clone(), String::new())),
        TypeKind::Operand(_) => {
            let (entry, position) = ty.entry(raw)?;
            Some((entry.name_at(position), values::meaning(isa, entry)))
        }
        TypeKind::Immediate(_) | TypeKind::Composite(_) => None,
    }
}

/// The value that a name means.
pub(super) fn find(ty: &Type, name: &str) -> Option<u64> {
    match &ty.kind {
        TypeKind::BitField(list) => list.iter().find(|v| v.name == name).map(|v| v.value),
        _ => ty.entries().iter().find_map(|entry| entry.find(name)),
    }
}

/// The name of a value, or its number.
pub(super) fn named(isa: &Isa, ty: &Type, raw: u64) -> String {
    match value(isa, ty, raw) {
        Some((name, _)) => name,
        None => isa.value_text(ty, raw),
    }
}

/// The names that are read, but not printed, with the printed names.
fn other_names(ty: &Type) -> Vec<String> {
    match &ty.kind {
        TypeKind::BitField(list) => list
            .iter()
            .filter(|value| !value.also.is_empty())
            .map(|value| format!("`{}` also `{}`", value.name, value.also.join("`, `")))
            .collect(),
        _ => {
            let named = ty.entries().iter().filter(|entry| !entry.also.is_empty());
            let of_entry = |entry: &Entry| {
                let others: Vec<String> = entry.also.iter().map(|other| other.at(0)).collect();
                format!("`{}` also `{}`", entry.name_at(0), others.join("`, `"))
            };
            named.map(of_entry).collect()
        }
    }
}

/// Limit on runs of values that are reported one by one.
const MAX_RUNS: usize = 8;

/// The values of half-open ranges that are not in others; both are ascending.
fn without(ranges: &[(u64, u128)], others: &[(u64, u128)]) -> Vec<(u64, u128)> {
    let mut left = Vec::new();
    for (first, end) in ranges {
        let mut next = u128::from(*first);
        for (other, other_end) in others {
            let other = u128::from(*other);
            if *other_end <= next || other >= *end {
                continue;
            }
            if other > next {
                left.push((next as u64, other));
            }
            next = *other_end;
        }
        if next < *end {
            left.push((next as u64, *end));
        }
    }
    left
}

/// A name with its number.
fn equals(name: &str, raw: u64) -> String {
    format!("`{name}` = {}", values::number(raw))
}

/// The opcodes with a field of the type or of a composite that has a part of it.
fn users<'i>(isa: &'i Isa, name: &str) -> Vec<&'i str> {
    let is_it = |ty: &Type| ty.name == name;
    let has = |ty: &Type| match &ty.kind {
        TypeKind::Composite(composite) => composite.parts.iter().any(|p| is_it(isa.ty(p.ty))),
        _ => is_it(ty),
    };
    let uses = |ty: &Type| is_it(ty) || has(ty);
    let opcodes = isa.opcodes().iter();
    let users = opcodes.filter(|opcode| opcode.fields.iter().any(|f| uses(isa.ty(f.ty))));
    users.map(|opcode| opcode.name.as_str()).collect()
}

/// Whether a field may have any value of the type.
fn is_free(isa: &Isa, name: &str) -> bool {
    let fields = isa.opcodes().iter().flat_map(|opcode| &opcode.fields);
    let free = fields.filter(|field| !matches!(field.binding, Binding::Fixed(_)));
    free.map(|field| isa.ty(field.ty)).any(|ty| match &ty.kind {
        TypeKind::Composite(composite) => {
            composite.parts.iter().any(|part| isa.ty(part.ty).name == name)
        }
        _ => ty.name == name,
    })
}

/// A type in both versions.
struct Both<'b> {
    old: &'b Type,
    new: &'b Type,
    users: Vec<&'b str>,
    /// Whether a field may have any value of it, in each version.
    free: [bool; 2],
}

impl Both<'_> {
    fn type_keys(&self) -> (Key, Key) {
        (Key::Type(self.old.name.clone()), Key::Type(self.new.name.clone()))
    }
}

impl Pair<'_> {
    pub(super) fn types(&mut self, names: &Names) {
        let (olds, news) = (self.old.types(), self.new.types());
        for (old, new) in names.renamed_types() {
            let place = self.at(&Key::Type(old.to_string()), &Key::Type(new.to_string()));
            let change = Change(format!("`{old}`"), format!("`{new}`"));
            let users = users(self.new, new);
            self.add(Kind::TypeRenamed, format!("type `{old}`"), change, place, &users);
        }
        for old in olds {
            let name = names.of_type(&old.name);
            match news.iter().find(|new| new.name == name) {
                Some(new) => {
                    let free = [is_free(self.old, &old.name), is_free(self.new, name)];
                    self.ty(&Both { old, new, users: users(self.new, name), free });
                }
                None => {
                    let place = (self.places.0.get(&Key::Type(old.name.clone()), None), None);
                    let item = format!("type `{}`", old.name);
                    let none = Change(String::new(), String::new());
                    self.add(Kind::TypeRemoved, item, none, place, &[]);
                }
            }
        }
        let kept: BTreeSet<&str> = olds.iter().map(|old| names.of_type(&old.name)).collect();
        for new in news.iter().filter(|new| !kept.contains(new.name.as_str())) {
            let place = (None, self.places.1.get(&Key::Type(new.name.clone()), None));
            let none = Change(String::new(), String::new());
            let users = users(self.new, &new.name);
            self.add(Kind::TypeAdded, format!("type `{}`", new.name), none, place, &users);
        }
    }

    fn ty(&mut self, both: &Both<'_>) {
        match (&both.old.kind, &both.new.kind) {
            (TypeKind::BitField(_), TypeKind::BitField(_)) => {
                self.values(both);
                self.enumerators(both);
            }
            (TypeKind::Operand(_), TypeKind::Operand(_)) => self.values(both),
            (TypeKind::Immediate(old), TypeKind::Immediate(new)) => {
                self.excepted(both, (old, new));
                let say = |immediate: &Immediate| {
                    let number = values::format_name(immediate.number);
                    let scale = values::scale_name(immediate);
                    let scale = scale.map(|scale| format!("; the value is {scale}"));
                    let base = immediate.relative.map(|base| format!("; relative to `{base}`"));
                    number + &scale.unwrap_or_default() + &base.unwrap_or_default()
                };
                self.whole_type(both, Kind::Meaning, Change(say(old), say(new)));
                self.whole_type(
                    both,
                    Kind::Relocations,
                    Change(relocations(old), relocations(new)),
                );
                let print = |immediate: &Immediate| {
                    let print = values::print_name(immediate.print);
                    let digits = values::digits(immediate);
                    let print = [Some(print.to_string()), digits]
                        .into_iter()
                        .flatten()
                        .collect::<Vec<_>>()
                        .join(" ");
                    let read = if immediate.reads_either { ", read with either sign" } else { "" };
                    match immediate.prefix.as_str() {
                        "" => format!("{print}{read}"),
                        prefix => format!("{print}, after `{prefix}`{read}"),
                    }
                };
                let change = Change(print(old), print(new));
                self.whole_type(both, Kind::Notation, change);
            }
            (TypeKind::Composite(old), TypeKind::Composite(new)) => {
                self.parts(both, (old, new));
                self.whole_type(both, Kind::Notation, Change(format(old), format(new)));
            }
            (old, new) => self.whole_type(both, Kind::Meaning, Change(kind(old), kind(new))),
        }
        let names = |ty: &Type| other_names(ty).join(", ");
        self.whole_type(both, Kind::Spelling, Change(names(both.old), names(both.new)));
        let other = |isa: &Isa, ty: &Type| match &ty.otherwise {
            Some(other) => {
                format!("values without a name are written as `{}`", isa.ty(other.ty).name)
            }
            None => "values without a name are illegal".to_string(),
        };
        let change = Change(other(self.old, both.old), other(self.new, both.new));
        self.whole_type(both, Kind::Meaning, change);
        let width = |ty: &Type| format!("{} bits", ty.width);
        self.whole_type(both, Kind::Meaning, Change(width(both.old), width(both.new)));
    }

    /// Reports a change of the type as a whole, if there is a change.
    fn whole_type(&mut self, both: &Both<'_>, kind: Kind, change: Change) {
        if change.0 != change.1 {
            let (old, new) = both.type_keys();
            let place = self.at(&old, &new);
            self.add(kind, format!("type `{}`", both.new.name), change, place, &both.users);
        }
    }

    /// Reports a change of a value.
    fn of_value(&mut self, both: &Both<'_>, kind: Kind, item: &str, change: Change, raw: [u64; 2]) {
        let place = |isa: &Isa, ty: &Type, places: &super::Places, raw: u64| {
            let written = match &ty.kind {
                TypeKind::Operand(_) => ty.entry(raw).map(|(entry, _)| match &entry.meaning {
                    isadl_ir::isa::Meaning::Registers { prefix, .. } => prefix.clone(),
                    _ => values::entry_names(entry),
                }),
                TypeKind::Immediate(_) => return places.get(&Key::Type(ty.name.clone()), None),
                _ => value(isa, ty, raw).map(|(name, _)| name),
            };
            let key = Key::Value(ty.name.clone(), written?);
            places.get(&key, Some(raw)).or_else(|| places.get(&Key::Type(ty.name.clone()), None))
        };
        let old = place(self.old, both.old, self.places.0, raw[0]);
        let new = place(self.new, both.new, self.places.1, raw[1]);
        let item = format!("value `{item}` of type `{}`", both.new.name);
        self.add(kind, item, change, (old, new), &both.users);
    }

    /// Reports the values of a number that became reserved or legal. If there are many, only the first run is reported.
    fn excepted(&mut self, both: &Both<'_>, (old, new): (&Immediate, &Immediate)) {
        let removed = (Kind::ValueRemoved, without(&new.reserved_values, &old.reserved_values));
        let added = (Kind::ValueAdded, without(&old.reserved_values, &new.reserved_values));
        for (kind, runs) in [removed, added] {
            let (isa, ty) = match kind {
                Kind::ValueRemoved => (self.old, both.old),
                _ => (self.new, both.new),
            };
            let more = runs.len().saturating_sub(1);
            let is_summed = runs.len() > MAX_RUNS;
            for (first, end) in runs.into_iter().take(if is_summed { 1 } else { MAX_RUNS }) {
                let last = (end - 1) as u64;
                let text = |raw| isa.value_text(ty, raw);
                let (mut item, mut bits) = (text(first), values::number(first));
                if last > first {
                    item += &format!(" to {}", text(last));
                    bits += &format!(" to {}", values::number(last));
                }
                if is_summed {
                    item += &format!(", and {more} more");
                }
                let change = match kind {
                    Kind::ValueRemoved => Change(bits, String::new()),
                    _ => Change(String::new(), bits),
                };
                self.of_value(both, kind, &item, change, [first; 2]);
            }
        }
    }

    /// Compares the meanings of values, in runs that neither version divides.
    fn values(&mut self, both: &Both<'_>) {
        let all = [runs(self.old, both.old), runs(self.new, both.new)].concat();
        let bounds: BTreeSet<u128> = all
            .iter()
            .flat_map(|run| [run.first.into(), u128::from(run.first) + u128::from(run.count)])
            .collect();
        let bounds: Vec<u128> = bounds.into_iter().collect();
        for piece in bounds.windows(2) {
            // The last bound may be beyond 64 bits; no piece begins there.
            let (Ok(first), Ok(last)) = (u64::try_from(piece[0]), u64::try_from(piece[1] - 1))
            else {
                continue;
            };
            self.piece(both, first, last);
        }
    }

    fn piece(&mut self, both: &Both<'_>, first: u64, last: u64) {
        let old = value(self.old, both.old, first);
        let new = value(self.new, both.new, first);
        let end = |isa: &Isa, ty: &Type, name: &str| match value(isa, ty, last) {
            Some((end, _)) if last > first => format!("{name}..{end}"),
            _ => name.to_string(),
        };
        let numbers = match last - first {
            0 => values::number(first),
            _ => format!("{} to {}", values::number(first), values::number(last)),
        };
        match (old, new) {
            (None, None) => {}
            (Some((was, _)), None) => match find(both.new, &was) {
                Some(raw) => self.moved(both, (&was, &end(self.old, both.old, &was)), [first, raw]),
                None => {
                    let item = end(self.old, both.old, &was);
                    let change = Change(numbers, String::new());
                    let kind = if both.free[0] { Kind::ValueRemoved } else { Kind::NameRemoved };
                    self.of_value(both, kind, &item, change, [first; 2]);
                }
            },
            (None, Some((is, _))) => {
                if find(both.old, &is).is_none() {
                    let item = end(self.new, both.new, &is);
                    let change = Change(String::new(), numbers);
                    let kind = if both.free[1] { Kind::ValueAdded } else { Kind::NameAdded };
                    self.of_value(both, kind, &item, change, [first; 2]);
                }
            }
            (Some((was, meant)), Some((is, means))) if was == is => {
                self.written(both, &is, [first; 2]);
                let names = [end(self.old, both.old, &was), end(self.new, both.new, &is)];
                if meant != means {
                    let change = Change(meant, means);
                    self.of_value(both, Kind::Register, &names[1], change, [first; 2]);
                } else if names[0] != names[1] {
                    let [was, is] = names;
                    let change = Change(was.clone(), is);
                    self.of_value(both, Kind::Meaning, &was, change, [first; 2]);
                }
            }
            (Some((was, _)), Some((is, _))) => match (find(both.new, &was), find(both.old, &is)) {
                (Some(raw), _) => {
                    let names = end(self.old, both.old, &was);
                    self.moved(both, (&was, &names), [first, raw]);
                }
                (None, None) => self.renamed(both, (&was, &is), first),
                (None, Some(_)) => {
                    let change = Change(equals(&was, first), equals(&is, first));
                    self.of_value(both, Kind::Meaning, &numbers, change, [first; 2]);
                }
            },
        }
    }

    /// Reports that names have other values; `name` is the first of them.
    fn moved(&mut self, both: &Both<'_>, (name, names): (&str, &str), raw: [u64; 2]) {
        let change = Change(equals(name, raw[0]), equals(name, raw[1]));
        self.of_value(both, Kind::NameMoved, names, change, raw);
        self.written(both, name, raw);
    }

    /// Reports that a value of an operand type is written otherwise. The spellings of an enumeration are
    /// compared by themselves.
    fn written(&mut self, both: &Both<'_>, name: &str, raw: [u64; 2]) {
        let text = |ty: &Type, raw| ty.entry(raw).map(|(entry, position)| entry.text_at(position));
        if let (Some(was), Some(is)) = (text(both.old, raw[0]), text(both.new, raw[1]))
            && was != is
        {
            let change = Change(format!("`{was}`"), format!("`{is}`"));
            self.of_value(both, Kind::Spelling, name, change, raw);
        }
    }

    fn renamed(&mut self, both: &Both<'_>, (was, is): (&str, &str), raw: u64) {
        let change = Change(format!("`{was}`"), format!("`{is}`"));
        self.of_value(both, Kind::ValueRenamed, was, change, [raw; 2]);
        self.written(both, was, [raw; 2]);
    }

    /// Compares the other properties of enumeration values that both versions have.
    fn enumerators(&mut self, both: &Both<'_>) {
        let (TypeKind::BitField(olds), TypeKind::BitField(news)) = (&both.old.kind, &both.new.kind)
        else {
            return;
        };
        let is_first = |ty: &Type, value: &Enumerator| {
            ty.enumerator(value.value).is_some_and(|first| first.name == value.name)
        };
        let is_in = |list: &[Enumerator], name: &str| list.iter().any(|v| v.name == name);
        // The first name of a value is compared with the values.
        let further = |ty, list: &[Enumerator], other: &[Enumerator]| -> Vec<Enumerator> {
            let list = list.iter().filter(|v| !is_first(ty, v) && !is_in(other, &v.name));
            list.cloned().collect()
        };
        for old in further(both.old, olds, news) {
            let change = Change(equals(&old.name, old.value), String::new());
            self.of_value(both, Kind::NameRemoved, &old.name, change, [old.value; 2]);
        }
        for new in further(both.new, news, olds) {
            let change = Change(String::new(), equals(&new.name, new.value));
            self.of_value(both, Kind::NameAdded, &new.name, change, [new.value; 2]);
        }
        for old in olds {
            let named = news.iter().find(|new| new.name == old.name);
            let renamed = || {
                let new = both.new.enumerator(old.value)?;
                (is_first(both.old, old) && !is_in(olds, &new.name)).then_some(new)
            };
            let Some(new) = named.or_else(renamed) else { continue };
            let raw = [old.value, new.value];
            let written = |spelling: &str| match spelling {
                "" => "not written".to_string(),
                spelling => format!("`{spelling}`"),
            };
            if old.spelling != new.spelling {
                let change = Change(written(&old.spelling), written(&new.spelling));
                self.of_value(both, Kind::Spelling, &new.name, change, raw);
            }
            if old.format != new.format {
                let say = |format: Option<_>| format.map_or_else(String::new, values::format_name);
                let change = Change(say(old.format), say(new.format));
                self.of_value(both, Kind::Notation, &new.name, change, raw);
            }
            if old.doc != new.doc {
                let change = Change(old.doc.clone(), new.doc.clone());
                self.of_value(both, Kind::ValueProse, &new.name, change, raw);
            }
        }
    }

    fn parts(&mut self, both: &Both<'_>, (old, new): (&Composite, &Composite)) {
        let say = |isa: &Isa, composite: &Composite, name: &str| {
            let part = composite.parts.iter().find(|part| part.name == name)?;
            let ty = isa.ty(part.ty);
            Some(format!("bits {}, type `{}`", part.bits, ty.name))
        };
        let names: BTreeSet<&str> =
            old.parts.iter().chain(&new.parts).map(|part| part.name.as_str()).collect();
        for name in names {
            let (was, is) = (say(self.old, old, name), say(self.new, new, name));
            if was != is {
                let key = |ty: &Type| Key::Field(ty.name.clone(), name.to_string());
                let place = self.at(&key(both.old), &key(both.new));
                let item = format!("part `{name}` of type `{}`", both.new.name);
                let change = Change(was.unwrap_or_default(), is.unwrap_or_default());
                self.add(Kind::Meaning, item, change, place, &both.users);
            }
        }
    }
}

fn kind(kind: &TypeKind) -> String {
    let name = match kind {
        TypeKind::BitField(_) => "an enumeration",
        TypeKind::Operand(_) => "registers and constants",
        TypeKind::Immediate(_) => "a number",
        TypeKind::Composite(_) => "a composite",
    };
    name.to_string()
}

fn relocations(immediate: &Immediate) -> String {
    let one = |of: &Relocation| {
        let (written, gives) = values::relocation(of, immediate.relative.is_some());
        format!("{} `{written}` is {gives}", of.number)
    };
    immediate.relocations.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn format(composite: &Composite) -> String {
    format!("`{}`", composite.format_text())
}
