//! Symbols of a file and of the workspace, and folding ranges.

use isadl::format::Formatter;
use isadl::source::SourceMap;
use lsp_types as lsp;

use crate::index::{Index, Occurrence};
use crate::navigate::location;
use crate::symbols::{Def, Space};

/// The definitions of a file, with fields and values below their definition.
pub(crate) fn symbols(index: &Index, file: usize) -> Vec<lsp::DocumentSymbol> {
    let of = &index.files[file];
    let defs = &of.symbols.defs;
    let made = |def: &Def, children: Vec<lsp::DocumentSymbol>| {
        let whole = trimmed(&of.text.text, def);
        #[allow(deprecated, reason = "the type has a field that is deprecated")]
        lsp::DocumentSymbol {
            name: def.name.clone(),
            detail: def.ty.clone().or(Some(def.keyword.clone())),
            kind: kind(def),
            tags: None,
            deprecated: None,
            range: of.text.range(whole),
            selection_range: of.text.range(def.span.clone()),
            children: Some(children).filter(|children| !children.is_empty()),
        }
    };
    let outer = defs.iter().enumerate().filter(|(_, def)| def.owner.is_none() && !def.is_made);
    outer
        .map(|(at, def)| {
            let inner = defs.iter().enumerate().filter(|(_, inner)| inner.owner == Some(at));
            let inner = inner
                .filter(|(at, inner)| inner.space != Space::Local && index.is_meant((file, *at)));
            made(def, inner.map(|(_, inner)| made(inner, Vec::new())).collect())
        })
        .collect()
}

/// The extent of a definition without blank lines at its end.
fn trimmed(text: &str, def: &Def) -> std::ops::Range<usize> {
    let length = text[def.whole.clone()].trim_end().len();
    def.whole.start..(def.whole.start + length).max(def.span.end)
}

fn kind(def: &Def) -> lsp::SymbolKind {
    match (def.space, def.keyword.as_str()) {
        (Space::Isa, _) => lsp::SymbolKind::MODULE,
        (Space::Type, "__DefBitFieldType") => lsp::SymbolKind::ENUM,
        (Space::Type, "__DefImmediate") => lsp::SymbolKind::NUMBER,
        (Space::Type, _) => lsp::SymbolKind::STRUCT,
        (Space::RegFile, _) => lsp::SymbolKind::ARRAY,
        (Space::Environment, _) => lsp::SymbolKind::OBJECT,
        (Space::Layer, "__DefGroup") => lsp::SymbolKind::NAMESPACE,
        (Space::Layer, "__DefOptype") => lsp::SymbolKind::CLASS,
        (Space::Layer, _) => lsp::SymbolKind::FUNCTION,
        (Space::Field, _) => lsp::SymbolKind::FIELD,
        (Space::Value, _) => lsp::SymbolKind::ENUM_MEMBER,
        (Space::Condition, _) => lsp::SymbolKind::CONSTANT,
        (Space::Declaration, "fn") => lsp::SymbolKind::FUNCTION,
        (Space::Declaration, "const" | "let") => lsp::SymbolKind::CONSTANT,
        (Space::Declaration, "extern trap") => lsp::SymbolKind::EVENT,
        (Space::Declaration | Space::Local, _) => lsp::SymbolKind::VARIABLE,
    }
}

/// The most symbols that a search finds.
const MOST: usize = 256;

/// The definitions whose names contain the letters of a text in this order.
pub(crate) fn search(index: &Index, wanted: &str) -> Vec<lsp::SymbolInformation> {
    let is_it = |name: &str| {
        let mut letters = wanted.chars().map(|c| c.to_ascii_lowercase()).peekable();
        for c in name.chars() {
            letters.next_if(|letter| *letter == c.to_ascii_lowercase());
        }
        letters.peek().is_none()
    };
    let outer = index.defs().filter(|(_, def)| def.owner.is_none() && is_it(&def.name));
    outer
        .take(MOST)
        .filter_map(|((file, _), def)| {
            let place = Occurrence { file, start: def.span.start, end: def.span.end };
            #[allow(deprecated, reason = "the type has a field that is deprecated")]
            Some(lsp::SymbolInformation {
                name: def.name.clone(),
                kind: kind(def),
                tags: None,
                deprecated: None,
                location: location(index, &place)?,
                container_name: None,
            })
        })
        .collect()
}

/// Definitions, sections and runs of comments.
pub(crate) fn folds(index: &Index, file: usize) -> Vec<lsp::FoldingRange> {
    let of = &index.files[file];
    let mut folds: Vec<(u32, u32, lsp::FoldingRangeKind)> = Vec::new();
    let mut add = |span: std::ops::Range<usize>, kind| {
        let length = of.text.text[span.clone()].trim_end().len();
        let first = of.text.position(span.start).line;
        let last = of.text.position(span.start + length).line;
        if last > first {
            folds.push((first, last, kind));
        }
    };
    for def in of.symbols.defs.iter().filter(|def| def.owner.is_none() && !def.is_made) {
        add(def.whole.clone(), lsp::FoldingRangeKind::Region);
    }
    for section in &of.symbols.sections {
        add(section.whole.clone(), lsp::FoldingRangeKind::Region);
    }
    let (mut at, mut run): (usize, Option<std::ops::Range<usize>>) = (0, None);
    for line in of.text.text.split_inclusive('\n') {
        let place = at..at + line.len();
        at = place.end;
        if line.starts_with("//") {
            run = Some(run.map_or(place.clone(), |run| run.start..place.end));
        } else if let Some(run) = run.take() {
            add(run, lsp::FoldingRangeKind::Comment);
        }
    }
    folds.sort_by_key(|(first, last, _)| (*first, *last));
    folds.dedup_by_key(|(first, last, _)| (*first, *last));
    let made = folds.into_iter().map(|(start_line, end_line, kind)| lsp::FoldingRange {
        start_line,
        end_line,
        kind: Some(kind),
        ..Default::default()
    });
    made.collect()
}

/// The formatted file, as a single edit; `None` if it has syntax errors.
pub(crate) fn layout(index: &Index, file: usize) -> Option<Vec<lsp::TextEdit>> {
    let text = &index.files[file].text;
    let mut sources = SourceMap::new();
    for of in &index.files {
        sources.add(of.path.display().to_string(), of.text.text.as_bytes().to_vec());
    }
    let id = sources.specification().nth(file)?;
    let new_text = Formatter::new(&sources).file(&sources, id).ok()?;
    if new_text == text.text {
        return Some(Vec::new());
    }
    Some(vec![lsp::TextEdit { range: text.range(0..text.text.len()), new_text }])
}
