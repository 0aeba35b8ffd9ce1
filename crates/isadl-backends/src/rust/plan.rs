//! Decides what is generated, before any token is made: which opcodes, which items they share, and all names.
//!
//! An opcode has one row for each of its variants. It has a single row, unless generations or literals make it another
//! instruction under the same name. Rows with the same fields share a layout. Content that grows with the number of
//! rows is data, and kept small.

use std::collections::BTreeMap;

use isadl_ir::isa::{
    Binding, Bits, Field, FieldRole, Isa, Merged, NameId, Opcode, OpcodeId, RuleScope, Type,
    TypeId, TypeKind,
};
use isadl_runtime::image::OwnedImage;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::decided::WholeNames;
use super::merged::{MergedType, MergedTypes, merged_types};
use super::names::{PRELUDE, Scope, ident, of_type, type_name};
use super::{Emit, Parts};

/// Everything that generation needs to know.
pub(super) struct Plan<'i> {
    pub(super) isa: &'i Isa,
    pub(super) opcodes: Vec<OpcodePlan>,
    /// The rows of all opcodes, in the order of these.
    pub(super) rows: Vec<RowPlan>,
    /// The generations; none where all have the same rows.
    pub(super) generations: Vec<GenerationPlan>,
    /// The tables of the engine.
    pub(super) image: OwnedImage,
    pub(super) fields: Vec<FieldPlan>,
    pub(super) slots: Vec<SlotPlan>,
    pub(super) layouts: Vec<Layout>,
    /// The names of the special registers.
    pub(super) specials: Vec<Ident>,
    pub(super) types: BTreeMap<TypeId, Ident>,
    /// The types that share a Rust type, by the type that represents them.
    pub(super) merged: BTreeMap<TypeId, MergedType>,
    /// The type that represents each merged type.
    canonical: BTreeMap<TypeId, TypeId>,
    /// The types that have more names than the types they represent.
    whole: BTreeMap<TypeId, Type>,
    /// The name of each register file; files of the same name share a Rust type.
    pub(super) reg_files: Vec<Ident>,
    /// The names that are decided over the whole, if this is a part.
    pub(super) decided: WholeNames,
}

/// An opcode.
pub(super) struct OpcodePlan {
    pub(super) ident: Ident,
    pub(super) number: u16,
    /// Its rows in [`Plan::rows`], at least one.
    pub(super) rows: std::ops::Range<usize>,
}

/// A row and the indexes of the items that it shares.
pub(super) struct RowPlan {
    pub(super) id: OpcodeId,
    /// Its opcode in [`Plan::opcodes`].
    pub(super) opcode: usize,
    pub(super) layout: usize,
}

/// A generation.
pub(super) struct GenerationPlan {
    /// Its index in the instruction set.
    pub(super) index: usize,
    pub(super) ident: Ident,
    pub(super) name: String,
}

/// A distinct field name.
pub(super) struct FieldPlan {
    pub(super) name: NameId,
    pub(super) ident: Ident,
}

/// A distinct pair of field name and Rust type; each pair has a getter.
pub(super) struct SlotPlan {
    pub(super) name: NameId,
    pub(super) ty: TypeId,
    pub(super) width: u32,
    /// Its bits, if they are the same everywhere.
    pub(super) bits: Bits,
    pub(super) place: SlotPlace,
    pub(super) getter: Ident,
    pub(super) setter: Ident,
    /// Whether some opcode leaves its value open.
    pub(super) settable: Settable,
}

/// Where a slot's field is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotPlace {
    /// At the same bits in all opcodes that have it; all leave its value open, or all fix it.
    Same,
    /// It differs: the column of the table of places.
    Varying(usize),
}

/// Whether a field can be given a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Settable {
    Yes,
    No,
}

/// The fields of a row, without the values of fixed fields.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
pub(super) struct Layout {
    pub(super) fields: Vec<LayoutField>,
    /// The bits that are not ignored.
    pub(super) significant: u128,
}

/// A field of a layout.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
pub(super) struct LayoutField {
    pub(super) name: NameId,
    pub(super) ty: TypeId,
    pub(super) bits: Bits,
    pub(super) role: FieldRole,
    pub(super) binding: LayoutBinding,
}

/// The source of a layout field's value; fixed values differ by opcode.
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
            bits: field.bits.clone(),
            role: field.role,
            binding,
        }
    }
}

impl<'i> Plan<'i> {
    /// Decides everything except names that are decided over the whole specification.
    pub(super) fn new(merged: &'i Merged, decided: WholeNames) -> Plan<'i> {
        let isa = merged.items();
        let first_of = first_rows(isa);
        let mut selected: Vec<OpcodeId> = isa.opcode_ids().collect();
        selected.sort_by_key(|id| first_of[&isa.opcode(*id).number]);
        let mut plan = Plan {
            isa,
            opcodes: Vec::new(),
            rows: Vec::new(),
            generations: generations(isa),
            image: OwnedImage::of(isa),
            fields: Vec::new(),
            slots: Vec::new(),
            layouts: Vec::new(),
            specials: Vec::new(),
            types: BTreeMap::new(),
            merged: BTreeMap::new(),
            canonical: BTreeMap::new(),
            whole: BTreeMap::new(),
            reg_files: Vec::new(),
            decided,
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
        used.extend(selected.iter().flat_map(|id| alias_values(self.isa.opcode(*id))));
        used.sort_unstable();
        used.dedup();
        let mut next = 0;
        while let Some(ty) = used.get(next) {
            let parts = self.isa.ty(*ty).made_of().filter(|part| !used.contains(part));
            let parts: Vec<TypeId> = parts.collect();
            used.extend(parts);
            next += 1;
        }
        used.sort_unstable();
        used.dedup();
        let MergedTypes { canonical, merged, whole } = merged_types(self.isa, selected, &used);
        (self.canonical, self.merged, self.whole) = (canonical, merged, whole);
        used.retain(|ty| self.canonical(*ty) == *ty);
        let mut scope = Scope::reserving(&[super::RESERVED_ITEMS, PRELUDE].concat());
        if !self.generations.is_empty() {
            scope.add("Generation");
        }
        if self.has_extensions() {
            scope.add("Extensions");
            scope.add("Requires");
        }
        if !self.merged.is_empty() {
            scope.add("Run");
            scope.add("Variant");
        }
        if self.has_assembler_rules() {
            scope.add("RuleScope");
        }
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for ty in used {
            let name = self.isa.ty(ty).name.as_str();
            let at = known.entry(name).or_default();
            let of_whole = self.decided.ty(name, *at).cloned();
            *at += 1;
            self.types.insert(ty, of_whole.unwrap_or_else(|| scope.add(&type_name(name))));
        }
        let mut scope = Scope::reserving(&["ALL"]);
        let files = self.isa.reg_files().iter().enumerate();
        let mut idents: Vec<Ident> = Vec::new();
        for (index, file) in files {
            // A register file that differs by generation is a single file in Rust.
            let known = self.isa.reg_files()[..index].iter().position(|f| f.name == file.name);
            idents.push(known.map_or_else(|| scope.add(&file.name), |known| idents[known].clone()));
        }
        self.reg_files = idents;
        let mut scope = Scope::reserving(&["ALL"]);
        self.specials = self.isa.specials().iter().map(|name| scope.add(name)).collect();
    }

    /// Whether anything depends on the set of extensions.
    pub(super) fn has_extensions(&self) -> bool {
        self.isa.depends_on_extensions()
    }

    /// Whether some mnemonic has fields.
    pub(super) fn has_spelled(&self) -> bool {
        !self.image.lines.view().spelled.is_empty()
    }

    fn name_fields(&mut self, selected: &[OpcodeId]) {
        let isa = self.isa;
        let mut slots: Vec<(NameId, TypeId)> = self
            .opcode_fields(selected)
            .map(|field| (field.name, self.canonical(field.ty)))
            .collect();
        slots.sort_unstable();
        slots.dedup();
        let mut names: Vec<NameId> = slots.iter().map(|(name, _)| *name).collect();
        names.dedup();
        // An operand without fields has no value.
        slots.retain(|(_, ty)| isa.plain_text(isa.ty(*ty)).is_none());
        let mut scope = Scope::reserving(&["ALL"]);
        self.fields = names
            .iter()
            .map(|name| {
                let of_whole = self.decided.field(isa.name_of(*name)).cloned();
                let ident = of_whole.unwrap_or_else(|| scope.add(isa.name_of(*name)));
                FieldPlan { name: *name, ident }
            })
            .collect();
        let mut methods = Scope::reserving(&self.inst_items());
        for (at, (name, ty)) in slots.iter().enumerate() {
            let (text, type_name) = (isa.name_of(*name), &isa.ty(*ty).name);
            let of_name = slots.iter().filter(|(other, _)| other == name).count();
            let alike =
                |(other, of): &&(NameId, TypeId)| other == name && isa.ty(*of).name == *type_name;
            let before = slots[..at].iter().filter(alike).count();
            let of_whole = self.decided.getter(text, type_name, before).cloned();
            let (getter, setter) = of_whole.unwrap_or_else(|| {
                // A name with several types has one getter per type.
                let base = if of_name == 1 { text.to_string() } else { of_type(text, type_name) };
                (methods.add(&base), methods.add(&format!("with_{base}")))
            });
            let ((bits, place), settable) = self.slot_place(selected, *name, *ty);
            self.slots.push(SlotPlan {
                name: *name,
                ty: *ty,
                width: isa.ty(*ty).width,
                bits,
                place,
                getter,
                setter,
                settable,
            });
        }
    }

    fn slot_place(
        &self,
        selected: &[OpcodeId],
        name: NameId,
        ty: TypeId,
    ) -> ((Bits, SlotPlace), Settable) {
        let of_slot = || {
            self.opcode_fields(selected)
                .filter(|field| (field.name, self.canonical(field.ty)) == (name, ty))
        };
        let is_open = |field: &Field| !matches!(field.binding, Binding::Fixed(_));
        let settable = if of_slot().any(is_open) { Settable::Yes } else { Settable::No };
        let first = of_slot().next().map(|field| (&field.bits, is_open(field)));
        let same =
            first.filter(|first| of_slot().all(|field| (&field.bits, is_open(field)) == *first));
        let place = match same {
            // Which of the merged types it is must be looked up in any case.
            Some((bits, _)) if !self.merged.contains_key(&ty) => (bits.clone(), SlotPlace::Same),
            _ => (Bits::one(0, 0), SlotPlace::Varying(self.varying().count())),
        };
        (place, settable)
    }

    /// Whether some field is in pieces.
    pub(super) fn has_pieces(&self) -> bool {
        !self.image.words.view().scattered.is_empty()
    }

    /// The type of entries of the table of places.
    pub(super) fn place_type(&self) -> Ident {
        ident(if self.has_pieces() { "u32" } else { "u16" })
    }

    /// Which of several types a `place` says.
    pub(super) fn variant_of_place(&self) -> TokenStream {
        match self.has_pieces() {
            true => quote!((place >> tables::VARIANT_SHIFT) as u16),
            false => quote!(place >> tables::VARIANT_SHIFT),
        }
    }

    /// The slots whose fields are not at the same place everywhere.
    pub(super) fn varying(&self) -> impl Iterator<Item = &SlotPlan> {
        self.slots.iter().filter(|slot| matches!(slot.place, SlotPlace::Varying(_)))
    }

    /// Finds the items that rows share.
    fn share(&mut self, selected: &[OpcodeId]) {
        let mut layouts = Shared::default();
        let mut scope = Scope::reserving(&["ALL"]);
        for id in selected {
            let opcode = self.isa.opcode(*id);
            let layout = layouts.add(Layout {
                fields: opcode.fields.iter().map(LayoutField::of).collect(),
                significant: opcode.kept(),
            });
            self.opcodes_with(*id, &mut scope);
            self.rows.push(RowPlan { id: *id, opcode: self.opcodes.len() - 1, layout });
        }
        self.layouts = layouts.list;
    }

    /// Counts the next row: it belongs to the last opcode if it has the same name, else to a new opcode.
    fn opcodes_with(&mut self, id: OpcodeId, scope: &mut Scope) {
        let definition = self.isa.opcode(id);
        let next = self.rows.len();
        match self.opcodes.last_mut() {
            Some(last) if last.number == definition.number => last.rows.end = next + 1,
            _ => {
                let of_whole = self.decided.opcode(&definition.name).cloned();
                let ident = of_whole.unwrap_or_else(|| scope.add(&definition.name));
                let (number, rows) = (definition.number, next..next + 1);
                self.opcodes.push(OpcodePlan { ident, number, rows });
            }
        }
    }

    /// The definition of a row.
    pub(super) fn definition(&self, row: &RowPlan) -> &'i Opcode {
        self.isa.opcode(row.id)
    }

    /// The rows of an opcode.
    pub(super) fn rows_of(&self, opcode: &OpcodePlan) -> &[RowPlan] {
        &self.rows[opcode.rows.clone()]
    }

    /// The opcode of a row.
    pub(super) fn opcode_of(&self, row: &RowPlan) -> &OpcodePlan {
        &self.opcodes[row.opcode]
    }

    /// The type that represents another type in Rust.
    pub(super) fn canonical(&self, ty: TypeId) -> TypeId {
        self.canonical.get(&ty).copied().unwrap_or(ty)
    }

    /// The position of a type among the types merged with it, if it is merged.
    pub(super) fn variant(&self, ty: TypeId) -> Option<usize> {
        let merged = self.merged.get(&self.canonical(ty))?;
        merged.variants.iter().position(|variant| variant.types.contains(&ty))
    }

    /// Whether instructions have different widths.
    pub(super) fn varies_width(&self) -> bool {
        self.isa.opcodes().iter().any(|opcode| opcode.width != self.isa.width())
    }

    /// Whether some code cannot be reached: that for opcodes or for values of operands, where there
    /// are none.
    pub(super) fn has_unreachable_code(&self) -> bool {
        self.rows.is_empty() || self.isa.reg_files().is_empty()
    }

    /// Whether the bytes of an instruction are a type of their own.
    pub(super) fn has_bytes(&self, parts: Parts) -> bool {
        self.varies_width() && parts.encode == Emit::Yes
    }

    /// Bytes in the shortest instruction.
    pub(super) fn min_bytes(&self) -> usize {
        let widths = self.isa.opcodes().iter().map(|opcode| opcode.width as usize / 8);
        widths.min().unwrap_or(self.isa.bytes())
    }

    /// Whether some rule does not make words illegal.
    pub(super) fn has_assembler_rules(&self) -> bool {
        self.isa.rules().iter().any(|rule| rule.scope == RuleScope::Assembler)
    }

    /// Whether some opcode has operands that text does not show.
    pub(super) fn has_implicit(&self) -> bool {
        self.isa.opcodes().iter().any(|opcode| !opcode.implicit.is_empty())
    }

    /// Whether a type of the specification has this name in Rust.
    pub(super) fn is_type_name(&self, name: &str) -> bool {
        self.types.values().any(|ident| ident == name)
    }

    /// Whether there are special registers.
    pub(super) fn has_specials(&self) -> bool {
        !self.specials.is_empty()
    }

    /// Whether some operand that is read or written is in memory.
    pub(super) fn has_memory(&self) -> bool {
        !self.image.flows.memory_types.is_empty()
    }

    /// Whether two fields of some opcode are at the same bits.
    pub(super) fn has_shared_bits(&self) -> bool {
        self.isa.opcodes().iter().any(shares_bits)
    }

    /// Whether some type of integers does not have all from the smallest to the largest.
    pub(super) fn has_gaps(&self) -> bool {
        self.types.keys().any(|id| match &self.isa.ty(*id).kind {
            TypeKind::Immediate(immediate) => immediate.has_gaps(),
            _ => false,
        })
    }

    /// Whether some values of operand types are written otherwise.
    pub(super) fn has_others(&self) -> bool {
        let mut types = self.types.keys().map(|id| self.isa.ty(*id));
        types.any(|ty| ty.otherwise.is_some() && !ty.entries().is_empty())
    }

    /// A type with the names that it has in all generations.
    pub(super) fn whole_type(&self, ty: TypeId) -> &Type {
        self.whole.get(&ty).unwrap_or(self.isa.ty(ty))
    }

    /// Whether some row has a literal.
    pub(super) fn has_literals(&self) -> bool {
        self.isa.opcodes().iter().any(|opcode| opcode.has_literal())
    }

    /// The identifier of a type.
    pub(super) fn type_ident(&self, ty: TypeId) -> Ident {
        self.types.get(&self.canonical(ty)).cloned().unwrap_or_else(|| ident("u64"))
    }

    /// The identifier of a field name.
    pub(super) fn field_ident(&self, name: NameId) -> Ident {
        let found = self.fields.iter().find(|field| field.name == name);
        found.map_or_else(|| ident("UNKNOWN"), |field| field.ident.clone())
    }

    /// The slot of a field.
    pub(super) fn slot_of(&self, name: NameId, ty: TypeId) -> Option<usize> {
        let ty = self.canonical(ty);
        self.slots.iter().position(|slot| slot.name == name && slot.ty == ty)
    }

    /// The value in Rust that a row is told by.
    pub(super) fn row(&self, index: usize) -> TokenStream {
        let number = Literal::usize_unsuffixed(index + 1);
        quote!(super::image::row(#number))
    }

    /// Length of the tables that are indexed by opcode number.
    pub(super) fn numbers_len(&self) -> usize {
        let numbers = self.opcodes.iter().map(|opcode| usize::from(opcode.number));
        numbers.max().map_or(0, |last| last + 1)
    }

    /// Bits in the type of words.
    pub(super) fn word_bits(&self) -> u32 {
        match self.isa.width() {
            0..=32 => 32,
            33..=64 => 64,
            _ => 128,
        }
    }
}

/// Whether two fields of an opcode are at the same bits.
pub(super) fn shares_bits(opcode: &Opcode) -> bool {
    let mut seen = 0;
    opcode.fields.iter().any(|field| {
        let is_shared = seen & field.mask() != 0;
        seen |= field.mask();
        is_shared
    })
}

/// The first row of each opcode number.
fn first_rows(isa: &Isa) -> BTreeMap<u16, OpcodeId> {
    let mut first = BTreeMap::new();
    for id in isa.opcode_ids() {
        first.entry(isa.opcode(id).number).or_insert(id);
    }
    first
}

/// The generations, if they differ in some row.
fn generations(isa: &Isa) -> Vec<GenerationPlan> {
    if isa.opcodes().iter().all(|opcode| opcode.generations == isa.describes()) {
        return Vec::new();
    }
    let mut scope = Scope::reserving(&["ALL"]);
    let described = isa.generations().iter().enumerate();
    let described = described.filter(|(index, _)| isa.describes().contains(*index));
    let plan = |(index, name): (usize, &String)| GenerationPlan {
        index,
        ident: scope.add(name),
        name: name.clone(),
    };
    described.map(plan).collect()
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

/// The types of the operands that constructors of the aliases of an opcode take instead of fields.
fn alias_values(opcode: &Opcode) -> impl Iterator<Item = TypeId> {
    opcode.aliases.iter().flat_map(|alias| {
        let values = alias.form.composite_operands.iter().filter(|view| view.is_value());
        values.filter_map(|view| alias.form.field(view.name)).map(|field| field.ty)
    })
}
