//! Locations in a specification: the lines of definitions and statements.

use std::collections::HashMap;

use isadl_diagnostics::diagnostic::Diagnostics;
use isadl_diagnostics::source::{SourceMap, Span};
use isadl_syntax::ast::{Definition, DefinitionKind, Layer, OperandStatementKind, SectionKind};
use serde::Serialize;

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SourceLine {
    /// The file's name in the source map.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// The item at a location. Layers are groups, optypes and opcodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Isa,
    RegFile(String),
    Type(String),
    Layer(String),
    /// A field of a layer, or a part of a composite.
    Field(String, String),
    /// A value of a type, by its name or the prefix of its registers.
    Value(String, String),
    /// A rule of a layer, by its message.
    Rule(String, String),
    /// A statement of a layer on operands.
    Statement(String, About),
    Section(String, SectionKind),
    Number(String),
}

/// The subject of a statement on operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum About {
    Mnemonic,
    Operands,
    Modifiers,
    Flow,
}

/// The places of a specification.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// With a number that distinguishes items that replace each other in different generations.
    known: HashMap<Key, Vec<(Option<i128>, SourceLine)>>,
}

impl Places {
    pub(super) fn new(map: &SourceMap) -> Places {
        let mut places = Places::default();
        for file in isadl_syntax::parse::parse(map, &mut Diagnostics::default()) {
            file.definitions.iter().for_each(|definition| places.definition(map, definition));
        }
        let lock = map.lock().map(|id| map.file(id));
        for (index, line) in lock.iter().flat_map(|file| file.content().lines().enumerate()) {
            if let (Some((name, _)), Some(file)) = (line.split_once('='), lock) {
                let place = SourceLine { file: file.name().to_string(), line: index + 1 };
                places.known.insert(Key::Number(name.trim().to_string()), vec![(None, place)]);
            }
        }
        places
    }

    fn add(&mut self, map: &SourceMap, key: Key, number: Option<i128>, span: Span) {
        let (line, _) = map.position(span.file, span.start);
        let place = SourceLine { file: map.file(span.file).name().to_string(), line };
        self.known.entry(key).or_default().push((number, place));
    }

    fn definition(&mut self, map: &SourceMap, definition: &Definition<'_>) {
        let name = definition.name.text.to_string();
        let key = match &definition.kind {
            DefinitionKind::Isa(_) => Key::Isa,
            DefinitionKind::RegFile(_) => Key::RegFile(name.clone()),
            DefinitionKind::Group(layer)
            | DefinitionKind::Optype(layer)
            | DefinitionKind::Opcode(layer)
            | DefinitionKind::Alias(layer) => {
                self.layer(map, &name, layer);
                Key::Layer(name.clone())
            }
            DefinitionKind::BitFieldType(ty) => {
                for value in &ty.enumerators {
                    let key = Key::Value(name.clone(), value.name.text.to_string());
                    self.add(map, key, value.value.map(|int| int.value), value.name.span);
                }
                Key::Type(name.clone())
            }
            DefinitionKind::OperandType(ty) => {
                for entry in &ty.entries {
                    let text = map.text(entry.span);
                    let written = text.split(['=', '[']).next().unwrap_or(text).trim();
                    let key = Key::Value(name.clone(), written.to_string());
                    self.add(map, key, Some(entry.value.value), entry.span);
                }
                Key::Type(name.clone())
            }
            DefinitionKind::Composite(ty) => {
                for part in &ty.parts {
                    let key = Key::Field(name.clone(), part.name.text.to_string());
                    self.add(map, key, Some(part.bits.low()), part.span);
                }
                Key::Type(name.clone())
            }
            DefinitionKind::Immediate(_) => Key::Type(name.clone()),
        };
        self.add(map, key, None, definition.name.span);
        for section in &definition.prose {
            self.add(map, Key::Section(name.clone(), section.kind), None, section.heading);
        }
    }

    fn layer(&mut self, map: &SourceMap, name: &str, layer: &Layer<'_>) {
        let own = || name.to_string();
        for field in &layer.fields {
            let key = Key::Field(own(), field.name.text.to_string());
            self.add(map, key, Some(field.bits.low()), field.span);
        }
        for fix in &layer.fixes {
            let key = Key::Field(own(), fix.name.text.to_string());
            self.add(map, key, None, fix.span);
        }
        for rule in &layer.rules {
            self.add(map, Key::Rule(own(), rule.message.text.to_string()), None, rule.span);
        }
        for statement in &layer.operand_info {
            let abouts: &[About] = match &statement.kind {
                OperandStatementKind::InList(_) | OperandStatementKind::OutList(_) => {
                    &[About::Flow, About::Operands]
                }
                OperandStatementKind::Reads(_)
                | OperandStatementKind::Writes(_)
                | OperandStatementKind::Partial(_)
                | OperandStatementKind::Flow { .. }
                | OperandStatementKind::Mask(..)
                | OperandStatementKind::Memory(_)
                | OperandStatementKind::Bitwidth(..) => &[About::Flow],
                OperandStatementKind::Order(_)
                | OperandStatementKind::Guard(_)
                | OperandStatementKind::Template(..)
                | OperandStatementKind::Short { .. }
                | OperandStatementKind::AsmFormat { .. } => &[About::Operands],
                OperandStatementKind::Mnemonic(_) | OperandStatementKind::Suffix(_) => {
                    &[About::Mnemonic]
                }
                OperandStatementKind::ModiOrder(_) => &[About::Modifiers],
            };
            for about in abouts {
                self.add(map, Key::Statement(own(), *about), None, statement.span);
            }
        }
    }

    /// The location of an item. If there are several, the location with the number is preferred.
    pub(super) fn get(&self, key: &Key, number: Option<u64>) -> Option<SourceLine> {
        let all = self.known.get(key)?;
        let number = number.map(i128::from);
        let same = all.iter().find(|(known, _)| number.is_some() && *known == number);
        same.or(all.first()).map(|(_, place)| place.clone())
    }

    /// The first of several that is known.
    pub(super) fn first(&self, keys: impl IntoIterator<Item = Key>) -> Option<SourceLine> {
        keys.into_iter().find_map(|key| self.get(&key, None))
    }
}
