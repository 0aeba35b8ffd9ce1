//! Differences of the bits of an opcode: its length, fields, fixed values and reserved bits.

use std::collections::BTreeMap;

use isadl_ir::isa::{Binding, Field, FieldRole, Isa, Numbering, Opcode, Origin, Run, low_bits};

use super::kind::Kind;
use super::names::Names;
use super::opcodes::Forms;
use super::places::{Key, Places, SourceLine};
use super::types;
use super::{Change, Pair};

/// Set bits as ranges.
fn ranges(numbering: Numbering, mask: u128) -> String {
    let mut ranges: Vec<String> = Vec::new();
    let mut bit = 0;
    while bit < 128 {
        let width = (!(mask >> bit)).trailing_zeros().min(128 - bit);
        if width > 0 {
            ranges.push(numbering.run(Run { lsb: bit, width }));
        }
        bit += width.max(1);
    }
    ranges.reverse();
    ranges.join(", ")
}

/// New names of an old opcode's fields, for renamed fields.
pub(super) fn renamed(
    (old, was): (&Isa, &Opcode),
    (new, is): (&Isa, &Opcode),
    names: &Names,
) -> BTreeMap<String, String> {
    let has = |isa: &Isa, opcode: &Opcode, name: &str| {
        opcode.fields.iter().any(|field| isa.name_of(field.name) == name)
    };
    let mut left: Vec<&Field> =
        is.fields.iter().filter(|field| !has(old, was, new.name_of(field.name))).collect();
    let mut renamed = BTreeMap::new();
    for field in was.fields.iter().filter(|field| !has(new, is, old.name_of(field.name))) {
        let is_alike = |other: &&Field| {
            old.numbering(was).relative(&field.bits) == new.numbering(is).relative(&other.bits)
                && new.ty(other.ty).name == names.of_type(&old.ty(field.ty).name)
        };
        if let Some(at) = left.iter().position(is_alike) {
            let other = left.remove(at);
            let names = (old.name_of(field.name), new.name_of(other.name));
            renamed.insert(names.0.to_string(), names.1.to_string());
        }
    }
    renamed
}

/// The line that declares a field, or fixes its value.
fn place(isa: &Isa, opcode: &Opcode, field: &Field, places: &Places) -> Option<SourceLine> {
    let layer = match field.origin {
        Origin::Group(id) => &isa.groups()[id.index()].name,
        Origin::Optype(id) => &isa.optypes()[id.index()].name,
        Origin::Opcode => &opcode.name,
    };
    let name = isa.name_of(field.name).to_string();
    places.get(
        &Key::Field(layer.clone(), name),
        Some(u64::from(isa.numbering(opcode).low(&field.bits))),
    )
}

/// The line that gives a field its value: the nearest layer that mentions it.
fn binding_place(isa: &Isa, opcode: &Opcode, field: &Field, places: &Places) -> Option<SourceLine> {
    let name = isa.name_of(field.name);
    let layers = super::opcodes::layers(isa, opcode);
    let keys = layers.map(|layer| Key::Field(layer.to_string(), name.to_string()));
    places.first(keys).or_else(|| place(isa, opcode, field, places))
}

fn role(isa: &Isa, field: &Field) -> String {
    match field.role {
        FieldRole::Operand => "an operand".to_string(),
        FieldRole::Attribute { of } => format!("an attribute of `{}`", isa.name_of(of)),
        FieldRole::Part { of } => format!("a part of operand `{}`", isa.name_of(of)),
        FieldRole::Modifier => "a modifier".to_string(),
        FieldRole::Mnemonic => "a part of the mnemonic".to_string(),
        FieldRole::Control => "a control field".to_string(),
    }
}

/// The bits that are fixed but not by a field.
fn reserved(opcode: &Opcode) -> u128 {
    let fixed = opcode.fields.iter().filter(|field| matches!(field.binding, Binding::Fixed(_)));
    opcode.mask & !fixed.fold(0, |mask, field| mask | field.mask())
}

/// Describes the bits outside fields, as bits of the instruction alone.
fn said((isa, opcode): (&Isa, &Opcode), fixed: u128, written: u128) -> String {
    let numbering = isa.numbering(opcode);
    let [value, writes, ignored] =
        [opcode.value, opcode.written, opcode.ignored].map(|bits| numbering.number(bits));
    let (zeros, ones) = (fixed & !value, fixed & value);
    let parts = [
        (zeros, "must be zero"),
        (ones, "must be one"),
        (written & writes, "are ignored and written as one"),
        (written & ignored & !writes, "are ignored and written as zero"),
    ];
    let parts = parts.iter().filter(|(mask, _)| *mask != 0);
    parts
        .map(|(mask, what)| format!("bits {} {what}", ranges(numbering.alone(), *mask)))
        .collect::<Vec<_>>()
        .join("; ")
}

impl Pair<'_> {
    pub(super) fn layout(&mut self, forms: &Forms<'_>, names: &Names) {
        let (was, is) = (forms.was, forms.is);
        if was.width != is.width {
            let say = |opcode: &Opcode| format!("{} bits", opcode.width);
            let item = format!("opcode `{}`", is.name);
            let change = Change(say(was), say(is));
            self.add(Kind::Length, item, change, forms.place(self), &[&is.name]);
        }
        for field in was.encoded() {
            let name = forms.new_name(self.old.name_of(field.name));
            let same = is.fields.iter().find(|other| self.new.name_of(other.name) == name);
            match same {
                Some(other) => self.field(forms, names, [field, other]),
                None => self.lost(forms, field),
            }
        }
        for field in is.encoded() {
            let name = self.new.name_of(field.name);
            let is_old = |old: &&Field| forms.new_name(self.old.name_of(old.name)) == name;
            if !was.fields.iter().any(|old| is_old(&old)) {
                let ty = &self.new.ty(field.ty).name;
                let bits = self.new.numbering(is).bits(&field.bits);
                let say = format!("bits {bits}, type `{ty}`");
                let place = (None, place(self.new, is, field, self.places.1));
                let item = format!("field `{name}`");
                self.add(Kind::FieldAdded, item, Change(String::new(), say), place, &[&is.name]);
            }
        }
        self.reserved_bits(forms);
    }

    fn lost(&mut self, forms: &Forms<'_>, field: &Field) {
        let ty = &self.old.ty(field.ty).name;
        let bits = self.old.numbering(forms.was).bits(&field.bits);
        let say = format!("bits {bits}, type `{ty}`");
        let place = (place(self.old, forms.was, field, self.places.0), None);
        let item = format!("field `{}`", self.old.name_of(field.name));
        let change = Change(say, String::new());
        self.add(Kind::FieldRemoved, item, change, place, &[&forms.is.name]);
    }

    fn field(&mut self, forms: &Forms<'_>, names: &Names, [old, new]: [&Field; 2]) {
        let name = self.new.name_of(new.name);
        let item = || format!("field `{name}`");
        let declared = (
            place(self.old, forms.was, old, self.places.0),
            place(self.new, forms.is, new, self.places.1),
        );
        let opcode = [forms.is.name.as_str()];
        let before = self.old.name_of(old.name);
        if before != name {
            let change = Change(format!("`{before}`"), format!("`{name}`"));
            let item = format!("field `{before}`");
            self.add(Kind::FieldRenamed, item, change, declared.clone(), &opcode);
        }
        let numberings = (self.old.numbering(forms.was), self.new.numbering(forms.is));
        if numberings.0.relative(&old.bits) != numberings.1.relative(&new.bits) {
            let say = |of: Numbering, field: &Field| format!("bits {}", of.bits(&field.bits));
            let change = Change(say(numberings.0, old), say(numberings.1, new));
            self.add(Kind::FieldMoved, item(), change, declared.clone(), &opcode);
        }
        let (was, is) = (&self.old.ty(old.ty).name, &self.new.ty(new.ty).name);
        if names.of_type(was) != is {
            let change = Change(format!("`{was}`"), format!("`{is}`"));
            self.add(Kind::FieldType, item(), change, declared.clone(), &opcode);
        }
        let (was, is) = (role(self.old, old), role(self.new, new));
        if forms.renamed(&was) != is {
            self.add(Kind::Role, item(), Change(was, is), declared, &opcode);
        }
        self.binding(forms, [old, new], &item());
    }

    fn binding(&mut self, forms: &Forms<'_>, [old, new]: [&Field; 2], item: &str) {
        let (old_ty, new_ty) = (self.old.ty(old.ty), self.new.ty(new.ty));
        let place = (
            binding_place(self.old, forms.was, old, self.places.0),
            binding_place(self.new, forms.is, new, self.places.1),
        );
        let opcode = [forms.is.name.as_str()];
        let was = |raw| format!("`{}`", types::named(self.old, old_ty, raw));
        let is = |raw| format!("`{}`", types::named(self.new, new_ty, raw));
        // A value that has moved, or has another name, is a difference of the type.
        let differs = |a: u64, b: u64| a != b && was(a) != is(b);
        let free = |binding: Binding, say: &dyn Fn(u64) -> String| match binding {
            Binding::Required => "given by each instruction".to_string(),
            Binding::Default(raw) => format!("default {}", say(raw)),
            Binding::Fixed(raw) => format!("always {}", say(raw)),
        };
        let change = || Change(free(old.binding, &was), free(new.binding, &is));
        let kind = match (old.binding, new.binding) {
            (Binding::Fixed(a), Binding::Fixed(b)) if differs(a, b) => Kind::FixedValue,
            (Binding::Default(a), Binding::Default(b)) if differs(a, b) => Kind::Default,
            (Binding::Fixed(_), Binding::Fixed(_)) | (Binding::Default(_), Binding::Default(_)) => {
                return;
            }
            (Binding::Required, Binding::Required) => return,
            (Binding::Fixed(_), _) | (_, Binding::Fixed(_)) => Kind::Fixing,
            (Binding::Default(_), _) | (_, Binding::Default(_)) => Kind::Argument,
        };
        self.add(kind, item.to_string(), change(), place, &opcode);
    }

    /// Reports changes of fixed bits outside fields.
    ///
    /// These are bits that are fixed in one version only, or with different values, if no field of the other version
    /// explains them. Also reports ignored bits that are written differently.
    fn reserved_bits(&mut self, forms: &Forms<'_>) {
        let (was, is) = (forms.was, forms.is);
        let sides = [(self.old, was), (self.new, is)];
        let both = low_bits(was.width.min(is.width));
        let own = |(isa, opcode): (&Isa, &Opcode), bits| isa.numbering(opcode).number(bits);
        let fields = |opcode: &Opcode| opcode.encoded().fold(0, |mask, f| mask | f.mask());
        let explained =
            sides.map(|side| own(side, fields(side.1))).into_iter().fold(0, |a, b| a | b);
        let fixed = sides.map(|side| own(side, reserved(side.1)) & both & !explained);
        let [values, writes] = [
            sides.map(|side| own(side, side.1.value)),
            sides.map(|side| own(side, side.1.written)),
        ];
        let differs = (fixed[0] ^ fixed[1]) | fixed[0] & fixed[1] & (values[0] ^ values[1]);
        let written = (writes[0] ^ writes[1]) & both & !explained;
        if differs | written != 0 {
            let change = Change(
                said(sides[0], fixed[0] & differs, written),
                said(sides[1], fixed[1] & differs, written),
            );
            let item = "reserved bits".to_string();
            let place = forms.place(self);
            self.add(Kind::ReservedBits, item, change, place, &[&forms.is.name]);
        }
    }
}
