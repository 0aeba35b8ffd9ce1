//! All generations of an instruction set, merged for backends.
//!
//! Invariant: everything that generations share is equal in them. An opcode that differs has one entry per variant,
//! under a single name and number.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use super::{
    Alias, Composite, CompositeOperand, Entry, Expr, ExprId, Family, Field, FieldRole, FlowClass,
    FlowItem, FlowPlace, Generations, Group, GroupId, Isa, LiteralForm, Meaning, MnemonicPiece,
    ModifierSyntax, Move, Moved, NameId, Opcode, OpcodeId, Operand, OperandLocation, OperandSyntax,
    Optype, OptypeId, Origin, Otherwise, Part, RegFile, RegFileId, Rule, RuleId, Short, Syntax,
    Type, TypeId, TypeKind,
};

/// All generations of an instruction set merged, made by [`Family::merged`](super::Family::merged). Items that are
/// equal in several generations appear once.
///
/// It is not an [`Isa`], because it lacks the guarantees of a single generation: several opcodes, types and register
/// files can share a name, and a word can be an instruction of several opcodes.
#[derive(Debug, Clone)]
pub struct Merged {
    isa: Isa,
    /// The instruction set that this is a part of.
    whole: Option<Arc<Family>>,
}

impl Merged {
    /// Merges all generations; requires at least one.
    pub(super) fn of(isas: &[Isa]) -> Merged {
        if let [alone] = isas {
            return Merged { isa: alone.clone(), whole: None };
        }
        let mut merger = Merger::new(&isas[0]);
        for isa in isas {
            merger.add(isa);
        }
        merger.finish()
    }

    /// Records the instruction set that this is a part of.
    pub(super) fn part_of(self, whole: Option<Arc<Family>>) -> Merged {
        Merged { whole, ..self }
    }

    /// The complete instruction set, if something was left out.
    pub fn whole(&self) -> Option<Merged> {
        self.whole.as_ref().map(|whole| whole.merged())
    }

    /// The items of all generations. Opcodes are in order of their numbers.
    ///
    /// Backends tell items with the same name apart by [`Opcode::generations`].
    pub fn items(&self) -> &Isa {
        &self.isa
    }

    /// The name of the instruction set.
    pub fn name(&self) -> &str {
        self.isa.name()
    }
}

/// Values, each once.
struct Pool<T> {
    list: Vec<T>,
    ids: HashMap<T, u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool { list: Vec::new(), ids: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    fn add(&mut self, value: &T) -> u32 {
        if let Some(id) = self.ids.get(value) {
            return *id;
        }
        let id = self.list.len() as u32;
        self.list.push(value.clone());
        self.ids.insert(value.clone(), id);
        id
    }
}

/// The merged instruction set so far.
struct Merger {
    isa: Isa,
    names: Pool<String>,
    exprs: Pool<Expr>,
    rules: Pool<Rule>,
    opcodes: HashMap<String, Vec<usize>>,
}

/// Maps the ids of a generation to ids of the merged instruction set.
#[derive(Default)]
struct Ids {
    names: Vec<NameId>,
    reg_files: Vec<RegFileId>,
    types: Vec<TypeId>,
    exprs: Vec<ExprId>,
    rules: Vec<RuleId>,
    groups: Vec<GroupId>,
    optypes: Vec<OptypeId>,
}

impl Merger {
    fn new(first: &Isa) -> Merger {
        let isa = Isa {
            name: first.name.clone(),
            width: first.width,
            generations: first.generations.clone(),
            describes: Generations::default(),
            extensions: first.extensions.clone(),
            name_sets: first.name_sets.clone(),
            shown_names: first.shown_names,
            modifiers: first.modifiers,
            placeholders: first.placeholders.clone(),
            comment_syntax: first.comment_syntax.clone(),
            elf: first.elf.clone(),
            environments: Vec::new(),
            layout: first.layout,
            folds_case: first.folds_case,
            has_ranges: first.has_ranges,
            description: first.description.clone(),
            reg_files: Vec::new(),
            specials: Vec::new(),
            types: Vec::new(),
            names: Vec::new(),
            exprs: Vec::new(),
            rules: Vec::new(),
            groups: Vec::new(),
            optypes: Vec::new(),
            opcodes: Vec::new(),
            elsewhere: BTreeMap::new(),
            is_part: first.is_part,
            outline: Arc::clone(&first.outline),
        };
        Merger {
            isa,
            names: Pool::default(),
            exprs: Pool::default(),
            rules: Pool::default(),
            opcodes: HashMap::new(),
        }
    }

    fn add(&mut self, isa: &Isa) {
        self.isa.describes = self.isa.describes.union(isa.describes);
        add_missing(&mut self.isa.specials, isa.specials.clone());
        let mut ids = Ids {
            names: isa.names.iter().map(|name| NameId(self.names.add(name))).collect(),
            reg_files: isa.reg_files.iter().map(|file| self.reg_file(file)).collect(),
            ..Ids::default()
        };
        for environment in &isa.environments {
            let own = environment.with_files(|file| ids.reg_files[file.index()]);
            position_or_push(&mut self.isa.environments, own);
        }
        self.types(isa, &mut ids);
        let exprs = isa.exprs.iter();
        ids.exprs = exprs.map(|expr| ExprId(self.exprs.add(&ids.expr(expr)))).collect();
        let rules = isa.rules.iter().map(|rule| {
            let condition = ids.exprs[rule.condition.index()];
            RuleId(self.rules.add(&Rule { condition, ..rule.clone() }))
        });
        ids.rules = rules.collect();
        // A group may be defined before its parents.
        ids.groups = isa.groups.iter().map(|group| self.group(group)).collect();
        for (group, id) in isa.groups.iter().zip(&ids.groups) {
            let parents = group.parents.iter().map(|id| ids.groups[id.index()]).collect();
            add_missing(&mut self.isa.groups[id.index()].parents, parents);
        }
        for optype in &isa.optypes {
            ids.optypes.push(self.optype(optype, &ids));
        }
        // Long encodings come before their compressed encodings.
        let mut opcodes: Vec<&Opcode> = isa.opcodes.iter().collect();
        opcodes.sort_by_key(|opcode| opcode.shorter().map(|_| Reverse(opcode.width)));
        for opcode in opcodes {
            self.opcode(ids.opcode(opcode));
        }
    }

    fn reg_file(&mut self, file: &RegFile) -> RegFileId {
        RegFileId(position_or_push(&mut self.isa.reg_files, file.clone()))
    }

    /// Adds the types, component types first.
    fn types(&mut self, isa: &Isa, ids: &mut Ids) {
        ids.types = vec![TypeId(0); isa.types.len()];
        let mut left: Vec<usize> = (0..isa.types.len()).collect();
        while !left.is_empty() {
            let count = left.len();
            let (ready, later) = left.iter().copied().partition(|index| {
                isa.types[*index].made_of().all(|ty| !left.contains(&ty.index()))
            });
            let (ready, later): (Vec<usize>, Vec<usize>) = (ready, later);
            for index in ready {
                let ty = ids.ty(&isa.types[index]);
                ids.types[index] = TypeId(position_or_push(&mut self.isa.types, ty));
            }
            left = later;
            // INVARIANT: no type is made of itself.
            if left.len() == count {
                break;
            }
        }
    }

    /// The group of a name, without its parents.
    fn group(&mut self, group: &Group) -> GroupId {
        let known = self.isa.groups.iter().position(|other| other.name == group.name);
        let known = known.unwrap_or_else(|| {
            self.isa.groups.push(Group { parents: Vec::new(), ..group.clone() });
            self.isa.groups.len() - 1
        });
        GroupId(known as u32)
    }

    fn optype(&mut self, optype: &Optype, ids: &Ids) -> OptypeId {
        let groups: Vec<GroupId> = optype.groups.iter().map(|id| ids.groups[id.index()]).collect();
        let known = self.isa.optypes.iter().position(|other| other.name == optype.name);
        let Some(known) = known else {
            self.isa.optypes.push(Optype { groups, opcodes: Vec::new(), ..optype.clone() });
            return OptypeId(self.isa.optypes.len() as u32 - 1);
        };
        add_missing(&mut self.isa.optypes[known].groups, groups);
        OptypeId(known as u32)
    }

    /// Adds an opcode, or adds its generations to an equal opcode.
    fn opcode(&mut self, opcode: Opcode) {
        let generations = opcode.generations;
        let of_name = self.opcodes.get(&opcode.name);
        let alike = of_name.into_iter().flatten().copied().find(|index| {
            let known = &self.isa.opcodes[*index];
            let mut other = opcode.clone();
            other.set_generations(known.generations);
            *known == other && self.have_one_long(known, &opcode)
        });
        if let Some(index) = alike {
            let known = &mut self.isa.opcodes[index];
            known.set_generations(known.generations.union(generations));
            return;
        }
        self.opcodes.entry(opcode.name.clone()).or_default().push(self.isa.opcodes.len());
        self.isa.opcodes.push(opcode);
    }

    /// Whether two variants are compressed encodings of the same variant of another opcode, or both of none.
    fn have_one_long(&self, one: &Opcode, other: &Opcode) -> bool {
        let Some(short) = one.shorter() else { return true };
        let long = |opcode: &Opcode| {
            let variants = self.opcodes.get(&short.of).into_iter().flatten();
            let shares = |index: &&usize| {
                let generations = self.isa.opcodes[**index].generations.bits();
                generations & opcode.generations.bits() != 0
            };
            variants.copied().find(|index| shares(&index))
        };
        long(one) == long(other)
    }

    fn finish(self) -> Merged {
        let mut isa = self.isa;
        isa.names = self.names.list;
        isa.exprs = self.exprs.list;
        isa.rules = self.rules.list;
        isa.opcodes.sort_by_key(|opcode| opcode.number);
        for (index, opcode) in isa.opcodes.iter().enumerate() {
            for optype in &opcode.optypes {
                isa.optypes[optype.index()].opcodes.push(OpcodeId(index as u32));
            }
        }
        Merged { isa, whole: None }
    }
}

impl Ids {
    fn name(&self, id: NameId) -> NameId {
        self.names[id.index()]
    }

    fn ty(&self, ty: &Type) -> Type {
        let kind = match &ty.kind {
            TypeKind::Operand(entries) => {
                TypeKind::Operand(entries.iter().map(|entry| self.entry(entry)).collect())
            }
            TypeKind::Composite(composite) => TypeKind::Composite(Composite {
                parts: composite
                    .parts
                    .iter()
                    .map(|part| Part { ty: self.types[part.ty.index()], ..part.clone() })
                    .collect(),
                ..composite.clone()
            }),
            other => other.clone(),
        };
        let otherwise = ty.otherwise.clone();
        let otherwise =
            otherwise.map(|other| Otherwise { ty: self.types[other.ty.index()], ..other });
        Type { kind, otherwise, ..ty.clone() }
    }

    fn entry(&self, entry: &Entry) -> Entry {
        let mut entry = entry.clone();
        if let Meaning::Registers { file, .. }
        | Meaning::Register { file, .. }
        | Meaning::Constant { file, .. } = &mut entry.meaning
        {
            *file = self.reg_files[file.index()];
        }
        entry
    }

    fn expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Int(_) | Expr::Extensions(_) => expr.clone(),
            Expr::Field(name, reading) => Expr::Field(self.name(*name), *reading),
            Expr::Unary(op, operand) => Expr::Unary(*op, Box::new(self.expr(operand))),
            Expr::Binary(op, left, right) => {
                Expr::Binary(*op, Box::new(self.expr(left)), Box::new(self.expr(right)))
            }
            Expr::Call(function, arguments) => {
                Expr::Call(*function, arguments.iter().map(|one| self.expr(one)).collect())
            }
        }
    }

    fn literal(&self, form: &LiteralForm) -> LiteralForm {
        LiteralForm { selector: self.name(form.selector), literal: self.name(form.literal) }
    }

    fn opcode(&self, opcode: &Opcode) -> Opcode {
        Opcode {
            literals: opcode.literals.iter().map(|form| self.literal(form)).collect(),
            optypes: opcode.optypes.iter().map(|id| self.optypes[id.index()]).collect(),
            groups: opcode.groups.iter().map(|id| self.groups[id.index()]).collect(),
            fields: opcode.fields.iter().map(|field| self.field(field)).collect(),
            composite_operands: opcode
                .composite_operands
                .iter()
                .map(|operand| self.composite_operand(operand))
                .collect(),
            operands: opcode.operands.iter().map(|operand| self.operand(operand)).collect(),
            implicit: opcode.implicit.iter().map(|operand| self.operand(operand)).collect(),
            flow: opcode.flow.iter().map(|item| self.flow(item)).collect(),
            classes: opcode.classes.iter().map(|class| self.class(class)).collect(),
            syntax: self.syntax(&opcode.syntax),
            rules: opcode.rules.iter().map(|id| self.rules[id.index()]).collect(),
            aliases: opcode.aliases.iter().map(|alias| self.alias(alias)).collect(),
            short: opcode.short.as_ref().map(|short| self.short(short)),
            ..opcode.clone()
        }
    }

    fn field(&self, field: &Field) -> Field {
        let role = match field.role {
            FieldRole::Attribute { of } => FieldRole::Attribute { of: self.name(of) },
            FieldRole::Part { of } => FieldRole::Part { of: self.name(of) },
            other => other,
        };
        let origin = match field.origin {
            Origin::Group(id) => Origin::Group(self.groups[id.index()]),
            Origin::Optype(id) => Origin::Optype(self.optypes[id.index()]),
            Origin::Opcode => Origin::Opcode,
        };
        let (name, ty) = (self.name(field.name), self.types[field.ty.index()]);
        Field { name, ty, role, origin, ..field.clone() }
    }

    fn short(&self, short: &Short) -> Short {
        let moves = short.moves.iter().map(|one| {
            let mut is = one.is.clone();
            if let Moved::Line { from, .. } | Moved::Listed { from, .. } = &mut is {
                *from = self.name(*from);
            }
            Move { to: self.name(one.to), is }
        });
        Short { moves: moves.collect(), ..short.clone() }
    }

    fn alias(&self, alias: &Alias) -> Alias {
        let equal = alias.equal.iter();
        Alias {
            form: self.opcode(&alias.form),
            equal: equal.map(|(to, is)| (self.name(*to), self.exprs[is.index()])).collect(),
            condition: alias.condition.map(|condition| self.exprs[condition.index()]),
            is_printed: alias.is_printed,
        }
    }

    fn class(&self, class: &FlowClass) -> FlowClass {
        let condition = class.condition.map(|condition| self.exprs[condition.index()]);
        FlowClass { condition, ..*class }
    }

    fn composite_operand(&self, operand: &CompositeOperand) -> CompositeOperand {
        let parts = operand.parts.iter().map(|part| self.name(*part)).collect();
        let value = operand.value.map(|value| self.exprs[value.index()]);
        CompositeOperand { name: self.name(operand.name), parts, value }
    }

    fn operand(&self, operand: &Operand) -> Operand {
        let place = match operand.place {
            OperandLocation::Field(name) => OperandLocation::Field(self.name(name)),
            OperandLocation::File(file) => OperandLocation::File(self.reg_files[file.index()]),
            OperandLocation::Indirect { file, base, offset } => OperandLocation::Indirect {
                file: self.reg_files[file.index()],
                base: self.name(base),
                offset: offset.map(|offset| self.name(offset)),
            },
        };
        let width = operand.width.map(|width| self.exprs[width.index()]);
        Operand { place, width, ..operand.clone() }
    }

    fn flow(&self, item: &FlowItem) -> FlowItem {
        let file = |file: RegFileId| self.reg_files[file.index()];
        let place = match item.place {
            FlowPlace::Field(name) => FlowPlace::Field(self.name(name)),
            FlowPlace::Part { field, part } => FlowPlace::Part { field: self.name(field), part },
            FlowPlace::File(id) => FlowPlace::File(file(id)),
            FlowPlace::Register { file: id, number } => {
                FlowPlace::Register { file: file(id), number }
            }
            FlowPlace::Indirect { file: id, base } => {
                FlowPlace::Indirect { file: file(id), base: self.name(base) }
            }
            FlowPlace::Mask { field, file: id } => {
                FlowPlace::Mask { field: self.name(field), file: file(id) }
            }
        };
        let width = item.width.map(|width| self.exprs[width.index()]);
        let condition = item.condition.map(|condition| self.exprs[condition.index()]);
        FlowItem { place, width, condition, ..item.clone() }
    }

    fn syntax(&self, syntax: &Syntax) -> Syntax {
        let modifiers = |list: &[ModifierSyntax]| list.iter().map(|m| self.modifier(m)).collect();
        Syntax {
            guard: syntax.guard.as_ref().map(|guard| self.operand_syntax(guard)),
            modifiers: modifiers(&syntax.modifiers),
            operands: syntax.operands.iter().map(|o| self.operand_syntax(o)).collect(),
            controls: modifiers(&syntax.controls),
            pieces: syntax.pieces.iter().map(|pieces| self.mnemonic(pieces)).collect(),
            ..syntax.clone()
        }
    }

    fn mnemonic(&self, pieces: &[MnemonicPiece]) -> Vec<MnemonicPiece> {
        let piece = |piece: &MnemonicPiece| match piece {
            MnemonicPiece::Text(text) => MnemonicPiece::Text(text.clone()),
            MnemonicPiece::Field(name) => MnemonicPiece::Field(self.name(*name)),
        };
        pieces.iter().map(piece).collect()
    }

    fn modifier(&self, modifier: &ModifierSyntax) -> ModifierSyntax {
        ModifierSyntax { field: self.name(modifier.field), ..modifier.clone() }
    }

    fn operand_syntax(&self, operand: &OperandSyntax) -> OperandSyntax {
        let mut operand = operand.clone();
        for mark in &mut operand.marks {
            mark.field = self.name(mark.field);
            mark.extension = mark.extension.map(|name| self.name(name));
        }
        operand.suffixes = operand.suffixes.iter().map(|suffix| self.modifier(suffix)).collect();
        operand.format = operand.format.map(|name| self.name(name));
        operand.constants = operand.constants.map(|ty| self.types[ty.index()]);
        operand.literal = operand.literal.map(|ty| self.types[ty.index()]);
        operand
    }
}

fn position_or_push<T: PartialEq>(list: &mut Vec<T>, value: T) -> u32 {
    if let Some(index) = list.iter().position(|other| *other == value) {
        return index as u32;
    }
    list.push(value);
    list.len() as u32 - 1
}

fn add_missing<T: Clone + Eq + Hash>(list: &mut Vec<T>, values: Vec<T>) {
    let mut known: HashSet<T> = list.iter().cloned().collect();
    list.extend(values.into_iter().filter(|value| known.insert(value.clone())));
}
