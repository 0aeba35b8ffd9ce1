//! Where things are defined: links to lines of the source files, and conditions as written.

use std::collections::{BTreeMap, HashMap};

use isadl::ast::{Definition, DefinitionKind, Layer};
use isadl::diagnostic::Diagnostics;
use isadl::source::SourceMap;

use super::pages::Kind;
use super::text::one_line;

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    /// The file's name in the source map.
    file: String,
    line: usize,
}

/// The definitions of a specification.
#[derive(Debug, Default)]
pub(super) struct Sources {
    lines: HashMap<(Kind, String), Vec<Line>>,
    /// Of each kind of rule and message the conditions, as written.
    conditions: HashMap<(String, String), Vec<String>>,
    /// The paths of the files as seen from the output folder.
    paths: BTreeMap<String, String>,
}

impl Sources {
    pub(super) fn new(map: &SourceMap, paths: &BTreeMap<String, String>) -> Sources {
        let mut sources = Sources { paths: paths.clone(), ..Sources::default() };
        for file in isadl::parse::parse(map, &mut Diagnostics::default()) {
            for definition in &file.definitions {
                sources.definition(map, definition);
            }
        }
        sources
    }

    fn definition(&mut self, map: &SourceMap, definition: &Definition<'_>) {
        let kind = match &definition.kind {
            DefinitionKind::Isa(_) => return,
            DefinitionKind::RegFile(_) => Kind::RegFile,
            DefinitionKind::Group(layer) => self.layer(map, layer, Kind::Group),
            DefinitionKind::Optype(layer) => self.layer(map, layer, Kind::Optype),
            DefinitionKind::Opcode(layer) => self.layer(map, layer, Kind::Opcode),
            _ => Kind::Type,
        };
        let span = definition.name.span;
        let (line, _) = map.position(span.file, span.start);
        let line = Line { file: map.file(span.file).name().to_string(), line };
        self.lines.entry((kind, definition.name.text.to_string())).or_default().push(line);
    }

    fn layer(&mut self, map: &SourceMap, layer: &Layer<'_>, kind: Kind) -> Kind {
        for rule in &layer.rules {
            let key = (rule.kind.text.to_string(), rule.message.text.to_string());
            let condition = one_line(map.text(rule.condition.span));
            let conditions = self.conditions.entry(key).or_default();
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        kind
    }

    /// The condition of a rule as it is written, if only one is.
    pub(super) fn condition(&self, kind: &str, message: &str) -> Option<&str> {
        match self.conditions.get(&(kind.to_string(), message.to_string()))?.as_slice() {
            [condition] => Some(condition),
            _ => None,
        }
    }

    /// Links to the definitions of a thing, from a page.
    pub(super) fn links(&self, kind: Kind, name: &str, page: &str) -> String {
        let lines = self.lines.get(&(kind, name.to_string())).map_or(&[][..], Vec::as_slice);
        let up = "../".repeat(page.matches('/').count() + 2);
        let link = |at: &Line| {
            let file = at.file.rsplit(['/', '\\']).next().unwrap_or_default();
            let text = format!("`{}:{}`", file.replace('`', "'"), at.line);
            match self.paths.get(&at.file) {
                Some(path) => format!("[{text}](<{up}{}#L{}>)", escape(path), at.line),
                None => text,
            }
        };
        lines.iter().map(link).collect::<Vec<_>>().join(", ")
    }
}

fn escape(path: &str) -> String {
    path.replace('<', "%3C").replace('>', "%3E").replace('\n', "%0A").replace('#', "%23")
}
