//! W0516: the pseudo code of an operation reads an operand that its opcodes only write.
//!
//! A text is not a program: only certain cases count. An operand is read if its name appears anywhere but on the left
//! of `=`, before the first line that assigns it. The check skips comments and the heads of forms, which end in a
//! colon.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Access, FlowPlace, SectionKind};
use crate::model::Layer;
use crate::prose;
use crate::source::Span;

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    for (optype, layer) in context.isa.optypes().iter().zip(context.model.operations()) {
        // Programs that are checked are held against the lists as a whole.
        if context.model.is_checked(layer) {
            continue;
        }
        for (name, opcode) in only_written(context, &optype.opcodes) {
            if let Some(span) = read_before_written(layer, name) {
                let message = format!("`{name}` is read here, but `{opcode}` only writes it");
                diagnostics.push(
                    Diagnostic::new(Code::W0516, message, span)
                        .with_note("what is read and written follows from the lists alone")
                        .with_help(format!("add `{name}` to `InList`")),
                );
            }
        }
    }
}

/// The fields that opcodes write and do not read, each with the first such opcode.
fn only_written<'c>(
    context: &'c Context<'_, '_>,
    opcodes: &[crate::isa::OpcodeId],
) -> Vec<(&'c str, &'c str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for id in opcodes {
        let opcode = context.isa.opcode(*id);
        for item in &opcode.flow {
            let FlowPlace::Field(field) = item.place else { continue };
            // An operand made of fields is an address, which is read wherever it is named.
            if opcode.composite_operand(field).is_some() {
                continue;
            }
            let is_read = opcode
                .flow
                .iter()
                .any(|other| other.place == item.place && other.access != Access::Write);
            let name = context.isa.name_of(field);
            if !is_read && !found.iter().any(|(known, _)| *known == name) {
                found.push((name, &opcode.name));
            }
        }
    }
    found
}

/// Where the pseudo code reads an operand before it assigns it.
fn read_before_written(layer: &Layer<'_>, name: &str) -> Option<Span> {
    let sections = layer.prose.iter().filter(|section| section.kind == SectionKind::Semantics);
    for line in sections.flat_map(prose::fenced) {
        let code = line.text.split("//").next().unwrap_or_default();
        if code.trim_end().ends_with(':') {
            continue;
        }
        let targets = targets(code);
        let mut is_assigned = false;
        for at in occurrences(code, name) {
            match after(&code[at + name.len()..]) {
                _ if at < targets => is_assigned = true,
                After::Assigned if !is_assigned => is_assigned = true,
                After::PartAssigned => {}
                // The right side of `=` is read first.
                After::Assigned | After::Other => {
                    let start = line.span.start + at as u32;
                    return Some(Span { start, end: start + name.len() as u32, ..line.span });
                }
            }
        }
        if is_assigned {
            return None;
        }
    }
    None
}

/// The end of the list in an assignment to several values, `(a, b) = …`; 0 without a list.
fn targets(code: &str) -> usize {
    let end = code.find(')').filter(|_| code.trim_start().starts_with('('));
    end.filter(|end| matches!(after(&code[end + 1..]), After::Assigned)).unwrap_or(0)
}

/// How a name is used.
enum After {
    Assigned,
    /// `x[…] =`
    PartAssigned,
    Other,
}

fn after(rest: &str) -> After {
    let is_assignment = |text: &str| {
        let text = text.trim_start();
        text.starts_with('=') && !text.starts_with("==")
    };
    if is_assignment(rest) {
        return After::Assigned;
    }
    let index = rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match index {
        Some((_, after)) if is_assignment(after) => After::PartAssigned,
        _ => After::Other,
    }
}

/// Where a name appears as a word, in any case of its letters.
fn occurrences(code: &str, name: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let (lower, name) = (code.to_ascii_lowercase(), name.to_ascii_lowercase());
    let found = lower.match_indices(&name).map(|(at, _)| at);
    let is_alone = |at: &usize| {
        let before = lower[..*at].chars().next_back();
        let after = lower[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(|c| is_word(c) && c != '.')
    };
    found.filter(is_alone).collect()
}
