//! `construct.rs` of a generated crate: one constructor an opcode.
//!
//! It takes what has no default, typed: operands in assembly order, then the rest by rising bit.

use isadl::isa::{Binding, Field, Place};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::names::Scope;
use super::plan::{OpcodePlan, Plan};
use super::tables::word;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let mut scope =
        Scope::reserving(&reserved(plan).iter().map(String::as_str).collect::<Vec<_>>());
    let constructors = plan.opcodes.iter().map(|opcode| constructor(plan, opcode, &mut scope));
    quote! {
        //! Constructors, one an opcode: what has no default is given, the rest filled in.

        #![allow(unused_imports)]

        use super::types::*;
        use super::{Inst, Opcode, Word};

        #[allow(clippy::too_many_arguments, clippy::identity_op)]
        impl Inst { #(#constructors)* }
    }
}

/// The names of `Inst` that are taken.
fn reserved(plan: &Plan<'_>) -> Vec<String> {
    let written = super::plan::INST_ITEMS.iter().map(|name| name.to_string());
    let made =
        plan.slots.iter().flat_map(|slot| [slot.getter.to_string(), slot.setter.to_string()]);
    written.chain(made).collect()
}

fn constructor(plan: &Plan<'_>, opcode: &OpcodePlan, scope: &mut Scope) -> TokenStream {
    let definition = plan.opcode(opcode);
    let function = scope.add(&definition.name.to_lowercase());
    let mut base = definition.value;
    for field in &definition.fields {
        if let Binding::Default(raw) = field.binding {
            base = field.insert(base, raw);
        }
    }
    let mut names = Scope::default();
    let required = required(definition);
    let parameters: Vec<_> =
        required.iter().map(|field| names.add(plan.isa.name_of(field.name))).collect();
    let types = required.iter().map(|field| plan.type_ident(field.ty));
    let shifts = required.iter().map(|field| Literal::u32_unsuffixed(field.lsb));
    let ident = &opcode.ident;
    let base = word(base);
    let doc = format!(" An instruction of [`Opcode::{ident}`].");
    quote! {
        #[doc = #doc]
        #[inline]
        #[must_use]
        pub const fn #function(#(#parameters: #types),*) -> Inst {
            Inst { word: #base #(| (#parameters.bits() as Word) << #shifts)*, opcode: Opcode::#ident }
        }
    }
}

/// The fields without default: operands in assembly order, then the others.
fn required(opcode: &isadl::isa::Opcode) -> Vec<&Field> {
    let named = opcode.operands.iter().flat_map(|operand| match operand.place {
        Place::Field(name) => [Some(name), None],
        Place::Indirect { base, offset, .. } => [Some(base), offset],
        Place::File(_) => [None, None],
    });
    let mut fields: Vec<&Field> = named.flatten().filter_map(|name| opcode.field(name)).collect();
    for field in &opcode.fields {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields.retain(|field| field.binding == Binding::Required);
    let mut seen = Vec::new();
    fields.retain(|field| {
        let new = !seen.contains(&field.name);
        seen.push(field.name);
        new
    });
    fields
}
