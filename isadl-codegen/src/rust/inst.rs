//! `inst.rs` of a generated crate: the instruction, its decoder, getters and setters.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::{Plan, Settable, SlotPlace, SlotPlan};
use super::types::has_literal;
use super::{Emit, Options, special};

pub(super) fn emit(plan: &Plan<'_>, options: &Options) -> TokenStream {
    let decode = (options.parts.decode == Emit::Yes).then(|| decode(plan));
    let encode = (options.parts.encode == Emit::Yes).then(|| encode(plan));
    let getters = getters(plan);
    let (row, row_type) = (plan.row_field(), plan.row_type());
    let place = plan.varying().next().map(|_| {
        quote! {
            /// Where the opcode has a field that is not at the same bits everywhere.
            #[inline]
            const fn place(self, column: usize) -> u16 {
                PLACES[LAYOUT_OF[self.#row as usize] as usize][column]
            }
        }
    });
    let (opcode, info) = match plan.has_rows {
        true => (quote!(self.row.opcode()), quote!(&tables::INFO[self.row as usize])),
        false => (quote!(self.opcode), quote!(self.opcode.info())),
    };
    let debug = debug(plan);
    let size = Literal::usize_unsuffixed(if plan.word_bits() == 128 { 32 } else { 16 });
    let rule_doc = match plan.has_assembler_rules() {
        true => {
            " The rule that the word breaks, if any. What decodes breaks no rule but such as only \
             encoder and assembler follow."
        }
        false => " The rule that the word breaks, if any.",
    };
    let more = more(plan);
    let uses = uses(plan);
    quote! {
        //! The instruction.

        #![allow(dead_code, unused_imports)]

        use core::fmt;

        use super::tables::{self, FIXED, LAYOUTS, LAYOUT_OF, PLACES, PRESENT, RULES_OF};
        use super::support::{extract, insert, low_bits};
        use super::types::*;
        use super::{BYTES, Binding, DecodeError, EncodeError, Field, FieldInfo, Opcode, OpcodeInfo, Operands, Rule, Word};
        #uses

        /// An instruction: opcode and word. Every field holds a value of its type, and bits that
        /// no field covers are 0.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Inst {
            pub(crate) word: Word,
            pub(crate) #row: #row_type,
        }

        const _: () = assert!(size_of::<Inst>() == #size || Opcode::ALL.is_empty());

        impl fmt::Debug for Inst {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                #debug
            }
        }

        impl Inst {
            /// Its opcode.
            #[inline]
            #[must_use]
            pub const fn opcode(self) -> Opcode {
                #opcode
            }

            /// What the specification says of its opcode.
            #[inline]
            #[must_use]
            pub const fn info(self) -> &'static OpcodeInfo {
                #info
            }

            /// Its word, also where [`Inst::to_word`] refuses it.
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

            #more

            /// The bits of a field, if the opcode has one of this name.
            #[must_use]
            pub fn get(self, field: Field) -> Option<u64> {
                let info = self.field_info(field)?;
                Some(extract(self.word, u32::from(info.lsb), u32::from(info.width)))
            }

            fn field_info(self, field: Field) -> Option<&'static FieldInfo> {
                self.info().fields.iter().find(|info| info.field == field)
            }

            #[doc = #rule_doc]
            #[inline]
            #[must_use]
            pub const fn broken_rule(self) -> Option<Rule> {
                let rules = RULES_OF[self.#row as usize];
                if rules == 0 { None } else { tables::broken_rule(rules, self.word) }
            }

            /// The index of tables.
            #[inline]
            pub(crate) const fn row(self) -> usize {
                self.#row as usize
            }

            /// Whether the opcode has a getter's field.
            #[inline]
            const fn has(self, slot: usize) -> bool {
                PRESENT[LAYOUT_OF[self.#row as usize] as usize][slot / 64] >> (slot % 64) & 1 != 0
            }

            #place
        }

        #decode
        #encode
        #getters
    }
}

/// What only some instruction sets need.
fn uses(plan: &Plan<'_>) -> TokenStream {
    let row = plan.has_rows.then(|| {
        quote!(
            use super::row::Row;
        )
    });
    let generation = (!plan.generations.is_empty()).then(|| {
        quote!(
            use super::Generation;
        )
    });
    let variants = (!plan.merged.is_empty()).then(|| {
        quote!(
            use super::tables::{LSB, VARIANT_SHIFT};
        )
    });
    quote!(#row #generation #variants)
}

fn debug(plan: &Plan<'_>) -> TokenStream {
    if plan.varies_width() {
        return quote! {
            let digits = 2 * self.len();
            write!(f, "{}(0x{:0digits$x})", self.opcode(), self.word)
        };
    }
    let digits = plan.isa.bytes() * 2;
    let debug = format!("{{}}(0x{{:0{digits}x}})");
    let opcode = if plan.has_rows { quote!(self.opcode()) } else { quote!(self.opcode) };
    quote!(write!(f, #debug, #opcode, self.word))
}

/// Methods that only some instruction sets have.
fn more(plan: &Plan<'_>) -> TokenStream {
    let row = plan.row_field();
    let implicit = plan.has_implicit().then(|| {
        quote! {
            /// The register files that it reads or writes without showing them in assembly text.
            #[must_use]
            pub const fn implicit(self) -> Operands {
                Operands::implicit(self)
            }
        }
    });
    let width = plan.varies_width().then(|| {
        quote! {
            /// How many bytes it has.
            #[inline]
            #[must_use]
            #[allow(clippy::len_without_is_empty)]
            pub const fn len(self) -> usize {
                tables::LENGTH_OF[self.#row as usize] as usize
            }

            /// How many bits it has.
            #[inline]
            #[must_use]
            pub const fn width(self) -> u32 {
                8 * self.len() as u32
            }
        }
    });
    let generations = (!plan.generations.is_empty()).then(|| {
        quote! {
            /// The generations that have it so.
            #[must_use]
            pub const fn generations(self) -> &'static [Generation] {
                self.info().generations
            }

            /// Whether a generation has it so.
            #[inline]
            #[must_use]
            pub const fn is_in(self, generation: Generation) -> bool {
                tables::GENERATIONS_OF[self.#row as usize] >> generation as u32 & 1 != 0
            }
        }
    });
    quote!(#implicit #width #generations)
}

/// `word` read from `bytes`, which are as many as the longest instruction has.
fn read_word(plan: &Plan<'_>) -> TokenStream {
    if plan.isa.bytes() * 8 == plan.word_bits() as usize {
        quote!(Word::from_le_bytes(*bytes))
    } else {
        quote! {{
            let mut padded = [0; size_of::<Word>()];
            padded[..BYTES].copy_from_slice(bytes);
            Word::from_le_bytes(padded)
        }}
    }
}

/// Decoding of bytes where all instructions are equally long.
fn decode_bytes(plan: &Plan<'_>, parameter: &TokenStream, argument: &TokenStream) -> TokenStream {
    let read = read_word(plan);
    quote! {
        /// Decodes the instruction at the start of `bytes`, little-endian; returns it with
        /// the number of bytes that it takes.
        #[inline]
        pub fn decode(#parameter bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
            let Some(bytes) = bytes.first_chunk::<BYTES>() else {
                return Err(DecodeError::Truncated { needed: BYTES });
            };
            match Inst::decode_word(#argument #read) {
                Ok(inst) => Ok((inst, BYTES)),
                Err(error) => Err(error),
            }
        }
    }
}

/// Decoding of bytes where the instruction tells how many there are.
fn decode_some_bytes(
    plan: &Plan<'_>,
    parameter: &TokenStream,
    argument: &TokenStream,
) -> TokenStream {
    let read = read_word(plan);
    let row = plan.row_field();
    quote! {
        /// Decodes the instruction at the start of `bytes`, little-endian; returns it with
        /// the number of bytes that it takes.
        #[inline]
        pub fn decode(#parameter bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
            let word = match bytes.first_chunk::<BYTES>() {
                Some(bytes) => #read,
                None => read_some(bytes),
            };
            let Some(#row) = find(#argument word) else {
                return Err(match bytes.len() < MIN_BYTES {
                    true => DecodeError::Truncated { needed: MIN_BYTES },
                    false => DecodeError::Unknown,
                });
            };
            let length = tables::LENGTH_OF[#row as usize] as usize;
            if bytes.len() < length {
                return Err(DecodeError::Truncated { needed: length });
            }
            match of_row(#row, word) {
                Ok(inst) => Ok((inst, length)),
                Err(error) => Err(error),
            }
        }
    }
}

fn decode(plan: &Plan<'_>) -> TokenStream {
    let (row, row_type, by_row) = (plan.row_field(), plan.row_type(), plan.by_row());
    let has_generations = !plan.generations.is_empty();
    let (parameter, argument) = match has_generations {
        true => (quote!(generation: Generation,), quote!(generation,)),
        false => (quote!(), quote!()),
    };
    let decode_bytes = match plan.varies_width() {
        true => decode_some_bytes(plan, &parameter, &argument),
        false => decode_bytes(plan, &parameter, &argument),
    };
    let opcode = if plan.has_rows { quote!(opcode: row.opcode()) } else { quote!(opcode) };
    let rules_of = match plan.has_assembler_rules() {
        true => quote!(tables::WORD_RULES_OF),
        false => quote!(RULES_OF),
    };
    let asked_rules_of = match plan.suspects.is_empty() {
        true => rules_of.clone(),
        false => quote!(tables::ASKED_RULES_OF),
    };
    // A looked-up value may be one that a rule forbids.
    let or_rule = (!plan.suspects.is_empty()).then(|| {
        quote! {
            if let Some(rule) = tables::broken_rule(#rules_of[#row as usize], word) {
                return DecodeError::Rule { #opcode, rule };
            }
        }
    });
    let suspect = (!plan.suspects.is_empty())
        .then(|| quote!(let legal = legal & !tables::has_suspect(#row as usize, word);));
    let check = quote! {
        let layout = &LAYOUTS[LAYOUT_OF[#row as usize] as usize];
        let word = word & layout.significant;
        let legal = !tables::HAS_SUMS || layout.validity.is_within_sums(word);
        #suspect
        if !legal || tables::HAS_HOLES && !layout.validity.is_outside_holes(word) {
            return Err(illegal_value(#row, word));
        }
        let rules = #asked_rules_of[#row as usize];
        let broken = if rules == 0 { None } else { tables::broken_rule(rules, word) };
        if let Some(rule) = broken {
            return Err(DecodeError::Rule { #opcode, rule });
        }
        Ok(Inst { word, #row })
    };
    let (decode_word, of_row) = match plan.varies_width() {
        false => (check, None),
        true => (quote!(of_row(#row, word)), Some(of_row(plan, &check))),
    };
    let word_doc = match plan.varies_width() {
        true => {
            " Decodes a word, which begins at its lowest bit. Bits that no field covers are ignored."
        }
        false => " Decodes a word. Bits that no field covers are ignored.",
    };
    let find = match has_generations {
        true => quote! {
            match tables::quick(generation, word) {
                None => find_in_tree(tables::ROOTS[generation as usize], word),
                found => found,
            }
        },
        false => quote! {
            match tables::exact(word) {
                None => find_in_tree(tables::ROOT, word),
                found => found,
            }
        },
    };
    let find = match special::any_left_out(plan) {
        true => quote! {
            match #find {
                Some(#row) if tables::is_left_out(#row as usize, word) => None,
                found => found,
            }
        },
        false => find,
    };
    let info = match plan.has_rows {
        true => quote!(tables::INFO[row as usize]),
        false => quote!(opcode.info()),
    };
    let parameters = match has_generations {
        true => quote!(generation: Generation, word: Word),
        false => quote!(word: Word),
    };
    let stream = match has_generations {
        true => quote!(super::stream::Stream::new(generation, bytes)),
        false => quote!(super::stream::Stream::new(bytes)),
    };
    quote! {
        use super::WORD_MASK;

        impl Inst {
            #decode_bytes

            #[doc = #word_doc]
            #[inline]
            pub const fn decode_word(#parameters) -> Result<Inst, DecodeError> {
                let word = word & WORD_MASK;
                let Some(#row) = find(#argument word) else { return Err(DecodeError::Unknown) };
                #decode_word
            }

            /// The instructions of a stream of bytes with their offsets.
            #[must_use]
            pub const fn stream(#parameter bytes: &[u8]) -> super::stream::Stream<'_> {
                #stream
            }
        }

        #of_row

        /// The opcode whose fixed bits a word has.
        #[inline]
        const fn find(#parameters) -> Option<#row_type> {
            #find
        }

        /// The opcode of a word among those behind an entry of the tree.
        #[inline(never)]
        const fn find_in_tree(mut entry: u32, word: Word) -> Option<#row_type> {
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
            if entry & tables::IS_EXACT != 0 || matches(number, word) { tables::#by_row[number] } else { None }
        }

        /// Whether a word has the fixed bits of an opcode.
        #[inline]
        const fn matches(number: usize, word: Word) -> bool {
            let record = &tables::RECORDS[number];
            word & record.mask == record.value
        }

        /// The first candidate of a leaf whose fixed bits a word has.
        const fn find_among(leaf: &tables::Node, word: Word) -> Option<#row_type> {
            let mut i = leaf.first;
            while i < leaf.first + leaf.count {
                let number = tables::CANDIDATES[i as usize] as usize;
                if matches(number, word) {
                    return tables::#by_row[number];
                }
                i += 1;
            }
            None
        }

        /// Names the first field, from the lowest bit, whose value its type lacks.
        #[cold]
        const fn illegal_value(#row: #row_type, word: Word) -> DecodeError {
            let fields = #info.fields;
            let mut i = 0;
            while let Some(info) = fields.get(i) {
                if !info.is_legal(extract(word, info.lsb as u32, info.width as u32)) {
                    return DecodeError::IllegalValue { #opcode, field: info.field };
                }
                i += 1;
            }
            #or_rule
            DecodeError::Unknown
        }
    }
}

/// Decoding of a word of which the row is known; and of bytes that are fewer than the longest
/// instruction has.
fn of_row(plan: &Plan<'_>, check: &TokenStream) -> TokenStream {
    let (row, row_type) = (plan.row_field(), plan.row_type());
    quote! {
        use super::MIN_BYTES;

        /// The instruction that a word with the fixed bits of a row is.
        #[inline]
        const fn of_row(#row: #row_type, word: Word) -> Result<Inst, DecodeError> {
            #check
        }

        /// The word that bytes begin, with zeros behind them.
        #[cold]
        fn read_some(bytes: &[u8]) -> Word {
            let mut padded = [0; size_of::<Word>()];
            let some = bytes.len().min(BYTES);
            padded[..some].copy_from_slice(&bytes[..some]);
            Word::from_le_bytes(padded)
        }
    }
}

/// A setter, for a field that some opcode leaves open.
fn setter(plan: &Plan<'_>, index: usize, slot: &SlotPlan) -> TokenStream {
    let row = plan.row_field();
    let name = plan.isa.name_of(slot.name);
    let doc = format!(" With another value of field `{name}`.");
    let (setter, ty, field) = (&slot.setter, plan.type_ident(slot.ty), plan.field_ident(slot.name));
    let (index, width) = (Literal::usize_unsuffixed(index), Literal::u32_unsuffixed(slot.width));
    let is_merged = plan.merged.contains_key(&slot.ty);
    let set = |lsb: TokenStream, width: TokenStream, value: TokenStream| quote!(Ok(Inst { word: insert(self.word, #lsb, #width, #value), #row: self.#row }));
    // The values of some types are not all legal in all opcodes.
    let checked = |lsb: TokenStream, width: TokenStream, raw: TokenStream| {
        let set = set(lsb, width, quote!(raw));
        quote! {
            match #raw {
                Some(raw) => #set,
                None => Err(EncodeError::IllegalValue { opcode: self.opcode(), field: Field::#field }),
            }
        }
    };
    let body = |lsb: TokenStream| match (is_merged, has_literal(plan, slot.ty)) {
        (true, _) => {
            let set = checked(lsb, quote!(#ty::width(variant)), quote!(value.open_raw(variant)));
            quote!({ let variant = place >> VARIANT_SHIFT; #set })
        }
        (false, true) => checked(lsb, quote!(#width), quote!(value.open_bits())),
        (false, false) => set(lsb, quote!(#width), quote!(value.bits())),
    };
    let body = match slot.place {
        SlotPlace::Same(lsb) => {
            let lsb = Literal::u32_unsuffixed(lsb);
            let set = body(quote!(#lsb));
            quote!(if self.has(#index) { #set } else { Err(self.lacks(Field::#field)) })
        }
        SlotPlace::Varying(column) => {
            let column = Literal::usize_unsuffixed(column);
            let place = match plan.merged.is_empty() {
                true => quote!(place as u32),
                false => quote!((place & LSB) as u32),
            };
            let set = body(place);
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
    let (ty, bytes) = match plan.varies_width() {
        true => {
            (quote!(super::bytes::Bytes), quote!(super::bytes::Bytes::new(#from_le, self.len())))
        }
        false => (quote!([u8; BYTES]), from_le),
    };
    quote! {
        /// Its bytes, little-endian; an error where [`Inst::to_word`] gives one.
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

fn encode(plan: &Plan<'_>) -> TokenStream {
    let slots = plan.slots.iter().enumerate();
    let settable = slots.filter(|(_, slot)| slot.settable == Settable::Yes);
    let setters = settable.map(|(index, slot)| setter(plan, index, slot));
    let row = plan.row_field();
    let self_opcode = if plan.has_rows { quote!(self.opcode()) } else { quote!(self.opcode) };
    let opcode = quote!(opcode: #self_opcode);
    let to_bytes = to_bytes(plan);
    let from_values = from_values(plan);
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
                    return Err(EncodeError::FixedField { #opcode, field });
                }
                Ok(place)
            }
        }
    });
    quote! {
        impl Inst {
            /// Its word; an error where a rule of the specification forbids it, and where the
            /// word is that of another opcode.
            #[inline]
            pub const fn to_word(self) -> Result<Word, EncodeError> {
                match self.validate() {
                    Ok(()) => Ok(self.word),
                    Err(error) => Err(error),
                }
            }

            #to_bytes

            /// Whether its word is one of its opcode that no rule of the specification forbids.
            #[inline]
            pub const fn validate(self) -> Result<(), EncodeError> {
                if let Some(rule) = self.broken_rule() {
                    return Err(EncodeError::Rule { #opcode, rule });
                }
                match tables::special_case(self.row(), self.word) {
                    None => Ok(()),
                    Some(other) => Err(EncodeError::SpecialCase { #opcode, other }),
                }
            }

            #from_values

            /// With other bits of a field.
            pub fn with_raw(self, field: Field, raw: u64) -> Result<Inst, EncodeError> {
                let opcode = #self_opcode;
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
                Ok(Inst { word: insert(self.word, lsb, width, raw), #row: self.#row })
            }

            #[cold]
            const fn lacks(self, field: Field) -> EncodeError {
                EncodeError::NoSuchField { #opcode, field }
            }

            #settable

            #(#setters)*
        }
    }
}

/// Instructions from the bits of their fields.
fn from_values(plan: &Plan<'_>) -> TokenStream {
    let (row, row_type) = (plan.row_field(), plan.row_type());
    let (opcode, info) = match plan.has_rows {
        true => (quote!(let opcode = row.opcode();), quote!(&tables::INFO[row as usize])),
        false => (quote!(), quote!(opcode.info())),
    };
    let shared = plan.has_shared_bits().then(|| {
        quote! {
            let differs = |known: &&FieldInfo| {
                values.iter().any(|(field, raw)| *field == known.field && inst.get(*field) != Some(*raw))
            };
            if let Some(known) = info.fields.iter().find(differs) {
                return Err(EncodeError::Shared { opcode, field: known.field });
            }
        }
    });
    let body = quote! {
        #opcode
        let info = #info;
        let is_known = |field: Field| info.fields.iter().any(|known| known.field == field);
        if let Some((field, _)) = values.iter().find(|(field, _)| !is_known(*field)) {
            return Err(EncodeError::NoSuchField { opcode, field: *field });
        }
        let mut inst = Inst { word: info.value, #row };
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
        #shared
        Ok(inst)
    };
    let has_generations = !plan.generations.is_empty();
    let parameter = has_generations.then(|| quote!(generation: Generation,));
    if !plan.has_rows {
        let check = has_generations.then(|| {
            quote! {
                if tables::GENERATIONS_OF[opcode as usize] >> generation as u32 & 1 == 0 {
                    return Err(EncodeError::NotInGeneration { opcode, generation });
                }
            }
        });
        return quote! {
            /// An instruction of `opcode` with these bits in its fields; fields with a default may
            /// be left out, and a fixed field may be given as it is.
            pub fn from_values(#parameter opcode: Opcode, values: &[(Field, u64)]) -> Result<Inst, EncodeError> {
                #check
                #body
            }
        };
    }
    let is_in = has_generations.then(|| {
        quote! {
            if tables::GENERATIONS_OF[row as usize] >> generation as u32 & 1 == 0 {
                continue;
            }
        }
    });
    let none = match has_generations {
        true => quote!(Err(EncodeError::NotInGeneration { opcode, generation })),
        // INVARIANT: an opcode has a row at least.
        false => quote!(unreachable!()),
    };
    quote! {
        /// An instruction of `opcode` with these bits in its fields; fields with a default may
        /// be left out, and a fixed field may be given as it is. Of the forms with and without a
        /// literal it is the first that has all the fields.
        pub fn from_values(#parameter opcode: Opcode, values: &[(Field, u64)]) -> Result<Inst, EncodeError> {
            let (first, count) = tables::ROWS_OF[opcode as usize];
            let mut refusal = None;
            for row in tables::BY_ROW[first as usize..(first + count) as usize].iter().flatten().copied() {
                #is_in
                match Inst::row_from_values(row, values) {
                    Err(error) => refusal = refusal.or(Some(error)),
                    built => return built,
                }
            }
            match refusal {
                Some(error) => Err(error),
                None => #none,
            }
        }

        fn row_from_values(row: #row_type, values: &[(Field, u64)]) -> Result<Inst, EncodeError> {
            #body
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
                        let variant = place >> VARIANT_SHIFT;
                        #ty::from_raw(variant, extract(self.word, (place & LSB) as u32, #ty::width(variant)))
                    }
                } else if plan.merged.is_empty() {
                    quote!(#ty::from_bits(extract(self.word, (self.place(#column) & !FIXED) as u32, #width)))
                } else {
                    quote!(#ty::from_bits(extract(self.word, (self.place(#column) & LSB) as u32, #width)))
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
    quote! {
        impl Inst { #(#getters)* }
    }
}
