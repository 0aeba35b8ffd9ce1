//! Locations in a specification: the lines of definitions and statements.

use std::collections::HashMap;

use isadl_diagnostics::source::{SourceMap, Span};
use isadl_ir::isa::SectionKind;
use isadl_ir::isa::outline::{About, Definition, DefinitionKind, ItemKind};
use serde::Serialize;

use super::Side;

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

/// The places of a specification.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// With a number that distinguishes items that replace each other in different generations.
    known: HashMap<Key, Vec<(Option<i128>, SourceLine)>>,
}

impl Places {
    pub(super) fn new(side: Side<'_>) -> Places {
        let (map, outline) = (side.sources, side.family.first().outline());
        let mut places = Places::default();
        for definition in &outline.definitions {
            places.definition(map, definition);
        }
        for (name, span) in &outline.numbers {
            places.add(map, Key::Number(name.clone()), None, *span);
        }
        places
    }

    fn add(&mut self, map: &SourceMap, key: Key, number: Option<i128>, span: Span) {
        let (line, _) = map.position(span.file, span.start);
        let place = SourceLine { file: map.file(span.file).name().to_string(), line };
        self.known.entry(key).or_default().push((number, place));
    }

    fn definition(&mut self, map: &SourceMap, definition: &Definition) {
        let own = || definition.name.clone();
        let key = match definition.kind {
            DefinitionKind::Isa => Key::Isa,
            DefinitionKind::RegFile => Key::RegFile(own()),
            DefinitionKind::Type => Key::Type(own()),
            DefinitionKind::Group
            | DefinitionKind::Optype
            | DefinitionKind::Opcode
            | DefinitionKind::Alias => Key::Layer(own()),
            DefinitionKind::Environment => return,
        };
        self.add(map, key, None, definition.span);
        for item in &definition.items {
            let key = match &item.kind {
                ItemKind::Field(name) => Key::Field(own(), name.clone()),
                ItemKind::Value(name) => Key::Value(own(), name.clone()),
                ItemKind::Rule(rule) => Key::Rule(own(), rule.message.clone()),
                ItemKind::Statement(about) => Key::Statement(own(), *about),
                ItemKind::Section(kind) => Key::Section(own(), *kind),
            };
            self.add(map, key, item.number, item.span);
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
