//! Data flow tables of the engine: each row has a list of items, each with a field and the meaning of its values.
//!
//! Facts that depend on the opcode alone are decided here: constants are not in the tables, registers are counted where
//! the width is fixed, and a guard becomes masks and values.

mod items;
mod values;

use std::collections::HashMap;
use std::num::NonZeroU32;

use isadl_engine::flow::Effect;
use isadl_engine::image::{Pattern, Span};
use isadl_engine::image_flow::{
    EFFECT, Flow, Flows, Item, KIND, LOOKED_UP, Lookup, MASK, MEMORY, OTHER, PLAIN, REGISTERS, Run,
    SPECIAL, UNKNOWN, WHEN, WIDE_MEMORY,
};

use super::columns::part;
use super::rows::Rows;
use super::shared::{Shared, Slices};
use crate::isa::{FlowItem, FlowPlace, Isa, Opcode, TypeId, TypeKind, low_bits};
use items::{FlowPlan, ItemPlan};
use values::Values;
pub(super) use values::file_number;

part! {
    /// [`Flows`] with their tables.
    OwnedFlows for Flows;
    own {
        /// The types of places in memory, in the order of their numbers.
        pub memory_types: Vec<TypeId>,
    }
    columns {
        of_row: Vec<u32>,
        flows: Vec<Flow>,
        items: Vec<Item>,
        lookups: Vec<Lookup>,
        runs: Vec<Run>,
        guards: Vec<Pattern>,
        reach: u8,
        room: u32,
    }
    seen |part| {
        has_masks: part.has(MASK),
        has_others: part.has(OTHER) || part.has(LOOKED_UP) || part.has(WHEN),
        has_conditions: part.has(WHEN),
        has_compared: part.items.iter().any(|item| item.is_compared),
        has_unknown: part.has_resource(UNKNOWN),
        has_special: part.has_resource(SPECIAL),
        has_memory: part.has_resource(MEMORY),
        has_wide_memory: part.has_resource(WIDE_MEMORY),
    }
}

impl OwnedFlows {
    /// The tables of an instruction set.
    pub(super) fn of(rows: &mut Rows<'_>) -> OwnedFlows {
        let memory_types = memory_types(rows.isa);
        let specials = rows.isa.specials().iter().map(String::as_str).zip(0..).collect();
        let names = Names { isa: rows.isa, memory_types: &memory_types, specials };
        let mut builder = Builder::default();
        builder.add(rows, &FlowPlan::default());
        let mut of_row = vec![0];
        let opcodes: Vec<_> = rows.numbered().map(|(_, opcode)| opcode).collect();
        for opcode in opcodes {
            let flow = FlowPlan::of(rows, &names, opcode);
            of_row.push(builder.add(rows, &flow));
        }
        OwnedFlows {
            of_row,
            flows: builder.flows.into_list(),
            items: builder.items.into_rows(),
            lookups: builder.lookups.into_list(),
            runs: builder.runs.into_rows(),
            guards: builder.guards.into_rows(),
            reach: builder.reach,
            room: builder.room,
            memory_types,
        }
    }

    /// Whether there are items of a kind.
    fn has(&self, kind: u8) -> bool {
        self.items.iter().any(|item| item.kind == kind)
    }

    /// Whether some item is a resource of a kind.
    fn has_resource(&self, kind: u8) -> bool {
        let of_item = |item: &Item| item.kind == OTHER && item.uses[0] >> KIND == kind.into();
        self.items.iter().any(of_item) || self.runs.iter().any(|run| run.kind == kind)
    }
}

/// Resolves the numbers that the tables use.
struct Names<'n> {
    isa: &'n Isa,
    memory_types: &'n [TypeId],
    /// The numbers of special registers.
    specials: HashMap<&'n str, u32>,
}

/// The types of operands that are places in memory.
fn memory_types(isa: &Isa) -> Vec<TypeId> {
    let of_item = |opcode: &Opcode, item: &FlowItem| match item.place {
        FlowPlace::Field(name) => opcode.field(name).map(|field| field.ty),
        FlowPlace::Part { field, part } => Some(isa.part(opcode.field(field)?, part)?.ty),
        _ => None,
    };
    let opcodes = isa.opcodes().iter();
    let types =
        opcodes.flat_map(|opcode| opcode.flow.iter().filter_map(move |item| of_item(opcode, item)));
    let is_memory = |ty: &TypeId| matches!(isa.ty(*ty).kind, TypeKind::Composite(_));
    let mut types: Vec<TypeId> = types.filter(is_memory).collect();
    types.sort_unstable();
    types.dedup();
    types
}

/// Counts registers. A file has at most 65,535 registers, and a register has at most as many bits.
fn narrow(registers: u32) -> u16 {
    registers.try_into().unwrap_or(u16::MAX)
}

/// A value that no field has, because it does not fit into 31 bits.
const NONE: u32 = u32::MAX;

/// The row of a condition: the number of an expression, and the number of items that need it.
fn when(number: NonZeroU32, items: usize) -> Item {
    let uses = [u64::from(number.get()), 0];
    Item(uses, 0, NONE, 0, 0, items as u16, [Effect::Read; 2], 0, WHEN, false)
}

#[derive(Default)]
struct Builder {
    flows: Shared<Flow>,
    items: Slices<Item>,
    lookups: Shared<Lookup>,
    runs: Slices<Run>,
    guards: Slices<Pattern>,
    reach: u8,
    room: u32,
}

impl Builder {
    /// The number of a flow.
    fn add(&mut self, rows: &mut Rows<'_>, flow: &FlowPlan) -> u32 {
        let usual = flow.usual();
        // No word matches: a bit cannot be 1 where the mask is 0.
        let bits = usual.unwrap_or(Pattern(0, 1));
        let alike = flow.alike();
        self.reach = self.reach.max(alike.reach as u8);
        self.room = self.room.max(flow.items.iter().map(ItemPlan::room).sum());
        let mut list = |is_wanted: &dyn Fn(&ItemPlan) -> bool| -> Span {
            let wanted =
                flow.items.iter().zip(&alike.is_compared).filter(|(item, _)| is_wanted(item));
            let wanted: Vec<(&ItemPlan, &bool)> = wanted.collect();
            let mut list = Vec::new();
            for items in wanted.chunk_by(|(a, _), (b, _)| a.condition == b.condition) {
                list.extend(items[0].0.condition.map(|number| when(number, items.len())));
                list.extend(items.iter().map(|(item, is)| self.item(rows, item, **is)));
            }
            self.items.add(list)
        };
        let usual_items = list(&|item| usual.is_some() && item.idle.is_none());
        // Where every word is usual, the rest is never looked at.
        let items = list(&|_| bits != Pattern(0, 0));
        let guards = self.guards.add(flow.unguarded.clone());
        self.flows.add(Flow(bits, usual_items, items, guards)) as u32
    }

    /// The row of an item.
    fn item(&mut self, rows: &mut Rows<'_>, plan: &ItemPlan, is_compared: bool) -> Item {
        let uses =
            |base: u64| plan.effects.map(|effect| base.wrapping_add((effect as u64) << EFFECT));
        let (lsb, mask) = (plan.bits.lsb() as u8, low_bits(plan.bits.width()) as u32);
        let row = |uses, first, more, run: &Run, kind| {
            let (file, count) = (run.of, values::count(run));
            Item(uses, mask, first, more, file, count, plan.effects, lsb, kind, is_compared)
        };
        match &plan.values {
            Values::Mask { file, first } => {
                let run = Run(0, 0, REGISTERS, *file, 1, *first, u16::MAX, 1);
                row(uses(values::packed(&run)), NONE, 0, &run, MASK)
            }
            Values::Runs { runs, data } => match plan.plain_run() {
                // The use for value 0 precedes the first use by `run.value`.
                Some(run) => {
                    let uses = uses(values::packed(&run).wrapping_sub(run.value));
                    match run.kind {
                        REGISTERS => row(uses, run.value as u32, run.more as u32, &run, PLAIN),
                        _ => row(uses, NONE, 0, &run, OTHER),
                    }
                }
                None => {
                    let runs = self.runs.add(runs.clone());
                    let (lsb, width) = rows.place(&plan.bits);
                    let lookup = Lookup(lsb, width, runs, *data);
                    let number = self.lookups.add(lookup) as u32;
                    let none = Run(0, 0, REGISTERS, 0, 1, 0, 0, 0);
                    Item { mask: 0, lsb: 0, ..row(uses(number.into()), NONE, 0, &none, LOOKED_UP) }
                }
            },
        }
    }
}
