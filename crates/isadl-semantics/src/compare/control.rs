//! Flow of control: where programs jump, and what `Flow` declares.

use isadl_diagnostics::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{Expr as FieldExpr, FlowControl};

use super::Comparison;
use crate::condition::any_of;
use crate::condition::{both, either, negated};
use crate::effects::Jump;

impl Comparison<'_, '_> {
    pub(super) fn flow(&self, diagnostics: &mut Diagnostics) {
        let jumps =
            any_of(self.effects.jumps.iter().map(|jump| &jump.when)).unwrap_or(FieldExpr::Int(1));
        let mut earlier = FieldExpr::Int(0);
        for class in &self.opcode.classes {
            let own = class.condition.map_or(FieldExpr::Int(1), |id| self.isa.expr(id).clone());
            let here = both(own.clone(), negated(earlier.clone()));
            self.class(class.class, &here, &jumps, diagnostics);
            earlier = either(earlier, own);
        }
        self.class(FlowControl::Next, &negated(earlier), &jumps, diagnostics);
    }

    /// Compares the words of a declared class with what the program does there.
    fn class(
        &self,
        class: FlowControl,
        here: &FieldExpr,
        jumps: &FieldExpr,
        diagnostics: &mut Diagnostics,
    ) {
        let jump = self
            .effects
            .jumps
            .iter()
            .find(|jump| self.word(&both(here.clone(), self.necessary(&jump.when))).is_some());
        let wanted = match (class, jump) {
            (FlowControl::Next, Some(jump)) => {
                Some(("goes on to the next instruction", "jumps", Some(jump.span)))
            }
            (FlowControl::Next, None) => None,
            (class, _) if class.is_trap() => {
                let has_none = self.effects.traps.is_empty() && self.word(here).is_some();
                has_none.then_some(("traps", "does not", None))
            }
            (_, None) => self.word(here).map(|_| ("jumps", "does not", None)),
            (class, Some(jump)) => self.jump(class, jump, here, jumps),
        };
        if let Some((declared, does, span)) = wanted {
            let opcode = &self.opcode.name;
            let message = format!(
                "`{opcode}` is declared as an instruction that {declared}, but its program {does}"
            );
            let found = Diagnostic::new(Code::E1224, message, span.unwrap_or(self.header));
            let found = match span {
                Some(_) => found.with_related(self.header, "the opcode"),
                None => found,
            };
            diagnostics.push(found.with_help("correct `Flow`, or the program"));
        }
    }

    /// What is wrong with a jump of a class.
    fn jump(
        &self,
        class: FlowControl,
        jump: &Jump,
        here: &FieldExpr,
        jumps: &FieldExpr,
    ) -> Option<(&'static str, &'static str, Option<Span>)> {
        let is_certain =
            jump.when.is_certain && self.is_always(&either(negated(here.clone()), jumps.clone()));
        let span = Some(jump.span);
        let wants_direct =
            matches!(class, FlowControl::Branch | FlowControl::Call | FlowControl::Conditional);
        if wants_direct && !jump.is_direct {
            return Some((
                "jumps to a target in the word",
                "computes the target from registers or memory",
                span,
            ));
        }
        match class {
            FlowControl::Branch | FlowControl::Call if !is_certain => {
                Some(("always jumps", "jumps under a condition", span))
            }
            FlowControl::Conditional if is_certain => {
                Some(("jumps under a condition", "always jumps", span))
            }
            FlowControl::Return | FlowControl::Indirect | FlowControl::IndirectCall
                if jump.is_direct =>
            {
                Some((
                    "takes its target from registers or memory",
                    "jumps to a target in the word",
                    span,
                ))
            }
            _ => None,
        }
    }
}
