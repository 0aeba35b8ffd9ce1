//! Aliases: each is applied to all opcodes at or below its parents, and is a layer below each of them.
//!
//! Codes: E0420.

use super::Resolver;
use crate::ast::{OperandStatement, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Layer, LayerId, LayerKind};
use crate::source::Span;

impl<'a> Resolver<'a, '_> {
    /// Applies all aliases.
    pub(super) fn aliases(&mut self) {
        let ids: Vec<LayerId> = self.model.layer_ids().collect();
        let is_alias = |id: &LayerId| self.model.layer(*id).kind == LayerKind::Alias;
        let aliases: Vec<LayerId> = ids.iter().copied().filter(is_alias).collect();
        let opcodes: Vec<LayerId> =
            ids.into_iter().filter(|id| self.model.layer(*id).kind == LayerKind::Opcode).collect();
        for alias in aliases {
            self.check_alias(alias);
            let parents = &self.model.layer(alias).parents;
            let is_below = |opcode: &&LayerId| {
                let chain = &self.model.layer(**opcode).chain;
                parents.iter().any(|parent| chain.contains(parent))
            };
            let own: Vec<LayerId> = opcodes.iter().filter(is_below).copied().collect();
            let is_shared = own.len() > 1;
            own.into_iter().for_each(|opcode| self.apply(alias, opcode, is_shared));
        }
    }

    /// Adds the layer of an alias of an opcode.
    fn apply(&mut self, alias: LayerId, opcode: LayerId, is_shared: bool) {
        let id = LayerId(self.model.layers.len() as u32);
        let (alias, of) = (self.model.layer(alias), self.model.layer(opcode));
        let layer = Layer {
            kind: LayerKind::Alias,
            name: alias.name,
            header: alias.header,
            guard: alias.guard,
            ast: alias.ast,
            prose: alias.prose,
            broken: alias.broken,
            parents: vec![opcode],
            lacks_parent: alias.lacks_parent,
            is_orphan: alias.is_orphan || of.is_orphan,
            chain: of.chain.iter().copied().chain([id]).collect(),
            own_fields: Vec::new(),
            fields: of.fields.clone(),
            positions: of.positions.clone(),
            has_children: false,
            is_operation: false,
            alias_of: Some(opcode),
            is_shared,
        };
        self.model.layers.push(layer);
    }

    /// Reports faults of an alias that do not concern its text.
    fn check_alias(&mut self, id: LayerId) {
        let ast = self.model.layer(id).ast;
        let fields = ast.fields.iter().map(|field| (field.span, "declare a field"));
        let bits = ast.reserved.iter().map(|bits| (bits.span, "define bits"));
        let unstated = ast.unstated.iter().map(|bits| (bits.span, "define bits"));
        let rules = ast.rules.iter().map(|rule| (rule.span, "make words illegal"));
        let messages = ast.matches.iter().filter_map(|condition| condition.message);
        let messages = messages.map(|message| (message.span, "explain why words are illegal"));
        let is_flow = |statement: &&OperandStatement<'a>| {
            use OperandStatementKind::*;
            let is_text = matches!(statement.kind, Mnemonic(_) | Order(_) | Template(..));
            !is_text && !statement.is_short
        };
        let flow = ast.operand_info.iter().filter(is_flow);
        let flow = flow.map(|statement| (statement.span, "contain this statement"));
        let all: Vec<(Span, &str)> =
            fields.chain(bits).chain(unstated).chain(rules).chain(messages).chain(flow).collect();
        for (span, what) in all {
            let message = format!("an alias cannot {what}");
            let diagnostic = Diagnostic::new(Code::E0420, message, span)
                .with_note("an alias is another text of an opcode; it has only `fix`, `Match`, `Mnemonic`, `Order`, `Operand` and `Print`")
                .with_help("make it an opcode of its own, or move the statement to the opcode");
            self.report(diagnostic);
        }
    }
}
