//! Explains the bits of a word one by one: what the instruction is, or why the word is not an instruction.

mod ruler;

pub use ruler::Ruler;

use crate::isa::{
    Binding, DecodeError, ExtensionSet, Field, Inst, Isa, NameId, Opcode, OpcodeId,
    OperandLocation, Origin, RuleId, RuleScope, TypeKind, low_bits,
};

/// The minimum number of opcodes that are named for a word without an opcode.
const NEAREST: usize = 3;

/// The explanation of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The word.
    pub word: u128,
    /// Its opcode, or the nearest opcodes.
    pub opcode: Found,
}

/// The opcode of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The word has an opcode.
    One(DecodedWord),
    /// The word has no opcode. These opcodes differ in the fewest fixed bits, nearest first: every opcode that is as
    /// near as the first, and at least three.
    Nearest(Vec<Near>),
}

/// The facts about a word that has an opcode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedWord {
    /// The opcode and the significant bits, legal or not.
    pub inst: Inst,
    /// Its fields from the highest bit down.
    pub fields: Vec<Part>,
    /// The fields with values that their types do not have.
    pub illegal: Vec<NameId>,
    /// The rules that make the word illegal.
    pub broken: Vec<RuleId>,
    /// The rules that keep assemblers from generating the word, though it is legal.
    pub refused: Vec<RuleId>,
    /// The bits outside fields that an encoder writes otherwise.
    pub stray: u128,
    /// The extensions that the opcode needs, such as `extension Zbb`, if the target lacks them.
    pub needs: Option<String>,
}

impl DecodedWord {
    /// Whether the word is an instruction.
    pub fn is_legal(&self) -> bool {
        self.illegal.is_empty() && self.broken.is_empty() && self.needs.is_none()
    }
}

/// A field and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The field.
    pub field: Field,
    /// Its bits.
    pub raw: u64,
    /// The name of the value; `None` if the type does not have it.
    pub meaning: Option<String>,
    /// The name of the definition that declares it.
    pub origin: String,
}

/// An opcode that a word nearly matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// The opcode.
    pub opcode: OpcodeId,
    /// The fixed bits that differ from their required values.
    pub bits: u128,
    /// The fields of these bits.
    pub fields: Vec<Difference>,
}

/// A field whose value differs from the value that an opcode needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The field.
    pub field: Field,
    /// The value that the field has.
    pub has: Value,
    /// The value that the field must have.
    pub needs: Value,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Its bits.
    pub raw: u64,
    /// The name of the value, if the type has it.
    pub meaning: Option<String>,
}

impl Isa {
    /// Explains a word, whether it is an instruction or not; `opcode` is the one whose fixed bits it has.
    pub fn explain(&self, set: ExtensionSet, opcode: Option<OpcodeId>, word: u128) -> Explanation {
        let mut word = word & low_bits(self.width);
        let opcode = match opcode {
            Some(opcode) => {
                word &= self.opcode(opcode).width_mask;
                Found::One(self.known(set, opcode, word))
            }
            None => Found::Nearest(self.nearest(word)),
        };
        Explanation { word, opcode }
    }

    /// Explains in one line why a word does not decode.
    pub fn reason(&self, word: u128, error: DecodeError) -> String {
        match error {
            DecodeError::Truncated { needed } => {
                format!("truncated: the instruction has {needed} bytes")
            }
            DecodeError::Unknown => "unknown opcode".to_string(),
            DecodeError::Absent { opcode } => {
                // Others may have the word in other sets.
                let first = self.opcode(opcode);
                let others = self.opcodes.iter().filter(|other| {
                    other.name != first.name
                        && (word ^ other.value) & other.mask == 0
                        && !other.requires.is_always()
                });
                let needs = |opcode: &Opcode| {
                    format!("`{}` needs {}", opcode.name, self.extensions().needs(&opcode.requires))
                };
                [first].into_iter().chain(others).map(needs).collect::<Vec<_>>().join("; ")
            }
            DecodeError::IllegalValue { opcode, field } => {
                let opcode = self.opcode(opcode);
                let Some(found) = opcode.field(field) else { return String::new() };
                format!(
                    "{}: illegal value 0x{:x} of field `{}` ({})",
                    opcode.name,
                    found.extract(word),
                    self.name_of(field),
                    self.ty(found.ty).name
                )
            }
            DecodeError::Rule { opcode, rule } => {
                let rule = self.rule(rule);
                format!("{}: {} ({})", self.opcode(opcode).name, rule.message, rule.kind)
            }
        }
    }

    fn known(&self, set: ExtensionSet, id: OpcodeId, word: u128) -> DecodedWord {
        let opcode = self.opcode(id);
        let inst = Inst { opcode: id, word: opcode.canonical(word) };
        let is_illegal = |field: &&Field| !self.ty(field.ty).is_legal(field.extract(word));
        let part = |field: &Field| Part {
            raw: field.extract(word),
            meaning: self.meaning(inst, field),
            origin: self.origin(id, field.origin).to_string(),
            field: field.clone(),
        };
        let all = opcode.rules.iter().copied().filter(|rule| self.breaks_in(set, inst, *rule));
        let is_illegal_by = |rule: &RuleId| self.rule(*rule).scope == RuleScope::Word;
        let (broken, refused) = all.partition(is_illegal_by);
        DecodedWord {
            inst,
            fields: opcode.encoded().rev().map(part).collect(),
            illegal: opcode.fields.iter().filter(is_illegal).map(|field| field.name).collect(),
            broken,
            refused,
            stray: (word ^ opcode.written) & !opcode.significant & !opcode.mask,
            needs: None,
        }
    }

    fn origin(&self, id: OpcodeId, origin: Origin) -> &str {
        match origin {
            Origin::Group(group) => &self.groups[group.index()].name,
            Origin::Optype(optype) => &self.optypes[optype.index()].name,
            Origin::Opcode => &self.opcode(id).name,
        }
    }

    /// The name of the value of an instruction's field: the text of an operand, or the name of a
    /// value.
    fn meaning(&self, inst: Inst, field: &Field) -> Option<String> {
        let syntax = &self.opcode(inst.opcode).syntax;
        let operands = syntax.guard.iter().chain(&syntax.operands);
        let is_this = |place: OperandLocation| matches!(place, OperandLocation::Field(name) if name == field.name);
        let ty = self.ty(field.ty);
        let raw = field.extract(inst.word);
        let operand = operands.into_iter().find(|o| is_this(o.place(self.opcode(inst.opcode))));
        match operand.filter(|_| ty.is_legal(raw)) {
            Some(operand) => Some(self.core_text(inst, operand)),
            None => self.named(field, raw),
        }
    }

    /// The name of a value by itself.
    fn named(&self, field: &Field, raw: u64) -> Option<String> {
        let ty = self.ty(field.ty);
        if !ty.is_legal(raw) {
            return None;
        }
        if let TypeKind::BitField(_) = ty.kind
            && ty.is_named(raw)
        {
            let value = ty.enumerator(raw)?;
            return Some(match value.spelling.as_str() {
                spelling if spelling.is_empty() || spelling == value.name => value.name.clone(),
                spelling => format!("{} ({spelling})", value.name),
            });
        }
        Some(self.value_text(ty, raw))
    }

    fn nearest(&self, word: u128) -> Vec<Near> {
        let mut all: Vec<Near> = self
            .opcode_ids()
            .map(|id| {
                let bits = (word ^ self.opcode(id).value) & self.opcode(id).mask;
                Near { opcode: id, bits, fields: Vec::new() }
            })
            .collect();
        all.sort_by_key(|near| near.bits.count_ones());
        let least = all.first().map_or(0, |near| near.bits.count_ones());
        let as_near = all.partition_point(|near| near.bits.count_ones() == least);
        all.truncate(as_near.max(NEAREST));
        for near in &mut all {
            near.fields = self.differences(near.opcode, word);
        }
        all
    }

    fn differences(&self, id: OpcodeId, word: u128) -> Vec<Difference> {
        let value = |field: &Field, raw| Value { raw, meaning: self.named(field, raw) };
        let difference = |field: &Field| match field.binding {
            Binding::Fixed(fixed) if fixed != field.extract(word) => Some(Difference {
                has: value(field, field.extract(word)),
                needs: value(field, fixed),
                field: field.clone(),
            }),
            _ => None,
        };
        self.opcode(id).encoded().rev().filter_map(difference).collect()
    }
}
