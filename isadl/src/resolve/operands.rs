//! The statements of an opcode's chain, in the context of its fields.
//!
//! Statements are resolved for each opcode and for each layer without children, since a parent
//! may speak of fields that only its children have. The nearest statement of a kind wins; rules
//! add up. Codes: E0210, E0410, E0411, E0412, E0501, E0505, E0506, E0507, E0509, E0510.

use super::Resolver;
use crate::ast::{self, Ident, OperandRef, OperandStatement, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{
    Access, AsmFormat, ExprId, FieldRole, Function, Meaning, NameId, Operand, Place, TypeKind,
};
use crate::model::{FieldId, LayerId, LayerKind, Opcode};

/// The statements in force for a layer.
#[derive(Default)]
struct InForce<'a> {
    inputs: Option<&'a OperandStatement<'a>>,
    outputs: Option<&'a OperandStatement<'a>>,
    order: Option<&'a OperandStatement<'a>>,
    modi_order: Option<&'a OperandStatement<'a>>,
    widths: Vec<(&'a OperandStatement<'a>, Ident<'a>)>,
    formats: Vec<(&'a OperandStatement<'a>, Ident<'a>)>,
}

const FUNCTIONS: [&str; 2] = ["CvtINegX", "CvtFImm"];

impl<'a> Resolver<'a, '_> {
    /// All opcodes, and layers that have no children.
    pub(super) fn operands(&mut self) {
        for id in self.model.layer_ids() {
            let layer = self.model.layer(id);
            if layer.kind == LayerKind::Opcode || !layer.has_children {
                let opcode = self.opcode(id);
                self.model.opcodes.push(opcode);
            }
        }
    }

    fn opcode(&mut self, id: LayerId) -> Opcode<'a> {
        let roles = self.roles(id);
        let in_force = self.in_force(id);
        let list = |statement: Option<&'a OperandStatement<'a>>| match statement.map(|s| &s.kind) {
            Some(
                OperandStatementKind::InList(list)
                | OperandStatementKind::OutList(list)
                | OperandStatementKind::Order(list),
            ) => list.as_slice(),
            _ => &[],
        };
        let inputs = self.places(id, &roles, list(in_force.inputs));
        let outputs = self.places(id, &roles, list(in_force.outputs));
        let order = self.places(id, &roles, list(in_force.order));
        let widths = self.widths(id, &roles, &in_force);
        let operands = order.iter().map(|place| {
            let access = match (inputs.contains(place), outputs.contains(place)) {
                (true, true) => Access::ReadWrite,
                (true, false) => Access::Read,
                (false, true) => Access::Write,
                // An indirect operand that no list names: written where nothing else is.
                (false, false) => match place {
                    Place::Indirect { .. } if outputs.is_empty() => Access::Write,
                    Place::Indirect { .. } => Access::Read,
                    _ => Access::None,
                },
            };
            let width = widths
                .iter()
                .find(|(name, _)| Place::Field(*name) == *place)
                .map(|(_, expr)| *expr);
            Operand { place: *place, access, width }
        });
        let operands = operands.collect();
        Opcode {
            layer: id,
            operands,
            order: in_force.order,
            formats: self.formats(id, &in_force),
            modi_order: self.modi_order(id, &roles, &in_force),
            rules: self.rules(id),
            roles,
        }
    }

    /// What each field of a layer is to it.
    fn roles(&mut self, id: LayerId) -> Vec<Option<FieldRole>> {
        self.model.layer(id).fields.clone().into_iter().map(|field| self.role(id, field)).collect()
    }

    fn role(&mut self, layer: LayerId, field: FieldId) -> Option<FieldRole> {
        let (ast, ty) = (self.model.field(field).ast, self.model.field(field).ty);
        let is_enumeration = |ty| matches!(self.model.ty(ty).kind, TypeKind::BitField(_));
        if ast.control.is_some() {
            if ast.binding.is_none_or(|binding| binding.fixed == ast::Fixed::Yes) {
                let diagnostic = Diagnostic::new(
                    Code::E0412,
                    format!("control field `{}` has no default", ast.name.text),
                    ast.span,
                )
                .with_note("a control field may always be left out of assembly text")
                .with_help("add `= value`");
                self.report(diagnostic);
            }
            return Some(FieldRole::Control);
        }
        let Some((operand, _)) = ast.name.text.split_once('.') else {
            let ty = ty?;
            return Some(if is_enumeration(ty) { FieldRole::Modifier } else { FieldRole::Operand });
        };
        if let Some(ty) = ty
            && !is_enumeration(ty)
        {
            let message = format!(
                "attribute `{}` is of `{}`, which is no bit-field type",
                ast.name.text,
                self.model.ty(ty).name
            );
            self.report(Diagnostic::new(Code::E0411, message, ast.type_name.span));
            return None;
        }
        let of = self.model.find_field_text(layer, operand);
        let is_operand =
            |field: FieldId| self.model.field(field).ty.is_none_or(|ty| !is_enumeration(ty));
        match of.filter(|of| is_operand(*of)) {
            Some(of) => Some(FieldRole::Attribute { of: self.model.field(of).name }),
            None => {
                let fields = &self.model.layer(layer).fields;
                let known = fields
                    .iter()
                    .filter(|id| is_operand(**id))
                    .map(|id| self.model.field(*id).ast.name.text);
                let known: Vec<&str> = known.filter(|name| !name.contains('.')).collect();
                let owner = self.model.layer(layer);
                let message = format!(
                    "{} `{}` has no operand `{operand}`",
                    owner.kind.as_str(),
                    owner.name.text
                );
                let diagnostic = Diagnostic::new(Code::E0410, message, ast.name.span)
                    .with_label("attribute of an operand that does not exist")
                    .with_related(owner.header, "in the context of this definition")
                    .with_suggestion(operand, known);
                self.report(diagnostic);
                None
            }
        }
    }

    fn in_force(&mut self, id: LayerId) -> InForce<'a> {
        let mut found = InForce::default();
        for layer in self.model.layer(id).chain.clone() {
            let mut own: InForce<'a> = InForce::default();
            for statement in &self.model.layer(layer).ast.operand_info {
                let slot = match &statement.kind {
                    OperandStatementKind::InList(_) => &mut own.inputs,
                    OperandStatementKind::OutList(_) => &mut own.outputs,
                    OperandStatementKind::Order(_) => &mut own.order,
                    OperandStatementKind::ModiOrder(_) => &mut own.modi_order,
                    OperandStatementKind::Bitwidth(name, _) => {
                        let first =
                            own.widths.iter().find(|(_, n)| n.text == name.text).map(|(s, _)| *s);
                        self.given_twice(statement, first);
                        own.widths.push((statement, *name));
                        continue;
                    }
                    OperandStatementKind::AsmFormat { field, .. } => {
                        let first =
                            own.formats.iter().find(|(_, n)| n.text == field.text).map(|(s, _)| *s);
                        self.given_twice(statement, first);
                        own.formats.push((statement, *field));
                        continue;
                    }
                };
                let first = slot.replace(statement);
                self.given_twice(statement, first);
            }
            found.inputs = own.inputs.or(found.inputs);
            found.outputs = own.outputs.or(found.outputs);
            found.order = own.order.or(found.order);
            found.modi_order = own.modi_order.or(found.modi_order);
            found
                .widths
                .retain(|(_, name)| own.widths.iter().all(|(_, own)| own.text != name.text));
            found.widths.append(&mut own.widths);
            found
                .formats
                .retain(|(_, name)| own.formats.iter().all(|(_, own)| own.text != name.text));
            found.formats.append(&mut own.formats);
        }
        found
    }

    fn given_twice(
        &mut self,
        statement: &OperandStatement<'a>,
        first: Option<&OperandStatement<'a>>,
    ) {
        let Some(first) = first else { return };
        let diagnostic = Diagnostic::new(
            Code::E0505,
            "the statement is given twice in one definition",
            statement.span,
        )
        .with_related(first.span, "the first is here")
        .with_help("keep one of the two");
        self.report(diagnostic);
    }

    /// What the names of a list mean; what is no operand is reported and left out.
    fn places(
        &mut self,
        layer: LayerId,
        roles: &[Option<FieldRole>],
        list: &'a [OperandRef<'a>],
    ) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for operand in list {
            let Some(place) = self.place(layer, roles, operand) else { continue };
            if places.contains(&place) {
                let diagnostic = Diagnostic::new(
                    Code::E0506,
                    "the operand is in the list twice",
                    operand.span(),
                );
                self.report(diagnostic.with_help("remove it once"));
                continue;
            }
            places.push(place);
        }
        places
    }

    fn place(
        &mut self,
        layer: LayerId,
        roles: &[Option<FieldRole>],
        operand: &OperandRef<'a>,
    ) -> Option<Place> {
        match operand {
            OperandRef::Name(name) => {
                if self.model.find_field_text(layer, name.text).is_none()
                    && let Some(file) = self.model.find_reg_file(name.text)
                {
                    return Some(Place::File(file));
                }
                self.operand_named(layer, roles, *name).map(Place::Field)
            }
            OperandRef::Indirect { prefix, base, offset, .. } => {
                let Some(file) = self.index.prefixes.get(prefix.text).copied() else {
                    let mut known: Vec<&str> = self.index.prefixes.keys().copied().collect();
                    known.sort_unstable();
                    let message = format!(
                        "no operand type names registers `{}0`, `{}1`, …",
                        prefix.text, prefix.text
                    );
                    let diagnostic = Diagnostic::new(Code::E0507, message, prefix.span)
                        .with_suggestion(prefix.text, known);
                    self.report(diagnostic);
                    return None;
                };
                let base = self.operand_of_kind(layer, roles, *base, TypeWanted::Register)?;
                let offset = match offset {
                    Some(offset) => {
                        Some(self.operand_of_kind(layer, roles, *offset, TypeWanted::Integer)?)
                    }
                    None => None,
                };
                Some(Place::Indirect { file, base, offset })
            }
        }
    }

    fn operand_named(
        &mut self,
        layer: LayerId,
        roles: &[Option<FieldRole>],
        name: Ident<'a>,
    ) -> Option<NameId> {
        let position = self
            .model
            .layer(layer)
            .fields
            .iter()
            .position(|id| self.model.field(*id).ast.name.text == name.text);
        let wrong = match position.map(|position| roles[position]) {
            Some(Some(FieldRole::Operand)) => return self.model.names.get(name.text),
            // Its type is not known, which was reported.
            Some(None) => return None,
            Some(Some(FieldRole::Modifier)) => "a modifier",
            Some(Some(FieldRole::Control)) => "a control field",
            Some(Some(FieldRole::Attribute { .. })) => "an attribute",
            None => "not a field",
        };
        let fields = &self.model.layer(layer).fields;
        let operands =
            fields.iter().zip(roles).filter(|(_, role)| **role == Some(FieldRole::Operand));
        let mut known: Vec<&str> =
            operands.map(|(id, _)| self.model.field(*id).ast.name.text).collect();
        known.extend(self.model.reg_files.iter().map(|file| file.name.text));
        let owner = self.model.layer(layer);
        let diagnostic = Diagnostic::new(
            Code::E0501,
            format!("`{}` is no operand of `{}`", name.text, owner.name.text),
            name.span,
        )
        .with_label(wrong)
        .with_related(owner.header, "in the context of this definition")
        .with_suggestion(name.text, known);
        self.report(diagnostic);
        None
    }

    fn operand_of_kind(
        &mut self,
        layer: LayerId,
        roles: &[Option<FieldRole>],
        name: Ident<'a>,
        wanted: TypeWanted,
    ) -> Option<NameId> {
        let id = self.operand_named(layer, roles, name)?;
        let ty = self.model.find_field(layer, id).and_then(|field| self.model.field(field).ty)?;
        let (fits, what) = match (&self.model.ty(ty).kind, wanted) {
            (TypeKind::Operand(entries), TypeWanted::Register) => (
                entries.iter().any(|entry| matches!(entry.meaning, Meaning::Registers { .. })),
                "a register",
            ),
            (TypeKind::Immediate(_), TypeWanted::Integer) => (true, "an immediate"),
            (_, TypeWanted::Register) => (false, "a register"),
            (_, TypeWanted::Integer) => (false, "an immediate"),
        };
        if !fits {
            let diagnostic =
                Diagnostic::new(Code::E0507, format!("`{}` is not {what}", name.text), name.span)
                    .with_note("`R[base, offset]` is numbered by a register plus an immediate");
            self.report(diagnostic);
            return None;
        }
        Some(id)
    }

    fn widths(
        &mut self,
        layer: LayerId,
        roles: &[Option<FieldRole>],
        in_force: &InForce<'a>,
    ) -> Vec<(NameId, ExprId)> {
        let mut widths = Vec::new();
        for (statement, name) in &in_force.widths {
            let OperandStatementKind::Bitwidth(_, expr) = &statement.kind else { continue };
            let operand = self.operand_named(layer, roles, *name);
            let expr = self.expr(layer, expr);
            if let (Some(operand), Some(expr)) = (operand, expr) {
                widths.push((operand, self.model.exprs.intern(expr)));
            }
        }
        widths
    }

    fn formats(&mut self, layer: LayerId, in_force: &InForce<'a>) -> Vec<AsmFormat> {
        let mut formats = Vec::new();
        for (statement, _) in &in_force.formats {
            let OperandStatementKind::AsmFormat { field, function, arguments } = &statement.kind
            else {
                continue;
            };
            if !FUNCTIONS.contains(&function.text) {
                let diagnostic = Diagnostic::new(
                    Code::E0210,
                    format!("function `{}` does not exist", function.text),
                    function.span,
                )
                .with_note(format!("the functions are {}", FUNCTIONS.join(", ")))
                .with_suggestion(function.text, FUNCTIONS);
                self.report(diagnostic);
                continue;
            }
            let Some(target) = self.field_of(layer, *field) else { continue };
            let Some(function) = self.function(layer, *field, *function, arguments) else {
                continue;
            };
            formats.push(AsmFormat { field: self.model.field(target).name, function });
        }
        formats
    }

    fn function(
        &mut self,
        layer: LayerId,
        field: Ident<'a>,
        function: Ident<'a>,
        arguments: &'a [Ident<'a>],
    ) -> Option<Function> {
        let usage = match function.text {
            "CvtINegX" => "`CvtINegX(the field itself, a modifier of values NoX and X)`",
            _ => "`CvtFImm(the field itself, a modifier whose values carry number formats)`",
        };
        let wrong = |message: String, at: Ident<'a>| {
            Diagnostic::new(Code::E0509, message, at.span).with_note(format!("the form is {usage}"))
        };
        let [first, second] = arguments else {
            let message = format!("`{}` takes 2 arguments, not {}", function.text, arguments.len());
            self.report(wrong(message, function));
            return None;
        };
        if first.text != field.text {
            self.report(wrong(format!("the first argument must be `{}`", field.text), *first));
            return None;
        }
        let modifier = self.field_of(layer, *second)?;
        let (name, ty) = (self.model.field(modifier).name, self.model.field(modifier).ty?);
        let TypeKind::BitField(values) = &self.model.ty(ty).kind else {
            self.report(wrong(format!("`{}` is no modifier", second.text), *second));
            return None;
        };
        if function.text == "CvtINegX" {
            let fits = values.len() == 2
                && ["NoX", "X"].iter().all(|name| values.iter().any(|e| e.name == *name));
            if fits {
                return Some(Function::CvtINegX { ext: name });
            }
            self.report(wrong(
                format!("the values of `{}` are not NoX and X", second.text),
                *second,
            ));
            return None;
        }
        if let Some(plain) = values.iter().find(|value| value.format.is_none()) {
            let message =
                format!("value `{}` of `{}` carries no number format", plain.name, second.text);
            self.report(wrong(message, *second));
            return None;
        }
        Some(Function::CvtFImm { format: name })
    }

    fn modi_order(
        &mut self,
        layer: LayerId,
        roles: &[Option<FieldRole>],
        in_force: &InForce<'a>,
    ) -> Vec<NameId> {
        let Some(OperandStatementKind::ModiOrder(list)) = in_force.modi_order.map(|s| &s.kind)
        else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for name in list {
            let Some(field) = self.field_of(layer, *name) else { continue };
            let position = self.model.layer(layer).fields.iter().position(|id| *id == field);
            if position
                .and_then(|position| roles[position])
                .is_some_and(|role| role != FieldRole::Modifier)
            {
                let diagnostic = Diagnostic::new(
                    Code::E0510,
                    format!("`{}` is no modifier", name.text),
                    name.span,
                )
                .with_note("`ModiOrder` orders the modifiers behind the mnemonic");
                self.report(diagnostic);
                continue;
            }
            names.push(self.model.field(field).name);
        }
        names
    }

    fn rules(&mut self, layer: LayerId) -> Vec<(&'a ast::Rule<'a>, ExprId)> {
        let mut rules = Vec::new();
        for ancestor in self.model.layer(layer).chain.clone() {
            for rule in &self.model.layer(ancestor).ast.rules {
                if let Some(expr) = self.expr(layer, &rule.condition) {
                    rules.push((rule, self.model.exprs.intern(expr)));
                }
            }
        }
        rules
    }
}

/// What an indirect operand needs.
#[derive(Clone, Copy)]
enum TypeWanted {
    Register,
    Integer,
}
