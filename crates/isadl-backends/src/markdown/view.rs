//! Describes an opcode of one generation in words, for comparing and joining with other generations.

use isadl_ir::isa::{
    Access, Binding, Field, FlowClass, FlowControl, FlowItem, FlowPlace, Isa, Meaning, Opcode,
    OpcodeId, Operand, OperandLocation, Prose, RuleOrigin, RuleScope, TypeKind,
};

use super::alias_text::{self, AliasText};
use super::layout::{Layout, Role, Segment};
use super::pages::Kind;
use super::prose::Context;
use super::sources::Sources;
use super::text::code;
use crate::wording::part_name;
use crate::wording::width::widths;
use crate::wording::{expressions, syntax, values};

/// A rule in words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RuleText {
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) condition: String,
    pub(super) scope: RuleScope,
}

/// An opcode in words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct View {
    pub(super) name: String,
    /// The operands that are a literal.
    pub(super) literals: Vec<String>,
    pub(super) mnemonics: Vec<String>,
    pub(super) syntax: String,
    pub(super) layout: Layout,
    pub(super) mask: u128,
    pub(super) value: u128,
    /// Bits, field, type, value, allowed values.
    pub(super) fields: Vec<Vec<String>>,
    /// Order, operand, type, register files, width, access.
    pub(super) operands: Vec<Vec<String>>,
    /// Where execution goes, if it is not on to the next instruction.
    pub(super) flow: String,
    pub(super) rules: Vec<RuleText>,
    pub(super) aliases: Vec<AliasText>,
    pub(super) prose: Vec<Prose>,
}

/// The header of the table of fields.
pub(super) const FIELDS: [&str; 5] = ["Bits", "Field", "Type", "Value", "Allowed values"];

/// The header of the table of operands.
pub(super) const OPERANDS: [&str; 6] =
    ["Order", "Operand", "Type", "Register file", "Width", "Access"];

/// The index of the name column in both.
pub(super) const NAME: usize = 1;

/// The context for generating a view.
pub(super) struct Viewer<'v> {
    pub(super) isa: &'v Isa,
    pub(super) context: &'v Context<'v>,
    pub(super) sources: &'v Sources,
}

impl Viewer<'_> {
    pub(super) fn view(&self, id: OpcodeId) -> View {
        let (isa, opcode) = (self.isa, self.isa.opcode(id));
        let layout = Layout::new(isa, opcode);
        let literals = opcode.literals.iter().map(|form| isa.name_of(form.selector).to_string());
        View {
            name: opcode.name.clone(),
            literals: literals.collect(),
            mnemonics: opcode.syntax.mnemonics().map(str::to_string).collect(),
            syntax: syntax::line(isa, opcode),
            fields: self.fields(opcode, &layout),
            layout,
            mask: isa.numbering(opcode).number(opcode.mask),
            value: isa.numbering(opcode).number(opcode.value),
            operands: self.operands(opcode),
            flow: self.flow(opcode),
            // The pages of types list the extensions that their values need.
            rules: opcode
                .rules
                .iter()
                .filter(|id| isa.rule(**id).origin != RuleOrigin::Value)
                .map(|id| rule_text(isa, self.sources, opcode, *id))
                .collect(),
            aliases: opcode
                .aliases
                .iter()
                .map(|alias| alias_text::alias(isa, opcode, alias))
                .collect(),
            prose: opcode.prose.clone(),
        }
    }

    /// A type as a link; an operand without fields is shown as its text.
    fn ty(&self, id: isadl_ir::isa::TypeId) -> String {
        if let Some(text) = self.isa.plain_text(self.isa.ty(id)) {
            return code(text);
        }
        let name = &self.isa.ty(id).name;
        self.context.to(name, self.context.pages.get(Kind::Type, name))
    }

    fn fields(&self, opcode: &Opcode, layout: &Layout) -> Vec<Vec<String>> {
        let lowest = self.isa.word_layout().lowest(opcode.width);
        let mut rows: Vec<(u32, Vec<String>)> = Vec::new();
        for field in opcode.encoded() {
            rows.push((field.lsb() - lowest, self.field(opcode, field)));
        }
        // Unused bits appear only in the diagram.
        let is_said = |segment: &&Segment| segment.name.is_empty() && segment.role != Role::Unused;
        for segment in layout.segments.iter().filter(is_said) {
            let place = layout.bits(segment);
            let name = format!("*{}*", segment.role.as_str());
            let given = match layout.digits(segment) {
                Some(digits) => format!("always `{digits}` in binary"),
                None => String::new(),
            };
            rows.push((segment.lsb, vec![place, name, String::new(), given, String::new()]));
        }
        rows.sort_by_key(|(lsb, _)| std::cmp::Reverse(*lsb));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    fn field(&self, opcode: &Opcode, field: &Field) -> Vec<String> {
        let ty = self.isa.ty(field.ty);
        let value = |raw| values::value(self.isa, ty, raw);
        let (given, allowed) = match field.binding {
            Binding::Fixed(raw) => (format!("always {}", value(raw)), String::new()),
            Binding::Default(raw) => {
                (format!("default {}", value(raw)), values::allowed(self.isa, ty))
            }
            Binding::Required => (String::new(), values::allowed(self.isa, ty)),
        };
        let name = code(self.isa.name_of(field.name));
        vec![self.isa.numbering(opcode).bits(&field.bits), name, self.ty(field.ty), given, allowed]
    }

    /// The classes of flow of control, in words.
    fn flow(&self, opcode: &Opcode) -> String {
        let class = |class: &FlowClass| match class.condition {
            Some(id) => {
                let condition = expressions::text(self.isa, opcode, self.isa.expr(id));
                format!("{} if {}", code(class.class.name()), code(&condition))
            }
            None => code(class.class.name()),
        };
        let mut classes: Vec<String> = opcode.classes.iter().map(class).collect();
        if opcode.classes.last().is_some_and(|last| last.condition.is_some()) {
            classes.push(code(FlowControl::Next.name()));
        }
        classes.join(", otherwise ")
    }

    fn operands(&self, opcode: &Opcode) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        let guard = opcode.syntax.guard.as_ref().map(|guard| guard.operand);
        let mut number = 0;
        for (index, operand) in opcode.operands.iter().enumerate() {
            let order = if guard == Some(index) {
                "guard".to_string()
            } else {
                number += 1;
                number.to_string()
            };
            rows.push(self.operand(opcode, operand, order));
        }
        let implicit = opcode.implicit.iter();
        rows.extend(implicit.map(|operand| self.operand(opcode, operand, "implicit".to_string())));
        let shown = opcode.operands.iter().chain(&opcode.implicit);
        let shown: Vec<FlowPlace> = shown.map(|operand| flow_place(operand.place)).collect();
        for item in opcode.flow.iter().filter(|item| !shown.contains(&item.place)) {
            let is_base = shown.iter().any(|place| match (place, item.place) {
                (FlowPlace::Indirect { base, .. }, FlowPlace::Field(name)) => *base == name,
                (FlowPlace::Field(name), FlowPlace::Part { field, .. }) => *name == field,
                _ => false,
            });
            let order = match (is_base, is_control(opcode, item)) {
                (true, _) if matches!(item.place, FlowPlace::Part { .. }) => "part",
                (true, _) => "base",
                (_, true) => "control",
                _ => "implicit",
            };
            rows.push(self.row(
                opcode,
                &[item],
                order.to_string(),
                flow_name(self.isa, opcode, item),
            ));
        }
        rows
    }

    fn operand(&self, opcode: &Opcode, operand: &Operand, order: String) -> Vec<String> {
        let place = flow_place(operand.place);
        let found: Vec<&FlowItem> = opcode.flow.iter().filter(|item| item.place == place).collect();
        let only_selects = FlowItem {
            place,
            access: operand.access,
            width: operand.width,
            is_partial: false,
            is_guard: false,
            is_always: true,
            condition: None,
        };
        let name = syntax::place(self.isa, operand.place);
        let found = if found.is_empty() { vec![&only_selects] } else { found };
        self.row(opcode, &found, order, name)
    }

    /// A row about accesses to one resource.
    fn row(
        &self,
        opcode: &Opcode,
        items: &[&FlowItem],
        order: String,
        name: String,
    ) -> Vec<String> {
        let item = items[0];
        let ty = match item.place {
            FlowPlace::Field(name) | FlowPlace::Mask { field: name, .. } => {
                opcode.field(name).map_or(String::new(), |field| self.ty(field.ty))
            }
            FlowPlace::Part { field, part } => {
                let part = opcode.field(field).and_then(|field| self.isa.part(field, part));
                part.map_or(String::new(), |part| self.ty(part.ty))
            }
            _ => String::new(),
        };
        let widths: Vec<String> =
            widths(self.isa, opcode, item).iter().map(u32::to_string).collect();
        let width = match (widths.as_slice(), item.width) {
            ([], Some(width)) => code(&expressions::text(self.isa, opcode, self.isa.expr(width))),
            (widths, _) => widths.join(" or "),
        };
        let told = items.iter().filter(|item| !self.says_nothing(opcode, item));
        let accesses: Vec<String> = told.map(|item| self.access(opcode, item)).collect();
        let files = self.files(opcode, item.place);
        vec![order, code(&name), ty, files, width, accesses.join("; ")]
    }

    /// Whether nothing is done with an operand, and it is always the same.
    fn says_nothing(&self, opcode: &Opcode, item: &FlowItem) -> bool {
        let FlowPlace::Field(name) = item.place else { return false };
        let ty = opcode.field(name).map(|field| self.isa.ty(field.ty));
        item.access == Access::None && ty.is_some_and(|ty| self.isa.plain_text(ty).is_some())
    }

    fn access(&self, opcode: &Opcode, item: &FlowItem) -> String {
        let mut access = syntax::access(item.access).to_string();
        let has_guard = opcode.flow.iter().any(|item| item.is_guard);
        if item.is_partial {
            access += ", partial";
        }
        if has_guard && !item.is_always && !item.is_guard {
            access += ", conditional";
        }
        if let Some(condition) = item.condition {
            let condition = expressions::text(self.isa, opcode, self.isa.expr(condition));
            access += &format!(" if {}", code(&condition));
        }
        access
    }

    /// The register files that an operand may belong to, as links.
    fn files(&self, opcode: &Opcode, place: FlowPlace) -> String {
        let mut names: Vec<&str> = Vec::new();
        let mut add = |file: isadl_ir::isa::RegFileId| {
            let name = self.isa.reg_files()[file.index()].name.as_str();
            if !names.contains(&name) {
                names.push(name);
            }
        };
        match place {
            FlowPlace::File(file)
            | FlowPlace::Register { file, .. }
            | FlowPlace::Indirect { file, .. }
            | FlowPlace::Mask { file, .. } => add(file),
            FlowPlace::Field(name) => {
                opcode
                    .field(name)
                    .into_iter()
                    .for_each(|f| files_of(self.isa, f).for_each(&mut add));
            }
            FlowPlace::Part { field, part } => {
                let part = opcode.field(field).and_then(|field| self.isa.part(field, part));
                part.iter().for_each(|part| files_of(self.isa, part).for_each(&mut add));
            }
        }
        let link = |name: &&str| self.context.to(name, self.context.pages.get(Kind::RegFile, name));
        names.iter().map(link).collect::<Vec<_>>().join(", ")
    }
}

fn files_of(isa: &Isa, field: &Field) -> impl Iterator<Item = isadl_ir::isa::RegFileId> {
    let entries = match &isa.ty(field.ty).kind {
        TypeKind::Operand(entries) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().filter_map(|entry| match &entry.meaning {
        Meaning::Registers { file, .. } | Meaning::Register { file, .. } => Some(*file),
        _ => None,
    })
}

fn flow_place(place: OperandLocation) -> FlowPlace {
    match place {
        OperandLocation::Field(name) => FlowPlace::Field(name),
        OperandLocation::File(file) => FlowPlace::File(file),
        OperandLocation::Indirect { file, base, .. } => FlowPlace::Indirect { file, base },
    }
}

fn flow_name(isa: &Isa, opcode: &Opcode, item: &FlowItem) -> String {
    match item.place {
        FlowPlace::Field(name) | FlowPlace::Mask { field: name, .. } => {
            isa.name_of(name).to_string()
        }
        FlowPlace::Part { field, part } => part_name(isa, opcode, field, part),
        FlowPlace::File(file) => isa.reg_files()[file.index()].name.clone(),
        FlowPlace::Register { file, number } => {
            format!("{}[{number}]", isa.reg_files()[file.index()].name)
        }
        FlowPlace::Indirect { file, base } => {
            format!("{}[{}]", isa.prefix(file), isa.name_of(base))
        }
    }
}

fn is_control(opcode: &Opcode, item: &FlowItem) -> bool {
    let (FlowPlace::Field(name)
    | FlowPlace::Part { field: name, .. }
    | FlowPlace::Mask { field: name, .. }) = item.place
    else {
        return false;
    };
    opcode.field(name).is_some_and(|field| field.role == isadl_ir::isa::FieldRole::Control)
}

/// A rule of an opcode in words, with its condition as written, if that is known.
pub(super) fn rule_text(
    isa: &Isa,
    sources: &Sources,
    opcode: &Opcode,
    id: isadl_ir::isa::RuleId,
) -> RuleText {
    let rule = isa.rule(id);
    let groups = opcode.groups.iter().map(|id| isa.groups()[id.index()].name.as_str());
    let optypes = opcode.optypes.iter().map(|id| isa.optypes()[id.index()].name.as_str());
    let layers = groups.chain(optypes).chain([opcode.name.as_str()]);
    let written = sources.condition(layers, &rule.kind, &rule.message).map(str::to_string);
    let condition = isa.expr(rule.condition);
    let written = written.map(|written| match condition.apart().0 {
        Some(within) => format!("({}) and ({written})", isa.extensions().condition(within)),
        None => written,
    });
    let lowered = || expressions::text(isa, opcode, condition);
    RuleText {
        kind: rule.kind.clone(),
        message: rule.message.clone(),
        condition: written.unwrap_or_else(lowered),
        scope: rule.scope,
    }
}
