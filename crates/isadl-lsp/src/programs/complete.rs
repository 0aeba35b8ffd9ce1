//! Completions in programs.

use std::collections::HashSet;

use isadl::ast::SectionKind;
use isadl::semantics::lookup::{builtins, keywords};
use lsp_types as lsp;

use crate::index::{DefId, Index};
use crate::items::{all, item, of, values, words};
use crate::symbols::Space;

/// The completions at a position in a program; `None` if it is not in one.
pub(crate) fn complete(index: &Index, file: usize, at: usize) -> Option<Vec<lsp::CompletionItem>> {
    let owner = owner_at(index, file, at)?;
    let text = &index.files[file].text.text;
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '"';
    let before = text[start..at].trim_end_matches(is_word).trim_end();
    let word_before = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    if before.ends_with("has(") {
        return Some(all(index, Space::Condition));
    }
    let declared = declared(index, owner);
    let is_trap = |id: &DefId| index.def(*id).keyword == "extern trap";
    if word_before == Some("trap") {
        let traps = declared.into_iter().filter(is_trap);
        return Some(traps.map(|id| of(index.def(id))).collect());
    }
    if let Some(found) = compared(index, before, owner) {
        return Some(found);
    }
    let names = index.fields_in_scope(owner).into_iter();
    let names = names.chain(locals(index, owner, at)).chain(index.surrounding(owner));
    let names = names.chain(declared.into_iter().filter(|id| !is_trap(id)));
    let mut found: Vec<lsp::CompletionItem> = names.map(|id| of(index.def(id))).collect();
    found.extend(all(index, Space::RegFile));
    found.extend(builtins().map(|builtin| {
        let kind = lsp::CompletionItemKind::FUNCTION;
        lsp::CompletionItem {
            documentation: Some(lsp::Documentation::String(builtin.about.to_string())),
            ..item(builtin.name(), kind, builtin.signature)
        }
    }));
    found.extend(words(keywords()));
    // Variants of generations, and functions with the names of operators, are offered once.
    let mut seen = HashSet::new();
    found.retain(|item| seen.insert(item.label.clone()));
    Some(found)
}

/// The values of the field before a comparison.
fn compared(index: &Index, before: &str, owner: DefId) -> Option<Vec<lsp::CompletionItem>> {
    let left = ["==", "!="].iter().find_map(|sign| before.strip_suffix(sign))?.trim_end();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = &left[left.trim_end_matches(is_word).len()..];
    let mut fields = index.inner(Space::Field, name, owner).into_iter();
    let ty = fields.find_map(|id| index.def(id).ty.clone())?;
    let mut types = index.named(Space::Type, &ty).iter();
    let is_enumeration = types.any(|id| index.def(*id).keyword == "__DefBitFieldType");
    let found = values(index, &ty).into_iter().map(|item| match is_enumeration {
        true => item,
        // Registers are compared by their names as texts.
        false => lsp::CompletionItem { insert_text: Some(format!("\"{}\"", item.label)), ..item },
    });
    let found: Vec<lsp::CompletionItem> = found.collect();
    Some(found).filter(|found| !found.is_empty())
}

/// The names that the program itself binds, and that are visible at a place.
fn locals(index: &Index, owner: DefId, at: usize) -> impl Iterator<Item = DefId> {
    let own = index.own(Space::Local, owner);
    own.filter(move |id| index.def(*id).whole.contains(&at) && index.is_meant(*id))
}

/// The declarations in a chain.
fn declared(index: &Index, owner: DefId) -> Vec<DefId> {
    let layers = index.chain(owner).into_iter();
    let declared =
        layers.flat_map(|layer| index.own(Space::Declaration, layer).collect::<Vec<_>>());
    declared.filter(|id| index.is_meant(*id)).collect()
}

/// The layer whose program a position is in: pseudo code that is checked, or a fence of a section.
fn owner_at(index: &Index, file: usize, at: usize) -> Option<DefId> {
    let text = &index.files[file].text.text;
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    if text[start..at].trim_start().starts_with("///=") {
        return documented(index, file, start).filter(|owner| index.is_checked(*owner));
    }
    let symbols = &index.files[file].symbols;
    let section =
        symbols.sections.iter().rfind(|section| section.whole.contains(&start.min(at)))?;
    if section.kind != SectionKind::Semantics {
        return None;
    }
    let mut is_program = None;
    for line in text[section.whole.start..start].lines().map(str::trim) {
        if let Some(tag) = line.strip_prefix("```") {
            is_program = match is_program {
                None => Some(tag.trim_start_matches('`').trim() == "isa"),
                Some(_) => None,
            };
        }
    }
    let owner = symbols.definition_at(start).map(|owner| (file, owner));
    owner.filter(|_| is_program == Some(true))
}

/// The row of a table that comments at a place are about.
fn documented(index: &Index, file: usize, at: usize) -> Option<DefId> {
    let of = &index.files[file];
    let mut start = at;
    for line in of.text.text[at..].split_inclusive('\n') {
        if !line.trim_start().starts_with("///") {
            let row = start..start + line.len();
            let is_it = |def: &crate::symbols::Def| {
                def.space == Space::Layer && row.contains(&def.span.start)
            };
            return of.symbols.defs.iter().position(is_it).map(|def| (file, def));
        }
        start += line.len();
    }
    None
}
