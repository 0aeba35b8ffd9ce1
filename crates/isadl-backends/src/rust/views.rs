//! `views.rs` of a generated crate: one type per optype, for users who match exhaustively and can pay the compile time.

use isadl_ir::isa::{Bits, NameId, OptypeId, TypeId};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::bits::extracted;
use super::names::{PRELUDE, Scope, type_name};
use super::plan::{Plan, RowPlan};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let own = ["From", "Inst", "Opcode", "Option", "View"];
    let mut scope = Scope::reserving(&[&own, PRELUDE].concat());
    let views: Vec<View<'_>> = views(plan, &mut scope);
    let idents: Vec<&Ident> = views.iter().map(|view| &view.ident).collect();
    let structs = views.iter().map(|view| emit_view(plan, view));
    let arms = views.iter().map(|view| {
        let mut opcodes: Vec<&Ident> =
            view.rows.iter().map(|row| &plan.opcode_of(row).ident).collect();
        opcodes.dedup();
        let ident = &view.ident;
        quote!(#(Opcode::#opcodes)|* => View::#ident(#ident(self)))
    });
    let docs = views
        .iter()
        .map(|view| format!(" A form of {}.", plan.isa.optypes()[view.optype.index()].name));
    quote! {
        //! Typed views, one an optype.

        #![allow(non_camel_case_types, clippy::upper_case_acronyms, unused_imports)]

        use super::engine::bits::extract;
        use super::{Inst, Opcode, types};

        /// An instruction by its operation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum View { #(#[doc = #docs] #idents(#idents),)* }

        impl Inst {
            /// The instruction by its operation.
            #[inline]
            #[must_use]
            pub const fn view(self) -> View {
                match self.opcode() { #(#arms,)* }
            }
        }

        #(#structs)*
    }
}

struct View<'p> {
    optype: OptypeId,
    ident: Ident,
    rows: Vec<&'p RowPlan>,
}

fn views<'p>(plan: &'p Plan<'_>, scope: &mut Scope) -> Vec<View<'p>> {
    let mut views: Vec<View<'p>> = Vec::new();
    for row in &plan.rows {
        let Some(optype) = plan.definition(row).optypes.first().copied() else { continue };
        match views.iter_mut().find(|view| view.optype == optype) {
            Some(view) => view.rows.push(row),
            None => {
                let ident = scope.add(&type_name(&plan.isa.optypes()[optype.index()].name));
                views.push(View { optype, ident, rows: vec![row] });
            }
        }
    }
    views
}

fn emit_view(plan: &Plan<'_>, view: &View<'_>) -> TokenStream {
    let ident = &view.ident;
    let doc = format!(" A form of {}.", plan.isa.optypes()[view.optype.index()].name);
    let getters = plan.slots.iter().filter_map(|slot| {
        let with = |row: &&&RowPlan| has(plan, row, slot.name, slot.ty);
        let count = view.rows.iter().filter(with).count();
        let (getter, ty) = (&slot.getter, plan.type_ident(slot.ty));
        let name = plan.isa.name_of(slot.name);
        if count == 0 {
            return None;
        }
        if count < view.rows.len() {
            let doc = format!(" The field `{name}`, if this form has it.");
            return Some(quote! {
                #[doc = #doc]
                #[inline]
                #[must_use]
                pub const fn #getter(self) -> Option<types::#ty> {
                    self.0.#getter()
                }
            });
        }
        let doc = format!(" The field `{name}`, which every form has.");
        // Where it is at the same bits in every form, no table is asked for them.
        let value = match same_bits(plan, view, slot.name, slot.ty) {
            Some(bits) => {
                let raw = extracted(&quote!(self.0.word), bits);
                quote!(types::#ty::from_bits(#raw))
            }
            None => quote!(self.0.#getter()),
        };
        Some(quote! {
            #[doc = #doc]
            #[inline]
            #[must_use]
            pub const fn #getter(self) -> types::#ty {
                match #value {
                    Some(value) => value,
                    // INVARIANT: a view is made of an instruction of its optype only.
                    None => unreachable!(),
                }
            }
        })
    });
    quote! {
        #[doc = #doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct #ident(Inst);

        impl #ident {
            #(#getters)*
        }

        impl From<#ident> for Inst {
            #[inline]
            fn from(view: #ident) -> Inst {
                view.0
            }
        }
    }
}

/// The bits of a field, if it is at the same in every form, with a type of one width.
fn same_bits<'p>(
    plan: &'p Plan<'_>,
    view: &View<'p>,
    name: NameId,
    ty: TypeId,
) -> Option<&'p Bits> {
    let mut all =
        view.rows.iter().map(|row| plan.definition(row).field(name).map(|field| &field.bits));
    let first = all.next()??;
    (!plan.merged.contains_key(&ty) && all.all(|bits| bits == Some(first))).then_some(first)
}

fn has(plan: &Plan<'_>, row: &RowPlan, name: NameId, ty: TypeId) -> bool {
    plan.definition(row).field(name).is_some_and(|field| plan.canonical(field.ty) == ty)
}
