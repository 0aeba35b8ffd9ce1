//! The texts of pieces of instructions: operands, modifiers, control fields, values, resources. Tables of
//! texts are made of them, and so are explanations and manuals.
//!
//! Whole instructions are printed by the engine alone.

use isadl_engine::number::{self, Digits};

use crate::isa::{
    Attribute, CompositeSegment, Entry, Field, Immediate, Inst, Isa, MAX_NAMES, Meaning,
    ModifierStyle, ModifierSyntax, NameId, Number, NumberFormat, Opcode, OperandLocation,
    OperandSyntax, OtherName, Print, Reading, RegFileId, Resource, Symbol, Type, TypeId, TypeKind,
    low_bits,
};

impl Isa {
    /// A modifier with its dot or blank; empty where it is left out.
    pub fn modifier_text(&self, inst: Inst, modifier: &ModifierSyntax) -> String {
        self.printed(inst, |printer| printer.modifier(modifier, self.modifiers))
    }

    /// A control field with the space before it; empty where it is left out.
    pub fn control_text(&self, inst: Inst, control: &ModifierSyntax) -> String {
        self.printed(inst, |printer| printer.control(control))
    }

    /// Appends an operand with its marks and the text after it.
    pub fn append_operand(&self, inst: Inst, operand: &OperandSyntax, text: &mut String) {
        let opcode = self.opcode(inst.opcode);
        let mut printer = Printer { isa: self, opcode, inst, text: std::mem::take(text) };
        if !operand.marks.is_empty() {
            printer.marks(operand);
        }
        printer.core(operand);
        if !(operand.marks.is_empty() && operand.suffixes.is_empty()) {
            printer.tail(operand);
        }
        *text = printer.text;
    }

    /// The marks before an operand.
    pub fn marks_text(&self, inst: Inst, operand: &OperandSyntax) -> String {
        self.printed(inst, |printer| printer.marks(operand))
    }

    /// An operand without marks and attributes.
    pub fn core_text(&self, inst: Inst, operand: &OperandSyntax) -> String {
        self.printed(inst, |printer| printer.core(operand))
    }

    /// The text after an operand: attributes and the closing bar.
    pub fn tail_text(&self, inst: Inst, operand: &OperandSyntax) -> String {
        self.printed(inst, |printer| printer.tail(operand))
    }

    /// A value of a type, such as a part of a composite.
    pub fn value_text(&self, ty: &Type, raw: u64) -> String {
        let mut text = String::new();
        self.append_value(ty, raw, 1, &mut text);
        text
    }

    /// A resource in words: `GPR[2:3]`, `some GPR`, the name of a special register, memory as its
    /// operand is written.
    pub fn resource_text(&self, resource: Resource) -> String {
        let name = |file: RegFileId| &self.reg_files()[file.index()].name;
        match resource {
            Resource::Registers { file, first, count: 1 } => format!("{}[{first}]", name(file)),
            Resource::Registers { file, first, count } => {
                format!("{}[{first}:{}]", name(file), first + count - 1)
            }
            Resource::Unknown { file } => format!("some {}", name(file)),
            Resource::Special(id) => self.specials()[id.index()].clone(),
            Resource::Memory { ty, raw } => self.value_text(self.ty(ty), raw),
        }
    }

    /// Appends a value of a type; `width` is the number of bits of data in it.
    fn append_value(&self, ty: &Type, raw: u64, width: i128, text: &mut String) {
        if let Some(other) = ty.otherwise.as_ref().filter(|_| !ty.is_named(raw)) {
            return self.append_value(self.ty(other.ty), raw, width, text);
        }
        match &ty.kind {
            TypeKind::BitField(_) => {
                *text += ty.enumerator(raw).map_or("", |value| self.spelling(value));
            }
            TypeKind::Immediate(immediate) => append_number(raw, ty.width, immediate, text),
            TypeKind::Operand(_) => {
                if let Some((entry, position)) = ty.entry(raw) {
                    self.append_entry(entry, position, width, text);
                }
            }
            TypeKind::Composite(composite) => {
                for piece in composite.written(raw) {
                    let (part, by) = match piece {
                        CompositeSegment::Text(piece) => {
                            *text += piece;
                            continue;
                        }
                        CompositeSegment::Part(part) => (&composite.parts[*part], 0),
                        CompositeSegment::Next(part, by) => (&composite.parts[*part], *by),
                        // None of the pieces that are written is optional.
                        CompositeSegment::Optional { .. } | CompositeSegment::Otherwise { .. } => {
                            continue;
                        }
                    };
                    let ty = self.ty(part.ty);
                    self.append_value(ty, ty.later(part.bits.extract(raw.into()), by), 1, text);
                }
            }
        }
    }

    fn append_entry(&self, entry: &Entry, position: u64, width: i128, text: &mut String) {
        let other = self.shown_name(entry);
        let Meaning::Registers { file, prefix, first, align } = &entry.meaning else {
            return *text += &other.map_or_else(|| entry.text_at(position), |other| other.at(0));
        };
        let (prefix, first) = match other {
            Some(OtherName { text, first: Some(first) }) => (text, first),
            _ => (prefix, first),
        };
        let number = u64::from(*first) + position;
        let number = number - number % u64::from(*align);
        let count = u64::from(self.registers_in(*file, width));
        *text += prefix;
        if count == 1 {
            return append_decimal(number, text);
        }
        text.push('[');
        append_decimal(number, text);
        text.push(':');
        append_decimal(number + count - 1, text);
        text.push(']');
    }

    fn printed(&self, inst: Inst, print: impl FnOnce(&mut Printer<'_>)) -> String {
        let opcode = self.opcode(inst.opcode);
        let mut printer = Printer { isa: self, opcode, inst, text: String::new() };
        print(&mut printer);
        printer.text
    }

    /// The value of an operand type whose constant has the bits of a literal.
    pub fn constant_of_bits(&self, operand: TypeId, literal: TypeId, bits: u64) -> Option<u64> {
        let literal = self.ty(literal);
        let TypeKind::Immediate(number) = &literal.kind else { return None };
        let (entry, position) =
            find_constant(self.ty(operand).entries(), bits, number, literal.width)?;
        Some(entry.value + position)
    }

    /// The text before the number of a register of the file.
    pub fn prefix(&self, file: RegFileId) -> &str {
        let entries = self.types().iter().flat_map(|ty| match &ty.kind {
            TypeKind::Operand(entries) => entries.as_slice(),
            _ => &[],
        });
        let mut prefixes = entries.filter_map(|entry| match &entry.meaning {
            Meaning::Registers { file: of, prefix, .. } if *of == file => Some(prefix.as_str()),
            _ => None,
        });
        prefixes.next().unwrap_or(&self.reg_files()[file.index()].name)
    }

    /// How a mark of an instruction is written, which a modifier may change.
    pub fn symbol(&self, inst: Inst, mark: &Attribute) -> Symbol {
        let is_written = |modifier: NameId| {
            let field = self.opcode(inst.opcode).field(modifier)?;
            let value = self.ty(field.ty).enumerator(field.extract(inst.word))?;
            Some(!value.spelling.is_empty())
        };
        match mark.extension.and_then(is_written) {
            Some(true) => Symbol::Complement,
            _ => mark.symbol,
        }
    }

    /// Bits of data in an operand of an instruction; 1 if it is not known.
    pub(crate) fn operand_width(&self, inst: Inst, operand: &OperandSyntax) -> i128 {
        self.width_in(self.opcode(inst.opcode), inst, operand)
    }

    /// The data width of an operand in a form of the opcode.
    pub fn width_in(&self, form: &Opcode, inst: Inst, operand: &OperandSyntax) -> i128 {
        self.written_width(form, operand.operand).map_or(1, |width| {
            self.expr(width).eval(&|name, reading| self.value(inst, name, reading).unwrap_or(0))
        })
    }

    /// The number of registers of `file` that hold `width` bits, at least 1.
    pub fn registers_in(&self, file: RegFileId, width: i128) -> u32 {
        let one = i128::from(self.reg_files()[file.index()].width.max(1));
        u32::try_from((width + one - 1).checked_div(one).unwrap_or(1)).unwrap_or(1).max(1)
    }

    /// The format that a modifier's value selects for a number.
    pub fn selected_format(
        &self,
        opcode: &Opcode,
        modifier: NameId,
        raw: u64,
    ) -> Option<NumberFormat> {
        let ty = self.ty(opcode.field(modifier)?.ty);
        ty.enumerator(raw)?.format
    }
}

/// The bits of one lane of a field, and the lane's width.
fn lane_width(format: NumberFormat, width: u32) -> u32 {
    match format.number {
        Number::Unsigned | Number::Signed => width / format.lanes,
        Number::Float { exponent, fraction } => 1 + exponent + fraction,
    }
}

struct Printer<'i> {
    isa: &'i Isa,
    opcode: &'i Opcode,
    inst: Inst,
    text: String,
}

impl Printer<'_> {
    fn push(&mut self, text: impl AsRef<str>) {
        self.text += text.as_ref();
    }

    fn raw(&self, name: NameId) -> u64 {
        self.opcode.field(name).map_or(0, |field| field.extract(self.inst.word))
    }

    fn modifier(&mut self, modifier: &ModifierSyntax, style: ModifierStyle) {
        if modifier.omission.is_some_and(|omission| omission.holds(self.inst.word)) {
            return;
        }
        let Some(field) = self.opcode.field(modifier.field) else { return };
        let (ty, raw) = (self.isa.ty(field.ty), field.extract(self.inst.word));
        if let TypeKind::Composite(_) = ty.kind {
            self.text.push(style.sign());
            return self.isa.append_value(ty, raw, 1, &mut self.text);
        }
        let value = ty.enumerator(raw);
        if let Some(value) = value.filter(|value| !value.spelling.is_empty()) {
            self.text.push(style.sign());
            self.push(self.isa.spelling(value));
        }
    }

    fn control(&mut self, control: &ModifierSyntax) {
        if control.omission.is_some_and(|omission| omission.holds(self.inst.word)) {
            return;
        }
        let Some(field) = self.opcode.field(control.field) else { return };
        self.push(" ");
        self.push(format!("${}=", self.isa.name_of(control.field)));
        let ty = self.isa.ty(field.ty);
        self.isa.append_value(ty, field.extract(self.inst.word), 1, &mut self.text);
    }

    /// The marks that are set, as they are written.
    fn symbols(&self, operand: &OperandSyntax) -> Vec<Symbol> {
        let set = operand.marks.iter().filter(|mark| self.raw(mark.field) != 0);
        set.map(|mark| self.isa.symbol(self.inst, mark)).collect()
    }

    fn marks(&mut self, operand: &OperandSyntax) {
        let mut symbols = self.symbols(operand);
        let call = self.call(operand);
        if call.is_some() {
            symbols.pop();
        }
        for symbol in symbols {
            self.text.push(symbol.as_char());
        }
        if let Some(word) = call {
            self.push(format!("{word}("));
        }
    }

    /// The word of the innermost mark, if it directly precedes a constant or literal and has a word.
    fn call<'o>(&self, operand: &'o OperandSyntax) -> Option<&'o str> {
        let set = operand.marks.iter().rfind(|mark| self.raw(mark.field) != 0)?;
        let word = set.call.as_deref()?;
        let OperandLocation::Field(name) = operand.place(self.opcode) else { return None };
        if self.opcode.is_literal(name) {
            return Some(word);
        }
        let field = self.opcode.field(name)?;
        let (entry, _) = self.isa.ty(field.ty).entry(field.extract(self.inst.word))?;
        matches!(entry.meaning, Meaning::Integers { .. } | Meaning::Float(_)).then_some(word)
    }

    fn tail(&mut self, operand: &OperandSyntax) {
        if self.call(operand).is_some() {
            self.push(")");
        }
        for suffix in &operand.suffixes {
            self.modifier(suffix, ModifierStyle::Dots);
        }
        if self.symbols(operand).contains(&Symbol::Absolute) {
            self.text.push(Symbol::Absolute.as_char());
        }
    }

    fn core(&mut self, operand: &OperandSyntax) {
        match operand.place(self.opcode) {
            OperandLocation::File(file) => {
                self.push(&self.isa.reg_files()[file.index()].name);
            }
            OperandLocation::Indirect { file, base, offset } => self.indirect(file, base, offset),
            OperandLocation::Field(name) => {
                let Some(field) = self.opcode.field(name) else { return };
                let format = operand.format.and_then(|modifier| {
                    self.isa.selected_format(self.opcode, modifier, self.raw(modifier))
                });
                let constant = operand.constants.and_then(|ty| self.constant(ty, field));
                match constant {
                    Some(constant) => self.push(constant),
                    None => self.field(field, format, self.isa.operand_width(self.inst, operand)),
                }
            }
        }
    }

    /// The constant of a type that has the value of a literal.
    fn constant(&self, ty: TypeId, literal: &Field) -> Option<String> {
        let TypeKind::Operand(entries) = &self.isa.ty(ty).kind else { return None };
        let TypeKind::Immediate(number) = &self.isa.ty(literal.ty).kind else { return None };
        let raw = literal.extract(self.inst.word);
        let (entry, position) = find_constant(entries, raw, number, literal.width())?;
        Some(entry.name_at(position))
    }

    fn indirect(&mut self, file: RegFileId, base: NameId, offset: Option<NameId>) {
        self.push(self.isa.prefix(file));
        self.push("[");
        if let Some(field) = self.opcode.field(base) {
            self.field(field, None, 1);
        }
        if let Some(field) = offset.and_then(|offset| self.opcode.field(offset))
            && field.extract(self.inst.word) != 0
        {
            let reading = self.isa.ty(field.ty).reading();
            let value = self.isa.value(self.inst, field.name, reading).unwrap_or(0);
            if value >= 0 {
                self.push("+");
            }
            self.field(field, None, 1);
        }
        self.push("]");
    }

    fn field(&mut self, field: &Field, format: Option<NumberFormat>, width: i128) {
        let raw = field.extract(self.inst.word);
        let ty = self.isa.ty(field.ty);
        match (&ty.kind, format) {
            (TypeKind::Immediate(immediate), Some(number)) => {
                let immediate = Immediate { number, ..immediate.clone() };
                append_number(raw, ty.width, &immediate, &mut self.text);
            }
            _ => self.isa.append_value(ty, raw, width, &mut self.text),
        }
    }
}

impl Type {
    /// The values that a mnemonic can spell, each with the texts that are read; the first text is printed.
    pub fn words(&self) -> Vec<(u64, Vec<String>)> {
        match &self.kind {
            TypeKind::BitField(values) => {
                let mut words: Vec<(u64, Vec<String>)> = Vec::new();
                for value in values {
                    let texts = [&value.spelling].into_iter().chain(&value.also).cloned();
                    match words.iter_mut().find(|(raw, _)| *raw == value.value) {
                        Some((_, known)) => known.extend(texts),
                        None => words.push((value.value, texts.collect())),
                    }
                }
                words
            }
            TypeKind::Immediate(immediate) if self.width <= MAX_NAMES.ilog2() => {
                let values = (0..1 << self.width).filter(|raw| self.is_legal(*raw));
                let text = |raw| {
                    let mut text = String::new();
                    append_number(raw, self.width, immediate, &mut text);
                    (raw, vec![text])
                };
                values.map(text).collect()
            }
            TypeKind::Immediate(_) | TypeKind::Operand(_) | TypeKind::Composite(_) => Vec::new(),
        }
    }
}

/// Appends numbers side by side, the highest first. A value that is not a number is written as a pattern.
fn append_number(raw: u64, width: u32, ty: &Immediate, text: &mut String) {
    let (raw, width) = ty.number_bits(raw, width);
    let lanes = ty.number.lanes;
    let lane = lane_width(ty.number, width);
    let low = low_bits(lane) as u64;
    let start = text.len();
    let has_more = u128::from(raw) >> (lane * lanes) != 0;
    let is_number = !has_more
        && (0..lanes).rev().all(|index| {
            *text += if index + 1 == lanes { "" } else { ", " };
            *text += &ty.prefix;
            append_lane(raw >> (index * lane) & low, lane, ty, text)
        });
    if !is_number {
        text.truncate(start);
        *text += &ty.prefix;
        *text += &pattern_text(raw, ty.print);
    }
}

/// Appends one number; returns false for bits that are not a number, or are written as bits.
fn append_lane(bits: u64, width: u32, ty: &Immediate, text: &mut String) -> bool {
    let mut digits = Digits::new();
    match ty.number.number {
        Number::Float { .. } if ty.print == Print::Bits => return false,
        Number::Float { exponent, fraction } => {
            if !number::float(bits, exponent, fraction, &mut digits) {
                return false;
            }
            digits.pad_fraction(ty.digits);
        }
        Number::Unsigned | Number::Signed => {
            let reading = if ty.number.number == Number::Signed && ty.print != Print::Bits {
                Reading::Signed
            } else {
                Reading::Unsigned
            };
            // The bits of a computed number are the number's own bits here.
            let value = match ty.is_scaled() && ty.computed.is_none() {
                true => ty.value(bits, width),
                false => reading.integer(bits, width),
            };
            *text += if value < 0 { "-" } else { "" };
            let magnitude = value.unsigned_abs() as u64;
            match ty.print {
                Print::Decimal => number::decimal(magnitude, &mut digits),
                Print::Binary => number::binary(magnitude, &mut digits),
                print => number::hexadecimal(magnitude, letter(print), &mut digits),
            }
            digits.pad_integer(ty.digits);
        }
    }
    append_digits(&digits, text);
    true
}

fn append_decimal(number: u64, text: &mut String) {
    let mut digits = Digits::new();
    number::decimal(number, &mut digits);
    append_digits(&digits, text);
}

fn append_digits(digits: &Digits, text: &mut String) {
    // INVARIANT: digits are ASCII.
    *text += std::str::from_utf8(digits.as_bytes()).unwrap_or_default();
}

/// The text of bits that are not a number, in the digits that a type prefers.
pub fn pattern_text(raw: u64, print: Print) -> String {
    let mut digits = Digits::new();
    number::hexadecimal(raw, letter(print), &mut digits);
    let mut text = String::new();
    append_digits(&digits, &mut text);
    text
}

/// The first letter of the digits above 9.
fn letter(print: Print) -> u8 {
    if print == Print::UpperHex { b'A' } else { b'a' }
}

/// Finds the constant that has the bits of a literal of `width` bits. Returns its entry, and its distance from the
/// entry's first value.
fn find_constant<'e>(
    entries: &'e [Entry],
    raw: u64,
    literal: &Immediate,
    width: u32,
) -> Option<(&'e Entry, u64)> {
    entries.iter().find_map(|entry| {
        let position = match &entry.meaning {
            Meaning::Integers { first, step } => {
                let reading = match literal.number.number {
                    Number::Unsigned => Reading::Unsigned,
                    Number::Signed | Number::Float { .. } => Reading::Signed,
                };
                let value = match literal.is_scaled() {
                    true => literal.value(raw, width),
                    false => reading.integer(raw, width),
                };
                u64::try_from((value - i128::from(*first)) * i128::from(*step)).ok()
            }
            Meaning::Float(text) => (float_bits(text, literal)? == raw).then_some(0),
            _ => None,
        };
        position.filter(|position| *position < entry.count).map(|position| (entry, position))
    })
}

/// The bits of a constant in the format of a literal.
fn float_bits(text: &str, literal: &Immediate) -> Option<u64> {
    match literal.number.number {
        Number::Float { exponent, fraction } => number::parse_float(text, exponent, fraction).ok(),
        Number::Unsigned | Number::Signed => None,
    }
}
