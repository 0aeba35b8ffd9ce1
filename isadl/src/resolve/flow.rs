//! Reads and writes of opcodes, from their lists and from the statements that add to the lists.
//!
//! `Reads` and `Writes` of a chain accumulate; they may name control fields too. Codes: E0501, E0512,
//! E0513.

use std::collections::HashMap;

use super::Resolver;
use super::lists::EffectiveStatements;
use super::views::Roles;
use crate::ast::{self, Ident, Numbered, OperandRef, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic, Old, bits};
use crate::isa::{
    Access, Composite, ExprId, FieldRole, FlowItem, FlowPlace, NameId, Number, NumberFormat,
    Operand, OperandLocation, Part, RegFileId, TypeKind,
};
use crate::model::{LayerId, List};
use crate::source::Span;

/// The reads and writes of an opcode.
pub(super) struct Uses {
    pub(super) items: Vec<FlowItem>,
    /// The conditions, and where they are written.
    pub(super) conditions: Vec<(Span, ExprId)>,
}

/// The fault was reported already.
struct Reported;

/// The known facts about an opcode's operands.
#[derive(Clone, Copy)]
pub(super) struct OperandFacts<'k, 'a> {
    /// The places in memory that are read or written, with their widths.
    pub(super) memory: &'k [Memory],
    pub(super) roles: &'k Roles,
    pub(super) operands: &'k [Operand],
    pub(super) lists: [&'k List<'a>; 2],
    pub(super) widths: &'k HashMap<NameId, ExprId>,
    /// The operand that guards the opcode.
    pub(super) guard: Option<NameId>,
}

/// A memory location that an operand gives.
pub(super) struct Memory {
    operand: NameId,
    access: Access,
    width: Option<ExprId>,
    condition: Option<(Span, ExprId)>,
}

/// An access to a location, and the words that have it.
#[derive(Clone, Copy)]
struct Done {
    access: Access,
    condition: Option<ExprId>,
}

/// An entry of `Reads` or `Writes`.
struct Addition<'a> {
    operand: &'a OperandRef<'a>,
    access: Access,
    condition: Option<(Span, ExprId)>,
}

impl<'a> Resolver<'a, '_> {
    /// Resolves `Loads` and `Stores`.
    pub(super) fn memory(
        &mut self,
        layer: LayerId,
        roles: &Roles,
        in_force: &EffectiveStatements<'a>,
    ) -> Vec<Memory> {
        let mut places: Vec<Memory> = Vec::new();
        for statement in in_force.loads.iter().chain(in_force.stores.iter()) {
            let OperandStatementKind::Memory(memory) = &statement.kind else { continue };
            let operand = self.address(layer, roles, memory.operand);
            let width = self.expr(layer, &memory.width);
            let width = width.map(|width| self.model.exprs.intern(width));
            let condition = self.condition(layer, memory.condition.as_ref());
            let (Some(operand), Ok(condition)) = (operand, condition) else { continue };
            let same = |place: &&mut Memory| {
                let is_same = (place.operand, place.width) == (operand, width);
                is_same && expr_of(place.condition) == expr_of(condition)
            };
            match places.iter_mut().find(same) {
                Some(place) => place.access = Access::ReadWrite,
                None => {
                    let access = if memory.is_store { Access::Write } else { Access::Read };
                    places.push(Memory { operand, access, width, condition });
                }
            }
        }
        places
    }

    /// The condition of something that is read or written; an error if it was reported.
    fn condition(
        &mut self,
        layer: LayerId,
        condition: Option<&'a ast::Expr<'a>>,
    ) -> Result<Option<(Span, ExprId)>, Reported> {
        let Some(condition) = condition else { return Ok(None) };
        let expr = self.expr(layer, condition).ok_or(Reported)?;
        Ok(Some((condition.span, self.model.exprs.intern(expr))))
    }

    /// The operand that gives an address; reports any other operand.
    fn address(&mut self, layer: LayerId, roles: &Roles, name: Ident<'a>) -> Option<NameId> {
        let id = self.model.names.get(name.text);
        if id.is_some_and(|id| roles.is_unresolved(id)) {
            return None;
        }
        if let Some(view) = id.and_then(|id| roles.composite_operand(id)) {
            return Some(view.name);
        }
        if let Some(id) = id
            && self.composite_of(layer, id).is_some()
        {
            return Some(id);
        }
        if self.model.may_have_field(layer, name.text) || !self.is_new(Code::E0501, name.span) {
            return None;
        }
        let header = self.model.layer(layer).header;
        let message = format!("`{}` is not an operand with an address", name.text);
        let diagnostic = Diagnostic::new(Code::E0501, message, name.span)
            .with_related(header, "in the context of this definition")
            .with_note("an address is a composite, or an operand with a template")
            .with_help("write `Operand<address> = \"{offset}({base})\";`");
        self.report(diagnostic);
        None
    }

    /// A register that a list names by its number.
    fn numbered(&mut self, register: &Numbered<'a>) -> Option<FlowPlace> {
        let is_known = self.index.reg_files.contains_key(register.file.text);
        if !is_known && !self.is_new(Code::E0208, register.file.span) {
            return None;
        }
        let file = self.reg_file_of(register.file)?;
        let count = self.model.reg_files[file.index()].count;
        let number = u32::try_from(register.number.value).ok().filter(|number| *number < count);
        if number.is_none() && self.is_new(Code::E0507, register.span) {
            let message = format!(
                "`{}` has {count} registers, so there is no register {}",
                register.file.text, register.number.value
            );
            self.report(Diagnostic::new(Code::E0507, message, register.number.span));
        }
        Some(FlowPlace::Register { file, number: number? })
    }

    /// The reads and writes of an opcode: operands in their order, then other entries of the lists, then additions.
    pub(super) fn flow(&mut self, layer: LayerId, known: OperandFacts<'_, 'a>) -> Uses {
        let masks = self.masks(layer);
        let mut items: Vec<FlowItem> = Vec::new();
        for operand in known.operands {
            let done = Done { access: operand.access, condition: None };
            self.add(&mut items, layer, (operand.place, done), known, &masks);
        }
        for (list, access) in known.lists.into_iter().zip([Access::Read, Access::Write]) {
            for place in list.places.iter().flatten() {
                if known.operands.iter().all(|operand| operand.place != *place) {
                    let done = Done { access, condition: None };
                    self.add(&mut items, layer, (*place, done), known, &masks);
                }
            }
        }
        for memory in known.memory {
            self.add_memory(&mut items, layer, memory, known.roles);
        }
        for (list, access) in known.lists.into_iter().zip([Access::Read, Access::Write]) {
            for entry in list.entries() {
                if let OperandRef::Numbered(register) = entry
                    && let Some(place) = self.numbered(register)
                {
                    add_part(&mut items, part_item(place, access));
                }
            }
        }
        let additions = self.additions(layer);
        let conditions = known.memory.iter().map(|memory| memory.condition);
        let conditions = conditions.chain(additions.iter().map(|addition| addition.condition));
        let conditions = conditions.flatten().collect();
        for Addition { operand, access, condition } in additions {
            let condition = expr_of(condition);
            let done = Done { access, condition };
            let item = |place| FlowItem { condition, ..part_item(place, access) };
            if let OperandRef::Numbered(register) = operand {
                if let Some(place) = self.numbered(register) {
                    add_part(&mut items, item(place));
                }
                continue;
            }
            if let Some(place) = self.part_place(layer, operand) {
                add_part(&mut items, item(place));
            } else if let Some(place) = self.added_place(layer, known.roles, operand) {
                self.add(&mut items, layer, (place, done), known, &masks);
            }
        }
        self.partial(layer, known.roles, &mut items);
        Uses { items, conditions }
    }

    fn add(
        &self,
        items: &mut Vec<FlowItem>,
        layer: LayerId,
        (place, Done { access, condition }): (OperandLocation, Done),
        known: OperandFacts<'_, 'a>,
        masks: &HashMap<NameId, RegFileId>,
    ) {
        let place = match place {
            OperandLocation::Field(name) => match masks.get(&name) {
                Some(file) => FlowPlace::Mask { field: name, file: *file },
                None if self.is_number(layer, name) => return,
                None => FlowPlace::Field(name),
            },
            OperandLocation::File(file) => FlowPlace::File(file),
            OperandLocation::Indirect { file, base, .. } => FlowPlace::Indirect { file, base },
        };
        if access == Access::None {
            return;
        }
        let width = match place {
            FlowPlace::Field(name) => known.widths.get(&name).copied(),
            _ => None,
        };
        let is_guard = items.is_empty()
            && matches!(place, FlowPlace::Field(name) if known.guard == Some(name));
        let is_control = |name: NameId| {
            let position = self.model.position(layer, name);
            position.is_some_and(|at| known.roles[at] == Some(FieldRole::Control))
        };
        let is_always = match place {
            FlowPlace::Field(name) | FlowPlace::Mask { field: name, .. } => is_control(name),
            _ => false,
        };
        let is_always = is_always || is_guard;
        let is_partial = false;
        let item = FlowItem { place, access, width, is_partial, is_guard, is_always, condition };
        add_new(items, item);
        // Registers in the parts of a composite give its address: they are read in any case.
        if let FlowPlace::Field(field) = place {
            for part in self.register_parts(layer, field) {
                let place = FlowPlace::Part { field, part };
                let item = part_item(place, Access::Read);
                add_new(items, FlowItem { is_always, condition, ..item });
            }
        }
    }

    /// A place in memory, and the registers that give its address, which are read.
    fn add_memory(
        &self,
        items: &mut Vec<FlowItem>,
        layer: LayerId,
        memory: &Memory,
        roles: &Roles,
    ) {
        let place = FlowPlace::Field(memory.operand);
        let condition = expr_of(memory.condition);
        let item = FlowItem { width: memory.width, condition, ..part_item(place, memory.access) };
        add_new(items, item);
        let parts: Vec<FlowPlace> = match roles.composite_operand(memory.operand) {
            Some(view) => {
                let fields = view.parts.iter().map(|field| self.model.field(*field));
                let is_operand = |ty| matches!(self.model.ty(ty).kind, TypeKind::Operand(_));
                let registers = fields.filter(|field| field.ty.is_some_and(is_operand));
                registers.map(|field| FlowPlace::Field(field.name)).collect()
            }
            None => {
                let field = memory.operand;
                let parts = self.register_parts(layer, field).into_iter();
                parts.map(|part| FlowPlace::Part { field, part }).collect()
            }
        };
        for place in parts {
            add_part(items, FlowItem { condition, ..part_item(place, Access::Read) });
        }
    }

    /// The parts of the composite in a field that may be registers.
    fn register_parts(&self, layer: LayerId, field: NameId) -> Vec<usize> {
        let Some(composite) = self.composite_of(layer, field) else { return Vec::new() };
        let is_operand = |part: &Part| matches!(self.model.ty(part.ty).kind, TypeKind::Operand(_));
        let parts = composite.parts.iter().enumerate();
        parts.filter(|(_, part)| is_operand(part)).map(|(index, _)| index).collect()
    }

    fn composite_of(&self, layer: LayerId, field: NameId) -> Option<&Composite> {
        let field = self.model.field(self.model.find_field(layer, field)?);
        match &self.model.ty(field.ty?).kind {
            TypeKind::Composite(composite) => Some(composite),
            _ => None,
        }
    }

    /// Whether a name denotes a part of some composite, as `address.base` does.
    pub(super) fn is_part(&self, layer: LayerId, name: &str) -> bool {
        let part = |(field, part): (&str, &str)| {
            let composite = self.composite_of(layer, self.model.names.get(field)?)?;
            composite.parts.iter().find(|other| other.name == part)
        };
        name.split_once('.').and_then(part).is_some()
    }

    /// The part of a composite that an entry of `Reads` or `Writes` names, `address.base`.
    fn part_place(&self, layer: LayerId, reference: &OperandRef<'a>) -> Option<FlowPlace> {
        let OperandRef::Name(name) = reference else { return None };
        let (field, part) = name.text.split_once('.')?;
        let field = self.model.names.get(field)?;
        let parts = &self.composite_of(layer, field)?.parts;
        let index = parts.iter().position(|other| other.name == part)?;
        let is_operand = matches!(self.model.ty(parts[index].ty).kind, TypeKind::Operand(_));
        is_operand.then_some(FlowPlace::Part { field, part: index })
    }

    /// Whether a field is an immediate, which is not a resource.
    fn is_number(&self, layer: LayerId, name: NameId) -> bool {
        let field = self.model.find_field(layer, name).map(|id| self.model.field(id));
        let ty = field.and_then(|field| field.ty);
        let is_number =
            |kind: &TypeKind| matches!(kind, TypeKind::Immediate(_) | TypeKind::BitField(_));
        ty.is_none_or(|ty| is_number(&self.model.ty(ty).kind))
    }

    /// The entries of `Reads` and `Writes` of a chain.
    fn additions(&mut self, layer: LayerId) -> Vec<Addition<'a>> {
        let mut entries = Vec::new();
        for id in self.model.layer(layer).chain.clone() {
            for statement in &self.model.layer(id).ast.operand_info {
                let (list, access) = match &statement.kind {
                    OperandStatementKind::Reads(list) => (list, Access::Read),
                    OperandStatementKind::Writes(list) => (list, Access::Write),
                    _ => continue,
                };
                for ast::Access { operand, condition } in list {
                    if let Ok(condition) = self.condition(layer, condition.as_ref()) {
                        entries.push(Addition { operand, access, condition });
                    }
                }
            }
        }
        entries
    }

    /// The operand or control field that an entry of `Reads` or `Writes` denotes.
    fn added_place(
        &mut self,
        layer: LayerId,
        roles: &Roles,
        reference: &OperandRef<'a>,
    ) -> Option<OperandLocation> {
        if let OperandRef::Name(name) = reference
            && let Some(id) = self.model.names.get(name.text)
            && let Some(position) = self.model.position(layer, id)
            && roles[position] == Some(FieldRole::Control)
        {
            return Some(OperandLocation::Field(id));
        }
        self.place(layer, roles, reference)
    }

    /// Marks the items that are written only in part.
    fn partial(&mut self, layer: LayerId, roles: &Roles, items: &mut [FlowItem]) {
        let chain = self.model.layer(layer).chain.clone();
        for id in chain {
            for statement in &self.model.layer(id).ast.operand_info {
                let OperandStatementKind::Partial(list) = &statement.kind else { continue };
                for reference in list {
                    let Some(OperandLocation::Field(name)) = self.place(layer, roles, reference)
                    else {
                        continue;
                    };
                    let is_written = |item: &&mut FlowItem| {
                        item.place == FlowPlace::Field(name) && item.access.writes()
                    };
                    match items.iter_mut().find(is_written) {
                        Some(item) => item.is_partial = true,
                        None => self.not_written(reference),
                    }
                }
            }
        }
    }

    fn not_written(&mut self, reference: &OperandRef<'a>) {
        if self.is_new(Code::E0513, reference.span()) {
            let diagnostic = Diagnostic::new(
                Code::E0513,
                "`Partial` names an operand that is not written",
                reference.span(),
            )
            .with_note("`Partial` is for operands that are written only in part")
            .with_removal(
                "add the operand to `OutList`, or remove it here",
                Old::Entry(reference.span()),
            );
            self.report(diagnostic);
        }
    }

    /// The fields whose bits represent registers.
    fn masks(&mut self, layer: LayerId) -> HashMap<NameId, RegFileId> {
        let mut masks = HashMap::new();
        let chain = self.model.layer(layer).chain.clone();
        for id in chain {
            for statement in &self.model.layer(id).ast.operand_info {
                let OperandStatementKind::Mask(name, file) = &statement.kind else { continue };
                masks.extend(self.mask(layer, *name, *file));
            }
        }
        masks
    }

    fn mask(
        &mut self,
        layer: LayerId,
        name: Ident<'a>,
        file: Ident<'a>,
    ) -> Option<(NameId, RegFileId)> {
        let field = self.field_of(layer, name)?;
        let is_known = self.index.reg_files.contains_key(file.text);
        if !is_known && !self.is_new(Code::E0208, file.span) {
            return None;
        }
        let id = self.reg_file_of(file)?;
        let (width, ty) = (self.model.field(field).width(), self.model.field(field).ty?);
        let is_mask = matches!(
            &self.model.ty(ty).kind,
            TypeKind::Immediate(immediate)
                if immediate.number == NumberFormat { number: Number::Unsigned, lanes: 1 }
                    && immediate.is_plain()
        );
        let count = self.model.reg_files[id.index()].count;
        if is_mask && width <= count {
            return Some((self.model.field(field).name, id));
        }
        self.model.unresolved.insert(file.text);
        if self.is_new(Code::E0512, name.span) {
            let message = match is_mask {
                true => format!(
                    "`{}` has {}, but `{}` has {count} registers",
                    name.text,
                    bits(width.into()),
                    file.text
                ),
                false => {
                    format!(
                        "`{}` cannot be a mask: its type is not an unsigned immediate",
                        name.text
                    )
                }
            };
            let diagnostic = Diagnostic::new(Code::E0512, message, name.span)
                .with_note("bit 0 of a mask represents register 0, and so on");
            self.report(diagnostic);
        }
        None
    }
}

/// A condition without its place.
fn expr_of(condition: Option<(Span, ExprId)>) -> Option<ExprId> {
    condition.map(|(_, condition)| condition)
}

/// A part of a composite that is read or written.
fn part_item(place: FlowPlace, access: Access) -> FlowItem {
    let (is_partial, is_guard, is_always) = (false, false, false);
    FlowItem { place, access, width: None, is_partial, is_guard, is_always, condition: None }
}

/// Adds an access to a part. A part that is already read in the same words becomes read and written.
fn add_part(items: &mut Vec<FlowItem>, item: FlowItem) {
    let same =
        |known: &&mut FlowItem| known.place == item.place && known.condition == item.condition;
    match items.iter_mut().find(same) {
        Some(known) if known.access != item.access => known.access = Access::ReadWrite,
        Some(_) => {}
        None => items.push(item),
    }
}

/// Adds an item. What is read and written alike is one item.
fn add_new(items: &mut Vec<FlowItem>, item: FlowItem) {
    let same =
        |known: &&mut FlowItem| FlowItem { access: item.access, ..(**known).clone() } == item;
    match items.iter_mut().find(same) {
        Some(known) if known.access != item.access => known.access = Access::ReadWrite,
        Some(_) => {}
        None => items.push(item),
    }
}
