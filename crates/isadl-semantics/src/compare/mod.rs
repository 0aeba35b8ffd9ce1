//! Holds what programs do against what the lists of opcodes declare.
//!
//! Every word of an opcode is asked about: what happens and is not declared is an error (`E1221`), and so is what is declared and
//! never happens (`E1222`); what happens in some of the declared words only is a warning (`W1225`).

mod bits;
mod control;
mod derive;
mod memory;

use isadl_base::vocabulary::BinaryOp;
use isadl_diagnostics::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{
    Binding, Expr as FieldExpr, FlowItem, FlowPlace, Isa, Meaning, NameId, Opcode, Operand,
    OperandLocation, Reading, RegFileId, TypeKind,
};
use isadl_prove::{Answer, Prover};

use crate::condition::any_of;
use crate::condition::{When, both, either, negated};
use crate::effects::{Effect, Effects, Resource};
use crate::program::Program;

/// A place where a statement on operands declares a read or write.
#[derive(Debug, Clone)]
pub struct Declared {
    /// The operand or register, as diagnostics name it: `fflags`, `R[3]`.
    pub name: String,
    /// Whether it is written.
    pub is_write: bool,
    /// Where.
    pub span: Span,
}

/// An opcode, what its programs do, and where its lists are.
pub(crate) struct Comparison<'c, 'i> {
    pub(crate) isa: &'i Isa,
    pub(crate) prover: &'c Prover<'i>,
    pub(crate) opcode: &'c Opcode,
    pub(crate) effects: &'c Effects,
    /// Where the opcode is defined.
    pub(crate) header: Span,
    /// Where its lists are.
    pub(crate) lists: Option<Span>,
    /// The reads and writes that are declared beside them.
    pub(crate) declared: &'c [Declared],
    /// Whether it declares no reads and writes, and takes them from its program.
    pub(crate) is_derived: bool,
}

impl Comparison<'_, '_> {
    /// Reports every difference.
    pub(crate) fn report(&self, programs: &[&Program], diagnostics: &mut Diagnostics) {
        self.unused_bits(programs, diagnostics);
        if !self.is_derived {
            self.undeclared(diagnostics);
            self.unused(diagnostics);
            self.memory(diagnostics);
        }
        if !self.has_derived_classes() {
            self.flow(diagnostics);
        }
    }

    /// A legal word for which a condition holds; `None` if there is none, or none was found.
    fn word(&self, condition: &FieldExpr) -> Option<u128> {
        match condition {
            FieldExpr::Int(0) => None,
            condition => {
                let question =
                    self.prover.own(self.opcode).where_condition(self.opcode, condition, true);
                match self.prover.answer(&question) {
                    Answer::Word(word) => Some(word),
                    Answer::None | Answer::Undecided => None,
                }
            }
        }
    }

    /// Whether a condition holds for every legal word.
    fn is_always(&self, condition: &FieldExpr) -> bool {
        match condition {
            FieldExpr::Int(value) => *value != 0,
            condition => {
                let question =
                    self.prover.own(self.opcode).where_condition(self.opcode, condition, false);
                self.prover.answer(&question) == Answer::None
            }
        }
    }

    // ---- registers

    /// Reads and writes that no list declares.
    fn undeclared(&self, diagnostics: &mut Diagnostics) {
        for effect in &self.effects.accesses {
            if matches!(
                effect.resource,
                Resource::Value(_) | Resource::State(_) | Resource::Memory { .. }
            ) {
                continue;
            }
            let declared = self.declared(&effect.resource, effect.is_write);
            let missing = match declared {
                Some(declared) => self.word(&both(self.necessary(&effect.when), negated(declared))),
                None => continue,
            };
            if let Some(word) = missing {
                diagnostics.push(self.undeclared_effect(effect, word));
            } else if effect.is_partial && !self.keeps(&effect.resource) {
                diagnostics.push(self.unkept(effect));
            }
        }
    }

    fn necessary(&self, when: &When) -> FieldExpr {
        when.necessary.clone().unwrap_or(FieldExpr::Int(1))
    }

    /// The words for which a read or write is declared; `None` if it needs no declaration.
    fn declared(&self, resource: &Resource, is_write: bool) -> Option<FieldExpr> {
        if self.is_constant(resource) {
            return None;
        }
        let mut found = FieldExpr::Int(0);
        for item in &self.opcode.flow {
            if let Some(condition) = self.covers(item, resource, is_write) {
                found = either(found, condition);
            }
        }
        Some(found)
    }

    /// Whether the opcode fixes an operand to a constant, which is no resource.
    fn is_constant(&self, resource: &Resource) -> bool {
        let Resource::Operand { field, part: None } = resource else { return false };
        let Some(field) = self.opcode.field(*field) else { return false };
        let Binding::Fixed(raw) = field.binding else { return false };
        let entry = self.isa.ty(field.ty).entry(raw);
        entry.is_some_and(|(entry, _)| {
            !matches!(
                entry.meaning,
                Meaning::Registers { .. } | Meaning::Register { .. } | Meaning::Special(_)
            )
        })
    }

    /// The words for which an entry of the lists declares a read or write; `None` if it is about something else.
    fn covers(&self, item: &FlowItem, resource: &Resource, is_write: bool) -> Option<FieldExpr> {
        let has_access = match is_write {
            true => item.access.writes(),
            false => item.access.reads(),
        };
        let condition = item.condition.map_or(FieldExpr::Int(1), |id| self.isa.expr(id).clone());
        // The registers of an address are read, whether memory is read or written.
        if !is_write && self.is_in_address(item.place, resource) {
            return Some(condition);
        }
        if !has_access {
            return None;
        }
        match (item.place, resource) {
            (FlowPlace::Field(declared), Resource::Operand { field, part: None })
                if declared == *field =>
            {
                Some(condition)
            }
            (FlowPlace::Field(declared), Resource::Register { file, number: Some(number) }) => {
                (self.fixed_register(declared) == Some((*file, *number))).then_some(condition)
            }
            (
                FlowPlace::Part { field: declared, part: own },
                Resource::Operand { field, part: Some(part) },
            ) => (declared == *field && own == *part).then_some(condition),
            (FlowPlace::File(declared), Resource::Register { file, .. }) if declared == *file => {
                Some(condition)
            }
            (FlowPlace::File(declared), Resource::Operand { field, .. }) => {
                self.files(*field).contains(&declared).then_some(condition)
            }
            (
                FlowPlace::Register { file: declared, number },
                Resource::Register { file, number: Some(own) },
            ) => (declared == *file && number == *own).then_some(condition),
            (
                FlowPlace::Register { file: declared, number },
                Resource::Operand { field, part: None },
            ) => (self.fixed_register(*field) == Some((declared, number))).then_some(condition),
            (
                FlowPlace::Indirect { file: declared, .. },
                Resource::Register { file, number: None },
            ) => (declared == *file).then_some(condition),
            (
                FlowPlace::Mask { field, file: declared },
                Resource::Register { file, number: Some(number) },
            ) => {
                let bits = FieldExpr::Field(field, Reading::Unsigned);
                let shifted =
                    crate::condition::binary(BinaryOp::Shr, bits, FieldExpr::Int((*number).into()));
                let bit = crate::condition::binary(BinaryOp::BitAnd, shifted, FieldExpr::Int(1));
                (declared == *file).then(|| both(condition, bit))
            }
            _ => None,
        }
    }

    /// Whether a register is part of an address that an entry names.
    fn is_in_address(&self, place: FlowPlace, resource: &Resource) -> bool {
        let FlowPlace::Field(address) = place else { return false };
        let Resource::Operand { field, part } = resource else { return false };
        match part {
            Some(_) => address == *field,
            None => self
                .opcode
                .composite_operand(address)
                .is_some_and(|view| view.parts.contains(field)),
        }
    }

    /// The register that an operand always denotes, if the opcode fixes it.
    fn fixed_register(&self, field: NameId) -> Option<(RegFileId, u32)> {
        let field = self.opcode.field(field)?;
        let Binding::Fixed(raw) = field.binding else { return None };
        let (entry, position) = self.isa.ty(field.ty).entry(raw)?;
        match &entry.meaning {
            Meaning::Registers { file, first, .. } => Some((*file, first + position as u32)),
            Meaning::Register { file, number, .. } => Some((*file, *number)),
            _ => None,
        }
    }

    fn files(&self, field: NameId) -> Vec<RegFileId> {
        let field = self.opcode.field(field);
        field
            .into_iter()
            .flat_map(|field| crate::check::files_of(&self.isa.ty(field.ty).kind))
            .collect()
    }

    /// Whether the lists say that a register keeps some of its bits.
    fn keeps(&self, resource: &Resource) -> bool {
        let is_partial =
            |item: &FlowItem| item.is_partial && self.covers(item, resource, true).is_some();
        let is_read = |item: &FlowItem| self.covers(item, resource, false).is_some();
        self.opcode.flow.iter().any(|item| is_partial(item) || is_read(item))
    }

    fn undeclared_effect(&self, effect: &Effect, word: u128) -> Diagnostic {
        let name = self.name(&effect.resource);
        let verb = if effect.is_write { "writes" } else { "reads" };
        let opcode = &self.opcode.name;
        let message = format!("`{opcode}` {verb} {name}, but no list declares it");
        let statement = if effect.is_write { "Writes" } else { "Reads" };
        let condition = match &effect.when.necessary {
            Some(condition) => format!(" if {}", isadl_ir::dump::expr(self.isa, condition)),
            None => String::new(),
        };
        let plain = name.trim_matches('`');
        let found = Diagnostic::new(Code::E1221, message, effect.span);
        let found = found.with_related(self.lists.unwrap_or(self.header), "these are declared");
        let found = match effect.when.necessary {
            Some(_) => found.with_note(format!("for example in the word {}", self.shown(word))),
            None => found,
        };
        found.with_help(format!("add `{statement}<{plain}{condition}>;`, or correct the program"))
    }

    fn unkept(&self, effect: &Effect) -> Diagnostic {
        let name = self.name(&effect.resource);
        let message = format!(
            "`{}` writes only some bits of {name}, so it depends on the others",
            self.opcode.name
        );
        let found = Diagnostic::new(Code::E1221, message, effect.span);
        let found = found.with_related(self.lists.unwrap_or(self.header), "these are declared");
        found.with_help(format!("add `Partial<{}>;`, or write all bits", name.trim_matches('`')))
    }

    fn shown(&self, word: u128) -> String {
        let digits = self.opcode.width.div_ceil(4) as usize;
        format!("0x{:0digits$x}", self.isa.numbering(self.opcode).number(word))
    }

    fn name(&self, resource: &Resource) -> String {
        let file = |file: RegFileId| &self.isa.reg_files()[file.index()].name;
        match resource {
            Resource::Operand { field, part } => {
                let own = self.isa.name_of(*field);
                let part = part.and_then(|part| {
                    let ty = self.opcode.field(*field)?.ty;
                    match &self.isa.ty(ty).kind {
                        TypeKind::Composite(composite) => {
                            composite.parts.get(part).map(|part| part.name.clone())
                        }
                        _ => None,
                    }
                });
                part.map_or_else(|| format!("`{own}`"), |part| format!("`{own}.{part}`"))
            }
            Resource::Register { file: id, number: Some(number) } => {
                match self.isa.reg_files()[id.index()].count {
                    1 => format!("`{}`", file(*id)),
                    _ => format!("`{}[{number}]`", file(*id)),
                }
            }
            Resource::Register { file: id, number: None } => format!("`{}`", file(*id)),
            Resource::State(name) => format!("`{name}`"),
            Resource::Value(field) => format!("`{}`", self.isa.name_of(*field)),
            Resource::Memory { .. } => "memory".to_string(),
        }
    }

    // ---- what is declared and does not happen

    fn unused(&self, diagnostics: &mut Diagnostics) {
        self.unused_numbers(diagnostics);
        for item in &self.opcode.flow {
            // The machine reads the guard, and addresses are compared with memory.
            if item.is_guard || item.is_always || self.is_address(item.place) {
                continue;
            }
            for is_write in [false, true] {
                let has_access = match is_write {
                    true => item.access.writes(),
                    false => item.access.reads(),
                };
                // A partial write reads what it keeps.
                if has_access && (is_write || !item.is_partial) {
                    self.unused_item(item, is_write, diagnostics);
                }
            }
        }
    }

    /// Numbers that are declared to be read, and that the program does not use.
    fn unused_numbers(&self, diagnostics: &mut Diagnostics) {
        let is_read = |operand: &&Operand| operand.access.reads();
        for operand in self.opcode.operands.iter().filter(is_read) {
            let OperandLocation::Field(name) = operand.place else { continue };
            let Some(field) = self.opcode.field(name) else { continue };
            let is_number = matches!(self.isa.ty(field.ty).kind, TypeKind::Immediate(_));
            let is_used =
                self.effects.accesses.iter().any(|effect| effect.resource == Resource::Value(name));
            if is_number && !is_used {
                self.never(&self.place_name(FlowPlace::Field(name)), false, diagnostics);
            }
        }
    }

    /// Reports a declaration that no word needs.
    fn never(&self, name: &str, is_write: bool, diagnostics: &mut Diagnostics) {
        let verb = if is_write { "write" } else { "read" };
        let message = format!(
            "`{}` is declared to {verb} {name}, but its program never does",
            self.opcode.name
        );
        let found = Diagnostic::new(Code::E1222, message, self.header);
        let found = self.declared_here(found, name, is_write);
        diagnostics.push(found.with_help("remove it from the lists, or correct the program"));
    }

    fn declared_here(&self, found: Diagnostic, name: &str, is_write: bool) -> Diagnostic {
        let name = name.trim_matches('`');
        let is_it = |own: &&Declared| own.name == name && own.is_write == is_write;
        match self.declared.iter().find(is_it).map(|own| own.span).or(self.lists) {
            Some(place) => found.with_related(place, "declared here"),
            None => found,
        }
    }

    fn unused_item(&self, item: &FlowItem, is_write: bool, diagnostics: &mut Diagnostics) {
        let declared = item.condition.map_or(FieldExpr::Int(1), |id| self.isa.expr(id).clone());
        let matching = self.effects.accesses.iter().filter(|effect| {
            let is_value = matches!((item.place, &effect.resource), (FlowPlace::Field(field), Resource::Value(own)) if field == *own);
            let is_kept = !is_write && effect.is_write && effect.is_partial;
            let has_access = effect.is_write == is_write || is_kept;
            has_access
                && (is_value && !is_write
                    || self.covers(item, &effect.resource, is_write).is_some())
        });
        let happens = any_of(matching.map(|effect| &effect.when));
        let Some(happens) = happens else { return };
        let name = self.place_name(item.place);
        // What is written to a constant is discarded, and reading one is no read.
        let counts = negated(self.denotes_a_constant(item.place));
        let open = both(both(declared.clone(), counts), negated(happens.clone()));
        let Some(word) = self.word(&open) else { return };
        if self.word(&both(declared, happens.clone())).is_none() {
            self.never(&name, is_write, diagnostics);
            return;
        }
        let verb = if is_write { "write" } else { "read" };
        let message = format!(
            "`{}` is declared to {verb} {name} in every word, but its program does so in some only",
            self.opcode.name
        );
        let found = Diagnostic::new(Code::W1225, message, self.header);
        let found = self.declared_here(found, &name, is_write);
        let found = found.with_note(format!("not in the word {}", self.shown(word)));
        let condition = isadl_ir::dump::expr(self.isa, &happens);
        let statement = if is_write { "Writes" } else { "Reads" };
        diagnostics.push(found.with_help(format!(
            "declare `{statement}<{} if {condition}>;` instead",
            name.trim_matches('`')
        )));
    }

    /// The words in which an operand denotes a constant, and no register.
    fn denotes_a_constant(&self, place: FlowPlace) -> FieldExpr {
        let field = match place {
            FlowPlace::Field(name) => self.opcode.field(name),
            _ => None,
        };
        let entries = match field.map(|field| &self.isa.ty(field.ty).kind) {
            Some(TypeKind::Operand(entries)) => entries.as_slice(),
            _ => &[],
        };
        let mut found = FieldExpr::Int(0);
        for entry in entries
            .iter()
            .filter(|entry| matches!(entry.meaning, Meaning::Constant { .. } | Meaning::Nothing(_)))
        {
            let Some(field) = field else { continue };
            let bits = || FieldExpr::Field(field.name, Reading::Unsigned);
            let number = |value: u64| FieldExpr::Int(value.into());
            let from = crate::condition::binary(BinaryOp::Ge, bits(), number(entry.value));
            let to =
                crate::condition::binary(BinaryOp::Lt, bits(), number(entry.value + entry.count));
            found = either(found, both(from, to));
        }
        found
    }

    fn place_name(&self, place: FlowPlace) -> String {
        let file = |id: RegFileId| &self.isa.reg_files()[id.index()].name;
        match place {
            FlowPlace::Field(field) => format!("`{}`", self.isa.name_of(field)),
            FlowPlace::Part { field, part } => {
                self.name(&Resource::Operand { field, part: Some(part) })
            }
            FlowPlace::File(id)
            | FlowPlace::Indirect { file: id, .. }
            | FlowPlace::Mask { file: id, .. } => {
                format!("`{}`", file(id))
            }
            FlowPlace::Register { file, number } => {
                self.name(&Resource::Register { file, number: Some(number) })
            }
        }
    }
}
