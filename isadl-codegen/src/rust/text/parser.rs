//! Prints `parse_tables.rs`: what the parser expects of each opcode.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::entries::number;
use super::forms::{FormRow, Grammar, MarkRow, ModifierRow, OperandRow, PlaceKind, Slice};
use super::names;
use super::shapes::form_shapes;
use crate::rust::legacy::{operand_width, word};
use crate::rust::plan::Plan;

/// `parse_tables.rs` of a generated crate: the data of the parser.
pub(in crate::rust) fn parser(plan: &Plan<'_>) -> TokenStream {
    let tables = tables(plan, &Grammar::new(plan));
    let shapes = form_shapes(plan);
    quote! {
        //! What the parser of assembly text expects.

        #![allow(dead_code, clippy::complexity, clippy::style)]

        use super::key::Key;
        use super::tables::DataWidth as OperandWidth;
        use super::Word;

        #shapes
        #tables
    }
}

fn tables(plan: &Plan<'_>, grammar: &Grammar) -> TokenStream {
    let modifiers = grammar.modifiers.rows.iter().map(modifier_row);
    let marks = grammar.marks.rows.iter().map(|mark| mark_row(plan, grammar, mark));
    let operands = grammar.operands.list.iter().map(|operand| operand_row(plan, operand));
    let operand_lists = grammar.operand_lists.rows.iter().map(|index| number(*index));
    let controls = grammar.controls.rows.iter().map(|control| {
        let (name, ty) = (&control.name, number(control.ty));
        let [lsb, width] = [control.lsb, control.width].map(Literal::u32_unsuffixed);
        quote!(Control { name: #name, ty: #ty, lsb: #lsb, width: #width })
    });
    let forms = grammar.forms.list.iter().map(form_row);
    let constants = plan.has_rare_text().then(|| {
        let rows = grammar.constants.rows.iter().map(|(bits, value)| {
            let [bits, value] = [bits, value].map(|raw| Literal::u64_unsuffixed(*raw));
            quote!((#bits, #value))
        });
        quote! {
            /// Bits of literals and the values of the constants that have them, by rising bits.
            pub(crate) static LITERAL_CONSTANTS: &[(u64, u64)] = &[#(#rows),*];
        }
    });
    let count = plan.table_len();
    let mut form_of = vec![number(0); count];
    let mut defaults = vec![word(0); count];
    for index in 0..plan.rows.len() {
        let at = plan.row_number(index);
        form_of[at] = number(grammar.form_of[index]);
        defaults[at] = word(grammar.defaults[index]);
    }
    let names = names::names_of(plan, grammar);
    let count = number(count);
    let numbers = word(u128::from(grammar.number_classes));
    let always = word(u128::from(grammar.always_classes));
    let multiple = word(u128::from(grammar.multiple_classes));
    quote! {
        pub(crate) static MODIFIERS: &[Modifier] = &[#(#modifiers),*];

        pub(crate) static MARKS: &[Mark] = &[#(#marks),*];

        pub(crate) static OPERANDS: &[OperandForm] = &[#(#operands),*];

        pub(crate) static OPERAND_LISTS: &[u16] = &[#(#operand_lists),*];

        pub(crate) static CONTROLS: &[Control] = &[#(#controls),*];

        #constants

        pub(crate) static FORMS: &[Form] = &[#(#forms),*];

        pub(crate) static FORM_OF: &[u16; #count] = &[#(#form_of),*];

        /// The words of opcodes of which nothing is written but the mnemonic.
        pub(crate) static DEFAULTS: &[Word; #count] = &[#(#defaults),*];

        /// The classes of operands that a number may begin.
        pub(crate) const NUMBER_CLASSES: u64 = #numbers;

        /// The classes of operands that may be several numbers.
        pub(crate) const MULTIPLE_CLASSES: u64 = #multiple;

        /// The classes of operands that any text may begin.
        pub(crate) const ALWAYS_CLASSES: u64 = #always;

        #names
    }
}

fn modifier_row(row: &ModifierRow) -> TokenStream {
    let [lsb, width, rank] = [row.lsb, row.width, row.rank].map(Literal::u32_unsuffixed);
    let (ty, is_required) = (number(row.ty), row.is_required);
    quote! {
        Modifier { lsb: #lsb, width: #width, ty: #ty, rank: #rank, is_required: #is_required }
    }
}

fn mark_row(plan: &Plan<'_>, grammar: &Grammar, row: &MarkRow) -> TokenStream {
    let call = plan.has_rare_text().then(|| {
        let call = row.call.checked_sub(1).map_or("", |index| grammar.calls[index].as_str());
        quote!(call: #call,)
    });
    let (ext_lsb, ext_width, extended) = row.extension;
    let [lsb, ext_lsb, ext_width] = [row.lsb, ext_lsb, ext_width].map(Literal::u32_unsuffixed);
    let symbol = Literal::byte_character(row.symbol);
    let extended = Literal::u64_unsuffixed(extended);
    quote! {
        Mark { lsb: #lsb, symbol: #symbol, ext_lsb: #ext_lsb, ext_width: #ext_width, extended: #extended, #call }
    }
}

fn operand_row(plan: &Plan<'_>, row: &OperandRow) -> TokenStream {
    let literal = plan.has_rare_text().then(|| {
        let (ty, (first, count)) = row.literal;
        let [ty, first, count] = [ty, first, count].map(number);
        quote!(literal: #ty, constants: (#first, #count),)
    });
    let shared = plan.has_shared_bits().then(|| {
        let shared = word(row.shared);
        quote!(shared: #shared,)
    });
    let place = match row.place {
        PlaceKind::Field => quote!(PLACE_FIELD),
        PlaceKind::File => quote!(PLACE_FILE),
        PlaceKind::Indirect => quote!(PLACE_INDIRECT),
    };
    let (text, ty, is_optional) = (&row.text, number(row.ty), row.is_optional);
    let [lsb, width, class] = [row.lsb, row.width, row.class].map(Literal::u32_unsuffixed);
    let (offset_type, offset_lsb, offset_width) = row.offset;
    let offset_type = number(offset_type);
    let [offset_lsb, offset_width] = [offset_lsb, offset_width].map(Literal::u32_unsuffixed);
    let (marks, suffixes) = (slice(row.marks), slice(row.suffixes));
    let (is_plain, mark_bits) = (row.is_plain, word(row.mark_bits));
    let run = number(row.run.unwrap_or(usize::from(u16::MAX)));
    let (selector_lsb, selector_width, first) = row.selector;
    let [selector_lsb, selector_width] =
        [selector_lsb, selector_width].map(Literal::u32_unsuffixed);
    let (first, data_width) = (number(first), operand_width(row.data_width));
    quote! {
        OperandForm {
            place: #place, text: #text, ty: #ty, lsb: #lsb, width: #width,
            offset: (#offset_type, #offset_lsb, #offset_width), is_optional: #is_optional, is_plain: #is_plain, run: #run, class: #class,
            mark_bits: #mark_bits, marks: #marks, suffixes: #suffixes, selector: (#selector_lsb, #selector_width, #first),
            data_width: #data_width, #literal #shared
        }
    }
}

fn form_row(row: &FormRow) -> TokenStream {
    let guard = match row.guard {
        Some(index) => {
            let index = number(index);
            quote!(#index)
        }
        None => quote!(NO_GUARD),
    };
    let (modifiers, operands, controls) =
        (slice(row.modifiers), slice(row.operands), slice(row.controls));
    let required = word(row.required);
    let (is_simple, is_unwritable) = (row.is_simple, row.is_unwritable);
    quote! {
        Form {
            guard: #guard, modifiers: #modifiers, required: #required, operands: #operands,
            controls: #controls, is_simple: #is_simple, is_unwritable: #is_unwritable,
        }
    }
}

pub(super) fn slice((first, count): Slice) -> TokenStream {
    let (first, count) = (number(first), number(count));
    quote!((#first, #count))
}
