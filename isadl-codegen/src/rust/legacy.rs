//! Tables that the data flow of a generated crate uses beside the image.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::exprs;
use super::plan::{Plan, RowPlan};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let widths = widths(plan);
    let helpers = exprs::helpers(plan);
    quote! {
        use super::Word;
        use super::support::{extract, sign_extend};

        #helpers
        #widths
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

fn widths(plan: &Plan<'_>) -> TokenStream {
    let widths = plan.widths.iter().enumerate().map(|(index, computed)| {
        let index = Literal::usize_unsuffixed(index);
        let value = exprs::value(plan, computed);
        quote!(#index => #value)
    });
    quote! {
        /// Bits in an operand whose width depends on other fields.
        pub(crate) fn computed_width(index: u16, word: Word) -> u16 {
            let _ = word;
            let bits = match index { #(#widths,)* _ => 0i128 };
            bits.clamp(0, i128::from(u16::MAX)) as u16
        }
    }
}
