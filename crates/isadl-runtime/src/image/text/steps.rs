//! The printing steps of an opcode: texts chosen by bits of the word, and numbers. The instruction set's printer
//! provides the texts.

use isadl_engine::image_text::CHUNK;

use super::merge::{chunks, merged};
use super::step::{
    MAX_CORE_BITS, MAX_JOINT_BITS, MAX_LONE_BITS, MAX_MARKED_BITS, MAX_NUMBER_BITS, Run, Selector,
    Step, in_halves, literal, runs,
};
use super::step_cache::{Key, Segment, StepCache};
use super::values::literal_constants;
use crate::isa::{
    self, Attribute, Bits, Composite, Field, Inst, Isa, Meaning, ModifierStyle, ModifierSyntax,
    NameId, Omission, Opcode, OpcodeId, OperandLocation, OperandSyntax, Symbol, TypeId, TypeKind,
    low_bits,
};

/// The steps of an opcode.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) guard: Vec<Step>,
    pub(super) mnemonic: String,
    pub(super) rest: Vec<Step>,
}

/// The printing steps of an opcode. `room` is the number of bytes of text per chunk; `known` holds the steps of earlier
/// opcodes.
pub(super) fn program(isa: &Isa, id: OpcodeId, (room, known): (usize, &StepCache)) -> Program {
    let opcode = isa.opcode(id);
    let distances = isa.distances(opcode).iter().fold(0, |mask, (bits, _)| mask | bits.mask());
    let builder = Builder { isa, id, opcode, room, known, distances };
    let syntax = &builder.opcode.syntax;
    let guard = syntax.guard.iter().flat_map(|guard| builder.guard(guard)).collect();
    let (mnemonic, mut rest) = builder.mnemonic();
    let is_dotted = isa.modifiers() == ModifierStyle::Dots;
    rest.extend(is_dotted.then(|| builder.modifiers()).into_iter().flatten());
    rest.extend(builder.operands());
    rest.extend((!is_dotted).then(|| builder.modifiers()).into_iter().flatten());
    rest.extend(syntax.controls.iter().flat_map(|control| builder.control(control)));
    Program { guard, mnemonic, rest: merged(rest, room) }
}

pub(super) struct Builder<'i> {
    pub(super) isa: &'i Isa,
    id: OpcodeId,
    /// Bytes of text in a chunk.
    room: usize,
    pub(super) opcode: &'i Opcode,
    known: &'i StepCache,
    /// The bits of distances. They are always a step of their own, so that an address may be printed
    /// instead.
    distances: u128,
}

impl Builder<'_> {
    fn inst(&self, word: u128) -> Inst {
        Inst { opcode: self.id, word }
    }

    /// A choice by the bits of `mask` that the opcode leaves open. The bits must be few, and can be gathered or form
    /// few runs.
    pub(super) fn choice(
        &self,
        mask: u128,
        most: u32,
        text: impl Fn(Inst) -> String,
    ) -> Option<Step> {
        let open = mask & !self.opcode.mask;
        if open.count_ones() > most || mask & self.distances != 0 {
            return None;
        }
        let selector = Selector::of(open).or_else(|| self.scattered(open))?;
        let word = |bits| self.inst(bits | self.opcode.value);
        let texts = selector.words().into_iter().map(|bits| text(word(bits))).collect();
        Some(Step::Choice { selector, texts })
    }

    /// The selector by runs of bits, if they are few.
    fn scattered(&self, open: u128) -> Option<Selector> {
        let open = runs(open);
        if open.len() > self.most_runs() {
            return None;
        }
        let open: Vec<Run> = open.into_iter().flat_map(in_halves).collect();
        let run = |index: usize| open.get(index).copied().unwrap_or((0, 0));
        (open.len() <= 3).then(|| Selector::Scattered([run(0), run(1), run(2)]))
    }

    /// Limit on the runs of bits that one choice can use.
    fn most_runs(&self) -> usize {
        if self.is_wide() { 3 } else { 2 }
    }

    /// Whether chunks are wide, so that longer texts are looked up whole.
    fn is_wide(&self) -> bool {
        self.room > CHUNK
    }

    /// The steps of a piece, which depend on these bits, if another opcode has the same.
    fn shared(&self, piece: Segment, mask: u128, make: impl FnOnce() -> Vec<Step>) -> Vec<Step> {
        let fields = self.opcode.fields.iter().filter(|field| field.mask() & mask != 0);
        let fields = fields.map(|field| (field.name, field.bits.clone(), field.ty)).collect();
        let fixed = (mask, self.opcode.mask & mask, self.opcode.value & mask);
        self.known.steps(Key { piece, fields, fixed }, make)
    }

    fn of_operand(&self, operand: &OperandSyntax, separator: &'static str) -> Segment {
        let own = &self.opcode.operands[operand.operand];
        Segment::Operand(separator, operand.clone(), operand.place(self.opcode), own.width)
    }

    fn guard(&self, guard: &OperandSyntax) -> Vec<Step> {
        let text = |inst: Inst| match guard.omission {
            Some(omission) if omission.holds(inst.word) => String::new(),
            _ => self.whole(inst, guard, "@") + " ",
        };
        let mask = self.isa.operand_bits(self.opcode, guard)
            | guard.omission.map_or(0, |omission| omission.mask);
        self.shared(self.of_operand(guard, "@"), mask, || {
            match self.choice(mask, MAX_JOINT_BITS, text) {
                Some(step) => vec![step],
                None => {
                    let mut steps = self.pieces(guard, "@");
                    steps.push(literal(" "));
                    self.unless_omitted(guard.omission, steps)
                }
            }
        })
    }

    fn whole(&self, inst: Inst, operand: &OperandSyntax, before: &str) -> String {
        // Most texts of operands are short.
        let mut text = String::with_capacity(CHUNK);
        text += before;
        self.isa.append_operand(inst, operand, &mut text);
        text
    }

    /// Steps that are passed over in the words of an omission.
    fn unless_omitted(&self, omission: Option<Omission>, steps: Vec<Step>) -> Vec<Step> {
        let Some(omission) = omission else { return steps };
        let skip = Step::Skip { mask: omission.mask, value: omission.value, steps: steps.len() };
        std::iter::once(skip).chain(steps).collect()
    }

    fn modifiers(&self) -> Vec<Step> {
        let modifiers = &self.opcode.syntax.modifiers;
        let mask =
            modifiers.iter().fold(0, |bits, modifier| bits | self.opcode.modifier_bits(modifier));
        self.shared(Segment::Modifiers(modifiers.clone()), mask, || self.made_modifiers(modifiers))
    }

    fn made_modifiers(&self, mut modifiers: &[ModifierSyntax]) -> Vec<Step> {
        let mut steps = Vec::new();
        while !modifiers.is_empty() {
            let (step, taken) = self.some_modifiers(modifiers);
            steps.extend(step);
            modifiers = &modifiers[taken..];
        }
        steps
    }

    /// Steps for as many modifiers as one choice can hold, at least one.
    fn some_modifiers(&self, modifiers: &[ModifierSyntax]) -> (Vec<Step>, usize) {
        for count in (1..=modifiers.len()).rev() {
            let together = &modifiers[..count];
            let bits = together
                .iter()
                .fold(0, |bits, modifier| bits | self.opcode.modifier_bits(modifier));
            let text = |inst| {
                together.iter().map(|modifier| self.isa.modifier_text(inst, modifier)).collect()
            };
            let most = if count == 1 { MAX_CORE_BITS } else { MAX_JOINT_BITS };
            let step = self.choice(bits, most, text);
            let is_short = |step: &Step| count == 1 || chunks(step, self.room) == 1;
            if let Some(step) = step.filter(is_short) {
                return (vec![step], count);
            }
        }
        let first = &modifiers[0];
        let written = ModifierSyntax { omission: None, ..first.clone() };
        let step = self.choice(self.opcode.bits_of(first.field), MAX_LONE_BITS, |inst| {
            self.isa.modifier_text(inst, &written)
        });
        let sign = match self.isa.modifiers() {
            ModifierStyle::Dots => ".",
            ModifierStyle::Words => " ",
        };
        let steps = match (step, self.opcode.field(first.field)) {
            (Some(step), _) => vec![step],
            (None, Some(field)) => match &self.isa.ty(field.ty).kind {
                TypeKind::Composite(composite) => {
                    let pieces = self.composite(composite, &field.bits);
                    [literal(sign)].into_iter().chain(pieces).collect()
                }
                _ => self.name(first.field, sign).into_iter().collect(),
            },
            (None, None) => Vec::new(),
        };
        (self.unless_omitted(first.omission, steps), 1)
    }

    fn operands(&self) -> Vec<Step> {
        let operands = &self.opcode.syntax.operands;
        // If the first operand can be missing, another operand is first.
        let joined = operands.first().is_some_and(|operand| operand.omission.is_some());
        let mut steps = Vec::new();
        for (index, operand) in operands.iter().enumerate() {
            let separator = if index == 0 && !joined { " " } else { ", " };
            steps.extend(self.operand(operand, separator));
        }
        if joined {
            steps.insert(0, Step::Join);
            steps.push(Step::Joined);
        }
        steps
    }

    fn operand(&self, operand: &OperandSyntax, separator: &'static str) -> Vec<Step> {
        let text = |inst: Inst| match operand.omission {
            Some(omission) if omission.holds(inst.word) => String::new(),
            _ => self.whole(inst, operand, separator),
        };
        let mask = self.isa.operand_bits(self.opcode, operand)
            | operand.omission.map_or(0, |omission| omission.mask);
        let is_plain = operand.marks.is_empty() && operand.suffixes.is_empty();
        let most = match self.has_names(operand) {
            true if is_plain => MAX_CORE_BITS,
            true if self.is_wide() => MAX_MARKED_BITS,
            _ => MAX_JOINT_BITS,
        };
        self.shared(self.of_operand(operand, separator), mask, || {
            match self.choice(mask, most, text) {
                Some(step) => vec![step],
                None => self.unless_omitted(operand.omission, self.pieces(operand, separator)),
            }
        })
    }

    /// Whether an operand is written by names alone, without computation.
    fn has_names(&self, operand: &OperandSyntax) -> bool {
        match operand.place(self.opcode) {
            OperandLocation::Field(name) => self
                .opcode
                .field(name)
                .is_some_and(|field| matches!(self.isa.ty(field.ty).kind, TypeKind::Operand(_))),
            OperandLocation::File(_) => true,
            OperandLocation::Indirect { .. } => false,
        }
    }

    /// An operand in several steps, without regard to its omission.
    fn pieces(&self, operand: &OperandSyntax, separator: &str) -> Vec<Step> {
        // Before a literal, the mark is always a word.
        if let Some(literal) = self.called_literal(operand) {
            return self.surrounded(operand, separator, Some((literal, 0)));
        }
        let Some((field, ranges)) = self.called_constants(operand) else {
            return self.surrounded(operand, separator, None);
        };
        let is_other =
            |raw: &u64| !ranges.iter().any(|(first, last)| (first..=last).contains(&raw));
        let constant = ranges[0].0;
        let mut steps = self.surrounded(operand, separator, Some((field, constant)));
        let Some(other) = (0..=low_bits(field.width()) as u64).find(is_other) else { return steps };
        // Marks before constants are words, and the rest is passed over; or the other way round.
        let others = self.surrounded(operand, separator, Some((field, other)));
        steps.push(Step::Skip { mask: 0, value: 0, steps: others.len() });
        let bits = field.bits.clone();
        steps.insert(0, Step::Call { field: bits, ranges, steps: steps.len() });
        steps.extend(others);
        steps
    }

    /// The literal that an operand is, if a mark before it is a word.
    fn called_literal(&self, operand: &OperandSyntax) -> Option<&Field> {
        let is_called = operand.marks.iter().any(|mark| mark.call.is_some());
        let OperandLocation::Field(name) = operand.place(self.opcode) else { return None };
        (is_called && self.opcode.is_literal(name)).then(|| self.opcode.field(name)).flatten()
    }

    /// The constants among the values of an operand, if a mark before them is a word.
    fn called_constants(&self, operand: &OperandSyntax) -> Option<(&Field, Vec<(u64, u64)>)> {
        operand.marks.iter().find(|mark| mark.call.is_some())?;
        let OperandLocation::Field(name) = operand.place(self.opcode) else { return None };
        let field = self.opcode.field(name)?;
        let TypeKind::Operand(entries) = &self.isa.ty(field.ty).kind else { return None };
        let constants = entries
            .iter()
            .filter(|entry| matches!(entry.meaning, Meaning::Integers { .. } | Meaning::Float(_)));
        let mut ranges: Vec<(u64, u64)> =
            constants.map(|entry| (entry.value, entry.value + (entry.count - 1))).collect();
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let goes_on = last.1 + 1 == next.0;
            last.1 = if goes_on { next.1 } else { last.1 };
            goes_on
        });
        (!ranges.is_empty()).then_some((field, ranges))
    }

    /// An operand with its marks and the text after it, as written when its field has the given value.
    fn surrounded(
        &self,
        operand: &OperandSyntax,
        separator: &str,
        value: Option<(&Field, u64)>,
    ) -> Vec<Step> {
        let with_value = |inst: Inst| match value {
            Some((field, raw)) => self.inst(field.insert(inst.word, raw)),
            None => inst,
        };
        let mut steps = Vec::new();
        match operand.marks.is_empty() {
            true => steps.push(literal(separator)),
            false => {
                let text =
                    |inst| separator.to_string() + &self.isa.marks_text(with_value(inst), operand);
                match self.choice(self.opcode.marks_bits(operand), MAX_JOINT_BITS, text) {
                    Some(step) => steps.push(step),
                    None => steps.extend(self.single_marks(operand, separator)),
                }
            }
        }
        steps.extend(self.core(operand));
        let text = |inst| self.isa.tail_text(with_value(inst), operand);
        let mask =
            self.opcode.tail_bits(operand) | value.map_or(0, |_| self.opcode.marks_bits(operand));
        match self.choice(mask, MAX_JOINT_BITS, text) {
            Some(step) => steps.push(step),
            None => steps.extend(self.single_tails(operand, with_value)),
        }
        steps
    }

    fn single_marks(&self, operand: &OperandSyntax, separator: &str) -> Vec<Step> {
        let mut steps = vec![literal(separator)];
        for mark in &operand.marks {
            let only = OperandSyntax { marks: vec![mark.clone()], ..operand.clone() };
            let text = |inst| self.isa.marks_text(inst, &only);
            match self.choice(self.opcode.marks_bits(&only), MAX_LONE_BITS, text) {
                Some(step) => steps.push(step),
                None => steps.extend(self.extended_mark(mark)),
            }
        }
        steps
    }

    /// A mark that a modifier of many bits may turn into `~`.
    fn extended_mark(&self, mark: &Attribute) -> Vec<Step> {
        let extension = mark.extension.and_then(|name| self.opcode.field(name));
        let Some(extension) = extension else { return Vec::new() };
        let TypeKind::BitField(values) = &self.isa.ty(extension.ty).kind else { return Vec::new() };
        let written = values.iter().filter(|value| !value.spelling.is_empty());
        let mut ranges: Vec<(u64, u64)> = written.map(|value| (value.value, value.value)).collect();
        ranges.sort_unstable();
        let extended = vec![
            literal(&Symbol::Complement.as_char().to_string()),
            Step::Skip { mask: 0, value: 0, steps: 1 },
        ];
        let bits = extension.bits.clone();
        let mut steps = vec![Step::Call { field: bits, ranges, steps: extended.len() }];
        steps.extend(extended);
        steps.push(literal(&mark.symbol.as_char().to_string()));
        let is_set = self.opcode.bits_of(mark.field);
        self.unless_omitted(Some(Omission { mask: is_set, value: 0 }), steps)
    }

    /// The text after an operand whose field has a given value, or any value.
    fn single_tails(
        &self,
        operand: &OperandSyntax,
        with_value: impl Fn(Inst) -> Inst,
    ) -> Vec<Step> {
        let bar = Symbol::Absolute.as_char();
        let bare = OperandSyntax { suffixes: Vec::new(), ..operand.clone() };
        let around = |inst| self.isa.tail_text(with_value(inst), &bare);
        let mask =
            operand.marks.iter().fold(0, |bits, mark| bits | self.opcode.bits_of(mark.field));
        let closed = |inst| around(inst).trim_end_matches(bar).to_string();
        let mut steps: Vec<Step> = self.choice(mask, MAX_LONE_BITS, closed).into_iter().collect();
        for suffix in &operand.suffixes {
            let choice = |suffix: ModifierSyntax| {
                let mask = self.opcode.modifier_bits(&suffix);
                let only =
                    OperandSyntax { suffixes: vec![suffix], marks: Vec::new(), ..operand.clone() };
                self.choice(mask, MAX_LONE_BITS, |inst| self.isa.tail_text(inst, &only))
            };
            if let Some(step) = choice(suffix.clone()) {
                steps.push(step);
                continue;
            }
            let written = ModifierSyntax { omission: None, ..suffix.clone() };
            let step = choice(written).or_else(|| self.name(suffix.field, "."));
            steps.extend(self.unless_omitted(suffix.omission, step.into_iter().collect()));
        }
        let barred = |inst| around(inst).trim_start_matches(|c| c != bar).to_string();
        steps.extend(self.choice(mask, MAX_LONE_BITS, barred));
        steps
    }

    fn core(&self, operand: &OperandSyntax) -> Vec<Step> {
        let field = match operand.place(self.opcode) {
            OperandLocation::File(_) => {
                return vec![literal(&self.isa.core_text(self.inst(0), operand))];
            }
            OperandLocation::Indirect { base, offset, .. } => {
                return self.indirect(operand, base, offset);
            }
            OperandLocation::Field(name) => self.opcode.field(name),
        };
        let Some(field) = field else { return Vec::new() };
        let bits = field.bits.clone();
        match &self.isa.ty(field.ty).kind {
            TypeKind::Immediate(_) => {
                let format = operand.format.and_then(|modifier| self.opcode.field(modifier));
                let format = format.map(|field| (field.bits.clone(), field.ty));
                let text = |inst| self.isa.core_text(inst, operand);
                if let Some(step) =
                    self.choice(self.isa.core_bits(self.opcode, operand), MAX_NUMBER_BITS, text)
                {
                    return vec![step];
                }
                let mut steps = vec![Step::Number { field: bits.clone(), ty: field.ty, format }];
                let constants = self.literal_constants(operand, field);
                if !constants.is_empty() {
                    steps.insert(0, Step::Constant { field: bits, constants, steps: 1 });
                }
                steps
            }
            TypeKind::Composite(composite) => self.composite(composite, &field.bits),
            TypeKind::Operand(_) | TypeKind::BitField(_) => {
                let text = |inst| self.isa.core_text(inst, operand);
                let step =
                    self.choice(self.isa.core_bits(self.opcode, operand), MAX_CORE_BITS, text);
                let by_search = Step::Value {
                    field: bits.clone(),
                    ty: field.ty,
                    operand: Some(operand.operand),
                    sign: "",
                };
                match step {
                    Some(step) => vec![step],
                    None => self.named_or_other(&bits, field.ty, by_search),
                }
            }
        }
    }

    /// The literals that are written as constants, by rising bits, with their texts.
    fn literal_constants(&self, operand: &OperandSyntax, literal: &Field) -> Vec<(u64, String)> {
        let Some(ty) = operand.constants else { return Vec::new() };
        let plain = OperandSyntax { constants: None, ..operand.clone() };
        let text = |(raw, _)| {
            let inst = self.inst(literal.insert(self.opcode.value, raw));
            let text = self.isa.core_text(inst, operand);
            (text != self.isa.core_text(inst, &plain)).then_some((raw, text))
        };
        literal_constants(self.isa, ty, literal.ty).into_iter().filter_map(text).collect()
    }

    fn indirect(&self, operand: &OperandSyntax, base: NameId, offset: Option<NameId>) -> Vec<Step> {
        let without_offset = |inst: Inst| {
            let word = offset.map_or(inst.word, |offset| inst.word & !self.opcode.bits_of(offset));
            let text = self.isa.core_text(self.inst(word), operand);
            text.strip_suffix(']').unwrap_or(&text).to_string()
        };
        let mut steps = Vec::new();
        match (
            self.choice(self.opcode.bits_of(base), MAX_LONE_BITS, without_offset),
            self.opcode.field(base),
        ) {
            (Some(step), _) => steps.push(step),
            (None, Some(base)) => {
                let OperandLocation::Indirect { file, .. } = operand.place(self.opcode) else {
                    return steps;
                };
                steps.push(literal(&format!("{}[", self.isa.prefix(file))));
                steps.extend(self.value(&base.bits, base.ty, 0));
            }
            (None, None) => {}
        }
        if let Some(field) = offset.and_then(|offset| self.opcode.field(offset)) {
            steps.push(Step::Offset { field: field.bits.clone(), ty: field.ty });
        }
        steps.push(literal("]"));
        steps
    }

    fn composite(&self, composite: &Composite, bits: &Bits) -> Vec<Step> {
        self.composite_pieces(composite, &composite.format, bits)
    }

    fn composite_pieces(
        &self,
        composite: &Composite,
        pieces: &[isa::CompositeSegment],
        bits: &Bits,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        for piece in pieces {
            match piece {
                isa::CompositeSegment::Text(text) => steps.push(literal(text)),
                isa::CompositeSegment::Part(part) => {
                    let part = &composite.parts[*part];
                    steps.extend(self.value(&part.bits.within(bits), part.ty, 0));
                }
                isa::CompositeSegment::Next(part, by) => {
                    let part = &composite.parts[*part];
                    steps.extend(self.value(&part.bits.within(bits), part.ty, *by));
                }
                isa::CompositeSegment::Optional { pieces, absent } => {
                    let omission = omission(composite, absent, bits);
                    let optional = self.composite_pieces(composite, pieces, bits);
                    steps.extend(self.unless_omitted(Some(omission), optional));
                }
                isa::CompositeSegment::Otherwise { pieces, absent } => {
                    let Omission { mask, value } = omission(composite, absent, bits);
                    let pieces = self.composite_pieces(composite, pieces, bits);
                    steps.push(Step::Skip { mask, value, steps: 1 });
                    steps.push(Step::Skip { mask: 0, value: 0, steps: pieces.len() });
                    steps.extend(pieces);
                }
            }
        }
        steps
    }

    /// A value that is not an operand of its own. For registers: the register `later` positions further.
    fn value(&self, bits: &Bits, ty: TypeId, later: u32) -> Vec<Step> {
        let definition = self.isa.ty(ty);
        let text = |inst: Inst| {
            let raw = definition.later(bits.extract(inst.word), later);
            self.isa.value_text(definition, raw)
        };
        let field = bits.clone();
        let (most, by_search) = match definition.kind {
            TypeKind::Immediate(_) => (MAX_NUMBER_BITS, Step::Number { field, ty, format: None }),
            _ => (MAX_CORE_BITS, Step::Value { field, ty, operand: None, sign: "" }),
        };
        match self.choice(bits.mask(), most, text) {
            Some(step) => vec![step],
            None => self.named_or_other(bits, ty, by_search),
        }
    }

    /// The step that writes named values, preceded by the step for the other values.
    fn named_or_other(&self, bits: &Bits, ty: TypeId, named: Step) -> Vec<Step> {
        let definition = self.isa.ty(ty);
        let ranges: Vec<(u64, u64)> =
            definition.others().iter().map(|(first, end)| (*first, (end - 1) as u64)).collect();
        let Some(other) = definition.otherwise.as_ref().filter(|_| !ranges.is_empty()) else {
            return vec![named];
        };
        let mut steps = match &self.isa.ty(other.ty).kind {
            TypeKind::Composite(composite) => self.composite(composite, bits),
            _ => self.value(bits, other.ty, 0),
        };
        steps.push(Step::Skip { mask: 0, value: 0, steps: 1 });
        steps.insert(0, Step::Call { field: bits.clone(), ranges, steps: steps.len() });
        steps.push(named);
        steps
    }

    fn control(&self, control: &ModifierSyntax) -> Vec<Step> {
        let mask = self.opcode.modifier_bits(control);
        self.shared(Segment::Control(control.clone()), mask, || self.made_control(control))
    }

    fn made_control(&self, control: &ModifierSyntax) -> Vec<Step> {
        let mask = self.opcode.bits_of(control.field);
        let text = |inst| self.isa.control_text(inst, control);
        if let Some(step) = self.choice(mask, MAX_CORE_BITS, text) {
            return vec![step];
        }
        let Some(field) = self.opcode.field(control.field) else { return Vec::new() };
        let mut steps = vec![literal(&format!(" ${}=", self.isa.name_of(control.field)))];
        match &self.isa.ty(field.ty).kind {
            TypeKind::Composite(composite) => steps.extend(self.composite(composite, &field.bits)),
            _ => steps.extend(self.value(&field.bits, field.ty, 0)),
        }
        self.unless_omitted(control.omission, steps)
    }
}

/// The bits of a word for which pieces of a composite are left out.
fn omission(composite: &Composite, absent: &[(usize, u64)], bits: &Bits) -> Omission {
    let (_, value) = composite.omission(absent);
    let parts = absent.iter().map(|(part, _)| composite.parts[*part].bits.within(bits).mask());
    Omission { mask: parts.fold(0, |mask, part| mask | part), value: bits.place(value) }
}
