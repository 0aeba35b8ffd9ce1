//! Where items are defined: links to lines of the source files, and conditions as written.

use std::collections::{BTreeMap, HashMap};

use isadl_diagnostics::source::{SourceMap, Span};
use isadl_ir::isa::Outline;
use isadl_ir::isa::outline::{Definition, DefinitionKind, ItemKind};

use super::options::{Options, SourceLinks};
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
    /// The rules of each layer: kind, message and condition, as written.
    rules: HashMap<String, Vec<[String; 3]>>,
    /// The paths of the files relative to the output folder.
    paths: BTreeMap<String, String>,
    links: SourceLinks,
    /// Whether all pages are in a single file in the output folder.
    is_single: bool,
}

impl Sources {
    pub(super) fn new(
        outline: &Outline,
        map: &SourceMap,
        options: &Options,
        is_single: bool,
    ) -> Sources {
        let (paths, links) = (options.sources.clone(), options.links.clone());
        let mut sources = Sources { paths, links, is_single, ..Sources::default() };
        outline.definitions.iter().for_each(|one| sources.definition(map, one));
        sources
    }

    fn definition(&mut self, map: &SourceMap, definition: &Definition) {
        let kind = match definition.kind {
            // Aliases are on the pages of their operations.
            DefinitionKind::Isa | DefinitionKind::Alias | DefinitionKind::Environment => return,
            DefinitionKind::RegFile => Kind::RegFile,
            DefinitionKind::Type => Kind::Type,
            DefinitionKind::Group => Kind::Group,
            DefinitionKind::Optype => Kind::Optype,
            DefinitionKind::Opcode => Kind::Opcode,
        };
        for item in &definition.items {
            let ItemKind::Rule(rule) = &item.kind else { continue };
            let condition = condition(map, rule.condition);
            let rules = self.rules.entry(definition.name.clone()).or_default();
            rules.push([rule.kind.clone(), rule.message.clone(), condition]);
        }
        let span = definition.span;
        let (line, _) = map.position(span.file, span.start);
        let line = Line { file: map.file(span.file).name().to_string(), line };
        self.lines.entry((kind, definition.name.clone())).or_default().push(line);
    }

    /// The condition of a rule as written in a layer of an opcode. `None` unless exactly one layer has a rule of this
    /// kind with this message.
    pub(super) fn condition<'l>(
        &self,
        layers: impl Iterator<Item = &'l str>,
        kind: &str,
        message: &str,
    ) -> Option<&str> {
        let rules = layers.filter_map(|layer| self.rules.get(layer)).flatten();
        let mut found = rules.filter(|rule| rule[0] == kind && rule[1] == message);
        let first = &found.next()?[2];
        found.all(|rule| rule[2] == *first).then_some(first)
    }

    /// Links to the definitions of an item, from a page; nothing if there are to be none.
    pub(super) fn links(&self, kind: Kind, name: &str, page: &str) -> String {
        let lines = |kind| self.lines.get(&(kind, name.to_string()));
        // An opcode without an optype is an operation.
        let own = || lines(Kind::Opcode).filter(|_| kind == Kind::Optype);
        let lines = lines(kind).or_else(own).map_or(&[][..], Vec::as_slice);
        let up = match self.is_single {
            true => String::new(),
            false => "../".repeat(page.matches('/').count() + 2),
        };
        let target = |file: &str| match &self.links {
            SourceLinks::Relative => {
                self.paths.get(file).map(|path| format!("{up}{}", escape(path)))
            }
            SourceLinks::Url(url) => {
                let path = file.replace('\\', "/");
                Some(escape(&format!(
                    "{}/{}",
                    url.trim_end_matches('/'),
                    path.trim_start_matches("./")
                )))
            }
            SourceLinks::Off => None,
        };
        let link = |at: &Line| {
            let file = at.file.rsplit(['/', '\\']).next().unwrap_or_default();
            let text = format!("`{}:{}`", file.replace('`', "'"), at.line);
            match target(&at.file) {
                Some(target) => format!("[{text}](<{target}#L{}>)", at.line),
                None => text,
            }
        };
        if self.links == SourceLinks::Off {
            return String::new();
        }
        lines.iter().map(link).collect::<Vec<_>>().join(", ")
    }
}

/// The condition of a rule as written: the text after its `=`, without comments.
fn condition(map: &SourceMap, span: Span) -> String {
    let text = map.text(span);
    let text = text.split_once('=').map_or(text, |(_, condition)| condition);
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let text = one_line(&lines.collect::<Vec<_>>().join(" "));
    text.trim_end_matches(';').trim_end().to_string()
}

fn escape(path: &str) -> String {
    path.replace('<', "%3C").replace('>', "%3E").replace('\n', "%0A").replace('#', "%23")
}
