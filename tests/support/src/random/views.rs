//! Random operands made of fields, and bit-fields that are operands.

use super::draft::Draft;
use super::opcodes::{Field, Opcode};
use super::types::{Kind, Purpose};

impl Draft {
    /// Makes an operand from some fields of an opcode, and sometimes an operand without fields.
    pub(super) fn view(&mut self, opcode: &mut Opcode) {
        self.plain_operand(opcode);
        let before = self.random.clone();
        self.modifier_of_fields(opcode);
        self.random = before;
        let mut fields: Vec<Field> =
            opcode.fields.iter().filter(|field| opcode.may_be_part(field)).cloned().collect();
        fields.truncate(3);
        if fields.is_empty() || !self.chance(3) {
            return;
        }
        if fields.len() > 1 && self.chance(3) {
            fields.remove(0);
        }
        if self.chance(2) {
            fields.reverse();
        }
        let only = &fields[0];
        if fields.len() == 1 && matches!(only.ty.kind, Kind::Enumeration { .. }) && self.chance(2) {
            self.has("bit-field as operand");
            opcode.order.push(only.name.clone());
            return;
        }
        if self.computed_operand(opcode, &fields) {
            return;
        }
        let mut other = Vec::new();
        if fields.len() > 1 && self.chance(2) {
            self.has("field of two operands");
            other = fields.split_off(1);
            other.rotate_left(1);
            // The last field of the other operand is in both.
            fields.extend(other.last().cloned());
        }
        self.operand_of_fields(opcode, "view", &fields);
        if !other.is_empty() {
            self.operand_of_fields(opcode, "other", &other);
        }
        if self.chance(4) {
            self.has("register with a number");
            let statement = *self.one(&["Reads<GPR[3]>;", "Writes<GPR[0]>;"]);
            opcode.statements.push(statement.to_string());
        }
    }

    /// Sometimes makes a modifier of one field or two. Later random choices do not depend on it.
    fn modifier_of_fields(&mut self, opcode: &mut Opcode) {
        if !self.is_words || !self.chance(3) {
            return;
        }
        let fields = opcode.fields.iter().filter(|field| opcode.may_be_part(field));
        let mut fields: Vec<Field> = fields.cloned().collect();
        if fields.len() > 1 && self.chance(2) {
            fields.remove(0);
        }
        fields.truncate(1 + self.random.below(2) as usize);
        let Some(first) = fields.first() else { return };
        let is_part = |listed: &String| fields.iter().any(|field| field.name == *listed);
        // The first word after the mnemonic is an operand.
        let is_left_out = |listed: &String| {
            opcode.fields.iter().any(|f| f.name == *listed && f.binding.starts_with(" = "))
        };
        if opcode.order.iter().all(|listed| is_part(listed) || is_left_out(listed)) {
            return;
        }
        self.has("modifier of fields");
        let names: Vec<String> = fields.iter().map(|field| format!("{{{}}}", field.name)).collect();
        let has_default = first.binding.starts_with(" = ");
        let text = match (names.as_slice(), self.random.below(4)) {
            ([a, b], 0) => format!("m:{a}:{b}"),
            ([a, b], _) => format!("m:[{a}, {b}]"),
            ([a], 0) if has_default => format!("m{{?:{a}}}"),
            ([a], 1) => format!("m({a})"),
            _ => format!("m:{}", names[0]),
        };
        let name = if names.len() == 1 { first.name.as_str() } else { "made" };
        opcode.statements.push(format!("Modifier<{name}> = \"{text}\";"));
        opcode.order.retain(|listed| !is_part(listed));
    }

    /// Sometimes makes an operand without fields.
    fn plain_operand(&mut self, opcode: &mut Opcode) {
        if !self.chance(8) {
            return;
        }
        self.has("operand without fields");
        let text = *self.one(&["hl", "(hl)", "[de + bc]", "@", "-x", "x'", "1", "r0", "a.b"]);
        opcode.statements.push(format!("Operand<plain> = \"{text}\";"));
        let at = self.random.below(opcode.order.len() as u64 + 1) as usize;
        opcode.order.insert(at, "plain".to_string());
    }

    /// Makes an operand that is written as fields, and may be a place in memory.
    fn operand_of_fields(&mut self, opcode: &mut Opcode, name: &str, fields: &[Field]) {
        self.has("operand of fields");
        let text = self.view_text(fields);
        opcode.statements.push(format!("Operand<{name}> = \"{text}\";"));
        let is_part = |listed: &String| fields.iter().any(|field| field.name == *listed);
        let at = opcode.order.iter().position(is_part).unwrap_or(opcode.order.len());
        opcode.order.insert(at, name.to_string());
        opcode.order.retain(|listed| !is_part(listed));
        // A place in memory that is written like a register would be taken for it by the oracle.
        // Generated code writes numbers that are not integers by their bits there.
        let is_other = |field: &Field| match &field.ty.kind {
            Kind::Immediate { is_integer, values, .. } => !is_integer || values.is_several,
            // Values without a name may be parts there.
            _ => field.ty.name == "Open",
        };
        let is_apart = text.starts_with(['[', '(', '{'])
            && !text.starts_with("{f")
            && !fields.iter().any(is_other);
        match self.random.below(4) {
            _ if !is_apart => {}
            0 => opcode.statements.push(format!("Loads<{name}> = 16;")),
            1 => {
                self.has("Stores");
                opcode.statements.push(format!("Stores<{name}> = 8;"));
                opcode.statements.push(format!("Loads<{name}> = 8;"));
            }
            _ => {}
        }
    }

    /// Makes an operand that is computed from one or two fields; returns whether it did.
    fn computed_operand(&mut self, opcode: &mut Opcode, fields: &[Field]) -> bool {
        let numbers: Vec<&Field> =
            fields.iter().filter(|field| is_small(&field.ty.kind)).take(2).collect();
        if numbers.is_empty() || !self.chance(3) {
            return false;
        }
        self.has("computed operand");
        let (a, b) = (&numbers[0].name, numbers.get(1).map(|field| &*field.name));
        let repeating = self.repeating(a, b);
        let value = self.computed(a, b);
        let value = repeating.unwrap_or(value);
        opcode.statements.push(format!("Operand<view> : Large = {value};"));
        let is_part = |name: &String| {
            numbers.iter().any(|f| f.name == *name && value.contains(name.as_str()))
        };
        let at = opcode.order.iter().position(is_part).unwrap_or(opcode.order.len());
        opcode.order.insert(at, "view".to_string());
        opcode.order.retain(|name| !is_part(name));
        let parts: Vec<String> = numbers.iter().map(|field| field.name.clone()).collect();
        let before = self.random.clone();
        self.rule_of_parts(opcode, &parts);
        self.random = before;
        true
    }

    /// Perhaps forbids some values of the fields that an operand is computed from, by a rule or by `Match`: of several
    /// encodings of one number the lowest may be illegal.
    fn rule_of_parts(&mut self, opcode: &mut Opcode, parts: &[String]) {
        if self.is_contested || !self.chance(2) {
            return;
        }
        let (a, b) = (self.one(parts).clone(), self.one(parts).clone());
        let (first, second) = (self.random.below(4), self.random.below(4));
        let condition = match self.random.below(4) {
            0 => format!("{a} != {first}"),
            1 => format!("{a} > {first} or {b} == {second}"),
            2 => format!("{a} == {first} and {b} >= {second}"),
            _ => format!("{a} + {b} > {first}"),
        };
        if self.chance(2) {
            self.has("Match on a computed operand");
            opcode.bits.push(format!("Match = {condition};"));
            return;
        }
        self.has("rule on a computed operand");
        let rule = format!("EncodingError<KC, \"forbidden\"> = not ({condition});");
        opcode.rules.push(rule);
    }

    /// A number that is computed from one field or two.
    pub(super) fn computed(&mut self, a: &str, b: Option<&str>) -> String {
        let by = self.random.below(9);
        let one = [
            format!("{by} - {a}"),
            format!("{a} * 2 + {by}"),
            format!("{a} ^ {by}"),
            format!("if({a} > {by}, {a} + 20, {a})"),
            a.to_string(),
        ];
        match b {
            Some(b) if self.chance(2) => {
                let two =
                    [format!("{a} - {b}"), format!("{a} * 16 + {b}"), format!("{by} + {b} - {a}")];
                self.one(&two).clone()
            }
            _ => self.one(&one).clone(),
        }
    }

    /// Sometimes makes a number that several values of one or two fields give. Later random choices do not depend on
    /// it.
    fn repeating(&mut self, a: &str, b: Option<&str>) -> Option<String> {
        let before = self.random.clone();
        let by = self.random.below(9);
        let forms = match b {
            Some(b) => [format!("{a} & {b}"), format!("if({a} == 2, {b} / 2, {by})")],
            None => [format!("{a} & {by}"), format!("if({a} < 3, {by}, {a} + 20)")],
        };
        let form = self.chance(8).then(|| self.one(&forms).clone());
        self.random = before;
        form
    }

    /// Sometimes writes fields with defaults as a list. Other random choices do not depend on it.
    fn list(&mut self, fields: &[Field]) -> Option<String> {
        let before = self.random.clone();
        let has_defaults = fields.iter().all(|field| field.binding.starts_with(" = "));
        let is_list = has_defaults && fields.len() > 1 && self.chance(2);
        let separator = *self.one(&[" | ", " & ", "+", "/"]);
        let otherwise = *self.one(&["none", "0", ""]);
        self.random = before;
        is_list.then(|| {
            self.has("list of pieces");
            let pieces = fields.iter().map(|field| format!("{{?{0}({{{0}}})}}", field.name));
            format!("{{[{separator}]{}{otherwise}}}", pieces.collect::<String>())
        })
    }

    fn view_text(&mut self, fields: &[Field]) -> String {
        if let Some(list) = self.list(fields) {
            return list;
        }
        let brackets = *self.one(&[("[", "]"), ("(", ")"), ("{{", "}}"), ("m", ""), ("", "")]);
        let mut text = brackets.0.to_string();
        for (at, field) in fields.iter().enumerate() {
            let sign = *self.one(&[" + ", ":", "(", "", " x "]);
            let sign = if at == 0 { "" } else { sign };
            let piece = format!("{{{}}}", field.name);
            let is_optional = field.binding.starts_with(" = ") && self.chance(2);
            let piece = if is_optional {
                self.has("optional piece");
                format!("{{?{sign}{piece}}}")
            } else {
                format!("{sign}{piece}")
            };
            text += &piece;
            if self.chance(8) {
                self.has("field written twice");
                text += &format!("/{{{}}}", field.name);
            }
            let is_run = field.ty.name == "Reg";
            if is_run && self.chance(4) {
                self.has("register after another");
                text += &format!("/{{{} + 1}}", field.name);
            }
        }
        text + brackets.1
    }
}

impl Opcode {
    /// Whether a field is written within an operand, or one is computed from it.
    pub(super) fn is_in_view(&self, name: &str) -> bool {
        self.templates().any(|text| text.contains(name))
    }

    /// Whether a bit-field is an operand, or written within one.
    pub(super) fn is_in_operand(&self, name: &str) -> bool {
        let piece = format!("{{{name}}}");
        self.order.iter().any(|listed| listed == name)
            || self.templates().any(|text| text.contains(&piece))
    }

    /// The texts of operands and modifiers made of fields.
    fn templates(&self) -> impl Iterator<Item = &String> {
        let made = ["Operand<", "Modifier<"];
        self.statements.iter().filter(move |text| made.iter().any(|word| text.starts_with(word)))
    }

    /// The modifiers made of fields.
    pub(super) fn made_modifiers(&self) -> impl Iterator<Item = &str> {
        let names = self.statements.iter().filter_map(|text| text.strip_prefix("Modifier<"));
        names.filter_map(|text| text.split('>').next())
    }

    /// Whether a field can be written within another operand.
    fn may_be_part(&self, field: &Field) -> bool {
        let name = &field.name;
        let is_alone = !name.contains('.') && name != "pg" && field.keyword == "field";
        let dotted = format!("{name}.");
        let has_attribute = self.fields.iter().any(|field| field.name.starts_with(&dotted));
        let is_special = |kind: &Kind| match kind {
            Kind::Composite { .. } | Kind::Operand { has_literal: true, .. } => true,
            Kind::Enumeration { purpose, .. } => {
                ![Purpose::Modifier, Purpose::Open].contains(purpose)
            }
            _ => false,
        };
        // A name in a statement that does not concern parts.
        let named =
            [format!("({name}"), format!("[{name}"), format!(", {name}"), format!("<{name}>")];
        let statements = self.statements.iter().chain(&self.order).chain(&self.bits);
        let mut others =
            statements.filter(|text| !text.starts_with("Bitwidth") && !text.starts_with("Partial"));
        let is_named = others.any(|text| named.iter().any(|name| text.contains(name)));
        let is_fixed = field.binding.starts_with(" ==");
        is_alone && !has_attribute && !is_special(&field.ty.kind) && !is_named && !is_fixed
    }
}

/// Whether a number is an integer of few digits, with which others can be computed.
pub(super) fn is_small(kind: &Kind) -> bool {
    match kind {
        Kind::Immediate { is_integer, values, .. } => {
            *is_integer && !values.is_several && !values.is_distance && !values.is_computed
        }
        _ => false,
    }
}
