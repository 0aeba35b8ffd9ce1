//! The lists of operands, and which statement of a chain applies.
//!
//! Codes: E0501, E0505, E0506, E0507, E0518.

use std::collections::{HashMap, HashSet};

use super::Resolver;
use super::views::Roles;
use crate::ast::{Ident, Made, OperandRef, OperandStatement, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic, Old};
use crate::isa::{
    FieldRole, Immediate, Meaning, NameId, Number, NumberFormat, OperandLocation, Print, TypeKind,
};
use crate::model::{LayerId, List, Model};

/// The statements that apply to a layer.
#[derive(Default)]
pub(super) struct EffectiveStatements<'a> {
    pub(super) inputs: Slot<'a>,
    pub(super) outputs: Slot<'a>,
    pub(super) order: Slot<'a>,
    pub(super) guard: Slot<'a>,
    pub(super) modi_order: Slot<'a>,
    pub(super) mnemonic: Slot<'a>,
    pub(super) suffix: Slot<'a>,
    pub(super) short: Slot<'a>,
    pub(super) widths: Named<'a>,
    pub(super) formats: Named<'a>,
    pub(super) templates: Named<'a>,
    /// Modifiers made of fields.
    pub(super) modifiers: Named<'a>,
    pub(super) loads: Named<'a>,
    pub(super) stores: Named<'a>,
}

/// The slot of a statement kind of which only one statement applies.
#[derive(Clone, Copy, Default)]
pub(super) struct Slot<'a> {
    pub(super) statement: Option<&'a OperandStatement<'a>>,
    /// Whether the statement that applies was reported, so that its content is not fully known.
    has_gaps: bool,
}

/// Statements of a kind of which one applies to each name.
#[derive(Default)]
pub(super) struct Named<'a> {
    /// In the order of the layers; `None` where a nearer layer took over.
    list: Vec<Option<&'a OperandStatement<'a>>>,
    by_name: HashMap<&'a str, (LayerId, usize)>,
    /// Whether some of them were reported.
    pub(super) has_gaps: bool,
}

impl<'a> Slot<'a> {
    /// Takes the statement of a nearer layer, if it has one.
    fn take_over(&mut self, own: Slot<'a>) {
        if own.statement.is_some() || own.has_gaps {
            *self = own;
        }
    }
}

impl<'a> Named<'a> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &'a OperandStatement<'a>> + '_ {
        self.list.iter().copied().flatten()
    }

    /// The name of the operand made of fields with a name, and how it is made.
    pub(super) fn find(&self, name: &str) -> Option<(Ident<'a>, &'a Made<'a>)> {
        let (_, at) = self.by_name.get(name)?;
        match &self.list[*at]?.kind {
            OperandStatementKind::Template(name, made) => Some((*name, made)),
            _ => None,
        }
    }

    /// Whether a statement applies to a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Makes a statement apply; returns an earlier statement of the same layer and name, if any.
    fn put(
        &mut self,
        layer: LayerId,
        name: &'a str,
        statement: &'a OperandStatement<'a>,
    ) -> Option<&'a OperandStatement<'a>> {
        let before = self.by_name.insert(name, (layer, self.list.len()));
        let replaced = before.and_then(|(_, index)| self.list[index].take());
        self.list.push(Some(statement));
        replaced.filter(|_| before.is_some_and(|(other, _)| other == layer))
    }
}

impl<'a> EffectiveStatements<'a> {
    /// The list for statements that apply once per name, and the statement's name.
    fn named(&mut self, kind: &OperandStatementKind<'a>) -> (&mut Named<'a>, &'a str) {
        match kind {
            OperandStatementKind::Template(name, _) => (&mut self.templates, name.text),
            OperandStatementKind::Modifier(name, _) => (&mut self.modifiers, name.text),
            OperandStatementKind::Memory(memory) => {
                let of = if memory.is_store { &mut self.stores } else { &mut self.loads };
                (of, memory.operand.text)
            }
            OperandStatementKind::AsmFormat { field, .. } => (&mut self.formats, field.text),
            OperandStatementKind::Bitwidth(name, _) => (&mut self.widths, name.text),
            // Other kinds have one slot each.
            _ => (&mut self.widths, ""),
        }
    }
}

impl<'a> Resolver<'a, '_> {
    /// The statements that apply to a layer: the nearest of each kind, or of each kind and name.
    pub(super) fn in_force(&mut self, id: LayerId) -> EffectiveStatements<'a> {
        let mut found = EffectiveStatements::default();
        for index in 0..self.model.layer(id).chain.len() {
            let layer = self.model.layer(id).chain[index];
            self.own_statements(layer, &mut found);
        }
        if self.model.layer(id).is_orphan {
            for slot in [&mut found.inputs, &mut found.outputs, &mut found.order] {
                slot.has_gaps = true;
            }
            found.widths.has_gaps = true;
        }
        found
    }

    /// Adds the statements of one layer, which override statements of its ancestors.
    fn own_statements(&mut self, layer: LayerId, found: &mut EffectiveStatements<'a>) {
        let broken = self.model.layer(layer).broken;
        let lacks_operands = broken.has("Operands");
        let slot = |keyword| Slot { statement: None, has_gaps: broken.has(keyword) };
        let list =
            |keyword| Slot { statement: None, has_gaps: lacks_operands || broken.has(keyword) };
        let mut inputs = list("InList");
        let mut outputs = list("OutList");
        let mut order = list("Order");
        let mut guard = slot("Guard");
        let mut modi_order = slot("ModiOrder");
        let mut mnemonic = slot("Mnemonic");
        let mut suffix = slot("Suffix");
        let mut short = slot("Short");
        for statement in &self.model.layer(layer).ast.operand_info {
            let slot = match &statement.kind {
                OperandStatementKind::InList(_) => &mut inputs,
                OperandStatementKind::OutList(_) => &mut outputs,
                OperandStatementKind::Order(_) => &mut order,
                OperandStatementKind::Guard(_) => &mut guard,
                OperandStatementKind::ModiOrder(_) => &mut modi_order,
                OperandStatementKind::Mnemonic(_) => &mut mnemonic,
                OperandStatementKind::Suffix(_) => &mut suffix,
                OperandStatementKind::Short { .. } => &mut short,
                // These accumulate, see `flow.rs`.
                OperandStatementKind::Reads(_)
                | OperandStatementKind::Writes(_)
                | OperandStatementKind::Partial(_)
                | OperandStatementKind::Flow { .. }
                | OperandStatementKind::Mask(..) => continue,
                OperandStatementKind::Bitwidth(..)
                | OperandStatementKind::Template(..)
                | OperandStatementKind::Modifier(..)
                | OperandStatementKind::Memory(_)
                | OperandStatementKind::AsmFormat { .. } => {
                    let (named, name) = found.named(&statement.kind);
                    let first = named.put(layer, name, statement);
                    self.given_twice(statement, first);
                    continue;
                }
            };
            let first = slot.statement.replace(statement);
            slot.has_gaps |= first.is_some();
            self.given_twice(statement, first);
        }
        found.inputs.take_over(inputs);
        found.outputs.take_over(outputs);
        found.order.take_over(order);
        found.guard.take_over(guard);
        found.modi_order.take_over(modi_order);
        found.mnemonic.take_over(mnemonic);
        found.suffix.take_over(suffix);
        found.short.take_over(short);
        found.widths.has_gaps |= lacks_operands || broken.has("Bitwidth");
    }

    fn given_twice(
        &mut self,
        statement: &OperandStatement<'a>,
        first: Option<&OperandStatement<'a>>,
    ) {
        let Some(first) = first.filter(|_| self.is_new(Code::E0505, statement.span)) else {
            return;
        };
        if statement.is_short != first.is_short {
            self.said_by_operands(statement, first);
            return;
        }
        let message = "statement given twice in one definition";
        let diagnostic = Diagnostic::new(Code::E0505, message, statement.span)
            .with_related(first.span, "the first is here")
            .with_removal("keep one of the two", Old::Statement(statement.span));
        self.report(diagnostic);
    }

    /// Reports a statement that `Operands` already implies. Of the two, the longer notation is reported, in either
    /// order.
    fn said_by_operands(&mut self, statement: &OperandStatement<'a>, first: &OperandStatement<'a>) {
        let (long, short) =
            if statement.is_short { (first, statement) } else { (statement, first) };
        let (what, help) = match &long.kind {
            OperandStatementKind::InList(_) => ("InList", "write `in` before the operands"),
            OperandStatementKind::OutList(_) => ("OutList", "write `out` before the operands"),
            OperandStatementKind::Bitwidth(..) => ("Bitwidth", "write the width after the operand"),
            _ => ("Order", "write the operands in this order"),
        };
        let message = format!("`{what}` repeats `Operands`");
        let diagnostic = Diagnostic::new(Code::E0518, message, long.span)
            .with_related(short.span, "`Operands` of the same definition")
            .with_removal(
                format!("remove the statement; {help} in `Operands`"),
                Old::Statement(long.span),
            );
        self.report(diagnostic);
    }

    /// A list with the meaning of its entries; an entry that is not an operand is reported.
    pub(super) fn list(&mut self, layer: LayerId, roles: &Roles, slot: Slot<'a>) -> List<'a> {
        let mut list =
            List { statement: slot.statement, places: Vec::new(), has_gaps: slot.has_gaps };
        let mut seen = HashSet::new();
        let is_order = matches!(
            slot.statement.map(|statement| &statement.kind),
            Some(OperandStatementKind::Order(_))
        );
        for operand in list.entries() {
            if let OperandRef::Numbered(register) = operand {
                // It is not in the text, so it has no position there; see `flow.rs`.
                list.has_gaps |= is_order;
                list.places.push(None);
                if is_order && self.is_new(Code::E0507, register.span) {
                    let message = format!("`{}` is not a field", self.written(register.span));
                    let help = "name it in `InList`, `OutList`, `Reads` or `Writes`: it is the same register in each instruction";
                    let diagnostic = Diagnostic::new(Code::E0507, message, register.span);
                    self.report(diagnostic.with_help(help));
                }
                continue;
            }
            let place = match self.view_in(roles, operand).filter(|_| is_order) {
                Some(name) => Some(OperandLocation::Field(name)),
                None => self.place(layer, roles, operand),
            };
            let place =
                place.filter(|place| !is_order || self.is_whole(layer, roles, operand, place));
            // A register file may be written as a result and as a source.
            let may_repeat = is_order && matches!(place, Some(OperandLocation::File(_)));
            let is_first = may_repeat || place.is_none_or(|place| seen.insert(place));
            if !is_first && self.is_new(Code::E0506, operand.span()) {
                let message = "operand listed twice";
                let diagnostic = Diagnostic::new(Code::E0506, message, operand.span());
                self.report(
                    diagnostic.with_removal("remove one of the two", Old::Entry(operand.span())),
                );
            }
            let place = place.filter(|_| is_first);
            list.has_gaps |= place.is_none();
            list.places.push(place);
        }
        list
    }

    /// Removes fields with a value from an alias from the order, unless the alias gives the order itself.
    pub(super) fn without_given(&self, layer: LayerId, order: &mut List<'a>, given: &[NameId]) {
        let own = self.model.layer(layer).ast.operand_info.iter();
        let is_own = order.statement.is_some_and(|s| own.clone().any(|o| std::ptr::eq(o, s)));
        if self.model.layer(layer).alias_of.is_none() || is_own {
            return;
        }
        order.places.retain(|place| match place {
            Some(OperandLocation::Field(name)) => !given.contains(name),
            _ => true,
        });
    }

    /// The operand made of fields that an entry of a list names.
    fn view_in(&self, roles: &Roles, operand: &OperandRef<'a>) -> Option<NameId> {
        let OperandRef::Name(name) = operand else { return None };
        roles.composite_operand(self.model.names.get(name.text)?).map(|view| view.name)
    }

    /// Whether an entry of `Order` is an operand by itself; reports a part of another operand.
    fn is_whole(
        &mut self,
        layer: LayerId,
        roles: &Roles,
        operand: &OperandRef<'a>,
        place: &OperandLocation,
    ) -> bool {
        let OperandLocation::Field(name) = place else { return true };
        let role = self.model.position(layer, *name).and_then(|at| roles[at]);
        let Some(FieldRole::Part { of }) = role else { return true };
        if self.is_new(Code::E0506, operand.span()) {
            let (field, of) = (self.model.names.text(*name), self.model.names.text(of));
            let message = format!("operand listed twice: `{field}` is written in `{of}`");
            let diagnostic = Diagnostic::new(Code::E0506, message, operand.span());
            self.report(
                diagnostic.with_removal("remove one of the two", Old::Entry(operand.span())),
            );
        }
        false
    }

    pub(super) fn place(
        &mut self,
        layer: LayerId,
        roles: &Roles,
        operand: &OperandRef<'a>,
    ) -> Option<OperandLocation> {
        let (prefix, base, offset) = match operand {
            OperandRef::Name(name) => {
                if self.model.find_field_text(layer, name.text).is_none()
                    && let Some(file) = self.index.reg_files.get(name.text)
                {
                    return file.id.map(OperandLocation::File);
                }
                return self.operand_named(layer, roles, *name).map(OperandLocation::Field);
            }
            OperandRef::Indirect(indirect) => (indirect.prefix, indirect.base, indirect.offset),
            OperandRef::Numbered(_) => return None,
        };
        let file = self.file_of_prefix(prefix);
        let base = self.operand_of_kind(layer, roles, base, Wanted::Register);
        let offset = match offset {
            Some(offset) => Some(self.operand_of_kind(layer, roles, offset, Wanted::Integer)?),
            None => None,
        };
        Some(OperandLocation::Indirect { file: file?, base: base?, offset })
    }

    /// The register file of a prefix of register names; reports an unknown prefix.
    fn file_of_prefix(&mut self, prefix: Ident<'a>) -> Option<crate::isa::RegFileId> {
        if let Some(file) = self.index.prefixes.get(prefix.text) {
            return *file;
        }
        // An operand type that was reported may name such registers.
        if self.model.unresolved.contains(prefix.text) || !self.is_new(Code::E0507, prefix.span) {
            return None;
        }
        let text = prefix.text;
        let message = format!("no operand type defines registers `{text}0`, `{text}1`, …");
        let diagnostic = Diagnostic::new(Code::E0507, message, prefix.span);
        let mut known: Vec<&str> = self.index.prefixes.keys().copied().collect();
        known.sort_unstable();
        let diagnostic = self.suggest(diagnostic, text, |_| known);
        self.report(diagnostic);
        None
    }

    /// The operand with a name; any other name is reported, unless a field that was reported may
    /// have it.
    pub(super) fn operand_named(
        &mut self,
        layer: LayerId,
        roles: &Roles,
        name: Ident<'a>,
    ) -> Option<NameId> {
        let id = self.model.names.get(name.text);
        if id.is_some_and(|id| roles.is_unresolved(id)) {
            return None;
        }
        let position = id.and_then(|id| self.model.position(layer, id));
        let wrong = match position.map(|position| roles[position]) {
            Some(Some(FieldRole::Operand)) if self.is_literal(layer, position) => "a literal",
            Some(Some(FieldRole::Operand | FieldRole::Part { .. })) => return id,
            None if id.is_some_and(|id| roles.composite_operand(id).is_some()) => {
                "an operand made of fields; name the fields, or use `Loads` or `Stores`"
            }
            None if id.is_some_and(|id| roles.modifiers.iter().any(|(name, _)| *name == id)) => {
                "a modifier; name its fields"
            }
            // Its type is unknown, which was reported.
            Some(None) => return None,
            // An alias can write it like this; the opcode determines the reads of the instruction.
            Some(Some(FieldRole::Mnemonic)) if self.model.layer(layer).alias_of.is_some() => {
                return id;
            }
            Some(Some(FieldRole::Mnemonic)) => "a part of the mnemonic",
            Some(Some(FieldRole::Modifier)) => "a modifier",
            Some(Some(FieldRole::Control)) => "a control field",
            Some(Some(FieldRole::Attribute { .. })) => "an attribute",
            None if self.model.may_have_field(layer, name.text) => return None,
            None if self.is_part(layer, name.text) => "a part of an operand",
            None => "not a field",
        };
        if self.is_new(Code::E0501, name.span) {
            let owner = self.model.layer(layer);
            let message = format!("`{}` is not an operand of `{}`", name.text, owner.name.text);
            let diagnostic = Diagnostic::new(Code::E0501, message, name.span)
                .with_label(wrong)
                .with_related(owner.header, "in the context of this definition");
            let known = |model: &Model<'a>| operand_names(model, layer, roles);
            let mut diagnostic = self.suggest(diagnostic, name.text, known);
            if name.text.contains('.') {
                diagnostic = diagnostic.with_note(
                    "only `Reads` and `Writes` can name parts of composites, and only registers",
                );
            }
            self.report(diagnostic);
        }
        None
    }

    /// Whether the field at a position is the literal of an operand, whose place it takes.
    fn is_literal(&self, layer: LayerId, position: Option<usize>) -> bool {
        let field = position.map(|position| self.model.layer(layer).fields[position]);
        field.is_some_and(|field| self.model.field(field).is_literal())
    }

    fn operand_of_kind(
        &mut self,
        layer: LayerId,
        roles: &Roles,
        name: Ident<'a>,
        wanted: Wanted,
    ) -> Option<NameId> {
        let id = self.operand_named(layer, roles, name)?;
        let ty = self.model.find_field(layer, id).and_then(|field| self.model.field(field).ty)?;
        let ty = &self.model.types[ty.index()];
        let (fits, what) = match (&ty.ty.kind, wanted) {
            (TypeKind::Operand(entries), Wanted::Register) => {
                let is_run = |meaning: &Meaning| matches!(meaning, Meaning::Registers { .. });
                let has_run = entries.iter().any(|entry| is_run(&entry.meaning));
                (has_run || ty.has_gaps, "a register")
            }
            (TypeKind::Immediate(number), Wanted::Integer) => {
                (ty.has_gaps || is_offset(number), offset_in_words(number))
            }
            (_, Wanted::Register) => (false, "a register"),
            (_, Wanted::Integer) => (false, "an immediate"),
        };
        if !fits && self.is_new(Code::E0507, name.span) {
            let message = format!("`{}` is not {what}", name.text);
            let diagnostic = Diagnostic::new(Code::E0507, message, name.span).with_note(
                "`R[base, offset]` is the register whose number is a register plus an immediate",
            );
            self.report(diagnostic);
        }
        Some(id).filter(|_| fits)
    }
}

/// The names that a list may contain.
fn operand_names<'a>(model: &Model<'a>, layer: LayerId, roles: &Roles) -> Vec<&'a str> {
    let fields = model.layer(layer).fields.iter().zip(roles.iter());
    let operands = fields.filter(|(_, role)| **role == Some(FieldRole::Operand));
    let names = operands.map(|(id, _)| model.field(*id).ast.name.text);
    names.chain(model.reg_files.iter().map(|file| file.name.text)).collect()
}

/// Whether an immediate is a single integer that is written with its sign, if signed: the sign is
/// between base and offset. A prefix or bias would come between too.
fn is_offset(immediate: &Immediate) -> bool {
    let NumberFormat { number, lanes } = immediate.number;
    // It is left out where it is 0, and has the sign of its bits.
    let is_multiple = immediate.scale > 0 && immediate.bias == 0;
    match number {
        _ if !is_multiple || !immediate.prefix.is_empty() => false,
        Number::Unsigned => lanes == 1,
        Number::Signed => lanes == 1 && immediate.print != Print::Bits,
        Number::Float { .. } => false,
    }
}

/// The requirement on an offset, in words, for an immediate that does not meet it.
fn offset_in_words(immediate: &Immediate) -> &'static str {
    match !immediate.is_plain() || !immediate.prefix.is_empty() {
        true => "a positive multiple of its bits, without bias and prefix",
        false => "a single integer that shows its sign",
    }
}

/// The kind of field that an indirect operand needs.
#[derive(Clone, Copy)]
enum Wanted {
    Register,
    Integer,
}
