//! Relocation tables of the engine: the relocations of each type, and the relocated fields of each row.

use std::collections::BTreeMap;

use isadl_engine::image::Span;
use isadl_engine::image_control::{AFTER, BEFORE, FUNCTION, Relocated, Relocation, UNNAMED};

use super::rows::{Rows, computed_number};
use super::shared::Slices;
use crate::isa::{self, Bits, Expr, Opcode, Reading, TypeId, TypeKind, Written};

/// The relocations of types.
#[derive(Debug, Default)]
pub(super) struct Relocations {
    /// The relocations of each type that has some.
    pub(super) of: BTreeMap<TypeId, Span>,
    /// All of them, in lists.
    pub(super) list: Slices<Relocation>,
    /// Their names, concatenated.
    pub(super) names: String,
}

impl Relocations {
    /// The relocations of an instruction set.
    pub(super) fn of(rows: &mut Rows<'_>) -> Relocations {
        let mut made = Relocations::default();
        let isa = rows.isa;
        for (id, ty) in (0..).map(TypeId::new).zip(isa.types()) {
            let TypeKind::Immediate(immediate) = &ty.kind else { continue };
            if immediate.relocations.is_empty() {
                continue;
            }
            let list = immediate.relocations.iter().map(|one| made.row(rows, one)).collect();
            let span = made.list.add(list);
            made.of.insert(id, span);
        }
        made
    }

    fn row(&mut self, rows: &mut Rows<'_>, of: &isa::Relocation) -> Relocation {
        let name = of.name.as_deref().unwrap_or_default();
        let form = match Written::of(name) {
            None => UNNAMED,
            Some(Written::Function) => FUNCTION,
            Some(Written::Before) => BEFORE,
            Some(Written::After) => AFTER,
        };
        let first = self.names.len() as u32;
        self.names += name;
        let value = of.value.as_ref().map_or(0, |value| rows.expr_of_address(value));
        Relocation {
            form,
            name: (first, name.len() as u32),
            number: of.number,
            value,
            is_relative: of.value.as_ref().is_some_and(names_start),
        }
    }

    /// The fields of an opcode that have relocations, in the order of text.
    pub(super) fn fields(&self, rows: &mut Rows<'_>, opcode: &Opcode) -> Vec<Relocated> {
        let isa = rows.isa;
        let found = isa.numbers_where(opcode, |immediate| !immediate.relocations.is_empty());
        found.into_iter().filter_map(|(bits, ty)| self.field(rows, &bits, ty)).collect()
    }

    fn field(&self, rows: &mut Rows<'_>, bits: &Bits, ty: TypeId) -> Option<Relocated> {
        let TypeKind::Immediate(immediate) = &rows.isa.ty(ty).kind else { return None };
        let (lsb, width) = rows.place(bits);
        Some(Relocated {
            lsb,
            width,
            is_signed: immediate.reading() == Reading::Signed,
            scale: immediate.scale,
            bias: immediate.bias,
            computed: computed_number(rows.isa, immediate).unwrap_or(0),
            offset: rows.isa.relocation_offset(bits, immediate) as u8,
            list: *self.of.get(&ty)?,
        })
    }
}

/// Whether the value of a relocation depends on the address of the instruction.
fn names_start(value: &Expr) -> bool {
    value.fields().contains(&isa::Relocation::START)
}
