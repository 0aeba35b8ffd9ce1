//! What is to be generated, decided before a token is made: which opcodes, what they share, and
//! how everything is called.
//!
//! Opcodes with the same fields share a layout, the same operands a list, the same rules a set:
//! what grows with the number of opcodes is data, and little of it.

use std::collections::BTreeMap;

use isadl::isa::{
    Binding, ExprId, Field, FieldRole, Isa, NameId, Opcode, OpcodeId, Operand, Place, RegFileId,
    RuleId, TypeId, TypeKind, low_bits,
};
use isadl::tree::Tree;
use proc_macro2::Ident;

use super::Options;
use super::names::{Scope, ident};

/// Everything that generation needs to know.
pub(super) struct Plan<'i> {
    pub(super) isa: &'i Isa,
    pub(super) opcodes: Vec<OpcodePlan>,
    pub(super) tree: Tree,
    pub(super) fields: Vec<FieldPlan>,
    pub(super) slots: Vec<SlotPlan>,
    pub(super) layouts: Vec<Layout>,
    pub(super) operand_lists: Vec<Vec<OperandPlan>>,
    pub(super) rule_sets: Vec<RuleSet>,
    pub(super) widths: Vec<Computed>,
    pub(super) types: BTreeMap<TypeId, Ident>,
    pub(super) reg_files: Vec<Ident>,
}

/// An opcode and the indexes of what it shares.
pub(super) struct OpcodePlan {
    pub(super) id: OpcodeId,
    pub(super) ident: Ident,
    pub(super) layout: usize,
    pub(super) operands: usize,
    pub(super) rules: usize,
}

/// A distinct field name.
pub(super) struct FieldPlan {
    pub(super) name: NameId,
    pub(super) ident: Ident,
}

/// A distinct pair of field name and type: what a getter is made for.
pub(super) struct SlotPlan {
    pub(super) name: NameId,
    pub(super) ty: TypeId,
    pub(super) width: u32,
    pub(super) place: SlotPlace,
    pub(super) getter: Ident,
    pub(super) setter: Ident,
    /// Whether some opcode leaves its value open.
    pub(super) settable: Settable,
}

/// Where a slot's field is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotPlace {
    /// At this bit in all opcodes that have it; all leave its value open, or all fix it.
    Same(u32),
    /// It differs: the column of the table of places.
    Varying(usize),
}

/// Whether a field can be given a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Settable {
    Yes,
    No,
}

/// The fields of an opcode without the values of fixed ones.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
pub(super) struct Layout {
    pub(super) fields: Vec<LayoutField>,
}

/// A field of a layout.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
pub(super) struct LayoutField {
    pub(super) name: NameId,
    pub(super) ty: TypeId,
    pub(super) lsb: u32,
    pub(super) width: u32,
    pub(super) role: FieldRole,
    pub(super) binding: LayoutBinding,
}

/// Where the value of a layout's field comes from; what is fixed differs by opcode.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
pub(super) enum LayoutBinding {
    Required,
    Default(u64),
    Fixed,
}

impl LayoutField {
    fn of(field: &Field) -> LayoutField {
        let binding = match field.binding {
            Binding::Required => LayoutBinding::Required,
            Binding::Default(raw) => LayoutBinding::Default(raw),
            Binding::Fixed(_) => LayoutBinding::Fixed,
        };
        LayoutField {
            name: field.name,
            ty: field.ty,
            lsb: field.lsb,
            width: field.width,
            role: field.role,
            binding,
        }
    }
}

/// An operand with its width in bits.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
pub(super) struct OperandPlan {
    pub(super) place: PlacePlan,
    pub(super) access: isadl::isa::Access,
    pub(super) width: WidthPlan,
}

/// What an operand is.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
pub(super) enum PlacePlan {
    Slot(usize),
    File(RegFileId),
    Indirect { file: RegFileId, base: usize, offset: Option<usize> },
}

/// Bits of data in an operand.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
pub(super) enum WidthPlan {
    Fixed(u16),
    /// Index into [`Plan::widths`].
    Computed(usize),
}

/// An expression with the places of its fields.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
pub(super) struct Computed {
    pub(super) expr: ExprId,
    pub(super) places: Vec<(NameId, u32, u32)>,
}

/// Rules that are checked together: the rule and its condition over a layout.
pub(super) type RuleSet = Vec<(RuleId, Computed)>;

/// Identifiers of `Inst` that are written by hand.
pub(super) const INST_ITEMS: &[&str] = &[
    "decode",
    "decode_word",
    "find",
    "stream",
    "has",
    "place",
    "lacks",
    "settable",
    "field_info",
    "broken_rule",
    "operand_value",
    "indirect",
    "typed",
    "opcode",
    "word",
    "to_word",
    "to_bytes",
    "validate",
    "get",
    "with_raw",
    "operands",
    "info",
    "new",
    "clone",
    "eq",
    "fmt",
    "hash",
    "cmp",
    "from_parts",
    "from_values",
    "reads",
    "writes",
    "view",
    "text",
    "append_to",
    "write_to",
    "tokens",
    "parse",
    "from_str",
    "to_string",
];

impl<'i> Plan<'i> {
    /// Decides everything for the selected opcodes.
    pub(super) fn new(isa: &'i Isa, options: &Options) -> Plan<'i> {
        let selected: Vec<OpcodeId> =
            isa.opcode_ids().filter(|id| is_selected(isa, *id, options)).collect();
        let mut plan = Plan {
            isa,
            opcodes: Vec::new(),
            tree: isa.tree_of(&selected),
            fields: Vec::new(),
            slots: Vec::new(),
            layouts: Vec::new(),
            operand_lists: Vec::new(),
            rule_sets: Vec::new(),
            widths: Vec::new(),
            types: BTreeMap::new(),
            reg_files: Vec::new(),
        };
        plan.name_types(&selected);
        plan.name_fields(&selected);
        plan.share(&selected);
        plan
    }

    fn opcode_fields<'s>(
        &self,
        selected: &'s [OpcodeId],
    ) -> impl Iterator<Item = &'i Field> + use<'i, 's> {
        let isa = self.isa;
        selected.iter().flat_map(move |id| &isa.opcode(*id).fields)
    }

    fn name_types(&mut self, selected: &[OpcodeId]) {
        let mut used: Vec<TypeId> = self.opcode_fields(selected).map(|field| field.ty).collect();
        used.sort_unstable();
        used.dedup();
        for ty in used.clone() {
            if let TypeKind::Composite(composite) = &self.isa.ty(ty).kind {
                used.extend(composite.parts.iter().map(|part| part.ty));
            }
        }
        used.sort_unstable();
        used.dedup();
        let mut scope = Scope::reserving(super::RESERVED_ITEMS);
        self.types = used.into_iter().map(|ty| (ty, scope.add(&self.isa.ty(ty).name))).collect();
        let mut scope = Scope::reserving(&["ALL"]);
        self.reg_files = self.isa.reg_files().iter().map(|file| scope.add(&file.name)).collect();
    }

    fn name_fields(&mut self, selected: &[OpcodeId]) {
        let mut slots: Vec<(NameId, TypeId, u32)> =
            self.opcode_fields(selected).map(|field| (field.name, field.ty, field.width)).collect();
        slots.sort_unstable();
        slots.dedup();
        let mut names: Vec<NameId> = slots.iter().map(|(name, _, _)| *name).collect();
        names.dedup();
        let mut scope = Scope::reserving(&["ALL"]);
        let isa = self.isa;
        self.fields = names
            .iter()
            .map(|name| FieldPlan { name: *name, ident: scope.add(isa.name_of(*name)) })
            .collect();
        let mut methods = Scope::reserving(INST_ITEMS);
        for (name, ty, width) in &slots {
            let text = isa.name_of(*name);
            let of_name = slots.iter().filter(|(other, _, _)| other == name).count();
            // A name with several types has one getter a type.
            let base = if of_name == 1 {
                text.to_string()
            } else {
                format!("{text}_{}", isa.ty(*ty).name.to_lowercase())
            };
            let of_slot = || {
                self.opcode_fields(selected).filter(|field| (field.name, field.ty) == (*name, *ty))
            };
            let is_open = |field: &Field| !matches!(field.binding, Binding::Fixed(_));
            let open = of_slot().any(is_open);
            let first = of_slot().next().map(|field| (field.lsb, is_open(field)));
            let same =
                first.filter(|first| of_slot().all(|field| (field.lsb, is_open(field)) == *first));
            let place = match same {
                Some((lsb, _)) => SlotPlace::Same(lsb),
                None => SlotPlace::Varying(self.varying().count()),
            };
            self.slots.push(SlotPlan {
                name: *name,
                ty: *ty,
                width: *width,
                place,
                getter: methods.add(&base),
                setter: methods.add(&format!("with_{base}")),
                settable: if open { Settable::Yes } else { Settable::No },
            });
        }
    }

    /// The slots whose fields are not at the same place everywhere.
    pub(super) fn varying(&self) -> impl Iterator<Item = &SlotPlan> {
        self.slots.iter().filter(|slot| matches!(slot.place, SlotPlace::Varying(_)))
    }

    /// Finds what opcodes share.
    fn share(&mut self, selected: &[OpcodeId]) {
        let mut layouts = Shared::default();
        let mut operand_lists = Shared::default();
        let mut rule_sets = Shared::default();
        let mut widths = Shared::default();
        // Set 0 is that of opcodes without rules.
        rule_sets.add(Vec::new());
        let mut scope = Scope::reserving(&["ALL"]);
        for id in selected {
            let opcode = self.isa.opcode(*id);
            let rules = opcode
                .rules
                .iter()
                .map(|rule| (*rule, self.computed(opcode, self.isa.rule(*rule).condition)));
            let operands = opcode
                .operands
                .iter()
                .map(|operand| self.operand(opcode, operand, &mut widths))
                .collect();
            self.opcodes.push(OpcodePlan {
                id: *id,
                ident: scope.add(&opcode.name),
                layout: layouts
                    .add(Layout { fields: opcode.fields.iter().map(LayoutField::of).collect() }),
                operands: operand_lists.add(operands),
                rules: rule_sets.add(rules.collect()),
            });
        }
        self.layouts = layouts.list;
        self.operand_lists = operand_lists.list;
        self.rule_sets = rule_sets.list;
        self.widths = widths.list;
    }

    pub(super) fn computed(&self, opcode: &Opcode, expr: ExprId) -> Computed {
        let names = self.isa.expr(expr).fields().into_iter();
        let places =
            names.filter_map(|name| opcode.field(name).map(|field| (name, field.lsb, field.width)));
        Computed { expr, places: places.collect() }
    }

    fn operand(
        &self,
        opcode: &Opcode,
        operand: &Operand,
        widths: &mut Shared<Computed>,
    ) -> OperandPlan {
        let slot = |name: NameId| {
            let field = opcode.field(name);
            self.slots.iter().position(|slot| {
                Some((slot.name, slot.ty)) == field.map(|field| (field.name, field.ty))
            })
        };
        let place = match operand.place {
            Place::Field(name) => PlacePlan::Slot(slot(name).unwrap_or(0)),
            Place::File(file) => PlacePlan::File(file),
            Place::Indirect { file, base, offset } => PlacePlan::Indirect {
                file,
                base: slot(base).unwrap_or(0),
                offset: offset.and_then(slot),
            },
        };
        let width = match operand.width {
            Some(expr) => match self.constant(opcode, expr) {
                Some(bits) => WidthPlan::Fixed(bits),
                None => WidthPlan::Computed(widths.add(self.computed(opcode, expr))),
            },
            None => WidthPlan::Fixed(self.natural_width(place)),
        };
        OperandPlan { place, access: operand.access, width }
    }

    /// The value of an expression without open fields.
    pub(super) fn constant(&self, opcode: &Opcode, expr: ExprId) -> Option<u16> {
        let expr = self.isa.expr(expr);
        let fixed = |name: NameId| match opcode.field(name).map(|field| field.binding) {
            Some(Binding::Fixed(raw)) => Some(raw),
            _ => None,
        };
        let all_fixed = expr.fields().into_iter().all(|name| fixed(name).is_some());
        let value = expr.eval(&|name, _| i128::from(fixed(name).unwrap_or(0)));
        all_fixed.then(|| value.clamp(0, i128::from(u16::MAX)) as u16)
    }

    /// Bits in an operand for which the specification gives no width: those of a register of
    /// its file, else those of its field.
    fn natural_width(&self, place: PlacePlan) -> u16 {
        let bits = match place {
            PlacePlan::Slot(slot) => {
                let slot = &self.slots[slot];
                let file = isadl_file(self.isa, slot.ty);
                file.map_or(slot.width, |file| self.isa.reg_files()[file.index()].width)
            }
            PlacePlan::File(file) => {
                let file = &self.isa.reg_files()[file.index()];
                file.width.saturating_mul(file.count)
            }
            PlacePlan::Indirect { file, .. } => self.isa.reg_files()[file.index()].width,
        };
        u16::try_from(bits).unwrap_or(u16::MAX)
    }

    /// The definition of a planned opcode.
    pub(super) fn opcode(&self, plan: &OpcodePlan) -> &'i Opcode {
        self.isa.opcode(plan.id)
    }

    /// The identifier of a type.
    pub(super) fn type_ident(&self, ty: TypeId) -> Ident {
        self.types.get(&ty).cloned().unwrap_or_else(|| ident("u64"))
    }

    /// The identifier of a field name.
    pub(super) fn field_ident(&self, name: NameId) -> Ident {
        let found = self.fields.iter().find(|field| field.name == name);
        found.map_or_else(|| ident("UNKNOWN"), |field| field.ident.clone())
    }

    /// The slot of a field.
    pub(super) fn slot_of(&self, name: NameId, ty: TypeId) -> Option<usize> {
        self.slots.iter().position(|slot| slot.name == name && slot.ty == ty)
    }

    /// Length of the tables that are indexed by opcode number.
    pub(super) fn table_len(&self) -> usize {
        let numbers = self.opcodes.iter().map(|plan| usize::from(self.opcode(plan).number));
        numbers.max().map_or(0, |last| last + 1)
    }

    /// Whether the word is kept in 128 bits.
    pub(super) fn word_bits(&self) -> u32 {
        if self.isa.width() > 64 { 128 } else { 64 }
    }
}

/// The register file that the registers of a type are of.
pub(super) fn isadl_file(isa: &Isa, ty: TypeId) -> Option<RegFileId> {
    use isadl::isa::Meaning;
    let TypeKind::Operand(entries) = &isa.ty(ty).kind else { return None };
    entries.iter().find_map(|entry| match entry.meaning {
        Meaning::Registers { file, .. } | Meaning::Register { file, .. } => Some(file),
        _ => None,
    })
}

fn is_selected(isa: &Isa, id: OpcodeId, options: &Options) -> bool {
    let mut groups =
        isa.opcode(id).groups.iter().map(|group| isa.groups()[group.index()].name.as_str());
    options.groups.is_empty()
        || groups.any(|group| options.groups.iter().any(|wanted| wanted == group))
}

/// Values, each once, in order of first appearance.
pub(super) struct Shared<T> {
    pub(super) list: Vec<T>,
    index: BTreeMap<T, usize>,
}

impl<T> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared { list: Vec::new(), index: BTreeMap::new() }
    }
}

impl<T: Ord + Clone> Shared<T> {
    /// The index of a value, which is added if it is new.
    pub(super) fn add(&mut self, value: T) -> usize {
        let next = self.list.len();
        *self.index.entry(value.clone()).or_insert_with(|| {
            self.list.push(value);
            next
        })
    }
}

impl Layout {
    /// The bits that fields cover.
    pub(super) fn significant(&self) -> u128 {
        self.fields.iter().fold(0, |bits, field| bits | low_bits(field.width) << field.lsb)
    }
}
