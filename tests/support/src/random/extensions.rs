//! Random instruction sets with extensions, and their reduction to each set of extensions: the same text without the
//! opcodes, values, rules and aliases that the set lacks, and without any mention of extensions.

use std::collections::BTreeMap;

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
    /// The conditions of lines, by the numbers after their marks.
    lines: Vec<Condition>,
    /// The conditions of values, by type and name.
    values: BTreeMap<(String, String), Condition>,
}

/// Begins the number of the condition of a line, at its end.
const MARK: char = '\u{1}';

/// Types whose values may have guards: no composite has a part of them.
const TYPES: [&str; 6] = ["M0", "M1", "M2", "Hole", "Src", "Lit"];

/// The lines of some types with guards on some of their values.
struct Marked<'c> {
    condition: &'c mut dyn FnMut() -> Option<Condition>,
    lines: Vec<Condition>,
    values: BTreeMap<(String, String), Condition>,
}

impl Marked<'_> {
    /// A line with a mark, perhaps.
    fn line(&mut self, line: &str) -> (String, Option<Condition>) {
        match (self.condition)() {
            Some(condition) => {
                self.lines.push(condition.clone());
                (format!("{line}{MARK}{}", self.lines.len() - 1), Some(condition))
            }
            None => (line.to_string(), None),
        }
    }

    /// The text before the opcodes.
    fn head(&mut self, head: &str) -> String {
        let is_open = |body: &str| body.contains("\n    else ");
        let mut marked = Vec::new();
        for definition in head.split("\n\n") {
            let name = definition.split(['<', ' ']).nth(1).unwrap_or_default();
            if !TYPES.contains(&name) || is_open(definition) {
                marked.push(definition.to_string());
                continue;
            }
            let lines = definition.lines().map(|line| {
                let value = line.split_whitespace().next().unwrap_or_default();
                let is_hidden = definition.contains(&format!("    No{value} "));
                // An empty spelling exists in all sets.
                let is_silent = value.starts_with("No") || line.contains("\"\"");
                if !line.starts_with(' ') || line.contains('[') || is_hidden || is_silent {
                    return line.to_string();
                }
                let (line, condition) = self.line(line);
                if let Some(condition) = condition {
                    let including = if name == "Src" { "Wide" } else { name };
                    for ty in [name, including] {
                        self.values.insert((ty.to_string(), value.to_string()), condition.clone());
                    }
                }
                line
            });
            let lines: Vec<String> = lines.collect();
            marked.push(lines.join("\n"));
        }
        marked.join("\n\n")
    }

    /// An opcode, and the aliases after it.
    fn opcode(&mut self, piece: &str) -> String {
        let is_marked = |line: &str| {
            let start = line.trim_start();
            ["EncodingError<", "AssemblerError<", "Short<", "__DefAlias "]
                .iter()
                .any(|w| start.starts_with(w))
        };
        let lines = piece.lines().map(|line| match is_marked(line) {
            true => self.line(line).0,
            false => line.to_string(),
        });
        lines.collect::<Vec<String>>().join("\n") + "\n"
    }
}

/// A text whose marked lines have the result of `guard` for their numbers, or are left out. If a definition is left
/// out, all of it is.
fn with_guards(text: &str, guard: &dyn Fn(usize) -> Option<String>) -> String {
    let mut found = String::new();
    let mut is_absent = false;
    for line in text.lines() {
        is_absent &= !line.starts_with("__Def");
        let Some((own, number)) = line.split_once(MARK) else {
            if !is_absent {
                found += line;
                found += "\n";
            }
            continue;
        };
        let is_header = own.starts_with("__Def");
        match guard(number.parse().expect("a number")) {
            Some(guard) if is_header => found += &format!("{own}{guard}\n"),
            Some(guard) if !is_absent => {
                found += &format!("{}{guard};\n", own.trim_end().trim_end_matches(';'));
            }
            Some(_) => {}
            None => is_absent |= is_header,
        }
    }
    found
}

/// A text without compressed encodings of opcodes that it lacks.
fn without_shorts(text: &str) -> String {
    let is_kept = |line: &&str| {
        let of = line.trim_start().strip_prefix("Short<").and_then(|rest| rest.split('>').next());
        of.is_none_or(|of| text.contains(&format!("\n__DefOpcode {of} ")))
    };
    text.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect()
}

/// The fields of an opcode with their types, and with the values that are fixed.
fn fields(text: &str) -> impl Iterator<Item = (&str, &str, Option<&str>)> {
    text.lines().filter_map(|line| {
        let words: Vec<&str> = line.trim().trim_end_matches(';').split_whitespace().collect();
        let is_field = ["field", "control"].iter().any(|word| line.trim().starts_with(word));
        let at = words.iter().position(|word| word.ends_with(['>', ']']))?;
        let (ty, name) = (words.get(at + 1)?, words.get(at + 2)?);
        let fixed = words.get(at + 3).filter(|word| **word == "==").and(words.get(at + 4));
        is_field.then_some((*ty, *name, fixed.copied()))
    })
}

fn holds(condition: &Condition, set: u32) -> bool {
    condition.iter().any(|(needed, lacked)| set & needed == *needed && set & lacked == 0)
}

/// A condition in the language, in one of several notations.
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
                // Earlier extensions imply later extensions, so that there is no cycle.
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
        // Operations exist even if a set lacks all of their opcodes.
        let (optypes, rest): (Vec<&str>, Vec<&str>) =
            rest.lines().partition(|line| line.starts_with("__DefOptype "));
        let rest = rest.join("\n");
        let mut pieces = rest.split("\n__DefOpcode ");
        let head = pieces.next().unwrap_or_default();
        let head = format!("{head}\n{}\n", optypes.join("\n\n"));
        let mut opcodes: Vec<(Condition, String)> = pieces
            .map(|piece| {
                let guard =
                    if condition(true)[0].0 & 1 == 1 { Vec::new() } else { condition(false) };
                (guard, piece.to_string())
            })
            .collect();
        let mut choices = Random::new(seed ^ 0x9a4d);
        let mut of_line = || (choices.below(3) == 0).then(|| condition(false));
        let mut marked =
            Marked { condition: &mut of_line, lines: Vec::new(), values: BTreeMap::new() };
        // Some have guards on opcodes only.
        let head = if seed.is_multiple_of(4) { head } else { marked.head(&head) };
        for (_, piece) in opcodes.iter_mut().filter(|_| !seed.is_multiple_of(4)) {
            *piece = marked.opcode(piece);
        }
        let (lines, values) = (marked.lines, marked.values);
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
        let guard = |number: usize| Some(format!(" @[{}]", written(&lines[number])));
        let text = with_guards(&text, &guard);
        Extended { text, sets, head: format!("{start}\n{head}"), opcodes, lines, values }
    }

    /// Whether a set has a value of a type.
    fn has_value(&self, ty: &str, value: &str, set: u32) -> bool {
        let condition = self.values.get(&(ty.to_string(), value.to_string()));
        condition.is_none_or(|condition| holds(condition, set))
    }

    /// Whether a set has an opcode: the set meets its guard, and has the values that it fixes.
    fn has_opcode(&self, (condition, text): &(Condition, String), set: u32) -> bool {
        let own = text.split("\n__Def").next().unwrap_or_default();
        (condition.is_empty() || holds(condition, set))
            && fields(own)
                .all(|(ty, _, fixed)| fixed.is_none_or(|value| self.has_value(ty, value, set)))
    }

    /// An opcode without the aliases that fix a value that a set lacks.
    fn without_aliases(&self, text: &str, set: u32) -> String {
        let mut parts = text.split("\n__DefAlias ");
        let own = parts.next().unwrap_or_default();
        let lacks = |part: &str| {
            part.lines().any(|line| {
                let line = line.trim().trim_end_matches(';');
                let Some((name, value)) =
                    line.strip_prefix("fix ").and_then(|fix| fix.split_once(" == "))
                else {
                    return false;
                };
                let of_name = fields(own).find(|(_, known, _)| *known == name);
                of_name.is_some_and(|(ty, ..)| !self.has_value(ty, value, set))
            })
        };
        let kept = parts.filter(|part| !lacks(part));
        kept.fold(own.to_string(), |text, part| format!("{text}\n__DefAlias {part}"))
    }

    /// The text of the instruction set that implementations with a set of extensions have; `None` without opcodes.
    pub fn with(&self, set: u32) -> Option<String> {
        let opcodes = self.opcodes.iter().filter(|opcode| self.has_opcode(opcode, set));
        let opcodes: Vec<String> = opcodes
            .map(|(_, opcode)| format!("\n__DefOpcode {}", self.without_aliases(opcode, set)))
            .collect();
        let text = format!("{}{}", self.head, opcodes.concat());
        let guard = |number: usize| holds(&self.lines[number], set).then(String::new);
        (!opcodes.is_empty()).then(|| without_shorts(&with_guards(&text, &guard)))
    }

    /// Names of the extensions of a set.
    pub fn names(set: u32) -> Vec<String> {
        let all = NAMES.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        all.map(|(_, name)| name.to_string()).collect()
    }

    /// The names of opcodes, each with the allowed sets that have it.
    pub fn opcodes(&self) -> impl Iterator<Item = (&str, Vec<u32>)> {
        self.opcodes.iter().map(|opcode| {
            let text = &opcode.1;
            let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let sets = self.sets.iter().copied().filter(|set| self.has_opcode(opcode, *set));
            (&text[..end.unwrap_or(text.len())], sets.collect())
        })
    }

    /// The guarded items of the text, besides opcodes.
    pub fn guarded(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            (" = ", "values with guards"),
            ("EncodingError<", "rules with guards"),
            ("AssemblerError<", "rules of assemblers with guards"),
            ("__DefAlias ", "aliases with guards"),
            ("Short<", "shorter encodings with guards"),
        ];
        let is_there = |what: &str| {
            let mut lines = self.text.lines().filter(|line| line.contains("@["));
            match what {
                " = " => !self.values.is_empty(),
                what => lines.any(|line| line.trim_start().starts_with(what)),
            }
        };
        all.into_iter().filter(move |(what, _)| is_there(what)).map(|(_, name)| name)
    }
}
