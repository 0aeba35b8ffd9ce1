//! The statements of an opcode's chain, in the context of its fields.
//!
//! Statements are resolved for each opcode and for each layer without children, since a parent
//! may refer to fields that only its children have. The nearest statement of a kind wins; rules
//! accumulate. Codes: E0410, E0411, E0412, E0413.

use std::collections::{HashMap, HashSet};

use super::Resolver;
use super::fixes::Fixed;
use super::flow::OperandFacts;
use super::lists::EffectiveStatements;
use super::views::Roles;
use crate::ast::{self, Ident, Int, OperandRef, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic, bits};
use crate::isa::{
    Access, ExprId, FieldRole, MAX_WORD_BITS, NameId, Operand, OperandLocation, TypeKind,
};
use crate::model::{FieldId, LayerId, LayerKind, List, Model, Opcode, Widths};

impl<'a> Resolver<'a, '_> {
    /// Resolves all opcodes, and layers without children.
    pub(super) fn operands(&mut self) {
        for id in self.model.layer_ids() {
            let layer = self.model.layer(id);
            let is_definition = layer.kind == LayerKind::Alias && layer.alias_of.is_none();
            if !is_definition && (layer.kind == LayerKind::Opcode || !layer.has_children) {
                let opcode = self.opcode(id);
                self.model.opcodes.push(opcode);
            }
        }
        self.check_guards();
    }

    /// The operand that guards an opcode, if the opcode has it.
    fn guard(
        &mut self,
        id: LayerId,
        order: &List<'a>,
        in_force: &EffectiveStatements<'a>,
    ) -> Option<NameId> {
        let statement = in_force.guard.statement?;
        let OperandStatementKind::Guard(name) = &statement.kind else { return None };
        let field = self.model.find_field_text(id, name.text);
        // An entry that was reported in `Order` is not reported again.
        let is_listed = |entry: &OperandRef<'a>| matches!(entry, OperandRef::Name(listed) if listed.text == name.text);
        let is_met = field.is_some()
            || self.model.may_have_field(id, name.text)
            || order.entries().iter().any(is_listed);
        self.note_use(id, *name, is_met);
        field.map(|field| self.model.field(field).name)
    }

    /// Notes whether a layer has the field that a statement of a group names.
    pub(super) fn note_use(&mut self, id: LayerId, name: Ident<'a>, is_met: bool) {
        let (_, met) = self.guards.entry(name.span).or_insert((id, false));
        *met |= is_met;
    }

    /// Reports fields of guards and modifiers that no opcode has.
    fn check_guards(&mut self) {
        for (span, (layer, is_met)) in std::mem::take(&mut self.guards) {
            if !is_met {
                self.field_of(layer, Ident { text: self.written(span), span });
            }
        }
    }

    fn opcode(&mut self, id: LayerId) -> Opcode<'a> {
        let mut roles = Roles { fields: self.roles(id), ..Roles::default() };
        let in_force = self.in_force(id);
        let Fixed { values: fixed, computed: equal, conditions, is_never } = self.fixed(id);
        self.views(id, &mut roles, &in_force, &fixed);
        let (mnemonics, pieces) = self.mnemonics(id, &mut roles, &in_force, &fixed);
        let inputs = self.list(id, &roles, in_force.inputs);
        let outputs = self.list(id, &roles, in_force.outputs);
        let mut order = self.list(id, &roles, in_force.order);
        let given: Vec<NameId> =
            fixed.iter().map(|f| f.0).chain(equal.iter().map(|e| e.0)).collect();
        self.without_given(id, &mut order, &given);
        let (widths, exprs) = self.widths(id, &roles, &in_force);
        let operands = operands(&inputs, &outputs, &order, &exprs);
        let guard = self.guard(id, &order, &in_force);
        let memory = self.memory(id, &roles, &in_force);
        let known = OperandFacts {
            memory: &memory,
            roles: &roles,
            operands: &operands,
            lists: [&inputs, &outputs],
            widths: &exprs,
            guard,
        };
        let uses = self.flow(id, known);
        let mut matches = self.matches(id);
        let modi_order = self.modi_order(id, &roles, &in_force);
        let conditions = conditions.into_iter().chain(roles.conditions.drain(..));
        matches.extend(conditions.map(|condition| (condition, None)));
        Opcode {
            layer: id,
            flow: uses.items,
            conditions: uses.conditions,
            classes: self.classes(id),
            guard,
            operands,
            implicit: implicit(&inputs, &outputs, &order),
            mnemonics,
            pieces,
            suffix: self.suffix(&in_force),
            width: self.instruction_width(id),
            short: self.short(id, &in_force),
            fixed,
            equal,
            matches,
            is_never,
            inputs,
            outputs,
            order,
            widths,
            formats: self.formats(id, &roles, &in_force),
            modi_order,
            rules: self.rules(id),
            composite_operands: roles.composites(),
            roles: roles.fields,
        }
    }

    /// The instruction's width in bits: given by a group of the chain, else the width of the widest instruction.
    fn instruction_width(&mut self, id: LayerId) -> u32 {
        let widest = self.model.isa.as_ref().and_then(|isa| isa.width).unwrap_or(MAX_WORD_BITS);
        let mut given: Option<(Int, Ident<'a>)> = None;
        for index in 0..self.model.layer(id).chain.len() {
            let layer = self.model.layer(self.model.layer(id).chain[index]);
            let Some(width) = layer.ast.width else { continue };
            let name = layer.name;
            match given {
                Some((first, of)) if first.value != width.value => {
                    self.two_widths(id, (first, of), (width, name));
                }
                _ => given = Some((width, name)),
            }
        }
        let given = given.and_then(|(width, _)| u32::try_from(width.value).ok());
        given.filter(|width| (1..=widest).contains(width)).unwrap_or(widest)
    }

    fn two_widths(&mut self, id: LayerId, first: (Int, Ident<'a>), second: (Int, Ident<'a>)) {
        let layer = self.model.layer(id);
        let message = format!("{} `{}` has two widths", layer.kind.as_str(), layer.name.text);
        let place = |(width, name): (Int, Ident<'a>)| {
            (width.span, format!("`{}` has {}", name.text, bits(width.value as u64)))
        };
        let (a, b) = (place(first), place(second));
        let diagnostic = Diagnostic::new(Code::E0413, message, layer.header)
            .with_related(a.0, a.1)
            .with_related(b.0, b.1)
            .with_help("inherit from only one of the two groups");
        self.report(diagnostic);
    }

    /// The conditions of `Match`: an alias has its own; an opcode has all conditions of its chain.
    fn matches(&mut self, id: LayerId) -> Vec<(ExprId, Option<&'a str>)> {
        let chain = self.model.layer(id).chain.clone();
        let is_alias = self.model.layer(id).alias_of.is_some();
        let own = chain.into_iter().filter(|layer| !is_alias || *layer == id);
        let mut matches = Vec::new();
        for layer in own {
            for condition in &self.model.layer(layer).ast.matches {
                if let Some(expr) = self.expr(id, &condition.condition) {
                    let message = condition.message.map(|message| message.text);
                    matches.push((self.model.exprs.intern(expr), message));
                }
            }
        }
        matches
    }

    /// The role of each field of a layer.
    fn roles(&mut self, id: LayerId) -> Vec<Option<FieldRole>> {
        let count = self.model.layer(id).fields.len();
        (0..count).map(|index| self.role(id, self.model.layer(id).fields[index])).collect()
    }

    fn role(&mut self, layer: LayerId, field: FieldId) -> Option<FieldRole> {
        let (ast, ty) = (self.model.field(field).ast, self.model.field(field).ty);
        if ast.control.is_some() {
            self.check_default(ast);
            return Some(FieldRole::Control);
        }
        let Some((operand, _)) = ast.name.text.split_once('.') else {
            let is_modifier = is_enumeration(&self.model, ty?);
            return Some(if is_modifier { FieldRole::Modifier } else { FieldRole::Operand });
        };
        if let Some(ty) = ty.filter(|ty| !is_enumeration(&self.model, *ty)) {
            if self.is_new(Code::E0411, ast.type_name.span) {
                let ty = &self.model.ty(ty).name;
                let name = ast.name.text;
                let message = format!("type `{ty}` of attribute `{name}` is not a bit-field type");
                self.report(Diagnostic::new(Code::E0411, message, ast.type_name.span));
            }
            return None;
        }
        let of = self.model.find_field_text(layer, operand);
        if let Some(of) = of.filter(|of| may_have_attributes(&self.model, *of)) {
            return Some(FieldRole::Attribute { of: self.model.field(of).name });
        }
        let is_unknown = of.is_none() && self.model.may_have_field(layer, operand);
        if !is_unknown && self.is_new(Code::E0410, ast.name.span) {
            self.no_operand(layer, ast, operand);
        }
        None
    }

    /// Checks that a control field has a default, since it may be omitted in assembly text.
    fn check_default(&mut self, ast: &'a ast::Field<'a>) {
        let has_default = ast.binding.is_some_and(|binding| binding.fixed == ast::Fixed::No);
        if has_default || !self.is_new(Code::E0412, ast.span) {
            return;
        }
        let message = format!("control field `{}` does not have a default", ast.name.text);
        let diagnostic = Diagnostic::new(Code::E0412, message, ast.span)
            .with_note("a control field may always be omitted in assembly text")
            .with_help("add `= value`");
        self.report(diagnostic);
    }

    /// Reports an attribute of an operand that does not exist.
    fn no_operand(&mut self, layer: LayerId, ast: &'a ast::Field<'a>, operand: &str) {
        let owner = self.model.layer(layer);
        let message = format!(
            "{} `{}` does not have an operand `{operand}`",
            owner.kind.as_str(),
            owner.name.text
        );
        let diagnostic = Diagnostic::new(Code::E0410, message, ast.name.span)
            .with_label("attribute of an operand that does not exist")
            .with_related(owner.header, "in the context of this definition");
        let known = |model: &Model<'a>| {
            let fields = model.layer(layer).fields.iter();
            let operands = fields.filter(|id| may_have_attributes(model, **id));
            let names = operands.map(|id| model.field(*id).ast.name.text);
            names.filter(|name| !name.contains('.')).collect()
        };
        let diagnostic = self.suggest(diagnostic, operand, known);
        self.report(diagnostic);
    }

    /// The widths of operands.
    fn widths(
        &mut self,
        layer: LayerId,
        roles: &Roles,
        in_force: &EffectiveStatements<'a>,
    ) -> (Widths, HashMap<NameId, ExprId>) {
        let mut widths = Widths { names: Vec::new(), has_gaps: in_force.widths.has_gaps };
        let mut exprs = HashMap::new();
        for statement in in_force.widths.iter() {
            let OperandStatementKind::Bitwidth(name, expr) = &statement.kind else { continue };
            let operand = self.operand_named(layer, roles, *name);
            let expr = self.expr(layer, expr);
            let Some(operand) = operand else {
                widths.has_gaps = true;
                continue;
            };
            widths.names.push(operand);
            if let Some(expr) = expr {
                exprs.insert(operand, self.model.exprs.intern(expr));
            }
        }
        widths.names.sort_unstable();
        (widths, exprs)
    }

    fn rules(&mut self, layer: LayerId) -> Vec<(&'a ast::Rule<'a>, ExprId)> {
        let mut rules = Vec::new();
        for index in 0..self.model.layer(layer).chain.len() {
            let ancestor = self.model.layer(layer).chain[index];
            for rule in &self.model.layer(ancestor).ast.rules {
                if let Some(expr) = self.expr(layer, &rule.condition) {
                    rules.push((rule, self.model.exprs.intern(expr)));
                }
            }
        }
        rules
    }
}

pub(super) fn is_enumeration(model: &Model<'_>, ty: crate::isa::TypeId) -> bool {
    matches!(model.ty(ty).kind, TypeKind::BitField(_))
}

/// Whether a field can have attributes: whether it is, or may be, an operand.
fn may_have_attributes(model: &Model<'_>, field: FieldId) -> bool {
    model.field(field).ty.is_none_or(|ty| !is_enumeration(model, ty))
}

/// The operands in assembly order.
fn operands(
    inputs: &List<'_>,
    outputs: &List<'_>,
    order: &List<'_>,
    widths: &HashMap<NameId, ExprId>,
) -> Vec<Operand> {
    let places = |list: &List<'_>| {
        list.places.iter().copied().flatten().collect::<HashSet<OperandLocation>>()
    };
    let (read, written) = (places(inputs), places(outputs));
    let operand = |place: OperandLocation| {
        let access = match (read.contains(&place), written.contains(&place)) {
            (true, true) => Access::ReadWrite,
            (true, false) => Access::Read,
            (false, true) => Access::Write,
            // An indirect operand that no list names is written if nothing else is.
            (false, false) => match place {
                OperandLocation::Indirect { .. } if written.is_empty() => Access::Write,
                OperandLocation::Indirect { .. } => Access::Read,
                _ => Access::None,
            },
        };
        let width = match place {
            OperandLocation::Field(name) => widths.get(&name).copied(),
            _ => None,
        };
        Operand { place, access, width }
    };
    let mut operands: Vec<Operand> = order.places.iter().copied().flatten().map(operand).collect();
    tell_results_from_sources(&mut operands);
    operands
}

/// If a register file occurs twice in `Order`, the first is the result and the second the source.
fn tell_results_from_sources(operands: &mut [Operand]) {
    for at in 1..operands.len() {
        let (before, rest) = operands.split_at_mut(at);
        let this = &mut rest[0];
        if let Some(first) = before.iter_mut().find(|other| other.place == this.place)
            && this.access == Access::ReadWrite
        {
            (first.access, this.access) = (Access::Write, Access::Read);
        }
    }
}

/// The register files that are in `InList` or `OutList` but not in `Order`.
fn implicit(inputs: &List<'_>, outputs: &List<'_>, order: &List<'_>) -> Vec<Operand> {
    let mut implicit: Vec<Operand> = Vec::new();
    let files = |list: &List<'_>| {
        let places = list.places.iter().copied().flatten().collect::<Vec<_>>();
        places.into_iter().filter(|place| matches!(place, OperandLocation::File(_)))
    };
    for place in files(inputs).chain(files(outputs)) {
        let known = |operand: &Operand| operand.place == place;
        if order.places.contains(&Some(place)) || implicit.iter().any(known) {
            continue;
        }
        let is_in = |list: &List<'_>| list.places.contains(&Some(place));
        let access = match (is_in(inputs), is_in(outputs)) {
            (true, true) => Access::ReadWrite,
            (true, false) => Access::Read,
            _ => Access::Write,
        };
        implicit.push(Operand { place, access, width: None });
    }
    implicit
}
