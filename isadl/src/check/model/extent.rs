//! The extent of an opcode's instructions and the contents of their bits. E0401: reserved bits, or a literal, that
//! overlap something else. E0402: bits beyond the opcode's width. E0403: no bits. E0406: a value of reserved bits that
//! does not fit. E0415: an operand that does not accept a literal.
//!
//! `overlap.rs` compares fields with each other, `fields.rs` compares them with the widest
//! instruction. Layers are compared in pairs, each pair once, however many opcodes have both.

use std::collections::{HashMap, HashSet};

use super::fields::{range, word_has};
use crate::ast::{Bits, Ident, Int, Reserved, ReservedKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old, bits};

use crate::isa::{Binding, FieldRole, Meaning, TypeId, TypeKind, bit_ranges, low_bits};
use crate::model::{
    self, Field, FieldId, LayerId, LayerKind, MAX_SHARING, Misplaced, Model, Opcode,
};
use crate::source::Span;

/// The maximum number of findings of this check.
const MAX_REPORTED: usize = 1000;

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut extent = Extent {
        model,
        layers: model.layer_ids().map(|id| occupied(model, id)).collect(),
        compared: HashSet::new(),
        reported: HashSet::new(),
        diagnostics,
    };
    for id in model.layer_ids() {
        extent.reserved_bits(id);
    }
    let is_opcode = |opcode: &&Opcode<'_>| model.layer(opcode.layer).kind == LayerKind::Opcode;
    for opcode in model.opcodes.iter().filter(is_opcode) {
        extent.opcode(opcode);
    }
}

struct Extent<'m, 'a, 'd> {
    model: &'m Model<'a>,
    /// The bits of the word that each layer uses.
    layers: Vec<Occupied>,
    /// The pairs of layers that were compared.
    compared: HashSet<(LayerId, LayerId)>,
    /// The places of findings. One is enough for a statement that many opcodes inherit.
    reported: HashSet<(Code, Span)>,
    diagnostics: &'d mut Diagnostics,
}

/// The bits that a layer's own statements cover.
#[derive(Clone, Copy)]
struct Occupied {
    fields: u128,
    reserved: u128,
}

fn occupied(model: &Model<'_>, id: LayerId) -> Occupied {
    let layer = model.layer(id);
    let fields = layer.own_fields.iter().map(|id| model.claims(model.field(*id)));
    let reserved = layer.ast.reserved.iter().map(|reserved| covered(model, reserved));
    Occupied {
        fields: fields.fold(0, |all, mask| all | mask),
        reserved: reserved.fold(0, |all, mask| all | mask),
    }
}

/// The bits of a statement; none if it exceeds the widest word.
fn covered(model: &Model<'_>, reserved: &Reserved<'_>) -> u128 {
    match leaves(model, reserved) {
        Some(_) => 0,
        None => model::mask(&reserved.bits),
    }
}

/// The width of the widest word, if a statement exceeds it.
fn leaves(model: &Model<'_>, reserved: &Reserved<'_>) -> Option<u32> {
    let widest = model.isa.as_ref().and_then(|isa| isa.width)?;
    (reserved.bits.end() > i128::from(widest)).then_some(widest)
}

/// The keyword of a statement.
fn word(reserved: &Reserved<'_>) -> &'static str {
    match reserved.kind {
        ReservedKind::Zero => "zero",
        ReservedKind::Fixed => "fixed",
        ReservedKind::Ignored => "ignored",
    }
}

impl<'m, 'a> Extent<'m, 'a, '_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        let is_new = self.reported.insert((diagnostic.code, diagnostic.primary.span));
        if is_new && self.reported.len() <= MAX_REPORTED {
            self.diagnostics.push(diagnostic);
        }
    }

    // ---- each layer by itself -----------------------------------------------------------------

    /// Checks reserved bits against the widest instruction and each other.
    fn reserved_bits(&mut self, id: LayerId) {
        let mut before: u128 = 0;
        for reserved in &self.model.layer(id).ast.reserved {
            let width = reserved.bits.width();
            if width == 0 {
                let message = format!("`{}` has no bits", word(reserved));
                let help = format!("write `{}<lowest bit, number of bits>`", word(reserved));
                self.report(
                    Diagnostic::new(Code::E0403, message, reserved.bits.span).with_help(help),
                );
            } else if let Some(widest) = leaves(self.model, reserved) {
                let message = format!("`{}` exceeds the instruction word", word(reserved));
                self.report(self.outside(message, &reserved.bits, widest));
            } else if let Some(value) =
                reserved.value.filter(|value| width < 128 && value.value >> width != 0)
            {
                self.too_large(reserved, value);
            }
            // If another statement of the layer shares them, find the pair.
            if before & covered(self.model, reserved) != 0 {
                self.compare(id, id, None);
            }
            before |= covered(self.model, reserved);
        }
        if self.layers[id.0 as usize].fields & before != 0 {
            self.compare(id, id, None);
        }
    }

    fn too_large(&mut self, reserved: &Reserved<'_>, value: Int) {
        let count = bits(u64::try_from(reserved.bits.width()).unwrap_or(u64::MAX));
        let message =
            format!("value {} of `{}` does not fit in {count}", value.value, word(reserved));
        let diagnostic = Diagnostic::new(Code::E0406, message, value.span)
            .with_related(reserved.bits.span, format!("{count} here"));
        self.report(diagnostic);
    }

    // ---- pairs of layers ----------------------------------------------------------------------

    /// Compares the statements of two layers of a chain, the nearer layer second. If the layers differ, `at` is the
    /// layer that has both.
    fn compare(&mut self, first: LayerId, second: LayerId, at: Option<LayerId>) {
        if !self.compared.insert((first, second)) {
            return;
        }
        let (a, b) = (&self.model.layer(first).ast, &self.model.layer(second).ast);
        let mut taken = if first == second { 0 } else { self.layers[first.0 as usize].reserved };
        for (position, reserved) in b.reserved.iter().enumerate() {
            let mask = covered(self.model, reserved);
            let earlier = if first == second { &a.reserved[..position] } else { &a.reserved[..] };
            let mut earlier = earlier.iter().filter(|_| taken & mask != 0);
            if let Some(other) = earlier.find(|other| covered(self.model, other) & mask != 0) {
                self.two_reserved(reserved, other, at);
            }
            if first == second {
                taken |= mask;
            }
            self.reserved_and_fields(reserved, first, at);
        }
        if first != second {
            for reserved in &a.reserved {
                self.reserved_and_fields(reserved, second, at);
            }
        }
    }

    fn two_reserved(&mut self, reserved: &Reserved<'_>, other: &Reserved<'_>, at: Option<LayerId>) {
        let shared = bit_ranges(
            covered(self.model, reserved) & covered(self.model, other),
            self.model.is_msb0(),
        );
        let message = format!("`{}` and `{}` overlap in {shared}", word(reserved), word(other));
        let label =
            format!("covers {}", bit_ranges(covered(self.model, other), self.model.is_msb0()));
        self.overlap(reserved, message, (other.span, label), at);
    }

    fn reserved_and_fields(
        &mut self,
        reserved: &Reserved<'_>,
        owner: LayerId,
        at: Option<LayerId>,
    ) {
        let mask = covered(self.model, reserved);
        if self.layers[owner.0 as usize].fields & mask == 0 {
            return;
        }
        let fields = self.model.layer(owner).own_fields.iter().map(|id| self.model.field(*id));
        let mut shared = fields.filter(|field| self.model.claims(field) & mask != 0);
        let Some(field) = shared.next() else { return };
        let name = field.ast.name.text;
        let shared = bit_ranges(self.model.claims(field) & mask, self.model.is_msb0());
        let message = format!("`{}` and field `{name}` overlap in {shared}", word(reserved));
        let label = format!("`{name}` covers {}", bit_ranges(field.mask(), self.model.is_msb0()));
        self.overlap(reserved, message, (field.ast.span, label), at);
    }

    fn overlap(
        &mut self,
        reserved: &Reserved<'_>,
        message: String,
        (span, label): (Span, String),
        at: Option<LayerId>,
    ) {
        let mut diagnostic = Diagnostic::new(Code::E0401, message, reserved.span)
            .with_label(format!(
                "covers {}",
                bit_ranges(covered(self.model, reserved), self.model.is_msb0())
            ))
            .with_related(span, label);
        if let Some(at) = at {
            diagnostic =
                diagnostic.with_related(self.model.layer(at).header, "this definition has both");
        }
        self.report(diagnostic.with_help("move one of the two, or narrow it"));
    }

    // ---- each opcode --------------------------------------------------------------------------

    fn opcode(&mut self, opcode: &Opcode<'a>) {
        self.join(opcode);
        let fields = self.model.layer(opcode.layer).fields.iter();
        let of_literals = |id: &FieldId| self.model.field(*id).is_literal();
        let literals: Vec<FieldId> = fields.copied().filter(of_literals).collect();
        if let Some(width) = self.width(opcode) {
            self.within(opcode, width, !literals.is_empty());
        }
        if !literals.is_empty() {
            self.literals(opcode, &literals);
        }
    }

    /// Compares layers of a chain whose reserved bits overlap bits of another layer.
    fn join(&mut self, opcode: &Opcode<'_>) {
        let chain = &self.model.layer(opcode.layer).chain;
        let mut before = Occupied { fields: 0, reserved: 0 };
        for (position, id) in chain.iter().enumerate() {
            let own = self.layers[id.0 as usize];
            if clashes(before, own) {
                for other in &chain[..position] {
                    if clashes(self.layers[other.0 as usize], own) {
                        self.compare(*other, *id, Some(opcode.layer));
                    }
                }
            }
            before.fields |= own.fields;
            before.reserved |= own.reserved;
        }
    }

    /// The instruction's width in bits; `None` if an error in the groups' widths was reported.
    fn width(&self, opcode: &Opcode<'_>) -> Option<u32> {
        let chain = self.model.layer(opcode.layer).chain.iter();
        let mut given = chain.filter_map(|id| self.model.layer(*id).ast.width);
        let is_sound = given.all(|width| width.value == i128::from(opcode.width));
        (is_sound && opcode.width.is_multiple_of(8)).then_some(opcode.width)
    }

    /// Reports bits beyond the opcode's width. If a literal can follow, bits after the width belong to it.
    fn within(&mut self, opcode: &Opcode<'_>, width: u32, has_literal: bool) {
        let beyond = !low_bits(width);
        for id in &self.model.layer(opcode.layer).fields {
            let field = self.model.field(*id);
            if self.model.claims(field) & beyond != 0 {
                let message = format!("field `{}` {}", field.ast.name.text, self.leaves(opcode));
                let found = self.outside(message, &field.ast.bits, width);
                self.report(self.with_width(found, opcode));
            }
        }
        if has_literal {
            return;
        }
        for id in &self.model.layer(opcode.layer).chain {
            if self.layers[id.0 as usize].reserved & beyond != 0 {
                self.reserved_beyond(*id, opcode, width);
            }
        }
    }

    fn reserved_beyond(&mut self, id: LayerId, opcode: &Opcode<'_>, width: u32) {
        for reserved in &self.model.layer(id).ast.reserved {
            if covered(self.model, reserved) & !low_bits(width) != 0 {
                let message = format!("`{}` {}", word(reserved), self.leaves(opcode));
                let found = self.outside(message, &reserved.bits, width);
                self.report(self.with_width(found, opcode));
            }
        }
    }

    fn outside(&self, message: String, bits: &Bits, word: u32) -> Diagnostic {
        Diagnostic::new(Code::E0402, message, bits.span)
            .with_label(range(self.model, bits))
            .with_note(word_has(self.model, word))
    }

    fn leaves(&self, opcode: &Opcode<'_>) -> String {
        format!("exceeds the word of `{}`", self.model.layer(opcode.layer).name.text)
    }

    /// Adds the place where the width of an opcode is given.
    fn with_width(&self, diagnostic: Diagnostic, opcode: &Opcode<'_>) -> Diagnostic {
        let mut chain = self.model.layer(opcode.layer).chain.iter().map(|id| self.model.layer(*id));
        let given = chain.find_map(|layer| Some((layer.name.text, layer.ast.width?)));
        match given {
            Some((name, width)) => {
                let text = format!("`{name}` has {}", bits(u64::from(opcode.width)));
                diagnostic.with_related(width.span, text)
            }
            None => diagnostic,
        }
    }

    // ---- literals -----------------------------------------------------------------------------

    fn literals(&mut self, opcode: &Opcode<'a>, literals: &[FieldId]) {
        let model = self.model;
        let fields = model.layer(opcode.layer).fields.iter().map(|id| model.field(*id));
        let others: Vec<&Field<'a>> = fields.filter(|field| !is_number(model, field)).collect();
        // Bits beyond the opcode's width were reported already.
        let claims = |field: &Field<'a>| model.claims(field) & low_bits(opcode.width);
        let taken = others.iter().fold(0, |all, field| all | claims(field));
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for literal in literals.iter().map(|id| model.field(*id)) {
            self.literal_type(literal);
            for of in &literal.ast.literal_of {
                match seen.insert(of.text, literal.ast.span) {
                    Some(first) if first == literal.ast.span => {
                        let message = format!("`{}` is named twice", of.text);
                        self.report(Diagnostic::new(Code::E0415, message, of.span));
                    }
                    Some(first) => self.second_literal(literal, *of, first),
                    None => self.literal_of(opcode, *of),
                }
            }
            let mask = literal_bits(model, literal);
            let mut others = others.iter().filter(|_| mask & taken != 0);
            match others.find(|other| claims(other) & mask != 0) {
                Some(other) => {
                    let what = format!("field `{}`", other.ast.name.text);
                    self.shared_literal(literal, other.ast.span, claims(other), what);
                }
                None => self.literal_and_reserved(opcode, literal),
            }
        }
    }

    /// Reports a literal that overlaps reserved bits.
    fn literal_and_reserved(&mut self, opcode: &Opcode<'a>, literal: &Field<'a>) {
        let model = self.model;
        let mask = literal_bits(model, literal);
        let chain = model.layer(opcode.layer).chain.iter();
        let mut sharing = chain.filter(|id| self.layers[id.0 as usize].reserved & mask != 0);
        let Some(layer) = sharing.next() else { return };
        let mut statements = model.layer(*layer).ast.reserved.iter();
        if let Some(other) = statements.find(|other| covered(model, other) & mask != 0) {
            let what = format!("`{}`", word(other));
            self.shared_literal(literal, other.span, covered(model, other), what);
        }
    }

    fn shared_literal(&mut self, literal: &Field<'_>, span: Span, mask: u128, what: String) {
        let name = literal.ast.name.text;
        let shared = bit_ranges(literal_bits(self.model, literal) & mask, self.model.is_msb0());
        let message = format!("literal `{name}` and {what} overlap in {shared}");
        let diagnostic = Diagnostic::new(Code::E0401, message, literal.ast.span)
            .with_label(format!(
                "`{name}` covers {}",
                bit_ranges(literal.mask(), self.model.is_msb0())
            ))
            .with_related(span, format!("covers {}", bit_ranges(mask, self.model.is_msb0())))
            .with_note("a literal may share bits only with immediate operands and other literals")
            .with_help("move one of the two, or narrow it");
        self.report(diagnostic);
    }

    fn second_literal(&mut self, literal: &Field<'_>, of: Ident<'_>, first: Span) {
        let message = format!("`{}` has two literals", of.text);
        let diagnostic = Diagnostic::new(Code::E0415, message, literal.ast.span)
            .with_related(first, "the first is here")
            .with_removal("keep one of the two", Old::Statement(literal.ast.span));
        self.report(diagnostic);
    }

    /// Checks the type of a literal, and how many operands it has.
    fn literal_type(&mut self, literal: &Field<'a>) {
        let model = self.model;
        if let Some(next) = literal.ast.literal_of.get(MAX_SHARING) {
            let message = format!("a literal is shared by at most {MAX_SHARING} operands");
            let note = "each set of them is a form of its own";
            self.report(Diagnostic::new(Code::E0415, message, next.span).with_note(note));
        }
        if let Some(ty) = literal.ty.filter(|ty| !is_immediate(model, *ty)) {
            let (name, ty) = (literal.ast.name.text, &model.types[ty.index()]);
            let message = format!("type `{}` of literal `{name}` is not an immediate", ty.ty.name);
            let diagnostic = Diagnostic::new(Code::E0415, message, literal.ast.type_name.span)
                .with_related(ty.name.span, "the type is defined here");
            self.report(diagnostic);
        }
    }

    /// Checks an operand of a literal.
    fn literal_of(&mut self, opcode: &Opcode<'a>, of: Ident<'a>) {
        let model = self.model;
        let Some(operand) = model.find_field_text(opcode.layer, of.text) else {
            if !model.may_have_field(opcode.layer, of.text) {
                self.no_operand(opcode, of, "no such field");
            }
            return;
        };
        let operand = model.field(operand);
        let position = model.position(opcode.layer, operand.name);
        match position.and_then(|position| opcode.roles[position]) {
            // The error in its declaration was reported.
            None => {}
            Some(FieldRole::Operand) if !operand.is_literal() => {
                self.takes_literal(opcode, operand, of);
            }
            Some(FieldRole::Operand) => self.no_operand(opcode, of, "a literal itself"),
            Some(FieldRole::Modifier) => self.no_operand(opcode, of, "a modifier"),
            Some(FieldRole::Mnemonic) => self.no_operand(opcode, of, "a part of the mnemonic"),
            Some(FieldRole::Control) => self.no_operand(opcode, of, "a control field"),
            Some(FieldRole::Attribute { .. }) => self.no_operand(opcode, of, "an attribute"),
            Some(FieldRole::Part { .. }) => self.no_operand(opcode, of, "a part of an operand"),
        }
    }

    fn no_operand(&mut self, opcode: &Opcode<'_>, of: Ident<'_>, label: &str) {
        let layer = self.model.layer(opcode.layer);
        let message = format!("`{}` is not an operand of `{}`", of.text, layer.name.text);
        let fields = layer.fields.iter().map(|id| self.model.field(*id));
        let known = fields.filter(|field| field.ty.is_some_and(|ty| self.has_literal(ty)));
        let diagnostic = Diagnostic::new(Code::E0415, message, of.span)
            .with_label(label)
            .with_related(layer.header, "in the context of this definition")
            .with_suggestion(of.text, known.map(|field| field.ast.name.text));
        self.report(diagnostic);
    }

    /// Checks that the operand can announce a literal.
    fn takes_literal(&mut self, opcode: &Opcode<'_>, operand: &Field<'_>, of: Ident<'_>) {
        let Some(ty) = operand.ty else { return };
        let known = &self.model.types[ty.index()];
        if !self.has_literal(ty) {
            if !known.has_gaps {
                let message = format!(
                    "type `{}` of `{}` does not have a `literal` entry",
                    known.ty.name, of.text
                );
                let diagnostic = Diagnostic::new(Code::E0415, message, of.span)
                    .with_related(known.name.span, "the type is defined here")
                    .with_help("add `literal = value;` to the type, or remove this statement");
                self.report(diagnostic);
            }
        } else if let Some(Binding::Fixed(_)) = opcode.binding(operand) {
            let message = format!("`{}` is fixed, so it cannot be a literal", of.text);
            let layer = self.model.layer(opcode.layer);
            let diagnostic = Diagnostic::new(Code::E0415, message, of.span)
                .with_related(operand.ast.span, "the operand")
                .with_related(layer.header, "in the context of this definition");
            self.report(diagnostic);
        }
    }

    fn has_literal(&self, ty: TypeId) -> bool {
        let TypeKind::Operand(entries) = &self.model.ty(ty).kind else { return false };
        entries.iter().any(|entry| entry.meaning == Meaning::Literal)
    }
}

/// Whether reserved bits of one overlap bits of the other.
fn clashes(a: Occupied, b: Occupied) -> bool {
    a.reserved & (b.fields | b.reserved) != 0 || b.reserved & a.fields != 0
}

fn is_immediate(model: &Model<'_>, ty: TypeId) -> bool {
    matches!(model.ty(ty).kind, TypeKind::Immediate(_))
}

/// Whether a field may share bits with a literal, that is, whether it is an immediate operand.
fn is_number(model: &Model<'_>, field: &Field<'_>) -> bool {
    let is_operand = field.ast.control.is_none() && !field.ast.name.text.contains('.');
    is_operand && field.ty.is_none_or(|ty| is_immediate(model, ty))
}

/// The bits of a literal; none if its position is impossible.
fn literal_bits(model: &Model<'_>, literal: &Field<'_>) -> u128 {
    match model.misplaced(literal) {
        None | Some(Misplaced::UnlikeType(_)) => literal.mask(),
        Some(Misplaced::Empty | Misplaced::Outside(_)) => 0,
    }
}
