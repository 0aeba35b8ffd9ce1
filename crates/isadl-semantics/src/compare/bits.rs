//! Whether `Bitwidth` gives an operand more registers than programs read.

use std::collections::BTreeMap;

use isadl_diagnostics::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl_ir::isa::{NameId, OperandLocation};

use super::Comparison;
use crate::effects::{Effect, Resource};
use crate::program::{Expr, ExprKind, Place, Program};

/// How the programs of an opcode read an operand.
#[derive(Default)]
struct Reads {
    /// The number of places in the text.
    count: usize,
    /// The number of those that take bits at a known position.
    of_bits: usize,
    /// The number of bits from bit 0 to the highest of those.
    used: u32,
    /// The fewest bits that the operand has.
    width: u32,
}

impl Comparison<'_, '_> {
    /// Reports operands whose last register no program reads.
    pub(super) fn unused_bits(&self, programs: &[&Program], diagnostics: &mut Diagnostics) {
        let reads = reads(programs);
        for operand in &self.opcode.operands {
            let OperandLocation::Field(name) = operand.place else { continue };
            let Some(own) = reads.get(&name).filter(|_| operand.width.is_some()) else { continue };
            if own.of_bits < own.count || own.used == 0 || !self.is_wasted(name, own) {
                continue;
            }
            // What is written has the same width, and needs it.
            if self.is_written(name) {
                continue;
            }
            let (opcode, shown) = (&self.opcode.name, self.isa.name_of(name));
            let message = format!(
                "`{opcode}` uses the lowest {} bits of `{shown}`, which has {} according to `Bitwidth`",
                own.used, own.width
            );
            let found = Diagnostic::new(Code::W1237, message, self.header);
            let found = match self.lists {
                Some(lists) => found.with_related(lists, "the operands are declared here"),
                None => found,
            };
            diagnostics.push(found.with_help(format!(
                "declare `Bitwidth<{shown}> = {};`, or use the other bits",
                own.used
            )));
        }
    }

    fn is_written(&self, name: NameId) -> bool {
        let is_it = |effect: &Effect| matches!(effect.resource, Resource::Operand { field, .. } if field == name);
        self.effects.accesses.iter().any(|effect| effect.is_write && is_it(effect))
    }

    /// Whether programs read none of the last register. An instruction may use some bits of a register and depend on all, as
    /// shifts do.
    fn is_wasted(&self, name: NameId, reads: &Reads) -> bool {
        let widths =
            self.files(name).into_iter().map(|file| self.isa.reg_files()[file.index()].width);
        widths.max().is_some_and(|register| reads.used + register <= reads.width)
    }
}

/// How programs read the registers of operands.
fn reads(programs: &[&Program]) -> BTreeMap<NameId, Reads> {
    let mut found: BTreeMap<NameId, Reads> = BTreeMap::new();
    let mut each = |expr: &Expr| match &expr.kind {
        ExprKind::Read(Place::Operand { field, width, .. }) => {
            let reads = found.entry(*field).or_default();
            reads.count += 1;
            reads.width = if reads.count == 1 { *width } else { reads.width.min(*width) };
        }
        // Of registers after the first of a group, and of other lanes, all bits count.
        ExprKind::Read(Place::Group { field, .. }) => found.entry(*field).or_default().count += 1,
        ExprKind::Read(Place::OfLane { place, .. }) => {
            if let Place::Operand { field, .. } | Place::Group { field, .. } = &**place {
                found.entry(*field).or_default().count += 1;
            }
        }
        ExprKind::Slice { of, low, width } => {
            if let ExprKind::Read(Place::Operand { field, .. }) = &of.kind {
                let reads = found.entry(*field).or_default();
                reads.of_bits += 1;
                reads.used = reads.used.max(low + width);
            }
        }
        _ => {}
    };
    for statement in programs.iter().flat_map(|program| &program.statements) {
        statement.each_expr(&mut |expr| expr.visit(&mut each));
    }
    found
}
