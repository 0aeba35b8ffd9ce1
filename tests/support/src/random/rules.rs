//! Random rules of opcodes, and widths of operands that depend on fields.

use super::draft::Draft;
use super::opcodes::{Field, Opcode};
use super::types::{Kind, Type};

impl Draft {
    /// Adds rules on the fields of an opcode that are open.
    pub(super) fn rules(&mut self, opcode: &mut Opcode) {
        let open: Vec<Field> =
            opcode.fields.iter().filter(|f| !f.binding.starts_with(" ==")).cloned().collect();
        let most = if self.is_contested { 6 } else { 3 };
        let goes_on = |draft: &mut Draft| draft.chance(3) != draft.is_contested;
        while !open.is_empty() && goes_on(self) && opcode.rules.len() < most {
            let (a, b) = (self.one(&open).clone(), self.one(&open).clone());
            let is_advice = self.chance(4);
            self.has(if is_advice { "rule for assemblers" } else { "rule" });
            let single = self.condition(&a);
            let condition = match self.random.below(4) {
                0 => {
                    self.has("rule on two fields");
                    format!("{single} and {}", self.condition(&b))
                }
                1 if is_number(&a) && is_number(&b) => {
                    self.has("rule with arithmetic");
                    let (a, b) = (&a.name, &b.name);
                    let forms = [
                        format!("({a} & 1) + {b} * 2 == 3"),
                        format!("{a} / ({b} - 1) > 1"),
                        format!("({a} << 1) - {b} < 0"),
                        format!("not {a} == {b} and {a} | {b} != 3"),
                        format!("-{a} * {b} < -3"),
                        format!("{a} ^ ~{b} == -2"),
                        format!("({a} + 5) % ({b} - 2) == 1"),
                        format!("if({a} > {b}, {a}, {b} + 1) == 2"),
                        format!("ror({a}, {b}, 3) == 5"),
                        format!("repeat({a}, 2, {b}) > 9"),
                        format!("clz({a}, 2 + {b}) < 2"),
                        format!("bits({a}) > bits({b}) + 1"),
                    ];
                    self.one(&forms).clone()
                }
                _ => single,
            };
            let scope = if is_advice { "AssemblerError" } else { "EncodingError" };
            opcode.rules.push(format!(
                "{scope}<K{}, \"forbidden by rule {}\"> = {condition};",
                opcode.rules.len(),
                opcode.rules.len()
            ));
        }
    }

    /// Says where execution goes after an opcode.
    pub(super) fn classes(&mut self, opcode: &mut Opcode) {
        if opcode.fields.is_empty() || !self.chance(3) {
            return;
        }
        self.has("flow of control");
        for _ in 0..self.random.below(3) {
            let field = self.one(&opcode.fields).clone();
            let class = *self.one(&["next", "branch", "conditional", "call", "return"]);
            let condition = self.condition(&field);
            opcode.statements.push(format!("Flow<{class}> = {condition};"));
        }
        if self.chance(2) {
            let class = *self.one(&["indirect", "indirect_call", "trap"]);
            opcode.statements.push(format!("Flow<{class}>;"));
        }
    }

    /// Makes some reads and writes conditional. Later random choices do not depend on it.
    pub(super) fn conditional_uses(&mut self, opcode: &mut Opcode) {
        let before = self.random.clone();
        self.add_conditional_uses(opcode);
        self.random = before;
    }

    fn add_conditional_uses(&mut self, opcode: &mut Opcode) {
        if opcode.fields.is_empty() || !self.chance(3) {
            return;
        }
        self.has("conditional use");
        let registers = opcode.fields.iter().filter(|field| {
            let is_register = matches!(field.ty.kind, Kind::Operand { has_literal: false, .. });
            is_register && field.keyword == "field" && !field.name.contains('.')
        });
        let mut known: Vec<String> = registers.map(|field| field.name.clone()).collect();
        known.extend(["GPR[1]", "GPR[3]", "FLAGS"].map(str::to_string));
        for _ in 0..=self.random.below(4) {
            let (a, b) = (self.one(&opcode.fields).clone(), self.one(&opcode.fields).clone());
            let condition = match self.chance(3) {
                true => format!("{} or {}", self.condition(&a), self.condition(&b)),
                false => self.condition(&a),
            };
            let place = self.one(&known).clone();
            let keyword = *self.one(&["Reads", "Writes"]);
            opcode.statements.push(format!("{keyword}<{place} if {condition}>;"));
        }
        for statement in &mut opcode.statements {
            let is_memory = statement.starts_with("Loads<") || statement.starts_with("Stores<");
            if is_memory && self.chance(2) {
                self.has("conditional memory");
                let field = self.one(&opcode.fields).clone();
                let condition = self.condition(&field);
                *statement = statement.replace('>', &format!(" if {condition}>"));
            }
        }
    }

    /// A width that some values of fields make larger than a register file, or leave nothing of.
    pub(super) fn contested_width(&mut self, opcode: &Opcode, name: &str, ty: &Type) -> String {
        let all = |fits: fn(&Field) -> bool| -> Vec<String> {
            let fields = opcode.fields.iter().filter(|field| fits(field));
            fields.map(|field| field.name.clone()).collect()
        };
        let numbers = all(is_number);
        if !numbers.is_empty() && self.chance(2) {
            let number = self.one(&numbers).clone();
            let forms = [
                format!("16 + {number} * 24"),
                format!("48 - {number} * 16"),
                format!("8 << {number}"),
                format!("{number} * {number}"),
            ];
            return self.one(&forms).clone();
        }
        let modifiers: Vec<Field> = opcode
            .fields
            .iter()
            .filter(|field| matches!(field.ty.kind, Kind::Enumeration { .. }))
            .cloned()
            .collect();
        let (first, second) = match modifiers.is_empty() {
            true => {
                let value = self.value(ty).unwrap_or_default();
                let other = self.value(ty).unwrap_or_default();
                (format!("{name} == \"{value}\""), format!("{name} != \"{other}\""))
            }
            false => {
                let (a, b) = (self.one(&modifiers).clone(), self.one(&modifiers).clone());
                (self.condition(&a), self.condition(&b))
            }
        };
        let forms = [
            format!("16 + ({first}) * 64"),
            format!("16 - ({first}) * 16"),
            format!("32 + ({first}) * ({second}) * 64"),
            format!("16 + ({first}) * 32 - ({second}) * 32"),
        ];
        self.one(&forms).clone()
    }

    fn condition(&mut self, field: &Field) -> String {
        let name = &field.name;
        match &field.ty.kind {
            Kind::Operand { has_class: true, .. } if self.chance(2) => {
                self.has("class");
                format!("{name} is odd")
            }
            Kind::Enumeration { .. } | Kind::Operand { .. } => {
                let value = self.value(&field.ty).unwrap_or_default();
                let operator = if self.chance(4) { "!=" } else { "==" };
                format!("{name} {operator} \"{value}\"")
            }
            Kind::Immediate { .. } | Kind::Composite { .. } => {
                let limit = self.random.below(1 << field.ty.width);
                format!("{name} {} {limit}", self.one(&["==", ">", "<"]))
            }
        }
    }
}

fn is_number(field: &Field) -> bool {
    matches!(field.ty.kind, Kind::Immediate { is_integer: true, .. })
}
