//! Differences of opcodes: which there are, their names, numbers and places in the specification.

use std::collections::BTreeMap;

use isadl_ir::isa::{Isa, Opcode, OpcodeId};

use super::kind::Kind;
use super::names::Names;
use super::places::{Key, SourceLine};
use super::{Change, Pair, layout};

/// The layers of an opcode, the nearest first.
pub(super) fn layers<'i>(isa: &'i Isa, opcode: &'i Opcode) -> impl Iterator<Item = &'i str> {
    let optypes = opcode.optypes.iter().map(|id| isa.optypes()[id.index()].name.as_str());
    let groups = opcode.groups.iter().rev().map(|id| isa.groups()[id.index()].name.as_str());
    [opcode.name.as_str()].into_iter().chain(optypes).chain(groups)
}

/// An opcode in both versions.
pub(super) struct Forms<'f> {
    pub(super) was: &'f Opcode,
    pub(super) is: &'f Opcode,
    /// The fields with other names.
    fields: BTreeMap<String, String>,
}

impl Forms<'_> {
    /// The name that an old field has in the new version.
    pub(super) fn new_name<'n>(&'n self, old: &'n str) -> &'n str {
        self.fields.get(old).map_or(old, String::as_str)
    }

    /// An old text with the new names of fields.
    pub(super) fn renamed(&self, text: &str) -> String {
        if self.fields.is_empty() {
            return text.to_string();
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let mut renamed = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            let (before, from) = rest.split_at(start);
            let (word, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
            renamed += before;
            renamed += self.new_name(word);
            rest = after;
        }
        renamed + rest
    }

    /// Where the opcode is defined.
    pub(super) fn place(&self, pair: &Pair<'_>) -> (Option<SourceLine>, Option<SourceLine>) {
        pair.at(&Key::Layer(self.was.name.clone()), &Key::Layer(self.is.name.clone()))
    }
}

/// The length and the fixed bits in words.
fn encoding(isa: &Isa, opcode: &Opcode) -> String {
    let fixed = opcode.fields.iter().filter_map(|field| match field.binding {
        isadl_ir::isa::Binding::Fixed(raw) => {
            let value = super::types::named(isa, isa.ty(field.ty), raw);
            Some(format!("{} = `{value}`", isa.name_of(field.name)))
        }
        _ => None,
    });
    let fixed: Vec<String> = fixed.collect();
    let digits = opcode.width as usize / 4;
    format!(
        "{} bits with {}; 0x{:0digits$x} of 0x{:0digits$x}",
        opcode.width,
        if fixed.is_empty() { "nothing fixed".to_string() } else { fixed.join(", ") },
        isa.numbering(opcode).number(opcode.value),
        isa.numbering(opcode).number(opcode.mask)
    )
}

impl Pair<'_> {
    pub(super) fn opcodes(&mut self, names: &Names) {
        let (old, new) = (self.old, self.new);
        for id in &names.removed {
            let opcode = old.opcode(*id);
            let place = (self.places.0.get(&Key::Layer(opcode.name.clone()), None), None);
            let change = Change(encoding(old, opcode), String::new());
            self.add(Kind::OpcodeRemoved, item(opcode), change, place, &[&opcode.name]);
        }
        for id in &names.added {
            self.added(*id, names);
        }
        let groups = new_layers(names, (old, new), &groups);
        let optypes = new_layers(names, (old, new), &optypes);
        for (was, is) in &names.opcodes {
            let (was, is) = (old.opcode(*was), new.opcode(*is));
            let fields = layout::renamed((old, was), (new, is), names);
            let forms = Forms { was, is, fields };
            self.identity(&forms);
            self.membership(&forms, (&optypes, &groups));
            self.layout(&forms, names);
            self.rules(&forms);
            self.syntax(&forms);
            self.aliases(&forms);
            self.flow(&forms);
            self.semantics(&forms);
        }
        for (kind, layers) in [("operation", &optypes), ("group", &groups)] {
            for (was, is) in layers.iter().filter(|(was, is)| was != is) {
                let place = self.at(&Key::Layer(was.clone()), &Key::Layer(is.clone()));
                let change = Change(format!("`{was}`"), format!("`{is}`"));
                self.add(Kind::Membership, format!("{kind} `{was}`"), change, place, &[]);
            }
        }
    }

    fn added(&mut self, id: OpcodeId, names: &Names) {
        let opcode = self.new.opcode(id);
        let place = (None, self.places.1.get(&Key::Layer(opcode.name.clone()), None));
        let change = Change(String::new(), encoding(self.new, opcode));
        self.add(Kind::OpcodeAdded, item(opcode), change, place.clone(), &[&opcode.name]);
        // It takes precedence over opcodes that fix fewer bits.
        let known = names.opcodes.iter().map(|(was, _)| self.old.opcode(*was));
        let taken: Vec<&Opcode> = known
            .filter(|old| {
                (old.value ^ opcode.value) & old.mask & opcode.mask == 0
                    && old.mask & !opcode.mask == 0
                    && old.mask != opcode.mask
                    && old.has_literal() == opcode.has_literal()
            })
            .collect();
        for old in taken {
            let change = Change(format!("`{}`", old.name), format!("`{}`", opcode.name));
            let old = (self.places.0.get(&Key::Layer(old.name.clone()), None), place.1.clone());
            self.add(Kind::WordsTaken, item(opcode), change, old, &[&opcode.name]);
        }
    }

    fn identity(&mut self, forms: &Forms<'_>) {
        let (was, is) = (forms.was, forms.is);
        if was.name != is.name {
            let change = Change(format!("`{}`", was.name), format!("`{}`", is.name));
            self.add(Kind::OpcodeRenamed, item(was), change, forms.place(self), &[&is.name]);
        }
        let [old, new] = [(self.old, was), (self.new, is)].map(|(isa, opcode)| {
            match opcode.requires.is_always() {
                true => "nothing".to_string(),
                false => format!("`{}`", isa.extensions().condition(&opcode.requires)),
            }
        });
        if old != new {
            let change = Change(old, new);
            self.add(Kind::Requires, item(is), change, forms.place(self), &[&is.name]);
        }
        if was.number != is.number {
            let change = Change(was.number.to_string(), is.number.to_string());
            let keys = [Key::Number(was.name.clone()), Key::Number(is.name.clone())];
            let (old, new) = self.at(&keys[0], &keys[1]);
            let defined = forms.place(self);
            let place = (old.or(defined.0), new.or(defined.1));
            self.add(Kind::OpcodeNumber, item(is), change, place, &[&is.name]);
        }
    }

    fn membership(&mut self, forms: &Forms<'_>, (types, all): (&Layers, &Layers)) {
        let old = |list: Vec<&str>, layers: &Layers| -> Vec<String> {
            let new = |name: &&str| layers.get(*name).map_or(*name, String::as_str).to_string();
            list.iter().map(new).collect()
        };
        let say = |optypes: &[String], groups: &[String]| {
            format!("{} in {}", optypes.join(", "), groups.join(", "))
        };
        let (was, is) = (forms.was, forms.is);
        let owned = |list: Vec<&str>| list.into_iter().map(str::to_string).collect::<Vec<_>>();
        let before = say(&old(optypes(self.old, was), types), &old(groups(self.old, was), all));
        let after = say(&owned(optypes(self.new, is)), &owned(groups(self.new, is)));
        if before != after {
            let place = forms.place(self);
            self.add(Kind::Membership, item(is), Change(before, after), place, &[&is.name]);
        }
    }
}

fn item(opcode: &Opcode) -> String {
    match opcode.has_literal() {
        true => format!("opcode `{}` with a literal", opcode.name),
        false => format!("opcode `{}`", opcode.name),
    }
}

fn optypes<'i>(isa: &'i Isa, opcode: &Opcode) -> Vec<&'i str> {
    opcode.optypes.iter().map(|id| isa.optypes()[id.index()].name.as_str()).collect()
}

fn groups<'i>(isa: &'i Isa, opcode: &Opcode) -> Vec<&'i str> {
    opcode.groups.iter().map(|id| isa.groups()[id.index()].name.as_str()).collect()
}

/// The new names of renamed layers.
type Layers = BTreeMap<String, String>;

/// Finds layers that only one version has but that have the same opcodes.
fn new_layers(
    names: &Names,
    (old, new): (&Isa, &Isa),
    of: &dyn for<'i> Fn(&'i Isa, &Opcode) -> Vec<&'i str>,
) -> Layers {
    let mut members: [BTreeMap<&str, Vec<usize>>; 2] = [BTreeMap::new(), BTreeMap::new()];
    for (index, (was, is)) in names.opcodes.iter().enumerate() {
        of(old, old.opcode(*was))
            .iter()
            .for_each(|name| members[0].entry(name).or_default().push(index));
        of(new, new.opcode(*is))
            .iter()
            .for_each(|name| members[1].entry(name).or_default().push(index));
    }
    let [olds, news] = members;
    let mut left: Vec<(&str, &Vec<usize>)> =
        news.iter().filter(|(name, _)| !olds.contains_key(*name)).map(|(n, m)| (*n, m)).collect();
    let mut found = Layers::new();
    for (name, members) in olds.iter().filter(|(name, _)| !news.contains_key(*name)) {
        if let Some(at) = left.iter().position(|(_, other)| *other == members) {
            found.insert((*name).to_string(), left.remove(at).0.to_string());
        }
    }
    found
}
