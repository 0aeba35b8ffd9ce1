//! Prints the data of the printer and of the parser as Rust.

use std::collections::BTreeMap;

use isadl::isa::Isa;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::chunks::{CHUNK, Chunks};
use super::forms::{FormRow, Grammar, MarkRow, ModifierRow, OperandRow, PlaceKind, Slice, stem};
use super::steps::{Program, Run, Step, program};
use super::values::{EntryKind, EntryRow, FormatRow, Kind, NumberKind, PieceRow, Type, Values};
use crate::rust::key::Key;
use crate::rust::plan::{Plan, WidthPlan};
use crate::rust::tables::word;

/// Bytes that a computed number or name may take.
const NUMBER_BYTES: usize = 48;

/// Kinds of steps, as the generated code numbers them.
const CHOICE: u64 = 0;
const NUMBER: u64 = 1;
const OFFSET: u64 = 2;
const VALUE: u64 = 3;
const SKIP: u64 = 4;
const JOIN: u64 = 5;
const JOINED: u64 = 6;

/// `text_tables.rs` of a generated crate.
pub(in crate::rust) fn emit(plan: &Plan<'_>) -> TokenStream {
    let mut grammar = Grammar::new(plan);
    let printer = Printer::new(plan, &mut grammar.values);
    let definitions = definitions();
    let key = quote!(
        use super::key::Key;
    );
    let values = values(&grammar);
    let printer = printer.emit(plan);
    let parser = parser(plan, &grammar);
    quote! {
        //! The data of assembly text.

        #![allow(dead_code, clippy::complexity, clippy::style)]

        #key
        use super::{OperandWidth, Word};

        #definitions
        #values
        #printer
        #parser
    }
}

fn number(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

/// The shapes of the data.
fn definitions() -> TokenStream {
    quote! {
        /// How the values of a type are written.
        pub(crate) struct Type {
            pub(crate) name: &'static str,
            pub(crate) kind: u8,
            pub(crate) first: u32,
            pub(crate) count: u32,
            pub(crate) width: u8,
        }

        pub(crate) const TYPE_NAMES: u8 = 0;
        pub(crate) const TYPE_NUMBER: u8 = 1;
        pub(crate) const TYPE_COMPOSITE: u8 = 2;

        /// A run of values with names.
        pub(crate) struct Entry {
            pub(crate) kind: u8,
            pub(crate) text: &'static str,
            pub(crate) value: u64,
            pub(crate) count: u64,
            pub(crate) first: i64,
            pub(crate) step: i8,
            pub(crate) register: u16,
            /// The number of the word that it begins with, without digits, and whether that is all
            /// of it.
            pub(crate) stem: u16,
            pub(crate) is_stem: bool,
        }

        pub(crate) const ENTRY_RUN: u8 = 0;
        pub(crate) const ENTRY_NAME: u8 = 1;
        pub(crate) const ENTRY_INTEGERS: u8 = 2;
        pub(crate) const ENTRY_FLOAT: u8 = 3;

        /// A piece of a composite: a text, or a part where there is none.
        pub(crate) struct Piece {
            pub(crate) text: &'static str,
            pub(crate) ty: u16,
            pub(crate) lsb: u8,
        }

        /// How numbers are written.
        pub(crate) struct Format {
            pub(crate) kind: u8,
            pub(crate) lanes: u8,
            pub(crate) lane_bits: u8,
            pub(crate) exponent: u8,
            pub(crate) fraction: u8,
            pub(crate) letter: u8,
        }

        pub(crate) const NUMBER_UNSIGNED: u8 = 0;
        pub(crate) const NUMBER_SIGNED: u8 = 1;
        pub(crate) const NUMBER_FLOAT: u8 = 2;

        /// A modifier, or an attribute behind an operand.
        pub(crate) struct Modifier {
            pub(crate) lsb: u8,
            pub(crate) width: u8,
            pub(crate) ty: u16,
            pub(crate) rank: u8,
            pub(crate) is_required: bool,
            pub(crate) absent: u64,
        }

        /// A mark of an operand, and the modifier that turns it into `~`.
        pub(crate) struct Mark {
            pub(crate) lsb: u8,
            pub(crate) symbol: u8,
            pub(crate) ext_lsb: u8,
            pub(crate) ext_width: u8,
            pub(crate) extended: u64,
        }

        /// An operand.
        pub(crate) struct OperandForm {
            pub(crate) place: u8,
            pub(crate) text: &'static str,
            pub(crate) ty: u16,
            pub(crate) lsb: u8,
            pub(crate) width: u8,
            pub(crate) offset: (u16, u8, u8),
            pub(crate) is_optional: bool,
            /// Whether one word or number can be all of it.
            pub(crate) is_plain: bool,
            /// Whether it is in one register, whatever the modifiers are.
            pub(crate) is_single: bool,
            pub(crate) class: u8,
            /// The bits of its marks.
            pub(crate) mark_bits: Word,
            pub(crate) marks: (u16, u8),
            pub(crate) suffixes: (u16, u8),
            pub(crate) selector: (u8, u8, u32),
            pub(crate) data_width: OperandWidth,
        }

        pub(crate) const PLACE_FIELD: u8 = 0;
        pub(crate) const PLACE_FILE: u8 = 1;
        pub(crate) const PLACE_INDIRECT: u8 = 2;

        /// A control field.
        pub(crate) struct Control {
            pub(crate) name: &'static str,
            pub(crate) ty: u16,
            pub(crate) lsb: u8,
            pub(crate) width: u8,
        }

        /// What opcodes that are written alike share.
        pub(crate) struct Form {
            pub(crate) guard: u16,
            pub(crate) modifiers: (u16, u8),
            pub(crate) required: u128,
            pub(crate) operands: (u16, u8),
            pub(crate) controls: (u16, u8),
            pub(crate) is_simple: bool,
            pub(crate) is_unwritable: bool,
        }

        /// The place of [`Form::guard`] where there is none.
        pub(crate) const NO_GUARD: u16 = u16::MAX;

        /// Names and what they stand for, found by their hashes.
        pub(crate) struct Names<T: 'static> {
            pub(crate) shift: u32,
            pub(crate) slots: &'static [u16],
            pub(crate) entries: &'static [(&'static str, Key, T)],
        }

        const fn slice<T>(all: &'static [T], (first, count): (u16, u8)) -> &'static [T] {
            let (_, rest) = all.split_at(first as usize);
            rest.split_at(count as usize).0
        }

        impl Form {
            pub(crate) fn modifiers(&self) -> &'static [Modifier] {
                slice(MODIFIERS, self.modifiers)
            }

            /// Indexes of `OPERANDS`.
            pub(crate) fn operands(&self) -> &'static [u16] {
                slice(OPERAND_LISTS, self.operands)
            }

            pub(crate) fn controls(&self) -> &'static [Control] {
                slice(CONTROLS, self.controls)
            }
        }

        impl OperandForm {
            pub(crate) fn marks(&self) -> &'static [Mark] {
                slice(MARKS, self.marks)
            }

            pub(crate) fn suffixes(&self) -> &'static [Modifier] {
                slice(MODIFIERS, self.suffixes)
            }
        }
    }
}

fn values(grammar: &Grammar) -> TokenStream {
    let values = &grammar.values;
    let types = values.types.iter().map(type_row);
    let entries = values.entries.iter().map(|entry| entry_row(grammar, entry));
    let pieces = values.pieces.iter().map(piece_row);
    let formats = values.formats.list.iter().map(format_row);
    let format_of = values.format_of.iter().map(|index| number(*index));
    quote! {
        pub(crate) static TYPES: &[Type] = &[#(#types),*];

        pub(crate) static ENTRIES: &[Entry] = &[#(#entries),*];

        pub(crate) static PIECES: &[Piece] = &[#(#pieces),*];

        pub(crate) static FORMATS: &[Format] = &[#(#formats),*];

        /// Formats by the values of the modifiers that select them.
        pub(crate) static FORMAT_OF: &[u16] = &[#(#format_of),*];
    }
}

fn type_row(ty: &Type) -> TokenStream {
    let kind = match ty.kind {
        Kind::Names => quote!(TYPE_NAMES),
        Kind::Number => quote!(TYPE_NUMBER),
        Kind::Composite => quote!(TYPE_COMPOSITE),
    };
    let (name, first, count) = (&ty.name, number(ty.first), number(ty.count));
    let width = Literal::u32_unsuffixed(ty.width);
    quote!(Type { name: #name, kind: #kind, first: #first, count: #count, width: #width })
}

fn entry_row(grammar: &Grammar, entry: &EntryRow) -> TokenStream {
    let is_stem = stem(&entry.text) == entry.text;
    let stem = grammar.names.keys().position(|name| name == stem(&entry.text));
    let stem = number(stem.unwrap_or(usize::from(u16::MAX)));
    let kind = match entry.kind {
        EntryKind::Run => quote!(ENTRY_RUN),
        EntryKind::Name => quote!(ENTRY_NAME),
        EntryKind::Integers => quote!(ENTRY_INTEGERS),
        EntryKind::Float => quote!(ENTRY_FLOAT),
    };
    let text = &entry.text;
    let (value, count) =
        (Literal::u64_unsuffixed(entry.value), Literal::u64_unsuffixed(entry.count));
    let (first, step) = (Literal::i64_unsuffixed(entry.first), Literal::i8_unsuffixed(entry.step));
    let register = Literal::u32_unsuffixed(entry.register.min(u32::from(u16::MAX)));
    quote! {
        Entry { kind: #kind, text: #text, value: #value, count: #count, first: #first, step: #step, register: #register, stem: #stem, is_stem: #is_stem }
    }
}

fn piece_row(piece: &PieceRow) -> TokenStream {
    let (text, ty, lsb) = match piece {
        PieceRow::Text(text) => (text.as_str(), 0, 0),
        PieceRow::Part { ty, lsb } => ("", *ty, *lsb),
    };
    let (ty, lsb) = (number(ty), Literal::u32_unsuffixed(lsb));
    quote!(Piece { text: #text, ty: #ty, lsb: #lsb })
}

fn format_row(format: &FormatRow) -> TokenStream {
    let kind = match format.kind {
        NumberKind::Unsigned => quote!(NUMBER_UNSIGNED),
        NumberKind::Signed => quote!(NUMBER_SIGNED),
        NumberKind::Float => quote!(NUMBER_FLOAT),
    };
    let [lanes, bits, exponent, fraction] =
        [format.lanes, format.lane_bits, format.exponent, format.fraction]
            .map(Literal::u32_unsuffixed);
    let letter = Literal::u8_unsuffixed(format.letter);
    quote! {
        Format { kind: #kind, lanes: #lanes, lane_bits: #bits, exponent: #exponent, fraction: #fraction, letter: #letter }
    }
}

/// The data of the printer.
#[derive(Default)]
struct Printer {
    chunks: Chunks,
    steps: Vec<u64>,
    runs: BTreeMap<Vec<u64>, usize>,
    omissions: Vec<(u128, u128)>,
    /// Type, and width of the operand, of names that are searched for.
    searched: Vec<(usize, WidthPlan)>,
    /// For each opcode, in the order of the plan: guard, mnemonic, the rest.
    programs: Vec<[usize; 3]>,
    longest: usize,
}

impl Printer {
    fn new(plan: &Plan<'_>, values: &mut Values) -> Printer {
        let mut printer = Printer::default();
        for opcode in &plan.opcodes {
            let Program { guard, mnemonic, rest } = program(plan.isa, opcode.id);
            let context = Context { plan, opcode: plan.opcode(opcode) };
            let bytes = mnemonic.len()
                + guard.iter().chain(&rest).map(|s| longest(plan.isa, s)).sum::<usize>();
            printer.longest = printer.longest.max(bytes);
            let guard = printer.run(&context, values, &guard);
            let chunks = printer.chunks.add(&[mnemonic]);
            // The chunks of one text stand one after another.
            let mnemonic = (chunks[0] as usize) << 8 | chunks.len();
            let rest = printer.run(&context, values, &rest);
            printer.programs.push([guard, mnemonic, rest]);
        }
        printer
    }

    /// The index of steps, above their number.
    fn run(&mut self, context: &Context<'_, '_>, values: &mut Values, steps: &[Step]) -> usize {
        let mut packed: Vec<u64> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            if let Step::Skip { mask, value, steps: count } = step {
                // A step of long texts takes several.
                let passed = &steps[at + 1..at + 1 + count];
                let count: usize =
                    passed.iter().map(|step| self.pack(context, values, step).len()).sum();
                let omission = index_of(&mut self.omissions, (*mask, *value));
                packed.push(pack(SKIP, (0, count as u32), (0, 0), omission));
            } else {
                packed.extend(self.pack(context, values, step));
            }
        }
        let next = self.steps.len();
        let count = packed.len();
        let first = *self.runs.entry(packed).or_insert_with_key(|packed| {
            self.steps.extend(packed);
            next
        });
        first << 8 | count
    }

    fn pack(&mut self, context: &Context<'_, '_>, values: &mut Values, step: &Step) -> Vec<u64> {
        let isa = context.plan.isa;
        let packed = match step {
            Step::Choice { a, b, texts } => {
                let tables = self.chunks.add(texts);
                return tables.iter().map(|table| pack(CHOICE, *a, *b, *table as usize)).collect();
            }
            Step::Number { field, ty, format } => {
                let first = values.selection(isa, *ty, format.map(|(_, modifier)| modifier));
                pack(NUMBER, *field, format.map_or((0, 0), |(run, _)| run), first)
            }
            Step::Offset { field, ty } => {
                pack(OFFSET, *field, (0, 0), values.selection(isa, *ty, None))
            }
            Step::Value { field, ty, operand } => {
                let width = operand.map_or(WidthPlan::Fixed(0), |operand| context.width(operand));
                let searched = (values.ty(isa, *ty), width);
                pack(VALUE, *field, (0, 0), index_of(&mut self.searched, searched))
            }
            // Its count is known to the caller.
            Step::Skip { .. } => pack(SKIP, (0, 0), (0, 0), 0),
            Step::Join => pack(JOIN, (0, 0), (0, 0), 0),
            Step::Joined => pack(JOINED, (0, 0), (0, 0), 0),
        };
        vec![packed]
    }

    fn emit(&self, plan: &Plan<'_>) -> TokenStream {
        let literal: TokenStream = self.chunks.literal().parse().unwrap_or_default();
        let chunk = number(CHUNK);
        let steps = self.steps.iter().map(|step| word(u128::from(*step)));
        let omissions = self.omissions.iter().map(|(mask, value)| {
            let (mask, value) = (word(*mask), word(*value));
            quote!((#mask, #value))
        });
        let searched = self.searched.iter().map(|(ty, width)| {
            let (ty, width) = (number(*ty), width_tokens(*width));
            quote!((#ty, #width))
        });
        let mut programs = vec![quote!((0, 0, 0)); plan.table_len()];
        for (opcode, program) in plan.opcodes.iter().zip(&self.programs) {
            let [guard, mnemonic, rest] = program.map(number);
            programs[usize::from(plan.opcode(opcode).number)] = quote!((#guard, #mnemonic, #rest));
        }
        // A chunk is copied whole, so its length more is needed behind the longest text.
        let room = number((self.longest + 2 * CHUNK).next_multiple_of(CHUNK));
        let count = number(plan.table_len());
        quote! {
            /// Bytes of room that the canonical text of an instruction needs.
            pub const TEXT_ROOM: usize = #room;

            /// Texts: 15 bytes, and how many of them are in use.
            pub(crate) static CHUNKS: &[[u8; #chunk]] = TEXTS.as_chunks().0;

            #[rustfmt::skip]
            static TEXTS: &[u8] = #literal;

            /// Steps: lowest bit and width of a field in a byte each, lowest bit of a second one
            /// in a byte, its width in 5 bits, the kind in 3 bits, and the place of a table.
            pub(crate) static STEPS: &[u64] = &[#(#steps),*];

            /// Bits and values of words in which steps are passed over.
            pub(crate) static OMISSIONS: &[(Word, Word)] = &[#(#omissions),*];

            /// Types of names that are searched for, and the widths of the operands.
            pub(crate) static VALUES: &[(u16, OperandWidth)] = &[#(#searched),*];

            /// Of each opcode: the steps of its guard, the chunks of its mnemonic, the other steps;
            /// the first above the number of them.
            pub(crate) static PROGRAMS: &[(u32, u32, u32); #count] = &[#(#programs),*];
        }
    }
}

/// An opcode of the plan.
struct Context<'c, 'i> {
    plan: &'c Plan<'i>,
    opcode: &'i isadl::isa::Opcode,
}

impl Context<'_, '_> {
    fn width(&self, operand: usize) -> WidthPlan {
        super::forms::data_width(self.plan, self.opcode, operand)
    }
}

fn index_of<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    let found = list.iter().position(|other| *other == value);
    found.unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

/// A step in 64 bits, as the generated printer reads it.
fn pack(kind: u64, a: Run, b: Run, table: usize) -> u64 {
    u64::from(a.0)
        | u64::from(a.1) << 8
        | u64::from(b.0) << 16
        | u64::from(b.1) << 24
        | kind << 29
        | (table as u64) << 32
}

/// Most bytes that a step writes.
fn longest(isa: &Isa, step: &Step) -> usize {
    match step {
        Step::Choice { texts, .. } => texts.iter().map(String::len).max().unwrap_or(0),
        Step::Number { field, .. } => NUMBER_BYTES * (field.1 as usize).clamp(1, 8),
        Step::Value { ty, .. } => {
            let isadl::isa::TypeKind::Operand(entries) = &isa.ty(*ty).kind else {
                return NUMBER_BYTES * 2;
            };
            let names = entries.iter().map(|entry| entry.name_at(0).len()).max();
            NUMBER_BYTES + names.unwrap_or(0)
        }
        Step::Offset { .. } => NUMBER_BYTES,
        Step::Skip { .. } | Step::Join | Step::Joined => 0,
    }
}

fn width_tokens(width: WidthPlan) -> TokenStream {
    match width {
        WidthPlan::Fixed(bits) => {
            let bits = Literal::u16_unsuffixed(bits);
            quote!(OperandWidth::Fixed(#bits))
        }
        WidthPlan::Computed(index) => {
            let index = number(index);
            quote!(OperandWidth::Computed(#index))
        }
    }
}

fn parser(plan: &Plan<'_>, grammar: &Grammar) -> TokenStream {
    let modifiers = grammar.modifiers.rows.iter().map(modifier_row);
    let marks = grammar.marks.rows.iter().map(mark_row);
    let operands = grammar.operands.list.iter().map(operand_row);
    let operand_lists = grammar.operand_lists.rows.iter().map(|index| number(*index));
    let controls = grammar.controls.rows.iter().map(|control| {
        let (name, ty) = (&control.name, number(control.ty));
        let [lsb, width] = [control.lsb, control.width].map(Literal::u32_unsuffixed);
        quote!(Control { name: #name, ty: #ty, lsb: #lsb, width: #width })
    });
    let forms = grammar.forms.list.iter().map(form_row);
    let count = plan.table_len();
    let mut form_of = vec![number(0); count];
    let mut defaults = vec![word(0); count];
    for (index, opcode) in plan.opcodes.iter().enumerate() {
        let at = usize::from(plan.opcode(opcode).number);
        form_of[at] = number(grammar.form_of[index]);
        defaults[at] = word(grammar.defaults[index]);
    }
    let names = names_of(plan, grammar);
    let count = number(count);
    let numbers = word(u128::from(grammar.number_classes));
    let always = word(u128::from(grammar.always_classes));
    let multiple = word(u128::from(grammar.multiple_classes));
    quote! {
        pub(crate) static MODIFIERS: &[Modifier] = &[#(#modifiers),*];

        pub(crate) static MARKS: &[Mark] = &[#(#marks),*];

        pub(crate) static OPERANDS: &[OperandForm] = &[#(#operands),*];

        pub(crate) static OPERAND_LISTS: &[u16] = &[#(#operand_lists),*];

        pub(crate) static CONTROLS: &[Control] = &[#(#controls),*];

        pub(crate) static FORMS: &[Form] = &[#(#forms),*];

        pub(crate) static FORM_OF: &[u16; #count] = &[#(#form_of),*];

        /// The words of opcodes of which nothing is written but the mnemonic.
        pub(crate) static DEFAULTS: &[Word; #count] = &[#(#defaults),*];

        /// The classes of operands that a number may begin.
        pub(crate) const NUMBER_CLASSES: u64 = #numbers;

        /// The classes of operands that may be several numbers.
        pub(crate) const MULTIPLE_CLASSES: u64 = #multiple;

        /// The classes of operands that any text may begin.
        pub(crate) const ALWAYS_CLASSES: u64 = #always;

        #names
    }
}

fn modifier_row(row: &ModifierRow) -> TokenStream {
    let [lsb, width, rank] = [row.lsb, row.width, row.rank].map(Literal::u32_unsuffixed);
    let (ty, is_required) = (number(row.ty), row.absent.is_none());
    let absent = Literal::u64_unsuffixed(row.absent.unwrap_or(0));
    quote! {
        Modifier { lsb: #lsb, width: #width, ty: #ty, rank: #rank, is_required: #is_required, absent: #absent }
    }
}

fn mark_row(row: &MarkRow) -> TokenStream {
    let (ext_lsb, ext_width, extended) = row.extension;
    let [lsb, ext_lsb, ext_width] = [row.lsb, ext_lsb, ext_width].map(Literal::u32_unsuffixed);
    let symbol = Literal::byte_character(row.symbol);
    let extended = Literal::u64_unsuffixed(extended);
    quote! {
        Mark { lsb: #lsb, symbol: #symbol, ext_lsb: #ext_lsb, ext_width: #ext_width, extended: #extended }
    }
}

fn slice((first, count): Slice) -> TokenStream {
    let (first, count) = (number(first), number(count));
    quote!((#first, #count))
}

fn operand_row(row: &OperandRow) -> TokenStream {
    let place = match row.place {
        PlaceKind::Field => quote!(PLACE_FIELD),
        PlaceKind::File => quote!(PLACE_FILE),
        PlaceKind::Indirect => quote!(PLACE_INDIRECT),
    };
    let (text, ty, is_optional) = (&row.text, number(row.ty), row.is_optional);
    let [lsb, width, class] = [row.lsb, row.width, row.class].map(Literal::u32_unsuffixed);
    let (offset_type, offset_lsb, offset_width) = row.offset;
    let offset_type = number(offset_type);
    let [offset_lsb, offset_width] = [offset_lsb, offset_width].map(Literal::u32_unsuffixed);
    let (marks, suffixes) = (slice(row.marks), slice(row.suffixes));
    let (is_plain, is_single, mark_bits) = (row.is_plain, row.is_single, word(row.mark_bits));
    let (selector_lsb, selector_width, first) = row.selector;
    let [selector_lsb, selector_width] =
        [selector_lsb, selector_width].map(Literal::u32_unsuffixed);
    let (first, data_width) = (number(first), width_tokens(row.data_width));
    quote! {
        OperandForm {
            place: #place, text: #text, ty: #ty, lsb: #lsb, width: #width,
            offset: (#offset_type, #offset_lsb, #offset_width), is_optional: #is_optional, is_plain: #is_plain, is_single: #is_single, class: #class,
            mark_bits: #mark_bits, marks: #marks, suffixes: #suffixes, selector: (#selector_lsb, #selector_width, #first),
            data_width: #data_width,
        }
    }
}

fn form_row(row: &FormRow) -> TokenStream {
    let guard = match row.guard {
        Some(index) => {
            let index = number(index);
            quote!(#index)
        }
        None => quote!(NO_GUARD),
    };
    let (modifiers, operands, controls) =
        (slice(row.modifiers), slice(row.operands), slice(row.controls));
    let required = word(row.required);
    let (is_simple, is_unwritable) = (row.is_simple, row.is_unwritable);
    quote! {
        Form {
            guard: #guard, modifiers: #modifiers, required: #required, operands: #operands,
            controls: #controls, is_simple: #is_simple, is_unwritable: #is_unwritable,
        }
    }
}

/// The tables that are searched by name: mnemonics, spellings, first words of operands.
fn names_of(plan: &Plan<'_>, grammar: &Grammar) -> TokenStream {
    let mut mnemonics: BTreeMap<&str, Vec<(usize, u64)>> = BTreeMap::new();
    for (opcode, form) in plan.opcodes.iter().zip(&grammar.form_of) {
        let definition = plan.opcode(opcode);
        let numbers = mnemonics.entry(&definition.syntax.mnemonic).or_default();
        let signature = grammar.signature(&grammar.forms.list[*form]);
        numbers.push((usize::from(definition.number), signature));
    }
    let dots_of = |name: &str| name.matches('.').count();
    // What a mnemonic begins with is found too, and tells how many dots may follow.
    let heads: Vec<&str> = mnemonics.keys().filter_map(|name| name.split('.').next()).collect();
    for head in heads {
        mnemonics.entry(head).or_default();
    }
    let most_dots = |name: &str| {
        let is_longer = |other: &&&str| {
            other.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        mnemonics.keys().filter(is_longer).map(|name| dots_of(name)).max().unwrap_or(0)
    };
    let dots = mnemonics.keys().map(|name| dots_of(name)).max().unwrap_or(0);
    let modifiers = grammar.forms.list.iter().map(|form| form.modifiers.1).max().unwrap_or(0);
    let words = number(modifiers + dots + 1);
    let pieces = grammar.forms.list.iter().map(|form| grammar.most_pieces(form)).max();
    let pieces = number(pieces.unwrap_or(0) + 1);
    let optional = word(u128::from(super::forms::OPTIONAL));
    let mut candidates = Vec::new();
    let mut ranges = Vec::new();
    for (name, numbers) in &mnemonics {
        let [first, count] = [candidates.len(), numbers.len()].map(number);
        let dots = number(most_dots(name));
        ranges.push((name.to_string(), quote!((#first, #count, #dots))));
        candidates.extend(numbers.iter().map(|(opcode, signature)| {
            let (opcode, signature) = (number(*opcode), word(u128::from(*signature)));
            quote!((#opcode, #signature))
        }));
    }
    let mnemonics = table(&format_ident!("MNEMONICS"), &quote!((u32, u32, u8)), &ranges);
    let mut meanings = Vec::new();
    let mut ranges = Vec::new();
    for (name, list) in spellings(plan, &grammar.values) {
        ranges.push((name, slice((meanings.len(), list.len()))));
        meanings.extend(list.into_iter().map(|(ty, raw)| {
            let (ty, raw) = (number(ty), Literal::u64_unsuffixed(raw));
            quote!((#ty, #raw))
        }));
    }
    let spellings = table(&format_ident!("SPELLINGS"), &quote!((u32, u32)), &ranges);
    let classes: Vec<(String, TokenStream)> = grammar
        .names
        .iter()
        .enumerate()
        .map(|(index, (name, classes))| {
            let (index, classes) = (number(index), word(u128::from(*classes)));
            (name.clone(), quote!((#index, #classes)))
        })
        .collect();
    let classes = table(&format_ident!("CLASSES"), &quote!((u16, u64)), &classes);
    quote! {
        /// One more than the words behind dots that an instruction can have.
        pub(crate) const MAX_WORDS: usize = #words;

        /// One more than the operands, and the numbers in them, that an instruction can have.
        pub(crate) const MAX_PIECES: usize = #pieces;

        /// In a signature: the operand may be missing.
        pub(crate) const OPTIONAL: u64 = #optional;

        /// The signature of an opcode whose operands are not told by what they begin with.
        pub(crate) const UNTOLD: u64 = u64::MAX;

        /// The opcodes of mnemonics with the signatures of their operands.
        pub(crate) static CANDIDATES: &[(u16, u64)] = &[#(#candidates),*];

        /// Mnemonics, and their first words: opcodes in `CANDIDATES`, and the most dots that follow.
        #mnemonics

        /// Types and values that spellings stand for.
        pub(crate) static MEANINGS: &[(u16, u64)] = &[#(#meanings),*];

        /// Spellings with their meanings in `MEANINGS`.
        #spellings

        /// First words of operands, without their numbers: their own numbers, and the classes that
        /// they may begin.
        #classes
    }
}

/// Spellings of modifiers with the types that have them and their values.
fn spellings(plan: &Plan<'_>, values: &Values) -> BTreeMap<String, Vec<(usize, u64)>> {
    let mut spellings: BTreeMap<String, Vec<(usize, u64)>> = BTreeMap::new();
    for (index, id) in values.ids().iter().enumerate() {
        let isadl::isa::TypeKind::BitField(list) = &plan.isa.ty(*id).kind else { continue };
        for value in list.iter().filter(|value| !value.spelling.is_empty()) {
            let meanings = spellings.entry(value.spelling.clone()).or_default();
            if meanings.iter().all(|(ty, _)| *ty != index) {
                meanings.push((index, value.value));
            }
        }
    }
    spellings
}

/// A table that is searched by the hash of a name; a name whose slot is taken is in one of the
/// next, and the last slot is free.
fn table(ident: &Ident, ty: &TokenStream, entries: &[(String, TokenStream)]) -> TokenStream {
    const FREE: usize = u16::MAX as usize;
    let bits = (entries.len() * 2).next_power_of_two().trailing_zeros().max(1);
    let shift = 64 - bits;
    let mut slots = vec![FREE; (1 << bits) + entries.len() + 1];
    for (index, (name, _)) in entries.iter().enumerate() {
        let first = (Key::of(name.as_bytes()).hash() >> shift) as usize;
        let free = slots[first..].iter().position(|slot| *slot == FREE).unwrap_or(0);
        slots[first + free] = index;
    }
    let used = slots.iter().rposition(|slot| *slot != FREE).map_or(0, |last| last + 1);
    slots.truncate(used.max(1 << bits) + 1);
    let slots = slots.iter().map(|slot| number(*slot));
    let entries = entries.iter().map(|(name, value)| {
        let key = Key::of(name.as_bytes());
        let length = Literal::u32_unsuffixed(key.length);
        let (first, last) = (word(u128::from(key.first)), word(u128::from(key.last)));
        quote!((#name, Key { length: #length, first: #first, last: #last }, #value))
    });
    let shift = Literal::u32_unsuffixed(shift);
    quote! {
        pub(crate) static #ident: Names<#ty> =
            Names { shift: #shift, slots: &[#(#slots),*], entries: &[#(#entries),*] };
    }
}
