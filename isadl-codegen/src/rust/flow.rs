//! `flow_tables.rs` of a generated crate: what the opcodes read and write, and the enumerations of
//! special registers and of memory. `embedded/flow.rs` resolves it for an instruction.
//!
//! The twin of `isadl/src/flow.rs`. What depends on the opcode alone is decided here: constants are
//! no entries, registers are counted where the width is fixed, a guard is masks and values.

use std::collections::BTreeMap;

use isadl::isa::{
    Access, ConstantBits, Entry, Field, FlowItem, FlowPlace, Meaning, Number, Opcode, Piece, Place,
    Print, RegFileId, Symbol, Type, TypeId, TypeKind,
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::names::{Scope, ident};
use super::plan::{Computed, Plan, Shared};
use super::tables::{by_row, word};
use super::types::part_getters;

/// Most registers that the bits of a mask stand for.
const MAX_MASK_BITS: u32 = 64;

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
}

/// What the bits of an item's field mean.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
enum What {
    /// What the entry of the value says; `width` is that of the data, where it is computed.
    Entries { list: Vec<EntryPlan>, width: Option<usize> },
    /// Every bit stands for a register.
    Mask { file: RegFileId },
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
            items.extend(item_plan(plan, opcode, item, widths).map(|(field, what)| {
                let (lsb, width) = field.map_or((0, 0), |field| (field.lsb, field.width));
                ItemPlan { lsb, width, what, effects, is_guard: item.is_guard }
            }));
            // The register that numbers another one is read.
            if let FlowPlace::Indirect { base, .. } = item.place
                && let Some(field) = opcode.field(base)
                && let Some(what) = of_field(plan, field, None)
            {
                let effects = match item.is_always {
                    true => [Effect::Read; 2],
                    false => [Effect::Read, Effect::ConditionalRead],
                };
                let (lsb, width) = (field.lsb, field.width);
                items.push(ItemPlan { lsb, width, what, effects, is_guard: false });
            }
        }
        FlowPlan { items, unguarded: unguarded(plan, opcode) }
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

    /// Whether the width of some operand depends on other fields.
    pub(super) fn has_computed(&self) -> bool {
        let is_computed =
            |item: &ItemPlan| matches!(item.what, What::Entries { width: Some(_), .. });
        self.items.iter().any(is_computed)
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
fn item_plan<'o>(
    plan: &Plan<'_>,
    opcode: &'o Opcode,
    item: &FlowItem,
    widths: &mut Shared<Computed>,
) -> Option<(Option<&'o Field>, What)> {
    let files = plan.isa.reg_files();
    match item.place {
        FlowPlace::Field(name) => {
            let field = opcode.field(name)?;
            let width = item.width.map(|expr| match plan.constant(opcode, expr) {
                Some(bits) => Width::Fixed(bits),
                None => Width::Computed(widths.add(plan.computed(opcode, expr))),
            });
            Some((Some(field), of_field(plan, field, width)?))
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
            is_narrow.then_some((Some(field), What::Mask { file }))
        }
    }
}

/// What no field says: the entry of the value that no bits have.
fn always(target: Target) -> What {
    What::Entries { list: vec![EntryPlan { value: 0, count: 1, target }], width: None }
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
    /// The first item that may be the same as a later one; the later one if none may.
    fn alike(&self, index: usize) -> usize {
        let item = &self.items[index];
        let earlier = self.items[..index].iter();
        let mut found = earlier.enumerate().filter(|(_, other)| self.may_be_alike(other, item));
        found.next().map_or(index, |(index, _)| index)
    }

    fn may_be_alike(&self, a: &ItemPlan, b: &ItemPlan) -> bool {
        // A guard that forbids nothing is a constant, so that it is no resource then.
        let is_other_guard = (a.is_guard || b.is_guard) && self.unguarded != [(0, 0)];
        let mut effects = a.effects.iter().zip(&b.effects).skip(usize::from(is_other_guard));
        effects.any(|(a, b)| a == b) && a.what.meets(&b.what)
    }
}

impl What {
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
            What::Mask { file } => {
                let limit = MAX_MASK_BITS;
                let target =
                    Target::Registers { file: *file, number: 0, align: 1, limit, registers: 1 };
                vec![(target, limit.into())]
            }
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

/// `flow_tables.rs` of a generated crate.
pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let memory_types = memory_types(plan);
    let mut entries = Entries::default();
    let flows: Vec<TokenStream> =
        plan.flows.iter().map(|flow| flow_row(flow, &mut entries, &memory_types)).collect();
    let entries = entries.all.iter().map(|entry| entry_row(plan, entry));
    let flow_of =
        by_row(plan, Literal::usize_unsuffixed(0), |row| Literal::usize_unsuffixed(row.flow));
    let (rows, count) =
        (Literal::usize_unsuffixed(flow_of.len()), Literal::usize_unsuffixed(flows.len()));
    let specials = plan.has_specials().then(|| specials(plan));
    let memory = (!memory_types.is_empty()).then(|| memory(plan, &memory_types));
    quote! {
        //! The data of what instructions read and write.

        #![allow(dead_code, unused_imports, clippy::complexity, clippy::style)]

        use core::fmt;

        use super::flow::Effect::{
            ConditionalRead, ConditionalWrite, Read, ReadConditionalWrite, ReadWrite, Write,
        };
        use super::flow::{Entry, Flow, Item, Kind, Target};
        use super::{RegFile, types};

        /// What each opcode reads and writes.
        pub(crate) const FLOW_OF: &[u16; #rows] = &[#(#flow_of),*];

        pub(crate) static FLOWS: [Flow; #count] = [#(#flows),*];

        /// What the values of fields stand for.
        pub(crate) static ENTRIES: &[Entry] = &[#(#entries),*];

        #specials
        #memory
    }
}

fn flow_row(flow: &FlowPlan, entries: &mut Entries, memory_types: &[TypeId]) -> TokenStream {
    let items = flow.items.iter().enumerate().map(|(index, item)| {
        let (kind, first, count, data) = match &item.what {
            What::Entries { list, width: None } => ("Fixed", entries.add(list), list.len(), 0),
            What::Entries { list, width: Some(width) } => {
                ("Computed", entries.add(list), list.len(), *width)
            }
            What::Mask { file } => {
                let target =
                    Target::Registers { file: *file, number: 0, align: 1, limit: 0, registers: 1 };
                ("Mask", entries.add(&[EntryPlan { value: 0, count: 1, target }]), 1, 0)
            }
            What::Memory { ty } => {
                let index = memory_types.iter().position(|known| known == ty);
                ("Memory", index.unwrap_or(0), 0, 0)
            }
        };
        let kind = ident(kind);
        let effects = item.effects.map(|effect| ident(&format!("{effect:?}")));
        let [lsb, width] = [item.lsb, item.width].map(Literal::u32_unsuffixed);
        let [alike, first, count, data] =
            [flow.alike(index), first, count, data].map(Literal::usize_unsuffixed);
        quote! {
            Item {
                kind: Kind::#kind, lsb: #lsb, width: #width, effects: [#(#effects),*], alike: #alike, first: #first,
                count: #count, data: #data,
            }
        }
    });
    let unguarded = flow.unguarded.iter().map(|(mask, value)| {
        let (mask, value) = (word(*mask), word(*value));
        quote!((#mask, #value))
    });
    quote!(Flow { unguarded: &[#(#unguarded),*], items: &[#(#items),*] })
}

fn entry_row(plan: &Plan<'_>, entry: &EntryPlan) -> TokenStream {
    let [value, count] = [entry.value, entry.count].map(Literal::u64_unsuffixed);
    let (target, numbers) = match entry.target {
        Target::Registers { file, number, align, limit, registers } => {
            let file = &plan.reg_files[file.index()];
            (quote!(Target::Registers(RegFile::#file)), [number, limit, registers, align])
        }
        Target::Unknown { file } => {
            let file = &plan.reg_files[file.index()];
            (quote!(Target::Unknown(RegFile::#file)), [0, 0, 0, 1])
        }
        Target::Special(index) => {
            let special = &plan.specials[index];
            (quote!(Target::Special(Special::#special)), [0, 0, 0, 1])
        }
    };
    let [number, limit, registers, align] = numbers.map(Literal::u32_unsuffixed);
    let align = plan.has_aligned().then(|| quote!(align: #align,));
    quote! {
        Entry { value: #value, count: #count, target: #target, number: #number, limit: #limit, registers: #registers, #align }
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
            pub(crate) const fn from_bits(number: u16, raw: u64) -> Option<Memory> {
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
