//! Memory: what programs load and store, and what `Loads` and `Stores` declare.

use isadl_base::vocabulary::BinaryOp;
use isadl_diagnostics::diagnostic::{Code, Diagnostic, Diagnostics, bits};
use isadl_ir::isa::{Access, Expr as FieldExpr, FlowItem, FlowPlace, TypeKind};

use super::Comparison;
use crate::condition::any_of;
use crate::condition::{both, negated};
use crate::effects::{Effect, Resource};

impl Comparison<'_, '_> {
    /// Whether an entry is a place in memory.
    pub(super) fn is_address(&self, place: FlowPlace) -> bool {
        let FlowPlace::Field(name) = place else { return false };
        let is_composite = |ty| matches!(self.isa.ty(ty).kind, TypeKind::Composite(_));
        self.opcode.composite_operand(name).is_some_and(|view| view.value.is_none())
            || self.opcode.field(name).is_some_and(|field| is_composite(field.ty))
    }

    pub(super) fn memory(&self, diagnostics: &mut Diagnostics) {
        let addresses: Vec<&FlowItem> = self
            .opcode
            .flow
            .iter()
            .filter(|item| self.is_address(item.place) && item.access != Access::None)
            .collect();
        for is_write in [false, true] {
            let declared: Vec<&FlowItem> = addresses
                .iter()
                .copied()
                .filter(|item| match is_write {
                    true => item.access.writes(),
                    false => item.access.reads(),
                })
                .collect();
            self.memory_of(is_write, &declared, !addresses.is_empty(), diagnostics);
        }
    }

    fn memory_of(
        &self,
        is_write: bool,
        declared: &[&FlowItem],
        has_address: bool,
        diagnostics: &mut Diagnostics,
    ) {
        let (verb, statement) = if is_write { ("stores", "Stores") } else { ("loads", "Loads") };
        let done: Vec<(&Effect, u32)> = self
            .effects
            .accesses
            .iter()
            .filter(|effect| effect.is_write == is_write)
            .filter_map(|effect| match effect.resource {
                Resource::Memory { width, .. } => Some((effect, width)),
                _ => None,
            })
            .collect();
        let opcode = &self.opcode.name;
        // An access without an operand for its address cannot be declared.
        if declared.is_empty()
            && has_address
            && let Some((effect, width)) = done.first()
        {
            let message = format!(
                "`{opcode}` {verb} {}, but `{statement}` does not say so",
                bits((*width).into())
            );
            let found = Diagnostic::new(Code::E1223, message, effect.span);
            let found = found.with_related(self.lists.unwrap_or(self.header), "these are declared");
            diagnostics.push(
                found.with_help(format!("add `{statement}<…> = {width};`, or correct the program")),
            );
        }
        for item in declared {
            let condition =
                item.condition.map_or(FieldExpr::Int(1), |id| self.isa.expr(id).clone());
            let happens = any_of(done.iter().map(|(effect, _)| &effect.when));
            let unmet =
                happens.and_then(|happens| self.word(&both(condition.clone(), negated(happens))));
            if unmet.is_some() {
                let message = format!(
                    "`{statement}` declares an access to memory that `{opcode}` does not make"
                );
                let found = Diagnostic::new(Code::E1223, message, self.header);
                let found = found.with_related(self.lists.unwrap_or(self.header), "declared here");
                diagnostics.push(found.with_help("remove the statement, or correct the program"));
                continue;
            }
            let Some(width) = item.width else { continue };
            for (effect, own) in &done {
                let wrong = crate::condition::binary(
                    BinaryOp::Ne,
                    self.isa.expr(width).clone(),
                    FieldExpr::Int((*own).into()),
                );
                let asked = both(both(condition.clone(), self.necessary(&effect.when)), wrong);
                // Several accesses may make up what is declared together.
                if done.len() == 1 && !effect.is_repeated && self.word(&asked).is_some() {
                    let message = format!(
                        "`{opcode}` {verb} {}, but `{statement}` gives another width",
                        bits((*own).into())
                    );
                    let found = Diagnostic::new(Code::E1223, message, effect.span);
                    let found =
                        found.with_related(self.lists.unwrap_or(self.header), "these are declared");
                    diagnostics.push(found.with_help("correct the statement or the program"));
                }
            }
        }
    }
}
