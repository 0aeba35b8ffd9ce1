//! One operand read from text, for a place that is known.

use super::expected;
use super::float::{FloatError, parse_float, print_float};
use super::integer::{encode_integer, print_pattern, range, read_integer};
use super::print::lane_width;
use crate::isa::{
    Composite, Entry, Field, Immediate, Isa, Meaning, ModifierSyntax, NameId, Number, NumberFormat,
    Opcode, OperandSyntax, Piece, Place, Reading, RegFileId, Symbol, Type, TypeKind, low_bits,
};

/// Why a text is not what was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// Byte of the line up to which it fits.
    pub(super) at: usize,
    pub(super) reason: Reason,
}

/// The reason of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// What would fit there, each.
    Expected(Vec<String>),
    /// What is wrong with what stands there.
    Wrong(String),
    /// What is wrong with the instruction as a whole.
    Whole(String),
}

/// Whether failures say what would fit. They need not while another opcode may fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    None,
    Full,
}

pub(super) fn expected<T>(at: usize, what: impl Into<String>) -> Result<T, Failure> {
    expected_of(at, vec![what.into()])
}

pub(super) fn expected_of<T>(at: usize, what: Vec<String>) -> Result<T, Failure> {
    Err(Failure { at, reason: Reason::Expected(what) })
}

pub(super) fn wrong<T>(at: usize, what: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { at, reason: Reason::Wrong(what.into()) })
}

/// A part of a line that is being read.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'l> {
    line: &'l str,
    pub(super) at: usize,
    end: usize,
}

impl<'l> Cursor<'l> {
    pub(super) fn new(line: &'l str, start: usize, end: usize) -> Cursor<'l> {
        Cursor { line, at: start, end }
    }

    pub(super) fn rest(&self) -> &'l str {
        &self.line[self.at..self.end]
    }

    pub(super) fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Takes a text, with space before it.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let start = self.at;
        self.skip_space();
        let found = self.rest().starts_with(text);
        self.at = if found { self.at + text.len() } else { start };
        found
    }

    /// Takes letters, digits and `_`; what `also` holds for goes along.
    pub(super) fn word(&mut self, also: impl Fn(&str, char) -> bool) -> &'l str {
        self.skip_space();
        let rest = self.rest();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.char_indices().find(|(at, c)| !is_word(*c) && !also(&rest[..*at], *c));
        let word = &rest[..end.map_or(rest.len(), |(at, _)| at)];
        self.at += word.len();
        word
    }

    pub(super) fn identifier(&mut self) -> &'l str {
        self.word(|_, _| false)
    }

    /// Takes a number with its sign and its exponent.
    fn number(&mut self) -> &'l str {
        self.skip_space();
        let start = self.at;
        if self.take("-") {
            self.skip_space();
        }
        self.word(|before, c| match c {
            '.' => true,
            '+' | '-' => before.ends_with(['e', 'E']) && !before.starts_with("0x"),
            _ => false,
        });
        &self.line[start..self.at]
    }

    pub(super) fn is_done(&mut self) -> bool {
        self.skip_space();
        self.at >= self.end
    }
}

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
        values.extend(syntax.marks.iter().map(|mark| {
            (mark.field, u64::from(marks.contains(&self.symbol(mark.symbol, mark.extension))))
        }));
        self.core(syntax, &mut cursor, &mut values)?;
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
                None => return expected_of(cursor.at, self.spellings(suffix)),
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
                Some((suffix.field, spelled(self.isa.ty(field.ty), name)?))
            });
            match (found, open.next()) {
                (Some(value), _) => values.push(value),
                (None, Some(suffix)) => return expected_of(at, self.spellings(suffix)),
                (None, None) => return expected(at, "`,` or the end"),
            }
        }
    }

    pub(super) fn spellings(&self, modifier: &ModifierSyntax) -> Vec<String> {
        let field = self.opcode.field(modifier.field).filter(|_| self.detail == Detail::Full);
        field.map_or(Vec::new(), |field| expected::modifier(self.isa.ty(field.ty)))
    }

    /// The values of a type, in words; `width` is the number of bits of data in it.
    fn values(&self, ty: &Type, width: i128) -> Vec<String> {
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
                        let ty = Type { kind, ..self.isa.ty(field.ty).clone() };
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
                    None => self.value(ty, self.width(syntax), cursor)?,
                };
                values.push((name, raw));
            }
        }
        Ok(())
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
        let text = &cursor.line[start..cursor.at];
        let is_negative = ty.reading() == Reading::Signed && raw >> (field.width - 1) & 1 == 1;
        if has_plus && is_negative && !text.starts_with('-') {
            let (low, high) = range(Number::Signed, field.width);
            return wrong(start, out_of_range(text, low, high));
        }
        Ok(raw)
    }

    /// A value of a type; `width` is the number of bits of data in it.
    pub(super) fn value(
        &self,
        ty: &Type,
        width: i128,
        cursor: &mut Cursor<'_>,
    ) -> Result<u64, Failure> {
        let start = cursor.at;
        match &ty.kind {
            TypeKind::BitField(_) => match spelled(ty, cursor.identifier()) {
                Some(raw) => Ok(raw),
                None => expected_of(start, self.values(ty, width)),
            },
            TypeKind::Immediate(immediate) => numbers(immediate, ty.width, cursor),
            TypeKind::Operand(entries) => match self.entry(entries, width, cursor)? {
                Some(raw) => Ok(raw),
                None => expected_of(start, self.values(ty, width)),
            },
            TypeKind::Composite(composite) => self.composite(ty, composite, cursor),
        }
    }

    fn composite(
        &self,
        ty: &Type,
        composite: &Composite,
        cursor: &mut Cursor<'_>,
    ) -> Result<u64, Failure> {
        let mut raw = 0;
        for (index, piece) in composite.format.iter().enumerate() {
            cursor.skip_space();
            match piece {
                Piece::Text(text) if cursor.take(text) => {}
                Piece::Text(_) if index == 0 => {
                    return expected_of(cursor.at, self.values(ty, 1));
                }
                Piece::Text(text) => return expected(cursor.at, format!("`{text}`")),
                Piece::Part(part) => {
                    let part = &composite.parts[*part];
                    raw |= self.value(self.isa.ty(part.ty), 1, cursor)? << part.lsb;
                }
            }
        }
        Ok(raw)
    }

    /// The value that a name or number stands for; `None` if none does.
    fn entry(
        &self,
        entries: &[Entry],
        width: i128,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<u64>, Failure> {
        let start = cursor.at;
        if is_number(cursor.rest().trim_start_matches('-')) {
            let text = cursor.number();
            return Ok(entries.iter().find_map(|entry| constant(entry, text)));
        }
        let name = cursor.identifier();
        if let Some((entry, raw)) = entries.iter().find_map(|e| Some((e, named(e, name)?))) {
            let registers = self.registers(entry, width);
            if registers > 1 {
                let Meaning::Registers { prefix, first, .. } = &entry.meaning else {
                    return Ok(Some(raw));
                };
                let number = u64::from(*first) + raw - entry.value;
                let last = number + u64::from(registers) - 1;
                return expected(start, format!("`{prefix}[{number}:{last}]`"));
            }
            return Ok(Some(raw));
        }
        let is_prefix = |entry: &&Entry| matches!(&entry.meaning, Meaning::Registers { prefix, .. } if prefix == name);
        let mut runs = entries.iter().filter(is_prefix).peekable();
        let Some(first) = runs.peek() else { return Ok(None) };
        let registers = self.registers(first, width);
        if registers < 2 || !cursor.take("[") {
            return Ok(None);
        }
        let (low, high) = range_of(cursor)?;
        let found = runs.find_map(|entry| {
            let Meaning::Registers { first, .. } = &entry.meaning else { return None };
            let position = low.checked_sub(u64::from(*first))?;
            (position < entry.count).then_some(entry.value + position)
        });
        let last = low.saturating_add(u64::from(registers) - 1);
        if found.is_some() && high != last {
            return wrong(start, format!("{registers} registers are `{name}[{low}:{last}]`"));
        }
        Ok(found)
    }

    /// Registers that an operand of `width` bits takes, if the entry names such.
    fn registers(&self, entry: &Entry, width: i128) -> u32 {
        match &entry.meaning {
            Meaning::Registers { file, .. } => self.isa.registers_in(*file, width),
            _ => 1,
        }
    }
}

/// `first:last]`.
fn range_of(cursor: &mut Cursor<'_>) -> Result<(u64, u64), Failure> {
    let low = register_number(cursor)?;
    if !cursor.take(":") {
        return expected(cursor.at, "`:`");
    }
    let high = register_number(cursor)?;
    if !cursor.take("]") {
        return expected(cursor.at, "`]`");
    }
    Ok((low, high))
}

fn register_number(cursor: &mut Cursor<'_>) -> Result<u64, Failure> {
    cursor.skip_space();
    let at = cursor.at;
    let text = cursor.identifier();
    match text.parse() {
        Ok(number) if text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(number),
        _ => expected(at, "the number of a register"),
    }
}

/// Whether a number begins here, once its sign is taken.
fn is_number(rest: &str) -> bool {
    let rest = rest.trim_start();
    let is_infinite = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("inf"))
        && !rest[3..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    is_infinite || rest.starts_with(|c: char| c.is_ascii_digit())
}

/// The value of a type that is spelled so.
pub(crate) fn spelled(ty: &Type, name: &str) -> Option<u64> {
    let TypeKind::BitField(values) = &ty.kind else { return None };
    let value = values.iter().find(|value| !name.is_empty() && value.spelling == name)?;
    Some(value.value)
}

fn named(entry: &Entry, name: &str) -> Option<u64> {
    match &entry.meaning {
        Meaning::Integers { .. } | Meaning::Float(_) => None,
        _ => entry.find(name),
    }
}

fn constant(entry: &Entry, text: &str) -> Option<u64> {
    match &entry.meaning {
        Meaning::Integers { .. } => {
            let written = read_integer(text)?;
            entry.find(&written.value.to_string())
        }
        Meaning::Float(constant) => {
            let same = text.parse::<f64>().ok()? == constant.parse::<f64>().ok()?;
            (same && text.contains(['.', 'e', 'E'])).then_some(entry.value)
        }
        _ => None,
    }
}

/// Numbers side by side, the highest first; or one pattern for all their bits.
fn numbers(ty: &Immediate, width: u32, cursor: &mut Cursor<'_>) -> Result<u64, Failure> {
    cursor.skip_space();
    let NumberFormat { number, lanes } = ty.number;
    let lane = lane_width(ty.number, width);
    let is_float = matches!(number, Number::Float { .. });
    let mut raw = 0;
    for index in (0..lanes).rev() {
        cursor.skip_space();
        let start = cursor.at;
        let text = cursor.number();
        let written = read_integer(text);
        let pattern = written.filter(|written| written.is_pattern && (is_float || lanes > 1));
        if let Some(pattern) = pattern.filter(|_| index == lanes - 1) {
            let is_alone = cursor.clone().is_done();
            if is_alone || is_float {
                return match u64::try_from(pattern.value) {
                    Ok(raw) if u128::from(raw) <= low_bits(width) => Ok(raw),
                    _ => wrong(start, format!("`{}` does not fit in {width} bits", compact(text))),
                };
            }
        }
        let bits = match number {
            Number::Float { exponent, fraction } => float(ty, text, start, exponent, fraction)?,
            Number::Unsigned | Number::Signed => integer(ty, width, text, start)?,
        };
        raw |= bits << (index * lane);
        if index > 0 && !cursor.take(",") {
            return expected(cursor.at, format!("`,` and {index} more of {lanes} numbers"));
        }
    }
    Ok(raw)
}

fn integer(ty: &Immediate, width: u32, text: &str, start: usize) -> Result<u64, Failure> {
    let NumberFormat { number, lanes } = ty.number;
    let width = width / lanes;
    let Some(written) = read_integer(text) else {
        let (low, high) = range(number, width);
        return expected(start, format!("an integer from {low} to {high}"));
    };
    match encode_integer(written, number, width) {
        Some(bits) => Ok(bits),
        None => {
            let (low, high) = range(number, width);
            wrong(start, out_of_range(text, low, high))
        }
    }
}

fn out_of_range(text: &str, low: i128, high: i128) -> String {
    format!("`{}` is out of range: the values are {low} to {high}", compact(text))
}

/// A number as it is quoted: blanks behind its sign may be anything, even the end of a line.
fn compact(text: &str) -> String {
    text.split_whitespace().collect()
}

fn float(
    ty: &Immediate,
    text: &str,
    start: usize,
    exponent: u32,
    fraction: u32,
) -> Result<u64, Failure> {
    match parse_float(text, exponent, fraction) {
        Ok(bits) => Ok(bits),
        Err(FloatError::NoNumber) => expected(start, "a number"),
        Err(FloatError::NotRepresentable { nearest }) => {
            let near = print_float(nearest, exponent, fraction)
                .unwrap_or_else(|| print_pattern(nearest, ty.print));
            let bits = 1 + exponent + fraction;
            let text = compact(text);
            let what = format!("`{text}` is no number of {bits} bits: the nearest is {near}");
            wrong(start, what)
        }
    }
}
