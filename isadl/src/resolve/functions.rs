//! How fields are written: the functions of `AsmFormat` and the order of modifiers.
//!
//! Codes: E0210, E0506, E0509, E0510.

use std::collections::HashSet;

use super::Resolver;
use super::lists::EffectiveStatements;
use super::views::Roles;
use crate::ast::{Ident, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic, Old, bits};
use crate::isa::{
    Enumerator, FieldRole, Immediate, NameId, Number, NumberFormat, Symbol, TypeId, TypeKind,
};
use crate::model::{AsmFormat, FieldId, Function, LayerId};

const FUNCTIONS: [&str; 3] = ["CvtINegX", "CvtFImm", "CvtNegConst"];

/// A use of a function.
#[derive(Clone, Copy)]
struct Call<'a> {
    /// The field that is written.
    field: Ident<'a>,
    name: Ident<'a>,
    arguments: &'a [Ident<'a>],
}

impl<'a> Resolver<'a, '_> {
    pub(super) fn formats(
        &mut self,
        layer: LayerId,
        roles: &Roles,
        in_force: &EffectiveStatements<'a>,
    ) -> Vec<AsmFormat> {
        let mut formats = Vec::new();
        for statement in in_force.formats.iter() {
            let OperandStatementKind::AsmFormat { field, function, arguments } = &statement.kind
            else {
                continue;
            };
            let call = Call { field: *field, name: *function, arguments };
            formats.extend(self.format(layer, roles, call));
        }
        formats
    }

    fn format(&mut self, layer: LayerId, roles: &Roles, call: Call<'a>) -> Option<AsmFormat> {
        if !FUNCTIONS.contains(&call.name.text) {
            self.no_function(call.name);
            return None;
        }
        let target = self.field_of(layer, call.field)?;
        if call.name.text == "CvtNegConst" {
            let word = self.second_argument(call)?;
            let is_target = self.is_target(layer, roles, target, call);
            let function = Function::CvtNegConst { word: self.word(word.text) };
            let field = self.model.field(target).name;
            return is_target.then_some(AsmFormat { field, function });
        }
        let modifier = self.second_argument(call)?;
        let is_target = self.is_target(layer, roles, target, call);
        let ty = self.type_of_modifier(layer, call, modifier).filter(|_| is_target)?;
        let function = match call.name.text {
            "CvtINegX" => self.negation(call, modifier, ty),
            _ => self.float(target, call, modifier, ty),
        };
        Some(AsmFormat { field: self.model.field(target).name, function: function? })
    }

    /// The index of a word.
    fn word(&mut self, text: &'a str) -> usize {
        let words = &mut self.model.words;
        words.iter().position(|word| *word == text).unwrap_or_else(|| {
            words.push(text);
            words.len() - 1
        })
    }

    fn no_function(&mut self, name: Ident<'a>) {
        if self.is_new(Code::E0210, name.span) {
            let message = format!("function `{}` does not exist", name.text);
            let diagnostic = Diagnostic::new(Code::E0210, message, name.span)
                .with_note(format!("the functions are {}", FUNCTIONS.join(", ")))
                .with_suggestion(name.text, FUNCTIONS);
            self.report(diagnostic);
        }
    }

    fn wrong(&mut self, call: Call<'a>, at: Ident<'a>, message: String) {
        if self.is_new(Code::E0509, at.span) {
            let usage = match call.name.text {
                "CvtNegConst" => "`CvtNegConst(the attribute itself, the word before a constant)`",
                "CvtINegX" => {
                    "`CvtINegX(the attribute itself, a modifier with a value that is not written)`"
                }
                _ => "`CvtFImm(the immediate itself, a modifier whose values have number formats)`",
            };
            let diagnostic = Diagnostic::new(Code::E0509, message, at.span)
                .with_note(format!("the form is {usage}"));
            self.report(diagnostic);
        }
    }

    /// The second argument, if there are two and the first is the field itself.
    fn second_argument(&mut self, call: Call<'a>) -> Option<Ident<'a>> {
        let [first, second] = call.arguments else {
            let (name, count) = (call.name.text, call.arguments.len());
            self.wrong(call, call.name, format!("`{name}` takes 2 arguments, not {count}"));
            return None;
        };
        if first.text != call.field.text {
            self.wrong(call, *first, format!("the first argument must be `{}`", call.field.text));
            return None;
        }
        Some(*second)
    }

    fn type_of_modifier(
        &mut self,
        layer: LayerId,
        call: Call<'a>,
        modifier: Ident<'a>,
    ) -> Option<TypeId> {
        let field = self.field_of(layer, modifier)?;
        let ty = self.model.field(field).ty?;
        if matches!(self.model.ty(ty).kind, TypeKind::BitField(_)) {
            return Some(ty);
        }
        self.wrong(call, modifier, format!("`{}` is not a modifier", modifier.text));
        None
    }

    /// Checks that the function can write the field.
    fn is_target(
        &mut self,
        layer: LayerId,
        roles: &Roles,
        target: FieldId,
        call: Call<'a>,
    ) -> bool {
        let field = self.model.field(target);
        let role = self.model.position(layer, field.name).and_then(|position| roles[position]);
        // The field is unknown, which was reported.
        let (Some(ty), Some(role)) = (field.ty, role) else { return false };
        let ty = self.model.ty(ty);
        let (fits, what) = match call.name.text {
            "CvtINegX" | "CvtNegConst" => {
                let name = call.field.text.rsplit('.').next().and_then(Symbol::of);
                let is_mark = name.is_some() && ty.width == 1;
                let is_attribute = matches!(role, FieldRole::Attribute { .. });
                (is_attribute && is_mark, "attribute that is written as a mark")
            }
            _ => {
                let is_plain = |immediate: &Immediate| immediate.is_plain();
                match &ty.kind {
                    TypeKind::Immediate(of) => (is_plain(of), "immediate without scale and bias"),
                    _ => (false, "immediate"),
                }
            }
        };
        if !fits {
            self.wrong(call, call.field, format!("`{}` is not an {what}", call.field.text));
        }
        fits
    }

    fn negation(&mut self, call: Call<'a>, modifier: Ident<'a>, ty: TypeId) -> Option<Function> {
        let TypeKind::BitField(values) = &self.model.ty(ty).kind else { return None };
        let is_written = |value: &Enumerator| !value.spelling.is_empty();
        let wrong = match values.iter().any(is_written) {
            true if values.iter().all(is_written) => "all values of `{}` are written",
            true => "",
            false => "no value of `{}` is written",
        };
        if !wrong.is_empty() {
            if !self.model.types[ty.index()].has_gaps {
                self.wrong(call, modifier, wrong.replace("{}", modifier.text));
            }
            return None;
        }
        self.model.names.get(modifier.text).map(|ext| Function::CvtINegX { ext })
    }

    fn float(
        &mut self,
        target: FieldId,
        call: Call<'a>,
        modifier: Ident<'a>,
        ty: TypeId,
    ) -> Option<Function> {
        let TypeKind::BitField(values) = &self.model.ty(ty).kind else { return None };
        if let Some(plain) = values.iter().find(|value| value.format.is_none()) {
            if !self.model.types[ty.index()].has_gaps {
                let (value, field) = (&plain.name, modifier.text);
                let message = format!("value `{value}` of `{field}` does not have a number format");
                self.wrong(call, modifier, message);
            }
            return None;
        }
        let width = self.model.field(target).width();
        let needed = |value: &Enumerator| value.format.as_ref().map_or(0, bits_of);
        if let Some(wide) = values.iter().find(|value| needed(value) > u64::from(width)) {
            let (value, field) = (&wide.name, call.field.text);
            let message =
                format!("`{value}` has {}, but `{field}` has {width}", bits(needed(wide)));
            self.wrong(call, modifier, message);
            return None;
        }
        self.model.names.get(modifier.text).map(|format| Function::CvtFImm { format })
    }

    pub(super) fn modi_order(
        &mut self,
        layer: LayerId,
        roles: &Roles,
        in_force: &EffectiveStatements<'a>,
    ) -> Vec<NameId> {
        let Some(statement) = in_force.modi_order.statement else { return Vec::new() };
        let OperandStatementKind::ModiOrder(list) = &statement.kind else { return Vec::new() };
        let mut statements = self.model.layer(layer).ast.operand_info.iter();
        let is_own = statements.any(|own| own.span == statement.span);
        let mut names = Vec::new();
        let mut seen = HashSet::new();
        for name in list {
            let own = self.model.names.get(name.text);
            let made = roles.modifiers.iter().find(|(known, _)| Some(*known) == own);
            if let Some((_, made)) = made {
                match seen.insert(made.name) {
                    true => names.push(made.name),
                    false => self.modifier_twice(*name),
                }
                continue;
            }
            // An opcode without its fields does not have it, if the order is that of a group.
            if in_force.modifiers.has(name.text) {
                continue;
            }
            let is_missing = self.model.find_field_text(layer, name.text).is_none();
            let is_elsewhere = || self.model.fields.iter().any(|field| Some(field.name) == own);
            if is_missing && !is_own && is_elsewhere() {
                continue;
            }
            let Some(field) = self.field_of(layer, *name) else { continue };
            let id = self.model.field(field).name;
            let role = self.model.position(layer, id).and_then(|position| roles[position]);
            if role.is_some_and(|role| role != FieldRole::Modifier) {
                self.no_modifier(*name);
            } else if !seen.insert(id) {
                self.modifier_twice(*name);
            } else {
                names.push(id);
            }
        }
        names
    }

    fn no_modifier(&mut self, name: Ident<'a>) {
        if self.is_new(Code::E0510, name.span) {
            let message = format!("`{}` is not a modifier", name.text);
            let diagnostic = Diagnostic::new(Code::E0510, message, name.span)
                .with_note("`ModiOrder` orders the modifiers after the mnemonic");
            self.report(diagnostic);
        }
    }

    fn modifier_twice(&mut self, name: Ident<'a>) {
        if self.is_new(Code::E0506, name.span) {
            let message = "modifier listed twice";
            let diagnostic = Diagnostic::new(Code::E0506, message, name.span);
            self.report(diagnostic.with_removal("remove one of the two", Old::Entry(name.span)));
        }
    }
}

/// The number of bits that a format needs.
fn bits_of(format: &NumberFormat) -> u64 {
    let number = match format.number {
        Number::Unsigned | Number::Signed => 1,
        Number::Float { exponent, fraction } => 1 + exponent + fraction,
    };
    u64::from(number) * u64::from(format.lanes)
}
