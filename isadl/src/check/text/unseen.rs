//! W0912: fields whose values text cannot show, or not so that they can be read again, where legal words have such values.

use std::collections::{BTreeMap, HashMap};

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, names};
use crate::engine::Engine;
use crate::isa::{
    Attribute, Binding, CommentSyntax, CompositeSegment, Enumerator, Field, FieldRole, Inst, Isa,
    Meaning, ModifierStyle, ModifierSyntax, NameId, Omission, Opcode, OpcodeId, OperandLocation,
    OperandSyntax, Symbol, Type, TypeId, TypeKind,
};
use crate::model;
use crate::prove::{Answer, Partial, Prover, Question};

/// Widest type whose values are all examined.
const MAX_LISTED: u32 = 12;

pub(super) fn check(
    context: &Context<'_, '_>,
    engine: &Engine<'_>,
    prover: &Prover<'_>,
    diagnostics: &mut Diagnostics,
) {
    // By type and by the sign before its values, with the fields that have them.
    let mut types: BTreeMap<(TypeId, char), (ModifierStyle, Vec<Has<'_, '_>>)> = BTreeMap::new();
    let mut numbers = Numbers::new();
    for id in context.isa.opcode_ids() {
        let opcode = context.isa.opcode(id);
        let words = OfOpcode { engine, prover, id, opcode };
        for field in opcode.encoded().filter(|field| !is_fixed(field)) {
            let order = context.opcodes[id.index()].order.keyword("Order");
            if let Some(what) = unwritten(context.isa, (opcode, order), field)
                && words.have_other(field)
            {
                diagnostics.push(at(context, id, field, what.message).with_note(what.note));
            }
            if let Some(style) = style(context.isa, field) {
                let known = types.entry((field.ty, style.sign()));
                known.or_insert((style, Vec::new())).1.push((words, field));
            }
        }
        for operand in &opcode.syntax.operands {
            sign(context, (id, words, &mut numbers), operand, diagnostics);
        }
        shared(context, (id, words), diagnostics);
    }
    for ((ty, _), (style, fields)) in types {
        spellings(context, ty, (style, &fields), diagnostics);
    }
}

/// The values of types that are written as numbers.
type Numbers = HashMap<TypeId, Vec<u64>>;

/// A field of an opcode.
type Has<'f, 'i> = (OfOpcode<'f, 'i>, &'f Field);

/// The words that an assembler makes of an opcode.
#[derive(Clone, Copy)]
struct OfOpcode<'f, 'i> {
    engine: &'f Engine<'i>,
    prover: &'f Prover<'i>,
    id: OpcodeId,
    opcode: &'f Opcode,
}

impl OfOpcode<'_, '_> {
    /// Whether fields have these values in some word; also where that remains open.
    fn have(self, values: &[(&Field, u64)]) -> bool {
        self.word(values) != Answer::None
    }

    /// A word in which fields have these values.
    fn word(self, values: &[(&Field, u64)]) -> Answer {
        let question = values.iter().try_fold(self.made(), |question, (field, raw)| {
            question.with(Partial { known: field.mask(), value: field.insert(0, *raw) })
        });
        question.map_or(Answer::None, |question| self.prover.answer(&question))
    }

    /// Whether some word with these field values has a text that is not read as this word.
    fn lose(self, values: &[(&Field, u64)]) -> bool {
        match self.word(values) {
            Answer::Word(word) => {
                let inst = Inst { opcode: self.id, word };
                let read = self.engine.having(inst).read_as(self.id, &self.engine.own_text(inst));
                // A refused text is another fault.
                read.is_some_and(|read| {
                    values.iter().any(|(field, raw)| field.extract(read.word) != *raw)
                })
            }
            Answer::None => false,
            Answer::Undecided => true,
        }
    }

    /// Whether some word is written with this value of a modifier or attribute.
    fn write(self, field: &Field, raw: u64) -> bool {
        let bits = Partial { known: field.mask(), value: field.insert(0, raw) };
        let syntax = &self.opcode.syntax;
        let operands = syntax.guard.iter().chain(&syntax.operands);
        let suffixes = operands.flat_map(|operand| &operand.suffixes);
        let mut all = syntax.modifiers.iter().chain(suffixes);
        let written = all.find(|modifier| modifier.field == field.name);
        let left_out = written.and_then(|modifier| modifier.omission);
        let question = self.made().with(bits).map(|question| match left_out {
            Some(Omission { mask, value }) => question.without(Partial { known: mask, value }),
            None => question,
        });
        written.is_some()
            && question.is_some_and(|question| self.prover.answer(&question) != Answer::None)
    }

    /// Whether a field has another value than its default in some word; any, if it does not have a default.
    fn have_other(self, field: &Field) -> bool {
        let question = match field.binding {
            Binding::Default(raw) => {
                self.made().without(Partial { known: field.mask(), value: field.insert(0, raw) })
            }
            Binding::Required | Binding::Fixed(_) => self.made(),
        };
        self.prover.answer(&question) != Answer::None
    }

    fn made(&self) -> Question<'_> {
        self.prover.made(self.opcode, None)
    }
}

/// How the values of a field are written; an attribute always has a dot.
fn style(isa: &Isa, field: &Field) -> Option<ModifierStyle> {
    match field.role {
        FieldRole::Modifier => Some(isa.modifiers()),
        FieldRole::Attribute { .. } => Some(ModifierStyle::Dots),
        FieldRole::Operand | FieldRole::Part { .. } | FieldRole::Mnemonic | FieldRole::Control => {
            None
        }
    }
}

/// The sign before a modifier in a message.
fn dot(style: ModifierStyle) -> &'static str {
    match style {
        ModifierStyle::Dots => ".",
        ModifierStyle::Words => "",
    }
}

/// A finding at the declaration of a field.
fn at(context: &Context<'_, '_>, id: OpcodeId, field: &Field, message: String) -> Diagnostic {
    let layer = context.opcodes[id.index()].layer;
    let declared = context.model.find_field(layer, field.name).map(|id| context.model.field(id));
    let span = declared.map_or(context.layer(id).name.span, declaration);
    Diagnostic::new(Code::W0912, message, span)
}

fn declaration(field: &model::Field<'_>) -> crate::source::Span {
    field.ast.name.span
}

fn is_fixed(field: &Field) -> bool {
    matches!(field.binding, Binding::Fixed(_))
}

/// The fault of a field, and the reason.
struct What {
    message: String,
    note: String,
}

/// Whether an operand or attribute is not in the text at all.
fn unwritten(isa: &Isa, (opcode, order): (&Opcode, &str), field: &Field) -> Option<What> {
    let name = isa.name_of(field.name);
    let message = |what: &str| format!("{what} `{name}` cannot be written");
    match field.role {
        FieldRole::Operand if !is_written(opcode, field.name) => Some(What {
            message: message("operand"),
            note: format!("it is not in `{order}`, so it always has its default in assembly"),
        }),
        FieldRole::Attribute { of } if !is_operand(opcode, of) => {
            // An operand that cannot be written was reported itself.
            let operand = opcode.field(of)?;
            let is_echo = !is_fixed(operand) && !is_written(opcode, of);
            (!is_echo).then(|| What {
                message: message("attribute"),
                note: format!("its operand is not written by itself in `{order}`"),
            })
        }
        _ => None,
    }
}

/// Whether a field is an operand in the text, or a part of an operand.
fn is_written(opcode: &Opcode, name: NameId) -> bool {
    opcode.operands.iter().any(|operand| match operand.place {
        OperandLocation::Field(field) => field == name,
        OperandLocation::Indirect { base, offset, .. } => base == name || offset == Some(name),
        OperandLocation::File(_) => false,
    })
}

fn is_operand(opcode: &Opcode, name: NameId) -> bool {
    opcode.operands.iter().any(|operand| operand.place == OperandLocation::Field(name))
}

/// A `-` before a number is its sign, unless the mark is a word there.
fn sign(
    context: &Context<'_, '_>,
    (id, words, numbers): (OpcodeId, OfOpcode<'_, '_>, &mut Numbers),
    operand: &OperandSyntax,
    diagnostics: &mut Diagnostics,
) {
    let opcode = context.isa.opcode(id);
    let OperandLocation::Field(name) = operand.place(opcode) else { return };
    let Some(field) = opcode.field(name) else { return };
    let is_sign = |mark: &&Attribute| mark.symbol == Symbol::Negate && mark.call.is_none();
    let Some(mark) = operand.marks.iter().find(is_sign) else { return };
    let attribute = opcode.field(mark.field).filter(|attribute| !is_fixed(attribute));
    let ty = context.isa.ty(field.ty);
    // Assumes that nothing stands between the mark and the number.
    let inner = operand.marks.iter().filter(|inner| inner.symbol > Symbol::Negate);
    let inner: Vec<(&Field, u64)> =
        inner.filter_map(|mark| Some((opcode.field(mark.field)?, 0))).collect();
    // With some values of a modifier it is another mark.
    let extension = mark.extension.and_then(|name| opcode.field(name));
    let plain: Vec<Option<(&Field, u64)>> = match extension {
        Some(field) => {
            let silent = values(context.isa.ty(field.ty)).iter();
            let silent = silent.filter(|value| value.spelling.is_empty());
            silent.map(|value| Some((field, value.value))).collect()
        }
        None => vec![None],
    };
    let have = |wanted: &[(&Field, u64)]| {
        plain.iter().any(|plain| {
            let plain: Vec<(&Field, u64)> = plain.iter().copied().collect();
            words.have(&[wanted, inner.as_slice(), plain.as_slice()].concat())
        })
    };
    let is_before_number = |attribute: &&Field| match ty.width {
        ..=MAX_LISTED => {
            let known = numbers.entry(field.ty).or_insert_with(|| listed_numbers(context.isa, ty));
            known.iter().any(|raw| have(&[(attribute, 1), (field, *raw)]))
        }
        _ => has_numbers(context.isa, ty) && have(&[(attribute, 1)]),
    };
    if let Some(attribute) = attribute.filter(is_before_number) {
        let message =
            format!("the mark of `{}` cannot be told from a sign", context.isa.name_of(mark.field));
        let note = "`-` before a number is read as its sign";
        diagnostics.push(at(context, id, attribute, message).with_note(note));
    }
}

/// The values of a narrow type whose text begins with a digit. This distinguishes a second sign from a mark.
fn listed_numbers(isa: &Isa, ty: &Type) -> Vec<u64> {
    let is_number = |raw: &u64| isa.value_text(ty, *raw).starts_with(|c: char| c.is_ascii_digit());
    (0..1u64 << ty.width).filter(is_number).collect()
}

/// Whether the text of a value may begin with a number.
fn has_numbers(isa: &Isa, ty: &Type) -> bool {
    match &ty.kind {
        // After a mark there is a prefix, which no sign has before it.
        TypeKind::Immediate(immediate) => immediate.prefix.is_empty(),
        TypeKind::BitField(_) => false,
        TypeKind::Operand(entries) => {
            let is_number =
                |meaning: &Meaning| matches!(meaning, Meaning::Integers { .. } | Meaning::Float(_));
            entries.iter().any(|entry| is_number(&entry.meaning))
        }
        TypeKind::Composite(composite) => composite.first().iter().any(|piece| match piece {
            CompositeSegment::Part(part) => has_numbers(isa, isa.ty(composite.parts[*part].ty)),
            _ => false,
        }),
    }
}

/// Modifiers and attributes that share a spelling, so that a value of one is read as the other.
fn shared(
    context: &Context<'_, '_>,
    of: (OpcodeId, OfOpcode<'_, '_>),
    diagnostics: &mut Diagnostics,
) {
    let syntax = &context.isa.opcode(of.0).syntax;
    // An absent modifier is written out where another would be taken for it, if it has a word.
    let is_silent = |ty: &Type, raw| ty.enumerator(raw).is_some_and(|v| v.spelling.is_empty());
    shared_among(context, of, &syntax.modifiers, is_silent, diagnostics);
    for operand in syntax.guard.iter().chain(&syntax.operands) {
        shared_among(context, of, &operand.suffixes, |_, _| true, diagnostics);
    }
}

/// Reports two adjacent modifiers that can both be absent, where a value of the second is read as the first.
fn shared_among(
    context: &Context<'_, '_>,
    (id, words): (OpcodeId, OfOpcode<'_, '_>),
    list: &[ModifierSyntax],
    stays_absent: impl Fn(&Type, u64) -> bool,
    diagnostics: &mut Diagnostics,
) {
    let (isa, opcode) = (context.isa, context.isa.opcode(id));
    let free = list.iter().filter_map(|modifier| {
        let field = opcode.field(modifier.field).filter(|field| !is_fixed(field))?;
        Some((field, isa.ty(field.ty), modifier.absent?))
    });
    let free: Vec<(&Field, &Type, u64)> = free.collect();
    for (at_first, (first, ty, absent)) in free.iter().enumerate() {
        if !stays_absent(ty, *absent) {
            continue;
        }
        for (second, other, silent) in &free[at_first + 1..] {
            let mut common = common(ty, other, *silent);
            let is_unresolved =
                |value: &&Enumerator| words.lose(&[(first, *absent), (second, value.value)]);
            let Some(Enumerator { spelling, .. }) = common.find(is_unresolved) else { continue };
            let (a, b) = (isa.name_of(first.name), isa.name_of(second.name));
            let dot = style(isa, second).map_or("", dot);
            let message = format!("`{dot}{spelling}` of `{b}` is read as the value of `{a}`");
            let note = format!("both have it, and `{a}` may be absent");
            diagnostics.push(at(context, id, second, message).with_note(note));
        }
    }
}

/// The values of the second type with a spelling of both, but for the value that is left out.
fn common<'t>(a: &'t Type, b: &'t Type, absent: u64) -> impl Iterator<Item = &'t Enumerator> {
    let written = move |value: &&Enumerator| !value.spelling.is_empty() && value.value != absent;
    let is_shared =
        |value: &&Enumerator| values(a).iter().any(|other| other.spelling == value.spelling);
    values(b).iter().filter(written).filter(is_shared)
}

fn values(ty: &Type) -> &[Enumerator] {
    match &ty.kind {
        TypeKind::BitField(values) => values,
        _ => &[],
    }
}

/// Values of a modifier's type that are not written, or cannot be read.
fn spellings(
    context: &Context<'_, '_>,
    ty: TypeId,
    (style, fields): (ModifierStyle, &[Has<'_, '_>]),
    diagnostics: &mut Diagnostics,
) {
    let is_made = |value: &Enumerator| {
        fields.iter().any(|(words, field)| words.have(&[(field, value.value)]))
    };
    let (name, ty) = (context.model.types[ty.index()].name, context.model.ty(ty));
    let mut silent = values(ty).iter().filter(|value| value.spelling.is_empty());
    if let Some(first) = silent.next()
        && let Some(second) = silent.find(|second| second.value != first.value && is_made(second))
    {
        let message = format!("`{}` and `{}` are both written as nothing", first.name, second.name);
        let help = "give one of them a spelling by `as`";
        diagnostics.push(Diagnostic::new(Code::W0912, message, name.span).with_help(help));
        return;
    }
    let signs = context.isa.comment_syntax();
    let is_readable = |text: &str| match style {
        ModifierStyle::Dots => is_word(text),
        ModifierStyle::Words => is_free_word(text, signs),
    };
    let is_written =
        |value: &&Enumerator| fields.iter().any(|(words, field)| words.write(field, value.value));
    let spelled = values(ty).iter().filter(|value| !value.spelling.is_empty());
    let mut unreadable = spelled.filter(|value| !is_readable(&value.spelling));
    if let Some(value) = unreadable.find(is_written) {
        let message = format!("`{}{}` cannot be read", dot(style), value.spelling);
        let found = Diagnostic::new(Code::W0912, message, name.span)
            .with_note(readable(style, signs))
            .with_help(format!("give `{}` another spelling", value.name));
        diagnostics.push(found);
    }
}

/// The characters that can be read.
fn readable(style: ModifierStyle, signs: &CommentSyntax) -> String {
    match style {
        ModifierStyle::Dots => "a word after a dot consists of letters, digits and `_`".to_string(),
        ModifierStyle::Words => {
            let ends: Vec<&str> = ["$"].into_iter().chain(signs_of_lines(signs)).collect();
            let ends = names(&ends);
            format!(
                "a modifier begins with a letter; it does not contain blanks, commas, brackets or any of {ends}"
            )
        }
    }
}

/// Whether a text can be read after a dot.
fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a text can be read after a blank: nothing in it ends a modifier, an operand or the
/// instruction.
fn is_free_word(text: &str, signs: &CommentSyntax) -> bool {
    let ends = |c: char| c.is_whitespace() || ",$()[]{}".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.contains(ends)
        && !signs_of_lines(signs).any(|sign| text.contains(sign))
}

/// The signs that end the code of a line. Includes the usual signs even where they have no meaning, because they are
/// errors then.
fn signs_of_lines(signs: &CommentSyntax) -> impl Iterator<Item = &str> {
    let usual = [";", "//"];
    let own = signs.separators().chain(signs.comments()).filter(move |sign| !usual.contains(sign));
    usual.into_iter().chain(own)
}
