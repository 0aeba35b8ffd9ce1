//! Groups, optypes and opcodes: parents and chains.
//!
//! Codes: E0109, E0203, E0204, E0205, E0305.

use super::{Defined, Resolver, layer_kind};
use crate::ast::{Ident, NameSpace};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::MAX_WORD_BITS;
use crate::model::{Layer, LayerId, LayerKind, MAX_CHAIN, Model};

/// The maximum number of names of an inheritance cycle that are shown.
const NAMES_OF_CYCLE: usize = 8;

impl<'a> Resolver<'a, '_> {
    /// Creates all layers, each with its chain. Returns them with parents before children.
    pub(super) fn layers(&mut self) -> Vec<LayerId> {
        for definition in self.definitions() {
            let Some((kind, ast)) = layer_kind(&definition.kind) else { continue };
            let id = LayerId(self.model.layers.len() as u32);
            self.define(|index| &mut index.layers, definition.name, id, kind.as_str());
            self.model.layers.push(Layer {
                kind,
                name: definition.name,
                header: definition.header,
                guard: definition.guard.as_deref(),
                ast,
                prose: &definition.prose,
                broken: &definition.broken,
                parents: Vec::new(),
                lacks_parent: false,
                is_orphan: false,
                chain: Vec::new(),
                own_fields: Vec::new(),
                fields: Vec::new(),
                positions: Vec::new(),
                has_children: false,
                is_operation: false,
                alias_of: None,
                is_shared: false,
            });
        }
        for name in self.broken_names(NameSpace::Layers) {
            let unknown = Defined { id: None, span: name.span };
            self.index.layers.entry(name.text).or_insert(unknown);
        }
        for id in self.model.layer_ids() {
            self.check_width(id);
            self.parents(id);
        }
        let order = self.break_cycles();
        self.chains(&order);
        order
    }

    /// Checks that the instructions of a group are at most as wide as the widest, in whole bytes.
    fn check_width(&mut self, id: LayerId) {
        if let Some(width) = self.model.layer(id).ast.width {
            let widest = self.model.isa.as_ref().and_then(|isa| isa.width);
            self.instruction_bits(width, widest.unwrap_or(MAX_WORD_BITS));
        }
    }

    fn parents(&mut self, id: LayerId) {
        let (kind, ast) = (self.model.layer(id).kind, self.model.layer(id).ast);
        let own = self.model.layer(id).name;
        let is_duplicate =
            self.index.layers.get(own.text).is_some_and(|first| first.span != own.span);
        let mut parents = Vec::new();
        let mut lacks_parent = false;
        for name in &ast.parents {
            match self.parent(kind, *name, is_duplicate) {
                Some(parent) if parents.contains(&parent) => {}
                Some(parent) => {
                    self.model.layers[parent.0 as usize].has_children = true;
                    parents.push(parent);
                }
                None => lacks_parent = true,
            }
        }
        let is_optype = |id: &LayerId| self.model.layer(*id).kind == LayerKind::Optype;
        let is_operation = match kind {
            LayerKind::Group | LayerKind::Alias => false,
            LayerKind::Optype => true,
            LayerKind::Opcode => !parents.iter().any(is_optype),
        };
        if kind != LayerKind::Group && ast.parents.is_empty() {
            lacks_parent = true;
            let message = format!("{} needs {} as its parent", kind.indefinite(), kind.parents());
            let header = self.model.layer(id).header;
            let note = "only a group, as a root, can have no parents";
            self.report(Diagnostic::new(Code::E0204, message, header).with_note(note));
        }
        let layer = &mut self.model.layers[id.0 as usize];
        (layer.parents, layer.lacks_parent) = (parents, lacks_parent);
        layer.is_operation = is_operation;
    }

    /// The parent with a name, for a layer of some kind; `None` if it does not exist or is unknown.
    fn parent(&mut self, kind: LayerKind, name: Ident<'a>, is_duplicate: bool) -> Option<LayerId> {
        let Some(defined) = self.index.layers.get(name.text).copied() else {
            let what = match kind {
                LayerKind::Alias => "opcode, optype or group",
                LayerKind::Opcode => "optype or group",
                LayerKind::Group | LayerKind::Optype => "group",
            };
            let message = format!("{what} `{}` is not defined", name.text);
            let diagnostic =
                Diagnostic::new(Code::E0203, message, name.span).with_label("no such parent");
            let known = |model: &Model<'a>| {
                let layers = model.layers.iter().filter(|layer| kind.takes(layer.kind));
                layers.map(|layer| layer.name.text).collect()
            };
            let diagnostic = self.suggest(diagnostic, name.text, known);
            // A second definition with the same name repeats the errors of the first.
            if !is_duplicate {
                self.report(diagnostic);
            }
            return None;
        };
        let found = self.model.layer(defined.id?).kind;
        if kind.takes(found) {
            return defined.id;
        }
        let message = format!("the parent of {} must be {}", kind.indefinite(), kind.parents());
        let diagnostic = Diagnostic::new(Code::E0204, message, name.span)
            .with_label(format!("this is {}", found.indefinite()))
            .with_related(defined.span, format!("`{}` is defined here", name.text));
        self.report(diagnostic);
        None
    }

    /// Reports each inheritance cycle once and cuts it at the point of discovery. The walk uses a stack of its own,
    /// since chains can be longer than the program's stack. Returns the layers in the order in which the walk leaves
    /// them.
    fn break_cycles(&mut self) -> Vec<LayerId> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.model.layers.len()];
        let mut order = Vec::with_capacity(marks.len());
        for root in self.model.layer_ids() {
            if marks[root.0 as usize] == Mark::Done {
                continue;
            }
            let mut stack = vec![(root, 0)];
            while let Some((id, next)) = stack.pop() {
                marks[id.0 as usize] = Mark::Open;
                let Some(parent) = self.model.layer(id).parents.get(next).copied() else {
                    marks[id.0 as usize] = Mark::Done;
                    order.push(id);
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
                        let layer = &mut self.model.layers[id.0 as usize];
                        layer.parents.remove(next);
                        layer.lacks_parent = true;
                        stack.push((id, next));
                    }
                }
            }
        }
        order
    }

    fn report_cycle(&mut self, id: LayerId, parent: LayerId, stack: &[(LayerId, usize)]) {
        let name = |id: LayerId| self.model.layer(id).name.text;
        let from = stack.iter().position(|(open, _)| *open == parent).unwrap_or(stack.len());
        let between = &stack[from..];
        let told = between.iter().take(NAMES_OF_CYCLE).map(|(open, _)| name(*open));
        let mut path: Vec<&str> = told.collect();
        if between.len() > NAMES_OF_CYCLE {
            path.push("…");
        }
        path.push(name(id));
        path.push(name(parent));
        let diagnostic =
            Diagnostic::new(Code::E0205, "inheritance cycle", self.model.layer(id).header)
                .with_related(self.model.layer(parent).header, "which inherits from it")
                .with_note(path.join(" inherits from "))
                .with_help("remove one of the parents");
        self.report(diagnostic);
    }

    /// Computes the chains of all layers, parents before children. A chain that is too long is cut to the layer itself,
    /// and so are the chains of its descendants.
    fn chains(&mut self, order: &[LayerId]) {
        let mut too_long = vec![false; self.model.layers.len()];
        for id in order {
            let layer = self.model.layer(*id);
            let mut chain = self.ancestors(*id);
            chain.push(*id);
            let follows = layer.parents.iter().any(|parent| too_long[parent.0 as usize]);
            if chain.len() > MAX_CHAIN && !follows {
                let message = format!("`{}` is nested too deeply", layer.name.text);
                let diagnostic = Diagnostic::new(Code::E0109, message, layer.header)
                    .with_note(format!("a definition has at most {} ancestors", MAX_CHAIN - 1))
                    .with_help("remove layers that do not add anything");
                self.report(diagnostic);
            }
            let is_cut = follows || chain.len() > MAX_CHAIN;
            if is_cut {
                chain = vec![*id];
            }
            too_long[id.0 as usize] = is_cut;
            let layer = self.model.layer(*id);
            let of_orphan = layer.parents.iter().any(|parent| self.model.layer(*parent).is_orphan);
            let layer = &mut self.model.layers[id.0 as usize];
            layer.is_orphan = layer.lacks_parent || is_cut || of_orphan;
            layer.chain = chain;
        }
    }

    /// The ancestors of a layer, roots first, each once; if there are too many, only some.
    fn ancestors(&self, id: LayerId) -> Vec<LayerId> {
        let mut ancestors: Vec<LayerId> = Vec::new();
        for parent in &self.model.layer(id).parents {
            for ancestor in &self.model.layer(*parent).chain {
                if !ancestors.contains(ancestor) {
                    ancestors.push(*ancestor);
                }
            }
            if ancestors.len() >= MAX_CHAIN {
                break;
            }
        }
        ancestors
    }
}
