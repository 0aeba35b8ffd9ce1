//! What makes words illegal that sums do not show: values in the middle of a field's range that its
//! type lacks, and rules. Of few bits it is a truth table.

use std::collections::HashMap;

use isadl_engine::image::{BY_EXPR, BY_RANGE, BY_TABLE, Condition, Gather};

use super::gather;
use crate::image::rows::Rows;
use crate::isa::{Field, Opcode, RuleId, RuleScope, TypeId, low_bits};

/// The conditions of all rows.
pub(super) struct Conditions {
    pub(super) list: Vec<Condition>,
    /// Truth tables and ranges.
    pub(super) truth: Vec<u64>,
    lists: HashMap<Vec<Condition>, u32>,
    tables: HashMap<Vec<u64>, u32>,
    rules: HashMap<(u32, u128, u128), Vec<Condition>>,
    fields: HashMap<(TypeId, u32), Vec<Condition>>,
}

/// The condition that stands for none.
const NONE: Condition = Condition { gather: gather::NONE, first: 0, kind: BY_TABLE, is_last: true };

impl Conditions {
    pub(super) fn new() -> Conditions {
        Conditions {
            list: vec![NONE],
            truth: vec![0],
            lists: HashMap::new(),
            tables: HashMap::new(),
            rules: HashMap::new(),
            fields: HashMap::new(),
        }
    }

    /// The first condition of a row that some fields and the rules of a scope make; 0 if there is
    /// none.
    pub(super) fn of(
        &mut self,
        rows: &mut Rows<'_>,
        opcode: &Opcode,
        fields: &[&Field],
        scope: RuleScope,
    ) -> u32 {
        let mut conditions: Vec<Condition> = Vec::new();
        for field in fields {
            conditions.extend(self.of_field(rows, field));
        }
        for rule in opcode.rules.iter().filter(|rule| rows.isa.rule(**rule).scope == scope) {
            conditions.extend(self.of_rule(rows, opcode, *rule));
        }
        let Some(last) = conditions.last_mut() else { return 0 };
        last.is_last = true;
        let next = self.list.len() as u32;
        *self.lists.entry(conditions).or_insert_with_key(|conditions| {
            self.list.extend(conditions);
            next
        })
    }

    /// The values that a field's type lacks.
    fn of_field(&mut self, rows: &Rows<'_>, field: &Field) -> Vec<Condition> {
        let key = (field.ty, field.lsb);
        if let Some(known) = self.fields.get(&key) {
            return known.clone();
        }
        let ty = rows.isa.ty(field.ty);
        let conditions = match gather::gather(field.mask()) {
            Some(gather) => {
                vec![self.table(gather, |word| !ty.is_legal(field.extract(word)))]
            }
            None => ty.holes().into_iter().map(|hole| self.range(field, hole)).collect(),
        };
        self.fields.insert(key, conditions.clone());
        conditions
    }

    fn range(&mut self, field: &Field, (first, end): (u64, u128)) -> Condition {
        let start = field.lsb as u8;
        let mask = low_bits(field.width) as u64;
        let place = self.truth.len() as u32;
        self.truth.extend([first, (end - 1) as u64]);
        let gather = Gather { mask, factor: 0, shift: 0, start };
        Condition { gather, first: place, kind: BY_RANGE, is_last: false }
    }

    /// A rule, over the bits that an opcode leaves open; none if these never break it.
    fn of_rule(&mut self, rows: &mut Rows<'_>, opcode: &Opcode, rule: RuleId) -> Vec<Condition> {
        let expr = rows.isa.expr(rows.isa.rule(rule).condition);
        let number = rows.expr(opcode, expr);
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
                field.map_or(0, |field| reading.integer(field.extract(word), field.width))
            }) != 0
        };
        let conditions = match gather::gather(key.1) {
            Some(gather) => match gather::combinations(gather).any(|(_, word)| holds(word)) {
                true => vec![self.table(gather, holds)],
                false => Vec::new(),
            },
            None => {
                let gather = gather::NONE;
                vec![Condition { gather, first: number, kind: BY_EXPR, is_last: false }]
            }
        };
        self.rules.insert(key, conditions.clone());
        conditions
    }

    /// A truth table over gathered bits.
    fn table(&mut self, gather: Gather, holds: impl Fn(u128) -> bool) -> Condition {
        let mut truth = vec![0u64; gather::len(&gather).div_ceil(64)];
        for (index, word) in gather::combinations(gather) {
            truth[index / 64] |= u64::from(holds(word)) << (index % 64);
        }
        let next = self.truth.len() as u32;
        let first = *self.tables.entry(truth).or_insert_with_key(|truth| {
            self.truth.extend(truth);
            next
        });
        Condition { gather, first, kind: BY_TABLE, is_last: false }
    }
}
