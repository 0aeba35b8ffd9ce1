//! Mnemonics with fields in them, `b.{cond}`: each combination of the fields' values is a name of its own.

use super::{Binding, Field, Isa, NameId, Omission, Opcode};

/// Limit on the names of an opcode whose mnemonic has fields.
pub const MAX_NAMES: usize = 4096;

/// A piece of a mnemonic.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MnemonicPiece {
    /// Literal text.
    Text(String),
    /// The value of a field.
    Field(NameId),
}

/// A mnemonic as it is written in lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mnemonic {
    /// The text.
    pub text: String,
    /// The bits of the fields in it, and their values.
    pub fields: Omission,
    /// Whether instructions with these values are printed by it, where the first names of values are.
    pub is_printed: bool,
}

impl Isa {
    /// The mnemonics of an opcode or alias as they are written, with the values of their fields.
    pub fn mnemonics(&self, opcode: &Opcode) -> Vec<Mnemonic> {
        let syntax = &opcode.syntax;
        if syntax.pieces.is_empty() {
            let whole = |(number, text): (usize, &str)| {
                let is_printed = number == 0;
                Mnemonic { text: text.to_string(), fields: Omission::ALWAYS, is_printed }
            };
            return syntax.mnemonics().enumerate().map(whole).collect();
        }
        let fields: Vec<&Field> = opcode.mnemonic_fields().collect();
        let choices = self.choices(&fields);
        let mut names = Vec::new();
        for (number, pieces) in syntax.pieces.iter().enumerate() {
            for choice in &choices {
                let text = pieces.iter().map(|piece| match piece {
                    MnemonicPiece::Text(text) => text.as_str(),
                    MnemonicPiece::Field(name) => {
                        let at = fields.iter().position(|field| field.name == *name);
                        at.map_or("", |at| choice.texts[at].as_str())
                    }
                });
                let is_printed = number == 0 && choice.is_printed;
                names.push(Mnemonic { text: text.collect(), fields: choice.fields, is_printed });
            }
        }
        names
    }

    /// The mnemonic that is printed for a word of an opcode or alias.
    pub fn mnemonic_of(&self, opcode: &Opcode, word: u128) -> String {
        let Some(pieces) = opcode.syntax.pieces.first() else {
            return opcode.syntax.mnemonic.clone();
        };
        let text = pieces.iter().map(|piece| match piece {
            MnemonicPiece::Text(text) => text.clone(),
            MnemonicPiece::Field(name) => opcode.field(*name).map_or(String::new(), |field| {
                self.value_text(self.ty(field.ty), field.extract(word))
            }),
        });
        text.collect()
    }

    /// Every choice of names of values of some fields.
    fn choices(&self, fields: &[&Field]) -> Vec<Choice> {
        let none = Choice { fields: Omission::ALWAYS, texts: Vec::new(), is_printed: true };
        fields.iter().fold(vec![none], |choices, field| {
            let all = self.ty(field.ty).words();
            let values = all.iter().filter(|(raw, _)| match field.binding {
                Binding::Fixed(fixed) => fixed == *raw,
                Binding::Required | Binding::Default(_) => true,
            });
            let values: Vec<&(u64, Vec<String>)> = values.collect();
            let with = |choice: &Choice, raw: u64, (number, text): (usize, &String)| {
                let own = Omission { mask: field.mask(), value: field.insert(0, raw) };
                let texts = choice.texts.iter().chain([text]).cloned().collect();
                let is_printed = choice.is_printed && number == 0;
                Choice { fields: choice.fields.and(own), texts, is_printed }
            };
            let each = choices.iter().flat_map(|choice| {
                values.iter().flat_map(move |(raw, texts)| {
                    texts.iter().enumerate().map(move |text| with(choice, *raw, text))
                })
            });
            each.collect()
        })
    }
}

/// A choice of a name for each of some fields.
struct Choice {
    fields: Omission,
    texts: Vec<String>,
    is_printed: bool,
}

impl Opcode {
    /// The fields in its mnemonic, each once.
    pub fn mnemonic_fields(&self) -> impl Iterator<Item = &Field> {
        let pieces = self.syntax.pieces.first().into_iter().flatten();
        let names = pieces.filter_map(|piece| match piece {
            MnemonicPiece::Field(name) => Some(*name),
            MnemonicPiece::Text(_) => None,
        });
        let mut seen = Vec::new();
        let new = names.filter(move |name| {
            let is_new = !seen.contains(name);
            seen.push(*name);
            is_new
        });
        new.filter_map(|name| self.field(name))
    }
}
