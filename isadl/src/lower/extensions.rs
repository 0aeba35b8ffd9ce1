//! Lowers guards on extensions: on opcodes and aliases, rules, and values.
//!
//! An opcode that fixes a guarded value exists in the sets that have the value. Elsewhere a guarded value becomes a
//! rule that forbids it in the sets that lack it, so that everything known about rules applies to values.

use std::collections::BTreeMap;

use super::Lowering;
use super::syntax::Statements;
use crate::ast::{BinaryOp, Guard};
use crate::isa::{
    Binding, Bits, Elf, ElfFact, Expr, ExprId, ExtensionCondition, Field, GuardedValues, Meaning,
    Opcode, Reading, Relaxation, Rule, RuleOrigin, RuleScope, Type, TypeId, TypeKind, find_set_of,
    low_bits, needed,
};
use crate::model;

impl Lowering<'_, '_> {
    /// The sets of extensions that have a layer: all guards of its chain admit them.
    pub(super) fn requires(&self, layer: &model::Layer<'_>) -> ExtensionCondition {
        let guards = layer.chain.iter().filter_map(|id| self.model.layer(*id).guard);
        let both = |all: ExtensionCondition, guard: &Guard<'_>| all.and(&self.presence(guard)?);
        // A condition that is too large has its own error; no set has the layer then.
        guards
            .into_iter()
            .try_fold(ExtensionCondition::always(), both)
            .unwrap_or_else(ExtensionCondition::never)
    }

    /// The facts of object files.
    pub(super) fn elf(&self, header: &model::IsaHeader<'_>) -> Elf {
        let facts = header.elf.iter().map(|fact| {
            let own = fact.guard.as_deref().map(|guard| self.presence(guard));
            let requires = own.unwrap_or_else(|| Some(ExtensionCondition::always()));
            let requires = requires.unwrap_or_else(ExtensionCondition::never);
            ElfFact { name: fact.name.text.to_string(), value: fact.value.value as u64, requires }
        });
        let padding = header.padding.map(|text| text.text.to_string());
        let mark = |name| header.elf_marks.iter().find(|mark| mark.name.text == name);
        let marks = mark("code").zip(mark("data"));
        let marks = marks.map(|both| [both.0, both.1].map(|mark| mark.text.text.to_string()));
        let relaxations = header.detours.iter().map(|relaxation| Relaxation {
            opcodes: relaxation.opcodes.map(|name| name.text.to_string()),
            jump: relaxation.jump.text.to_string(),
        });
        Elf { facts: facts.collect(), padding, marks, relaxations: relaxations.collect() }
    }

    fn presence(&self, guard: &Guard<'_>) -> Option<ExtensionCondition> {
        self.names.presence(&guard.condition, self.generations.first())
    }

    /// A type with the values that only some sets have.
    pub(super) fn guarded_type(&self, ty: &model::Type<'_>) -> Type {
        let mut lowered = ty.ty.clone();
        // A value with several names exists if one of the names does.
        let mut found: BTreeMap<(u64, u64), Option<ExtensionCondition>> = BTreeMap::new();
        for (first, last, guard) in &ty.guarded {
            let presence = self.presence(guard);
            let known =
                found.entry((*first, *last)).or_insert_with(|| Some(ExtensionCondition::never()));
            *known = known.take().zip(presence).and_then(|(known, one)| known.or(&one));
        }
        let guarded = found.into_iter().filter_map(|((first, last), requires)| {
            let requires = requires.filter(|requires| !requires.is_always())?;
            let names = lowered.enumerators().iter().filter(|one| one.value == first).count();
            let own = ty.guarded.iter().filter(|one| (one.0, one.1) == (first, last)).count();
            (names <= own).then_some(GuardedValues { first, last, requires })
        });
        lowered.guarded = guarded.collect();
        lowered
    }

    /// The condition of a rule where its guard is met.
    pub(super) fn guarded_condition(
        &mut self,
        guard: Option<&Guard<'_>>,
        condition: ExprId,
    ) -> ExprId {
        let presence = guard.and_then(|guard| self.presence(guard));
        match presence.filter(|presence| !presence.is_always()) {
            Some(presence) => {
                let within = self.exprs.get(condition).clone().within(&presence);
                self.exprs.intern(within)
            }
            None => condition,
        }
    }

    /// Whether every allowed set that has something has something else too.
    fn implies(&self, has: &ExtensionCondition, too: &ExtensionCondition) -> bool {
        too.not().is_some_and(|lacks| {
            let all: Vec<&ExtensionCondition> = self.allowed.iter().chain([has, &lacks]).collect();
            find_set_of(&all) == Some(None)
        })
    }

    /// Adds the requirements of an opcode's values. The opcode itself requires values that it fixes; other values
    /// become rules.
    pub(super) fn guard_values(&mut self, opcode: &mut Opcode) {
        self.require_fixed(opcode);
        let mut rules = Vec::new();
        for field in opcode.encoded() {
            if matches!(field.binding, Binding::Fixed(_)) {
                continue;
            }
            for (ty, value) in self.values_of(field) {
                for values in &self.types[ty.index()].guarded {
                    let Some(lacks) = values.requires.not() else { continue };
                    if !self.implies(&opcode.requires, &values.requires) {
                        let condition = is_between(&value, values).within(&lacks);
                        let message = self.message(&self.types[ty.index()], values);
                        // A part has all values, so that a rule is needed in every set.
                        let origin = match self.parts.contains(&ty) {
                            true => RuleOrigin::Rule,
                            false => RuleOrigin::Value,
                        };
                        rules.push((condition, message, origin));
                    }
                }
            }
        }
        for (condition, message, origin) in rules {
            let condition = self.exprs.intern(condition);
            let (scope, kind) = (RuleScope::Word, "Extension".to_string());
            let rule = Rule { scope, kind, message, condition, origin };
            let rule = self.rule_id(rule);
            opcode.rules.push(rule);
        }
    }

    /// The types whose values a field has, itself and its parts, with these values.
    fn values_of(&self, field: &Field) -> Vec<(TypeId, Expr)> {
        let mut values = vec![(field.ty, Expr::Field(field.name, Reading::Unsigned))];
        if let TypeKind::Composite(composite) = &self.types[field.ty.index()].kind {
            values.extend(composite.parts.iter().map(|part| (part.ty, bits_of(field, &part.bits))));
        }
        values
    }

    /// Restricts an opcode to the sets that have its fixed values.
    fn require_fixed(&self, opcode: &mut Opcode) {
        let fixed = opcode.fields.iter().flat_map(|field| match field.binding {
            Binding::Fixed(raw) => needed(&self.types, field.ty, raw),
            Binding::Required | Binding::Default(_) => Vec::new(),
        });
        let mut fixed = fixed.filter(|requires| !self.implies(&opcode.requires, requires));
        let all = fixed.try_fold(opcode.requires.clone(), |all, one| all.and(one));
        opcode.requires = all.unwrap_or_else(ExtensionCondition::never);
    }

    /// Determines the sets that have an alias. If all sets with the opcode have it, the alias takes the opcode's sets.
    pub(super) fn guard_alias(&self, form: &mut Opcode, of: &Opcode) {
        self.require_fixed(form);
        let both = form.requires.and(&of.requires).unwrap_or_else(ExtensionCondition::never);
        form.requires = match self.implies(&of.requires, &both) {
            true => of.requires.clone(),
            false => both,
        };
    }

    /// Determines the sets in which opcodes are compressed encodings: sets that meet the guard and have the long
    /// encoding.
    pub(super) fn guard_shorts(&self, opcodes: &mut [Opcode], statements: &[Statements<'_, '_>]) {
        let found = opcodes.iter().zip(statements).map(|(opcode, statements)| {
            let (short, given) = (opcode.short.as_ref()?, statements.own.short.as_ref()?);
            let is_long = |other: &&Opcode| other.name == short.of && !other.has_literal();
            let long = opcodes.iter().find(is_long)?.requires.clone();
            let own = given
                .guard
                .map_or_else(|| Some(ExtensionCondition::always()), |g| self.presence(g));
            // A condition that is too large has its own error.
            let both = own.and_then(|own| own.and(&long)).unwrap_or_else(ExtensionCondition::never);
            Some(if self.implies(&opcode.requires, &both) {
                ExtensionCondition::always()
            } else {
                both
            })
        });
        let found: Vec<Option<ExtensionCondition>> = found.collect();
        for (opcode, requires) in opcodes.iter_mut().zip(found) {
            if let (Some(short), Some(requires)) = (&mut opcode.short, requires) {
                short.requires = requires;
            }
        }
    }

    fn message(&self, ty: &Type, values: &GuardedValues) -> String {
        let needs = match values.requires.is_never() {
            true => "other extensions".to_string(),
            false => self.extensions.needs(&values.requires),
        };
        let (first, last) = (name(ty, values.first), name(ty, values.last));
        match values.first == values.last {
            true => format!("`{first}` needs {needs}"),
            false => format!("`{first}` to `{last}` need {needs}"),
        }
    }
}

/// How a value is written in a specification.
fn name(ty: &Type, raw: u64) -> String {
    match &ty.kind {
        TypeKind::BitField(_) => {
            ty.enumerator(raw).map_or_else(|| raw.to_string(), |value| value.name.clone())
        }
        _ => ty.entry(raw).map_or_else(
            || raw.to_string(),
            |(entry, position)| match &entry.meaning {
                Meaning::Registers { prefix, first, .. } => {
                    format!("{prefix}{}", u64::from(*first) + position)
                }
                Meaning::Register { name, .. } | Meaning::Constant { name, .. } => name.clone(),
                Meaning::Special(name) | Meaning::Nothing(name) => name.clone(),
                Meaning::Integers { first, step } => {
                    (i128::from(*first) + i128::from(*step) * i128::from(position)).to_string()
                }
                Meaning::Float(text) => text.clone(),
                Meaning::Literal => crate::isa::LITERAL.to_string(),
            },
        ),
    }
}

/// The condition that a value is one of the guarded values.
fn is_between(value: &Expr, values: &GuardedValues) -> Expr {
    let compared = |op, raw: u64| binary(op, value.clone(), Expr::Int(raw.into()));
    match values.first == values.last {
        true => compared(BinaryOp::Eq, values.first),
        false => {
            let low = compared(BinaryOp::Ge, values.first);
            let high = compared(BinaryOp::Le, values.last);
            binary(BinaryOp::And, low, high)
        }
    }
}

/// Some bits of a field as a number.
fn bits_of(field: &Field, bits: &Bits) -> Expr {
    let pieces = bits.places().map(|(at, piece)| {
        let all = Expr::Field(field.name, Reading::Unsigned);
        let moved = binary(BinaryOp::Shr, all, Expr::Int(piece.lsb.into()));
        let mask = Expr::Int(low_bits(piece.width) as i128);
        binary(BinaryOp::Shl, binary(BinaryOp::BitAnd, moved, mask), Expr::Int(at.into()))
    });
    pieces.reduce(|a, b| binary(BinaryOp::BitOr, a, b)).unwrap_or(Expr::Int(0))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}
