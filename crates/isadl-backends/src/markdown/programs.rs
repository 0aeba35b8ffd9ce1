//! Programs of operations, with links to declarations, and the declarations of groups.
//!
//! A program is a block of HTML, since code in Markdown has no links. Wrappers are folded.

use isadl_ir::isa::Isa;
use isadl_semantics::{Checked, DeclarationKind, Text, Texts};

use super::book::Book;
use super::declarations::{declared, kind_name};
use super::operation::{Operation, optype};
use super::page_text::PageText;
use super::pages::{Kind, declaration_key};
use super::text::{code, word};
use super::variants::Variant;
use crate::xml::attribute;

/// The programs of an operation in one generation: forms with the same text, and what surrounds it.
#[derive(PartialEq)]
struct Shown {
    forms: Vec<String>,
    /// The text of the opcode, as HTML.
    own: String,
    /// The text with all that surrounds it, with the forms that have it; empty if nothing does.
    whole: Vec<(Vec<String>, String)>,
}

/// The texts of the programs of a generation.
pub(super) fn texts<'b>(book: &'b Book<'_>, isa: &Isa) -> Option<&'b Texts> {
    Checked::of(book.programs, isa).map(|checked| &checked.texts)
}

/// The programs of an operation; empty if it has none.
pub(super) fn of_operation(operation: &Operation<'_>) -> PageText {
    let book = operation.book;
    let variants = book.variants(|isa| {
        let shown = shown(operation, isa);
        (!shown.is_empty()).then_some(shown)
    });
    let mut text = PageText::default();
    for variant in &variants {
        let label = book.label(variant.generations);
        if !label.is_empty() && variants.len() > 1 {
            text += &format!("*{label}:*\n\n");
        }
        for shown in &variant.is {
            if variant.is.len() > 1 {
                text += &format!("{}:\n\n", names(&shown.forms));
            }
            text.program(shown.own.clone());
            for (forms, whole) in &shown.whole {
                let title = match shown.whole.len() {
                    1 => "With what surrounds it".to_string(),
                    _ => format!("{} with what surrounds it", forms.join(", ")),
                };
                text.program(folded(&title, whole));
            }
        }
    }
    text
}

fn names(forms: &[String]) -> String {
    forms.iter().map(|form| word(form)).collect::<Vec<_>>().join(", ")
}

fn shown(operation: &Operation<'_>, isa: &Isa) -> Vec<Shown> {
    let (book, page) = (operation.book, operation.page.as_str());
    let Some(texts) = texts(book, isa) else { return Vec::new() };
    let ids = optype(isa, operation.name).map_or(&[][..], |optype| optype.opcodes.as_slice());
    let mut found: Vec<Shown> = Vec::new();
    for id in ids {
        let form = &isa.opcode(*id).name;
        let (Some(own), Some(whole)) = (texts.own(form), texts.whole(form)) else { continue };
        let hidden = hidden(book, texts, form);
        let is_all = hidden.is_empty() && own == whole;
        let own = pre(&html(book, &own, page));
        let whole = (!is_all).then(|| {
            let lines = hidden.iter().chain([&whole]).map(|text| html(book, text, page));
            pre(&lines.collect::<Vec<_>>().join("\n"))
        });
        let at = found.iter().position(|shown| shown.own == own).unwrap_or_else(|| {
            found.push(Shown { forms: Vec::new(), own, whole: Vec::new() });
            found.len() - 1
        });
        add_form(&mut found[at].forms, form);
        let Some(whole) = whole else { continue };
        match found[at].whole.iter_mut().find(|(_, known)| *known == whole) {
            Some((forms, _)) => add_form(forms, form),
            None => found[at].whole.push((vec![form.clone()], whole)),
        }
    }
    found
}

/// Adds a form. One with a literal has the name of that without.
fn add_form(forms: &mut Vec<String>, form: &str) {
    if !forms.iter().any(|known| known == form) {
        forms.push(form.to_string());
    }
}

/// The declarations that a program needs of groups without a page: only here a reader finds them.
fn hidden(book: &Book<'_>, texts: &Texts, form: &str) -> Vec<Text> {
    let used = texts.used(form).into_iter();
    let hidden = used.filter(|(group, declared)| {
        declared.kind != DeclarationKind::About && !book.has_group(group)
    });
    hidden.map(|(_, declared)| declared.text).collect()
}

/// The declarations and the wrapper of a group; empty if it has neither.
pub(super) fn of_group(book: &Book<'_>, name: &str, page: &str) -> PageText {
    let mut text = PageText::default();
    let statements = book.variants(|isa| {
        let statements = texts(book, isa)?.statements(name)?;
        Some(pre(&html(book, &statements, page)))
    });
    if !statements.is_empty() {
        text += "## Programs\n\n`body` is what each operation does:\n\n";
        add(book, &mut text, &statements);
    }
    let declared = declared(book.isas(), book.programs, name);
    if !declared.is_empty() {
        text += "## Declarations\n\nPrograms of the operations may use these names.\n\n";
    }
    for (kind, declared) in declared {
        text += &format!("### {} {}\n\n", kind_name(kind), code(&declared));
        let variants = book.variants(|isa| {
            let all = texts(book, isa)?.declarations(name);
            let own = all.iter().filter(|one| one.name == declared && one.kind == kind);
            let own: Vec<String> = own.map(|one| html(book, &one.text, page)).collect();
            (!own.is_empty()).then(|| pre(&own.join("\n")))
        });
        add(book, &mut text, &variants);
    }
    text
}

/// Adds a block of each variant, with its generations if not all have it.
fn add(book: &Book<'_>, text: &mut PageText, variants: &[Variant<String>]) {
    for variant in variants {
        let label = book.label(variant.generations);
        if !label.is_empty() {
            *text += &format!("*{label}:*\n\n");
        }
        text.program(variant.is.clone());
    }
}

/// A program as HTML, with links to declarations.
fn html(book: &Book<'_>, text: &Text, page: &str) -> String {
    let (mut html, mut at) = (String::new(), 0);
    for mention in &text.mentions {
        let name = &text.text[mention.range.clone()];
        let key = declaration_key(&mention.group, name);
        let Some(place) = book.pages.get(Kind::Declaration, &key) else { continue };
        html += &attribute(&text.text[at..mention.range.start]);
        let (link, name) = (attribute(&place.from(page)), attribute(name));
        html += &format!("<a href=\"{link}\">{name}</a>");
        at = mention.range.end;
    }
    html + &attribute(&text.text[at..])
}

/// A block of code; renderers do not colour it.
fn pre(html: &str) -> String {
    format!("<pre><code class=\"nohighlight\">{html}</code></pre>")
}

/// A block that is folded.
fn folded(title: &str, block: &str) -> String {
    format!("<details>\n<summary>{}</summary>\n\n{block}\n\n</details>", attribute(title))
}
