//! Reads and writes of an instruction.

use isadl::isa::{
    Access, ConstantBits, Field, FlowControl, FlowItem, FlowPlace, Isa, Meaning, Opcode,
    OperandLocation, Symbol, Type, TypeKind,
};

use super::{Instruction, entry, gathered, print};

/// The uses of an instruction in words, effect and resource, in the order of its statements; each
/// once.
pub fn uses(isa: &Isa, opcode: &Opcode, word: u128) -> Vec<(&'static str, String)> {
    let inst = Instruction::new(isa, opcode, word);
    let is_guarded = is_guarded(inst);
    let mut uses = Vec::new();
    for item in &opcode.flow {
        if item.condition.is_some_and(|id| inst.value(&isa.exprs()[id.index()]) == 0) {
            continue;
        }
        let is_guarded = is_guarded && !item.is_always;
        let effect = effect(item, is_guarded);
        let mut found: Vec<(&'static str, String)> =
            resources(inst, item).into_iter().map(|resource| (effect, resource)).collect();
        // The number of the register meant is read, whatever is done with that register.
        if let FlowPlace::Indirect { base, .. } = item.place
            && let Some(field) = inst.field(base)
        {
            let number = named(inst, inst.type_of(field), inst.raw(base), None);
            found.extend(number.map(|number| (read(is_guarded), number)));
        }
        for found in found {
            if !uses.contains(&found) {
                uses.push(found);
            }
        }
    }
    uses.into_iter().map(|(effect, name)| (effect, name.replace(MEMORY, ""))).collect()
}

/// Where execution goes after an instruction.
pub fn flow_control(isa: &Isa, opcode: &Opcode, word: u128) -> FlowControl {
    let inst = Instruction::new(isa, opcode, word);
    for class in &opcode.classes {
        if class.condition.is_none_or(|id| inst.value(&isa.exprs()[id.index()]) != 0) {
            return class.class;
        }
    }
    FlowControl::Next
}

/// A prefix for the text of memory, which can equal the text of a register.
const MEMORY: char = '\0';

/// An operand's data bits in a word, and the bits of all registers of the file that its value selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data {
    /// The value of its `Bitwidth`.
    pub bits: i128,
    /// The bits of its register file; `None` if its value is not a register.
    pub room: Option<i128>,
}

/// The data in the operands of a word, by the names of the operands that have a width.
pub fn data(isa: &Isa, opcode: &Opcode, word: u128) -> Vec<(String, Data)> {
    let inst = Instruction::new(isa, opcode, word);
    let of_operand = opcode.operands.iter().filter_map(|operand| match operand.place {
        OperandLocation::Field(name) => Some((name, operand.width?)),
        _ => None,
    });
    let of_flow = opcode.flow.iter().filter_map(|item| match item.place {
        FlowPlace::Field(name) => Some((name, item.width?)),
        _ => None,
    });
    of_operand
        .chain(of_flow)
        .map(|(name, width)| {
            let entry = inst.field(name).and_then(|f| entry(inst.type_of(f), inst.raw(name)));
            let file = match entry.map(|(entry, _)| &entry.meaning) {
                Some(Meaning::Registers { file, .. } | Meaning::Register { file, .. }) => {
                    Some(*file)
                }
                _ => None,
            };
            let room = file.map(|file| {
                let file = &isa.reg_files()[file.index()];
                i128::from(file.width) * i128::from(file.count)
            });
            let bits = inst.value(&isa.exprs()[width.index()]);
            let written = opcode.selector_of(name).unwrap_or(name);
            (isa.name_of(written).to_string(), Data { bits, room })
        })
        .collect()
}

/// Whether something may keep the instruction from being executed: a guard, unless it reads as
/// true whatever the registers hold.
fn is_guarded(inst: Instruction<'_>) -> bool {
    let Some(guard) = &inst.opcode.syntax.guard else { return false };
    let OperandLocation::Field(name) = inst.opcode.operands[guard.operand].place else {
        return true;
    };
    let is_not = guard.marks.iter().any(|m| m.symbol == Symbol::Not && inst.raw(m.field) == 1);
    let entry = inst.field(name).and_then(|field| entry(inst.type_of(field), inst.raw(name)));
    match entry.map(|(entry, _)| &entry.meaning) {
        Some(Meaning::Constant { bits, .. }) => {
            let is_one = *bits == ConstantBits::One;
            is_one == is_not
        }
        _ => true,
    }
}

fn read(is_guarded: bool) -> &'static str {
    if is_guarded { "conditional read" } else { "read" }
}

fn effect(item: &FlowItem, is_guarded: bool) -> &'static str {
    match (item.access, is_guarded || item.is_partial) {
        (Access::None | Access::Read, _) => read(is_guarded),
        (Access::Write, false) => "write",
        (Access::Write, true) => "conditional write",
        (Access::ReadWrite, false) => "read and write",
        (Access::ReadWrite, true) => "read and conditional write",
    }
}

fn resources(inst: Instruction<'_>, item: &FlowItem) -> Vec<String> {
    let file_name = |file: isadl::isa::RegFileId| &inst.isa.reg_files()[file.index()].name;
    match item.place {
        FlowPlace::Field(name) => {
            let Some(field) = inst.field(name) else { return Vec::new() };
            let width = item.width.map(|id| inst.value(&inst.isa.exprs()[id.index()]));
            named(inst, inst.type_of(field), inst.raw(name), width).into_iter().collect()
        }
        FlowPlace::Part { field, part } => {
            let part = inst.field(field).and_then(|field| of_part(inst, field, part));
            part.into_iter().collect()
        }
        FlowPlace::File(file) => {
            let last = inst.isa.reg_files()[file.index()].count - 1;
            match last {
                0 => vec![format!("{}[0]", file_name(file))],
                last => vec![format!("{}[0:{last}]", file_name(file))],
            }
        }
        FlowPlace::Register { file, number } => vec![format!("{}[{number}]", file_name(file))],
        FlowPlace::Indirect { file, .. } => vec![format!("some {}", file_name(file))],
        FlowPlace::Mask { field, file } => {
            let raw = inst.raw(field);
            let set = (0..64).filter(|bit| raw >> bit & 1 == 1);
            set.map(|bit| format!("{}[{bit}]", file_name(file))).collect()
        }
    }
}

/// The resource that a part of a composite names.
fn of_part(inst: Instruction<'_>, field: &Field, part: usize) -> Option<String> {
    let TypeKind::Composite(composite) = &inst.type_of(field).kind else { return None };
    let part = composite.parts.get(part)?;
    let ty = &inst.isa.types()[part.ty.index()];
    named(inst, ty, gathered(inst.raw(field.name).into(), &part.bits), None)
}

/// The resource that a value of a type names; none for constants.
fn named(inst: Instruction<'_>, ty: &Type, raw: u64, width: Option<i128>) -> Option<String> {
    if let TypeKind::Composite(_) = ty.kind {
        return Some(format!("{MEMORY}{}", print::plain_value(inst, ty, raw)));
    }
    let (entry, position) = entry(ty, raw)?;
    let (file, first) = match &entry.meaning {
        Meaning::Registers { file, first, align, .. } => {
            let number = u64::from(*first) + position;
            (*file, number - number % u64::from(*align))
        }
        Meaning::Register { file, number, .. } => (*file, u64::from(*number)),
        Meaning::Special(name) => return Some(name.clone()),
        Meaning::Constant { .. }
        | Meaning::Nothing(_)
        | Meaning::Integers { .. }
        | Meaning::Float(_)
        | Meaning::Literal => return None,
    };
    let known = &inst.isa.reg_files()[file.index()];
    let wanted = width.map_or(1, |width| inst.registers(file, width));
    let count = wanted.min(u64::from(known.count) - first);
    Some(match count {
        1 => format!("{}[{first}]", known.name),
        count => format!("{}[{first}:{}]", known.name, first + count - 1),
    })
}
