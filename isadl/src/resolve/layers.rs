//! Groups, optypes and opcodes: parents and chains.
//!
//! Codes: E0203, E0204, E0205.

use super::{Resolver, layer_kind};
use crate::ast::File;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::MAX_WORD_BITS;
use crate::model::{Layer, LayerId};

impl<'a> Resolver<'a, '_> {
    /// All layers, each with its chain.
    pub(super) fn layers(&mut self, files: &'a [File<'a>]) {
        for definition in files.iter().flat_map(|file| &file.definitions) {
            let Some((kind, ast)) = layer_kind(&definition.kind) else { continue };
            let id = LayerId(self.model.layers.len() as u32);
            if !self.define(|index| &mut index.layers, definition.name, id, kind.as_str()) {
                continue;
            }
            if let Some(width) = ast.width {
                self.width_in(width, MAX_WORD_BITS, "an instruction");
            }
            self.model.layers.push(Layer {
                kind,
                name: definition.name,
                header: definition.header,
                ast,
                prose: &definition.prose,
                parents: Vec::new(),
                chain: Vec::new(),
                own_fields: Vec::new(),
                fields: Vec::new(),
                has_children: false,
            });
        }
        for id in self.model.layer_ids() {
            self.parents(id);
        }
        self.break_cycles();
        for id in self.model.layer_ids() {
            self.chain(id);
        }
    }

    fn parents(&mut self, id: LayerId) {
        let (kind, ast) = (self.model.layer(id).kind, self.model.layer(id).ast);
        for name in &ast.parents {
            let Some((parent, defined)) = self.index.layers.get(name.text).copied() else {
                let known = self.model.layers.iter().filter(|layer| layer.kind == kind.parent());
                let known: Vec<&str> = known.map(|layer| layer.name.text).collect();
                let what = kind.parent().as_str();
                let diagnostic = Diagnostic::new(
                    Code::E0203,
                    format!("{what} `{}` is not defined", name.text),
                    name.span,
                )
                .with_label("no such parent")
                .with_suggestion(name.text, known);
                self.report(diagnostic);
                continue;
            };
            let found = self.model.layer(parent).kind;
            if found != kind.parent() {
                let message = format!(
                    "the parent of an {} must be an {}",
                    kind.as_str(),
                    kind.parent().as_str()
                );
                let message = message.replace("an group", "a group");
                let diagnostic = Diagnostic::new(Code::E0204, message, name.span)
                    .with_label(format!("this is of kind {}", found.as_str()))
                    .with_related(defined, format!("`{}` is defined here", name.text));
                self.report(diagnostic);
                continue;
            }
            self.model.layers[parent.0 as usize].has_children = true;
            let parents = &mut self.model.layers[id.0 as usize].parents;
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
    }

    /// Reports each inheritance cycle once and cuts it where it was found. A walk with a stack
    /// of its own: chains may be longer than the program's stack.
    fn break_cycles(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.model.layers.len()];
        for root in self.model.layer_ids() {
            let mut stack = vec![(root, 0)];
            while let Some((id, next)) = stack.pop() {
                marks[id.0 as usize] = Mark::Open;
                let Some(parent) = self.model.layer(id).parents.get(next).copied() else {
                    marks[id.0 as usize] = Mark::Done;
                    continue;
                };
                match marks[parent.0 as usize] {
                    Mark::New => {
                        stack.push((id, next + 1));
                        stack.push((parent, 0));
                    }
                    Mark::Done => stack.push((id, next + 1)),
                    Mark::Open => {
                        self.report_cycle(id, parent, &stack);
                        self.model.layers[id.0 as usize].parents.remove(next);
                        stack.push((id, next));
                    }
                }
            }
        }
    }

    fn report_cycle(&mut self, id: LayerId, parent: LayerId, stack: &[(LayerId, usize)]) {
        let name = |id: LayerId| self.model.layer(id).name.text;
        let from = stack.iter().position(|(open, _)| *open == parent).unwrap_or(stack.len());
        let mut path: Vec<&str> = stack[from..].iter().map(|(open, _)| name(*open)).collect();
        path.push(name(id));
        path.push(name(parent));
        let diagnostic =
            Diagnostic::new(Code::E0205, "inheritance cycle", self.model.layer(id).header)
                .with_related(self.model.layer(parent).header, "which inherits from it")
                .with_note(path.join(" inherits from "))
                .with_help("remove one of the parents");
        self.report(diagnostic);
    }

    fn chain(&mut self, id: LayerId) {
        let mut stack = vec![id];
        while let Some(top) = stack.last().copied() {
            let layer = self.model.layer(top);
            let missing = layer
                .parents
                .iter()
                .copied()
                .find(|parent| self.model.layer(*parent).chain.is_empty());
            if let Some(parent) = missing {
                stack.push(parent);
                continue;
            }
            stack.pop();
            if !layer.chain.is_empty() {
                continue;
            }
            let mut chain: Vec<LayerId> = Vec::new();
            for parent in &layer.parents {
                for ancestor in &self.model.layer(*parent).chain {
                    if !chain.contains(ancestor) {
                        chain.push(*ancestor);
                    }
                }
            }
            chain.push(top);
            self.model.layers[top.0 as usize].chain = chain;
        }
    }
}
