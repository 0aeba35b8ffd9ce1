//! `flow.rs` of a generated crate: the reads and writes of instructions, in the crate's own types. The engine finds
//! them.

use isadl_ir::isa::{Composite, CompositeSegment, Number, Print, Type, TypeId, TypeKind};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::names::{Scope, type_name};
use super::numbers::{integer_format, part_getters};
use super::plan::Plan;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let (specials, memory) = (plan.has_specials(), plan.has_memory());
    let special_type = specials.then(|| special_type(plan));
    let memory_type = memory.then(|| memory_type(plan));
    let variants = [
        specials.then(|| {
            quote! {
                /// A special register.
                Special(Special),
            }
        }),
        memory.then(|| {
            quote! {
                /// What a composite operand addresses, such as constant memory.
                Memory(Memory),
            }
        }),
    ];
    let overlaps = [
        specials.then(
            || quote!((Resource::Special(special), Resource::Special(other)) => special == other,),
        ),
        memory.then(|| {
            quote! {
                (Resource::Memory(place), Resource::Memory(other)) => {
                    core::mem::discriminant(&place) == core::mem::discriminant(&other)
                }
            }
        }),
        (specials || memory).then(|| quote!(_ => false,)),
    ];
    let displays = [
        specials.then(|| quote!(Resource::Special(special) => special.fmt(f),)),
        memory.then(|| quote!(Resource::Memory(place) => place.fmt(f),)),
    ];
    let (variants, overlaps, displays) =
        (variants.iter().flatten(), overlaps.iter().flatten(), displays.iter().flatten());
    let typed = typed(plan);
    let methods = methods();
    let iterator = iterator();
    quote! {
        //! Data flow: the resources that an instruction reads and writes.

        #![allow(dead_code, non_camel_case_types, unused_imports)]
        #![allow(clippy::complexity, clippy::style)]
        #![allow(unreachable_patterns, reason = "there may be no register file")]

        use core::fmt;
        use core::iter::FusedIterator;

        pub use super::engine::flow::Effect;
        use super::engine::flow as engine;
        use super::image::Constant;
        use super::{Inst, RegFile, Register, types};

        /// Something that instructions read and write.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Resource {
            /// Registers of a file, one after another.
            Registers {
                /// The file.
                file: RegFile,
                /// Number of the first.
                first: u16,
                /// How many, at least one.
                count: u16,
            },
            /// One register of the file, or some; the instruction does not say which.
            Unknown {
                /// The file.
                file: RegFile,
            },
            #(#variants)*
        }

        impl Resource {
            /// Whether both may have something in common. An unknown register may be any of its
            /// file. Places in memory of one type always may: how much is read there is not part of
            /// the resource.
            #[must_use]
            pub fn overlaps(self, other: Resource) -> bool {
                match (self, other) {
                    (
                        Resource::Registers { file, first, count },
                        Resource::Registers { file: other, first: other_first, count: other_count },
                    ) => {
                        let end = |first: u16, count: u16| u32::from(first) + u32::from(count);
                        file == other
                            && u32::from(first) < end(other_first, other_count)
                            && u32::from(other_first) < end(first, count)
                    }
                    (
                        Resource::Unknown { file },
                        Resource::Unknown { file: other } | Resource::Registers { file: other, .. },
                    )
                    | (Resource::Registers { file, .. }, Resource::Unknown { file: other }) => {
                        file == other
                    }
                    #(#overlaps)*
                }
            }

            /// The registers that it is for certain, one by one: those of a range, and none of
            /// anything else.
            pub fn registers(self) -> impl Iterator<Item = Register> + Clone {
                let (file, first, count) = match self {
                    Resource::Registers { file, first, count } => (Some(file), first, count),
                    _ => (None, 0, 0),
                };
                let numbers = first..first.saturating_add(count);
                numbers.filter_map(move |number| Some(Register { file: file?, number }))
            }
        }

        impl fmt::Display for Resource {
            /// Writes registers by their file, `GPR[2:3]`, an unknown one as `some GPR`, what else
            /// there is by its name.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match *self {
                    Resource::Registers { file, first, count: 1 } => write!(f, "{file}[{first}]"),
                    Resource::Registers { file, first, count } => {
                        write!(f, "{file}[{first}:{}]", first + (count - 1))
                    }
                    Resource::Unknown { file } => write!(f, "some {file}"),
                    #(#displays)*
                }
            }
        }

        /// What an instruction does to one resource.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Use {
            /// The resource.
            pub resource: Resource,
            /// What is done to it.
            pub effect: Effect,
        }

        impl fmt::Display for Use {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} {}", self.effect, self.resource)
            }
        }

        #methods
        #iterator
        #typed
        #special_type
        #memory_type
    }
}

/// `uses`, `reads` and `writes`.
fn methods() -> TokenStream {
    quote! {
        impl Inst {
            /// The resources that it reads and writes, in the order of the specification, each once. Registers are
            /// those that it names with the width that its modifiers give its operands. Constants are not read, and
            /// what is written to them is lost. With a guard that is not always true everything is conditional that
            /// depends on it.
            #[inline(always)]
            #[must_use]
            pub fn uses(self) -> Uses {
                Uses(engine::uses(Constant, self.row, self.word, engine::Effects::ALL))
            }

            /// Those of its [`Inst::uses`] that read, also if they write too.
            #[inline(always)]
            #[must_use]
            pub fn reads(self) -> Uses {
                Uses(engine::uses(Constant, self.row, self.word, engine::Effects::READS))
            }

            /// Those of its [`Inst::uses`] that write, also if they read too.
            #[inline(always)]
            #[must_use]
            pub fn writes(self) -> Uses {
                Uses(engine::uses(Constant, self.row, self.word, engine::Effects::WRITES))
            }
        }
    }
}

/// The iterator of uses.
fn iterator() -> TokenStream {
    quote! {
        /// What an instruction reads and writes.
        #[derive(Clone)]
        pub struct Uses(engine::Uses<'static, Constant>);

        impl Iterator for Uses {
            type Item = Use;

            #[inline(always)]
            fn next(&mut self) -> Option<Use> {
                match self.0.next() {
                    Some(found) => Some(typed(found)),
                    None => None,
                }
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }

            #[inline(always)]
            fn fold<B, F: FnMut(B, Use) -> B>(self, init: B, mut f: F) -> B {
                self.0.fold(init, #[inline(always)] |state, found| f(state, typed(found)))
            }
        }

        impl FusedIterator for Uses {}

        impl fmt::Debug for Uses {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.clone()).finish()
            }
        }
    }
}

/// From the engine's numbers to types.
fn typed(plan: &Plan<'_>) -> TokenStream {
    // INVARIANT: the image numbers only register files, special registers and types that there are.
    let never = quote!(unreachable!());
    // A table of a power of 2 needs no check of its index.
    let len = plan.reg_files.len().next_power_of_two();
    let files = plan.reg_files.iter().cycle().take(len).map(|file| quote!(RegFile::#file));
    let last = Literal::usize_unsuffixed(len - 1);
    let count = Literal::usize_unsuffixed(len);
    let (file, files) = match plan.reg_files.is_empty() {
        true => (quote!({ let _ = number; #never }), None),
        false => (
            quote!(FILES[number as usize & #last]),
            Some(quote! {
                /// The register files by their numbers, the first again where there are no others.
                const FILES: [RegFile; #count] = [#(#files),*];
            }),
        ),
    };
    let special = match plan.has_specials() {
        true => quote! {
            engine::Resource::Special(number) => match Special::ALL.get(number as usize) {
                Some(special) => Resource::Special(*special),
                None => #never,
            },
        },
        false => quote!(engine::Resource::Special(_) => #never,),
    };
    let memory = match plan.has_memory() {
        true => quote! {
            engine::Resource::Memory { ty, raw } => match Memory::from_bits(ty, raw) {
                Some(place) => Resource::Memory(place),
                None => #never,
            },
        },
        false => quote!(engine::Resource::Memory { .. } => #never,),
    };
    quote! {
        #files

        /// The register file of a number.
        #[inline(always)]
        pub(crate) const fn file(number: u32) -> RegFile {
            #file
        }

        /// A use of the engine in the types of this crate.
        #[inline(always)]
        fn typed(found: engine::Use) -> Use {
            let resource = match found.resource {
                engine::Resource::Registers { file: number, first, count } => {
                    Resource::Registers { file: file(number), first, count }
                }
                engine::Resource::Unknown { file: number } => {
                    Resource::Unknown { file: file(number) }
                }
                #special
                #memory
            };
            Use { resource, effect: found.effect }
        }
    }
}

/// The enumeration of special registers.
fn special_type(plan: &Plan<'_>) -> TokenStream {
    let (idents, names) = (&plan.specials, plan.isa.specials());
    let docs = names.iter().map(|name| format!(" The special register {name}."));
    quote! {
        /// A special register, a resource of its own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[non_exhaustive]
        pub enum Special { #(#[doc = #docs] #idents,)* }

        impl Special {
            /// Every special register.
            pub const ALL: &'static [Special] = &[#(Special::#idents),*];

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { #(Special::#idents => #names,)* }
            }
        }

        impl fmt::Display for Special {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    }
}

/// The types of places in memory, those that differ in prose only once.
pub(super) fn memory_types(plan: &Plan<'_>) -> Vec<TypeId> {
    let numbered = plan.image.flows.memory_types.iter();
    let mut types: Vec<TypeId> = numbered.map(|ty| plan.canonical(*ty)).collect();
    types.sort_unstable();
    types.dedup();
    types
}

/// The variants of the enumeration of places in memory, by their types.
pub(super) fn memory_variants(plan: &Plan<'_>, types: &[TypeId]) -> Vec<(TypeId, Ident)> {
    let mut scope = Scope::reserving(&["from_bits"]);
    types.iter().map(|ty| (*ty, scope.add(&type_name(&plan.isa.ty(*ty).name)))).collect()
}

/// The enumeration of places in memory, a variant for each type.
fn memory_type(plan: &Plan<'_>) -> TokenStream {
    let numbered = plan.image.flows.memory_types.iter().map(|ty| plan.canonical(*ty));
    let types = memory_types(plan);
    let (_, variants): (Vec<TypeId>, Vec<Ident>) =
        memory_variants(plan, &types).into_iter().unzip();
    let idents: Vec<Ident> = types.iter().map(|ty| plan.type_ident(*ty)).collect();
    let docs = types.iter().map(|ty| format!(" What a `{}` addresses.", plan.isa.ty(*ty).name));
    // Several numbers share a type if generations have types that differ in prose only.
    let places = numbered.zip(0u32..).filter_map(|(ty, number)| {
        let index = types.binary_search(&ty).ok()?;
        let (number, ident, variant) =
            (Literal::u32_unsuffixed(number), &idents[index], &variants[index]);
        Some(quote! {
            #number => match types::#ident::from_bits(raw) {
                Some(place) => Some(Memory::#variant(place)),
                None => None,
            },
        })
    });
    let printers = types.iter().map(|ty| printer(plan, *ty));
    quote! {
        /// A place in memory, as its operand says.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(clippy::upper_case_acronyms)]
        #[non_exhaustive]
        pub enum Memory { #(#[doc = #docs] #variants(types::#idents),)* }

        impl Memory {
            /// The place that a field of the type of a number says.
            pub(crate) const fn from_bits(number: u32, raw: u64) -> Option<Memory> {
                match number {
                    #(#places)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for Memory {
            /// Writes it as in assembly text, but numbers that are no integers by their bits.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { #(Memory::#variants(place) => #printers,)* }
            }
        }
    }
}

/// Writes the parts of `place`.
fn printer(plan: &Plan<'_>, ty: TypeId) -> TokenStream {
    let TypeKind::Composite(composite) = &plan.isa.ty(ty).kind else { return quote!(Ok(())) };
    let (last, before) = match composite.format.iter().rposition(is_optional) {
        Some(at) => (&composite.format[at + 1..], &composite.format[..=at]),
        None => (composite.format.as_slice(), &[][..]),
    };
    let (before, last) = (printers(plan, composite, before), plain_printer(plan, composite, last));
    match before.is_empty() {
        true => last,
        false => quote!({ #(#before)* #last }),
    }
}

fn is_optional(piece: &CompositeSegment) -> bool {
    matches!(piece, CompositeSegment::Optional { .. } | CompositeSegment::Otherwise { .. })
}

/// Statements that write pieces of `place`.
fn printers(
    plan: &Plan<'_>,
    composite: &Composite,
    pieces: &[CompositeSegment],
) -> Vec<TokenStream> {
    let mut statements = Vec::new();
    for pieces in pieces.chunk_by(|a, b| !is_optional(a) && !is_optional(b)) {
        let (pieces, absent, sign) = match &pieces[0] {
            CompositeSegment::Optional { pieces, absent } => (pieces, absent, quote!(!=)),
            CompositeSegment::Otherwise { pieces, absent } => (pieces, absent, quote!(==)),
            _ => {
                let printer = plain_printer(plan, composite, pieces);
                statements.push(quote!(#printer?;));
                continue;
            }
        };
        let (mask, value) = composite.omission(absent);
        let [mask, value] = [mask, value].map(Literal::u64_unsuffixed);
        let inner = printers(plan, composite, pieces);
        statements.push(quote!(if place.bits() & #mask #sign #value { #(#inner)* }));
    }
    statements
}

/// Writes pieces of `place`, none of them optional.
fn plain_printer(
    plan: &Plan<'_>,
    composite: &Composite,
    pieces: &[CompositeSegment],
) -> TokenStream {
    let getters = part_getters(composite);
    let mut format = String::new();
    let mut arguments: Vec<TokenStream> = Vec::new();
    for piece in pieces {
        match piece {
            CompositeSegment::Text(text) => format += &text.replace('{', "{{").replace('}', "}}"),
            CompositeSegment::Part(index) => {
                let ty = plan.isa.ty(composite.parts[*index].ty);
                let (text, of_part) = part_text(ty, &getters[*index]);
                if let TypeKind::Immediate(immediate) = &ty.kind {
                    format += &immediate.prefix;
                }
                format += &text;
                arguments.extend(of_part);
            }
            CompositeSegment::Next(index, by) => {
                let (getter, ty) = (&getters[*index], composite.parts[*index].ty);
                let name = plan.type_ident(ty);
                let later = later(plan.isa.ty(ty), *by);
                format += "{}";
                arguments.push(quote!({
                    let raw = place.#getter().bits();
                    // INVARIANT: each value of the type is a register.
                    types::#name::from_bits(#later).unwrap_or(place.#getter())
                }));
            }
            CompositeSegment::Optional { .. } | CompositeSegment::Otherwise { .. } => {}
        }
    }
    quote!(write!(f, #format, #(#arguments),*))
}

/// The value of the register `by` positions after the register of `raw`.
fn later(ty: &Type, by: u32) -> TokenStream {
    let runs = ty.entries().iter().map(|entry| {
        let [first, count] = [entry.value, entry.count].map(Literal::u64_unsuffixed);
        let last = Literal::u64_unsuffixed(entry.value + (entry.count - 1));
        let by = Literal::u64_unsuffixed(u64::from(by) % entry.count);
        quote!(#first..=#last => #first + (raw - #first + #by) % #count,)
    });
    quote!(match raw { #(#runs)* _ => raw })
}

/// How a part is written: the format, and its arguments.
fn part_text(ty: &Type, getter: &Ident) -> (String, Vec<TokenStream>) {
    let immediate = match &ty.kind {
        TypeKind::Immediate(immediate) => immediate,
        TypeKind::BitField(_) if ty.otherwise.is_none() => {
            return ("{}".to_string(), vec![quote!(place.#getter().spelling())]);
        }
        _ => return ("{}".to_string(), vec![quote!(place.#getter())]),
    };
    let is_integer = !matches!(immediate.number.number, Number::Float { .. });
    let is_number = is_integer && immediate.number.lanes == 1 && immediate.print != Print::Bits;
    let (number, bits) = (quote!(place.#getter().get()), quote!(place.#getter().bits()));
    let (low, _) = immediate.range(ty.width);
    let format = integer_format(immediate.print, if is_number { immediate.digits } else { 0 });
    match immediate.print {
        Print::Bits => (integer_format(Print::Hex, 0), vec![bits]),
        // Bits of a number that is not an integer have no decimal digits.
        Print::Decimal if !is_number => (integer_format(Print::Hex, 0), vec![bits]),
        _ if !is_number => (format, vec![bits]),
        _ if low < 0 => {
            let sign = quote!(if #number < 0 { "-" } else { "" });
            (format!("{{}}{format}"), vec![sign, quote!(#number.unsigned_abs())])
        }
        _ => (format, vec![number]),
    }
}
