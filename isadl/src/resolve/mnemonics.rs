//! Mnemonics, with fields in them or without: `Mnemonic<"b.{cond}">`.
//!
//! A field in a mnemonic is neither a modifier nor an operand. Codes: E0511, E0523.

use std::collections::HashSet;

use super::Resolver;
use super::fixes::Fixes;
use super::lists::EffectiveStatements;
use super::types::format::{self, ListShape, Shape};
use super::views::{Roles, name_of};
use crate::ast::{Ident, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Binding, FieldRole, MAX_NAMES, MnemonicPiece, NameId, TypeKind};
use crate::model::{FieldId, LayerId};

/// Values of a field, with the texts of each.
type Words = Vec<(u64, Vec<String>)>;

/// A mnemonic of a statement.
struct Given<'a> {
    text: Ident<'a>,
    pieces: Vec<MnemonicPiece>,
    fields: HashSet<FieldId>,
}

impl<'a> Resolver<'a, '_> {
    /// The mnemonics that `Mnemonic` gives, and the pieces of each if fields are in them.
    pub(super) fn mnemonics(
        &mut self,
        id: LayerId,
        roles: &mut Roles,
        in_force: &EffectiveStatements<'a>,
        fixed: &Fixes<u64>,
    ) -> (Vec<&'a str>, Vec<Vec<MnemonicPiece>>) {
        let mut all: Vec<Given<'a>> = Vec::new();
        if let Some(OperandStatementKind::Mnemonic(texts)) =
            in_force.mnemonic.statement.map(|statement| &statement.kind)
        {
            for text in texts {
                match self.given(id, *text, roles, in_force) {
                    Some(given) => all.push(given),
                    None => self.set_meant(id, text.text, roles, in_force),
                }
            }
        }
        let is_whole = self.have_same_fields(&all);
        let fields: Vec<FieldId> = all.first().map_or(Vec::new(), |first| {
            let of_layer = self.model.layer(id).fields.iter().copied();
            of_layer.filter(|field| first.fields.contains(field)).collect()
        });
        for field in &fields {
            self.set_written(id, *field, roles);
        }
        self.keep_unwritten(id, roles, in_force);
        if is_whole && let Some(first) = all.first().filter(|first| !first.fields.is_empty()) {
            let (text, suffix) = (first.text, self.suffix(in_force));
            let is_few = self.check_count(text, (&fields, fixed), all.len(), suffix);
            if is_few {
                all.iter().for_each(|given| self.check_names(given, (&fields, fixed)));
            }
        }
        let pieces = match fields.is_empty() || !is_whole {
            true => Vec::new(),
            false => all.iter().map(|given| given.pieces.clone()).collect(),
        };
        (all.iter().map(|given| given.text.text).collect(), pieces)
    }

    /// The suffix of the mnemonic.
    pub(super) fn suffix(&mut self, in_force: &EffectiveStatements<'a>) -> &'a str {
        match in_force.suffix.statement.map(|statement| &statement.kind) {
            Some(OperandStatementKind::Suffix(text))
                if self.check_word(*text, is_part_of_word(text.text), "suffix of a mnemonic") =>
            {
                text.text
            }
            _ => "",
        }
    }

    /// A mnemonic with its pieces; `None` if it was reported.
    fn given(
        &mut self,
        id: LayerId,
        text: Ident<'a>,
        roles: &Roles,
        in_force: &EffectiveStatements<'a>,
    ) -> Option<Given<'a>> {
        if !text.text.contains(['{', '}']) {
            let pieces = vec![MnemonicPiece::Text(text.text.to_string())];
            return self.check_word(text, is_word(text.text), "mnemonic").then_some(Given {
                text,
                pieces,
                fields: HashSet::new(),
            });
        }
        let shapes = match format::shapes(text) {
            Ok(shapes) => shapes,
            Err(problem) => {
                if self.is_new(Code::E0511, problem.span) {
                    self.report(Diagnostic::new(Code::E0511, problem.message, problem.span));
                }
                return None;
            }
        };
        let (mut pieces, mut fields) = (Vec::new(), HashSet::new());
        for shape in shapes {
            let name = match shape {
                Shape::Text(text) => {
                    pieces.push(MnemonicPiece::Text(text));
                    continue;
                }
                Shape::Part(name) => name,
                Shape::Next(name, _) => {
                    self.not_in_mnemonic(name, "only the value of a field can be written here");
                    return None;
                }
                Shape::Optional(_, span) | Shape::List(ListShape { span, .. }) => {
                    let place = Ident { text: "{? }", span };
                    self.not_in_mnemonic(place, "a value `as \"\"` is written as nothing");
                    return None;
                }
            };
            let field = self.field_of(id, name)?;
            self.check_field(id, (field, name), roles, in_force)?;
            pieces.push(MnemonicPiece::Field(self.model.field(field).name));
            fields.insert(field);
        }
        // Doubled braces only: the text of the mnemonic has a brace.
        if fields.is_empty() && !self.check_word(text, false, "mnemonic") {
            return None;
        }
        Some(Given { text, pieces, fields })
    }

    /// Checks that a field may be in a mnemonic.
    fn check_field(
        &mut self,
        id: LayerId,
        (field, name): (FieldId, Ident<'a>),
        roles: &Roles,
        in_force: &EffectiveStatements<'a>,
    ) -> Option<()> {
        let known = self.model.field(field);
        let ty = self.model.ty(known.ty?);
        let role = self.model.position(id, known.name).and_then(|at| roles[at])?;
        let wrong = match (&ty.kind, role) {
            _ if known.is_literal() => "a literal, which is an operand",
            _ if is_listed(in_force, name.text) => {
                "an operand, which is written after the mnemonic"
            }
            (_, FieldRole::Part { .. }) => {
                "part of an operand, which is written after the mnemonic"
            }
            (_, FieldRole::Control) => "a control field, which is written after all operands",
            (_, FieldRole::Attribute { .. }) => "an attribute, which is written with its operand",
            (TypeKind::Operand(_), _) => "a register or constant, which is an operand",
            (TypeKind::Composite(_), _) => "a composite, which is an operand",
            (TypeKind::Immediate(number), _) if number.relative.is_some() => {
                "a distance, which is an operand"
            }
            (TypeKind::BitField(_) | TypeKind::Immediate(_), _) => return Some(()),
        };
        self.not_in_mnemonic(name, wrong);
        None
    }

    fn not_in_mnemonic(&mut self, name: Ident<'a>, label: &str) {
        if self.is_new(Code::E0523, name.span) {
            let message = format!("`{}` cannot be part of a mnemonic", name.text);
            let diagnostic = Diagnostic::new(Code::E0523, message, name.span)
                .with_label(label)
                .with_note("a field in a mnemonic has a bit-field type or is an immediate, and is not written elsewhere");
            self.report(diagnostic);
        }
    }

    /// Checks that all mnemonics of a statement spell the same fields.
    fn have_same_fields(&mut self, all: &[Given<'a>]) -> bool {
        let Some((first, others)) = all.split_first() else { return true };
        let Some(other) = others.iter().find(|other| other.fields != first.fields) else {
            return true;
        };
        if self.is_new(Code::E0523, other.text.span) {
            let message = format!(
                "`{}` does not have the same fields as `{}`",
                other.text.text, first.text.text
            );
            let diagnostic = Diagnostic::new(Code::E0523, message, other.text.span)
                .with_related(first.text.span, "the mnemonic that is printed")
                .with_note("a field in the mnemonic has no other place in the text")
                .with_help("write the same fields in it, or make it an alias that fixes them");
            self.report(diagnostic);
        }
        false
    }

    /// Fields that a mnemonic that was reported is meant to have are not looked for elsewhere.
    fn set_meant(
        &mut self,
        id: LayerId,
        text: &str,
        roles: &mut Roles,
        in_force: &EffectiveStatements<'a>,
    ) {
        let names = text.split('{').skip(1).map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            &rest[..end.unwrap_or(rest.len())]
        });
        for name in names.filter(|name| !is_listed(in_force, name)) {
            let Some(field) = self.model.find_field_text(id, name) else { continue };
            let at = self.model.position(id, self.model.field(field).name);
            if let Some(at) =
                at.filter(|at| matches!(roles[*at], Some(FieldRole::Modifier | FieldRole::Operand)))
            {
                roles.fields[at] = Some(FieldRole::Mnemonic);
            }
        }
    }

    fn set_written(&mut self, id: LayerId, field: FieldId, roles: &mut Roles) {
        let name = self.model.field(field).name;
        if let Some(at) = self.model.position(id, name) {
            roles.fields[at] = Some(FieldRole::Mnemonic);
        }
    }

    /// Gives fields that an alias writes nowhere the role of mnemonic fields. They are in the mnemonic of its opcode,
    /// and must not become modifiers or operands of the alias.
    fn keep_unwritten(
        &mut self,
        id: LayerId,
        roles: &mut Roles,
        in_force: &EffectiveStatements<'a>,
    ) {
        let Some(of) = self.model.layer(id).alias_of else { return };
        let Some(opcode) = self.model.opcodes.iter().find(|opcode| opcode.layer == of) else {
            return;
        };
        let fields = self.model.layer(of).fields.iter().zip(&opcode.roles);
        let written = fields.filter(|(_, role)| **role == Some(FieldRole::Mnemonic));
        let names: Vec<&Ident<'a>> =
            written.map(|(id, _)| &self.model.field(*id).ast.name).collect();
        let unlisted = names.into_iter().filter(|name| !is_listed(in_force, name.text));
        let unlisted: Vec<NameId> =
            unlisted.filter_map(|name| self.model.names.get(name.text)).collect();
        for at in unlisted.into_iter().filter_map(|name| self.model.position(id, name)) {
            if matches!(roles[at], Some(FieldRole::Modifier | FieldRole::Operand)) {
                roles.fields[at] = Some(FieldRole::Mnemonic);
            }
        }
    }

    /// The values that fields have in mnemonics, with the texts of each.
    fn words(&self, (fields, fixed): (&[FieldId], &Fixes<u64>)) -> Vec<(NameId, Words)> {
        let words = |field: &FieldId| {
            let field = self.model.field(*field);
            let given = fixed.iter().find(|(name, _)| *name == field.name);
            let given = given.map(|(_, raw)| Binding::Fixed(*raw)).or(field.binding);
            let mut words = field.ty.map_or(Vec::new(), |ty| self.model.ty(ty).words());
            if let Some(Binding::Fixed(raw)) = given {
                words.retain(|(value, _)| *value == raw);
            }
            (field.name, words)
        };
        fields.iter().map(words).collect()
    }

    /// Checks that the names are not too many.
    fn check_count(
        &mut self,
        text: Ident<'a>,
        (fields, fixed): (&[FieldId], &Fixes<u64>),
        mnemonics: usize,
        suffix: &str,
    ) -> bool {
        let is_large = |field: &FieldId| {
            let ty = self.model.field(*field).ty.map(|ty| self.model.ty(ty));
            ty.is_some_and(|ty| {
                matches!(ty.kind, TypeKind::Immediate(_)) && ty.width > MAX_NAMES.ilog2()
            })
        };
        let all = self.words((fields, fixed));
        let counts = all.iter().map(|(_, words)| words.iter().map(|(_, texts)| texts.len()).sum());
        let forms = mnemonics * if suffix.is_empty() { 1 } else { 2 };
        let count = counts.fold(forms, usize::saturating_mul);
        if count <= MAX_NAMES && !fields.iter().any(is_large) {
            return true;
        }
        if self.is_new(Code::E0523, text.span) {
            let message = format!("`{}` stands for too many mnemonics", text.text);
            let diagnostic = Diagnostic::new(Code::E0523, message, text.span)
                .with_label(format!("an opcode has at most {MAX_NAMES}"))
                .with_note("each combination of the names of its fields' values is a mnemonic")
                .with_help("write some of the fields as modifiers or operands");
            self.report(diagnostic);
        }
        false
    }

    /// Checks that every combination of values gives a mnemonic.
    fn check_names(&mut self, given: &Given<'a>, all: (&[FieldId], &Fixes<u64>)) {
        let words = self.words(all);
        let mut chosen = vec![0; words.len()];
        let texts: Vec<(NameId, Vec<&String>)> = words
            .iter()
            .map(|(name, words)| (*name, words.iter().flat_map(|(_, texts)| texts).collect()))
            .collect();
        loop {
            let text = given.pieces.iter().map(|piece| match piece {
                MnemonicPiece::Text(text) => text.as_str(),
                MnemonicPiece::Field(name) => {
                    let at = texts.iter().position(|(known, _)| known == name);
                    let text = at.and_then(|at| texts[at].1.get(chosen[at]));
                    text.map_or("", |text| text.as_str())
                }
            });
            let text: String = text.collect();
            if !is_word(&text) {
                let span = given.text.span;
                if self.is_new(Code::E0511, span) {
                    let message =
                        format!("`{}` gives `{text}`, which is not a mnemonic", given.text.text);
                    let diagnostic =
                        Diagnostic::new(Code::E0511, message, span).with_note(WHAT_IT_IS);
                    self.report(diagnostic);
                }
                return;
            }
            // The next choice, as digits of a number.
            let next = (0..chosen.len()).find(|at| chosen[*at] + 1 < texts[*at].1.len());
            let Some(next) = next else { return };
            chosen[next] += 1;
            chosen[..next].fill(0);
        }
    }

    fn check_word(&mut self, text: Ident<'a>, fits: bool, place: &str) -> bool {
        if !fits && self.is_new(Code::E0511, text.span) {
            let message = format!("`{}` is not a valid {place}", text.text);
            let diagnostic = Diagnostic::new(Code::E0511, message, text.span).with_note(WHAT_IT_IS);
            self.report(diagnostic);
        }
        fits
    }
}

/// Whether `Order` lists a name.
fn is_listed(in_force: &EffectiveStatements<'_>, name: &str) -> bool {
    match in_force.order.statement.map(|statement| &statement.kind) {
        Some(OperandStatementKind::Order(entries)) => {
            entries.iter().filter_map(name_of).any(|listed| listed == name)
        }
        _ => false,
    }
}

const WHAT_IT_IS: &str = "a mnemonic consists of letters, digits and `_`, does not begin with a digit, and may have several parts joined by dots, and a dot at its end; a suffix has no dots";

/// Whether a text is a mnemonic: words joined by dots, perhaps with a dot at the end.
fn is_word(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && text.strip_suffix('.').unwrap_or(text).split('.').all(is_part_of_word)
}

fn is_part_of_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
