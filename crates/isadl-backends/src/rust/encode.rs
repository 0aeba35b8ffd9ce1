//! Encoding in `inst.rs` of a generated crate: the engine's encoder, with typed errors, and setters.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::bits::{inserted, inserted_at};
use super::plan::{Plan, Settable, SlotPlace, SlotPlan};
use super::types::has_literal;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let slots = plan.slots.iter().enumerate();
    let settable = slots.filter(|(_, slot)| slot.settable == Settable::Yes);
    let setters = settable.map(|(index, slot)| setter(plan, index, slot));
    let to_bytes = to_bytes(plan);
    let from_values = from_values(plan);
    let varying = plan.varying().next().map(|_| settable_place(plan));
    let shared = match plan.has_shared_bits() {
        true => quote!(EncodeError::Shared { opcode, field: Field::ALL[field as usize] }),
        // INVARIANT: no two fields of an opcode share bits, so no field differs from its given value.
        false => quote!(EncodeError::IllegalValue { opcode, field: Field::ALL[field as usize] }),
    };
    let case_names = &plan.image.words.case_names;
    quote! {
        /// The names of special cases.
        pub(crate) static CASE_NAMES: &[&str] = &[#(#case_names),*];

        /// The error that a refusal of the engine is.
        #[cold]
        #[inline(never)]
        const fn encode_error(opcode: Opcode, refusal: encode::Refusal) -> EncodeError {
            use encode::Refusal;
            match refusal {
                Refusal::NoSuchField(field) => EncodeError::NoSuchField { opcode, field: Field::ALL[field as usize] },
                Refusal::Missing(field) => EncodeError::Missing { opcode, field: Field::ALL[field as usize] },
                Refusal::Fixed(field) => EncodeError::FixedField { opcode, field: Field::ALL[field as usize] },
                Refusal::IllegalValue(field) => EncodeError::IllegalValue { opcode, field: Field::ALL[field as usize] },
                Refusal::Shared(field) => #shared,
                Refusal::Rule(rule) => EncodeError::Rule { opcode, rule: Rule(rule) },
                Refusal::SpecialCase(name) => EncodeError::SpecialCase { opcode, other: CASE_NAMES[name as usize] },
            }
        }

        impl Inst {
            /// Its word. An error if a rule of the specification forbids the word, or if the word belongs to another
            /// opcode.
            #[inline]
            pub const fn to_word(self) -> Result<Word, EncodeError> {
                match self.validate() {
                    Ok(()) => Ok(self.word),
                    Err(error) => Err(error),
                }
            }

            #to_bytes

            /// Whether its word belongs to its opcode and no rule of the specification forbids it.
            #[inline]
            pub const fn validate(self) -> Result<(), EncodeError> {
                match encode::validate(&IMAGE, self.row, self.word) {
                    Ok(()) => Ok(()),
                    Err(refusal) => Err(encode_error(self.opcode(), refusal)),
                }
            }

            #from_values

            /// With other bits of a field.
            pub fn with_raw(self, field: Field, raw: u64) -> Result<Inst, EncodeError> {
                match encode::with_raw(&IMAGE, self.row, self.word, field as u16, raw) {
                    Ok(word) => Ok(Inst { word, row: self.row }),
                    Err(refusal) => Err(encode_error(self.opcode(), refusal)),
                }
            }

            #[cold]
            const fn lacks(self, field: Field) -> EncodeError {
                EncodeError::NoSuchField { opcode: self.opcode(), field }
            }

            #varying

            #(#setters)*
        }
    }
}

/// Where a field is, if its bits differ between opcodes.
fn settable_place(plan: &Plan<'_>) -> TokenStream {
    let place = plan.place_type();
    quote! {
        /// The lowest bit of a field that is not at the same bits everywhere, if it can be given
        /// another value.
        #[inline]
        const fn settable(self, slot: usize, column: usize, field: Field) -> Result<#place, EncodeError> {
            if !self.has(slot) {
                return Err(self.lacks(field));
            }
            let place = self.place(column);
            if place & tables::FIXED != 0 {
                return Err(EncodeError::FixedField { opcode: self.opcode(), field });
            }
            Ok(place)
        }
    }
}

/// A setter, for a field that some opcode leaves open.
fn setter(plan: &Plan<'_>, index: usize, slot: &SlotPlan) -> TokenStream {
    let name = plan.isa.name_of(slot.name);
    let doc = format!(" With another value of field `{name}`.");
    let (setter, ty, field) = (&slot.setter, plan.type_ident(slot.ty), plan.field_ident(slot.name));
    let (index, width) = (Literal::usize_unsuffixed(index), Literal::u32_unsuffixed(slot.width));
    let is_merged = plan.merged.contains_key(&slot.ty);
    let word = quote!(self.word);
    let set = |width: TokenStream, raw: TokenStream| {
        let word = match slot.place {
            SlotPlace::Same => inserted(&word, &slot.bits, &raw),
            SlotPlace::Varying(_) => {
                let place = match plan.merged.is_empty() {
                    true => quote!(place),
                    false => quote!((place & tables::LSB)),
                };
                inserted_at(plan, &word, (&place, &width), &raw)
            }
        };
        quote!(Ok(Inst { word: #word, row: self.row }))
    };
    // The values of some types are not all legal in all opcodes.
    let checked = |width: TokenStream, raw: TokenStream| {
        let set = set(width, quote!(raw));
        quote! {
            match #raw {
                Some(raw) => #set,
                None => Err(EncodeError::IllegalValue { opcode: self.opcode(), field: Field::#field }),
            }
        }
    };
    let set = match (is_merged, has_literal(plan, slot.ty)) {
        (true, _) => {
            let set = checked(quote!(#ty::width(variant)), quote!(value.open_raw(variant)));
            let variant = plan.variant_of_place();
            quote!({ let variant = #variant; #set })
        }
        (false, true) => checked(quote!(#width), quote!(value.open_bits())),
        (false, false) => set(quote!(#width), quote!(value.bits())),
    };
    let body = match slot.place {
        SlotPlace::Same => {
            quote!(if self.has(#index) { #set } else { Err(self.lacks(Field::#field)) })
        }
        SlotPlace::Varying(column) => {
            let column = Literal::usize_unsuffixed(column);
            quote! {
                match self.settable(#index, #column, Field::#field) {
                    Ok(place) => #set,
                    Err(error) => Err(error),
                }
            }
        }
    };
    quote! {
        #[doc = #doc]
        #[inline]
        pub const fn #setter(self, value: #ty) -> Result<Inst, EncodeError> { #body }
    }
}

/// The bytes of an instruction.
fn to_bytes(plan: &Plan<'_>) -> TokenStream {
    let order = plan.isa.word_layout();
    let doc = format!(
        " Its bytes, {}; an error where [`Inst::to_word`] gives one.",
        super::decode::byte_order(plan)
    );
    let from_le = if !order.is_little_endian() {
        let places = (0..plan.isa.bytes()).map(|at| Literal::usize_unsuffixed(order.place_of(at)));
        quote!([#(bytes[#places]),*])
    } else if plan.isa.bytes() * 8 == plan.word_bits() as usize {
        quote!(bytes)
    } else {
        quote! {{
            let mut narrow = [0; BYTES];
            let mut i = 0;
            while i < BYTES {
                narrow[i] = bytes[i];
                i += 1;
            }
            narrow
        }}
    };
    let (ty, bytes) = match plan.varies_width() {
        true => {
            (quote!(super::bytes::Bytes), quote!(super::bytes::Bytes::new(#from_le, self.len())))
        }
        false => (quote!([u8; BYTES]), from_le),
    };
    quote! {
        #[doc = #doc]
        #[inline]
        pub const fn to_bytes(self) -> Result<#ty, EncodeError> {
            match self.to_word() {
                Ok(word) => {
                    let bytes = word.to_le_bytes();
                    Ok(#bytes)
                }
                Err(error) => Err(error),
            }
        }
    }
}

/// Instructions from the bits of their fields.
fn from_values(plan: &Plan<'_>) -> TokenStream {
    let has_generations = !plan.generations.is_empty();
    let parameter = has_generations.then(|| quote!(generation: Generation,));
    let is_in = has_generations.then(|| {
        quote! {
            if tables::GENERATIONS_OF[index as usize] >> generation as u32 & 1 == 0 {
                continue;
            }
        }
    });
    let none = match has_generations {
        true => quote!(Err(EncodeError::NotInGeneration { opcode, generation })),
        // INVARIANT: an opcode has a row at least.
        false => quote!(unreachable!()),
    };
    let form_doc = plan.has_literals().then(|| {
        quote! {
            /// If the opcode has forms with and without a literal, this is the first form that has all the fields.
        }
    });
    quote! {
        /// An instruction of `opcode` with these bits in its fields. Fields with a default may be left out; a fixed
        /// field may be given with its fixed value.
        #form_doc
        pub fn from_values(#parameter opcode: Opcode, values: &[(Field, u64)]) -> Result<Inst, EncodeError> {
            let (first, count) = tables::ROWS_OF[opcode as usize];
            let mut refusal = None;
            for index in first..first + count {
                #is_in
                let row = super::image::row(index + 1);
                let values = values.iter().map(|(field, raw)| (*field as u16, *raw));
                match encode::from_values(&IMAGE, row, values) {
                    Ok(word) => return Ok(Inst { word, row }),
                    Err(error) => refusal = refusal.or(Some(error)),
                }
            }
            match refusal {
                Some(refusal) => Err(encode_error(opcode, refusal)),
                None => #none,
            }
        }
    }
}
