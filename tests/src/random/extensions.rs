//! Random instruction sets with extensions, and what they are for each set of them: the same text without the
//! opcodes that the set lacks, and without a word about extensions.

use super::draft::Specification;
use crate::Random;

/// The names of extensions.
const NAMES: [&str; 4] = ["Xa", "Xb", "Xc", "Xd"];

/// A condition: extensions that sets have and lack, any of these.
type Condition = Vec<(u32, u32)>;

/// An instruction set with extensions.
pub struct Extended {
    /// Its text.
    pub text: String,
    /// The sets of extensions that are allowed, one bit for each extension.
    pub sets: Vec<u32>,
    /// The text before each opcode, and each opcode with its condition.
    head: String,
    opcodes: Vec<(Condition, String)>,
}

fn holds(condition: &Condition, set: u32) -> bool {
    condition.iter().any(|(needed, lacked)| set & needed == *needed && set & lacked == 0)
}

/// A condition in the language, in one of several ways.
fn written(condition: &Condition) -> String {
    let term = |(needed, lacked): &(u32, u32)| {
        let names = |set: u32| NAMES.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1);
        let needed = names(*needed).map(|(_, name)| name.to_string());
        let lacked = names(*lacked).map(|(_, name)| format!("not {name}"));
        needed.chain(lacked).collect::<Vec<_>>().join(" and ")
    };
    condition.iter().map(term).collect::<Vec<_>>().join(" or ")
}

impl Extended {
    /// A random instruction set whose opcodes need random extensions.
    pub fn of(plain: &Specification, seed: u64) -> Extended {
        let mut random = Random::new(seed ^ 0x5e75);
        let mut below = move |end: u64| random.below(end) as u32;
        let count = 1 + below(4);
        let mut condition = |is_positive: bool| -> Condition {
            let mut term = || {
                let needed = 1 << below(count.into());
                let more = if below(3) == 0 { 1 << below(count.into()) } else { 0 };
                match below(3) {
                    0 if !is_positive => (more & !needed, needed),
                    _ => (needed | more, 0),
                }
            };
            let mut all = vec![term()];
            if term().0 & 1 == 1 {
                all.push(term());
            }
            all
        };
        let implied: Vec<(Condition, u32)> = (0..seed % 3)
            .filter_map(|at| {
                // Later ones are implied by earlier ones, so that there is no circle.
                let when: Condition = vec![condition(true)[0]];
                let highest = 31 - when[0].0.leading_zeros();
                (highest + 1 < count)
                    .then(|| (when, 1 << (highest + 1 + at as u32 % (count - highest - 1))))
            })
            .collect();
        let required: Vec<(Condition, Condition)> =
            (0..seed / 3 % 3).map(|_| (condition(false), condition(false))).collect();
        let is_allowed = |set: &u32| {
            implied.iter().all(|(when, added)| !holds(when, *set) || set & added == *added)
                && required.iter().all(|(when, then)| !holds(when, *set) || holds(then, *set))
        };
        let sets: Vec<u32> = (0..1 << count).filter(is_allowed).collect();
        let (start, rest) = plain.text.split_once('\n').expect("a header");
        // Operations are there even if a set lacks all of their opcodes.
        let (optypes, rest): (Vec<&str>, Vec<&str>) =
            rest.lines().partition(|line| line.starts_with("__DefOptype "));
        let rest = rest.join("\n");
        let mut pieces = rest.split("\n__DefOpcode ");
        let head = pieces.next().unwrap_or_default();
        let head = format!("{head}\n{}\n", optypes.join("\n\n"));
        let opcodes: Vec<(Condition, String)> = pieces
            .map(|piece| {
                let guard =
                    if condition(true)[0].0 & 1 == 1 { Vec::new() } else { condition(false) };
                (guard, piece.to_string())
            })
            .collect();
        let names = NAMES[..count as usize].join(", ");
        let mut text = format!("{start}\n    Extensions<{names}>;\n");
        for (when, added) in &implied {
            let added = written(&vec![(*added, 0)]);
            text += &format!("    Implies<{}> = {added};\n", written(when));
        }
        for (when, then) in &required {
            text += &format!("    Requires<{}> = {};\n", written(when), written(then));
        }
        if let Some(first) = sets.iter().rev().find(|set| **set != 0) {
            let names = written(&vec![(*first, 0)]).replace(" and ", ", ");
            text += &format!("    Set<some> = {names};\n    DefaultSet<some>;\n");
        }
        text += &head;
        for (condition, opcode) in &opcodes {
            let (header, body) = opcode.split_once('\n').unwrap_or((opcode, ""));
            let guard = match condition.is_empty() {
                true => String::new(),
                false => format!(" @[{}]", written(condition)),
            };
            text += &format!("\n__DefOpcode {header}{guard}\n{body}");
        }
        Extended { text, sets, head: format!("{start}\n{head}"), opcodes }
    }

    /// The text of the instruction set that implementations with a set of extensions have; `None` without opcodes.
    pub fn with(&self, set: u32) -> Option<String> {
        let has = |condition: &Condition| condition.is_empty() || holds(condition, set);
        let opcodes = self.opcodes.iter().filter(|(condition, _)| has(condition));
        let opcodes: Vec<String> =
            opcodes.map(|(_, opcode)| format!("\n__DefOpcode {opcode}")).collect();
        (!opcodes.is_empty()).then(|| format!("{}{}", self.head, opcodes.concat()))
    }

    /// Names of the extensions of a set.
    pub fn names(set: u32) -> Vec<String> {
        let all = NAMES.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        all.map(|(_, name)| name.to_string()).collect()
    }

    /// The names of opcodes.
    pub fn opcodes(&self) -> impl Iterator<Item = (&str, &Condition)> {
        self.opcodes.iter().map(|(condition, text)| {
            let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            (&text[..end.unwrap_or(text.len())], condition)
        })
    }

    /// Whether a set has an opcode.
    pub fn has(condition: &Condition, set: u32) -> bool {
        condition.is_empty() || holds(condition, set)
    }
}
