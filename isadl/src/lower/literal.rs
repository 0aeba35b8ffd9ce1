//! Forms with a literal: an operand is a number after the instruction, as announced by its field.
//!
//! Such a form is an opcode of its own, wider and with the field fixed, so that the rest of the code
//! need not handle literals. A literal of several operands has a form for each set of them; there, each
//! operand has a field over the same bits.

use super::places::Places;
use crate::ast::{ReservedKind, Treatment};
use crate::isa::{
    Binding, Field, FieldRole, FlowPlace, LiteralForm, Meaning, NameId, Opcode, OperandLocation,
    Type, TypeKind,
};
use crate::model::{self, FieldId, LayerId, MAX_SHARING, Model};

/// A literal that an opcode may have, in place of some of its operands.
pub(super) struct Literal {
    field: FieldId,
    replaced: Vec<Replaced>,
}

/// An operand that a literal replaces.
#[derive(Clone, Copy)]
struct Replaced {
    operand: NameId,
    /// The value of its field that announces the literal.
    raw: u64,
    /// The name of the literal there.
    name: NameId,
}

/// The literals that an opcode can have: of each statement, first those in place of one operand, then of two.
pub(super) fn literals(model: &Model<'_>, opcode: &model::Opcode<'_>) -> Vec<Literal> {
    let fields = model.layer(opcode.layer).fields.iter();
    fields.flat_map(|id| literals_of(model, opcode, *id)).collect()
}

/// The literals of a field: one for each set of its operands.
fn literals_of(model: &Model<'_>, opcode: &model::Opcode<'_>, field: FieldId) -> Vec<Literal> {
    let given = model.field(field);
    let names = [given.name].into_iter().chain(given.later.iter().copied());
    let operands = given.ast.literal_of.iter().zip(names).filter_map(|(of, name)| {
        let operand = model.field(model.find_field_text(opcode.layer, of.text)?);
        Some(Replaced { operand: operand.name, raw: marker(model.ty(operand.ty?))?, name })
    });
    let operands: Vec<Replaced> = operands.take(MAX_SHARING).collect();
    let mut sets: Vec<u32> = (1..1 << operands.len()).collect();
    // The sets with the first operands come first.
    sets.sort_by_key(|set| (set.count_ones(), std::cmp::Reverse(set.reverse_bits())));
    let literal = |set: u32| {
        let chosen = operands.iter().zip(0..).filter(|(_, at)| set >> at & 1 == 1);
        let mut replaced: Vec<Replaced> = chosen.map(|(operand, _)| *operand).collect();
        replaced[0].name = given.name;
        Literal { field, replaced }
    };
    sets.into_iter().map(literal).collect()
}

/// The value of a type that announces a literal.
pub(super) fn marker(ty: &Type) -> Option<u64> {
    let TypeKind::Operand(entries) = &ty.kind else { return None };
    let marker = entries.iter().find(|entry| entry.meaning == Meaning::Literal);
    marker.map(|entry| entry.value)
}

/// The form of `plain` with a literal.
pub(super) fn form(
    model: &Model<'_>,
    opcode: &model::Opcode<'_>,
    plain: &Opcode,
    literal: &Literal,
) -> Option<Opcode> {
    let mut form = plain.clone();
    let given = model.field(literal.field);
    let layout = model.isa.as_ref()?.layout;
    let chain = model.layer(opcode.layer).chain.iter();
    let others = chain.flat_map(|id| &model.layer(*id).ast.reserved);
    let ends = others.map(|reserved| reserved.bits.end()).chain([given.ast.bits.end()]);
    let end = ends.filter_map(|end| u32::try_from(end).ok()).chain([plain.width]).max()?;
    form.width = end.next_multiple_of(layout.unit());
    form.width_mask = layout.width_mask(form.width);
    let places = Places::of(model, plain.width).until(form.width);
    for replaced in &literal.replaced {
        let origin = form.field(replaced.operand)?.origin;
        form.fields.push(Field {
            name: replaced.name,
            ty: given.ty?,
            bits: places.bits(&given.ast.bits),
            role: FieldRole::Operand,
            binding: Binding::Required,
            origin,
        });
        replace(&mut form, *replaced);
    }
    places.sort(&mut form.fields);
    let reserved = reserved(model, opcode.layer, &places);
    (form.mask, form.value, form.reserved) = (reserved.mask, reserved.value, reserved.zero);
    (form.ignored, form.written) = (reserved.ignored, reserved.written);
    set_bits(&mut form, unstated(model, opcode.layer));
    Some(form)
}

/// Puts a literal in the place of an operand.
fn replace(form: &mut Opcode, replaced: Replaced) {
    let Replaced { operand: selector, raw, name } = replaced;
    for field in &mut form.fields {
        if field.name == selector {
            field.binding = Binding::Fixed(raw);
        }
        if field.role == (FieldRole::Attribute { of: selector }) {
            field.role = FieldRole::Attribute { of: name };
        }
    }
    // A literal is not a resource.
    form.flow.retain(|item| item.place != FlowPlace::Field(selector));
    for operand in &mut form.operands {
        if operand.place == OperandLocation::Field(selector) {
            operand.place = OperandLocation::Field(name);
        }
    }
    form.literals.push(LiteralForm { selector, literal: name });
}

/// Bits outside fields.
#[derive(Default)]
pub(super) struct Reserved {
    /// The bits that are fixed.
    pub(super) mask: u128,
    /// Their values.
    pub(super) value: u128,
    /// The bits that must be zero.
    pub(super) zero: u128,
    /// The bits that are ignored.
    pub(super) ignored: u128,
    /// The bits that the encoder writes there.
    pub(super) written: u128,
}

/// The bits that a layer and its ancestors declare outside fields.
pub(super) fn reserved(model: &Model<'_>, layer: LayerId, places: &Places) -> Reserved {
    let chain = model.layer(layer).chain.iter();
    let mut all = Reserved::default();
    for reserved in chain.flat_map(|id| &model.layer(*id).ast.reserved) {
        let (mask, value) = places.fixed(reserved);
        let (bits, values) = match reserved.kind {
            ReservedKind::Zero | ReservedKind::Fixed => (&mut all.mask, &mut all.value),
            ReservedKind::Ignored => (&mut all.ignored, &mut all.written),
        };
        *bits |= mask;
        *values |= value;
        if reserved.kind == ReservedKind::Zero {
            all.zero |= mask;
        }
    }
    all
}

/// The nearest layer's treatment of bits that no statement mentions.
pub(super) fn unstated(model: &Model<'_>, layer: LayerId) -> Option<Treatment> {
    let mut chain = model.layer(layer).chain.iter().rev();
    chain.find_map(|id| model.layer(*id).ast.unstated.last()).map(|unstated| unstated.treatment)
}

/// Sets the masks of an opcode from its fields, and from the treatment of bits that no statement
/// mentions. Bits of `zero`, `fixed` and `ignored` are already in its masks.
pub(super) fn set_bits(opcode: &mut Opcode, unstated: Option<Treatment>) {
    for field in &opcode.fields {
        opcode.significant |= field.mask();
        if let Binding::Fixed(raw) = field.binding {
            opcode.mask |= field.mask();
            opcode.value = field.insert(opcode.value, raw);
        }
    }
    opcode.written &= !(opcode.significant | opcode.mask);
    match unstated {
        Some(Treatment::Zero) => {
            opcode.reserved |= opcode.unstated();
            opcode.mask |= opcode.unstated();
        }
        Some(Treatment::Ignored) => opcode.ignored |= opcode.unstated(),
        Some(Treatment::Warn) | None => {}
    }
}
