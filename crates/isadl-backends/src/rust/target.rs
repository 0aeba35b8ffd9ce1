//! The target for words and lines: parameters of functions for generation and extensions.

use proc_macro2::TokenStream;
use quote::quote;

use super::plan::Plan;

/// Parameters, and their uses in functions.
pub(super) struct Target {
    /// `generation: Generation, extensions: Extensions,`
    pub(super) parameters: TokenStream,
    /// The names of the parameters, each with a comma.
    pub(super) arguments: TokenStream,
    /// The arguments as fields of `self`.
    pub(super) own: TokenStream,
    /// The engine's target.
    pub(super) engine: TokenStream,
    /// The types, each with a comma.
    pub(super) types: TokenStream,
}

impl Target {
    pub(super) fn of(plan: &Plan<'_>) -> Target {
        let mut target = Target {
            parameters: quote!(),
            arguments: quote!(),
            own: quote!(),
            engine: quote!(),
            types: quote!(),
        };
        let (mut generation, mut set) = (quote!(0), quote!(()));
        if !plan.generations.is_empty() {
            target.parameters.extend(quote!(generation: Generation,));
            target.arguments.extend(quote!(generation,));
            target.own.extend(quote!(self.generation,));
            target.types.extend(quote!(Generation,));
            generation = quote!(generation as usize);
        }
        if plan.has_extensions() {
            target.parameters.extend(quote!(extensions: Extensions,));
            target.arguments.extend(quote!(extensions,));
            target.own.extend(quote!(self.extensions,));
            target.types.extend(quote!(Extensions,));
            set = quote!(extensions.bits());
        }
        target.engine = quote!(Target::new(#generation, #set));
        target
    }

    /// The engine's target, of the fields of `self`.
    pub(super) fn engine_of_self(plan: &Plan<'_>) -> TokenStream {
        let generation = match plan.generations.is_empty() {
            true => quote!(0),
            false => quote!(self.generation as usize),
        };
        let set = match plan.has_extensions() {
            true => quote!(self.extensions.bits()),
            false => quote!(()),
        };
        quote!(Target::new(#generation, #set))
    }

    /// Whether there are no parameters.
    pub(super) fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }
}
