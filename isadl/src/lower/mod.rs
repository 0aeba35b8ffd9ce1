//! Lowering: from a model without errors to an [`Isa`]: masks, values, operands.
//!
//! Invariant: called only when no error was found, so every `Option` of the model is `Some`;
//! what is `None` all the same is left out rather than guessed.

mod ambiguous;
mod syntax;

use std::collections::HashMap;

use crate::ast::Section;
use crate::isa::{
    Binding, Field, Generations, Group, GroupId, Isa, Opcode, OpcodeId, Optype, OptypeId, Origin,
    Prose, RegFile, Rule, RuleId, Syntax,
};
use crate::model::{self, LayerId, LayerKind, Model};
use crate::numbers::Numbers;
use crate::prose;
use crate::tree::Tree;

/// Lowers a model. `numbers` pins the numbers of opcodes.
pub(crate) fn lower(model: &Model<'_>, numbers: &Numbers, describes: Generations) -> Option<Isa> {
    let header = model.isa.as_ref()?;
    let width = header.width?;
    let mut lowering = Lowering {
        model,
        rules: Vec::new(),
        rule_ids: HashMap::new(),
        ids: ids(model),
        width,
        generations: describes,
    };
    let mut opcodes: Vec<Opcode> = Vec::new();
    for opcode in &model.opcodes {
        if model.layer(opcode.layer).kind == LayerKind::Opcode {
            opcodes.push(lowering.opcode(opcode));
        }
    }
    for opcode in &mut opcodes {
        opcode.number = numbers.number(&opcode.name);
    }
    let mut optypes = lowering.optypes(&opcodes);
    syntax::derive(model, &mut optypes, &mut opcodes);
    let all: Vec<OpcodeId> = (0..opcodes.len() as u32).map(OpcodeId).collect();
    let tree = Tree::build(&opcodes, &all, width);
    Some(Isa {
        name: header.name.text.to_string(),
        width,
        modifiers: crate::isa::ModifierStyle::default(),
        describes,
        generations: header.generations.iter().map(|name| name.text.to_string()).collect(),
        description: prose::description(header.prose),
        reg_files: model.reg_files.iter().map(reg_file).collect(),
        types: model.types.iter().map(|ty| ty.ty.clone()).collect(),
        names: model.names.all().iter().map(|name| name.to_string()).collect(),
        exprs: model.exprs.all().to_vec(),
        groups: lowering.groups(),
        rules: lowering.rules,
        optypes,
        opcodes,
        tree,
    })
}

fn reg_file(file: &model::RegFile<'_>) -> RegFile {
    RegFile {
        name: file.name.text.to_string(),
        width: file.width,
        count: file.count,
        description: prose::description(file.prose),
    }
}

/// The number of each layer among those of its kind.
fn ids(model: &Model<'_>) -> Vec<u32> {
    let mut counts = [0u32; 3];
    let count = |layer: &model::Layer<'_>| {
        let slot = &mut counts[layer.kind as usize];
        *slot += 1;
        *slot - 1
    };
    model.layers.iter().map(count).collect()
}

struct Lowering<'m, 'a> {
    model: &'m Model<'a>,
    rules: Vec<Rule>,
    rule_ids: HashMap<Rule, RuleId>,
    ids: Vec<u32>,
    width: u32,
    generations: Generations,
}

impl Lowering<'_, '_> {
    fn group_id(&self, id: LayerId) -> GroupId {
        GroupId(self.ids[id.0 as usize])
    }

    fn opcode(&mut self, opcode: &model::Opcode<'_>) -> Opcode {
        let layer = self.model.layer(opcode.layer);
        let fields = self.fields(opcode);
        let (mut mask, mut value, mut significant) = (0, 0, 0);
        for field in &fields {
            significant |= field.mask();
            if let Binding::Fixed(raw) = field.binding {
                mask |= field.mask();
                value = field.insert(value, raw);
            }
        }
        let groups =
            layer.chain.iter().filter(|id| self.model.layer(**id).kind == LayerKind::Group);
        let groups = groups.map(|id| self.group_id(*id)).collect();
        let parents = layer.parents.iter();
        Opcode {
            name: layer.name.text.to_string(),
            number: 0,
            generations: self.generations,
            width: self.width,
            literal: None,
            optypes: parents.map(|id| OptypeId(self.ids[id.0 as usize])).collect(),
            groups,
            mask,
            value,
            significant,
            operands: opcode.operands.clone(),
            implicit: Vec::new(),
            syntax: Syntax::default(),
            prose: sections(layer.prose),
            rules: opcode
                .rules
                .iter()
                .map(|(rule, condition)| self.rule(rule, *condition))
                .collect(),
            fields,
        }
    }

    fn fields(&self, opcode: &model::Opcode<'_>) -> Vec<Field> {
        let ids = self.model.layer(opcode.layer).fields.iter().zip(&opcode.roles);
        let mut fields: Vec<Field> = ids
            .filter_map(|(id, role)| {
                let field = self.model.field(*id);
                let (lsb, width) = (field.lsb(), field.width());
                Some(Field {
                    name: field.name,
                    ty: field.ty?,
                    lsb,
                    width,
                    role: (*role)?,
                    binding: field.binding?,
                    origin: self.origin(field.layer),
                })
            })
            .collect();
        fields.sort_by_key(|field| field.lsb);
        fields
    }

    fn origin(&self, id: LayerId) -> Origin {
        match self.model.layer(id).kind {
            LayerKind::Group => Origin::Group(self.group_id(id)),
            LayerKind::Optype => Origin::Optype(OptypeId(self.ids[id.0 as usize])),
            LayerKind::Opcode => Origin::Opcode,
        }
    }

    fn rule(&mut self, rule: &crate::ast::Rule<'_>, condition: crate::isa::ExprId) -> RuleId {
        let kind = rule.kind.text.to_string();
        let rule = Rule {
            scope: crate::isa::RuleScope::Word,
            kind,
            message: rule.message.text.to_string(),
            condition,
        };
        let next = RuleId(self.rules.len() as u32);
        *self.rule_ids.entry(rule).or_insert_with_key(|rule| {
            self.rules.push(rule.clone());
            next
        })
    }

    fn groups(&self) -> Vec<Group> {
        let groups = self.model.layers.iter().filter(|layer| layer.kind == LayerKind::Group);
        let group = |layer: &model::Layer<'_>| Group {
            name: layer.name.text.to_string(),
            parents: layer.parents.iter().map(|id| self.group_id(*id)).collect(),
            prose: sections(layer.prose),
        };
        groups.map(group).collect()
    }

    fn optypes(&self, opcodes: &[Opcode]) -> Vec<Optype> {
        let layers = self.model.layers.iter().filter(|layer| layer.kind == LayerKind::Optype);
        let optype = |layer: &model::Layer<'_>| Optype {
            name: layer.name.text.to_string(),
            mnemonic: layer.name.text.to_string(),
            groups: layer.parents.iter().map(|id| self.group_id(*id)).collect(),
            opcodes: Vec::new(),
            prose: sections(layer.prose),
        };
        let mut optypes: Vec<Optype> = layers.map(optype).collect();
        for (index, opcode) in opcodes.iter().enumerate() {
            for optype in &opcode.optypes {
                optypes[optype.index()].opcodes.push(OpcodeId(index as u32));
            }
        }
        optypes
    }
}

fn sections(sections: &[Section<'_>]) -> Vec<Prose> {
    let prose =
        sections.iter().map(|section| Prose { kind: section.kind, text: prose::text(section) });
    prose.filter(|section| !section.text.is_empty()).collect()
}
