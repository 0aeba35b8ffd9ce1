//! Flow of control: the classes of opcodes.
//!
//! The statements of a chain accumulate: statements of the nearest layer come first, and statements of one layer keep
//! their order. Codes: E0522, E0521.

use super::Resolver;
use crate::ast::OperandStatementKind;
use crate::diagnostic::{Code, Diagnostic, Old};
use crate::isa::{FlowClass, FlowControl};
use crate::model::LayerId;
use crate::source::Span;

impl Resolver<'_, '_> {
    /// The classes of an opcode, up to the first without a condition.
    pub(super) fn classes(&mut self, layer: LayerId) -> Vec<FlowClass> {
        let chain = self.model.layer(layer).chain.clone();
        let mut classes: Vec<FlowClass> = Vec::new();
        for id in chain.into_iter().rev() {
            let mut always: Option<Span> = None;
            for statement in &self.model.layer(id).ast.operand_info {
                let OperandStatementKind::Flow { class, condition } = &statement.kind else {
                    continue;
                };
                if let Some(before) = always {
                    self.never_reached(statement.span, before);
                    continue;
                }
                let known = FlowControl::ALL.into_iter().find(|known| known.name() == class.text);
                if known.is_none() {
                    self.no_class(class.text, class.span);
                }
                let condition = match condition {
                    None => {
                        always = Some(statement.span);
                        None
                    }
                    Some(condition) => match self.expr(layer, condition) {
                        Some(condition) => Some(self.model.exprs.intern(condition)),
                        None => continue,
                    },
                };
                let is_reached = classes.last().is_none_or(|last| last.condition.is_some());
                if let Some(class) = known.filter(|_| is_reached) {
                    classes.push(FlowClass { class, condition });
                }
            }
        }
        classes
    }

    fn no_class(&mut self, name: &str, span: Span) {
        if self.is_new(Code::E0522, span) {
            let known = FlowControl::ALL.map(FlowControl::name);
            let message = format!("`{name}` is not a class of flow of control");
            let diagnostic = Diagnostic::new(Code::E0522, message, span)
                .with_note(format!("the classes are {}", crate::diagnostic::names(&known)))
                .with_suggestion(name, known);
            self.report(diagnostic);
        }
    }

    fn never_reached(&mut self, span: Span, before: Span) {
        if self.is_new(Code::E0521, span) {
            let diagnostic =
                Diagnostic::new(Code::E0521, "this `Flow` statement never applies", span)
                    .with_related(before, "this one always holds, and comes first")
                    .with_removal(
                        "move it before that one, or remove one of the two",
                        Old::Statement(span),
                    );
            self.report(diagnostic);
        }
    }
}
