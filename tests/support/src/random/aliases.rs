//! Random aliases of opcodes.

use std::fmt::Write;

use super::draft::Draft;
use super::opcodes::{Field, Opcode};
use super::types::Kind;
use super::views::is_small;

/// Mnemonics, few, so that aliases share them with each other and with opcodes.
const MNEMONICS: [&str; 4] = ["mv", "nop", "op", "ld"];

/// Rewrites aliases as rows of a table where a row can express them, and returns their number.
pub fn aliases_in_tables(text: &str) -> (String, usize) {
    let mut parts = text.split("__DefAlias ");
    let mut found = parts.next().unwrap_or_default().to_string();
    let mut count = 0;
    for part in parts {
        let (definition, rest) = part.split_once("\n\n").unwrap_or((part, ""));
        match row(definition) {
            Some((head, row)) => {
                let _ = write!(found, "__DefAliases{head}\n{row}\n\n{rest}");
                count += 1;
            }
            None => {
                let _ = write!(found, "__DefAlias {part}");
            }
        }
    }
    (found, count)
}

/// The end of a header and the row that say what the definition of an alias does: of the opcodes one or the other does.
fn row(definition: &str) -> Option<(String, String)> {
    let mut lines = definition.lines();
    let (name, of) = lines.next()?.split_once(" : ")?;
    let (mut fixes, mut mnemonic, mut print) = (Vec::new(), String::new(), "");
    for line in lines.map(|line| line.trim().trim_end_matches(';')) {
        if let Some(fix) = line.strip_prefix("fix ") {
            fixes.push(fix);
        } else if let Some(text) = line.strip_prefix("Mnemonic<") {
            mnemonic = text.trim_end_matches('>').to_string();
        } else if line == "Print<never>" {
            print = " Print<never>";
        } else if !line.starts_with("__") {
            return None;
        }
    }
    let fixes = fixes.join(", ");
    let is_own = name.len() % 2 == 0;
    let (head, own) = match is_own {
        true => (String::new(), format!(" : {of}")),
        false => (format!(" : {of}"), String::new()),
    };
    Some((head, format!("    {name}{own} {mnemonic} {fixes}{print};")))
}

impl Draft {
    /// Writes aliases of the opcode with a number.
    pub(super) fn aliases(&mut self, index: usize, opcode: &Opcode) {
        while self.chance(8) {
            self.alias(index, opcode);
        }
    }

    fn alias(&mut self, index: usize, opcode: &Opcode) {
        let is_open = |field: &&Field| {
            let is_plain = !field.name.contains('.') && field.name != "pg";
            is_plain && field.keyword == "field" && !field.binding.starts_with(" ==")
        };
        let open: Vec<Field> = opcode.fields.iter().filter(is_open).cloned().collect();
        if open.is_empty() {
            return;
        }
        self.has("alias with fixed fields");
        self.count += 1;
        let mut encoding = String::new();
        let first = self.one(&open).clone();
        let same: Vec<&Field> =
            open.iter().filter(|f| f.name != first.name && f.ty.name == first.ty.name).collect();
        let plain = |field: &&Field| match &field.ty.kind {
            Kind::Immediate { values, .. } => is_small(&field.ty.kind) && !values.is_scaled(),
            _ => false,
        };
        let others: Vec<&Field> =
            open.iter().filter(|f| f.name != first.name && is_small(&f.ty.kind)).collect();
        match same.first() {
            _ if plain(&&first) && !others.is_empty() && !self.chance(4) => {
                self.has("alias with computed fields");
                let value = self.computed(&others[0].name, others.get(1).map(|f| &*f.name));
                let _ = writeln!(encoding, "    fix {} == {value};", first.name);
            }
            Some(other) if !self.chance(4) => {
                self.has("alias with equal fields");
                let _ = writeln!(encoding, "    fix {} == {};", first.name, other.name);
            }
            _ => {
                let value = self.value(&first.ty).unwrap_or_default();
                let _ = writeln!(encoding, "    fix {} == {value};", first.name);
            }
        }
        let number = open.iter().find(|f| {
            matches!(f.ty.kind, Kind::Immediate { is_integer: true, .. }) && f.name != first.name
        });
        if let Some(field) = number
            && self.chance(2)
        {
            self.has("alias with a condition");
            let _ = writeln!(encoding, "    Match = {} > {};", field.name, self.random.below(3));
        }
        let mnemonic = match self.chance(3) {
            true => self.one(&MNEMONICS).to_string(),
            false => format!("al{}", self.count),
        };
        let mnemonic = match opcode.spelled.is_empty() || self.chance(5) {
            true => mnemonic,
            false => {
                self.has("alias with a field in its mnemonic");
                format!("{mnemonic}{}", opcode.spelled)
            }
        };
        let of = if self.chance(4) { format!("O{index}") } else { format!("P{index}") };
        let number = self.count;
        let _ = write!(
            self.text,
            "__DefAlias A{number} : [{of}]\n  __Encoding\n{encoding}  __OperandInfo\n    Mnemonic<\"{mnemonic}\">;\n"
        );
        if self.chance(5) {
            self.has("alias that is only read");
            self.text += "    Print<never>;\n";
        }
        let numbers: Vec<&Field> = open
            .iter()
            .filter(|f| f.name != first.name && is_small(&f.ty.kind))
            .filter(|f| opcode.order.contains(&f.name))
            .take(2)
            .collect();
        if !numbers.is_empty() && !opcode.order.iter().any(|name| name == "view") && self.chance(3)
        {
            self.has("alias with a computed operand");
            let value = self.computed(&numbers[0].name, numbers.get(1).map(|field| &*field.name));
            let _ = writeln!(self.text, "    Operand<calc> : Large = {value};");
            let is_part = |name: &String| value.contains(name.as_str());
            let mut order = opcode.order.clone();
            let at = order.iter().position(is_part).unwrap_or(order.len());
            order.insert(at, "calc".to_string());
            // Of two, one may be written besides.
            let is_kept = self.chance(2) && numbers.len() > 1;
            order.retain(|name| !is_part(name) || is_kept && *name == numbers[1].name);
            order.retain(|name| *name != first.name);
            let _ = writeln!(self.text, "    Order<{}>;", order.join(", "));
        }
        self.text += "\n";
    }
}
