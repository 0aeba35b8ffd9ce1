//! Immediates and composites in `types.rs` of a generated crate.

use isadl_ir::isa::{Composite, Immediate, Number, Print, Reading, Type, low_bits};
use isadl_runtime::image;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::bits;
use super::docs::doc;
use super::names::{Scope, parameters, snake, unsigned};
use super::plan::Plan;

pub(super) fn number(
    plan: &Plan<'_>,
    ty: &Type,
    name: &Ident,
    immediate: &Immediate,
) -> TokenStream {
    let raw = unsigned(ty.width);
    let width = ty.width;
    let is_float =
        matches!(immediate.number.number, Number::Float { .. }) || immediate.number.lanes > 1;
    let what = if is_float { "bits of a number" } else { "integer" };
    let type_doc =
        doc(&ty.description, &format!("The immediate {}: {what}, {width} bits.", ty.name));
    let value = match image::computed_number(plan.isa, immediate) {
        Some(row) => computed_value(ty, name, (immediate, row)),
        None if is_float => TokenStream::new(),
        None => integer_value(ty, name, immediate),
    };
    let from_bits = from_bits(name, width, &immediate.reserved_values);
    // The order of bits differs from the order of their meanings, for example negative numbers, so there is no order.
    quote! {
        #type_doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct #name(#raw);

        impl #name {
            /// Its width in bits.
            pub const WIDTH: u32 = #width;

            #value

            #from_bits

            /// What a field holds for the value.
            #[inline]
            #[must_use]
            pub const fn bits(self) -> u64 {
                self.0 as u64
            }
        }

        impl fmt::LowerHex for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::LowerHex::fmt(&self.0, f)
            }
        }
    }
}

/// Limit on reserved values that become patterns; more become a list.
const MAX_PATTERNS: usize = 16;

/// Construction from the bits of a field; all bits have a meaning except the reserved values.
fn from_bits(name: &Ident, width: u32, reserved_values: &[(u64, u128)]) -> TokenStream {
    let raw = unsigned(width);
    let all = Literal::u64_unsuffixed(low_bits(width) as u64);
    let ends = |(first, end): &(u64, u128)| [*first, (end - 1) as u64].map(Literal::u64_unsuffixed);
    let (list, condition) = match (reserved_values.len(), width) {
        (0, 64) => (None, None),
        (0, _) => (None, Some(quote!(raw <= #all))),
        (1..=MAX_PATTERNS, _) => {
            let reserved_values = reserved_values.iter().map(|run| {
                let [first, last] = ends(run);
                let is_one = u128::from(run.0) + 1 == run.1;
                if is_one { quote!(#first) } else { quote!(#first..=#last) }
            });
            let fits = (width < 64).then(|| quote!(raw <= #all &&));
            (None, Some(quote!(#fits !matches!(raw, #(#reserved_values)|*))))
        }
        _ => {
            let count = Literal::usize_unsuffixed(reserved_values.len());
            let reserved_values =
                reserved_values.iter().map(ends).map(|[first, last]| quote!((#first, #last)));
            let list = quote! {
                /// The illegal bits: the first and the last of each run.
                const RESERVED_VALUES: [(u64, u64); #count] = [#(#reserved_values),*];

                const fn is_reserved(raw: u64) -> bool {
                    let (mut low, mut high) = (0, #name::RESERVED_VALUES.len());
                    while low < high {
                        let middle = (low + high) / 2;
                        let (first, last) = #name::RESERVED_VALUES[middle];
                        if raw < first {
                            high = middle;
                        } else if raw > last {
                            low = middle + 1;
                        } else {
                            return true;
                        }
                    }
                    false
                }
            };
            let fits = (width < 64).then(|| quote!(raw <= #all &&));
            (Some(list), Some(quote!(#fits !#name::is_reserved(raw))))
        }
    };
    let body = match condition {
        None => quote!(Some(#name(raw as #raw))),
        Some(condition) => quote!(if #condition { Some(#name(raw as #raw)) } else { None }),
    };
    let doc = match reserved_values.is_empty() {
        true => " The value that a field holds, if it has no more bits than the field.",
        false => " The value that a field holds, if that is legal.",
    };
    quote! {
        #list

        #[doc = #doc]
        #[inline]
        #[must_use]
        pub const fn from_bits(raw: u64) -> Option<#name> { #body }
    }
}

/// Construction from and reading as a computed number; `row` identifies the computation.
fn computed_value(ty: &Type, name: &Ident, (immediate, row): (&Immediate, u16)) -> TokenStream {
    let row = Literal::u16_unsuffixed(row);
    let number =
        quote!(super::engine::computed::number(&super::image::WORDS_ALONE, #row, self.0 as u64));
    let encoding =
        quote!(super::engine::computed::encoding(&super::image::WORDS_ALONE, #row, number));
    if !immediate.is_integer() {
        return quote! {
            /// The value of a number, given by its bits in the format, if the number can be encoded.
            #[must_use]
            pub const fn from_number(number: u64) -> Option<#name> {
                match #encoding {
                    Some(raw) => #name::from_bits(raw),
                    None => None,
                }
            }

            /// The bits of the number in its format.
            #[must_use]
            pub const fn number(self) -> u64 {
                #number
            }
        };
    }
    let (low, high) = immediate.range(ty.width);
    let doc = format!(" The integer `value`: {}.", immediate.range_in_words(ty.width));
    let [low, high] = [low, high].map(Literal::i128_unsuffixed);
    let integer =
        if matches!(immediate.number.number, Number::Signed) { quote!(i64) } else { quote!(u64) };
    quote! {
        #[doc = #doc]
        pub const fn new(value: i128) -> Result<#name, NotAValue> {
            let error = NotAValue { low: #low, high: #high, step: 1 };
            if value < #low || value > #high {
                return Err(error);
            }
            let number = value as u64;
            match #encoding {
                Some(raw) => match #name::from_bits(raw) {
                    Some(value) => Ok(value),
                    None => Err(error),
                },
                None => Err(error),
            }
        }

        /// The integer.
        #[must_use]
        pub const fn get(self) -> #integer {
            #number as #integer
        }
    }
}

/// Construction from and reading as an integer that can differ from the bits, or be illegal.
fn scaled_value(ty: &Type, name: &Ident, immediate: &Immediate) -> TokenStream {
    let width = ty.width;
    let (low, high) = immediate.range(width);
    let except =
        if immediate.reserved_values.is_empty() { "" } else { ", except the illegal ones" };
    let doc = format!(" The integer `value`: {}{except}.", immediate.range_in_words(width));
    let [bias, scale] = [immediate.bias, immediate.scale];
    let step = Literal::u64_unsuffixed(scale.unsigned_abs());
    let integer = if low < 0 { quote!(i64) } else { quote!(u64) };
    let bits = match immediate.reading() {
        Reading::Signed => quote!(super::engine::bits::sign_extend(self.0 as u64, #width) as i128),
        Reading::Unsigned => quote!(self.0 as i128),
    };
    let [low, high] = [low, high].map(Literal::i128_unsuffixed);
    let distance = match bias {
        0 => quote!(value),
        _ => {
            let bias = Literal::i128_unsuffixed(bias.into());
            quote!((value - #bias))
        }
    };
    let by = Literal::i128_unsuffixed(scale.into());
    let (multiple, number) = match scale {
        1 => (None, distance.clone()),
        -1 => (None, quote!((-#distance))),
        _ => (Some(quote!(|| #distance % #by != 0)), quote!((#distance / #by))),
    };
    let times = (scale != 1).then(|| quote!(* #by));
    let plus = (bias != 0).then(|| {
        let bias = Literal::i128_unsuffixed(bias.into());
        quote!(+ #bias)
    });
    let read = match immediate.is_scaled() {
        true => quote!((#bits #times #plus) as #integer),
        false => quote!(#bits as #integer),
    };
    quote! {
        #[doc = #doc]
        #[inline]
        pub const fn new(value: i128) -> Result<#name, NotAValue> {
            let error = NotAValue { low: #low, high: #high, step: #step };
            if value < #low || value > #high #multiple {
                return Err(error);
            }
            match #name::from_bits(#number as u64 & super::engine::bits::low_bits(#width)) {
                Some(value) => Ok(value),
                None => Err(error),
            }
        }

        /// The integer.
        #[inline]
        #[must_use]
        pub const fn get(self) -> #integer {
            #read
        }
    }
}

/// As [`from_bits`], but each part must have a value of its type.
fn composite_from_bits(
    plan: &Plan<'_>,
    ty: &Type,
    name: &Ident,
    composite: &Composite,
) -> TokenStream {
    let checked =
        composite.parts.iter().filter(|part| !plan.isa.ty(part.ty).reserved_values().is_empty());
    let checked: Vec<TokenStream> = checked
        .map(|part| {
            let of_part = plan.type_ident(part.ty);
            let raw = match part.bits.as_one() {
                Some(run) => {
                    let [shift, width] = [run.lsb, run.width].map(Literal::u32_unsuffixed);
                    quote!(raw >> #shift & super::engine::bits::low_bits(#width))
                }
                None => bits::extracted(&quote!(raw), &part.bits),
            };
            quote!(#of_part::from_bits(#raw).is_none())
        })
        .collect();
    if checked.is_empty() {
        return from_bits(name, ty.width, &[]);
    }
    let raw = unsigned(ty.width);
    let is_wider = (ty.width < 64).then(|| {
        let all = Literal::u64_unsuffixed((1 << ty.width) - 1);
        quote!(raw > #all ||)
    });
    quote! {
        /// The value of the bits of a field, if each part has a legal value.
        #[inline]
        #[must_use]
        pub const fn from_bits(raw: u64) -> Option<#name> {
            if #is_wider #(#checked)||* { None } else { Some(#name(raw as #raw)) }
        }
    }
}

/// Construction from and reading as an integer.
fn integer_value(ty: &Type, name: &Ident, immediate: &Immediate) -> TokenStream {
    if immediate.has_gaps() {
        return scaled_value(ty, name, immediate);
    }
    let width = ty.width;
    let raw = unsigned(width);
    let (low, high): (i128, i128) = match ty.reading() {
        Reading::Signed => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        Reading::Unsigned => (0, (1 << width) - 1),
    };
    let doc = format!(" The integer `value`, from {low} to {high}.");
    let (low, high) = (Literal::i128_unsuffixed(low), Literal::i128_unsuffixed(high));
    let integer = if ty.reading() == Reading::Signed { quote!(i64) } else { quote!(u64) };
    let read = match ty.reading() {
        Reading::Signed => quote!(super::engine::bits::sign_extend(self.0 as u64, #width)),
        Reading::Unsigned => quote!(self.0 as u64),
    };
    quote! {
        #[doc = #doc]
        #[inline]
        pub const fn new(value: i128) -> Result<#name, OutOfRange> {
            let (low, high): (i128, i128) = (#low, #high);
            if value < low || value > high {
                return Err(OutOfRange { low, high });
            }
            Ok(#name((value as u64 & super::engine::bits::low_bits(#width)) as #raw))
        }

        /// The integer.
        #[inline]
        #[must_use]
        pub const fn get(self) -> #integer {
            #read
        }
    }
}

/// The format in which a crate writes an unsigned integer, with a minimum number of digits. `Bits` is not written this
/// way: its digits are not digits of a number.
pub(super) fn integer_format(print: Print, digits: u32) -> String {
    let letter = match print {
        Print::Decimal | Print::Bits if digits == 0 => return "{}".to_string(),
        Print::Decimal | Print::Bits => return format!("{{:0{digits}}}"),
        Print::Hex => 'x',
        Print::UpperHex => 'X',
        Print::Binary => 'b',
    };
    match digits {
        0 => format!("{{:#{letter}}}"),
        // Rust counts `0x` and `0b` too.
        _ => format!("{{:#0{}{letter}}}", digits + 2),
    }
}

/// Methods of composites: generated methods, and methods of traits that every value implements.
const COMPOSITE_ITEMS: &[&str] = &[
    "new",
    "from_bits",
    "bits",
    "clone",
    "clone_from",
    "eq",
    "ne",
    "cmp",
    "partial_cmp",
    "max",
    "min",
    "clamp",
    "lt",
    "le",
    "gt",
    "ge",
    "fmt",
    "hash",
    "to_string",
    "to_owned",
    "into",
    "try_into",
];

/// The getters of the parts of a composite.
pub(super) fn part_getters(composite: &Composite) -> Vec<Ident> {
    let mut scope = Scope::reserving(COMPOSITE_ITEMS);
    composite.parts.iter().map(|part| scope.add(&part.name)).collect()
}

pub(super) fn composite(
    plan: &Plan<'_>,
    ty: &Type,
    name: &Ident,
    composite: &Composite,
) -> TokenStream {
    let raw = unsigned(ty.width);
    let parts = part_getters(composite);
    let types: Vec<Ident> = composite.parts.iter().map(|part| plan.type_ident(part.ty)).collect();
    let extracted = composite.parts.iter().map(|part| match part.bits.as_one() {
        Some(run) => {
            let [shift, width] = [run.lsb, run.width].map(Literal::u32_unsuffixed);
            quote!(self.0 as u64 >> #shift & super::engine::bits::low_bits(#width))
        }
        None => bits::extracted(&quote!((self.0 as u64)), &part.bits),
    });
    let mut names = parameters();
    let names: Vec<Ident> =
        composite.parts.iter().map(|part| names.add(&snake(&part.name))).collect();
    let placed = composite.parts.iter().zip(&names).map(|(part, name)| match part.bits.as_one() {
        Some(run) => {
            let shift = Literal::u32_unsuffixed(run.lsb);
            quote!(#name.bits() << #shift)
        }
        None => bits::placed_in(&quote!(u64), &part.bits, &quote!(#name.bits())),
    });
    let docs = composite.parts.iter().map(|part| format!(" Its part `{}`.", part.name));
    let from_bits = composite_from_bits(plan, ty, name, composite);
    let type_doc = doc(&ty.description, &format!("The composite {}, {} bits.", ty.name, ty.width));
    let getters =
        parts.iter().zip(&types).zip(extracted).zip(docs).map(|(((part, ty), raw), doc)| {
            quote! {
                #[doc = #doc]
                #[inline]
                #[must_use]
                pub const fn #part(self) -> #ty {
                    match #ty::from_bits(#raw) {
                        Some(part) => part,
                        // INVARIANT: `from_bits` refuses other values.
                        None => unreachable!(),
                    }
                }
            }
        });
    // Memory locations are resources, which have an order. The order of other composites has no meaning.
    let mut places = plan.image.flows.memory_types.iter();
    let ordered = match places.any(|of| plan.type_ident(*of) == *name) {
        true => quote!(PartialOrd, Ord,),
        false => TokenStream::new(),
    };
    quote! {
        #type_doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, #ordered Hash)]
        pub struct #name(#raw);

        impl #name {
            /// Puts the parts together.
            #[inline]
            #[must_use]
            pub const fn new(#(#names: #types),*) -> #name {
                #name((0 #(| #placed)*) as #raw)
            }

            #(#getters)*

            #from_bits

            /// What a field holds for the value.
            #[inline]
            #[must_use]
            pub const fn bits(self) -> u64 {
                self.0 as u64
            }
        }
    }
}
