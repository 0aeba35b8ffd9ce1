//! How each instruction of SIMT is written, in pieces: texts that a few bits of the word choose, and
//! hexadecimal numbers. It follows the manual and not the engine; only names and places of fields come
//! from the specification.

use isadl::isa::{
    Isa, Meaning, ModifierSyntax, Number, Omission, Opcode, OperandLocation, OperandSyntax, Print,
    Symbol, TypeKind,
};

/// A part of a text.
pub enum TextSegment {
    /// A text that these bits of the word choose.
    Chosen {
        /// The bits.
        bits: u128,
        /// The text of a word.
        text: Box<dyn Fn(u128) -> String>,
    },
    /// A number in hexadecimal.
    Hex {
        /// Its lowest bit.
        lsb: u32,
        /// How many bits it has, at most 32.
        width: u32,
        /// Whether it may be negative.
        is_signed: bool,
    },
}

fn chosen(bits: u128, text: impl Fn(u128) -> String + 'static) -> TextSegment {
    TextSegment::Chosen { bits, text: Box::new(text) }
}

fn fixed(text: &str) -> TextSegment {
    let text = text.to_string();
    chosen(0, move |_| text.clone())
}

fn bits(lsb: u32, width: u32) -> u128 {
    ((1 << width) - 1) << lsb
}

fn holds(omission: Option<Omission>, word: u128) -> bool {
    omission.is_some_and(|omission| word & omission.mask == omission.value)
}

fn omitted_bits(omission: Option<Omission>) -> u128 {
    omission.map_or(0, |omission| omission.mask)
}

/// The pieces of the text of an opcode. Its immediates are not floating-point numbers.
pub fn pieces(isa: &Isa, opcode: &Opcode) -> Vec<TextSegment> {
    let syntax = &opcode.syntax;
    let mut pieces = vec![chosen(0xf << 12, guard), fixed(&syntax.mnemonic)];
    pieces.extend(syntax.modifiers.iter().map(|m| modifier(isa, opcode, m)));
    for (index, operand) in syntax.operands.iter().enumerate() {
        let before: Vec<_> = syntax.operands[..index].iter().map(|o| o.omission).collect();
        pieces.extend(operand_pieces(isa, opcode, operand, before));
    }
    pieces.push(chosen(bits(112, 5), |word| {
        let sched = word >> 112 & 0x1f;
        if sched == 0 { String::new() } else { format!(" $sched={}:{}", sched & 0xf, sched >> 4) }
    }));
    pieces.push(chosen(bits(117, 6), |word| {
        let wait = word >> 117 & 0x3f;
        if wait == 0 { String::new() } else { format!(" $req=0x{wait:X}") }
    }));
    pieces.push(chosen(bits(123, 3), |word| {
        let set = word >> 123 & 7;
        if set == 0 { String::new() } else { format!(" $wsb=SB{}", set - 1) }
    }));
    pieces
}

fn guard(word: u128) -> String {
    let sign = if word >> 15 & 1 != 0 { "!" } else { "" };
    match (word >> 12 & 0xf, word >> 12 & 7) {
        (7, _) => String::new(),
        (_, 7) => format!("@{sign}PT "),
        (_, number) => format!("@{sign}P{number} "),
    }
}

fn modifier(isa: &Isa, opcode: &Opcode, modifier: &ModifierSyntax) -> TextSegment {
    let field = opcode.field(modifier.field).expect("the opcode has it");
    let TypeKind::BitField(values) = &isa.ty(field.ty).kind else {
        panic!("a modifier is an enumeration")
    };
    let mut names = vec![String::new(); 1 << field.width()];
    for value in values.iter().filter(|value| !value.spelling.is_empty()) {
        names[value.value as usize] = format!(".{}", value.spelling);
    }
    let (omission, lsb, all) = (modifier.omission, field.lsb(), names.len() - 1);
    chosen(bits(lsb, field.width()) | omitted_bits(omission), move |word| {
        let index = (word >> lsb) as usize & all;
        if holds(omission, word) { String::new() } else { names[index].clone() }
    })
}

/// The pieces of an operand after others that may be left out in these words, or never.
fn operand_pieces(
    isa: &Isa,
    opcode: &Opcode,
    operand: &OperandSyntax,
    before: Vec<Option<Omission>>,
) -> Vec<TextSegment> {
    let bit = |symbol| {
        let mark = operand.marks.iter().find(|mark| mark.symbol == symbol)?;
        let lsb = |name| opcode.field(name).map(|field| field.lsb());
        Some((lsb(mark.field)?, mark.extension.and_then(lsb)))
    };
    let is_set = |word: u128, lsb: Option<u32>| lsb.is_some_and(|lsb| word >> lsb & 1 != 0);
    let (invert, complement) = (bit(Symbol::Not), bit(Symbol::Complement));
    let (negate, absolute) = (bit(Symbol::Negate), bit(Symbol::Absolute));
    let of = |mark: Option<(u32, Option<u32>)>| {
        let bits = mark.map(|(lsb, extension)| 1 << lsb | extension.map_or(0, |lsb| 1u128 << lsb));
        bits.unwrap_or(0)
    };
    let omission = operand.omission;
    let is_never_first = before.iter().any(Option::is_none);
    let first_bits = match is_never_first {
        true => 0,
        false => before.iter().fold(0, |bits, omission| bits | omitted_bits(*omission)),
    };
    let signs = of(invert) | of(complement) | of(negate) | of(absolute);
    let mut pieces = vec![chosen(signs | first_bits | omitted_bits(omission), move |word| {
        if holds(omission, word) {
            return String::new();
        }
        let is_first = before.iter().all(|omission| holds(*omission, word));
        let mut text = if is_first { " ".to_string() } else { ", ".to_string() };
        let lsb = |mark: Option<(u32, Option<u32>)>| mark.map(|(lsb, _)| lsb);
        if is_set(word, lsb(invert)) {
            text.push('!');
        }
        if is_set(word, lsb(negate)) {
            text.push(if is_set(word, negate.and_then(|(_, lsb)| lsb)) { '~' } else { '-' });
        }
        if is_set(word, lsb(complement)) {
            text.push('~');
        }
        if is_set(word, lsb(absolute)) {
            text.push('|');
        }
        text
    })];
    pieces.extend(core(isa, opcode, operand));
    pieces.extend(operand.suffixes.first().map(|suffix| modifier(isa, opcode, suffix)));
    let bar = absolute.map(|(lsb, _)| lsb);
    pieces.push(chosen(of(absolute), move |word| {
        if is_set(word, bar) { "|".to_string() } else { String::new() }
    }));
    pieces
}

fn core(isa: &Isa, opcode: &Opcode, operand: &OperandSyntax) -> Vec<TextSegment> {
    let omission = operand.omission;
    let name = match operand.place(opcode) {
        OperandLocation::File(_) => return vec![fixed("PR")],
        OperandLocation::Indirect { base, offset, .. } => {
            let lsb = |name| opcode.field(name).map_or(0, |field| field.lsb());
            return indirect(lsb(base), offset.map_or(0, lsb));
        }
        OperandLocation::Field(name) => name,
    };
    let field = opcode.field(name).expect("the opcode has it");
    let (lsb, width) = (field.lsb(), field.width());
    let all = (1u64 << width) - 1;
    let raw = move |word: u128| (word >> lsb) as u64 & all;
    match &isa.ty(field.ty).kind {
        TypeKind::Operand(entries) => {
            let Meaning::Registers { prefix, .. } = &entries[0].meaning else {
                panic!("registers come first")
            };
            let prefix = prefix.to_string();
            let last = entries.last().map(|entry| entry.name_at(0)).unwrap_or_default();
            let expr = opcode.operands[operand.operand].width.map(|width| isa.expr(width));
            let narrow = expr.map_or(1, |expr| expr.eval(&|_, _| 0) as u64 / 32);
            let double = expr.and_then(|expr| opcode.field(*expr.fields().first()?));
            let double = double.map_or(0, |field| 1u128 << field.lsb());
            vec![chosen(bits(lsb, width) | double | omitted_bits(omission), move |word| {
                let raw = raw(word);
                let count = if word & double != 0 { 2 * narrow } else { narrow };
                match (holds(omission, word), raw == all, count) {
                    (true, ..) => String::new(),
                    (_, true, _) => last.to_string(),
                    (.., 0 | 1) => format!("{prefix}{raw}"),
                    _ => format!("{prefix}[{raw}:{}]", raw + count - 1),
                }
            })]
        }
        TypeKind::Immediate(number) if number.print == Print::Decimal => {
            assert!(number.number.number == Number::Unsigned && omission.is_none());
            vec![chosen(bits(lsb, width), move |word| raw(word).to_string())]
        }
        TypeKind::Immediate(number) => {
            assert!(omission.is_none(), "numbers are always written");
            vec![TextSegment::Hex { lsb, width, is_signed: number.number.number == Number::Signed }]
        }
        TypeKind::Composite(_) => vec![
            chosen(bits(lsb + 17, 5), move |word| format!("c[0x{:X}][", word >> (lsb + 17) & 0x1f)),
            TextSegment::Hex { lsb, width: 17, is_signed: false },
            fixed("]"),
        ],
        TypeKind::BitField(_) => panic!("an operand is no enumeration"),
    }
}

fn indirect(base: u32, offset: u32) -> Vec<TextSegment> {
    let register = move |word: u128| match word >> base & 0x3f {
        0x3f => "R[URZ".to_string(),
        number => format!("R[UR{number}"),
    };
    let distance = move |word: u128| match (word >> offset & 0x1ff) as i32 {
        0 => "]".to_string(),
        positive @ ..0x100 => format!("+0x{positive:X}]"),
        negative => format!("-0x{:X}]", 0x200 - negative),
    };
    vec![chosen(bits(base, 6), register), chosen(bits(offset, 9), distance)]
}
