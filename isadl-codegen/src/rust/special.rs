//! Special cases in `tables.rs` of a generated crate: the opcodes that take some of the words of a
//! more general one, so that no encoder makes these words for it.

use isadl::isa::{Opcode, SpecialCase, low_bits};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::{Plan, Shared};
use super::tables::{by_row, word};

/// Mask, value and name of a special case.
type Case<'c> = (u128, u128, &'c str);

/// The special cases of an opcode, as far as an encoder can see them.
fn encoded(opcode: &Opcode) -> Vec<Case<'_>> {
    let within = low_bits(opcode.width);
    let case = |case: &'_ SpecialCase| (case.mask & within, case.value & within);
    opcode.special_cases.iter().map(|c| (case(c).0, case(c).1, c.name.as_str())).collect()
}

/// The special cases that a selection leaves out.
fn left_out(opcode: &Opcode) -> Vec<Case<'_>> {
    let absent = opcode.special_cases.iter().filter(|case| !case.is_present);
    absent.map(|case| (case.mask, case.value, case.name.as_str())).collect()
}

/// Whether words of some opcode belong to one that a selection leaves out.
pub(super) fn any_left_out(plan: &Plan<'_>) -> bool {
    plan.rows.iter().any(|row| !left_out(plan.definition(row)).is_empty())
}

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let left_out = any_left_out(plan).then(|| {
        let (lists, of_rows) = tables(plan, left_out);
        quote! {
            /// Whether a word of a row belongs to an opcode that was left out.
            pub(crate) const fn is_left_out(row: usize, word: Word) -> bool {
                static LEFT_OUT: &[&[SpecialCase]] = #lists;
                const LEFT_OUT_OF: &[u16] = #of_rows;
                first_case(LEFT_OUT[LEFT_OUT_OF[row] as usize], word).is_some()
            }
        }
    });
    let (lists, of_rows) = tables(plan, encoded);
    quote! {
        /// The fixed bits of an opcode that takes some of the words of another, and its name.
        struct SpecialCase {
            mask: Word,
            value: Word,
            name: &'static str,
        }

        static SPECIAL_CASES: &[&[SpecialCase]] = #lists;

        /// The list of special cases of each opcode; 0 is the empty one.
        const SPECIAL_CASES_OF: &[u16] = #of_rows;

        /// The opcode that takes this word of a row.
        #[inline]
        pub(crate) const fn special_case(row: usize, word: Word) -> Option<&'static str> {
            match SPECIAL_CASES_OF[row] {
                0 => None,
                list => first_case(SPECIAL_CASES[list as usize], word),
            }
        }

        const fn first_case(cases: &[SpecialCase], word: Word) -> Option<&'static str> {
            let mut i = 0;
            while i < cases.len() {
                if word & cases[i].mask == cases[i].value {
                    return Some(cases[i].name);
                }
                i += 1;
            }
            None
        }

        #left_out
    }
}

/// The distinct lists, of which the first is empty, and that of each row.
fn tables<'p>(
    plan: &'p Plan<'_>,
    cases: impl Fn(&'p Opcode) -> Vec<Case<'p>>,
) -> (TokenStream, TokenStream) {
    let mut shared = Shared::default();
    shared.add(Vec::new());
    let lists: Vec<usize> =
        plan.rows.iter().map(|row| shared.add(cases(plan.definition(row)))).collect();
    let mut lists = lists.into_iter();
    let of_rows = by_row(plan, Literal::usize_unsuffixed(0), |_| {
        Literal::usize_unsuffixed(lists.next().unwrap_or(0))
    });
    let lists = shared.list.iter().map(|list| {
        let cases = list.iter().map(|(mask, value, name)| {
            let (mask, value) = (word(*mask), word(*value));
            quote!(SpecialCase { mask: #mask, value: #value, name: #name })
        });
        quote!(&[#(#cases),*])
    });
    (quote!(&[#(#lists),*]), quote!(&[#(#of_rows),*]))
}
