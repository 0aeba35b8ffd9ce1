//! Texts after the suggestions that are certain.

use crate::diagnostic::{Certainty, Diagnostics};
use crate::source::{FileId, SourceMap, Span};

/// A file after suggestions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The file.
    pub file: FileId,
    /// Its text.
    pub text: String,
    /// How many suggestions were followed.
    pub count: usize,
}

/// The files that change if the suggestions of findings are followed that certainly are what was meant, in order. Of
/// suggestions about the same text only the first is followed; the others may be made again for the new text.
pub fn fixed(sources: &SourceMap, found: &Diagnostics) -> Vec<Fixed> {
    let mut changes: Vec<(Span, &str)> = Vec::new();
    for finding in found.iter() {
        let text = sources.text(finding.primary.span);
        let fixes = finding.helps.iter().filter_map(|help| help.fix.as_ref());
        for fix in fixes.filter(|fix| fix.certainty == Certainty::Certain) {
            changes.extend(finding.place_of(fix, text).map(|span| (span, fix.new.as_str())));
        }
    }
    changes.sort();
    changes.dedup();
    let mut files: Vec<Fixed> = Vec::new();
    // The end of what was changed last, and how far texts after it have moved.
    let (mut end, mut moved) = (0, 0);
    for (span, new) in changes {
        let is_other = files.last().is_none_or(|file| file.file != span.file);
        if is_other {
            let text = sources.file(span.file).text().to_string();
            files.push(Fixed { file: span.file, text, count: 0 });
            (end, moved) = (0, 0);
        }
        let Some(file) = files.last_mut().filter(|_| is_other || span.start >= end) else {
            continue;
        };
        let range = span.range();
        let place = |at: usize| (at as i64 + moved) as usize;
        file.text.replace_range(place(range.start)..place(range.end), new);
        file.count += 1;
        moved += new.len() as i64 - range.len() as i64;
        end = span.end.max(span.start + 1);
    }
    files
}
