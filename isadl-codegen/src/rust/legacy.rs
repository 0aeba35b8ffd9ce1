//! Tables that the text and the data flow of a generated crate use beside the image.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::exprs;
use super::plan::{Plan, RowPlan, WidthPlan};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let records = records(plan);
    let widths = widths(plan);
    let rules = rule_sets(plan);
    quote! {
        use super::support::{extract, sign_extend};
        use super::{Rule, Word};

        #records
        #widths
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
    let rules =
        by_row(plan, Literal::usize_unsuffixed(0), |row| Literal::usize_unsuffixed(row.rules));
    let ranks =
        by_row(plan, Literal::u32_unsuffixed(0), |row| Literal::u32_unsuffixed(plan.rank(row)));
    quote! {
        /// The fixed bits of an opcode.
        pub(crate) struct Record {
            pub(crate) mask: Word,
            pub(crate) value: Word,
        }

        pub(crate) static RECORDS: [Record; #count] = [#(#records),*];

        /// The set of rules of each opcode; 0 is the empty one.
        pub(crate) const RULES_OF: &[u16; #count] = &[#(#rules),*];

        /// Of several instructions that a text may mean that of the lowest rank is taken.
        pub(crate) static RANK_OF: &[u8; #count] = &[#(#ranks),*];
    }
}

fn widths(plan: &Plan<'_>) -> TokenStream {
    let widths = plan.widths.iter().enumerate().map(|(index, computed)| {
        let index = Literal::usize_unsuffixed(index);
        let value = exprs::value(plan, computed);
        quote!(#index => #value)
    });
    quote! {
        /// Bits of data in an operand.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum DataWidth {
            Fixed(u16),
            Computed(u16),
        }

        /// Bits in an operand whose width depends on other fields.
        pub(crate) fn computed_width(index: u16, word: Word) -> u16 {
            let _ = word;
            let bits = match index { #(#widths,)* _ => 0i128 };
            bits.clamp(0, i128::from(u16::MAX)) as u16
        }
    }
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
