//! Getters in `inst.rs` of a generated crate: one for each name and type of a field.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::bits::{extracted, extracted_at};
use super::plan::{Plan, SlotPlace};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let getters = plan.slots.iter().enumerate().map(|(index, slot)| {
        let name = plan.isa.name_of(slot.name);
        let doc = format!(" The field `{name}`, if the opcode has it.");
        let (getter, ty) = (&slot.getter, plan.type_ident(slot.ty));
        let (index, width) =
            (Literal::usize_unsuffixed(index), Literal::u32_unsuffixed(slot.width));
        let word = quote!(self.word);
        let value = match slot.place {
            SlotPlace::Same => {
                let raw = extracted(&word, &slot.bits);
                quote!(#ty::from_bits(#raw))
            }
            SlotPlace::Varying(column) => {
                let column = Literal::usize_unsuffixed(column);
                if plan.merged.contains_key(&slot.ty) {
                    let lsb = quote!((place & tables::LSB));
                    let variant = plan.variant_of_place();
                    let raw = extracted_at(plan, &word, (&lsb, &quote!(#ty::width(variant))));
                    quote! {
                        let place = self.place(#column);
                        let variant = #variant;
                        #ty::from_raw(variant, #raw)
                    }
                } else {
                    let lsb = match plan.merged.is_empty() {
                        true => quote!((self.place(#column) & !tables::FIXED)),
                        false => quote!((self.place(#column) & tables::LSB)),
                    };
                    let raw = extracted_at(plan, &word, (&lsb, &quote!(#width)));
                    quote!(#ty::from_bits(#raw))
                }
            }
        };
        quote! {
            #[doc = #doc]
            #[inline]
            #[must_use]
            pub const fn #getter(self) -> Option<#ty> {
                if !self.has(#index) {
                    return None;
                }
                #value
            }
        }
    });
    let place = plan.varying().next().map(|_| {
        let place = plan.place_type();
        quote! {
            /// Where the opcode has a field that is not at the same bits everywhere.
            #[inline]
            const fn place(self, column: usize) -> #place {
                tables::PLACES[tables::LAYOUT_OF[self.row()] as usize][column]
            }
        }
    });
    quote! {
        impl Inst {
            /// Whether the opcode has a getter's field.
            #[inline]
            const fn has(self, slot: usize) -> bool {
                tables::PRESENT[tables::LAYOUT_OF[self.row()] as usize][slot / 64] >> (slot % 64) & 1 != 0
            }

            #place

            #(#getters)*
        }
    }
}
