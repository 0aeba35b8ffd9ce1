//! Lowering: from a model without errors to an [`Isa`]: masks, values, operands.
//!
//! Invariant: called only when no error was found, so every `Option` of the model is `Some`;
//! anything that is `None` all the same is left out, not guessed.

mod ambiguous;
mod extensions;
mod literal;
mod places;
mod short;
mod syntax;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::ast::{self, BinaryOp, UnaryOp};
use crate::isa::{
    self, Alias, Binding, Bits, CompositeOperand, Expr, ExprId, ExtensionCondition, Extensions,
    Field, FieldRole, Generations, Group, GroupId, Isa, IsaParts, Meaning, NameId, Opcode,
    OpcodeId, Optype, OptypeId, Origin, Outline, Prose, Reading, RegFile, Rule, RuleId, RuleOrigin,
    RuleScope, Syntax, Type, TypeId, TypeKind,
};
use places::Places;
pub(crate) use short::unmatched;

use crate::model::{self, Exprs, LayerId, LayerKind, Model};
use crate::opcode_lock::Numbers;
use crate::parallel;
use crate::prose;
use crate::source::Span;

/// An instruction set with what it was lowered from, since diagnostics need source locations.
pub(crate) struct Lowered<'m, 'a> {
    pub(crate) isa: Isa,
    pub(crate) model: &'m Model<'a>,
    /// The statements of each opcode of `isa`.
    pub(crate) opcodes: Vec<&'m model::Opcode<'a>>,
}

/// What all generations share.
pub(crate) struct Shared {
    /// The numbers of opcodes.
    pub(crate) numbers: Numbers,
    pub(crate) extensions: Extensions,
    /// Where everything is written.
    pub(crate) outline: Arc<Outline>,
    /// Whether the set of extensions is fixed, and what other sets have was left out.
    pub(crate) is_fixed: bool,
}

/// Lowers the model of some generations.
pub(crate) fn lower<'m, 'a>(
    model: &'m Model<'a>,
    shared: &Shared,
    describes: Generations,
) -> Option<Lowered<'m, 'a>> {
    let header = model.isa.as_ref()?;
    let width = header.width?;
    let extensions = &shared.extensions;
    let mut lowering = Lowering {
        model,
        rules: Vec::new(),
        rule_ids: HashMap::new(),
        exprs: model.exprs.clone(),
        ids: ids(model),
        generations: describes,
        names: model.names_of_guards(),
        types: Vec::new(),
        parts: parts(model),
        allowed: extensions.conditions(),
        extensions,
    };
    lowering.types = model.types.iter().map(|ty| lowering.guarded_type(ty)).collect();
    let mut opcodes: Vec<Opcode> = Vec::new();
    let mut statements: Vec<syntax::Statements<'_, '_>> = Vec::new();
    // Entries of unused groups are not instructions.
    let is_one = |opcode: &&model::Opcode<'_>| {
        let layer = model.layer(opcode.layer);
        layer.kind == LayerKind::Opcode || layer.alias_of.is_some()
    };
    let all: Vec<&model::Opcode<'_>> = model.opcodes.iter().filter(is_one).collect();
    let unruled = parallel::pieces(&all, parallel::MIN_OPCODES, |all| -> Vec<Opcode> {
        all.iter().map(|opcode| lowering.without_rules(opcode)).collect()
    });
    let (aliases, own): (Vec<_>, Vec<_>) = all
        .into_iter()
        .zip(unruled.into_iter().flatten())
        .partition(|(opcode, _)| model.layer(opcode.layer).alias_of.is_some());
    let mut aliases = of_opcodes(model, aliases);
    for (opcode, unruled) in own {
        let mut forms = lowering.forms((opcode, unruled), &shared.numbers);
        let own = aliases.remove(&opcode.layer).unwrap_or_default();
        let aliases = own.iter().map(|(alias, _)| *alias).collect();
        // A form with a literal does not have aliases.
        forms[0].aliases = own.into_iter().map(|alias| lowering.alias(alias, &forms[0])).collect();
        statements.push(syntax::Statements { own: opcode, aliases });
        let plain = || syntax::Statements { own: opcode, aliases: Vec::new() };
        statements.extend(forms[1..].iter().map(|_| plain()));
        opcodes.extend(forms);
    }
    leave_out_aliases(&lowering, &mut opcodes, &mut statements);
    lowering.guard_shorts(&mut opcodes, &statements);
    let mut optypes = lowering.optypes(&opcodes);
    syntax::derive(model, &statements, &mut optypes, &mut opcodes);
    isa::fill_in_special_cases(&mut opcodes);
    let sealed = Isa::seal(IsaParts {
        name: header.name.text.to_string(),
        width,
        name_sets: header.name_sets.iter().map(|name| name.text.to_string()).collect(),
        folds_case: header.folds_case,
        has_ranges: header.has_ranges,
        modifiers: header.modifiers,
        placeholders: header.placeholders.iter().map(placeholder).collect(),
        comment_syntax: header.comment_syntax.clone(),
        elf: lowering.elf(header),
        environments: model.environments.iter().map(|one| one.made.clone()).collect(),
        layout: header.layout,
        describes,
        extensions: extensions.clone(),
        generations: header.generations.iter().map(|name| name.text.to_string()).collect(),
        description: prose::description(header.prose),
        reg_files: model.reg_files.iter().map(reg_file).collect(),
        types: lowering.types.clone(),
        specials: specials(model),
        names: model.names.all().iter().map(|name| name.to_string()).collect(),
        exprs: lowering.exprs.all().to_vec(),
        groups: lowering.groups(),
        rules: lowering.rules,
        optypes,
        opcodes,
        outline: Arc::clone(&shared.outline),
    });
    // INVARIANT: what is lowered refers only to what was lowered.
    let isa = sealed.unwrap_or_else(|misfit| unreachable!("lowering: {misfit}"));
    Some(Lowered { isa, model, opcodes: statements.iter().map(|of| of.own).collect() })
}

/// The types of parts of composites.
fn parts(model: &Model<'_>) -> HashSet<TypeId> {
    let composites = model.types.iter().filter_map(|ty| match &ty.ty.kind {
        TypeKind::Composite(composite) => Some(composite),
        _ => None,
    });
    composites.flat_map(|composite| composite.parts.iter().map(|part| part.ty)).collect()
}

/// The statements of an opcode or alias, and its lowered form without rules.
type Unruled<'m, 'a> = (&'m model::Opcode<'a>, Opcode);

/// The aliases of each opcode, in order of definition.
fn of_opcodes<'m, 'a>(
    model: &Model<'a>,
    aliases: Vec<Unruled<'m, 'a>>,
) -> HashMap<LayerId, Vec<Unruled<'m, 'a>>> {
    let mut of: HashMap<LayerId, Vec<Unruled<'_, '_>>> = HashMap::new();
    for alias in aliases {
        if let Some(opcode) = model.layer(alias.0.layer).alias_of {
            of.entry(opcode).or_default().push(alias);
        }
    }
    of
}

/// Removes aliases from opcodes that have no word of the alias. An alias stays if none of its opcodes has such a word.
fn leave_out_aliases(
    lowering: &Lowering<'_, '_>,
    opcodes: &mut [Opcode],
    statements: &mut [syntax::Statements<'_, '_>],
) {
    let is_false = |condition: ExprId| *lowering.exprs.get(condition) == Expr::Int(0);
    let may_be = |alias: &Alias| !alias.condition.is_some_and(is_false);
    let definition = |alias: &model::Opcode<'_>| lowering.model.layer(alias.layer).name.span;
    let mut possible: HashSet<Span> = HashSet::new();
    for (opcode, statements) in opcodes.iter().zip(statements.iter()) {
        let own = opcode.aliases.iter().zip(&statements.aliases);
        possible.extend(own.filter(|(alias, _)| may_be(alias)).map(|(_, own)| definition(own)));
    }
    for (opcode, statements) in opcodes.iter_mut().zip(statements) {
        let own = std::mem::take(&mut opcode.aliases).into_iter();
        let own = own.zip(std::mem::take(&mut statements.aliases));
        let kept = own.filter(|(alias, own)| may_be(alias) || !possible.contains(&definition(own)));
        (opcode.aliases, statements.aliases) = kept.unzip();
    }
}

/// A placeholder, and the names of the fields that it stands for.
fn placeholder(given: &ast::Placeholder<'_>) -> (String, Vec<String>) {
    let fields = given.fields.iter().map(|field| field.text.to_string());
    (given.name.text.to_string(), fields.collect())
}

fn reg_file(file: &model::RegFile<'_>) -> RegFile {
    RegFile {
        name: file.name.text.to_string(),
        width: file.width,
        count: file.count,
        description: prose::description(file.prose),
    }
}

/// The distinct names of special registers.
fn specials(model: &Model<'_>) -> Vec<String> {
    let mut specials: Vec<String> = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    for ty in &model.types {
        let TypeKind::Operand(entries) = &ty.ty.kind else { continue };
        for entry in entries {
            if let Meaning::Special(name) = &entry.meaning
                && known.insert(name)
            {
                specials.push(name.clone());
            }
        }
    }
    specials
}

/// The index of each layer: among the groups, among the operations, or among the other opcodes.
fn ids(model: &Model<'_>) -> Vec<usize> {
    let mut counts = [0; 4];
    let count = |layer: &model::Layer<'_>| {
        let kind = if layer.is_operation { LayerKind::Optype } else { layer.kind };
        let slot = &mut counts[kind as usize];
        *slot += 1;
        *slot - 1
    };
    model.layers.iter().map(count).collect()
}

struct Lowering<'m, 'a> {
    model: &'m Model<'a>,
    rules: Vec<Rule>,
    rule_ids: HashMap<Rule, RuleId>,
    exprs: Exprs,
    ids: Vec<usize>,
    generations: Generations,
    names: crate::extensions::Names<'a>,
    /// The types, with the requirements of their values.
    types: Vec<Type>,
    /// The types of parts of composites.
    parts: HashSet<TypeId>,
    extensions: &'m Extensions,
    /// Conditions that every allowed set of extensions meets.
    allowed: Vec<ExtensionCondition>,
}

impl Lowering<'_, '_> {
    fn group_id(&self, id: LayerId) -> GroupId {
        GroupId::new(self.ids[id.0 as usize])
    }

    /// An opcode and its forms with a literal, each a special case of the first.
    fn forms(&mut self, (opcode, mut plain): Unruled<'_, '_>, numbers: &Numbers) -> Vec<Opcode> {
        let rules = opcode.rules.iter();
        plain.rules.extend(rules.map(|(rule, condition)| self.rule(rule, *condition)));
        plain.rules.extend(self.matching(opcode));
        plain.number = numbers.number(&plain.name);
        let literals = literal::literals(self.model, opcode);
        let forms: Vec<Opcode> = literals
            .iter()
            .filter_map(|literal| {
                let mut form = literal::form(self.model, opcode, &plain, literal)?;
                self.forbid_literals(&mut form, &[]);
                Some(form)
            })
            .collect();
        // A form that requires zeros beyond the plain opcode does not match all words of its literal, and a form with
        // `Match` is not a special case.
        let takes_all =
            forms.iter().filter(|form| form.mask & !plain.width_mask == 0 && !form.has_match);
        let taken: Vec<NameId> =
            takes_all.flat_map(|form| &form.literals).map(|literal| literal.selector).collect();
        self.forbid_literals(&mut plain, &taken);
        let mut all: Vec<Opcode> = [plain].into_iter().chain(forms).collect();
        all.iter_mut().for_each(|form| self.guard_values(form));
        all
    }

    /// Adds rules that forbid the value of a literal if no literal follows. Operands in `taken` need no such rule: the
    /// form with the literal is a special case and matches all such words.
    fn forbid_literals(&mut self, opcode: &mut Opcode, taken: &[NameId]) {
        let fields = opcode.fields.iter();
        let open = fields.filter(|field| {
            !matches!(field.binding, Binding::Fixed(_)) && !taken.contains(&field.name)
        });
        let markers: Vec<(NameId, u64)> = open
            .filter_map(|field| Some((field.name, literal::marker(self.model.ty(field.ty))?)))
            .collect();
        for (name, raw) in markers {
            let message = format!("`{}` cannot be a literal here", self.model.names.text(name));
            let condition = Expr::Binary(
                BinaryOp::Eq,
                Box::new(Expr::Field(name, Reading::Unsigned)),
                Box::new(Expr::Int(i128::from(raw))),
            );
            let condition = self.exprs.intern(condition);
            let scope = RuleScope::Word;
            let kind = "Literal".to_string();
            let rule = Rule { scope, kind, message, condition, origin: RuleOrigin::Rule };
            opcode.rules.push(self.rule_id(rule));
        }
    }

    /// An alias of an opcode, without how it is written.
    fn alias(&mut self, (alias, mut form): Unruled<'_, '_>, of: &Opcode) -> Alias {
        let layer = self.model.layer(alias.layer);
        form.prose = sections(self.model, layer);
        (form.number, form.optypes) = (of.number, of.optypes.clone());
        // The opcode determines the reads and writes.
        form.flow.clear();
        form.classes.clear();
        for (name, _) in &alias.equal {
            // A field that another field determines is not missing.
            let field = form.fields.iter_mut().find(|field| field.name == *name);
            field.into_iter().for_each(|field| field.binding = Binding::Default(0));
        }
        let expr = |id: &ExprId| self.model.exprs.get(*id).clone();
        let own = alias.matches.iter().map(|(id, _)| expr(id));
        let equal = alias.equal.iter().map(|(to, is)| {
            // Its bits are its value, perhaps with a sign.
            let reading = form.field(*to).map(|field| self.model.ty(field.ty).reading());
            let to = Expr::Field(*to, reading.unwrap_or(Reading::Unsigned));
            Expr::Binary(BinaryOp::Eq, Box::new(to), Box::new(expr(is)))
        });
        let all =
            own.chain(equal).reduce(|a, b| Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b)));
        let condition = all.map(|condition| self.exprs.intern(condition));
        self.guard_alias(&mut form, of);
        let condition = match alias.is_never {
            true => Some(self.exprs.intern(Expr::Int(0))),
            false => condition.map(|id| self.known_of(&form, id)),
        };
        let is_printed = layer.ast.silent.is_none();
        Alias { form, equal: alias.equal.clone(), condition, is_printed }
    }

    /// Evaluates a condition by the fields that an alias fixes; returns it unchanged if they do not decide it.
    fn known_of(&mut self, form: &Opcode, condition: ExprId) -> ExprId {
        let fixed = |name, reading: Reading| {
            let field = form.field(name)?;
            match field.binding {
                Binding::Fixed(raw) => Some(reading.integer(raw, field.width())),
                _ => None,
            }
        };
        match self.exprs.get(condition).given(&fixed) {
            Expr::Int(value) => self.exprs.intern(Expr::Int(value)),
            _ => condition,
        }
    }

    /// The rules that require the conditions of `Match`: one for each message.
    fn matching(&mut self, opcode: &model::Opcode<'_>) -> Vec<RuleId> {
        let both = |a, b| Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b));
        let mut by_message: Vec<(&str, Expr)> = Vec::new();
        for (id, message) in &opcode.matches {
            let condition = self.model.exprs.get(*id).clone();
            let message = message.unwrap_or("the word does not meet the conditions of `Match`");
            match by_message.iter_mut().find(|(known, _)| *known == message) {
                Some((_, known)) => *known = both(known.clone(), condition),
                None => by_message.push((message, condition)),
            }
        }
        let rule = |(message, condition): (&str, Expr)| {
            let condition = self.exprs.intern(Expr::Unary(UnaryOp::Not, Box::new(condition)));
            let (kind, message) = ("Match".to_string(), message.to_string());
            let (scope, origin) = (RuleScope::Word, RuleOrigin::Match);
            self.rule_id(Rule { scope, kind, message, condition, origin })
        };
        by_message.into_iter().map(rule).collect()
    }

    /// Lowers the statements of an opcode or alias, without its rules.
    fn without_rules(&self, opcode: &model::Opcode<'_>) -> Opcode {
        let layer = self.model.layer(opcode.layer);
        let mut fields = self.fields(opcode);
        let composite_operands = self.composite_operands(opcode, &mut fields);
        let places = Places::of(self.model, opcode.width);
        let reserved = literal::reserved(self.model, opcode.layer, &places);
        let mut lowered = Opcode {
            name: layer.name.text.to_string(),
            number: 0,
            generations: self.generations,
            requires: self.requires(layer),
            width: opcode.width,
            width_mask: places.layout.width_mask(opcode.width),
            literals: Vec::new(),
            optypes: self.optypes_of(opcode.layer),
            groups: self.groups_of(layer),
            mask: reserved.mask,
            value: reserved.value,
            reserved: reserved.zero,
            significant: 0,
            ignored: reserved.ignored,
            written: reserved.written,
            operands: opcode.operands.clone(),
            implicit: opcode.implicit.clone(),
            flow: opcode.flow.clone(),
            classes: opcode.classes.clone(),
            syntax: Syntax::default(),
            // If the opcode is an operation, its prose belongs to the operation.
            prose: if layer.is_operation { Vec::new() } else { sections(self.model, layer) },
            has_match: !opcode.matches.is_empty() && layer.alias_of.is_none(),
            special_cases: Vec::new(),
            rules: Vec::new(),
            short: short::short(self.model, opcode),
            aliases: Vec::new(),
            fields,
            composite_operands,
        };
        literal::set_bits(&mut lowered, literal::unstated(self.model, opcode.layer));
        lowered
    }

    /// The operations of an opcode: its optypes, or itself.
    fn optypes_of(&self, id: LayerId) -> Vec<OptypeId> {
        let parents = self.model.layer(id).parents.iter().copied();
        let operations = parents.chain([id]).filter(|id| self.model.layer(*id).is_operation);
        operations.map(|id| OptypeId::new(self.ids[id.0 as usize])).collect()
    }

    fn groups_of(&self, layer: &model::Layer<'_>) -> Vec<GroupId> {
        let chain = layer.chain.iter();
        let groups = chain.filter(|id| self.model.layer(**id).kind == LayerKind::Group);
        groups.map(|id| self.group_id(*id)).collect()
    }

    /// The fields that all forms of an opcode have.
    fn fields(&self, opcode: &model::Opcode<'_>) -> Vec<Field> {
        let places = Places::of(self.model, opcode.width);
        let ids = self.model.layer(opcode.layer).fields.iter().zip(&opcode.roles);
        let mut fields: Vec<Field> = ids
            .map(|(id, role)| (self.model.field(*id), *role))
            .filter(|(field, _)| !field.is_literal())
            .filter_map(|(field, role)| {
                Some(Field {
                    name: field.name,
                    ty: field.ty?,
                    bits: places.bits(&field.ast.bits),
                    role: role?,
                    binding: opcode.binding(field)?,
                    origin: self.origin(field.layer),
                })
            })
            .collect();
        places.sort(&mut fields);
        fields
    }

    /// The operands composed of fields; each operand is also a field.
    fn composite_operands(
        &self,
        opcode: &model::Opcode<'_>,
        fields: &mut Vec<Field>,
    ) -> Vec<CompositeOperand> {
        let (mut lowered, places) = (Vec::new(), Places::of(self.model, opcode.width));
        for operand in &opcode.composite_operands {
            let names: Vec<NameId> =
                operand.parts.iter().map(|field| self.model.field(*field).name).collect();
            let find = |name: &NameId| fields.iter().find(|field| field.name == *name);
            let Some(parts) = names.iter().map(find).collect::<Option<Vec<&Field>>>() else {
                continue;
            };
            let (bits, binding) = match operand.fixed {
                Some(bit) => (places.bit(bit.number), Binding::Fixed(bit.value.into())),
                None => {
                    (Bits::new(parts.iter().flat_map(|field| field.bits.pieces())), joint(&parts))
                }
            };
            let (name, ty, origin) = (operand.name, operand.ty, Origin::Opcode);
            let role = match operand.is_modifier {
                true => FieldRole::Modifier,
                false => FieldRole::Operand,
            };
            fields.push(Field { name, ty, bits, role, binding, origin });
            lowered.push(CompositeOperand { name, parts: names, value: operand.value });
        }
        places.sort(fields);
        lowered
    }

    fn origin(&self, id: LayerId) -> Origin {
        match self.model.layer(id).kind {
            LayerKind::Group => Origin::Group(self.group_id(id)),
            LayerKind::Optype => Origin::Optype(OptypeId::new(self.ids[id.0 as usize])),
            LayerKind::Opcode | LayerKind::Alias => Origin::Opcode,
        }
    }

    fn rule(&mut self, rule: &crate::ast::Rule<'_>, condition: ExprId) -> RuleId {
        let condition = self.guarded_condition(rule.guard.as_deref(), condition);
        self.rule_id(Rule {
            scope: rule.scope,
            kind: rule.kind.text.to_string(),
            message: rule.message.text.to_string(),
            condition,
            origin: RuleOrigin::Rule,
        })
    }

    fn rule_id(&mut self, rule: Rule) -> RuleId {
        let next = RuleId::new(self.rules.len());
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
            prose: sections(self.model, layer),
        };
        groups.map(group).collect()
    }

    fn optypes(&self, opcodes: &[Opcode]) -> Vec<Optype> {
        let layers = self.model.operations();
        let optype = |layer: &model::Layer<'_>| Optype {
            name: layer.name.text.to_string(),
            mnemonic: layer.name.text.to_string(),
            groups: layer.parents.iter().map(|id| self.group_id(*id)).collect(),
            opcodes: Vec::new(),
            prose: sections(self.model, layer),
        };
        let mut optypes: Vec<Optype> = layers.map(optype).collect();
        for (index, opcode) in opcodes.iter().enumerate() {
            for optype in &opcode.optypes {
                optypes[optype.index()].opcodes.push(OpcodeId::new(index));
            }
        }
        optypes
    }
}

/// The joint value of several fields, the first at the top. It is required if any field's value is.
fn joint(parts: &[&Field]) -> Binding {
    let (mut raw, mut is_fixed) = (0u128, true);
    for field in parts {
        let (Binding::Fixed(part) | Binding::Default(part)) = field.binding else {
            return Binding::Required;
        };
        is_fixed &= matches!(field.binding, Binding::Fixed(_));
        raw = raw << field.width() | u128::from(part);
    }
    match (u64::try_from(raw), is_fixed) {
        (Ok(raw), true) => Binding::Fixed(raw),
        (Ok(raw), false) => Binding::Default(raw),
        (Err(_), _) => Binding::Required,
    }
}

/// The prose of a layer. Fences of programs have the tag `isa`, also where the programs are `///=` lines.
fn sections(model: &Model<'_>, layer: &model::Layer<'_>) -> Vec<Prose> {
    let prose = layer.prose.iter().map(|section| {
        let mut text = prose::text(section);
        if prose::is_lines(section) && model.is_checked(layer) {
            text = text.replacen("```c", "```isa", 1);
        }
        Prose { kind: section.kind, text }
    });
    prose.filter(|section| !section.text.is_empty()).collect()
}
