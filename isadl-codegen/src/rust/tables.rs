//! `tables.rs` of a generated crate: the data. Tables of rows are indexed by row; where each opcode
//! has one, that is the opcode number, with a filler where a number is not in use.

use std::collections::BTreeMap;

use isadl::isa::{Access, FieldRole, Isa, OpcodeId};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::exprs;
use super::names::ident;
use super::plan::{
    LayoutBinding, LayoutField, OperandPlan, PlacePlan, Plan, RowPlan, SlotPlace, WidthPlan,
};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let info = info(plan);
    let records = records(plan);
    let layouts = layouts(plan);
    let operands = operand_lists(plan);
    let rules = rule_sets(plan);
    let generation = (!plan.generations.is_empty()).then(|| {
        quote!(
            use super::Generation;
        )
    });
    quote! {
        //! The data.

        #![allow(dead_code, unused_imports, unused_parens, clippy::complexity, clippy::style)]

        use super::support::{extract, sign_extend};
        use super::{
            Access, Binding, Field, FieldInfo, FieldList, FieldRole, Opcode, OpcodeInfo, OperandInfo, OperandList, OperandPlace, OperandWidth,
            RegFile, Rule, Word,
        };
        #generation

        #records
        #info
        #layouts
        #operands
        #rules
    }
}

/// A word as a literal without suffix.
pub(super) fn word(value: u128) -> TokenStream {
    // Hexadecimal is what a reader compares with.
    let text = format!("0x{value:x}");
    text.parse().unwrap_or_else(|_| quote!(0))
}

/// One entry for each row.
pub(super) fn by_row<T: Clone>(
    plan: &Plan<'_>,
    filler: T,
    mut entry: impl FnMut(&RowPlan) -> T,
) -> Vec<T> {
    let mut table = vec![filler; plan.table_len()];
    for (index, row) in plan.rows.iter().enumerate() {
        table[plan.row_number(index)] = entry(row);
    }
    table
}

fn records(plan: &Plan<'_>) -> TokenStream {
    let count = Literal::usize_unsuffixed(plan.table_len());
    let records = by_row(plan, quote!(Record { mask: 0, value: 0 }), |row| {
        let definition = plan.definition(row);
        let (mask, value) = (word(definition.mask), word(definition.value));
        quote!(Record { mask: #mask, value: #value })
    });
    let indexes = |index: fn(&RowPlan) -> usize| {
        by_row(plan, Literal::usize_unsuffixed(0), |row| Literal::usize_unsuffixed(index(row)))
    };
    let (layouts, rules) = (indexes(|row| row.layout), indexes(|row| row.rules));
    let numbers = by_number(plan);
    let lengths = lengths(plan);
    let memberships = memberships(plan);
    let names = plan.fields.iter().map(|field| plan.isa.name_of(field.name));
    quote! {
        /// The fixed bits of an opcode.
        pub(crate) struct Record {
            pub(crate) mask: Word,
            pub(crate) value: Word,
        }

        pub(crate) static RECORDS: [Record; #count] = [#(#records),*];

        // Tables that are constants and not statics are seen by the compiler of another crate:
        // where the opcode is known, it knows the layout and the rules too.

        /// The layout of each opcode.
        pub(crate) const LAYOUT_OF: &[u16; #count] = &[#(#layouts),*];

        /// The set of rules of each opcode; 0 is the empty one.
        pub(crate) const RULES_OF: &[u16; #count] = &[#(#rules),*];

        #numbers
        #lengths
        #memberships

        pub(crate) static FIELD_NAMES: &[&str] = &[#(#names),*];
    }
}

/// The opcodes by number, and where that is not the same the rows by theirs.
fn by_number(plan: &Plan<'_>) -> TokenStream {
    let len = plan.numbers_len();
    let count = Literal::usize_unsuffixed(len);
    let mut numbers = vec![quote!(None); len];
    for opcode in &plan.opcodes {
        let ident = &opcode.ident;
        numbers[usize::from(opcode.number)] = quote!(Some(Opcode::#ident));
    }
    let rows = rows(plan);
    quote! {
        pub(crate) static BY_NUMBER: [Option<Opcode>; #count] = [#(#numbers),*];

        #rows
    }
}

/// What leads from opcodes to rows and back.
fn rows(plan: &Plan<'_>) -> TokenStream {
    let count = Literal::usize_unsuffixed(plan.rows.len());
    let opcodes = plan.rows.iter().map(|row| {
        let ident = &plan.opcode_of(row).ident;
        quote!(Opcode::#ident)
    });
    let len = plan.numbers_len();
    let numbers = Literal::usize_unsuffixed(len);
    let mut rows_of = vec![quote!((0, 0)); len];
    for opcode in &plan.opcodes {
        let first = Literal::usize_unsuffixed(opcode.rows.start);
        let count = Literal::usize_unsuffixed(opcode.rows.len());
        rows_of[usize::from(opcode.number)] = quote!((#first, #count));
    }
    quote! {
        /// The opcode of each row.
        pub(crate) const OPCODE_OF: &[Opcode; #count] = &[#(#opcodes),*];

        /// The first row of each opcode, by its number, and how many there are.
        pub(crate) static ROWS_OF: [(u16, u16); #numbers] = [#(#rows_of),*];
    }
}

/// Bytes in each row, where they differ.
fn lengths(plan: &Plan<'_>) -> Option<TokenStream> {
    let count = Literal::usize_unsuffixed(plan.table_len());
    plan.varies_width().then(|| {
        let lengths = by_row(plan, Literal::u32_unsuffixed(0), |row| {
            Literal::u32_unsuffixed(plan.definition(row).width / 8)
        });
        quote! {
            /// Bytes in each row.
            pub(crate) const LENGTH_OF: &[u8; #count] = &[#(#lengths),*];
        }
    })
}

/// The generations of each row, where they differ.
fn memberships(plan: &Plan<'_>) -> Option<TokenStream> {
    let count = Literal::usize_unsuffixed(plan.table_len());
    (!plan.generations.is_empty()).then(|| {
        let sets = by_row(plan, word(0), |row| word(u128::from(generation_bits(plan, row))));
        let set = generation_set(plan);
        quote! {
            /// The generations that have each row, a bit each.
            pub(crate) const GENERATIONS_OF: &[#set; #count] = &[#(#sets),*];
        }
    })
}

/// The generations of a row, a bit for each of the plan.
fn generation_bits(plan: &Plan<'_>, row: &RowPlan) -> u64 {
    let of_row = plan.definition(row).generations;
    let generations = plan.generations.iter().enumerate();
    let has = generations.filter(|(_, generation)| of_row.contains(generation.index));
    has.fold(0, |bits, (bit, _)| bits | 1 << bit)
}

/// The type of a set of generations.
fn generation_set(plan: &Plan<'_>) -> Ident {
    ident(match plan.generations.len() {
        0..=8 => "u8",
        9..=16 => "u16",
        17..=32 => "u32",
        _ => "u64",
    })
}

fn info(plan: &Plan<'_>) -> TokenStream {
    let isa = plan.isa;
    let count = Literal::usize_unsuffixed(plan.table_len());
    let mut groups: BTreeMap<Vec<&str>, Ident> = BTreeMap::new();
    let mut rules: BTreeMap<Vec<u16>, Ident> = BTreeMap::new();
    let mut generations: BTreeMap<u64, Ident> = BTreeMap::new();
    for row in &plan.rows {
        let next = format_ident!("GROUPS_{}", groups.len());
        groups.entry(group_names(isa, row.id)).or_insert(next);
        let next = format_ident!("RULES_{}", rules.len());
        rules.entry(rule_numbers(isa, row.id)).or_insert(next);
        let next = format_ident!("GENERATIONS_{}", generations.len());
        generations.entry(generation_bits(plan, row)).or_insert(next);
    }
    let group_lists =
        groups.iter().map(|(names, ident)| quote!(static #ident: &[&str] = &[#(#names),*];));
    let rule_lists = rules.iter().map(|(numbers, ident)| {
        let numbers = numbers.iter().map(|number| Literal::u16_unsuffixed(*number));
        quote!(static #ident: &[Rule] = &[#(Rule(#numbers)),*];)
    });
    let generation_lists = generation_lists(plan, &generations);
    let entries = by_row(plan, quote!(), |row| {
        let definition = plan.definition(row);
        let optype = definition.optypes.first().map(|id| &isa.optypes()[id.index()]);
        let optype = optype.map_or("", |optype| &optype.name);
        let (name, mnemonic) = (&definition.name, &definition.syntax.mnemonic);
        let (mask, value, significant) =
            (word(definition.mask), word(definition.value), word(definition.significant));
        let width = Literal::u32_unsuffixed(definition.width);
        let fields = Literal::usize_unsuffixed(row.layout);
        let operands = Literal::usize_unsuffixed(row.operands);
        let groups = &groups[&group_names(isa, row.id)];
        let rules = &rules[&rule_numbers(isa, row.id)];
        let generations = match plan.generations.is_empty() {
            true => ident("GENERATIONS"),
            false => generations[&generation_bits(plan, row)].clone(),
        };
        let rare = rare_info(plan, row);
        quote! {
            OpcodeInfo {
                name: #name, mnemonic: #mnemonic, optype: #optype, groups: #groups, generations: #generations,
                mask: #mask, value: #value, significant: #significant, width: #width,
                fields: FieldList(#fields), operands: OperandList(#operands), rules: #rules, #rare
            }
        }
    });
    quote! {
        #generation_lists
        #(#group_lists)*
        #(#rule_lists)*

        pub(crate) static INFO: [OpcodeInfo; #count] = [#(#entries),*];
    }
}

/// The lists of generations that rows have.
fn generation_lists(plan: &Plan<'_>, lists: &BTreeMap<u64, Ident>) -> TokenStream {
    if plan.generations.is_empty() {
        let generations = plan.isa.generations();
        return quote!(static GENERATIONS: &[&str] = &[#(#generations),*];);
    }
    let lists = lists.iter().map(|(bits, ident)| {
        let generations = plan.generations.iter().enumerate();
        let names = generations.filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, g)| &g.ident);
        quote!(static #ident: &[Generation] = &[#(Generation::#names),*];)
    });
    quote!(#(#lists)*)
}

/// What only some instruction sets say of their rows.
fn rare_info(plan: &Plan<'_>, row: &RowPlan) -> TokenStream {
    let implicit = plan.has_implicit().then(|| {
        let list = Literal::usize_unsuffixed(row.implicit);
        quote!(implicit: OperandList(#list),)
    });
    let literal = plan.has_literals().then(|| {
        let literal = plan.definition(row).literal.map(|form| plan.field_ident(form.literal));
        let literal = literal.map_or(quote!(None), |field| quote!(Some(Field::#field)));
        quote!(literal: #literal,)
    });
    quote!(#implicit #literal)
}

fn group_names(isa: &Isa, id: OpcodeId) -> Vec<&str> {
    isa.opcode(id).groups.iter().map(|group| isa.groups()[group.index()].name.as_str()).collect()
}

fn rule_numbers(isa: &Isa, id: OpcodeId) -> Vec<u16> {
    isa.opcode(id).rules.iter().map(|rule| rule.index() as u16).collect()
}

fn layouts(plan: &Plan<'_>) -> TokenStream {
    let varying = Literal::usize_unsuffixed(plan.varying().count());
    let count = Literal::usize_unsuffixed(plan.layouts.len());
    let distinct = distinct_fields(plan);
    let fields_len = Literal::usize_unsuffixed(distinct.len());
    let fields = distinct.iter().map(|field| field_info(plan, field));
    let lists = plan.layouts.iter().map(|layout| {
        let fields = layout.fields.iter().filter_map(|field| distinct.binary_search(field).ok());
        let fields = fields.map(Literal::usize_unsuffixed);
        quote!(&[#(#fields),*])
    });
    let chunks = Literal::usize_unsuffixed(plan.slots.len().div_ceil(64));
    let present = plan.layouts.iter().map(|layout| {
        let mut bits = vec![0u64; plan.slots.len().div_ceil(64)];
        for slot in layout.fields.iter().filter_map(|field| plan.slot_of(field.name, field.ty)) {
            bits[slot / 64] |= 1 << (slot % 64);
        }
        let bits = bits.into_iter().map(|bits| word(u128::from(bits)));
        quote!([#(#bits),*])
    });
    let places = plan.layouts.iter().map(|layout| {
        let mut places = vec![0; plan.varying().count()];
        for field in &layout.fields {
            let slot = plan.slot_of(field.name, field.ty).map(|slot| plan.slots[slot].place);
            if let Some(SlotPlace::Varying(column)) = slot {
                let fixed = if field.binding == LayoutBinding::Fixed { FIXED } else { 0 };
                let variant = plan.variant(field.ty).unwrap_or(0) as u32;
                places[column] = field.lsb | fixed | variant << VARIANT_SHIFT;
            }
        }
        let places = places.into_iter().map(Literal::u32_unsuffixed);
        quote!([#(#places),*])
    });
    let fixed = Literal::u32_unsuffixed(FIXED);
    let variant = (!plan.merged.is_empty()).then(|| {
        let shift = Literal::u32_unsuffixed(VARIANT_SHIFT);
        quote! {
            /// The bits of a place above which the variant of the field's type is.
            pub(crate) const VARIANT_SHIFT: u32 = #shift;

            /// The bits of a place that are the lowest bit of the field.
            pub(crate) const LSB: u16 = 0xff;
        }
    });
    quote! {
        /// The distinct fields of all opcodes.
        pub(crate) static FIELDS: [FieldInfo; #fields_len] = [#(#fields),*];

        /// The fields of each layout by rising lowest bit, as indexes of `FIELDS`.
        pub(crate) static FIELD_LISTS: [&[u16]; #count] = [#(#lists),*];

        /// Marks the place of a field whose value the opcode fixes.
        pub(crate) const FIXED: u16 = #fixed;

        #variant

        /// The getters whose fields a layout has, a bit each.
        pub(crate) const PRESENT: &[[u64; #chunks]; #count] = &[#(#present),*];

        /// The lowest bits of fields that are not at the same bits everywhere, by layout.
        pub(crate) const PLACES: &[[u16; #varying]; #count] = &[#(#places),*];
    }
}

/// Marks the place of a field whose value the opcode fixes.
const FIXED: u32 = 0x100;

/// Above the mark, the variant of the field's type.
const VARIANT_SHIFT: u32 = 9;

/// The distinct fields of all layouts.
fn distinct_fields(plan: &Plan<'_>) -> Vec<LayoutField> {
    let mut fields: Vec<LayoutField> =
        plan.layouts.iter().flat_map(|layout| layout.fields.iter().copied()).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

fn field_info(plan: &Plan<'_>, field: &LayoutField) -> TokenStream {
    let name = plan.field_ident(field.name);
    let type_name = &plan.isa.ty(field.ty).name;
    let holes = plan.isa.ty(field.ty).holes().into_iter().map(|(first, end)| {
        let (first, last) =
            (Literal::u64_unsuffixed(first), Literal::u64_unsuffixed((end - 1) as u64));
        quote!((#first, #last))
    });
    let (lsb, width) = (Literal::u32_unsuffixed(field.lsb), Literal::u32_unsuffixed(field.width));
    let role = match field.role {
        FieldRole::Operand => quote!(FieldRole::Operand),
        FieldRole::Modifier => quote!(FieldRole::Modifier),
        FieldRole::Control => quote!(FieldRole::Control),
        FieldRole::Attribute { of } => {
            let of = plan.field_ident(of);
            quote!(FieldRole::Attribute { of: Field::#of })
        }
    };
    let binding = match field.binding {
        LayoutBinding::Required => quote!(Binding::Required),
        LayoutBinding::Fixed => quote!(Binding::Fixed),
        LayoutBinding::Default(raw) => {
            let raw = Literal::u64_unsuffixed(raw);
            quote!(Binding::Default(#raw))
        }
    };
    quote! {
        FieldInfo {
            field: Field::#name, type_name: #type_name, lsb: #lsb, width: #width, role: #role, binding: #binding,
            holes: &[#(#holes),*],
        }
    }
}

fn operand_lists(plan: &Plan<'_>) -> TokenStream {
    let mut distinct: Vec<OperandPlan> = plan.operand_lists.iter().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let (len, count) = (
        Literal::usize_unsuffixed(distinct.len()),
        Literal::usize_unsuffixed(plan.operand_lists.len()),
    );
    let infos = distinct.iter().map(|operand| operand_info(plan, operand));
    let lists = plan.operand_lists.iter().map(|list| {
        let operands = list.iter().filter_map(|operand| distinct.binary_search(operand).ok());
        let operands = operands.map(Literal::usize_unsuffixed);
        quote!(&[#(#operands),*])
    });
    let widths = plan.widths.iter().enumerate().map(|(index, computed)| {
        let index = Literal::usize_unsuffixed(index);
        let value = exprs::value(plan, computed);
        quote!(#index => #value)
    });
    quote! {
        /// The distinct operands of all opcodes.
        pub(crate) static OPERANDS: [OperandInfo; #len] = [#(#infos),*];

        /// The operands of opcodes in assembly order, as indexes of `OPERANDS`.
        pub(crate) static OPERAND_LISTS: [&[u16]; #count] = [#(#lists),*];

        /// Bits in an operand whose width depends on other fields.
        pub(crate) fn computed_width(index: u16, word: Word) -> u16 {
            let _ = word;
            let bits = match index { #(#widths,)* _ => 0i128 };
            bits.clamp(0, i128::from(u16::MAX)) as u16
        }
    }
}

fn operand_info(plan: &Plan<'_>, operand: &OperandPlan) -> TokenStream {
    let field = |slot: usize| plan.field_ident(plan.slots[slot].name);
    let (place, slot) = match operand.place {
        PlacePlan::Slot(slot) => {
            let field = field(slot);
            (quote!(OperandPlace::Field(Field::#field)), slot)
        }
        PlacePlan::File(file) => {
            let file = &plan.reg_files[file.index()];
            (quote!(OperandPlace::File(RegFile::#file)), 0)
        }
        PlacePlan::Indirect { file, base, offset } => {
            let (file, base_field) = (&plan.reg_files[file.index()], field(base));
            let offset = match offset.map(field) {
                Some(offset) => quote!(Some(Field::#offset)),
                None => quote!(None),
            };
            (
                quote!(OperandPlace::Indirect { file: RegFile::#file, base: Field::#base_field, offset: #offset }),
                base,
            )
        }
    };
    let slot = Literal::usize_unsuffixed(slot);
    let access = match operand.access {
        Access::None => quote!(Access::None),
        Access::Read => quote!(Access::Read),
        Access::Write => quote!(Access::Write),
        Access::ReadWrite => quote!(Access::ReadWrite),
    };
    let width = operand_width(operand.width);
    quote!(OperandInfo { place: #place, access: #access, width: #width, slot: #slot })
}

/// A width of an operand, in the generated type.
pub(super) fn operand_width(width: WidthPlan) -> TokenStream {
    match width {
        WidthPlan::Fixed(bits) => {
            let bits = Literal::u16_unsuffixed(bits);
            quote!(OperandWidth::Fixed(#bits))
        }
        WidthPlan::Computed(index) => {
            let index = Literal::usize_unsuffixed(index);
            quote!(OperandWidth::Computed(#index))
        }
    }
}

fn rule_sets(plan: &Plan<'_>) -> TokenStream {
    let helpers = exprs::helpers(plan);
    let arms = plan.rule_sets.iter().enumerate().skip(1).map(|(index, set)| {
        let index = Literal::usize_unsuffixed(index);
        let checks = set.iter().map(|(rule, computed)| {
            let condition = exprs::condition(plan, computed);
            let rule = Literal::usize_unsuffixed(rule.index());
            quote!(if #condition { return Some(Rule(#rule)); })
        });
        quote!(#index => { #(#checks)* None })
    });
    quote! {
        #helpers

        /// The first rule of a set that a word breaks.
        pub(crate) const fn broken_rule(set: u16, word: Word) -> Option<Rule> {
            let _ = word;
            match set { #(#arms)* _ => None }
        }
    }
}
