//! Random instructions of an instruction set.

use isadl::engine::Inst;
use isadl::isa::{Binding, Field, Isa, OpcodeId, TypeKind, low_bits};

use crate::{Random, Set};

/// A random legal instruction of an opcode: defaults are common, and so are the ends of types.
/// `None` if its rules forbade all attempts.
pub fn instruction(isa: &Set, id: OpcodeId, random: &mut Random) -> Option<Inst> {
    (0..100).find_map(|_| {
        let opcode = isa.opcode(id);
        let word = opcode
            .fields
            .iter()
            .fold(opcode.value, |word, field| field.insert(word, value(isa, field, random)));
        isa.decode(word).ok()
    })
}

/// A random legal value of a field.
fn value(isa: &Isa, field: &Field, random: &mut Random) -> u64 {
    let ty = isa.ty(field.ty);
    match field.binding {
        Binding::Fixed(raw) => return raw,
        Binding::Default(raw) if random.below(2) == 0 => return raw,
        Binding::Default(_) | Binding::Required => {}
    }
    if let TypeKind::BitField(values) = &ty.kind {
        return values[random.below(values.len() as u64) as usize].value;
    }
    let last = low_bits(field.width()) as u64;
    loop {
        let raw = match random.below(8) {
            0 => 0,
            1 => last,
            2 => random.below(10) & last,
            _ => random.next_u64() & last,
        };
        if ty.is_legal(raw) {
            return raw;
        }
    }
}
