//! Completions: text that can be written at a position.

use isadl::ast::SectionKind;
use isadl::parse::{definition_words, statement_words};
use lsp_types as lsp;

use crate::index::{DefId, Index};
use crate::items::{all, item, of, values, words};
use crate::programs;
use crate::symbols::{Def, Space};

/// The text after the keywords of definitions.
const HEADERS: [(&str, &str); 15] = [
    ("__DefIsa", " ${1:NAME}<${2:32}>"),
    ("__DefRegFile", " ${1:NAME}<${2:32}, ${3:16}>"),
    ("__DefBitFieldType", " ${1:Name}<${2:1}>\n    ${3:VALUE};"),
    ("__DefOperandType", " ${1:Name}<${2:4}>\n    ${3:R[0..15]} = 0 : ${4:GPR};"),
    ("__DefImmediate", " ${1:Name}<${2:8}>\n    Number = ${3:unsigned};"),
    ("__DefComposite", " ${1:Name}<${2:8}>"),
    ("__DefGroup", " ${1:NAME} : [${2:ALL}]\n  __Encoding\n    $0"),
    ("__DefOptype", " ${1:NAME} : [${2:ALL}]\n  __Encoding\n    $0"),
    ("__DefOpcode", " ${1:NAME} : [${2:ALL}]\n  __Encoding\n    $0"),
    ("__DefAlias", " ${1:NAME} : [${2:OPCODE}]\n  __Encoding\n    $0"),
    ("__DefOptypes", " : [${1:ALL}]\n    $0"),
    ("__DefInstructions", " : [${1:ALL}]\n    $0"),
    ("__DefAliases", "\n    $0"),
    ("__DefForms", " {0}_{1} : [$1] x [$2];"),
    ("__DefEnvironment", " ${1:name}\n    Trap = $0;"),
];

const FLOWS: &[&str] = &[
    "next",
    "branch",
    "conditional",
    "call",
    "return",
    "indirect",
    "indirect_call",
    "trap",
    "system_call",
    "abort",
];

/// The completions at a position.
pub(crate) fn complete(index: &Index, file: usize, at: usize) -> Vec<lsp::CompletionItem> {
    let of = &index.files[file];
    let text = &of.text.text;
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..at];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let before = line.trim_end_matches(is_word);
    if before.rfind("@[").is_some_and(|guard| !before[guard..].contains(']')) {
        return all(index, Space::Condition);
    }
    if let Some(found) = programs::complete::complete(index, file, at) {
        return found;
    }
    if let Some(made) = head(index, line, before) {
        return made;
    }
    let Some(owner) = of.symbols.definition_at(start) else { return Vec::new() };
    let def = &of.symbols.defs[owner];
    let here = of.symbols.sections.iter().rfind(|section| section.whole.contains(&start.min(at)));
    let kind = here.filter(|section| section.whole.start > def.whole.start).map(|of| of.kind);
    // The statement that the place is in, from its start.
    let from = text[..at].rfind([';', '\n']).map_or(0, |end| end + 1).min(start + before.len());
    let statement = text[from..start + before.len()].trim_start();
    match kind {
        Some(_) | None if statement.is_empty() => words(statement_words(&def.keyword, kind)),
        Some(SectionKind::Encoding) => encoding(index, statement, (file, owner)),
        Some(SectionKind::OperandInfo) => operand_info(index, statement, (file, owner)),
        Some(SectionKind::Exception) => expression(index, statement, (file, owner)),
        Some(_) => Vec::new(),
        None => body(index, def, statement, (file, owner)),
    }
}

/// Headers and headings.
fn head(index: &Index, line: &str, before: &str) -> Option<Vec<lsp::CompletionItem>> {
    if line.starts_with("__Def") && before.contains('[') {
        return Some(all(index, Space::Layer));
    }
    let is_start = before.trim().is_empty();
    let word = line.trim_start();
    if is_start && (word.starts_with("__") || line.is_empty()) {
        let definitions = definition_words().map(|keyword| {
            let rest = HEADERS.iter().find(|(known, _)| *known == keyword);
            lsp::CompletionItem {
                insert_text: rest.map(|(_, rest)| format!("{keyword}{rest}")),
                insert_text_format: rest.map(|_| lsp::InsertTextFormat::SNIPPET),
                ..item(keyword, lsp::CompletionItemKind::KEYWORD, "definition")
            }
        });
        let sections = SectionKind::ALL
            .into_iter()
            .map(|kind| item(kind.heading(), lsp::CompletionItemKind::KEYWORD, "section"));
        return Some(definitions.chain(sections).collect());
    }
    None
}

fn encoding(index: &Index, statement: &str, owner: DefId) -> Vec<lsp::CompletionItem> {
    let keyword = statement.split([' ', '<', '[']).next().unwrap_or_default();
    if keyword == "Unstated" {
        return words(["warn", "zero", "ignored"]);
    }
    if !["field", "control", "literal"].contains(&keyword) {
        return expression(index, statement, owner);
    }
    let Some(end) = statement.find(['>', ']']) else { return Vec::new() };
    let rest: Vec<&str> = statement[end + 1..].split_whitespace().collect();
    match rest.as_slice() {
        [] => all(index, Space::Type),
        [ty, _, sign] if sign.starts_with('=') => values(index, ty),
        _ => Vec::new(),
    }
}

fn operand_info(index: &Index, statement: &str, owner: DefId) -> Vec<lsp::CompletionItem> {
    if statement.starts_with("Flow<") && !statement.contains('>') {
        return words(FLOWS.iter().copied());
    }
    if statement.starts_with("Short<") && !statement.contains('>') {
        return all(index, Space::Layer);
    }
    expression(index, statement, owner)
}

/// Fields, or the values of the field that is compared.
fn expression(index: &Index, statement: &str, owner: DefId) -> Vec<lsp::CompletionItem> {
    let before = statement.trim_end();
    let compared = ["==", "!="].iter().find_map(|sign| before.strip_suffix(sign));
    if let Some(left) = compared {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let left = left.trim_end();
        let name = &left[left.trim_end_matches(is_word).len()..];
        let fields = index.fields_in_scope(owner).into_iter();
        let mut found = fields.filter(|id| index.def(*id).name == name);
        if let Some(ty) = found.next().and_then(|id| index.def(id).ty.clone()) {
            // A value is compared by its name as text.
            let quoted = |item: lsp::CompletionItem| lsp::CompletionItem {
                insert_text: Some(format!("\"{}\"", item.label)),
                ..item
            };
            return values(index, &ty).into_iter().map(quoted).collect();
        }
    }
    let fields = index.fields_in_scope(owner).into_iter().map(|id| of(index.def(id)));
    fields.chain(all(index, Space::RegFile)).collect()
}

fn body(index: &Index, def: &Def, statement: &str, owner: DefId) -> Vec<lsp::CompletionItem> {
    match (def.keyword.as_str(), statement) {
        ("__DefIsa", _) => all(index, Space::Condition),
        ("__DefImmediate", text) if text.starts_with("Number") => {
            words(["unsigned", "signed", "float"])
        }
        ("__DefImmediate", text) if text.starts_with("Print") => {
            words(["decimal", "hex", "HEX", "binary", "bits"])
        }
        ("__DefComposite", text) => encoding(index, text, owner),
        ("__DefOperandType", text) if text.ends_with(": ") || text.ends_with(':') => {
            all(index, Space::RegFile)
        }
        ("__DefBitFieldType" | "__DefOperandType", "else" | "include") => all(index, Space::Type),
        ("__DefEnvironment", text) if text.starts_with("Trap") || text.starts_with("Code") => {
            all(index, Space::Declaration)
        }
        ("__DefEnvironment", text) if text.contains('=') => all(index, Space::RegFile),
        (_, text) if def.space == Space::Layer && !text.is_empty() => {
            expression(index, text, owner)
        }
        _ => Vec::new(),
    }
}
