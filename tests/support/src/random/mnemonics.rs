//! Random mnemonics with fields in them.

use super::draft::Draft;
use super::opcodes::{Field, Opcode};
use super::types::{Kind, Purpose};

impl Draft {
    /// Puts some fields of an opcode into its mnemonic.
    pub(super) fn spell(&mut self, opcode: &mut Opcode) {
        let is_fit = |field: &&Field| may_be_spelled(opcode, field);
        let mut fields: Vec<Field> = opcode.fields.iter().filter(is_fit).cloned().collect();
        if fields.is_empty() || !self.chance(6) {
            return;
        }
        if fields.len() > 1 && self.chance(2) {
            fields.reverse();
        }
        fields.truncate(if self.chance(2) { 1 } else { 2 });
        if fields.len() > 1 {
            self.has("two fields in a mnemonic");
        }
        for (at, field) in fields.iter().enumerate() {
            let is_number = matches!(field.ty.kind, Kind::Immediate { .. });
            self.has(if is_number { "number in a mnemonic" } else { "bit-field in a mnemonic" });
            let sign = match at {
                0 => *self.one(&["", "", ".", "_"]),
                _ => *self.one(&["", "", "", "x", "_"]),
            };
            opcode.spelled += &format!("{sign}{{{}}}", field.name);
            opcode.order.retain(|name| *name != field.name);
            opcode.inputs.retain(|name| *name != field.name);
        }
        if self.chance(8) {
            self.has("dot at the end of a mnemonic");
            opcode.spelled += ".";
        }
        opcode.mnemonic = opcode.mnemonic.or(Some("sp"));
    }
}

impl Opcode {
    /// Whether a field is in the mnemonic.
    pub(super) fn is_spelled(&self, name: &str) -> bool {
        self.spelled.contains(&format!("{{{name}}}"))
    }
}

/// Whether a field can be in the mnemonic of an opcode: nothing else says how it is written.
fn may_be_spelled(opcode: &Opcode, field: &Field) -> bool {
    let name = &field.name;
    let is_alone = !name.contains('.') && name != "pg" && field.keyword == "field";
    let is_fit = match &field.ty.kind {
        Kind::Enumeration { purpose, .. } => *purpose == Purpose::Modifier,
        Kind::Immediate { is_integer, is_signed, values, .. } => {
            let is_small = field.ty.width <= 3 && !values.is_distance && !values.is_several;
            *is_integer && !*is_signed && is_small
        }
        _ => false,
    };
    let dotted = format!("{name}.");
    let has_attribute = opcode.fields.iter().any(|field| field.name.starts_with(&dotted));
    let named = [format!("({name}"), format!("[{name}"), format!(", {name}"), format!("<{name}>")];
    let statements = opcode.statements.iter().chain(&opcode.order).chain(&opcode.bits);
    let mut others = statements.filter(|text| !text.starts_with("Bitwidth"));
    let is_named = others.any(|text| named.iter().any(|name| text.contains(name)));
    is_alone && is_fit && !has_attribute && !is_named && !opcode.is_in_view(name)
}
