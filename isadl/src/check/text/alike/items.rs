//! Represents the text of an opcode as items, in written order. The text of an item depends on a few fields, and can be
//! left out.

use std::collections::HashMap;
use std::rc::Rc;

use super::kinds::{Kind, Kinds, Source};
use crate::isa::{
    Binding, Field, Isa, Meaning, ModifierStyle, ModifierSyntax, NameId, Omission, Opcode,
    OpcodeId, OperandLocation, OperandSyntax, TypeKind,
};
use crate::prove::Partial;

/// The role of an item, which determines the text before it and how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// The operand before the mnemonic.
    Guard,
    /// A part of the mnemonic up to a dot: the first part, or a later part.
    Head { is_first: bool },
    /// A modifier.
    Modifier,
    /// An operand, by its number.
    Operand(usize),
    /// A control field.
    Control,
}

/// A piece of the text of an opcode.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) role: Role,
    /// The fields on which its text depends, its own fields first.
    pub(super) fields: Vec<NameId>,
    /// The number of its own fields; the other fields only affect how it is written.
    pub(super) own: usize,
    /// The number of the modifier, if it is made of fields.
    pub(super) made: Option<usize>,
    /// Its texts.
    pub(super) kind: Rc<Kind>,
    /// Bits with which the item is left out; any of these suffices.
    pub(super) left_out: Vec<Partial>,
    /// The values of its fields when it is not read; `None` if it must be written.
    pub(super) absent: Option<Partial>,
    /// The words for which an optional text is not written.
    pub(super) omission: Option<Omission>,
}

impl Item {
    /// Whether its text is taken apart when it is read, and not looked up.
    pub(super) fn is_parsed(&self) -> bool {
        matches!(self.role, Role::Operand(_)) || self.made.is_some()
    }

    /// The bits of its fields.
    pub(super) fn bits(&self, opcode: &Opcode) -> u128 {
        let fields = self.fields.iter().filter_map(|name| opcode.field(*name));
        fields.fold(0, |bits, field| bits | field.mask())
    }

    /// The bits of its own fields.
    pub(super) fn own_bits(&self, opcode: &Opcode) -> u128 {
        let fields = self.fields[..self.own].iter().filter_map(|name| opcode.field(*name));
        fields.fold(0, |bits, field| bits | field.mask())
    }

    /// Values of its fields as bits.
    pub(super) fn word(&self, opcode: &Opcode, raws: &[u64]) -> Partial {
        let mut bits = Partial { known: 0, value: 0 };
        for (name, raw) in self.fields.iter().zip(raws) {
            if let Some(field) = opcode.field(*name) {
                bits.known |= field.mask();
                bits.value = field.insert(bits.value, *raw);
            }
        }
        bits
    }
}

/// Makes the items of opcodes; kinds are shared.
pub(super) struct Maker<'i> {
    pub(super) isa: &'i Isa,
    pub(super) kinds: Kinds<'i>,
    made: HashMap<OpcodeId, Rc<Vec<Item>>>,
}

impl<'i> Maker<'i> {
    pub(super) fn new(isa: &'i Isa, most: usize) -> Maker<'i> {
        Maker { isa, kinds: Kinds::new(isa, most), made: HashMap::new() }
    }

    /// The items of an opcode but its mnemonic.
    pub(super) fn items(&mut self, id: OpcodeId) -> Rc<Vec<Item>> {
        if let Some(items) = self.made.get(&id) {
            return Rc::clone(items);
        }
        let syntax = &self.isa.opcode(id).syntax;
        let mut items = Vec::new();
        let guard = syntax.guard.as_ref().map(|guard| self.operand(id, Role::Guard, guard));
        items.extend(guard);
        let operands = syntax.operands.iter().enumerate();
        let operands: Vec<Item> =
            operands.map(|(at, operand)| self.operand(id, Role::Operand(at), operand)).collect();
        let modifiers = syntax.modifiers.iter();
        let modifiers: Vec<Item> =
            modifiers.map(|modifier| self.word(id, Role::Modifier, modifier)).collect();
        match self.isa.modifiers() {
            ModifierStyle::Dots => items.extend(modifiers.into_iter().chain(operands)),
            ModifierStyle::Words => items.extend(operands.into_iter().chain(modifiers)),
        }
        let controls = syntax.controls.iter();
        items.extend(controls.map(|control| self.word(id, Role::Control, control)));
        let items = Rc::new(items);
        self.made.insert(id, Rc::clone(&items));
        items
    }

    /// The items of a mnemonic: its parts up to dots.
    pub(super) fn heads(&mut self, mnemonic: &str) -> Vec<Item> {
        let mut is_first = true;
        let parts = mnemonic.split('.').map(|part| {
            let role = Role::Head { is_first };
            is_first = false;
            Item {
                role,
                fields: Vec::new(),
                own: 0,
                made: None,
                kind: self.kinds.of_text(part),
                left_out: Vec::new(),
                absent: None,
                omission: None,
            }
        });
        parts.collect()
    }

    fn word(&mut self, id: OpcodeId, role: Role, syntax: &ModifierSyntax) -> Item {
        let opcode = self.isa.opcode(id);
        let fields = vec![syntax.field];
        let source = match role {
            Role::Control => Source::Control(syntax),
            _ => Source::Modifier(syntax),
        };
        let kind = self.kinds.of(id, &fields, source);
        let mut left_out: Vec<Partial> = syntax.omission.iter().map(partial).collect();
        let field = opcode.field(syntax.field);
        let is_silent = |field: &&Field| match field.role {
            crate::isa::FieldRole::Control => false,
            _ => matches!(self.isa.ty(field.ty).kind, TypeKind::BitField(_)),
        };
        if let Some(field) = field.filter(is_silent) {
            let silent = kind.texts.iter().filter(|text| text.text.is_empty());
            left_out.extend(silent.map(|text| only(field, text.raws[0])));
        }
        let absent = syntax.absent.zip(field).map(|(raw, field)| only(field, raw));
        let is_made = role == Role::Modifier
            && field
                .is_some_and(|field| matches!(self.isa.ty(field.ty).kind, TypeKind::Composite(_)));
        let modifiers = opcode.syntax.modifiers.iter();
        let made = modifiers.map(|one| one.field).position(|name| is_made && name == syntax.field);
        Item { role, own: 1, made, fields, kind, left_out, absent, omission: syntax.omission }
    }

    fn operand(&mut self, id: OpcodeId, role: Role, syntax: &OperandSyntax) -> Item {
        let opcode = self.isa.opcode(id);
        let fields = fields_of(self.isa, opcode, syntax);
        let own = own_fields(opcode, syntax).count();
        let kind = self.kinds.of(id, &fields, Source::Operand(syntax));
        let left_out = syntax.omission.iter().map(partial).collect();
        let absent = syntax.is_optional.then(|| {
            let mut bits = Partial { known: 0, value: 0 };
            for field in own_fields(opcode, syntax).filter_map(|name| opcode.field(name)) {
                let raw = match field.binding {
                    Binding::Default(raw) | Binding::Fixed(raw) => raw,
                    Binding::Required => 0,
                };
                bits.known |= field.mask();
                bits.value = field.insert(bits.value, raw);
            }
            bits
        });
        Item { role, fields, own, made: None, kind, left_out, absent, omission: syntax.omission }
    }
}

fn partial(omission: &Omission) -> Partial {
    Partial { known: omission.mask, value: omission.value }
}

fn only(field: &Field, raw: u64) -> Partial {
    Partial { known: field.mask(), value: field.insert(0, raw) }
}

/// The fields that an operand consists of: itself and its attributes.
fn own_fields<'o>(
    opcode: &'o Opcode,
    syntax: &'o OperandSyntax,
) -> impl Iterator<Item = NameId> + 'o {
    let place: Vec<NameId> = match syntax.place(opcode) {
        OperandLocation::Field(name) => vec![name],
        OperandLocation::File(_) => Vec::new(),
        OperandLocation::Indirect { base, offset, .. } => {
            [base].into_iter().chain(offset).collect()
        }
    };
    let marks = syntax.marks.iter().map(|mark| mark.field);
    place.into_iter().chain(marks).chain(syntax.suffixes.iter().map(|suffix| suffix.field))
}

/// All fields that the text of an operand depends on.
fn fields_of(isa: &Isa, opcode: &Opcode, syntax: &OperandSyntax) -> Vec<NameId> {
    let mut fields: Vec<NameId> = own_fields(opcode, syntax).collect();
    fields.extend(syntax.marks.iter().filter_map(|mark| mark.extension));
    fields.extend(syntax.format);
    let has_registers = match syntax.place(opcode) {
        OperandLocation::Field(name) => opcode.field(name).is_some_and(|field| {
            let entries = isa.ty(field.ty).entries().iter();
            entries.clone().any(|entry| matches!(entry.meaning, Meaning::Registers { .. }))
        }),
        OperandLocation::File(_) | OperandLocation::Indirect { .. } => false,
    };
    if let Some(width) = opcode.operands[syntax.operand].width.filter(|_| has_registers) {
        fields.extend(isa.expr(width).fields());
    }
    let mut known = Vec::new();
    fields.retain(|name| {
        let is_new = !known.contains(name) && opcode.field(*name).is_some();
        known.push(*name);
        is_new
    });
    fields
}
