//! Facts about slots at one point of a block: definitions, constants, and bits that are zero.

use std::collections::HashMap;

use crate::micro::{Binary, Form, Kind, Micro};
use crate::reads::each_write;
use crate::slots::{Slot, ZERO};

/// A slot that was not written yet.
const NONE: u32 = u32::MAX;

pub(super) struct Facts<'f> {
    /// The micro-operations so far that have a result, with what else is known of it.
    definitions: Vec<Definition>,
    /// The definition of each slot that was written.
    current: HashMap<Slot, u32>,
    /// The bits of slots that may be 1 before anything is written.
    ones: &'f dyn Fn(Slot) -> u64,
}

struct Definition {
    /// `None` if it is not one of those that rules know.
    micro: Option<Micro>,
    /// The definitions of its operands at that time.
    operands: [u32; 3],
    /// The bits of the result that may be 1.
    ones: u64,
}

impl<'f> Facts<'f> {
    pub(super) fn new(ones: &'f dyn Fn(Slot) -> u64) -> Facts<'f> {
        Facts { definitions: Vec::new(), current: HashMap::new(), ones }
    }

    /// Notes the next micro-operation.
    pub(super) fn add(&mut self, micro: &Micro) {
        let number = self.definitions.len() as u32;
        let definition = match micro.has_result() {
            true => Definition {
                micro: Some(Micro { more: None, ..*micro }),
                operands: micro.reads().map(|slot| slot.map_or(NONE, |slot| self.version(slot))),
                ones: self.ones_of_result(micro),
            },
            false => Definition { micro: None, operands: [NONE; 3], ones: u64::MAX },
        };
        self.definitions.push(definition);
        let current = &mut self.current;
        let is_known = each_write(micro, &mut |slot| {
            current.insert(slot, number);
        });
        if !is_known {
            // Nothing that was defined before is reached any more.
            current.clear();
        }
    }

    fn version(&self, slot: Slot) -> u32 {
        self.current.get(&slot).copied().unwrap_or(NONE)
    }

    /// The micro-operation whose result is in a slot, if its operands still are what they were.
    pub(super) fn source(&self, slot: Slot) -> Option<&Micro> {
        let definition = self.definitions.get(self.version(slot) as usize)?;
        let micro = definition.micro.as_ref()?;
        let operands = micro.reads().into_iter().zip(definition.operands);
        let mut read = operands.filter_map(|(slot, version)| Some((slot?, version)));
        read.all(|(slot, version)| self.version(slot) == version).then_some(micro)
    }

    /// The source, if it is this operation with a number on its right side; its left side and the number.
    pub(super) fn immediate(&self, slot: Slot, op: Binary, form: Form) -> Option<(Slot, u64)> {
        let source = self.source(slot)?;
        let kind = Kind::Binary { op, form, is_immediate: true };
        (source.kind == kind).then_some((source.a, source.n))
    }

    /// The number in a slot.
    pub(super) fn number(&self, slot: Slot) -> Option<u64> {
        match self.source(slot) {
            None if slot == ZERO => Some(0),
            Some(Micro { kind: Kind::Number, n, .. }) => Some(*n),
            _ => None,
        }
    }

    /// The bits of a slot that may be 1.
    pub(super) fn ones(&self, slot: Slot) -> u64 {
        match self.definitions.get(self.version(slot) as usize) {
            Some(definition) => definition.ones,
            None => (self.ones)(slot),
        }
    }

    /// Whether slots are 0 or 1.
    pub(super) fn are_bits(&self, slots: &[Slot]) -> bool {
        slots.iter().all(|slot| self.ones(*slot) <= 1)
    }

    fn ones_of_result(&self, micro: &Micro) -> u64 {
        let (a, n) = (self.ones(micro.a), micro.n);
        let b = || self.ones(micro.b);
        match micro.kind {
            Kind::Number => n,
            Kind::Copy => a,
            Kind::Bits => a >> (micro.c & 63) & n,
            Kind::Beside => a | b() << (micro.c & 63),
            Kind::Insert => a & !n | b() & n,
            Kind::Select => b() | self.ones(micro.c),
            Kind::Table => 0xff,
            Kind::Count | Kind::LeadingZeros | Kind::TrailingZeros => 0x7f,
            Kind::Reverse => u64::MAX >> ((64 - micro.c) & 63),
            Kind::Load { bytes, is_signed: false } => u64::MAX >> (64 - 8 * u32::from(bytes)),
            Kind::Binary { op, form, is_immediate } => {
                let b = if is_immediate { n } else { b() };
                ones_of_binary(op, form, a, b, is_immediate)
            }
            _ => u64::MAX,
        }
    }
}

fn ones_of_binary(op: Binary, form: Form, a: u64, b: u64, is_immediate: bool) -> u64 {
    let all = if form == Form::Word { u64::from(u32::MAX) } else { u64::MAX };
    if op.is_truth() {
        return 1;
    }
    let bitwise = match op {
        Binary::And => a & b,
        Binary::Or | Binary::Xor => a | b,
        Binary::ShiftLeft if is_immediate && form == Form::Double => a << (b & 63),
        Binary::ShiftRight if is_immediate && form == Form::Double => a >> (b & 63),
        _ => u64::MAX,
    };
    // The signs of words are copied to bits that their operands do not have.
    if form == Form::WordSigned { u64::MAX } else { bitwise & all }
}
