//! Look-up of a type's values by their bits, and by how they are written: sorted indexes into its
//! list of values.

use std::cmp::Ordering;

use super::{Entry, Enumerator, Isa, Meaning, RegFileId, Type, TypeKind};

/// The values of a type in several orders.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Lookup {
    /// All of them by their value; equals in order of definition.
    by_value: Vec<u32>,
    /// Entries with a written name, by this name; equal names are in order of definition.
    by_name: Vec<u32>,
    /// Runs of registers by prefix and first number.
    runs: Vec<u32>,
    /// Runs of integers by their smallest integer.
    integers: Vec<u32>,
    /// Floating-point constants by their number.
    floats: Vec<(f64, u32)>,
}

impl Lookup {
    pub(super) fn of(kind: &TypeKind) -> Lookup {
        match kind {
            TypeKind::BitField(values) => {
                let all = || (0..values.len() as u32).collect::<Vec<u32>>();
                let (mut by_value, mut by_name) = (all(), all());
                by_value.sort_by_key(|index| values[*index as usize].value);
                by_name.sort_by_key(|index| values[*index as usize].spelling.as_str());
                Lookup { by_value, by_name, ..Lookup::default() }
            }
            TypeKind::Operand(entries) => Lookup::of_entries(entries),
            TypeKind::Immediate(_) | TypeKind::Composite(_) => Lookup::default(),
        }
    }

    fn of_entries(entries: &[Entry]) -> Lookup {
        let mut lookup =
            Lookup { by_value: (0..entries.len() as u32).collect(), ..Lookup::default() };
        for (index, entry) in entries.iter().enumerate() {
            let list = match &entry.meaning {
                Meaning::Registers { .. } => &mut lookup.runs,
                Meaning::Integers { .. } => &mut lookup.integers,
                Meaning::Float(text) => {
                    lookup.floats.extend(text.parse().ok().map(|number| (number, index as u32)));
                    continue;
                }
                _ => &mut lookup.by_name,
            };
            list.push(index as u32);
        }
        let at = |index: &u32| &entries[*index as usize];
        lookup.by_value.sort_by_key(|index| at(index).value);
        lookup.by_name.sort_by(|a, b| single_name(at(a)).cmp(single_name(at(b))));
        lookup.runs.sort_by(|a, b| run(at(a)).cmp(&run(at(b))));
        lookup.integers.sort_by_key(|index| smallest(at(index)));
        lookup.floats.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        lookup
    }
}

/// The name of an entry that is not a run.
fn single_name(entry: &Entry) -> &str {
    match &entry.meaning {
        Meaning::Register { name, .. } | Meaning::Constant { name, .. } => name,
        Meaning::Special(name) | Meaning::Nothing(name) => name,
        Meaning::Literal => super::LITERAL,
        Meaning::Registers { .. } | Meaning::Integers { .. } | Meaning::Float(_) => "",
    }
}

/// Prefix and first number of a run of registers.
fn run(entry: &Entry) -> (&str, u32) {
    match &entry.meaning {
        Meaning::Registers { prefix, first, .. } => (prefix, *first),
        _ => ("", 0),
    }
}

/// The smallest integer of a run.
fn smallest(entry: &Entry) -> i128 {
    let Meaning::Integers { first, step } = entry.meaning else { return 0 };
    let last = i128::from(first) + i128::from(step) * (i128::from(entry.count) - 1);
    last.min(first.into())
}

impl Isa {
    /// Whether an operand may be a constant of a register file, such as a register that is always 0.
    pub fn has_constant(&self, file: RegFileId) -> bool {
        let is_it = |entry: &Entry| matches!(entry.meaning, Meaning::Constant { file: own, .. } if own == file);
        self.types().iter().any(|ty| ty.entries().iter().any(is_it))
    }
}

impl Type {
    /// Its values, if it is a bit-field type.
    pub fn enumerators(&self) -> &[Enumerator] {
        match &self.kind {
            TypeKind::BitField(values) => values,
            _ => &[],
        }
    }

    /// The entries of an operand type; none for other types.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            TypeKind::Operand(entries) => entries,
            _ => &[],
        }
    }

    /// The enumerator of a value; the first that was defined, if several have it.
    pub fn enumerator(&self, raw: u64) -> Option<&Enumerator> {
        let (values, order) = (self.enumerators(), &self.lookup.by_value);
        let value = |index: &u32| values.get(*index as usize);
        let at = order.partition_point(|index| value(index).is_some_and(|v| v.value < raw));
        value(order.get(at)?).filter(|found| found.value == raw)
    }

    /// The entry that contains a value, and its distance from the first value of the entry.
    pub fn entry(&self, raw: u64) -> Option<(&Entry, u64)> {
        let (entries, order) = (self.entries(), &self.lookup.by_value);
        let entry = |index: &u32| entries.get(*index as usize);
        // Entries are disjoint: the last entry that does not begin later is the match.
        let at = order.partition_point(|index| entry(index).is_some_and(|e| e.value <= raw));
        let found = entry(order.get(at.checked_sub(1)?)?)?;
        Some((found, found.position(raw)?))
    }

    /// The enumerator with a spelling.
    pub fn spelled(&self, spelling: &str) -> Option<&Enumerator> {
        let (values, order) = (self.enumerators(), &self.lookup.by_name);
        let value = |index: &u32| values.get(*index as usize);
        let is_less = |index: &u32| value(index).is_some_and(|v| v.spelling.as_str() < spelling);
        let found = value(order.get(order.partition_point(is_less))?)?;
        (!spelling.is_empty() && found.spelling == spelling).then_some(found)
    }

    /// The entry and value of a name, such as a register name. Numeric constants have no names.
    pub fn named(&self, name: &str) -> Option<(&Entry, u64)> {
        // The order of another type is that of its enumerators.
        if !matches!(self.kind, TypeKind::Operand(_)) {
            return None;
        }
        let (entries, order) = (self.entries(), &self.lookup.by_name);
        let is_less = |index: &u32| single_name(&entries[*index as usize]) < name;
        let found = order.get(order.partition_point(is_less)).map(|at| &entries[*at as usize]);
        if let Some(entry) = found.filter(|entry| single_name(entry) == name) {
            return Some((entry, entry.value));
        }
        let mut others = entries.iter().filter(|entry| !entry.also.is_empty());
        if let Some(found) = others.find_map(|entry| Some((entry, entry.find(name)?))) {
            return Some(found);
        }
        // A prefix may end with digits itself.
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        (name.len() - digits..name.len()).find_map(|end| {
            let number: u32 = name[end..].parse().ok()?;
            let mut runs = self.runs_of(&name[..end]).rev();
            let entry = runs.find(|entry| run(entry).1 <= number)?;
            Some((entry, entry.find(name)?))
        })
    }

    /// The runs of registers with a prefix, by ascending number.
    pub fn runs_of(&self, prefix: &str) -> impl DoubleEndedIterator<Item = &Entry> {
        let (entries, order) = (self.entries(), &self.lookup.runs);
        let first = order.partition_point(|at| run(&entries[*at as usize]).0 < prefix);
        let end = order.partition_point(|at| run(&entries[*at as usize]).0 <= prefix);
        order[first..end].iter().map(|at| &entries[*at as usize])
    }

    /// The value of an integer constant.
    pub fn integer(&self, integer: i128) -> Option<u64> {
        let (entries, order) = (self.entries(), &self.lookup.integers);
        let at = order.partition_point(|at| smallest(&entries[*at as usize]) <= integer);
        let entry = &entries[*order.get(at.checked_sub(1)?)? as usize];
        let Meaning::Integers { first, step } = entry.meaning else { return None };
        let position = integer.checked_sub(first.into())?.checked_mul(step.into())?;
        u64::try_from(position).ok().filter(|at| *at < entry.count).map(|at| entry.value + at)
    }

    /// The value of a floating-point constant.
    pub fn float(&self, number: f64) -> Option<u64> {
        let order = &self.lookup.floats;
        let at = order.partition_point(|(other, _)| *other < number);
        let (_, index) = order.get(at).filter(|(other, _)| *other == number)?;
        self.entries().get(*index as usize).map(|entry| entry.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{ConstantBits, RegFileId};

    fn entry(value: u64, count: u64, meaning: Meaning) -> Entry {
        Entry { value, count, meaning, spelling: None, also: Vec::new(), classes: Vec::new() }
    }

    fn registers(prefix: &str, first: u32) -> Meaning {
        Meaning::Registers { file: RegFileId(0), prefix: prefix.to_string(), first, align: 1 }
    }

    /// Every way to look up a value gives the same result as a search through all entries.
    #[test]
    fn values_are_found_as_by_looking_at_all() {
        let entries = vec![
            entry(40, 4, Meaning::Integers { first: 3, step: -1 }),
            entry(0, 10, registers("r", 0)),
            entry(10, 2, registers("r", 20)),
            entry(12, 3, registers("r1x", 0)),
            entry(20, 5, registers("r1x1", 7)),
            entry(50, 2, Meaning::Integers { first: 9, step: 1 }),
            entry(30, 1, Meaning::Special("pc".to_string())),
            entry(31, 1, Meaning::Nothing("r99".to_string())),
            entry(
                32,
                1,
                Meaning::Constant {
                    file: RegFileId(0),
                    name: "zero".to_string(),
                    bits: ConstantBits::Zero,
                },
            ),
            entry(60, 1, Meaning::Float("0.5".to_string())),
            entry(61, 1, Meaning::Float("-2.0".to_string())),
        ];
        let kind = TypeKind::Operand(entries.clone());
        let ty = Type::new("T".to_string(), 6, kind, String::new());
        for raw in 0..70 {
            let expected = entries.iter().find_map(|e| Some((e, e.position(raw)?)));
            assert_eq!(ty.entry(raw), expected, "{raw}");
            assert_eq!(ty.is_legal(raw), expected.is_some(), "{raw}");
        }
        let is_number =
            |e: &&Entry| matches!(e.meaning, Meaning::Integers { .. } | Meaning::Float(_));
        let names = [
            "r0", "r9", "r10", "r19", "r20", "r21", "r22", "r99", "r01", "r1x0", "r1x2", "r1x3",
            "r1x10", "r1x17", "r1x111", "r1x112", "pc", "zero", "3", "r", "", "r+1", "x", "ü1",
        ];
        for name in names {
            let named = entries.iter().filter(|entry| !is_number(entry));
            let expected = named.clone().find_map(|e| Some((e, e.find(name)?)));
            assert_eq!(ty.named(name), expected, "{name}");
        }
        for integer in -3..15 {
            let numbers = entries.iter().filter(is_number);
            let expected = numbers.clone().find_map(|e| e.find(&integer.to_string()));
            assert_eq!(ty.integer(integer), expected, "{integer}");
        }
        assert_eq!([0.5, -2.0, 1.0].map(|number| ty.float(number)), [Some(60), Some(61), None]);
    }
}
