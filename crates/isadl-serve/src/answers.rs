//! The answers to questions about texts that were compiled.

use std::collections::BTreeSet;

use isadl::engine::{Engine, Loaded};
use isadl::format::Formatter;
use isadl::isa::{ExtensionSet, Isa};
use isadl::semantics::Checked;
use isadl_codegen::markdown::render;
use isadl_codegen::space;
use isadl_codegen::word::{Word, object, read};
use isadl_lsp::live;
use lsp_types::HoverContents;
use serde::Serialize;
use serde_json::{Value, json};

use crate::manual::Alone;
use crate::program;
use crate::question::{Question, Request};
use crate::set::{Refusal, Set};
use crate::work::Work;

/// The answer to a question about texts.
pub(crate) fn of(work: &Work, question: &Question, set: Option<&Set>) -> Result<Value, Refusal> {
    match &question.ask {
        // These are not about texts; the service answers them.
        Request::Sets | Request::Open | Request::Stamp => Ok(Value::Null),
        Request::Check => value(&check(work)),
        Request::Hover { file, place } => {
            let hover = work.live().hover(file, *place);
            Ok(hover.map_or(Value::Null, |hover| {
                let text = match hover.contents {
                    HoverContents::Markup(markup) => markup.value,
                    HoverContents::Scalar(_) | HoverContents::Array(_) => String::new(),
                };
                json!({ "html": render(&text, &Alone), "range": hover.range })
            }))
        }
        Request::Complete { file, place } => value(&work.live().completions(file, *place)),
        Request::Format { file } => format(work, file),
        Request::Word { text } => {
            with_engine(work, question, |loaded, engine| word(work, loaded, engine, text))
        }
        Request::Line { text } => {
            with_engine(work, question, |_, engine| Ok(program::line(&engine, text)))
        }
        Request::Program { text, address } => with_engine(work, question, |_, engine| {
            Ok(program::assembled(&engine, text, *address, set))
        }),
        Request::Space => {
            let family = work.family.as_ref().ok_or_else(has_errors)?;
            let spaces = space::spaces(family);
            let spaces: Vec<Value> = spaces
                .iter()
                .map(|one| json!({ "group": one.group, "generations": one.generations, "svg": space::svg(std::slice::from_ref(one)) }))
                .collect();
            Ok(json!({ "spaces": spaces }))
        }
        Request::Page { name } => {
            let manual = work.manual().ok_or_else(has_errors)?;
            let page = manual.page(name);
            let page = page.ok_or_else(|| Refusal(format!("the manual has no page `{name}`")))?;
            Ok(json!({ "html": page }))
        }
        Request::Search { text } => {
            let hits = work.manual().ok_or_else(has_errors)?.search(text);
            let hits = hits
                .iter()
                .map(|hit| json!({ "page": hit.page, "title": hit.title, "line": hit.line }));
            Ok(json!({ "hits": hits.collect::<Vec<Value>>() }))
        }
    }
}

fn has_errors() -> Refusal {
    Refusal("the specification has errors".to_string())
}

fn value(of: &impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(of).map_err(|error| Refusal(error.to_string()))
}

/// Answers `Check`: the findings, and the available items.
fn check(work: &Work) -> Value {
    let findings = live::findings(&work.found, &work.sources);
    let counts = &work.counts;
    let isas = work.family.iter().flat_map(|family| family.isas());
    let opcodes = isas.flat_map(|isa| isa.opcodes()).map(|opcode| opcode.name.as_str());
    let opcodes: BTreeSet<&str> = opcodes.collect();
    json!({
        "findings": findings,
        "errors": work.found.count(isadl::diagnostic::Severity::Error),
        "warnings": work.found.count(isadl::diagnostic::Severity::Warning),
        "types": counts.types,
        "groups": counts.groups,
        "opcodes": opcodes,
        "generations": work.family.as_ref().map(|family| family.generations().to_vec()),
        "bits": work.family.as_ref().map(|family| family.first().width()),
        "compiled": work.family.is_some(),
        "milliseconds": work.milliseconds,
    })
}

fn format(work: &Work, file: &str) -> Result<Value, Refusal> {
    let mut ids = work.sources.specification();
    let id = ids.find(|id| work.sources.file(*id).name() == file);
    let id = id.ok_or_else(|| Refusal(format!("there is no file `{file}`")))?;
    let made = Formatter::new(&work.sources).file(&work.sources, id);
    made.map(|text| json!({ "text": text })).map_err(|_| Refusal("the file has errors".to_string()))
}

/// Answers with the engine of the generation and the extensions that a question names.
fn with_engine(
    work: &Work,
    question: &Question,
    answer: impl FnOnce(&Loaded, Engine<'_>) -> Result<Value, Refusal>,
) -> Result<Value, Refusal> {
    let first = work.loaded().first().ok_or_else(has_errors)?;
    let loaded = match (&question.generation, &work.family) {
        (Some(name), Some(family)) => {
            let found = family.generation(name).and_then(|isa| {
                let is_it = |one: &Isa| std::ptr::eq(one, isa);
                work.loaded().get(family.isas().iter().position(is_it)?)
            });
            found.ok_or_else(|| Refusal(format!("there is no generation `{name}`")))?
        }
        _ => first,
    };
    let set = extensions(question, loaded.isa())?;
    answer(loaded, loaded.engine().with_extensions(set))
}

fn extensions(question: &Question, isa: &Isa) -> Result<ExtensionSet, Refusal> {
    match &question.extensions {
        Some(names) => isa.extensions().set_of(names).map_err(|error| Refusal(error.to_string())),
        None => Ok(isa.extensions().default),
    }
}

/// Explains a word.
fn word(work: &Work, loaded: &Loaded, engine: Engine<'_>, text: &str) -> Result<Value, Refusal> {
    let family = work.family.as_ref().ok_or_else(has_errors)?;
    let word = read(&engine, text).map_err(Refusal)?;
    let checked = Checked::of(&work.programs, loaded.isa());
    let texts = checked.map(|checked| &checked.texts);
    let word = Word::new(engine, loaded.isa(), family, texts, word);
    value(&object(&word))
}
