//! Values of single fields that make a word illegal, as sets that decoding looks up without a
//! branch (a byte each: a row has so few that all of them stay near): what a type lacks, and what a rule forbids that asks for one field only.
//!
//! A word with such a value is looked at again to say what is wrong with it. Instruction sets
//! whose types have no such gaps do without.

use std::collections::BTreeMap;

use isadl::isa::{Binding, Opcode, RuleId, RuleScope};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::{Plan, RowPlan, Shared};
use super::validity::{self, Validity};

/// Widest field whose values are looked up.
pub(super) const MAX_WIDTH: u32 = 12;

/// Fields of a word that are looked up.
const MAX_FIELDS: usize = 4;

/// A field and the set of its values, a bit each.
type Suspect = (u32, u32, Vec<u64>);

/// The looked-up fields of a row.
pub(super) struct Row {
    fields: Vec<Suspect>,
    /// The rules that are left to be asked.
    pub(super) rules: Vec<RuleId>,
}

/// Whether words are looked up at all.
pub(super) fn are_used(plan: &Plan<'_>) -> bool {
    plan.layouts.iter().any(|layout| {
        let validity = Validity::of(plan.isa, layout, plan.word_bits());
        validity.holes.iter().any(|hole| hole.width <= MAX_WIDTH)
    })
}

/// Whether a hole is one of the sets, and so need not be compared with.
pub(super) fn holds(hole: &validity::Hole) -> bool {
    hole.width <= MAX_WIDTH
}

impl Row {
    pub(super) fn of(plan: &Plan<'_>, row: &RowPlan) -> Row {
        let opcode = plan.definition(row);
        let layout = &plan.layouts[row.layout];
        let mut sets: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
        let holes = Validity::of(plan.isa, layout, plan.word_bits()).holes;
        for hole in holes.iter().filter(|hole| holds(hole)) {
            let set = sets.entry((hole.lsb, hole.width)).or_insert_with(|| empty(hole.width));
            (hole.first..=hole.last).for_each(|raw| add(set, raw));
        }
        let mut rules = Vec::new();
        let is_of_word = |rule: &&RuleId| plan.isa.rule(**rule).scope == RuleScope::Word;
        for rule in opcode.rules.iter().filter(is_of_word) {
            match single(plan, opcode, *rule) {
                Asked::Never => {}
                Asked::Field(lsb, width, values)
                    if sets.contains_key(&(lsb, width)) || sets.len() < MAX_FIELDS =>
                {
                    let set = sets.entry((lsb, width)).or_insert_with(|| empty(width));
                    values.into_iter().for_each(|raw| add(set, raw));
                }
                Asked::Field(..) | Asked::More => rules.push(*rule),
            }
        }
        let fields = sets.into_iter().map(|((lsb, width), set)| (lsb, width, set)).collect();
        Row { fields, rules }
    }
}

/// What a rule asks for.
enum Asked {
    /// The row fixes all, and does not break it.
    Never,
    /// One field: its place, and the values that break the rule.
    Field(u32, u32, Vec<u64>),
    More,
}

fn single(plan: &Plan<'_>, opcode: &Opcode, rule: RuleId) -> Asked {
    let expr = plan.isa.expr(plan.isa.rule(rule).condition);
    let names = expr.fields();
    let fields: Vec<_> = names.iter().filter_map(|name| opcode.field(*name)).collect();
    let fixed = |field: &&&isadl::isa::Field| !matches!(field.binding, Binding::Fixed(_));
    let open: Vec<_> = fields.iter().filter(fixed).collect();
    let holds = |raw: Option<u64>| {
        let value = expr.eval(&|name, reading| {
            let Some(field) = fields.iter().find(|field| field.name == name) else { return 0 };
            let raw = match field.binding {
                Binding::Fixed(fixed) => fixed,
                _ => raw.unwrap_or(0),
            };
            reading.integer(raw, field.width)
        });
        value != 0
    };
    match open.as_slice() {
        [] if names.len() == fields.len() && !holds(None) => Asked::Never,
        [field] if field.width <= MAX_WIDTH => {
            let values = (0..1u64 << field.width).filter(|raw| holds(Some(*raw))).collect();
            Asked::Field(field.lsb, field.width, values)
        }
        _ => Asked::More,
    }
}

fn empty(width: u32) -> Vec<u64> {
    vec![0; (1usize << width).div_ceil(64)]
}

fn add(set: &mut [u64], raw: u64) {
    set[raw as usize / 64] |= 1 << (raw % 64);
}

/// The tables, and the question whether a word has such a value.
pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let rows = &plan.suspects;
    // The first set is empty, for rows that have fewer fields than others.
    let mut values = vec![false];
    let mut firsts: BTreeMap<(u32, &[u64]), usize> = BTreeMap::new();
    let count = rows.iter().map(|row| row.fields.len()).max().unwrap_or(0);
    let mut lists = Shared::default();
    let mut of_row = vec![0; plan.table_len()];
    lists.add(vec![(0, 0, 0); count]);
    for (index, row) in rows.iter().enumerate() {
        let mut list: Vec<(u32, u32, usize)> = Vec::new();
        for (lsb, width, set) in &row.fields {
            let first = *firsts.entry((*width, set)).or_insert_with(|| {
                let first = values.len();
                values.extend((0..1usize << width).map(|raw| has(set, raw)));
                first
            });
            list.push((*lsb, (1 << width) - 1, first));
        }
        list.resize(count, (0, 0, 0));
        of_row[plan.row_number(index)] = lists.add(list);
    }
    let entries = lists.list.iter().map(|list| {
        let suspects = list.iter().map(|(lsb, mask, first)| {
            let (lsb, mask) = (Literal::u32_unsuffixed(*lsb), Literal::u32_unsuffixed(*mask));
            let first = Literal::usize_unsuffixed(*first);
            quote!(Suspect { lsb: #lsb, mask: #mask, first: #first })
        });
        quote!([#(#suspects),*])
    });
    let of_row = of_row.into_iter().map(Literal::usize_unsuffixed);
    let (len, lists_len) = (values.len(), Literal::usize_unsuffixed(lists.list.len()));
    let (len, count) = (Literal::usize_unsuffixed(len), Literal::usize_unsuffixed(count));
    let rows_len = Literal::usize_unsuffixed(plan.table_len());
    let runs = runs(&values).into_iter().map(|(first, end)| {
        let (first, end) = (Literal::usize_unsuffixed(first), Literal::usize_unsuffixed(end));
        quote!((#first, #end))
    });
    quote! {
        /// A field whose values are looked up.
        pub(crate) struct Suspect {
            lsb: u8,
            mask: u16,
            first: u32,
        }

        /// Sets of values of fields, one behind another: 1 for a value that makes a word illegal.
        static SUSPECT_VALUES: [u8; #len] = {
            const RUNS: &[(usize, usize)] = &[#(#runs),*];
            let mut values = [0; #len];
            let mut i = 0;
            while i < RUNS.len() {
                let (mut value, end) = RUNS[i];
                while value < end {
                    values[value] = 1;
                    value += 1;
                }
                i += 1;
            }
            values
        };

        static SUSPECTS: [[Suspect; #count]; #lists_len] = [#(#entries),*];

        /// The fields of each row, filled up with such as are never illegal.
        static SUSPECTS_OF: [u16; #rows_len] = [#(#of_row),*];

        /// Whether a single field of a word makes it illegal.
        #[inline]
        pub(crate) const fn has_suspect(row: usize, word: Word) -> bool {
            let suspects = &SUSPECTS[SUSPECTS_OF[row] as usize];
            let mut found = 0;
            let mut i = 0;
            while i < #count {
                let suspect = &suspects[i];
                let raw = (word >> suspect.lsb) as usize & suspect.mask as usize;
                found |= SUSPECT_VALUES[suspect.first as usize + raw];
                i += 1;
            }
            found != 0
        }
    }
}

fn has(set: &[u64], raw: usize) -> bool {
    set[raw / 64] >> (raw % 64) & 1 != 0
}

/// Runs of true values: the first, and that behind the last.
fn runs(values: &[bool]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (index, _) in values.iter().enumerate().filter(|(_, value)| **value) {
        match runs.last_mut().filter(|run| run.1 == index) {
            Some(run) => run.1 = index + 1,
            None => runs.push((index, index + 1)),
        }
    }
    runs
}
