//! `inst.rs` of a generated crate: the instruction, its decoder, getters and setters.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::{Plan, Settable, SlotPlace};
use super::{Emit, Options};

pub(super) fn emit(plan: &Plan<'_>, options: &Options) -> TokenStream {
    let decode = (options.parts.decode == Emit::Yes).then(|| decode(plan));
    let encode = (options.parts.encode == Emit::Yes).then(|| encode(plan));
    let getters = getters(plan);
    let place = plan.varying().next().map(|_| {
        quote! {
            /// Where the opcode has a field that is not at the same bits everywhere.
            #[inline]
            const fn place(self, column: usize) -> u16 {
                PLACES[LAYOUT_OF[self.opcode as usize] as usize][column]
            }
        }
    });
    let digits = plan.isa.bytes() * 2;
    let debug = format!("{{}}(0x{{:0{digits}x}})");
    let size = Literal::usize_unsuffixed(if plan.word_bits() == 128 { 32 } else { 16 });
    quote! {
        //! The instruction.

        #![allow(dead_code, unused_imports)]

        use core::fmt;

        use super::tables::{self, FIXED, LAYOUTS, LAYOUT_OF, PLACES, PRESENT, RULES_OF};
        use super::support::{extract, insert, low_bits};
        use super::types::*;
        use super::{BYTES, Binding, DecodeError, EncodeError, Field, FieldInfo, Opcode, OpcodeInfo, Operands, Rule, Word};

        /// An instruction: opcode and word. Every field holds a value of its type, and bits that
        /// no field covers are 0.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Inst {
            pub(crate) word: Word,
            pub(crate) opcode: Opcode,
        }

        const _: () = assert!(size_of::<Inst>() == #size || Opcode::ALL.is_empty());

        impl fmt::Debug for Inst {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, #debug, self.opcode, self.word)
            }
        }

        impl Inst {
            /// Its opcode.
            #[inline]
            #[must_use]
            pub const fn opcode(self) -> Opcode {
                self.opcode
            }

            /// What the specification says of its opcode.
            #[inline]
            #[must_use]
            pub const fn info(self) -> &'static OpcodeInfo {
                self.opcode.info()
            }

            /// Its word, also where a rule forbids it.
            #[inline]
            #[must_use]
            pub const fn word(self) -> Word {
                self.word
            }

            /// Its operands in assembly order.
            #[must_use]
            pub const fn operands(self) -> Operands {
                Operands::new(self)
            }

            /// The bits of a field, if the opcode has one of this name.
            #[must_use]
            pub fn get(self, field: Field) -> Option<u64> {
                let info = self.field_info(field)?;
                Some(extract(self.word, u32::from(info.lsb), u32::from(info.width)))
            }

            fn field_info(self, field: Field) -> Option<&'static FieldInfo> {
                self.info().fields.iter().find(|info| info.field == field)
            }

            /// The rule that the word breaks, if any.
            #[inline]
            #[must_use]
            pub const fn broken_rule(self) -> Option<Rule> {
                let rules = RULES_OF[self.opcode as usize];
                if rules == 0 { None } else { tables::broken_rule(rules, self.word) }
            }

            /// Whether the opcode has a getter's field.
            #[inline]
            const fn has(self, slot: usize) -> bool {
                PRESENT[LAYOUT_OF[self.opcode as usize] as usize][slot / 64] >> (slot % 64) & 1 != 0
            }

            #place
        }

        #decode
        #encode
        #getters
    }
}

fn decode(plan: &Plan<'_>) -> TokenStream {
    let read = if plan.isa.bytes() * 8 == plan.word_bits() as usize {
        quote!(Word::from_le_bytes(*bytes))
    } else {
        quote! {{
            let mut padded = [0; size_of::<Word>()];
            padded[..BYTES].copy_from_slice(bytes);
            Word::from_le_bytes(padded)
        }}
    };
    quote! {
        use super::WORD_MASK;
        use super::stream::Stream;

        impl Inst {
            /// Decodes the instruction at the start of `bytes`, little-endian; returns it with
            /// the number of bytes that it takes.
            #[inline]
            pub fn decode(bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
                let Some(bytes) = bytes.first_chunk::<BYTES>() else {
                    return Err(DecodeError::Truncated { needed: BYTES });
                };
                match Inst::decode_word(#read) {
                    Ok(inst) => Ok((inst, BYTES)),
                    Err(error) => Err(error),
                }
            }

            /// Decodes a word. Bits that no field covers are ignored.
            #[inline]
            pub const fn decode_word(word: Word) -> Result<Inst, DecodeError> {
                let word = word & WORD_MASK;
                let Some(opcode) = find(word) else { return Err(DecodeError::Unknown) };
                let layout = &LAYOUTS[LAYOUT_OF[opcode as usize] as usize];
                let word = word & layout.significant;
                let legal = layout.validity.is_within_sums(word);
                if !legal || tables::HAS_HOLES && !layout.validity.is_outside_holes(word) {
                    return Err(illegal_value(opcode, word));
                }
                let rules = RULES_OF[opcode as usize];
                if rules != 0
                    && let Some(rule) = tables::broken_rule(rules, word)
                {
                    return Err(DecodeError::Rule { opcode, rule });
                }
                Ok(Inst { word, opcode })
            }

            /// The instructions of a stream of bytes with their offsets.
            #[must_use]
            pub const fn stream(bytes: &[u8]) -> Stream<'_> {
                Stream::new(bytes)
            }
        }

        /// The opcode whose fixed bits a word has.
        #[inline]
        const fn find(word: Word) -> Option<Opcode> {
            match tables::exact(word) {
                None => find_in_tree(word),
                found => found,
            }
        }

        const fn find_in_tree(word: Word) -> Option<Opcode> {
            let mut entry = tables::ROOT;
            while entry & tables::IS_NODE != 0 {
                let node = &tables::NODES[(entry ^ tables::IS_NODE) as usize];
                if node.shift == tables::LEAF {
                    return find_among(node, word);
                }
                let index = extract(word, node.shift as u32, node.width as u32);
                entry = tables::CHILDREN[(node.first as u64 + index) as usize];
            }
            if entry == 0 {
                return None;
            }
            let number = (entry & !tables::IS_EXACT) as usize - 1;
            if entry & tables::IS_EXACT != 0 || matches(number, word) { tables::BY_NUMBER[number] } else { None }
        }

        /// Whether a word has the fixed bits of an opcode.
        #[inline]
        const fn matches(number: usize, word: Word) -> bool {
            let record = &tables::RECORDS[number];
            word & record.mask == record.value
        }

        /// The first candidate of a leaf whose fixed bits a word has.
        const fn find_among(leaf: &tables::Node, word: Word) -> Option<Opcode> {
            let mut i = leaf.first;
            while i < leaf.first + leaf.count {
                let number = tables::CANDIDATES[i as usize] as usize;
                if matches(number, word) {
                    return tables::BY_NUMBER[number];
                }
                i += 1;
            }
            None
        }

        /// Names the first field, from the lowest bit, whose value its type lacks.
        #[cold]
        const fn illegal_value(opcode: Opcode, word: Word) -> DecodeError {
            let fields = opcode.info().fields;
            let mut i = 0;
            while let Some(info) = fields.get(i) {
                if !info.is_legal(extract(word, info.lsb as u32, info.width as u32)) {
                    return DecodeError::IllegalValue { opcode, field: info.field };
                }
                i += 1;
            }
            DecodeError::Unknown
        }
    }
}

fn encode(plan: &Plan<'_>) -> TokenStream {
    let setters =
        plan.slots.iter().enumerate().filter(|(_, slot)| slot.settable == Settable::Yes).map(
            |(index, slot)| {
                let name = plan.isa.name_of(slot.name);
                let doc = format!(" With another value of field `{name}`.");
                let (setter, ty, field) =
                    (&slot.setter, plan.type_ident(slot.ty), plan.field_ident(slot.name));
                let (index, width) =
                    (Literal::usize_unsuffixed(index), Literal::u32_unsuffixed(slot.width));
                let value = quote!(value.bits());
                let set = |lsb: TokenStream| {
                    quote!(Ok(Inst { word: insert(self.word, #lsb, #width, #value), opcode: self.opcode }))
                };
                let body = match slot.place {
                    SlotPlace::Same(lsb) => {
                        let lsb = Literal::u32_unsuffixed(lsb);
                        let set = set(quote!(#lsb));
                        quote!(if self.has(#index) { #set } else { Err(self.lacks(Field::#field)) })
                    }
                    SlotPlace::Varying(column) => {
                        let column = Literal::usize_unsuffixed(column);
                        let set = set(quote!(place as u32));
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
            },
        );
    let settable = plan.varying().next().map(|_| {
        quote! {
            /// The lowest bit of a field that is not at the same bits everywhere, if it can be
            /// given another value.
            #[inline]
            const fn settable(self, slot: usize, column: usize, field: Field) -> Result<u16, EncodeError> {
                if !self.has(slot) {
                    return Err(self.lacks(field));
                }
                let place = self.place(column);
                if place & FIXED != 0 {
                    return Err(EncodeError::FixedField { opcode: self.opcode, field });
                }
                Ok(place)
            }
        }
    });
    let from_le = if plan.isa.bytes() * 8 == plan.word_bits() as usize {
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
    quote! {
        impl Inst {
            /// Its word; an error where a rule of the specification forbids it.
            #[inline]
            pub const fn to_word(self) -> Result<Word, EncodeError> {
                match self.validate() {
                    Ok(()) => Ok(self.word),
                    Err(error) => Err(error),
                }
            }

            /// Its bytes, little-endian; an error where a rule of the specification forbids it.
            #[inline]
            pub const fn to_bytes(self) -> Result<[u8; BYTES], EncodeError> {
                match self.to_word() {
                    Ok(word) => {
                        let bytes = word.to_le_bytes();
                        Ok(#from_le)
                    }
                    Err(error) => Err(error),
                }
            }

            /// Whether a rule of the specification forbids it.
            #[inline]
            pub const fn validate(self) -> Result<(), EncodeError> {
                match self.broken_rule() {
                    None => Ok(()),
                    Some(rule) => Err(EncodeError::Rule { opcode: self.opcode, rule }),
                }
            }

            /// An instruction of `opcode` with these bits in its fields; fields with a default may
            /// be left out, and a fixed field may be given as it is.
            pub fn from_values(opcode: Opcode, values: &[(Field, u64)]) -> Result<Inst, EncodeError> {
                let info = opcode.info();
                let is_known = |field: Field| info.fields.iter().any(|known| known.field == field);
                if let Some((field, _)) = values.iter().find(|(field, _)| !is_known(*field)) {
                    return Err(EncodeError::NoSuchField { opcode, field: *field });
                }
                let mut inst = Inst { word: info.value, opcode };
                for known in info.fields.iter() {
                    let field = known.field;
                    let given = values.iter().find(|(other, _)| *other == field).map(|(_, raw)| *raw);
                    let (lsb, width) = (u32::from(known.lsb), u32::from(known.width));
                    inst.word = match (given, known.binding) {
                        (None, Binding::Fixed) => continue,
                        (None, Binding::Default(raw)) => insert(inst.word, lsb, width, raw),
                        (None, Binding::Required) => return Err(EncodeError::Missing { opcode, field }),
                        (Some(raw), Binding::Fixed) if inst.get(field) == Some(raw) => continue,
                        (Some(raw), _) => inst.with_raw(field, raw)?.word,
                    };
                }
                Ok(inst)
            }

            /// With other bits of a field.
            pub fn with_raw(self, field: Field, raw: u64) -> Result<Inst, EncodeError> {
                let opcode = self.opcode;
                let Some(info) = self.field_info(field) else {
                    return Err(EncodeError::NoSuchField { opcode, field });
                };
                if info.binding == Binding::Fixed {
                    return Err(EncodeError::FixedField { opcode, field });
                }
                let (lsb, width) = (u32::from(info.lsb), u32::from(info.width));
                if raw > low_bits(width) || !info.is_legal(raw) {
                    return Err(EncodeError::IllegalValue { opcode, field });
                }
                Ok(Inst { word: insert(self.word, lsb, width, raw), opcode })
            }

            #[cold]
            const fn lacks(self, field: Field) -> EncodeError {
                EncodeError::NoSuchField { opcode: self.opcode, field }
            }

            #settable

            #(#setters)*
        }
    }
}

fn getters(plan: &Plan<'_>) -> TokenStream {
    let getters = plan.slots.iter().enumerate().map(|(index, slot)| {
        let name = plan.isa.name_of(slot.name);
        let doc = format!(" The field `{name}`, if the opcode has it.");
        let (getter, ty) = (&slot.getter, plan.type_ident(slot.ty));
        let (index, width) =
            (Literal::usize_unsuffixed(index), Literal::u32_unsuffixed(slot.width));
        let lsb = match slot.place {
            SlotPlace::Same(lsb) => {
                let lsb = Literal::u32_unsuffixed(lsb);
                quote!(#lsb)
            }
            SlotPlace::Varying(column) => {
                let column = Literal::usize_unsuffixed(column);
                quote!((self.place(#column) & !FIXED) as u32)
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
                #ty::from_bits(extract(self.word, #lsb, #width))
            }
        }
    });
    quote! {
        impl Inst { #(#getters)* }
    }
}
