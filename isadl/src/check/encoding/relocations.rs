//! E0320: two fields of an instruction have relocations of the same number at the same byte.
//!
//! Object files name a relocation by its offset and its number, so they cannot tell these two apart.

use std::collections::BTreeMap;

use super::Context;
use super::defaults::declared;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Bits, Isa, Opcode, OpcodeId, TypeId, TypeKind};
use crate::source::Span;

/// Two fields that have the same relocation, as they are declared, and the first opcode that has both.
struct Twins {
    names: [String; 2],
    number: u32,
    offset: usize,
    opcode: OpcodeId,
}

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let mut found: BTreeMap<[Span; 2], Twins> = BTreeMap::new();
    for id in context.isa.opcode_ids() {
        let opcode = context.isa.opcode(id);
        let all = context.isa.numbers_where(opcode, |own| !own.relocations.is_empty());
        for (at, one) in all.iter().enumerate() {
            for other in &all[..at] {
                let Some((number, offset)) = shared(context.isa, one, other) else { continue };
                let names = [one, other].map(|(bits, _)| name(context, opcode, bits));
                let spans = names.each_ref().map(|name| {
                    declared(context, id, name)
                        .map_or(context.layer(id).name.span, |field| field.ast.span)
                });
                let twins = Twins { names, number, offset, opcode: id };
                found.entry(spans).or_insert(twins);
            }
        }
    }
    for (spans, twins) in &found {
        diagnostics.push(finding(context, *spans, twins));
    }
}

/// The number of a relocation that both fields share, and the byte offset at which object files record both.
fn shared(isa: &Isa, one: &(Bits, TypeId), other: &(Bits, TypeId)) -> Option<(u32, usize)> {
    let immediate = |ty: TypeId| match &isa.ty(ty).kind {
        TypeKind::Immediate(immediate) => Some(immediate),
        _ => None,
    };
    let (first, second) = (immediate(one.1)?, immediate(other.1)?);
    let offset = isa.relocation_offset(&one.0, first);
    let mut numbers = first.relocations.iter().map(|relocation| relocation.number);
    let is_shared = |number: &u32| second.relocations.iter().any(|own| own.number == *number);
    let number = numbers.find(is_shared)?;
    (offset == isa.relocation_offset(&other.0, second)).then_some((number, offset))
}

/// The name of the field that has these bits.
fn name(context: &Context<'_, '_>, opcode: &Opcode, bits: &Bits) -> String {
    let has = |field: &&crate::isa::Field| field.mask() & bits.mask() == bits.mask();
    let field = opcode.fields.iter().find(has);
    field.map_or(String::new(), |field| context.isa.name_of(field.name).to_string())
}

fn finding(context: &Context<'_, '_>, [span, other]: [Span; 2], twins: &Twins) -> Diagnostic {
    let Twins { names: [second, first], number, offset, opcode } = twins;
    let opcode = &context.isa.opcode(*opcode).name;
    let message = format!(
        "`{first}` and `{second}` of `{opcode}` have relocation {number} at the same byte of the instruction"
    );
    Diagnostic::new(Code::E0320, message, span)
        .with_label(format!("object files record relocation {number} at byte {offset}"))
        .with_related(other, "and the relocation of this field")
        .with_note(
            "linkers identify a relocation by its offset and number, so they cannot tell these apart",
        )
        .with_help("give one of the fields a type without this relocation")
}
