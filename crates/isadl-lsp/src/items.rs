//! Completions of names and words.

use lsp_types as lsp;

use crate::index::Index;
use crate::symbols::{Def, Space};

/// The values of a type.
pub(crate) fn values(index: &Index, ty: &str) -> Vec<lsp::CompletionItem> {
    index.values(ty).into_iter().map(|id| of(index.def(id))).collect()
}

/// All names of a kind.
pub(crate) fn all(index: &Index, space: Space) -> Vec<lsp::CompletionItem> {
    index.defs().filter(|(_, def)| def.space == space).map(|(_, def)| of(def)).collect()
}

pub(crate) fn of(def: &Def) -> lsp::CompletionItem {
    let kind = match def.space {
        Space::Type | Space::RegFile => lsp::CompletionItemKind::STRUCT,
        Space::Field => lsp::CompletionItemKind::FIELD,
        Space::Value => lsp::CompletionItemKind::ENUM_MEMBER,
        Space::Condition => lsp::CompletionItemKind::CONSTANT,
        Space::Declaration if def.keyword == "fn" => lsp::CompletionItemKind::FUNCTION,
        Space::Declaration | Space::Local => lsp::CompletionItemKind::VARIABLE,
        Space::Isa | Space::Layer | Space::Environment => lsp::CompletionItemKind::CLASS,
    };
    let detail = def.head.lines().next().unwrap_or_default();
    let documentation = Some(def.doc.clone()).filter(|doc| !doc.is_empty());
    lsp::CompletionItem {
        documentation: documentation.map(lsp::Documentation::String),
        ..item(&def.name, kind, detail)
    }
}

pub(crate) fn words(words: impl IntoIterator<Item = &'static str>) -> Vec<lsp::CompletionItem> {
    words.into_iter().map(|word| item(word, lsp::CompletionItemKind::KEYWORD, "")).collect()
}

pub(crate) fn item(
    label: &str,
    kind: lsp::CompletionItemKind,
    detail: &str,
) -> lsp::CompletionItem {
    lsp::CompletionItem {
        label: label.to_string(),
        kind: Some(kind),
        detail: Some(detail.to_string()).filter(|detail| !detail.is_empty()),
        ..Default::default()
    }
}
