//! Operands and uses, in arrays of C.

use std::panic::{AssertUnwindSafe, catch_unwind};

use isadl::engine::{Effect, Operand, Part, Resource, Value};
use isadl::isa::Access;
use isadl_bindings::Set;

use crate::{isadl_inst, isadl_set, known};

/// In the place of a number: there is none.
const NONE: u32 = u32::MAX;

/// The kinds of operands and of their parts.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum isadl_operand_kind {
    /// Consecutive registers: `file`, `number` of the first, `count`.
    Registers,
    /// A register of `file` whose number is in the part that follows, plus `value`.
    Indirect,
    /// A name among registers of `file` that is always zero or ones: `value` is 0 or -1.
    Constant,
    /// A register outside of files; `number` is its own.
    Special,
    /// The integer `value`.
    Integer,
    /// The distance `value`; see `isadl_target`.
    Distance,
    /// A floating-point number with the encoding `bits`, of `exponent` and `fraction` bits.
    Float,
    /// Several numbers in `bits`.
    Packed,
    /// A value that has a name, such as a condition.
    Name,
    /// Several parts, which follow.
    Parts,
    /// Memory whose address is made of the parts that follow; `width` bits are accessed at most, 0 if that is not known.
    Memory,
}

/// Whether an operand is read and written, as bits.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum isadl_access {
    /// Neither, as for an immediate.
    None = 0,
    /// It is read.
    Read = 1,
    /// It is written.
    Write = 2,
    /// Both.
    ReadWrite = 3,
}

/// An operand, or a part of one. Parts follow what they are part of.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct isadl_operand {
    /// The kind.
    pub kind: isadl_operand_kind,
    /// Whether it is read and written; a part has the access of its operand.
    pub access: isadl_access,
    /// The index of the operand or part that contains it; 2^32 - 1 for an operand.
    pub parent: u32,
    /// Bits of data in it; 0 if that is not known.
    pub width: u32,
    /// The number of a register file; 2^32 - 1 if there is none.
    pub file: u32,
    /// The number of the first register.
    pub number: u32,
    /// The number of registers.
    pub count: u32,
    /// An integer, with the lowest 64 bits of it.
    pub value: i64,
    /// An encoding.
    pub bits: u64,
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the fraction.
    pub fraction: u32,
}

/// The kinds of resources that instructions use.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum isadl_use_kind {
    /// Consecutive registers of a file.
    Registers,
    /// Some registers of a file; the word does not say which.
    Unknown,
    /// A register outside of files.
    Special,
    /// Memory.
    Memory,
}

/// A resource that an instruction reads or writes.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct isadl_use {
    /// The kind of resource.
    pub kind: isadl_use_kind,
    /// Whether it is read and written.
    pub access: isadl_access,
    /// Whether it happens in any case, regardless of guards and masks.
    pub is_certain: bool,
    /// The number of a register file; 2^32 - 1 if there is none.
    pub file: u32,
    /// The number of the first register, or of a special one.
    pub number: u32,
    /// The number of registers.
    pub count: u32,
    /// Bits of memory that are accessed; 0 if that is not known.
    pub memory_width: u32,
}

fn access(reads: bool, writes: bool) -> isadl_access {
    match (reads, writes) {
        (false, false) => isadl_access::None,
        (true, false) => isadl_access::Read,
        (false, true) => isadl_access::Write,
        (true, true) => isadl_access::ReadWrite,
    }
}

/// All operands with their parts.
fn listed(set: &Set, inst: &isadl_inst) -> Option<Vec<isadl_operand>> {
    let mut all = Vec::new();
    for operand in set.engine().operands(known(set, inst)?) {
        let Operand { access: own, width, value, .. } = operand;
        add(&mut all, &value, NONE, own, width);
    }
    Some(all)
}

fn add(
    all: &mut Vec<isadl_operand>,
    value: &Value<'_>,
    parent: u32,
    own: Access,
    width: Option<u32>,
) {
    let mut made = isadl_operand {
        kind: isadl_operand_kind::Name,
        access: access(own.reads(), own.writes()),
        parent,
        width: width.unwrap_or(0),
        file: NONE,
        number: 0,
        count: 0,
        value: 0,
        bits: 0,
        exponent: 0,
        fraction: 0,
    };
    let mut parts: &[Part<'_>] = &[];
    let mut base = None;
    match value {
        Value::Registers { file, first, count } => {
            made.kind = isadl_operand_kind::Registers;
            (made.file, made.number, made.count) = (file.index() as u32, *first, *count);
        }
        Value::Indirect { file, base: of, offset } => {
            made.kind = isadl_operand_kind::Indirect;
            (made.file, made.value) = (file.index() as u32, *offset as i64);
            base = Some(&**of);
        }
        Value::Constant { file, is_ones, .. } => {
            made.kind = isadl_operand_kind::Constant;
            (made.file, made.value) = (file.index() as u32, -i64::from(*is_ones));
        }
        Value::Special(id) => {
            (made.kind, made.number) = (isadl_operand_kind::Special, id.index() as u32);
        }
        Value::Integer(number) => {
            (made.kind, made.value) = (isadl_operand_kind::Integer, *number as i64);
        }
        Value::Distance(number) => {
            (made.kind, made.value) = (isadl_operand_kind::Distance, *number as i64);
        }
        Value::Float { bits, exponent, fraction } => {
            made.kind = isadl_operand_kind::Float;
            (made.bits, made.exponent, made.fraction) = (*bits, *exponent, *fraction);
        }
        Value::Packed(bits) => (made.kind, made.bits) = (isadl_operand_kind::Packed, *bits),
        Value::Name(_) => {}
        Value::Parts(own) => (made.kind, parts) = (isadl_operand_kind::Parts, own),
        Value::Memory(own) => (made.kind, parts) = (isadl_operand_kind::Memory, own),
    }
    let at = all.len() as u32;
    all.push(made);
    for part in parts.iter().map(|part| &part.value).chain(base) {
        add(all, part, at, own, None);
    }
}

/// The operands of an instruction in the order of its text, each followed by its parts. Stores as many as fit, and returns their
/// number.
///
/// # Safety
///
/// The set is open; `inst` can be read; `out` has room for `capacity` operands, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_operands(
    set: *const isadl_set,
    inst: *const isadl_inst,
    out: *mut isadl_operand,
    capacity: usize,
) -> usize {
    // SAFETY: as the caller promises.
    let (set, inst) = unsafe { (set.as_ref(), inst.as_ref()) };
    let all = catch_unwind(AssertUnwindSafe(|| listed(&set?.0, inst?))).ok().flatten();
    // SAFETY: as the caller promises.
    unsafe { copy(&all.unwrap_or_default(), out, capacity) }
}

/// Lists the resources that an instruction reads and writes. Stores as many as fit, and returns their number.
///
/// # Safety
///
/// The set is open; `inst` can be read; `out` has room for `capacity` uses, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isadl_uses(
    set: *const isadl_set,
    inst: *const isadl_inst,
    out: *mut isadl_use,
    capacity: usize,
) -> usize {
    // SAFETY: as the caller promises.
    let (set, inst) = unsafe { (set.as_ref(), inst.as_ref()) };
    let all = catch_unwind(AssertUnwindSafe(|| used(&set?.0, inst?))).ok().flatten();
    // SAFETY: as the caller promises.
    unsafe { copy(&all.unwrap_or_default(), out, capacity) }
}

fn used(set: &Set, inst: &isadl_inst) -> Option<Vec<isadl_use>> {
    let (engine, inst) = (set.engine(), known(set, inst)?);
    let of = |one: isadl::isa::Use| {
        let (kind, file, number, count) = match one.resource {
            Resource::Registers { file, first, count } => {
                (isadl_use_kind::Registers, file.index() as u32, first, count)
            }
            Resource::Unknown { file } => (isadl_use_kind::Unknown, file.index() as u32, 0, 0),
            Resource::Special(id) => (isadl_use_kind::Special, NONE, id.index() as u32, 1),
            Resource::Memory { .. } => (isadl_use_kind::Memory, NONE, 0, 0),
        };
        let is_certain = !matches!(
            one.effect,
            Effect::ConditionalRead | Effect::ConditionalWrite | Effect::ReadConditionalWrite
        );
        let access = access(one.effect.reads(), one.effect.writes());
        let memory_width = engine.memory_width(inst, &one).unwrap_or(0);
        isadl_use { kind, access, is_certain, file, number, count, memory_width }
    };
    Some(engine.uses(inst).map(of).collect())
}

/// # Safety
///
/// `out` has room for so many, or is null.
unsafe fn copy<T: Copy>(all: &[T], out: *mut T, capacity: usize) -> usize {
    if !out.is_null() {
        // SAFETY: as the caller promises.
        unsafe { std::ptr::copy_nonoverlapping(all.as_ptr(), out, all.len().min(capacity)) };
    }
    all.len()
}
