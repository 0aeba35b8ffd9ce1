//! Words as text: the canonical text of an instruction, as its [`Syntax`](crate::isa::Syntax)
//! says.

use super::constant;
use super::float::print_float;
use super::integer::{print_integer, print_pattern};
use crate::interpret::Inst;
use crate::isa::{
    Attribute, Entry, Field, Immediate, Isa, Meaning, ModifierStyle, ModifierSyntax, NameId,
    Number, NumberFormat, Opcode, OperandSyntax, Piece, Place, Print, RegFileId, Symbol, Type,
    TypeId, TypeKind,
};

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// The mnemonic.
    Mnemonic,
    /// A modifier or an attribute behind an operand, with its dot.
    Modifier,
    /// A register, or another name of an operand.
    Register,
    /// A number with its sign.
    Number,
    /// A control field: its name with `$`, and its value.
    Control,
    /// Marks, separators, brackets, spaces.
    Punctuation,
}

/// A piece of canonical text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'t> {
    /// What it is.
    pub kind: TokenKind,
    /// The text.
    pub text: &'t str,
}

/// Divides the canonical text of an instruction with a mnemonic into its pieces.
pub fn tokens<'t>(text: &'t str, mnemonic: &str, style: ModifierStyle) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut before_mnemonic = true;
    while at < text.len() {
        let rest = &text[at..];
        let is_first = before_mnemonic && (at == 0 || text[..at].ends_with(' '));
        let (kind, length) = if is_first && rest.starts_with(mnemonic) {
            before_mnemonic = false;
            (TokenKind::Mnemonic, mnemonic.len())
        } else if style == ModifierStyle::Words && is_word_modifier(&text[..at], rest, mnemonic) {
            (TokenKind::Modifier, rest.find(' ').unwrap_or(rest.len()))
        } else {
            token(rest)
        };
        tokens.push(Token { kind, text: &rest[..length] });
        at += length;
    }
    tokens
}

/// Whether a modifier as a word begins behind a text: a blank with no comma before it, behind the
/// first operand.
fn is_word_modifier(before: &str, rest: &str, mnemonic: &str) -> bool {
    let Some(operands) = before.strip_suffix(' ') else { return false };
    let begins = rest.starts_with(|c: char| c.is_ascii_alphabetic());
    begins && !operands.ends_with(',') && !operands.ends_with(mnemonic)
}

/// The kind and the length of the piece that a text begins with.
fn token(text: &str) -> (TokenKind, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word_from = |start: usize, also: &[char]| {
        let end = text[start..].find(|c| !is_word(c) && !also.contains(&c));
        end.map_or(text.len(), |end| start + end)
    };
    let second = text.chars().nth(1);
    match text.chars().next() {
        Some('$') => (TokenKind::Control, text.find(' ').unwrap_or(text.len())),
        Some('.') => (TokenKind::Modifier, word_from(1, &[])),
        Some('-') if second.is_some_and(|c| c.is_ascii_digit()) || text.starts_with("-inf") => {
            (TokenKind::Number, number_length(text))
        }
        Some(c) if c.is_ascii_digit() => (TokenKind::Number, number_length(text)),
        Some(c) if is_word(c) => {
            let length = word_from(0, &[]);
            let kind =
                if &text[..length] == "inf" { TokenKind::Number } else { TokenKind::Register };
            (kind, length)
        }
        Some(c) => (TokenKind::Punctuation, c.len_utf8()),
        None => (TokenKind::Punctuation, 0),
    }
}

/// The length of a number: digits, letters and points; a sign within belongs to an exponent.
fn number_length(text: &str) -> usize {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let is_sign = c == '-' && (at == 0 || before == 'e');
        if !(c.is_ascii_alphanumeric() || c == '.' || is_sign) {
            return at;
        }
        before = c;
    }
    text.len()
}

impl Isa {
    /// The canonical text of an instruction: assembling it gives the same word.
    pub fn text(&self, inst: Inst) -> String {
        self.printed(inst, |printer| printer.instruction())
    }

    /// A modifier with its dot or blank; empty where it is left out.
    pub fn modifier_text(&self, inst: Inst, modifier: &ModifierSyntax) -> String {
        self.printed(inst, |printer| printer.modifier(modifier, self.modifiers))
    }

    /// A control field with the space before it; empty where it is left out.
    pub fn control_text(&self, inst: Inst, control: &ModifierSyntax) -> String {
        self.printed(inst, |printer| printer.control(control))
    }

    /// The marks before an operand.
    pub fn marks_text(&self, inst: Inst, operand: &OperandSyntax) -> String {
        self.printed(inst, |printer| printer.marks(operand))
    }

    /// An operand without marks and attributes.
    pub fn core_text(&self, inst: Inst, operand: &OperandSyntax) -> String {
        self.printed(inst, |printer| printer.core(operand))
    }

    /// What follows an operand: attributes and the closing bar.
    pub fn tail_text(&self, inst: Inst, operand: &OperandSyntax) -> String {
        self.printed(inst, |printer| printer.tail(operand))
    }

    /// A value of a type, such as a part of a composite.
    pub fn value_text(&self, inst: Inst, ty: &Type, raw: u64) -> String {
        self.printed(inst, |printer| printer.value(ty, raw, 1))
    }

    fn printed(&self, inst: Inst, print: impl FnOnce(&mut Printer<'_>)) -> String {
        let opcode = self.opcode(inst.opcode);
        let mut printer = Printer { isa: self, opcode, inst, text: String::new() };
        print(&mut printer);
        printer.text
    }

    /// What stands before the number of a register of the file.
    pub fn prefix(&self, file: RegFileId) -> &str {
        let entries = self.types.iter().flat_map(|ty| match &ty.kind {
            TypeKind::Operand(entries) => entries.as_slice(),
            _ => &[],
        });
        let mut prefixes = entries.filter_map(|entry| match &entry.meaning {
            Meaning::Registers { file: of, prefix, .. } if *of == file => Some(prefix.as_str()),
            _ => None,
        });
        prefixes.next().unwrap_or(&self.reg_files[file.index()].name)
    }

    /// Registers of `file` that hold `width` bits; 1 for less than one.
    pub(crate) fn registers_in(&self, file: RegFileId, width: i128) -> u32 {
        let one = i128::from(self.reg_files[file.index()].width.max(1));
        u32::try_from((width + one - 1).checked_div(one).unwrap_or(1)).unwrap_or(1).max(1)
    }

    /// The format that a modifier's value selects for a number.
    pub(crate) fn selected_format(
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
pub(super) fn lane_width(format: NumberFormat, width: u32) -> u32 {
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

    fn instruction(&mut self) {
        let syntax = &self.opcode.syntax;
        let word = self.inst.word;
        if let Some(guard) =
            syntax.guard.as_ref().filter(|guard| !guard.omission.is_some_and(|o| o.holds(word)))
        {
            self.push("@");
            self.operand(guard);
            self.push(" ");
        }
        self.push(&syntax.mnemonic);
        if self.isa.modifiers == ModifierStyle::Dots {
            self.modifiers();
        }
        let mut separator = " ";
        for operand in &syntax.operands {
            if operand.omission.is_some_and(|omission| omission.holds(word)) {
                continue;
            }
            self.push(separator);
            self.operand(operand);
            separator = ", ";
        }
        if self.isa.modifiers == ModifierStyle::Words {
            self.modifiers();
        }
        for control in &syntax.controls {
            self.control(control);
        }
    }

    fn modifiers(&mut self) {
        for modifier in &self.opcode.syntax.modifiers {
            self.modifier(modifier, self.isa.modifiers);
        }
    }

    fn modifier(&mut self, modifier: &ModifierSyntax, style: ModifierStyle) {
        if modifier.omission.is_some_and(|omission| omission.holds(self.inst.word)) {
            return;
        }
        let Some(field) = self.opcode.field(modifier.field) else { return };
        let value = self.isa.ty(field.ty).enumerator(field.extract(self.inst.word));
        if let Some(value) = value.filter(|value| !value.spelling.is_empty()) {
            self.text.push(style.sign());
            self.push(&value.spelling);
        }
    }

    fn control(&mut self, control: &ModifierSyntax) {
        if control.omission.is_some_and(|omission| omission.holds(self.inst.word)) {
            return;
        }
        let Some(field) = self.opcode.field(control.field) else { return };
        self.push(" ");
        self.push(format!("${}=", self.isa.name_of(control.field)));
        self.value(self.isa.ty(field.ty), field.extract(self.inst.word), 1);
    }

    fn operand(&mut self, operand: &OperandSyntax) {
        self.marks(operand);
        self.core(operand);
        self.tail(operand);
    }

    /// The marks that are set, as they are written.
    fn symbols(&self, operand: &OperandSyntax) -> Vec<Symbol> {
        let set = operand.marks.iter().filter(|mark| self.raw(mark.field) != 0);
        let symbol = |mark: &Attribute| {
            let is_extended = mark.extension.is_some_and(|modifier| !self.is_silent(modifier));
            if is_extended { Symbol::Complement } else { mark.symbol }
        };
        set.map(symbol).collect()
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

    /// The word of the innermost mark, if it stands directly before a constant and has one.
    fn call<'o>(&self, operand: &'o OperandSyntax) -> Option<&'o str> {
        let set = operand.marks.iter().rfind(|mark| self.raw(mark.field) != 0)?;
        let word = set.call.as_deref()?;
        let Place::Field(name) = operand.place(self.opcode) else { return None };
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

    /// Whether a modifier has the value that is not written.
    fn is_silent(&self, modifier: NameId) -> bool {
        let Some(field) = self.opcode.field(modifier) else { return true };
        let value = self.isa.ty(field.ty).enumerator(field.extract(self.inst.word));
        value.is_none_or(|value| value.spelling.is_empty())
    }

    fn core(&mut self, operand: &OperandSyntax) {
        match operand.place(self.opcode) {
            Place::File(file) => {
                self.push(&self.isa.reg_files[file.index()].name);
            }
            Place::Indirect { file, base, offset } => self.indirect(file, base, offset),
            Place::Field(name) => {
                let Some(field) = self.opcode.field(name) else { return };
                let format = operand.format.and_then(|modifier| {
                    self.isa.selected_format(self.opcode, modifier, self.raw(modifier))
                });
                let constant = operand.constants.and_then(|ty| self.constant(ty, field));
                match constant {
                    Some(constant) => self.push(constant),
                    None => self.field(field, format, self.width(operand)),
                }
            }
        }
    }

    /// The constant of a type that has the value of a literal.
    fn constant(&self, ty: TypeId, literal: &Field) -> Option<String> {
        let TypeKind::Operand(entries) = &self.isa.ty(ty).kind else { return None };
        let TypeKind::Immediate(number) = &self.isa.ty(literal.ty).kind else { return None };
        constant::name(entries, literal.extract(self.inst.word), number, literal.width)
    }

    /// Bits of data in an operand; 1 if it is not known.
    fn width(&self, operand: &OperandSyntax) -> i128 {
        self.opcode.operands[operand.operand].width.map_or(1, |width| {
            self.isa
                .expr(width)
                .eval(&|name, reading| self.isa.value(self.inst, name, reading).unwrap_or(0))
        })
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
                self.number(raw, ty.width, &Immediate { number, ..immediate.clone() });
            }
            _ => self.value(ty, raw, width),
        }
    }

    /// A value of a type; `width` is the number of bits of data in it.
    fn value(&mut self, ty: &Type, raw: u64, width: i128) {
        match &ty.kind {
            TypeKind::BitField(_) => {
                let name = ty.enumerator(raw).map_or("", |value| &value.spelling);
                self.push(name);
            }
            TypeKind::Immediate(immediate) => self.number(raw, ty.width, immediate),
            TypeKind::Operand(_) => {
                if let Some((entry, position)) = ty.entry(raw) {
                    self.entry(entry, position, width);
                }
            }
            TypeKind::Composite(composite) => {
                for piece in &composite.format {
                    match piece {
                        Piece::Text(text) => self.push(text),
                        Piece::Part(part) => {
                            let part = &composite.parts[*part];
                            let ty = self.isa.ty(part.ty);
                            let low = crate::isa::low_bits(ty.width) as u64;
                            self.value(ty, raw >> part.lsb & low, 1);
                        }
                    }
                }
            }
        }
    }

    fn entry(&mut self, entry: &Entry, position: u64, width: i128) {
        let name = entry.name_at(position);
        match &entry.meaning {
            Meaning::Registers { file, prefix, first, align } => {
                let count = u64::from(self.isa.registers_in(*file, width));
                let number = u64::from(*first) + position;
                let number = number - number % u64::from(*align);
                match count {
                    1 => self.push(name),
                    _ => self.push(format!("{prefix}[{number}:{}]", number + count - 1)),
                }
            }
            _ => self.push(name),
        }
    }

    /// Numbers side by side, the highest first. What is no number is written as a pattern.
    fn number(&mut self, raw: u64, width: u32, ty: &Immediate) {
        let lanes = ty.number.lanes;
        let lane = lane_width(ty.number, width);
        let low = crate::isa::low_bits(lane) as u64;
        let text = |index: u32| {
            let bits = raw >> (index * lane) & low;
            match ty.number.number {
                Number::Float { .. } if ty.print == Print::Bits => None,
                Number::Float { exponent, fraction } => print_float(bits, exponent, fraction),
                Number::Unsigned | Number::Signed => Some(print_integer(bits, lane, ty)),
            }
        };
        let has_more = u128::from(raw) >> (lane * lanes) != 0;
        let texts: Option<Vec<String>> = (0..lanes).rev().map(text).collect();
        let Some(texts) = texts.filter(|_| !has_more) else {
            return self.push(print_pattern(raw, ty.print));
        };
        for (index, text) in texts.into_iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            self.push(text);
        }
    }
}
