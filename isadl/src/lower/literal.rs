//! Forms with a literal: an operand is a number after the instruction, as announced by its field.
//!
//! Such a form is an opcode of its own, wider and with the field fixed, so that the rest of the code
//! need not handle literals.

use super::places::Places;
use crate::ast::{ReservedKind, Treatment};
use crate::isa::{
    Binding, Field, FieldRole, FlowPlace, LiteralForm, Meaning, NameId, Opcode, OperandLocation,
    Type, TypeKind,
};
use crate::model::{self, FieldId, LayerId, Model};

/// A literal that an opcode may have.
pub(super) struct Literal {
    field: FieldId,
    /// The operand that the literal replaces.
    pub(super) selector: NameId,
    /// The value of its field that announces the literal.
    raw: u64,
}

/// The literals that an opcode can have, each in place of one operand.
pub(super) fn literals(model: &Model<'_>, opcode: &model::Opcode<'_>) -> Vec<Literal> {
    let fields = model.layer(opcode.layer).fields.iter();
    let literal = |id: &FieldId| {
        let of = model.field(*id).ast.literal_of?;
        let selector = model.find_field_text(opcode.layer, of.text)?;
        let selector = model.field(selector);
        Some(Literal { field: *id, selector: selector.name, raw: marker(model.ty(selector.ty?))? })
    };
    fields.filter_map(literal).collect()
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
    let name = given.name;
    for field in &mut form.fields {
        if field.name == literal.selector {
            field.binding = Binding::Fixed(literal.raw);
        }
        if field.role == (FieldRole::Attribute { of: literal.selector }) {
            field.role = FieldRole::Attribute { of: name };
        }
    }
    let layout = model.isa.as_ref()?.layout;
    let chain = model.layer(opcode.layer).chain.iter();
    let others = chain.flat_map(|id| &model.layer(*id).ast.reserved);
    let ends = others.map(|reserved| reserved.bits.end()).chain([given.ast.bits.end()]);
    let end = ends.filter_map(|end| u32::try_from(end).ok()).chain([plain.width]).max()?;
    form.width = end.next_multiple_of(layout.unit());
    form.width_mask = layout.width_mask(form.width);
    let places = Places::of(model, plain.width).until(form.width);
    let origin = form.fields.iter().find(|field| field.name == literal.selector)?.origin;
    form.fields.push(Field {
        name,
        ty: given.ty?,
        bits: places.bits(&given.ast.bits),
        role: FieldRole::Operand,
        binding: Binding::Required,
        origin,
    });
    places.sort(&mut form.fields);
    // A literal is not a resource.
    form.flow.retain(|item| item.place != FlowPlace::Field(literal.selector));
    for operand in &mut form.operands {
        if operand.place == OperandLocation::Field(literal.selector) {
            operand.place = OperandLocation::Field(name);
        }
    }
    let reserved = reserved(model, opcode.layer, &places);
    (form.mask, form.value, form.reserved) = (reserved.mask, reserved.value, reserved.zero);
    (form.ignored, form.written) = (reserved.ignored, reserved.written);
    form.literal = Some(LiteralForm { selector: literal.selector, literal: name });
    set_bits(&mut form, unstated(model, opcode.layer));
    Some(form)
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
