//! Getters in `inst.rs` of a generated crate, one for each name and type of a field.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::{Plan, SlotPlace};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let getters = plan.slots.iter().enumerate().map(|(index, slot)| {
        let name = plan.isa.name_of(slot.name);
        let doc = format!(" The field `{name}`, if the opcode has it.");
        let (getter, ty) = (&slot.getter, plan.type_ident(slot.ty));
        let (index, width) =
            (Literal::usize_unsuffixed(index), Literal::u32_unsuffixed(slot.width));
        let value = match slot.place {
            SlotPlace::Same(lsb) => {
                let lsb = Literal::u32_unsuffixed(lsb);
                quote!(#ty::from_bits(extract(self.word, #lsb, #width)))
            }
            SlotPlace::Varying(column) => {
                let column = Literal::usize_unsuffixed(column);
                if plan.merged.contains_key(&slot.ty) {
                    quote! {
                        let place = self.place(#column);
                        let variant = place >> tables::VARIANT_SHIFT;
                        #ty::from_raw(variant, extract(self.word, (place & tables::LSB) as u32, #ty::width(variant)))
                    }
                } else if plan.merged.is_empty() {
                    quote!(#ty::from_bits(extract(self.word, (self.place(#column) & !tables::FIXED) as u32, #width)))
                } else {
                    quote!(#ty::from_bits(extract(self.word, (self.place(#column) & tables::LSB) as u32, #width)))
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
        quote! {
            /// Where the opcode has a field that is not at the same bits everywhere.
            #[inline]
            const fn place(self, column: usize) -> u16 {
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
