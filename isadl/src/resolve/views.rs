//! Operands made of fields: `Operand<address> = "{offset}({base})";`.
//!
//! Such an operand is a composite of the bits of its fields, in addition to the fields. Text is written and read
//! through the composite; everything else uses the fields. Codes: E0519.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;

use super::Resolver;
use super::lists::EffectiveStatements;
use super::plain_views::plain_text;
use super::types::format::{self, Shape};
use crate::ast::{Ident, Made, OperandRef, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{
    Binding, Bits, Composite, CompositeSegment, ExprId, FieldRole, MAX_FIELD_BITS, NameId, Part,
    Type, TypeId, TypeKind,
};
use crate::model::{self, CompositeOperand, FieldId, LayerId};
use crate::source::Span;

/// The role of each field of a layer, and the operands that are made of fields.
#[derive(Default)]
pub(super) struct Roles {
    pub(super) fields: Vec<Option<FieldRole>>,
    pub(super) composite_operands: Vec<CompositeOperand>,
    /// The modifiers that are made of fields, by their names in the specification.
    pub(super) modifiers: Vec<(NameId, CompositeOperand)>,
    /// Conditions on the words of an alias that ensure that its operands have values.
    pub(super) conditions: Vec<ExprId>,
    /// The names of operands made of fields that were reported.
    pub(super) unresolved: Vec<NameId>,
}

impl Deref for Roles {
    type Target = [Option<FieldRole>];

    fn deref(&self) -> &Self::Target {
        &self.fields
    }
}

impl Roles {
    /// Whether a name belongs to an operand that was reported.
    pub(super) fn is_unresolved(&self, name: NameId) -> bool {
        self.unresolved.contains(&name)
    }

    /// Takes the operands and modifiers that are made of fields.
    pub(super) fn composites(&mut self) -> Vec<CompositeOperand> {
        let modifiers = self.modifiers.drain(..).map(|(_, modifier)| modifier);
        self.composite_operands.drain(..).chain(modifiers).collect()
    }

    /// The operand with a name that is made of fields.
    pub(super) fn composite_operand(&self, name: NameId) -> Option<&CompositeOperand> {
        self.composite_operands.iter().find(|view| view.name == name)
    }
}

/// The identity of an operand: its name, its fields with their types, and its syntax.
type ViewKey = (String, Vec<(String, TypeId)>, String);

/// The types of operands made of fields.
#[derive(Default)]
pub(super) struct ViewTypes {
    /// By all that they are made of.
    known: HashMap<ViewKey, TypeId>,
    /// The names of the first types of the model, each with the lowest number suffix that may still be free.
    taken: HashMap<String, u32>,
    /// How many types these are.
    seen: usize,
}

impl ViewTypes {
    /// A name that no type has: the operand's name, or with its fields' names added, or with a number.
    fn free_name(&mut self, types: &[model::Type<'_>], name: &str, parts: &[&str]) -> String {
        for ty in &types[self.seen..] {
            self.taken.entry(ty.ty.name.clone()).or_insert(2);
        }
        self.seen = types.len();
        let mut base: String = name.split('_').map(capitalized).collect();
        if self.taken.contains_key(&base) {
            let words = parts.iter().flat_map(|part| part.split(['_', '.']));
            base += &words.map(capitalized).collect::<String>();
        }
        let Some(first) = self.taken.get(&base).copied() else { return base };
        let mut number = first;
        while self.taken.contains_key(&format!("{base}{number}")) {
            number += 1;
        }
        // The name stays taken, so that lower numbers are not tried again.
        self.taken.insert(base.clone(), number);
        format!("{base}{number}")
    }
}

/// An operand while it is put together.
pub(super) struct Maker<'m, 'a> {
    layer: LayerId,
    fixed: &'m [(NameId, u64)],
    parts: Vec<(FieldId, Ident<'a>)>,
}

/// The value of a field when nothing is written.
enum Silence {
    /// It is always written.
    Never,
    /// It has this value.
    Value(u64),
    /// It cannot be anything else.
    Fixed,
}

impl<'a> Resolver<'a, '_> {
    /// Finds the operands of `Order`, `Loads` and `Stores` that are composed of fields. Also finds bit-fields that are
    /// operands because they are in `Order`.
    pub(super) fn views(
        &mut self,
        layer: LayerId,
        roles: &mut Roles,
        in_force: &EffectiveStatements<'a>,
        fixed: &[(NameId, u64)],
    ) {
        if let Some(of) = self.model.layer(layer).alias_of {
            self.operands_of(of, layer, roles);
        }
        let entries = match in_force.order.statement.map(|statement| &statement.kind) {
            Some(OperandStatementKind::Order(entries)) => entries.as_slice(),
            _ => &[],
        };
        let written: HashSet<&str> = entries.iter().filter_map(name_of).collect();
        for entry in entries {
            let OperandRef::Name(name) = entry else { continue };
            if let Some((name, made)) = in_force.templates.find(name.text) {
                let view = match made {
                    Made::Text(format) => {
                        let view = self.view(layer, roles, (name, *format), fixed);
                        view.map(|()| self.take_parts(layer, roles))
                    }
                    Made::Computed { ty, value } => {
                        self.computed_view(layer, roles, (name, *ty, value), (fixed, &written))
                    }
                };
                self.note_lost(roles, name, view);
            } else if let Some(id) = self.model.names.get(name.text)
                && let Some(at) = self.model.position(layer, id)
                && roles[at] == Some(FieldRole::Modifier)
            {
                roles.fields[at] = Some(FieldRole::Operand);
                self.check_silent(layer, at, *name, fixed);
            }
        }
        self.implied_places(layer, roles, in_force, (fixed, &written));
        self.modifier_views(layer, roles, in_force, fixed);
    }

    fn note_lost(&mut self, roles: &mut Roles, name: Ident<'a>, view: Option<()>) {
        if view.is_none() {
            let name = self.model.names.intern(name.text);
            roles.unresolved.push(name);
        }
    }

    /// Finds memory operands that no text shows: operands of `Loads` and `Stores` that are not in `Order`. The roles of
    /// their fields stay the same.
    fn implied_places(
        &mut self,
        layer: LayerId,
        roles: &mut Roles,
        in_force: &EffectiveStatements<'a>,
        (fixed, written): (&[(NameId, u64)], &HashSet<&str>),
    ) {
        for statement in in_force.loads.iter().chain(in_force.stores.iter()) {
            let OperandStatementKind::Memory(memory) = &statement.kind else { continue };
            let name = memory.operand.text;
            let is_known = |id| roles.composite_operand(id).is_some() || roles.is_unresolved(id);
            if written.contains(name) || self.model.names.get(name).is_some_and(is_known) {
                continue;
            }
            if let Some((name, Made::Text(format))) = in_force.templates.find(name) {
                let view = self.view(layer, roles, (name, *format), fixed);
                self.note_lost(roles, name, view);
            }
        }
    }

    /// Reports a bit-field that is an operand and may be written as nothing where it cannot be left out.
    fn check_silent(
        &mut self,
        layer: LayerId,
        at: usize,
        name: Ident<'a>,
        fixed: &[(NameId, u64)],
    ) {
        let id = self.model.layer(layer).fields[at];
        let Some(raw) = self.silent(id) else { return };
        let field = self.model.field(id);
        let given = fixed.iter().find(|(name, _)| *name == field.name);
        let given = given.map(|(_, raw)| Binding::Fixed(*raw)).or(field.binding);
        let is_never = matches!(given, Some(Binding::Fixed(other)) if other != raw);
        if is_never || given == Some(Binding::Default(raw)) {
            return;
        }
        let declared = field.ast.span;
        let message = format!("a value of `{}` is written as nothing", name.text);
        self.wrong_view(name.span, message, |d| {
            d.with_related(declared, "the field is here")
                .with_note("an operand can be left out only where it has its default")
                .with_help("make this value the default, or give it a spelling by `as`")
        });
    }

    /// Makes operands of an alias from bit-fields that are operands of its opcode, even if the alias does not write
    /// them.
    fn operands_of(&mut self, of: LayerId, alias: LayerId, roles: &mut Roles) {
        let of_opcode = self.model.opcodes.iter().find(|opcode| opcode.layer == of);
        let Some(opcode) = of_opcode else { return };
        let own = opcode.roles.clone();
        let fields = self.model.layer(of).fields.iter().zip(own);
        let is_operand = |role: &Option<FieldRole>| {
            matches!(role, Some(FieldRole::Operand | FieldRole::Part { .. }))
        };
        let operands = fields.filter(|(_, role)| is_operand(role));
        let names: Vec<NameId> = operands.map(|(id, _)| self.model.field(*id).name).collect();
        for name in names {
            let Some(at) = self.model.position(alias, name) else { continue };
            if roles[at] == Some(FieldRole::Modifier) {
                roles.fields[at] = Some(FieldRole::Operand);
            }
        }
    }

    fn view(
        &mut self,
        layer: LayerId,
        roles: &mut Roles,
        (name, format): (Ident<'a>, Ident<'a>),
        fixed: &[(NameId, u64)],
    ) -> Option<()> {
        if let Some(field) = self.model.find_field_text(layer, name.text) {
            let first = self.model.field(field).ast.span;
            let message = format!("`{}` is both a field and an operand made of fields", name.text);
            self.wrong_view(name.span, message, |d| d.with_related(first, "the field is here"));
            return None;
        }
        let shapes = self.shapes(format)?;
        self.check_commas(&shapes, format)?;
        if let Some(text) = plain_text(&shapes) {
            return self.plain_view(layer, roles, (name, format, text), fixed);
        }
        let of = self.model.names.intern(name.text);
        let view = self.made_of((layer, fixed), roles, (name, of), (&shapes, format))?;
        roles.composite_operands.push(view);
        Some(())
    }

    /// The pieces of a format; a fault is reported.
    pub(super) fn shapes(&mut self, format: Ident<'a>) -> Option<Vec<Shape<'a>>> {
        let shapes = format::shapes(format);
        shapes.map_err(|problem| self.wrong_view(problem.span, problem.message, |d| d)).ok()
    }

    /// An operand or modifier made of the fields in a format, with its name in the text and among the fields.
    pub(super) fn made_of(
        &mut self,
        (layer, fixed): (LayerId, &[(NameId, u64)]),
        roles: &Roles,
        (name, of): (Ident<'a>, NameId),
        (shapes, format): (&[Shape<'a>], Ident<'a>),
    ) -> Option<CompositeOperand> {
        let mut maker = Maker { layer, fixed, parts: Vec::new() };
        let pieces = self.view_pieces(&mut maker, roles, shapes)?;
        let parts = self.view_parts(&maker, format)?;
        self.check_attributes(&maker, roles)?;
        let width = parts.iter().map(|part| part.bits.width()).sum();
        let fields = parts.iter().map(|part| (part.name.clone(), part.ty)).collect();
        let written = format!("{pieces:?}");
        let kind = TypeKind::Composite(Composite { parts, format: pieces });
        let ty = self.view_type(name, fields, written, (width, kind));
        let parts = maker.parts.iter().map(|(field, _)| *field).collect();
        Some(CompositeOperand { name: of, ty, parts, fixed: None, value: None, is_modifier: false })
    }

    /// Makes the fields of the last operand parts of it.
    fn take_parts(&self, layer: LayerId, roles: &mut Roles) {
        let Some(view) = roles.composite_operands.last() else { return };
        for field in &view.parts {
            let Some(at) = self.model.position(layer, self.model.field(*field).name) else {
                continue;
            };
            // It is listed under the first of several.
            if !matches!(roles.fields[at], Some(FieldRole::Part { .. })) {
                roles.fields[at] = Some(FieldRole::Part { of: view.name });
            }
        }
    }

    pub(super) fn wrong_view(
        &mut self,
        span: Span,
        message: String,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        if self.is_new(Code::E0519, span) {
            self.report(more(Diagnostic::new(Code::E0519, message, span)));
        }
    }

    /// A comma separates operands, unless it is in brackets.
    fn check_commas(&mut self, shapes: &[Shape<'a>], format: Ident<'a>) -> Option<()> {
        let mut texts = Vec::new();
        add_texts(shapes, &mut texts);
        let mut depth = 0i32;
        for c in texts.concat().chars() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth <= 0 => {
                    let message = "a comma outside of brackets separates operands".to_string();
                    let help = "make two operands of it, and list both in `Order`";
                    self.wrong_view(format.span, message, |d| d.with_help(help));
                    return None;
                }
                _ => {}
            }
        }
        Some(())
    }

    pub(super) fn view_pieces(
        &mut self,
        maker: &mut Maker<'_, 'a>,
        roles: &Roles,
        shapes: &[Shape<'a>],
    ) -> Option<Vec<CompositeSegment>> {
        let mut pieces = Vec::new();
        for shape in shapes {
            match shape {
                Shape::Text(text) => pieces.push(CompositeSegment::Text(text.clone())),
                Shape::Part(name) => {
                    let part = self.view_part(maker, roles, *name)?;
                    let silent = self.silent(maker.parts[part].0);
                    let piece = CompositeSegment::Part(part);
                    pieces.push(match silent {
                        Some(raw) => CompositeSegment::Optional {
                            pieces: vec![piece],
                            absent: vec![(part, raw)],
                        },
                        None => piece,
                    });
                }
                Shape::Next(name, by) => {
                    let part = self.view_part(maker, roles, *name)?;
                    self.check_run(maker.parts[part])?;
                    pieces.push(CompositeSegment::Next(part, *by));
                }
                Shape::List(list) => pieces.extend(self.list_pieces(maker, roles, list)?),
                Shape::Optional(shapes, span) => {
                    let inner = self.view_pieces(maker, roles, shapes)?;
                    let mut fields = Vec::new();
                    add_parts(&inner, &mut fields);
                    if fields.is_empty() {
                        let message = "no field decides whether this is left out".to_string();
                        let help = "write at least one field in it; write text that is never left out without `{? }`";
                        self.wrong_view(*span, message, |d| d.with_help(help));
                        return None;
                    }
                    let mut absent = Vec::new();
                    for part in fields {
                        match self.silence(maker, part) {
                            Silence::Value(raw) => absent.push((part, raw)),
                            Silence::Fixed => {}
                            Silence::Never => {
                                let (field, name) = maker.parts[part];
                                let message = format!(
                                    "`{}` does not have a default, so it cannot be left out",
                                    name.text
                                );
                                let declared = self.model.field(field).ast.span;
                                self.wrong_view(*span, message, |d| {
                                    d.with_related(declared, "the field is here")
                                        .with_help("give it a default, `= value`")
                                });
                                return None;
                            }
                        }
                    }
                    match absent.is_empty() {
                        // A part that has no alternative is always written.
                        true => pieces.extend(inner),
                        false => pieces.push(CompositeSegment::Optional { pieces: inner, absent }),
                    }
                }
            }
        }
        Some(pieces)
    }

    /// The number of a part; a part that occurs for the first time gets a new number.
    fn view_part(
        &mut self,
        maker: &mut Maker<'_, 'a>,
        roles: &Roles,
        name: Ident<'a>,
    ) -> Option<usize> {
        if let Some(known) = maker.parts.iter().position(|(_, known)| known.text == name.text) {
            return Some(known);
        }
        let field = self.field_of(maker.layer, name)?;
        let id = self.model.field(field).name;
        let role = self.model.position(maker.layer, id).and_then(|at| roles[at]);
        let wrong = match role {
            Some(FieldRole::Control) => "a control field, which is written after all operands",
            None => return None,
            Some(_) if self.model.field(field).is_literal() => "a literal",
            Some(_) => match self.model.field(field).ty.map(|ty| &self.model.ty(ty).kind) {
                Some(TypeKind::Composite(_)) => "a composite, which has a format of its own",
                Some(_) => {
                    maker.parts.push((field, name));
                    return Some(maker.parts.len() - 1);
                }
                None => return None,
            },
        };
        let message = format!("`{}` cannot be part of an operand", name.text);
        self.wrong_view(name.span, message, |d| d.with_label(wrong));
        None
    }

    /// The value of a bit-field that is written as nothing.
    fn silent(&self, field: FieldId) -> Option<u64> {
        match &self.model.ty(self.model.field(field).ty?).kind {
            TypeKind::BitField(values) => {
                values.iter().find(|value| value.spelling.is_empty()).map(|value| value.value)
            }
            _ => None,
        }
    }

    fn silence(&self, maker: &Maker<'_, 'a>, part: usize) -> Silence {
        let field = self.model.field(maker.parts[part].0);
        let is_fixed = maker.fixed.iter().any(|(name, _)| *name == field.name);
        match (field.binding, self.silent(maker.parts[part].0)) {
            _ if is_fixed => Silence::Fixed,
            (Some(Binding::Fixed(_)), _) => Silence::Fixed,
            (Some(Binding::Default(raw)), _) | (_, Some(raw)) => Silence::Value(raw),
            _ => Silence::Never,
        }
    }

    /// Checks that the registers after the register of a part are known.
    fn check_run(&mut self, (field, name): (FieldId, Ident<'a>)) -> Option<()> {
        let field = self.model.field(field);
        let is_run = match &self.model.ty(field.ty?).kind {
            TypeKind::Operand(entries) => {
                let is_run = |meaning: &crate::isa::Meaning| {
                    matches!(meaning, crate::isa::Meaning::Registers { align: 1, .. })
                };
                entries.iter().all(|entry| is_run(&entry.meaning))
            }
            _ => false,
        };
        if is_run && field.bits().as_one().is_some() && field.width() <= 8 {
            return Some(());
        }
        let message = format!("there is no register after `{}`", name.text);
        let note = "the field of registers that others follow is in one piece, of at most 8 bits, and each of its values is a numbered register";
        self.wrong_view(name.span, message, |d| d.with_note(note));
        None
    }

    /// The parts with their bits in the composite, the first part at the top.
    fn view_parts(&mut self, maker: &Maker<'_, 'a>, format: Ident<'a>) -> Option<Vec<Part>> {
        let fields: Vec<&model::Field<'a>> =
            maker.parts.iter().map(|(field, _)| self.model.field(*field)).collect();
        let width: u32 = fields.iter().map(|field| field.width()).sum();
        let mut bits = 0;
        for (field, (_, name)) in fields.iter().zip(&maker.parts) {
            if bits & field.mask() != 0 {
                let message = format!("`{}` shares bits with a field before it", name.text);
                let span = name.span;
                self.wrong_view(span, message, |d| d);
                return None;
            }
            bits |= field.mask();
        }
        if width > MAX_FIELD_BITS {
            let message = format!(
                "the fields of an operand have {width} bits; at most {MAX_FIELD_BITS} are possible"
            );
            self.wrong_view(format.span, message, |d| d);
            return None;
        }
        let mut lsb = width;
        let part = |field: &&model::Field<'a>| {
            lsb -= field.width();
            let bits = Bits::one(lsb, field.width());
            Some(Part { name: field.ast.name.text.to_string(), bits, ty: field.ty? })
        };
        fields.iter().map(part).collect()
    }

    /// Checks that attributes of parts are written.
    fn check_attributes(&mut self, maker: &Maker<'_, 'a>, roles: &Roles) -> Option<()> {
        let fields = self.model.layer(maker.layer).fields.clone();
        for (field, role) in fields.into_iter().zip(roles.iter()) {
            let Some(FieldRole::Attribute { of }) = role else { continue };
            let part = maker.parts.iter().find(|(part, _)| self.model.field(*part).name == *of);
            let is_part = maker.parts.iter().any(|(part, _)| *part == field);
            let is_fixed = matches!(self.model.field(field).binding, Some(Binding::Fixed(_)));
            let Some((_, name)) = part.filter(|_| !is_part && !is_fixed) else { continue };
            let attribute = self.model.field(field).ast.name;
            let message =
                format!("`{}` is written without its attribute `{}`", name.text, attribute.text);
            let span = name.span;
            self.wrong_view(span, message, |d| {
                d.with_related(attribute.span, "the attribute is here")
                    .with_help(format!("write it too, `{{{}}}`", attribute.text))
            });
            return None;
        }
        Some(())
    }

    /// The type of an operand. Operands that agree in everything that `written` describes share a type. The fields are
    /// given with their types.
    pub(super) fn view_type(
        &mut self,
        name: Ident<'a>,
        fields: Vec<(String, TypeId)>,
        written: String,
        (width, kind): (u32, TypeKind),
    ) -> TypeId {
        let key = (name.text.to_string(), fields, written);
        if let Some(known) = self.view_types.known.get(&key) {
            return *known;
        }
        let names: Vec<&str> = key.1.iter().map(|(name, _)| name.as_str()).collect();
        let text = self.view_types.free_name(&self.model.types, name.text, &names);
        let id = TypeId::new(self.model.types.len());
        self.model.types.push(model::Type {
            name,
            ty: Type::new(text, width, kind, String::new()),
            width: Some(width),
            values: Vec::new(),
            guarded: Vec::new(),
            has_gaps: false,
            prose: &[],
            is_view: true,
        });
        self.view_types.known.insert(key, id);
        id
    }
}

/// The name that an entry of a list is.
pub(super) fn name_of<'a>(entry: &OperandRef<'a>) -> Option<&'a str> {
    match entry {
        OperandRef::Name(name) => Some(name.text),
        OperandRef::Indirect(_) | OperandRef::Numbered(_) => None,
    }
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

pub(super) fn add_texts<'s>(shapes: &'s [Shape<'_>], texts: &mut Vec<&'s str>) {
    for shape in shapes {
        match shape {
            Shape::Text(text) => texts.push(text),
            Shape::Optional(shapes, _) => add_texts(shapes, texts),
            Shape::List(list) => {
                add_texts(&list.items, texts);
                texts.extend([list.separator.as_str(), list.otherwise.as_str()]);
            }
            Shape::Part(_) | Shape::Next(..) => {}
        }
    }
}

/// Adds the parts that pieces write, each once.
fn add_parts(pieces: &[CompositeSegment], parts: &mut Vec<usize>) {
    for piece in pieces {
        match piece {
            CompositeSegment::Text(_) => {}
            CompositeSegment::Part(part) | CompositeSegment::Next(part, _) => {
                if !parts.contains(part) {
                    parts.push(*part);
                }
            }
            CompositeSegment::Optional { pieces, .. }
            | CompositeSegment::Otherwise { pieces, .. } => add_parts(pieces, parts),
        }
    }
}
