//! How opcodes are written, derived from `Order`, attributes, `AsmFormat`, `ModiOrder`, defaults
//! and the templates.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::ambiguous::Texts;
use super::literal::marker;
use crate::isa::{
    Attribute, Binding, Enumerator, Field, FieldRole, MnemonicPiece, ModifierStyle, ModifierSyntax,
    NameId, Omission, Opcode, OperandLocation, OperandSyntax, Optype, RegFileId, SectionKind,
    Symbol, Syntax, TypeId, TypeKind,
};
use crate::model::{self, Function, Model};
use crate::parallel;
use crate::prose;
use crate::template::{self, Form, Line};

/// The statements of an opcode, and the statements of its aliases.
pub(super) struct Statements<'m, 'a> {
    pub(super) own: &'m model::Opcode<'a>,
    pub(super) aliases: Vec<&'m model::Opcode<'a>>,
}

/// Derives the syntax of every opcode, and the mnemonics of optypes. `statements` holds the statements of each opcode.
pub(super) fn derive(
    model: &Model<'_>,
    statements: &[Statements<'_, '_>],
    optypes: &mut [Optype],
    opcodes: &mut [Opcode],
) {
    let forms: Vec<Vec<Form<'_>>> = model.operations().map(forms).collect();
    for (optype, forms) in optypes.iter_mut().zip(&forms) {
        if let Some(form) = forms.first() {
            optype.mnemonic = mnemonic(model, optype, opcodes, form);
        }
    }
    for (opcode, statements) in opcodes.iter_mut().zip(statements) {
        let principal = &optypes[opcode.optypes[0].index()].mnemonic;
        set_mnemonics(&mut opcode.syntax, statements.own, principal);
        for (alias, statements) in opcode.aliases.iter_mut().zip(&statements.aliases) {
            set_mnemonics(&mut alias.form.syntax, statements, principal);
        }
    }
    // An operation is called after the first of its opcodes that has a mnemonic of its own.
    for optype in optypes.iter_mut() {
        let mut given =
            optype.opcodes.iter().filter_map(|id| statements[id.index()].own.mnemonics.first());
        if let Some(given) = given.next() {
            optype.mnemonic = given.to_string();
        }
    }
    let selectors: Vec<HashSet<NameId>> = optypes
        .iter()
        .zip(&forms)
        .map(|(optype, forms)| selectors(model, optype, opcodes, forms))
        .collect();
    let both: Vec<(&Statements<'_, '_>, &Opcode)> = statements.iter().zip(&*opcodes).collect();
    let derived = parallel::pieces(&both, parallel::MIN_OPCODES, |both| -> Vec<_> {
        let (selectors, texts) = (&selectors, Texts::new(model));
        let deriver = Deriver { model, optypes, forms: &forms, selectors, texts };
        let derive = |(statements, opcode): &(&Statements<'_, '_>, &Opcode)| {
            let aliases = opcode.aliases.iter().zip(&statements.aliases);
            let aliases = aliases.map(|(alias, own)| deriver.syntax(own, &alias.form, opcodes));
            let aliases: Vec<Syntax> = aliases.collect();
            (deriver.syntax(statements.own, opcode, opcodes), aliases)
        };
        both.iter().map(derive).collect()
    });
    for (opcode, (syntax, aliases)) in opcodes.iter_mut().zip(derived.into_iter().flatten()) {
        opcode.syntax = syntax;
        for (alias, syntax) in opcode.aliases.iter_mut().zip(aliases) {
            alias.form.syntax = syntax;
        }
    }
}

/// Sets the mnemonic of an opcode and its alternative mnemonics: with its suffix, or without.
fn set_mnemonics(syntax: &mut Syntax, statements: &model::Opcode<'_>, principal: &str) {
    let given = match statements.mnemonics.as_slice() {
        [] => &[principal][..],
        given => given,
    };
    let suffix = statements.suffix;
    let with_suffix = given.iter().map(|text| format!("{text}{suffix}"));
    let bare = given.iter().filter(|_| !suffix.is_empty()).map(|text| text.to_string());
    let mut all = with_suffix.chain(bare);
    syntax.mnemonic = all.next().unwrap_or_default();
    syntax.aliases = all.collect();
    let pieces = statements.pieces.iter();
    let with_suffix = pieces.clone().map(|pieces| {
        let suffix = (!suffix.is_empty()).then(|| MnemonicPiece::Text(suffix.to_string()));
        pieces.iter().cloned().chain(suffix).collect()
    });
    let bare = pieces.filter(|_| !suffix.is_empty()).cloned();
    syntax.pieces = with_suffix.chain(bare).collect();
}

/// The forms of an optype's templates.
pub(crate) fn forms<'a>(layer: &model::Layer<'a>) -> Vec<Form<'a>> {
    let syntax = layer.prose.iter().filter(|section| section.kind == SectionKind::Syntax);
    let lines = syntax.flat_map(prose::fenced);
    let form = |line| match template::parse(line) {
        Ok(Line::Form(form)) => Some(form),
        _ => None,
    };
    lines.filter_map(form).collect()
}

/// The first word of a form, extended up to the first modifier. A modifier is an optional part, the name of a field, or
/// a value of a modifier.
fn mnemonic(model: &Model<'_>, optype: &Optype, opcodes: &[Opcode], form: &Form<'_>) -> String {
    let fields = optype.opcodes.iter().flat_map(|id| &opcodes[id.index()].fields);
    let modifiers: Vec<&Field> = fields.filter(|field| field.role == FieldRole::Modifier).collect();
    let is_modifier = |name: &str| modifiers.iter().any(|field| names(model, field, name));
    // Only `Mnemonic` can put a field into it.
    let head = form.head.text.split('{').next().unwrap_or_default();
    let mut mnemonic = head.to_string();
    for item in form.dotted.iter() {
        if item.is_optional || is_modifier(item.name.text) || item.name.text.contains('{') {
            break;
        }
        mnemonic.push('.');
        mnemonic += item.name.text;
    }
    mnemonic
}

/// Whether a name in a template refers to a field, by its name or by one of its values.
fn names(model: &Model<'_>, field: &Field, name: &str) -> bool {
    model.names.text(field.name) == name
        || values(model, field.ty).iter().any(|value| value.spelling == name)
}

fn values<'m>(model: &'m Model<'_>, ty: TypeId) -> &'m [Enumerator] {
    match &model.ty(ty).kind {
        TypeKind::BitField(values) => values,
        _ => &[],
    }
}

/// The modifiers that every opcode of an operation has and fixes, where they only select the opcode. They are written
/// if a template shows them, or if nothing else distinguishes two opcodes.
fn selectors(
    model: &Model<'_>,
    optype: &Optype,
    opcodes: &[Opcode],
    forms: &[Form<'_>],
) -> HashSet<NameId> {
    let of: Vec<&Opcode> = optype.opcodes.iter().map(|id| &opcodes[id.index()]).collect();
    let fixed = |opcode: &&Opcode| -> HashSet<NameId> {
        let modifiers = opcode.fields.iter().filter(|field| fixed_modifier(field).is_some());
        modifiers.map(|field| field.name).collect()
    };
    let mut common = of.first().map(fixed).unwrap_or_default();
    of.iter().for_each(|opcode| common = &common & &fixed(opcode));
    if common.is_empty() {
        return common;
    }
    let items: Vec<&str> =
        forms.iter().flat_map(|form| &form.dotted).map(|item| item.name.text).collect();
    let others: Vec<&Field> = of
        .iter()
        .flat_map(|opcode| &opcode.fields)
        .filter(|field| field.role == FieldRole::Modifier && !common.contains(&field.name))
        .collect();
    let is_others = |item: &str| others.iter().any(|field| names(model, field, item));
    let is_shown = |name: NameId| {
        let mut fields = of.iter().filter_map(|opcode| opcode.field(name));
        items.contains(&model.names.text(name))
            || fields.any(|field| {
                items.iter().any(|item| is_fixed_as(model, field, item) && !is_others(item))
            })
    };
    let mut selectors = common.clone();
    selectors.retain(|name| !is_shown(*name));
    let shown = &common - &selectors;
    let needed: HashSet<NameId> =
        selectors.iter().copied().filter(|name| is_needed(*name, &of, &shown)).collect();
    &selectors - &needed
}

/// The value of a modifier that is fixed.
fn fixed_modifier(field: &Field) -> Option<u64> {
    match field.binding {
        Binding::Fixed(raw) if field.role == FieldRole::Modifier => Some(raw),
        _ => None,
    }
}

/// Whether a selector is needed to distinguish two opcodes of a mnemonic. The opcodes then differ neither in operands
/// nor in a shown modifier that all opcodes fix.
fn is_needed(name: NameId, opcodes: &[&Opcode], shown: &HashSet<NameId>) -> bool {
    if opcodes.len() < 2 {
        return false;
    }
    let written = |opcode: &Opcode| -> Written {
        let modifiers = opcode.fields.iter().filter(|field| shown.contains(&field.name));
        let fixed = modifiers.filter_map(|field| Some((field.name, fixed_modifier(field)?)));
        let operands = opcode.operands.iter().map(|operand| {
            let ty = |name| opcode.field(name).map(|field| field.ty);
            match operand.place {
                OperandLocation::Field(name) => (None, ty(name), None),
                OperandLocation::File(file) => (Some(file), None, None),
                OperandLocation::Indirect { file, base, offset } => {
                    (Some(file), ty(base), offset.and_then(ty))
                }
            }
        });
        Written {
            mnemonic: opcode.syntax.mnemonic.clone(),
            width: opcode.width,
            operands: operands.collect(),
            fixed: fixed.collect(),
        }
    };
    let mut values: HashMap<Written, u64> = HashMap::new();
    let value = |opcode: &Opcode| opcode.field(name).and_then(fixed_modifier);
    opcodes.iter().any(|opcode| {
        let Some(raw) = value(opcode) else { return false };
        *values.entry(written(opcode)).or_insert(raw) != raw
    })
}

/// The written parts of an opcode; two opcodes can have the same.
#[derive(PartialEq, Eq, Hash)]
struct Written {
    mnemonic: String,
    width: u32,
    operands: Vec<(Option<RegFileId>, Option<TypeId>, Option<TypeId>)>,
    fixed: BTreeSet<(NameId, u64)>,
}

/// Whether a field is fixed to the value that is written so.
fn is_fixed_as(model: &Model<'_>, field: &Field, spelling: &str) -> bool {
    let Binding::Fixed(raw) = field.binding else { return false };
    let mut values = values(model, field.ty).iter();
    values.any(|value| value.value == raw && value.spelling == spelling)
}

struct Deriver<'d, 'a> {
    model: &'d Model<'a>,
    optypes: &'d [Optype],
    /// The forms of each optype.
    forms: &'d [Vec<Form<'a>>],
    /// For each optype, the modifiers that only select its opcodes.
    selectors: &'d [HashSet<NameId>],
    texts: Texts<'d, 'a>,
}

impl Deriver<'_, '_> {
    fn syntax(
        &self,
        statements: &model::Opcode<'_>,
        opcode: &Opcode,
        opcodes: &[Opcode],
    ) -> Syntax {
        let mut operands = self.operands(statements, opcode, opcodes);
        let is_guard = |operand: &OperandSyntax| match operand.place(opcode) {
            OperandLocation::Field(name) => statements.guard == Some(name),
            _ => false,
        };
        let guard = operands.first().is_some_and(is_guard).then(|| operands.remove(0));
        self.tell_operands_apart(opcode, &mut operands);
        let of_role = |role| opcode.fields.iter().filter(move |field| field.role == role);
        let controls = of_role(FieldRole::Control).map(control).collect();
        Syntax {
            mnemonic: opcode.syntax.mnemonic.clone(),
            aliases: opcode.syntax.aliases.clone(),
            pieces: opcode.syntax.pieces.clone(),
            guard,
            modifiers: self.modifiers(statements, opcode, opcodes),
            operands,
            controls,
        }
    }

    /// The operands, left out as if each stood alone.
    fn operands(
        &self,
        statements: &model::Opcode<'_>,
        opcode: &Opcode,
        opcodes: &[Opcode],
    ) -> Vec<OperandSyntax> {
        let mut formats = HashMap::new();
        let mut extensions = HashMap::new();
        let mut calls = HashMap::new();
        for format in &statements.formats {
            match format.function {
                Function::CvtINegX { ext } => extensions.insert(format.field, ext),
                Function::CvtFImm { format: modifier } => formats.insert(format.field, modifier),
                Function::CvtNegConst { word } => {
                    calls.insert(format.field, self.model.words[word].to_string());
                    None
                }
            };
        }
        let operand = |(operand, place): (usize, OperandLocation)| {
            let mut syntax = OperandSyntax {
                operand,
                marks: Vec::new(),
                suffixes: Vec::new(),
                format: None,
                constants: None,
                literal: None,
                is_optional: false,
                omission: None,
            };
            let OperandLocation::Field(name) = place else { return syntax };
            syntax.format = formats.get(&name).copied();
            syntax.constants = constants(opcode, name);
            syntax.literal = self.literal(opcode, name, opcodes);
            let is_attribute = |field: &&Field| field.role == FieldRole::Attribute { of: name };
            for field in opcode.fields.iter().filter(is_attribute) {
                match self.symbol(field) {
                    Some(symbol) => syntax.marks.push(Attribute {
                        field: field.name,
                        symbol,
                        extension: extensions.get(&field.name).copied(),
                        call: calls.get(&field.name).cloned(),
                    }),
                    None => syntax.suffixes.push(self.modifier(field)),
                }
            }
            // A sign stands outside of bars.
            syntax.marks.sort_by_key(|mark| mark.symbol);
            syntax.omission = self.omission(opcode, name, &syntax);
            syntax.is_optional = syntax.omission.is_some();
            syntax
        };
        opcode.operands.iter().map(|operand| operand.place).enumerate().map(operand).collect()
    }

    /// The type of the literals that numbers of an operand are read as. It comes from the operand's literal in another
    /// form of the opcode, else from the operation's literals, if all have one type.
    fn literal(&self, opcode: &Opcode, name: NameId, opcodes: &[Opcode]) -> Option<TypeId> {
        marker(self.model.ty(opcode.field(name)?.ty))?;
        let siblings = &self.optypes[opcode.optypes[0].index()].opcodes;
        let siblings = siblings.iter().map(|id| &opcodes[id.index()]);
        let forms =
            siblings.flat_map(|sibling| sibling.literals.iter().map(move |form| (sibling, form)));
        let literals = forms.filter_map(|(sibling, form)| {
            let is_own = sibling.name == opcode.name && form.selector == name;
            Some((is_own, sibling.field(form.literal)?.ty))
        });
        if let Some((_, own)) = literals.clone().find(|(is_own, _)| *is_own) {
            return Some(own);
        }
        let mut types = literals.map(|(_, ty)| ty);
        let first = types.next()?;
        types.all(|ty| ty == first).then_some(first)
    }

    fn symbol(&self, field: &Field) -> Option<Symbol> {
        let (_, attribute) = self.model.names.text(field.name).split_once('.')?;
        Symbol::of(attribute).filter(|_| field.width() == 1)
    }

    /// The words in which an operand and its attributes have their defaults.
    fn omission(&self, opcode: &Opcode, name: NameId, syntax: &OperandSyntax) -> Option<Omission> {
        let field = opcode.field(name)?;
        let Binding::Default(raw) = field.binding else { return None };
        // Of an operand made of fields, only pieces in `{? }` vanish.
        if let TypeKind::Composite(composite) = &self.model.ty(field.ty).kind
            && opcode.composite_operand(name).is_some()
            && !composite.written(raw).is_empty()
        {
            return None;
        }
        let mut omission = holds(field, raw);
        for mark in &syntax.marks {
            let mark = opcode.field(mark.field)?;
            let raw = match mark.binding {
                Binding::Required => 0,
                Binding::Default(raw) | Binding::Fixed(raw) => raw,
            };
            omission = omission.and(holds(mark, raw));
        }
        for suffix in &syntax.suffixes {
            omission = omission.and(holds(opcode.field(suffix.field)?, suffix.absent?));
        }
        Some(omission)
    }

    /// Makes an optional operand mandatory where a later operand would be mistaken for it.
    fn tell_operands_apart(&self, opcode: &Opcode, operands: &mut [OperandSyntax]) {
        let typed = |operand: &OperandSyntax| {
            let place = operand.place(opcode);
            let ty = match place {
                OperandLocation::Field(name) => opcode.field(name).map(|field| field.ty),
                _ => None,
            };
            (place, ty)
        };
        let typed: Vec<_> = operands.iter().map(typed).collect();
        for at in (0..operands.len()).rev() {
            for later in at + 1..operands.len() {
                if self.texts.may_be_either(typed[at], typed[later]) {
                    operands[at].omission = both(operands[at].omission, operands[later].omission);
                }
                if !operands[later].is_optional {
                    break;
                }
            }
        }
    }

    /// A modifier, suffix or control field, left out as if it stood alone.
    fn modifier(&self, field: &Field) -> ModifierSyntax {
        // Absent text means the value whose spelling is empty, if there is such a value.
        let silent = values(self.model, field.ty).iter().find(|value| value.spelling.is_empty());
        let absent = match (silent, field.binding) {
            (_, Binding::Fixed(raw)) => Some(raw),
            (Some(value), _) => Some(value.value),
            (None, Binding::Default(raw)) => Some(raw),
            (None, Binding::Required) => None,
        };
        let omission = absent.map(|raw| holds(field, raw));
        ModifierSyntax { field: field.name, rank: None, absent, omission }
    }

    /// The modifiers in canonical order: as in `ModiOrder`, else by first appearance in the templates, else by their
    /// bits.
    fn modifiers(
        &self,
        statements: &model::Opcode<'_>,
        opcode: &Opcode,
        opcodes: &[Opcode],
    ) -> Vec<ModifierSyntax> {
        let fields = self.modifier_fields(statements, opcode);
        let syntax = |field: &&Field| {
            let mut modifier = self.modifier(field);
            // A value with an empty spelling cannot be written.
            let is_silent = |raw| {
                values(self.model, field.ty).iter().any(|v| v.value == raw && v.spelling.is_empty())
            };
            if let Binding::Fixed(raw) = field.binding
                && !is_silent(raw)
                && self.selects(opcode, field, raw, opcodes)
            {
                (modifier.absent, modifier.omission) = (None, None);
            }
            let rank = statements.modi_order.iter().position(|name| *name == field.name);
            modifier.rank =
                rank.filter(|_| self.keeps_order(field, &fields)).map(|rank| rank as u32);
            modifier
        };
        let mut modifiers: Vec<ModifierSyntax> = fields.iter().map(syntax).collect();
        self.tell_modifiers_apart(&fields, &mut modifiers);
        modifiers
    }

    /// Whether the order of `ModiOrder` also holds where a modifier is read. Words may be in any order, except where
    /// only the order distinguishes two modifiers.
    fn keeps_order(&self, field: &Field, fields: &[&Field]) -> bool {
        let is_words =
            self.model.isa.as_ref().is_some_and(|isa| isa.modifiers == ModifierStyle::Words);
        let mut others = fields.iter().filter(|other| other.name != field.name);
        !is_words || others.any(|other| self.texts.share_spelling(field.ty, other.ty))
    }

    /// The modifiers that may be written, in canonical order.
    fn modifier_fields<'o>(
        &self,
        statements: &model::Opcode<'_>,
        opcode: &'o Opcode,
    ) -> Vec<&'o Field> {
        let selectors = &self.selectors[opcode.optypes[0].index()];
        let is_written =
            |field: &&Field| field.role == FieldRole::Modifier && !selectors.contains(&field.name);
        let mut fields: Vec<&Field> = opcode.fields.iter().filter(is_written).collect();
        let appearance = self.appearance(opcode, &fields);
        let numbering = self.model.isa.as_ref().map(|isa| isa.layout.numbering(opcode.width));
        fields.sort_by_key(|field| {
            let position = appearance.iter().position(|name| *name == field.name);
            (position.unwrap_or(usize::MAX), numbering.map(|numbering| numbering.low(&field.bits)))
        });
        order(&mut fields, &statements.modi_order);
        fields
    }

    /// Makes an optional modifier mandatory where a later modifier would be mistaken for it.
    fn tell_modifiers_apart(&self, fields: &[&Field], modifiers: &mut [ModifierSyntax]) {
        for at in (0..modifiers.len()).rev() {
            let is_silent = |raw| {
                let mut values = values(self.model, fields[at].ty).iter();
                values.any(|value| value.value == raw && value.spelling.is_empty())
            };
            // A value with an empty spelling cannot be written.
            if modifiers[at].absent.is_some_and(is_silent) {
                continue;
            }
            for later in at + 1..modifiers.len() {
                if self.texts.share_spelling(fields[at].ty, fields[later].ty) {
                    modifiers[at].omission =
                        both(modifiers[at].omission, modifiers[later].omission);
                }
            }
        }
    }

    /// The modifiers in the order of the templates.
    fn appearance(&self, opcode: &Opcode, fields: &[&Field]) -> Vec<NameId> {
        let mut seen: Vec<NameId> = Vec::new();
        for form in &self.forms[opcode.optypes[0].index()] {
            for item in &form.dotted {
                let unseen = fields.iter().filter(|field| !seen.contains(&field.name));
                let by_name = unseen
                    .clone()
                    .find(|field| self.model.names.text(field.name) == item.name.text);
                let mut by_value = unseen.filter(|field| names(self.model, field, item.name.text));
                seen.extend(by_name.or_else(|| by_value.next()).map(|field| field.name));
            }
        }
        seen
    }

    /// Whether a fixed modifier distinguishes an opcode from another opcode of its optype and mnemonic.
    fn selects(&self, opcode: &Opcode, field: &Field, raw: u64, opcodes: &[Opcode]) -> bool {
        let siblings = &self.optypes[opcode.optypes[0].index()].opcodes;
        let mut siblings = siblings.iter().map(|id| &opcodes[id.index()]);
        siblings.any(|sibling| match sibling.field(field.name) {
            Some(other) if sibling.syntax.mnemonic == opcode.syntax.mnemonic => {
                self.modifier(other).absent != Some(raw)
            }
            _ => false,
        })
    }
}

/// A control field, which is left out where it has its default. Its name announces a value, so none
/// is written as nothing.
fn control(field: &Field) -> ModifierSyntax {
    let absent = match field.binding {
        Binding::Default(raw) | Binding::Fixed(raw) => Some(raw),
        Binding::Required => None,
    };
    let omission = absent.map(|raw| holds(field, raw));
    ModifierSyntax { field: field.name, rank: None, absent, omission }
}

/// The type by whose constants a literal is written.
fn constants(opcode: &Opcode, name: NameId) -> Option<TypeId> {
    opcode.field(opcode.selector_of(name)?).map(|field| field.ty)
}

/// The words in which a field has a value.
fn holds(field: &Field, raw: u64) -> Omission {
    match field.binding {
        Binding::Fixed(fixed) if fixed == raw => Omission::ALWAYS,
        _ => Omission { mask: field.mask(), value: field.insert(0, raw) },
    }
}

fn both(a: Option<Omission>, b: Option<Omission>) -> Option<Omission> {
    Some(a?.and(b?))
}

/// Puts the fields that are in `given` in that order, at the places that they hold together.
fn order(fields: &mut [&Field], given: &[NameId]) {
    let places: Vec<usize> =
        (0..fields.len()).filter(|at| given.contains(&fields[*at].name)).collect();
    let mut ordered: Vec<&Field> = places.iter().map(|at| fields[*at]).collect();
    ordered.sort_by_key(|field| given.iter().position(|name| *name == field.name));
    for (at, field) in places.into_iter().zip(ordered) {
        fields[at] = field;
    }
}
