//! `flow_tables.rs` of a generated crate: what the opcodes read and write, and the enumerations of
//! special registers and of memory. `embedded/flow.rs` resolves it for an instruction.
//!
//! The twin of `isadl/src/flow.rs`. What depends on the opcode alone is decided here: constants are
//! no entries, registers are counted where the width is fixed, a guard is masks and values.

use std::collections::BTreeMap;

use isadl::isa::{
    Access, Binding, ConstantBits, Entry, Field, FlowItem, FlowPlace, Meaning, Number, Opcode,
    Piece, Place, Print, RegFileId, Symbol, Type, TypeId, TypeKind, low_bits,
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::legacy::{by_row, word};
use super::names::{Scope, ident};
use super::plan::{Computed, Plan, Shared};
use super::types::part_getters;

/// Most registers that the bits of a mask stand for.
const MAX_MASK_BITS: u32 = 64;

/// Kinds of resources, as the generated code numbers them.
const REGISTERS: usize = 0;
const UNKNOWN: usize = 1;
const SPECIAL: usize = 2;
const MEMORY: usize = 3;

/// Bits in which the kind is told.
const KIND_BITS: u32 = 2;

/// Where the parts of a packed use begin: the effect, the value of a place in memory or the number
/// of the first register, and how many registers there are.
const EFFECT: u32 = 16;
const VALUE: u32 = 32;
const COUNT: u32 = 48;

/// Widest place in memory that is packed into 64 bits.
const NARROW_MEMORY: u32 = 32;

/// Widest field whose values are not looked up, and most bits of a mask in one item.
const PLAIN_BITS: u32 = 31;

/// What a row reads and writes.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
pub(super) struct FlowPlan {
    items: Vec<ItemPlan>,
    /// Masks and values of words whose guard is always true.
    unguarded: Vec<(u128, u128)>,
}

/// Something that is read or written.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
struct ItemPlan {
    /// The bits of the field; none for what no field says.
    lsb: u32,
    width: u32,
    what: What,
    /// What is done, in an instruction that its guard cannot forbid and in another.
    effects: [Effect; 2],
    is_guard: bool,
    /// The value that the field has unless another one is given, if it stands for nothing.
    idle: Option<u64>,
}

/// What the bits of an item's field mean.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
enum What {
    /// What the entry of the value says; `width` is that of the data, where it is computed.
    Entries { list: Vec<EntryPlan>, width: Option<usize> },
    /// Every bit stands for a register, the lowest for the one of a number.
    Mask { file: RegFileId, first: u32 },
    /// A place in memory.
    Memory { ty: TypeId },
}

/// Values of a field that stand for resources.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
struct EntryPlan {
    value: u64,
    count: u64,
    target: Target,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Target {
    Registers {
        file: RegFileId,
        number: u32,
        align: u32,
        /// Registers of the file.
        limit: u32,
        /// Registers that the data takes; bits in one, where the width is computed.
        registers: u32,
    },
    Unknown {
        file: RegFileId,
    },
    Special(usize),
    Memory(TypeId),
}

/// As in the generated code.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Effect {
    Read,
    ConditionalRead,
    Write,
    ConditionalWrite,
    ReadWrite,
    ReadConditionalWrite,
}

impl FlowPlan {
    pub(super) fn of(plan: &Plan<'_>, opcode: &Opcode, widths: &mut Shared<Computed>) -> FlowPlan {
        let mut items = Vec::new();
        for item in &opcode.flow {
            let effects = effects(item);
            if let Some((field, what)) = item_plan(plan, opcode, item, widths) {
                add(&mut items, field.as_ref(), what, effects, item.is_guard);
            }
            // The register that numbers another one is read.
            if let FlowPlace::Indirect { base, .. } = item.place
                && let Some(field) = opcode.field(base)
                && let Some(what) = of_field(plan, field, None)
            {
                let effects = match item.is_always {
                    true => [Effect::Read; 2],
                    false => [Effect::Read, Effect::ConditionalRead],
                };
                add(&mut items, Some(field), what, effects, false);
            }
        }
        FlowPlan { items, unguarded: unguarded(plan, opcode) }
    }
}

/// Adds an item, if its field can stand for anything; a mask of many bits as several.
fn add(
    items: &mut Vec<ItemPlan>,
    field: Option<&Field>,
    what: What,
    effects: [Effect; 2],
    is_guard: bool,
) {
    let Some(field) = field else {
        items.push(ItemPlan { lsb: 0, width: 0, what, effects, is_guard, idle: None });
        return;
    };
    let (lsb, width) = (field.lsb, field.width);
    let binding = match field.binding {
        Binding::Fixed(raw) if what.is_nothing_at(raw) => return,
        Binding::Default(raw) if what.is_nothing_at(raw) => Some(raw),
        _ => None,
    };
    let mut add = |what, lsb, width, idle| {
        items.push(ItemPlan { lsb, width, what, effects, is_guard, idle });
    };
    match what {
        What::Mask { file, .. } => {
            let mut first = 0;
            while first < width {
                let part = (width - first).min(PLAIN_BITS);
                add(What::Mask { file, first }, lsb + first, part, binding.map(|_| 0));
                first += part;
            }
        }
        _ => add(what, lsb, width, binding),
    }
}

impl FlowPlan {
    /// Whether bits of some field stand for registers.
    pub(super) fn has_mask(&self) -> bool {
        self.items.iter().any(|item| matches!(item.what, What::Mask { .. }))
    }

    /// Whether some operand is in memory.
    pub(super) fn has_memory(&self) -> bool {
        self.items.iter().any(|item| matches!(item.what, What::Memory { .. }))
    }

    /// Whether values of some field are looked up.
    pub(super) fn has_lists(&self) -> bool {
        self.items.iter().any(|item| item.run().is_none())
    }

    /// Whether some place in memory has more bits than a use of 64 bits has room for.
    pub(super) fn has_wide_memory(&self) -> bool {
        let is_wide = |item: &ItemPlan| {
            matches!(item.what, What::Memory { .. }) && item.width > NARROW_MEMORY
        };
        self.items.iter().any(is_wide)
    }
}

impl ItemPlan {
    /// Mask and value of the words in which it stands for nothing, as it does by default.
    fn idle_bits(&self) -> Option<(u128, u128)> {
        Some((low_bits(self.width) << self.lsb, u128::from(self.idle?) << self.lsb))
    }

    /// Most uses that it stands for.
    fn room(&self) -> usize {
        match self.what {
            What::Mask { .. } => self.width as usize,
            _ => 1,
        }
    }
}

/// What is done where the guard cannot forbid it, and where it may.
fn effects(item: &FlowItem) -> [Effect; 2] {
    let read = [Effect::Read, Effect::ConditionalRead];
    let [write, both] = match item.is_partial {
        true => [[Effect::ConditionalWrite; 2], [Effect::ReadConditionalWrite; 2]],
        false => [
            [Effect::Write, Effect::ConditionalWrite],
            [Effect::ReadWrite, Effect::ReadConditionalWrite],
        ],
    };
    let effects = match item.access {
        Access::None | Access::Read => read,
        Access::Write => write,
        Access::ReadWrite => both,
    };
    if item.is_always { [effects[0]; 2] } else { effects }
}

/// The field of an item and what its bits mean; `None` for what is never a resource.
fn item_plan(
    plan: &Plan<'_>,
    opcode: &Opcode,
    item: &FlowItem,
    widths: &mut Shared<Computed>,
) -> Option<(Option<Field>, What)> {
    let files = plan.isa.reg_files();
    match item.place {
        FlowPlace::Field(name) => {
            let field = opcode.field(name)?;
            let width = item.width.map(|expr| match plan.constant(opcode, expr) {
                Some(bits) => Width::Fixed(bits),
                None => Width::Computed(widths.add(plan.computed(opcode, expr))),
            });
            Some((Some(field.clone()), of_field(plan, field, width)?))
        }
        FlowPlace::Part { field, part } => {
            let part = plan.isa.part(opcode.field(field)?, part)?;
            let what = of_field(plan, &part, None)?;
            Some((Some(part), what))
        }
        FlowPlace::File(file) => {
            let limit = files[file.index()].count;
            let target = Target::Registers { file, number: 0, align: 1, limit, registers: limit };
            Some((None, always(target)))
        }
        FlowPlace::Indirect { file, .. } => Some((None, always(Target::Unknown { file }))),
        FlowPlace::Mask { field, file } => {
            let field = opcode.field(field)?;
            let is_narrow = field.width <= files[file.index()].count.min(MAX_MASK_BITS);
            is_narrow.then(|| (Some(field.clone()), What::Mask { file, first: 0 }))
        }
    }
}

/// What no field says: the entry of the value that no bits have.
fn always(target: Target) -> What {
    What::Entries { list: vec![EntryPlan { value: 0, count: 1, target }], width: None }
}

/// One register by its number.
fn register(file: RegFileId, number: u32) -> Target {
    Target::Registers { file, number, align: 1, limit: number + MAX_MASK_BITS, registers: 1 }
}

/// Bits of data.
#[derive(Clone, Copy)]
enum Width {
    Fixed(u16),
    Computed(usize),
}

/// What the bits of an operand's field mean.
fn of_field(plan: &Plan<'_>, field: &Field, width: Option<Width>) -> Option<What> {
    let entries = match &plan.isa.ty(field.ty).kind {
        TypeKind::Composite(_) => return Some(What::Memory { ty: plan.canonical(field.ty) }),
        TypeKind::Operand(entries) => entries,
        TypeKind::BitField(_) | TypeKind::Immediate(_) => return None,
    };
    let mut list: Vec<EntryPlan> = entries
        .iter()
        .filter_map(|entry| {
            let target = target(plan, entry, width)?;
            Some(EntryPlan { value: entry.value, count: entry.count, target })
        })
        .collect();
    // Entries are disjoint, and most values are of the largest.
    list.sort_by_key(|entry| std::cmp::Reverse(entry.count));
    let width = match width {
        Some(Width::Computed(index)) => Some(index),
        _ => None,
    };
    (!list.is_empty()).then_some(What::Entries { list, width })
}

fn target(plan: &Plan<'_>, entry: &Entry, width: Option<Width>) -> Option<Target> {
    let (file, number, align) = match &entry.meaning {
        Meaning::Registers { file, first, align, .. } => (*file, *first, *align),
        Meaning::Register { file, number, .. } => (*file, *number, 1),
        Meaning::Special(name) => {
            let index = plan.isa.specials().iter().position(|special| special == name)?;
            return Some(Target::Special(index));
        }
        Meaning::Constant { .. }
        | Meaning::Nothing(_)
        | Meaning::Integers { .. }
        | Meaning::Float(_)
        | Meaning::Literal => return None,
    };
    let definition = &plan.isa.reg_files()[file.index()];
    let one = definition.width.max(1);
    let registers = match width {
        None => 1,
        Some(Width::Fixed(bits)) => u32::from(bits).div_ceil(one).max(1),
        Some(Width::Computed(_)) => one,
    };
    Some(Target::Registers { file, number, align, limit: definition.count, registers })
}

/// Masks and values of the words that the guard cannot forbid: it is a constant that is true.
fn unguarded(plan: &Plan<'_>, opcode: &Opcode) -> Vec<(u128, u128)> {
    let Some(guard) = &opcode.syntax.guard else { return vec![(0, 0)] };
    let Place::Field(name) = guard.place(opcode) else { return Vec::new() };
    let Some(field) = opcode.field(name) else { return Vec::new() };
    let TypeKind::Operand(entries) = &plan.isa.ty(field.ty).kind else { return Vec::new() };
    let negations = guard.marks.iter().filter(|mark| mark.symbol == Symbol::Not);
    let negated =
        negations.filter_map(|mark| opcode.field(mark.field)).fold(0, |all, f| all | f.mask());
    let constants = entries.iter().flat_map(|entry| {
        let Meaning::Constant { bits, .. } = entry.meaning else { return Vec::new() };
        (0..entry.count).map(|position| (entry.value + position, bits)).collect()
    });
    let mut unguarded = Vec::new();
    for (raw, bits) in constants {
        let value = field.insert(0, raw);
        match bits {
            ConstantBits::One => unguarded.push((field.mask() | negated, value)),
            // Any bit negates it.
            ConstantBits::Zero => {
                let bits = (0..128).map(|bit| 1 << bit).filter(|bit| negated & bit != 0);
                unguarded.extend(bits.map(|bit| (field.mask() | bit, value | bit)));
            }
        }
    }
    unguarded
}

impl FlowPlan {
    /// Mask and value of the words whose idle fields are idle and whose guard forbids nothing;
    /// `None` if there are no such words.
    fn usual(&self) -> Option<(u128, u128)> {
        // Fields that share bits need not be idle together.
        let join = |(mask, value): (u128, u128), (other_mask, other): (u128, u128)| {
            let agree = (value ^ other) & mask & other_mask == 0;
            agree.then_some((mask | other_mask, value | other))
        };
        let idle = self.items.iter().filter_map(ItemPlan::idle_bits).try_fold((0, 0), join)?;
        self.unguarded.iter().find_map(|bits| join(idle, *bits))
    }

    /// How many uses before one may have to be looked at for the same.
    fn reach(&self) -> usize {
        let items = self.items.iter().enumerate();
        let reaches = items.map(|(index, item)| {
            let mut earlier = self.items[..index].iter();
            let first = earlier.position(|other| self.may_be_alike(other, item));
            let first = first?;
            Some(self.items[first..=index].iter().map(ItemPlan::room).sum::<usize>() - 1)
        });
        reaches.flatten().max().unwrap_or(0)
    }

    /// Most uses that there may be.
    fn room(&self) -> usize {
        self.items.iter().map(ItemPlan::room).sum()
    }

    fn may_be_alike(&self, a: &ItemPlan, b: &ItemPlan) -> bool {
        // A guard that forbids nothing is a constant, so that it is no resource then.
        let is_other_guard = (a.is_guard || b.is_guard) && self.unguarded != [(0, 0)];
        let mut effects = a.effects.iter().zip(&b.effects).skip(usize::from(is_other_guard));
        effects.any(|(a, b)| a == b) && a.what.meets(&b.what)
    }
}

impl What {
    /// Whether a value of the field stands for no resource.
    fn is_nothing_at(&self, raw: u64) -> bool {
        match self {
            What::Entries { list, .. } => {
                list.iter().all(|entry| raw.wrapping_sub(entry.value) >= entry.count)
            }
            What::Mask { .. } => raw == 0,
            What::Memory { .. } => false,
        }
    }

    /// Whether both may be the same resource.
    fn meets(&self, other: &What) -> bool {
        match (self, other) {
            (What::Memory { ty }, What::Memory { ty: other }) => ty == other,
            (What::Memory { .. }, _) | (_, What::Memory { .. }) => false,
            _ => self.targets().iter().any(|a| other.targets().iter().any(|b| may_be_same(*a, *b))),
        }
    }

    /// The resources that values may stand for, and how many values.
    fn targets(&self) -> Vec<(Target, u64)> {
        match self {
            What::Entries { list, .. } => list.iter().map(|e| (e.target, e.count)).collect(),
            What::Mask { file, first } => vec![(register(*file, *first), PLAIN_BITS.into())],
            What::Memory { .. } => Vec::new(),
        }
    }
}

/// Whether some of the values of two entries may stand for the same resource.
fn may_be_same((a, a_count): (Target, u64), (b, b_count): (Target, u64)) -> bool {
    match (a, b) {
        (
            Target::Registers { file, number, align, .. },
            Target::Registers { file: other, number: other_number, align: other_align, .. },
        ) => {
            let first = |number: u32, align: u32| u64::from(number - number % align.max(1));
            let end = |number: u32, count: u64| u64::from(number) + count;
            file == other
                && first(number, align) < end(other_number, b_count)
                && first(other_number, other_align) < end(number, a_count)
        }
        (Target::Unknown { file }, Target::Unknown { file: other }) => file == other,
        (Target::Special(special), Target::Special(other)) => special == other,
        _ => false,
    }
}

/// The entries of all items, one list behind the other.
#[derive(Default)]
struct Entries {
    all: Vec<EntryPlan>,
    known: BTreeMap<Vec<EntryPlan>, usize>,
}

impl Entries {
    /// Where a list begins.
    fn add(&mut self, list: &[EntryPlan]) -> usize {
        let next = self.all.len();
        *self.known.entry(list.to_vec()).or_insert_with(|| {
            self.all.extend(list);
            next
        })
    }
}

/// The distinct items of all flows, each of which is written once.
#[derive(Default)]
struct Items {
    all: Vec<TokenStream>,
    known: BTreeMap<String, usize>,
}

impl Items {
    /// The name of an item.
    fn add(&mut self, item: TokenStream) -> Ident {
        let next = self.all.len();
        let index = *self.known.entry(item.to_string()).or_insert(next);
        if index == next {
            self.all.push(item);
        }
        Items::name(index)
    }

    fn name(index: usize) -> Ident {
        ident(&format!("I{index}"))
    }
}

/// `flow_tables.rs` of a generated crate.
pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let memory_types = memory_types(plan);
    let (mut entries, mut items) = (Entries::default(), Items::default());
    let mut flow_row = |flow| flow_row(flow, plan, &mut entries, &mut items);
    let flows: Vec<TokenStream> = plan.flows.iter().map(&mut flow_row).collect();
    let (item_names, items) = ((0..items.all.len()).map(Items::name), &items.all);
    let entries = entries.all.iter().map(|entry| entry_row(plan, entry));
    let flow_of = by_row(plan, flow_name(0), |row| flow_name(row.flow));
    let rows = Literal::usize_unsuffixed(flow_of.len());
    let names = (0..flows.len()).map(flow_name);
    let specials = plan.has_specials().then(|| specials(plan));
    let most = |count: fn(&FlowPlan) -> usize| {
        Literal::usize_unsuffixed(plan.flows.iter().map(count).max().unwrap_or(0))
    };
    let (room, reach) = (most(FlowPlan::room), most(FlowPlan::reach));
    let packed = if plan.has_wide_memory() { quote!(u128) } else { quote!(u64) };
    let memory = (!memory_types.is_empty()).then(|| memory(plan, &memory_types));
    quote! {
        //! The data of what instructions read and write.

        #![allow(dead_code, non_camel_case_types, unused_imports)]
        #![allow(clippy::complexity, clippy::style)]

        use core::fmt;

        use super::flow::{Effect, Entry, Flow, Item, Kind};
        use super::types::{self, RegFile};

        /// A use in few bits.
        pub(crate) type Packed = #packed;

        /// Most uses of an instruction.
        pub(crate) const ROOM: usize = #room;

        /// How many uses before one may have to be looked at for the same.
        pub(crate) const REACH: usize = #reach;

        /// What each opcode reads and writes.
        pub(crate) static FLOW_OF: [&Flow; #rows] = [#(&#flow_of),*];

        #(static #names: Flow = #flows;)*

        #(const #item_names: Item = #items;)*

        /// What the values of fields stand for.
        pub(crate) static ENTRIES: &[Entry] = &[#(#entries),*];

        #specials
        #memory
    }
}

/// What the data of a flow is called.
fn flow_name(index: usize) -> Ident {
    ident(&format!("F{index}"))
}

fn flow_row(
    flow: &FlowPlan,
    plan: &Plan<'_>,
    entries: &mut Entries,
    items: &mut Items,
) -> TokenStream {
    let usual = flow.usual();
    // Of no word are all bits 0 and one of them 1.
    let bits = usual.unwrap_or((0, 1));
    let needed = |item: &&ItemPlan| usual.is_some() && item.idle.is_none();
    // Where every word is usual, the rest is never looked at.
    let is_rest = |_: &&ItemPlan| bits != (0, 0);
    let mut rows = |is_wanted: &dyn Fn(&&ItemPlan) -> bool| -> Vec<Ident> {
        let wanted = flow.items.iter().filter(is_wanted);
        wanted.map(|item| items.add(item_row(item, plan, entries))).collect()
    };
    let (usual_items, items) = (rows(&needed), rows(&is_rest));
    let pair = |(mask, value): (u128, u128)| {
        let (mask, value) = (word(mask), word(value));
        quote!((#mask, #value))
    };
    let unguarded = flow.unguarded.iter().map(|bits| pair(*bits));
    let usual = pair(bits);
    quote! {
        Flow {
            usual: #usual, usual_items: &[#(#usual_items),*],
            unguarded: &[#(#unguarded),*], items: &[#(#items),*],
        }
    }
}

fn item_row(item: &ItemPlan, plan: &Plan<'_>, entries: &mut Entries) -> TokenStream {
    let run = item.run();
    let kind = match (&item.what, run.map(|run| run.target)) {
        (What::Mask { file, .. }, _) => of_file(plan, "Mask", *file),
        (_, Some(Target::Registers { file, .. })) => of_file(plan, "Registers", file),
        (_, Some(_)) => quote!(Other),
        (What::Entries { width: Some(_), .. }, None) => quote!(Computed),
        _ => quote!(Listed),
    };
    // What is not one run is found among the entries.
    let list = if run.is_some() { Vec::new() } else { item.entries() };
    let (first, count) = (entries.add(&list), list.len());
    let base = run.map_or(0, |run| packed(plan, run.target));
    let uses = item.effects.map(|effect| word(base | (effect as u128) << EFFECT));
    let effects = item.effects.map(|effect| ident(&format!("{effect:?}")));
    let (value, values) = run.map_or((0, 0), |run| (run.value, run.count));
    let data = match item.what {
        What::Entries { width: Some(width), .. } => width,
        _ => 0,
    };
    let [lsb, width] = [item.lsb, item.width].map(Literal::u32_unsuffixed);
    let mask = word(u128::from(low_bits(item.width) as u32));
    let [value, values] = [value, values].map(Literal::u64_unsuffixed);
    let [first, count, data] = [first, count, data].map(Literal::usize_unsuffixed);
    quote! {
        Item {
            uses: [#(#uses),*], lsb: #lsb, width: #width, mask: #mask, value: #value, count: #values,
            entries: (#first, #count), data: #data, kind: Kind::#kind,
            effects: [#(Effect::#effects),*],
        }
    }
}

/// A kind that has a register file.
fn of_file(plan: &Plan<'_>, kind: &str, file: RegFileId) -> TokenStream {
    let (kind, file) = (ident(kind), &plan.reg_files[file.index()]);
    quote!(#kind(RegFile::#file))
}

impl ItemPlan {
    /// The one entry that is not looked up, if that will do: each value is one resource, and the
    /// next value the next one.
    fn run(&self) -> Option<EntryPlan> {
        let entries = self.entries();
        let [entry] = entries.as_slice() else { return None };
        let is_computed = matches!(self.what, What::Entries { width: Some(_), .. });
        let is_plain = match entry.target {
            Target::Registers { registers, align, .. } => {
                (registers == 1 || entry.count == 1) && align == 1 && !is_computed
            }
            Target::Unknown { .. } | Target::Special(_) => entry.count == 1,
            Target::Memory(_) => true,
        };
        let last = entry.value.checked_add(entry.count)?;
        (is_plain && self.width <= PLAIN_BITS && last <= 1 << PLAIN_BITS).then_some(*entry)
    }

    fn entries(&self) -> Vec<EntryPlan> {
        match &self.what {
            What::Entries { list, .. } => list.clone(),
            What::Mask { file, first } => {
                let count = u64::from(self.width);
                vec![EntryPlan { value: 0, count, target: register(*file, *first) }]
            }
            What::Memory { ty } => {
                let count = (low_bits(self.width) as u64).saturating_add(1);
                vec![EntryPlan { value: 0, count, target: Target::Memory(*ty) }]
            }
        }
    }
}

/// The first resource of an entry, as the generated code packs it.
fn packed(plan: &Plan<'_>, target: Target) -> u128 {
    let head = head(plan, target) as u128;
    match target {
        Target::Registers { number, limit, registers, .. } => {
            let count = registers.min(limit.saturating_sub(number)).max(1);
            head | u128::from(number) << VALUE | u128::from(count) << COUNT
        }
        _ => head,
    }
}

/// The kind of a resource, and what it is of.
fn head(plan: &Plan<'_>, target: Target) -> usize {
    let (kind, of) = match target {
        Target::Registers { file, .. } => (REGISTERS, plan.reg_file_number(file)),
        Target::Unknown { file } => (UNKNOWN, plan.reg_file_number(file)),
        Target::Special(index) => (SPECIAL, index),
        Target::Memory(ty) => {
            let index = memory_types(plan).iter().position(|known| *known == ty);
            (MEMORY, index.unwrap_or(0))
        }
    };
    of << KIND_BITS | kind
}

fn entry_row(plan: &Plan<'_>, entry: &EntryPlan) -> TokenStream {
    let more = match entry.target {
        // Every value is a place.
        Target::Memory(_) => u64::MAX,
        _ => entry.count - 1,
    };
    let [value, more] = [entry.value, more].map(Literal::u64_unsuffixed);
    let numbers = match entry.target {
        Target::Registers { number, align, limit, registers, .. } => {
            [number, limit, registers, align]
        }
        Target::Unknown { .. } | Target::Special(_) | Target::Memory(_) => [0, 0, 0, 1],
    };
    let head = Literal::usize_unsuffixed(head(plan, entry.target));
    let [number, limit, registers, align] = numbers.map(Literal::u32_unsuffixed);
    let align = plan.has_aligned().then(|| quote!(align: #align,));
    quote! {
        Entry { value: #value, more: #more, head: #head, number: #number, limit: #limit, registers: #registers, #align }
    }
}

/// The enumeration of special registers.
fn specials(plan: &Plan<'_>) -> TokenStream {
    let (idents, names) = (&plan.specials, plan.isa.specials());
    let docs = names.iter().map(|name| format!(" The special register {name}."));
    quote! {
        /// A special register, a resource of its own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[non_exhaustive]
        pub enum Special { #(#[doc = #docs] #idents,)* }

        impl Special {
            /// Every special register.
            pub const ALL: &'static [Special] = &[#(Special::#idents),*];

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { #(Special::#idents => #names,)* }
            }
        }

        impl fmt::Display for Special {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    }
}

/// The types of operands in memory.
fn memory_types(plan: &Plan<'_>) -> Vec<TypeId> {
    let items = plan.flows.iter().flat_map(|flow| &flow.items);
    let mut types: Vec<TypeId> = items
        .filter_map(|item| match item.what {
            What::Memory { ty } => Some(ty),
            _ => None,
        })
        .collect();
    types.sort_unstable();
    types.dedup();
    types
}

/// The enumeration of places in memory, a variant for each type.
fn memory(plan: &Plan<'_>, types: &[TypeId]) -> TokenStream {
    let mut scope = Scope::reserving(&[]);
    let variants: Vec<Ident> = types.iter().map(|ty| scope.add(&plan.isa.ty(*ty).name)).collect();
    let idents: Vec<Ident> = types.iter().map(|ty| plan.type_ident(*ty)).collect();
    let docs = types.iter().map(|ty| format!(" What a `{}` addresses.", plan.isa.ty(*ty).name));
    let numbers = (0..types.len()).map(Literal::usize_unsuffixed);
    let printers = types.iter().map(|ty| printer(plan, *ty));
    quote! {
        /// A place in memory, as its operand says.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(clippy::upper_case_acronyms)]
        #[non_exhaustive]
        pub enum Memory { #(#[doc = #docs] #variants(types::#idents),)* }

        impl Memory {
            /// The place that a field of the type of a number says.
            pub(crate) const fn from_bits(number: usize, raw: u64) -> Option<Memory> {
                match number {
                    #(#numbers => match types::#idents::from_bits(raw) {
                        Some(place) => Some(Memory::#variants(place)),
                        None => None,
                    },)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for Memory {
            /// Writes it as in assembly text, but numbers that are no integers by their bits.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { #(Memory::#variants(place) => #printers,)* }
            }
        }
    }
}

/// Writes the parts of `place`.
fn printer(plan: &Plan<'_>, ty: TypeId) -> TokenStream {
    let TypeKind::Composite(composite) = &plan.isa.ty(ty).kind else { return quote!(Ok(())) };
    let getters = part_getters(composite);
    let mut format = String::new();
    let mut arguments: Vec<TokenStream> = Vec::new();
    for piece in &composite.format {
        match piece {
            Piece::Text(text) => format += &text.replace('{', "{{").replace('}', "}}"),
            Piece::Part(index) => {
                let (text, argument) = part_text(plan.isa.ty(composite.parts[*index].ty));
                let getter = &getters[*index];
                format += text;
                arguments.push(quote!(place.#getter() #argument));
            }
        }
    }
    quote!(write!(f, #format, #(#arguments),*))
}

/// How a part is written.
fn part_text(ty: &Type) -> (&'static str, TokenStream) {
    let TypeKind::Immediate(immediate) = &ty.kind else { return ("{}", quote!()) };
    let is_integer = !matches!(immediate.number.number, Number::Float { .. });
    let is_signed = immediate.number.number == Number::Signed;
    match immediate.print {
        Print::Decimal if is_integer && immediate.number.lanes == 1 => ("{}", quote!(.get())),
        _ if is_signed && immediate.number.lanes == 1 => ("{}", quote!(.get())),
        Print::UpperHex => ("{:#X}", quote!(.bits())),
        Print::Decimal | Print::Hex | Print::Bits => ("{:#x}", quote!(.bits())),
    }
}
