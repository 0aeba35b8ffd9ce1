//! Random specifications in the short notations: the same instruction sets in fewer words.
//!
//! The texts come from `opcodes.rs`: an optype of its own for each opcode, one statement per line.

use std::fmt::Write;

use crate::Random;

/// A notation that says the same in fewer words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Short {
    /// An opcode without an optype.
    Own,
    /// A row of a table.
    Row,
    /// A form of a combination.
    Form,
    /// All lists at once.
    Operands,
}

/// Rewrites a specification so that every opcode uses a short notation, chosen at random among the applicable
/// notations. An opcode without an optype has the name of the operation. Returns the notations that were used.
pub fn terse(text: &str, seed: u64) -> (String, Vec<Short>) {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x7465_7273);
    let mut used = Vec::new();
    let mut out = String::new();
    let (head, opcodes) = text.split_at(text.find("__DefOptype").unwrap_or(text.len()));
    out += head;
    for opcode in opcodes.split("__DefOptype ").filter(|opcode| !opcode.trim().is_empty()) {
        opcode_in_short(opcode, &mut random, &mut out, &mut used);
    }
    used.sort_unstable();
    used.dedup();
    (out, used)
}

/// A dump in which all opcodes have the names of their operations.
pub fn renamed(dump: &str) -> String {
    let lines = dump.lines().map(|line| match line.strip_prefix('P') {
        Some(rest) => format!("O{rest}\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

fn opcode_in_short(opcode: &str, random: &mut Random, out: &mut String, used: &mut Vec<Short>) {
    let (name, rest) = opcode.split_once(' ').expect("an optype has a name");
    let (_, definition) = rest.split_once("__DefOpcode ").expect("an optype has an opcode");
    let (header, body) = definition.split_once('\n').expect("an opcode has a body");
    let parents = header.split_once('[').map_or("", |(_, parents)| parents).trim_end_matches(']');
    let groups: Vec<&str> =
        parents.split(", ").map(|parent| if parent == name { "ALL" } else { parent }).collect();
    let groups = groups.join(", ");
    let body = match random.below(2) {
        0 => with_operands(body, used),
        _ => body.to_string(),
    };
    match random.below(3) {
        0 => {
            used.push(Short::Own);
            let _ = write!(out, "__DefOpcode {name} : [{groups}]\n{body}");
        }
        1 => {
            used.push(Short::Row);
            let code = "    field<0, 2> Code code == ";
            let mnemonic = "    Mnemonic<";
            let line = |start: &str, end: &str| {
                let found = body.lines().find_map(|line| line.strip_prefix(start));
                found.map(|line| line.trim_end_matches(end).to_string())
            };
            let value = line(code, ";").expect("an opcode has a code");
            let texts = line(mnemonic, ">;").map_or(String::new(), |texts| format!("{texts} "));
            let left = body.lines().filter(|line| !line.starts_with(mnemonic));
            let left = left.map(|line| match line.starts_with(code) {
                true => "    field<0, 2> Code code;\n".to_string(),
                false => format!("{line}\n"),
            });
            let _ = write!(out, "__DefGroup T{name} : [{groups}]\n{}", left.collect::<String>());
            let _ = write!(
                out,
                "__DefInstructions : [T{name}]\n    {name} {texts}code == {value};\n\n"
            );
        }
        _ => {
            used.push(Short::Form);
            let number = name.trim_start_matches('O');
            let _ = write!(out, "__DefOptype {name} : [ALL]\n\n");
            let _ = write!(out, "__DefGroup G{number} : [{groups}]\n{body}");
            let _ = write!(out, "__DefForms P{number} : [{name}] x [G{number}];\n\n");
        }
    }
}

/// The body of an opcode with `Operands` instead of the lists, if that can say the same: every
/// listed operand is in the order.
fn with_operands(body: &str, used: &mut Vec<Short>) -> String {
    let list = |keyword: &str| {
        let start = format!("    {keyword}<");
        let found = body.lines().find_map(|line| line.strip_prefix(&start));
        found.map_or(Vec::new(), |list| operands(list.trim_end_matches(">;")))
    };
    let (inputs, outputs, order) = (list("InList"), list("OutList"), list("Order"));
    let is_ordered = |operand: &&String| order.contains(*operand);
    let in_order = |list: &[String]| {
        let places = list.iter().map(|operand| order.iter().position(|other| other == operand));
        places.is_sorted()
    };
    if order.is_empty()
        || !inputs.iter().chain(&outputs).all(|operand| is_ordered(&operand))
        || !in_order(&inputs)
        || !in_order(&outputs)
    {
        return body.to_string();
    }
    used.push(Short::Operands);
    let mut items = Vec::new();
    let mut widths = Vec::new();
    for operand in &order {
        let access = match (inputs.contains(operand), outputs.contains(operand)) {
            (true, true) => "inout ",
            (true, false) => "in ",
            (false, true) => "out ",
            (false, false) => "",
        };
        let start = format!("    Bitwidth<{operand}> = ");
        let width = body.lines().find(|line| line.starts_with(&start));
        widths.extend(width);
        let width = width.map_or(String::new(), |line| {
            format!(" : {}", line[start.len()..].trim_end_matches(';'))
        });
        items.push(format!("{access}{operand}{width}"));
    }
    let mut text = String::new();
    for line in body.lines() {
        if line.starts_with("    Order<") {
            let _ = writeln!(text, "    Operands<{}>;", items.join(", "));
        } else if !["    InList<", "    OutList<"].iter().any(|start| line.starts_with(start))
            && !widths.contains(&line)
        {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

/// The operands of a list; a comma within brackets separates base and offset.
fn operands(list: &str) -> Vec<String> {
    let mut operands: Vec<String> = Vec::new();
    let mut is_within = false;
    for part in list.split(", ").filter(|part| !part.is_empty()) {
        match operands.last_mut().filter(|_| is_within) {
            Some(last) => *last = format!("{last}, {part}"),
            None => operands.push(part.to_string()),
        }
        is_within = part.contains('[') && !part.contains(']');
    }
    operands
}
