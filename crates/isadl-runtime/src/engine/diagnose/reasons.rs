//! Explains in words why a line is not an instruction of one opcode.

use isadl_engine::decode::RowId;
use isadl_engine::image::slice;
use isadl_engine::image_text::{self, TYPE_NUMBER};
use isadl_engine::number;
use isadl_engine::parse_error::{Numbers, ParseError, Part, Reason};

use super::super::Engine;
use super::{expected, prefixes};
use crate::isa::{
    Immediate, Inst, Isa, Meaning, ModifierStyle, ModifierSyntax, NameId, Number, NumberFormat,
    Opcode, OperandLocation, OperandSyntax, Print, Reading, Relocation, Rule, RuleId, RuleOrigin,
    Type, TypeKind,
};
use crate::operand_text::pattern_text;

/// The explanation for one opcode.
pub(super) enum Said {
    /// Texts that would each fit at this position.
    Expected(Vec<String>),
    /// The text at this position is wrong.
    Wrong(String),
    /// The instruction as a whole is wrong.
    Whole(String),
}

/// Explains why a line is not an instruction of a row or of its alias. The word is known as far as modifiers determine
/// it.
pub(super) fn reason(
    engine: &Engine<'_>,
    row: RowId,
    (line, start, address): (&str, usize, Option<u64>),
    (failure, word): (&ParseError, u128),
) -> Said {
    let inst = Inst { opcode: engine.opcode(row), word };
    let opcode = engine.form(row);
    Speaker { engine, isa: engine.isa, inst, opcode, line, start, address, failure }.said()
}

struct Speaker<'s> {
    engine: &'s Engine<'s>,
    isa: &'s Isa,
    inst: Inst,
    opcode: &'s Opcode,
    line: &'s str,
    /// Where the mnemonic is, if the instruction as a whole is wrong.
    start: usize,
    /// The address of the instruction, if it is known.
    address: Option<u64>,
    failure: &'s ParseError,
}

impl<'s> Speaker<'s> {
    fn said(&self) -> Said {
        let text = self.relocated().unwrap_or_else(|| self.number());
        match self.failure.reason {
            Reason::Expected(what) => Said::Expected(vec![what.to_string()]),
            Reason::ExpectedName(name) => Said::Expected(self.names(name)),
            Reason::ExpectedValue(ty) => self.value(ty),
            Reason::ExpectedInteger(numbers) => {
                let mut what = vec![match self.computed(numbers) {
                    Some(ty) => expected::integer(ty),
                    None => format!("an integer from {}", self.range(numbers)),
                }];
                what.extend(self.relocations(numbers));
                Said::Expected(what)
            }
            Reason::UnknownModifier => Said::Expected(self.all_modifiers()),
            Reason::RepeatedModifier => {
                Said::Wrong(format!("unexpected modifier `{}`", self.modifier()))
            }
            Reason::MisplacedModifier => {
                Said::Wrong(format!("`{}` must be before others", self.modifier()))
            }
            Reason::MissingModifier(at) => self.missing_modifier(at.into()),
            Reason::ExpectedSuffix(at) => {
                let suffix = self.operand().and_then(|o| o.suffixes.get(usize::from(at)));
                let spellings = suffix.map(|suffix| self.spellings(suffix, ModifierStyle::Dots));
                Said::Expected(spellings.unwrap_or_default())
            }
            Reason::ExpectedControl => self.control(),
            Reason::ExpectedRegisters(count) => self.registers(count.into()),
            Reason::Misaligned(align) => {
                Said::Wrong(format!("`{}` must begin at a multiple of {align}", self.word()))
            }
            Reason::OutOfRange(numbers) => {
                let range = self.range(numbers);
                Said::Wrong(format!("`{text}` is out of range: the values are {range}"))
            }
            Reason::NotMultiple(numbers) => self.not_multiple(numbers, &text),
            Reason::OutOfReach(numbers) => {
                let from = self.address.unwrap_or_default();
                let range = self.range(numbers);
                Said::Wrong(format!(
                    "`{text}` is out of reach from {from:#x}: the distances are {range}"
                ))
            }
            Reason::NoAddress => {
                Said::Wrong(format!("`{text}` depends on the address of the instruction"))
            }
            Reason::Linker => Said::Wrong(format!("only a linker knows what `{text}` is")),
            Reason::NotEncoded => self.not_encoded(&text),
            Reason::NotAgain => {
                Said::Wrong(format!("`{text}` does not agree with what is written before it"))
            }
            Reason::TooWide(bits) => Said::Wrong(format!("`{text}` does not fit in {bits} bits")),
            Reason::NotRepresentable { exponent, fraction } => {
                self.not_representable((exponent.into(), fraction.into()), &text)
            }
            reason => Said::Whole(self.whole(reason)),
        }
    }

    /// Describes an error of the instruction as a whole.
    fn whole(&self, reason: Reason) -> String {
        let words = &self.engine.tables.image.words;
        match reason {
            Reason::Rule(rule) => {
                let rule = self.isa.rule(RuleId::new(usize::from(rule)));
                self.absent_mnemonic(rule).unwrap_or_else(|| rule.message.clone())
            }
            Reason::SpecialCase(case) => {
                let other = &words.case_names[usize::from(case)];
                format!("`{}` with these values is `{other}`", self.opcode.name)
            }
            Reason::IllegalValue(field) => {
                let field = words.field_names[usize::from(field)];
                let name = self.isa.name_of(field);
                let why = self.excepted(field).map_or(String::new(), |why| format!(": {why}"));
                format!("`{}` cannot have this value of `{name}`{why}", self.opcode.name)
            }
            Reason::Unwritable => {
                format!("`{}` has a field without default that cannot be written", self.opcode.name)
            }
            _ => format!("`{}` cannot have these values", self.opcode.name),
        }
    }

    /// The extensions that a mnemonic needs, if the rule is about a value that the mnemonic spells.
    fn absent_mnemonic(&self, rule: &Rule) -> Option<String> {
        let fields = self.isa.expr(rule.condition).fields();
        let mut spelled = self.opcode.mnemonic_fields();
        let is_it =
            rule.origin == RuleOrigin::Value && spelled.any(|field| fields.contains(&field.name));
        let own = self.isa.mnemonics(self.opcode);
        let written = prefixes(self.line.get(self.start..)?).into_iter();
        let mut known = written.filter_map(|name| {
            own.iter().find(|own| self.isa.folded(&own.text) == self.isa.folded(name))
        });
        let mnemonic = &known.next().filter(|_| is_it)?.text;
        let (_, needs) = rule.message.rsplit_once('`')?;
        Some(format!("`{mnemonic}`{needs}"))
    }

    /// Integers as a type with the same would have them.
    fn like(&self, numbers: Numbers) -> Immediate {
        let number = if numbers.is_signed { Number::Signed } else { Number::Unsigned };
        let mut like = Immediate::new(NumberFormat { number, lanes: 1 }, Print::Decimal);
        let notations = &self.engine.tables.image.texts.notations;
        if let Some(notation) = notations.get(usize::from(numbers.notation)) {
            (like.scale, like.bias) = (notation.scale, notation.bias);
        }
        like
    }

    /// The type with these integers, if they are computed from bits.
    fn computed(&self, numbers: Numbers) -> Option<&'s Type> {
        let tables = &self.engine.tables.image.texts;
        let texts = &self.engine.image.texts;
        let is_it = |ty: &image_text::Type| {
            let format = (ty.kind == TYPE_NUMBER).then(|| texts.own_format(ty)).flatten();
            format.is_some_and(|format| format.notation == numbers.notation)
        };
        let at = texts.types.iter().position(is_it)?;
        let ty = self.isa.ty(*tables.type_ids.get(at)?);
        matches!(&ty.kind, TypeKind::Immediate(of) if of.computed.is_some()).then_some(ty)
    }

    /// The integers that may be at a place.
    fn range(&self, numbers: Numbers) -> String {
        let notations = &self.engine.tables.image.texts.notations;
        let notation = notations.get(usize::from(numbers.notation));
        if notation.is_some_and(|notation| notation.reads_either) {
            return expected::either(numbers.bits.into());
        }
        self.like(numbers).range_in_words(numbers.bits.into())
    }

    /// Describes an integer that lies between two legal integers.
    fn not_multiple(&self, numbers: Numbers, text: &str) -> Said {
        let like = self.like(numbers);
        let step = i128::from(like.scale).abs();
        let (low, high) = like.range(numbers.bits.into());
        Said::Wrong(if high - low == step {
            format!("`{text}` is not a value: these are {low} and {high}")
        } else if i128::from(like.bias) % step == 0 {
            format!("`{text}` is not a multiple of {step}")
        } else {
            format!("`{text}` is not a value: these are {}", self.range(numbers))
        })
    }

    /// Describes a number that a computed immediate cannot encode.
    fn not_encoded(&self, text: &str) -> Said {
        let near = self.near(text).map_or(String::new(), |near| format!("; {near}"));
        Said::Wrong(format!("`{text}` is not a number that can be encoded{near}"))
    }

    /// The integers next to a number that cannot be encoded, in its notation. `None` if the number is not an operand of
    /// its own.
    fn near(&self, text: &str) -> Option<String> {
        let OperandLocation::Field(name) = self.operand()?.place(self.opcode) else { return None };
        let ty = self.isa.ty(self.opcode.field(name)?.ty);
        let TypeKind::Immediate(of) = &ty.kind else { return None };
        let text = text.trim_start_matches(of.prefix.as_str());
        let (value, print) = match text.strip_prefix("0x") {
            Some(digits) => (i128::from_str_radix(digits, 16).ok()?, Print::Hex),
            None => (text.parse().ok()?, Print::Decimal),
        };
        let is_listed = of.computed.is_some() && of.is_integer();
        let (below, above) = is_listed.then(|| of.beside(value, ty.width))?;
        let written = |value: i128| {
            let digits = match (print, u64::try_from(value)) {
                (Print::Hex, Ok(value)) => pattern_text(value, print),
                _ => value.to_string(),
            };
            of.bits_of(value, ty.width).map(|_| format!("{}{digits}", of.prefix))
        };
        Some(match (below.and_then(written), above.and_then(written)) {
            (Some(below), Some(above)) => format!("the nearest are {below} and {above}"),
            (Some(near), None) | (None, Some(near)) => format!("the nearest is {near}"),
            (None, None) => return None,
        })
    }

    /// The relocations that may be written in the place of integers.
    fn relocations(&self, numbers: Numbers) -> Vec<String> {
        let image = &self.engine.image;
        let Some(notation) = image.texts.notations.get(usize::from(numbers.notation)) else {
            return Vec::new();
        };
        let all = slice(image.control.relocations, notation.relocations).iter();
        let name = |of| Some(image.control.relocation_name(of)).filter(|name| !name.is_empty());
        all.filter_map(name)
            .filter_map(|name| Some(format!("`{}`", Relocation::example(name, "…")?)))
            .collect()
    }

    /// The relocation at the place, with its address.
    fn relocated(&self) -> Option<String> {
        let rest = &self.line[self.failure.offset..];
        let mut depth = 0u32;
        let end = rest.find(|c| {
            match c {
                '(' => depth += 1,
                ')' if depth > 0 => depth -= 1,
                ',' | ';' | ')' | ']' => return true,
                _ => {}
            }
            false
        });
        let text = rest[..end.unwrap_or(rest.len())].trim_end();
        let controls = &self.engine.image.control;
        let mut names = controls.relocations.iter().map(|of| controls.relocation_name(of));
        let is_one = names.any(|name| {
            !name.is_empty()
                && (text.starts_with(name) || name.starts_with('@') && text.ends_with(name))
        });
        is_one.then(|| text.to_string())
    }

    /// The values that a type excepts, if they are few.
    fn excepted(&self, field: NameId) -> Option<String> {
        let ty = self.isa.ty(self.opcode.field(field)?.ty);
        let TypeKind::Immediate(immediate) = &ty.kind else { return None };
        // Bits in a row are numbers in a row.
        let is_counted = immediate.is_integer()
            && immediate.computed.is_none()
            && immediate.reading() == Reading::Unsigned;
        let mut is_one = true;
        let values = immediate.reserved_values.iter().map(|(first, end)| {
            let last = u64::try_from(*end - 1).ok()?;
            is_one &= *first == last;
            let [from, to] = [*first, last].map(|bits| self.isa.value_text(ty, bits));
            match *first == last {
                true => Some(from),
                false => is_counted.then(|| format!("{from} to {to}")),
            }
        });
        let values: Vec<String> = values.take(MAX_EXCEPTED + 1).collect::<Option<_>>()?;
        match values.as_slice() {
            [] => None,
            [one] if is_one => Some(format!("{one} is not allowed")),
            [one] => Some(format!("{one} are not allowed")),
            [first @ .., last] if values.len() <= MAX_EXCEPTED => {
                Some(format!("{} and {last} are not allowed", first.join(", ")))
            }
            _ => None,
        }
    }

    /// The operand that could not be read.
    fn operand(&self) -> Option<&'s OperandSyntax> {
        let syntax = &self.opcode.syntax;
        match self.failure.part {
            Part::General => None,
            Part::Guard => syntax.guard.as_ref(),
            Part::Operand(place) => syntax.operands.get(usize::from(place)),
        }
    }

    fn names(&self, name: u32) -> Vec<String> {
        let is_of_file =
            |o: &&OperandSyntax| !matches!(o.place(self.opcode), OperandLocation::Field(_));
        match self.operand().filter(is_of_file) {
            Some(_) => self.operands(),
            None => vec![format!("`{}`", self.engine.image.texts.name(name).trim())],
        }
    }

    /// Describes the expected value of a type.
    fn value(&self, number: u32) -> Said {
        let ty = self.isa.ty(self.engine.tables.image.texts.type_ids[number as usize]);
        if let Some(wrong) = self.no_constant(ty) {
            return Said::Wrong(wrong);
        }
        let is_whole = |operand: &&OperandSyntax| match operand.place(self.opcode) {
            OperandLocation::Field(name) => self.opcode.field(name).is_some_and(|field| {
                std::ptr::eq(self.isa.ty(field.ty), ty) || self.isa.ty(field.ty).name == ty.name
            }),
            OperandLocation::File(_) | OperandLocation::Indirect { .. } => false,
        };
        Said::Expected(match self.operand().filter(is_whole) {
            Some(_) => self.operands(),
            None => expected::values(self.isa, ty, 1),
        })
    }

    /// Describes a number that is not a constant of the type, if the type takes literals elsewhere.
    fn no_constant(&self, ty: &Type) -> Option<String> {
        let takes_literals = ty.entries().iter().any(|entry| entry.meaning == Meaning::Literal);
        let text = self.number();
        let is_number = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        (takes_literals && is_number).then(|| {
            format!("`{text}` is not a constant, and the operand does not accept a literal")
        })
    }

    /// The possible texts of the unreadable operand, including marks that can precede it. If the operand is optional,
    /// the list includes the texts that can follow it.
    fn operands(&self) -> Vec<String> {
        let before = self.line[..self.failure.offset].trim_end();
        let (first, rest) = match (self.failure.part, self.operand()) {
            (Part::Operand(place), Some(first)) => {
                (first, &self.opcode.syntax.operands[usize::from(place) + 1..])
            }
            (_, Some(first)) => (first, &[][..]),
            (_, None) => return Vec::new(),
        };
        let mut what = Vec::new();
        if self.line[self.failure.offset..].starts_with(MARKS) {
            let operand = before.rsplit(',').next().unwrap_or_default();
            let symbols = first.marks.iter().map(|mark| self.isa.symbol(self.inst, mark).as_char());
            let open = symbols.filter(|symbol| !operand.contains(*symbol));
            what.extend(open.map(|symbol| format!("`{symbol}`")));
        }
        what.extend(self.described(first));
        let is_begun = before.ends_with(MARKS);
        let mut last = first;
        for operand in rest {
            if !last.is_optional || is_begun {
                return what;
            }
            what.extend(self.described(operand));
            last = operand;
        }
        if last.is_optional && !is_begun && self.failure.part != Part::Guard {
            what.push("the end".to_string());
        }
        what
    }

    /// The possible texts of an operand.
    fn described(&self, syntax: &OperandSyntax) -> Vec<String> {
        let field = match syntax.place(self.opcode) {
            OperandLocation::File(file) => {
                return vec![format!("`{}`", self.isa.reg_files()[file.index()].name)];
            }
            OperandLocation::Indirect { file, .. } => {
                return vec![format!("`{}[…]`", self.isa.prefix(file))];
            }
            OperandLocation::Field(name) => self.opcode.field(name),
        };
        let Some(field) = field else { return Vec::new() };
        let ty = self.isa.ty(field.ty);
        let selected = syntax.format.and_then(|modifier| {
            let raw = self.opcode.field(modifier)?.extract(self.inst.word);
            self.isa.selected_format(self.opcode, modifier, raw)
        });
        match (&ty.kind, selected) {
            (TypeKind::Immediate(_), Some(format)) => vec![expected::numbers(format, ty.width)],
            _ => expected::values(self.isa, ty, self.isa.width_in(self.opcode, self.inst, syntax)),
        }
    }

    fn spellings(&self, modifier: &ModifierSyntax, style: ModifierStyle) -> Vec<String> {
        let field = self.opcode.field(modifier.field);
        field.map_or(Vec::new(), |field| expected::modifier(self.isa.ty(field.ty), style))
    }

    fn all_modifiers(&self) -> Vec<String> {
        let mut names = Vec::new();
        for modifier in &self.opcode.syntax.modifiers {
            names.extend(self.spellings(modifier, self.isa.modifiers()));
        }
        if names.is_empty() {
            names.push(match self.isa.modifiers() {
                ModifierStyle::Dots => "a space".to_string(),
                ModifierStyle::Words => "the end".to_string(),
            });
        }
        names
    }

    fn missing_modifier(&self, at: usize) -> Said {
        let missing = self.opcode.syntax.modifiers.get(at);
        let spellings = missing.map_or(Vec::new(), |m| self.spellings(m, self.isa.modifiers()));
        Said::Wrong(format!("a modifier is missing: {}", expected::any_of(spellings)))
    }

    fn control(&self) -> Said {
        let controls = &self.opcode.syntax.controls;
        let name = |control: &ModifierSyntax| self.isa.name_of(control.field).to_string();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let written = self.line[self.failure.offset..].trim_start_matches('$');
        let written = written.split(|c| !is_word(c)).next().unwrap_or_default();
        if controls.iter().any(|control| name(control) == written) {
            return Said::Wrong(format!("`${written}` is given twice"));
        }
        let before = &self.line[..self.failure.offset];
        let names = controls.iter().map(name);
        let open = names.filter(|name| !before.contains(&format!("${name}=")));
        Said::Expected(open.map(|name| format!("`${name}=`")).collect())
    }

    /// Registers as they are to be written, where others are.
    fn registers(&self, count: u64) -> Said {
        let word = self.word();
        let (name, rest) = word.split_at(word.find('[').unwrap_or(word.len()));
        let digits = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let is_range = !rest.is_empty();
        let number = if is_range { rest[1..].split(':').next() } else { name.get(digits..) };
        let prefix = if is_range { name } else { &name[..digits] };
        let Some(first) = number.and_then(|number| number.trim().parse::<u64>().ok()) else {
            return Said::Expected(vec![format!("{count} registers in brackets, `first:last`")]);
        };
        let written = format!("`{prefix}[{first}:{}]`", first.saturating_add(count - 1));
        match is_range {
            true => Said::Wrong(format!("{count} registers are {written}")),
            false => Said::Expected(vec![written]),
        }
    }

    fn not_representable(&self, (exponent, fraction): (u32, u32), text: &str) -> Said {
        let sign = u64::from(text.starts_with('-')) << (exponent + fraction);
        let is_large = text.trim_start_matches('-').parse().is_ok_and(|value: f64| value > 1.0);
        let largest = (((1 << exponent) - 1) << fraction) - 1;
        let nearest = sign | if is_large { largest } else { 0 };
        let mut digits = number::Digits::new();
        let near = match number::float(nearest, exponent, fraction, &mut digits) {
            true => String::from_utf8_lossy(digits.as_bytes()).into_owned(),
            false => pattern_text(nearest, Print::Hex),
        };
        let bits = 1 + exponent + fraction;
        Said::Wrong(format!("`{text}` is not a number of {bits} bits; the nearest is {near}"))
    }

    /// The modifier at the place, with its sign.
    fn modifier(&self) -> &'s str {
        let rest = &self.line[self.failure.offset..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let start = usize::from(rest.starts_with('.'));
        rest[start..].find(|c| !is_word(c)).map_or(rest, |end| &rest[..start + end])
    }

    /// The word at the place, with brackets after it.
    fn word(&self) -> &'s str {
        let rest = self.line[self.failure.offset..].trim_ascii_start();
        &rest[..found_length(rest)]
    }

    /// The number at the place; blanks after its sign are left out.
    fn number(&self) -> String {
        let rest = self.line[self.failure.offset..].trim_ascii_start();
        let (sign, digits) = match rest.strip_prefix('-') {
            Some(digits) => ("-", digits.trim_ascii_start()),
            None => ("", rest),
        };
        let is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
        let mut before = ' ';
        let end = digits.find(|c: char| {
            let is_sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !is_hexadecimal;
            before = c;
            !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.') || is_sign)
        });
        format!("{sign}{}", &digits[..end.unwrap_or(digits.len())])
    }
}

/// The maximum number of excepted values that a message lists.
const MAX_EXCEPTED: usize = 4;

/// The characters that are marks before operands.
const MARKS: [char; 4] = ['!', '-', '~', '|'];

/// Limit on the bytes of a line that an error quotes.
const MAX_FOUND: usize = 40;

/// Describes the text at an offset, skipping blanks.
pub(super) fn found(line: &str, at: usize) -> String {
    let rest = line[at..].trim_ascii_start();
    let length = found_length(rest);
    match rest.chars().next() {
        None | Some(';') => "the end".to_string(),
        Some('/') if rest.starts_with("//") => "the end".to_string(),
        Some(c) if c.is_control() || c.is_whitespace() => format!("{c:?}"),
        Some(_) if length > MAX_FOUND => "a long word".to_string(),
        Some(c) => format!("`{}`", &rest[..length.max(c.len_utf8())]),
    }
}

/// The length of the word at the start, as a person would see it: a name with its sign, a number, or a register with
/// its brackets. Returns 0 if there is no word.
fn found_length(text: &str) -> usize {
    let name = |from: usize| {
        let is_other = |c: char| !(c.is_alphanumeric() || c == '_');
        text[from..].find(is_other).map_or(text.len(), |end| from + end)
    };
    match text.chars().next() {
        Some('.' | '$') => name(1),
        Some(c) if c.is_ascii_digit() => {
            let is_other = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'));
            text.find(is_other).unwrap_or(text.len())
        }
        _ => {
            let end = name(0);
            let close = text[end..].find(']').map_or(end, |close| end + close + 1);
            let is_index = |c: char| c.is_ascii_alphanumeric() || matches!(c, '[' | ']' | ':');
            let has_brackets = end > 0 && text[end..].starts_with('[');
            if has_brackets && text[end..close].chars().all(is_index) { close } else { end }
        }
    }
}
