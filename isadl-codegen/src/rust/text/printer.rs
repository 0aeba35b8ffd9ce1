//! Prints `text_tables.rs`: how values are written, and the steps by which opcodes are printed.
//!
//! Steps are packed into 128 bits each; equal runs of steps are kept once.

use std::collections::BTreeMap;

use isadl::isa::{Isa, Opcode, TypeKind};
use proc_macro2::TokenStream;
use quote::quote;

use super::chunks::{CHUNK, Chunks, LONG_CHUNK};
use super::entries::{number, values};
use super::forms::{Grammar, data_width};
use super::shapes::value_shapes;
use super::steps::{Program, Run, Step, passed, program};
use super::values::Values;
use crate::rust::legacy::{operand_width, word};
use crate::rust::plan::{Plan, WidthPlan};

/// Bytes that a computed number or name may take.
const NUMBER_BYTES: usize = 48;

/// Kinds of steps, as the generated code numbers them.
const CHOICE: u8 = 0;
const NUMBER: u8 = 1;
const OFFSET: u8 = 2;
const VALUE: u8 = 3;
const SKIP: u8 = 4;
const JOIN: u8 = 5;
const JOINED: u8 = 6;
const RARE: u8 = 7;

/// Kinds of rare steps.
const CONSTANT: u32 = 0;
const CALL: u32 = 1;

/// `text_tables.rs` of a generated crate: how values are written, and the data of the printer.
pub(in crate::rust) fn printer(plan: &Plan<'_>) -> TokenStream {
    let mut grammar = Grammar::new(plan);
    let printer = Printer::new(plan, &mut grammar.values).emit(plan);
    let shapes = value_shapes(plan);
    let values = values(&grammar, plan.has_aligned());
    quote! {
        //! The data of assembly text: how values are written, and what the printer does.

        #![allow(dead_code, clippy::complexity, clippy::style)]

        use super::tables::DataWidth as OperandWidth;
        use super::Word;

        #shapes
        #values
        #printer
    }
}

/// The data of the printer.
struct Printer {
    chunks: Chunks,
    steps: Vec<u128>,
    runs: BTreeMap<Vec<u128>, usize>,
    omissions: Vec<(u128, u128)>,
    constants: Vec<Vec<(u64, String)>>,
    ranges: Vec<Vec<(u64, u64)>>,
    /// Type, and width of the operand, of names that are searched for.
    searched: Vec<(usize, WidthPlan)>,
    /// For each opcode, in the order of the plan: guard, mnemonic, the rest.
    programs: Vec<[usize; 3]>,
    longest: usize,
}

impl Printer {
    fn new(plan: &Plan<'_>, values: &mut Values) -> Printer {
        // Both are found from all rows.
        let (room, has_long_texts) = (plan.text_room(), plan.has_long_texts());
        let mut printer = Printer {
            chunks: Chunks::new(room),
            steps: Vec::new(),
            runs: BTreeMap::new(),
            omissions: Vec::new(),
            constants: Vec::new(),
            ranges: Vec::new(),
            searched: Vec::new(),
            programs: Vec::new(),
            longest: 0,
        };
        for row in &plan.rows {
            let Program { guard, mnemonic, rest } = program(plan.isa, row.id, room);
            let context = Context { plan, opcode: plan.definition(row) };
            let bytes = mnemonic.len()
                + guard.iter().chain(&rest).map(|s| longest(plan.isa, s)).sum::<usize>();
            printer.longest = printer.longest.max(bytes);
            let guard = printer.run(&context, values, &guard);
            let (first, count) = match has_long_texts {
                true => printer.chunks.add_long(&mnemonic),
                false => {
                    let (first, count) = printer.chunks.add_text(&mnemonic);
                    (first as usize, count)
                }
            };
            let mnemonic = first << 8 | count;
            let rest = printer.run(&context, values, &rest);
            printer.programs.push([guard, mnemonic, rest]);
        }
        printer
    }

    /// The index of steps, above their number.
    fn run(&mut self, context: &Context<'_, '_>, values: &mut Values, steps: &[Step]) -> usize {
        let mut packed: Vec<u128> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let Some(count) = passed(step) else {
                packed.extend(self.pack(context, values, step));
                continue;
            };
            // A step of long texts takes several.
            let passed = &steps[at + 1..at + 1 + count];
            let count: usize =
                passed.iter().map(|step| self.pack(context, values, step).len()).sum();
            packed.push(self.pack_passing(step, count as u32));
        }
        let next = self.steps.len();
        let count = packed.len();
        let first = *self.runs.entry(packed).or_insert_with_key(|packed| {
            self.steps.extend(packed);
            next
        });
        first << 8 | count
    }

    /// A step that may pass over so many packed ones.
    fn pack_passing(&mut self, step: &Step, count: u32) -> u128 {
        match step {
            Step::Skip { mask, value, .. } => {
                let omission = index_of(&mut self.omissions, (*mask, *value));
                pack(SKIP, &[(0, count)], omission)
            }
            Step::Constant { field, constants, .. } => {
                let table = index_of(&mut self.constants, constants.clone());
                pack(RARE, &[*field, (count, CONSTANT)], table)
            }
            Step::Call { field, ranges, .. } => {
                let table = index_of(&mut self.ranges, ranges.clone());
                pack(RARE, &[*field, (count, CALL)], table)
            }
            _ => 0,
        }
    }

    /// The tables of rare steps.
    fn emit_rare(&mut self) -> TokenStream {
        let constants: Vec<TokenStream> = std::mem::take(&mut self.constants)
            .into_iter()
            .map(|list| {
                let (heads, shift) = heads(&list);
                let (heads, shift) = (word(u128::from(heads)), number(shift as usize));
                let list = list.into_iter().map(|(raw, text)| {
                    let (first, count) = self.chunks.add_text(&text);
                    let (raw, first) = (word(u128::from(raw)), number(first as usize));
                    let count = number(count);
                    quote!((#raw, #first, #count))
                });
                quote!((#heads, #shift, &[#(#list),*]))
            })
            .collect();
        let ranges = self.ranges.iter().map(|list| {
            let list = list.iter().copied().map(range);
            quote!(&[#(#list),*])
        });
        quote! {
            /// Literals that are written as constants: a set of six of their bits, the lowest of
            /// these, and each literal with the chunks of its text.
            pub(crate) static CONSTANTS: &[Constants] = &[#(#constants),*];

            type Constants = (u64, u8, &'static [(u64, u32, u32)]);

            /// Values of constants before which a mark is a word, both ends included.
            pub(crate) static CONSTANT_RANGES: &[&[(u64, u64)]] = &[#(#ranges),*];
        }
    }

    fn pack(&mut self, context: &Context<'_, '_>, values: &mut Values, step: &Step) -> Vec<u128> {
        let isa = context.plan.isa;
        let packed = match step {
            Step::Choice { runs, texts } => {
                let tables = self.chunks.add(texts);
                return tables.iter().map(|table| pack(CHOICE, runs, *table as usize)).collect();
            }
            Step::Number { field, ty, format } => {
                let first = values.selection(isa, *ty, format.map(|(_, modifier)| modifier));
                pack(NUMBER, &[*field, format.map_or((0, 0), |(run, _)| run)], first)
            }
            Step::Offset { field, ty } => pack(OFFSET, &[*field], values.selection(isa, *ty, None)),
            Step::Value { field, ty, operand } => {
                let width = operand.map_or(WidthPlan::Fixed(0), |operand| context.width(operand));
                let searched = (values.ty(isa, *ty), width);
                pack(VALUE, &[*field], index_of(&mut self.searched, searched))
            }
            // Their counts are known to the caller.
            Step::Skip { .. } | Step::Constant { .. } | Step::Call { .. } => 0,
            Step::Join => pack(JOIN, &[], 0),
            Step::Joined => pack(JOINED, &[], 0),
        };
        vec![packed]
    }

    fn emit(mut self, plan: &Plan<'_>) -> TokenStream {
        let rare = plan.has_rare_text().then(|| self.emit_rare());
        let literal: TokenStream = self.chunks.literal().parse().unwrap_or_default();
        let chunk = number(CHUNK);
        // A chunk is copied whole.
        let copied = if plan.has_long_texts() { LONG_CHUNK } else { CHUNK };
        let long = plan.has_long_texts().then(|| {
            let (size, literal): (_, TokenStream) =
                (number(LONG_CHUNK), self.chunks.long_literal().parse().unwrap_or_default());
            quote! {
                /// Bytes in a long chunk of text.
                pub(crate) const LONG_CHUNK: usize = #size;

                /// Long texts, likewise.
                pub(crate) static LONG_CHUNKS: &[[u8; LONG_CHUNK]] = LONG_TEXTS.as_chunks().0;

                #[rustfmt::skip]
                static LONG_TEXTS: &[u8] = #literal;
            }
        });
        let steps = self.steps.iter().map(|step| word(*step));
        let omissions = self.omissions.iter().map(|(mask, value)| {
            let (mask, value) = (word(*mask), word(*value));
            quote!((#mask, #value))
        });
        let searched = self.searched.iter().map(|(ty, width)| {
            let (ty, width) = (number(*ty), operand_width(*width));
            quote!((#ty, #width))
        });
        let mut programs = vec![quote!((0, 0, 0)); plan.table_len()];
        for (index, program) in self.programs.iter().enumerate() {
            let [guard, mnemonic, rest] = program.map(number);
            programs[plan.row_number(index)] = quote!((#guard, #mnemonic, #rest));
        }
        // A chunk is copied whole, so its length more is needed behind the longest text.
        let room = number((self.longest + 2 * copied).next_multiple_of(copied));
        let count = number(plan.table_len());
        quote! {
            /// Bytes of room that the canonical text of an instruction needs.
            pub const TEXT_ROOM: usize = #room;

            /// Bytes in a chunk of text.
            pub(crate) const CHUNK: usize = #chunk;

            /// Texts: as many bytes but one, and in the last how many of them are in use.
            pub(crate) static CHUNKS: &[[u8; CHUNK]] = TEXTS.as_chunks().0;

            #[rustfmt::skip]
            static TEXTS: &[u8] = #literal;

            #long

            /// Steps: a byte each for the lowest bits of three runs, their widths and the kind,
            /// and in the upper half the place of a table.
            pub(crate) const PACKED_STEPS: &[u128] = &[#(#steps),*];

            /// Bits and values of words in which steps are passed over.
            pub(crate) static OMISSIONS: &[(Word, Word)] = &[#(#omissions),*];

            #rare

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
    opcode: &'i Opcode,
}

impl Context<'_, '_> {
    fn width(&self, operand: usize) -> WidthPlan {
        data_width(self.plan, self.opcode, operand)
    }
}

fn index_of<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    let found = list.iter().position(|other| *other == value);
    found.unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

/// The set of six bits of the constants, and the lowest of these bits: those of which the fewest
/// literals that are no constants have one of the set.
fn heads(constants: &[(u64, String)]) -> (u64, u32) {
    let at =
        |shift: u32| constants.iter().fold(0u64, |set, (raw, _)| set | 1 << (raw >> shift & 63));
    let sets = (0..=58).map(|shift| (at(shift), shift));
    // Bits above all constants are 0 in literals too.
    let end = constants.iter().map(|(raw, _)| 64 - raw.leading_zeros()).max().unwrap_or(0);
    let useful = sets.filter(|(_, shift)| shift + 6 <= end.max(6));
    useful.min_by_key(|(set, _)| set.count_ones()).unwrap_or((u64::MAX, 0))
}

fn range((first, last): (u64, u64)) -> TokenStream {
    let (first, last) = (number(first as usize), number(last as usize));
    quote!((#first, #last))
}

/// A step in 128 bits, as the generated printer reads it: lowest bits and widths of runs, the kind,
/// the place of a table.
fn pack(kind: u8, runs: &[Run], table: usize) -> u128 {
    let run = |index: usize| runs.get(index).copied().unwrap_or((0, 0));
    let [a, b, c] = [run(0), run(1), run(2)];
    let bytes = [a.0, b.0, c.0, a.1, b.1, c.1, u32::from(kind)];
    let packed = bytes.iter().rev().fold(0, |packed, byte| packed << 8 | u128::from(*byte));
    packed | (table as u128) << 64
}

/// Most bytes that a step writes.
fn longest(isa: &Isa, step: &Step) -> usize {
    match step {
        Step::Choice { texts, .. } => texts.iter().map(String::len).max().unwrap_or(0),
        Step::Number { field, .. } => NUMBER_BYTES * (field.1 as usize).clamp(1, 8),
        Step::Value { ty, .. } => {
            let TypeKind::Operand(entries) = &isa.ty(*ty).kind else {
                return NUMBER_BYTES * 2;
            };
            let names = entries.iter().map(|entry| entry.name_at(0).len()).max();
            NUMBER_BYTES + names.unwrap_or(0)
        }
        Step::Offset { .. } => NUMBER_BYTES,
        Step::Constant { constants, .. } => {
            constants.iter().map(|(_, text)| text.len()).max().unwrap_or(0)
        }
        Step::Skip { .. } | Step::Call { .. } | Step::Join | Step::Joined => 0,
    }
}
