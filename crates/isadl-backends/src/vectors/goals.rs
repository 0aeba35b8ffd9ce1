//! The goals that the words of an opcode must cover.

use std::collections::BTreeSet;

use isadl_ir::isa::{Binding, Expr, Field, Isa, Opcode, RuleId, Type, TypeKind, low_bits};

use super::{Count, Coverage};

/// Limit on runs of a number's reserved values whose boundaries are covered.
const MAX_RESERVED: usize = 16;

/// The largest enumeration whose values are all paired with other values.
const MAX_PAIRED: usize = 8;

/// Something that a word is to do.
#[derive(Debug, Clone)]
pub(super) struct Goal {
    pub(super) kind: Kind,
    /// The required bits.
    pub(super) mask: u128,
    /// Their values.
    pub(super) value: u128,
    /// The only rule that the word breaks.
    pub(super) breaks: Option<RuleId>,
    /// In words.
    pub(super) text: String,
}

/// The subject of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Value,
    Pair,
    Rule,
}

impl Kind {
    pub(super) fn count(self, coverage: &mut Coverage) -> &mut Count {
        match self {
            Kind::Value => &mut coverage.values,
            Kind::Pair => &mut coverage.pairs,
            Kind::Rule => &mut coverage.rules,
        }
    }
}

/// The goals of an opcode: values, then pairs, then rules.
pub(super) fn goals(isa: &Isa, opcode: &Opcode) -> Vec<Goal> {
    let mut goals = vec![Goal {
        kind: Kind::Value,
        mask: 0,
        value: 0,
        breaks: None,
        text: "an instruction".to_string(),
    }];
    let free = |field: &&Field| !matches!(field.binding, Binding::Fixed(_));
    for field in opcode.encoded().filter(free) {
        for raw in values(isa, isa.ty(field.ty)) {
            goals.push(Goal {
                kind: Kind::Value,
                mask: field.mask(),
                value: field.insert(0, raw),
                breaks: None,
                text: set(isa, field, raw),
            });
        }
    }
    let mut seen: BTreeSet<(u128, u128)> = BTreeSet::new();
    for id in &opcode.rules {
        let condition = isa.expr(isa.rule(*id).condition);
        let fields = condition.fields();
        let fields: Vec<&Field> =
            fields.iter().filter_map(|name| opcode.field(*name)).filter(free).collect();
        for (index, first) in fields.iter().enumerate() {
            for second in &fields[index + 1..] {
                pairs(isa, condition, [first, second], &mut |goal| {
                    if seen.insert((goal.mask, goal.value)) {
                        goals.push(goal);
                    }
                });
            }
        }
    }
    goals.extend(opcode.rules.iter().map(|id| Goal {
        kind: Kind::Rule,
        mask: 0,
        value: 0,
        breaks: Some(*id),
        text: format!("break only \"{}\"", isa.rule(*id).message),
    }));
    goals
}

/// A value of a field in words.
fn set(isa: &Isa, field: &Field, raw: u64) -> String {
    let ty = isa.ty(field.ty);
    let value = match &ty.kind {
        TypeKind::BitField(_) => ty.enumerator(raw).map(|value| value.name.clone()),
        TypeKind::Operand(_) => ty.entry(raw).map(|(entry, position)| entry.name_at(position)),
        TypeKind::Immediate(of) if of.is_scaled() => Some(of.value(raw, ty.width).to_string()),
        TypeKind::Immediate(_) | TypeKind::Composite(_) => None,
    };
    let value = value.unwrap_or_else(|| format!("0x{raw:x}"));
    format!("{} = {value}", isa.name_of(field.name))
}

/// The values to cover: every value of an enumeration; the ends of every run of an operand type; the boundaries of
/// numbers, read as signed and unsigned; the same for each part of a composite.
fn values(isa: &Isa, ty: &Type) -> Vec<u64> {
    let mut values: BTreeSet<u64> = BTreeSet::new();
    match &ty.kind {
        TypeKind::BitField(list) => values.extend(list.iter().map(|value| value.value)),
        TypeKind::Operand(list) => values
            .extend(list.iter().flat_map(|entry| [entry.value, entry.value + (entry.count - 1)])),
        TypeKind::Immediate(immediate) => {
            let all = low_bits(ty.width) as u64;
            let half = 1 << (ty.width - 1);
            values.extend([0, 1 & all, half - 1, half, all]);
            // The neighbours of reserved values are boundaries too.
            for (first, end) in immediate.reserved_values.iter().take(MAX_RESERVED) {
                values.extend(first.checked_sub(1));
                values.extend(u64::try_from(*end));
            }
            values.retain(|raw| ty.is_legal(*raw));
        }
        TypeKind::Composite(composite) => {
            values.extend([0, low_bits(ty.width) as u64]);
            for part in &composite.parts {
                let of_part = self::values(isa, isa.ty(part.ty));
                values.extend(of_part.into_iter().map(|raw| part.bits.place(raw) as u64));
            }
        }
    }
    if let Some(other) = &ty.otherwise {
        let others = self::values(isa, isa.ty(other.ty));
        values.extend(others.into_iter().filter(|raw| ty.is_legal(*raw)));
    }
    values.into_iter().collect()
}

/// The pairs of values of two fields at which a condition can change.
fn pairs(isa: &Isa, condition: &Expr, fields: [&Field; 2], add: &mut impl FnMut(Goal)) {
    // Fields that share bits cannot be chosen apart.
    if fields[0].mask() & fields[1].mask() != 0 {
        return;
    }
    let mut numbers = BTreeSet::new();
    numbers_in(condition, &mut numbers);
    let [firsts, seconds] = fields.map(|field| critical(isa.ty(field.ty), &numbers));
    for first in &firsts {
        for second in &seconds {
            add(Goal {
                kind: Kind::Pair,
                mask: fields[0].mask() | fields[1].mask(),
                value: fields[1].insert(fields[0].insert(0, *first), *second),
                breaks: None,
                text: format!("{}, {}", set(isa, fields[0], *first), set(isa, fields[1], *second)),
            });
        }
    }
}

/// All values of a small enumeration. For other types, the first and last value, and the neighbours of a condition's
/// numbers.
fn critical(ty: &Type, numbers: &BTreeSet<i128>) -> Vec<u64> {
    let all = low_bits(ty.width);
    let is_legal = |raw: &u64| u128::from(*raw) <= all && ty.is_legal(*raw);
    let (first, last) = match &ty.kind {
        _ if ty.otherwise.is_some() => (Some(0), Some(all as u64)),
        TypeKind::BitField(list) if list.len() <= MAX_PAIRED => {
            let values: BTreeSet<u64> = list.iter().map(|value| value.value).collect();
            return values.into_iter().collect();
        }
        TypeKind::BitField(list) => {
            let values = || list.iter().map(|value| value.value);
            (values().min(), values().max())
        }
        TypeKind::Operand(list) => (
            list.iter().map(|entry| entry.value).min(),
            list.iter().map(|entry| entry.value + (entry.count - 1)).max(),
        ),
        TypeKind::Immediate(_) | TypeKind::Composite(_) => (Some(0), Some(all as u64)),
    };
    let beside = numbers.iter().flat_map(|number| [number - 1, *number, number + 1]);
    // Negative numbers are encoded in the type's width.
    let bits = |number: i128| match &ty.kind {
        // Between two values, the lower value is the boundary.
        TypeKind::Immediate(of) if of.is_scaled() => of
            .bits_of(number, ty.width)
            .or_else(|| of.bits_of(of.beside(number, ty.width).0?, ty.width)),
        _ => Some((number as u128 & all) as u64),
    };
    let beside = beside.filter_map(bits);
    let values: BTreeSet<u64> = first.into_iter().chain(last).chain(beside).collect();
    values.into_iter().filter(is_legal).collect()
}

fn numbers_in(expr: &Expr, numbers: &mut BTreeSet<i128>) {
    match expr {
        Expr::Int(number) => {
            numbers.insert(*number);
        }
        Expr::Field(..) | Expr::Extensions(_) => {}
        Expr::Unary(_, operand) => numbers_in(operand, numbers),
        Expr::Binary(_, left, right) => {
            numbers_in(left, numbers);
            numbers_in(right, numbers);
        }
        Expr::Call(_, arguments) => {
            arguments.iter().for_each(|argument| numbers_in(argument, numbers));
        }
    }
}
