//! Layouts map the bits of an instruction to fields, for diagrams.

use isadl_ir::isa::{Binding, FieldRole, Isa, Numbering, Opcode, Run};

/// The role of bits, which diagrams show by colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    Fixed,
    Operand,
    Attribute,
    Modifier,
    Control,
    Literal,
    /// Must be zero.
    Zero,
    /// May have any value.
    Ignored,
    Unused,
}

impl Role {
    /// All of them, in the order of the legend.
    pub(super) const ALL: [Role; 9] = [
        Role::Fixed,
        Role::Operand,
        Role::Attribute,
        Role::Modifier,
        Role::Control,
        Role::Literal,
        Role::Zero,
        Role::Ignored,
        Role::Unused,
    ];

    /// The word for it, and the name of its style.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Role::Fixed => "fixed",
            Role::Operand => "operand",
            Role::Attribute => "attribute",
            Role::Modifier => "modifier",
            Role::Control => "control",
            Role::Literal => "literal",
            Role::Zero => "zero",
            Role::Ignored => "ignored",
            Role::Unused => "unused",
        }
    }
}

/// A run of bits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    pub(super) lsb: u32,
    pub(super) width: u32,
    /// The field's name; empty if there is none.
    pub(super) name: String,
    pub(super) role: Role,
}

impl Segment {
    /// The highest bit.
    pub(super) fn high(&self) -> u32 {
        self.lsb + self.width - 1
    }
}

/// All bits of an instruction, starting at the lowest, which is bit 0 of each segment here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Layout {
    pub(super) width: u32,
    pub(super) segments: Vec<Segment>,
    /// The numbers of bits.
    numbering: Numbering,
    /// The values of bits that are fixed outside fields.
    constants: u128,
}

impl Layout {
    pub(super) fn new(isa: &Isa, opcode: &Opcode) -> Layout {
        let mut segments: Vec<Segment> = Vec::new();
        let numbering = isa.numbering(opcode);
        let lowest = isa.word_layout().lowest(opcode.width);
        for bit in 0..opcode.width {
            let (name, role) = at(isa, opcode, lowest + bit);
            match segments.last_mut() {
                Some(last) if last.name == name && last.role == role => last.width += 1,
                _ => segments.push(Segment { lsb: bit, width: 1, name, role }),
            }
        }
        let fields = opcode.encoded().fold(0, |mask, field| mask | field.mask());
        let constants = numbering.number(opcode.value & !fields);
        Layout { width: opcode.width, segments, numbering: numbering.alone(), constants }
    }

    /// The numbers of the highest and the lowest bit of a segment.
    pub(super) fn ends(&self, segment: &Segment) -> (u32, u32) {
        self.numbering.ends(Run { lsb: segment.lsb, width: segment.width })
    }

    /// The bits of a segment by their numbers.
    pub(super) fn bits(&self, segment: &Segment) -> String {
        self.name_of(segment.lsb, segment.width)
    }

    /// Bits by their numbers.
    pub(super) fn name_of(&self, lsb: u32, width: u32) -> String {
        self.numbering.run(Run { lsb, width })
    }

    /// The bits of a segment in binary, if they are fixed outside fields.
    pub(super) fn digits(&self, segment: &Segment) -> Option<String> {
        let is_constant = segment.role == Role::Fixed && segment.name.is_empty();
        let bit = |bit: u32| if self.constants >> bit & 1 == 1 { '1' } else { '0' };
        is_constant.then(|| (segment.lsb..=segment.high()).rev().map(bit).collect())
    }

    /// The segments of each row of `per_row` bits, the highest first.
    pub(super) fn rows(&self, per_row: u32) -> Vec<Vec<Segment>> {
        let count = self.width.div_ceil(per_row);
        let row = |row: u32| {
            let (low, high) = (row * per_row, ((row + 1) * per_row).min(self.width) - 1);
            let mut parts: Vec<Segment> =
                self.segments.iter().filter_map(|segment| part(segment, low, high)).collect();
            parts.reverse();
            parts
        };
        (0..count).rev().map(row).collect()
    }

    /// The letters of fields whose names do not fit, by name, starting at the highest.
    pub(super) fn keys(
        &self,
        per_row: u32,
        fits: impl Fn(&Segment) -> bool,
    ) -> Vec<(String, char)> {
        let mut keys: Vec<(String, char)> = Vec::new();
        let mut letters = ('a'..='z').chain('A'..='Z').chain('0'..='9');
        for segment in self.rows(per_row).iter().flatten() {
            let is_known = keys.iter().any(|(name, _)| *name == segment.name);
            if !segment.name.is_empty() && !is_known && !fits(segment) {
                keys.push((segment.name.clone(), letters.next().unwrap_or('*')));
            }
        }
        keys
    }
}

/// The part of a segment from one bit to another, both included.
fn part(segment: &Segment, low: u32, high: u32) -> Option<Segment> {
    let (from, to) = (segment.lsb.max(low), segment.high().min(high));
    (from <= to).then(|| Segment { lsb: from, width: to - from + 1, ..segment.clone() })
}

/// The field that has a bit, and its role. For a field in pieces, the name includes the bits of the piece.
fn at(isa: &Isa, opcode: &Opcode, bit: u32) -> (String, Role) {
    let has = |mask: u128| mask >> bit & 1 == 1;
    let mut fields = opcode.encoded().filter(|field| has(field.mask()));
    if let Some(field) = fields.next() {
        let role = match (field.binding, field.role) {
            (Binding::Fixed(_), _) => Role::Fixed,
            _ if opcode.is_literal(field.name) => Role::Literal,
            (_, FieldRole::Operand | FieldRole::Part { .. }) => Role::Operand,
            (_, FieldRole::Attribute { .. }) => Role::Attribute,
            (_, FieldRole::Modifier | FieldRole::Mnemonic) => Role::Modifier,
            (_, FieldRole::Control) => Role::Control,
        };
        let name = isa.name_of(field.name);
        let piece = isa.piece_of(field, bit).map(|piece| piece.bits_of_value);
        return (name.to_string() + &piece.unwrap_or_default(), role);
    }
    let role = match () {
        () if has(opcode.reserved & opcode.width_mask) => Role::Zero,
        () if has(opcode.mask & opcode.width_mask) => Role::Fixed,
        () if has(opcode.ignored) => Role::Ignored,
        () => Role::Unused,
    };
    (String::new(), role)
}
