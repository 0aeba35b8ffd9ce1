//! One operand read from text, for a place that is known: marks, the register, name or number,
//! attributes.
//!
//! The twin of `parse_operand.rs` of generated crates: a new way of writing operands begins in
//! both, and in `print.rs`.

use super::cursor::{Cursor, Detail, Failure, expected, expected_of, wrong};
use super::expected;
use super::integer::range;
use super::value::{is_number, numbers, out_of_range};
use crate::isa::{
    Attribute, Field, Immediate, Isa, ModifierStyle, ModifierSyntax, NameId, Number, Opcode,
    OperandSyntax, Place, Reading, RegFileId, Symbol, Type, TypeId, TypeKind,
};

/// Values of fields.
pub(super) type Values = Vec<(NameId, u64)>;

/// Reads operands of one opcode, whose modifiers are known.
pub(super) struct Reader<'r> {
    pub(super) isa: &'r Isa,
    pub(super) opcode: &'r Opcode,
    pub(super) modifiers: &'r [(NameId, u64)],
    pub(super) detail: Detail,
}

impl Reader<'_> {
    /// Reads an operand with its marks and attributes; it must fill the cursor.
    pub(super) fn operand(
        &self,
        syntax: &OperandSyntax,
        mut cursor: Cursor<'_>,
    ) -> Result<Values, Failure> {
        let mut values = Values::new();
        let marks = self.marks(syntax, &mut cursor)?;
        let called = self.call(syntax, &marks, &mut cursor);
        values.extend(syntax.marks.iter().map(|mark| {
            let symbol = self.symbol(mark.symbol, mark.extension);
            let is_set = marks.contains(&symbol) || called == Some(mark.field);
            (mark.field, u64::from(is_set))
        }));
        self.core(syntax, &mut cursor, &mut values)?;
        if called.is_some() && !cursor.take(")") {
            return expected(cursor.at, "`)`");
        }
        let mut suffixes = Vec::new();
        self.suffixes(syntax, &mut cursor, &mut suffixes)?;
        if marks.contains(&Symbol::Absolute) {
            if !cursor.take("|") {
                return expected(cursor.at, "`|`");
            }
            self.suffixes(syntax, &mut cursor, &mut suffixes)?;
        }
        if !cursor.is_done() {
            return expected(cursor.at, "`,` or the end");
        }
        for suffix in &syntax.suffixes {
            let written = suffixes.iter().find(|(name, _)| *name == suffix.field);
            match written.map(|(_, raw)| *raw).or(suffix.absent) {
                Some(raw) => values.push((suffix.field, raw)),
                None => return expected_of(cursor.at, self.spellings(suffix, ModifierStyle::Dots)),
            }
        }
        Ok(values)
    }

    fn raw(&self, name: NameId) -> u64 {
        self.modifiers.iter().find(|(other, _)| *other == name).map_or(0, |(_, raw)| *raw)
    }

    /// The mark that is written, which a modifier may change.
    fn symbol(&self, symbol: Symbol, extension: Option<NameId>) -> Symbol {
        let is_written = |modifier: NameId| {
            let field = self.opcode.field(modifier)?;
            let value = self.isa.ty(field.ty).enumerator(self.raw(modifier))?;
            Some(!value.spelling.is_empty())
        };
        match extension.and_then(is_written) {
            Some(true) => Symbol::Complement,
            _ => symbol,
        }
    }

    fn marks(
        &self,
        syntax: &OperandSyntax,
        cursor: &mut Cursor<'_>,
    ) -> Result<Vec<Symbol>, Failure> {
        let mut marks = Vec::new();
        loop {
            cursor.skip_space();
            let symbol = match cursor.rest().chars().next() {
                Some('!') => Symbol::Not,
                Some('~') => Symbol::Complement,
                Some('|') => Symbol::Absolute,
                Some('-') if !is_number(&cursor.rest()[1..]) => Symbol::Negate,
                _ => return Ok(marks),
            };
            let allowed: Vec<Symbol> = syntax
                .marks
                .iter()
                .map(|mark| self.symbol(mark.symbol, mark.extension))
                .filter(|symbol| !marks.contains(symbol))
                .collect();
            if !allowed.contains(&symbol) {
                let mut what: Vec<String> =
                    allowed.iter().map(|symbol| format!("`{}`", symbol.as_char())).collect();
                what.extend(self.describe(syntax));
                return expected_of(cursor.at, what);
            }
            marks.push(symbol);
            cursor.at += 1;
        }
    }

    /// Takes the word of a mark and its parenthesis, `neg(`; the mark is not one of `marks`.
    fn call(
        &self,
        syntax: &OperandSyntax,
        marks: &[Symbol],
        cursor: &mut Cursor<'_>,
    ) -> Option<NameId> {
        let start = cursor.at;
        let word = cursor.identifier();
        let is_called =
            |mark: &&Attribute| mark.call.as_deref() == Some(word) && !marks.contains(&mark.symbol);
        let found = syntax.marks.iter().find(is_called).map(|mark| mark.field);
        let found = found.filter(|_| cursor.take("("));
        if found.is_none() {
            cursor.at = start;
        }
        found
    }

    fn suffixes(
        &self,
        syntax: &OperandSyntax,
        cursor: &mut Cursor<'_>,
        values: &mut Values,
    ) -> Result<(), Failure> {
        loop {
            cursor.skip_space();
            let at = cursor.at;
            if !cursor.take(".") {
                return Ok(());
            }
            let name = cursor.identifier();
            let mut open =
                syntax.suffixes.iter().filter(|s| values.iter().all(|(name, _)| *name != s.field));
            let found = open.clone().find_map(|suffix| {
                let field = self.opcode.field(suffix.field)?;
                Some((suffix.field, self.isa.ty(field.ty).spelled(name)?.value))
            });
            match (found, open.next()) {
                (Some(value), _) => values.push(value),
                (None, Some(suffix)) => {
                    return expected_of(at, self.spellings(suffix, ModifierStyle::Dots));
                }
                (None, None) => return expected(at, "`,` or the end"),
            }
        }
    }

    pub(super) fn spellings(&self, modifier: &ModifierSyntax, style: ModifierStyle) -> Vec<String> {
        let field = self.opcode.field(modifier.field).filter(|_| self.detail == Detail::Full);
        field.map_or(Vec::new(), |field| expected::modifier(self.isa.ty(field.ty), style))
    }

    /// The values of a type, in words; `width` is the number of bits of data in it.
    pub(super) fn values(&self, ty: &Type, width: i128) -> Vec<String> {
        match self.detail {
            Detail::None => Vec::new(),
            Detail::Full => expected::values(self.isa, ty, width),
        }
    }

    /// What the operand may be, in words.
    pub(super) fn describe(&self, syntax: &OperandSyntax) -> Vec<String> {
        if self.detail == Detail::None {
            return Vec::new();
        }
        match syntax.place(self.opcode) {
            Place::File(file) => vec![format!("`{}`", self.isa.reg_files[file.index()].name)],
            Place::Indirect { file, .. } => vec![format!("`{}[…]`", self.isa.prefix(file))],
            Place::Field(name) => match self.opcode.field(name) {
                Some(field) => match self.immediate(syntax, self.isa.ty(field.ty)) {
                    Some(ty) => {
                        let kind = TypeKind::Immediate(ty);
                        let ty = self.isa.ty(field.ty);
                        let (name, none) = (ty.name.clone(), String::new());
                        let ty = Type::new(name, ty.width, kind, none);
                        self.values(&ty, 1)
                    }
                    None => self.values(self.isa.ty(field.ty), self.width(syntax)),
                },
                None => Vec::new(),
            },
        }
    }

    fn width(&self, syntax: &OperandSyntax) -> i128 {
        self.opcode.operands[syntax.operand]
            .width
            .map_or(1, |width| self.isa.expr(width).eval(&|name, _| i128::from(self.raw(name))))
    }

    /// The immediate type of an operand, in the format that a modifier selects.
    fn immediate(&self, syntax: &OperandSyntax, ty: &Type) -> Option<Immediate> {
        let TypeKind::Immediate(immediate) = &ty.kind else { return None };
        let selected = syntax.format.and_then(|modifier| {
            self.isa.selected_format(self.opcode, modifier, self.raw(modifier))
        });
        Some(Immediate { number: selected.unwrap_or(immediate.number), ..immediate.clone() })
    }

    /// The numbers that the operand has in text, one after another.
    pub(super) fn lanes(&self, syntax: &OperandSyntax) -> u32 {
        let Place::Field(name) = syntax.place(self.opcode) else { return 1 };
        let field = self.opcode.field(name);
        let immediate = field.and_then(|field| self.immediate(syntax, self.isa.ty(field.ty)));
        immediate.map_or(1, |immediate| immediate.number.lanes)
    }

    fn core(
        &self,
        syntax: &OperandSyntax,
        cursor: &mut Cursor<'_>,
        values: &mut Values,
    ) -> Result<(), Failure> {
        cursor.skip_space();
        match syntax.place(self.opcode) {
            Place::File(file) => {
                let name = &self.isa.reg_files[file.index()].name;
                let start = cursor.at;
                if cursor.identifier() != name {
                    return expected(start, format!("`{name}`"));
                }
            }
            Place::Indirect { file, base, offset } => {
                self.indirect(file, (base, offset), cursor, values)?;
            }
            Place::Field(name) => {
                let Some(field) = self.opcode.field(name) else { return Ok(()) };
                let ty = self.isa.ty(field.ty);
                let raw = match self.immediate(syntax, ty) {
                    Some(immediate) => numbers(&immediate, ty.width, cursor)?,
                    None => self.value_or_constant(syntax, field.ty, cursor)?,
                };
                values.push((name, raw));
            }
        }
        Ok(())
    }

    /// A value of a type as it is written, or the constant that has the bits of a number.
    fn value_or_constant(
        &self,
        syntax: &OperandSyntax,
        ty: TypeId,
        cursor: &mut Cursor<'_>,
    ) -> Result<u64, Failure> {
        let start = cursor.at;
        let failure = match self.value(self.isa.ty(ty), self.width(syntax), cursor) {
            Ok(raw) => return Ok(raw),
            Err(failure) => failure,
        };
        cursor.at = start;
        let found = |literal| self.isa.constant_of_number(ty, literal, cursor);
        syntax.literal.and_then(found).ok_or(failure)
    }

    fn indirect(
        &self,
        file: RegFileId,
        (base, offset): (NameId, Option<NameId>),
        cursor: &mut Cursor<'_>,
        values: &mut Values,
    ) -> Result<(), Failure> {
        let prefix = self.isa.prefix(file);
        let start = cursor.at;
        if cursor.identifier() != prefix || !cursor.take("[") {
            return expected(start, format!("`{prefix}[…]`"));
        }
        if let Some(field) = self.opcode.field(base) {
            cursor.skip_space();
            values.push((base, self.value(self.isa.ty(field.ty), 1, cursor)?));
        }
        if let Some(field) = offset.and_then(|offset| self.opcode.field(offset)) {
            let at = cursor.at;
            let has_plus = cursor.take("+");
            let is_written = has_plus || {
                cursor.skip_space();
                cursor.rest().starts_with('-')
            };
            let raw = match is_written {
                true => self.offset(field, has_plus, cursor)?,
                false => 0,
            };
            if !is_written {
                cursor.at = at;
            }
            values.push((field.name, raw));
        }
        if !cursor.take("]") {
            return expected(cursor.at, "`]`");
        }
        Ok(())
    }

    /// The offset of an indirect operand. Behind `+` no pattern of bits is negative.
    fn offset(
        &self,
        field: &Field,
        has_plus: bool,
        cursor: &mut Cursor<'_>,
    ) -> Result<u64, Failure> {
        cursor.skip_space();
        let (start, ty) = (cursor.at, self.isa.ty(field.ty));
        let raw = self.value(ty, 1, cursor)?;
        let text = cursor.since(start);
        let is_negative = ty.reading() == Reading::Signed && raw >> (field.width - 1) & 1 == 1;
        if has_plus && is_negative && !text.starts_with('-') {
            let (low, high) = range(Number::Signed, field.width);
            return wrong(start, out_of_range(text, low, high));
        }
        Ok(raw)
    }
}
