//! Control flow tables of the engine: the classes of each row, and its distance fields.

use isadl_engine::image::Span;
use isadl_engine::image_control::{
    Class, Controls, HERE, NEXT, Relative, Relocated, Relocation, START,
};

use super::columns::part;
use super::relocation::Relocations;
use super::rows::Rows;
use super::shared::Slices;
use crate::isa::{Bits, Opcode, Point, Reading, TypeId, TypeKind};

part! {
    /// [`Controls`] with their tables.
    OwnedControls for Controls;
    own {}
    columns {
        classes_of: Vec<Span>,
        classes: Vec<Class>,
        targets_of: Vec<Span>,
        targets: Vec<Relative>,
        relocated_of: Vec<Span>,
        relocated: Vec<Relocated>,
        relocations: Vec<Relocation>,
        relocation_names: String,
    }
    seen |part| {}
}

impl OwnedControls {
    /// The tables of an instruction set.
    pub(super) fn of(rows: &mut Rows<'_>, relocations: Relocations) -> OwnedControls {
        let (mut classes, mut targets) = (Slices::default(), Slices::default());
        let (mut classes_of, mut targets_of) = (vec![(0, 0)], vec![(0, 0)]);
        let (mut relocated, mut relocated_of) = (Slices::default(), vec![(0, 0)]);
        let opcodes: Vec<&Opcode> = rows.numbered().map(|(_, opcode)| opcode).collect();
        for opcode in opcodes {
            let own = opcode.classes.iter().map(|class| {
                let condition = class.condition.map(|id| rows.isa.expr(id).clone());
                let condition = condition.map_or(0, |expr| rows.expr(opcode, &expr));
                Class(class.class as u8, condition)
            });
            let own = own.collect();
            classes_of.push(classes.add(own));
            let own = rows.isa.distances(opcode).into_iter();
            let own = own.filter_map(|(bits, ty)| relative(rows, &bits, ty)).collect();
            targets_of.push(targets.add(own));
            let own = relocations.fields(rows, opcode);
            relocated_of.push(relocated.add(own));
        }
        let (classes, targets) = (classes.into_rows(), targets.into_rows());
        let relocated = relocated.into_rows();
        // Without any, no look at a row is needed.
        let needed = |of: Vec<Span>, is_empty: bool| if is_empty { Vec::new() } else { of };
        OwnedControls {
            classes_of: needed(classes_of, classes.is_empty()),
            targets_of: needed(targets_of, targets.is_empty()),
            relocated_of: needed(relocated_of, relocated.is_empty()),
            relocated,
            relocations: relocations.list.into_rows(),
            relocation_names: relocations.names,
            classes,
            targets,
        }
    }
}

/// The row of a field that is a distance.
fn relative(rows: &mut Rows<'_>, bits: &Bits, ty: TypeId) -> Option<Relative> {
    let TypeKind::Immediate(immediate) = &rows.isa.ty(ty).kind else { return None };
    let base = immediate.relative?;
    let (lsb, width) = rows.place(bits);
    Some(Relative {
        lsb,
        width,
        is_signed: immediate.reading() == Reading::Signed,
        scale: immediate.scale,
        bias: immediate.bias,
        from: match base.from {
            Point::Start => START,
            Point::Next => NEXT,
            Point::Here => HERE,
        },
        here: rows.isa.word_layout().first_byte(bits.mask()) as u8,
        before: base.before,
        align: base.align,
        after: base.after,
    })
}
