//! Conditions for illegal words that sums do not detect: rules, and reserved values in the middle of a field's range.
//!
//! Conditions on few bits become truth tables, and tables on the same bits are merged.

use std::collections::HashMap;

use isadl_engine::image::{
    BY_EXPR, BY_RANGE, BY_TABLE, Condition, Gather, NO_MORE, OTHERS_FOLLOW, TABLE_FOLLOWS,
};

use super::gather;
use crate::image::rows::Rows;
use crate::isa::{Bits, Field, Opcode, RuleId, RuleScope, TypeId, low_bits};

/// Limit on the bits of a table that joins several tables.
const MAX_JOINED_BITS: u32 = 10;

/// Widest field with reserved values in many places that gets a table. This table can be larger than a rule's table:
/// one lookup replaces a comparison for each reserved value.
const MAX_FIELD_BITS: u32 = 14;

/// Limit on the gaps of a field that are compared one by one where a table is possible.
const MAX_GAPS: usize = 4;

/// The conditions of all rows.
pub(super) struct Conditions {
    pub(super) list: Vec<Condition>,
    /// Truth tables and ranges.
    pub(super) truth: Vec<u64>,
    /// The parts that lists of conditions consist of.
    parts: Vec<Part>,
    /// The first condition of each list of parts.
    lists: HashMap<Vec<usize>, u32>,
    tables: HashMap<Vec<u64>, u32>,
    rules: HashMap<(u32, u128, u128), Vec<usize>>,
    fields: HashMap<(TypeId, Bits), Vec<usize>>,
}

/// Forbids words.
enum Part {
    Table(Table),
    /// A field of a range.
    Range(Gather, [u64; 2]),
    /// The number of an expression.
    Expr(u32),
}

/// Forbidden combinations of some bits that can be gathered.
struct Table {
    gather: Gather,
    /// A bit for each index.
    truth: Vec<u64>,
}

/// The condition that stands for none.
const NONE: Condition = Condition { gather: gather::NONE, first: 0, kind: BY_TABLE, next: NO_MORE };

impl Conditions {
    pub(super) fn new() -> Conditions {
        Conditions {
            list: vec![NONE],
            truth: vec![0],
            parts: Vec::new(),
            lists: HashMap::new(),
            tables: HashMap::new(),
            rules: HashMap::new(),
            fields: HashMap::new(),
        }
    }

    /// The first condition of a row, from some fields and the rules of a scope; 0 if there are no conditions.
    pub(super) fn of(
        &mut self,
        rows: &mut Rows<'_>,
        opcode: &Opcode,
        fields: &[&Field],
        scope: RuleScope,
    ) -> u32 {
        let mut parts: Vec<usize> = Vec::new();
        for field in fields {
            parts.extend(self.of_field(rows, field));
        }
        for rule in opcode.rules.iter().filter(|rule| rows.isa.rule(**rule).scope == scope) {
            parts.extend(self.of_rule(rows, opcode, *rule));
        }
        parts.sort_unstable();
        parts.dedup();
        if parts.is_empty() {
            return 0;
        }
        if let Some(first) = self.lists.get(&parts) {
            return *first;
        }
        let first = self.list(&parts);
        self.lists.insert(parts, first);
        first
    }

    /// The first condition of a list, which is added: tables, then the others.
    fn list(&mut self, parts: &[usize]) -> u32 {
        let mut tables: Vec<Table> = Vec::new();
        let mut others = Vec::new();
        for part in parts {
            match &self.parts[*part] {
                Part::Table(table) => {
                    let joined = tables.iter_mut().find_map(|known| {
                        let joined = known.join(table)?;
                        *known = joined;
                        Some(())
                    });
                    if joined.is_none() {
                        tables.push(Table { truth: table.truth.clone(), ..*table });
                    }
                }
                Part::Range(gather, range) => {
                    let place = self.truth.len() as u32;
                    self.truth.extend(range);
                    others.push(Condition(*gather, place, BY_RANGE, OTHERS_FOLLOW));
                }
                Part::Expr(number) => {
                    others.push(Condition(gather::NONE, *number, BY_EXPR, OTHERS_FOLLOW));
                }
            }
        }
        let mut list: Vec<Condition> = Vec::new();
        for table in tables {
            let next = self.truth.len() as u32;
            let first = *self.tables.entry(table.truth).or_insert_with_key(|truth| {
                self.truth.extend(truth);
                next
            });
            list.push(Condition(table.gather, first, BY_TABLE, TABLE_FOLLOWS));
        }
        // A list begins with a table.
        if list.is_empty() {
            list.push(NONE);
        }
        if let Some(last) = list.last_mut() {
            last.next = if others.is_empty() { NO_MORE } else { OTHERS_FOLLOW };
        }
        if let Some(last) = others.last_mut() {
            last.next = NO_MORE;
        }
        let first = self.list.len() as u32;
        self.list.extend(list.into_iter().chain(others));
        first
    }

    /// The conditions of a list; none for 0.
    fn of_list(&self, first: u32) -> impl Iterator<Item = &Condition> {
        let rest = self.list[first as usize..].iter().take(if first == 0 { 0 } else { usize::MAX });
        let mut is_last = false;
        rest.take_while(move |condition| {
            let is_own = !is_last;
            is_last = condition.next == NO_MORE;
            is_own
        })
    }

    /// The bits that the conditions of a list depend on, if all of them are truth tables.
    pub(super) fn bits(&self, first: u32) -> Option<u128> {
        self.of_list(first).try_fold(0, |bits, condition| {
            (condition.kind == BY_TABLE).then(|| bits | gather::bits(&condition.gather))
        })
    }

    /// Whether no word with some values of known bits meets a condition of a list, if few bits decide this.
    pub(super) fn are_never(&self, first: u32, known: u128, value: u128) -> bool {
        self.of_list(first).all(|condition| {
            let is_met = |(index, _): (usize, u128)| {
                self.truth[condition.first as usize + index / 64] >> (index % 64) & 1 != 0
            };
            let mut combinations = gather::combinations_with(condition.gather, known, value);
            condition.kind == BY_TABLE && !combinations.any(is_met)
        })
    }

    /// The values that a field's type lacks.
    fn of_field(&mut self, rows: &mut Rows<'_>, field: &Field) -> Vec<usize> {
        let key = (field.ty, field.bits.clone());
        if let Some(known) = self.fields.get(&key) {
            return known.clone();
        }
        let ty = rows.isa.ty(field.ty);
        let reserved_values = rows.reserved_values(field.ty).to_vec();
        let most = if reserved_values.len() > MAX_GAPS { MAX_FIELD_BITS } else { gather::MAX_BITS };
        let parts: Vec<Part> = match gather::gather_up_to(field.mask(), most) {
            Some(gather) => {
                let table = Table::of(gather, |word| !ty.is_legal(field.extract(word)));
                vec![Part::Table(table)]
            }
            None => reserved_values.into_iter().map(|run| range(rows, field, run)).collect(),
        };
        let parts = self.add(parts);
        self.fields.insert(key, parts.clone());
        parts
    }

    /// A rule, over the bits that an opcode leaves open; none if these never break it.
    fn of_rule(&mut self, rows: &mut Rows<'_>, opcode: &Opcode, rule: RuleId) -> Vec<usize> {
        let expr = rows.isa.expr(rows.isa.rule(rule).condition);
        let number = rows.expr(opcode, expr);
        if expr.extensions() != 0 {
            return self.of_expr(number);
        }
        let fields: Vec<&Field> =
            expr.fields().into_iter().filter_map(|name| opcode.field(name)).collect();
        let bits = fields.iter().fold(0, |bits, field| bits | field.mask());
        let key = (number, bits & !opcode.mask, opcode.value & bits);
        if let Some(known) = self.rules.get(&key) {
            return known.clone();
        }
        let holds = |word: u128| {
            let word = word | opcode.value;
            expr.eval(&|name, reading| {
                let field = fields.iter().find(|field| field.name == name);
                field.map_or(0, |field| reading.integer(field.extract(word), field.width()))
            }) != 0
        };
        let parts = match gather::gather(key.1) {
            Some(gather) => match gather::combinations(gather).any(|(_, word)| holds(word)) {
                true => vec![Part::Table(Table::of(gather, holds))],
                false => Vec::new(),
            },
            None => vec![Part::Expr(number)],
        };
        let parts = self.add(parts);
        self.rules.insert(key, parts.clone());
        parts
    }

    /// A rule that depends on extensions, which no table knows.
    fn of_expr(&mut self, number: u32) -> Vec<usize> {
        let key = (number, 0, 0);
        if let Some(known) = self.rules.get(&key) {
            return known.clone();
        }
        let parts = self.add(vec![Part::Expr(number)]);
        self.rules.insert(key, parts.clone());
        parts
    }

    /// The numbers of new parts.
    fn add(&mut self, parts: Vec<Part>) -> Vec<usize> {
        let first = self.parts.len();
        self.parts.extend(parts);
        (first..self.parts.len()).collect()
    }
}

fn range(rows: &mut Rows<'_>, field: &Field, (first, end): (u64, u128)) -> Part {
    let Some(bits) = field.bits.as_one() else {
        return Part::Expr(rows.is_between(&field.bits, first, (end - 1) as u64));
    };
    let (mask, start) = (low_bits(bits.width) as u64, bits.lsb as u8);
    Part::Range(Gather { mask, factor: 0, shift: 0, start }, [first, (end - 1) as u64])
}

impl Table {
    fn of(gather: Gather, holds: impl Fn(u128) -> bool) -> Table {
        Table { gather, truth: gather::truth(gather, holds) }
    }

    /// Whether it forbids a word.
    fn holds(&self, word: u128) -> bool {
        let index = self.gather.index(word);
        self.truth[index / 64] >> (index % 64) & 1 != 0
    }

    /// The table that forbids all that either table forbids, if one lookup pays off.
    fn join(&self, other: &Table) -> Option<Table> {
        let (own, others) = (gather::bits(&self.gather), gather::bits(&other.gather));
        let bits = own | others;
        if bits != own && bits != others && bits.count_ones() > MAX_JOINED_BITS {
            return None;
        }
        let gather = gather::gather(bits)?;
        Some(Table::of(gather, |word| self.holds(word) || other.holds(word)))
    }
}
