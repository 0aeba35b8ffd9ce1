//! The canonical text of an instruction.

use isadl::isa::{
    Alias, Binding, Bits, Composite, CompositeSegment, Enumerator, ExprId, Field, Immediate, Isa,
    Meaning, ModifierStyle, ModifierSyntax, NameId, Omission, Opcode, OperandLocation,
    OperandSyntax, Point, Reading, RegFileId, Symbol, Type, TypeKind, WordLayout,
};

use super::{Instruction, entry, enumerator, gathered, number};

/// Which of its names a value is written by.
#[derive(Debug, Clone, Copy)]
pub(super) enum Names {
    /// That which is printed.
    Printed,
    /// The text with this index among the texts that are read as the value.
    Nth(usize),
    /// That of a set of names.
    Set(usize),
}

impl Names {
    /// Which of so many other names is written, if it is not the first.
    fn other(self, others: usize) -> Option<usize> {
        let (Names::Nth(nth) | Names::Set(nth)) = self else { return None };
        nth.min(others).checked_sub(1)
    }

    /// Whether a value with this many other names is written like values without a name.
    fn is_beyond(self, others: usize) -> bool {
        matches!(self, Names::Nth(nth) if nth > others)
    }
}

/// The canonical text of an instruction: the text of the first alias that applies, or its own text.
pub fn print(isa: &Isa, opcode: &Opcode, word: u128) -> String {
    print_plain(isa, shown(isa, opcode, word), word)
}

/// The text of an instruction at an address, where its distances are addresses.
pub fn print_at(isa: &Isa, opcode: &Opcode, word: u128, address: u64) -> String {
    let form = shown(isa, opcode, word);
    text(Instruction {
        address: Some((address, opcode.width)),
        ..Instruction::new(isa, form, word)
    })
}

/// The canonical text of an instruction, with the names of a name set.
pub fn print_names(isa: &Isa, opcode: &Opcode, word: u128, set: usize) -> String {
    print_plain_names(isa, shown(isa, opcode, word), word, set)
}

/// The text of an instruction whatever aliases there are, by the names of a set.
pub fn print_plain_names(isa: &Isa, opcode: &Opcode, word: u128, set: usize) -> String {
    text(Instruction { names: Names::Set(set), ..Instruction::new(isa, opcode, word) })
}

/// The printed form of an instruction: its first alias that applies, or its opcode.
fn shown<'i>(isa: &'i Isa, opcode: &'i Opcode, word: u128) -> &'i Opcode {
    let inst = Instruction::new(isa, opcode, word);
    let is_meant = |alias: &&Alias| {
        let fields = alias.form.encoded();
        let mut fixed = fields.filter_map(|field| match field.binding {
            Binding::Fixed(raw) => Some((field.name, raw)),
            _ => None,
        });
        // Numbers below 0 have the bits that a field has of them.
        let is_equal = |(to, is): &(NameId, ExprId)| {
            let (field, value) = (inst.field(*to), inst.value(&isa.exprs()[is.index()]));
            let reading = field.map(|field| inst.type_of(field).reading());
            let width = field.map_or(1, |field| field.width());
            number::read(inst.raw(*to), width, reading.unwrap_or(Reading::Unsigned)) == value
        };
        alias.is_printed
            && fixed.all(|(name, raw)| inst.raw(name) == raw)
            && alias.equal.iter().all(is_equal)
            && alias.condition.is_none_or(|id| inst.value(&isa.exprs()[id.index()]) != 0)
    };
    opcode.aliases.iter().find(is_meant).map_or(opcode, |alias| &alias.form)
}

/// The text of an instruction whatever aliases there are: guard, mnemonic, modifiers, operands, controls.
pub fn print_plain(isa: &Isa, opcode: &Opcode, word: u128) -> String {
    text(Instruction::new(isa, opcode, word))
}

/// The text of an instruction in which each value is written as the `nth` text that is read as it.
pub fn print_with(isa: &Isa, opcode: &Opcode, word: u128, nth: usize) -> String {
    text(Instruction { names: Names::Nth(nth), ..Instruction::new(isa, opcode, word) })
}

fn text(inst: Instruction<'_>) -> String {
    let (isa, syntax) = (inst.isa, &inst.opcode.syntax);
    let mut text = String::new();
    for guard in syntax.guard.iter().filter(|guard| !is_left_out(inst, guard.omission)) {
        text += &format!("@{} ", operand(inst, guard));
    }
    text += &own_mnemonic(inst);
    let modifiers: String =
        syntax.modifiers.iter().map(|m| modifier(inst, m, isa.modifiers().sign())).collect();
    if isa.modifiers() == ModifierStyle::Dots {
        text += &modifiers;
    }
    let written = syntax.operands.iter().filter(|o| !is_left_out(inst, o.omission));
    let operands: Vec<String> = written.map(|o| operand(inst, o)).collect();
    if !operands.is_empty() {
        text += &format!(" {}", operands.join(", "));
    }
    if isa.modifiers() == ModifierStyle::Words {
        text += &modifiers;
    }
    for control in syntax.controls.iter().filter(|c| !is_left_out(inst, c.omission)) {
        let Some(field) = inst.field(control.field) else { continue };
        let name = &isa.names()[control.field.index()];
        text += &format!(
            " ${name}={}",
            value(inst, inst.type_of(field), inst.raw(field.name), 1, Spot::of(&field.bits))
        );
    }
    text
}

/// The mnemonic that is printed for an instruction of an opcode or alias.
pub fn mnemonic(isa: &Isa, opcode: &Opcode, word: u128) -> String {
    own_mnemonic(Instruction::new(isa, opcode, word))
}

/// The mnemonic with the values of the fields that the specification has in braces.
fn own_mnemonic(inst: Instruction<'_>) -> String {
    let one = |field: &Field| vec![plain_value(inst, inst.type_of(field), inst.raw(field.name))];
    spelled(inst, &inst.opcode.syntax.mnemonic, &one).remove(0)
}

/// All mnemonics that an instruction of an opcode, or alias, may be read by.
pub fn mnemonics(isa: &Isa, opcode: &Opcode, word: u128) -> Vec<String> {
    let inst = Instruction::new(isa, opcode, word);
    let all = |field: &Field| {
        let values = (0..4).map(|nth| {
            let inst = Instruction { names: Names::Nth(nth), ..inst };
            plain_value(inst, inst.type_of(field), inst.raw(field.name))
        });
        let mut values: Vec<String> = values.collect();
        values.dedup();
        values
    };
    let texts = opcode.syntax.mnemonics();
    texts.flat_map(|text| spelled(inst, text, &all)).collect()
}

/// A text with each choice of texts for the fields in braces.
fn spelled(
    inst: Instruction<'_>,
    text: &str,
    values: &dyn Fn(&Field) -> Vec<String>,
) -> Vec<String> {
    let Some((before, rest)) = text.split_once('{') else { return vec![text.to_string()] };
    let (name, rest) = rest.split_once('}').expect("the brace is closed");
    let mut fields = inst.opcode.fields.iter();
    let field = fields.find(|field| inst.isa.names()[field.name.index()] == name);
    let ends = spelled(inst, rest, values);
    let firsts = values(field.expect("the field is one of the opcode"));
    let each =
        firsts.iter().flat_map(|first| ends.iter().map(move |end| format!("{before}{first}{end}")));
    each.collect()
}

/// Whether a piece that is left out in some words is left out in this.
fn is_left_out(inst: Instruction<'_>, omission: Option<Omission>) -> bool {
    omission.is_some_and(|omission| inst.word & omission.mask == omission.value)
}

fn modifier(inst: Instruction<'_>, modifier: &ModifierSyntax, sign: char) -> String {
    let field = inst.field(modifier.field).map(|field| (field, inst.type_of(field)));
    let spelling = match field {
        Some((field, ty)) if matches!(ty.kind, TypeKind::Composite(_)) => {
            value(inst, ty, inst.raw(field.name), 1, Spot::of(&field.bits))
        }
        _ => spelling(inst, modifier).to_string(),
    };
    if is_left_out(inst, modifier.omission) || spelling.is_empty() {
        return String::new();
    }
    format!("{sign}{spelling}")
}

/// How many names a value has besides that which is printed.
fn others(ty: &Type, raw: u64) -> usize {
    let of_entry = entry(ty, raw).map(|(entry, _)| entry.also.len());
    of_entry.or(enumerator(ty, raw).map(|value| value.also.len())).unwrap_or(0)
}

/// The spelling of a modifier's value; empty if it is never written.
fn spelling<'i>(inst: Instruction<'i>, modifier: &ModifierSyntax) -> &'i str {
    let field = inst.field(modifier.field);
    let value = field.and_then(|field| enumerator(inst.type_of(field), inst.raw(field.name)));
    value.map_or("", |value| match inst.names.other(value.also.len()) {
        Some(other) if !value.spelling.is_empty() => &value.also[other],
        _ => &value.spelling,
    })
}

/// An operand: `marks core suffixes`, bars around all but the other marks.
fn operand(inst: Instruction<'_>, syntax: &OperandSyntax) -> String {
    let mut before = String::new();
    let mut call = None;
    for mark in syntax.marks.iter().filter(|mark| inst.raw(mark.field) != 0) {
        let is_extended = mark.extension.is_some_and(|name| {
            let field = inst.field(name);
            let value = field.and_then(|f| enumerator(inst.type_of(f), inst.raw(name)));
            value.is_some_and(|value| !value.spelling.is_empty())
        });
        let symbol = if is_extended { Symbol::Complement } else { mark.symbol };
        before.push(symbol.as_char());
        call = mark.call.as_ref();
    }
    let has_bars = before.contains('|');
    // A word takes the place of the mark that is directly before a constant.
    let call = call.filter(|_| is_constant(inst, syntax));
    if call.is_some() {
        before.pop();
    }
    let core = core(inst, syntax);
    let core = call.map_or(core.clone(), |word| format!("{word}({core})"));
    let suffixes: String = syntax.suffixes.iter().map(|s| modifier(inst, s, '.')).collect();
    format!("{before}{core}{suffixes}{}", if has_bars { "|" } else { "" })
}

fn is_constant(inst: Instruction<'_>, syntax: &OperandSyntax) -> bool {
    let OperandLocation::Field(name) = inst.opcode.operands[syntax.operand].place else {
        return false;
    };
    if inst.opcode.literals.iter().any(|form| form.literal == name) {
        return true;
    }
    let Some(field) = inst.field(name) else { return false };
    let meaning = entry(inst.type_of(field), inst.raw(name)).map(|(entry, _)| &entry.meaning);
    matches!(meaning, Some(Meaning::Integers { .. } | Meaning::Float(_)))
}

/// An operand without its attributes.
fn core(inst: Instruction<'_>, syntax: &OperandSyntax) -> String {
    let given = &inst.opcode.operands[syntax.operand];
    match given.place {
        OperandLocation::File(file) => inst.isa.reg_files()[file.index()].name.clone(),
        OperandLocation::Indirect { file, base, offset } => {
            let part = |name| {
                inst.field(name).map_or(String::new(), |field| {
                    value(inst, inst.type_of(field), inst.raw(field.name), 1, Spot::of(&field.bits))
                })
            };
            let offset = offset.filter(|name| inst.raw(*name) != 0).map_or(String::new(), part);
            let plus = if offset.is_empty() || offset.starts_with('-') { "" } else { "+" };
            format!("{}[{}{plus}{offset}]", prefix(inst.isa, file), part(base))
        }
        OperandLocation::Field(name) => {
            let Some(field) = inst.field(name) else { return String::new() };
            let (ty, raw) = (inst.type_of(field), inst.raw(name));
            // Several registers are one name where ranges are switched off.
            let width = given.width.filter(|_| inst.isa.has_ranges());
            let width = width.map_or(1, |id| inst.value(&inst.isa.exprs()[id.index()]));
            let spot = Spot::of(&field.bits);
            let TypeKind::Immediate(own) = &ty.kind else {
                return value(inst, ty, raw, width, spot);
            };
            let view = inst.opcode.composite_operands.iter().find(|view| view.name == name);
            if let Some(id) = view.and_then(|view| view.value) {
                // Uses the specification's expression, not the tables derived from it.
                let value = inst.value(&inst.isa.exprs()[id.index()]);
                return own.prefix.clone() + &number::integer(value, raw, (own.print, own.digits));
            }
            if let Some(address) = address(inst, own, (raw, ty.width), spot) {
                return address;
            }
            if let Some(TypeKind::Operand(entries)) =
                syntax.constants.map(|ty| &inst.isa.types()[ty.index()].kind)
                && let Some(text) = number::constant(entries, raw, ty.width, own)
            {
                return text;
            }
            let selected = syntax.format.and_then(|modifier| {
                let format = inst.field(modifier)?;
                enumerator(inst.type_of(format), inst.raw(modifier))?.format
            });
            number::immediate(raw, ty.width, selected.unwrap_or(own.number), own)
        }
    }
}

/// The text before the number in the first name of a register of the file.
fn prefix(isa: &Isa, file: RegFileId) -> String {
    for ty in isa.types() {
        let TypeKind::Operand(entries) = &ty.kind else { continue };
        for entry in entries {
            match &entry.meaning {
                Meaning::Registers { file: of, prefix, .. } if *of == file => {
                    return prefix.clone();
                }
                _ => {}
            }
        }
    }
    isa.reg_files()[file.index()].name.clone()
}

/// A value of a type that is in an instruction at no known address.
pub(super) fn plain_value(inst: Instruction<'_>, ty: &Type, raw: u64) -> String {
    let inst = Instruction { address: None, ..inst };
    value(inst, ty, raw, 1, Spot::of(&Bits::one(0, 64)))
}

/// A value of a type that holds `width` bits of data.
fn value(inst: Instruction<'_>, ty: &Type, raw: u64, width: i128, spot: Spot<'_>) -> String {
    let is_named = enumerator(ty, raw).is_some() || entry(ty, raw).is_some();
    // Every value is read like values without a name, if that is legal there.
    if let Some(other) = &ty.otherwise {
        let mut reserved_values = other.reserved_values.iter();
        let is_legal = !reserved_values.any(|(first, end)| *first <= raw && u128::from(raw) < *end);
        if !is_named || inst.names.is_beyond(others(ty, raw)) && is_legal {
            return value(inst, &inst.isa.types()[other.ty.index()], raw, width, spot);
        }
    }
    match &ty.kind {
        TypeKind::BitField(_) => {
            let is_silent = |value: &Enumerator| match inst.names {
                Names::Set(_) => value.spelling.is_empty(),
                Names::Printed | Names::Nth(_) => false,
            };
            let nth = |value: &Enumerator| match inst.names.other(value.also.len()) {
                Some(other) if !is_silent(value) => value.also[other].clone(),
                _ => value.spelling.clone(),
            };
            enumerator(ty, raw).map_or(String::new(), nth)
        }
        TypeKind::Immediate(own) => address(inst, own, (raw, ty.width), spot)
            .unwrap_or_else(|| number::immediate(raw, ty.width, own.number, own)),
        TypeKind::Operand(_) => name(inst, ty, raw, width),
        TypeKind::Composite(composite) => {
            let mut text = String::new();
            add_pieces((inst, composite), &composite.format, (raw, spot), &mut text);
            text
        }
    }
}

/// Adds pieces of a composite. A distance after a sign stays a distance.
fn add_pieces(
    (inst, composite): (Instruction<'_>, &Composite),
    pieces: &[CompositeSegment],
    (raw, spot): (u64, Spot<'_>),
    text: &mut String,
) {
    let part = |index: usize| gathered(raw.into(), &composite.parts[index].bits);
    let of_type = |index: usize| &inst.isa.types()[composite.parts[index].ty.index()];
    for piece in pieces {
        let address = inst.address.filter(|_| !text.trim_end().ends_with(['+', '-']));
        let here = Instruction { address, ..inst };
        match piece {
            CompositeSegment::Text(literal) => *text += literal,
            CompositeSegment::Part(index) => {
                let spot = spot.part(&composite.parts[*index].bits);
                *text += &value(here, of_type(*index), part(*index), 1, spot);
            }
            CompositeSegment::Next(index, by) => {
                let mut raw = part(*index);
                if let Some((run, _)) = entry(of_type(*index), raw) {
                    for _ in 0..*by {
                        raw = if raw + 1 == run.value + run.count { run.value } else { raw + 1 };
                    }
                }
                *text += &value(here, of_type(*index), raw, 1, spot);
            }
            CompositeSegment::Optional { absent, .. }
                if absent.iter().all(|(at, raw)| part(*at) == *raw) => {}
            CompositeSegment::Otherwise { absent, .. }
                if absent.iter().any(|(at, raw)| part(*at) != *raw) => {}
            CompositeSegment::Optional { pieces, .. }
            | CompositeSegment::Otherwise { pieces, .. } => {
                add_pieces((inst, composite), pieces, (raw, spot), text);
            }
        }
    }
}

/// The location of a value: the bits of a field that hold it.
#[derive(Clone, Copy)]
struct Spot<'s> {
    field: &'s Bits,
    /// The bits of the field's value.
    mask: u64,
}

impl<'s> Spot<'s> {
    /// A whole field.
    fn of(field: &'s Bits) -> Spot<'s> {
        Spot { field, mask: u64::MAX }
    }

    /// A part of a value.
    fn part(self, part: &Bits) -> Spot<'s> {
        let is_in = |bit: &u32| gathered(1 << bit, part) != 0;
        let mask = (0..64).filter(is_in).fold(0, |mask, bit| mask | 1 << bit);
        Spot { mask, ..self }
    }

    /// The first byte of the instruction that contains one of the bits.
    fn byte(self, order: WordLayout, widest: u64) -> u64 {
        let is_in = |bit: &u64| gathered(1 << bit, self.field) & self.mask != 0;
        match order.is_first_high() {
            true => (widest - 1 - (0..128).rfind(is_in).unwrap_or(widest - 1)) / 8,
            false => (0..128).find(is_in).unwrap_or(0) / 8,
        }
    }
}

/// The address that a distance means, in an instruction at an address.
fn address(
    inst: Instruction<'_>,
    own: &Immediate,
    (raw, width): (u64, u32),
    spot: Spot<'_>,
) -> Option<String> {
    let ((start, bits), base) = (inst.address?, own.relative?);
    let from = match base.from {
        Point::Start => 0,
        Point::Next => bits / 8,
        Point::Here => spot.byte(inst.isa.word_layout(), inst.isa.width().into()) as u32,
    };
    let modulus = 1i128 << 64;
    let sum = i128::from(start) + i128::from(from) + i128::from(base.before);
    let sum = sum.rem_euclid(modulus);
    let aligned = sum - sum % i128::from(base.align);
    let value = number::integer_of(raw, width, own);
    let target = aligned + i128::from(base.after) + value;
    Some(format!("{:#x}", target.rem_euclid(modulus)))
}

/// A name of an operand type, or several registers.
fn name(inst: Instruction<'_>, ty: &Type, raw: u64, width: i128) -> String {
    let Some((entry, position)) = entry(ty, raw) else { return String::new() };
    if let Some(other) = inst.names.other(entry.also.len()) {
        let other = &entry.also[other];
        return match (&entry.meaning, other.first) {
            (Meaning::Registers { file, align, .. }, Some(first)) => {
                let number = u64::from(first) + position;
                let number = number - number % u64::from(*align);
                match inst.registers(*file, width) {
                    1 => format!("{}{number}", other.text),
                    count => format!("{}[{number}:{}]", other.text, number + count - 1),
                }
            }
            _ => other.first.map_or(other.text.clone(), |first| format!("{}{first}", other.text)),
        };
    }
    if let Some(spelling) = &entry.spelling {
        return spelling.clone();
    }
    match &entry.meaning {
        Meaning::Registers { file, prefix, first, align } => {
            let number = u64::from(*first) + position;
            let number = number - number % u64::from(*align);
            match inst.registers(*file, width) {
                1 => format!("{prefix}{number}"),
                count => format!("{prefix}[{number}:{}]", number + count - 1),
            }
        }
        Meaning::Register { name, .. } | Meaning::Constant { name, .. } => name.clone(),
        Meaning::Special(name) | Meaning::Nothing(name) => name.clone(),
        Meaning::Integers { first, step } => (first + step * position as i64).to_string(),
        Meaning::Float(text) => text.clone(),
        Meaning::Literal => "literal".to_string(),
    }
}
