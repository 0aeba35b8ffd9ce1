//! Programs of the page, assembled.

use isadl::engine::Engine;
use isadl::source::{FileId, SourceMap};
use isadl_asm::Object;
use isadl_asm::{Limits, Options, Purpose, assemble};
use isadl_lsp::live;
use serde_json::{Value, json};

use crate::set::Set;

/// The name of the program in findings.
const NAME: &str = "program.s";

/// Limit on the bytes that are shown per statement.
const MOST_BYTES: usize = 64;

/// How much of a program is assembled: a page shows no more.
const LIMITS: Limits = Limits { bytes: 16 << 20, statements: 100_000 };

/// Assembles a program and returns its statements with their bytes and locations, and the findings.
pub(crate) fn assembled(engine: &Engine<'_>, text: &str, address: u64, set: Option<&Set>) -> Value {
    let mut sources = SourceMap::new();
    let mut files = Vec::new();
    let macros = set.and_then(|set| set.macros.as_ref());
    if let Some((path, bytes)) = macros.and_then(|path| Some((path, std::fs::read(path).ok()?))) {
        files.push(sources.add(path.display().to_string(), bytes));
    }
    let own = sources.add(NAME, text.as_bytes().to_vec());
    files.push(own);
    let options = Options { closed: true, listing: true, limits: LIMITS, ..Options::default() };
    let purpose = Purpose::Address(address);
    let (object, found) = assemble(engine, &mut sources, &files, &options, purpose);
    let findings = live::findings(&found, &sources).remove(NAME);
    let rows = object.as_ref().map_or(Vec::new(), |object| rows(object, &sources, own));
    let bytes: usize =
        object.iter().flat_map(|object| &object.sections).map(|s| s.bytes.len()).sum();
    json!({ "rows": rows, "bytes": bytes, "findings": findings, "legal": object.is_some() })
}

fn rows(object: &Object, sources: &SourceMap, own: FileId) -> Vec<Value> {
    let mut rows = Vec::new();
    for section in &object.sections {
        for (at, (offset, span)) in section.lines.iter().enumerate() {
            let end = section.lines.get(at + 1).map_or(section.size, |next| next.0);
            let all = section.bytes.get(*offset as usize..end as usize).unwrap_or_default();
            let shown: Vec<String> =
                all.iter().take(MOST_BYTES).map(|byte| format!("{byte:02x}")).collect();
            let more = if all.len() > MOST_BYTES { " …" } else { "" };
            let line = (span.file == own).then(|| sources.position(span.file, span.start).0);
            rows.push(json!({
                "section": section.name,
                "address": format!("{:x}", section.address + offset),
                "bytes": shown.join(" ") + more,
                "line": line,
            }));
        }
    }
    rows
}

/// An instruction as a word, as its bytes.
pub(crate) fn line(engine: &Engine<'_>, text: &str) -> Value {
    match engine.assemble(text) {
        Ok(inst) => {
            let mut bytes = Vec::new();
            engine.append_hex(inst, &mut bytes);
            json!({ "bytes": String::from_utf8_lossy(&bytes) })
        }
        Err(error) => json!({ "error": error.to_string() }),
    }
}
